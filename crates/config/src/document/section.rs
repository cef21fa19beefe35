//! Handing values out by type, and recording all that was handed out.

use super::{Bringer, Document, unknown_key};
use crate::asked::{Asked, Fork, KeyAnswer};
use crate::error::TABLE;
use crate::value::{Place, Value, ValueNode};
use crate::{ConfigError, FromValue, Limits, meant};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One value that was read: the resolved configuration is a list of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Dotted path of the key.
    pub key: String,
    /// Value of the key in force.
    pub value: Value,
    /// Place where the value is written, or [`Place::Default`].
    pub place: Place,
    /// Source of the number, as stated in the comment after the number.
    pub source: Option<String>,
    /// Meaning of the key, as help texts show it.
    pub help: &'static str,
    /// Form of a valid value of the key.
    pub expected: &'static str,
}

/// Record that all sections of a document share.
#[derive(Debug, Default)]
struct SharedRecord {
    entries: RefCell<Vec<Entry>>,
    asked: RefCell<Vec<Asked>>,
    forks: RefCell<Vec<Fork>>,
    /// In a survey: keys that count as written although the document lacks them; required keys then need no value.
    given: Option<BTreeSet<String>>,
    bringer: Bringer,
}

/// A table of the configuration, being read.
#[derive(Clone, Debug)]
pub struct Section {
    path: String,
    /// The path with names that the user chose in capitals.
    pattern: String,
    place: Place,
    nodes: BTreeMap<String, ValueNode>,
    known: Vec<String>,
    record: Rc<SharedRecord>,
}

/// What may be absent of a value.
#[derive(Clone, Copy, PartialEq)]
enum Presence {
    /// The key must be there, and no item of the key's list may be absent.
    Required,
    /// The key may be absent; a list that is written must have items.
    Optional,
    /// Key and items may be absent, because the default is an empty list.
    MayBeEmpty,
}

/// A key about to be read, with its limits and unit.
#[must_use]
pub struct Asking<'a> {
    section: &'a mut Section,
    limits: Limits,
    unit: &'static str,
}

impl Asking<'_> {
    /// Sets the unit of a number that is written without one.
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Sets the limits of the value, or of each item of a list.
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// As [`Section::required`].
    ///
    /// # Errors
    /// When it is missing, not of the type or outside its limits.
    pub fn required<T: FromValue>(self, key: &str, help: &'static str) -> Result<T, ConfigError> {
        let section = self.section;
        section.ask::<T>(key, help, self.unit, self.limits.clone(), None, true);
        section.read(key, help, &self.limits, Presence::Required)?.ok_or_else(|| ConfigError {
            place: section.place.clone(),
            key: section.full(key),
            value: String::new(),
            expected: format!("missing: {help}; expected {}", T::EXPECTED),
            hint: None,
        })
    }

    /// As [`Section::or`].
    ///
    /// # Errors
    /// When it is written and not of the type or outside its limits.
    pub fn or<T: FromValue>(self, key: &str, default: T, help: &'static str) -> Result<T, ConfigError> {
        let section = self.section;
        section.ask::<T>(key, help, self.unit, self.limits.clone(), Some(default.to_value()), false);
        let presence = if default.is_empty_list() { Presence::MayBeEmpty } else { Presence::Optional };
        let read = section.read(key, help, &self.limits, presence)?;
        let written = read.is_some();
        let value = read.unwrap_or(default);
        if !written {
            section.note(key, value.to_value(), Place::Default, None, help, T::EXPECTED);
        }
        section.fork(key, answer(&value), value.others().iter().map(answer).collect());
        Ok(value)
    }

    /// As [`Section::optional`].
    ///
    /// # Errors
    /// When it is written and not of the type or outside its limits.
    pub fn optional<T: FromValue>(self, key: &str, help: &'static str) -> Result<Option<T>, ConfigError> {
        let section = self.section;
        section.ask::<T>(key, help, self.unit, self.limits.clone(), None, false);
        section.fork_on_presence(key);
        section.read(key, help, &self.limits, Presence::Optional)
    }
}

fn answer<T: FromValue>(value: &T) -> KeyAnswer {
    KeyAnswer::Is(value.to_value().to_string().trim_matches('"').to_owned())
}

impl Section {
    /// Returns the root section of a document.
    pub fn root(document: &Document) -> Self {
        let record = SharedRecord { bringer: document.bringer().clone(), ..SharedRecord::default() };
        Self::of(String::new(), String::new(), document.root(), Rc::new(record))
    }

    /// Returns the root section of a survey, in which a reader only tells what it would read: required keys
    /// count as present, and the keys in `given` as written.
    pub(crate) fn surveyed(document: &Document, given: BTreeSet<String>) -> Self {
        let record = SharedRecord { given: Some(given), ..SharedRecord::default() };
        Self::of(String::new(), String::new(), document.root(), Rc::new(record))
    }

    fn of(path: String, pattern: String, node: &ValueNode, record: Rc<SharedRecord>) -> Self {
        let nodes = match &node.value {
            Value::Table(nodes) => nodes.clone(),
            _ => BTreeMap::new(),
        };
        Self { path, pattern, place: node.place.clone(), nodes, known: Vec::new(), record }
    }

    /// Returns the dotted path of this section.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn full(&self, key: &str) -> String {
        joined(&self.path, key)
    }

    /// Returns the sub-table `key`; empty if it is not there.
    ///
    /// # Errors
    /// When `key` is there and is not a table.
    pub fn child(&mut self, key: &str) -> Result<Self, ConfigError> {
        self.named_child(key, key)
    }

    /// Returns the sub-table `key`, a name that the user chose; listings call it `shown`, such as `PLAN`.
    ///
    /// # Errors
    /// When `key` is there and is not a table.
    pub fn named_child(&mut self, key: &str, shown: &str) -> Result<Self, ConfigError> {
        self.known.push(key.to_owned());
        let pattern = joined(&self.pattern, shown);
        match self.nodes.get(key) {
            Some(node) if matches!(node.value, Value::Table(_)) => {
                Ok(Self::of(self.full(key), pattern, node, self.record.clone()))
            }
            Some(node) => Err(ConfigError {
                place: node.place.clone(),
                key: self.full(key),
                value: node.value.to_string(),
                expected: TABLE.into(),
                hint: None,
            }),
            None => {
                let empty = ValueNode {
                    value: Value::Table(BTreeMap::new()),
                    place: self.place.clone(),
                    source: None,
                };
                Ok(Self::of(self.full(key), pattern, &empty, self.record.clone()))
            }
        }
    }

    /// True when the user wrote `key` in this section.
    pub fn has(&self, key: &str) -> bool {
        self.fork_on_presence(key);
        self.is_written(key)
    }

    /// True where a key is written. Unlike other queries, it is not recorded for surveys: for keys that no user sets.
    pub fn is_written(&self, key: &str) -> bool {
        let given = |given: &BTreeSet<String>| given.contains(&self.full(key));
        self.nodes.contains_key(key) || self.record.given.as_ref().is_some_and(given)
    }

    fn fork_on_presence(&self, key: &str) {
        let (taken, other) = match self.is_written(key) {
            true => (KeyAnswer::Given, KeyAnswer::Absent),
            false => (KeyAnswer::Absent, KeyAnswer::Given),
        };
        self.fork(key, taken, vec![other]);
    }

    fn fork(&self, key: &str, taken: KeyAnswer, others: Vec<KeyAnswer>) {
        if self.record.given.is_some() && !others.is_empty() {
            self.record.forks.borrow_mut().push(Fork { key: self.full(key), taken, others });
        }
    }

    /// Returns the value at a dotted path below this section, as it is written.
    pub fn written(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let node = self.nodes.get(keys.next()?)?;
        keys.try_fold(&node.value, |value, key| match value {
            Value::Table(nodes) => nodes.get(key).map(|node| &node.value),
            _ => None,
        })
    }

    /// Sets the limits of the next key: `section.within(at_least(1u32)).or("d", 10u32, "...")`.
    pub fn within(&mut self, limits: Limits) -> Asking<'_> {
        Asking { section: self, limits, unit: "" }
    }

    /// Sets the unit of the next key, whose number is written without one.
    pub fn unit(&mut self, unit: &'static str) -> Asking<'_> {
        Asking { section: self, limits: Limits::default(), unit }
    }

    /// Reads a value that must be written.
    ///
    /// # Errors
    /// When it is missing or not of the type.
    pub fn required<T: FromValue>(&mut self, key: &str, help: &'static str) -> Result<T, ConfigError> {
        self.unit("").required(key, help)
    }

    /// Reads a value with a default.
    ///
    /// # Errors
    /// When it is written and not of the type.
    pub fn or<T: FromValue>(&mut self, key: &str, default: T, help: &'static str) -> Result<T, ConfigError> {
        self.unit("").or(key, default, help)
    }

    /// Reads a value that may be absent.
    ///
    /// # Errors
    /// When it is written and not of the type.
    pub fn optional<T: FromValue>(
        &mut self,
        key: &str,
        help: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        self.unit("").optional(key, help)
    }

    /// Reads one of the given names.
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
        if let Some(asked) = self.record.asked.borrow_mut().last_mut() {
            "name".clone_into(&mut asked.kind);
            asked.names = names.iter().map(|name| (*name).to_owned()).collect();
        }
        if names.contains(&name.as_str()) {
            let others = names.iter().filter(|other| **other != name).map(|other| (*other).to_owned());
            self.fork(key, KeyAnswer::Is(name.clone()), others.map(KeyAnswer::Is).collect());
            return Ok(name);
        }
        let hint = meant(&name, names.iter().copied());
        let mut error = self.reject(key, &format!("expected one of {}", names.join(", ")));
        error.hint = hint;
        Err(error)
    }

    /// Reads the name of a policy: one of a catalogue's. Without one, the error lists the names.
    ///
    /// # Errors
    /// When it is none of the names.
    pub fn policy(
        &mut self,
        seam: &'static str,
        names: &[&str],
        default: &str,
        question: &'static str,
    ) -> Result<String, ConfigError> {
        let chosen = self.choice("name", names, default, question);
        chosen.map_err(|mut error| {
            if let Some(more) = self.record.bringer.offers(seam) {
                error.expected = format!("{}, or {more}", error.expected);
            }
            error
        })
    }

    /// Returns the maker of the policy in `name`, where the caller supplies that policy; the seam's own
    /// catalogue does not have it.
    ///
    /// # Errors
    /// When it is not there, does not answer `question`, or a parameter is wrong.
    pub fn brought<M: 'static>(
        &mut self,
        seam: &'static str,
        question: &'static str,
    ) -> Result<Option<M>, ConfigError> {
        let Some(Value::Text(name)) = self.written("name") else { return Ok(None) };
        let name = name.clone();
        let Some(foreign) = self.record.bringer.of(&name) else { return Ok(None) };
        let _: String = self.required("name", question)?;
        let listed = self.record.asked.borrow().len();
        let maker = foreign.maker(seam, &name, self);
        // Its parameters are in no list of keys.
        self.record.asked.borrow_mut().truncate(listed);
        let Ok(maker) = maker?.downcast::<M>() else {
            unreachable!("{seam}: {name}: a maker of another seam")
        };
        Ok(Some(*maker))
    }

    fn ask<T: FromValue>(
        &self,
        key: &str,
        help: &'static str,
        unit: &'static str,
        limits: Limits,
        default: Option<Value>,
        required: bool,
    ) {
        let asked = Asked {
            key: joined(&self.pattern, key),
            help,
            expected: T::EXPECTED,
            kind: T::kind(),
            unit: if unit.is_empty() { T::units() } else { unit },
            limits,
            names: Vec::new(),
            default,
            required,
        };
        self.record.asked.borrow_mut().push(asked);
    }

    fn read<T: FromValue>(
        &mut self,
        key: &str,
        help: &'static str,
        limits: &Limits,
        presence: Presence,
    ) -> Result<Option<T>, ConfigError> {
        self.known.push(key.to_owned());
        let Some(node) = self.nodes.get(key) else {
            let is_needed = presence == Presence::Required || self.is_written(key);
            let example = self.record.given.is_some() && is_needed;
            return Ok(example.then(|| T::example(limits.example())));
        };
        let (place, source) = (node.place.clone(), node.source.clone());
        let value = T::from_value(&node.value).map_err(|why| ConfigError {
            place: place.clone(),
            key: self.full(key),
            value: node.value.to_string(),
            expected: format!("expected {}", T::EXPECTED),
            hint: (!why.is_empty()).then_some(why),
        })?;
        if value.is_empty_list() && presence != Presence::MayBeEmpty {
            let instead = if presence == Presence::Required { "" } else { ": leave the key out for none" };
            return Err(self.reject(key, &format!("expected {}, at least one{instead}", T::EXPECTED)));
        }
        if value.magnitudes().iter().any(|number| !limits.holds(*number)) {
            return Err(self.reject(key, &limits.expected()));
        }
        self.note(key, value.to_value(), place, source, help, T::EXPECTED);
        Ok(Some(value))
    }

    fn note(
        &self,
        key: &str,
        value: Value,
        place: Place,
        source: Option<String>,
        help: &'static str,
        expected: &'static str,
    ) {
        let key = self.full(key);
        self.record.entries.borrow_mut().push(Entry { key, value, place, source, help, expected });
    }

    /// Returns the error that `key` has a value of the right type which cannot be.
    pub fn reject(&self, key: &str, expected: &str) -> ConfigError {
        let node = self.nodes.get(key);
        let default = || {
            let full = self.full(key);
            let entries = self.record.entries.borrow();
            entries.iter().rev().find(|entry| entry.key == full).map(|entry| entry.value.to_string())
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

    /// Returns everything read so far through this section's document, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.record.entries.borrow().clone()
    }

    /// Returns every key that was asked for so far through this section's document, absent ones included.
    pub fn asked(&self) -> Vec<Asked> {
        self.record.asked.borrow().clone()
    }

    /// Returns all keys that the reader of a survey asked for, and the forks at which it could have asked for
    /// others.
    pub(crate) fn surveyed_keys(&self) -> (Vec<Asked>, Vec<Fork>) {
        (self.asked(), self.record.forks.borrow().clone())
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns the parameters that `read` asks for, found by letting it read an empty section: keys, defaults,
/// help.
pub fn describe<T>(read: impl FnOnce(&mut Section) -> Result<T, ConfigError>) -> Vec<Entry> {
    let mut section = Section::root(&Document::empty());
    // A required key without a default ends the reading; what was recorded until then still stands.
    let _ = read(&mut section);
    section.entries()
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Nanos;

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
        assert_eq!(
            error,
            "drive.toml:2: geometry.chanels = 8: unknown key (did you mean \"geometry.channels\"?)"
        );
    }

    #[test]
    fn a_number_without_its_unit_is_an_error() {
        let mut root = section("t_r = 25\n");
        let error = root.required::<Nanos>("t_r", "array read time").unwrap_err().to_string();
        assert!(error.starts_with("drive.toml:1: t_r = 25: expected a time with its unit"), "{error}");
    }

    #[test]
    fn a_list_without_items_is_an_error_where_it_would_say_nothing() {
        let mut root = section("at = []\n");
        let error = root.optional::<Vec<Nanos>>("at", "moments").unwrap_err().to_string();
        assert!(
            error.contains("at = []: expected one value or a list of values, at least one: leave"),
            "{error}"
        );
        root.required::<Vec<u32>>("at", "moments").unwrap_err();
        root.or("at", vec![1u32], "moments").unwrap_err();
        assert_eq!(root.or("at", Vec::<u32>::new(), "moments"), Ok(Vec::new()), "as without the key");
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
