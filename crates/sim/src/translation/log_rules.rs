//! `[host.translation]`: whether a host keeps blocks on a drive of zones, and by which rules.

use config::{ConfigError, Section, above, at_least};
use ftl::gc::victim;
use ftl::{Layout, Zoning};
use units::Bytes;

/// Constant: value of the setting `host.translation.name` with which the host keeps a log of blocks on the zones of the
/// drive.
const LOG: &str = "log";

/// Constant: default of the setting `host.translation.op_ratio`: the ratio of the space in zones beyond the capacity of
/// the host's log to that capacity.
const SPARE: f64 = 0.125;

/// Constant: number of zones, beside one for each stream of new data, that the capacity of a host's log leaves out: one
/// is kept empty for collection, and one is being filled by it.
const ZONES_BESIDE: u64 = 2;

/// Set of the settings of a host that keeps a log of blocks on the zones of the drive: capacity, streams and rules of
/// collection.
pub(crate) struct LogRules {
    /// Setting: capacity of the host's log in blocks; a block is a mapping unit of the drive.
    pub blocks: u32,
    /// Setting: number of empty zones below which the host collects zones.
    pub zones_least: u32,
    /// Setting: number of zones that the host fills with new data at the same time, one for each placement handle of a
    /// write.
    pub streams: u16,
    /// Setting: greatest number of copies of the host's collection in flight at the same time.
    pub copies_most: u32,
    /// Setting: greatest number of blocks in one copy of the host's collection.
    pub copy_blocks: u32,
    /// Field: function that makes the victim policy named in the drive file, which chooses the zone that the host
    /// collects next.
    pub victim: victim::Maker,
}

impl LogRules {
    /// Reads the settings of the host's translation from `[host.translation]` of a drive file, for a drive with the
    /// geometry `layout` and the zones `zoning`; `None` where the host keeps no log.
    ///
    /// # Errors
    /// When a value is wrong, or the drive has no zones, or too few.
    pub fn read(
        root: &mut Section,
        layout: &Layout,
        zoning: Option<Zoning>,
    ) -> Result<Option<Self>, ConfigError> {
        let mut section = root.child("host")?.child("translation")?;
        let help =
            "what blocks are kept in on a drive of zones: a log that the host itself keeps and collects";
        let is_log = section.choice("name", &["none", LOG], "none", help)? == LOG;
        let rules = if is_log { Some(Self::read_log(&mut section, layout, zoning)?) } else { None };
        section.finish()?;
        Ok(rules)
    }

    /// Returns the capacity of the host's log in bytes, where a block has `unit` bytes.
    pub fn bytes(&self, unit: u64) -> u64 {
        u64::from(self.blocks) * unit
    }

    /// Returns the number of bytes of the simulator's memory that the host's log takes, where the zones have `places`
    /// blocks in all: a number for each place, and one for each logical block.
    pub fn memory_bytes(&self, places: u64) -> u64 {
        size_of::<u32>() as u64 * (places + u64::from(self.blocks))
    }

    /// Returns the number of placement handles that the host's log offers to writes of the workload: one for each
    /// stream, none for a single stream.
    pub fn handles(&self) -> u16 {
        if self.streams > 1 { self.streams } else { 0 }
    }

    /// Reads the settings of a host's log from the section `[host.translation]`, for a drive with the geometry `layout`
    /// and the zones `zoning`.
    ///
    /// # Errors
    /// When a value is wrong, or the drive has no zones, or too few.
    fn read_log(section: &mut Section, layout: &Layout, zoning: Option<Zoning>) -> Result<Self, ConfigError> {
        let unit = layout.unit.get();
        let help = "zones that the host fills with new data at a time, by the placement handle of a write";
        let streams = section.within(at_least(1u16).at_most(64u16)).or("streams", 1u16, help)?;
        let help = "empty zones below which the host collects others";
        let zones_least = section.within(at_least(2u32)).or("empty_zones", 3u32, help)?;
        let help = "copies of the host's collection in flight at a time";
        let copies_most = section.within(at_least(1u32).at_most(4096u32)).or("copies", 16u32, help)?;
        let help = "data that the host's collection reads and writes at once";
        let copy: Bytes = section.or("copy_size", Bytes::new(128 << 10), help)?;
        if copy.get() < unit || !copy.get().is_multiple_of(unit) {
            return Err(section.reject("copy_size", &format!("expected a multiple of {unit} bytes, a block")));
        }
        let mut of_victim = section.child("victim")?;
        let victim = victim::read(&mut of_victim)?;
        of_victim.finish()?;
        let (key, room) = LogRoom::read(section)?;
        let Some(zoning) = zoning else {
            let expected = "expected none, or a drive of zones (ftl.mapping.name = zoned-all, zoned-width or zoned-on-write)";
            return Err(section.reject("name", expected));
        };
        if u32::from(streams) + 1 > zoning.active_most / 2 {
            // A zone is opened while the last appends of the one before are in flight.
            let expected = format!(
                "expected at most {}: so many zones and one for collection are each followed by another while {} can be active",
                (zoning.active_most / 2).saturating_sub(1),
                zoning.active_most
            );
            return Err(section.reject("streams", &expected));
        }
        let all = u64::from(zoning.count) * u64::from(zoning.capacity);
        let blocks = match room {
            LogRoom::Capacity(bytes) => bytes.get() / unit,
            LogRoom::Spare(spare) => (all as f64 / (1.0 + spare)) as u64,
        };
        let beside = u64::from(streams) + ZONES_BESIDE;
        let most = u64::from(zoning.count).saturating_sub(beside) * u64::from(zoning.capacity);
        if blocks == 0 || blocks > most {
            let expected = format!(
                "expected at most {} bytes of the drive's {} zones: {beside} of them are empty or being filled",
                most * unit,
                zoning.count
            );
            return Err(section.reject(key, &expected));
        }
        let copy_blocks = (copy.get() / unit).min(u64::from(zoning.capacity)) as u32;
        Ok(Self { blocks: blocks as u32, zones_least, streams, copies_most, copy_blocks, victim })
    }
}

/// Kind of setting that gives the capacity of a host's log.
enum LogRoom {
    /// Case of setting of the log's capacity: the capacity in bytes.
    Capacity(Bytes),
    /// Case of setting of the log's capacity: the ratio of the space in zones beyond the capacity to the capacity.
    Spare(f64),
}

impl LogRoom {
    /// Reads the setting that gives the capacity of a host's log, and returns it with the name of its key.
    fn read(section: &mut Section) -> Result<(&'static str, Self), ConfigError> {
        let help = "bytes of blocks that the host keeps; or give op_ratio";
        if let Some(capacity) = section.optional("user_capacity", help)? {
            if section.has("op_ratio") {
                return Err(section.reject("op_ratio", "expected either op_ratio or user_capacity, not both"));
            }
            return Ok(("user_capacity", Self::Capacity(capacity)));
        }
        let help = "space of the zones beyond the blocks that the host keeps, over these";
        let spare = section.unit("ratio").within(above(0.0).below(100.0)).or("op_ratio", SPARE, help)?;
        Ok(("op_ratio", Self::Spare(spare)))
    }
}
