//! The event calendar: what happens next, ordered by (time, sequence).
//!
//! What a drive does next lies within a millisecond: it goes into a wheel of time slots, at a cost that does not grow with
//! the number of dies. What is later waits in a heap, and so does, in one of its own, what only the clock brings. Keys are
//! one 128-bit word: time, then sequence number, then the event itself.

use crate::heap::{Heap, NEVER};
use crate::wheel::Wheel;
use units::SimTime;

/// Record of an event of the simulation: kind and index, both chosen by the code that schedules it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind of the event, which selects its handler; below 16.
    pub kind: u8,
    /// Index of the die, request or channel that the event concerns; below 2^24.
    pub index: u32,
}

/// Constant: upper limit (excluded) of the indices in calendar events; [`next_index`] numbers requests and operations.
pub const INDEX_MAX: u32 = 1 << INDEX_BITS;

const INDEX_BITS: u32 = 24;
const KIND_BITS: u32 = 4;
const SEQUENCE_BITS: u32 = 64 - INDEX_BITS - KIND_BITS;

/// Returns the index for a further object of kind `what` (such as requests) when `count` exist already.
///
/// # Panics
/// When the index would be too large for an event.
#[inline]
pub fn next_index(count: usize, what: &str) -> u32 {
    assert!(count < INDEX_MAX as usize, "more than {INDEX_MAX} {what} at once: events cannot number them");
    count as u32
}

/// Type of the event calendar: all pending events of the simulation. Events of equal times are taken in the order in
/// which they were scheduled.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// Timing wheel with the events of the near future, sorted into time slots of 256 ns.
    wheel: Wheel,
    /// Heap of the events that the timing wheel could not take when they were scheduled: too far ahead, or no room.
    far: Heap,
    /// Heap of the timer events, few of which ever fire at the time for which they were set (most are superseded); in
    /// the heap of far events they would slow all events down.
    timers: Heap,
    /// Sort key of the earliest event of the two heaps, stored so that no look-up is needed.
    first_in_heaps: u128,
    /// Sequence number of the next event to be scheduled, counted from the last renumbering of the pending events, as
    /// is `taken`, the number of events that came due and were removed.
    sequence: u64,
    taken: u64,
    /// Number of events scheduled before the last renumbering and no longer pending then: taken or discarded.
    before: u64,
    /// Sequence number reserved for the event that [`Self::schedule_in_turn`] will schedule; `None` if no number is
    /// reserved. Events of equal times are ordered by sequence number.
    turn: Option<u64>,
    now: SimTime,
}

impl Default for Calendar {
    fn default() -> Self {
        Self::new()
    }
}

impl Calendar {
    /// Makes an empty calendar at time zero.
    pub fn new() -> Self {
        Self {
            wheel: Wheel::new(),
            far: Heap::default(),
            timers: Heap::default(),
            first_in_heaps: NEVER,
            sequence: 0,
            taken: 0,
            before: 0,
            turn: None,
            now: SimTime::ZERO,
        }
    }

    /// Returns the present simulated time: that of the event taken last, or the time to which the clock was moved
    /// since.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Returns the number of pending events.
    pub fn len(&self) -> usize {
        (self.sequence - self.taken) as usize
    }

    /// Returns true if no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time of the next event; none if no event is pending.
    #[inline]
    pub fn next_time(&self) -> Option<SimTime> {
        let first = self.first();
        (first != NEVER).then(|| SimTime::from_ns((first >> 64) as u64))
    }

    /// Returns true if further events are pending at exactly the present time.
    #[inline]
    pub fn is_more_now(&self) -> bool {
        let now = self.now.ns();
        self.wheel.has_at(now) || (self.first_in_heaps >> 64) as u64 == now
    }

    /// Returns the number of events that were scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.before.wrapping_add(self.sequence) - u64::from(self.turn.is_some())
    }

    /// Schedules an event at `time`, which must not lie in the past.
    ///
    /// # Panics
    /// When `time` is before the current time, or an index overflows: broken invariants.
    // In one place: what calls it is the innermost code of a run, which just fits the first-level cache.
    #[inline(never)]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        let Some(key) = self.key(time, event) else { return self.schedule_anew(time, event) };
        if !self.wheel.insert_alone(key, self.now.ns()) {
            self.put_beside(key);
        }
    }

    /// Schedules a timer event. It comes at the same moment and in the same order as by [`Self::schedule`], but costs
    /// other events nothing while it waits.
    ///
    /// # Panics
    /// As [`Self::schedule`].
    #[inline(never)]
    pub fn schedule_timer(&mut self, time: SimTime, event: Event) {
        let Some(key) = self.key(time, event) else { return self.schedule_timer_anew(time, event) };
        self.timers.push(key);
        self.first_in_heaps = self.first_in_heaps.min(key);
    }

    /// Reserves the next sequence number, by which events of equal times are ordered, for an event whose time is not
    /// known yet; a number that is already reserved stays reserved.
    pub fn keep_turn(&mut self) {
        if self.turn.is_none() {
            if self.sequence >> SEQUENCE_BITS != 0 {
                self.renumber();
            }
            self.turn = Some(self.sequence);
            self.sequence += 1;
            self.taken += 1; // It is no pending event.
        }
    }

    /// Gives up the reserved sequence number, if there is one: no event will have that number.
    pub fn give_up_turn(&mut self) {
        if self.turn.take().is_some() {
            self.before = self.before.wrapping_sub(1);
        }
    }

    /// Schedules an event with the reserved sequence number, so that among events of the same time it comes as if it
    /// had been scheduled when the number was reserved; as [`Self::schedule`] if no number is reserved.
    ///
    /// # Panics
    /// As [`Self::schedule`].
    pub fn schedule_in_turn(&mut self, time: SimTime, event: Event) {
        let Some(turn) = self.turn.take() else { return self.schedule(time, event) };
        self.taken -= 1;
        let next = std::mem::replace(&mut self.sequence, turn);
        let key = self.key(time, event);
        self.sequence = next;
        let key = key.unwrap_or_else(|| panic!("an event at {time} would lie before {}", self.now));
        if !self.wheel.insert_alone(key, self.now.ns()) {
            self.put_beside(key);
        }
    }

    /// Removes and returns the next event with its time, if that time is not after `until`, and moves the clock to it;
    /// else returns `None` and leaves the clock.
    #[inline(always)]
    pub fn pop_until(&mut self, until: SimTime) -> Option<(SimTime, Event)> {
        let is_later = |key: u128| (key >> 64) as u64 > until.ns();
        let key = match self.wheel.first(self.now.ns()) {
            Some((_, key)) if key < self.first_in_heaps && is_later(key) => return None,
            Some((slot, key)) if key < self.first_in_heaps => {
                self.wheel.take(slot);
                key
            }
            _ if is_later(self.first_in_heaps) => return None,
            _ => self.pop_from_heaps()?,
        };
        self.taken += 1;
        let low = key as u64;
        self.now = SimTime::from_ns((key >> 64) as u64);
        let event = Event {
            kind: ((low >> INDEX_BITS) & ((1 << KIND_BITS) - 1)) as u8,
            index: (low & ((1 << INDEX_BITS) - 1)) as u32,
        };
        Some((self.now, event))
    }

    /// Removes and returns the next event with its time, and moves the clock to that time; `None` if no event is
    /// pending.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        self.pop_until(SimTime::NEVER)
    }

    /// Discards all pending events and sets the time to `now`, which must not lie in the past.
    pub fn forget_pending(&mut self, now: SimTime) {
        assert!(now >= self.now, "{now} would lie before {}", self.now);
        *self = Self { now, before: self.scheduled(), ..Self::new() };
    }

    /// Moves the clock forward to `now`; no pending event may lie before that time.
    pub fn pass_to(&mut self, now: SimTime) {
        let next = self.next_time().unwrap_or(SimTime::NEVER);
        assert!(now >= self.now && now <= next, "{now} lies before {} or after {next}", self.now);
        self.now = now;
    }

    #[inline]
    fn first(&self) -> u128 {
        self.wheel.first(self.now.ns()).map_or(NEVER, |(_, key)| key).min(self.first_in_heaps)
    }

    /// Schedules an event, by its sort key, that may have to be inserted among other events of the same time slot of
    /// the timing wheel.
    #[inline(never)]
    fn put_beside(&mut self, key: u128) {
        if !self.wheel.insert(key, self.now.ns()) {
            self.put_beyond(key);
        }
    }

    /// Schedules an event, by its sort key, that the timing wheel refused (too far in the future, no free node, or too
    /// many events in its slot): in the wheel if a further node helps, else in the heap of far events.
    #[inline(never)]
    fn put_beyond(&mut self, key: u128) {
        if self.wheel.grow() && self.wheel.insert(key, self.now.ns()) {
            return;
        }
        self.far.push(key);
        self.first_in_heaps = self.first_in_heaps.min(key);
    }

    #[inline(never)]
    fn pop_from_heaps(&mut self) -> Option<u128> {
        let key = if self.timers.first() < self.far.first() { self.timers.pop() } else { self.far.pop() };
        self.first_in_heaps = self.timers.first().min(self.far.first());
        key
    }

    /// Makes the sort key (time, then sequence number) of an event and uses up that number; `None` if the time or index
    /// is wrong, or if all sequence numbers are used up, so that events must be renumbered first.
    #[inline(always)]
    fn key(&mut self, time: SimTime, event: Event) -> Option<u128> {
        // One comparison says whether the index or the sequence number has too many bits.
        let over = u64::from(event.index) >> INDEX_BITS | self.sequence >> SEQUENCE_BITS;
        if time < self.now || over != 0 {
            return None;
        }
        debug_assert!(u32::from(event.kind) < 1 << KIND_BITS);
        let low = (self.sequence << (INDEX_BITS + KIND_BITS))
            | (u64::from(event.kind) << INDEX_BITS)
            | u64::from(event.index);
        self.sequence += 1;
        Some((u128::from(time.ns()) << 64) | u128::from(low))
    }

    #[cold]
    #[inline(never)]
    fn schedule_anew(&mut self, time: SimTime, event: Event) {
        self.refuse_or_renumber(time, event);
        self.schedule(time, event);
    }

    #[cold]
    #[inline(never)]
    fn schedule_timer_anew(&mut self, time: SimTime, event: Event) {
        self.refuse_or_renumber(time, event);
        self.schedule_timer(time, event);
    }

    /// Panics with the reason why an event cannot be scheduled; if only the sequence numbers are used up, gives the
    /// pending events new ones from zero instead.
    fn refuse_or_renumber(&mut self, time: SimTime, event: Event) {
        assert!(time >= self.now, "an event at {time} would lie before {}", self.now);
        // An index of more bits would pass for another kind of event, in silence.
        assert!(event.index < INDEX_MAX, "an event about number {} of {INDEX_MAX}", event.index);
        self.renumber();
    }

    /// Gives the pending events new sequence numbers from zero, in the order in which they were scheduled. Happens
    /// every 2^36 events, so that events of one time always keep their order.
    fn renumber(&mut self) {
        let number = |key: u128| key as u64 >> (INDEX_BITS + KIND_BITS);
        let mut pending = Vec::with_capacity(self.len());
        let heaps = [&mut self.far, &mut self.timers];
        heaps.into_iter().for_each(|heap| heap.for_each(|key| pending.push(number(*key))));
        self.wheel.for_each(|key| pending.push(number(*key)));
        pending.extend(self.turn);
        pending.sort_unstable();
        let anew = |key: &mut u128| {
            let rank = pending.partition_point(|other| *other < number(*key)) as u64;
            let numbers = u64::MAX << (INDEX_BITS + KIND_BITS);
            *key = *key & !u128::from(numbers) | u128::from(rank << (INDEX_BITS + KIND_BITS));
        };
        // No two change places, so that heaps remain heaps.
        self.far.for_each(anew);
        self.timers.for_each(anew);
        self.wheel.for_each(anew);
        self.turn = self.turn.map(|turn| pending.partition_point(|other| *other < turn) as u64);
        self.first_in_heaps = self.timers.first().min(self.far.first());
        self.before = self.before.wrapping_add(self.sequence - pending.len() as u64);
        (self.sequence, self.taken) = (pending.len() as u64, u64::from(self.turn.is_some()));
        assert!(self.sequence >> SEQUENCE_BITS == 0, "more than 2^36 events pending");
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
    fn what_is_forgotten_does_not_happen_and_the_clock_goes_on() {
        let mut calendar = Calendar::new();
        let event = |index| Event { kind: 2, index };
        for (index, delay) in [3, 700, 5_000_000, 9_000_000_000].into_iter().enumerate() {
            calendar.schedule(SimTime::from_ns(delay), event(index as u32));
            calendar.schedule_timer(SimTime::from_ns(delay + 1), event(9));
        }
        let (now, _) = calendar.pop().expect("eight are pending");
        calendar.forget_pending(now);
        assert!(calendar.is_empty() && calendar.next_time().is_none());
        assert_eq!((calendar.now(), calendar.scheduled()), (now, 8));
        calendar.schedule(now, event(1));
        assert_eq!(calendar.pop(), Some((now, event(1))));
    }

    #[test]
    fn events_beyond_the_wheel_come_out_in_their_turn() {
        let mut calendar = Calendar::new();
        let mut random = RandomStream::new(5, "calendar");
        let mut expected = std::collections::BTreeSet::new();
        // Delays end within a slot, within the wheel, just beyond it and far away; the number pending rises and falls.
        for step in 0..40_000u32 {
            let many = (step / 4_000) % 2 == 0;
            if random.chance(if many { 0.6 } else { 0.4 }) {
                let delay = 1u64 << random.below(24);
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
    fn more_than_the_wheel_numbers_wait_in_the_heap() {
        let mut calendar = Calendar::new();
        let count = u32::from(u16::MAX) + 1_000;
        let time = |index: u32| SimTime::from_ns(u64::from((index * 7_919) % 100_000));
        (0..count).for_each(|index| calendar.schedule(time(index), Event { kind: 1, index }));
        let mut expected: Vec<_> = (0..count).map(|index| (time(index), index)).collect();
        expected.sort();
        for (at, index) in expected {
            assert_eq!(calendar.pop(), Some((at, Event { kind: 1, index })));
        }
        assert!(calendar.is_empty());
    }

    /// Test helper: returns all events that come out of a calendar that has numbered `begin` events before, with delays
    /// within a slot, within the wheel and beyond it, many at one time, and timers.
    fn what_comes_out(begin: u64) -> Vec<(SimTime, Event, usize, u64)> {
        let mut calendar = Calendar::new();
        (calendar.sequence, calendar.taken) = (begin, begin);
        let mut random = RandomStream::new(9, "calendar");
        let mut out = Vec::new();
        for index in 0..40_000 {
            if random.chance(0.55) {
                let bits = random.below(24);
                let delay = if random.chance(0.3) { 0 } else { random.below(1 << bits) };
                let (time, event) = (calendar.now() + units::Nanos::new(delay), Event { kind: 5, index });
                if random.chance(0.2) {
                    calendar.schedule_timer(time, event)
                } else {
                    calendar.schedule(time, event)
                }
            } else if let Some((time, event)) = calendar.pop() {
                out.push((time, event, calendar.len(), calendar.scheduled() - begin));
            }
        }
        while let Some((time, event)) = calendar.pop() {
            out.push((time, event, calendar.len(), calendar.scheduled() - begin));
        }
        out
    }

    #[test]
    fn events_are_numbered_without_end() {
        let expected = what_comes_out(0);
        assert!(expected.len() > 20_000 && expected.iter().any(|(_, _, pending, _)| *pending > 2_000));
        for before in [1, 2, 100, 5_000, 15_000] {
            assert_eq!(
                what_comes_out((1 << SEQUENCE_BITS) - before),
                expected,
                "{before} before the numbers end"
            );
        }
    }

    #[test]
    fn an_event_has_the_turn_that_was_kept_for_it() {
        for before in [0, (1 << SEQUENCE_BITS) - 7, (1 << SEQUENCE_BITS) - 3] {
            let mut calendar = Calendar::new();
            (calendar.sequence, calendar.taken) = (before, before);
            let event = |index| Event { kind: 2, index };
            calendar.schedule(SimTime::from_ns(500), event(0));
            calendar.keep_turn();
            calendar.keep_turn();
            for index in 2..6 {
                calendar.schedule(SimTime::from_ns(500), event(index));
            }
            assert_eq!((calendar.len(), calendar.scheduled() - before), (5, 5));
            calendar.schedule_in_turn(SimTime::from_ns(500), event(1));
            assert_eq!((calendar.len(), calendar.scheduled() - before), (6, 6));
            calendar.keep_turn();
            calendar.give_up_turn();
            assert_eq!((calendar.len(), calendar.scheduled() - before), (6, 6));
            for index in 0..6 {
                assert_eq!(calendar.pop_until(SimTime::from_ns(499)), None);
                let next = calendar.pop_until(SimTime::from_ns(500)).map(|(_, event)| event.index);
                assert_eq!(next, Some(index), "numbers from {before} on");
            }
            assert!(calendar.is_empty());
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
