//! Victim policies in Python.

use super::asked::{PolicyObject, Question, UserClass};
use super::die::{AskedDie, TakenAnswers};
use ftl::gc::victim::{Maker, VictimPolicy, VictimView};
use std::sync::Arc;
use units::SuperblockId;

/// Returns the function that makes instances of the user's garbage collection victim policy `class`.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Victim::new(&class)))
}

struct Victim {
    asked: PolicyObject,
    pick: Question,
    on_close: Option<Question>,
    on_invalidate: Option<Question>,
    on_reclaim: Option<Question>,
}

impl Victim {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        Self {
            pick: asked.question("pick"),
            on_close: asked.defined("on_close"),
            on_invalidate: asked.defined("on_invalidate"),
            on_reclaim: asked.defined("on_reclaim"),
            asked,
        }
    }
}

impl VictimPolicy for Victim {
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32) {
        if let Some(attach) = self.asked.defined("attach") {
            self.asked.tell(&attach, (superblocks, units_per_superblock));
        }
    }

    fn stand_for(&mut self, part: f64) {
        if let Some(stand_for) = self.asked.defined("stand_for") {
            self.asked.tell(&stand_for, (part,));
        }
    }

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if view.candidates.is_empty() {
            return None;
        }
        let die = AskedDie {
            candidates: view.candidates,
            blocks: view.blocks,
            random: view.random,
            clock: view.clock,
            more: [("units_per_superblock", u64::from(view.units_per_superblock)), ("", 0)],
            own_array: None,
        };
        die.ask(&self.asked, &self.pick, TakenAnswers::Candidate)
    }

    fn on_close(&mut self, superblock: SuperblockId, valid_units: u32) {
        if let Some(on_close) = &self.on_close {
            self.asked.tell(on_close, (superblock.0, valid_units));
        }
    }

    fn on_invalidate(&mut self, superblock: SuperblockId, valid_units: u32) {
        if let Some(on_invalidate) = &self.on_invalidate {
            self.asked.tell(on_invalidate, (superblock.0, valid_units));
        }
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        if let Some(on_reclaim) = &self.on_reclaim {
            self.asked.tell(on_reclaim, (superblock.0,));
        }
    }
}
