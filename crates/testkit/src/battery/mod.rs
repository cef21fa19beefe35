//! One battery per seam. Each checks one policy, given by its maker and named `context` in messages, and
//! panics at the first thing that policy may not do.
pub mod arbitration;
pub mod code;
pub mod errors;
pub mod eviction;
pub mod interface;
pub mod link;
pub mod mapping;
pub mod parity;
pub mod placement;
pub mod program_order;
pub mod read_ahead;
pub mod read_merge;
pub mod regulator;
pub mod scheduler;
pub mod slc_cache;
pub mod trigger;
pub mod victim;
pub mod wear;

use config::PolicyEntry;

/// True when the policy's card owns up to starvation; the others must keep everyone served.
pub fn may_starve(entry: &PolicyEntry) -> bool {
    entry.card.not_modelled.contains("starv")
}

/// True when the policy's card says that among equals the number of the superblock decides; the choices of
/// the others must not depend on how superblocks are numbered.
pub fn ties_by_number(entry: &PolicyEntry) -> bool {
    entry.card.rule.contains("number")
}
