//! What must be known to build a map that lies on flash, in whole or as a checkpoint, for a kind of mapping or a way of recovery.

/// Record of an entry in the RAM cache of a logical-to-physical map that lies on flash; cached entries are linked in a
/// list by last use.
#[derive(Clone, Copy)]
pub(crate) struct FlashMapEntry {
    pub lpn: u32,
    pub newer: u32,
    pub older: u32,
    /// Index of the next dirty entry of the same translation unit: `NONE` in the last dirty entry, and a value of the
    /// cache's own in a clean entry.
    pub next_dirty: u32,
}

/// Returns the number of bytes of the simulator's memory for a cache of `entries` map entries of a drive with `logical`
/// units.
pub(crate) fn cached_bytes(logical: u32, entries: u64) -> u64 {
    4 * u64::from(logical) + entries.min(u64::from(logical)) * size_of::<FlashMapEntry>() as u64
}

/// Set of settings of a logical-to-physical map that lies on flash, in translation units (mapping units that hold map
/// entries).
#[derive(Clone, Copy, Debug)]
pub struct MapOnFlash {
    /// Setting of a map on flash: number of map entries in one translation unit (mapping unit of the map).
    pub entries_per_unit: u32,
    /// Setting of a map on flash: greatest number of translation units (mapping units of the map) that are being read
    /// from flash at a time, for a lookup or in order to be changed.
    pub in_flight: u32,
    /// Setting of a map on flash: number of slots of the write buffer (each holds one mapping unit) that are reserved
    /// for translation units, the units of the map.
    pub slots: u32,
    /// Setting of a map on flash: part of the map that is in RAM: a cache of map entries, or the whole map.
    pub in_ram: InRam,
}

/// Kind of map on flash, by the part of it that the drive has in RAM: a cache of map entries, or the whole map.
#[derive(Clone, Copy, Debug)]
pub enum InRam {
    /// Case of a map on flash: RAM has only a cache of the `entries` most recently used map entries.
    Cached {
        /// Setting of a map on flash: greatest number of map entries in the cache in RAM.
        entries: u64,
        /// Setting of a map on flash: true if the whole map is already on flash when simulated time begins.
        stored: bool,
    },
    /// Case of a map on flash: RAM has the whole map, and a checkpoint of it is written to flash from time to time.
    Whole {
        /// Setting of a map on flash: number of superblocks closed from the beginning of one checkpoint of the map to
        /// the next.
        checkpoint_every: u32,
        /// Setting of a map on flash: sizes of directory and log for a map of which, at power-up, only the checkpoint's
        /// directory (addresses of the map's units) is read before the drive is ready, and the map itself afterwards.
        /// None: the whole map is read before the drive is ready.
        on_demand: Option<OnDemand>,
    },
}

/// Record of the sizes of the data that the drive stores on flash beside the map if the map is read only after the
/// drive is ready: directory and log of map changes, in mapping units.
#[derive(Clone, Copy, Debug)]
pub struct OnDemand {
    /// Number of mapping units that hold the directory, the addresses of the map's own units on flash; each checkpoint
    /// of the map contains them.
    pub directory_units: u32,
    /// Number of mapping units for a log of map changes since the last checkpoint; 0 means no log.
    pub log_units: u32,
    /// Number of map changes that one mapping unit of the log of map changes holds.
    pub changes_per_unit: u32,
}
