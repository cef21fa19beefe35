//! `[ftl.sectors]`: whether the parts of a unit are known.

use crate::Layout;
use crate::layout::SECTOR;
use config::{ConfigError, Section};

/// Set of settings of section `[ftl.sectors]`: tracking of the sectors of mapping units.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SectorRules {
    /// Setting: true if the drive tracks which sectors of each mapping unit were written.
    pub track: bool,
    /// Setting: true if the drive reads sectors from flash even if they were never written; false if it answers such
    /// reads at once.
    pub unwritten: bool,
}

impl SectorRules {
    pub(crate) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let mut section = ftl.child("sectors")?;
        let track = section.or(
            "track",
            false,
            "track which sectors of a unit hold data: only requested sectors cross a channel",
        )?;
        let unwritten = section.choice(
            "unwritten",
            &["nothing", "flash"],
            "nothing",
            "a read of what was never written: answered at once, or read from the die of its address",
        )? == "flash";
        if track && layout.unit.get() > 64 * SECTOR {
            return Err(section.reject("track", "expected units of at most 32 KiB"));
        }
        if unwritten && !track {
            return Err(section.reject("unwritten", "expected nothing without track"));
        }
        section.finish()?;
        Ok(Self { track, unwritten })
    }
}
