//! The orders of refreshes and the expiry of snapshots against their rules, worked out by hand.

use config::{Document, Section};
use engine::RandomStream;
use ftl::Blocks;
use ftl::refresh_order::{self, RefreshView};
use ftl::snapshot_expiry::{self, Droppable, ExpiryReason, ExpiryView};
use units::{SimTime, SuperblockId};

macro_rules! policy {
    ($seam:ident, $name:literal) => {{
        let mut document = Document::empty();
        document.set(concat!("name=", $name)).expect("a setting");
        $seam::read(&mut Section::root(&document)).expect("a policy")()
    }};
}

/// Checks which of superblocks 7, 2, 5 and 3, due for refresh in this order, each refresh order policy chooses next.
#[test]
fn orders_differ_in_what_is_next() {
    let candidates = [7, 2, 5, 3].map(SuperblockId);
    let (mut valid, mut cycles) = ([9; 8], [4; 8]);
    (valid[2], valid[5], cycles[5], cycles[3]) = (3, 3, 6, 6);
    let mut view = RefreshView {
        candidates: &candidates,
        due_since_ns: &[1, 2, 3, 4],
        blocks: Blocks { valid_units: &valid, pe_cycles: &cycles, closed_at: &[0; 8], streams: &[0; 8] },
        clock: 100,
        now_ns: 10,
        random: &mut RandomStream::new(1, "order"),
    };
    let mut first = policy!(refresh_order, "first-due");
    assert!(first.is_first_due());
    assert_eq!(first.next(&mut view), SuperblockId(7));
    assert_eq!(policy!(refresh_order, "most-worn").next(&mut view), SuperblockId(5));
    assert_eq!(policy!(refresh_order, "least-valid").next(&mut view), SuperblockId(2));
}

fn taken(moments: &[u64]) -> Vec<Droppable> {
    let one = |(serial, ns): (u32, &u64)| Droppable { serial, taken: SimTime::from_ns(*ns), differences: 1 };
    (0..).zip(moments).map(one).collect()
}

fn expired(policy: &mut dyn snapshot_expiry::ExpiryPolicy, moments: &[u64], reason: ExpiryReason) -> usize {
    let snapshots = taken(moments);
    let now = SimTime::from_ns(1_000);
    policy.expire(&ExpiryView { snapshots: &snapshots, reason, now, keep: 4, units: 10, room: 20 })
}

/// Checks that the snapshot expiry policy `thinned`, with a snapshot each 100 ns of which eight are kept, leaves
/// snapshots that are sparser the older they are and that reach back to the first.
#[test]
fn thinned_snapshots_reach_far_back_and_are_dense_near_now() {
    let mut thinned = policy!(snapshot_expiry, "thinned");
    // Gaps by age: (300 - 100) / 800, (900 - 200) / 700, (1000 - 300) / 100.
    assert_eq!(expired(thinned.as_mut(), &[100, 200, 300, 900], ExpiryReason::Count), 1);
    // The oldest gives back the most.
    assert_eq!(expired(thinned.as_mut(), &[100, 200, 300, 900], ExpiryReason::Room), 0);
    assert_eq!(expired(thinned.as_mut(), &[100], ExpiryReason::Count), 0);
    let mut kept: Vec<Droppable> = Vec::new();
    for at in 1..=1_000u64 {
        let now = SimTime::from_ns(100 * at);
        if kept.len() == 8 {
            let view = ExpiryView {
                snapshots: &kept[..],
                reason: ExpiryReason::Count,
                now,
                keep: 8,
                units: 0,
                room: 1,
            };
            kept.remove(thinned.expire(&view));
        }
        kept.push(Droppable { serial: at as u32, taken: now, differences: 1 });
    }
    let ages: Vec<u64> = kept.iter().map(|one| 1_000 - one.taken.ns() / 100).collect();
    assert_eq!(ages[0], 999, "the first is kept: {ages:?}");
    assert_eq!(ages[7], 0, "{ages:?}");
    assert!(ages[1] > 100 && ages[5] < 100, "some are old, some recent: {ages:?}");
}

#[test]
fn the_oldest_goes_unless_told_otherwise() {
    let mut oldest = policy!(snapshot_expiry, "oldest");
    for reason in [ExpiryReason::Count, ExpiryReason::Room] {
        assert_eq!(expired(oldest.as_mut(), &[100, 200, 300], reason), 0);
    }
}
