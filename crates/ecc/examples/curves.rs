//! Counts failures of a code over a channel, decoder by decoder:
//! `curves CODE DECODER gauss|flips POINT[,POINT...] WORDS`. A point of `gauss` is the raw bit error rate of a hard read of it.

use ecc::channel::Channel;
use ecc::decoder::{Decoder, GradientDescent, MinSum, MinSum8, SumProduct};
use ecc::ldpc::named;
use ecc::measure::Trial;
use std::sync::Arc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [code, decoder, noise, points, words] = arguments.as_slice() else {
        eprintln!("curves CODE DECODER gauss|flips POINT[,POINT...] WORDS");
        std::process::exit(2);
    };
    let graph = Arc::new(named(code).expect("a shipped code").graph);
    let words: u64 = words.parse().expect("WORDS: a multiple of 64");
    let decoder: Box<dyn Decoder> = match decoder.as_str() {
        "min-sum" => Box::new(MinSum::new(20, 0.75, 0.0)),
        "min-sum-8" => Box::new(MinSum8::default()),
        "levels" => Box::new(MinSum8::of_levels(20, 6)),
        "sum-product" => Box::new(SumProduct::new(50)),
        "gradient-descent" => Box::new(GradientDescent::new(100, 0.9)),
        other => panic!("{other:?}: no decoder"),
    };
    for point in points.split(',').map(|point| point.parse::<f64>().expect("POINT: a number")) {
        let channel = match noise.as_str() {
            "flips" => Channel::Flips { rate: point },
            "levels-8" => Channel::coarse_flips(point, 8),
            "levels-12" => Channel::coarse_flips(point, 12),
            _ => Channel::Gauss { sigma: -1.0 / nand::cells::normal::quantile(point) },
        };
        let trial = Trial::random(&graph, channel, 8, 1);
        let start = std::time::Instant::now();
        let count = trial.count(&*decoder, 0..words);
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{point}: {} of {} failed, {} undetected, {:.2} iterations, {:.1} Mbit/s",
            count.failures,
            count.words,
            count.undetected,
            count.iterations as f64 / count.words as f64,
            count.words as f64 * graph.bits() as f64 / seconds / 1e6
        );
    }
}
