//! What a user has at hand: packed files and archives, the files of several CPUs, completions only, addresses inside a
//! sector, tables. And what is none of that, said in one line.

use host::WorkloadError;
use host::trace::{Align, TraceInfo, TraceOptions, convert, inspect};
use std::io::Write;
use std::path::{Path, PathBuf};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces").join(format!("{name}.trace"))
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(sample(name)).unwrap()
}

fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file.flush().unwrap();
    file
}

fn look(content: &[u8]) -> Result<TraceInfo, WorkloadError> {
    inspect(file(content).path(), &TraceOptions::default())
}

fn packed(packing: &str, content: &[u8]) -> Vec<u8> {
    match packing {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        "zstd" => zstd::encode_all(content, 3).unwrap(),
        "bzip2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        "xz" => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        _ => content.to_vec(),
    }
}

const PACKINGS: [&str; 4] = ["gzip", "zstd", "bzip2", "xz"];

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

#[test]
fn packed_files_are_read_as_they_are_and_a_cut_one_is_refused() {
    let text = bytes("spc");
    let half = text[..300].iter().rposition(|&b| b == b'\n').unwrap() + 1;
    for packing in PACKINGS {
        // Two streams in one file, as parallel packers write them.
        let whole = [packed(packing, &text[..half]), packed(packing, &text[half..])].concat();
        let info = look(&whole).unwrap();
        assert_eq!((info.requests.total(), info.compression.as_str()), (12, packing));
        let skipping =
            TraceOptions { skip_bad_lines: true, format: Some("spc".into()), ..TraceOptions::default() };
        let error = inspect(file(&whole[..whole.len() - 10]).path(), &skipping).unwrap_err();
        assert!(error.found.contains(&format!("the {packing} data")), "{packing}: {error}");
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        // From any damaged file comes an error or, without a checksum, other lines.
        if let Err(error) = inspect(file(&damaged).path(), &skipping) {
            assert!(!error.to_string().contains('\n'));
        }
    }
}

#[test]
fn an_archive_stands_for_the_trace_in_it() {
    let (trace, readme) = (bytes("spc"), b"what this is".as_slice());
    for packing in ["none", "gzip", "zstd", "bzip2", "xz"] {
        for inside in ["none", "gzip", "xz"] {
            let member = packed(inside, &trace);
            let archive = tar(&[("d/README.txt", readme), ("d/trace.spc", &member), ("d/empty", b"")]);
            let info = look(&packed(packing, &archive)).unwrap_or_else(|e| panic!("{packing} {inside}: {e}"));
            let layers: Vec<&str> = ["tar", packing, inside].into_iter().filter(|l| *l != "none").collect();
            assert_eq!((info.requests.total(), info.compression), (12, layers.join(", ")));
            assert_eq!(info.notes, ["d/trace.spc of the archive"]);
        }
    }
    let two = tar(&[("a/hm_0.csv", &bytes("msr")), ("a/hm_1.csv.gz", &packed("gzip", &bytes("msr")))]);
    let error = look(&two).unwrap_err();
    assert!(error.found == "2 traces in the archive", "{error}");
    assert!(error.expected.contains("--member NAME, one of a/hm_0.csv, a/hm_1.csv.gz"), "{error}");
    let member = |name: &str| {
        let options = TraceOptions { member: Some(name.into()), ..TraceOptions::default() };
        inspect(file(&two).path(), &options)
    };
    assert_eq!(member("hm_1.csv.gz").unwrap().requests.total(), 12);
    assert_eq!(member("a/hm_0.csv").unwrap().requests.total(), 12);
    assert!(member("a/hm_2.csv").unwrap_err().expected.contains("did you mean"));
    let options = TraceOptions { member: Some("x".into()), ..TraceOptions::default() };
    assert!(inspect(&sample("msr"), &options).unwrap_err().found.contains("is no archive"));
    for cut in [600, 1500] {
        let whole = tar(&[("trace.spc", &trace)]);
        let error = look(&whole[..cut.min(whole.len() - 1100)]).unwrap_err();
        assert!(error.to_string().contains("too early") || error.to_string().contains("damaged"), "{error}");
    }
}

#[test]
fn what_unpacks_to_more_than_any_trace_does_is_refused() {
    // Blank lines: nothing else would stop at them.
    let blank = vec![b'\n'; 1 << 20];
    let mut bomb = Vec::new();
    let mut encoder = zstd::stream::write::Encoder::new(&mut bomb, 19).unwrap();
    for _ in 0..200 {
        encoder.write_all(&blank).unwrap();
    }
    encoder.finish().unwrap();
    assert!(bomb.len() < 30_000, "{} bytes", bomb.len());
    let options =
        TraceOptions { format: Some("spc".into()), skip_bad_lines: true, ..TraceOptions::default() };
    let error = inspect(file(&bomb).path(), &options).unwrap_err();
    assert!(error.found.contains("they unpack to more than 4096 times their size"), "{error}");
}

#[test]
fn what_is_no_trace_reaches_the_terminal_as_plain_text() {
    let elf = [b"\x7fELF\x02\x01\x01\0\x1b[31mred\x07".as_slice(), &[0xff; 600]].concat();
    let cases: [(&[u8], &str); 6] = [
        (&elf, "binary data in no known trace format, beginning with the bytes 7f 45 4c 46"),
        (b"PK\x03\x04rest of it", "a zip archive"),
        (b"PAR1rest of it", "a Parquet file"),
        (b"\x1b[2J\x1b[31mboo\n", "binary data"),
        ("d\u{e9}j\u{e0} vu\n".as_bytes(), "no known trace format"),
        (b"\xe9\xe8 latin\n", "xe9"),
    ];
    for (content, part) in cases {
        let text = look(content).unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
    // A name that would move the cursor is no name of a volume.
    let error = look(b"0,R,0,512,1\n0,R,0,512,1\n\x1b[2Jx,R,0,512,2\n").unwrap_err();
    assert!(error.found.contains("volume is") && !error.to_string().contains('\x1b'), "{error}");
}

/// Test helper: returns the events of the blktrace sample, distributed over as many files as there are CPUs (`cpus`).
fn dealt(cpus: usize) -> Vec<Vec<u8>> {
    let whole = bytes("blktrace");
    let (mut files, mut at, mut next) = (vec![Vec::new(); cpus], 0, 0);
    while at < whole.len() {
        let length = 48 + usize::from(u16::from_le_bytes([whole[at + 46], whole[at + 47]]));
        files[next % cpus].extend_from_slice(&whole[at..at + length]);
        (at, next) = (at + length, (next * 5 + 1) % 97);
    }
    files
}

#[test]
fn the_files_of_all_cpus_are_one_trace() {
    let folder = tempfile::tempdir().unwrap();
    let whole = inspect(&sample("blktrace"), &TraceOptions::default()).unwrap();
    for (cpu, events) in dealt(4).iter().enumerate() {
        let name = format!("sda.blktrace.{cpu}");
        let packing = if cpu == 2 { "gzip" } else { "none" };
        let name = if cpu == 2 { format!("{name}.gz") } else { name };
        std::fs::write(folder.path().join(name), packed(packing, events)).unwrap();
    }
    let named = ["sda.blktrace.0", "sda.blktrace.3", "sda.blktrace", "sda", ""];
    let out = folder.path().join("out.txt");
    for name in named {
        let path = if name.is_empty() { folder.path().to_owned() } else { folder.path().join(name) };
        let info = inspect(&path, &TraceOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            (info.requests, info.bytes, info.span_ns),
            (whole.requests, whole.bytes, whole.span_ns),
            "{name}"
        );
        assert_eq!(info.gaps, whole.gaps, "{name}");
        assert!(
            info.notes[0].starts_with("the files of 4 CPUs, sda.blktrace.*, put in order of time"),
            "{:?}",
            info.notes
        );
        assert_eq!(convert(&path, &TraceOptions::default(), &out, "fio-iolog-v3"), Ok(14));
    }
    // A damaged event is named with its own file and number.
    let third = folder.path().join("sda.blktrace.3");
    let mut damaged = std::fs::read(&third).unwrap();
    damaged[0..4].fill(0);
    std::fs::write(&third, &damaged).unwrap();
    let error = inspect(folder.path(), &TraceOptions::default()).unwrap_err();
    assert!(error.place.ends_with("sda.blktrace.3: record 1"), "{error}");
    std::fs::remove_file(&third).unwrap();
    std::fs::remove_file(folder.path().join("sda.blktrace.1")).unwrap();
    let info = inspect(folder.path(), &TraceOptions::default()).unwrap();
    assert!(info.notes.iter().any(|note| note == "the file of CPU 1 is absent"), "{:?}", info.notes);
    std::fs::remove_file(folder.path().join("sda.blktrace.2.gz")).unwrap();
    let info = inspect(&folder.path().join("sda.blktrace.0"), &TraceOptions::default()).unwrap();
    assert!(
        info.notes[0].starts_with("sda.blktrace.0 is the file of one CPU of several"),
        "{:?}",
        info.notes
    );
    std::fs::write(folder.path().join("sdb.blktrace.0"), b"").unwrap();
    let error = inspect(folder.path(), &TraceOptions::default()).unwrap_err();
    assert!(error.found.contains("2 devices") && error.expected.contains("sdb"), "{error}");

    let files = dealt(3);
    let members: Vec<(String, &[u8])> = files
        .iter()
        .enumerate()
        .map(|(cpu, events)| (format!("t/sda.blktrace.{cpu}"), events.as_slice()))
        .collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, events)| (name.as_str(), *events)).collect();
    let info = look(&packed("bzip2", &tar(&members))).unwrap();
    assert_eq!((info.requests, info.gaps), (whole.requests, whole.gaps));
}

#[test]
fn a_trace_of_completions_only_is_taken_as_that() {
    let text = String::from_utf8(bytes("blkparse")).unwrap();
    for (action, part) in [("C", "only completions (C)"), ("Q", "those queued (Q)")] {
        let kept: String = text
            .lines()
            .filter(|line| line.split_whitespace().nth(5) == Some(action))
            .map(|l| format!("{l}\n"))
            .collect();
        let info = look(kept.as_bytes()).unwrap();
        assert_eq!(info.requests.total(), 14);
        assert!(info.notes[0].contains(part), "{:?}", info.notes);
        let asked = TraceOptions { action: Some(action.into()), ..TraceOptions::default() };
        assert!(
            inspect(file(kept.as_bytes()).path(), &asked).unwrap().notes.is_empty(),
            "asked for, so not said"
        );
        let other = TraceOptions { action: Some("D".into()), ..TraceOptions::default() };
        assert!(inspect(file(kept.as_bytes()).path(), &other).unwrap_err().found.contains("no request"));
    }
    let misplaced = TraceOptions { action: Some("Q".into()), ..TraceOptions::default() };
    let error = inspect(&sample("msr"), &misplaced).unwrap_err();
    assert!(error.place == "--action Q" && error.found == "the trace is msr", "{error}");
}

#[test]
fn addresses_inside_a_sector_are_refused_rounded_or_moved() {
    let odd = "1,h,0,Read,1000,100,1\n2,h,0,Write,2024,512,1\n";
    let with = |text: &str, align| {
        let options = TraceOptions { format: Some("msr".into()), align, ..TraceOptions::default() };
        inspect(file(text.as_bytes()).path(), &options)
    };
    let error = with(odd, Align::Refuse).unwrap_err();
    assert!(
        error.found.contains("offset 1000 is not") && error.expected.contains("--align round"),
        "{error}"
    );
    // Bytes 1000 to 1099 touch sectors 1 and 2; 2024 to 2535 touch 3 and 4.
    let info = with(odd, Align::Round).unwrap();
    assert_eq!(
        (info.bytes.read, info.bytes.write, info.span_bytes, info.requests_aligned),
        (1024, 1024, 2560, 2)
    );
    let moved = "1,h,0,Read,1000,512,1\n2,h,0,Write,2024,1024,1\n";
    let info = with(moved, Align::Offset).unwrap();
    assert_eq!((info.span_bytes, info.requests_aligned), (1536 + 1024, 2));
    let error = with("1,h,0,Read,1000,512,1\n2,h,0,Read,1024,512,1\n", Align::Offset).unwrap_err();
    assert!(error.found.contains("offset 1024 is 0 bytes into a sector, the first 488"), "{error}");
    assert!(with(odd, Align::Offset).unwrap_err().found.contains("size 100"));
    for align in [Align::Round, Align::Offset] {
        let error = with("1,h,0,Read,1024,512,1\n", align).unwrap_err();
        assert!(error.expected.contains("without --align"), "{error}");
    }
}

#[test]
fn any_table_is_read_as_its_columns_are_named() {
    let read = |columns: &str, text: &str| {
        let options = TraceOptions { columns: Some(columns.into()), ..TraceOptions::default() };
        inspect(file(text.as_bytes()).path(), &options)
    };
    let info =
        read("time:ms op offset:bytes size:sectors", "Time Op Addr Len\n1.5 R 4096 8\n2 w 8192 1\n").unwrap();
    assert_eq!((info.format, info.span_ns, info.bytes.read, info.bytes.write), ("table", 500_000, 4096, 512));
    let info =
        read("wait:us - op:0=read,1=write offset:4KiB size=4KiB ...", "5,x,0,1,more\n7,y,1,2\n").unwrap();
    assert_eq!((info.span_ns, info.span_bytes, info.requests.write), (7_000, 3 * 4096, 1));
    let info = read("time:s op=write volume offset:sectors size:sectors", "0.5|a|0|8\n0.75|b|8|8\n").unwrap();
    assert_eq!((info.volumes.len(), info.span_ns, info.requests.write), (2, 250_000_000, 2));
    for (columns, text, part) in [
        ("time:ms op offset:bytes size:bytes", "1 R 512 512 9\n", "after column 4"),
        ("time:ms op offset:bytes size:bytes", "1 1 512 512\n", "operation is \"1\""),
        ("time:ms op:1=read,0=write offset:bytes size:bytes", "1 R 512 512\n", "operation is \"R\""),
        ("time:ms op offset:bytes size:bytes", "1 R 512 512\nTime Op Addr Len\n", "time is \"Time\""),
        ("time:ms op offset:bytes size:bytes", "1 R 100 512\n", "offset 100"),
    ] {
        let error = read(columns, text).unwrap_err();
        assert!(error.found.contains(part), "{error}");
    }
    assert!(read("tme:ms", "1\n").unwrap_err().expected.contains("did you mean \"time\"?"));
    let both = TraceOptions {
        columns: Some("time:s op offset:bytes size:bytes".into()),
        format: Some("msr".into()),
        ..TraceOptions::default()
    };
    assert!(inspect(&sample("msr"), &both).unwrap_err().place == "--columns");
    let neither = TraceOptions { format: Some("table".into()), ..TraceOptions::default() };
    assert!(inspect(&sample("table"), &neither).unwrap_err().expected.contains("--columns"));
}
