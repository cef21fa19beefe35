//! A die or a channel fails, and the power, before it, after it, or both: what the rest of a stripe gives back is there after
//! every cut, and of the rest nobody trusts what a dead die would say. The checker's accounts look at every unit. Random
//! drives: `swarm`.

use crate::failures::{RAIN, ROOM, failed};
use serde_json::Value;

const REQUESTS: u64 = 24_000;

/// What each cut made the drive forget on dead dies.
fn forgotten(result: &Value) -> Vec<u64> {
    let cuts = result["power"]["cuts"].as_array().expect("the power failed");
    cuts.iter().map(|cut| cut["units_forgotten_on_dead_dies"].as_u64().unwrap()).collect()
}

#[test]
fn without_parity_a_cut_makes_the_drive_forget_what_was_on_the_dead_die() {
    for (seed, recovery) in ["scan", "summaries", "checkpoint", "journal"].into_iter().enumerate() {
        let method = format!("ftl.recovery.name={recovery}");
        let plan = ["power.cut.after=[1500, 14000, 22000]", "fault.die=1", "fault.after=9000"];
        let result = failed(&[&ROOM[..], &plan, &[&method]].concat(), REQUESTS, seed as u64);
        let [before, after, later] = forgotten(&result)[..] else { panic!("{}", result["power"]) };
        assert_eq!((before, later), (0, 0), "it is forgotten once: {}", result["power"]);
        let lost = result["fault"]["units_lost"].as_u64().unwrap();
        assert!(after > 300 && after <= lost, "{after} of {lost}: {}", result["power"]);
        assert_eq!(result["wear"]["read_only"], false, "three dies hold what the host may write");
        assert!(result["host"]["completed"]["write"].as_u64().unwrap() > 6_000, "{}", result["host"]);
    }
}

#[test]
fn with_parity_only_what_no_stripe_on_flash_protects_is_forgotten() {
    for seed in 0..4 {
        let plan = ["power.cut.after=[1500, 14000]", "fault.die=2", "fault.after=9000"];
        let result = failed(&[&RAIN[..], &plan].concat(), REQUESTS, seed);
        let protected = result["fault"]["units_protected"].as_u64().unwrap();
        let gone: u64 = forgotten(&result).iter().sum();
        assert!(protected > 500 && gone < protected / 20, "{gone} forgotten, {protected} were protected");
        assert!(result["unreadable"]["reads_rebuilt"]["host"].as_u64().unwrap() > 200, "{result}");
        assert_eq!(result["wear"]["read_only"], true, "also after the cut");
    }
}

#[test]
fn a_channel_that_fails_takes_whole_stripes_along() {
    let plan = ["power.cut.after=[3500]", "fault.channel=1", "fault.after=3000"];
    let result = failed(&[&RAIN[..], &plan].concat(), REQUESTS, 1);
    assert!(forgotten(&result)[0] > 1_000, "{}", result["power"]);
    assert_eq!(result["fault"]["units_protected"], 0);
}

/// A die that should fail in the dark fails when the drive is ready: the cut is first.
#[test]
fn a_failure_in_the_dark_waits_until_the_drive_is_ready() {
    let plan = ["power.cut.at=20ms", "power.off=1s", "fault.die=0", "fault.at=21ms"];
    let result = failed(&[&ROOM[..], &plan].concat(), REQUESTS, 1);
    let cut = &result["power"]["cuts"][0];
    let ready = 20_000_000 + 1_000_000_000 + cut["ready_ns"].as_u64().unwrap();
    let failed = result["fault"]["at_ns"].as_u64().unwrap();
    assert!(failed >= ready && failed < ready + 10_000_000, "failed at {failed}, ready at {ready}");
}
