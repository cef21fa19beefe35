//! A controller with dies on one channel, to which operations are given at moments of the test's choice.

use bus::{Bus, Support};
use config::{Document, Section};
use controller::{
    ChannelUse, Class, Context, Controller, ControllerConfig, Kind, Origin, Probe, TimedTransaction,
    Transaction, TransactionId, events,
};
use engine::Event;
use nand::{ArrayTiming, Geometry, Tables};
use units::{Bytes, ChannelId, DieId, Nanos, SimTime};

/// Constant of the controller's tests: time in ns of the command and address cycles of a read, seven cycles of 100 ns.
pub const COMMAND: u64 = 700;
/// Constant of the controller's tests: time in ns of the command and address cycles of an erase, five cycles of 100 ns.
pub const ERASE_COMMAND: u64 = 500;
/// Constant of the controller's tests: time in ns of the transfer of a page of 4096 bytes over the channel at 100 MB/s.
pub const PAGE: u64 = 40_960;
/// Constant of the controller's tests: time in ns of the commands, addresses and data-in of a program of one page.
pub const DATA_IN: u64 = COMMAND + PAGE;
pub const T_R: u64 = 50_000;
pub const T_PROG: u64 = 300_000;
pub const T_BERS: u64 = 2_000_000;
pub const T_SUSPEND_PROGRAM: u64 = 20_000;
pub const T_SUSPEND_ERASE: u64 = 60_000;
pub const T_RESUME: u64 = 10_000;

const SETTINGS: &[&str] = &[
    "geometry.channels=1",
    "geometry.ways=2",
    "nand.cell=slc",
    "nand.planes=1",
    "nand.blocks_per_plane=8",
    "nand.pages_per_block=8",
    "nand.page_size=4KiB",
    "nand.t_r=50us",
    "nand.t_prog=300us",
    "nand.t_bers=2ms",
    "nand.t_suspend_program=20us",
    "nand.t_suspend_erase=60us",
    "nand.t_resume=10us",
    "bus.interface.name=plain",
    "bus.interface.rate=100MT/s",
    "bus.interface.cycle=100ns",
];

/// Record of an observer (probe) in the controller's tests: number of operations submitted and finished, and the
/// intervals in which channels and flash arrays were busy.
#[derive(Default)]
pub struct Log {
    pub submitted: u32,
    pub finished: u32,
    pub channel: Vec<(ChannelUse, u32, u64, u64)>,
    pub array: Vec<(Kind, u32, u64, u64)>,
}

impl Probe for Log {
    fn on_channel(
        &mut self,
        _: ChannelId,
        _: TransactionId,
        transaction: &Transaction,
        usage: ChannelUse,
        from: SimTime,
        to: SimTime,
    ) {
        self.channel.push((usage, transaction.die.0, from.ns(), to.ns()));
    }

    fn on_array(&mut self, _: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        self.array.push((transaction.kind, transaction.die.0, from.ns(), to.ns()));
    }

    fn on_submit(&mut self, _: TransactionId, _: &Transaction) {
        self.submitted += 1;
    }

    fn on_ride(&mut self, _: TransactionId, _: TransactionId, _: &Transaction) {
        self.submitted += 1;
    }

    fn on_finish(&mut self, _: TransactionId, _: &TimedTransaction) {
        self.finished += 1;
    }
}

pub struct Bench {
    pub controller: Controller,
    pub ctx: Context<Log>,
    /// List of the operations that the test schedules; for a read that shares another read's array read, with the index
    /// of the other read in this list.
    plan: Vec<(Transaction, Option<usize>)>,
    /// For each operation of the test's list `plan`: the finished operation with its times; `None` until it has
    /// finished.
    done: Vec<Option<TimedTransaction>>,
    /// For each operation of the test's list `plan`: simulated time in ns at which the controller handed it back; 0
    /// before.
    back: Vec<u64>,
    given: Vec<TransactionId>,
    shares: bool,
}

impl Bench {
    pub fn new(more: &[&str]) -> Self {
        Self::with_policies(more, |_| {})
    }

    /// Makes a test bench (a flash controller with its event calendar) with the further configuration keys `more`;
    /// `change` can replace policies in the controller's configuration before it is used.
    pub fn with_policies(more: &[&str], change: impl FnOnce(&mut ControllerConfig)) -> Self {
        Self::build(more, change, 1, 0)
    }

    /// Makes a test bench whose reads can share the array read of another read of their page row; a page row has two
    /// mapping units of 4096 bytes.
    pub fn sharing(more: &[&str]) -> Self {
        Self::sharing_decoded(more, 0)
    }

    /// Makes a test bench as [`Self::sharing`] does, with an ECC decoding time of `t_decode` ns for each decoding.
    pub fn sharing_decoded(more: &[&str], t_decode: u64) -> Self {
        let mut bench = Self::build(more, |_| {}, 2, t_decode);
        bench.controller.share_reads();
        bench
    }

    /// Makes a test bench as [`Self::new`] does, with an ECC decoding time of `t_decode` ns for each decoding.
    pub fn decoded(more: &[&str], t_decode: u64) -> Self {
        Self::build(more, |_| {}, 1, t_decode)
    }

    fn build(
        more: &[&str],
        change: impl FnOnce(&mut ControllerConfig),
        row_units: u32,
        t_decode: u64,
    ) -> Self {
        let mut document = Document::empty();
        for setting in SETTINGS.iter().chain(more) {
            document.set(setting).unwrap_or_else(|error| panic!("{error}"));
        }
        let mut root = Section::root(&document);
        let mut nand = root.child("nand").expect("a section");
        let geometry = Geometry::read(&mut root, &mut nand).expect("a geometry");
        let tables = Tables::read(&mut nand, &geometry).unwrap_or_else(|error| panic!("{error}"));
        let timing = ArrayTiming::read(&mut nand, &geometry, tables.as_ref()).expect("times");
        let support = Support::read(&mut nand).expect("an interface");
        let mut config =
            ControllerConfig::read(&mut root).unwrap_or_else(|error| panic!("a controller: {error}"));
        change(&mut config);
        let mut bus = Bus::read(&mut root, &support).expect("a bus");
        bus.prepare(None, Bytes::new(4096), Bytes::new(0), row_units, 1, 1);
        Self {
            controller: Controller::new(&config, &geometry, timing, bus, Nanos::new(t_decode)),
            ctx: Context::default(),
            plan: Vec::new(),
            done: Vec::new(),
            back: Vec::new(),
            given: Vec::new(),
            shares: row_units > 1,
        }
    }

    /// Schedules `transaction` to be submitted to the controller at the simulated time `ns`, and returns the
    /// operation's index in the test's list `plan`.
    pub fn at(&mut self, ns: u64, mut transaction: Transaction) -> usize {
        let place = self.plan.len();
        transaction.owner = place as u32;
        self.plan.push((transaction, None));
        self.done.push(None);
        self.back.push(0);
        self.given.push(TransactionId(0));
        let event = Event { kind: events::FIRST_FREE, index: place as u32 };
        self.ctx.calendar.schedule(SimTime::from_ns(ns), event);
        place
    }

    /// Schedules a read to be submitted at time `ns` that uses the array read of the read with index `on` in the test's
    /// list `plan`; returns the new read's index in the list.
    pub fn ride_at(&mut self, ns: u64, on: usize, transaction: Transaction) -> usize {
        let place = self.at(ns, transaction);
        self.plan[place].1 = Some(on);
        place
    }

    fn begin(&mut self, place: usize) {
        let (transaction, on) = self.plan[place];
        self.given[place] = match on {
            Some(on) => {
                let on = self.given[on];
                self.controller.ride(on, transaction, transaction.mask, &mut self.ctx)
            }
            None => self.controller.submit(transaction, &mut self.ctx),
        };
        if self.shares && on.is_none() && transaction.kind == Kind::Read {
            self.controller.open_read(self.given[place], transaction.mask);
        }
    }

    /// Advances the simulated time of the test: handles all events up to and including the time `ns`, and stores the
    /// operations that finish.
    pub fn pass_until(&mut self, ns: u64) {
        while self.ctx.calendar.next_time().is_some_and(|next| next.ns() <= ns) {
            let (_, event) = self.ctx.calendar.pop().expect("there is a next one");
            if event.kind == events::FIRST_FREE {
                self.begin(event.index as usize);
            } else {
                self.controller.handle(event, &mut self.ctx);
            }
            while let Some(id) = self.controller.take_finished() {
                let finished = self.controller.end(id);
                self.done[finished.owner as usize] = Some(finished);
                self.back[finished.owner as usize] = self.ctx.calendar.now().ns();
            }
        }
    }

    /// Advances the simulated time of the test until no event is pending, and checks that all operations have finished.
    pub fn rest(&mut self) {
        self.pass_until(u64::MAX);
        assert_eq!(self.controller.in_flight(), 0, "an operation never came back");
        assert_eq!(
            (self.ctx.probe.submitted, self.ctx.probe.finished),
            (self.plan.len() as u32, self.plan.len() as u32)
        );
    }

    /// Returns the finished operation with the index `place` in the test's list `plan`, with its times.
    pub fn done(&self, place: usize) -> TimedTransaction {
        self.done[place].unwrap_or_else(|| panic!("operation {place} is still in flight"))
    }

    /// Returns the simulated time in ns at which the controller handed operation `place` of the test's list `plan`
    /// back: for an internal read, after its data were decoded.
    pub fn handed_back(&self, place: usize) -> u64 {
        self.back[place]
    }

    /// Returns two times in ns of operation `place` of the test's list `plan`: when the die started it, and when it
    /// finished.
    pub fn times(&self, place: usize) -> (u64, u64) {
        let done = self.done(place);
        (done.times.started.ns(), done.times.finished.ns())
    }
}

pub fn read(class: Class, die: u32) -> Transaction {
    let origin = if class == Class::HostRead { Origin::Host } else { Origin::Gc };
    let mut read = Transaction::new(Kind::Read, origin, class, DieId(die), 0, 0);
    read.mask = 1;
    read
}

pub fn program(class: Class, die: u32) -> Transaction {
    let origin = if class == Class::HostProgram { Origin::Host } else { Origin::Gc };
    Transaction::new(Kind::Program, origin, class, DieId(die), 0, 0)
}

pub fn erase(die: u32) -> Transaction {
    Transaction::new(Kind::Erase, Origin::Gc, Class::Erase, DieId(die), 0, 0)
}

pub fn copyback(die: u32) -> Transaction {
    Transaction::new(Kind::Copyback, Origin::Gc, Class::InternalProgram, DieId(die), 0, 0)
}
