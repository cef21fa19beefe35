//! A drive of zones that was saved and loaded goes on as if it had not been, with what waits in its buffer.

use crate::common::{TLC, drive, run};
use crate::zones::{KINDS, ZONED, number};
use engine::RandomStream;
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use serde_json::Value;
use sim::{Drive, RunOptions, Session};
use std::path::Path;
use std::sync::{Arc, Mutex};
use units::{Nanos, SimTime};

type Commands = Vec<(Op, u64, u32)>;
type Latencies = Arc<Mutex<Vec<u64>>>;

/// Workload of the test: commands one after the other, with a pause before one of them in which the drive comes to
/// rest.
struct WithPause {
    commands: Commands,
    next: usize,
    pause: usize,
    resumes: Option<SimTime>,
    is_blocked: bool,
    took: Latencies,
}

impl Workload for WithPause {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.is_blocked {
            return Ok(Poll::Blocked);
        }
        if self.next == self.pause {
            let resumes = *self.resumes.get_or_insert(now + Nanos::new(1_000_000_000));
            if now < resumes {
                return Ok(Poll::At(resumes));
            }
        }
        let Some(&(op, offset, bytes)) = self.commands.get(self.next) else { return Ok(Poll::Done) };
        self.next += 1;
        self.is_blocked = true;
        Ok(Poll::Ready(HostRequest::plain(now, op, offset, bytes)))
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        self.is_blocked = false;
        self.took.lock().unwrap().push(completion.at.since(request.arrive).ns());
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport { name: "with a pause".into(), format: "test".into(), ..WorkloadReport::default() }
    }
}

/// Draws commands: writes and appends of one to eight blocks to nine zones, reads, finishes and resets; none opens a
/// zone.
fn drawn(drive: &Drive, count: usize) -> Commands {
    let (zones, mut random) = (drive.space().zones.unwrap(), RandomStream::new(11, "zoned states"));
    let command = |_| {
        let start = random.below(9) * zones.size;
        match random.below(30) {
            0..3 => (Op::ZONE_RESET, start, 0),
            3 => (Op::ZONE_FINISH, start, 0),
            4..8 => (Op::READ, start + random.below(4) * zones.block, zones.block as u32),
            _ => (Op::APPEND, start, ((1 + random.below(8)) * zones.block) as u32),
        }
    };
    (0..count).map(command).collect()
}

fn zoned(kind: &[&str]) -> Drive {
    drive(&[TLC, kind, ZONED].concat())
}

/// Runs commands on a zoned drive; returns the session, the result, and the latency of each command.
fn played(
    kind: &[&str],
    commands: Commands,
    pause: usize,
    load: Option<&Path>,
) -> (Session, Value, Vec<u64>) {
    let took = Latencies::default();
    let workload =
        WithPause { commands, next: 0, pause, resumes: None, is_blocked: false, took: took.clone() };
    let load_state = load.map(|path| path.display().to_string());
    let options = RunOptions { check: true, load_state, ..RunOptions::default() };
    let (session, result) = run(zoned(kind), Box::new(workload), options);
    let took = took.lock().unwrap().clone();
    (session, result, took)
}

#[test]
fn what_is_saved_between_two_commands_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for kind in KINDS {
        let all = drawn(&zoned(kind), 400);
        for at in [137, 250] {
            let (mut unbroken, _, took) = played(kind, all.clone(), at, None);
            unbroken.save_state(&path("unbroken")).unwrap();
            let (mut first, ..) = played(kind, all[..at].to_vec(), usize::MAX, None);
            first.save_state(&path("first")).unwrap();
            let said = sim::state_info(&path("first")).unwrap();
            assert!(said["zones"]["units_in_buffer"].as_u64().unwrap() > 0, "{said}");
            let (mut second, result, rest) =
                played(kind, all[at..].to_vec(), usize::MAX, Some(&path("first")));
            assert_eq!(rest, took[at..], "{kind:?}: how long commands took");
            assert!(number(&result, "host.completed.total") > 70, "{}", result["host"]);
            second.save_state(&path("second")).unwrap();
            let [one, other] = ["unbroken", "second"].map(|name| std::fs::read(path(name)).unwrap());
            assert!(one == other, "{kind:?}: the drives differ after all commands");
        }
    }
}

#[test]
fn a_state_says_what_its_zones_are_and_open_ones_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let [kind, ..] = KINDS;
    let zones = zoned(kind).space().zones.unwrap();
    let (block, size) = (zones.block as u32, zones.size);
    // Two units of a zone wait, another zone is open and empty, a third is finished, a fourth is full.
    let commands = vec![
        (Op::WRITE, 0, 5 * block),
        (Op::ZONE_OPEN, size, 0),
        (Op::WRITE, 2 * size, block),
        (Op::ZONE_FINISH, 2 * size, 0),
        (Op::WRITE, 3 * size, zones.capacity as u32),
    ];
    let (mut first, result, _) = played(kind, commands, usize::MAX, None);
    assert_eq!(number(&result, "ftl.zones.states.explicitly_open"), 1, "{}", result["ftl"]["zones"]);
    first.save_state(&path).unwrap();
    let said = sim::state_info(&path).unwrap();
    let wanted = serde_json::json!({
        "empty": zones.count - 3, "closed": 1, "full": 2, "units_written": 6 + zones.capacity / zones.block,
        "units_in_buffer": 2,
    });
    assert_eq!(said["zones"], wanted);
    let (_, result, _) = played(kind, vec![(Op::APPEND, 2 * size, block)], usize::MAX, Some(&path));
    let states = &result["ftl"]["zones"]["states"];
    assert_eq!((&states["closed"], &states["full"]), (&1.into(), &2.into()), "{states}");
    assert_eq!(number(&result, "host.errors.zone_is_full"), 1, "a finished zone takes no more");
    // What waited is read from the buffer, and goes on at the pointer.
    let rest = vec![(Op::READ, 0, 5 * block), (Op::WRITE, 5 * zones.block, block), (Op::READ, 0, 6 * block)];
    let (_, result, _) = played(kind, rest, usize::MAX, Some(&path));
    assert_eq!(number(&result, "host.failed.total"), 0, "{}", result["host"]["errors"]);
}

#[test]
fn a_state_of_other_zones_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let [kind, ..] = KINDS;
    let size = zoned(kind).space().zones.unwrap().size;
    let commands = (0..3).map(|zone| (Op::WRITE, zone * size, 4096)).collect();
    played(kind, commands, usize::MAX, None).0.save_state(&path).unwrap();
    for (more, words) in [
        (vec!["ftl.mapping.max_open=2", "ftl.mapping.max_active=2"], "has 3 active zones"),
        (vec!["ftl.mapping.zone_size=384KiB"], "zone_units is 128 there and 96 here"),
        (vec![], "the saved state is of a drive of another shape"),
    ] {
        let other = if more.is_empty() { drive(TLC) } else { drive(&[TLC, kind, ZONED, &more].concat()) };
        let load_state = Some(path.display().to_string());
        let workload = crate::common::closed_loop(1, 1, |_| (Op::READ, 0, 4096));
        let begun =
            Session::with_workload(other, workload, RunOptions { load_state, ..RunOptions::default() });
        let error = begun.err().expect("it is refused").to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}
