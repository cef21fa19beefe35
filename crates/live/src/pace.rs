//! How simulated time follows the clock on the wall, and how late answers were.

use hdrhistogram::Histogram;
use serde::Serialize;
use sim::Error;
use std::time::{Duration, Instant};
use units::{Nanos, SimTime};

/// Lateness in nanoseconds of real time above which an answer counts as late.
const LATE_NS: u64 = 100_000;
/// Greatest lateness, in nanoseconds, that the histogram of the lateness of the live server's answers resolves; longer
/// times count as this.
const MOST_NS: u64 = 3_600_000_000_000;

/// Kind of pace of the live server, which couples simulated time to real time: as fast as possible, or a fixed pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WallPace {
    /// Case of pace: full speed; the live server simulates as fast as possible, and simulated time passes only while
    /// requests are in flight.
    Max,
    /// Case of pace of the live server: fixed; this number of simulated seconds per second of real time.
    Of(f64),
}

impl WallPace {
    /// Parses a pace: `max`, or a number of simulated seconds per second.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn read(text: &str) -> Result<Self, Error> {
        if text == "max" {
            return Ok(Self::Max);
        }
        match text.parse::<f64>() {
            Ok(pace) if (1e-6..=1e6).contains(&pace) => Ok(Self::Of(pace)),
            _ => Err(Error(format!(
                "--pace {text}: expected max, or a number from 0.000001 to 1000000 (1: real time)"
            ))),
        }
    }
}

/// Clock of the live server for a fixed pace: it converts between simulated time and real time.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// Number of simulated seconds per second of real time.
    pace: f64,
    wall: Instant,
    simulated: SimTime,
}

impl WallClock {
    /// Makes a clock that starts now at simulated time `simulated` and runs at `pace`.
    pub fn new(pace: f64, simulated: SimTime) -> Self {
        Self { pace, wall: Instant::now(), simulated }
    }

    /// Returns the simulated time that corresponds to the present real time by this clock of the live server.
    pub fn now(&self) -> SimTime {
        let passed = self.wall.elapsed().as_nanos() as f64 * self.pace;
        self.simulated + Nanos::new(passed as u64)
    }

    /// Returns the real time from now until the simulated time `time`; zero if it has passed.
    pub fn until(&self, time: SimTime) -> Duration {
        self.due(time).saturating_duration_since(Instant::now())
    }

    /// Returns the real time that has passed since the simulated time `time` was due; zero if it has not been due.
    pub fn late(&self, time: SimTime) -> Duration {
        self.due(time).elapsed()
    }

    fn due(&self, time: SimTime) -> Instant {
        let after = time.ns().saturating_sub(self.simulated.ns()) as f64 / self.pace;
        self.wall + Duration::from_nanos(after as u64)
    }
}

/// Collector of statistics of the lateness of the live server's answers: a histogram of the real times after their
/// simulated times were due, and the number of late answers.
#[derive(Clone, Debug)]
pub struct Late {
    histogram: Histogram<u64>,
    late: u64,
}

/// Record that summarises, in numbers, how late the live server's answers were sent after their simulated times were
/// due.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lateness {
    /// Number of the live server's answers to its clients that this summary of lateness covers.
    pub answers: u64,
    /// Median lateness of the live server's answers, in nanoseconds.
    pub p50_ns: u64,
    /// Lateness in nanoseconds that 99 % of the live server's answers did not exceed.
    pub p99_ns: u64,
    /// Greatest lateness of an answer of the live server, in nanoseconds.
    pub max_ns: u64,
    /// Fraction of the live server's answers that were later than 100 us.
    pub late_ratio: f64,
    /// True if, by this summary of lateness, the live server kept its pace (simulated seconds per real second): at most
    /// 1 % of the answers were later than 100 us.
    pub is_kept: bool,
}

impl Default for Late {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, MOST_NS, 3).expect("bounds in order, three digits");
        Self { histogram, late: 0 }
    }
}

impl Late {
    /// Adds the lateness of one answer of the live server to the statistics.
    pub fn note(&mut self, late: Duration) {
        let ns = (late.as_nanos() as u64).clamp(1, MOST_NS);
        self.histogram.saturating_record(ns);
        self.late += u64::from(ns > LATE_NS);
    }

    /// Returns the summary of the lateness of answers; none if there was no answer.
    pub fn summary(&self) -> Option<Lateness> {
        let answers = self.histogram.len();
        (answers > 0).then(|| Lateness {
            answers,
            p50_ns: self.histogram.value_at_quantile(0.5),
            p99_ns: self.histogram.value_at_quantile(0.99),
            max_ns: self.histogram.max(),
            late_ratio: self.late as f64 / answers as f64,
            is_kept: self.late * 100 <= answers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_max_or_a_positive_number() {
        assert_eq!(WallPace::read("max"), Ok(WallPace::Max));
        assert_eq!(WallPace::read("0.1"), Ok(WallPace::Of(0.1)));
        for text in ["0", "-1", "nan", "inf", "fast", ""] {
            WallPace::read(text).expect_err(text);
        }
    }

    #[test]
    fn a_pace_is_kept_while_one_answer_of_a_hundred_is_late() {
        let mut late = Late::default();
        assert_eq!(late.summary(), None);
        (0..99).for_each(|_| late.note(Duration::from_micros(5)));
        late.note(Duration::from_micros(500));
        let found = late.summary().unwrap();
        assert!(found.is_kept && found.late_ratio == 0.01, "{found:?}");
        late.note(Duration::from_micros(500));
        assert!(!late.summary().unwrap().is_kept);
    }
}
