//! Which options a job may not have together.

use super::blocks::BlockSizes;
use super::distribution::Distribution;
use super::job::{JobAccess, JobSpec};
use super::pace::Rate;
use super::{flow, placement, steady, zones};
use crate::WorkloadError;

// Long: one condition after the other, each with its message.
/// Checks the options of a fio job against each other, once the whole section of the job is known.
///
/// # Errors
/// At options that contradict each other, or that fio takes for something else.
pub fn check(job: &JobSpec) -> Result<(), WorkloadError> {
    let wrong =
        |found: &str, expected: &str| Err(job.place.error(format!("job {}: {found}", job.name), expected));
    steady::check(&job.steady).or_else(|(found, expected)| wrong(&found, expected))?;
    if job.rate.iter().any(Option::is_some) && job.rate_iops.iter().any(Option::is_some) {
        return wrong("both rate and rate_iops", "one of them");
    }
    slowest(job).or_else(|(found, expected)| wrong(&found, expected))?;
    if job.nrfiles == 0 && job.filename.is_none() {
        return wrong("nrfiles=0 without filename", "nrfiles=1 or more: fio itself makes no request");
    }
    if job.verify_only && job.writes() && !job.only_reads_back() {
        return wrong(
            "verify_only without verify, or beside do_verify=0",
            "verify=crc32c or another method: fio itself makes no request",
        );
    }
    let never = |direction: &usize| match &job.blocks[*direction] {
        BlockSizes::Split(parts) => {
            let least = job.blocks[*direction].least();
            parts.iter().all(|(bytes, percent)| *bytes > least || *percent == 0)
        }
        _ => false,
    };
    if job.directions().iter().any(never) {
        return wrong(
            "bssplit with 0 percent of its shortest size",
            "a percentage of it, or a bssplit without it",
        );
    }
    if job.access == JobAccess::TrimWrite && job.number_ios.is_some() && job.loops > 1 {
        return wrong(
            "number_ios of trims and writes beside loops",
            "one of them: fio itself doubles the number with each loop",
        );
    }
    let is_on = |option: &str| job.options.get(option).is_some_and(|value| value != "0");
    if job.max_latency_ns != [0; 3] && is_on("exitall_on_error") {
        return wrong(
            "max_latency beside exitall_on_error",
            "one of them, or exitall: an error ends its own job here",
        );
    }
    let logs_latency = job.options.contains_key("write_lat_log");
    if is_on("log_issue_time") && !(is_on("log_offset") && logs_latency) {
        return wrong("log_issue_time alone", "write_lat_log and log_offset=1 beside it, as fio requires");
    }
    if job.experimental_verify && job.loops > 1 {
        return wrong(
            "experimental_verify beside loops",
            "one of them: fio itself reads back the first pass only",
        );
    }
    if job.is_paced() && job.options.get("iodepth_batch").is_some_and(|batch| batch != "1") {
        return wrong(
            "iodepth_batch beside a rate",
            "one of them: requests that are due would wait for others",
        );
    }
    let by_turns = job.access == JobAccess::ReadWrite && !job.random && job.is_synchronous();
    let again = job.loops > 1 || job.io_size.is_some();
    if by_turns && again && !job.time_based && (job.verify.is_some() || !job.do_verify) {
        return wrong(
            "rw=readwrite with verify or do_verify=0, and loops or io_size, on a synchronous engine",
            "one pass, or ioengine=libaio: fio itself goes on past the pass, and its last one ends in its midst",
        );
    }
    let popular =
        |one: &Distribution| !matches!(one, Distribution::Uniform | Distribution::Zoned(_)) && job.random;
    // fio counts blocks as long as the shorter of a read and a write, and places them as each direction says.
    let counted = job.blocks[0].least().min(job.blocks[1].least());
    let placed = |direction: usize| job.align[direction].unwrap_or(job.blocks[direction].least());
    let used = || job.directions().iter().copied();
    if used().any(|direction| popular(&job.distribution[direction]) && placed(direction) != counted) {
        return wrong(
            "random_distribution with reads, writes or a blockalign of different sizes",
            "one size: fio itself draws beyond the end of the file, and leaves it",
        );
    }
    if job.lfsr && job.random {
        lfsr(job).or_else(|(found, expected)| wrong(found, expected))?;
    }
    flow::check(job).or_else(|(found, expected)| wrong(found, expected))?;
    placement::check(job).or_else(|(found, expected)| wrong(found, expected))?;
    zones::check(job).or_else(|(found, expected)| wrong(found, expected))?;
    if job.access == JobAccess::TrimWrite && job.blocks[1] != job.blocks[2] {
        return wrong("trims and writes of different sizes", "one block size: each trimmed block is written");
    }
    Ok(())
}

/// Refuses a fio job with random (Poisson) gaps between requests (`rate_process=poisson`) whose rate limit in bytes per
/// second is below one request of the shortest size a second, a rate that fio cannot keep.
fn slowest(job: &JobSpec) -> Result<(), (String, &'static str)> {
    let none = |direction: usize| match job.rate_of(direction) {
        Some(Rate::BytesPerSecond(rate)) => rate < job.blocks[direction].least(),
        _ => false,
    };
    if job.poisson && job.directions().iter().any(|direction| none(*direction)) {
        let found = "rate_process=poisson with less than one block a second".to_owned();
        return Err((found, "a rate of one of the shortest blocks a second, or rate_process=linear"));
    }
    Ok(())
}

/// Refuses options that fio's linear-feedback shift register (`random_generator=lfsr`), which generates the order of
/// random blocks, does not support, as it needs blocks of one size over the whole file.
fn lfsr(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    let used = || job.directions().iter().copied();
    let first = job.blocks[job.directions()[0]].least();
    if used().any(|direction| matches!(job.distribution[direction], Distribution::Zoned(_))) {
        return Err(("lfsr beside zones", "random_generator=tausworthe64: fio's lfsr knows no zones"));
    }
    if used().any(|direction| job.blocks[direction] != BlockSizes::Fixed(first)) {
        return Err((
            "lfsr with blocks of several sizes",
            "one size, or random_generator=tausworthe64: fio's lfsr counts the smallest, and long ones overlap",
        ));
    }
    if used().any(|direction| job.align[direction].is_some_and(|align| align != first)) {
        return Err((
            "lfsr beside blockalign",
            "one of them, or random_generator=tausworthe64: fio's lfsr counts blocks, and leaves the file",
        ));
    }
    Ok(())
}
