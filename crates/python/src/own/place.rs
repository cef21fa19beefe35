//! Rules in Python that place the host's writes.

use super::asked::{PolicyObject, Question, UserClass};
use host::place::{Maker, PlacePolicy, PlaceView};
use pyo3::prelude::*;
use std::sync::Arc;

/// Returns the function that makes instances of the user's policy `class` that chooses the placement identifier of each
/// host write.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(OwnPlace::new(&class)))
}

struct OwnPlace {
    asked: PolicyObject,
    place: Question,
    attach: Option<Question>,
}

impl OwnPlace {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        Self { place: asked.question("place"), attach: asked.defined("attach"), asked }
    }
}

impl PlacePolicy for OwnPlace {
    fn attach(&mut self, handles: u16, drive_bytes: u64) {
        if let Some(attach) = &self.attach {
            self.asked.tell(attach, (handles, drive_bytes));
        }
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        let &PlaceView { offset, bytes, job, arrive, named, process, handles, drive_bytes, .. } = write;
        let expected = format!("a handle from 0 to {}, or None for no identifier", handles - 1);
        let shown = (offset, bytes, job, arrive.ns(), named, handles, drive_bytes, process);
        let handle = |answer: &Bound<'_, PyAny>| {
            let handle: Option<u16> = answer.extract().ok()?;
            handle.is_none_or(|handle| handle < handles).then_some(handle)
        };
        self.asked.ask_with_view(&self.place, &expected, shown, handle)
    }
}
