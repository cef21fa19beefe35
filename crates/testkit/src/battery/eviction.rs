//! Eviction policies: only kept slots are chosen, some whenever there is one, each once until nothing is left, the
//! same again from the same history, and by the rule of the name where a plain walk can tell.

use engine::RandomStream;
use ftl::buffer::eviction::{Access, EvictionPolicy, EvictionView, Maker};
use ftl::buffer::{Slot, SlotState};
use units::Lpn;

const SLOTS: u32 = 48;
const BLOCK_UNITS: u32 = 8;

/// Simulated write buffer for the randomised test that every eviction policy must pass.
struct Shelf {
    slots: Vec<Slot>,
    /// List with, for each slot (entry for one mapping unit) of the simulated write buffer in the test of eviction
    /// policies, the time at which its unit entered the buffer, counted in accesses, not ns.
    came: Vec<u64>,
    /// List with, for each slot (entry for one mapping unit) of the simulated write buffer in the test of eviction
    /// policies, the time of the last access to its unit, counted in accesses, not ns.
    used: Vec<u64>,
    clock: u64,
    kept: u32,
    policy: Box<dyn EvictionPolicy>,
}

impl Shelf {
    fn new(maker: &Maker) -> Self {
        let mut policy = maker();
        policy.attach(SLOTS, BLOCK_UNITS);
        let count = SLOTS as usize;
        let slots = vec![Slot::of(Lpn::NONE, SlotState::Free); count];
        Self { slots, came: vec![0; count], used: vec![0; count], clock: 0, kept: 0, policy }
    }

    fn kept(&self) -> Vec<u32> {
        let is_kept =
            |slot: &u32| matches!(self.slots[*slot as usize].state, SlotState::Held | SlotState::Clean);
        (0..SLOTS).filter(is_kept).collect()
    }

    fn keep(&mut self, slot: u32, lpn: Lpn, dirty: bool) {
        self.clock += 1;
        let state = if dirty { SlotState::Held } else { SlotState::Clean };
        self.slots[slot as usize] = Slot::of(lpn, state);
        (self.came[slot as usize], self.used[slot as usize]) = (self.clock, self.clock);
        self.kept += 1;
        self.policy.on_keep(slot, lpn, state);
    }

    fn use_again(&mut self, slot: u32, write: bool) {
        self.clock += 1;
        self.used[slot as usize] = self.clock;
        let is_dirty = self.slots[slot as usize].state == SlotState::Held;
        let access = if write && is_dirty { Access::Write } else { Access::Read };
        self.policy.on_use(slot, self.slots[slot as usize].lpn, access);
    }

    fn leave(&mut self, slot: u32) {
        let lpn = self.slots[slot as usize].lpn;
        self.slots[slot as usize].state = SlotState::Free;
        self.kept -= 1;
        self.policy.on_leave(slot, lpn);
    }

    fn choose(&mut self, context: &str) -> Option<u32> {
        let view = EvictionView { slots: &self.slots, kept: self.kept, keep: SLOTS };
        let chosen = self.policy.choose(&view);
        match chosen {
            Some(slot) => assert!(view.is_kept(slot), "{context}: chose slot {slot}, which is not kept"),
            None => assert_eq!(self.kept, 0, "{context}: chose none of {} kept units", self.kept),
        }
        chosen
    }

    /// Checks the slot (buffer entry for one unit) that the policy chose to evict against the rule of the policies
    /// whose name fixes the choice: `fifo` and `lru`.
    fn check_rule(&self, context: &str, chosen: u32) {
        let oldest = |of: &[u64]| self.kept().into_iter().min_by_key(|slot| of[*slot as usize]);
        match context.split(' ').next() {
            Some("name=fifo") => assert_eq!(Some(chosen), oldest(&self.came), "{context}"),
            Some("name=lru") => assert_eq!(Some(chosen), oldest(&self.used), "{context}"),
            _ => {}
        }
    }
}

/// Tests an eviction policy in `events` random insertions, accesses, removals and evictions of a simulated write
/// buffer.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let first = history(context, maker, events);
    assert!(!first.is_empty(), "{context}: nothing was ever chosen");
    assert!(first == history(context, maker, events), "{context}: the same history gave other choices");
    drain(context, maker);
}

/// Simulates `events` random events of a write buffer and returns the slots (entries for one unit) that the policy
/// chose to evict. There are only 400 logical units, partly in sequence, so that units and blocks recur.
fn history(context: &str, maker: &Maker, events: u64) -> Vec<u32> {
    let mut shelf = Shelf::new(maker);
    let mut random = RandomStream::new(11, "battery.eviction");
    let mut chosen = Vec::new();
    let mut next = 0;
    assert_eq!(shelf.choose(context), None, "{context}: chose from nothing");
    for _ in 0..events {
        let kept = shelf.kept();
        let free = (0..SLOTS).find(|slot| shelf.slots[*slot as usize].state == SlotState::Free);
        match random.below(6) {
            0..=2 => {
                next = if random.chance(0.7) { next + 1 } else { random.below(400) as u32 };
                let lpn = Lpn(next % 400);
                let there = kept.iter().find(|slot| shelf.slots[**slot as usize].lpn == lpn);
                match (there, free) {
                    (Some(&slot), _) => shelf.use_again(slot, random.chance(0.5)),
                    (None, Some(slot)) => shelf.keep(slot, lpn, random.chance(0.6)),
                    (None, None) => {}
                }
            }
            3 if !kept.is_empty() => {
                shelf.use_again(kept[random.below(kept.len() as u64) as usize], random.chance(0.5));
            }
            // Trimmed, or flushed.
            4 if !kept.is_empty() && random.chance(0.3) => {
                shelf.leave(kept[random.below(kept.len() as u64) as usize]);
            }
            _ if kept.len() as u32 > SLOTS / 2 || shelf.policy.is_overdue() => {
                let Some(slot) = shelf.choose(context) else { continue };
                shelf.check_rule(context, slot);
                shelf.leave(slot);
                chosen.push(slot);
            }
            _ => {}
        }
    }
    chosen
}

/// Checks that an eviction policy that is asked until the buffer is empty chooses each slot (entry for one unit)
/// exactly once, and that the policy wants no further eviction of the rest of a block afterwards (`is_overdue`).
fn drain(context: &str, maker: &Maker) {
    let mut shelf = Shelf::new(maker);
    for slot in 0..SLOTS {
        shelf.keep(slot, Lpn(slot * 37), slot % 3 == 0);
    }
    let mut chosen = Vec::new();
    while let Some(slot) = shelf.choose(context) {
        shelf.leave(slot);
        chosen.push(slot);
    }
    chosen.sort_unstable();
    assert_eq!(chosen, (0..SLOTS).collect::<Vec<_>>(), "{context}: not every kept unit was chosen once");
    assert!(!shelf.policy.is_overdue(), "{context}: something is overdue in an empty buffer");
}
