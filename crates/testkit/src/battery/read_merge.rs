//! Merging: a read rides only where the policy merges at all, and no sooner on a read that is further on or fuller.

use ftl::read_merge::{Maker, MergeView};

/// Tests a policy that decides whether a flash read shares the array read (sense) of another read of the same page,
/// which already serves up to `riders` further reads.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, riders: u32) {
    let (policy, twin) = (maker(), maker());
    assert_eq!(policy.merges(), twin.merges(), "{context}: two of a kind disagree");
    let joins = |begun, riders| {
        let view = MergeView { begun, riders };
        let answer = policy.joins(&view);
        assert_eq!(answer, twin.joins(&view), "{context}: two of a kind disagree on {view:?}");
        answer
    };
    assert_eq!(
        policy.merges(),
        joins(false, 0),
        "{context}: two reads that both wait either share or never do"
    );
    for riders in 0..riders {
        assert!(policy.merges() || !joins(false, riders), "{context}: merges and says it does not");
        assert!(
            joins(false, riders) || !joins(true, riders),
            "{context}: joins a read that has begun, but not one that waits, with {riders} riders"
        );
        for begun in [false, true] {
            assert!(
                joins(begun, riders) || !joins(begun, riders + 1),
                "{context}: joins {} riders and not {riders}",
                riders + 1
            );
        }
    }
}
