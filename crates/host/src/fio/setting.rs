//! One option and its value, put into a job.

use super::distribution::Distribution;
use super::engines::{self, Engine};
use super::files;
use super::job::{Access, Blocks, ExitWhat, JobSpec, MOST_BLOCK, MOST_CLONES, MOST_DEPTH};
use super::pace::Rate;
use super::pick::Service;
use super::value;
use super::zones::Zones;

const SECOND_NS: u64 = 1_000_000_000;
const BLOCK: &str = "a multiple of 512 up to 1g";
const BLOCK_IEC: &str =
    "a multiple of 512: with kb_base=1024, fio's default, 4k is 4096 bytes and 4KiB is 4000; write 4k";
const MOST_FILES: u64 = 1 << 20;
/// Devices that hold nothing.
const NO_DRIVES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "-"];
/// What was expected; mostly the same whatever was found.
type Wrong = std::borrow::Cow<'static, str>;
const ACCESS: &str =
    "read, write, trim, randread, randwrite, randtrim, rw, randrw, trimwrite or randtrimwrite";

// Long: a line for each option.
/// Sets option `name` (its first name) of `job` to what `text` says.
///
/// # Errors
/// With what was expected, when the value is none of this option's.
pub fn apply(job: &mut JobSpec, name: &str, text: &str) -> Result<(), Wrong> {
    let base = job.kb_base;
    let duration = |unit| value::time_ns(text, unit);
    let number = || value::count(text, base);
    match name {
        "name" => job.name = text.to_owned(),
        "description" => {}
        // The run's seed decides, and clones of all jobs are reported as one group.
        "randrepeat" => drop(value::flag(text)?),
        "new_group" => job.new_group = value::flag(text)?,
        "verify" => job.verify = Some(text.to_owned()).filter(|text| text != "0" && text != "none"),
        "do_verify" => job.do_verify = value::flag(text)?,
        "verify_backlog" => job.verify_backlog = number()?,
        "verify_backlog_batch" => job.verify_batch = number()?,
        "verify_only" => job.verify_only = value::flag(text)?,
        "experimental_verify" => job.experimental_verify = value::flag(text)?,
        "serialize_overlap" => job.serialize_overlap = value::flag(text)?,
        // Which random numbers makes no difference, but for those that need no map.
        "random_generator" => {
            let each = [("tausworthe", false), ("tausworthe64", false), ("lfsr", true)];
            job.lfsr = one_of(text, &each, "tausworthe, tausworthe64 or lfsr")?;
        }
        "steadystate" => job.steady.criterion(text, base)?,
        "steadystate_duration" => job.steady.duration_ns = duration(SECOND_NS)?,
        "steadystate_ramp_time" => job.steady.ramp_ns = duration(SECOND_NS)?,
        "steadystate_check_interval" => {
            let interval = Some(duration(SECOND_NS)?).filter(|ns| *ns > 0);
            job.steady.interval_ns = interval.ok_or("a time above 0")?;
        }
        "filename" => {
            let names = names(text);
            if names.iter().any(|name| NO_DRIVES.contains(&name.as_str())) {
                return Err("files or a drive: what is written there is thrown away".into());
            }
            job.filename = Some(names).filter(|names| !names.is_empty());
        }
        "directory" => job.directory = Some(names(text)),
        "filename_format" => job.filename_format = Some(text.to_owned()).filter(|text| !text.is_empty()),
        "nrfiles" => job.nrfiles = between(number(), 1, MOST_FILES).ok_or("1 to 1048576 files")?,
        "openfiles" => job.openfiles = Some(number()?),
        "filesize" => job.filesize = file_size(text, base)?,
        "file_service_type" => job.service = Service::parse(text)?,
        "overwrite" => job.overwrite = value::flag(text)?,
        "io_submit_mode" => {
            job.offload = one_of(text, &[("inline", false), ("offload", true)], "inline or offload")?
        }
        "offset_align" => job.offset_align = Some(block(text, base)?),
        "rw_sequencer" => {
            job.identical =
                one_of(text, &[("sequential", false), ("identical", true)], "sequential or identical")?
        }
        "ioengine" => job.engine = Some(engine(text)?),
        "kb_base" => job.kb_base = kb_base(text)?,
        "rw" => access(job, text)?,
        "rwmixread" => job.read_percent = value::percent(text)?,
        "rwmixwrite" => job.read_percent = 100 - value::percent(text)?,
        "bs" => each(&mut job.blocks, text, |text| block(text, base).map(Blocks::Fixed))?,
        "bsrange" => ranges(job, text, base)?,
        "bssplit" => each(&mut job.blocks, text, |text| split(text, base))?,
        "blockalign" => each(&mut job.align, text, |text| block(text, base).map(Some))?,
        "size" => job.size = value::size(text, base).map(not_zero)?,
        "io_size" => job.io_size = value::size(text, base).map(not_zero)?,
        "offset" => job.offset = aligned(text, base)?,
        "offset_increment" => job.offset_increment = aligned(text, base)?,
        "iodepth" => job.iodepth = between(number(), 1, MOST_DEPTH).ok_or("a depth from 1 to 65536")?,
        "numjobs" => {
            job.numjobs = between(number(), 1, MOST_CLONES).ok_or("1 to 4096 jobs, as many as fio runs")?
        }
        "loops" => job.loops = between(number(), 1, u64::MAX).ok_or("a number of loops from 1 on")?,
        // Zero means no end, as in fio.
        "runtime" => job.runtime_ns = Some(duration(SECOND_NS)?).filter(|ns| *ns > 0),
        "ramp_time" => job.ramp_ns = duration(SECOND_NS)?,
        "startdelay" => (job.delay_ns, job.delay_most_ns) = delay(text)?,
        "thinktime" => job.think_ns = duration(1_000)?,
        "thinktime_blocks" => {
            job.think_blocks = between(number(), 1, u64::MAX).ok_or("a number from 1 on")?
        }
        "thinktime_blocks_type" => {
            job.think_by_issue = one_of(text, &[("complete", false), ("issue", true)], "complete or issue")?
        }
        "iodepth_batch_complete_min" => job.complete_min = number()?,
        "iodepth_low" => job.depth_low = number()?,
        "wait_for" => job.wait_for = Some(text.to_owned()).filter(|name| name != "none"),
        "exitall" => drop(value::flag(text)?),
        "exit_what" => {
            let each =
                [("group", ExitWhat::Group), ("stonewall", ExitWhat::Stonewall), ("all", ExitWhat::All)];
            job.exit_what = one_of(text, &each, "group, stonewall or all")?;
        }
        "fill_device" => job.fill_device = value::flag(text)?,
        "time_based" => job.time_based = value::flag(text)?,
        "norandommap" => job.norandommap = value::flag(text)?,
        "stonewall" => job.stonewall = value::flag(text)?,
        "group_reporting" => job.group_reporting = value::flag(text)?,
        "random_distribution" => job.distribution = Distribution::parse_each(text, base)?,
        "percentage_random" => each(&mut job.random_percent, text, value::percent)?,
        "randseed" => job.seed = Some(text.trim().parse().map_err(|_| "a whole number")?),
        "rate" => each(&mut job.rate, text, |text| Rate::bytes(text, base).map(Some))?,
        "rate_iops" => each(&mut job.rate_iops, text, |text| Rate::requests(text, base).map(Some))?,
        "rate_process" => {
            job.poisson = one_of(text, &[("linear", false), ("poisson", true)], "linear or poisson")?
        }
        "end_fsync" => job.end_fsync = value::flag(text)?,
        "fsync" => job.flush_every[0] = number()?,
        "fdatasync" => job.flush_every[1] = number()?,
        "sync" => job.fua = synchronous(text)?,
        "writefua" => job.fua |= value::flag(text)?,
        "zonemode" => job.zones.mode(text)?,
        "zonesize" => job.zones.size = Zones::length(text, base)?,
        "zonerange" => job.zones.range = Zones::length(text, base)?,
        "zoneskip" => job.zones.skip = Zones::length(text, base)?,
        "flow" => {
            job.flow.weight = between(number(), 0, 1000).ok_or("a weight from 1 to 1000, or 0 for none")?
        }
        "flow_id" => job.flow.id = number()?,
        "flow_sleep" => job.flow.rest_ns = duration(1_000)?,
        "max_latency" => each(&mut job.max_latency_ns, text, |text| value::time_ns(text, 1_000))?,
        "number_ios" => job.number_ios = Some(number()?).filter(|count| *count > 0),
        other => unreachable!("{other} stands in the table of honoured options"),
    }
    Ok(())
}

/// `O_SYNC` or `O_DSYNC`: Linux sends direct writes so opened with FUA.
fn synchronous(text: &str) -> Result<bool, &'static str> {
    match text.trim() {
        "none" | "0" => Ok(false),
        "sync" | "dsync" | "1" => Ok(true),
        _ => Err("none, sync or dsync"),
    }
}

/// What one of several words stands for.
fn one_of<T: Copy>(text: &str, each: &[(&str, T)], expected: &'static str) -> Result<T, &'static str> {
    each.iter().find(|(word, _)| *word == text.trim()).map(|(_, value)| *value).ok_or(expected)
}

fn between(number: Result<u64, &'static str>, least: u64, most: u64) -> Option<u64> {
    number.ok().filter(|number| (least..=most).contains(number))
}

/// A size of zero means the default, as in fio.
fn not_zero(size: value::Size) -> Option<value::Size> {
    (size != value::Size::Bytes(0)).then_some(size)
}

fn aligned(text: &str, base: u64) -> Result<value::Size, &'static str> {
    match value::size(text, base)? {
        value::Size::Bytes(bytes) if bytes % 512 != 0 => Err("a multiple of 512, the drive's sector"),
        size => Ok(size),
    }
}

fn kb_base(text: &str) -> Result<u64, &'static str> {
    match text {
        "1000" => Ok(1000),
        "1024" => Ok(1024),
        _ => Err("1000 or 1024"),
    }
}

/// What a job does; `:N` makes holes between sequential requests, or has so many random ones share an offset.
fn access(job: &mut JobSpec, text: &str) -> Result<(), &'static str> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name.trim(), Some(rest)));
    (job.random, job.access) = match name {
        "read" => (false, Access::Read),
        "write" => (false, Access::Write),
        "trim" => (false, Access::Trim),
        "randread" => (true, Access::Read),
        "randwrite" => (true, Access::Write),
        "randtrim" => (true, Access::Trim),
        "rw" | "readwrite" => (false, Access::ReadWrite),
        "randrw" => (true, Access::ReadWrite),
        "trimwrite" => (false, Access::TrimWrite),
        "randtrimwrite" => (true, Access::TrimWrite),
        _ => return Err(ACCESS),
    };
    (job.hole, job.sequence) = (0, 1);
    let Some(rest) = rest else { return Ok(()) };
    if job.random {
        job.sequence = between(value::count(rest, job.kb_base), 1, u64::from(u32::MAX))
            .ok_or("the number of requests that share an offset after the colon, from 1 on")?;
        return Ok(());
    }
    const HOLE: &str = "a multiple of 512 bytes after the colon, such as 8k or -8k";
    let (sign, digits) = rest.trim().strip_prefix('-').map_or((1, rest), |digits| (-1, digits));
    let bytes = value::bytes(digits, job.kb_base).map_err(|_| HOLE)?;
    if bytes % 512 != 0 {
        return Err(HOLE);
    }
    job.hole = sign * bytes as i64;
    Ok(())
}

/// An engine that does block I/O to a local drive.
fn engine(text: &str) -> Result<String, Wrong> {
    match engines::find(text) {
        Some(Engine::Other(what)) => {
            Err(format!("an engine that does block I/O, such as libaio, io_uring or psync: {text} {what}")
                .into())
        }
        Some(_) => Ok(text.to_owned()),
        None => {
            let near =
                engines::nearest(text).map_or_else(String::new, |near| format!("; did you mean {near}?"));
            Err(format!("one of fio's engines, such as libaio, io_uring or psync{near}").into())
        }
    }
}

/// Names parted by colons; a colon that belongs to a name has a backslash before it.
fn names(text: &str) -> Vec<String> {
    // A raw device of Windows, an address of a controller: not a list.
    if text.starts_with(r"\\") || (files::is_device(text) && !text.starts_with("/dev/")) {
        return vec![text.replace(r"\:", ":")];
    }
    let mut names = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => {
                names.last_mut().expect("one at least").extend(letters.next());
            }
            ':' => names.push(String::new()),
            _ => names.last_mut().expect("one at least").push(letter),
        }
    }
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The length of each file, or a range of lengths; 0 leaves it to `size`.
fn file_size(text: &str, base: u64) -> Result<Option<(u64, u64)>, &'static str> {
    let (least, most) = text.split_once(['-', ':']).unwrap_or((text, text));
    let (least, most) = (value::bytes(least, base)?, value::bytes(most, base)?);
    if least % 512 != 0 || most % 512 != 0 {
        return Err("multiples of 512, the drive's sector");
    }
    Ok(Some((least.min(most), least.max(most))).filter(|(least, _)| *least > 0))
}

/// A wait, or the range it is drawn from.
fn delay(text: &str) -> Result<(u64, Option<u64>), &'static str> {
    match text.split_once('-') {
        None => Ok((value::time_ns(text, SECOND_NS)?, None)),
        Some((least, most)) => {
            Ok((value::time_ns(least, SECOND_NS)?, Some(value::time_ns(most, SECOND_NS)?)))
        }
    }
}

/// A range. As in fio a `bssplit` before it, be it of another section, stays in force within the range; `bs` ends it.
fn ranges(job: &mut JobSpec, text: &str, base: u64) -> Result<(), &'static str> {
    let mut given = [None, None, None];
    each(&mut given, text, |text| range(text, base).map(Some))?;
    for (blocks, given) in job.blocks.iter_mut().zip(given) {
        let Some(given) = given else { continue };
        let (least, most) = (given.least(), given.most());
        let Blocks::Split(parts) = blocks else {
            *blocks = given;
            continue;
        };
        if parts.iter().any(|part| part.0 < least) {
            return Err("a range from the shortest size of the bssplit before it, which stays in force");
        }
        parts.iter_mut().for_each(|part| part.0 = (part.0 - part.0 % least).min(most));
    }
    Ok(())
}

/// Sets the directions that the text gives a value for.
fn each<T>(
    values: &mut [T; 3],
    text: &str,
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<(), &'static str> {
    for (value, text) in values.iter_mut().zip(value::by_direction(text)?) {
        if let Some(text) = text {
            *value = read(text)?;
        }
    }
    Ok(())
}

fn block(text: &str, base: u64) -> Result<u64, &'static str> {
    let bytes = value::bytes(text, base)?;
    if bytes > 0 && bytes % 512 == 0 && bytes <= MOST_BLOCK {
        return Ok(bytes);
    }
    Err(if base == 1024 && text.contains(['i', 'I']) { BLOCK_IEC } else { BLOCK })
}

fn range(text: &str, base: u64) -> Result<Blocks, &'static str> {
    let (least, most) = text.split_once(['-', ':']).ok_or("a range such as 4k-64k")?;
    let (least, most) = (block(least, base)?, block(most, base)?);
    Ok(Blocks::Range(least.min(most), least.max(most)))
}

/// `4k/60:64k/40`; sizes without a percentage share what is left.
fn split(text: &str, base: u64) -> Result<Blocks, &'static str> {
    const EXPECTED: &str = "sizes and percentages such as 4k/60:64k/40, adding up to 100";
    let mut parts = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = if percent.is_empty() { None } else { Some(value::percent(percent)?) };
        parts.push((block(size, base)?, percent));
    }
    if parts.len() > 100 {
        return Err("at most 100 sizes");
    }
    let given: u64 = parts.iter().filter_map(|part| part.1).sum();
    let open = parts.iter().filter(|part| part.1.is_none()).count() as u64;
    let left = 100u64.checked_sub(given).ok_or(EXPECTED)?;
    if (open == 0 && left > 0) || (open > 0 && left < open) {
        return Err(EXPECTED);
    }
    // What does not divide evenly goes to the first sizes, one percent each.
    let mut shared = (0..open).map(|index| left / open + u64::from(index < left % open));
    let parts =
        parts.into_iter().map(|(size, percent)| (size, percent.or_else(|| shared.next()).unwrap_or(0)));
    Ok(Blocks::Split(parts.filter(|part| part.1 > 0).collect()))
}
