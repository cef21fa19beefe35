//! Zoned drives: random commands on zones, wrong ones among them, against the states that the specification gives; what finishes
//! and resets do to the flash; what is refused before it runs.

use crate::common::zones::{appends, commands, shape_of};
use crate::common::{TLC, closed_loop, drive, run};
use engine::RandomStream;
use host::command::zns::{ZoneShape, ZoneState, ZoneStates};
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

/// Constant: settings of a drive with 40 zones of 512 KiB, of which 384 KiB can be written: a superblock of 24 units on
/// each of four dies.
pub const ZONED: &[&str] = &[
    "ftl.buffer.power_loss_protection=true",
    "ftl.mapping.zone_size=512KiB",
    "ftl.mapping.max_open=3",
    "ftl.mapping.max_active=5",
    "ftl.mapping.t_write=2us",
    "ftl.mapping.t_append=3us",
    "ftl.mapping.t_reset=50us",
    "ftl.mapping.t_reset_unit=1us",
];
pub const KINDS: [&[&str]; 3] = [
    &["ftl.mapping.name=zoned-all"],
    &["ftl.mapping.name=zoned-width", "ftl.mapping.dies=2", "ftl.mapping.zone_capacity=384KiB"],
    &["ftl.mapping.name=zoned-on-write", "ftl.mapping.dies=1", "ftl.mapping.zone_capacity=384KiB"],
];

fn zoned(settings: &[&str]) -> Drive {
    drive(&[TLC, settings, ZONED].concat())
}

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

pub fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// Returns the outcome of the test's commands on a model of the zone states alone: numbers of failed requests by
/// status, and the states of the zones in the end.
fn expected(shape: ZoneShape, seed: u64, requests: u64) -> (Vec<(String, u64)>, ZoneStates) {
    let (mut workload, mut zones) = (commands(shape, 4096, seed, requests, 1), ZoneStates::new(shape));
    let mut errors = std::collections::BTreeMap::<String, u64>::new();
    while let Ok(host::Poll::Ready(request)) = workload.poll(units::SimTime::ZERO) {
        let block = request.offset / 4096;
        let (zone, at, blocks) =
            ((block / shape.size) as u32, block % shape.size, u64::from(request.bytes) / 4096);
        let answer = match request.op {
            Op::FLUSH => Ok(()),
            _ if at + blocks > shape.size => Err(host::command::zns::ZoneError::Boundary),
            Op::WRITE => zones.write(zone, at, blocks),
            Op::APPEND => zones.append(zone, at, blocks).map(|_| ()),
            Op::READ => zones.read(zone, at, blocks),
            op => zones.manage(zone, op).map(|_| ()),
        };
        if let Err(error) = answer {
            *errors.entry(error.name().to_owned()).or_default() += 1;
        }
        workload.complete(&request, &host::Completion::success(units::SimTime::ZERO));
    }
    (errors.into_iter().collect(), zones)
}

#[test]
fn random_commands_are_answered_as_the_states_of_zones_say() {
    for (kind, seed) in KINDS.into_iter().zip(1..) {
        let drive = zoned(kind);
        let shape = shape_of(&drive);
        let (errors, zones) = expected(shape, seed, 4000);
        assert!(errors.len() >= 5, "{errors:?}");
        let (_, result) = run(drive, commands(shape, 4096, seed, 4000, 1), checked());
        let said: Vec<(String, u64)> = result["host"]["errors"]
            .as_object()
            .expect("errors")
            .iter()
            .map(|(name, count)| (name.clone(), count.as_u64().unwrap()))
            .collect();
        assert_eq!(said, errors, "{kind:?}");
        assert_eq!(errors.iter().map(|error| error.1).sum::<u64>(), number(&result, "host.failed.total"));
        for (state, count) in ZoneState::ALL.iter().zip(zones.by_state()) {
            assert_eq!(number(&result, &format!("ftl.zones.states.{}", state.name())), count, "{kind:?}");
        }
        assert_eq!(number(&result, "ftl.zones.finished"), zones.counts.finished);
        assert_eq!(number(&result, "ftl.zones.reset"), zones.counts.reset);
    }
}

/// Checks, for several numbers of commands in flight on zones, that the checker finds each unit in its place and that
/// the run ends.
#[test]
fn commands_in_flight_together_leave_no_unit_behind() {
    for kind in KINDS {
        for (seed, depth) in [(7, 4), (8, 16), (9, 64)] {
            let drive = zoned(kind);
            let shape = shape_of(&drive);
            let (_, result) = run(drive, commands(shape, 4096, seed, 3000, depth), checked());
            let all = number(&result, "host.completed.total") + number(&result, "host.failed.total");
            assert_eq!(all, 3000);
        }
    }
}

/// Makes a test workload that writes the first `blocks` blocks of each zone and then finishes the zone.
fn part_and_finish(shape: ZoneShape, blocks: u64, zones: u64) -> Box<dyn Workload> {
    closed_loop(2 * zones, 1, move |index| {
        let start = index / 2 * shape.size * 4096;
        if index % 2 == 0 { (Op::WRITE, start, (blocks * 4096) as u32) } else { (Op::ZONE_FINISH, start, 0) }
    })
}

#[test]
fn a_finish_of_fixed_zones_writes_one_over_the_occupancy() {
    let amplification = |kind: &[&str], blocks: u64| {
        let drive = zoned(kind);
        let shape = shape_of(&drive);
        let (_, result) = run(drive, part_and_finish(shape, blocks, 6), checked());
        assert_eq!(number(&result, "ftl.zones.finished"), 6);
        assert_eq!(number(&result, "ftl.zones.bytes_in_finished"), 6 * blocks * 4096);
        result["ftl"]["zones"]["finish_amplification"].as_f64().unwrap()
    };
    let [stripe, width, on_write] = KINDS;
    for (kind, capacity) in [(stripe, 96.0), (width, 96.0)] {
        for blocks in [3, 9, 48, 95] {
            assert_eq!(amplification(kind, blocks), capacity / blocks as f64, "{blocks} of {kind:?}");
        }
    }
    // What was not reached was not taken: superblocks of 24 units, the last of which is filled up.
    for (blocks, filled) in [(3, 24.0), (9, 24.0), (48, 48.0), (49, 72.0)] {
        assert_eq!(amplification(on_write, blocks), filled / blocks as f64, "{blocks}");
    }
}

/// Checks that a zone finish takes as long as the programs that fill up the zone, and a zone reset the time of the
/// firmware.
#[test]
fn a_finish_takes_the_time_of_its_programs_and_a_reset_that_of_the_firmware() {
    let drive = zoned(KINDS[0]);
    let shape = shape_of(&drive);
    let of = |commands: Vec<(Op, u64, u32)>| {
        let drive = zoned(KINDS[0]);
        let requests = commands.len() as u64;
        let (_, result) = run(drive, closed_loop(requests, 1, move |at| commands[at as usize]), checked());
        number(&result, "host.manage.latency_ns.max")
    };
    // A superblock of each of four dies, of eight programs of three units: 96 units, of which one die has written one.
    let finish = of(vec![(Op::WRITE, 0, 3 * 4096), (Op::ZONE_FINISH, 0, 0)]);
    let (programs, t_prog) = (8, 1_200_000);
    assert!((programs * t_prog..programs * (t_prog + 200_000)).contains(&finish), "{finish}");
    let reset = |blocks: u32| of(vec![(Op::WRITE, 0, blocks * 4096), (Op::ZONE_RESET, 0, 0)]);
    let (few, many) = (reset(3), reset(63));
    assert!((60_000..=60_060).contains(&(many - few)), "{few} and {many}");
    assert_eq!(shape.capacity, 96);
}

#[test]
fn what_is_laid_out_or_filled_is_there_and_its_zones_are_full() {
    let drive = zoned(KINDS[1]);
    let zones = drive.space().zones.unwrap();
    let mut random = RandomStream::new(3, "reads");
    let reads = closed_loop(500, 8, move |_| {
        let zone = random.below(u64::from(zones.count));
        (Op::READ, zone * zones.size + random.below(zones.capacity / 4096) * 4096, 4096)
    });
    let options = RunOptions { precondition: PreconditionKind::Fill, ..checked() };
    let (_, result) = run(drive, reads, options);
    assert_eq!(number(&result, "ftl.zones.states.full"), u64::from(zones.count));
    assert_eq!(number(&result, "host.completed.read"), 500);
    assert!(number(&result, "flash.reads.host") > 400, "{}", result["flash"]["reads"]);
}

#[test]
fn what_a_zoned_drive_cannot_be_is_refused_in_a_line() {
    let stripe = KINDS[0];
    let refused = |settings: &[&str]| {
        let lines: Vec<String> =
            [TLC, stripe, ZONED, settings].concat().iter().map(|line| (*line).to_owned()).collect();
        let error = Drive::from_resolved("test", &lines).and_then(|drive| drive.build(1).map(|_| ()));
        error.expect_err("it is refused").to_string()
    };
    for (more, words) in [
        (vec!["ftl.mapping.zone_capacity=100KiB"], "a multiple of 12288 bytes"),
        (vec!["ftl.mapping.zone_size=64KiB"], "ftl.mapping.zone_size"),
        (vec!["ftl.mapping.max_active=2"], "expected max_open, which is 3, or more"),
        (vec!["ftl.buffer.power_loss_protection=false"], "a buffer that outlasts the power"),
        (vec!["nand.bad_blocks.program_fail_ratio=0.1"], "whose blocks can fail is not modelled"),
        (vec!["ftl.buffer.size=12KiB"], "set ftl.buffer.size"),
        (vec!["power.cut.at=[\"3ms\"]", "power.hold_up=1ms"], "and no power.hold_up"),
        (
            vec!["host.namespaces.names=[\"a\", \"b\"]", "host.namespaces.a.share=0.5"],
            "expected zns for one of the namespaces",
        ),
        (vec!["host.namespaces.names=[\"a\"]"], "expected zns"),
    ] {
        let error = refused(&more);
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
    let lines: Vec<String> = [TLC, &["host.namespaces.names=[\"a\"]", "host.namespaces.a.command_set=zns"]]
        .concat()
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    let error = Drive::from_resolved("test", &lines).err().expect("it has no zones").to_string();
    assert!(error.contains("this drive has no zones"), "{error}");
}

/// Checks that the run ends with the smallest write buffer and one active zone, while zones are finished and reset with
/// writes waiting for room: such zones keep their buffered data, and no more of them than leave room for the next zone.
#[test]
fn zones_that_end_with_writes_in_flight_leave_room_for_others() {
    for kind in KINDS {
        for seed in 0..8 {
            let small = ["ftl.mapping.max_open=1", "ftl.mapping.max_active=1", "ftl.buffer.size=12KiB"];
            let drive = drive(&[TLC, kind, ZONED, &small].concat());
            let workload = appends(shape_of(&drive), 4096, seed, 1500, 64);
            let (_, result) = run(drive, workload, RunOptions { seed, ..checked() });
            let all = number(&result, "host.completed.total") + number(&result, "host.failed.total");
            assert_eq!(all, 1500);
        }
    }
}
