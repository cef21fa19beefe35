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

/// Clones of all jobs together, as many as fio itself runs.
pub const MOST_CLONES: u64 = 4_096;
/// Most requests that one clone of a fio job may have outstanding.
pub const MOST_DEPTH: u64 = 65_536;
/// The longest request in bytes: of whole sectors, and below 2^32.
pub const MOST_BLOCK: u64 = (1 << 32) - 512;

/// Kinds of requests that a job makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobAccess {
    /// The job only reads.
    #[default]
    Read,
    /// The job only writes.
    Write,
    /// The job only trims.
    Trim,
    /// Reads and writes, mixed at random.
    ReadWrite,
    /// The job trims each block, then writes the block.
    TrimWrite,
}

/// The jobs that end together with this one, where `exitall` is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitWhat {
    /// Jobs of the same group; groups are separated by `new_group` and `stonewall`.
    #[default]
    Group,
    /// With the job end the jobs that run at the same time.
    Stonewall,
    /// With the job end all jobs, begun or not.
    All,
}

/// A job section with everything it inherits. Arrays are by direction: read, write, trim.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Name of the job: the name of the job's section, or the value of `name=`.
    pub name: String,
    /// Place where the section of the job starts.
    pub place: JobPlace,
    /// Kind of requests that the job makes.
    pub access: JobAccess,
    /// True if requests of the job are at random places; false if they follow each other.
    pub random: bool,
    /// Percent of reads in a mix.
    pub read_percent: u64,
    /// Sizes of the job's requests, by direction.
    pub blocks: [BlockSizes; 3],
    /// Options from which the block sizes follow.
    pub sizes: [SizeOptions; 3],
    /// Random offsets are multiples of this; the shortest block when not given.
    pub align: [Option<u64>; 3],
    /// The region's length; the rest of the drive when not given.
    pub size: Option<Size>,
    /// Start of the job's region in the file.
    pub offset: Size,
    /// Distance between the starts of successive clones.
    pub offset_increment: Size,
    /// Bytes to transfer per loop; the region's length when not given.
    pub io_size: Option<Size>,
    /// Most requests outstanding with an engine that keeps several; [`Self::depth`] gives the effective number.
    pub iodepth: u64,
    /// Number of clones of the job.
    pub numjobs: u64,
    /// Run time in nanoseconds, counted from the end of the ramp.
    pub runtime_ns: Option<u64>,
    /// True if the fio job goes on until its runtime is over.
    pub time_based: bool,
    /// Time of the job's ramp that metrics leave out, in ns.
    pub ramp_ns: u64,
    /// Number of repetitions of the job.
    pub loops: u64,
    /// Time that the job waits before its first request, in ns.
    pub delay_ns: u64,
    /// Longest start delay in nanoseconds, where the delay is drawn from a range.
    pub delay_most_ns: Option<u64>,
    /// Distribution of random accesses.
    pub distribution: [Distribution; 3],
    /// Percent of the accesses of a random job that are random.
    pub random_percent: [u64; 3],
    /// True if the fio job may repeat blocks before all blocks have been accessed.
    pub norandommap: bool,
    /// True if fio may leave out a block map that does not fit memory. Here such a map always fits; the
    /// option changes the order of verification.
    pub soft_random_map: bool,
    /// True if a shift register, which needs no map, gives the order of the blocks that a job accesses
    /// without repeating one.
    pub lfsr: bool,
    /// Random seed of the job, where the job sets one.
    pub seed: Option<u64>,
    /// Rate of the job in bytes per second, by direction.
    pub rate: [Option<Rate>; 3],
    /// Rate of the job in requests per second, by direction.
    pub rate_iops: [Option<Rate>; 3],
    /// True if the gaps between paced requests of the job are exponentially distributed.
    pub poisson: bool,
    /// Pause between groups of requests.
    pub think_ns: u64,
    /// Number of requests between two pauses of the job.
    pub think_blocks: u64,
    /// True if pauses of the job are counted by issued requests; false if by answered requests.
    pub think_by_issue: bool,
    /// Rule for refilling a full queue.
    pub refill: RefillOptions,
    /// Name of the jobs whose end this job waits for before it starts.
    pub wait_for: Option<String>,
    /// Other jobs that end when this job ends.
    pub exit_what: ExitWhat,
    /// True if the job writes until the device is full.
    pub fill_device: bool,
    /// True if the job waits until all jobs before it are done.
    pub stonewall: bool,
    /// True if the clones of the job report together.
    pub group_reporting: bool,
    /// Files that the job names; none: the job has files of its own.
    pub filename: Option<Vec<String>>,
    /// Folders in front of the names of the job's own files.
    pub directory: Option<Vec<String>>,
    /// Format of the names of the job's files, where it is not the default of fio.
    pub filename_format: Option<String>,
    /// Number of the job's own files.
    pub nrfiles: u64,
    /// Number of files that the job works on at a time; none: all.
    pub openfiles: Option<u64>,
    /// Length of each file in bytes, or the range from which it is drawn.
    pub filesize: Option<(u64, u64)>,
    /// How the file of the next request is chosen.
    pub service: Service,
    /// Bytes of which an offset in percent is rounded to a multiple; none: the shortest block.
    pub offset_align: Option<u64>,
    /// True if the files of the job are written before the clock starts even where no job reads them.
    pub overwrite: bool,
    /// Name of fio's engine, where it is given.
    pub engine: Option<String>,
    /// True if the requests of the job are handed to other threads, so that even a synchronous engine has
    /// several outstanding.
    pub offload: bool,
    /// Bytes that a sequential job skips between requests.
    pub hole: i64,
    /// Number of requests of a random job that share one random offset.
    pub sequence: u64,
    /// True if requests after a random offset repeat that offset; false if they continue from that offset.
    pub identical: bool,
    /// True if the job issues a flush after the last write of each loop.
    pub end_fsync: bool,
    /// Number of writes after which a flush is issued, from `fsync` and from `fdatasync`; 0: never.
    pub flush_every: [u64; 2],
    /// True if writes of the job must be on durable storage when the drive acknowledges them (`sync=`,
    /// `writefua`).
    pub fua: bool,
    /// Placement identifiers that the job's writes carry.
    pub placement: JobPlacement,
    /// Most requests that the job makes.
    pub number_ios: Option<u64>,
    /// Condition of steady state at which the job ends.
    pub steady: Steady,
    /// Zones of the job's file, in which the job works one after the other.
    pub zones: JobZones,
    /// True if the writes of the job are zone appends.
    pub appends: bool,
    /// The job's share of a flow: its requests are kept in proportion to those of other jobs.
    pub flow: FlowOptions,
    /// A clone ends at a request that takes longer; 0 for none.
    pub max_latency_ns: [u64; 3],
    /// True if the job begins a new group in reports.
    pub new_group: bool,
    /// Method by which written data are verified, and whether the job does verify them after writing.
    pub verify: Option<String>,
    /// True if the job reads back its written data to verify them; see `verify`.
    pub do_verify: bool,
    /// Writes between rounds of reading back, and requests read in each round; 0: the default.
    pub verify_backlog: u64,
    /// See `verify_backlog`.
    pub verify_batch: u64,
    /// True if the job writes nothing, and only reads back the data that a run of the job would have written.
    pub verify_only: bool,
    /// True if the requests of the read-back are computed from the job's options; false if the job's writes
    /// are recorded for the read-back.
    pub experimental_verify: bool,
    /// True if a request that overlaps an unanswered request of the same clone waits for that request.
    pub serialize_overlap: bool,
    /// All options of the job, inherited ones included, by their first names, as written.
    pub options: BTreeMap<String, String>,
    /// fio's `kb_base`: the meaning of `k` in sizes.
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

    /// True if the job's engine issues one request at a time.
    pub fn is_synchronous(&self) -> bool {
        let engine = self.engine.as_deref().unwrap_or(engines::DEFAULT);
        engines::find(engine) == Some(Engine::Sync) && !self.offload
    }

    /// Returns the most requests that a clone of the job keeps outstanding.
    pub fn depth(&self) -> u64 {
        if self.is_synchronous() { 1 } else { self.iodepth }
    }

    /// True if the job's clones report as one; a log for each clone keeps them apart.
    pub fn reports_together(&self) -> bool {
        let logs = ["write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"];
        let each = self.options.get("per_job_logs").is_none_or(|value| value != "0");
        let has_logs = each && logs.iter().any(|log| self.options.contains_key(*log));
        self.group_reporting && self.numjobs > 1 && !has_logs
    }

    /// Computes the block sizes from the options for them.
    fn blocks_of_sizes(&mut self) -> Result<(), WorkloadError> {
        for (blocks, sizes) in self.blocks.iter_mut().zip(&self.sizes) {
            *blocks = sizes.blocks().map_err(|(found, expected)| {
                self.place.error(format!("job {}: {found}", self.name), expected)
            })?;
        }
        Ok(())
    }

    /// True if the fio job reads.
    pub fn reads(&self) -> bool {
        matches!(self.access, JobAccess::Read | JobAccess::ReadWrite)
    }

    /// True if the fio job writes.
    pub fn writes(&self) -> bool {
        matches!(self.access, JobAccess::Write | JobAccess::ReadWrite | JobAccess::TrimWrite)
    }

    /// True if the job writes nothing but reads back what it would have written.
    pub fn only_reads_back(&self) -> bool {
        self.verify_only && self.writes() && self.verify.is_some() && self.do_verify
    }

    /// Returns the directions that the job uses, as indices: read 0, write 1, trim 2.
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

/// A job file, read.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFile {
    /// The file's path, or what the caller called the text.
    pub name: String,
    /// Jobs of the file in order, at least one.
    pub jobs: Vec<JobSpec>,
    /// True if the first job of the file that ends may end other jobs.
    pub exitall: bool,
    /// Options that were accepted and have no effect, each once, in order of appearance.
    pub ignored: Vec<String>,
}

/// Words that fio replaces by numbers of the machine it runs on.
const MACHINE: &[&str] = &["$pagesize", "$mb_memory", "$ncpus"];

/// One option of a section of a fio job file, with its place.
type Setting<'a> = (&'a JobPlace, &'a str, Option<&'a str>);

/// Makes jobs of the sections; `[global]` holds for the jobs after it.
///
/// # Errors
/// At the first option that is unknown, not modelled or has no such value, and when there is no job.
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

/// Applies the settings of a section to `job`, in order.
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

/// Keeps `key` for the report, once.
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
