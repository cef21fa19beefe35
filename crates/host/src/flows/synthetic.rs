//! A flow drawn from distributions.

use super::{Region, SECTOR};
use crate::{HostRequest, Op, Poll};
use engine::RandomStream;
use serde::Deserialize;
use units::SimTime;

/// Kind of distribution of the addresses of a flow's requests over the flow's region of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowAddresses {
    /// Case of distribution of addresses: streaming; requests of the flow have consecutive addresses, beginning at a
    /// random place in the flow's region of the drive.
    Streaming,
    /// Case of distribution of addresses: uniform; requests of the flow lie at uniformly random addresses of the flow's
    /// region of the drive.
    Uniform,
    /// Case of distribution of addresses: hot and cold; the first part of the flow's region of the drive, a fraction
    /// `hot` of the region, gets a fraction `1 - hot` of the requests.
    HotCold {
        /// Fraction of the request flow's region of the drive, from 0 to 1, that is hot.
        hot: f64,
    },
}

/// Kind of distribution of the sizes of a flow's requests, in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowSizes {
    /// Case of distribution of sizes: one size; all requests of the flow have this size, in sectors of 512 bytes.
    Fixed(u32),
    /// Case of distribution of sizes: normal distribution; sizes of the flow's requests are drawn from it, rounded up
    /// to whole sectors, and limited to 1 sector at least, and to 65,535 sectors or the flow's region at most.
    Normal {
        /// Mean of the normal distribution from which the sizes of a synthetic flow's requests are drawn, in sectors of
        /// 512 bytes.
        mean: f64,
        /// Standard deviation of the sizes of the flow's requests, in sectors of 512 bytes.
        deviation: f64,
    },
}

/// Kind of rule for the arrival times of a flow of requests: constant queue depth, or random intervals.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowTiming {
    /// Case of rule for arrivals: the flow of requests always has this number of requests in flight.
    Depth(u32),
    /// Case of rule for arrivals: the flow's requests follow at exponentially distributed intervals with this mean, in
    /// nanoseconds.
    Interval(f64),
}

/// Record that describes a flow whose requests are drawn at random: its region of the drive, the distributions of
/// addresses and sizes, the arrival times, and its end.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticSpec {
    /// Setting of a synthetic flow: range of sectors of the drive that the flow uses.
    pub region: Region,
    /// Fraction of the flow's requests that are reads, from 0 to 1; all other requests are writes.
    pub read_ratio: f64,
    /// Setting of a synthetic flow: kind of distribution of the addresses of its requests, such as streaming or
    /// uniform.
    pub addresses: FlowAddresses,
    /// Setting of a synthetic flow: kind of distribution of the sizes of its requests: one size, or normally
    /// distributed.
    pub sizes: FlowSizes,
    /// Setting of a synthetic flow: rule for the arrival times of its requests.
    pub generator: FlowTiming,
    /// Alignment of the flow's requests: number of sectors (512 bytes) of which the first sector of each request is a
    /// multiple, unless the request was moved to fit into the flow's region; 1: no alignment.
    pub align: u64,
    /// Simulated time in nanoseconds after which the flow of requests makes no more of them; 0: the flow ends after
    /// `requests` requests.
    pub stop_ns: u64,
    /// Number of requests after which the flow of requests ends if `stop_ns` is 0.
    pub requests: u64,
    /// Seed of the random numbers of the flow of requests, which is combined with the seed of the run.
    pub seed: u64,
}

impl SyntheticSpec {
    /// Checks that requests of the flow fit into its region of the drive.
    ///
    /// # Errors
    /// What was found, and what is expected, where the region, the alignment or the size of requests is wrong.
    pub(super) fn check(&self) -> Result<(), (String, String)> {
        let sectors = self.region.sectors();
        if self.align == 0 {
            return Err(("alignment 0".into(), "at least 1".into()));
        }
        if sectors < 2 && matches!(self.addresses, FlowAddresses::HotCold { .. }) {
            return Err((
                format!("a region of {sectors} sectors"),
                "at least 2: a hot and a cold part".into(),
            ));
        }
        let most = sectors.min(MOST_SECTORS);
        match self.sizes {
            FlowSizes::Fixed(size) if size == 0 || u64::from(size) > most => {
                Err((format!("requests of {size} sectors"), format!("1 to {most}, as long as the region")))
            }
            _ => Ok(()),
        }
    }
}

/// Constant: greatest number of sectors of a request whose length in bytes the simulator can hold.
const MOST_SECTORS: u64 = u32::MAX as u64 / SECTOR;

/// State of a running flow whose requests are drawn at random from distributions.
pub(super) struct Synthetic {
    spec: SyntheticSpec,
    tag: u16,
    kinds: RandomStream,
    places: RandomStream,
    lengths: RandomStream,
    times: RandomStream,
    next_streaming: u64,
    next_arrival: f64,
    outstanding: u32,
    made: u64,
}

impl Synthetic {
    pub fn new(spec: SyntheticSpec, index: usize, seed: u64) -> Self {
        let stream = |what: &str| RandomStream::new(seed ^ spec.seed, &format!("flow.{index}.{what}"));
        let mut places = stream("address");
        let span = spec.region.sectors();
        let start = spec.region.first + places.below(span);
        let mut flow = Self {
            next_streaming: start - start % spec.align,
            kinds: stream("kind"),
            lengths: stream("size"),
            times: stream("time"),
            tag: index as u16,
            next_arrival: 0.0,
            outstanding: 0,
            made: 0,
            places,
            spec,
        };
        if let FlowTiming::Interval(mean) = flow.spec.generator {
            flow.next_arrival = flow.interval(mean);
        }
        flow
    }

    fn interval(&mut self, mean: f64) -> f64 {
        (-mean * libm::log(1.0 - self.times.unit())).floor()
    }

    fn is_over(&self, now: SimTime) -> bool {
        match self.spec.stop_ns {
            0 => self.made >= self.spec.requests,
            stop => now.ns() > stop,
        }
    }

    pub fn is_open_loop(&self) -> bool {
        matches!(self.spec.generator, FlowTiming::Interval(_))
    }

    pub fn poll(&mut self, now: SimTime) -> Poll {
        if self.is_over(now) {
            return Poll::Done;
        }
        let arrive = match self.spec.generator {
            FlowTiming::Depth(depth) if self.outstanding >= depth => return Poll::Blocked,
            FlowTiming::Depth(_) => now,
            FlowTiming::Interval(mean) => {
                let arrive = SimTime::from_ns(self.next_arrival as u64);
                if arrive > now {
                    return Poll::At(arrive);
                }
                self.next_arrival += self.interval(mean);
                arrive
            }
        };
        self.outstanding += 1;
        self.made += 1;
        Poll::Ready(self.draw(arrive))
    }

    fn draw(&mut self, arrive: SimTime) -> HostRequest {
        let op = if self.kinds.chance(self.spec.read_ratio) { Op::READ } else { Op::WRITE };
        let sectors = self.length();
        let mut first = self.address(sectors);
        first -= first % self.spec.align;
        let offset = self.spec.region.place(first, sectors);
        HostRequest { tag: self.tag, ..HostRequest::plain(arrive, op, offset, (sectors * SECTOR) as u32) }
    }

    fn length(&mut self) -> u64 {
        match self.spec.sizes {
            FlowSizes::Fixed(sectors) => u64::from(sectors),
            FlowSizes::Normal { mean, deviation } => {
                // Box and Muller: two uniform numbers make a normal one.
                let radius = (-2.0 * libm::log(1.0 - self.lengths.unit())).sqrt();
                let angle = std::f64::consts::TAU * self.lengths.unit();
                let most = self.spec.region.sectors().min(u64::from(u16::MAX)) as f64;
                (mean + deviation * radius * libm::cos(angle)).ceil().clamp(1.0, most) as u64
            }
        }
    }

    fn address(&mut self, sectors: u64) -> u64 {
        let region = self.spec.region;
        let span = region.sectors();
        match self.spec.addresses {
            FlowAddresses::Streaming => self.follow(sectors),
            FlowAddresses::Uniform => {
                let first = region.first + self.places.below(span);
                if first + sectors > region.last { region.first } else { first }
            }
            FlowAddresses::HotCold { hot } => {
                let hot_span = ((span as f64 * hot) as u64).clamp(1, span - 1);
                if self.kinds.chance(hot) {
                    region.first + hot_span + self.places.below(span - hot_span)
                } else {
                    region.first + self.places.below(hot_span)
                }
            }
        }
    }

    /// Returns the first sector of the next request of a streaming flow. As in MQSim, a request that would end in or
    /// behind the last sector of the region goes to the region's beginning, and so does the request after it.
    fn follow(&mut self, sectors: u64) -> u64 {
        let region = self.spec.region;
        let first =
            if self.next_streaming + sectors > region.last { region.first } else { self.next_streaming };
        self.next_streaming += sectors;
        if self.next_streaming > region.last {
            self.next_streaming = region.first;
        }
        self.next_streaming = self.next_streaming.next_multiple_of(self.spec.align);
        first
    }

    pub fn complete(&mut self) {
        self.outstanding -= 1;
    }

    pub fn fraction_done(&self, now: SimTime) -> f64 {
        match self.spec.stop_ns {
            0 => self.made as f64 / self.spec.requests.max(1) as f64,
            stop => now.ns() as f64 / stop as f64,
        }
    }
}
