//! Flows of reads in Python.

use super::asked::{PolicyObject, Question, UserClass};
use ecc::flow::{Attempt, Flow, FlowView, Maker, Next, Notes, Steps};
use pyo3::prelude::*;
use std::sync::Arc;

/// Returns the function that makes instances of the user's read-retry policy `class`, which plans the attempts of a
/// read.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(ReadFlow::new(&class)))
}

struct ReadFlow {
    asked: PolicyObject,
    next: Question,
    notes: Notes,
}

fn notes(answer: &Bound<'_, PyAny>) -> Option<Notes> {
    let named: Vec<String> = answer.extract().ok()?;
    let known = |name: &String| ["estimates", "good_steps"].contains(&name.as_str());
    let has = |name: &str| named.iter().any(|named| named == name);
    named.iter().all(known).then(|| Notes { estimates: has("estimates"), good_steps: has("good_steps") })
}

/// Converts a policy's answer to a read attempt: read-retry step, soft bits and, if given, the estimated raw bit error
/// rate up to which the attempt is decoded.
fn attempt(answer: &Bound<'_, PyAny>) -> Option<Attempt> {
    if let Ok((step, soft_bits)) = answer.extract::<(u32, u32)>() {
        return Some(Attempt::at(step, soft_bits));
    }
    let (step, soft_bits, decoded_below) = answer.extract().ok()?;
    Some(Attempt { step, soft_bits, decoded_below })
}

impl ReadFlow {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        let noted = |question| asked.ask(&question, "names among estimates and good_steps", (), notes);
        let notes = asked.defined("notes").map_or(Notes::default(), noted);
        Self { next: asked.question("next"), notes, asked }
    }
}

impl Flow for ReadFlow {
    fn notes(&self) -> Notes {
        self.notes
    }

    fn next(&mut self, view: &FlowView<'_>) -> Next {
        let kind = match view.kind {
            Steps::Table => "table",
            Steps::Share => "share",
        };
        let last = view.last.map(|last| (last.step, last.soft_bits));
        let expected = format!(
            "(step, soft_bits), with a step of 0 to {} and soft bits of 1 to {}{}",
            view.steps,
            view.soft_bits,
            if last.is_some() { ", or None to give up" } else { "" },
        );
        let shown = (
            view.page_type,
            view.attempts,
            last,
            view.estimate,
            view.first,
            view.soft_bits,
            view.steps,
            view.best_step,
            kind,
            view.good_step,
            view.halves.to_vec(),
        );
        let next = |answer: &Bound<'_, PyAny>| match answer.is_none() {
            true => last.map(|_| Next::GiveUp),
            false => attempt(answer).filter(|attempt| view.takes(attempt)).map(Next::Read),
        };
        self.asked.ask_with_view(&self.next, &expected, shown, next)
    }
}
