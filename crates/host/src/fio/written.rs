//! Where an option was written, as an error names it.

use crate::WorkloadError;
use serde::Deserialize;
use std::sync::Arc;

/// Record of a line of a fio job that was made from something else, such as the words of a command line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Text of the line, in the form of a fio job file.
    pub text: String,
    /// Place where the user wrote the words from which the line of a fio job was made.
    pub place: String,
    /// Words of the user from which the line of a fio job was made, where they differ from the line.
    #[serde(default)]
    pub words: Option<String>,
}

/// Record of a place in a fio job file, or in the text that a job was made from, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlace {
    at: Arc<str>,
    words: Option<Arc<UserWords>>,
}

/// Record of a line of a fio job that was made from words of the user: the words and the line; error messages show the
/// words in place of the line.
#[derive(Debug, PartialEq, Eq)]
struct UserWords {
    written: String,
    line: String,
}

impl JobPlace {
    /// Makes the place of line `number` of the fio job file `file`, counted from 1.
    pub fn in_file(file: &str, number: u64) -> Self {
        Self { at: format!("{file}:{number}").into(), words: None }
    }

    /// Makes the place of a line of a fio job that was made from something else, with the user's words.
    pub fn of(line: &Line) -> Self {
        let words = line.words.as_ref();
        let words =
            words.map(|words| Arc::new(UserWords { written: words.clone(), line: line.text.clone() }));
        Self { at: line.place.as_str().into(), words }
    }

    /// Returns the place in a fio job file as text: file and line, or the place where the user wrote the words.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Makes an error at this place of a fio job file: a value that was found, and a text of what was expected.
    pub fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> WorkloadError {
        let found = found.into();
        let found = self.words.as_ref().map_or_else(|| found.clone(), |words| words.instead_in(&found));
        WorkloadError::of(&*self.at, found, expected)
    }
}

impl UserWords {
    /// Returns the text `found` of an error with the user's own words in place of the made line, or of the line's key,
    /// with which the text begins; else with the user's words put in front.
    fn instead_in(&self, found: &str) -> String {
        let key = self.line.split('=').next().unwrap_or("");
        let after_key = || found.strip_prefix(key).filter(|rest| rest.starts_with([':', ' ']));
        match found.strip_prefix(&self.line).filter(|rest| rest.is_empty()).or_else(after_key) {
            Some(rest) => format!("{}{rest}", self.written),
            None => format!("{}: {found}", self.written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_begins_with_the_words_of_the_user() {
        let line = |text: &str, words: Option<&str>| {
            JobPlace::of(&Line { text: text.into(), place: "here".into(), words: words.map(str::to_owned) })
        };
        let said = |place: &JobPlace, found: &str| place.error(found, "x").to_string();
        let option = line("bs=4q", Some("--bs 4q"));
        assert_eq!(said(&option, "bs=4q"), "here: --bs 4q: expected x");
        assert_eq!(said(&option, "bs: no such option"), "here: --bs 4q: no such option: expected x");
        assert_eq!(said(&option, "bs is not modelled"), "here: --bs 4q is not modelled: expected x");
        assert_eq!(said(&option, "bsize"), "here: --bs 4q: bsize: expected x", "no word of the line's");
        assert_eq!(said(&line("bs=${B}", Some("--bs=${B}")), "bs=4q"), "here: --bs=${B}: bs=4q: expected x");
        assert_eq!(said(&line("[j]", Some("--name=j")), "job j: y"), "here: --name=j: job j: y: expected x");
        assert_eq!(said(&line("bs=4q", None), "bs=4q"), "here: bs=4q: expected x");
        assert_eq!(said(&JobPlace::in_file("f", 7), "bs=4q"), "f:7: bs=4q: expected x");
    }
}
