//! What all kinds of mapping share that map blocks: dies that one block spans.

use super::bank::BlockRules;
use super::{MappingKind, Misfit, Plan};
use crate::Layout;
use config::{ConfigError, Section};

const KEY: &str = "dies_per_block";

/// Parses the configuration key `dies_per_block`, the number of dies over which a block extends, and returns that
/// number.
pub(super) fn read(section: &mut Section) -> Result<u32, ConfigError> {
    section.or(KEY, 1u32, "dies that one block spans, neighbours first on all channels")
}

impl<K: BlockRules + Clone + 'static> MappingKind for K {
    fn fit(&self, layout: &mut Layout) -> Result<(), Misfit> {
        let dies = self.dies_per_block();
        if dies > 0 && layout.dies.is_multiple_of(dies) {
            return Ok(());
        }
        Err((KEY, format!("expected a divisor of the {} dies of the drive", layout.dies)))
    }

    fn plan(&self, _layout: &Layout) -> Plan {
        Plan::Blocks(Box::new(self.clone()))
    }
}
