//! Which blocks of a file a pass has already covered, where requests differ in size.
//!
//! fio's own rule: a block that was covered gives way to the next free one, and a request ends where a covered block
//! begins. Requests of one size need no map: a permutation visits each block once (`order`).

/// Type of the map of the blocks of a file that says of each block whether a fio job has accessed it in the present
/// pass over the file (covered) or not yet (free); finds the next free block quickly.
#[derive(Clone, Debug)]
pub struct BlockMap {
    /// Field of a map of a file's blocks: array of bits, one per block, set when the block is covered (accessed in the
    /// fio job's present pass over the file).
    covered: Vec<u64>,
    /// Field of a map of a file's blocks: array of bits, one per 64-bit element of the array `covered`, set when all
    /// bits of the element are set.
    full: Vec<u64>,
    blocks: u64,
    free: u64,
}

impl BlockMap {
    /// Makes a map of `blocks` blocks of a file, all of them free (not yet accessed by the fio job).
    pub fn new(blocks: u64) -> Self {
        let words = blocks.div_ceil(64) as usize;
        let mut map =
            Self { covered: vec![0; words], full: vec![0; words.div_ceil(64)], blocks, free: blocks };
        map.clear();
        map
    }

    /// Marks all blocks of the map as free (not yet accessed), as at the beginning of a pass of a fio job over its
    /// file.
    pub fn clear(&mut self) {
        self.covered.fill(0);
        self.full.fill(0);
        self.free = self.blocks;
        // What lies beyond the last block is never free.
        for block in self.blocks..self.covered.len() as u64 * 64 {
            self.set(block);
        }
        for word in self.covered.len()..self.full.len() * 64 {
            self.full[word / 64] |= 1 << (word % 64);
        }
    }

    fn set(&mut self, block: u64) {
        let word = (block / 64) as usize;
        self.covered[word] |= 1 << (block % 64);
        if self.covered[word] == u64::MAX {
            self.full[word / 64] |= 1 << (word % 64);
        }
    }

    fn is_free(&self, block: u64) -> bool {
        block < self.blocks && self.covered[(block / 64) as usize] >> (block % 64) & 1 == 0
    }

    /// Returns the number of the first free block (not yet accessed in the fio job's present pass over the file) from
    /// `block` on, starting over at block 0 after the last block; `None` when all blocks were accessed.
    pub fn next_free(&self, block: u64) -> Option<u64> {
        if self.free == 0 {
            return None;
        }
        if self.is_free(block) {
            return Some(block);
        }
        let after = self.first_free(block + 1);
        after.or_else(|| self.first_free(0))
    }

    /// Returns the number of the first free block (not yet accessed in the fio job's present pass over the file) from
    /// `from` on, without starting over at block 0; `None` if there is no such block.
    fn first_free(&self, from: u64) -> Option<u64> {
        if from >= self.blocks {
            return None;
        }
        let word = (from / 64) as usize;
        let here = !self.covered[word] & (u64::MAX << (from % 64));
        if here != 0 {
            return Some(word as u64 * 64 + u64::from(here.trailing_zeros()));
        }
        let next = word + 1;
        let mut group = next / 64;
        let mut open = !*self.full.get(group)? & (u64::MAX << (next % 64));
        while open == 0 {
            group += 1;
            open = !*self.full.get(group)?;
        }
        let word = group * 64 + open.trailing_zeros() as usize;
        Some(word as u64 * 64 + u64::from((!self.covered[word]).trailing_zeros()))
    }

    /// Marks free blocks from `block` on as covered (accessed in the fio job's present pass over the file), at most
    /// `count` and only up to the first block that is covered already; returns how many were marked.
    pub fn cover(&mut self, block: u64, count: u64) -> u64 {
        let mut covered = 0;
        while covered < count && self.is_free(block + covered) {
            self.set(block + covered);
            covered += 1;
        }
        self.free -= covered;
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_free_block_is_found_and_covered_ones_end_a_request() {
        for blocks in [1u64, 5, 63, 64, 65, 4095, 4096, 4097, 70_000] {
            let mut map = BlockMap::new(blocks);
            let mut plain = vec![false; blocks as usize];
            let mut at = 7;
            while let Some(block) = map.next_free(at % blocks) {
                let from = (at % blocks) as usize;
                let wanted = (from..plain.len()).chain(0..from).find(|block| !plain[*block]);
                assert_eq!(Some(block as usize), wanted);
                let run = plain[block as usize..].iter().take(5).take_while(|covered| !**covered).count();
                assert_eq!(map.cover(block, 5), run as u64);
                plain[block as usize..block as usize + run].fill(true);
                at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(blocks) >> 8;
            }
            assert!(plain.iter().all(|covered| *covered), "{blocks}");
            map.clear();
            assert_eq!(map.next_free(blocks - 1), Some(blocks - 1));
        }
    }
}
