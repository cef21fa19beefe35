//! Which files the jobs have, as fio names and sizes them, and where they lie on the drive.
//!
//! A job without `filename` has files of its own, `NAME.CLONE.FILE`; one name is one file in all jobs. A raw
//! device (`/dev/nvme0n1`, `\\.\PhysicalDrive1`) is the drive itself, from its first byte to its last. So is the
//! lack of both a `filename` and a size in bytes, which fio would refuse.
//!
//! On a drive of several namespaces each `filename` is one of them, by its name or its number.
//!
//! Files lie side by side in the order in which they are first named. Each begins where a file system would put it:
//! at a multiple of the largest power of two that is no more than its length, from 4 KiB to 1 MiB.

use super::blocks::BlockSizes;
use super::engines;
use super::job::{JobFile, JobSpec};
use super::value::Size;
use crate::{Extent, HostSpace, WorkloadError};
use engine::RandomStream;
use std::collections::HashMap;

/// Constant: greatest number of files of all jobs of a fio job file together; a larger number is taken for a mistake in
/// `nrfiles` or `numjobs`.
const MOST_FILES: usize = 1 << 20;
const LEAST_ALIGN: u64 = 4 << 10;
const MOST_ALIGN: u64 = 1 << 20;

/// Record of one file of fio jobs, with its address range on the drive; the raw drive and a namespace that a job uses
/// as a file have such records, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRegion {
    /// Name of the file, raw device or namespace: the name in the fio job's `filename`, else formed from job name,
    /// clone and file number as in fio; empty for the raw device of jobs that name none.
    pub name: String,
    /// Byte offset on the drive of the first byte of the fio job's file.
    pub offset: u64,
    /// Length of the fio job's file in bytes.
    pub bytes: u64,
    /// True if the entry in the list of a fio job file's files is the whole raw device or a namespace instead of a
    /// file: which ranges of it must hold data before the run follows from the jobs' reads and writes (`existing`).
    pub is_drive: bool,
    /// True if fio writes the whole file before the clock starts, because a job reads it or has `overwrite=1`.
    pub laid_out: bool,
    /// True if a fio job reads the file.
    pub is_read: bool,
}

/// Record of the part of one file that one clone of a fio job works on: index of the file, begin and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// Index of the file in the list of all files of the fio job file.
    pub file: u32,
    /// Offset in bytes at which a fio job clone's part of a file begins, counted from the first byte of the file.
    pub start: u64,
    /// Length of the fio job clone's part of the file in bytes.
    pub bytes: u64,
    /// Length of the whole file, in bytes, as the fio job clone found or made the file.
    pub file_bytes: u64,
    /// Size and capacity in bytes of each of the drive's zones, where the fio job clone works in zones of the drive
    /// (`zonemode=zbd`); none for other jobs.
    pub zones: Option<(u64, u64)>,
}

/// Record of the parts of files that one clone of a fio job works on, with the numbers of bytes that the clone
/// transfers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneFiles {
    /// List of the parts of files that the fio job clone works on, in the order in which the job names the files.
    pub parts: Vec<FilePart>,
    /// Number of bytes that the fio job clone transfers in one pass over its files: the length of all parts, less where
    /// `size` asks for less, or the percentage of it that `io_size` gives.
    pub pass_bytes: u64,
    /// Value of the fio option `io_size` in bytes; none where the option is not given, or is given as a percentage.
    pub io_bytes: Option<u64>,
}

/// Table of all files of a fio job file with their places on the drive, and of the parts that each clone works on;
/// clones in the order of their jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// List of all files of the fio job file, in the order in which jobs first name them.
    pub files: Vec<FileRegion>,
    /// List with one entry for each fio job clone: the parts of files that the clone works on.
    pub shares: Vec<CloneFiles>,
}

/// Kind of files that a fio job's `filename`, or the lack of one, stands for (the drive, several devices, or files),
/// with their names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    Drive(String),
    /// Case of files: several devices, or devices and files, whose names are joined by colons; a run cannot have them,
    /// since it has one drive.
    Several(String),
    Files(Vec<String>),
}

impl Files {
    /// Makes the files of the fio job file `file`, places them on the drive that `space` describes, and gives each
    /// clone its parts; file lengths from a range (`filesize`) are drawn with `seed`.
    ///
    /// # Errors
    /// When a job's files have no size, a clone's part is too short for a request or reaches beyond the drive or the
    /// namespace, or all files together do not fit the drive.
    pub fn new(file: &JobFile, space: &HostSpace, seed: u64) -> Result<Self, WorkloadError> {
        let (drive_bytes, known) = (space.bytes, HashMap::new());
        let mut plan = FilePlan { space, drive_bytes, seed, known, files: Self::default(), drive_job: None };
        for job in &file.jobs {
            for clone in 0..job.numjobs {
                plan.add(job, clone)?;
            }
        }
        plan.place(file)?;
        Ok(plan.files)
    }
}

/// Builder of the list of files of a fio job file: the clones of each job (fio's `numjobs`) are added one after the
/// other, each with the files that the clone uses.
struct FilePlan<'a> {
    space: &'a HostSpace,
    drive_bytes: u64,
    seed: u64,
    known: HashMap<String, u32>,
    files: Files,
    /// Name under which a fio job first used the raw device; `None` while no job has used it.
    drive_job: Option<String>,
}

impl FilePlan<'_> {
    fn add(&mut self, job: &JobSpec, clone: u64) -> Result<(), WorkloadError> {
        let share = match names(job, clone) {
            _ if self.space.is_parted() => {
                let indices = self.namespaces(job)?;
                self.share(job, clone, &indices)?
            }
            Names::Drive(name) => {
                let index = self.drive(job, name)?;
                self.share(job, clone, &[index])?
            }
            Names::Several(names) => {
                let expected = "one device, or files only: a run has one drive";
                return Err(job.place.error(format!("job {}: filename={names}", job.name), expected));
            }
            Names::Files(names) => {
                let indices: Result<Vec<u32>, _> =
                    names.into_iter().map(|name| self.file(job, name)).collect();
                let indices = indices?;
                if job.fill_device {
                    // The file system has the drive's room.
                    let file = &mut self.files.files[indices[0] as usize];
                    file.bytes = file.bytes.max(self.drive_bytes);
                }
                self.share(job, clone, &indices)?
            }
        };
        let reads = job.reads() || job.only_reads_back();
        let overwrites = job.overwrite && job.writes();
        for part in &share.parts {
            let file = &mut self.files.files[part.file as usize];
            file.is_read |= reads;
            file.laid_out |= !file.is_drive && (reads || overwrites);
            file.bytes = file.bytes.max(part.start + part.bytes);
        }
        self.files.shares.push(share);
        Ok(())
    }

    /// Returns the indices, in the list of files, of the namespaces that a fio job uses as its files.
    fn namespaces(&mut self, job: &JobSpec) -> Result<Vec<u32>, WorkloadError> {
        let names = match &job.filename {
            Some(names) => names.clone(),
            None if self.space.device(&job.name).is_some() => vec![job.name.clone()],
            None => {
                let found = format!("job {}: no filename on a drive of several namespaces", job.name);
                return Err(job.place.error(found, format!("filename={}", self.space.expected(""))));
            }
        };
        names.iter().map(|name| self.namespace(job, name)).collect()
    }

    /// Returns the index, in the list of files, of the namespace that a fio job calls `name`; adds the namespace to the
    /// list at its first use.
    fn namespace(&mut self, job: &JobSpec, name: &str) -> Result<u32, WorkloadError> {
        let Some(namespace) = self.space.device(name) else {
            let found = format!("job {}: filename={name}", job.name);
            return Err(job.place.error(found, self.space.expected(name)));
        };
        if let Some(index) = self.known.get(&namespace.name) {
            return Ok(*index);
        }
        let index = self.files.files.len() as u32;
        self.known.insert(namespace.name.clone(), index);
        let Extent { offset, bytes } = namespace.extent;
        let name = namespace.name.clone();
        self.files.files.push(FileRegion {
            name,
            offset,
            bytes,
            is_drive: true,
            laid_out: false,
            is_read: false,
        });
        Ok(index)
    }

    /// Returns the limit of the end of a part of `file`, in words for a message and in bytes: the length of the
    /// namespace on a drive of several namespaces, else the length of the drive.
    fn bound(&self, file: &FileRegion) -> (String, u64) {
        match self.space.is_parted() {
            true => (format!("namespace {}'s {} bytes", file.name, file.bytes), file.bytes),
            false => (format!("the drive's {} bytes", self.drive_bytes), self.drive_bytes),
        }
    }

    /// Returns the index, in the list of files, of the raw device, which all fio jobs share; adds the raw device to the
    /// list at its first use.
    fn drive(&mut self, job: &JobSpec, name: String) -> Result<u32, WorkloadError> {
        let refuse = |found: String, expected: &str| Err(job.place.error(found, expected));
        match &self.drive_job {
            Some(first) if *first == name || name.is_empty() || first.is_empty() => {}
            Some(first) => {
                let found = format!("job {}: filename={name} after filename={first}", job.name);
                return refuse(found, "one device for all jobs: a run has one drive");
            }
            None => self.drive_job = Some(name.clone()),
        }
        match self.files.files.iter().position(|file| file.is_drive) {
            Some(index) => Ok(index as u32),
            None if !self.files.files.is_empty() => {
                let found = format!("job {}: the whole drive beside files on it", job.name);
                refuse(found, "size= in each job without filename, or one device as filename of all jobs")
            }
            None => {
                let (offset, bytes) = (0, self.drive_bytes);
                let file =
                    FileRegion { name, offset, bytes, is_drive: true, laid_out: false, is_read: false };
                self.files.files.push(file);
                Ok(0)
            }
        }
    }

    fn file(&mut self, job: &JobSpec, name: String) -> Result<u32, WorkloadError> {
        if let Some(index) = self.known.get(&name) {
            return Ok(*index);
        }
        if self.drive_job.is_some() {
            let found = format!("job {}: file {name} beside the whole drive", job.name);
            let expected = "files in all jobs, or one device as filename of all jobs";
            return Err(job.place.error(found, expected));
        }
        if self.files.files.len() >= MOST_FILES {
            let found = format!("job {}: more than {MOST_FILES} files", job.name);
            return Err(job.place.error(found, format!("at most {MOST_FILES}: nrfiles times numjobs")));
        }
        let index = self.files.files.len() as u32;
        self.known.insert(name.clone(), index);
        let (offset, bytes) = (0, 0);
        self.files.files.push(FileRegion {
            name,
            offset,
            bytes,
            is_drive: false,
            laid_out: false,
            is_read: false,
        });
        Ok(index)
    }

    /// Returns the parts of the files `indices` that clone number `clone` of `job` works on, computed as in fio and in
    /// the order of `indices`.
    fn share(&self, job: &JobSpec, clone: u64, indices: &[u32]) -> Result<CloneFiles, WorkloadError> {
        let grid = (0..3).map(|direction| job.blocks[direction].least()).min().unwrap_or(1);
        let given = if let Some(Size::Bytes(bytes)) = job.size { bytes } else { 0 };
        let count = indices.len() as u64;
        let (each, mut extra) = (given / count, (given - given / count * count) / grid);
        let mut random = RandomStream::new(self.seed, &format!("fio.filesize.{}.{clone}", job.name));
        let mut share = CloneFiles::default();
        let mut total = 0u64;
        for &file in indices {
            let found = &self.files.files[file as usize];
            let start = start(job, clone, grid, found.bytes);
            let mut bytes = match job.filesize {
                Some((least, most)) if found.bytes < least || found.bytes > most => {
                    let drawn = least + if most > least { random.below(most - least + 1) } else { 0 };
                    let bytes = if most > least { drawn - drawn % grid } else { drawn };
                    bytes.saturating_sub(start)
                }
                Some(_) => found.bytes.saturating_sub(start),
                None if given == 0 => self.rest(job, found, start)?,
                None => {
                    let own = each + if extra > 0 { grid } else { 0 };
                    extra = extra.saturating_sub(1);
                    own
                }
            };
            if let Some(percent @ Size::Percent(0..=99)) = job.size {
                bytes = percent.of(start.saturating_add(bytes)).min(bytes);
                bytes -= bytes % grid;
            }
            self.check(job, found, start, bytes)?;
            let file_bytes = found.bytes.max(start + bytes);
            share.parts.push(FilePart { file, start, bytes, file_bytes, zones: None });
            total = total.saturating_add(bytes);
        }
        share.pass_bytes = if given == 0 { total } else { given.min(total) };
        share.io_bytes = job.io_size.map(|size| size.of(total).max(1));
        if let Some(Size::Percent(_)) = job.io_size {
            share.pass_bytes = share.io_bytes.take().unwrap_or(total);
        }
        Ok(share)
    }

    /// Returns the number of bytes from `start` to the end of a fio job's file that exists already.
    fn rest(&self, job: &JobSpec, file: &FileRegion, start: u64) -> Result<u64, WorkloadError> {
        if file.bytes > 0 && start < file.bytes {
            return Ok(file.bytes - start);
        }
        let (found, expected) = if file.bytes == 0 {
            let found =
                format!("job {}: no size for file {}, which no job before it makes", job.name, file.name);
            (found, "size= or filesize=, or a device such as filename=/dev/nvme0n1".to_owned())
        } else if file.is_drive {
            let found = format!("job {}: starts at byte {start}", job.name);
            (found, format!("no more than {}", self.bound(file).0))
        } else {
            let found = format!("job {}: starts at byte {start} of file {}", job.name, file.name);
            (found, format!("less than its {} bytes", file.bytes))
        };
        Err(job.place.error(found, expected))
    }

    /// Checks that a fio job clone's part of a file lies within the drive or the namespace, and is long enough for a
    /// request.
    fn check(&self, job: &JobSpec, file: &FileRegion, start: u64, bytes: u64) -> Result<(), WorkloadError> {
        let (end, (bound, most)) = (u128::from(start) + u128::from(bytes), self.bound(file));
        if end > u128::from(most) {
            let part = if file.is_drive { String::new() } else { format!(" of file {}", file.name) };
            let found = format!("job {}: offset {start} and size {bytes} end at byte {end}{part}", job.name);
            return Err(job.place.error(found, format!("no more than {bound}")));
        }
        let longest = job.directions().iter().map(|direction| &job.blocks[*direction]);
        let longest = longest
            .map(|blocks| if let BlockSizes::Fixed(bytes) = blocks { *bytes } else { blocks.least() })
            .max()
            .unwrap_or(1);
        if bytes >= longest {
            return Ok(());
        }
        let several = job.nrfiles > 1 || job.filename.as_ref().is_some_and(|names| names.len() > 1);
        let what = if several {
            format!("a size of {bytes} bytes for file {}", file.name)
        } else {
            format!("a size of {bytes} bytes")
        };
        let expected = format!("a size of at least one block of {longest} bytes");
        Err(job.place.error(format!("job {}: {what}", job.name), expected))
    }

    /// Sets the offset on the drive of each file, one file after the other; the files' lengths must be final.
    fn place(&mut self, file: &JobFile) -> Result<(), WorkloadError> {
        let mut free = 0u64;
        for file in self.files.files.iter_mut().filter(|file| !file.is_drive) {
            let align = file.bytes.checked_ilog2().map_or(LEAST_ALIGN, |bits| 1 << bits);
            file.offset = free.next_multiple_of(align.clamp(LEAST_ALIGN, MOST_ALIGN));
            free = file.offset.saturating_add(file.bytes);
        }
        if free <= self.drive_bytes {
            return Ok(());
        }
        let count = self.files.files.len();
        let largest = self.files.files.iter().map(|file| file.bytes).max().unwrap_or(0);
        let found = format!("{count} files of {free} bytes side by side, the longest of {largest}");
        let expected = format!("no more than the drive's {} bytes", self.drive_bytes);
        Err(WorkloadError::of(file.name.clone(), found, expected))
    }
}

/// Returns the byte of a file of `bytes` bytes at which the part of clone number `clone` begins, by `offset` and
/// `offset_increment`. An offset in percent is rounded up to a multiple of `offset_align`, else of `grid`, the shortest
/// block, as in fio.
fn start(job: &JobSpec, clone: u64, grid: u64, bytes: u64) -> u64 {
    let percent = |size: Size| matches!(size, Size::Percent(1..));
    let start = job.offset.of(bytes).saturating_add(job.offset_increment.of(bytes).saturating_mul(clone));
    if percent(job.offset) || percent(job.offset_increment) {
        start.checked_next_multiple_of(job.offset_align.unwrap_or(grid)).unwrap_or(u64::MAX)
    } else {
        start
    }
}

/// Returns the names of the files, or of the device, that fio job clone number `clone` of `job` works on.
fn names(job: &JobSpec, clone: u64) -> Names {
    let folder = |name: &str, index: u64| match &job.directory {
        Some(folders) if !folders.is_empty() => {
            format!("{}/{name}", folders[(index % folders.len() as u64) as usize])
        }
        _ => name.to_owned(),
    };
    if let Some(names) = &job.filename {
        let bdevs = job.engine.as_deref().is_some_and(engines::names_bdevs);
        return match names.iter().find(|name| bdevs || is_device(name)) {
            Some(device) if names.len() == 1 => Names::Drive(device.clone()),
            Some(_) => Names::Several(names.join(":")),
            None => Names::Files(names.iter().map(|name| folder(name, 0)).collect()),
        };
    }
    if job.nrfiles == 1 && is_device(&job.name) {
        return Names::Drive(job.name.clone());
    }
    let sized = matches!(job.size, Some(Size::Bytes(_))) || job.filesize.is_some();
    if !sized && job.directory.is_none() && job.nrfiles == 1 {
        return Names::Drive(String::new());
    }
    let name = |number: u64| match &job.filename_format {
        None => format!("{}.{clone}.{number}", job.name),
        Some(format) => format
            .replace("$jobname", &job.name)
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &number.to_string())
            .replace("$clientuid", "localhost"),
    };
    Names::Files((0..job.nrfiles).map(|number| folder(&name(number), clone)).collect())
}

/// Returns true if the file name `name` is the name of a raw device, not of a file.
pub fn is_device(name: &str) -> bool {
    let unix = name.starts_with("/dev/") && !name.starts_with("/dev/shm/");
    let windows = name.starts_with(r"\\.\");
    let address = name.starts_with("trtype=") || name.starts_with("key=");
    let pci =
        name.len() >= 10 && name.as_bytes()[4] == b':' && name[..4].bytes().all(|c| c.is_ascii_hexdigit());
    unix || windows || address || pci
}
