//! Whole drives with mapping units of several sizes, written in whole units and in smaller pieces, against the closed form.
//!
//! A random write of a part of a unit puts a whole unit into a new place: it costs what a write of that unit costs, and
//! write amplification, which is of bytes, is that of whole units times what the unit holds more than the request.

use crate::write_amplification::TOLERANCE;
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};
use testkit::oracle;

/// Constant: number of blocks that the host's data fill. `SPARE_BLOCKS` are the open block, three kept free, the last
/// victim.
const USER_BLOCKS: u64 = 400;
const SPARE_BLOCKS: u64 = 5;
const ALPHA: f64 = 1.25;
const PAGES: u64 = 16;
/// Constant: number of write requests of a measured run, about nine for each mapping unit of the drive.
const REQUESTS: u64 = 60_000;

/// Makes a test's drive of one die with one open block, whose pages and mapping units both have `unit_kib` KiB.
fn made(unit_kib: u64) -> Drive {
    let blocks = (ALPHA * USER_BLOCKS as f64) as u64 + SPARE_BLOCKS;
    let settings = [
        "geometry.channels=1".into(),
        "geometry.ways=1".into(),
        "nand.cell=slc".into(),
        "nand.planes=1".into(),
        format!("nand.blocks_per_plane={blocks}"),
        format!("nand.pages_per_block={PAGES}"),
        format!("nand.page_size={unit_kib}KiB"),
        "nand.t_r=1us".into(),
        "nand.t_prog=10us".into(),
        "nand.t_bers=10us".into(),
        "bus.interface.name=plain".into(),
        "bus.interface.rate=1000MT/s".into(),
        "controller.program_queue=1".into(),
        format!("ftl.mapping_unit={unit_kib}KiB"),
        format!("ftl.user_capacity={}KiB", USER_BLOCKS * PAGES * unit_kib),
        "ftl.gc.victim.name=fifo".into(),
        "ftl.streams.name=mixed".into(),
        "ftl.gc.trigger.name=watermark".into(),
        "ftl.gc.trigger.low=3".into(),
        "ftl.gc.trigger.high=3".into(),
        "ftl.gc.trigger.background=false".into(),
        "ftl.wear.name=dynamic".into(),
        format!("ftl.buffer.size={}KiB", 2 * unit_kib),
    ];
    Drive::from_resolved("units", &settings).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the finished session of a run of random writes of `request_kib` KiB, on a drive in steady state.
fn measured(unit_kib: u64, request_kib: u64) -> Session {
    let text = format!(
        "[w]\nrw=randwrite\nbs={request_kib}k\nnorandommap=1\nioengine=libaio\niodepth=2\nnumber_ios={REQUESTS}\n\
         io_size=1t\n"
    );
    let work = WorkloadSpec::FioText { name: "w".into(), text, variables: Default::default() };
    let options = RunOptions { precondition: PreconditionKind::Steady, ..RunOptions::default() };
    let mut session = Session::new(made(unit_kib), &work, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session
}

#[test]
fn write_amplification_is_of_bytes_whatever_the_mapping_unit() {
    for unit_kib in [4, 8, 16, 64] {
        for request_kib in [4, unit_kib] {
            let result = measured(unit_kib, request_kib).result().unwrap_or_else(|error| panic!("{error}"));
            let known = |path: &str| path.split('.').fold(&result, |value, key| &value[key]).as_f64();
            let number = |path: &str| known(path).unwrap_or_else(|| panic!("no {path}"));
            // Of the candidates at a choice one becomes the victim; the others hold data while the open one fills.
            let alpha = (number("ftl.gc.candidates_at_choice_mean") - 1.0) / USER_BLOCKS as f64;
            let more = unit_kib as f64 / request_kib as f64;
            let expected = oracle::fifo(alpha) * more;
            for path in ["waf", "waf_long_run.value"] {
                let found = number(path);
                let deviation = found / expected - 1.0;
                println!(
                    "{request_kib} KiB to units of {unit_kib}, {path}: {found:.4}, form {expected:.4}, {deviation:+.4}"
                );
                assert!(
                    deviation.abs() < TOLERANCE,
                    "{request_kib} KiB to units of {unit_kib} KiB, {path}: {found:.4}, closed form {expected:.4}"
                );
            }
            let fill_up = known("waf_parts.fill_up").unwrap_or(0.0);
            let host = number("waf_parts.host");
            // Two writes that meet in the buffer may lie beside each other in a unit.
            assert!((fill_up - (more - 1.0) * host).abs() <= TOLERANCE * more, "{fill_up} beside {host}");
        }
    }
}
