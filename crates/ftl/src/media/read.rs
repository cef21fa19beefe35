//! How a page row is read, whoever asks for it.

use crate::Probe;
use crate::guards::sectors::bytes;
use crate::lapse::Lapse;
use crate::media::Media;
use crate::read_merge::RowUnits;
use crate::store::Source;
use controller::{Class, Context, Kind, Origin, Transaction, TransactionId};
use engine::Calendar;
use units::{DieId, Lpn, Ppa};

impl Media {
    /// The read of some units of one page row (numbered over the drive), as if nothing could be in its way.
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

    /// Submits the read of some units of one page row (numbered over the drive).
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        ctx: &mut Context<P>,
    ) -> TransactionId {
        let global = row / self.store.layout.rows;
        let die = global / self.store.layout.superblocks_per_die;
        let mut transaction = self.read_of(row, mask, origin, class, owner);
        if self.holds_one_bit(global as usize) {
            transaction.slc = true;
            let units = if origin == Origin::Host { mask.count_ones() } else { 0 };
            self.store.stats.slc_units_read += u64::from(units);
        }
        transaction.bytes = std::mem::take(&mut self.read_bytes);
        if let Some(regulation) = &mut self.guards.regulation {
            if origin == Origin::Host {
                regulation.note_host_operation(die as usize, ctx.calendar.now());
            }
            transaction.reading = match transaction.slc {
                true => regulation.plan_one_bit_read(origin),
                false => regulation.plan_read(row, origin, ctx.calendar.now()),
            };
            if let Some(superblock) = regulation.take_worn_by_reads() {
                self.ask_upkeep(superblock, ctx.calendar.now(), Origin::Refresh, &mut ctx.calendar);
            }
        }
        let dead = self.guards.dead.has(die as usize) && !self.rules.lapses.has(Lapse::ReadsDeadDie);
        transaction.reading.uncorrectable |= die == self.guards.failed_die
            || dead
            || self.guards.parity.as_ref().is_some_and(|stripes| stripes.is_torn(global, transaction.row));
        if transaction.reading.uncorrectable && origin != Origin::ReadAhead {
            self.pin_group(global);
        }
        self.store.controller.submit(transaction, ctx)
    }

    /// Tells the regulator, if there is one, that the host reads a unit that lives at `ppa`.
    #[inline]
    pub fn note_regulated_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.guards.regulation.is_some() {
            self.tell_regulator_of_read(lpn, ppa);
        }
    }

    #[cold]
    fn tell_regulator_of_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.holds_one_bit(self.store.layout.superblock_of(ppa) as usize) {
            return;
        }
        let Some(regulation) = &mut self.guards.regulation else { return };
        let row = self.store.layout.row_number(ppa);
        let die = row / self.store.layout.rows / self.store.layout.superblocks_per_die;
        regulation.on_host_read(lpn, row, die as usize);
    }

    /// The sectors of a unit that the host asks for and the buffer does not hold.
    #[cold]
    pub fn sectors_to_read(&mut self, request: u32, lpn: Lpn, buffered: Option<u32>) -> u64 {
        let Some(sectors) = &mut self.guards.sectors else { return u64::MAX };
        let asked = sectors.within(sectors.extents[request as usize], lpn);
        let here = buffered.map_or(0, |slot| asked & sectors.slots[slot as usize].mask);
        sectors.cached += u64::from(bytes(here));
        asked & !here
    }

    /// A read of the host's rides on another, without being submitted for itself.
    pub fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar) {
        if rider.slc {
            self.store.stats.slc_units_read += u64::from(rider.mask.count_ones());
        }
        if let Some(regulation) = &mut self.guards.regulation {
            regulation.note_host_operation(rider.die.index(), calendar.now());
        }
    }

    /// Where a unit can be fetched from ahead of time: on flash, readable, in no buffer, its map entry at hand.
    pub fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let at_hand = self.guards.demand.as_ref().is_none_or(|demand| demand.knows(lpn));
        let ppa = self.store.map.lookup(lpn);
        let is_lost = || self.guards.rebuilds.is_lost(lpn);
        (at_hand && ppa != Ppa::NONE && self.buffer.find(lpn).is_none() && !is_lost()).then_some(ppa)
    }

    /// Says which page of its block a program is for, and that only the sectors which were written cross the channel.
    #[cold]
    pub fn note_sectors_of(&mut self, program: &mut Transaction) {
        let Some(sectors) = &self.guards.sectors else { return };
        program.page = program.row;
        let (programs, units) = (&self.store.programs, program.rows * self.store.layout.row_units);
        let sources = || (0..units).map(|unit| programs.get(program.owner, unit));
        if program.kind == Kind::Program && sources().any(|source| source.origin() == Origin::Host) {
            let bytes = |source: Source| match source.origin() {
                Origin::Host => sectors.bytes_of(source.slot()),
                Origin::Padding => 0,
                _ => self.store.layout.unit.get() as u32,
            };
            program.bytes = sources().map(bytes).sum();
        }
    }

    /// What moves on as if it were data though it could not be read is marked. Reads that move nothing mark nothing: the
    /// page is still there, and may be read better another time.
    pub fn mark_lost(&mut self, read: &Transaction) {
        match read.origin {
            Origin::Host | Origin::Map | Origin::Rewrite => {}
            Origin::ReadModifyWrite => {
                let lpn = self.buffer.slot(read.owner).lpn;
                self.store.stats.units_lost += u64::from(self.guards.rebuilds.lost.insert(lpn.0));
            }
            _ => {
                for ppa in self.store.units_of(read) {
                    let lpn = self.store.map.holder(ppa);
                    // A newer version in RAM replaces what was lost.
                    let replaced = self.buffer.used_slots() > 0 && self.buffer.find(lpn).is_some();
                    // What only a snapshot sees is not what the host reads.
                    let live = self.store.map.is_valid(ppa) && self.store.map.lookup(lpn) == ppa;
                    if live && !replaced {
                        self.store.stats.units_lost += u64::from(self.guards.rebuilds.lost.insert(lpn.0));
                    }
                }
            }
        }
    }

    /// True when a unit that a read of the host's asked for is lost.
    #[cold]
    pub fn reads_lost(&mut self, read: &Transaction) -> bool {
        if read.superblock == Transaction::NOWHERE {
            return false; // What was never written cannot be lost.
        }
        let holders = self.store.units_of(read).map(|ppa| self.store.map.holder(ppa).0);
        let lost = holders.filter(|lpn| self.guards.rebuilds.lost.contains(lpn)).count();
        self.store.stats.units_read_lost += lost as u64;
        lost > 0
    }
}
