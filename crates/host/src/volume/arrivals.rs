//! When requests arrive, and which kind is next where reads and writes arrive independently.

use super::parameters::{Bursts, Parameters, VolumeBursts};
use crate::{Effect, Op};
use engine::RandomStream;

/// State of one stream of request arrivals of a synthetic volume: requests come in bursts, and random pauses between
/// bursts give the mean rate.
struct ArrivalStream {
    burst: VolumeBursts,
    pause_ns: f64,
    /// Time in nanoseconds of the next arrival of a request of a synthetic volume in this stream, used where two
    /// streams are merged.
    next_ns: u64,
}

impl ArrivalStream {
    fn new(burst: VolumeBursts, requests_per_s: f64) -> Self {
        let pause_ns = burst.pause_ns(requests_per_s);
        Self { burst, pause_ns, next_ns: if requests_per_s > 0.0 { 0 } else { u64::MAX } }
    }

    /// Draws the time in nanoseconds from one request of a synthetic volume's stream of arrivals to the next.
    fn wait_ns(&self, random: &mut RandomStream) -> u64 {
        let inside = random.chance(1.0 - 1.0 / self.burst.requests);
        let mean = if inside { self.burst.gap_ns } else { self.pause_ns };
        (-libm::log(1.0 - random.unit()) * mean).round() as u64
    }
}

/// Generator of the arrival times of the requests of a synthetic volume (a random workload modelled on published
/// statistics of a traced volume).
pub(super) struct VolumeArrivals {
    random: RandomStream,
    /// List of the streams of request arrivals of a synthetic volume: one for all requests, or one for reads and then
    /// one for writes.
    streams: Vec<ArrivalStream>,
    time_ns: u64,
    started: bool,
}

impl VolumeArrivals {
    pub fn new(parameters: &Parameters, random: RandomStream) -> Self {
        let streams: Vec<ArrivalStream> =
            parameters.streams().into_iter().map(|(burst, rate)| ArrivalStream::new(burst, rate)).collect();
        debug_assert_eq!(streams.len(), if matches!(parameters.bursts, Bursts::Apart(_)) { 2 } else { 1 });
        Self { random, streams, time_ns: 0, started: false }
    }

    pub fn draw_anew(&mut self, random: RandomStream) {
        self.random = random;
    }

    /// Returns whether the next request of a synthetic volume is a read or a write, where that follows from the stream
    /// whose arrival is next; `None` with a single stream.
    pub fn kind(&mut self) -> Option<Op> {
        let [reads, writes] = self.streams.as_slice() else { return None };
        Some(if reads.next_ns <= writes.next_ns { Op::READ } else { Op::WRITE })
    }

    /// Returns the arrival time of the next request of a synthetic volume, in nanoseconds after the first request, and
    /// advances the stream of arrivals that the request comes from to its next arrival.
    pub fn next_ns(&mut self) -> u64 {
        match self.kind() {
            None => {
                if self.started {
                    let wait = self.streams[0].wait_ns(&mut self.random);
                    self.time_ns = self.time_ns.saturating_add(wait);
                }
            }
            Some(kind) => {
                let stream = &mut self.streams[usize::from(kind.effect() == Effect::Write)];
                self.time_ns = stream.next_ns;
                let wait = stream.wait_ns(&mut self.random);
                stream.next_ns = stream.next_ns.saturating_add(wait);
            }
        }
        self.started = true;
        self.time_ns
    }
}
