//! Triggers of garbage collection in Python.

use super::asked::{PolicyObject, Question, UserClass};
use ftl::Layout;
use ftl::gc::trigger::{GcTrigger, Maker, TriggerView};
use pyo3::prelude::*;
use std::sync::Arc;
use units::Nanos;

/// Returns the function that makes instances of the user's garbage collection trigger `class`.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(Trigger::new(&class)))
}

struct Trigger {
    asked: PolicyObject,
    foreground: Question,
    background: Option<Question>,
    worthwhile: Option<Question>,
    limit: u32,
    idle_after: Option<Nanos>,
}

impl Trigger {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        let limit =
            |answer: &Bound<'_, PyAny>| answer.extract().ok().filter(|limit| (1..=1024).contains(limit));
        let limit =
            asked.ask(&asked.question("foreground_limit"), "a whole number from 1 to 1024", (), limit);
        let background = asked.defined("background");
        let idle_after: Option<u64> = asked.defined("idle_after_ns").and_then(|idle_after| {
            asked.ask(&idle_after, "nanoseconds, or None", (), |answer| answer.extract().ok())
        });
        Self {
            foreground: asked.question("foreground"),
            worthwhile: asked.defined("worthwhile"),
            idle_after: idle_after.filter(|_| background.is_some()).map(Nanos::new),
            background,
            limit,
            asked,
        }
    }

    fn ask(&self, question: &Question, view: &TriggerView) -> bool {
        let shown = (view.free, view.superblocks, view.garbage_units, view.superblock_units);
        self.asked.ask_with_view(question, "true or false", shown, |answer| answer.extract().ok())
    }
}

/// Returns true if a die, by the view that the garbage collection trigger gets, has at least as many invalid units
/// (garbage) as one superblock has units: with fewer, no whole superblock can be gained.
fn has_garbage(view: &TriggerView) -> bool {
    view.garbage_units >= u64::from(view.superblock_units)
}

impl GcTrigger for Trigger {
    fn foreground(&self, view: &TriggerView) -> bool {
        // Beyond its limit no policy keeps room.
        view.free <= self.limit && has_garbage(view) && self.ask(&self.foreground, view)
    }

    fn background(&self, view: &TriggerView) -> bool {
        let asked = self.background.as_ref().filter(|_| self.idle_after.is_some() && has_garbage(view));
        asked.is_some_and(|background| self.ask(background, view))
    }

    fn worthwhile(&self, gain: u32, units: u32) -> bool {
        let ask = |question| {
            self.asked.ask(question, "true or false", (gain, units), |answer| answer.extract().ok())
        };
        gain > 0 && self.worthwhile.as_ref().is_none_or(ask)
    }

    fn idle_after(&self) -> Option<Nanos> {
        self.idle_after
    }

    fn foreground_limit(&self) -> u32 {
        self.limit
    }

    fn fit(&self, _layout: &Layout) -> Result<(), (&'static str, String)> {
        Ok(())
    }
}
