//! Carrying transactions through bus and array.

mod chips;
mod pieces;
mod power;
mod suspension;

use crate::channel::{ChannelState, Grant};
use crate::die::{ArrayPhase, Die, DieOverlap, RegisterPhase, Urgency};
use crate::in_flight::{Slab, TimedTransaction, TransactionTimes};
use crate::scheduler::{DieView, Scheduler};
use crate::sharing::{Ride, Sharing, spent};
use crate::{
    ChannelUse, Class, Context, ControllerConfig, Kind, Origin, Probe, Transaction, TransactionId, Waits,
    Work,
};
use bus::Bus;
use chips::Chips;
use engine::{Calendar, Event, RandomStream};
use nand::{ArrayTiming, Geometry, SlcMode};
pub use power::{Ending, Interrupted};
use units::{Bytes, DieId, Nanos, SimTime, units_in};

/// Module: kinds of the controller's events, as numbers; the crates above use numbers from [`events::FIRST_FREE`] on.
pub mod events {
    /// Constant, number of an event kind of the flash controller: the array of a die has finished an operation.
    pub const ARRAY: u8 = 0;
    /// Constant, number of an event kind of the flash controller: a data transfer of a die has ended.
    pub const TRANSFER: u8 = 1;
    /// Constant, number of an event kind of the flash controller: a channel is free and an operation may want it.
    pub const CHANNEL: u8 = 2;
    /// Constant, event kind of the flash controller: a suspend command has taken effect, or may now be given.
    pub const SUSPENDED: u8 = 3;
    /// Constant, event kind of the flash controller: the ECC has decoded an internal read, not asked for by the host.
    pub const DECODED: u8 = 4;
    /// Constant, number of an event kind of the flash controller: the outcome of a program or erase is known.
    pub const STATUS: u8 = 5;
    /// Constant: first number that is no event kind of the flash controller, free for the crates above it.
    pub const FIRST_FREE: u8 = 6;
}

/// Kind of rule for the program time at a write cost (way to program a page) other than the chip's usual one.
#[derive(Clone, Copy, Debug)]
enum ProgramCost {
    /// Case of rule: the program time is the chip's usual time multiplied by this factor.
    Scaled(f64),
    /// Case of rule: program time on the line through two program steps of the chip's tables (first's index, fraction).
    Between(usize, f64),
    /// Case of rule: the program time is that of a voltage set of the chip's tables, given by the set's index.
    Set(usize),
}

/// State of the flash controller of the drive, with the channels and dies that it drives.
pub struct Controller {
    timing: ArrayTiming,
    bus: Bus,
    t_decode: Nanos,
    channel_count: u32,
    overlap: DieOverlap,
    /// List of rules for the program time, indexed by write cost (way to program a page); 0: the chip's usual time.
    costs: Vec<ProgramCost>,
    /// Pair of times: array read time and program time of superblocks in SLC mode.
    slc_times: [Nanos; 2],
    dies: Vec<Die>,
    channels: Vec<ChannelState>,
    slab: Slab,
    scheduler: Box<dyn Scheduler>,
    submitted: u64,
    finished: Vec<TransactionId>,
    work: Work,
    /// Field: state of reads that share another read's array read (sense); none unless such sharing was enabled.
    sharing: Option<Box<Sharing>>,
    /// Field: dies grouped into chips; none unless a chip's next operation is chosen when the channel is free.
    chips: Option<Box<Chips>>,
}

impl Controller {
    /// Makes an idle controller. `t_decode` is the time from the end of data-out to the corrected data.
    pub fn new(
        config: &ControllerConfig,
        geometry: &Geometry,
        timing: ArrayTiming,
        bus: Bus,
        t_decode: Nanos,
    ) -> Self {
        let scheduler = (config.scheduler)();
        let slc_times = timing.slc_mode().map_or([Nanos::ZERO; 2], |mode| [mode.t_r, mode.t_prog]);
        Self {
            timing,
            slc_times,
            bus,
            t_decode,
            channel_count: geometry.channels,
            overlap: DieOverlap::of(config, &*scheduler),
            costs: vec![ProgramCost::Scaled(1.0)],
            dies: (0..geometry.dies()).map(|die| Die::new(die, geometry.channels)).collect(),
            channels: (0..geometry.channels)
                .map(|_| ChannelState::new(geometry.dies_per_channel(), (config.arbitration)()))
                .collect(),
            slab: Slab::new(),
            scheduler,
            submitted: 0,
            finished: Vec::with_capacity(64),
            work: Work::default(),
            sharing: None,
            chips: Chips::new(config, geometry),
        }
    }

    /// Gives the scheduler and the arbitration policies random streams derived from `seed`.
    pub fn begin(&mut self, seed: u64) {
        self.scheduler.take_random(RandomStream::new(seed, "controller.scheduler"));
        for (index, channel) in self.channels.iter_mut().enumerate() {
            channel.begin(RandomStream::new(seed, &format!("controller.arbitration.{index}")));
        }
    }

    /// Returns a transaction that is in flight or has just finished.
    #[inline]
    pub fn transaction(&self, id: TransactionId) -> &Transaction {
        &self.slab.items[id.index()]
    }

    /// Returns the number of transactions that are in flight.
    pub fn in_flight(&self) -> u32 {
        self.slab.live
    }

    /// Removes and returns one finished transaction, `None` if there is none; the caller must [`end`](Self::end) it.
    #[inline]
    pub fn take_finished(&mut self) -> Option<TransactionId> {
        self.finished.pop()
    }

    /// Returns a finished transaction with its times, and removes it from the controller.
    #[inline]
    pub fn end(&mut self, id: TransactionId) -> TimedTransaction {
        let finished = self.slab.remove(id);
        self.dies[finished.die.index()].host_operations -= u32::from(finished.origin == Origin::Host);
        if let Some(sharing) = &mut self.sharing {
            sharing.forget(id);
        }
        finished
    }

    // ---- reads that ride on others -------------------------------------------------------------------

    /// Enables shared array reads: from now on a read may use the array read (sense) of another read.
    pub fn share_reads(&mut self) {
        self.sharing = Some(Box::new(Sharing::new(self.dies.len())));
    }

    fn sharing(&mut self) -> &mut Sharing {
        self.sharing.as_mut().expect("reads may ride on others only where that was asked for")
    }

    /// Allows further reads to use the array read of this read, which senses the pages of the units in mask `sensed`.
    pub fn open_read(&mut self, id: TransactionId, sensed: u64) {
        let transaction = self.slab.items[id.index()];
        self.sharing().open(id, &transaction, sensed);
    }

    /// Returns the newest read of a page row whose array read others can still use (no data-out yet), if there is one.
    pub fn find_open_read(&self, die: DieId, superblock: u32, row: u32) -> Option<Ride> {
        let (id, sensed, riders) = self.sharing.as_ref()?.find(die, superblock, row)?;
        let state = &self.dies[die.index()];
        Some(Ride { id, sensed, begun: state.array == id || state.register == id, riders })
    }

    /// Submits read `rider`, which uses the array read of read `on` (or the array read that `on` itself uses) and
    /// finishes with it. `sensed` is the mask of the units of the pages that the rider needs; they must be sensed
    /// already if the array read has begun. A waiting internal read that a host read joins moves to the host reads.
    pub fn ride<P: Probe>(
        &mut self,
        on: TransactionId,
        mut rider: Transaction,
        sensed: u64,
        ctx: &mut Context<P>,
    ) -> TransactionId {
        let now = ctx.calendar.now();
        let carrier = self.sharing().carrier_of(on);
        let carried_by = self.slab.items[carrier.index()];
        let die = rider.die.index();
        let state = &mut self.dies[die];
        let begun = state.array == carrier || state.register == carrier;
        rider.queued = now;
        let is_out = self.sharing.as_ref().is_some_and(|sharing| sharing.is_out(carrier));
        // What waits for decoding alone waits in no queue of the die: it counts as time between.
        let waits = if begun || is_out { Waits::default() } else { state.occupied_until(now) };
        rider.reading = if is_out { carried_by.reading.decoded() } else { carried_by.reading };
        state.host_operations += u32::from(rider.origin == Origin::Host);
        let before = if begun { spent(&carried_by, carrier, state, now) } else { [0; 3] };
        let hurries = rider.class == Class::HostRead && carried_by.class == Class::InternalRead;
        let mask = rider.mask;
        // Where parts of units cross the channel, its own come beside the others'; one that takes units whole has all whole.
        let bytes = &mut self.slab.items[carrier.index()].bytes;
        *bytes = if rider.bytes == 0 || *bytes == 0 { 0 } else { *bytes + rider.bytes };
        let id = self.slab.insert(rider);
        let placed = &mut self.slab.items[id.index()];
        placed.times = TransactionTimes { started: now, waits, ..TransactionTimes::default() };
        placed.since = now;
        ctx.probe.on_ride(carrier, id, &self.slab.items[id.index()]);
        let last = self.sharing().join(carrier, id, mask, sensed, before);
        self.slab.items[id.index()].next = last;
        if hurries && !begun && !is_out {
            self.dies[die].promote(&mut self.slab, carrier);
            self.consider_suspension(die, ctx);
            self.start_what_can(die, ctx);
        }
        id
    }

    /// Ends the queue waits of the reads (riders) that use the array read of `carrier`, which its die has just started.
    #[cold]
    fn take_up_riders(&mut self, carrier: TransactionId, now: SimTime) {
        let mut at = self.sharing().last_rider(carrier);
        while at.exists() {
            let rider = &mut self.slab.items[at.index()];
            let occupied = self.dies[rider.die.index()].occupied_until(now);
            for (wait, total) in rider.times.waits.iter_mut().zip(occupied) {
                *wait = total - *wait;
            }
            (rider.times.started, rider.since) = (now, now);
            at = rider.next;
        }
    }

    /// Finishes a read and its riders (reads that use its array read); reads that answer no host are decoded first.
    #[inline]
    fn hand_out<P: Probe>(&mut self, id: TransactionId, ctx: &mut Context<P>) {
        if self.sharing.is_some() {
            self.hand_out_all(id, ctx);
        } else {
            self.hand_out_one(id, ctx);
        }
    }

    #[cold]
    fn hand_out_all<P: Probe>(&mut self, id: TransactionId, ctx: &mut Context<P>) {
        let carrier = self.slab.items[id.index()];
        let mut at = self.sharing().unload(id);
        self.hand_out_one(id, ctx);
        while at.exists() {
            let [channel, transfer, array] = self.sharing().leave(at);
            let rider = &mut self.slab.items[at.index()];
            rider.times.channel_ns = carrier.times.channel_ns - channel;
            rider.times.transfer_ns = carrier.times.transfer_ns - transfer;
            rider.times.array_ns = carrier.times.array_ns - array;
            let next = rider.next;
            self.hand_out_one(at, ctx);
            at = next;
        }
    }

    #[inline(always)]
    fn hand_out_one<P: Probe>(&mut self, id: TransactionId, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let transaction = &mut self.slab.items[id.index()];
        transaction.times.finished = now;
        ctx.probe.on_finish(id, transaction);
        // Data for the host take their decoding time on the way out; the drive's own reads wait for it here.
        let hosts = transaction.origin == Origin::Host;
        let decoding = transaction.reading.decoding(self.t_decode);
        if hosts || (self.t_decode == Nanos::ZERO && decoding == Nanos::ZERO) {
            self.finished.push(id);
            return;
        }
        ctx.calendar.schedule(now + decoding, Event { kind: events::DECODED, index: id.0 });
        if let Some(sharing) = &mut self.sharing {
            sharing.begin_decoding(id);
        }
    }

    /// Finishes an internal read that the ECC has decoded, and the reads that joined it during the decoding.
    #[inline]
    fn on_decoded<P: Probe>(&mut self, id: TransactionId, now: SimTime, probe: &mut P) {
        self.finished.push(id);
        if self.sharing.is_some() {
            self.take_decoded_riders(id, now, probe);
        }
    }

    #[cold]
    fn take_decoded_riders<P: Probe>(&mut self, id: TransactionId, now: SimTime, probe: &mut P) {
        let Some(sharing) = &mut self.sharing else { return };
        let mut at = sharing.unload(id);
        while at.exists() {
            sharing.leave(at);
            let rider = &mut self.slab.items[at.index()];
            (rider.times.started, rider.times.finished) = (now, now);
            probe.on_finish(at, rider);
            self.finished.push(at);
            at = rider.next;
        }
    }

    /// Returns true if no operation runs or waits on the die.
    #[inline]
    pub fn is_idle(&self, die: DieId) -> bool {
        self.dies[die.index()].is_idle()
    }

    /// Returns the number of host operations that wait or are in progress at the die.
    #[inline]
    pub fn host_operations(&self, die: DieId) -> u32 {
        self.dies[die.index()].host_operations
    }

    /// Adds a write cost with program step `step` (voltage per pulse), relative to the usual one: its program time is
    /// interpolated in the chip's tables, or the usual time divided by `step`. Returns the cost's number.
    pub fn add_cost(&mut self, step: f64) -> u8 {
        let steps = self.timing.steps();
        let cost = if steps.len() > 1 {
            let below = steps.partition_point(|at| *at <= step).clamp(1, steps.len() - 1) - 1;
            ProgramCost::Between(below, (step - steps[below]) / (steps[below + 1] - steps[below]))
        } else {
            ProgramCost::Scaled(1.0 / step)
        };
        self.costs.push(cost);
        self.costs.len() as u8 - 1
    }

    /// Adds a write cost with the voltage set `name` (verify and read voltages) of the chip's tables. Returns the index
    /// of the set in the tables, and the number of the write cost for transactions.
    ///
    /// # Errors
    /// When the chip has no such set; the text names the sets that it has.
    pub fn add_voltages(&mut self, name: &str) -> Result<(usize, u8), String> {
        let known = self.timing.voltage_sets();
        let Some(set) = known.iter().position(|one| one == name) else {
            return Err(match known {
                [] => format!(
                    "{name:?}: this chip has no [tables.voltages]: expected a chip with such sets, as \
                               chips/derived/poster-mlc.toml"
                ),
                known => format!("{name:?}: no such set of voltages: expected one of {}", known.join(", ")),
            });
        };
        self.costs.push(ProgramCost::Set(set));
        Ok((set, self.costs.len() as u8 - 1))
    }

    /// Returns the time of a program that begins at page row `row`, for a block in row `wear` of the chip's wear
    /// tables, at write cost `cost`; at other than the usual cost, rounded to the nearest nanosecond.
    #[inline]
    pub fn t_prog(&self, row: u32, wear: u8, cost: u8) -> Nanos {
        if cost == 0 {
            return self.timing.t_prog(row, wear);
        }
        let time = match self.costs[cost as usize] {
            ProgramCost::Scaled(scale) => self.timing.t_prog(row, wear).ns() as f64 * scale,
            ProgramCost::Between(below, share) => {
                let of = |step| self.timing.t_prog_by_step(row, wear, step).ns() as f64;
                of(below) + share * (of(below + 1) - of(below))
            }
            ProgramCost::Set(set) => self.timing.t_prog_by_set(row, wear, set).ns() as f64,
        };
        Nanos::new(time.round().max(1.0) as u64)
    }

    /// Returns the chip's SLC mode (one bit per cell) as the chip's file describes it; `None` for a chip without one.
    pub fn slc_mode(&self) -> Option<&SlcMode> {
        self.timing.slc_mode()
    }

    /// Returns the array read time (tR) of a page row.
    #[inline]
    pub fn t_r(&self, row: u32) -> Nanos {
        self.timing.t_r(row)
    }

    #[inline]
    fn t_r_of(&self, row: u32, slc: bool) -> Nanos {
        if slc { self.slc_times[0] } else { self.timing.t_r(row) }
    }

    /// Returns the block erase time (tBERS) of a block whose wear belongs to row `wear` of the chip's wear tables.
    #[inline]
    pub fn t_bers(&self, wear: u8) -> Nanos {
        self.timing.t_bers(wear)
    }

    /// Returns true if the scheduler puts garbage collection before host programs on a die short of free superblocks.
    #[inline]
    pub fn hastens_collection(&self) -> bool {
        self.scheduler.hastens_collection()
    }

    /// Sets whether the scheduler treats a die as short of free superblocks (garbage collection may then go first).
    #[inline]
    pub fn set_urgency(&mut self, die: DieId, urgency: Urgency) {
        self.dies[die.index()].urgent = urgency == Urgency::Urgent;
    }

    /// Returns the time in ns that each channel was busy until `now`; a transfer in progress counts in part.
    pub fn channel_busy_ns(&self, now: SimTime) -> impl Iterator<Item = u64> {
        self.channels.iter().map(move |channel| {
            channel.busy_ns - channel.free_at.ns().saturating_sub(now.ns()).min(channel.busy_ns)
        })
    }

    /// Returns the number of channels of the drive.
    pub fn channels(&self) -> u32 {
        self.channel_count
    }

    /// Returns the busy time of all arrays together, in ns, by origin: host, GC, wear levelling, other.
    #[inline]
    pub fn array_busy_total(&self) -> Waits {
        self.work.array_by_origin()
    }

    /// Returns array times and transferred bytes so far, from which energy is calculated.
    #[inline]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Returns the row of the chip's wear tables for a block with these P/E cycles; 0 where wear changes no times.
    #[inline]
    pub fn wear_row(&self, pe_cycles: impl FnOnce() -> u32) -> u8 {
        if self.timing.ages() { self.timing.wear_row(pe_cycles()) } else { 0 }
    }

    /// Returns the model of the bus, with the transfer times of the channels.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Returns the time in ns that the array of each die was busy until `now`, by origin: host, GC, wear levelling,
    /// other. An operation in progress counts as far as it has come.
    pub fn array_busy_ns(&self, now: SimTime) -> impl Iterator<Item = [u64; 4]> {
        self.dies.iter().map(move |die| {
            let mut busy = die.array_busy;
            if die.array.exists() && die.array_phase == ArrayPhase::Busy && die.array_start < now {
                let origin = self.slab.items[die.array.index()].origin;
                busy[origin.wait_column()] += now.min(die.array_end).since(die.array_start).ns();
            }
            busy
        })
    }

    /// Queues a transaction at its die, starts it if it can start now, and returns its identifier.
    #[inline]
    pub fn submit<P: Probe>(&mut self, transaction: Transaction, ctx: &mut Context<P>) -> TransactionId {
        let now = ctx.calendar.now();
        let die = transaction.die.index();
        let host_read = transaction.class == Class::HostRead;
        self.dies[die].host_operations += u32::from(transaction.origin == Origin::Host);
        let id = self.slab.insert(transaction);
        let placed = &mut self.slab.items[id.index()];
        placed.queued = now;
        placed.times.waits = self.dies[die].occupied_until(now);
        placed.submitted = self.submitted;
        self.submitted += 1;
        ctx.probe.on_submit(id, &self.slab.items[id.index()]);
        self.dies[die].enqueue(&mut self.slab, id);
        if host_read && (self.dies[die].array_kind != Kind::Read || self.overlap.suspend_for_waiting) {
            self.consider_suspension(die, ctx);
        }
        self.start_what_can(die, ctx);
        id
    }

    /// Handles an event of the controller; the caller can then take finished transactions.
    #[inline]
    pub fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        let index = event.index as usize;
        match event.kind {
            events::ARRAY => self.on_array(index, ctx),
            events::TRANSFER => self.on_transfer(index, ctx),
            events::CHANNEL => self.on_channel(index, ctx),
            events::SUSPENDED => self.start_what_can(index, ctx),
            events::STATUS => self.on_status(index, ctx),
            events::DECODED => {
                self.on_decoded(TransactionId(event.index), ctx.calendar.now(), &mut ctx.probe)
            }
            other => unreachable!("event kind {other} does not belong to the controller"),
        }
    }

    #[inline]
    fn start_what_can<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        if self.overlap.suspend_for_waiting {
            let state = &self.dies[die];
            if state.waiting & Class::HostRead.bit() != 0 && state.array_start <= ctx.calendar.now() {
                self.consider_suspension(die, ctx);
            }
        }
        if let Some(chips) = &self.chips {
            return self.start_chip(chips.of(die), ctx);
        }
        // After most events nothing waits, or the die is taken.
        let state = &self.dies[die];
        let may_start = state.waiting != 0 && state.startable(&self.overlap) != 0;
        if may_start || state.suspended.exists() {
            self.start_next(die, ctx);
        }
    }

    #[inline(never)]
    fn start_next<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        loop {
            let state = &mut self.dies[die];
            if now < state.blocked_until {
                return;
            }
            let startable = state.startable(&self.overlap);
            let allowed = if state.suspended.exists() { Class::HostRead.bit() } else { u8::MAX };
            let mut waiting = state.waiting & allowed;
            if waiting == 0 {
                if state.suspended.exists() && !state.array.exists() && !state.register.exists() {
                    self.resume(die, &mut ctx.calendar);
                }
                return;
            }
            if startable & waiting == 0 {
                return;
            }
            if waiting & Class::Erase.bit() != 0 && self.reads_before_erase(die) {
                waiting &= !Class::Erase.bit();
            }
            // The choice is made among all that waits: what could start right now must not for ever pass
            // what needs the whole die to itself.
            let class = self.pick(die, waiting, now);
            // A copyback shares the programs' queue, but needs the array at once and so the whole die.
            let copyback = self.slab.items[self.dies[die].first(class).index()].kind == Kind::Copyback;
            if startable & class.bit() == 0 || (copyback && startable != u8::MAX) {
                return;
            }
            self.take_up(die, class, ctx);
            if !self.overlap.cache_read && !self.overlap.cache_program {
                return;
            }
        }
    }

    /// Starts the oldest waiting operation of a class at a die, or lets it wait for the channel if that is busy.
    #[inline(always)]
    fn take_up<P: Probe>(&mut self, die: usize, class: Class, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        let id = state.dequeue(&self.slab, class);
        let transaction = &mut self.slab.items[id.index()];
        let occupied = state.occupied_until(now);
        for (wait, total) in transaction.times.waits.iter_mut().zip(occupied) {
            *wait = total - *wait;
        }
        transaction.times.started = now;
        transaction.since = now;
        let kind = transaction.kind;
        if self.sharing.is_some() && kind == Kind::Read {
            self.take_up_riders(id, now);
        }
        let state = &mut self.dies[die];
        if kind == Kind::Program {
            (state.register, state.register_kind) = (id, kind);
            state.register_phase = RegisterPhase::WaitIn;
        } else {
            (state.array, state.array_kind) = (id, kind);
            state.array_phase = ArrayPhase::Command;
        }
        state.note_occupant(&self.slab, now);
        let want = if kind == Kind::Program { Grant::DataIn } else { Grant::Command };
        self.request_channel(die, want, ctx);
    }

    /// Returns true if a read older than the oldest waiting erase still waits at the die: it may be of that block.
    fn reads_before_erase(&self, die: usize) -> bool {
        let state = &self.dies[die];
        let submitted = |class: Class| self.slab.items[state.first(class).index()].submitted;
        let erase = submitted(Class::Erase);
        [Class::HostRead, Class::InternalRead]
            .into_iter()
            .any(|class| state.waiting & class.bit() != 0 && submitted(class) < erase)
    }

    #[inline]
    fn pick(&mut self, die: usize, ready: u8, now: SimTime) -> Class {
        if ready.is_power_of_two() {
            return Class::ALL[ready.trailing_zeros() as usize];
        }
        let state = &self.dies[die];
        let mut view = DieView {
            ready,
            queued: [SimTime::ZERO; Class::COUNT],
            submitted: [u64::MAX; Class::COUNT],
            urgent: state.urgent,
            now,
        };
        for class in Class::ALL {
            if ready & class.bit() != 0 {
                let first = &self.slab.items[state.first(class).index()];
                view.queued[class as usize] = first.queued;
                view.submitted[class as usize] = first.submitted;
            }
        }
        let class = self.scheduler.pick(&view);
        assert!(ready & class.bit() != 0, "the scheduler picked {class:?} on die {die}, which is not ready");
        class
    }

    #[inline]
    fn request_channel<P: Probe>(&mut self, die: usize, want: Grant, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let Die { channel: index, way, .. } = self.dies[die];
        let index = index as usize;
        let channel = &mut self.channels[index];
        if channel.free_at <= now && !channel.is_wanted() {
            // With cache reads another array may be done at this moment, too, and want a command, which goes before data.
            let is_data = matches!(want, Grant::DataIn | Grant::DataOut);
            let more =
                self.overlap.cache_read && is_data && ctx.calendar.is_more_now() && self.chips.is_none();
            if !more {
                return self.grant(die, want, ctx);
            }
        }
        channel.wait(way, want, now);
        self.wake_channel(index, &mut ctx.calendar);
    }

    #[inline]
    fn wake_channel(&mut self, index: usize, calendar: &mut Calendar) {
        let channel = &mut self.channels[index];
        if !channel.wake_scheduled {
            channel.wake_scheduled = true;
            let at = channel.free_at.max(calendar.now());
            calendar.schedule(at, Event { kind: events::CHANNEL, index: index as u32 });
        }
    }

    fn on_channel<P: Probe>(&mut self, index: usize, ctx: &mut Context<P>) {
        let channel = &mut self.channels[index];
        channel.wake_scheduled = false;
        if channel.is_wanted() && channel.free_at <= ctx.calendar.now() {
            let (way, want) = channel.pick();
            let die = way as usize * self.channel_count as usize + index;
            self.grant(die, want, ctx);
        } else if self.chips.is_some() && channel.free_at <= ctx.calendar.now() {
            self.start_in_turn(index, ctx);
        }
        let awaited = self.chips.as_ref().is_some_and(|chips| chips.is_awaited(index));
        if self.channels[index].is_wanted() || awaited {
            self.wake_channel(index, &mut ctx.calendar);
        }
    }

    /// Returns the time that an operation takes on the channel for use `want`, and counts its bytes.
    #[inline(always)]
    fn channel_time(&mut self, id: TransactionId, want: Grant) -> (Nanos, ChannelUse) {
        let transaction = &self.slab.items[id.index()];
        match (want, transaction.kind) {
            (Grant::Command, Kind::Read) => (self.bus.read_command(), ChannelUse::Command),
            (Grant::Command, Kind::Erase) => (self.bus.erase_command(), ChannelUse::Command),
            (Grant::Command, _) => (self.bus.copyback_command(), ChannelUse::Command),
            (Grant::Status, _) => (self.bus.status(), ChannelUse::Status),
            (Grant::DataIn, _) => {
                let (bytes, time) = match (transaction.bytes, transaction.slc) {
                    (0, false) => (self.bus.bytes_in(), self.bus.data_in()),
                    (0, true) => (self.bus.row_bytes_in(), self.bus.row_in()),
                    (part, _) => (u64::from(part), self.bus.part_in(Bytes::new(u64::from(part)))),
                };
                self.work.bytes_in += bytes;
                (time, ChannelUse::DataIn)
            }
            (Grant::DataOut, _) => {
                let units = match &mut self.sharing {
                    Some(sharing) => sharing.begin_out(id, transaction),
                    None => units_in(transaction.mask),
                };
                let (bytes, time) = match transaction.bytes {
                    0 => (self.bus.bytes_out(units), self.bus.data_out(units)),
                    part => {
                        let part = u64::from(part).min(self.bus.bytes_out(units));
                        (part, self.bus.part_out(Bytes::new(part)))
                    }
                };
                let (planes, hard) = transaction.reading.planes;
                let planes = transaction.reading.part(u64::from(planes), transaction.sent);
                let sent = |of: u64| match planes == u64::from(hard) {
                    true => of,
                    false => (of * planes).div_ceil(u64::from(hard)),
                };
                self.work.bytes_out += sent(bytes);
                (Nanos::new(sent(time.ns())), ChannelUse::DataOut)
            }
        }
    }

    /// Gives the channel to a die for use `want`, and schedules the end of the use or the next phase of the operation.
    fn grant<P: Probe>(&mut self, die: usize, want: Grant, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &self.dies[die];
        let id = match want {
            Grant::Command => state.array,
            Grant::Status => state.status,
            Grant::DataIn | Grant::DataOut => state.register,
        };
        let (length, usage) = self.channel_time(id, want);
        let state = &mut self.dies[die];
        let transaction = &mut self.slab.items[id.index()];
        let end = now + length;
        // What crosses the channel while the array senses on costs the read no time of its own.
        if usage != ChannelUse::DataOut || transaction.is_last_piece() {
            transaction.times.channel_ns += now.since(transaction.since).ns();
            transaction.times.transfer_ns += length.ns();
            transaction.since = end;
        }
        let (row, kind, wear, cost) = (transaction.row, transaction.kind, transaction.wear, transaction.cost);
        let slc = transaction.slc;
        let senses = transaction.reading.part(u64::from(transaction.reading.senses), 0);
        let channel = &mut self.channels[state.channel as usize];
        channel.free_at = end;
        channel.busy_ns += length.ns();
        ctx.probe.on_channel(units::ChannelId(state.channel), id, transaction, usage, now, end);
        match usage {
            ChannelUse::Command => {
                let busy = match kind {
                    Kind::Read => self.t_r_of(row, slc).times(senses),
                    Kind::Erase => self.timing.t_bers(wear),
                    _ => self.t_r_of(row, slc).times(senses) + self.t_prog(row, wear, cost),
                };
                self.start_array(die, end, busy, &mut ctx.calendar);
            }
            ChannelUse::Status => {
                ctx.calendar.schedule(end, Event { kind: events::STATUS, index: die as u32 })
            }
            ChannelUse::DataIn if !self.overlap.cache_program => {
                // Nothing can come between data-in and program: one event serves for both.
                (state.array, state.array_kind) = (id, kind);
                state.register = TransactionId::NONE;
                let busy = if slc { self.slc_times[1] } else { self.t_prog(row, wear, cost) };
                self.start_array(die, end, busy, &mut ctx.calendar);
            }
            ChannelUse::DataIn => {
                state.register_phase = RegisterPhase::In;
                ctx.calendar.schedule(end, Event { kind: events::TRANSFER, index: die as u32 });
            }
            ChannelUse::DataOut => {
                state.register_phase = RegisterPhase::Out;
                ctx.calendar.schedule(end, Event { kind: events::TRANSFER, index: die as u32 });
            }
        }
    }

    #[inline]
    fn start_array(&mut self, die: usize, start: SimTime, busy: Nanos, calendar: &mut Calendar) {
        let state = &mut self.dies[die];
        state.array_phase = ArrayPhase::Busy;
        state.array_start = start;
        state.array_end = start + busy;
        // A read for which something is suspended is not what is counted.
        if !state.suspended.exists() {
            state.suspensions = 0;
        }
        calendar.schedule(state.array_end, Event { kind: events::ARRAY, index: die as u32 });
    }

    fn on_array<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        if !state.array.exists() || state.array_phase != ArrayPhase::Busy || state.array_end != now {
            return; // The operation was suspended; its new end has an event of its own.
        }
        let id = state.array;
        let start = state.array_start;
        let transaction = &mut self.slab.items[id.index()];
        transaction.times.array_ns += now.since(start).ns();
        transaction.since = now;
        ctx.probe.on_array(id, transaction, start, now);
        state.count_array(transaction.origin, start, now);
        self.work.count(transaction, now.since(start));
        if transaction.kind == Kind::Read {
            if state.register.exists() {
                state.array_phase = ArrayPhase::Done;
            } else {
                return self.move_to_register(die, ctx);
            }
        } else if state.status.exists() {
            state.array_phase = ArrayPhase::Done;
        } else {
            self.leave_array(die, ctx);
        }
        self.dies[die].note_occupant(&self.slab, now);
        self.start_what_can(die, ctx);
    }

    /// Frees the array of a die from a program or erase that has ended, begins the next program if its data are already
    /// in the page register, and requests the status query where the drive makes one.
    fn leave_array<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        let id = std::mem::replace(&mut state.array, TransactionId::NONE);
        let asks = self.bus.status() > Nanos::ZERO;
        if asks {
            state.status = id;
        } else {
            self.finish(id, now, &mut ctx.probe);
        }
        let state = &mut self.dies[die];
        if state.register.exists() && state.register_phase == RegisterPhase::Loaded {
            self.move_to_array(die, &mut ctx.calendar);
        }
        if asks {
            self.request_channel(die, Grant::Status, ctx);
        }
    }

    fn on_status<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        let id = std::mem::replace(&mut state.status, TransactionId::NONE);
        let next_is_over =
            state.array.exists() && state.array_kind != Kind::Read && state.array_phase == ArrayPhase::Done;
        self.finish(id, now, &mut ctx.probe);
        if next_is_over {
            self.leave_array(die, ctx);
        }
        self.dies[die].note_occupant(&self.slab, now);
        self.start_what_can(die, ctx);
    }

    fn on_transfer<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        let state = &mut self.dies[die];
        let id = state.register;
        if state.register_phase == RegisterPhase::In {
            if state.array.exists() {
                state.register_phase = RegisterPhase::Loaded;
            } else {
                self.move_to_array(die, &mut ctx.calendar);
            }
        } else {
            state.register = TransactionId::NONE;
            let transaction = &mut self.slab.items[id.index()];
            let is_last = transaction.is_last_piece();
            transaction.sent += 1;
            if is_last {
                self.hand_out(id, ctx);
            }
            let state = &mut self.dies[die];
            if state.array.exists() && state.array_kind == Kind::Read && state.array_phase == ArrayPhase::Done
            {
                return self.move_to_register(die, ctx);
            }
        }
        self.dies[die].note_occupant(&self.slab, now);
        self.start_what_can(die, ctx);
    }

    /// Moves the data of a finished array read to the page register. The array's next operation asks for the channel
    /// before the data-out of this read does: its command is short, and the array then works during the transfer.
    fn move_to_register<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let state = &mut self.dies[die];
        (state.register, state.register_kind) = (state.array, state.array_kind);
        state.register_phase = RegisterPhase::WaitOut;
        let transaction = &mut self.slab.items[state.array.index()];
        transaction.sensed += 1;
        if transaction.sensed < transaction.reading.pieces {
            self.sense_on(die, &mut ctx.calendar);
        } else {
            state.array = TransactionId::NONE;
        }
        // The die is held by the same read as before.
        self.start_what_can(die, ctx);
        self.request_channel(die, Grant::DataOut, ctx);
    }

    fn move_to_array(&mut self, die: usize, calendar: &mut Calendar) {
        let now = calendar.now();
        let state = &mut self.dies[die];
        (state.array, state.array_kind) = (state.register, state.register_kind);
        state.register = TransactionId::NONE;
        let transaction = &self.slab.items[state.array.index()];
        let busy = match transaction.slc {
            false => self.t_prog(transaction.row, transaction.wear, transaction.cost),
            true => self.slc_times[1],
        };
        self.start_array(die, now, busy, calendar);
    }

    #[inline]
    fn finish<P: Probe>(&mut self, id: TransactionId, now: SimTime, probe: &mut P) {
        let transaction = &mut self.slab.items[id.index()];
        transaction.times.finished = now;
        probe.on_finish(id, transaction);
        self.finished.push(id);
    }
}
