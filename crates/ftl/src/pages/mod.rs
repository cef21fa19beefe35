//! The page-mapped translation layer at work: what the host asks for, and what follows when the flash reports that
//! something is done. What is shared by all that write and read the flash is in `media`; who moves data, and why, in
//! `upkeep`.

mod buffer;
mod checkpoint;
mod events;
mod lookups;
mod read;
mod rebuild;
mod recovery;
mod rollback;
mod saved;
mod sectors;
mod snapshots;
mod upkeep;
mod view;
mod write;

pub(crate) use write::Arriving;

use crate::Output;
use crate::agenda::{Agenda, Costs};
use crate::buffer::eviction::BLOCK_UNITS;
use crate::buffer::{Buffer, Dram, Recent, Risk};
use crate::guards::demand::Demand;
use crate::guards::ordering::Ordering;
use crate::guards::regulation::{Regulation, RegulationParts};
use crate::guards::sectors::Sectors;
use crate::guards::slc_cache::SlcCache;
use crate::guards::snapshots::Snapshots;
use crate::guards::{Guards, Rebuilds, Stripes};
use crate::mapping::MapOnFlash;
use crate::media::{Assembly, Collection, Media, Rules};
use crate::parts::Parts;
use crate::read_path::ReadPath;
use crate::settings::FtlConfig;
use crate::store::{NONE, Store};
use crate::upkeep::{Burden, Upkeep};
use controller::Controller;
use nand::FlashArray;
use std::collections::VecDeque;

/// What the host's side of the layer keeps.
struct Host {
    outputs: Vec<Output>,
    /// The epoch before which each flush under way wants all on flash, and its request.
    flushes: VecDeque<(u32, u32)>,
    /// Slots that wait for the rest of an older one to come, each behind it.
    following: Vec<(u32, u32)>,
    /// What the host's reads go through.
    reads: ReadPath,
    /// What was written lately, where that decides what stays in the buffer.
    recent: Option<Box<Recent>>,
    /// What the buffer's DRAM takes, where it takes something.
    dram: Option<Dram>,
    risk: Risk,
}

/// The page-mapped translation layer and everything below it.
pub struct PageMapped {
    pub(crate) media: Media,
    pub(crate) upkeep: Upkeep,
    host: Host,
}

impl PageMapped {
    /// A fresh drive: nothing written, every good superblock free; `map`: where it lies on flash.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub(crate) fn new(parts: Parts<'_>, map: Option<MapOnFlash>) -> Result<Self, String> {
        let Parts { config, mut array, mut controller, program_queue, copyback, regulation, seed } = parts;
        let layout = &config.layout;
        let demand = map.map(|map| Demand::new(layout, &map));
        let more_slots = match (&demand, &config.snapshots) {
            (Some(demand), _) => demand.slots,
            (None, Some(_)) => Snapshots::slots(layout),
            (None, None) => 0,
        };
        let slots = config.buffer.slots + more_slots;
        let guards = guards_of(config, regulation, demand, slots, &mut array, &mut controller, seed)?;
        let reads = ReadPath::new(config, &mut controller);
        let agenda = agenda_of(config, &guards, &controller)?;
        let upkeep = Upkeep::new(config, seed);
        let rules = Rules {
            mixed: config.mixed_streams,
            read_ahead: config.read_ahead,
            copyback,
            // With parity a collection that one die gains from may be one that another gains nothing from.
            spare: u32::from(array.may_fail()) + u32::from(config.stripe.is_some()),
            foreground_limit: upkeep.trigger.foreground_limit(),
            rewrite_after: config.rewrite_after,
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
        };
        let media = Media {
            buffer: Buffer::of(&config.buffer, more_slots, layout.logical_units, BLOCK_UNITS),
            reserved_slots: 0,
            store: Store::new(layout.clone(), (&config.victim, &config.wear), array, controller, seed),
            guards,
            movers: (0..layout.dies).map(|_| Collection::new()).collect(),
            assembly: Assembly::new(config, program_queue),
            agenda,
            rules,
            read_bytes: 0,
            read_only: false,
        };
        let host = Host {
            outputs: Vec::with_capacity(64),
            flushes: VecDeque::new(),
            following: Vec::new(),
            reads,
            recent: Recent::new(config.buffer.keep_rewritten, layout),
            dram: config.buffer.dram,
            risk: Risk::default(),
        };
        let mut ftl = Self { media, upkeep, host };
        ftl.media.free_all();
        ftl.check_sustainable()?;
        ftl.make_room_for_snapshots()?;
        Ok(ftl)
    }

    fn make_room_for_snapshots(&mut self) -> Result<(), String> {
        let spare = self.media.spare_units();
        let Some(snapshots) = &mut self.media.guards.snapshots else { return Ok(()) };
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
        let (logical, possible) = (self.media.store.layout.written_units(), self.media.sustainable_units());
        if logical <= possible {
            return Ok(());
        }
        let least = self.media.store.space.dies.iter().map(|die| die.usable).min().unwrap_or(0);
        let physical = self.media.store.layout.physical_units() as f64;
        // Where the map lies on flash, it has its part of the room; its last unit may be partly filled.
        let host = (possible as f64 * f64::from(self.media.store.layout.logical_units) / logical as f64)
            .floor()
            - f64::from(u8::from(self.media.store.layout.translation_units > 0));
        let advice = if host >= 1.0 {
            // Rounded up, so that the advice is enough.
            let op = ((physical / host - 1.0) * 1000.0).ceil() / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks".to_owned()
        };
        let (kept, advice) = match self.media.cache_reserved() {
            0 => (String::new(), advice),
            count => (format!(" and the SLC cache {count}"), format!("{advice}, or give ftl.slc_cache less")),
        };
        Err(format!(
            "this drive cannot sustain writes: the host sees {logical} mapping units, but of the {least} good \
             superblocks of a die garbage collection keeps {} free, open or in hand{kept}, which leaves \
             room for {possible}; {advice}",
            self.media.reserved_superblocks()
        ))
    }
}

/// The guards of a drive, as its file asks for them.
fn guards_of(
    config: &FtlConfig,
    regulation: RegulationParts,
    demand: Option<Demand>,
    slots: u32,
    array: &mut FlashArray,
    controller: &mut Controller,
    seed: u64,
) -> Result<Guards, String> {
    let layout = &config.layout;
    let regulation = Regulation::new(config, regulation, controller, seed)?;
    let slc_cache = SlcCache::new(config, controller.slc_mode());
    if slc_cache.is_some() {
        let Some(mode) = controller.slc_mode() else {
            return Err("ftl.slc_cache: the chip's file does not say what its blocks are with one bit a cell: expected \
                        nand.slc_mode with t_r and t_prog"
                .into());
        };
        array.allow_slc_mode(mode.erases_per_cycle);
    }
    let apart = slc_cache.as_ref().map_or(0, |cache| cache.reserved);
    let snapshots = config
        .snapshots
        .as_ref()
        .map(|rules| Box::new(Snapshots::new(rules, layout, slots, demand.is_some())));
    Ok(Guards {
        regulation,
        demand: demand.map(Box::new),
        parity: config.stripe.map(|stripe| Box::new(Stripes::new(layout, array, stripe, apart))),
        rebuilds: Rebuilds::default(),
        snapshots,
        ordering: Ordering::new(&config.program_order),
        sectors: Sectors::new(config.sectors, layout, slots, config.buffer.in_flight),
        slc_cache,
        failed_die: config.failed_die.unwrap_or(NONE),
    })
}

/// The agenda of a drive on which something comes back by the clock alone.
fn agenda_of(
    config: &FtlConfig,
    guards: &Guards,
    controller: &Controller,
) -> Result<Option<Box<Agenda>>, String> {
    if guards.regulation.is_none() && guards.snapshots.is_none() {
        return Ok(None);
    }
    let regulation = guards.regulation.as_deref();
    let costs = Costs::of(&config.layout, controller, regulation);
    Burden::new(config, &costs, regulation).check()?;
    Ok(Some(Box::new(Agenda::new(config.upkeep_share, costs, &config.layout, config.snapshots.as_ref()))))
}
