//! Whose bytes are whose: which of the host's writes each sector of a unit comes from, in the logical drive as it should
//! be, in the slots of the buffer and on flash.
//!
//! Where all sectors of a unit come from one write its version says so, and nothing is kept here.

use controller::Transaction;
use std::collections::HashMap;
use units::{Lpn, Ppa, SimTime};

/// Constant of the checker's model of sectors: size in bytes of a sector, the smallest unit that the host writes.
const SECTOR: u64 = 512;
/// Constant: value in place of a version number, in the checker's model of sectors, for a sector that was never
/// written.
const EMPTY: u32 = u32::MAX;
/// Constant: value in place of a version number, in the checker's model of sectors, for a sector of a unit that a
/// write-buffer slot does not hold yet, after a write of a part of the unit.
const LACKING: u32 = u32::MAX - 1;

/// Type of a list with an entry for each sector of a mapping unit: the version of the write that the sector's data come
/// from.
type SectorVersions = Box<[u32]>;

/// Record of the content of one slot of the write buffer (entry for one mapping unit), in the checker's model of which
/// write each sector comes from.
#[derive(Clone, Debug, Default)]
struct SlotContent {
    lpn: Lpn,
    version: u32,
    /// True while the slot's data are part of a program in flight, during which the slot must not be overwritten.
    bound: bool,
    /// Two lists with an entry for each sector of the unit: number of the write (version) whose data the slot has, and
    /// number of the write whose data it should have; `None` where all sectors come from one write.
    parts: Option<(SectorVersions, SectorVersions)>,
    /// Field of the checker's record of a write buffer slot: simulated time at which the ECC has decoded the sectors that
    /// a partial write lacked and that were read from flash.
    decoded: SimTime,
}

/// Constant: value in place of a unit's number, for the unknown logical unit in a slot of the write buffer that was
/// filled before the run, as happens on a drive that wore out; the checker does not ask the drive which unit it is.
pub(super) const BEFORE: Lpn = Lpn(u32::MAX - 1);

/// Type of the checker's model of which host write each sector comes from: in the logical drive as it should be, in the
/// slots of the write buffer and on flash.
pub(crate) struct Content {
    per_unit: u64,
    /// Sector range, in the checker's model, of the host write whose data enter the drive now: its first sector, and
    /// the sector after its last.
    entering: (u64, u64),
    /// Number of the logical unit that the checker assumes in a slot of the write buffer whose filling was not reported
    /// to it: the placeholder `BEFORE` (unknown unit) if the buffer was filled before the run, else no unit.
    unheard: Lpn,
    /// Map from each logical unit to the write numbers (versions) of its sectors, only for units whose sectors come
    /// from different writes; it is only looked up, so its order is irrelevant.
    drive: HashMap<u32, SectorVersions>,
    /// List of the contents of the slots of the write buffer, by slot number, in the checker's model of sectors.
    slots: Vec<SlotContent>,
    /// Map from each physical address to the write numbers (versions) of the sectors there; it is only looked up, so
    /// its order is irrelevant.
    flash: HashMap<u64, SectorVersions>,
    /// Map from physical address to error message: each message says which sector of the unit there is missing or comes
    /// from a wrong write.
    faults: HashMap<u64, String>,
}

/// Removes `key` from a table of sector versions; returns at once if the table is empty, as on a drive where no unit
/// was written in part.
fn forget<K: Eq + std::hash::Hash, T>(entries: &mut HashMap<K, T>, key: K) {
    if !entries.is_empty() {
        entries.remove(&key);
    }
}

/// Type of a pair of a logical unit and a version number (number of a write of the unit), which together name the data
/// that a program writes to one physical address.
pub(super) type Stored = (Lpn, u32);

impl Content {
    /// Makes the checker's model of sectors for a drive whose write buffer holds data from before the run that the
    /// checker does not know; `unit` is the mapping unit's size in bytes.
    pub fn of_filled(unit: u64) -> Self {
        Self { unheard: BEFORE, ..Self::new(unit) }
    }

    /// Makes the checker's model of sectors for a drive whose write buffer is empty; `unit` is the mapping unit's size
    /// in bytes.
    pub fn new(unit: u64) -> Self {
        Self {
            per_unit: unit / SECTOR,
            entering: (0, 0),
            unheard: Lpn::NONE,
            drive: HashMap::new(),
            slots: Vec::new(),
            flash: HashMap::new(),
            faults: HashMap::new(),
        }
    }

    pub fn on_data(&mut self, offset: u64, bytes: u64) {
        self.entering = (offset / SECTOR, (offset + bytes).div_ceil(SECTOR));
    }

    /// Returns the range of sectors, within unit `lpn`, that the host write now entering the drive covers by the
    /// checker's model, or `None` if it covers the whole unit.
    fn part(&self, lpn: Lpn) -> Option<std::ops::Range<usize>> {
        let start = u64::from(lpn.0) * self.per_unit;
        let (first, end) = self.entering;
        let from = first.max(start) - start;
        let to = end.min(start + self.per_unit).saturating_sub(start);
        assert!(from < to, "{lpn} is written by a request that lies elsewhere");
        (from > 0 || to < self.per_unit).then_some(from as usize..to as usize)
    }

    /// Notes that the host writes unit `lpn`, wholly or in part, as version number `version`; `older` is the version
    /// that the unit held before, [`EMPTY`] for no data.
    pub fn on_write(&mut self, lpn: Lpn, version: u32, older: u32) {
        let Some(part) = self.part(lpn) else {
            forget(&mut self.drive, lpn.0);
            return;
        };
        let per_unit = self.per_unit as usize;
        let sectors = self.drive.entry(lpn.0).or_insert_with(|| vec![older; per_unit].into());
        sectors[part].fill(version);
    }

    /// Drops the expected sector versions of unit `lpn` (number of the write that each sector comes from), because the
    /// drive has trimmed the unit, or the unit is without data after a recovery or roll-back.
    pub fn on_trim(&mut self, lpn: Lpn) {
        self.drive.remove(&lpn.0);
    }

    fn slot(&mut self, slot: u32) -> &mut SlotContent {
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, SlotContent { lpn: self.unheard, ..SlotContent::default() });
        }
        &mut self.slots[slot as usize]
    }

    /// Notes that the host's last write of unit `lpn` is in `slot` of the write buffer (entry for one unit); if `rest`
    /// is given, the sectors that a partial write does not cover are copied from slot `rest`, else they are missing
    /// until the flash is read.
    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, version: u32, rest: Option<u32>) {
        let part = self.part(lpn);
        let own = self.slot(slot);
        assert!(!own.bound, "slot {slot} is written anew while {} in it goes to the flash", own.lpn);
        let Some(part) = part else {
            *own = SlotContent { lpn, version, ..SlotContent::default() };
            return;
        };
        let mut has: SectorVersions = match rest {
            None => vec![LACKING; self.per_unit as usize].into(),
            Some(from) => {
                let from = self.slot(from).clone();
                let there = from.lpn == lpn || from.lpn == BEFORE;
                assert!(there, "what is missing of {lpn} is taken from a slot of {}", from.lpn);
                from.parts.map_or_else(|| vec![from.version; self.per_unit as usize].into(), |(has, _)| has)
            }
        };
        has[part].fill(version);
        let should = self.drive.get(&lpn.0).expect("a partial write was noted").clone();
        let decoded = rest.map_or(SimTime::ZERO, |from| self.slot(from).decoded);
        let parts = Some((has, should));
        *self.slot(slot) = SlotContent { lpn, version, parts, decoded, ..SlotContent::default() };
    }

    /// Notes in the checker's record of contents that `slot` of the write buffer holds the whole of `version` of unit
    /// `lpn`, which the host wrote before the run, or before a power cut that the buffer outlasted.
    pub fn on_carried(&mut self, lpn: Lpn, slot: u32, version: u32) {
        *self.slot(slot) = SlotContent { lpn, version, ..SlotContent::default() };
    }

    /// Notes that `slot` of the write buffer now caches, for later reads, `version` of unit `lpn` as read from physical
    /// address `ppa`.
    pub fn on_kept(&mut self, lpn: Lpn, slot: u32, version: u32, ppa: Ppa) {
        let parts = self.flash.get(&ppa.0).map(|there| (there.clone(), there.clone()));
        *self.slot(slot) = SlotContent { lpn, version, parts, ..SlotContent::default() };
    }

    /// Fills in, in the checker's model of sectors, the sectors that a partial write in `slot` of the write buffer
    /// lacks: with the versions at physical address `ppa`, which the drive has read for a read-modify-write and which
    /// holds the unit and version `stored`.
    pub fn on_rest_read(&mut self, slot: u32, ppa: Ppa, stored: Stored) {
        let (holder, version) = stored;
        let there = self.flash.get(&ppa.0).cloned();
        let own = self.slot(slot);
        let Some((has, _)) = &mut own.parts else { return };
        assert_eq!(own.lpn, holder, "what is missing of {} is read at {ppa}, which holds {holder}", own.lpn);
        for (at, sector) in has.iter_mut().enumerate().filter(|(_, sector)| **sector == LACKING) {
            *sector = there.as_ref().map_or(version, |there| there[at]);
        }
    }

    /// Notes in the checker's model of sectors that the ECC has decoded at `decoded` the sectors that were read from
    /// flash for a partial write in `slot` of the write buffer.
    pub fn on_rest_decoded(&mut self, slot: u32, decoded: SimTime) {
        self.slot(slot).decoded = decoded;
    }

    /// Checks that the ECC has decoded by `now`, at which the program of `slot` of the write buffer is submitted, the
    /// sectors of the slot that were read from flash.
    pub fn on_program(&self, slot: u32, now: SimTime) {
        let Some(SlotContent { lpn, decoded, .. }) = self.slots.get(slot as usize) else { return };
        assert!(*decoded <= now, "{lpn} is programmed at {now}, before its rest is decoded at {decoded}");
    }

    /// Fills in, in the checker's model of sectors, the sectors that a partial write in `slot` of the write buffer
    /// lacks: with the versions in slot `from`, which must hold the same logical unit.
    pub fn on_rest(&mut self, slot: u32, from: u32) {
        let older = self.slot(from).clone();
        let own = self.slot(slot);
        assert_eq!(
            own.lpn, older.lpn,
            "what is missing of {} is taken from a slot of {}",
            own.lpn, older.lpn
        );
        own.decoded = older.decoded;
        let Some((has, _)) = &mut own.parts else { return };
        for (at, sector) in has.iter_mut().enumerate().filter(|(_, sector)| **sector == LACKING) {
            *sector = older.parts.as_ref().map_or(older.version, |(there, _)| there[at]);
        }
    }

    /// Notes that the unit in `slot` of the write buffer is programmed to physical address `ppa`, and returns the unit
    /// and its version. If a sector is missing or from a wrong write, stores an error message for that address, which
    /// [`Self::on_commit`] raises if the map comes to point there.
    pub fn on_place(&mut self, slot: u32, ppa: Ppa) -> Stored {
        let own = self.slot(slot);
        own.bound = true;
        let stored = (own.lpn, own.version);
        let Some((has, should)) = own.parts.clone() else { return stored };
        let differs = |(_, (has, should)): &(usize, (&u32, &u32))| has != should && **should != EMPTY;
        if let Some((sector, (has, should))) = has.iter().zip(&should).enumerate().find(differs) {
            let found = if *has == LACKING { "nothing".into() } else { format!("what write {has} brought") };
            let text =
                format!("sector {sector} of {} has {found} instead of what write {should} brought", stored.0);
            self.faults.insert(ppa.0, text);
        }
        self.flash.insert(ppa.0, should);
        stored
    }

    /// Checks that the unit at physical address `ppa`, to which the map points from now on, was programmed with all its
    /// sectors, each from the right write; panics with the error message noted for the address otherwise.
    pub fn on_commit(&mut self, ppa: Ppa) {
        if let Some(fault) = self.faults.get(&ppa.0) {
            panic!("{fault}, at {ppa}: a partial write was not merged with what was there");
        }
    }

    /// Copies the sector versions and the error message, if any, of physical address `old` to `new`, because the unit
    /// was moved on flash unchanged.
    pub fn on_move(&mut self, old: Ppa, new: Ppa) {
        if let Some(fault) = self.faults.get(&old.0).cloned() {
            self.faults.insert(new.0, fault);
        }
        match self.flash.get(&old.0).cloned() {
            Some(there) => drop(self.flash.insert(new.0, there)),
            None => forget(&mut self.flash, new.0),
        }
    }

    /// Notes that the program of the unit in `slot` of the write buffer has ended, so that the slot may be overwritten
    /// again.
    pub fn on_programmed(&mut self, slot: u32) {
        self.slot(slot).bound = false;
    }

    /// Checks, sector by sector, that the unit at `ppa` from which the host reads `lpn` comes from the writes that it
    /// should.
    pub fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        let (there, should) = (self.flash.get(&ppa.0), self.drive.get(&lpn.0));
        assert_eq!(
            there, should,
            "{lpn} was read at {ppa}, which has sectors of other writes than it should"
        );
    }

    /// Sets the expected sector versions of unit `lpn` in the logical drive to those at physical address `ppa`, because
    /// the drive was rolled back to a snapshot or recovered from a power cut.
    pub fn on_returned(&mut self, lpn: Lpn, ppa: Ppa) {
        match self.flash.get(&ppa.0).cloned() {
            Some(there) => self.drive.insert(lpn.0, there),
            None => self.drive.remove(&lpn.0),
        };
    }

    /// Drops the sector versions and error messages noted for `units` physical addresses from `first` on, because they
    /// were erased.
    pub fn on_erase(&mut self, first: u64, units: u32) {
        if !self.flash.is_empty() {
            (first..first + u64::from(units)).for_each(|ppa| drop(self.flash.remove(&ppa)));
            (first..first + u64::from(units)).for_each(|ppa| drop(self.faults.remove(&ppa)));
        }
    }

    /// Empties all slots of the write buffer (entries for one unit) in the checker's model of sectors, because the
    /// power failed.
    pub fn on_cut(&mut self) {
        self.slots.clear();
    }

    /// Returns true if the flash operation is the read of a read-modify-write, which fetches the sectors of a unit that
    /// a slot of the write buffer lacks.
    pub fn completes(transaction: &Transaction) -> bool {
        use controller::{Kind, Origin};
        transaction.kind == Kind::Read && transaction.origin == Origin::ReadModifyWrite
    }
}
