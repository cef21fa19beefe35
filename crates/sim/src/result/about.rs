//! Where a result comes from: workload, configuration, the drive's state before, and the cost of the simulation.

use super::Provenance;
use crate::observe::Observer;
use crate::run::Run;
use crate::run::run_host::RunHost;
use crate::sections::sections;
use config::{Entry, Value as ConfigValue};
use controller::Origin;
use ftl::{Ftl, FtlStats};
use host::fio::SteadyState;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Type of a list of named texts in the result (facts about a workload, or options of a fio job), in the order in which
/// they were added.
type Texts = Map<String, Value>;

/// Kind of value of a configuration key or of an option in the result, as it was resolved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AnyValue {
    /// Case of value: absent, where the configuration key or option has none.
    Null(()),
    /// Case of value of a configuration key or option: true or false.
    Boolean(bool),
    /// Case of value of a configuration key or option: a whole number.
    Integer(i64),
    /// Case of value of a configuration key or option: a number with a fractional part.
    Number(f64),
    /// Case of value of a configuration key or option: a text; a quantity with a unit is given as number and unit.
    Text(String),
    /// Case of value of a configuration key or option: a list.
    List(Vec<AnyValue>),
}

sections! {
    /// Facts about the workload that was run: name, format, number of requests, jobs and notes.
    Workload {
        /// Name, in the result, of the workload that was run.
        name: String = "text",
        /// Format, in the result, of the workload that was run: `fio` (also for a built-in generator, which is a fio
        /// job), the name of a trace's format, `synthetic` for a synthetic volume, `flows`, `stepped` or `nbd`.
        format: String = "text",
        /// Number of requests that the workload issued, including those before the measured window.
        requests: u64 = "requests",
        /// Number of lines of the trace that could not be read and were skipped on request (`--skip-bad-lines`).
        skipped_lines: u64 = "lines",
        /// Fraction of the workload that was run; null where the workload's length is not known.
        fraction_done: Option<f64> = "ratio",
        /// Texts, in the result, with further findings about the workload, such as facts about a trace, by name.
        #[schemars(with = "BTreeMap<String, String>")]
        notes: Texts = "text",
        /// List of the names of the workload's tags (fio jobs, or volumes of a trace), in the order of the tag numbers
        /// that requests carry.
        tags: Vec<String> = "text",
        /// List, in the result, of the jobs of a fio file, as written; empty for other workloads.
        jobs: Vec<FioJob>,
        /// List of the results of the detection of steady state (`steadystate`) in jobs of a fio file; empty without
        /// any.
        steady_states: Vec<SteadyState>,
    }

    /// Description of one job of a fio file, as it is written there.
    FioJob {
        /// Name, in the result, of the fio job.
        name: String = "text",
        /// Number, in the result, of copies of the fio job that run at the same time (`numjobs`).
        clones: u32 = "count",
        /// True, in the result, if the copies of the fio job are reported as one (`group_reporting`).
        together: bool = "yes/no",
        /// Table, in the result, of the options of the fio job with their values, including those of the `global`
        /// section.
        #[schemars(with = "BTreeMap<String, String>")]
        options: Texts = "text",
    }

    /// Outcome of `--loop`, which repeats the workload: rule, number of passes, and whether the aim was reached.
    Loop {
        /// Text, in the result, of the rule for the end of the repetitions, as given with `--loop`.
        rule: String = "text",
        /// Number of passes of the workload (repetitions one after the other) that were begun.
        passes: u32 = "passes",
        /// True if write amplification became known as precisely as `--loop` asked; null where it asked for a number of
        /// passes (repetitions of the workload).
        reached: Option<bool> = "yes/no",
    }

    /// Origin of one value in the configuration: where it is set, and its source.
    Place {
        /// Text in the result: place where this value of the run's configuration was set: file and line, the command
        /// line, or the default.
        place: String = "text",
        /// Text in the result: comment behind the configuration value in its file, which gives the source of the value;
        /// null without a comment.
        source: Option<String> = "text",
    }

    /// Results on the state of the drive when the run began, and on how many of the host's reads and writes depended on
    /// it.
    State {
        /// Way, named in the result, in which the drive's first state was made: a kind of preconditioning, or `loaded`
        /// for a saved state.
        #[schemars(extend("enum" = ["none", "fill", "steady", "instant", "workload", "loaded"]))]
        began: String = "text",
        /// Part of the result on the data that the workload expects to read, written before the simulated time began:
        /// number of mapping units and bytes.
        layout: LaidOut,
        /// Size in bytes, in the result, of a mapping unit of the drive that was simulated.
        unit_bytes: u64 = "bytes",
        /// Number of mapping units that the host read in the measured window: from the write buffer, from flash, read
        /// ahead, or unmapped.
        units_read: u64 = "mapping units",
        /// Number of mapping units that the host wrote in the measured window.
        units_written: u64 = "mapping units",
        /// Number and share of the mapping units that the host read in the measured window although they were never
        /// written, or trimmed; such reads are as fast on any drive.
        reads_unmapped: Part,
        /// Number and share of the mapping units that the host read from flash in the measured window, at its request or
        /// ahead of it.
        reads_from_flash: Part,
        /// Number of the host's mapping units that were programmed to flash in the measured window, and their share of
        /// the units that the host wrote; the others were overwritten in the write buffer or are still in it.
        writes_to_flash: Part,
    }

    /// Results on the data that was written before the simulated time began, because the workload expects to read it.
    LaidOut {
        /// True if data that the workload expects to read were to be written before the simulated time began; false if
        /// this was switched off (`--no-layout`).
        on: bool = "yes/no",
        /// Number of mapping units that were written before the simulated time began because the workload expects to
        /// read them; preconditioning does not count.
        units: u64 = "mapping units",
        /// Number of bytes that were written before the simulated time began because the workload expects to read them;
        /// preconditioning does not count.
        bytes: u64 = "bytes",
    }

    /// Number and share of the host's mapping units of one kind: read although unmapped, read from flash, or programmed
    /// to flash.
    Part {
        /// Number of the host's mapping units that this part of the result counts, all of one kind: read although
        /// unmapped, read from flash, or programmed to flash.
        units: u64 = "mapping units",
        /// Share, at most 1, of these mapping units (read although unmapped, read from flash, or programmed to flash)
        /// among all units that the host read, or for programs wrote; null where the host read, or wrote, none.
        share: Option<f64> = "ratio",
    }

    /// Cost of the simulation (time and memory of the computer): the part of a result in which two runs of the same
    /// command differ.
    Engine {
        /// Wall-clock time in seconds of the simulated run: one sum of the time for the measured window and for the
        /// simulated time before it.
        wall_s: f64 = "s",
        /// Wall-clock time in seconds that this run took to build the simulated drive.
        build_s: f64 = "s",
        /// Wall-clock time in seconds that preconditioning took in this run.
        precondition_s: f64 = "s",
        /// Number of flash operations that this run simulated with their times: pages read, pages programmed and blocks
        /// erased.
        page_operations: u64 = "operations",
        /// Number of flash operations that this run simulated per second of wall-clock time; null where no time passed.
        page_operations_per_s: Option<f64> = "1/s",
        /// Number of requests of the host that this run simulated.
        host_requests: u64 = "requests",
        /// Number of requests of the host that this run simulated per second of wall-clock time; null where no time
        /// passed.
        host_requests_per_s: Option<f64> = "1/s",
        /// Number of events that this run scheduled in the calendar of the simulation.
        events: u64 = "events",
        /// Number, in the result, of bytes of the computer's memory that the state of the simulated drive took.
        state_bytes: usize = "bytes",
        /// Number, in the result, of bytes of the computer's memory that the state of the simulated drive took, divided
        /// by the number of mapping units of the logical space.
        state_bytes_per_mapping_unit: f64 = "bytes",
        /// Greatest number of bytes of memory that the process of this run took until the run ended.
        #[schemars(with = "u64")]
        peak_rss_bytes: Option<u64> = "bytes",
        /// Wall-clock time in seconds that the whole run took, as Python measured it.
        #[schemars(with = "f64")]
        session_s: Option<f64> = "s",
    }

    /// Description of how the run was requested: together with `config` all that is needed to repeat it.
    Invocation {
        /// List, in the result, of the configuration values given with `--set`.
        set: Vec<String> = "text",
        /// Part of the result that describes the workload that was requested.
        workload: Source,
        /// Table, in the result, of the options of the command whose values differed from their defaults.
        options: BTreeMap<String, AnyValue> = "text",
        /// List, in the result, of the files with the Python policies that the drive used.
        policies: Vec<OwnPolicy>,
    }

    /// Record, in the result, of a file with Python policies: name, source text and hash.
    OwnPolicy {
        /// Name, in the result, of a file with Python policies, as the configuration gives it.
        file: String = "text",
        /// Text, in the result, of a source file with Python policies.
        source: String = "text",
        /// SHA-256, in the result, of the policy file's source text, in hexadecimal digits.
        sha256: String = "text",
    }

    /// Section of the result that describes the workload as the user requested it: kind, source and options.
    Source {
        /// Kind, in the result, of the requested workload: `fio`, `trace`, `volume`, `generator` or `flows`; `nbd`:
        /// clients of a served drive; `stepped`: a program, request by request.
        #[schemars(extend("enum" = ["fio", "trace", "volume", "generator", "flows", "nbd", "stepped"]))]
        kind: String = "text",
        /// Text in the result: path of the requested workload's file, or the words that name the workload.
        source: String = "text",
        /// Table, in the result, of the options for reading a trace that the user gave for the requested workload, by
        /// name.
        options: BTreeMap<String, AnyValue> = "text",
        /// Size in bytes, in the result, of the trace file; null for other workloads.
        file_bytes: Option<u64> = "bytes",
        /// Text, in the result, of the fio job file; null for other workloads.
        text: Option<String> = "text",
        /// Table, in the result, of the values of the variables in a fio job file, by name.
        variables: BTreeMap<String, String> = "text",
        /// List, in the result, of remarks of the translation of a workload into a fio job.
        notes: Vec<String> = "text",
    }

    /// Section of the result that says where the run was interrupted: phase, and fraction of the phase done.
    InterruptedAt {
        /// Phase, named in the result, in which the run was interrupted: `precondition`, `layout` or `run`.
        phase: String = "text",
        /// Fraction (0 to 1) of the interrupted phase that was done; null where that is unknown.
        workload_fraction: Option<f64> = "ratio",
    }

    /// Remark about the run: a fact to know before its results are believed.
    Remark {
        /// Kind of the remark in the result: a fixed name that scripts can look for.
        kind: String = "text",
        /// Text of the remark in the result: the fact, noticed in the run, that bears on whether the results can be
        /// believed.
        text: String = "text",
        /// Advice of the remark in the result: action that the user can take on the fact noticed.
        advice: String = "text",
    }
}

pub(super) fn workload<P: Observer>(run: &Run<P>) -> Workload {
    let report = run.workload.report();
    Workload {
        name: report.name,
        format: report.format,
        requests: report.requests
            + run.requests_of_passes
            + if let RunHost::Stepped(host) = &run.host { host.drawn() } else { 0 },
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

/// Makes the section of the result about the drive's first state, with the shares of reads and writes that reached the
/// flash; requests answered by the write buffer, or for unwritten units, are as fast on any drive.
pub(super) fn state(provenance: &Provenance<'_>, ftl: &Ftl, stats: &FtlStats) -> State {
    let part = |units: u64, whole: u64| {
        // What the buffer held when measuring began may be programmed beside what is written from then on.
        let share = (whole > 0).then(|| (units as f64 / whole as f64).min(1.0));
        Part { units, share }
    };
    let read = stats.units_read();
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
        reads_from_flash: part(stats.units_read_flash + stats.units_read_fetched, read),
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
