//! Groups of superblocks that protect each other: when one is reclaimed, what has to be over before it is erased, and how many
//! wait. The layer alone, unit by unit, on drives of four dies.

use crate::common::bench::Bench;
use crate::common::{PAPER, SMALL};
use controller::{Kind, Origin, Transaction};
use engine::RandomStream;
use ftl::SuperblockState;

/// Constant: settings of a drive with parity groups: superblocks with the same number on four dies, three with data (32
/// units each) and one with parity.
const RAIN: &[&str] = &[
    "ftl.parity.name=rain",
    "ftl.op_ratio=1.5",
    "nand.blocks_per_plane=24",
    "ftl.gc.trigger.background=false",
    "ftl.buffer.size=64KiB",
];
const PER_DIE: usize = 24;
const DIES: usize = 4;

/// Writes units of a test drive in order until a program fails, and returns this program; `None` if none fails.
fn until_a_program_fails(bench: &mut Bench) -> Option<Transaction> {
    for lpn in 0..bench.ftl.layout().logical_units / 2 {
        while !bench.ftl.has_room() {
            bench.pass();
            if bench.ftl.stats().program_failures > 0 {
                return bench.ctx.probe.finished.last().copied();
            }
        }
        bench.write(lpn);
    }
    None
}

/// Checks that the group of a failed program, of data or of parity, is reclaimed at once: no superblock of it holds
/// valid units in the end, and the failed one is out of use.
#[test]
fn the_group_of_a_failed_program_is_reclaimed_at_once() {
    let mut tried = [0, 0];
    for seed in 0..120 {
        let fails = "nand.bad_blocks.program_fail_ratio=0.001";
        let mut bench = Bench::seeded(&[SMALL, RAIN, &[fails]].concat(), seed);
        let Some(failed) = until_a_program_fails(&mut bench) else { continue };
        bench.settle();
        if bench.ftl.stats().program_failures > 1 {
            continue; // Another failed while the group moved.
        }
        let of_parity = failed.origin == Origin::Parity;
        tried[usize::from(of_parity)] += 1;
        let is_its = |it: &&Transaction| (it.die, it.superblock) == (failed.die, failed.superblock);
        let erased = bench.ctx.probe.of(Kind::Erase, Origin::Rescue).filter(is_its).count();
        let at = bench.superblock_of(&failed) as usize;
        assert_eq!((erased, bench.ftl.superblock_states()[at]), (1, SuperblockState::Lost), "seed {seed}");
        let held: u32 =
            (0..DIES).map(|die| bench.ftl.valid_units()[die * PER_DIE + failed.superblock as usize]).sum();
        assert_eq!(held, 0, "seed {seed}: a member was left behind");
    }
    assert!(tried.iter().all(|tried| *tried > 3), "{tried:?}");
}

/// Checks that a parity group is erased only when none of its superblocks has valid units and none of its programs, of
/// data or of parity, is in flight: until then each of its pages can be rebuilt from the others.
#[test]
fn a_group_is_erased_only_when_all_of_it_is_over() {
    let mut bench = Bench::new(&[SMALL, RAIN].concat());
    let logical = u64::from(bench.ftl.layout().logical_units);
    let mut random = RandomStream::new(31, "overwrites");
    let (mut under_way, mut seen, mut erased) = (vec![0; PER_DIE], [0, 0], 0);
    let mut written = 0;
    while written < 12_000 {
        if bench.ftl.has_room() {
            assert!(bench.write(if written < logical { written } else { random.below(logical) } as u32));
            written += 1;
        } else {
            assert!(bench.pass(), "{}", bench.ftl.explain_stall());
        }
        let log = &bench.ctx.probe;
        for it in log.finished[seen[0]..].iter().filter(|it| it.kind == Kind::Program) {
            under_way[it.superblock as usize] -= 1;
        }
        for it in &log.submitted[seen[1]..] {
            let group = it.superblock as usize;
            match it.kind {
                Kind::Program => under_way[group] += 1,
                Kind::Erase => {
                    let held: u32 = (0..DIES).map(|die| bench.ftl.valid_units()[die * PER_DIE + group]).sum();
                    assert_eq!((held, under_way[group]), (0, 0), "group {group}");
                    erased += 1;
                }
                _ => {}
            }
        }
        seen = [log.finished.len(), log.submitted.len()];
    }
    assert!(erased > 400, "{erased}");
}

/// Checks that data of a drive with parity are refreshed when they are due, with all data of the same parity group.
#[test]
fn what_is_due_in_a_group_is_written_anew() {
    const DAY_NS: u64 = 86_400_000_000_000;
    let due = ["ftl.refresh.age=300d", "ftl.op_ratio=1.5", "ftl.parity.name=rain"];
    let mut bench = Bench::new(&[PAPER, &due].concat());
    (0..40).for_each(|lpn| assert!(bench.write(lpn)));
    bench.pass_until(310 * DAY_NS);
    assert_eq!(bench.ftl.stats().units_programmed[Origin::Refresh as usize], 40);
    let (counts, _, waiting) = bench.ftl.upkeep().expect("refresh");
    assert!(counts.begun > 0 && waiting == 0, "{counts:?}, {waiting} wait");
}
