//! The sections of policies that answer parts of one question.

use super::whole;
use crate::{Layout, placement, program_order, read_ahead, read_merge, streams};
use config::{ConfigError, Section};

/// The policies that decide where a write goes.
pub struct DestinationRules {
    /// Policy that chooses which die takes a write.
    pub placement: placement::Maker,
    /// Which of the die's streams takes a write.
    pub streams: streams::Maker,
    /// Which of a die's two open superblocks takes a write.
    pub program_order: program_order::Maker,
}

impl DestinationRules {
    pub(super) fn read(ftl: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self {
            placement: whole(ftl, "placement", placement::read)?,
            streams: whole(ftl, "streams", streams::read)?,
            program_order: whole(ftl, "program_order", program_order::read)?,
        })
    }
}

/// How the host's reads reach the flash.
pub struct ReadRules {
    /// Which host reads share an array read.
    pub merge: read_merge::Maker,
    /// Policy that chooses which data are fetched before the host asks for the data.
    pub ahead: read_ahead::Maker,
}

impl ReadRules {
    pub(super) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let merge = whole(ftl, "read_merge", read_merge::read)?;
        let mut section = ftl.child("read_ahead")?;
        let ahead = read_ahead::read(&mut section)?;
        ahead().area_units(layout.unit).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        Ok(Self { merge, ahead })
    }
}
