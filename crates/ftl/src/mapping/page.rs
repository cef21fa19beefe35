//! Every mapping unit may live anywhere: the whole map in RAM.

use super::{MappingKind, Plan};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the mapping policy page: page mapping with all map entries in RAM, one for each mapping unit;
/// after a power cut, the drive finds the map again by the policy of `ftl.recovery`.
#[derive(Clone, Debug)]
pub struct Page;

impl Policy for Page {
    const CARD: Card = Card {
        name: "page",
        rule: "one map entry per mapping unit, all in RAM: a write can go to any free location, and garbage \
               collection reclaims invalid units",
        paper: "common practice; Gupta, Kim and Urgaonkar (ASPLOS 2009) call it the ideal page map",
        not_modelled: "loading the map into RAM at power-up, and saving it at power-down",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl MappingKind for Page {
    fn plan(&self, _layout: &Layout) -> Plan {
        Plan::Pages(None)
    }
}
