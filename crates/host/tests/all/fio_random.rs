//! Random jobs beside what real fio (3.42, `ioengine=null`) asked for, which is stored: `examples/fio_random.rs` made the
//! file, and compares as many more with the fio that is installed.

use crate::beside::summary::{Stored, compare_all, ours};
use crate::beside::{random, read};

const STORED: &str = include_str!("../data/fio/random.jsonl");

#[test]
fn random_jobs_ask_for_what_fio_asks_for() {
    let jobs: Vec<Stored> = STORED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(jobs.len(), 40);
    for Stored { seed, job, fio } in &jobs {
        assert_eq!(*job, random::job(*seed), "the generator has changed: make the file again");
        let mine = ours(job).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{job}"));
        compare_all(job, &mine, fio).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{job}"));
    }
}

/// Constant list of fio options with the value 0, which is fio's default or means no limit (3.33 and 3.42).
const ZEROS: &[&str] = &[
    "rate=0",
    "rate=,0",
    "rate=0,0,0",
    "rate_iops=0",
    "rate_iops=0,0",
    "rate_min=0",
    "rate_iops_min=0",
    "rate_cycle=0",
    "loops=0",
    "io_size=0",
    "io_size=0%",
    "number_ios=0",
    "runtime=0",
    "thinktime=0",
    "thinktime_blocks=0",
    "thinktime_iotime=0",
    "openfiles=0",
    "offset=0",
    "offset_align=0",
    "offset_increment=0",
    "fsync=0",
    "fdatasync=0",
    "verify_backlog=0",
    "verify_backlog_batch=0",
    "startdelay=0",
    "ramp_time=0",
    "iodepth_low=0",
    "iodepth_batch=0",
    "iodepth_batch_complete_min=0",
    "latency_target=0",
    "latency_window=0",
    "latency_percentile=0",
    "latency_run=0",
    "max_latency=0",
    "zonesize=0",
    "flow=0",
    "flow_sleep=0",
    "steadystate_duration=0",
    "steadystate_check_interval=0",
    "trim_percentage=0",
    "randseed=0",
    "filename=a\nnrfiles=0",
];

#[test]
fn zero_is_no_limit_where_it_is_none_in_fio() {
    let plain = ours("[j]\nrw=read\nsize=64k\n").unwrap();
    for zero in ZEROS {
        let mine =
            ours(&format!("[j]\nrw=read\nsize=64k\n{zero}\n")).unwrap_or_else(|why| panic!("{zero}: {why}"));
        assert_eq!((mine[0].requests, mine[0].bytes), (plain[0].requests, plain[0].bytes), "{zero}");
        assert_eq!(mine[0].ran_ms, plain[0].ran_ms, "{zero}");
    }
    // One direction alone has a limit: nine reads to a write would take ten times as long.
    let limited =
        ours("[j]\nrw=randrw\nrwmixread=90\nsize=1m\ntime_based\nruntime=4\nrate_iops=90,10,0\n").unwrap();
    assert!((395..=405).contains(&limited[0].requests), "{}", limited[0].requests);
    let error = |text: &str| read(&format!("[j]\nsize=1m\n{text}\n")).unwrap_err().to_string();
    assert!(error("nrfiles=0").contains("fio itself makes no request"), "{}", error("nrfiles=0"));
    assert!(error("numjobs=0").contains("numjobs=0") && error("iodepth=0").contains("iodepth=0"));
}

#[test]
fn a_job_waits_for_another_and_is_not_lost() {
    let counts = |text: &str| -> Vec<u64> { ours(text).unwrap().iter().map(|one| one.requests).collect() };
    // Seen of fio 3.42; the end of the job that is awaited is the last event.
    assert_eq!(
        counts("[p]\nsize=1m\nrw=randread\n[t]\nwait_for=p\nsize=1m\nrw=randread\nbs=8k\n"),
        [256, 128]
    );
    let chain = "[a]\nsize=8k\nnumjobs=2\n[b]\nsize=4k\n[c]\nwait_for=a\nsize=4k\n[d]\nwait_for=c\nsize=4k\n";
    assert_eq!(counts(chain), [4, 1, 1, 1]);
    // A delay counts from the beginning of the run, and no wall stands before it is over.
    let late =
        "[a]\nsize=4k\nstartdelay=1\n[b]\nsize=4k\nstonewall\n[c]\nsize=4k\nstartdelay=1500ms\nstonewall\n";
    let ran: Vec<_> = ours(late).unwrap().iter().map(|one| one.ran_ms.unwrap().0).collect();
    assert_eq!(ran, [1000, 0, 1500]);
}

#[test]
fn a_split_is_drawn_as_fio_draws_it() {
    // Of 16 MiB: fio 3.33 and 3.42 made 29 and 71 %, 78 and 22 %, and thirds with the rest for the largest.
    for (split, shares) in [
        ("4k/30:8k/30", &[(4096, 0.30), (8192, 0.70)][..]),
        ("4k/80:8k/80", &[(4096, 0.80), (8192, 0.20)]),
        ("4k:8k:16k", &[(4096, 0.33), (8192, 0.33), (16_384, 0.34)]),
        ("4k/150", &[(4096, 1.0)]),
        ("4k/50:20k-28k/50", &[(4096, 0.5), (20_480, 0.5)]),
    ] {
        let sections =
            crate::beside::ours(&format!("[j]\nrw=write\nsize=16m\nbssplit={split}\n"), 1 << 30, 100_000);
        let sections = sections.unwrap_or_else(|why| panic!("{split}: {why}"));
        let all = sections[0].len() as f64;
        for (bytes, share) in shares {
            let found = sections[0].iter().filter(|one| one.3 == *bytes).count() as f64;
            let most = 4.9 * (share * (1.0 - share) * all).sqrt() + 2.0;
            assert!((found - share * all).abs() <= most, "{split}: {found} of {all} of {bytes}");
        }
    }
    for split in ["4k/80:8k/60:16k:32k", "4k/80:8k/60:16k", "4k:8k/100"] {
        assert!(ours(&format!("[j]\nsize=16m\nbssplit={split}\n")).is_err(), "{split}");
    }
}

#[test]
fn large_requests_are_made() {
    let mine = ours("[t]\nrw=trim\nbs=2g\nsize=8g\n").unwrap();
    assert_eq!((mine[0].requests, mine[0].bytes), (4, 8 << 30));
    assert_eq!(ours("[t]\nrw=write\nbs=2300m\nsize=9200m\n").unwrap()[0].requests, 4);
}

#[test]
fn what_is_only_read_back_is_laid_out() {
    use host::fio::FioWorkload;
    let laid_out = |text: &str| {
        let (mut bytes, file) = (0, read(text).unwrap());
        let mut workload = FioWorkload::new(file, 1 << 30, 1).unwrap();
        host::Workload::lay_out(&mut workload, 0, &mut |extent| bytes += extent.bytes).unwrap();
        bytes
    };
    for name in ["filename=/dev/nvme0n1", "filename=a"] {
        let job = format!("[v]\n{name}\nrw=randwrite\nsize=16m\nverify=crc32c\n");
        assert_eq!(laid_out(&job), 0);
        assert_eq!(laid_out(&format!("{job}verify_only=1\n")), 16 << 20);
    }
    assert!(ours("[v]\nrw=write\nsize=1m\nverify_only\n").is_err(), "fio itself makes no request");
}
