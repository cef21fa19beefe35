//! What can be wrong with the source of requests.

use std::fmt;

/// The source of requests is faulty: the user's input, reported in one line with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// File, and line if there is a line, of the fault: `trace.csv:101`.
    pub place: String,
    /// Text that was found at the place.
    pub found: String,
    /// What was expected in place of the fault, or advice.
    pub expected: String,
}

impl WorkloadError {
    /// Makes an error at `file`, line `line` (from 1).
    pub fn at_line(file: &str, line: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: format!("{file}:{line}"), found: found.into(), expected: expected.into() }
    }

    /// Makes an error that belongs to a whole file or option.
    pub fn of(place: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: place.into(), found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for WorkloadError {
    /// One line for any input: control characters are escaped, long text is cut and says so.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = |text: &str, longest: usize| {
            let mut line: String = text.chars().flat_map(char::escape_debug).take(longest).collect();
            if text.len() > longest {
                line.push_str("... (cut)");
            }
            line.replace("\\'", "'").replace("\\\"", "\"")
        };
        // What is expected is our own text, and may list every reading of an ambiguous trace.
        let (place, found, expected) =
            (clean(&self.place, 240), clean(&self.found, 240), clean(&self.expected, 1600));
        write!(f, "{place}: {found}: expected {expected}")
    }
}

impl std::error::Error for WorkloadError {}
