//! What happens soon: each event in the slot of its time, so that neither to put one in nor to find the next depends on
//! how many there are.

/// Constant: base-2 logarithm of the duration of a time slot of the timing wheel in ns: so short that a slot seldom
/// holds two events of a drive of some dozen dies.
const SLOT_BITS: u32 = 8;
const SLOTS: usize = WORDS * WORD;
const WORDS: usize = 64;
const WORD: usize = u64::BITS as usize;
const NONE: u16 = u16::MAX;
/// Constant: greatest number of earlier events of a time slot that an insertion may step over in the slot's list, to
/// keep insertions fast.
const STEPS_MOST: usize = 16;

/// Record of a node of the timing wheel: the sort key of an event, and the index of the next node in the list of its
/// time slot.
#[derive(Clone, Copy, Debug)]
struct WheelNode {
    key: u128,
    next: u16,
}

/// Type of the timing wheel: the pending events of the next millisecond, in a circular array of time slots with a
/// sorted list of events each.
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    /// For each time slot of the timing wheel: index of the node of its earliest event, or `NONE`.
    heads: Box<[u16; SLOTS]>,
    /// Bit mask of the time slots of the timing wheel that are not empty, stored as a list of 64-bit numbers.
    words: [u64; WORDS],
    /// Bit mask with a bit for each element of `words` (bit mask of the timing wheel's time slots) that is not zero.
    summary: u64,
    nodes: Vec<WheelNode>,
    /// Head of the list of free nodes: index of the first node that holds no event, or `NONE`.
    free: u16,
}

impl Wheel {
    pub fn new() -> Self {
        let heads = Box::new([NONE; SLOTS]);
        Self { heads, words: [0; WORDS], summary: 0, nodes: Vec::new(), free: NONE }
    }

    /// Puts an event into its time slot if the slot is empty, as most are; short enough to need no stack. Returns false
    /// if the slot is not empty, if the event lies too far from `now`, or if no node is free.
    #[inline(always)]
    pub fn insert_alone(&mut self, key: u128, now: u64) -> bool {
        let tick = (key >> 64) as u64 >> SLOT_BITS;
        let (slot, node) = (tick as usize % SLOTS, self.free);
        if tick - (now >> SLOT_BITS) >= SLOTS as u64 || self.heads[slot] != NONE {
            return false;
        }
        let Some(unused) = self.nodes.get_mut(node as usize) else { return false };
        self.free = unused.next;
        *unused = WheelNode { key, next: NONE };
        self.heads[slot] = node;
        self.words[slot / WORD] |= 1 << (slot % WORD);
        self.summary |= 1 << (slot / WORD);
        true
    }

    /// Puts an event, by its sort key, into the list of its time slot. Returns false if it lies too far from `now`, no
    /// node is free (see [`Self::grow`]), or too many earlier events are in the list.
    #[inline]
    pub fn insert(&mut self, key: u128, now: u64) -> bool {
        let tick = (key >> 64) as u64 >> SLOT_BITS;
        if tick - (now >> SLOT_BITS) >= SLOTS as u64 {
            return false;
        }
        let node = self.free;
        let Some(unused) = self.nodes.get(node as usize) else { return false };
        let unused = unused.next;
        let slot = tick as usize % SLOTS;
        let first = self.heads[slot];
        if first == NONE {
            self.words[slot / WORD] |= 1 << (slot % WORD);
            self.summary |= 1 << (slot / WORD);
        }
        if first == NONE || key < self.nodes[first as usize].key {
            self.nodes[node as usize] = WheelNode { key, next: first };
            self.heads[slot] = node;
        } else {
            let Some(before) = self.before(first, key) else { return false };
            self.nodes[node as usize] = WheelNode { key, next: self.nodes[before].next };
            self.nodes[before].next = node;
        }
        self.free = unused;
        true
    }

    /// Returns the index of the last node before `key` in the list of a time slot; `None` if more than `STEPS_MOST`
    /// nodes lie before `key`. Thousands of events may fall due at one time, and each would pass all before it.
    #[inline]
    fn before(&self, first: u16, key: u128) -> Option<usize> {
        let mut before = first as usize;
        for _ in 0..STEPS_MOST {
            let next = self.nodes[before].next;
            if next == NONE || self.nodes[next as usize].key >= key {
                return Some(before);
            }
            before = next as usize;
        }
        None
    }

    /// Returns the time slot of the next event, and the event's sort key; `None` if the timing wheel is empty.
    #[inline(always)]
    pub fn first(&self, now: u64) -> Option<(usize, u128)> {
        if self.summary == 0 {
            return None;
        }
        let from = (now >> SLOT_BITS) as usize % SLOTS;
        let word = from / WORD;
        let here = self.words[word] & (u64::MAX << (from % WORD));
        let slot = if here != 0 {
            word * WORD + here.trailing_zeros() as usize
        } else {
            // The words that follow, and at the end this one again, of which only slots before `from` are left.
            let beyond = self.summary.rotate_right(word as u32 + 1).trailing_zeros() as usize;
            let word = (word + 1 + beyond) % WORDS;
            word * WORD + self.words[word].trailing_zeros() as usize
        };
        Some((slot, self.nodes[self.heads[slot] as usize].key))
    }

    /// Returns true if an event is due exactly at time `now` (ns); no earlier event may be in the wheel.
    #[inline]
    pub fn has_at(&self, now: u64) -> bool {
        let first = self.heads[(now >> SLOT_BITS) as usize % SLOTS];
        self.nodes.get(first as usize).is_some_and(|node| (node.key >> 64) as u64 == now)
    }

    /// Removes the earliest event of a time slot, which must hold one.
    #[inline(always)]
    pub fn take(&mut self, slot: usize) {
        let node = self.heads[slot] as usize;
        let next = std::mem::replace(&mut self.nodes[node].next, self.free);
        self.free = node as u16;
        self.heads[slot] = next;
        if next == NONE {
            let word = &mut self.words[slot / WORD];
            *word &= !(1 << (slot % WORD));
            if *word == 0 {
                self.summary &= !(1 << (slot / WORD));
            }
        }
    }

    /// Calls `each` on the sort keys of all events of the timing wheel, in any order; `each` must not change their
    /// relative order.
    pub fn for_each(&mut self, mut each: impl FnMut(&mut u128)) {
        for &head in self.heads.iter() {
            let mut node = head;
            while let Some(WheelNode { key, next }) = self.nodes.get_mut(node as usize) {
                each(key);
                node = *next;
            }
        }
    }

    /// Adds a free node to the timing wheel if none is free and the number of nodes allows it; returns true if it did.
    pub fn grow(&mut self) -> bool {
        let node = self.nodes.len();
        let may_grow = self.free == NONE && node < NONE as usize;
        if may_grow {
            self.nodes.push(WheelNode { key: 0, next: NONE });
            self.free = node as u16;
        }
        may_grow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test: an insertion passes at most `STEPS_MOST` events of its slot, however many are due at one time; others are
    /// refused.
    #[test]
    fn an_event_passes_few_others_of_its_slot() {
        let mut wheel = Wheel::new();
        for number in 0..1_000u128 {
            wheel.grow();
            let taken = wheel.insert((5 << 64) | number, 0);
            assert_eq!(taken, number <= STEPS_MOST as u128, "{number}");
        }
        assert!(wheel.insert(4 << 64, 0), "before all others there is none to pass");
    }
}
