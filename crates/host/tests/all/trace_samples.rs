//! Each format's sample is read as what was put into it; what is damaged is refused at its place.

use host::trace::{TraceOptions, formats, inspect, open};
use host::{Poll, Workload, WorkloadError};
use std::io::Write;
use std::path::{Path, PathBuf};
use units::SimTime;

/// Constant list of the trace formats that the test must name, since their contents do not distinguish them from other
/// formats (times or sizes could be in another unit).
const TO_BE_NAMED: &[&str] = &["diskpages", "dtrs", "mqsim", "ssdsim"];
/// Constant: name of the trace format `table`, whose columns the user must describe.
const TABLE: &str = "table";
const BINARY: &[&str] = &[
    "blktrace",
    "blktrace-v2",
    "lcs",
    "lcs-bytes",
    "oracle-general",
    "oracle-general-bytes",
    "vscsi1",
    "vscsi2",
];

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces").join(format!("{name}.trace"))
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(sample(name)).unwrap()
}

fn named(name: &str) -> TraceOptions {
    let columns = (name == "table").then(|| "time:us op offset:bytes size:sectors volume".to_owned());
    TraceOptions { format: Some(name.into()), columns, ..Default::default() }
}

/// Test helper: makes a temporary file with `content`, which is removed when the returned handle is dropped.
fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file.flush().unwrap();
    file
}

/// Test helper: replays a trace and returns each request as text `time op offset bytes volume`, with times in ns and
/// byte addresses as in the trace.
fn read(path: &Path, options: &TraceOptions) -> Result<Vec<String>, WorkloadError> {
    let mut workload = open(path, options, 1 << 60)?;
    let info = workload.info().clone();
    let mut bases = vec![0u64];
    for volume in &info.volumes {
        bases.push((bases.last().unwrap() + volume.span_bytes).next_multiple_of(1 << 20));
    }
    let mut lines = Vec::new();
    let mut now = SimTime::ZERO;
    loop {
        match workload.poll(now)? {
            Poll::Ready(r) => {
                let volume = usize::from(r.tag);
                let offset = if r.bytes == 0 { 0 } else { r.offset - bases[volume] };
                let time_ns = info.first_ns + r.arrive.ns();
                lines.push(format!(
                    "{time_ns} {} {offset} {} {}",
                    r.op.name(),
                    r.bytes,
                    info.volumes[volume].name
                ));
            }
            Poll::At(later) => now = later,
            Poll::Blocked => panic!("an open loop never waits"),
            Poll::Done => return Ok(lines),
        }
    }
}

fn expected(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(sample(name).with_extension("expected")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_sample_holds_what_was_put_into_it() {
    for card in formats() {
        let found = read(&sample(card.name), &named(card.name)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(found, expected(card.name), "{}", card.name);
    }
}

/// Checks that lines of traces as published, one or more for each trace format, are read as the requests that they
/// stand for.
#[test]
fn published_examples_mean_what_their_description_says() {
    let cases = [
        (
            "msr",
            "128166477394345573,hm,1,Read,383496192,32768,113736",
            "12816647739434557300 read 383496192 32768 hm_1",
        ),
        ("spc", "0,20941264,8192,W,0.551706,Alpha/NT", "551706000 write 10721927168 8192 0"),
        (
            "blkparse",
            "8,33 30 1 0.001368096 5025 D R 540544 + 8 [systemd-udevd]",
            "1368096 read 276758528 4096 8,33",
        ),
        ("mqsim", "938513000 4 264719034 16 0", "938513000 write 135536145408 8192 4"),
        ("ssdsim", "0 1 55590 6 0", "0 write 28462080 3072 1"),
        ("ssdsim-hash", "0 55592 8 0 91817", "0 write 28463104 4096 0"),
        ("disksim", "5265.313 0 6357144 8 0", "5265313000 write 3254857728 4096 0"),
        (
            "fio-iolog-v2",
            "fio version 2 iolog\n/dev/sda add\n/dev/sda write 4096 8192",
            "0 write 4096 8192 /dev/sda",
        ),
        (
            "fio-iolog-v3",
            "fio version 3 iolog\n0 /dev/ram0 add\n20 /dev/ram0 write 488197214720 4096",
            "20000 write 488197214720 4096 /dev/ram0",
        ),
        (
            "systor17",
            "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,899056122368,131072",
            "1456095145133076000 read 899056122368 131072 0",
        ),
        ("alibaba", "0,R,126703644672,4096,1577808000000626", "1577808000000626000 read 126703644672 4096 0"),
        ("tencent", "1538323199,105352008,584,1,1576", "1538323199000000000 write 53940228096 299008 1576"),
        ("k5cloud", "17,0.012345,W,1073741824,4096", "12345000 write 1073741824 4096 17"),
        (
            "cloudphysics-s",
            "version,time,op,size,lbn\n1,5633898,2a,512,42932745",
            "5633898000000000 write 21981565440 512 0",
        ),
        ("wiscsim", "29162 D read 299008 4096 0.000000000 0 False", "0 read 299008 4096 0"),
    ];
    for (format, text, meaning) in cases {
        let trace = file(text.as_bytes());
        assert_eq!(read(trace.path(), &named(format)).unwrap(), [meaning], "{format}");
    }
}

#[test]
fn a_sample_is_recognised_as_itself_or_must_be_named() {
    for card in formats().iter().filter(|card| card.name != TABLE) {
        match inspect(&sample(card.name), &TraceOptions::default()) {
            Ok(info) => {
                assert_eq!(info.format, card.name);
                assert!(!TO_BE_NAMED.contains(&card.name), "{} was taken for certain", card.name);
                let weighed =
                    info.notes.iter().any(|note| note.starts_with(&format!("read as {} (", card.name)));
                assert!(weighed || card.certain, "{}: {:?}", card.name, info.notes);
            }
            Err(error) => {
                assert!(TO_BE_NAMED.contains(&card.name), "{error}");
                assert!(error.found.contains("readings are plausible"), "{error}");
                let meaning = if card.name == "ssdsim" { "mqsim" } else { card.name };
                assert!(
                    error.expected.contains(&format!("--trace-format {meaning} (")),
                    "{} in {error}",
                    card.name
                );
            }
        }
    }
}

/// Test helper: makes a temporary trace file of `count` lines, each of which `line` makes from its number, from 0.
fn lines(count: u64, line: impl Fn(u64) -> String) -> tempfile::NamedTempFile {
    file((0..count).map(|i| line(i) + "\n").collect::<String>().as_bytes())
}

#[test]
fn formats_that_look_alike_are_told_by_what_is_plausible() {
    // A spread of addresses and sizes that is the same in any unit of time.
    fn at(i: u64) -> (u64, u64, u64) {
        (i.wrapping_mul(7919) % 100_003 * 8 + i % 3, 8 + i % 5 * 8, i % 2)
    }
    type Line = Box<dyn Fn(u64) -> String>;
    let cases: [(&str, Line, &str); 8] = [
        (
            "mqsim",
            Box::new(|i| format!("{}000 0 {} {} {}", i * 517 + i % 3 * 77, at(i).0, at(i).1, at(i).2)),
            "dtrs every time would be a multiple",
        ),
        (
            "dtrs",
            Box::new(|i| format!("{} 0 {} {} {}", i * 70 + i % 3 * 11, at(i).0, 2048 + at(i).1, at(i).2)),
            "GB/s",
        ),
        (
            "disksim",
            Box::new(|i| format!("{}.{:03} 0 {} {} {}", i * 7, i * 31 % 1000, at(i).0, at(i).1, at(i).2)),
            "diskpages every size would be a multiple of 32 KiB",
        ),
        (
            "diskpages",
            Box::new(|i| format!("{}.{:03} 0 {} {} {}", i * 7, i * 31 % 1000, at(i).0, 1 + i % 3, at(i).2)),
            "below 4 KiB",
        ),
        (
            "ms-offset",
            Box::new(|i| {
                format!("{}.{:03} 0 {} {} {}", i * 7, i * 31 % 1000, at(i).0 * 512, at(i).1 * 512, at(i).2)
            }),
            "they are bytes",
        ),
        (
            "tencent",
            Box::new(|i| format!("{},{},{},{},7", 1_538_323_199 + i / 9, at(i).0, at(i).1, at(i).2)),
            "the only format that its columns fit",
        ),
        (
            "msr-4",
            Box::new(|i| {
                format!(
                    "{} {} {} {}",
                    128_166_372_003_061_629 + i * 10_000,
                    ["Read", "Write"][i as usize % 2],
                    at(i).0 * 512,
                    at(i).1 * 512
                )
            }),
            "the only format that its columns fit",
        ),
        (
            "msr-4",
            Box::new(|i| {
                format!("{},{},{},Read", 128_166_372_003_061_629 + i * 10_000, at(i).0 * 512, at(i).1 * 512)
            }),
            "the only format that its columns fit",
        ),
    ];
    for (format, line, why) in cases {
        let trace = lines(64, line);
        let info = inspect(trace.path(), &TraceOptions::default())
            .unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!((info.format, info.requests.total()), (format, 64), "{:?}", info.notes);
        assert!(
            info.notes[0].contains(why) && info.notes[0].starts_with("read as"),
            "{format}: {:?}",
            info.notes
        );
        assert!(!info.notes[0].contains('\n'));
    }
    // Numbers that could be nanoseconds or microseconds: each reading says what it would mean, and how to ask for it.
    let trace = lines(64, |i| format!("{} 0 {} {} {}", i * 517_001 + i % 3 * 77, at(i).0, at(i).1, at(i).2));
    let error = inspect(trace.path(), &TraceOptions::default()).unwrap_err();
    assert_eq!(error.found, "2 readings are plausible");
    for part in [
        "--trace-format dtrs (time in us",
        "64 requests in 32.5711 s",
        "--trace-format mqsim (time in ns",
        "32.5711 ms",
    ] {
        assert!(error.expected.contains(part), "{part}: {error}");
    }
    // A steady pace does not show what its clock ticks in.
    let steady = lines(64, |i| format!("{} 0 {} {} {}", i * 500, at(i).0, at(i).1, at(i).2));
    let error = inspect(steady.path(), &TraceOptions::default()).unwrap_err();
    for name in ["disksim", "dtrs", "mqsim"] {
        assert!(error.expected.contains(&format!("--trace-format {name} (")), "{error}");
    }
    // Identifiers of cached objects are no addresses.
    let records: Vec<u8> = (0..20u64)
        .flat_map(|i| {
            [
                &(i as u32).to_le_bytes()[..],
                &(i * 77).to_le_bytes(),
                &311u32.to_le_bytes(),
                &(-1i64).to_le_bytes(),
            ]
            .concat()
        })
        .collect();
    for options in [TraceOptions::default(), named("oracle-general")] {
        let error = inspect(file(&records).path(), &options).unwrap_err();
        assert!(error.expected.contains("cached objects have no address"), "{error}");
    }
    // A damaged line is no reason to take another format.
    let trace = lines(64, |i| match i {
        40 => "what is this".into(),
        _ => format!("{}.{:03} 0 {} {} {}", i * 7, i * 31 % 1000, at(i).0, at(i).1, at(i).2),
    });
    let error = inspect(trace.path(), &TraceOptions::default()).unwrap_err();
    assert!(error.place.ends_with(":41"), "{error}");
}

#[test]
fn no_sample_is_read_as_another_format_by_content() {
    for card in formats().iter().filter(|card| card.certain) {
        for other in formats().iter().filter(|other| other.name != card.name) {
            let same_columns = [card.name, other.name].iter().all(|name| name.starts_with("cloudphysics"));
            if let (Ok(info), false) = (inspect(&sample(other.name), &named(card.name)), same_columns) {
                panic!("{} reads as {}: {info:?}", other.name, card.name);
            }
        }
    }
}

#[test]
fn one_odd_line_in_the_middle_is_refused_at_its_place() {
    for card in formats().iter().filter(|card| !BINARY.contains(&card.name)) {
        let text = String::from_utf8(bytes(card.name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.len() / 2;
        let shortened =
            |line: &'_ str| line[..line.rfind([' ', ',', '\t', ';']).unwrap_or(1)].trim_end().to_owned();
        let cut = shortened(&shortened(lines[at]));
        let cut = cut.as_str();
        let odd = ["#!@ what is this", "-1,-2,-3", "1\u{0}2 3", "99999999999999999999999 1 2 3 4", cut];
        for odd in odd {
            // These take lines with fewer columns: other events, optional columns, actions without extent.
            if odd.starts_with('#') && [TABLE, "ftrace"].contains(&card.name) {
                continue;
            }
            if odd == cut && ["blkparse", "blkreplay", "ftrace", "spc", "fio-iolog-v2"].contains(&card.name) {
                continue;
            }
            let mut damaged = lines.clone();
            damaged.insert(at, odd);
            let trace = file(damaged.join("\n").as_bytes());
            let error =
                inspect(trace.path(), &named(card.name)).expect_err(&format!("{}: {odd:?}", card.name));
            let place = format!("{}:{}", trace.path().display(), at + 1);
            assert_eq!(error.place, place, "{}: {odd:?}: {error}", card.name);
            assert!(!error.to_string().contains('\n'), "{error}");

            let skipping = TraceOptions { skip_bad_lines: true, ..named(card.name) };
            assert_eq!(read(trace.path(), &skipping).unwrap(), expected(card.name), "{}", card.name);
            let info = inspect(trace.path(), &skipping).unwrap();
            assert_eq!((info.skipped_lines, info.first_skipped.len()), (1, 1));
            assert!(info.first_skipped[0].starts_with(&place), "{:?}", info.first_skipped);
        }
    }
}

#[test]
fn what_no_request_can_be_is_refused() {
    let cases = [
        ("ssdsim", "0 0 8 0 1", "size 0"),
        ("ssdsim", "0 0 -8 8 1", "negative"),
        ("ssdsim", "0 0 8 8 2", "operation is \"2\""),
        ("ssdsim", "0.5 0 8 8 1", "time is \"0.5\""),
        ("ssdsim", "0 0 36028797018963968 8 1", "sector 36028797018963968"),
        ("ssdsim", "0 0 36028797018963967 8 1", "plus size"),
        ("ssdsim", "0 0 8 8388608 1", "4294967296 bytes"),
        ("ssdsim", "18446744073709551616 0 8 8 1", "beyond 64 bits"),
        ("mqsim", "0 0  8 8 1", "0 0  8 8 1"),
        ("disksim", "18446744073710 0 8 8 1", "too large for milliseconds"),
        ("disksim", "1 0 8 8 1g", "flags is \"1g\""),
        ("msr", "1,h,0,Read,1000,512,1", "offset 1000"),
        ("msr", "1,h,0,Read,1024,1000,1", "size 1000"),
        ("msr", "184467440737095517,h,0,Read,0,512,1", "time \"184467440737095517\""),
        ("tencent", "1,8,8,R,1", "operation is \"R\""),
        ("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,,0,0,512", "IOType is empty"),
        ("systor17", "1.0,0.1,R,0,0,512", "1.0,0.1,R,0,0,512"),
        ("fio-iolog-v3", "fio version 3 iolog\n5 /dev/sda read 0 512", "was not added"),
        ("fio-iolog-v3", "fio version 3 iolog\n5 a add\n5 a wait 10 0", "action is \"wait\""),
        ("fio-iolog-v2", "fio version 3 iolog\na add", "fio version 3 iolog"),
        ("biotracer", "0 8 5000 1 1.0 1.0 1.0 1.0", "8 sectors but 5000 bytes"),
        ("cloudphysics", "version,time,op,size,lbn\n1,1,12,512,0", "SCSI command 12"),
        ("fiu", "1 2 p 8 8 W 6 0 0123", "md5 is \"0123\""),
        ("blkparse", "8,0 1 1 1.0 5 D W [kworker]", "without an address"),
    ];
    for (format, text, part) in cases {
        let trace = file(text.as_bytes());
        let error = inspect(trace.path(), &named(format)).expect_err(text);
        assert!(error.found.contains(part), "{text:?}: {error}");
        let line = text.lines().count();
        let place = error.place.rsplit_once(':').unwrap().1;
        assert!(place == line.to_string() || place == "1", "{error}");
    }
}

#[test]
fn line_ends_do_not_matter_but_endless_lines_do() {
    let text = String::from_utf8(bytes("msr")).unwrap();
    for variant in [text.replace('\n', "\r\n"), text.trim_end().to_owned(), text.replace('\n', "\n\n")] {
        let trace = file(variant.as_bytes());
        assert_eq!(read(trace.path(), &TraceOptions::default()).unwrap(), expected("msr"));
    }
    let mut long = text.into_bytes();
    long.extend(vec![b'x'; 1 << 20]);
    long.push(b'\n');
    let trace = file(&long);
    let error = inspect(trace.path(), &TraceOptions::default()).unwrap_err();
    assert!(error.place.ends_with(":13") && error.found.contains("more than 16384 bytes"), "{error}");
    let skipping = TraceOptions { skip_bad_lines: true, ..Default::default() };
    assert_eq!(read(trace.path(), &skipping).unwrap(), expected("msr"));
}

#[test]
fn a_cut_or_damaged_record_is_refused_by_number() {
    let cut = bytes("lcs");
    let error = inspect(file(&cut[..cut.len() - 5]).path(), &TraceOptions::default()).unwrap_err();
    assert!(error.place.ends_with(": record 12") && error.found.contains("ends after"), "{error}");
    let error = inspect(file(&cut[..8000]).path(), &named("lcs")).unwrap_err();
    assert!(error.found.contains("ends after 8000 bytes"), "{error}");
    for (name, length) in [("vscsi1", 32), ("vscsi2", 40)] {
        let whole = bytes(name);
        let cut = file(&whole[..whole.len() - 5]);
        let error = inspect(cut.path(), &TraceOptions::default()).unwrap_err();
        assert!(error.place.ends_with(": record 13") && error.found.contains("ends after"), "{error}");
        let mut damaged = whole.clone();
        damaged[5 * length..6 * length].fill(0xee);
        let error = inspect(file(&damaged).path(), &TraceOptions::default()).unwrap_err();
        assert!(error.place.ends_with(": record 6"), "{error}");
    }
    let mut damaged = bytes("blktrace");
    damaged[0..4].reverse();
    assert!(inspect(file(&damaged).path(), &named("blktrace")).is_err(), "one event of another byte order");
}

#[test]
fn what_is_no_trace_is_said_to_be_none() {
    let junk: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cases: [(&[u8], &str); 4] = [
        (b"", "the file is empty"),
        (&junk, "no known trace format"),
        (b"Dear diary,\ntoday I wrote no trace.\n", "no known trace format"),
        (b"\n\n\n", "no known trace format"),
    ];
    for (content, part) in cases {
        let error = inspect(file(content).path(), &TraceOptions::default()).unwrap_err();
        assert!(error.found.contains(part), "{error}");
    }
    let folder = inspect(&std::env::temp_dir(), &TraceOptions::default()).unwrap_err();
    assert!(folder.found.contains("a folder without blktrace files"), "{folder}");
    let missing = inspect(Path::new("/nowhere/at/all"), &TraceOptions::default()).unwrap_err();
    assert!(missing.found.contains("no such file"), "{missing}");
    let misnamed = inspect(&sample("msr"), &named("msrr")).unwrap_err();
    assert!(misnamed.expected.contains("did you mean \"msr\""), "{misnamed}");
}

#[test]
fn other_actions_of_a_block_trace_can_be_chosen() {
    for name in ["blkparse", "blktrace", "blktrace-v2", "ftrace"] {
        for action in ["Q", "C"] {
            let options = TraceOptions { action: Some(action.into()), ..Default::default() };
            assert_eq!(read(&sample(name), &options).unwrap(), expected(name), "{name} {action}");
        }
        let none = TraceOptions { action: Some("X".into()), ..Default::default() };
        assert!(inspect(&sample(name), &none).unwrap_err().found.contains("no request"));
    }
}

#[test]
fn waits_and_appended_runs_of_an_iolog_are_those_of_fios_replay() {
    let times = |text: &str| -> Vec<u64> {
        let trace = file(text.as_bytes());
        let lines = read(trace.path(), &TraceOptions::default()).unwrap();
        lines.iter().map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap() / 1_000_000).collect()
    };
    // fio 3.33 and 3.42: a wait ends so many ms after the start; one that is over is none.
    let waits = "fio version 2 iolog\na add\na open\na read 0 4096\na wait 1500 0\na read 4096 4096\na wait 1500 0\n\
                 a read 8192 4096\na wait 2000 0\na read 12288 4096\na close\n";
    assert_eq!(times(waits), [0, 1500, 1500, 2000]);
    // A log that fio appended to: its replay takes the second run after the first.
    let run = "fio version 3 iolog\n22 a add\n101 a open\n1000 a read 0 4096\n101000 a read 4096 4096\n101010 a close\n";
    assert_eq!(times(&format!("{run}{run}")), [1, 101, 101, 201]);
}

#[test]
fn no_stamp_of_an_iolog_that_is_written_is_zero() {
    let trace = file(b"0,0,4096,w,0.000000\n1,8,4096,R,0.100000\n0,16,8192,w,0.200000\n");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("log");
    host::trace::convert(trace.path(), &named("spc"), &out, "fio-iolog-v3").unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    let stamps: Vec<u64> =
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
    // fio takes 0 for none, and would lose the gap after it.
    assert_eq!(stamps, [1, 1, 1, 1, 1, 100_001, 200_001]);
}
