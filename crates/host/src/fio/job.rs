//! What one job section asks for, and how the sections of a file become jobs.

use super::blocks::{BlockSizes, SizeOptions};
use super::check::check;
use super::distribution::Distribution;
use super::engines::{self, Engine};
use super::flow::{self, FlowOptions};
use super::hold::RefillOptions;
use super::keys::{self, Fate};
use super::lexer::Item;
use super::pace::Rate;
use super::pick::Service;
use super::placement::JobPlacement;
use super::setting;
use super::steady::{self, Steady};
use super::value::Size;
use super::written::JobPlace;
use super::zones::JobZones;
use crate::WorkloadError;
use std::collections::BTreeMap;

/// Constant: greatest number of clones of all jobs of a fio job file together, which is fio's own limit.
pub const MOST_CLONES: u64 = 4_096;
/// Constant limit of the option `iodepth`: greatest number of requests that one fio job clone may have in flight.
pub const MOST_DEPTH: u64 = 65_536;
/// Constant: greatest length of a request (block size) of a fio job in bytes: whole sectors, and below 2^32.
pub const MOST_BLOCK: u64 = (1 << 32) - 512;

/// One of the kinds of access that a fio job can have: which of reads, writes and trims the job makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobAccess {
    /// Case of access: the fio job only reads.
    #[default]
    Read,
    /// Case of access: the fio job only writes.
    Write,
    /// Case of access: the fio job only trims.
    Trim,
    /// Case of access: each request of the fio job is drawn to be a read or a write, at sequential or random offsets.
    ReadWrite,
    /// Case of access: the fio job trims each block, then writes the block.
    TrimWrite,
}

/// Choice of the fio option `exit_what`: which other jobs end when a job ends, where `exitall` is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitWhat {
    /// Choice: when a fio job ends, the jobs of its group end with it; groups are separated by `new_group` and
    /// `stonewall`.
    #[default]
    Group,
    /// Choice: when a fio job ends, all jobs that have begun end with it.
    Stonewall,
    /// Choice: when a fio job ends, all jobs end with it, begun or not.
    All,
}

/// Set of options of one job of a fio job file, with the options that it inherits from `[global]`. Arrays are by
/// direction: read, write, trim.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Name of the fio job: the name of the job's section, or the value of `name=`.
    pub name: String,
    /// Place in the fio job file where the section of the job starts.
    pub place: JobPlace,
    /// Setting of a fio job, from `rw`: the job's kind of access, that is, which of reads, writes and trims it makes.
    pub access: JobAccess,
    /// True if the fio job's requests are at random offsets; false if their offsets are sequential.
    pub random: bool,
    /// Percentage of reads among the requests of a fio job that reads and writes.
    pub read_percent: u64,
    /// Setting: kinds of request sizes of the fio job, one for each direction: one size, a range, or a table of sizes.
    pub blocks: [BlockSizes; 3],
    /// Setting of a fio job: its options `bs`, `bsrange`, `bssplit` by direction, from which `blocks` follows.
    pub sizes: [SizeOptions; 3],
    /// Number of bytes of which the fio job's random offsets are multiples (`blockalign`); none: the shortest block.
    pub align: [Option<u64>; 3],
    /// Length of the fio job's region, in bytes or as a percentage; the rest of the drive or file when not given.
    pub size: Option<Size>,
    /// Start of the fio job's region in its file or drive: a number of bytes, or a percentage.
    pub offset: Size,
    /// Distance between the starts of the regions of successive fio job clones, in bytes or as a percentage.
    pub offset_increment: Size,
    /// Amount of data that the fio job transfers per loop (`io_size`), in bytes or percent; none: the region's length.
    pub io_size: Option<Size>,
    /// Queue depth: greatest number of requests in flight with an asynchronous engine; [`Self::depth`] gives the
    /// effective number.
    pub iodepth: u64,
    /// Number of clones of the fio job (`numjobs`): instances that run at the same time, each with its own queue.
    pub numjobs: u64,
    /// Run time of the fio job in ns, counted from the end of the ramp, after which the job ends; none: no limit.
    pub runtime_ns: Option<u64>,
    /// True if the fio job repeats its passes over its files until its run time is over (`time_based`).
    pub time_based: bool,
    /// Length of the fio job's ramp, the time at the beginning that metrics leave out, in ns.
    pub ramp_ns: u64,
    /// Number of passes over the fio job's files (`loops`).
    pub loops: u64,
    /// Delay of the fio job in ns (`startdelay`): the job does not start before this time from the start of the run.
    pub delay_ns: u64,
    /// Greatest delay of the fio job in ns, where `startdelay` gives a range from `delay_ns` on to draw it from.
    pub delay_most_ns: Option<u64>,
    /// Setting: kinds of distribution of the fio job's random accesses, one for each direction.
    pub distribution: [Distribution; 3],
    /// Percentage, for each direction, of a random fio job's accesses that are at random offsets; others are
    /// sequential.
    pub random_percent: [u64; 3],
    /// True if the fio job may access blocks again before all blocks have been accessed (`norandommap`).
    pub norandommap: bool,
    /// True if fio may leave out a block map that does not fit memory (`softrandommap`). Here such a map always fits;
    /// the option changes only the order of verification.
    pub soft_random_map: bool,
    /// True if the fio job orders its random accesses by a shift register (`random_generator=lfsr`): without a map,
    /// each block is accessed once before any is repeated.
    pub lfsr: bool,
    /// Seed of the fio job's random numbers, where the job sets one.
    pub seed: Option<u64>,
    /// Limit on the fio job's rate in bytes per second (`rate`), by direction; none: no limit.
    pub rate: [Option<Rate>; 3],
    /// Limit on the fio job's rate in requests per second (`rate_iops`), by direction; none: no limit.
    pub rate_iops: [Option<Rate>; 3],
    /// True if the gaps between requests of a fio job with a rate are exponentially distributed (Poisson arrivals).
    pub poisson: bool,
    /// Length in ns of the fio job's pause after each `think_blocks` requests (`thinktime`); 0: no pauses.
    pub think_ns: u64,
    /// Number of requests of the fio job between two pauses (`thinktime_blocks`).
    pub think_blocks: u64,
    /// True if the fio job's requests between pauses are counted when they are issued; false if they are counted when
    /// they complete.
    pub think_by_issue: bool,
    /// Setting of the fio job: when its queue is refilled after it was full (`iodepth_low` and other options).
    pub refill: RefillOptions,
    /// Name of the earlier fio jobs that must end before this job starts (`wait_for`).
    pub wait_for: Option<String>,
    /// Setting: which other fio jobs end when this job ends, where the job file has `exitall`.
    pub exit_what: ExitWhat,
    /// True if the fio job writes until the drive is full (`fill_device`).
    pub fill_device: bool,
    /// True if the fio job waits until all jobs before it in the file are done (`stonewall`).
    pub stonewall: bool,
    /// True if the clones of the fio job are reported together (`group_reporting`).
    pub group_reporting: bool,
    /// Names of the files or devices that the fio job works on (`filename`); none: the job has files of its own.
    pub filename: Option<Vec<String>>,
    /// List of the folders in front of the names of the fio job's own files, which the clones take in turn.
    pub directory: Option<Vec<String>>,
    /// Format of the names of the job's own files (`filename_format`), where it is not fio's default.
    pub filename_format: Option<String>,
    /// Number of the fio job's own files per clone.
    pub nrfiles: u64,
    /// Greatest number of files that the fio job works on at a time; none: all.
    pub openfiles: Option<u64>,
    /// Least and greatest length in bytes of each file of the fio job, from which the length is drawn (`filesize`).
    pub filesize: Option<(u64, u64)>,
    /// Setting: order in which the fio job's files get requests (`file_service_type`).
    pub service: Service,
    /// Number of bytes to a multiple of which a fio job's offset in percent is rounded up; none: the shortest block.
    pub offset_align: Option<u64>,
    /// True if the files of the fio job are written before the clock starts even where no job reads them.
    pub overwrite: bool,
    /// Name of the fio job's I/O engine (`ioengine`), where it is given.
    pub engine: Option<String>,
    /// True if other threads submit the requests of the fio job, so that even a synchronous engine has several requests
    /// in flight (`io_submit_mode=offload`).
    pub offload: bool,
    /// Number of bytes (hole) that a sequential fio job skips between requests; negative: the job goes backwards.
    pub hole: i64,
    /// Number of successive requests of a random fio job for which one random offset is drawn.
    pub sequence: u64,
    /// True if the fio job's requests after a random one have its offset (`identical`); false if they continue there.
    pub identical: bool,
    /// True if the fio job issues a flush after the last write of each loop.
    pub end_fsync: bool,
    /// Two numbers of writes (for `fsync`, for `fdatasync`) after which the fio job issues a flush; 0: never.
    pub flush_every: [u64; 2],
    /// True if writes of the fio job must be on durable storage when the drive acknowledges them (`sync=`, `writefua`).
    pub fua: bool,
    /// Field of a fio job: settings for the placement identifiers of its writes.
    pub placement: JobPlacement,
    /// Greatest number of requests that the fio job makes per loop (`number_ios`); none: no limit.
    pub number_ios: Option<u64>,
    /// Field of a fio job: settings of the steady-state detection that ends the job, where it has one.
    pub steady: Steady,
    /// Field of a fio job: settings of the zones (`zonemode`) in which it works, its own or the drive's.
    pub zones: JobZones,
    /// True if the writes of the fio job are zone appends.
    pub appends: bool,
    /// Setting: options of the fio job's flow, which keeps the requests of several jobs in proportion to each other.
    pub flow: FlowOptions,
    /// Latency in ns beyond which a request ends its fio job clone (`max_latency`), by direction; 0: no limit.
    pub max_latency_ns: [u64; 3],
    /// True if the fio job begins a new group of jobs (`new_group`), which is reported apart.
    pub new_group: bool,
    /// Name of the method by which the fio job verifies its written data (`verify`); none: the job verifies nothing.
    pub verify: Option<String>,
    /// True if the fio job reads back its written data (`do_verify`), where `verify` asks for verification.
    pub do_verify: bool,
    /// Number of writes of the fio job between two rounds of reading data back to verify them (`verify_backlog`); 0:
    /// one round after each pass over the files.
    pub verify_backlog: u64,
    /// Number of requests that a fio job reads back in a round (`verify_backlog_batch`); 0: as many as
    /// `verify_backlog`.
    pub verify_batch: u64,
    /// True if the fio job writes nothing, and only reads back the data that a run of the job would have written.
    pub verify_only: bool,
    /// True if the blocks to read back are computed from the fio job's options (`experimental_verify`); false if the
    /// job's writes are recorded for the read-back.
    pub experimental_verify: bool,
    /// True if a request of the fio job waits while it overlaps a request of the same clone that is in flight.
    pub serialize_overlap: bool,
    /// Table of all options of the fio job as written, with inherited ones: the main name and the value of each.
    pub options: BTreeMap<String, String>,
    /// Number of bytes that `k` means in sizes, 1024 or 1000 (fio's `kb_base`).
    pub kb_base: u64,
}

impl JobSpec {
    // Long: the default of each option.
    fn new(place: JobPlace) -> Self {
        Self {
            name: "global".to_owned(),
            place,
            access: JobAccess::Read,
            random: false,
            read_percent: 50,
            blocks: std::array::from_fn(|_| BlockSizes::Fixed(4096)),
            sizes: std::array::from_fn(|_| SizeOptions::default()),
            align: [None; 3],
            size: None,
            offset: Size::Bytes(0),
            offset_increment: Size::Bytes(0),
            io_size: None,
            iodepth: 1,
            numjobs: 1,
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            loops: 1,
            delay_ns: 0,
            delay_most_ns: None,
            distribution: [Distribution::Uniform, Distribution::Uniform, Distribution::Uniform],
            random_percent: [100; 3],
            norandommap: false,
            soft_random_map: false,
            lfsr: false,
            seed: None,
            rate: [None; 3],
            rate_iops: [None; 3],
            poisson: false,
            think_ns: 0,
            think_blocks: 1,
            think_by_issue: false,
            refill: RefillOptions::default(),
            wait_for: None,
            exit_what: ExitWhat::default(),
            fill_device: false,
            stonewall: false,
            group_reporting: false,
            filename: None,
            directory: None,
            filename_format: None,
            nrfiles: 1,
            openfiles: None,
            filesize: None,
            service: Service::default(),
            offset_align: None,
            overwrite: false,
            engine: None,
            offload: false,
            hole: 0,
            sequence: 1,
            identical: false,
            end_fsync: false,
            flush_every: [0; 2],
            fua: false,
            placement: JobPlacement::default(),
            number_ios: None,
            steady: Steady::default(),
            zones: JobZones::default(),
            appends: false,
            flow: FlowOptions::default(),
            max_latency_ns: [0; 3],
            new_group: false,
            verify: None,
            do_verify: true,
            verify_backlog: 0,
            verify_batch: 0,
            verify_only: false,
            experimental_verify: false,
            serialize_overlap: false,
            options: BTreeMap::new(),
            kb_base: 1024,
        }
    }

    /// Returns true if the clones of the fio job issue one request at a time, because the engine is synchronous and
    /// requests are not handed to other threads.
    pub fn is_synchronous(&self) -> bool {
        let engine = self.engine.as_deref().unwrap_or(engines::DEFAULT);
        engines::find(engine) == Some(Engine::Sync) && !self.offload
    }

    /// Returns the greatest number of requests that a clone of the fio job has in flight.
    pub fn depth(&self) -> u64 {
        if self.is_synchronous() { 1 } else { self.iodepth }
    }

    /// Returns true if results report the fio job's several clones as one (`group_reporting`), which logs of the single
    /// clones, such as `write_lat_log`, prevent.
    pub fn reports_together(&self) -> bool {
        let logs = ["write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"];
        let each = self.options.get("per_job_logs").is_none_or(|value| value != "0");
        let has_logs = each && logs.iter().any(|log| self.options.contains_key(*log));
        self.group_reporting && self.numjobs > 1 && !has_logs
    }

    /// Computes the request sizes of each direction from the fio job's block size options, and stores them.
    fn blocks_of_sizes(&mut self) -> Result<(), WorkloadError> {
        for (blocks, sizes) in self.blocks.iter_mut().zip(&self.sizes) {
            *blocks = sizes.blocks().map_err(|(found, expected)| {
                self.place.error(format!("job {}: {found}", self.name), expected)
            })?;
        }
        Ok(())
    }

    /// Returns true if the fio job reads as part of its workload, not only for verification.
    pub fn reads(&self) -> bool {
        matches!(self.access, JobAccess::Read | JobAccess::ReadWrite)
    }

    /// Returns true if the fio job writes, also after trims.
    pub fn writes(&self) -> bool {
        matches!(self.access, JobAccess::Write | JobAccess::ReadWrite | JobAccess::TrimWrite)
    }

    /// Returns true if the fio job writes nothing and reads back the data that it would have written (`verify_only`).
    pub fn only_reads_back(&self) -> bool {
        self.verify_only && self.writes() && self.verify.is_some() && self.do_verify
    }

    /// Returns the directions that the fio job uses, as indices: read 0, write 1, trim 2.
    pub fn directions(&self) -> &'static [usize] {
        match self.access {
            JobAccess::Read => &[0],
            JobAccess::Write => &[1],
            JobAccess::Trim => &[2],
            JobAccess::ReadWrite => &[0, 1],
            JobAccess::TrimWrite => &[1, 2],
        }
    }
}

/// Record of a parsed fio job file: its jobs, and the options that hold for the whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFile {
    /// Name of the parsed fio job file: its path, or a name that the caller of the parser gave to the text.
    pub name: String,
    /// List of all fio jobs of the file in order, at least one.
    pub jobs: Vec<JobSpec>,
    /// True if `exitall` is given: the first fio job of the file that ends may end other jobs.
    pub exitall: bool,
    /// Names of fio options in the job file that were accepted and have no effect, each once, in order of appearance.
    pub ignored: Vec<String>,
}

/// Constant list of the words in values of a fio job file that fio replaces by numbers of the machine that it runs on
/// (page size, memory, CPUs); a job file with such a word is refused.
const MACHINE: &[&str] = &["$pagesize", "$mb_memory", "$ncpus"];

/// Type of one option of a section of a fio job file: its place, its key, and its value if it has one.
type Setting<'a> = (&'a JobPlace, &'a str, Option<&'a str>);

/// Makes the jobs of a fio job file from its sections and settings; a `[global]` section holds for the jobs after it.
///
/// # Errors
/// At an option that is unknown, not modelled, wrong or at odds with others; when there is no job, or too many clones.
pub fn assemble(name: &str, items: &[Item]) -> Result<JobFile, WorkloadError> {
    let mut file = JobFile { name: name.to_owned(), jobs: Vec::new(), exitall: false, ignored: Vec::new() };
    let mut global: Option<JobSpec> = None;
    let mut rest = items;
    while let Some((first, after)) = rest.split_first() {
        let Item::Section { place, name: section } = first else {
            let Item::Setting { place, key, .. } = first else { unreachable!("two kinds of items") };
            return Err(
                place.error(key.as_str(), "a section such as [global] or [job1] before the first option")
            );
        };
        let length = after.iter().take_while(|item| matches!(item, Item::Setting { .. })).count();
        let (body, next) = after.split_at(length);
        rest = next;
        let settings = body.iter().filter_map(|item| match item {
            Item::Setting { place, key, value } => Some((place, key.as_str(), value.as_deref())),
            Item::Section { .. } => None,
        });
        let base = global.take().unwrap_or_else(|| JobSpec::new(place.clone()));
        if section == "global" {
            global = Some(fill(base, settings, &mut file.ignored)?);
            continue;
        }
        let job = JobSpec { name: section.clone(), place: place.clone(), ..base.clone() };
        global = Some(base);
        let mut job = fill(job, settings, &mut file.ignored)?;
        // As in fio, which says so and goes on.
        job.time_based &= job.runtime_ns.is_some();
        // In fio such a job is done when all is read back once.
        job.time_based &= !job.only_reads_back();
        job.blocks_of_sizes()?;
        check(&job)?;
        if let Some(name) = &job.wait_for
            && (*name == job.name || !file.jobs.iter().any(|other| other.name == *name))
        {
            let near = config::nearest(name, file.jobs.iter().map(|job| job.name.as_str()));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            return Err(job.place.error(
                format!("job {}: wait_for={name}", job.name),
                format!("the name of a job before it{near}"),
            ));
        }
        // One job that says so says it of all, as in fio.
        file.exitall |= job.options.get("exitall").is_some_and(|value| value != "0");
        file.jobs.push(job);
    }
    let clones: u64 = file.jobs.iter().map(|job| job.numjobs).sum();
    match file.jobs.last() {
        None => Err(WorkloadError::of(name, "no job", "at least one section besides [global]")),
        Some(_) if clones <= MOST_CLONES => {
            flow::check_file(&file)?;
            steady::check_file(&file)?;
            Ok(file)
        }
        Some(job) => {
            let expected = format!("at most {MOST_CLONES} jobs, all numjobs together");
            Err(job.place.error(format!("{clones} jobs"), expected))
        }
    }
}

/// Applies the settings of a section to `job`, in order, and returns the fio job; adds the options without effect to
/// `ignored`.
fn fill<'a>(
    mut job: JobSpec,
    settings: impl Iterator<Item = Setting<'a>> + Clone,
    ignored: &mut Vec<String>,
) -> Result<JobSpec, WorkloadError> {
    // Sizes are read by this one, so it comes first wherever it stands.
    for (place, key, value) in settings.clone().filter(|(_, key, _)| *key == "kb_base") {
        set(&mut job, place, key, key, value)?;
    }
    for (place, key, value) in settings {
        let first = keys::find(key).map_or(key, |(name, _)| name).to_owned();
        job.options.insert(first, value.unwrap_or("1").to_owned());
        match keys::find(key) {
            Some((name, Fate::Honoured)) => {
                set(&mut job, place, key, name, value)?;
            }
            Some((_, Fate::NoEffect)) => ignore(key, ignored),
            Some((_, Fate::NotModelled { off, .. })) if off.contains(&value.unwrap_or("1")) => {
                ignore(key, ignored);
            }
            Some((_, Fate::NotModelled { instead, .. })) => {
                return Err(place.error(format!("{key} is not modelled"), instead));
            }
            None => {
                let near =
                    keys::nearest(key).map_or_else(String::new, |near| format!("; did you mean {near}?"));
                return Err(place.error(format!("{key}: no such option"), format!("an option of fio{near}")));
            }
        }
    }
    Ok(job)
}

/// Adds `key` to the list of options without effect, unless the list has it already.
fn ignore(key: &str, ignored: &mut Vec<String>) {
    if !ignored.iter().any(|other| other == key) {
        ignored.push(key.to_owned());
    }
}

fn set(
    job: &mut JobSpec,
    place: &JobPlace,
    key: &str,
    name: &str,
    value: Option<&str>,
) -> Result<(), WorkloadError> {
    match value {
        Some(value) if MACHINE.iter().any(|word| value.contains(word)) => {
            let expected = "the number itself: what it is on another machine is not known here";
            Err(place.error(format!("{key}={value}"), expected))
        }
        None if !keys::may_stand_alone(name) => {
            Err(place.error(format!("{key} alone"), format!("{key}=VALUE")))
        }
        _ => setting::apply(job, name, value.unwrap_or("1"))
            .map_err(|expected| place.error(format!("{key}={}", value.unwrap_or("1")), expected)),
    }
}
