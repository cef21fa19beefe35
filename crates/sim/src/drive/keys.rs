//! Every key that a drive's configuration may hold, and what each needs.
//!
//! The list is made by asking the reader of drives ([`config::survey`]), so that it holds what a drive reads and
//! nothing else. What the reader cannot say is added here: keys that are read on every drive and mean something only
//! where a feature is on.

use crate::drive::{Catalogue, read_keys};
use crate::{Drive, Error};
use config::{
    Asked, ConfigError, Document, Entry, Key, Limits, Need, PolicyEntry, Section, nearest_keys, survey,
    survey_toward,
};
use ftl::compatibility::{Feature, IDLE, NEEDS, Switch};
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Returns the list of all policies of a drive, for each of its seams (decisions of the drive, such as the choice of a
/// garbage collection victim, for which the configuration selects a policy).
pub fn policies() -> Vec<PolicyEntry> {
    let interfaces = bus::interface::catalogue();
    interfaces
        .into_iter()
        .chain(ftl::policies())
        .chain(host::link::catalogue())
        .chain(host::place::catalogue())
        .collect()
}

/// Constant: list of configuration keys, or whole tables of keys, each with the drive features of which one must be
/// enabled for the key to have an effect; [`IDLE`] and [`NEEDS`] hold the other rules.
const WITH: &[(&str, &[Feature])] = &[
    ("ftl.refresh", &[Feature::Code]),
    ("ftl.rewrite", &[Feature::Regulator]),
    ("ftl.scrub.idle_after", &[Feature::Patrol]),
    ("ftl.scrub.margin", &[Feature::Patrol]),
    ("ftl.sectors.unwritten", &[Feature::Sectors]),
    ("ftl.upkeep.share", &[Feature::Refresh, Feature::Patrol, Feature::Snapshots]),
    ("ftl.write_cost.retention", &[Feature::Code]),
    ("ftl.write_cost.steps", &[Feature::Regulator]),
];

/// Constant: list of pairs of sections: a section of configuration keys, and the section of the chip file without which
/// the keys of the first section, all but `name`, have no effect.
const CHIP: &[(&str, &str)] = &[("ftl.slc_cache", "nand.slc_mode")];

/// Configuration key together with its state on one drive: value, and unmet conditions.
#[derive(Clone, Debug)]
pub struct KeyOnDrive {
    /// Field: the configuration key itself, with its help text and the conditions under which it has an effect.
    pub key: &'static Key,
    /// Field: value of the configuration key on the drive, with the place where it is set and its source; none where
    /// the key has no effect on the drive, or is optional and not set.
    pub entry: Option<Entry>,
    /// Field: conditions of the configuration key that the drive does not meet, of the alternative with the fewest;
    /// empty where the key is in force.
    pub lacks: Vec<Need>,
}

/// Returns all configuration keys of drives, each with the conditions under which the key has an effect.
pub fn keys() -> &'static [Key] {
    static KEYS: OnceLock<Vec<Key>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut all = vec![
            of_files(
                "base",
                "the drive, or in a chip's file the chip, whose values hold where this file says nothing",
            ),
            of_files("chip", "the chip whose file is read as [nand]"),
        ];
        all.extend(survey(&whole(), read_keys));
        let policies = policies();
        for key in &mut all {
            add_features(key, &policies);
        }
        all
    })
}

/// Returns the document from which surveys start: a drive with most features enabled.
fn whole() -> Document {
    Document::parse("whole.toml", include_str!("keys/whole.toml")).expect("valid TOML")
}

fn of_files(key: &str, help: &'static str) -> Key {
    let asked = Asked {
        key: key.to_owned(),
        help,
        expected: "a text in quotes",
        kind: "name".into(),
        unit: "",
        limits: Limits::default(),
        names: Vec::new(),
        default: None,
        required: false,
    };
    Key { asked, needs: vec![Vec::new()] }
}

/// Adds to a configuration key's conditions the features of the drive that must be enabled or disabled, and the table
/// that the chip file must have, for the key to have an effect.
fn add_features(key: &mut Key, policies: &[PolicyEntry]) {
    let at = key.asked.key.clone();
    let is_at =
        |place: &str| at.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let mut more: Vec<Vec<Need>> = Vec::new();
    for (_, features) in WITH.iter().filter(|(place, _)| is_at(place)) {
        more.push(features.iter().flat_map(|feature| needs_of(*feature, true, policies)).collect());
    }
    for row in IDLE.iter().filter(|row| row.keys.iter().any(|place| is_at(place))) {
        more.push(needs_of(row.feature, !row.with, policies));
    }
    for row in NEEDS.iter().filter(|row| row.feature.keys().contains(&at.as_str())) {
        more.push(needs_of(row.needed, true, policies));
    }
    for (place, table) in CHIP {
        if is_at(place) && *place != at && !at.ends_with(".name") {
            more.push(vec![Need::Given((*table).to_owned())]);
        }
    }
    for others in more {
        let before = std::mem::take(&mut key.needs);
        for way in before {
            key.needs.extend(others.iter().map(|other| with(&way, other)));
        }
    }
    key.needs.dedup();
}

/// Returns the list `way` of conditions on configuration keys, all of which must hold, with the condition `other`
/// added; where both name allowed values of the same key, only the values in both remain.
fn with(way: &[Need], other: &Need) -> Vec<Need> {
    let mut both = way.to_vec();
    let same = both.iter_mut().find_map(|need| match (need, other) {
        (Need::Is(key, names), Need::Is(of, others)) if key == of => Some((names, others)),
        _ => None,
    });
    match same {
        Some((names, others)) => names.retain(|name| others.contains(name)),
        None if way.contains(other) => {}
        None => both.push(other.clone()),
    }
    both
}

/// Returns the conditions on configuration keys of which each alone enables the drive feature `feature` if `on` is
/// true, or disables it if not.
fn needs_of(feature: Feature, on: bool, policies: &[PolicyEntry]) -> Vec<Need> {
    let of_key = |key: &&str| {
        let key = (*key).to_owned();
        match (feature.switch(), on) {
            (Switch::Is(names), true) | (Switch::IsNot(names), false) => {
                Some(Need::Is(key, names.iter().map(|name| (*name).to_owned()).collect()))
            }
            (Switch::IsNot(names), true) | (Switch::Is(names), false) => {
                let seam = key.trim_end_matches(".name");
                let all = policies.iter().filter(|entry| entry.seam == seam);
                let others = all.map(|entry| entry.card.name).filter(|name| !names.contains(name));
                let others = others.map(str::to_owned).collect();
                Some(Need::Is(key, others))
            }
            (Switch::Given, true) => Some(Need::Given(key)),
            (Switch::Given, false) => Some(Need::Absent(key)),
            (Switch::Positive, true) => Some(Need::Above(key, 0)),
            (Switch::Several, true) => Some(Need::Above(key, 1)),
            _ => None,
        }
    };
    feature.keys().iter().filter_map(of_key).collect()
}

/// Returns all configuration keys with their values and unmet conditions on the drive `drive`, after `overrides` of the
/// form `key=value`.
///
/// # Errors
/// As for [`Drive::load`].
pub fn keys_on(catalogue: &Catalogue, drive: &str, overrides: &[String]) -> Result<Vec<KeyOnDrive>, Error> {
    let loaded = Drive::load(catalogue, drive, overrides)?;
    let on = |key: &'static Key| {
        let ways =
            key.needs.iter().map(|way| way.iter().filter(|need| !holds(need, &loaded)).cloned().collect());
        let lacks: Vec<Need> = ways.min_by_key(Vec::len).unwrap_or_default();
        let entry = loaded.entry(&key.asked.key);
        KeyOnDrive { key, entry: entry.filter(|_| lacks.is_empty()).cloned(), lacks }
    };
    Ok(keys().iter().map(on).collect())
}

fn holds(need: &Need, drive: &Drive) -> bool {
    let value =
        |key: &String| drive.entry(key).map(|entry| entry.value.to_string().trim_matches('"').to_owned());
    match need {
        Need::Is(key, values) => value(key).is_some_and(|value| values.contains(&value)),
        Need::Given(key) => drive.writes(key),
        Need::Absent(key) => !drive.writes(key),
        Need::Above(key, least) => value(key).is_some_and(|value| {
            let number = value.trim_end_matches(char::is_alphabetic).parse::<f64>();
            number.is_ok_and(|number| number > f64::from(*least))
        }),
    }
}

/// Returns a condition under which a configuration key has an effect as text, such as `key = value`; a whole table is
/// shown in brackets.
pub fn in_words(need: &Need) -> String {
    let shown = |key: &String| {
        let table = format!("{key}.");
        let is_table = keys().iter().any(|other| other.asked.key.starts_with(&table));
        if is_table { format!("[{key}]") } else { key.clone() }
    };
    match need {
        Need::Is(key, values) => format!("{key} = {}", values.join(", ")),
        Need::Given(key) => shown(key),
        Need::Absent(key) => format!("no {}", shown(key)),
        Need::Above(key, least) => format!("{key} above {least}"),
    }
}

/// Returns the conditions under which the configuration key has an effect as one text; empty for a key without
/// conditions.
pub fn needs_in_words(key: &Key) -> String {
    let ways = key.needs.iter().map(|way| way.iter().map(in_words).collect::<Vec<_>>().join(" and "));
    ways.collect::<Vec<_>>().join("; or ")
}

/// Constant: greatest number of configuration keys that one error message names.
const NAMED_MOST: usize = 3;

/// Adds a hint to a configuration error about an unread key, or about a value in place of a table: which keys were
/// probably meant, or which conditions the key has.
pub(crate) fn hinted(mut error: ConfigError) -> ConfigError {
    if error.is_table_expected() {
        error.hint = below(&error.key).or(error.hint);
    }
    if !error.is_unknown_key() {
        return error;
    }
    let listed: Vec<&Key> = keys().iter().filter(|key| key.asked.key == error.key).collect();
    if listed.is_empty() {
        error.hint = likely(&error.key).or(error.hint);
        return error;
    }
    let needs: Vec<String> = listed.iter().map(|key| needs_in_words(key)).collect();
    error.hint = Some(format!("it needs {}", needs.join("; or ")));
    error
}

/// Returns a hint with the first three configuration keys in `table` and the number of the others, `None` where there
/// are none. Where the table has a key `name`, the hint names that key alone, since a value in place of the table means
/// it.
fn below(table: &str) -> Option<String> {
    let start = format!("{table}.");
    let mut there: Vec<&str> =
        keys().iter().map(|key| key.asked.key.as_str()).filter(|key| key.starts_with(&start)).collect();
    there.sort_unstable();
    there.dedup();
    let name = format!("{start}name");
    if there.contains(&name.as_str()) {
        return Some(format!("did you mean {name:?}?"));
    }
    let (named, more) = there.split_at(there.len().min(NAMED_MOST));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!named.is_empty()).then(|| format!("keys there: {}{more}", named.join(", ")))
}

/// Returns a hint with the configuration keys that a misspelt key may mean, or that end with the misspelt text (of more
/// than three, their number and one of them); `None` where there are none.
fn likely(name: &str) -> Option<String> {
    let near = nearest_keys(name, keys().iter().map(|key| key.asked.key.as_str()));
    match near.as_slice() {
        [] => None,
        near if near.len() <= NAMED_MOST => {
            let shown: Vec<String> = near.iter().map(|key| format!("{key:?}")).collect();
            Some(format!("did you mean {}?", shown.join(" or ")))
        }
        near => Some(format!(
            "{} keys end so, such as {:?}: `floatgate keys {name}` lists them",
            near.len(),
            near[0]
        )),
    }
}

/// Returns the configuration keys that the reader of a drive asked for but that the list of all keys lacks, for a check
/// in debug builds of the simulator; the one key that only tests use is left out.
///
/// A whole survey takes longer than small runs: it is made only for keys that no reading on the way from the survey's
/// drive to this drive asks for.
pub(crate) fn unlisted(root: &Section) -> Vec<String> {
    static LISTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut asked: Vec<String> = root.asked().into_iter().map(|asked| asked.key).collect();
    asked.retain(|key| key != ftl::KEY_OF_TESTS && !listed.contains(key));
    if !asked.is_empty() {
        listed.extend(survey_toward(&whole(), read_keys, root));
        asked.retain(|key| !listed.contains(key));
    }
    if !asked.is_empty() {
        listed.extend(keys().iter().map(|key| key.asked.key.clone()));
        asked.retain(|key| !listed.contains(key));
    }
    asked
}
