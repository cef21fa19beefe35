//! Triggers: foreground collection happens where the host would run out of space, and only where there is
//! something to gain, within the limit the FTL keeps free for it.

use engine::RandomStream;
use ftl::gc::trigger::{Maker, TriggerView};

/// Tests a garbage collection trigger in `events` random states of a die, and in the states in which only one answer is
/// right.
///
/// # Panics
/// When the trigger breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (trigger, twin) = (maker(), maker());
    let limit = trigger.foreground_limit();
    let mut random = RandomStream::new(11, "battery.trigger");
    for _ in 0..events {
        let superblocks = 2 + random.below(5000) as u32;
        let superblock_units = 1 + random.below(100_000) as u32;
        let most = u64::from(superblocks) * u64::from(superblock_units);
        let view = TriggerView {
            free: random.below(u64::from(superblocks.min(2 * limit.min(5000) + 8)) + 1) as u32,
            superblocks,
            garbage_units: if random.chance(0.3) { random.below(3) } else { random.below(most) },
            superblock_units,
        };
        let (foreground, background) = (trigger.foreground(&view), trigger.background(&view));
        assert_eq!(
            (foreground, background),
            (twin.foreground(&view), twin.background(&view)),
            "{context}: two of a kind disagree on {view:?}"
        );
        if foreground {
            assert!(view.free <= limit, "{context}: foreground above its limit {limit}: {view:?}");
        }
        if view.garbage_units == 0 {
            assert!(!foreground && !background, "{context}: collects where there is no garbage: {view:?}");
        }
        let gain = if random.chance(0.2) { 0 } else { random.below(u64::from(superblock_units) + 1) as u32 };
        let worthwhile = trigger.worthwhile(gain, superblock_units);
        assert!(gain > 0 || !worthwhile, "{context}: moves {superblock_units} units for no gain");
        let more = (gain + 1).min(superblock_units);
        assert!(
            !worthwhile || trigger.worthwhile(more, superblock_units),
            "{context}: takes a gain of {gain} of {superblock_units} units, but not of {more}"
        );
        let worse = TriggerView { free: view.free.saturating_sub(1), ..view };
        assert!(!foreground || trigger.foreground(&worse), "{context}: stops as space runs out: {view:?}");
    }
    out_of_space(context, maker);
}

/// Checks the answers of a garbage collection trigger on a die whose superblocks are all either free or full of garbage
/// (invalid units): foreground collection must start if none is free, or as many as the trigger's own limit; if all are
/// free, no collection may start.
fn out_of_space(context: &str, maker: &Maker) {
    let trigger = maker();
    let limit = trigger.foreground_limit();
    let superblocks = limit.max(100).saturating_mul(4);
    let view = |free| TriggerView {
        free,
        superblocks,
        garbage_units: u64::from(superblocks - free) * 64,
        superblock_units: 64,
    };
    assert!(trigger.foreground(&view(0)), "{context}: does not collect with nothing free");
    assert!(trigger.foreground(&view(limit)), "{context}: keeps {limit} free superblocks it never needs");
    assert!(!trigger.foreground(&view(superblocks)), "{context}: collects an empty die");
    assert!(!trigger.background(&view(superblocks)), "{context}: collects an empty die");
}
