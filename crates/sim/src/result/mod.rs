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
use crate::sections::sections;
use crate::start::laying_out::LayingOut;
use crate::start::report::Preconditioning;
use ::host::Effect;
pub(crate) use about::Loop;
pub use schema::schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The format of a result. One more whenever a key is renamed, moved or taken away: `python/floatgate/results/versions.py` then
/// says what changed.
pub const FORMAT: u32 = 5;

/// Wall-clock seconds of the phases: the only part of a result that two runs do not share.
pub(crate) struct Walls {
    pub run_s: f64,
    pub precondition_s: f64,
    pub build_s: f64,
}

/// Where a result comes from: what it says beside what was measured.
pub(crate) struct Provenance<'a> {
    pub drive: &'a Drive,
    pub seed: u64,
    pub interrupted: bool,
    pub precondition: Preconditioning,
    pub passes: Option<Loop>,
    pub is_loaded: bool,
    pub layout: &'a LayingOut,
    pub cuts: &'a Cuts,
    pub failures: &'a Failures,
    pub walls: Walls,
}

sections! {
    /// The result of a run. Counts and times are of the measured window unless they say otherwise: from the end of a
    /// ramp, or the beginning, to the last completion.
    RunResult {
        /// The format of this document.
        schema: u32 = "count",
        /// The version of Floatgate that wrote it.
        version: String = "text",
        /// The seed of all random numbers.
        seed: u64 = "count",
        /// The drive, by name or file.
        drive: String = "text",
        /// The drive in a few words.
        title: String = "text",
        /// Bytes that the host sees.
        capacity_bytes: u64 = "bytes",
        /// The run was ended before its time, by Ctrl-C or a program.
        interrupted: bool = "yes/no",
        /// Where it was ended; null where it was not.
        interrupted_at: Option<about::InterruptedAt>,
        /// What was run.
        workload: about::Workload,
        /// What became of `--loop`; null without it.
        r#loop: Option<Loop>,
        /// The resolved configuration: each key with its value, defaults included.
        #[schemars(with = "BTreeMap<String, about::AnyValue>")]
        config: Map<String, Value> = "text",
        /// Where each value of the configuration comes from, by key.
        #[schemars(with = "BTreeMap<String, about::Place>")]
        config_places: Map<String, Value>,
        /// How the drive was brought into its state before the run.
        precondition: Preconditioning,
        /// In which state the drive began, and for how much of what the host asked that mattered.
        state: about::State,
        /// Simulated time of the measured window: from its beginning to the last completion.
        simulated_ns: u64 = "ns",
        /// Simulated time when the measured window began, with the run or after a ramp.
        started_ns: u64 = "ns",
        /// What the host saw.
        host: host::Host,
        /// Operations of the flash, by origin.
        flash: flash::Flash,
        /// Write amplification: bytes programmed to the flash for all origins over bytes that the host wrote, as NVMe, OCP
        /// and SNIA define it. `waf_bytes` has both, and says whether the figure is settled. Null without host writes.
        waf: Option<f64> = "ratio",
        /// What write amplification was made of; null without host writes.
        waf_parts: Option<waf::WafParts> = "ratio",
        /// The bytes that it is made of, and whether it is settled; null without host writes.
        waf_bytes: Option<waf::WafBytes>,
        /// What write amplification comes to in the long run; null without host writes.
        waf_long_run: Option<waf::WafLongRun>,
        /// Room for writes that was missing at the beginning, or will be collected later; null without victims.
        debt: Option<waf::Debt>,
        /// Where the latency of requests went.
        stages: host::Stages,
        /// The jobs of a fio file, or the volumes of a trace; of more than 64 only the first.
        jobs: Vec<host::Job>,
        /// What the firmware did.
        ftl: ftl::FtlSections,
        /// Error correction; null without `ecc.code`.
        ecc: Option<costs::Ecc>,
        /// What became of reads that the code could not correct.
        unreadable: ftl::Unreadable,
        /// What the channels speak, and how fast.
        bus: drive::Bus,
        /// Where the energy went.
        energy_j: energy::Joules,
        /// Wear of the flash.
        wear: drive::Wear,
        /// Wear by place.
        wear_map: drive::WearMap,
        /// How busy channels, dies and the host link were.
        utilisation: drive::Utilisation,
        /// What finding its data again at power-up takes; null where the map survives a power cut.
        recovery: Option<Recovery>,
        /// What became of it when its power failed in the middle of the run; null without `power.cut`.
        power: Option<power::Power>,
        /// What became of it when a die or a channel failed in the middle of the run; null without `fault`.
        fault: Option<failures::Fault>,
        /// The columns of `series.parquet`.
        #[schemars(skip)]
        series: Value,
        /// The rows of `latency.parquet`.
        #[schemars(skip)]
        histogram: Map<String, Value>,
        /// What the simulation cost.
        engine: about::Engine,
        /// How the run was asked for.
        #[schemars(with = "about::Invocation")]
        invocation: Option<about::Invocation>,
        /// What to know before a number is believed.
        remarks: Vec<about::Remark>,
    }
}

/// The whole result, but for what Python adds: invocation, remarks, jobs as written, memory.
pub(crate) fn of<P: Observer>(run: &Run<P>, provenance: Provenance<'_>) -> RunResult {
    let stats = run.ftl.stats().since(&run.baseline);
    let (drive, measure) = (provenance.drive, &run.measure);
    let span_ns = measure.last_completion.since(measure.started).ns();
    let busy = run.busy_times();
    let window_ns = run.ctx.calendar.now().since(measure.started).ns();
    let (waf_parts, debt) = waf::parts_and_debt(run, &stats);
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
        host: host::host(
            measure,
            &run.namespaces,
            span_ns,
            waf_interval.map_or(0.0, |interval| interval.relative()),
        ),
        flash: flash::flash(drive, &run.ftl, &stats),
        waf: stats.waf(run.ftl.layout().unit),
        waf_parts,
        waf_bytes: waf::bytes(run, &stats),
        waf_long_run: long_run.map(|found| waf::of_long_run(&found, run, &stats)),
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
        precondition: provenance.precondition,
    }
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
