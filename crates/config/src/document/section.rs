//! Handing values out by type, and recording all that was handed out.

use super::{Bringer, Document, unknown_key};
use crate::asked::{Asked, Fork, KeyAnswer};
use crate::error::TABLE;
use crate::value::{Place, Value, ValueNode};
use crate::{ConfigError, FromValue, Limits, meant};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Record of one configuration value that the program has read; the resolved configuration is a list of such entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Dotted path of the configuration key that was read, such as `ftl.gc.victim.name`.
    pub key: String,
    /// Value of the key in force, written or default.
    pub value: Value,
    /// Place where the value is written, or [`Place::Default`].
    pub place: Place,
    /// Source of the value, as stated in the comment after the value in the file; none if there is no comment.
    pub source: Option<String>,
    /// Meaning of the key, as help texts show it.
    pub help: &'static str,
    /// Form of a valid value of the key, in words.
    pub expected: &'static str,
}

/// Record, shared by all sections of a configuration document, of the keys read or asked for so far.
#[derive(Debug, Default)]
struct SharedRecord {
    entries: RefCell<Vec<Entry>>,
    asked: RefCell<Vec<Asked>>,
    forks: RefCell<Vec<Fork>>,
    /// Set of the keys that a survey (trial reading) treats as written although they are not; none outside a survey.
    given: Option<BTreeSet<String>>,
    bringer: Bringer,
}

/// Type of a table of the configuration while the program reads its keys; notes each key that is asked for.
#[derive(Clone, Debug)]
pub struct Section {
    path: String,
    /// Dotted path of the table, in which names that the user chose are replaced by names in capitals.
    pattern: String,
    place: Place,
    nodes: BTreeMap<String, ValueNode>,
    known: Vec<String>,
    record: Rc<SharedRecord>,
}

/// Kind of rule for what may be missing when a configuration key is read: nothing, the key, or items of its list.
#[derive(Clone, Copy, PartialEq)]
enum Presence {
    /// Case of rule for a key: the key must be written, and a list must have items.
    Required,
    /// Case of rule for a key: the key may be missing; a list that is written must have items.
    Optional,
    /// Case of rule for a key: the key or the items of its list may be missing, as the default is an empty list.
    MayBeEmpty,
}

/// Builder that reads one key of a configuration table, with limits and a unit of its value.
#[must_use]
pub struct Asking<'a> {
    section: &'a mut Section,
    limits: Limits,
    unit: &'static str,
}

impl Asking<'_> {
    /// Sets the unit, for help texts, of the key to be read, whose number is written without a unit.
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Sets the limits of the value of the key to be read, or of each item of its list.
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Reads `key`, which must be written, as [`Section::required`] does, within the limits.
    ///
    /// # Errors
    /// When the key is missing, not of the type or outside its limits.
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

    /// Reads `key`, or returns `default`, as [`Section::or`] does, within the limits that were set for this key.
    ///
    /// # Errors
    /// When the key is written and not of the type or outside its limits.
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

    /// Reads `key` as [`Section::optional`] does, within the limits; returns `None` where the key is not written.
    ///
    /// # Errors
    /// When the key is written and not of the type or outside its limits.
    pub fn optional<T: FromValue>(self, key: &str, help: &'static str) -> Result<Option<T>, ConfigError> {
        let section = self.section;
        section.ask::<T>(key, help, self.unit, self.limits.clone(), None, false);
        section.fork_on_presence(key);
        section.read(key, help, &self.limits, Presence::Optional)
    }
}

fn answer<T: FromValue>(value: &T) -> KeyAnswer {
    KeyAnswer::of(&value.to_value())
}

impl Section {
    /// Makes the section, by which the program reads keys, for the root table of a configuration document.
    pub fn root(document: &Document) -> Self {
        let record = SharedRecord { bringer: document.bringer().clone(), ..SharedRecord::default() };
        Self::of(String::new(), String::new(), document.root(), Rc::new(record))
    }

    /// Makes the root section for a survey, a trial reading that finds out which keys a program would read: required
    /// keys without a value get an example value, and the keys in `given` count as written.
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

    /// Returns the full dotted path of this configuration table, such as `ftl.gc`.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn full(&self, key: &str) -> String {
        joined(&self.path, key)
    }

    /// Returns the section for the sub-table `key`, which is empty if it is not written.
    ///
    /// # Errors
    /// When `key` is written and is not a table.
    pub fn child(&mut self, key: &str) -> Result<Self, ConfigError> {
        self.named_child(key, key)
    }

    /// Returns the section for the sub-table `key`, a name of the user's (listed as `shown`); empty if not written.
    ///
    /// # Errors
    /// When `key` is written and is not a table.
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

    /// Returns true when the user wrote `key` in this table; a survey (trial reading) records this question.
    pub fn has(&self, key: &str) -> bool {
        self.fork_on_presence(key);
        self.is_written(key)
    }

    /// Returns true when `key` is written in this table; for keys that no user sets, as surveys do not record this.
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

    /// Returns the value at a dotted path below this table, as the user wrote it; `None` if nothing is written there.
    pub fn written(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let node = self.nodes.get(keys.next()?)?;
        keys.try_fold(&node.value, |value, key| match value {
            Value::Table(nodes) => nodes.get(key).map(|node| &node.value),
            _ => None,
        })
    }

    /// Begins to read a key with limits on its value: `section.within(at_least(1u32)).or("d", 10u32, "...")`.
    pub fn within(&mut self, limits: Limits) -> Asking<'_> {
        Asking { section: self, limits, unit: "" }
    }

    /// Begins to read a key whose number is written without a unit; `unit` is its unit for help texts.
    pub fn unit(&mut self, unit: &'static str) -> Asking<'_> {
        Asking { section: self, limits: Limits::default(), unit }
    }

    /// Reads the value of `key`, which the user must write.
    ///
    /// # Errors
    /// When the key is missing or not of the type.
    pub fn required<T: FromValue>(&mut self, key: &str, help: &'static str) -> Result<T, ConfigError> {
        self.unit("").required(key, help)
    }

    /// Reads the value of `key`; returns `default` where the key is not written.
    ///
    /// # Errors
    /// When the key is written and not of the type.
    pub fn or<T: FromValue>(&mut self, key: &str, default: T, help: &'static str) -> Result<T, ConfigError> {
        self.unit("").or(key, default, help)
    }

    /// Reads the value of `key`; returns `None` where the key is not written.
    ///
    /// # Errors
    /// When the key is written and not of the type.
    pub fn optional<T: FromValue>(
        &mut self,
        key: &str,
        help: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        self.unit("").optional(key, help)
    }

    /// Reads the value of `key`, which must be one of `names`; returns `default` where the key is not written.
    ///
    /// # Errors
    /// When the value is none of the names; the error suggests the nearest.
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

    /// Reads the name of the policy for the decision `seam`: the key `name`, one of `names`; `default` if not written.
    ///
    /// # Errors
    /// When it is none of the names; the error lists them all.
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

    /// Returns the function that makes the policy named by the key `name`, if the policy comes from outside the
    /// catalogue; `None` for the names of the catalogue itself.
    ///
    /// # Errors
    /// When there is no such policy, it does not answer `question`, or a parameter is wrong.
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

    /// Makes the error for a value of `key` that has the right type but is not valid.
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

    /// Ends the reading of this configuration table, and checks that every key written in it was asked for.
    ///
    /// # Errors
    /// When the table has a key that was not read.
    pub fn finish(self) -> Result<(), ConfigError> {
        let unknown = self.nodes.iter().find(|(key, _)| !self.known.contains(key));
        match unknown {
            Some((key, node)) => Err(unknown_key(&self.full(key), node, key, &self.known)),
            None => Ok(()),
        }
    }

    /// Returns all values read so far from this section's document, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.record.entries.borrow().clone()
    }

    /// Returns all keys asked for so far in this section's document, in the order of asking, missing keys included.
    pub fn asked(&self) -> Vec<Asked> {
        self.record.asked.borrow().clone()
    }

    /// Takes out the results of a survey (trial reading): all keys that the program asked for, and the keys with which
    /// other contents would have led it to ask for other keys.
    pub(crate) fn take_surveyed_keys(&self) -> (Vec<Asked>, Vec<Fork>) {
        (self.record.asked.take(), self.record.forks.take())
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns the parameters (keys, defaults and help) that the function `read` asks for, up to the first parameter
/// without a default; they are found by calling `read` with an empty section.
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
