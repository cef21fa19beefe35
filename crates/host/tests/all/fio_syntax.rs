//! What job files may say, and what is said about wrong ones.

use host::WorkloadError;
use host::fio::{
    BlockSizes, Distribution, JobAccess, JobFile, Rate, Size, Variables, Zone, parse, parse_text,
};
use std::path::Path;

const SECOND: u64 = 1_000_000_000;

fn read(text: &str) -> Result<JobFile, WorkloadError> {
    parse_text("t.fio", text, &Variables::new(), &|name| {
        Err(WorkloadError::of(name, "no such file", "a file"))
    })
}

fn error(text: &str) -> String {
    let error = read(text).unwrap_err().to_string();
    assert_eq!(error.lines().count(), 1);
    error
}

#[test]
fn a_job_file_from_disk_with_an_include() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fio");
    let file = parse(&folder.join("database.fio"), &Variables::new()).unwrap();
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["tables", "log", "backup"]);
    let [tables, log, backup] = &file.jobs[..] else { panic!("three jobs") };
    assert_eq!((tables.random, tables.access, tables.read_percent), (true, JobAccess::ReadWrite, 80));
    assert_eq!((tables.iodepth, tables.numjobs, tables.group_reporting), (16, 4, true));
    assert_eq!(tables.blocks[0], BlockSizes::Fixed(8192), "from the included file");
    assert_eq!((log.blocks[1].clone(), log.flush_every), (BlockSizes::Fixed(16_384), [1, 0]));
    assert_eq!(log.rate[1], Some(Rate::BytesPerSecond(8 << 20)));
    assert_eq!((log.offset, log.size), (Size::Percent(90), Some(Size::Percent(10))));
    assert!(backup.stonewall && !log.stonewall);
    assert_eq!(backup.runtime_ns, Some(30 * SECOND), "a job's own value replaces the inherited");
    assert_eq!(tables.runtime_ns, Some(60 * SECOND));
    assert_eq!(file.ignored, ["direct"]);
    assert_eq!((tables.engine.as_deref(), tables.depth(), backup.depth()), (Some("libaio"), 16, 1));
    let nested = parse(&folder.join("nested.fio"), &Variables::new()).unwrap();
    assert_eq!(nested.jobs[0].iodepth, 16, "parts/depth.inc, named by parts/load.inc");
    let wrong = parse(&folder.join("wrong-include.fio"), &Variables::new()).unwrap_err().to_string();
    let place = "tests/data/fio/parts/wrong.inc:2: iodpeth";
    assert!(wrong.replace(std::path::MAIN_SEPARATOR, "/").contains(place), "{wrong}");
    let missing = parse(Path::new("no/such.fio"), &Variables::new()).unwrap_err().to_string();
    assert!(
        missing.starts_with("no/such.fio: ") && missing.ends_with("expected a fio job file"),
        "{missing}"
    );
}

// Other systems have no named pipes among their files.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_waited_for() {
    let folder = std::env::temp_dir().join(format!("fio-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (what, found) in
        [("pipe", "not a regular file"), ("/dev/zero", "not a regular file"), (".", "is a folder")]
    {
        let job = folder.join("j.fio");
        std::fs::write(&job, format!("[j]\ninclude {what}\nrw=read\n")).unwrap();
        let error = parse(&job, &Variables::new()).unwrap_err().to_string();
        let (start, end) =
            (format!("{}:2: include ", job.display()), format!(": {found}: expected a fio job file"));
        assert!(error.starts_with(&start) && error.ends_with(&end), "{error}");
    }
    let error = parse(&pipe, &Variables::new()).unwrap_err().to_string();
    assert!(error.ends_with("pipe: not a regular file: expected a fio job file"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn global_sections_hold_for_what_follows() {
    let file =
        read("[global]\nbs=8k\n[a]\n[global]\nioengine=libaio\niodepth=4\n[b]\nbs=16k\n[c]\n").unwrap();
    let got: Vec<_> = file.jobs.iter().map(|job| (job.blocks[0].clone(), job.iodepth)).collect();
    assert_eq!(
        got,
        [(BlockSizes::Fixed(8192), 1), (BlockSizes::Fixed(16_384), 4), (BlockSizes::Fixed(8192), 4)]
    );
}

#[test]
fn options_are_read() {
    let one = |text: &str| read(&format!("[j]\n{text}\n")).unwrap().jobs.remove(0);
    assert_eq!(one("blocksize=4k,8k,").blocks, [4096, 8192, 4096].map(BlockSizes::Fixed));
    assert_eq!(one("blocksize_range=4k-64k,8k:16k").blocks[1], BlockSizes::Range(8192, 16_384));
    let split = BlockSizes::Split(vec![(8192, 25), (65_536, 25), (4096, 50)]);
    assert_eq!(one("bssplit=4k/50:8k/:64k").blocks[0], split);
    // Seen of fio 3.33 and 3.42: bs counts only where neither of the others says anything.
    let range = BlockSizes::Range(4096, 8192);
    assert_eq!(
        (&one("bsrange=4k-8k\nbs=16k").blocks[0], &one("bs=16k\nbsrange=8k-4k").blocks[0]),
        (&range, &range)
    );
    assert_eq!(one("bsrange=0-64k\nbs=8k").blocks[0], BlockSizes::Range(8192, 65_536));
    assert_eq!(one("bsrange=0-4k").blocks[0], BlockSizes::Fixed(4096));
    assert_eq!(one("bssplit=4k/50:8k/50\nbssplit=0\nbs=16k").blocks[0].most(), 16_384);
    assert_eq!(one("bsrange=4k-8k\nbssplit=16k").blocks[0].least(), 16_384);
    assert_eq!(one("io_limit=25%").io_size, Some(Size::Percent(25)));
    assert_eq!(one("size=0").size, None);
    assert_eq!(one("kb_base=1000\nsize=8MiB").size, Some(Size::Bytes(8 << 20)));
    assert_eq!(one("size=8MiB\nkb_base=1000").size, Some(Size::Bytes(8 << 20)), "wherever the base stands");
    assert_eq!(one("runtime=2m\nramp_time=500ms\nthinktime=7").think_ns, 7_000);
    assert_eq!(
        one("rate=,10m").rate,
        [None, Some(10 << 20), Some(10 << 20)].map(|r| r.map(Rate::BytesPerSecond))
    );
    assert_eq!(one("rate_iops=1k,500,").rate_iops[1], Some(Rate::RequestsPerSecond(500)));
    assert_eq!(one("name=other").name, "other");
    assert!(one("norandommap").norandommap && !one("norandommap=0").norandommap);
    assert_eq!(one("random_distribution=zipf:1.2").distribution[0], Distribution::Zipf(1.2));
    assert_eq!(one("random_distribution=pareto").distribution[2], Distribution::Pareto(0.2));
    let zone = |accesses, part| Zone { accesses, part };
    assert_eq!(
        one("random_distribution=zoned:80/20:20/80").distribution[1],
        Distribution::Zoned(vec![zone(80, Size::Percent(20)), zone(20, Size::Percent(80))])
    );
    assert_eq!(
        one("random_distribution=zoned_abs:90/1g:10/3g").distribution[0],
        Distribution::Zoned(vec![zone(90, Size::Bytes(1 << 30)), zone(10, Size::Bytes(3 << 30))])
    );
    for (rw, random, access) in [
        ("read", false, JobAccess::Read),
        ("randwrite", true, JobAccess::Write),
        ("trim", false, JobAccess::Trim),
        ("readwrite", false, JobAccess::ReadWrite),
        ("randtrimwrite", true, JobAccess::TrimWrite),
    ] {
        let job = one(&format!("readwrite={rw}"));
        assert_eq!((job.random, job.access), (random, access));
    }
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_was_expected() {
    for (option, expected) in [
        ("bs=1000", "a multiple of 512 below 4g: a page cache writes such data in whole pages of 4 KiB, 4k"),
        ("bs=2300", "a multiple of 512 below 4g: a page cache writes such data in whole pages of 4 KiB, 4k"),
        (
            "bs=4k,4097",
            "a multiple of 512 below 4g: a page cache writes such data in whole pages of 4 KiB, 8k",
        ),
        ("bs=4KiB", "a multiple of 512: with kb_base=1024, fio's default, 4k is 4096 bytes and 4KiB is 4000"),
        ("bs=4g", "a multiple of 512 below 4g"),
        ("numjobs=$ncpus", "the number itself: what it is on another machine"),
        ("offset=1000", "a multiple of 512"),
        ("rw=randread:0", "the number of requests that share an offset"),
        ("rw=read:1000", "a multiple of 512 bytes after the colon"),
        ("ioengine=libaoi", "one of fio's engines, such as libaio, io_uring or psync; did you mean libaio?"),
        ("ioengine=net", "an engine that does block I/O, such as libaio, io_uring or psync: net sends over"),
        ("file_service_type=robin", "roundrobin, random or sequential"),
        ("nrfiles=1048577", "1 to 1048576 files"),
        ("filename=/dev/null", "files or a drive: what is written there"),
        ("steadystate=iops", "iops, bw or lat"),
        ("rw=rondread", "read, write, trim, randread"),
        ("rwmixread=101", "a whole percentage"),
        ("iodepth=0", "a depth from 1 to 65536"),
        ("iodepth=65537", "a depth from 1 to 65536"),
        ("numjobs=4097", "1 to 4096 jobs"),
        ("runtime=10y", "a time such as"),
        ("loops=x", "a whole number"),
        ("random_distribution=zapf:1", "random, zipf:THETA"),
        ("random_distribution=zipf:-1", "zipf:THETA with THETA"),
        ("random_distribution=zipf:1.1,zipf:1.2", "a number"),
        ("random_distribution=zoned:50/50:40/50", "zones as ACCESS%/PART%"),
        ("bssplit=4k/60:8k/50:16k:32k", "percentages of at most 100 in all"),
        ("bssplit=4k/x", "sizes and percentages"),
        ("bsrange=4k", "a range such as 4k-64k"),
        ("rate=x", "bytes per second such as 10m, or 0 for no limit"),
        ("rate_process=uniform", "linear or poisson"),
        ("time_based=perhaps", "0 or 1"),
        ("randrepeat=perhaps", "0 or 1"),
        ("rw", "rw=VALUE"),
        ("iodepth", "iodepth=VALUE"),
        ("runtime", "runtime=VALUE"),
        ("fsync", "fsync=VALUE"),
        ("size=", "a size such as"),
    ] {
        let found = option.split_once('=').map_or(format!("{option} alone"), |_| option.to_owned());
        let error = error(&format!("[j]\n\n{option}\n"));
        assert!(error.starts_with(&format!("t.fio:3: {found}: expected {expected}")), "{error}");
    }
}

#[test]
fn unknown_and_unmodelled_options_are_errors() {
    assert_eq!(
        error("[j]\niodpeth=4\n"),
        "t.fio:2: iodpeth: no such option: expected an option of fio; did you mean iodepth?"
    );
    assert_eq!(
        error("[j]\nread_iolog=x.log\n"),
        "t.fio:2: read_iolog is not modelled: expected the iolog given as the workload itself: it is read as a trace"
    );
    for option in
        ["flow_watermark=1", "zonecapacity=1m", "latency_target=10ms", "ratemin=1m", "uri=nbd", "cpuload=5"]
    {
        assert!(error(&format!("[j]\n{option}\n")).contains("is not modelled"), "{option}");
    }
    assert!(error("[global]\nzone_append=1\n").starts_with("t.fio:2: "), "global sections too");
}

#[test]
fn what_leaves_an_unmodelled_option_off_is_accepted_and_listed() {
    let text = "[j]\nverify=0\nzone_append=0\nrate_min=0\nfile_append=0\nverify=none\n";
    assert_eq!(read(text).unwrap().ignored, ["zone_append", "rate_min", "file_append"]);
    for (option, instead) in [("opendir=/tmp", "filename or nrfiles"), ("pre_read=1", "a job that reads")] {
        let key = option.split('=').next().unwrap();
        let found = error(&format!("[j]\n{option}\n"));
        assert!(found.starts_with(&format!("t.fio:2: {key} is not modelled: expected {instead}")), "{found}");
    }
}

#[test]
fn a_steadystate_that_fio_refuses_is_refused() {
    for (text, expected) in [
        ("[j]\nss_dur=5\nss_interval=500ms\n", "expected one second or more"),
        ("[j]\nss_dur=5\nss_interval=2\n", "expected two intervals or more, and whole ones"),
        ("[j]\nss_dur=1\n", "expected two intervals or more, and whole ones"),
        ("[a]\nss_dur=9\n[b]\nstonewall\nss_interval=3\n", "expected the same in all jobs of the file"),
        ("[a]\nss_dur=9\n[b]\n", "t.fio:3: job b: a steadystate of its own within a group"),
        ("[a]\n[b]\nss_dur=9\n", "expected the same in all jobs up to a stonewall or new_group"),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
    for text in ["[a]\nss_dur=9\n[b]\nstonewall\n", "[a]\nss_dur=9\n[b]\nnew_group\nss_dur=5\nss=bw:1m\n"] {
        assert!(read(text).is_ok(), "{text}");
    }
}

#[test]
fn a_file_must_hold_sensible_jobs() {
    assert_eq!(error("; nothing\n"), "t.fio: no job: expected at least one section besides [global]");
    assert!(error("[global]\nbs=4k\n").contains("no job"));
    assert!(error("rw=read\n[j]\n").starts_with("t.fio:1: rw: expected a section such as"));
    assert!(!read("[j]\ntime_based\n").unwrap().jobs[0].time_based, "as in fio, where there is no end");
    for never in [
        "bssplit=0/50:8k/50",
        "bssplit=16k\nbsrange=4k-8k",
        "bssplit=4k\nbsrange=4k-8k",
        "bs=8k\nbsrange=0-4k",
    ] {
        assert!(error(&format!("[j]\nsize=1m\n{never}\n")).contains("job j: "), "{never}");
    }
    for logs in [
        "log_issue_time",
        "log_issue_time=1\nlog_offset=1",
        "write_lat_log=x\nlog_issue_time=1\nlog_offset=0",
    ] {
        assert!(
            error(&format!("[j]\n{logs}\n")).contains("write_lat_log and log_offset=1 beside it"),
            "{logs}"
        );
    }
    assert!(read("[j]\nlog_issue_time\nlog_offset\nwrite_lat_log\n").is_ok());
    assert!(error("[j]\nexperimental_verify=1\nloops=2\n").contains("experimental_verify beside loops"));
    let by_turns = "[j]\nrw=rw\nverify=crc32c\n";
    assert!(read(by_turns).is_ok() && read(&format!("{by_turns}loops=2\nioengine=libaio\n")).is_ok());
    assert!(error(&format!("{by_turns}loops=2\n")).contains("on a synchronous engine"));
    assert!(error(&format!("{by_turns}size=1m\nio_size=2m\n")).contains("on a synchronous engine"));
    for zipf in ["rw=randrw\nbs=4k,8k\n", "rw=randwrite\nbs=4k,8k\n", "rw=randread\nbs=4k\nblockalign=8k\n"] {
        let found = error(&format!("[j]\nrandom_distribution=zipf\n{zipf}"));
        assert!(found.contains("random_distribution with"), "{found}");
    }
    let lfsr = "[j]\nrw=randwrite\nrandom_generator=lfsr\n";
    assert!(read(lfsr).is_ok() && read(&format!("{lfsr}norandommap\n")).is_ok());
    for (option, found) in [
        ("random_distribution=zoned:50/50:50/50", "lfsr beside zones"),
        ("bssplit=4k/50:8k/50", "lfsr with blocks of several sizes"),
        ("blockalign=64k", "lfsr beside blockalign"),
    ] {
        let said = error(&format!("{lfsr}{option}\n"));
        assert!(said.contains(found), "{said}");
    }
    assert!(error("[j]\nrate=1m\niodepth_batch=4\n").contains("iodepth_batch beside a rate"));
    assert!(error("[j]\nrate=1m\nrate_iops=7\n").contains("both rate and rate_iops"));
    assert!(error("[j]\nrw=trimwrite\nbs=4k,4k,8k\n").contains("different sizes"));
    assert!(error("[a]\nnumjobs=4096\n[b]\n").starts_with("t.fio:3: 4097 jobs"));
}

#[test]
fn synchronous_jobs_force_their_writes_to_the_flash() {
    let forced = |option: &str| read(&format!("[j]\nrw=write\n{option}\n")).unwrap().jobs[0].fua;
    for option in ["sync=1", "sync=sync", "sync=dsync", "writefua=1"] {
        assert!(forced(option), "{option}");
    }
    for option in ["sync=none", "sync=0", "writefua=0"] {
        assert!(!forced(option), "{option}");
    }
    assert!(error("[j]\nsync=maybe\n").contains("none, sync or dsync"));
}
