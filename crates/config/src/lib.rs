//! Strict reading of TOML: every value has a place, a unit and an owner; an unread key is an error.
//!
//! A [`Document`] is a tree of values that remember file, line and the comment behind them (the source of a
//! number). Documents are laid over one another (`base = "..."`, `--set`). A [`Section`] hands the values
//! out by type; [`Section::finish`] refuses keys that no one read, with the nearest name. Everything read,
//! defaults included, is recorded: that record is the resolved configuration in every result, the listing
//! of a policy's parameters and the explanation of a drive.

mod document;
mod error;
mod foreign;
mod limits;
mod policy;
mod section;
mod survey;

pub use document::{Document, Node, Place, Value};
pub use error::{ConfigError, meant, nearest, nearest_keys};
pub use foreign::{Bringer, Foreign};
pub use limits::{Limits, above, at_least, at_most};
pub use policy::{Card, Policy, PolicyEntry, parameters};
pub use section::{Asking, Entry, FromValue, Section, describe};
pub use survey::{Asked, Key, Need, survey};
