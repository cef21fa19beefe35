//! What is to be said about a job file beside its results.

use super::blocks::BlockSizes;
use super::engines;
use super::files::FileRegion;
use super::job::{JobFile, JobSpec};
use super::pace::Rate;
use super::steady::Metric;
use super::verify::VerifyRule;

// Long: one note after the other.
/// Returns notes for the report, each with a topic and a text, on how the simulation takes the job file `file` on a
/// drive of `drive_bytes` bytes: options without effect, defaults, and peculiarities of fio.
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
        let is_parted = files.iter().any(|file| file.bytes < drive_bytes);
        let whole = if is_parted { "its namespaces" } else { &format!("the drive of {drive_bytes} bytes") };
        note("size", format!("not given, so the rest of {whole}: {jobs}"));
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
    if let Some(jobs) = names(&JobSpec::is_paced) {
        note("rate", format!("requests go out when due, as with io_submit_mode=offload: {jobs}"));
    }
    let made: Vec<String> = file.jobs.iter().flat_map(other_rates).collect();
    if !made.is_empty() {
        note(
            "rate in fio",
            format!("fio counts a rate in the shortest block, and gaps in whole us: {}", made.join(", ")),
        );
    }
    let overruled = |job: &JobSpec| {
        let is_other = |direction: &usize| {
            let sizes = &job.sizes[*direction];
            let (least, most) = (job.blocks[*direction].least(), job.blocks[*direction].most());
            sizes.range.1 > 0 && (least, most) != (sizes.block, sizes.block)
        };
        job.options.contains_key("bs") && job.directions().iter().any(is_other)
    };
    if let Some(jobs) = names(&overruled) {
        note("bs in fio", format!("a bsrange or bssplit overrules bs wherever they stand: {jobs}"));
    }
    let splits: Vec<String> = file.jobs.iter().filter_map(odd_split).collect();
    if !splits.is_empty() {
        note("bssplit in fio", splits.join(", "));
    }
    let steady: Vec<String> = file.jobs.iter().filter_map(odd_steady).collect();
    if !steady.is_empty() {
        note("steadystate in fio", steady.join(", "));
    }
    let null = |job: &JobSpec| job.engine.as_deref().is_some_and(|engine| engines::NULL.contains(&engine));
    if let Some(jobs) = names(&null) {
        note("ioengine", format!("null asks no drive at home; here its requests go to the drive: {jobs}"));
    }
    if let Some(jobs) = names(&|job| VerifyRule::of(job).is_some()) {
        note("verify", format!("what is written is read back, not compared (--check does that): {jobs}"));
    }
    let endless =
        |job: &JobSpec| !job.time_based && job.options.get("time_based").is_some_and(|value| value != "0");
    if let Some(jobs) = names(&endless) {
        note("time_based", format!("no runtime, so without effect, as in fio: {jobs}"));
    }
    if let Some(jobs) = names(&|job| job.time_based && job.number_ios.is_some()) {
        note("number_ios", format!("without effect beside time_based, as in fio: {jobs}"));
    }
    let one_map = |job: &JobSpec| {
        let least = |direction: &usize| job.blocks[*direction].least();
        job.has_map() && [1, 2].iter().any(|direction| least(direction) != least(&0))
    };
    if let Some(jobs) = names(&one_map) {
        note(
            "random map",
            format!(
                "reads, writes and trims of different sizes mark the same numbers, as in fio: it may end early: {jobs}"
            ),
        );
    }
    let first_group = file.jobs.iter().skip(1).take_while(|job| !job.stonewall).count() + 1;
    if file.jobs.iter().skip(first_group).any(|job| job.ramp_ns > 0) {
        note("ramp_time", "left out of the metrics for the jobs before the first stonewall only".to_owned());
    }
    notes
}

/// Returns one sentence for each direction of `job` for which fio makes a rate that differs by more than one percent
/// from the rate that the job asks for, or does not limit the rate at all.
fn other_rates(job: &JobSpec) -> Vec<String> {
    let one = |&direction: &usize| {
        let asked = match job.rate_of(direction)? {
            Rate::RequestsPerSecond(requests) => requests as f64,
            Rate::BytesPerSecond(bytes) => bytes as f64 / job.blocks[direction].mean(),
        };
        let kind = ["reads", "writes", "trims"][direction];
        let made = match job.rate_made(direction) {
            Some(made) if (made / asked - 1.0).abs() <= 0.01 => return None,
            Some(made) => format!("about {made:.0} {kind} a second"),
            None => format!("{kind} without a limit"),
        };
        Some(format!("job {} makes {made}, where {asked:.0} are asked for", job.name))
    };
    job.directions().iter().filter_map(one).collect()
}

/// Returns a note on how fio takes the `steadystate` options of `job` otherwise than they seem to say; `None` if it
/// does not.
fn odd_steady(job: &JobSpec) -> Option<String> {
    let steady = &job.steady;
    if !steady.is_on() {
        return None;
    }
    let mut said = Vec::new();
    let text = job.options.get("steadystate").map_or("", |text| text.trim());
    if steady.metric == Metric::Latency && !steady.percent && !text.ends_with("ns") {
        said.push(format!("takes the limit of {text} for {} ns", steady.limit));
    }
    let (asked, taken) = (steady.duration_ns / steady.interval_ns, steady.samples());
    if taken as u64 != asked {
        said.push(format!("looks at {taken} samples, where {asked} are asked for"));
    }
    let seconds = steady.interval_ns as f64 / 1e9;
    let factor = seconds * seconds * 1e3 / steady.divisor() as f64;
    if factor > 1.01 {
        said.push(format!(
            "takes rates for {factor:.3} times what they are, as the square of its interval is too long"
        ));
    }
    (!said.is_empty()).then(|| format!("fio {}: job {}", said.join(" and "), job.name))
}

/// Returns a note on how fio takes the `bssplit` of `job` otherwise than it seems to say; `None` if it does not.
fn odd_split(job: &JobSpec) -> Option<String> {
    let text = job.options.get("bssplit")?;
    let used = |blocks: &BlockSizes| matches!(blocks, BlockSizes::Split(_));
    if !job.directions().iter().any(|direction| used(&job.blocks[*direction])) {
        return None;
    }
    let mut said = Vec::new();
    if text.contains('-') {
        said.push("reads the first size of a range".to_owned());
    }
    for parts in text.split(',').filter(|parts| !parts.is_empty()) {
        let percents =
            || parts.split(':').map(|part| part.split_once('/').map_or("", |(_, percent)| percent));
        let number =
            |text: &str| text.trim().trim_end_matches('%').parse::<u64>().ok().filter(|number| *number > 0);
        let sum: u64 = percents().filter_map(number).sum();
        let open = percents().filter(|text| number(text).is_none()).count();
        let rest = match (sum, open) {
            (100, _) | (_, 1..) => continue,
            _ if sum < 100 => "gives what is missing to the size with the most",
            _ => "takes what is too much from the size with the most",
        };
        said.push(format!("{rest} of {sum} percent"));
    }
    said.dedup();
    (!said.is_empty()).then(|| format!("fio {}: job {}", said.join(" and "), job.name))
}
