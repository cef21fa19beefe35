//! One round of fuzzing: any bytes as a job file. Nothing may panic, and every run must end.

use super::Variables;
use super::job::{JobFile, JobSpec};
use super::workload::FioWorkload;
use crate::{Completion, HostRequest, Poll, Workload, WorkloadError};
use units::SimTime;

/// Constant: greatest length in bytes of a job file in the fuzz test; longer inputs find no further code paths and only
/// take longer.
const MOST_BYTES: usize = 16 << 10;
/// Constant: greatest number of requests that the fuzz test of fio job files takes from one job file.
const MOST_REQUESTS: u32 = 2_000;
/// Constant: greatest number of clones (fio's `numjobs`) of a job file that the fuzz test of fio job files runs; a file
/// with more is only parsed.
const MOST_CLONES: u64 = 512;
/// Constant: capacity in bytes of the made-up drive on which the fuzz test of fio job files plays them: an odd number
/// of sectors of 512 bytes.
const DRIVE_BYTES: u64 = (1 << 30) + 512 * 7;

/// Runs the fuzz test for one input: parses `data` without its last byte as a fio job file, and plays an accepted file
/// on a made-up drive whose latency the last byte sets. Included files exist if the length of their name is even.
///
/// # Panics
/// When the workload breaks an invariant, which is what the fuzz test looks for.
pub fn fuzz_one(data: &[u8]) {
    let [text @ .., pick] = data else { return };
    let text = String::from_utf8_lossy(&text[..text.len().min(MOST_BYTES)]);
    let include = |name: &str| match name.len() % 2 {
        0 => Ok("bs=8k\n[included]\nrw=randwrite\n".to_owned()),
        _ => Err(WorkloadError::of(name, "no such file", "a file")),
    };
    match super::parse_text("fuzz.fio", &text, &Variables::new(), &include) {
        Ok(file) => {
            if file.jobs.iter().map(|job| job.numjobs).sum::<u64>() <= MOST_CLONES {
                play(file, u64::from(*pick));
            }
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error:?}"),
    }
}

/// Test helper: plays the jobs of a parsed fio job file on the fuzz test's drive, and checks the rules for workloads:
/// arrival times, ranges, alignment, queue depth, and a fraction done from 0 to 1.
fn play(file: JobFile, pick: u64) {
    let depth: u64 = file.jobs.iter().map(|job: &JobSpec| job.depth() * job.numjobs).sum();
    let mut workload = match FioWorkload::new(file, DRIVE_BYTES, pick) {
        Ok(workload) => workload,
        Err(error) => return assert_eq!(error.to_string().lines().count(), 1, "{error:?}"),
    };
    let mut now = SimTime::ZERO;
    let mut outstanding: Vec<HostRequest> = Vec::new();
    for _ in 0..MOST_REQUESTS {
        match workload.poll(now).expect("a job file is judged before it runs") {
            Poll::Ready(request) => {
                assert_eq!(request.arrive, now);
                assert!(request.offset + u64::from(request.bytes) <= DRIVE_BYTES, "{request:?}");
                assert!(request.offset % 512 == 0 && request.bytes % 512 == 0, "{request:?}");
                assert!((request.bytes == 0) == (request.op.effect() == crate::Effect::Flush), "{request:?}");
                outstanding.push(request);
                assert!(outstanding.len() as u64 <= depth);
            }
            Poll::At(later) => {
                assert!(later > now);
                now = later;
            }
            Poll::Blocked => {
                assert!(!outstanding.is_empty(), "blocked only while requests are out");
                let index = (pick as usize * 31) % outstanding.len();
                let request = outstanding.swap_remove(index);
                now = SimTime::from_ns(now.ns() + pick * 40_000);
                workload.complete(&request, &Completion::success(now));
            }
            Poll::Done => break,
        }
        let fraction = workload.fraction_done(now).expect("jobs have an end");
        assert!((0.0..=1.0).contains(&fraction), "{fraction}");
    }
    assert!(workload.report().tags.len() <= 65_535);
}
