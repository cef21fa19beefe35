//! Layered min-sum in 32-bit floating point.

use super::lanes::{Beliefs, Damping32, WORDS_32, through_all_32};
use super::{Decoded, Decoder, Decoding, run};
use crate::ldpc::Graph;
use config::{Card, ConfigError, Policy, Section, above, at_least};
use std::sync::Arc;

/// Set of parameters that the layered and the flooding min-sum decoder in floating point have in common: greatest
/// number of iterations, and factor and offset by which messages are reduced (normalised, offset or both).
#[derive(Clone, Debug)]
pub(super) struct MinSumParameters {
    pub iterations: u32,
    pub factor: f64,
    pub offset: f64,
}

impl MinSumParameters {
    /// Reads the decoder's keys `iterations`, `factor` and `offset`; the default is normalised by 0.75.
    pub fn read(section: &mut Section, usual_iterations: u32) -> Result<Self, ConfigError> {
        let iterations = read_iterations(section, usual_iterations)?;
        let factor = section.within(above(0.0).at_most(1.0)).or(
            "factor",
            0.75,
            "what messages of checks are multiplied by",
        )?;
        let offset = section.within(at_least(0.0)).or(
            "offset",
            0.0,
            "what messages of checks are lowered by, to zero at most",
        )?;
        Ok(Self { iterations, factor, offset })
    }

    pub const fn damping(&self) -> Damping32 {
        Damping32 { factor: self.factor as f32, offset: self.offset as f32 }
    }
}

/// Type of the policy for `ecc.decoder`, a layered min-sum decoder in 32-bit floating point: normalised, offset or
/// both.
#[derive(Clone, Debug)]
pub struct MinSum(MinSumParameters);

impl MinSum {
    /// Makes a layered min-sum decoder of at most `iterations` iterations, which multiplies messages by `factor` and
    /// then reduces them by `offset`.
    pub const fn new(iterations: u32, factor: f64, offset: f64) -> Self {
        Self(MinSumParameters { iterations, factor, offset })
    }
}

/// Reads the key `iterations`, the greatest number of a decoder's iterations; `usual` is the default.
pub(super) fn read_iterations(section: &mut Section, usual: u32) -> Result<u32, ConfigError> {
    section.within(at_least(1u32).at_most(10_000u32)).or("iterations", usual, "iterations at most")
}

impl Policy for MinSum {
    const CARD: Card = Card {
        name: "min-sum",
        rule: "layered: check by check, each tells each of its bits the smallest magnitude of the others, times \
               `factor`, less `offset`, with the sign that their product has; 32-bit floating point; stops at a \
               syndrome of zero or after `iterations`",
        paper: "Chen and others, Reduced-complexity decoding of LDPC codes, 2005; Hocevar, SiPS 2004",
        not_modelled: "checks of a layer that work at the same time and see the same beliefs",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        MinSumParameters::read(section, 20).map(Self)
    }
}

impl Decoder for MinSum {
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding> {
        Box::new(Work {
            graph: graph.clone(),
            most: self.0.iterations,
            by: self.0.damping(),
            beliefs: Beliefs::new(graph),
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
    heard: Vec<[f32; WORDS_32]>,
    decoded: Decoded,
}

impl Decoding for Work {
    fn words(&self) -> usize {
        WORDS_32
    }

    fn decode(&mut self, ratios: &[f32]) -> &Decoded {
        self.beliefs.begin(ratios, |ratio| ratio);
        let iterate = |beliefs: &mut _, _| through_all_32(&self.graph, beliefs, &mut self.heard, self.by);
        let limits = (WORDS_32, self.most);
        run(&self.graph, &mut self.decoded, limits, &mut self.beliefs, Beliefs::signs, iterate);
        &self.decoded
    }
}
