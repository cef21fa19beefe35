//! What the FTL counted. Two of these subtract to the counts of the time between.

use controller::Origin;
use units::Bytes;

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// Returns the counts since `earlier`.
            pub fn since(&self, earlier: &Self) -> Self {
                Self { $($field: self.$field.minus(earlier.$field),)* }
            }
        }
    };
}
pub(crate) use counters;

/// What is taken from a counter to have what was counted since.
pub(crate) trait Minus {
    fn minus(self, earlier: Self) -> Self;
}

impl Minus for u64 {
    fn minus(self, earlier: Self) -> Self {
        self - earlier
    }
}

impl Minus for u128 {
    fn minus(self, earlier: Self) -> Self {
        self - earlier
    }
}

impl<const N: usize> Minus for [u64; N] {
    fn minus(self, earlier: Self) -> Self {
        std::array::from_fn(|i| self[i] - earlier[i])
    }
}

counters! {
    /// Counters since the drive was built.
    FtlStats {
        /// Flash pages that the drive read, by origin.
        pages_read: [u64; Origin::COUNT],
        /// Flash pages programmed, by origin (of the first unit in the program).
        pages_programmed: [u64; Origin::COUNT],
        /// Mapping units programmed, by origin.
        units_programmed: [u64; Origin::COUNT],
        /// Superblock erases times planes, by origin of the collection.
        blocks_erased: [u64; Origin::COUNT],
        /// Mapping units the host wrote into the buffer; one that it wrote a part of counts as one.
        units_written: u64,
        /// Bytes that the host's write requests carried into the buffer.
        bytes_written: u64,
        /// Bytes programmed for the host (`units_programmed`) that no request of its carried: the rest of units that it
        /// wrote a part of.
        bytes_filled_up: u64,
        /// Units that the host wrote over a version that still waited in the buffer.
        units_coalesced: u64,
        /// Units that the host wrote over a clean version in the buffer, whose data the flash held, too.
        units_overwritten_clean: u64,
        /// Written units that the eviction policy sent to the flash.
        units_evicted_dirty: u64,
        /// Clean units that the eviction policy dropped from the buffer.
        units_evicted_clean: u64,
        /// Units acknowledged on arrival and not on flash yet, times the nanoseconds they were so.
        risk_unit_ns: u128,
        /// Mapping units read by the host that the buffer held.
        units_read_buffer: u64,
        /// Mapping units read by the host that were never written or trimmed.
        units_read_unmapped: u64,
        /// Mapping units read by the host from flash.
        units_read_flash: u64,
        /// Mapping units read by the host whose map entry was still awaited when the power failed.
        units_read_cut: u64,
        /// Reads of the host's that shared the array read of another.
        reads_joined: u64,
        /// Mapping units read ahead of the host.
        units_read_ahead: u64,
        /// Units read ahead that the host then asked for.
        units_read_ahead_used: u64,
        /// Units read ahead that left the area before the host asked for them, or were written or trimmed.
        units_read_ahead_wasted: u64,
        /// Mapping units read by the host that had been read ahead, or were on their way.
        units_read_fetched: u64,
        /// Mapping units trimmed that were mapped or buffered.
        units_trimmed: u64,
        /// Host units whose program finished after a newer version was written or the unit was trimmed.
        units_stale: u64,
        /// Victims taken by garbage collection.
        victims: u64,
        /// Valid units in victims of collection when the victims were chosen.
        victim_units: u64,
        /// Invalid or empty units in victims of collection when chosen: the room that collecting the victims
        /// gains.
        victim_room: u64,
        /// Sum over the choices of victims of the number of candidates.
        victim_candidates: u64,
        /// Sum over the choices of victims of the number of free superblocks.
        victim_free: u64,
        /// Valid units in superblocks that were taken for another reason: wear levelling, refresh or scrub, a failed program.
        relocated_units: u64,
        /// Units that were not valid in the superblocks that `relocated_units` counts.
        relocated_room: u64,
        /// Superblocks relocated for wear levelling.
        wear_relocations: u64,
        /// Open superblocks that host and garbage collection traded (`ftl.program_order`).
        superblocks_traded: u64,
        /// Log blocks that became data blocks without a copy.
        merges_switch: u64,
        /// Log blocks that became data blocks after what they lacked was copied into them.
        merges_partial: u64,
        /// Data blocks gathered in a new block.
        merges_full: u64,
        /// Lookups of map entries that were in RAM.
        map_hits: u64,
        /// Lookups of map entries that were not.
        map_misses: u64,
        /// Mapping units of the host's that went to superblocks with one bit a cell.
        slc_units_written: u64,
        /// Mapping units of the host's that bypassed them, on drives that have such superblocks.
        slc_units_bypassed: u64,
        /// Mapping units read by the host from superblocks with one bit a cell.
        slc_units_read: u64,
        /// Superblocks with one bit a cell that folding took.
        slc_superblocks_folded: u64,
        /// Valid units in those when they were taken: the others were overwritten or trimmed before.
        slc_units_folded: u64,
        /// Blocks erased that held one bit a cell; they are among `blocks_erased`, too.
        slc_blocks_erased: u64,
        /// Reads that the code could not correct and whose data was found again from parity: the host's, all others.
        reads_rebuilt: [u64; 2],
        /// Reads that neither the code nor parity could correct, or that had no parity.
        reads_lost: [u64; 2],
        /// Units moved, or merged with what the host wrote, though they could not be read: they are marked as lost.
        units_lost: u64,
        /// Units so marked that the host asked for.
        units_read_lost: u64,
        /// Programs that failed.
        program_failures: u64,
        /// Erases that failed.
        erase_failures: u64,
        /// Superblocks lost because no spare block was left.
        superblocks_lost: u64,
    }
}

impl FtlStats {
    /// Returns the number of bytes programmed by all origins, in mapping units of `unit`.
    pub fn bytes_programmed(&self, unit: Bytes) -> u64 {
        self.units_programmed.iter().sum::<u64>() * unit.get()
    }

    /// Returns the write amplification: bytes programmed by all origins over bytes that the host's write
    /// requests carried.
    pub fn waf(&self, unit: Bytes) -> Option<f64> {
        (self.bytes_written > 0).then(|| self.bytes_programmed(unit) as f64 / self.bytes_written as f64)
    }
}
