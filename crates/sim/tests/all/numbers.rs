//! Numbers that are true: shares of at most one, latencies no shorter than the parts take, a state of which nothing is
//! left out.

use crate::common::{SMALL, catalogue, closed_loop, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

fn number(result: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// Returns the greatest number in a JSON value, such as the utilisation of dies and channels, however deep it is
/// nested.
fn greatest(value: &Value) -> f64 {
    match value {
        Value::Array(items) => items.iter().map(greatest).fold(0.0, f64::max),
        Value::Object(items) => items.values().map(greatest).fold(0.0, f64::max),
        _ => value.as_f64().unwrap_or(0.0),
    }
}

/// Checks that no share of busy time exceeds 1 in runs of 1 to 39 requests, where work that begins within the measured
/// window and ends after it weighs most.
#[test]
fn nothing_is_busy_longer_than_there_was_time() {
    for (op, depth) in [(Op::WRITE, 1), (Op::WRITE, 16), (Op::READ, 8), (Op::WRITE, 64)] {
        for requests in 1..40 {
            let drive = drive(&[SMALL, &["ftl.buffer.flush_after=0ns"]].concat());
            let options =
                RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
            let (_, result) = run(drive, uniform(requests, depth, op, 4096, 1 << 20, requests), options);
            let most = greatest(&result["utilisation"]);
            let die = number(&result, "utilisation.die");
            assert!(
                most <= 1.0 && (op == Op::WRITE || die > 0.0),
                "{op:?} {requests}: {}",
                result["utilisation"]
            );
        }
    }
}

#[test]
fn capacitors_leave_nothing_at_risk() {
    for mapping in ["page", "fast"] {
        let own = format!("ftl.mapping.name={mapping}");
        let settings = ["ftl.buffer.power_loss_protection=true", "ftl.buffer.write_back=true", &own];
        let work = uniform(500, 8, Op::WRITE, 4096, 1 << 20, 3);
        let (_, result) = run(drive(&[SMALL, &settings].concat()), work, RunOptions::default());
        assert_eq!(number(&result, "ftl.buffer.units_at_risk_max"), 0.0, "{mapping}");
        assert_eq!(number(&result, "ftl.buffer.units_at_risk_mean"), 0.0, "{mapping}");
    }
}

/// Checks that the least read latency is no less than array time, transfer and decoding together, and that a single
/// job's latencies are those of the host.
#[test]
fn no_latency_is_shorter_than_its_parts_and_one_job_is_the_host() {
    // A time that no level of the histogram ends with.
    let settings = ["nand.t_r=25013ns", "host.t_command=0ns", "ecc.t_decode=3001ns"];
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let drive = drive(&[SMALL, &settings].concat());
    let span = drive.capacity().get();
    let (_, result) = run(drive, uniform(2_000, 1, Op::READ, 4096, span, 5), options);
    let host = &result["host"]["read"]["latency_ns"];
    let parts = 25_013.0 + 3_001.0 + 4096.0 / 0.2;
    assert!(number(host, "min") >= parts, "{host} is less than {parts}");
    assert!(
        number(host, "min") <= number(host, "mean") && number(host, "mean") <= number(host, "max"),
        "{host}"
    );
    assert_eq!(&result["jobs"][0]["read"]["latency_ns"], host);
}

#[test]
fn the_state_of_a_drive_whose_map_lies_on_flash_counts_what_it_looks_up() {
    let bytes = |mapping: &str| {
        let drive = drive(&[SMALL, &["ftl.op_ratio=0.5", mapping]].concat());
        let (_, result) = run(drive, uniform(10, 1, Op::WRITE, 4096, 1 << 20, 3), RunOptions::default());
        number(&result, "engine.state_bytes_per_mapping_unit")
    };
    let (page, dftl) = (bytes("ftl.mapping.name=page"), bytes("ftl.mapping.name=dftl"));
    assert!(dftl >= page + 4.0, "{dftl} beside {page}: an entry's place in the cache takes four bytes");
}

/// Checks that energy per byte of the host counts only transferred bytes: trims, which name bytes and transfer none,
/// are left out.
#[test]
fn energy_is_shared_by_the_bytes_that_were_transferred() {
    let source = closed_loop(600, 4, |number| match number % 3 {
        0 => (Op::TRIM, number * 4096, 1 << 20),
        1 => (Op::READ, number * 4096, 4096),
        _ => (Op::WRITE, number * 4096, 8192),
    });
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let whole = Drive::load(&catalogue(), "small-tlc", &[]).expect("a drive");
    let result = run(whole, source, options).1;
    let bytes = number(&result, "host.read.bytes") + number(&result, "host.write.bytes");
    let shared = number(&result, "energy_j.per_host_byte.total") * bytes;
    let expected = number(&result, "energy_j.total");
    assert!((shared - expected).abs() <= 1e-9 * expected, "{shared} J, not {expected}");
}
