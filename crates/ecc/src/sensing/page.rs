//! The values that a page's cells come as.

use super::place::{Placement, place};
use nand::cells::distribution::Spread;
use nand::cells::normal::quantile;
use nand::tables::Spreads;

/// Constant: greatest magnitude of a log-likelihood ratio that is assigned to a received value: the bit is then
/// practically certain. It also limits the ratios that follow from fractions of cells too small to count.
const CERTAIN: f64 = 30.0;
/// Constant: fraction of a state's cells on the wrong side of a boundary from which on a page with normally distributed
/// states is refused: states as wide as this reach beyond their neighbour, too.
const WIDEST: f64 = 0.2;

/// Record that describes a page of flash cells for the sensing model: the distribution of threshold voltages of each
/// state, and which states store a one in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    spreads: Spreads,
    ones: Vec<bool>,
    /// List with, for each boundary between states at which the page's bit changes, the index of its lower state.
    boundaries: Vec<usize>,
}

/// Record of the values as which a page's bits are received (zones of threshold voltage), in lists from the surest zero
/// to the surest one: the fraction of bits received as each value, and the log-likelihood ratios.
#[derive(Clone, Debug, PartialEq)]
pub struct Zones {
    /// Pair of lists, one for a stored zero bit and one for a stored one bit, of the fraction (0 to 1) of the bits that
    /// are received as each value (zone of threshold voltage).
    pub shares: [Vec<f64>; 2],
    /// List of the log-likelihood ratios that the controller assigns to the received values, above zero where a zero
    /// bit is more likely.
    pub ratios: Vec<f64>,
}

/// Record of the calculated result of sensing a page: the reference voltages used, and the values as which bits can be
/// received (zones of threshold voltage), each with its log-likelihood ratio and the fractions of the zero bits and of
/// the one bits that are received as it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensed {
    /// List with, for each boundary between states at which the page's bit changes, the rising reference voltages of
    /// its comparisons, volts.
    pub references_v: Vec<Vec<f64>>,
    /// Field: values as which the page's bits are received: the zones of threshold voltage into which the comparisons
    /// divide the cells.
    pub zones: Zones,
}

impl Page {
    /// Makes a page from the distributions of its cells' states and the bit of each state (true: a one); `None` if the
    /// bit never changes.
    ///
    /// # Panics
    /// When there are more or fewer bits than states.
    pub fn new(spreads: Spreads, ones: Vec<bool>) -> Option<Self> {
        assert_eq!(ones.len(), spreads.states(), "a bit of each state");
        let boundaries: Vec<usize> =
            (0..ones.len() - 1).filter(|state| ones[*state] != ones[state + 1]).collect();
        (!boundaries.is_empty()).then_some(Self { spreads, ones, boundaries })
    }

    /// Makes a page whose states are normally distributed, equally far from each other and equally wide: so wide that
    /// the middle comparison misreads the fraction `rate` of the page's bits. Two states, a one and a zero, are
    /// Gaussian noise.
    ///
    /// Returns `None` if no bit changes, or no width misreads so much.
    pub fn normal(ones: Vec<bool>, rate: f64) -> Option<Self> {
        let changes = ones.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
        // At each boundary where the bit changes, two states of all have this part of their cells on the wrong side.
        let wrong = rate * ones.len() as f64 / (2.0 * changes);
        if !(wrong > 0.0 && wrong < WIDEST) {
            return None;
        }
        let deviation = -0.5 / quantile(wrong);
        let states: Vec<Spread> = (0..ones.len()).map(|at| Spread { mean: at as f64, deviation }).collect();
        Self::new(Spreads::of_normals(&states), ones)
    }

    /// Returns the distributions of the threshold voltages of the page's cells, one distribution for each state.
    pub const fn spreads(&self) -> &Spreads {
        &self.spreads
    }

    /// Returns, for each boundary between states at which the page's bit changes, the index of its lower state.
    pub fn boundaries(&self) -> &[usize] {
        &self.boundaries
    }

    /// Returns, for sent zeros and for sent ones, the fraction of bits received as each value when the cells at each
    /// boundary are compared with these rising references, given as indices in the grid of voltages, equally many at
    /// each boundary. A value stands for all zones that lie equally far from a boundary on the side of the same bit;
    /// beyond the outermost references all cells have the same value.
    pub(super) fn shares(&self, references: &[Vec<usize>]) -> [Vec<f64>; 2] {
        let middle = references[0].len() / 2;
        let values = 2 * (middle + 1);
        let mut shares = [vec![0.0; values], vec![0.0; values]];
        let holding = self.ones.iter().filter(|one| **one).count() as f64;
        let each = [1.0 / (self.ones.len() as f64 - holding), 1.0 / holding];
        for (state, one) in self.ones.iter().enumerate() {
            let of_bit = &mut shares[usize::from(*one)];
            let each = each[usize::from(*one)];
            let mut before = 0.0;
            for (boundary, references) in self.boundaries.iter().zip(references) {
                let lower = self.ones[*boundary];
                for (number, reference) in references.iter().enumerate() {
                    let below = self.spreads.below(state, *reference);
                    of_bit[value(number, middle, lower)] += each * (below - before).max(0.0);
                    before = before.max(below);
                }
            }
            let last = self.ones[self.ones.len() - 1];
            of_bit[if last { values - 1 } else { 0 }] += each * (1.0 - before);
        }
        shares
    }
}

/// Returns the index of the received value for a cell in the zone just below reference `number`, counted from 0 among
/// the `2 middle + 1` references of a boundary between states; `lower` is the bit of the state below the boundary.
const fn value(number: usize, middle: usize, lower: bool) -> usize {
    // Away from the boundary on the lower side, then on the upper.
    let is_lower = number <= middle;
    let away = if is_lower { middle - number } else { number - middle - 1 };
    if is_lower == lower { middle + 1 + away } else { middle - away }
}

impl Zones {
    /// Makes the record of received values (zones of threshold voltage) that occur with the fractions `shares`; their
    /// log-likelihood ratios are computed from the fractions `known`, which the controller assumes to be right.
    pub fn new(shares: [Vec<f64>; 2], known: &[Vec<f64>; 2]) -> Self {
        let ratio = |(zero, one): (&f64, &f64)| {
            if *zero <= 0.0 && *one <= 0.0 {
                return 0.0;
            }
            (libm::log(zero.max(1e-300)) - libm::log(one.max(1e-300))).clamp(-CERTAIN, CERTAIN)
        };
        let ratios = known[0].iter().zip(&known[1]).map(ratio).collect();
        Self { shares, ratios }
    }

    /// Makes the record of the two received values (a zero or a one) of a hard read with raw bit error rate `rate`.
    pub fn flips(rate: f64) -> Self {
        let shares = [vec![1.0 - rate, rate], vec![rate, 1.0 - rate]];
        Self::new(shares.clone(), &shares)
    }

    /// Returns the same hard read with `ratio` and its negative as the log-likelihood ratios of its two values.
    ///
    /// # Panics
    /// When these are not the two values of a hard read.
    #[must_use]
    pub fn told_with(self, ratio: f64) -> Self {
        assert_eq!(self.ratios.len(), 2, "values of a hard read");
        Self { ratios: vec![ratio, -ratio], ..self }
    }

    /// Returns the raw bit error rate (0 to 1) of the middle comparison alone, a hard read.
    pub fn rate(&self) -> f64 {
        let half = self.ratios.len() / 2;
        let wrong = self.shares[0][half..].iter().chain(&self.shares[1][..half]);
        0.5 * wrong.sum::<f64>()
    }

    /// Returns the mutual information between a stored bit and the value received for it (zone of threshold voltage),
    /// in bits.
    pub fn information(&self) -> f64 {
        information(&self.shares)
    }
}

/// Returns the mutual information between a bit, equally often zero and one, and the value received, in bits.
pub(super) fn information(shares: &[Vec<f64>; 2]) -> f64 {
    let of_value = |(zero, one): (&f64, &f64)| {
        let both = zero + one;
        let part = |share: f64| if share > 0.0 { 0.5 * share * libm::log2(2.0 * share / both) } else { 0.0 };
        part(*zero) + part(*one)
    };
    shares[0].iter().zip(&shares[1]).map(of_value).sum()
}

/// Senses the page `page` with the read references and log-likelihood ratios that would be right for the page `known`,
/// which the controller assumes.
///
/// # Panics
/// When the two pages differ in the boundaries at which the bit changes or in their grid of reference voltages, or
/// there are no soft bits or too many.
pub fn sense(page: &Page, known: &Page, soft_bits: u32, placement: Placement) -> Sensed {
    assert_eq!(page.boundaries, known.boundaries, "pages of one part");
    assert!(page.spreads.shares_references(&known.spreads), "pages of one part");
    let references = place(known, soft_bits, placement);
    let volts = |references: &Vec<usize>| references.iter().map(|at| known.spreads.volts(*at)).collect();
    Sensed {
        references_v: references.iter().map(volts).collect(),
        zones: Zones::new(page.shares(&references), &known.shares(&references)),
    }
}
