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
            /// Returns the counts since `earlier`, an older copy of these statistics counters.
            pub fn since(&self, earlier: &Self) -> Self {
                Self { $($field: self.$field.minus(earlier.$field),)* }
            }
        }
    };
}
pub(crate) use counters;

/// Interface of the types of a single counter (a number, or an array of numbers): an older value can be subtracted,
/// which gives the count since then.
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
    /// Set of counters (statistics) of the flash translation layer, counted since the drive was built.
    FtlStats {
        /// Counters of the drive: number of flash pages that the drive read, by origin (cause of the read).
        pages_read: [u64; Origin::COUNT],
        /// Counters of the drive: number of flash pages programmed, by origin (of the first unit in the program).
        pages_programmed: [u64; Origin::COUNT],
        /// Counters of the drive: number of mapping units programmed, by origin.
        units_programmed: [u64; Origin::COUNT],
        /// Counters of the drive: number of blocks erased (superblock erases times planes), by the origin (cause) of
        /// the erase.
        blocks_erased: [u64; Origin::COUNT],
        /// Counter of the drive: number of mapping units that the host wrote into the buffer; a unit written in part
        /// counts as one.
        units_written: u64,
        /// Counter of the drive: number of bytes that the host's write requests carried into the buffer.
        bytes_written: u64,
        /// Counter of the drive: number of bytes programmed for the host that no request carried: the rest of mapping
        /// units of which the host wrote a part.
        bytes_filled_up: u64,
        /// Counter of the drive: number of units that the host wrote over a version that was still in the write buffer
        /// and not yet sent to flash.
        units_coalesced: u64,
        /// Counter of the drive: number of units that the host wrote over a clean version in the buffer, whose data the
        /// flash held, too.
        units_overwritten_clean: u64,
        /// Counter of the drive: number of written (dirty) units that the eviction policy of the buffer sent to flash.
        units_evicted_dirty: u64,
        /// Counter of the drive: number of clean units that the eviction policy dropped from the buffer.
        units_evicted_clean: u64,
        /// Counter of the drive: sum over host units of the time, in ns, from the acknowledgement of the write (made
        /// when the data reach the write buffer) until the unit is on flash: the data that a power cut would lose.
        risk_unit_ns: u128,
        /// Counter of the drive: number of mapping units that the host read from the write buffer.
        units_read_buffer: u64,
        /// Counter of the drive: number of mapping units that the host read although they had never been written, or
        /// had been trimmed.
        units_read_unmapped: u64,
        /// Counter of the drive: number of mapping units that the host read from flash.
        units_read_flash: u64,
        /// Counter of the drive: number of mapping units of host reads that were never read, because the power failed
        /// while their map entry was awaited.
        units_read_cut: u64,
        /// Counter of the drive: number of host reads that had no array read (sense) of their own, but used that of
        /// another read; waits for a read-ahead in flight do not count.
        reads_joined: u64,
        /// Counter of the drive: number of mapping units that were read ahead of the host's requests.
        units_read_ahead: u64,
        /// Counter of the drive: number of units read ahead that the host then asked for.
        units_read_ahead_used: u64,
        /// Counter of the drive: number of units read ahead that left the read-ahead area, or were written or trimmed,
        /// before the host asked for them.
        units_read_ahead_wasted: u64,
        /// Counter of the drive: number of mapping units that the host read and that had been read ahead, or were being
        /// read ahead.
        units_read_fetched: u64,
        /// Counter of the drive: number of trimmed mapping units that had been mapped or buffered.
        units_trimmed: u64,
        /// Counter of the drive: number of host units whose program finished after a newer version was written or the
        /// unit was trimmed.
        units_stale: u64,
        /// Counter of the drive: number of victim superblocks that garbage collection chose.
        victims: u64,
        /// Counter of the drive: number of valid units in victims of garbage collection when the victims were chosen.
        victim_units: u64,
        /// Counter of the drive: number of invalid or empty units in victims of garbage collection when chosen: the
        /// space that collecting the victims gains.
        victim_room: u64,
        /// Counter of the drive: sum, over all choices of garbage collection victims, of the number of candidate
        /// superblocks at the choice.
        victim_candidates: u64,
        /// Counter of the drive: sum, over all choices of garbage collection victims, of the number of free superblocks
        /// of the die.
        victim_free: u64,
        /// Counter of the drive: number of valid units in superblocks that were relocated for a reason other than
        /// garbage collection: wear levelling, refresh, scrub, a failed program.
        relocated_units: u64,
        /// Counter of the drive: number of invalid or empty units in superblocks that were relocated for a reason other
        /// than garbage collection (wear levelling, refresh, scrub, a failed program): the space that these relocations
        /// gained.
        relocated_room: u64,
        /// Counter of the drive: number of superblocks relocated for wear levelling.
        wear_relocations: u64,
        /// Counter of the drive: number of times that the open superblock for host data and the open superblock for
        /// relocated data of a die were swapped (`ftl.program_order`).
        superblocks_traded: u64,
        /// Counter of the drive: number of switch merges of a block-mapped drive: log blocks that became data blocks
        /// without any unit being copied.
        merges_switch: u64,
        /// Counter of the drive: number of partial merges of a block-mapped drive: log blocks that became data blocks
        /// after their missing units were copied into them.
        merges_partial: u64,
        /// Counter of the drive: number of full merges of a block-mapped drive: data blocks of which the valid units,
        /// from data block and log blocks, were copied to a new block.
        merges_full: u64,
        /// Counter of the drive: number of lookups of map entries that were in RAM.
        map_hits: u64,
        /// Counter of the drive: number of lookups that did not find their map entry in the cache in RAM; a flash read each,
        /// unless the map page was never written or is in the write buffer.
        map_misses: u64,
        /// Counter of the drive: number of host mapping units that went to superblocks in SLC mode.
        slc_units_written: u64,
        /// Counter of the drive: number of host mapping units that bypassed the SLC cache, on drives that have one.
        slc_units_bypassed: u64,
        /// Counter of the drive: number of mapping units that the host read from superblocks in SLC mode.
        slc_units_read: u64,
        /// Counter of the drive: number of superblocks in SLC mode that folding (relocation of data out of the SLC
        /// cache) began to empty.
        slc_superblocks_folded: u64,
        /// Counter of the drive: number of valid units that superblocks in SLC mode held when folding (relocation of
        /// data out of the SLC cache) chose the superblocks as victims; the other units had been overwritten or
        /// trimmed.
        slc_units_folded: u64,
        /// Counter of the drive: number of blocks erased in SLC mode; `blocks_erased` includes them.
        slc_blocks_erased: u64,
        /// Counters of the drive: numbers of uncorrectable reads whose data were restored from parity: first of reads
        /// for the host, then of all other reads.
        reads_rebuilt: [u64; 2],
        /// Counters of the drive: numbers of reads that neither the code nor parity could correct: first of reads for
        /// the host, then of all other reads.
        reads_lost: [u64; 2],
        /// Counter of the drive: number of units marked as lost because they were relocated, or merged with a partial
        /// write, although they could not be read.
        units_lost: u64,
        /// Counter of the drive: number of units marked as lost that the host read.
        units_read_lost: u64,
        /// Counter of the drive: number of programs that failed.
        program_failures: u64,
        /// Counter of the drive: number of erases that failed.
        erase_failures: u64,
        /// Counter of the drive: number of superblocks lost because no spare block was left, or because their die
        /// failed.
        superblocks_lost: u64,
    }
}

impl FtlStats {
    /// Returns the number of bytes programmed by all origins, for mapping units of size `unit`.
    pub fn bytes_programmed(&self, unit: Bytes) -> u64 {
        self.units_programmed.iter().sum::<u64>() * unit.get()
    }

    /// Returns the write amplification: bytes programmed by all origins over bytes that the host's write requests
    /// carried; none before the first write.
    pub fn waf(&self, unit: Bytes) -> Option<f64> {
        (self.bytes_written > 0).then(|| self.bytes_programmed(unit) as f64 / self.bytes_written as f64)
    }

    /// Returns the number of mapping units that the host's reads got: from the write buffer, from flash, read ahead, or
    /// never written. Reads that a power cut ended are not counted.
    pub fn units_read(&self) -> u64 {
        self.units_read_buffer + self.units_read_unmapped + self.units_read_flash + self.units_read_fetched
    }
}
