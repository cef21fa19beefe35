//! What can be wrong with the source of requests.

use std::fmt;

/// Type of an error in a workload, such as a faulty trace or job file, which is reported to the user in one line with
/// its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// Place of the workload's error: the trace or job file, with the line if there is one (`trace.csv:101`), or the
    /// option.
    pub place: String,
    /// Field of a workload's error: text that was found in the workload's file or options and is wrong.
    pub found: String,
    /// Field of a workload's error: text that says which contents or option were expected instead, or gives advice.
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
            // Quotation marks and backslashes, which paths on Windows have, are no control characters.
            let escaped = |c: char| match c {
                '\'' | '"' | '\\' => vec![c],
                _ => c.escape_debug().collect(),
            };
            let mut escaped = text.chars().flat_map(escaped);
            let mut line: String = escaped.by_ref().take(longest).collect();
            if escaped.next().is_some() {
                line.push_str("... (cut)");
            }
            line
        };
        // What is expected is our own text, and may list every reading of an ambiguous trace.
        let (place, found, expected) =
            (clean(&self.place, 240), clean(&self.found, 240), clean(&self.expected, 1600));
        write!(f, "{place}: {found}: expected {expected}")
    }
}

impl std::error::Error for WorkloadError {}

#[cfg(test)]
mod tests {
    use super::WorkloadError;

    #[test]
    fn text_is_marked_as_cut_where_a_part_of_it_is_missing() {
        let told = |found: &str| WorkloadError::of("trace", found, "text").to_string();
        assert_eq!(told(&"\u{e9}".repeat(240)), format!("trace: {}: expected text", "\u{e9}".repeat(240)));
        assert!(told(&"a".repeat(241)).contains("... (cut)"));
        assert!(told(&"\u{1}".repeat(100)).contains("... (cut)"));
    }

    #[test]
    fn control_characters_are_escaped_and_paths_of_windows_are_not() {
        let told = WorkloadError::of(r"C:\a\t.csv:3", "a\tb\n'c'", "\"d\"").to_string();
        assert_eq!(told, r#"C:\a\t.csv:3: a\tb\n'c': expected "d""#);
    }
}
