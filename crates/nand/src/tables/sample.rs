//! Error rates of sampled cells: what `[tables.errors]` is made from.
//!
//! Blocks that trap as quickly and slowly as the part's do (its spread between blocks, and its defects) have their
//! wordlines programmed with pseudo-random states and are left alone or read so many times; the shares of each state's
//! cells beyond each reference are taken, and their mean over the blocks. Shares too small to count are carried on from the sample's
//! tail along a normal one (a straight line in quantiles), as is usual for measured thresholds; such rates are as
//! good as that shape.

use crate::cells::normal::{Stream, above, largest, quantile};
use crate::cells::{CellBlock, CellPhysics, Condition, VoltagePlan};

/// What is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Wordlines of each block; the last has no neighbour above and is left out.
    pub wordlines: usize,
    /// Cells of each.
    pub cells: usize,
    /// Cells of the whole block, whose slowest ends its life.
    pub block_cells: f64,
    /// Program passes of the whole block that the sample stands for: its wordlines lie evenly spread over it.
    pub passes: u64,
    /// Everything random follows from it.
    pub seed: u64,
}

/// What happens to the block between writing and reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Seconds at the reference temperature of the chip's retention.
    pub seconds: f64,
    /// Reads of the block.
    pub reads: u64,
}

/// Raw bit error rates of one condition, one for each page type.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// With the plan's own references.
    pub usual: Vec<f64>,
    /// With the references at which fewest cells are misread, as retries find them.
    pub best: Vec<f64>,
    /// Share of each state's cells that the plan's references take for a neighbour.
    pub misread: Vec<f64>,
}

/// Fewer cells than this beyond a reference are not counted but extrapolated.
const COUNTED: usize = 100;
/// Where the line through the tail begins.
const INNER: usize = 10 * COUNTED;
/// Candidate references between two neighbouring states.
const CANDIDATES: usize = 64;

/// Blocks that stand for the spread between blocks, at evenly spaced ranks.
const BLOCKS: usize = 16;

/// Mean error rates of blocks that are still alive at this wear, for each of `rests`.
///
/// # Panics
/// When the sample has fewer than two wordlines.
pub fn error_rates(
    physics: &CellPhysics,
    plan: &VoltagePlan,
    sample: Sample,
    pe_cycles: f64,
    rests: &[Rest],
) -> Vec<Rates> {
    assert!(sample.wordlines > 1, "a wordline needs one above it");
    let mut sums: Vec<Rates> = Vec::new();
    for (number, (share, trapping)) in alive(physics, sample, pe_cycles).into_iter().enumerate() {
        let stream = Stream::new(sample.seed).of(number as u64);
        let condition = Condition { trapping, ..worn(physics, pe_cycles) };
        let block = written(physics, plan, sample, stream, condition);
        for (index, rest) in rests.iter().enumerate() {
            let rates = rates(physics, plan, &block, sample.passes, *rest).times(share);
            match sums.get_mut(index) {
                Some(sum) => sum.add(&rates),
                None => sums.push(rates),
            }
        }
    }
    sums
}

/// Cells that had so many cycles with pseudo-random data: one in as many as there are states was erased without
/// having been programmed.
fn worn(physics: &CellPhysics, pe_cycles: f64) -> Condition {
    let over_erased = pe_cycles / physics.states.len() as f64;
    let usual = Condition::worn(pe_cycles);
    Condition { error_cycles: usual.cycles + physics.wear.over_erase * over_erased, ..usual }
}

/// Share and trapping, over that of a mean block, of the blocks that are sampled: those whose slowest cell can still
/// be erased, or the best one where none can.
fn alive(physics: &CellPhysics, sample: Sample, pe_cycles: f64) -> Vec<(f64, f64)> {
    let wear = &physics.wear;
    let sound = (1.0 - wear.defect_fraction) / BLOCKS as f64;
    let trapping = |rank: usize| libm::exp(wear.block_spread * quantile((rank as f64 + 0.5) / BLOCKS as f64));
    let mut all: Vec<(f64, f64)> = (0..BLOCKS).map(|rank| (sound, trapping(rank))).collect();
    if wear.defect_fraction > 0.0 {
        all.push((wear.defect_fraction, wear.defect_factor));
    }
    let trapped_v =
        wear.trapped_v(pe_cycles) * libm::exp(wear.cell_spread * largest(sample.block_cells, 0.5));
    let lives = |(_, trapping): &(f64, f64)| {
        let need = physics.erase.need + wear.erase * trapping * trapped_v;
        physics.erase_pulses(need, physics.erase.cold_below) <= physics.erase.max_pulses
    };
    let mut found: Vec<(f64, f64)> = all.iter().copied().filter(lives).collect();
    if found.is_empty() {
        found.push(all[0]);
    }
    let total: f64 = found.iter().map(|(share, _)| share).sum();
    found.iter_mut().for_each(|(share, _)| *share /= total);
    found
}

/// A block full of pseudo-random data.
fn written(
    physics: &CellPhysics,
    plan: &VoltagePlan,
    sample: Sample,
    stream: Stream,
    condition: Condition,
) -> CellBlock {
    let mut block = CellBlock::new(physics, stream.of(1), sample.wordlines, sample.cells, condition);
    let count = physics.states.len() as u64;
    for line in 0..sample.wordlines {
        let data = stream.of(2).of(line as u64);
        let states: Vec<u8> =
            (0..sample.cells as u64).map(|cell| ((data.bits(cell) >> 32) % count) as u8).collect();
        block.program_all(physics, plan, line, &states);
    }
    block
}

impl Rates {
    fn lists(&mut self) -> [&mut Vec<f64>; 3] {
        [&mut self.usual, &mut self.best, &mut self.misread]
    }

    fn times(mut self, share: f64) -> Self {
        self.lists().into_iter().flatten().for_each(|rate| *rate *= share);
        self
    }

    fn add(&mut self, other: &Self) {
        let others = [&other.usual, &other.best, &other.misread];
        for (own, other) in self.lists().into_iter().zip(others) {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }
}

fn rates(physics: &CellPhysics, plan: &VoltagePlan, block: &CellBlock, passes: u64, rest: Rest) -> Rates {
    let mut by_state: Vec<Vec<f32>> = vec![Vec::new(); physics.states.len()];
    let lines = block.wordlines() - 1;
    for line in 0..lines {
        let later = passes as f64 * (1.0 - (line as f64 + 0.5) / lines as f64);
        let volts = block.volts_among(physics, line, later, rest.seconds, rest.reads);
        for (volts, state) in volts.into_iter().zip(block.states(line)) {
            by_state[usize::from(*state)].push(volts);
        }
    }
    let cells: usize = by_state.iter().map(Vec::len).sum();
    let spreads: Vec<Spread> = by_state.into_iter().map(Spread::of).collect();
    let misread = |state: usize| -> f64 {
        let below = state.checked_sub(1).map_or(0.0, |r| spreads[state].beyond(plan.references[r], false));
        let above = plan.references.get(state).map_or(0.0, |r| spreads[state].beyond(*r, true));
        below + above
    };
    let wrong = |boundary: usize, reference: f64| -> f64 {
        let (lower, upper) = (&spreads[boundary], &spreads[boundary + 1]);
        (lower.beyond(reference, true) * lower.count() + upper.beyond(reference, false) * upper.count())
            / cells as f64
    };
    let best = |boundary: usize| -> f64 {
        let (low, high) = (spreads[boundary].middle(), spreads[boundary + 1].middle());
        let candidate = |index: usize| low + (high - low) * index as f64 / CANDIDATES as f64;
        (0..=CANDIDATES).map(|index| wrong(boundary, candidate(index))).fold(f64::INFINITY, f64::min)
    };
    let boundaries = 0..plan.references.len();
    let usual: Vec<f64> = boundaries.clone().map(|b| wrong(b, plan.references[b])).collect();
    let least: Vec<f64> = boundaries.map(|b| best(b).min(usual[b])).collect();
    let pages = 0..physics.cell.bits() as usize;
    // A page's bits change at some of the boundaries; a cell beyond one of those has that bit wrong.
    let of_page = |page: usize, wrong: &[f64]| -> f64 {
        let digit = |state: usize| physics.states[state].as_bytes()[page];
        let changes = |boundary: &usize| digit(*boundary) != digit(boundary + 1);
        (0..wrong.len()).filter(changes).map(|boundary| wrong[boundary]).sum()
    };
    Rates {
        usual: pages.clone().map(|page| of_page(page, &usual)).collect(),
        best: pages.map(|page| of_page(page, &least)).collect(),
        misread: (0..spreads.len()).map(misread).collect(),
    }
}

/// The threshold voltages of one state's cells, sorted.
struct Spread(Vec<f32>);

impl Spread {
    fn of(mut volts: Vec<f32>) -> Self {
        volts.sort_unstable_by(f32::total_cmp);
        Self(volts)
    }

    fn count(&self) -> f64 {
        self.0.len() as f64
    }

    fn middle(&self) -> f64 {
        f64::from(self.0[self.0.len() / 2])
    }

    /// The share of cells at or above `reference`, or below it.
    fn beyond(&self, reference: f64, upwards: bool) -> f64 {
        let below = self.0.partition_point(|volts| f64::from(*volts) < reference);
        let counted = if upwards { self.0.len() - below } else { below };
        if counted >= COUNTED || self.0.len() <= 2 * INNER {
            return counted as f64 / self.count();
        }
        // The n-th cell from the end, and the quantile of its rank.
        let at = |n: usize| {
            let volts = f64::from(if upwards { self.0[self.0.len() - n] } else { self.0[n - 1] });
            (volts, -quantile(n as f64 / self.count()))
        };
        let ((outer_v, outer_z), (inner_v, inner_z)) = (at(COUNTED), at(INNER));
        if outer_v == inner_v {
            return 0.0;
        }
        above(outer_z + (reference - outer_v) * (outer_z - inner_z) / (outer_v - inner_v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_follow_the_tail_of_a_normal_sample() {
        let stream = Stream::new(3);
        let volts = |count: u64| Spread::of((0..count).map(|i| stream.normal(i) as f32).collect());
        let sample = volts(200_000);
        for z in [2.0, 3.0, 4.0, 5.0] {
            for (share, upwards) in [(sample.beyond(z, true), true), (sample.beyond(-z, false), false)] {
                let ratio = share / above(z);
                assert!((0.6..1.6).contains(&ratio), "{z} {upwards}: {ratio}");
            }
        }
        // A short sample is counted and nothing else.
        assert!(volts(500).beyond(6.0, true).abs() < f64::EPSILON);
    }
}
