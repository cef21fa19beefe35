//! A value of a configuration, its place, and the comment behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Place where a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Place on a line (from 1) of a file.
    Line(Arc<str>, usize),
    /// Place on the command line: `--set`.
    Set,
    /// Default value, which is not written anywhere.
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

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text as the value of a key.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// List of values.
    List(Vec<ValueNode>),
    /// Table of keys with their values.
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

/// A value with its place and the comment behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueNode {
    /// Value in the document.
    pub value: Value,
    /// Place where the value is written.
    pub place: Place,
    /// The comment on its line, without the `#`: in `drives/` and `chips/`, the source of the number.
    pub source: Option<String>,
}
