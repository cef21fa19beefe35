//! Random drives with several namespaces: a further run of a seed, so that every seed does what it did.

use crate::deal::{Deal, Rule};
use crate::{Outcome, cut_deal, one_run, options_of, seeds, torture};
use engine::RandomStream;

const SEEDS: u64 = 60;
const CUT_SEEDS: u64 = 60;

/// Divides a dealt drive into two to four namespaces: shares of the drive, and one namespace that takes the rest.
fn part(deal: &mut Deal) {
    let mut random = RandomStream::new(deal.seed, "swarm.namespaces");
    let count = 2 + random.below(3);
    let names: Vec<String> = (0..count).map(|at| format!("\"n{at}\"")).collect();
    deal.set("host.namespaces.names", format!("[{}]", names.join(", ")));
    let rest = random.below(count);
    for at in (0..count).filter(|at| *at != rest) {
        let share = format!("{:.4}", (0.02 + 0.9 * random.unit()) / count as f64);
        deal.set(&format!("host.namespaces.n{at}.share"), share);
    }
}

#[test]
fn random_drives_of_several_namespaces_keep_every_promise() {
    let mut ran = 0;
    for seed in seeds(SEEDS) {
        let mut deal = Deal::by(seed, Rule::Now);
        if deal.has("code") {
            // As for what came later: or a pause would hold more refreshes than anyone can wait for.
            deal.scale_ns = deal.scale_ns.min(3_000_000_000);
        }
        part(&mut deal);
        let options = options_of(&mut deal);
        ran += u64::from(one_run(&mut deal, 0, &options) != Outcome::Refused);
    }
    assert!(std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || ran > SEEDS / 2, "{ran} drives ran");
}

#[test]
fn whatever_was_durable_in_a_namespace_survives_power_cuts() {
    let mut cuts = 0;
    for mut deal in seeds(CUT_SEEDS).filter_map(cut_deal) {
        part(&mut deal);
        cuts += torture(deal).unwrap_or(0);
    }
    assert!(std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || cuts > 20, "{cuts} cuts");
}
