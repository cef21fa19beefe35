//! What the independent account of `--check` sees of whole drives: runs in which what it looks for happens.

use crate::common::{catalogue, closed_loop};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session};

/// Runs 30,000 writes and reads of up to `bytes` bytes, with the checker, on a small test drive that has to collect
/// garbage; returns the result.
fn checked(more: &[&str], bytes: u32) -> Value {
    let base = [
        "geometry.channels=2",
        "geometry.ways=1",
        "nand.blocks_per_plane=40",
        "nand.pages_per_block=32",
        "ftl.op_ratio=0.6",
        "ftl.buffer.size=256KiB",
    ];
    let settings: Vec<String> = base.iter().chain(more).map(|line| (*line).to_owned()).collect();
    let drive = Drive::load(&catalogue(), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
    let sectors = drive.capacity().get() / 512 - 64;
    let mut random = engine::RandomStream::new(5, "second_answer");
    let load = closed_loop(30_000, 16, move |_| {
        let op = if random.chance(0.7) { Op::WRITE } else { Op::READ };
        let most = u64::from(bytes / 512);
        (op, random.below(sectors) * 512, (1 + random.below(most)) as u32 * 512)
    });
    let options =
        RunOptions { check: true, precondition: PreconditionKind::Fill, seed: 3, ..RunOptions::default() };
    let mut session = Session::with_workload(drive, load, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session.result().unwrap_or_else(|error| panic!("{error}"))
}

fn count(result: &Value, key: &str) -> u64 {
    let at = key.split('.').fold(result, |value, part| &value[part]);
    at.as_u64().unwrap_or_else(|| panic!("{key} is no count: {at}"))
}

#[test]
fn parts_of_units_are_merged_behind_every_buffer() {
    for write_back in ["true", "false"] {
        for more in [[].as_slice(), &["ftl.mapping.name=fast"], &["ftl.mapping.name=dftl"]] {
            let setting = format!("ftl.buffer.write_back={write_back}");
            let result = checked(&[&[setting.as_str()], more].concat(), 8192);
            assert!(count(&result, "flash.reads.read_modify_write") > 1_000, "{more:?}: partial writes");
        }
    }
}

#[test]
fn what_fails_to_be_moved_is_moved_again() {
    let failing = "nand.bad_blocks.program_fail_ratio=0.01";
    for more in
        [[].as_slice(), &["controller.copyback=true", "controller.multi_plane=false", "nand.page_size=4KiB"]]
    {
        let result =
            checked(&[&[failing, "ftl.op_ratio=1.2", "nand.blocks_per_plane=110"], more].concat(), 8192);
        assert!(count(&result, "wear.program_failures") > 50, "{more:?}: failures");
        assert!(count(&result, "flash.programs.gc") > 500, "{more:?}: moves");
    }
}
