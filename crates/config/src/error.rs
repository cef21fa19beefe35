//! The one error of the configuration: place, key, value, what was expected, and the nearest name.

use crate::Place;
use std::fmt;

/// Something the user wrote is not right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it is written.
    pub place: Place,
    /// The full key path, `geometry.channels`; empty when the fault lies outside any key.
    pub key: String,
    /// The value as written; empty when there is none.
    pub value: String,
    /// What was expected there.
    pub expected: String,
    /// What the user most likely meant, or should do.
    pub hint: Option<String>,
}

/// What is expected of a key that nobody reads.
pub(crate) const UNKNOWN: &str = "unknown key";

impl ConfigError {
    /// True when nobody reads the key.
    pub fn is_unknown_key(&self) -> bool {
        self.expected == UNKNOWN
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match (self.key.is_empty(), self.value.is_empty()) {
            (true, _) => {}
            (false, true) => write!(f, "{}: ", self.key)?,
            (false, false) => write!(f, "{} = {}: ", self.key, self.value)?,
        }
        write!(f, "{}", self.expected)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}

/// The known name most like `name`, if one is near enough to be what was meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(name.len()) / 3)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance (insert, delete, replace), by rows.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
