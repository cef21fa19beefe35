//! What a reader asked a document for.

use crate::Limits;
use crate::value::Value;

/// A key that a reader asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Dotted key path; a part that the user names is in capitals: `nand.cells.PLAN.step`.
    pub key: String,
    /// Meaning of the key, as help texts show it.
    pub help: &'static str,
    /// Form of a valid value of the key.
    pub expected: &'static str,
    /// Kind of the value, such as a time or a whole number.
    pub kind: String,
    /// Units in which the value may be written, or its fixed unit; empty for a count, a share or no number.
    pub unit: &'static str,
    /// Limits of the numbers that the key accepts.
    pub limits: Limits,
    /// Names that the key accepts, where only some are valid.
    pub names: Vec<String>,
    /// Value that the key has where the user does not write the key.
    pub default: Option<Value>,
    /// True if the key must be written.
    pub required: bool,
}

/// Answer about a key that decides which other keys are read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyAnswer {
    /// Answer that the key has this value, written as for `--set`.
    Is(String),
    /// A value or a table, of any content.
    Given,
    /// The user does not write the key.
    Absent,
}

/// A point where a reader goes one way or another, by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub key: String,
    pub taken: KeyAnswer,
    pub others: Vec<KeyAnswer>,
}
