//! Victim policies: only candidates are picked, some candidate whenever there is one, the same again from the
//! same seed, the same with superblocks numbered otherwise, and by the rule of the name where a plain walk over the candidates can tell.

use super::Ties;
use engine::RandomStream;
use ftl::Blocks;
use ftl::gc::victim::{Maker, VictimPolicy, VictimView};
use units::SuperblockId;

/// Simulated die for the randomised test of garbage collection victim policies, with the state of each superblock.
struct CollectedDie {
    units: u32,
    candidates: Vec<SuperblockId>,
    valid: Vec<u32>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
    streams: Vec<u8>,
    clock: u64,
    policy: Box<dyn VictimPolicy>,
    policy_draws: RandomStream,
}

impl CollectedDie {
    fn new(maker: &Maker, superblocks: u32, units: u32, seed: u64) -> Self {
        let mut policy = maker();
        policy.attach(superblocks, units);
        Self {
            units,
            candidates: Vec::new(),
            valid: vec![0; superblocks as usize],
            pe_cycles: vec![0; superblocks as usize],
            closed_at: vec![0; superblocks as usize],
            streams: vec![0; superblocks as usize],
            clock: 0,
            policy,
            policy_draws: RandomStream::new(seed, "battery.policy"),
        }
    }

    fn pick(&mut self) -> Option<SuperblockId> {
        let mut view = VictimView {
            candidates: &self.candidates,
            blocks: Blocks {
                valid_units: &self.valid,
                pe_cycles: &self.pe_cycles,
                closed_at: &self.closed_at,
                streams: &self.streams,
            },
            clock: self.clock,
            units_per_superblock: self.units,
            random: &mut self.policy_draws,
        };
        self.policy.pick(&mut view)
    }

    fn close(&mut self, superblock: u32, valid: u32) {
        // Writing a superblock moves the clock on, so that no two are closed at once.
        self.clock += u64::from(self.units);
        self.valid[superblock as usize] = valid;
        self.closed_at[superblock as usize] = self.clock;
        // Not by its number, so that other numbers change nothing.
        self.streams[superblock as usize] = (self.clock / u64::from(self.units) % 3) as u8;
        self.candidates.push(SuperblockId(superblock));
        self.policy.on_stream(SuperblockId(superblock), usize::from(self.streams[superblock as usize]));
        self.policy.on_close(SuperblockId(superblock), valid);
    }

    fn invalidate(&mut self, superblock: SuperblockId) {
        let valid = &mut self.valid[superblock.index()];
        if *valid > 0 {
            *valid -= 1;
            self.policy.on_invalidate(superblock, *valid);
        }
    }

    fn reclaim(&mut self, superblock: SuperblockId) {
        let at = self.candidates.iter().position(|candidate| *candidate == superblock).expect("a candidate");
        self.candidates.swap_remove(at);
        self.policy.on_reclaim(superblock);
        self.pe_cycles[superblock.index()] += 1;
    }

    /// Checks the chosen victim against the rule of the policies whose name fixes the choice: `greedy` and `fifo`.
    fn check_rule(&self, context: &str, picked: SuperblockId) {
        let least = |of: &dyn Fn(SuperblockId) -> u64| self.candidates.iter().map(|id| of(*id)).min();
        let age = |id: SuperblockId| self.closed_at[id.index()];
        let valid = |id: SuperblockId| u64::from(self.valid[id.index()]);
        match context.split(' ').next() {
            Some("name=greedy") => assert_eq!(Some(valid(picked)), least(&valid), "{context}"),
            Some("name=fifo") => assert_eq!(Some(age(picked)), least(&age), "{context}"),
            _ => {}
        }
    }
}

/// Tests a garbage collection victim policy with `events` random events (a superblock closes, a unit becomes invalid, a
/// victim is reclaimed) on each of several simulated dies. `ties` says whether the description (card) of the policy
/// allows that superblock numbers decide between equals.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64, ties: Ties) {
    for (superblocks, units) in [(1, 1), (2, 3), (17, 5), (64, 64)] {
        let labels: Vec<u32> = (0..superblocks).collect();
        let first = history(context, maker, labels.clone(), units, events, 7);
        let again = history(context, maker, labels.clone(), units, events, 7);
        assert!(first == again, "{context}: the same seed gave other picks");
        assert!(!first.is_empty(), "{context}: nothing was ever picked");
        if ties == Ties::Open {
            // The same history of the same superblocks, numbered the other way round.
            let mirrored = history(context, maker, labels.into_iter().rev().collect(), units, events, 7);
            let back = mirrored.iter().map(|picked| SuperblockId(superblocks - 1 - picked.0));
            assert!(first.iter().copied().eq(back), "{context}: other numbers gave other picks");
        }
    }
    drain(context, maker);
    every_garbage_is_found(context, maker);
}

/// Simulates `events` random events of a die and returns the victims that the policy chose. `free` are the superblocks
/// of the die, all free at first; another order gives the same history with other superblock numbers.
fn history(
    context: &str,
    maker: &Maker,
    mut free: Vec<u32>,
    units: u32,
    events: u64,
    seed: u64,
) -> Vec<SuperblockId> {
    let mut die = CollectedDie::new(maker, free.len() as u32, units, seed);
    let mut random = RandomStream::new(seed, "battery.history");
    let mut picks = Vec::new();
    assert_eq!(die.pick(), None, "{context}: picked from nothing");
    // Long stretches in which many or few superblocks are closed, so that both ends are met.
    let mut closing = 0.5;
    for event in 0..events {
        if event % 1024 == 0 {
            closing = random.unit();
        }
        let drawn = random.below(8);
        if drawn == 0 && !free.is_empty() && random.chance(closing) {
            let superblock = free.swap_remove(random.below(free.len() as u64) as usize);
            die.close(superblock, random.below(u64::from(units) + 1) as u32);
        } else if drawn == 1 && !random.chance(closing) {
            // Reclaimed by wear levelling, or failed, without having been picked.
            if random.chance(0.1) && !die.candidates.is_empty() {
                let other = die.candidates[random.below(die.candidates.len() as u64) as usize];
                die.reclaim(other);
                free.push(other.0);
            }
            let picked = die.pick();
            let Some(picked) = picked else {
                assert!(die.candidates.is_empty(), "{context}: picks nothing of {:?}", die.candidates);
                continue;
            };
            assert!(die.candidates.contains(&picked), "{context}: {picked} is no candidate");
            die.check_rule(context, picked);
            picks.push(picked);
            // A collection may find no room for what was picked and ask again later.
            if random.chance(0.9) {
                die.reclaim(picked);
                free.push(picked.0);
            }
        } else if !die.candidates.is_empty() {
            die.invalidate(die.candidates[random.below(die.candidates.len() as u64) as usize]);
        }
    }
    picks
}

/// Checks that a victim policy that is asked until no candidate superblock is left chooses each candidate exactly once.
fn drain(context: &str, maker: &Maker) {
    let mut die = CollectedDie::new(maker, 40, 8, 3);
    for superblock in 0..40 {
        die.close(superblock, superblock % 9);
    }
    let mut picks: Vec<u32> = Vec::new();
    while let Some(picked) = die.pick() {
        assert!(die.candidates.contains(&picked), "{context}: {picked} is no candidate");
        die.reclaim(picked);
        picks.push(picked.0);
    }
    picks.sort_unstable();
    assert_eq!(picks, (0..40).collect::<Vec<_>>(), "{context}: not every candidate was picked once");
}

/// Checks that a victim policy soon chooses the only superblock that holds garbage (invalid units), while each other
/// victim is closed again at once, full of valid data.
fn every_garbage_is_found(context: &str, maker: &Maker) {
    const SUPERBLOCKS: u32 = 12;
    let mut die = CollectedDie::new(maker, SUPERBLOCKS, 8, 5);
    for superblock in 0..SUPERBLOCKS {
        die.close(superblock, 8);
    }
    (0..8).for_each(|_| die.invalidate(SuperblockId(4)));
    // A uniform draw misses one of twelve this often with a probability below 1e-15.
    for _ in 0..400 {
        let picked = die.pick().expect("there are candidates");
        if picked.0 == 4 {
            return;
        }
        die.reclaim(picked);
        die.close(picked.0, 8);
    }
    panic!("{context}: the only superblock with garbage was never picked");
}
