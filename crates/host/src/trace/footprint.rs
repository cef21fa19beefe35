//! How many distinct 4 KiB pages does a trace touch? Estimated in 16 KiB of memory, or counted exactly.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Constant: size in bytes of the pages in which footprints of traces are counted.
pub(crate) const PAGE: u64 = 4096;

/// Constant: number of bits of a page's hash that select a HyperLogLog register; with 2^14 registers the standard error
/// of the estimate is 1.04 / sqrt(2^14) = 0.8 %.
const REGISTER_BITS: u32 = 14;
const REGISTERS: usize = 1 << REGISTER_BITS;
/// Constant: number of bits of a page's hash in which leading zeros are counted (HyperLogLog rank).
const RANK_BITS: usize = 64 - REGISTER_BITS as usize;

/// Mixes the bits of `x` for the hash functions of the trace analysis (finaliser of a well-known 64-bit hash): every
/// input bit affects every output bit.
#[inline]
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// State of the HyperLogLog estimate of the number of distinct pages that a trace touches, with the estimator of O.
/// Ertl (2017), which needs no correction tables for any count.
pub(crate) struct Estimate {
    registers: Vec<u8>,
    last: (u64, u64),
}

impl Estimate {
    /// Makes an estimate of the number of distinct pages, without any page yet.
    pub fn new() -> Self {
        Self { registers: vec![0; REGISTERS], last: (u64::MAX, u64::MAX) }
    }

    /// Adds the pages `pages` of volume `volume` to the HyperLogLog estimate of the number of distinct pages that a
    /// trace touches.
    #[inline]
    pub fn touch(&mut self, volume: u32, pages: std::ops::Range<u64>) {
        let salt = mix(u64::from(volume) ^ 0x5157_a11e);
        for page in pages {
            if self.last == (page, salt) {
                continue;
            }
            self.last = (page, salt);
            let hash = mix(page ^ salt);
            let register = (hash >> RANK_BITS) as usize;
            let rank = ((hash << REGISTER_BITS) | (1 << (REGISTER_BITS - 1))).leading_zeros() as u8 + 1;
            self.registers[register] = self.registers[register].max(rank);
        }
    }

    /// Returns the estimated number of distinct pages that a trace touches.
    pub fn pages(&self) -> u64 {
        let mut counts = [0u32; RANK_BITS + 2];
        for &rank in &self.registers {
            counts[usize::from(rank)] += 1;
        }
        let m = REGISTERS as f64;
        let mut z = m * tau(1.0 - f64::from(counts[RANK_BITS + 1]) / m);
        for &count in counts[1..=RANK_BITS].iter().rev() {
            z = 0.5 * (z + f64::from(count));
        }
        z += m * sigma(f64::from(counts[0]) / m);
        (m * m / (2.0 * std::f64::consts::LN_2 * z)).round() as u64
    }
}

/// Returns the term for empty registers (sigma in Ertl's paper) of the HyperLogLog estimator of distinct pages, from
/// the fraction `x` of registers that are empty.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// Returns the term for full registers (tau in Ertl's paper) of the HyperLogLog estimator of distinct pages, from the
/// fraction `x` of registers that are below the greatest count of leading zeros.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

/// State of a fast hash function for small keys of hash maps whose iteration order does not matter.
#[derive(Default)]
pub(crate) struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.write_u64(chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
}

/// Type of a hash map with the fast hash function [`MixHasher`].
pub(crate) type MixMap<K, V> = HashMap<K, V, BuildHasherDefault<MixHasher>>;

/// Constant: number of pages in one 64-bit word of a [`PageSet`], which has one bit for each page.
const WORD: u64 = 64;

/// Type of the exact set of the pages that a trace touches, with one bit for each page; its memory grows with the
/// footprint.
#[derive(Default)]
pub(crate) struct PageSet {
    words: MixMap<(u32, u64), u64>,
}

impl PageSet {
    /// Adds the pages `pages` of volume `volume` to the set of touched pages.
    pub fn touch(&mut self, volume: u32, pages: std::ops::Range<u64>) {
        let mut page = pages.start;
        while page < pages.end {
            let word = page / WORD;
            let end = pages.end.min((word + 1) * WORD);
            let bits = bits_below(end - word * WORD) & !bits_below(page - word * WORD);
            *self.words.entry((volume, word)).or_default() |= bits;
            page = end;
        }
    }

    /// Returns the number of touched pages in the set, each counted once.
    pub fn pages(&self) -> u64 {
        self.words.values().map(|bits| u64::from(bits.count_ones())).sum()
    }

    /// Numbers the pages of the set without gaps, in the order of volume and address, and returns the numbering.
    pub fn rank(self) -> PageRanks {
        let mut sorted: Vec<((u32, u64), u64)> = self.words.into_iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        let mut before = 0;
        let mut words = MixMap::default();
        for (key, bits) in sorted {
            words.insert(key, (bits, before));
            before += u64::from(bits.count_ones());
        }
        PageRanks { words, pages: before }
    }
}

/// Returns a 64-bit word of a page set in which the lowest `count` bits (one for each page) are set.
fn bits_below(count: u64) -> u64 {
    if count >= WORD { u64::MAX } else { (1 << count) - 1 }
}

/// Record of the numbering, without gaps, of the pages that a trace touches, in the order of volume and address.
pub(crate) struct PageRanks {
    /// Map from each 64-bit word of a page set, which stands for 64 pages of a volume, to its bits (1: page touched)
    /// and the number of touched pages in all words before it.
    words: MixMap<(u32, u64), (u64, u64)>,
    pages: u64,
}

impl PageRanks {
    /// Returns the number of page `page` of volume `volume` in the numbering, without gaps, of all touched pages;
    /// `None` when the page was not touched.
    #[inline]
    pub fn of(&self, volume: u32, page: u64) -> Option<u64> {
        let &(bits, before) = self.words.get(&(volume, page / WORD))?;
        let bit = page % WORD;
        (bits >> bit & 1 == 1).then(|| before + u64::from((bits & bits_below(bit)).count_ones()))
    }

    /// Returns the number of all pages that a trace touches, which are numbered without gaps.
    pub fn pages(&self) -> u64 {
        self.pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_within_four_standard_errors() {
        for pages in [1u64, 100, 5_000, 40_000, 1_000_000] {
            let mut estimate = Estimate::new();
            estimate.touch(3, 1_000_000..1_000_000 + pages);
            estimate.touch(3, 1_000_000..1_000_000 + pages);
            let error = (estimate.pages() as f64 / pages as f64 - 1.0).abs();
            assert!(error < 4.0 * 1.04 / 128.0, "{pages}: {}", estimate.pages());
        }
        assert_eq!(Estimate::new().pages(), 0);
    }

    #[test]
    fn volumes_do_not_share_pages() {
        let mut estimate = Estimate::new();
        let mut exact = PageSet::default();
        for volume in 0..50 {
            estimate.touch(volume, 0..1000);
            exact.touch(volume, 0..1000);
        }
        assert_eq!(exact.pages(), 50_000);
        assert!((48_000..52_000).contains(&estimate.pages()), "{}", estimate.pages());
    }

    #[test]
    fn ranks_follow_the_addresses() {
        let mut set = PageSet::default();
        set.touch(1, 0..2);
        set.touch(0, 60..70);
        set.touch(0, 1_000_000..1_000_001);
        let ranks = set.rank();
        assert_eq!(ranks.pages(), 13);
        assert_eq!((ranks.of(0, 60), ranks.of(0, 69)), (Some(0), Some(9)));
        assert_eq!((ranks.of(0, 1_000_000), ranks.of(1, 1), ranks.of(1, 2)), (Some(10), Some(12), None));
    }
}
