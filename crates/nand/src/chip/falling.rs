//! Where pulse counts change over a life. Wear only ever lets cells need fewer pulses, so a count is known from the
//! cycles at which it falls, and each of these is found by aiming at it: some five looks instead of the dozens that
//! doubling a stride and halving a gap take.
//!
//! A look is the exact count of a cycle, and a fall is only ever accepted between two neighbouring cycles of unlike
//! counts. Where the looks in between are taken changes how long a search takes, never what it finds.

use crate::cells::CellPhysics;

/// Constant: greatest number of tries by interpolation in the search for the program/erase cycle at which the number of
/// program pulses falls, before bisection takes over; real flash parts take four to eight tries.
const AIMED: u32 = 24;

/// Record of a request to compute, for one search, the program level at one program/erase cycle: the number of program
/// steps above the first pulse that a slow cell needs at that wear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Index of the search (for the cycles at which a slow cell's number of program pulses falls), which is the index
    /// of its slow cell.
    pub search: usize,
    pub cycle: u64,
}

/// Finds the program/erase cycles at which slow cells begin to need fewer program pulses, because wear makes programs
/// faster; one search for each of `count` slow cells. Returns for each search the pairs (cycle, number of pulses): the
/// first is that of cycle `first`, each later one the first cycle, up to `last`, with a smaller number. `levels`
/// computes the program levels for the given searches and cycles, in their order, into its second argument; the level
/// of a search must never rise with the cycle. All searches advance together, because many levels are computed faster
/// together than one by one.
pub(super) fn falls(
    first: u64,
    last: u64,
    count: usize,
    mut levels: impl FnMut(&[Look], &mut Vec<f64>),
) -> Vec<Vec<(u64, u32)>> {
    let mut seen = Vec::new();
    let mut of_all = |cycle: u64| {
        let looks: Vec<Look> = (0..count).map(|search| Look { search, cycle }).collect();
        levels(&looks, &mut seen);
        seen.clone()
    };
    let (starts, ends) = (of_all(first), of_all(last));
    let mut searches: Vec<Search> =
        starts.into_iter().zip(ends).map(|(start, end)| Search::new((first, start), (last, end))).collect();
    let mut looks = Vec::new();
    loop {
        looks.clear();
        let next = searches.iter().enumerate();
        looks.extend(next.filter_map(|(search, of)| Some(Look { search, cycle: of.next()? })));
        if looks.is_empty() {
            return searches.into_iter().map(|search| search.found).collect();
        }
        levels(&looks, &mut seen);
        for (look, level) in looks.iter().zip(&seen) {
            searches[look.search].see((look.cycle, *level));
        }
    }
}

/// State of the search for the program/erase cycles at which one slow cell begins to need fewer program pulses: the
/// falls found so far, and the range of cycles in which the next fall lies.
struct Search {
    found: Vec<(u64, u32)>,
    last: (u64, f64),
    gap: Option<Gap>,
}

/// Record of a range of program/erase cycles in which the number of program pulses of a slow cell falls: at cycle `low`
/// the number is still the last one found, at the later cycle `high` it is smaller. Both fields are pairs of a cycle
/// and a program level (program steps above the first pulse that the cell needs).
struct Gap {
    low: (u64, f64),
    high: (u64, f64),
    /// Program level (program steps above the first pulse that the slow cell needs) at or below which one pulse fewer
    /// suffices than at the lower end of this range of cycles.
    edge: f64,
    /// Distance, in program steps, of the program level at `low` above the level `edge`. If one end of the range stays
    /// twice in a row, its distance is halved, which speeds up the interpolation.
    over: f64,
    /// Distance, in program steps, of the program level at `high` below the level `edge`. If one end of the range stays
    /// twice in a row, its distance is halved, which speeds up the interpolation.
    under: f64,
    looks: u32,
    /// True if the last program/erase cycle tried became the lower end of the range in which the number of pulses
    /// falls; none before the first try.
    rose: Option<bool>,
}

impl Search {
    fn new(first: (u64, f64), last: (u64, f64)) -> Self {
        let mut search = Self { found: Vec::new(), last, gap: None };
        search.fell(first);
        search
    }

    /// Returns the next program/erase cycle for which this search needs the program level (program steps above the
    /// first pulse that its slow cell needs); `None` if all falls of the number of pulses are found.
    fn next(&self) -> Option<u64> {
        self.gap.as_ref().map(Gap::next)
    }

    /// Adds the program level (program steps above the first pulse that the slow cell needs) that was computed at the
    /// program/erase cycle for which the search asked, and narrows the range of cycles in which the number of pulses
    /// next falls.
    fn see(&mut self, seen: (u64, f64)) {
        let Some(gap) = &mut self.gap else { return };
        gap.see(seen);
        if gap.is_closed() {
            let high = gap.high;
            self.fell(high);
        }
    }

    /// Records that the number of program pulses of the slow cell falls at a program/erase cycle, and further falls
    /// that follow from program levels known already.
    fn fell(&mut self, mut low: (u64, f64)) {
        loop {
            self.found.push((low.0, CellPhysics::pulses_of(low.1)));
            self.gap = Gap::between(low, self.last);
            match self.gap.as_ref().filter(|gap| gap.is_closed()) {
                Some(gap) => low = gap.high,
                None => return,
            }
        }
    }
}

impl Gap {
    /// Makes the range between two pairs of program/erase cycle and program level, in which the number of pulses falls;
    /// `None` if both cycles need the same number of pulses.
    fn between(low: (u64, f64), high: (u64, f64)) -> Option<Self> {
        let count = CellPhysics::pulses_of(low.1);
        let edge = f64::from(count) - 2.0;
        let (over, under) = (low.1 - edge, edge - high.1);
        (count > CellPhysics::pulses_of(high.1)).then_some(Self {
            low,
            high,
            edge,
            over,
            under,
            looks: 0,
            rose: None,
        })
    }

    fn is_closed(&self) -> bool {
        self.high.0 - self.low.0 <= 1
    }

    fn next(&self) -> u64 {
        if self.looks < AIMED {
            aim((self.low.0, self.over), (self.high.0, self.under))
        } else {
            self.low.0.midpoint(self.high.0)
        }
    }

    fn see(&mut self, seen: (u64, f64)) {
        self.looks += 1;
        let below = CellPhysics::pulses_of(seen.1) == CellPhysics::pulses_of(self.low.1);
        // An end that stays twice counts half (the Illinois rule), or one side alone would creep up to the edge.
        let again = if self.rose == Some(below) { 0.5 } else { 1.0 };
        self.rose = Some(below);
        if below {
            (self.low, self.over, self.under) = (seen, seen.1 - self.edge, self.under * again);
        } else {
            (self.high, self.over, self.under) = (seen, self.over * again, self.edge - seen.1);
        }
    }
}

/// Returns a program/erase cycle strictly between `low` and `high` at which the number of pulses probably falls: where
/// a straight line from `over` above to `under` below the edge crosses the edge. The line is drawn over the square root
/// of the cycles, since trapping grows about in proportion to that root.
fn aim((low, over): (u64, f64), (high, under): (u64, f64)) -> u64 {
    let (from, to) = ((low as f64).sqrt(), (high as f64).sqrt());
    let root = from + (to - from) * (over / (over + under));
    // A ratio that is no number becomes 0 here, and then the lowest cycle that is left.
    ((root * root).ceil() as u64).clamp(low + 1, high - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (first, last) in [(1, 1), (1, 2), (1, 9000), (776, 778), (4000, 9000)] {
            let ours = falls(first, last, shapes.len(), |looks, levels| {
                levels.clear();
                levels.extend(looks.iter().map(|look| shapes[look.search](look.cycle as f64)));
            });
            for (number, (shape, ours)) in shapes.into_iter().zip(ours).enumerate() {
                let all = one_by_one(first, last, |cycle| shape(cycle as f64));
                assert_eq!(ours, all, "shape {number}, cycles {first} to {last}");
            }
        }
    }

    #[test]
    fn a_search_looks_a_few_times_for_each_fall() {
        let mut taken = 0;
        let found = falls(1, 1_000_000, 1, |looks, levels| {
            taken += looks.len();
            let over = looks[0].cycle as f64 / 3000.0;
            *levels = vec![20.0 - 0.3 * libm::pow(over, 0.62) - 0.4 * libm::pow(over, 0.3)];
        });
        let found = found[0].len();
        assert!(found > 10, "{found}");
        assert!(taken < 12 * found, "{taken} looks for {found} falls");
    }
}
