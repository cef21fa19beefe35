//! What all kinds of mapping share that know zones only: how large zones are, how many of them may be written at a time, what
//! the firmware takes for them, and where a part of one lies.

use super::{MappingKind, Misfit, Plan};
use crate::Layout;
use config::{ConfigError, Section, at_least};
use units::{Bytes, Nanos};

/// Zones that may be open at once unless a drive says otherwise.
const OPEN: u32 = 14;

/// Time that the firmware takes for commands on zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneTimes {
    /// For a write or an append; they run one after the other, because one firmware keeps all pointers.
    pub write: Nanos,
    /// See `write`.
    pub append: Nanos,
    /// Firmware time for opening or closing a zone, or finishing an empty or full zone.
    pub manage: Nanos,
    /// For a reset, also of an empty zone.
    pub reset: Nanos,
    /// Additional time of a reset for each mapping unit of the zone that the host wrote.
    pub reset_unit: Nanos,
}

/// Zones as a drive file describes them.
#[derive(Clone, Debug)]
pub struct ZoneSettings {
    /// Bytes from the start of a zone to the start of the next; none: as many as its capacity.
    size: Option<Bytes>,
    /// Bytes of a zone that can be written; none: the bytes of one superblock on each of its dies.
    capacity: Option<Bytes>,
    /// Zones that can be open at once.
    pub open_most: u32,
    /// Zones that can be active at once.
    pub active_most: u32,
    /// True if a read of blocks that were never written gives zeros; false if such a read fails.
    pub reads_unwritten: bool,
    /// Time that the firmware takes for commands.
    pub times: ZoneTimes,
}

impl ZoneSettings {
    /// Reads what every kind of zoned mapping has.
    ///
    /// # Errors
    /// When a value cannot be.
    pub(super) fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let size = section
            .optional("zone_size", "from the start of a zone to that of the next; else its capacity")?;
        let help = "bytes of a zone that can be written; else what one superblock of each of its dies holds";
        let capacity = section.optional("zone_capacity", help)?;
        let help = "zones that can be open at once";
        let open_most = section.within(at_least(1u32)).or("max_open", OPEN, help)?;
        let help = "zones that can be active, open or closed with data, at once";
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

    /// Returns the mapping units from the start of a zone to the start of the next, and mapping units of it
    /// that can be written.
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

/// A drive's zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zoning {
    /// Number of zones of the drive.
    pub count: u32,
    /// Mapping units from the start of a zone to that of the next.
    pub size: u64,
    /// Mapping units of a zone that can be written.
    pub capacity: u32,
    /// Dies over which a part of a zone lies.
    pub width: u32,
    /// Zones that can be open, and active, at once.
    pub open_most: u32,
    /// See `open_most`.
    pub active_most: u32,
    /// True if a read of blocks that were never written gives zeros; false if such a read fails.
    pub reads_unwritten: bool,
    /// Times that the firmware takes for zone commands.
    pub times: ZoneTimes,
}

/// The information for placing a part of a zone, which needs a superblock on each die of a group of neighbours.
#[derive(Clone, Copy, Debug)]
pub struct ZoneView<'a> {
    /// Number of the zone to be placed.
    pub zone: u32,
    /// Number of the part to be placed, within its zone.
    pub part: u32,
    /// Parts that each group of dies could take now.
    pub free: &'a [u32],
    /// Parts of zones, on each group, that are not full yet.
    pub being_written: &'a [u32],
}

/// A kind of mapping that knows zones only: says where a zone lies; the layer puts it there.
pub trait ZoneRules: Send {
    /// Returns the zone settings of a drive file.
    fn settings(&self) -> &ZoneSettings;

    /// Returns the dies over which a part of a zone lies, on a drive of `dies`; a divisor of that.
    ///
    /// # Errors
    /// When the kind cannot work with so many dies.
    fn width(&self, dies: u32) -> Result<u32, Misfit>;

    /// True: all parts of a zone are taken when it is first written, and padded when it is finished; false: each part
    /// when it is reached.
    fn takes_all(&self) -> bool;

    /// Returns the group of dies on which a part is placed; if it has no room yet, the part waits for it.
    fn group(&self, view: &ZoneView<'_>) -> u32;
}

/// Reads over how many dies a zone lies.
pub(super) fn read_dies(section: &mut Section) -> Result<u32, ConfigError> {
    section.within(at_least(1u32)).or("dies", 1u32, "neighbouring dies over which a part of a zone lies")
}

/// Returns the given width, if it divides the number of dies.
pub(super) fn divisor(width: u32, dies: u32) -> Result<u32, Misfit> {
    match dies.is_multiple_of(width) {
        true => Ok(width),
        false => Err(("dies", format!("expected a divisor of the {dies} dies of the drive"))),
    }
}

/// A kind of zoned mapping, as the list of all kinds of mapping has it.
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

/// Returns [`MappingKind::fit`] of every zoned kind.
pub(super) fn fit(rules: &impl ZoneRules, layout: &mut Layout) -> Result<(), Misfit> {
    let width = rules.width(layout.dies)?;
    rules.settings().fit(layout, width)
}

/// Returns [`MappingKind::plan`] of every zoned kind.
///
/// # Panics
/// When the kind does not fit the layout.
pub(super) fn plan(rules: impl ZoneRules + 'static, layout: &Layout) -> Plan {
    let settings = rules.settings();
    let width = rules.width(layout.dies).expect("the kind was found to fit");
    let (size, capacity) = settings.units(layout, width);
    let zoning = Zoning {
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

/// Returns the zones of a kind of mapping on a drive of this layout; none where it knows no zones.
pub(crate) fn of(kind: &dyn MappingKind, layout: &Layout) -> Option<Zoning> {
    match kind.plan(layout) {
        Plan::Zones(zoning, _) => Some(zoning),
        Plan::Pages(_) | Plan::Blocks(_) => None,
    }
}
