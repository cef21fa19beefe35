//! What a drive asks of its translation layer, whichever kind of mapping it has: one branch for each call.

use crate::agenda::Costs;
use crate::buffer::{Coverage, Dram};
use crate::host_side::{Arrives, Host, Reads, Serves};
use crate::mapping::Plan;
use crate::media::Media;
use crate::parts::{Parts, costs_of};
use crate::upkeep::Upkeep;
use crate::{
    Act, Beginning, BlockMapped, Found, FtlConfig, FtlStats, Layout, Listed, Mark, Medium, Output,
    PageMapped, Probe, RegulationParts, SavedState, Seen, SuperblockState, Turnover, UpkeepCounts,
};
use controller::{Context, Controller, ControllerConfig, Interrupted};
use engine::Event;
use nand::FlashArray;
use std::ops::Range;
use std::time::Duration;
use units::{Lpn, Nanos, Ppa, SimTime};

/// The flash translation layer and everything below it.
pub enum Ftl {
    /// A map of mapping units.
    Page(Box<PageMapped>),
    /// A map of blocks, and log blocks.
    Blocks(Box<BlockMapped>),
}

/// What the kind of mapping at hand answers.
macro_rules! either {
    ($self:expr, $ftl:ident => $answer:expr) => {
        match $self {
            Self::Page($ftl) => $answer,
            Self::Blocks($ftl) => $answer,
        }
    };
}

/// Declares methods that the kind of mapping at hand answers.
macro_rules! forward {
    ($($(#[$doc:meta])* fn $name:ident (&$self:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name(&$self $(, $arg: $type)*) $(-> $out)? {
            either!($self, ftl => ftl.$name($($arg),*))
        })*
    };
    (mut $($(#[$doc:meta])* fn $name:ident $([$p:ident])? ($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name $(<$p: Probe>)? (&mut self $(, $arg: $type)*) $(-> $out)? {
            either!(self, ftl => ftl.$name($($arg),*))
        })*
    };
}

/// Declares what a layer answers from the parts that both kinds of mapping are made of.
macro_rules! of_parts {
    ($($(#[$doc:meta])* $name:ident () -> $out:ty { |$ftl:ident| $answer:expr })*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name(&self) -> $out {
            let $ftl = self;
            $answer
        })*
    };
}

impl Ftl {
    /// A fresh drive of the kind that `config` names: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub fn new(
        config: &FtlConfig,
        array: FlashArray,
        controller: Controller,
        rules: &ControllerConfig,
        regulation: RegulationParts,
        seed: u64,
    ) -> Result<Self, String> {
        let parts = Parts { config, array, controller, rules, regulation, seed };
        match (config.mapping)().plan(&config.layout) {
            Plan::Pages(map) => {
                let map = map.or_else(|| (config.faults.recovery)().checkpoint(&config.layout));
                Ok(Self::Page(Box::new(PageMapped::new(parts, map)?)))
            }
            Plan::Blocks(rules) => Ok(Self::Blocks(Box::new(BlockMapped::new(parts, rules)?))),
        }
    }

    #[inline]
    fn media(&self) -> &Media {
        either!(self, ftl => &ftl.media)
    }

    #[inline]
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        either!(self, ftl => ftl.parts())
    }

    fn host(&self) -> &Host {
        either!(self, ftl => &ftl.host)
    }

    fn reasons(&self) -> &Upkeep {
        either!(self, ftl => &ftl.upkeep)
    }

    of_parts! {
        /// The shape of the drive.
        layout() -> &Layout { |ftl| &ftl.media().core.store.layout }
        /// What was counted so far.
        stats() -> &FtlStats { |ftl| &ftl.media().core.store.stats }
        /// The counters after every so many victims, or merges, since measuring began.
        turnover() -> &Turnover { |ftl| &ftl.reasons().turnover }
        /// The counters now.
        mark() -> Mark { |ftl| ftl.media().core.mark() }
        /// The controller, for its busy times.
        controller() -> &Controller { |ftl| &ftl.media().core.store.controller }
        /// The blocks, for their wear.
        array() -> &FlashArray { |ftl| &ftl.media().core.store.array }
        /// True once too many blocks failed: writes are refused from then on.
        is_read_only() -> bool { |ftl| ftl.media().core.read_only }
        /// Writes are acknowledged when the buffer holds them.
        is_write_back() -> bool { |ftl| ftl.media().core.rules.write_back }
        /// The buffer survives a power cut: what it holds is durable.
        is_protected() -> bool { |ftl| ftl.media().core.rules.power_loss_protection }
        /// Units that were acknowledged and are not on flash now: a power cut would take them.
        at_risk() -> u32 { |ftl| ftl.media().core.buffer.at_risk() }
        /// Bytes that the host wrote and the buffer alone holds, each once.
        held_bytes() -> u64 { |ftl| ftl.media().core.buffer.held_bytes(ftl.layout().unit.get()) }
        /// The most units that were acknowledged and not on flash at once since the run began.
        risk_most() -> u32 { |ftl| ftl.host().risk.most }
        /// Mapping units that the buffer holds at most.
        buffer_units() -> u32 { |ftl| ftl.media().core.buffer.slots() }
        /// Units that the write buffer has room for now.
        buffer_slots_free() -> u32 { |ftl| ftl.media().core.buffer.free_slots() }
        /// Units that the buffer holds: all, and the ones not on flash.
        buffered() -> [u32; 2] { |ftl| [ftl.media().core.buffer.used_slots(), ftl.media().core.buffer.dirty_slots()] }
        /// Units may stay in the buffer to be used again.
        is_buffer_cache() -> bool { |ftl| ftl.media().core.buffer.is_cache() }
        /// Units that were only read may stay in it, too.
        keeps_clean() -> bool { |ftl| ftl.media().core.buffer.keeps_clean(Lpn(0)) }
        /// How long data may wait for company before they are programmed.
        patience() -> Nanos { |ftl| ftl.media().core.assembly.flush_after }
        /// Superblocks not lost to bad blocks, over all dies.
        usable_superblocks() -> u32 { |ftl| ftl.media().core.store.space.usable() }
        /// Valid mapping units of each superblock of the drive.
        valid_units() -> &[u32] { |ftl| &ftl.media().core.store.space.valid }
        /// State of each superblock of the drive.
        superblock_states() -> &[SuperblockState] { |ftl| &ftl.media().core.store.space.state }
        /// How long it took to make the map's arrays, which may be long after the drive was built.
        map_made_in() -> Duration { |ftl| ftl.media().core.store.map.made_in() }
        /// True when [`Self::reserve`] would give something.
        has_room() -> bool { |ftl| ftl.media().has_slot() }
        /// At power-up it must find its map again.
        recovers() -> bool { |ftl| ftl.media().features.recovers() }
        /// True while the buffer holds data that is not on flash.
        is_draining() -> bool { |ftl| ftl.media().is_draining() }
        /// Bytes that superblocks with one bit a cell hold; absent where there can be none.
        cache_bytes() -> Option<u64> { |ftl| ftl.media().features.one_bit_bytes() }
        /// What an access to the buffer's DRAM takes; none where it takes nothing.
        dram() -> Option<Dram> { |ftl| ftl.host().dram }
    }

    /// The time a patrol's round is to take, and the dies whose round takes longer now; none without a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        self.reasons().patrol.as_ref().map(|patrol| (patrol.period(), patrol.overdue(now)))
    }

    /// True when a superblock holds one bit a cell.
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        self.media().core.store.space.holds_one_bit(superblock)
    }

    /// What upkeep did, the most of a die's time it may take, and the superblocks that wait for it; none where nothing
    /// comes back by the clock alone.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        self.media().core.agenda.as_ref().map(|agenda| (agenda.counts, agenda.share(), agenda.waiting()))
    }

    /// Bytes of state: map, superblocks, buffer.
    pub fn state_bytes(&self) -> usize {
        let beside = match self {
            Self::Page(_) => 0,
            Self::Blocks(ftl) => ftl.bytes(),
        };
        self.media().bytes() + self.host().bytes() + beside
    }

    /// Where `lpn` lives on flash, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.media().core.store.map.lookup(lpn)
    }

    /// Where all units live now, to be kept.
    pub fn beginning(&self) -> Beginning {
        self.media().core.store.map.beginning()
    }

    /// Lets [`Self::changed_since`] answer for longer, at the price of slower lookups.
    pub fn keep_rule(&mut self) {
        self.parts().0.core.store.map.keep_rule();
    }

    /// The units that may live elsewhere than a beginning says; none where that is not known without asking for all.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        self.media().core.store.map.changed_since(beginning)
    }

    /// The first unit from `from` on, below `end`, that lives nowhere.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        self.media().core.store.map.first_unwritten(from, end)
    }

    /// Makes the arrays of the map, which otherwise come when so much was written that they pay: for a drive that answers at
    /// its own pace and cannot pause for that, and where all of the map is about to be looked up.
    pub fn make_arrays(&mut self) {
        self.parts().0.core.store.map.make_arrays();
    }

    /// The runs of units among these that live on flash, ascending.
    pub fn written(&self, units: Range<u32>) -> Vec<Range<u32>> {
        self.media().core.store.map.written(units)
    }

    /// Writes units of a fresh drive in order and at once, as many of `count` as can be; gives how many it wrote.
    pub fn write_in_order(&mut self, first: Lpn, count: u32) -> u32 {
        self.as_page_mapped().map_or(0, |pages| pages.write_in_order(first, count))
    }

    /// What the spare area of `ppa` says it holds.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.media().core.store.map.holder(ppa)
    }

    /// True when `ppa` counts as valid.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.media().core.store.map.is_valid(ppa)
    }

    /// Asks for the cache lines a request for `lpn` will need.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.media().core.store.map.prefetch_lookup(lpn);
    }

    /// Asks for the cache line that overwriting `lpn` will need, once its map entry is at hand.
    #[inline]
    pub fn prefetch_home(&self, lpn: Lpn) {
        let map = &self.media().core.store.map;
        map.prefetch_validity(map.lookup(lpn));
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

    /// Wears every block by `times` times the cycles of `worn`: whole generations of the same erases.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.parts().0.core.store.wear_on(worn, times);
    }

    /// The host is gone: no more data are looked at or fall due, so that the drive comes to rest.
    pub fn end_upkeep(&mut self) {
        either!(self, ftl => ftl.upkeep.end(&mut ftl.media))
    }

    /// Measuring begins: what collection does from now on counts.
    pub fn begin_turnover(&mut self) {
        let mark = self.mark();
        either!(self, ftl => ftl.upkeep.turnover.begin(mark))
    }

    /// The longest that anything of the host's has to wait for the flash: in that time each die could have moved all it
    /// holds, twice, one die of a channel after the other.
    pub fn longest_wait(&self) -> Nanos {
        let (layout, controller) = (self.layout(), self.controller());
        let turns = u64::from(layout.dies / controller.channels());
        let superblocks = 2 * turns * u64::from(layout.superblocks_per_die);
        let (senses, costs) = costs_of(&self.media().features);
        let ns = Costs::of_die(layout, controller, senses, costs).superblock.saturating_mul(superblocks);
        Nanos::new(ns.saturating_add(self.patience().ns()))
    }

    /// Takes the state of a drive at rest.
    ///
    /// # Errors
    /// When an operation is in flight.
    pub fn save(&self) -> Result<SavedState, String> {
        let streams = self.media().core.store.streams();
        Ok(SavedState { streams, ..either!(self, ftl => ftl.save())? })
    }

    /// Puts a saved state into this drive, which must be fresh and of the same shape.
    ///
    /// # Errors
    /// When the shapes differ or the state contradicts itself.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        either!(self, ftl => ftl.load(saved))?;
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

    /// The power fails at `now`: what is left is what the flash holds, and the programs and erases that were in flight.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn cut(self, now: SimTime) -> (Medium, Vec<Interrupted>) {
        either!(self, ftl => ftl.cut(now))
    }

    /// The power fails: nothing comes back by the clock any more.
    pub fn pause_upkeep(&mut self) {
        if let Some(agenda) = &mut self.parts().0.core.agenda {
            agenda.empty();
        }
    }

    /// Begins the reads by which the recovery method finds the map.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        self.parts().0.begin_finding(ctx)
    }

    /// An event while the map is looked for: nothing else is done until it is found. True when it is.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.parts().0.core.find_on(event, ctx)
    }

    /// Completes the programs that wait for more units with empty ones; false when none does.
    pub fn pad_all<P: Probe>(&mut self, ctx: &mut Context<P>) -> bool {
        self.as_page_mapped().is_some_and(|pages| pages.pad_all(ctx))
    }

    /// Superblocks that were erased without time and gained the host no room; none while they do.
    pub fn erased_in_vain(&self) -> Option<u64> {
        match self {
            Self::Page(ftl) => ftl.erased_in_vain(),
            Self::Blocks(_) => None,
        }
    }

    /// The page-mapped layer, if that is what it is: its steady state can be constructed.
    pub fn as_page_mapped(&mut self) -> Option<&mut PageMapped> {
        match self {
            Self::Page(ftl) => Some(ftl),
            Self::Blocks(_) => None,
        }
    }

    /// The block-mapped layer, if that is what it is.
    pub fn as_block_mapped(&mut self) -> Option<&mut BlockMapped> {
        match self {
            Self::Page(_) => None,
            Self::Blocks(ftl) => Some(ftl),
        }
    }

    /// Where a version of a unit is that is kept under a number; none where nothing is.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        let media = self.media();
        media.features.seen_in(&media.core, serial, lpn)
    }

    /// A feature of the drive, if it has it.
    pub fn feature<T: Listed>(&self) -> Option<&T> {
        T::of(&self.media().features)
    }

    /// True when a unit may not be overwritten, for what it holds must stay; its reserved slot is then given back.
    #[inline]
    pub fn refuses<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) -> bool {
        let (media, _) = self.parts();
        let refuses = media.features.may_not_lose(&media.core, lpn);
        if refuses {
            media.core.reserved_slots -= 1;
            media.features.refused(lpn);
            // What waits for all that is on its way may have waited for just this slot, with nothing on its way to the flash.
            media.features.finish(&mut media.core);
            either!(self, ftl => ftl.carry_out(ctx));
        }
        refuses
    }

    /// Says which bytes of the drive a request is about, before it is worked on.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        self.parts().0.features.extent(request, offset, bytes);
    }

    /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
    #[inline]
    pub fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        either!(self, ftl => ftl.reserve_at(request, first, wanted))
    }

    /// Bytes that were read from the buffer since the last call, where that counts.
    pub fn take_cached(&mut self) -> u64 {
        self.parts().0.features.take_cached()
    }

    forward! {
        /// Bytes of RAM that the modelled drive's map takes.
        fn map_bytes(&self) -> u64;
        /// Why each die takes no more writes, for the message of a run that is stuck.
        fn explain_stall(&self) -> String;
    }

    forward! { mut
        /// Nothing can be moved any more. A drive that lost blocks is then at its end: it turns read-only, and
        /// no request waits for it any longer.
        fn declare_stalled();
        /// Takes over what the flash holds, in a layer that was made fresh; [`Self::begin_finding`] reads what that takes.
        ///
        /// # Panics
        /// When the drive was not made for power cuts, or is another than the one whose flash it is.
        fn take_over(medium: Medium);
        /// Counts what a power cut would have lost, for the time until now.
        fn account_risk(now: SimTime);
        /// Puts what the drive keeps for itself and the flash lacks into the buffer.
        fn write_out_own[P](ctx: &mut Context<P>);
        /// Does what is asked of the logical drive as a whole; gives the number of what is kept, or was.
        fn act[P](act: Act, ctx: &mut Context<P>) -> Option<u32>;
        /// Sends all that the buffer holds to the flash.
        fn send_out[P](ctx: &mut Context<P>);
        /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
        fn begin[P](ctx: &mut Context<P>);
        /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
        fn read[P](request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32;
        /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
        /// unless it is `u32::MAX`.
        fn write[P](request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>);
        /// The host no longer needs `count` units from `first`.
        fn trim[P](first: Lpn, count: u32, ctx: &mut Context<P>);
        /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
        fn flush[P](request: u32, ctx: &mut Context<P>);
        /// Binds waiting units to dies as long as some die can take them.
        fn pump[P](ctx: &mut Context<P>);
        /// Handles an event of this crate or the controller; outputs can then be taken.
        fn handle[P](event: Event, ctx: &mut Context<P>);
        /// Writes one unit in no time.
        fn write_untimed(lpn: Lpn);
        /// The host no longer needs a unit; in no time.
        fn trim_untimed(lpn: Lpn);
        /// Writes one unit in no time; false when there is no room for it, as blocks that failed can bring about.
        fn try_write_untimed(lpn: Lpn) -> bool;
        /// Lets time begin again: open superblocks are completed to whole program units.
        fn settle();
    }
}
