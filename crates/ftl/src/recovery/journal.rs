//! Checkpoints of the map, and a log of what has changed since.

use super::checkpoint::{checkpointed, read_write_budget};
use super::{FoundView, RecoveryMethod, RowRead};
use crate::Layout;
use crate::flash_map::{MapOnFlash, OnDemand};
use config::{Card, ConfigError, Policy, Section};

/// Constant: number of bytes of one change of the map in the log on flash: a logical unit and its new physical address.
const CHANGE_BYTES: u64 = 8;

/// Implementation of the recovery method `journal`: the whole map is in RAM; checkpoints of it, and a log of changes of
/// the map since, are on flash.
#[derive(Clone, Debug)]
pub struct Journal {
    write_budget: f64,
}

impl Policy for Journal {
    const CARD: Card = Card {
        name: "journal",
        rule: "each change of the map goes into a log, 8 B for each unit, of which a unit is programmed whenever it is full; \
               the map is written to flash so often that this and the log take `write_budget` of all that is programmed: \
               the directory of the last whole checkpoint is read, the log since it began, and the spare area of every \
               programmed page that the log does not tell of; the map itself is read when the drive is ready",
        paper: "Gupta, Kim and Urgaonkar, ASPLOS 2009, for the directory; the log is our own",
        not_modelled: "finding the directory and the log; a log that is programmed before it is full",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let help = "share of what is programmed that checkpoints of the map and the log may take";
        Ok(Self { write_budget: read_write_budget(section, help)? })
    }
}

/// Returns the share (0 to 1) of all programmed data that the log of map changes takes.
fn log_share(layout: &Layout) -> f64 {
    CHANGE_BYTES as f64 / layout.unit.get() as f64
}

impl Journal {
    /// Returns two numbers: superblocks closed between two checkpoints of the map, and mapping units of a log of map
    /// changes that is long enough for twice as many superblocks, since the log grows while a checkpoint is written.
    fn rhythm(&self, layout: &Layout) -> (u32, u32) {
        let of_log = log_share(layout);
        let map_units = layout.map_units() + layout.directory_units();
        let units = f64::from(map_units) / (self.write_budget - of_log).max(f64::MIN_POSITIVE);
        let every = (units / f64::from(layout.superblock_units)).ceil().clamp(1.0, f64::from(u32::MAX / 4));
        let logged = 2.0 * (every + 2.0) * f64::from(layout.superblock_units) * of_log;
        (every as u32, logged.ceil() as u32 + 2)
    }
}

impl RecoveryMethod for Journal {
    fn fit(&self, layout: &mut Layout) -> Result<(), String> {
        let of_log = log_share(layout);
        if self.write_budget <= of_log {
            return Err(format!(
                "expected a write_budget above {of_log}, which the log takes alone with units of {}",
                layout.unit
            ));
        }
        layout.translation_units = layout.map_units() + layout.directory_units() + self.rhythm(layout).1;
        Ok(())
    }

    fn checkpoint(&self, layout: &Layout) -> Option<MapOnFlash> {
        let (every, log_units) = self.rhythm(layout);
        let changes_per_unit = (layout.unit.get() / CHANGE_BYTES) as u32;
        let on_demand = OnDemand { directory_units: layout.directory_units(), log_units, changes_per_unit };
        Some(checkpointed(layout, every, Some(on_demand)))
    }

    fn reads(&self, superblock: &FoundView) -> Vec<RowRead> {
        if superblock.is_in_checkpoint {
            return Vec::new();
        }
        (superblock.rows_told..superblock.rows_programmed).map(RowRead::Spare).collect()
    }
}
