//! Where pulse counts change over a life. Wear only ever lets cells need fewer pulses, so a count is known from the
//! cycles at which it falls, and each of these is found by aiming at it: some five looks instead of the dozens that
//! doubling a stride and halving a gap take.
//!
//! A look is the exact count of a cycle, and a fall is only ever accepted between two neighbouring cycles of unlike
//! counts. Where the looks in between are taken changes how long a search takes, never what it finds.

use crate::cells::CellPhysics;

/// Looks that aim; what they leave is halved. Levels that parts have take four to eight.
const AIMED: u32 = 24;

/// The count in cycle `first`, and each later one up to `last` with the cycle from which it holds. `level` falls with
/// the cycle, or stays.
pub(super) fn falls(first: u64, last: u64, level: impl Fn(u64) -> f64) -> Vec<(u64, u32)> {
    let mut low = (first, level(first));
    let high = (last, level(last));
    let mut found = vec![(first, CellPhysics::pulses_of(low.1))];
    while CellPhysics::pulses_of(low.1) > CellPhysics::pulses_of(high.1) {
        low = next_fall(low, high, &level);
        found.push((low.0, CellPhysics::pulses_of(low.1)));
    }
    found
}

/// The first cycle after `low` that takes fewer pulses, with its level; `high` is one that does.
fn next_fall(mut low: (u64, f64), mut high: (u64, f64), level: impl Fn(u64) -> f64) -> (u64, f64) {
    let count = CellPhysics::pulses_of(low.1);
    // As many pulses are needed while the level is above this.
    let edge = f64::from(count) - 2.0;
    let (mut over, mut under) = (low.1 - edge, edge - high.1);
    let (mut looks, mut rose) = (0, None);
    while high.0 - low.0 > 1 {
        looks += 1;
        let cycle = if looks <= AIMED { aim((low.0, over), (high.0, under)) } else { low.0.midpoint(high.0) };
        let seen = level(cycle);
        let below = CellPhysics::pulses_of(seen) == count;
        // An end that stays twice counts half (the Illinois rule), or one side alone would creep up to the edge.
        let again = if rose == Some(below) { 0.5 } else { 1.0 };
        rose = Some(below);
        if below {
            (low, over, under) = ((cycle, seen), seen - edge, under * again);
        } else {
            (high, over, under) = ((cycle, seen), over * again, edge - seen);
        }
    }
    high
}

/// A cycle between two, where a line between how far above and below the edge they lie crosses it. Trapping grows about
/// as the square root of the cycles: along that, levels are nearly straight.
fn aim((low, over): (u64, f64), (high, under): (u64, f64)) -> u64 {
    let (from, to) = ((low as f64).sqrt(), (high as f64).sqrt());
    let root = from + (to - from) * (over / (over + under));
    // A ratio that is no number becomes 0 here, and then the lowest cycle that is left.
    ((root * root).ceil() as u64).clamp(low + 1, high - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn one_by_one(first: u64, last: u64, level: impl Fn(u64) -> f64) -> Vec<(u64, u32)> {
        let mut found: Vec<(u64, u32)> = Vec::new();
        for cycle in first..=last {
            let pulses = CellPhysics::pulses_of(level(cycle));
            if found.last().is_none_or(|(_, before)| *before != pulses) {
                found.push((cycle, pulses));
            }
        }
        found
    }

    #[test]
    fn every_fall_is_found_whatever_the_shape() {
        let shapes: [fn(f64) -> f64; 7] = [
            |cycle| 17.3 - 0.03 * cycle.sqrt() - 0.2 * cycle.powf(0.3),
            |cycle| 9.0 - cycle / 1000.0,
            |cycle| 40.0 / cycle,
            |cycle| if cycle < 777.0 { 12.0 } else { 3.5 },
            |cycle| 20.0 - (cycle / 500.0).floor(),
            |cycle| -5.0 - cycle,
            |cycle| 5.0 - (cycle / 3000.0).powi(9),
        ];
        for (number, shape) in shapes.into_iter().enumerate() {
            for (first, last) in [(1, 1), (1, 2), (1, 9000), (776, 778), (4000, 9000)] {
                let level = |cycle: u64| shape(cycle as f64);
                let (ours, all) = (falls(first, last, level), one_by_one(first, last, level));
                assert_eq!(ours, all, "shape {number}, cycles {first} to {last}");
            }
        }
    }

    #[test]
    fn a_search_looks_a_few_times_for_each_fall() {
        let looks = Cell::new(0);
        let found = falls(1, 1_000_000, |cycle| {
            looks.set(looks.get() + 1);
            20.0 - 0.3 * libm::pow(cycle as f64 / 3000.0, 0.62) - 0.4 * libm::pow(cycle as f64 / 3000.0, 0.3)
        });
        assert!(found.len() > 10, "{}", found.len());
        assert!(looks.get() < 12 * found.len(), "{} looks for {} falls", looks.get(), found.len());
    }
}
