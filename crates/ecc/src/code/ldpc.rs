//! LDPC: the more reference voltages a page is sensed with, the more errors are corrected.

use super::Code;
use super::bch::{Retries, read_codeword, read_target};
use crate::ladder::{Corrects, Decodes};
use crate::table::{Table, named, shipped};
use crate::{Ladder, tail};
use config::{Card, ConfigError, Policy, Section, above};
use std::sync::Arc;

/// Type of the policy for `ecc.code`, a low-density parity-check (LDPC) code; pages are read with 2^k - 1 comparisons
/// at each boundary between cell states, for k = 1, 2, ... soft bits.
#[derive(Clone, Debug)]
pub struct Ldpc {
    strength: Strength,
    decodes: Decodes,
    uber: f64,
    retries: Retries,
}

/// Kind of data from which the error correction capability of the LDPC code with each number of soft bits is known: a
/// table of counts, or limits.
#[derive(Clone, Debug)]
enum Strength {
    /// Case of source of the capability: a table of the failures and iterations that were counted when codewords of the
    /// code were decoded.
    Counted(Arc<Table>),
    /// Case of source of the capability: given limits. `limits` has, for each number of soft bits, the greatest raw bit
    /// error rate that is corrected; `data` is the number of data bytes of a codeword, and `rate` the code rate (0 to
    /// 1).
    Limits { limits: Vec<f64>, data: u32, rate: f64 },
}

/// Constant: name of the shipped table of counted decoding failures that drives use by default (codewords with 4 KiB of
/// data).
const USUAL: &str = "nand-4k-889";
/// Constant: default number of data bytes of an LDPC codeword where the code is given by limits instead of a table.
const USUAL_DATA: u64 = 4096;
/// Constant: default code rate of an LDPC code where the code is given by limits instead of a table.
const USUAL_RATE: f64 = 8.0 / 9.0;
/// Constant: greatest number of entries in the list `limits`, and so the greatest number of soft bits: its k-th entry
/// is for reads with k soft bits. No source reports a gain by further soft bits.
const LIMITS_MAX: usize = 6;

impl Default for Ldpc {
    fn default() -> Self {
        let table = Arc::new(named(USUAL).expect("a shipped table"));
        Self {
            strength: Strength::Counted(table),
            decodes: Decodes::Tables,
            uber: 1e-15,
            retries: Retries::default(),
        }
    }
}

impl Ldpc {
    /// Makes a code from its limits: the greatest raw bit error rates corrected with 1, 3, 7... comparisons at each
    /// boundary between states; the codeword has 4 KiB of data, and the code rate is 8/9.
    pub fn of_limits(limits: &[f64]) -> Self {
        let strength =
            Strength::Limits { limits: limits.to_vec(), data: USUAL_DATA as u32, rate: USUAL_RATE };
        Self { strength, ..Self::default() }
    }
}

impl Policy for Ldpc {
    const CARD: Card = Card {
        name: "ldpc",
        rule: "reads fail, and take iterations, as often as words of a code that was decoded and counted did (`table`), \
               with 2^k - 1 comparisons at each boundary between states for k soft bits; or, with `limits`, the k-th of \
               them is the raw bit error rate that is corrected, and errors beyond it fail as if a fixed number of a \
               codeword's bits could be; the first attempt uses as many comparisons as the page's cost and wear \
               require; if decoding fails, each further attempt uses the next, then repeats the last with other \
               references up to `retries` times, each of which removes the share `retry_gain` of the raw errors; with \
               `retry_step`, on a chip whose tables know its best references, up to `retries` reads with references so \
               far apart come first, and soft reads with the last of them",
        paper: "docs/explanation/decoding.md; Zhao and others, LDPC-in-SSD, FAST 2013; Li and others, FAST 2016; gain of \
                a retry as in later work of Lv and Shi",
        not_modelled: "error floors below what was counted, transfer of only those bits that a retry adds",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits: Option<Vec<f64>> = section.unit("ratio").optional(
            "limits",
            "raw bit error rates corrected with 1, 3, 7, ... comparisons at each boundary, instead of a table",
        )?;
        let strength = match (section.has("limits"), limits) {
            (true, Some(limits)) => read_limits(section, limits)?,
            _ => Strength::Counted(Arc::new(read_table(section)?)),
        };
        let decodes = section.choice(
            "decode",
            &["tables", "words"],
            "tables",
            "where what a read comes to is taken from: `words` decodes every word that is read, in small runs",
        )?;
        let decodes = match (decodes.as_str(), &strength) {
            ("tables", _) => Decodes::Tables,
            (_, Strength::Counted(_)) => Decodes::Words,
            _ => {
                return Err(
                    section.reject("decode", "expected \"tables\": of limits no code is known that decodes")
                );
            }
        };
        let (uber, retries) = read_target(section, 1e-15, Retries::default())?;
        Ok(Self { strength, decodes, uber, retries })
    }
}

/// Makes the error correction capability of the code from `limits`, a list of the greatest raw bit error rates that it
/// corrects (one for each number of soft bits), and reads the size and the rate of a codeword.
fn read_limits(section: &mut Section, limits: Vec<f64>) -> Result<Strength, ConfigError> {
    let data = read_codeword(section, USUAL_DATA)?;
    let rate = section.unit("ratio").within(above(0.1).below(1.0)).or(
        "rate",
        USUAL_RATE,
        "data bits over all bits of a codeword",
    )?;
    let rising = limits.windows(2).all(|pair| pair[0] < pair[1]);
    let within = limits.iter().all(|limit| *limit > 0.0 && *limit < 0.25);
    if limits.is_empty() || limits.len() > LIMITS_MAX || !rising || !within {
        return Err(section.reject("limits", "expected 1 to 6 rising rates between 0 and 0.25"));
    }
    if section.has("table") {
        return Err(section.reject("table", "expected it without `limits`, or those without it"));
    }
    Ok(Strength::Limits { limits, data, rate })
}

/// Reads the name of the table of counted failures (results of decoding simulated codewords) and returns the table;
/// refuses the keys `data` and `rate`, which a table gives itself.
fn read_table(section: &mut Section) -> Result<Table, ConfigError> {
    let names: Vec<&str> = shipped().iter().map(|(name, _)| *name).collect();
    let help = "failures and iterations of a code that was decoded and counted, by the name of a table that comes along";
    let name = section.choice("table", &names, USUAL, help)?;
    let table = named(&name).expect("a table that comes along");
    for key in ["data", "rate"] {
        if section.has(key) {
            let (data, all) = (table.data_bits / 8, f64::from(table.data_bits) / f64::from(table.bits));
            let expected = format!(
                "expected it with `limits` only: words of {name} have {data} B of data, rate {all:.4}"
            );
            return Err(section.reject(key, &expected));
        }
    }
    Ok(table)
}

impl Code for Ldpc {
    fn ladder(&self, bits: u32) -> Option<Ladder> {
        let (codeword_bytes, codeword_bits) = match &self.strength {
            Strength::Counted(table) => (table.data_bits / 8, table.bits),
            Strength::Limits { data, rate, .. } => (*data, (f64::from(8 * data) / rate).round() as u32),
        };
        let target = self.uber * f64::from(codeword_bits);
        let corrects: Vec<(Corrects, f64)> = match &self.strength {
            Strength::Limits { limits, .. } => {
                let fixed = |limit: &f64| tail::fewest_correctable(codeword_bits, *limit, target);
                limits.iter().map(|limit| (Corrects::Errors(fixed(limit)), *limit)).collect()
            }
            Strength::Counted(table) => {
                let counted = |soft_bits: usize| Corrects::Counted(table.clone(), soft_bits);
                let limit = |soft_bits: usize| table.curves[soft_bits].rate(target);
                (0..table.curves.len()).map(|soft_bits| (counted(soft_bits), limit(soft_bits))).collect()
            }
        };
        let rung = |(soft_bits, (corrects, limit))| Ladder::rung(bits, soft_bits, corrects, limit);
        Some(Ladder {
            codeword_bytes,
            codeword_bits,
            target,
            rungs: (1..).zip(corrects).map(rung).collect(),
            retries: self.retries.most,
            retry_gain: self.retries.gain,
            retry_step_v: self.retries.step_v,
            pipelined: self.retries.pipelined,
            pace: None,
            decodes: self.decodes,
        })
    }

    fn overhead(&self) -> f64 {
        match &self.strength {
            Strength::Counted(table) => f64::from(table.bits) / f64::from(table.data_bits) - 1.0,
            Strength::Limits { rate, .. } => 1.0 / rate - 1.0,
        }
    }
}
