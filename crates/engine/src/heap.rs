//! Keys, the least of them first.

/// Constant: sort key that is later than that of every event.
pub(crate) const NEVER: u128 = u128::MAX;

/// Type of a heap of the sort keys of events, with four children a node: half the levels of a binary heap, and the
/// children share cache lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    keys: Vec<u128>,
}

impl Heap {
    /// Returns the least sort key in the heap of calendar events, or [`NEVER`] if the heap is empty.
    #[inline]
    pub fn first(&self) -> u128 {
        self.keys.first().copied().unwrap_or(NEVER)
    }

    #[inline]
    pub fn push(&mut self, key: u128) {
        let hole = self.keys.len();
        self.keys.push(key);
        self.rise(hole, key);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<u128> {
        let last = self.keys.pop()?;
        if self.keys.is_empty() { Some(last) } else { Some(self.replace_root(last)) }
    }

    /// Calls `each` on all sort keys in the heap of calendar events, in any order; `each` must not change their
    /// relative order.
    pub fn for_each(&mut self, each: impl FnMut(&mut u128)) {
        self.keys.iter_mut().for_each(each);
    }

    /// Removes and returns the root of the heap of calendar events and inserts `key`. The free position (hole) is first
    /// moved from the root down to a leaf without comparisons with `key`, the last element of the heap, and then up as
    /// far as needed.
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

    /// Stores `key` in the heap of calendar events at the free position `hole`, after moving that position up towards
    /// the root as far as the order needs.
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
