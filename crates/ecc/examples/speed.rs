//! How fast words are decoded on one core, their noise not counted: `speed CODE DECODER ITERATIONS NOISE POINT WORDS`, with a factor of
//! 0.75. `benches/ecc_peers.py` runs it beside other decoders.

mod arguments;

use arguments::{fail, known};
use ecc::channel::Channel;
use ecc::decoder::{Decoder, MinSum, MinSum8, MinSumFlooding};
use ecc::ldpc::{named, shipped};
use ecc::measure::Trial;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const DECODERS: [&str; 3] = ["min-sum", "min-sum-8", "min-sum-flooding"];
/// Constant: names for the argument NOISE: `flips`, for which POINT is a raw bit error rate, and `gauss`, for which
/// POINT is Eb/N0 in dB.
const NOISES: [&str; 2] = ["flips", "gauss"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [code, decoder, iterations, noise, point, words] = arguments.as_slice() else {
        fail("expected CODE DECODER ITERATIONS NOISE POINT WORDS");
    };
    known("CODE", code, &shipped().iter().map(|(name, _)| *name).collect::<Vec<&str>>());
    known("DECODER", decoder, &DECODERS);
    known("NOISE", noise, &NOISES);
    let graph = Arc::new(named(code).expect("a shipped code").graph);
    let (iterations, point) = (number("ITERATIONS", iterations), number("POINT", point));
    let channel = match noise.as_str() {
        "flips" => Channel::Flips { rate: point },
        _ => Channel::gauss(point, graph.data_bits() as f64 / graph.bits() as f64),
    };
    let decoder: Box<dyn Decoder> = match decoder.as_str() {
        "min-sum" => Box::new(MinSum::new(iterations, 0.75, 0.0)),
        "min-sum-8" => Box::new(MinSum8::of_ratios(iterations, 6)),
        _ => Box::new(MinSumFlooding::new(iterations, 0.75, 0.0)),
    };
    measure(&Trial::random(&graph, channel, 8, 1), &*decoder, &graph, number("WORDS", words));
}

/// Decodes `words` codewords, rounded up to whole batches of the decoder, and prints the failures, the iterations and
/// the speed; the time to make the noise is left out.
fn measure(trial: &Trial, decoder: &dyn Decoder, graph: &Arc<ecc::ldpc::Graph>, words: u64) {
    let mut decoding = decoder.on(graph);
    let at_once = decoding.words();
    let mut ratios = vec![0.0; graph.bits() * at_once];
    let (mut spent, mut failures, mut iterations, mut together) = (Duration::ZERO, 0, 0, 0);
    let batches = words.div_ceil(at_once as u64);
    for first in (0..batches).map(|batch| batch * at_once as u64) {
        trial.fill(first, at_once, &mut ratios);
        let begun = Instant::now();
        let decoded = decoding.decode(&ratios);
        spent += begun.elapsed();
        failures += decoded.wrong(&trial.sent(first)[..graph.data_bits()]).count_ones();
        iterations += decoded.iterations.iter().sum::<u32>();
        together += decoded.iterations.iter().max().unwrap_or(&0);
    }
    let words = (batches * at_once as u64) as f64;
    println!(
        "{words} words, {failures} failed, {:.3} iterations, {:.3} of {at_once} words together, {:.2} Mbit/s of data",
        f64::from(iterations) / words,
        f64::from(together) / batches as f64,
        words * graph.data_bits() as f64 / spent.as_secs_f64() / 1e6,
    );
}

fn number<T: FromStr + PartialOrd + Default + Display>(what: &str, text: &str) -> T {
    match text.parse::<T>() {
        Ok(number) if number > T::default() => number,
        _ => fail(&format!("{what}: {text:?}: expected a number above {}", T::default())),
    }
}
