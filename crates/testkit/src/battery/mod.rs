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

/// Whether a policy may let an operation wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starvation {
    /// Its card owns up to that.
    Allowed,
    /// It must keep everyone served.
    Forbidden,
}

/// What the policy's card says of starvation.
pub fn starvation(entry: &PolicyEntry) -> Starvation {
    if entry.card.not_modelled.contains("starv") { Starvation::Allowed } else { Starvation::Forbidden }
}

/// What decides between superblocks that are equal in all that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Their numbers, as the policy's card says.
    ByNumber,
    /// Nothing: the choices must not depend on how superblocks are numbered.
    Open,
}

/// What the policy's card says of equals.
pub fn ties(entry: &PolicyEntry) -> Ties {
    if entry.card.rule.contains("number") { Ties::ByNumber } else { Ties::Open }
}
