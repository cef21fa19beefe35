//! The ways to read a page, from cheap to dear.

use crate::table::Table;
use crate::words::Words;
use crate::{Estimator, cost, tail};
use std::sync::Arc;
use units::{Frequency, Nanos};

/// Record of a read ladder's rung (way to read a page): number of sensings and the errors that it can correct.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Field of a rung: number of reference voltages that cells are compared with, over all boundaries between states.
    pub references: u32,
    /// Field: number of comparisons at each boundary between states: array reads of the page, in units of a hard read.
    pub senses: u32,
    /// Field: number of bit-planes that one attempt with this rung of the read ladder sends to the controller.
    pub bit_planes: u32,
    /// Field: measure of the bit errors corrected in a codeword read in this way: a number, or a table of failures.
    pub corrects: Corrects,
    /// Field: greatest raw bit error rate at which the accepted chance of uncorrectable codewords is kept. For soft
    /// reads of a code with counted failures, it is the rate of the Gaussian noise that is equivalent for the decoder.
    pub limit: f64,
}

/// Kind of measure that gives the error correction capability of a rung of the ladder (one way to read a page).
#[derive(Clone, Debug, PartialEq)]
pub enum Corrects {
    /// Case of the capability measure: the greatest number of bit errors in a codeword that the code corrects.
    Errors(u32),
    /// Case of the capability measure: a table of counted failures, and the index of its curve, which is the number of
    /// soft bits less one (0: a hard read).
    Counted(Arc<Table>, usize),
}

/// Type of a pair of factors of a page, for reads with two and with three soft bits: the page's raw bit error rate
/// times the factor is the rate of Gaussian noise at which decoding fails as often. Above one: cells in the tails of
/// the states give the decoder less information than noise does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft(pub [f64; 2]);

impl Soft {
    /// Constant: factors for soft reads of a page whose states are normally distributed: all 1, as for Gaussian noise.
    pub const NORMAL: Self = Self([1.0; 2]);
}

/// Record of the raw bit error rates of a page: the rate with the default references, the effect of retries on the
/// rate, and the factors for soft reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Field: raw bit error rate (0 to 1) of the page if read with the default references.
    pub usual: f64,
    /// Field: effect of retries along a retry table; none where drive and chip do not know it.
    pub shifted: Option<Shifted>,
    /// Field: factors by which the page's raw bit error rate is multiplied to give the rate of Gaussian noise at which
    /// decoding of soft reads fails as often.
    pub soft: Soft,
}

impl Rates {
    /// Makes the rates of a page of which only the raw bit error rate with the default references is known.
    pub const fn of(usual: f64) -> Self {
        Self { usual, shifted: None, soft: Soft::NORMAL }
    }
}

/// Record of a read ladder: a drive's ways (rungs) to read and correct a page, retries and its decoder's speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Field: number of data bytes of a codeword.
    pub codeword_bytes: u32,
    /// Field: number of bits of a codeword, parity included.
    pub codeword_bits: u32,
    /// Field: accepted chance (0 to 1) that a codeword is uncorrectable.
    pub target: f64,
    /// List of the rungs, one for each number of soft bits from the hard read on, by rising cost; never empty.
    pub rungs: Vec<Rung>,
    /// Field: greatest number of read retries of a page, each with other reference voltages: taken after the last rung
    /// failed, or along the retry table where there is one.
    pub retries: u32,
    /// Field: fraction (0 to 1) of raw bit errors that each retry removes, where no retry table gives the effect.
    pub retry_gain: f64,
    /// Field: distance between the references of neighbouring steps of the retry table, volts; none: no retry table.
    pub retry_step_v: Option<f64>,
    /// True if the array senses for a retry while the attempt before it crosses the channel and is decoded.
    pub pipelined: bool,
    /// Field: speed of the decoder's iterations; none: iterations take no time beyond the fixed decoding time.
    pub pace: Option<Pace>,
    /// Field: method that determines the outcome of the drive's reads: tables, or decoding of simulated codewords.
    pub decodes: Decodes,
}

/// Kind of method that determines the outcome of a simulated read: chances from tables, or the decoding of codewords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decodes {
    /// Case of method: the outcome is drawn, with a chance of failure from a table of counts or from the code's limit.
    Tables,
    /// Case of method: the outcome follows from decoding simulated codewords for each read.
    Words,
}

/// Record of an iterative decoder's speed: its clock, the messages per cycle, and how codewords overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Field: clock frequency of the iterative decoder.
    pub clock: Frequency,
    /// Field: number of messages between bits and checks that the decoder processes in a clock cycle.
    pub edges: u32,
    /// Field: way in which the decoder overlaps the decoding of a read's codewords with their channel transfer.
    pub overlap: Overlap,
}

/// Kind of way in which the decoding of a read's codewords overlaps with their transfer over the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Case of overlap: all codewords of a read are decoded in parallel, after the transfer.
    Beside,
    /// Case of overlap: each codeword is decoded while the next codeword of the read crosses the channel.
    NextTransfer,
    /// Case of no overlap: one codeword is decoded after the other, after the whole transfer.
    InTurn,
}

/// Record of the best that retries along the retry table can reach on a page: raw bit error rate, and steps to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifted {
    /// Field: raw bit error rate (0 to 1) of a page if read with the best references.
    pub rber: f64,
    /// Field: number of steps of the retry table from the default references to the best ones.
    pub steps: u32,
}

impl Shifted {
    /// Returns the raw bit error rate after `step` steps of the retry table, for the rate `usual` with the default
    /// references: its logarithm falls along a straight line, because tails are exponential. Beyond the best references
    /// it rises again at the same slope.
    pub(crate) fn rate(&self, usual: f64, step: u32) -> f64 {
        if step == self.steps || self.steps == 0 {
            return self.rber;
        }
        let share = f64::from(step) / f64::from(self.steps);
        (usual * libm::pow(self.rber / usual, share.min(2.0 - share))).min(0.5)
    }
}

impl Ladder {
    /// Makes the rung for cells of `bits` bits with `2^soft_bits - 1` comparisons at each boundary between states.
    pub(crate) fn rung(bits: u32, soft_bits: u32, corrects: Corrects, limit: f64) -> Rung {
        let senses = (1 << soft_bits) - 1;
        let references = ((1 << bits) - 1) * senses;
        Rung { references, senses, bit_planes: cost::bit_planes(references), corrects, limit }
    }

    /// Returns the raw bit error rate that is compared with the limit of rung number `rung` for a page of raw bit error
    /// rate `rber`: for soft reads of a code with counted failures, the rate of the equivalent Gaussian noise, else
    /// `rber`.
    pub(crate) fn met(&self, rung: usize, rber: f64, soft: Soft) -> f64 {
        match self.rungs[rung].corrects {
            Corrects::Counted(_, more @ 1..) => (rber * soft.0[more - 1]).min(0.5),
            _ => rber,
        }
    }

    /// Returns the index of the rung (way to read a page, cheapest first) that is the first to keep the accepted chance
    /// of failure at this raw bit error rate; `None` if no rung does.
    pub fn needed(&self, rber: f64, soft: Soft) -> Option<usize> {
        (0..self.rungs.len()).find(|rung| self.met(*rung, rber, soft) <= self.rungs[*rung].limit)
    }

    /// Returns the chance (0 to 1) that a codeword of this raw bit error rate is uncorrectable if read by rung `rung`.
    pub fn codeword_failure(&self, rung: usize, rber: f64, soft: Soft) -> f64 {
        match &self.rungs[rung].corrects {
            Corrects::Errors(most) => tail::more_than(self.codeword_bits, *most, rber),
            Corrects::Counted(table, more) => table.curves[*more].failure(self.met(rung, rber, soft)),
        }
    }

    /// Returns the chance (0 to 1) that a page of `bytes` data bytes, read by this rung of the ladder at this raw bit
    /// error rate, has an uncorrectable codeword.
    pub fn page_failure(&self, rung: usize, rber: f64, soft: Soft, bytes: u64) -> f64 {
        tail::any_of(self.codewords(bytes), self.codeword_failure(rung, rber, soft))
    }

    /// Returns the chance (0 to 1) that at least one codeword of a page of `bytes` data bytes is near the limit of the
    /// code: has more wrong bits than the fraction `margin` of the greatest number that some rung corrects within the
    /// accepted chance of failure.
    pub fn chance_near_limit(&self, margin: f64, rber: f64, bytes: u64) -> f64 {
        let most = (margin * f64::from(self.most_correctable())) as u32;
        tail::any_of(self.codewords(bytes), tail::more_than(self.codeword_bits, most, rber))
    }

    /// Returns the mean number of decoder iterations of a codeword read by this rung; 0 for a code without a table.
    pub fn iterations(&self, rung: usize, rber: f64, soft: Soft) -> f64 {
        match &self.rungs[rung].corrects {
            Corrects::Errors(_) => 0.0,
            Corrects::Counted(table, more) => table.curves[*more].iterations(self.met(rung, rber, soft)),
        }
    }

    /// Returns the number of decoder iterations on a codeword that cannot be corrected when read by rung `rung` (way to
    /// read a page): the decoder's limit; 0 for a code without counted iterations.
    pub(crate) fn iterations_in_vain(&self, rung: usize) -> f64 {
        match &self.rungs[rung].corrects {
            Corrects::Errors(_) => 0.0,
            Corrects::Counted(table, more) => f64::from(table.curves[*more].most()),
        }
    }

    /// Returns the time of `iterations` decoder iterations of a codeword, rounded up to a whole clock cycle, in
    /// nanoseconds; 0 if iterations take no time.
    pub fn time_ns(&self, iterations: f64) -> u32 {
        let (Some(Pace { clock, edges, .. }), Corrects::Counted(table, _)) =
            (self.pace, &self.rungs[0].corrects)
        else {
            return 0;
        };
        let cycles = (iterations * f64::from(table.edges) / f64::from(edges)).ceil();
        clock.period().times(cycles as u64).ceil_ns().ns() as u32
    }

    /// Returns how long the data of one page read wait for the decoder's iterations in all attempts together, in
    /// nanoseconds. `of_word`: time of the iterations of one codeword in all attempts, ns; `transfer`: transfer time of
    /// all codewords of the read in one attempt; `attempts`: number of attempts.
    pub fn iterating_ns(&self, of_word: u32, bytes: u64, transfer: Nanos, attempts: u32) -> u32 {
        let others = (self.codewords(bytes) - 1) as u32;
        match self.pace.map(|pace| pace.overlap) {
            None | Some(Overlap::Beside) => of_word,
            Some(Overlap::NextTransfer) => {
                let passing = transfer.times(u64::from(attempts)).ns() / u64::from(others + 1);
                of_word + others * of_word.saturating_sub(passing.min(u64::from(u32::MAX)) as u32)
            }
            Some(Overlap::InTurn) => of_word.saturating_mul(others + 1),
        }
    }

    /// Returns true if the codewords of a read are decoded in parallel, so that their number does not add time.
    pub fn decodes_beside(&self) -> bool {
        self.pace.is_none_or(|pace| pace.overlap == Overlap::Beside)
    }

    /// Returns true if a page read by this rung is corrected, as follows at once from the rung's limit and the page's
    /// random draw `draw`, without the costly sum over the tail of the error distribution. False: not known so fast.
    pub(crate) fn surely_corrects(
        &self,
        rung: usize,
        (rber, soft): (f64, Soft),
        bytes: u64,
        draw: f64,
    ) -> bool {
        self.met(rung, rber, soft) <= self.rungs[rung].limit
            && draw >= 2.0 * self.target * self.codewords(bytes) as f64
    }

    pub(crate) fn codewords(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.codeword_bytes)).max(1)
    }

    /// Returns the greatest number of errors of a codeword that some rung corrects within the accepted chance of
    /// failure.
    fn most_correctable(&self) -> u32 {
        let errors = |rung: &Rung| match &rung.corrects {
            Corrects::Errors(most) => *most,
            Corrects::Counted(..) => tail::fewest_correctable(self.codeword_bits, rung.limit, self.target),
        };
        self.rungs.iter().map(errors).max().unwrap_or(0)
    }

    /// Returns the effect of retries on a chip whose best references give the raw bit error rate `rber` and lie `volts`
    /// below the default ones; `None` when the drive has no retry table.
    pub fn shifted(&self, rber: f64, volts: f64) -> Option<Shifted> {
        self.retry_step_v.map(|step| Shifted { rber, steps: (volts / step).round().max(0.0) as u32 })
    }

    /// Returns true if the steps of the retry table reach as far as the best references.
    pub fn reaches(&self, shifted: Shifted) -> bool {
        shifted.steps <= self.retries
    }

    /// Returns the raw bit error rate of the last attempt of a read, after all read retries; `usual` is the rate with
    /// the default references.
    pub fn last_rate(&self, usual: f64, shifted: Option<Shifted>) -> f64 {
        match shifted {
            Some(shifted) => shifted.rate(usual, shifted.steps.min(self.retries)),
            None => usual * libm::pow(1.0 - self.retry_gain, f64::from(self.retries)),
        }
    }

    /// Returns the greatest raw bit error rate at which the last rung fails to correct a codeword with at most the
    /// chance `target`.
    pub fn greatest_rate(&self, target: f64, soft: Soft) -> f64 {
        self.greatest_rate_of(self.rungs.len() - 1, target, soft)
    }

    /// Returns, for the rung with index `last`, the greatest raw bit error rate at which the rung fails to correct a
    /// codeword with at most the chance `target`.
    pub(crate) fn greatest_rate_of(&self, last: usize, target: f64, soft: Soft) -> f64 {
        match &self.rungs[last].corrects {
            Corrects::Errors(most) => tail::greatest_rate(self.codeword_bits, *most, target),
            Corrects::Counted(table, more) => {
                table.curves[*more].rate(target) / self.met(last, 1e-9, soft) * 1e-9
            }
        }
    }

    /// Returns the origin of the failure rates as text, one line for each number of soft bits: which codewords were
    /// counted, and from where failures are extrapolated; empty for a code in closed form.
    pub fn provenance(&self) -> Vec<String> {
        match &self.rungs[0].corrects {
            Corrects::Errors(_) => Vec::new(),
            Corrects::Counted(table, _) => table.provenance(),
        }
    }

    /// Returns a text about the basis of the last rung's failure chances below the counted ones, which are
    /// extrapolated; `None` if the chances are in closed form.
    pub fn extrapolated(&self) -> Option<String> {
        match &self.rungs[self.rungs.len() - 1].corrects {
            Corrects::Errors(_) => None,
            Corrects::Counted(table, more) => Some(table.extrapolated(*more)),
        }
    }

    /// Makes the estimator of raw bit error rates from the syndromes of codewords.
    ///
    /// # Errors
    /// When the parity checks of the code are not known.
    pub fn estimator(&self) -> Result<Estimator, String> {
        const WANTS: &str = "estimates error rates from the syndromes of words: expected a code whose checks are known, \
             ecc.code.name = ldpc with a table";
        let Corrects::Counted(table, _) = &self.rungs[0].corrects else {
            return Err(format!("ecc.flow: it {WANTS}"));
        };
        let code =
            crate::ldpc::named(&table.code).ok_or_else(|| format!("no code is called {}", table.code))?;
        Ok(Estimator::new(&code.graph))
    }

    /// Makes the stock of decoded simulated codewords from which the outcomes of reads are taken; `None` if the
    /// outcomes follow from tables.
    ///
    /// # Errors
    /// When the code of the table is not among the shipped codes, or the decoder's parameters are wrong.
    pub fn words(&self, seed: u64) -> Result<Option<Words>, String> {
        match (&self.rungs[0].corrects, self.decodes) {
            (Corrects::Counted(table, _), Decodes::Words) => Words::new(table, seed).map(Some),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ladder, Overlap, Pace, Rates, Shifted, Soft};
    use crate::code::{Bch, Code, Ldpc};
    use units::Frequency;

    /// Makes, for the tests, a ladder of a code given by raw bit error rate limits, for cells of `bits` bits.
    fn limited(bits: u32) -> Ladder {
        Ldpc::of_limits(&[4e-3, 8e-3, 1.2e-2]).ladder(bits).expect("a code")
    }

    /// Makes, for the tests, a ladder for cells of `bits` bits of a code that has a table of counted failures.
    fn counted(bits: u32) -> Ladder {
        Ldpc::default().ladder(bits).expect("a code")
    }

    fn of(rber: f64) -> Rates {
        Rates::of(rber)
    }

    #[test]
    fn references_of_an_mlc_are_three_boundaries_times_the_comparisons() {
        let rungs = limited(2).rungs;
        assert_eq!(rungs.iter().map(|rung| rung.references).collect::<Vec<_>>(), [3, 9, 21]);
        assert_eq!(rungs.iter().map(|rung| rung.bit_planes).collect::<Vec<_>>(), [2, 4, 5]);
    }

    #[test]
    fn a_page_within_the_limit_never_fails_and_far_beyond_always_does() {
        let ladder = limited(2);
        for (rung, of) in ladder.rungs.iter().enumerate() {
            assert!(ladder.page_failure(rung, of.limit, Soft::NORMAL, 4096) <= ladder.target * 1.001);
            assert!(ladder.page_failure(rung, 2.0 * of.limit, Soft::NORMAL, 4096) > 0.99);
        }
    }

    #[test]
    fn reading_climbs_until_something_corrects() {
        let ladder = limited(2);
        let limits: Vec<f64> = ladder.rungs.iter().map(|rung| rung.limit).collect();
        let first = ladder.read(0, &of(limits[0]), 4096, 0.5);
        assert_eq!((first.rung, first.retries, first.senses, first.bit_planes), (0, 0, 1, 2));
        let last = ladder.read(0, &of(limits[2]), 4096, 0.5);
        assert_eq!((last.rung, last.retries, last.senses, last.bit_planes), (2, 2, 1 + 3 + 7, 2 + 4 + 5));
        let retried = ladder.read(2, &of(limits[2] * 1.5), 4096, 0.5);
        assert!(retried.retries > 0 && !retried.uncorrectable, "{retried:?}");
        let lost = ladder.read(0, &of(0.1), 4096, 0.5);
        assert!(lost.uncorrectable, "{lost:?}");
        assert_eq!(lost.retries, 2 + ladder.retries);
    }

    #[test]
    fn a_retry_table_is_gone_through_step_by_step() {
        let ladder = Ladder { retries: 20, retry_step_v: Some(0.01), ..limited(3) };
        let limit = ladder.rungs[0].limit;
        assert_eq!(ladder.shifted(1e-3, 0.144), Some(Shifted { rber: 1e-3, steps: 14 }));
        let read = |rber: f64, best: f64, steps: u32| {
            let shifted = Some(Shifted { rber: best, steps });
            ladder.read(0, &Rates { shifted, ..of(rber) }, 16_384, 1e-9)
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
        let ladder = Ladder { retries: 4, retry_step_v: Some(0.01), ..limited(3) };
        let last = |steps| ladder.last_rate(0.1, Some(Shifted { rber: 1e-3, steps }));
        assert_eq!(last(3), 1e-3);
        // The table ends half way to the best references.
        assert!((last(8) - 1e-2).abs() < 1e-12, "{}", last(8));
        let rate = ladder.last_rate(0.1, None);
        // A page fails where the last attempt does: by the same draw.
        let fails = ladder.page_failure(2, rate, Soft::NORMAL, 16_384);
        for draw in [fails * 0.999, (fails * 1.001).min(1.0)] {
            assert_eq!(ladder.read(0, &of(0.1), 16_384, draw).uncorrectable, draw < fails, "{draw} {fails}");
        }
    }

    #[test]
    fn what_the_target_tells_is_what_the_tail_says() {
        for ladder in
            [Ldpc::default().ladder(3), Ldpc::of_limits(&[4e-3, 8e-3]).ladder(3), Bch::default().ladder(2)]
                .map(|ladder| ladder.expect("a code"))
        {
            for (rung, of) in ladder.rungs.iter().enumerate() {
                for share in [1e-6, 0.5, 0.99, 1.0] {
                    let rate = share * of.limit;
                    let fails = ladder.page_failure(rung, rate, Soft::NORMAL, 16_384);
                    for draw in [0.0, fails, 2.0 * ladder.target, 8.0 * ladder.target, 1e-3] {
                        let sure = ladder.surely_corrects(rung, (rate, Soft::NORMAL), 16_384, draw);
                        assert!(!sure || draw >= fails, "rung {rung}, {rate}: fails by {fails}, draw {draw}");
                    }
                    assert!(ladder.surely_corrects(rung, (rate, Soft::NORMAL), 16_384, 0.01));
                }
                assert!(!ladder.surely_corrects(rung, (1.001 * of.limit, Soft::NORMAL), 16_384, 1.0));
            }
        }
    }

    #[test]
    fn a_tail_too_small_for_a_number_is_nothing() {
        assert_eq!(crate::tail::more_than(36_864, 300, 1e-6), 0.0);
    }

    /// Checks that the equivalent noise of soft reads counts for soft rungs alone, and that failed attempts take all
    /// iterations.
    #[test]
    fn a_counted_code_fails_by_what_each_rung_is_told() {
        let ladder = Ladder {
            pace: Some(Pace { clock: Frequency::new(500_000_000), edges: 512, overlap: Overlap::Beside }),
            ..counted(3)
        };
        let tails = Soft([1.3, 1.1]);
        assert_eq!(ladder.codeword_failure(0, 0.008, tails), ladder.codeword_failure(0, 0.008, Soft::NORMAL));
        for rung in 1..3 {
            assert!(
                ladder.codeword_failure(rung, 0.016, tails)
                    > ladder.codeword_failure(rung, 0.016, Soft::NORMAL)
            );
            let alike = ladder.codeword_failure(rung, 0.01 * tails.0[rung - 1], Soft::NORMAL);
            assert!((ladder.codeword_failure(rung, 0.01, tails) / alike - 1.0).abs() < 1e-9);
        }
        let limit = ladder.rungs[1].limit;
        assert_eq!(ladder.needed(limit, Soft::NORMAL), Some(1));
        assert_eq!(ladder.needed(limit, tails), Some(2));
        let outcome = ladder.read(0, &of(0.0115), 16_384, 0.5);
        let [all, last] = outcome.iterations;
        assert_eq!((outcome.rung, outcome.retries, outcome.uncorrectable), (1, 1, false));
        assert_eq!((all - last, last), (20.0, ladder.iterations(1, 0.0115, Soft::NORMAL)));
        // 143,360 messages, 512 in 2 ns.
        assert_eq!((ladder.time_ns(1.0), ladder.time_ns(0.0), limited(3).time_ns(5.0)), (560, 0, 0));
        let greatest = ladder.greatest_rate(1e-11, tails);
        assert!((ladder.codeword_failure(2, greatest, tails) / 1e-11 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn bch_has_one_rung() {
        let ladder = Bch::default().ladder(3).expect("a code");
        assert_eq!(ladder.rungs.len(), 1);
        assert_eq!((ladder.rungs[0].references, ladder.rungs[0].senses), (7, 1));
    }
}
