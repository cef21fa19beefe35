//! The run loop: requests in, events, requests out.

mod answering;
pub(crate) mod dram;
mod drawing;
pub(crate) mod failure;
mod in_zones;
pub(crate) mod limits;
pub(crate) mod on_zones;
mod outside;
pub(crate) mod pausing;
pub(crate) mod power_cut;
mod power_up;
mod reading;
mod resting;
pub(crate) mod run_host;
pub(crate) mod stepped_host;
mod writing;

use crate::Error;
use crate::measure::Measure;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::requests::link::LinkAtWork;
use crate::requests::{Requests, whole_units};
use crate::run::dram::Memory;
use crate::run::limits::{Watch, WorkloadEnd, stuck};
use crate::run::run_host::RunHost;
use controller::{Context, Work};
use engine::Event;
use ftl::{Ftl, FtlStats, HandleTotals, Placing, RegulationCounts, ZonedLayer, ZonedTotals};
use host::later::Later;
use host::software::Software;
use host::{Effect, Workload};
use in_zones::AtZones;
pub(crate) use outside::{OutsideRun, SourceHolds};
pub(crate) use power_up::Recovery;
use std::collections::VecDeque;
use units::{Bytes, Nanos, SimTime};

/// Module with the numeric codes of the kinds of events that this crate schedules in a run's calendar.
mod events {
    use ftl::events::FIRST_FREE as FIRST;
    /// Constant: code of a kind of event in the run's event calendar: the firmware has processed a command, or has
    /// checked the write pointer for a write to a zone.
    pub const COMMAND: u8 = FIRST;
    /// Constant: code of a kind of event in the run's event calendar: data of a write have arrived in the drive.
    pub const DATA_IN: u8 = FIRST + 1;
    /// Constant: code of a kind of event in the run's event calendar: the host has the completion of a request.
    pub const COMPLETE: u8 = FIRST + 2;
    /// Constant: code of a kind of event in the run's event calendar: the time has come at which the workload announced
    /// a request.
    pub const ARRIVAL: u8 = FIRST + 3;
    /// Constant: code of a kind of event in the run's event calendar: the write buffer's DRAM has transferred the data
    /// of a request.
    pub const MEMORY: u8 = FIRST + 4;
}

/// State of the simulation of one drive under one workload: drive, host link, requests, events and measurements.
pub(crate) struct Run<P: Observer> {
    pub ftl: Ftl,
    pub ctx: Context<P>,
    pub measure: Measure,
    pub link: LinkAtWork,
    pub workload: Box<dyn Workload>,
    pub requests: Requests,
    /// Field: host side of the run, which makes the requests to the drive: the workload itself, the caller of a stepped
    /// run, or a host that keeps blocks on zones.
    pub host: RunHost,
    pub watch: Watch,
    writers: VecDeque<u32>,
    pub in_drive: u32,
    t_decode: Nanos,
    /// Field of a run: state of the DRAM of the write buffer; none where accesses to the DRAM take no time.
    pub memory: Option<Memory>,
    unit: u64,
    /// Limit of the drive in this run: greatest number of mapping units of a write that cross the host link in one
    /// transfer.
    frame_units: u32,
    /// Number of bytes of a read that are gathered before they are sent to the host; 0: the data of each page are sent
    /// to the host as soon as they are decoded.
    read_frame: u64,
    /// Number of mapping units in a group of host commands that the drive processes together; `u32::MAX`: no groups.
    group_units: u32,
    /// Number of mapping units that the present group of host commands, which the drive processes together, may still
    /// accept.
    group_room: u32,
    pub namespaces: Namespaces,
    end: WorkloadEnd,
    pub handed_out: u64,
    next_arrival: SimTime,
    begun: bool,
    source_done: bool,
    /// True while the host gets no answers: the power is off, or the drive recovers its logical-to-physical map.
    pub dark: bool,
    error: Option<Error>,
    /// True if some of the drive's policies come from the user, so that a stall that they cause is the user's error.
    pub has_own_policies: bool,
    ramping: bool,
    /// True in the run's warm-up, which runs copies of the workload, unmeasured, until the write buffer is filled as
    /// the workload leaves it, and in a sampled run while measuring pauses.
    pub warming: bool,
    /// Simulated time, on the clock of this run, at which the workload began, after preconditioning and warm-up.
    pub origin: SimTime,
    /// Counters of the flash translation layer, copied when the measured window of the run began.
    pub baseline: FtlStats,
    /// Number of bytes of host data that only the write buffer contained when the measured window of the run began.
    pub held_before: u64,
    pub counts_before: CountsBefore,
    pub busy_baseline: BusyTimes,
    /// Number of page operations (flash pages read and programmed, blocks erased) that the drive had done when the run
    /// began or, with a warm-up, when the warm-up ended.
    pub pages_before: u64,
    pub host_requests: u64,
    /// Number of host requests in passes of the workload (repetitions one after the other) that are over.
    pub requests_of_passes: u64,
}

/// Record of the times for which channels, flash arrays and link wires were busy, summed up to a certain time of the
/// run, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyTimes {
    pub channels: Vec<u64>,
    pub arrays: Vec<[u64; 4]>,
    pub work: Work,
    pub wires: [u64; 2],
}

/// Returns the counters of the cost regulator so far: mapping units by write cost, flash reads by the step of the read
/// ladder (hard read, then soft reads) that corrected the data, and totals of retries, rewrites and refreshes. All
/// counters are zero on a drive without an error-correcting code.
pub(crate) fn regulation_counts(ftl: &Ftl) -> RegulationCounts {
    ftl.feature::<ftl::Regulation>().map_or_else(Default::default, ftl::Regulation::counts)
}

/// Record of counters at the beginning of the measured window that [`FtlStats`] lacks: write costs and read attempts
/// (cost regulator), placement handles, zones.
pub(crate) struct CountsBefore {
    pub regulation: RegulationCounts,
    pub placed: HandleTotals,
    pub zoned: ZonedTotals,
}

impl CountsBefore {
    fn of(ftl: &Ftl) -> Self {
        Self { regulation: regulation_counts(ftl), placed: ftl.placed(), zoned: ftl.zoned() }
    }
}

/// Returns the number of page operations counted in `stats`: pages read, pages programmed and blocks erased.
pub(crate) fn page_operations(stats: &FtlStats) -> u64 {
    stats.pages_read.iter().sum::<u64>()
        + stats.pages_programmed.iter().sum::<u64>()
        + stats.blocks_erased.iter().sum::<u64>()
}

/// Constant: shortest time that the simulation resolves: one nanosecond.
pub(crate) const MOMENT: Nanos = Nanos::new(1);

/// Record of a run's limits: greatest number of requests, and greatest simulated time in nanoseconds; none: no limit.
pub(crate) struct RunLimits {
    pub requests: Option<u64>,
    pub ns: Option<u64>,
}

impl<P: Observer> Run<P> {
    pub fn new(
        ftl: Ftl,
        link: LinkAtWork,
        workload: Box<dyn Workload>,
        t_decode: Nanos,
        limits: &RunLimits,
        observer: P,
    ) -> Self {
        let (unit, capacity) = (ftl.layout().unit.get(), ftl.layout().capacity().get());
        let frame = link.config().frame.map_or(u64::MAX, |frame| (frame.get() / unit).max(1));
        let frame_units = u32::try_from(frame).unwrap_or(u32::MAX);
        let read_frame = link.config().read_frame.map_or(0, Bytes::get);
        let layout = ftl.layout();
        let group_units = match link.config().group_pages_per_die {
            0 => u32::MAX,
            pages => pages * layout.dies * layout.units_per_page,
        };
        let ramping = workload.in_ramp(SimTime::ZERO);
        let mut run = Self {
            baseline: *ftl.stats(),
            held_before: ftl.buffer().held_bytes(),
            counts_before: CountsBefore::of(&ftl),
            pages_before: page_operations(ftl.stats()),
            busy_baseline: BusyTimes::default(),
            measure: Measure::new(SimTime::ZERO),
            requests: Requests::new(),
            host: RunHost::Workload,
            watch: Watch::new(&ftl),
            writers: VecDeque::new(),
            in_drive: 0,
            end: WorkloadEnd::of(limits, SimTime::ZERO),
            handed_out: 0,
            next_arrival: SimTime::NEVER,
            begun: false,
            source_done: false,
            dark: false,
            error: None,
            has_own_policies: false,
            host_requests: 0,
            requests_of_passes: 0,
            memory: ftl.buffer().dram().map(Memory::new),
            ftl,
            ctx: Context::new(observer),
            workload: Software::around(workload, link.config().t_software),
            link,
            t_decode,
            unit,
            frame_units,
            read_frame,
            group_units,
            group_room: group_units,
            namespaces: Namespaces::whole(capacity),
            ramping,
            warming: false,
            origin: SimTime::ZERO,
        };
        run.busy_baseline = run.busy_times();
        run.ftl.begin_turnover();
        run
    }

    pub fn busy_times(&self) -> BusyTimes {
        let (controller, now) = (self.ftl.controller(), self.ctx.calendar.now());
        BusyTimes {
            channels: controller.channel_busy_ns(now).collect(),
            arrays: controller.array_busy_ns(now).collect(),
            work: controller.work().clone(),
            wires: self.link.busy_until(now),
        }
    }

    /// Returns true if the workload is over and all its requests are answered: the run is done.
    pub fn is_done(&self) -> bool {
        // What is seldom so is asked first: this is asked at every event.
        self.requests.outstanding == 0 && self.source_done && !self.dark
    }

    /// Returns the progress of the workload, from 0 to 1: the greatest of the share of the allowed requests that were
    /// issued, the share of the allowed simulated time that has passed, and the progress that the workload itself
    /// reports; `None` where none of these is known.
    pub fn fraction_done(&self) -> Option<f64> {
        let now = self.ctx.calendar.now();
        let own = self.workload.fraction_done(now);
        let parts = self.end.fractions(self.handed_out, now).into_iter().chain([own]);
        parts.flatten().reduce(f64::max).map(|part| part.min(1.0))
    }

    /// Continues this run with `workload` after the present workload is over: with the next repetition for `--loop`, or
    /// the next copy of the workload in the warm-up.
    pub fn go_on_with(&mut self, workload: Box<dyn Workload>) {
        debug_assert!(self.is_done());
        self.requests_of_passes += self.workload.report().requests;
        self.watch.begin_pass();
        self.workload = Software::around(workload, self.link.config().t_software);
        self.source_done = false;
        self.report_zones();
        // An arrival that was left out while the drive came to rest is not waited for.
        self.draw_anew(self.ctx.calendar.now());
    }

    /// Ends the warm-up that brought the drive into its state, and begins with `workload`, whose time zero is now.
    pub fn take_up(&mut self, workload: Box<dyn Workload>, limits: &RunLimits) {
        debug_assert!(self.is_done() && self.warming);
        let now = self.ctx.calendar.now();
        let workload = Box::new(Later::whole(workload, now));
        self.workload = Software::around(workload, self.link.config().t_software);
        self.end = WorkloadEnd::of(limits, now);
        (self.handed_out, self.host_requests, self.requests_of_passes) = (0, 0, 0);
        self.pages_before = page_operations(self.ftl.stats());
        self.watch.begin_pass();
        (self.warming, self.source_done, self.origin) = (false, false, now);
        self.ramping = self.workload.in_ramp(now);
        if !self.ramping {
            self.begin_measuring(now);
        }
        self.draw_anew(now);
    }

    /// Returns true if the run's limit on requests or on simulated time is reached.
    pub fn is_at_limit(&self) -> bool {
        self.end.is_reached(self.handed_out, self.ctx.calendar.now())
    }

    /// Starts the unmeasured warm-up of the run, which lasts until [`Self::take_up`].
    pub fn warm_up(&mut self) {
        (self.warming, self.ramping) = (true, true);
    }

    /// Stops taking requests from the workload; requests in flight are still answered.
    pub fn stop(&mut self) {
        self.source_done = true;
    }

    /// Returns the number of requests that the host has submitted and the drive has not answered.
    pub fn outstanding(&self) -> u32 {
        self.requests.outstanding
    }

    /// Processes up to `count` simulation events of the run; returns true when the run is over.
    ///
    /// # Errors
    /// When the workload is faulty or too long, or no request makes progress any more.
    pub fn advance(&mut self, count: u64) -> Result<bool, Error> {
        if !self.begun {
            self.begun = true;
            self.ftl.begin(&mut self.ctx);
            self.draw(SimTime::ZERO);
        }
        let mut count = count;
        while count > 0 && !self.is_done() && self.error.is_none() {
            let handled = self.work(count.min(self.watch.left));
            count -= handled.min(count);
            self.watch.left -= handled;
            if self.watch.left == 0 {
                self.look()?;
            }
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(self.is_done()),
        }
    }

    /// Processes up to `count` simulation events of the run and returns the number of processed events.
    // By itself: all that handles an event is in it, and the loop needs the registers.
    #[inline(never)]
    fn work(&mut self, count: u64) -> u64 {
        for handled in 0..count {
            if self.is_done() || self.error.is_some() {
                return handled;
            }
            let Some((now, event)) = self.ctx.calendar.pop() else {
                self.give_up();
                continue;
            };
            self.handle(now, event);
        }
        count
    }

    /// Answers the waiting requests with an error when no event is pending, which only a worn-out drive allows; with
    /// policies of the user on a drive that still takes writes, ends the run with an error.
    #[cold]
    fn give_up(&mut self) {
        self.ftl.declare_stalled();
        let stranded = self.requests.in_drive();
        if self.has_own_policies && !self.ftl.is_read_only() {
            self.error = Some(stuck(self.requests.outstanding, self.ctx.calendar.now(), &self.ftl));
            return;
        }
        assert!(
            self.ftl.is_read_only() && !stranded.is_empty(),
            "{} requests ({} in the drive, read-only {}) wait for something that will never happen at {}: {}{}",
            self.requests.outstanding,
            self.in_drive,
            self.ftl.is_read_only(),
            self.ctx.calendar.now(),
            self.ftl.explain_stall(),
            self.host.blocks().map_or_else(String::new, |host| format!("; {}", host.translation.explain()))
        );
        self.writers.clear();
        for id in stranded {
            self.fail(id);
        }
    }

    #[inline(always)]
    fn handle(&mut self, now: SimTime, event: Event) {
        match event.kind {
            events::COMMAND => self.on_command(event.index, now),
            events::DATA_IN => self.on_data_in(event.index, now),
            events::COMPLETE => self.on_complete(event.index, now),
            events::MEMORY => self.on_memory(event.index, now),
            events::ARRIVAL => {
                if self.next_arrival <= now {
                    self.next_arrival = SimTime::NEVER;
                    self.draw(now);
                }
            }
            _ => self.ftl.handle(event, &mut self.ctx),
        }
        while let Some(output) = self.ftl.take_output() {
            self.on_output(output, now);
        }
        if !self.writers.is_empty() && self.ftl.has_room() {
            self.serve_writers(now);
        }
    }

    /// Returns true once simulated time of the run has begun: when the workload was asked for its first request or,
    /// where requests come from outside, when the caller began it.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Returns the number of page operations (flash pages read and programmed, blocks erased) since the run began,
    /// those of a warm-up left out.
    pub fn operations(&self) -> u64 {
        page_operations(self.ftl.stats()) - self.pages_before
    }

    /// Starts the work of the flash translation layer, such as timer-driven background work, on a drive that has
    /// recovered its logical-to-physical map after a power cut.
    pub fn begin_again(&mut self) {
        self.begun = true;
        self.ftl.begin(&mut self.ctx);
    }

    /// Empties the queue of writes that wait for space in the write buffer, as a power cut does.
    pub fn forget_writers(&mut self) {
        self.writers.clear();
    }

    // ---- from the workload into the drive -----------------------------------------------------------

    /// Begins the measured window after the ramp, and discards all measurements so far.
    #[cold]
    fn begin_measuring(&mut self, now: SimTime) {
        self.ramping = false;
        self.measure = Measure::new(now);
        self.ftl.account_risk(now);
        self.namespaces.begin_measuring();
        if let RunHost::Blocks(host) = &mut self.host {
            host.translation.begin_measuring();
        }
        self.baseline = *self.ftl.stats();
        self.held_before = self.ftl.buffer().held_bytes();
        self.ftl.begin_turnover();
        self.counts_before = CountsBefore::of(&self.ftl);
        self.busy_baseline = self.busy_times();
        self.ctx.probe.on_window(now);
    }

    #[inline(always)]
    fn on_command(&mut self, id: u32, now: SimTime) {
        if self.namespaces.is_zoned() && AtZones(self).takes(id, now) {
            return;
        }
        let request = self.requests.get(id);
        let (first, units, effect) = (request.first, request.units, request.host.op.effect());
        let (offset, bytes) = (request.host.offset, u64::from(request.host.bytes));
        self.ftl.note_extent(id, offset, bytes);
        match effect {
            Effect::Read => {
                let parts = self.ftl.read(id, first, units, &mut self.ctx);
                let parts = parts + self.ask_memory(id, now);
                let request = self.requests.get(id);
                request.parts = parts;
                if parts == 0 {
                    let bytes = request.bytes_left;
                    let end = self.link.give(now, Nanos::ZERO, bytes);
                    let end = self.link.answered(Effect::Read, now, end);
                    request.link_ns = end.since(now).ns();
                    self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
                }
            }
            Effect::Write if self.ftl.is_read_only() => self.fail(id),
            Effect::Write => {
                self.ftl.note_named(request.first, request.host.placement);
                self.begin_write(id, now);
            }
            Effect::Trim => {
                let (first, units) = whole_units(&request.host, self.unit);
                self.ftl.trim(first, units, &mut self.ctx);
                let end = self.link.answered(Effect::Trim, now, now + self.link.config().t_trim);
                self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
            }
            Effect::Flush => self.ftl.flush(id, &mut self.ctx),
            Effect::Manage => {
                let named = request.host.placement;
                request.failed = !self.ftl.ask_for_unit(first, named);
                self.answer(id, now);
            }
        }
    }
}
