//! What it costs to step a drive through the C interface, beside the run of the same requests.
#![allow(unsafe_code)] // The calls are those of a program in C.

use crate::cost::{Cost, CostSpread, InstructionMeter, ROUNDS};
use crate::table::TableLine;
use floatgate::{
    FLOATGATE_READ, FLOATGATE_WRITE, FloatgateCode, FloatgateCompletion, FloatgateDrive, FloatgateRequest,
};
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use sim::{Drive, PreconditionKind, RunOptions, Session};
use std::ffi::CString;
use std::mem::MaybeUninit;
use units::SimTime;

/// Constant: beginning of the names of the benchmark cases for stepped drives; an `--only` that begins with it selects
/// them.
pub const CASES: &str = "stepped: ";
const REQUESTS: u64 = 200_000;
/// Constant: number of requests with the option `--quick`, for counting instructions by hand.
const REQUESTS_QUICK: u64 = 20_000;
/// Constant: simulated time between two requests of the benchmark, in ns.
const APART_NS: u64 = 8_000;
const BYTES: u32 = 4096;
const AT_ONCE: usize = 1024;
const PRECONDITION: &str = "fill";

/// Constant: configuration keys of the benchmark drive of 1 GiB, the same as in `benches/stepping.py`.
const DRIVE: [&str; 14] = [
    "title=stepped drive",
    "geometry.channels=8",
    "geometry.ways=4",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=48",
    "nand.pages_per_block=256",
    "nand.page_size=4KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=400MT/s",
    "ecc.t_decode=3us",
    "ftl.user_capacity=1GiB",
];

/// Makes the benchmark request with number `number`: writes and reads alternate, at addresses all over the drive.
fn request(number: u64) -> FloatgateRequest {
    let op = if number.is_multiple_of(2) { FLOATGATE_WRITE } else { FLOATGATE_READ };
    let offset = (number * 7919) % 262_144 * u64::from(BYTES);
    FloatgateRequest { time_ns: number * APART_NS, offset, bytes: BYTES, op, ..FloatgateRequest::default() }
}

/// Type of the workload that makes the requests of the stepped benchmark in an ordinary run, for comparison.
struct SteppedLoad {
    next: u64,
    requests: u64,
}

impl Workload for SteppedLoad {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.next == self.requests {
            return Ok(Poll::Done);
        }
        let FloatgateRequest { time_ns, offset, bytes, op, .. } = request(self.next);
        let arrive = SimTime::from_ns(time_ns);
        if arrive > now {
            return Ok(Poll::At(arrive));
        }
        self.next += 1;
        let op = if op == FLOATGATE_WRITE { Op::WRITE } else { Op::READ };
        Ok(Poll::Ready(HostRequest::plain(arrive, op, offset, bytes)))
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {}

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport::default()
    }
}

fn run(meter: &mut InstructionMeter, requests: u64) -> Cost {
    let drive = Drive::from_resolved("bench", &DRIVE.map(str::to_owned)).expect("a drive");
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let mut session = Session::with_workload(drive, Box::new(SteppedLoad { next: 0, requests }), options)
        .expect("a session");
    while session.progress().phase == "precondition" {
        session.advance(1 << 16).expect("it is filled");
    }
    meter.of(|| finish(&mut session)).0
}

/// Runs the session to its end and makes its result; a function that is not inlined, so that profilers can name it.
#[inline(never)]
fn finish(session: &mut Session) {
    session.finish().expect("it runs");
    // As the end of a stepped drive.
    session.result().expect("there is one");
}

fn opened() -> *mut FloatgateDrive {
    let texts = DRIVE.map(|line| CString::new(line).expect("a text"));
    let mut set: Vec<_> = texts[1..].iter().map(|text| text.as_ptr()).collect();
    set.push(std::ptr::null());
    let [name, toml, filled] =
        ["bench", "title = \"stepped drive\"", PRECONDITION].map(|text| CString::new(text).expect("a text"));
    let mut setup = floatgate::floatgate_setup(name.as_ptr());
    (setup.toml, setup.set, setup.precondition) = (toml.as_ptr(), set.as_ptr(), filled.as_ptr());
    let mut drive = std::ptr::null_mut();
    // SAFETY: all pointers are those of texts that live here.
    assert_eq!(unsafe { floatgate::floatgate_open(&setup, &mut drive) }, FloatgateCode::Ok);
    drive
}

/// Steps the drive by arrays: submits up to 1024 requests a call and takes completions in arrays. Returns the sum of
/// the completion times, so that the work is not optimised away.
#[inline(never)]
fn arrays(drive: *mut FloatgateDrive, requests: u64) -> u64 {
    let mut asked = Vec::with_capacity(AT_ONCE);
    let mut found = vec![MaybeUninit::<FloatgateCompletion>::uninit(); AT_ONCE];
    let (mut sum, mut next) = (0, 0);
    while next < requests {
        asked.clear();
        asked.extend((next..requests).take(AT_ONCE).map(request));
        next += asked.len() as u64;
        // SAFETY: the drive is open, and the places are as many as is said.
        unsafe {
            floatgate::floatgate_submit_all(drive, asked.as_ptr(), asked.len(), std::ptr::null_mut());
            floatgate::floatgate_run_until(drive, next * APART_NS - 1);
        }
        loop {
            let mut count = 0;
            // SAFETY: as above.
            unsafe { floatgate::floatgate_take(drive, found.as_mut_ptr().cast(), AT_ONCE, &mut count) };
            // SAFETY: so many were written.
            sum +=
                found[..count].iter().map(|one| unsafe { one.assume_init_ref() }.completed_ns).sum::<u64>();
            if count == 0 {
                break;
            }
        }
    }
    // SAFETY: as above.
    unsafe { floatgate::floatgate_finish(drive) };
    sum
}

/// Steps the drive by single calls: submits each request and takes each completion by a call of its own. Returns the
/// sum of the completion times, so that the work is not optimised away.
#[inline(never)]
fn one_by_one(drive: *mut FloatgateDrive, requests: u64) -> u64 {
    let mut sum = 0;
    let mut found = MaybeUninit::<FloatgateCompletion>::uninit();
    for number in 0..requests {
        let asked = request(number);
        // SAFETY: the drive is open, and what is written is read only where it was.
        unsafe {
            floatgate::floatgate_submit(drive, &asked, std::ptr::null_mut());
            while floatgate::floatgate_next(drive, asked.time_ns, found.as_mut_ptr()) == FloatgateCode::Ok {
                sum += found.assume_init_ref().completed_ns;
            }
        }
    }
    // SAFETY: as above.
    unsafe { floatgate::floatgate_finish(drive) };
    sum
}

type Steps = fn(*mut FloatgateDrive, u64) -> u64;

fn stepped(meter: &mut InstructionMeter, steps: Steps, requests: u64) -> Cost {
    let drive = opened();
    let (cost, sum) = meter.of(|| steps(drive, requests));
    assert!(sum > 0, "requests were answered");
    // SAFETY: the drive is open, and is used no more.
    unsafe { floatgate::floatgate_close(drive) };
    cost
}

/// Measures an ordinary run and the two ways to step a drive by the C interface, in alternating rounds; each returned
/// line gives the ratio to the run.
pub fn measure(memory_wall_ns: f64, is_quick: bool) -> Vec<TableLine> {
    let (requests, rounds) = if is_quick { (REQUESTS_QUICK, 1) } else { (REQUESTS, ROUNDS) };
    let mut meter = InstructionMeter::new();
    let mut costs: [Vec<Cost>; 3] = Default::default();
    for _ in 0..rounds {
        costs[0].push(run(&mut meter, requests).per(requests as f64));
        costs[1].push(stepped(&mut meter, arrays, requests).per(requests as f64));
        costs[2].push(stepped(&mut meter, one_by_one, requests).per(requests as f64));
    }
    let names = ["run", "C, arrays of 1024", "C, one request a call"];
    let lines = names.iter().zip(&costs).map(|(name, own)| {
        let pairs = own.iter().zip(&costs[0]).map(|(own, run)| own.cpu_ns / run.cpu_ns);
        let ratio = crate::cost::ValueSpread::of(pairs);
        let note = format!("{:.3} ({:.3} to {:.3}) of the run", ratio.median, ratio.min, ratio.max);
        let case = format!("{CASES}{name}");
        TableLine { case, gib: 1, what: "request", costs: CostSpread::of(own), memory_wall_ns, note }
    });
    lines.collect()
}
