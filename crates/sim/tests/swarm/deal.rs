//! What a seed is dealt. Features stand in a frozen list; each draws from a stream of its own, named after it, so that a
//! new feature or policy re-deals nothing that was dealt before.

use crate::features::FEATURES;
use engine::RandomStream;
use std::collections::BTreeSet;

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
}

impl Deal {
    pub fn new(seed: u64) -> Self {
        let mut deal =
            Self { seed, lines: Vec::new(), on: BTreeSet::new(), bits: 1, base: None, scale_ns: 0 };
        for (name, chance, draw) in FEATURES {
            let mut random = RandomStream::new(seed, &format!("swarm.{name}"));
            // The chance is drawn first, whatever else is on: what a feature forbids changes no other.
            let wanted = random.chance(*chance);
            if wanted && draw(&mut deal, &mut random) {
                deal.on.insert(name);
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

    pub fn maps_pages(&self) -> bool {
        self.get("ftl.mapping.name").is_none_or(|name| name == "page")
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
