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
    /// Step of the retry table whose references it begins from; 0: the usual ones.
    pub step: u32,
    /// 1: a hard read; k: `2^k - 1` comparisons at each boundary.
    pub soft_bits: u32,
    /// It is passed over, not decoded, where the error rate estimated from its syndrome is greater.
    pub decoded_below: f64,
}

impl Attempt {
    /// One that is decoded in any case.
    pub const fn at(step: u32, soft_bits: u32) -> Self {
        Self { step, soft_bits, decoded_below: f64::INFINITY }
    }
}

/// What a flow answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The page is read so.
    Read(Attempt),
    /// Its data are given up.
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

/// What a flow may know of a read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView<'a> {
    /// Which bit of its cells the page holds.
    pub page_type: usize,
    /// Attempts so far.
    pub attempts: u32,
    /// The last of them; none before the first.
    pub last: Option<Attempt>,
    /// The raw bit error rate of the last attempt, estimated from the weight of its words' syndromes; none where that is not asked
    /// for ([`Notes::estimates`]), and before the first.
    pub estimate: Option<f64>,
    /// Soft bits that the page's cost and wear require of a first attempt.
    pub first: u32,
    /// The most soft bits of this drive.
    pub soft_bits: u32,
    /// The last step of the retries.
    pub steps: u32,
    /// The step nearest to the best references, where drive and chip know it, else the last one.
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

    /// The attempt that follows another in the default order: where steps have references, all hard ones on the way to the best, then with more
    /// soft bits there; where they do not, more soft bits first.
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

/// What a drive notes because its flow asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The rate of each attempt, estimated from the syndrome; each then takes as long as an iteration.
    pub estimates: bool,
    /// The step at which each superblock was read last. Nothing of it outlives a loss of power.
    pub good_steps: bool,
}

/// The order of a read's attempts.
pub trait Flow: Send {
    /// What it wants noted.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// The next attempt of a read, one that the view [takes](FlowView::takes); the first is no giving up. The same whenever it is
    /// asked of the same view.
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

/// A flow with what it wants to know.
pub struct Flows {
    /// The flow.
    pub flow: Box<dyn Flow>,
    /// What it wants noted.
    pub notes: Notes,
    /// What estimates rates, where it wants them.
    pub estimator: Option<Estimator>,
}
