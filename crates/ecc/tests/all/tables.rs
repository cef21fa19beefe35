//! Tables tell what words come to: other words, of another seed, at other rates than the tables were counted at.

use ecc::table::named;
use ecc::words::Words;

/// Constant of a test: number of codewords to decode at each raw bit error rate.
const WORDS: u64 = 2048;

/// Checks that failures and iterations of decoded codewords, read with `soft_bits` soft bits at the raw bit error rate
/// `rate`, agree with the table of counted failures `name`.
fn agree(name: &str, soft_bits: u32, rate: f64) {
    let table = named(name).expect("a table");
    let mut words = Words::new(&table, 77).expect("its code");
    let found: Vec<_> = (0..WORDS).map(|_| words.take(soft_bits, rate)).collect();
    let curve = &table.curves[soft_bits as usize - 1];
    let failures = found.iter().filter(|word| word.fails).count() as f64;
    let expected = curve.failure(rate) * WORDS as f64;
    // Four standard deviations of the count, and as much of the table's own points: of 100 failures each.
    let apart = 4.0 * (expected + (0.1 * expected).powi(2)).sqrt();
    assert!(
        (failures - expected).abs() < apart,
        "{name}, {soft_bits} at {rate}: {failures} fail, not {expected}"
    );
    let iterations = found.iter().map(|word| f64::from(word.iterations)).sum::<f64>() / WORDS as f64;
    let off = iterations / curve.iterations(rate);
    assert!((off - 1.0).abs() < 0.05, "{name}, {soft_bits} at {rate}: {iterations} iterations, times {off}");
}

#[test]
fn words_fail_and_iterate_as_tables_say() {
    for (soft_bits, rate) in [(1, 0.0087), (1, 0.0083), (2, 0.0179), (3, 0.0202), (1, 0.0031)] {
        agree("nand-4k-889", soft_bits, rate);
    }
    agree("nand-4k-928", 1, 0.0047);
}
