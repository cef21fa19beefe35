//! Which attempt comes next for a page's read?
//!
//! A read that is not known to come right at once is a row of attempts: with the references of some step of the retry table, and with so
//! many soft bits. A flow says what is tried next, by what the attempts so far came to; the drive senses, decodes, and gives up after
//! [`ATTEMPTS_MOST`], even where the flow chooses another. A drive has one flow object.

use crate::Estimator;

/// Constant: greatest number of attempts of one page read. If so many have failed, the drive gives up the read, even if
/// the read flow (policy for the attempts) asks for more.
pub const ATTEMPTS_MOST: u32 = 255;

/// Record of the settings of one attempt to read a page: which references it uses, with how many soft bits, and when it
/// is decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Field of an attempt: index of the step of the retry table whose references the attempt reads with; 0: the
    /// default references.
    pub step: u32,
    /// Field of an attempt: number of soft bits of the attempt: 1 is a hard read; with k soft bits, cells are compared
    /// with `2^k - 1` references at each boundary between states.
    pub soft_bits: u32,
    /// Field of an attempt: greatest raw bit error rate, as estimated from the syndrome, at which the attempt is
    /// decoded; infinity: always.
    pub decoded_below: f64,
}

impl Attempt {
    /// Makes an attempt that is decoded at any estimated error rate.
    pub const fn at(step: u32, soft_bits: u32) -> Self {
        Self { step, soft_bits, decoded_below: f64::INFINITY }
    }
}

/// Kind of answer that a read flow (policy for the attempts of a page's read) gives: make a further attempt, or give
/// up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Case of the read flow's answer: read the page next with this attempt.
    Read(Attempt),
    /// Case of the read flow's answer: give up the read without a further attempt, so that the page is uncorrectable.
    GiveUp,
}

/// Kind of effect, one of two, that each retry step (entry of the drive's retry table of reference voltages) has on a
/// page's raw bit errors: the references move nearer to the best ones along the table, or a fraction of the errors is
/// removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Case of the retry model: each step moves the references nearer to the best ones, along a retry table
    /// (`retry_step`).
    Table,
    /// Case of the retry model: each step removes a fraction of the raw bit errors (`retry_gain`), as the best
    /// references are not known.
    Share,
}

/// View of a page's read that is shown to the read flow when it chooses the next attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView<'a> {
    /// Field of the view of a read: page type of the page, that is, the index, from 0, of the bit of the cells that
    /// holds the page.
    pub page_type: usize,
    /// Field of the view of a read: number of attempts that the read has made so far, for the read flow (policy that
    /// chooses the next attempt).
    pub attempts: u32,
    /// Field of the view of a read: most recent attempt of the read in progress, which failed; none before the first
    /// attempt.
    pub last: Option<Attempt>,
    /// Field of the view of a read: raw bit error rate of the last attempt, estimated from the weight of its codewords'
    /// syndromes; none before the first attempt, and where the flow does not ask for estimates ([`Notes::estimates`]).
    pub estimate: Option<f64>,
    /// Field of the view of a read: number of soft bits of the read's first attempt, as the drive's regulators of write
    /// cost (program time against read time) and wear want it.
    pub first: u32,
    /// Field of the view of a read: greatest number of soft bits with which the drive can read, as a limit for the read
    /// flow (policy that chooses the next attempt).
    pub soft_bits: u32,
    /// Field of the view of a read: index of the last retry step (entry of the retry table); step 0 is the default
    /// references.
    pub steps: u32,
    /// Field of the view of a read: index of the retry step nearest to the best references, where drive and chip know
    /// the best references; else the index of the last retry step.
    pub best_step: u32,
    /// Field of the view of a read: kind of effect that each retry step (entry of the retry table) has on the raw bit
    /// errors: nearer references along the table, or a fraction of the errors removed.
    pub kind: Steps,
    /// Field of the view of a read: index of the step of the retry table at which a read of this superblock was last
    /// decoded, since the superblock was erased; none before such a read, and where the flow does not ask for it
    /// ([`Notes::good_steps`]).
    pub good_step: Option<u32>,
    /// List of raw bit error rates, one for each number of soft bits from one on: the rate at which half of the reads
    /// of such a page, with that number of soft bits, fail. Empty where the read flow does not ask for estimates
    /// ([`Notes::estimates`]).
    pub halves: &'a [f64],
}

impl FlowView<'_> {
    /// Returns true if this drive can make the attempt: retry step and soft bits lie within its limits.
    pub fn takes(&self, attempt: &Attempt) -> bool {
        attempt.step <= self.steps
            && (1..=self.soft_bits).contains(&attempt.soft_bits)
            && !attempt.decoded_below.is_nan()
    }

    /// Returns the attempt that follows `last` in the default order, or, at its end, that the read is given up. Where
    /// retries follow a table of references, first the table's steps up to the best references, then more soft bits at
    /// that step; else more soft bits first, then retry steps.
    pub fn in_order_after(&self, last: &Attempt) -> Next {
        let may_step = last.step < self.best_step;
        let may_soften = last.soft_bits < self.soft_bits;
        let (steps, softens) = match self.kind {
            Steps::Table => (may_step, !may_step && may_soften),
            Steps::Share => (!may_soften && may_step, may_soften),
        };
        match (steps, softens) {
            (true, _) => Next::Read(Attempt::at(last.step + 1, last.soft_bits)),
            (_, true) => Next::Read(Attempt::at(last.step, last.soft_bits + 1)),
            _ => Next::GiveUp,
        }
    }
}

/// Set of flags: which records and estimates the drive must maintain for its read flow, the policy that chooses the
/// attempts of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// True if the drive estimates the raw bit error rate of each attempt from its syndrome, which takes the time of
    /// one iteration of the decoder.
    pub estimates: bool,
    /// True if the drive records, for each superblock, the step of the retry table at which a page was last read
    /// correctly; a power cut erases these records.
    pub good_steps: bool,
}

/// Policy interface of a read flow, which chooses the attempts of a page's read one after the other.
pub trait Flow: Send {
    /// Returns the set of flags that tells which records (retry steps, error estimates) the read flow needs the drive
    /// to maintain.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// Returns the next attempt of a read, one that the drive [can make](FlowView::takes); a flow may not give up
    /// before the first attempt. For the same view the answer must always be the same.
    fn next(&mut self, view: &FlowView<'_>) -> Next;
}

config::policies! {
    seam: "ecc.flow",
    question: "Which attempt comes next for a page's read?",
    default: "hard-retry-soft",
    dyn Flow;
    hard_retry_soft::HardRetrySoft,
    last_good_step::LastGoodStep,
    soft_by_estimate::SoftByEstimate,
}

/// Record of the read flow of a drive (the policy that chooses the attempts of a page's read), together with the
/// records that it asks for and the estimator that it needs.
pub struct Flows {
    /// Field: the drive's read flow itself: the policy object that chooses the attempts of a page's read.
    pub flow: Box<dyn Flow>,
    /// Field: set of flags that say which records the read flow needs the drive to maintain.
    pub notes: Notes,
    /// Field: estimator of raw bit error rates from syndromes; none where the flow needs no estimates.
    pub estimator: Option<Estimator>,
}
