//! Where a result comes from: workload, configuration, the drive's state before, and the cost of the simulation.

use super::Provenance;
use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use config::{Entry, Value as ConfigValue};
use controller::Origin;
use ftl::{Ftl, FtlStats};
use host::fio::SteadyState;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Names and texts, in the order in which they were said.
type Texts = Map<String, Value>;

/// A value of the configuration or of an option, as it was resolved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AnyValue {
    /// Nothing.
    Null(()),
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// Text; with its unit where it has one.
    Text(String),
    /// A list.
    List(Vec<AnyValue>),
}

sections! {
    /// What was run.
    Workload {
        /// Its name.
        name: String = "text",
        /// The format it was read from: `fio`, the format of a trace, the name of a generator.
        format: String = "text",
        /// Requests that it handed out, before the measured window, too.
        requests: u64 = "requests",
        /// Lines of the trace that could not be read and were skipped on request (`--skip-bad-lines`).
        skipped_lines: u64 = "lines",
        /// How much of it was run; null where its length is not known.
        fraction_done: Option<f64> = "ratio",
        /// What else was found out about it, by name.
        #[schemars(with = "BTreeMap<String, String>")]
        notes: Texts = "text",
        /// The names of its jobs or volumes, by the number that requests carry.
        tags: Vec<String> = "text",
        /// The jobs of a fio file, as written; none for other workloads.
        jobs: Vec<FioJob>,
        /// The steady states in which jobs of a fio file were to end (`steadystate`); none without any.
        steady_states: Vec<SteadyState>,
    }

    /// A job of a fio file as it is written there.
    FioJob {
        /// Its name.
        name: String = "text",
        /// Copies of it that run (`numjobs`).
        clones: u32 = "count",
        /// Its copies are reported as one (`group_reporting`).
        together: bool = "yes/no",
        /// Its options and their values, those of the `global` section included.
        #[schemars(with = "BTreeMap<String, String>")]
        options: Texts = "text",
    }

    /// What became of `--loop`.
    Loop {
        /// The rule, as given.
        rule: String = "text",
        /// Passes begun.
        passes: u32 = "passes",
        /// Whether write amplification became as well known as asked; null where a number of passes was asked for.
        reached: Option<bool> = "yes/no",
    }

    /// Where a value of the configuration comes from.
    Place {
        /// The file and line, the command line, or the default.
        place: String = "text",
        /// The comment behind the value, which gives its source; null without one.
        source: Option<String> = "text",
    }

    /// In which state the drive began, and for how much of what the host asked that mattered.
    State {
        /// How it was made: a kind of preconditioning, or `loaded`.
        #[schemars(extend("enum" = ["none", "fill", "steady", "instant", "workload", "loaded"]))]
        began: String = "text",
        /// Data that the workload expects, written before the clock started.
        layout: LaidOut,
        /// Size of a mapping unit.
        unit_bytes: u64 = "bytes",
        /// Units the host read.
        units_read: u64 = "mapping units",
        /// Units the host wrote.
        units_written: u64 = "mapping units",
        /// Units read that were never written, or trimmed: as fast on any drive.
        reads_unmapped: Part,
        /// Units read from flash.
        reads_from_flash: Part,
        /// Units of the host's that were programmed; the others were overwritten in the buffer or are still there.
        writes_to_flash: Part,
    }

    /// Data that was written before the clock started, because the workload expects it.
    LaidOut {
        /// It was not switched off (`--no-layout`).
        on: bool = "yes/no",
        /// Units written so.
        units: u64 = "mapping units",
        /// The same in bytes.
        bytes: u64 = "bytes",
    }

    /// A part of the units that the host read or wrote.
    Part {
        /// Units.
        units: u64 = "mapping units",
        /// Their share of all, at most 1; null where there are none.
        share: Option<f64> = "ratio",
    }

    /// What the simulation cost: all that two runs of the same command do not share.
    Engine {
        /// Wall-clock time of the measured window and what led to it.
        wall_s: f64 = "s",
        /// Wall-clock time to build the drive.
        build_s: f64 = "s",
        /// Wall-clock time of preconditioning.
        precondition_s: f64 = "s",
        /// Pages read and programmed and blocks erased, simulated with time.
        page_operations: u64 = "operations",
        /// Those per second of wall-clock time; null where no time passed.
        page_operations_per_s: Option<f64> = "1/s",
        /// Requests of the host that were simulated.
        host_requests: u64 = "requests",
        /// Those per second of wall-clock time; null where no time passed.
        host_requests_per_s: Option<f64> = "1/s",
        /// Events of the calendar.
        events: u64 = "events",
        /// Memory for the state of the drive.
        state_bytes: usize = "bytes",
        /// The same by mapping unit of the logical space.
        state_bytes_per_mapping_unit: f64 = "bytes",
        /// The most memory that the process had held until the run ended.
        #[schemars(with = "u64")]
        peak_rss_bytes: Option<u64> = "bytes",
        /// Wall-clock time of the whole run, as Python saw it.
        #[schemars(with = "f64")]
        session_s: Option<f64> = "s",
    }

    /// How the run was asked for: with `config` all that is needed to repeat it.
    Invocation {
        /// Values given with `--set`.
        set: Vec<String> = "text",
        /// The workload.
        workload: Source,
        /// Options that had another value than their default.
        options: BTreeMap<String, AnyValue> = "text",
        /// The policies in Python that the drive asked.
        policies: Vec<OwnPolicy>,
    }

    /// A file with policies in Python.
    OwnPolicy {
        /// The file, as the configuration names it.
        file: String = "text",
        /// What was written in it.
        source: String = "text",
        /// SHA-256 of that, in hexadecimal digits.
        sha256: String = "text",
    }

    /// The workload as it was asked for.
    Source {
        /// `fio`, `trace`, `volume`, `generator` or `flows`; `nbd`: clients of a served drive; `stepped`: a program, request by request.
        #[schemars(extend("enum" = ["fio", "trace", "volume", "generator", "flows", "nbd", "stepped"]))]
        kind: String = "text",
        /// The file, or the words that name it.
        source: String = "text",
        /// Options that say how to read a trace.
        options: BTreeMap<String, AnyValue> = "text",
        /// The size of the trace file; null for other workloads.
        file_bytes: Option<u64> = "bytes",
        /// The text of the job file; null for other workloads.
        text: Option<String> = "text",
        /// Values of the variables in a fio job file.
        variables: BTreeMap<String, String> = "text",
        /// What a translation to fio's words left to say.
        notes: Vec<String> = "text",
    }

    /// Where an interrupted run ended.
    InterruptedAt {
        /// The phase: `precondition`, `layout`, `run`.
        phase: String = "text",
        /// How much of it was done; null where that is unknown.
        workload_fraction: Option<f64> = "ratio",
    }

    /// Something to know before a number is believed.
    Remark {
        /// Its kind, by which a script finds it.
        kind: String = "text",
        /// What was seen.
        text: String = "text",
        /// What to do about it.
        advice: String = "text",
    }
}

pub(super) fn workload<P: Observer>(run: &Run<P>) -> Workload {
    let report = run.workload.report();
    Workload {
        name: report.name,
        format: report.format,
        requests: report.requests + run.requests_of_passes,
        skipped_lines: report.skipped_lines,
        fraction_done: run.fraction_done(),
        notes: report.notes.into_iter().map(|(key, value)| (key, json!(value))).collect(),
        tags: report.tags,
        jobs: Vec::new(),
        steady_states: report.steady_states,
    }
}

fn any_value(value: &ConfigValue) -> AnyValue {
    match value {
        ConfigValue::Text(text) => AnyValue::Text(text.clone()),
        ConfigValue::Integer(number) => AnyValue::Integer(*number),
        ConfigValue::Float(number) => AnyValue::Number(*number),
        ConfigValue::Boolean(truth) => AnyValue::Boolean(*truth),
        ConfigValue::List(items) => AnyValue::List(items.iter().map(|item| any_value(&item.value)).collect()),
        ConfigValue::Table(_) => AnyValue::Null(()),
    }
}

pub(super) fn config(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), json!(any_value(&entry.value)))).collect()
}

pub(super) fn places(entries: &[Entry]) -> Map<String, Value> {
    let place = |entry: &Entry| Place { place: entry.place.to_string(), source: entry.source.clone() };
    entries.iter().map(|entry| (entry.key.clone(), json!(place(entry)))).collect()
}

/// The state in which the run began, and the shares of reads and writes that reached the flash: requests that the
/// buffer or an unwritten unit answers are as fast on any drive.
pub(super) fn state(provenance: &Provenance<'_>, ftl: &Ftl, stats: &FtlStats) -> State {
    let part = |units: u64, whole: u64| {
        // What the buffer held when measuring began may be programmed beside what is written from then on.
        let share = (whole > 0).then(|| (units as f64 / whole as f64).min(1.0));
        Part { units, share }
    };
    let read = stats.units_read_buffer + stats.units_read_unmapped + stats.units_read_flash;
    State {
        began: if provenance.is_loaded { "loaded".into() } else { provenance.precondition.kind.clone() },
        layout: LaidOut {
            on: provenance.layout.is_on(),
            units: provenance.layout.units,
            bytes: provenance.layout.units * ftl.layout().unit.get(),
        },
        unit_bytes: ftl.layout().unit.get(),
        units_read: read,
        units_written: stats.units_written,
        reads_unmapped: part(stats.units_read_unmapped, read),
        reads_from_flash: part(stats.units_read_flash, read),
        writes_to_flash: part(stats.units_programmed[Origin::Host as usize], stats.units_written),
    }
}

pub(super) fn engine<P: Observer>(run: &Run<P>, provenance: &Provenance<'_>) -> Engine {
    let operations = run.operations();
    let wall = provenance.walls.run_s;
    let rate = |count: u64| (wall > 0.0).then(|| count as f64 / wall);
    Engine {
        wall_s: wall,
        build_s: provenance.walls.build_s,
        precondition_s: provenance.walls.precondition_s,
        page_operations: operations,
        page_operations_per_s: rate(operations),
        host_requests: run.host_requests,
        host_requests_per_s: rate(run.host_requests),
        events: run.ctx.calendar.scheduled(),
        state_bytes: run.ftl.state_bytes(),
        state_bytes_per_mapping_unit: run.ftl.state_bytes() as f64
            / f64::from(run.ftl.layout().logical_units),
        peak_rss_bytes: None,
        session_s: None,
    }
}
