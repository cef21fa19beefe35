//! What a workload finds on the drive is there before the clock starts, and nothing else is.

use crate::common::{Around, SMALL, catalogue, closed_loop, drive, run};
use engine::RandomStream;
use host::trace::formats;
use host::{Extent, Op};
use serde_json::{Value, json};
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};
use std::io::Write;
use std::path::{Path, PathBuf};

const KIB: u64 = 1024;

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

fn fio(text: &str) -> WorkloadSpec {
    WorkloadSpec::FioText { name: "job.fio".into(), text: text.into(), variables: Default::default() }
}

fn trace(path: &Path, options: &str) -> WorkloadSpec {
    WorkloadSpec::Trace { path: path.to_owned(), options: serde_json::from_str(options).unwrap() }
}

fn result_of(drive: Drive, spec: &WorkloadSpec, options: RunOptions) -> Value {
    let mut session = Session::new(drive, spec, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session.result().unwrap_or_else(|error| panic!("{error}"))
}

fn laid_out(result: &Value) -> u64 {
    result["state"]["layout"]["bytes"].as_u64().unwrap()
}

fn unmapped(result: &Value) -> u64 {
    result["state"]["reads_unmapped"]["units"].as_u64().unwrap()
}

/// Makes a temporary trace file in MSR format from these lines: operation (`R`, `W` or `T` for trim), offset and length
/// in KiB.
fn msr(lines: &[(char, u64, u64)]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    for (index, (op, offset, length)) in (0u64..).zip(lines) {
        let kind = match op {
            'R' => "Read",
            'W' => "Write",
            _ => "Trim",
        };
        let time = 128_166_372_003_061_629 + index * 10_000;
        writeln!(file, "{time},prn,0,{kind},{},{},100", offset * KIB, length * KIB).unwrap();
    }
    file
}

#[test]
fn random_reads_of_a_fresh_drive_all_meet_flash() {
    let tlc = || Drive::load(&catalogue(), "tlc", &[]).unwrap();
    let job = fio("[r]\nrw=randread\nbs=4k\nsize=64m\niodepth=32\nnumber_ios=2000\n");
    let result = result_of(tlc(), &job, RunOptions::default());
    assert_eq!(laid_out(&result), 64 << 20);
    assert_eq!(result["state"]["reads_from_flash"]["share"], 1.0);
    assert_eq!(result["state"]["began"], "none");
    let plain = RunOptions { layout: false, ..RunOptions::default() };
    let result = result_of(tlc(), &job, plain);
    assert_eq!((laid_out(&result), unmapped(&result)), (0, 2000));
    assert_eq!(result["state"]["reads_unmapped"]["share"], 1.0);
    assert_eq!(result["flash"]["reads"]["total"], 0);
}

#[test]
fn jobs_that_only_write_find_nothing() {
    for rw in ["write", "randwrite", "trim", "randtrim", "trimwrite"] {
        let job = fio(&format!("[w]\nrw={rw}\nbs=4k\nsize=1m\n"));
        assert_eq!(laid_out(&result_of(drive(SMALL), &job, checked())), 0, "{rw}");
    }
    for rw in ["read", "randread", "rw", "randrw"] {
        let job = fio(&format!("[r]\nrw={rw}\nbs=4k\nsize=1m\n"));
        assert_eq!(laid_out(&result_of(drive(SMALL), &job, checked())), 1 << 20, "{rw}");
    }
}

#[test]
fn what_a_job_writes_before_another_reads_it_is_left_to_it() {
    let jobs = |first: &str| {
        let device = "[global]\nfilename=/dev/nvme0n1\nsize=1m\n";
        fio(&format!("{device}[first]\n{first}\n[read]\nstonewall\nrw=read\nbs=4k\n"))
    };
    for whole in
        ["rw=write\nbs=64k", "rw=randwrite\nbs=4k", "rw=write\nbs=4k\nloops=2", "rw=write\nbs=4k\nio_size=1m"]
    {
        let result = result_of(drive(SMALL), &jobs(whole), checked());
        assert_eq!((laid_out(&result), unmapped(&result)), (0, 0), "{whole}");
    }
    for part in [
        "rw=write\nbs=4k\nnumber_ios=10",
        "rw=write\nbs=4k\nruntime=1ms",
        "rw=randwrite\nbs=4k\nnorandommap",
        "rw=randwrite\nbs=4k\nrandom_distribution=zipf:1.1",
        "rw=write\nbs=4k\nio_size=512k",
        "rw=randwrite\nbsrange=4k-16k",
        "rw=randread\nbs=4k",
    ] {
        let result = result_of(drive(SMALL), &jobs(part), checked());
        assert_eq!((laid_out(&result), unmapped(&result)), (1 << 20, 0), "{part}");
    }
    // The last block does not fit: what it would have written is not there.
    let odd = "[global]\nfilename=/dev/nvme0n1\nsize=1040k\n[w]\nrw=write\nbs=64k\n[r]\nstonewall\nrw=read\nbs=4k\n";
    assert_eq!(laid_out(&result_of(drive(SMALL), &fio(odd), checked())), 16 << 10);
    // Without a stonewall both run at once.
    let beside = "[global]\nfilename=/dev/nvme0n1\nsize=1m\n[w]\nrw=write\nbs=64k\n[r]\nrw=read\nbs=4k\n";
    assert_eq!(laid_out(&result_of(drive(SMALL), &fio(beside), checked())), 1 << 20);
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/data/traces").join(format!("{name}.trace"))
}

/// Checks that the sample trace of each format, with the layout of its data before the run, reads only written units,
/// however its addresses are placed; samples with trims can read trimmed units.
#[test]
fn every_sample_trace_finds_its_data_however_it_is_placed() {
    let mut missed = 0;
    for card in formats() {
        for addresses in ["wrap", "scale", "compact"] {
            let mut how = json!({ "format": card.name, "addresses": addresses, "sort": true });
            if card.name == "table" {
                how["columns"] = "time:us op offset:bytes size:sectors volume".into();
            }
            let spec = trace(&sample(card.name), &how.to_string());
            let result = result_of(drive(SMALL), &spec, checked());
            let trims = result["host"]["submitted"]["trim"].as_u64().unwrap();
            assert!(laid_out(&result) > 0, "{}", card.name);
            if trims == 0 {
                assert_eq!(unmapped(&result), 0, "{}, {addresses}", card.name);
            }
            let result = result_of(drive(SMALL), &spec, RunOptions { layout: false, ..checked() });
            assert_eq!(laid_out(&result), 0);
            missed += unmapped(&result);
        }
    }
    assert!(missed > 100, "without a layout only {missed} reads of all samples met nothing");
}

#[test]
fn a_trace_finds_what_it_reads_or_writes_in_whole_units_but_not_what_it_trims() {
    let file = msr(&[('R', 3, 2), ('W', 100, 4), ('R', 100, 4), ('W', 41, 1), ('R', 0, 8)]);
    let result = result_of(drive(SMALL), &trace(file.path(), "{}"), checked());
    // Units 0 and 1, 25, and 10.
    assert_eq!((laid_out(&result), unmapped(&result)), (4 * 4 * KIB, 0));
    let trims = result_of_trims(&[('T', 400, 40), ('R', 0, 4)]);
    assert_eq!((laid_out(&trims), unmapped(&trims)), (4 * KIB, 0));
    let trims = result_of_trims(&[('R', 0, 8), ('T', 0, 4), ('R', 0, 8)]);
    assert_eq!((laid_out(&trims), unmapped(&trims)), (8 * KIB, 1), "trimmed before it is read again");
}

/// Runs a fio iolog with these lines (operation, offset and length in KiB), a format that has trims as the MSR format
/// of [`msr`] has not, and returns the result.
fn result_of_trims(lines: &[(char, u64, u64)]) -> Value {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "fio version 2 iolog\n/dev/sda add\n/dev/sda open").unwrap();
    for (op, offset, length) in lines {
        let kind = match op {
            'R' => "read",
            'W' => "write",
            _ => "trim",
        };
        writeln!(file, "/dev/sda {kind} {} {}", offset * KIB, length * KIB).unwrap();
    }
    result_of(drive(SMALL), &trace(file.path(), r#"{"as_fast_as_possible": 1}"#), checked())
}

#[test]
fn only_the_requests_that_were_asked_for_are_laid_out() {
    let file = msr(&[('R', 0, 4), ('R', 40, 4), ('R', 80, 4), ('R', 120, 4)]);
    let bytes = |options: &str, limit: Option<u64>| {
        let options = (options, RunOptions { limit_requests: limit, ..checked() });
        laid_out(&result_of(drive(SMALL), &trace(file.path(), options.0), options.1))
    };
    assert_eq!(bytes("{}", None), 16 * KIB);
    assert_eq!(bytes(r#"{"from_ns": 2000000}"#, None), 8 * KIB);
    // A run that ends early is the beginning of the whole run: it begins with the same drive.
    assert_eq!(bytes("{}", Some(1)), 16 * KIB);
}

#[test]
fn a_volume_finds_its_addresses() {
    let spec = WorkloadSpec::Volume { spec: "volume:prn_0,fit=0.5,requests=2000,distinct=1500".into() };
    let result = result_of(drive(SMALL), &spec, checked());
    assert_eq!(unmapped(&result), 0);
    assert!(laid_out(&result) > 0);
    let plain = RunOptions { layout: false, ..checked() };
    assert!(unmapped(&result_of(drive(SMALL), &spec, plain)) > 0);
}

/// Makes a test workload of random reads and writes over the whole drive, which expects (for the layout) that all of
/// the drive holds data.
fn finds_all(drive: &Drive, requests: u64) -> Box<Around> {
    let span = drive.capacity().get();
    let mut random = RandomStream::new(5, "test");
    let inner = closed_loop(requests, 8, move |_| {
        let op = if random.chance(0.5) { Op::READ } else { Op::WRITE };
        (op, random.below(span / 4096) * 4096, 4096)
    });
    Box::new(Around::finds(inner, vec![Extent { offset: 0, bytes: span }]))
}

#[test]
fn the_rest_of_a_partly_filled_drive_is_laid_out() {
    for precondition in [PreconditionKind::Fill, PreconditionKind::Instant, PreconditionKind::Steady] {
        let drive = drive(SMALL);
        let workload = finds_all(&drive, 20_000);
        let capacity = drive.capacity().get();
        let options = RunOptions { precondition, fill: 0.3, ..checked() };
        let (_, result) = run(drive, workload, options);
        let filled = (capacity / 4096) * 3 / 10 * 4096;
        assert_eq!(laid_out(&result), capacity - filled, "{precondition:?}");
        assert_eq!(unmapped(&result), 0, "{precondition:?}");
    }
    let drive = drive(SMALL);
    let workload = finds_all(&drive, 100);
    let options = RunOptions { precondition: PreconditionKind::Fill, ..checked() };
    let (_, result) = run(drive, workload, options);
    assert_eq!(laid_out(&result), 0, "nothing was missing");
    assert_eq!(result["state"]["layout"]["on"], true);
}

#[test]
fn a_saved_state_is_laid_out_further_and_saved_with_what_was_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let half = fio("[w]\nrw=write\nbs=64k\nsize=50%\n");
    let mut session = Session::new(drive(SMALL), &half, checked()).unwrap();
    session.finish().unwrap();
    session.save_state(Path::new(&path("half"))).unwrap();
    let capacity = drive(SMALL).capacity().get();
    let load = RunOptions { load_state: Some(path("half")), save_state: Some(path("all")), ..checked() };
    let begin = drive(SMALL);
    let workload = finds_all(&begin, 20_000);
    let (_, result) = run(begin, workload, load);
    assert_eq!(result["state"]["began"], "loaded");
    // Half of the drive, in whole requests.
    assert_eq!(laid_out(&result), capacity - capacity / 2 / (64 * KIB) * 64 * KIB);
    let load = RunOptions { load_state: Some(path("all")), ..checked() };
    let begin = drive(SMALL);
    let workload = finds_all(&begin, 20_000);
    let (_, again) = run(begin, workload, load);
    assert_eq!(laid_out(&again), 0);
}

#[test]
fn every_kind_of_mapping_and_guard_takes_a_layout() {
    for more in [
        &["ftl.mapping.name=dftl"][..],
        &["ftl.mapping.name=birrell"],
        &["ftl.mapping.name=fast"],
        &["ftl.mapping.name=bast"],
        &["ftl.parity.name=rain", "ftl.op_ratio=0.6"],
        &["ftl.snapshots.every=5ms"],
        &["ftl.wear.name=static"],
    ] {
        let drive = drive(&[SMALL, more].concat());
        let workload = finds_all(&drive, 3_000);
        let capacity = drive.capacity().get();
        let (_, result) = run(drive, workload, checked());
        assert_eq!((laid_out(&result), unmapped(&result)), (capacity, 0), "{more:?}");
    }
}

#[test]
fn a_worn_out_drive_has_no_room_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("worn").display().to_string();
    let failing = [SMALL, &["nand.bad_blocks.erase_fail_ratio=0.02"]].concat();
    let half = drive(&failing).capacity().get() / 2;
    let mut random = RandomStream::new(1, "test");
    let writes = closed_loop(400_000, 16, move |_| (Op::WRITE, random.below(half / 4096) * 4096, 4096));
    let (mut session, result) = run(drive(&failing), writes, RunOptions::default());
    assert_eq!(result["wear"]["read_only"], true);
    session.save_state(Path::new(&path)).unwrap();
    let begin = drive(&failing);
    let workload = finds_all(&begin, 10);
    let options = RunOptions { load_state: Some(path), ..RunOptions::default() };
    let mut session = Session::with_workload(begin, workload, options).unwrap();
    let error = session.finish().unwrap_err().to_string();
    assert!(
        error.contains("no room for what the workload finds") && error.contains("--no-layout"),
        "{error}"
    );
}

#[test]
fn a_workload_larger_than_the_drive_is_refused_as_before() {
    let job = fio("[r]\nrw=randread\nbs=4k\nsize=1t\n");
    let error = Session::new(drive(SMALL), &job, RunOptions::default()).err().unwrap().to_string();
    assert!(error.contains("no more than the drive's"), "{error}");
    let far: Vec<(char, u64, u64)> = (0..40).map(|index| ('R', index << 20, 1024)).collect();
    let file = msr(&far);
    let spec = trace(file.path(), "{}");
    let error = Session::new(drive(SMALL), &spec, RunOptions::default()).err().unwrap().to_string();
    assert!(error.contains("--wrap or --scale"), "{error}");
}

#[test]
fn a_run_can_be_stopped_while_it_is_laid_out() {
    let begin = drive(SMALL);
    let workload = finds_all(&begin, 1_000);
    let mut session = Session::with_workload(begin, workload, RunOptions::default()).unwrap();
    while session.advance(10).unwrap().phase != "layout" {}
    session.advance(10).unwrap();
    session.interrupt().unwrap();
    let result = session.result().unwrap();
    assert_eq!(result["interrupted"], true);
    assert_eq!(result["host"]["completed"]["total"], 0);
}
