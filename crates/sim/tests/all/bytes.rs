//! Write amplification in bytes: what the host's requests carried, what fills up the units that they wrote a part of, what
//! the buffer still holds, on every kind of map and with every feature that changes how a unit is put together.

use crate::common::{
    SMALL, TLC, closed_loop, closed_loop_forced, drive, policies_of_plain_runs, run, uniform,
};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const KIB: u64 = 1024;

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

fn number(value: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(value, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} = {found}"))
}

/// Makes the small test drive with pages and mapping units of `kib` KiB each.
fn with_units(kib: u64, more: &[&str]) -> Drive {
    let (page, unit) = (format!("nand.page_size={kib}KiB"), format!("ftl.mapping_unit={kib}KiB"));
    drive(&[SMALL, &[page.as_str(), unit.as_str()], more].concat())
}

fn assert_near(found: f64, expected: f64, name: &str) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {found}, not {expected}");
}

/// Checks sums that hold in the result of any run: bytes programmed are units times unit size, write amplification is
/// their quotient by bytes written, and its parts add up to it.
fn assert_adds_up(result: &Value, name: &str) {
    let of = |path: &str| number(result, path);
    let unit = of("flash.mapping_unit_bytes");
    let programmed = of("flash.units_programmed.total") * unit;
    assert_eq!(of("waf_bytes.programmed"), programmed, "{name}");
    let written = of("waf_bytes.host_written");
    assert_near(of("waf"), programmed / written, name);
    let parts: f64 = result["waf_parts"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
    assert_near(parts, of("waf"), name);
    let filled = result["waf_parts"]["fill_up"].as_f64().unwrap_or(0.0);
    assert_near(filled, of("waf_bytes.filled_up") / written, name);
    let held = (of("waf_bytes.held") - of("waf_bytes.held_before")).abs();
    assert_near(of("waf_bytes.held_share"), held / written, name);
    assert_eq!(result["waf_bytes"]["settled"], of("waf_bytes.held_share") <= 0.03, "{name}");
}

#[test]
fn a_part_of_a_unit_is_programmed_as_a_unit() {
    // One write at a time, each acknowledged when it is on flash: nothing is merged on the way.
    for (unit, request) in [(4, 4), (8, 4), (16, 4), (16, 8), (4, 1), (16, 16)] {
        let drive = with_units(unit, &["ftl.buffer.write_back=false"]);
        let requests =
            closed_loop(50, 1, move |index| (Op::WRITE, index * unit * KIB, (request * KIB) as u32));
        let (_, result) = run(drive, requests, checked());
        assert_adds_up(&result, "one by one");
        assert_eq!(number(&result, "waf_bytes.host_written"), (50 * request * KIB) as f64);
        assert_eq!(number(&result, "waf"), unit as f64 / request as f64, "{request} KiB of {unit}");
        assert_near(number(&result, "waf_parts.host"), 1.0, "the host's own");
        let fill_up = &result["waf_parts"]["fill_up"];
        if unit == request {
            assert!(fill_up.is_null(), "whole units need nothing: {fill_up}");
        } else {
            assert_near(fill_up.as_f64().unwrap_or(0.0), unit as f64 / request as f64 - 1.0, "the rest");
        }
    }
}

#[test]
fn parts_that_meet_in_the_buffer_are_one_unit() {
    // A program unit of 16 KiB each: four writes of 4 KiB that follow each other, or lie on each other.
    let part = |result: &Value, name: &str| result["waf_parts"][name].as_f64().unwrap_or(0.0);
    let of = |place: fn(u64) -> u64| {
        let drive = with_units(16, &["ftl.buffer.power_loss_protection=false"]);
        let requests = closed_loop(400 + 1, 1, move |index| match index {
            400 => (Op::FLUSH, 0, 0),
            _ => (Op::WRITE, place(index), 4096),
        });
        let (_, result) = run(drive, requests, checked());
        assert_adds_up(&result, "in the buffer");
        assert_eq!(result["waf_bytes"]["held"], 0, "a flush leaves nothing");
        (result["flash"]["units_programmed"]["host"].as_u64().unwrap(), result)
    };
    let (units, result) = of(|index| index * 4 * KIB);
    assert_near(number(&result, "waf"), units as f64 / 100.0, "100 units of 16 KiB were written");
    assert_near(part(&result, "host"), 1.0, "each byte reached the flash once");
    assert_near(
        part(&result, "fill_up"),
        units as f64 / 100.0 - 1.0,
        "units that went before they were full",
    );
    // On each other: of four, what waits is replaced, and is not programmed.
    let (units, result) = of(|index| index / 4 * 16 * KIB);
    assert!(part(&result, "host") < 1.0, "overwritten in the buffer: {}", result["waf_parts"]);
    assert_near(part(&result, "host"), units as f64 / 400.0, "4 KiB of each unit are the host's");
    assert_near(part(&result, "fill_up"), 3.0 * part(&result, "host"), "and 12 are not");
}

/// Makes a test workload of 3,000 reads, trims, flushes and writes of 1 to 96 sectors at random places of the first
/// `span` bytes.
fn anything(seed: u64, span: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "bytes");
    closed_loop_forced(3_000, 8, 7, move |_| {
        let sectors = span / 512;
        let first = random.below(sectors);
        let count = (1 + random.below(96)).min(sectors - first);
        let op = match random.below(20) {
            0 => Op::TRIM,
            1..5 => Op::READ,
            5 => return (Op::FLUSH, 0, 0),
            _ => Op::WRITE,
        };
        (op, first * 512, (count * 512) as u32)
    })
}

/// Checks, for each kind of map and several features, that the byte counts in the result agree with the checker's own
/// (`--check`).
#[test]
fn every_map_and_every_feature_counts_the_bytes_that_the_check_counts() {
    // Zones take no part of a unit and no trim: what they write is counted in `zones.rs`.
    let maps = policies_of_plain_runs().into_iter().filter(|entry| entry.seam == "ftl.mapping");
    let mut cases: Vec<Vec<String>> =
        maps.map(|map| vec![format!("ftl.mapping.name={}", map.card.name)]).collect();
    for more in [
        &["ftl.mapping_unit=2KiB", "nand.page_size=8KiB"][..],
        &["ftl.mapping_unit=16KiB", "nand.page_size=16KiB"],
        &["ftl.mapping_unit=64KiB", "nand.page_size=64KiB", "ftl.buffer.size=1MiB"],
        &["ftl.mapping_unit=8KiB", "nand.page_size=8KiB", "ftl.buffer.write_back=false"],
        &["ftl.mapping_unit=8KiB", "nand.page_size=8KiB", "ftl.sectors.track=true"],
        &["ftl.buffer.eviction.name=lru"],
        &["ftl.buffer.eviction.name=lru", "ftl.buffer.read_cache=true"],
        &["ftl.buffer.power_loss_protection=false"],
        &["ftl.snapshots.every=1ms", "ftl.snapshots.keep=3", "ftl.op_ratio=1.2"],
        &["ftl.parity.name=rain", "ftl.op_ratio=0.6"],
    ] {
        cases.push(more.iter().map(|line| (*line).to_owned()).collect());
    }
    for settings in cases {
        let lines: Vec<&str> = settings.iter().map(String::as_str).collect();
        let name = settings.join(" ");
        for seed in 1..4 {
            let drive = drive(&[SMALL, &lines].concat());
            let span = drive.capacity().get() / 8;
            let (_, result) = run(drive, anything(seed, span), checked());
            assert_adds_up(&result, &name);
            assert!(number(&result, "waf_bytes.filled_up") > 0.0, "{name}: no unit was written in part");
        }
    }
    let drive = drive(&[TLC, &["ftl.slc_cache.name=static", "ftl.slc_cache.size=1MB"]].concat());
    let span = drive.capacity().get() / 8;
    assert_adds_up(&run(drive, anything(5, span), checked()).1, "slc cache");
}

#[test]
fn what_waits_in_the_buffer_is_said_and_unsettles_the_figure() {
    // A buffer that holds all of it: nothing leaves but what fills program units.
    let waits = |requests: u64| {
        let drive = drive(&[SMALL, &["ftl.buffer.eviction.name=lru", "ftl.buffer.size=256KiB"]].concat());
        let span = drive.capacity().get();
        let options = RunOptions { precondition: PreconditionKind::Instant, ..checked() };
        let (_, result) = run(drive, uniform(requests, 4, Op::WRITE, 4096, span, 1), options);
        assert_adds_up(&result, "a cache");
        result
    };
    let few = waits(40);
    assert_eq!(few["waf"], 0.0, "{}", few["waf_parts"]);
    assert_eq!(few["waf_bytes"]["held"].as_u64(), Some(40 * 4096), "all distinct");
    assert_eq!(few["waf_bytes"]["settled"], false);
    let many = waits(8_000);
    assert_eq!(many["waf_bytes"]["settled"], true, "{}", many["waf_bytes"]);
    let held = number(&many, "waf_bytes.held");
    assert!(held > 0.0 && held <= 256.0 * 1024.0, "{held}");
}
