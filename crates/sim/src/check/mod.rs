//! The checker: an observer that keeps its own account of the drive and stops the run at the first
//! difference. It shares no state with what it checks.
//!
//! - `clock`: how long channels and arrays take, by the numbers of chip and interface, and in which order.
//! - `numbers`: those numbers, read and worked out once more.
//! - `ledger`: what goes in comes out, by origin and by request.
//! - `content`: whose bytes are whose.
//! - `own_map`: where everything is.
//! - `survival`: what must be there after a power cut; `power`: what a cut does to the account.
//! - `failures`: what dies that failed may take along.
//! - `trims`: what was trimmed is forgotten.

mod clock;
mod content;
mod failures;
#[cfg(test)]
mod faults;
mod ledger;
mod numbers;
mod own_map;
mod parts;
mod power;
mod survival;
mod trims;

use crate::durability::Durability;
use crate::measure::STAGES;
use crate::past::{EMPTY, Past};
use crate::requests::Request;
use crate::stripes::StripeAccount;
use crate::{Drive, Error};
use clock::Clock;
use content::Content;
use controller::{ChannelUse, Kind, Origin, Transaction, TransactionId};
use engine::ByNumber;
use failures::Failures;
use ftl::compatibility::Feature;
use ftl::snapshots::Snapshots;
use ftl::{Ftl, Layout, Seen, SnapshotEvent};
use host::HostRequest;
pub(crate) use ledger::Measured;
use ledger::{Answer, Ledger};
use numbers::Numbers;
use own_map::{OwnMap, Place};
use serde_json::Value;
use std::collections::HashMap;
pub(crate) use survival::Survival;
use trims::Trims;
use units::{ChannelId, Lpn, Ppa, SimTime};

const NOTHING: u32 = u32::MAX;

/// Its own map, version numbers, block states and counts.
pub(crate) struct Checker {
    layout: Layout,
    clock: Clock,
    ledger: Ledger,
    bytes: Content,
    /// Each logical unit and each place; how many versions there were.
    map: OwnMap,
    versions: u32,
    past: Past,
    /// On whose behalf places were read since they were programmed, one bit for each; of the ones that something was moved
    /// from alone.
    read_by: ByNumber<u64, u16>,
    /// What programs in flight put on flash, by their owners: on whose behalf, and from where.
    placed: Vec<Vec<(Origin, u64)>>,
    /// The version that was fetched of a unit before the host asked for it; unordered, for it is only looked up.
    fetched: HashMap<u32, u32>,
    /// Page rows programmed of each superblock.
    rows: Vec<u32>,
    /// Superblocks whose cells hold one bit each.
    one_bit: Vec<bool>,
    /// Host units that held something when time began, or after the last power cut.
    beginning: Vec<bool>,
    requests_in: u64,
    requests_out: u64,
    submitted: u64,
    finished: u64,
    /// What was promised to survive a power cut.
    pub durability: Durability,
    /// What parity promises, where there is any.
    stripes: Option<StripeAccount>,
    trims: Trims,
    failures: Failures,
}

impl Checker {
    /// An account that begins with what the drive holds now.
    ///
    /// # Errors
    /// When the drive's own numbers cannot be read once more.
    pub fn new(drive: &Drive, ftl: &Ftl, measured: Measured) -> Result<Self, Error> {
        let layout = ftl.layout().clone();
        let clock = Clock::new(Numbers::new(drive, ftl)?, drive.geometry().channels, layout.dies);
        let mut checker = Self {
            ledger: Ledger::new(ftl, clock.busy(SimTime::ZERO), measured).of_parts(&drive.space()),
            clock,
            bytes: match ftl.buffer().is_draining() {
                true => Content::of_filled(layout.unit.get()),
                false => Content::new(layout.unit.get()),
            },
            map: OwnMap::of(ftl, &layout),
            read_by: ByNumber::default(),
            placed: Vec::new(),
            versions: 0,
            past: Past::default(),
            fetched: HashMap::new(),
            rows: (0..layout.superblocks()).map(|superblock| ftl.array().next_row(superblock)).collect(),
            one_bit: (0..layout.superblocks()).map(|superblock| ftl.holds_one_bit(superblock)).collect(),
            beginning: Vec::new(),
            requests_in: 0,
            requests_out: 0,
            submitted: 0,
            finished: 0,
            durability: Durability::of(ftl),
            stripes: ftl.feature::<ftl::Stripes>().map(|parity| StripeAccount::new(ftl, parity.stripe() + 1)),
            trims: Trims::of(ftl),
            failures: Failures::of(drive, ftl),
            layout,
        };
        checker.begin_with_snapshots(ftl);
        if drive.has_power_cuts() {
            // What a cut leaves is found by going through all of it.
            checker.map.make_all();
            checker.beginning = checker.map.hosts().map(|unit| unit.home != Ppa::NONE).collect();
            checker.durability.expect_cuts();
            if drive.has(Feature::DeterministicTrim) {
                checker.durability.survival.keep_trims();
            }
        }
        Ok(checker)
    }

    /// What snapshots see of a drive that was saved with them: other versions than the drive has now.
    fn begin_with_snapshots(&mut self, ftl: &Ftl) {
        let Some(snapshots) = ftl.feature::<Snapshots>() else { return };
        // They are compared unit by unit.
        self.map.make_all();
        for snapshot in snapshots.kept() {
            let mut content = vec![EMPTY; self.layout.logical_units as usize];
            for (lpn, content) in content.iter_mut().enumerate() {
                let seen = ftl.lookup_in(snapshot.serial, Lpn(lpn as u32)).expect("it is kept");
                let Seen::At(ppa) = seen else { continue };
                let place = self.map.place_mut(ppa);
                if place.holder == NOTHING {
                    self.versions += 1;
                    *place = Place { holder: lpn as u32, stored: lpn as u32, version: self.versions };
                }
                assert_eq!(place.holder, lpn as u32, "two units live at {ppa}");
                *content = place.version;
            }
            self.past.begin_with(snapshot.serial, content);
        }
    }

    /// What is measured begins now.
    pub fn on_window(&mut self, now: SimTime) {
        self.ledger.on_window(&self.clock, now);
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        self.requests_in += 1;
        self.map.outgrow();
        self.durability.on_request(id, request);
        self.ledger.on_request(id, request);
        self.trims.on_request(id, request);
        assert_eq!(request.offset % 512, 0, "requests begin at a sector");
    }

    /// The data of one unit of a write are about to enter the drive.
    pub fn on_data(&mut self, id: u32, request: &HostRequest, lpn: Lpn) {
        self.durability.on_data(id, lpn);
        self.ledger.on_data(id, request);
        self.bytes.on_data(request.offset, u64::from(request.bytes));
    }

    pub fn on_complete(&mut self, request: &Request, now: SimTime, stages: &[u64; STAGES.len() + 1]) {
        self.requests_out += 1;
        self.durability.on_complete(request);
        self.failures.on_complete(request);
        for lpn in self.trims.on_answered(request.id, (!request.failed).then_some(&request.host)) {
            self.durability.on_trimmed(lpn);
        }
        let answer = if request.failed { Answer::Error } else { Answer::Done };
        self.ledger.on_complete(request.id, &request.host, answer, now);
        let latency = now.since(request.host.arrive).ns();
        let explained: u64 = stages.iter().sum();
        assert!(
            request.failed || request.host.op.effect() as u8 > 1 || explained == latency,
            "the stages {stages:?} of a {} of {latency} ns add up to {explained} ns",
            request.host.op.name()
        );
    }

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

    pub fn on_array(&mut self, id: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        self.clock.on_array(id, transaction, from, to);
    }

    fn superblock(&self, transaction: &Transaction) -> usize {
        transaction.die.index() * self.layout.superblocks_per_die as usize + transaction.superblock as usize
    }

    /// The first of the units that a read or program of a page row is about.
    fn first_unit(&self, transaction: &Transaction) -> Ppa {
        let superblock = self.superblock(transaction) as u32;
        Ppa(self.layout.first_ppa(superblock) + u64::from(transaction.row * self.layout.row_units))
    }

    pub fn on_submit(&mut self, id: TransactionId, transaction: &Transaction) {
        self.clock.on_submit(id, transaction);
        self.note_submitted(transaction);
    }

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

    /// A program is about to be submitted: where each of its units comes from. What is moved must have been read; what was
    /// not, or was written anew since, is nothing, which the map may not come to name.
    pub fn on_place(&mut self, transaction: &Transaction, units: u32, source: impl Fn(u32) -> (Origin, u64)) {
        let first = self.first_unit(transaction);
        let owner = transaction.owner as usize;
        if self.placed.len() <= owner {
            self.placed.resize(owner + 1, Vec::new());
        }
        for unit in 0..units {
            let (ppa, (origin, from)) = (Ppa(first.0 + u64::from(unit)), source(unit));
            self.placed[owner].push((origin, from));
            self.read_by.remove(&ppa.0);
            let (stored, version) = match origin {
                Origin::Host => {
                    let (lpn, version) = self.bytes.on_place(from as u32, ppa);
                    (lpn.0, version)
                }
                Origin::Map | Origin::Padding | Origin::Parity => (NOTHING, 0),
                // Overtaken, and erased where it was: a copy that is not needed.
                _ if Ppa(from) == Ppa::NONE => (NOTHING, 0),
                _ => self.moved(transaction, origin, Ppa(from), ppa),
            };
            let place = self.map.place_mut(ppa);
            (place.stored, place.version) = (stored, version);
        }
    }

    /// The unit and version that a program moves.
    fn moved(&mut self, transaction: &Transaction, origin: Origin, old: Ppa, new: Ppa) -> (u32, u32) {
        let in_die = transaction.kind == Kind::Copyback;
        let read_by = self.read_by.get(&old.0).copied().unwrap_or(0);
        if !in_die && read_by >> origin as u16 & 1 == 0 {
            return (NOTHING, 0);
        }
        self.bytes.on_move(old, new);
        self.there(old)
    }

    /// These dies answer no more.
    pub fn on_dies_failed(&mut self, dies: &[u32]) {
        self.failures.on_dies_failed(dies);
    }

    /// What was programmed at `ppa` last: unit and version.
    fn there(&self, ppa: Ppa) -> (u32, u32) {
        let place = self.map.place(ppa);
        (place.stored, place.version)
    }

    /// The version that is held at `ppa`.
    fn held(&self, ppa: Ppa) -> u32 {
        self.map.place(ppa).version
    }

    pub fn on_finish(&mut self, id: TransactionId, transaction: &Transaction) {
        self.clock.on_finish(id, transaction);
        self.finished += 1;
        match transaction.kind {
            Kind::Read => self.note_read(transaction),
            Kind::Program | Kind::Copyback => self.note_programmed(transaction),
            Kind::Erase => self.ledger.on_erased(transaction, self.layout.planes),
        }
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let superblock = self.superblock(transaction);
        match transaction.kind {
            Kind::Read => {
                assert!(
                    transaction.row < self.rows[superblock],
                    "row {} of superblock {superblock} was erased while it was read",
                    transaction.row
                );
                let held = self.one_bit[superblock];
                assert_eq!(
                    transaction.slc, held,
                    "superblock {superblock}: read in another mode than programmed"
                );
            }
            Kind::Program | Kind::Copyback => {
                self.check_mode(superblock, transaction.slc && transaction.kind == Kind::Program);
                assert_eq!(
                    transaction.row, self.rows[superblock],
                    "superblock {superblock}: rows out of order"
                );
                self.rows[superblock] += transaction.rows;
            }
            Kind::Erase => {}
        }
    }

    /// The data of a read are out.
    fn note_read(&mut self, transaction: &Transaction) {
        self.ledger.on_read(transaction);
        if transaction.origin == Origin::Host {
            self.ledger.on_host_part_read(transaction, self.clock.decoded(transaction));
        }
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let first = self.first_unit(transaction);
        let ppa = Ppa(first.0 + u64::from(transaction.mask.trailing_zeros()));
        let (stored, version) = self.there(ppa);
        let superblock = self.superblock(transaction);
        self.failures.on_read(transaction, superblock, Lpn(stored), &self.rows, self.stripes.as_ref());
        if Content::completes(transaction) {
            return self.bytes.on_rest_read(transaction.owner, ppa, (Lpn(stored), version));
        }
        if matches!(transaction.origin, Origin::Host | Origin::ReadAhead) {
            return; // Nothing is moved for these.
        }
        let mut mask = transaction.mask;
        while mask != 0 {
            let ppa = first.0 + u64::from(mask.trailing_zeros());
            *self.read_by.entry(ppa).or_default() |= 1 << transaction.origin as u16;
            mask &= mask - 1;
        }
    }

    /// A program is over, for good or ill.
    fn note_programmed(&mut self, transaction: &Transaction) {
        if transaction.kind == Kind::Copyback {
            self.ledger.on_read(transaction);
        }
        let mut placed = std::mem::take(&mut self.placed[transaction.owner as usize]);
        assert!(!placed.is_empty(), "a program ends whose units were not told");
        self.ledger.on_programmed(transaction, placed.iter().map(|(origin, _)| *origin));
        let hosts = placed.iter().filter(|(origin, _)| *origin == Origin::Host);
        self.ledger.on_hosts_programmed(hosts.clone().map(|(_, slot)| *slot as u32));
        hosts.for_each(|(_, slot)| self.bytes.on_programmed(*slot as u32));
        placed.clear();
        self.placed[transaction.owner as usize] = placed;
    }

    /// Between two erases all cells of a superblock hold as many bits, and with one bit a wordline has one page.
    fn check_mode(&mut self, superblock: usize, one_bit: bool) {
        let rows = self.rows[superblock];
        if rows == 0 {
            self.one_bit[superblock] = one_bit;
        }
        assert_eq!(self.one_bit[superblock], one_bit, "superblock {superblock}: two modes between erases");
        assert!(
            !one_bit || rows < self.layout.slc_rows,
            "superblock {superblock}: more pages than wordlines"
        );
    }

    pub fn on_commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        let version = self.map.unit(lpn).version;
        self.ledger.on_commit(lpn);
        self.commit(lpn, new, old, version, false);
        self.durability.on_commit(lpn, version);
    }

    pub fn on_moved(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        self.commit(lpn, new, old, self.held(old), true);
    }

    /// What is on flash now is older than the newest, by one write or more.
    pub fn on_overtaken(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if self.map.place(new).holder == lpn.0 && self.past.sees(lpn, self.held(new)) {
            self.leave(new); // A snapshot saw it until now.
        }
        self.commit(lpn, new, old, self.held(new), false);
    }

    fn commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa, version: u32, moved: bool) {
        assert_eq!(self.map.unit(lpn).home, old, "{lpn} did not live at {old}");
        assert_eq!(self.map.place(new).holder, NOTHING, "{new} holds something already");
        let superblock = self.layout.superblock_of(new) as usize;
        let row = self.layout.row_number(new) % self.layout.rows;
        assert!(row < self.rows[superblock], "{lpn} moved to {new}, which is not programmed");
        if self.layout.is_host_unit(lpn) && self.map.place(new).stored != content::BEFORE.0 {
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

    /// A unit is at `ppa` and may not be erased there.
    fn put(&mut self, lpn: Lpn, ppa: Ppa) {
        self.map.place_mut(ppa).holder = lpn.0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_held(self.layout.superblock_of(ppa) as usize);
        }
    }

    /// The data at `ppa` are not needed.
    fn leave(&mut self, ppa: Ppa) {
        self.map.place_mut(ppa).holder = NOTHING;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_left(self.layout.superblock_of(ppa) as usize);
        }
    }

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

    pub fn on_erase(&mut self, superblock: usize) {
        let first = self.layout.first_ppa(superblock as u32);
        let mut places = (first..first + u64::from(self.layout.superblock_units)).map(Ppa);
        assert!(
            places.all(|ppa| self.map.place(ppa).holder == NOTHING),
            "superblock {superblock} was erased with data"
        );
        self.rows[superblock] = 0;
        if let Some(stripes) = &mut self.stripes {
            stripes.on_erase(superblock);
        }
        self.bytes.on_erase(first, self.layout.superblock_units);
    }

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

    /// What is read ahead is the version that lives there; it is at hand until it is asked for.
    pub fn on_fetch(&mut self, lpn: Lpn, ppa: Ppa) {
        self.check_host_read(lpn, ppa);
        self.fetched.insert(lpn.0, self.held(ppa));
    }

    pub fn on_fetched_read(&mut self, lpn: Lpn) {
        assert_eq!(
            self.fetched.get(&lpn.0),
            Some(&self.map.unit(lpn).version),
            "{lpn} was written or trimmed after what the host is given was read ahead"
        );
    }

    pub fn on_host_write(&mut self, lpn: Lpn) {
        self.versions += 1;
        self.bytes.on_write(lpn, self.versions, self.map.unit(lpn).content);
        self.ledger.on_host_write(lpn);
        self.map.unit_mut(lpn).version = self.versions;
        self.map.unit_mut(lpn).content = self.versions;
        self.durability.on_version(lpn, self.map.unit(lpn).version);
    }

    /// What a slot lacks it has from another.
    pub fn on_rest(&mut self, slot: u32, from: u32) {
        self.bytes.on_rest(slot, from);
    }

    /// A slot keeps what was read at `ppa`.
    pub fn on_kept(&mut self, lpn: Lpn, slot: u32, ppa: Ppa) {
        self.ledger.on_kept(slot);
        self.bytes.on_kept(lpn, slot, self.held(ppa), ppa);
    }

    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, rest: Option<u32>) {
        self.ledger.on_buffered(lpn, slot, rest);
        self.bytes.on_buffered(lpn, slot, self.map.unit(lpn).version, rest);
        self.durability.on_buffered(slot, self.map.unit(lpn).version);
    }

    pub fn on_snapshot(&mut self, event: SnapshotEvent) {
        match event {
            SnapshotEvent::Programmed { lpn, slot, ppa } => {
                let version = self.past.of_slot(slot);
                self.hold(lpn, ppa, version);
            }
            SnapshotEvent::Moved { lpn, old, new } => {
                assert_eq!(self.map.place(old).holder, lpn.0, "{lpn} was moved from {old}, which lacks it");
                self.leave(old);
                self.hold(lpn, new, self.held(old));
            }
            SnapshotEvent::Returned { lpn, old, new } => {
                assert_eq!(self.map.unit(lpn).home, old, "{lpn} did not live at {old}");
                self.map.unit_mut(lpn).home = new;
            }
            _ => {}
        }
        let content = || self.map.hosts().map(|unit| unit.content).collect();
        if let Some(content) = self.past.note(event, content, |lpn| self.map.unit(lpn).version) {
            for (lpn, &version) in (0..).map(Lpn).zip(content) {
                let home = self.map.unit(lpn).home;
                let differs = || format!("unit {} is not as in the snapshot", lpn.0);
                assert_eq!(home == Ppa::NONE, version == EMPTY, "{}", differs());
                if home != Ppa::NONE {
                    let Place { holder, version: held, .. } = self.map.place(home);
                    assert_eq!((holder, held), (lpn.0, version), "{}", differs());
                    self.map.unit_mut(lpn).version = version;
                    self.bytes.on_returned(lpn, home);
                } else {
                    self.bytes.on_trim(lpn);
                }
                self.durability.on_returned(lpn, (home != Ppa::NONE).then_some(version), self.versions);
                self.map.unit_mut(lpn).content = version;
            }
        }
        if matches!(event, SnapshotEvent::Dropped { .. } | SnapshotEvent::RolledBack { .. }) {
            self.forget_unseen();
        }
    }

    /// A version that only snapshots see is at `ppa` now.
    fn hold(&mut self, lpn: Lpn, ppa: Ppa, version: u32) {
        assert!(self.past.sees(lpn, version), "{lpn} at {ppa} is kept and no snapshot sees it");
        assert_eq!(self.map.place(ppa).holder, NOTHING, "{ppa} holds something already");
        self.bytes.on_commit(ppa);
        let there = self.there(ppa);
        assert_eq!(there, (lpn.0, version), "{ppa} holds another unit or version");
        self.put(lpn, ppa);
    }

    /// What is neither the newest version nor seen by a snapshot is invalid.
    fn forget_unseen(&mut self) {
        for ppa in (0..self.layout.physical_units() as u64).map(Ppa) {
            let lpn = Lpn(self.map.place(ppa).holder);
            let unseen =
                lpn.0 != NOTHING && self.map.unit(lpn).home != ppa && !self.past.sees(lpn, self.held(ppa));
            if unseen {
                self.leave(ppa);
            }
        }
    }

    /// Every snapshot sees what the drive held when it was taken. A drive that died may have some of it in its buffer.
    fn settle_snapshots(&self, ftl: &Ftl) {
        let kept: Vec<u32> = ftl
            .feature::<Snapshots>()
            .map_or_else(Vec::new, |snapshots| snapshots.kept().map(|snapshot| snapshot.serial).collect());
        let expected: Vec<u32> = self.past.kept().map(|(serial, _)| serial).collect();
        assert_eq!(kept, expected, "the snapshots that are kept");
        for (serial, content) in self.past.kept() {
            for lpn in 0..self.layout.logical_units {
                let version = content[lpn as usize];
                match ftl.lookup_in(serial, Lpn(lpn)).expect("it is kept") {
                    Seen::Nowhere => assert_eq!(version, EMPTY, "snapshot {serial} lost unit {lpn}"),
                    Seen::Buffered => {
                        assert!(
                            ftl.is_read_only() || ftl.buffer().is_draining(),
                            "unit {lpn} of snapshot {serial} is not on flash"
                        )
                    }
                    Seen::At(ppa) => {
                        let held = (self.map.place(ppa).holder, self.held(ppa));
                        assert_eq!(held, (lpn, version), "unit {lpn} of snapshot {serial} at {ppa}");
                        assert!(
                            ftl.is_valid(ppa),
                            "unit {lpn} of snapshot {serial} at {ppa} counts as invalid"
                        );
                        assert_eq!(ftl.holder(ppa).0, lpn, "the spare area of {ppa} names another unit");
                    }
                }
            }
        }
    }

    /// The results must say of the measured window what was seen.
    pub fn compare(&self, result: &Value, now: SimTime) {
        self.ledger.compare(result, &self.clock, now);
    }

    /// The final account. It allows for the operations in flight of a drive that has not come to rest.
    pub fn settle(&self, ftl: &Ftl, outstanding: u32, now: SimTime) {
        assert_eq!(
            self.requests_in,
            self.requests_out + u64::from(outstanding),
            "requests in = requests out"
        );
        self.ledger.settle(ftl, |origin| self.clock.decoding(origin, now));
        self.clock.settle(ftl.controller(), now);
        assert!(self.finished <= self.submitted, "no operation finishes that was not submitted");
        self.map.settle(ftl);
        self.settle_snapshots(ftl);
    }
}
