//! A drive on the bench: the translation layer is given units one by one, without host and link, and all that it does on
//! the flash is written down.

use config::{Document, Section};
use controller::{
    Context, Controller, ControllerConfig, Kind, Origin, TimedTransaction, Transaction, TransactionId,
};
use engine::Event;
use ftl::{Coverage, Found, Ftl, FtlConfig, Output, Probe, SuperblockState};
use units::{DieId, Lpn, Ppa, SimTime};

/// Constant: request number that stands for no request, for a write whose program no request waits for.
pub const NO_REQUEST: u32 = u32::MAX;

/// Record of the work of a translation layer on the flash in a test, in order.
#[derive(Default)]
pub struct Log {
    /// List of the flash operations, at the time of their queueing.
    pub submitted: Vec<Transaction>,
    /// List of the flash operations that have ended, in the order of their ends.
    pub finished: Vec<Transaction>,
    /// List of the programs, in the order of their queueing, each with the origins of its units.
    pub placed: Vec<(Transaction, Vec<Origin>)>,
    /// List of the logical units that got a new physical place: number, place, and true if the unit was moved there,
    /// false if the host wrote it.
    pub committed: Vec<(Lpn, Ppa, bool)>,
}

impl controller::Probe for Log {
    fn on_submit(&mut self, _: TransactionId, transaction: &Transaction) {
        self.submitted.push(*transaction);
    }

    fn on_ride(&mut self, _: TransactionId, _: TransactionId, transaction: &Transaction) {
        self.submitted.push(*transaction);
    }

    fn on_finish(&mut self, _: TransactionId, finished: &TimedTransaction) {
        self.finished.push(finished.transaction);
    }
}

impl Probe for Log {
    fn on_place(&mut self, program: &Transaction, units: u32, source: impl Fn(u32) -> (Origin, u64)) {
        self.placed.push((*program, (0..units).map(|unit| source(unit).0).collect()));
    }

    fn on_commit(&mut self, lpn: Lpn, new: Ppa, _: Ppa) {
        self.committed.push((lpn, new, false));
    }

    fn on_moved(&mut self, lpn: Lpn, new: Ppa, _: Ppa) {
        self.committed.push((lpn, new, true));
    }
}

impl Log {
    /// Returns the flash operations of a kind and an origin that have ended.
    pub fn of(&self, kind: Kind, origin: Origin) -> impl Iterator<Item = &Transaction> {
        self.finished.iter().filter(move |it| it.kind == kind && it.origin == origin)
    }
}

pub struct Bench {
    pub ftl: Ftl,
    pub ctx: Context<Log>,
    pub outputs: Vec<Output>,
}

impl Bench {
    pub fn new(settings: &[&str]) -> Self {
        Self::seeded(settings, 1)
    }

    pub fn seeded(settings: &[&str], seed: u64) -> Self {
        Self::of(super::drive(settings).build(seed).unwrap_or_else(|error| panic!("{error}")))
    }

    /// Makes a test bench with a drive on which all logical units were written without simulated time.
    pub fn filled(settings: &[&str]) -> Self {
        let mut ftl = super::drive(settings).build(1).unwrap_or_else(|error| panic!("{error}"));
        (0..ftl.layout().logical_units).for_each(|lpn| ftl.write_untimed(Lpn(lpn)));
        ftl.settle();
        Self::of(ftl)
    }

    pub fn of(ftl: Ftl) -> Self {
        let mut bench = Self { ftl, ctx: Context::default(), outputs: Vec::new() };
        bench.ftl.begin(&mut bench.ctx);
        bench
    }

    /// Processes the next simulation event of the bench; returns false if there is none.
    pub fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        if event.kind == ftl::events::FIRST_FREE {
            return true;
        }
        self.ftl.handle(event, &mut self.ctx);
        self.take_outputs();
        true
    }

    fn take_outputs(&mut self) {
        while let Some(output) = self.ftl.take_output() {
            self.outputs.push(output);
        }
    }

    /// Advances the bench to the simulated time `ns`, at which no event need happen.
    pub fn pass_until(&mut self, ns: u64) {
        self.ctx.calendar.schedule(SimTime::from_ns(ns), Event { kind: ftl::events::FIRST_FREE, index: 0 });
        while self.ctx.calendar.next_time().is_some_and(|next| next.ns() <= ns) && self.pass() {}
    }

    /// Processes simulation events of the bench until there are none left.
    pub fn rest(&mut self) {
        while self.pass() {}
    }

    /// Flushes the write buffer, and processes simulation events of the bench until there are none left.
    pub fn settle(&mut self) {
        self.ftl.flush(0, &mut self.ctx);
        self.take_outputs();
        self.rest();
    }

    /// Writes a unit as soon as the write buffer has room; returns false if it never has.
    pub fn write(&mut self, lpn: u32) -> bool {
        self.write_for(NO_REQUEST, lpn, Coverage::Whole)
    }

    /// Writes a unit or a part of it as soon as the write buffer has room, where `request` waits for its program;
    /// returns false if the buffer never has room.
    pub fn write_for(&mut self, request: u32, lpn: u32, coverage: Coverage) -> bool {
        while self.ftl.reserve(1) == 0 {
            if !self.pass() {
                return false;
            }
        }
        self.ftl.write(request, Lpn(lpn), coverage, &mut self.ctx);
        self.ftl.pump(&mut self.ctx);
        self.take_outputs();
        true
    }

    pub fn trim(&mut self, first: u32, count: u32) {
        self.ftl.trim(Lpn(first), count, &mut self.ctx);
        self.take_outputs();
    }

    /// Cuts the power at the present time and turns it on at once: the layer `fresh` takes over the contents of the
    /// flash and recovers its map. Returns the counts of recovery.
    pub fn cut(&mut self, fresh: Ftl) -> Found {
        let now = self.now();
        let contents = std::mem::replace(&mut self.ftl, fresh).cut(now).0;
        self.ctx.calendar.forget_pending(SimTime::from_ns(now.ns() + 1));
        self.ftl.take_over(contents);
        let found = self.ftl.begin_finding(&mut self.ctx);
        while let Some((_, event)) = self.ctx.calendar.pop() {
            if self.ftl.find_on(event, &mut self.ctx) {
                break;
            }
        }
        self.ftl.begin(&mut self.ctx);
        found
    }

    pub fn now(&self) -> SimTime {
        self.ctx.calendar.now()
    }

    /// Returns the number of superblocks of a die that are in one of these states.
    pub fn count(&self, die: u32, states: &[SuperblockState]) -> u32 {
        let per_die = self.ftl.layout().superblocks_per_die as usize;
        let of_die = &self.ftl.superblock_states()[die as usize * per_die..][..per_die];
        of_die.iter().filter(|state| states.contains(state)).count() as u32
    }

    /// Returns the number of valid units on a die.
    pub fn valid(&self, die: u32) -> u32 {
        let per_die = self.ftl.layout().superblocks_per_die as usize;
        self.ftl.valid_units()[die as usize * per_die..][..per_die].iter().sum()
    }

    /// Returns the superblock of a flash operation, as a number over the whole drive.
    pub fn superblock_of(&self, transaction: &Transaction) -> u32 {
        let DieId(die) = transaction.die;
        die * self.ftl.layout().superblocks_per_die + transaction.superblock
    }

    /// Returns the superblock in which a logical unit lies, as a number over the whole drive.
    pub fn home_of(&self, lpn: u32) -> u32 {
        self.ftl.layout().superblock_of(self.ftl.lookup(Lpn(lpn)))
    }
}

/// Makes the translation layer of a test drive, after the function `change` has put policies of the test into its
/// configuration.
pub fn with_policies(settings: &[&str], change: impl FnOnce(&mut FtlConfig)) -> Ftl {
    let mut document = Document::empty();
    for setting in settings {
        document.set(setting).unwrap_or_else(|error| panic!("{error}"));
    }
    let mut root = Section::root(&document);
    let mut nand = root.child("nand").expect("a section");
    let geometry = nand::Geometry::read(&mut root, &mut nand).expect("a geometry");
    let timing = nand::ArrayTiming::read(&mut nand, &geometry, None).expect("times");
    let support = bus::Support::read(&mut nand).expect("an interface");
    let config = ControllerConfig::read(&mut root).expect("a controller");
    let array = nand::FlashArray::read(&mut nand, &geometry, 1, None, 1).expect("blocks");
    let mut bus = bus::Bus::read(&mut root, &support).expect("a bus");
    let mut section = nand.child("errors").expect("a section");
    let errors = nand::errors::read(&mut section).expect("an error model")();
    let ecc = ecc::EccConfig::read(&mut root, geometry.cell.bits()).expect("a code");
    let mut ftl = FtlConfig::read(&mut root, &geometry, &config).expect("a layer");
    change(&mut ftl);
    let (row, program) = (ftl.layout.row_units, ftl.layout.program_units);
    bus.prepare(None, ftl.layout.unit, units::Bytes::new(0), row, program, program);
    let controller = Controller::new(&config, &geometry, timing, bus, ecc.t_decode);
    let correction = ftl::CorrectionParts {
        ladder: ecc.ladder,
        flow: (ecc.flow)(),
        errors,
        page_types: 1,
        page_bytes: 4096,
        pe_cycles: 0,
    };
    Ftl::new(&ftl, array, controller, &config, correction, 1).expect("it sustains writes")
}
