//! The buffer as a cache: what is acknowledged when, what a power cut would take, what each policy gains.

use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop, closed_loop_forced, drive, run};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

fn with(more: &[&str]) -> Drive {
    drive(&SMALL.iter().chain(more).copied().collect::<Vec<_>>())
}

fn mean_ns(result: &Value, op: &str) -> f64 {
    result["host"][op]["latency_ns"]["mean"].as_f64().unwrap()
}

fn count(result: &Value, key: &str) -> u64 {
    result["ftl"]["buffer"][key].as_u64().unwrap_or_else(|| panic!("{key}: {}", result["ftl"]["buffer"]))
}

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";

/// Constant: time in ns until a write's data are in the drive (firmware and host link); after it come command cycles,
/// data-in and the program.
const ARRIVAL_NS: u64 = 5_000 + 1_280;
const PROGRAM_NS: u64 = 7 * 25 + 4096 * 5 + 200_000;

#[test]
fn a_forced_write_waits_for_its_program_and_the_others_do_not() {
    // Fewer than the buffer has slots, so that none waits for room.
    let writes = |every| closed_loop_forced(50, 1, every, |index| (Op::WRITE, index * 4096, 4096));
    let mean = |settings: &[&str], every| mean_ns(&run(with(settings), writes(every), checked()).1, "write");
    assert_eq!(mean(&[UNPROTECTED], 0), ARRIVAL_NS as f64);
    assert_eq!(mean(&[UNPROTECTED], 1), (ARRIVAL_NS + PROGRAM_NS) as f64);
    // What the capacitors keep needs no program to be safe.
    assert_eq!(mean(&[], 1), ARRIVAL_NS as f64);
    assert_eq!(mean(&["ftl.buffer.write_back=false"], 0), (ARRIVAL_NS + PROGRAM_NS) as f64);
}

#[test]
fn a_forced_write_takes_what_the_cache_holds_of_its_unit_along() {
    let lru = [UNPROTECTED, "ftl.buffer.eviction.name=lru"];
    // Each unit twice: once into the cache, once forced.
    let workload = closed_loop_forced(200, 1, 2, |index| (Op::WRITE, index / 2 * 4096, 4096));
    let (_, result) = run(with(&lru), workload, checked());
    assert_eq!(count(&result, "units_coalesced"), 100);
    assert_eq!(result["flash"]["units_programmed"]["host"], 100);
}

#[test]
fn a_flush_sends_out_all_that_a_cache_holds() {
    let lru = [UNPROTECTED, "ftl.buffer.eviction.name=lru"];
    let workload = || {
        closed_loop(
            41,
            1,
            |index| if index == 40 { (Op::FLUSH, 0, 0) } else { (Op::WRITE, index * 4096, 4096) },
        )
    };
    let (_, result) = run(with(&lru), workload(), checked());
    assert_eq!(result["flash"]["units_programmed"]["host"], 40);
    // Forty programs on four dies, the first of which wait for the bus in turn.
    let flush = mean_ns(&result, "flush");
    assert!(flush > 10.0 * 200_000.0 && flush < 12.0 * PROGRAM_NS as f64, "{flush}");
    // Protected, a flush has nothing to do, and the cache keeps what it holds.
    let (_, result) = run(with(&lru[1..]), workload(), checked());
    assert_eq!(result["flash"]["units_programmed"]["host"], 0);
    assert_eq!(mean_ns(&result, "flush"), 5_000.0);
}

#[test]
fn what_a_power_cut_would_take_is_what_was_acknowledged_and_not_programmed() {
    let at_risk = |settings: &[&str], every| {
        let workload = closed_loop_forced(48, 1, every, |index| (Op::WRITE, index * 4096, 4096));
        let (_, result) = run(with(settings), workload, checked());
        let mean = result["ftl"]["buffer"]["units_at_risk_mean"].as_f64().unwrap();
        (count(&result, "units_at_risk_max"), mean)
    };
    // 64 units of buffer, of which three quarters stay: all 48 writes are held until the end.
    let lru = [UNPROTECTED, "ftl.buffer.eviction.name=lru"];
    let (most, mean) = at_risk(&lru, 0);
    assert_eq!(most, 48);
    // One more with each write: between two arrivals 1, 2, ... 47 are at risk.
    let expected = (1..48).sum::<u64>() as f64 / 48.0;
    assert!((mean - expected).abs() < 0.01 * expected, "{mean} instead of {expected}");
    // Capacitors keep the same.
    assert_eq!(at_risk(&lru[1..], 0), (0, 0.0), "capacitors: nothing is lost");
    assert_eq!(at_risk(&lru, 1), (0, 0.0), "forced writes are acknowledged when they are safe");
    assert_eq!(at_risk(&[UNPROTECTED, "ftl.buffer.write_back=false"], 0).0, 0);
}

#[test]
fn a_read_cache_answers_the_second_read() {
    let workload = || closed_loop(60, 1, |index| (Op::READ, index % 30 * 4096, 4096));
    let options =
        || RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (_, result) = run(with(&["ftl.buffer.read_cache=true"]), workload(), options());
    assert_eq!(count(&result, "units_read_from_buffer"), 30);
    assert_eq!(result["ftl"]["buffer"]["hit_ratio_read"], 0.5);
    assert_eq!(result["flash"]["reads"]["host"], 30);
    let (_, result) = run(with(&[]), workload(), options());
    assert_eq!(count(&result, "units_read_from_buffer"), 0);
    // A program leaves its unit in the cache, too.
    let twice =
        closed_loop(40, 1, |index| (if index < 20 { Op::WRITE } else { Op::READ }, index % 20 * 4096, 4096));
    let through = ["ftl.buffer.write_back=false", "ftl.buffer.read_cache=true"];
    assert_eq!(count(&run(with(&through), twice, checked()).1, "units_read_from_buffer"), 20);
}

/// Returns the result of these requests, one after the other, on a filled drive that tracks sectors and caches reads;
/// each comes with its first sector and the number of its sectors.
fn of_sectors(requests: &[(Op, u64, u32)]) -> Value {
    let settings = [UNPROTECTED, "ftl.sectors.track=true", "ftl.buffer.read_cache=true"];
    let requests = requests.to_vec();
    let workload = closed_loop(requests.len() as u64, 1, move |index| {
        let (op, sector, sectors) = requests[index as usize];
        (op, 512 * sector, 512 * sectors)
    });
    let options = RunOptions { precondition: PreconditionKind::Fill, ..checked() };
    run(with(&[&settings[..], &["ftl.buffer.keep_ratio=0.5"]].concat()), workload, options).1
}

const FLUSH: (Op, u64, u32) = (Op::FLUSH, 0, 0);

/// Checks that where sectors are tracked a unit that stays in the buffer after its program has all of its sectors
/// there: reads find them, and a partial write is programmed with them.
#[test]
fn a_programmed_unit_stays_with_all_its_sectors() {
    let whole = of_sectors(&[(Op::WRITE, 8, 8), FLUSH, (Op::READ, 8, 8)]);
    assert_eq!(whole["flash"]["reads"]["total"], 0, "{}", whole["flash"]["reads"]);
    // Of a part the rest is read, and stays as well.
    let part = of_sectors(&[(Op::WRITE, 8, 2), FLUSH, (Op::READ, 8, 8)]);
    assert_eq!(part["flash"]["reads"]["host"], 0, "{}", part["flash"]["reads"]);
    assert_eq!(part["energy_j"]["bytes_from_dies"], 6 * 512);
    let again = of_sectors(&[(Op::WRITE, 8, 8), FLUSH, (Op::WRITE, 8, 1), FLUSH]);
    assert_eq!(again["flash"]["reads"]["total"], 0, "{}", again["flash"]["reads"]);
    assert_eq!(again["energy_j"]["bytes_to_dies"], (8 + 8) * 512);
}

/// Checks that where sectors are tracked a unit that was read in part stays with the sectors that were read: reads of
/// others go to the flash and add to them, and a partial write reads what it lacks.
#[test]
fn a_unit_read_in_part_stays_with_the_sectors_that_were_read() {
    let read = of_sectors(&[(Op::READ, 8, 1), (Op::READ, 8, 1), (Op::READ, 9, 1), (Op::READ, 8, 2)]);
    assert_eq!(read["flash"]["reads"]["host"], 2, "{}", read["flash"]["reads"]);
    assert_eq!(read["energy_j"]["bytes_from_dies"], 2 * 512);
    let written = of_sectors(&[(Op::READ, 8, 1), (Op::WRITE, 9, 1), FLUSH]);
    assert_eq!(written["flash"]["reads"]["read_modify_write"], 1, "{}", written["flash"]["reads"]);
    assert_eq!(written["energy_j"]["bytes_from_dies"], (1 + 7) * 512);
}

/// Makes a test workload of single units, of which nine in ten lie in the first 100 units and the rest in the first
/// 1000; `reads` is the share of reads, the others are writes.
fn skewed(requests: u64, depth: u32, reads: f64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(21, "skewed");
    closed_loop(requests, depth, move |_| {
        let units = if random.chance(0.9) { 100 } else { 1000 };
        let op = if random.chance(reads) { Op::READ } else { Op::WRITE };
        (op, random.below(units) * 4096, 4096)
    })
}

fn cached(policy: &str, more: &[&str], workload: Box<dyn Workload>) -> Value {
    let name = format!("ftl.buffer.eviction.name={policy}");
    let mut settings = vec![name.as_str(), "ftl.buffer.size=512KiB"];
    settings.extend(more);
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    run(with(&settings), workload, options).1
}

#[test]
fn lru_keeps_what_is_hot_and_the_draining_queue_does_not() {
    let hits = |policy: &str| {
        cached(policy, &[], skewed(12_000, 1, 0.7))["ftl"]["buffer"]["hit_ratio_write"].as_f64().unwrap()
    };
    let (fifo, lru) = (hits("fifo"), hits("lru"));
    // Nine of ten writes go to 100 units, of which LRU keeps most in its 96; between two writes come reads, and
    // the queue has drained.
    assert!(lru > 0.6 && fifo < 0.5 * lru, "LRU {lru}, FIFO {fifo}");
}

#[test]
fn cflru_spares_programs_at_the_price_of_reads() {
    let both = ["ftl.buffer.read_cache=true"];
    let of = |policy: &str| cached(policy, &both, skewed(8_000, 4, 0.7));
    let (lru, cflru) = (of("lru"), of("cflru"));
    let programs = |result: &Value| result["flash"]["units_programmed"]["host"].as_u64().unwrap();
    let reads = |result: &Value| result["ftl"]["buffer"]["units_read_from_flash"].as_u64().unwrap();
    assert!(programs(&cflru) < programs(&lru), "{} programs, LRU {}", programs(&cflru), programs(&lru));
    assert!(reads(&cflru) > reads(&lru), "{} reads, LRU {}", reads(&cflru), reads(&lru));
}

#[test]
fn bplru_sends_whole_blocks_out_and_complete_ones_first() {
    // Blocks of eight units are written at random, unit by unit; other blocks from first to last.
    let mut random = RandomStream::new(5, "blocks");
    let workload = closed_loop(4_000, 1, move |index| {
        let unit = if index % 2 == 0 { 2_000 + index / 2 } else { random.below(80) };
        (Op::WRITE, unit * 4096, 4096)
    });
    let blocks = ["ftl.buffer.eviction.block_units=8"];
    let result = cached("bplru", &blocks, workload);
    // The sequence never displaces the 80 units that are written at random: each misses once.
    assert_eq!(count(&result, "units_coalesced"), 2_000 - 80);
}

#[test]
fn a_block_buffer_gathers_one_block_at_a_time() {
    let result = |step: u64| {
        // Four writes to each unit of a block, then the next block; or blocks in turn.
        let workload = closed_loop(2_048, 1, move |index| (Op::WRITE, index * step % 2_048 / 4 * 4096, 4096));
        cached("block-buffer", &["ftl.buffer.eviction.block_units=16"], workload)
    };
    assert_eq!(count(&result(1), "units_coalesced"), 2_048 * 3 / 4);
    assert_eq!(count(&result(67), "units_coalesced"), 0, "blocks in turn find nothing");
}

#[test]
fn what_cannot_be_a_cache_is_refused() {
    let refused = |settings: &[&str], expected: &str| {
        let lines: Vec<String> = SMALL.iter().chain(settings).map(|line| (*line).to_owned()).collect();
        let Err(error) = Drive::from_resolved("test", &lines) else { panic!("{settings:?} was taken") };
        assert!(error.to_string().contains(expected), "{error}");
    };
    refused(&["ftl.buffer.eviction.name=lru", "ftl.buffer.keep_ratio=0.0"], "must keep something");
    refused(&["ftl.buffer.keep_ratio=1.5"], "expected 0 to 1");
    refused(&["ftl.buffer.eviction.name=mru"], "expected one of");
    refused(&["ftl.buffer.eviction.name=cflru", "ftl.buffer.eviction.window_ratio=2.0"], "expected 0 to 1");
}

#[test]
fn what_was_overwritten_during_its_program_is_stale() {
    let mut bench = Bench::new(SMALL);
    assert!(bench.write(0));
    bench.pass_until(50_000);
    assert!(bench.write(0));
    bench.rest();
    assert_eq!(bench.ftl.stats().units_stale, 1);
}
