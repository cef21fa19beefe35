//! A die or a channel fails, and the power, before it, after it, or both: what the rest of a stripe gives back is there after
//! every cut, and what a dead die would say is not trusted. The checker's accounts look at every unit. Random
//! drives: `swarm`.

use crate::common::bench::Bench;
use crate::common::{SMALL, drive};
use crate::failures::{RAIN, ROOM, failed};
use crate::power_cuts::total;
use serde_json::Value;

const REQUESTS: u64 = 24_000;

/// Returns, for each power cut of a result, the number of units on dead dies that the drive forgot because of it.
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

/// Checks that a die whose failure is planned for a time without power fails only when the drive is ready again after
/// the cut.
#[test]
fn a_failure_in_the_dark_waits_until_the_drive_is_ready() {
    let plan = ["power.cut.at=20ms", "power.off=1s", "fault.die=0", "fault.at=21ms"];
    let result = failed(&[&ROOM[..], &plan].concat(), REQUESTS, 1);
    let cut = &result["power"]["cuts"][0];
    let ready = 20_000_000 + 1_000_000_000 + cut["ready_ns"].as_u64().unwrap();
    let failed = result["fault"]["at_ns"].as_u64().unwrap();
    assert!(failed >= ready && failed < ready + 10_000_000, "failed at {failed}, ready at {ready}");
}

/// Checks that a power cut does not give snapshots back the room that they lost with a dead die.
#[test]
fn snapshots_have_after_a_cut_the_room_that_is_left() {
    let snapshots = ["ftl.snapshots.every=9ms", "ftl.snapshots.keep=3", "ftl.snapshots.space_ratio=1.0"];
    let cuts = ["power.cut.drawn=1", "ftl.buffer.power_loss_protection=false"];
    let settings = [SMALL, &ROOM, &snapshots, &cuts].concat();
    let mut bench = Bench::filled(&settings);
    let room = |bench: &Bench| {
        bench.ftl.feature::<ftl::snapshots::Snapshots>().expect("a drive with snapshots").room()
    };
    let all = room(&bench);
    let Bench { ftl, ctx, .. } = &mut bench;
    ftl.as_page_mapped().expect("a map of pages").fail_dies(&[1], ctx);
    let left = room(&bench);
    assert!(left < all, "{left} of {all} units");
    bench.cut(drive(&settings).build(1).expect("a drive"));
    assert_eq!(room(&bench), left);
}

/// Returns, for each die, the quota of live units, read from the message of a run that is stuck.
fn most_live(bench: &Bench) -> Vec<u32> {
    let stall = bench.ftl.explain_stall();
    let most = |die: &str| Some(die.split_once(" of ")?.1.split_once(',')?.0.parse().expect("a number"));
    stall.split("live ").skip(1).map(|die| most(die).expect("live units of the most")).collect()
}

#[test]
fn dies_may_hold_after_a_cut_what_they_might_before() {
    let settings = [SMALL, &ROOM, &["power.cut.drawn=1", "ftl.buffer.power_loss_protection=false"]].concat();
    let mut bench = Bench::filled(&settings);
    let Bench { ftl, ctx, .. } = &mut bench;
    ftl.as_page_mapped().expect("a map of pages").fail_dies(&[1], ctx);
    let most = most_live(&bench);
    assert!(most[0] > 1_000 && most == [most[0], 0, most[0], most[0]], "{most:?}");
    bench.cut(drive(&settings).build(1).expect("a drive"));
    assert_eq!(most_live(&bench), most);
}

/// Checks that recovery after the failure of a die that holds a part of the checkpoint uses the superblock summaries
/// instead, and reads as many pages as without a checkpoint.
#[test]
fn a_checkpoint_with_a_part_on_a_dead_die_is_not_gone_by() {
    let pages = |method: &str, more: &[&str]| {
        let method = format!("ftl.recovery.name={method}");
        let plan = ["power.cut.after=[20000]", "nand.blocks_per_plane=256", &method];
        total(&failed(&[&ROOM[..], &plan, more].concat(), REQUESTS, 1)["power"], "pages_read")
    };
    let budget = "ftl.recovery.write_budget=0.2";
    let [die, moment] = ["fault.die=1", "fault.after=19900"];
    let (whole, broken) = (pages("checkpoint", &[budget]), pages("checkpoint", &[budget, die, moment]));
    let summaries = pages("summaries", &[die, moment]);
    assert!(whole < summaries && broken >= summaries, "{whole}, {broken}, {summaries}");
}
