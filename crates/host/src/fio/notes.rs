//! What is to be said about a job file beside its results.

use super::distribution::Distribution;
use super::job::{Blocks, JobFile, JobSpec};

/// Notes on `file`, run on a drive of `drive_bytes`.
pub fn notes(file: &JobFile, drive_bytes: u64) -> Vec<(String, String)> {
    let mut notes = Vec::new();
    let mut note = |name: &str, value: String| notes.push((name.to_owned(), value));
    if !file.ignored.is_empty() {
        note("ignored", format!("no effect on a raw drive: {}", file.ignored.join(", ")));
    }
    let names = |pick: &dyn Fn(&JobSpec) -> bool| {
        let names: Vec<&str> =
            file.jobs.iter().filter(|job| pick(job)).map(|job| job.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(jobs) = names(&|job| job.size.is_none()) {
        note("size", format!("not given, so the rest of the drive of {drive_bytes} bytes: {jobs}"));
    }
    if let Some(jobs) = names(&|job| job.rate.iter().chain(&job.rate_iops).any(Option::is_some)) {
        note("rate", format!("requests go out when due, as with io_submit_mode=offload: {jobs}"));
    }
    let varied = |job: &JobSpec| {
        let used = || job.directions().iter().map(|direction| &job.blocks[*direction]);
        used().any(|blocks| !matches!(blocks, Blocks::Fixed(_)))
            || used().min_by_key(|blocks| blocks.least()) != used().max_by_key(|blocks| blocks.least())
    };
    let unmapped = |job: &JobSpec| {
        job.random && !job.norandommap && job.distribution == Distribution::Uniform && varied(job)
    };
    if let Some(jobs) = names(&unmapped) {
        note("random map", format!("blocks may repeat, since requests differ in size: {jobs}"));
    }
    let first_group = file.jobs.iter().skip(1).take_while(|job| !job.stonewall).count() + 1;
    if file.jobs.iter().skip(first_group).any(|job| job.ramp_ns > 0) {
        note("ramp_time", "left out of the metrics for the jobs before the first stonewall only".to_owned());
    }
    notes
}
