//! Does it run, with the checks on?

mod common;

use common::{SMALL, drive, run, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions};

#[test]
fn random_writes_with_garbage_collection_pass_the_checks() {
    let drive = drive(SMALL);
    let span = drive.capacity().get();
    let workload = uniform(60_000, 16, Op::Write, 4096, span, 1);
    let (_, result) = run(drive, workload, RunOptions { check: true, ..RunOptions::default() });
    assert_eq!(result["host"]["completed"]["write"], 60_000);
    let waf = result["waf"].as_f64().unwrap();
    assert!(waf > 1.5 && waf < 4.0, "write amplification {waf}");
}

#[test]
fn preconditioned_reads_pass_the_checks() {
    for kind in [PreconditionKind::Fill, PreconditionKind::Instant, PreconditionKind::Steady] {
        let drive = drive(SMALL);
        let span = drive.capacity().get();
        let options = RunOptions { check: true, precondition: kind, ..RunOptions::default() };
        let (_, result) = run(drive, uniform(20_000, 8, Op::Read, 8192, span, 1), options);
        assert_eq!(result["host"]["completed"]["read"], 20_000, "{kind:?}");
        assert_eq!(result["buffer"]["units_read_unmapped"], 0, "{kind:?}");
    }
}
