//! Do the ways of preconditioning end in the same drive, and does a saved state come back whole?
//!
//! Each comparison runs the same workload on drives preconditioned in two ways, over some seeds on each side, and asks
//! two rank tests (location, shape) about write amplification and IOPS after a hundredth, a tenth and one overwrite.
//! All of a test's comparisons together raise a false alarm once in a hundred times ([`ALARM`], Holm's correction).
//!
//! `FLOATGATE_STEADY_SEEDS=20 cargo test --release -p sim --test all steady:: -- --nocapture` runs the whole matrix, with
//! `FLOATGATE_STEADY_ONLY="windowed-greedy ftl.streams.name=mixed HotCold(0.95"` the cases with this in their name.

use crate::common;
use crate::common::two_sample::{Compared, differing, kolmogorov_smirnov, mann_whitney};
use crate::common::{closed_loop, drive, run, uniform};
use engine::RandomStream;
use host::{Op, Workload};
use sim::{Copies, Drive, PreconditionKind, RunOptions, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Constant: probability that the whole test alarms although no distribution differs (bound for the set of all
/// comparisons).
const ALARM: f64 = 0.01;
/// Constant: numbers of overwrites of the logical space after which runs are compared.
const LENGTHS: [f64; 3] = [0.01, 0.1, 1.0];

fn used(victim: &str) -> Drive {
    drive(&[
        "geometry.channels=2",
        "geometry.ways=2",
        "nand.cell=slc",
        "nand.planes=1",
        "nand.blocks_per_plane=400",
        "nand.pages_per_block=64",
        "nand.page_size=4KiB",
        "nand.t_r=25us",
        "nand.t_prog=200us",
        "nand.t_bers=1500us",
        "bus.interface.rate=400MT/s",
        "ftl.op_ratio=0.15",
        &format!("ftl.gc.victim.name={victim}"),
    ])
}

/// Makes a small test drive (SLC, four dies of 96 superblocks), of which many can be run, with the settings `settings`
/// added.
fn small(settings: &[String]) -> Drive {
    let mut lines: Vec<&str> = vec![
        "geometry.channels=2",
        "geometry.ways=2",
        "nand.cell=slc",
        "nand.planes=1",
        "nand.blocks_per_plane=96",
        "nand.pages_per_block=64",
        "nand.page_size=4KiB",
        "nand.t_r=25us",
        "nand.t_prog=200us",
        "nand.t_bers=1500us",
        "bus.interface.rate=400MT/s",
        "ftl.op_ratio=0.25",
        "ftl.buffer.size=256KiB",
    ];
    lines.extend(settings.iter().map(String::as_str));
    drive(&lines)
}

/// Kind of distribution by which a test workload chooses the units that it overwrites.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Skew {
    Uniform,
    /// Case of distribution: the first number is the share of the writes that go to the hot part of the space, the
    /// second the size of that part (shares from 0 to 1).
    HotCold(f64, f64),
    /// Case of distribution: the k-th place is overwritten with a probability in proportion to k^-0.9.
    Zipf,
}

const SKEWS: [Skew; 4] = [Skew::Uniform, Skew::HotCold(0.8, 0.2), Skew::HotCold(0.95, 0.05), Skew::Zipf];

fn workload(skew: Skew, requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "test");
    let mut sums = Vec::new();
    if skew == Skew::Zipf {
        sums = (1..=units).map(|k| (k as f64).powf(-0.9)).collect();
        for at in 1..sums.len() {
            sums[at] += sums[at - 1];
        }
    }
    closed_loop(requests, 32, move |_| {
        let unit = match skew {
            Skew::Uniform => random.below(units),
            Skew::HotCold(writes, space) => {
                let hot = (units as f64 * space) as u64;
                if random.chance(writes) { random.below(hot) } else { hot + random.below(units - hot) }
            }
            Skew::Zipf => {
                let drawn = random.unit() * sums[sums.len() - 1];
                let rank = sums.partition_point(|sum| *sum < drawn) as u64;
                // Scattered over the space by a factor that shares none with it.
                rank.min(units - 1) * 7_368_787 % units
            }
        };
        (Op::WRITE, unit * 4096, 4096)
    })
}

/// Runs a workload on a drive and returns, after each of the [`LENGTHS`] (numbers of overwrites), write amplification
/// and IOPS since the run began.
fn lengths(drive: Drive, skew: Skew, kind: PreconditionKind, seed: u64) -> Vec<[f64; 2]> {
    let units = drive.capacity().get() / 4096;
    let options = RunOptions { precondition: kind, seed, ..RunOptions::default() };
    let mut session = Session::with_workload(drive, workload(skew, units, units, seed), options).unwrap();
    while session.progress().phase == "precondition" {
        session.advance(1 << 16).unwrap();
    }
    let before = *session.ftl().unwrap().stats();
    let mut seen = Vec::new();
    for length in LENGTHS {
        let wanted = (units as f64 * length) as u64;
        while session.progress().host_requests < wanted && !session.advance(32).unwrap().done {}
        let (stats, progress) = (session.ftl().unwrap().stats().since(&before), session.progress());
        let iops = progress.host_requests as f64 / (progress.simulated_ns as f64 * 1e-9);
        let unit = session.ftl().unwrap().layout().unit;
        seen.push([stats.waf(unit).unwrap(), iops]);
    }
    seen
}

fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// Compares steady and instant preconditioning on a drive over `seeds` seeds each: two-sample tests of write
/// amplification and of IOPS after each of the [`LENGTHS`].
fn compare(name: &str, made: &dyn Fn() -> Drive, skew: Skew, seeds: u64) -> Vec<Compared> {
    let sample = |kind, first: u64| -> Vec<Vec<[f64; 2]>> {
        (first..first + seeds).map(|seed| lengths(made(), skew, kind, seed)).collect()
    };
    let (steady, instant) = (sample(PreconditionKind::Steady, 1), sample(PreconditionKind::Instant, 1001));
    let mut compared = Vec::new();
    for (at, length) in LENGTHS.iter().enumerate() {
        for (quantity, what) in ["waf", "iops"].iter().enumerate() {
            let of =
                |runs: &[Vec<[f64; 2]>]| -> Vec<f64> { runs.iter().map(|run| run[at][quantity]).collect() };
            let (a, b) = (of(&steady), of(&instant));
            let detail = format!("steady {:.4}, instant {:.4}", mean(&a), mean(&b));
            let mut add = |test: &str, chance: f64| {
                let name = format!("{name} {skew:?}, {what} after {length} overwrites, {test}");
                println!("{chance:10.6} {name}: {detail}");
                compared.push(Compared { name, chance, detail: detail.clone() });
            };
            add("Mann-Whitney", mann_whitney(&a, &b));
            add("Kolmogorov-Smirnov", kolmogorov_smirnov(&a, &b));
        }
    }
    compared
}

fn assert_alike(compared: Vec<Compared>) {
    let count = compared.len();
    let differ = differing(compared, ALARM);
    let lines: Vec<String> = differ
        .iter()
        .map(|one| format!("{}: {} (chance {:.1e})", one.name, one.detail, one.chance))
        .collect();
    assert!(lines.is_empty(), "{} of {count} comparisons differ:\n{}", lines.len(), lines.join("\n"));
}

/// Returns the write amplification over one overwrite of the drive by a workload with the distribution `skew`, after
/// `before` overwrites (a number of drive capacities) in the run.
fn skewed(skew: Skew, kind: PreconditionKind, before: f64, seed: u64) -> f64 {
    let drive = small(&[]);
    let units = drive.capacity().get() / 4096;
    let options = RunOptions { precondition: kind, seed, check: before < 1.0, ..RunOptions::default() };
    let (skipped, all) = ((before * units as f64) as u64, ((before + 1.0) * units as f64) as u64);
    let copies = move |copy: u64| Ok(workload(skew, all, units, seed + 1_000_000 * copy));
    let mut session = Session::with_copies(drive, Copies::drawn(copies), options).unwrap();
    while session.progress().phase == "precondition" || session.progress().host_requests < skipped {
        session.advance(64).unwrap();
    }
    let start = *session.ftl().unwrap().stats();
    session.finish().unwrap();
    let ftl = session.ftl().unwrap();
    let waf = ftl.stats().since(&start).waf(ftl.layout().unit).unwrap();
    let report = session.result().unwrap()["precondition"].clone();
    assert!(kind != PreconditionKind::Workload || report["steady"] == true, "{report}");
    waf
}

#[test]
fn the_state_of_the_workload_itself_is_that_of_a_long_run_of_it() {
    let whole = std::env::var("FLOATGATE_STEADY_SEEDS").is_ok();
    let (skews, seeds) = if whole { (&SKEWS[1..], 20) } else { (&SKEWS[1..2], 10) };
    let (mut compared, mut uniform) = (Vec::new(), Vec::new());
    for &skew in skews {
        // The first tenth of an overwrite fills the buffer, which a long run has behind it.
        let sample = |kind, before: f64, first: u64| -> Vec<f64> {
            (first..first + seeds).map(|seed| skewed(skew, kind, before, seed)).collect()
        };
        let long = sample(PreconditionKind::Fill, 15.0, 1);
        for (kind, first) in [(PreconditionKind::Workload, 1001), (PreconditionKind::Instant, 2001)] {
            let short = sample(kind, 0.1, first);
            let chance = mann_whitney(&long, &short);
            let detail = format!("long run {:.4}, {kind:?} {:.4}", mean(&long), mean(&short));
            println!("{chance:10.6} {skew:?}: {detail}");
            let list = if kind == PreconditionKind::Workload { &mut compared } else { &mut uniform };
            list.push(Compared { name: format!("{skew:?}"), chance, detail });
        }
    }
    assert_alike(compared);
    let told = differing(uniform, ALARM).len();
    assert_eq!(told, skews.len(), "uniform overwriting should be another state, or this test sees nothing");
}

#[test]
fn a_workload_that_writes_nothing_has_no_steady_state() {
    let copies = |_| Ok(uniform(100, 4, Op::READ, 4096, 1 << 20, 1));
    let options = RunOptions { precondition: PreconditionKind::Workload, ..RunOptions::default() };
    let mut session = Session::with_copies(small(&[]), Copies::drawn(copies), options).unwrap();
    let refused = session.finish().expect_err("it writes nothing").to_string();
    assert!(refused.contains("the workload writes nothing"), "{refused}");
    assert!(!refused.contains('\n'), "{refused}");
}

#[test]
fn what_is_recorded_is_repeated_as_it_was() {
    let state = |recorded: bool| {
        let copies = |_| Ok(workload(Skew::Zipf, 5_000, 19_000, 1));
        let copies = if recorded { Copies::recorded(copies) } else { Copies::drawn(copies) };
        let options = RunOptions { precondition: PreconditionKind::Workload, ..RunOptions::default() };
        let mut session = Session::with_copies(small(&[]), copies, options).unwrap();
        while session.progress().phase == "precondition" {
            session.advance(1 << 16).unwrap();
        }
        session.ftl().unwrap().valid_units().to_vec()
    };
    assert_eq!(state(true), state(false));
}

#[test]
fn a_copy_of_which_nothing_was_asked_does_not_count() {
    let counted = |recorded: bool, requests: u64| {
        let opened = Arc::new(AtomicU64::new(0));
        let most = opened.clone();
        let copies = move |copy| {
            most.fetch_max(copy, Ordering::Relaxed);
            Ok(workload(Skew::Zipf, requests, 19_000, 1))
        };
        let copies = if recorded { Copies::recorded(copies) } else { Copies::drawn(copies) };
        let options = RunOptions { precondition: PreconditionKind::Workload, ..RunOptions::default() };
        let mut session = Session::with_copies(small(&[]), copies, options).unwrap();
        session.finish().unwrap();
        let count = session.result().unwrap()["precondition"]["copies"].as_u64().unwrap();
        (count, opened.load(Ordering::Relaxed))
    };
    for requests in [4_999, 5_000, 19_000] {
        let (drawn, opened) = counted(false, requests);
        assert!(drawn > 1);
        assert_eq!(drawn, opened, "each copy is opened once: {requests} requests");
        assert_eq!(counted(true, requests), (drawn, 1), "{requests} requests");
    }
}

fn policy_names(seam: &str) -> Vec<&'static str> {
    sim::policies().into_iter().filter(|entry| entry.seam == seam).map(|entry| entry.card.name).collect()
}

/// Constant: settings of a test drive with parity, which takes one of four superblocks.
const PARITY: &[&str] = &["ftl.parity.name=rain", "ftl.op_ratio=0.6"];

/// Returns the drives for which ways of preconditioning are compared, each as a name and settings; few of them unless
/// `whole` is true.
fn cases(whole: bool) -> Vec<(String, Vec<String>)> {
    let mut cases = Vec::new();
    let mut add = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|line| (*line).to_owned()).collect();
        cases.push((settings.join(" "), settings));
    };
    if !whole {
        add(&["ftl.gc.victim.name=greedy"]);
        add(&["ftl.gc.victim.name=d-choices", "ftl.streams.name=mixed"]);
        add(PARITY);
        return cases;
    }
    for victim in policy_names("ftl.gc.victim") {
        for stream in ["mixed", "separate"] {
            let (victim, stream) =
                (format!("ftl.gc.victim.name={victim}"), format!("ftl.streams.name={stream}"));
            add(&[&victim, &stream]);
        }
    }
    for trigger in policy_names("ftl.gc.trigger") {
        let trigger = format!("ftl.gc.trigger.name={trigger}");
        add(&[&trigger, "ftl.gc.trigger.low=1", "ftl.gc.trigger.high=1"]);
        add(&[&trigger, "ftl.gc.trigger.low=4", "ftl.gc.trigger.high=8"]);
        add(&[&trigger, "ftl.gc.trigger.background=false"]);
    }
    for wear in policy_names("ftl.wear") {
        let wear = format!("ftl.wear.name={wear}");
        add(&[&wear]);
    }
    add(&["ftl.wear.name=static", "ftl.wear.threshold=3", "ftl.wear.period=2"]);
    for more in [
        &["ftl.gc.victim.name=greedy"][..],
        &["ftl.gc.victim.name=d-choices", "ftl.streams.name=mixed"],
        &["ftl.gc.victim.name=fifo"],
        &["ftl.wear.name=static", "ftl.wear.threshold=3", "ftl.wear.period=2"],
        &["geometry.ways=4", "ftl.parity.stripe=3"],
        &["geometry.ways=4"],
    ] {
        add(&[PARITY, more].concat());
    }
    cases
}

#[test]
fn instant_and_steady_are_statistically_the_same_drive() {
    let whole = std::env::var("FLOATGATE_STEADY_SEEDS").ok();
    let seeds = whole.as_ref().map_or(20, |seeds| seeds.parse().expect("FLOATGATE_STEADY_SEEDS is a number"));
    let skews = if whole.is_some() { &SKEWS[..] } else { &SKEWS[..1] };
    let only = std::env::var("FLOATGATE_STEADY_ONLY").unwrap_or_default();
    let mut compared = Vec::new();
    for (name, settings) in cases(whole.is_some()) {
        for &skew in skews {
            if format!("{name} {skew:?}").contains(&only) {
                compared.extend(compare(&name, &|| small(&settings), skew, seeds));
            }
        }
    }
    assert!(!compared.is_empty(), "FLOATGATE_STEADY_ONLY={only}: no case has this in its name");
    assert_alike(compared);
}

/// Constant: settings of a TLC drive with large superblocks, whose collection takes so long that the way it shares a
/// die with the host's programs shows in the result.
const LARGE_SUPERBLOCKS: &[&str] = &[
    "nand.cell=tlc",
    "nand.program=one-shot",
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=384",
    "nand.page_size=16KiB",
    "nand.t_r=50us",
    "nand.t_prog=1170us",
    "nand.t_bers=3500us",
    "ftl.mapping_unit=4KiB",
    "ftl.op_ratio=0.2",
];

/// Checks that a drive after preconditioning without simulated time has the write amplification, from its first writes
/// on, that a run with a full write buffer keeps.
#[test]
fn a_run_begins_as_it_goes_on() {
    let settings: Vec<String> = LARGE_SUPERBLOCKS.iter().map(|line| (*line).to_owned()).collect();
    let waf = |before: f64, seed: u64| -> f64 {
        let drive = small(&settings);
        let units = drive.capacity().get() / 4096;
        let options = RunOptions { precondition: PreconditionKind::Instant, seed, ..RunOptions::default() };
        // Three superblocks a die, when the buffer is full.
        let (first, window) = ((before * units as f64) as u64 + 100, 3 * 4 * 1536);
        let source = workload(Skew::Uniform, first + window, units, seed);
        let mut session = Session::with_workload(drive, source, options).unwrap();
        while session.progress().phase == "precondition" || session.progress().host_requests < first {
            session.advance(16).unwrap();
        }
        let start = *session.ftl().unwrap().stats();
        session.finish().unwrap();
        let ftl = session.ftl().unwrap();
        ftl.stats().since(&start).waf(ftl.layout().unit).unwrap()
    };
    let sample =
        |before: f64, first: u64| -> Vec<f64> { (first..first + 20).map(|seed| waf(before, seed)).collect() };
    let (begins, goes_on) = (sample(0.0, 1), sample(0.3, 101));
    let chance = mann_whitney(&begins, &goes_on);
    let detail = format!("at first {:.4}, later {:.4}", mean(&begins), mean(&goes_on));
    println!("{chance:10.6} {detail}");
    assert_alike(vec![Compared { name: "write amplification".into(), chance, detail }]);
}

/// Checks, for a catalogue drive named in the environment (`FLOATGATE_STEADY_DRIVE="disksim-ssd geometry.channels=2"`,
/// with settings that shrink it), that both ways of preconditioning give alike results; `FLOATGATE_STEADY_SEEDS` is 8
/// if not set.
#[test]
fn a_shipped_drive_is_statistically_the_same_either_way() {
    let Ok(asked) = std::env::var("FLOATGATE_STEADY_DRIVE") else { return };
    let seeds = std::env::var("FLOATGATE_STEADY_SEEDS").map_or(8, |seeds| seeds.parse().unwrap());
    let mut words = asked.split_whitespace().map(str::to_owned);
    let name = words.next().expect("FLOATGATE_STEADY_DRIVE names a drive");
    let settings: Vec<String> = words.collect();
    let made =
        || Drive::load(&common::catalogue(), &name, &settings).unwrap_or_else(|error| panic!("{error}"));
    assert_alike(compare(&asked, &made, Skew::Uniform, seeds));
}

#[test]
fn a_saved_state_comes_back_whole_and_a_damaged_one_is_refused() {
    let path = std::env::temp_dir().join(format!("floatgate-state-{}.state", std::process::id()));
    let path_text = path.to_str().unwrap().to_owned();
    let run_with = |options: RunOptions| {
        let drive = used("greedy");
        let span = drive.capacity().get();
        let (_, result) = run(drive, uniform(5_000, 8, Op::WRITE, 4096, span, 4), options);
        result["waf"].as_f64().unwrap()
    };
    let saved = run_with(RunOptions {
        precondition: PreconditionKind::Instant,
        save_state: Some(path_text.clone()),
        ..RunOptions::default()
    });
    let load = RunOptions { load_state: Some(path_text), check: true, ..RunOptions::default() };
    let loaded = run_with(load.clone());
    assert!((loaded / saved - 1.0).abs() < 0.05, "waf {loaded} after loading, {saved} before");

    let other = drive(common::SMALL);
    let refused = Session::with_workload(other, uniform(1, 1, Op::READ, 4096, 4096, 1), load.clone());
    assert!(refused.err().unwrap().to_string().contains("another shape"));

    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let refused =
        Session::with_workload(used("greedy"), uniform(1, 1, Op::READ, 4096, 4096, 1), load.clone());
    assert!(refused.err().unwrap().to_string().contains("damaged"));
    std::fs::write(&path, &bytes[..middle]).unwrap();
    let refused = Session::with_workload(used("greedy"), uniform(1, 1, Op::READ, 4096, 4096, 1), load);
    assert!(refused.err().unwrap().to_string().contains("damaged"));
    std::fs::remove_file(&path).unwrap();
}
