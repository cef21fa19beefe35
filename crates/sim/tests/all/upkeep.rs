//! Does a drive that looks after its data keep them, and what does it pay for that?

use crate::common;
use crate::common::bench::Bench;
use crate::common::{PAPER, drive, run};
use controller::{Kind, Origin, Transaction};
use serde_json::Value;
use sim::{PreconditionKind, RunOptions};
use std::collections::BTreeMap;

/// Runs a workload of 20 reads on a drive without read retries, with 300 days of pause after each, on 4 MiB written
/// before; returns the result.
pub fn years(more: &[&str]) -> Value {
    let drive = drive(&[PAPER, &["ecc.code.retries=0"], more].concat());
    let text = "[global]\nfilename=data\nbs=4k\nsize=4m\n[fill]\nrw=write\nio_size=4m\n[later]\nstonewall\n\
                rw=randread\nthinktime=25920000000000\nnumber_ios=20\n";
    let spec = sim::WorkloadSpec::FioText {
        name: "years.fio".into(),
        text: text.into(),
        variables: Default::default(),
    };
    let workload = spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"));
    run(drive, workload, RunOptions { check: true, ..RunOptions::default() }).1
}

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

fn refusal(more: &[&str]) -> String {
    let settings: Vec<String> = PAPER.iter().chain(more).map(|line| (*line).to_owned()).collect();
    sim::Drive::from_resolved("test", &settings)
        .and_then(|drive| drive.build(1).map(|_| ()))
        .expect_err("refused")
        .to_string()
}

#[test]
fn what_nobody_looks_after_is_lost() {
    let result = years(&[]);
    assert!(number(&result, "host.read.uncorrectable") >= 5, "{}", result["host"]);
    assert_eq!(number(&result, "flash.units_programmed.refresh"), 0);
    assert!(result["ftl"]["scrub"].is_null());
}

#[test]
fn refresh_by_age_keeps_data_and_costs_wear() {
    let result = years(&["ftl.refresh.age=300d"]);
    assert_eq!(number(&result, "host.read.uncorrectable"), 0);
    // A thousand units each 300 days, for 19 times 300 days; those of superblocks just written are not due yet.
    let moved = number(&result, "flash.units_programmed.refresh");
    assert!((17 * 1024..=19 * 1024).contains(&moved), "{moved}");
    assert_eq!(number(&result, "flash.programs.refresh") > 0, number(&result, "flash.erases.refresh") > 0);
    assert!(result["wear"]["pe_cycles_mean"].as_f64().unwrap() > 1001.0);
    // A superblock holds 32 units; the last of each die may be half full.
    let refreshed = number(&result, "ftl.refresh.superblocks_refreshed");
    assert!((moved / 32..=moved / 16).contains(&refreshed), "{refreshed}");
    assert_eq!(number(&result, "ftl.upkeep.superblocks_begun"), refreshed);
    assert_eq!(number(&result, "ftl.upkeep.superblocks_late"), 0);
}

#[test]
fn a_patrol_writes_anew_what_is_near_its_limit_and_nothing_else() {
    let result = years(&["ftl.scrub.period=60d"]);
    assert_eq!(number(&result, "host.read.uncorrectable"), 0);
    let scrub = &result["ftl"]["scrub"];
    assert_eq!(number(scrub, "rounds_late"), 0, "{scrub}");
    assert_eq!(number(scrub, "period_ns"), 60 * 86_400_000_000_000);
    // Four dies; 19 times five rounds, and the superblocks that hold 4 MiB.
    assert!((4 * 94..=4 * 95).contains(&number(scrub, "rounds")), "{scrub}");
    assert!((94 * 32..=95 * 40).contains(&number(scrub, "superblocks_read")), "{scrub}");
    assert!(number(&result, "flash.reads.scrub") >= 94 * 1024, "{}", result["flash"]);
    let moved = number(&result, "flash.units_programmed.scrub");
    assert!((1024..=6 * 1024).contains(&moved), "{moved}: {scrub}");
    assert!(number(scrub, "superblocks_rewritten") >= 32, "{scrub}");
    assert!(number(&result, "flash.erases.scrub") >= 32);
    // The nearer to the limit data may come, the later they are written anew.
    let bold = years(&["ftl.scrub.period=60d", "ftl.scrub.margin=0.9"]);
    assert!(number(&bold, "flash.units_programmed.scrub") < moved);
}

#[test]
fn a_patrol_without_enough_idle_time_says_so() {
    let settings = ["ftl.scrub.period=300ms", "ftl.scrub.idle_after=40us"];
    // 1639 rows of each die take 131 ms to read, and the host leaves one die alone for less than it takes to be idle.
    let (drive, busy) = (drive(&[PAPER, &settings].concat()), |_| (host::Op::READ, 0, 4096));
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let result = run(drive, common::closed_loop(5000, 1, busy), options).1;
    let scrub = &result["ftl"]["scrub"];
    assert!(number(scrub, "rounds_late") >= 4, "{scrub}");
    assert_eq!(number(&result, "flash.units_programmed.scrub"), 0);
}

#[test]
fn data_that_were_old_before_the_run_are_refreshed() {
    let settings = ["ftl.reading.data_age=360d", "ftl.refresh.age=361d"];
    let workload = |drive: &sim::Drive| {
        let text = "[later]\nrw=randread\nbs=4k\nsize=4m\nthinktime=90000000000\nnumber_ios=3\n";
        let spec = sim::WorkloadSpec::FioText {
            name: "later.fio".into(),
            text: text.into(),
            variables: Default::default(),
        };
        spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"))
    };
    let drive = drive(&[PAPER, &settings].concat());
    let units = drive.capacity().get() / 4096;
    let source = workload(&drive);
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let result = run(drive, source, options).1;
    assert_eq!(number(&result, "flash.units_programmed.refresh"), units);
}

#[test]
fn what_cannot_hold_is_refused_with_the_constraint() {
    let late = refusal(&["ftl.refresh.age=400d"]);
    assert!(
        late.contains("ftl.refresh.age") && late.contains("ftl.write_cost.retention, 365 days"),
        "{late}"
    );
    let short = refusal(&["ftl.write_cost.retention=100d", "ftl.refresh.age=100d"]);
    assert!(short.contains("data would be lost before they are written anew"), "{short}");
    let beyond = refusal(&["ftl.write_cost.retention=3000d", "ftl.refresh.age=2900d"]);
    assert!(beyond.contains("after 3000 days") && beyond.contains("ecc.code corrects"), "{beyond}");
    for margin in ["0.0", "1.5"] {
        let margin = refusal(&[&format!("ftl.scrub.margin={margin}")]);
        assert!(margin.contains("ftl.scrub.margin") && margin.contains("at most 1"), "{margin}");
    }
    assert!(refusal(&["ftl.scrub.period=365d"]).contains("data would be lost before they are looked at"));
    assert!(refusal(&["ftl.scrub.period=30"]).contains("ftl.scrub.period"));
    let plain: Vec<&str> = PAPER.iter().copied().filter(|line| !line.starts_with("ecc.code")).collect();
    for key in ["ftl.scrub.period", "ftl.refresh.age"] {
        let setting = format!("{key}=30d");
        let settings = [&plain[..], &[setting.as_str()]].concat();
        let lines: Vec<String> = settings.iter().map(|line| (*line).to_owned()).collect();
        let error = sim::Drive::from_resolved("test", &lines).err().expect("refused").to_string();
        assert!(error.contains(key) && error.contains("needs ecc.code"), "{error}");
    }
}

/// Checks that a round of the patrol counts as late as soon as its period is over, even while the round still goes on.
#[test]
fn a_round_that_has_not_ended_is_late_when_its_time_is_over() {
    let scrub = |reads: u64| {
        let settings = ["ftl.scrub.period=300ms", "ftl.scrub.idle_after=40us"];
        let (drive, busy) = (drive(&[PAPER, &settings].concat()), |_| (host::Op::READ, 0, 4096));
        let options =
            RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
        let result = run(drive, common::closed_loop(reads, 1, busy), options).1;
        let scrub = &result["ftl"]["scrub"];
        (number(scrub, "rounds"), number(scrub, "rounds_late"))
    };
    // A read takes 250 us, and its die is never idle for long; the other three end their rounds.
    assert_eq!(scrub(1_000), (0, 0));
    let (rounds, late) = scrub(2_000);
    assert!(rounds == 3 && late > rounds, "{rounds} rounds, {late} late");
}

/// Checks that the patrol reads superblocks spread evenly over its period: one after the other falls due, and is read
/// when its die is next idle.
#[test]
fn a_round_is_spread_evenly_over_its_period() {
    const DUE_NS: u64 = 10_000_000;
    let settings = ["ftl.scrub.period=640ms", "ftl.scrub.idle_after=100us"];
    let mut bench = Bench::filled(&[PAPER, &settings].concat());
    // Whenever one of a die's 64 superblocks falls due, all dies are at work.
    for count in 1..=64 {
        bench.pass_until(DUE_NS * count - 50_000);
        (0..8).for_each(|lpn| assert!(bench.write(lpn)));
    }
    let reads: Vec<&Transaction> = bench.ctx.probe.of(Kind::Read, Origin::Scrub).collect();
    let mut first_read = BTreeMap::new();
    for read in &reads {
        first_read.entry((read.die, read.superblock)).or_insert(read.queued.ns());
    }
    // Each die's data fill 52 of them.
    assert!((4 * 51..=4 * 53).contains(&first_read.len()), "{}", first_read.len());
    for ((_, superblock), at) in first_read {
        let due = DUE_NS * u64::from(superblock);
        assert!((due..due + DUE_NS / 2).contains(&at), "superblock {superblock} at {at} ns");
    }
    // The reads take 30 us to sense and 40 us to send each.
    let (upkeep, ..) = bench.ftl.upkeep().expect("a patrol");
    assert_eq!(upkeep.die_ns, 70_000 * reads.len() as u64);
}

/// Checks that units in an open superblock are refreshed each time that they are due, as in a full one.
#[test]
fn what_lies_in_an_open_superblock_is_written_anew() {
    const DAY_NS: u64 = 86_400_000_000_000;
    let mut bench = Bench::new(&[PAPER, &["ftl.refresh.age=300d"]].concat());
    (0..8).for_each(|lpn| assert!(bench.write(lpn)));
    for round in 1..4 {
        bench.pass_until(DAY_NS * 310 * round);
        let stats = bench.ftl.stats();
        assert_eq!(stats.units_programmed[Origin::Refresh as usize], 8 * round);
        // They lie on four dies, and the rest of a superblock of each is room that is gained.
        assert_eq!((stats.relocated_units, stats.relocated_room), (8 * round, (4 * 32 - 8) * round));
    }
}

/// Checks that a round of the patrol that takes exactly its period is in time, and that it is late one nanosecond
/// after.
#[test]
fn a_round_may_take_its_whole_period() {
    const PERIOD_NS: u64 = 640_000_000;
    // No die is ever idle for long enough.
    let mut bench = Bench::new(&[PAPER, &["ftl.scrub.period=640ms", "ftl.scrub.idle_after=1h"]].concat());
    let late = |bench: &Bench| bench.ftl.patrol(bench.now()).map(|(_, late)| late);
    bench.pass_until(PERIOD_NS);
    assert_eq!((bench.now().ns(), late(&bench)), (PERIOD_NS, Some(0)));
    bench.pass_until(PERIOD_NS + 1);
    assert_eq!(late(&bench), Some(4));
}
