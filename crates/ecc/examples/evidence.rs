//! Counts our decoders' failures at every point that AFF3CT's public curves have, until there are a hundred at each:
//! `make evidence`. Core-hours in all: `evidence SECONDS [NAME]` ends each point after so many, and takes curves of that name.

#[path = "../tests/all/points.rs"]
mod points;

use ecc::measure::{Count, Trial};
use points::{CURVES, Curve, other};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SEED: u64 = 4300;
const FAILURES: u64 = 100;
/// Constant: number of codewords that a thread takes at once to decode them; a multiple of the batch size of every
/// decoder.
const SHARE: u64 = 256;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let given = arguments.next().unwrap_or_else(|| u64::MAX.to_string());
    let Ok(seconds) = given.parse() else {
        eprintln!("evidence: SECONDS: {given:?}: expected a whole number");
        std::process::exit(2);
    };
    let name = arguments.next().unwrap_or_default();
    println!(
        "curve;point;words;failures;rate;low;high;undetected;iterations;aff3ct_words;aff3ct_failures;likeness;seconds"
    );
    for curve in CURVES.iter().filter(|curve| curve.name.contains(&name)) {
        for (point, words, failures) in curve.points {
            let start = Instant::now();
            let count = count(curve, *point, Duration::from_secs(seconds));
            // Of a hundred such intervals 95 hold the rate.
            let (low, high) = count.interval(0.05);
            println!(
                "{};{point};{};{};{:.3e};{low:.3e};{high:.3e};{};{:.3};{words};{failures};{:.3};{:.1}",
                curve.name,
                count.words,
                count.failures,
                count.rate(),
                count.undetected,
                count.iterations as f64 / count.words as f64,
                count.likeness(&other(*words, *failures)),
                start.elapsed().as_secs_f64()
            );
        }
    }
}

/// Decodes codewords at one point of a curve on all processors, from codeword 0 on, until `FAILURES` of them have
/// failed or the time `most` has passed, and returns the counts.
fn count(curve: &Curve, point: f64, most: Duration) -> Count {
    let graph = curve.graph();
    let trial = curve.trial(&graph, point, SEED);
    let (next, failures, start) = (AtomicU64::new(0), AtomicU64::new(0), Instant::now());
    let work = |trial: &Trial| {
        let decoder = (curve.decoder)();
        let mut own = Count::default();
        while failures.load(Ordering::Relaxed) < FAILURES && start.elapsed() < most {
            let first = next.fetch_add(SHARE, Ordering::Relaxed);
            let count = trial.count(&*decoder, first..first + SHARE);
            failures.fetch_add(count.failures, Ordering::Relaxed);
            own.add(&count);
        }
        own
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&trial))).collect();
        let mut all = Count::default();
        for thread in threads {
            all.add(&thread.join().expect("a thread that counts"));
        }
        all
    })
}
