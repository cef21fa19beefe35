//! What happens when the power fails in the middle of a run?
//!
//! - `plan`: when it fails, as the drive's file says.
//! - `cut`: what a cut does to a run, and how the drive comes back.

mod cut;
mod plan;

pub(crate) use cut::{Cut, Cuts};
pub(crate) use plan::PowerPlan;
