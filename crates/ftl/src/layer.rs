//! What a drive asks of its translation layer, whichever kind of mapping it has: one branch for each call.

use crate::agenda::Costs;
use crate::buffer::Dram;
use crate::guards::Stripes;
use crate::mapping::Plan;
use crate::parts::Parts;
use crate::{
    BlockMapped, FtlConfig, FtlStats, Layout, Mark, Output, PageMapped, Regulation, RegulationCounts,
    RegulationParts, SavedState, Seen, Snapshots, SuperblockState, Turnover, UpkeepCounts,
};
use controller::{Controller, Probe};
use engine::{Calendar, Event};
use nand::FlashArray;
use units::{Lpn, Nanos, Ppa, SimTime};

/// The flash translation layer and everything below it.
pub enum Ftl {
    /// A map of mapping units.
    Page(Box<PageMapped>),
    /// A map of blocks, and log blocks.
    Blocks(Box<BlockMapped>),
}

/// Declares methods that the kind of mapping at hand answers.
macro_rules! forward {
    ($($(#[$doc:meta])* fn $name:ident (&$self:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name(&$self $(, $arg: $type)*) $(-> $out)? {
            match $self {
                Self::Page(ftl) => ftl.$name($($arg),*),
                Self::Blocks(ftl) => ftl.$name($($arg),*),
            }
        })*
    };
    (mut $($(#[$doc:meta])* fn $name:ident $([$p:ident])? ($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name $(<$p: Probe>)? (&mut self $(, $arg: $type)*) $(-> $out)? {
            match self {
                Self::Page(ftl) => ftl.$name($($arg),*),
                Self::Blocks(ftl) => ftl.$name($($arg),*),
            }
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
        program_queue: u32,
        copyback: bool,
        regulation: RegulationParts,
        seed: u64,
    ) -> Result<Self, String> {
        let parts = Parts { config, array, controller, program_queue, copyback, regulation, seed };
        match (config.mapping)().plan(&config.layout) {
            Plan::Pages(map) => Ok(Self::Page(Box::new(PageMapped::new(parts, map)?))),
            Plan::Blocks(rules, span) => Ok(Self::Blocks(Box::new(BlockMapped::new(parts, rules, span)?))),
        }
    }

    /// What regulation counted so far; nothing where there is none.
    pub fn regulation_counts(&self) -> RegulationCounts {
        match self {
            Self::Page(ftl) => ftl.regulation_counts(),
            Self::Blocks(_) => RegulationCounts::default(),
        }
    }

    /// Costs of writes and reads; none where the drive has no code.
    pub fn regulation(&self) -> Option<&Regulation> {
        match self {
            Self::Page(ftl) => ftl.regulation(),
            Self::Blocks(_) => None,
        }
    }

    /// The time a patrol's round is to take, and the dies whose round takes longer now; none without a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        match self {
            Self::Page(ftl) => ftl.patrol(now),
            Self::Blocks(_) => None,
        }
    }

    /// The longest that anything of the host's has to wait for the flash: in that time each die could have moved all it
    /// holds, twice, one die of a channel after the other.
    pub fn longest_wait(&self) -> Nanos {
        let (layout, controller) = (self.layout(), self.controller());
        let turns = u64::from(layout.dies / controller.channels());
        let superblocks = 2 * turns * u64::from(layout.superblocks_per_die);
        let ns = Costs::of(layout, controller, self.regulation()).superblock.saturating_mul(superblocks);
        Nanos::new(ns.saturating_add(self.patience().ns()))
    }

    /// What upkeep did, its share of a die's time, and what waits for it; none where nothing comes back by the clock.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        match self {
            Self::Page(ftl) => ftl.upkeep(),
            Self::Blocks(_) => None,
        }
    }

    /// Bytes that superblocks with one bit a cell hold; absent where there can be none.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        match self {
            Self::Page(ftl) => ftl.cache_bytes(),
            Self::Blocks(_) => None,
        }
    }

    /// True when a superblock holds one bit a cell.
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        match self {
            Self::Page(ftl) => ftl.media.holds_one_bit(superblock),
            Self::Blocks(_) => false,
        }
    }

    /// The parity over dies, if there is one.
    pub fn parity(&self) -> Option<&Stripes> {
        match self {
            Self::Page(ftl) => ftl.parity(),
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

    /// The snapshots of the logical drive; none where it takes none.
    pub fn snapshots(&self) -> Option<&Snapshots> {
        match self {
            Self::Page(ftl) => ftl.snapshots(),
            Self::Blocks(_) => None,
        }
    }

    /// Where a snapshot sees a unit; none when there is no such snapshot.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        match self {
            Self::Page(ftl) => ftl.lookup_in(serial, lpn),
            Self::Blocks(_) => None,
        }
    }

    /// True when a unit may not be overwritten for the sake of snapshots; its reserved slot is then given back.
    #[inline]
    pub fn refuses<P: Probe>(&mut self, lpn: Lpn, calendar: &mut Calendar, probe: &mut P) -> bool {
        let Self::Page(ftl) = self else { return false };
        let refuses = ftl.refuses(lpn);
        if refuses {
            ftl.refuse(lpn);
            // The way back to a snapshot may have waited for just this slot, with nothing on its way to the flash.
            ftl.go_on_rolling_back(calendar, probe);
        }
        refuses
    }

    /// Says which bytes of the drive a request is about, before it is worked on.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        if let Self::Page(ftl) = self {
            ftl.note_extent(request, offset, bytes);
        }
    }

    /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
    #[inline]
    pub fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        match self {
            Self::Page(ftl) => ftl.reserve_at(request, first, wanted),
            Self::Blocks(ftl) => ftl.reserve(wanted),
        }
    }

    /// What an access to the buffer's DRAM takes; none where it takes nothing.
    pub fn dram(&self) -> Option<Dram> {
        match self {
            Self::Page(ftl) => ftl.dram(),
            Self::Blocks(_) => None,
        }
    }

    /// Bytes that were read from the buffer since the last call, where sectors are known.
    pub fn take_cached(&mut self) -> u64 {
        match self {
            Self::Page(ftl) => ftl.take_cached(),
            Self::Blocks(_) => 0,
        }
    }

    forward! {
        /// The shape of the drive.
        fn layout(&self) -> &Layout;
        /// What was counted so far.
        fn stats(&self) -> &FtlStats;
        /// The counters after every so many victims, or merges, since measuring began.
        fn turnover(&self) -> &Turnover;
        /// The counters now.
        fn mark(&self) -> Mark;
        /// The controller, for its busy times.
        fn controller(&self) -> &Controller;
        /// The blocks, for their wear.
        fn array(&self) -> &FlashArray;
        /// True once too many blocks failed: writes are refused from then on.
        fn is_read_only(&self) -> bool;
        /// Writes are acknowledged when the buffer holds them.
        fn is_write_back(&self) -> bool;
        /// The buffer survives a power cut: what it holds is durable.
        fn is_protected(&self) -> bool;
        /// The most units that were acknowledged and not on flash at once since the run began.
        fn risk_most(&self) -> u32;
        /// Mapping units that the buffer holds at most.
        fn buffer_units(&self) -> u32;
        /// Bytes of state: map, superblocks, buffer.
        fn state_bytes(&self) -> usize;
        /// Bytes of RAM that the modelled drive's map takes.
        fn map_bytes(&self) -> u64;
        /// How long data may wait for company before they are programmed.
        fn patience(&self) -> Nanos;
        /// Why each die takes no more writes, for the message of a run that is stuck.
        fn explain_stall(&self) -> String;
        /// Superblocks not lost to bad blocks, over all dies.
        fn usable_superblocks(&self) -> u32;
        /// Valid mapping units of each superblock of the drive.
        fn valid_units(&self) -> &[u32];
        /// State of each superblock of the drive.
        fn superblock_states(&self) -> &[SuperblockState];
        /// Where `lpn` lives on flash, or [`Ppa::NONE`].
        fn lookup(&self, lpn: Lpn) -> Ppa;
        /// What the spare area of `ppa` says it holds.
        fn holder(&self, ppa: Ppa) -> Lpn;
        /// True when `ppa` counts as valid.
        fn is_valid(&self, ppa: Ppa) -> bool;
        /// Asks for the cache lines a request for `lpn` will need.
        fn prefetch(&self, lpn: Lpn);
        /// True when [`Self::reserve`] would give something.
        fn has_room(&self) -> bool;
        /// True while the buffer holds data that is not on flash.
        fn is_draining(&self) -> bool;
        /// Takes the state of a drive at rest.
        ///
        /// # Errors
        /// When something is under way.
        fn save(&self) -> Result<SavedState, String>;
    }

    forward! { mut
        /// Nothing can be moved any more. A drive that lost blocks is then at its end: it turns read-only, and
        /// no request waits for it any longer.
        fn declare_stalled();
        /// Measuring begins: what collection does from now on counts.
        fn begin_turnover();
        /// Counts what a power cut would have lost, for the time until now.
        fn account_risk(now: SimTime);
        /// Sends all that the buffer holds to the flash.
        fn send_out[P](calendar: &mut Calendar, probe: &mut P);
        /// Takes one output.
        fn take_output() -> Option<Output>;
        /// Reserves up to `wanted` buffer slots; gives how many.
        fn reserve(wanted: u32) -> u32;
        /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
        fn begin[P](calendar: &mut Calendar, probe: &mut P);
        /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
        fn read[P](request: u32, first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P) -> u32;
        /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
        /// unless it is `u32::MAX`; `whole`: the write covers the whole unit.
        fn write[P](request: u32, lpn: Lpn, whole: bool, calendar: &mut Calendar, probe: &mut P);
        /// The host no longer needs `count` units from `first`.
        fn trim[P](first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P);
        /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
        fn flush[P](request: u32, calendar: &mut Calendar, probe: &mut P);
        /// Binds waiting units to dies as long as some die can take them.
        fn pump[P](calendar: &mut Calendar, probe: &mut P);
        /// Handles an event of this crate or the controller; outputs can then be taken.
        fn handle[P](event: Event, calendar: &mut Calendar, probe: &mut P);
        /// Writes one unit in no time.
        fn write_untimed(lpn: Lpn);
        /// The host no longer needs a unit; in no time.
        fn trim_untimed(lpn: Lpn);
        /// Writes one unit in no time; false when there is no room for it, as blocks that failed can bring about.
        fn try_write_untimed(lpn: Lpn) -> bool;
        /// Lets time begin again: open superblocks are completed to whole program units.
        fn settle();
        /// Puts a saved state into this drive, which must be fresh and of the same shape.
        ///
        /// # Errors
        /// When the shapes differ or the state contradicts itself.
        fn load(saved: &SavedState) -> Result<(), String>;
    }
}
