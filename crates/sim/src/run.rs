//! The run loop: requests in, events, requests out.

mod outside;

use crate::Error;
use crate::limits::{LATEST, Watch, stuck, too_late, too_much};
use crate::link::Link;
use crate::measure::{Measure, stages};
use crate::memory::Memory;
use crate::namespaces::Namespaces;
use crate::observers::Observer;
use crate::requests::{Requests, bytes_of, coverage, whole_units};
use crate::result::Recovery;
use controller::{Context, Reading, Work};
use engine::Event;
use ftl::{Ftl, FtlStats, Output, RegulationCounts, Stages};
use host::later::Later;
use host::software::Software;
use host::{Effect, HostRequest, Poll, Status, Workload, WorkloadError};
use std::collections::VecDeque;
use units::{Bytes, Lpn, Nanos, SimTime};

/// The kinds of event this crate schedules.
mod events {
    use ftl::events::FIRST_FREE as FIRST;
    /// A command is understood.
    pub const COMMAND: u8 = FIRST;
    /// Data of a write arrived in the drive.
    pub const DATA_IN: u8 = FIRST + 1;
    /// A request is complete.
    pub const COMPLETE: u8 = FIRST + 2;
    /// The workload said it would have a request now.
    pub const ARRIVAL: u8 = FIRST + 3;
    /// The buffer's DRAM has taken or given what a request is about.
    pub const MEMORY: u8 = FIRST + 4;
}

/// One drive, one workload, and time.
pub(crate) struct Run<P: Observer> {
    pub ftl: Ftl,
    pub ctx: Context<P>,
    pub measure: Measure,
    pub link: Link,
    pub workload: Box<dyn Workload>,
    pub requests: Requests,
    pub watch: Watch,
    writers: VecDeque<u32>,
    pub in_drive: u32,
    t_decode: Nanos,
    /// The buffer's DRAM, where it takes time.
    pub memory: Option<Memory>,
    unit: u64,
    /// Units of a write that cross the link in one piece.
    frame_units: u32,
    /// Bytes of a read that gather before they go on to the host; 0: each page as it comes.
    read_frame: u64,
    /// Units that make a group of commands, and how many this group may still take.
    group_units: u32,
    group_room: u32,
    pub namespaces: Namespaces,
    limit_requests: u64,
    limit_time: SimTime,
    pub handed_out: u64,
    next_arrival: SimTime,
    begun: bool,
    source_done: bool,
    /// The power is gone, or the drive is looking for its map: the host gets no answers.
    pub dark: bool,
    error: Option<Error>,
    /// Some of the drive's policies are the user's own: what they bring about is no fault of ours.
    pub has_own_policies: bool,
    ramping: bool,
    /// What runs now only brings the drive into its state.
    pub warming: bool,
    /// When the time of the workload began: after what brought the drive into its state.
    pub origin: SimTime,
    /// Counters when measuring began, and bytes of the host's that the buffer alone held then.
    pub baseline: FtlStats,
    pub held_before: u64,
    pub regulation_baseline: RegulationCounts,
    pub busy_baseline: BusyTimes,
    /// Page operations since the drive was built, when the run began.
    pub pages_before: u64,
    pub host_requests: u64,
    /// Requests of passes of the workload that are over.
    pub requests_of_passes: u64,
}

/// Busy times of channels, arrays and wires at some moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyTimes {
    pub channels: Vec<u64>,
    pub arrays: Vec<[u64; 4]>,
    pub work: Work,
    pub wires: [u64; 2],
}

/// What writes cost and reads took so far; nothing on a drive without a code.
pub(crate) fn regulation_counts(ftl: &Ftl) -> RegulationCounts {
    ftl.feature::<ftl::Regulation>().map_or_else(Default::default, ftl::Regulation::counts)
}

/// Page operations counted in `stats`: reads, programs and erases.
pub(crate) fn page_operations(stats: &FtlStats) -> u64 {
    stats.pages_read.iter().sum::<u64>()
        + stats.pages_programmed.iter().sum::<u64>()
        + stats.blocks_erased.iter().sum::<u64>()
}

/// The shortest time that there is.
pub(crate) const MOMENT: Nanos = Nanos::new(1);

/// What bounds a run.
pub(crate) struct Limits {
    pub requests: Option<u64>,
    pub ns: Option<u64>,
}

impl<P: Observer> Run<P> {
    pub fn new(
        ftl: Ftl,
        link: Link,
        workload: Box<dyn Workload>,
        t_decode: Nanos,
        limits: &Limits,
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
            regulation_baseline: regulation_counts(&ftl),
            pages_before: page_operations(ftl.stats()),
            busy_baseline: BusyTimes::default(),
            measure: Measure::new(SimTime::ZERO),
            requests: Requests::new(),
            watch: Watch::new(&ftl),
            writers: VecDeque::new(),
            in_drive: 0,
            limit_requests: limits.requests.unwrap_or(u64::MAX),
            limit_time: limits.ns.map_or(SimTime::NEVER, SimTime::from_ns),
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

    /// True when the workload is over and everything it asked for is answered.
    pub fn is_done(&self) -> bool {
        // What is seldom so is asked first: this is asked at every event.
        self.requests.outstanding == 0 && self.source_done && !self.dark
    }

    /// How much of the workload was handed out, where that can be known.
    pub fn fraction_done(&self) -> Option<f64> {
        let now = self.ctx.calendar.now();
        let by_requests =
            (self.limit_requests != u64::MAX).then(|| self.handed_out as f64 / self.limit_requests as f64);
        let by_time =
            (self.limit_time != SimTime::NEVER).then(|| now.ns() as f64 / self.limit_time.ns() as f64);
        let own = self.workload.fraction_done(now);
        [by_requests, by_time, own].into_iter().flatten().reduce(f64::max).map(|part| part.min(1.0))
    }

    /// Runs `workload` after the one that is over.
    pub fn go_on_with(&mut self, workload: Box<dyn Workload>) {
        debug_assert!(self.is_done());
        self.requests_of_passes += self.workload.report().requests;
        self.watch.begin_pass();
        self.workload = Software::around(workload, self.link.config().t_software);
        self.source_done = false;
        self.draw(self.ctx.calendar.now());
    }

    /// What ran until now, to the end, brought the drive into its state: what counts begins with `workload`, whose time
    /// zero is now.
    pub fn take_up(&mut self, workload: Box<dyn Workload>, limits: &Limits) {
        debug_assert!(self.is_done() && self.warming);
        let now = self.ctx.calendar.now();
        let workload = Box::new(Later::whole(workload, now));
        self.workload = Software::around(workload, self.link.config().t_software);
        self.limit_requests = limits.requests.unwrap_or(u64::MAX);
        let most = |ns: u64| SimTime::from_ns(now.ns().saturating_add(ns));
        self.limit_time = limits.ns.map_or(SimTime::NEVER, most);
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

    /// True when requests, or time, have come to the limit that was set.
    pub fn is_at_limit(&self) -> bool {
        self.handed_out >= self.limit_requests || self.ctx.calendar.now() >= self.limit_time
    }

    /// Lets what runs until [`Self::take_up`] be measured by nothing.
    pub fn warm_up(&mut self) {
        (self.warming, self.ramping) = (true, true);
    }

    /// Stops taking requests from the workload; requests in flight are still answered.
    pub fn stop(&mut self) {
        self.source_done = true;
    }

    /// Requests asked for and not yet answered.
    pub fn outstanding(&self) -> u32 {
        self.requests.outstanding
    }

    /// Handles up to `count` events. Gives true when the run is over.
    ///
    /// # Errors
    /// When the workload's source turned out to be faulty.
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

    /// Handles up to `count` events; gives how many.
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

    /// Lets the drive finish what it holds, after the last request.
    pub fn drain(&mut self) {
        self.end_host();
        self.pass_while(|run| run.ftl.buffer().is_draining());
    }

    /// The host is gone: nothing more falls due, and what the buffer holds goes to the flash.
    fn end_host(&mut self) {
        self.ftl.end_upkeep();
        self.ftl.send_out(&mut self.ctx);
    }

    /// Lets the drive go on while there is a reason to, the host being gone.
    fn pass_while(&mut self, reason: impl Fn(&mut Self) -> bool) {
        let mut left = self.watch.events_most();
        while reason(self) && self.pass() {
            left -= 1;
            assert!(left > 0, "the drive does not come to rest: {}", self.ftl.explain_stall());
        }
    }

    /// Lets all operations of the flash end that are in flight.
    pub fn come_to_rest(&mut self) {
        self.pass_while(|run| run.ftl.controller().in_flight() > 0);
    }

    /// As [`Self::drain`] and [`Self::come_to_rest`], for at most so many page operations: a large drive that is short of
    /// room collects for far longer than a short run.
    pub fn come_to_rest_within(&mut self, page_operations_most: u64) {
        self.end_host();
        let last = page_operations(self.ftl.stats()).saturating_add(page_operations_most);
        self.pass_while(|run| {
            let is_at_work = run.ftl.buffer().is_draining() || run.ftl.controller().in_flight() > 0;
            is_at_work && page_operations(run.ftl.stats()) < last
        });
    }

    /// As [`Self::drain`], until nothing is in flight any more, nor waits for what would complete its program.
    pub fn settle_down(&mut self) {
        self.drain();
        loop {
            self.come_to_rest();
            if !self.ftl.pad_all(&mut self.ctx) {
                return;
            }
        }
    }

    /// Simulates what the drive does at power-up to find its data again, if it must; after the last request.
    pub fn recover(&mut self) -> Option<Recovery> {
        if !self.ftl.recovers() {
            return None; // Coming to rest may take longer than a short run.
        }
        self.drain();
        self.come_to_rest();
        let begun = self.ctx.calendar.now();
        let ftl = self.ftl.as_page_mapped()?;
        let recovery = ftl.begin_recovery(&mut self.ctx)?;
        self.pass_while(|run| run.ftl.as_page_mapped().is_some_and(|ftl| ftl.recovering() > 0));
        Some(Recovery {
            t_ns: self.ctx.calendar.now().since(begun).ns(),
            pages_read: recovery.pages_read,
            checkpoint_units: recovery.checkpoint_units,
            summaries: recovery.summaries,
            open_rows: recovery.open_rows,
        })
    }

    /// Lets the drive handle its next event, the host being gone. False when there is none.
    pub fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        if event.kind < events::COMMAND {
            self.ftl.handle(event, &mut self.ctx);
            while self.ftl.take_output().is_some() {}
        }
        true
    }

    /// Nothing is pending but requests are: only a drive that wore out may leave them. It answers them with
    /// an error, and goes on.
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
            "{} requests ({} in the drive, read-only {}) wait for something that will never happen at {}: {}",
            self.requests.outstanding,
            self.in_drive,
            self.ftl.is_read_only(),
            self.ctx.calendar.now(),
            self.ftl.explain_stall()
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

    /// True once the workload was asked for its first request.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Page operations since the run began.
    pub fn operations(&self) -> u64 {
        page_operations(self.ftl.stats()) - self.pages_before
    }

    /// Time begins for a drive that has found its map.
    pub fn begin_again(&mut self) {
        self.begun = true;
        self.ftl.begin(&mut self.ctx);
    }

    /// Writes that wait for room are forgotten.
    pub fn forget_writers(&mut self) {
        self.writers.clear();
    }

    /// Takes requests again after a time without.
    pub fn draw_anew(&mut self, now: SimTime) {
        self.next_arrival = SimTime::NEVER;
        self.group_room = self.group_units;
        self.draw(now);
    }

    // ---- from the workload into the drive -----------------------------------------------------------

    /// Takes requests from the workload while there is a place for them, and lets the drive fetch.
    fn draw(&mut self, now: SimTime) {
        if self.dark {
            return;
        }
        while !self.source_done && self.link.queues.has_place() {
            if self.handed_out >= self.limit_requests || now >= self.limit_time {
                self.end_of_source(now);
                break;
            }
            match self.workload.poll(now) {
                Ok(Poll::Ready(request)) => self.submit(request, now),
                Ok(Poll::At(time)) if time.min(self.limit_time) > LATEST => {
                    self.error = Some(too_late(&self.workload.report().name, self.handed_out));
                    return;
                }
                Ok(Poll::At(time)) => {
                    self.await_arrival(time.min(self.limit_time), now);
                    break;
                }
                Ok(Poll::Blocked) => break,
                Ok(Poll::Done) => self.end_of_source(now),
                Err(error) => {
                    self.error = Some(error.into());
                    return;
                }
            }
        }
        if self.in_drive == 0 {
            self.group_room = self.group_units;
        }
        while self.in_drive < self.link.config().max_commands && self.group_room > 0 {
            let Some(id) = self.link.queues.fetch() else {
                // A group that has begun is not joined later.
                self.group_room =
                    if self.in_drive > 0 && self.group_units < u32::MAX { 0 } else { self.group_room };
                break;
            };
            self.in_drive += 1;
            if self.group_units < u32::MAX {
                self.group_room = self.group_room.saturating_sub(self.requests.get(id).units);
            }
            let request = self.requests.take_up(id);
            let understood = self.link.command_done(request.host.op.effect(), now);
            request.fetched = now;
            request.understood = understood;
            self.ctx.calendar.schedule(understood, Event { kind: events::COMMAND, index: id });
        }
        if self.requests.read_too_much() {
            self.error = Some(too_much(&self.workload.report().name, self.unit));
        }
    }

    /// No request follows. A run that never left its ramp measured nothing, and must not look as if it had.
    #[cold]
    fn end_of_source(&mut self, now: SimTime) {
        self.source_done = true;
        if self.ramping && self.handed_out > 0 && !self.warming {
            let error = WorkloadError::of(
                self.workload.report().name,
                format!(
                    "none of {} requests was made after the ramp, the last before {now}",
                    self.handed_out
                ),
                "a workload that goes on after its ramp_time",
            );
            self.error = Some(error.into());
        }
    }

    fn await_arrival(&mut self, time: SimTime, now: SimTime) {
        debug_assert!(time > now, "the workload must not name the present");
        if time < self.next_arrival {
            self.next_arrival = time;
            self.ctx.calendar.schedule(time, Event { kind: events::ARRIVAL, index: 0 });
        }
    }

    #[inline]
    fn submit(&mut self, request: HostRequest, now: SimTime) {
        if let Err(error) = self.namespaces.admit(&request, || self.workload.report().name) {
            self.error = Some(error.into());
            return;
        }
        self.handed_out += 1;
        if self.ramping && !self.warming && !self.workload.in_ramp(now) {
            self.begin_measuring(now);
        }
        let measured = !self.ramping;
        let id = self.requests.insert(request, self.unit);
        self.requests.get(id).measured = measured;
        if measured {
            self.measure.submitted[request.op.effect() as usize] += 1;
            self.measure.arrivals.note(request.arrive, now);
        }
        self.ctx.probe.on_request(id, &request);
        self.ctx.probe.on_number(id, request.tag, || self.workload.number());
        if request.op.effect() != Effect::Flush {
            self.ftl.prefetch(self.requests.get(id).first);
        }
        self.link.queues.submit(id, request.tag);
    }

    /// The ramp is over: what was measured until now is forgotten.
    #[cold]
    fn begin_measuring(&mut self, now: SimTime) {
        self.ramping = false;
        self.measure = Measure::new(now);
        self.ftl.account_risk(now);
        self.baseline = *self.ftl.stats();
        self.held_before = self.ftl.buffer().held_bytes();
        self.ftl.begin_turnover();
        self.regulation_baseline = regulation_counts(&self.ftl);
        self.busy_baseline = self.busy_times();
        self.ctx.probe.on_window(now);
    }

    /// True when a write is acknowledged only once it is on flash.
    fn waits_for_flash(&self, request: &HostRequest) -> bool {
        !self.ftl.buffer().is_write_back() || (request.fua && !self.ftl.buffer().is_protected())
    }

    fn on_command(&mut self, id: u32, now: SimTime) {
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
                request.waiting_since = now;
                request.busy_then = self.ftl.controller().array_busy_total();
                request.parts = units;
                if self.writers.is_empty() {
                    self.take_data(id, now);
                } else {
                    self.writers.push_back(id);
                }
            }
            Effect::Trim => {
                let (first, units) = whole_units(&request.host, self.unit);
                self.ftl.trim(first, units, &mut self.ctx);
                let end = self.link.answered(Effect::Trim, now, now + self.link.config().t_trim);
                self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
            }
            Effect::Flush => self.ftl.flush(id, &mut self.ctx),
        }
    }

    // ---- writes -------------------------------------------------------------------------------------

    /// Lets as much of a write cross the link as the buffer has room for; the rest waits.
    fn take_data(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        let wanted = request.units - request.units_in;
        let first = Lpn(request.first.0 + request.units_in);
        let granted = self.ftl.reserve_at(id, first, wanted.min(self.frame_units));
        if granted == 0 {
            self.writers.push_front(id);
            return;
        }
        request.end_buffer_wait(now, self.ftl.controller().array_busy_total());
        request.units_crossing = granted;
        let bytes = bytes_of(request, self.unit, granted);
        let over = self.ftl.controller().bus().data_in();
        let end = self.link.take(request.host.arrive, now, over, bytes);
        request.link_ns += end.since(now).ns();
        self.ctx.calendar.schedule(end, Event { kind: events::DATA_IN, index: id });
    }

    fn serve_writers(&mut self, now: SimTime) {
        while self.ftl.has_room() {
            let Some(id) = self.writers.pop_front() else { return };
            self.take_data(id, now);
        }
    }

    fn on_data_in(&mut self, id: u32, now: SimTime) {
        let request = *self.requests.get(id);
        let waits = self.waits_for_flash(&request.host);
        let waiter = if waits { id } else { u32::MAX };
        let start = request.units_in;
        for unit in start..start + request.units_crossing {
            let lpn = Lpn(request.first.0 + unit);
            self.ftl.note_extent(id, request.host.offset, u64::from(request.host.bytes));
            if self.ftl.refuses(lpn, &mut self.ctx) {
                self.requests.get(id).lose_unit();
                continue;
            }
            let coverage = coverage(&request.host, lpn, self.unit);
            self.ctx.probe.on_data(id, &request.host, lpn);
            self.ctx.probe.on_content(id, &request.host, lpn, &self.ftl);
            self.ftl.write(waiter, lpn, coverage, &mut self.ctx);
        }
        let bytes = bytes_of(&request, self.unit, request.units_crossing);
        let stored = self.memory.as_mut().filter(|_| !waits).map(|memory| memory.access(bytes, now));
        let request = self.requests.get(id);
        request.units_in += request.units_crossing;
        request.units_crossing = 0;
        if request.units_in < request.units {
            request.waiting_since = now;
            request.busy_then = self.ftl.controller().array_busy_total();
            self.take_data(id, now);
        } else if let Some(stored) = stored {
            self.ctx.calendar.schedule(stored, Event { kind: events::MEMORY, index: id });
        } else if !waits || request.parts == 0 {
            self.answer(id, now);
        }
        self.ftl.pump(&mut self.ctx);
    }

    /// Asks the DRAM for what a read found in the buffer; gives how many parts of the read that makes.
    #[inline]
    fn ask_memory(&mut self, id: u32, now: SimTime) -> u32 {
        if self.memory.is_none() { 0 } else { self.fetch_from_memory(id, now) }
    }

    #[cold]
    fn fetch_from_memory(&mut self, id: u32, now: SimTime) -> u32 {
        let Some(memory) = &mut self.memory else { return 0 };
        let cached = self.ftl.take_cached();
        if cached == 0 {
            return 0;
        }
        let at = memory.access(cached, now);
        self.requests.get(id).from_memory = cached;
        self.ctx.calendar.schedule(at, Event { kind: events::MEMORY, index: id });
        1
    }

    /// The DRAM took the last data of a write, or gave what a read found in the buffer.
    #[cold]
    fn on_memory(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        if request.host.op.effect() == Effect::Write {
            return self.answer(id, now);
        }
        request.parts -= 1;
        let last = request.parts == 0;
        let bytes = if last { request.bytes_left } else { request.bytes_left.min(request.from_memory) };
        request.bytes_left -= bytes;
        let decoded = if last { now.max(request.gathered_at) } else { now };
        let mut end = self.link.give(decoded, Nanos::ZERO, bytes);
        if last {
            end = self.link.answered(Effect::Read, now, end);
            let request = self.requests.get(id);
            request.stages = Stages::default();
            request.link_ns = end.since(now).ns();
            self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
        }
    }

    // ---- completions --------------------------------------------------------------------------------

    /// The data of some units of a read left the flash: which of them go on to the host, and when.
    #[inline(always)]
    fn on_read(&mut self, id: u32, units: u32, reading: Reading, stages: Stages, now: SimTime) {
        let request = self.requests.get(id);
        request.uncorrectable |= reading.uncorrectable;
        request.failed |= reading.uncorrectable;
        request.retries = request.retries.max(reading.decodes.saturating_sub(1));
        let decoding = reading.decoding(self.t_decode);
        request.stages = stages;
        // Of a wait for map entries only what did not overlap the last flash read made the request longer.
        let rest = now.since(request.understood).ns().saturating_sub(stages.total());
        let map_wait = request.buffer_waits.last_mut().expect("there are columns");
        *map_wait = rest.min(*map_wait);
        request.parts -= 1;
        let bytes = if request.parts == 0 {
            request.bytes_left
        } else {
            request.bytes_left.min(u64::from(units) * self.unit)
        };
        request.bytes_left -= bytes;
        request.gathered += bytes;
        // The answer comes after all that was read is decoded; what was read earlier may take more attempts.
        request.gathered_at = request.gathered_at.max(now + decoding);
        let mut decoded = if request.parts == 0 { request.gathered_at } else { now + decoding };
        let mut over = Nanos::new(stages.transfer);
        if self.read_frame > 0 {
            if request.parts > 0 && request.gathered < self.read_frame {
                return;
            }
            (decoded, over) = (request.gathered_at, Nanos::ZERO);
        }
        let bytes = std::mem::take(&mut request.gathered);
        let mut end = self.link.give(decoded, over, bytes);
        if request.parts == 0 {
            end = self.link.answered(Effect::Read, now, end);
        }
        request.ecc_ns = decoded.since(now).ns();
        request.link_ns = end.since(decoded).ns();
        if request.parts == 0 {
            self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
            if self.link.config().double_buffer {
                request.worked_on = false;
                self.in_drive -= 1;
                self.draw(now);
            }
        }
    }

    #[inline]
    fn on_output(&mut self, output: Output, now: SimTime) {
        match output {
            Output::Read { request, units, reading, stages } => {
                self.on_read(request, units, reading, stages, now);
            }
            Output::Durable { request: id, stages } => {
                let request = self.requests.get(id);
                let worked = now.since(request.understood).ns();
                let waits = request.buffer_waits.iter().sum::<u64>();
                request.stages = stages.within(worked.saturating_sub(waits));
                let stages = request.stages;
                let waits = request.limit_buffer_waits(worked.saturating_sub(stages.total()));
                request.parts -= 1;
                if request.parts == 0 {
                    // In frames, later data cross while earlier ones are programmed: only what the flash
                    // waited for counts.
                    request.link_ns = request.link_ns.min(worked.saturating_sub(stages.total() + waits));
                    self.answer(id, now);
                }
            }
            Output::Mapped { request: id, more, waited_ns } => {
                let request = self.requests.get(id);
                request.parts += more;
                let other = request.buffer_waits.last_mut().expect("there are columns");
                *other = waited_ns.max(*other);
            }
            Output::Flushed { request: id } => self.answer(id, now),
        }
    }

    pub fn fail(&mut self, id: u32) {
        self.requests.get(id).failed = true;
        let now = self.ctx.calendar.now();
        self.on_complete(id, now);
    }

    /// The drive is done with a request; the host knows once the link has said so.
    fn answer(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        let end = self.link.answered(request.host.op.effect(), now, now);
        if end == now {
            return self.on_complete(id, now);
        }
        request.link_ns += end.since(now).ns();
        self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
    }

    fn on_complete(&mut self, id: u32, now: SimTime) {
        let request = &*self.requests.get(id);
        self.in_drive -= u32::from(request.worked_on);
        self.host_requests += 1;
        let stages = stages(request, now);
        let status = if request.failed { Status::Failed } else { Status::Success };
        if request.measured {
            self.measure.complete(request, now, &stages, self.ftl.cache_bytes());
            if self.namespaces.is_parted() && request.host.op.effect() != Effect::Flush {
                let at = self.namespaces.of(request.host.offset);
                self.measure.by_namespace.note(at, &request.host, status);
            }
            if request.host.op.effect() == Effect::Trim && !request.failed {
                let (_, units) = whole_units(&request.host, self.unit);
                self.measure.untrimmed.add(request.host.bytes, units, self.unit);
            }
        }
        self.ctx.probe.on_complete(request, now, &stages);
        self.ctx.probe.on_answer(request, now, &self.ftl);
        let completion = self.namespaces.completion(&request.host, status, now);
        self.workload.complete(&request.host, &completion);
        self.requests.release(id);
        self.draw(now);
    }
}
