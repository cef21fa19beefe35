//! A parsed TOML file whose values remember where they stand and what the comment behind them says; sections read it,
//! with policies that are brought to it: one room, as a document is read by what it brings, and that reads sections of it.

mod foreign;
mod section;

use crate::error::UNKNOWN;
use crate::value::{Place, Value, ValueNode};
use crate::{ConfigError, nearest};
pub use foreign::{Bringer, Foreign};
pub use section::{Asking, Entry, Section, describe};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Type of a whole configuration as a tree of values, possibly merged from several files and `--set` options.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    root: ValueNode,
    bringer: Bringer,
}

impl Document {
    /// Makes a configuration without any values.
    pub fn empty() -> Self {
        Self::of(ValueNode { value: Value::Table(BTreeMap::new()), place: Place::Default, source: None })
    }

    /// Parses the TOML configuration `text`, called `file` in messages.
    ///
    /// # Errors
    /// When the text is not TOML, or uses dates, which no key takes.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let file: Arc<str> = file.into();
        let lines = LineStarts::new(text);
        let document = toml_edit::Document::parse(text).map_err(|error| ConfigError {
            place: Place::Line(file.clone(), error.span().map_or(1, |span| lines.of(span.start))),
            key: String::new(),
            value: String::new(),
            expected: format!("not valid TOML: {}", error.message().replace('\n', "; ")),
            hint: None,
        })?;
        let reader = TomlReader { file, lines, text };
        let root = reader.table(document.as_table(), "")?;
        Ok(Self::of(root))
    }

    fn of(root: ValueNode) -> Self {
        Self { root, bringer: Bringer::default() }
    }

    /// Returns the same document, in which policies from the source `bringer` can be named in addition to those of the
    /// catalogue.
    #[must_use]
    pub fn with(self, bringer: Bringer) -> Self {
        Self { bringer, ..self }
    }

    /// Returns true when `name` is the name of a policy from outside the catalogue, by the document's source of such
    /// policies.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.bringer.of(name).is_some()
    }

    pub(crate) fn bringer(&self) -> &Bringer {
        &self.bringer
    }

    /// Returns the root table of the configuration document.
    pub fn root(&self) -> &ValueNode {
        &self.root
    }

    /// Removes a key, such as `base` or `chip`, from the root table, and returns its value with its place; `None` if it
    /// is not written.
    pub fn take(&mut self, key: &str) -> Option<ValueNode> {
        match &mut self.root.value {
            Value::Table(table) => table.remove(key),
            _ => None,
        }
    }

    /// Returns the node of the document at a dotted path; `None` if nothing is written at the path.
    pub fn get(&self, path: &str) -> Option<&ValueNode> {
        path.split('.').try_fold(&self.root, |node, key| match &node.value {
            Value::Table(table) => table.get(key),
            _ => None,
        })
    }

    /// Merges the document `upper` into this document: values of `upper` replace values of this document, tables are
    /// merged key by key. A table whose `name` changes replaces the old table whole, since the parameters of one policy
    /// mean nothing to another.
    pub fn overlay(&mut self, upper: Self) {
        if let (Value::Table(below), Value::Table(above)) = (&mut self.root.value, upper.root.value) {
            merge(below, above); // The root is no policy: a `name` there is no other one's.
        }
    }

    /// Returns this document as the content of table `key` of a new document (a chip file becomes `nand`).
    pub fn nested(self, key: &str) -> Self {
        let place = self.root.place.clone();
        let table = BTreeMap::from([(key.to_owned(), self.root)]);
        Self { root: ValueNode { value: Value::Table(table), place, source: None }, bringer: self.bringer }
    }

    /// Removes the value at a dotted path from the document, if there is one.
    pub fn remove(&mut self, path: &str) {
        let (tables, key) = path.rsplit_once('.').unwrap_or(("", path));
        let parent = tables.split('.').filter(|key| !key.is_empty()).try_fold(&mut self.root, |node, key| {
            match &mut node.value {
                Value::Table(table) => table.get_mut(key),
                _ => None,
            }
        });
        if let Some(ValueNode { value: Value::Table(table), .. }) = parent {
            table.remove(key);
        }
    }

    /// Applies one `--set a.b.c=value` to the document. The value is parsed as TOML; other text is taken as a string,
    /// so that `--set ftl.gc.victim.name=d-choices` needs no quotes.
    ///
    /// # Errors
    /// When there is no `=`, or a key is empty or has too many parts.
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let fail = |expected: &str| ConfigError {
            place: Place::Set,
            key: String::new(),
            value: String::new(),
            expected: format!("{assignment:?}: {expected}"),
            hint: None,
        };
        let (path, text) = assignment.split_once('=').ok_or_else(|| fail("expected KEY=VALUE"))?;
        let (path, text) = (path.trim(), text.trim());
        if path.split('.').any(|key| key.is_empty()) {
            return Err(fail("expected a dotted key path before the ="));
        }
        if path.split('.').count() > DEPTH_MOST {
            return Err(ConfigError {
                expected: format!(
                    "a key of {} parts: expected at most {DEPTH_MOST}",
                    path.split('.').count()
                ),
                ..fail("")
            });
        }
        let value = parse_value(text);
        let leaf = ValueNode { value, place: Place::Set, source: None };
        let node = path.rsplit('.').fold(leaf, |node, key| ValueNode {
            value: Value::Table(BTreeMap::from([(key.to_owned(), node)])),
            place: Place::Set,
            source: None,
        });
        self.overlay(Self::of(node));
        Ok(())
    }
}

/// Constant: greatest number of parts of a dotted key path: more than twice as many as any key has.
const DEPTH_MOST: usize = 32;

fn parse_value(text: &str) -> Value {
    let wrapped = format!("value = {text}");
    let parsed = Document::parse("--set", &wrapped).ok().and_then(|mut document| {
        let node = document.take("value")?;
        let alone = matches!(&document.root.value, Value::Table(rest) if rest.is_empty());
        alone.then_some(node.value)
    });
    parsed.unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn overlay(lower: &mut ValueNode, upper: ValueNode) {
    match (&mut lower.value, upper.value) {
        (Value::Table(below), Value::Table(above)) => {
            let name = |table: &BTreeMap<String, ValueNode>| table.get("name").map(|node| node.value.clone());
            if name(&above).is_some() && name(&above) != name(below) {
                below.clear();
            }
            merge(below, above);
        }
        (_, value) => *lower = ValueNode { value, place: upper.place, source: upper.source },
    }
}

fn merge(below: &mut BTreeMap<String, ValueNode>, above: BTreeMap<String, ValueNode>) {
    for (key, node) in above {
        match below.get_mut(&key) {
            Some(existing) => overlay(existing, node),
            None => {
                below.insert(key, node);
            }
        }
    }
}

struct LineStarts(Vec<usize>);

impl LineStarts {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|newline| *newline < offset) + 1
    }
}

struct TomlReader<'a> {
    file: Arc<str>,
    lines: LineStarts,
    text: &'a str,
}

impl TomlReader<'_> {
    fn place(&self, span: Option<std::ops::Range<usize>>) -> Place {
        Place::Line(self.file.clone(), span.map_or(1, |span| self.lines.of(span.start)))
    }

    fn table(&self, table: &dyn toml_edit::TableLike, path: &str) -> Result<ValueNode, ConfigError> {
        let mut nodes = BTreeMap::new();
        let mut place = Place::Line(self.file.clone(), 1);
        for (key, item) in table.iter() {
            let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            let mut node = self.item(item, &path)?;
            if matches!(node.value, Value::Table(_))
                && let Some(span) = table.key(key).and_then(toml_edit::Key::span)
            {
                node.place = self.place(Some(span));
            }
            if nodes.is_empty() {
                place = node.place.clone();
            }
            nodes.insert(key.to_owned(), node);
        }
        Ok(ValueNode { value: Value::Table(nodes), place, source: None })
    }

    fn item(&self, item: &toml_edit::Item, path: &str) -> Result<ValueNode, ConfigError> {
        match item {
            toml_edit::Item::Table(table) => self.table(table, path),
            toml_edit::Item::Value(value) => self.value(value, path),
            _ => Err(self.refuse(item.span(), path, "expected a value; lists of tables are not used here")),
        }
    }

    fn value(&self, value: &toml_edit::Value, path: &str) -> Result<ValueNode, ConfigError> {
        let place = self.place(value.span());
        let source = value
            .decor()
            .suffix()
            .and_then(toml_edit::RawString::span)
            .and_then(|span| self.text.get(span))
            .and_then(|text| text.trim().strip_prefix('#'))
            .map(|text| text.trim().to_owned());
        let value = match value {
            toml_edit::Value::String(text) => Value::Text(text.value().clone()),
            toml_edit::Value::Integer(number) => Value::Integer(*number.value()),
            toml_edit::Value::Float(number) => Value::Float(*number.value()),
            toml_edit::Value::Boolean(truth) => Value::Boolean(*truth.value()),
            toml_edit::Value::Array(items) => {
                Value::List(items.iter().map(|item| self.value(item, path)).collect::<Result<_, _>>()?)
            }
            toml_edit::Value::InlineTable(table) => self.table(table, path)?.value,
            toml_edit::Value::Datetime(_) => {
                return Err(self.refuse(value.span(), path, "no key takes a date"));
            }
        };
        Ok(ValueNode { value, place, source })
    }

    fn refuse(&self, span: Option<std::ops::Range<usize>>, path: &str, expected: &str) -> ConfigError {
        ConfigError {
            place: self.place(span),
            key: path.to_owned(),
            value: String::new(),
            expected: expected.to_owned(),
            hint: None,
        }
    }
}

/// Makes the error for a written key that the program does not ask for; where the key is a table, the error names the
/// first key in the table.
pub(crate) fn unknown_key(path: &str, node: &ValueNode, key: &str, known: &[String]) -> ConfigError {
    let (mut below, mut last) = (String::new(), node);
    while let Value::Table(nodes) = &last.value {
        let Some((name, first)) = nodes.first_key_value() else { break };
        below = format!("{below}.{name}");
        last = first;
    }
    let hint = match nearest(key, known.iter().map(String::as_str)) {
        Some(name) => {
            format!("did you mean \"{}{name}{below}\"?", path.strip_suffix(key).unwrap_or_default())
        }
        None => format!("known here: {}", known.join(", ")),
    };
    let value = match last.value {
        Value::Table(_) => String::new(),
        _ => last.value.to_string(),
    };
    ConfigError {
        place: last.place.clone(),
        key: format!("{path}{below}"),
        value,
        expected: UNKNOWN.into(),
        hint: Some(hint),
    }
}
