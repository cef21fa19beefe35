//! LDPC: the more reference voltages a page is sensed with, the more errors are corrected.

use super::Code;
use super::bch::{Retries, read_codeword, read_target};
use crate::{Ladder, tail};
use config::{Card, ConfigError, Policy, Section, above};

/// A low-density parity-check code, read with 2^k - 1 comparisons at each boundary between states, k = 1, 2, ...
#[derive(Clone, Debug)]
pub struct Ldpc {
    data: u32,
    rate: f64,
    limits: Vec<f64>,
    uber: f64,
    retries: Retries,
}

/// Soft bits beyond this gain nothing that any source reports.
const LIMITS_MAX: usize = 6;

impl Default for Ldpc {
    fn default() -> Self {
        Self {
            data: 4096,
            rate: 8.0 / 9.0,
            limits: vec![4e-3, 8e-3, 1.2e-2],
            uber: 1e-15,
            retries: Retries::default(),
        }
    }
}

impl Policy for Ldpc {
    const CARD: Card = Card {
        name: "ldpc",
        rule: "the k-th of `limits` is the raw bit error rate corrected with 2^k - 1 comparisons at each \
               boundary between states; the first attempt uses as many as the page's cost and wear require; if \
               decoding fails, each further attempt uses the next, then repeats the last with other references \
               up to `retries` times, each of which removes the share `retry_gain` of the raw errors; with \
               `retry_step`, on a chip whose tables know its best references, up to `retries` reads with \
               references so far apart come first, and soft reads with the last of them; errors \
               beyond the limit fail as if a fixed number of a codeword's bits could be corrected",
        paper: "Zhao and others, LDPC-in-SSD, FAST 2013; Li and others, FAST 2016; default limits assumed for rate \
                8/9 and 4 KiB (no source gives a table), gain of a retry as in later work of Lv and Shi",
        not_modelled: "iterations of the decoder, error floors, transfer of only those bits that a retry adds",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let data = read_codeword(section, u64::from(usual.data))?;
        let rate = section.unit("ratio").within(above(0.1).below(1.0)).or(
            "rate",
            usual.rate,
            "data bits over all bits of a codeword",
        )?;
        let limits = section.unit("ratio").or(
            "limits",
            usual.limits,
            "raw bit error rates corrected with 1, 3, 7, ... comparisons at each boundary",
        )?;
        let rising = limits.windows(2).all(|pair| pair[0] < pair[1]);
        let within = limits.iter().all(|limit| *limit > 0.0 && *limit < 0.25);
        if limits.is_empty() || limits.len() > LIMITS_MAX || !rising || !within {
            return Err(section.reject("limits", "expected 1 to 6 rising rates between 0 and 0.25"));
        }
        let (uber, retries) = read_target(section, usual.uber, usual.retries)?;
        Ok(Self { data, rate, limits, uber, retries })
    }
}

impl Code for Ldpc {
    fn ladder(&self, bits: u32) -> Option<Ladder> {
        let codeword_bits = (f64::from(8 * self.data) / self.rate).round() as u32;
        let target = self.uber * f64::from(codeword_bits);
        let rung = |(soft_bits, limit): (u32, &f64)| {
            let correctable = tail::fewest_correctable(codeword_bits, *limit, target);
            Ladder::rung(bits, soft_bits, correctable, *limit)
        };
        Some(Ladder {
            codeword_bytes: self.data,
            codeword_bits,
            target,
            rungs: (1..).zip(&self.limits).map(rung).collect(),
            retries: self.retries.most,
            retry_gain: self.retries.gain,
            retry_step_v: self.retries.step_v,
            pipelined: self.retries.pipelined,
        })
    }

    fn overhead(&self) -> f64 {
        1.0 / self.rate - 1.0
    }
}
