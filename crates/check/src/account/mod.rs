//! The account itself: its own map, version numbers, block states and counts, fed by events.

#[cfg(test)]
mod faults;
mod operations;
mod power;
mod snapshots;
mod zones;

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

/// Type of the independent checker of a simulated drive: from the run's events it builds its own model of the map, of
/// the version number of each unit's data, of superblock states, times and counts. It panics at the first difference
/// between the drive and this model.
pub struct Checker<B: MapAtFirst> {
    shape: FlashShape,
    clock: Clock,
    ledger: Ledger,
    bytes: Content,
    /// The checker's own map between logical units and physical addresses, independent of the drive's map.
    map: OwnMap<B>,
    /// Number of versions so far, which is also the number of the newest one: each write of a unit by the host and each
    /// trim makes a version.
    versions: u32,
    past: Past,
    /// For each physical address from which data are to be relocated: bit mask of the origins (garbage collection, wear
    /// levelling, ...) for which the address was read since it was last programmed.
    read_by: ByNumber<u64, u16>,
    /// The checker's list, for each program in flight, indexed by the `owner` number of its flash operation: for each
    /// unit of the program, its origin and the physical address or write-buffer slot that its data come from.
    placed: Vec<Vec<(Origin, u64)>>,
    /// Map from each logical unit that read-ahead (prefetching) fetched into RAM to the version number of the fetched
    /// data; unordered, because it is only looked up.
    fetched: HashMap<u32, u32>,
    /// List: number of page rows (multi-plane pages) programmed in each superblock since its last erase.
    rows: Vec<u32>,
    /// The checker's list with a flag for each superblock: true if the superblock is in SLC mode (one bit in each
    /// cell).
    one_bit: Vec<bool>,
    /// List with a flag for each logical unit of the host: true if the unit held data when the run began or, after a
    /// power cut, when the drive had recovered.
    beginning: Vec<bool>,
    requests_in: u64,
    requests_out: u64,
    submitted: u64,
    finished: u64,
    /// The checker's model of which acknowledged writes, flushes and trims must survive a power cut.
    durability: Durability,
    /// The checker's model of parity over dies (RAID-like stripes); `None` on a drive without parity.
    stripes: Option<StripeAccount>,
    trims: TrimAccount,
    failures: FailedDies,
}

impl<B: MapAtFirst> Checker<B> {
    /// Makes a checker whose own model of the drive starts from the map, counts and snapshots that `drive` has now.
    ///
    /// # Errors
    /// When the checker cannot read the drive's configuration keys.
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
                checker.durability.survival.keep_trims(0);
            } else if let Some(zones) = zones {
                let first = zones.offset / unit;
                checker.durability.survival.keep_trims(first as u32);
            }
        }
        if zones.is_some() && drive.is_draining() {
            checker.begin_with_buffer(drive);
        }
        Ok(checker)
    }

    /// Notes in the checker's model that the measured window, the part of the run from which results are taken, begins
    /// at `now`.
    pub fn on_window(&mut self, now: SimTime) {
        self.ledger.on_window(&self.clock, now);
    }

    /// Notes in the checker's model that a host request, with number `id`, has arrived at the drive.
    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        self.requests_in += 1;
        self.map.outgrow();
        self.durability.on_request(id, request);
        self.ledger.on_request(id, request);
        self.trims.on_request(id, request);
        assert_eq!(request.offset % 512, 0, "requests begin at a sector");
    }

    /// Notes that the data of unit `lpn` of write request `id` are about to enter the drive's write buffer.
    pub fn on_data(&mut self, id: u32, request: &HostRequest, lpn: Lpn) {
        self.durability.on_data(id, lpn);
        self.ledger.on_data(id, request);
        self.bytes.on_data(request.offset, u64::from(request.bytes));
    }

    /// Notes in the checker's model that a host request is answered, and checks, for a read or write answered without
    /// error, that the parts of its latency, `stages` in ns, sum up to the whole.
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

    /// Notes in the checker's model of times that a flash operation has held its channel for `usage` from the first to
    /// the second time of `time`, and checks this time.
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

    /// Notes in the checker's model of times that the flash array of a die has worked (sense, program or erase) on a
    /// flash operation from `from` to `to`, and checks this time.
    pub fn on_array(&mut self, id: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        self.clock.on_array(id, transaction, from, to);
    }

    fn superblock(&self, transaction: &Transaction) -> usize {
        transaction.die.index() * self.shape.superblocks_per_die as usize + transaction.superblock as usize
    }

    /// Returns the physical address of the first mapping unit in the page row that a flash read or program addresses.
    fn first_unit(&self, transaction: &Transaction) -> Ppa {
        let superblock = self.superblock(transaction);
        Ppa(self.shape.first_ppa(superblock) + u64::from(transaction.row * self.shape.row_units))
    }

    /// Notes that a flash operation was submitted, and checks that it is allowed: a read needs a programmed page row,
    /// and programs and erases must keep the order that parity needs.
    pub fn on_submit(&mut self, id: TransactionId, transaction: &Transaction) {
        self.clock.on_submit(id, transaction);
        if transaction.kind == Kind::Program {
            let placed = self.placed.get(transaction.owner as usize).into_iter().flatten();
            let slots = placed.filter(|(origin, _)| *origin == Origin::Host);
            slots.for_each(|(_, slot)| self.bytes.on_program(*slot as u32, transaction.queued));
        }
        self.note_submitted(transaction);
    }

    /// Notes that a flash read was submitted that shares the array read (sense) of another flash read, `carrier`, and
    /// gets its units from that read's data.
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

    /// Notes that the dies in `dies` have failed as a whole, as the run planned, and answer no more.
    pub fn on_dies_failed(&mut self, dies: &[u32]) {
        self.failures.on_dies_failed(dies);
    }

    /// Returns the logical unit, and the version number of its data, that were programmed last at physical address
    /// `ppa`, by the checker's own map.
    fn there(&self, ppa: Ppa) -> (u32, u32) {
        let place = self.map.place(ppa);
        (place.stored, place.version)
    }

    /// Returns, from the checker's own map, the version number of the data that were programmed last at physical
    /// address `ppa`.
    fn held(&self, ppa: Ppa) -> u32 {
        self.map.place(ppa).version
    }

    /// Notes that the host data of unit `lpn` were programmed: the drive's map has the newest version of the unit at
    /// physical address `new` from now on, instead of at `old`. Checks that this version is there.
    pub fn on_commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        let version = self.map.unit(lpn).version;
        self.ledger.on_commit(lpn);
        self.commit(lpn, new, old, version, false);
        self.durability.on_commit(lpn, version);
    }

    /// Notes in the checker's own map that unit `lpn` was moved on flash from physical address `old` to `new`, for
    /// instance by garbage collection.
    pub fn on_moved(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        // Asked as for a change, which follows: the map of the start of the run is looked up once.
        let version = self.map.place_mut(old).version;
        self.commit(lpn, new, old, version, true);
    }

    /// Notes in the checker's own map that an older version of unit `lpn` was programmed or moved while newer writes of
    /// the unit are already in the write buffer: the drive's map has the unit at `new` from now on, instead of at
    /// `old`, until the newer data are programmed.
    pub fn on_overtaken(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if self.map.place(new).holder == lpn.0 && self.past.sees(lpn, self.held(new)) {
            self.leave(new); // A snapshot saw it until now.
        }
        self.commit(lpn, new, old, self.held(new), false);
    }

    fn commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa, version: u32, moved: bool) {
        assert_eq!(self.map.unit_mut(lpn).home, old, "{lpn} did not live at {old}");
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
        if old != Ppa::NONE {
            let version = self.map.place_mut(old).version;
            if moved || !self.past.sees(lpn, version) {
                self.leave(old);
            }
        }
        self.map.unit_mut(lpn).home = new;
        self.put(lpn, new);
    }

    /// Marks physical address `ppa` as valid, holding unit `lpn`, in the checker's own map: the checker reports an
    /// error if its superblock is erased while it is valid.
    fn put(&mut self, lpn: Lpn, ppa: Ppa) {
        self.map.place_mut(ppa).holder = lpn.0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_held(self.shape.superblock_of(ppa));
        }
    }

    /// Marks physical address `ppa` as invalid in the checker's own map: its data are no longer needed, so that its
    /// superblock may be erased.
    fn leave(&mut self, ppa: Ppa) {
        self.map.place_mut(ppa).holder = NOTHING;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_left(self.shape.superblock_of(ppa));
        }
    }

    /// Notes that the drive trimmed unit `lpn`, which was at physical address `old` until now.
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

    /// Notes that `superblock` was erased, and checks that it held no valid data.
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

    /// Notes that the host reads unit `lpn` at physical address `ppa`, and checks that the newest version of the unit,
    /// sector by sector, is there.
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

    /// Notes that read-ahead reads unit `lpn` at physical address `ppa` into RAM, and checks that its newest version is
    /// there.
    pub fn on_fetch(&mut self, lpn: Lpn, ppa: Ppa) {
        self.check_host_read(lpn, ppa);
        self.fetched.insert(lpn.0, self.held(ppa));
    }

    /// Checks that the data of unit `lpn` that a host read gets from the read-ahead area in RAM (prefetched data) are
    /// still the newest version of the unit.
    pub fn on_fetched_read(&mut self, lpn: Lpn) {
        assert_eq!(
            self.fetched.get(&lpn.0),
            Some(&self.map.unit(lpn).version),
            "{lpn} was written or trimmed after what the host is given was read ahead"
        );
    }

    /// Notes that the host writes unit `lpn`; the write gets a new version number, by which the checker recognises its
    /// data on flash.
    pub fn on_host_write(&mut self, lpn: Lpn) {
        self.versions += 1;
        self.bytes.on_write(lpn, self.versions, self.map.unit(lpn).content);
        self.ledger.on_host_write(lpn);
        self.map.unit_mut(lpn).version = self.versions;
        self.map.unit_mut(lpn).content = self.versions;
        self.durability.on_version(lpn, self.map.unit(lpn).version);
    }

    /// Notes that the data of unit `lpn` in `slot` of the write buffer were programmed after a newer version arrived:
    /// no map entry points to them, but recovery after a power cut would find them.
    pub fn on_outdated(&mut self, lpn: Lpn, slot: u32) {
        self.durability.on_outdated(lpn, slot);
    }

    /// Notes that a partial write in `slot` of the write buffer (an entry for one unit) is completed to a whole unit:
    /// the sectors that the host did not write are copied from slot `from`, which holds older data of the unit.
    pub fn on_rest(&mut self, slot: u32, from: u32) {
        self.bytes.on_rest(slot, from);
    }

    /// Notes that `slot` of the write buffer now caches, for later reads, the data of unit `lpn` as read from physical
    /// address `ppa`.
    pub fn on_kept(&mut self, lpn: Lpn, slot: u32, ppa: Ppa) {
        self.ledger.on_kept(slot);
        self.bytes.on_kept(lpn, slot, self.held(ppa), ppa);
    }

    /// Notes that data that the host wrote of unit `lpn` are now in `slot` of the write buffer (an entry for one unit).
    /// `rest` is the slot from which the sectors that a partial write lacks are copied, if there is one.
    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, rest: Option<u32>) {
        self.ledger.on_buffered(lpn, slot, rest);
        self.bytes.on_buffered(lpn, slot, self.map.unit(lpn).version, rest);
        self.durability.on_buffered(slot, self.map.unit(lpn).version);
    }

    /// Checks that the results of the measured window (the part of the run after the ramp time) agree with the times
    /// and counts that the checker collected.
    pub fn compare(&self, result: &Value, now: SimTime) {
        self.ledger.compare(result, &self.clock, now);
    }

    /// Checks at the end of a run that the drive agrees with the checker's own model: counts, busy times, map and
    /// snapshots. `outstanding` is the number of host requests still in flight; flash operations may be in flight too.
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

    /// Checks that the drive's map, the logical units named in the spare areas of its pages, and its counts of valid
    /// units agree with the checker's own map.
    pub fn settle_map(&self, drive: &impl Examined<Beginning = B>) {
        self.map.settle(drive);
    }
}
