//! Random fio jobs played beside real fio (`ioengine=null`, `write_iolog`): what each job fixes must be the same, what
//! it draws must be alike at a level of 1e-6, and it must run when fio runs it.
//!
//! `FIO=fio cargo run -p host --example fio_random -- [FIRST] [COUNT] [FILE]`: so many jobs from seed FIRST on; with
//! FILE, what fio asks for is stored there for `tests/all/fio_random.rs`. Jobs that both refuse, and jobs that only
//! this crate refuses, are counted with their reasons. With a job file in place of FIRST, what this crate asks for is
//! printed, a line a request: section, us, file, kind, offset, bytes. It takes about two seconds a job at most, mostly fio's.

// The tests need more of it.
#[allow(dead_code)]
#[path = "../tests/beside/mod.rs"]
mod beside;

use beside::random;
use beside::summary::{Stored, Summary, compare_all, ours};
use std::collections::BTreeMap;

fn main() {
    if let Some(path) = std::env::args().nth(1).filter(|path| path.ends_with(".fio")) {
        return show(&std::fs::read_to_string(path).expect("a job file"));
    }
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (first, wanted) = (number(0), number(500));
    let out = arguments.next();
    let most_stored = if out.is_some() { 40 } else { u64::MAX };
    let verbose = std::env::var_os("VERBOSE").is_some();
    if !beside::has_fio() {
        std::process::exit(1);
    }
    let (mut compared, mut differs, mut refused) = (0, 0, BTreeMap::new());
    let mut stored = Vec::new();
    let mut seed = first;
    while compared < wanted {
        let text = random::job(seed);
        if stored.len() as u64 == most_stored {
            break;
        }
        if verbose {
            eprintln!("seed {seed}\n{text}");
        }
        match examine(seed, &text) {
            Verdict::Refused(why) => *refused.entry(why).or_insert(0) += 1,
            Verdict::Same(fios) => {
                compared += 1;
                stored.push(Stored { seed, job: text, fio: fios });
            }
            Verdict::Differs(why) => {
                compared += 1;
                differs += 1;
                println!("seed {seed}: {why}\n{text}");
            }
        }
        seed += 1;
    }
    for (why, count) in &refused {
        println!("refused {count}: {why}");
    }
    println!("{compared} jobs (seeds {first} to {}), {differs} differ", seed - 1);
    if let Some(path) = out {
        let lines: Vec<String> =
            stored.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
        std::fs::write(path, lines.concat()).unwrap();
    }
    std::process::exit(i32::from(differs > 0));
}

/// Prints the requests that the simulation makes from the fio job file `text`, one in a line.
fn show(text: &str) {
    for (index, section) in beside::ours_timed(text, 1 << 40, 100_000).expect("a job").iter().enumerate() {
        for (ns, (file, kind, offset, bytes)) in section {
            println!("{index} {} {file} {kind} {offset} {bytes}", ns / 1000);
        }
    }
}

/// Kind of outcome of the comparison of a random fio job file, played in the simulation and in real fio.
enum Verdict {
    /// Case of outcome: the requests of the simulation agree with those of fio, whose summaries by job are given.
    Same(Vec<Summary>),
    /// Case of outcome: the requests differ, or fio alone refuses the job file; the text says what differs.
    Differs(String),
    /// Case of outcome: nothing to compare, since the simulation refused the job file or fio did not end; the text says
    /// why.
    Refused(String),
}

/// Plays the random fio job file `text` of number `seed` in the simulation and in real fio, and returns the outcome of
/// the comparison. Where only times differ, fio runs up to three times, as other programs may have delayed it.
fn examine(seed: u64, text: &str) -> Verdict {
    let mine = match ours(text) {
        Ok(mine) => mine,
        Err(why) => {
            let why = without_numbers(&why);
            return match beside::run_fio(&format!("random-{seed}"), text) {
                Ok(_) => Verdict::Refused(format!("here only: {why}")),
                Err(_) => Verdict::Refused(format!("by both: {why}")),
            };
        }
    };
    let mut why = String::new();
    for _ in 0..3 {
        let said = match beside::run_fio(&format!("random-{seed}"), text) {
            Ok(said) => said,
            Err(said) if said.starts_with(beside::ENDLESS) => {
                return Verdict::Refused("fio does not come to its end".to_owned());
            }
            Err(said) => {
                return Verdict::Differs(format!(
                    "fio refuses it: {}",
                    said.chars().take(300).collect::<String>()
                ));
            }
        };
        let ran = ran(&said.1, text);
        let fios: Vec<Summary> = said
            .0
            .iter()
            .enumerate()
            .map(|(index, timed)| Summary::of(timed, ran.get(index).copied()))
            .collect();
        match compare_all(text, &mine, &fios) {
            Ok(()) => return Verdict::Same(fios),
            Err(found) => why = found,
        }
        if !why.contains("us in all") && !why.contains("beside or after") && !why.contains("in its time") {
            break;
        }
    }
    Verdict::Differs(why)
}

/// Returns the text of an error with each word that has a digit replaced by `N`, so that equal reasons can be counted.
fn without_numbers(text: &str) -> String {
    let words = text
        .split_whitespace()
        .map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "N" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the begin and end of each job of the file `text` in ms after the first begin, from the JSON output of real
/// fio; empty where this version of fio does not give them.
fn ran(json: &str, text: &str) -> Vec<(u64, u64)> {
    let start = json.find('{').unwrap_or(0);
    let Ok(document) = serde_json::from_str::<serde_json::Value>(&json[start..]) else { return Vec::new() };
    let Ok(file) = beside::read(text) else { return Vec::new() };
    let found = document["jobs"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| -> Option<(u64, u64)> {
        let one = |job: &serde_json::Value| Some((job["job_start"].as_u64()?, job["job_runtime"].as_u64()?));
        let mine: Option<Vec<_>> = found.iter().filter(|job| job["jobname"] == name).map(one).collect();
        let mine = mine?;
        Some((mine.iter().map(|one| one.0).min()?, mine.iter().map(|one| one.0 + one.1).max()?))
    };
    let all: Option<Vec<_>> = file.jobs.iter().map(|job| of(&job.name)).collect();
    let Some(all) = all else { return Vec::new() };
    let first = all.iter().map(|one| one.0).min().unwrap_or(0);
    all.iter().map(|one| (one.0 - first, one.1 - first)).collect()
}
