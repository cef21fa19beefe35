//! The jobs beside real fio: the same files, sizes, mix and offsets. fio runs with `ioengine=null` and `write_iolog`,
//! which says what it would ask of its files. Where fio is not installed these tests say so and do nothing.
//!
//! What the jobs fix (files, sequential offsets, counts, coverage) must be equal; what is drawn at random is compared
//! by its distribution.

use crate::beside::{self, Drawn, drawn_alike, has_fio, is_new, plain, read, sorted};
use std::process::Command;

const DRIVE: u64 = 4 << 30;

/// Test helper: returns the requests that the simulation and real fio make from the fio job file `text`, by job.
fn both(name: &str, text: &str) -> (Vec<Vec<beside::Asked>>, Vec<Vec<beside::Asked>>) {
    (beside::ours(text, DRIVE, usize::MAX).unwrap(), beside::of_fio(name, text).unwrap())
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
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nloops=3\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=128k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=160k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=480k\nloops=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=32k\nloops=3\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=160k\nverify_backlog=8\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=160k\nnumber_ios=25\nloops=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=160k\ndo_verify=0\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nio_size=160k\ndo_verify=0\nloops=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nio_size=160k\ndo_verify=0\n",
    "[j]\nrw=trimwrite\nbs=4k\nsize=64k\nio_size=160k\n",
    "[j]\nrw=trimwrite\nbs=4k\nsize=64k\nverify=null\nio_size=480k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnumber_ios=3\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nverify_only\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nend_fsync=1\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nverify_backlog=4\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nverify_backlog=3\nverify_backlog_batch=1\n",
    "[j]\nrw=trimwrite\nbs=4k\nsize=64k\nverify=null\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\ndo_verify=0\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=4k\nverify=null\nserialize_overlap=1\n",
    "[j]\nrw=write\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=64k\n",
    "[j]\nrw=read\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=64k\nzoneskip=64k\n",
    "[j]\nrw=write\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=32k\nzonerange=128k\n",
    "[j]\nrw=write\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=128k\nzonerange=32k\nzoneskip=32k\n",
    "[j]\nrw=read\nbs=12k\nsize=1m\nzonemode=strided\nzonesize=64k\nzoneskip=20k\n",
    "[j]\nrw=read\nbs=12k\nsize=1m\nzonemode=strided\nzonesize=100k\nzonerange=64k\nzoneskip=20k\n",
    "[j]\nrw=write\nbs=4k\nsize=512k\noffset=256k\nzonemode=strided\nzonesize=64k\nzoneskip=64k\n",
    "[j]\nrw=write\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nloops=3\n",
    "[j]\nrw=write\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nio_size=1m\n",
    "[j]\nrw=read\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nio_size=200k\nloops=2\n",
    "[j]\nrw=trim\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nnumber_ios=50\n",
    "[j]\nrw=write\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=60k\nzoneskip=60k\nfsync=5\n",
    "[j]\nrw=write\nbs=4k\nsize=512k\nzonemode=strided\nzonesize=60k\nzoneskip=60k\nend_fsync=1\nloops=2\n",
    "[a]\nrw=write\nbs=4k\nsize=64k\n[b]\nstonewall\nrw=read\nbs=8k\nsize=128k\nfilename=a.0.0\n",
];

/// Constant list of fio job files whose requests in the simulation are those of fio 3.42; fio 3.33 read only once where
/// more was asked for, and read back several files one by one.
const EXACT_SINCE_342: &[&str] = &[
    "[j]\nrw=read:4k\nbs=16k\nsize=1200k\nio_size=2320k\n",
    "[j]\nrw=write:4k\nbs=16k\nsize=1200k\nloops=3\n",
    "[j]\nrw=write:4k\nbs=16k\nsize=1200k\nio_size=2320k\nverify=null\n",
    "[j]\nrw=write:4k\nbs=16k\nsize=1200k\nio_size=2320k\ndo_verify=0\n",
    "[j]\nrw=write:8k\nbs=4k\nsize=64k\nio_size=160k\nverify=null\n",
    "[j]\nrw=write:8k\nbs=4k\nsize=64k\nio_size=160k\ndo_verify=0\n",
    "[j]\nrw=write:8k\nbs=4k\nsize=64k\nnrfiles=2\nio_size=160k\nverify=null\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\nio_size=160k\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\nio_size=160k\nloops=2\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\nloops=3\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\nio_size=32k\nloops=3\n",
    "[j]\nrw=read\nbs=4k\nsize=64k\nverify=null\ndo_verify=0\nio_size=160k\n",
    "[j]\nrw=trim\nbs=4k\nsize=64k\nverify=null\nio_size=160k\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\nloops=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\nfsync=2\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\nnorandommap\n",
    "[j]\nrw=write\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\nrandom_distribution=zipf:1.1\n",
    "[j]\nrw=write:4k\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\n",
    "[j]\nrw=trimwrite\nbs=4k\nsize=64k\nverify=null\nnrfiles=2\n",
];

#[test]
fn what_a_job_fixes_is_the_same_request_by_request() {
    if !has_fio() {
        return;
    }
    let since = if is_new() { EXACT_SINCE_342 } else { &[] };
    for (number, text) in EXACT.iter().chain(since).enumerate() {
        let (mine, fios) = both(&format!("exact-{number}"), text);
        assert_eq!(mine.len(), fios.len(), "{text}");
        for (mine, fios) in mine.iter().zip(&fios) {
            assert_eq!(plain(mine), plain(fios), "{text}");
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
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\nverify_backlog=16\nloops=2\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\nverify_only=1\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\nio_size=2560k\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\nnorandommap\nrandom_generator=lfsr\n",
    "[j]\nrw=randwrite\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=64k\n",
    "[j]\nrw=randread\nbs=4k\nsize=1m\nzonemode=strided\nzonesize=128k\nzonerange=64k\nzoneskip=32k\n",
    "[j]\nrw=randtrim\nbs=16k\nsize=1m\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nloops=2\n",
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
        let (mine, fios) = both(&format!("set-{number}"), text);
        assert_eq!(sorted(&mine.concat()), sorted(&fios.concat()), "{text}");
    }
}

const ALIKE: &[&str] = &[
    "[j]\nrw=rw\nrwmixread=25\nbs=4k\nsize=64m\n",
    "[j]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=64m\n",
    "[j]\nrw=randrw\nrwmixwrite=5\nbs=4k,8k\nnorandommap\nsize=64m\n",
    "[j]\nrw=randwrite\nbssplit=4k/50:16k/30:64k/\nnorandommap\nsize=256m\n",
    "[j]\nrw=randwrite\nbssplit=4k/50:16k/50\nsize=64m\n",
    "[j]\nrw=randrw\nbsrange=4k-16k\nsize=64m\n",
    // One map for blocks of two sizes: such a job ends where a draw happens to meet the map's end.
    "[j]\nrw=randrw\nbs=4k,16k\nsize=256m\nnumber_ios=2000\n",
    "[j]\nrw=randrw\nbssplit=4k/40:16k/60,16k/100\nsize=256m\nnumber_ios=2000\n",
    "[j]\nrw=randwrite\nbssplit=4k/90:64k/10\nbsrange=4k-8k\nsize=64m\n",
    "[j]\nrw=randwrite\nbs=8k\nbssplit=4k/90:64k/10\nsize=64m\n",
    "[j]\nrw=randread\nbsrange=4k-10k\nnorandommap\nsize=64m\n",
    "[j]\nrw=write\nbssplit=4k/90:64k/10\nsize=64m\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_generator=tausworthe64\n",
    "[j]\nrw=randread\nbs=4k\nblockalign=16k\nsize=64m\n",
    "[j]\nrw=randrw\nbs=4k\nsize=64m\nverify=null\n",
    "[j]\nrw=randread\nbs=4k\nsize=64m\nnorandommap\nnrfiles=20\nfile_service_type=normal:20\n",
    "[j]\nrw=randread\nbs=4k\nsize=64m\nnorandommap\nnrfiles=20\nfile_service_type=normal\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\npercentage_random=30\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_distribution=zoned:60/10:30/20:10/\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\nrandom_distribution=zoned_abs:90/16m:10/48m\n",
    "[j]\nrw=randrw\nbs=4k\nsize=64m\nrandom_distribution=zoned:90/10:10/80\n",
    "[j]\nrw=randread\nbs=4k\nsize=64m\nzonemode=strided\nzonesize=64k\nzonerange=4m\nzoneskip=4m\n",
    "[j]\nrw=randrw\nbs=4k\nsize=64m\nnorandommap\nzonemode=strided\nzonesize=1m\nzonerange=4m\nzoneskip=1m\n",
    "[j]\nrw=randwrite\nbssplit=4k/50:8k/50\nsize=64m\nzonemode=strided\nzonesize=1m\nzonerange=1m\n",
    "[j]\nrw=rw\nbs=4k\nsize=64m\nzonemode=strided\nzonesize=1m\nzonerange=4m\nzoneskip=1m\n",
    "[j]\nrw=randread\nbs=4k\nnorandommap\nsize=64m\npercentage_random=30\nzonemode=strided\nzonesize=3m\nzonerange=2m\nzoneskip=1m\n",
    "[j]\nrw=randread:4\nbs=4k\nsize=64m\nnorandommap\n",
    "[j]\nrw=randread:4\nbs=4k\nsize=64m\nrw_sequencer=identical\nnorandommap\n",
    "[j]\nrw=randread\nbs=4k\nsize=64m\nnorandommap\nnrfiles=5\nfile_service_type=random:3\n",
];

#[test]
fn verification_reads_in_fios_order() {
    if !has_fio() {
        return;
    }
    // The order of the writes where no block comes again, else that of the places, each as last written.
    for (number, (options, by_place, as_before)) in [
        ("", false, true),
        ("norandommap\n", true, true),
        ("blockalign=8k\n", true, true),
        ("random_distribution=zipf:1.1\n", true, true),
        ("random_generator=lfsr\n", false, false),
        ("random_generator=lfsr\nnorandommap\n", true, true),
        ("softrandommap=1\n", true, false),
        ("rw=randwrite:8\n", true, false),
        ("percentage_random=50\n", false, true),
        ("experimental_verify=1\n", false, true),
        ("experimental_verify=1\nnorandommap\n", false, true),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("[j]\nrw=randwrite\nbs=4k\nsize=1m\nverify=null\n{options}");
        let (mine, fios) = both(&format!("verify-{number}"), &text);
        let fios = if as_before || is_new() { Some(&fios[0]) } else { None };
        for (who, asked) in [("here", Some(&mine[0])), ("fio", fios)] {
            let Some(asked) = asked else { continue };
            let writes: Vec<u64> = asked.iter().filter(|one| one.1 == "write").map(|one| one.2).collect();
            let reads: Vec<u64> = asked.iter().filter(|one| one.1 == "read").map(|one| one.2).collect();
            let mut places = writes.clone();
            places.sort_unstable();
            places.dedup();
            assert_eq!(reads, if by_place { places } else { writes }, "{who}: {text}");
        }
    }
}

/// Constant list of fio options each of which lets blocks be accessed again before all blocks have been accessed.
const NO_MAP: &[&str] = &[
    "norandommap",
    "blockalign=8k",
    "random_distribution=zipf:1.1",
    "random_distribution=pareto:0.3",
    "random_distribution=normal",
    "random_distribution=normal:20",
    "random_distribution=zoned:60/10:30/20:10/70",
];

#[test]
fn blocks_that_come_again_are_written_as_often_and_read_back_once() {
    if !has_fio() {
        return;
    }
    for (number, way) in NO_MAP.iter().enumerate() {
        for more in ["", "io_size=20m\n", "io_size=4m\nloops=3\n"] {
            let text = format!("[j]\nrw=randwrite\nbs=4k\nsize=8m\nverify=null\n{way}\n{more}");
            let (mine, fios) = both(&format!("no-map-{number}"), &text);
            let of_kind = |asked: &[beside::Asked], kind| asked.iter().filter(|one| one.1 == kind).count();
            let (mine, fios) = (&mine[0], &fios[0]);
            assert_eq!(of_kind(mine, "write"), of_kind(fios, "write"), "{text}");
            let (back, fios_back) = (of_kind(mine, "read"), of_kind(fios, "read"));
            // How many blocks are met varies less than a binomial count does.
            let deviation = (2.0 * back.max(fios_back) as f64).sqrt();
            assert!((back as f64 - fios_back as f64).abs() < 4.5 * deviation, "{text}: {back}, {fios_back}");
            let last_write = |asked: &[beside::Asked]| asked.iter().rposition(|one| one.1 == "write");
            assert_eq!(last_write(mine), last_write(fios), "{text}: all is written before any is read back");
        }
    }
}

#[test]
fn what_is_drawn_is_drawn_alike() {
    if !has_fio() {
        return;
    }
    for (number, text) in ALIKE.iter().enumerate() {
        let (mine, fios) = both(&format!("alike-{number}"), text);
        let (mine, fios) = (&mine[0], &fios[0]);
        let in_runs =
            ["percentage_random", "randread:4", "random:3"].iter().any(|option| text.contains(option));
        let bytes = |asked: &[beside::Asked]| asked.iter().map(|one| one.3).sum::<u64>() as f64;
        // Reads of a mix are not read back, writes are: their number is drawn, to 0.4 % of all at 4.5 deviations.
        let apart = if text.contains("verify") { 0.008 } else { 0.002 };
        let one_map_for_two = text.contains("=4k,16k\n") || text.contains(",16k/100");
        let as_much = match text.contains("number_ios") {
            true if one_map_for_two => mine.len().min(fios.len()) > 300,
            true => mine.len() == fios.len(),
            false => (bytes(mine) / bytes(fios) - 1.0).abs() < apart,
        };
        assert!(as_much, "{text}: {} {}", bytes(mine), bytes(fios));
        let drawn = Drawn {
            at_random: text.contains("rw=rand"),
            repeats: text.contains("norandommap"),
            run: if in_runs { 4.0 } else { 1.0 },
            part: if text.contains("number_ios") { 16 << 20 } else { 4 << 20 },
            grid: 16 << 10,
            twice: false,
        };
        drawn_alike(mine, fios, drawn).unwrap_or_else(|found| panic!("{text}{found}"));
    }
}

/// Test helper: runs fio with `arguments`, which list its options, and returns the names of the options.
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
    let mut names = listed(&["--cmdhelp=all"]);
    assert!(names.len() > 200, "{}", names.len());
    let engines = Command::new("fio").arg("--enghelp").output().unwrap();
    let engines = String::from_utf8_lossy(&engines.stdout).into_owned();
    let engines: Vec<&str> = engines.lines().skip(1).map(str::trim).filter(|name| !name.is_empty()).collect();
    assert!(engines.contains(&"libaio") && engines.contains(&"net"), "{engines:?}");
    for engine in &engines {
        names.extend(listed(&[&format!("--enghelp={engine}")]));
        let job = format!("[j]\nsize=1m\nioengine={engine}\n");
        if let Err(error) = read(&job) {
            assert!(error.expected.contains("an engine that does block I/O"), "{engine}: {error}");
        }
    }
    names.retain(|name| {
        let job = format!("[j]\nsize=1m\n{name}=no such value\n");
        let read = read(&job);
        read.is_err_and(|error| error.found.contains("no such option"))
    });
    assert!(names.is_empty(), "{names:?}");
}
