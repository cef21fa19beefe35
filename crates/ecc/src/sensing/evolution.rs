//! Density evolution of `min-sum-8` on `nand-4k-889`: how far a channel is from what the code corrects.
//!
//! Of a word without end the values of all bits, and all messages of checks, are distributions, which an iteration turns into
//! the next. Of a channel in which a share of the bits is exchanged for their opposites this says up to which share words are
//! still corrected: its *margin*, below zero where they are not. A word of finite length has other shares of values than
//! its channel has; how much each value moves the margin, and so how much the margins of words differ, is the *spread*.
//! Checks are taken all at once; the decoder takes them in layers, in about half of the iterations.
//!
//! With two numbers for all pages, for noise, and for hard and soft reads, words fail with the chance `Q(distance)`, where
//!
//! ```text
//! distance = (margin - ASIDE) / (WIDER spread / sqrt(bits of a word))
//! ```
//!
//! docs/explanation/decoding.md has the points that the two numbers are fitted to, and others. Evolution: Richardson and
//! Urbanke, 2001; its quantised form: Chen and others, 2005.

use super::Zones;
use multiversion::multiversion;

/// Constant: greatest magnitude of a level and of a message of a check, as in `min-sum-8` with its usual parameters.
const LEVEL_MOST: usize = 31;
/// Constant: greatest magnitude of a belief, as in `min-sum-8`.
const MOST: usize = 127;
const LEVELS_PER_RATIO: f64 = 2.0;
/// Constant: share of the edges of `nand-4k-889` at bits that take part in four checks; the others are at bits in three.
/// Each check has 35 bits, so that a message comes of 34 others.
const IN_FOUR: f64 = 131_072.0 / 143_360.0;
const ITERATIONS: usize = 40;
/// Constant: share of wrong bits below which the rest are corrected in the next iterations.
const CORRECTED: f64 = 1e-3;
/// Constant: share of bits exchanged for their opposites that no channel bears.
const EXCHANGED_MOST: f64 = 0.0125;
/// Constant: number of halvings in the search for the share of bits at which words begin to fail.
const HALVINGS: usize = 17;
/// Constant: share of values that counts as none.
const NOTHING: f64 = 1e-15;
/// Constant: share of a word's bits by which the channel is changed to find how much a value moves the margin.
const MOVED: f64 = 1e-8;
/// Constant: factor by which the margins of words differ more than their values explain, because a decoder does not treat
/// all words with the same values alike; fitted.
const WIDER: f64 = 1.157;
/// Constant: margin at which every other word fails; fitted.
const ASIDE: f64 = 1.21e-5;
/// Constant: number of bits of a word of `nand-4k-889`.
const BITS: f64 = 36_864.0;

/// Type of the distribution of levels of the bits of a channel, in favour of the sent bit: index 0 is level -31, the most
/// against it.
type LevelShares = [f64; 2 * LEVEL_MOST + 1];

/// Returns the number of standard deviations by which words whose bits are received as the values `zones` are from
/// failing; below zero where more than half of them fail.
pub fn distance(zones: &Zones) -> f64 {
    let (margin, spread) = evolved(zones);
    (margin - ASIDE) / (WIDER * spread / BITS.sqrt())
}

/// Returns margin and spread of a channel: the share of bits that may be exchanged for their opposites before words fail,
/// and the standard deviation of one bit's part in the margin of a word. The margin of a channel whose words fail is that
/// of the sure bits that it lacks, each worth what it moves the margin where words begin to be corrected.
pub fn evolved(zones: &Zones) -> (f64, f64) {
    let levels = levels(zones);
    let is_corrected = wrong(&levels, true) < CORRECTED;
    let shift: fn(&LevelShares, f64) -> LevelShares = if is_corrected { exchanged } else { with_sure };
    let share = threshold(&levels, shift, is_corrected);
    let edge = shift(&levels, share);
    let here = wrong(&edge, false);
    let slope = |levels: &LevelShares| (wrong(levels, false) - here) / MOVED;
    let by_exchange = slope(&exchanged(&edge, MOVED));
    let (mut mean, mut square) = (0.0, 0.0);
    for (at, share_of) in levels.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let mut moved = levels.map(|share| share * (1.0 - MOVED));
        moved[at] += MOVED;
        let moves = -slope(&shift(&moved, share)) / by_exchange;
        mean += share_of * moves;
        square += share_of * moves * moves;
    }
    let margin = match is_corrected {
        true => share,
        false => share * slope(&with_sure(&levels, share + MOVED)) / by_exchange,
    };
    (margin, (square - mean * mean).max(0.0).sqrt())
}

/// Returns the distribution of levels of a channel.
fn levels(zones: &Zones) -> LevelShares {
    let mut levels = [0.0; 2 * LEVEL_MOST + 1];
    let [zero, one] = &zones.shares;
    for (ratio, (zero, one)) in zones.ratios.iter().zip(zero.iter().zip(one)) {
        let most = LEVEL_MOST as f64;
        let level = (LEVELS_PER_RATIO * ratio).round_ties_even().clamp(-most, most);
        levels[(most + level) as usize] += 0.5 * zero;
        levels[(most - level) as usize] += 0.5 * one;
    }
    levels
}

/// Returns the distribution of levels after the share `share` of bits was exchanged for their opposites.
fn exchanged(levels: &LevelShares, share: f64) -> LevelShares {
    std::array::from_fn(|at| levels[at] + share * (levels[2 * LEVEL_MOST - at] - levels[at]))
}

/// Returns the distribution of levels after the share `share` of bits was replaced by bits that are right with the greatest
/// level.
fn with_sure(levels: &LevelShares, share: f64) -> LevelShares {
    let mut mixed = levels.map(|of| of * (1.0 - share));
    mixed[2 * LEVEL_MOST] += share;
    mixed
}

/// Returns the share of bits for which words of the changed channel `shift` begin to fail (`is_corrected`), or to be
/// corrected.
fn threshold(levels: &LevelShares, shift: fn(&LevelShares, f64) -> LevelShares, is_corrected: bool) -> f64 {
    let (mut low, mut high) = (0.0, if is_corrected { EXCHANGED_MOST } else { 1.0 });
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        match (wrong(&shift(levels, middle), true) < CORRECTED) == is_corrected {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// Returns the share of bits that are wrong after the iterations; `ends_early`: where it is plain on which side of
/// [`CORRECTED`] it ends, the share so far.
#[multiversion(targets("x86_64+avx2"))]
fn wrong(levels: &LevelShares, ends_early: bool) -> f64 {
    let mut told = told(&spread_out(levels));
    let (mut before, mut wrong) = (1.0, 1.0);
    for iteration in 1..=ITERATIONS {
        let two: [f64; 125] = convolved(&told, &told);
        let three: [f64; 187] = convolved(levels, &two);
        let of_others: [f64; 187] = convolved(&told, &two);
        let four: [f64; 249] = convolved(levels, &of_others);
        if iteration == ITERATIONS || (ends_early && iteration % 4 == 0) {
            wrong = below_zero(&four, &told);
            if ends_early && (wrong < 1e-6 || wrong > 0.999 * before) {
                break;
            }
            before = wrong;
        }
        let mut heard = [0.0; 2 * MOST + 1];
        for (at, share) in four.iter().enumerate() {
            heard[MOST - 124 + at] += IN_FOUR * share;
        }
        for (at, share) in three.iter().enumerate() {
            heard[MOST - 93 + at] += (1.0 - IN_FOUR) * share;
        }
        told = self::told(&heard);
    }
    wrong
}

fn spread_out(levels: &LevelShares) -> [f64; 2 * MOST + 1] {
    let mut heard = [0.0; 2 * MOST + 1];
    heard[MOST - LEVEL_MOST..=MOST + LEVEL_MOST].copy_from_slice(levels);
    heard
}

/// Returns the distribution of the sum of two independent values; both distributions begin at their least value.
#[inline(always)]
fn convolved<const MANY: usize, const SUM: usize>(few: &LevelShares, many: &[f64; MANY]) -> [f64; SUM] {
    const { assert!(2 * LEVEL_MOST + MANY == SUM) };
    let mut sum = [0.0; SUM];
    for (at, share) in few.iter().enumerate().filter(|(_, share)| **share > NOTHING) {
        for (sum, other) in sum[at..].iter_mut().zip(many) {
            *sum += share * other;
        }
    }
    sum
}

/// Returns the share of beliefs below zero, and half of the share at zero, where a belief is the sum of two independent
/// values with these distributions, each about zero.
fn below_zero(many: &[f64; 249], few: &LevelShares) -> f64 {
    let mut until = [0.0; 250];
    for (at, share) in many.iter().enumerate() {
        until[at + 1] = until[at] + share;
    }
    // The sum is below zero where the index of the one is below 155 less that of the other.
    let below = |at: usize| 124 + LEVEL_MOST - at;
    few.iter().enumerate().map(|(at, share)| share * 0.5 * (until[below(at)] + until[below(at) + 1])).sum()
}

/// Returns the distribution of the message that a check sends to a bit, from the distribution of the values of its 34
/// others: the least magnitude, six eighths of it, with the product of signs.
fn told(heard: &[f64; 2 * MOST + 1]) -> LevelShares {
    let (mut least, mut signed) = ([0.0; MOST + 2], [0.0; MOST + 2]);
    let (mut either, mut apart) = (0.0, 0.0);
    for magnitude in (0..=MOST).rev() {
        let (right, wrong) = (heard[MOST + magnitude], heard[MOST - magnitude]);
        either += if magnitude == 0 { right } else { right + wrong };
        apart += right - wrong;
        least[magnitude] = to_the_34th(either.clamp(0.0, 1.0));
        signed[magnitude] = to_the_34th(apart);
    }
    let mut told = [0.0; 2 * LEVEL_MOST + 1];
    told[LEVEL_MOST] = least[0] - least[1];
    for magnitude in 1..=MOST {
        let (least, signed) =
            (least[magnitude] - least[magnitude + 1], signed[magnitude] - signed[magnitude + 1]);
        let message = ((magnitude * 12 + 8) / 16).min(LEVEL_MOST);
        told[LEVEL_MOST + message] += 0.5 * (least + signed);
        told[LEVEL_MOST - message] += 0.5 * (least - signed);
    }
    let told = told.map(|share: f64| share.max(0.0));
    let whole: f64 = told.iter().sum();
    told.map(|share| share / whole)
}

fn to_the_34th(value: f64) -> f64 {
    let square = value * value;
    let fourth = square * square;
    let eighth = fourth * fourth;
    let sixteenth = eighth * eighth;
    sixteenth * sixteenth * square
}
