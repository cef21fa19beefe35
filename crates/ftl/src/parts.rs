//! What a translation layer is built from.

use crate::agenda::{Agenda, Costs};
use crate::buffer::Buffer;
use crate::core::{Assembly, Collection, Core, Finding, LostUnits, Rules, Streams, Turns};
use crate::features::{CorrectionParts, Features, Making};
use crate::flash_map::MapOnFlash;
use crate::host_side::Host;
use crate::media::Media;
use crate::settings::FtlConfig;
use crate::store::spare::Spare;
use crate::store::{NONE, Store};
use crate::upkeep::{Burden, Upkeep};
use controller::{Controller, ControllerConfig};
use nand::FlashArray;
use std::collections::VecDeque;

/// Set of the parts from which a translation layer is built: settings, flash array, controller, error correction and
/// seed.
pub(crate) struct Parts<'a> {
    /// Part for building a translation layer: its settings, from `[ftl]` of the drive file.
    pub config: &'a FtlConfig,
    /// Part for building a translation layer: the flash array with all blocks of the drive.
    pub array: FlashArray,
    /// Part for building a translation layer: the flash controller with the dies and channels of the drive.
    pub controller: Controller,
    /// Part for building a translation layer: the settings of the flash controller and of the channels.
    pub rules: &'a ControllerConfig,
    /// Part for building a translation layer: parts from which the error correction of reads and the choice of write
    /// costs (ways to program a page) are built: read ladder of the error-correcting code, policy of read retry, model
    /// of bit errors, and sizes.
    pub correction: CorrectionParts,
    /// Seed from which all random streams of the drive are derived.
    pub seed: u64,
}

/// Set of the assembled parts of a drive on which translation layers of every kind work: flash with features,
/// background work, host side.
pub(crate) struct Whole {
    pub media: Media,
    pub upkeep: Upkeep,
    pub host: Host,
}

impl Parts<'_> {
    /// Assembles the parts of a drive. `map` describes a map that lies on flash (none: the map is in RAM); `spare` is
    /// the number of superblocks of a die that are reserved from the host; `group` is the number of neighbouring
    /// mapping units that eviction policies of the write buffer treat as one block.
    ///
    /// # Errors
    /// When the parts do not fit together; the string of the error message says why.
    // Long: one part after the other is made, and each is given away once.
    pub fn put_together(self, map: Option<MapOnFlash>, spare: u32, group: u32) -> Result<Whole, String> {
        let Parts { config, mut array, mut controller, rules: dies, correction, seed } = self;
        controller.begin(seed);
        let layout = &config.layout;
        let more_slots = map.map_or(0, |map| map.slots) + config.beside.slots(layout);
        let slots = config.buffer.slots + more_slots;
        let (in_step, apart) = (config.beside.work_in_step(), config.beside.apart(layout));
        let mut making = Making {
            layout,
            array: &array,
            apart,
            in_step,
            controller: &mut controller,
            correction: Some(correction),
            map,
            refresh_age: config.upkeep.refresh_age,
            seed,
            slots,
            has_power_cuts: config.has_power_cuts(),
            in_flight_most: config.buffer.in_flight,
        };
        let mut features = Features::new(&config.beside, &mut making)?;
        if let Some(mode) = controller.slc_mode().filter(|_| features.uses_one_bit()) {
            array.allow_slc_mode(mode.erases_per_cycle);
        }
        let host = Host::new(config, &mut controller);
        let agenda = agenda_of(config, &features, &controller)?;
        let upkeep = Upkeep::new(config, seed);
        let destination = &config.destination;
        let (streams, count) = Streams::new((&destination.streams, &destination.areas), layout, slots);
        let rules = Rules {
            read_ahead: config.gc.read_ahead,
            copyback: dies.copyback,
            spare: spare + streams.spare(),
            foreground_limit: upkeep.trigger.foreground_limit(),
            rewrite_after: config.upkeep.rewrite_after,
            in_step,
            apart: if in_step { 0 } else { apart },
            apart_from: if in_step { layout.superblocks_per_die.saturating_sub(apart) } else { NONE },
            mapped_units: config.mapped_units(),
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
            lapses: config.faults.lapses,
        };
        let mut store =
            Store::new(layout.clone(), (&config.gc.victim, &config.wear), array, controller, count, seed);
        store.dead.from_start = config.faults.failed_die.unwrap_or(NONE);
        store.spare = config.has_power_cuts().then(|| Box::new(Spare::new(layout.physical_units(), slots)));
        let mut core = Core {
            store,
            buffer: Buffer::of(&config.buffer, more_slots, layout.logical_units, group, seed),
            reserved_slots: 0,
            collections: (0..layout.dies).map(|_| Collection::new()).collect(),
            folding: Vec::new(),
            assembly: Assembly::new(
                (&destination.placement, &destination.program_order),
                streams,
                layout,
                dies.program_queue,
                config.buffer.flush_after,
                seed,
            ),
            agenda,
            rules,
            lost: LostUnits::default(),
            turns: Turns::new(config.gc.burst_programs, layout.program_units, layout.dies),
            asks: VecDeque::new(),
            finding: config.has_power_cuts().then(|| {
                let (method, spare_bytes) = ((config.faults.recovery)(), config.faults.spare_bytes);
                Box::new(Finding { method, spare_bytes, reading: 0 })
            }),
            read_bytes: 0,
            read_only: false,
            erased_in_a_row: 0,
        };
        features.made(&mut core);
        Ok(Whole { media: Media { core, features }, upkeep, host })
    }
}

/// Makes the schedule (agenda) of timer-driven background work, none for a drive without such work, and checks that the
/// work fits into the permitted share of die and channel time.
fn agenda_of(
    config: &FtlConfig,
    features: &Features,
    controller: &Controller,
) -> Result<Option<Box<Agenda>>, String> {
    if !features.keeps_time() {
        return Ok(None);
    }
    let (senses, names) = costs_of(features);
    let costs = Costs::of_die(&config.layout, controller, senses, names);
    let of_channel = Costs::of_channel(&config.layout, controller);
    let dies = config.layout.dies / controller.channels();
    let of_die = Burden::new("die", 1, config, &costs, features);
    of_die.or_heavier(Burden::new("channel", dies.into(), config, &of_channel, features)).check()?;
    Ok(Some(Box::new(Agenda::new(&config.layout, &config.refresh_order, config.upkeep.share, costs))))
}

/// Returns two values from which the time of background work is calculated: the number of array senses of a usual read
/// of a page, and the list of the numbers of all write costs (ways to program a page) that a program can have.
pub(crate) fn costs_of(features: &Features) -> (u64, &[u8]) {
    (features.senses().unwrap_or(1), features.ways_to_program().unwrap_or(&[0]))
}
