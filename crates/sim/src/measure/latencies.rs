//! Latencies and bytes of completed requests: of one kind, over all or of one job.

use hdrhistogram::Histogram;

/// Constant: upper bound of the latency histograms in nanoseconds (2^42, over an hour); longer latencies count in the
/// last bucket.
const LATENCY_MAX_NS: u64 = 1 << 42;

/// Record of the latencies of completed requests: histogram and sum of the latencies, and sum of the requests' bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Latencies {
    pub latency: Histogram<u64>,
    pub latency_sum_ns: u128,
    pub bytes: u64,
}

impl Latencies {
    /// Makes an empty latency record; its histogram resolves `digits` significant digits.
    pub fn new(digits: u8) -> Self {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_NS, digits).expect("the bounds are valid");
        Self { latency, latency_sum_ns: 0, bytes: 0 }
    }

    /// Returns a copy of the latency record with fewer significant digits, equal to a record that was filled with these
    /// digits: each bucket of the finer histogram lies within one of the coarser.
    pub fn coarser(&self, digits: u8) -> Self {
        let mut coarser =
            Self { latency_sum_ns: self.latency_sum_ns, bytes: self.bytes, ..Self::new(digits) };
        for bucket in self.latency.iter_recorded() {
            coarser.latency.saturating_record_n(bucket.value_iterated_to(), bucket.count_at_value());
        }
        coarser
    }

    /// Adds the latency in nanoseconds and the bytes of one completed host request to this latency record.
    #[inline]
    pub fn add(&mut self, latency_ns: u64, bytes: u64) {
        self.latency.saturating_record(latency_ns.max(1));
        self.latency_sum_ns += u128::from(latency_ns);
        self.bytes += bytes;
    }

    pub fn requests(&self) -> u64 {
        self.latency.len()
    }

    pub fn mean_ns(&self) -> Option<f64> {
        (self.requests() > 0).then(|| self.latency_sum_ns as f64 / self.requests() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fewer_digits_are_as_if_filled_so(latencies in prop::collection::vec((0..50_u32, any::<u64>()), 0..200)) {
            let [mut fine, mut direct] = [3, 2].map(Latencies::new);
            for (power, draw) in latencies {
                let latency = draw % (1 << power);
                for of in [&mut fine, &mut direct] {
                    of.add(latency, draw % 4096);
                }
            }
            prop_assert_eq!(fine.coarser(2), direct);
        }
    }
}
