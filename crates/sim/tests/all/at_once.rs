//! Does a drive that is filled at once, or constructed from what was kept, hold to the bit what it would otherwise?

use crate::common::{drive, run, uniform};
use ftl::Ftl;
use host::Op;
use sim::{Drive, Pilots, PreconditionKind, RunOptions};
use units::{Lpn, Ppa};

/// Makes a test drive with few superblocks of awkward sizes, so that 64-bit words of validity bits extend beyond the
/// end of a superblock.
fn small(settings: &[&str]) -> Drive {
    let lines = [
        "geometry.channels=2",
        "geometry.ways=3",
        "nand.cell=tlc",
        "nand.planes=1",
        "nand.blocks_per_plane=40",
        "nand.pages_per_block=33",
        "nand.page_size=8KiB",
        "nand.t_r=25us",
        "nand.t_prog=200us",
        "nand.t_bers=1500us",
        "bus.interface.rate=400MT/s",
        "ftl.op_ratio=0.6",
    ];
    drive(&[&lines[..], settings].concat())
}

/// Checks that two translation layers give the same answers: map in both directions, valid units, counts, states of
/// superblocks, and saved state.
fn assert_same(one: &Ftl, other: &Ftl, context: &str) {
    let layout = one.layout();
    for lpn in (0..layout.logical_units).map(Lpn) {
        assert_eq!(one.lookup(lpn), other.lookup(lpn), "{context}: {lpn}");
    }
    for ppa in (0..layout.physical_units() as u64).map(Ppa) {
        assert_eq!(one.holder(ppa), other.holder(ppa), "{context}: {ppa}");
        assert_eq!(one.is_valid(ppa), other.is_valid(ppa), "{context}: {ppa}");
    }
    let first = |ftl: &Ftl, from| ftl.first_unwritten(from, layout.logical_units);
    for from in (0..layout.logical_units).step_by(7) {
        assert_eq!(first(one, from), first(other, from), "{context}: from {from}");
    }
    assert_eq!(format!("{:?}", one.stats()), format!("{:?}", other.stats()), "{context}");
    assert_eq!(one.superblock_states(), other.superblock_states(), "{context}");
    assert_eq!(one.save(), other.save(), "{context}");
}

#[test]
fn a_drive_filled_at_once_is_the_one_that_was_filled_unit_by_unit() {
    let settings: [&[&str]; 5] = [
        &[],
        &["nand.bad_blocks.factory_ratio=0.1"],
        &["ftl.streams.name=mixed"],
        &["ftl.gc.victim.name=random", "ftl.gc.trigger.low=9"],
        &["nand.program=one-shot"],
    ];
    for settings in settings {
        let drive = small(settings);
        for (first, count) in [(0, 1.0), (0, 0.5), (777, 0.6), (5, 0.01)] {
            let context = format!("{settings:?} from {first}, {count} of it");
            let (mut fast, mut slow) = (drive.build(3).expect("built"), drive.build(3).expect("built"));
            let units = (f64::from(fast.layout().logical_units - first) * count) as u32;
            let at_once = fast.write_in_order(Lpn(first), units);
            if count > 0.3 {
                assert!(at_once > units / 2, "{context}: {at_once} units at once");
            }
            (first..first + units).skip(at_once as usize).for_each(|lpn| fast.write_untimed(Lpn(lpn)));
            (first..first + units).for_each(|lpn| slow.write_untimed(Lpn(lpn)));
            [&mut fast, &mut slow].into_iter().for_each(Ftl::settle);
            assert_same(&fast, &slow, &context);
        }
    }
}

#[test]
fn what_takes_part_in_writes_is_asked_unit_by_unit() {
    for feature in ["ftl.mapping.name=dftl", "ftl.parity.name=rain", "ftl.mapping.name=fast"] {
        let mut ftl = small(&[feature, "ftl.op_ratio=1.0"]).build(1).expect("built");
        assert_eq!(ftl.write_in_order(Lpn(0), 100_000), 0, "{feature}");
    }
    let mut used = small(&[]).build(1).expect("built");
    used.write_untimed(Lpn(3));
    assert_eq!(used.write_in_order(Lpn(0), 1000), 0, "a drive that is not fresh");
}

fn options(pilots: Option<Pilots>) -> RunOptions {
    RunOptions { precondition: PreconditionKind::Instant, pilots, ..Default::default() }
}

#[test]
fn with_kept_pilots_or_without_a_run_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = Some(Pilots { folder: folder.path().to_owned(), build: "test".into() });
    let result = |pilots| {
        let workload = uniform(1000, 8, Op::WRITE, 8192, 1 << 23, 1);
        let (_, mut value) = run(small(&[]), workload, options(pilots));
        value.as_object_mut().expect("a result").remove("engine");
        value
    };
    let without = result(None);
    assert_eq!(result(kept.clone()), without, "the first, which keeps");
    let count = || std::fs::read_dir(folder.path()).expect("there").count();
    let entries = count();
    assert!(entries > 0, "it keeps something");
    assert_eq!(result(kept), without, "the second, which finds it");
    assert_eq!(count(), entries);
}
