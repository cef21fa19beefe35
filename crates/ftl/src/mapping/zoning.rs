//! What all kinds of mapping share that know zones only: how large zones are, how many of them may be written at a time, what
//! the firmware takes for them, and where a part of one lies.

use super::{MappingKind, Misfit, Plan};
use crate::Layout;
use config::{ConfigError, Section, at_least};
use units::{Bytes, Lpn, Nanos};

/// Constant: default of the number of zones that can be open at one time.
const OPEN: u32 = 14;

/// Set of settings: firmware times of the commands on zones (write, append, open, close, finish, reset), which add to
/// the flash's own time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneTimes {
    /// Setting: firmware time of a write command to a zone. The times of writes and appends to all zones add up, one
    /// after the other, because one firmware processor updates all write pointers.
    pub write: Nanos,
    /// Setting: firmware time of a zone append command. The times of writes and appends to all zones add up, one after
    /// the other, because one firmware processor updates all write pointers.
    pub append: Nanos,
    /// Setting: firmware time for opening, closing or finishing a zone.
    pub manage: Nanos,
    /// Setting: firmware time of a zone reset, including the reset of an empty zone.
    pub reset: Nanos,
    /// Setting: additional firmware time of a zone reset for each mapping unit of the zone that the host wrote.
    pub reset_unit: Nanos,
}

/// Set of zone settings as a drive file gives them in `[ftl.mapping]`.
#[derive(Clone, Debug)]
pub struct ZoneSettings {
    /// Setting: zone size: bytes from the start of a zone to the start of the next; none: equal to the zone capacity.
    size: Option<Bytes>,
    /// Setting: zone capacity: bytes of a zone that can be written; none: the bytes of one superblock on each of the
    /// zone's dies.
    capacity: Option<Bytes>,
    /// Setting: greatest number of zones that can be open at one time.
    pub open_most: u32,
    /// Setting: greatest number of zones that can be active (open, or closed with data) at one time.
    pub active_most: u32,
    /// Setting: true if a read of logical blocks in a zone that were never written returns zeros; false if such a read
    /// fails.
    pub reads_unwritten: bool,
    /// Setting: firmware times of the commands on zones (write, append, open, close, finish, reset).
    pub times: ZoneTimes,
}

impl ZoneSettings {
    /// Parses the zone settings that all kinds of zoned mapping share from the section of a drive file.
    ///
    /// # Errors
    /// When a value is not allowed.
    pub(super) fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let size = section
            .optional("zone_size", "from the start of a zone to that of the next; else its capacity")?;
        let help = "bytes of a zone that can be written; else what one superblock of each of its dies holds";
        let capacity = section.optional("zone_capacity", help)?;
        let help = "zones that can be open at once, over all namespaces";
        let open_most = section.within(at_least(1u32)).or("max_open", OPEN, help)?;
        let help = "zones that can be active, open or closed with data, at once, over all namespaces";
        let active_most = section.within(at_least(1u32)).or("max_active", open_most, help)?;
        if active_most < open_most {
            return Err(
                section.reject("max_active", &format!("expected max_open, which is {open_most}, or more"))
            );
        }
        let help = "reads of blocks that were never written give zeros; else an error";
        let reads_unwritten = section.or("reads_unwritten", true, help)?;
        let mut time = |key: &'static str, help: &'static str| section.or(key, Nanos::ZERO, help);
        let times = ZoneTimes {
            write: time("t_write", "time of the firmware for a write, one after the other over all zones")?,
            append: time("t_append", "the same for an append")?,
            manage: time("t_manage", "time of the firmware to open, close or finish a zone")?,
            reset: time("t_reset", "time of the firmware to reset a zone")?,
            reset_unit: time("t_reset_unit", "and for each mapping unit of it that the host wrote")?,
        };
        Ok(Self { size, capacity, open_most, active_most, reads_unwritten, times })
    }

    /// Returns the zone size and the zone capacity in mapping units, where a zone extends over `width` dies.
    fn units(&self, layout: &Layout, width: u32) -> (u64, u64) {
        let unit = layout.unit.get();
        let usual = u64::from(width) * u64::from(layout.superblock_units);
        let capacity = self.capacity.map_or(usual, |bytes| bytes.get() / unit);
        (self.size.map_or(capacity, |bytes| bytes.get() / unit), capacity)
    }

    fn fit(&self, layout: &mut Layout, width: u32) -> Result<(), Misfit> {
        let (unit, program) = (layout.unit.get(), u64::from(layout.program_units));
        let (size, capacity) = self.units(layout, width);
        let whole = |bytes: Option<Bytes>, of: u64| bytes.is_none_or(|bytes| bytes.get().is_multiple_of(of));
        if capacity == 0 || !capacity.is_multiple_of(program) || !whole(self.capacity, unit) {
            let expected =
                format!("expected a multiple of {} bytes, what one program writes", program * unit);
            return Err(("zone_capacity", expected));
        }
        if size < capacity || !whole(self.size, unit) {
            let expected = format!(
                "expected a multiple of {unit} bytes, and the capacity of {} or more",
                capacity * unit
            );
            return Err(("zone_size", expected));
        }
        let zones = u64::from(layout.logical_units) / capacity;
        if zones == 0 {
            let expected =
                format!("expected at most the {} bytes that the host sees", layout.capacity().get());
            return Err(("zone_capacity", expected));
        }
        // What is less than a zone the host does not see.
        layout.logical_units = (zones * capacity) as u32;
        Ok(())
    }
}

/// Set of settings of the zones of a drive: their number, sizes and limits, and the firmware times of commands on
/// zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zoning {
    /// Number of logical units of the drive before its first zone, which are mapped one by one: those of its namespaces
    /// without zones.
    pub beside: u32,
    /// Number of zones of the drive.
    pub count: u32,
    /// Number of mapping units from the start of a zone to the start of the next (zone size).
    pub size: u64,
    /// Number of mapping units of a zone that can be written (zone capacity).
    pub capacity: u32,
    /// Number of dies over which each part of a zone extends; a part has one superblock on each of these dies.
    pub width: u32,
    /// Setting of the zones of the drive: greatest number of zones that can be open at one time.
    pub open_most: u32,
    /// Setting of the zones of the drive: greatest number of zones that can be active (open, or closed with data) at
    /// one time.
    pub active_most: u32,
    /// Setting of the zones of the drive: true if a read of logical blocks in a zone that were never written returns
    /// zeros; false if such a read fails.
    pub reads_unwritten: bool,
    /// Setting of the zones of the drive: firmware times of the commands on zones (write, append, open, close, finish,
    /// reset).
    pub times: ZoneTimes,
}

impl Zoning {
    /// Returns true if the drive has namespaces without zones, whose units are mapped one by one.
    #[inline]
    pub(crate) fn has_pages(&self) -> bool {
        self.beside > 0
    }

    /// Returns true if logical unit `lpn` lies before the first zone: it belongs to a namespace without zones, and is
    /// mapped one by one.
    #[inline]
    pub(crate) fn is_paged(&self, lpn: Lpn) -> bool {
        lpn.0 < self.beside
    }

    /// Returns the zone of a logical unit, and the number of the unit within the zone.
    #[inline]
    pub(crate) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let unit = lpn.0 - self.beside;
        (unit / self.capacity, unit % self.capacity)
    }

    /// Returns the logical unit that is number `at` of a zone.
    #[inline]
    pub(crate) fn unit_of(&self, zone: u32, at: u32) -> Lpn {
        Lpn(self.beside + zone * self.capacity + at)
    }

    /// Returns the number of write buffer slots that must remain beside the data of zones that wait until their program
    /// units are full: 1, for the next unit of any zone, or `program` (units of a program) on a drive that also has
    /// units outside of zones.
    pub(crate) fn slots_beside(&self, program: u32) -> u32 {
        if self.has_pages() { program } else { 1 }
    }

    /// Returns these settings with the first zone behind `beside` logical units that are mapped one by one, on a drive
    /// of `logical` logical units: the number of zones is what fits into the rest.
    pub(crate) fn behind(self, beside: u32, logical: u32) -> Self {
        Self { beside, count: (logical - beside) / self.capacity, ..self }
    }
}

/// Record of the state of the drive that the rules of a zoned mapping are shown to place a part of a zone: one
/// superblock on each die of a group of neighbouring dies.
#[derive(Clone, Copy, Debug)]
pub struct ZoneView<'a> {
    /// Number of the zone of which the rules of the mapping are to place a part on dies.
    pub zone: u32,
    /// Number, counted within the zone from 0, of the part that the rules of the mapping are to place on dies.
    pub part: u32,
    /// For each group of dies, the number of zone parts that it could take now, by its free superblocks.
    pub free: &'a [u32],
    /// For each group of dies, the number of zones whose next program goes to this group: zones with program units
    /// left to program that have superblocks there.
    pub being_written: &'a [u32],
}

/// Trait of the rules of a zoned mapping: they choose the dies on which the parts of a zone are placed.
pub trait ZoneRules: Send {
    /// Returns the zone settings that the drive file gives.
    fn settings(&self) -> &ZoneSettings;

    /// Returns the number of dies over which each part of a zone extends, on a drive of `dies` dies; it divides `dies`.
    ///
    /// # Errors
    /// When the kind cannot work with so many dies.
    fn width(&self, dies: u32) -> Result<u32, Misfit>;

    /// Returns true if a zone allocates the superblocks of all its parts at its first write, and is padded to its end
    /// when it is finished; false if it allocates the superblocks of each part when the write pointer reaches the part.
    fn takes_all(&self) -> bool;

    /// Returns the number of the group of dies on which the part of a zone in `view` is placed; if the group has no
    /// free superblocks yet, the part waits for them.
    fn group(&self, view: &ZoneView<'_>) -> u32;
}

/// Parses the configuration key `dies`, the number of neighbouring dies over which a part of a zone extends, and
/// returns that number.
pub(super) fn read_dies(section: &mut Section) -> Result<u32, ConfigError> {
    section.within(at_least(1u32)).or("dies", 1u32, "neighbouring dies over which a part of a zone lies")
}

/// Returns `width` if it divides the number of dies, else an error for the configuration key `dies`.
pub(super) fn divisor(width: u32, dies: u32) -> Result<u32, Misfit> {
    match dies.is_multiple_of(width) {
        true => Ok(width),
        false => Err(("dies", format!("expected a divisor of the {dies} dies of the drive"))),
    }
}

/// Macro that implements `MappingKind` for a kind of zoned mapping.
macro_rules! zoned_kind {
    ($kind:ty) => {
        impl $crate::mapping::MappingKind for $kind {
            fn fit(&self, layout: &mut $crate::Layout) -> Result<(), $crate::mapping::Misfit> {
                $crate::mapping::zoning::fit(self, layout)
            }

            fn plan(&self, layout: &$crate::Layout) -> $crate::mapping::Plan {
                $crate::mapping::zoning::plan(self.clone(), layout)
            }
        }
    };
}
pub(super) use zoned_kind;

/// Checks that a zoned mapping fits the layout, and cuts the logical units to whole zones: [`MappingKind::fit`] of
/// every zoned mapping.
pub(super) fn fit(rules: &impl ZoneRules, layout: &mut Layout) -> Result<(), Misfit> {
    let width = rules.width(layout.dies)?;
    rules.settings().fit(layout, width)
}

/// Makes the plan of the flash translation layer for a drive with zones, with the rules that place the zones:
/// [`MappingKind::plan`] of every zoned mapping.
///
/// # Panics
/// When the kind does not fit the layout.
pub(super) fn plan(rules: impl ZoneRules + 'static, layout: &Layout) -> Plan {
    let settings = rules.settings();
    let width = rules.width(layout.dies).expect("the kind was found to fit");
    let (size, capacity) = settings.units(layout, width);
    let zoning = Zoning {
        beside: 0,
        count: layout.logical_units / capacity as u32,
        size,
        capacity: capacity as u32,
        width,
        open_most: settings.open_most,
        active_most: settings.active_most,
        reads_unwritten: settings.reads_unwritten,
        times: settings.times,
    };
    Plan::Zones(zoning, Box::new(rules))
}

/// Returns the settings of the zones of a mapping on a drive of this layout; none for a mapping without zones.
pub(crate) fn of(kind: &dyn MappingKind, layout: &Layout) -> Option<Zoning> {
    match kind.plan(layout) {
        Plan::Zones(zoning, _) => Some(zoning),
        Plan::Pages(_) | Plan::Blocks(_) => None,
    }
}
