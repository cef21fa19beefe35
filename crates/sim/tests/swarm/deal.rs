//! What a seed is dealt. Features stand in a frozen list; each draws from a stream of its own, named after it, so that a
//! new feature or policy re-deals nothing that was dealt before. Which of them go together the table of the translation
//! layer says; what it said when seeds were first dealt is frozen as well.

use crate::features::{APART_THEN, FEATURES, OF_THE_TABLE};
use engine::RandomStream;
use ftl::compatibility::{Feature, NEEDS, between};
use std::collections::{BTreeSet, HashMap};

/// Kind of rule that decides which features can be on together in a drive dealt (drawn at random) from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Case of rule: the features could be on together when seeds were first dealt; frozen.
    Then,
    /// Case of rule: the present table of features (compatibility table) allows the features together.
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

/// Record of a drive and a run that a seed was dealt (drawn at random from the seed).
#[derive(Clone)]
pub struct Deal {
    pub seed: u64,
    /// List of the dealt settings as `key=value`; of equal keys the later one counts.
    pub lines: Vec<String>,
    /// Set of the names of the features that are on.
    pub on: BTreeSet<&'static str>,
    /// Number of bits per cell of the dealt drive.
    pub bits: u64,
    /// Name of the catalogue drive whose settings apply below the dealt ones; `None`: the dealt settings are the whole
    /// drive.
    pub base: Option<&'static str>,
    /// Time scale in ns of the dealt run: about the length of pauses and of the periods of upkeep.
    pub scale_ns: u64,
    pub rule: Rule,
}

impl Deal {
    /// Returns the drive and run that a seed was dealt by the frozen rule, from the beginning of the swarm test on.
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

    /// Returns the value that a key has so far in the dealt settings; `None` if it is not set.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn has(&self, feature: &str) -> bool {
        self.on.contains(feature)
    }

    /// Returns the features of the compatibility table that are on in the dealt settings.
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

    /// Returns true if a feature can be on together with all that are on, and all features that it needs are on.
    pub fn allows(&self, feature: Feature) -> bool {
        let on = self.features();
        on.iter().all(|on| !self.rule.forbids(feature, *on))
            && NEEDS.iter().filter(|row| row.feature == feature).all(|row| on.contains(&row.needed))
    }

    /// Returns the dealt settings with each key once (its last value), keys that end in `.name` first, since setting a
    /// name clears other settings of its section.
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

/// Returns one of the options at random, each with the same probability.
pub fn choose<T: Copy>(random: &mut RandomStream, options: &[T]) -> T {
    options[random.below(options.len() as u64) as usize]
}
