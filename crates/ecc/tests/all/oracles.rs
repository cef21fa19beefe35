//! Failures of our decoders beside AFF3CT's, counted with the same matrix, schedule, factor and iterations.
//!
//! Points that a few seconds reach; `make evidence` counts all of them, floors included.

use super::points::{CURVES, Curve, other};

const SEED: u64 = 43;

/// Constant of a test: for each curve, by the beginning of its name, the number of codewords to decode at each of its
/// points, from the first on: enough for 20 to 100 failures or more.
const WORDS: &[(&str, &[u64])] = &[
    ("DVB-S2 8/9", &[384, 1024, 3072]),
    ("DVB-S2 2/3", &[512, 1024]),
    ("WiMAX 1/2, flips", &[256, 512, 2048, 8192, 32_768]),
    ("Wi-Fi 5/6", &[1344, 3520, 9536, 16_384]),
    ("WiMAX 1/2, Gauss", &[256, 512]),
    ("10GBASE-T", &[256, 512, 1600, 22_400]),
];

fn likenesses(curve: &Curve, words: &[u64]) -> Vec<f64> {
    let graph = curve.graph();
    let likeness = |((point, all, failures), words): (&(f64, u64, u64), &u64)| {
        let ours = curve.trial(&graph, *point, SEED).count(&*(curve.decoder)(), 0..*words);
        let likeness = ours.likeness(&other(*all, *failures));
        println!("{}, {point}: {} of {words}, {failures} of {all}: {likeness:.3}", curve.name, ours.failures);
        likeness
    };
    curve.points.iter().zip(words).map(likeness).collect()
}

/// Test: the failures of this project's decoders, beside AFF3CT's counts, are as likely as equal failure rates allow:
/// of about twenty points no likelihood is below 1 in 1000, and at most three are below 1 in 20 (by chance, 2 sets of
/// seeds in 100 have more than three).
#[test]
fn failures_are_those_of_another_decoder() {
    let mut all = Vec::new();
    for (name, words) in WORDS {
        let curve = CURVES.iter().find(|curve| curve.name.starts_with(name)).expect("a curve");
        all.extend(likenesses(curve, words));
    }
    assert!(all.iter().all(|likeness| *likeness > 0.001), "{all:?}");
    assert!(all.iter().filter(|likeness| **likeness < 0.05).count() <= 3, "{all:?}");
}
