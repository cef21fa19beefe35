//! Which keys are there? Found by reading: a reader that is asked what it would read names every key.
//!
//! Some keys are read only where another says so: the parameters of a policy, a table that a file need not have. So the
//! reader is run again for every name it chooses among, for every switch it reads and for every table and value that may
//! be absent, and what a key *needs* is what had to be said before the reader came to it. Nothing is declared twice:
//! a key that a drive reads is in the list because the drive reads it.
//!
//! Not followed: numbers. A reader that reads a key only when another number is above zero hides it from the list; a
//! drive that comes to such a key says so in builds with debug assertions.

use crate::asked::{Asked, Fork, KeyAnswer};
use crate::{ConfigError, Document, Section};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Kind of condition, on another key of the configuration, under which a key is read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Case of condition: the key of this path has one of these values.
    Is(String, Vec<String>),
    /// Case of condition: the user writes the key or table of this path.
    Given(String),
    /// Case of condition: the user does not write the key or table of this path.
    Absent(String),
    /// Case of condition: the number at the key of this path is larger than this number.
    Above(String, u32),
}

/// Record of a configuration key with the conditions under which it is read: alternatives, each a list of conditions
/// that must all hold. One empty list: no conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Field of a key's record: the key as the program asks for it, with path, help, limits and default.
    pub asked: Asked,
    /// List of alternatives, each a list of conditions; the key is read if all conditions of one alternative hold.
    pub needs: Vec<Vec<Need>>,
}

/// Type of a list of changes of configuration keys' contents, in order, which are made to the base document so that the
/// function that reads the configuration comes to read a certain key (in a survey by trial readings).
type Path = Vec<(String, KeyAnswer)>;

struct SurveyRun {
    path: Path,
    /// Set of the configuration keys that the reading asked for: indices in the list of all that were asked for.
    asked: BTreeSet<usize>,
    forks: Vec<Fork>,
    /// True if the trial reading of the configuration came to its end without an error, so that it would read no
    /// further keys.
    whole: bool,
}

/// List of the configuration keys that trial readings asked for, in the order in which they first did; each once for
/// each meaning, limits and default with which it was asked for.
#[derive(Default)]
struct AskedKeys {
    all: Vec<Asked>,
    /// Indices in `all` by a key's path.
    by_path: BTreeMap<String, Vec<usize>>,
}

impl AskedKeys {
    fn index(&mut self, asked: Asked) -> usize {
        let alike = self.by_path.get(&asked.key).into_iter().flatten();
        if let Some(index) = alike.copied().find(|index| self.all[*index] == asked) {
            return index;
        }
        self.by_path.entry(asked.key.clone()).or_default().push(self.all.len());
        self.all.push(asked);
        self.all.len() - 1
    }
}

/// Returns all configuration keys that the function `read` can ask for, starting from the document `base`, in the order
/// in which it asks for them, each with its conditions.
pub fn survey<T>(base: &Document, read: impl Fn(&mut Section) -> Result<T, ConfigError>) -> Vec<Key> {
    let (asked, runs) = explore(base, read, |_, _| true);
    let keys = asked.all.into_iter().enumerate();
    keys.map(|(index, asked)| Key { needs: needs(index, &asked, &runs), asked }).collect()
}

/// Returns the paths of the configuration keys that the function `read` can ask for on the way from the document `base`
/// to the document that `section` was read from: only contents of keys that the section's document has are tried, so
/// that it takes a part of a survey's time. Keys below names of the user's are not followed.
pub fn survey_toward<T>(
    base: &Document,
    read: impl Fn(&mut Section) -> Result<T, ConfigError>,
    section: &Section,
) -> BTreeSet<String> {
    let entries = section.entries().into_iter();
    let values: BTreeMap<String, KeyAnswer> =
        entries.map(|entry| (entry.key, KeyAnswer::of(&entry.value))).collect();
    let has = |key: &str, answer: &KeyAnswer| match answer {
        KeyAnswer::Is(_) => values.get(key) == Some(answer),
        KeyAnswer::Given => section.written(key).is_some(),
        KeyAnswer::Absent => section.written(key).is_none(),
    };
    let (asked, _) = explore(base, read, has);
    asked.all.into_iter().map(|asked| asked.key).collect()
}

/// Reads `base`, and reads it again with each other content of a key that decides which keys are read and that
/// `is_tried` allows.
fn explore<T>(
    base: &Document,
    read: impl Fn(&mut Section) -> Result<T, ConfigError>,
    is_tried: impl Fn(&str, &KeyAnswer) -> bool,
) -> (AskedKeys, Vec<SurveyRun>) {
    let (mut asked, mut runs) = (AskedKeys::default(), Vec::new());
    let (mut seen, mut waiting) = (BTreeSet::new(), VecDeque::from([Path::new()]));
    while let Some(path) = waiting.pop_front() {
        let run = follow(base, path, &read, &mut asked);
        for fork in &run.forks {
            seen.insert((fork.key.clone(), fork.taken.clone()));
            for other in fork.others.iter().filter(|other| is_tried(&fork.key, other)) {
                if seen.insert((fork.key.clone(), other.clone())) {
                    let step = (fork.key.clone(), other.clone());
                    waiting.push_back(run.path.iter().cloned().chain([step]).collect());
                }
            }
        }
        runs.push(run);
    }
    (asked, runs)
}

fn follow<T>(
    base: &Document,
    path: Path,
    read: &impl Fn(&mut Section) -> Result<T, ConfigError>,
    all: &mut AskedKeys,
) -> SurveyRun {
    let (mut document, mut given) = (base.clone(), BTreeSet::new());
    for (key, answer) in &path {
        match answer {
            KeyAnswer::Is(value) => document.set(&format!("{key}={value}")).expect("a key and its value"),
            KeyAnswer::Absent => document.remove(key),
            KeyAnswer::Given => {
                given.insert(key.clone());
            }
        }
    }
    let mut section = Section::surveyed(&document, given);
    let whole = read(&mut section).is_ok();
    let (asked, forks) = section.take_surveyed_keys();
    SurveyRun { path, asked: asked.into_iter().map(|asked| all.index(asked)).collect(), forks, whole }
}

/// Returns the conditions under which the configuration key with this index is read, as alternatives: the shortest
/// changes of the base document with which a trial reading reads the key, or the conditions that the base document
/// itself meets.
fn needs(index: usize, asked: &Asked, runs: &[SurveyRun]) -> Vec<Vec<Need>> {
    let with = || runs.iter().filter(|run| run.asked.contains(&index));
    let fewest = with().map(|run| run.path.len()).min().unwrap_or(0);
    let mut ways: BTreeMap<Path, BTreeMap<String, BTreeSet<KeyAnswer>>> = BTreeMap::new();
    for run in with().filter(|run| run.path.len() == fewest) {
        let (last, before) = match run.path.split_last() {
            Some((last, before)) => (Some(last), before.to_vec()),
            None => (None, Vec::new()),
        };
        let way = ways.entry(before).or_default();
        if let Some((key, answer)) = last {
            way.entry(key.clone()).or_default().insert(answer.clone());
        }
    }
    let mut all = Vec::new();
    for (before, last) in ways {
        let before: Vec<Need> =
            before.iter().map(|(key, answer)| need(key, &[answer.clone()].into())).collect();
        if last.is_empty() {
            all.push(of_base(index, asked, runs));
        }
        for (key, answers) in last {
            all.push(before.iter().cloned().chain([need(&key, &answers)]).collect());
        }
    }
    all
}

/// Returns the conditions that a key needs and the base document meets: each is a condition without which the key would
/// no longer be read.
fn of_base(index: usize, asked: &Asked, runs: &[SurveyRun]) -> Vec<Need> {
    let mut answers: BTreeMap<&str, (BTreeSet<&KeyAnswer>, bool)> = BTreeMap::new();
    for fork in &runs[0].forks {
        answers.entry(&fork.key).or_default().0.insert(&fork.taken);
    }
    for run in &runs[1..] {
        let [(key, answer)] = run.path.as_slice() else { continue };
        let Some((with, lost)) = answers.get_mut(key.as_str()) else { continue };
        if run.asked.contains(&index) {
            with.insert(answer);
        } else if run.whole || is_below(&asked.key, key) {
            *lost = true;
        }
    }
    let lost = answers.into_iter().filter(|(key, (_, lost))| *lost && *key != asked.key);
    lost.map(|(key, (with, _))| need(key, &with.into_iter().cloned().collect())).collect()
}

fn is_below(key: &str, table: &str) -> bool {
    key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
}

fn need(key: &str, answers: &BTreeSet<KeyAnswer>) -> Need {
    let values: Vec<String> = answers
        .iter()
        .filter_map(|answer| if let KeyAnswer::Is(value) = answer { Some(value.clone()) } else { None })
        .collect();
    match answers.first() {
        Some(KeyAnswer::Absent) => Need::Absent(key.to_owned()),
        Some(KeyAnswer::Given) => Need::Given(key.to_owned()),
        _ => Need::Is(key.to_owned(), values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &mut Section) -> Result<(), ConfigError> {
        let mut victim = root.child("victim")?;
        match victim.choice("name", &["greedy", "d-choices", "oldest"], "greedy", "which")?.as_str() {
            "d-choices" => drop(victim.or("d", 10u32, "candidates")?),
            "oldest" => drop(victim.or("least", 1u32, "age")?),
            _ => {}
        }
        if root.has("cache") {
            root.child("cache")?.or("units", 8u32, "size")?;
        }
        Ok(())
    }

    fn paths(keys: &[Key]) -> Vec<&str> {
        keys.iter().map(|key| key.asked.key.as_str()).collect()
    }

    #[test]
    fn every_key_is_found_with_what_it_needs() {
        let keys = survey(&Document::empty(), read);
        assert_eq!(paths(&keys), ["victim.name", "victim.d", "victim.least", "cache.units"]);
        assert_eq!(keys[0].needs, [Vec::new()]);
        assert_eq!(keys[1].needs, [vec![Need::Is("victim.name".into(), vec!["d-choices".into()])]]);
        assert_eq!(keys[3].needs, [vec![Need::Given("cache".into())]]);
    }

    #[test]
    fn on_the_way_to_a_document_nothing_is_tried_that_it_does_not_have() {
        let toward = |text: &str| {
            let mut root = Section::root(&Document::parse("d.toml", text).expect("valid TOML"));
            read(&mut root).expect("valid");
            survey_toward(&Document::empty(), read, &root).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(toward(""), ["victim.name"]);
        assert_eq!(toward("[victim]\nname = \"d-choices\"\n"), ["victim.d", "victim.name"]);
        assert_eq!(toward("[cache]\nunits = 2\n"), ["cache.units", "victim.name"]);
    }
}
