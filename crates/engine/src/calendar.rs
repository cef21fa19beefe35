//! The event calendar: what happens next, ordered by (time, sequence).
//!
//! A drive has few events pending (about two per die), so a small heap in the first-level cache beats
//! every cleverer queue. Keys are one 128-bit word: time, then sequence number, then the event itself.

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
/// Indices of events are below this: what numbers dies, transactions or requests checks it where they become more.
pub const INDEX_MAX: u32 = 1 << INDEX_BITS;

const INDEX_BITS: u32 = 24;
const KIND_BITS: u32 = 4;
const SEQUENCE_BITS: u32 = 64 - INDEX_BITS - KIND_BITS;

/// Pending events. Equal times come out in the order they were put in.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    heap: Vec<u128>,
    sequence: u64,
    now: SimTime,
}

impl Calendar {
    /// An empty calendar at time zero.
    pub fn new() -> Self {
        Self { heap: Vec::with_capacity(1 << 12), sequence: 0, now: SimTime::ZERO }
    }

    /// The time of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The time of the next event.
    #[inline]
    pub fn next_time(&self) -> Option<SimTime> {
        self.heap.first().map(|key| SimTime::from_ns((key >> 64) as u64))
    }

    /// How many events were scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }

    /// Puts an event at `time`, which must not lie in the past.
    ///
    /// # Panics
    /// When `time` is before the current time, or an index or the sequence overflows: broken invariants.
    #[inline]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        assert!(time >= self.now, "an event at {time} would lie before {}", self.now);
        debug_assert!(event.index < 1 << INDEX_BITS && u32::from(event.kind) < 1 << KIND_BITS);
        assert!(self.sequence < 1 << SEQUENCE_BITS, "more than 2^36 events in one run");
        let low = (self.sequence << (INDEX_BITS + KIND_BITS))
            | (u64::from(event.kind) << INDEX_BITS)
            | u64::from(event.index);
        self.sequence += 1;
        self.push((u128::from(time.ns()) << 64) | u128::from(low));
    }

    /// Takes the next event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        let last = self.heap.pop()?;
        let key = if self.heap.is_empty() { last } else { self.replace_root(last) };
        let low = key as u64;
        self.now = SimTime::from_ns((key >> 64) as u64);
        let event = Event {
            kind: ((low >> INDEX_BITS) & ((1 << KIND_BITS) - 1)) as u8,
            index: (low & ((1 << INDEX_BITS) - 1)) as u32,
        };
        Some((self.now, event))
    }

    #[inline]
    fn push(&mut self, key: u128) {
        let mut hole = self.heap.len();
        self.heap.push(key);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = key;
    }

    /// Returns the root and sifts `key` down from its place. Four children a node: half the levels of a
    /// binary heap, and the children share cache lines.
    #[inline]
    fn replace_root(&mut self, key: u128) -> u128 {
        let heap = self.heap.as_mut_slice();
        let root = heap[0];
        let length = heap.len();
        let mut hole = 0;
        loop {
            let first = hole * 4 + 1;
            if first >= length {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + 4).min(length) {
                if heap[child] < heap[least] {
                    least = child;
                }
            }
            if heap[least] >= key {
                break;
            }
            heap[hole] = heap[least];
            hole = least;
        }
        heap[hole] = key;
        root
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
            calendar.schedule(time, Event { kind: (index % 16) as u8, index });
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
    #[should_panic(expected = "would lie before")]
    fn the_past_is_closed() {
        let mut calendar = Calendar::new();
        calendar.schedule(SimTime::from_ns(10), Event { kind: 0, index: 0 });
        calendar.pop();
        calendar.schedule(SimTime::from_ns(9), Event { kind: 0, index: 0 });
    }
}
