//! Superblocks with one bit a cell: what they gain, how they are folded, what must not break.

use crate::common::{TLC, closed_loop, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const STATIC: &[&str] = &["ftl.slc_cache.name=static", "ftl.slc_cache.size=1MB"];
const DYNAMIC: &[&str] = &["ftl.slc_cache.name=dynamic"];

fn with(more: &[&[&str]]) -> Drive {
    drive(&TLC.iter().chain(more.iter().copied().flatten()).copied().collect::<Vec<_>>())
}

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

fn sequential(requests: u64, depth: u32) -> Box<dyn host::Workload> {
    closed_loop(requests, depth, |index| (Op::WRITE, index * 4096, 4096))
}

fn iops(result: &Value) -> f64 {
    result["host"]["write"]["iops"].as_f64().unwrap()
}

fn number(result: &Value, key: &str) -> u64 {
    result["ftl"]["slc_cache"][key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key}: {}", result["ftl"]["slc_cache"]))
}

#[test]
fn random_writes_pass_the_checks_in_every_kind_of_cache() {
    for cache in [STATIC, DYNAMIC, &["ftl.slc_cache.name=dynamic", "ftl.slc_cache.least=500kB"]] {
        for full in ["ftl.slc_cache.when_full=bypass", "ftl.slc_cache.when_full=fold-first"] {
            for kind in [PreconditionKind::None, PreconditionKind::Steady, PreconditionKind::Instant] {
                let drive = with(&[cache, &[full, "ftl.slc_cache.idle_after=1ms"]]);
                let span = drive.capacity().get();
                let options = RunOptions { precondition: kind, ..checked() };
                let (_, result) = run(drive, uniform(12_000, 16, Op::WRITE, 4096, span, 1), options);
                assert_eq!(result["host"]["completed"]["write"], 12_000);
                if cache.len() == 2 && cache[1].contains("size") && full.ends_with("fold-first") {
                    assert!(number(&result, "units_folded") > 0, "{cache:?} {full} {kind:?}");
                }
            }
        }
    }
}

#[test]
fn a_burst_is_written_at_the_speed_of_one_bit_and_a_longer_one_is_not() {
    // The cache holds 8 superblocks of 8 units on each of 4 dies: 256 units.
    let rate = |drive: Drive, requests| iops(&run(drive, sequential(requests, 32), checked()).1);
    let past = rate(with(&[]), 200);
    let burst = rate(with(&[STATIC]), 200);
    // Three units in 1200 us against one in 150 us; some hundredths more where the last programs end together.
    let gain = (1200.0 / 3.0) / 150.0;
    assert!(burst > 0.8 * gain * past && burst < 1.05 * gain * past, "burst {burst}, past {past}");
    // Beyond what cache and buffer hold, 320 units, all goes at the speed of three bits.
    let seconds = |settings: &[&[&str]], requests| requests as f64 / rate(with(settings), requests);
    let beyond = seconds(&[STATIC], 1024) - seconds(&[STATIC], 320);
    let without = seconds(&[], 1024) - seconds(&[], 320);
    assert!((beyond / without - 1.0).abs() < 0.03, "{beyond} s with a cache, {without} s without");
    // Who waits for folding pays for it: the flash writes every unit twice.
    let folded = rate(with(&[STATIC, &["ftl.slc_cache.when_full=fold-first"]]), 1024);
    let long = rate(with(&[STATIC]), 1024);
    assert!(folded < long, "fold-first {folded}, bypass {long}");
}

#[test]
fn idle_time_gives_the_cache_back() {
    let bursts = |settings: &[&[&str]]| {
        // Two bursts as large as the cache; between them one read, a second after the first burst.
        let text = "[global]\nfilename=data\nbs=4k\nioengine=libaio\niodepth=16\nsize=4m\n\
                    [first]\nrw=write\nnumber_ios=250\n\
                    [second]\nstonewall\nrw=write\nnumber_ios=250\nstartdelay=1s\n";
        let spec = sim::WorkloadSpec::FioText {
            name: "bursts.fio".into(),
            text: text.into(),
            variables: Default::default(),
        };
        let drive = with(settings);
        let workload = spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"));
        run(drive, workload, checked()).1
    };
    let result = bursts(&[STATIC]);
    assert_eq!(number(&result, "units_bypassed"), 0, "{}", result["ftl"]["slc_cache"]);
    // What was folded is not in use: of 32 superblocks of 8 units each at most all are.
    let used = number(&result, "bytes_in_use");
    assert!(used <= 1 << 20 && used.is_multiple_of(8 * 4096), "{used}");
    // All that was full was folded, and what was overwritten since then counts as folded once.
    assert!(number(&result, "superblocks_folded") >= 24);
    assert_eq!(result["flash"]["units_programmed"]["fold"], number(&result, "units_folded"));
    let result = bursts(&[STATIC, &["ftl.slc_cache.in_idle_time=false"]]);
    assert_eq!(number(&result, "units_folded"), 0);
    assert!(number(&result, "units_bypassed") > 200, "{}", result["ftl"]["slc_cache"]);
}

#[test]
fn what_was_overwritten_or_trimmed_in_the_cache_is_not_folded() {
    let hot = |op: fn(u64) -> Op| {
        // Nothing may catch up with its older version in the buffer.
        let through = ["ftl.buffer.write_back=false", "ftl.slc_cache.when_full=fold-first"];
        let drive = with(&[STATIC, &through]);
        let workload = closed_loop(6_000, 1, move |index| (op(index), index / 2 % 32 * 4096, 4096));
        run(drive, workload, checked()).1
    };
    // 32 units written over and over: what leaves the cache is rewritten there long before.
    let result = hot(|_| Op::WRITE);
    // All but the 32 superblocks of the cache.
    assert!(number(&result, "superblocks_folded") + 32 >= number(&result, "units_written") / 8);
    assert!(number(&result, "superblocks_folded") > 30);
    assert_eq!(number(&result, "units_folded"), 0);
    assert_eq!(result["waf"].as_f64(), Some(1.0));
    let result = hot(|index| if index % 2 == 0 { Op::WRITE } else { Op::TRIM });
    assert_eq!(number(&result, "units_folded"), 0);
}

#[test]
fn data_with_one_bit_a_cell_are_read_faster() {
    let mean = |settings: &[&[&str]]| {
        let workload = closed_loop(400, 1, |index| {
            (if index < 200 { Op::WRITE } else { Op::READ }, index % 200 * 4096, 4096)
        });
        let (_, result) = run(with(settings), workload, checked());
        let cached = &result["ftl"]["slc_cache"]["units_read"];
        assert!(cached.is_null() || *cached == 200, "{cached}");
        result["host"]["read"]["latency_ns"]["mean"].as_f64().unwrap()
    };
    // t_R is 50 us with three bits and 25 us with one.
    let (one, three) = (mean(&[STATIC, &["ftl.buffer.size=16KiB"]]), mean(&[&["ftl.buffer.size=16KiB"]]));
    assert!((three - one - 25_000.0).abs() < 2_000.0, "{one} and {three}");
}

#[test]
fn erases_of_one_bit_wear_as_little_as_the_chip_says() {
    let result = {
        let drive = with(&[STATIC, &["ftl.slc_cache.when_full=fold-first"]]);
        let workload = closed_loop(40_000, 16, |index| (Op::WRITE, index % 128 * 4096, 4096));
        run(drive, workload, checked()).1
    };
    let erased = number(&result, "blocks_erased");
    assert!(erased > 4_000, "{erased} erases are too few to say");
    let cycles = result["wear"]["pe_cycles_mean"].as_f64().unwrap() * 256.0;
    // Every block rounds down once.
    assert!(cycles <= erased as f64 / 10.0 && cycles > erased as f64 / 10.0 - 256.0, "{cycles} of {erased}");
    assert_eq!(result["wear"]["blocks_erased"], erased);
}

#[test]
fn a_dynamic_cache_shrinks_as_the_drive_fills() {
    let after = |fill: f64| {
        let drive = with(&[DYNAMIC]);
        let span = drive.capacity().get() / 4096;
        let first = (span as f64 * fill) as u64;
        let options = RunOptions { precondition: PreconditionKind::Fill, fill, ..checked() };
        let workload = closed_loop(span - first, 32, move |index| (Op::WRITE, (first + index) * 4096, 4096));
        number(&run(drive, workload, options).1, "units_written")
    };
    let (empty, half) = (after(0.01), after(0.5));
    assert!(
        half > 100 && half < empty * 2 / 3,
        "{empty} units into an empty drive, {half} into a half full one"
    );
}

#[test]
fn blocks_that_fail_in_the_cache_lose_nothing() {
    let drive = with(&[
        STATIC,
        &[
            "ftl.slc_cache.when_full=fold-first",
            "nand.bad_blocks.program_fail_ratio=0.002",
            "nand.bad_blocks.erase_fail_ratio=0.002",
        ],
    ]);
    let span = drive.capacity().get();
    let (_, result) = run(drive, uniform(4_000, 8, Op::WRITE, 4096, span, 5), checked());
    assert!(result["wear"]["program_failures"].as_u64().unwrap() > 3, "{}", result["wear"]);
    assert!(result["wear"]["superblocks_lost"].as_u64().unwrap() > 0);
}

/// Checks that units which a failed program was to take over in the die, from the SLC cache, are read over the bus
/// instead, and none is lost.
#[test]
fn blocks_that_fail_while_they_take_over_folded_data_lose_nothing() {
    let fails =
        ["nand.planes=2", "nand.slc_mode.folds_in_die=true", "nand.bad_blocks.program_fail_ratio=0.003"];
    let drive = with(&[STATIC, &["ftl.slc_cache.when_full=fold-first"], &fails]);
    let units = drive.capacity().get() / 4096;
    let workload = closed_loop(3 * units, 16, move |index| (Op::WRITE, index % units * 4096, 4096));
    let (_, result) = run(drive, workload, checked());
    assert!(result["wear"]["program_failures"].as_u64().unwrap() > 30, "{}", result["wear"]);
    assert!(result["flash"]["reads"]["fold"].as_u64().unwrap() > 0, "{}", result["flash"]);
    // A unit that found no other way would keep its superblock for ever: the drive would have less and less room.
    assert_eq!(result["host"]["failed"]["write"], 0, "{}", result["ftl"]["slc_cache"]);
}

#[test]
fn a_run_with_a_cache_is_repeatable() {
    let result = || {
        let drive = with(&[DYNAMIC, &["ftl.slc_cache.idle_after=100us"]]);
        let span = drive.capacity().get();
        let (_, mut result) = run(drive, uniform(6_000, 4, Op::WRITE, 4096, span, 7), RunOptions::default());
        result.as_object_mut().unwrap().remove("engine");
        result.to_string()
    };
    assert_eq!(result(), result());
}

#[test]
fn what_cannot_have_a_cache_is_refused_in_one_line() {
    let refused = |settings: &[&str], expected: &str| {
        let lines: Vec<String> = TLC.iter().chain(settings).map(|line| (*line).to_owned()).collect();
        let error = match Drive::from_resolved("test", &lines) {
            Err(error) => error.to_string(),
            Ok(drive) => drive.build(0).err().map(|error| error.to_string()).expect("the drive was taken"),
        };
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    };
    refused(&["ftl.slc_cache.name=static", "ftl.slc_cache.size=5MB"], "the SLC cache 39");
    refused(&["ftl.slc_cache.name=static", "ftl.slc_cache.size=0B"], "more than 0B");
    refused(
        &["ftl.slc_cache.name=dynamic", "ftl.slc_cache.least=2MB", "ftl.slc_cache.most=1MB"],
        "at least `least`",
    );
    refused(&["ftl.slc_cache.name=static", "ftl.slc_cache.siz=1MB"], "size");
    refused(&["ftl.slc_cache.name=dynamic", "ftl.streams.name=mixed"], "ftl.streams.name = separate");
    refused(
        &["ftl.slc_cache.name=dynamic", "ftl.mapping.name=bast"],
        "cannot be combined with ftl.mapping.name",
    );
    refused(&["nand.cell=slc"], "every block holds one bit");
    let bare: Vec<String> = TLC
        .iter()
        .filter(|line| !line.contains("slc_mode"))
        .chain(DYNAMIC)
        .map(|line| (*line).to_owned())
        .collect();
    let error = Drive::from_resolved("test", &bare).unwrap().build(0).err().unwrap().to_string();
    assert!(error.contains("nand.slc_mode"), "{error}");
}

#[test]
fn who_waits_for_folding_does_not_stand_still() {
    // A superblock takes 128 programs of 1.2 ms to fold: were it folded in one go, the host would wait 154 ms.
    for in_die in ["false", "true"] {
        let in_die = format!("nand.slc_mode.folds_in_die={in_die}");
        let drive = with(&[
            &["nand.pages_per_block=384", "ftl.slc_cache.name=static", "ftl.slc_cache.size=16MB"],
            &["ftl.slc_cache.when_full=fold-first", &in_die],
        ]);
        let (_, result) = run(drive, sequential(12_000, 32), checked());
        assert!(number(&result, "superblocks_folded") > 20);
        let longest = result["host"]["write"]["latency_ns"]["max"].as_f64().unwrap();
        assert!(longest < 30e6, "{in_die}: a write took {longest} ns");
    }
}

#[test]
fn folding_in_the_die_needs_no_bus() {
    let fold = |settings: &[&[&str]]| {
        let first = ["ftl.slc_cache.when_full=fold-first", "nand.pages_per_block=27"];
        let settings: Vec<&[&str]> = [STATIC, &first].into_iter().chain(settings.iter().copied()).collect();
        run(with(&settings), sequential(2_000, 32), checked()).1
    };
    let (bus, die) = (fold(&[]), fold(&[&["nand.slc_mode.folds_in_die=true"]]));
    let moved = |result: &Value| result["energy_j"]["bytes_from_dies"].as_u64().unwrap();
    assert!(number(&die, "units_folded") > 1_000);
    // Written in sequence, all of it is valid: three units with one bit make one program with three.
    assert_eq!(moved(&die), 0);
    assert_eq!(moved(&bus) / 4096 / 100, number(&bus, "units_folded") / 100);
    assert_eq!(result_pages(&die, "reads"), result_pages(&die, "programs"));
    // With one of four dies on a channel at work, the bus does not limit what is folded either way.
    assert!(
        (iops(&die) / iops(&bus) - 1.0).abs() < 0.2,
        "{} in the die, {} by the bus",
        iops(&die),
        iops(&bus)
    );
}

fn result_pages(result: &Value, kind: &str) -> u64 {
    result["flash"][kind]["fold"].as_u64().unwrap()
}
