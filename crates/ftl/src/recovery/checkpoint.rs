//! The map is written to flash from time to time; what was closed since says at its end what it holds.

use super::summaries::Summaries;
use super::{FoundView, Maker, RecoveryMethod, RowRead};
use crate::Layout;
use crate::flash_map::{InRam, MapOnFlash, OnDemand, cached_bytes};
use config::{Card, ConfigError, Policy, Section, at_least};

/// Constant: greatest number of flash reads of the map's units in flight at a time, where the map has checkpoints.
const IN_FLIGHT: u32 = 16;
/// Constant: default of the share (0 to 1) of all programmed data that checkpoints and logs of the map may take.
const WRITE_BUDGET: f64 = 0.01;

/// Implementation of the recovery method `checkpoint`: the whole map is in RAM, and checkpoints of it are written to
/// flash.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    write_budget: f64,
}

impl Policy for Checkpoint {
    const CARD: Card = Card {
        name: "checkpoint",
        rule: "the map is written to flash so often that this takes `write_budget` of all that is programmed, and superblocks \
               end with summaries: the directory of the last whole checkpoint is read, the summaries of superblocks closed \
               since it began, and the spare area of every programmed page of those not full; the map itself is read when \
               the drive is ready",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176; ACM Operating Systems Review 41(2), 2007",
        not_modelled: "finding the directory; reads of spare areas that decide between it and what was programmed since",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let help = "share of what is programmed that checkpoints of the map may take";
        Ok(Self { write_budget: read_write_budget(section, help)? })
    }
}

/// Reads `write_budget`, the share (0 to 1) of all programmed data that may serve the recovery of the map.
///
/// # Errors
/// When the value is below 1e-6 or above 1.
pub(super) fn read_write_budget(section: &mut Section, help: &'static str) -> Result<f64, ConfigError> {
    section.unit("ratio").within(at_least(1e-6).at_most(1.0)).or("write_budget", WRITE_BUDGET, help)
}

/// Reserves the space for a checkpoint of the map, and for a summary (list of the logical units and write numbers) at
/// the end of each superblock.
///
/// # Errors
/// When superblocks are too small; the string of the error message says what was expected.
pub(crate) fn make_room(layout: &mut Layout) -> Result<(), String> {
    Summaries.fit(layout)?;
    layout.translation_units = layout.map_units();
    Ok(())
}

/// Returns the maker (factory) of the recovery method `checkpoint`, for a drive whose kind of mapping itself writes
/// checkpoints of the map to flash.
pub(crate) fn of_checkpointed_map() -> Maker {
    Box::new(|| Box::new(Checkpoint { write_budget: WRITE_BUDGET }))
}

/// Returns the number of bytes of the simulator's memory that checkpoints of the map take.
pub(crate) fn checkpoint_bytes(layout: &Layout) -> u64 {
    cached_bytes(layout.logical_units, 1) + 12 * layout.superblocks() as u64 + u64::from(layout.map_units())
}

/// Makes the settings of a map that is entirely in RAM, with a checkpoint on flash each time `every` superblocks have
/// been closed.
pub(crate) fn checkpointed(layout: &Layout, every: u32, on_demand: Option<OnDemand>) -> MapOnFlash {
    MapOnFlash {
        entries_per_unit: layout.entries_per_unit(),
        in_flight: IN_FLIGHT,
        slots: 2 * layout.program_units + IN_FLIGHT,
        in_ram: InRam::Whole { checkpoint_every: every, on_demand },
    }
}

impl RecoveryMethod for Checkpoint {
    fn fit(&self, layout: &mut Layout) -> Result<(), String> {
        make_room(layout)?;
        layout.translation_units += layout.directory_units();
        Ok(())
    }

    fn checkpoint(&self, layout: &Layout) -> Option<MapOnFlash> {
        let units = f64::from(layout.map_units() + layout.directory_units()) / self.write_budget;
        let superblocks = (units / f64::from(layout.superblock_units)).ceil();
        let directory_units = layout.directory_units();
        let on_demand = OnDemand { directory_units, log_units: 0, changes_per_unit: 0 };
        Some(checkpointed(layout, superblocks.max(1.0) as u32, Some(on_demand)))
    }

    fn reads(&self, superblock: &FoundView) -> Vec<RowRead> {
        if superblock.is_in_checkpoint { Vec::new() } else { Summaries.reads(superblock) }
    }
}
