//! Orders of programs: the same answer again, none that swings back at once, and nothing traded where both are equal.

use engine::RandomStream;
use ftl::program_order::{Maker, OrderView};
use units::Nanos;

/// Tests a policy that decides whether a die's two write streams swap their open superblocks before a program (as when
/// one has a fast page next), with `events` random pairs of superblocks.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (mut policy, mut twin) = (maker(), maker());
    let never = policy.never();
    let mut random = RandomStream::new(29, "battery.program_order");
    for _ in 0..events {
        let mut time = || Nanos::new(1 + random.below(8) * 100_000);
        let (own, other) = (time(), time());
        let view = OrderView { moved: random.chance(0.5), own, other };
        let trades = policy.trades(&view);
        assert_eq!(trades, twin.trades(&view), "{context}: two of a kind disagree on {view:?}");
        assert!(!(trades && never), "{context}: trades although it never does: {view:?}");
        assert!(!trades || own != other, "{context}: trades equal superblocks: {view:?}");
        if trades {
            let back = OrderView { own: other, other: own, ..view };
            let again = policy.trades(&back);
            assert_eq!(again, twin.trades(&back), "{context}: two of a kind disagree on {back:?}");
            assert!(!again, "{context}: trades {view:?} and at once back");
        }
    }
}
