//! Orders of refreshes in Python.

use super::asked::{Asked, Class, Question};
use super::die::{Die, Taken};
use super::lent::Slice;
use ftl::refresh_order::{Maker, RefreshOrder, RefreshView};
use std::sync::Arc;
use units::SuperblockId;

/// Makes objects of `class`.
pub fn maker(class: Arc<Class>) -> Maker {
    Box::new(move || Box::new(Order::new(&class)))
}

struct Order {
    asked: Asked,
    next: Question,
}

impl Order {
    fn new(class: &Arc<Class>) -> Self {
        let asked = Asked::new(class);
        Self { next: asked.question("next"), asked }
    }
}

impl RefreshOrder for Order {
    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId {
        let candidates = view.candidates;
        let die = Die {
            candidates,
            blocks: view.blocks,
            random: view.random,
            clock: view.clock,
            more: [("now_ns", view.now_ns), ("", 0)],
            own_array: Some(("due_since_ns", Slice::wide(view.due_since_ns))),
        };
        die.ask(&self.asked, &self.next, Taken::Candidate).expect("None is no candidate")
    }
}
