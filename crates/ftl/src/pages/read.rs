//! What the host reads.

use crate::pages::PageMapped;
use crate::read_path::{ReadParts, Reads, class_of};
use crate::store::NONE;
use controller::{Origin, Probe, Transaction, TransactionId};
use engine::Calendar;
use units::{Lpn, Ppa};

impl PageMapped {
    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let reads = match self.media.guards.demand {
            Some(_) => self.read_by_demand(request, first, count, calendar, probe),
            None => self.read_found(request, first, count, calendar, probe),
        };
        if self.host.reads.ahead.is_some() {
            self.fetch_ahead(first, count, calendar, probe);
        }
        reads
    }

    /// Reads units whose map entries are at hand.
    #[inline]
    pub(crate) fn read_found<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if self.media.guards.sectors.is_some() {
            return self.read_sectors(request, first, count, calendar, probe);
        }
        let mut reads = 0;
        let (mut row, mut mask) = (NONE, 0u64);
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered =
                if self.media.buffer.used_slots() > 0 { self.media.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                self.media.store.stats.units_read_buffer += 1;
                self.media.buffer.note_read(slot);
                continue;
            }
            if self.host.reads.ahead.is_some() && self.read_fetched(request, lpn, &mut reads, calendar, probe)
            {
                self.note_regulated_read(lpn, self.media.store.map.lookup(lpn));
                continue;
            }
            let ppa = self.media.store.map.lookup(lpn);
            if ppa == Ppa::NONE {
                self.media.store.stats.units_read_unmapped += 1;
                continue;
            }
            self.media.store.stats.units_read_flash += 1;
            probe.on_host_read(lpn, ppa);
            let (this_row, unit) =
                (ppa.0 / self.media.store.layout.row_units, ppa.0 % self.media.store.layout.row_units);
            self.note_regulated_read(lpn, ppa);
            if this_row != row || mask >> unit & 1 == 1 {
                reads += self.submit_host_read(request, row, mask, calendar, probe);
                (row, mask) = (this_row, 0);
            }
            mask |= 1 << unit;
        }
        if self.host.reads.ahead.is_some() {
            reads += self.ride_on_fetched(request, calendar, probe);
        }
        reads + self.submit_host_read(request, row, mask, calendar, probe)
    }

    /// Tells the regulator, if there is one, that the host reads a unit that lives at `ppa`.
    #[inline]
    fn note_regulated_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.media.guards.regulation.is_some() {
            self.tell_regulator_of_read(lpn, ppa);
        }
    }

    #[cold]
    fn tell_regulator_of_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.media.holds_one_bit(self.media.store.layout.superblock_of(ppa) as usize) {
            return;
        }
        let Some(regulation) = &mut self.media.guards.regulation else { return };
        let row = ppa.0 / self.media.store.layout.row_units;
        let die = row / self.media.store.layout.rows / self.media.store.layout.superblocks_per_die;
        regulation.on_host_read(lpn, row, die as usize);
    }

    #[inline]
    pub(crate) fn submit_host_read<P: Probe>(
        &mut self,
        request: u32,
        row: u32,
        mask: u64,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if mask == 0 {
            return 0;
        }
        if self.host.reads.merge.is_some() {
            self.submit_shared(row, mask, Origin::Host, request, calendar, probe);
        } else {
            self.submit_alone(row, mask, Origin::Host, request, calendar, probe);
        }
        1
    }
}

impl Reads for PageMapped {
    fn read_parts(&mut self) -> ReadParts<'_> {
        ReadParts {
            path: &mut self.host.reads,
            controller: &mut self.media.store.controller,
            layout: &self.media.store.layout,
            stats: &mut self.media.store.stats,
        }
    }

    fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let at_hand = self.media.guards.demand.as_ref().is_none_or(|demand| demand.knows(lpn));
        let ppa = self.media.store.map.lookup(lpn);
        (at_hand && ppa != Ppa::NONE && self.media.buffer.find(lpn).is_none() && !self.is_lost(lpn))
            .then_some(ppa)
    }

    fn is_lost(&self, lpn: Lpn) -> bool {
        self.media.guards.rebuilds.is_lost(lpn)
    }

    #[inline]
    fn submit_alone<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let id = self.media.submit_read(row, mask, origin, class_of(origin), owner, calendar, probe);
        let die = (row / self.media.store.layout.rows / self.media.store.layout.superblocks_per_die) as usize;
        self.media.movers[die].background = false;
        self.media.end_idle_folding(die);
        id
    }

    fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar) {
        let die = rider.die.index();
        if rider.slc {
            self.media.store.stats.slc_units_read += u64::from(rider.mask.count_ones());
        }
        if let Some(regulation) = &mut self.media.guards.regulation {
            regulation.note_host_operation(die, calendar.now());
        }
    }
}
