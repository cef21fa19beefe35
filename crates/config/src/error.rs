//! The one error of the configuration: place, key, value, what was expected, and the nearest name.

use crate::value::Place;
use std::fmt;

/// Record of an error in a configuration, at a place that the user wrote: the wrong value, and the value that was
/// expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Place where the wrong value or key is written.
    pub place: Place,
    /// Full dotted path of the key, such as `geometry.channels`; empty when the fault lies outside any key.
    pub key: String,
    /// Wrong value as written; empty when there is none.
    pub value: String,
    /// Field of a configuration error: text on the value that was expected, or on the fault, such as `unknown key`.
    pub expected: String,
    /// Field of a configuration error: text with the name that the user probably meant, or with advice; none without
    /// one.
    pub hint: Option<String>,
}

/// Constant: text that an error gives as expected where a written key is unknown to the program.
pub(crate) const UNKNOWN: &str = "unknown key";

/// Constant: text that an error gives as expected where a value was written in place of a table of keys.
pub(crate) const TABLE: &str = "expected a table";

impl ConfigError {
    /// Returns true when the error is that the user wrote a value in place of a table of keys.
    pub fn is_table_expected(&self) -> bool {
        self.expected == TABLE
    }

    /// Returns true when the error is that the written key is unknown to the program.
    pub fn is_unknown_key(&self) -> bool {
        self.expected == UNKNOWN
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match (self.key.is_empty(), self.value.is_empty()) {
            (true, _) => {}
            (false, true) => write!(f, "{}: ", self.key)?,
            (false, false) => write!(f, "{} = {}: ", self.key, self.value)?,
        }
        write!(f, "{}", self.expected)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Returns the known dotted keys most similar to `path`, which may lack parts at its beginning, as `gc.victim.name`
/// does: all that are equally similar, in ascending order; an empty list where no key is similar enough.
pub fn nearest_keys<'a>(path: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let parts = path.split('.').count();
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for key in known {
        let missing = key.split('.').count().saturating_sub(parts);
        // A whole key is meant rather than the end of one.
        for missing in [0, missing] {
            let end = key.splitn(missing + 1, '.').last().unwrap_or(key);
            found.extend(apart(path, end).map(|apart| (apart, missing.min(1), key)));
        }
    }
    found.sort_unstable();
    let best = found.first().map(|&(apart, part, _)| (apart, part));
    found.retain(|&(apart, part, _)| Some((apart, part)) == best);
    found.dedup();
    found.into_iter().map(|(_, _, key)| key).collect()
}

/// Returns the edit distance between a written path and a known key, or `None` where they differ too much; leading
/// parts that both share do not count.
fn apart(path: &str, key: &str) -> Option<usize> {
    let (mut path, mut key) = (path, key);
    while let (Some((first, rest)), Some((other, others))) = (path.split_once('.'), key.split_once('.'))
        && first == other
    {
        (path, key) = (rest, others);
    }
    Some(distance(path, key)).filter(|&apart| apart <= 1 + path.len().max(key.len()) / 3)
}

/// Returns the known name most similar to `name`, regardless of case, if one is similar enough to be meant. Of names at
/// the same edit distance, it prefers the one as long as `name` whose letters are nearer in the alphabet: `ddr3` for
/// `ddr4`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(name.len()) / 3)
        .min_by_key(|&(distance, candidate)| (distance, unlike(&lower, candidate), candidate))
        .map(|(_, candidate)| candidate)
}

/// Returns how much two names differ, to decide between known names at the same edit distance from an unknown one: in
/// length, then in the sum of the differences of their letters.
fn unlike(a: &str, b: &str) -> (usize, u32) {
    let letters = a.chars().zip(b.chars()).map(|(a, b)| u32::from(a).abs_diff(u32::from(b)));
    (a.len().abs_diff(b.len()), letters.sum())
}

/// Returns a hint for an unknown name, with the most similar known name, and a known name that contains all its letters
/// in order; `None` without such names.
pub fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let near = nearest(name, known.clone());
    let has_all = |candidate: &&str| {
        let mut letters = candidate.chars();
        let lower = name.to_lowercase();
        !lower.is_empty() && lower.chars().all(|letter| letters.any(|other| other == letter))
    };
    let longer = known.clone().filter(has_all).min_by_key(|candidate| (candidate.len(), *candidate));
    match (near, longer.filter(|longer| Some(*longer) != near)) {
        (Some(near), Some(longer)) => Some(format!("did you mean {near:?} or {longer:?}?")),
        (Some(one), None) | (None, Some(one)) => Some(format!("did you mean {one:?}?")),
        (None, None) => None,
    }
}

/// Returns the edit distance of two names: the least number of letters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_told_the_nearest_and_one_that_holds_it() {
        let known = ["conv", "nv-ddr", "nv-ddr2", "nv-ddr3", "nv-lpddr4", "sdr"];
        for (name, said) in [
            ("nv-ddr4", Some("did you mean \"nv-ddr3\" or \"nv-lpddr4\"?")),
            ("NV-DDR2", Some("did you mean \"nv-ddr2\"?")),
            ("nvddr2", Some("did you mean \"nv-ddr2\"?")),
            ("lpddr4", Some("did you mean \"nv-lpddr4\"?")),
            ("something", None),
            ("", None),
        ] {
            assert_eq!(meant(name, known.into_iter()).as_deref(), said, "{name}");
        }
    }

    #[test]
    fn the_beginning_of_a_key_may_be_missing() {
        let known = ["ftl.gc.victim.name", "ftl.gc.victim.d", "ftl.wear.name", "nand.t_r"];
        for (path, near) in [
            ("gc.victim.name", vec!["ftl.gc.victim.name"]),
            ("gc.victm.name", vec!["ftl.gc.victim.name"]),
            ("ftl.gc.victim.nam", vec!["ftl.gc.victim.name"]),
            ("t_r", vec!["nand.t_r"]),
            ("name", vec!["ftl.gc.victim.name", "ftl.wear.name"]),
            ("something.else.entirely", vec![]),
            ("ftl.gc.victim.zzzz", vec![]),
            ("ftl.gc_victim.d", vec!["ftl.gc.victim.d"]),
        ] {
            assert_eq!(nearest_keys(path, known), near, "{path}");
        }
    }
}
