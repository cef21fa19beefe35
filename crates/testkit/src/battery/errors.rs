//! Error models: a rate between 0 and one half that no step, wear, age or read makes smaller.

use engine::RandomStream;
use nand::errors::{Condition, Maker};

/// Tests a bit-error model with `events` random combinations of program step (ISPP voltage increment), wear, data age
/// and number of reads: the bit error rate is from 0 to 0.5 and never lower with a larger program step, more wear, age
/// or reads.
///
/// # Panics
/// When the model breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (model, twin) = (maker(), maker());
    let mut random = RandomStream::new(23, "battery.errors");
    for _ in 0..events {
        let of = Condition {
            step: 0.2 + 2.0 * random.unit(),
            voltages: 0,
            pe_cycles: random.below(20_000) as u32,
            seconds: random.unit() * 1e9,
            reads: random.below(1_000_000) as u32,
        };
        let rate = model.rber(0, &of);
        assert!((0.0..=0.5).contains(&rate), "{context}: {rate} of {of:?}");
        assert_eq!(rate, twin.rber(0, &of), "{context}: two of a kind disagree on {of:?}");
        let worse = [
            Condition { step: of.step * 1.1, ..of },
            Condition { pe_cycles: of.pe_cycles + 100, ..of },
            Condition { seconds: of.seconds * 1.1, ..of },
            Condition { reads: of.reads + 1000, ..of },
        ];
        for other in worse {
            let than = model.rber(0, &other);
            assert!(than >= rate, "{context}: {than} of {other:?} is less than {rate} of {of:?}");
        }
    }
}
