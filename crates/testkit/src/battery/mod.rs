//! One battery per seam. Each checks one policy, given by its maker and named `context` in messages, and
//! panics at the first thing that policy may not do.
pub mod arbitration;
pub mod code;
pub mod errors;
pub mod eviction;
pub mod flow;
pub mod interface;
pub mod link;
pub mod mapping;
pub mod parity;
pub mod place;
pub mod placement;
pub mod program_order;
pub mod read_ahead;
pub mod read_merge;
pub mod refresh_order;
pub mod regulator;
pub mod scheduler;
pub mod slc_cache;
pub mod snapshot_expiry;
pub mod streams;
pub mod trigger;
pub mod victim;
pub mod wear;

use config::PolicyEntry;

/// Kind of rule on starvation: whether a policy (channel arbiter or scheduler) may let an operation wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starvation {
    /// Case of the rule on starvation: the policy under test may let an operation wait for ever, because the
    /// description (card) that the policy gives of itself says so.
    Allowed,
    /// Case of the rule on starvation: the policy under test must serve every operation at some time; an operation that
    /// waits for ever is an error.
    Forbidden,
}

/// Returns whether a policy may let an operation wait for ever, read from the description (card) that the policy gives
/// of itself.
pub fn starvation(entry: &PolicyEntry) -> Starvation {
    if entry.card.not_modelled.contains("starv") { Starvation::Allowed } else { Starvation::Forbidden }
}

/// Kind of choice that a garbage collection victim policy under test makes between superblocks that are equal in all
/// properties that the policy compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Case of choice between equal superblocks by a garbage collection victim policy: by the numbers of the
    /// superblocks, as the policy's description (card) says.
    ByNumber,
    /// Case of choice between equal superblocks by a garbage collection victim policy: left open by the policy. Dies
    /// that differ only in how their superblocks are numbered must then give the same sequence of victims, apart from
    /// the numbers.
    Open,
}

/// Returns how a victim policy chooses between equal superblocks, read from the description (card) that the policy
/// gives of itself.
pub fn ties(entry: &PolicyEntry) -> Ties {
    if entry.card.rule.contains("number") { Ties::ByNumber } else { Ties::Open }
}
