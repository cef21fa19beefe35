//! The independent account of a drive, which sees nothing of it but what is told here.

use crate::Drive;
use check::{Busy, DriveCounts, Examined, Facts, FlashShape, KeptAt, MapAtFirst, PastEvent, Promise};
use ftl::compatibility::Feature;
use ftl::snapshots::Snapshots;
use ftl::{Ftl, Seen, SuperblockState, VersionEvent, ZonedLayer};
use units::{Lpn, Ppa, SimTime};

/// Type of the independent checker of a simulated drive; its own record (account) of what the drive must contain starts
/// from the drive's logical-to-physical map at the beginning of the run.
pub(crate) type Account = check::Checker<MapThen>;

/// View of a run's drive for the checker: the flash translation layer and, only at the beginning of the run, the
/// drive's configuration.
pub(crate) struct Shown<'a> {
    ftl: &'a Ftl,
    drive: Option<&'a Drive>,
}

impl<'a> Shown<'a> {
    /// Makes the checker's view of a new drive with its configuration, before the run.
    pub fn at_first(drive: &'a Drive, ftl: &'a Ftl) -> Self {
        Self { ftl, drive: Some(drive) }
    }

    /// Makes the checker's view of a drive during its run, without the configuration.
    pub fn later(ftl: &'a Ftl) -> Self {
        Self { ftl, drive: None }
    }
}

/// Type of the copy of the drive's logical-to-physical map as it was when the checker began its own record (account) of
/// what the drive must contain.
pub(crate) struct MapThen(ftl::Beginning);

impl MapAtFirst for MapThen {
    fn lookup(&self, lpn: Lpn) -> Ppa {
        self.0.lookup(lpn)
    }

    fn living_at(&self, ppa: Ppa) -> Lpn {
        self.0.living_at(ppa)
    }

    fn each(&self, name: impl FnMut(Lpn, Ppa)) {
        self.0.each(name);
    }
}

fn shape_of(ftl: &Ftl) -> FlashShape {
    let layout = ftl.layout();
    FlashShape {
        unit_bytes: layout.unit.get(),
        dies: layout.dies,
        superblocks_per_die: layout.superblocks_per_die,
        rows: layout.rows,
        one_bit_rows: layout.slc_rows,
        row_units: layout.row_units,
        page_units: layout.units_per_page,
        planes: layout.planes,
        logical_units: layout.logical_units,
        map_units: layout.translation_units,
    }
}

impl Examined for Shown<'_> {
    type Beginning = MapThen;

    fn facts(&self) -> Facts {
        let drive = self.drive.expect("an account begins with a drive's configuration");
        let ftl = self.ftl;
        let regulation = ftl.feature::<ftl::Regulation>();
        let ways = regulation.map(ftl::Regulation::ways_to_write).unwrap_or_default();
        Facts {
            keys: drive.entries().iter().map(|entry| format!("{}={}", entry.key, entry.value)).collect(),
            shape: shape_of(ftl),
            space: drive.namespaces().space_of_flash(),
            signalling: *ftl.controller().bus().signalling(),
            ways_to_write: ways.into_iter().map(|(step, set)| (step, set.map(str::to_owned))).collect(),
            stripe: ftl.feature::<ftl::Stripes>().map(|parity| parity.stripe() + 1),
            promise: Promise {
                is_cut: drive.has_power_cuts(),
                is_protected: ftl.buffer().is_protected(),
                writes_back: ftl.buffer().is_write_back(),
                keeps_trims: drive.has(Feature::DeterministicTrim),
            },
            reads_may_fail: drive.has(Feature::FailedDie) || regulation.is_some(),
        }
    }

    fn beginning(&self) -> MapThen {
        MapThen(self.ftl.beginning())
    }

    fn changed_since(&self, beginning: &MapThen) -> Option<Vec<Lpn>> {
        self.ftl.changed_since(&beginning.0)
    }

    fn lookup(&self, lpn: Lpn) -> Ppa {
        self.ftl.lookup(lpn)
    }

    fn holder(&self, ppa: Ppa) -> Lpn {
        self.ftl.holder(ppa)
    }

    fn is_valid(&self, ppa: Ppa) -> bool {
        self.ftl.is_valid(ppa)
    }

    fn valid_units(&self) -> &[u32] {
        self.ftl.valid_units()
    }

    fn rows_programmed(&self, superblock: usize) -> u32 {
        self.ftl.array().next_row(superblock)
    }

    fn holds_one_bit(&self, superblock: usize) -> bool {
        self.ftl.holds_one_bit(superblock)
    }

    fn holds_parity(&self, superblock: usize) -> bool {
        self.ftl.superblock_states()[superblock] == SuperblockState::Owned
    }

    fn snapshots(&self) -> Option<Vec<u32>> {
        let snapshots = self.ftl.feature::<Snapshots>()?;
        Some(snapshots.kept().map(|snapshot| snapshot.serial).collect())
    }

    fn kept_at(&self, serial: u32, lpn: Lpn) -> KeptAt {
        match self.ftl.lookup_in(serial, lpn).expect("it is kept") {
            Seen::Nowhere => KeptAt::Nowhere,
            Seen::Buffered => KeptAt::Buffered,
            Seen::At(ppa) => KeptAt::Flash(ppa),
        }
    }

    fn is_read_only(&self) -> bool {
        self.ftl.is_read_only()
    }

    fn buffered(&self, lpn: Lpn) -> Option<u32> {
        self.ftl.buffer().slot_of(lpn)
    }

    fn zones(&self) -> Vec<(u32, bool)> {
        self.ftl.zones().iter().map(|zone| (zone.written, zone.is_finished)).collect()
    }

    fn is_draining(&self) -> bool {
        self.ftl.buffer().is_draining()
    }

    fn counted(&self) -> DriveCounts {
        let stats = self.ftl.stats();
        DriveCounts {
            pages_read: stats.pages_read,
            pages_programmed: stats.pages_programmed,
            units_programmed: stats.units_programmed,
            blocks_erased: stats.blocks_erased,
            bytes_written: stats.bytes_written,
            bytes_filled_up: stats.bytes_filled_up,
            units_read: stats.units_read() + stats.units_read_cut,
        }
    }

    fn busy(&self, now: SimTime) -> Busy {
        let controller = self.ftl.controller();
        Busy {
            channels: controller.channel_busy_ns(now).collect(),
            arrays: controller.array_busy_ns(now).collect(),
            work: controller.work().clone(),
            in_flight: controller.in_flight() as usize,
        }
    }
}

/// Translates an event of the translation layer's snapshots into the form in which the checker takes it.
pub(crate) fn past_event(event: VersionEvent) -> PastEvent {
    match event {
        VersionEvent::Taken { serial } => PastEvent::Taken(serial),
        VersionEvent::Recorded { serial } => PastEvent::Recorded(serial),
        VersionEvent::Dropped { serial } => PastEvent::Dropped(serial),
        VersionEvent::RolledBack { serial } => PastEvent::RolledBack(serial),
        VersionEvent::Buffered { lpn, slot } => PastEvent::Buffered(lpn, slot),
        VersionEvent::Programmed { lpn, slot, ppa } => PastEvent::Programmed(lpn, slot, ppa),
        VersionEvent::Moved { lpn, old, new } => PastEvent::Moved(lpn, old, new),
        VersionEvent::Returned { lpn, old, new } => PastEvent::Returned(lpn, old, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use check::Measured;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Makes a drive for a test: its logical units were written in order, so that the logical-to-physical map follows a
    /// rule and needs no arrays, and some units were then overwritten.
    fn filled() -> (Drive, Ftl) {
        let settings = ["nand.blocks_per_plane=64", "ftl.op_ratio=0.5"].map(str::to_owned);
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let drive =
            Drive::load(&Catalogue::new([root]), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
        let mut ftl = drive.build(1).expect("the drive can be built");
        assert!(ftl.write_in_order(Lpn(0), 1 << 20) > 10_000);
        assert!((0..20).all(|lpn| ftl.try_write_untimed(Lpn(lpn * 7))));
        (drive, ftl)
    }

    /// Test: changes a drive's logical-to-physical map without telling the checker, where the map follows a rule and
    /// where it is stored in arrays: the checker must find each change, and accept an unchanged drive.
    #[test]
    fn a_drive_that_changes_unseen_is_found_out() {
        for has_arrays in [false, true] {
            let changes: [&dyn Fn(&mut Ftl); 3] =
                [&|_| (), &|ftl| ftl.trim_untimed(Lpn(3)), &|ftl| assert!(ftl.try_write_untimed(Lpn(3)))];
            let found = changes.map(|change| {
                let (drive, mut ftl) = filled();
                let account = Account::new(&Shown::at_first(&drive, &ftl), Measured::AtOnce).unwrap();
                if has_arrays {
                    ftl.make_arrays();
                }
                // What a drive writes without time, it counts: the map alone is at stake.
                change(&mut ftl);
                catch_unwind(AssertUnwindSafe(|| account.settle_map(&Shown::later(&ftl)))).is_err()
            });
            assert_eq!(found, [false, true, true], "arrays: {has_arrays}");
        }
    }
}
