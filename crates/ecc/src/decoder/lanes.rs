//! Layered min-sum on several words at once: one source for 32-bit floating point and for 8-bit integers.
//!
//! A lane holds one value of each word. The loops over it have a fixed length, no branches and no calls, so that the
//! compiler makes vector instructions of them; they are compiled for any processor, for AVX2 and for AVX-512, and which runs is decided
//! when it runs. Sums, differences, products and comparisons of one value each: the digits are the same.
//!
//! What a check says is kept for each of its edges. Two smallest magnitudes and a place would be enough, in a quarter of the
//! memory.

use crate::ldpc::Graph;
use multiversion::multiversion;

/// A number that messages are made of.
pub trait Number: Copy + Default + PartialEq + PartialOrd {
    /// What messages are multiplied by and lowered by.
    type Damping: Copy;
    /// A whole number as wide: all ones where a number is below zero, else zero.
    type Sign: Copy + Default + std::ops::BitXor<Output = Self::Sign>;
    /// Above all magnitudes.
    const MOST: Self;
    fn less(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn magnitude(self) -> Self;
    fn sign(self) -> Self::Sign;
    /// The negative where the sign is one.
    fn signed(self, sign: Self::Sign) -> Self;
    fn damped(self, by: Self::Damping) -> Self;
}

/// A factor and what is taken off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping32 {
    pub factor: f32,
    pub offset: f32,
}

impl Number for f32 {
    type Damping = Damping32;
    type Sign = i32;
    const MOST: Self = Self::MAX;

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn sign(self) -> i32 {
        -i32::from(self < 0.0)
    }

    #[inline(always)]
    fn signed(self, sign: i32) -> Self {
        Self::from_bits(self.to_bits() ^ (sign as u32 & 0x8000_0000))
    }

    #[inline(always)]
    fn damped(self, by: Damping32) -> Self {
        (self * by.factor - by.offset).max(0.0)
    }
}

/// A factor in eighths, what is taken off, and the most that may be left. A belief that has come to an end must not lose
/// itself when what a check said is taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damping8 {
    pub eighths: i16,
    pub offset: i16,
    pub most: i16,
}

/// From -127 to 127: the ends stand for all beyond.
impl Number for i8 {
    type Damping = Damping8;
    type Sign = Self;
    const MOST: Self = Self::MAX;

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self.saturating_sub(other).max(-Self::MAX)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other).max(-Self::MAX)
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.wrapping_abs()
    }

    #[inline(always)]
    fn sign(self) -> Self {
        self >> 7
    }

    #[inline(always)]
    fn signed(self, sign: Self) -> Self {
        (self ^ sign).wrapping_sub(sign)
    }

    /// To the nearest; halves up.
    #[inline(always)]
    fn damped(self, by: Damping8) -> Self {
        (((i16::from(self) * by.eighths + 4) >> 3) - by.offset).clamp(0, by.most) as Self
    }
}

/// What decoding works on.
#[derive(Clone, Debug)]
pub struct Beliefs<T, const WORDS: usize> {
    /// What is believed of each bit.
    pub of_bits: Vec<[T; WORDS]>,
    /// What each check said of its bits last.
    pub said: Vec<[T; WORDS]>,
}

impl<T: Number, const WORDS: usize> Beliefs<T, WORDS> {
    pub fn new(graph: &Graph) -> Self {
        let zeros = [T::default(); WORDS];
        Self { of_bits: vec![zeros; graph.bits()], said: vec![zeros; graph.edges()] }
    }

    /// Begins anew with what the channel says, value by value.
    pub fn begin(&mut self, ratios: &[f32], value: impl Fn(f32) -> T) {
        assert_eq!(ratios.len(), self.of_bits.len() * WORDS, "ratios of so many words");
        self.said.fill([T::default(); WORDS]);
        for (lane, ratios) in self.of_bits.iter_mut().zip(ratios.chunks_exact(WORDS)) {
            for (belief, ratio) in lane.iter_mut().zip(ratios) {
                *belief = value(*ratio);
            }
        }
    }

    /// Writes the bits as they are believed to be.
    pub fn signs(&self, bits: &mut Vec<u64>) {
        let sign = |(word, belief): (usize, &T)| u64::from(*belief < T::default()) << word;
        let of_lane = |lane: &[T; WORDS]| lane.iter().enumerate().map(sign).fold(0, |bits, sign| bits | sign);
        bits.clear();
        bits.extend(self.of_bits.iter().map(of_lane));
    }
}

/// One iteration: every check in order.
#[inline(always)]
pub fn through_all<T: Number, const WORDS: usize>(
    graph: &Graph,
    beliefs: &mut Beliefs<T, WORDS>,
    heard: &mut [[T; WORDS]],
    by: T::Damping,
) {
    for check in 0..graph.checks() {
        let row = graph.row(check);
        let said = &mut beliefs.said[graph.span(check)];
        let heard = &mut heard[..row.len()];
        let (mut least, mut second, mut odd) =
            ([T::MOST; WORDS], [T::MOST; WORDS], [T::Sign::default(); WORDS]);
        for ((bit, said), heard) in row.iter().zip(said.iter()).zip(heard.iter_mut()) {
            let belief = &beliefs.of_bits[*bit as usize];
            for word in 0..WORDS {
                let value = belief[word].less(said[word]);
                heard[word] = value;
                let size = value.magnitude();
                odd[word] = odd[word] ^ value.sign();
                let larger = if size > least[word] { size } else { least[word] };
                second[word] = if larger < second[word] { larger } else { second[word] };
                least[word] = if size < least[word] { size } else { least[word] };
            }
        }
        let (mut of_least, mut of_others) = (second, least);
        for word in 0..WORDS {
            of_least[word] = second[word].damped(by);
            of_others[word] = least[word].damped(by);
        }
        for ((bit, said), heard) in row.iter().zip(said).zip(heard) {
            let belief = &mut beliefs.of_bits[*bit as usize];
            for word in 0..WORDS {
                let value = heard[word];
                // Where two are the least, the second is as small. Both are read first: else the compiler chooses an address.
                let (of_least, of_others) = (of_least[word], of_others[word]);
                let size = if value.magnitude() == least[word] { of_least } else { of_others };
                let new = size.signed(odd[word] ^ value.sign());
                said[word] = new;
                belief[word] = value.plus(new);
            }
        }
    }
}

/// Words side by side in floating point, and in integers.
pub const WORDS_32: usize = 16;
pub const WORDS_8: usize = 64;

#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn through_all_32(
    graph: &Graph,
    beliefs: &mut Beliefs<f32, WORDS_32>,
    heard: &mut [[f32; WORDS_32]],
    by: Damping32,
) {
    through_all(graph, beliefs, heard, by);
}

#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn through_all_8(
    graph: &Graph,
    beliefs: &mut Beliefs<i8, WORDS_8>,
    heard: &mut [[i8; WORDS_8]],
    by: Damping8,
) {
    through_all(graph, beliefs, heard, by);
}

/// The bits of 64 words of integers.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn signs_8(beliefs: &Beliefs<i8, WORDS_8>, bits: &mut Vec<u64>) {
    bits.clear();
    for lane in &beliefs.of_bits {
        let mut signs = 0;
        for (at, bytes) in lane.chunks_exact(8).enumerate() {
            // The sign bits of eight bytes are gathered by one product.
            let mut eight = 0;
            for (at, byte) in bytes.iter().enumerate() {
                eight |= u64::from(*byte as u8) << (8 * at);
            }
            let gathered = (eight >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            signs |= gathered << (8 * at);
        }
        bits.push(signs);
    }
}
