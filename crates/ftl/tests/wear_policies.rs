//! The wear policies against their rules, worked out by looking at every superblock.

use config::{Document, Section};
use engine::RandomStream;
use ftl::wear::{self, WearPolicy, WearView};
use units::SuperblockId;

fn policy(settings: &[&str]) -> Result<Box<dyn WearPolicy>, String> {
    let mut document = Document::empty();
    for setting in settings {
        document.set(setting).map_err(|error| error.to_string())?;
    }
    let mut section = Section::root(&document);
    let maker = wear::read(&mut section).map_err(|error| error.to_string())?;
    section.finish().map_err(|error| error.to_string())?;
    Ok(maker())
}

/// A die of which only the candidates, the cycles and the closing times matter.
struct Die {
    candidates: Vec<SuperblockId>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
}

impl Die {
    fn relocate(&self, policy: &mut dyn WearPolicy, erases: u64) -> Option<SuperblockId> {
        policy.relocate(&mut WearView {
            erased: SuperblockId(0),
            candidates: &self.candidates,
            valid_units: &vec![1; self.pe_cycles.len()],
            pe_cycles: &self.pe_cycles,
            closed_at: &self.closed_at,
            clock: 1_000_000,
            erases,
            random: &mut RandomStream::new(1, "wear"),
        })
    }

    /// Random cycles below `spread`, closing times with many equals, and about half of all as candidates.
    fn random(random: &mut RandomStream, spread: u64) -> Self {
        let count = 1 + random.below(30) as usize;
        let mut candidates: Vec<SuperblockId> = (0..count as u32).map(SuperblockId).collect();
        candidates.retain(|_| random.chance(0.5));
        candidates.reverse();
        Self {
            candidates,
            pe_cycles: (0..count).map(|_| random.below(spread) as u32).collect(),
            closed_at: (0..count).map(|_| random.below(4)).collect(),
        }
    }

    /// The rule of static wear levelling with a threshold of 20 cycles.
    fn expected(&self) -> Option<SuperblockId> {
        let mut sorted = self.candidates.clone();
        sorted.sort_by_key(|at| (self.pe_cycles[at.index()], self.closed_at[at.index()], at.0));
        let least = *sorted.first()?;
        let worn = |cycles: &u32| *cycles > self.pe_cycles[least.index()] + 20;
        self.pe_cycles.iter().any(worn).then_some(least)
    }
}

#[test]
fn none_uses_first_what_was_freed_first() {
    let policy = policy(&["name=none"]).unwrap();
    assert!(policy.free_rank(900, 1) < policy.free_rank(3, 2));
}

#[test]
fn dynamic_and_static_use_first_what_is_worn_least() {
    for name in ["name=dynamic", "name=static"] {
        let policy = policy(&[name]).unwrap();
        assert!(policy.free_rank(900, 1) > policy.free_rank(3, 2), "{name}");
    }
}

#[test]
fn only_static_moves_data() {
    let die = Die { candidates: vec![SuperblockId(0)], pe_cycles: vec![0, 1000], closed_at: vec![0, 0] };
    for (name, moves) in [("name=none", false), ("name=dynamic", false), ("name=static", true)] {
        assert_eq!(die.relocate(&mut *policy(&[name]).unwrap(), 64).is_some(), moves, "{name}");
    }
}

#[test]
fn static_moves_the_least_worn_once_the_difference_passes_the_threshold() {
    let mut policy = policy(&["name=static", "period=5"]).unwrap();
    let mut random = RandomStream::new(11, "dies");
    let (mut moved, mut stayed) = (0, 0);
    for erases in 1..4000 {
        let die = Die::random(&mut random, 30);
        let expected = if erases % 5 == 0 { die.expected() } else { None };
        assert_eq!(die.relocate(&mut *policy, erases), expected, "erase {erases}");
        match expected {
            Some(_) => moved += 1,
            None => stayed += u32::from(erases % 5 == 0),
        }
    }
    assert!(moved > 100 && stayed > 100, "{moved} moved, {stayed} stayed");
}

#[test]
fn the_threshold_itself_moves_nothing() {
    let die =
        |most| Die { candidates: vec![SuperblockId(0)], pe_cycles: vec![10, most], closed_at: vec![0, 0] };
    let mut policy = policy(&["name=static", "threshold=7"]).unwrap();
    assert_eq!(die(17).relocate(&mut *policy, 64), None);
    assert_eq!(die(18).relocate(&mut *policy, 64), Some(SuperblockId(0)));
    assert_eq!(die(18).relocate(&mut *policy, 65), None);
}

#[test]
fn a_period_of_zero_is_refused() {
    let error = policy(&["name=static", "period=0"]).err().expect("it must be refused");
    assert!(error.contains("period"), "{error}");
}
