//! Job files played beside the fio that is installed: a line for each says whether the requests are the same.
//!
//! `cargo run -p host --example fio_beside -- [--env NAME=VALUE]... FILE...`; `benches/fio_jobs.py --beside-fio` runs it.
//! Sizes are divided by a power of two where a job would take too long, the same on both sides; fio takes no longer
//! than two seconds for each job. What one has asked for beyond what the other could in its time is left out.

// The tests need more of it.
#[allow(dead_code)]
#[path = "../tests/beside/mod.rs"]
mod beside;

use beside::{Asked, DEVICE, Drawn, drawn_alike, has_fio, ours, plain, read, sorted};
use host::fio::{Distribution, JobFile, JobSpec, Size, is_device};
use std::path::Path;

/// Constant of the comparison of job files with real fio: number of requests, about, that all jobs of a file make
/// together after their sizes were divided; enough to compare distributions.
const REQUESTS: u64 = 40_000;
/// Constant of the comparison of job files with real fio: number of requests to which each clone of a job is limited,
/// so that the clone's requests fit into one piece of the log that fio writes.
const OF_CLONE: usize = 60;
/// Constant: size in bytes of the drive in the comparison of job files with real fio, before sizes are divided.
const DRIVE: u64 = 1 << 39;
/// Constant list of the fio options whose values are in bytes, which the comparison of job files with real fio divides.
const SIZES: &[&str] = &[
    "size",
    "io_size",
    "io_limit",
    "filesize",
    "offset",
    "offset_increment",
    "zonesize",
    "zonerange",
    "zoneskip",
];
/// Constant list of the fio options left out of the job file that real fio gets in a comparison: they concern fio's
/// machine, engines or clock, or say when a job ends.
const NOT_FIOS: &[&str] = &[
    "ioengine",
    "io_submit_mode",
    "iodepth",
    "iodepth_batch",
    "iodepth_batch_submit",
    "iodepth_batch_complete",
    "iodepth_batch_complete_min",
    "iodepth_batch_complete_max",
    "iodepth_low",
    "directory",
    "buffer_pattern",
    "refill_buffers",
    "thread",
    "direct",
    "buffered",
    "startdelay",
    "start_delay",
    "ramp_time",
    "runtime",
    "timeout",
    "cpus_allowed",
    "cpus_allowed_policy",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "nice",
    "prio",
    "prioclass",
    "ioscheduler",
    "exec_prerun",
    "exec_postrun",
    "cgroup",
    "cgroup_weight",
    "mem",
    "iomem",
    "lockmem",
    "uid",
    "gid",
    "hugepage-size",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
    "write_hist_log",
    "write_iolog",
    "log_issue_time",
    "log_offset",
    "atomic",
    "verify_async_cpus",
    "cpumask",
    "spdk_conf",
    "spdk_json_conf",
    "clocksource",
    "gtod_cpu",
    "unlink",
    "create_serialize",
];
/// Constant list of the fio options that a comparison leaves out for real fio and for the simulation: they end a job by
/// its measured speed, or have fio check data that its null engine never wrote.
const NEITHERS: &[&str] = &[
    "steadystate",
    "ss",
    "steadystate_duration",
    "ss_dur",
    "steadystate_ramp_time",
    "ss_ramp",
    "steadystate_check_interval",
    "ss_interval",
    "verify_pattern",
    "verify_state_save",
    "verify_state_load",
    "iodepth",
];

fn main() {
    let mut variables = Vec::new();
    let mut arguments = std::env::args().skip(1);
    let mut files = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--env" => variables.extend(arguments.next()),
            _ => files.push(argument),
        }
    }
    if !has_fio() {
        std::process::exit(1);
    }
    for path in files {
        let verdict = std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| {
            let lines: Vec<String> = text.lines().map(|line| bare(line, &variables)).collect();
            beside_fio(&lines)
        });
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}: {}", verdict.unwrap_or_else(|why| format!("not comparable: {why}")));
    }
}

/// Returns a line of a fio job file without comment and outer blanks, and with the variables (`NAME=VALUE`) in it
/// replaced by their values.
fn bare(line: &str, variables: &[String]) -> String {
    let mut line = line.split([';', '#']).next().unwrap_or("").trim().to_owned();
    for (name, value) in variables.iter().filter_map(|variable| variable.split_once('=')) {
        line = line.replace(&format!("${{{name}}}"), value);
    }
    line
}

/// Returns the name of the option in a line of a fio job file, and its value, which is empty if the line has no `=`.
fn option(line: &str) -> (&str, &str) {
    line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()))
}

/// Plays the fio job file `lines` in the simulation and in real fio, and returns the result of the comparison of their
/// requests as text, such as `same`; an error if they cannot be compared.
fn beside_fio(lines: &[String]) -> Result<String, String> {
    let text = |keep: &dyn Fn(&str) -> Option<String>| -> String {
        lines.iter().filter_map(|line| keep(line)).map(|line| line + "\n").collect()
    };
    let paced = lines.iter().any(|line| ["rate", "rate_iops", "thinktime"].contains(&option(line).0));
    let no_end = |line: &str| match option(line).0 {
        key if NEITHERS.contains(&key) => None,
        // A microsecond for each request.
        "runtime" | "timeout" if !paced => Some("runtime=20ms".to_owned()),
        _ => Some(line.to_owned()),
    };
    let file = read(&text(&no_end)).map_err(|error| error.to_string())?;
    let divisor = divisor(&file);
    let least =
        file.jobs.iter().flat_map(|job| &job.blocks).map(|blocks| blocks.most()).max().unwrap_or(4096);
    let scaled = |line: &str| no_end(line).map(|line| shorter(&line, divisor, least.next_power_of_two() * 4));
    let drive = (DRIVE / divisor).max(least * 16);
    let mut said = Vec::new();
    if divisor > 1 {
        said.push(format!("sizes / {divisor}"));
    }
    let clones = file.jobs.iter().any(|job| job.numjobs > 1);
    let verdict = if clones {
        let one = |line: &str| scaled(line).filter(|line| option(line).0 != "numjobs");
        let few =
            |line: &str| scaled(line).filter(|line| !["time_based", "number_ios"].contains(&option(line).0));
        let few = format!("[global]\nnumber_ios={OF_CLONE}\n{}", text(&few));
        let all = compare(&few, drive, true, &mut said)?;
        format!("{}; with its clones {all}", compare(&text(&one), drive, false, &mut said)?)
    } else {
        compare(&text(&scaled), drive, false, &mut said)?
    };
    said.sort();
    said.dedup();
    Ok(if said.is_empty() { verdict } else { format!("{verdict} ({})", said.join(", ")) })
}

/// Returns the power of two by which sizes of a fio job file are divided so that its jobs make about `REQUESTS`
/// requests together.
fn divisor(file: &JobFile) -> u64 {
    let bytes = |job: &JobSpec| {
        let size = match (job.io_size.or(job.size), job.filesize) {
            (Some(Size::Bytes(bytes)), _) => bytes,
            (_, Some((_, most))) => most * job.nrfiles,
            _ => DRIVE,
        };
        let blocks = &job.blocks[job.directions()[0]];
        size * 2 / (blocks.least() + blocks.most()) * job.loops.min(100)
    };
    let requests: u64 = file.jobs.iter().map(bytes).sum();
    (requests / REQUESTS).max(1).next_power_of_two()
}

/// Returns a line of a fio job file with its size divided by `divisor`, but not below `least` bytes; a percentage, or
/// an option that is no size, stays unchanged.
fn shorter(line: &str, divisor: u64, least: u64) -> String {
    let (key, value) = option(line);
    if divisor == 1 || !SIZES.contains(&key) {
        return line.to_owned();
    }
    let size = |value: &str| read(&format!("[j]\nsize={value}\n")).ok().and_then(|file| file.jobs[0].size);
    let one = |value: &str| match size(value) {
        Some(Size::Bytes(bytes)) if bytes > least => {
            ((bytes / divisor).max(least) / least * least).to_string()
        }
        _ => value.to_owned(),
    };
    let values: Vec<String> = value.split('-').map(one).collect();
    format!("{key}={}", values.join("-"))
}

/// Returns the job file `text` for the simulation without `ioengine`, so that each clone has one request at a time in
/// flight (`psync`), as with fio's null engine.
fn on_one_engine(text: &str, file: &JobFile) -> String {
    let mut job = String::new();
    for line in text.lines().filter(|line| option(line).0 != "ioengine") {
        match option(line).0 {
            "filename" if file.jobs.iter().any(has_bdevs) => job.push_str("filename=/dev/nvme0n1"),
            _ => job.push_str(line),
        }
        job.push('\n');
    }
    job
}

/// Returns the job file `text` in the form that real fio gets for a comparison: without options that are left out for
/// fio or that fio refused, and with the drive as a file of `drive` bytes.
fn for_fio(text: &str, file: &JobFile, drive: u64, refused: &[String]) -> String {
    let mut job = String::from("[global]\nruntime=2\n");
    let mut jobs = file.jobs.iter();
    for line in text.lines() {
        let (key, value) = option(line);
        if NOT_FIOS.contains(&key) || refused.iter().any(|one| one == key) {
            continue;
        }
        match key {
            "filename" if is_device(value) || file.jobs.iter().any(has_bdevs) => {
                job.push_str(&format!("filename={DEVICE}\n"))
            }
            "verify" if !matches!(value, "0" | "none") => job.push_str("verify=null\n"),
            _ => job.push_str(&format!("{line}\n")),
        }
        if line.starts_with('[') && line != "[global]" {
            job.push_str(&on_the_drive(jobs.next().expect("a section of this job"), drive));
        }
    }
    job
}

/// Returns true if the file names of the fio job are names of SPDK block devices, because its I/O engine is
/// `spdk_bdev`.
fn has_bdevs(job: &JobSpec) -> bool {
    job.engine.as_deref().is_some_and(|engine| engine.ends_with("spdk_bdev"))
}

/// Returns the job file lines by which real fio takes the drive of `drive` bytes as the file of `job`: its name, and
/// its size, which fio's null engine does not know; empty if the job needs none.
fn on_the_drive(job: &JobSpec, drive: u64) -> String {
    let sized = matches!(job.size, Some(Size::Bytes(_))) || job.filesize.is_some();
    let several = job.directory.is_some() || job.nrfiles > 1;
    let names_it = job.filename.as_ref().is_some_and(|names| has_bdevs(job) || is_device(&names[0]));
    let is_it = job.filename.is_none() && (is_device(&job.name) || !(sized || several));
    let mut lines = String::new();
    if is_it {
        lines.push_str(&format!("filename={DEVICE}\n"));
    }
    if (names_it || is_it) && !sized {
        // From filesize alone the null engine does not know where zones begin again.
        let key = if job.zones.size > 0 { "size" } else { "filesize" };
        lines.push_str(&format!("{key}={drive}\n"));
    }
    lines
}

/// Plays the job file `text` in the simulation and in real fio, and returns as text how alike their requests are, such
/// as `same`; adds remarks to `said`. With `few` requests of each of several clones, any order counts as the same.
fn compare(text: &str, drive: u64, few: bool, said: &mut Vec<String>) -> Result<String, String> {
    let file = read(text).map_err(|error| error.to_string())?;
    let most = REQUESTS as usize * 3;
    let mine = ours(&on_one_engine(text, &file), drive, most).map_err(|error| error.to_string())?;
    let was_cut = mine.iter().map(Vec::len).sum::<usize>() >= most;
    let mut refused: Vec<String> = Vec::new();
    let began = std::time::Instant::now();
    let fios = loop {
        match beside::of_fio("job", &for_fio(text, &file, drive, &refused)) {
            Ok(fios) => break fios,
            Err(why) => {
                let bad = why.split_once("Bad option <").and_then(|(_, rest)| rest.split_once(['>', '=']));
                let Some((bad, _)) = bad.filter(|(bad, _)| !refused.iter().any(|one| one == bad)) else {
                    return Err(format!("fio: {}", why.split_whitespace().collect::<Vec<_>>().join(" ")));
                };
                refused.push(bad.to_owned());
            }
        }
    };
    if let Some(option) = refused.iter().find(|option| !file.ignored.contains(option)) {
        return Err(format!("fio's null engine, or its version, has no {option}"));
    }
    // It met the end of its time.
    let slow = began.elapsed().as_secs() >= 2;
    let mut worst = 0;
    for ((job, mine), fios) in file.jobs.iter().zip(&mine).zip(&fios) {
        let is_timed =
            job.time_based || job.think_ns > 0 || job.rate.iter().chain(&job.rate_iops).any(Option::is_some);
        if (was_cut || file.exitall) && (mine.is_empty() || fios.is_empty()) {
            said.push(format!("{} not reached", job.name));
            continue;
        }
        let least = |direction: &usize| job.blocks[*direction].least();
        let one_map = job.has_map() && job.directions().len() > 1;
        let by_chance = one_map && job.directions().iter().any(|direction| least(direction) != least(&0));
        if by_chance {
            said.push(format!("{} ends where its map does, by chance", job.name));
        }
        match likeness(job, (mine, fios), few, is_timed || was_cut || slow || by_chance || file.exitall) {
            Ok(likeness) => worst = worst.max(likeness),
            Err(why) => return Ok(format!("differs: job {}: {why}", job.name)),
        }
        if mine.len() != fios.len() {
            said.push(format!("the first {} requests of {}", mine.len().min(fios.len()), job.name));
        }
    }
    Ok(["same", "same blocks in another order", "same in distribution"][worst].to_owned())
}

/// Returns how alike the requests of a fio job in the simulation (`mine`) and in real fio (`fios`) are: 0 for the same,
/// 1 for the same in another order, 2 for the same distributions; an error if they differ.
fn likeness(
    job: &JobSpec,
    (mine, fios): (&[Asked], &[Asked]),
    few: bool,
    is_cut: bool,
) -> Result<usize, String> {
    // fio does not get the folders.
    let bare = |asked: &[Asked]| -> Vec<Asked> {
        let name = |one: Asked| (one.0.rsplit('/').next().unwrap_or("").to_owned(), one.1, one.2, one.3);
        plain(asked).into_iter().map(name).collect()
    };
    let (mut mine, mut fios) = (bare(mine), bare(fios));
    let count = mine.len().min(fios.len());
    if count == 0 && !(mine.is_empty() && fios.is_empty()) {
        return Err(format!("{} requests, fio {}", mine.len(), fios.len()));
    }
    if is_cut {
        mine.truncate(count);
        fios.truncate(count);
    }
    if mine == fios {
        return Ok(0);
    }
    if sorted(&mine) == sorted(&fios) {
        return Ok(if few { 0 } else { 1 });
    }
    let bytes = |asked: &[Asked]| asked.iter().map(|one| one.3).sum::<u64>() as f64;
    // Which part of a mix is read back is drawn, and so is how many blocks were written where they repeat.
    let squares = mine.iter().map(|one| (one.3 * one.3) as f64).sum::<f64>();
    let mix = job.directions().len() > 1;
    let by_chance = job.verify.is_some() && (mix || (job.random && !job.has_map()));
    let drawn = if by_chance { 4.5 * squares.sqrt() } else { 0.0 };
    let apart = (bytes(&mine) - bytes(&fios)).abs();
    if !is_cut && !few && apart > 0.01 * bytes(&fios) + drawn {
        return Err(format!("{} bytes, fio {}", bytes(&mine), bytes(&fios)));
    }
    if !few
        && !job.random
        && job.directions().len() == 1
        && job.blocks[job.directions()[0]].least() == job.blocks[job.directions()[0]].most()
    {
        let first = mine.iter().zip(&fios).position(|(mine, fios)| mine != fios).unwrap_or(count);
        return Err(format!("request {first}: {:?}, fio {:?}", mine.get(first), fios.get(first)));
    }
    let places: u64 = mine.iter().map(|one| one.2).max().unwrap_or(0).max(1);
    // A long request covers the place of many short ones.
    let uneven = squares * mine.len() as f64 / bytes(&mine).powi(2);
    let popular = job
        .distribution
        .iter()
        .any(|one| matches!(one, Distribution::Zipf(_) | Distribution::Pareto(_) | Distribution::Normal(_)));
    let drawn = Drawn {
        // Clones that end by time get what turns they get.
        // What is popular lies elsewhere: fio's hash leaves it side by side where the blocks are a power of two.
        at_random: (job.random && !popular) || (few && job.runtime_ns.is_none()),
        repeats: job.norandommap && !few,
        run: uneven.max(job.sequence as f64).max(100.0 / job.random_percent[0].clamp(1, 100) as f64),
        part: if few { u64::MAX } else { places.div_ceil(16) },
        grid: if popular { job.blocks[job.directions()[0]].least() } else { 16 << 10 },
        twice: job.verify.is_some() && mix,
    };
    drawn_alike(&mine, &fios, drawn).map(|()| 2)
}
