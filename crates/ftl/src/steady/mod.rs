//! The translation layer without time: filling and overwriting a drive fast, and constructing the state
//! that this would end in.
//!
//! - this file: when write amplification counts as steady.
//! - `untimed`: writes and collections that take no time.
//! - `next_die`: which die takes the next unit that is written so.
//! - `order`: a fresh drive that is written in order, at once.
//! - `history`: what one die looks like at many moments of its steady state.
//! - `construct`: dies built at moments of such a history.
//!   `drawn`: which units of those are valid, and what they hold.
//! - `ahead`: collections without time that run ahead of the host as they do in time.
//! - `prefetch`: map entries that collections without time need soon.
//! - `room`: where there is room for units that take no time.
//! - `still`: a drive between time and writes without it.
//! - `together`: superblocks that are reclaimed together, in no time.
//! - `cache`: an SLC cache as long work leaves it.

mod ahead;
mod cache;
mod construct;
mod drawn;
mod history;
mod next_die;
mod order;
mod prefetch;
mod room;
mod still;
mod together;
mod untimed;

pub use crate::core::{GroupMoment, Member, Moment, OpenBlock, SetMoment, UsedBlock, VictimBlock};
pub use ahead::RunsAhead;
pub use cache::Filling;
pub use still::Still;

/// Set of parameters of the rule by which write amplification counts as steady: over the last `windows` windows of
/// `window` overwrites of the filled space each, it stays within `tolerance` (relative) of its mean, and a straight line through
/// the windows changes by no more than half of that; and earlier data are mostly overwritten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// Parameter of the rule for a steady state: length of one of the windows by which write amplification is judged,
    /// given as a number of overwrites of the filled logical space.
    pub window: f64,
    /// Parameter of the rule for a steady state: number of the most recent windows (equal amounts of data written)
    /// whose write amplification values are compared with each other.
    pub windows: usize,
    /// Parameter of the rule for a steady state: least number of overwrites of the filled space before write
    /// amplification may count as steady. Data filled in order stay in order until they are overwritten, which a
    /// workload that prefers certain addresses would notice, even when write amplification is steady.
    pub least: f64,
    /// Parameter of the rule for a steady state: largest permitted deviation of write amplification in a window from
    /// the mean over the windows, as a fraction of the mean.
    pub tolerance: f64,
    /// Parameter of the rule for a steady state: number of overwrites of the filled logical space after which
    /// preconditioning ends even if write amplification is not steady; the results then report that.
    pub limit: f64,
}

impl Default for SteadyRule {
    fn default() -> Self {
        Self { window: 0.25, windows: 5, least: 3.0, tolerance: 0.02, limit: 20.0 }
    }
}

/// Record of the write amplification of each window so far, with the rule that decides whether it is steady.
#[derive(Clone, Debug)]
pub struct SteadyWindow {
    rule: SteadyRule,
    /// List of the write amplification of each window measured so far while preconditioning approaches the steady
    /// state, in order of time.
    pub history: Vec<f64>,
}

impl SteadyWindow {
    /// Makes a record for the steady-state rule `rule`, in which no window is measured yet.
    pub fn new(rule: SteadyRule) -> Self {
        Self { rule, history: Vec::new() }
    }

    /// Adds a window with write amplification `waf` to the record; the filled logical space was overwritten
    /// `overwrites` times up to its end. Returns true when the rule for a steady state is met.
    pub fn push(&mut self, waf: f64, overwrites: f64) -> bool {
        self.history.push(waf);
        overwrites >= self.rule.least && self.is_steady()
    }

    /// Returns true when the last windows meet the rule for a steady state, apart from the least number of overwrites.
    pub fn is_steady(&self) -> bool {
        let count = self.rule.windows;
        let Some(last) = self.history.len().checked_sub(count).map(|from| &self.history[from..]) else {
            return false;
        };
        let mean = last.iter().sum::<f64>() / count as f64;
        let excursion = last.iter().map(|waf| (waf / mean - 1.0).abs()).fold(0.0, f64::max);
        let centre = (count - 1) as f64 / 2.0;
        let covariance: f64 =
            last.iter().enumerate().map(|(i, waf)| (i as f64 - centre) * (waf - mean)).sum();
        let variance: f64 = (0..count).map(|i| (i as f64 - centre).powi(2)).sum();
        let change = (covariance / variance * (count - 1) as f64 / mean).abs();
        excursion <= self.rule.tolerance && change <= self.rule.tolerance / 2.0
    }

    /// Returns true when the filled logical space was overwritten as often as the rule allows, so that preconditioning
    /// ends in any case.
    pub fn is_exhausted(&self) -> bool {
        self.history.len() as f64 * self.rule.window >= self.rule.limit
    }
}
