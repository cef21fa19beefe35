//! What is to be said about a job file beside its results.

use super::engines;
use super::files::FileRegion;
use super::job::{JobFile, JobSpec};
use super::verify::Rule;

// Long: one note after the other.
/// Notes on `file`, run on a drive of `drive_bytes`.
pub fn notes(file: &JobFile, files: &[FileRegion], drive_bytes: u64) -> Vec<(String, String)> {
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
    let own: Vec<&FileRegion> = files.iter().filter(|file| !file.is_drive).collect();
    match own[..] {
        [] => {}
        [file] => {
            note("files", format!("{} of {} bytes, from the drive's first byte on", file.name, file.bytes))
        }
        _ => {
            let bytes: u64 = own.iter().map(|file| file.bytes).sum();
            note("files", format!("{} of {bytes} bytes in all, side by side on the drive", own.len()));
        }
    }
    let whole = |job: &JobSpec| job.size.is_none() && job.filesize.is_none() && own.is_empty();
    if let Some(jobs) = names(&whole) {
        note("size", format!("not given, so the rest of the drive of {drive_bytes} bytes: {jobs}"));
    }
    let shallow = |job: &JobSpec| job.iodepth > 1 && job.is_synchronous();
    if let Some(jobs) = names(&|job| shallow(job) && job.engine.is_none()) {
        let default = engines::DEFAULT;
        note(
            "iodepth",
            format!("no ioengine, so fio's {default}, which keeps one request outstanding: {jobs}"),
        );
    } else if let Some(jobs) = names(&shallow) {
        note("iodepth", format!("one request outstanding, since the engine is synchronous: {jobs}"));
    }
    if let Some(jobs) = names(&|job| job.rate.iter().chain(&job.rate_iops).any(Option::is_some)) {
        note("rate", format!("requests go out when due, as with io_submit_mode=offload: {jobs}"));
    }
    let null = |job: &JobSpec| job.engine.as_deref().is_some_and(|engine| engines::NULL.contains(&engine));
    if let Some(jobs) = names(&null) {
        note("ioengine", format!("null asks no drive at home; here its requests go to the drive: {jobs}"));
    }
    if let Some(jobs) = names(&|job| Rule::of(job).is_some()) {
        note("verify", format!("what is written is read back, not compared (--check does that): {jobs}"));
    }
    let endless =
        |job: &JobSpec| !job.time_based && job.options.get("time_based").is_some_and(|value| value != "0");
    if let Some(jobs) = names(&endless) {
        note("time_based", format!("no runtime, so without effect, as in fio: {jobs}"));
    }
    let one_map = |job: &JobSpec| {
        let least = |direction: &usize| job.blocks[*direction].least();
        let used = job.directions();
        job.has_map() && used.iter().any(|direction| least(direction) != least(&used[0]))
    };
    if let Some(jobs) = names(&one_map) {
        note(
            "random map",
            format!(
                "reads and writes of different sizes mark the same numbers, as in fio: it may end early: {jobs}"
            ),
        );
    }
    let first_group = file.jobs.iter().skip(1).take_while(|job| !job.stonewall).count() + 1;
    if file.jobs.iter().skip(first_group).any(|job| job.ramp_ns > 0) {
        note("ramp_time", "left out of the metrics for the jobs before the first stonewall only".to_owned());
    }
    notes
}
