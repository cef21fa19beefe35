//! Random fio jobs played beside real fio (`ioengine=null`, `write_iolog`): what each job fixes must be the same, what
//! it draws must be alike at a level of 1e-6, and it must run when fio runs it.
//!
//! `FIO=fio cargo run -p host --example fio_random -- [FIRST] [COUNT] [FILE]`: so many jobs from seed FIRST on; with
//! FILE, what fio asks for is stored there for `tests/all/fio_random.rs`. Jobs that both refuse, and jobs that only
//! this crate refuses, are counted with their reasons. With a job file in place of FIRST, what this crate asks for is
//! printed, a line a request: section, us, file, kind, offset, bytes. It takes about two seconds a job at most, mostly fio's.

#[path = "../tests/beside/mod.rs"]
mod beside;

use beside::random;
use beside::summary::{Stored, Verdict, examine};
use std::collections::BTreeMap;

fn main() {
    if let Some(path) = std::env::args().nth(1).filter(|path| path.ends_with(".fio")) {
        return show(&std::fs::read_to_string(path).expect("a job file"));
    }
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (first, wanted) = (number(0), number(500));
    let out = arguments.next();
    let verbose = std::env::var_os("VERBOSE").is_some();
    if !beside::has_fio() {
        std::process::exit(1);
    }
    let (mut compared, mut differs, mut refused) = (0, 0, BTreeMap::new());
    let mut stored = Vec::new();
    let mut seed = first;
    while compared < wanted {
        let text = random::job(seed);
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
        let lines: Vec<String> = stored.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
        std::fs::write(path, lines.concat()).unwrap();
    }
    std::process::exit(i32::from(differs > 0));
}

/// Prints what this crate asks for.
fn show(text: &str) {
    for (index, section) in beside::ours_timed(text, 1 << 40, 100_000).expect("a job").iter().enumerate() {
        for (ns, (file, kind, offset, bytes)) in section {
            println!("{index} {} {file} {kind} {offset} {bytes}", ns / 1000);
        }
    }
}
