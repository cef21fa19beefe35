//! Fast pages for the host, slow ones for what is moved: legal, and worth what it should be.

use crate::common::{drive, run, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions};

const SETTINGS: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=1",
    "bus.interface.rate=200MT/s",
    "nand.cell=mlc",
    "nand.program=page",
    "nand.planes=1",
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=32",
    "nand.page_size=4KiB",
    "nand.t_r=50us",
    "nand.t_prog=[\"200us\", \"1800us\"]",
    "nand.t_bers=3ms",
    "ftl.mapping_unit=4KiB",
    "ftl.op_ratio=0.3",
    "ftl.buffer.write_back=false",
];

/// Mean time of the array in a host write, us, the write amplification, and superblocks traded.
fn writes(order: &str) -> (f64, f64, u64) {
    let order = format!("ftl.program_order.name={order}");
    let drive = drive(&[SETTINGS, &[&order]].concat());
    let span = drive.capacity().get();
    let options =
        RunOptions { check: true, precondition: PreconditionKind::Instant, ..RunOptions::default() };
    let (_, result) = run(drive, uniform(6000, 1, Op::Write, 4096, span, 1), options);
    let array = result["stages"]["write"]["array"].as_f64().expect("writes");
    (
        array / 1e3,
        result["waf"].as_f64().expect("writes"),
        result["gc"]["superblocks_traded"].as_u64().unwrap(),
    )
}

#[test]
fn the_host_gets_the_fast_pages_that_moved_data_leave_it() {
    let (usual, usual_waf, none) = writes("in-order");
    let (fast, waf, traded) = writes("fast-first");
    assert_eq!(none, 0);
    assert!(traded > 1000, "{traded}");
    assert!((usual - 1000.0).abs() < 20.0, "half of all pages are fast: {usual} us");
    // Half of all pages are slow; the host is spared as many of them as there are moved units.
    let least = 200.0 + 1600.0 * (1.0 - waf / 2.0).max(0.0);
    assert!(fast < 0.7 * usual && fast > 0.99 * least, "{fast} us with, {usual} us without; at best {least}");
    assert!(waf < 1.15 * usual_waf, "{waf} after {usual_waf}: hot and cold data mix a little");
}

#[test]
fn one_open_superblock_cannot_be_traded() {
    let cache = ["ftl.slc_cache.name=static", "nand.slc_mode.t_r=20us", "nand.slc_mode.t_prog=100us"];
    for other in [&["ftl.gc.stream=mixed"][..], &cache] {
        let settings = [SETTINGS, &["ftl.program_order.name=fast-first"], other].concat();
        let lines: Vec<String> = settings.iter().map(|line| (*line).to_owned()).collect();
        let error = sim::Drive::from_resolved("test", &lines).err().expect("refused").to_string();
        assert!(
            error.contains("ftl.program_order.name") && error.contains("cannot be combined with"),
            "{error}"
        );
    }
}
