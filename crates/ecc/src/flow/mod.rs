//! Which attempt comes next for a page's read?
//!
//! A read that is not known to come right at once is a row of attempts: with the references of some step of the retry table, and with so
//! many soft bits. A flow says what is tried next, by what the attempts so far came to; the drive senses, decodes, and gives up after
//! [`ATTEMPTS_MOST`], even where the flow chooses another. A drive has one flow object.

use crate::Estimator;

/// Attempts of a read after which a drive gives up.
pub const ATTEMPTS_MOST: u32 = 255;

/// One attempt to read a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Step of the retry table whose references the attempt uses; 0: the default references.
    pub step: u32,
    /// Soft bits of the attempt: 1 is a hard read; k are `2^k - 1` comparisons at each boundary.
    pub soft_bits: u32,
    /// The attempt is decoded only if the error rate estimated from its syndrome is not above this rate.
    pub decoded_below: f64,
}

impl Attempt {
    /// Makes an attempt that is decoded in any case.
    pub const fn at(step: u32, soft_bits: u32) -> Self {
        Self { step, soft_bits, decoded_below: f64::INFINITY }
    }
}

/// Answer of a flow: the next attempt, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The page is read by this attempt.
    Read(Attempt),
    /// No further attempt: the data of the page are given up.
    GiveUp,
}

/// What a step of the retries does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// A step has references nearer to the best ones (`retry_step`).
    Table,
    /// A step removes a share of the raw errors (`retry_gain`): the best references are not known.
    Share,
}

/// Information on a read that a flow may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView<'a> {
    /// Number of the bit of the cells that the page holds: its page type.
    pub page_type: usize,
    /// Number of attempts of the read so far.
    pub attempts: u32,
    /// The last attempt of the read in progress; none before the first attempt.
    pub last: Option<Attempt>,
    /// The raw bit error rate of the last attempt, estimated from the weight of its words' syndromes; none where that is not asked
    /// for ([`Notes::estimates`]), and before the first.
    pub estimate: Option<f64>,
    /// Soft bits that the page's cost and wear require of a first attempt.
    pub first: u32,
    /// Most soft bits that the drive reads.
    pub soft_bits: u32,
    /// Number of the last step of the retries.
    pub steps: u32,
    /// The retry step nearest to the best references, where drive and chip know it, else the last step of the table.
    pub best_step: u32,
    /// How each step of the retries lowers the errors.
    pub kind: Steps,
    /// The step at which a read of this superblock came right last, since it was erased; none where that is not noted
    /// ([`Notes::good_steps`]), or before.
    pub good_step: Option<u32>,
    /// For each number of soft bits, from one on, the raw bit error rate at which every other read of such a page fails.
    pub halves: &'a [f64],
}

impl FlowView<'_> {
    /// True of an attempt that this drive can make.
    pub fn takes(&self, attempt: &Attempt) -> bool {
        attempt.step <= self.steps
            && (1..=self.soft_bits).contains(&attempt.soft_bits)
            && !attempt.decoded_below.is_nan()
    }

    /// Returns the attempt that follows another in the default order: where steps have references, all hard
    /// ones on the way to the best, then with more soft bits there; where they do not, more soft bits first.
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

/// Notes that the drive must keep for its flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// True if the drive estimates the error rate of each attempt from its syndrome, which takes the time of
    /// one iteration.
    pub estimates: bool,
    /// True if the drive notes the step of the retries at which each superblock was last read correctly. A
    /// loss of power erases these notes.
    pub good_steps: bool,
}

/// The order of a read's attempts.
pub trait Flow: Send {
    /// Returns the notes that the read flow needs the drive to keep.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// Returns the next attempt of a read, one that the view [takes](FlowView::takes); the first is no giving
    /// up. The same whenever it is asked of the same view.
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

/// A flow with the notes that it needs.
pub struct Flows {
    /// Policy that chooses the attempts of a read.
    pub flow: Box<dyn Flow>,
    /// The notes that the flow needs.
    pub notes: Notes,
    /// Estimates error rates from syndromes, where the flow needs estimates.
    pub estimator: Option<Estimator>,
}
