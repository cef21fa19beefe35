//! Flows of requests as MQSim has them: each with its own queue and its own part of the logical drive.
//!
//! Figures: Tavakkol et al., FAST 2018, and the `IO_Flow` classes of MQSim. What is kept of them: closed and open loop,
//! sizes and addresses as they are drawn there, addresses beyond a flow's part taken modulo it, a trace's column of
//! devices ignored, replays one after the other. The random numbers themselves are ours.
//!
//! Not modelled: a request that crosses the end of its flow's part. There its pages go on at the beginning; here it is
//! moved back until it fits.

mod synthetic;
mod traced;

use crate::{Completion, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use serde::Deserialize;
use synthetic::Synthetic;
use traced::Replay;
use units::SimTime;

pub use synthetic::{FlowAddresses, FlowSizes, FlowTiming, SyntheticSpec};
pub use traced::ReplaySpec;

pub(crate) const SECTOR: u64 = 512;

/// Type of a region of the drive that one flow of requests uses: a range of logical sectors of 512 bytes, by its first
/// and last sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Number of the first sector (512 bytes) of the flow's region of the drive.
    pub first: u64,
    /// Number of the last sector (512 bytes) of the flow's region of the drive, included.
    pub last: u64,
}

impl Region {
    /// Returns the number of sectors of the flow's region of the drive.
    pub(crate) fn sectors(&self) -> u64 {
        self.last - self.first + 1
    }

    /// Returns the byte address of a request of `sectors` sectors that begins at sector `first`; a request that would
    /// cross an end of the region is moved into the region.
    pub(crate) fn place(&self, first: u64, sectors: u64) -> u64 {
        let latest = (self.last + 1).saturating_sub(sectors).max(self.first);
        first.clamp(self.first, latest) * SECTOR
    }
}

/// Kind of description, by the caller, of one flow of requests, with its contents: drawn from distributions, or read
/// from a trace.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "flow", rename_all = "kebab-case")]
pub enum FlowSpec {
    /// Case of description of a flow: its requests have addresses, sizes and times that are drawn at random from
    /// distributions.
    Synthetic(SyntheticSpec),
    /// Case of description of a flow: its requests replay a trace file of five columns (format of MQSim).
    Replay(ReplaySpec),
}

enum PlayedFlow {
    Synthetic(Box<Synthetic>),
    Replay(Box<Replay>),
}

impl PlayedFlow {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        match self {
            Self::Synthetic(flow) => Ok(flow.poll(now)),
            Self::Replay(flow) => flow.poll(now),
        }
    }
}

/// Workload that mixes the requests of several flows, drawn at random or replayed from traces, as MQSim does.
pub struct FlowsWorkload {
    name: String,
    names: Vec<String>,
    flows: Vec<PlayedFlow>,
    /// Index of the flow of requests that is asked first for a request at the next poll.
    turn: usize,
    requests: u64,
}

impl FlowsWorkload {
    /// Makes the workload `name` of the flows `specs`, and opens their trace files, for a drive of `capacity` bytes.
    ///
    /// # Errors
    /// When there is no flow, a flow's region lies beyond the end of the drive, a synthetic flow's alignment or size of
    /// requests does not fit its region, or a trace cannot be read.
    pub fn new(name: &str, specs: &[FlowSpec], capacity: u64, seed: u64) -> Result<Self, WorkloadError> {
        let mut flows = Vec::new();
        let mut names = Vec::new();
        for (index, spec) in specs.iter().cloned().enumerate() {
            let (region, flow_name) = match &spec {
                FlowSpec::Synthetic(spec) => (spec.region, format!("flow-{index}")),
                FlowSpec::Replay(spec) => (spec.region, spec.path.display().to_string()),
            };
            if region.first > region.last || (region.last + 1) * SECTOR > capacity {
                let found = format!("flow {index}: sectors {} to {}", region.first, region.last);
                let expected = format!("sectors of a drive of {} sectors", capacity / SECTOR);
                return Err(WorkloadError::of(name, found, expected));
            }
            if let FlowSpec::Synthetic(spec) = &spec {
                spec.check().map_err(|(found, expected)| {
                    WorkloadError::of(name, format!("flow {index}: {found}"), expected)
                })?;
            }
            names.push(flow_name);
            flows.push(match spec {
                FlowSpec::Synthetic(spec) => {
                    PlayedFlow::Synthetic(Box::new(Synthetic::new(spec, index, seed)))
                }
                FlowSpec::Replay(spec) => PlayedFlow::Replay(Box::new(Replay::open(spec, index)?)),
            });
        }
        if flows.is_empty() {
            return Err(WorkloadError::of(name, "no flow", "at least one"));
        }
        Ok(Self { name: name.to_owned(), names, flows, turn: 0, requests: 0 })
    }
}

/// Implements the workload interface for a mix of request flows, which takes requests from the flows in turn. The
/// workload itself names no data to be laid out before the run (preconditioning is a separate option of the run); a
/// read of an unwritten address is answered without a flash read, unless the drive file sets `ftl.sectors.unwritten =
/// "flash"`.
impl Workload for FlowsWorkload {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let mut next: Option<SimTime> = None;
        let mut blocked = false;
        for step in 0..self.flows.len() {
            let at = (self.turn + step) % self.flows.len();
            match self.flows[at].poll(now)? {
                Poll::Ready(request) => {
                    self.turn = (at + 1) % self.flows.len();
                    self.requests += 1;
                    return Ok(Poll::Ready(request));
                }
                Poll::At(time) => next = Some(next.map_or(time, |other| other.min(time))),
                Poll::Blocked => blocked = true,
                Poll::Done => {}
            }
        }
        Ok(match next {
            Some(time) => Poll::At(time),
            None if blocked => Poll::Blocked,
            None => Poll::Done,
        })
    }

    fn is_open_loop(&self) -> bool {
        self.flows.iter().all(|flow| match flow {
            PlayedFlow::Synthetic(flow) => flow.is_open_loop(),
            PlayedFlow::Replay(_) => true,
        })
    }

    fn complete(&mut self, request: &HostRequest, _: &Completion) {
        if let PlayedFlow::Synthetic(flow) = &mut self.flows[request.tag as usize] {
            flow.complete();
        }
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        let of = |flow: &PlayedFlow| match flow {
            PlayedFlow::Synthetic(flow) => flow.fraction_done(now),
            PlayedFlow::Replay(flow) => flow.fraction_done(),
        };
        self.flows.iter().map(of).reduce(f64::min)
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport {
            name: self.name.clone(),
            format: "flows".to_owned(),
            requests: self.requests,
            tags: self.names.clone(),
            ..WorkloadReport::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_that_a_flow_cannot_divide_is_refused() {
        let made = |last: u64, align: u64, addresses: FlowAddresses, size: u32| {
            let spec = SyntheticSpec {
                region: Region { first: 8, last },
                read_ratio: 0.5,
                addresses,
                sizes: FlowSizes::Fixed(size),
                generator: FlowTiming::Depth(1),
                align,
                stop_ns: 0,
                requests: 100,
                seed: 1,
            };
            let mut made = FlowsWorkload::new("scenario", &[FlowSpec::Synthetic(spec)], 1 << 20, 1)?;
            assert!(matches!(made.poll(SimTime::ZERO), Ok(Poll::Ready(_))));
            Ok::<_, WorkloadError>(made.report().name)
        };
        let hot = FlowAddresses::HotCold { hot: 0.2 };
        let told = made(8, 1, hot, 1).unwrap_err().to_string();
        assert_eq!(
            told,
            "scenario: flow 0: a region of 1 sectors: expected at least 2: a hot and a cold part"
        );
        made(9, 0, FlowAddresses::Uniform, 1).unwrap_err();
        made(9, 1, FlowAddresses::Uniform, 0).unwrap_err();
        made(9, 1, FlowAddresses::Uniform, 3).unwrap_err();
        made(9, 1, hot, 2).unwrap();
        made(8, 1, FlowAddresses::Uniform, 1).unwrap();
    }
}
