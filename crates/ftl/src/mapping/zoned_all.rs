//! Every zone lies over all dies.

use super::Misfit;
use super::zoning::{ZoneRules, ZoneSettings, ZoneView, zoned_kind};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the mapping policy zoned-all: zoned mapping in which every zone extends over all dies.
#[derive(Clone, Debug)]
pub struct ZonedAll {
    settings: ZoneSettings,
}

impl Policy for ZonedAll {
    const CARD: Card = Card {
        name: "zoned-all",
        rule: "the drive is zones; each takes superblocks of all dies when it is first written, and program units go from \
               die to die; a finish writes all that is missing",
        paper: "common practice; Doekemeijer et al., CLUSTER 2023, measure such a drive",
        not_modelled: "conventional zones, ZRWA, blocks that fail, refresh of zones, redundancy within a zone (a capacity below \
                       the size of its superblocks leaves its room)",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        ZoneSettings::read(section).map(|settings| Self { settings })
    }
}

impl ZoneRules for ZonedAll {
    fn settings(&self) -> &ZoneSettings {
        &self.settings
    }

    fn width(&self, dies: u32) -> Result<u32, Misfit> {
        Ok(dies)
    }

    fn takes_all(&self) -> bool {
        true
    }

    fn group(&self, _view: &ZoneView<'_>) -> u32 {
        0
    }
}

zoned_kind!(ZonedAll);
