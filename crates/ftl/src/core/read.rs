//! How a page row is read, for the host, collection and features alike.

use super::Core;
use crate::read_merge::RowUnits;
use controller::{Class, Kind, Origin, Transaction};
use units::DieId;

impl Core {
    /// Makes a transaction that reads the units of `mask` in one page row (pages of one index on all planes; numbered
    /// over the drive), without regard to retries, buffered copies or lost data.
    #[inline]
    pub fn read_of(&self, row: u32, mask: u64, origin: Origin, class: Class, owner: u32) -> Transaction {
        let layout = &self.store.layout;
        let RowUnits { die, superblock, row, mask } = RowUnits::of(layout, row, mask);
        let mut transaction = Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row);
        transaction.mask = mask;
        transaction.pages = layout.pages_touched(mask);
        transaction.owner = owner;
        transaction
    }

    /// Marks as lost the units that an uncorrectable read was to relocate or merge. Other reads mark nothing: the page
    /// stays on flash and may be correctable in a later read.
    pub fn mark_lost(&mut self, read: &Transaction) {
        match read.origin {
            Origin::Host | Origin::Map | Origin::Rewrite => {}
            Origin::ReadModifyWrite => {
                let lpn = self.buffer.slot(read.owner).lpn;
                self.store.stats.units_lost += u64::from(self.lost.units.insert(lpn.0));
            }
            _ => {
                for ppa in self.store.units_of(read) {
                    let lpn = self.store.map.holder(ppa);
                    // A newer version in RAM replaces what was lost.
                    let replaced = self.buffer.used_slots() > 0 && self.buffer.find(lpn).is_some();
                    // What only a snapshot sees is not what the host reads.
                    let live = self.store.map.is_valid(ppa) && self.store.map.lookup(lpn) == ppa;
                    if live && !replaced {
                        self.store.stats.units_lost += u64::from(self.lost.units.insert(lpn.0));
                    }
                }
            }
        }
    }

    /// Returns true if the data of a unit that a host read asked for are lost; counts such units.
    #[cold]
    pub fn reads_lost(&mut self, read: &Transaction) -> bool {
        if read.superblock == Transaction::NOWHERE {
            return false; // What was never written cannot be lost.
        }
        let holders = self.store.units_of(read).map(|ppa| self.store.map.holder(ppa).0);
        let lost = holders.filter(|lpn| self.lost.units.contains(lpn)).count();
        self.store.stats.units_read_lost += lost as u64;
        lost > 0
    }
}
