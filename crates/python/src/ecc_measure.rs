//! Codes that decode, for Python: pages as channels, and words counted over them.

use crate::errors::{guarded, input};
use crate::stop;
use ecc::channel::Channel;
use ecc::decoder::{Decoder, catalogue};
use ecc::law::Law;
use ecc::ldpc::{Code, CodeOrigin, named, shipped};
use ecc::measure::{Count, Trial};
use ecc::sensing::{Noise, Page, Placement, SOFT_BITS_MOST, Zones, evolved, sense};
use nand::cells::coding;
use pyo3::prelude::*;
use serde_json::json;
use std::sync::{Arc, OnceLock};

/// Constant: number of different random codewords that a trial of an error correcting code sends over the channel: each
/// many times in a row, and after the last the first again.
const SENT: u64 = 8;
/// Constant: greatest chance with which a confidence interval of a failure rate may miss the true rate.
const MISSING: f64 = 0.05;

/// Adds the functions and classes for error correction to the Python module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<EccPage>()?;
    module.add_class::<EccTrial>()?;
    module.add_function(wrap_pyfunction!(ecc_alike, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_evolved, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_table, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_flips, module)?)?;
    module.add_function(wrap_pyfunction!(placements, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_codes, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_code, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_decoders, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_interval, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_law, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_rate, module)?)?;
    module.add_function(wrap_pyfunction!(ecc_extrapolated, module)?)?;
    Ok(())
}

/// Python class: flash page as a communication channel for error correction: of simulated cells with a certain wear,
/// retention time and number of reads, or of cell states with normal distributions.
#[pyclass(module = "floatgate._core", frozen)]
pub struct EccPage {
    pub page: Page,
}

/// Tuple of the results of sensing a page: raw bit error rate of the hard decision (the middle one of a soft read's
/// references), mutual information per bit, read references in volts at each boundary of states, probability of each
/// read value for a sent zero and for a sent one, and log-likelihood ratio of each value.
type CellsSeen = (f64, f64, Vec<Vec<f64>>, Vec<f64>, Vec<f64>, Vec<f64>);

fn seen(references_v: Vec<Vec<f64>>, zones: Zones) -> CellsSeen {
    let (rate, information) = (zones.rate(), zones.information());
    let [zero, one] = zones.shares;
    (rate, information, references_v, zero, one, zones.ratios)
}

/// Returns, for each state of the cell, true if the state stores a one in the page with index `page` of the wordline.
pub fn ones(states: &[impl AsRef<str>], page: usize) -> Vec<bool> {
    states.iter().map(|state| state.as_ref().as_bytes()[page] == b'1').collect()
}

#[pymethods]
impl EccPage {
    /// Makes a page of cells with `bits` bits that are programmed in one step; the states have normal distributions, of
    /// the width that gives the raw bit error rate `rate`.
    #[staticmethod]
    fn normal(bits: u32, page: usize, rate: f64) -> PyResult<Self> {
        let cell = [nand::Cell::Slc, nand::Cell::Mlc, nand::Cell::Tlc, nand::Cell::Qlc]
            .into_iter()
            .find(|cell| cell.bits() == bits)
            .ok_or_else(|| input(format!("{bits} bits of a cell: expected 1 to 4")))?;
        let page = Page::normal(ones(coding::one_shot_states(cell), page), rate)
            .ok_or_else(|| input(format!("rate {rate}: expected one that states side by side can have")))?;
        Ok(Self { page })
    }

    /// Returns the result of reading this page's cells with `soft_bits` bits per cell, when the controller takes the
    /// page for the page `known` and chooses read references (by the rule `placement`) and log-likelihood ratios that
    /// are right for that one: error rate, information per bit, references in volts, probabilities of the read values
    /// for a zero and for a one, log-likelihood ratios.
    fn seen(&self, py: Python<'_>, known: &Self, soft_bits: u32, placement: &str) -> PyResult<CellsSeen> {
        guarded(py, || {
            let placement = Placement::named(placement).ok_or_else(|| {
                input(format!("placement {placement:?}: expected one of {}", placements().join(", ")))
            })?;
            let sensed = sense(&self.page, &known.page, soft(soft_bits)?, placement);
            Ok(seen(sensed.references_v, sensed.zones))
        })
    }
}

/// Returns, for reads with two and with three soft bits, the curve of channels with Gaussian noise (distance from failing,
/// by raw bit error rate) to which a page is compared in order to find the noise with which a decoder fails equally often.
fn noises() -> &'static [Noise; 2] {
    static NOISES: OnceLock<[Noise; 2]> = OnceLock::new();
    NOISES.get_or_init(|| [Noise::new(2), Noise::new(3)])
}

/// Returns, for reads of `page` with two and with three soft bits, the raw bit error rate of the Gaussian noise with
/// which a decoder fails as often as on the page.
pub fn soft_rates(page: &Page) -> [f64; 2] {
    noises().each_ref().map(|noise| noise.of_page(page))
}

/// Returns the raw bit error rate of the Gaussian noise with which a decoder fails as often as on a page that is read
/// with `soft_bits` bits per cell, and for which each read value has the given probability for a `zero` and for a `one`
/// and the given log-likelihood ratio in `ratios`.
#[pyfunction]
pub fn ecc_alike(soft_bits: u32, zero: Vec<f64>, one: Vec<f64>, ratios: Vec<f64>) -> PyResult<f64> {
    let zones = Zones { shares: [zero, one], ratios };
    Ok(match soft(soft_bits)? {
        1 => zones.rate(),
        more => noises()[more as usize - 2].alike(&zones),
    })
}

/// Returns margin and spread of a channel by density evolution: the share of bits that may be exchanged for their opposites
/// before words of nand-4k-889 fail, and the standard deviation of one bit's part in the margin of a word. Each read value
/// has the given probability for a `zero` and for a `one` and the given log-likelihood ratio in `ratios`.
#[pyfunction]
pub fn ecc_evolved(zero: Vec<f64>, one: Vec<f64>, ratios: Vec<f64>) -> (f64, f64) {
    evolved(&Zones { shares: [zero, one], ratios })
}

fn soft(soft_bits: u32) -> PyResult<u32> {
    if (1..=SOFT_BITS_MOST).contains(&soft_bits) {
        return Ok(soft_bits);
    }
    Err(input(format!("{soft_bits} soft bits: expected 1 to {SOFT_BITS_MOST}")))
}

/// Returns a channel that inverts bits with the probability `rate` (hard reads), in the form that `EccPage.seen`
/// returns.
#[pyfunction]
pub fn ecc_flips(rate: f64) -> CellsSeen {
    seen(Vec::new(), Zones::flips(rate))
}

/// Returns the probability that decoding of a codeword fails and the mean number of decoder iterations, by the built-in
/// table of counted failures `name`, for reads with `soft_bits` bits per cell at the raw bit error rate `rate`.
#[pyfunction]
pub fn ecc_table(name: &str, soft_bits: u32, rate: f64) -> PyResult<(f64, f64)> {
    let table = ecc::table::named(name)
        .ok_or_else(|| input(format!("table {name:?}: expected one that comes along")))?;
    let curve = &table.curves[soft(soft_bits)? as usize - 1];
    Ok((curve.failure(rate), curve.iterations(rate)))
}

/// Returns the names of the rules by which read references for soft bits are placed.
#[pyfunction]
#[pyo3(name = "ecc_placements")]
pub fn placements() -> Vec<&'static str> {
    Placement::ALL.iter().map(|(name, _)| *name).collect()
}

/// Returns all built-in error correcting codes, as JSON.
#[pyfunction]
pub fn ecc_codes() -> String {
    let card = |(name, _): &(&str, &str)| card(name, &named(name).expect("a shipped code"));
    json!(shipped().iter().map(card).collect::<Vec<_>>()).to_string()
}

/// Returns the description of one error correcting code, built in or from the text of its file `(path, text)`, in the
/// form of an item of `ecc_codes`.
#[pyfunction]
#[pyo3(signature = (name, file = None))]
pub fn ecc_code(name: &str, file: Option<(String, String)>) -> PyResult<String> {
    Ok(card(name, &code(name, file)?).to_string())
}

fn card(name: &str, code: &Code) -> serde_json::Value {
    let (bits, data_bits) = (code.graph.bits(), code.graph.data_bits());
    let origin = match &code.origin {
        CodeOrigin::Standard(standard) => standard.clone(),
        CodeOrigin::Grown(growth, cycles) => format!(
            "grown here, seed {}, girth {}",
            growth.seed,
            cycles.girth().map_or("above 8".to_owned(), |girth| girth.to_string())
        ),
    };
    json!({
        "name": name,
        "bits": bits,
        "data_bits": data_bits,
        "rate": data_bits as f64 / bits as f64,
        "edges": code.graph.edges(),
        "from": origin,
    })
}

/// Returns the error correcting code of a file, given as `(path, text)`, or without a file the built-in code `name`.
fn code(name: &str, file: Option<(String, String)>) -> PyResult<Code> {
    if let Some((path, text)) = file {
        return Code::parse(&path, &text).map_err(input);
    }
    named(name).ok_or_else(|| {
        let names = shipped().iter().map(|(name, _)| *name);
        let hint = config::meant(name, names.clone()).map_or(String::new(), |hint| format!("; {hint}"));
        input(format!(
            "code {name:?}: expected a file, or one of {}{hint}",
            names.collect::<Vec<_>>().join(", ")
        ))
    })
}

/// Returns all decoders with their rules, as JSON.
#[pyfunction]
pub fn ecc_decoders() -> String {
    let card = |entry: &config::PolicyEntry| json!({"name": entry.card.name, "rule": entry.card.rule});
    json!(catalogue().iter().map(card).collect::<Vec<_>>()).to_string()
}

/// Makes the Python exception for a wrong parameter of a decoder; the message names the command-line option
/// `--parameter`, by which the user gave the parameter.
fn named_so(error: config::ConfigError) -> PyErr {
    let text = error.to_string();
    input(
        text.strip_prefix("--set: ")
            .map_or_else(|| text.replacen("--set", "--parameter", 1), ToOwned::to_owned),
    )
}

/// Python class: experiment with an error correcting code: random codewords are sent over channels and decoded, and the
/// failures are counted.
#[pyclass(module = "floatgate._core", frozen)]
pub struct EccTrial {
    trial: Trial,
    maker: ecc::decoder::Maker,
    decoder: Vec<(String, String)>,
}

#[pymethods]
impl EccTrial {
    /// Makes the Python object of an experiment that decodes random codewords: of the code `name` (or the code in
    /// `file`), with a decoder whose parameters `settings` sets as `key=value` texts.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        file: Option<(String, String)>,
        decoder: &str,
        settings: Vec<String>,
        seed: u64,
    ) -> PyResult<Self> {
        guarded(py, || {
            let code = code(name, file)?;
            let mut document = config::Document::empty();
            document.set(&format!("decoder.name={decoder:?}")).map_err(named_so)?;
            for setting in settings {
                document.set(&format!("decoder.{setting}")).map_err(named_so)?;
            }
            let mut root = config::Section::root(&document);
            let mut section = root.child("decoder").map_err(named_so)?;
            let maker = ecc::decoder::read(&mut section).map_err(named_so)?;
            section.finish().map_err(named_so)?;
            let parameters = root.entries();
            root.finish().map_err(named_so)?;
            let decoder = parameters.into_iter().map(|entry| (entry.key, entry.value.to_string())).collect();
            let graph = Arc::new(code.graph);
            let trial = Trial::random(&graph, Channel::Flips { rate: 0.01 }, SENT, seed);
            Ok(Self { trial, maker, decoder })
        })
    }

    /// Returns the parameters of the decoder, defaults included, as pairs of key and value text.
    fn decoder(&self) -> Vec<(String, String)> {
        self.decoder.clone()
    }

    /// Sends `words` codewords, from codeword number `first` on, over the channel in which each read value has the
    /// given probability for a `zero` and for a `one` and the given log-likelihood ratio in `ratios`; decodes the
    /// codewords, and returns the number of failures, the number of undetected failures, and the number of codewords by
    /// decoder iterations, from 0 iterations on.
    #[allow(clippy::too_many_arguments)]
    fn count(
        &self,
        py: Python<'_>,
        zero: Vec<f64>,
        one: Vec<f64>,
        ratios: Vec<f64>,
        first: u64,
        words: u64,
    ) -> PyResult<(u64, u64, Vec<u64>)> {
        guarded(py, || {
            let zones = Zones { shares: [zero, one], ratios };
            let decoder: Box<dyn Decoder> = (self.maker)();
            let trial = self.trial.over(Channel::of_zones(&zones));
            let tally = trial.tally(&*decoder, first..first + words, || !stop::is_stopped());
            // What ended it is raised by `guarded`.
            let tally = tally.unwrap_or_default();
            Ok((tally.count.failures, tally.count.undetected, tally.iterations))
        })
    }
}

/// Returns the exact 95 % confidence interval of the failure rate of decoding, from the number of decoded codewords
/// (`words`) and of failures among them.
#[pyfunction]
pub fn ecc_interval(words: u64, failures: u64) -> (f64, f64) {
    Count { words, failures, ..Count::default() }.interval(MISSING)
}

/// Fits the scaling law of decoding failures against the raw bit error rate to points (rate, number of codewords,
/// number of failures) for codewords of `bits` bits; returns the law's threshold in bit errors of a codeword and its
/// variance in bit errors squared, None where no law fits.
#[pyfunction]
pub fn ecc_law(bits: usize, points: Vec<(f64, u64, u64)>) -> Option<(f64, f64)> {
    let law = Law::fitted(bits, &counts(&points))?;
    Some((law.threshold, law.variance))
}

/// Returns the raw bit error rate at which the scaling law of decoding failures (threshold, variance) of codewords of
/// `bits` bits gives the failure probability `failure`.
#[pyfunction]
pub fn ecc_rate(bits: usize, law: (f64, f64), failure: f64) -> f64 {
    Law { bits: bits as f64, threshold: law.0, variance: law.1 }.rate(failure)
}

/// Evaluates the scaling law `law` (threshold, variance) of decoding failures at the raw bit error rate `rate`: returns
/// the probability that decoding of a codeword of `bits` bits fails, and the lower and upper bound of its 95 %
/// confidence interval by the counted points (rate, number of codewords, number of failures).
#[pyfunction]
pub fn ecc_extrapolated(
    bits: usize,
    law: (f64, f64),
    points: Vec<(f64, u64, u64)>,
    rate: f64,
) -> (f64, f64, f64) {
    let law = Law { bits: bits as f64, threshold: law.0, variance: law.1 };
    let (low, high) = law.interval(&counts(&points), rate);
    (law.failure(rate), low, high)
}

fn counts(points: &[(f64, u64, u64)]) -> Vec<(f64, Count)> {
    let count = |(rate, words, failures): &(f64, u64, u64)| {
        (*rate, Count { words: *words, failures: *failures, ..Count::default() })
    };
    points.iter().map(count).collect()
}
