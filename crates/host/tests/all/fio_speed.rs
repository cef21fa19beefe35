//! What a request of a fio job costs, without a drive behind it. Not a test but a measurement:
//! `cargo test --release -p host --test all fio_speed:: -- --ignored --nocapture`.

use host::fio::{FioWorkload, Variables, parse_text};
use host::{Completion, HostRequest, Poll, Workload, WorkloadError};
use std::collections::VecDeque;
use std::time::Instant;
use units::SimTime;

const DRIVE_BYTES: u64 = 256 << 30;
const REQUESTS: u64 = 5_000_000;

/// Test helper: returns the real time in ns per request that the workload of the fio job file `job` takes to make
/// requests and to take their completions, in the order of making, at the job's full queue depth.
fn ns_per_request(job: &str, depth: usize) -> f64 {
    let refuse = |name: &str| Err(WorkloadError::of(name, "no such file", "a file"));
    let file = parse_text("speed.fio", job, &Variables::new(), &refuse).unwrap();
    let mut workload = FioWorkload::new(file, DRIVE_BYTES, 1).unwrap();
    let mut outstanding: VecDeque<HostRequest> = VecDeque::with_capacity(depth);
    let (mut now, mut made) = (0, 0);
    let start = Instant::now();
    while made < REQUESTS {
        match workload.poll(SimTime::from_ns(now)).unwrap() {
            Poll::Ready(request) => {
                outstanding.push_back(request);
                made += 1;
            }
            Poll::At(time) if outstanding.is_empty() => now = time.ns(),
            Poll::At(_) | Poll::Blocked => {
                let oldest = outstanding.pop_front().expect("one is out");
                now += 10;
                workload.complete(&oldest, &Completion::success(SimTime::from_ns(now)));
            }
            Poll::Done => break,
        }
    }
    assert_eq!(made, REQUESTS, "{job}");
    start.elapsed().as_nanos() as f64 / REQUESTS as f64
}

#[test]
#[ignore = "a measurement, for a release build on a quiet machine"]
fn the_cost_of_a_request() {
    let endless = "runtime=100000\ntime_based\n";
    for (name, job) in [
        ("random 4 KiB", "[j]\nrw=randread\niodepth=1\n"),
        ("random 4 KiB, no map", "[j]\nrw=randread\niodepth=1\nnorandommap\n"),
        ("sequential 128 KiB", "[j]\nrw=write\nbs=128k\niodepth=1\n"),
        ("mix 70/30", "[j]\nrw=randrw\nrwmixread=70\niodepth=1\n"),
        ("zipf 1.1", "[j]\nrw=randwrite\nrandom_distribution=zipf:1.1\niodepth=1\n"),
        ("pareto 0.2", "[j]\nrw=randwrite\nrandom_distribution=pareto:0.2\niodepth=1\n"),
        ("zoned 80/20", "[j]\nrw=randwrite\nrandom_distribution=zoned:80/20:20/80\niodepth=1\n"),
        ("rate_iops", "[j]\nrw=randread\nrate_iops=1m\niodepth=1\n"),
        ("16 clones", "[j]\nrw=randread\niodepth=1\nnumjobs=16\n"),
        ("16 clones, one tag", "[j]\nrw=randread\niodepth=1\nnumjobs=16\ngroup_reporting\n"),
        ("4096 clones", "[j]\nrw=randread\niodepth=1\nnumjobs=4096\n"),
    ] {
        let ns = ns_per_request(&format!("{job}{endless}"), 4096);
        println!("{name:24} {ns:6.1} ns per request");
    }
}
