//! How fast the engine is, and how much memory it takes, beside the memory wall measured in the same run.
//!
//! `make bench` prints the table; `make bench SAVE=<name>` keeps it in `benches/runs/<name>/`, which is never
//! edited afterwards. `--quick` uses small drives only: a check that the benchmark itself works. `--only TEXT`
//! measures the cases whose name holds TEXT; those of `features` only so.

mod cells;
mod features;
mod regulated;
mod wall;
mod workload;

use host::Op;
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use workload::Blocks;

const GIB: u64 = 1 << 30;
const UNIT: u64 = 4096;

/// One measured line.
struct Row {
    case: String,
    gib: u64,
    ns: f64,
    what: &'static str,
    wall_ns: f64,
    note: String,
}

/// The drive of the speed budget: 4 KiB pages and units, 8 channels x 4 ways, 7 % over-provisioning.
fn drive(gib: u64) -> Drive {
    drive_with(gib, &[])
}

/// The same with a few keys more.
fn drive_with(gib: u64, more: &[&str]) -> Drive {
    let blocks = ((gib * GIB) as f64 * 1.07 / f64::from(8 * 4 * 256) / UNIT as f64).ceil() as u64 + 8;
    let settings = [
        "title=benchmark drive".to_owned(),
        "geometry.channels=8".to_owned(),
        "geometry.ways=4".to_owned(),
        "nand.cell=slc".to_owned(),
        "nand.planes=1".to_owned(),
        format!("nand.blocks_per_plane={blocks}"),
        "nand.pages_per_block=256".to_owned(),
        "nand.page_size=4KiB".to_owned(),
        "nand.t_r=25us".to_owned(),
        "nand.t_prog=200us".to_owned(),
        "nand.t_bers=1500us".to_owned(),
        "bus.interface.rate=400MT/s".to_owned(),
        "ecc.t_decode=3us".to_owned(),
        format!("ftl.user_capacity={gib}GiB"),
    ];
    let settings: Vec<String> =
        settings.into_iter().chain(more.iter().map(|key| (*key).to_owned())).collect();
    Drive::from_resolved("bench", &settings).unwrap_or_else(|error| panic!("{error}"))
}

/// A session that is past its preconditioning.
fn prepared(gib: u64, workload: Blocks) -> Session {
    prepared_of(drive(gib), workload)
}

/// The same of any drive.
fn prepared_of(drive: Drive, workload: Blocks) -> Session {
    let options = RunOptions { precondition: PreconditionKind::Instant, ..RunOptions::default() };
    let mut session =
        Session::with_workload(drive, Box::new(workload), options).unwrap_or_else(|error| panic!("{error}"));
    while session.progress().phase == "precondition" {
        session.advance(1 << 16).unwrap_or_else(|error| panic!("{error}"));
    }
    session
}

struct Case {
    name: &'static str,
    op: Op,
    bytes: u32,
    sequential: bool,
    requests: u64,
    /// Cost is counted per flash page operation, or per host request.
    per_page: bool,
}

fn measure(case: &Case, gib: u64, wall_ns: f64) -> Row {
    let workload = Blocks::new(case.op, case.bytes, gib * GIB, case.sequential, case.requests, 32);
    let mut session = prepared(gib, workload);
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    let result = session.result().unwrap_or_else(|error| panic!("{error}"));
    let wall_s = result["engine"]["wall_s"].as_f64().expect("a number");
    let pages = result["engine"]["page_operations"].as_u64().expect("a number");
    let count = if case.per_page { pages } else { case.requests };
    let note = format!(
        "{:.2} M page operations/s, {:.2} M requests/s, waf {}, {:.2} B/unit, {:.0} B/simulated GiB",
        pages as f64 / wall_s / 1e6,
        case.requests as f64 / wall_s / 1e6,
        result["waf"].as_f64().map_or("-".into(), |waf| format!("{waf:.2}")),
        result["engine"]["state_bytes_per_mapping_unit"].as_f64().expect("a number"),
        result["engine"]["state_bytes"].as_f64().expect("a number") / gib as f64,
    );
    let what = if case.per_page { "page operation" } else { "request" };
    Row { case: case.name.into(), gib, ns: wall_s * 1e9 / count as f64, what, wall_ns, note }
}

/// Building a drive and giving it a used state at once, per mapping unit. The note says what a bare store in
/// random order costs: the wall's operation is a whole write (lookup, invalidate, update).
fn build(gib: u64, wall_ns: f64) -> Row {
    let units = gib * GIB / UNIT;
    let store_ns = wall::store_ns(units as usize, 30_000_000);
    let begin = Instant::now();
    let session = prepared(gib, Blocks::new(Op::Read, 4096, gib * GIB, false, 1, 1));
    let seconds = begin.elapsed().as_secs_f64();
    drop(session);
    Row {
        case: "build and precondition".into(),
        gib,
        ns: seconds * 1e9 / units as f64,
        what: "mapping unit",
        wall_ns,
        note: format!("{seconds:.1} s; a bare store in random order costs {store_ns:.1} ns"),
    }
}

fn trace(wall_ns: f64) -> Option<Row> {
    let folder = std::env::var("FLOATGATE_TRACES").unwrap_or_else(|_| "../shared/traces".into());
    let path = PathBuf::from(folder).join("derived-linux-webserver-2-no-repeats.load.gz");
    if !path.is_file() {
        eprintln!("no {}: the real trace is left out", path.display());
        return None;
    }
    let spec = serde_json::json!({
        "kind": "trace", "path": path,
        "options": { "addresses": "compact", "as_fast_as_possible": 32 },
    });
    let spec = WorkloadSpec::from_json(&spec.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let options = RunOptions { precondition: PreconditionKind::Instant, ..RunOptions::default() };
    let mut session = Session::new(drive(16), &spec, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    let result = session.result().unwrap_or_else(|error| panic!("{error}"));
    let wall_s = result["engine"]["wall_s"].as_f64().expect("a number");
    let pages = result["engine"]["page_operations"].as_u64().expect("a number");
    let requests = result["engine"]["host_requests"].as_u64().expect("a number");
    Some(Row {
        case: "real trace, web server hour".into(),
        gib: 16,
        ns: wall_s * 1e9 / pages as f64,
        what: "page operation",
        wall_ns,
        note: format!(
            "{requests} requests, {:.2} M requests/s, parsing included",
            requests as f64 / wall_s / 1e6
        ),
    })
}

fn table(rows: &[Row]) -> String {
    let mut text =
        String::from("| case | drive | ns per | cost | wall | walls | |\n|---|---|---|---|---|---|---|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} GiB | {} | {:.1} ns | {:.1} ns | {:.1} | {} |",
            row.case,
            row.gib,
            row.what,
            row.ns,
            row.wall_ns,
            row.ns / row.wall_ns,
            row.note
        );
    }
    text
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from("case,drive_gib,per,cost_ns,wall_ns,walls,note\n");
    for row in rows {
        let ratio = row.ns / row.wall_ns;
        let _ = writeln!(
            text,
            "{},{},{},{:.3},{:.3},{:.3},\"{}\"",
            row.case.replace(',', ";"),
            row.gib,
            row.what,
            row.ns,
            row.wall_ns,
            ratio,
            row.note
        );
    }
    text
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    model
        .and_then(|line| line.split(':').nth(1))
        .map_or("unknown processor".into(), |name| name.trim().into())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let value = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1))
    };
    let save = value("--save");
    let wanted = |case: &str| value("--only").is_none_or(|text| case.contains(text.as_str()));
    let (sizes, main_gib, scale): (&[u64], u64, u64) =
        if quick { (&[1, 4], 4, 20) } else { (&[16, 256, 1024], 256, 1) };
    let cases = [
        Case {
            name: "random 4 KiB write, steady, GC",
            op: Op::Write,
            bytes: 4096,
            sequential: false,
            requests: 3_000_000,
            per_page: true,
        },
        Case {
            name: "random 4 KiB read, depth 32",
            op: Op::Read,
            bytes: 4096,
            sequential: false,
            requests: 8_000_000,
            per_page: false,
        },
        Case {
            name: "sequential 128 KiB write",
            op: Op::Write,
            bytes: 128 << 10,
            sequential: true,
            requests: 150_000,
            per_page: true,
        },
        Case {
            name: "sequential 128 KiB read",
            op: Op::Read,
            bytes: 128 << 10,
            sequential: true,
            requests: 300_000,
            per_page: true,
        },
    ];
    let mut rows = Vec::new();
    if value("--only").is_some_and(|text| text.starts_with(features::CASES)) {
        rows.extend(features::measure(wall::page_operation_ns((GIB / UNIT) as usize, 1_500_000), wanted));
    }
    for &gib in sizes {
        eprintln!("{gib} GiB ...");
        let wall_ns = wall::page_operation_ns((gib * GIB / UNIT) as usize, 30_000_000 / scale);
        if wanted("build and precondition") {
            rows.push(build(gib, wall_ns));
        }
        for case in &cases {
            if wanted(case.name) && (gib == main_gib || case.bytes == 4096) {
                let case = Case { requests: case.requests / scale, ..*case };
                rows.push(measure(&case, gib, wall_ns));
            }
        }
        if gib == sizes[0] && wanted(regulated::CASE) {
            rows.push(regulated::measure(gib, 3_000_000 / scale, wall_ns));
        }
        if gib == sizes[0] && !quick && wanted("real trace") {
            rows.extend(trace(wall_ns));
        }
    }
    let cell_rows =
        if wanted("program cells") { cells::measure(if quick { 4 } else { 64 }) } else { Vec::new() };
    let report = format!(
        "Processor: {}. Floatgate {}. One core.\n\n{}\n{}",
        processor(),
        sim::version(),
        table(&rows),
        cells::table(&cell_rows)
    );
    println!("{report}");
    if let Some(name) = save {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/runs")).join(name);
        let saved = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join("summary.md"), &report))
            .and_then(|()| std::fs::write(folder.join("raw.csv"), csv(&rows)))
            .and_then(|()| std::fs::write(folder.join("cells.csv"), cells::csv(&cell_rows)));
        if let Err(error) = saved {
            eprintln!("{}: {error}", folder.display());
            std::process::exit(2);
        }
    }
}
