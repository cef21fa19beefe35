//! Stream policies in Python.

use super::asked::{PolicyObject, Question, UserClass};
use ftl::streams::{Maker, Notes, STREAMS_MOST, StreamPolicy, StreamSpec, Takes, UnitView};
use pyo3::prelude::*;
use std::sync::Arc;

/// Returns the function that makes instances of the user's policy `class` that chooses the write stream (open
/// superblock for one kind of data) of each unit written.
pub fn maker(class: Arc<UserClass>) -> Maker {
    Box::new(move || Box::new(OwnStreams::new(&class)))
}

struct OwnStreams {
    asked: PolicyObject,
    join: Question,
    on_reclaim: Option<Question>,
    streams: Vec<StreamSpec>,
    notes: Notes,
}

/// Converts a policy's list of write streams (open superblocks, each for one kind of data): each with its name and the
/// data that it takes, from the host, moved by the drive, or both. `None` if the list is not valid.
fn specs(answer: &Bound<'_, PyAny>) -> Option<Vec<StreamSpec>> {
    let named: Vec<(String, String)> = answer.extract().ok()?;
    let spec = |(name, takes): &(String, String)| {
        let takes = match takes.as_str() {
            "host" => Takes::Host,
            "moved" => Takes::Moved,
            "both" => Takes::Both,
            _ => return None,
        };
        Some(StreamSpec::new(name, takes))
    };
    let specs: Vec<StreamSpec> = named.iter().map(spec).collect::<Option<_>>()?;
    let takes = |wanted: Takes| specs.iter().any(|spec| spec.takes == wanted || spec.takes == Takes::Both);
    let fits = (1..=STREAMS_MOST).contains(&specs.len()) && takes(Takes::Host) && takes(Takes::Moved);
    fits.then_some(specs)
}

fn notes(answer: &Bound<'_, PyAny>) -> Option<Notes> {
    let named: Vec<String> = answer.extract().ok()?;
    let known = |name: &String| ["writes", "times"].contains(&name.as_str());
    let has = |name: &str| named.iter().any(|named| named == name);
    named.iter().all(known).then(|| Notes { writes: has("writes"), times: has("times") })
}

impl OwnStreams {
    fn new(class: &Arc<UserClass>) -> Self {
        let asked = PolicyObject::new(class);
        const EXPECTED: &str = "pairs of a name and host, moved or both: 1 to 32 streams that take the host's data and moved data";
        let streams = asked.ask(&asked.question("streams"), EXPECTED, (), specs);
        let noted = |question| asked.ask(&question, "names among writes and times", (), notes);
        let notes = asked.defined("notes").map_or(Notes::default(), noted);
        Self { join: asked.question("join"), on_reclaim: asked.defined("on_reclaim"), streams, notes, asked }
    }
}

impl StreamPolicy for OwnStreams {
    fn streams(&self) -> Vec<StreamSpec> {
        self.streams.clone()
    }

    fn notes(&self) -> Notes {
        self.notes
    }

    fn join(&mut self, unit: &UnitView) -> usize {
        let shown = (unit.lpn.0, unit.moved, unit.hint, unit.age, unit.writes, unit.writes_mean, unit.last);
        let takes = |at: &usize| {
            let data = if unit.moved { Takes::Moved } else { Takes::Host };
            self.streams.get(*at).is_some_and(|spec| spec.takes == data || spec.takes == Takes::Both)
        };
        let expected = "the number of a stream that takes such data";
        self.asked.ask_with_view(&self.join, expected, shown, |answer| answer.extract().ok().filter(takes))
    }

    fn on_reclaim(&mut self, stream: usize, lived: u64) {
        if let Some(on_reclaim) = &self.on_reclaim {
            self.asked.tell(on_reclaim, (stream, lived));
        }
    }
}
