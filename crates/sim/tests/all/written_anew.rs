//! Does what is written anew leave collection the room it counts on, and is nothing forgotten that has to wait?

use crate::common::bench::{Bench, NO_REQUEST};
use crate::common::{PAPER, drive};
use controller::{Class, Kind, Origin, Transaction};
use engine::RandomStream;
use ftl::SuperblockState;
use units::Lpn;

/// Constant: settings of a test drive with one die of 16 superblocks with 32 units each, where a program takes one
/// unit.
const ONE_DIE: &[&str] =
    &["geometry.channels=1", "geometry.ways=1", "nand.blocks_per_plane=16", "ftl.user_capacity=1360KiB"];
const UNITS: u32 = 32;
const LOGICAL: u32 = 340;
const DAY_NS: u64 = 86_400_000_000_000;

/// Constant: settings by which a superblock must be rewritten after forty reads (read reclaim).
const READS: &[&str] = &["ftl.reading.reads=40", "ftl.reading.reclaim=true", "nand.errors.gamma=2e-5"];

fn settings<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let usual = PAPER.iter().filter(|line| !line.starts_with("ftl.op_ratio"));
    usual.chain(ONE_DIE).chain(more).copied().collect()
}

fn bench(more: &[&str]) -> Bench {
    Bench::new(&settings(more))
}

/// Reads a unit forty times, so that its superblock falls due for read reclaim.
fn ask_for_reads(bench: &mut Bench, lpn: u32) {
    for _ in 0..40 {
        bench.ftl.read(NO_REQUEST, Lpn(lpn), 1, &mut bench.ctx);
    }
}

/// Checks that a superblock which falls due for refresh while a program to it is in flight is refreshed after the end
/// of that program.
#[test]
fn what_falls_due_during_a_program_is_written_anew_after_it() {
    let mut bench = bench(&["ftl.refresh.age=300d"]);
    (0..4).for_each(|lpn| assert!(bench.write(lpn)));
    let opened = bench.ctx.probe.submitted[0].queued.ns();
    let due = opened + 300 * DAY_NS;
    bench.pass_until(due - 100_000);
    assert!(bench.write(4));
    bench.pass_until(due + 1);
    let program = *bench.ctx.probe.submitted.last().unwrap();
    assert_eq!((program.kind, program.superblock), (Kind::Program, bench.home_of(0)));
    assert_eq!(bench.ftl.upkeep().map(|(counts, ..)| counts.begun), Some(0), "its program is in flight");
    bench.pass_until(due + DAY_NS);
    assert_eq!(bench.ftl.stats().units_programmed[Origin::Refresh as usize], 5);
    assert_eq!(bench.ftl.upkeep().map(|(counts, ..)| counts.begun), Some(1));
}

/// Checks that an idle drive rests although superblocks are overdue for refresh, and that their refresh begins with the
/// host's next operation.
#[test]
fn what_falls_due_while_nothing_happens_is_written_anew_when_something_does() {
    let mut bench = bench(&["ftl.refresh.age=300d"]);
    (0..40).for_each(|lpn| assert!(bench.write(lpn)));
    let first = bench.home_of(0);
    bench.rest();
    let begun = |bench: &Bench| bench.ftl.upkeep().map(|(counts, ..)| counts.begun);
    assert_eq!((begun(&bench), bench.now().ns() / DAY_NS), (Some(0), 300));
    (100..104).for_each(|lpn| assert!(bench.write(lpn)));
    bench.rest();
    assert!(begun(&bench) >= Some(1));
    assert_ne!(bench.home_of(0), first);
}

/// Checks that a superblock which only waits because another one fell due at the same moment does not count as late.
#[test]
fn the_second_of_two_that_fall_due_together_is_not_late() {
    let late = |superblocks: u32| {
        let mut ftl = drive(&settings(&["ftl.reading.data_age=1d", "ftl.refresh.age=2d"])).build(1).unwrap();
        (0..superblocks * UNITS).for_each(|lpn| ftl.write_untimed(Lpn(lpn)));
        ftl.settle();
        let mut bench = Bench::of(ftl);
        bench.pass_until(2 * DAY_NS);
        let (counts, _, waiting) = bench.ftl.upkeep().expect("refresh");
        assert_eq!((counts.begun, waiting), (u64::from(superblocks), 0));
        counts.late
    };
    // Their share of the time is there one after the other, and what lies between two of them is one share.
    assert_eq!([late(2), late(3), late(5)], [0, 1, 3]);
}

/// Checks that a superblock due for read reclaim waits until the die has time for upkeep again after the last refresh,
/// unless it is a victim that a collection is emptying: then it does not wait.
#[test]
fn what_is_being_emptied_does_not_wait_to_be_written_anew() {
    let waiting = |state: SuperblockState| {
        let mut bench = bench(&[READS, &["ftl.upkeep.share=0.001", "ftl.buffer.size=64KiB"]].concat());
        let mut random = RandomStream::new(3, "overwrites");
        (0..LOGICAL).for_each(|lpn| assert!(bench.write(lpn)));
        ask_for_reads(&mut bench, 0);
        bench.pass_until(bench.now().ns() + 10_000_000);
        let mut written = vec![NO_REQUEST; 64];
        loop {
            written.push(random.below(u64::from(LOGICAL)) as u32);
            assert!(bench.write(written[written.len() - 1]));
            // And not in the buffer, from which it would be read.
            let is_there = |lpn: &u32| {
                bench.ftl.superblock_states()[bench.home_of(*lpn) as usize] == state
                    && !written[written.len() - 64..].contains(lpn)
            };
            if bench.ftl.stats().victims > 10
                && let Some(lpn) = (0..LOGICAL).find(is_there)
            {
                assert_eq!(
                    bench.ftl.upkeep().map(|(counts, _, waiting)| (counts.begun, waiting)),
                    Some((1, 0))
                );
                ask_for_reads(&mut bench, lpn);
                return bench.ftl.upkeep().map(|(.., waiting)| waiting);
            }
        }
    };
    assert_eq!(waiting(SuperblockState::Closed), Some(1));
    assert_eq!(waiting(SuperblockState::Victim), Some(0));
}

/// Record of how many open superblocks upkeep closed before they were full, in a test.
#[derive(Debug, Default)]
struct Closed {
    /// Number of the host's superblocks that were closed while a collection had units in motion.
    hosts: u32,
    /// Numbers of superblocks filled by collections that were closed: all, those while units were in motion, and those
    /// while no superblock was free.
    moving: [u32; 3],
}

/// Checks that an open superblock which falls due is closed at once if the host fills it, but if a collection fills it
/// only while no units are in motion and another superblock is free, because the collection counts on the room in it.
#[test]
fn only_what_collection_can_do_without_is_closed() {
    let mut bench = bench(&[READS, &["ftl.gc.trigger.low=1", "ftl.upkeep.share=1.0"]].concat());
    let mut random = RandomStream::new(3, "overwrites");
    (0..LOGICAL).for_each(|lpn| assert!(bench.write(lpn)));
    let (mut closed, mut reads) = (Closed::default(), 0);
    let mut seen = [bench.ctx.probe.submitted.len(), bench.ctx.probe.finished.len()];
    for _ in 0..30_000 {
        assert!(bench.write(random.below(u64::from(LOGICAL)) as u32), "{}", bench.ftl.explain_stall());
        if random.chance(0.01) {
            let moved = random.chance(0.5);
            let newest = bench.ctx.probe.committed.iter().rfind(|it| it.2 == moved).map_or(0, |it| it.0.0);
            ask_for_reads(&mut bench, newest);
        }
        for _ in 0..4 {
            let moves = |it: &&Transaction| it.class == Class::InternalRead;
            reads += bench.ctx.probe.submitted[seen[0]..].iter().filter(moves).count();
            reads -= bench.ctx.probe.finished[seen[1]..].iter().filter(moves).count();
            seen = [bench.ctx.probe.submitted.len(), bench.ctx.probe.finished.len()];
            let free = bench.count(0, &[SuperblockState::Free]);
            let before = bench.ftl.superblock_states().to_vec();
            bench.pass();
            let is_open = |states: &[SuperblockState], at: usize| states[at] == SuperblockState::Open;
            let ended = |at: &usize| is_open(&before, *at) && !is_open(bench.ftl.superblock_states(), *at);
            for at in (0..before.len()).filter(ended) {
                let is_its = |it: &&Transaction| it.kind == Kind::Program && it.superblock == at as u32;
                let last = bench.ctx.probe.submitted.iter().rfind(is_its).expect("it was open");
                match last.class {
                    _ if last.row == UNITS - 1 => {}
                    Class::HostProgram => closed.hosts += u32::from(reads > 0),
                    _ => [true, reads > 0, free == 0]
                        .iter()
                        .zip(&mut closed.moving)
                        .for_each(|(is, count)| *count += u32::from(*is)),
                }
            }
        }
    }
    assert!(closed.hosts > 10 && closed.moving[0] > 10, "{closed:?}");
    assert_eq!(closed.moving[1..], [0, 0], "{closed:?}");
}

// ---- units written anew so that reads of them cost less -----------------------------------------------------------

const REWRITES: &[&str] =
    &["ftl.regulator.name=agcr", "ftl.rewrite.idle_after=50us", "ftl.gc.trigger.background=false"];

/// Writes a unit twice and then reads it twice: the cost regulator writes it cheaply, so that reads are expensive, and
/// then asks for its rewrite.
fn ask_for_rewrite(bench: &mut Bench, lpn: u32) {
    for _ in 0..2 {
        assert!(bench.write(lpn));
        bench.pass_until(bench.now().ns() + 1_000_000);
    }
    for _ in 0..2 {
        bench.ftl.read(NO_REQUEST, Lpn(lpn), 1, &mut bench.ctx);
    }
}

/// Returns the least number of free superblocks when a unit was read to be rewritten: with no room in the open
/// superblock, with room for one unit, and for more; `None` where that did not occur.
fn fewest_free_at_rewrites(more: &[&str]) -> [Option<u32>; 3] {
    let mut bench = bench(&[REWRITES, more].concat());
    let mut random = RandomStream::new(5, "rewrites");
    let units = bench.ftl.layout().logical_units;
    (0..units).for_each(|lpn| assert!(bench.write(lpn)));
    let mut fewest = [None; 3];
    for _ in 0..4_000 {
        ask_for_rewrite(&mut bench, random.below(u64::from(units)) as u32);
        for _ in 0..8 {
            let last = bench.ctx.probe.submitted.iter().rfind(|it| it.class == Class::InternalProgram);
            let left = last.map_or(0, |it| UNITS - 1 - it.row);
            let (begun, free) = (bench.ctx.probe.submitted.len(), bench.count(0, &[SuperblockState::Free]));
            bench.pass();
            if bench.ctx.probe.submitted[begun..]
                .iter()
                .any(|it| it.kind == Kind::Read && it.origin == Origin::Rewrite)
            {
                let fewest = &mut fewest[left.min(2) as usize];
                *fewest = Some(fewest.map_or(free, |fewest: u32| fewest.min(free)));
            }
        }
    }
    fewest
}

/// Checks that units are rewritten only while two superblocks stay free (for the next victim and for the host), one
/// more where blocks can fail, and as many as collection needs before it works beside the host.
#[test]
fn a_unit_is_written_anew_only_where_collection_keeps_its_room() {
    for (fail_ratio, spare) in [("0", 0), ("1e-12", 1)] {
        for low in 1..3 {
            let fails = format!("nand.bad_blocks.program_fail_ratio={fail_ratio}");
            let low_mark = format!("ftl.gc.trigger.low={low}");
            let [opens, ends, fills] =
                fewest_free_at_rewrites(&["ftl.user_capacity=1160KiB", &fails, &low_mark]);
            let fewest = Some(2.max(low + 1) + spare);
            assert_eq!((ends, fills), (fewest, fewest), "blocks fail {fail_ratio}, low {low}");
            assert!(opens >= Some(3 + spare), "blocks fail {fail_ratio}, low {low}: {opens:?}");
            assert!(low == 1 || opens == Some(3 + spare), "blocks fail {fail_ratio}, low {low}: {opens:?}");
        }
    }
}

/// Checks that a unit which is trimmed between its read for a rewrite and the program is not written.
#[test]
fn what_was_trimmed_meanwhile_is_not_written_anew() {
    for trims in [false, true] {
        let mut bench = bench(REWRITES);
        ask_for_rewrite(&mut bench, 7);
        let is_read = |it: &Transaction| it.kind == Kind::Read && it.origin == Origin::Rewrite;
        while !bench.ctx.probe.submitted.iter().any(is_read) {
            assert!(bench.pass());
        }
        if trims {
            bench.trim(7, 1);
        }
        bench.rest();
        let written = bench.ftl.stats().units_programmed[Origin::Rewrite as usize];
        assert_eq!(
            (
                written,
                bench
                    .ftl
                    .feature::<ftl::Regulation>()
                    .map_or_else(Default::default, ftl::Regulation::counts)
                    .rewrites_dropped
            ),
            if trims { (0, 1) } else { (1, 0) }
        );
    }
}

/// Checks, with programs of two units, that two units read to be rewritten share a program, and that a single one does
/// not wait for another.
#[test]
fn what_is_written_anew_shares_a_program_and_waits_for_nothing_else() {
    let written = |trims: u32| {
        let mut bench = bench(&[REWRITES, &["nand.planes=2", "ftl.user_capacity=2720KiB"]].concat());
        for _ in 0..2 {
            [7, 8].iter().for_each(|lpn| assert!(bench.write(*lpn)));
            bench.pass_until(bench.now().ns() + 2_000_000);
        }
        for lpn in [7, 8, 7, 8] {
            bench.ftl.read(NO_REQUEST, Lpn(lpn), 1, &mut bench.ctx);
        }
        let is_read = |it: &&Transaction| it.kind == Kind::Read && it.origin == Origin::Rewrite;
        while bench.ctx.probe.submitted.iter().filter(is_read).count() < 2 {
            assert!(bench.pass());
        }
        bench.trim(7, trims);
        bench.rest();
        let units = bench.ftl.stats().units_programmed;
        let programs = bench.ctx.probe.of(Kind::Program, Origin::Rewrite).count();
        (programs, units[Origin::Rewrite as usize], units[Origin::Padding as usize])
    };
    assert_eq!([written(0), written(1)], [(1, 2, 0), (1, 1, 1)]);
}

/// Checks that the host's data that wait for a full program survive the closing of other superblocks, of moved data on
/// the same die and of the host's on the other die: a flush still brings them to the flash.
#[test]
fn data_that_wait_for_company_survive_the_end_of_other_superblocks() {
    let two_dies = ["geometry.ways=2", "nand.planes=2", "ftl.user_capacity=5440KiB"];
    let waits =
        ["ftl.refresh.age=300d", "ftl.buffer.flush_after=10000d", "ftl.buffer.power_loss_protection=false"];
    let mut bench = bench(&[&two_dies[..], &waits].concat());
    (0..8).for_each(|lpn| assert!(bench.write(lpn)));
    // All have moved once. Two units fill a program on one die, and one waits on the other.
    bench.pass_until(302 * DAY_NS);
    (8..10).for_each(|lpn| assert!(bench.write(lpn)));
    bench.pass_until(303 * DAY_NS);
    assert!(bench.write(10));
    bench.pass_until(604 * DAY_NS);
    assert_eq!(bench.ftl.stats().units_programmed[Origin::Refresh as usize], 8 + 10);
    assert!(bench.ftl.buffer().is_draining(), "it waits");
    bench.settle();
    assert!(!bench.ftl.buffer().is_draining(), "{}", bench.ftl.explain_stall());
    assert_eq!((0..2).map(|die| bench.valid(die)).sum::<u32>(), 11);
}

/// Checks that superblocks moved by wear levelling do not count as superblocks rewritten because of reads (refreshed).
#[test]
fn what_wear_levelling_moves_does_not_count_as_written_anew() {
    let levels = ["ftl.wear.name=static", "ftl.wear.threshold=2"];
    let mut bench = bench(&[READS, &levels, &["ftl.upkeep.share=1.0"]].concat());
    let mut random = RandomStream::new(17, "overwrites");
    (0..LOGICAL).for_each(|lpn| assert!(bench.write(lpn)));
    for _ in 0..10 {
        (0..3_000).for_each(|_| assert!(bench.write(random.below(64) as u32)));
        ask_for_reads(&mut bench, LOGICAL - 1);
    }
    bench.settle();
    let counts =
        bench.ftl.feature::<ftl::Regulation>().map_or_else(Default::default, ftl::Regulation::counts);
    let begun = bench.ftl.upkeep().map(|(counts, ..)| counts.begun);
    assert!(bench.ftl.stats().wear_relocations > 10, "{}", bench.ftl.stats().wear_relocations);
    assert_eq!((Some(counts.superblocks_refreshed), counts.superblocks_scrubbed), (begun, 0));
    assert!(begun > Some(5), "{begun:?}");
}

/// Checks that a superblock which falls due for read reclaim while a program to it is in flight is moved after that.
#[test]
fn what_reads_wear_out_during_a_program_is_moved_after_it() {
    let mut bench = bench(READS);
    (0..8).for_each(|lpn| assert!(bench.write(lpn)));
    bench.rest();
    assert!(bench.write(8));
    ask_for_reads(&mut bench, 3);
    bench.rest();
    assert_eq!(bench.ftl.stats().units_programmed[Origin::Refresh as usize], 9);
}
