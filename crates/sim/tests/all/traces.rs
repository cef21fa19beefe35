//! Every real trace at hand runs to its end on a fitting drive, filled before, with the checks on.
//!
//! Found through `FLOATGATE_TRACES`, by default `../shared/traces` beside the repository; skipped without.

use crate::common::{drive, policies_of_plain_runs, run};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, WorkloadSpec};
use std::path::{Path, PathBuf};

/// Constant: trace files with the options that their descriptions call for, as JSON; all are run with `compact`
/// addresses, which fit any drive of the footprint's size.
const TRACES: &[(&str, &str)] = &[
    ("blkreplay-linux-webserver-2.load.gz", "{}"),
    ("blkreplay-windows-mssql.load.gz", "{}"),
    ("cloudphysics-vscsi-2h.csv.gz", "{}"),
    ("derived-linux-webserver-2-no-repeats.load.gz", "{}"),
    ("disksim-ssd-postmark.trace.gz", r#"{"format": "disksim"}"#),
    ("fiu-mail-10k.blkparse.gz", "{}"),
    ("hadoop-node8.blkparse.txt.gz", "{}"),
    // The last two events carry an absolute clock, the description says: leave them out.
    ("java-app-ext4.blkparse.txt.gz", r#"{"sort": true, "until_ns": 1000000000000}"#),
    ("java-app-f2fs.blkparse.txt.gz", r#"{"sort": true}"#),
    ("ms-tpcc-small.trace.gz", r#"{"format": "mqsim"}"#),
    ("msps-dtrs-300s.trace.gz", r#"{"format": "dtrs"}"#),
    ("msr-hm_0-first-sample.csv.gz", "{}"),
    ("msr-hm_0-slice.csv.gz", "{}"),
    ("msr-hm_1-writes-only.csv.gz", "{}"),
    ("msr-mds_0-writes-only-head.csv.gz", "{}"),
    ("msr-rsrch_0-head.csv.gz", "{}"),
    ("msr-rsrch_1.csv.gz", "{}"),
    ("msr-wdev_1.csv.gz", "{}"),
    ("msr-wdev_2-slice.txt.gz", "{}"),
    ("msr-window-peak_iops.trace.gz", r#"{"format": "ms-offset"}"#),
    ("msr-window-rw20_80.trace.gz", r#"{"format": "ms-offset"}"#),
    ("msr-window-rw40_60.trace.gz", r#"{"format": "ms-offset"}"#),
    // The first requests carry clocks from before the phone set its time.
    ("nexus5-booting.txt.gz", r#"{"sort": true, "from_ns": 1000000000000000000}"#),
    ("nexus5-movie.txt.gz", r#"{"sort": true}"#),
    ("pcmark.trace.gz", r#"{"format": "disksim"}"#),
    ("sqlite-wal-update-ext4.txt.gz", "{}"),
    ("systor17-lun-sample.csv.gz", r#"{"sort": true}"#),
    ("tencent-cbs-sample.csv.gz", r#"{"format": "tencent", "sort": true}"#),
    ("umass-financial1-first10k.ascii.gz", r#"{"format": "ssdsim"}"#),
    ("umass-financial1-first50k-pages.trace.gz", r#"{"format": "diskpages"}"#),
];

fn folder() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let folder = std::env::var_os("FLOATGATE_TRACES").map_or_else(|| default.into(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no traces in {}", folder.display());
    None
}

/// Makes a TLC test drive of 8 GiB, or of 30 GiB for the trace `file` with the largest footprint.
fn fitting(file: &str, settings: &[&str]) -> Drive {
    let (blocks, capacity) = if file.starts_with("hadoop") { (800, "30GiB") } else { (224, "8GiB") };
    let common = [
        "geometry.channels=4",
        "geometry.ways=2",
        "nand.cell=tlc",
        "nand.program=one-shot",
        "nand.planes=2",
        &format!("nand.blocks_per_plane={blocks}"),
        "nand.pages_per_block=192",
        "nand.page_size=16KiB",
        "nand.t_r=[\"50us\", \"60us\", \"70us\"]",
        "nand.t_prog=700us",
        "nand.t_bers=5ms",
        "bus.interface.rate=800MT/s",
        "ecc.t_decode=5us",
        &format!("ftl.user_capacity={capacity}"),
    ];
    drive(&[&common, settings].concat())
}

/// Runs a trace file with the checker and compact addresses, and returns the result.
fn run_trace(folder: &Path, file: &str, options: &str, drive: Drive, run_options: RunOptions) -> Value {
    let path = folder.join(file);
    assert!(path.is_file(), "{} is missing", path.display());
    let mut options: Value = serde_json::from_str(options).unwrap();
    options["addresses"] = "compact".into();
    let spec = serde_json::json!({ "kind": "trace", "path": path, "options": options });
    let workload = WorkloadSpec::from_json(&spec.to_string())
        .and_then(|spec| spec.open(drive.capacity().get(), 1))
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    run(drive, workload, RunOptions { check: true, ..run_options }).1
}

#[test]
fn every_real_trace_runs_to_its_end_with_the_checks_on() {
    let Some(folder) = folder() else { return };
    for (file, options) in TRACES {
        let run_options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        let result = run_trace(&folder, file, options, fitting(file, &[]), run_options);
        let requests = result["workload"]["requests"].as_u64().unwrap();
        assert!(requests > 900, "{file}: only {requests} requests");
        assert_eq!(result["host"]["completed"]["total"], requests, "{file}");
        assert_eq!(result["host"]["failed"]["total"], 0, "{file}");
    }
}

/// Constant: number of a trace's first requests that the test runs on slow kinds of mapping, as BAST moves a block for
/// most writes.
const BEGINNING: u64 = 20_000;

/// Runs the beginning of each trace with the checker on a drive with these settings and mapping units of a page (16
/// KiB).
fn run_all(folder: &Path, settings: &[&str]) {
    let beginning = RunOptions { limit_requests: Some(BEGINNING), ..RunOptions::default() };
    for (file, options) in TRACES {
        let drive = fitting(file, &[&["ftl.mapping_unit=16KiB"], settings].concat());
        let result = run_trace(folder, file, options, drive, beginning.clone());
        let completed = result["host"]["completed"]["total"].as_u64().unwrap();
        assert!(completed > 900, "{settings:?}, {file}: only {completed} requests");
        assert_eq!(result["host"]["submitted"]["total"], completed, "{settings:?}, {file}");
    }
}

#[test]
fn every_kind_of_mapping_runs_the_beginning_of_every_real_trace_with_the_checks_on() {
    let Some(folder) = folder() else { return };
    for entry in policies_of_plain_runs().iter().filter(|entry| entry.seam == "ftl.mapping" && !entry.default)
    {
        run_all(&folder, &[&format!("ftl.mapping.name={}", entry.card.name)]);
    }
}

#[test]
fn caches_before_block_maps_run_the_beginning_of_every_real_trace_with_the_checks_on() {
    let Some(folder) = folder() else { return };
    let unprotected = "ftl.buffer.power_loss_protection=false";
    let cache = ["ftl.buffer.eviction.name=bplru", "ftl.buffer.read_cache=true", unprotected];
    run_all(&folder, &[&["ftl.mapping.name=fast"], &cache[..]].concat());
    let cache = ["ftl.buffer.eviction.name=block-buffer", "ftl.buffer.eviction.blocks=8", unprotected];
    run_all(&folder, &[&["ftl.mapping.name=bast"], &cache[..]].concat());
}
