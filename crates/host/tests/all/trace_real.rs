//! The real traces, where they are at hand: each is read as its description says, and counted.
//!
//! Found through `FLOATGATE_TRACES`, by default `../shared/traces` beside the repository. Skipped without
//! them: they may not be shipped.

use host::trace::{TraceOptions, inspect, open};
use host::{Poll, Workload};
use std::path::PathBuf;
use units::SimTime;

/// Record of a trace file that was recorded on real systems, with what the test expects of it: format (`named` if it
/// must be given, because several are plausible), whether it is out of order of time, and contents.
struct Real {
    file: &'static str,
    named: Option<&'static str>,
    format: &'static str,
    late: bool,
    requests: u64,
    read_fraction: f64,
    /// Footprint that the test expects of the trace file: size of its distinct 4 KiB pages in MB or GB, as text.
    footprint: &'static str,
    /// Highest address that the test expects of the trace file, in MB or GB, as text.
    span: &'static str,
}

const fn real(
    file: &'static str,
    format: &'static str,
    requests: u64,
    read_fraction: f64,
    footprint: &'static str,
    span: &'static str,
) -> Real {
    Real { file, named: None, format, late: false, requests, read_fraction, footprint, span }
}

const fn named(real: Real) -> Real {
    Real { named: Some(real.format), ..real }
}

const fn late(real: Real) -> Real {
    Real { late: true, ..real }
}

/// Constant list of the real trace files and their contents as described beside the files, except that read-ahead (RA
/// in blkreplay) counts as a read, and the discard of the SQLite trace as a request.
const REAL: &[Real] = &[
    real("msr-rsrch_1.csv.gz", "msr", 13_780, 0.003, "117.9 MB", "191.52 GB"),
    real("msr-wdev_1.csv.gz", "msr", 1_055, 0.000, "1.5 MB", "54.62 GB"),
    real("msr-hm_0-first-sample.csv.gz", "msr", 1_000, 0.508, "7.9 MB", "13.58 GB"),
    real("msr-hm_0-slice.csv.gz", "msr", 7_016, 0.830, "55.4 MB", "14.91 GB"),
    real("msr-rsrch_0-head.csv.gz", "msr", 1_000, 0.084, "9.9 MB", "17.83 GB"),
    real("msr-hm_1-writes-only.csv.gz", "msr", 13_069, 0.000, "91.1 MB", "27.31 GB"),
    real("msr-mds_0-writes-only-head.csv.gz", "msr", 1_000, 0.000, "1.8 MB", "36.41 GB"),
    real("msr-wdev_2-slice.txt.gz", "msr-blank", 3_361, 0.000, "22.2 MB", "36.42 GB"),
    real("msr-window-rw20_80.trace.gz", "ms-offset", 10_000, 0.202, "30.2 MB", "14.96 GB"),
    real("msr-window-rw40_60.trace.gz", "ms-offset", 10_000, 0.405, "36.7 MB", "14.86 GB"),
    real("msr-window-peak_iops.trace.gz", "ms-offset", 10_000, 0.832, "118.9 MB", "12.67 GB"),
    named(real("umass-financial1-first10k.ascii.gz", "ssdsim", 10_000, 0.408, "30.0 MB", "513.2 MB")),
    real("umass-financial1-first50k-pages.trace.gz", "diskpages", 50_000, 0.584, "127.6 MB", "513.5 MB"),
    real("ms-tpcc-small.trace.gz", "mqsim", 6_999, 0.626, "83.8 MB", "232.71 GB"),
    named(real("msps-dtrs-300s.trace.gz", "dtrs", 127_043, 0.890, "5.21 GB", "164.51 GB")),
    real("cloudphysics-vscsi-2h.csv.gz", "cloudphysics", 113_872, 0.413, "1.10 GB", "33.58 GB"),
    real("disksim-ssd-postmark.trace.gz", "disksim", 62_257, 0.832, "6.28 GB", "22.89 GB"),
    real("pcmark.trace.gz", "disksim", 56_088, 0.746, "2.38 GB", "113.13 GB"),
    real("blkreplay-linux-webserver-2.load.gz", "blkreplay", 269_007, 0.554, "2.00 GB", "773.73 GB"),
    real("derived-linux-webserver-2-no-repeats.load.gz", "blkreplay", 178_278, 0.458, "2.00 GB", "773.73 GB"),
    real("blkreplay-windows-mssql.load.gz", "blkreplay", 42_976, 0.059, "633.8 MB", "25.85 GB"),
    late(real("nexus5-booting.txt.gz", "biotracer", 18_417, 0.669, "952.3 MB", "31.27 GB")),
    late(real("nexus5-movie.txt.gz", "biotracer", 4_781, 0.946, "133.1 MB", "30.23 GB")),
    late(real("tencent-cbs-sample.csv.gz", "tencent", 50_000, 0.490, "1.43 GB", "1669.05 GB")),
    late(real("systor17-lun-sample.csv.gz", "systor17", 999, 0.827, "40.3 MB", "5029.32 GB")),
    real("fiu-mail-10k.blkparse.gz", "fiu", 9_997, 0.890, "37.7 MB", "297.51 GB"),
    late(real("java-app-ext4.blkparse.txt.gz", "blkparse", 9_887, 0.914, "1.30 GB", "8.72 GB")),
    late(real("java-app-f2fs.blkparse.txt.gz", "blkparse", 5_727, 0.825, "952.3 MB", "2.75 GB")),
    real("hadoop-node8.blkparse.txt.gz", "blkparse", 110_246, 0.987, "28.94 GB", "409.44 GB"),
    real("sqlite-wal-update-ext4.txt.gz", "wiscsim", 5_008, 0.001, "8.9 MB", "542.1 MB"),
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

fn options(real: &Real) -> TraceOptions {
    TraceOptions { format: real.named.map(Into::into), exact_footprint: true, ..Default::default() }
}

/// Test helper: returns a number of bytes as text such as `123.4 MB` or `12.34 GB`, in the unit of the text `like`.
fn printed(bytes: u64, like: &str) -> String {
    if like.ends_with("MB") {
        format!("{:.1} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.2} GB", bytes as f64 / 1e9)
    }
}

#[test]
fn every_real_trace_holds_what_its_description_says() {
    let Some(folder) = folder() else { return };
    let mut wrong = Vec::new();
    for real in REAL {
        let info = match inspect(&folder.join(real.file), &options(real)) {
            Ok(info) => info,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        let read = (info.read_fraction.unwrap_or(0.0) * 1e3).round() / 1e3;
        let found = (info.format, info.requests.total(), read);
        let expected = (real.format, real.requests, real.read_fraction);
        if found != expected {
            wrong.push(format!("{}: {found:?} instead of {expected:?}", real.file));
        }
        let sizes = (printed(info.footprint_bytes, real.footprint), printed(info.span_bytes, real.span));
        if (sizes.0.as_str(), sizes.1.as_str()) != (real.footprint, real.span) {
            wrong.push(format!("{}: {sizes:?} instead of {:?}", real.file, (real.footprint, real.span)));
        }
        if info.first_out_of_order.is_some() != real.late {
            wrong.push(format!("{}: out of order: {:?}", real.file, info.first_out_of_order));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that all real trace files but two can be replayed without an option that names their format; times of these
/// two could be nanoseconds or microseconds, and the error message suggests options to choose from.
#[test]
fn real_traces_run_without_an_option() {
    let Some(folder) = folder() else { return };
    let mut asked = Vec::new();
    for real in REAL {
        // Smaller than most of their address ranges, so that these are laid side by side, and said to be.
        match open(&folder.join(real.file), &TraceOptions::default(), 32 << 30) {
            Ok(workload) => {
                let info = workload.info();
                assert_eq!(
                    (info.format, info.requests.total()),
                    (real.format, real.requests),
                    "{}",
                    real.file
                );
                let beyond = info.laid_out_bytes.is_none_or(|bytes| bytes > 32 << 30);
                let said = info.notes.iter().any(|note| note.contains("are laid side by side"));
                assert_eq!(said, beyond, "{}: {:?}", real.file, info.notes);
            }
            Err(error) => {
                let paste =
                    format!("--trace-format {}", if real.format == "ssdsim" { "mqsim" } else { real.format });
                assert!(
                    error.found == "2 readings are plausible" && error.expected.contains(&paste),
                    "{error}"
                );
                asked.push(real.file);
            }
        }
    }
    assert_eq!(asked, ["umass-financial1-first10k.ascii.gz", "msps-dtrs-300s.trace.gz"]);
}

#[test]
fn every_real_trace_replays_to_its_end_on_a_small_drive() {
    let Some(folder) = folder() else { return };
    for real in REAL {
        let drive_bytes = 64 << 30;
        let options = options(real);
        let mut workload =
            open(&folder.join(real.file), &options, drive_bytes).unwrap_or_else(|e| panic!("{e}"));
        let (mut now, mut requests) = (SimTime::ZERO, 0);
        loop {
            match workload.poll(now).unwrap_or_else(|e| panic!("{e}")) {
                Poll::Ready(request) => {
                    assert!(request.offset + u64::from(request.bytes) <= drive_bytes);
                    requests += 1;
                }
                Poll::At(later) => now = later,
                Poll::Blocked => panic!("an open loop never waits"),
                Poll::Done => break,
            }
        }
        assert_eq!((requests, now.ns()), (real.requests, workload.info().span_ns), "{}", real.file);
    }
}
