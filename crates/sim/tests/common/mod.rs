//! A tiny closed-loop workload and tiny drives for the tests of the engine.
#![allow(dead_code)]

use engine::RandomStream;
use host::{HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use sim::{Catalogue, Drive, RunOptions, Session};
use units::SimTime;

/// Requests drawn from `draw` until `left` are handed out, at most `depth` outstanding.
pub struct ClosedLoop<F> {
    pub left: u64,
    pub total: u64,
    pub depth: u32,
    pub outstanding: u32,
    pub draw: F,
}

impl<F: FnMut(u64) -> (Op, u64, u32) + Send> Workload for ClosedLoop<F> {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.left == 0 {
            return Ok(Poll::Done);
        }
        if self.outstanding == self.depth {
            return Ok(Poll::Blocked);
        }
        let (op, offset, bytes) = (self.draw)(self.total - self.left);
        self.left -= 1;
        self.outstanding += 1;
        Ok(Poll::Ready(HostRequest { arrive: now, op, offset, bytes, tag: 0 }))
    }

    fn complete(&mut self, _: &HostRequest, _: SimTime, _: bool) {
        self.outstanding -= 1;
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        Some(1.0 - self.left as f64 / self.total as f64)
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport { name: "closed loop".into(), format: "test".into(), ..WorkloadReport::default() }
    }
}

pub fn closed_loop(
    requests: u64,
    depth: u32,
    draw: impl FnMut(u64) -> (Op, u64, u32) + Send + 'static,
) -> Box<dyn Workload> {
    Box::new(ClosedLoop { left: requests, total: requests, depth, outstanding: 0, draw })
}

/// Uniform random requests of one kind and size over the first `span` bytes.
pub fn uniform(requests: u64, depth: u32, op: Op, bytes: u32, span: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "test");
    closed_loop(requests, depth, move |_| {
        (op, random.below(span / u64::from(bytes)) * u64::from(bytes), bytes)
    })
}

/// A drive from `key=value` lines.
pub fn drive(settings: &[&str]) -> Drive {
    let settings: Vec<String> = settings.iter().map(|line| (*line).to_owned()).collect();
    Drive::from_resolved("test", &settings).unwrap_or_else(|error| panic!("{error}"))
}

pub const SMALL: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=2",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=32",
    "nand.page_size=4KiB",
    "nand.t_r=25us",
    "nand.t_prog=200us",
    "nand.t_bers=1500us",
    "bus.interface.rate=200MT/s",
    "ecc.t_decode=3us",
    "ftl.op_ratio=0.25",
    "ftl.buffer.size=256KiB",
];

pub fn run(drive: Drive, workload: Box<dyn Workload>, options: RunOptions) -> (Session, serde_json::Value) {
    let mut session =
        Session::with_workload(drive, workload, options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    let result = session.result().unwrap_or_else(|error| panic!("{error}"));
    (session, result)
}

pub fn catalogue() -> Catalogue {
    Catalogue::new([concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
}
