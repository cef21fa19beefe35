//! Min-sum, flooding, in 32-bit floating point.

use super::lanes::{Beliefs, Damping32, WORDS_32, through_all_at_once_32};
use super::min_sum::MinSumParameters;
use super::{Decoded, Decoder, Decoding, run};
use crate::ldpc::Graph;
use config::{Card, ConfigError, Policy, Section};
use std::sync::Arc;

/// Type of the policy for `ecc.decoder`, a flooding min-sum decoder in 32-bit floating point: normalised, offset or
/// both.
#[derive(Clone, Debug)]
pub struct MinSumFlooding(MinSumParameters);

impl MinSumFlooding {
    /// Makes a flooding min-sum decoder of at most `iterations` iterations, which multiplies messages by `factor` and
    /// then reduces them by `offset`.
    pub const fn new(iterations: u32, factor: f64, offset: f64) -> Self {
        Self(MinSumParameters { iterations, factor, offset })
    }
}

impl Policy for MinSumFlooding {
    const CARD: Card = Card {
        name: "min-sum-flooding",
        rule: "as `min-sum`, but flooding: all checks, each of which sees the beliefs of before, then all bits",
        paper: "Chen and others, Reduced-complexity decoding of LDPC codes, 2005",
        not_modelled: "nothing: a layered decoder comes as far in half the iterations",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        MinSumParameters::read(section, 40).map(Self)
    }
}

impl Decoder for MinSumFlooding {
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding> {
        let zeros = vec![[0.0; WORDS_32]; graph.bits()];
        Box::new(Work {
            graph: graph.clone(),
            most: self.0.iterations,
            by: self.0.damping(),
            beliefs: Beliefs::new(graph),
            channel: zeros.clone(),
            next: zeros,
            heard: vec![[0.0; WORDS_32]; graph.widest()],
            decoded: Decoded::default(),
        })
    }
}

struct Work {
    graph: Arc<Graph>,
    most: u32,
    by: Damping32,
    beliefs: Beliefs<f32, WORDS_32>,
    channel: Vec<[f32; WORDS_32]>,
    next: Vec<[f32; WORDS_32]>,
    heard: Vec<[f32; WORDS_32]>,
    decoded: Decoded,
}

impl Decoding for Work {
    fn words(&self) -> usize {
        WORDS_32
    }

    fn decode(&mut self, ratios: &[f32]) -> &Decoded {
        self.beliefs.begin(ratios, |ratio| ratio);
        self.channel.copy_from_slice(&self.beliefs.of_bits);
        let (channel, next, heard) = (&self.channel, &mut self.next, &mut self.heard);
        let iterate =
            |beliefs: &mut _, _| through_all_at_once_32(&self.graph, beliefs, channel, next, heard, self.by);
        let limits = (WORDS_32, self.most);
        run(&self.graph, &mut self.decoded, limits, &mut self.beliefs, Beliefs::signs, iterate);
        &self.decoded
    }
}
