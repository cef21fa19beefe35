//! The event calendar: what happens next, ordered by (time, sequence).
//!
//! A drive has few events pending (about two per die): the nearest lie sorted in one small array, from whose end the next
//! is taken, and where most belong that come. What is later than all of them waits in a heap, and so does, in one of its own,
//! what only the clock brings. Keys are one 128-bit word: time, then sequence number, then the event itself.

use units::SimTime;

/// What a popped entry says: a kind and an index, both given by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which handler this is for; below 16.
    pub kind: u8,
    /// Which die, request or channel; below 2^24.
    pub index: u32,
}

/// The most events of one run.
pub const EVENTS_MAX: u64 = 1 << SEQUENCE_BITS;
/// Indices of events are below this: what numbers requests or operations does it by [`next_index`].
pub const INDEX_MAX: u32 = 1 << INDEX_BITS;

const INDEX_BITS: u32 = 24;
const KIND_BITS: u32 = 4;
const SEQUENCE_BITS: u32 = 64 - INDEX_BITS - KIND_BITS;

/// The index by which events name one more of `what`, when there are `count` already.
///
/// # Panics
/// When events could not tell it from another.
#[inline]
pub fn next_index(count: usize, what: &str) -> u32 {
    assert!(count < INDEX_MAX as usize, "more than {INDEX_MAX} {what} at once: events cannot number them");
    count as u32
}

/// Pending events. Equal times come out in the order they were put in.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    /// The next of what is under way, the latest of them first.
    near: Vec<u128>,
    /// What is under way and later than all of those.
    far: Heap,
    /// What waits for its time: few of many ever happen as they were set, and they would make the other heap deep.
    timers: Heap,
    sequence: u64,
    now: SimTime,
}

impl Calendar {
    /// An empty calendar at time zero.
    pub fn new() -> Self {
        let near = Vec::with_capacity(NEAR_MOST + 1);
        Self { near, far: Heap::default(), timers: Heap::default(), sequence: 0, now: SimTime::ZERO }
    }

    /// The time of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.near.len() + self.far.keys.len() + self.timers.keys.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.timers.keys.is_empty()
    }

    /// The time of the next event.
    #[inline]
    pub fn next_time(&self) -> Option<SimTime> {
        let first = self.first_near().min(self.timers.first());
        (first != NEVER).then(|| SimTime::from_ns((first >> 64) as u64))
    }

    /// True while more is pending at the very time of the event taken last.
    #[inline]
    pub fn is_more_now(&self) -> bool {
        (self.first_near().min(self.timers.first()) >> 64) as u64 == self.now.ns()
    }

    /// How many events were scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }

    /// Puts an event at `time`, which must not lie in the past.
    ///
    /// # Panics
    /// When `time` is before the current time, or an index or the sequence overflows: broken invariants.
    // In one place: what calls it is the innermost code of a run, which just fits the first-level cache.
    #[inline(never)]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        let key = self.key(time, event);
        if key > self.far.first() {
            return self.far.push(key);
        }
        let at = self.near.partition_point(|other| *other > key);
        self.near.insert(at, key);
        if self.near.len() > NEAR_MOST {
            self.send_off();
        }
    }

    /// The same for what only the clock brings: it happens at the same moment and in the same order as by
    /// [`Self::schedule`], and costs what is under way nothing while it waits.
    ///
    /// # Panics
    /// As [`Self::schedule`].
    #[inline(never)]
    pub fn schedule_timer(&mut self, time: SimTime, event: Event) {
        let key = self.key(time, event);
        self.timers.push(key);
    }

    /// Takes the next event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        let key = if self.timers.first() < self.first_near() { self.timers.pop() } else { self.near.pop() }?;
        if self.near.is_empty() && !self.far.keys.is_empty() {
            self.fetch();
        }
        let low = key as u64;
        self.now = SimTime::from_ns((key >> 64) as u64);
        let event = Event {
            kind: ((low >> INDEX_BITS) & ((1 << KIND_BITS) - 1)) as u8,
            index: (low & ((1 << INDEX_BITS) - 1)) as u32,
        };
        Some((self.now, event))
    }

    #[inline]
    fn first_near(&self) -> u128 {
        self.near.last().copied().unwrap_or(NEVER)
    }

    /// The later half of the near events become far ones.
    #[cold]
    fn send_off(&mut self) {
        for key in self.near.drain(..NEAR_MOST / 2) {
            self.far.push(key);
        }
    }

    /// The first of the far events become near ones.
    #[cold]
    fn fetch(&mut self) {
        while self.near.len() < NEAR_MOST / 2
            && let Some(key) = self.far.pop()
        {
            self.near.push(key);
        }
        self.near.reverse();
    }

    #[inline]
    fn key(&mut self, time: SimTime, event: Event) -> u128 {
        assert!(time >= self.now, "an event at {time} would lie before {}", self.now);
        // An index of more bits would pass for another kind of event, in silence.
        assert!(event.index < INDEX_MAX, "an event about number {} of {INDEX_MAX}", event.index);
        debug_assert!(u32::from(event.kind) < 1 << KIND_BITS);
        assert!(self.sequence < 1 << SEQUENCE_BITS, "more than 2^36 events in one run");
        let low = (self.sequence << (INDEX_BITS + KIND_BITS))
            | (u64::from(event.kind) << INDEX_BITS)
            | u64::from(event.index);
        self.sequence += 1;
        (u128::from(time.ns()) << 64) | u128::from(low)
    }
}

/// The most events that lie sorted: so few that to move half of them costs less than the way through a heap.
const NEAR_MOST: usize = 128;

/// Later than every event.
const NEVER: u128 = u128::MAX;

/// Keys, the least of them first. Four children a node: half the levels of a binary heap, and the children share cache
/// lines.
#[derive(Clone, Debug, Default)]
struct Heap {
    keys: Vec<u128>,
}

impl Heap {
    #[inline]
    fn first(&self) -> u128 {
        self.keys.first().copied().unwrap_or(NEVER)
    }

    #[inline]
    fn push(&mut self, key: u128) {
        let hole = self.keys.len();
        self.keys.push(key);
        self.rise(hole, key);
    }

    #[inline]
    fn pop(&mut self) -> Option<u128> {
        let last = self.keys.pop()?;
        if self.keys.is_empty() { Some(last) } else { Some(self.replace_root(last)) }
    }

    /// Returns the root and puts `key` into the heap. The hole goes down to a leaf without asking whether `key` would fit
    /// before: it was the last of all, and nearly always belongs near the leaves.
    #[inline]
    fn replace_root(&mut self, key: u128) -> u128 {
        let keys = self.keys.as_mut_slice();
        let root = keys[0];
        let mut hole = 0;
        while let Some(&[a, b, c, d]) = keys.get(hole * 4 + 1..).and_then(|children| children.first_chunk()) {
            let (left, at_left) = if b < a { (b, 2) } else { (a, 1) };
            let (right, at_right) = if d < c { (d, 4) } else { (c, 3) };
            let (least, at) = if right < left { (right, at_right) } else { (left, at_left) };
            keys[hole] = least;
            hole = hole * 4 + at;
        }
        if let Some(few) = keys.get(hole * 4 + 1..).filter(|few| !few.is_empty()) {
            let at = (1..few.len()).fold(0, |least, at| if few[at] < few[least] { at } else { least });
            keys[hole] = few[at];
            hole = hole * 4 + 1 + at;
        }
        self.rise(hole, key);
        root
    }

    /// Puts `key` where a hole comes to that rises as far as it must.
    #[inline]
    fn rise(&mut self, mut hole: usize, key: u128) {
        let keys = self.keys.as_mut_slice();
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if keys[parent] <= key {
                break;
            }
            keys[hole] = keys[parent];
            hole = parent;
        }
        keys[hole] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn events_come_out_by_time_then_sequence() {
        let mut calendar = Calendar::new();
        let mut random = RandomStream::new(3, "calendar");
        let mut expected = Vec::new();
        for index in 0..5_000 {
            let time = SimTime::from_ns(random.below(300));
            let event = Event { kind: (index % 16) as u8, index };
            if random.below(4) == 0 {
                calendar.schedule_timer(time, event)
            } else {
                calendar.schedule(time, event)
            }
            expected.push((time, index));
        }
        expected.sort();
        for (time, index) in expected {
            let (at, event) = calendar.pop().expect("an event for each that was put in");
            assert_eq!((at, event.index, u32::from(event.kind)), (time, index, index % 16));
        }
        assert!(calendar.pop().is_none());
    }

    #[test]
    fn what_is_near_and_what_is_far_change_places() {
        let mut calendar = Calendar::new();
        let mut random = RandomStream::new(5, "calendar");
        let mut expected = std::collections::BTreeSet::new();
        // The number pending rises and falls, past what lies sorted and back to nothing.
        for step in 0..40_000u32 {
            let many = (step / 4_000) % 2 == 0;
            if random.chance(if many { 0.6 } else { 0.4 }) {
                let delay = 1u64 << random.below(14);
                let time = calendar.now() + units::Nanos::new(random.below(delay));
                calendar.schedule(time, Event { kind: 3, index: step });
                expected.insert((time, step));
            } else {
                let next = calendar.pop().map(|(time, event)| (time, event.index));
                assert_eq!(next, expected.pop_first());
            }
            assert_eq!(calendar.len(), expected.len());
            assert_eq!(calendar.next_time(), expected.first().map(|(time, _)| *time));
        }
    }

    #[test]
    #[should_panic(expected = "more than 2^36 events in one run")]
    fn events_without_end_cannot_be_numbered() {
        let mut calendar = Calendar::new();
        calendar.sequence = EVENTS_MAX - 1;
        for _ in 0..2 {
            calendar.schedule(SimTime::from_ns(10), Event { kind: 0, index: 0 });
        }
    }

    #[test]
    fn the_last_index_is_an_index() {
        assert_eq!(next_index(INDEX_MAX as usize - 1, "requests"), INDEX_MAX - 1);
        let mut calendar = Calendar::new();
        calendar.schedule(SimTime::from_ns(10), Event { kind: 15, index: INDEX_MAX - 1 });
        assert_eq!(calendar.pop().map(|(_, event)| (event.kind, event.index)), Some((15, INDEX_MAX - 1)));
    }

    #[test]
    #[should_panic(expected = "more than 16777216 requests at once")]
    fn more_than_events_can_number_is_not_numbered() {
        next_index(INDEX_MAX as usize, "requests");
    }

    #[test]
    #[should_panic(expected = "an event about number 16777216")]
    fn an_index_too_large_is_no_other_kind_of_event() {
        Calendar::new().schedule_timer(SimTime::from_ns(10), Event { kind: 0, index: INDEX_MAX });
    }

    #[test]
    #[should_panic(expected = "would lie before")]
    fn the_past_is_closed() {
        let mut calendar = Calendar::new();
        calendar.schedule(SimTime::from_ns(10), Event { kind: 0, index: 0 });
        calendar.pop();
        calendar.schedule(SimTime::from_ns(9), Event { kind: 0, index: 0 });
    }
}
