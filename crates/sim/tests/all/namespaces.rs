//! Several namespaces on one drive: what goes to one leaves the others as they are; a drive that declares one is the drive
//! that declares none.

use crate::common::{SMALL, catalogue, run};
use engine::RandomStream;
use host::{Completion, Poll};
use serde_json::{Value, json};
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};
use units::SimTime;

const TWO: &[&str] = &["host.namespaces.names=[\"log\", \"data\"]", "host.namespaces.log.size=3146240B"];

fn load(settings: &[&str]) -> Result<Drive, String> {
    let settings: Vec<String> = SMALL.iter().chain(settings).map(|line| (*line).to_owned()).collect();
    Drive::from_resolved("test", &settings).map_err(|error| error.to_string())
}

fn with(settings: &[&str]) -> Drive {
    load(settings).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(settings: &[&str]) -> String {
    load(settings).map(drop).unwrap_err()
}

fn job(text: &str) -> WorkloadSpec {
    WorkloadSpec::FioText { name: "job".into(), text: text.into(), variables: [].into() }
}

/// Constant: fio job file with jobs on two namespaces: writes of all sizes, trims and reads.
const MIXED: &str = "[global]\nioengine=libaio\niodepth=8\nnumber_ios=1500\n\
    [one]\nfilename=log\nrw=randrw\nbsrange=512-16k\nnorandommap=1\nio_size=64m\n\
    [two]\nfilename=/dev/nvme0n2\nrw=randtrim\nbs=4k\n\
    [three]\nfilename=data\nrw=randrw\nbs=4k\n";

fn result(drive: Drive, spec: &WorkloadSpec, options: RunOptions) -> Value {
    let source = spec.open(drive.space(), options.seed).unwrap_or_else(|error| panic!("{error}"));
    run(drive, source, options).1
}

fn checked(seed: u64) -> RunOptions {
    RunOptions { check: true, seed, ..RunOptions::default() }
}

#[test]
fn what_goes_to_one_namespace_is_counted_there_and_leaves_the_other_as_it_is() {
    let mut random = RandomStream::new(1, "namespaces");
    for seed in 0..6 {
        let size = format!("host.namespaces.log.size={}B", (random.below(20_000) + 64) * 512);
        let drive = with(&[TWO[0], &size]);
        let found = result(drive, &job(MIXED), checked(seed));
        let of = |at: usize, kind: &str| found["host"]["namespaces"][at][kind]["requests"].as_u64().unwrap();
        assert_eq!(found["host"]["namespaces"][0]["name"], "log");
        for kind in ["read", "write", "trim"] {
            assert_eq!(found["host"][kind]["requests"], of(0, kind) + of(1, kind), "{size}: {kind}");
            let own = found["jobs"][0][kind]["requests"].as_u64().unwrap_or(0);
            assert_eq!(of(0, kind), own, "{size}: {kind}s of log are those of its job");
        }
        assert!(of(0, "write") > 0 && of(1, "write") > 0 && of(1, "read") > 0 && of(1, "trim") > 0);
    }
}

/// Checks that each request of fio jobs lies within the namespace that its job names, for namespaces of random sizes.
#[test]
fn every_request_lies_in_the_namespace_of_its_job() {
    let mut random = RandomStream::new(2, "namespaces");
    for seed in 0..20 {
        let share = format!("host.namespaces.log.share={}", 0.01 + 0.98 * random.unit());
        let drive = with(&[TWO[0], &share]);
        let space = drive.space();
        let mut workload = job(MIXED).open(&space, seed).unwrap();
        let (mut requests, mut open, mut ns) = (0, Vec::new(), 0);
        loop {
            match workload.poll(SimTime::from_ns(ns)).unwrap() {
                Poll::Ready(request) => {
                    let extent = space.namespaces[usize::from(request.tag > 0)].extent;
                    let end = request.offset + u64::from(request.bytes);
                    let is_within = extent.offset <= request.offset && end <= extent.offset + extent.bytes;
                    assert!(is_within, "{share}: {request:?} is not in {extent:?}");
                    requests += 1;
                    open.push(request);
                }
                Poll::At(time) => ns = time.ns(),
                Poll::Blocked => {
                    ns += 1000;
                    workload.complete(&open.remove(0), &Completion::success(SimTime::from_ns(ns)));
                }
                Poll::Done => break,
            }
        }
        assert!(requests > 1500, "{requests}");
    }
}

/// Checks that in each namespace all durable data survive power cuts without capacitors, when only the flash contents
/// remain.
#[test]
fn what_was_durable_in_each_namespace_survives_power_cuts() {
    for seed in 0..4 {
        let cuts = ["power.cut.drawn=3", "power.cut.within=2000", "ftl.buffer.power_loss_protection=false"];
        let found = result(with(&[TWO, &cuts].concat()), &job(MIXED), checked(seed));
        assert_eq!(found["power"]["cuts"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn one_declared_namespace_is_the_drive_that_declares_none() {
    let (plain, one) = (with(&[]), with(&["host.namespaces.names=[\"all\"]"]));
    let spec =
        job("[one]\nfilename=/dev/sda\nrw=randrw\nbs=4k\nnumber_ios=2000\nioengine=libaio\niodepth=4\n");
    let options = || RunOptions { precondition: PreconditionKind::Fill, ..checked(3) };
    let [mut plain, mut one] = [plain, one].map(|drive| result(drive, &spec, options()));
    let configured =
        |result: &mut Value| result.as_object_mut().unwrap().remove("config").unwrap().to_string();
    assert!(
        configured(&mut one).contains("host.namespaces") && !configured(&mut plain).contains("namespaces")
    );
    for result in [&mut plain, &mut one] {
        for key in ["engine", "config_places"] {
            result.as_object_mut().unwrap().remove(key);
        }
    }
    assert!(plain["host"].get("namespaces").is_none(), "no key where nothing is declared");
    assert_eq!(plain.to_string(), one.to_string());
}

#[test]
fn a_saved_state_goes_on_with_the_same_namespaces_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").display().to_string();
    let save =
        RunOptions { save_state: Some(path.clone()), precondition: PreconditionKind::Fill, ..checked(1) };
    let straight = result(with(TWO), &job(MIXED), save);
    let load = || RunOptions { load_state: Some(path.clone()), ..checked(1) };
    let loaded = result(with(TWO), &job(MIXED), load());
    assert_eq!(straight["host"], loaded["host"]);
    let other = |settings: &[&str]| {
        let drive = with(settings);
        let source =
            job("[a]\nfilename=/dev/nvme0n1\nrw=randread\nsize=1m\n").open(drive.space(), 1).unwrap();
        Session::with_workload(drive, source, load()).map(drop).unwrap_err().to_string()
    };
    let none = other(&[]);
    let log = "log of 3146240 bytes (nvm), data of ";
    assert!(none.contains("of other namespaces") && none.contains(log) && none.contains("here"), "{none}");
    assert!(none.ends_with("and one, which is all of it here"), "{none}");
    let shared = other(&[TWO[0], "host.namespaces.log.share=0.5"]);
    assert!(shared.contains("of other namespaces"), "{shared}");
}

#[test]
fn declarations_that_cannot_be_are_refused_in_a_line() {
    let names = TWO[0];
    for (settings, expected) in [
        (
            &["host.namespaces.names=[\"a\", \"b\", \"a\"]"][..],
            "expected each name once: \"a\" is there twice",
        ),
        (&["host.namespaces.names=[]"], "at least one: leave the key out for none"),
        (&["host.namespaces.names=[\"a b\"]"], "not \"a b\""),
        (&[names], "expected a size or a share for all but one of log, data"),
        (&[names, "host.namespaces.log.size=100GiB"], "expected at most 26841088 bytes"),
        (&[names, "host.namespaces.log.size=1000B"], "expected a multiple of 512 bytes"),
        (&[names, "host.namespaces.log.share=1.5"], "at most 1"),
        (
            &[names, "host.namespaces.log.size=1MiB", "host.namespaces.log.share=0.5"],
            "no share beside a size",
        ),
        (&[names, "host.namespaces.log.size=1MiB", "host.namespaces.data.size=1MiB"], "belong to none"),
        (&[names, "host.namespaces.log.share=1.0"], "leave some of the drive's"),
        (&[names, "host.namespaces.lag.size=1MiB"], "did you mean \"host.namespaces.log.size\"?"),
        (
            &[names, "host.namespaces.log.size=1MiB", "host.namespaces.log.command_set=nvme"],
            "expected one of nvm, zns",
        ),
        (&[names, "host.namespaces.log.sise=1MiB"], "did you mean"),
    ] {
        let found = refused(settings);
        assert!(found.contains("host.namespaces"), "{settings:?}: {found}");
        assert!(found.contains(expected) && !found.contains('\n'), "{settings:?}: {found}");
    }
}

#[test]
fn a_workload_that_names_no_namespace_or_an_unknown_one_is_refused_in_a_line() {
    let space = with(TWO).space();
    let refused = |spec: &WorkloadSpec| spec.open(&space, 1).map(drop).unwrap_err().to_string();
    let known = "expected a namespace of the drive: log, data";
    for (text, found, expected) in [
        ("[a]\nfilename=dat\nrw=read\n", "job:1: job a: filename=dat", "data; did you mean \"data\"?"),
        ("[a]\nfilename=/dev/nvme0n3\nrw=read\n", "filename=/dev/nvme0n3", known),
        ("[a]\nfilename=log:file\nrw=read\n", "filename=file", known),
        (
            "[a]\nrw=read\nsize=1m\n",
            "job a: no filename on a drive of several namespaces",
            "filename=a namespace",
        ),
        ("[a]\nfilename=log\nrw=read\nsize=4m\n", "end at byte 4194304", "namespace log's 3146240 bytes"),
        (
            "[a]\nfilename=log\nrw=read\noffset=4m\n",
            "starts at byte 4194304",
            "namespace log's 3146240 bytes",
        ),
    ] {
        let refused = refused(&job(text));
        assert!(refused.contains(found) && refused.contains(expected), "{text:?}: {refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
    let volume = refused(&WorkloadSpec::Volume { spec: "volume:prn_0".into() });
    assert!(volume.contains("expected fio jobs or a trace"), "{volume}");
}

/// Checks that one fio job can write to two namespaces in equal parts, as fio does with several files.
#[test]
fn one_job_can_work_on_several_namespaces() {
    let text = "[a]\nfilename=log:data\nrw=randwrite\nbs=4k\nsize=2m\nioengine=libaio\niodepth=4\n";
    let found = result(with(TWO), &job(text), checked(1));
    let bytes = |at: usize| found["host"]["namespaces"][at]["write"]["bytes"].as_u64().unwrap();
    assert_eq!([bytes(0), bytes(1)], [1 << 20; 2]);
}

#[test]
fn volumes_of_a_trace_go_to_the_namespaces_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |lines: &[&str]| {
        let path = folder.path().join("trace.csv");
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    };
    let spec = |path: &std::path::Path, addresses: &str| {
        let options = json!({ "addresses": addresses, "format": "msr" });
        let spec = json!({ "kind": "trace", "path": path, "options": options });
        WorkloadSpec::from_json(&spec.to_string()).unwrap()
    };
    let at = |seconds: u64| 128_166_372_000_000_000 + seconds * 10_000_000;
    let line = |seconds, host: &str, disk, op: &str, offset: u64| {
        format!("{},{host},{disk},{op},{offset},4096,0", at(seconds))
    };
    let names = "host.namespaces.names=[\"usr_1\", \"prn_0\"]";
    let drive = || with(&[names, "host.namespaces.usr_1.share=0.25"]);
    let lines =
        [line(0, "prn", 0, "Write", 0), line(1, "usr", 1, "Write", 8192), line(2, "prn", 0, "Read", 0)];
    let path = write(&lines.each_ref().map(String::as_str));
    let found = result(drive(), &spec(&path, "auto"), checked(1));
    let of = |at: usize, kind: &str| found["host"]["namespaces"][at][kind]["requests"].as_u64().unwrap();
    assert_eq!([of(0, "write"), of(0, "read"), of(1, "write"), of(1, "read")], [1, 0, 1, 1]);
    let refused = |spec: &WorkloadSpec| spec.open(drive().space(), 1).map(drop).unwrap_err().to_string();
    assert!(refused(&spec(&path, "wrap")).contains("addresses as they are in the trace"));
    let path = write(&[&line(0, "usr", 2, "Write", 0)]);
    assert!(
        refused(&spec(&path, "auto"))
            .contains("volume \"usr_2\": expected a namespace of the drive: usr_1, prn_0")
    );
    let path = write(&[&line(0, "usr", 1, "Write", 1 << 30)]);
    let beyond = refused(&spec(&path, "auto"));
    assert!(
        beyond.contains("trace.csv:1: volume \"usr_1\" ends at byte") && beyond.contains("no more than"),
        "{beyond}"
    );
}

/// Checks that each drive file of the catalogue makes a drive with a single namespace, and that only `wd-zn540` has
/// zones.
#[test]
fn the_shipped_drives_are_one_namespace() {
    for summary in catalogue().drives() {
        let drive = Drive::load(&catalogue(), &summary.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        // A zoned one begins each zone at a multiple of its size, which is more than its capacity.
        let space = drive.space();
        let is_zoned = space.zones.is_some();
        assert_eq!(is_zoned, summary.name == "wd-zn540", "{}", summary.name);
        let plain = host::HostSpace { handles: 0, ..space };
        assert!(is_zoned || plain == drive.capacity().get().into(), "{}", summary.name);
    }
}
