//! Is the state that a workload of any kind leaves that of many passes of it? Jobs one after the other, and a trace.

use crate::common;
use crate::common::drive;
use crate::common::two_sample::mann_whitney;
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};

/// Constant: number of runs for each of the two kinds of preconditioning that are compared.
const RUNS: u64 = 10;
/// Constant: number of passes of the workload on a drive that was only filled; the last pass is compared.
const PASSES: u64 = 12;

/// Returns the write amplification of the last pass of a workload on a filled drive, or of the only pass after another
/// preconditioning.
fn of_pass(drive: Drive, work: &WorkloadSpec, kind: PreconditionKind, seed: u64) -> f64 {
    let long = kind == PreconditionKind::Fill;
    let passes = long.then(|| PASSES.to_string());
    let options = RunOptions { precondition: kind, seed, passes, ..RunOptions::default() };
    let mut session = Session::new(drive, work, options).unwrap_or_else(|error| panic!("{error}"));
    let mut first = None;
    let mut before = Default::default();
    loop {
        let progress = session.advance(64).unwrap_or_else(|error| panic!("{error}"));
        let ahead = if long { (PASSES - 1) as f64 / PASSES as f64 } else { 0.0 };
        if first.is_none() && progress.phase == "run" && progress.fraction.is_some_and(|done| done >= ahead) {
            before = *session.ftl().unwrap().stats();
            first = Some(());
        }
        if progress.done {
            break;
        }
    }
    let ftl = session.ftl().unwrap();
    ftl.stats().since(&before).waf(ftl.layout().unit).unwrap()
}

fn assert_as_in_the_long_run(name: &str, made: &dyn Fn() -> Drive, work: &WorkloadSpec) {
    let sample = |kind, first: u64| -> Vec<f64> {
        (first..first + RUNS).map(|seed| of_pass(made(), work, kind, seed)).collect()
    };
    let (long, own) = (sample(PreconditionKind::Fill, 1), sample(PreconditionKind::Workload, 101));
    let chance = mann_whitney(&long, &own);
    let mean = |sample: &[f64]| sample.iter().sum::<f64>() / sample.len() as f64;
    let (a, b) = (mean(&long), mean(&own));
    println!("{chance:10.6} {name}: long run {a:.4}, workload {b:.4}");
    assert!(
        chance > 0.005 || (a / b - 1.0).abs() < 0.005,
        "{name}: long run {a}, workload {b}, chance {chance}"
    );
}

fn small(blocks: u32) -> Drive {
    let blocks = format!("nand.blocks_per_plane={blocks}");
    drive(&[common::SMALL, &["ftl.buffer.size=64KiB", &blocks]].concat())
}

#[test]
fn jobs_one_after_the_other_leave_the_state_of_both() {
    let work = WorkloadSpec::FioText {
        name: "jobs".into(),
        text: "[global]\nbs=4k\nfilename=/dev/x\nsize=100%\nnorandommap\n\
               [wide]\nrw=randwrite\nio_size=16m\n\
               [narrow]\nstonewall\nrw=randwrite\nsize=20%\nio_size=16m\n\
               [order]\nstonewall\nrw=write\nsize=50%\n"
            .into(),
        variables: Default::default(),
    };
    assert_as_in_the_long_run("stonewalled jobs", &|| small(64), &work);
}

/// Checks with a recorded trace, if its file is there, that preconditioning by copies of the workload leaves the state
/// of many passes; the drive is filled by the trace's footprint, placed without gaps.
#[test]
#[ignore = "2.4 % high (1.234 against 1.206) on so small a drive, with a buffer of 4 units as of 16: not understood yet"]
fn a_trace_leaves_the_state_of_many_passes_of_it() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let folder = std::env::var("FLOATGATE_TRACES").unwrap_or_else(|_| default.into());
    let path = std::path::Path::new(&folder).join("umass-financial1-first10k.ascii.gz");
    if !path.is_file() {
        eprintln!("skipped: no {}", path.display());
        return;
    }
    // Without idle times, in which a die collects: untimed writing has none.
    let options = r#"{"format": "ssdsim", "addresses": "compact", "as_fast_as_possible": 16}"#;
    let options = serde_json::from_str(options).unwrap();
    let work = WorkloadSpec::Trace { path, options };
    assert_as_in_the_long_run("a trace", &|| small(76), &work);
}
