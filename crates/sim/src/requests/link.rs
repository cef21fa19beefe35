//! The host link at work: how its wires are shared, when data has crossed.

use crate::requests::queues::Queues;
use host::link::{Burst, LinkStep};
use host::place::Placer;
use host::{Background, Direction, Effect, HostRequest, HostSpace, LinkConfig};
use units::{Bytes, Nanos, SimTime};

/// Constant: size of a sector in bytes, the smallest piece of data that the host link passes on.
const SECTOR: u64 = 512;

/// State of the host link during a run: submission queues, the firmware's serial command handling, and the wires.
pub(crate) struct LinkAtWork {
    config: LinkConfig,
    pub queues: Queues,
    /// List, by effect of the request, of the times of a command on the host link: time for which it occupies the
    /// wires, and latency.
    commands: [LinkStep; Effect::COUNT],
    /// List, by effect of the request, of the times of a completion on the host link: time for which it occupies the
    /// wires, and latency.
    answers: [LinkStep; Effect::COUNT],
    service_free: SimTime,
    wire_free: [SimTime; 2],
    /// List, by direction, of the length in bytes and the times on the wires of the data burst that was calculated
    /// last; stored because most transfers of a workload have one length.
    last: [(u64, Burst); 2],
    /// Time for which one sector (512 bytes) occupies the wires of the host link in the direction to the drive.
    sector: Nanos,
    /// Nanoseconds for which the wires are occupied by all transfers begun so far, up to the end of each, by direction
    /// (to the drive, to the host).
    pub busy_ns: [u64; 2],
    /// Field of the host link's state: the host's policy that gives writes their placement handles; `None` where each
    /// write keeps the placement handle that its request names.
    placer: Option<Placer>,
}

impl LinkAtWork {
    /// Makes the idle link of a drive with the address space `space`.
    pub fn new(config: LinkConfig, space: &HostSpace) -> Self {
        let link = &config.link;
        Self {
            queues: Queues::new(&config.shape),
            commands: Effect::ALL.map(|effect| link.command(effect)),
            answers: Effect::ALL.map(|effect| link.answer(effect)),
            service_free: SimTime::ZERO,
            wire_free: [SimTime::ZERO; 2],
            last: [(0, Burst::default()); 2],
            sector: link.data(Direction::ToDrive, Bytes::new(SECTOR)).holds,
            busy_ns: [0; 2],
            placer: Placer::new(&config.place, space),
            config,
        }
    }

    /// Returns true if a policy of the host gives writes their placement handles.
    #[inline]
    pub fn has_placer(&self) -> bool {
        self.placer.is_some()
    }

    /// Returns the request `request` with the placement handle that the host's policy gives it; without a policy,
    /// unchanged.
    #[cold]
    pub fn placed(&mut self, request: HostRequest, background: Background) -> HostRequest {
        self.placer.as_mut().map_or(request, |placer| placer.place(request, background))
    }

    /// Ends all transfers on the link at `now`, as nothing is in flight any more; busy time up to `now` stays counted.
    pub fn rest(&mut self, now: SimTime) {
        self.busy_ns = self.busy_until(now);
        self.wire_free = self.wire_free.map(|free| free.min(now));
        self.service_free = now;
    }

    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Returns the nanoseconds for which each direction of the link was busy until `now`; transfers in flight count up
    /// to `now`.
    pub fn busy_until(&self, now: SimTime) -> [u64; 2] {
        let ahead = self.wire_free.map(|free| free.ns().saturating_sub(now.ns()));
        let [mut to_drive, mut to_host] = self.busy_ns;
        if self.config.shape.full_duplex {
            return [to_drive - ahead[0].min(to_drive), to_host - ahead[1].min(to_host)];
        }
        // One wire for both: what is in flight is the answers' first, which come last.
        let of_host = ahead[0].min(to_host);
        to_host -= of_host;
        to_drive -= (ahead[0] - of_host).min(to_drive);
        [to_drive, to_host]
    }

    /// Occupies link and firmware with a command fetched now; returns the time at which the firmware has processed it.
    #[inline]
    pub fn command_done(&mut self, effect: Effect, now: SimTime) -> SimTime {
        let step = self.commands[effect as usize];
        self.hold(step, now);
        let begin = self.service_free.max(now + step.takes);
        self.service_free = begin + self.config.t_command_service;
        begin + self.config.t_command_service.max(self.config.t_command)
    }

    /// Occupies the link with a completion, and returns the time at which the host has the completion of a command
    /// whose last step ends at `end`; `now` is at most `end`.
    #[inline]
    pub fn answered(&mut self, effect: Effect, now: SimTime, end: SimTime) -> SimTime {
        let step = self.answers[effect as usize];
        self.hold(step, now);
        end + step.takes
    }

    /// Occupies the link with `bytes` bytes of a read, and returns the time at which they have crossed it to the host;
    /// the flash delivered them over the time `over`, which ended at `until`. With cut-through the transfer to the host
    /// may begin with the first sector, but cannot end before the flash has delivered the last sector.
    #[inline]
    pub fn give(&mut self, until: SimTime, over: Nanos, bytes: u64) -> SimTime {
        let early = if self.config.cut_through { over } else { Nanos::ZERO };
        self.transfer(Direction::ToHost, SimTime::from_ns(until.ns() - early.ns()), bytes).max(until)
    }

    /// Occupies the link with `bytes` bytes of a write that arrived at `arrived` and is processed now, and returns the
    /// time at which their transfer to the flash can start; `over` is the time that the flash channel takes for the
    /// bytes. With cut-through that transfer may start before all bytes have crossed the host link.
    #[inline]
    pub fn take(&mut self, arrived: SimTime, now: SimTime, over: Nanos, bytes: u64) -> SimTime {
        let from = if self.config.double_buffer { arrived } else { now };
        let end = self.transfer(Direction::ToDrive, from, bytes);
        if !self.config.cut_through {
            return end.max(now);
        }
        // The flash must not overtake the link: it ends no earlier, and begins with the first sector.
        let length = self.burst(Direction::ToDrive, bytes).holds;
        let ahead = Nanos::new(length.ns().saturating_sub(self.sector.ns())).min(over);
        SimTime::from_ns(end.ns() - ahead.ns()).max(now)
    }

    #[inline]
    fn burst(&mut self, direction: Direction, bytes: u64) -> Burst {
        let last = &mut self.last[direction as usize];
        if last.0 != bytes {
            *last = (bytes, self.config.link.data(direction, Bytes::new(bytes)));
        }
        last.1
    }

    #[inline]
    fn wire(&self, direction: Direction) -> usize {
        if self.config.shape.full_duplex { direction as usize } else { 0 }
    }

    /// Occupies the wires of the host link for a message (command or completion): messages take their time on the wires
    /// from the data transfers and do not wait for a burst to end.
    #[inline]
    fn hold(&mut self, step: LinkStep, now: SimTime) {
        for direction in [Direction::ToDrive, Direction::ToHost] {
            self.occupy(direction, now, step.holds[direction as usize]);
        }
    }

    #[inline]
    fn occupy(&mut self, direction: Direction, now: SimTime, length: Nanos) {
        if length > Nanos::ZERO {
            let wire = self.wire(direction);
            self.wire_free[wire] = self.wire_free[wire].max(now) + length;
            self.busy_ns[direction as usize] += length.ns();
        }
    }

    /// Occupies the host link in the direction `direction` with `bytes` bytes requested at `from`, and returns the time
    /// at which they have crossed it; calls must be in order of `from`.
    #[inline]
    fn transfer(&mut self, direction: Direction, from: SimTime, bytes: u64) -> SimTime {
        let burst = self.burst(direction, bytes);
        let against = match direction {
            Direction::ToDrive => Direction::ToHost,
            Direction::ToHost => Direction::ToDrive,
        };
        self.occupy(against, from, burst.against);
        let wire = self.wire(direction);
        let end = self.wire_free[wire].max(from + burst.lead_in) + burst.holds;
        self.wire_free[wire] = end;
        self.busy_ns[direction as usize] += burst.holds.ns();
        end + burst.lead_out
    }
}
