//! The statuses by which zones refuse commands, with the names and numbers of the specification.

/// Kind of error with which a zone of a zoned namespace refuses a command; it determines the NVMe status in the
/// command's completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ZoneError {
    /// Case of zone error: a read of blocks that were never written, on a drive that answers such a read with an error.
    Unwritten,
    /// Case of zone error: a command that reaches beyond the zone, or a write beyond the zone's capacity.
    Boundary,
    /// Case of zone error: a write to a zone in the state Full.
    Full,
    /// Case of zone error: a write to a zone in the state Read Only, or a management command for such a zone.
    ReadOnly,
    /// Case of zone error: a command to a zone in the state Offline.
    Offline,
    /// Case of zone error: a write elsewhere than at the write pointer, or an append elsewhere than at the zone's first
    /// block.
    InvalidWrite,
    /// Case of zone error: a command that would make more zones active than the drive allows.
    TooManyActive,
    /// Case of zone error: a command that would open more zones than the drive allows.
    TooManyOpen,
    /// Case of zone error: a zone management command that the present state of the zone does not allow.
    Transition,
}

impl ZoneError {
    /// Constant: list of all errors of zones, in the order of their numbers.
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

    /// Returns the name of the zone error in results, as in the NVMe specification.
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

    /// Returns the NVMe status code type and status code with which a completion reports the zone error.
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
