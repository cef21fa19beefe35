//! One read of a page: the attempts that a flow chooses, until one comes right or it gives up.

use crate::flow::{ATTEMPTS_MOST, Attempt, Flow, FlowView, Flows, HardRetrySoft, Next, Notes, Steps};
use crate::words::{Word, Words};
use crate::{Ladder, Rates};
use engine::RandomStream;

/// How reading one page ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Number of the rung that corrected the page, or of the last rung.
    pub rung: usize,
    /// Number of attempts of the read beyond the first.
    pub retries: u32,
    /// Comparisons at each boundary over all attempts.
    pub senses: u32,
    /// Bit-planes sent over all attempts.
    pub bit_planes: u32,
    /// Step of the retries of the last attempt.
    pub step: u32,
    /// Iterations of a word over all attempts, and in the last.
    pub iterations: [f64; 2],
    /// True if no attempt corrected the page: its data are lost.
    pub uncorrectable: bool,
}

impl Outcome {
    const BEGUN: Self = Self {
        rung: 0,
        retries: 0,
        senses: 0,
        bit_planes: 0,
        step: 0,
        iterations: [0.0; 2],
        uncorrectable: true,
    };
}

/// A page that is read.
#[derive(Clone, Copy, Debug)]
pub struct PageRead<'a> {
    /// The ways to read the page, in the order in which they are tried.
    pub ladder: &'a Ladder,
    /// Number of the rung of the first attempt.
    pub first: usize,
    /// Raw bit error rates of the page.
    pub rates: &'a Rates,
    /// Bytes of the page.
    pub bytes: u64,
    /// Number of the bit of the cells that the page holds: its page type.
    pub page_type: usize,
    /// Step of the retries at which the superblock of the page was last read correctly.
    pub good_step: Option<u32>,
}

/// What becomes of an attempt that is decoded.
struct Decoded {
    is_right: bool,
    /// Number of iterations of a word.
    iterations: f64,
}

impl PageRead<'_> {
    /// Returns the outcome of the read's attempts by chances. `draw` is uniform between 0 and 1 and stands
    /// for the page: what corrects more never fails where what corrects less does not.
    pub fn by_draw(&self, flows: &mut Flows, chance: &mut RandomStream, draw: f64) -> Outcome {
        self.attempts(flows, chance, |rung, rate| {
            let (ladder, soft) = (self.ladder, self.rates.soft);
            let is_right = ladder.surely_corrects(rung, (rate, soft), self.bytes, draw)
                || draw >= ladder.page_failure(rung, rate, soft, self.bytes);
            let iterations = match is_right {
                true => ladder.iterations(rung, rate, soft),
                false => ladder.iterations_in_vain(rung),
            };
            Decoded { is_right, iterations }
        })
    }

    /// Returns the outcome of the read's attempts with words that are decoded for the read.
    pub fn by_words(&self, flows: &mut Flows, chance: &mut RandomStream, words: &mut Words) -> Outcome {
        let count = self.ladder.codewords(self.bytes);
        self.attempts(flows, chance, |rung, rate| {
            let met = self.ladder.met(rung, rate, self.rates.soft);
            let taken: Vec<Word> = (0..count).map(|_| words.take(rung as u32 + 1, met)).collect();
            let iterations = taken.iter().map(|word| f64::from(word.iterations)).sum::<f64>();
            Decoded { is_right: !taken.iter().any(|word| word.fails), iterations: iterations / count as f64 }
        })
    }

    /// Goes through the attempts that the flow chooses; `chance` is drawn from for estimates alone.
    fn attempts(
        &self,
        flows: &mut Flows,
        chance: &mut RandomStream,
        mut decode: impl FnMut(usize, f64) -> Decoded,
    ) -> Outcome {
        let halves = if flows.notes.estimates { self.halves() } else { Vec::new() };
        let mut view = self.begin(&halves);
        let mut outcome = Outcome::BEGUN;
        while view.attempts < ATTEMPTS_MOST {
            let Next::Read(attempt) = flows.flow.next(&view) else { break };
            assert!(view.takes(&attempt), "the read flow chose {attempt:?}, which {view:?} does not take");
            let rung = attempt.soft_bits as usize - 1;
            let rate = self.rate(attempt.step);
            let estimate = flows
                .estimator
                .as_ref()
                .map(|estimator| estimator.estimate(rate, self.ladder.codewords(self.bytes), chance.unit()));
            outcome.made(self.ladder, &attempt, view.attempts);
            // The syndrome takes a pass over all checks, as an iteration does.
            let mut iterations = if estimate.is_some() { 1.0 } else { 0.0 };
            if estimate.is_none_or(|estimate| estimate <= attempt.decoded_below) {
                let decoded = decode(rung, rate);
                iterations += decoded.iterations;
                outcome.uncorrectable = !decoded.is_right;
            }
            outcome.iterations = [outcome.iterations[0] + iterations, iterations];
            if !outcome.uncorrectable {
                break;
            }
            (view.attempts, view.last, view.estimate) = (view.attempts + 1, Some(attempt), estimate);
        }
        outcome
    }

    /// Returns what a flow sees before the first attempt.
    fn begin<'a>(&self, halves: &'a [f64]) -> FlowView<'a> {
        let (ladder, shifted) = (self.ladder, self.rates.shifted);
        FlowView {
            page_type: self.page_type,
            attempts: 0,
            last: None,
            estimate: None,
            first: self.first as u32 + 1,
            soft_bits: ladder.rungs.len() as u32,
            steps: ladder.retries,
            best_step: shifted.map_or(ladder.retries, |shifted| shifted.steps.min(ladder.retries)),
            kind: if shifted.is_some() { Steps::Table } else { Steps::Share },
            good_step: self.good_step,
            halves,
        }
    }

    /// Returns the raw bit error rate at a step of the retries.
    fn rate(&self, step: u32) -> f64 {
        match self.rates.shifted {
            Some(shifted) => shifted.rate(self.rates.usual, step),
            None => (0..step).fold(self.rates.usual, |rate, _| rate * (1.0 - self.ladder.retry_gain)),
        }
    }

    /// Returns, for each rung, the raw bit error rate at which every other read fails.
    fn halves(&self) -> Vec<f64> {
        let of_word = 1.0 - libm::pow(0.5, 1.0 / self.ladder.codewords(self.bytes) as f64);
        let rungs = 0..self.ladder.rungs.len();
        rungs.map(|rung| self.ladder.greatest_rate_of(rung, of_word, self.rates.soft)).collect()
    }
}

impl Outcome {
    /// Notes that another attempt was made, the one of this number.
    fn made(&mut self, ladder: &Ladder, attempt: &Attempt, number: u32) {
        let rung = attempt.soft_bits as usize - 1;
        (self.rung, self.step, self.retries) = (rung, attempt.step, number);
        self.senses += ladder.rungs[rung].senses;
        self.bit_planes += ladder.rungs[rung].bit_planes;
    }
}

impl Flows {
    /// A flow with what it wants.
    ///
    /// # Errors
    /// When it wants estimates of a code whose checks are not known.
    pub fn new(flow: Box<dyn Flow>, ladder: &Ladder) -> Result<Self, String> {
        let notes = flow.notes();
        let estimator = if notes.estimates { Some(ladder.estimator()?) } else { None };
        Ok(Self { flow, notes, estimator })
    }

    /// The usual one.
    pub fn usual() -> Self {
        Self { flow: Box::new(HardRetrySoft), notes: Notes::default(), estimator: None }
    }
}

impl Ladder {
    /// Reads a page by the usual flow.
    pub fn read(&self, first: usize, rates: &Rates, bytes: u64, draw: f64) -> Outcome {
        let page = PageRead { ladder: self, first, rates, bytes, page_type: 0, good_step: None };
        page.by_draw(&mut Flows::usual(), &mut RandomStream::new(0, "ecc.flow"), draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Ldpc};
    use crate::flow::{LastGoodStep, SoftByEstimate};
    use crate::{Overlap, Pace, Shifted};
    use config::{Document, Policy, Section};
    use units::{Frequency, Nanos};

    const BYTES: u64 = 16_384;

    /// Returns a drive with a retry table of twenty steps whose code was counted.
    fn ladder() -> Ladder {
        let ladder = Ldpc::default().ladder(3).expect("a code");
        Ladder { retries: 20, retry_step_v: Some(0.006), ..ladder }
    }

    /// Returns a page of this rate, at the best references that of another.
    fn aged(usual: f64, rber: f64, steps: u32) -> Rates {
        Rates { shifted: Some(Shifted { rber, steps }), ..Rates::of(usual) }
    }

    fn by(flow: Box<dyn Flow>, rates: &Rates, good_step: Option<u32>) -> Outcome {
        let ladder = ladder();
        let mut flows = Flows::new(flow, &ladder).expect("a flow");
        let page = PageRead { ladder: &ladder, first: 0, rates, bytes: BYTES, page_type: 1, good_step };
        page.by_draw(&mut flows, &mut RandomStream::new(1, "test"), 0.5)
    }

    fn soft_by_estimate() -> Box<dyn Flow> {
        let document = Document::empty();
        Box::new(SoftByEstimate::read(&mut Section::root(&document)).expect("no parameters"))
    }

    #[test]
    fn an_estimate_leads_to_soft_reads_before_the_best_references() {
        // Every other hard read comes right at 0.0087, with two soft bits at 0.0179, with three at 0.0202.
        let rates = aged(0.03, 0.004, 12);
        let [usual, estimated] =
            [Box::new(HardRetrySoft) as Box<dyn Flow>, soft_by_estimate()].map(|flow| by(flow, &rates, None));
        assert_eq!((usual.rung, usual.step, usual.retries, usual.senses), (0, 8, 8, 9));
        assert!(estimated.retries < usual.retries && estimated.rung > 0, "{estimated:?}");
        // Attempts that would have been in vain took the syndrome alone, an iteration each.
        assert!(estimated.iterations[0] < 0.25 * usual.iterations[0], "{estimated:?} {usual:?}");
        assert!(!usual.uncorrectable && !estimated.uncorrectable);
        // What comes right at once does so by either, but for the pass over the checks.
        let easy = aged(0.004, 0.003, 2);
        let [usual, estimated] =
            [Box::new(HardRetrySoft) as Box<dyn Flow>, soft_by_estimate()].map(|flow| by(flow, &easy, None));
        assert_eq!((usual.retries, estimated.retries), (0, 0));
        assert_eq!(estimated.iterations[0], usual.iterations[0] + 1.0);
    }

    #[test]
    fn a_page_that_nothing_corrects_is_given_up_after_the_last_attempt() {
        let rates = aged(0.2, 0.1, 30);
        let usual = by(Box::new(HardRetrySoft), &rates, None);
        let estimated = by(soft_by_estimate(), &rates, None);
        assert_eq!((usual.retries, usual.rung, usual.step), (22, 2, 20));
        assert_eq!((estimated.retries, estimated.rung, estimated.step), (22, 2, 20));
        assert!(usual.uncorrectable && estimated.uncorrectable);
        // Two soft attempts at the end are decoded at any estimate.
        assert_eq!(estimated.iterations[0], 23.0 + 2.0 * 20.0);
    }

    #[test]
    fn reads_begin_where_the_superblock_was_read_last() {
        let rates = aged(0.03, 0.004, 12);
        let first = by(Box::new(LastGoodStep), &rates, None);
        assert_eq!(first, by(Box::new(HardRetrySoft), &rates, None));
        let again = by(Box::new(LastGoodStep), &rates, Some(first.step));
        assert_eq!((again.retries, again.step, again.senses), (0, 8, 1));
        // Never beyond the best references of this page.
        assert_eq!(by(Box::new(LastGoodStep), &rates, Some(19)).step, 12);
    }

    /// A flow that never gives up, and one that asks for more than there is.
    struct Endless(u32);

    impl Flow for Endless {
        fn next(&mut self, _view: &FlowView<'_>) -> Next {
            Next::Read(Attempt::at(0, self.0))
        }
    }

    #[test]
    fn a_flow_without_end_is_ended() {
        let outcome = by(Box::new(Endless(1)), &aged(0.2, 0.1, 3), None);
        assert_eq!((outcome.retries, outcome.uncorrectable), (ATTEMPTS_MOST - 1, true));
    }

    #[test]
    #[should_panic(expected = "does not take")]
    fn more_soft_bits_than_a_drive_has_are_refused() {
        by(Box::new(Endless(4)), &aged(0.2, 0.1, 3), None);
    }

    #[test]
    fn estimates_need_a_code_whose_checks_are_known() {
        let limited = Ldpc::of_limits(&[4e-3, 8e-3]).ladder(3).expect("a code");
        let error = Flows::new(soft_by_estimate(), &limited).err().expect("refused");
        assert!(error.contains("expected a code whose checks are known"), "{error}");
        assert!(Flows::new(Box::new(HardRetrySoft), &limited).is_ok());
    }

    /// References beyond the best ones misread as many as those as far before them.
    #[test]
    fn a_step_too_far_is_as_bad_as_one_too_few() {
        let shifted = Shifted { rber: 0.004, steps: 6 };
        for off in 0..6 {
            let [far, near] = [6 + off, 6 - off].map(|step| shifted.rate(0.03, step));
            assert!((far / near - 1.0).abs() < 1e-12, "{off}: {far} {near}");
        }
        assert!(shifted.rate(0.03, 13) > 0.03 && shifted.rate(0.03, 60) == 0.5);
    }

    /// Four words of 4 us each; their transfer takes 12 us, 3 us a word.
    #[test]
    fn words_wait_for_each_other_as_the_drive_has_it() {
        let waited = |overlap| {
            let pace = Some(Pace { clock: Frequency::new(500_000_000), edges: 512, overlap });
            Ladder { pace, ..ladder() }.iterating_ns(4000, BYTES, Nanos::new(12_000), 1)
        };
        assert_eq!(waited(Overlap::Beside), 4000);
        assert_eq!(waited(Overlap::NextTransfer), 4000 + 3 * 1000);
        assert_eq!(waited(Overlap::InTurn), 16_000);
        let one = |overlap| {
            let pace = Some(Pace { clock: Frequency::new(500_000_000), edges: 512, overlap });
            Ladder { pace, ..ladder() }.iterating_ns(4000, 4096, Nanos::new(3000), 1)
        };
        assert_eq!([one(Overlap::NextTransfer), one(Overlap::InTurn)], [4000, 4000]);
    }
}
