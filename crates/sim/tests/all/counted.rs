//! Drives that read with tables of what was counted: the same as drives that decode every word they read.

use crate::common;
use crate::common::{PAPER, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

/// Constant: settings of a code with a table of counted failures, whose first reads (hard ones) fit data up to a day
/// old, and of a decoder whose iterations take time.
const COUNTED: &[&str] =
    &["ftl.reading.age=1d", "ftl.write_cost.retention=1000d", "ecc.decoder.clock=500MHz", "ecc.t_decode=1us"];

fn counted(more: &[&str]) -> Drive {
    let code: Vec<&str> = PAPER.iter().copied().filter(|line| !line.starts_with("ecc.code.limits")).collect();
    drive(&[&code, COUNTED, more].concat())
}

/// Runs `reads` random reads on a test drive, and returns the number of read retries and the mean latency in ns.
fn read(reads: u64, more: &[&str]) -> (f64, f64) {
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (_, result) = run(counted(more), uniform(reads, 1, Op::READ, 4096, 4 << 20, 1), options);
    let number = |path: [&str; 4]| -> f64 {
        path.iter()
            .filter(|key| !key.is_empty())
            .fold(&result, |value: &Value, key| &value[key])
            .as_f64()
            .expect("a number")
    };
    (number(["ecc", "read_retries", "", ""]), number(["host", "read", "latency_ns", "mean"]))
}

/// Checks that decoding by the code's table and decoding real codewords give the same retries and latency, at three
/// ages of the data: one in a hundred, in twelve and in three hard reads fails.
#[test]
fn tables_and_words_come_to_the_same() {
    for (age, reads) in [("790d", 4000), ("885d", 2000), ("985d", 1000)] {
        let age = format!("ftl.reading.data_age={age}");
        let (by_tables, latency) = read(reads, &[&age]);
        let (by_words, decoded) = read(reads, &[&age, "ecc.code.decode=words"]);
        assert!(by_tables > 10.0, "{age}: {by_tables} retries");
        // Four standard deviations of both counts, and a tenth for the table's own.
        let apart = 4.0 * (by_tables + by_words).sqrt() + 0.1 * by_tables;
        assert!(
            (by_words - by_tables).abs() < apart,
            "{age}: {by_tables} retries by tables, {by_words} by words"
        );
        assert!((decoded / latency - 1.0).abs() < 0.05, "{age}: {latency} ns by tables, {decoded} by words");
    }
}

/// Checks that decoder iterations take time in a hard read of new data, beside 60 us of sensing and transfer and the
/// fixed `t_decode`.
#[test]
fn iterations_take_time() {
    let new = "ftl.reading.data_age=0ns";
    let (retries, latency) = read(4000, &[new]);
    let (_, without) = read(4000, &[new, "ecc.decoder.edges=1048576"]);
    assert_eq!(retries, 0.0);
    // Two or three iterations of 280 cycles of 2 ns at the errors of a day, less the single cycle of the quicker one.
    assert!((900.0..1700.0).contains(&(latency - without)), "{latency} {without}");
    let error = |settings: &[&str]| {
        let lines: Vec<String> = PAPER.iter().chain(settings).map(|line| (*line).to_owned()).collect();
        Drive::from_resolved("test", &lines).err().expect("refused").to_string()
    };
    assert!(error(&["ecc.code.decode=words"]).contains("no code is known that decodes"));
    assert!(error(&["ecc.code.table=nand-4k-889"]).contains("without `limits`"));
}

#[test]
fn a_drive_says_what_was_counted() {
    let said = counted(&[]).counted().join("\n");
    assert!(said.contains("nand-4k-889, min-sum-8, 3 soft bits") && said.contains("extrapolated"), "{said}");
    assert!(common::drive(PAPER).counted().is_empty());
}
