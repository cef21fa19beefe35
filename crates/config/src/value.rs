//! A value of a configuration, its place, and the comment behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Kind of place where a configuration value comes from: a line of a file, a command line option, or a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Case of place: this file, and this line in it (counted from 1).
    Line(Arc<str>, usize),
    /// Case of place: a `--set` option of the command line.
    Set,
    /// Case of place: none, because the value is a default and not written anywhere.
    Default,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(file, line) => write!(f, "{file}:{line}"),
            Self::Set => f.write_str("--set"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Kind of value of a configuration key, of the kinds that TOML has, with the value itself: text, number, switch, list
/// or table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Case of value: text, in quotes in TOML.
    Text(String),
    /// Case of value: whole number, without a unit.
    Integer(i64),
    /// Case of value: number with a fraction, without a unit.
    Float(f64),
    /// Case of value: switch, true or false.
    Boolean(bool),
    /// Case of value: list of values, each with the place where it is set.
    List(Vec<ValueNode>),
    /// Case of value: table of keys with their values, each with the place where it is set.
    Table(BTreeMap<String, ValueNode>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, item.value)?;
                }
                f.write_str("]")
            }
            Self::Table(_) => f.write_str("a table"),
        }
    }
}

/// Record of a configuration value together with the place where it was written and the comment behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueNode {
    /// Value of the key or list item.
    pub value: Value,
    /// Place where the value is written, or that it is a default.
    pub place: Place,
    /// Comment on the value's line, without the `#`: in `drives/` and `chips/`, the source of the number; none if the
    /// line has no comment.
    pub source: Option<String>,
}
