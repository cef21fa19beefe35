//! How fast requests may go out: a rate per direction, even or random.

use super::value;
use engine::RandomStream;

/// A rate as a job file gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Bytes in a second.
    BytesPerSecond(u64),
    /// Requests in a second.
    RequestsPerSecond(u64),
}

impl Rate {
    /// Reads bytes in a second, `10m`.
    pub fn bytes(text: &str, kb_base: u64) -> Result<Self, &'static str> {
        const EXPECTED: &str = "bytes per second such as 10m, at least 1";
        value::bytes(text, kb_base).ok().filter(|rate| *rate > 0).map(Self::BytesPerSecond).ok_or(EXPECTED)
    }

    /// Reads requests in a second, `500`.
    pub fn requests(text: &str, kb_base: u64) -> Result<Self, &'static str> {
        const EXPECTED: &str = "requests per second, at least 1";
        value::bytes(text, kb_base).ok().filter(|rate| *rate > 0).map(Self::RequestsPerSecond).ok_or(EXPECTED)
    }
}

/// When the next request of a direction is due. The schedule is absolute: a drive that falls behind is asked for
/// what is overdue as soon as it has room, as fio does.
#[derive(Clone, Debug)]
pub struct Pace {
    rate: Rate,
    poisson: bool,
    due_ns: u64,
    /// What the last division left over, in units of 1 / rate ns, so that no rounding adds up.
    remainder: u64,
}

impl Pace {
    /// An even pace from `start_ns` on: it starts with a request.
    pub fn even(rate: Rate, start_ns: u64) -> Self {
        Self { rate, poisson: false, due_ns: start_ns, remainder: 0 }
    }

    /// A random pace from `start_ns` on: with requests by number it starts with a wait.
    pub fn poisson(rate: Rate, start_ns: u64, random: &mut RandomStream) -> Self {
        let mut pace = Self { poisson: true, ..Self::even(rate, start_ns) };
        if let Rate::RequestsPerSecond(_) = rate {
            pace.advance(1, random);
        }
        pace
    }

    /// When the next request is due.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// A request of `bytes` goes out; the next is due that much later.
    pub fn advance(&mut self, bytes: u64, random: &mut RandomStream) {
        let (amount, rate) = match self.rate {
            Rate::BytesPerSecond(rate) => (bytes, rate),
            Rate::RequestsPerSecond(rate) => (1, rate),
        };
        let step = if self.poisson {
            let mean_ns = amount as f64 * 1e9 / rate as f64;
            (-(1.0 - random.unit()).ln() * mean_ns).round() as u64
        } else {
            // Below 2^32 bytes times 10^9 plus a rate up to 2^60: no overflow.
            let owed = amount * 1_000_000_000 + self.remainder;
            self.remainder = owed % rate;
            owed / rate
        };
        self.due_ns = self.due_ns.saturating_add(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_pace_never_drifts() {
        let mut random = RandomStream::new(1, "test");
        // 3 requests a second: the n-th is due at n/3 s, rounded down, however many went before.
        let mut pace = Pace::even(Rate::RequestsPerSecond(3), 5);
        for n in 0..100_000u64 {
            assert_eq!(pace.due_ns(), 5 + n * 1_000_000_000 / 3);
            pace.advance(4096, &mut random);
        }
        let mut pace = Pace::even(Rate::BytesPerSecond(7_000_003), 0);
        for n in 0..100_000u64 {
            assert_eq!(pace.due_ns(), n * 4096 * 1_000_000_000 / 7_000_003);
            pace.advance(4096, &mut random);
        }
    }

    #[test]
    fn a_random_pace_has_the_mean_and_spread_of_an_exponential() {
        let mut random = RandomStream::new(2, "test");
        let mut pace = Pace::poisson(Rate::RequestsPerSecond(1000), 0, &mut random);
        let (count, mut sum, mut squares) = (200_000u32, 0.0, 0.0);
        for _ in 0..count {
            let before = pace.due_ns();
            pace.advance(4096, &mut random);
            let gap = (pace.due_ns() - before) as f64 / 1e6;
            sum += gap;
            squares += gap * gap;
        }
        let mean = sum / f64::from(count);
        let variance = squares / f64::from(count) - mean * mean;
        // Standard errors: 1/sqrt(n) = 0.0022 of the mean, sqrt(8/n) = 0.0063 of the variance; four of each.
        assert!((mean - 1.0).abs() < 0.009, "{mean}");
        assert!((variance - 1.0).abs() < 0.026, "{variance}");
    }
}
