//! Every zone lies over so many dies, which its number says.

use super::Misfit;
use super::zoning::{ZoneRules, ZoneSettings, ZoneView, divisor, read_dies, zoned_kind};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the mapping policy zoned-width: zoned mapping in which every zone extends over a fixed set of
/// neighbouring dies, chosen by the zone's number.
#[derive(Clone, Debug)]
pub struct ZonedWidth {
    settings: ZoneSettings,
    dies: u32,
}

impl Policy for ZonedWidth {
    const CARD: Card = Card {
        name: "zoned-width",
        rule: "as zoned-all, over `dies` neighbouring dies: zones go to the groups of so many in turn, by their number",
        paper: "common practice; Bae et al., CLOUD 2022 (small zones), describe such a drive",
        not_modelled: "conventional zones, ZRWA, blocks that fail, refresh of zones, redundancy within a zone",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let dies = read_dies(section)?;
        ZoneSettings::read(section).map(|settings| Self { settings, dies })
    }
}

impl ZoneRules for ZonedWidth {
    fn settings(&self) -> &ZoneSettings {
        &self.settings
    }

    fn width(&self, dies: u32) -> Result<u32, Misfit> {
        divisor(self.dies, dies)
    }

    fn takes_all(&self) -> bool {
        true
    }

    fn group(&self, view: &ZoneView<'_>) -> u32 {
        view.zone % view.free.len() as u32
    }
}

zoned_kind!(ZonedWidth);
