//! What a page's code cannot correct: found again from the rest of its stripe, or marked as lost.

use super::stripes::members;
use crate::PageMapped;
use crate::space::NONE;
use controller::{Origin, Probe, Transaction};
use engine::Calendar;
use std::collections::BTreeSet;
use units::{Lpn, Ppa};

/// A read whose data is being found again.
#[derive(Clone, Debug)]
struct Rebuild {
    read: Transaction,
    /// Reads of the other members still to come.
    left: u32,
    failed: bool,
}

/// Reads that failed and are being made good, and units that are lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rebuilds {
    items: Vec<Rebuild>,
    free: Vec<u32>,
    /// Logical units whose only copy was moved, or merged, though it could not be read.
    lost: BTreeSet<u32>,
}

impl Rebuilds {
    /// True when some unit is lost.
    #[inline]
    pub fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// True when the data of a unit were lost.
    #[inline]
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.has_lost() && self.lost.contains(&lpn.0)
    }

    /// The host wrote the whole of a unit anew, or trimmed it.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        if self.has_lost() {
            self.lost.remove(&lpn.0);
        }
    }

    fn begin(&mut self, rebuild: Rebuild) -> u32 {
        if let Some(at) = self.free.pop() {
            self.items[at as usize] = rebuild;
            return at;
        }
        self.items.push(rebuild);
        self.items.len() as u32 - 1
    }
}

impl PageMapped {
    /// A read that will fail is under way: the others of its group stay until it is made good.
    #[cold]
    pub(crate) fn pin_group(&mut self, superblock: u32) {
        if let Some(stripes) = &mut self.parity {
            let group = stripes.group_of(superblock);
            stripes.groups[group as usize].pins += 1;
        }
    }

    /// A read failed, or is one of those that make another good.
    #[cold]
    pub(crate) fn on_uncorrectable<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        if transaction.origin == Origin::Rebuild {
            self.unpin(transaction, transaction.reading.uncorrectable, calendar, probe);
            return self.on_rebuild_read(transaction, calendar, probe);
        }
        if transaction.origin == Origin::Scrub && transaction.owner != NONE {
            // A patrol only looks: the superblock is written anew, and what that cannot read is found again then.
            self.on_read(transaction, calendar, probe);
            return self.unpin(transaction, true, calendar, probe);
        }
        let rows = self.rows_beside(transaction);
        let at = self.rebuilds.begin(Rebuild {
            read: *transaction,
            left: rows.as_ref().map_or(0, |rows| rows.len() as u32),
            failed: rows.is_none(),
        });
        let rows = rows.unwrap_or_default();
        if rows.is_empty() {
            return self.end_rebuild(at, calendar, probe);
        }
        for row in rows {
            self.submit_read(row, transaction.mask, Origin::Rebuild, transaction.class, at, calendar, probe);
        }
    }

    /// The page rows (numbered over the drive) whose sum with what is in RAM is the row of a read; none: it has no
    /// parity. What was handed out and is not programmed yet is in RAM, and so is parity that was not handed out.
    fn rows_beside(&self, transaction: &Transaction) -> Option<Vec<u32>> {
        let stripes = self.parity.as_ref()?;
        let own = self.space.global(transaction.die.index(), transaction.superblock) as u32;
        let group = stripes.group_of(own);
        let of = &stripes.groups[group as usize];
        if of.parity == NONE {
            return None;
        }
        let others = members(of.alive & !(1 << stripes.member_of(own)));
        let programmed = others
            .map(|member| stripes.place_of(group, member).1)
            .filter(|&superblock| self.array.next_row(superblock as usize) > transaction.row);
        Some(programmed.map(|superblock| superblock * self.layout.rows + transaction.row).collect())
    }

    fn on_rebuild_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let at = transaction.owner;
        let rebuild = &mut self.rebuilds.items[at as usize];
        rebuild.left -= 1;
        rebuild.failed |= transaction.reading.uncorrectable;
        if rebuild.left > 0 {
            return;
        }
        // The read took from its own beginning to the end of this one, the last: what went before counts as waiting
        // for other work of the drive.
        let before = transaction.queued.since(rebuild.read.queued).ns();
        let read = &mut rebuild.read;
        (read.started, read.finished, read.waits) =
            (transaction.started, transaction.finished, transaction.waits);
        read.waits[Origin::Rebuild.wait_column()] += before;
        (read.channel_ns, read.transfer_ns, read.array_ns) =
            (transaction.channel_ns, transaction.transfer_ns, transaction.array_ns);
        self.end_rebuild(at, calendar, probe);
    }

    /// All that could be read was read: the data is found again, or lost.
    fn end_rebuild<P: Probe>(&mut self, at: u32, calendar: &mut Calendar, probe: &mut P) {
        let Rebuild { mut read, failed, .. } = self.rebuilds.items[at as usize].clone();
        self.rebuilds.free.push(at);
        let other = usize::from(read.origin != Origin::Host);
        if failed {
            self.stats.reads_lost[other] += 1;
            self.mark_lost(&read);
        } else {
            self.stats.reads_rebuilt[other] += 1;
            read.reading.uncorrectable = false;
        }
        self.on_read(&read, calendar, probe);
        self.unpin(&read, true, calendar, probe);
    }

    /// A read that failed needs the others of its group no more.
    fn unpin<P: Probe>(
        &mut self,
        transaction: &Transaction,
        pinned: bool,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let Some(stripes) = &mut self.parity else { return };
        if !pinned {
            return;
        }
        let superblock = self.space.global(transaction.die.index(), transaction.superblock) as u32;
        let group = stripes.group_of(superblock);
        stripes.groups[group as usize].pins -= 1;
        self.erase_group(group, calendar, probe);
    }

    /// What moves on as if it were data though it could not be read is marked. Reads that move nothing mark nothing: the
    /// page is still there, and may be read better another time.
    fn mark_lost(&mut self, read: &Transaction) {
        match read.origin {
            Origin::Host | Origin::Map | Origin::Rewrite => {}
            Origin::ReadModifyWrite => {
                let lpn = self.buffer.slot(read.owner).lpn;
                self.stats.units_lost += u64::from(self.rebuilds.lost.insert(lpn.0));
            }
            _ => {
                for ppa in self.units_read(read) {
                    let lpn = self.map.holder(ppa);
                    // A newer version in RAM replaces what was lost.
                    let replaced = self.buffer.used_slots() > 0 && self.buffer.find(lpn).is_some();
                    // What only a snapshot sees is not what the host reads.
                    let live = self.map.is_valid(ppa) && self.map.lookup(lpn) == ppa;
                    if live && !replaced {
                        self.stats.units_lost += u64::from(self.rebuilds.lost.insert(lpn.0));
                    }
                }
            }
        }
    }

    /// True when a unit that a read of the host's asked for is lost.
    #[cold]
    pub(crate) fn reads_lost(&mut self, read: &Transaction) -> bool {
        if read.superblock == Transaction::NOWHERE {
            return false; // What was never written cannot be lost.
        }
        let holders = self.units_read(read).into_iter().map(|ppa| self.map.holder(ppa).0);
        let lost = holders.filter(|lpn| self.rebuilds.lost.contains(lpn)).count();
        self.stats.units_read_lost += lost as u64;
        lost > 0
    }

    fn units_read(&self, read: &Transaction) -> Vec<Ppa> {
        let superblock = self.space.global(read.die.index(), read.superblock) as u32;
        let first = self.layout.first_ppa(superblock) + read.row * self.layout.row_units;
        members(read.mask).map(|unit| Ppa(first + unit)).collect()
    }
}
