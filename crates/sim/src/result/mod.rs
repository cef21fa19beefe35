//! The result: what `run.json` holds. Each number is described where it is made, in structs of which the JSON Schema
//! (`floatgate schema`), the reference page and the Python classes are generated; sections of `ftl` have the names of the
//! sections of the configuration.
//!
//! - `about`: where the result comes from, and what simulating it cost.
//! - `host`: what the host saw, and `intervals`: how sure that is.
//! - `flash`: operations by origin.
//! - `waf`, `amplification`: what write amplification was made up of, and what it comes to in the long run.
//! - `ftl`, `buffer`, `costs`, `snapshots`, `placement`: what the firmware did.
//! - `drive`: wear, wires and how busy everything was.
//! - `energy`: where the energy went.

mod about;
pub(crate) mod amplification;
mod block_log;
mod buffer;
mod costs;
mod drive;
mod energy;
mod failures;
mod flash;
mod ftl;
mod host;
mod intervals;
mod placement;
mod power;
mod schema;
mod snapshots;
mod waf;
mod zones;

use crate::Drive;
use crate::measure::Measure;
use crate::observe::Observer;
use crate::run::Recovery;
use crate::run::Run;
use crate::run::failure::Failures;
use crate::run::power_cut::Cuts;
use crate::sampling::SampledRun;
use crate::sections::sections;
use crate::start::laying_out::LayingOut;
use crate::start::report::Preconditioning;
use ::host::Effect;
pub(crate) use about::Loop;
pub use schema::schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Constant: version number of the result format. It grows by one when a key is renamed, moved or removed, and
/// `python/floatgate/results/versions.py` then says what changed.
pub const FORMAT: u32 = 5;

/// Record of the wall-clock times, in seconds, of the phases of a run, in which two runs of the same command differ.
pub(crate) struct Walls {
    pub run_s: f64,
    pub precondition_s: f64,
    pub build_s: f64,
}

/// Set of inputs for the result of a run beside the run's measurements: the drive, seed, preconditioning, planned cuts
/// and failures, and wall-clock times.
pub(crate) struct Provenance<'a> {
    pub drive: &'a Drive,
    pub seed: u64,
    pub interrupted: bool,
    pub precondition: Preconditioning,
    pub sample: Option<SampledRun>,
    pub passes: Option<Loop>,
    pub is_loaded: bool,
    pub layout: &'a LayingOut,
    pub cuts: &'a Cuts,
    pub failures: &'a Failures,
    pub walls: Walls,
}

sections! {
    /// Results of a run, as a whole document. Counts and times are of the measured window unless they say otherwise:
    /// from the end of a ramp, or the beginning, to the last completion.
    RunResult {
        /// Version number, stored in this result document, of the document's format.
        schema: u32 = "count",
        /// Version of Floatgate that wrote this result document.
        version: String = "text",
        /// Seed, in the result, of all random numbers in the run.
        seed: u64 = "count",
        /// Name, in the result, of the simulated drive, or of its drive file.
        drive: String = "text",
        /// Title, in the result, of the simulated drive, as its drive file gives it: a few words that describe the
        /// drive.
        title: String = "text",
        /// Capacity in bytes, in the result, of the drive as the host sees it.
        capacity_bytes: u64 = "bytes",
        /// True if the run was ended early, by Ctrl-C or a program.
        interrupted: bool = "yes/no",
        /// Section of the result with the point at which the run was interrupted; null where the run was not
        /// interrupted.
        interrupted_at: Option<about::InterruptedAt>,
        /// Section of the result with facts about the workload that was run: name, format, number of requests, jobs and
        /// notes.
        workload: about::Workload,
        /// Section of the result with the outcome of `--loop`, which repeats the workload; null without it.
        r#loop: Option<Loop>,
        /// Table, in the result, of the resolved configuration of the drive: each key with its value, defaults
        /// included.
        #[schemars(with = "BTreeMap<String, about::AnyValue>")]
        config: Map<String, Value> = "text",
        /// Table, in the result, of the origins of the configuration's values, by key.
        #[schemars(with = "BTreeMap<String, about::Place>")]
        config_places: Map<String, Value>,
        /// Section of the result on preconditioning: how the drive was brought into its state before the run.
        precondition: Preconditioning,
        /// Section of the result on the state of the drive when the run began, and on how many of the host's reads and
        /// writes depended on it.
        state: about::State,
        /// Length of the measured window in nanoseconds of simulated time: from its beginning to the last completion.
        simulated_ns: u64 = "ns",
        /// Simulated time in nanoseconds, from the beginning of the run, at which the measured window began: with the
        /// run or after a ramp.
        started_ns: u64 = "ns",
        /// Section of the result on what the host saw of the drive: requests, latencies and errors.
        host: host::Host,
        /// Section of the result with the counts of flash operations (pages read and programmed, blocks erased) in the
        /// measured window, by origin.
        flash: flash::Flash,
        /// Write amplification of this run: bytes programmed to the flash for all origins over bytes that the host
        /// wrote, as NVMe, OCP and SNIA define it. `waf_bytes` has both, and says whether the figure is settled. Null
        /// without host writes.
        waf: Option<f64> = "ratio",
        /// Section of the result with the parts of write amplification, by origin of the programs; null without host
        /// writes.
        waf_parts: Option<waf::WafParts> = "ratio",
        /// Section of the result with the numbers of bytes from which write amplification is calculated, and whether it
        /// is settled; null without host writes.
        waf_bytes: Option<waf::WafBytes>,
        /// Section of the result with the estimate of write amplification in the long run; null without host writes.
        waf_long_run: Option<waf::WafLongRun>,
        /// Section of the result on garbage collection debt: free space that was missing when the measured window
        /// began, or that the window left to garbage collection after its end; null without victims.
        debt: Option<waf::Debt>,
        /// Section of the result with the mean times that reads and writes spent in each stage of their latency.
        stages: host::Stages,
        /// List of the results of each job of a fio file, or of each volume of a trace; of more than 64 only the first
        /// 64.
        jobs: Vec<host::Job>,
        /// Section of the result on the firmware (flash translation layer), in sections.
        ftl: ftl::FtlSections,
        /// Section of the result on error correction of flash reads; null without `ecc.code`.
        ecc: Option<costs::Ecc>,
        /// Section of the result with the counts of flash reads that the error-correcting code could not correct, and
        /// of reads whose data parity restored.
        unreadable: ftl::Unreadable,
        /// Section of the result that describes the flash interface of controller and chips on the channels, and its
        /// speed.
        bus: drive::Bus,
        /// Section of the result on the energy of the drive in the measured window, by part.
        energy_j: energy::Joules,
        /// Section of the result on the wear of the flash at the end of the run, and on failures of blocks.
        wear: drive::Wear,
        /// Section of the result with the table of the mean program/erase cycles of the flash by die and group of
        /// blocks.
        wear_map: drive::WearMap,
        /// Section of the result with the utilisation of channels, dies and the host link: the share of the measured
        /// window in which each worked.
        utilisation: drive::Utilisation,
        /// Section of the result on the cost of recovery: the work by which the drive finds its data again at power-up;
        /// null where the logical-to-physical map survives a power cut.
        recovery: Option<Recovery>,
        /// Section of the result on the power cuts in the middle of the run, and their consequences; null without
        /// `power.cut`.
        power: Option<power::Power>,
        /// Section of the result on the planned failure of a die or a channel in the middle of the run, and its
        /// consequences; null without `fault`.
        fault: Option<failures::Fault>,
        /// Section of the result with the time series of the run, as the columns of the file `series.parquet`.
        #[schemars(skip)]
        series: Value,
        /// Section of the result with the latency histograms of the run, one for each kind of request, as the rows of
        /// the file `latency.parquet`.
        #[schemars(skip)]
        histogram: Map<String, Value>,
        /// Section of the result on the cost of the simulation in the computer's time and memory.
        engine: about::Engine,
        /// Section of the result that describes how the run was requested: workload, settings and options.
        #[schemars(with = "about::Invocation")]
        invocation: Option<about::Invocation>,
        /// List of remarks about the run (kind, text, advice): facts to know before its results are believed.
        remarks: Vec<about::Remark>,
        /// Section of the result with the report of a sampled run (`--sample`); absent where the whole run was
        /// simulated in detail.
        #[serde(skip_serializing_if = "Option::is_none")]
        sample: Option<SampledRun>,
    }
}

/// Makes the whole result of a run, except the parts that Python adds: invocation, remarks, jobs as written, memory.
pub(crate) fn of<P: Observer>(run: &Run<P>, provenance: Provenance<'_>) -> RunResult {
    let stats = run.ftl.stats().since(&run.baseline);
    let seen = block_log::seen_by_workload(run, stats);
    let (drive, measure) = (provenance.drive, &run.measure);
    let span_ns = measure.last_completion.since(measure.started).ns();
    let busy = run.busy_times();
    let window_ns = run.ctx.calendar.now().since(measure.started).ns();
    let (waf_parts, debt) = waf::parts_and_debt(run, &seen);
    let long_run = (stats.bytes_written > 0).then(|| amplification::long_run(run));
    let waf_interval = long_run.as_ref().and_then(|found| found.interval);
    RunResult {
        schema: FORMAT,
        version: crate::version().into(),
        seed: provenance.seed,
        drive: drive.name.clone(),
        title: drive.title.clone(),
        capacity_bytes: drive.capacity().get(),
        interrupted: provenance.interrupted,
        interrupted_at: None,
        workload: about::workload(run),
        config: about::config(drive.entries()),
        config_places: about::places(drive.entries()),
        state: about::state(&provenance, &run.ftl, &stats),
        simulated_ns: span_ns,
        started_ns: measure.started.since(run.origin).ns(),
        host: host_of(run, span_ns, waf_interval.map_or(0.0, |interval| interval.relative())),
        flash: flash::flash(drive, &run.ftl, &stats),
        waf: seen.waf(run.ftl.layout().unit),
        waf_parts,
        waf_bytes: waf::bytes(run, &seen),
        waf_long_run: long_run.map(|found| waf::of_long_run(&found, run, &seen)),
        debt,
        stages: host::stages(measure),
        jobs: host::jobs(run),
        ftl: ftl::sections_of(run, drive, &stats, span_ns),
        ecc: costs::ecc(run),
        unreadable: ftl::unreadable(&stats),
        bus: drive::bus(&run.ftl),
        energy_j: energy::of(drive, &busy, &run.busy_baseline, measure, span_ns),
        wear: drive::wear(&run.ftl, &stats),
        wear_map: drive::wear_map(&run.ftl),
        utilisation: drive::utilisation(&busy, &run.busy_baseline, window_ns),
        recovery: None,
        power: power::power(provenance.cuts),
        fault: failures::fault(provenance.failures),
        series: measure.series.to_json(),
        histogram: histograms(measure),
        engine: about::engine(run, &provenance),
        invocation: None,
        remarks: Vec::new(),
        r#loop: provenance.passes,
        sample: provenance.sample,
        precondition: provenance.precondition,
    }
}

/// Makes the section of a run's result about the host, over `span_ns` nanoseconds; `waf_spread` is the relative half
/// width of the confidence interval of write amplification.
fn host_of<P: Observer>(run: &Run<P>, span_ns: u64, waf_spread: f64) -> host::Host {
    let host = host::host(&run.measure, &run.namespaces, span_ns, waf_spread);
    host::Host { translation: block_log::translation(run), ..host }
}

fn histograms(measure: &Measure) -> Map<String, Value> {
    let mut map = Map::new();
    for effect in Effect::ALL {
        let histogram = &measure.ops[effect as usize].latency;
        if histogram.is_empty() {
            continue;
        }
        let counts: Vec<[u64; 2]> = histogram
            .iter_recorded()
            .map(|step| [step.value_iterated_to(), step.count_since_last_iteration()])
            .collect();
        map.insert(effect.name().into(), json!(counts));
    }
    map
}
