//! Strict reading of TOML: every value has a place, a unit and an owner; what nobody asked for is an error.
//!
//! A [`Document`] is a tree of values that remember file, line and the comment behind them (the source of a
//! number). Documents are laid over one another (`base = "..."`, `--set`). A [`Section`] hands the values
//! out by type; [`Section::finish`] refuses keys that no one read, with the nearest name. Everything read,
//! defaults included, is recorded: that record is the resolved configuration in every result, the listing
//! of a policy's parameters and the explanation of a drive.

mod document;
mod error;
mod policy;
mod section;

pub use document::{Document, Node, Place, Value};
pub use error::{ConfigError, nearest};
pub use policy::{Card, Policy, PolicyEntry};
pub use section::{Entry, FromValue, Section, describe};
