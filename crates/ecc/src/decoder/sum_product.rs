//! Sum-product, flooding: what min-sum approximates.

use super::min_sum::read_iterations;
use super::{Decoded, Decoder, Decoding, run};
use crate::ldpc::Graph;
use config::{Card, ConfigError, Policy, Section};
use std::sync::Arc;

/// Type of the policy for `ecc.decoder`, a flooding sum-product decoder in 64-bit floating point: the reference that
/// min-sum approximates.
#[derive(Clone, Debug)]
pub struct SumProduct {
    iterations: u32,
}

impl Default for SumProduct {
    fn default() -> Self {
        Self { iterations: 50 }
    }
}

impl SumProduct {
    /// Makes a sum-product decoder of at most `iterations` iterations.
    pub const fn new(iterations: u32) -> Self {
        Self { iterations }
    }
}

impl Policy for SumProduct {
    const CARD: Card = Card {
        name: "sum-product",
        rule: "flooding: all checks, then all bits; a check tells each of its bits the exact likelihood that the \
               others add up to; 64-bit floating point, one word at a time; stops at a syndrome of zero or after \
               `iterations`",
        paper: "Gallager, Low-density parity-check codes, 1963; Kschischang, Frey and Loeliger, 2001",
        not_modelled: "nothing: the reference, and slow",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self { iterations: read_iterations(section, Self::default().iterations)? })
    }
}

impl Decoder for SumProduct {
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding> {
        Box::new(Work {
            graph: graph.clone(),
            most: self.iterations,
            beliefs: BitBeliefs {
                channel: vec![0.0; graph.bits()],
                of_bits: vec![0.0; graph.bits()],
                said: vec![0.0; graph.edges()],
            },
            decoded: Decoded::default(),
        })
    }
}

struct Work {
    graph: Arc<Graph>,
    most: u32,
    beliefs: BitBeliefs,
    decoded: Decoded,
}

struct BitBeliefs {
    channel: Vec<f64>,
    of_bits: Vec<f64>,
    said: Vec<f64>,
}

/// Constant: greatest magnitude of a message (log-likelihood ratio) from a check: greater ones, up to infinity, are
/// limited to it; such a message is practically certain.
const CERTAIN: f64 = 36.0;

impl BitBeliefs {
    fn iterate(&mut self, graph: &Graph) {
        let mut halves = Vec::new();
        for check in 0..graph.checks() {
            let row = graph.row(check);
            let said = &mut self.said[graph.span(check)];
            halves.clear();
            let heard = |(bit, said): (&u32, &f64)| libm::tanh((self.of_bits[*bit as usize] - said) / 2.0);
            halves.extend(row.iter().zip(said.iter()).map(heard));
            // Products of all before, then of all behind: no division by what may be zero.
            let mut before = 1.0;
            for (said, half) in said.iter_mut().zip(&halves) {
                *said = before;
                before *= half;
            }
            let mut behind = 1.0;
            for (said, half) in said.iter_mut().zip(&halves).rev() {
                *said = (2.0 * libm::atanh(*said * behind)).clamp(-CERTAIN, CERTAIN);
                behind *= half;
            }
        }
        self.of_bits.copy_from_slice(&self.channel);
        for (bit, said) in graph.columns().iter().zip(&self.said) {
            self.of_bits[*bit as usize] += said;
        }
    }
}

impl Decoding for Work {
    fn words(&self) -> usize {
        1
    }

    fn decode(&mut self, ratios: &[f32]) -> &Decoded {
        assert_eq!(ratios.len(), self.graph.bits(), "ratios of one word");
        for (channel, ratio) in self.beliefs.channel.iter_mut().zip(ratios) {
            *channel = f64::from(*ratio);
        }
        self.beliefs.of_bits.copy_from_slice(&self.beliefs.channel);
        self.beliefs.said.fill(0.0);
        let signs = |beliefs: &BitBeliefs, bits: &mut Vec<u64>| {
            bits.clear();
            bits.extend(beliefs.of_bits.iter().map(|belief| u64::from(*belief < 0.0)));
        };
        let iterate = |beliefs: &mut BitBeliefs, _| beliefs.iterate(&self.graph);
        run(&self.graph, &mut self.decoded, (1, self.most), &mut self.beliefs, signs, iterate);
        &self.decoded
    }
}
