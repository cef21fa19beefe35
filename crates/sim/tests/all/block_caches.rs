//! Caches before every kind of map: the same promises, and what eviction by block gains where blocks are merged.

use crate::common::{SMALL, closed_loop, closed_loop_forced, drive, policies_of_plain_runs, run};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const BLOCK_MAPS: [&str; 4] = ["block", "replacement", "bast", "fast"];
const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";

fn kinds() -> impl Iterator<Item = &'static str> {
    let mappings = policies_of_plain_runs().into_iter().filter(|entry| entry.seam == "ftl.mapping");
    mappings.map(|entry| entry.card.name)
}

fn with(kind: &str, more: &[&str]) -> Drive {
    let mapping = format!("ftl.mapping.name={kind}");
    drive(&[SMALL, &[mapping.as_str()], more].concat())
}

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

#[test]
fn a_flush_sends_out_what_any_map_s_cache_holds() {
    for kind in kinds() {
        let lru = [UNPROTECTED, "ftl.buffer.eviction.name=lru"];
        let workload = || {
            closed_loop(41, 1, |index| match index {
                40 => (Op::FLUSH, 0, 0),
                _ => (Op::WRITE, index * 4096, 4096),
            })
        };
        let (_, result) = run(with(kind, &lru), workload(), checked());
        assert_eq!(result["flash"]["units_programmed"]["host"], 40, "{kind}");
        assert_eq!(result["ftl"]["buffer"]["units_at_risk_max"], 40, "{kind}");
        // Protected, a flush has nothing to do, and the cache keeps what it holds.
        let (_, result) = run(with(kind, &lru[1..]), workload(), checked());
        assert_eq!(result["flash"]["units_programmed"]["host"], 0, "{kind}");
        assert_eq!(result["host"]["flush"]["latency_ns"]["mean"], 5_000.0, "{kind}");
    }
}

#[test]
fn a_forced_write_takes_what_the_cache_holds_of_its_unit_along() {
    for kind in kinds() {
        let lru = [UNPROTECTED, "ftl.buffer.eviction.name=lru"];
        // Each unit twice: once into the cache, once forced.
        let workload = closed_loop_forced(200, 1, 2, |index| (Op::WRITE, index / 2 * 4096, 4096));
        let (_, result) = run(with(kind, &lru), workload, checked());
        assert_eq!(result["ftl"]["buffer"]["units_coalesced"], 100, "{kind}");
        assert_eq!(result["flash"]["units_programmed"]["host"], 100, "{kind}");
        assert_eq!(result["ftl"]["buffer"]["units_at_risk_max"], 1, "{kind}: one at a time, then forced out");
    }
}

#[test]
fn a_read_cache_before_a_block_map_answers_the_second_read() {
    for kind in kinds() {
        let workload = closed_loop(60, 1, |index| (Op::READ, index % 30 * 4096, 4096));
        let options = RunOptions { precondition: PreconditionKind::Fill, ..checked() };
        let (_, result) = run(with(kind, &["ftl.buffer.read_cache=true"]), workload, options);
        assert_eq!(result["ftl"]["buffer"]["units_read_from_buffer"], 30, "{kind}");
        assert_eq!(result["flash"]["reads"]["host"], 30, "{kind}");
    }
}

/// Makes a test workload of 12,000 random writes of one unit to 40 blocks of 32 units, of which the drive's cache holds
/// a good part.
fn in_few_blocks() -> Box<dyn Workload> {
    let mut random = RandomStream::new(31, "few blocks");
    closed_loop(12_000, 1, move |_| (Op::WRITE, random.below(40 * 32) * 4096, 4096))
}

fn cached(kind: &str, more: &[&str]) -> Value {
    // Ten blocks of each die share three log blocks.
    let few = ["ftl.mapping.log_blocks=3"];
    let few: &[&str] = if matches!(kind, "bast" | "fast") { &few } else { &[] };
    let settings = [&["ftl.buffer.size=2MiB"], few, more].concat();
    let options = RunOptions { precondition: PreconditionKind::Instant, ..checked() };
    run(with(kind, &settings), in_few_blocks(), options).1
}

fn merges(result: &Value, kind: &str) -> u64 {
    result["ftl"]["mapping"]["merges"][kind].as_u64().unwrap()
}

#[test]
fn eviction_by_block_makes_switch_merges_of_full_ones() {
    for kind in BLOCK_MAPS {
        let lru = cached(kind, &["ftl.buffer.eviction.name=lru"]);
        let bplru = cached(kind, &["ftl.buffer.eviction.name=bplru"]);
        let (of_lru, of_bplru) = (lru["waf"].as_f64().unwrap(), bplru["waf"].as_f64().unwrap());
        println!("{kind}: LRU {of_lru:.2} {}, BPLRU {of_bplru:.2} {}", lru["ftl"], bplru["ftl"]);
        // The one that leaves is written whole: nothing else is ever merged.
        assert_eq!(merges(&bplru, "full") + merges(&bplru, "partial"), 0, "{kind}");
        assert!(merges(&bplru, "switch") > 50, "{kind}: {}", bplru["ftl"]);
        // There are free blocks enough for a replacement of each of the forty: it has nothing to merge.
        assert!(kind == "replacement" || 1.25 * of_bplru < of_lru, "{kind}: {of_bplru} instead of {of_lru}");
    }
}

#[test]
fn without_padding_a_block_still_leaves_whole() {
    for kind in ["block", "bast"] {
        let unpadded = ["ftl.buffer.eviction.name=bplru", "ftl.buffer.eviction.padding=false"];
        let (lru, bplru) = (cached(kind, &["ftl.buffer.eviction.name=lru"]), cached(kind, &unpadded));
        let (of_lru, of_bplru) = (lru["waf"].as_f64().unwrap(), bplru["waf"].as_f64().unwrap());
        assert!(1.5 * of_bplru < of_lru, "{kind}: {of_bplru} instead of {of_lru}");
    }
}

#[test]
fn a_block_buffer_gathers_a_block_of_the_map() {
    // Each unit of a block four times, then the next block: one block in RAM saves three of four programs, and
    // what leaves is a whole block in order.
    for kind in BLOCK_MAPS {
        let workload = closed_loop(32 * 4 * 20, 1, |index| {
            let (block, within) = (index / 128, index % 32);
            (Op::WRITE, (block * 32 + within) * 4096, 4096)
        });
        let options = RunOptions { precondition: PreconditionKind::Fill, ..checked() };
        let settings = ["ftl.buffer.eviction.name=block-buffer"];
        let (_, result) = run(with(kind, &settings), workload, options);
        assert_eq!(result["ftl"]["buffer"]["units_coalesced"], 32 * 3 * 20, "{kind}");
        let copied = result["flash"]["units_programmed"]["gc"].as_u64().unwrap();
        assert_eq!(copied, 0, "{kind}: {}", result["ftl"]);
    }
}

#[test]
fn preconditioning_does_not_depend_on_the_cache() {
    for kind in BLOCK_MAPS {
        let programs = |settings: &[&str]| {
            let workload = closed_loop(1, 1, |_| (Op::READ, 0, 4096));
            let options = RunOptions { precondition: PreconditionKind::Instant, ..checked() };
            let (_, result) = run(with(kind, settings), workload, options);
            result["wear"].clone()
        };
        let cache = ["ftl.buffer.eviction.name=bplru", "ftl.buffer.read_cache=true"];
        assert_eq!(programs(&[]), programs(&cache), "{kind}");
    }
}
