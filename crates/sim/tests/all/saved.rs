//! Does a drive that was saved and loaded go on as if it had not been? What is promised is in docs/explanation/states.md.

use crate::common::{policies_of_plain_runs, run};
use crate::compatibility::{FILLED_ZONES, is_choice, is_zoned, lines_of, load_of, usual_state, with_needs};
use crate::golden;
use engine::RandomStream;
use ftl::compatibility::{Feature, between};
use host::Workload;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};

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
