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
    Act, BlockMapped, CorrectionParts, Found, FtlConfig, Medium, Output, PageMapped, Probe, SavedState,
    ZoneMapped,
};
use controller::{Context, Controller, ControllerConfig, Interrupted};
use engine::Event;
use nand::FlashArray;
use units::{Lpn, SimTime};

/// The flash translation layer and everything below it.
pub struct Ftl {
    pub(super) layer: AnyLayer,
}

/// Declares calls that the layer at hand answers.
macro_rules! calls {
    ($($(#[$doc:meta])* fn $name:ident $([$p:ident])? ($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name $(<$p: Probe>)? (&mut self $(, $arg: $type)*) $(-> $out)? {
            each!(&mut self.layer, layer => layer.$name($($arg),*))
        })*
    };
}

/// Calls of the layer in time.
impl Ftl {
    calls! {
        /// Begins simulated time: a drive that was filled or constructed may have to collect before it can
        /// take writes.
        fn begin[P](ctx: &mut Context<P>);
        /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
        fn reserve_at(request: u32, first: Lpn, wanted: u32) -> u32;
        /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
        fn read[P](request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32;
        /// Takes the data of one unit of a write that arrived; its slot was reserved. `request` waits for the
        /// program unless it is `u32::MAX`.
        fn write[P](request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>);
        /// Trims, for the host, `count` units from `first`.
        fn trim[P](first: Lpn, count: u32, ctx: &mut Context<P>);
        /// Puts all acknowledged data on flash, for a flush of the host; [`Output::Flushed`] tells when.
        fn flush[P](request: u32, ctx: &mut Context<P>);
        /// Does what is asked of the logical drive as a whole; gives the number of what is kept, or was.
        fn act[P](act: Act, ctx: &mut Context<P>) -> Option<u32>;
        /// Handles an event of this crate or the controller; outputs can then be taken.
        fn handle[P](event: Event, ctx: &mut Context<P>);
        /// Binds waiting units to dies as long as some die can take them.
        fn pump[P](ctx: &mut Context<P>);
        /// Sends all that the buffer holds to the flash.
        fn send_out[P](ctx: &mut Context<P>);
        /// Puts what the drive keeps for itself and the flash lacks into the buffer.
        fn write_out_own[P](ctx: &mut Context<P>);
        /// Counts what a power cut would have lost, for the time until now.
        fn account_risk(now: SimTime);
        /// Declares that no unit can be moved any more. A drive that lost blocks has then worn out: it turns
        /// read-only, and no request waits for it any longer.
        fn declare_stalled();
    }
}

/// Calls of the layer without time, and of a drive at rest.
impl Ftl {
    calls! {
        /// Writes one unit without simulated time.
        fn write_untimed(lpn: Lpn);
        /// Writes one unit without simulated time; false when there is no room for it, which can happen after blocks
        /// failed.
        fn try_write_untimed(lpn: Lpn) -> bool;
        /// Trims a unit for the host without simulated time.
        fn trim_untimed(lpn: Lpn);
        /// Writes units of a fresh drive in order without simulated time, up to `count` of them; returns how many it
        /// wrote.
        fn write_in_order(first: Lpn, count: u32) -> u32;
        /// Prepares for simulated time: open superblocks are completed to whole program units.
        fn settle();
        /// Completes the programs that wait for more units with empty ones; false when none does.
        fn pad_all[P](ctx: &mut Context<P>) -> bool;
    }

    /// Takes the state of a drive at rest.
    ///
    /// # Errors
    /// When an operation is in flight.
    pub fn save(&self) -> Result<SavedState, String> {
        let streams = self.core().store.streams();
        Ok(SavedState { streams, ..each!(&self.layer, layer => layer.save())? })
    }

    /// Puts a saved state into this drive, which must be fresh and of the same shape.
    ///
    /// # Errors
    /// When the shapes differ or the state contradicts itself.
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

    /// Takes over the contents of the flash in a newly made layer; [`Self::begin_finding`] starts the reads that the
    /// recovery of the map needs.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or is another than the one whose flash it is.
    pub fn take_over(&mut self, medium: Medium) {
        each!(&mut self.layer, layer => layer.go_on_from(medium));
    }

    /// Cuts the power at `now`: returns what is left on the flash, and the programs and erases that were in
    /// flight.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn cut(mut self, now: SimTime) -> (Medium, Vec<Interrupted>) {
        self.account_risk(now);
        let Whole { mut media, upkeep, host } = each!(self.layer, layer => layer.into_base());
        let (interrupted, wreck) = media.interrupt(now);
        (media.left_over(wreck, host.risk, upkeep.turnover), interrupted)
    }
}

/// Changes of the core, which are the same for all layers.
impl Ftl {
    /// Makes a fresh drive of the kind that `config` names: nothing written, every good superblock free.
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
            Plan::Zones(zoning, rules) => AnyLayer::Zones(Box::new(ZoneMapped::new(parts, zoning, rules)?)),
        };
        Ok(Self { layer })
    }

    #[inline]
    pub(super) fn parts(&mut self) -> (&mut Media, &mut Host) {
        each!(&mut self.layer, layer => layer.parts())
    }

    /// Returns the page-mapped layer, if the drive has one: its steady state can be constructed.
    pub fn as_page_mapped(&mut self) -> Option<&mut PageMapped> {
        self.layer.as_page_mapped()
    }

    /// Returns the block-mapped layer, if the drive has one.
    pub fn as_block_mapped(&mut self) -> Option<&mut BlockMapped> {
        self.layer.as_block_mapped()
    }

    /// Lets [`Self::changed_since`] answer for longer, at the price of slower lookups.
    pub fn keep_rule(&mut self) {
        self.parts().0.core.store.map.keep_rule();
    }

    /// Makes the arrays of the map, which otherwise come when so much was written that they pay: for a drive that answers at
    /// its own pace and cannot pause for that, and where all of the map is about to be looked up.
    pub fn make_arrays(&mut self) {
        self.parts().0.core.store.map.make_arrays();
    }

    /// Takes one output.
    #[inline]
    pub fn take_output(&mut self) -> Option<Output> {
        self.parts().1.outputs.pop()
    }

    /// Reserves up to `wanted` buffer slots; gives how many.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        self.parts().0.reserve(wanted)
    }

    /// True when a unit may not be overwritten, because its present version must stay; its reserved slot is then given
    /// back.
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

    /// Says which bytes of the drive a request is about, before it is worked on.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        self.parts().0.features.extent(request, offset, bytes);
    }

    /// Returns the number of bytes that were read from the buffer since the last call, where that counts.
    pub fn take_cached(&mut self) -> u64 {
        self.parts().0.features.take_cached()
    }

    /// Wears every block by `times` times the cycles of `worn`: whole generations of the same erases.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.parts().0.core.store.wear_on(worn, times);
    }

    /// Ends upkeep when the host has finished: the patrol ends and no work falls due, so that the drive comes
    /// to rest.
    pub fn end_upkeep(&mut self) {
        let (media, upkeep) = each!(&mut self.layer, layer => layer.keeping());
        upkeep.end(media);
    }

    /// Pauses upkeep because the power fails: nothing comes back by the clock any more.
    pub fn pause_upkeep(&mut self) {
        if let Some(agenda) = &mut self.parts().0.core.agenda {
            agenda.empty();
        }
    }

    /// Begins measuring: what collection does from now on counts.
    pub fn begin_turnover(&mut self) {
        let mark = self.mark();
        each!(&mut self.layer, layer => layer.keeping()).1.turnover.begin(mark);
    }

    /// Begins the reads by which the recovery method finds the map.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        self.parts().0.begin_finding(ctx)
    }

    /// Handles an event while the drive finds its map; nothing else is done until then. True when the map is found.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.parts().0.core.find_on(event, ctx)
    }
}
