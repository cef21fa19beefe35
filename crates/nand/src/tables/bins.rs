//! Cells counted by where they lie, and how many of them noise carries beyond a reference.

use crate::cells::{Beyond, Side, is_plain, power};
use multiversion::multiversion;

/// Constant: number of bins of cells that vector code computes together.
const TOGETHER: usize = 64;

/// Record of a histogram bin: cells with nearly equal threshold voltages, with the parameters of the noise and read
/// disturb of these cells.
#[derive(Clone, Copy)]
pub(super) struct Bin {
    pub cells: f64,
    /// Threshold voltage of the histogram bin's cells without noise and charge loss, volts.
    pub volts: f64,
    /// Threshold voltage of the histogram bin's cells without noise, after the charge loss common to all cells, volts.
    pub left: f64,
    /// Field of a histogram bin: distribution of the heavy-tailed noise of its cells' thresholds.
    pub beyond: Beyond,
    /// Scale of the strong read disturb, in volts: reads raise a fraction `lifted_v` / v of the bin's cells by more
    /// than v.
    pub lifted_v: f64,
}

/// Histogram of the threshold voltages of cells: many bins, in the order in which they were given.
pub(super) struct Bins {
    count: usize,
    groups: Vec<BinGroup>,
    /// Voltage below which the count at a read reference includes cells that read disturb has raised above the
    /// reference; minus infinity if reads raise no cells.
    top: f64,
}

/// Group of 64 histogram bins, stored attribute by attribute so that loops over the bins are vectorised.
struct BinGroup {
    cells: [f64; TOGETHER],
    volts: [f64; TOGETHER],
    left: [f64; TOGETHER],
    near: [f64; TOGETHER],
    far: [f64; TOGETHER],
    near_below: [f64; TOGETHER],
    far_below: [f64; TOGETHER],
    lifted_v: [f64; TOGETHER],
}

impl Bins {
    /// Makes a histogram from bins of cells. `top` is the voltage, in volts, below which a read reference also counts
    /// cells that read disturb has raised above the reference; minus infinity if reads raise no cells.
    pub fn of(bins: impl Iterator<Item = Bin>, top: f64) -> Self {
        let mut found = Self { count: 0, groups: Vec::new(), top };
        for bin in bins {
            let place = found.count % TOGETHER;
            if place == 0 {
                found.groups.push(BinGroup::empty());
            }
            if let Some(group) = found.groups.last_mut() {
                group.put(place, bin);
            }
            found.count += 1;
        }
        found
    }

    /// Returns, for each bin, its number of cells and their threshold voltage without noise, in volts.
    pub fn cells(&self) -> impl Iterator<Item = (f64, f64)> {
        self.groups.iter().flat_map(|group| group.cells.into_iter().zip(group.volts)).take(self.count)
    }

    /// Returns true if read disturb raises thresholds of cells from below a read reference of this voltage to above it.
    pub fn are_lifted(&self, reference: f64) -> bool {
        reference < self.top
    }

    /// Returns the number of cells whose thresholds, noise included, are beyond a read reference voltage, as `side`
    /// says: above it, with the cells that read disturb raised, or below it, as if read disturb raised no cell.
    pub fn beyond(&self, reference: f64, side: Side) -> f64 {
        self.sum(reference, side, side == Side::Above && self.are_lifted(reference))
    }

    /// Returns the number of cells that would be found at or above a read reference voltage if read disturb raised no
    /// cell.
    pub fn above_unread(&self, reference: f64) -> f64 {
        self.sum(reference, Side::Above, false)
    }

    /// Adds, for each read reference of `grid`, `times` the number of cells of the whole histogram that are found below
    /// the reference, read disturb left out, to the entry of `below` for the reference; the bins must be in rising
    /// order. Where fewer than `least` cells of a chunk of bins lie on the other side of a reference than the rest of
    /// the chunk, none of them count. An exponential at one reference is computed from that at the reference before
    /// times a factor, so that few exponentials are needed.
    pub fn add_below(&self, times: f64, grid: VoltageGrid, least: f64, below: &mut [f64]) {
        let chunks = self.count.div_ceil(CHUNK);
        for number in 0..chunks {
            let group = &self.groups[number * CHUNK / TOGETHER];
            let bins = (self.count - number * CHUNK).min(CHUNK);
            BinChunk::of(group, number * CHUNK % TOGETHER, bins).add_below(times, grid, least, below);
        }
    }

    fn sum(&self, reference: f64, side: Side, lifts: bool) -> f64 {
        self.groups.iter().fold(0.0, |sum, group| {
            let mut shares = [0.0; TOGETHER];
            if !shares_at_once(group, reference, side, lifts, &mut shares) {
                for (place, share) in shares.iter_mut().enumerate() {
                    let powers = group.beyond(place).powers(group.distance(place, reference, side));
                    *share = group.share(place, reference, side, lifts, powers.map(libm::exp));
                }
            }
            group.cells.iter().zip(shares).fold(sum, |sum, (cells, share)| sum + cells * share)
        })
    }
}

/// Constant: number of neighbouring bins in a chunk: for each chunk, the exponentials at one read reference are
/// computed together from those at the reference before.
const CHUNK: usize = 16;

/// Grid of read reference voltages: at `low` and every `step` above, both in volts.
#[derive(Clone, Copy, Debug)]
pub(super) struct VoltageGrid {
    pub low: f64,
    pub step: f64,
}

impl VoltageGrid {
    pub fn volts(self, at: usize) -> f64 {
        self.low + self.step * at as f64
    }

    /// Returns the index of the first of the grid's `count` references at or above `volts`; `count` if there is none.
    pub fn first_from(self, volts: f64, count: usize) -> usize {
        ((volts - self.low) / self.step).ceil().clamp(0.0, count as f64) as usize
    }
}

/// Type of a view of a chunk of up to 16 neighbouring bins in a group of 64 histogram bins.
struct BinChunk<'a> {
    group: &'a BinGroup,
    from: usize,
    bins: usize,
    cells: f64,
}

impl<'a> BinChunk<'a> {
    fn of(group: &'a BinGroup, from: usize, bins: usize) -> Self {
        Self { group, from, bins, cells: group.cells[from..from + bins].iter().sum() }
    }

    /// Adds the chunk's cells below each read reference of `grid` to `below`, as [`Bins::add_below`] does for all bins.
    fn add_below(&self, times: f64, grid: VoltageGrid, least: f64, below: &mut [f64]) {
        let left = &self.group.left[self.from..self.from + self.bins];
        let inside = grid.first_from(left[0], below.len())..grid.first_from(left[self.bins - 1], below.len());
        for at in inside.clone() {
            let share = |place: usize| self.share(place, grid.volts(at));
            let found: f64 =
                (0..self.bins).map(|place| self.group.cells[self.from + place] * share(place)).sum();
            below[at] += times * found;
        }
        let (lower, upper) = below.split_at_mut(inside.end);
        if let Some(nearest) = inside.start.checked_sub(1) {
            let terms = self.terms(Side::Below, grid.volts(nearest), grid.step);
            let outwards = lower[..inside.start].iter_mut().rev();
            terms.along(least, outwards, |below, found| *below += times * found);
        }
        let terms = self.terms(Side::Above, grid.volts(inside.end), grid.step);
        let told =
            terms.along(least, upper.iter_mut(), |below, found| *below += times * (self.cells - found));
        upper[told..].iter_mut().for_each(|below| *below += times * self.cells);
    }

    /// Returns the fraction (0 to 1) of the cells of the chunk's bin number `place` that are found below a read
    /// reference.
    fn share(&self, place: usize, reference: f64) -> f64 {
        let place = self.from + place;
        let powers = self.group.beyond(place).powers(self.group.distance(place, reference, Side::Below));
        self.group.share(place, reference, Side::Below, false, powers.map(libm::exp))
    }

    /// Computes, for each bin of the chunk, the exponential terms at a read reference outside all bins, and the factors
    /// that give the terms at the next references outwards; `step` is the distance to the next reference, volts.
    fn terms(&self, side: Side, reference: f64, step: f64) -> Terms {
        let mut terms = Terms { parts: [[0.0; CHUNK]; 2], factors: [[0.0; CHUNK]; 2] };
        for at in 0..self.bins {
            let place = self.from + at;
            let beyond = self.group.beyond(place);
            let (near, far) = match side {
                Side::Above => (0.5 * beyond.near / (beyond.near + beyond.far), 0.0),
                Side::Below => (-beyond.near_below, beyond.far_below),
            };
            let powers = beyond.powers(self.group.distance(place, reference, side));
            let steps = beyond.powers(step);
            for (part, weight) in [near, far].into_iter().enumerate() {
                terms.parts[part][at] = self.group.cells[place] * weight * libm::exp(powers[part]);
                terms.factors[part][at] = libm::exp(steps[part]);
            }
        }
        terms
    }
}

/// Running terms of the number of cells beyond a read reference, for each bin of a chunk: `parts` has the terms of the
/// Laplace noise and of the charge loss, `factors` the factors from each term to that at the next reference outwards.
struct Terms {
    parts: [[f64; CHUNK]; 2],
    factors: [[f64; CHUNK]; 2],
}

impl Terms {
    /// Goes through read references outwards, and calls `tell` for each with its number of cells beyond, until that
    /// number is below `least`. Returns the number of references for which `tell` was called.
    fn along<'b>(
        mut self,
        least: f64,
        references: impl Iterator<Item = &'b mut f64>,
        tell: impl Fn(&mut f64, f64),
    ) -> usize {
        let mut told = 0;
        for reference in references {
            let found = self.sum_and_go_on();
            if found < least {
                break;
            }
            tell(reference, found);
            told += 1;
        }
        told
    }

    /// Returns the number of cells beyond the present read reference, and advances to the next reference.
    #[inline(always)]
    fn sum_and_go_on(&mut self) -> f64 {
        let [near, far] = &mut self.parts;
        let mut sums = [0.0; CHUNK];
        for at in 0..CHUNK {
            sums[at] = near[at] + far[at];
            near[at] *= self.factors[0][at];
            far[at] *= self.factors[1][at];
        }
        let mut half = CHUNK / 2;
        while half > 0 {
            for at in 0..half {
                sums[at] += sums[at + half];
            }
            half /= 2;
        }
        sums[0]
    }
}

impl BinGroup {
    /// Makes a group of bins of which all are empty: a bin without cells adds nothing to any sum.
    const fn empty() -> Self {
        let (zeros, ones) = ([0.0; TOGETHER], [1.0; TOGETHER]);
        Self {
            cells: zeros,
            volts: zeros,
            left: zeros,
            near: ones,
            far: ones,
            near_below: zeros,
            far_below: zeros,
            lifted_v: zeros,
        }
    }

    fn put(&mut self, place: usize, Bin { cells, volts, left, beyond, lifted_v }: Bin) {
        let Beyond { near, far, near_below, far_below } = beyond;
        (self.cells[place], self.volts[place], self.left[place]) = (cells, volts, left);
        (self.near[place], self.far[place], self.lifted_v[place]) = (near, far, lifted_v);
        (self.near_below[place], self.far_below[place]) = (near_below, far_below);
    }

    #[inline(always)]
    fn beyond(&self, place: usize) -> Beyond {
        Beyond {
            near: self.near[place],
            far: self.far[place],
            near_below: self.near_below[place],
            far_below: self.far_below[place],
        }
    }

    /// Returns the distance, in volts, from the bin's threshold to the reference, positive outwards on `side`.
    #[inline(always)]
    fn distance(&self, place: usize, reference: f64, side: Side) -> f64 {
        (reference - self.left[place]) * if side == Side::Above { 1.0 } else { -1.0 }
    }

    /// Returns the fraction (0 to 1) of a bin's cells found beyond the reference, where `powers` are e to the exponents
    /// of [`Beyond::powers`]; `lifts` is true if cells lifted by reads count there.
    #[inline(always)]
    fn share(&self, place: usize, reference: f64, side: Side, lifts: bool, powers: [f64; 2]) -> f64 {
        let share = self.beyond(place).share(self.distance(place, reference, side), side, powers);
        let above = reference - self.left[place];
        let lifted = (self.lifted_v[place] / above).min(1.0);
        if lifts & (above > 0.0) { share + (1.0 - share) * lifted } else { share }
    }
}

/// Computes the fraction of cells beyond the reference of every bin of a group into `shares`. Returns false where an
/// exponent is out of range for the vector code. Each step is a loop of its own: the compiler does not vectorise one
/// loop of all steps.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
fn shares_at_once(
    group: &BinGroup,
    reference: f64,
    side: Side,
    lifts: bool,
    shares: &mut [f64; TOGETHER],
) -> bool {
    let (mut nears, mut fars) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for (place, (near, far)) in nears.iter_mut().zip(&mut fars).enumerate() {
        [*near, *far] = group.beyond(place).powers(group.distance(place, reference, side));
    }
    let within = raise(&mut nears) + raise(&mut fars);
    for (place, share) in shares.iter_mut().enumerate() {
        *share = group.share(place, reference, side, lifts, [nears[place], fars[place]]);
    }
    within == 2 * TOGETHER
}

/// Replaces each value x by e^x. Returns the number of values in the range that the vector code handles.
#[inline(always)]
fn raise(values: &mut [f64; TOGETHER]) -> usize {
    let mut within = 0;
    for value in values {
        within += usize::from(is_plain(*value));
        *value = power(*value);
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Noise;
    use crate::cells::normal::Stream;

    #[test]
    fn powers_that_are_taken_on_come_to_those_of_each_reference() {
        for (tail, count) in [(0.0, 40), (0.004, 200), (0.008, 3)] {
            let bins = (0..count).map(|i| {
                let (volts, noise) = (1.0 + 0.004 * f64::from(i), Noise { program_v: 0.03, loss: 0.0, tail });
                Bin {
                    cells: f64::from(i % 7),
                    volts,
                    left: volts - 0.01 * volts,
                    beyond: Beyond::of(&noise, volts),
                    lifted_v: 0.0,
                }
            });
            let bins = Bins::of(bins, f64::NEG_INFINITY);
            let grid = VoltageGrid { low: -1.0, step: 0.005 };
            let mut below = vec![1.0; 1000];
            bins.add_below(2.0, grid, 1e-15, &mut below);
            for (at, found) in below.iter().enumerate() {
                let each = 1.0 + 2.0 * bins.beyond(grid.volts(at), Side::Below);
                assert!((found / each - 1.0).abs() < 1e-12, "{tail}, {count}, {at}: {found} {each}");
            }
        }
    }

    #[test]
    fn many_bins_have_the_cells_of_each() {
        let draws = Stream::new(9);
        for (tail, odd_near) in [(0.0, 0.03), (0.004, 0.03), (0.004, 1e-9)] {
            let mut bins: Vec<Bin> = (0..200)
                .map(|i| {
                    let volts = 5.0 * draws.uniform(3 * i) - 1.0;
                    let noise = Noise { program_v: 0.01 + 0.03 * draws.uniform(3 * i + 1), loss: 0.0, tail };
                    let lifted_v = 0.01 * draws.uniform(3 * i + 2);
                    Bin {
                        cells: (i % 7) as f64,
                        volts,
                        left: volts,
                        beyond: Beyond::of(&noise, volts),
                        lifted_v,
                    }
                })
                .collect();
            // So near that no vector knows the power: its whole group is worked out one by one.
            bins[70].beyond.near = odd_near;
            let all = Bins::of(bins.iter().copied(), 2.0);
            assert!(all.cells().eq(bins.iter().map(|bin| (bin.cells, bin.volts))));
            for (reference, side, lifts) in [
                (1.0, Side::Above, true),
                (2.5, Side::Above, false),
                (1.0, Side::Below, false),
                (-3.0, Side::Above, true),
            ] {
                let one_by_one = bins.iter().fold(0.0, |sum, bin| {
                    let volts = if side == Side::Above { reference - bin.left } else { bin.left - reference };
                    let mut share = bin.beyond.share(volts, side, bin.beyond.powers(volts).map(libm::exp));
                    if lifts && reference > bin.left {
                        share += (1.0 - share) * (bin.lifted_v / (reference - bin.left)).min(1.0);
                    }
                    sum + bin.cells * share
                });
                let ours = all.beyond(reference, side);
                assert!(
                    ours.to_bits() == one_by_one.to_bits(),
                    "{tail}, {side:?}: {ours}, one by one {one_by_one}"
                );
            }
        }
    }
}
