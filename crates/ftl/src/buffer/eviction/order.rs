//! Things in an order that changes: a doubly linked list threaded through their numbers.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    after: u32,
    member: bool,
}

const ALONE: Link = Link { before: NONE, after: NONE, member: false };

/// Type of a list of numbers (such as buffer slots) in order of last use, doubly linked, the oldest first. Every
/// operation takes O(1).
#[derive(Clone, Debug)]
pub(crate) struct Order {
    links: Vec<Link>,
    first: u32,
    last: u32,
}

impl Default for Order {
    fn default() -> Self {
        Self { links: Vec::new(), first: NONE, last: NONE }
    }
}

impl Order {
    /// Extends the list of numbers in order of last use so that numbers below `count` (such as buffer slots) can be
    /// added.
    pub fn resize(&mut self, count: u32) {
        self.links.resize(count as usize, ALONE);
    }

    /// Returns the least recently used number in the list (such as a buffer slot); `None` if the list is empty.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Returns the numbers (such as buffer slots) in the list, from the least to the most recently used.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.first(), |&at| {
            let after = self.links[at as usize].after;
            (after != NONE).then_some(after)
        })
    }

    /// Returns true when `number` (such as a buffer slot) is in the list of numbers in order of last use.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.links[number as usize].member
    }

    /// Adds `number` (such as a buffer slot) to the list of numbers in order of last use, as the most recently used.
    #[inline]
    pub fn push(&mut self, number: u32) {
        debug_assert!(!self.contains(number));
        self.links[number as usize] = Link { before: self.last, after: NONE, member: true };
        match self.last {
            NONE => self.first = number,
            last => self.links[last as usize].after = number,
        }
        self.last = number;
    }

    /// Adds `number` (such as a buffer slot) to the list of numbers in order of last use, as the least recently used.
    #[inline]
    pub fn push_first(&mut self, number: u32) {
        debug_assert!(!self.contains(number));
        self.links[number as usize] = Link { before: NONE, after: self.first, member: true };
        match self.first {
            NONE => self.last = number,
            first => self.links[first as usize].before = number,
        }
        self.first = number;
    }

    /// Removes `number` (such as a buffer slot) from the list of numbers in order of last use, if the list contains it.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let Link { before, after, member } = self.links[number as usize];
        if !member {
            return;
        }
        match before {
            NONE => self.first = after,
            before => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            after => self.links[after as usize].before = before,
        }
        self.links[number as usize] = ALONE;
    }

    /// Makes `number` (such as a buffer slot) the most recently used in the list of numbers in order of last use.
    #[inline]
    pub fn renew(&mut self, number: u32) {
        self.remove(number);
        self.push(number);
    }
}
