//! How many of many cells lie below a reference, and which cell has a rank: exact, without sorting them.

/// Constant: number of buckets into which cells are sorted by voltage, so that a query examines only the cells of one
/// bucket.
const BUCKETS: usize = 1 << 12;

/// Type of a list of the threshold voltages of at least one cell, all of one state, sorted into buckets of rising
/// voltage.
pub(super) struct Ranks {
    scale: Scale,
    /// List with, for each bucket, the number of cells in all buckets before it; then the number of all cells.
    before: Vec<u32>,
    /// List of the threshold voltages of the cells, volts: bucket after bucket, in any order within a bucket.
    volts: Vec<f32>,
}

/// Type of the linear scale that converts the threshold voltage of a sampled cell to the number of its bucket.
#[derive(Clone, Copy)]
struct Scale {
    lowest: f32,
    per_volt: f32,
}

impl Scale {
    /// Returns the index of the bucket of a voltage. A higher voltage never has a lower bucket, since no difference,
    /// product or rounding of numbers falls when one rises.
    #[inline(always)]
    fn bucket(self, volts: f32) -> u16 {
        const LAST: f32 = (BUCKETS - 1) as f32;
        // Added to a number, it leaves that rounded in its last bits: vectors have no other way to all of them.
        const WHOLE: f32 = (1u32 << 23) as f32;
        let place = (volts - self.lowest) * self.per_volt;
        // No number, where all cells are alike, is the first.
        let place = if place > 0.0 { place } else { 0.0 };
        let place = if place < LAST { place } else { LAST };
        (place + WHOLE).to_bits() as u16
    }
}

/// Returns the lowest and the highest of the threshold voltages; for an empty list, positive infinity as the lowest and
/// negative infinity as the highest.
pub(super) fn extent(volts: &[f32]) -> (f32, f32) {
    // As many at a time as a vector holds: one by one, each waits for the one before.
    const TOGETHER: usize = 8;
    let (mut lowest, mut highest) = ([f32::INFINITY; TOGETHER], [f32::NEG_INFINITY; TOGETHER]);
    for volts in volts.chunks(TOGETHER) {
        for ((lowest, highest), volts) in lowest.iter_mut().zip(&mut highest).zip(volts) {
            *lowest = if volts < lowest { *volts } else { *lowest };
            *highest = if volts > highest { *volts } else { *highest };
        }
    }
    (lowest.into_iter().fold(f32::INFINITY, f32::min), highest.into_iter().fold(f32::NEG_INFINITY, f32::max))
}

impl Ranks {
    /// Makes the list of the cells of one state, with their threshold voltages (volts) sorted into buckets so that the
    /// cells below a read reference are counted quickly.
    ///
    /// # Panics
    /// When there is no cell.
    pub fn of(volts: &[f32]) -> Self {
        let (lowest, highest) = extent(volts);
        assert!(lowest <= highest, "a state needs a cell");
        let scale = Scale { lowest, per_volt: (BUCKETS - 1) as f32 / (highest - lowest) };
        let buckets: Vec<u16> = volts.iter().map(|volts| scale.bucket(*volts)).collect();
        let mut before = vec![0u32; BUCKETS + 1];
        for bucket in &buckets {
            before[usize::from(*bucket) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            before[bucket + 1] += before[bucket];
        }
        let (mut next, mut placed) = (before.clone(), vec![0.0; volts.len()]);
        for (bucket, volts) in buckets.iter().zip(volts) {
            let place = &mut next[usize::from(*bucket)];
            placed[*place as usize] = *volts;
            *place += 1;
        }
        Self { scale, before, volts: placed }
    }

    /// Returns the number of cells in all buckets before this one, and the voltages of this bucket's cells.
    fn within(&self, bucket: usize) -> (usize, &[f32]) {
        let [first, end] = [bucket, bucket + 1].map(|bucket| self.before[bucket] as usize);
        (first, &self.volts[first..end])
    }

    pub const fn count(&self) -> usize {
        self.volts.len()
    }

    /// Returns the number of cells with a threshold below `reference`, volts.
    pub fn below(&self, reference: f64) -> usize {
        let (before, here) = self.within(usize::from(self.scale.bucket(reference as f32)));
        before + here.iter().filter(|volts| f64::from(**volts) < reference).count()
    }

    /// Returns the threshold voltage of the cell with this rank, where rank is the number of cells before it in rising
    /// order.
    pub fn at(&self, rank: usize) -> f64 {
        let (before, here) = self.within(self.before.partition_point(|before| *before as usize <= rank) - 1);
        let mut here = here.to_vec();
        let (_, found, _) = here.select_nth_unstable_by(rank - before, f32::total_cmp);
        f64::from(*found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_and_ranks_are_those_of_sorted_cells(
            mut volts in prop::collection::vec(
                prop_oneof![-3.0f32..6.0, Just(0.0), Just(-0.0), 1.0f32..1.000_01, Just(f32::MIN_POSITIVE / 4.0)],
                1..400,
            ),
            others in prop::collection::vec(-4.0f64..7.0, 1..20),
        ) {
            let ranks = Ranks::of(&volts);
            volts.sort_unstable_by(f32::total_cmp);
            prop_assert_eq!(ranks.count(), volts.len());
            for (rank, volts) in volts.iter().enumerate() {
                prop_assert_eq!(ranks.at(rank).to_bits(), f64::from(*volts).to_bits());
            }
            let exact = volts.iter().map(|volts| f64::from(*volts));
            let beside = exact.clone().flat_map(|volts| [volts.next_down(), volts.next_up()]);
            for reference in exact.clone().chain(beside).chain(others) {
                let below = volts.partition_point(|volts| f64::from(*volts) < reference);
                prop_assert_eq!(ranks.below(reference), below, "{}", reference);
            }
        }
    }
}
