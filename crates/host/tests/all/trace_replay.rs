//! Order, selection, addresses, pace and conversion: what the options do to a trace.

use host::trace::{Addresses, TraceOptions, convert, formats, inspect, open};
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError};
use std::io::Write;
use std::path::{Path, PathBuf};
use units::SimTime;

const MIB: u64 = 1 << 20;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces").join(format!("{name}.trace"))
}

fn file(content: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content.as_bytes()).unwrap();
    file.flush().unwrap();
    file
}

fn ssdsim() -> TraceOptions {
    TraceOptions { format: Some("ssdsim".into()), ..Default::default() }
}

fn replay(path: &Path, options: &TraceOptions, drive_bytes: u64) -> Result<Vec<HostRequest>, WorkloadError> {
    let mut workload = open(path, options, drive_bytes)?;
    let (mut now, mut requests) = (SimTime::ZERO, Vec::new());
    loop {
        match workload.poll(now)? {
            Poll::Ready(request) => requests.push(request),
            Poll::At(later) => now = later,
            Poll::Blocked => panic!("an open loop never waits"),
            Poll::Done => return Ok(requests),
        }
    }
}

#[test]
fn times_that_go_back_are_put_in_order_and_said_to_be() {
    let trace = file("500 0 0 8 1\n700 0 8 8 1\n600 0 16 8 1\n500 0 24 8 0\n700 0 32 8 0\n");
    let found = |options| {
        let requests = replay(trace.path(), &options, 1 << 30).unwrap();
        requests.iter().map(|r| (r.arrive.ns(), r.offset / 4096)).collect::<Vec<_>>()
    };
    let sorted = [(0, 0), (0, 3), (100, 2), (200, 1), (200, 4)];
    assert_eq!(found(ssdsim()), sorted, "equal times keep the order of lines");
    assert_eq!(found(TraceOptions { sort: true, ..ssdsim() }), sorted);
    for options in [ssdsim(), TraceOptions { sort: true, ..ssdsim() }] {
        let info = inspect(trace.path(), &options).unwrap();
        let disorder = info.first_out_of_order.unwrap();
        assert_eq!((disorder.line, disorder.previous_ns, info.out_of_order), (3, 700, 2));
        // The request at 500 stands behind those at 700 and 600.
        assert_eq!((info.out_of_order_by_requests, info.out_of_order_by_ns), (Some(2), 200));
        assert_eq!(
            info.notes,
            ["put in order of time: 2 of 5 requests were late, by at most 2 requests and 200 ns"]
        );
        let gaps = info.gaps.unwrap();
        assert_eq!((gaps.mean_ns, gaps.max_ns), (50.0, 100), "gaps are those of the sorted trace");
    }
}

#[test]
fn a_trace_far_out_of_order_is_sorted_on_request() {
    // Two streams, one after the other.
    let half = |from: u64| (0..300_000).map(move |i| format!("{} 0 {} 8 1\n", from + 10 * i, 8 * i));
    let trace = file(&half(0).chain(half(5)).collect::<String>());
    let error = replay(trace.path(), &ssdsim(), 1 << 40).unwrap_err();
    assert!(error.place.ends_with(":300001") && error.expected.contains("--sort"), "{error}");
    assert!(error.found.contains("299999 requests are late, by more than 262144"), "{error}");
    let sorted = TraceOptions { sort: true, ..ssdsim() };
    assert_eq!(replay(trace.path(), &sorted, 1 << 40).unwrap().len(), 600_000);
    let info = inspect(trace.path(), &ssdsim()).unwrap();
    assert_eq!(info.gaps.unwrap().max_ns, 5, "to look at it, nothing must be asked for");
}

#[test]
fn a_block_trace_s_fua_flag_reaches_the_drive() {
    let lines =
        ["WFS", "FWFSM", "WS", "FWS", "R"].map(|rwbs| format!("8,0 0 1 0.000000001 9 D {rwbs} 64 + 8 [a]\n"));
    let trace = file(&lines.concat());
    for sort_window in [1 << 20, 2] {
        let options = TraceOptions { sort: true, sort_window, ..TraceOptions::default() };
        let requests = replay(trace.path(), &options, 1 << 30).unwrap();
        let forced: Vec<bool> = requests.iter().map(|request| request.fua).collect();
        assert_eq!(forced, [true, true, false, false, false]);
    }
    assert_eq!(inspect(trace.path(), &TraceOptions::default()).unwrap().writes_with_fua, 2);
}

#[test]
fn sorting_on_disk_and_in_memory_agree() {
    let mut text = String::new();
    for i in 0..5000u64 {
        let time = i.wrapping_mul(7_919) % 1_013;
        text.push_str(&format!("{time} {} {} 8 {}\n", i % 3, i * 8, i % 2));
    }
    let trace = file(&text);
    let with = |sort_window| {
        let options = TraceOptions { sort: true, sort_window, ..ssdsim() };
        replay(trace.path(), &options, 1 << 40).unwrap()
    };
    let memory = with(1 << 20);
    assert_eq!(memory.len(), 5000);
    assert!(memory.windows(2).all(|pair| pair[0].arrive <= pair[1].arrive));
    for window in [1, 7, 1000, 4999, 5000] {
        assert_eq!(with(window), memory, "window {window}");
    }
}

#[test]
fn volumes_lie_end_to_end_or_are_picked() {
    let trace = file("0 7 0 8 1\n1 9 8 8 1\n2 7 4096 8 1\n3 8 0 8 0\n");
    let requests = replay(trace.path(), &ssdsim(), 1 << 30).unwrap();
    let found: Vec<(u16, u64)> = requests.iter().map(|r| (r.tag, r.offset)).collect();
    // Volume 7 ends at 2 MiB + 4 KiB, so volume 9 begins at 3 MiB and volume 8 at 4 MiB.
    assert_eq!(found, [(0, 0), (1, 3 * MIB + 4096), (0, 2 * MIB), (2, 4 * MIB)]);

    let picked = TraceOptions { volumes: vec!["8".into(), "9".into()], ..ssdsim() };
    let workload = open(trace.path(), &picked, 1 << 30).unwrap();
    assert_eq!(workload.report().tags, ["9", "8"]);
    assert_eq!(workload.info().requests_of_other_volumes, 2);
    let requests = replay(trace.path(), &picked, 1 << 30).unwrap();
    assert_eq!(requests.iter().map(|r| r.offset).collect::<Vec<_>>(), [4096, MIB]);
    assert_eq!(requests[0].arrive, SimTime::ZERO, "time counts from the first that is picked");

    let unknown = TraceOptions { volumes: vec!["6".into()], ..ssdsim() };
    let error = inspect(trace.path(), &unknown).unwrap_err();
    assert!(error.found.contains("\"6\" is not in the trace"), "{error}");
}

#[test]
fn addresses_beyond_the_drive_are_laid_side_by_side_or_moved_as_asked() {
    let trace = file("0 0 0 8 1\n1 0 81920 8 0\n2 0 81928 8 0\n3 0 24577 7 1\n");
    let drive = 8 * MIB;
    let offsets = |addresses| {
        let options = TraceOptions { addresses, ..ssdsim() };
        let requests = replay(trace.path(), &options, drive).unwrap();
        requests.iter().map(|r| r.offset).collect::<Vec<_>>()
    };
    // 81920 sectors are 40 MiB: the drive five times over.
    assert_eq!(offsets(Addresses::Wrap), [0, 0, 4096, 12 * MIB + 512 - drive]);
    assert_eq!(offsets(Addresses::Compact), [0, 8192, 12288, 4096 + 512]);
    assert_eq!(offsets(Addresses::Auto), offsets(Addresses::Compact));
    // The span is 10,242 pages, the drive 2,048: page 3,072 goes to floor(3072 * 2048 / 10242) = 614.
    assert_eq!(offsets(Addresses::Scale), [0, 2047 * 4096, 2047 * 4096, 614 * 4096 + 512]);
    let said = |addresses, bytes| {
        let options = TraceOptions { addresses, ..ssdsim() };
        let workload = open(trace.path(), &options, bytes).unwrap();
        (workload.info().notes.clone(), workload.report().notes[0].1.clone())
    };
    let (notes, placed) = said(Addresses::Auto, drive);
    assert!(
        notes[0].starts_with("its addresses reach 40.0 MiB, beyond the drive's 8.0 MiB: the 4 KiB pages"),
        "{notes:?}"
    );
    assert_eq!((placed.as_str(), notes.len()), ("compact", 1));
    assert_eq!(said(Addresses::Compact, drive), (vec![], "compact".into()), "asked for, so not to be said");
    assert_eq!(said(Addresses::Auto, 41 * MIB), (vec![], "as they are".into()));
    let error = replay(trace.path(), &ssdsim(), 12288).unwrap_err();
    assert_eq!(error.place, format!("{}:3", trace.path().display()), "{error}");
    for choice in ["4 pages it touches", "--wrap", "--scale"] {
        assert!(error.expected.contains(choice), "{error}");
    }
    let tiny = TraceOptions { addresses: Addresses::Compact, ..ssdsim() };
    assert!(replay(trace.path(), &tiny, 12288).unwrap_err().found.contains("4 touched pages"));
    let fits = replay(trace.path(), &ssdsim(), 40 * MIB + 8192).unwrap();
    assert_eq!(fits[2].offset, 40 * MIB + 4096, "a drive that ends where the trace does");
}

#[test]
fn a_request_larger_than_the_drive_is_refused() {
    let trace = file("0 0 0 8 1\n1 0 0 4096 0\n");
    for addresses in [Addresses::Auto, Addresses::Wrap, Addresses::Scale, Addresses::Compact] {
        let error = replay(trace.path(), &TraceOptions { addresses, ..ssdsim() }, MIB).unwrap_err();
        assert!(error.found.contains("a request of 2097152 bytes"), "{addresses:?}: {error}");
        assert!(error.place.ends_with(":2"), "{error}");
    }
}

#[test]
fn the_speed_up_divides_the_times_and_rounds_down() {
    let trace = file("1000 0 0 8 1\n1010 0 8 8 1\n2000 0 16 8 1\n");
    let arrivals = |speedup| {
        let requests = replay(trace.path(), &TraceOptions { speedup, ..ssdsim() }, 1 << 30).unwrap();
        requests.iter().map(|r| r.arrive.ns()).collect::<Vec<_>>()
    };
    assert_eq!(arrivals(1.0), [0, 10, 1000]);
    assert_eq!(arrivals(4.0), [0, 2, 250]);
    assert_eq!(arrivals(0.5), [0, 20, 2000]);
    for speedup in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(replay(trace.path(), &TraceOptions { speedup, ..ssdsim() }, 1 << 30).is_err(), "{speedup}");
    }
}

#[test]
fn an_open_loop_counts_from_its_first_poll_and_lets_a_backlog_wait() {
    let trace = file("1000 0 0 8 1\n1010 0 8 8 1\n2000 0 16 8 1\n");
    let mut workload = open(trace.path(), &ssdsim(), 1 << 30).unwrap();
    let start = SimTime::from_ns(5_000);
    let arrive = |poll| match poll {
        Poll::Ready(request) => request.arrive.ns(),
        other => panic!("{other:?}"),
    };
    assert_eq!(arrive(workload.poll(start).unwrap()), 5_000);
    assert_eq!(workload.poll(start).unwrap(), Poll::At(SimTime::from_ns(5_010)));
    let late = SimTime::from_ns(9_000);
    assert_eq!(arrive(workload.poll(late).unwrap()), 5_010, "latency counts from the arrival");
    assert_eq!(workload.fraction_done(late), Some(2.0 / 3.0));
    assert_eq!(arrive(workload.poll(late).unwrap()), 6_000);
    assert_eq!((workload.poll(late).unwrap(), workload.poll(late).unwrap()), (Poll::Done, Poll::Done));
}

#[test]
fn as_fast_as_possible_keeps_the_depth_outstanding() {
    let options = TraceOptions { as_fast_as_possible: Some(3), ..ssdsim() };
    let mut workload = open(&sample("ssdsim"), &options, 1 << 40).unwrap();
    let mut outstanding = Vec::new();
    let mut handed_out = 0;
    for step in 0.. {
        let now = SimTime::from_ns(step);
        match workload.poll(now).unwrap() {
            Poll::Ready(request) => {
                assert_eq!(request.arrive, now);
                outstanding.push(request);
                handed_out += 1;
            }
            Poll::Blocked => {
                assert_eq!(outstanding.len(), 3);
                workload.complete(&outstanding.remove(0), &Completion::success(now));
            }
            Poll::At(_) => panic!("a closed loop has no times"),
            Poll::Done => break,
        }
    }
    assert_eq!(handed_out, 12);
}

#[test]
fn a_part_of_the_time_can_be_picked_counted_from_the_first_request() {
    // The samples hold the same requests; the clock of one begins at the first, that of the other in 1601.
    for (name, base_ns) in [("ssdsim", 0), ("msr", 12_816_637_200_000_000_000)] {
        let format = Some(name.to_owned());
        let from_ns = Some(1_000_000_000);
        let options =
            TraceOptions { format, from_ns, until_ns: Some(4_000_000_100), ..TraceOptions::default() };
        let info = inspect(&sample(name), &options).unwrap();
        assert_eq!((info.requests.total(), info.requests_outside_times), (4, 8), "{name}");
        assert_eq!(
            (info.first_ns, info.last_ns),
            (base_ns + 2_000_000_000, base_ns + 5_000_000_000),
            "{name}"
        );
    }
}

#[test]
fn inspection_counts_what_is_there() {
    let info =
        inspect(&sample("spc"), &TraceOptions { exact_footprint: true, ..Default::default() }).unwrap();
    assert_eq!((info.requests.read, info.requests.write, info.bytes.total()), (6, 6, 2542 * 512));
    assert_eq!(info.read_fraction, Some(0.5));
    // Sectors 0-7, 7-9, 8-15, 16-23, 41-73 (twice), 2048-2063, 9000248-9000255 on ASU 0: pages 0, 1, 2,
    // 5-9, 256-257, 1125031; and 2064, 81920-82047, 9000000-9000247, 1000000-1002047 on ASU 1: 1 + 16 + 31 + 256.
    assert_eq!((info.footprint_pages, info.footprint_exact), (11 + 304, true));
    assert_eq!(info.span_bytes, 9_000_256 * 512);
    assert_eq!(
        info.volumes.iter().map(|v| (v.name.as_str(), v.requests)).collect::<Vec<_>>(),
        [("0", 8), ("1", 4)]
    );
    assert_eq!(info.span_ns, 8_000_000_000);
    let gaps = info.gaps.unwrap();
    assert_eq!((info.requests_per_s, gaps.mean_ns), (Some(1.5), 8e9 / 11.0));
    let median = gaps.p50_ns as f64;
    assert!((median / 249_987_700.0 - 1.0).abs() < 1e-3, "{median}");
    assert_eq!((info.top_sizes[0].bytes, info.top_sizes[0].requests), (4096, 4));
    // The write of sectors 16-23 follows that of 8-15.
    assert_eq!(info.sequential_fraction, Some(1.0 / 12.0));
    let estimated = inspect(&sample("spc"), &TraceOptions::default()).unwrap();
    assert!(!estimated.footprint_exact && estimated.footprint_pages.abs_diff(315) <= 10, "{estimated:?}");
}

#[test]
fn options_are_read_from_json_and_unknown_ones_refused() {
    let text = r#"{"format": "msr", "addresses": "compact", "as_fast_as_possible": 32}"#;
    let options: TraceOptions = serde_json::from_str(text).unwrap();
    assert_eq!((options.addresses, options.as_fast_as_possible), (Addresses::Compact, Some(32)));
    assert_eq!(options.action, None);
    assert!(serde_json::from_str::<TraceOptions>(r#"{"adresses": "wrap"}"#).is_err());
    assert!(serde_json::from_str::<TraceOptions>(r#"{"addresses": "wrapped"}"#).is_err());
}

/// Test helper: replays a trace and returns time in ns, operation, offset, bytes and volume number of each request.
fn essence(path: &Path, format: &str) -> Vec<(u64, Op, u64, u32, u16)> {
    let options = TraceOptions { format: Some(format.into()), ..Default::default() };
    let requests = replay(path, &options, 1 << 60).unwrap();
    requests.iter().map(|r| (r.arrive.ns(), r.op, r.offset, r.bytes, r.tag)).collect()
}

#[test]
fn a_converted_trace_holds_the_same_requests() {
    let folder = tempfile::tempdir().unwrap();
    let source = essence(&sample("ssdsim"), "ssdsim");
    for card in formats().iter().filter(|card| card.writable()) {
        for extension in ["txt", "gz", "zst", "bz2", "xz"] {
            let out = folder.path().join(format!("{}.{extension}", card.name));
            assert_eq!(convert(&sample("ssdsim"), &ssdsim(), &out, card.name), Ok(12));
            let unit = match card.name {
                "msr" => 100,
                "fio-iolog-v3" => 1000,
                _ => 1,
            };
            let cut: Vec<_> = source.iter().map(|&(t, op, o, b, v)| (t / unit * unit, op, o, b, v)).collect();
            assert_eq!(essence(&out, card.name), cut, "{} {extension}", card.name);
        }
    }
    let whole =
        convert(&sample("blkparse"), &TraceOptions::default(), &folder.path().join("f"), "fio-iolog-v3");
    assert_eq!(whole, Ok(14));
    let error =
        convert(&sample("blkparse"), &TraceOptions::default(), &folder.path().join("m"), "msr").unwrap_err();
    assert!(error.found.contains("a flush has no form in msr"), "{error}");
    assert!(!folder.path().join("m").exists(), "no half of a file is left");
    assert!(convert(&sample("ssdsim"), &ssdsim(), &folder.path().join("b"), "biotracer").is_err());
    let nowhere = folder.path().join("no/such/folder/x");
    assert!(convert(&sample("ssdsim"), &ssdsim(), &nowhere, "msr").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6 * 5 + 1, "and no temporary file");
}
