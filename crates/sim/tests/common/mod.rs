//! A tiny closed-loop workload and tiny drives for the tests of the engine.
#![allow(dead_code)]

pub mod bench;
pub mod two_sample;
pub mod zones;

use engine::RandomStream;
use host::{Completion, Extent, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use sim::{Catalogue, Drive, RunOptions, Session};
use units::SimTime;

/// Type for a function that gives, for a request, the placement handle that it names; `None` for none.
type PlacementNames = Box<dyn FnMut(&HostRequest) -> Option<u16> + Send>;

/// Workload of tests that wraps another one and adds to it: forced writes (FUA), data expected on the drive, or
/// placement handles.
pub struct Around {
    pub inner: Box<dyn Workload>,
    /// Distance of forced writes: each request whose count is a multiple of this number is FUA if it is a write; 0:
    /// none.
    pub every: u64,
    seen: u64,
    /// List of the address ranges that the workload expects to hold data; the layout before the run takes one in each
    /// call.
    pub parts: Vec<Extent>,
    /// Function that gives the placement handle which each write, and each handle update, names.
    names: PlacementNames,
}

impl Around {
    pub fn forced(inner: Box<dyn Workload>, every: u64) -> Self {
        Self { inner, every, seen: 0, parts: Vec::new(), names: Box::new(|_| None) }
    }

    pub fn placed(
        inner: Box<dyn Workload>,
        names: impl FnMut(&HostRequest) -> Option<u16> + Send + 'static,
    ) -> Self {
        Self { names: Box::new(names), ..Self::forced(inner, 0) }
    }

    pub fn finds(inner: Box<dyn Workload>, parts: Vec<Extent>) -> Self {
        Self { parts, ..Self::forced(inner, 0) }
    }
}

impl Workload for Around {
    fn lay_out(&mut self, _: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        let part = self.parts.pop();
        Ok(part.map(|part| {
            name(part);
            0.5
        }))
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let mut poll = self.inner.poll(now)?;
        if let (Poll::Ready(request), true) = (&mut poll, self.every > 0) {
            self.seen += 1;
            request.fua = request.op == Op::WRITE && self.seen.is_multiple_of(self.every);
        }
        if let Poll::Ready(request) = &mut poll {
            request.placement =
                (self.names)(request).filter(|_| matches!(request.op, Op::WRITE | Op::HANDLE_UPDATE));
        }
        Ok(poll)
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        self.inner.complete(request, completion);
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(now)
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}

/// Makes a workload as [`closed_loop`] does, where each `every`th request is FUA (force unit access) if it is a write.
pub fn closed_loop_forced(
    requests: u64,
    depth: u32,
    every: u64,
    draw: impl FnMut(u64) -> (Op, u64, u32) + Send + 'static,
) -> Box<dyn Workload> {
    Box::new(Around::forced(closed_loop(requests, depth, draw), every))
}

/// Workload of tests: requests drawn by `draw` until none of `left` is left, with at most `depth` in flight.
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
        Ok(Poll::Ready(HostRequest::plain(now, op, offset, bytes)))
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
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

/// Makes a test workload of uniform random requests of one operation and size over the first `span` bytes.
pub fn uniform(requests: u64, depth: u32, op: Op, bytes: u32, span: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "test");
    closed_loop(requests, depth, move |_| {
        (op, random.below(span / u64::from(bytes)) * u64::from(bytes), bytes)
    })
}

/// Constant: deliberate faults (lapses) that a translation layer can be given, each with the text by which the checker
/// reports it.
pub const LAPSES: &[(&str, &str)] = &[
    ("forgets-flush", "acknowledged before a flush and is not on flash"),
    ("trusts-torn-page", "which holds another"),
    ("ignores-trim", "was answered, and the unit was not forgotten"),
    ("forgets-trim", "was durably trimmed"),
    ("older-copy", "was durabl"),
];

/// Returns the policies that a plain closed loop of requests can be run with: without zoned kinds of mapping, whose
/// zones are written in order, and without placement rules that need more than the request says.
pub fn policies_of_plain_runs() -> Vec<config::PolicyEntry> {
    const TOLD_MORE: [&str; 3] = ["process", "volume", "hindsight"];
    let is_plain = |entry: &config::PolicyEntry| match entry.seam {
        "ftl.mapping" => !entry.card.name.starts_with("zoned"),
        "host.place" => !TOLD_MORE.contains(&entry.card.name),
        _ => true,
    };
    sim::policies().into_iter().filter(is_plain).collect()
}

/// Makes a test drive from lines `key=value`.
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

/// Constant: settings of a TLC test drive of four dies; a superblock holds 24 units of 4 KiB with three bits per cell,
/// 8 with one.
pub const TLC: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=2",
    "nand.cell=tlc",
    "nand.program=one-shot",
    "nand.planes=1",
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=24",
    "nand.page_size=4KiB",
    "nand.t_r=50us",
    "nand.t_prog=1200us",
    "nand.t_bers=3500us",
    "nand.slc_mode.t_r=25us",
    "nand.slc_mode.t_prog=150us",
    "nand.slc_mode.erases_per_cycle=10",
    "bus.interface.rate=400MT/s",
    "ftl.op_ratio=0.6",
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

/// Constant: settings of an MLC drive with the read costs of table 1 of Li and others (FAST 2016), 10 us for each
/// reference voltage and 20 us for each bit-plane, worn so that the three read steps need 3, 9 and 21 references.
pub const PAPER: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=2",
    "nand.cell=mlc",
    "nand.planes=1",
    "nand.blocks_per_plane=64",
    "nand.pages_per_block=32",
    "nand.page_size=4KiB",
    "nand.t_r=30us",
    "nand.t_prog=600us",
    "nand.t_bers=3ms",
    "nand.pe_cycles=1000",
    "nand.errors.name=power-law",
    "bus.interface.name=plain",
    "bus.interface.rate=102400kB/s",
    "bus.interface.cycle=0ns",
    "ecc.code.name=ldpc",
    "ecc.code.limits=[4e-3, 8e-3, 1.2e-2]",
    "ftl.op_ratio=0.25",
    "ftl.buffer.size=256KiB",
    "ftl.buffer.write_back=false",
    "host.link.rate=100GB/s",
    "host.t_command=0ns",
    "host.t_command_service=0ns",
];
