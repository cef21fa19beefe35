//! The statuses by which zones refuse commands, with the names and numbers of the specification.

/// Error by which a zone refuses a command: the status of the completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ZoneError {
    /// A read of blocks never written, on a drive that answers it with an error.
    Unwritten,
    /// The command reaches beyond the zone, or a write beyond the zone's capacity.
    Boundary,
    /// The zone is full.
    Full,
    /// The zone can only be read.
    ReadOnly,
    /// The zone answers no more.
    Offline,
    /// A write elsewhere than at the write pointer, or an append elsewhere than at the zone's first block.
    InvalidWrite,
    /// No more zones can be active.
    TooManyActive,
    /// No more zones can be open.
    TooManyOpen,
    /// The state of the zone does not allow the command.
    Transition,
}

impl ZoneError {
    /// All errors, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Unwritten,
        Self::Boundary,
        Self::Full,
        Self::ReadOnly,
        Self::Offline,
        Self::InvalidWrite,
        Self::TooManyActive,
        Self::TooManyOpen,
        Self::Transition,
    ];

    /// Returns the name in results, as in the NVMe specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unwritten => "deallocated_or_unwritten",
            Self::Boundary => "zone_boundary_error",
            Self::Full => "zone_is_full",
            Self::ReadOnly => "zone_is_read_only",
            Self::Offline => "zone_is_offline",
            Self::InvalidWrite => "zone_invalid_write",
            Self::TooManyActive => "too_many_active_zones",
            Self::TooManyOpen => "too_many_open_zones",
            Self::Transition => "invalid_zone_state_transition",
        }
    }

    /// Returns the status code type and status code of the completion.
    pub const fn status(self) -> (u8, u8) {
        match self {
            Self::Unwritten => (2, 0x87),
            Self::Boundary => (1, 0xb8),
            Self::Full => (1, 0xb9),
            Self::ReadOnly => (1, 0xba),
            Self::Offline => (1, 0xbb),
            Self::InvalidWrite => (1, 0xbc),
            Self::TooManyActive => (1, 0xbd),
            Self::TooManyOpen => (1, 0xbe),
            Self::Transition => (1, 0xbf),
        }
    }
}
