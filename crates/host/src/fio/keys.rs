//! Which options are known, and what becomes of each: honoured, without effect here, or not modelled.

mod tables;

use super::setting::{HONOURED, Honoured};
use tables::{ALIASES, NEVER, NO_EFFECT, NOT_MODELLED, OF_OTHER_ENGINES, OTHER_ENGINE};

/// Kind of treatment that an option of a fio job gets: modelled, accepted without effect, or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Case of treatment of a fio option: it shapes the requests of the job, and is modelled.
    Honoured,
    /// Case of treatment of a fio option: it has no effect on a raw simulated drive, and is accepted and listed in the
    /// report.
    NoEffect,
    /// Case of treatment of a fio option: it would change the requests and is not modelled, so that it is an error,
    /// except for values that turn it off.
    NotModelled {
        /// Field of a fio option that is not modelled: list of the values that turn the option off, with which it is
        /// accepted.
        off: &'static [&'static str],
        /// Field of a fio option that is not modelled: text for the error message that says what to use in place of the
        /// option.
        instead: &'static str,
    },
}

/// Returns the main name of the fio option `key`, which may be an alias, and the kind of treatment that the simulation
/// gives the option; `None` for an unknown option.
pub fn find(key: &str) -> Option<(&'static str, Fate)> {
    if let Some(option) = HONOURED.iter().find(|option| option.name == key || option.others.contains(&key)) {
        return Some((option.name, Fate::Honoured));
    }
    let first = ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, first)| *first);
    let in_table = |table: &[&'static str]| table.iter().find(|name| **name == first).copied();
    if let Some(name) = in_table(NO_EFFECT) {
        return Some((name, Fate::NoEffect));
    }
    if let Some(name) = in_table(OF_OTHER_ENGINES) {
        return Some((name, Fate::NotModelled { off: NEVER, instead: OTHER_ENGINE }));
    }
    let (name, off, instead) = NOT_MODELLED.iter().find(|(name, ..)| *name == first)?;
    Some((name, Fate::NotModelled { off, instead }))
}

/// Returns true if a modelled option, given by its main name (no alias), may stand in a fio job file without a value.
pub fn may_stand_alone(name: &str) -> bool {
    HONOURED.iter().any(|option| option.name == name && option.may_stand_alone)
}

/// Returns all names of a modelled fio option: the main name, then the aliases.
fn names(option: &Honoured) -> impl Iterator<Item = &'static str> + use<> {
    std::iter::once(option.name).chain(option.others.iter().copied())
}

/// Returns the known option name most similar to the misspelt `key`, if one is similar enough; modelled options come
/// first.
pub fn nearest(key: &str) -> Option<&'static str> {
    let honoured = HONOURED.iter().flat_map(names).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let others = NO_EFFECT.iter().chain(OF_OTHER_ENGINES).copied();
    let others = others.chain(NOT_MODELLED.iter().map(|(name, ..)| *name));
    config::nearest(key, honoured).or_else(|| config::nearest(key, others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_has_one_fate() {
        let mut seen = BTreeSet::new();
        let others = NO_EFFECT.iter().chain(OF_OTHER_ENGINES).copied();
        let others = others.chain(NOT_MODELLED.iter().map(|(name, ..)| *name));
        let all = HONOURED.iter().flat_map(names).chain(others);
        for name in all.chain(ALIASES.iter().map(|(alias, _)| *alias)) {
            assert!(seen.insert(name), "{name} stands twice");
        }
        assert!(ALIASES.iter().all(|(_, first)| find(first).is_some()));
    }

    #[test]
    fn second_names_lead_to_the_first() {
        assert_eq!(find("readwrite"), Some(("rw", Fate::Honoured)));
        assert_eq!(find("direct"), Some(("direct", Fate::NoEffect)));
        assert_eq!(find("fdp_pli"), Some(("plids", Fate::Honoured)));
        assert_eq!(find("no_such"), None);
    }

    #[test]
    fn a_misspelt_option_finds_its_neighbour() {
        assert_eq!(nearest("iodpeth"), Some("iodepth"));
        assert_eq!(nearest("ramdrepeat"), Some("randrepeat"));
        assert_eq!(nearest("xxxxxxxxxxxxxxxx"), None);
    }
}
