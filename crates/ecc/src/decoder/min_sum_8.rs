//! Layered min-sum in 8-bit integers, as hardware decodes.

use super::lanes::{Beliefs, Damping8, WORDS_8, begin_8, signs_8, through_all_8};
use super::min_sum::read_iterations;
use super::{Decoded, Decoder, Decoding, run};
use crate::ldpc::Graph;
use config::{Card, ConfigError, Policy, Section, above, at_least, at_most};
use std::sync::Arc;

/// Type of the policy for `ecc.decoder`, a layered min-sum decoder in 8-bit integers: normalised, offset or both.
#[derive(Clone, Debug)]
pub struct MinSum8 {
    iterations: u32,
    eighths: u32,
    offset: u32,
    levels_per_ratio: f64,
    level_most: u32,
    message_most: u32,
}

impl Default for MinSum8 {
    fn default() -> Self {
        Self {
            iterations: 20,
            eighths: 6,
            offset: 0,
            levels_per_ratio: 2.0,
            level_most: 31,
            message_most: 31,
        }
    }
}

impl MinSum8 {
    /// Makes a layered 8-bit min-sum decoder of at most `iterations` iterations that multiplies messages by `eighths`
    /// eighths; for log-likelihood ratios that are already whole numbers, limited to magnitude 31 like the messages.
    pub const fn of_levels(iterations: u32, eighths: u32) -> Self {
        Self { iterations, eighths, offset: 0, levels_per_ratio: 1.0, level_most: 31, message_most: 31 }
    }

    /// Makes a layered 8-bit min-sum decoder of at most `iterations` iterations that multiplies messages by `eighths`
    /// eighths; all else has default values.
    pub fn of_ratios(iterations: u32, eighths: u32) -> Self {
        Self { iterations, eighths, ..Self::default() }
    }
}

impl Policy for MinSum8 {
    const CARD: Card = Card {
        name: "min-sum-8",
        rule: "as `min-sum`, in integers from -127 to 127 whose ends stand for all beyond: a ratio times \
               `levels_per_ratio`, to the nearest, up to `level_most`; messages times `eighths` eighths, to the \
               nearest, halves up, less `offset`, up to `message_most`",
        paper: "Chen and others, Reduced-complexity decoding of LDPC codes, 2005; widths assumed, as is usual",
        not_modelled: "what a check told a bit in fewer bits than its two smallest magnitudes take",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let iterations = read_iterations(section, usual.iterations)?;
        let eighths = section.within(at_least(1u32).at_most(8u32)).or(
            "eighths",
            usual.eighths,
            "eighths of themselves that messages of checks become",
        )?;
        let offset = section.within(at_most(127u32)).or(
            "offset",
            usual.offset,
            "what messages of checks are lowered by, to zero at most",
        )?;
        let levels_per_ratio = section.within(above(0.0).at_most(127.0)).or(
            "levels_per_ratio",
            usual.levels_per_ratio,
            "what a log-likelihood ratio is multiplied by",
        )?;
        let level_most = section.within(at_least(1u32).at_most(127u32)).or(
            "level_most",
            usual.level_most,
            "the greatest level of a ratio",
        )?;
        let message_most = section.within(at_least(1u32).at_most(127u32)).or(
            "message_most",
            usual.message_most,
            "the greatest magnitude that a check tells a bit",
        )?;
        Ok(Self { iterations, eighths, offset, levels_per_ratio, level_most, message_most })
    }
}

impl Decoder for MinSum8 {
    fn on(&self, graph: &Arc<Graph>) -> Box<dyn Decoding> {
        Box::new(Work {
            graph: graph.clone(),
            policy: self.clone(),
            beliefs: Beliefs::new(graph),
            heard: vec![[0; WORDS_8]; graph.widest()],
            decoded: Decoded::default(),
        })
    }
}

struct Work {
    graph: Arc<Graph>,
    policy: MinSum8,
    beliefs: Beliefs<i8, WORDS_8>,
    heard: Vec<[i8; WORDS_8]>,
    decoded: Decoded,
}

impl Decoding for Work {
    fn words(&self) -> usize {
        WORDS_8
    }

    fn decode(&mut self, ratios: &[f32]) -> &Decoded {
        let (scale, most) = (self.policy.levels_per_ratio as f32, self.policy.level_most as f32);
        begin_8(&mut self.beliefs, ratios, scale, most);
        let by = Damping8 {
            eighths: self.policy.eighths as i16,
            offset: self.policy.offset as i16,
            most: self.policy.message_most as i16,
        };
        let iterate = |beliefs: &mut _, _| through_all_8(&self.graph, beliefs, &mut self.heard, by);
        let limits = (WORDS_8, self.policy.iterations);
        run(&self.graph, &mut self.decoded, limits, &mut self.beliefs, signs_8, iterate);
        &self.decoded
    }
}
