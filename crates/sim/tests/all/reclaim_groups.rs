//! Reclaim groups, placement handles of namespaces, and reclaim units that the host ends: where data lie, what is counted, and
//! that no drive is ever stuck.

use crate::common::{Around, SMALL, closed_loop, drive, run};
use engine::RandomStream;
use host::{HostRequest, Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| match key.parse::<usize>() {
        Ok(at) => &value[at],
        Err(_) => &value[key],
    });
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

fn checked(seed: u64) -> RunOptions {
    RunOptions { check: true, seed, precondition: PreconditionKind::Fill, ..RunOptions::default() }
}

/// Makes a test drive of four dies with the settings `settings`, and with the over-provisioning that the refusal of a
/// too full drive recommends, if it is refused.
fn sustained(settings: &[String]) -> Drive {
    let of = |more: &[String]| {
        let small = SMALL.iter().copied().filter(|line| more.is_empty() || !line.starts_with("ftl.op_ratio"));
        let lines: Vec<String> =
            small.map(str::to_owned).chain(settings.iter().chain(more).cloned()).collect();
        Drive::from_resolved("test", &lines).unwrap_or_else(|error| panic!("{error}"))
    };
    let first = of(&[]);
    let Err(refusal) = first.build(1) else { return first };
    let refusal = refusal.to_string();
    let ratio = refusal.split("set ftl.op_ratio to ").nth(1).and_then(|rest| rest.split([' ', ',']).next());
    let ratio = ratio.unwrap_or_else(|| panic!("{refusal}"));
    let drive = of(&[format!("ftl.op_ratio={ratio}")]);
    drive.build(1).map(drop).unwrap_or_else(|error| panic!("{error}"));
    drive
}

fn refusal(settings: &[&str]) -> String {
    let settings: Vec<String> = [SMALL, settings].concat().into_iter().map(str::to_owned).collect();
    let made = Drive::from_resolved("refused", &settings).and_then(|drive| drive.build(1).map(drop));
    let error = made.expect_err("refused").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

fn fdp(handles: u64, groups: u64, isolation: &str) -> Vec<String> {
    vec![
        "ftl.streams.name=fdp".to_owned(),
        format!("ftl.streams.handles={handles}"),
        format!("ftl.streams.groups={groups}"),
        format!("ftl.streams.isolation={isolation}"),
    ]
}

/// Makes a test workload of writes of one to `most` units all over the drive, with a trim, a read and a flush in each
/// 32 requests.
fn mixed(requests: u64, capacity: u64, seed: u64, most: u64) -> Box<dyn Workload> {
    let (units, mut random) = (capacity / 4096, RandomStream::new(seed, "mixed"));
    closed_loop(requests, 8, move |index| {
        let unit = random.below(units + 1 - most);
        match index % 32 {
            0 => (Op::FLUSH, 0, 0),
            1 => (Op::TRIM, unit * 4096, 4096 * most as u32),
            2 => (Op::READ, unit * 4096, 4096),
            _ => (Op::WRITE, unit * 4096, 4096 * (1 + random.below(most)) as u32),
        }
    })
}

/// Checks that no number of placement handles and reclaim groups leaves a drive stuck, whether the host uses all
/// placement identifiers evenly or those of one group only.
#[test]
fn no_number_of_handles_and_groups_leaves_a_drive_stuck() {
    for isolation in ["initially", "persistently"] {
        for (handles, groups) in (1..=4).flat_map(|handles| [1, 2, 4].map(|groups| (handles, groups))) {
            for skewed in [false, true] {
                let drive = sustained(&fdp(handles, groups, isolation));
                let capacity = drive.capacity().get();
                let identifiers = handles * groups;
                let names = move |request: &HostRequest| {
                    let at = request.offset / 4096;
                    Some((if skewed { at % handles * groups } else { at / 5 % identifiers }) as u16)
                };
                let workload = mixed(12_000, capacity, handles * groups, 3);
                let (_, result) = run(drive, Box::new(Around::placed(workload, names)), checked(1));
                let what = format!("{isolation}, {handles} handles, {groups} groups, skewed {skewed}");
                assert_eq!(result["host"]["failed"]["total"], 0, "{what}");
                let elsewhere: u64 = (0..groups)
                    .map(|group| number(&result, &format!("ftl.streams.groups.{group}.bytes_elsewhere")))
                    .sum();
                // One group does not hold the drive: the others take the rest. Where groups are named alike hardly any is.
                let written = number(&result, "host.write.bytes");
                let expected =
                    if skewed && groups > 1 { elsewhere > written / 20 } else { elsewhere < written / 20 };
                assert!(expected, "{what}: {elsewhere} of {written}, {}", result["ftl"]["streams"]);
            }
        }
    }
}

/// Checks that data whose placement identifier names a reclaim group lie on the group's dies, and that data without an
/// identifier lie on all dies.
#[test]
fn data_lie_in_the_group_that_they_name() {
    let settings = fdp(2, 2, "initially");
    let valid = |names: fn(&HostRequest) -> Option<u16>| {
        let drive = sustained(&settings);
        let third = drive.capacity().get() / 3 / 4096;
        let mut random = RandomStream::new(3, "third");
        let workload = closed_loop(9_000, 4, move |_| (Op::WRITE, random.below(third) * 4096, 4096));
        let options = RunOptions { check: true, ..RunOptions::default() };
        let (_, result) = run(drive, Box::new(Around::placed(workload, names)), options);
        [0, 1].map(|group| number(&result, &format!("ftl.streams.groups.{group}.valid_bytes")))
    };
    // Identifiers in the order of NVMe's status: handle 0 in groups 0 and 1, handle 1 in groups 0 and 1.
    let [first, second] = valid(|request| Some((request.offset / 4096 % 2 * 2) as u16));
    assert!(first > 0 && second == 0, "{first}, {second}");
    let [first, second] = valid(|request| Some((request.offset / 4096 % 2 * 2) as u16 + 1));
    assert!(first == 0 && second > 0, "{first}, {second}");
    let [first, second] = valid(|_| None);
    assert!((first as f64 / second as f64 - 1.0).abs() < 0.1, "{first}, {second}");
}

const TENANTS: &[&str] = &[
    "ftl.streams.name=fdp",
    "ftl.streams.handles=3",
    "ftl.streams.groups=2",
    "ftl.op_ratio=0.6",
    "host.namespaces.names=[\"a\", \"b\"]",
    "host.namespaces.a.share=0.5",
    "host.namespaces.a.handles=[1, 2]",
    "host.namespaces.a.groups=[0]",
    "host.namespaces.b.groups=[1]",
];

/// Checks that the writes of two namespaces with a reclaim group each never lie on the other's dies, before the run and
/// after it.
#[test]
fn namespaces_with_groups_of_their_own_stay_apart() {
    let drive = drive(&[SMALL, TENANTS].concat());
    let (space, capacity) = (drive.space(), drive.capacity().get());
    assert_eq!(space.namespaces.iter().map(|one| one.handles).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((space.handles_at(0), space.handles_at(capacity - 512), space.handles), (2, 1, 2));
    let half = space.namespaces[1].extent.offset;
    // One write of three names what its namespace does not have.
    let names = |request: &HostRequest| Some((request.offset / 4096 % 3) as u16);
    let units = capacity / 4096;
    let mut random = RandomStream::new(5, "tenants");
    let workload = closed_loop(30_001, 8, move |index| match index {
        30_000 => (Op::FLUSH, 0, 0),
        _ => (Op::WRITE, random.below(units) * 4096, 4096),
    });
    let (_, result) = run(drive, Box::new(Around::placed(workload, names)), checked(1));
    let of = |path: &str| number(&result, &format!("ftl.streams.{path}"));
    assert_eq!([0, 1].map(|group| of(&format!("groups.{group}.bytes_elsewhere"))), [0, 0]);
    assert_eq!([0, 1].map(|group| of(&format!("groups.{group}.valid_bytes"))), [half, capacity - half]);
    // Namespace a has handles 1 and 2, and writes through 1 what it names wrongly; b has handle 0 as the drive's choice.
    let written = [0, 1, 2].map(|handle| of(&format!("handles.{handle}.bytes_written")));
    let all: u64 = written.iter().sum();
    let share = written.map(|bytes| bytes as f64 / all as f64);
    for (found, expected) in share.into_iter().zip([1.0 / 2.0, 1.0 / 3.0, 1.0 / 6.0]) {
        assert!((found - expected).abs() < 0.02, "{share:?}");
    }
    let wrong = of("events.invalid_identifier") as f64 / 30_000.0;
    // Of a a third, of b two thirds.
    assert!((wrong - 0.5).abs() < 0.02, "{wrong}");
    assert_eq!(result["ftl"]["streams"]["namespaces"][0]["handles"], serde_json::json!([1, 2]));
    assert_eq!(result["ftl"]["streams"]["namespaces"][1]["groups"], serde_json::json!([1]));
}

#[test]
fn what_a_drive_does_not_have_is_refused_in_a_line() {
    let fdp = ["ftl.streams.name=fdp", "ftl.streams.handles=2"];
    for (settings, expected) in [
        (&["ftl.streams.groups=3"][..], "expected equal parts of the drive's 4 dies: 1, 2, 4"),
        (&["ftl.streams.groups=0"], "expected 1 to 256"),
        (&["host.namespaces.names=[\"a\"]", "host.namespaces.a.handles=[2]"], "numbers below 2, each once"),
        (&["host.namespaces.names=[\"a\"]", "host.namespaces.a.handles=[1, 1]"], "each once"),
        (&["host.namespaces.names=[\"a\"]", "host.namespaces.a.handles=[]"], "at least one"),
        (&["host.namespaces.names=[\"a\"]", "host.namespaces.a.groups=[1]"], "numbers below 1, each once"),
    ] {
        let error = refusal(&[&fdp, settings].concat());
        assert!(error.contains(expected), "{error}");
    }
    let error = refusal(&["host.namespaces.names=[\"a\"]", "host.namespaces.a.handles=[0]"]);
    assert!(
        error.contains("host.namespaces.a.handles") && error.contains("ftl.streams.name = fdp"),
        "{error}"
    );
    // A namespace that its group does not hold, with the number that it does.
    let crowded = |bytes: u64| {
        let share = format!("host.namespaces.a.size={bytes}B");
        let lines: Vec<&str> =
            TENANTS.iter().copied().filter(|line| !line.starts_with("host.namespaces.a.share")).collect();
        let settings: Vec<String> =
            [SMALL, &lines, &[&share]].concat().into_iter().map(str::to_owned).collect();
        let drive = Drive::from_resolved("crowded", &settings).unwrap_or_else(|error| panic!("{error}"));
        drive.build(1).map(drop).map_err(|error| error.to_string())
    };
    let error = crowded(17 << 20).expect_err("it has more than its group");
    assert!(error.contains("namespace a lies in the reclaim groups [0] alone"), "{error}");
    let fits: u64 = error
        .split("; make them ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("{error}"));
    assert_eq!(crowded(fits), Ok(()));
    assert!(crowded(fits + 4096).is_err());
}

/// Makes a test workload of writes in order, one at a time, through handle 0, with a reclaim unit handle update before
/// each `every`th write, and a flush at the end.
fn with_updates(units: u64, every: u64, writes: u64) -> Box<dyn Workload> {
    let (mut at, mut updated) = (0, false);
    closed_loop(writes + writes.div_ceil(every) + 1, 1, move |_| {
        if at == writes {
            return (Op::FLUSH, 0, 0);
        }
        if at % every == 0 && !std::mem::replace(&mut updated, at % every == 0) {
            return (Op::HANDLE_UPDATE, 0, 0);
        }
        updated = false;
        at += 1;
        (Op::WRITE, (at - 1) % units * 4096, 4096)
    })
}

/// Checks that a host which updates its handle before each object gets a reclaim unit of its own for each, although the
/// objects were in the write buffer at the same time.
#[test]
fn an_update_begins_another_unit_for_what_is_written_after_it() {
    let volatile = ["ftl.op_ratio=1.0", "ftl.buffer.power_loss_protection=false"];
    let drive = drive(&[SMALL, &volatile, &["ftl.streams.name=fdp", "ftl.streams.handles=2"]].concat());
    let units = drive.capacity().get() / 4096;
    // A reclaim unit of four superblocks holds 128 units: an object of 40 leaves three in five of it.
    let options = RunOptions { check: true, ..RunOptions::default() };
    let (_, result) = run(drive, with_updates(units, 40, 4_000), options);
    let of = |path: &str| number(&result, &format!("ftl.streams.{path}"));
    assert_eq!((of("handles.0.updates"), of("handles.0.units_opened")), (100, 100));
    assert_eq!((of("handles.1.updates"), of("events.implicitly_modified")), (0, 0));
    // The last object is still open, and of the others no superblock is full: each of four dies has ten units of an object.
    assert_eq!(of("events.not_fully_written"), 99 * 4);
    assert_eq!(number(&result, "host.completed.manage"), 100);
    assert_eq!(of("handles.0.available_bytes"), (128 - 40) * 4096);
}

/// Checks that a drive goes on when the host asks for a new reclaim unit (handle update) all the time.
#[test]
fn a_host_that_ends_every_unit_leaves_no_drive_stuck() {
    for (groups, every) in [(1, 1), (2, 3), (4, 17)] {
        let drive = sustained(&fdp(2, groups, "persistently"));
        let units = drive.capacity().get() / 4096;
        let (_, result) = run(drive, with_updates(units, every, 8_000), checked(1));
        assert_eq!(result["host"]["failed"]["total"], 0);
        assert!(number(&result, "ftl.streams.handles.0.updates") >= 8_000 / every);
    }
}

#[test]
fn a_unit_that_is_open_for_too_long_ends() {
    let settings = [
        "ftl.streams.name=fdp",
        "ftl.streams.handles=1",
        "ftl.streams.unit_superblocks=16",
        "ftl.streams.unit_time_limit=10ms",
        "ftl.op_ratio=1.0",
    ];
    // Reclaim units that end before a superblock is programmed would all be padded.
    let sooner = drive(&[SMALL, &settings, &["ftl.streams.unit_time_limit=100us"]].concat());
    let error = sooner.build(1).map(drop).expect_err("no unit is full").to_string();
    assert!(error.contains("ftl.streams.unit_time_limit = 100us: expected 7060960ns or more"), "{error}");
    let drive = drive(&[SMALL, &settings].concat());
    let units = drive.capacity().get() / 4096;
    let workload = closed_loop(16_000, 1, move |at| match at % 2 {
        0 => (Op::WRITE, at % units * 4096, 4096),
        _ => (Op::FLUSH, 0, 0),
    });
    let (_, result) = run(drive, workload, RunOptions { check: true, ..RunOptions::default() });
    let of = |path: &str| number(&result, &format!("ftl.streams.{path}"));
    let (ended, opened) = (of("events.time_limit_exceeded"), of("handles.0.units_opened"));
    // Each unit takes what is written in ten milliseconds.
    let most = number(&result, "simulated_ns") / 10_000_000;
    assert!(
        ended > 30 && ended <= most && opened == ended + 1,
        "{ended} of {opened} units, of {most} at most"
    );
    assert_eq!(of("unit_time_limit_ns"), 10_000_000);
}

/// Checks that a handle update is refused on a drive without placement handles, and fails with an error for an invalid
/// identifier.
#[test]
fn an_update_needs_a_handle() {
    let result = |settings: &[&str], named: Option<u16>| {
        let drive = drive(&[SMALL, settings].concat());
        let workload = closed_loop(2, 1, move |_| (Op::HANDLE_UPDATE, 0, 0));
        let workload = Around::placed(workload, move |_| named);
        let mut session = sim::Session::with_workload(drive, Box::new(workload), RunOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        session.finish().map_err(|error| error.to_string())?;
        Ok::<Value, String>(session.result().expect("a result"))
    };
    let error = result(&[], None).expect_err("there are no handles");
    assert!(error.contains("update") && error.contains("ftl.streams.name = fdp"), "{error}");
    let fdp = ["ftl.streams.name=fdp", "ftl.streams.handles=2"];
    let right = result(&fdp, Some(1)).unwrap();
    assert_eq!((number(&right, "host.completed.manage"), number(&right, "host.failed.total")), (2, 0));
    let wrong = result(&fdp, Some(2)).unwrap();
    assert_eq!((number(&wrong, "host.failed.manage"), number(&wrong, "host.completed.total")), (2, 0));
    assert_eq!(number(&wrong, "ftl.streams.events.invalid_identifier"), 2);
}

fn torn(seed: u64, settings: &[&str]) -> Drive {
    let cuts = ["power.cut.drawn=6", "power.cut.within=3000", "ftl.buffer.power_loss_protection=false"];
    let room = ["ftl.op_ratio=1.4", "nand.pages_per_block=16"];
    let placed = ["ftl.streams.name=fdp", "ftl.streams.handles=3", "ftl.streams.groups=2"];
    let kind = if seed.is_multiple_of(2) { "initially" } else { "persistently" };
    let isolation = format!("ftl.streams.isolation={kind}");
    drive(&[SMALL, &cuts, &room, &placed, &[&isolation], settings].concat())
}

/// Checks, with the checker at each unit after each power cut, that no durable data are lost with reclaim groups and
/// handle updates among the writes.
#[test]
fn nothing_is_lost_when_the_power_fails() {
    let tenants = [
        "host.namespaces.names=[\"a\", \"b\"]",
        "host.namespaces.a.share=0.4",
        "host.namespaces.a.groups=[0]",
        "host.namespaces.b.groups=[1]",
        "host.namespaces.b.handles=[2, 1]",
    ];
    for seed in 0..6 {
        let drive = torn(seed, if seed < 3 { &[][..] } else { &tenants[..] });
        let capacity = drive.capacity().get();
        let workload = Around::placed(updated(mixed(5_000, capacity, seed, 1)), |request| {
            Some((request.offset / 4096 / 7 % 7) as u16)
        });
        let options = RunOptions { check: true, seed, ..RunOptions::default() };
        let (_, result) = run(drive, Box::new(workload), options);
        assert_eq!(result["power"]["cuts"].as_array().map(Vec::len), Some(6), "{}", result["power"]);
        assert!(number(&result, "ftl.streams.events.not_fully_written") > 0);
    }
}

/// Returns the workload `inner` with its reads (one in 32 requests) turned into reclaim unit handle updates.
fn updated(inner: Box<dyn Workload>) -> Box<dyn Workload> {
    struct Updated(Box<dyn Workload>);
    impl Workload for Updated {
        fn poll(&mut self, now: units::SimTime) -> Result<host::Poll, host::WorkloadError> {
            let mut poll = self.0.poll(now)?;
            if let host::Poll::Ready(request) = &mut poll
                && request.op == Op::READ
            {
                (request.op, request.bytes) = (Op::HANDLE_UPDATE, 0);
            }
            Ok(poll)
        }
        fn complete(&mut self, request: &HostRequest, completion: &host::Completion) {
            self.0.complete(request, completion);
        }
        fn fraction_done(&self, now: units::SimTime) -> Option<f64> {
            self.0.fraction_done(now)
        }
        fn report(&self) -> host::WorkloadReport {
            self.0.report()
        }
    }
    Box::new(Updated(inner))
}

/// Checks that a drive, saved and loaded, goes on with the open reclaim units of each group, and with a handle update
/// after which no write came yet.
#[test]
fn a_saved_state_keeps_the_units_of_groups_and_what_the_host_asked_for() {
    let settings = [SMALL, TENANTS, &["ftl.streams.unit_superblocks=5"]].concat();
    let capacity = drive(&settings).capacity().get();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state");
    let workload = Around::placed(mixed(5_000, capacity, 1, 1), |_| Some(0));
    let (mut session, before) = run(drive(&settings), Box::new(workload), checked(1));
    session.save_state(&path).unwrap_or_else(|error| panic!("{error}"));
    let available = |result: &Value, group: u64, handle: u64| {
        number(result, &format!("ftl.streams.groups.{group}.available_bytes.{handle}"))
    };
    let unit = number(&before, "ftl.streams.reclaim_unit_bytes");
    assert_eq!(unit, 5 * 32 * 4096);
    let load = |workload: Box<dyn Workload>, from: &std::path::Path| {
        let load_state = Some(from.display().to_string());
        run(drive(&settings), workload, RunOptions { check: true, load_state, ..RunOptions::default() })
    };
    // Namespace a begins with the drive; its first identifier is handle 1 in group 0.
    let update = || closed_loop(1, 1, |_| (Op::HANDLE_UPDATE, 0, 0));
    let (mut session, asked) = load(update(), &path);
    let left = [(0, 1), (1, 0)].map(|(group, handle)| available(&before, group, handle));
    assert!(left.iter().all(|left| *left < unit), "{left:?}");
    assert_eq!(available(&asked, 0, 1), unit);
    let again = folder.path().join("again");
    session.save_state(&again).unwrap_or_else(|error| panic!("{error}"));
    let written = |index| if index == 0 { (Op::WRITE, 0, 4096) } else { (Op::FLUSH, 0, 0) };
    let (_, after) = load(closed_loop(2, 1, written), &again);
    assert_eq!(available(&asked, 1, 0), available(&after, 1, 0));
    assert_eq!(number(&after, "ftl.streams.handles.1.units_opened"), 1);
    assert!((unit - 8 * 4096..unit).contains(&available(&after, 0, 1)), "{}", after["ftl"]["streams"]);
}

#[test]
fn an_update_of_a_handle_leaves_the_units_of_others_open() {
    let placed =
        ["ftl.streams.name=fdp", "ftl.streams.handles=2", "ftl.streams.groups=2", "ftl.op_ratio=1.0"];
    let drive = drive(&[SMALL, &placed].concat());
    let load = closed_loop(656, 1, |at| match at % 41 {
        0 => (Op::HANDLE_UPDATE, 0, 0),
        _ => (Op::WRITE, at * 4096, 4096),
    });
    let load = Around::placed(load, |request: &HostRequest| {
        Some(if request.op == Op::HANDLE_UPDATE { 0 } else { 2 })
    });
    let (_, result) = run(
        drive,
        Box::new(load),
        RunOptions { check: true, precondition: PreconditionKind::None, ..RunOptions::default() },
    );
    let streams = &result["ftl"]["streams"];
    assert_eq!(streams["handles"][0]["updates"], 16, "{streams}");
    // 640 units in reclaim units of a superblock of 32 on each of the two dies of a group.
    assert_eq!(streams["handles"][1]["units_opened"], 10, "{streams}");
    assert_eq!(streams["events"]["not_fully_written"], 0, "{streams}");
}
