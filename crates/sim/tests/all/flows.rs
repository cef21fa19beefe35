//! Flows of reads on whole drives: the attempts of aged data, and words that wait for each other.

use crate::common::{PAPER, catalogue, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

/// Constant: settings of a small TLC test drive with a retry table and data that are a year old.
const AGED: &[&str] = &[
    "nand.blocks_per_plane=16",
    "nand.pages_per_block=48",
    "ftl.slc_cache.name=none",
    "geometry.channels=1",
    "nand.pe_cycles=1000",
    "ftl.op_ratio=1.0",
    "ftl.reading.data_age=365d",
];

fn aged(more: &[&str]) -> Drive {
    let settings: Vec<String> = AGED.iter().chain(more).map(|line| (*line).to_owned()).collect();
    Drive::load(&catalogue(), "nvme-tlc", &settings).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs 3,000 random reads of `bytes` bytes on a test drive, and returns the number of read retries and the mean read
/// latency in ns.
fn read(drive: Drive, bytes: u32) -> (f64, f64) {
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (_, result) = run(drive, uniform(3000, 1, Op::READ, bytes, 64 << 20, 1), options);
    let retries: &Value = &result["ecc"]["read_retries"];
    (
        retries.as_f64().expect("a number"),
        result["host"]["read"]["latency_ns"]["mean"].as_f64().expect("a number"),
    )
}

#[test]
fn flows_differ_in_attempts_and_latency() {
    let by = |flow: &str| read(aged(&[&format!("ecc.flow.name={flow}")]), 4096);
    let (retries, latency) = by("hard-retry-soft");
    assert_eq!((retries, latency), read(aged(&[]), 4096), "the default");
    let (fewer, shorter) = by("soft-by-estimate");
    assert!(fewer < 0.9 * retries && shorter < 0.95 * latency, "{fewer} {shorter} for {retries} {latency}");
    let (fewest, shortest) = by("last-good-step");
    assert!(
        fewest < 0.5 * retries && shortest < 0.6 * latency,
        "{fewest} {shortest} for {retries} {latency}"
    );
}

#[test]
fn words_of_a_read_wait_for_each_other() {
    let young = |words: &str| {
        let words = format!("ecc.decoder.words={words}");
        // A slow decoder, so that its words take longer than their transfer.
        read(aged(&["ftl.reading.data_age=0ns", "ecc.decoder.edges=32", &words]), 16_384).1
    };
    let [beside, overlapped, in_turn] = ["beside", "overlapped", "in-turn"].map(young);
    assert!(beside < overlapped && overlapped < in_turn, "{beside} {overlapped} {in_turn}");
    assert_eq!(beside, read(aged(&["ftl.reading.data_age=0ns", "ecc.decoder.edges=32"]), 16_384).1);
}

#[test]
fn estimates_are_refused_where_no_checks_are_known() {
    let refused =
        drive(&[PAPER, &["ecc.flow.name=soft-by-estimate"]].concat()).build(1).err().expect("refused");
    let said = refused.to_string();
    assert!(said.contains("ecc.flow") && said.contains("ecc.code.name = ldpc with a table"), "{said}");
    assert!(!said.contains('\n'), "{said}");
}
