//! Drives with more units on flash than 32 bits number: 16 TB in units of 4 KiB. A rule stands for their map here, so that
//! they take little memory; the map's own tests have arrays of both widths.

use crate::common::bench::{Bench, with_policies};
use crate::common::{drive, uniform};
use ftl::Ftl;
use host::Op;
use sim::{PreconditionKind, RunOptions, Session};
use units::{Lpn, Ppa};

const WIDE: [&str; 12] = [
    "geometry.channels=16",
    "geometry.ways=8",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=2240",
    "nand.pages_per_block=1024",
    "nand.page_size=64KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=400MT/s",
    "ftl.user_capacity=16TB",
];

fn made() -> Ftl {
    with_policies(&WIDE, |_| {})
}

/// Returns a sample of logical units from all parts of the drive: each 7,654,321st.
fn some(ftl: &Ftl) -> impl Iterator<Item = Lpn> + use<> {
    (0..ftl.layout().logical_units).step_by(7_654_321).map(Lpn)
}

#[test]
fn what_is_written_beyond_32_bits_is_found_there() {
    let mut ftl = made();
    let units = ftl.layout().logical_units;
    assert!(ftl.layout().physical_units() as u64 > 1 << 32 && units > 3_900_000_000, "{units}");
    let at_once = ftl.write_in_order(Lpn(0), units);
    ftl.settle();
    assert!(at_once > units / 10 * 9, "{at_once} of {units}");
    let homes: Vec<Ppa> = some(&ftl).take_while(|lpn| lpn.0 < at_once).map(|lpn| ftl.lookup(lpn)).collect();
    assert!(homes.iter().filter(|home| home.0 > 1 << 32).count() > 5, "some live beyond");
    for (lpn, &home) in some(&ftl).zip(&homes) {
        assert!(ftl.is_valid(home) && ftl.holder(home) == lpn, "{lpn} at {home}");
    }
    let mut bench = Bench::of(ftl);
    let rewritten: Vec<Lpn> = some(&bench.ftl).take(homes.len()).collect();
    rewritten.iter().for_each(|lpn| assert!(bench.write(lpn.0)));
    bench.settle();
    for (&lpn, &old) in rewritten.iter().zip(&homes) {
        let new = bench.ftl.lookup(lpn);
        assert!(new != old && bench.ftl.is_valid(new) && bench.ftl.holder(new) == lpn, "{lpn} at {new}");
        assert!(!bench.ftl.is_valid(old), "{lpn} was at {old}");
    }
    assert_eq!(bench.ctx.probe.committed.len(), rewritten.len());
}

#[test]
fn a_run_reads_and_writes_all_over_a_drive_of_16_tb() {
    let states = [
        (PreconditionKind::None, Op::WRITE),
        (PreconditionKind::Fill, Op::WRITE),
        (PreconditionKind::Instant, Op::READ),
    ];
    for (precondition, op) in states {
        let workload = uniform(300, 16, op, 4096, 16_000_000_000_000, 3);
        // Arrays would take 38 GB; so short a run makes none.
        let options =
            RunOptions { precondition, memory_limit: Some(64 << 30), layout: false, ..Default::default() };
        let mut session = Session::with_workload(drive(&WIDE), workload, options).expect("begun");
        session.finish().unwrap_or_else(|error| panic!("{precondition:?} {op:?}: {error}"));
        let result = session.result().expect("a result");
        assert_eq!(result["host"]["completed"]["total"], 300, "{precondition:?} {op:?}");
    }
}
