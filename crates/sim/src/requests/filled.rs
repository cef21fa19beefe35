//! Finds the queues that are not empty: one bit for each queue, and one bit for each word of these bits.

#[cfg(test)]
use std::cell::Cell;

const WORD: usize = u64::BITS as usize;

/// Set of small numbers, kept as bits, that finds the next number from a given position on without visiting positions
/// outside the set; used for the indices of submission queues that contain commands.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    words: Vec<u64>,
    /// Bit mask of the set's 64-bit words that are not zero; used only where the set has several words.
    summary: Vec<u64>,
    /// Number of 64-bit words of the set that searches have read so far, counted for a test of the upper bound of that
    /// number.
    #[cfg(test)]
    looked_at: Cell<u64>,
}

impl Filled {
    /// Makes an empty set that can contain the numbers below `count`.
    pub fn new(count: usize) -> Self {
        let words = count.div_ceil(WORD);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(WORD)],
            #[cfg(test)]
            looked_at: Cell::new(0),
        }
    }

    /// Adds the number `at` to this set of bits, such as the index of a submission queue that now contains commands.
    #[inline]
    pub fn insert(&mut self, at: usize) {
        let word = at / WORD;
        self.words[word] |= 1 << (at % WORD);
        if self.words.len() > 1 {
            self.summary[word / WORD] |= 1 << (word % WORD);
        }
    }

    /// Removes the number `at` from this set of bits, such as the index of a submission queue that no longer contains
    /// commands.
    #[inline]
    pub fn remove(&mut self, at: usize) {
        let word = at / WORD;
        self.words[word] &= !(1 << (at % WORD));
        if self.words.len() > 1 && self.words[word] == 0 {
            self.summary[word / WORD] &= !(1 << (word % WORD));
        }
    }

    /// Returns the first number in the set that is at least `from`, or else the first number of all; `None` if the set
    /// is empty.
    #[inline]
    pub fn first(&self, from: usize) -> Option<usize> {
        let word = from / WORD;
        self.look();
        let here = *self.words.get(word)? & (u64::MAX << (from % WORD));
        if here != 0 {
            return Some(word * WORD + here.trailing_zeros() as usize);
        }
        if self.words.len() > 1 { self.first_beyond(word) } else { self.first_of(0) }
    }

    /// Returns the lowest number in the set among the 64 numbers of the 64-bit word with index `word`; `None` if the
    /// word is empty.
    #[inline]
    fn first_of(&self, word: usize) -> Option<usize> {
        let bits = self.words[word];
        (bits != 0).then(|| word * WORD + bits.trailing_zeros() as usize)
    }

    /// Returns the first number in the set among the 64-bit words after `word`, then from the first word on, and at
    /// last in `word` itself; `None` if the set is empty.
    fn first_beyond(&self, word: usize) -> Option<usize> {
        let (place, count) = (word / WORD, self.summary.len());
        // Of the word's own place those after it come first, the others last.
        let after = (u64::MAX << (word % WORD)) << 1;
        for step in 0..=count {
            self.look();
            let at = (place + step) % count;
            let among = match step {
                0 => self.summary[at] & after,
                _ if step == count => self.summary[at] & !after,
                _ => self.summary[at],
            };
            if among != 0 {
                self.look();
                return self.first_of(at * WORD + among.trailing_zeros() as usize);
            }
        }
        None
    }

    #[inline(always)]
    fn look(&self) {
        #[cfg(test)]
        self.looked_at.set(self.looked_at.get() + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_is_that_of_a_sorted_set() {
        let mut random = RandomStream::new(3, "filled");
        for count in [1, 63, 64, 65, 4096, 4097, 70_000] {
            let (mut filled, mut set) = (Filled::new(count), BTreeSet::new());
            for _ in 0..20_000 {
                let at = random.below(count as u64) as usize;
                if random.chance(if set.len() > 3 { 0.45 } else { 0.55 }) {
                    filled.insert(at);
                    set.insert(at);
                } else if let Some(&at) = set.range(at..).next() {
                    filled.remove(at);
                    set.remove(&at);
                }
                let from = random.below(count as u64) as usize;
                let expected = set.range(from..).next().or_else(|| set.first()).copied();
                assert_eq!(filled.first(from), expected, "of {count} from {from}");
            }
        }
    }

    /// Test: checks the bound that benches/README.md claims: a search reads on average at most three 64-bit words of
    /// the set, and one more for every 4096 queues.
    #[test]
    fn few_words_are_looked_at_however_many_queues_there_are() {
        for count in [64, 4096, 65_536] {
            let mut filled = Filled::new(count);
            filled.insert(count - 1);
            for from in 0..count {
                assert_eq!(filled.first(from), Some(count - 1));
            }
            let most = 3 + count as u64 / 4096;
            assert!(filled.looked_at.get() <= most * count as u64, "{count}: {}", filled.looked_at.get());
        }
    }
}
