//! Reads of the host by the retries that they took.

use crate::measure::latencies::Latencies;
use crate::sections::sections;

sections! {
    /// Numbers and mean latencies of the host's reads, by the greatest number of read retries that one of their flash
    /// reads took. The lists begin with no retry and end with the largest number that occurred.
    ByRetries {
        /// Fraction of the host's reads, in the result, that took at least one read retry; null without reads.
        share: Option<f64> = "ratio",
        /// List, in the result, of the numbers of the host's reads for each number of read retries, from 0 on.
        requests: Vec<u64> = "requests",
        /// List, in the result, of the mean latencies in nanoseconds of the host's reads for each number of read
        /// retries, from 0 on; null without such reads.
        latency_ns_mean: Vec<Option<f64>> = "ns",
    }
}

/// Counters of the host's reads that took read retries, with the sums of their latencies, by the greatest number of
/// retries of one of the read's flash reads.
#[derive(Default)]
pub(crate) struct Retried {
    /// List of pairs, for each number of retries from 1 on: number of reads, and sum of their latencies in ns.
    rows: Vec<(u64, u128)>,
}

impl Retried {
    #[cold]
    pub fn add(&mut self, retries: u8, latency_ns: u64) {
        let count = usize::from(retries);
        if self.rows.len() < count {
            self.rows.resize(count, (0, 0));
        }
        let (requests, sum_ns) = &mut self.rows[count - 1];
        *requests += 1;
        *sum_ns += u128::from(latency_ns);
    }

    /// Returns the counts and mean latencies of all `reads` by number of read retries, from 0 retries on.
    pub fn by_retries(&self, reads: &Latencies) -> ByRetries {
        let requests: u64 = self.rows.iter().map(|(requests, _)| requests).sum();
        let sum: u128 = self.rows.iter().map(|(_, sum)| sum).sum();
        let mut rows = vec![(reads.requests() - requests, reads.latency_sum_ns - sum)];
        rows.extend(&self.rows);
        let mean = |(requests, sum): &(u64, u128)| (*requests > 0).then(|| *sum as f64 / *requests as f64);
        ByRetries {
            share: mean(&(reads.requests(), u128::from(requests))),
            requests: rows.iter().map(|(requests, _)| *requests).collect(),
            latency_ns_mean: rows.iter().map(mean).collect(),
        }
    }
}
