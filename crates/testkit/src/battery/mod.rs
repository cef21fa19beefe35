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
    /// Rule: the policy may let an operation wait for ever, because the description (card) that the policy gives of
    /// itself says so.
    Allowed,
    /// Rule: the policy must serve every operation at some time; starvation is an error.
    Forbidden,
}

/// Returns whether a policy may let an operation wait for ever, read from the description (card) that the policy gives
/// of itself.
pub fn starvation(entry: &PolicyEntry) -> Starvation {
    if entry.card.not_modelled.contains("starv") { Starvation::Allowed } else { Starvation::Forbidden }
}

/// Way in which a garbage collection victim policy chooses between superblocks that are equal in all properties that
/// the policy compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Way to choose: by the numbers of the superblocks, as the policy's description (card) says.
    ByNumber,
    /// Way to choose that the policy leaves open: dies that differ only in how their superblocks are numbered must give
    /// the same sequence of victims, apart from the numbers.
    Open,
}

/// Returns how a victim policy chooses between equal superblocks, read from the description (card) that the policy
/// gives of itself.
pub fn ties(entry: &PolicyEntry) -> Ties {
    if entry.card.rule.contains("number") { Ties::ByNumber } else { Ties::Open }
}
