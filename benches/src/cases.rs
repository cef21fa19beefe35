//! The drive of the speed budget, and the cases that are measured on it.

use crate::cost::{Cost, CostSpread, InstructionMeter, ROUNDS};
use crate::table::TableLine;
use crate::wall;
use crate::workload::BlockLoad;
use host::Op;
use sim::{Drive, PreconditionKind, Progress, RunOptions, Session, WorkloadSpec};
use std::path::PathBuf;

pub const GIB: u64 = 1 << 30;
pub const UNIT: u64 = 4096;
/// Constant: number of simulation events between two checks of a benchmark run's progress, small enough that a stretch
/// (one of the run's equal parts) ends close to its number of requests.
const LOOK: u64 = 1 << 12;

/// Makes the drive of the benchmark's speed budget, with a user capacity of `gib` GiB: 4 KiB pages and mapping units, 8
/// channels of 4 ways, 7 % over-provisioning.
pub fn drive(gib: u64) -> Drive {
    drive_with(gib, &[])
}

/// Makes the drive of the benchmark's speed budget, with a user capacity of `gib` GiB, with the further configuration
/// keys in `more`.
pub fn drive_with(gib: u64, more: &[&str]) -> Drive {
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

/// Makes a session of `workload` on the benchmark's drive of `gib` GiB and advances it past its preconditioning.
pub fn prepared(gib: u64, workload: BlockLoad) -> Session {
    prepared_of(drive(gib), workload)
}

/// Makes a session of `workload` on `drive` and advances it past its preconditioning.
pub fn prepared_of(drive: Drive, workload: BlockLoad) -> Session {
    let options = RunOptions { precondition: PreconditionKind::Instant, ..RunOptions::default() };
    past_precondition(
        Session::with_workload(drive, Box::new(workload), options).unwrap_or_else(|error| panic!("{error}")),
    )
}

fn past_precondition(mut session: Session) -> Session {
    while session.progress().phase != "run" {
        session.advance(1 << 16).unwrap_or_else(|error| panic!("{error}"));
    }
    session
}

/// Advances a session until `requests` requests are answered or the workload ends, and returns the progress. Callgrind
/// counts the instructions in this function.
#[inline(never)]
pub fn stretch(session: &mut Session, requests: u64) -> Progress {
    loop {
        let progress = session.advance(LOOK).unwrap_or_else(|error| panic!("{error}"));
        if progress.done || progress.host_requests >= requests {
            return progress;
        }
    }
}

/// Record of the measured costs of a benchmark run that is divided into stretches (parts) of equally many requests, one
/// for each round, so that the drive is built and preconditioned only once.
pub struct Stretches {
    /// Median, least and greatest cost of a stretch (part of the run), for one page operation or one request.
    pub costs: Vec<Cost>,
    /// Number of flash page operations in all stretches.
    pub pages: u64,
    /// Number of host requests in all stretches.
    pub requests: u64,
    /// Processor time of all stretches, in seconds.
    pub cpu_s: f64,
}

/// Runs `session` to its end and measures the cost of each stretch, for one `unit`; `requests` is the number of
/// requests in all.
pub fn stretches(session: &mut Session, requests: u64, unit: Per) -> Stretches {
    let mut meter = InstructionMeter::new();
    let mut made = Stretches { costs: Vec::new(), pages: 0, requests: 0, cpu_s: 0.0 };
    for round in 1..=ROUNDS as u64 {
        let last = if round == ROUNDS as u64 { u64::MAX } else { requests * round / ROUNDS as u64 };
        let (cost, progress) = meter.of(|| stretch(session, last));
        let (pages, answered) =
            (progress.page_operations - made.pages, progress.host_requests - made.requests);
        let count = if unit == Per::Page { pages } else { answered };
        if count > 0 {
            made.costs.push(cost.per(count as f64));
        }
        made.pages = progress.page_operations;
        made.requests = progress.host_requests;
        made.cpu_s += cost.cpu_ns / 1e9;
    }
    made
}

/// Kind of unit of work for which a benchmark gives the cost: a flash page operation, or a request of the host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Case of unit of work: the cost is for one flash page operation (read, program or erase).
    Page,
    /// Case of unit of work: the cost is for one request of the host.
    Request,
}

impl Per {
    /// Returns the name of the unit of work for the benchmark's table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page operation",
            Self::Request => "request",
        }
    }
}

/// Record of a benchmark case: a workload on a drive in steady state, and the unit of work for which its cost is given.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub op: Op,
    pub bytes: u32,
    pub sequential: bool,
    pub requests: u64,
    pub per: Per,
}

pub const CASES: [Case; 4] = [
    Case {
        name: "random 4 KiB write, steady, GC",
        op: Op::WRITE,
        bytes: 4096,
        sequential: false,
        requests: 3_000_000,
        per: Per::Page,
    },
    Case {
        name: "random 4 KiB read, depth 32",
        op: Op::READ,
        bytes: 4096,
        sequential: false,
        requests: 8_000_000,
        per: Per::Request,
    },
    Case {
        name: "sequential 128 KiB write",
        op: Op::WRITE,
        bytes: 128 << 10,
        sequential: true,
        requests: 150_000,
        per: Per::Page,
    },
    Case {
        name: "sequential 128 KiB read",
        op: Op::READ,
        bytes: 128 << 10,
        sequential: true,
        requests: 300_000,
        per: Per::Page,
    },
];

impl Case {
    /// Returns the same benchmark case with its number of requests divided by `scale`.
    pub fn shorter(self, scale: u64) -> Self {
        Self { requests: self.requests / scale, ..self }
    }

    /// Makes a session of this benchmark case on a drive of `gib` GiB, past its preconditioning.
    pub fn session(&self, gib: u64) -> Session {
        prepared(gib, BlockLoad::new(self.op, self.bytes, gib * GIB, self.sequential, self.requests, 32))
    }
}

/// Measures a benchmark case on a drive of `gib` GiB and returns its line of the table; `memory_wall_ns` is the memory
/// wall in ns for that drive.
pub fn measure(case: &Case, gib: u64, memory_wall_ns: f64) -> TableLine {
    let mut session = case.session(gib);
    let made = stretches(&mut session, case.requests, case.per);
    let result = session.result().unwrap_or_else(|error| panic!("{error}"));
    let number = |name: &str| result["engine"][name].as_f64().expect("a number");
    let note = format!(
        "{:.2} M page operations and {:.2} M requests a CPU second, waf {}, {:.2} B/unit, {:.0} B/simulated GiB",
        made.pages as f64 / made.cpu_s / 1e6,
        made.requests as f64 / made.cpu_s / 1e6,
        result["waf"].as_f64().map_or("-".into(), |waf| format!("{waf:.2}")),
        number("state_bytes_per_mapping_unit"),
        number("state_bytes") / gib as f64,
    );
    let costs = CostSpread::of(&made.costs);
    TableLine { case: case.name.into(), gib, what: case.per.name(), costs, memory_wall_ns, note }
}

/// Constant: name of the benchmark case that measures how long a drive takes to build and precondition.
pub const BUILD: &str = "build and precondition";

/// Measures the cost, for each mapping unit of a drive of `gib` GiB, of building the drive and preconditioning it
/// instantly, and returns the benchmark's table line. The line's note gives the cost of one bare store in random order,
/// because the operation of the memory wall is a whole write (lookup, invalidate, update).
pub fn build(gib: u64, memory_wall_ns: f64) -> TableLine {
    let units = gib * GIB / UNIT;
    let store_ns = wall::store_ns(units as usize, 30_000_000);
    let mut meter = InstructionMeter::new();
    let costs: Vec<Cost> = (0..ROUNDS)
        .map(|_| meter.of(|| prepared(gib, BlockLoad::new(Op::READ, 4096, gib * GIB, false, 1, 1))).0)
        .collect();
    let note = format!(
        "{:.2} CPU s; a bare store in random order costs {store_ns:.1} ns",
        CostSpread::of(&costs).main_ns() / 1e9
    );
    let costs: Vec<Cost> = costs.into_iter().map(|cost| cost.per(units as f64)).collect();
    let costs = CostSpread::of(&costs);
    TableLine { case: BUILD.into(), gib, what: "mapping unit", costs, memory_wall_ns, note }
}

/// Constant: name of the benchmark case that replays a real trace.
pub const TRACE: &str = "real trace, web server hour";

/// Measures the replay of a real trace, parsing included; returns none if the trace file is not on this machine.
pub fn trace(memory_wall_ns: f64) -> Option<TableLine> {
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
    let mut meter = InstructionMeter::new();
    let (mut costs, mut requests, mut cpu_ns) = (Vec::new(), 0, 0.0);
    for _ in 0..ROUNDS {
        let options = RunOptions { precondition: PreconditionKind::Instant, ..RunOptions::default() };
        let session = Session::new(drive(16), &spec, options).unwrap_or_else(|error| panic!("{error}"));
        let mut session = past_precondition(session);
        let (cost, progress) = meter.of(|| stretch(&mut session, u64::MAX));
        costs.push(cost.per(progress.page_operations as f64));
        requests += progress.host_requests;
        cpu_ns += cost.cpu_ns;
    }
    let note = format!(
        "{} requests, {:.2} M requests a CPU second, parsing included",
        requests / ROUNDS as u64,
        requests as f64 * 1e3 / cpu_ns
    );
    let costs = CostSpread::of(&costs);
    Some(TableLine { case: TRACE.into(), gib: 16, what: "page operation", costs, memory_wall_ns, note })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_one_run_in_as_many_stretches_as_there_are_rounds() {
        for case in [CASES[0], CASES[1]] {
            let case = Case { requests: 10_000, ..case };
            let made = stretches(&mut case.session(1), case.requests, case.per);
            assert_eq!(made.costs.len(), ROUNDS);
            assert_eq!(made.requests, 10_000);
            assert!(made.pages >= made.requests, "{} pages", made.pages);
        }
    }

    #[test]
    fn a_case_that_is_shorter_than_a_look_has_no_empty_stretch() {
        let case = Case { requests: 100, ..CASES[1] };
        let made = stretches(&mut case.session(1), case.requests, case.per);
        assert!(made.costs.iter().all(|cost| cost.cpu_ns.is_finite()));
        assert_eq!(made.requests, 100);
    }
}
