//! Wear policies: every free superblock gets its turn, only candidates are relocated, relocation comes to an
//! end, and where data is relocated the superblocks under cold data wear, too.

use engine::RandomStream;
use ftl::Blocks;
use ftl::wear::{Maker, Observed, WearPolicy, WearView};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::{Nanos, SuperblockId};

const SUPERBLOCKS: u32 = 48;
const UNITS: u32 = 16;
/// Constant: number of superblocks with cold data, which the host never writes again, on the die of the wear levelling
/// test.
const COLD: usize = 16;
/// Constant: number of superblocks of the die that are free between two garbage collections in the wear levelling test;
/// all other superblocks are closed.
const FREE: usize = 6;

struct WornDie<'a> {
    context: &'a str,
    policy: Box<dyn WearPolicy>,
    policy_draws: RandomStream,
    free: BinaryHeap<Reverse<(u64, u32)>>,
    /// Field: list with, for each superblock, the value of the die's erase counter (erases of all superblocks so far)
    /// when the superblock last became free.
    freed_at: Vec<u64>,
    candidates: Vec<SuperblockId>,
    valid: Vec<u32>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
    streams: Vec<u8>,
    clock: u64,
    erases: u64,
    relocated: Vec<SuperblockId>,
    longest_free: u64,
}

impl<'a> WornDie<'a> {
    fn new(context: &'a str, maker: &Maker, seed: u64) -> Self {
        let count = SUPERBLOCKS as usize;
        let mut die = Self {
            context,
            policy: maker(),
            policy_draws: RandomStream::new(seed, "battery.policy"),
            free: BinaryHeap::new(),
            freed_at: vec![0; count],
            candidates: Vec::new(),
            valid: vec![0; count],
            pe_cycles: vec![0; count],
            closed_at: vec![0; count],
            streams: (0..count).map(|at| (at % 3) as u8).collect(),
            clock: 0,
            erases: 0,
            relocated: Vec::new(),
            longest_free: 0,
        };
        (0..SUPERBLOCKS).for_each(|superblock| die.push_free(superblock));
        while die.free.len() > FREE {
            let valid = if die.candidates.len() < COLD { UNITS } else { UNITS / 2 };
            die.write_one(valid);
        }
        die
    }

    fn push_free(&mut self, superblock: u32) {
        let rank =
            self.policy.free_rank(SuperblockId(superblock), self.pe_cycles[superblock as usize], self.erases);
        self.freed_at[superblock as usize] = self.erases;
        self.free.push(Reverse((rank, superblock)));
    }

    /// Takes the free superblock to which the wear policy gave the lowest rank (the first to be opened), and closes it
    /// with `valid` valid units, as if it had been written.
    fn write_one(&mut self, valid: u32) {
        let Reverse((_, superblock)) = self.free.pop().expect("something is free");
        let waited = self.erases - self.freed_at[superblock as usize];
        self.longest_free = self.longest_free.max(waited);
        self.clock += u64::from(UNITS);
        self.closed_at[superblock as usize] = self.clock;
        self.valid[superblock as usize] = valid;
        self.candidates.push(SuperblockId(superblock));
    }

    fn erase(&mut self, superblock: SuperblockId) {
        let at = self.candidates.iter().position(|candidate| *candidate == superblock).expect("a candidate");
        self.candidates.swap_remove(at);
        self.valid[superblock.index()] = 0;
        self.pe_cycles[superblock.index()] += 1;
        self.erases += 1;
        let cycles = self.pe_cycles[superblock.index()];
        // Times in steps, as a part's: each superblock has a strength of its own.
        let worn = cycles * (8 + superblock.0 % 5) / 10;
        self.policy.on_erase(&Observed {
            superblock,
            pe_cycles: cycles,
            erase: Nanos::new(u64::from(1000 + worn / 50)),
            program: Nanos::new(u64::from(9000 - (worn / 70).min(8000))),
        });
        self.push_free(superblock.0);
    }

    fn relocate(&mut self, erased: SuperblockId, offered: bool) -> Option<SuperblockId> {
        let candidates: &[SuperblockId] = if offered { &self.candidates } else { &[] };
        let mut view = WearView {
            erased,
            candidates,
            blocks: Blocks {
                valid_units: &self.valid,
                pe_cycles: &self.pe_cycles,
                closed_at: &self.closed_at,
                streams: &self.streams,
            },
            clock: self.clock,
            erases: self.erases,
            random: &mut self.policy_draws,
        };
        let picked = self.policy.relocate(&mut view);
        if let Some(picked) = picked {
            assert!(candidates.contains(&picked), "{}: {picked} is no candidate", self.context);
        }
        picked
    }

    /// Simulates the reclaim (relocation of valid data and erase) of `victim`, then of each superblock that the wear
    /// policy relocates because of it; valid data go to newly opened superblocks.
    fn reclaim(&mut self, victim: SuperblockId, valid: u32) {
        self.erase(victim);
        self.write_one(valid);
        let mut erased = victim;
        let mut moved = 0;
        while let Some(cold) = self.relocate(erased, true) {
            let valid = self.valid[cold.index()];
            self.relocated.push(cold);
            self.erase(cold);
            self.write_one(valid);
            erased = cold;
            moved += 1;
            assert!(moved <= SUPERBLOCKS, "{}: one erase made relocation run on and on", self.context);
        }
    }

    /// Simulates one garbage collection of a random superblock without cold data; some superblocks are drawn more
    /// often, so that wear would grow uneven without wear levelling.
    fn collect(&mut self, random: &mut RandomStream) {
        let hot: Vec<SuperblockId> =
            self.candidates.iter().copied().filter(|id| self.valid[id.index()] < UNITS).collect();
        let space = if random.chance(0.5) { (hot.len() as u64 / 4).max(1) } else { hot.len() as u64 };
        let victim = hot[random.below(space) as usize];
        self.reclaim(victim, UNITS / 2);
    }
}

/// Tests a wear levelling policy in `erases` garbage collections of a simulated die, of whose superblocks one third
/// holds cold data.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, erases: u64) {
    let run = |seed| {
        let mut die = WornDie::new(context, maker, seed);
        assert_eq!(
            die.relocate(SuperblockId(0), false),
            None,
            "{context}: relocates where nothing is closed"
        );
        let mut random = RandomStream::new(seed, "battery.wear");
        for _ in 0..erases {
            die.collect(&mut random);
        }
        die
    };
    let (die, again) = (run(3), run(3));
    assert!(die.relocated == again.relocated, "{context}: the same seed relocated other superblocks");
    assert!(die.pe_cycles == again.pe_cycles, "{context}: the same seed wore other superblocks");
    if die.policy.spreads() {
        every_superblock_is_used(&die, erases);
    } else {
        the_most_worn_are_worn_on(&die);
    }
    assert!(
        (0.0..=0.9).contains(&die.policy.held_back()),
        "{context}: holds back more than 0 to 0.9 of what is free"
    );
    if die.relocated.len() >= 2 * COLD {
        // Often enough to have moved what was cold at first off every superblock.
        let least = die.pe_cycles.iter().min().expect("superblocks");
        assert!(*least > 0, "{context}: relocates, and leaves superblocks unused: {:?}", die.pe_cycles);
    }
}

/// Checks that under a policy that spreads wear over all superblocks no superblock stays free for more erases than a
/// tenth of the test's erases, and that as many superblocks as hold no cold data have been erased often.
fn every_superblock_is_used(die: &WornDie, erases: u64) {
    let waiting = die.free.iter().map(|Reverse((_, id))| die.erases - die.freed_at[*id as usize]).max();
    let longest = die.longest_free.max(waiting.unwrap_or(0));
    let bound = erases / 10;
    assert!(longest <= bound, "{}: a superblock stayed free for {longest} erases", die.context);
    // In use but for the cold third: that many cycles each, give or take a factor for the skew.
    let hot = u64::from(SUPERBLOCKS) - COLD as u64;
    let worn = die.pe_cycles.iter().filter(|cycles| u64::from(**cycles) * hot * 10 > erases).count() as u64;
    assert!(worn >= hot, "{}: only {worn} superblocks are in use: {:?}", die.context, die.pe_cycles);
}

/// Checks that under a policy that does not spread wear (it wears out a few superblocks first) at least half of the
/// free superblocks have less than a tenth of the P/E cycles of the most worn superblock.
fn the_most_worn_are_worn_on(die: &WornDie) {
    let most = die.pe_cycles.iter().max().expect("superblocks");
    let free: Vec<u32> = die.free.iter().map(|Reverse((_, id))| die.pe_cycles[*id as usize]).collect();
    let fresh = free.iter().filter(|cycles| **cycles * 10 < *most).count();
    assert!(fresh * 2 >= free.len(), "{}: spreads wear although it says it does not: {free:?}", die.context);
}
