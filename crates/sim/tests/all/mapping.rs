//! Kinds of mapping in whole drives: what random and sequential writes cost, saved states, refusals, real traces.

use crate::common::{SMALL, closed_loop, drive, policies_of_plain_runs, run, uniform};
use host::Op;
use sim::{Drive, PreconditionKind, RunOptions, Session};

/// Makes a small test drive with the kind of mapping in `settings`, on which a write is acknowledged only when it is on
/// flash.
fn mapped(settings: &[&str]) -> Drive {
    drive(
        &[SMALL, &["ftl.buffer.write_back=false", "ftl.buffer.power_loss_protection=false"], settings]
            .concat(),
    )
}

fn kinds() -> Vec<&'static str> {
    let entries = policies_of_plain_runs().into_iter().filter(|entry| entry.seam == "ftl.mapping");
    entries.map(|entry| entry.card.name).collect()
}

fn checked(precondition: PreconditionKind) -> RunOptions {
    RunOptions { check: true, precondition, ..RunOptions::default() }
}

/// Returns the mean latency in us of a random write of one unit, with one request in flight, on a used test drive.
fn random_write_us(settings: &[&str]) -> f64 {
    let drive = mapped(settings);
    let span = drive.capacity().get();
    let (_, result) =
        run(drive, uniform(400, 1, Op::WRITE, 4096, span, 3), checked(PreconditionKind::Instant));
    let mean = result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap() / 1000.0;
    println!("{settings:?}: {mean:.0} us, waf {}, ftl {}", result["waf"], result["ftl"]);
    mean
}

#[test]
fn a_random_write_costs_what_the_grain_of_the_map_says() {
    let page = random_write_us(&[]);
    let copy = random_write_us(&["ftl.mapping.name=block"]);
    let wide = random_write_us(&["ftl.mapping.name=block", "ftl.mapping.dies_per_block=4"]);
    // A block of 32 pages is copied at one page's read and program each, and the write before it completed.
    let block = 32.0 * (200.0 + 25.0);
    assert!((0.7 * block..1.6 * block).contains(&copy), "a random write takes {copy} us");
    assert!(wide > 0.7 * copy, "four times the pages on four dies at once: {wide} us after {copy} us");
    let cached = random_write_us(&["ftl.mapping.name=dftl", "ftl.mapping.cache=512B"]);
    assert!(page < cached && cached < copy, "a cached map: {cached} us between {page} and {copy} us");
    assert!(page < copy / 10.0, "a page map: {page} us after {copy} us");
    for kind in ["replacement", "bast", "fast"] {
        let time = random_write_us(&[&format!("ftl.mapping.name={kind}")]);
        assert!(page < time && time < copy, "{kind}: {time} us between {page} and {copy} us");
    }
}

#[test]
fn sequential_writes_copy_nothing() {
    for kind in ["block", "replacement", "bast", "fast"] {
        let drive = mapped(&[&format!("ftl.mapping.name={kind}")]);
        let units = drive.capacity().get() / 4096;
        let workload = closed_loop(units, 4, move |index| (Op::WRITE, index % units * 4096, 4096));
        let (_, result) = run(drive, workload, checked(PreconditionKind::Fill));
        println!("{kind}: {} {}", result["ftl"], result["flash"]["programs"]);
        let waf = result["waf"].as_f64().unwrap();
        assert!(waf < 1.05, "{kind}: write amplification {waf}");
        assert!(
            result["ftl"]["mapping"]["merges"]["switch"].as_u64().unwrap() > 100,
            "{kind} switches blocks"
        );
    }
}

#[test]
fn a_saved_state_continues_as_the_drive_did() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for kind in kinds() {
        let path = folder.join(format!("mapping-{kind}"));
        let mapping = format!("ftl.mapping.name={kind}");
        let rerun = |options: RunOptions| {
            let drive = mapped(&[&mapping]);
            let span = drive.capacity().get();
            let mut session =
                Session::with_workload(drive, uniform(500, 4, Op::WRITE, 4096, span, 5), options).unwrap();
            session.finish().unwrap();
            let mut result = session.result().unwrap();
            let result = result.as_object_mut().unwrap();
            for key in ["engine", "precondition"] {
                result.remove(key);
            }
            // A loaded drive says that it was loaded.
            result["state"].as_object_mut().unwrap().remove("began");
            result.clone()
        };
        let saved = path.to_str().unwrap().to_owned();
        let first = rerun(RunOptions {
            save_state: Some(saved.clone()),
            precondition: PreconditionKind::Instant,
            check: true,
            ..RunOptions::default()
        });
        let again = rerun(RunOptions {
            load_state: Some(saved),
            precondition: PreconditionKind::None,
            check: true,
            ..RunOptions::default()
        });
        for (key, value) in &first {
            assert_eq!(*value, again[key], "{kind}: the loaded drive went another way");
        }
    }
}

#[test]
fn a_map_in_volatile_ram_is_rebuilt_from_checkpoint_and_summaries() {
    let recovery = |every: &str| {
        let every = format!("ftl.mapping.checkpoint_every={every}");
        let drive = mapped(&["ftl.mapping.name=birrell", &every]);
        let span = drive.capacity().get();
        let (_, result) =
            run(drive, uniform(4_000, 4, Op::WRITE, 4096, span, 3), checked(PreconditionKind::Instant));
        println!("{every}: {} {}", result["recovery"], result["flash"]["programs"]);
        let recovery = result["recovery"].clone();
        let field = |name: &str| recovery[name].as_u64().unwrap();
        // All dies read side by side; each page is read in 25 us and crosses a channel in some 21 us.
        let pages = field("pages_read");
        assert!(field("t_ns") > pages * 25_000 / 4, "{pages} pages in {} ns", field("t_ns"));
        assert!(field("t_ns") < pages * 50_000, "{pages} pages in {} ns", field("t_ns"));
        assert_eq!(field("checkpoint_units"), 7, "6553 entries of 4 bytes in units of 4 KiB");
        (field("summaries"), result["flash"]["programs"]["map"].as_u64().unwrap())
    };
    let (often, rarely) = (recovery("16"), recovery("1000000"));
    assert!(often.0 < rarely.0, "{} summaries to read, or {}", often.0, rarely.0);
    assert!(often.1 > rarely.1, "{} map pages written, or {}", often.1, rarely.1);
    let (_, result) = run(mapped(&[]), uniform(10, 1, Op::WRITE, 4096, 1 << 20, 3), RunOptions::default());
    assert!(result["recovery"].is_null(), "a map that survives needs no recovery");
}

#[test]
fn what_cannot_work_is_refused_with_advice() {
    let refuse = |settings: &[&str]| {
        let lines: Vec<String> = [SMALL, settings].concat().iter().map(|line| (*line).to_owned()).collect();
        match Drive::from_resolved("test", &lines) {
            Err(error) => error.to_string(),
            Ok(drive) => drive.build(0).err().expect("refused").to_string(),
        }
    };
    let error = refuse(&["ftl.mapping.name=block", "ftl.mapping.dies_per_block=3"]);
    assert!(error.contains("dies_per_block") && error.contains("divisor of the 4 dies"), "{error}");
    let error = refuse(&["ftl.mapping.name=blok"]);
    assert!(error.contains("did you mean \"block\""), "{error}");
    let error = refuse(&["ftl.mapping.name=fast", "ftl.mapping.log_blocks=1"]);
    assert!(error.contains("expected at least 2"), "{error}");
    let error = refuse(&["ftl.mapping.name=bast", "ftl.op_ratio=0.01"]);
    assert!(error.contains("set ftl.op_ratio to"), "{error}");
}

#[test]
fn a_map_of_pages_takes_four_bytes_a_unit() {
    let ftl = drive(SMALL).build(1).expect("a drive");
    assert_eq!(ftl.map_bytes(), 4 * u64::from(ftl.layout().logical_units));
}

#[test]
fn a_write_waits_for_the_merge_before_it() {
    let settings = [
        SMALL,
        &["ftl.buffer.write_back=false", "ftl.buffer.power_loss_protection=false", "ftl.mapping.name=block"],
    ];
    let drive = drive(&settings.concat());
    let span = drive.capacity().get();
    let (_, result) = run(
        drive,
        uniform(400, 1, Op::WRITE, 4096, span, 3),
        RunOptions { check: true, precondition: PreconditionKind::Instant, ..RunOptions::default() },
    );
    let merged = result["stages"]["write"]["wait_gc"].as_f64().expect("writes");
    let mean = result["host"]["write"]["latency_ns"]["mean"].as_f64().expect("writes");
    // A block of 32 pages is copied, and the write is its smallest part.
    assert!(merged > 0.5 * mean, "{merged} ns of {mean} ns");
}
