//! Tables as programs write them: hexadecimal, in quotes, with the letters of Linux, with dates; and the words that a
//! table without a known format suggests.

use host::WorkloadError;
use host::trace::{TraceInfo, TraceOptions, inspect, open};
use host::{Op, Poll, Workload};
use std::io::Write;
use units::SimTime;

fn read(columns: Option<&str>, content: &[u8]) -> Result<TraceInfo, WorkloadError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file.flush().unwrap();
    inspect(file.path(), &TraceOptions { columns: columns.map(str::to_owned), ..TraceOptions::default() })
}

fn table(columns: &str, text: &str) -> TraceInfo {
    read(Some(columns), text.as_bytes()).unwrap_or_else(|error| panic!("{columns}: {error}"))
}

fn refused(columns: &str, text: &str) -> String {
    read(Some(columns), text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn numbers_may_be_hexadecimal() {
    let events = "    DiskRead,       1000, app.exe (12), 34, 0xfff0, 0x0000001000, 0x00001000, 12\n   DiskWrite,       1500, app.exe (12), 34, 0xfff1, 0x00000A0000, 0x00002000, 12\n";
    let info = table("op:DiskRead=read,DiskWrite=write time:us - - - offset:bytes size:bytes ...", events);
    assert_eq!((info.bytes.read, info.bytes.write, info.span_bytes), (4096, 8192, 0xa2000));
    assert_eq!(info.span_ns, 500_000);
    let info = table("time:ns op offset:sectors:hex size:bytes:hex", "0x10 R a 200\n0x20 R 0xB 1000\n");
    assert_eq!((info.span_ns, info.bytes.read, info.span_bytes), (16, 0x1200, 11 * 512 + 0x1000));
    // A header of letters that are hexadecimal digits is a number where such are asked for.
    assert!(
        refused("time:ns op offset:bytes:hex size:bytes", "time op face size\n1 R zz 512\n")
            .contains("time is \"time\"")
    );
    assert!(
        refused("time:ns op offset:bytes:hex size:bytes header=1", "time op face size\n1 R zz 512\n")
            .contains("offset is \"zz\"")
    );
    assert!(refused("time:ns op offset:bytes size:bytes", "1 R a 512\n").contains("offset is \"a\""));
    assert!(refused("time:ns op offset:bytes size:bytes", "1 R 0x 512\n").contains("offset is \"0x\""));
    assert!(refused("time:ns op offset:oct size:bytes", "1 R 0 512\n").contains(":hex behind it"));
}

#[test]
fn fields_may_stand_in_quotes() {
    let text = "\"Time\",\"Process, or \"\"none\"\"\",\"Op\",\"LBA\",\"Len\"\r\n\"1.5\",\"a,b\",\"Read\",\"8\",\"512\"\r\n2.5,\"5\"\" disk\",Write,16,512\r\n";
    let info = table("time:ms volume op offset:sectors size:bytes", text);
    let names: Vec<&str> = info.volumes.iter().map(|volume| volume.name.as_str()).collect();
    assert_eq!((info.span_ns, names.as_slice()), (1_000_000, &["a,b", "5\" disk"][..]));
    let info =
        table("time:ms volume op offset:sectors size:bytes", "1;\"x;y\";R;8;512\n2;5\" disk;W;16;512\n");
    assert_eq!(info.volumes[1].name, "5\" disk");
    let said = refused("time:ms volume op offset:sectors size:bytes", "1,\"a,R,8,512\n");
    assert!(said.contains("has one quote"), "{said}");
    let said = refused("time:ms volume op offset:sectors size:bytes", "1,\"a\"b,R,8,512\n");
    assert!(said.contains("after a quote"), "{said}");
}

#[test]
fn operations_may_be_the_letters_of_linux() {
    let text =
        "1 WS 0 512\n2 RA 512 512\n3 WFS 1024 512\n4 FF 0 0\n5 DS 0 512\n6 WZ 512 512\n7 N 0 0\n8 FWS 0 0\n";
    let info = table("time:us op offset:bytes size:bytes", text);
    let requests = info.requests;
    assert_eq!((requests.read, requests.write, requests.trim, requests.flush), (1, 2, 2, 2));
    assert_eq!((info.writes_with_fua, info.write_zeroes), (1, 1));
    assert!(
        refused("time:us op:WS=write offset:bytes size:bytes", "1 RA 0 512\n")
            .contains("operation is \"RA\"")
    );
    assert!(refused("time:us op offset:bytes size:bytes", "1 ZA 0 512\n").contains("ZA=write"));
    assert_eq!(table("time:us op:ZA=write offset:bytes size:bytes", "1 ZA 0 512\n").requests.write, 1);
    // Words come first, as before.
    let info = table("time:us op offset:bytes size:bytes", "1 wr 0 512\n2 RD 0 512\n3 d 0 512\n4 F 0 0\n");
    assert_eq!(
        (info.requests.write, info.requests.read, info.requests.trim, info.requests.flush),
        (1, 1, 1, 1)
    );
}

#[test]
fn times_may_be_negative_or_dates() {
    let info = table("time:s op offset:bytes size:bytes", "-0.5 R 0 512\n-0.25 R 0 512\n1 R 0 512\n");
    assert_eq!((info.span_ns, info.out_of_order), (1_500_000_000, 0));
    let said = refused("time:s op offset:bytes size:bytes", "0.5 R 0 512\n-0.25 R 0 512\n");
    assert!(said.contains("after one that is not negative"), "{said}");
    assert!(refused("wait:s op offset:bytes size:bytes", "-0.5 R 0 512\n").contains("is negative"));
    for (text, columns) in [
        (
            "2024-02-28T23:59:59.5Z,R,0,512\n2024-03-01T00:00:00.25Z,W,0,512\n",
            "time:iso op offset:bytes size:bytes",
        ),
        (
            "2024-02-28 23:59:59.5 R 0 512\n2024-03-01 00:00:00.25 W 0 512\n",
            "time:iso op offset:bytes size:bytes",
        ),
        (
            "R|\"2024-02-28 23:59:59,5\"|0|512\nW|2024-03-01 01:00:00.25+01:00|0|512\n",
            "op time:iso offset:bytes size:bytes",
        ),
        (
            "Time,Op,At,Len\n2024-02-28T23:59:59.5,R,0,512\n2024-03-01T00:00:00.25,R,0,512\n",
            "time:iso op offset:bytes size:bytes",
        ),
    ] {
        assert_eq!(table(columns, text).span_ns, 86_400_750_000_000, "{text}");
    }
    let said = refused("time:iso op offset:bytes size:bytes", "2024-02-30T00:00:00Z,R,0,512\n");
    assert!(said.contains("such as 2024-01-31T12:34:56.789Z"), "{said}");
    assert!(refused("wait:iso op offset:bytes size:bytes", "1,R,0,512\n").contains("\"iso\" is unknown"));
    assert!(refused("time op offset:bytes size:bytes", "1,R,0,512\n").contains(":iso"));
}

#[test]
fn a_table_that_no_format_fits_shows_the_words_for_its_columns() {
    let said = |text: &str| read(None, text.as_bytes()).unwrap_err().to_string();
    let wanted =
        "--columns \"time:s - volume op offset:sectors size:bytes\", one word for each of its 6 columns";
    let text = said("Timestamp;Hostname;Disk;Type;LBA;Size\n1;h;0;Read;8;512\n");
    assert!(text.contains(wanted) && !text.contains('\n'), "{text}");
    let text = said("    DiskRead,  1000, app.exe (12), 34, 0xfff, 0x1000, 0x1000, 12\n");
    assert!(text.contains("\"op:DiskRead=read - - - - - - -\""), "{text}");
    let options = TraceOptions { format: Some("table".into()), ..TraceOptions::default() };
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"when,what,LBA,len\n1,R,8,512\n").unwrap();
    let error = inspect(file.path(), &options).unwrap_err();
    assert!(error.expected.contains("\"- - offset:sectors size:bytes\""), "{error}");
    // Too many columns: how to leave the others out.
    assert!(refused("time:s op offset:bytes size:bytes", "1 R 0 512 9\n").contains("... as its last word"));
}

#[test]
fn text_of_other_programs_is_read_or_named() {
    let msr = "128166372000000000,srv,0,Read,512,1024,1\n128166372000000100,srv,0,Write,1024,512,1\n";
    for text in
        [format!("\u{feff}{msr}"), format!("{msr}\n \t\n\r\n"), format!("\r\n{}", msr.replace('\n', "\r\n"))]
    {
        assert_eq!(read(None, text.as_bytes()).unwrap().requests.total(), 2, "{text:?}");
    }
    let wide =
        |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes).collect() };
    for wide in
        [wide(&format!("\u{feff}{msr}"), u16::to_le_bytes), wide(&format!("\u{feff}{msr}"), u16::to_be_bytes)]
    {
        let error = read(None, &wide).unwrap_err();
        assert!(error.found.contains("UTF-16") && error.expected.contains("iconv"), "{error}");
    }
}

/// Checks that a trace table can name a placement handle for each write in a column, and that the replay has these
/// handles.
#[test]
fn a_column_names_placement_handles() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("labelled.csv");
    let text = "time,op,offset,size,handle\n0,write,0,4096,3\n1,write,4096,4096,\n2,read,0,4096,2\n3,write,8192,4096,-\n\
                2.5,write,12288,4096,65535\n4,update,0,0,7\n5,update,-,,\n";
    std::fs::write(&path, text).expect("written");
    let columns = Some("time:s op offset:bytes size:bytes handle".to_owned());
    let options =
        TraceOptions { format: Some("table".to_owned()), columns, sort: true, ..TraceOptions::default() };
    let mut workload = open(&path, &options, 1 << 20).unwrap_or_else(|error| panic!("{error}"));
    let mut named = Vec::new();
    let mut now = SimTime::ZERO;
    loop {
        match workload.poll(now).expect("a sound trace") {
            Poll::Ready(request) => named.push((request.op, request.placement)),
            Poll::At(later) => now = later,
            _ => break,
        }
    }
    let (read, write, update) = (Op::READ, Op::WRITE, Op::HANDLE_UPDATE);
    assert_eq!(
        named,
        [
            (write, Some(3)),
            (write, None),
            (read, None),
            (write, Some(65_535)),
            (write, None),
            (update, Some(7)),
            (update, None)
        ]
    );
    std::fs::write(&path, text.replace("65535", "65536")).expect("written");
    let error = open(&path, &options, 1 << 20).err().expect("refused").to_string();
    assert!(error.contains("a handle up to 65535") && !error.contains('\n'), "{error}");
}
