//! When does a die fold what lies in its cache, how much room does that leave to others, and what goes into a program? The layer
//! alone, unit by unit, on a drive of one die.

use crate::common::TLC;
use crate::common::bench::Bench;
use controller::{Class, Kind, Origin, Transaction};
use engine::RandomStream;
use ftl::SuperblockState;

/// Constant: settings of a test drive with one die of 32 superblocks: 48 units in programs of 6 with three bits per
/// cell, or 16 in programs of 2 with one bit.
pub const ONE_DIE: &[&str] = &[
    "geometry.channels=1",
    "geometry.ways=1",
    "nand.planes=2",
    "nand.blocks_per_plane=32",
    "ftl.buffer.size=128KiB",
    "ftl.user_capacity=3840KiB",
    "ftl.gc.trigger.background=false",
];

fn bench(more: &[&str], seed: u64) -> Bench {
    let usual = TLC.iter().filter(|line| !line.starts_with("ftl.op_ratio"));
    Bench::seeded(&usual.chain(ONE_DIE).chain(more).copied().collect::<Vec<_>>(), seed)
}

const STATIC: &[&str] = &["ftl.slc_cache.name=static", "ftl.slc_cache.size=256KiB"];

const UNITS: u32 = 48;
const CACHED: u32 = 16;
const PROGRAM: u32 = 6;
const SUPERBLOCKS: u32 = 32;

/// Returns the numbers of the superblocks with one bit per cell (those of the SLC cache) that are in one of these
/// states.
fn cached(bench: &Bench, states: &[SuperblockState]) -> Vec<u32> {
    let is_in = |at: &u32| states.contains(&bench.ftl.superblock_states()[*at as usize]);
    (0..SUPERBLOCKS).filter(|at| bench.ftl.holds_one_bit(*at as usize)).filter(is_in).collect()
}

fn folded(bench: &Bench) -> u64 {
    bench.ftl.stats().slc_superblocks_folded
}

/// Checks, on a drive that folds only after a failure, that the superblock of the SLC cache in which a program failed
/// is emptied at once and the other ones are not folded.
#[test]
fn only_the_superblock_that_failed_is_folded() {
    let mut tried = 0;
    for seed in 0..40 {
        let never = ["ftl.slc_cache.in_idle_time=false", "ftl.user_capacity=3408KiB"];
        let mut bench = bench(&[STATIC, &never, &["nand.bad_blocks.program_fail_ratio=0.01"]].concat(), seed);
        (0..64).for_each(|lpn| assert!(bench.write(lpn)));
        bench.settle();
        let is_cached = |it: &Transaction| it.kind == Kind::Program && it.slc;
        let failures = bench.ftl.stats().program_failures;
        // A failure on the way to a superblock with all its bits is none of the cache's.
        if bench.ctx.probe.placed.iter().take(32).all(|(it, _)| is_cached(it)) && failures < 2 {
            tried += failures;
            assert_eq!(folded(&bench), failures, "seed {seed}");
            assert_eq!(cached(&bench, &[SuperblockState::Closed]).len() as u64, 4 - failures, "seed {seed}");
        }
    }
    assert!(tried >= 5, "{tried}");
}

/// Returns the number of units of the host in these programs.
fn hosts(placed: &[(Transaction, Vec<Origin>)]) -> u32 {
    let units = |origins: &Vec<Origin>| origins.iter().filter(|it| **it == Origin::Host).count() as u32;
    placed.iter().map(|(_, origins)| units(origins)).sum()
}

/// Returns the least number of free superblocks, and of units for which there is room once all of the SLC cache is
/// folded, over all times that the cache opens a superblock while the host overwrites `units` units.
fn left_when_the_cache_opens(units: u32, low: u32, fails: &str) -> (u32, i64) {
    let spare = u32::from(fails != "0");
    let [low_mark, fails] =
        [format!("ftl.gc.trigger.low={low}"), format!("nand.bad_blocks.program_fail_ratio={fails}")];
    let fold_first = ["ftl.slc_cache.name=dynamic", "ftl.slc_cache.when_full=fold-first"];
    let mut bench = bench(&[&fold_first[..], &[&low_mark, &fails]].concat(), 1);
    let mut random = RandomStream::new(5, "overwrites");
    let (mut left, mut written) = ((u32::MAX, i64::MAX), 0);
    while written < 5_000 {
        let placed = bench.ctx.probe.placed.len();
        let before = bench.ftl.superblock_states().to_vec();
        if bench.ftl.has_room() {
            assert!(bench.write(if written < units {
                written
            } else {
                random.below(u64::from(units)) as u32
            }));
            written += 1;
        } else {
            assert!(bench.pass(), "{}", bench.ftl.explain_stall());
        }
        let is_opened = |at: &usize| {
            before[*at] != SuperblockState::Open
                && bench.ftl.superblock_states()[*at] == SuperblockState::Open
        };
        let opened: Vec<usize> = (0..before.len()).filter(is_opened).collect();
        if let [at] = opened[..]
            && bench.ftl.holds_one_bit(at)
        {
            let taken = (0..before.len()).filter(|at| bench.ftl.holds_one_bit(*at)).count() as u32;
            let room = (SUPERBLOCKS - (low + 3 + spare) - taken) * (UNITS - PROGRAM + 1);
            let under_way = hosts(&bench.ctx.probe.placed[..placed])
                - bench.ftl.stats().units_programmed[Origin::Host as usize] as u32;
            let room = i64::from(room) - i64::from(bench.valid(0) + under_way + CACHED + PROGRAM);
            left = (left.0.min(bench.count(0, &[SuperblockState::Free])), left.1.min(room));
        }
    }
    left
}

/// Checks how many superblocks the SLC cache leaves: those with which collection begins, one per stream, one to gain
/// from, and a spare where blocks can fail; the rest is the cache's, and all of its data find room when they are
/// folded.
#[test]
fn the_cache_leaves_collection_its_superblocks_and_folding_its_room() {
    for low in [1, 3] {
        for (fails, spare) in [("0", 0), ("1e-12", 1)] {
            let left = left_when_the_cache_opens(960, low, fails);
            assert_eq!(left, (low + 2 + spare, 0), "low {low}, blocks fail {fails}");
        }
    }
}

/// Checks that the open superblock of the SLC cache is closed early and folded where the loss of a superblock leaves
/// too little room for the cache, so that the host goes on, and for no other reason.
#[test]
fn the_open_superblock_of_the_cache_gives_way_to_data() {
    let mut ended = 0;
    for seed in 0..60 {
        let idle =
            ["ftl.gc.trigger.background=true", "ftl.gc.trigger.high=8", "ftl.slc_cache.idle_after=5ms"];
        let cache = ["ftl.slc_cache.name=dynamic", "ftl.slc_cache.when_full=fold-first"];
        let fails = ["nand.bad_blocks.erase_fail_ratio=0.03", "ftl.user_capacity=3972KiB"];
        let mut bench = bench(&[&idle[..], &cache, &fails].concat(), seed);
        let mut random = RandomStream::new(seed, "overwrites");
        for at in 0..8_000 {
            if random.chance(0.02) {
                bench.pass_until(bench.now().ns() + 100_000_000);
            }
            let (opens, others) =
                (cached(&bench, &[SuperblockState::Open]), cached(&bench, &[SuperblockState::Closed]));
            if !bench.write(if at < 993 { at } else { random.below(993) as u32 }) {
                assert!(bench.ftl.is_read_only(), "seed {seed}, write {at}: {}", bench.ftl.explain_stall());
                break;
            }
            let is_ended = |at: &&u32| bench.ftl.superblock_states()[**at as usize] != SuperblockState::Open;
            for at in opens.iter().filter(is_ended) {
                let is_its = |it: &&Transaction| it.kind == Kind::Program && it.superblock == *at;
                if others.is_empty()
                    && bench.ctx.probe.submitted.iter().rfind(is_its).is_some_and(|it| it.row < 7)
                {
                    ended += 1;
                    let usable = SUPERBLOCKS - bench.count(0, &[SuperblockState::Lost]);
                    let room = (usable - (2 + 3 + 1) - 1) * (UNITS - PROGRAM + 1);
                    let live = bench.valid(0) + hosts(&bench.ctx.probe.placed)
                        - bench.ftl.stats().units_programmed[Origin::Host as usize] as u32;
                    assert!(
                        live + PROGRAM > room,
                        "seed {seed}: {live} units where there is room for {room}"
                    );
                }
            }
        }
    }
    assert!(ended >= 3, "{ended}");
}

/// Checks that superblocks which the SLC cache always keeps count as no room for data: the cache is not folded for
/// them, however full the drive is.
#[test]
fn what_the_cache_always_keeps_does_not_give_way() {
    // All superblocks but the five that collection needs and the four of the cache, and one program unit less.
    let units = (SUPERBLOCKS - 5 - 4) * (UNITS - PROGRAM + 1) - PROGRAM;
    let capacity = format!("ftl.user_capacity={}KiB", 4 * units);
    let mut bench = bench(&[STATIC, &["ftl.slc_cache.in_idle_time=false", &capacity]].concat(), 1);
    let mut random = RandomStream::new(7, "overwrites");
    for at in 0..3_000 {
        assert!(bench.write(if at < units { at } else { random.below(u64::from(units)) as u32 }));
    }
    bench.settle();
    assert_eq!((folded(&bench), bench.ftl.cache_bytes()), (0, Some(256 << 10)));
}

/// Checks that of two superblocks folded in the die one after the other, of which the first has lost units and uses the
/// bus for some page rows, the second waits until these programs are full and still folds in the die: three and three
/// of its eight page rows, the last two over the bus.
#[test]
fn whole_rows_are_folded_in_the_die_behind_others_that_are_not() {
    for lost in (0..CACHED).step_by(2) {
        let in_die = ["nand.slc_mode.folds_in_die=true", "ftl.slc_cache.idle_after=5ms"];
        let mut bench = bench(&[STATIC, &in_die].concat(), 1);
        (0..2 * CACHED).for_each(|lpn| assert!(bench.write(lpn)));
        bench.pass_until(bench.now().ns() + 3_000_000);
        let second = bench.home_of(CACHED);
        bench.trim(0, lost);
        let before = bench.ctx.probe.committed.len();
        bench.rest();
        let is_its = |it: &&Transaction| it.superblock == second;
        let read: u32 =
            bench.ctx.probe.of(Kind::Read, Origin::Fold).filter(is_its).map(|it| it.mask.count_ones()).sum();
        let folded =
            bench.ctx.probe.committed[before..].iter().filter(|(lpn, ..)| lpn.0 >= CACHED).count() as u32;
        assert_eq!((read, folded), (4, CACHED), "{lost} units lost");
    }
}

/// Runs bursts of writes with folding in idle time, where the host's data wait 10 ms for a full program. Returns counts
/// of padded programs: with folded data, all and those with data to be folded in flight; with the host's data, all and
/// those before the 10 ms.
fn padded(when_full: &str) -> [[u32; 2]; 2] {
    const PATIENCE_NS: u64 = 10_000_000;
    let waits = ["ftl.buffer.flush_after=10ms", "ftl.slc_cache.idle_after=2ms", "ftl.user_capacity=3408KiB"];
    let mut bench = bench(&[STATIC, &waits, &[when_full]].concat(), 1);
    let mut random = RandomStream::new(11, "overwrites");
    let logical = u64::from(bench.ftl.layout().logical_units);
    let [mut folded, mut hosts] = [[0, 0], [0, 0]];
    let (mut reads, mut seen, mut last_ns, mut idle_until_ns) = (0, [0, 0], 0, 0);
    for _ in 0..150_000 {
        let (placed, reads_before) = (bench.ctx.probe.placed.len(), reads);
        if bench.now().ns() >= idle_until_ns && bench.ftl.has_room() {
            assert!(bench.write(random.below(logical) as u32));
            idle_until_ns = if random.chance(0.04) { bench.now().ns() + 30_000_000 } else { 0 };
        } else if !bench.pass() {
            idle_until_ns = 0;
        }
        let is_fold = |it: &&Transaction| it.kind == Kind::Read && it.origin == Origin::Fold;
        reads += bench.ctx.probe.submitted[seen[0]..].iter().filter(is_fold).count();
        reads -= bench.ctx.probe.finished[seen[1]..].iter().filter(is_fold).count();
        seen = [bench.ctx.probe.submitted.len(), bench.ctx.probe.finished.len()];
        let now_ns = bench.now().ns();
        let is_shared = |(it, _): &&(Transaction, Vec<Origin>)| !it.slc && it.class == Class::HostProgram;
        for (_, origins) in bench.ctx.probe.placed[placed..].iter().filter(is_shared) {
            let is_padded = |with: Origin| origins.contains(&with) && origins.contains(&Origin::Padding);
            folded[0] += u32::from(is_padded(Origin::Fold));
            folded[1] += u32::from(is_padded(Origin::Fold) && reads > 0 && reads_before > 0);
            hosts[0] += u32::from(is_padded(Origin::Host));
            hosts[1] += u32::from(is_padded(Origin::Host) && now_ns < last_ns + PATIENCE_NS);
            last_ns = now_ns;
        }
    }
    [folded, hosts]
}

/// Checks that folded data and the host's data share programs, and that a program is padded only when neither has more
/// units to fill it.
#[test]
fn a_program_is_padded_only_when_nothing_more_comes_to_fill_it() {
    for when_full in ["ftl.slc_cache.when_full=bypass", "ftl.slc_cache.when_full=fold-first"] {
        let [folded, hosts] = padded(when_full);
        assert!(
            folded[0] > 100 && (hosts[0] > 10 || when_full.ends_with("fold-first")),
            "{folded:?}, {hosts:?}"
        );
        assert_eq!([folded[1], hosts[1]], [0, 0], "{when_full}");
    }
}

/// Checks that folded data go to the host's superblocks and that each fold that was begun ends, also where a program
/// fails. A program takes three pages of each plane with three bits per cell, and one page with one bit.
#[test]
fn what_is_folded_goes_to_the_hosts_superblocks() {
    for fails in ["0", "0.002"] {
        let fails = format!("nand.bad_blocks.program_fail_ratio={fails}");
        let first = ["ftl.slc_cache.when_full=fold-first", "ftl.user_capacity=2400KiB", &fails];
        let mut bench = bench(&[STATIC, &first].concat(), 1);
        let mut random = RandomStream::new(13, "overwrites");
        (0..6_000).for_each(|_| assert!(bench.write(random.below(600) as u32)));
        bench.settle();
        let folds = bench.ctx.probe.placed.iter().filter(|(_, origins)| origins.contains(&Origin::Fold));
        let classes: Vec<Class> = folds.map(|(it, _)| it.class).collect();
        assert!(classes.len() > 200 && classes.iter().all(|class| *class == Class::HostProgram), "{fails}");
        let pages = |it: &Transaction| if it.slc && it.kind == Kind::Program { 2 } else { PROGRAM };
        assert!(bench.ctx.probe.placed.iter().all(|(it, _)| it.pages == pages(it)), "{fails}");
        let begun = cached(&bench, &[SuperblockState::Victim, SuperblockState::Erasing]);
        assert!(begun.is_empty(), "{fails}: {begun:?}");
    }
}
