//! Orders of refreshes in Python.

use super::asked::{PolicyObject, Question, UserClass};
use super::die::{AskedDie, TakenAnswers};
use super::lent::Slice;
use ftl::refresh_order::{Maker, RefreshOrder, RefreshView};
use std::sync::Arc;
use units::SuperblockId;

/// Returns the function that makes instances of the user's policy `class` for the order in which superblocks are
/// refreshed.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(OwnRefreshOrder::new(&class)))
}

struct OwnRefreshOrder {
    asked: PolicyObject,
    next: Question,
}

impl OwnRefreshOrder {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        Self { next: asked.question("next"), asked }
    }
}

impl RefreshOrder for OwnRefreshOrder {
    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId {
        let candidates = view.candidates;
        let die = AskedDie {
            candidates,
            blocks: view.blocks,
            random: view.random,
            clock: view.clock,
            more: [("now_ns", view.now_ns), ("", 0)],
            own_array: Some(("due_since_ns", Slice::wide(view.due_since_ns))),
        };
        die.ask(&self.asked, &self.next, TakenAnswers::Candidate).expect("None is no candidate")
    }
}
