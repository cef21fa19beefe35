//! Whose bytes are whose: which of the host's writes each sector of a unit comes from, in the logical drive as it should
//! be, in the slots of the buffer and on flash.
//!
//! Where all sectors of a unit come from one write its version says so, and nothing is kept here.

use controller::Transaction;
use std::collections::HashMap;
use units::{Lpn, Ppa};

/// Bytes of a sector.
const SECTOR: u64 = 512;
/// Marks a sector that was never written, or that is missing where it is asked for.
const EMPTY: u32 = u32::MAX;
const LACKING: u32 = u32::MAX - 1;

/// The version that each sector of a unit comes from.
type SectorVersions = Box<[u32]>;

/// The content of a slot of the buffer.
#[derive(Clone, Debug, Default)]
struct SlotContent {
    lpn: Lpn,
    version: u32,
    /// True while the buffer slot is part of a program in flight.
    bound: bool,
    /// For each sector the write that the slot has and the write that it should have, where they are not all of one
    /// version.
    parts: Option<(SectorVersions, SectorVersions)>,
}

/// The unit of a slot that was filled before the run, which only a drive that wore out before it leaves so; the drive
/// is not asked.
pub(super) const BEFORE: Lpn = Lpn(u32::MAX - 1);

/// Which write each sector comes from: on the drive as it should be, in the slots and on flash.
pub(crate) struct Content {
    per_unit: u64,
    /// The extent in bytes of the write whose data enter the drive.
    entering: (u64, u64),
    /// Logical unit that a buffer slot is taken to hold when no event told of the slot.
    unheard: Lpn,
    /// Units of the logical drive, of the buffer and of the flash. Only looked up, never walked through.
    drive: HashMap<u32, SectorVersions>,
    slots: Vec<SlotContent>,
    flash: HashMap<u64, SectorVersions>,
    /// By place: what is wrong with the unit there, in words.
    faults: HashMap<u64, String>,
}

/// Removes an entry. The table is empty, and not searched, on a drive where no unit was written in parts.
fn forget<K: Eq + std::hash::Hash, T>(entries: &mut HashMap<K, T>, key: K) {
    if !entries.is_empty() {
        entries.remove(&key);
    }
}

/// A logical unit and its version, as a program puts them on flash.
pub(super) type Stored = (Lpn, u32);

impl Content {
    /// Makes the account of a buffer that holds data from before the run.
    pub fn of_filled(unit: u64) -> Self {
        Self { unheard: BEFORE, ..Self::new(unit) }
    }

    /// Makes an account of units of `unit` bytes: the buffer and the flash are empty.
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

    /// Returns the sectors of a unit that the write at hand brings; none: all.
    fn part(&self, lpn: Lpn) -> Option<std::ops::Range<usize>> {
        let start = u64::from(lpn.0) * self.per_unit;
        let (first, end) = self.entering;
        let from = first.max(start) - start;
        let to = end.min(start + self.per_unit).saturating_sub(start);
        assert!(from < to, "{lpn} is written by a request that lies elsewhere");
        (from > 0 || to < self.per_unit).then_some(from as usize..to as usize)
    }

    /// Notes that the host's write of a unit has `version`; the version before it is `older`, [`EMPTY`] for
    /// none.
    pub fn on_write(&mut self, lpn: Lpn, version: u32, older: u32) {
        let Some(part) = self.part(lpn) else {
            forget(&mut self.drive, lpn.0);
            return;
        };
        let per_unit = self.per_unit as usize;
        let sectors = self.drive.entry(lpn.0).or_insert_with(|| vec![older; per_unit].into());
        sectors[part].fill(version);
    }

    /// Notes that the host forgot a unit.
    pub fn on_trim(&mut self, lpn: Lpn) {
        self.drive.remove(&lpn.0);
    }

    fn slot(&mut self, slot: u32) -> &mut SlotContent {
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, SlotContent { lpn: self.unheard, ..SlotContent::default() });
        }
        &mut self.slots[slot as usize]
    }

    /// Notes that the host's last write is in a slot; the sectors that it lacks come from the slot `rest`, if
    /// that is given.
    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, version: u32, rest: Option<u32>) {
        let part = self.part(lpn);
        let own = self.slot(slot);
        assert!(!own.bound, "slot {slot} is written anew while {} in it goes to the flash", own.lpn);
        let Some(part) = part else {
            *own = SlotContent { lpn, version, bound: false, parts: None };
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
        *self.slot(slot) = SlotContent { lpn, version, bound: false, parts: Some((has, should)) };
    }

    /// Notes that a slot keeps what was read at `ppa`.
    pub fn on_kept(&mut self, lpn: Lpn, slot: u32, version: u32, ppa: Ppa) {
        let parts = self.flash.get(&ppa.0).map(|there| (there.clone(), there.clone()));
        *self.slot(slot) = SlotContent { lpn, version, bound: false, parts };
    }

    /// Notes that the sectors that a slot lacks were read at `ppa`, which holds `stored`.
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

    /// Notes that a slot gets the sectors that it lacks from another slot.
    pub fn on_rest(&mut self, slot: u32, from: u32) {
        let older = self.slot(from).clone();
        let own = self.slot(slot);
        assert_eq!(
            own.lpn, older.lpn,
            "what is missing of {} is taken from a slot of {}",
            own.lpn, older.lpn
        );
        let Some((has, _)) = &mut own.parts else { return };
        for (at, sector) in has.iter_mut().enumerate().filter(|(_, sector)| **sector == LACKING) {
            *sector = older.parts.as_ref().map_or(older.version, |(there, _)| there[at]);
        }
    }

    /// Checks a slot that goes to the flash, at `ppa`. If it is incomplete, its unit must have become garbage
    /// meanwhile.
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

    /// Notes that the host may read the unit at `ppa` from now on: it must be complete.
    pub fn on_commit(&mut self, ppa: Ppa) {
        if let Some(fault) = self.faults.get(&ppa.0) {
            panic!("{fault}, at {ppa}: a partial write was not merged with what was there");
        }
    }

    /// Notes that a unit is moved on flash unchanged.
    pub fn on_move(&mut self, old: Ppa, new: Ppa) {
        if let Some(fault) = self.faults.get(&old.0).cloned() {
            self.faults.insert(new.0, fault);
        }
        match self.flash.get(&old.0).cloned() {
            Some(there) => drop(self.flash.insert(new.0, there)),
            None => forget(&mut self.flash, new.0),
        }
    }

    /// Notes that the program that a slot was part of has ended.
    pub fn on_programmed(&mut self, slot: u32) {
        self.slot(slot).bound = false;
    }

    /// Checks that the unit that the host reads at `ppa` is what it last wrote, sector by sector.
    pub fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        let (there, should) = (self.flash.get(&ppa.0), self.drive.get(&lpn.0));
        assert_eq!(
            there, should,
            "{lpn} was read at {ppa}, which has sectors of other writes than it should"
        );
    }

    /// Notes that the drive went back to what is at `ppa`, or to nothing.
    pub fn on_returned(&mut self, lpn: Lpn, ppa: Ppa) {
        match self.flash.get(&ppa.0).cloned() {
            Some(there) => self.drive.insert(lpn.0, there),
            None => self.drive.remove(&lpn.0),
        };
    }

    /// Notes that the places from `first` on were erased.
    pub fn on_erase(&mut self, first: u64, units: u32) {
        if !self.flash.is_empty() {
            (first..first + u64::from(units)).for_each(|ppa| drop(self.flash.remove(&ppa)));
            (first..first + u64::from(units)).for_each(|ppa| drop(self.faults.remove(&ppa)));
        }
    }

    /// Notes that the power failed: the buffer is empty.
    pub fn on_cut(&mut self) {
        self.slots.clear();
    }

    /// True for the read of a read-modify-write: it fetches the part of a unit that a slot lacks.
    pub fn completes(transaction: &Transaction) -> bool {
        use controller::{Kind, Origin};
        transaction.kind == Kind::Read && transaction.origin == Origin::ReadModifyWrite
    }
}
