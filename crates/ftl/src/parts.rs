//! What a translation layer is built from.

use crate::agenda::{Agenda, Costs};
use crate::buffer::Buffer;
use crate::guards::demand::Demand;
use crate::guards::ordering::Ordering;
use crate::guards::power::Power;
use crate::guards::regulation::{Regulation, RegulationParts};
use crate::guards::sectors::Sectors;
use crate::guards::slc_cache::SlcCache;
use crate::guards::snapshots::{Checkpoint, Snapshots};
use crate::guards::trims::Trims;
use crate::guards::{DeadDies, Guards, Rebuilds, Stripes};
use crate::host_side::Host;
use crate::map_on_flash::MapOnFlash;
use crate::media::{Assembly, Collection, Media, Rules};
use crate::settings::FtlConfig;
use crate::store::{NONE, Store};
use crate::upkeep::{Burden, Upkeep};
use controller::{Controller, ControllerConfig};
use nand::FlashArray;

/// What a translation layer is built from.
pub(crate) struct Parts<'a> {
    /// `[ftl]`, read.
    pub config: &'a FtlConfig,
    /// The blocks.
    pub array: FlashArray,
    /// Dies and channels.
    pub controller: Controller,
    /// How they work.
    pub rules: &'a ControllerConfig,
    /// Code, error model and what costs are reckoned from.
    pub regulation: RegulationParts,
    /// Everything random follows from it.
    pub seed: u64,
}

/// The parts, put together: what both kinds of map work with.
pub(crate) struct Whole {
    pub media: Media,
    pub upkeep: Upkeep,
    pub host: Host,
}

impl Parts<'_> {
    /// `map`: where it lies on flash; `spare`: superblocks kept back from the host; `group`: mapping units that eviction
    /// policies take as one block.
    ///
    /// # Errors
    /// When the parts do not fit together; the text says why.
    pub fn put_together(self, map: Option<MapOnFlash>, spare: u32, group: u32) -> Result<Whole, String> {
        let Parts { config, mut array, mut controller, rules: dies, regulation, seed } = self;
        controller.begin(seed);
        let layout = &config.layout;
        let demand = map.map(|map| Demand::new(layout, &map));
        let more_slots = match (&demand, &config.snapshots) {
            (Some(demand), _) => demand.slots,
            (None, Some(_)) => Snapshots::slots(layout),
            (None, None) => 0,
        };
        let records = if config.faults.records_trims { Trims::slots(layout) } else { 0 };
        let more_slots = more_slots + records;
        let slots = config.buffer.slots + more_slots;
        let guards = guards_of(config, regulation, demand, slots, &mut array, &mut controller, seed)?;
        let host = Host::new(config, &mut controller);
        let agenda = agenda_of(config, &guards, &controller)?;
        let upkeep = Upkeep::new(config, seed);
        let rules = Rules {
            mixed: config.gc.mixed_streams,
            read_ahead: config.gc.read_ahead,
            copyback: dies.copyback,
            spare,
            foreground_limit: upkeep.trigger.foreground_limit(),
            rewrite_after: config.upkeep.rewrite_after,
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
            lapses: config.faults.lapses,
        };
        let media = Media {
            buffer: Buffer::of(&config.buffer, more_slots, layout.logical_units, group, seed),
            reserved_slots: 0,
            store: Store::new(layout.clone(), (&config.gc.victim, &config.wear), array, controller, seed),
            guards,
            collections: (0..layout.dies).map(|_| Collection::new()).collect(),
            assembly: Assembly::new(config, dies.program_queue, seed),
            agenda,
            rules,
            read_bytes: 0,
            read_only: false,
            erased_in_a_row: 0,
        };
        Ok(Whole { media, upkeep, host })
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
    let snapshots = config.snapshots.as_ref().map(|(rules, expiry)| {
        let checkpoint = match demand {
            Some(_) => Checkpoint::of_map_on_flash(layout),
            None => Checkpoint::of_map_in_ram(layout),
        };
        Box::new(Snapshots::new(rules, expiry(), layout, slots, checkpoint))
    });
    Ok(Guards {
        regulation,
        demand: demand.map(Box::new),
        parity: config.stripe.map(|stripe| Box::new(Stripes::new(layout, array, stripe, apart))),
        rebuilds: Rebuilds::default(),
        snapshots,
        ordering: Ordering::new(&config.destination.program_order),
        sectors: Sectors::new(config.sectors, layout, slots, config.buffer.in_flight),
        slc_cache,
        power: config.has_power_cuts().then(|| {
            let (method, bytes) = ((config.faults.recovery)(), config.faults.spare_bytes);
            Box::new(Power::new(method, bytes, layout.physical_units(), slots))
        }),
        trims: config.faults.records_trims.then(|| {
            let numbers = if config.has_power_cuts() { layout.logical_units } else { 0 };
            Box::new(Trims::new(layout, numbers))
        }),
        failed_die: config.faults.failed_die.unwrap_or(NONE),
        dead: DeadDies::default(),
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
    let costs = Costs::of_die(&config.layout, controller, regulation);
    let of_channel = Costs::of_channel(&config.layout, controller);
    let dies = config.layout.dies / controller.channels();
    let of_die = Burden::new("die", 1, config, &costs, regulation);
    of_die.or_heavier(Burden::new("channel", dies.into(), config, &of_channel, regulation)).check()?;
    Ok(Some(Box::new(Agenda::new(config, costs))))
}
