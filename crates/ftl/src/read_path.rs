//! How the host's reads reach the flash: some share an array read, some find what was read ahead.
//!
//! Both kinds of map read through here where `ftl.read_merge` or `ftl.read_ahead` say so; else none of this exists, and a
//! read is submitted as it comes.

use crate::read_ahead::{Ahead, Taken};
use crate::read_merge::{ReadMerge, RowUnits, find_ride, rider};
use crate::settings::FtlConfig;
use crate::{FtlStats, Layout};
use controller::{Class, Controller, Origin, Probe, Transaction, TransactionId};
use engine::Calendar;
use units::{Lpn, Ppa};

/// No request.
const NONE: u32 = u32::MAX;

/// What nobody has asked for waits behind what the host does.
#[inline]
pub(crate) fn class_of(origin: Origin) -> Class {
    if origin == Origin::ReadAhead { Class::InternalRead } else { Class::HostRead }
}

/// What a drive reads with.
#[derive(Default)]
pub(crate) struct ReadPath {
    /// Which reads ride on others, where some may.
    pub merge: Option<Box<dyn ReadMerge>>,
    /// What was read ahead, where something is.
    pub ahead: Option<Box<Ahead>>,
    /// Units that the request at hand finds on their way, and the read that brings them.
    riding: Option<(TransactionId, u64)>,
}

impl ReadPath {
    pub fn new(config: &FtlConfig, controller: &mut Controller) -> Self {
        let merge = (config.merge)();
        let path = Self {
            merge: merge.merges().then_some(merge),
            ahead: Ahead::new(&config.ahead, &config.layout),
            riding: None,
        };
        if path.merge.is_some() || path.ahead.is_some() {
            controller.share_reads();
        }
        path
    }

    /// What was fetched of a unit is void: it was written, trimmed or brought back to a former version.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn, stats: &mut FtlStats) {
        if let Some(ahead) = &mut self.ahead {
            ahead.forget(lpn, stats);
        }
    }

    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.ahead.as_ref().map_or(0, |ahead| ahead.bytes())
    }
}

/// The parts of a translation layer that reads work with.
pub(crate) struct ReadParts<'a> {
    pub path: &'a mut ReadPath,
    pub controller: &'a mut Controller,
    pub layout: &'a Layout,
    pub stats: &'a mut FtlStats,
}

/// A translation layer whose reads may share array reads, and be answered from what was read ahead.
pub(crate) trait Reads {
    /// What it reads with.
    fn read_parts(&mut self) -> ReadParts<'_>;

    /// Where a unit can be fetched from ahead of time: on flash, readable, in no buffer, its map entry at hand.
    fn home_ahead(&self, lpn: Lpn) -> Option<Ppa>;

    /// True when the data of a unit cannot be used, though its page can be read.
    fn is_lost(&self, lpn: Lpn) -> bool;

    /// Submits the read of some units of one page row (numbered over the drive) as it is.
    fn submit_alone<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId;

    /// A read of the host's rides on another, without being submitted for itself.
    fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar);

    /// Submits a read of some units of one page row, or lets it ride on one under way.
    fn submit_shared<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let ReadParts { path, controller, layout, stats } = self.read_parts();
        let sensed = layout.units_of_pages(mask);
        let units = RowUnits::of(layout, row, mask);
        let ride = path.merge.as_ref().and_then(|merge| find_ride(&**merge, controller, layout, units));
        if let Some((on, pages)) = ride {
            let mut rider = rider(controller, on, mask, pages, owner);
            (rider.origin, rider.class) = (origin, class_of(origin));
            if origin == Origin::Host {
                stats.reads_joined += 1;
                self.note_ride(&rider, calendar);
            }
            return self.read_parts().controller.ride(on, rider, sensed, calendar, probe);
        }
        let id = self.submit_alone(row, mask, origin, owner, calendar, probe);
        self.read_parts().controller.open_read(id, sensed);
        id
    }

    /// True when a unit was read ahead, or is on its way; `reads` counts what will report to the request for it.
    fn read_fetched<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        reads: &mut u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let ReadParts { path, layout, stats, .. } = self.read_parts();
        let Some(ahead) = &mut path.ahead else { return false };
        match ahead.take(lpn, stats, probe) {
            Taken::Absent => return false,
            Taken::There => {}
            Taken::OnItsWay(by, ppa) => {
                let bit = 1 << (ppa.0 % layout.row_units);
                match &mut path.riding {
                    Some((on, mask)) if *on == by => *mask |= bit,
                    _ => {
                        *reads += self.ride_on_fetched(request, calendar, probe);
                        self.read_parts().path.riding = Some((by, bit));
                    }
                }
            }
        }
        true
    }

    /// Lets the request wait for the units that it found on their way. Gives the number of reads that report to it.
    fn ride_on_fetched<P: Probe>(&mut self, request: u32, calendar: &mut Calendar, probe: &mut P) -> u32 {
        let ReadParts { path, controller, .. } = self.read_parts();
        let Some((on, mask)) = path.riding.take() else { return 0 };
        let rider = rider(controller, on, mask, 0, request);
        self.note_ride(&rider, calendar);
        self.read_parts().controller.ride(on, rider, 0, calendar, probe);
        1
    }

    /// The host read: what is likely to follow is fetched.
    fn fetch_ahead<P: Probe>(&mut self, first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P) {
        let ReadParts { path, layout, .. } = self.read_parts();
        let (limit, row_units) = (layout.logical_units, layout.row_units);
        let Some(mut ahead) = path.ahead.take() else { return };
        let home = |lpn| self.home_ahead(lpn);
        if let Some(followed) = ahead.follow((first, count), limit, row_units, home, probe) {
            let stats = self.read_parts().stats;
            stats.units_read_ahead += followed.units;
            stats.units_read_ahead_wasted += followed.wasted;
            for at in 0..ahead.fetches() {
                let fetch = ahead.fetch(at);
                let id = self.submit_shared(fetch.row, fetch.mask, Origin::ReadAhead, NONE, calendar, probe);
                let ReadParts { controller, stats, .. } = self.read_parts();
                let good = !controller.transaction(id).reading.uncorrectable;
                ahead.note_fetch(at, id, good, stats);
            }
        }
        self.read_parts().path.ahead = Some(ahead);
    }

    /// What was read ahead is there.
    fn on_fetched(&mut self, id: TransactionId, first: Ppa, mask: u64, holder: impl Fn(&Self, Ppa) -> Lpn) {
        let mut left = mask;
        while left != 0 {
            let ppa = Ppa(first.0 + left.trailing_zeros());
            left &= left - 1;
            let lpn = holder(self, ppa);
            let good = !self.is_lost(lpn);
            let ReadParts { path, stats, .. } = self.read_parts();
            if let Some(ahead) = &mut path.ahead {
                ahead.settle(lpn, ppa, id, good, stats);
            }
        }
    }
}
