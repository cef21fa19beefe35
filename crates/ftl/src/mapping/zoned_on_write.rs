//! A zone takes flash as it is written.

use super::Misfit;
use super::zoning::{ZoneRules, ZoneSettings, ZoneView, divisor, read_dies, zoned_kind};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the mapping policy zoned-on-write: zoned mapping that chooses the dies of each part of a zone (one
/// superblock on each die of a group of dies) when the part is first written: of the groups with free superblocks, the
/// one on which the fewest zones are being written.
#[derive(Clone, Debug)]
pub struct ZonedOnWrite {
    settings: ZoneSettings,
    dies: u32,
}

impl Policy for ZonedOnWrite {
    const CARD: Card = Card {
        name: "zoned-on-write",
        rule: "a zone takes superblocks of `dies` neighbouring dies when its pointer reaches them: of the group on which the \
               fewest zones are being written, then of the one with most free; a finish writes what is missing of the last \
               of them alone",
        paper: "after SilentZNS, arXiv 2511.04687, 2025",
        not_modelled: "its levelling of wear among groups, and what its map of parts takes in RAM beyond four bytes a part",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let dies = read_dies(section)?;
        ZoneSettings::read(section).map(|settings| Self { settings, dies })
    }
}

impl ZoneRules for ZonedOnWrite {
    fn settings(&self) -> &ZoneSettings {
        &self.settings
    }

    fn width(&self, dies: u32) -> Result<u32, Misfit> {
        divisor(self.dies, dies)
    }

    fn takes_all(&self) -> bool {
        false
    }

    fn group(&self, view: &ZoneView<'_>) -> u32 {
        let groups = 0..view.free.len() as u32;
        let rank = |group: &u32| {
            let at = *group as usize;
            (view.free[at] == 0, view.being_written[at], u32::MAX - view.free[at], *group)
        };
        groups.min_by_key(rank).unwrap_or(0)
    }
}

zoned_kind!(ZonedOnWrite);
