//! The wear policies against their rules, worked out by looking at every superblock.

use config::{Document, Section};
use engine::RandomStream;
use ftl::Blocks;
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

/// Record of a die in a test of wear levelling policies: candidates, program/erase cycles and closing times.
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
            blocks: Blocks {
                valid_units: &vec![1; self.pe_cycles.len()],
                pe_cycles: &self.pe_cycles,
                closed_at: &self.closed_at,
                streams: &vec![0; self.pe_cycles.len()],
            },
            clock: 1_000_000,
            erases,
            random: &mut RandomStream::new(1, "wear"),
        })
    }

    /// Makes a random die for a test: program/erase cycles below `spread`, closing times with many equals, and about
    /// half of all superblocks as candidates.
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

    /// Returns the superblock that static wear levelling with a threshold of 20 program/erase cycles must relocate: the
    /// least worn candidate; `None` if no superblock has over 20 cycles more, or without a candidate.
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
    assert!(policy.free_rank(SuperblockId(0), 900, 1) < policy.free_rank(SuperblockId(0), 3, 2));
}

#[test]
fn dynamic_and_static_use_first_what_is_worn_least() {
    for name in ["name=dynamic", "name=static"] {
        let policy = policy(&[name]).unwrap();
        assert!(
            policy.free_rank(SuperblockId(0), 900, 1) > policy.free_rank(SuperblockId(0), 3, 2),
            "{name}"
        );
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

/// State of a small simulated die without garbage collection: each step moves the data of a random superblock with hot
/// data, then the data that the policy chooses, to the free superblock of the lowest rank. Four are always free.
struct SmallDie {
    policy: Box<dyn WearPolicy>,
    is_cold: Vec<bool>,
    free: Vec<(u64, usize)>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
    erases: u64,
    random: RandomStream,
}

impl SmallDie {
    fn new(settings: &[&str], hot: usize, cold: usize) -> Self {
        let policy = policy(settings).unwrap();
        let count = hot + cold + 4;
        Self {
            is_cold: (0..count).map(|at| at < cold).collect(),
            free: (hot + cold..count)
                .map(|at| (policy.free_rank(SuperblockId(at as u32), 0, 0), at))
                .collect(),
            policy,
            pe_cycles: vec![0; count],
            closed_at: vec![0; count],
            erases: 0,
            random: RandomStream::new(5, "spread"),
        }
    }

    fn closed(&self) -> Vec<SuperblockId> {
        let closed = |at: &u32| !self.free.iter().any(|(_, other)| *other == *at as usize);
        (0..self.pe_cycles.len() as u32).filter(closed).map(SuperblockId).collect()
    }

    fn step(&mut self) {
        let mut hot = self.closed();
        hot.retain(|at| !self.is_cold[at.index()]);
        let mut next = Some(hot[self.random.below(hot.len() as u64) as usize]);
        while let Some(moved) = next {
            self.relocate(moved.index());
            let die = Die {
                candidates: self.closed(),
                pe_cycles: self.pe_cycles.clone(),
                closed_at: self.closed_at.clone(),
            };
            next = die.relocate(&mut *self.policy, self.erases);
        }
    }

    fn relocate(&mut self, from: usize) {
        let first = (0..self.free.len()).min_by_key(|at| self.free[*at]).expect("four are free");
        let (_, to) = self.free.swap_remove(first);
        self.is_cold[to] = std::mem::take(&mut self.is_cold[from]);
        self.erases += 1;
        self.closed_at[to] = self.erases;
        self.pe_cycles[from] += 1;
        self.free.push((
            self.policy.free_rank(SuperblockId(from as u32), self.pe_cycles[from], self.erases),
            from,
        ));
    }

    fn spread(&self) -> u32 {
        self.pe_cycles.iter().max().unwrap() - self.pe_cycles.iter().min().unwrap()
    }
}

/// Returns the greatest difference of program/erase cycles between superblocks of a small die, in the first half and in
/// the second half of a run; the die has `hot` superblocks with hot data and `cold` superblocks with cold data.
fn spreads(settings: &[&str], hot: usize, cold: usize) -> [u32; 2] {
    const HALF: usize = 20_000;
    let mut die = SmallDie::new(settings, hot, cold);
    [(); 2].map(|()| {
        let step = |_| {
            die.step();
            die.spread()
        };
        (0..HALF).map(step).max().unwrap_or(0)
    })
}

#[test]
fn without_relocation_the_spread_grows_with_the_run() {
    for name in ["name=none", "name=dynamic"] {
        let [first, second] = spreads(&[name], 40, 20);
        assert!(first > 300 && second > first * 3 / 2, "{name}: {first}, then {second}");
    }
}

/// Checks that static wear levelling bounds the difference of program/erase cycles however long the run is; the bound
/// depends on the period, too, because each check of the policy moves at most one superblock.
#[test]
fn static_levelling_bounds_the_spread_however_long_the_run() {
    for (hot, cold) in [(40, 20), (20, 40), (10, 50)] {
        for (period, threshold) in [(1, 20), (8, 20), (8, 100), (32, 20), (64, 20)] {
            let settings = ["name=static", &format!("period={period}"), &format!("threshold={threshold}")];
            let worst = spreads(&settings, hot, cold).into_iter().max().unwrap();
            let bound = threshold + 3 * (period - 1);
            assert!(worst <= bound, "{settings:?} with {hot} hot, {cold} cold: {worst} over {bound}");
            assert!(worst + period >= threshold, "{settings:?}: moves at {worst} already");
        }
    }
}
