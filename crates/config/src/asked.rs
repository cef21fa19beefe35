//! What a reader asked a document for.

use crate::Limits;
use crate::value::Value;

/// Record of one configuration key that the program asks for when it reads a configuration, written by the user or not:
/// its path, meaning, kind, limits and default.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Dotted path of the key; a part that the user names is in capitals: `nand.cells.PLAN.step`.
    pub key: String,
    /// Meaning of the key, as help texts show it.
    pub help: &'static str,
    /// Form of a valid value of the key, in words.
    pub expected: &'static str,
    /// Kind of the key's value in words, such as a time or a whole number.
    pub kind: String,
    /// Units in which the value may be written, or its fixed unit; empty for a count, a fraction or no number.
    pub unit: &'static str,
    /// Limits of the numbers that the key accepts as its value.
    pub limits: Limits,
    /// List of the names that the key accepts as its value, where only some are valid.
    pub names: Vec<String>,
    /// Default value of the key, in force where the user does not write the key; none without a default.
    pub default: Option<Value>,
    /// True if the user must write the key.
    pub required: bool,
}

/// Kind of content of a configuration key that decides which other keys are read: a certain value, written with any
/// content, or not written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyAnswer {
    /// Case of content of a key: the key has this value, in the form in which `--set` takes it.
    Is(String),
    /// Case of content of a key: the user writes the key, as a value or a table of any content.
    Given,
    /// Case of content of a key: the user does not write the key.
    Absent,
}

impl KeyAnswer {
    /// Returns the content of a key that has this value.
    pub fn of(value: &Value) -> Self {
        Self::Is(value.to_string().trim_matches('"').to_owned())
    }
}

/// Record of a configuration key that decides which other keys are read: the content of the key in the present trial
/// reading (survey), and the other contents with which other keys would be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub key: String,
    pub taken: KeyAnswer,
    pub others: Vec<KeyAnswer>,
}
