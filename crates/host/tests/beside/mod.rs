//! A job played by fio and by this crate: what each asks for, and whether it is the same.
//!
//! fio runs with `ioengine=null` and `write_iolog`, which says what it would ask of its files.

use host::fio::{FileRegion, FioWorkload, JobFile, Variables, parse_text};
use host::{HostRequest, Op, WorkloadError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub mod play;
pub mod random;
pub mod summary;

use play::play;
use summary::Timed;

/// Type of a request of a fio job, as the simulation and the log of real fio both give it: file name, operation, byte
/// offset in the file, and length in bytes.
pub type Asked = (String, &'static str, u64, u64);

/// Constant: beginning of the error message for a job that real fio does not bring to its end.
pub const ENDLESS: &str = "no end";
/// Constant: exit status of a run of real fio that `timeout` killed; the next constant, `TOO_LONG`, is the exit status
/// of a run of which a file became too long.
const KILLED: i32 = 128 + 9;
const TOO_LONG: i32 = 128 + 25;

/// Constant: file name that stands for the raw device in jobs that are compared with real fio.
pub const DEVICE: &str = "the-drive";

/// Returns true if the installed fio is version 3, whose logs the comparison can read; prints a message if it is not.
pub fn has_fio() -> bool {
    let found = Command::new(program()).arg("--version").output();
    let version =
        found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("fio-3.") {
        eprintln!("skipped: fio 3 is not installed");
    }
    version.starts_with("fio-3.")
}

/// Returns true if the installed fio is version 3.42 or later; 3.42 is the version that the simulation follows.
pub fn is_new() -> bool {
    let found = Command::new(program()).arg("--version").output();
    let version =
        found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let digits =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|text| text.parse().ok());
    version.strip_prefix("fio-3.").and_then(digits).is_some_and(|minor: u32| minor >= 42)
}

/// Returns the fio program to run: the value of the environment variable `FIO`, or else the installed `fio`.
pub fn program() -> String {
    std::env::var("FIO").unwrap_or_else(|_| "fio".to_owned())
}

/// Type of a temporary folder for one run of real fio, which is removed when the value is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes a temporary folder for a run of real fio, with `name` in its own name.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fio-beside-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs real fio with the job file `text` and returns the requests in its logs, one list for each job; the error is the
/// message of a fio that did not run to its end.
///
/// fio writes a log in pieces of 8 KiB of text, so that the logs of clones, which share a file, are complete only where
/// each fits into a piece. At a queue depth above one fio's null engine gets requests that it had no room for twice,
/// and the log has them twice.
pub fn of_fio(name: &str, text: &str) -> Result<Vec<Vec<Asked>>, String> {
    let (sections, _) = run_fio(name, text)?;
    Ok(sections.into_iter().map(|section| section.into_iter().map(|one| one.1).collect()).collect())
}

/// Runs real fio with the job file `text` and returns the requests of each job, as [`of_fio`], with their times in ns
/// since their thread began, and fio's JSON output.
///
/// # Errors
/// With the message of a fio that did not run to its end.
pub fn run_fio(name: &str, text: &str) -> Result<(Vec<Vec<Timed>>, String), String> {
    let folder = Folder::new(name);
    let mut job = String::from("[global]\nioengine=null\nthread\n");
    let mut sections = 0;
    for line in text.lines() {
        job.push_str(line);
        job.push('\n');
        if line.starts_with('[') && line != "[global]" {
            job.push_str(&format!("write_iolog={sections}.iolog\n"));
            sections += 1;
        }
    }
    std::fs::write(folder.0.join("j.fio"), &job).unwrap();
    // fio waits for its threads when it is asked to end, and some never do; a log that grows without end is cut off at
    // 256 MiB, or twice that: shells count in blocks of 512 bytes or of 1 KiB.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 524288; exec timeout -s KILL 20 \"$@\"", "sh"]);
    command.args([&program(), "--output-format=json", "--output=out.json", "j.fio"]);
    let done = command.current_dir(&folder.0).output().unwrap();
    if !done.status.success() {
        let said = [done.stderr, done.stdout].concat();
        let endless = matches!(done.status.code(), None | Some(KILLED | TOO_LONG));
        let what = if endless { ENDLESS.to_owned() } else { done.status.to_string() };
        return Err(format!("{what}: {}", String::from_utf8_lossy(&said)));
    }
    let log = |section| read_iolog(&folder.0.join(format!("{section}.iolog")));
    let json = std::fs::read_to_string(folder.0.join("out.json")).unwrap_or_default();
    Ok(((0..sections).map(log).collect(), json))
}

fn read_iolog(path: &Path) -> Vec<Timed> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut asked = Vec::new();
    for line in text.lines() {
        // Version 3 begins with a time, version 2 does not.
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) =
            words.iter().position(|word| matches!(*word, "read" | "write" | "trim" | "sync" | "datasync"))
        else {
            continue;
        };
        if at == 0 {
            continue;
        }
        let kind = match words[at] {
            "read" => "read",
            "write" => "write",
            "trim" => "trim",
            _ => "flush",
        };
        let number = |index: usize| words.get(index).and_then(|word| word.parse().ok()).unwrap_or(0);
        let (offset, bytes) = if kind == "flush" { (0, 0) } else { (number(at + 1), number(at + 2)) };
        let time_us: u64 = if at > 1 { words[0].parse().unwrap_or(0) } else { 0 };
        asked.push((time_us * 1000, (words[at - 1].to_owned(), kind, offset, bytes)));
    }
    asked
}

/// Parses `text` as a fio job file that includes no other file.
pub fn read(text: &str) -> Result<JobFile, WorkloadError> {
    let refuse = |name: &str| Err(WorkloadError::of(name, "no such file", "a file"));
    parse_text("j.fio", text, &Variables::new(), &refuse)
}

/// Returns the requests, `most` at most, that the simulation makes from the fio job file `text`, one list for each job,
/// on a drive of `drive` bytes that answers each request after 1 us.
pub fn ours(text: &str, drive: u64, most: usize) -> Result<Vec<Vec<Asked>>, WorkloadError> {
    let sections = ours_timed(text, drive, most)?;
    Ok(sections.into_iter().map(|section| section.into_iter().map(|one| one.1).collect()).collect())
}

/// Returns the requests that the simulation makes from the fio job file `text`, as [`ours`], with their times in ns.
///
/// # Errors
/// When the simulation refuses the job file.
pub fn ours_timed(text: &str, drive: u64, most: usize) -> Result<Vec<Vec<Timed>>, WorkloadError> {
    let file = read(text)?;
    let tags = |(index, job): (usize, &host::fio::JobSpec)| {
        let tags = if job.reports_together() { 1 } else { job.numjobs as usize };
        vec![index; tags]
    };
    let section_of: Vec<usize> = file.jobs.iter().enumerate().flat_map(tags).collect();
    let mut found = vec![Vec::new(); file.jobs.len()];
    let mut workload = FioWorkload::new(file, drive, 1)?;
    let files = workload.files().to_vec();
    play(&mut workload, 1000, most, &mut |_, request, what| {
        if what == play::Said::Made {
            found[section_of[usize::from(request.tag)]].push((request.arrive.ns(), said(request, &files)));
        }
    });
    Ok(found)
}

fn said(request: &HostRequest, files: &[FileRegion]) -> Asked {
    let kind = ["read", "write", "trim", "flush"][request.op.effect() as usize];
    if request.op == Op::FLUSH {
        return (String::new(), kind, 0, 0);
    }
    let of = |file: &&FileRegion| (file.offset..file.offset + file.bytes.max(1)).contains(&request.offset);
    let file = files.iter().find(of).expect("each request lies in a file");
    assert!(request.offset + u64::from(request.bytes) <= file.offset + file.bytes, "and within it");
    let name = if file.is_drive { DEVICE } else { file.name.as_str() };
    (name.to_owned(), kind, request.offset - file.offset, u64::from(request.bytes))
}

/// Returns the requests of a fio job without the file names of flushes, of which the simulation has none, and without
/// `./` at the beginning of file names, so that those of the simulation and of fio can be compared.
pub fn plain(asked: &[Asked]) -> Vec<Asked> {
    let plain = |one: &Asked| match one {
        (_, "flush", ..) => (String::new(), "flush", 0, 0),
        (name, kind, offset, bytes) => {
            (name.strip_prefix("./").unwrap_or(name).to_owned(), *kind, *offset, *bytes)
        }
    };
    asked.iter().map(plain).collect()
}

/// Returns the requests of a fio job in sorted order, to compare them irrespective of the order in which they were
/// made.
pub fn sorted(asked: &[Asked]) -> Vec<Asked> {
    let mut sorted = plain(asked);
    sorted.sort();
    sorted
}

/// Returns the number of times that each value occurs in `of`.
fn counts<K: Ord>(of: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut counts = BTreeMap::new();
    of.for_each(|key| *counts.entry(key).or_insert(0.0) += 1.0);
    counts
}

/// Checks that two samples, given as counts by value, are alike: each value's shares in them differ by at most 4.5
/// standard deviations of a difference of two binomials, with `spread` times the variance of single draws. Returns an
/// error if not.
fn alike<K: Ord + std::fmt::Debug>(
    what: &str,
    one: &BTreeMap<K, f64>,
    other: &BTreeMap<K, f64>,
    spread: f64,
) -> Result<(), String> {
    let (all, of_other): (f64, f64) = (one.values().sum(), other.values().sum());
    for key in one.keys().chain(other.keys()) {
        let (x, y) = (one.get(key).unwrap_or(&0.0), other.get(key).unwrap_or(&0.0));
        let p = (x + y) / (all + of_other);
        let deviation = (spread * p * (1.0 - p) * (1.0 / all + 1.0 / of_other)).sqrt();
        if (x / all - y / of_other).abs() > 4.5 * deviation.max(1.0 / all) {
            return Err(format!("{what}, {key:?}: {x} of {all}, fio {y} of {of_other}"));
        }
    }
    Ok(())
}

/// Set of properties of a fio job whose randomly drawn requests in the simulation are compared with those of real fio.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// True if the fio job's requests go to random offsets, so that their shares by file and place are compared.
    pub at_random: bool,
    /// True if the fio job may access a block again before all blocks have been accessed.
    pub repeats: bool,
    /// Mean number of successive requests of the fio job that follow from a single random draw.
    pub run: f64,
    /// Length in bytes of the parts of a file whose shares of the requests are compared between simulation and fio.
    pub part: u64,
    /// Number of bytes to which the alignment of offsets is compared: the remainder of each offset after division by
    /// it.
    pub grid: u64,
    /// True if a drawn request size may count twice, because the fio job verifies its data: fio draws the sizes of
    /// reads and writes from one sequence, and reads the writes back.
    pub twice: bool,
}

/// Checks that the requests of the simulation and of real fio are random draws of the same job: compares operations
/// with sizes, files with places, alignment, and, where blocks may repeat, the steps between requests. Returns an error
/// if they differ.
pub fn drawn_alike(mine: &[Asked], fios: &[Asked], drawn: Drawn) -> Result<(), String> {
    let (mine, fios) = (&plain(mine)[..], &plain(fios)[..]);
    let kinds = |asked: &[Asked]| counts(asked.iter().map(|one| (one.1, one.3)));
    // Draws that count twice at most have twice the variance at most: half as many.
    alike("kind and size", &kinds(mine), &kinds(fios), if drawn.twice { 2.0 } else { 1.0 })?;
    // Where several draws in a row are one, the variance grows with twice their number on average.
    let in_runs = if drawn.run > 1.0 { 2.0 * drawn.run } else { 1.0 };
    if drawn.at_random {
        let place = |one: &Asked| (one.0.clone(), one.1, one.2 / drawn.part);
        let places = |asked: &[Asked]| counts(asked.iter().map(place));
        alike("file and place", &places(mine), &places(fios), in_runs)?;
    }
    let grid = |asked: &[Asked]| counts(asked.iter().map(|one| one.2 % drawn.grid));
    alike("alignment", &grid(mine), &grid(fios), in_runs)?;
    // How far a request is from the end of the one before: onward, on the same spot, or elsewhere.
    let step = |pair: &[Asked]| match pair[1].2 as i64 - (pair[0].2 + pair[0].3) as i64 {
        0 => "onward",
        step if step == -(pair[0].3 as i64) => "again",
        _ => "elsewhere",
    };
    let steps = |asked: &[Asked]| counts(asked.windows(2).map(step));
    // With a map fio takes the next free block where it drew a covered one, so that the last ones of a pass come in
    // order here and there; a permutation has no such end.
    if drawn.repeats {
        alike("step", &steps(mine), &steps(fios), 1.0)?;
    }
    Ok(())
}
