//! The state that a run starts from: preconditioned, laid out, warmed up, or loaded.

pub(crate) mod laying_out;
pub(crate) mod precondition;
pub(crate) mod report;
pub(crate) mod saturating;
pub(crate) mod state_file;
pub(crate) mod warm_up;
