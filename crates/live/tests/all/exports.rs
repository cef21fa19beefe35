//! A drive of several namespaces: each is an export of its own.

use crate::client::{FLUSH, FUA, Served, TRIM, drive, options, pattern};
use live::Server;
use sim::RunOptions;

const TWO: [&str; 2] = ["host.namespaces.names=[\"log\", \"data\"]", "host.namespaces.log.size=201216B"];
const LOG: u64 = 201_216;

fn refused(folder: &std::path::Path, others: &[&str], record: bool) -> String {
    let record = record.then(|| folder.join("trace"));
    let options = live::ServeOptions { record, ..options(folder, "max") };
    let error = Server::new(drive(others), RunOptions::default(), &options).err();
    error.expect("it is refused").to_string()
}

#[test]
fn what_is_written_to_one_export_is_there_and_not_in_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::with(folder.path(), "max", &TWO);
    let (mut log, mut data) = (served.client_of("log"), served.client_of("data"));
    assert_eq!((log.bytes, log.bytes + data.bytes < drive(&TWO).capacity().get()), (LOG, true));
    // The last sector of one, and the first of the other: the unit between them belongs to the first alone.
    assert_eq!(log.write(FUA, LOG - 512, &pattern(1, LOG - 512, 512)), 0);
    assert_eq!(data.write(0, 0, &pattern(2, 0, 8192)), 0);
    assert_eq!(log.read(LOG - 512, 512), (0, pattern(1, LOG - 512, 512)));
    assert_eq!(log.read(0, 4096), (0, vec![0; 4096]));
    assert_eq!(data.read(0, 8192), (0, pattern(2, 0, 8192)));
    assert_eq!(log.write(0, LOG - 512, &[0; 1024]), 28, "beyond its end");
    assert_eq!((data.ask(0, TRIM, 0, 4096), log.ask(0, FLUSH, 0, 0)), (0, 0));
    assert_eq!(data.read(0, 4096).1, [0; 4096]);
    assert_eq!(log.read(LOG - 512, 512).1, pattern(1, LOG - 512, 512));
    drop((log, data));
    let result = served.end().unwrap();
    let writes = |at: usize| result["host"]["namespaces"][at]["write"]["requests"].as_u64();
    assert_eq!((writes(0), writes(1)), (Some(1), Some(1)));
    // Another server of the same image goes on, and one of other namespaces does not.
    let served = Served::with(folder.path(), "max", &TWO);
    assert_eq!(served.client_of("data").read(4096, 4096), (0, pattern(2, 0, 8192)[4096..].to_vec()));
    served.end().unwrap();
    for others in [&[][..], &[TWO[0], "host.namespaces.log.share=0.5"]] {
        let text = refused(folder.path(), others, false);
        assert!(text.contains("of another drive: namespaces is") && !text.contains('\n'), "{text}");
    }
}

#[test]
fn exports_are_listed_and_another_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::with(folder.path(), "max", &TWO);
    let mut negotiation = served.option_phase();
    let mut asked = |number: u32, data: &[u8]| negotiation.ask(number, data);
    let listed = asked(3, b"");
    assert_eq!(listed[0], (2, b"\0\0\0\x03log".to_vec()));
    assert_eq!((listed[1].clone(), listed[2].0), ((2, b"\0\0\0\x04data".to_vec()), 1));
    let about = |name: &[u8]| [&(name.len() as u32).to_be_bytes(), name, &[0, 0]].concat();
    let found = asked(6, &about(b"log"));
    assert_eq!(found[0].1[2..10], LOG.to_be_bytes());
    assert_eq!(asked(6, &about(b""))[0].0, (1 << 31) + 6, "no export of that name");
    served.end().unwrap();
}

#[test]
fn a_trace_of_several_exports_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let text = refused(folder.path(), &TWO, true);
    assert!(text.starts_with("--record: ") && text.contains("one namespace"), "{text}");
    assert!(!folder.path().join("image").exists(), "nothing was made");
}
