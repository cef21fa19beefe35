//! What can be wrong with the source of requests.

use std::fmt;

/// Error in a workload, such as a faulty trace or job file, which is reported to the user in one line with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// File, with the line if there is one, in which the error is: `trace.csv:101`.
    pub place: String,
    /// Text that was found in the workload's file or options and is wrong.
    pub found: String,
    /// Description of what the workload's file or options should have had instead, or advice.
    pub expected: String,
}

impl WorkloadError {
    /// Makes a workload error at line `line` (from 1) of the file `file`.
    pub fn at_line(file: &str, line: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: format!("{file}:{line}"), found: found.into(), expected: expected.into() }
    }

    /// Makes a workload error that concerns a whole file or an option, `place`.
    pub fn of(place: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: place.into(), found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for WorkloadError {
    /// Writes the workload error as one line for any input: control characters are escaped, and long text is cut and
    /// marked so.
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
