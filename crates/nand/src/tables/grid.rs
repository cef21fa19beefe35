//! Lists of error rates over wear and age, or wear and reads: as many as there must be, and none that falls.

use super::count;
use crate::cells::normal::{above, density, quantile};
use config::{ConfigError, Section, at_least};

/// Constant: least raw bit error rate that a table distinguishes from zero; far below any rate that a drive meets.
const RATE_LEAST: f64 = 1e-20;
/// Constant: greatest raw bit error rate in a table, one half: that of random bits; greater rates count as one half.
const RATE_MOST: f64 = 0.5;

/// Returns the normal quantile of a raw bit error rate: how many standard deviations a normal value must exceed its
/// mean by so that this happens with the probability `rate`. `above` converts the quantile back to the rate.
///
/// The rational approximation alone has a step of a billionth at 0.02425, where error rates would then fall with reads.
/// A step of Halley's method leaves an error by rounding alone.
pub(super) fn rate_quantile(rate: f64) -> f64 {
    let rate = rate.clamp(RATE_LEAST, RATE_MOST);
    let near = -quantile(rate);
    let newton = (above(near) - rate) / density(near);
    near + newton / (1.0 - 0.5 * near * newton)
}

/// Grid points along one axis of an error table in a chip file: the configuration key of the axis, and for each point a
/// string that describes the point in error messages.
pub(super) struct Points {
    pub axis: &'static str,
    pub says: Vec<String>,
}

/// Layout of a list of error rates in a chip file, by which the list is checked: for each program step, outer grid
/// point (wear) and inner grid point (age or reads), one rate per page type.
pub(super) struct Grid<'a> {
    pub each: usize,
    pub outer: &'a Points,
    pub inner: &'a Points,
    pub types: usize,
}

impl Grid<'_> {
    /// Reads the list of error rates under `key` and returns them as normal quantiles.
    ///
    /// # Errors
    /// When there are too many or too few rates, a rate is no ratio, or is below that of less wear, age or reads.
    pub(super) fn rates(
        &self,
        s: &mut Section,
        key: &str,
        help: &'static str,
    ) -> Result<Vec<f64>, ConfigError> {
        let rates: Vec<f64> = s.unit("ratio").within(at_least(0.0).at_most(1.0)).required(key, help)?;
        self.quantiles(s, key, rates)
    }

    fn quantiles(&self, s: &Section, key: &str, rates: Vec<f64>) -> Result<Vec<f64>, ConfigError> {
        let expected = self.each * self.outer.says.len() * self.inner.says.len() * self.types;
        count(s, key, rates.len(), expected, "one for each grid point and page type")?;
        if let Some((index, expected)) = self.falls(&rates) {
            let whole = s.reject(key, &expected);
            return Err(ConfigError {
                key: format!("{}[{index}]", whole.key),
                value: format!("{:e}", rates[index]),
                ..whole
            });
        }
        Ok(rates.into_iter().map(rate_quantile).collect())
    }

    /// Reads a list of error rates as [`Self::rates`] does; returns an empty list if the key is missing.
    pub(super) fn rates_if_any(
        &self,
        s: &mut Section,
        key: &str,
        help: &'static str,
    ) -> Result<Vec<f64>, ConfigError> {
        let found: Option<Vec<f64>> =
            s.unit("ratio").within(at_least(0.0).at_most(1.0)).optional(key, help)?;
        found.map_or(Ok(Vec::new()), |rates| self.quantiles(s, key, rates))
    }

    /// Returns the index of the first error rate that is below the rate of less wear, age or reads beside it in the
    /// grid, and a text that says what was expected; `None` if no rate falls.
    fn falls(&self, rates: &[f64]) -> Option<(usize, String)> {
        let (columns, rows) = (self.inner.says.len(), self.outer.says.len());
        for (index, rate) in rates.iter().enumerate() {
            let point = index / self.types;
            let (row, column) = (point / columns % rows, point % columns);
            let inner = (column > 0).then_some((self.types, self.inner));
            let outer = (row > 0).then_some((self.types * columns, self.outer));
            for (back, along) in inner.into_iter().chain(outer) {
                let before = rates[index - back];
                if *rate < before {
                    let at = format!("{}, {}", self.outer.says[row], self.inner.says[column]);
                    let page = index % self.types;
                    let expected = format!(
                        "at {at}, page type {page}: expected at least {before:e}, as errors never fall along {}",
                        along.axis
                    );
                    return Some((index, expected));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_give_their_rates_back_and_fall_nowhere(log in -46.0..-0.7f64, further in 1e-12..1e-9f64) {
            let seam = 0.02425;
            let pairs = [(log.exp(), log.exp() * (1.0 + further)), (seam * (1.0 - further), seam)];
            for (rate, more) in pairs {
                let back = above(rate_quantile(rate));
                prop_assert!((back / rate - 1.0).abs() < 2e-13, "{rate:e} came back as {back:e}");
                prop_assert!(rate_quantile(rate) > rate_quantile(more), "{more:e} is not more than {rate:e}");
            }
        }
    }
}
