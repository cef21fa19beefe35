//! Reads of the host by the retries that they took.

use crate::measure::latencies::Latencies;
use crate::sections::sections;

sections! {
    /// Numbers and mean latencies of the host's reads, by the greatest number of read retries that one of their flash
    /// reads took. The lists begin with no retry and end with the largest number that occurred.
    ByRetries {
        /// Fraction of the host's reads that took at least one read retry; null without reads.
        share: Option<f64> = "ratio",
        /// Number of the host's reads for each number of read retries, from 0 on; the eighth entry also counts reads
        /// with more retries.
        requests: Vec<u64> = "requests",
        /// Mean latency of the host's reads for each number of read retries, from 0 on; null without such reads.
        latency_ns_mean: Vec<Option<f64>> = "ns",
    }
}

/// Greatest number of read retries for which reads are counted separately; reads with more retries are counted with
/// this number.
const RETRIES_MAX: usize = 7;

/// Counters of the host's reads that took read retries, with the sums of their latencies, by the greatest number of
/// retries of one of the read's flash reads.
#[derive(Default)]
pub(crate) struct Retried {
    requests: [u64; RETRIES_MAX],
    latency_sum_ns: [u128; RETRIES_MAX],
}

impl Retried {
    #[cold]
    pub fn add(&mut self, retries: u8, latency_ns: u64) {
        let at = usize::from(retries).min(RETRIES_MAX) - 1;
        self.requests[at] += 1;
        self.latency_sum_ns[at] += u128::from(latency_ns);
    }

    /// Returns the counts and mean latencies of all `reads` by number of read retries, from 0 retries on.
    pub fn by_retries(&self, reads: &Latencies) -> ByRetries {
        let (requests, sum): (u64, u128) = (self.requests.iter().sum(), self.latency_sum_ns.iter().sum());
        let mut rows = vec![(reads.requests() - requests, reads.latency_sum_ns - sum)];
        rows.extend(self.requests.iter().copied().zip(self.latency_sum_ns));
        let most = rows.iter().rposition(|(requests, _)| *requests > 0).unwrap_or(0);
        let mean = |(requests, sum): &(u64, u128)| (*requests > 0).then(|| *sum as f64 / *requests as f64);
        ByRetries {
            share: mean(&(reads.requests(), u128::from(requests))),
            requests: rows[..=most].iter().map(|(requests, _)| *requests).collect(),
            latency_ns_mean: rows[..=most].iter().map(mean).collect(),
        }
    }
}
