//! Units on their way from one superblock to another: which programs they fill, which way they go, and what is said of them. The
//! layer alone, unit by unit, on drives of one die.

use crate::collection::one_die;
use crate::common::bench::Bench;
use controller::{Kind, Origin, Transaction};
use engine::RandomStream;
use ftl::SuperblockState;

/// Constant: settings of a test drive with one die of two planes, each with 16 blocks of 32 pages of one unit.
const TWO_PLANES: &[&str] = &["nand.planes=2", "ftl.user_capacity=2480KiB"];
const LOGICAL: u64 = 620;

/// Fills a test drive, overwrites it at random with `writes` units, and calls `look` with the drive after each step.
fn overwritten(more: &[&str], writes: u32, mut look: impl FnMut(&Bench)) {
    let mut bench = Bench::new(&one_die(&[TWO_PLANES, more].concat()));
    let mut random = RandomStream::new(29, "overwrites");
    (0..LOGICAL as u32).for_each(|lpn| assert!(bench.write(lpn)));
    let mut written = 0;
    while written < writes {
        if bench.ftl.has_room() {
            assert!(bench.write(random.below(LOGICAL) as u32));
            written += 1;
        } else {
            assert!(bench.pass(), "{}", bench.ftl.explain_stall());
        }
        look(&bench);
    }
}

/// Checks that a program of moved units is padded only when no unit that could fill it is being read.
#[test]
fn what_is_moved_waits_for_what_is_still_read() {
    let (mut seen, mut reads, mut placed, mut padded) = ([0, 0], 0, 0, 0);
    overwritten(&[], 4_000, |bench| {
        let log = &bench.ctx.probe;
        let moves = |it: &&Transaction| it.kind == Kind::Read && it.origin == Origin::Gc;
        let before = reads;
        reads += log.submitted[seen[0]..].iter().filter(moves).count();
        reads -= log.finished[seen[1]..].iter().filter(moves).count();
        seen = [log.submitted.len(), log.finished.len()];
        for (_, origins) in &log.placed[placed..] {
            let is_padded = origins.contains(&Origin::Gc) && origins.contains(&Origin::Padding);
            assert!(!is_padded || before.min(reads) == 0, "{reads} reads in flight");
            padded += u32::from(is_padded);
        }
        placed = log.placed.len();
    });
    assert!(padded > 10, "{padded}");
}

/// Checks that the number of units still to be moved, which the translation layer reports, is the number of valid units
/// in victims.
#[test]
fn what_is_to_be_moved_is_what_victims_hold() {
    let mut most = 0;
    overwritten(&[], 4_000, |bench| {
        let states = bench.ftl.superblock_states().iter().zip(bench.ftl.valid_units());
        let held: u32 =
            states.filter(|(state, _)| **state == SuperblockState::Victim).map(|(_, valid)| valid).sum();
        assert_eq!(bench.ftl.mark().units_to_move, u64::from(held));
        most = most.max(held);
    });
    assert!(most > 16, "{most}");
}

/// Checks that planes which operate apart copy data back only inside a plane; data that change the plane go through the
/// controller.
#[test]
fn data_are_copied_back_only_inside_their_plane() {
    let (mut homes, mut seen) = (vec![None; LOGICAL as usize], [0, 0]);
    let (mut copied, mut across) = (0, 0);
    overwritten(&["controller.copyback=true", "controller.multi_plane=false"], 4_000, |bench| {
        let log = &bench.ctx.probe;
        let is_copied = log.finished[seen[0]..].last().is_some_and(|it| it.kind == Kind::Copyback);
        for (lpn, home, moved) in &log.committed[seen[1]..] {
            let plane = bench.ftl.array().plane_of(0, bench.ftl.layout().superblock_of(*home));
            let is_across = homes[lpn.index()].replace(plane) != Some(plane);
            assert!(!(is_copied && *moved && is_across), "{lpn} was copied back from one plane to another");
            copied += u32::from(is_copied && *moved);
            across += u32::from(*moved && is_across);
        }
        seen = [log.finished.len(), log.committed.len()];
    });
    assert!(copied > 1_000 && across > 1_000, "{copied} copied back, {across} from one plane to another");
}
