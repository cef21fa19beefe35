//! Does it run, with the checks on?

use crate::common::{SMALL, drive, run, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions, Session, WorkloadSpec};

#[test]
fn random_writes_with_garbage_collection_pass_the_checks() {
    let drive = drive(SMALL);
    let span = drive.capacity().get();
    let workload = uniform(60_000, 16, Op::WRITE, 4096, span, 1);
    let (_, result) = run(drive, workload, RunOptions { check: true, ..RunOptions::default() });
    assert_eq!(result["host"]["completed"]["write"], 60_000);
    let waf = result["waf"].as_f64().unwrap();
    assert!(waf > 1.5 && waf < 4.0, "write amplification {waf}");
}

#[test]
fn what_a_ramp_leaves_out_is_still_checked() {
    let text =
        "[job]\nrw=randrw\nbs=4k\nioengine=libaio\niodepth=4\nramp_time=20ms\nruntime=40ms\ntime_based\n";
    let spec =
        WorkloadSpec::FioText { name: "ramp.fio".into(), text: text.into(), variables: Default::default() };
    let drive = drive(SMALL);
    let workload = spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"));
    let (_, result) = run(drive, workload, RunOptions { check: true, ..RunOptions::default() });
    let total = |key: &str| result["host"][key]["total"].as_u64().unwrap();
    assert_eq!(total("submitted"), total("completed") + total("failed"));
    assert!(result["started_ns"].as_u64().unwrap() >= 20_000_000);
    assert!(
        total("completed") < result["workload"]["requests"].as_u64().unwrap(),
        "the ramp left nothing out"
    );
}

#[test]
fn a_run_that_ends_within_its_ramp_is_refused() {
    let text = "[job]\nrw=read\nbs=4k\nio_size=64k\nramp_time=1s\n";
    let spec =
        WorkloadSpec::FioText { name: "ramp.fio".into(), text: text.into(), variables: Default::default() };
    let drive = drive(SMALL);
    let workload = spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"));
    let mut session = Session::with_workload(drive, workload, RunOptions::default()).expect("it begins");
    let error = session.finish().expect_err("it measured nothing").to_string();
    assert!(error.contains("none of 16 requests was made after the ramp"), "{error}");
}

#[test]
fn preconditioned_reads_pass_the_checks() {
    for kind in [PreconditionKind::Fill, PreconditionKind::Instant, PreconditionKind::Steady] {
        let drive = drive(SMALL);
        let span = drive.capacity().get();
        let options = RunOptions { check: true, precondition: kind, ..RunOptions::default() };
        let (_, result) = run(drive, uniform(20_000, 8, Op::READ, 8192, span, 1), options);
        assert_eq!(result["host"]["completed"]["read"], 20_000, "{kind:?}");
        assert_eq!(result["ftl"]["buffer"]["units_read_unmapped"], 0, "{kind:?}");
    }
}

#[test]
fn a_mapping_unit_may_be_a_sector() {
    let ftl = drive(&[SMALL, &["ftl.mapping_unit=512B"]].concat()).build(1).expect("a drive");
    assert_eq!(ftl.layout().units_per_page, 8);
}
