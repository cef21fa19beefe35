//! Expiry of snapshots: one of the snapshots that may go, and the same again for the same history.

use engine::RandomStream;
use ftl::snapshot_expiry::{Droppable, ExpiryReason, ExpiryView, Maker};
use units::SimTime;

/// Simulates a random history of `events` snapshots and returns the serial numbers of the snapshots that the policy
/// deletes, in order.
fn history(context: &str, maker: &Maker, events: u64, seed: u64) -> Vec<u32> {
    let mut policy = maker();
    let mut random = RandomStream::new(seed, "battery.snapshot_expiry");
    let mut kept: Vec<Droppable> = Vec::new();
    let (mut now, mut dropped, mut keep) = (0, Vec::new(), 1);
    for serial in 0..events as u32 {
        if random.chance(0.01) {
            keep = 1 + random.below(12) as u32;
        }
        // Snapshots of a saved state are all of the beginning.
        now += if serial < 3 { 0 } else { random.below(1 << 40) };
        kept.push(Droppable { serial, taken: SimTime::from_ns(now), differences: 0 });
        loop {
            let reason = match kept.len() as u32 > keep {
                true => ExpiryReason::Count,
                false => ExpiryReason::Room,
            };
            if reason == ExpiryReason::Room && !random.chance(0.2) {
                break;
            }
            let choices = kept.len() - usize::from(reason == ExpiryReason::Count);
            let now = SimTime::from_ns(now + random.below(2));
            let chosen = policy.expire(&ExpiryView {
                snapshots: &kept[..choices],
                reason,
                now,
                keep,
                units: 90,
                room: 100,
            });
            assert!(chosen < choices, "{context}: chose {chosen} of {choices} snapshots");
            dropped.push(kept.remove(chosen).serial);
            if kept.is_empty() {
                break;
            }
            kept[0].differences += random.below(50);
        }
    }
    dropped
}

/// Tests a policy that chooses which snapshot to delete, in a random history of `events` snapshots.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (first, again) = (history(context, maker, events, 8), history(context, maker, events, 8));
    assert!(first == again, "{context}: the same history dropped other snapshots");
}
