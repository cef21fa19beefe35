//! What a flush or a forced write promised is on flash when it is answered, also where a newer version of the unit came in
//! between, its program failed, or the snapshot that saw it was dropped. The checker looks at every answer.

use crate::common::{SMALL, closed_loop_forced, drive, run};
use engine::RandomStream;
use host::{Op, Workload};
use sim::RunOptions;

const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";

/// Makes a test workload of 3,000 writes to a few units, overwritten again and again: every `every`th request, if a
/// write, forces unit access, and every `flushes`th request is a flush.
fn overwrite(units: u64, every: u64, flushes: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "overwrite");
    closed_loop_forced(3_000, 16, every, move |index| match index % flushes {
        0 => (Op::FLUSH, 0, 0),
        _ => (Op::WRITE, random.below(units) * 4096, 4096),
    })
}

fn checked(settings: &[&str], workload: Box<dyn Workload>) -> serde_json::Value {
    let options = RunOptions { check: true, ..RunOptions::default() };
    run(drive(&[SMALL, &[UNPROTECTED], settings].concat()), workload, options).1
}

#[test]
fn a_forced_write_that_a_newer_one_overtakes_waits_for_it() {
    for mapping in ["page", "dftl", "block", "replacement", "bast", "fast"] {
        for (kept, seed) in [("0.0", 1), ("0.0", 2), ("0.75", 3)] {
            let settings = [format!("ftl.mapping.name={mapping}"), format!("ftl.buffer.keep_ratio={kept}")];
            let settings = settings.each_ref().map(String::as_str);
            checked(&settings, overwrite(64, 3, 40, seed));
        }
    }
}

#[test]
fn a_failed_program_of_a_unit_that_somebody_waits_for_is_made_up_for() {
    let mut failures = 0;
    for (mapping, seed) in [("page", 1), ("page", 2), ("fast", 3), ("bast", 4)] {
        let mapping = format!("ftl.mapping.name={mapping}");
        let fails = "nand.bad_blocks.program_fail_ratio=0.01";
        let result = checked(&[&mapping, fails], overwrite(48, 2, 20, seed));
        failures += result["wear"]["program_failures"].as_u64().unwrap();
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_dropped_snapshot_takes_nothing_along_that_a_flush_waits_for() {
    for seed in 0..8 {
        let dropped = ["ftl.snapshots.every=3ms", "ftl.snapshots.keep=1", "ftl.snapshots.when_full=drop"];
        let result = checked(&dropped, overwrite(64, 1_000_000, 15, seed));
        let expired = result["ftl"]["snapshots"]["expired"].as_u64().unwrap();
        assert!(expired > 3, "{}", result["ftl"]["snapshots"]);
    }
}
