//! Random drives with reclaim groups, placement handles of namespaces, and hosts that end reclaim units: further runs of a
//! seed, so that every seed does what it did.

use crate::deal::{Deal, Rule, choose};
use crate::{Outcome, cut_deal, one_run, options_of, seeds, torture};
use engine::RandomStream;

const SEEDS: u64 = 80;
const CUT_SEEDS: u64 = 150;
/// Constant: seed of a drive on which a reclaim unit ends while a die has no free superblock for the next one.
const FULL_DIE: u64 = 6481;

/// Gives a dealt drive placement handles in reclaim groups, and some drives namespaces with lists of handles of their
/// own; returns false where that does not go together with its features.
fn place(deal: &mut Deal) -> bool {
    // A map of blocks has no streams, so that handles say nothing there.
    if ["bast", "block", "fast", "replacement"].map(Some).contains(&deal.get("ftl.mapping.name")) {
        return false;
    }
    let mut random = RandomStream::new(deal.seed, "swarm.placed");
    deal.lines.retain(|line| !line.starts_with("ftl.streams.") && !line.starts_with("host.place."));
    deal.set("ftl.streams.name", "fdp");
    let handles = 1 + random.below(4);
    deal.set("ftl.streams.handles", handles);
    let kinds = || choose(&mut random, &["\"initially\"", "\"persistently\""]);
    let kinds: Vec<&str> = std::iter::repeat_with(kinds).take(handles as usize).collect();
    deal.set("ftl.streams.isolation", format!("[{}]", kinds.join(", ")));
    let count = |key: &str| deal.get(key).map_or(1, |count| count.parse::<u64>().expect("a count"));
    let dies = ["channels", "ways", "dies_per_way"].map(|key| count(&format!("geometry.{key}")));
    let dies: u64 = if deal.base.is_some() { 1 } else { dies.into_iter().product() };
    let parts: Vec<u64> = (1..=dies).filter(|count| dies.is_multiple_of(*count)).collect();
    let groups = choose(&mut random, &parts);
    deal.set("ftl.streams.groups", groups);
    if random.chance(0.5) {
        deal.set("ftl.streams.unit_superblocks", 1 + random.below(9));
    }
    if random.chance(0.2) {
        deal.set("ftl.streams.unit_time_limit", choose(&mut random, &["100ms", "300ms", "1s"]));
    }
    if random.chance(0.4) {
        deal.set("host.place.name", choose(&mut random, &["address", "job", "rate", "size"]));
    }
    if random.chance(0.4) {
        deal.on.insert("updates");
    }
    if random.chance(0.5) {
        part(deal, &mut random, handles, groups);
    }
    deal.goes_together()
}

/// Divides a dealt drive into two to four namespaces, most with lists of placement handles, some with reclaim groups of
/// their own.
fn part(deal: &mut Deal, random: &mut RandomStream, handles: u64, groups: u64) {
    let count = 2 + random.below(3);
    let names: Vec<String> = (0..count).map(|at| format!("\"n{at}\"")).collect();
    deal.set("host.namespaces.names", format!("[{}]", names.join(", ")));
    let rest = random.below(count);
    for at in 0..count {
        if at != rest {
            let share = format!("{:.4}", (0.02 + 0.9 * random.unit()) / count as f64);
            deal.set(&format!("host.namespaces.n{at}.share"), share);
        }
        for (key, most, chance) in [("handles", handles, 0.7), ("groups", groups, 0.4)] {
            if !random.chance(chance) {
                continue;
            }
            let first = random.below(most);
            let length = 1 + random.below(most);
            let list: Vec<String> = (0..length).map(|step| ((first + step) % most).to_string()).collect();
            deal.set(&format!("host.namespaces.n{at}.{key}"), format!("[{}]", list.join(", ")));
        }
    }
}

#[test]
fn random_drives_of_reclaim_groups_keep_every_promise() {
    if let Ok(seed) = std::env::var("FLOATGATE_SWARM_SEED") {
        let mut deal = Deal::by(seed.parse().expect("FLOATGATE_SWARM_SEED: expected a number"), Rule::Now);
        println!("{}: {:#?}", place(&mut deal), deal.settings());
    }
    let (mut ran, mut dealt) = (0, 0);
    for seed in seeds(SEEDS) {
        let mut deal = Deal::by(seed, Rule::Now);
        if deal.has("code") {
            // As for what came later: or a pause would hold more refreshes than anyone can wait for.
            deal.scale_ns = deal.scale_ns.min(3_000_000_000);
        }
        if !place(&mut deal) {
            continue;
        }
        dealt += 1;
        let options = options_of(&mut deal);
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| one_run(&mut deal, 0, &options)));
        let outcome = outcome.unwrap_or_else(|cause| {
            eprintln!(
                "repeat with: FLOATGATE_SWARM_SEEDS={seed}..{} cargo test -p sim --test swarm placed",
                seed + 1
            );
            std::panic::resume_unwind(cause)
        });
        ran += u64::from(outcome != Outcome::Refused);
    }
    println!("{ran} of {dealt} drives with placement handles in groups ran");
    assert!(
        std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || ran > SEEDS / 8,
        "{ran} of {dealt} drives ran"
    );
}

#[test]
fn whatever_was_durable_in_a_reclaim_group_survives_power_cuts() {
    let (mut cuts, mut drives) = (0, 0);
    for mut deal in seeds(CUT_SEEDS).chain([FULL_DIE]).filter_map(cut_deal) {
        if !place(&mut deal) {
            continue;
        }
        let seed = deal.seed;
        let survived = std::panic::catch_unwind(|| torture(deal)).unwrap_or_else(|cause| {
            eprintln!(
                "repeat with: FLOATGATE_SWARM_SEEDS={seed}..{} cargo test -p sim --test swarm placed",
                seed + 1
            );
            std::panic::resume_unwind(cause)
        });
        drives += u64::from(survived.is_some());
        cuts += survived.unwrap_or(0);
    }
    println!("{drives} drives with placement handles in groups survived {cuts} power cuts");
    assert!(std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || cuts > 40, "{cuts} cuts");
}
