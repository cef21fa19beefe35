//! Does collection keep what the invariants say of it: never wait for itself, pace the host, keep its victim, lose
//! nothing where blocks fail? The layer alone, unit by unit, on drives small enough to count by hand.

use crate::common::bench::{Bench, with_policies};
use crate::common::drive;
use controller::{Class, Kind, Origin, Transaction};
use engine::RandomStream;
use ftl::gc::victim::{VictimPolicy, VictimView};
use ftl::placement::{PlacementPolicy, PlacementView};
use ftl::{FtlConfig, SuperblockState};
use std::sync::{Arc, Mutex};
use units::SuperblockId;

/// Constant: settings of a test drive with one die of 16 superblocks with 32 units each, where a program takes one unit
/// and idle dies collect nothing.
const ONE_DIE: &[&str] = &[
    "geometry.channels=1",
    "geometry.ways=1",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=16",
    "nand.pages_per_block=32",
    "nand.page_size=4KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=200MT/s",
    "ftl.gc.trigger.background=false",
    "ftl.buffer.size=64KiB",
    "ftl.user_capacity=1360KiB",
];
const SUPERBLOCKS: u32 = 16;
const UNITS: u32 = 32;
/// Constant: number of logical units of the one-die test drive (1360 KiB of 4 KiB units).
const LOGICAL: u32 = 340;

/// Returns the settings of the one-die test drive, with the settings `more` in place of those with the same key, or in
/// addition.
pub fn one_die<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let key = |line: &str| line.split('=').next().map(str::to_owned);
    let kept = ONE_DIE.iter().filter(|line| !more.iter().any(|other| key(other) == key(line)));
    kept.chain(more).copied().collect()
}

/// Writes the first `units` logical units of a test drive, each once, in order.
fn fill(bench: &mut Bench, units: u32) {
    for lpn in 0..units {
        assert!(bench.write(lpn));
    }
}

// ---- room ------------------------------------------------------------------------------------------------------------

/// Checks the quota of a die: the host's data fill at most 11 of its 16 superblocks, as two are free when collection
/// begins, one is open for the host, one for moved data, and one is to gain from.
#[test]
fn the_hosts_data_on_a_die_are_bounded() {
    let quota = (SUPERBLOCKS - 5) * UNITS;
    let mut bench = Bench::new(&one_die(&["geometry.channels=2", "ftl.user_capacity=2640KiB"]));
    let logical = 660;
    fill(&mut bench, logical);
    let mut random = RandomStream::new(3, "skew");
    let mut most = 0;
    for _ in 0..4_000 {
        let lpn = random.below(u64::from(logical)) as u32;
        if bench.home_of(lpn) >= SUPERBLOCKS {
            assert!(bench.write(lpn));
        }
        most = most.max(bench.valid(0));
        assert!(bench.valid(0) <= quota, "{} valid units of {quota}", bench.valid(0));
    }
    assert_eq!(most, quota, "it was never full, and nothing was tried");
}

/// Returns the least number of units of victims that still need a new place: their valid units, which include units
/// whose program is in flight, less those programs.
fn in_hand(bench: &Bench) -> u32 {
    let of_victims = |(state, valid): (&SuperblockState, &u32)| match state {
        SuperblockState::Victim => *valid,
        _ => 0,
    };
    let valid: u32 = bench.ftl.superblock_states().iter().zip(bench.ftl.valid_units()).map(of_victims).sum();
    let moved = |it: &&Transaction| it.kind == Kind::Program && it.class == Class::InternalProgram;
    let queued = bench.ctx.probe.submitted.iter().filter(moved).count();
    let over = bench.ctx.probe.finished.iter().filter(moved).count();
    valid.saturating_sub((queued - over) as u32)
}

/// Returns the number of units that still fit into the open superblock of moved data.
fn left_for_moving(bench: &Bench) -> u32 {
    let last = bench.ctx.probe.submitted.iter().rfind(|it| it.class == Class::InternalProgram);
    last.map_or(0, |it| UNITS - 1 - it.row)
}

/// Overwrites a full test drive at random. Returns, for each superblock that the host opens, the free superblocks, and
/// the units for which there is room once all victims are moved and erased.
fn left_when_the_host_opens(more: &[&str]) -> Vec<(u32, u32)> {
    let mut bench =
        Bench::new(&one_die(&[&["controller.program_queue=64", "ftl.gc.trigger.low=1"], more].concat()));
    let logical = bench.ftl.layout().logical_units;
    let mut random = RandomStream::new(5, "overwrites");
    fill(&mut bench, logical);
    let mut left = Vec::new();
    for _ in 0..8_000 {
        let before = bench.ctx.probe.submitted.len();
        assert!(bench.write(random.below(u64::from(logical)) as u32), "{}", bench.ftl.explain_stall());
        let opens = |it: &Transaction| it.class == Class::HostProgram && it.row == 0;
        if bench.ctx.probe.submitted[before..].iter().any(opens) {
            let free = bench.count(0, &[SuperblockState::Free]);
            let coming = bench.count(0, &[SuperblockState::Victim, SuperblockState::Erasing]);
            left.push((free, left_for_moving(&bench) + (free + coming) * UNITS - in_hand(&bench)));
        }
    }
    assert!(left.len() > 200, "{}", left.len());
    left
}

#[test]
fn a_drive_that_could_not_collect_is_refused_with_the_ratio_that_would_do() {
    let build = |op_ratio: &str| {
        let settings: Vec<&str> = ONE_DIE.iter().copied().filter(|line| !line.contains("capacity")).collect();
        drive(&[&settings[..], &[&format!("ftl.op_ratio={op_ratio}")]].concat()).build(1).map(|_| ())
    };
    let error = build("0.4").expect_err("refused").to_string();
    // 512 units over 1.4; of the 16 superblocks 5 are kept, and one program unit of the rest.
    assert!(error.contains("sees 365 mapping units") && error.contains("room for 351"), "{error}");
    let advised = error.rsplit("set ftl.op_ratio to ").next().and_then(|rest| rest.split(' ').next());
    let advised: f64 = advised.and_then(|ratio| ratio.parse().ok()).unwrap_or_else(|| panic!("{error}"));
    assert!(build(&advised.to_string()).is_ok(), "{error}");
    let less = build(&format!("{:.3}", advised - 0.005));
    assert!(less.is_err(), "less than what is advised would have done: {error}");
}

/// Checks that the capacity offered leaves out the rest of program units that are written alone (padded): one unit of
/// each superblock, and one of each die.
#[test]
fn what_padding_may_take_is_not_promised() {
    let planes = ["geometry.channels=2", "nand.planes=2", "ftl.user_capacity=7MiB"];
    let error = drive(&one_die(&planes)).build(1).map(|_| ()).expect_err("refused").to_string();
    // Two dies with 16 superblocks of 64 units, of which 5 are kept; two units are programmed at once.
    assert!(error.contains(&format!("room for {}", 2 * (11 * (64 - 1) - 2))), "{error}");
}

/// Checks that with copyback collection reads nothing over the channel: units moved inside their plane do not leave the
/// die.
#[test]
fn where_pages_can_be_copied_back_collection_reads_nothing() {
    let mut bench = Bench::new(&one_die(&["controller.copyback=true"]));
    let mut random = RandomStream::new(15, "overwrites");
    fill(&mut bench, LOGICAL);
    for _ in 0..2_000 {
        assert!(bench.write(random.below(u64::from(LOGICAL)) as u32));
    }
    bench.settle();
    let moved = bench.ctx.probe.committed.iter().filter(|(_, _, moved)| *moved).count();
    let copied = bench.ctx.probe.of(Kind::Copyback, Origin::Gc).count();
    assert!(moved > 1_000 && copied >= moved, "{moved} moved, {copied} copied back");
    assert_eq!(bench.ctx.probe.of(Kind::Read, Origin::Gc).count(), 0);
}

/// Checks that the host, when it opens a superblock, leaves one free for collection, and room for a whole victim once
/// all units in motion have their place.
#[test]
fn the_host_leaves_collection_a_superblock() {
    let left = left_when_the_host_opens(&[]);
    assert!(left.iter().any(|(free, units)| *free == 1 && *units < 2 * UNITS), "and no more than that");
    for (free, units) in left {
        assert!(free >= 1 && units >= UNITS, "{free} superblocks, {units} units");
    }
}

/// Checks that the host leaves room for one superblock more where blocks can fail, since a collection may then fill a
/// superblock and give none back.
#[test]
fn the_host_leaves_one_superblock_more_where_blocks_can_fail() {
    let may_fail = [
        "nand.bad_blocks.program_fail_ratio=1e-12",
        "ftl.gc.victim.name=random",
        "ftl.user_capacity=1240KiB",
    ];
    let left = left_when_the_host_opens(&may_fail);
    assert!(left.iter().any(|(free, units)| *free == 1 && *units < 3 * UNITS), "and no more than that");
    for (free, units) in left {
        assert!(free >= 1 && units >= 2 * UNITS, "{free} superblocks, {units} units");
    }
}

// ---- pace ------------------------------------------------------------------------------------------------------------

/// Returns two numbers for each victim in a log of operations: its units that were read to be moved, and the host's
/// programs that were queued from its first such read to its last.
fn written_during_each_victim(log: &[Transaction]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let is_moving = |it: &Transaction| it.kind == Kind::Read && it.origin == Origin::Gc;
    let mut at = 0;
    while at < log.len() {
        if !is_moving(&log[at]) {
            at += 1;
            continue;
        }
        let superblock = log[at].superblock;
        let same = |it: &Transaction| is_moving(it) && it.superblock == superblock;
        let erased = |it: &Transaction| it.kind == Kind::Erase && it.superblock == superblock;
        let end = log[at..].iter().position(erased).map_or(log.len(), |to| at + to);
        let last = at + log[at..end].iter().rposition(same).expect("its first read at least");
        let units = log[at..=last].iter().filter(|it| same(it)).map(|it| it.mask.count_ones()).sum();
        let hosts = log[at..=last].iter().filter(|it| it.class == Class::HostProgram).count();
        found.push((units, hosts as u32));
        at = last + 1;
    }
    found
}

/// Checks that collection paces the host: while units of a victim are moved, the host programs at most the rest of its
/// 32 units (the room gained), four queued program units, and one that was begun.
#[test]
fn collection_paces_the_host() {
    let mut bench = Bench::new(&one_die(&["controller.program_queue=64", "ftl.buffer.size=512KiB"]));
    let mut random = RandomStream::new(7, "overwrites");
    fill(&mut bench, LOGICAL);
    for _ in 0..6_000 {
        assert!(bench.write(random.below(u64::from(LOGICAL)) as u32));
    }
    let victims = written_during_each_victim(&bench.ctx.probe.submitted);
    assert!(victims.len() > 200, "{}", victims.len());
    for (moved, written) in victims {
        assert!(written <= UNITS - moved + 4 + 1, "{written} were written while {moved} moved");
    }
}

/// Checks that superblocks held back by wear levelling (policy `wear-out`) stay free: collection begins that much
/// sooner.
#[test]
fn superblocks_that_are_held_back_stay_free() {
    let least_free = |wear: &str| {
        let mut bench = Bench::new(&one_die(&[wear, "ftl.user_capacity=640KiB"]));
        let mut random = RandomStream::new(17, "overwrites");
        fill(&mut bench, 160);
        let mut free = |bench: &mut Bench| {
            assert!(bench.write(random.below(160) as u32));
            bench.count(0, &[SuperblockState::Free])
        };
        (0..2_000).map(|_| free(&mut bench)).min()
    };
    let (dynamic, held) = (least_free("ftl.wear.name=dynamic"), least_free("ftl.wear.name=wear-out"));
    // Of the 11 superblocks for data 160 units need 5; half of the other 6 are held back.
    assert_eq!(held, dynamic.map(|free| free + 3));
}

/// Checks the counters of victims: their number, their valid units and their room (other units), and the free
/// superblocks and candidates at each choice.
#[test]
fn victims_are_counted_with_what_they_held() {
    let mut bench = Bench::new(ONE_DIE);
    let mut random = RandomStream::new(19, "overwrites");
    fill(&mut bench, LOGICAL);
    (0..4_000).for_each(|_| assert!(bench.write(random.below(u64::from(LOGICAL)) as u32)));
    bench.settle();
    let stats = bench.ftl.stats();
    let erased = bench.ctx.probe.of(Kind::Erase, Origin::Gc).count() as u64;
    let moved = bench.ctx.probe.committed.iter().filter(|(_, _, moved)| *moved).count() as u64;
    assert_eq!(stats.victims, erased);
    assert_eq!(stats.victim_units + stats.victim_room, u64::from(UNITS) * erased);
    // Some were overwritten before they had moved.
    assert!(moved <= stats.victim_units && stats.victim_units < 2 * moved);
    // One superblock or two are free when a victim is taken, and no more than the die has are full.
    assert!((erased..=2 * erased).contains(&stats.victim_free), "{}", stats.victim_free);
    assert!((8 * erased..=16 * erased).contains(&stats.victim_candidates), "{}", stats.victim_candidates);
}

/// Checks that superblocks relocated by static wear levelling are counted, and that each of them is erased with this
/// origin.
#[test]
fn what_wear_levelling_moves_is_counted() {
    let mut bench = Bench::new(&one_die(&["ftl.wear.name=static", "ftl.wear.threshold=4"]));
    let mut random = RandomStream::new(21, "overwrites");
    fill(&mut bench, LOGICAL);
    (0..12_000).for_each(|_| assert!(bench.write(random.below(64) as u32)));
    bench.settle();
    let erased = bench.ctx.probe.of(Kind::Erase, Origin::Wear).count() as u64;
    assert!(erased > 50, "{erased}");
    assert_eq!(bench.ftl.stats().wear_relocations, erased);
}

// ---- victims ---------------------------------------------------------------------------------------------------------

/// Kind of entry in the test's record of calls of a victim policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Picked(SuperblockId),
    Reclaimed(SuperblockId),
    /// Case: units were overwritten or superblocks closed since the call before.
    Changed,
}

/// Victim policy for a test that draws a random candidate and records the calls that it gets.
pub struct Witness(pub Arc<Mutex<Vec<Said>>>);

impl Witness {
    fn note(&self, what: Said) {
        let mut said = self.0.lock().expect("one thread");
        if what != Said::Changed || said.last() != Some(&what) {
            said.push(what);
        }
    }
}

impl VictimPolicy for Witness {
    fn attach(&mut self, _superblocks: u32, _units: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        let at = view.random.below(view.candidates.len() as u64) as usize;
        self.note(Said::Picked(view.candidates[at]));
        Some(view.candidates[at])
    }

    fn on_close(&mut self, _superblock: SuperblockId, _valid: u32) {
        self.note(Said::Changed);
    }

    fn on_invalidate(&mut self, _superblock: SuperblockId, _valid: u32) {
        self.note(Said::Changed);
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        self.note(Said::Reclaimed(superblock));
    }
}

/// Checks that a victim for which there was no room yet is the next one taken, without a second choice, in which a
/// random draw would favour victims with few valid units, as there is room for them sooner.
#[test]
fn a_victim_once_chosen_is_kept() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let witness = Arc::clone(&said);
    let more = ["ftl.gc.trigger.low=1", "controller.program_queue=64", "ftl.buffer.size=512KiB"];
    let mut bench = Bench::of(with_policies(&one_die(&more), |config| {
        config.gc.victim = Box::new(move || Box::new(Witness(Arc::clone(&witness))));
    }));
    let mut random = RandomStream::new(9, "overwrites");
    fill(&mut bench, LOGICAL);
    for _ in 0..6_000 {
        assert!(bench.write(random.below(u64::from(LOGICAL)) as u32));
    }
    let said = said.lock().expect("one thread");
    let mut waited = 0;
    for (at, what) in said.iter().enumerate() {
        let Said::Picked(picked) = *what else { continue };
        let then = said[at + 1..].iter().find(|other| **other != Said::Changed);
        assert_eq!(then, Some(&Said::Reclaimed(picked)), "the {at}th thing said");
        waited += u32::from(said[at + 1] == Said::Changed);
    }
    assert!(waited > 50, "{waited} had to wait");
}

/// Policy for a test that always chooses the number in its field: a superblock that is open, or a superblock or die
/// that does not exist.
struct Wrong(u32);

impl VictimPolicy for Wrong {
    fn attach(&mut self, _superblocks: u32, _units: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        let is_candidate = |at: &u32| view.candidates.contains(&SuperblockId(*at));
        (self.0..).find(|at| !is_candidate(at)).map(SuperblockId)
    }
}

impl PlacementPolicy for Wrong {
    fn choose(&mut self, _view: &PlacementView<'_>) -> Option<units::DieId> {
        Some(units::DieId(self.0))
    }
}

fn overwrite_with(change: impl FnOnce(&mut FtlConfig)) {
    let mut bench = Bench::of(with_policies(ONE_DIE, change));
    fill(&mut bench, LOGICAL);
    (0..1_000).for_each(|at| {
        bench.write(at * 7 % LOGICAL);
    });
}

#[test]
#[should_panic(expected = "which is not a candidate")]
fn a_victim_that_may_not_be_chosen_stops_the_run() {
    overwrite_with(|config| config.gc.victim = Box::new(|| Box::new(Wrong(0))));
}

#[test]
#[should_panic(expected = "which is not a candidate")]
fn a_victim_that_there_is_not_stops_the_run() {
    overwrite_with(|config| config.gc.victim = Box::new(|| Box::new(Wrong(SUPERBLOCKS))));
}

#[test]
#[should_panic(expected = "which is not eligible")]
fn a_die_that_may_not_be_chosen_stops_the_run() {
    overwrite_with(|config| config.destination.placement = Box::new(|| Box::new(Wrong(1))));
}

// ---- failures --------------------------------------------------------------------------------------------------------

/// Constant: setting of the capacity of a test drive whose superblocks are lost as soon as a block fails: blocks of one
/// plane have no spares.
const FAILS: &str = "ftl.user_capacity=800KiB";
const UNDER_WAY: [SuperblockState; 2] = [SuperblockState::Victim, SuperblockState::Erasing];

/// Overwrites a test drive at random until a program fails, and returns its superblock; `None` if the failed program is
/// of another class than `class`, or is not the first failure.
fn until_a_program_fails(bench: &mut Bench, class: Class, seed: u64) -> Option<u32> {
    let mut random = RandomStream::new(seed, "overwrites");
    fill(bench, 200);
    loop {
        bench.write(random.below(200) as u32);
        let before = bench.ftl.stats().program_failures;
        while bench.ftl.stats().program_failures == before && bench.pass() {}
        if bench.ftl.stats().program_failures > before {
            let failed = *bench.ctx.probe.finished.last().expect("it ended");
            assert_eq!(failed.kind, Kind::Program);
            return (failed.class == class && before == 0).then(|| bench.superblock_of(&failed));
        }
    }
}

/// Checks that the valid units of a superblock in which a program failed are moved out, and that it is out of use then.
/// The unit of the failed program, the host's or one in motion, is written elsewhere.
#[test]
fn what_a_failed_superblock_holds_is_rescued() {
    for class in [Class::HostProgram, Class::InternalProgram] {
        let mut tried = 0;
        for seed in 0..40 {
            let fails = ["nand.bad_blocks.program_fail_ratio=0.001", FAILS];
            let mut bench = Bench::seeded(&one_die(&fails), seed);
            let Some(failed) = until_a_program_fails(&mut bench, class, seed) else { continue };
            let held = bench.ftl.valid_units()[failed as usize];
            bench.settle();
            if bench.ftl.stats().program_failures > 1 {
                continue; // Another failed while this one was rescued: no hand counts that.
            }
            tried += 1;
            assert_eq!(bench.ftl.superblock_states()[failed as usize], SuperblockState::Lost, "seed {seed}");
            assert_eq!(bench.count(0, &[SuperblockState::Lost]), 1);
            assert_eq!(bench.count(0, &UNDER_WAY), 0, "seed {seed}: a victim was never emptied");
            assert_eq!(bench.ftl.stats().blocks_erased[Origin::Rescue as usize], 1);
            let rescued = bench.ftl.stats().units_programmed[Origin::Rescue as usize];
            // The buffer's sixteen units may have overwritten as many of them meanwhile.
            assert!(rescued + 16 >= u64::from(held), "{rescued} of {held}");
            for lpn in 0..200 {
                assert_ne!(bench.home_of(lpn), failed, "seed {seed}: unit {lpn} is in a block out of use");
            }
            assert_eq!(bench.valid(0), 200, "seed {seed}");
        }
        assert!(tried >= 3, "{class:?}: {tried}");
    }
}

/// Checks that a failed erase is counted and that its superblock is never used again.
#[test]
fn a_failed_erase_is_counted_and_its_superblock_is_out_of_use() {
    let mut bench = Bench::new(&one_die(&["nand.bad_blocks.erase_fail_ratio=0.05", FAILS]));
    let mut random = RandomStream::new(11, "overwrites");
    fill(&mut bench, 200);
    let mut counted = 0;
    for _ in 0..2_000 {
        assert!(bench.write(random.below(200) as u32));
        let lost = bench.count(0, &[SuperblockState::Lost]);
        counted = bench.ftl.stats().erase_failures;
        assert_eq!((u64::from(lost), bench.ftl.stats().superblocks_lost), (counted, counted));
        if counted == 3 {
            break;
        }
    }
    assert_eq!(counted, 3);
    let lost: Vec<u32> = (0..SUPERBLOCKS)
        .filter(|at| bench.ftl.superblock_states()[*at as usize] == SuperblockState::Lost)
        .collect();
    let after = bench.ctx.probe.submitted.len();
    for _ in 0..500 {
        assert!(bench.write(random.below(200) as u32));
    }
    let used = bench.ctx.probe.submitted[after..].iter().filter(|it| lost.contains(&it.superblock)).count();
    assert_eq!(used, 0, "what is lost was used");
}

/// Checks that a drive whose superblocks fail takes writes as long as the remaining superblocks can hold the host's
/// capacity, and is read-only when one unit is lacking.
#[test]
fn a_drive_is_read_only_when_what_is_left_holds_too_little() {
    // Where blocks can fail 6 of the 16 superblocks are kept: the others hold 319 units, one program unit less than all
    // of theirs, and 287 when one is lost.
    let mut bench =
        Bench::new(&one_die(&["nand.bad_blocks.erase_fail_ratio=0.05", "ftl.user_capacity=1148KiB"]));
    let mut random = RandomStream::new(13, "overwrites");
    while bench.ftl.stats().superblocks_lost < 2 {
        assert!(!bench.ftl.is_read_only());
        bench.write(random.below(287) as u32);
    }
    assert!(bench.ftl.is_read_only());
}
