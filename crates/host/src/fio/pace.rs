//! How fast requests may go out: a rate per direction, even or random.

use super::blocks::BlockSizes;
use super::job::JobSpec;
use super::value;
use engine::RandomStream;

/// Kind of limit on a fio job's rate, with its value, as the job file gives it: bytes per second (`rate`) or requests
/// per second (`rate_iops`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Case of rate limit: the fio job transfers at most this number of bytes per second.
    BytesPerSecond(u64),
    /// Case of rate limit: the fio job makes at most this number of requests per second.
    RequestsPerSecond(u64),
}

impl Rate {
    /// Parses the value of fio's `rate`, in bytes per second, such as `10m`; `None` inside the result for 0, no limit.
    pub fn bytes(text: &str, kb_base: u64) -> Result<Option<Self>, &'static str> {
        let rate =
            value::bytes(text, kb_base).map_err(|_| "bytes per second such as 10m, or 0 for no limit")?;
        Ok(Some(Self::BytesPerSecond(rate)).filter(|_| rate > 0))
    }

    /// Parses the value of fio's `rate_iops`, in requests per second; `None` inside the result for 0, no limit.
    pub fn requests(text: &str, kb_base: u64) -> Result<Option<Self>, &'static str> {
        let rate = value::bytes(text, kb_base).map_err(|_| "requests per second, or 0 for no limit")?;
        Ok(Some(Self::RequestsPerSecond(rate)).filter(|_| rate > 0))
    }
}

const US_PER_SECOND: u64 = 1_000_000;
const NS_PER_US: u64 = 1_000;

/// Kind of step in time from the due time of one request of a fio job to the due time of the next, in a direction with
/// a rate limit: proportional to the length of the request, constant, or random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DueStep {
    /// Case of step between due times of a fio job's requests: proportional to the length of the request, at this
    /// number of bytes per second.
    PerByte(u64),
    /// Case of step between due times of a fio job's requests: this number of nanoseconds, for requests of any length.
    Even(u64),
    /// Case of step between due times of a fio job's requests: exponentially distributed, with this mean in
    /// microseconds, and cut to whole microseconds.
    Poisson(u64),
}

impl DueStep {
    /// Computes the time step between due times that fio (3.42) derives from a rate limit and block sizes. A limit in
    /// requests per second is converted to bytes per second with the shortest block, so that a job with several sizes
    /// makes fewer requests; with a `bssplit` the step is the same for each request, in whole us. Random (Poisson) gaps
    /// have the mean that belongs to the shortest block at this rate, at any sizes.
    fn of(rate: Rate, blocks: &BlockSizes, is_poisson: bool) -> Self {
        let least = blocks.least();
        let (bytes, requests) = match rate {
            Rate::BytesPerSecond(bytes) => (bytes, bytes / least),
            Rate::RequestsPerSecond(requests) => (requests.saturating_mul(least), requests),
        };
        let is_split = matches!((rate, blocks), (Rate::RequestsPerSecond(_), BlockSizes::Split(_)));
        match US_PER_SECOND.checked_div(requests).unwrap_or(US_PER_SECOND) {
            mean_us if is_poisson => Self::Poisson(mean_us),
            gap_us if is_split => Self::Even(gap_us * NS_PER_US),
            _ => Self::PerByte(bytes),
        }
    }
}

impl JobSpec {
    /// Returns the fio job's rate limit in a direction, in bytes or requests per second (`rate`, `rate_iops`); `None`
    /// without a limit.
    pub fn rate_of(&self, direction: usize) -> Option<Rate> {
        self.rate[direction].or(self.rate_iops[direction])
    }

    /// Returns true if any direction that the fio job uses has a limit on its rate.
    pub fn is_paced(&self) -> bool {
        self.directions().iter().any(|direction| self.rate_of(*direction).is_some())
    }

    /// Returns the requests per second that fio really makes in a direction with a rate, which block sizes or rounded
    /// gaps can make different from the rate asked for; `None` where fio limits nothing.
    pub fn rate_made(&self, direction: usize) -> Option<f64> {
        let blocks = &self.blocks[direction];
        match DueStep::of(self.rate_of(direction)?, blocks, self.poisson) {
            // The mean of an exponential cut to whole us.
            DueStep::Poisson(mean) if mean > 0 => Some(1e6 * (libm::exp(1.0 / mean as f64) - 1.0)),
            DueStep::Even(gap_ns) if gap_ns > 0 => Some(1e9 / gap_ns as f64),
            DueStep::PerByte(bytes) => Some(bytes as f64 / blocks.mean()),
            DueStep::Poisson(_) | DueStep::Even(_) => None,
        }
    }
}

/// Schedule of the requests of one fio job clone in one direction by its rate limit: when the next request is due. Due
/// times do not depend on completions: when a drive falls behind, overdue requests are issued as soon as the queue has
/// a free place, as in fio.
#[derive(Clone, Debug)]
pub struct RatePace {
    step: DueStep,
    due_ns: u64,
    /// Remainder of the last division by the rate of a fio job, in units of 1 / rate ns, so that rounding errors of due
    /// times do not add up.
    remainder: u64,
}

impl RatePace {
    /// Makes the schedule of a fio job clone's requests in one direction from `start_ns` on, the time at which the
    /// first request is due; `None` where the direction has no rate limit.
    pub fn of(job: &JobSpec, direction: usize, start_ns: u64) -> Option<Self> {
        let step = DueStep::of(job.rate_of(direction)?, &job.blocks[direction], job.poisson);
        Some(Self { step, due_ns: start_ns, remainder: 0 })
    }

    /// Returns the time in nanoseconds at which the next request of a fio job clone in this direction is due by its
    /// rate.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Advances the due time of the next request of a fio job clone by the time step that its rate limit sets after a
    /// request of `bytes` bytes.
    pub fn advance(&mut self, bytes: u64, random: &mut RandomStream) {
        let step_ns = match self.step {
            DueStep::Even(step_ns) => step_ns,
            DueStep::Poisson(mean_us) => {
                (-libm::log(1.0 - random.unit()) * mean_us as f64) as u64 * NS_PER_US
            }
            DueStep::PerByte(rate) => {
                // Requests of up to 4 GiB make any rate in bytes per second, and the remainder is below the rate.
                let owed = u128::from(bytes) * 1_000_000_000 + u128::from(self.remainder);
                self.remainder = (owed % u128::from(rate)) as u64;
                (owed / u128::from(rate)) as u64
            }
        };
        self.due_ns = self.due_ns.saturating_add(step_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(rate: Rate, blocks: BlockSizes, is_poisson: bool) -> RatePace {
        RatePace { step: DueStep::of(rate, &blocks, is_poisson), due_ns: 0, remainder: 0 }
    }

    #[test]
    fn an_even_pace_never_drifts() {
        let mut random = RandomStream::new(1, "test");
        // 3 requests a second: the n-th is due at n/3 s, rounded down, however many went before.
        let mut by_number = pace(Rate::RequestsPerSecond(3), BlockSizes::Fixed(4096), false);
        for n in 0..100_000u64 {
            assert_eq!(by_number.due_ns(), n * 1_000_000_000 / 3);
            by_number.advance(4096, &mut random);
        }
        let mut by_bytes = pace(Rate::BytesPerSecond(7_000_003), BlockSizes::Fixed(4096), false);
        for n in 0..100_000u64 {
            assert_eq!(by_bytes.due_ns(), n * 4096 * 1_000_000_000 / 7_000_003);
            by_bytes.advance(4096, &mut random);
        }
    }

    #[test]
    fn the_greatest_rate_is_kept() {
        let mut random = RandomStream::new(1, "test");
        let bytes = 1u64 << 31;
        let mut pace = pace(Rate::RequestsPerSecond(1_000_000_000_000), BlockSizes::Fixed(bytes), false);
        (0..100_000).for_each(|_| pace.advance(bytes, &mut random));
        // More than u64::MAX bytes per second: as many as that, 8.6 requests per ns.
        assert_eq!(
            pace.due_ns(),
            (100_000 * u128::from(bytes) * 1_000_000_000 / u128::from(u64::MAX)) as u64
        );
    }

    #[test]
    fn several_sizes_are_paced_as_fio_paces_them() {
        let mut random = RandomStream::new(1, "test");
        let rate = Rate::RequestsPerSecond(1000);
        // fio 3.33 and 3.42: a range counts its bytes at 1000 of the shortest block a second.
        let mut range = pace(rate, BlockSizes::Range(4096, 65_536), false);
        range.advance(65_536, &mut random);
        assert_eq!(range.due_ns(), 16_000_000);
        // fio 3.42: a split counts requests, in whole us; before, it counted bytes, too.
        let mut split =
            pace(Rate::RequestsPerSecond(300), BlockSizes::Split(vec![(4096, 50), (65_536, 50)]), false);
        split.advance(65_536, &mut random);
        assert_eq!(split.due_ns(), 3_333_000);
        // Random gaps are those of the shortest block at any length.
        let fast =
            pace(Rate::BytesPerSecond(4 << 20), BlockSizes::Split(vec![(4096, 50), (65_536, 50)]), true);
        assert_eq!(fast.step, DueStep::Poisson(976));
    }

    #[test]
    fn a_random_pace_has_the_mean_and_spread_of_an_exponential_cut_to_us() {
        let mut random = RandomStream::new(2, "test");
        for (rate, mean_us) in [(1000, 1000.0f64), (260_000, 3.0)] {
            let mut pace = pace(Rate::RequestsPerSecond(rate), BlockSizes::Fixed(4096), true);
            assert_eq!(pace.due_ns(), 0, "it starts with a request");
            let (count, mut sum, mut squares) = (200_000u32, 0.0, 0.0);
            for _ in 0..count {
                let before = pace.due_ns();
                pace.advance(4096, &mut random);
                let gap = (pace.due_ns() - before) as f64 / 1e3;
                sum += gap;
                squares += gap * gap;
            }
            let mean = sum / f64::from(count);
            let variance = squares / f64::from(count) - mean * mean;
            // Whole us: a geometric distribution. fio makes 395,000 a second of the 260,000.
            let p = 1.0 - (-1.0 / mean_us).exp();
            let (expected, spread) = ((1.0 - p) / p, (1.0 - p) / (p * p));
            // Standard errors: 1/sqrt(n) = 0.0022 of the spread, sqrt(8/n) = 0.0063 of the variance; four of each.
            assert!((mean - expected).abs() < 0.009 * spread.sqrt(), "{mean}");
            assert!((variance / spread - 1.0).abs() < 0.026, "{variance}");
        }
    }
}
