//! The jobs beside real fio: the same files, sizes, mix and offsets. fio runs with `ioengine=null` and `write_iolog`,
//! which says what it would ask of its files. Where fio is not installed these tests say so and do nothing.
//!
//! What the jobs fix (files, sequential offsets, counts, coverage) must be equal; what is drawn at random is compared
//! by its distribution.

use host::fio::{FioWorkload, Variables, parse_text};
use host::{HostRequest, Op, Poll, Workload, WorkloadError};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;
use units::SimTime;

const DRIVE: u64 = 4 << 30;

/// A request as both say it: its file, what it does, where in the file, how long.
type Asked = (String, &'static str, u64, u64);

fn has_fio() -> bool {
    let found = Command::new("fio").arg("--version").output();
    let version =
        found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("fio-3.") {
        eprintln!("skipped: fio 3 is not installed");
    }
    version.starts_with("fio-3.")
}

/// A folder of its own for a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fio-agrees-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What fio asks for, by thread in the order of its log; the jobs are sections with their options.
fn of_fio(name: &str, text: &str) -> BTreeMap<String, Vec<Asked>> {
    let folder = Folder::new(name);
    let mut job = String::from("[global]\nioengine=null\nthread\n");
    for line in text.lines() {
        job.push_str(line);
        job.push('\n');
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'))
            && section != "global"
        {
            job.push_str(&format!("write_iolog={section}.iolog\n"));
        }
    }
    std::fs::write(folder.0.join("j.fio"), job).unwrap();
    let done = Command::new("fio").arg("j.fio").current_dir(&folder.0).output().unwrap();
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(&folder.0).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "iolog") {
            let section = path.file_stem().unwrap().to_string_lossy().into_owned();
            found.insert(section, read_iolog(&path));
        }
    }
    found
}

fn read_iolog(path: &Path) -> Vec<Asked> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut asked = Vec::new();
    for line in text.lines() {
        // Version 3 begins with a time, version 2 does not.
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) =
            words.iter().position(|word| matches!(*word, "read" | "write" | "trim" | "sync" | "datasync"))
        else {
            continue;
        };
        let kind = match words[at] {
            "read" => "read",
            "write" => "write",
            "trim" => "trim",
            _ => "flush",
        };
        let number = |index: usize| words.get(index).and_then(|word| word.parse().ok()).unwrap_or(0);
        let (offset, bytes) = if kind == "flush" { (0, 0) } else { (number(at + 1), number(at + 2)) };
        asked.push((words[at - 1].to_owned(), kind, offset, bytes));
    }
    asked
}

/// What this crate asks for, by section.
fn ours(text: &str) -> BTreeMap<String, Vec<Asked>> {
    let refuse = |name: &str| Err(WorkloadError::of(name, "no such file", "a file"));
    let file = parse_text("j.fio", text, &Variables::new(), &refuse).unwrap();
    let mut workload = FioWorkload::new(file, DRIVE, 1).unwrap();
    let files = workload.files().to_vec();
    let mut found: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    let mut outstanding: VecDeque<(u64, HostRequest)> = VecDeque::new();
    let mut now = 0;
    loop {
        let mut next = u64::MAX;
        match workload.poll(SimTime::from_ns(now)).unwrap() {
            Poll::Ready(request) => {
                let tag = workload.report().tags[usize::from(request.tag)].clone();
                found.entry(tag).or_default().push(said(&request, &files));
                outstanding.push_back((now + 1000, request));
                continue;
            }
            Poll::At(time) => next = time.ns(),
            Poll::Blocked => assert!(!outstanding.is_empty()),
            Poll::Done if outstanding.is_empty() => break,
            Poll::Done => {}
        }
        match outstanding.front() {
            Some((time, _)) if *time <= next => {
                let (time, request) = outstanding.pop_front().unwrap();
                now = time;
                workload.complete(&request, SimTime::from_ns(now), false);
            }
            _ => now = next,
        }
    }
    found
}

fn said(request: &HostRequest, files: &[host::fio::FileRegion]) -> Asked {
    let kind = ["read", "write", "trim", "flush"][request.op as usize];
    if request.op == Op::Flush {
        return (String::new(), kind, 0, 0);
    }
    let of = |file: &&host::fio::FileRegion| {
        (file.offset..file.offset + file.bytes.max(1)).contains(&request.offset)
    };
    let file = files.iter().find(of).expect("each request lies in a file");
    assert!(request.offset + u64::from(request.bytes) <= file.offset + file.bytes, "and within it");
    (file.name.clone(), kind, request.offset - file.offset, u64::from(request.bytes))
}

/// Flushes name no file.
fn plain(asked: &[Asked]) -> Vec<Asked> {
    let plain = |one: &Asked| if one.1 == "flush" { (String::new(), "flush", 0, 0) } else { one.clone() };
    asked.iter().map(plain).collect()
}

fn sorted(asked: &[Asked]) -> Vec<Asked> {
    let mut sorted = plain(asked);
    sorted.sort();
    sorted
}

/// How often each value comes.
fn counts<K: Ord>(of: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut counts = BTreeMap::new();
    of.for_each(|key| *counts.entry(key).or_insert(0.0) += 1.0);
    counts
}

/// Panics unless two samples of the same thing look alike: for each value the shares differ by no more than 4.5
/// standard deviations of a difference of two binomials.
///
/// Where several draws in a row are one (`run` of them on average), the deviation grows with the root of twice their
/// number.
fn alike<K: Ord + std::fmt::Debug>(what: &str, one: &BTreeMap<K, f64>, other: &BTreeMap<K, f64>, run: f64) {
    let run = if run > 1.0 { (2.0 * run).sqrt() } else { 1.0 };
    let (all, of_other): (f64, f64) = (one.values().sum(), other.values().sum());
    for key in one.keys().chain(other.keys()) {
        let (x, y) = (one.get(key).unwrap_or(&0.0), other.get(key).unwrap_or(&0.0));
        let p = (x + y) / (all + of_other);
        let deviation = run * (p * (1.0 - p) * (1.0 / all + 1.0 / of_other)).sqrt();
        let apart = (x / all - y / of_other).abs();
        assert!(
            apart <= 4.5 * deviation.max(1.0 / all),
            "{what}, {key:?}: {x} of {all}, fio {y} of {of_other}"
        );
    }
}

const EXACT: &[&str] = &[
    "[j]\nrw=write\nbs=4k\nsize=1m\n",
    "[j]\nrw=read\nbs=96k\nsize=1m\n",
    "[j]\nrw=write\nbs=96k\nsize=1m\nio_size=2m\n",
    "[j]\nrw=read\nbs=256k\nsize=1m\nloops=3\nio_size=2m\n",
    "[j]\nrw=write\nbs=4k\nsize=1m\nio_size=16k\nloops=3\n",
    "[j]\nrw=write\nbs=4k\nsize=1m\nio_size=50%\n",
    "[j]\nrw=write:8k\nbs=4k\nsize=64k\n",
    "[j]\nrw=write:-8k\nbs=4k\nsize=64k\n",
    "[j]\nrw=read:4k\nbs=4k\nsize=64k\noffset=16k\n",
    "[j]\nrw=read:-8k\nbs=4k\nsize=64k\noffset=64k\n",
    "[j]\nrw=write\nbs=4k\nsize=100k\nnrfiles=3\n",
    "[j]\nrw=write\nbs=4k\nsize=96k\nnrfiles=3\nfile_service_type=roundrobin:2\n",
    "[j]\nrw=read\nbs=4k\nsize=96k\nnrfiles=3\nfile_service_type=sequential\n",
    "[j]\nrw=write\nbs=4k\nsize=128k\nnrfiles=4\nopenfiles=2\n",
    "[j]\nrw=write\nbs=4k\nfilesize=64k\nnrfiles=2\n",
    "[j]\nrw=write\nbs=4k\nfilesize=64k\nnrfiles=2\nsize=64k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nfilename=a:b\nnrfiles=5\n",
    "[j]\nrw=trimwrite\nbs=4k\nsize=64k\n",
    "[j]\nrw=trim\nbs=16k\nsize=256k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nfsync=3\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nnumber_ios=7\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nend_fsync=1\n",
    "[a]\nrw=write\nbs=4k\nsize=64k\n[b]\nstonewall\nrw=read\nbs=8k\nsize=128k\nfilename=a.0.0\n",
];

#[test]
fn what_a_job_fixes_is_the_same_request_by_request() {
    if !has_fio() {
        return;
    }
    for (number, text) in EXACT.iter().enumerate() {
        let (mine, fios) = (ours(text), of_fio(&format!("exact-{number}"), text));
        assert_eq!(mine.keys().collect::<Vec<_>>(), fios.keys().collect::<Vec<_>>(), "{text}");
        for (job, asked) in &mine {
            assert_eq!(plain(asked), plain(&fios[job]), "{text}");
        }
    }
}

const SAME_SET: &[&str] = &[
    "[j]\nrw=randwrite\nbs=4k\nsize=4m\n",
    "[j]\nrw=randread\nbs=12k\nsize=1m\n",
    "[j]\nrw=randtrim\nbs=16k\nsize=1m\n",
    "[j]\nrw=randtrimwrite\nbs=4k\nsize=1m\n",
    "[j]\nrw=randread\nbs=4k\nsize=1m\nloops=3\n",
    "[j]\nrw=randread\nbs=4k\nsize=1m\nnrfiles=4\nfile_service_type=random\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nnrfiles=4\nopenfiles=2\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nfsync=16\n",
    "[j]\nrw=randread\nbs=4k\nsize=1m\nnumjobs=3\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nnumjobs=3\nfilename=x\noffset_increment=64k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nnumjobs=2\nfilename_format=$jobname.of.$jobnum.$filenum\nnrfiles=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nnumjobs=2\ndirectory=.\n",
];

#[test]
fn the_same_blocks_of_the_same_files_are_visited() {
    if !has_fio() {
        return;
    }
    for (number, text) in SAME_SET.iter().enumerate() {
        let (mine, fios) = (ours(text), of_fio(&format!("set-{number}"), text));
        let name = |asked: &Asked| {
            let file = asked.0.strip_prefix("./").unwrap_or(&asked.0).to_owned();
            (file, asked.1, asked.2, asked.3)
        };
        let of = |found: &BTreeMap<String, Vec<Asked>>| {
            let all: Vec<Asked> = found.values().flatten().map(name).collect();
            sorted(&all)
        };
        assert_eq!(of(&mine), of(&fios), "{text}");
    }
}

const ALIKE: &[&str] = &[
    "[j]\nrw=rw\nrwmixread=25\nbs=4k\nsize=64m\n",
    "[j]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=64m\n",
    "[j]\nrw=randrw\nrwmixwrite=5\nbs=4k,8k\nnorandommap\nsize=64m\n",
    "[j]\nrw=randwrite\nbssplit=4k/50:16k/30:64k/\nnorandommap\nsize=256m\n",
    "[j]\nrw=randwrite\nbssplit=4k/50:16k/50\nsize=64m\n",
    "[j]\nrw=randrw\nbsrange=4k-16k\nsize=64m\n",
    "[j]\nrw=randread\nbsrange=4k-10k\nnorandommap\nsize=64m\n",
    "[j]\nrw=write\nbssplit=4k/90:64k/10\nsize=64m\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_generator=tausworthe64\n",
    "[j]\nrw=randread\nbs=4k\nblockalign=16k\nsize=64m\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\npercentage_random=30\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_distribution=zoned:60/10:30/20:10/\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_distribution=zoned_abs:90/16m:10/48m\n",
    "[j]\nrw=randrw\nbs=4k\nsize=64m\nrandom_distribution=zoned:90/10:10/80\n",
    "[j]\nrw=randread:4\nbs=4k\nsize=64m\nnorandommap\n",
    "[j]\nrw=randread:4\nbs=4k\nsize=64m\nrw_sequencer=identical\nnorandommap\n",
    "[j]\nrw=randread\nbs=4k\nsize=64m\nnorandommap\nnrfiles=5\nfile_service_type=random:3\n",
];

#[test]
fn what_is_drawn_is_drawn_alike() {
    if !has_fio() {
        return;
    }
    for (number, text) in ALIKE.iter().enumerate() {
        let (mine, fios) = (ours(text), of_fio(&format!("alike-{number}"), text));
        let (mine, fios) = (&mine["j"], &fios["j"]);
        let in_runs =
            ["percentage_random", "randread:4", "random:3"].iter().any(|option| text.contains(option));
        let run = if in_runs { 4.0 } else { 1.0 };
        let bytes = |asked: &[Asked]| asked.iter().map(|one| one.3).sum::<u64>() as f64;
        assert!((bytes(mine) / bytes(fios) - 1.0).abs() < 0.002, "{text}: {} {}", bytes(mine), bytes(fios));
        let kinds = |asked: &[Asked]| counts(asked.iter().map(|one| (one.1, one.3)));
        alike(&format!("{text} kind and size"), &kinds(mine), &kinds(fios), 1.0);
        if text.contains("rw=rand") {
            let places =
                |asked: &[Asked]| counts(asked.iter().map(|one| (one.0.clone(), one.1, one.2 >> 22)));
            alike(&format!("{text} file and place"), &places(mine), &places(fios), run);
        }
        let grid = |asked: &[Asked]| counts(asked.iter().map(|one| one.2 % (16 << 10)));
        alike(&format!("{text} alignment"), &grid(mine), &grid(fios), run);
        // How far a request is from the end of the one before: onward, on the same spot, or elsewhere.
        let steps = |asked: &[Asked]| {
            counts(asked.windows(2).map(|pair| match pair[1].2 as i64 - (pair[0].2 + pair[0].3) as i64 {
                0 => "onward",
                step if step == -(pair[0].3 as i64) => "again",
                _ => "elsewhere",
            }))
        };
        // With a map fio takes the next free block where it drew a covered one, so that the last ones of a pass come in
        // order here and there; a permutation has no such end.
        if text.contains("norandommap") {
            alike(&format!("{text} step"), &steps(mine), &steps(fios), 1.0);
        }
    }
}

/// Names of options in a listing of fio's: before a colon, or at the beginnings of lines.
fn listed(arguments: &[&str]) -> Vec<String> {
    let output = Command::new("fio").args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |line: &str| line.split(':').next().unwrap_or("").trim().to_owned();
    text.lines().filter(|line| line.contains(':')).map(name).filter(|name| !name.contains(' ')).collect()
}

#[test]
fn no_option_of_fios_is_unknown() {
    if !has_fio() {
        return;
    }
    let refuse = |name: &str| Err(WorkloadError::of(name, "no such file", "a file"));
    let mut names = listed(&["--cmdhelp=all"]);
    assert!(names.len() > 200, "{}", names.len());
    let engines = Command::new("fio").arg("--enghelp").output().unwrap();
    let engines = String::from_utf8_lossy(&engines.stdout).into_owned();
    let engines: Vec<&str> = engines.lines().skip(1).map(str::trim).filter(|name| !name.is_empty()).collect();
    assert!(engines.contains(&"libaio") && engines.contains(&"net"), "{engines:?}");
    for engine in &engines {
        names.extend(listed(&[&format!("--enghelp={engine}")]));
        let job = format!("[j]\nsize=1m\nioengine={engine}\n");
        if let Err(error) = parse_text("j.fio", &job, &Variables::new(), &refuse) {
            assert!(error.expected.contains("an engine that does block I/O"), "{engine}: {error}");
        }
    }
    names.retain(|name| {
        let job = format!("[j]\nsize=1m\n{name}=no such value\n");
        let read = parse_text("j.fio", &job, &Variables::new(), &refuse);
        read.is_err_and(|error| error.found.contains("no such option"))
    });
    assert!(names.is_empty(), "{names:?}");
}
