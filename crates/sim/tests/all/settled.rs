//! Does a drive in a settled state begin as long work leaves it: with a full SLC cache, a buffer as the workload fills it, at
//! rest where nothing is written?

use crate::common::{SMALL, drive};
use serde_json::Value;
use sim::{Catalogue, Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};

const KINDS: [PreconditionKind; 3] =
    [PreconditionKind::Instant, PreconditionKind::Steady, PreconditionKind::Workload];

/// Constant: settings of a TLC test drive with an SLC cache of 1 MiB, 64 units for each of its four dies.
const CACHED: [&str; 7] = [
    "nand.cell=tlc",
    "nand.pages_per_block=24",
    "nand.blocks_per_plane=120",
    "nand.slc_mode.t_r=20us",
    "nand.slc_mode.t_prog=150us",
    "ftl.slc_cache.name=static",
    "ftl.slc_cache.size=1MiB",
];

fn worked(settings: &[&str], text: &str, options: RunOptions) -> Value {
    let drive = drive(&[SMALL, settings].concat());
    let spec = WorkloadSpec::FioText {
        name: "job".into(),
        text: format!("[j]\nbs=4k\nsize=100%\nnorandommap=1\n{text}"),
        variables: Default::default(),
    };
    let mut session = Session::new(drive, &spec, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session.result().unwrap_or_else(|error| panic!("{error}"))
}

fn after(precondition: PreconditionKind) -> RunOptions {
    RunOptions { precondition, check: true, ..RunOptions::default() }
}

fn number(value: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(value, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} = {found}"))
}

const WRITES: &str = "rw=randwrite\nioengine=libaio\niodepth=16\nio_size=2m\n";

#[test]
fn a_cache_that_is_written_past_is_full() {
    let fresh = worked(&CACHED, WRITES, after(PreconditionKind::Fill));
    assert!(number(&fresh, "ftl.slc_cache.units_written") > 0.0, "{}", fresh["ftl"]["slc_cache"]);
    for kind in KINDS {
        let result = worked(&CACHED, WRITES, after(kind));
        assert_eq!(number(&result, "ftl.slc_cache.units_written"), 0.0, "{kind:?}");
        assert!(number(&result, "ftl.slc_cache.units_bypassed") > 0.0, "{kind:?}");
    }
}

#[test]
fn a_host_that_waits_for_folding_does_so_from_the_beginning() {
    let settings = [&CACHED[..], &["ftl.slc_cache.when_full=fold-first"]].concat();
    for kind in KINDS {
        let short = worked(&settings, WRITES, after(kind));
        // As much is folded as comes, in the first writes as later.
        let (written, folded) =
            (number(&short, "ftl.slc_cache.units_written"), number(&short, "ftl.slc_cache.units_folded"));
        assert!(written > 0.0 && folded > 0.5 * written, "{kind:?}: {folded} of {written}");
    }
}

#[test]
fn a_buffer_begins_as_the_workload_leaves_it() {
    for kind in KINDS {
        let result = worked(&[], WRITES, after(kind));
        let slots = 64.0;
        assert!(number(&result, "precondition.warm_up.buffer_units") > 0.7 * slots, "{kind:?}");
        assert_eq!(number(&result, "started_ns"), 0.0);
        assert_eq!(number(&result, "workload.requests"), 512.0);
        assert_eq!(number(&result, "host.write.requests"), 512.0);
        // Nothing runs where the buffer holds nothing, or the workload does not write.
        let through = worked(&["ftl.buffer.write_back=false"], WRITES, after(kind));
        assert!(through["precondition"]["warm_up"].is_null());
    }
    let slow = "rw=randwrite\nrate_iops=50\nio_size=256k\n";
    let slow = worked(&[], slow, after(PreconditionKind::Instant));
    assert!(number(&slow, "precondition.warm_up.buffer_units") < 3.0, "{}", slow["precondition"]);
    let fill = worked(&[], WRITES, after(PreconditionKind::Fill));
    assert!(fill["precondition"]["warm_up"].is_null());
}

#[test]
fn what_only_reads_finds_a_drive_at_rest() {
    // Idle dies would go on collecting until ten superblocks of each are free.
    let idle = ["ftl.gc.trigger.high=10", "ftl.gc.trigger.low=2"];
    let cases: [(PreconditionKind, &[&str]); 4] = [
        (PreconditionKind::Instant, &[]),
        (PreconditionKind::Steady, &[]),
        (PreconditionKind::Instant, &idle),
        (PreconditionKind::Steady, &idle),
    ];
    for (kind, settings) in cases {
        let result = worked(settings, "rw=randread\nio_size=2m\n", after(kind));
        let work = |of: &str| number(&result, &format!("flash.{of}.total"));
        assert_eq!((work("programs"), work("erases")), (0.0, 0.0), "{kind:?}");
        // One read after the other: each is as fast as its page.
        let latency = &result["host"]["read"]["latency_ns"];
        assert_eq!(latency["stddev"], 0.0, "{kind:?}: {latency}");
    }
}

#[test]
fn limits_and_rows_are_those_of_the_workload() {
    let options =
        RunOptions { limit_requests: Some(100), requests: true, ..after(PreconditionKind::Instant) };
    let result = worked(&[], WRITES, options);
    assert_eq!(number(&result, "host.write.requests"), 100.0);
    let options = RunOptions { limit_ns: Some(1_000_000), ..after(PreconditionKind::Instant) };
    let result = worked(&[], WRITES, options);
    let requests = number(&result, "host.write.requests");
    assert!(requests > 0.0 && requests < 512.0, "{requests}");
}

/// Checks that a drive of many dies comes to rest: erases on the way there, a few on each die, are not mistaken for a
/// victim policy that gains no room.
#[test]
fn many_dies_come_to_rest_and_take_writes_again() {
    let many =
        ["geometry.channels=32", "geometry.ways=16", "nand.blocks_per_plane=24", "nand.pages_per_block=8"];
    let spare = ["ftl.op_ratio=0.8", "ftl.gc.trigger.high=8"];
    let drive = drive(&[SMALL, &many, &spare].concat());
    let spec = WorkloadSpec::FioText {
        name: "job".into(),
        text: "[j]\nbs=4k\nrw=randread\nsize=1m\n".into(),
        variables: Default::default(),
    };
    let options = RunOptions { precondition: PreconditionKind::Steady, ..RunOptions::default() };
    let mut session = Session::new(drive, &spec, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    let ftl = session.ftl().expect("it ran");
    let erased: u64 = ftl.stats().blocks_erased.iter().sum();
    assert!(erased > 0);
    assert_eq!(ftl.erased_in_vain(), None);
}

/// Checks that a run with a write buffer of a third of the drive begins with the units that overwriting leaves in the
/// buffer: they are overwritten there next, so that their copies on flash stay valid.
#[test]
fn a_large_buffer_begins_with_what_overwriting_left_in_it() {
    let settings = ["ftl.buffer.size=5MiB", "ftl.op_ratio=0.3"];
    let mixed = "rw=randrw\nrwmixread=60\nioengine=libaio\niodepth=8\n";
    for kind in KINDS {
        let mean = |written: &str, seeds: std::ops::Range<u64>| {
            let count = (seeds.end - seeds.start) as f64;
            let waf = |seed| {
                let result = worked(
                    &settings,
                    &format!("{mixed}io_size={written}\n"),
                    RunOptions { seed, ..after(kind) },
                );
                number(&result, "waf_long_run.value")
            };
            seeds.map(waf).sum::<f64>() / count
        };
        let (short, long) = (mean("5m", 0..6), mean("200m", 6..7));
        assert!((short / long - 1.0).abs() < 0.05, "{kind:?}: {short} at first, {long} later");
    }
}

/// Checks that a run with a buffer whose contents fluctuate, and remember for long how they began, starts with the
/// buffer as full as it is in the long run.
#[test]
fn a_cache_that_wanders_begins_as_full_as_it_stays() {
    const SLOTS: f64 = 512.0;
    const SEEDS: u64 = 24;
    let settings = [
        "geometry.channels=2",
        "geometry.ways=2",
        "nand.planes=2",
        "nand.blocks_per_plane=100",
        "nand.pages_per_block=16",
        "nand.page_size=4KiB",
        "ftl.op_ratio=0.3",
        "ftl.buffer.size=2MiB",
        "ftl.buffer.eviction.name=lru",
    ];
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let drive =
        || Drive::load(&Catalogue::new([&root]), "slc", &settings.map(String::from)).expect("a drive");
    let units = |seed: u64, written: &str, name: &str| {
        let job = "[j]\nbs=4k\nsize=100%\nnorandommap=1\nrw=randrw\nrwmixread=60\nioengine=libaio\niodepth=4\n\
                   random_distribution=zipf:1.1\n";
        let text = format!("{job}io_size={written}\n");
        let spec = WorkloadSpec::FioText { name: "job".into(), text, variables: Default::default() };
        let options = RunOptions { seed, check: false, ..after(PreconditionKind::Workload) };
        let mut session = Session::new(drive(), &spec, options).unwrap_or_else(|error| panic!("{error}"));
        session.finish().unwrap_or_else(|error| panic!("{error}"));
        let result = session.result().unwrap_or_else(|error| panic!("{error}"));
        number(&result, &format!("waf_bytes.{name}")) / 4096.0
    };
    let mean = |written, name| (0..SEEDS).map(|seed| units(seed, written, name)).sum::<f64>() / SEEDS as f64;
    let (before, later) = (mean("6m", "held_before"), mean("128m", "held"));
    assert!((before - later).abs() < 0.05 * SLOTS, "{before} at first, {later} later");
}
