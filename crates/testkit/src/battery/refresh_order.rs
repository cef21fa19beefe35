//! Orders of refreshes: one of the waiting refreshes, the same again for the same history, and the first where the order says so.

use engine::RandomStream;
use ftl::Blocks;
use ftl::refresh_order::{Maker, RefreshView};
use units::SuperblockId;

const SUPERBLOCKS: u64 = 60;

/// Simulated die for the randomised test of refresh orders: superblocks become due for refresh (relocation of data
/// before retention or read disturb spoils them), and the policy chooses which is refreshed first.
struct DueDie {
    candidates: Vec<SuperblockId>,
    due_since_ns: Vec<u64>,
    valid: Vec<u32>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
    streams: Vec<u8>,
    now_ns: u64,
}

impl DueDie {
    fn new(random: &mut RandomStream) -> Self {
        let mut draw = |below| (0..SUPERBLOCKS).map(|_| random.below(below)).collect::<Vec<u64>>();
        let narrow = |numbers: Vec<u64>| numbers.into_iter().map(|number| number as u32).collect();
        Self {
            candidates: Vec::new(),
            due_since_ns: Vec::new(),
            valid: narrow(draw(20)),
            pe_cycles: narrow(draw(6)),
            closed_at: draw(10_000),
            streams: (0..SUPERBLOCKS).map(|at| (at % 3) as u8).collect(),
            now_ns: 1 << 40,
        }
    }

    /// Advances time by a random step and makes another random superblock due for refresh, unless it is due already.
    fn wait(&mut self, random: &mut RandomStream) {
        self.now_ns += 1 + random.below(1 << 30);
        let next = SuperblockId(random.below(SUPERBLOCKS) as u32);
        if !self.candidates.contains(&next) {
            self.candidates.push(next);
            self.due_since_ns.push(self.now_ns - random.below(1 << 20));
        }
    }

    /// Removes the refresh candidate with index `at`, as if its superblock was refreshed: the superblock gets other
    /// data and one more erase.
    fn remove(&mut self, at: usize, random: &mut RandomStream) {
        let gone = self.candidates.remove(at).index();
        self.due_since_ns.remove(at);
        self.pe_cycles[gone] += 1;
        self.valid[gone] = random.below(20) as u32;
        self.closed_at[gone] = self.now_ns;
    }
}

/// Simulates `events` random events of a die (superblocks become due for refresh, refreshes) and returns the
/// superblocks that the policy chose to refresh, in order.
fn history(context: &str, maker: &Maker, events: u64, seed: u64) -> Vec<SuperblockId> {
    let mut policy = maker();
    let (mut random, mut draws) =
        (RandomStream::new(seed, "battery.refresh_order"), RandomStream::new(seed, "battery.policy"));
    let mut die = DueDie::new(&mut random);
    let mut chosen = Vec::new();
    for _ in 0..events {
        // Now few wait and now many.
        if die.candidates.is_empty() || random.chance(0.5) {
            die.wait(&mut random);
            continue;
        }
        let next = policy.next(&mut RefreshView {
            candidates: &die.candidates,
            due_since_ns: &die.due_since_ns,
            blocks: Blocks {
                valid_units: &die.valid,
                pe_cycles: &die.pe_cycles,
                closed_at: &die.closed_at,
                streams: &die.streams,
            },
            clock: die.now_ns,
            now_ns: die.now_ns,
            random: &mut draws,
        });
        let at = die.candidates.iter().position(|candidate| *candidate == next);
        let at = at.unwrap_or_else(|| panic!("{context}: {next} is no candidate"));
        assert!(!policy.is_first_due() || at == 0, "{context}: says the first is next, and chose another");
        chosen.push(next);
        die.remove(at, &mut random);
    }
    chosen
}

/// Tests a policy for the order of refreshes, with `events` random moments of a die at which superblocks become due for
/// refresh or are refreshed.
///
/// # Panics
/// When the order breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (first, again) = (history(context, maker, events, 5), history(context, maker, events, 5));
    assert!(first == again, "{context}: the same seed chose other superblocks");
}
