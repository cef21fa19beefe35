//! What a reader asked a document for.

use crate::Limits;
use crate::value::Value;

/// A key that a reader asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Dotted key path; a part that the user names is in capitals: `nand.cells.PLAN.step`.
    pub key: String,
    /// What the key means.
    pub help: &'static str,
    /// What a value must look like.
    pub expected: &'static str,
    /// What it is: a time, a whole number.
    pub kind: String,
    /// Units it may be written in, or the one it is in; empty: a count, a share or no number.
    pub unit: &'static str,
    /// Numbers it takes.
    pub limits: Limits,
    /// Names it takes, where only some.
    pub names: Vec<String>,
    /// What it is where it is not written.
    pub default: Option<Value>,
    /// It must be written.
    pub required: bool,
}

/// What a key says on the way to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyAnswer {
    /// This value, as `--set` takes it.
    Is(String),
    /// A value or a table, of any content.
    Given,
    /// Nothing.
    Absent,
}

/// A point where a reader goes one way or another, by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub key: String,
    pub taken: KeyAnswer,
    pub others: Vec<KeyAnswer>,
}
