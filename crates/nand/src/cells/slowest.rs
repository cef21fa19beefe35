//! The slowest cells of a block: what wear makes of their offsets, of many at once.

use super::Wear;
use super::exponentials::{is_plain, logarithm, power};
use multiversion::multiversion;

/// Constant: number of rounds of fixed-point iteration that compute the programming offset of the slowest cell, to a
/// hundredth of a millivolt for the spreads of real flash parts.
const ROUNDS: u32 = 6;
/// Constant: number of slow cells for which vector code computes the programming offsets at once.
const AT_ONCE: usize = 64;

/// Record of one slow-programming cell with a given wear, for which the programming offset (volts higher than for a
/// mean cell that the pulses must go) is to be computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowCell {
    /// Distance of the cell from the mean towards slow programming, in standard deviations.
    pub deviation: f64,
    /// Wear of the cell, in program/erase cycles.
    pub worn: f64,
}

/// Set of the properties that all slow-programming cells of a block share: wear law, oxide trapping and spread of
/// cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowCells<'a> {
    /// Field: wear law of these cells, parameters by which oxide trapping grows with program/erase cycles.
    pub wear: &'a Wear,
    /// Oxide trapping of the block, as a factor relative to a mean block.
    pub trapping: f64,
    /// Standard deviation of the programming offsets of fresh cells, volts.
    pub sigma: f64,
}

impl SlowCells<'_> {
    /// Computes the programming offset of each of `cells` (volts higher than for a mean cell that the program pulses
    /// must go) into `offsets`, as [`slow_offset`] does for one cell.
    pub fn offsets(&self, cells: &[SlowCell], offsets: &mut Vec<f64>) {
        offsets.clear();
        for cells in cells.chunks(AT_ONCE) {
            let mut deviations = [0.0; AT_ONCE];
            let mut worn = [self.wear.reference(); AT_ONCE];
            for (cell, (deviation, cycles)) in cells.iter().zip(deviations.iter_mut().zip(&mut worn)) {
                (*deviation, *cycles) = (cell.deviation, cell.worn);
            }
            let mut found = [0.0; AT_ONCE];
            if offsets_at_once(self, &deviations, &worn, &mut found) {
                offsets.extend_from_slice(&found[..cells.len()]);
            } else {
                offsets.extend(cells.iter().map(|cell| self.offset(*cell)));
            }
        }
    }

    fn offset(&self, SlowCell { deviation, worn }: SlowCell) -> f64 {
        let gained = self.gained(self.wear.trapped_v(worn));
        slow_offset(self.sigma, self.wear.cell_spread, deviation, gained)
    }

    #[inline(always)]
    fn gained(&self, trapped_v: f64) -> f64 {
        self.wear.program * trapped_v * self.trapping
    }
}

/// Computes the programming offsets of 64 slow cells into `offsets`, volts. Returns false where a number is out of
/// range for the vector code. Each step is a loop of its own: the compiler does not vectorise one loop of all steps.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
fn offsets_at_once(
    of: &SlowCells,
    deviations: &[f64; AT_ONCE],
    worn: &[f64; AT_ONCE],
    offsets: &mut [f64; AT_ONCE],
) -> bool {
    let (sigma, spread) = (of.sigma, of.wear.cell_spread);
    let mut within = 0;
    let mut gained = [0.0; AT_ONCE];
    for ((gained, worn), deviation) in gained.iter_mut().zip(worn).zip(deviations) {
        let x = of.wear.over_reference(*worn);
        // Every such number has a logarithm, every root of it a power; no round goes further out than the deviation.
        let normal = (f64::MIN_POSITIVE..=f64::MAX).contains(&x);
        within += usize::from(normal & is_plain(spread * deviation));
        *gained = of.gained(of.wear.trapped_at(logarithm(x), power));
    }
    let mut littles = [0.0; AT_ONCE];
    for _ in 0..ROUNDS {
        for ((little, gained), deviation) in littles.iter_mut().zip(&gained).zip(deviations) {
            *little = next_little(sigma, spread, *deviation, *gained, power(-spread * *little));
        }
    }
    for (((offset, little), gained), deviation) in offsets.iter_mut().zip(littles).zip(gained).zip(deviations)
    {
        *offset = offset_of(sigma, *deviation, gained, little, power(-spread * little));
    }
    within == AT_ONCE
}

/// Returns the programming offset, in volts, of the cell that lies `deviation` standard deviations out towards slow
/// programming. Fresh cells differ by `sigma` volts; trapping makes a mean cell faster by `gained` volts, with a
/// logarithm that spreads by `spread`. The slowest cell is one that starts slow *and* traps little: of all pairs so far
/// from the middle, the worst (the design point of first-order reliability).
pub(crate) fn slow_offset(sigma: f64, spread: f64, deviation: f64, gained: f64) -> f64 {
    let mut little = 0.0;
    for _ in 0..ROUNDS {
        little = next_little(sigma, spread, deviation, gained, libm::exp(-spread * little));
    }
    offset_of(sigma, deviation, gained, little, libm::exp(-spread * little))
}

/// Returns the next approximation of how far the slowest cell lies towards little charge trapping, in standard
/// deviations; `share` is the charge that such a cell traps over the charge that a mean cell traps. While `spread`
/// times `deviation` is below one, each step of the iteration leaves at most a third of the error.
#[inline(always)]
fn next_little(sigma: f64, spread: f64, deviation: f64, gained: f64, share: f64) -> f64 {
    let slope = gained * spread * share / sigma;
    deviation * slope / (1.0 + slope * slope).sqrt()
}

#[inline(always)]
fn offset_of(sigma: f64, deviation: f64, gained: f64, little: f64, share: f64) -> f64 {
    let slow = (deviation * deviation - little * little).max(0.0).sqrt().copysign(deviation);
    sigma * slow - gained * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::CellPhysics;
    use crate::cells::normal::{Stream, largest, quantile};
    use config::{Document, Section};

    #[test]
    fn many_cells_have_the_offsets_of_each() {
        let document = Document::parse("chip.toml", include_str!("../../../../chips/tlc-3d-256g.toml"));
        let document = document.unwrap_or_else(|error| panic!("{error}"));
        let physics = CellPhysics::read(&mut Section::root(&document), crate::Cell::Tlc);
        let physics = physics.unwrap_or_else(|error| panic!("{error}")).expect("the chip has cells");
        let wear = &physics.wear;
        let of = SlowCells { wear, trapping: 1.1, sigma: physics.offset_sigma };
        let draws = Stream::new(8);
        // No wear, hardly any and too much for vectors, a deviation beyond theirs: those are worked out one by one.
        let worn = [0.0, 1e-320, f64::INFINITY, 1e300, 1.0];
        let odd = worn.map(|worn| SlowCell { deviation: 4.0, worn });
        let far = SlowCell { deviation: 1e6, worn: 1.0 };
        for odd in odd.into_iter().chain([far]) {
            let mut cells: Vec<SlowCell> = (0..1000)
                .map(|i| {
                    let deviation = 12.0 * draws.uniform(2 * i) - 3.0;
                    SlowCell { deviation, worn: libm::exp(14.0 * draws.uniform(2 * i + 1)) }
                })
                .collect();
            cells.insert(700, odd);
            let mut offsets = vec![1.0; 3];
            of.offsets(&cells, &mut offsets);
            assert_eq!(offsets.len(), cells.len());
            for (cell, ours) in cells.iter().zip(offsets) {
                let gained = wear.program * wear.trapped_v(cell.worn) * of.trapping;
                let alone = slow_offset(of.sigma, wear.cell_spread, cell.deviation, gained);
                assert!(
                    ours.to_bits() == alone.to_bits() || alone.is_nan(),
                    "{cell:?}: {ours}, alone {alone}"
                );
            }
        }
    }

    #[test]
    fn the_slowest_cell_is_the_one_that_many_cells_show() {
        let (sigma, cells, wordlines) = (0.09, 4096, 41);
        let draws = Stream::new(7);
        let normal = |of: u64, cell: u64| quantile(draws.of(of).uniform(cell));
        for gained in [0.0, 0.2, 0.6, 1.2] {
            let mut slowest: Vec<f64> = (0..wordlines)
                .map(|wordline| {
                    let cell = |cell: u64| {
                        sigma * normal(2 * wordline, cell)
                            - gained * libm::exp(0.18 * normal(2 * wordline + 1, cell))
                    };
                    (0..cells).map(cell).fold(f64::MIN, f64::max)
                })
                .collect();
            slowest.sort_by(f64::total_cmp);
            let median = slowest[slowest.len() / 2];
            let ours = slow_offset(sigma, 0.18, largest(cells as f64, 0.5), gained);
            assert!(
                (ours - median).abs() < 0.03,
                "{gained} V gained: {ours} V, of {wordlines} wordlines {median} V"
            );
        }
    }
}
