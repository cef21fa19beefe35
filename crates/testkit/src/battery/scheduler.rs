//! Schedulers: only ready classes, the same again from the same history, and no class waits for ever unless
//! the policy's card says so.

use super::Starvation;
use controller::scheduler::{DieView, Maker, Scheduler};
use controller::{Class, Kind};
use engine::RandomStream;
use std::collections::VecDeque;
use units::{Nanos, SimTime};

/// Simulated queues of a die for the randomised test of schedulers: for each class of flash operations (host reads,
/// internal reads, programs, ..., erases), the time at which each operation was queued, and its serial number over all
/// classes.
struct QueuedDie {
    queues: [VecDeque<(SimTime, u64)>; Class::COUNT],
    now: SimTime,
    submitted: u64,
    policy: Box<dyn Scheduler>,
}

impl QueuedDie {
    fn new(maker: &Maker) -> Self {
        Self { queues: Default::default(), now: SimTime::ZERO, submitted: 0, policy: maker() }
    }

    fn submit(&mut self, class: Class) {
        self.queues[class as usize].push_back((self.now, self.submitted));
        self.submitted += 1;
    }

    /// Asks the scheduler to choose among the classes with a queued operation that `may_start` (a bit mask of classes)
    /// allows, checks the choice, and removes the oldest operation of that class. Returns `None` if there is no such
    /// class.
    fn pick(&mut self, context: &str, may_start: u8, urgent: bool) -> Option<Class> {
        let waiting = |class: &Class| !self.queues[*class as usize].is_empty();
        let ready = Class::ALL.iter().filter(|class| waiting(class)).map(|class| class.bit()).sum::<u8>();
        let ready = ready & may_start;
        if ready == 0 {
            return None;
        }
        let first = |class: Class| self.queues[class as usize].front().copied().unwrap_or_default();
        let view = DieView {
            ready,
            queued: Class::ALL.map(|class| first(class).0),
            submitted: Class::ALL.map(|class| first(class).1),
            urgent,
            now: self.now,
        };
        let picked = self.policy.pick(&view);
        assert!(
            ready & picked.bit() != 0,
            "{context}: {picked:?} is not among the ready classes {ready:05b}"
        );
        if context.split(' ').next() == Some("name=fcfs") {
            assert_eq!(Some(picked), view.oldest(u8::MAX), "{context}");
        }
        self.queues[picked as usize].pop_front();
        Some(picked)
    }
}

/// Tests a die's scheduler in `events` random steps; `starvation` says whether the description (card) of the policy
/// allows that an operation waits for ever.
///
/// # Panics
/// When the scheduler breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64, starvation: Starvation) {
    let first = history(context, maker, events, 3);
    assert!(first == history(context, maker, events, 3), "{context}: not the same picks again");
    suspension(context, maker);
    if starvation == Starvation::Forbidden {
        Class::ALL.into_iter().for_each(|flood| nobody_starves(context, maker, flood));
    }
}

fn history(context: &str, maker: &Maker, events: u64, seed: u64) -> Vec<Class> {
    let mut die = QueuedDie::new(maker);
    let mut random = RandomStream::new(seed, "battery.scheduler");
    let mut picks = Vec::new();
    for event in 0..events {
        die.now += Nanos::new(random.below(200_000));
        // Every so often the queues run empty.
        let load = if event / 512 % 4 == 0 { 0.2 } else { 0.55 };
        if random.chance(load) {
            die.submit(Class::ALL[random.below(Class::COUNT as u64) as usize]);
        } else {
            let (may_start, urgent) = (random.bits() as u8, random.chance(0.1));
            picks.extend(die.pick(context, may_start, urgent));
        }
    }
    assert!(picks.len() as u64 > events / 20, "{context}: only {} of {events} events picked", picks.len());
    // All that is left can be served to the end.
    let left: usize = die.queues.iter().map(VecDeque::len).sum();
    for _ in 0..left {
        picks.extend(die.pick(context, u8::MAX, false));
    }
    assert!(die.queues.iter().all(VecDeque::is_empty), "{context}: something is left");
    picks
}

/// Checks that one operation of each class (queue of a die: host reads, programs, erases, ...) is served within 100,000
/// choices of the scheduler, although operations of class `flood` arrive all the time.
fn nobody_starves(context: &str, maker: &Maker, flood: Class) {
    // Ten seconds of operations of 100 us, far beyond any sensible timeout.
    const PICKS: usize = 100_000;
    let mut die = QueuedDie::new(maker);
    Class::ALL.into_iter().for_each(|class| die.submit(class));
    for _ in 0..PICKS {
        die.submit(flood);
        die.now += Nanos::new(100_000);
        die.pick(context, u8::MAX, false);
    }
    for class in Class::ALL.into_iter().filter(|class| *class != flood) {
        assert!(die.queues[class as usize].is_empty(), "{context}: {class:?} starves behind {flood:?}");
    }
}

/// Checks that a scheduler never suspends reads and copybacks, and suspends no program or erase without end, because
/// each suspension costs time.
fn suspension(context: &str, maker: &Maker) {
    let policy = maker();
    let remaining = Nanos::new(1_000_000);
    for kind in [Kind::Read, Kind::Copyback] {
        assert!(!policy.suspends(kind, remaining, 0), "{context}: suspends a {kind:?}");
    }
    for kind in [Kind::Program, Kind::Erase] {
        assert!(!policy.suspends(kind, remaining, u32::MAX), "{context}: suspends one {kind:?} without end");
    }
}
