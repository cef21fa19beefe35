//! What must be known to build a map that lies on flash, in whole or as a checkpoint, for a kind of mapping or a way of recovery.

/// One cached entry of a map that lies on flash, in a list by last use.
#[derive(Clone, Copy)]
pub(crate) struct FlashMapEntry {
    pub lpn: u32,
    pub newer: u32,
    pub older: u32,
    pub dirty: bool,
}

/// Returns the number of bytes of simulator state for a cache of `entries` entries of a map of `logical`
/// units.
pub(crate) fn cached_bytes(logical: u32, entries: u64) -> u64 {
    4 * u64::from(logical) + entries.min(u64::from(logical)) * size_of::<FlashMapEntry>() as u64
}

/// A map of mapping units that lies on flash in translation units.
#[derive(Clone, Copy, Debug)]
pub struct MapOnFlash {
    /// Entries of a translation unit.
    pub entries_per_unit: u32,
    /// Translation units read or changed at a time.
    pub in_flight: u32,
    /// Buffer slots for translation units.
    pub slots: u32,
    /// The part of the map that is in RAM.
    pub in_ram: InRam,
}

/// The part in RAM of a map that lies on flash.
#[derive(Clone, Copy, Debug)]
pub enum InRam {
    /// The `entries` most recently used entries; `stored`: the whole map is on flash when time begins.
    Cached {
        /// See [`InRam::Cached`].
        entries: u64,
        /// True if the whole map is on flash when simulated time begins.
        stored: bool,
    },
    /// The whole map, with a checkpoint on flash each time this number of superblocks has been closed.
    Whole {
        /// See [`InRam::Whole`].
        checkpoint_every: u32,
        /// Only a directory of the checkpoint is read at power-up, and the map when the drive is ready; none: all at once.
        on_demand: Option<OnDemand>,
    },
}

/// Units on flash, beyond the map itself, for a map that is read after the drive is ready.
#[derive(Clone, Copy, Debug)]
pub struct OnDemand {
    /// Units that hold the places of the map's units: a part of each checkpoint.
    pub directory_units: u32,
    /// Units of a log of changes; 0: no log.
    pub log_units: u32,
    /// Changes of the map that one unit of the log holds.
    pub changes_per_unit: u32,
}
