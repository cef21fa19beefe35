//! The power of a drive of zones fails: what was acknowledged is there, zones that were reset stay empty, pointers are where the
//! data end. The checker keeps an account of its own of what was promised. Random drives: `swarm`.

use crate::common::zones::{appends, shape_of};
use crate::common::{TLC, closed_loop, drive, run};
use crate::power_cuts::total;
use crate::zones::{KINDS, ZONED, number};
use host::Op;
use serde_json::Value;
use sim::RunOptions;

/// Runs a random workload on a zoned drive with the checks on, and returns the result.
fn cut(kind: &[&str], more: &[&str], seed: u64) -> Value {
    let drive = drive(&[TLC, kind, ZONED, more].concat());
    let workload = appends(shape_of(&drive), 4096, seed, 3_000, 12);
    run(drive, workload, RunOptions { check: true, seed, ..RunOptions::default() }).1
}

const CUTS: [&str; 2] = ["power.cut.drawn=6", "power.cut.within=3000"];

#[test]
fn what_was_acknowledged_is_there_after_every_cut() {
    let (mut half_erased, mut requests) = (0, 0);
    for kind in KINDS {
        for seed in 0..4 {
            let result = cut(kind, &CUTS, seed);
            let power = &result["power"];
            assert_eq!(power["cuts"].as_array().unwrap().len(), 6, "{power}");
            // Programs in flight end, and what the buffer holds is kept.
            let lost = ["units_lost_in_buffer", "torn_rows", "paired_rows_lost"].map(|key| total(power, key));
            assert_eq!(lost, [0, 0, 0], "{power}");
            half_erased += total(power, "half_erased_superblocks");
            requests += total(power, "requests_lost");
            assert!(number(&result, "host.completed.total") > 1_500, "{}", result["host"]["errors"]);
        }
    }
    assert!(half_erased > 5 && requests > 100, "{half_erased} half-erased superblocks, {requests} requests");
}

#[test]
fn a_cut_while_the_drive_looks_for_its_zones_changes_nothing() {
    let cuts = ["power.cut.at=[\"150ms\", \"150100us\", \"150200us\"]", "power.off=0ns"];
    for kind in KINDS {
        let power = &cut(kind, &cuts, 5)["power"];
        let cuts = power["cuts"].as_array().unwrap();
        assert_eq!(cuts.len(), 3, "{power}");
        assert!(cuts[0]["ready_ns"].is_null() && cuts[1]["ready_ns"].is_null(), "{power}");
        assert_eq!(cuts[0]["units_found"], cuts[2]["units_found"], "{power}");
        assert!(cuts[2]["units_found"].as_u64().unwrap() > 50, "{power}");
    }
}

/// Checks that recovery reads one page of each superblock of a full zone, and all 30 written pages of a zone of 32
/// units, whose last two units wait in the write buffer for a third.
#[test]
fn one_page_is_read_of_a_full_superblock_and_all_of_an_open_one() {
    let drive = drive(&[TLC, KINDS[0], ZONED, &["power.cut.at=[\"40ms\"]"]].concat());
    let zones = drive.space().zones.unwrap();
    let size = zones.size;
    let workload = closed_loop(40, 1, move |index| match index {
        0 => (Op::WRITE, 0, 96 * 4096),
        1 => (Op::WRITE, size, 32 * 4096),
        // Of the zone that is full, to pass the time.
        _ => (Op::READ, 0, 96 * 4096),
    });
    let result = run(drive, workload, RunOptions { check: true, ..RunOptions::default() }).1;
    let cut = &result["power"]["cuts"][0];
    assert_eq!(cut["superblocks_found"], 8, "{cut}");
    assert_eq!(cut["units_found"], 96 + 32, "{cut}");
    assert_eq!(cut["pages_read"], 4 + 30, "{cut}");
    // On each of two channels two dies read side by side; each die reads eight or nine pages of one zone and one of the other.
    let (least, most) = (9 * 50_000, 11 * 60_000);
    assert!((least..most).contains(&cut["ready_ns"].as_u64().unwrap()), "{cut}");
    assert_eq!(number(&result, "ftl.zones.states.closed"), 1, "{}", result["ftl"]["zones"]);
}

/// Checks that a finish which was not answered before a power cut goes on after it.
#[test]
fn a_finish_goes_on_after_a_cut_and_an_answered_one_stays() {
    for at in ["3ms", "5ms", "9ms", "12ms"] {
        let cut = format!("power.cut.at=[\"{at}\"]");
        let drive = drive(&[TLC, KINDS[0], ZONED, &[&cut, "power.off=0ns"]].concat());
        let size = drive.space().zones.unwrap().size;
        let workload = closed_loop(400, 1, move |index| match index {
            0 => (Op::WRITE, 0, 5 * 4096),
            1 => (Op::ZONE_FINISH, 0, 0),
            _ => (Op::APPEND, size * (1 + index % 3), 4096),
        });
        let result = run(drive, workload, RunOptions { check: true, ..RunOptions::default() }).1;
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 1, "{at}");
        // The zones that were appended to are full as well.
        assert_eq!(number(&result, "ftl.zones.states.full"), 4, "{at}: {}", result["ftl"]["zones"]);
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "releases have no layers that are wrong on purpose")]
fn every_lapse_of_zones_is_noticed() {
    for (lapse, said) in
        [("forgets-reset", "was durably trimmed"), ("forgets-buffer", "holds nothing, and version")]
    {
        let wrong = format!("ftl.lapse={lapse}");
        let cuts = ["power.cut.drawn=5", "power.cut.within=700", &wrong];
        let broken = |seed| {
            let drive = drive(&[TLC, KINDS[0], ZONED, &cuts].concat());
            let size = drive.space().zones.unwrap().size;
            // Each zone is written once, and reset when three others were.
            let workload = closed_loop(7 * 40, 4, move |index| match (index / 7, index % 7) {
                (zone, 6) => (Op::ZONE_RESET, zone.saturating_sub(3) * size, 0),
                (zone, _) => (Op::APPEND, zone * size, 4 * 4096),
            });
            run(drive, workload, RunOptions { check: true, seed, ..RunOptions::default() })
        };
        let found = (0..24).find_map(|seed| {
            let cause = std::panic::catch_unwind(|| broken(seed).1).err()?;
            cause.downcast::<String>().ok().filter(|text| text.contains(said))
        });
        let found = found.unwrap_or_else(|| panic!("{lapse} is not noticed"));
        assert!(found.contains("power cut") && found.contains("Lpn "), "{lapse}: {found}");
    }
}
