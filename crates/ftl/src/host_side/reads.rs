//! How the host's reads reach the flash: some share an array read, some find what was read ahead.
//!
//! Both kinds of map read through here. Where neither `ftl.read_merge` nor `ftl.read_ahead` say so, a read is submitted as
//! it comes.

use crate::buffer::SlotState;
use crate::host_side::Host;
use crate::layout::sector_bytes;
use crate::media::Media;
use crate::read_ahead::{ReadAheadState, Taken};
use crate::read_merge::{ReadMerge, RowUnits, find_ride, rider};
use crate::settings::FtlConfig;
use crate::store::NONE;
use crate::{FtlStats, Output, Probe, Stages};
use controller::{Class, Context, Controller, Kind, Origin, TimedTransaction, Transaction, TransactionId};
use units::{DieId, Lpn, Ppa, SimTime, units_in};

/// Returns the class of a read for the host, which is the die's queue that it joins: host reads for requested data,
/// internal reads for read-ahead.
#[inline]
fn class_of(origin: Origin) -> Class {
    if origin == Origin::ReadAhead { Class::InternalRead } else { Class::HostRead }
}

/// State and policies of the host's read path: use of one array read (sense) by several reads, and read-ahead.
#[derive(Default)]
pub(crate) struct ReadPath {
    /// Field: policy that lets a read use the array read (sense) of another read; none if each read has its own array
    /// read.
    pub merge: Option<Box<dyn ReadMerge>>,
    /// Field: read-ahead area (DRAM) with the data that were read ahead, and the read-ahead policy; none if the drive
    /// does not read ahead.
    pub ahead: Option<Box<ReadAheadState>>,
    /// For the host request in progress: the read-ahead transaction in flight that already fetches some of its units,
    /// and the bit mask of these units in their page row; none if no unit of the request is being fetched by a
    /// read-ahead.
    riding: Option<(TransactionId, u64)>,
}

impl ReadPath {
    pub fn new(config: &FtlConfig, controller: &mut Controller) -> Self {
        let merge = (config.reads.merge)();
        let path = Self {
            merge: merge.merges().then_some(merge),
            ahead: ReadAheadState::new(&config.reads.ahead, &config.layout),
            riding: None,
        };
        if path.merge.is_some() || path.ahead.is_some() {
            controller.share_reads();
        }
        path
    }

    /// Removes the read-ahead data of a unit that was written, trimmed or returned to a former version.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn, stats: &mut FtlStats) {
        if let Some(ahead) = &mut self.ahead {
            ahead.forget(lpn, stats);
        }
    }

    /// Removes all read-ahead data, on a drive with no flash operation in flight.
    pub fn forget_all(&mut self, stats: &mut FtlStats) {
        if let Some(ahead) = &mut self.ahead {
            ahead.forget_all(stats);
        }
    }

    /// Returns the number of bytes of the simulator's memory that the read path takes.
    pub fn bytes(&self) -> usize {
        self.ahead.as_ref().map_or(0, |ahead| ahead.bytes())
    }
}

/// Record that describes a flash read of a part of a page row: number of the row, bit mask of the units read, and
/// number of bytes if only sectors of the units are read.
#[derive(Clone, Copy)]
pub(crate) struct RowPart {
    row: u32,
    mask: u64,
    bytes: u32,
}

/// Interface by which a translation layer serves the host's reads.
pub(crate) trait Reads {
    /// Returns two parts of this translation layer for use and change: the flash with the drive's features, and the
    /// state of the layer's work for the host (outputs, flushes, reads).
    fn parts(&mut self) -> (&mut Media, &mut Host);

    /// Evicts units from the write buffer while it holds more units than its limit: dirty units are queued for
    /// programming.
    #[inline]
    fn relieve(&mut self, _now: SimTime) {
        self.parts().0.core.relieve_buffer();
    }

    /// Returns the number of the die that the logical address of unit `lpn` determines: on this die a read of the unit
    /// takes place while it is not on flash.
    fn home_die(&self, lpn: Lpn) -> u32;

    /// Reads `count` units from `first`, whose map entries are in RAM, from the buffer and from flash. Returns the
    /// number of flash reads that `request` has to wait for.
    #[inline]
    fn read_found<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        self.parts().0.core.store.map.outgrow();
        if self.parts().0.features.knows_parts() {
            return self.read_units::<true, P>(request, first, count, ctx);
        }
        self.read_units::<false, P>(request, first, count, ctx)
    }

    /// Reads units as [`Self::read_found`] does. `PARTS` selects the compiled variant: true for drives that know which
    /// sectors of a unit are present, false for other drives, which skip the check.
    #[inline]
    fn read_units<const PARTS: bool, P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        ctx: &mut Context<P>,
    ) -> u32 {
        let mut reads = 0;
        let mut gathered = RowPart { row: NONE, mask: 0, bytes: 0 };
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let (media, host) = self.parts();
            let buffered =
                if media.core.buffer.used_slots() > 0 { media.core.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                media.core.buffer.note_read(slot);
            }
            let part = match buffered {
                _ if PARTS => media.features.part_to_read(request, lpn, buffered).unwrap_or(u64::MAX),
                Some(_) => 0,
                None => u64::MAX,
            };
            if part == 0 {
                media.core.store.stats.units_read_buffer += 1;
                continue;
            }
            if host.reads.ahead.is_some() && self.read_fetched(request, lpn, &mut reads, ctx) {
                let (media, _) = self.parts();
                media.features.host_reads(&media.core, lpn, media.core.store.map.lookup(lpn));
                continue;
            }
            let ppa = self.parts().0.core.store.map.lookup(lpn);
            if PARTS && self.read_nowhere(request, lpn, part, ctx) {
                reads += 1;
                continue;
            }
            let (media, _) = self.parts();
            if ppa == Ppa::NONE {
                media.core.store.stats.units_read_unmapped += 1;
                continue;
            }
            media.core.store.stats.units_read_flash += 1;
            if buffered.is_none() {
                ctx.probe.on_host_read(lpn, ppa); // Else the flash gives only what the newer version in the buffer lacks.
            }
            let (row, bit) = media.core.store.layout.row_of(ppa);
            media.features.host_reads(&media.core, lpn, ppa);
            if row != gathered.row || gathered.mask & bit != 0 {
                reads += self.submit_host_read(request, gathered, ctx);
                gathered = RowPart { row, mask: 0, bytes: 0 };
            }
            gathered.mask |= bit;
            if PARTS {
                gathered.bytes += sector_bytes(part);
            }
        }
        if self.parts().1.reads.ahead.is_some() {
            reads += self.ride_on_fetched(request, ctx);
        }
        reads + self.submit_host_read(request, gathered, ctx)
    }

    #[inline]
    fn submit_host_read<P: Probe>(&mut self, request: u32, of: RowPart, ctx: &mut Context<P>) -> u32 {
        let RowPart { row, mask, bytes } = of;
        if mask == 0 {
            return 0;
        }
        if bytes > 0 {
            self.parts().0.core.read_bytes = bytes;
        }
        if self.parts().1.reads.merge.is_some() {
            self.submit_shared(row, mask, Origin::Host, request, ctx);
        } else {
            self.submit_alone(row, mask, Origin::Host, request, ctx);
        }
        1
    }

    /// Submits the read of some sectors (mask `part`) of a unit that is not on flash (never written, or trimmed), and
    /// returns true, on drives that model such a read as a read from a die. Returns false without a read in all other
    /// cases.
    #[cold]
    fn read_nowhere<P: Probe>(&mut self, request: u32, lpn: Lpn, part: u64, ctx: &mut Context<P>) -> bool {
        let home = self.home_die(lpn);
        let (media, _) = self.parts();
        let place = media.core.store.map.lookup(lpn);
        if !media.features.reads_part(lpn, part, place, home) {
            return false;
        }
        media.core.store.stats.units_read_flash += 1;
        self.read_unwritten(lpn, Origin::Host, Class::HostRead, request, sector_bytes(part), ctx);
        true
    }

    /// Submits the read of `bytes` of a unit that is not on flash (never written, or trimmed), from the die that the
    /// unit's logical address determines.
    #[allow(clippy::too_many_arguments)]
    fn read_unwritten<P: Probe>(
        &mut self,
        lpn: Lpn,
        origin: Origin,
        class: Class,
        owner: u32,
        bytes: u32,
        ctx: &mut Context<P>,
    ) {
        let die = self.home_die(lpn);
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), Transaction::NOWHERE, 0);
        transaction.mask = 1;
        transaction.pages = 1;
        transaction.owner = owner;
        transaction.bytes = bytes;
        self.parts().0.core.store.controller.submit(transaction, ctx);
    }

    /// Submits the read of some units of one page row (numbered over the drive) with an array read of its own, and ends
    /// the background work of an idle die (collection, folding) there. Returns its transaction.
    #[inline]
    fn submit_alone<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        ctx: &mut Context<P>,
    ) -> TransactionId {
        let (media, _) = self.parts();
        let id = media.submit_read(row, mask, origin, class_of(origin), owner, ctx);
        let die = media.core.store.controller.transaction(id).die.index();
        media.core.collections[die].background = false;
        media.core.end_idle_folding(die);
        id
    }

    /// Submits a read of some units of one page row (numbered over the drive). If the policy allows it, the read uses
    /// the array read (sense) of another read in flight of that row; otherwise it gets its own array read, which later
    /// reads may use.
    fn submit_shared<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        ctx: &mut Context<P>,
    ) -> TransactionId {
        let (media, host) = self.parts();
        let (layout, controller) = (&media.core.store.layout, &media.core.store.controller);
        let sensed = layout.units_of_pages(mask);
        let units = RowUnits::of(layout, row, mask);
        let ride = host.reads.merge.as_ref().and_then(|merge| find_ride(&**merge, controller, layout, units));
        if let Some((on, pages)) = ride {
            let mut rider = rider(controller, on, mask, pages, owner);
            (rider.origin, rider.class) = (origin, class_of(origin));
            rider.bytes = std::mem::take(&mut media.core.read_bytes);
            if origin == Origin::Host {
                media.core.store.stats.reads_joined += 1;
                media.note_ride(&rider, &ctx.calendar);
            }
            return media.core.store.controller.ride(on, rider, sensed, ctx);
        }
        let id = self.submit_alone(row, mask, origin, owner, ctx);
        self.parts().0.core.store.controller.open_read(id, sensed);
        id
    }

    /// Looks up a unit of a host read in the read-ahead area; returns true if the unit's data are there or in flight,
    /// so that the unit needs no flash read of its own. Raises `reads` by the number of flash reads in flight that the
    /// request has to wait for.
    fn read_fetched<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        reads: &mut u32,
        ctx: &mut Context<P>,
    ) -> bool {
        let (media, host) = self.parts();
        let Some(ahead) = &mut host.reads.ahead else { return false };
        match ahead.take(lpn, &mut media.core.store.stats, &mut ctx.probe) {
            Taken::Absent => return false,
            Taken::There => {}
            Taken::OnItsWay(by, ppa) => {
                let (_, bit) = media.core.store.layout.row_of(ppa);
                match &mut host.reads.riding {
                    Some((on, mask)) if *on == by => *mask |= bit,
                    _ => {
                        *reads += self.ride_on_fetched(request, ctx);
                        self.parts().1.reads.riding = Some((by, bit));
                    }
                }
            }
        }
        true
    }

    /// Makes a host request wait for its units that a read-ahead in flight fetches. Returns the number of reads, 0 or
    /// 1, that the request has to wait for.
    fn ride_on_fetched<P: Probe>(&mut self, request: u32, ctx: &mut Context<P>) -> u32 {
        let (media, host) = self.parts();
        let Some((on, mask)) = host.reads.riding.take() else { return 0 };
        let rider = rider(&media.core.store.controller, on, mask, 0, request);
        media.note_ride(&rider, &ctx.calendar);
        media.core.store.controller.ride(on, rider, 0, ctx);
        1
    }

    /// Submits read-ahead of units that are likely to be read next, after the host read `count` units from `first`.
    fn fetch_ahead<P: Probe>(&mut self, first: Lpn, count: u32, ctx: &mut Context<P>) {
        let (media, host) = self.parts();
        let (limit, row_units) = (media.core.store.layout.logical_units, media.core.store.layout.row_units);
        let Some(mut ahead) = host.reads.ahead.take() else { return };
        if let Some(followed) =
            ahead.follow((first, count), limit, row_units, |lpn| media.home_ahead(lpn), &mut ctx.probe)
        {
            media.core.store.stats.units_read_ahead += followed.units;
            media.core.store.stats.units_read_ahead_wasted += followed.wasted;
            for at in 0..ahead.fetches() {
                let fetch = ahead.fetch(at);
                let id = self.submit_shared(fetch.row, fetch.mask, Origin::ReadAhead, NONE, ctx);
                let store = &mut self.parts().0.core.store;
                ahead.note_fetch(at, id);
                if store.controller.transaction(id).reading.uncorrectable {
                    ahead.drop_fetch(at, &mut store.stats);
                }
            }
        }
        self.parts().1.reads.ahead = Some(ahead);
    }

    /// Handles the end of a read-ahead: its data are in the read-ahead area now, and data that were lost are removed
    /// from it.
    #[cold]
    fn on_fetched(&mut self, id: TransactionId, read: &Transaction) {
        let (media, host) = self.parts();
        let Some(ahead) = &mut host.reads.ahead else { return };
        for ppa in media.core.store.units_of(read) {
            let lpn = media.core.store.map.holder(ppa);
            let lost = read.reading.uncorrectable || media.core.lost.is_lost(lpn);
            if ahead.settle(lpn, ppa, id) && lost {
                ahead.forget(lpn, &mut media.core.store.stats);
            }
        }
    }

    /// Handles, in the flash translation layer, the end of a flash read for the host, and reports to the host request
    /// that the data are available, or uncorrectable.
    fn end_host_read<P: Probe>(&mut self, read: &TimedTransaction, ctx: &mut Context<P>) {
        let (media, _) = self.parts();
        let mut reading = read.reading;
        reading.uncorrectable |= media.core.lost.has_lost() && media.core.reads_lost(read);
        if !reading.uncorrectable {
            self.keep_read(read, ctx);
        }
        self.parts().1.outputs.push(Output::Read {
            request: read.owner,
            units: units_in(read.mask),
            reading,
            stages: Stages::of(read),
        });
    }

    /// Stores data that the host read from flash in the write buffer as clean units, if the buffer also caches reads,
    /// has a free slot, and the host has not overwritten the data meanwhile.
    fn keep_read<P: Probe>(&mut self, read: &Transaction, ctx: &mut Context<P>) {
        let (media, _) = self.parts();
        if !media.core.buffer.is_cache() || read.superblock == Transaction::NOWHERE {
            return;
        }
        for ppa in media.core.store.units_of(read) {
            let (media, _) = self.parts();
            let lpn = media.core.store.map.holder(ppa);
            if lpn == Lpn::NONE || media.core.store.map.lookup(lpn) != ppa {
                continue;
            }
            let found = media.core.buffer.find(lpn);
            if let Some(slot) = found.filter(|&slot| media.core.buffer.slot(slot).state == SlotState::Clean) {
                media.features.released(slot, Some((lpn, read.owner)));
            } else if found.is_none() && media.core.buffer.keeps_clean(lpn) && media.has_slot() {
                let slot = media.core.buffer.insert_clean(lpn);
                media.features.released(slot, None);
                media.features.released(slot, Some((lpn, read.owner)));
                ctx.probe.on_kept(lpn, slot, ppa);
                self.relieve(ctx.calendar.now());
            }
        }
    }

    /// Adds to the statistics the number of units that a power cut would lose now, multiplied by the time in ns since
    /// the last call; must be called before that number changes. Does nothing with power loss protection.
    #[inline]
    fn account_risk(&mut self, now: SimTime) {
        let (media, host) = self.parts();
        if media.core.rules.power_loss_protection {
            return; // Capacitors: nothing is at risk.
        }
        media.core.store.stats.risk_unit_ns += host.risk.until(now, media.core.buffer.at_risk());
    }
}
