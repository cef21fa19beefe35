//! Jobs as they run: what goes where, when, and how much of it, against a drive of constant latency.

use crate::beside::play::{Said, play as play_on};
use host::fio::{FileRegion, FioWorkload, Variables, generators, parse_text};
use host::{HostRequest, Op, Poll, Workload, WorkloadError};
use std::collections::BTreeMap;
use units::SimTime;

const MIB: u64 = 1 << 20;
const DRIVE: u64 = 256 * MIB;
const SECOND: u64 = 1_000_000_000;

fn refuse(name: &str) -> Result<String, WorkloadError> {
    Err(WorkloadError::of(name, "no such file", "a file"))
}

fn workload_on(text: &str, drive: u64, seed: u64) -> Result<FioWorkload, WorkloadError> {
    FioWorkload::new(parse_text("test.fio", text, &Variables::new(), &refuse)?, drive, seed)
}

/// Record of a test run of a fio job file: its requests, its end, the most requests in flight, and the requests in the
/// ramp.
#[derive(Debug, PartialEq)]
struct Played {
    requests: Vec<HostRequest>,
    end_ns: u64,
    most_outstanding: BTreeMap<u16, u32>,
    in_ramp: u64,
}

/// Test helper: plays the fio job file `text` on a drive that answers every request after `latency_ns`, up to `limit`
/// requests, and returns the record of the run.
fn play_with(text: &str, seed: u64, latency_ns: u64, limit: usize) -> Played {
    let mut workload = workload_on(text, DRIVE, seed).unwrap();
    let mut played =
        Played { requests: Vec::new(), end_ns: 0, most_outstanding: BTreeMap::new(), in_ramp: 0 };
    let mut by_tag: BTreeMap<u16, u32> = BTreeMap::new();
    played.end_ns = play_on(&mut workload, latency_ns, limit, &mut |workload, request, what| {
        let count = by_tag.entry(request.tag).or_insert(0);
        if what == Said::Answered {
            *count -= 1;
            return;
        }
        assert!(request.offset + u64::from(request.bytes) <= DRIVE);
        played.in_ramp += u64::from(workload.in_ramp(request.arrive));
        *count += 1;
        let most = played.most_outstanding.entry(request.tag).or_insert(0);
        *most = (*most).max(*count);
        played.requests.push(*request);
    });
    assert_eq!(workload.report().requests, played.requests.len() as u64);
    played
}

fn play(text: &str) -> Played {
    play_with(text, 1, 100_000, usize::MAX)
}

fn of(played: &Played, op: Op) -> Vec<&HostRequest> {
    played.requests.iter().filter(|request| request.op == op).collect()
}

#[test]
fn a_random_job_writes_every_block_once_per_pass() {
    let played = play("[j]\nrw=randwrite\nbs=4k\nsize=4m\noffset=8m\nioengine=libaio\niodepth=8\nloops=3\n");
    assert_eq!(played.requests.len(), 3 * 1024);
    let mut orders = Vec::new();
    for pass in played.requests.chunks(1024) {
        let order: Vec<u64> = pass.iter().map(|request| request.offset).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq((0..1024).map(|block| 8 * MIB + block * 4096)));
        orders.push(order);
    }
    assert_ne!(orders[0], orders[1]);
    assert_ne!(orders[1], orders[2]);
}

#[test]
fn reads_and_writes_of_a_mix_share_one_pass() {
    let played = play("[j]\nrw=randrw\nrwmixread=70\nsize=64m\nioengine=libaio\niodepth=4\n");
    let mut blocks: Vec<u64> = played.requests.iter().map(|request| request.offset / 4096).collect();
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq(0..16_384));
    // Binomial: standard deviation sqrt(0.7 * 0.3 / 16384) = 0.0036; four of them.
    let reads = of(&played, Op::READ).len() as f64 / 16_384.0;
    assert!((reads - 0.7).abs() < 0.0144, "{reads}");
    let other = play("[j]\nrw=randrw\nrwmixwrite=30\nsize=64m\nioengine=libaio\niodepth=4\n");
    assert_eq!(played, other, "one option says what the other leaves");
}

#[test]
fn without_a_map_blocks_repeat() {
    let played = play("[j]\nrw=randread\nsize=4m\nnorandommap\n");
    let mut blocks: Vec<u64> = played.requests.iter().map(|request| request.offset).collect();
    blocks.sort_unstable();
    blocks.dedup();
    // Of n draws from n blocks, n (1 - 1/e) = 647 are distinct on average, standard deviation 10.
    assert_eq!(played.requests.len(), 1024);
    assert!((597..697).contains(&blocks.len()), "{}", blocks.len());
}

#[test]
fn a_sequential_job_goes_round_in_its_region() {
    let played = play("[j]\nrw=write\nbs=96k\noffset=1m\nsize=1m\nio_size=2m\nioengine=libaio\niodepth=2\n");
    // Ten whole blocks of 96 KiB lie in 1 MiB; 2 MiB take 22 of them.
    let expected = (0..22).map(|index| MIB + index % 10 * 98_304);
    assert!(played.requests.iter().map(|request| request.offset).eq(expected));
    let whole = play("[j]\nrw=read\nbs=96k\nsize=1m\nloops=2\n");
    assert_eq!(whole.requests.len(), 20, "what is left of a region is not a block");
}

#[test]
fn each_direction_of_a_sequential_mix_has_its_own_position() {
    let played = play("[j]\nrw=rw\nbs=4k,16k\nsize=8m\n");
    for (op, bytes) in [(Op::READ, 4096), (Op::WRITE, 16_384)] {
        let requests = of(&played, op);
        assert!(requests.len() > 300);
        assert!(requests.iter().zip(0u64..).all(|(request, index)| request.offset == index * bytes));
        assert!(requests.iter().all(|request| u64::from(request.bytes) == bytes));
    }
}

#[test]
fn trimmed_blocks_are_written_next() {
    for rw in ["trimwrite", "randtrimwrite"] {
        let played = play(&format!("[j]\nrw={rw}\nbs=16k\nsize=4m\n"));
        assert_eq!(played.requests.len(), 512);
        for pair in played.requests.chunks(2) {
            assert_eq!((pair[0].op, pair[1].op), (Op::TRIM, Op::WRITE));
            assert_eq!((pair[0].offset, pair[0].bytes), (pair[1].offset, pair[1].bytes));
        }
    }
    assert_eq!(of(&play("[j]\nrw=randtrim\nsize=1m\n"), Op::TRIM).len(), 256);
}

#[test]
fn trimmed_blocks_of_any_size_are_written_in_whichever_order_files_come() {
    for order in ["roundrobin", "roundrobin:3", "random", "random:2", "sequential"] {
        for rw in ["trimwrite", "randtrimwrite"] {
            let text = format!(
                "[j]\nrw={rw}\nbsrange=4k-64k\nsize=4m\nnrfiles=4\nfile_service_type={order}\nfsync=7\n"
            );
            let played = play(&text);
            let blocks = |op| {
                let mut blocks: Vec<_> =
                    of(&played, op).iter().map(|request| (request.offset, request.bytes)).collect();
                blocks.sort_unstable();
                blocks
            };
            assert_eq!(blocks(Op::TRIM), blocks(Op::WRITE), "{text}");
            let bytes: u64 = blocks(Op::TRIM).iter().map(|block| u64::from(block.1)).sum();
            assert!(bytes > 4 * MIB - 4 * 65_536, "{text}: {bytes} bytes");
        }
    }
}

#[test]
fn sizes_follow_their_percentages() {
    let text = "[j]\nrw=randrw\nbssplit=4k/50:16k/30:64k/,8k\nnorandommap\nsize=200m\nio_size=2g\nioengine=libaio\niodepth=16\n";
    let played = play(text);
    let reads = of(&played, Op::READ);
    for (bytes, share) in [(4096, 0.5), (16_384, 0.3), (65_536, 0.2)] {
        let found = reads.iter().filter(|request| request.bytes == bytes).count() as f64 / reads.len() as f64;
        let deviation = (share * (1.0 - share) / reads.len() as f64).sqrt();
        assert!((found - share).abs() < 4.0 * deviation, "{bytes}: {found}");
    }
    assert!(of(&played, Op::WRITE).iter().all(|request| request.bytes == 8192));
    assert!(played.requests.iter().all(|request| request.offset % 4096 == 0));
    assert!(played.requests.iter().any(|request| request.offset + u64::from(request.bytes) > 190 * MIB));
}

#[test]
fn a_random_map_covers_each_block_once_where_sizes_differ() {
    let played = play("[j]\nrw=randrw\nbssplit=4k/50:16k/50\nsize=16m\n");
    let mut blocks: Vec<u64> = Vec::new();
    for request in &played.requests {
        blocks.extend((0..u64::from(request.bytes) / 4096).map(|block| request.offset / 4096 + block));
    }
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq(0..4096), "requests end where a covered block begins");
    assert!(played.requests.iter().any(|request| request.bytes == 8192), "so that others come up, as in fio");
}

/// Test helper: returns the files of the fio job file `text`, each with name, byte offset on the drive, and length in
/// bytes.
fn files(text: &str) -> Vec<(String, u64, u64)> {
    let of = |file: &FileRegion| (file.name.clone(), file.offset, file.bytes);
    workload_on(text, DRIVE, 1).unwrap().files().iter().map(of).collect()
}

#[test]
fn clones_without_a_filename_have_a_file_each() {
    let text = "[j]\nrw=randwrite\nsize=64m\nnumjobs=4\n";
    let file = |clone: u64| (format!("j.{clone}.0"), clone * 64 * MIB, 64 * MIB);
    assert_eq!(files(text), (0..4).map(file).collect::<Vec<_>>());
    let mut blocks: Vec<u64> = play(text).requests.iter().map(|request| request.offset / 4096).collect();
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq(0..65_536), "256 MiB, each block of it once");
    let said = workload_on(text, DRIVE, 1).unwrap().report().notes;
    assert!(
        said.contains(&("files".into(), "4 of 268435456 bytes in all, side by side on the drive".into()))
    );
}

#[test]
fn one_name_is_one_file_whoever_gives_it() {
    assert_eq!(
        files("[global]\nfilename=f\nsize=1m\n[a]\nnumjobs=2\n[b]\nsize=3m\n"),
        [("f".into(), 0, 3 * MIB)]
    );
    assert_eq!(files("[a]\nsize=1m\n[a]\nsize=2m\n"), [("a.0.0".into(), 0, 2 * MIB)]);
    assert_eq!(
        files("[a]\nfilename=f\nsize=4m\n[b]\nfilename=f\noffset=25%\n").len(),
        1,
        "found as a left it"
    );
    let names = |text: &str| files(text).into_iter().map(|file| file.0).collect::<Vec<_>>();
    assert_eq!(names("[a]\nfilename=f:g\\:h\nsize=1m\nnrfiles=7\n"), ["f", "g:h"]);
    assert_eq!(names("[a]\ndirectory=/d:/e\nsize=1m\nnumjobs=2\n"), ["/d/a.0.0", "/e/a.1.0"]);
    let format = "filename_format=$jobname.$filenum\nnrfiles=2\nnumjobs=2\nsize=1m\n";
    assert_eq!(names(&format!("[a]\n{format}")), ["a.0", "a.1"], "shared by the clones");
    assert_eq!(names("[/dev/sdb]\nsize=1m\n"), ["/dev/sdb"], "a job called as a device works on it");
}

#[test]
fn files_are_as_long_as_asked_and_lie_apart() {
    // 100 KiB in three files of whole blocks: fio 3.33 gives each a third, rounded to bytes.
    let lengths = |text: &str| files(text).into_iter().map(|file| file.2).collect::<Vec<_>>();
    assert_eq!(lengths("[j]\nnrfiles=3\nsize=96k\n"), [32 << 10; 3]);
    assert_eq!(lengths("[j]\nnrfiles=2\nfilesize=64k\n"), [64 << 10; 2]);
    assert_eq!(lengths("[j]\noffset=1m\nsize=1m\n"), [2 * MIB], "a file reaches from its first byte");
    let several = files("[j]\nnrfiles=20\nfilesize=16k-3m\n");
    for pair in several.windows(2) {
        assert!(pair[0].1 + pair[0].2 <= pair[1].1, "{pair:?}");
    }
    for (_, offset, bytes) in &several {
        assert!((16 << 10..=3 << 20).contains(bytes) && bytes % 4096 == 0);
        assert_eq!(offset % (1 << bytes.ilog2()).min(1 << 20), 0, "aligned as far as a file is long");
    }
    assert_eq!(several, files("[j]\nnrfiles=20\nfilesize=16k-3m\n"));
    let limited = play("[j]\nrw=write\nnrfiles=2\nfilesize=64k\nsize=64k\n");
    assert_eq!(limited.requests.len(), 16, "size limits what is done in larger files");
}

#[test]
fn what_is_read_or_overwritten_is_laid_out() {
    let laid_out = |text: &str| {
        let workload = workload_on(text, DRIVE, 1).unwrap();
        workload.files().iter().map(|file| (file.laid_out, file.is_read)).collect::<Vec<_>>()
    };
    assert_eq!(
        laid_out("[a]\nrw=randread\nsize=1m\n[b]\nrw=write\nsize=1m\n"),
        [(true, true), (false, false)]
    );
    assert_eq!(laid_out("[a]\nrw=write\nsize=1m\noverwrite=1\n"), [(true, false)]);
    assert_eq!(laid_out("[a]\nrw=randrw\nfilename=/dev/sda\n"), [(false, true)], "a device is as it is");
}

#[test]
fn holes_and_sequences_are_as_fio_makes_them() {
    let kib =
        |text: &str| -> Vec<u64> { play(text).requests.iter().map(|request| request.offset >> 10).collect() };
    // Observed of fio 3.33 with ioengine=null.
    assert_eq!(kib("[j]\nrw=write:8k\nsize=64k\n"), [0, 12, 24, 36, 48, 60]);
    assert_eq!(kib("[j]\nrw=read:4k\nsize=64k\noffset=16k\n"), [16, 24, 32, 40, 48, 56, 64, 72]);
    let back: Vec<u64> = [0].into_iter().chain((0..15).map(|index| 56 - 4 * index)).collect();
    assert_eq!(kib("[j]\nrw=write:-8k\nsize=64k\n"), back);
    let onward = kib("[j]\nrw=randread:4\nsize=4m\n");
    assert!(onward.chunks(4).filter(|group| group[3] == group[0] + 12).count() > onward.len() / 4 - 3);
    let again = kib("[j]\nrw=randread:4\nrw_sequencer=identical\nsize=4m\n");
    assert!(again.chunks(4).all(|group| group.iter().all(|offset| *offset == group[0])));
}

#[test]
fn without_an_asynchronous_engine_one_request_is_outstanding() {
    let most = |options: &str| play(&format!("[j]\nrw=randread\nsize=1m\n{options}")).most_outstanding[&0];
    assert_eq!(most("iodepth=8\n"), 1);
    assert_eq!(most("ioengine=psync\niodepth=8\n"), 1);
    assert_eq!(most("ioengine=psync\niodepth=8\nio_submit_mode=offload\n"), 8);
    assert_eq!(most("ioengine=io_uring\niodepth=8\n"), 8);
    let notes = workload_on("[j]\nsize=1m\niodepth=8\n", DRIVE, 1).unwrap().report().notes;
    let said = "no ioengine, so fio's psync, which keeps one request outstanding: j";
    assert!(notes.contains(&("iodepth".into(), said.into())), "{notes:?}");
}

#[test]
fn a_job_ends_when_it_has_settled() {
    let text =
        "[j]\nrw=randread\nsize=1m\ntime_based\nruntime=100\nsteadystate=iops:1%\nss_dur=5\nss_ramp=2\n";
    let played = play(text);
    // fio 3.33: the first sample after the ramp ends at 4 s, the fifth at 8 s; the latency never changes.
    assert_eq!(played.end_ns / SECOND, 8);
    let both = "[global]\nsize=1m\ntime_based\nruntime=9\nss=bw_slope:1m\nss_dur=4\ngroup_reporting\n[a]\n[b]\nrw=write\n";
    assert_eq!(play(both).end_ns / SECOND, 4);
    // fio 3.33 takes no sample while ramp_time lasts, and sets its clock when it ends.
    let ramped = "[j]\nrw=randread\nsize=1m\ntime_based\nruntime=20\nrate_iops=200\nss=iops:10%\nss_dur=3\nramp_time=2500ms\n";
    assert_eq!(play(ramped).end_ns / 1_000_000, 5500);
    // It ends at a tick of the clock, not with the next request, of which there is one every four seconds.
    let slow = "[j]\nrw=read\nsize=1m\ntime_based\nruntime=100\nrate=1k\nss=iops:9\nss_dur=2\n[k]\nstonewall\nsize=4k\n";
    assert_eq!(play(slow).requests.last().unwrap().arrive.ns(), 2 * SECOND);
}

#[test]
fn what_became_of_a_steady_state_is_reported() {
    let states = |text: &str| {
        let mut workload = workload_on(text, DRIVE, 1).unwrap();
        play_on(&mut workload, 1000, usize::MAX, &mut |_, _, _| {});
        workload.report()
    };
    let report = states(
        "[global]\nsize=1m\ntime_based\nruntime=20\nrate_iops=100\nss=iops:10%\nss_dur=3\ngroup_reporting\n[a]\nnumjobs=2\n[b]\n\
         [c]\nstonewall\nruntime=2\n",
    );
    let (together, alone) = (&report.steady_states[0], &report.steady_states[1]);
    assert_eq!((together.job.as_str(), together.attained_after_ns), ("a", Some(3 * SECOND)));
    assert_eq!((&together.iops[..], together.asked.as_str()), (&[300; 3][..], "iops:10.000000%"));
    let taken = &alone.bandwidth_bytes_per_s[..];
    assert_eq!((alone.job.as_str(), alone.attained_after_ns, taken), ("c", None, &[409_600, 409_600, 0][..]));
    let notes = states("[j]\nsize=4k\nss=lat:50us\nss_dur=6\nss_interval=1500ms\n").notes;
    let said =
        "fio takes the limit of lat:50us for 50 ns and looks at 6 samples, where 4 are asked for: job j";
    assert!(notes.contains(&("steadystate in fio".into(), said.into())), "{notes:?}");
}

#[test]
fn a_mix_goes_on_to_the_end_of_its_files_where_requests_are_not_queued() {
    // fio 3.42: a queued pass ends after the size of the file, another with one direction's end, or all loops' bytes.
    let first = |engine: &str| {
        let played = play(&format!("[j]\nrw=rw\nsize=48k\nloops=3\nioengine={engine}\niodepth=4\n"));
        assert_eq!(played.requests.len(), 36);
        played.requests[12].offset
    };
    assert_eq!(first("libaio"), 0);
    assert!(first("psync") > 0);
}

#[test]
fn files_that_cannot_be_are_refused() {
    let error = |text: &str| workload_on(text, DRIVE, 1).unwrap_err().to_string();
    assert!(
        error("[a]\nfilename=/mnt/f\n").contains("no size for file /mnt/f, which no job before it makes")
    );
    for names in ["/dev/sda:/dev/sdb", "/dev/sda:f", "f:/dev/sda"] {
        let error = error(&format!("[a]\nsize=1m\nfilename={names}\n"));
        assert!(error.contains(&format!("filename={names}: expected one device")), "{error}");
    }
    assert!(error("[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdc\n").contains("one device"));
    assert!(
        error("[a]\nfilename=/dev/sda\n[b]\nsize=1m\n").contains("job b: file b.0.0 beside the whole drive")
    );
    assert!(error("[a]\nsize=1m\n[b]\n").contains("job b: the whole drive beside files on it"));
    assert!(error("[a]\nsize=100m\nnumjobs=3\n").contains("3 files of 314572800 bytes side by side"));
    assert!(error("[a]\nnrfiles=300\nsize=1m\nbs=64k\n").contains("a size of 3495 bytes for file a.0.0"));
}

#[test]
fn zones_come_again_at_the_end_of_the_file() {
    // Observed of fio 3.33 with psync: it is the file's end that counts, not that of the part. The null engine knows no file.
    let played = play(
        "[a]\nrw=write\nsize=2m\n[b]\nstonewall\nrw=read\noffset=256k\nsize=512k\nfilename=a.0.0\nzonemode=strided\n\
         zonesize=64k\nzoneskip=192k\n",
    );
    let reads = of(&played, Op::READ);
    let starts: Vec<u64> = reads.iter().step_by(16).map(|request| request.offset).collect();
    assert_eq!(starts, [262_144, 524_288, 786_432, 1_048_576, 1_310_720, 1_572_864, 1_835_008, 262_144]);
    assert_eq!(reads.len(), 128);
    // On a device, too, whose zones are then laid out before the clock starts, as far as they are read.
    let device = "[j]\nrw=read\nfilename=/dev/sda\nsize=1m\nzonesize=64k\nzoneskip=1m\n";
    let mut extents = Vec::new();
    workload_on(device, DRIVE, 1).unwrap().lay_out(0, &mut |extent| extents.push(extent)).unwrap();
    let end = extents.iter().map(|extent| extent.offset + extent.bytes).max();
    assert!(play(device).requests.iter().all(|request| request.offset < end.unwrap()), "{end:?}");
    assert!(end < Some(DRIVE));
}

/// Test helper: returns the number of requests with each tag (number of the fio job or clone), in the order of tags.
fn by_tag(requests: &[HostRequest]) -> Vec<usize> {
    let tags = requests.iter().map(|request| usize::from(request.tag) + 1).max().unwrap_or(0);
    (0..tags).map(|tag| requests.iter().filter(|request| usize::from(request.tag) == tag).count()).collect()
}

#[test]
fn jobs_of_a_flow_keep_their_proportion_all_along() {
    for more in [
        "",
        "ioengine=libaio\niodepth=8\n",
        "flow_sleep=150\n",
        "ioengine=libaio\niodepth=8\nflow_sleep=150\n",
    ] {
        let text = format!(
            "[global]\nsize=16m\nruntime=2\ntime_based\nflow_id=7\n{more}[a]\nflow=1\n[b]\nflow=2\n[c]\nflow=3\n[free]\n"
        );
        let requests = play(&text).requests;
        let mut counts = [0u32; 4];
        for request in &requests {
            counts[usize::from(request.tag)] += 1;
            let all = f64::from(counts[..3].iter().sum::<u32>());
            for (tag, weight) in [1.0, 2.0, 3.0].into_iter().enumerate() {
                // The rule lets each exceed its share by less than one request; what falls to the others is short by it.
                assert!((f64::from(counts[tag]) - all * weight / 6.0).abs() <= 2.0, "{more}: {counts:?}");
            }
        }
        // One outside the flow goes as fast as it can: it is never asked.
        assert!(counts[2] > 100 && counts[3] >= counts[2], "{counts:?}");
    }
}

#[test]
fn a_flow_waits_for_those_that_have_not_begun_and_not_for_those_that_have_ended() {
    let late = "[global]\nsize=1m\nflow_id=1\n[a]\nflow=1\n[b]\nflow=1\nstartdelay=1\n";
    let requests = play(late).requests;
    assert_eq!(by_tag(&requests), [256, 256]);
    assert_eq!(
        requests.iter().filter(|request| request.arrive.ns() < SECOND).count(),
        2,
        "as many as the rule lets"
    );
    // The slow one holds the other back until it ends.
    let paced = "[global]\nsize=1m\nflow=1\n[a]\nrate_iops=100\nnumber_ios=50\n[b]\n";
    let requests = play(paced).requests;
    let before = |ns| requests.iter().filter(|request| request.tag == 1 && request.arrive.ns() <= ns).count();
    assert!(before(SECOND / 2 - 10_000_000).abs_diff(50) <= 2, "{}", before(SECOND / 2));
    assert_eq!(by_tag(&requests), [50, 256]);
    // A clone whose time ends while it stands back ends then.
    let short = "[global]\nsize=1m\nflow=1\n[a]\nruntime=1\n[b]\nstartdelay=5\nnumber_ios=3\n[c]\nstonewall\nflow=0\n";
    assert_eq!(by_tag(&play(short).requests), [2, 3, 256]);
    let alone = play("[j]\nsize=1m\nflow=5\n");
    assert_eq!((alone.requests.len(), alone.end_ns), (256, 256 * 100_000));
}

#[test]
fn flows_that_would_wait_for_ever_are_refused() {
    let error =
        |text: &str| workload_on(&format!("[global]\nsize=1m\n{text}"), DRIVE, 1).unwrap_err().to_string();
    assert!(
        error("[a]\nflow=1\n[b]\nstonewall\nflow=1\n")
            .contains("job b: flow_id 0 of jobs that do not run beside")
    );
    assert!(error("[a]\n[b]\nwait_for=a\nflow=1\n").contains("job b: flow_id 0"));
    assert!(error("[a]\nflow=1\nfsync=4\nrw=write\n").contains("flow beside fsync"));
    assert!(error("[a]\nflow=-1\n").contains("a weight from 1 to 1000"));
}

#[test]
fn zones_that_fio_itself_does_not_keep_are_refused() {
    let error = |text: &str| workload_on(&format!("[j]\nsize=1m\n{text}"), DRIVE, 1).unwrap_err().to_string();
    for (text, found) in [
        ("zonemode=strided\n", "zones without zonesize"),
        ("zoneskip=4k\n", "zones without zonesize"),
        ("zonemode=none\nzonesize=64k\n", "zonemode=none beside zonesize"),
        ("zonesize=64k\nnrfiles=2\n", "zones in several files"),
        ("zonesize=64k\nrw=trimwrite\n", "zones with rw=trimwrite"),
        ("zonesize=64k\nrw=write\nverify=null\n", "zones beside verify"),
        ("zonesize=64k\nrw=read:8k\n", "zones beside verify"),
        ("zonesize=64k\nrw=randread\nrandom_distribution=zipf\n", "zones beside random_distribution"),
        ("zonesize=64k\nbs=128k\n", "zones shorter than a block"),
        ("zonesize=64k\nrw=randrw\nbs=4k,8k\n", "zones with reads and writes of different sizes"),
        ("zonesize=66k\nrw=randread\n", "zones that do not end with a block"),
        ("zonesize=2m\n", "zones longer than its 1048576 bytes"),
        ("zonemode=zbd\n", "zonemode=zbd: expected none or strided"),
        ("zonesize=1000\n", "zonesize=1000: expected a multiple of 512"),
    ] {
        assert!(error(text).contains(found), "{text}: {}", error(text));
    }
}

#[test]
fn a_job_ends_at_a_request_that_takes_too_long() {
    // Every request takes 100 us.
    let run = |limit: &str| {
        let mut workload = workload_on(
            &format!("[a]\nrw=randread\nsize=1m\nioengine=libaio\niodepth=4\nmax_latency={limit}\n[b]\nrw=write\nsize=1m\n"),
            DRIVE,
            1,
        )
        .unwrap();
        let mut requests = Vec::new();
        play_on(&mut workload, 100_000, usize::MAX, &mut |_, request, what| {
            if what == Said::Made {
                requests.push(*request);
            }
        });
        let said =
            workload.report().notes.into_iter().find(|note| note.0 == "max_latency").map(|note| note.1);
        (by_tag(&requests), said)
    };
    assert_eq!(run("100us"), (vec![256, 256], None), "no longer than that is allowed");
    let said = "a: ended after 0.0001 s by a read of 0.1 ms, with at most 0.099 ms asked for";
    // Requests in flight are still answered.
    assert_eq!(run("99"), (vec![4, 256], Some(said.to_owned())), "a number alone is microseconds");
    assert_eq!(run("99us\nrw=randwrite\nend_fsync=1").0, [4, 256], "without a flush");
    let both =
        workload_on("[a]\nsize=1m\nmax_latency=1ms\nexitall_on_error\n", DRIVE, 1).unwrap_err().to_string();
    assert!(both.contains("max_latency beside exitall_on_error"), "{both}");
    assert_eq!(run("0,99us").0, [256, 256], "writes only, and it has none");
    assert_eq!(run("0").0, [256, 256]);
}

#[test]
fn a_range_gives_multiples_of_its_least() {
    let played = play("[j]\nrw=randwrite\nbsrange=4k-16k\nblockalign=8k\nsize=64m\nio_size=256m\n");
    let mut counts = BTreeMap::new();
    for request in &played.requests {
        *counts.entry(request.bytes).or_insert(0u32) += 1;
        assert_eq!(request.offset % 8192, 0);
    }
    let (total, deviation) =
        (played.requests.len() as f64, (0.25 * 0.75 / played.requests.len() as f64).sqrt());
    assert!(counts.keys().copied().eq([4096, 8192, 12_288, 16_384]));
    assert!(
        counts.values().all(|count| (f64::from(*count) / total - 0.25).abs() < 4.0 * deviation),
        "{counts:?}"
    );
}

#[test]
fn the_depth_is_used_and_never_exceeded() {
    let played = play("[j]\nrw=randread\nsize=16m\nioengine=libaio\niodepth=7\nnumjobs=3\nfsync=5\n");
    assert_eq!(played.most_outstanding, BTreeMap::from([(0, 7), (1, 7), (2, 7)]));
    // Nothing else limits it: by Little's law 21 requests are answered every 100 us.
    assert_eq!(played.end_ns, 4096u64.div_ceil(7) * 100_000);
}

#[test]
fn an_even_rate_is_exact() {
    let played = play("[j]\nrw=randread\nsize=16m\nrate_iops=7000\nioengine=libaio\niodepth=4\n");
    for (request, n) in played.requests.iter().zip(0u64..) {
        assert_eq!(request.arrive.ns(), n * SECOND / 7000);
    }
    let played = play("[j]\nrw=write\nbs=64k\nsize=16m\nrate=10m\nioengine=libaio\niodepth=4\n");
    for (request, n) in played.requests.iter().zip(0u64..) {
        assert_eq!(request.arrive.ns(), n * 65_536 * SECOND / (10 << 20));
    }
    assert_eq!(played.requests.len(), 256);
}

#[test]
fn a_rate_that_the_drive_cannot_hold_is_caught_up_with() {
    // One at a time and 100 us each: 10 000 a second at most, 20 000 asked for.
    let played = play("[j]\nrw=randread\nsize=4m\nrate_iops=20000\n");
    assert_eq!(played.end_ns, 1024 * 100_000);
}

#[test]
fn rates_of_both_directions_make_the_mix() {
    let played =
        play("[j]\nrw=randrw\nrate_iops=1000,250\nruntime=4\ntime_based\nioengine=libaio\niodepth=8\n");
    assert_eq!((of(&played, Op::READ).len(), of(&played, Op::WRITE).len()), (4000, 1000));
}

#[test]
fn a_direction_without_a_rate_fills_the_gaps_of_the_other() {
    // 1000 reads a second, and writes whenever no read is due: one at a time, 100 us each, 10 000 in all.
    let played = play("[j]\nrw=randrw\nrwmixread=50\nrate_iops=1000,\nruntime=1\ntime_based\n");
    assert_eq!(played.requests.len(), 10_000);
    assert_eq!(of(&played, Op::READ).len(), 1000);
    // But a mix without writes has none.
    let played = play("[j]\nrw=randrw\nrwmixread=100\nrate_iops=1000,\nruntime=1\ntime_based\n");
    assert_eq!((of(&played, Op::READ).len(), played.requests.len()), (1000, 1000));
}

#[test]
fn random_arrivals_have_the_rate_asked_for() {
    let played = play(
        "[j]\nrw=randread\nrate_iops=20000\nrate_process=poisson\nruntime=5\ntime_based\nioengine=libaio\niodepth=64\n",
    );
    // Poisson: standard deviation sqrt(100 000) = 316; four of them.
    assert!(played.requests.len().abs_diff(100_000) < 1264, "{}", played.requests.len());
}

#[test]
fn thinking_starts_when_all_is_answered() {
    let played = play(
        "[j]\nrw=read\nsize=64k\nioengine=libaio\niodepth=4\nthinktime=1000\nthinktime_blocks=4\nthinktime_blocks_type=issue\n",
    );
    let times: Vec<u64> = played.requests.iter().map(|request| request.arrive.ns() / 1000).collect();
    let expected = (0..4).flat_map(|group| [group * 1100; 4]);
    assert!(times.iter().copied().eq(expected), "{times:?}");
    assert_eq!(played.end_ns, 3_400_000, "no pause after the last");
}

#[test]
fn a_flush_follows_so_many_writes_and_waits_for_them() {
    let played = play("[j]\nrw=randwrite\nsize=1m\nioengine=libaio\niodepth=4\nfsync=8\n");
    // fio looks for a flush that is due when it makes the next request: after the last there is none.
    assert_eq!((of(&played, Op::WRITE).len(), of(&played, Op::FLUSH).len()), (256, 31));
    for group in played.requests.chunks_exact(9) {
        assert!(group[..8].iter().all(|request| request.op == Op::WRITE));
        assert_eq!((group[8].op, group[8].bytes), (Op::FLUSH, 0));
        assert!(group[8].arrive.ns() >= group[7].arrive.ns() + 100_000);
    }
    for pair in played.requests.windows(2).filter(|pair| pair[0].op == Op::FLUSH) {
        assert_eq!(pair[1].arrive.ns(), pair[0].arrive.ns() + 100_000);
    }
}

#[test]
fn a_last_flush_follows_each_loop_or_the_end_of_time() {
    let ops = |text: &str| -> String {
        let name = |request: &HostRequest| ["r", "w", "t", "F"][request.op.effect() as usize];
        play(text).requests.iter().map(name).collect()
    };
    assert_eq!(
        ops("[j]\nrw=write\nsize=16k\nioengine=libaio\niodepth=3\nloops=2\nend_fsync=1\n"),
        "wwwwFwwwwF"
    );
    assert_eq!(ops("[j]\nrw=write\nsize=16k\nfsync_on_close=1\nnumber_ios=3\n"), "wwwF");
    assert_eq!(ops("[j]\nrw=write\nsize=16k\nfsync=2\nend_fsync\n"), "wwFwwF", "nothing is left to flush");
    assert_eq!(ops("[j]\nrw=read\nsize=16k\nend_fsync\n"), "rrrr");
    // Each file, in turn (fio 3.42), and the files of the next loop in their order.
    let files = "[j]\nrw=write\nsize=16k\nnrfiles=2\nloops=2\nend_fsync\nioengine=libaio\niodepth=4\n";
    assert_eq!(ops(files), "wwwwFFwwwwFF");
    let offsets: Vec<u64> =
        play(files).requests.iter().filter(|one| one.op == Op::WRITE).map(|one| one.offset).collect();
    assert_eq!(offsets[..4], offsets[4..]);
    let flushes: Vec<u64> = of(&play(files), Op::FLUSH).iter().map(|one| one.arrive.ns()).collect();
    assert_eq!(flushes[1] - flushes[0], 100_000);
    // fio 3.42: a flush is due when it looks for one more block than its files have; one that is due together with
    // a backlog is left out; nothing is flushed where nothing is written.
    assert_eq!(ops("[j]\nrw=trimwrite\nsize=16k\nio_size=24k\nfsync=2\n"), "twtwFtwtwF");
    assert_eq!(ops("[j]\nrw=trimwrite\nsize=16k\nfsync=2\n"), "twtwFtwtw");
    assert_eq!(ops("[j]\nrw=write\nsize=24k\nfsync=2\nverify=md5\nverify_backlog=4\n"), "wwFwwrrrrwwrr");
    assert_eq!(ops("[j]\nrw=write\nsize=8k\nverify=md5\nverify_only\nend_fsync\n"), "rr");
    // The last that is asked for decides: fio 3.42.
    assert_eq!(ops("[j]\nrw=rw\nrwmixread=0\nsize=8k\nfsync=1\nend_fsync\n"), "wFwF");
    assert_eq!(ops("[j]\nrw=write\nsize=8k\nend_fsync\nthinktime=5\n"), "wwF");
    // 100 us each: one and a half loops in 600 us, and the flush when the last writes are answered.
    let timed = "[j]\nrw=write\nsize=16k\nruntime=600us\ntime_based\nend_fsync\n[k]\nsize=16k\nstonewall\nnumber_ios=1\n";
    let played = play(timed);
    assert_eq!(ops(timed), "wwwwwwFr");
    let times: Vec<u64> = played.requests[5..].iter().map(|request| request.arrive.ns() / 1000).collect();
    assert_eq!(times, [500, 600, 700]);
}

#[test]
fn stonewalls_part_groups() {
    let text = "[global]\nsize=1m\nioengine=libaio\niodepth=2\n[a]\nrw=write\n[b]\nrw=read\nstartdelay=1ms\n\
                [c]\nstonewall\nrw=randread\n[d]\nrw=randwrite\n[e]\nwait_for_previous\nrw=trim\nbs=64k\n";
    let played = play(text);
    let span = |tag: u16| {
        let times = || played.requests.iter().filter(|r| r.tag == tag).map(|r| r.arrive.ns());
        (times().min().unwrap(), times().max().unwrap() + 100_000)
    };
    // 256 blocks, two at a time, 100 us each.
    assert_eq!(span(0), (0, 12_800_000));
    assert_eq!(span(1), (1_000_000, 13_800_000));
    assert_eq!(span(2), (13_800_000, 26_600_000));
    assert_eq!(span(3), span(2));
    assert_eq!(span(4), (26_600_000, 27_400_000));
    assert_eq!(played.end_ns, 27_400_000);
}

#[test]
fn runtime_ends_a_job_and_counts_from_the_ramp() {
    let played = play("[j]\nrw=randread\nsize=1m\nruntime=50ms\nramp_time=10ms\ntime_based\n");
    assert_eq!(played.requests.len(), 600);
    assert_eq!(played.in_ramp, 100);
    let ends = play("[j]\nrw=randread\nsize=1m\nruntime=5ms\n");
    assert_eq!(ends.requests.len(), 50);
    let done_before = play("[j]\nrw=randread\nsize=1m\nruntime=5\n");
    assert_eq!(done_before.requests.len(), 256);
    let counted = play("[j]\nrw=randread\nsize=1m\nnumber_ios=17\nioengine=libaio\niodepth=3\n");
    assert_eq!(counted.requests.len(), 17);
    let looped = play("[j]\nrw=randread\nsize=1m\nnumber_ios=17\nloops=3\n");
    assert_eq!(looped.requests.len(), 51, "so many for each loop, as in fio");
}

#[test]
fn the_fraction_done_follows_what_ends_a_job_first() {
    let half = |options: &str, requests: usize| {
        let mut workload = workload_on(
            &format!("[j]\nrw=randread\nsize=4m\nioengine=libaio\niodepth=1000\n{options}"),
            DRIVE,
            1,
        )
        .unwrap();
        for _ in 0..requests {
            assert!(matches!(workload.poll(SimTime::ZERO).unwrap(), Poll::Ready(_)));
        }
        workload.fraction_done(SimTime::from_ns(SECOND)).unwrap()
    };
    assert_eq!(half("", 512), 0.5, "of 1024 blocks");
    assert_eq!(half("loops=4\n", 512), 0.125);
    assert_eq!(half("number_ios=100\n", 50), 0.5);
    assert_eq!(half("time_based\nruntime=1\nramp_time=1\n", 1), 0.5, "a second of ramp, a second of run");
}

#[test]
fn a_share_of_a_random_job_may_be_sequential() {
    let played = play("[j]\nrw=randread\nnorandommap\npercentage_random=25\nsize=200m\nio_size=64m\n");
    let next = |pair: &&[HostRequest]| pair[1].offset == pair[0].offset + u64::from(pair[0].bytes);
    let share = played.requests.windows(2).filter(next).count() as f64 / (played.requests.len() - 1) as f64;
    // Binomial with 16 383 draws: standard deviation 0.0034.
    assert!((share - 0.75).abs() < 0.0136, "{share}");
}

#[test]
fn clones_differ_and_start_further_on() {
    let played =
        play("[j]\nfilename=/dev/sda\nrw=randread\nsize=4m\noffset=2m\noffset_increment=8m\nnumjobs=3\n");
    let offsets = |tag: u16| -> Vec<u64> {
        let own = played.requests.iter().filter(|request| request.tag == tag);
        own.map(|request| request.offset - 2 * MIB - u64::from(tag) * 8 * MIB).collect()
    };
    assert!((0..3).all(|tag| offsets(tag).len() == 1024 && offsets(tag).iter().all(|o| *o < 4 * MIB)));
    assert_ne!(offsets(0), offsets(1));
    assert_ne!(offsets(1), offsets(2));
}

#[test]
fn percentages_are_of_the_drive() {
    let played = play("[j]\nrw=write\nbs=1m\noffset=25%\nsize=50%\nio_size=50%\n");
    let offsets: Vec<u64> = played.requests.iter().map(|request| request.offset / MIB).collect();
    assert!(offsets.iter().copied().eq(64..128), "half of the region from 64 to 192 MiB: {offsets:?}");
    let rest = play("[j]\nrw=write\nbs=1m\noffset=75%\nsize=100%\n");
    assert_eq!(rest.requests.len(), 64, "cut at the drive's end, as fio does");
}

#[test]
fn clones_that_report_together_share_a_tag_and_nothing_else() {
    let job = "[j]\nrw=randwrite\nsize=1m\nioengine=libaio\niodepth=3\nnumjobs=4\n[k]\nrw=read\nsize=1m\nnumjobs=2\n";
    let apart = play(job);
    let together = play(&format!("[global]\ngroup_reporting\n{job}"));
    let bare = |played: &Played| -> Vec<(u64, u64)> {
        played.requests.iter().map(|r| (r.arrive.ns(), r.offset)).collect()
    };
    assert_eq!(bare(&apart), bare(&together));
    assert_eq!(together.most_outstanding, BTreeMap::from([(0, 12), (1, 2)]));
    let names = |text: &str| workload_on(text, DRIVE, 1).unwrap().report().tags;
    assert_eq!(names(job), ["j", "j", "j", "j", "k", "k"]);
    assert_eq!(names(&format!("[global]\ngroup_reporting\n{job}")), ["j", "k"]);
}

#[test]
fn a_run_repeats_and_its_seed_matters() {
    let job = "[j]\nrw=randrw\nrandom_distribution=zipf:1.2\nsize=16m\nbssplit=4k/50:8k/50\nioengine=libaio\niodepth=5\n\
               rate_iops=9000\nrate_process=poisson\nnumjobs=2\n";
    let run = |text: &str, seed| play_with(text, seed, 70_001, 3000);
    assert_eq!(run(job, 5), run(job, 5));
    assert_ne!(run(job, 5).requests, run(job, 6).requests);
    let own = format!("{job}randseed=77\n");
    assert_eq!(run(&own, 5), run(&own, 6), "a seed of its own replaces the run's");
}

#[test]
fn reads_and_writes_of_a_job_find_the_same_blocks_popular() {
    let job = "[j]\nrw=randrw\nrandom_distribution=zipf:1.2\nsize=64m\nbs=4k\nnorandommap\n";
    let requests = play_with(job, 5, 70_001, 20_000).requests;
    let hottest = |op: Op| {
        let mut hits = BTreeMap::<u64, u32>::new();
        let of_op = requests.iter().filter(|request| request.op == op);
        of_op.for_each(|request| *hits.entry(request.offset).or_default() += 1);
        let mut blocks: Vec<(u32, u64)> = hits.into_iter().map(|(offset, hits)| (hits, offset)).collect();
        blocks.sort_unstable();
        blocks.iter().rev().take(3).map(|(_, offset)| *offset).collect::<Vec<_>>()
    };
    assert_eq!(hottest(Op::READ), hottest(Op::WRITE));
}

#[test]
fn jobs_that_do_not_fit_the_drive_are_refused() {
    let error = |text: &str| workload_on(text, DRIVE, 1).unwrap_err().to_string();
    assert_eq!(
        error("[a]\nsize=1m\n[big]\nsize=300m\noffset=1m\n"),
        "test.fio:3: job big: offset 1048576 and size 314572800 end at byte 315621376 of file big.0.0: \
         expected no more than the drive's 268435456 bytes"
    );
    assert!(error("[far]\noffset=256m\n").contains("job far: starts at byte 268435456"));
    assert!(
        error("[j]\nfilename=/dev/sda\noffset_increment=100m\nnumjobs=4\nsize=10m\n")
            .contains("offset 314572800")
    );
    assert!(error("[j]\nbs=1m\nsize=512k\n").contains("at least one block of 1048576 bytes"));
    let zones = "[j]\nrw=randread\nsize=8m\nrandom_distribution=zoned_abs:50/4m:50/5m\n";
    assert!(error(zones).contains("zones that fit"), "{}", error(zones));
}

#[test]
fn the_report_says_what_was_assumed() {
    let text = "[j]\nioengine=libaio\ndirect=1\nrw=randrw\nbs=4k,8k\nioengine=psync\nrate=1g\n";
    let report = workload_on(text, DRIVE, 1).unwrap().report();
    let note = |name: &str| report.notes.iter().find(|note| note.0 == name).map(|note| note.1.as_str());
    assert_eq!((report.name.as_str(), report.format.as_str()), ("test.fio", "fio"));
    assert_eq!(note("ignored"), Some("no effect on a raw drive: direct"));
    assert_eq!(note("size"), Some("not given, so the rest of the drive of 268435456 bytes: j"));
    assert_eq!(note("rate"), Some("requests go out when due, as with io_submit_mode=offload: j"));
}

#[test]
fn every_generator_runs_and_is_bounded() {
    for generator in generators() {
        let job = parse_text(generator.name, generator.job_text, &Variables::new(), &refuse).unwrap();
        assert!(job.ignored.is_empty());
        assert!(job.jobs.iter().all(|job| job.runtime_ns.is_some()), "{}", generator.name);
        let played = play_with(generator.job_text, 1, 100_000, 20_000);
        assert_eq!(played.requests.len(), 20_000, "{}", generator.name);
    }
    let enterprise = generators().iter().find(|generator| generator.name == "enterprise").unwrap();
    let played = play_with(enterprise.job_text, 1, 100_000, 100_000);
    // Binomial with 100 000 draws: standard deviations of 0.0015 and 0.0016; four of them.
    let share = |wanted: &dyn Fn(&HostRequest) -> bool| {
        played.requests.iter().filter(|request| wanted(request)).count() as f64 / 100_000.0
    };
    assert!((share(&|request| request.op == Op::WRITE) - 0.6).abs() < 0.0062);
    assert!((share(&|request| request.bytes == 4096) - 0.67).abs() < 0.006);
    assert!((share(&|request| request.offset < DRIVE / 20) - 0.5).abs() < 0.0064);
    assert!(played.requests.iter().all(|request| request.offset % 4096 == 0));
    let web = generators().iter().find(|generator| generator.name == "synthetic-web").unwrap();
    let played = play(web.job_text);
    // 2000 a second for 20 s, of them 1400 reads: standard deviations 200 and 0.0023.
    assert!(played.requests.len().abs_diff(40_000) < 800, "{}", played.requests.len());
    let reads = of(&played, Op::READ).len() as f64 / played.requests.len() as f64;
    assert!((reads - 0.7).abs() < 0.0092, "{reads}");
}

#[test]
fn the_examples_run() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "fio") {
            let file = host::fio::parse(&path, &Variables::new()).unwrap();
            let mut workload = FioWorkload::new(file, 32 << 30, 1).unwrap();
            assert!(!matches!(workload.poll(SimTime::ZERO).unwrap(), Poll::Done | Poll::Blocked), "{path:?}");
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}

/// Test helper: returns the times in microseconds at which a fio job with `options` makes its requests, on a drive that
/// answers each request after 10 us.
fn times_us(options: &str) -> Vec<u64> {
    let played = play_with(&format!("[j]\nioengine=libaio\n{options}"), 1, 10_000, usize::MAX);
    played.requests.iter().map(|request| request.arrive.ns() / 1_000).collect()
}

#[test]
fn a_full_queue_is_refilled_as_the_job_says() {
    let paced = "rw=read\nbs=4k\nsize=32k\niodepth=4\nrate_iops=1000000\n";
    assert_eq!(times_us(paced), [0, 1, 2, 3, 10, 11, 12, 13]);
    // Four answers are awaited, or two; or the queue drains to one that is left.
    assert_eq!(times_us(&format!("{paced}iodepth_batch_complete_min=4\n")), [0, 1, 2, 3, 13, 13, 13, 13]);
    assert_eq!(times_us(&format!("{paced}iodepth_batch_complete_min=2\n")), [0, 1, 2, 3, 11, 11, 13, 13]);
    assert_eq!(times_us(&format!("{paced}iodepth_low=1\n")), [0, 1, 2, 3, 12, 12, 12, 22]);
}

#[test]
fn a_request_waits_for_one_it_overlaps() {
    let same =
        "rw=randwrite:4\nrw_sequencer=identical\nbs=4k\nsize=4k\nio_size=16k\nnorandommap\niodepth=8\n";
    assert_eq!(times_us(same), [0, 0, 0, 0]);
    assert_eq!(times_us(&format!("{same}serialize_overlap=1\n")), [0, 10, 20, 30]);
}

#[test]
fn pauses_count_answers_or_requests() {
    let job = "rw=read\nbs=4k\nsize=32k\niodepth=2\nthinktime=100\nthinktime_blocks=1\n";
    // As in fio, a queue is filled before the first answer can be counted.
    assert_eq!(times_us(&format!("{job}thinktime_blocks_type=complete\n"))[..4], [0, 0, 110, 220]);
    assert_eq!(times_us(&format!("{job}thinktime_blocks_type=issue\n"))[..4], [0, 110, 220, 330]);
}

#[test]
fn a_job_begins_when_the_one_it_waits_for_is_done() {
    let text = "[a]\nsize=8k\nnumjobs=2\n[b]\nsize=4k\n[c]\nwait_for=a\nsize=4k\n[d]\nwait_for=c\nsize=4k\n";
    let played = play_with(text, 1, 10_000, usize::MAX);
    let first = |tag: u16| {
        let one = played.requests.iter().find(|request| request.tag == tag);
        one.map(|request| request.arrive.ns() / 1_000)
    };
    assert_eq!((0..5).map(first).collect::<Vec<_>>(), [Some(0), Some(0), Some(0), Some(20), Some(30)]);
    let error = workload_on("[b]\nwait_for=c\nsize=4k\n[c]\nsize=4k\n", DRIVE, 1).unwrap_err().to_string();
    assert_eq!(error, "test.fio:1: job b: wait_for=c: expected the name of a job before it");
    assert!(workload_on("[b]\nwait_for=b\nsize=4k\n", DRIVE, 1).is_err(), "not itself");
}

#[test]
fn the_first_job_that_ends_takes_others_along() {
    let counts = |what: &str| {
        let text = format!(
            "[global]\nexitall\nexit_what={what}\nsize=16k\n[a]\nsize=4k\n[b]\n[c]\nnew_group\nthinktime=1s\nsize=8k\n\
             [d]\nstonewall\nsize=4k\n"
        );
        let played = play_with(&text, 1, 10_000, usize::MAX);
        let count = |tag: u16| played.requests.iter().filter(|request| request.tag == tag).count();
        ((0..4).map(count).collect::<Vec<_>>(), played.end_ns / 1_000)
    };
    assert_eq!(counts("group"), (vec![1, 1, 2, 1], 1_000_030));
    assert_eq!(counts("stonewall"), (vec![1, 1, 1, 1], 20));
    assert_eq!(counts("all"), (vec![1, 1, 1, 0], 10));
}

#[test]
fn what_is_written_is_read_back_once_it_is_answered() {
    let asked = |options: &str| -> String {
        let played =
            play_with(&format!("[j]\nioengine=libaio\nrw=write\nbs=4k\n{options}"), 1, 10_000, usize::MAX);
        let said = |request: &HostRequest| {
            format!("{}{}", ["r", "w", "t", "F"][request.op.effect() as usize], request.offset >> 12)
        };
        played.requests.iter().map(said).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(asked("size=16k\nverify=md5\niodepth=4\n"), "w0 w1 w2 w3 r0 r1 r2 r3");
    assert_eq!(asked("size=8k\nverify=md5\nloops=2\nend_fsync=1\n"), "w0 w1 F0 r0 r1 w0 w1 F0 r0 r1");
    assert_eq!(asked("size=16k\nverify=md5\nverify_backlog=2\niodepth=2\n"), "w0 w1 r0 r1 w2 w3 r2 r3");
    assert_eq!(asked("size=8k\nverify=md5\nverify_only=1\n"), "r0 r1");
    assert_eq!(asked("size=8k\nverify=md5\ndo_verify=0\n"), "w0 w1");
    // Until its time is over it reads a backlog, and nothing else.
    let timed = "size=8k\nverify=md5\ntime_based\nruntime=50us\n";
    assert_eq!(asked(timed), "w0 w1 w0 w1 w0");
    assert_eq!(asked(&format!("{timed}verify_backlog=2\n")), "w0 w1 r0 r1 w0");
    // Files lie one after the other on the drive; fio 3.42 sorts only where a block may come again.
    let files = "size=16k\nnrfiles=2\nverify=md5\n";
    assert_eq!(asked(files), "w0 w2 w1 w3 r0 r2 r1 r3");
    assert_eq!(asked(&format!("{files}norandommap\n")), "w0 w2 w1 w3 r0 r1 r2 r3");
    assert_eq!(asked(&format!("{files}softrandommap=1\n")), "w0 w2 w1 w3 r0 r1 r2 r3");
    // What only reads goes on to what is asked for, since fio 3.37; with loops its last pass is whole.
    assert_eq!(asked("rw=read\nsize=8k\nverify=md5\nio_size=20k\n"), "r0 r1 r0 r1 r0");
    assert_eq!(asked("rw=read\nsize=8k\nverify=md5\nio_size=20k\nloops=2\n"), "r0 r1 r0 r1 r0 r1");
}

#[test]
fn what_may_come_again_is_read_back_by_place_and_all_else_as_it_was_written() {
    // As fio 3.42 has it (`fio_agrees.rs`).
    for (options, by_place) in [
        ("rw=randwrite\n", false),
        ("rw=randwrite\nnorandommap\n", true),
        ("rw=randwrite\nsoftrandommap=1\n", true),
        ("rw=randwrite\nblockalign=8k\n", true),
        ("rw=randwrite\nrandom_distribution=zipf:1.1\n", true),
        ("rw=randwrite\nrandom_distribution=zoned:60/10:40/90\n", true),
        ("rw=randwrite\nrandom_generator=lfsr\n", false),
        ("rw=randwrite\nrandom_generator=lfsr\nnorandommap\n", true),
        ("rw=randwrite:8\n", true),
        ("rw=randwrite\npercentage_random=50\n", false),
        ("rw=randwrite\nexperimental_verify=1\nnorandommap\n", false),
        ("rw=write\nnrfiles=2\n", false),
        ("rw=write:4k\nnrfiles=2\n", true),
        ("rw=write\nnrfiles=2\nrandom_distribution=zipf:1.1\n", true),
        ("rw=write:4k\nsize=128k\nnrfiles=2\nexperimental_verify=1\n", false),
    ] {
        let played = play(&format!("[j]\nsize=1m\nverify=md5\n{options}"));
        let places = |op: Op| of(&played, op).iter().map(|one| one.offset).collect::<Vec<_>>();
        let (writes, reads) = (places(Op::WRITE), places(Op::READ));
        let mut sorted = writes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_ne!(writes, sorted, "{options}: the two orders differ");
        assert_eq!(reads, if by_place { sorted } else { writes }, "{options}");
    }
}

#[test]
fn a_random_job_until_its_time_is_over_stays_with_the_files_that_it_opened() {
    // fio 3.42: such a file is begun again once each of its blocks has come; read in order, it is done.
    let files = |rw: &str| {
        let job =
            format!("[j]\nrw={rw}\nbs=4k\nsize=64k\nnrfiles=4\nopenfiles=1\ntime_based\nruntime=10ms\n");
        let places: Vec<u64> = play(&job).requests.iter().map(|one| one.offset >> 14).collect();
        assert_eq!(places.len(), 100);
        (0..4).map(|file| places.iter().filter(|place| **place == file).count()).collect::<Vec<_>>()
    };
    assert_eq!(files("randread"), [100, 0, 0, 0]);
    assert_eq!(files("read"), [28, 24, 24, 24]);
}

#[test]
fn over_holes_a_file_begins_again_before_its_bytes_were_asked_for() {
    // fio 3.42 (`fio_agrees.rs`), where requests are not queued. Sixty blocks with their holes fill the file, but for the last
    // hole; the pass goes on at its beginning, and does not end there.
    let places = |options: &str| -> Vec<u64> {
        let job = format!("[j]\nbs=16k\nsize=1200k\n{options}");
        play(&job).requests.iter().map(|one| one.offset / 20_480).collect()
    };
    let rounds = |count: u64| (0..count).map(|number| number % 60).collect::<Vec<_>>();
    assert_eq!(places("rw=read:4k\nio_size=2320k\n"), rounds(145));
    assert_eq!(places("rw=write:4k\nio_size=2320k\ndo_verify=0\n"), rounds(145));
    assert_eq!(places("rw=write:4k\nloops=3\n"), rounds(225));
    // Each place is read back once.
    assert_eq!(places("rw=write:4k\nio_size=2320k\nverify=md5\n"), [rounds(145), rounds(60)].concat());
    // A block that ends with the file ends the pass.
    let ends =
        |options: &str| play(&format!("[j]\nrw=write:8k\nsize=64k\nio_size=160k\n{options}")).requests.len();
    assert_eq!((ends(""), ends("verify=md5\n"), ends("do_verify=0\n")), (40, 48, 6));
}
