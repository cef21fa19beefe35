//! A die or a channel fails in the middle of a run. The checker knows which units may be lost: units that were there and
//! that no whole stripe gives back, and nothing else.

use crate::common::{SMALL, closed_loop_forced, drive, run};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

pub const RAIN: [&str; 2] = ["ftl.parity.name=rain", "ftl.op_ratio=1.2"];
pub const ROOM: [&str; 1] = ["ftl.op_ratio=0.9"];

/// Makes a test workload of writes and reads of one unit all over the drive, with a flush in each 20 requests.
fn mixed(requests: u64, span: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "mixed");
    closed_loop_forced(requests, 16, 9, move |index| match index % 20 {
        0 => (Op::FLUSH, 0, 0),
        1..11 => (Op::READ, random.below(span / 4096) * 4096, 4096),
        _ => (Op::WRITE, random.below(span / 4096 - 1) * 4096 + 512 * random.below(3), 4096),
    })
}

/// Runs the checker on a filled test drive without capacitors whose dies or channel fail as `settings` say; returns the
/// result.
pub fn failed(settings: &[&str], requests: u64, seed: u64) -> Value {
    let unprotected = "ftl.buffer.power_loss_protection=false";
    let drive = drive(&[SMALL, &[unprotected], settings].concat());
    let span = drive.capacity().get();
    let options =
        RunOptions { check: true, seed, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    run(drive, mixed(requests, span, seed), options).1
}

fn number(result: &Value, path: &str) -> u64 {
    let at = path.split('.').fold(result, |value, key| &value[key]);
    at.as_u64().unwrap_or_else(|| panic!("{path}: {at}"))
}

#[test]
fn without_parity_a_drive_goes_on_with_the_dies_that_are_left() {
    let mut under_way = 0;
    for seed in 0..8 {
        let after = format!("fault.after={}", 2_000 + 97 * seed);
        let result = failed(&[&ROOM[..], &["fault.die=1", &after]].concat(), 20_000, seed);
        assert_eq!(result["fault"]["dies"], serde_json::json!([1]));
        let lost = number(&result, "fault.units_lost");
        assert!(lost > 500, "a quarter of the data was there: {}", result["fault"]);
        assert!(number(&result, "host.read.uncorrectable") > 50, "{}", result["host"]["read"]);
        under_way += number(&result, "fault.programs_failed");
        assert_eq!(result["wear"]["read_only"], false, "three dies hold what the host may write");
        let failed = number(&result, "host.failed.write");
        assert_eq!(failed, 0, "writes go elsewhere");
        assert!(number(&result, "host.completed.write") > 8_000);
    }
    assert!(under_way > 0, "a die fails while it is at work");
}

#[test]
fn with_parity_nothing_is_lost_and_the_drive_takes_no_more_writes() {
    for seed in 0..8 {
        let after = format!("fault.after={}", 2_000 + 97 * seed);
        let result = failed(&[&RAIN[..], &["fault.die=2", &after]].concat(), 12_000, seed);
        assert_eq!(number(&result, "fault.units_lost"), 0, "{}", result["fault"]);
        assert!(number(&result, "fault.units_protected") > 500, "{}", result["fault"]);
        assert_eq!(number(&result, "host.read.uncorrectable"), 0);
        assert!(number(&result, "unreadable.reads_rebuilt.host") > 500, "{}", result["unreadable"]);
        assert_eq!(result["wear"]["read_only"], true);
    }
}

#[test]
fn a_channel_takes_all_its_dies_along() {
    let channel = ["fault.channel=1", "fault.at=40ms"];
    let plain = failed(&[&ROOM[..], &channel].concat(), 12_000, 1);
    assert_eq!(plain["fault"]["dies"], serde_json::json!([1, 3]));
    assert_eq!(number(&plain, "fault.at_ns"), 40_000_000);
    assert_eq!(plain["wear"]["read_only"], true, "two dies do not hold what the host may write");
    // Both are in one stripe: it gives nothing back.
    let rain = failed(&[&RAIN[..], &channel].concat(), 12_000, 1);
    assert_eq!(number(&rain, "fault.units_protected"), 0, "{}", rain["fault"]);
    assert!(number(&rain, "host.read.uncorrectable") > 500);
}

#[test]
fn a_run_says_that_its_failure_did_not_come() {
    let result = failed(&["fault.die=1", "fault.at=100s"], 500, 1);
    assert_eq!((&result["fault"]["is_to_come"], &result["fault"]["at_ns"]), (&true.into(), &Value::Null));
    assert_eq!(failed(&[], 500, 1)["fault"], Value::Null);
}

#[test]
fn a_run_with_a_failure_gives_the_same_bytes_again() {
    let result = || {
        let mut result = failed(&[&ROOM[..], &["fault.die=1", "fault.after=3000"]].concat(), 6_000, 3);
        result.as_object_mut().unwrap().remove("engine");
        result.to_string()
    };
    assert_eq!(result(), result());
}

#[test]
fn what_fails_and_when_is_said_in_full() {
    let refused = |settings: &[&str]| {
        let settings: Vec<String> =
            [SMALL, settings].concat().iter().map(|line| (*line).to_owned()).collect();
        Drive::from_resolved("test", &settings).err().expect("refused").to_string()
    };
    for (settings, expected) in [
        (&["fault.die=4", "fault.at=1ms"][..], "expected the number of a die, 0 to 3"),
        (&["fault.channel=2", "fault.at=1ms"], "expected the number of a channel, 0 to 1"),
        (&["fault.die=1"], "expected fault.at or fault.after beside it"),
        (&["fault.at=1ms"], "expected fault.die or fault.channel beside it"),
        (&["fault.die=1", "fault.channel=1", "fault.at=1ms"], "expected either fault.die or fault.channel"),
        (&["fault.die=1", "fault.after=7", "fault.at=1ms"], "expected either fault.at or fault.after"),
        (&["fault.dye=1", "fault.at=1ms"], "did you mean"),
    ] {
        let error = refused(settings);
        assert!(error.contains(expected), "{settings:?}: {error}");
    }
}

/// Checks that the checker notices each deliberate fault (lapse) of a translation layer about dead dies, and with which
/// text.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "releases have no layers that are wrong on purpose")]
fn every_lapse_about_dead_dies_is_noticed() {
    for (lapse, said) in [
        ("reads-dead-die", "brings data, and the die is dead"),
        ("forgets-remedy", "is lost, which was on no dead die, or is given back by the rest of its stripe"),
    ] {
        let wrong = format!("ftl.lapse={lapse}");
        let settings = [&RAIN[..], &["fault.die=2", "fault.after=2000", &wrong]].concat();
        let cause = std::panic::catch_unwind(|| failed(&settings, 12_000, 1)).expect_err(lapse);
        let broken = *cause.downcast::<String>().expect("a message");
        assert!(broken.contains(said), "{lapse}: {said} is not in: {broken}");
    }
}
