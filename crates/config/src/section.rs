//! Handing values out by type, and recording all that was handed out.

use crate::document::unknown_key;
use crate::{ConfigError, Document, Node, Place, Value, nearest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use units::{
    Bytes, Capacitance, Current, Energy, Femtos, Frequency, Nanos, Potential, Power, Quantity, TransferRate,
    Voltage,
};

/// A type that a configuration value can be read as.
pub trait FromValue: Sized {
    /// What a correct value looks like.
    const EXPECTED: &'static str;

    /// Reads the value; the error says what is wrong with it, beyond [`Self::EXPECTED`], if anything.
    ///
    /// # Errors
    /// When the value is of another type, lacks its unit or lies outside the type's range.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// The value as it would be written in TOML.
    fn to_value(&self) -> Value;
}

/// One value that was read: the resolved configuration is a list of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Dotted key path.
    pub key: String,
    /// The value in force.
    pub value: Value,
    /// Where it is written, or [`Place::Default`].
    pub place: Place,
    /// The source of the number: the comment behind it.
    pub source: Option<String>,
    /// What the key means.
    pub help: &'static str,
    /// What a value must look like.
    pub expected: &'static str,
}

/// A table of the configuration, being read.
#[derive(Clone, Debug)]
pub struct Section {
    path: String,
    place: Place,
    nodes: BTreeMap<String, Node>,
    known: Vec<String>,
    record: Rc<RefCell<Vec<Entry>>>,
}

impl Section {
    /// The root of a document.
    pub fn root(document: &Document) -> Self {
        Self::of(String::new(), document.root(), Rc::default())
    }

    fn of(path: String, node: &Node, record: Rc<RefCell<Vec<Entry>>>) -> Self {
        let nodes = match &node.value {
            Value::Table(nodes) => nodes.clone(),
            _ => BTreeMap::new(),
        };
        Self { path, place: node.place.clone(), nodes, known: Vec::new(), record }
    }

    /// The dotted path of this section.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The sub-table `key`; empty if it is not there.
    ///
    /// # Errors
    /// When `key` is there and is not a table.
    pub fn child(&mut self, key: &str) -> Result<Self, ConfigError> {
        self.known.push(key.to_owned());
        match self.nodes.get(key) {
            Some(node) if matches!(node.value, Value::Table(_)) => {
                Ok(Self::of(self.full(key), node, self.record.clone()))
            }
            Some(node) => Err(ConfigError {
                place: node.place.clone(),
                key: self.full(key),
                value: node.value.to_string(),
                expected: "expected a table".into(),
                hint: None,
            }),
            None => {
                let empty =
                    Node { value: Value::Table(BTreeMap::new()), place: self.place.clone(), source: None };
                Ok(Self::of(self.full(key), &empty, self.record.clone()))
            }
        }
    }

    /// True when `key` is written.
    pub fn has(&self, key: &str) -> bool {
        self.nodes.contains_key(key)
    }

    /// The value at a dotted path below this section, as it is written.
    pub fn written(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let node = self.nodes.get(keys.next()?)?;
        keys.try_fold(&node.value, |value, key| match value {
            Value::Table(nodes) => nodes.get(key).map(|node| &node.value),
            _ => None,
        })
    }

    /// A value that must be written.
    ///
    /// # Errors
    /// When it is missing or not of the type.
    pub fn required<T: FromValue>(&mut self, key: &str, help: &'static str) -> Result<T, ConfigError> {
        self.read(key, help)?.ok_or_else(|| ConfigError {
            place: self.place.clone(),
            key: self.full(key),
            value: String::new(),
            expected: format!("missing: {help}; expected {}", T::EXPECTED),
            hint: None,
        })
    }

    /// A value with a default.
    ///
    /// # Errors
    /// When it is written and not of the type.
    pub fn or<T: FromValue>(&mut self, key: &str, default: T, help: &'static str) -> Result<T, ConfigError> {
        match self.read(key, help)? {
            Some(value) => Ok(value),
            None => {
                self.record(key, default.to_value(), Place::Default, None, help, T::EXPECTED);
                Ok(default)
            }
        }
    }

    /// A value that may be absent.
    ///
    /// # Errors
    /// When it is written and not of the type.
    pub fn optional<T: FromValue>(
        &mut self,
        key: &str,
        help: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        self.read(key, help)
    }

    /// One of the given names.
    ///
    /// # Errors
    /// When it is none of them; the nearest is named.
    pub fn choice(
        &mut self,
        key: &str,
        names: &[&str],
        default: &str,
        help: &'static str,
    ) -> Result<String, ConfigError> {
        let name: String = self.or(key, default.to_owned(), help)?;
        if names.contains(&name.as_str()) {
            return Ok(name);
        }
        let hint = nearest(&name, names.iter().copied()).map(|near| format!("did you mean {near:?}?"));
        let mut error = self.reject(key, &format!("expected one of {}", names.join(", ")));
        error.hint = hint;
        Err(error)
    }

    fn read<T: FromValue>(&mut self, key: &str, help: &'static str) -> Result<Option<T>, ConfigError> {
        self.known.push(key.to_owned());
        let Some(node) = self.nodes.get(key) else { return Ok(None) };
        let (place, source) = (node.place.clone(), node.source.clone());
        let value = T::from_value(&node.value).map_err(|why| ConfigError {
            place: place.clone(),
            key: self.full(key),
            value: node.value.to_string(),
            expected: format!("expected {}", T::EXPECTED),
            hint: (!why.is_empty()).then_some(why),
        })?;
        self.record(key, value.to_value(), place, source, help, T::EXPECTED);
        Ok(Some(value))
    }

    fn record(
        &self,
        key: &str,
        value: Value,
        place: Place,
        source: Option<String>,
        help: &'static str,
        expected: &'static str,
    ) {
        let key = self.full(key);
        self.record.borrow_mut().push(Entry { key, value, place, source, help, expected });
    }

    /// The error that `key` has a value of the right type which cannot be.
    pub fn reject(&self, key: &str, expected: &str) -> ConfigError {
        let node = self.nodes.get(key);
        let default = || {
            let full = self.full(key);
            let record = self.record.borrow();
            record.iter().rev().find(|entry| entry.key == full).map(|entry| entry.value.to_string())
        };
        ConfigError {
            place: node.map_or(self.place.clone(), |node| node.place.clone()),
            key: self.full(key),
            value: node.map(|node| node.value.to_string()).or_else(default).unwrap_or_default(),
            expected: expected.to_owned(),
            hint: None,
        }
    }

    /// Ends the reading of this section.
    ///
    /// # Errors
    /// When it holds a key that was not read.
    pub fn finish(self) -> Result<(), ConfigError> {
        let unknown = self.nodes.iter().find(|(key, _)| !self.known.contains(key));
        match unknown {
            Some((key, node)) => Err(unknown_key(&self.full(key), node, key, &self.known)),
            None => Ok(()),
        }
    }

    /// Everything read so far through this section's document, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.record.borrow().clone()
    }
}

/// The parameters that `read` asks for, found by letting it read an empty section: keys, defaults, help.
pub fn describe<T>(read: impl FnOnce(&mut Section) -> Result<T, ConfigError>) -> Vec<Entry> {
    let mut section = Section::root(&Document::empty());
    // A required key without a default ends the reading; what was recorded until then still stands.
    let _ = read(&mut section);
    section.entries()
}

macro_rules! whole_number {
    ($($type:ty: $expected:literal),*) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = $expected;

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Integer(number) => {
                        Self::try_from(*number).map_err(|_| "outside the range".to_owned())
                    }
                    _ => Err(String::new()),
                }
            }

            fn to_value(&self) -> Value {
                i64::try_from(*self).map_or_else(|_| Value::Text(self.to_string()), Value::Integer)
            }
        }
    )*};
}

whole_number!(
    u16: "a whole number from 0 to 65535",
    u32: "a whole number from 0 to 4294967295",
    u64: "a whole number of at least 0"
);

impl FromValue for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Float(number) if number.is_finite() => Ok(*number),
            Value::Integer(number) => Ok(*number as Self),
            _ => Err(String::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Boolean(truth) => Ok(*truth),
            _ => Err(String::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Boolean(*self)
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "a text in quotes";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(Self::new()),
        }
    }

    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
}

macro_rules! quantity {
    ($($type:ty),*) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = <Self as Quantity>::EXPECTED;

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(text) => Self::parse(text).map_err(|error| error.0),
                    Value::Integer(_) | Value::Float(_) => Err("the unit is missing".to_owned()),
                    _ => Err(String::new()),
                }
            }

            fn to_value(&self) -> Value {
                Value::Text(self.to_string())
            }
        }
    )*};
}

quantity!(
    Nanos,
    Bytes,
    TransferRate,
    Femtos,
    Frequency,
    Power,
    Current,
    Voltage,
    Capacitance,
    Energy,
    Potential
);

impl<T: FromValue> FromValue for Vec<T> {
    const EXPECTED: &'static str = "one value or a list of values";

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(items) => items
                .iter()
                .map(|item| T::from_value(&item.value).map_err(|why| format!("each {}; {why}", T::EXPECTED)))
                .collect(),
            // One value stands for a list of one: `t_r = "25us"` where a TLC part writes three.
            single => T::from_value(single)
                .map(|item| vec![item])
                .map_err(|why| format!("{}{}{why}", T::EXPECTED, if why.is_empty() { "" } else { "; " })),
        }
    }

    fn to_value(&self) -> Value {
        let node = |item: &T| Node { value: item.to_value(), place: Place::Default, source: None };
        match self.as_slice() {
            [single] => single.to_value(),
            items => Value::List(items.iter().map(node).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVE: &str = "[geometry]\nchannels = 8 # data sheet\nways = 4\n[nand]\nt_r = \"25us\"\n";

    fn section(text: &str) -> Section {
        Section::root(&Document::parse("drive.toml", text).expect("valid TOML"))
    }

    #[test]
    fn values_carry_place_and_source() {
        let mut root = section(DRIVE);
        let mut geometry = root.child("geometry").unwrap();
        assert_eq!(geometry.required::<u32>("channels", "channels"), Ok(8));
        let entries = geometry.entries();
        assert_eq!(entries[0].place.to_string(), "drive.toml:2");
        assert_eq!(entries[0].source.as_deref(), Some("data sheet"));
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let mut root = section("[geometry]\nchanels = 8\n");
        let mut geometry = root.child("geometry").unwrap();
        let _ = geometry.or("channels", 4u32, "channels");
        let error = geometry.finish().unwrap_err().to_string();
        assert_eq!(error, "drive.toml:2: geometry.chanels = 8: unknown key (did you mean \"channels\"?)");
    }

    #[test]
    fn a_number_without_its_unit_is_an_error() {
        let mut root = section("t_r = 25\n");
        let error = root.required::<Nanos>("t_r", "array read time").unwrap_err().to_string();
        assert!(error.starts_with("drive.toml:1: t_r = 25: expected a time with its unit"), "{error}");
    }

    #[test]
    fn set_wins_and_another_policy_drops_the_old_parameters() {
        let mut document =
            Document::parse("d.toml", "[victim]\nname = \"d-choices\"\nd = 4\n").expect("valid");
        document.set("victim.name=greedy").unwrap();
        assert_eq!(document.get("victim.d"), None);
        document.set("victim.d = 9").unwrap();
        assert_eq!(document.get("victim.d").unwrap().value, Value::Integer(9));
        assert!(document.set("no assignment").is_err());
    }

    #[test]
    fn broken_toml_names_the_line() {
        let error = Document::parse("d.toml", "a = 1\nb = = 2\n").unwrap_err().to_string();
        assert!(error.starts_with("d.toml:2: not valid TOML"), "{error}");
    }
}
