//! Fast pages for the host, slow ones for what is moved: legal, and worth what it should be.

use crate::common::bench::{Bench, with_policies};
use crate::common::{drive, run, uniform};
use controller::Origin;
use engine::RandomStream;
use ftl::program_order::{OrderView, ProgramOrder};
use host::Op;
use sim::{PreconditionKind, RunOptions};
use std::sync::{Arc, Mutex};

const SETTINGS: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=1",
    "bus.interface.rate=200MT/s",
    "nand.cell=mlc",
    "nand.program=page",
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

/// Returns three numbers for random writes on a used drive with this program order: mean array time of a host write in
/// us, write amplification, and count of superblocks traded between streams.
fn writes(order: &str, planes: u32) -> (f64, f64, u64) {
    let (order, unit) = (format!("ftl.program_order.name={order}"), 4096 * planes);
    let drive = drive(&[SETTINGS, &[&order, &format!("nand.planes={planes}")]].concat());
    let span = drive.capacity().get();
    let options =
        RunOptions { check: true, precondition: PreconditionKind::Instant, ..RunOptions::default() };
    let (_, result) = run(drive, uniform(6000, 1, Op::WRITE, unit, span, 1), options);
    let array = result["stages"]["write"]["array"].as_f64().expect("writes");
    (
        array / 1e3,
        result["waf"].as_f64().expect("writes"),
        result["ftl"]["program_order"]["superblocks_traded"].as_u64().unwrap(),
    )
}

#[test]
fn the_host_gets_the_fast_pages_that_moved_data_leave_it() {
    for planes in [1, 2] {
        let (usual, usual_waf, none) = writes("in-order", planes);
        let (fast, waf, traded) = writes("fast-first", planes);
        assert_eq!(none, 0);
        assert!(traded > 1000, "{traded}");
        assert!((usual - 1000.0).abs() < 20.0, "half of all pages are fast: {usual} us");
        // Half of all pages are slow; the host is spared as many of them as there are moved units.
        let least = 200.0 + 1600.0 * (1.0 - waf / 2.0).max(0.0);
        assert!(
            fast < 0.7 * usual && fast > 0.99 * least,
            "{fast} us with, {usual} us without; at best {least}"
        );
        assert!(waf < 1.15 * usual_waf, "{waf} after {usual_waf}: hot and cold data mix a little");
    }
}

#[test]
fn one_open_superblock_cannot_be_traded() {
    let cache = ["ftl.slc_cache.name=static", "nand.slc_mode.t_r=20us", "nand.slc_mode.t_prog=100us"];
    for other in [&["ftl.streams.name=mixed"][..], &cache] {
        let settings = [SETTINGS, &["nand.planes=1", "ftl.program_order.name=fast-first"], other].concat();
        let lines: Vec<String> = settings.iter().map(|line| (*line).to_owned()).collect();
        let error = sim::Drive::from_resolved("test", &lines).err().expect("refused").to_string();
        assert!(
            error.contains("ftl.program_order.name") && error.contains("cannot be combined with"),
            "{error}"
        );
    }
}

/// Program-order policy for a test that trades open superblocks whenever it is asked, and records the views that it
/// gets.
struct Trader(Arc<Mutex<Vec<OrderView>>>);

impl ProgramOrder for Trader {
    fn trades(&mut self, view: &OrderView) -> bool {
        self.0.lock().expect("one thread").push(*view);
        true
    }
}

/// Checks that streams which trade their open superblocks all the time do not mix: each program holds only the host's
/// data or only moved data, the policy is told the right stream, and a superblock's summary at its end stays with it.
#[test]
fn streams_that_trade_superblocks_do_not_mix() {
    for mapping in ["page", "birrell"] {
        let views = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&views);
        let mapping_name = format!("ftl.mapping.name={mapping}");
        let one_die = ["geometry.channels=1", "nand.blocks_per_plane=16", "nand.planes=2"];
        let small = ["ftl.op_ratio=1.0", "ftl.buffer.size=64KiB", &mapping_name];
        let settings = [SETTINGS, &one_die, &small].concat();
        let mut bench = Bench::of(with_policies(&settings, |config| {
            config.destination.program_order = Box::new(move || Box::new(Trader(Arc::clone(&told))));
        }));
        let mut random = RandomStream::new(23, "overwrites");
        (0..512).for_each(|lpn| assert!(bench.write(lpn)));
        (0..4_000).for_each(|_| assert!(bench.write(random.below(512) as u32)));
        assert!(bench.ftl.stats().superblocks_traded > 1_000, "{}", bench.ftl.stats().superblocks_traded);
        let mut programs = [0, 0];
        for (program, origins) in &bench.ctx.probe.placed {
            let count = |origin: Origin| origins.iter().filter(|it| **it == origin).count();
            let moved = count(Origin::Gc) > 0;
            assert!(!moved || count(Origin::Host) == 0, "{mapping}: {origins:?} in {program:?}");
            let is_last = mapping == "birrell" && program.row == 31;
            assert_eq!(is_last, count(Origin::Map) > 0, "{mapping}: {origins:?} in {program:?}");
            programs[usize::from(moved)] += usize::from(!is_last);
        }
        for (moved, programs) in [false, true].into_iter().zip(programs) {
            let asked = views.lock().expect("one thread").iter().filter(|view| view.moved == moved).count();
            assert!((programs / 2..=programs).contains(&asked), "{mapping}: {asked} of {programs}");
        }
    }
}
