//! The parameter that all block-mapped kinds share.

use super::Misfit;
use crate::Layout;

/// Looks whether blocks can span `dies` dies each.
pub(super) fn fit(dies: u32, layout: &Layout) -> Result<(), Misfit> {
    if dies > 0 && layout.dies.is_multiple_of(dies) {
        return Ok(());
    }
    Err(("dies_per_block", format!("expected a divisor of the {} dies of the drive", layout.dies)))
}
