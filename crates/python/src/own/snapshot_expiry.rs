//! Expiry of snapshots in Python.

use super::asked::{PolicyObject, Question, UserClass};
use ftl::snapshot_expiry::{ExpiryPolicy, ExpiryReason, ExpiryView, Maker};
use pyo3::prelude::*;
use std::sync::Arc;

/// Returns the function that makes instances of the user's policy `class` that chooses which snapshot the drive deletes
/// when snapshots reach the limit of their number or of their space.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Expiry::new(&class)))
}

struct Expiry {
    asked: PolicyObject,
    expire: Question,
}

impl Expiry {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        Self { expire: asked.question("expire"), asked }
    }
}

impl ExpiryPolicy for Expiry {
    fn expire(&mut self, view: &ExpiryView<'_>) -> usize {
        let all = view.snapshots;
        let serials: Vec<u32> = all.iter().map(|one| one.serial).collect();
        let taken_ns: Vec<u64> = all.iter().map(|one| one.taken.ns()).collect();
        let differences: Vec<u64> = all.iter().map(|one| one.differences).collect();
        let reason = match view.reason {
            ExpiryReason::Count => "count",
            ExpiryReason::Room => "room",
        };
        let at = |answer: &Bound<'_, PyAny>| {
            let serial: u32 = answer.extract().ok()?;
            all.iter().position(|one| one.serial == serial)
        };
        let shown = (serials, taken_ns, differences, reason, view.now.ns(), view.keep, view.units, view.room);
        self.asked.ask_with_view(&self.expire, "one of view.serials", shown, at)
    }
}
