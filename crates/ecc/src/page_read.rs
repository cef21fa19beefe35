//! One read of a page: the attempts that a flow chooses, until one comes right or it gives up.

use crate::flow::{ATTEMPTS_MOST, Attempt, Flow, FlowView, Flows, HardRetrySoft, Next, Notes, Steps};
use crate::words::{Word, Words};
use crate::{Ladder, Rates, tail};
use engine::RandomStream;

/// Record of the outcome of the read of one page: its attempts, and whether it was corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Field of a read's outcome: index of the rung of the read ladder (the way to read a page, by number of soft bits)
    /// that corrected the page; of the last attempt if no attempt did.
    pub rung: usize,
    /// Field of a read's outcome: number of attempts of the read beyond the first.
    pub retries: u32,
    /// Field of a read's outcome: number of comparisons of the page's cells at each boundary between states that the
    /// read took, summed over all its attempts.
    pub senses: u32,
    /// Field of a read's outcome: number of bit-planes sent to the controller, summed over all attempts of the read.
    pub bit_planes: u32,
    /// Field of a read's outcome: index of the read-retry step with which the last attempt read: 0 is the default
    /// references.
    pub step: u32,
    /// Field of a read's outcome: pair of mean numbers of decoder iterations of a codeword of the page: first the sum
    /// over all attempts, then that of the last attempt.
    pub iterations: [f64; 2],
    /// True if no attempt corrected the page: its data are uncorrectable.
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

/// Record that describes one page that is to be read: the page's error rates and size, and the ways in which the drive
/// can read it.
#[derive(Clone, Copy, Debug)]
pub struct PageRead<'a> {
    /// Field: ladder of the ways in which the drive can read and correct the page.
    pub ladder: &'a Ladder,
    /// Field: index of the ladder's rung (way to read) that the first attempt uses.
    pub first: usize,
    /// Field: raw bit error rates of the page: the rate with the default references, the effect of retries on it, and
    /// the factors for soft reads.
    pub rates: &'a Rates,
    /// Field: size of the page that is to be read, in data bytes.
    pub bytes: u64,
    /// Field: page type of the page, the index, from 0, of the bit of the cells that holds the page.
    pub page_type: usize,
    /// Field: index of the step of the retry table at which a page of any page type of the same superblock was last
    /// read correctly; none if not known.
    pub good_step: Option<u32>,
}

/// Record of an attempt that a read of a page makes if all attempts before it failed, with its chance of failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Field of an attempt: index of the step of the retry table with which the attempt reads: 0 is the default
    /// references.
    pub step: u32,
    /// Field of an attempt: number of soft bits; with k of them, cells are compared with `2^k - 1` references at each
    /// boundary between states; 1 is a hard read.
    pub soft_bits: u32,
    /// Field of an attempt: chance (0 to 1) that a codeword of the page is uncorrectable in this attempt; 1 where the
    /// read flow does not decode the attempt.
    pub codeword_failure: f64,
    /// Field of an attempt: chance (0 to 1) that at least one codeword of the page is uncorrectable in this attempt.
    pub page_failure: f64,
}

/// Record of the result of decoding the page in one attempt: whether the page was corrected, and the iterations.
struct Decoded {
    is_right: bool,
    /// Field: mean number of decoder iterations of the page's codewords in this attempt.
    iterations: f64,
}

impl PageRead<'_> {
    /// Makes the attempts of the read, decides the success of each by its chance of failure and the page's random
    /// number, and returns the outcome. The number `draw` is uniform between 0 and 1 and the same for all attempts of a
    /// page: an attempt with a smaller chance of failure never fails where one with a greater chance succeeds.
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

    /// Makes the attempts of the read, decides the success of each by decoding simulated codewords, and returns the
    /// outcome.
    pub fn by_words(&self, flows: &mut Flows, chance: &mut RandomStream, words: &mut Words) -> Outcome {
        let count = self.ladder.codewords(self.bytes);
        self.attempts(flows, chance, |rung, rate| {
            let met = self.ladder.met(rung, rate, self.rates.soft);
            let taken: Vec<Word> = (0..count).map(|_| words.take(rung as u32 + 1, met)).collect();
            let iterations = taken.iter().map(|word| f64::from(word.iterations)).sum::<f64>();
            Decoded { is_right: !taken.iter().any(|word| word.fails), iterations: iterations / count as f64 }
        })
    }

    /// Makes the attempts that the read flow (policy for the next attempt) chooses, each decoded by `decode`, and
    /// returns the outcome; `chance` is the random stream of the estimated error rates alone.
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

    /// Returns the attempts that the read flow (policy for the next attempt) makes if each of them fails, in their
    /// order, each with its chance of failure by the code's tables or closed form. A read flow that estimates error
    /// rates is told the true rate. A page whose random number is `draw` is corrected by the first attempt whose chance
    /// of failure is at most `draw`, as in [`Self::by_draw`].
    pub fn tried(&self, flow: &mut dyn Flow) -> Vec<Tried> {
        let notes = flow.notes();
        let halves = if notes.estimates { self.halves() } else { Vec::new() };
        let (mut view, mut made) = (self.begin(&halves), Vec::new());
        while view.attempts < ATTEMPTS_MOST {
            let Next::Read(attempt) = flow.next(&view) else { break };
            assert!(view.takes(&attempt), "the read flow chose {attempt:?}, which {view:?} does not take");
            let rate = self.rate(attempt.step);
            let estimate = notes.estimates.then_some(rate);
            let is_decoded = estimate.is_none_or(|estimate| estimate <= attempt.decoded_below);
            let rung = attempt.soft_bits as usize - 1;
            let of_code = || self.ladder.codeword_failure(rung, rate, self.rates.soft);
            let codeword_failure = if is_decoded { of_code() } else { 1.0 };
            let page_failure = tail::any_of(self.ladder.codewords(self.bytes), codeword_failure);
            let Attempt { step, soft_bits, .. } = attempt;
            made.push(Tried { step, soft_bits, codeword_failure, page_failure });
            (view.attempts, view.last, view.estimate) = (view.attempts + 1, Some(attempt), estimate);
        }
        made
    }

    /// Makes the view of this read, before its first attempt, that the read flow (policy for the attempts) is shown.
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

    /// Returns the raw bit error rate of the page if read with the references of step `step` of the retry table.
    fn rate(&self, step: u32) -> f64 {
        match self.rates.shifted {
            Some(shifted) => shifted.rate(self.rates.usual, step),
            None => (0..step).fold(self.rates.usual, |rate, _| rate * (1.0 - self.ladder.retry_gain)),
        }
    }

    /// Returns, for each rung of the ladder (number of soft bits), the raw bit error rate at which half of the reads of
    /// this page fail.
    fn halves(&self) -> Vec<f64> {
        let of_word = 1.0 - libm::pow(0.5, 1.0 / self.ladder.codewords(self.bytes) as f64);
        let rungs = 0..self.ladder.rungs.len();
        rungs.map(|rung| self.ladder.greatest_rate_of(rung, of_word, self.rates.soft)).collect()
    }
}

impl Outcome {
    /// Adds attempt number `number` of the read, from 0, to the outcome: sets the rung, the retry step and the number
    /// of retries, and adds the comparisons and bit-planes.
    fn made(&mut self, ladder: &Ladder, attempt: &Attempt, number: u32) {
        let rung = attempt.soft_bits as usize - 1;
        (self.rung, self.step, self.retries) = (rung, attempt.step, number);
        self.senses += ladder.rungs[rung].senses;
        self.bit_planes += ladder.rungs[rung].bit_planes;
    }
}

impl Flows {
    /// Makes the drive's read flow with the records and the estimator that it needs.
    ///
    /// # Errors
    /// When the flow needs estimates from a code whose checks are not known.
    pub fn new(flow: Box<dyn Flow>, ladder: &Ladder) -> Result<Self, String> {
        let notes = flow.notes();
        let estimator = if notes.estimates { Some(ladder.estimator()?) } else { None };
        Ok(Self { flow, notes, estimator })
    }

    /// Makes the default read flow (policy for the attempts of a page's read): where the drive has a retry table, hard
    /// reads along it before soft reads, else more soft bits before retries.
    pub fn usual() -> Self {
        Self { flow: Box::new(HardRetrySoft), notes: Notes::default(), estimator: None }
    }
}

impl Ladder {
    /// Simulates the read of a page with the default read flow (where the drive has a retry table, hard reads along it
    /// before soft reads), where the random number `draw` (0 to 1) and the chances of failure decide the success;
    /// returns the outcome.
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

    /// Makes, for the tests, a ladder with a retry table of twenty steps, of a code that has a table of counted
    /// failures.
    fn ladder() -> Ladder {
        let ladder = Ldpc::default().ladder(3).expect("a code");
        Ladder { retries: 20, retry_step_v: Some(0.006), ..ladder }
    }

    /// Makes, for the tests, the error rates of a page: `usual` with the default references, `rber` with the best
    /// references, which lie `steps` steps of the retry table from the default ones.
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

    /// Checks that a page is read by the first attempt whose chance of failure its random number reaches.
    #[test]
    fn attempts_in_vain_tell_which_of_them_corrects_a_page() {
        let (ladder, rates) = (ladder(), aged(0.03, 0.004, 12));
        let page = PageRead {
            ladder: &ladder,
            first: 0,
            rates: &rates,
            bytes: BYTES,
            page_type: 1,
            good_step: None,
        };
        let tried = page.tried(&mut HardRetrySoft);
        assert_eq!((tried.len(), tried[0].step, tried[14].soft_bits), (15, 0, 3));
        for draw in [1e-6, 0.01, 0.5, 0.99] {
            let outcome = ladder.read(0, &rates, BYTES, draw);
            let first = tried.iter().position(|attempt| attempt.page_failure <= draw).expect("corrected");
            assert_eq!((outcome.retries, outcome.step), (first as u32, tried[first].step));
        }
        let estimated = page.tried(soft_by_estimate().as_mut());
        let first = estimated.iter().find(|attempt| attempt.page_failure <= 0.5).expect("corrected");
        assert!(estimated[0].page_failure == 1.0 && first.soft_bits > 1, "{estimated:?}");
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

    /// Implementation, for the tests, of a read flow that never gives up, and always asks for the same number of soft
    /// bits, which may be more than the drive supports.
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

    /// Checks that references beyond the best ones misread as many cells as references equally far before them.
    #[test]
    fn a_step_too_far_is_as_bad_as_one_too_few() {
        let shifted = Shifted { rber: 0.004, steps: 6 };
        for off in 0..6 {
            let [far, near] = [6 + off, 6 - off].map(|step| shifted.rate(0.03, step));
            assert!((far / near - 1.0).abs() < 1e-12, "{off}: {far} {near}");
        }
        assert!(shifted.rate(0.03, 13) > 0.03 && shifted.rate(0.03, 60) == 0.5);
    }

    /// Checks how long codewords wait for the decoder, for a read of four codewords that take 4 us of iterations each;
    /// their transfer takes 12 us, 3 us a codeword.
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
