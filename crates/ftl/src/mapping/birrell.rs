//! A page map in RAM that is rebuilt at power-up.

use super::{InRam, MapOnFlash, MappingKind, Misfit, Plan, cached_bytes};
use crate::Layout;
use crate::layout::ENTRY_BYTES;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Units of a checkpoint on their way at a time.
const IN_FLIGHT: u32 = 16;

/// Page mapping with summaries and checkpoints.
#[derive(Clone, Debug)]
pub struct Birrell {
    checkpoint_every: u32,
}

impl Policy for Birrell {
    const CARD: Card = Card {
        name: "birrell",
        rule: "one map entry per mapping unit, in volatile RAM; the last program unit of a superblock is a \
               summary of the others; the map is written to flash every `checkpoint_every` superblocks; at \
               power-up it is rebuilt from the last checkpoint, the later summaries and the spare areas of \
               open superblocks",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176; ACM Operating Systems Review 41(2), 2007",
        not_modelled: "finding the checkpoint, the superblocks closed since, and the erased ones: they are known",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let checkpoint_every = section.within(at_least(1u32)).or(
            "checkpoint_every",
            256u32,
            "superblocks closed between two checkpoints of the map",
        )?;
        Ok(Self { checkpoint_every })
    }
}

impl MappingKind for Birrell {
    fn fit(&self, layout: &mut Layout) -> Result<(), Misfit> {
        let per_unit = (layout.unit.get() / ENTRY_BYTES) as u32;
        if layout.superblock_units < 2 * layout.program_units {
            let expected =
                "expected superblocks of at least two program units: one is the summary".to_owned();
            return Err(("name", expected));
        }
        layout.translation_units = layout.logical_units.div_ceil(per_unit);
        layout.summary_units = layout.program_units;
        Ok(())
    }

    fn bytes_beside(&self, layout: &Layout) -> u64 {
        cached_bytes(layout.logical_units, 1) + 8 * layout.superblocks() as u64
    }

    fn plan(&self, layout: &Layout) -> Plan {
        Plan::Pages(Some(MapOnFlash {
            entries_per_unit: (layout.unit.get() / ENTRY_BYTES) as u32,
            in_flight: IN_FLIGHT,
            slots: 2 * layout.program_units + IN_FLIGHT,
            in_ram: InRam::Whole { checkpoint_every: self.checkpoint_every },
        }))
    }
}
