//! The account itself: its own map, version numbers, block states and counts, fed by events.

#[cfg(test)]
mod faults;
mod operations;
mod power;
mod snapshots;

use crate::clock::Clock;
use crate::content::{BEFORE, Content};
use crate::durability::Durability;
use crate::examined::{Answered, Examined, MapAtFirst};
use crate::failures::FailedDies;
use crate::ledger::{Ledger, Measured};
use crate::numbers::Numbers;
use crate::own_map::{NOTHING, OwnMap};
use crate::past::{EMPTY, Past};
use crate::shape::FlashShape;
use crate::stripes::StripeAccount;
use crate::trims::TrimAccount;
use config::ConfigError;
use controller::{ChannelUse, Kind, Origin, Transaction, TransactionId};
use engine::ByNumber;
use host::{CompletionStatus, HostRequest};
use serde_json::Value;
use std::collections::HashMap;
use units::{ChannelId, Lpn, Ppa, SimTime};

/// The account of a drive: its own map, version numbers, block states and counts.
pub struct Checker<B: MapAtFirst> {
    shape: FlashShape,
    clock: Clock,
    ledger: Ledger,
    bytes: Content,
    /// The account's own map of logical units and places, and the number of versions so far.
    map: OwnMap<B>,
    versions: u32,
    past: Past,
    /// Origins of the reads of each place since it was programmed, one bit for each origin; kept only for places that a
    /// unit was moved from.
    read_by: ByNumber<u64, u16>,
    /// By the owner of each program in flight: the origin of each of its units, and the place or slot that the unit
    /// comes from.
    placed: Vec<Vec<(Origin, u64)>>,
    /// The version of each unit that was read ahead; unordered, because it is only looked up.
    fetched: HashMap<u32, u32>,
    /// Page rows programmed of each superblock.
    rows: Vec<u32>,
    /// Superblocks whose cells hold one bit each.
    one_bit: Vec<bool>,
    /// Host units that held data when time began, or after the last power cut.
    beginning: Vec<bool>,
    requests_in: u64,
    requests_out: u64,
    submitted: u64,
    finished: u64,
    /// What the drive has promised to survive a power cut.
    durability: Durability,
    /// The account of the parity, on a drive that has parity.
    stripes: Option<StripeAccount>,
    trims: TrimAccount,
    failures: FailedDies,
}

impl<B: MapAtFirst> Checker<B> {
    /// Makes an account that begins with what the drive holds now.
    ///
    /// # Errors
    /// When the drive's own numbers cannot be read once more.
    pub fn new(drive: &impl Examined<Beginning = B>, measured: Measured) -> Result<Self, ConfigError> {
        let facts = drive.facts();
        let numbers = Numbers::new(&facts)?;
        let (shape, promise, zones) = (facts.shape.clone(), facts.promise, facts.space.zones);
        let clock = Clock::new(numbers, shape.dies);
        let (unit, superblocks) = (shape.unit_bytes, shape.superblocks());
        let mut checker = Self {
            ledger: Ledger::new(drive.counted(), unit, clock.busy(SimTime::ZERO), measured)
                .of_parts(&facts.space),
            clock,
            bytes: match drive.is_draining() {
                true => Content::of_filled(unit),
                false => Content::new(unit),
            },
            map: OwnMap::of(drive, &shape),
            read_by: ByNumber::default(),
            placed: Vec::new(),
            versions: 0,
            past: Past::default(),
            fetched: HashMap::new(),
            rows: (0..superblocks).map(|superblock| drive.rows_programmed(superblock)).collect(),
            one_bit: (0..superblocks).map(|superblock| drive.holds_one_bit(superblock)).collect(),
            beginning: Vec::new(),
            requests_in: 0,
            requests_out: 0,
            submitted: 0,
            finished: 0,
            durability: Durability::of(promise),
            stripes: facts.stripe.map(|width| StripeAccount::new(drive, &shape, width)),
            trims: TrimAccount::of(&shape, zones, drive.snapshots().as_deref()),
            failures: FailedDies::of(&facts),
            shape,
        };
        checker.begin_with_snapshots(drive);
        if promise.is_cut {
            // What a cut leaves is found by going through all of it.
            checker.map.make_all();
            checker.beginning = checker.map.hosts().map(|unit| unit.home != Ppa::NONE).collect();
            checker.durability.expect_cuts();
            if promise.keeps_trims {
                checker.durability.survival.keep_trims();
            }
        }
        Ok(checker)
    }

    /// Notes that the measured window begins now.
    pub fn on_window(&mut self, now: SimTime) {
        self.ledger.on_window(&self.clock, now);
    }

    /// Notes that a request of the host arrived.
    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        self.requests_in += 1;
        self.map.outgrow();
        self.durability.on_request(id, request);
        self.ledger.on_request(id, request);
        self.trims.on_request(id, request);
        assert_eq!(request.offset % 512, 0, "requests begin at a sector");
    }

    /// Notes that the data of one unit of a write are about to enter the drive.
    pub fn on_data(&mut self, id: u32, request: &HostRequest, lpn: Lpn) {
        self.durability.on_data(id, lpn);
        self.ledger.on_data(id, request);
        self.bytes.on_data(request.offset, u64::from(request.bytes));
    }

    /// Notes that a request is answered; `stages` are what its latency is made of.
    pub fn on_complete(&mut self, request: &Answered<'_>, now: SimTime, stages: &[u64]) {
        self.requests_out += 1;
        self.durability.on_complete(request);
        self.failures.on_complete(request);
        for lpn in self.trims.on_answered(request.id, (!request.failed).then_some(request.host)) {
            self.durability.on_trimmed(lpn);
        }
        let status = if request.failed { CompletionStatus::Failed } else { CompletionStatus::Success };
        self.ledger.on_complete(request.id, request.host, status, now);
        let latency = now.since(request.host.arrive).ns();
        let explained: u64 = stages.iter().sum();
        assert!(
            request.failed || request.host.op.effect() as u8 > 1 || explained == latency,
            "the stages {stages:?} of a {} of {latency} ns add up to {explained} ns",
            request.host.op.name()
        );
    }

    /// Notes that an operation has held its channel for so long.
    pub fn on_channel(
        &mut self,
        channel: ChannelId,
        id: TransactionId,
        transaction: &Transaction,
        usage: ChannelUse,
        time: (SimTime, SimTime),
    ) {
        self.clock.on_channel(channel.index(), id, transaction, usage, time);
    }

    /// Notes that an operation has held the array of its die for so long.
    pub fn on_array(&mut self, id: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        self.clock.on_array(id, transaction, from, to);
    }

    fn superblock(&self, transaction: &Transaction) -> usize {
        transaction.die.index() * self.shape.superblocks_per_die as usize + transaction.superblock as usize
    }

    /// Returns the first of the units that a read or program of a page row is about.
    fn first_unit(&self, transaction: &Transaction) -> Ppa {
        let superblock = self.superblock(transaction);
        Ppa(self.shape.first_ppa(superblock) + u64::from(transaction.row * self.shape.row_units))
    }

    /// Notes that an operation was submitted.
    pub fn on_submit(&mut self, id: TransactionId, transaction: &Transaction) {
        self.clock.on_submit(id, transaction);
        self.note_submitted(transaction);
    }

    /// Notes that a read was submitted that rides on the array read of another.
    pub fn on_ride(&mut self, carrier: TransactionId, id: TransactionId, transaction: &Transaction) {
        self.clock.on_ride(carrier, id, transaction);
        self.note_submitted(transaction);
    }

    fn note_submitted(&mut self, transaction: &Transaction) {
        self.submitted += 1;
        let is_part = transaction.kind == Kind::Read && transaction.origin == Origin::Host;
        if transaction.superblock == Transaction::NOWHERE {
            if is_part {
                self.ledger.on_host_part(transaction, Ppa::NONE);
            }
            return;
        }
        if is_part {
            self.ledger.on_host_part(transaction, self.first_unit(transaction));
        }
        let at = self.superblock(transaction);
        if let Some(stripes) = &mut self.stripes {
            stripes.on_submit(transaction, at);
        }
        if transaction.kind == Kind::Read {
            let superblock = self.superblock(transaction);
            assert!(
                transaction.row < self.rows[superblock],
                "row {} of superblock {superblock} is read before it is programmed",
                transaction.row
            );
        }
    }

    /// Notes that these dies answer no more.
    pub fn on_dies_failed(&mut self, dies: &[u32]) {
        self.failures.on_dies_failed(dies);
    }

    /// Returns the unit and the version that were programmed at `ppa` last.
    fn there(&self, ppa: Ppa) -> (u32, u32) {
        let place = self.map.place(ppa);
        (place.stored, place.version)
    }

    /// Returns the version that is held at `ppa`.
    fn held(&self, ppa: Ppa) -> u32 {
        self.map.place(ppa).version
    }

    /// Notes that the newest version of a unit lives at `new` from now on.
    pub fn on_commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        let version = self.map.unit(lpn).version;
        self.ledger.on_commit(lpn);
        self.commit(lpn, new, old, version, false);
        self.durability.on_commit(lpn, version);
    }

    /// Notes that a unit was moved.
    pub fn on_moved(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        self.commit(lpn, new, old, self.held(old), true);
    }

    /// Notes that the version of a unit that is on flash now is older than its newest, by one write or more.
    pub fn on_overtaken(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if self.map.place(new).holder == lpn.0 && self.past.sees(lpn, self.held(new)) {
            self.leave(new); // A snapshot saw it until now.
        }
        self.commit(lpn, new, old, self.held(new), false);
    }

    fn commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa, version: u32, moved: bool) {
        assert_eq!(self.map.unit(lpn).home, old, "{lpn} did not live at {old}");
        assert_eq!(self.map.place(new).holder, NOTHING, "{new} holds something already");
        let superblock = self.shape.superblock_of(new);
        let row = self.shape.row_of(new);
        assert!(row < self.rows[superblock], "{lpn} moved to {new}, which is not programmed");
        if self.shape.is_host_unit(lpn) && self.map.place(new).stored != BEFORE.0 {
            self.bytes.on_commit(new);
            let there = self.there(new);
            assert_eq!(
                there,
                (lpn.0, version),
                "{lpn} is said to be at {new}: another unit or version is, or one that was never read"
            );
        }
        // What a snapshot sees stays where it is, unless it was moved.
        if old != Ppa::NONE && (moved || !self.past.sees(lpn, self.held(old))) {
            self.leave(old);
        }
        self.map.unit_mut(lpn).home = new;
        self.put(lpn, new);
    }

    /// Makes a unit valid at `ppa`, which may not be erased from then on.
    fn put(&mut self, lpn: Lpn, ppa: Ppa) {
        self.map.place_mut(ppa).holder = lpn.0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_held(self.shape.superblock_of(ppa));
        }
    }

    /// Notes that the data at `ppa` are not needed.
    fn leave(&mut self, ppa: Ppa) {
        self.map.place_mut(ppa).holder = NOTHING;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_left(self.shape.superblock_of(ppa));
        }
    }

    /// Notes that the drive forgot a unit.
    pub fn on_trim(&mut self, lpn: Lpn, old: Ppa) {
        assert_eq!(self.map.unit(lpn).home, old, "{lpn} did not live at {old}");
        self.versions += 1;
        self.map.unit_mut(lpn).version = self.versions;
        self.map.unit_mut(lpn).content = EMPTY;
        self.bytes.on_trim(lpn);
        self.trims.on_trim(lpn);
        self.durability.on_trim(lpn, self.map.unit(lpn).version);
        if old != Ppa::NONE {
            if !self.past.sees(lpn, self.held(old)) {
                self.leave(old);
            }
            self.map.unit_mut(lpn).home = Ppa::NONE;
        }
    }

    /// Notes that a superblock was erased.
    pub fn on_erase(&mut self, superblock: usize) {
        let first = self.shape.first_ppa(superblock);
        let mut places = (first..first + u64::from(self.shape.superblock_units())).map(Ppa);
        assert!(
            places.all(|ppa| self.map.place(ppa).holder == NOTHING),
            "superblock {superblock} was erased with data"
        );
        self.rows[superblock] = 0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_erase(superblock);
        }
        self.bytes.on_erase(first, self.shape.superblock_units());
    }

    /// Notes that the host reads a unit where it lives.
    pub fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        self.check_host_read(lpn, ppa);
        self.ledger.on_host_read(ppa);
    }

    fn check_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        self.bytes.on_host_read(lpn, ppa);
        assert_eq!(self.map.unit(lpn).home, ppa, "{lpn} was read at {ppa}, where it does not live");
        assert_eq!(
            self.held(ppa),
            self.map.unit(lpn).version,
            "{lpn} was read at {ppa}, which holds an older version"
        );
    }

    /// Notes that read-ahead reads the version of a unit at `ppa`; it stays in RAM until the host asks for
    /// it.
    pub fn on_fetch(&mut self, lpn: Lpn, ppa: Ppa) {
        self.check_host_read(lpn, ppa);
        self.fetched.insert(lpn.0, self.held(ppa));
    }

    /// Notes that the host is given what was read ahead of a unit.
    pub fn on_fetched_read(&mut self, lpn: Lpn) {
        assert_eq!(
            self.fetched.get(&lpn.0),
            Some(&self.map.unit(lpn).version),
            "{lpn} was written or trimmed after what the host is given was read ahead"
        );
    }

    /// Notes that the host writes a unit.
    pub fn on_host_write(&mut self, lpn: Lpn) {
        self.versions += 1;
        self.bytes.on_write(lpn, self.versions, self.map.unit(lpn).content);
        self.ledger.on_host_write(lpn);
        self.map.unit_mut(lpn).version = self.versions;
        self.map.unit_mut(lpn).content = self.versions;
        self.durability.on_version(lpn, self.map.unit(lpn).version);
    }

    /// Notes that the data in a slot were programmed after a newer version came: no map entry points to them,
    /// but a recovery would find them.
    pub fn on_outdated(&mut self, lpn: Lpn, slot: u32) {
        self.durability.on_outdated(lpn, slot);
    }

    /// Notes that a slot gets the part of its unit that it lacks from another slot.
    pub fn on_rest(&mut self, slot: u32, from: u32) {
        self.bytes.on_rest(slot, from);
    }

    /// Notes that a slot keeps what was read at `ppa`.
    pub fn on_kept(&mut self, lpn: Lpn, slot: u32, ppa: Ppa) {
        self.ledger.on_kept(slot);
        self.bytes.on_kept(lpn, slot, self.held(ppa), ppa);
    }

    /// Notes that a slot of the buffer holds data that the host wrote; `rest` names the slot that has the
    /// rest of the unit.
    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, rest: Option<u32>) {
        self.ledger.on_buffered(lpn, slot, rest);
        self.bytes.on_buffered(lpn, slot, self.map.unit(lpn).version, rest);
        self.durability.on_buffered(slot, self.map.unit(lpn).version);
    }

    /// Checks that the results agree with the account on the measured window.
    pub fn compare(&self, result: &Value, now: SimTime) {
        self.ledger.compare(result, &self.clock, now);
    }

    /// Compares drive and account at the end of a run. It allows for the operations in flight of a drive that
    /// has not come to rest.
    pub fn settle(&self, drive: &impl Examined<Beginning = B>, outstanding: u32, now: SimTime) {
        assert_eq!(
            self.requests_in,
            self.requests_out + u64::from(outstanding),
            "requests in = requests out"
        );
        self.ledger.settle(&drive.counted(), |origin| self.clock.decoding(origin, now));
        self.clock.settle(&drive.busy(now), now);
        assert!(self.finished <= self.submitted, "no operation finishes that was not submitted");
        self.settle_map(drive);
        self.settle_snapshots(drive);
    }

    /// Checks that the drive's map, its spare areas and its valid counts agree with the account.
    pub fn settle_map(&self, drive: &impl Examined<Beginning = B>) {
        self.map.settle(drive);
    }
}
