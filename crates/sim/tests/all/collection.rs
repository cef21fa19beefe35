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

/// One die of 16 superblocks with 32 units each, which are programmed one by one. Idle dies do nothing.
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
/// Units that the host sees: 1360 KiB.
const LOGICAL: u32 = 340;

/// That die, with other settings.
pub fn one_die<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let key = |line: &str| line.split('=').next().map(str::to_owned);
    let kept = ONE_DIE.iter().filter(|line| !more.iter().any(|other| key(other) == key(line)));
    kept.chain(more).copied().collect()
}

/// Writes all units in order.
fn fill(bench: &mut Bench, units: u32) {
    for lpn in 0..units {
        assert!(bench.write(lpn));
    }
}

// ---- room ------------------------------------------------------------------------------------------------------------

/// Of each die's 16 superblocks the host's data may fill 11: two that are free when collection begins, one open for the
/// host and one for what is moved, and one to gain from. Overwriting only what lives on one of two dies drives the data to
/// the other, until that has as many as it may.
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

/// Units of victims that are still to be given a place, at least: those in programs in flight count as valid where they
/// were, unless they were overwritten since.
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

/// Units left in the open superblock of moved data.
fn left_for_moving(bench: &Bench) -> u32 {
    let last = bench.ctx.probe.submitted.iter().rfind(|it| it.class == Class::InternalProgram);
    last.map_or(0, |it| UNITS - 1 - it.row)
}

/// Overwrites a full drive at random and looks, each time the host opens a superblock, at what that leaves: superblocks
/// that are free, and the units for which there will be room when what is in hand has its place and its superblocks are
/// erased.
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

/// The rest of a program unit that is written by itself is lost to the data: one short of it of each superblock, and one
/// of each die.
#[test]
fn what_padding_may_take_is_not_promised() {
    let planes = ["geometry.channels=2", "nand.planes=2", "ftl.user_capacity=7MiB"];
    let error = drive(&one_die(&planes)).build(1).map(|_| ()).expect_err("refused").to_string();
    // Two dies with 16 superblocks of 64 units, of which 5 are kept; two units are programmed at once.
    assert!(error.contains(&format!("room for {}", 2 * (11 * (64 - 1) - 2))), "{error}");
}

/// What is moved inside its plane does not leave the die.
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

/// What is in hand has its place, and the next victim finds a superblock free.
#[test]
fn the_host_leaves_collection_a_superblock() {
    let left = left_when_the_host_opens(&[]);
    assert!(left.iter().any(|(free, units)| *free == 1 && *units < 2 * UNITS), "and no more than that");
    for (free, units) in left {
        assert!(free >= 1 && units >= UNITS, "{free} superblocks, {units} units");
    }
}

/// Where blocks can fail, a collection may fill a superblock and give none back: one more is left for that.
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

/// Programs of the host that were queued while a victim was being read, for each victim: its valid units, and those
/// programs.
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

/// A victim of which so many units must move earns the host what it gives back for them, 32 less those; beside that the
/// host has at most four program units in hand, and one that was begun.
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

/// What wear levelling holds back of the room beyond the data is free for no one: collection begins that much sooner.
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

/// Of each victim what was valid and what was room is counted, and among how many it was chosen.
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

/// What wear levelling asks for is counted, and erased on its behalf.
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

/// What a victim policy was asked and told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Picked(SuperblockId),
    Reclaimed(SuperblockId),
    /// Units were overwritten meanwhile, or superblocks closed.
    Changed,
}

/// Draws any candidate, and writes down what it was asked and told.
struct Witness(Arc<Mutex<Vec<Said>>>);

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

/// A victim for which there was no room yet is the next that is taken: asked again, the policy would draw again, and
/// those with little in them, for which there is room sooner, would win beyond their share.
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

/// Names what is no candidate: the open superblock, or one that there is not.
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

/// Blocks of one plane have no spares: a superblock that fails is lost.
const FAILS: &str = "ftl.user_capacity=800KiB";
const UNDER_WAY: [SuperblockState; 2] = [SuperblockState::Victim, SuperblockState::Erasing];

/// Overwrites at random until a program of `class` fails, which is the only failure; gives the superblock.
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

/// A superblock of which a program failed: what it holds is moved out, and then it is out of use. The unit that was not
/// programmed is written elsewhere, be it the host's or one that was being moved.
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

/// An erase that fails is counted, and its superblock is never used again.
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

/// A drive takes writes as long as the superblocks it has left hold what the host sees, and not one unit more.
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
