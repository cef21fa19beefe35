//! A parabola through measured values.

/// Record of a counted point to which a parabola is fitted: the raw bit error rate, the distance `value` of the point's
/// failures from the scaling law (a normal tail), and the standard deviation of this distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct OffLaw {
    /// Field: raw bit error rate of the counted point.
    pub at: f64,
    pub value: f64,
    pub deviation: f64,
}

/// Record of the distance of a code's counted failures from the scaling law, as a parabola (quadratic function) of the
/// raw bit error rate between two end rates; constant beyond them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parabola {
    ends: (f64, f64),
    /// List of the three coefficients of the parabola (distance of a code's failures from the scaling law), for the
    /// powers 0, 1 and 2 of the position between the two end rates, which goes from -1 to 1.
    factors: [f64; 3],
}

impl Parabola {
    /// Fits the parabola that lies nearest to these distances from the scaling law, given by rising raw bit error rate
    /// and weighted by their standard deviations; a line for two distances, a constant for one.
    pub fn through(values: &[OffLaw]) -> Self {
        let powers = values.len().min(3);
        let mut of = Self { ends: (values[0].at, values[values.len() - 1].at), factors: [0.0; 3] };
        // Normal equations, the right side last.
        let mut rows = [[0.0; 4]; 3];
        for OffLaw { at, value, deviation } in values {
            let place = of.place(*at);
            let terms = [1.0, place, place * place, *value];
            let weight = 1.0 / (deviation * deviation);
            for row in 0..powers {
                for (sum, term) in rows[row].iter_mut().zip(terms) {
                    *sum += weight * terms[row] * term;
                }
            }
        }
        for pivot in 0..powers {
            for row in 0..powers {
                let share = if row == pivot { 0.0 } else { rows[row][pivot] / rows[pivot][pivot] };
                let of_pivot = rows[pivot];
                for (value, of_pivot) in rows[row].iter_mut().zip(of_pivot) {
                    *value -= share * of_pivot;
                }
            }
        }
        for (pivot, factor) in of.factors.iter_mut().enumerate().take(powers) {
            *factor = rows[pivot][3] / rows[pivot][pivot];
        }
        of
    }

    /// Returns the value of the parabola at a raw bit error rate: the distance of a code's failures from the scaling
    /// law, in standard deviations.
    pub fn at(&self, at: f64) -> f64 {
        let place = self.place(at.clamp(self.ends.0, self.ends.1));
        let [level, slope, bend] = self.factors;
        level + place * (slope + place * bend)
    }

    fn place(&self, at: f64) -> f64 {
        let (low, high) = self.ends;
        if high > low { 2.0 * (at - low) / (high - low) - 1.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: &[(f64, f64, f64)]) -> Vec<OffLaw> {
        values
            .iter()
            .map(|(at, value, deviation)| OffLaw { at: *at, value: *value, deviation: *deviation })
            .collect()
    }

    #[test]
    fn values_of_a_parabola_give_it_back() {
        let of = |at: f64| 0.3 - 0.2 * at + 5.0 * at * at;
        let values: Vec<(f64, f64, f64)> =
            (1..=6).map(|at| 0.1 * f64::from(at)).map(|at| (at, of(at), 1.0 + at)).collect();
        let found = Parabola::through(&measured(&values));
        for at in [0.1, 0.27, 0.6] {
            assert!((found.at(at) - of(at)).abs() < 1e-12, "{at}: {}", found.at(at));
        }
        // Level beyond both ends.
        assert!((found.at(0.0) - of(0.1)).abs() < 1e-12 && (found.at(9.0) - of(0.6)).abs() < 1e-12);
    }

    #[test]
    fn few_values_give_a_line_or_a_level_and_sure_ones_weigh_more() {
        let line = Parabola::through(&measured(&[(1.0, 2.0, 0.1), (3.0, 6.0, 5.0)]));
        assert!((line.at(2.0) - 4.0).abs() < 1e-12);
        assert_eq!(Parabola::through(&measured(&[(1.0, 2.0, 0.1)])).at(7.0), 2.0);
        // Four values of a level, one of them off by much and known badly.
        let level = Parabola::through(&measured(&[
            (0.0, 1.0, 0.1),
            (1.0, 1.0, 0.1),
            (2.0, 3.0, 100.0),
            (3.0, 1.0, 0.1),
        ]));
        assert!((level.at(1.5) - 1.0).abs() < 1e-3, "{}", level.at(1.5));
    }
}
