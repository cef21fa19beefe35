//! The ways to read a page, from cheap to dear.

use crate::{cost, tail};

/// One way to read a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Reference voltages that cells are compared with, all boundaries between states together.
    pub references: u32,
    /// Comparisons at each boundary: how often a page is sensed, over a hard read.
    pub senses: u32,
    /// Bit-planes sent to the controller.
    pub bit_planes: u32,
    /// Errors of a codeword that can be corrected.
    pub correctable: u32,
    /// The raw bit error rate up to which the target is kept.
    pub limit: f64,
}

/// What a code makes of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Data bytes of a codeword.
    pub codeword_bytes: u32,
    /// Bits of a codeword, parity included.
    pub codeword_bits: u32,
    /// The chance of an uncorrectable codeword that is put up with.
    pub target: f64,
    /// By rising cost; never empty.
    pub rungs: Vec<Rung>,
    /// Retries with other reference voltages after the last rung failed.
    pub retries: u32,
    /// Part of the raw bit errors that each of those takes away, where the chip does not know better.
    pub retry_gain: f64,
    /// How far apart the references of a retry table lie, volts; none: the drive has no table.
    pub retry_step_v: Option<f64>,
    /// A retry is sensed while the attempt before it crosses the channel and is decoded.
    pub pipelined: bool,
}

/// What reading again with the references of a retry table comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifted {
    /// The raw bit error rate with the best references.
    pub rber: f64,
    /// Steps of the table from the usual references to those.
    pub steps: u32,
}

impl Shifted {
    /// The rate after so many steps: tails are exponential, so that its logarithm falls along a straight line.
    fn rate(&self, usual: f64, step: u32) -> f64 {
        if step >= self.steps {
            return self.rber;
        }
        let share = f64::from(step) / f64::from(self.steps);
        usual * libm::pow(self.rber / usual, share)
    }
}

/// How reading one page ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The rung that corrected it, or the last.
    pub rung: usize,
    /// Attempts beyond the first.
    pub retries: u32,
    /// Comparisons at each boundary over all attempts.
    pub senses: u32,
    /// Bit-planes sent over all attempts.
    pub bit_planes: u32,
    /// Nothing helped.
    pub uncorrectable: bool,
}

impl Ladder {
    /// A rung for cells of `bits` bits with `2^soft_bits - 1` comparisons at each boundary between states.
    pub(crate) fn rung(bits: u32, soft_bits: u32, correctable: u32, limit: f64) -> Rung {
        let senses = (1 << soft_bits) - 1;
        let references = ((1 << bits) - 1) * senses;
        Rung { references, senses, bit_planes: cost::bit_planes(references), correctable, limit }
    }

    /// The first rung that keeps the target at this raw bit error rate; none: the code cannot correct it.
    pub fn needed(&self, rber: f64) -> Option<usize> {
        self.rungs.iter().position(|rung| rber <= rung.limit)
    }

    /// The greatest raw bit error rate that some rung corrects.
    pub fn limit(&self) -> f64 {
        self.rungs.iter().map(|rung| rung.limit).fold(0.0, f64::max)
    }

    /// The chance that a page of `bytes` cannot be corrected by this rung.
    pub fn page_failure(&self, rung: usize, rber: f64, bytes: u64) -> f64 {
        self.chance_beyond(self.rungs[rung].correctable, rber, bytes)
    }

    /// The chance that some codeword of a page of `bytes` has more than `errors` wrong bits.
    pub fn chance_beyond(&self, errors: u32, rber: f64, bytes: u64) -> f64 {
        let one = tail::more_than(self.codeword_bits, errors, rber);
        tail::any_of(self.codewords(bytes), one)
    }

    /// True where the target, kept up to the rung's limit, tells without the tail of the distribution that a page of this
    /// luck does not fail.
    fn surely_corrects(&self, rung: usize, rber: f64, bytes: u64, luck: f64) -> bool {
        rber <= self.rungs[rung].limit && luck >= 2.0 * self.target * self.codewords(bytes) as f64
    }

    fn codewords(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.codeword_bytes)).max(1)
    }

    /// The most errors of a codeword that some rung corrects.
    pub fn most_correctable(&self) -> u32 {
        self.rungs.iter().map(|rung| rung.correctable).max().unwrap_or(0)
    }

    /// What retries come to on a chip whose best references give `rber` and lie `volts` below the usual ones; none
    /// when the drive has no retry table.
    pub fn shifted(&self, rber: f64, volts: f64) -> Option<Shifted> {
        self.retry_step_v.map(|step| Shifted { rber, steps: (volts / step).round().max(0.0) as u32 })
    }

    /// Whether the table goes on to the best references.
    pub fn reaches(&self, shifted: Shifted) -> bool {
        shifted.steps <= self.retries
    }

    /// The raw bit error rate that the last attempt of a read meets, with the last rung, after all retries.
    pub fn last_rate(&self, usual: f64, shifted: Option<Shifted>) -> f64 {
        match shifted {
            Some(shifted) => shifted.rate(usual, shifted.steps.min(self.retries)),
            None => usual * libm::pow(1.0 - self.retry_gain, f64::from(self.retries)),
        }
    }

    /// Reads a page as drives with a retry table do: with the usual references, then the table's step by step, and up
    /// the ladder where its end or the best references are reached. `luck` as in [`Self::read`].
    pub fn read_shifted(&self, first: usize, rber: f64, shifted: Shifted, bytes: u64, luck: f64) -> Outcome {
        let mut outcome = Outcome { rung: first, retries: 0, senses: 0, bit_planes: 0, uncorrectable: false };
        let table = shifted.steps.min(self.retries);
        let climbs = (self.rungs.len() - 1 - first) as u32;
        for attempt in 0..=table + climbs {
            outcome.rung = first + attempt.saturating_sub(table) as usize;
            outcome.retries = attempt;
            outcome.senses += self.rungs[outcome.rung].senses;
            outcome.bit_planes += self.rungs[outcome.rung].bit_planes;
            let rate = shifted.rate(rber, attempt.min(table));
            if self.surely_corrects(outcome.rung, rate, bytes, luck)
                || luck >= self.page_failure(outcome.rung, rate, bytes)
            {
                return outcome;
            }
        }
        outcome.uncorrectable = true;
        outcome
    }

    /// Reads a page: up the ladder from `first` until a rung corrects it, then the retries. `luck` is uniform between
    /// 0 and 1 and stands for the page: what corrects more never fails where what corrects less does not.
    pub fn read(&self, first: usize, rber: f64, bytes: u64, luck: f64) -> Outcome {
        let mut outcome = Outcome { rung: first, retries: 0, senses: 0, bit_planes: 0, uncorrectable: false };
        let last = self.rungs.len() - 1;
        let mut rate = rber;
        for attempt in 0.. {
            outcome.rung = (first + attempt).min(last);
            outcome.retries = attempt as u32;
            outcome.senses += self.rungs[outcome.rung].senses;
            outcome.bit_planes += self.rungs[outcome.rung].bit_planes;
            if self.surely_corrects(outcome.rung, rate, bytes, luck)
                || luck >= self.page_failure(outcome.rung, rate, bytes)
            {
                return outcome;
            }
            if first + attempt >= last {
                rate *= 1.0 - self.retry_gain;
            }
            if first + attempt >= last + self.retries as usize {
                break;
            }
        }
        outcome.uncorrectable = true;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::{Ladder, Shifted};
    use crate::code::{Bch, Code, Ldpc};

    #[test]
    fn references_of_an_mlc_are_three_boundaries_times_the_comparisons() {
        let rungs = Ldpc::default().ladder(2).expect("a code").rungs;
        assert_eq!(rungs.iter().map(|rung| rung.references).collect::<Vec<_>>(), [3, 9, 21]);
        assert_eq!(rungs.iter().map(|rung| rung.bit_planes).collect::<Vec<_>>(), [2, 4, 5]);
    }

    #[test]
    fn a_page_within_the_limit_never_fails_and_far_beyond_always_does() {
        let ladder = Ldpc::default().ladder(2).expect("a code");
        for (rung, of) in ladder.rungs.iter().enumerate() {
            assert!(ladder.page_failure(rung, of.limit, 4096) <= ladder.target * 1.001);
            assert!(ladder.page_failure(rung, 2.0 * of.limit, 4096) > 0.99);
        }
    }

    #[test]
    fn reading_climbs_until_something_corrects() {
        let ladder = Ldpc::default().ladder(2).expect("a code");
        let limits: Vec<f64> = ladder.rungs.iter().map(|rung| rung.limit).collect();
        let first = ladder.read(0, limits[0], 4096, 0.5);
        assert_eq!((first.rung, first.retries, first.senses, first.bit_planes), (0, 0, 1, 2));
        let last = ladder.read(0, limits[2], 4096, 0.5);
        assert_eq!((last.rung, last.retries, last.senses, last.bit_planes), (2, 2, 1 + 3 + 7, 2 + 4 + 5));
        let retried = ladder.read(2, limits[2] * 1.5, 4096, 0.5);
        assert!(retried.retries > 0 && !retried.uncorrectable, "{retried:?}");
        let lost = ladder.read(0, 0.1, 4096, 0.5);
        assert!(lost.uncorrectable, "{lost:?}");
        assert_eq!(lost.retries, 2 + ladder.retries);
    }

    #[test]
    fn a_retry_table_is_gone_through_step_by_step() {
        let ladder =
            Ladder { retries: 20, retry_step_v: Some(0.01), ..Ldpc::default().ladder(3).expect("a code") };
        let limit = ladder.rungs[0].limit;
        assert_eq!(ladder.shifted(1e-3, 0.144), Some(Shifted { rber: 1e-3, steps: 14 }));
        let read = |rber: f64, best: f64, steps: u32| {
            ladder.read_shifted(0, rber, Shifted { rber: best, steps }, 16_384, 1e-9)
        };
        assert_eq!(read(0.9 * limit, 1e-3, 10).retries, 0);
        // The rate falls from four times the limit to a quarter of it: half of the steps.
        let half = read(4.0 * limit, 0.25 * limit, 10);
        assert_eq!((half.retries, half.rung, half.senses, half.bit_planes), (5, 0, 6, 18));
        // At the best references the code needs more comparisons.
        let soft = read(4.0 * limit, 0.9 * ladder.rungs[1].limit, 10);
        assert_eq!((soft.retries, soft.rung, soft.uncorrectable), (11, 1, false));
        // The table ends before them.
        assert!(read(0.1, 1e-3, 60).retries >= 20 && !ladder.reaches(Shifted { rber: 1e-3, steps: 60 }));
        assert!(read(0.1, 0.1, 3).uncorrectable);
    }

    #[test]
    fn the_last_attempt_meets_what_retries_leave() {
        let ladder =
            Ladder { retries: 4, retry_step_v: Some(0.01), ..Ldpc::default().ladder(3).expect("a code") };
        let last = |steps| ladder.last_rate(0.1, Some(Shifted { rber: 1e-3, steps }));
        assert_eq!(last(3), 1e-3);
        // The table ends half way to the best references.
        assert!((last(8) - 1e-2).abs() < 1e-12, "{}", last(8));
        let rate = ladder.last_rate(0.1, None);
        // A page fails where the last attempt does: by the same luck.
        let fails = ladder.page_failure(2, rate, 16_384);
        for luck in [fails * 0.999, (fails * 1.001).min(1.0)] {
            assert_eq!(ladder.read(0, 0.1, 16_384, luck).uncorrectable, luck < fails, "{luck} {fails}");
        }
    }

    #[test]
    fn what_the_target_tells_is_what_the_tail_says() {
        for ladder in
            [Ldpc::default().ladder(3), Bch::default().ladder(2)].map(|ladder| ladder.expect("a code"))
        {
            for (rung, of) in ladder.rungs.iter().enumerate() {
                for share in [1e-6, 0.5, 0.99, 1.0] {
                    let rate = share * of.limit;
                    let fails = ladder.page_failure(rung, rate, 16_384);
                    for luck in [0.0, fails, 2.0 * ladder.target, 8.0 * ladder.target, 1e-3] {
                        let sure = ladder.surely_corrects(rung, rate, 16_384, luck);
                        assert!(!sure || luck >= fails, "rung {rung}, {rate}: fails by {fails}, luck {luck}");
                    }
                    assert!(ladder.surely_corrects(rung, rate, 16_384, 0.01));
                }
                assert!(!ladder.surely_corrects(rung, 1.001 * of.limit, 16_384, 1.0));
            }
        }
    }

    #[test]
    fn a_tail_too_small_for_a_number_is_nothing() {
        assert_eq!(crate::tail::more_than(36_864, 300, 1e-6), 0.0);
    }

    #[test]
    fn bch_has_one_rung() {
        let ladder = Bch::default().ladder(3).expect("a code");
        assert_eq!(ladder.rungs.len(), 1);
        assert_eq!((ladder.rungs[0].references, ladder.rungs[0].senses), (7, 1));
    }
}
