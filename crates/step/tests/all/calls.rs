//! One call at a time: what it gives, and what it refuses.

use crate::{catalogue, open, setup, small};
use sim::RunOptions;
use step::{STAGE_NAMES, StepError, StepRequest, StepSetup, SteppedDrive, SteppedStatus, op_named, op_of};

fn request(time_ns: u64, op: &str, offset: u64, bytes: u32) -> StepRequest {
    let op = op_named(op).unwrap();
    StepRequest { time_ns, op, offset, bytes, namespace: 0, fua: false, placement: None }
}

fn plain() -> SteppedDrive {
    small(RunOptions::default())
}

fn refusal<T>(result: Result<T, StepError>) -> String {
    let error = result.err().expect("it is refused");
    assert!(!error.text().contains('\n'), "{error:?}");
    error.text().to_owned()
}

#[test]
fn a_drive_is_where_it_was_brought() {
    let mut drive = plain();
    assert_eq!((drive.now_ns(), drive.outstanding(), drive.next(None)), (0, 0, Ok(None)));
    assert_eq!(drive.submit(&request(500, "write", 0, 4096)), Ok(0));
    assert_eq!(drive.submit(&request(100, "write", 8192, 4096)), Ok(1));
    assert_eq!(drive.next_event_ns().unwrap(), Some(100));
    assert_eq!(drive.next(Some(50)), Ok(None));
    assert_eq!((drive.now_ns(), drive.outstanding()), (50, 2));
    let first = drive.next(None).unwrap().expect("two are outstanding");
    assert_eq!((first.id, first.submitted_ns, first.offset, first.bytes), (1, 100, 8192, 4096));
    assert_eq!(
        (first.status, first.retries, first.op),
        (SteppedStatus::Success, 0, op_named("write").unwrap().code())
    );
    assert_eq!(drive.now_ns(), first.completed_ns);
    assert_eq!(first.stages_ns.iter().sum::<u64>(), first.latency_ns());
    assert_eq!(STAGE_NAMES[usize::from(first.cause)], "command");
    drive.run_until(1_000_000).unwrap();
    assert_eq!((drive.now_ns(), drive.untaken(), drive.outstanding()), (1_000_000, Ok(1), 1));
    assert_eq!(drive.take(7).unwrap().iter().map(|found| found.id).collect::<Vec<_>>(), [0]);
    assert_eq!(drive.outstanding(), 0);
}

#[test]
fn answers_come_in_the_order_of_their_times() {
    let mut drive = plain();
    for number in 0..200 {
        let op = if number % 3 == 0 { "read" } else { "write" };
        drive.submit(&request(number * 700, op, number * 12288, 12288)).unwrap();
    }
    drive.submit(&request(150_000, "flush", 0, 0)).unwrap();
    drive.submit(&request(150_000, "trim", 0, 1 << 20)).unwrap();
    drive.finish().unwrap();
    let found: Vec<_> = drive.take(usize::MAX).unwrap();
    assert_eq!(found.len(), 202);
    assert!(found.is_sorted_by_key(|found| found.completed_ns));
    assert!(found.iter().all(|found| found.stages_ns.iter().sum::<u64>() == found.latency_ns()));
    let flush = found.iter().find(|found| found.id == 200).unwrap();
    assert!(flush.latency_ns() > 1_000_000, "it waits for programs: {flush:?}");
    let result = drive.statistics().unwrap();
    assert_eq!(result["host"]["completed"]["total"], 202);
    assert_eq!(result["engine"]["end_ns"].as_u64().unwrap_or(drive.now_ns()), drive.now_ns());
}

#[test]
fn what_is_wrong_is_refused_and_changes_nothing() {
    let mut drive = plain();
    drive.run_until(1000).unwrap();
    let past = drive.submit(&request(999, "read", 0, 4096));
    assert!(matches!(past, Err(StepError::Past(_))));
    assert_eq!(refusal(past), "time_ns = 999: before the drive's present: expected at least 1000");
    assert!(matches!(drive.run_until(999), Err(StepError::Past(_))));
    assert!(matches!(drive.next(Some(999)), Err(StepError::Past(_))));
    let capacity = drive.capacity_bytes();
    let wrong = [
        (request(1000, "read", 1, 4096), "expected whole sectors of 512 bytes"),
        (request(1000, "read", 0, 0), "at least one"),
        (request(1000, "read", capacity, 512), "expected requests within the drive's"),
        (request(1000, "read", u64::MAX - 511, 512), "expected requests within the drive's"),
        (request(1000, "append", 0, 512), "an operation of command set nvm"),
        (request(1000, "flush", 0, 512), "a flush without offset and length"),
        (request(u64::MAX, "read", 0, 512), "expected at most 9223372036854775808"),
        (StepRequest { namespace: 2, ..request(1000, "read", 0, 512) }, "namespace = 2: expected 0 or 1"),
        (
            StepRequest { placement: Some(3), ..request(1000, "write", 0, 512) },
            "placement = 3: expected none",
        ),
    ];
    for (asked, expected) in wrong {
        let text = refusal(drive.submit(&asked));
        assert!(text.contains(expected), "{text}");
    }
    let group = [request(1000, "read", 0, 512), request(1000, "read", 3, 512), request(0, "read", 0, 512)];
    let text = refusal(drive.submit_all(group.into_iter().map(Ok)));
    assert!(text.starts_with("request 1: submit: a request of 512 bytes at 3"), "{text}");
    assert_eq!((drive.submitted(), drive.outstanding(), drive.next(None)), (0, 0, Ok(None)));
    assert_eq!(drive.submit(&request(1000, "read", 0, 512)), Ok(0));
    assert!(refusal(op_named("wirte")).ends_with("did you mean \"write\"?"));
    assert!(refusal(op_of(77)).starts_with("op = 77: expected 0 read, "));
}

#[test]
fn what_only_a_run_has_is_refused() {
    let with = |set: &[&str], options: RunOptions| {
        SteppedDrive::open(&StepSetup { options, ..setup("small-tlc", set) }, &catalogue())
    };
    let plain = RunOptions::default;
    assert!(refusal(with(&["power.cut.drawn=1"], plain())).starts_with("power.cut: "));
    assert!(refusal(with(&["fault.die=0", "fault.at=1ms"], plain())).contains("expected"));
    let limited = RunOptions { limit_requests: Some(3), ..plain() };
    assert!(refusal(with(&[], limited)).starts_with("options: limit_requests: "));
    let copies = RunOptions { precondition: sim::PreconditionKind::Workload, ..plain() };
    assert!(refusal(with(&[], copies)).contains("expected a workload that can be opened again"));
    assert!(refusal(with(&["ftl.op_rato=0.1"], plain())).contains("did you mean \"ftl.op_ratio\"?"));
    let other = SteppedDrive::open(&setup("small-tlx", &[]), &catalogue());
    assert!(refusal(other).contains("did you mean \"small-tlc\"?"));
}

#[test]
fn a_drive_is_opened_from_text() {
    let text = "base = \"small-tlc\"\ntitle = \"mine\"\n[ftl]\nuser_capacity = \"1GB\"\n";
    let of = |text: &str| {
        let setup = StepSetup { toml: Some(text.into()), ..setup("mine.toml", &["host.link.name=\"sata\""]) };
        SteppedDrive::open(&setup, &catalogue())
    };
    assert!(refusal(of("base = \"small-tlx\"")).starts_with("mine.toml:1: base: small-tlx: unknown drive"));
    assert!(refusal(of(&text.replace("user_cap", "user_cup"))).starts_with("mine.toml:4: ftl.user_cupacity"));
    assert!(refusal(of("title = ")).starts_with("mine.toml:1"));
    if let Ok(drive) = of(text) {
        assert_eq!((drive.name(), drive.title(), drive.capacity_bytes()), ("mine.toml", "mine", 999_997_440));
    }
}

#[test]
fn namespaces_have_bytes_of_their_own() {
    let set = ["host.namespaces.names=[\"log\", \"data\"]", "host.namespaces.log.size=3146240B"];
    let mut drive = open(&setup("small-tlc", &set));
    let sizes: Vec<u64> = drive.namespaces().collect();
    assert_eq!((sizes.len(), sizes[0]), (2, 3_146_240));
    let to = |namespace, offset| StepRequest { namespace, ..request(0, "write", offset, 512) };
    assert!(refusal(drive.submit(&to(0, 0))).starts_with("namespace = 0: expected 1 to 2"));
    assert!(refusal(drive.submit(&to(1, 3_146_240))).contains("within the namespace's 3146240 bytes"));
    drive.submit(&to(1, 3_145_728)).unwrap();
    drive.submit(&to(2, sizes[1] - 512)).unwrap();
    assert_eq!((drive.namespace_named("data"), drive.namespace_named("nvme0n1")), (Ok(2), Ok(1)));
    assert!(refusal(drive.namespace_named("dat")).ends_with("did you mean \"data\"?"));
    drive.finish().unwrap();
    let result = drive.statistics().unwrap();
    assert_eq!(result["host"]["by_namespace"]["log"]["write"]["requests"].as_u64().unwrap_or(1), 1);
}

#[test]
fn appends_say_where_their_data_are() {
    let mut drive = open(&setup("wd-zn540", &[]));
    let zone = drive.capacity_bytes() / 904;
    for _ in 0..3 {
        drive.submit(&request(0, "append", zone, 8192)).unwrap();
    }
    drive.submit(&request(1_000_000, "reset", zone, 0)).unwrap();
    drive.submit(&request(9_000_000_000, "write", zone + 4096, 4096)).unwrap();
    drive.submit(&request(9_000_000_000, "write", zone, 4096)).unwrap();
    drive.finish().unwrap();
    let found: Vec<_> = drive.take(usize::MAX).unwrap();
    let mut places: Vec<u64> = found[..3].iter().map(|found| found.offset).collect();
    places.sort_unstable();
    assert_eq!(places, [zone, zone + 8192, zone + 16384]);
    let of = |id: u64| found.iter().find(|found| found.id == id).unwrap();
    assert_eq!((of(3).offset, of(3).status), (zone, SteppedStatus::Success));
    assert_eq!((of(4).offset, of(4).status), (zone + 4096, SteppedStatus::Failed));
    assert_eq!((of(5).offset, of(5).status), (zone, SteppedStatus::Success));
}

#[test]
fn a_finished_drive_is_saved_and_another_begins_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.state");
    let mut drive = plain();
    for number in 0..50 {
        drive.submit(&request(0, "write", number * 4096, 4096)).unwrap();
    }
    drive.save(&path).unwrap();
    assert!(matches!(drive.submit(&request(1 << 40, "read", 0, 512)), Err(StepError::Over(_))));
    assert!(matches!(drive.run_until(1 << 40), Err(StepError::Over(_))));
    assert_eq!(drive.take(usize::MAX).unwrap().len(), 50);
    assert_eq!((drive.next(None), drive.next_event_ns()), (Ok(None), Ok(None)));
    let load = path.to_str().unwrap().to_owned();
    let mut next = small(RunOptions { load_state: Some(load), ..RunOptions::default() });
    next.submit(&request(0, "read", 0, 50 * 4096)).unwrap();
    next.submit(&request(0, "read", 50 * 4096, 4096)).unwrap();
    next.finish().unwrap();
    let state = &next.statistics().unwrap()["state"];
    assert_eq!(state["reads_unmapped"]["units"], 1, "{state}");
    assert!(refusal(next.save(&folder.path().join("no/where"))).contains("no/where"));
}

#[test]
fn drives_live_side_by_side_in_threads() {
    let run = |seed: u64| {
        let mut drive = small(RunOptions { seed, ..RunOptions::default() });
        for number in 0..500 {
            drive.submit(&request(number * 20_000, "write", number * 4096, 4096)).unwrap();
            drive.next(None).unwrap();
        }
        drive.next(None).unwrap().map(|found| found.completed_ns)
    };
    let alone: Vec<_> = (1..4).map(run).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..4).map(|seed| scope.spawn(move || run(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}
