//! Bit flipping by gradient descent, on hard decisions.

use super::min_sum::read_iterations;
use super::{Decoded, Decoder, Decoding, run};
use crate::ldpc::Graph;
use config::{Card, ConfigError, Policy, Section, above};
use nand::cells::normal::Stream;
use std::sync::Arc;

/// Type of the policy for `ecc.decoder`, a gradient-descent bit-flipping decoder: works on hard decisions; in each
/// iteration, each bit with the highest count in its codeword (failed checks, plus one if the bit is no longer as read)
/// is inverted with a given probability.
#[derive(Clone, Debug)]
pub struct GradientDescent {
    iterations: u32,
    probability: f64,
}

impl Default for GradientDescent {
    fn default() -> Self {
        Self { iterations: 100, probability: 0.9 }
    }
}

impl GradientDescent {
    /// Makes a bit-flipping decoder of at most `iterations` iterations; in each iteration, each bit with the highest
    /// count in its codeword (failed checks, plus one if the bit is no longer as read) is inverted with the probability
    /// `probability`.
    pub const fn new(iterations: u32, probability: f64) -> Self {
        Self { iterations, probability }
    }
}

impl Policy for GradientDescent {
    const CARD: Card = Card {
        name: "gradient-descent",
        rule: "a bit counts its checks that do not hold, and one more where it is no longer as read; the bits \
               with the highest count of the word flip, each with `probability`; one word at a time; stops at a \
               syndrome of zero or after `iterations`",
        paper: "Wadayama and others, Gradient descent bit flipping, 2010; Rasheed, Ivanis and Vasic, 2014",
        not_modelled: "magnitudes of what the channel says: its signs alone are used; momentum, restarts",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let iterations = read_iterations(section, usual.iterations)?;
        let probability = section.within(above(0.0).at_most(1.0)).or(
            "probability",
            usual.probability,
            "of a flip where one is due; 1: without chance",
        )?;
        Ok(Self { iterations, probability })
    }
}

impl Decoder for GradientDescent {
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding> {
        Box::new(Work {
            graph: graph.clone(),
            checks: graph.checks_of_bits(),
            policy: self.clone(),
            state: State {
                read: vec![0; graph.bits()],
                bits: vec![0; graph.bits()],
                counts: vec![0; graph.bits()],
            },
            decoded: Decoded::default(),
        })
    }
}

struct Work {
    graph: Arc<Graph>,
    checks: Vec<Vec<u32>>,
    policy: GradientDescent,
    state: State,
    decoded: Decoded,
}

struct State {
    read: Vec<u64>,
    bits: Vec<u64>,
    counts: Vec<u32>,
}

/// Constant: random stream by which the bit-flipping decoder decides which bits to invert. The random values depend on
/// iteration and bit alone, so that a codeword decodes alike in any order of codewords.
const CHANCE: Stream = Stream::new(0x6764_6266);

impl State {
    fn iterate(&mut self, graph: &Graph, checks: &[Vec<u32>], policy: &GradientDescent, iteration: u32) {
        let odd = |check: usize| graph.row(check).iter().fold(0, |odd, bit| odd ^ self.bits[*bit as usize]);
        let broken: Vec<u32> = (0..graph.checks()).map(|check| odd(check) as u32).collect();
        for (bit, count) in self.counts.iter_mut().enumerate() {
            let changed = (self.bits[bit] ^ self.read[bit]) as u32;
            *count = changed + checks[bit].iter().map(|check| broken[*check as usize]).sum::<u32>();
        }
        let highest = self.counts.iter().max().copied().unwrap_or(0);
        let chance = CHANCE.of(u64::from(iteration));
        for (bit, count) in self.counts.iter().enumerate() {
            if *count == highest && chance.uniform(bit as u64) < policy.probability {
                self.bits[bit] ^= 1;
            }
        }
    }
}

impl Decoding for Work {
    fn words(&self) -> usize {
        1
    }

    fn decode(&mut self, ratios: &[f32]) -> &Decoded {
        assert_eq!(ratios.len(), self.graph.bits(), "ratios of one word");
        for (bit, ratio) in self.state.read.iter_mut().zip(ratios) {
            *bit = u64::from(*ratio < 0.0);
        }
        self.state.bits.copy_from_slice(&self.state.read);
        let signs = |state: &State, bits: &mut Vec<u64>| bits.clone_from(&state.bits);
        let (graph, checks, policy) = (&self.graph, &self.checks, &self.policy);
        let iterate = |state: &mut State, iteration| state.iterate(graph, checks, policy, iteration);
        let limits = (1, self.policy.iterations);
        run(graph, &mut self.decoded, limits, &mut self.state, signs, iterate);
        &self.decoded
    }
}
