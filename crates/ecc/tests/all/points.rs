//! Measured failures of other decoders, and the same points for ours. Included by the tests and by `examples/evidence.rs`.

use ecc::channel::Channel;
use ecc::decoder::{Decoder, MinSum, MinSumFlooding, SumProduct};
use ecc::ldpc::{Graph, named};
use ecc::measure::{Count, Trial};
use std::sync::Arc;

/// Record of one of AFF3CT's published curves of decoding failures: code, decoder, noise and counted points, for which
/// this project's decoders are counted too.
pub struct Curve {
    pub name: &'static str,
    pub code: &'static str,
    pub decoder: fn() -> Box<dyn Decoder>,
    /// True if random codewords are sent; false if the all-zero codeword is sent. The same as in AFF3CT's run.
    pub random: bool,
    pub noise: Noise,
    /// List of the points of AFF3CT's curve: Eb/N0 in dB or the probability of a bit flip, number of codewords, and
    /// number of failures.
    pub points: &'static [(f64, u64, u64)],
}

#[derive(Clone, Copy)]
pub enum Noise {
    Gauss,
    Flips,
}

/// Constant: list of AFF3CT's published curves (github.com/aff3ct/error_rate_references, 021a9e0), in 32-bit floating
/// point. Failures are counted on data bits, as in this project, and a zero syndrome ends decoding, though it is not
/// tested before the first iteration or after the last, which changes no decoded bit.
pub const CURVES: &[Curve] = &[
    Curve {
        name: "DVB-S2 8/9, Gauss, layered min-sum x 0.75, 10 iterations",
        code: "dvb-s2-16200-14400",
        decoder: || Box::new(MinSum::new(10, 0.75, 0.0)),
        random: true,
        noise: Noise::Gauss,
        points: &[
            (3.7, 768, 212),
            (3.8, 1784, 128),
            (3.9, 14_608, 104),
            (4.0, 254_176, 100),
            (4.1, 3_823_184, 100),
            (4.2, 17_954_584, 100),
            (4.3, 38_912_568, 100),
        ],
    },
    Curve {
        name: "DVB-S2 2/3, flips, layered min-sum x 0.825, 10 iterations",
        code: "dvb-s2-16200-10800",
        decoder: || Box::new(MinSum::new(10, 0.825, 0.0)),
        random: true,
        noise: Noise::Flips,
        points: &[(0.036, 552, 110), (0.034, 1808, 104), (0.032, 10_392, 100), (0.030, 57_296, 100)],
    },
    Curve {
        name: "WiMAX 1/2, flips, layered min-sum x 0.825, 100 iterations",
        code: "wimax-576-288",
        decoder: || Box::new(MinSum::new(100, 0.825, 0.0)),
        random: false,
        noise: Noise::Flips,
        points: &[
            (0.09, 232, 126),
            (0.08, 424, 119),
            (0.07, 1608, 107),
            (0.06, 8496, 102),
            (0.05, 94_104, 101),
            (0.04, 1_684_616, 100),
            (0.03, 24_275_992, 100),
        ],
    },
    Curve {
        name: "Wi-Fi 5/6, Gauss, layered min-sum, 10 iterations",
        code: "wifi-648-540",
        decoder: || Box::new(MinSum::new(10, 1.0, 0.0)),
        random: true,
        noise: Noise::Gauss,
        points: &[
            (3.8, 1368, 105),
            (4.0, 3496, 127),
            (4.2, 9536, 104),
            (4.4, 31_568, 101),
            (4.6, 135_504, 101),
            (4.8, 469_712, 100),
            (5.0, 2_073_984, 100),
        ],
    },
    Curve {
        name: "WiMAX 1/2, Gauss, flooding sum-product, 100 iterations",
        code: "wimax-576-288",
        decoder: || Box::new(SumProduct::new(100)),
        random: false,
        noise: Noise::Gauss,
        points: &[
            (1.5, 1094, 127),
            (1.75, 2577, 118),
            (2.0, 6282, 108),
            (2.25, 24_215, 101),
            (2.5, 132_680, 101),
        ],
    },
    Curve {
        name: "10GBASE-T, Gauss, flooding min-sum x 0.5, 30 iterations",
        code: "10gbase-t-2048-1723",
        decoder: || Box::new(MinSumFlooding::new(30, 0.5, 0.0)),
        random: false,
        noise: Noise::Gauss,
        points: &[
            (3.0, 203, 151),
            (3.25, 387, 128),
            (3.5, 1594, 120),
            (3.75, 22_392, 100),
            (4.0, 607_016, 100),
            (4.25, 84_878_776, 100),
        ],
    },
];

impl Curve {
    pub fn graph(&self) -> Arc<Graph> {
        Arc::new(named(self.code).expect("a shipped code").graph)
    }

    pub fn channel(&self, point: f64, graph: &Graph) -> Channel {
        match self.noise {
            Noise::Gauss => Channel::gauss(point, graph.data_bits() as f64 / graph.bits() as f64),
            Noise::Flips => Channel::Flips { rate: point },
        }
    }

    pub fn trial(&self, graph: &Arc<Graph>, point: f64, seed: u64) -> Trial {
        let channel = self.channel(point, graph);
        if self.random { Trial::random(graph, channel, 64, seed) } else { Trial::zeros(graph, channel, seed) }
    }
}

pub fn other(words: u64, failures: u64) -> Count {
    Count { words, failures, ..Count::default() }
}
