//! Does a drive that was saved and loaded go on as if it had not been? What is promised is in docs/explanation/states.md.

use crate::collection::{Said, Witness};
use crate::common::bench::{Bench, with_policies};
use crate::common::{TLC, drive, policies_of_plain_runs, run};
use crate::compatibility::{FILLED_ZONES, is_choice, is_zoned, lines_of, load_of, usual_state, with_needs};
use crate::folding::ONE_DIE;
use crate::golden;
use controller::{Kind, Origin};
use engine::RandomStream;
use ftl::SuperblockState;
use ftl::compatibility::{Feature, between};
use host::Workload;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Constant: number of pairs of features that the test of saved drives draws.
const PAIRS: u64 = 120;

/// Constant: places in a result that tell how the drive came into its state, or of the machine, and may differ after
/// loading.
const OF_THE_WAY: [&str; 4] = [".engine", ".invocation", ".precondition", ".state.began"];

/// Adds to `found` a text for each place, below `place`, at which two results differ, except places that may differ
/// after loading.
fn differences(place: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                let place = format!("{place}.{key}");
                if !OF_THE_WAY.contains(&place.as_str()) {
                    differences(&place, value, &other[key], found);
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{place}[{at}]"), one, other, found);
            }
        }
        _ if one != other => found.push(format!("{place}: {one} and, loaded, {other}")),
        _ => {}
    }
}

/// Returns the differences between a run after its state was loaded and the same run after the state was made; `None`
/// without a difference.
fn changed(
    drive: impl Fn() -> Drive,
    load: impl Fn(&Drive) -> Box<dyn Workload>,
    made: RunOptions,
) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder for the state");
    let path = folder.path().join("state").display().to_string();
    let played = |options: RunOptions| {
        let drive = drive();
        let workload = load(&drive);
        run(drive, workload, options).1
    };
    let alone = played(made.clone());
    let made = RunOptions { save_state: Some(path.clone()), ..made };
    let unbroken = played(made.clone());
    let loaded = RunOptions {
        save_state: None,
        load_state: Some(path),
        precondition: PreconditionKind::None,
        fill: 1.0,
        ..made
    };
    let loaded = played(loaded);
    let mut found = Vec::new();
    differences("", &alone, &unbroken, &mut found);
    differences("", &unbroken, &loaded, &mut found);
    let first = found.first().cloned();
    first.map(|first| format!("{} differences, the first: {first}", found.len()))
}

#[test]
fn with_every_policy_a_loaded_drive_goes_on_as_if_it_had_not_been_saved() {
    let mut faults = Vec::new();
    for entry in policies_of_plain_runs() {
        // A full drive keeps no room for a cache.
        let fill = if entry.seam == "ftl.slc_cache" { 0.1 } else { 1.0 };
        for precondition in [PreconditionKind::Steady, PreconditionKind::Instant] {
            let is_built = fill == 1.0 && !["ftl.mapping", "ftl.streams", "host.place"].contains(&entry.seam);
            if precondition == PreconditionKind::Instant && !is_built {
                continue;
            }
            let options = RunOptions { precondition, fill, ..RunOptions::default() };
            let changed = catch_unwind(AssertUnwindSafe(|| {
                changed(
                    || golden::drive_of(&entry),
                    |drive| golden::workload(entry.seam, drive.capacity().get()),
                    options,
                )
            }));
            let said = changed.unwrap_or_else(|_| Some("the run stopped, see above".to_owned()));
            faults.extend(
                said.map(|said| format!("{} {} {precondition:?}: {said}", entry.seam, entry.card.name)),
            );
        }
    }
    assert!(faults.is_empty(), "{} of them:\n{}", faults.len(), faults.join("\n"));
}

/// Checks that a drive with any pair of features goes on after loading as if it had not been saved. For other pairs set
/// the seed in the environment: `FLOATGATE_SAVED_SEED=7`.
#[test]
fn with_any_pair_of_features_a_loaded_drive_goes_on_as_if_it_had_not_been_saved() {
    let seed = std::env::var("FLOATGATE_SAVED_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    let mut random = RandomStream::new(seed, "saved");
    let mut draw = || Feature::ALL[random.below(Feature::ALL.len() as u64) as usize];
    let (mut tried, mut faults) = (0, Vec::new());
    while tried < PAIRS {
        let (a, b) = (draw(), draw());
        let all = [with_needs(a), with_needs(b), vec![Feature::SavedState]].concat();
        let apart = |a: &Feature, b: &Feature| a != b && (is_choice(*a, *b) || between(*a, *b).is_some());
        if a == b || all.iter().any(|one| all.iter().any(|other| apart(one, other))) {
            continue;
        }
        tried += 1;
        for lines in lines_of(&[with_needs(a), with_needs(b)].concat()) {
            let instant = all.contains(&Feature::Instant);
            let precondition = if instant { PreconditionKind::Instant } else { usual_state(&lines) };
            let fill = if is_zoned(&lines) { FILLED_ZONES } else { 1.0 };
            let options = RunOptions { check: true, seed: 3, precondition, fill, ..RunOptions::default() };
            let drive = || Drive::from_resolved("pair", &lines).unwrap_or_else(|error| panic!("{error}"));
            let changed = catch_unwind(AssertUnwindSafe(|| changed(drive, load_of, options)));
            let said = changed.unwrap_or_else(|_| Some("the run stopped, see above".to_owned()));
            faults.extend(said.map(|said| format!("{a:?} and {b:?}: {said}; {}", lines.join(" "))));
        }
    }
    assert!(faults.is_empty(), "{} of them:\n{}", faults.len(), faults.join("\n"));
}

/// Returns what a drive does on the flash for writes of these units one after the other, from a state at rest until it
/// rests again: kind and origin of each operation, with its superblock and page row.
fn work_for(bench: &mut Bench, units: &[u32]) -> Vec<(Kind, Origin, u32, u32)> {
    let before = bench.ctx.probe.submitted.len();
    units.iter().for_each(|&lpn| assert!(bench.write(lpn), "{}", bench.ftl.explain_stall()));
    bench.settle();
    let work = &bench.ctx.probe.submitted[before..];
    work.iter().map(|it| (it.kind, it.origin, it.superblock, it.row)).collect()
}

/// Checks that a victim for which there was no room, on a die where room came from the SLC cache before the drive was
/// at rest, is the next one also on a drive that was loaded with the state.
#[test]
fn a_victim_that_waits_for_room_is_saved() {
    let cache = ["ftl.slc_cache.name=dynamic", "ftl.slc_cache.when_full=bypass", "ftl.gc.trigger.low=1"];
    let usual = TLC.iter().filter(|line| !line.starts_with("ftl.op_ratio"));
    let settings: Vec<&str> = usual.chain(ONE_DIE).chain(&cache).copied().collect();
    let mut waited = 0;
    for seed in 0..60 {
        let said = Arc::new(Mutex::new(Vec::new()));
        let drive = || {
            let witness = Arc::clone(&said);
            with_policies(&settings, |config| {
                config.gc.victim = Box::new(move || Box::new(Witness(Arc::clone(&witness))));
            })
        };
        let last = || said.lock().expect("one thread").iter().rev().find(|it| **it != Said::Changed).copied();
        let mut bench = Bench::of(drive());
        let logical = bench.ftl.layout().logical_units;
        let mut random = RandomStream::new(seed, "overwrites");
        let mut drawn = |most: u64| -> Vec<u32> {
            (0..random.below(most)).map(|_| random.below(u64::from(logical)) as u32).collect()
        };
        work_for(&mut bench, &(0..logical).collect::<Vec<_>>());
        for round in 0..12 {
            let units = drawn(300);
            work_for(&mut bench, &units);
            let Some(Said::Picked(victim)) = last() else { continue };
            waited += 1;
            let mut loaded = drive();
            loaded.load(&bench.ftl.save().expect("it rests")).unwrap_or_else(|error| panic!("{error}"));
            let units = drawn(600);
            let work = [&mut bench, &mut Bench::of(loaded)].map(|bench| work_for(bench, &units));
            assert!(work[0] == work[1], "seed {seed}, round {round}: {victim} was to be the next");
        }
    }
    assert!(waited >= 5, "{waited} times a victim waited");
}

/// Checks that a superblock of the SLC cache in which a program failed, and whose folding waits while the drive
/// is at rest, is out of use once it is folded, also on a drive that was loaded with the state.
#[test]
fn a_superblock_of_the_cache_that_failed_is_saved_as_such() {
    let cache =
        ["ftl.slc_cache.name=static", "ftl.slc_cache.size=256KiB", "ftl.slc_cache.when_full=fold-first"];
    let fails = [
        "ftl.slc_cache.in_idle_time=false",
        "nand.bad_blocks.program_fail_ratio=0.01",
        "ftl.user_capacity=3408KiB",
    ];
    let key = |line: &str| line.split('=').next().map(str::to_owned);
    let usual = TLC
        .iter()
        .chain(ONE_DIE)
        .filter(|line| key(line) != key("ftl.op_ratio") && fails.iter().all(|other| key(other) != key(line)));
    let settings: Vec<&str> = usual.chain(&cache).chain(&fails).copied().collect();
    let mut lost = 0;
    for seed in 0..40 {
        let mut bench = Bench::seeded(&settings, seed);
        let logical = bench.ftl.layout().logical_units;
        let mut random = RandomStream::new(seed, "overwrites");
        let is_folded = |bench: &Bench, at: &usize| {
            bench.ftl.holds_one_bit(*at) && bench.ftl.superblock_states()[*at] == SuperblockState::Victim
        };
        let mut drawn = |count: u32| -> Vec<u32> {
            (0..count).map(|_| random.below(u64::from(logical)) as u32).collect()
        };
        for _ in 0..4 {
            work_for(&mut bench, &drawn(60));
            bench.settle();
            let folded = (0..bench.ftl.superblock_states().len()).find(|at| is_folded(&bench, at));
            let (Some(folded), Ok(saved)) = (folded, bench.ftl.save()) else { continue };
            let mut loaded = drive(&settings).build(seed).unwrap_or_else(|error| panic!("{error}"));
            loaded.load(&saved).unwrap_or_else(|error| panic!("{error}"));
            let then = drawn(600);
            let states = [bench, Bench::of(loaded)].map(|mut bench| {
                work_for(&mut bench, &then);
                bench.ftl.superblock_states()[folded]
            });
            let are_lost = states.map(|state| state == SuperblockState::Lost);
            assert_eq!(are_lost[0], are_lost[1], "seed {seed}, superblock {folded}: {states:?}");
            lost += u32::from(are_lost[0]);
            break;
        }
    }
    assert!(lost >= 3, "{lost} superblocks were lost");
}
