//! Wear policies in Python.

use super::asked::{PolicyObject, Question, UserClass};
use super::die::{AskedDie, TakenAnswers};
use ftl::wear::{Maker, Observed, WearPolicy, WearView};
use pyo3::prelude::*;
use std::sync::Arc;
use units::SuperblockId;

/// Returns the function that makes instances of the user's wear levelling policy `class`.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(OwnWear::new(&class)))
}

struct OwnWear {
    asked: PolicyObject,
    free_rank: Question,
    relocate: Option<Question>,
    on_erase: Option<Question>,
    spreads: bool,
    held_back: f64,
}

impl OwnWear {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        let spreads = asked.defined("spreads").is_none_or(|spreads| {
            asked.ask(&spreads, "true or false", (), |answer: &Bound<'_, PyAny>| answer.extract().ok())
        });
        let held_back = asked.defined("held_back").map_or(0.0, |held_back| {
            asked.ask(&held_back, "a number from 0 to 0.9", (), |answer: &Bound<'_, PyAny>| {
                answer.extract::<f64>().ok().filter(|part| (0.0..=0.9).contains(part))
            })
        });
        Self {
            free_rank: asked.question("free_rank"),
            relocate: asked.defined("relocate"),
            on_erase: asked.defined("on_erase"),
            spreads,
            held_back,
            asked,
        }
    }
}

impl WearPolicy for OwnWear {
    fn free_rank(&self, superblock: SuperblockId, pe_cycles: u32, erases: u64) -> u64 {
        let of = (superblock.0, pe_cycles, erases);
        self.asked.ask(&self.free_rank, "a whole number of at least 0", of, |answer| answer.extract().ok())
    }

    fn on_erase(&mut self, observed: &Observed) {
        if let Some(on_erase) = &self.on_erase {
            let Observed { superblock, pe_cycles, erase, program } = observed;
            self.asked.tell(on_erase, (superblock.0, *pe_cycles, erase.ns(), program.ns()));
        }
    }

    fn spreads(&self) -> bool {
        self.spreads
    }

    fn held_back(&self) -> f64 {
        self.held_back
    }

    fn relocates(&self) -> bool {
        self.relocate.is_some()
    }

    fn relocate(&mut self, view: &mut WearView<'_>) -> Option<SuperblockId> {
        let relocate = self.relocate.as_ref()?;
        let die = AskedDie {
            candidates: view.candidates,
            blocks: view.blocks,
            random: view.random,
            clock: view.clock,
            more: [("erased", u64::from(view.erased.0)), ("erases", view.erases)],
            own_array: None,
        };
        die.ask(&self.asked, relocate, TakenAnswers::CandidateOrNone)
    }
}
