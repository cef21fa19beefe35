//! What a seed is dealt. Features stand in a frozen list; each draws from a stream of its own, named after it, so that a
//! new feature or policy re-deals nothing that was dealt before. Which of them go together the table of the translation
//! layer says; what it said when seeds were first dealt is frozen as well.

use crate::features::{APART_THEN, FEATURES, OF_THE_TABLE};
use engine::RandomStream;
use ftl::compatibility::{Feature, NEEDS, between};
use std::collections::{BTreeSet, HashMap};

/// Which features are dealt together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Features that were there when seeds were first dealt.
    Then,
    /// Features that the table lets go together.
    Now,
}

impl Rule {
    fn forbids(self, a: Feature, b: Feature) -> bool {
        match self {
            Self::Then => APART_THEN.contains(&(a, b)) || APART_THEN.contains(&(b, a)),
            Self::Now => between(a, b).is_some(),
        }
    }
}

/// A dealt drive and run.
#[derive(Clone)]
pub struct Deal {
    pub seed: u64,
    /// `key=value`, later ones win.
    pub lines: Vec<String>,
    /// The features that are on.
    pub on: BTreeSet<&'static str>,
    /// Bits of a cell.
    pub bits: u64,
    /// A drive of the catalogue below the lines.
    pub base: Option<&'static str>,
    /// Nanoseconds: how long pauses and times of upkeep are.
    pub scale_ns: u64,
    pub rule: Rule,
}

impl Deal {
    /// What the seed was dealt from the beginning.
    pub fn new(seed: u64) -> Self {
        Self::by(seed, Rule::Then)
    }

    pub fn by(seed: u64, rule: Rule) -> Self {
        let mut deal =
            Self { seed, lines: Vec::new(), on: BTreeSet::new(), bits: 1, base: None, scale_ns: 0, rule };
        for (name, chance, draw) in FEATURES {
            let mut random = RandomStream::new(seed, &format!("swarm.{name}"));
            // The chance is drawn first, before it is asked what is enabled: what a feature forbids changes no other.
            let wanted = random.chance(*chance);
            if !wanted {
                continue;
            }
            let is_of_the_table = OF_THE_TABLE.iter().any(|(of, _)| of == name);
            let before = is_of_the_table.then(|| deal.clone());
            if draw(&mut deal, &mut random) {
                deal.on.insert(name);
            }
            if let Some(before) = before.filter(|_| !deal.goes_together()) {
                deal = before;
            }
        }
        deal
    }

    pub fn set(&mut self, key: &str, value: impl ToString) {
        self.lines.push(format!("{key}={}", value.to_string()));
    }

    /// The value that a key has so far.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn has(&self, feature: &str) -> bool {
        self.on.contains(feature)
    }

    /// The features of the table that are on.
    fn features(&self) -> Vec<Feature> {
        let values: HashMap<&str, &str> = self.lines.iter().filter_map(|line| line.split_once('=')).collect();
        let says =
            |feature: &Feature, key: &&str| values.get(key).is_some_and(|value| feature.is_on(value, 1));
        let is_on = |feature: &&Feature| match feature {
            Feature::OneBitCells => self.bits == 1,
            _ => feature.keys().iter().any(|key| says(feature, key)),
        };
        Feature::ALL.iter().filter(is_on).copied().collect()
    }

    pub fn maps_pages(&self) -> bool {
        self.get("ftl.mapping.name").is_none_or(|name| name == "page")
    }

    pub fn goes_together(&self) -> bool {
        let on = self.features();
        let forbidden = |(at, a): (usize, &Feature)| on[..at].iter().any(|b| self.rule.forbids(*a, *b));
        !on.iter().enumerate().any(forbidden)
    }

    /// Whether a feature goes together with all that is on, which has what it needs.
    pub fn allows(&self, feature: Feature) -> bool {
        let on = self.features();
        on.iter().all(|on| !self.rule.forbids(feature, *on))
            && NEEDS.iter().filter(|row| row.feature == feature).all(|row| on.contains(&row.needed))
    }

    /// What is set, each key once, names first: a name drops what was set for another.
    pub fn settings(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in &self.lines {
            let key = line.split_once('=').expect("a key and a value").0;
            lines.retain(|other| other.split_once('=').expect("as above").0 != key);
            lines.push(line.clone());
        }
        lines.sort_by_key(|line| !line.split('=').next().unwrap_or_default().ends_with(".name"));
        lines
    }
}

/// One of these, each as likely.
pub fn choose<T: Copy>(random: &mut RandomStream, options: &[T]) -> T {
    options[random.below(options.len() as u64) as usize]
}
