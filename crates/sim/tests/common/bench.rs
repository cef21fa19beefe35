//! A drive on the bench: the translation layer is given units one by one, without host and link, and all that it does on
//! the flash is written down.

use config::{Document, Section};
use controller::{Context, Controller, ControllerConfig, Kind, Origin, Timed, Transaction, TransactionId};
use engine::Event;
use ftl::{Coverage, Found, Ftl, FtlConfig, Output, Probe, SuperblockState};
use units::{DieId, Lpn, Ppa, SimTime};

/// No request waits for the program.
pub const NO_REQUEST: u32 = u32::MAX;

/// What the layer had done on the flash, in the order in which it was.
#[derive(Default)]
pub struct Log {
    /// Operations as they were queued.
    pub submitted: Vec<Transaction>,
    /// Operations as they ended, with what they took.
    pub finished: Vec<Transaction>,
    /// Programs as they were queued, with the origins of their units.
    pub placed: Vec<(Transaction, Vec<Origin>)>,
    /// Units that found a new home: number, home, whether they were moved there.
    pub committed: Vec<(Lpn, Ppa, bool)>,
}

impl controller::Probe for Log {
    fn on_submit(&mut self, _: TransactionId, transaction: &Transaction) {
        self.submitted.push(*transaction);
    }

    fn on_ride(&mut self, _: TransactionId, _: TransactionId, transaction: &Transaction) {
        self.submitted.push(*transaction);
    }

    fn on_finish(&mut self, _: TransactionId, finished: &Timed) {
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
    /// The operations of a kind and an origin that ended.
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

    /// All units were written before time began.
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

    /// Handles the next event; false when there is none.
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

    /// Goes on to a moment, which need not be that of an event.
    pub fn pass_until(&mut self, ns: u64) {
        self.ctx.calendar.schedule(SimTime::from_ns(ns), Event { kind: ftl::events::FIRST_FREE, index: 0 });
        while self.ctx.calendar.next_time().is_some_and(|next| next.ns() <= ns) && self.pass() {}
    }

    /// Goes on until nothing happens any more.
    pub fn rest(&mut self) {
        while self.pass() {}
    }

    /// Programs all that waits in the buffer, and goes on until nothing happens any more.
    pub fn settle(&mut self) {
        self.ftl.flush(0, &mut self.ctx);
        self.take_outputs();
        self.rest();
    }

    /// Writes a unit as soon as the buffer has room; false when that never comes.
    pub fn write(&mut self, lpn: u32) -> bool {
        self.write_for(NO_REQUEST, lpn, Coverage::Whole)
    }

    /// Writes a unit, or a part of it; `request` waits for its program.
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

    /// The power fails now and comes back at once: `fresh` takes over what the flash holds, and looks for its map.
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

    /// Superblocks of a die that are in one of these states.
    pub fn count(&self, die: u32, states: &[SuperblockState]) -> u32 {
        let per_die = self.ftl.layout().superblocks_per_die as usize;
        let of_die = &self.ftl.superblock_states()[die as usize * per_die..][..per_die];
        of_die.iter().filter(|state| states.contains(state)).count() as u32
    }

    /// Valid units of a die.
    pub fn valid(&self, die: u32) -> u32 {
        let per_die = self.ftl.layout().superblocks_per_die as usize;
        self.ftl.valid_units()[die as usize * per_die..][..per_die].iter().sum()
    }

    /// The superblock, numbered over the drive, that an operation is about.
    pub fn superblock_of(&self, transaction: &Transaction) -> u32 {
        let DieId(die) = transaction.die;
        die * self.ftl.layout().superblocks_per_die + transaction.superblock
    }

    /// The superblock, numbered over the drive, in which a unit lives.
    pub fn home_of(&self, lpn: u32) -> u32 {
        self.ftl.layout().superblock_of(self.ftl.lookup(Lpn(lpn)))
    }
}

/// The layer of a drive, with policies of the test's own.
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
