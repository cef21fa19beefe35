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

/// Interface of the number types (such as 32-bit floating point and 8-bit integers) in which a min-sum decoder can
/// compute its messages.
pub trait Number: Copy + Default + PartialEq + PartialOrd {
    /// Type of the factor and offset by which check messages are reduced.
    type Damping: Copy;
    /// Type of a message's sign: a whole number of the same width as the message, all ones if the message is below
    /// zero, else zero.
    type Sign: Copy + Default + std::ops::BitXor<Output = Self::Sign>;
    /// Constant: greatest value of the number type, from which a search for the message of least magnitude starts.
    const MOST: Self;
    fn less(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn magnitude(self) -> Self;
    fn sign(self) -> Self::Sign;
    /// Returns the number, negated if `sign` is all ones.
    fn signed(self, sign: Self::Sign) -> Self;
    fn damped(self, by: Self::Damping) -> Self;
}

/// Set of parameters by which a decoder's messages are damped as floating-point numbers: multiplied by `factor`, then
/// reduced by `offset`.
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

/// Set of parameters by which a decoder's messages are damped as 8-bit integers: multiplied by `eighths` eighths,
/// reduced by `offset`, limited to `most`. The limit prevents that a saturated belief changes its sign when a check's
/// last message is subtracted from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damping8 {
    pub eighths: i16,
    pub offset: i16,
    pub most: i16,
}

/// Implements [`Number`] for messages that are 8-bit integers: values from -127 to 127, which saturate at both ends.
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

    /// Returns the message multiplied by the factor, rounded to the nearest whole number (halves up), then reduced by
    /// the offset and limited in magnitude.
    #[inline(always)]
    fn damped(self, by: Damping8) -> Self {
        (((i16::from(self) * by.eighths + 4) >> 3) - by.offset).clamp(0, by.most) as Self
    }
}

/// State of a min-sum decoder while it decodes several codewords together: the beliefs of all bits, and the last
/// messages from checks to bits.
#[derive(Clone, Debug)]
pub struct Beliefs<T, const WORDS: usize> {
    /// List with, for each bit of the code, the decoder's present belief (log-likelihood ratio) in each of the
    /// codewords that are decoded together.
    pub of_bits: Vec<[T; WORDS]>,
    /// List with, for each edge of the code's graph, the last message from the check to the bit in each codeword.
    pub said: Vec<[T; WORDS]>,
}

impl<T: Number, const WORDS: usize> Beliefs<T, WORDS> {
    pub fn new(graph: &Graph) -> Self {
        let zeros = [T::default(); WORDS];
        Self { of_bits: vec![zeros; graph.bits()], said: vec![zeros; graph.edges()] }
    }

    /// Resets the state for new codewords: beliefs are the ratios from the channel, each converted by `value`, and
    /// messages are zero.
    #[inline(always)]
    pub fn begin(&mut self, ratios: &[f32], value: impl Fn(f32) -> T) {
        assert_eq!(ratios.len(), self.of_bits.len() * WORDS, "ratios of so many words");
        self.said.fill([T::default(); WORDS]);
        for (lane, ratios) in self.of_bits.iter_mut().zip(ratios.chunks_exact(WORDS)) {
            for (belief, ratio) in lane.iter_mut().zip(ratios) {
                *belief = value(*ratio);
            }
        }
    }

    /// Writes the hard decision for each bit of all codewords to `bits`, codeword w in bit w: one if the belief is
    /// below zero.
    pub fn signs(&self, bits: &mut Vec<u64>) {
        let sign = |(word, belief): (usize, &T)| u64::from(*belief < T::default()) << word;
        let of_lane = |lane: &[T; WORDS]| lane.iter().enumerate().map(sign).fold(0, |bits, sign| bits | sign);
        bits.clear();
        bits.extend(self.of_bits.iter().map(of_lane));
    }
}

/// Runs one iteration of a layered min-sum decoder: the parity checks, one after the other, update the beliefs
/// (log-likelihood ratios) of their bits.
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
        let told = hear(row, &beliefs.of_bits, said, heard, by);
        for ((bit, said), heard) in row.iter().zip(said).zip(heard) {
            let belief = &mut beliefs.of_bits[*bit as usize];
            for word in 0..WORDS {
                said[word] = told.to(word, heard[word]);
                belief[word] = heard[word].plus(said[word]);
            }
        }
    }
}

/// Runs one iteration of a flooding decoder: every check reads the beliefs (log-likelihood ratios) from before the
/// iteration. Afterwards each belief is the channel's ratio plus the messages of all checks of the bit.
#[inline(always)]
pub fn through_all_at_once<T: Number, const WORDS: usize>(
    graph: &Graph,
    beliefs: &mut Beliefs<T, WORDS>,
    channel: &[[T; WORDS]],
    next: &mut Vec<[T; WORDS]>,
    heard: &mut [[T; WORDS]],
    by: T::Damping,
) {
    next.copy_from_slice(channel);
    for check in 0..graph.checks() {
        let row = graph.row(check);
        let said = &mut beliefs.said[graph.span(check)];
        let heard = &mut heard[..row.len()];
        let told = hear(row, &beliefs.of_bits, said, heard, by);
        for ((bit, said), heard) in row.iter().zip(said).zip(heard) {
            let next = &mut next[*bit as usize];
            for word in 0..WORDS {
                said[word] = told.to(word, heard[word]);
                next[word] = next[word].plus(said[word]);
            }
        }
    }
    std::mem::swap(&mut beliefs.of_bits, next);
}

/// Record of the messages that one parity check sends to its bits: magnitude `to_least` for the bit whose message to
/// the check had the least magnitude (`least`), magnitude `to_others` for all other bits, and `odd`, the sign of the
/// product of all received messages.
struct CheckTold<T: Number, const WORDS: usize> {
    least: [T; WORDS],
    to_least: [T; WORDS],
    to_others: [T; WORDS],
    odd: [T::Sign; WORDS],
}

impl<T: Number, const WORDS: usize> CheckTold<T, WORDS> {
    /// Returns the parity check's message, in codeword number `word` of the batch, to a bit whose own message to the
    /// check was `value`.
    #[inline(always)]
    fn to(&self, word: usize, value: T) -> T {
        // Where two are the least, the second is as small. Both are read first: else the compiler chooses an address.
        let (to_least, to_others) = (self.to_least[word], self.to_others[word]);
        let size = if value.magnitude() == self.least[word] { to_least } else { to_others };
        size.signed(self.odd[word] ^ value.sign())
    }
}

/// Computes the messages that a check receives (each bit's belief without the check's own last message to the bit),
/// stores them in `heard`, and returns the check's new messages.
#[inline(always)]
fn hear<T: Number, const WORDS: usize>(
    row: &[u32],
    of_bits: &[[T; WORDS]],
    said: &[[T; WORDS]],
    heard: &mut [[T; WORDS]],
    by: T::Damping,
) -> CheckTold<T, WORDS> {
    let (mut least, mut second, mut odd) = ([T::MOST; WORDS], [T::MOST; WORDS], [T::Sign::default(); WORDS]);
    for ((bit, said), heard) in row.iter().zip(said).zip(heard) {
        let belief = &of_bits[*bit as usize];
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
    let (mut to_least, mut to_others) = (second, least);
    for word in 0..WORDS {
        to_least[word] = second[word].damped(by);
        to_others[word] = least[word].damped(by);
    }
    CheckTold { least, to_least, to_others, odd }
}

/// Constant: number of codewords that are decoded together with messages of 32-bit floating-point numbers.
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
pub fn through_all_at_once_32(
    graph: &Graph,
    beliefs: &mut Beliefs<f32, WORDS_32>,
    channel: &[[f32; WORDS_32]],
    next: &mut Vec<[f32; WORDS_32]>,
    heard: &mut [[f32; WORDS_32]],
    by: Damping32,
) {
    through_all_at_once(graph, beliefs, channel, next, heard, by);
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

/// Resets the state for new codewords, with ratios as 8-bit levels: multiplied by `scale`, rounded to the nearest,
/// limited to `most`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn begin_8(beliefs: &mut Beliefs<i8, WORDS_8>, ratios: &[f32], scale: f32, most: f32) {
    // Beside 1.5 * 2^23 a number in 32 bits has no place for fractions: the sum is rounded to the nearest, ties to even, and its last
    // byte is the level.
    const WHOLE: f32 = 12_582_912.0;
    beliefs.begin(ratios, |ratio| ((ratio * scale).clamp(-most, most) + WHOLE).to_bits() as i8);
}

/// Writes the hard decision for each bit of 64 codewords with 8-bit beliefs to `bits`, codeword w in bit w.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn signs_8(beliefs: &Beliefs<i8, WORDS_8>, bits: &mut Vec<u64>) {
    bits.clear();
    bits.extend(beliefs.of_bits.iter().map(|lane| {
        let mut gathered = [0; WORDS_8 / 8];
        for (gathered, bytes) in gathered.iter_mut().zip(lane.as_chunks::<8>().0) {
            // The sign bits of eight bytes are gathered by one product.
            let eight = u64::from_le_bytes(bytes.map(|byte| byte as u8));
            *gathered = (eight >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        }
        gathered.iter().enumerate().fold(0, |bits, (at, eight)| bits | eight << (8 * at))
    }));
}
