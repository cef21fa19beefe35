//! What a stepped drive ends with is what the run of the same requests ends with, to the digit.

use crate::{catalogue, open, setup};
use host::trace::{self, Addresses, TraceOptions};
use host::{HostRequest, Poll, Workload};
use serde_json::Value;
use sim::{RunOptions, Session, WorkloadSpec};
use std::path::PathBuf;
use step::{StepRequest, StepSetup, SteppedDrive};
use units::SimTime;

const REQUESTS: u64 = 2_000;

/// Constant: list of drives with all kinds of mapping and host link that can play a block trace, each with its
/// settings.
const DRIVES: [(&str, &[&str]); 7] = [
    ("small-tlc", &[]),
    ("small-tlc", &["ftl.buffer.read_cache=true", "ftl.buffer.flush_after=1ms"]),
    ("gray2007-flash-disk", &[]),
    ("gray2007-remedy", &[]),
    ("mqsim-default", &[]),
    ("simplessd-default", &[]),
    ("sata-tlc", &[]),
];

fn spec() -> WorkloadSpec {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/server.csv.gz"));
    WorkloadSpec::Trace {
        path,
        options: TraceOptions { addresses: Addresses::Wrap, ..TraceOptions::default() },
    }
}

fn options(precondition: &str) -> RunOptions {
    let text = format!("{{\"seed\": 7, \"layout\": false, \"precondition\": \"{precondition}\"}}");
    RunOptions::from_json(&text).unwrap()
}

/// Returns the results of an ordinary run of the trace on the drive (at most `limit` requests), without the parts that
/// depend on the source of requests or on this machine.
fn run(setup: &StepSetup, limit: Option<u64>) -> Value {
    let drive = setup.drive(&catalogue()).unwrap();
    let options = RunOptions { limit_requests: limit, ..setup.options.clone() };
    let mut session = Session::new(drive, &spec(), options).unwrap();
    session.finish().unwrap();
    measured(session.result().unwrap())
}

fn measured(mut result: Value) -> Value {
    let parts = result.as_object_mut().unwrap();
    let events = parts["engine"]["events"].take();
    for part in ["engine", "workload", "precondition", "wall"] {
        parts.remove(part);
    }
    parts.insert("events".into(), events);
    // The trace's volume in one, the caller in the other.
    parts["jobs"][0]["name"].take();
    result
}

/// Returns the differences between two JSON results: for each, the path of the member, the found and the expected
/// value.
fn differing(found: &Value, expected: &Value) -> Vec<String> {
    let mut told = Vec::new();
    if let (Value::Object(found), Value::Object(expected)) = (found, expected) {
        for (key, value) in expected {
            let inner = differing(found.get(key).unwrap_or(&Value::Null), value);
            told.extend(inner.iter().map(|text| format!("{key}.{text}")));
        }
        assert!(found.len() == expected.len() || !told.is_empty());
    } else if found != expected {
        told.push(format!(": {found} instead of {expected}").chars().take(300).collect());
    }
    told
}

/// Returns the first `most` requests of the trace as a replay of the trace would send them to the drive.
fn requests(setup: &StepSetup, most: u64) -> Vec<StepRequest> {
    let drive = setup.drive(&catalogue()).unwrap();
    let WorkloadSpec::Trace { path, options } = spec() else { unreachable!("a trace") };
    let mut source = trace::open(&path, &options, drive.space()).unwrap();
    let (mut found, mut now) = (Vec::new(), SimTime::ZERO);
    while (found.len() as u64) < most {
        match source.poll(now).unwrap() {
            Poll::At(time) => now = time,
            Poll::Ready(HostRequest { arrive, op, offset, bytes, fua, placement, .. }) => found
                .push(StepRequest { time_ns: arrive.ns(), op, offset, bytes, namespace: 0, fua, placement }),
            _ => break,
        }
    }
    found
}

/// Type of a way to step a drive through requests: its name, and the function that steps the drive.
type Way = (&'static str, fn(&mut SteppedDrive, &[StepRequest]));

/// Constant: list of four ways to step a drive through the same requests, which must give equal results.
const WAYS: [Way; 4] = [
    ("all at once", |drive, requests| {
        drive.submit_all(requests.iter().copied().map(Ok)).unwrap();
    }),
    ("each before its time", |drive, requests| {
        for request in requests {
            drive.run_until(request.time_ns.saturating_sub(1).max(drive.now_ns())).unwrap();
            drive.submit(request).unwrap();
        }
    }),
    ("groups, answers taken on the way", |drive, requests| {
        let mut seen = 0;
        for group in requests.chunks(37) {
            drive.submit_all(group.iter().copied().map(Ok)).unwrap();
            let until = group[0].time_ns.max(drive.now_ns());
            while drive.next(Some(until)).unwrap().is_some() {
                seen += 1;
            }
        }
        assert_eq!(seen, drive.submitted() - drive.outstanding());
    }),
    ("late ones first", |drive, requests| {
        for group in requests.chunks(16) {
            for request in group.iter().rev() {
                drive.submit(request).unwrap();
            }
        }
    }),
];

/// Test: a stepped drive and a run that load the same saved state, in which garbage collection begins at once, agree.
#[test]
fn a_drive_that_begins_from_a_state_collects_as_a_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steady.state").to_str().unwrap().to_owned();
    let set = ["nand.pages_per_block=24", "ftl.op_ratio=0.4", "nand.blocks_per_plane=32"];
    let mut made = open(&StepSetup { options: options("instant"), ..setup("small-tlc", &set) });
    made.save(path.as_ref()).unwrap();
    let options = RunOptions { load_state: Some(path), layout: false, ..RunOptions::default() };
    let setup = StepSetup { options, ..setup("small-tlc", &set) };
    let expected = run(&setup, Some(4 * REQUESTS));
    assert!(expected["ftl"]["gc"]["victims"].as_u64() > Some(20), "{}", expected["ftl"]["gc"]);
    let requests = requests(&setup, 4 * REQUESTS);
    for (way, steps) in &WAYS[..2] {
        let mut drive = open(&setup);
        steps(&mut drive, &requests);
        drive.finish().unwrap();
        let found = measured(drive.statistics().unwrap());
        assert_eq!(differing(&found, &expected), Vec::<String>::new(), "{way}");
    }
}

#[test]
fn a_drive_that_is_stepped_measures_what_a_run_measures() {
    for (name, set) in DRIVES {
        let checked = RunOptions { check: true, ..options("none") };
        let checked = StepSetup { options: checked, ..setup(name, set) };
        let setup = StepSetup { options: options("none"), ..setup(name, set) };
        let expected = run(&setup, Some(REQUESTS));
        assert_eq!(expected["host"]["completed"]["total"], REQUESTS);
        let mut requests = requests(&setup, REQUESTS);
        assert_eq!(requests.len() as u64, REQUESTS);
        for (way, steps) in WAYS {
            if way == "late ones first" {
                // Those of one moment keep their order only where it is that of their submission.
                requests.dedup_by_key(|request| request.time_ns);
                if (requests.len() as u64) < REQUESTS {
                    continue;
                }
            }
            // A drive that is checked is a run of another type.
            for (setup, watched) in [(&setup, ""), (&checked, ", checked")] {
                let mut drive = open(setup);
                steps(&mut drive, &requests);
                drive.finish().unwrap();
                let found = measured(drive.statistics().unwrap());
                assert_eq!(
                    differing(&found, &expected),
                    Vec::<String>::new(),
                    "{name} {set:?}, {way}{watched}"
                );
            }
        }
    }
}
