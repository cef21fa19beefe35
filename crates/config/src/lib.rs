//! Strict reading of TOML: every value has a place, a unit and an owner; an unread key is an error.
//!
//! A [`Document`] is a tree of values that remember file, line and the comment behind them (the source of a
//! number). Documents are laid over one another (`base = "..."`, `--set`). A [`Section`] hands the values
//! out by type; [`Section::finish`] refuses keys that no one read, with the nearest name. Everything read,
//! defaults included, is recorded: that record is the resolved configuration in every result, the listing
//! of a policy's parameters and the explanation of a drive.

mod asked;
mod document;
mod error;
mod from_value;
mod limits;
mod policy;
mod survey;
mod value;

pub use asked::Asked;
pub use document::{Asking, Bringer, Document, Entry, Foreign, Section, describe};
pub use error::{ConfigError, meant, nearest, nearest_keys};
pub use from_value::FromValue;
pub use limits::{Limits, above, at_least, at_most};
pub use policy::{Card, Policy, PolicyEntry, parameters};
pub use survey::{Key, Need, survey, survey_toward};
pub use value::{Place, Value, ValueNode};
