//! What a job asked for, in short: enough to compare with what another asked for, and to be stored.

use super::{Asked, alike, plain, sorted};
use host::fio::{BlockSizes, Distribution, FileOrder, JobAccess, JobSpec, Size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Type of a request of a fio job with its time in ns, since its clone began (log of real fio) or the run began
/// (simulation).
pub type Timed = (u64, Asked);

/// Type of a map from a value, as text, to the number of times that the value occurred.
type Counts = BTreeMap<String, u64>;

/// Record that summarises the requests of one job of a fio job file, to compare those of the simulation and of real
/// fio.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of the fio job's requests, flushes included.
    pub requests: u64,
    /// Sum of the lengths of the fio job's requests in bytes.
    pub bytes: u64,
    /// Counts of the fio job's requests by operation and size; the three fields after it count them by file, by part of
    /// a file (256 KiB), and by step from one request to the next.
    kinds: Counts,
    files: Counts,
    places: Counts,
    steps: Counts,
    /// List of hashes of the fio job's requests in their order: of the first, of the first two, four, and so on, and of
    /// all.
    in_order: Vec<u64>,
    /// Hash of all the fio job's requests in sorted order.
    sorted: u64,
    /// Time in microseconds from the earliest to the latest request of the fio job.
    span_us: u64,
    /// Number of gaps between successive requests of the fio job that are as long as a pause (`thinktime`).
    pauses: u64,
    /// Times in ms, from the begin of the run, at which the fio job began and ended; none where they are not known.
    pub ran_ms: Option<(u64, u64)>,
}

/// Returns the hash (FNV-1a) of a list of requests, which is the same in every release of Rust.
fn hash(of: &[Asked]) -> u64 {
    let text = of.iter().map(|(file, kind, offset, bytes)| format!("{file} {kind} {offset} {bytes};"));
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.fold(0xcbf2_9ce4_8422_2325, |hash, one| one.bytes().fold(hash, mix))
}

fn count(of: impl Iterator<Item = String>) -> Counts {
    let mut counts = Counts::new();
    of.for_each(|key| *counts.entry(key).or_insert(0) += 1);
    counts
}

impl Summary {
    /// Makes the summary of a fio job's requests, given with their times; `ran_ms` is begin and end of the job in ms.
    pub fn of(timed: &[Timed], ran_ms: Option<(u64, u64)>) -> Self {
        let asked: Vec<Asked> = timed.iter().map(|one| one.1.clone()).collect();
        let asked = plain(&asked);
        let data = || asked.iter().filter(|one| one.1 != "flush");
        let part = |one: &Asked| format!("{} {} {}", one.0, one.1, one.2 >> PART_SHIFT);
        let step = |pair: &[Asked]| match pair[1].2 as i64 - (pair[0].2 + pair[0].3) as i64 {
            0 => "onward",
            step if step == -(pair[0].3 as i64) => "again",
            _ => "elsewhere",
        };
        let powers = (0..).map(|power| 1usize << power).take_while(|power| *power < asked.len());
        let times = || timed.iter().map(|one| one.0);
        Self {
            requests: asked.len() as u64,
            bytes: asked.iter().map(|one| one.3).sum(),
            kinds: count(asked.iter().map(|one| format!("{} {}", one.1, one.3))),
            files: count(data().map(|one| one.0.clone())),
            places: count(data().map(part)),
            steps: count(asked.windows(2).map(|pair| step(pair).to_owned())),
            in_order: powers.chain([asked.len()]).map(|length| hash(&asked[..length])).collect(),
            sorted: hash(&sorted(&asked)),
            span_us: (times().max().unwrap_or(0) - times().min().unwrap_or(0)) / 1000,
            pauses: timed.windows(2).filter(|pair| pair[1].0.saturating_sub(pair[0].0) >= PAUSE_NS).count()
                as u64,
            ran_ms,
        }
    }
}

/// Constant: shortest gap in ns between two requests that counts as a pause; pauses of the random fio jobs are 10 ms.
const PAUSE_NS: u64 = 9_500_000;

/// Constant: binary logarithm of the length in bytes of the parts of a file in which a summary counts requests.
const PART_SHIFT: u32 = 18;

/// Kind of property of a fio job's requests that the job file determines, so that simulation and real fio must agree in
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fixed {
    /// Case of what the job file determines: each request of the fio job, in its order.
    Each,
    /// Case of what the job file determines: all requests of the fio job, in any order.
    All,
    /// Case of what the job file determines: only the distributions from which the fio job's requests are drawn.
    Draws,
}

fn fixed(job: &JobSpec) -> Fixed {
    let used = job.directions();
    let first = &job.blocks[used[0]];
    let one_size = used.iter().all(|direction| {
        job.blocks[*direction].least() == first.most() && job.blocks[*direction].most() == first.most()
    });
    let one_kind = used.len() == 1 || job.access == JobAccess::TrimWrite;
    let in_turn = matches!(job.service.order, FileOrder::RoundRobin | FileOrder::Sequential);
    let clones = job.numjobs > 1;
    match job.random {
        _ if !one_size || !one_kind => Fixed::Draws,
        false if !in_turn && (job.io_size.is_some() || job.number_ios.is_some()) => Fixed::Draws,
        false if !in_turn => Fixed::All,
        false if clones => Fixed::All,
        false => Fixed::Each,
        true if is_mixed_by_chance(job) => Fixed::Draws,
        true if job.has_map()
            && job.number_ios.is_none()
            && job.io_size.is_none()
            && job.random_percent == [100; 3]
            && job.sequence == 1 =>
        {
            Fixed::All
        }
        true => Fixed::Draws,
    }
}

/// Returns true if the fio job has a run time, which may end it before its work is done.
fn by_time(job: &JobSpec) -> bool {
    job.runtime_ns.is_some()
}

/// Constant: number of standard deviations that a sample exceeds once in a million times.
const DEVIATIONS: f64 = 4.9;

/// Returns true if fio, unlike the simulation, draws the part at the end of a file that no block fills, and then leaves
/// the file: it counts this part as one of the blocks of zipf, pareto and normal; docs/reference/fio.md lists this.
fn leaves_files(job: &JobSpec) -> bool {
    let popular = |direction: &usize| {
        !matches!(job.distribution[*direction], Distribution::Uniform | Distribution::Zoned(_))
    };
    let files = files_of(job);
    let bytes = match (job.filesize, job.size) {
        (Some((bytes, _)), _) => bytes,
        (None, Some(Size::Bytes(bytes))) => bytes / files,
        _ => 0,
    };
    job.random && job.directions().iter().any(popular) && bytes % job.blocks[job.directions()[0]].least() != 0
}

fn files_of(job: &JobSpec) -> u64 {
    job.filename.as_ref().map_or(job.nrfiles, |names| names.len() as u64).max(1)
}

/// Returns true if fio writes other blocks than it trimmed in a `trimwrite` job: it draws the sizes of both from two
/// like sequences, which stay alike only where files are written in the order of the trims; docs/reference/fio.md lists
/// it.
fn mispairs(job: &JobSpec) -> bool {
    let keeps_order = match job.service.order {
        FileOrder::Sequential => true,
        // Pairs of requests, or one, or a file to its end; a flush takes the turn of a file.
        FileOrder::RoundRobin => {
            let in_a_row = job.service.in_a_row;
            let whole = in_a_row == 1 || in_a_row.is_multiple_of(2) || in_a_row == u64::MAX;
            whole && job.flush_every == [0; 2]
        }
        FileOrder::Random | FileOrder::Weighted(_) => false,
    };
    let sizes_drawn = job.directions().iter().any(|direction| !is_one(&job.blocks[*direction]));
    job.access == JobAccess::TrimWrite && !job.random && sizes_drawn && files_of(job) > 1 && !keeps_order
}

/// Returns true if fio skips files of a `verify_only` job that it does not have open (`openfiles`);
/// docs/reference/fio.md lists it.
fn skips_files(job: &JobSpec) -> bool {
    job.verify_only && job.openfiles.is_some_and(|most| (1..files_of(job)).contains(&most))
}

/// Checks that the summaries `mine` of the simulation and `fios` of real fio are both of requests of `job`; jobs in
/// which fio is known to differ pass. Returns an error if not.
pub fn compare(job: &JobSpec, mine: &Summary, fios: &Summary) -> Result<(), String> {
    if leaves_files(job) || mispairs(job) || skips_files(job) {
        return Ok(());
    }
    let n = mine.requests.min(fios.requests).max(1) as f64;
    let apart = (mine.requests as f64 - fios.requests as f64).abs();
    if (mine.requests == 0) != (fios.requests == 0) {
        return Err(format!("{} requests, fio {}", mine.requests, fios.requests));
    }
    let sizes_drawn = job.directions().iter().any(|direction| !is_one(&job.blocks[*direction]));
    // What is asked for by number may not be reached.
    let asked = job.number_ios.unwrap_or(u64::MAX).saturating_mul(job.loops * job.numjobs);
    let drawn_count = sizes_drawn && mine.requests.min(fios.requests) < asked;
    let noise = DEVIATIONS * (2.0 / n).sqrt();
    if by_time(job) {
        let drawn = if job.poisson || sizes_drawn || job.directions().len() > 1 { noise } else { 0.0 };
        // A direction without a rate goes as fast as the machine.
        let all_paced = job.directions().iter().all(|direction| job.rate_of(*direction).is_some());
        if all_paced && job.verify.is_none() && apart > 3.0 + n * (0.02 + drawn) {
            return Err(format!("{} requests in its time, fio {}", mine.requests, fios.requests));
        }
    } else if !drawn_count && !is_mixed_by_chance(job) {
        if mine.requests != fios.requests {
            return Err(format!("{} requests, fio {}", mine.requests, fios.requests));
        }
    } else {
        let squares =
            job.directions().iter().map(|direction| job.blocks[*direction].most()).max().unwrap_or(0) as f64;
        let bytes = (mine.bytes as f64 - fios.bytes as f64).abs();
        let slack = if is_mixed_by_chance(job) { DEVIATIONS * squares * (2.0 * n).sqrt() } else { 0.0 };
        let clones = (job.numjobs * job.nrfiles.max(1) * job.loops) as f64;
        let slack = slack + uncovered(job) * DEVIATIONS * (n / 2.0).sqrt();
        if !ends_by_chance(job) && bytes > squares * clones * 2.0 + slack {
            return Err(format!("{} bytes, fio {}", mine.bytes, fios.bytes));
        }
    }
    match fixed(job) {
        Fixed::Each if by_time(job) => {
            let shared = mine.in_order.len().min(fios.in_order.len()).saturating_sub(1);
            if mine.in_order[..shared] != fios.in_order[..shared] {
                return Err("requests, or their order".to_owned());
            }
        }
        Fixed::Each if mine.in_order != fios.in_order => return Err("requests, or their order".to_owned()),
        Fixed::All if !by_time(job) && mine.sorted != fios.sorted => {
            return Err("requests, in any order".to_owned());
        }
        Fixed::Each | Fixed::All => {}
        Fixed::Draws => drawn(job, mine, fios)?,
    }
    if job.think_ns > 0
        && job.numjobs == 1
        && !by_time(job)
        && !drawn_count
        && !is_mixed_by_chance(job)
        && mine.pauses != fios.pauses
    {
        return Err(format!("{} pauses, fio {} us in all", mine.pauses, fios.pauses));
    }
    if job.is_paced() && !by_time(job) {
        let gap = |of: &Summary| of.span_us as f64 / (of.requests.max(2) - 1) as f64;
        let drawn = if job.poisson || sizes_drawn || is_mixed_by_chance(job) || job.directions().len() > 1 {
            noise
        } else {
            0.0
        };
        // A clock of ms, and one that others use, too.
        // Clones begin one after the other, and the log counts from the beginning of each.
        let clock_us = if job.numjobs > 1 { 30_000.0 } else { 3000.0 };
        let most = gap(fios) * (0.02 + drawn) + clock_us / n;
        if (gap(mine) - gap(fios)).abs() > most {
            return Err(format!("{} us in all, fio {} us", mine.span_us, fios.span_us));
        }
    }
    Ok(())
}

fn is_one(blocks: &BlockSizes) -> bool {
    blocks.least() == blocks.most()
}

/// Returns the number of bytes that fio's map of `job` leaves uncovered by a request of the longest size, if that is no
/// multiple of the shortest; 0 without a map. How often that happens is a difference of two binomials, one of each
/// side, whose variance is at most half the draws.
fn uncovered(job: &JobSpec) -> f64 {
    let of = |direction: &usize| {
        let (least, most) = (job.blocks[*direction].least(), job.blocks[*direction].most());
        (least - most % least) % least
    };
    let has_map = job.random && job.has_map();
    job.directions().iter().map(of).max().filter(|_| has_map).unwrap_or(0) as f64
}

/// Returns true if the fio job may end early by chance, because of its map of accessed blocks or a file end that no
/// request fills.
fn ends_by_chance(job: &JobSpec) -> bool {
    let least = |direction: usize| job.blocks[direction].least();
    let several = least(1) != least(0) || least(2) != least(0);
    let over_holes =
        job.hole != 0 && job.directions().iter().any(|direction| !is_one(&job.blocks[*direction]));
    over_holes
        || (job.random && (job.random_percent != [100; 3] || job.sequence > 1 || (several && job.has_map())))
}

/// Returns true if the number of requests of the fio job depends on random draws.
fn is_mixed_by_chance(job: &JobSpec) -> bool {
    let least = |direction: usize| job.blocks[direction].least();
    let several = job.random && (least(1) != least(0) || least(2) != least(0));
    // Where blocks come again, how many are read back, too; and a file that is picked at random may be done early.
    let goes_on = job.random && (job.random_percent != [100; 3] || job.sequence > 1);
    goes_on
        || (several && job.has_map())
        || (job.directions().len() > 1 && [1, 2].iter().any(|direction| least(*direction) != least(0)))
        || (job.verify.is_some() && (job.directions().len() > 1 || (job.random && !job.has_map())))
}

fn drawn(job: &JobSpec, mine: &Summary, fios: &Summary) -> Result<(), String> {
    let as_float = |counts: &Counts| {
        counts.iter().map(|(key, count)| (key.clone(), *count as f64)).collect::<BTreeMap<_, _>>()
    };
    // fio draws the same in each pass through its files, so that so many draws are one.
    let passes = match job.size {
        Some(Size::Bytes(bytes)) => (fios.bytes as f64 / (bytes * job.numjobs).max(1) as f64).max(1.0),
        _ => 1.0,
    };
    let one = |what: &str, mine: &Counts, fios: &Counts, spread: f64| {
        alike(what, &as_float(mine), &as_float(fios), passes * spread * (DEVIATIONS / 4.5).powi(2))
    };
    let twice = if job.verify.is_some() { 2.0 } else { 1.0 };
    one("kind and size", &mine.kinds, &fios.kinds, twice)?;
    let run = match job.random_percent {
        [100, 100, 100] => job.sequence as f64,
        _ => 100.0 / job.random_percent[job.directions()[0]].max(1) as f64,
    };
    let in_a_row = (job.service.in_a_row.min(64)) as f64;
    let spread = if run > 1.0 || in_a_row > 1.0 { 2.0 * run.max(in_a_row) } else { 1.0 };
    if (job.sequence > 1 || job.random_percent != [100; 3]) && mine.files.len() > 1 {
        // A file is done at an end that no request fills, which it meets by chance; docs/reference/fio.md lists
        // `percentage_random`.
        return Ok(());
    }
    // Read in order, a file ends with short requests where a long one no longer fits: how many is no draw.
    let sizes_drawn = job.directions().iter().any(|direction| !is_one(&job.blocks[*direction]));
    if !job.random && sizes_drawn && mine.files.len() == fios.files.len() {
        return Ok(());
    }
    // As long as none of the files that are open is done, which of them are open was drawn once.
    let are_drawn_once = job.openfiles.is_some_and(|most| (1..files_of(job)).contains(&most))
        && matches!(job.service.order, FileOrder::Random | FileOrder::Weighted(_));
    if !are_drawn_once {
        one("file", &mine.files, &fios.files, spread)?;
    } else if job.openfiles == Some(1) && job.random && !job.has_map() && mine.files.len() != fios.files.len()
    {
        return Err(format!("{} files, fio {}", mine.files.len(), fios.files.len()));
    }
    let scattered = matches!(job.distribution[job.directions()[0]], Distribution::Zipf(_));
    // With a map and several sizes how many requests there are in a place follows from how the first of them cut it up: they are
    // no draws that a binomial describes. That each block comes once shows in the bytes.
    let cut_up = job.has_map() && !job.directions().iter().all(|direction| is_one(&job.blocks[*direction]));
    if job.random && !scattered && !cut_up && !are_drawn_once {
        one("file and place", &mine.places, &fios.places, spread)?;
    }
    // Clones take turns.
    let one_file = mine.files.len() < 2;
    // Which of two directions goes first when both are due is a matter of how long fio sleeps.
    let one_file = one_file && !(job.is_paced() && job.directions().len() > 1);
    if job.random && !job.has_map() && !scattered && job.numjobs == 1 && one_file {
        one("step", &mine.steps, &fios.steps, twice)?;
    }
    Ok(())
}

/// Checks that each two jobs of a file run one after the other, or at the same time, in the simulation as in real fio.
/// Returns an error if not.
pub fn compare_order(jobs: &[JobSpec], mine: &[Summary], fios: &[Summary]) -> Result<(), String> {
    // Shorter than this, one may be over before the other begins by chance.
    const CHANCE_MS: u64 = 150;
    for (after, job) in jobs.iter().enumerate() {
        for before in 0..after {
            let runs = |of: &[Summary]| Some((of[before].ran_ms?, of[after].ran_ms?));
            let (Some((a, b)), Some((c, d))) = (runs(mine), runs(fios)) else { continue };
            // A wall does not wait for a job whose delay is not over.
            let is_late = jobs[..after].iter().any(|job| job.delay_ns > 0);
            if is_late {
                // fio looks a few times a second; what runs then is a matter of chance.
                continue;
            }
            let in_turn = jobs[before + 1..=after].iter().any(|job| job.stonewall);
            let waits = in_turn || job.wait_for.as_ref() == Some(&jobs[before].name);
            let beside = !waits && b.0 + CHANCE_MS < a.1;
            if (waits && (b.0 < a.1 || d.0 + 3 < c.1)) || (beside && d.0 >= c.1 + CHANCE_MS) {
                return Err(format!(
                    "{} beside or after {}: {a:?} {b:?}, fio {c:?} {d:?}",
                    job.name, jobs[before].name
                ));
            }
        }
    }
    Ok(())
}

/// Record of a random fio job file with the summaries of the requests that real fio made from it, as stored for tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stored {
    /// Seed from which the random fio job file was made.
    pub seed: u64,
    /// Text of the random fio job file.
    pub job: String,
    /// List of the summaries of the requests that real fio made, one for each job of the file.
    pub fio: Vec<Summary>,
}

const DRIVE: u64 = 1 << 40;
/// Constant: greatest number of requests that the simulation makes of a job file, more than three jobs make in half a
/// second each if nothing limits their rate.
const MOST_REQUESTS: usize = 2_000_000;

/// Returns the summaries of the requests that the simulation makes from the fio job file `text`, one for each job.
///
/// # Errors
/// When the simulation refuses the job file.
pub fn ours(text: &str) -> Result<Vec<Summary>, String> {
    let sections = super::ours_timed(text, DRIVE, MOST_REQUESTS)
        .map_err(|error| format!("{}: expected {}", error.found, error.expected))?;
    let one = |timed: &Vec<Timed>| {
        let times = || timed.iter().map(|one| one.0 / 1_000_000);
        Summary::of(timed, times().min().zip(times().max()))
    };
    Ok(sections.iter().map(one).collect())
}

/// Checks that the summaries `mine` of the simulation and `fios` of real fio, one for each job, are of the job file
/// `text`. Returns an error, with the name of the job, if not.
pub fn compare_all(text: &str, mine: &[Summary], fios: &[Summary]) -> Result<(), String> {
    let jobs = super::read(text).map_err(|error| error.to_string())?.jobs;
    for ((job, mine), fios) in jobs.iter().zip(mine).zip(fios) {
        compare(job, mine, fios).map_err(|why| format!("{}: {why}", job.name))?;
    }
    compare_order(&jobs, mine, fios)
}
