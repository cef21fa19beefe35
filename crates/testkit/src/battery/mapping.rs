//! A translation layer keeps what the host wrote: with any kind of map, a plain map must agree with it.
//!
//! Whole layers are tried, on small drives with and without failing blocks, under random histories of writes, trims,
//! reads and flushes that overwrite the drive several times.

use crate::reference::{Habits, HostStep, ReferenceFtl, history};
use config::PolicyEntry;
use controller::Context;
use ftl::buffer::eviction;
use ftl::mapping::Maker;
use ftl::{Coverage, Ftl, Output, Probe};
use sim::Drive;
use units::{Lpn, Ppa};

/// Constant: number of host steps (reads, writes, trims) from which on a history counts as long in the test of
/// mappings.
const LONG: u64 = 1_000;
/// Constant in place of a request's number that the test gives to writes for whose completion no host request waits.
const NO_REQUEST: u32 = u32::MAX;
/// Constant limit on flash reads in flight in the test of mappings: the next host read waits until fewer than this
/// number are outstanding.
const READS_MOST: u32 = 4;

/// Constant that the test of mappings stores, in place of a version number, for data at a physical address that are not
/// the newest of their unit, because a newer write is already in the write buffer.
const OLDER: u64 = 0;

const SMALL: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=1",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=24",
    "nand.pages_per_block=8",
    "nand.page_size=8KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=200MT/s",
    "ftl.mapping_unit=4KiB",
    "ftl.op_ratio=1.2",
    "ftl.buffer.size=128KiB",
    "ftl.buffer.flush_after=50us",
    "ftl.buffer.power_loss_protection=false",
];

/// Type: expected contents of the flash in the test of mappings: a reference model of the logical drive, and the
/// version number of the data at each physical address, kept apart from the translation layer's own map.
struct ExpectedFlash {
    reference: ReferenceFtl,
    units: u32,
    versions: Vec<u64>,
}

impl controller::Probe for ExpectedFlash {}

impl Probe for ExpectedFlash {
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

    fn on_overtaken(&mut self, _: Lpn, new: Ppa, _: Ppa) {
        self.versions[new.index()] = OLDER;
    }

    fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        assert_eq!(Some(self.versions[ppa.index()]), self.reference.read(lpn), "{lpn} read at {ppa}");
    }
}

/// Test fixture for the test of mappings: a flash translation layer with its simulated time and the expected contents
/// of its flash.
struct MappingBench {
    ftl: Ftl,
    ctx: Context<ExpectedFlash>,
    reads: u32,
    flushed: bool,
}

impl MappingBench {
    /// Passes the next simulated event to the translation layer under test and takes the outputs that follow (read
    /// done, flush done); returns false if there is no event.
    fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        self.ftl.handle(event, &mut self.ctx);
        while let Some(output) = self.ftl.take_output() {
            match output {
                Output::Read { .. } => self.reads -= 1,
                Output::Mapped { more, .. } => self.reads += more,
                Output::Flushed { .. } => self.flushed = true,
                Output::Durable { .. } => unreachable!("no request waits for a write"),
            }
        }
        true
    }

    /// Carries out one step of the host (a read, write or trim) on the translation layer under test; returns false if a
    /// write is not accepted, because the drive is worn out or makes no progress.
    fn step(&mut self, step: HostStep) -> bool {
        match step {
            HostStep::Write { first, count } => {
                for lpn in first.0..first.0 + count {
                    while self.ftl.reserve(1) == 0 {
                        if self.ftl.is_read_only() || !self.pass() {
                            return false;
                        }
                    }
                    self.ftl.write(NO_REQUEST, Lpn(lpn), Coverage::Whole, &mut self.ctx);
                }
                self.ftl.pump(&mut self.ctx);
            }
            HostStep::Trim { first, count } => {
                self.ftl.trim(first, count, &mut self.ctx);
            }
            HostStep::Read { first, count } => {
                while self.reads >= READS_MOST && self.pass() {}
                self.reads += self.ftl.read(0, first, count, &mut self.ctx);
            }
        }
        true
    }

    /// Flushes the write buffer of the drive under test and advances simulated time until the flush is answered;
    /// returns false if it never is.
    fn flush(&mut self) -> bool {
        self.flushed = false;
        self.ftl.flush(0, &mut self.ctx);
        while let Some(output) = self.ftl.take_output() {
            self.flushed |= matches!(output, Output::Flushed { .. });
        }
        while !self.flushed && self.pass() {}
        self.flushed
    }

    /// Checks that the translation layer's map has each logical unit at the physical address of the newest version that
    /// the reference model expects; to be called after a flush, when all data are on flash.
    fn compare(&self, context: &str) {
        for lpn in (0..self.ctx.probe.units).map(Lpn) {
            let home = self.ftl.lookup(lpn);
            let held = (home != Ppa::NONE).then(|| self.ctx.probe.versions[home.index()]);
            assert_eq!(held, self.ctx.probe.reference.read(lpn), "{context}: {lpn} at {home}");
            if home != Ppa::NONE {
                assert!(self.ftl.is_valid(home), "{context}: {lpn} at {home}, which counts as invalid");
                assert_eq!(self.ftl.holder(home), lpn, "{context}: the spare area of {home}");
            }
        }
    }
}

/// Checks that a zoned drive with the mapping that `context` sets can hold all its logical units, each at a physical
/// address of its own. The behaviour of zone states is tested elsewhere (`crates/sim/tests/all/zones.rs`).
fn check_zones(context: &str) {
    let own = context.split(' ').map(|setting| format!("ftl.mapping.{setting}"));
    // A buffer for as many zones as may be open in any variant.
    let more = ["ftl.buffer.power_loss_protection=true", "ftl.buffer.size=8MiB", "ftl.mapping.max_open=2"];
    let is_kept = |line: &&str| !line.contains("power_loss") && !line.contains("buffer.size");
    let common = SMALL.iter().copied().filter(is_kept).chain(more);
    let lines: Vec<String> = common.map(str::to_owned).chain(own).collect();
    let drive = match Drive::from_resolved("zones", &lines) {
        Ok(drive) => drive,
        // A width that does not divide the dies of this drive.
        Err(error) if error.to_string().contains("expected a divisor") => return,
        Err(error) => panic!("{context}: {error}"),
    };
    let mut ftl = drive.build(1).unwrap_or_else(|error| panic!("{context}: {error}"));
    let units = ftl.layout().logical_units;
    (0..units).map(Lpn).for_each(|lpn| ftl.write_untimed(lpn));
    ftl.settle();
    let places: std::collections::HashSet<Ppa> = (0..units).map(|lpn| ftl.lookup(Lpn(lpn))).collect();
    assert!(!places.contains(&Ppa::NONE), "{context}: a unit lies nowhere");
    assert_eq!(places.len(), units as usize, "{context}: two units lie in one place");
    for lpn in (0..units).map(Lpn) {
        let home = ftl.lookup(lpn);
        assert!(ftl.is_valid(home) && ftl.holder(home) == lpn, "{context}: {lpn} at {home}");
    }
}

/// Tests a translation layer with the mapping that `context` sets (`name=fast log_blocks=4`) in random histories of
/// `steps` host steps (reads, writes, trims) on each of several small drives; a zoned drive is only filled once.
///
/// # Panics
/// When the layer loses or mixes up data that the host wrote, or makes no progress.
pub fn check(context: &str, _maker: &Maker, steps: u64) {
    if context.starts_with("name=zoned-") {
        return check_zones(context);
    }
    // Writes that wait for a lookup meet their successors in the buffer: fewer reach the flash.
    let steps = if context.starts_with("name=dftl") { steps.max(LONG) } else { steps };
    for failing in ["0.0", "0.002"] {
        for planes in ["nand.planes=1", "nand.planes=2"] {
            let own = context.split(' ').map(|setting| format!("ftl.mapping.{setting}"));
            let failing = format!("nand.bad_blocks.program_fail_ratio={failing}");
            let common = SMALL.iter().copied().chain([planes, &failing]).map(str::to_owned);
            let lines: Vec<String> = common.chain(own).collect();
            try_with(&format!("{context} {planes} {failing}"), &lines, steps);
            for cache in caches(context, steps) {
                let lines: Vec<String> = lines.iter().chain(&cache).cloned().collect();
                try_with(
                    &format!("{context} {planes} {failing} {}", cache.join(" ")),
                    &lines,
                    steps.min(LONG),
                );
            }
        }
    }
}

/// Returns lists of settings of the write buffer for the test of a mapping: one with each eviction policy, each with
/// and without read cache; only one list, of one of the policies with read cache, if the history has few `steps`.
fn caches(context: &str, steps: u64) -> Vec<Vec<String>> {
    let read_cache = || "ftl.buffer.read_cache=true".to_owned();
    let keep = || "ftl.buffer.keep_ratio=0.5".to_owned();
    let of = |entry: &PolicyEntry| format!("ftl.buffer.eviction.name={}", entry.card.name);
    let all: Vec<String> = eviction::catalogue().iter().map(of).collect();
    if steps < LONG {
        return vec![vec![all[context.len() % all.len()].clone(), keep(), read_cache()]];
    }
    all.into_iter().flat_map(|name| [vec![name.clone(), keep()], vec![name, keep(), read_cache()]]).collect()
}

fn try_with(context: &str, lines: &[String], steps: u64) {
    match Drive::from_resolved("battery", lines) {
        Ok(drive) => try_drive(context, &drive, steps),
        Err(error) => assert!(error.to_string().contains("expected"), "{context}: {error}"),
    }
}

fn try_drive(context: &str, drive: &Drive, steps: u64) {
    let ftl = match drive.build(3) {
        Ok(ftl) => ftl,
        Err(error) => {
            assert!(error.to_string().contains("cannot sustain writes"), "{context}: {error}");
            return;
        }
    };
    let units = ftl.layout().logical_units;
    let flash = ExpectedFlash {
        reference: ReferenceFtl::new(units),
        units,
        versions: vec![0; ftl.layout().physical_units()],
    };
    let mut bench = MappingBench { ftl, ctx: Context::new(flash), reads: 0, flushed: false };
    bench.ftl.begin(&mut bench.ctx);
    let habits = Habits { reads: 0.3, trims: 0.05, hot: 0.5, units_max: 12 };
    let mut alive = true;
    for (index, step) in history(units, habits, 11).take(steps as usize).enumerate() {
        alive = bench.step(step);
        let last = index as u64 + 1 == steps;
        if alive && (last || index % 500 == 499) {
            alive = bench.flush();
        }
        if !alive {
            break;
        }
        if last || index % 500 == 499 {
            bench.compare(context);
        }
    }
    let stats = bench.ftl.stats();
    if !alive {
        let failures = stats.program_failures + stats.erase_failures;
        assert!(failures > 0, "{context}: stands still: {}", bench.ftl.explain_stall());
        return;
    }
    assert!(stats.blocks_erased.iter().sum::<u64>() > 0, "{context}: nothing was ever reclaimed");
    while bench.pass() {}
    assert_eq!(bench.reads, 0, "{context}: a read was never answered");
}
