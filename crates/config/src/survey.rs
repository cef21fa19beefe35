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
    asked: Vec<Asked>,
    forks: Vec<Fork>,
    /// True if the trial reading of the configuration came to its end without an error, so that it would read no
    /// further keys.
    whole: bool,
}

/// Returns all configuration keys that the function `read` can ask for, starting from the document `base`, in the order
/// in which it asks for them, each with its conditions.
pub fn survey<T>(base: &Document, read: impl Fn(&mut Section) -> Result<T, ConfigError>) -> Vec<Key> {
    let mut runs: Vec<SurveyRun> = Vec::new();
    let (mut seen, mut waiting) = (BTreeSet::new(), VecDeque::from([Path::new()]));
    while let Some(path) = waiting.pop_front() {
        let run = follow(base, path, &read);
        for fork in &run.forks {
            seen.insert((fork.key.clone(), fork.taken.clone()));
            for other in &fork.others {
                if seen.insert((fork.key.clone(), other.clone())) {
                    let step = (fork.key.clone(), other.clone());
                    waiting.push_back(run.path.iter().cloned().chain([step]).collect());
                }
            }
        }
        runs.push(run);
    }
    let mut order: Vec<&Asked> = Vec::new();
    for asked in runs.iter().flat_map(|run| &run.asked) {
        if !order.contains(&asked) {
            order.push(asked);
        }
    }
    let keys = order.into_iter().map(|asked| Key { needs: needs(asked, &runs), asked: asked.clone() });
    keys.collect()
}

fn follow<T>(
    base: &Document,
    path: Path,
    read: &impl Fn(&mut Section) -> Result<T, ConfigError>,
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
    let (asked, forks) = section.surveyed_keys();
    SurveyRun { path, asked, forks, whole }
}

/// Returns the conditions under which a configuration key is read, as alternatives: the shortest changes of the base
/// document with which a trial reading reads the key, or the conditions that the base document itself meets.
fn needs(asked: &Asked, runs: &[SurveyRun]) -> Vec<Vec<Need>> {
    let with: Vec<&SurveyRun> = runs.iter().filter(|run| run.asked.contains(asked)).collect();
    let fewest = with.iter().map(|run| run.path.len()).min().unwrap_or(0);
    let mut ways: BTreeMap<Path, BTreeMap<String, BTreeSet<KeyAnswer>>> = BTreeMap::new();
    for run in with.iter().filter(|run| run.path.len() == fewest) {
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
            all.push(of_base(asked, runs));
        }
        for (key, answers) in last {
            all.push(before.iter().cloned().chain([need(&key, &answers)]).collect());
        }
    }
    all
}

/// Returns the conditions that a key needs and the base document meets: each is a condition without which the key would
/// no longer be read.
fn of_base(asked: &Asked, runs: &[SurveyRun]) -> Vec<Need> {
    let mut answers: BTreeMap<&str, (BTreeSet<KeyAnswer>, bool)> = BTreeMap::new();
    for fork in &runs[0].forks {
        answers.entry(&fork.key).or_default().0.insert(fork.taken.clone());
    }
    for run in &runs[1..] {
        let [(key, answer)] = run.path.as_slice() else { continue };
        let Some((with, lost)) = answers.get_mut(key.as_str()) else { continue };
        if run.asked.contains(asked) {
            with.insert(answer.clone());
        } else if run.whole || asked.key.starts_with(&format!("{key}.")) {
            *lost = true;
        }
    }
    let lost = answers.into_iter().filter(|(key, (_, lost))| *lost && *key != asked.key);
    lost.map(|(key, (with, _))| need(key, &with)).collect()
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
