//! Writes what `benches/gpu/decode.py` decodes on a GPU into a folder: matrices, words sent, what this processor decodes some of
//! them to, and a list of jobs.

use ecc::channel::{Channel, Levels};
use ecc::decoder::{Decoder, MinSum8};
use ecc::ldpc::{Graph, named};
use ecc::measure::Trial;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Constant: limit, in seconds, of the time that the whole list of decoding jobs may take on the GPU.
const SECONDS: u32 = 450;
const ITERATIONS: u32 = 20;
/// Constant: seed of the codewords for points of AFF3CT's curves, the same as in `evidence.rs`, so that the same
/// codewords are sent.
const SEED_OF_EVIDENCE: u64 = 4300;
/// Constant: number of codewords that GPU and processor both decode, so that the results can be compared bit by bit.
const COMPARED: u64 = 10_112;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/gpu".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let mut jobs = Jobs { folder, graphs: BTreeMap::new(), written: Vec::new() };
    for (code, noise, point) in [("nand-4k-889", "coarse-gauss", 0.0205), ("nand-4k-928", "hard", 0.0045)] {
        jobs.compared(code, noise, point)?;
    }
    let gauss = |sigma: f64| format!("\"channel\": \"gauss\", \"number\": {sigma:?}");
    for (point, words) in [(4.1, 8_000_000), (4.2, 30_000_000), (4.3, 60_000_000)] {
        let Channel::Gauss { sigma } = Channel::gauss(point, 8.0 / 9.0) else {
            unreachable!("Gaussian noise")
        };
        jobs.oracle("dvb-s2-16200-14400", true, (10, 0.75), (point, &gauss(sigma)), words)?;
    }
    let flips = |rate: f64| format!("\"channel\": \"flips\", \"number\": {rate:?}");
    for (point, words) in [(0.04, 3_000_000), (0.03, 40_000_000)] {
        jobs.oracle("wimax-576-288", false, (100, 0.825), (point, &flips(point)), words)?;
    }
    let curves: [(&str, &str, &[f64], f64); 4] = [
        ("nand-4k-889", "hard", &[0.0095, 0.009, 0.0085, 0.008, 0.0075, 0.007, 0.0065, 0.006, 0.0055], 45.0),
        (
            "nand-4k-889",
            "coarse-gauss",
            &[0.022, 0.0215, 0.021, 0.0205, 0.02, 0.0195, 0.019, 0.0185, 0.018],
            45.0,
        ),
        ("nand-4k-928", "hard", &[0.0055, 0.005, 0.0045, 0.004, 0.0035, 0.003, 0.0025], 30.0),
        ("nand-4k-928", "coarse-gauss", &[0.014, 0.0135, 0.013, 0.0125, 0.012, 0.0115, 0.011, 0.01], 30.0),
    ];
    for (code, noise, points, seconds) in curves {
        for point in points {
            jobs.counted(code, noise, *point, seconds)?;
        }
    }
    let list = format!("{{\"seconds\": {SECONDS}, \"jobs\": [\n{}\n]}}\n", jobs.written.join(",\n"));
    std::fs::write(jobs.folder.join("jobs.json"), list)
}

struct Jobs {
    folder: PathBuf,
    graphs: BTreeMap<String, Arc<Graph>>,
    written: Vec<String>,
}

impl Jobs {
    fn graph(&mut self, code: &str) -> std::io::Result<Arc<Graph>> {
        if let Some(graph) = self.graphs.get(code) {
            return Ok(graph.clone());
        }
        let graph = Arc::new(named(code).expect("a shipped code").graph);
        let head =
            [graph.bits(), graph.data_bits(), graph.checks(), graph.edges()].map(|number| number as u32);
        let numbers = head.iter().chain(graph.starts()).chain(graph.columns());
        write(&self.folder.join(format!("{code}.graph")), numbers.copied())?;
        self.graphs.insert(code.to_owned(), graph.clone());
        Ok(graph)
    }

    /// Writes the random codewords that the trial sends to a file, and returns the name of the file.
    fn sent(&self, code: &str, trial: &Trial, seed: u64) -> std::io::Result<String> {
        let name = format!("{code}-{seed}.sent");
        let pack =
            |bits: &[bool]| bits.iter().enumerate().fold(0, |word, (at, bit)| word | u32::from(*bit) << at);
        let numbers = trial.all_sent().iter().flat_map(|word| word.chunks(32).map(pack));
        write(&self.folder.join(&name), numbers)?;
        Ok(name)
    }

    /// Adds a job whose results on the GPU are to be compared: decodes `COMPARED` codewords on this processor with the
    /// integer decoder, and writes the outcomes to a file.
    fn compared(&mut self, code: &str, noise: &str, point: f64) -> std::io::Result<()> {
        let graph = self.graph(code)?;
        let trial = Trial::random(&graph, channel(noise, point), 64, 101);
        let name = format!("{code}-{noise}.expected");
        let mut outcomes = Vec::new();
        let decoder = MinSum8::of_levels(ITERATIONS, 6);
        trial.decode(&decoder as &dyn Decoder, 0..COMPARED, |_, sent, decoded| {
            let mut prints = vec![0u32; decoded.iterations.len()];
            let mut wrong = 0u64;
            for ((bit, bits), sent) in (0u32..).zip(&decoded.bits).zip(sent) {
                for (word, print) in prints.iter_mut().enumerate() {
                    *print = print.wrapping_add((bits >> word & 1) as u32 * print_of(bit));
                }
                if (bit as usize) < graph.data_bits() {
                    wrong |= bits ^ if *sent { u64::MAX } else { 0 };
                }
            }
            for (word, print) in prints.into_iter().enumerate() {
                let ended = (decoded.converged >> word & 1) | (wrong >> word & 1) << 1;
                outcomes.extend([decoded.iterations[word], ended as u32, print]);
            }
        });
        write(&self.folder.join(&name), outcomes)?;
        let more = format!("\"words\": {COMPARED}, \"expected\": \"{name}\"");
        self.integer(code, noise, point, (&trial, 101), &more)
    }

    /// Adds a job that counts decoding failures of a code at the raw bit error rate `point`, until 400 codewords have
    /// failed or `seconds` seconds have passed on the GPU.
    fn counted(&mut self, code: &str, noise: &str, point: f64, seconds: f64) -> std::io::Result<()> {
        let graph = self.graph(code)?;
        let trial = Trial::random(&graph, channel(noise, point), 64, 102);
        let more = format!(
            "\"words\": 4000000000, \"failures\": 400, \"seconds\": {seconds:?}, \"curve\": \"{code} {noise}\""
        );
        self.integer(code, noise, point, (&trial, 102), &more)
    }

    fn integer(
        &mut self,
        code: &str,
        noise: &str,
        point: f64,
        (trial, seed): (&Trial, u64),
        more: &str,
    ) -> std::io::Result<()> {
        let sent = self.sent(code, trial, seed)?;
        let Channel::Levels(Levels { below, levels }) = channel(noise, point) else { unreachable!("levels") };
        let channel = format!("\"channel\": \"{noise}\", \"below\": {below:?}, \"levels\": {levels:?}");
        let decoder = "\"decoder\": \"min-sum-8\", \"integer\": true, \"eighths\": 6, \"message_most\": 31";
        self.push(
            code,
            &sent,
            seed,
            &format!("{decoder}, \"iterations\": {ITERATIONS}, \"point\": {point:?}, {channel}, {more}"),
        );
        Ok(())
    }

    /// Adds a job that decodes `words` codewords in floating point at a point of AFF3CT's curves of failures, to
    /// compare the counts.
    fn oracle(
        &mut self,
        code: &str,
        random: bool,
        (iterations, factor): (u32, f64),
        (point, channel): (f64, &str),
        words: u64,
    ) -> std::io::Result<()> {
        let graph = self.graph(code)?;
        let nothing = Channel::Flips { rate: 0.1 };
        let trial = if random {
            Trial::random(&graph, nothing, 64, SEED_OF_EVIDENCE)
        } else {
            Trial::zeros(&graph, nothing, SEED_OF_EVIDENCE)
        };
        let sent = self.sent(code, &trial, SEED_OF_EVIDENCE)?;
        let decoder = format!("\"decoder\": \"min-sum\", \"integer\": false, \"factor\": {factor:?}");
        let more = format!(
            "\"iterations\": {iterations}, \"point\": {point:?}, {channel}, \"words\": {words}, \"seconds\": 100.0"
        );
        self.push(code, &sent, SEED_OF_EVIDENCE, &format!("{decoder}, {more}"));
        Ok(())
    }

    fn push(&mut self, code: &str, sent: &str, seed: u64, more: &str) {
        let number = self.written.len();
        self.written.push(format!(
            "{{\"name\": \"{code} {number}\", \"code\": \"{code}\", \"graph\": \"{code}.graph\", \"sent\": \"{sent}\", \
             \"seed\": {seed}, {more}}}"
        ));
    }
}

/// Returns the channel of the integer decoder at the raw bit error rate `rate`: a hard read with ratios of 12 levels
/// (`hard`), or Gaussian noise with log-likelihood ratios rounded to half a unit.
fn channel(noise: &str, rate: f64) -> Channel {
    match noise {
        "hard" => Channel::coarse_flips(rate, 12),
        _ => Channel::coarse_gauss(-1.0 / nand::cells::normal::quantile(rate), 2.0, 31),
    }
}

/// Returns the number that stands for bit `bit` in a decoded codeword's fingerprint, which is the sum of these numbers
/// over the codeword's ones; the same function as in `decoder.cu`.
const fn print_of(bit: u32) -> u32 {
    let mut x = bit.wrapping_mul(0x9e37_79b9);
    x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad);
    x ^ (x >> 15)
}

fn write(path: &Path, numbers: impl IntoIterator<Item = u32>) -> std::io::Result<()> {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    std::fs::write(path, bytes)
}
