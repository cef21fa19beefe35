//! Where drives and chips are found by name, and what their files come to with their bases.

use crate::Error;
use config::{Bringer, Document, Value, ValueNode, nearest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Catalogue that finds drive and chip files by name in a list of folders, each with subfolders `drives/` and `chips/`.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    folders: Vec<PathBuf>,
    bringer: Bringer,
}

/// Record in the listing of a catalogue's drives or chips: name, title and path of one drive file or chip file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriveSummary {
    /// Field of an entry in a catalogue's listing: name by which commands find the drive or chip, for example on the
    /// command line.
    pub name: String,
    /// Field of an entry in a catalogue's listing: title of the drive or chip, as its file gives it; empty where the
    /// file gives none.
    pub title: String,
    /// Field of an entry in a catalogue's listing: path of the file that describes the listed drive or chip.
    pub path: PathBuf,
}

impl Catalogue {
    /// Makes a catalogue over `folders`; if two folders have a file of the same name, the earlier folder wins.
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { folders: folders.into_iter().map(Into::into).collect(), bringer: Bringer::default() }
    }

    /// Returns this catalogue of drives and chips with its drives able to use policies that are defined outside the
    /// simulator (such as Python policies); `bringer` makes these policies.
    #[must_use]
    pub fn with(self, bringer: Bringer) -> Self {
        Self { bringer, ..self }
    }

    /// Returns the summary (name, title, path) of each drive in the catalogue, sorted by name.
    pub fn drives(&self) -> Vec<DriveSummary> {
        self.list("drives")
    }

    /// Returns the summary (name, title, path) of each chip in the catalogue, sorted by name.
    pub fn chips(&self) -> Vec<DriveSummary> {
        self.list("chips")
    }

    fn list(&self, kind: &str) -> Vec<DriveSummary> {
        let summary = |(name, path): (String, PathBuf)| {
            let title = load(&path).ok().and_then(|document| text_at(&document, "title"));
            DriveSummary { name, title: title.unwrap_or_default(), path }
        };
        self.files(kind).into_iter().map(summary).collect()
    }

    /// Returns the path of the file of each drive or chip by its name, as `kind` says (`drives` or `chips`); of files of
    /// one name the file in the earliest folder.
    fn files(&self, kind: &str) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        for (name, path) in self.folders.iter().flat_map(|folder| toml_files(&folder.join(kind))) {
            found.entry(name).or_insert(path);
        }
        found
    }

    /// Finds the path of the file of a drive or chip: `name` is a name in the catalogue or a path, `kind` is `drives`
    /// or `chips`.
    pub(super) fn resolve(&self, kind: &str, name: &str) -> Result<PathBuf, Error> {
        let files = self.files(kind);
        if let Some(path) = files.get(name) {
            return Ok(path.clone());
        }
        let direct = Path::new(name);
        let family = name.split_once('/').map(|(family, _)| format!("{family}/"));
        let of_family = |family: &String| files.keys().any(|name| name.starts_with(family));
        if name.ends_with(".toml")
            || (direct.components().count() > 1 && !family.as_ref().is_some_and(of_family))
        {
            return if direct.is_file() {
                Ok(direct.to_owned())
            } else {
                Err(Error(format!("{name}: no such file; expected a {} file or name", singular(kind))))
            };
        }
        let names = || files.keys().map(String::as_str);
        let part_of: Vec<&str> = names().filter(|other| other.contains(name)).collect();
        let hint = match (part_of.as_slice(), nearest(name, names())) {
            ([_, _, ..], _) => format!("did you mean one of {}?", part_of.join(", ")),
            (&[near], _) | (_, Some(near)) => format!("did you mean {near:?}?"),
            ([], None) => format!("`floatgate {kind}` lists them"),
        };
        Err(Error(format!("{name}: unknown {}; {hint}", singular(kind))))
    }

    /// Reads a drive's configuration document by name or path: the drive file's values over the values of its base
    /// files and chip file, then `overrides` (`key=value`) on top. Returns the document and the drive's name.
    pub(super) fn document(&self, drive: &str, overrides: &[String]) -> Result<(Document, String), Error> {
        let path = self.resolve("drives", drive)?;
        let name = match drive.ends_with(".toml") {
            true => path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(drive).to_owned(),
            false => drive.to_owned(),
        };
        let own = load(&path)?;
        Ok((self.completed(own, &path, overrides)?, name))
    }

    /// Makes a drive's configuration document from the `text` of a drive file, with base files, chip file and
    /// `overrides` merged in; error messages call the text `name`.
    pub(super) fn document_of(
        &self,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Document, Error> {
        self.completed(Document::parse(name, text)?, Path::new(name), overrides)
    }

    /// Completes the document `own` of a drive file with the values of its base files and of its chip file, then
    /// applies the `overrides`; returns the completed document.
    fn completed(&self, own: Document, path: &Path, overrides: &[String]) -> Result<Document, Error> {
        let mut set = Document::empty();
        for assignment in overrides {
            set.set(assignment)?;
        }
        let mut document = self.over_bases(own, "drives", path, &mut vec![path.to_owned()])?;
        let chip = match set.take("chip") {
            Some(node) => {
                document.remove("chip");
                Some(node)
            }
            None => document.take("chip"),
        };
        if let Some(node) = chip {
            let Value::Text(chip) = &node.value else {
                return Err(Error(format!(
                    "{}: chip = {}: expected the name of a chip",
                    node.place, node.value
                )));
            };
            let path = self
                .resolve("chips", chip)
                .map_err(|error| Error(format!("{}: chip: {error}", node.place)))?;
            let mut whole = self.with_bases("chips", &path, &mut Vec::new())?.nested("nand");
            lay_over(&mut whole, document)?;
            document = whole;
        }
        lay_over(&mut document, set)?;
        Ok(document.with(self.bringer.clone()))
    }

    /// Reads the configuration document of a drive or chip file: the file's own values over the values of the files
    /// that its key `base` names.
    pub(super) fn with_bases(
        &self,
        kind: &str,
        path: &Path,
        seen: &mut Vec<PathBuf>,
    ) -> Result<Document, Error> {
        let one = singular(kind);
        if seen.iter().any(|earlier| earlier == path) {
            return Err(Error(format!("{}: base: the {one} inherits from itself", path.display())));
        }
        seen.push(path.to_owned());
        self.over_bases(load(path)?, kind, path, seen)
    }

    /// Lays the values of the configuration document `document`, read from the drive or chip file `path`, over the
    /// values of the base file that its key `base` names; without that key, returns the document unchanged.
    fn over_bases(
        &self,
        mut document: Document,
        kind: &str,
        path: &Path,
        seen: &mut Vec<PathBuf>,
    ) -> Result<Document, Error> {
        let one = singular(kind);
        let Some(base) = document.take("base") else { return Ok(document) };
        let Value::Text(name) = &base.value else {
            return Err(Error(format!(
                "{}: base = {}: expected the name of a {one}",
                base.place, base.value
            )));
        };
        let beside = path.with_file_name(format!("{name}.toml"));
        // `derived/NAME` stands on `NAME`: a file beside itself is another one.
        let below = if beside.is_file() && beside != path { Ok(beside) } else { self.resolve(kind, name) };
        let below = below.map_err(|error| Error(format!("{}: base: {error}", base.place)))?;
        let mut whole = self.with_bases(kind, &below, seen)?;
        lay_over(&mut whole, document)?;
        Ok(whole)
    }
}

/// Constant: pairs of configuration keys for one quantity. A document that sets the first key of a pair, and not the
/// second, removes the second from the document over which it is laid.
const INSTEAD: [(&str, &str); 2] =
    [("ftl.op_ratio", "ftl.user_capacity"), ("ftl.user_capacity", "ftl.op_ratio")];

/// Constant: list of the keys of array times that are refused in a document laid over a chip whose tables give these
/// times by wear, because they would have no effect.
const TABLED: [&str; 2] = ["nand.t_prog", "nand.t_bers"];

/// Lays the values of the configuration document `upper` over those of `document`.
///
/// # Errors
/// When `upper` has an array time that the chip's tables in `document` replace, and no tables of its own.
fn lay_over(document: &mut Document, upper: Document) -> Result<(), Error> {
    for (given, other) in INSTEAD {
        if upper.get(given).is_some() && upper.get(other).is_none() {
            document.remove(other);
        }
    }
    if document.get("nand.tables.t_prog").is_some() && upper.get("nand.tables").is_none() {
        for key in TABLED {
            if let Some(ValueNode { place, value, .. }) = upper.get(key) {
                return Err(Error(format!(
                    "{place}: {key} = {value}: has no effect with the chip's tables, which give it by wear: expected \
                     nand.tables.{}, or a chip without tables",
                    key.trim_start_matches("nand.")
                )));
            }
        }
    }
    document.overlay(upper);
    Ok(())
}

/// Lists the TOML files of the folder `folder` and of its subfolders (families) directly below; returns the name (such
/// as `mlc` or `chung2010/slc-conv-1x4`) and the path of each.
fn toml_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let paths = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut found = Vec::new();
    for path in paths(folder) {
        if toml(&path) {
            found.push((stem(&path), path));
        } else if path.is_dir() {
            let family = stem(&path);
            let members = paths(&path).into_iter().filter(toml);
            found.extend(members.map(|member| (format!("{family}/{}", stem(&member)), member)));
        }
    }
    found
}

fn singular(kind: &str) -> &str {
    kind.trim_end_matches('s')
}

fn load(path: &Path) -> Result<Document, Error> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error(format!("{shown}: {error}")))?;
    Ok(Document::parse(&shown, &text)?)
}

fn text_at(document: &Document, key: &str) -> Option<String> {
    match document.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}
