//! How many of many cells lie below a reference, and which cell has a rank: exact, without sorting them.

/// Buckets that cells are put into by their volts. Only the cells of one bucket are looked at for an answer.
const BUCKETS: usize = 1 << 12;

/// Threshold voltages of at least one cell, in buckets from the lowest to the highest.
pub(super) struct Ranks {
    scale: Scale,
    /// How many cells lie in the buckets before each, and in all.
    before: Vec<usize>,
    /// The cells, bucket after bucket, in any order within one.
    volts: Vec<f32>,
}

/// Which volts are in which bucket.
#[derive(Clone, Copy)]
struct Scale {
    lowest: f32,
    per_volt: f32,
}

impl Scale {
    /// A higher cell is in no lower bucket, since neither difference nor product of numbers falls when one rises.
    fn bucket(self, volts: f32) -> usize {
        (((volts - self.lowest) * self.per_volt) as usize).min(BUCKETS - 1)
    }
}

impl Ranks {
    /// # Panics
    /// When there is no cell.
    pub fn of(volts: &[f32]) -> Self {
        let lowest = volts.iter().copied().fold(f32::INFINITY, f32::min);
        let highest = volts.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert!(lowest <= highest, "a state needs a cell");
        let scale = Scale { lowest, per_volt: (BUCKETS - 1) as f32 / (highest - lowest) };
        let mut before = vec![0; BUCKETS + 1];
        for volts in volts {
            before[scale.bucket(*volts) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            before[bucket + 1] += before[bucket];
        }
        let (mut next, mut placed) = (before.clone(), vec![0.0; volts.len()]);
        for volts in volts {
            let place = &mut next[scale.bucket(*volts)];
            placed[*place] = *volts;
            *place += 1;
        }
        Self { scale, before, volts: placed }
    }

    pub const fn count(&self) -> usize {
        self.volts.len()
    }

    /// Cells below `reference`, volts.
    pub fn below(&self, reference: f64) -> usize {
        let bucket = self.scale.bucket(reference as f32);
        let here = &self.volts[self.before[bucket]..self.before[bucket + 1]];
        self.before[bucket] + here.iter().filter(|volts| f64::from(**volts) < reference).count()
    }

    /// Volts of the cell that so many others lie below or beside.
    pub fn at(&self, rank: usize) -> f64 {
        let bucket = self.before.partition_point(|before| *before <= rank) - 1;
        let mut here = self.volts[self.before[bucket]..self.before[bucket + 1]].to_vec();
        let (_, found, _) = here.select_nth_unstable_by(rank - self.before[bucket], f32::total_cmp);
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
