//! Links: the same answer whenever asked, more data never sooner, one long burst never dearer than its parts,
//! and a shape that commands can get through.

use engine::RandomStream;
use host::Effect;
use host::link::{Direction, HostLink, Maker, QueueOrder};
use units::{Bytes, Nanos};

/// Constant: greatest number of bytes of a burst in the randomised test of host links (such as PCIe or SATA).
const BYTES_MAX: u64 = 64 << 20;

/// Tests a host link: its queues, its commands and answers, and the transfer times of `events` pairs of data bursts of
/// random sizes.
///
/// # Panics
/// When the link breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (link, again) = (maker(), maker());
    check_shape(context, &*link);
    assert_eq!(link.shape(), again.shape(), "{context}: another shape from the same settings");
    for effect in Effect::ALL {
        assert_eq!(link.command(effect), again.command(effect), "{context}: another command");
        assert_eq!(link.answer(effect), again.answer(effect), "{context}: another answer");
        assert!(
            link.command(effect).takes <= link.command(Effect::Read).takes,
            "{context}: a read's command has all parts"
        );
    }
    let mut random = RandomStream::new(3, "battery.link");
    for _ in 0..events {
        let direction = if random.chance(0.5) { Direction::ToDrive } else { Direction::ToHost };
        // Short and long bursts alike.
        let sectors = BYTES_MAX / 512;
        let mut draw = || {
            let most = 1 + random.below(sectors);
            (1 + random.below(most)) * 512
        };
        let (one, two) = (draw(), draw());
        let of = |bytes: u64| link.data(direction, Bytes::new(bytes));
        assert_eq!(of(one), again.data(direction, Bytes::new(one)), "{context}: another burst");
        let (first, second, both) = (of(one), of(two), of(one + two));
        assert!(both.holds >= first.holds.max(second.holds), "{context}: {one} + {two} bytes end too soon");
        assert!(both.against >= first.against.max(second.against), "{context}: {one} + {two} bytes ask less");
        // Each part is rounded up to a whole nanosecond.
        assert!(
            both.holds <= first.holds + second.holds,
            "{context}: {one} + {two} bytes take longer at once"
        );
        assert!(first.holds > Nanos::ZERO, "{context}: {one} bytes in no time");
    }
}

fn check_shape(context: &str, link: &dyn HostLink) {
    let shape = link.shape();
    assert!(shape.queues > 0 && shape.queue_depth > 0, "{context}: no place for a command");
    assert!((1..=shape.commands_most).contains(&shape.commands_usual), "{context}: {shape:?}");
    match &shape.order {
        QueueOrder::Single => assert_eq!(shape.queues, 1, "{context}: queues that are never served"),
        QueueOrder::RoundRobin { burst } => assert!(*burst > 0, "{context}: turns without commands"),
        QueueOrder::Weighted { burst, classes, weights } => {
            assert!(
                *burst > 0 && weights.iter().all(|weight| *weight > 0),
                "{context}: a class that starves"
            );
            assert_eq!(classes.len(), shape.queues as usize, "{context}: a class for each queue");
        }
    }
}
