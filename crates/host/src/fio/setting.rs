//! One option and its value, put into a job.

use super::blocks::SizeOptions;
use super::distribution::Distribution;
use super::engines::{self, Engine};
use super::files;
use super::job::{ExitWhat, JobAccess, JobSpec, MOST_BLOCK, MOST_CLONES, MOST_DEPTH};
use super::pace::Rate;
use super::pick::Service;
use super::placement::JobPlacement;
use super::value;
use super::zones::JobZones;

const SECOND_NS: u64 = 1_000_000_000;
const BLOCK: &str = "a multiple of 512 below 4g";
const BLOCK_IEC: &str =
    "a multiple of 512: with kb_base=1024, fio's default, 4k is 4096 bytes and 4KiB is 4000; write 4k";
/// Constant: greatest number of sizes in a `bssplit`, as in fio.
const MOST_SPLIT: usize = 64;
/// Constant: number of bytes of a page of a host's page cache; the error message for a block size that is no multiple
/// of 512 suggests a multiple of this number.
const PAGE: u64 = 4096;
const MOST_FILES: u64 = 1 << 20;
/// Constant list of the names of devices that hold no data, which a fio job must not use as its drive.
const NO_DRIVES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "-"];
/// Type of the error of parsers of fio option values: a text, for the error message, that says what was expected in
/// place of the wrong value.
type WrongSetting = std::borrow::Cow<'static, str>;
const ACCESS: &str =
    "read, write, trim, randread, randwrite, randtrim, rw, randrw, trimwrite or randtrimwrite";

/// Record that describes a fio option that shapes the requests and is modelled: its names, and whether it needs a
/// value.
pub struct Honoured {
    /// Main name of the fio option; the aliases are in `others`.
    pub name: &'static str,
    /// List of the aliases (further names) of the fio option.
    pub others: &'static [&'static str],
    /// True if the fio option may stand in a job file without a value.
    pub may_stand_alone: bool,
}

/// Macro that declares the fio options that shape the requests: main name, aliases, whether the option may stand
/// `alone` without a value, and how its value changes the job.
macro_rules! options {
    (
        ($job:ident, $text:ident, $base:ident, $number:ident, $duration:ident)
        $($name:literal $(| $other:literal)* $($alone:ident)? => $put:expr,)*
    ) => {
        /// Constant table of all fio options that shape the requests and are modelled.
        pub const HONOURED: &[Honoured] = &[$(Honoured {
            name: $name,
            others: &[$($other),*],
            may_stand_alone: options!(@ $($alone)?),
        }),*];

        /// Parses `text` as the value of the fio option `name` (its main name, no alias), and stores it in `job`.
        ///
        /// # Errors
        /// With a text of what was expected, when the option takes no such value.
        pub fn apply($job: &mut JobSpec, name: &str, $text: &str) -> Result<(), WrongSetting> {
            let $base = $job.kb_base;
            let $duration = |unit| value::time_ns($text, unit);
            let $number = || value::count($text, $base);
            match name {
                $($name => $put,)*
                other => unreachable!("{other} stands in the table of honoured options"),
            }
            Ok(())
        }
    };
    (@) => { false };
    (@ alone) => { true };
}

options! {
    (job, text, base, number, duration)
    "name" => job.name = text.to_owned(),
    "description" alone => {},
    // The run's seed decides, and clones of all jobs are reported as one group.
    "randrepeat" | "allrandrepeat" alone => drop(value::flag(text)?),
    "new_group" alone => job.new_group = value::flag(text)?,
    "verify" => job.verify = Some(text.to_owned()).filter(|text| text != "0" && text != "none"),
    "do_verify" alone => job.do_verify = value::flag(text)?,
    "verify_backlog" => job.verify_backlog = number()?,
    "verify_backlog_batch" => job.verify_batch = number()?,
    "verify_only" alone => job.verify_only = value::flag(text)?,
    "experimental_verify" alone => job.experimental_verify = value::flag(text)?,
    "serialize_overlap" alone => job.serialize_overlap = value::flag(text)?,
    // Which generator draws makes no difference, unless it needs no map.
    "random_generator" => {
        let each = [("tausworthe", false), ("tausworthe64", false), ("lfsr", true)];
        job.lfsr = one_of(text, &each, "tausworthe, tausworthe64 or lfsr")?;
    },
    "steadystate" | "ss" => job.steady.criterion(text, base)?,
    "steadystate_duration" | "ss_dur" => job.steady.duration_ns = duration(SECOND_NS)?,
    "steadystate_ramp_time" | "ss_ramp" => job.steady.ramp_ns = duration(SECOND_NS)?,
    "steadystate_check_interval" | "ss_interval" => {
        job.steady.interval_ns = duration(SECOND_NS)?;
    },
    "filename" => {
        let names = names(text);
        if names.iter().any(|name| NO_DRIVES.contains(&name.as_str())) {
            return Err("files or a drive: what is written there is thrown away".into());
        }
        job.filename = Some(names).filter(|names| !names.is_empty());
    },
    "directory" => job.directory = Some(names(text)),
    "filename_format" => job.filename_format = Some(text.to_owned()).filter(|text| !text.is_empty()),
    "nrfiles" | "nr_files" => job.nrfiles = between(number(), 0, MOST_FILES).ok_or("1 to 1048576 files")?,
    "openfiles" => job.openfiles = Some(number()?),
    "filesize" | "file_size" => job.filesize = file_size(text, base)?,
    "file_service_type" => job.service = Service::parse(text)?,
    "overwrite" alone => job.overwrite = value::flag(text)?,
    "io_submit_mode" => {
        job.offload = one_of(text, &[("inline", false), ("offload", true)], "inline or offload")?
    },
    "offset_align" => {
        let bytes = if number() == Ok(0) { 0 } else { block(text, base)? };
        job.offset_align = Some(bytes).filter(|bytes| *bytes > 0);
    },
    "rw_sequencer" => {
        job.identical =
            one_of(text, &[("sequential", false), ("identical", true)], "sequential or identical")?
    },
    "ioengine" => job.engine = Some(engine(text)?),
    "kb_base" => job.kb_base = kb_base(text)?,
    "rw" | "readwrite" => access(job, text)?,
    "rwmixread" => job.read_percent = value::percent(text)?,
    "rwmixwrite" => job.read_percent = 100 - value::percent(text)?,
    "bs" | "blocksize" => sizes(job, text, |sizes, text| block(text, base).map(|bytes| sizes.block = bytes))?,
    "bsrange" | "blocksize_range" => sizes(job, text, |sizes, text| range(text, base).map(|range| sizes.range = range))?,
    "bssplit" => sizes(job, text, |sizes, text| split(text, base).map(|split| sizes.set_split(split)))?,
    "blockalign" | "ba" => each(&mut job.align, text, |text| block(text, base).map(Some))?,
    "size" => job.size = not_zero(value::size(text, base)?, job.size),
    "io_size" | "io_limit" => {
        let given = not_zero(value::size(text, base)?, job.io_size);
        job.io_size = given.filter(|size| *size != value::Size::Percent(0));
    },
    "offset" | "fileoffset" => job.offset = aligned(text, base)?,
    "offset_increment" => job.offset_increment = aligned(text, base)?,
    "iodepth" => job.iodepth = between(number(), 1, MOST_DEPTH).ok_or("a depth from 1 to 65536")?,
    "numjobs" => {
        job.numjobs = between(number(), 1, MOST_CLONES).ok_or("1 to 4096 jobs, as many as fio runs")?
    },
    // Zero of any of these is the default, as in fio.
    "loops" => job.loops = number()?.max(1),
    // Zero means no end, as in fio.
    "runtime" | "timeout" => job.runtime_ns = Some(duration(SECOND_NS)?).filter(|ns| *ns > 0),
    "ramp_time" => job.ramp_ns = duration(SECOND_NS)?,
    "startdelay" => (job.delay_ns, job.delay_most_ns) = delay(text)?,
    "thinktime" => job.think_ns = duration(1_000)?,
    "thinktime_blocks" => {
        job.think_blocks = number()?.max(1);
    },
    "thinktime_blocks_type" => {
        job.think_by_issue = one_of(text, &[("complete", false), ("issue", true)], "complete or issue")?
    },
    "iodepth_batch_complete_min" | "iodepth_batch_complete" => job.refill.complete_min = number()?,
    "iodepth_low" => job.refill.depth_low = number()?,
    "wait_for" => job.wait_for = Some(text.to_owned()).filter(|name| name != "none"),
    "exitall" alone => drop(value::flag(text)?),
    "exit_what" => {
        let each =
            [("group", ExitWhat::Group), ("stonewall", ExitWhat::Stonewall), ("all", ExitWhat::All)];
        job.exit_what = one_of(text, &each, "group, stonewall or all")?;
    },
    "fill_device" | "fill_fs" alone => job.fill_device = value::flag(text)?,
    "time_based" alone => job.time_based = value::flag(text)?,
    "norandommap" alone => job.norandommap = value::flag(text)?,
    "softrandommap" => job.soft_random_map = value::flag(text)?,
    "stonewall" | "wait_for_previous" alone => job.stonewall = value::flag(text)?,
    "group_reporting" alone => job.group_reporting = value::flag(text)?,
    "random_distribution" => job.distribution = Distribution::parse_each(text, base)?,
    "percentage_random" => each(&mut job.random_percent, text, value::percent)?,
    "randseed" => job.seed = Some(text.trim().parse().map_err(|_| "a whole number")?),
    "rate" => each(&mut job.rate, text, |text| Rate::bytes(text, base))?,
    "rate_iops" => each(&mut job.rate_iops, text, |text| Rate::requests(text, base))?,
    "rate_process" => {
        job.poisson = one_of(text, &[("linear", false), ("poisson", true)], "linear or poisson")?
    },
    "end_fsync" | "fsync_on_close" alone => job.end_fsync = value::flag(text)?,
    "fsync" => job.flush_every[0] = number()?,
    "fdatasync" => job.flush_every[1] = number()?,
    "sync" => job.fua = synchronous(text)?,
    "writefua" => job.fua |= value::flag(text)?,
    "zonemode" => job.zones.mode(text)?,
    "zonesize" => job.zones.size = JobZones::length(text, base)?,
    "zonerange" => job.zones.range = JobZones::length(text, base)?,
    "zoneskip" => job.zones.skip = JobZones::length(text, base)?,
    "write_mode" => job.appends = one_of(text, &[("write", false), ("zone_append", true)], "write or zone_append: other commands do not exist on the drives")?,
    "max_open_zones" => job.zones.max_open = number()?,
    "job_max_open_zones" => job.zones.job_max_open = number()?,
    "zone_reset_threshold" => job.zones.reset_threshold = JobZones::part(text)?,
    "zone_reset_frequency" => job.zones.reset_frequency = JobZones::part(text)?,
    "read_beyond_wp" => job.zones.reads_beyond = value::flag(text)?,
    "dataplacement" | "data_placement" => job.placement.directive = Some(JobPlacement::directive(text)?),
    "fdp" alone => job.placement.fdp = value::flag(text)?,
    "plids" | "fdp_pli" => job.placement.identifiers = JobPlacement::identifiers(text)?,
    "plid_select" | "fdp_pli_select" => job.placement.selection = JobPlacement::selection(text)?,
    "dp_scheme" => job.placement.scheme = Some(text.trim().to_owned()),
    "write_hint" => job.placement.hint = JobPlacement::hint(text)?,
    "flow" => {
        job.flow.weight = between(number(), 0, 1000).ok_or("a weight from 1 to 1000, or 0 for none")?
    },
    "flow_id" => job.flow.id = number()?,
    "flow_sleep" => job.flow.rest_ns = duration(1_000)?,
    "max_latency" => each(&mut job.max_latency_ns, text, |text| value::time_ns(text, 1_000))?,
    "number_ios" => job.number_ios = Some(number()?).filter(|count| *count > 0),
}

/// Parses the value of the fio option `sync`; true for O_SYNC or O_DSYNC: Linux sends direct writes to a file opened so
/// with FUA.
fn synchronous(text: &str) -> Result<bool, &'static str> {
    match text.trim() {
        "none" | "0" => Ok(false),
        "sync" | "dsync" | "1" => Ok(true),
        _ => Err("none, sync or dsync"),
    }
}

/// Returns the value that the word `text` of a fio job option stands for in `each`, a list of words with their values;
/// the error text `expected` (the words allowed) if the list has no such word.
fn one_of<T: Copy>(text: &str, each: &[(&str, T)], expected: &'static str) -> Result<T, &'static str> {
    each.iter().find(|(word, _)| *word == text.trim()).map(|(_, value)| *value).ok_or(expected)
}

fn between(number: Result<u64, &'static str>, least: u64, most: u64) -> Option<u64> {
    number.ok().filter(|number| (least..=most).contains(number))
}

/// Returns the size that a fio option sets when `size` is given after the value `before`: zero restores the default, or
/// a percentage given before, as in fio.
fn not_zero(size: value::Size, before: Option<value::Size>) -> Option<value::Size> {
    let percent = before.filter(|before| matches!(before, value::Size::Percent(_)));
    if size == value::Size::Bytes(0) { percent } else { Some(size) }
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

/// Parses the value of the fio option `rw`, and stores the access kind and the randomness in `job`; a suffix `:N` makes
/// holes of N bytes between sequential requests, or makes N random requests share an offset.
fn access(job: &mut JobSpec, text: &str) -> Result<(), &'static str> {
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name.trim(), Some(rest)));
    (job.random, job.access) = match name {
        "read" => (false, JobAccess::Read),
        "write" => (false, JobAccess::Write),
        "trim" => (false, JobAccess::Trim),
        "randread" => (true, JobAccess::Read),
        "randwrite" => (true, JobAccess::Write),
        "randtrim" => (true, JobAccess::Trim),
        "rw" | "readwrite" => (false, JobAccess::ReadWrite),
        "randrw" => (true, JobAccess::ReadWrite),
        "trimwrite" => (false, JobAccess::TrimWrite),
        "randtrimwrite" => (true, JobAccess::TrimWrite),
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

/// Parses the value of the fio option `ioengine`, and accepts engines that do block I/O to a local drive.
fn engine(text: &str) -> Result<String, WrongSetting> {
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

/// Splits the value of a fio option, a list of file names or folders, at colons; a colon within a name has a backslash
/// before it.
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

/// Parses the fio option `filesize` into the least and the greatest length of each file in bytes; `None` for 0: the
/// length follows from `size`.
fn file_size(text: &str, base: u64) -> Result<Option<(u64, u64)>, &'static str> {
    let (least, most) = text.split_once(['-', ':']).unwrap_or((text, text));
    let (least, most) = (value::bytes(least, base)?, value::bytes(most, base)?);
    if least % 512 != 0 || most % 512 != 0 {
        return Err("multiples of 512, the drive's sector");
    }
    Ok(Some((least.min(most), least.max(most))).filter(|(least, _)| *least > 0))
}

/// Parses the fio option `startdelay` into a delay in nanoseconds and, if a range is given, its upper end.
fn delay(text: &str) -> Result<(u64, Option<u64>), &'static str> {
    match text.split_once('-') {
        None => Ok((value::time_ns(text, SECOND_NS)?, None)),
        Some((least, most)) => {
            Ok((value::time_ns(least, SECOND_NS)?, Some(value::time_ns(most, SECOND_NS)?)))
        }
    }
}

/// Applies `set` to the block size options of each direction (read, write, trim) for which the fio option value `text`
/// gives a value.
fn sizes(
    job: &mut JobSpec,
    text: &str,
    set: impl Fn(&mut SizeOptions, &str) -> Result<(), WrongSetting>,
) -> Result<(), WrongSetting> {
    for (sizes, text) in job.sizes.iter_mut().zip(value::by_direction(text)?) {
        if let Some(text) = text {
            set(sizes, text)?;
        }
    }
    Ok(())
}

/// Parses the fio option value `text`, such as `4k,8k`, and sets the elements of `values` (read, write, trim) for which
/// it gives a value.
fn each<T, E: From<&'static str>>(
    values: &mut [T; 3],
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<(), E> {
    for (value, text) in values.iter_mut().zip(value::by_direction(text)?) {
        if let Some(text) = text {
            *value = read(text)?;
        }
    }
    Ok(())
}

fn block(text: &str, base: u64) -> Result<u64, WrongSetting> {
    let bytes = value::bytes(text, base)?;
    if bytes > 0 && bytes % 512 == 0 && bytes <= MOST_BLOCK {
        return Ok(bytes);
    }
    if base == 1024 && text.contains(['i', 'I']) {
        return Err(BLOCK_IEC.into());
    }
    if bytes == 0 || bytes > MOST_BLOCK {
        return Err(BLOCK.into());
    }
    let pages_kib = bytes.div_ceil(PAGE) * (PAGE >> 10);
    Err(format!("{BLOCK}: a page cache writes such data in whole pages of 4 KiB, {pages_kib}k").into())
}

/// Parses a block size of a fio job in bytes, or 0, which stands for the size of `bs`.
fn block_or_zero(text: &str, base: u64) -> Result<u64, WrongSetting> {
    if value::bytes(text, base) == Ok(0) { Ok(0) } else { block(text, base) }
}

fn range(text: &str, base: u64) -> Result<(u64, u64), WrongSetting> {
    let (least, most) = text.split_once(['-', ':']).ok_or("a range such as 4k-64k")?;
    let (least, most) = (block_or_zero(least, base)?, block_or_zero(most, base)?);
    Ok((least.min(most), least.max(most)))
}

/// Parses a `bssplit` such as `4k/60:64k/40` into sizes with percentages, by fio's arithmetic: sizes with no
/// percentage, or 0, share the rest to 100; then the percentages are added up from the rarest size on, and the last
/// size gets the percentages that are missing, or loses the excess over 100.
fn split(text: &str, base: u64) -> Result<Vec<(u64, u64)>, WrongSetting> {
    let mut parts = Vec::new();
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (size, percent) = part.split_once('/').unwrap_or((part, "0"));
        // Of a range, which is none of fio's forms, it reads the first size.
        let size = size.split_once('-').map_or(size, |(first, _)| first);
        let percent = percent.trim().trim_end_matches('%');
        let percent = if percent.is_empty() { "0" } else { percent };
        let percent: u64 = percent.parse().map_err(|_| "sizes and percentages such as 4k/60:64k/40")?;
        parts.push((block_or_zero(size, base)?, percent.min(100)));
    }
    if parts.is_empty() || parts.len() > MOST_SPLIT {
        return Err("one to 64 sizes, as fio takes them".into());
    }
    // fio gives the whole to a size that stands alone, and none of it if a bsrange has others drawn after all.
    if let [(_, 0)] = parts[..] {
        return Ok(parts);
    }
    let given: u64 = parts.iter().map(|part| part.1).sum();
    let open = parts.iter().filter(|part| part.1 == 0).count() as u64;
    // With one such size fio takes a negative share for a large one, and makes requests of that size alone.
    if given > 100 && open > 0 {
        return Err("percentages of at most 100 in all beside sizes without one".into());
    }
    if open > 0 {
        parts.iter_mut().filter(|part| part.1 == 0).for_each(|part| part.1 = (100 - given) / open);
    }
    parts.sort_by_key(|part| part.1);
    let mut left = 100;
    for part in &mut parts {
        part.1 = part.1.min(left);
        left -= part.1;
    }
    let last = parts.iter().rposition(|part| part.1 > 0).unwrap_or(parts.len() - 1);
    parts[last].1 += left;
    Ok(parts)
}
