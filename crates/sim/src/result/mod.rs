//! The result: what `run.json` holds.
//!
//! - `amplification`: what write amplification was made up of, and what it comes to in the long run.
//! - `buffer`: what the buffer, reading ahead and the SLC cache did.
//! - `drive`: wear, wires and how busy everything was.
//! - `intervals`: how sure the host's figures are.

pub(crate) mod amplification;
mod buffer;
mod drive;
mod intervals;

use crate::layout::LayingOut;
use crate::measure::{Measure, OpMeasure, STAGES};
use crate::observers::Observer;
use crate::run::{Run, page_operations};
use crate::{Drive, energy};
use config::{Entry, Value as ConfigValue};
use controller::Origin;
use ftl::{Ftl, FtlStats, RegulationCounts, Snapshot};
use hdrhistogram::Histogram;
use host::Op;
use serde_json::{Map, Value, json};

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
    pub precondition: Value,
    pub passes: Value,
    pub is_loaded: bool,
    pub layout: &'a LayingOut,
    pub walls: Walls,
}

/// The whole result.
pub(crate) fn of<P: Observer>(run: &Run<P>, provenance: &Provenance<'_>) -> Value {
    let stats = run.ftl.stats().since(&run.baseline);
    let measure = &run.measure;
    let span_ns = measure.last_completion.since(measure.started).ns();
    let busy = run.busy_times();
    let window_ns = run.ctx.calendar.now().since(measure.started).ns();
    let utilisation = drive::utilisation(&busy, &run.busy_baseline, window_ns);
    let erases = sum_by_origin(&stats.blocks_erased);
    let (waf_parts, debt) = amplification::parts_and_debt(run, &stats);
    let long_run = (stats.units_written > 0).then(|| amplification::long_run(run));
    let waf_interval = long_run.as_ref().and_then(|found| found.interval);
    json!({
        "version": crate::version(),
        "seed": provenance.seed,
        "drive": provenance.drive.name,
        "title": provenance.drive.title,
        "capacity_bytes": provenance.drive.capacity().get(),
        "interrupted": provenance.interrupted,
        "workload": workload(run),
        "loop": provenance.passes,
        "config": config_of(provenance.drive.entries()),
        "config_places": places_of(provenance.drive.entries()),
        "precondition": provenance.precondition,
        "state": state(provenance, &run.ftl, &stats),
        "simulated_ns": span_ns,
        "started_ns": measure.started.ns(),
        "host": host(measure, span_ns, waf_interval.map_or(0.0, |interval| interval.relative())),
        "flash": {
            "reads": by_origin(&stats.pages_read),
            "programs": by_origin(&stats.pages_programmed),
            "erases": by_origin(&stats.blocks_erased),
            "units_programmed": by_origin(&stats.units_programmed),
            "page_bytes": provenance.drive.geometry().page_size.get(),
            "mapping_unit_bytes": run.ftl.layout().unit.get(),
        },
        "waf": stats.waf(),
        "waf_parts": waf_parts,
        "waf_long_run": long_run.map(|found| amplification::of_long_run(&found, run, &stats)),
        "debt": debt,
        "stages": stages(measure),
        "jobs": jobs(run),
        "gc": gc(&stats),
        "ftl": ftl_of(&run.ftl, &stats),
        "buffer": buffer::of(&run.ftl, &stats, span_ns),
        "reading": buffer::reading(&stats),
        "slc_cache": buffer::slc_cache(&run.ftl, &stats),
        "regulation": regulation(run),
        "upkeep": upkeep(run, span_ns),
        "parity": parity(&run.ftl, provenance.drive),
        "unreadable": unreadable(&stats),
        "bus": drive::bus_of(&run.ftl),
        "energy_j": energy::of(provenance.drive, &busy, &run.busy_baseline, measure, span_ns),
        "wear": drive::wear(&run.ftl, &stats, erases),
        "wear_map": drive::wear_map(&run.ftl),
        "utilisation": utilisation,
        "series": measure.series.to_json(),
        "histogram": histograms(measure),
        "engine": engine(run, provenance),
    })
}

fn workload<P: Observer>(run: &Run<P>) -> Value {
    let report = run.workload.report();
    let notes: Map<String, Value> =
        report.notes.into_iter().map(|(key, value)| (key, json!(value))).collect();
    json!({
        "name": report.name,
        "format": report.format,
        "requests": report.requests + run.requests_of_passes,
        "skipped_lines": report.skipped_lines,
        "fraction_done": run.fraction_done(),
        "notes": notes,
        "tags": report.tags,
    })
}

fn config_json(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Text(text) => json!(text),
        ConfigValue::Integer(number) => json!(number),
        ConfigValue::Float(number) => json!(number),
        ConfigValue::Boolean(truth) => json!(truth),
        ConfigValue::List(items) => items.iter().map(|item| config_json(&item.value)).collect(),
        ConfigValue::Table(_) => Value::Null,
    }
}

/// The resolved configuration: dotted key to value. A run can be repeated from it.
fn config_of(entries: &[Entry]) -> Value {
    entries.iter().map(|entry| (entry.key.clone(), config_json(&entry.value))).collect::<Map<_, _>>().into()
}

fn places_of(entries: &[Entry]) -> Value {
    let place = |entry: &Entry| json!({ "place": entry.place.to_string(), "source": entry.source });
    entries.iter().map(|entry| (entry.key.clone(), place(entry))).collect::<Map<_, _>>().into()
}

/// In which state the drive began, and for how much of what the host asked that mattered, in mapping units: a read
/// that the buffer answers, or that meets nothing, would be as fast on any drive; so would a write that is overwritten
/// before it leaves the buffer.
fn state(provenance: &Provenance<'_>, ftl: &Ftl, stats: &FtlStats) -> Value {
    let part = |units: u64, whole: u64| {
        // What the buffer held when measuring began may be programmed beside what is written from then on.
        let share = (whole > 0).then(|| (units as f64 / whole as f64).min(1.0));
        json!({ "units": units, "share": share })
    };
    let began = if provenance.is_loaded { json!("loaded") } else { provenance.precondition["kind"].clone() };
    let read = stats.units_read_buffer + stats.units_read_unmapped + stats.units_read_flash;
    json!({
        "began": began,
        "layout": {
            "on": provenance.layout.is_on(),
            "units": provenance.layout.units,
            "bytes": provenance.layout.units * ftl.layout().unit.get(),
        },
        "unit_bytes": ftl.layout().unit.get(),
        "units_read": read,
        "units_written": stats.units_written,
        "reads_unmapped": part(stats.units_read_unmapped, read),
        "reads_from_flash": part(stats.units_read_flash, read),
        "writes_to_flash": part(stats.units_programmed[Origin::Host as usize], stats.units_written),
    })
}

fn per_second(count: f64, span_ns: u64) -> Option<f64> {
    (span_ns > 0).then(|| count * 1e9 / span_ns as f64)
}

fn latency(histogram: &Histogram<u64>, mean: Option<f64>) -> Value {
    if histogram.is_empty() {
        return Value::Null;
    }
    let at = |quantile: f64| histogram.value_at_quantile(quantile);
    // A level of the histogram holds latencies within a thousandth. The least lies in the first, and neither below what
    // is in there nor above the mean.
    let first = histogram.iter_recorded().next().map_or(0, |step| step.value_iterated_to());
    let least = mean.map_or(first, |mean| first.min(mean as u64));
    json!({
        "mean": mean,
        "min": least,
        "p50": at(0.5), "p90": at(0.9), "p95": at(0.95), "p99": at(0.99),
        "p999": at(0.999), "p9999": at(0.9999),
        "max": histogram.max(),
        "stddev": histogram.stdev(),
    })
}

/// What the host gets: of one kind of request, over all or of one job.
fn figures(bytes: u64, latencies: &Histogram<u64>, mean: Option<f64>, span_ns: u64) -> Value {
    let requests = latencies.len();
    json!({
        "requests": requests,
        "bytes": bytes,
        "iops": per_second(requests as f64, span_ns),
        "bandwidth_bytes_per_s": per_second(bytes as f64, span_ns),
        "latency_ns": latency(latencies, mean),
    })
}

fn host(measure: &Measure, span_ns: u64, waf_relative: f64) -> Value {
    let mut host = Map::new();
    for op in Op::ALL {
        let of: &OpMeasure = &measure.ops[op as usize];
        let mut figures = figures(of.bytes, &of.latency, of.mean_ns(), span_ns);
        figures["interval"] = intervals::of(measure, op, span_ns, waf_relative);
        host.insert(op.name().into(), figures);
    }
    host["read"]["uncorrectable"] = json!(measure.uncorrectable);
    host.insert("arrivals".into(), arrivals(measure, span_ns));
    for (name, counts) in
        [("submitted", &measure.submitted), ("completed", &measure.completed), ("failed", &measure.failed)]
    {
        let mut by_kind: Map<String, Value> =
            Op::ALL.iter().map(|op| (op.name().to_owned(), json!(counts[*op as usize]))).collect();
        by_kind.insert("total".into(), json!(counts.iter().sum::<u64>()));
        host.insert(name.into(), Value::Object(by_kind));
    }
    Value::Object(host)
}

/// How requests came; `outstanding_mean` by Little's law, those that had to wait for a place in the drive included.
fn arrivals(measure: &Measure, span_ns: u64) -> Value {
    let waited: u128 = measure.ops.iter().map(|of| of.latency_sum_ns).sum();
    json!({
        "span_ns": measure.arrivals.last.ns().saturating_sub(measure.started.ns()),
        "late_ns_last": measure.arrivals.late_ns_last,
        "late_ns_max": measure.arrivals.late_ns_max,
        "outstanding_mean": (span_ns > 0).then(|| waited as f64 / span_ns as f64),
    })
}

fn sum_by_origin(counts: &[u64; Origin::COUNT]) -> u64 {
    counts.iter().sum()
}

fn by_origin(counts: &[u64; Origin::COUNT]) -> Value {
    let mut map: Map<String, Value> = Origin::ALL
        .iter()
        .map(|origin| (origin.name().to_owned(), json!(counts[*origin as usize])))
        .collect();
    map.insert("total".into(), json!(sum_by_origin(counts)));
    Value::Object(map)
}

fn stages(measure: &Measure) -> Value {
    let mut map = Map::new();
    for op in [Op::Read, Op::Write] {
        let of = &measure.ops[op as usize];
        let requests = of.requests();
        let mean = |sum: u128| if requests == 0 { Value::Null } else { json!(sum as f64 / requests as f64) };
        let names = STAGES.iter().chain(&["link"]);
        let stages: Map<String, Value> =
            names.zip(of.stages_ns).map(|(name, sum)| ((*name).to_owned(), mean(sum))).collect();
        map.insert(op.name().into(), Value::Object(stages));
    }
    Value::Object(map)
}

fn jobs<P: Observer>(run: &Run<P>) -> Value {
    let names = run.workload.report().tags;
    let measure = &run.measure;
    let span_ns = measure.last_completion.since(measure.started).ns();
    let job = |(tag, ops): (usize, &[Option<Box<crate::measure::TagMeasure>>; 3])| {
        let mut map = Map::new();
        map.insert("name".into(), json!(names.get(tag).cloned().unwrap_or_else(|| tag.to_string())));
        for (op, of) in Op::ALL.iter().zip(ops) {
            let Some(of) = of else { continue };
            // The finer histogram of all requests, where all are this job's.
            let all = &measure.ops[*op as usize];
            let histogram = if all.requests() == of.latency.len() { &all.latency } else { &of.latency };
            let mean = of.latency_sum_ns as f64 / of.latency.len() as f64;
            map.insert(op.name().into(), figures(of.bytes, histogram, Some(mean), span_ns));
        }
        Value::Object(map)
    };
    measure.tags.iter().enumerate().map(job).collect()
}

fn gc(stats: &FtlStats) -> Value {
    let per_victim = |sum: u64| (stats.victims > 0).then(|| sum as f64 / stats.victims as f64);
    json!({
        "victims": stats.victims,
        "valid_units_per_victim": per_victim(stats.victim_units),
        "candidates_at_choice_mean": per_victim(stats.victim_candidates),
        "free_at_choice_mean": per_victim(stats.victim_free),
        "wear_relocations": stats.wear_relocations,
        "superblocks_traded": stats.superblocks_traded,
        "program_failures": stats.program_failures,
        "erase_failures": stats.erase_failures,
        "superblocks_lost": stats.superblocks_lost,
    })
}

/// What the kind of mapping did and takes.
fn ftl_of(ftl: &Ftl, stats: &FtlStats) -> Value {
    let lookups = stats.map_hits + stats.map_misses;
    json!({
        "map_ram_bytes": ftl.map_bytes(),
        "map_hits": stats.map_hits,
        "map_misses": stats.map_misses,
        "map_hit_ratio": (lookups > 0).then(|| stats.map_hits as f64 / lookups as f64),
        "snapshots": snapshots(ftl),
        "merges": {
            "switch": stats.merges_switch,
            "partial": stats.merges_partial,
            "full": stats.merges_full,
        },
    })
}

/// Snapshots of the logical drive, since the run began; null where it takes none. Times are from the moment of a
/// snapshot, or of a rollback, until the map is on flash.
fn snapshots(ftl: &Ftl) -> Value {
    let Some(snapshots) = ftl.snapshots() else { return Value::Null };
    let counts = snapshots.counts;
    let unit = ftl.layout().unit.get();
    let kept = |snapshot: &Snapshot| {
        json!({
            "serial": snapshot.serial,
            "taken_ns": snapshot.taken.ns(),
            "differences": snapshot.differences(),
            "units_kept": snapshot.units_kept(),
        })
    };
    json!({
        "taken": counts.taken,
        "expired": counts.expired,
        "dropped_full": counts.dropped_full,
        "kept": snapshots.kept().map(kept).collect::<Vec<_>>(),
        "units_kept": snapshots.units_kept(),
        "units_kept_max": counts.units_kept_max,
        "room_units": snapshots.room(),
        "ram_bytes": snapshots.ram_bytes(),
        "map_bytes_written": counts.checkpoint_units * unit,
        "checkpoints": counts.checkpoints,
        "t_take_ns": { "mean": counts.taking.mean_ns(), "max": counts.taking.max_ns },
        "units_moved": counts.units_moved,
        "units_refused": counts.units_refused,
        "trims_ignored": counts.trims_ignored,
        "rollbacks": counts.rollbacks.done,
        "rollbacks_void": counts.rollbacks.void,
        "rollback_units": counts.rollbacks.units,
        "t_rollback_ns_mean": counts.rollbacks.taking.mean_ns(),
    })
}

/// Costs of writes and reads; null where the drive has no code.
fn regulation<P: Observer>(run: &Run<P>) -> Value {
    let Some(regulation) = run.ftl.regulation() else { return Value::Null };
    let counts = run.ftl.regulation_counts().since(&run.regulation_baseline);
    let (costs, references) = (regulation.costs(), regulation.references());
    let by_cost = |units: &[u64; 8]| units[..costs.len()].to_vec();
    let by_references = |reads: &[u64; 8]| reads[..references.len()].to_vec();
    let bits = u64::from(regulation.bits_per_unit());
    json!({
        "steps_uv": costs.iter().map(|cost| cost.step.get()).collect::<Vec<_>>(),
        "voltages": costs.iter().map(|cost| cost.voltages.as_deref()).collect::<Vec<_>>(),
        "retention_ns": costs.iter().map(|cost| cost.retention.ns()).collect::<Vec<_>>(),
        "references": references,
        "reads_by_references": { "host": by_references(&counts.host_reads), "other": by_references(&counts.other_reads) },
        "units_by_step": { "host": by_cost(&counts.host_units), "other": by_cost(&counts.other_units) },
        "read_retries": counts.retries,
        "reads_retried": { "host": counts.retried[0], "other": counts.retried[1] },
        "requests_by_retries": run.measure.retried.by_retries(&run.measure.ops[Op::Read as usize]),
        "pages_uncorrectable": { "host": counts.uncorrectable[0], "other": counts.uncorrectable[1] },
        "rewrites_asked": counts.rewrites_asked,
        "rewrites_dropped": counts.rewrites_dropped,
        "superblocks_refreshed": counts.superblocks_refreshed,
        "scrub": scrub(run, &counts),
        "writes_refined": counts.refined,
        "bits_per_unit": bits,
        "overhead_bytes": (u64::from(run.ftl.layout().logical_units) * bits).div_ceil(8),
    })
}

/// Work that only the clock brings back, and how late it came; null where there is none. Since the run began.
fn upkeep<P: Observer>(run: &Run<P>, span_ns: u64) -> Value {
    let Some((counts, share, waiting)) = run.ftl.upkeep() else { return Value::Null };
    let dies = f64::from(run.ftl.layout().dies);
    json!({
        "share": share,
        "share_used": (span_ns > 0).then(|| counts.die_ns as f64 / dies / run.ctx.calendar.now().ns() as f64),
        "superblocks_begun": counts.begun,
        "superblocks_late": counts.late,
        "superblocks_waiting": waiting,
        "late_ns_mean": (counts.begun > 0).then(|| counts.late_ns as f64 / counts.begun as f64),
        "late_ns_max": counts.late_ns_max,
    })
}

/// What the patrol did; null where the drive has none. A round that is not over counts as late when it takes too long.
fn scrub<P: Observer>(run: &Run<P>, counts: &RegulationCounts) -> Value {
    let Some((period, overdue)) = run.ftl.patrol(run.ctx.calendar.now()) else { return Value::Null };
    json!({
        "period_ns": period.ns(),
        "superblocks_read": counts.superblocks_patrolled,
        "superblocks_rewritten": counts.superblocks_scrubbed,
        "rounds": counts.patrol_rounds,
        "rounds_late": counts.patrol_rounds_late + overdue as u64,
    })
}

/// The parity over dies and what it takes; null where there is none.
fn parity(ftl: &Ftl, drive: &Drive) -> Value {
    let Some(parity) = ftl.parity() else { return Value::Null };
    let layout = ftl.layout();
    let superblocks = u64::from(parity.parity_superblocks());
    let bytes = superblocks * u64::from(layout.superblock_units) * layout.unit.get();
    json!({
        "stripe": parity.stripe(),
        "superblocks": superblocks,
        "bytes": bytes,
        "share_of_flash": superblocks as f64 / layout.superblocks() as f64,
        "share_of_capacity": bytes as f64 / drive.capacity().get() as f64,
        // What a drive must have in RAM for programs whose stripe is not complete.
        "ram_bytes_max": parity.gathered_bytes_max(),
    })
}

/// What became of reads that the code could not correct.
fn unreadable(stats: &FtlStats) -> Value {
    json!({
        "reads_rebuilt": { "host": stats.reads_rebuilt[0], "other": stats.reads_rebuilt[1] },
        "reads_lost": { "host": stats.reads_lost[0], "other": stats.reads_lost[1] },
        "units_lost": stats.units_lost,
        "units_read_lost": stats.units_read_lost,
    })
}

fn histograms(measure: &Measure) -> Value {
    let mut map = Map::new();
    for op in Op::ALL {
        let histogram = &measure.ops[op as usize].latency;
        if histogram.is_empty() {
            continue;
        }
        let counts: Vec<[u64; 2]> = histogram
            .iter_recorded()
            .map(|step| [step.value_iterated_to(), step.count_since_last_iteration()])
            .collect();
        map.insert(op.name().into(), json!(counts));
    }
    Value::Object(map)
}

fn engine<P: Observer>(run: &Run<P>, provenance: &Provenance<'_>) -> Value {
    let operations = page_operations(run.ftl.stats()) - run.pages_before;
    let wall = provenance.walls.run_s;
    let rate = |count: u64| if wall > 0.0 { Some(count as f64 / wall) } else { None };
    json!({
        "wall_s": wall,
        "build_s": provenance.walls.build_s,
        "precondition_s": provenance.walls.precondition_s,
        "page_operations": operations,
        "page_operations_per_s": rate(operations),
        "host_requests": run.host_requests,
        "host_requests_per_s": rate(run.host_requests),
        "events": run.ctx.calendar.scheduled(),
        "state_bytes": run.ftl.state_bytes(),
        "state_bytes_per_mapping_unit": run.ftl.state_bytes() as f64 / f64::from(run.ftl.layout().logical_units),
        "peak_rss_bytes": null,
    })
}
