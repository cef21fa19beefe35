//! Error rates of sampled cells: what `[tables.errors]` is made from.
//!
//! Blocks that trap as quickly and slowly as the part's do (its spread between blocks, and its defects) have their
//! wordlines programmed with pseudo-random states and are left alone or read so many times; the shares of each state's
//! cells beyond each reference are taken, and their mean over the blocks. Each block stands for another layer, too.
//!
//! Noise with tails (`[cells.tails]`, `[cells.uneven]`) is not drawn but added as the formula it is drawn from, and so are the
//! few cells that reads lift far: small shares are then as exact as large ones. Cells of a chip without such noise are counted; shares too small for that are
//! carried on from the sample's tail along a normal one (a straight line in quantiles), as is usual for measured
//! thresholds; such rates are as good as that shape.

use super::humps::Hump;
use super::valleys::{Misread, Valley};
use crate::cells::normal::{Stream, largest, quantile};
use crate::cells::{CellBlock, CellPhysics, Condition, Elapsed, Noise, VoltagePlan, Wordline};

/// Settings of a sample of simulated cells from which tables are derived: numbers of wordlines and cells, programming
/// passes, random seed and layer. Wear, retention time and reads are given separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Setting of the sample: number of wordlines of each sampled block; the last wordline has no neighbour above and
    /// is left out of the results.
    pub wordlines: usize,
    /// Setting of the sample: number of simulated cells of each of its wordlines.
    pub cells: usize,
    /// Setting of the sample: number of cells of a whole block; the slowest-erasing of so many cells decides when a
    /// block can no longer be erased.
    pub block_cells: f64,
    /// Number of programming passes (program disturbs) of the whole block for which the sample stands: the sampled
    /// wordlines count as spread evenly over the block.
    pub passes: u64,
    /// Setting of the sample of simulated cells: seed from which all its random values follow.
    pub seed: u64,
    /// Rank of the sampled layer of the 3D stack among all layers, from the best, 0, to the worst, 1, both excluded;
    /// none: all layers are sampled.
    pub layer: Option<f64>,
}

/// Pair of conditions of a block between the program and the read of its cells: the retention time, and the number of
/// reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Retention time of the block, as a pair of equivalent times in seconds, one for each kind of charge loss.
    pub elapsed: Elapsed,
    /// Number of reads of the block since the program.
    pub reads: u64,
}

/// Record of the raw bit error rates of sampled cells after one retention time and number of reads, by page type, with
/// the fractions of misread cells by state and the shift of the best references.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// List of raw bit error rates with the voltage set's own references, one for each page type.
    pub usual: Vec<f64>,
    /// List of the lowest raw bit error rates, one for each page type: the rates when each page is read with the
    /// references at which fewest cells are misread, as read retries find them.
    pub best: Vec<f64>,
    /// List with, for each state, the fraction (0 to 1) of its cells that the voltage set's references misread as
    /// another state.
    pub misread: Vec<f64>,
    /// Distance by which the best references lie below the voltage set's references, volts, at the boundary between
    /// states where this distance is greatest; the lowest boundary is left out, because the gap above the erased state
    /// is wide.
    pub shift: f64,
}

/// Constant: number of sampled blocks of cells, which stand for the differences between the blocks of a chip: their
/// ranks by oxide trapping are evenly spaced.
const BLOCKS: usize = 16;
/// Constant: number of ranks by which the layer changes from one sampled block to the next, so that layers and other
/// spreads are not correlated.
const LAYERS_ON: usize = 7;

/// Computes the raw bit error rates after each of `rests` (retention time and number of reads), as the mean over the
/// sampled blocks that can still be erased after `pe_cycles` cycles.
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
    let mut sums: Vec<Rates> = Vec::new();
    let blocks = alive(physics, sample, pe_cycles);
    through_blocks(physics, plan, sample, pe_cycles, rests, &blocks, |index, share, humps| {
        let rates = rates(physics, plan, humps).times(share);
        match sums.get_mut(index) {
            Some(sum) => sum.add(&rates),
            None => sums.push(rates),
        }
    });
    sums
}

/// Simulates each sampled block and calls `tell`, for each of `rests` (retention time and number of reads), with the
/// index in `rests`, the fraction of all blocks that the sampled block stands for, and the threshold voltages of each
/// state's cells. `blocks` has this fraction and the trapping of each block.
///
/// # Panics
/// When the sample has fewer than two wordlines.
pub(super) fn through_blocks(
    physics: &CellPhysics,
    plan: &VoltagePlan,
    sample: Sample,
    pe_cycles: f64,
    rests: &[Rest],
    blocks: &[(f64, f64)],
    mut tell: impl FnMut(usize, f64, &[Hump]),
) {
    assert!(sample.wordlines > 1, "a wordline needs one above it");
    // The wordlines that are looked at: the last has no neighbour above.
    let mut lines: Vec<Wordline> = (1..sample.wordlines).map(|_| Wordline::none()).collect();
    let plain = if physics.has_tails() { physics.without_tails() } else { physics.without_weak() };
    for (number, (share, trapping)) in blocks.iter().copied().enumerate() {
        let stream = Stream::new(sample.seed).of(number as u64);
        let rank = ((number * LAYERS_ON) % BLOCKS) as f64 + 0.5;
        let layer = quantile(sample.layer.unwrap_or(rank / BLOCKS as f64));
        let condition = Condition { trapping, layer, ..worn(physics, pe_cycles) };
        let block = written(&plain, plan, sample, stream, condition);
        let by_state = by_state(physics, &block);
        for (index, rest) in rests.iter().enumerate() {
            let_rest(&mut lines, &plain, &block, sample.passes, *rest);
            tell(index, share, &humps(physics, &condition, *rest, &lines, &by_state));
        }
    }
}

/// Returns the condition (wear, trapping) of cells after `pe_cycles` cycles with pseudo-random data: in the fraction 1
/// / states of the cycles, a cell was erased without having been programmed.
fn worn(physics: &CellPhysics, pe_cycles: f64) -> Condition {
    let over_erased = pe_cycles / physics.states.len() as f64;
    let usual = Condition::worn(pe_cycles);
    Condition { error_cycles: usual.cycles + physics.wear.over_erase * over_erased, ..usual }
}

/// Returns, for each sampled block that can still be erased at this wear, the fraction of all such blocks that it
/// stands for, and its trapping relative to a mean block; only the block that traps least if none can be erased.
pub(super) fn alive(physics: &CellPhysics, sample: Sample, pe_cycles: f64) -> Vec<(f64, f64)> {
    let wear = &physics.wear;
    let sound = (1.0 - wear.defect_fraction) / BLOCKS as f64;
    let trapping = |rank: usize| trapping_of(physics, (rank as f64 + 0.5) / BLOCKS as f64);
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

/// Returns the block whose rank by oxide trapping is `rank` (0: traps least, 1: traps most) among blocks without a
/// defect, as a pair: the fraction of blocks for which it stands (1: all blocks), and its trapping relative to a mean
/// block.
pub(super) fn of_rank(physics: &CellPhysics, rank: f64) -> (f64, f64) {
    (1.0, trapping_of(physics, rank))
}

/// Returns the oxide trapping of the block with this rank (0: traps least, 1: traps most), as a factor relative to a
/// mean block.
fn trapping_of(physics: &CellPhysics, rank: f64) -> f64 {
    libm::exp(physics.wear.block_spread * quantile(rank))
}

/// Makes a sampled block of cells and programs all its wordlines with pseudo-random data.
fn written(
    physics: &CellPhysics,
    plan: &VoltagePlan,
    sample: Sample,
    stream: Stream,
    condition: Condition,
) -> CellBlock {
    let mut block = CellBlock::new(physics, stream.of(1), sample.wordlines, sample.cells, condition);
    // As many states as bits have values: what is drawn needs no division.
    let last = physics.states.len().next_power_of_two() as u64 - 1;
    for line in 0..sample.wordlines {
        let data = stream.of(2).of(line as u64);
        let states: Vec<u8> =
            (0..sample.cells as u64).map(|cell| (data.bits(cell) >> 32 & last) as u8).collect();
        block.program_all(physics, plan, line, &states);
    }
    block
}

impl Rates {
    fn lists(&mut self) -> [&mut Vec<f64>; 3] {
        [&mut self.usual, &mut self.best, &mut self.misread]
    }

    fn times(mut self, share: f64) -> Self {
        self.shift *= share;
        self.lists().into_iter().flatten().for_each(|rate| *rate *= share);
        self
    }

    fn add(&mut self, other: &Self) {
        self.shift += other.shift;
        let others = [&other.usual, &other.best, &other.misread];
        for (own, other) in self.lists().into_iter().zip(others) {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }
}

/// Returns, for each sampled wordline except the last, and for each cell state, the indices of the cells that were
/// programmed to that state.
fn by_state(physics: &CellPhysics, block: &CellBlock) -> Vec<Vec<Vec<u32>>> {
    let of_line = |line: usize| {
        let mut found = vec![Vec::new(); physics.states.len()];
        for (cell, state) in (0..).zip(block.states(line)) {
            found[usize::from(*state)].push(cell);
        }
        found
    };
    (0..block.wordlines() - 1).map(of_line).collect()
}

/// Sets `lines` to the cells of the block's wordlines after the retention time and the reads of `rest`, without
/// heavy-tailed noise.
fn let_rest(lines: &mut [Wordline], plain: &CellPhysics, block: &CellBlock, passes: u64, rest: Rest) {
    let count = lines.len() as f64;
    for (line, cells) in lines.iter_mut().enumerate() {
        let later = passes as f64 * (1.0 - (line as f64 + 0.5) / count);
        block.rest(cells, plain, line, later, rest.elapsed, rest.reads);
    }
}

/// Returns, for each state, the distribution of its cells' threshold voltages (hump) after `rest` (retention time and
/// reads); the thresholds in `lines` lack the heavy-tailed noise, which is added here.
fn humps(
    physics: &CellPhysics,
    condition: &Condition,
    rest: Rest,
    lines: &[Wordline],
    by_state: &[Vec<Vec<u32>>],
) -> Vec<Hump> {
    let noise = Noise::of(physics, condition, rest.elapsed);
    let weak_v = physics.read_weak * condition.worn_reads(rest.reads);
    let top = physics.plans[0].verify.last().copied().expect("a plan has states");
    let mut volts = Vec::new();
    let hump = |state: usize| {
        volts.clear();
        for (cells, line) in by_state.iter().zip(lines) {
            volts.extend(cells[state].iter().map(|cell| line.volts()[*cell as usize]));
        }
        if physics.has_tails() {
            Hump::noisy(&volts, noise, weak_v, (physics.erased, top))
        } else {
            Hump::read(&volts, weak_v, (physics.erased, top))
        }
    };
    (0..physics.states.len()).map(hump).collect()
}

fn rates(physics: &CellPhysics, plan: &VoltagePlan, spreads: &[Hump]) -> Rates {
    let cells: f64 = spreads.iter().map(Hump::count).sum();
    let valleys: Vec<Valley> =
        spreads.windows(2).map(|pair| Valley { lower: &pair[0], upper: &pair[1], cells }).collect();
    let references = || valleys.iter().zip(&plan.references);
    let usual: Vec<Misread> = references().map(|(valley, usual)| valley.at(*usual)).collect();
    let misread = |state: usize| -> f64 {
        let below = state.checked_sub(1).map_or(0.0, |boundary| usual[boundary].below);
        below + usual.get(state).map_or(0.0, |misread| misread.above)
    };
    let (least, at): (Vec<f64>, Vec<f64>) =
        references().zip(&usual).map(|((valley, volts), misread)| valley.best((*volts, *misread))).unzip();
    let wrong: Vec<f64> = valleys.iter().zip(&usual).map(|(valley, misread)| valley.rate(*misread)).collect();
    let pages = 0..physics.cell.bits() as usize;
    // A page's bits change at some of the boundaries; a cell beyond one of those has that bit wrong.
    let of_page = |page: usize, wrong: &[f64]| -> f64 {
        let digit = |state: usize| physics.states[state].as_bytes()[page];
        let changes = |boundary: &usize| digit(*boundary) != digit(boundary + 1);
        (0..wrong.len()).filter(changes).map(|boundary| wrong[boundary]).sum()
    };
    Rates {
        usual: pages.clone().map(|page| of_page(page, &wrong)).collect(),
        best: pages.map(|page| of_page(page, &least)).collect(),
        misread: (0..spreads.len()).map(misread).collect(),
        shift: plan.references.iter().zip(at).skip(1).map(|(usual, best)| usual - best).fold(0.0, f64::max),
    }
}
