//! `zonemode=zbd`: every request of a job is one that the zones take, by the states of the specification, and zones are reset
//! and finished when fio 3.42's `zbd.c` does so.

use host::command::zns::{ZoneShape, ZoneStates};
use host::fio::{FioWorkload, Variables, parse_text};
use host::{Completion, CompletionStatus, Effect, HostRequest, HostSpace, HostZones, Op, Poll, Workload};
use std::collections::VecDeque;
use units::SimTime;

const KIB: u64 = 1024;
const SIZE: u64 = 128 * KIB;
const CAPACITY: u64 = 96 * KIB;
const COUNT: u32 = 16;
const BLOCK: u64 = 4 * KIB;

fn workload(text: &str) -> Result<FioWorkload, String> {
    let none = |name: &str| panic!("{name} is not included");
    let file = parse_text("jobs.fio", text, &Variables::new(), &none).map_err(|error| error.to_string())?;
    let zones = HostZones {
        offset: 0,
        first: 0,
        count: COUNT,
        size: SIZE,
        capacity: CAPACITY,
        open_most: 4,
        active_most: 4,
        block: BLOCK,
    };
    let space = HostSpace { zones: Some(zones), ..HostSpace::from(u64::from(COUNT) * SIZE) };
    FioWorkload::new(file, space, 1).map_err(|error| error.to_string())
}

/// Test helper: plays a fio job with `options` on a zoned drive whose first `full` zones are full, and returns all
/// requests and the final state of the zones.
fn play(options: &str, full: u32) -> (Vec<HostRequest>, ZoneStates) {
    let mut workload = workload(&format!("[j]\nfilename=/dev/nvme0n1\nzonemode=zbd\nbs=4k\n{options}\n"))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut zones = ZoneStates::new(ZoneShape {
        count: COUNT,
        size: SIZE / BLOCK,
        capacity: CAPACITY / BLOCK,
        open_most: 4,
        active_most: 4,
        reads_unwritten: true,
    });
    let mut report = vec![(0, false); COUNT as usize];
    for zone in 0..full {
        zones.found(zone, (CAPACITY / BLOCK, false));
        report[zone as usize] = (CAPACITY, true);
    }
    workload.learn_zones(&report);
    let (mut all, mut outstanding, mut now) = (Vec::new(), VecDeque::new(), 0);
    loop {
        match workload.poll(SimTime::from_ns(now)).expect("a sound job") {
            Poll::Ready(request) => {
                take(&mut zones, &request);
                all.push(request);
                outstanding.push_back(request);
                assert!(all.len() < 20_000, "it does not end");
            }
            Poll::Blocked => {
                let request: HostRequest = outstanding.pop_front().expect("it waits for one of its requests");
                now += 1000;
                workload.complete(&request, &Completion::success(SimTime::from_ns(now)));
            }
            Poll::At(then) => now = then.ns(),
            Poll::Done => break,
        }
    }
    (all, zones)
}

/// Test helper: applies `request` to the states of the zones of a drive; panics if the zone does not allow the request.
fn take(zones: &mut ZoneStates, request: &HostRequest) {
    let (block, blocks) = (request.offset / BLOCK, u64::from(request.bytes) / BLOCK);
    let (zone, at) = ((block / (SIZE / BLOCK)) as u32, block % (SIZE / BLOCK));
    let written = zones.get(zone).written;
    let taken = match request.op {
        Op::READ => {
            assert!(
                at + blocks <= written,
                "a read of {blocks} at {at} of zone {zone}, written to {written}"
            );
            Ok(())
        }
        Op::WRITE => zones.write(zone, at, blocks),
        Op::APPEND => zones.append(zone, at, blocks).map(|_| ()),
        Op::FLUSH => Ok(()),
        op => zones.manage(zone, op).map(|_| ()),
    };
    assert_eq!(taken, Ok(()), "{request:?}");
}

fn bytes(all: &[HostRequest], effect: Effect) -> u64 {
    all.iter().filter(|request| request.op.effect() == effect).map(|request| u64::from(request.bytes)).sum()
}

#[test]
fn a_sequential_job_goes_from_capacity_to_the_next_zone() {
    let (all, zones) = play("rw=write\nsize=512k", 0);
    assert_eq!(bytes(&all, Effect::Write), 4 * CAPACITY);
    assert_eq!((zones.counts.filled, zones.counts.reset), (4, 0));
    let starts: Vec<u64> = all.iter().step_by(24).map(|request| request.offset).collect();
    assert_eq!(starts, [0, SIZE, 2 * SIZE, 3 * SIZE]);
    // Full zones are reset before they are written.
    let (all, zones) = play("rw=write\nsize=256k\nioengine=libaio\niodepth=8", 4);
    assert_eq!((bytes(&all, Effect::Write), zones.counts.reset), (2 * CAPACITY, 2));
}

#[test]
fn random_writes_go_to_the_pointers_of_a_few_zones() {
    for more in ["", "ioengine=libaio\niodepth=16", "max_open_zones=2", "job_max_open_zones=1", "norandommap"]
    {
        for full in [0, 5, COUNT] {
            let (all, zones) = play(&format!("rw=randwrite\nio_size=3m\n{more}"), full);
            assert!(bytes(&all, Effect::Write) > 2 << 20, "{more}: {}", bytes(&all, Effect::Write));
            assert!(zones.counts.closed[0] == 0, "{more}: the drive closed zones that fio writes to");
            assert!(zones.counts.reset > 0 || full == 0, "{more}");
        }
    }
}

#[test]
fn several_jobs_share_zones_and_none_waits_for_ever() {
    let options = "rw=randwrite\nnumjobs=3\nioengine=libaio\niodepth=4\nio_size=1m\ngroup_reporting";
    let (all, _) = play(options, 3);
    assert!(bytes(&all, Effect::Write) > 5 << 19, "{}", bytes(&all, Effect::Write));
    play("rw=randrw\nnumjobs=2\nioengine=libaio\niodepth=4\nio_size=1m", 8);
}

#[test]
fn what_is_too_short_for_a_block_is_finished() {
    // 96 KiB hold one block of 64 KiB, and a rest.
    let (all, zones) = play("rw=write\nbs=64k\nsize=512k", 0);
    assert_eq!((bytes(&all, Effect::Write), zones.counts.finished), (4 * 64 * KIB, 3));
    assert!(all.iter().filter(|request| request.op == Op::ZONE_FINISH).all(|request| request.bytes == 0));
}

#[test]
fn reads_stay_below_the_pointer_unless_they_may_go_beyond() {
    let (all, _) = play("rw=randread\nnumber_ios=500", 3);
    assert_eq!(all.len(), 500);
    // Without anything to read there is nothing to do.
    assert!(play("rw=randread", 0).0.is_empty());
    assert_eq!(play("rw=read\nsize=512k", 2).0.len(), 48);
}

#[test]
fn zones_are_reset_by_threshold_and_frequency() {
    let (_, zones) = play("rw=randwrite\nio_size=4m\nzone_reset_threshold=0.2\nzone_reset_frequency=0.05", 0);
    let (_, without) = play("rw=randwrite\nio_size=1m", 0);
    // Without them a zone is reset when it is written again.
    let (with, without) = (zones.counts.reset, without.counts.reset);
    assert!(with > 4 * without.max(3), "{with} resets, {without} of a fourth of the writes");
}

#[test]
fn appends_name_their_zone() {
    let (all, _) = play("rw=write\nioengine=io_uring_cmd\nwrite_mode=zone_append\nsize=256k", 0);
    assert_eq!(bytes(&all, Effect::Write), 2 * CAPACITY);
    assert!(all.iter().all(|request| request.op == Op::APPEND && request.offset % SIZE == 0));
}

/// Checks that a job of which any request fails ends, also while a request of it waits for a zone, so that the next
/// job begins.
#[test]
fn a_job_ends_with_its_first_failure_and_the_next_begins() {
    let job = |name: &str, more: &str| {
        format!("[{name}]\nfilename=/dev/nvme0n1\nzonemode=zbd\nbs=4k\nsize=256k\nioengine=libaio\n{more}\n")
    };
    let (first, next) = (job("first", "rw=write\niodepth=4"), job("next", "rw=read\nstonewall"));
    for failing in 0..50 {
        let mut workload = workload(&format!("{first}{next}")).unwrap_or_else(|error| panic!("{error}"));
        let full = (CAPACITY, true);
        workload.learn_zones(&[full; COUNT as usize]);
        let (mut outstanding, mut now, mut answered, mut read) = (VecDeque::new(), 0, 0, 0);
        loop {
            match workload.poll(SimTime::from_ns(now)).expect("a sound job") {
                Poll::Ready(request) => outstanding.push_back(request),
                Poll::Blocked => {
                    let request: HostRequest =
                        outstanding.pop_front().expect("it waits for one of its requests");
                    now += 1000;
                    let mut end = Completion::success(SimTime::from_ns(now));
                    if answered == failing {
                        end.status = CompletionStatus::Failed;
                    }
                    (answered, read) = (answered + 1, read + u64::from(request.op == Op::READ));
                    workload.complete(&request, &end);
                }
                Poll::At(then) => now = then.ns(),
                Poll::Done => break,
            }
        }
        assert!(answered > failing && read > 0, "request {failing} fails: {read} reads");
    }
}

#[test]
fn a_job_that_could_only_fail_is_refused() {
    let error = |options: &str| workload(&format!("[j]\nfilename=/dev/nvme0n1\n{options}\n")).unwrap_err();
    for (options, words) in [
        ("rw=randwrite", "zonemode=zbd: a zone takes writes at its pointer alone"),
        ("rw=trim", "a zoned drive knows resets instead"),
        ("rw=write\nzonemode=zbd\nzonesize=64k", "the drive's 131072 bytes, or none"),
        ("rw=write\nzonemode=zbd\nmax_open_zones=5", "at most the 4 that the drive can have open"),
        ("rw=write\nzonemode=zbd\nbs=128k", "at most a zone's 98304 bytes"),
        ("rw=write\nzonemode=zbd\nbs=512", "multiples of the drive's block of 4096 bytes"),
        ("rw=write\nzonemode=zbd\nsize=64k", "at least one zone of 131072 bytes"),
        ("rw=write\nzonemode=zbd\nzoneskip=128k", "no zoneskip"),
        ("rw=randread\nmax_open_zones=5", "zonemode=zbd, to which they belong"),
        ("rw=write\nwrite_mode=zone_append\nzonemode=zbd", "ioengine=io_uring_cmd, as fio requires"),
        ("rw=write\nzonemode=zbd\nzone_reset_threshold=2", "a number from 0 to 1"),
    ] {
        let said = error(options);
        assert!(said.contains(words) && !said.contains('\n'), "{options}: {said}");
    }
}
