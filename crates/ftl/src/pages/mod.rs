//! The page-mapped translation layer at work: writes through buffer and frontiers, reads, trims, and what
//! follows when the flash reports that something is done. Garbage collection is in `gc/collection.rs`.

mod flash;
mod host;
mod view;
mod write;

pub(crate) use host::Arriving;

use crate::buffer::eviction::BLOCK_UNITS;
use crate::buffer::{Buffer, Dram, Recent, Risk};
use crate::demand::Demand;
use crate::gc::collection::Collection;
use crate::gc::trigger::GcTrigger;
use crate::map::Map;
use crate::mapping::Parts;
use crate::ordering::Ordering;
use crate::parity::{Rebuilds, Stripes};
use crate::placement::PlacementPolicy;
use crate::programs::Programs;
use crate::read_path::ReadPath;
use crate::regulation::Regulation;
use crate::sectors::Sectors;
use crate::slc_cache::SlcCache;
use crate::snapshots::Snapshots;
use crate::space::{NONE, Space};
use crate::upkeep::{Burden, Costs, Patrol, Upkeep};
use crate::{FtlStats, Layout, Output, Turnover};
use controller::Controller;
use nand::FlashArray;
use std::collections::VecDeque;
use units::Nanos;

/// The page-mapped translation layer and everything below it.
pub struct PageMapped {
    pub(crate) layout: Layout,
    pub(crate) mixed: bool,
    pub(crate) read_ahead: u32,
    pub(crate) copyback: bool,
    write_back: bool,
    power_loss_protection: bool,
    flush_after: Nanos,
    program_queue: u32,
    /// Free superblocks kept back from the host beside the one for the next victim: where blocks can fail, a
    /// collection may take a superblock and give none back.
    pub(crate) spare: u32,
    pub(crate) map: Map,
    pub(crate) space: Space,
    pub(crate) buffer: Buffer,
    pub(crate) reserved_slots: u32,
    pub(crate) array: FlashArray,
    pub(crate) controller: Controller,
    pub(crate) placement: Box<dyn PlacementPolicy>,
    pub(crate) trigger: Box<dyn GcTrigger>,
    pub(crate) collections: Vec<Collection>,
    /// See [`Self::set_urgent_share`].
    pub(crate) urgent_share: f64,
    pub(crate) programs: Programs,
    bound: Vec<u32>,
    eligible: Vec<u64>,
    quota_blocked: Vec<u64>,
    current: u32,
    flush_serial: u32,
    flush_armed: bool,
    flushes: VecDeque<(u32, u32)>,
    /// Superblocks that may have become empty while being reclaimed.
    pub(crate) emptied: Vec<u32>,
    pub(crate) stats: FtlStats,
    pub(crate) turnover: Turnover,
    /// Costs of writes and reads, where the drive has a code.
    pub(crate) regulation: Option<Box<Regulation>>,
    pub(crate) rewrite_after: Nanos,
    /// What only the clock brings back, where anything is.
    pub(crate) upkeep: Option<Box<Upkeep>>,
    /// Reading what is stored for its errors, where the drive does that.
    pub(crate) patrol: Option<Box<Patrol>>,
    /// What the host's reads go through.
    pub(crate) reads: ReadPath,
    /// Which open superblock a program goes to, where that is a question.
    pub(crate) ordering: Option<Box<Ordering>>,
    pub(crate) risk: Risk,
    read_only: bool,
    pub(crate) outputs: Vec<Output>,
    /// Which entries of the map are in RAM, where not all are.
    pub(crate) demand: Option<Box<Demand>>,
    /// Superblocks with one bit a cell, where there can be some.
    pub(crate) slc_cache: Option<Box<SlcCache>>,
    /// Where the program unit goes that is being filled with the host's data.
    host_stream: usize,
    /// Which superblocks protect each other, where any do.
    pub(crate) parity: Option<Box<Stripes>>,
    /// What could not be read, and what is being done about it.
    pub(crate) rebuilds: Rebuilds,
    /// Snapshots of the logical drive, where they may be taken.
    pub(crate) snapshots: Option<Box<Snapshots>>,
    /// A die that is dead, or `NONE`: then the drive is read-only, and moves nothing any more.
    pub(crate) failed_die: u32,
    /// What is known of sectors, where it is.
    pub(crate) sectors: Option<Box<Sectors>>,
    /// Bytes that the read about to be submitted takes over the channel; 0: its units'.
    pub(crate) read_bytes: u32,
    /// What the buffer's DRAM takes, where it takes something.
    pub(crate) dram: Option<Dram>,
    /// What was written lately, where that decides what stays in the buffer.
    pub(crate) recent: Option<Box<Recent>>,
}

/// The stream of the host's data.
pub(crate) const HOST: usize = 0;
/// The stream of moved data, where they have one of their own.
pub(crate) const MOVED: usize = 1;
/// The stream of the host's data that take one bit a cell.
pub(crate) const SLC: usize = 2;

impl PageMapped {
    /// A fresh drive: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub fn new(parts: Parts<'_>) -> Result<Self, String> {
        Self::build(parts, None)
    }

    /// A fresh drive whose map lies on flash.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub(crate) fn with_map_on_flash(parts: Parts<'_>, demand: Demand) -> Result<Self, String> {
        Self::build(parts, Some(demand))
    }

    fn build(parts: Parts<'_>, demand: Option<Demand>) -> Result<Self, String> {
        let Parts { config, array, mut controller, program_queue, copyback, regulation, seed } = parts;
        let layout = config.layout.clone();
        let regulation = Regulation::new(config, regulation, &mut controller, seed)?;
        let dies = layout.dies as usize;
        let slc_cache = SlcCache::new(config, controller.slc_mode());
        if let Some(wrong) = slc_cache.as_ref().and_then(|_| misfit(&controller, regulation.is_some())) {
            return Err(wrong);
        }
        let mut array = array;
        if let (Some(_), Some(mode)) = (&slc_cache, controller.slc_mode()) {
            array.allow_slc_mode(mode.erases_per_cycle);
        }
        let more_slots = match (&demand, &config.snapshots) {
            (Some(demand), _) => demand.slots,
            (None, Some(_)) => Snapshots::slots(&layout),
            (None, None) => 0,
        };
        let slots = config.buffer.slots + more_slots;
        let snapshots =
            config.snapshots.as_ref().map(|rules| Box::new(Snapshots::new(rules, &layout, slots)));
        let reads = ReadPath::new(config, &mut controller);
        let upkeep = (regulation.is_some() || snapshots.is_some()).then(|| {
            let costs = Costs::of(&layout, &controller, regulation.as_deref());
            Box::new(Upkeep::new(config.upkeep_share, costs, &layout, config.snapshots.as_ref()))
        });
        if let Some(upkeep) = &upkeep {
            Burden::new(config, upkeep.costs(), regulation.as_deref()).check()?;
        }
        let mut ftl = Self {
            mixed: config.mixed_streams,
            read_ahead: config.read_ahead,
            copyback,
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
            flush_after: config.buffer.flush_after,
            program_queue,
            // With parity a collection that one die gains from may be one that another gains nothing from.
            spare: u32::from(array.may_fail()) + u32::from(config.stripe.is_some()),
            map: Map::new(&layout),
            space: Space::new(&layout, &config.victim, &config.wear, seed),
            buffer: Buffer::of(&config.buffer, more_slots, layout.logical_units, BLOCK_UNITS),
            reserved_slots: 0,
            controller,
            placement: (config.placement)(),
            trigger: (config.trigger)(),
            collections: (0..dies).map(|_| Collection::new()).collect(),
            urgent_share: 0.0,
            programs: Programs::new(layout.program_units),
            bound: vec![0; dies],
            eligible: vec![0; dies.div_ceil(64)],
            quota_blocked: vec![0; dies.div_ceil(64)],
            current: NONE,
            flush_serial: 0,
            flush_armed: false,
            flushes: VecDeque::new(),
            emptied: Vec::new(),
            stats: FtlStats::default(),
            turnover: Turnover::default(),
            regulation,
            rewrite_after: config.rewrite_after,
            upkeep,
            patrol: Patrol::new(config.scrub, dies, seed),
            reads,
            ordering: Ordering::new(&config.program_order),
            risk: Risk::default(),
            read_only: false,
            outputs: Vec::with_capacity(64),
            demand: demand.map(Box::new),
            slc_cache,
            host_stream: HOST,
            parity: config.stripe.map(|stripe| Box::new(Stripes::new(&config.layout, &array, stripe))),
            rebuilds: Rebuilds::default(),
            failed_die: config.failed_die.unwrap_or(NONE),
            sectors: Sectors::new(config.sectors, &layout, slots, config.buffer.in_flight),
            read_bytes: 0,
            dram: config.buffer.dram,
            recent: Recent::new(config.buffer.keep_rewritten, &layout),
            array,
            snapshots,
            layout,
        };
        if ftl.parity.is_some() {
            ftl.free_groups();
        }
        for die in 0..dies {
            for superblock in 0..ftl.layout.superblocks_per_die {
                if ftl.parity.is_none() && ftl.array.is_whole(die as u32, superblock) {
                    ftl.space.push_free(die, superblock);
                    ftl.space.dies[die].usable += 1;
                }
            }
            ftl.update_quota(die);
            ftl.update_eligible(die);
        }
        ftl.check_sustainable()?;
        ftl.make_room_for_snapshots()?;
        Ok(ftl)
    }

    /// Superblocks of a die that the host's data can never fill: those garbage collection needs free, one
    /// open superblock for each stream, and one to gain from.
    fn reserved_superblocks(&self) -> u32 {
        self.trigger.foreground_limit() + 3 + self.spare
    }

    /// Units of a superblock that count. A victim may need padding up to a whole program unit; what that costs
    /// is kept out, so that by the pigeonhole principle some victim always gives back more than it takes.
    pub(crate) fn useful_units(&self) -> u32 {
        self.layout.data_units() - self.layout.program_units + 1
    }

    /// The most live units of a die of which `taken` superblocks serve another purpose.
    pub(crate) fn quota_beside(&self, die: usize, taken: u32) -> u32 {
        let usable = self.space.dies[die].usable.saturating_sub(self.reserved_superblocks() + taken);
        usable * self.useful_units()
    }

    pub(crate) fn update_quota(&mut self, die: usize) {
        let quota = self.quota_beside(die, self.cache_superblocks(die));
        let useful = self.useful_units();
        let need = (self.layout.written_units() / u64::from(self.layout.dies)).div_ceil(u64::from(useful));
        // Groups that protect each other are reclaimed as a whole: they need all the room there is.
        let beyond = if self.parity.is_some() { 0 } else { (quota / useful).saturating_sub(need as u32) };
        let space = &mut self.space.dies[die];
        space.quota = quota;
        space.held = (f64::from(beyond) * space.wear.held_back()) as u32;
    }

    /// Logical units that the dies can hold for ever.
    fn sustainable_units(&self) -> u64 {
        let reserved = self.cache_reserved();
        let quotas: u64 =
            (0..self.space.dies.len()).map(|die| u64::from(self.quota_beside(die, reserved))).sum();
        quotas.saturating_sub(u64::from(self.layout.dies) * u64::from(self.layout.program_units))
    }

    /// Units that neither the host's data and the map nor garbage collection need.
    pub(crate) fn spare_units(&self) -> u64 {
        self.sustainable_units().saturating_sub(self.layout.written_units())
    }

    fn make_room_for_snapshots(&mut self) -> Result<(), String> {
        let spare = self.spare_units();
        let Some(snapshots) = &mut self.snapshots else { return Ok(()) };
        snapshots.set_room(spare);
        if snapshots.room() > 0 {
            return Ok(());
        }
        Err(format!(
            "this drive cannot sustain writes with snapshots: {spare} mapping units are spare, of which they may \
             take none; raise ftl.op_ratio or ftl.snapshots.space_ratio"
        ))
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let (logical, possible) = (self.layout.written_units(), self.sustainable_units());
        if logical <= possible {
            return Ok(());
        }
        let least = self.space.dies.iter().map(|die| die.usable).min().unwrap_or(0);
        let physical = self.layout.physical_units() as f64;
        // Where the map lies on flash, it has its part of the room; its last unit may be partly filled.
        let host = (possible as f64 * f64::from(self.layout.logical_units) / logical as f64).floor()
            - f64::from(u8::from(self.layout.translation_units > 0));
        let advice = if host >= 1.0 {
            // Rounded up, so that the advice is enough.
            let op = ((physical / host - 1.0) * 1000.0).ceil() / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks".to_owned()
        };
        let (kept, advice) = match self.cache_reserved() {
            0 => (String::new(), advice),
            count => (format!(" and the SLC cache {count}"), format!("{advice}, or give ftl.slc_cache less")),
        };
        Err(format!(
            "this drive cannot sustain writes: the host sees {logical} mapping units, but of the {least} good \
             superblocks of a die garbage collection keeps {} free, open or in hand{kept}, which leaves \
             room for {possible}; {advice}",
            self.reserved_superblocks()
        ))
    }
}

/// Why a drive cannot have blocks with one bit a cell.
fn misfit(controller: &Controller, regulated: bool) -> Option<String> {
    if controller.slc_mode().is_none() {
        return Some(
            "ftl.slc_cache: the chip's file does not say what its blocks are with one bit a cell: expected \
             nand.slc_mode with t_r and t_prog"
                .into(),
        );
    }
    regulated.then(|| {
        "ftl.slc_cache: errors and costs are not modelled for blocks with one bit a cell: expected no ecc.code with it"
            .into()
    })
}
