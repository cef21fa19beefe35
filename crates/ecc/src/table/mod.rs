//! Tables of what a code fails at, counted by `floatgate ecc measure`: what drives read with.
//!
//! For each number of soft bits a [`Curve`]: failures and iterations by the raw bit error rate of Gaussian noise whose values tell as
//! much. A hard read tells nothing but its bits, so that its rate is that of the page itself. Soft reads of a page tell less than those
//! of noise with as many errors, since states have tails; what rate of noise tells as much is the page's ([`crate::Soft`]).

mod curve;
mod parabola;
mod shipped;

pub use curve::{Curve, IterationsTaken, Point};
pub use shipped::{named, shipped};

use crate::sensing::SOFT_BITS_MOST;
use config::{ConfigError, Document, Section, above, at_least, at_most};

/// Type of the table of the counted failures and decoder iterations of one code with one decoder, by raw bit error rate
/// and number of soft bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Field of the table: name of the error-correcting code whose failures were counted: a file of `codes/`.
    pub code: String,
    /// Field of the table: number of bits of a codeword of the counted code, parity included.
    pub bits: u32,
    /// Field of the table: number of data bits of a codeword of the counted code.
    pub data_bits: u32,
    /// Field of the table: number of ones of the code's matrix, which is the number of messages of an iteration.
    pub edges: u32,
    /// List of the parameters of the decoder with which the failures were counted, as `key=value`, the decoder's name
    /// first.
    pub decoder: Vec<String>,
    /// Field of the table: magnitude of the log-likelihood ratio that the decoder is given for each bit of a hard read;
    /// none: it follows from the raw bit error rate.
    pub hard_ratio: Option<f64>,
    /// Field of the table: seed of the random codewords that were counted.
    pub seed: u64,
    /// Field of the table: command line by which the codewords were counted.
    pub command: String,
    /// List of the curves of failures and iterations: one for each number of soft bits, from one soft bit on.
    pub curves: Vec<Curve>,
}

impl Table {
    /// Parses the text of a table file (a code's counted decoding failures, in `codes/tables/`), called `file` in error
    /// messages.
    ///
    /// # Errors
    /// When a key is unknown, missing or wrong, or lists do not fit each other.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(file, text)?;
        let mut root = Section::root(&document);
        let count = |root: &mut Section, key, help| {
            root.within(at_least(1u32).at_most(1u32 << 30)).required(key, help)
        };
        let bits = count(&mut root, "bits", "bits of a word")?;
        let data_bits = count(&mut root, "data_bits", "bits of data in a word")?;
        if data_bits >= bits || data_bits % 8 != 0 {
            return Err(root
                .reject("data_bits", &format!("expected whole bytes, less than the {bits} bits of a word")));
        }
        let edges = count(&mut root, "edges", "ones of the matrix")?;
        let _: String = root.required("channel", "what became of the words' bits")?;
        let _: String = root.required("placement", "where references lay")?;
        let hard_ratio = root
            .within(above(0.0).at_most(30.0))
            .optional("hard_ratio", "log-likelihood ratio that each bit of a hard read is told with")?;
        let mut table = Self {
            hard_ratio,
            code: root.required("code", "name of the code")?,
            bits,
            data_bits,
            edges,
            decoder: root.required("decoder", "the decoder's parameters")?,
            seed: root.within(at_least(0u64)).required("seed", "seed of the words")?,
            command: root.required("command", "what counted")?,
            curves: Vec::new(),
        };
        for soft_bits in 1..=SOFT_BITS_MOST {
            let key = format!("soft_{soft_bits}");
            if !root.has(&key) {
                break;
            }
            let mut section = root.child(&key)?;
            table.curves.push(read_curve(&mut section, bits)?);
            section.finish()?;
        }
        if table.curves.is_empty() {
            let _: Vec<f64> = root.child("soft_1")?.required("rates", RATES)?;
        }
        root.finish()?;
        Ok(table)
    }

    /// Returns a text about the basis of failure chances below the counted ones, for reads with `more + 1` soft bits:
    /// the scaling law by which they are extrapolated, and the bound of an error floor.
    pub fn extrapolated(&self, more: usize) -> String {
        let curve = &self.curves[more];
        format!(
            "chances of the code {} below {:.1e} of words are extrapolated by a law of what was counted; a floor was not seen, \
             and is below {:.1e} of words where they were counted",
            self.code,
            curve.last().failure(),
            curve.floor_most(),
        )
    }

    /// Returns one line of text for each number of soft bits: which codewords were counted, and below which failure
    /// rate the scaling law extrapolates.
    pub fn provenance(&self) -> Vec<String> {
        let name = self.decoder.iter().find_map(|each| each.strip_prefix("name=")).unwrap_or("?");
        let line = |(soft_bits, curve): (usize, &Curve)| {
            let last = curve.last();
            let elsewhere = match curve.words_elsewhere() {
                0 => String::new(),
                words => format!(" ({words} of them on a GPU)"),
            };
            format!(
                "{}, {name}, {soft_bits} soft bit{}: {} words counted{elsewhere}, seed {}, down to {:.1e} of {} words at {:.4}; \
                 below that extrapolated by a law, to 1e-11 at {:.4}; no floor was seen above {:.1e}",
                self.code,
                if soft_bits == 1 { "" } else { "s" },
                curve.words(),
                self.seed,
                last.failure(),
                last.words,
                last.rate,
                curve.rate(1e-11),
                curve.floor_most(),
            )
        };
        (1..).zip(&self.curves).map(line).collect()
    }
}

#[cfg(test)]
mod tests;

const RATES: &str = "raw bit error rates of the points, falling";

fn read_curve(section: &mut Section, bits: u32) -> Result<Curve, ConfigError> {
    let law: Vec<f64> = section.required("law", "threshold and variance of the law of the failures")?;
    let &[threshold, variance] = &law[..] else {
        return Err(section.reject("law", "expected a threshold and a variance"));
    };
    let floor_most =
        section.within(above(0.0).at_most(1.0)).required("floor_most", "the most that a floor can be")?;
    let rates: Vec<f64> = section.within(at_least(0.0).at_most(0.5)).required("rates", RATES)?;
    if rates.windows(2).any(|pair| pair[0] <= pair[1]) {
        return Err(section.reject("rates", "expected falling rates"));
    }
    let list = |section: &mut Section, key, help| -> Result<Vec<u64>, ConfigError> {
        let found: Vec<u64> = section.within(at_most(1u64 << 50)).required(key, help)?;
        fits(section, key, found.len(), rates.len())?;
        Ok(found)
    };
    let words = list(section, "words", "words decoded at each")?;
    let failures = list(section, "failures", "those whose data came out wrong")?;
    let undetected = list(section, "undetected", "of those, with all checks kept")?;
    let iterations: Vec<String> = section.required("iterations", "words that took 0, 1, 2... iterations")?;
    fits(section, "iterations", iterations.len(), rates.len())?;
    for key in ["zero", "one", "ratios"] {
        let _: Vec<String> = section.required(key, "what bits came as")?;
    }
    let mut points = Vec::new();
    for at in 0..rates.len() {
        let counts: Option<Vec<u64>> =
            iterations[at].split_whitespace().map(|each| each.parse().ok()).collect();
        let expected = format!("[{at}]: expected counts that sum up to {} words", words[at]);
        let counts = counts
            .filter(|counts| {
                counts.iter().sum::<u64>() == words[at] && failures[at] <= words[at] && words[at] > 0
            })
            .ok_or_else(|| section.reject("iterations", &expected))?;
        let point = Point {
            rate: rates[at],
            words: words[at],
            failures: failures[at],
            undetected: undetected[at],
            taken: IterationsTaken::Each(counts),
        };
        points.push(point);
    }
    let elsewhere: Vec<String> = section.or(
        "elsewhere",
        Vec::new(),
        "counted elsewhere: rate, words, failures, undetected, iterations of all words",
    )?;
    for (at, text) in elsewhere.iter().enumerate() {
        points.push(total(text).ok_or_else(|| {
            section.reject("elsewhere", &format!("[{at}]: expected a rate and four counts, words not none"))
        })?);
    }
    points.sort_by(|one, other| other.rate.total_cmp(&one.rate));
    let law = crate::law::Law { bits: f64::from(bits), threshold, variance };
    Curve::new(law, floor_most, points).ok_or_else(|| {
        section.reject("failures", "expected two points with failures and words that did not fail")
    })
}

/// Parses a line of a table that gives the totals of a point: raw bit error rate, codewords, failures, undetected
/// failures, and sum of the iterations; `None` if the text is wrong.
fn total(text: &str) -> Option<Point> {
    let (rate, counts) = text.split_once(' ')?;
    let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().ok()).collect::<Option<_>>()?;
    let &[words, failures, undetected, iterations] = &counts[..] else { return None };
    let rate = rate.parse().ok().filter(|rate| (0.0..=0.5).contains(rate))?;
    let is_count = words > 0 && failures <= words && undetected <= failures;
    is_count.then_some(Point { rate, words, failures, undetected, taken: IterationsTaken::InAll(iterations) })
}

fn fits(section: &Section, key: &str, found: usize, expected: usize) -> Result<(), ConfigError> {
    if found == expected {
        return Ok(());
    }
    Err(section.reject(key, &format!("expected {expected} values, one for each of the rates, not {found}")))
}
