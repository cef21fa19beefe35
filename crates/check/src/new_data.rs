//! Which sectors in the write buffer are data of the host that the flash lacks, as the checker saw them come.

use std::collections::BTreeSet;
use std::ops::Range;
use units::Lpn;

/// Kind of content of a slot of the write buffer (entry for one mapping unit): which sectors of its unit are data of
/// the host that the flash does not hold yet.
#[derive(Clone, Debug, Default)]
enum Brought {
    /// Case: no sector is new data of the host: the slot is empty, or the flash holds the same data.
    #[default]
    Nothing,
    /// Case: only these sectors of the slot's mapping unit are new data of the host, from a partial write.
    Sectors(BTreeSet<u64>),
    /// Case of a write-buffer slot's content: all sectors of the slot's mapping unit are new data of the host.
    All,
}

/// Record of the checker's knowledge of one slot of the write buffer (entry for one mapping unit).
#[derive(Clone, Debug, Default)]
struct SlotData {
    lpn: Lpn,
    /// Serial number of the host write that entered the slot last; of two slots of a unit, the greater is newer.
    write: u64,
    brought: Brought,
}

/// Type of the checker's record of the host's new data in the write buffer: for each slot (entry for one mapping
/// unit), the sectors of its unit that the flash does not hold yet.
#[derive(Debug, Default)]
pub(crate) struct NewData {
    slots: Vec<SlotData>,
    /// Number of times that a host write entered a slot of the write buffer.
    writes: u64,
    /// List of the write-buffer slots (entries for one unit) whose data the most recently ended host program wrote to
    /// flash, without the slots that the map has taken over since.
    ended: Vec<u32>,
}

impl NewData {
    fn enter(&mut self, lpn: Lpn, slot: u32) -> &mut Brought {
        self.writes += 1;
        let data = &mut self.slots[slot as usize];
        (data.lpn, data.write) = (lpn, self.writes);
        &mut data.brought
    }

    /// Notes that a host write of unit `lpn` brought these sectors (numbered over the drive) into `slot`, beside the
    /// new data there.
    pub fn join(&mut self, lpn: Lpn, slot: u32, sectors: Range<u64>) {
        match self.enter(lpn, slot) {
            brought @ Brought::Nothing => *brought = Brought::Sectors(sectors.collect()),
            Brought::Sectors(known) => known.extend(sectors),
            Brought::All => {}
        }
    }

    /// Notes that all sectors of unit `lpn` in `slot` are new data of the host.
    pub fn fill(&mut self, lpn: Lpn, slot: u32) {
        *self.enter(lpn, slot) = Brought::All;
    }

    /// Notes that `slot` of the write buffer holds no data of the host that the flash lacks.
    pub fn clear(&mut self, slot: u32) {
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, SlotData::default());
        }
        self.slots[slot as usize].brought = Brought::Nothing;
    }

    /// Notes that a program of these slots ended; returns the number of sectors, of `all` in a unit, that it wrote
    /// beyond new data of the host: the rest of partly written units, and all of a slot without new data.
    pub fn end_program(&mut self, slots: impl Iterator<Item = u32>, all: u64) -> u64 {
        self.ended.clear();
        let mut filled_up = 0;
        for slot in slots {
            // A drive that wore out before the run has filled units in its buffer that this account did not hear of.
            let Some(SlotData { brought, .. }) = self.slots.get(slot as usize) else { continue };
            self.ended.push(slot);
            filled_up += match brought {
                Brought::Nothing => all,
                Brought::Sectors(known) => all - known.len() as u64,
                Brought::All => 0,
            };
        }
        filled_up
    }

    /// Notes that the map has taken over the newest version of unit `lpn` in the program that ended last. The program
    /// may hold an older version, too, before or after the newest: units whose program failed are written anew in
    /// another order.
    pub fn commit(&mut self, lpn: Lpn) {
        let of_unit = (0..self.ended.len()).filter(|&at| self.slots[self.ended[at] as usize].lpn == lpn);
        if let Some(at) = of_unit.max_by_key(|&at| self.slots[self.ended[at] as usize].write) {
            let slot = self.ended.remove(at);
            self.clear(slot);
        }
    }
}
