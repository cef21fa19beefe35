//! The translation layer of a drive and all below it, as the drive asks it: one branch for each call.

use super::AnyLayer;
use super::list::each;
use crate::buffer::Coverage;
use crate::host_side::{Arrives, Host, Reads, Serves};
use crate::layer::{Layer, Outlasts, Untimed};
use crate::mapping::Plan;
use crate::media::Media;
use crate::parts::{Parts, Whole};
use crate::upkeep::KeepsUp;
use crate::{
    Act, BlockMapped, CorrectionParts, FlashContents, Found, FtlConfig, Output, PageMapped, Probe,
    SavedState, ZoneMapped,
};
use controller::{Context, Controller, ControllerConfig, Interrupted};
use engine::Event;
use nand::FlashArray;
use units::{Lpn, SimTime};

/// Type of the flash translation layer of a drive (page-mapped, block-mapped or zoned), with everything below it:
/// buffer, map, controller, flash.
pub struct Ftl {
    pub(super) layer: AnyLayer,
}

/// Macro that declares methods of the drive's translation layer: each calls the method of the same name of the drive's
/// own kind of layer.
macro_rules! calls {
    ($($(#[$doc:meta])* fn $name:ident $([$p:ident])? ($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        pub fn $name $(<$p: Probe>)? (&mut self $(, $arg: $type)*) $(-> $out)? {
            each!(&mut self.layer, layer => layer.$name($($arg),*))
        })*
    };
}

/// Implements the methods of [`Ftl`], the drive's flash translation layer, that the host side of the simulator calls
/// while simulated time runs.
impl Ftl {
    calls! {
        /// Begins simulated time on a filled or constructed drive: submits the first garbage collection work on each
        /// die that needs it, before the drive takes writes.
        fn begin[P](ctx: &mut Context<P>);
        /// Reserves up to `wanted` write buffer slots (each for one mapping unit) for request `request`, which writes
        /// logical units from `first` on; returns the number reserved, which may be 0.
        fn reserve_at(request: u32, first: Lpn, wanted: u32) -> u32;
        /// Reads `count` units from `first` on for request `request`. Returns the number of flash reads that will
        /// report to the request.
        fn read[P](request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32;
        /// Stores the arrived data of one mapping unit of a host write in the write buffer slot that was reserved for
        /// it. `request` waits for the program unless it is `u32::MAX`.
        fn write[P](request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>);
        /// Carries out a host trim: discards the data of `count` logical units from `first` on.
        fn trim[P](first: Lpn, count: u32, ctx: &mut Context<P>);
        /// Starts a flush of the host: programs all acknowledged data to flash, or none with power loss protection;
        /// [`Output::Flushed`] reports the completion.
        fn flush[P](request: u32, ctx: &mut Context<P>);
        /// Carries out a host command that concerns the drive as a whole: taking, deleting or rolling back to a
        /// snapshot. Returns the serial number of the snapshot that was taken or deleted; `None` after a rollback, or
        /// if there is no such snapshot.
        fn act[P](act: Act, ctx: &mut Context<P>) -> Option<u32>;
        /// Handles an event of the flash translation layer or the flash controller; completions and other outputs of
        /// the translation layer can then be taken.
        fn handle[P](event: Event, ctx: &mut Context<P>);
        /// Moves waiting units of the write buffer into programs of dies, as long as a die can take more units.
        fn pump[P](ctx: &mut Context<P>);
        /// Queues all dirty units in the write buffer for programming, and starts as many programs as possible now.
        fn send_out[P](ctx: &mut Context<P>);
        /// Puts data of the drive's own that must become durable, records of trims, into the write buffer, to be
        /// programmed while capacitors supply a drive whose power failed.
        fn write_out_own[P](ctx: &mut Context<P>);
        /// Adds to the statistics of units at risk the number of units that a power cut would have lost, multiplied by
        /// the time in ns since the last call; does nothing with power loss protection.
        fn account_risk(now: SimTime);
        /// Submits the flash reads by which recovery finds the map after a power cut. Returns the numbers of pages to
        /// read, of superblocks with at least one programmed page, and of logical units found.
        ///
        /// # Panics
        /// When the drive was not made for power cuts.
        fn begin_finding[P](ctx: &mut Context<P>) -> Found;
        /// Handles a drive on which no operation is in flight and no unit can be moved any more: no request waits for
        /// it any longer and, if it lost blocks or is made for power cuts, it turns read-only.
        fn declare_stalled();
    }
}

/// Implements the methods of [`Ftl`], the drive's flash translation layer, for work without simulated time
/// (preconditioning), and for a drive without operations in flight.
impl Ftl {
    calls! {
        /// Writes logical unit `lpn` without simulated time, for preconditioning.
        ///
        /// # Panics
        /// When no die has space for the unit.
        fn write_untimed(lpn: Lpn);
        /// Writes logical unit `lpn` without simulated time, for preconditioning; returns false when no die has space
        /// for it, which can happen after blocks failed.
        fn try_write_untimed(lpn: Lpn) -> bool;
        /// Trims logical unit `lpn` for the host without simulated time, for preconditioning.
        fn trim_untimed(lpn: Lpn);
        /// Writes up to `count` units from `first` on to a fresh drive in order and without simulated time; returns the
        /// number written, which is 0 where the drive must be filled unit by unit.
        fn write_in_order(first: Lpn, count: u32) -> u32;
        /// Prepares a preconditioned drive for simulated time: completes the partly filled program unit (pages of one
        /// program operation) of each open superblock with padding, on a zoned drive with further host data.
        fn settle();
        /// Pads the partly filled programs that wait for more units and submits them, on all dies; returns false when
        /// no program waits.
        fn pad_all[P](ctx: &mut Context<P>) -> bool;
    }

    /// Returns the state of a drive without operations in flight, for saving.
    ///
    /// # Errors
    /// When an operation is in flight, the write buffer holds data that are not on flash, or a die has failed.
    pub fn save(&self) -> Result<SavedState, String> {
        let streams = self.core().store.streams();
        Ok(SavedState { streams, ..each!(&self.layer, layer => layer.save())? })
    }

    /// Loads a saved state into this drive, which must be fresh and of the same geometry.
    ///
    /// # Errors
    /// When the geometries differ or the state contradicts itself.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        each!(&mut self.layer, layer => layer.load(saved))?;
        let (media, _) = self.parts();
        if !saved.streams.is_empty() {
            media.core.store.go_on_with(&saved.streams)?;
        }
        let error = match saved.ages_ns.is_empty() {
            true => None,
            false => media.features.takes_ages(&saved.ages_ns),
        };
        error.map_or(Ok(()), Err)
    }

    /// Takes over the contents of the flash after a power cut in a newly made FTL; [`Self::begin_finding`] starts the
    /// reads that the recovery of the map needs.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or the flash is another drive's.
    pub fn take_over(&mut self, contents: FlashContents) {
        each!(&mut self.layer, layer => layer.go_on_from(contents));
    }

    /// Cuts the power at `now`: returns what remains on the flash, and the programs and erases that were interrupted.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn cut(mut self, now: SimTime) -> (FlashContents, Vec<Interrupted>) {
        self.account_risk(now);
        let Whole { mut media, upkeep, host } = each!(self.layer, layer => layer.into_base());
        let (interrupted, wreck) = media.interrupt(now);
        (media.left_over(wreck, host.risk, upkeep.turnover), interrupted)
    }
}

/// Implements the methods of [`Ftl`], the drive's flash translation layer, that work alike for all its kinds:
/// page-mapped, block-mapped and zoned.
impl Ftl {
    /// Makes a fresh drive with the mapping that `config` names: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub fn new(
        config: &FtlConfig,
        array: FlashArray,
        controller: Controller,
        rules: &ControllerConfig,
        correction: CorrectionParts,
        seed: u64,
    ) -> Result<Self, String> {
        let parts = Parts { config, array, controller, rules, correction, seed };
        let layer = match (config.mapping)().plan(&config.layout) {
            Plan::Pages(map) => {
                let map = map.or_else(|| (config.faults.recovery)().checkpoint(&config.layout));
                AnyLayer::Pages(Box::new(PageMapped::new(parts, map)?))
            }
            Plan::Blocks(rules) => AnyLayer::Blocks(Box::new(BlockMapped::new(parts, rules)?)),
            Plan::Zones(zoning, rules) => {
                let zoning = zoning.behind(config.beside_zones, config.layout.logical_units);
                AnyLayer::Zones(Box::new(ZoneMapped::new(parts, zoning, rules)?))
            }
        };
        Ok(Self { layer })
    }

    #[inline]
    pub(super) fn parts(&mut self) -> (&mut Media, &mut Host) {
        each!(&mut self.layer, layer => layer.parts())
    }

    /// Returns the page-mapped translation layer, whose steady state can be constructed; `None` for another mapping.
    pub fn as_page_mapped(&mut self) -> Option<&mut PageMapped> {
        self.layer.as_page_mapped()
    }

    /// Returns the block-mapped translation layer; `None` for another mapping.
    pub fn as_block_mapped(&mut self) -> Option<&mut BlockMapped> {
        self.layer.as_block_mapped()
    }

    /// Lets the map stay longer in its compact form (a rule and tables of changes, in place of flat arrays), so that
    /// [`Self::changed_since`] can answer for longer, at the price of slower lookups.
    pub fn keep_rule(&mut self) {
        self.parts().0.core.store.map.keep_rule();
    }

    /// Replaces the compact form of the map by flat arrays now, not only after many writes: for a drive whose run must
    /// not pause for that later, or before all of the map is looked up.
    pub fn make_arrays(&mut self) {
        self.parts().0.core.store.map.make_arrays();
    }

    /// Takes one output (completion of a read, program or flush) that the FTL has for the host side, the newest first;
    /// `None` if there is none.
    #[inline]
    pub fn take_output(&mut self) -> Option<Output> {
        self.parts().1.outputs.pop()
    }

    /// Reserves up to `wanted` free write buffer slots (each for one mapping unit); returns the number reserved, which
    /// may be 0.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        self.parts().0.reserve(wanted)
    }

    /// Checks whether unit `lpn` must not be overwritten, because a snapshot needs its present version and the drive
    /// lacks space; if so, returns true and releases the unit's reserved buffer slot.
    #[inline]
    pub fn refuses<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) -> bool {
        let (media, _) = self.parts();
        let refuses = media.features.may_not_lose(&media.core, lpn);
        if refuses {
            media.core.reserved_slots -= 1;
            media.features.refused(lpn);
            // What waits for all that is on its way may have waited for just this slot, with nothing on its way to the flash.
            media.features.finish(&mut media.core);
            each!(&mut self.layer, layer => layer.carry_out(ctx));
        }
        refuses
    }

    /// Tells the drive which bytes request `request` addresses, before the request is processed.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        self.parts().0.features.extent(request, offset, bytes);
    }

    /// Returns the number of bytes that host reads took from the write buffer since the last call; 0 on a drive that
    /// does not count them.
    pub fn take_cached(&mut self) -> u64 {
        self.parts().0.features.take_cached()
    }

    /// Adds wear to every block without erasing: `times` times the block's number of program/erase cycles in `worn`, as
    /// if the series of erases that caused `worn` were repeated so often.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.parts().0.core.store.wear_on(worn, times);
    }

    /// Ends upkeep (timed work) when the host has finished: the background scrub (patrol) ends and no refresh falls due
    /// any more, so that the drive becomes idle and the run can end.
    pub fn end_upkeep(&mut self) {
        let (media, upkeep) = each!(&mut self.layer, layer => layer.keeping());
        upkeep.end(media);
    }

    /// Returns true while the capacitors of a drive whose power failed must go on supplying it: until the data in its
    /// write buffer are on flash or, on a zoned drive, whose capacitors keep these data, until its programs in flight
    /// have ended.
    pub fn needs_power(&self) -> bool {
        each!(&self.layer, layer => layer.needs_power())
    }

    /// Removes all upkeep work (refresh, background scrub, scheduled snapshots) that is scheduled, because the power
    /// fails; a zoned drive submits no further program.
    pub fn pause_upkeep(&mut self) {
        each!(&mut self.layer, layer => layer.power_fails());
        if let Some(agenda) = &mut self.parts().0.core.agenda {
            agenda.empty();
        }
    }

    /// Begins the measurement of garbage collection work: victims and moved units from now on are recorded in the
    /// series of counters that `turnover` returns.
    pub fn begin_turnover(&mut self) {
        let mark = self.mark();
        each!(&mut self.layer, layer => layer.keeping()).1.turnover.begin(mark);
    }

    /// Handles an event while recovery reads the flash after a power cut; the drive does nothing else until then.
    /// Returns true when none of these reads is in flight any more.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.parts().0.core.find_on(event, ctx)
    }
}
