//! Block traces as they come from the tools: events that are no requests, requests that are issued twice, what the
//! tools print around them; and libCacheSim's lcs in all its versions.

use host::trace::{TraceInfo, TraceOptions, convert, inspect};
use host::{Workload, WorkloadError};
use std::io::Write;
use std::path::Path;

fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file.flush().unwrap();
    file
}

fn look(content: &[u8]) -> Result<TraceInfo, WorkloadError> {
    inspect(file(content).path(), &TraceOptions::default())
}

fn with_action(content: &[u8], action: &str) -> Result<TraceInfo, WorkloadError> {
    inspect(file(content).path(), &TraceOptions { action: Some(action.into()), ..TraceOptions::default() })
}

/// Test helper: converts the trace at `path` to a fio iolog, and returns its requests as text without their times:
/// operation, byte offset and length.
fn requests(path: &Path, options: &TraceOptions) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    convert(path, options, &out, "fio-iolog-v3").unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    let kinds = ["read", "write", "trim", "sync", "datasync"];
    let is_request = |line: &&str| line.split(' ').nth(2).is_some_and(|word| kinds.contains(&word));
    let words = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        words[2..].join(" ")
    };
    text.lines().filter(is_request).map(words).collect()
}

/// Test helper: returns the text that blkparse prints for `count` reads of 4 KiB, which take 50 us each.
fn events(count: u64) -> String {
    let event = |i: u64| {
        let at = |us: u64| format!("{}.{:06}000", (i * 100 + us) / 1_000_000, (i * 100 + us) % 1_000_000);
        let line = |n: u64, us, action, tail| {
            format!("259,0    0 {:>8} {:>15}   100  {action}   R {} + 8 {tail}\n", i * 3 + n, at(us), i * 8)
        };
        line(1, 0, "Q", "[(null)]") + &line(2, 0, "D", "[(null)]") + &line(3, 50, "C", "[0]")
    };
    (0..count).map(event).collect()
}

const SUMMARY: &str = "CPU0 (b):
 Reads Queued:          40,      160KiB\t Writes Queued:           0,        0KiB
 Read Dispatches:       40,      160KiB\t Write Dispatches:        0,        0KiB
 Reads Requeued:         0\t\t Writes Requeued:         0
 Reads Completed:       40,      160KiB\t Writes Completed:        0,        0KiB
 Read Merges:            0,        0KiB\t Write Merges:            0,        0KiB
 Read depth:             1        \t Write depth:             1
 IO unplugs:             1        \t Timer unplugs:           0

Throughput (R/W): 53333KiB/s / 0KiB/s
Events (b): 120 entries
Skips: 0 forward (0 -   0.0%)
";
const PROGRAMS: &str = "my (odd) program (100)
 Reads Queued:           0,        0KiB\t Writes Queued:           2,        4KiB
 IO unplugs:             1        \t Timer unplugs:           0
 Allocation wait:        0        \t Allocation wait:         0
 Dispatch wait:          0        \t Dispatch wait:           0
 Completion wait:        0        \t Completion wait:         0

fio (4711)
 Reads Queued:           0,        0KiB\t Writes Queued:           2,        4KiB

";
const INPUT: &str = "Input file b.blktrace.0 added\n";

#[test]
fn what_blkparse_prints_around_the_events_is_none() {
    for (before, after) in [
        ("", INPUT.to_owned()),
        (INPUT, String::new()),
        (INPUT, INPUT.to_owned()),
        ("", format!("{SUMMARY}{INPUT}")),
        ("", format!("{PROGRAMS}{SUMMARY}{INPUT}{INPUT}\n\n")),
        (INPUT, format!("\n{PROGRAMS}{SUMMARY}")),
    ] {
        let text = format!("{before}{}{after}", events(40));
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let info = look(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((info.format, info.requests.read, info.requests.total()), ("blkparse", 40, 40));
        }
    }
    // What follows the summary is no event, and a program is none in front of events.
    for text in
        [format!("{}{SUMMARY}{}", events(40), events(1)), format!("{}fio (4711)\n{}", events(40), events(1))]
    {
        assert!(look(text.as_bytes()).unwrap_err().expected.contains("after which no event may follow"));
    }
    assert!(look(format!("{}Input file that was not\n", events(40)).as_bytes()).is_err());
}

#[test]
fn zeroes_to_be_written_are_requests_without_data() {
    let text = "259,0 1 1 0.000000001 100 D W 16 + 8 [a]\n\
                259,0 1 2 0.000100001 100 D WZ 24 + 8 [a]\n\
                259,0 1 3 0.000200001 100 D FWZS 32 + 8 [a]\n\
                259,0 1 4 0.000300001 100 D D 40 + 8 [a]\n\
                259,0 1 5 0.000400001 100 D R 24 + 8 [a]\n";
    let info = look(text.as_bytes()).unwrap();
    assert_eq!((info.requests.write, info.requests.trim, info.requests.read), (1, 3, 1));
    assert_eq!((info.bytes.write, info.write_zeroes, info.writes_with_fua), (4096, 2, 0));
    let note = "requests to write zeroes, which carry no data and are trims here: 2";
    assert!(info.notes.iter().any(|said| said == note), "{:?}", info.notes);
    let trace = file(text.as_bytes());
    let workload = host::trace::open(trace.path(), &TraceOptions::default(), 1 << 30).unwrap();
    assert!(workload.report().notes.contains(&("write_zeroes".into(), "2".into())));
}

#[test]
fn operations_on_zones_are_no_requests_and_an_append_has_its_address_late() {
    let text = "8,0 1 1 0.000000001 100 D ZR 0 + 8 [a]\n8,0 1 2 0.000000002 100 D W 0 + 8 [a]\n\
                8,0 1 3 0.000000003 100 C ZA 16 + 8 [0]\n";
    assert_eq!(look(text.as_bytes()).unwrap().requests.total(), 1);
    assert_eq!(with_action(text.as_bytes(), "C").unwrap().requests.write, 1);
    let issued = text.replace("100 C ZA 16 + 8 [0]", "100 D ZA 0 + 8 [a]");
    assert!(look(issued.as_bytes()).unwrap_err().expected.contains("--action C"));
}

#[test]
fn completions_tell_flushes_and_what_failed() {
    let text = "259,0 0 1 0.000000000 100 C W 8 + 8 [0]\n259,0 0 2 0.000001000 100 C FW 0 [0]\n\
                259,0 0 3 0.000002000 100 C R 16 + 8 [0]\n259,0 0 4 0.000003000 100 C W 24 [-5]\n\
                259,0 0 5 0.000004000 100 C R 24 (    1234) [0]\n259,0 0 6 0.000005000 100 C WS 24 + 8 ( 1234) [0]\n\
                259,0 0 7 0.000006000 100 C FN 0 (     999) [0]\n259,0 0 8 0.000007000 100 C R (12 00 00 ..) [0]\n";
    let info = look(text.as_bytes()).unwrap();
    assert_eq!((info.requests.write, info.requests.flush, info.requests.read), (2, 2, 1));
    assert_eq!(info.events_without_data, 2);
    assert!(
        info.notes.iter().any(|note| note.starts_with("events that move no data") && note.ends_with(": 2")),
        "{:?}",
        info.notes
    );
    // A cut line is none of them.
    assert!(look(format!("{text}259,0 0 7 0.000006000 100 C W 24\n").as_bytes()).is_err());
}

/// Test helper: returns the bytes of a blktrace event with this time in ns, first sector, number of sectors, action and
/// category, in version `version` of the format.
fn event(version: u32, [time, sector, sectors, action, category]: [u64; 5]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((0x6561_7400 | version).to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(time.to_le_bytes());
    bytes.extend(sector.to_le_bytes());
    bytes.extend((sectors as u32 * 512).to_le_bytes());
    let act = category << 16 | action;
    let (pid, device) = (3u32, 8u32 << 20);
    match version {
        7 => bytes.extend([act as u32, pid, device, 0, 0].iter().flat_map(|word| word.to_le_bytes())),
        _ => {
            bytes.extend(pid.to_le_bytes());
            bytes.extend(act.to_le_bytes());
            bytes.extend([device, 0, 0, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    bytes
}

const ISSUE: u64 = 7;
const REQUEUE: u64 = 6;
const WRITE: u64 = 1 << 1;

#[test]
fn a_request_that_is_issued_again_is_one() {
    let text = "8,0 0 1 0.000001000 1 D W 8 + 8 [a]\n8,0 0 2 0.000002000 1 R W 8 + 8 [0]\n\
                8,0 0 3 0.000003000 1 D R 8 + 8 [a]\n8,0 0 4 0.000004000 1 D W 16 + 8 [a]\n\
                8,0 0 5 0.000005000 1 D W 8 + 16 [a]\n8,0 0 6 0.000006000 1 D W 8 + 8 [a]\n\
                8,0 0 7 0.000007000 1 R W 8 + 8 [0]\n8,0 0 8 0.000008000 1 D W 8 + 8 [a]\n\
                8,0 0 9 0.000009000 1 R FF [0]\n8,0 0 9 0.000010000 1 R N [0]\n";
    let trace = file(text.as_bytes());
    let all = requests(trace.path(), &TraceOptions::default());
    let wanted =
        ["write 4096 4096", "read 4096 4096", "write 8192 4096", "write 8192 4096", "write 4096 4096"];
    assert_eq!(all, wanted, "what was merged to the first, four sectors on, is a request of its own");
    let info = look(text.as_bytes()).unwrap();
    assert_eq!((info.requests.total(), info.requests_requeued), (5, 2));
    assert!(
        info.notes.iter().any(|note| note.starts_with("requests issued again") && note.ends_with(": 2")),
        "{:?}",
        info.notes
    );
    // Asked for, the events are requests like any other; of another volume, they are nothing.
    assert_eq!(with_action(text.as_bytes(), "R").unwrap().requests.total(), 3);
    let other = text.replace("8,0 0 2", "8,1 0 2");
    let one = TraceOptions { volumes: vec!["8,0".into()], ..TraceOptions::default() };
    let info = inspect(file(other.as_bytes()).path(), &one).unwrap();
    assert_eq!((info.requests.total(), info.requests_requeued, info.requests_of_other_volumes), (5, 1, 0));
}

#[test]
fn what_is_no_request_has_a_place_in_the_order_of_the_file() {
    let text = "8,0 0 1 1.000000000 1 D W 8 + 8 [a]\n8,0 0 2 1.100000000 1 R W 8 + 8 [0]\n\
                8,0 0 3 1.200000000 1 D W 8 + 8 [a]\n8,0 0 4 0.900000000 1 D W 100 + 8 [a]\n";
    let trace = file(text.as_bytes());
    assert_eq!(requests(trace.path(), &TraceOptions::default()), ["write 51200 4096", "write 4096 4096"]);
    let info = look(text.as_bytes()).unwrap();
    assert_eq!((info.requests_requeued, info.out_of_order, info.out_of_order_by_requests), (1, 1, Some(3)));
}

#[test]
fn the_cpus_of_two_issues_and_of_what_was_between_do_not_matter() {
    let of = |events: &[[u64; 4]]| -> Vec<Vec<u8>> {
        events.iter().map(|e| event(7, [e[0], e[1], 8, e[2], WRITE | e[3]])).collect()
    };
    let events = of(&[
        [10, 0, ISSUE, 0],
        [20, 64, ISSUE, 0],
        [25, 0, REQUEUE, 0],
        [30, 0, ISSUE, 0],
        [40, 64, ISSUE, 0],
        [50, 0, REQUEUE, 0],
        [60, 0, ISSUE, 0],
    ]);
    for deal in [[0, 1, 2, 0, 1, 2, 0], [2, 0, 1, 0, 2, 0, 1], [1, 1, 0, 1, 1, 0, 1], [0; 7]] {
        let folder = tempfile::tempdir().unwrap();
        for cpu in 0..3 {
            let its: Vec<u8> =
                events.iter().zip(deal).filter(|(_, of)| *of == cpu).flat_map(|(e, _)| e.clone()).collect();
            std::fs::write(folder.path().join(format!("sda.blktrace.{cpu}")), its).unwrap();
        }
        for sort in [false, true] {
            let options = TraceOptions { sort, sort_window: 2, ..TraceOptions::default() };
            let info = inspect(folder.path(), &options).unwrap();
            assert_eq!((info.requests.write, info.requests_requeued), (3, 2), "{deal:?}");
            assert_eq!(requests(folder.path(), &options).len(), 3, "{deal:?}");
            let mut workload = host::trace::open(folder.path(), &options, 1 << 30).unwrap();
            let mut now = units::SimTime::ZERO;
            let mut taken = 0;
            loop {
                match workload.poll(now).unwrap() {
                    host::Poll::Ready(_) => taken += 1,
                    host::Poll::At(later) => now = later,
                    _ => break,
                }
            }
            assert_eq!(taken, 3, "{deal:?}");
        }
    }
}

#[test]
fn the_second_version_of_blktrace_is_named_where_the_first_was() {
    let of = |version, category| event(version, [1_000, 8, 8, ISSUE, category]);
    let two = |version, category| [of(version, WRITE), of(version, category)].concat();
    let named = |format: &str| TraceOptions { format: Some(format.into()), ..TraceOptions::default() };
    for (version, own, other) in [(7, "blktrace", "blktrace-v2"), (8, "blktrace-v2", "blktrace")] {
        let trace = file(&two(version, 0));
        assert_eq!(inspect(trace.path(), &TraceOptions::default()).unwrap().format, own);
        let error = inspect(trace.path(), &named(other)).unwrap_err();
        assert!(error.expected.ends_with(&format!(", or --trace-format {own}")), "{error}");
    }
    let info = look(&two(8, WRITE | 1 << 22)).unwrap();
    assert_eq!((info.requests.write, info.requests.trim, info.write_zeroes), (1, 1, 1));
    let info = look(&two(8, WRITE | 1 << 17)).unwrap();
    assert_eq!((info.requests.total(), info.events_without_data), (1, 1));
    let error = look(&two(8, WRITE | 1 << 16)).unwrap_err();
    assert!(error.expected.contains("--action C"), "{error}");
    let completed = [of(8, WRITE), event(8, [2_000, 8, 8, 8, WRITE | 1 << 16])].concat();
    assert_eq!(with_action(&completed, "C").unwrap().requests.write, 1);
}

/// Test helper: returns the bytes of a trace file in the format lcs, version `version`, whose header counts `counted`
/// requests, with these records: time, identifier, bytes, operation and tenant.
fn lcs(version: u64, counted: u64, records: &[[u64; 5]]) -> Vec<u8> {
    const MAGIC: u64 = 0x1234_5678_9abc_def0;
    let mut bytes: Vec<u8> =
        [MAGIC, version, 1, counted].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(8184, 0);
    bytes.extend(MAGIC.to_le_bytes());
    for [time, id, size, op, tenant] in records {
        bytes.extend((*time as u32).to_le_bytes());
        bytes.extend(id.to_le_bytes());
        match version {
            1 | 2 => bytes.extend((*size as u32).to_le_bytes()),
            _ => bytes.extend(size.to_le_bytes()),
        }
        if version > 1 {
            bytes.extend((*op as u32 | (*tenant as u32) << 8).to_le_bytes());
        }
        if version > 2 {
            bytes.extend(60u32.to_le_bytes());
        }
        bytes.extend((-1i64).to_le_bytes());
        bytes.extend(vec![0xee; [0, 0, 0, 4, 8, 16, 32, 64][version as usize - 1]]);
    }
    bytes
}

#[test]
fn every_version_of_lcs_holds_the_same_requests() {
    let records: Vec<[u64; 5]> =
        (0..40).map(|i| [i / 8, i * 7919 % 5003 * 8, 4096, 12 + i % 2, i % 3]).collect();
    for version in 1..=8 {
        let info = look(&lcs(version, 40, &records)).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!(
            (info.format, info.requests.total(), info.span_ns),
            ("lcs", 40, 4_000_000_000),
            "{version}"
        );
        let (writes, volumes) = if version == 1 { (0, 1) } else { (20, 3) };
        assert_eq!((info.requests.write, info.volumes.len()), (writes, volumes), "{version}");
    }
    // Packed as libCacheSim publishes them, and without a count.
    let packed = zstd::encode_all(lcs(3, 0, &records).as_slice(), 3).unwrap();
    assert_eq!(look(&packed).unwrap().requests.total(), 40);
    let in_bytes: Vec<[u64; 5]> = records.iter().map(|r| [r[0], r[1] << 18, r[2], r[3], r[4]]).collect();
    assert_eq!(look(&lcs(2, 40, &in_bytes)).unwrap().format, "lcs-bytes");
}

#[test]
fn what_is_wrong_with_lcs_is_said() {
    let good = [[0, 8, 4096, 12, 0], [1, 16, 4096, 13, 0], [2, 32, 4096, 9, 0]];
    let named = |bytes: &[u8]| {
        let options = TraceOptions { format: Some("lcs".into()), ..TraceOptions::default() };
        inspect(file(bytes).path(), &options)
    };
    assert_eq!(named(&lcs(2, 3, &good)).unwrap().requests.trim, 1);
    let odd = |at: usize, field: usize, value: u64| {
        let mut records = good;
        records[at][field] = value;
        lcs(4, 3, &records)
    };
    for (bytes, place, part) in [
        (lcs(9, 3, &[]), ": its header", "version 9"),
        (lcs(2, 4, &good), ": record 3", "3 records in the file"),
        (odd(1, 3, 5), ": record 2", "operation 5"),
        (odd(2, 2, 100), ": record 3", "an object of 100 bytes"),
        (odd(2, 2, u64::MAX), ": record 3", "a request of -1 bytes"),
        (odd(0, 1, 1 << 60), ": record 1", "identifier"),
    ] {
        let error = named(&bytes).unwrap_err();
        assert!(error.place.ends_with(place) && error.found.contains(part), "{error}");
    }
    let mut without_end = lcs(2, 3, &good);
    without_end[8190] = 0;
    assert!(named(&without_end).unwrap_err().place.ends_with(": its header"));
    // Skipping bad lines leaves out records, not the header; and the count is of those in the file.
    let skipping =
        TraceOptions { format: Some("lcs".into()), skip_bad_lines: true, ..TraceOptions::default() };
    let info = inspect(file(&odd(1, 3, 5)).path(), &skipping).unwrap();
    assert_eq!((info.requests.total(), info.skipped_lines), (2, 1));
    let info = inspect(file(&lcs(2, 4, &good)).path(), &skipping).unwrap();
    assert_eq!((info.requests.total(), info.skipped_lines), (3, 1));
}
