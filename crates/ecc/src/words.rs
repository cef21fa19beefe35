//! Words decoded for the reads of a drive (`ecc.code.decode = "words"`): the check that tables tell the truth.
//!
//! A read's words come over the noise that the tables were counted with, at the rate that the page's errors amount to. Words are decoded
//! as many at once as the decoder takes, and handed out to reads of the same rate one after the other.

use crate::channel::Channel;
use crate::decoder::{self, Maker};
use crate::ldpc;
use crate::measure::Trial;
use crate::sensing::{RATE_MOST, of_noise};
use crate::table::Table;
use config::{ConfigError, Document, Section};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Record of the result of decoding one simulated codeword: whether its data are wrong, and the decoder's iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// True if the decoded data of the codeword are wrong.
    pub fails: bool,
    /// Field: number of iterations that the decoder took for the codeword.
    pub iterations: u32,
}

/// Type of a stock of results of decoding simulated codewords, from which a simulated drive takes the outcomes of its
/// reads, with the decoder that refills the stock.
pub struct Words {
    trial: Trial,
    maker: Maker,
    /// Field: magnitude of the log-likelihood ratio that the decoder gets for each bit of a hard read; none: the ratio
    /// follows from the raw bit error rate.
    hard_ratio: Option<f64>,
    /// Field: index of the next simulated codeword; the noise of a codeword is drawn by its index.
    next: u64,
    /// Map of the results of decoded codewords that no read has taken yet; the key is the number of soft bits and the
    /// logarithm of the raw bit error rate, in whole steps of `RATE_STEP`.
    stock: BTreeMap<(u32, i64), Vec<Word>>,
}

/// Constant: number of different random codewords that are sent as the data of simulated reads, in turn and again and
/// again.
const SENT: u64 = 8;
/// Constant: number of simulated codewords that are decoded when the stock of results has none left: the batch sizes of
/// all decoders divide it.
const AT_ONCE: u64 = 64;
/// Constant: number of pairs of soft bits and raw bit error rate with outcomes of decoded codewords in stock beyond
/// which the whole stock is emptied when a read needs a further pair.
const RATES_MOST: usize = 256;
/// Constant: distance between the natural logarithms of neighbouring raw bit error rates at which codewords are
/// decoded; the rate of a read is rounded to the nearest of them.
const RATE_STEP: f64 = 1e-4;

impl Words {
    /// Makes an empty stock of results of decoded codewords, for the code and the decoder of a table of counted
    /// failures.
    ///
    /// # Errors
    /// When the table's code is not among the shipped codes, or the decoder's parameters are wrong.
    pub fn new(table: &Table, seed: u64) -> Result<Self, String> {
        let code = ldpc::named(&table.code).ok_or_else(|| format!("no code is called {}", table.code))?;
        let maker = maker(&table.decoder).map_err(|error| error.to_string())?;
        let trial = Trial::random(&Arc::new(code.graph), Channel::Flips { rate: 0.01 }, SENT, seed);
        Ok(Self { trial, maker, hard_ratio: table.hard_ratio, next: 0, stock: BTreeMap::new() })
    }

    /// Takes from the stock the result of decoding one codeword, read with `soft_bits` soft bits over Gaussian noise of
    /// raw bit error rate `rate`; decodes more codewords if the stock has none.
    pub fn take(&mut self, soft_bits: u32, rate: f64) -> Word {
        let rate = rate.clamp(0.0, RATE_MOST);
        if rate == 0.0 {
            return Word { fails: false, iterations: 0 };
        }
        // Reads of rates that differ by less than a ten thousandth share words.
        let step = (libm::log(rate) / RATE_STEP).round();
        let key = (soft_bits, step as i64);
        if self.stock.len() > RATES_MOST && !self.stock.contains_key(&key) {
            self.stock.clear();
        }
        if self.stock.get(&key).is_none_or(Vec::is_empty) {
            let more = self.decode(soft_bits, libm::exp(step * RATE_STEP));
            self.stock.insert(key, more);
        }
        self.stock.get_mut(&key).and_then(Vec::pop).expect("words in stock")
    }

    /// Decodes 64 further simulated codewords, read with this number of soft bits at this raw bit error rate, and
    /// returns their results.
    fn decode(&mut self, soft_bits: u32, rate: f64) -> Vec<Word> {
        let noise = of_noise(rate, soft_bits);
        let zones = match self.hard_ratio {
            Some(ratio) if soft_bits == 1 => noise.told_with(ratio),
            _ => noise,
        };
        let trial = self.trial.over(Channel::of_zones(&zones));
        let mut found = Vec::new();
        trial.decode(&*(self.maker)(), self.next..self.next + AT_ONCE, |_, sent, decoded| {
            let wrong = decoded.wrong(&sent[..trial.data_bits()]);
            let word = |(at, iterations): (usize, &u32)| Word {
                fails: wrong >> at & 1 == 1,
                iterations: *iterations,
            };
            found.extend(decoded.iterations.iter().enumerate().map(word));
        });
        self.next += AT_ONCE;
        found.reverse();
        found
    }
}

/// Returns the function that makes the decoder with these `key=value` parameters.
fn maker(parameters: &[String]) -> Result<Maker, ConfigError> {
    let mut document = Document::empty();
    for parameter in parameters {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let quoted = if key == "name" { format!("{value:?}") } else { value.to_owned() };
        document.set(&format!("decoder.{key}={quoted}"))?;
    }
    let mut root = Section::root(&document);
    let mut section = root.child("decoder")?;
    let maker = decoder::read(&mut section)?;
    section.finish()?;
    root.finish()?;
    Ok(maker)
}
