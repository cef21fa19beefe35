//! Snapshots of the logical drive against the reference: random histories of writes, trims, reads, flushes, snapshots,
//! deletions and rollbacks, on drives with and without failing blocks, with each kind of buffer; what a snapshot sees
//! must be what a whole copy of the plain map, made at its moment, holds.

use controller::Context;
use engine::RandomStream;
use ftl::snapshots::Snapshots;
use ftl::{Act, Coverage, Ftl, Output, Probe, Seen, VersionEvent};
use sim::Drive;
use std::collections::BTreeMap;
use testkit::reference::{Habits, HostStep, ReferenceFtl, history};
use units::{Lpn, Ppa};

const SMALL: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=1",
    "nand.cell=slc",
    "nand.planes=2",
    "nand.blocks_per_plane=24",
    "nand.pages_per_block=8",
    "nand.page_size=8KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=200MT/s",
    "ftl.op_ratio=1.2",
    "ftl.buffer.size=128KiB",
    "ftl.buffer.flush_after=50us",
    "ftl.buffer.power_loss_protection=false",
    "ftl.snapshots.at=8760h",
    "ftl.snapshots.keep=5",
];

/// Type of the expected contents of the flash in the snapshot test: version numbers, kept apart from the FTL's own map.
struct Flash {
    reference: ReferenceFtl,
    versions: Vec<u64>,
    /// Map from each slot of the write buffer (space for one mapping unit) to the version number of the unit in it.
    slots: BTreeMap<u32, u64>,
    /// Map from the serial number of each snapshot to a copy of the reference model at the time of the snapshot.
    copies: BTreeMap<u32, ReferenceFtl>,
    units: u32,
}

impl controller::Probe for Flash {}

impl Probe for Flash {
    fn on_host_write(&mut self, lpn: Lpn) {
        self.reference.write(lpn);
    }

    fn on_trim(&mut self, lpn: Lpn, _: Ppa) {
        self.reference.trim(lpn);
    }

    fn on_commit(&mut self, lpn: Lpn, new: Ppa, _: Ppa) {
        if lpn.0 < self.units {
            self.versions[new.index()] = self.reference.read(lpn).expect("what was trimmed is not written");
        }
    }

    fn on_moved(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if lpn.0 < self.units {
            self.versions[new.index()] = self.versions[old.index()];
        }
    }

    fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        assert_eq!(Some(self.versions[ppa.index()]), self.reference.read(lpn), "{lpn} read at {ppa}");
    }

    fn on_version(&mut self, event: VersionEvent) {
        match event {
            VersionEvent::Taken { serial } => {
                self.copies.insert(serial, self.reference.clone());
            }
            VersionEvent::Dropped { serial } => {
                self.copies.remove(&serial).expect("it was taken");
            }
            VersionEvent::Buffered { lpn, slot } => {
                self.slots.insert(slot, self.reference.read(lpn).expect("it was just written"));
            }
            VersionEvent::Programmed { slot, ppa, .. } => self.versions[ppa.index()] = self.slots[&slot],
            VersionEvent::Moved { old, new, .. } => self.versions[new.index()] = self.versions[old.index()],
            VersionEvent::Returned { .. } | VersionEvent::Recorded { .. } => {}
            VersionEvent::RolledBack { serial } => {
                let copy = self.copies[&serial].clone();
                self.reference.put_back(&copy);
            }
        }
    }
}

struct Bench {
    ftl: Ftl,
    ctx: Context<Flash>,
    random: RandomStream,
    flushed: bool,
}

impl Bench {
    fn new(drive: &Drive, seed: u64) -> Self {
        let ftl = drive.build(seed).unwrap_or_else(|error| panic!("{error}"));
        let units = ftl.layout().logical_units;
        let flash = Flash {
            reference: ReferenceFtl::new(units),
            versions: vec![0; ftl.layout().physical_units()],
            slots: BTreeMap::new(),
            copies: BTreeMap::new(),
            units,
        };
        let random = RandomStream::new(seed, "snapshots");
        let mut bench = Self { ftl, ctx: Context::new(flash), random, flushed: false };
        bench.ftl.begin(&mut bench.ctx);
        bench
    }

    fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        self.ftl.handle(event, &mut self.ctx);
        while let Some(output) = self.ftl.take_output() {
            self.flushed |= matches!(output, Output::Flushed { .. });
        }
        true
    }

    /// Carries out a step of the host (write, trim or read); writes that the FTL refuses are left out. Returns false
    /// when the drive takes no more writes.
    fn step(&mut self, step: HostStep) -> bool {
        match step {
            HostStep::Write { first, count } => {
                for lpn in (first.0..first.0 + count).map(Lpn) {
                    while self.ftl.reserve(1) == 0 {
                        self.ftl.pump(&mut self.ctx);
                        if self.ftl.is_read_only() || !self.pass() {
                            return false;
                        }
                    }
                    if !self.ftl.refuses(lpn, &mut self.ctx) {
                        let part = Coverage::Part { from: 0, bytes: 512 };
                        let coverage = if self.random.chance(0.8) { Coverage::Whole } else { part };
                        self.ftl.write(u32::MAX, lpn, coverage, &mut self.ctx);
                    }
                }
                self.ftl.pump(&mut self.ctx);
            }
            HostStep::Trim { first, count } => {
                self.ftl.trim(first, count, &mut self.ctx);
            }
            HostStep::Read { first, count } => {
                self.ftl.read(0, first, count, &mut self.ctx);
            }
        }
        true
    }

    /// Takes, at random and seldom, a snapshot, deletes any one snapshot, or rolls the drive back to the newest.
    fn intervene(&mut self) {
        let draw = self.random.unit();
        if draw < 0.02 {
            self.ftl.act(Act::Keep, &mut self.ctx);
        } else if draw < 0.026 {
            let kept: Vec<u32> = self.ctx.probe.copies.keys().copied().collect();
            if !kept.is_empty() {
                let serial = kept[self.random.below(kept.len() as u64) as usize];
                assert_eq!(self.ftl.act(Act::Drop(serial), &mut self.ctx), Some(serial));
            }
        } else if draw < 0.03 {
            self.ftl.act(Act::Return, &mut self.ctx);
        }
    }

    /// Flushes the write buffer and advances time until the flush is answered and the buffer drained; false if that
    /// never happens.
    fn settle(&mut self) -> bool {
        self.flushed = false;
        self.ftl.flush(0, &mut self.ctx);
        while let Some(output) = self.ftl.take_output() {
            self.flushed |= matches!(output, Output::Flushed { .. });
        }
        while (!self.flushed || self.ftl.buffer().is_draining()) && self.pass() {}
        self.flushed && !self.ftl.buffer().is_draining()
    }

    /// Checks that drive and snapshots map each unit to the expected version, and that no other unit on flash is valid.
    fn compare(&self, context: &str) {
        let mut valid = vec![false; self.ctx.probe.versions.len()];
        let mut check = |lpn: Lpn, home: Ppa, expected: Option<u64>, of: &str| {
            let held = (home != Ppa::NONE).then(|| self.ctx.probe.versions[home.index()]);
            assert_eq!(held, expected, "{context}: {lpn} of {of} at {home}");
            if home != Ppa::NONE {
                assert!(self.ftl.is_valid(home), "{context}: {lpn} of {of} at {home} counts as invalid");
                assert_eq!(self.ftl.holder(home), lpn, "{context}: the spare area of {home}");
                valid[home.index()] = true;
            }
        };
        for lpn in (0..self.ctx.probe.units).map(Lpn) {
            check(lpn, self.ftl.lookup(lpn), self.ctx.probe.reference.read(lpn), "the drive");
            for (serial, copy) in &self.ctx.probe.copies {
                let home = match self.ftl.lookup_in(*serial, lpn).expect("it is kept") {
                    Seen::Nowhere => Ppa::NONE,
                    Seen::At(ppa) => ppa,
                    Seen::Buffered => panic!("{context}: {lpn} of snapshot {serial} is in the buffer"),
                };
                check(lpn, home, copy.read(lpn), "a snapshot");
            }
        }
        for unit in self.ctx.probe.units..self.ftl.layout().written_units() as u32 {
            let home = self.ftl.lookup(Lpn(unit));
            if home != Ppa::NONE {
                valid[home.index()] = true;
            }
        }
        let count = (0..valid.len()).filter(|&ppa| self.ftl.is_valid(Ppa(ppa as u64))).count();
        assert_eq!(count, valid.iter().filter(|valid| **valid).count(), "{context}: valid units");
    }
}

fn try_history(settings: &[&str], steps: usize, seed: u64) {
    let context = format!("{settings:?} seed {seed}");
    let lines: Vec<String> = SMALL.iter().chain(settings).map(|line| (*line).to_owned()).collect();
    let drive = Drive::from_resolved("snapshots", &lines).unwrap_or_else(|error| panic!("{error}"));
    let mut bench = Bench::new(&drive, seed);
    let habits = Habits { reads: 0.2, trims: 0.08, hot: 0.5, units_max: 12 };
    let units = bench.ctx.probe.units;
    for (index, step) in history(units, habits, seed).take(steps).enumerate() {
        let mut alive = bench.step(step);
        bench.intervene();
        if alive && index % 250 == 249 {
            alive = bench.settle();
            if alive {
                bench.compare(&context);
            }
        }
        if !alive {
            let failures = bench.ftl.stats().program_failures + bench.ftl.stats().erase_failures;
            assert!(failures > 0, "{context}: stands still: {}", bench.ftl.explain_stall());
            return;
        }
    }
    let counts = bench.ftl.feature::<Snapshots>().expect("the drive takes snapshots").counts;
    assert!(
        counts.taken > 20 && counts.rollbacks.done > 2 && counts.units_moved > 0,
        "{context}: {counts:?}"
    );
    if settings.contains(&"ftl.snapshots.when_full=refuse-writes") {
        assert_eq!(counts.dropped_full, 0, "{context}");
        assert!(counts.units_refused > 0, "{context}: {counts:?}");
    } else {
        assert_eq!(counts.units_refused + counts.trims_ignored, 0, "{context}");
    }
}

#[test]
fn every_snapshot_is_a_copy_made_at_its_moment() {
    try_history(&[], 4_000, 1);
    try_history(&["ftl.snapshots.space_ratio=1.0"], 4_000, 2);
    try_history(&["ftl.snapshots.keep=1", "ftl.streams.name=mixed"], 4_000, 3);
    try_history(&["ftl.buffer.write_back=false", "ftl.gc.victim.name=fifo"], 4_000, 4);
}

#[test]
fn caches_keep_what_a_snapshot_sees() {
    try_history(&["ftl.buffer.eviction.name=lru"], 4_000, 5);
    try_history(&["ftl.buffer.eviction.name=cflru", "ftl.buffer.read_cache=true"], 4_000, 6);
    try_history(&["ftl.buffer.eviction.name=bplru", "ftl.buffer.keep_ratio=1.0"], 4_000, 7);
}

#[test]
fn failing_blocks_take_no_snapshot_along() {
    for seed in 8..12 {
        try_history(&["nand.bad_blocks.program_fail_ratio=0.001"], 3_000, seed);
    }
}

#[test]
fn snapshots_that_may_not_be_dropped_make_writes_fail() {
    try_history(&["ftl.snapshots.when_full=refuse-writes", "ftl.snapshots.space_ratio=0.4"], 4_000, 12);
    let cached = "ftl.buffer.eviction.name=lru";
    try_history(
        &["ftl.snapshots.when_full=refuse-writes", "ftl.snapshots.space_ratio=0.4", cached],
        4_000,
        13,
    );
}
