//! What becomes of a word on its way: the ratio that a decoder is told of each bit.
//!
//! Noise belongs to a bit by number, as all chance of cells does (`nand::cells::normal::Stream`): bit `b` of word `w` is
//! the same on every machine and in any order of asking.

use crate::sensing::Zones;
use nand::cells::normal::{Stream, above, quantile, quantiles};

/// Kind of memoryless channel that stands for storing and reading codewords: which log-likelihood ratio the decoder
/// receives for each bit.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// Case of channel with white Gaussian noise: the bits are sent as the values +1 (a zero bit) and -1 (a one bit).
    Gauss {
        /// Field: standard deviation of the noise, relative to the values +1 and -1.
        sigma: f64,
    },
    /// Case of channel for a hard read: each bit is inverted with the probability of a raw bit error.
    Flips {
        /// Field: raw bit error rate of the hard-read channel: probability (0 to 1) that a bit is read wrong.
        rate: f64,
    },
    /// Case of channel with few levels: the decoder receives each bit as one of a few whole-number log-likelihood
    /// ratios; a sent one gets the negatives of the ratios of a sent zero, with the same probabilities.
    Levels(Levels),
    /// Case of channel for a page's cells: the decoder receives each bit as a sensed value (a zone of threshold
    /// voltage) with its log-likelihood ratio; the probabilities of the values may differ for zeros and ones.
    Values(Values),
}

/// Record of the lists for a channel with few received values: the probability with which a sent zero bit and a sent
/// one bit are received as each value, and the log-likelihood ratio of each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Pair of lists, one for a sent zero bit and one for a sent one bit, of rising bounds for a random number of 64
    /// uniform bits: a number below bound k gives received value k, a number above all bounds the last value.
    below: [Vec<u64>; 2],
    /// List of the log-likelihood ratios that the decoder receives, one for each possible received value (zone of
    /// threshold voltage) of the channel; a ratio above zero means that a zero bit is more likely.
    ratios: Vec<f32>,
}

/// Record with the list of the whole-number log-likelihood ratios (levels) as which a sent zero is received, with their
/// probabilities; a sent one is received as the negatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// List of rising bounds for a random number of 32 uniform bits: a number below the k-th bound gives the k-th
    /// received level (log-likelihood ratio), a number above all bounds the last level.
    pub below: Vec<u32>,
    /// List of the whole-number log-likelihood ratios as which a sent zero is received: one more than the number of
    /// bounds.
    pub levels: Vec<i8>,
}

impl Channel {
    /// Makes the channel of Gaussian noise with this ratio, in dB, of the energy per data bit to the noise density
    /// (Eb/N0), for a code of rate `rate`.
    pub fn gauss(eb_n0_db: f64, rate: f64) -> Self {
        Self::Gauss { sigma: (1.0 / (2.0 * rate * libm::pow(10.0, eb_n0_db / 10.0))).sqrt() }
    }

    /// Makes the quantised channel of Gaussian noise with standard deviation `sigma`: log-likelihood ratios times
    /// `levels_per_ratio` are rounded to the nearest whole number, at most `most` in magnitude.
    pub fn coarse_gauss(sigma: f64, levels_per_ratio: f64, most: i8) -> Self {
        let levels: Vec<i8> = (-most..=most).rev().collect();
        // A level holds for all ratios down to halfway to the next.
        let below = levels[..levels.len() - 1].iter().map(|level| {
            let ratio = (f64::from(*level) - 0.5) / levels_per_ratio;
            let received = ratio * sigma * sigma / 2.0;
            (above((received - 1.0) / sigma) * 4_294_967_296.0) as u32
        });
        Self::Levels(Levels { below: below.collect(), levels })
    }

    /// Makes the quantised channel of a hard read with raw bit error rate `rate`: each bit's log-likelihood ratio is
    /// `level` or its negative.
    pub fn coarse_flips(rate: f64, level: i8) -> Self {
        Self::Levels(Levels {
            below: vec![((1.0 - rate) * 4_294_967_296.0) as u32],
            levels: vec![level, -level],
        })
    }

    /// Makes the channel of a read of a page: the received values are the zones of threshold voltage into which the
    /// page's sensings divide the cells.
    pub fn of_zones(zones: &Zones) -> Self {
        let bounds = |shares: &Vec<f64>| {
            let mut sum = 0.0;
            let bound = |share: &f64| {
                sum += share;
                // Saturates at the most, which only draws of all ones reach.
                (sum * 18_446_744_073_709_551_616.0) as u64
            };
            shares[..shares.len() - 1].iter().map(bound).collect::<Vec<u64>>()
        };
        let [zero, one] = &zones.shares;
        Self::Values(Values {
            below: [bounds(zero), bounds(one)],
            ratios: zones.ratios.iter().map(|ratio| *ratio as f32).collect(),
        })
    }

    /// Writes the log-likelihood ratios received for bit number `bit`, sent as `symbol` (1: a zero, -1: a one), in
    /// several codewords at once, one noise stream for each codeword; the values are those of [`Self::ratio`].
    pub fn ratios(&self, noises: &[Stream], bit: u64, symbol: f64, ratios: &mut [f32]) {
        let Self::Gauss { sigma } = self else {
            for (ratio, noise) in ratios.iter_mut().zip(noises) {
                *ratio = self.ratio(*noise, bit, symbol);
            }
            return;
        };
        let scale = sigma * sigma;
        for (ratios, noises) in ratios.chunks_mut(AT_ONCE).zip(noises.chunks(AT_ONCE)) {
            let mut draws = [0.5; AT_ONCE];
            for (draw, noise) in draws.iter_mut().zip(noises) {
                *draw = noise.uniform(bit);
            }
            for (ratio, normal) in ratios.iter_mut().zip(quantiles(&draws)) {
                *ratio = (2.0 * (symbol + sigma * normal) / scale) as f32;
            }
        }
    }

    /// Returns the log-likelihood ratio received for a bit sent as `symbol`, 1 for a zero and -1 for a one; `noise`
    /// (random stream) and `bit` (index of the bit) select the random noise.
    #[inline]
    pub fn ratio(&self, noise: Stream, bit: u64, symbol: f64) -> f32 {
        match self {
            Self::Gauss { sigma } => {
                let received = symbol + sigma * quantile(noise.uniform(bit));
                (2.0 * received / (sigma * sigma)) as f32
            }
            Self::Flips { rate } => {
                let ratio = libm::log((1.0 - rate) / rate);
                let kept = noise.uniform(bit) >= *rate;
                (if kept { symbol * ratio } else { -symbol * ratio }) as f32
            }
            Self::Levels(Levels { below, levels }) => {
                let draw = (noise.bits(bit) >> 32) as u32;
                let level = levels[below.partition_point(|below| *below <= draw)];
                symbol as f32 * f32::from(level)
            }
            Self::Values(Values { below, ratios }) => {
                let draw = noise.bits(bit);
                ratios[below[usize::from(symbol < 0.0)].partition_point(|below| *below <= draw)]
            }
        }
    }
}

/// Constant: number of standard normal random values that are drawn together, in vector code.
const AT_ONCE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_together_are_those_of_each() {
        let noises: Vec<Stream> = (0..40).map(Stream::new).collect();
        for channel in [Channel::Gauss { sigma: 0.43 }, Channel::Flips { rate: 0.1 }] {
            for bit in 0..500 {
                let (mut together, symbol) = ([0.0; 40], if bit % 2 == 0 { 1.0 } else { -1.0 });
                channel.ratios(&noises, bit, symbol, &mut together);
                let same = |(ratio, noise): (&f32, &Stream)| {
                    ratio.to_bits() == channel.ratio(*noise, bit, symbol).to_bits()
                };
                assert!(together.iter().zip(&noises).all(same), "{channel:?}, bit {bit}");
            }
        }
    }

    #[test]
    fn levels_are_as_likely_as_the_noise_makes_them() {
        let channel = Channel::coarse_gauss(0.5, 2.0, 31);
        let Channel::Levels(Levels { below, levels }) = &channel else { panic!("levels") };
        assert!(below.is_sorted() && levels.len() == below.len() + 1);
        let noise = Stream::new(7);
        let draws = 200_000;
        let wrong = (0..draws).filter(|bit| channel.ratio(noise, *bit, 1.0) < 0.0).count() as f64;
        // Below -0.5 levels: a ratio of -0.25, received -0.03125.
        let expected = above(1.031_25 / 0.5) * draws as f64;
        assert!((wrong - expected).abs() < 4.0 * expected.sqrt(), "{wrong} {expected}");
        let mirrored = |bit| channel.ratio(noise, bit, -1.0) == -channel.ratio(noise, bit, 1.0);
        assert!((0..1000).all(mirrored));
    }

    #[test]
    fn values_come_as_often_as_their_shares_say() {
        let shares = [vec![0.7, 0.2, 0.08, 0.02], vec![0.0, 0.1, 0.3, 0.6]];
        let zones = Zones { shares: shares.clone(), ratios: vec![4.0, 1.0, -1.0, -4.0] };
        let channel = Channel::of_zones(&zones);
        let (noise, draws) = (Stream::new(11), 100_000u64);
        for (symbol, shares) in [1.0, -1.0].iter().zip(&shares) {
            for (ratio, share) in zones.ratios.iter().zip(shares) {
                let found = (0..draws).filter(|bit| f64::from(channel.ratio(noise, *bit, *symbol)) == *ratio);
                let (found, expected) = (found.count() as f64, share * draws as f64);
                assert!(
                    (found - expected).abs() <= 4.5 * expected.sqrt(),
                    "{symbol} {ratio}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn gaussian_ratios_have_twice_the_mean_for_variance() {
        let channel = Channel::gauss(4.0, 8.0 / 9.0);
        let Channel::Gauss { sigma } = channel else { panic!("noise") };
        let draws = 100_000u64;
        let noise = Stream::new(1);
        let mean =
            (0..draws).map(|bit| f64::from(channel.ratio(noise, bit, 1.0))).sum::<f64>() / draws as f64;
        let expected = 2.0 / (sigma * sigma);
        assert!((mean - expected).abs() < 4.0 * (2.0 * expected / draws as f64).sqrt(), "{mean} {expected}");
    }
}
