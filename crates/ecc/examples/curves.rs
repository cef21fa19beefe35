//! Counts failures of a code over a channel, on one core: `curves CODE DECODER NOISE POINT[,POINT...] WORDS`. A point is the raw bit
//! error rate of a hard read.

mod arguments;

use arguments::{fail, known};
use ecc::channel::Channel;
use ecc::decoder::{Decoder, GradientDescent, MinSum, MinSum8, SumProduct};
use ecc::ldpc::{named, shipped};
use ecc::measure::Trial;
use std::sync::Arc;

const DECODERS: [&str; 5] = ["min-sum", "min-sum-8", "levels", "sum-product", "gradient-descent"];
/// Constant: names for the argument NOISE: bit flips with exact log-likelihood ratios (`flips`), bit flips with ratios
/// of 12 levels for the decoder `levels` (`levels-12`), and Gaussian noise (`gauss`).
const NOISES: [&str; 3] = ["flips", "levels-12", "gauss"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [code, decoder, noise, points, words] = arguments.as_slice() else {
        fail("expected CODE DECODER NOISE POINT[,POINT...] WORDS");
    };
    let codes: Vec<&str> = shipped().iter().map(|(name, _)| *name).collect();
    known("CODE", code, &codes);
    known("DECODER", decoder, &DECODERS);
    known("NOISE", noise, &NOISES);
    let graph = Arc::new(named(code).expect("a shipped code").graph);
    let Some(words) = words.parse::<u64>().ok().filter(|words| words.is_multiple_of(64) && *words > 0) else {
        fail(&format!("WORDS: {words:?}: expected a multiple of 64"));
    };
    for point in points.split(',') {
        let Some(rate) = point.parse::<f64>().ok().filter(|rate| *rate > 0.0 && *rate < 0.5) else {
            fail(&format!("POINT: {point:?}: expected a rate between 0 and 0.5"));
        };
        let trial = Trial::random(&graph, channel(noise, rate), 8, 1);
        let start = std::time::Instant::now();
        let count = trial.count(&*maker(decoder), 0..words);
        println!(
            "{point}: {} of {words} failed, {} undetected, {:.2} iterations, {:.1} Mbit/s",
            count.failures,
            count.undetected,
            count.iterations as f64 / count.words as f64,
            count.words as f64 * graph.bits() as f64 / start.elapsed().as_secs_f64() / 1e6
        );
    }
}

fn maker(decoder: &str) -> Box<dyn Decoder> {
    match decoder {
        "min-sum" => Box::new(MinSum::new(20, 0.75, 0.0)),
        "min-sum-8" => Box::new(MinSum8::default()),
        "levels" => Box::new(MinSum8::of_levels(20, 6)),
        "sum-product" => Box::new(SumProduct::new(50)),
        _ => Box::new(GradientDescent::new(100, 0.9)),
    }
}

fn channel(noise: &str, rate: f64) -> Channel {
    match noise {
        "flips" => Channel::Flips { rate },
        "levels-12" => Channel::coarse_flips(rate, 12),
        _ => Channel::Gauss { sigma: -1.0 / nand::cells::normal::quantile(rate) },
    }
}
