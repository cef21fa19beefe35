//! BCH: up to `t` errors of a codeword are corrected, from one hard read.

use super::Code;
use crate::ladder::{Corrects, Decodes};
use crate::{Ladder, tail};
use config::{Card, ConfigError, Policy, Section, above, at_least, at_most};
use units::{Bytes, Potential};

/// Type of the policy for `ecc.code`, a binary BCH code: size of a codeword, number of errors that it corrects,
/// accepted failure rate, and read retries.
#[derive(Clone, Debug)]
pub struct Bch {
    data: u32,
    correctable: u32,
    uber: f64,
    retries: Retries,
}

impl Default for Bch {
    fn default() -> Self {
        Self { data: 1024, correctable: 40, uber: 1e-15, retries: Retries::default() }
    }
}

impl Policy for Bch {
    const CARD: Card = Card {
        name: "bch",
        rule: "corrects `t` errors in each codeword of `data` bytes plus the parity of a primitive BCH code, and how often \
               more occur is the binomial tail, in closed form: no word is decoded; a \
               failed read is repeated with other references, up to `retries` times, each of which removes the \
               share `retry_gain` of the raw errors; with `retry_step`, on a chip whose tables know its best \
               references, retries read with references so far apart until those are reached",
        paper: "Lin and Costello, Error Control Coding, 2004; requirements of parts: JEDEC JESD218",
        not_modelled: "erasures, miscorrection, decoding time by the number of errors",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let usual = Self::default();
        let data = read_codeword(section, u64::from(usual.data))?;
        let correctable =
            section.within(at_least(1u32)).or("t", usual.correctable, "errors corrected in a codeword")?;
        let (uber, retries) = read_target(section, usual.uber, usual.retries)?;
        let code = Self { data, correctable, uber, retries };
        if code.parity_bits() >= 8 * data {
            return Err(section.reject("t", "expected less parity than data"));
        }
        Ok(code)
    }
}

/// Reads the key `data`: number of data bytes of a codeword, without its parity.
pub(super) fn read_codeword(section: &mut Section, usual: u64) -> Result<u32, ConfigError> {
    let data = section.within(at_least(Bytes::new(64)).at_most(Bytes::new(65_536))).or(
        "data",
        Bytes::new(usual),
        "data bytes of a codeword",
    )?;
    Ok(data.get() as u32)
}

/// Set of parameters of read retries, the further reads of a page with other read reference voltages after a failed
/// attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retries {
    /// Parameter of read retries: greatest number of retries of a read, each with other references; attempts that only
    /// add soft bits are not counted.
    pub most: u32,
    /// Parameter of read retries: fraction (0 to 1) of the raw bit errors that each retry removes.
    pub gain: f64,
    /// Parameter of read retries: distance between the references of neighbouring steps of the retry table, volts;
    /// none: retries follow `gain`.
    pub step_v: Option<f64>,
    /// True if the flash array senses for a read retry already while the data of the attempt before cross the channel
    /// and are decoded.
    pub pipelined: bool,
}

impl Default for Retries {
    fn default() -> Self {
        Self { most: 4, gain: 0.2, step_v: None, pipelined: false }
    }
}

/// Reads the accepted rate of uncorrectable codewords per bit read (UBER), and the parameters of read retries.
pub(super) fn read_target(
    section: &mut Section,
    uber: f64,
    usual: Retries,
) -> Result<(f64, Retries), ConfigError> {
    let uber = section.unit("per bit").within(above(0.0).below(1e-3)).or(
        "uber",
        uber,
        "acceptable uncorrectable codewords per bit read",
    )?;
    let most = section.within(at_most(64u32)).or(
        "retries",
        usual.most,
        "reads with other references after all other attempts failed",
    )?;
    let gain = section.unit("ratio").within(at_least(0.0).below(1.0)).or(
        "retry_gain",
        usual.gain,
        "share of the raw errors that each of those removes",
    )?;
    let help = "how far apart the references of a retry table lie; default none: retries follow `retry_gain`";
    let step: Option<Potential> = section.optional("retry_step", help)?;
    let step_v = step.map(Potential::volts);
    if step_v.is_some_and(|volts| volts <= 0.0) {
        return Err(section.reject("retry_step", "expected a voltage above 0 V"));
    }
    let pipelined = section.or(
        "retry_pipelined",
        usual.pipelined,
        "each attempt is sensed while the one before it crosses the channel and is decoded",
    )?;
    Ok((uber, Retries { most, gain, step_v, pipelined }))
}

impl Bch {
    /// Returns the number of parity bits of a codeword: `m t`, where 2^m - 1 bits hold data and parity.
    fn parity_bits(&self) -> u32 {
        let data = u64::from(self.data) * 8;
        let fits = |m: &u32| (1u64 << m) > data + u64::from(*m) * u64::from(self.correctable);
        let m = (8..40).find(fits).unwrap_or(40);
        m.saturating_mul(self.correctable)
    }
}

impl Code for Bch {
    fn ladder(&self, bits: u32) -> Option<Ladder> {
        let codeword_bits = 8 * self.data + self.parity_bits();
        let target = self.uber * f64::from(codeword_bits);
        let limit = tail::greatest_rate(codeword_bits, self.correctable, target);
        Some(Ladder {
            codeword_bytes: self.data,
            codeword_bits,
            target,
            rungs: vec![Ladder::rung(bits, 1, Corrects::Errors(self.correctable), limit)],
            retries: self.retries.most,
            retry_gain: self.retries.gain,
            retry_step_v: self.retries.step_v,
            pipelined: self.retries.pipelined,
            pace: None,
            decodes: Decodes::Tables,
        })
    }

    fn overhead(&self) -> f64 {
        f64::from(self.parity_bits().div_ceil(8)) / f64::from(self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constant: table of known values for the tests, one row for each code: codeword bytes, t, parity bytes, and the
    /// greatest raw bit error rate for 1e-11 and 1e-15 uncorrectable codewords per bit; computed once with another
    /// program, printed with two digits.
    const KNOWN: [(u32, u32, u32, f64, f64); 9] = [
        (512, 4, 7, 2.1e-5, 3.3e-6),
        (512, 8, 13, 1.6e-4, 5.5e-5),
        (512, 12, 20, 4.1e-4, 1.9e-4),
        (1024, 24, 42, 8.1e-4, 5.1e-4),
        (1024, 40, 70, 1.8e-3, 1.3e-3),
        (1024, 60, 105, 3.2e-3, 2.5e-3),
        (1024, 72, 126, 4.0e-3, 3.2e-3),
        (2048, 80, 150, 2.5e-3, 2.0e-3),
        (2048, 120, 225, 4.0e-3, 3.4e-3),
    ];

    #[test]
    fn parity_and_limits_are_those_of_a_table() {
        for (data, t, parity, at_11, at_15) in KNOWN {
            for (uber, expected) in [(1e-11, at_11), (1e-15, at_15)] {
                let code = Bch { data, correctable: t, uber, ..Bch::default() };
                assert_eq!(code.parity_bits().div_ceil(8), parity, "{data} B, t = {t}");
                let limit = code.ladder(2).expect("a code").rungs[0].limit;
                // Half a unit of the second digit.
                let digits = 10f64.powf(expected.log10().floor() - 1.0) * 0.5;
                assert!((limit - expected).abs() <= digits * 1.01, "{data} B, t = {t}, {uber}: {limit}");
            }
        }
    }
}
