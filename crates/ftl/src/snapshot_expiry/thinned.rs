//! Many recent snapshots and a few old ones.

use super::{ExpiryPolicy, ExpiryReason, ExpiryView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the snapshot expiry policy `thinned`: drops snapshots so that the older the remaining snapshots
/// are, the farther apart in time they are. A choice costs O(snapshots).
#[derive(Clone, Debug)]
pub struct Thinned;

impl Policy for Thinned {
    const CARD: Card = Card {
        name: "thinned",
        rule: "of all but the oldest the one whose neighbours are nearest to each other for its age: the time between \
               them divided by its age; the oldest when it is the only one, or for lack of room",
        paper: "follows Santry et al., SOSP 1999 (Elephant: old versions are thinned out)",
        not_modelled: "landmarks: a version is not kept because its neighbours differ from it more",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ExpiryPolicy for Thinned {
    fn expire(&mut self, view: &ExpiryView<'_>) -> usize {
        let all = view.snapshots;
        // The oldest gives back all that it kept; of a later one much passes to the one before it.
        if view.reason == ExpiryReason::Room {
            return 0;
        }
        let gap = |at: usize| {
            let next = all.get(at + 1).map_or(view.now, |next| next.taken);
            let age = view.now.since(all[at].taken).ns().max(1);
            next.since(all[at - 1].taken).ns() as f64 / age as f64
        };
        (1..all.len()).min_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(0)
    }
}
