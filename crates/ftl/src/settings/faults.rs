//! What may go wrong beside bad blocks: `[ftl.recovery]`, how the map is found again after a power cut, and
//! `ftl.failed_die`.

use crate::lapse::Lapses;
use crate::{Layout, recovery};
use config::{ConfigError, Section};
use nand::Geometry;

/// Constant: least number of bytes of a page's spare area that recovery reads (an assumption): logical unit, stamp
/// (number of the host's write) and checksum.
const SPARE_LEAST: u64 = 16;

/// Set of settings of faults that may happen, and of how the drive handles them.
pub struct FaultRules {
    /// Setting: index of the die that has failed from the start of the run; none if all dies work.
    pub failed_die: Option<u32>,
    /// Setting `ftl.recovery`: maker (factory) of the method by which the map is recovered after a power cut.
    pub recovery: recovery::Maker,
    /// Setting: number of bytes of the spare areas of one page row (a page on each plane) that recovery after a power
    /// cut reads: as many as the chip has, but at least 16 for each page.
    pub spare_bytes: u32,
    /// Setting of the deliberate mistake that the translation layer makes in tests of the checks; none otherwise.
    pub lapses: Lapses,
}

impl FaultRules {
    /// Reads the keys for faults, and reserves the space in `layout` that the recovery method needs.
    ///
    /// # Errors
    /// When the method is unknown, superblocks or the method's settings do not suit it, or there is no such die.
    pub fn read(ftl: &mut Section, geometry: &Geometry, layout: &mut Layout) -> Result<Self, ConfigError> {
        let mut section = ftl.child("recovery")?;
        let mut recovery = recovery::read(&mut section)?;
        if layout.summary_units > 0 {
            recovery = recovery::of_checkpointed_map();
        } else if let Err(expected) = recovery().fit(layout) {
            return Err(section.reject("name", &expected));
        }
        section.finish()?;
        let spare_bytes = geometry.oob_size.get().max(SPARE_LEAST) * u64::from(layout.planes);
        let failed_die = read_failed_die(ftl, layout)?;
        Ok(Self { failed_die, recovery, spare_bytes: spare_bytes as u32, lapses: Lapses::read(ftl)? })
    }
}

/// Reads `ftl.failed_die`, the index of a die that is dead from the start.
fn read_failed_die(ftl: &mut Section, layout: &Layout) -> Result<Option<u32>, ConfigError> {
    let help = "a die that is dead when time begins: its reads fail, and the drive takes no more writes";
    let failed: Option<u32> = ftl.optional("failed_die", help)?;
    if failed.is_some_and(|die| die >= layout.dies) {
        let expected = format!("expected the number of a die, 0 to {}", layout.dies - 1);
        return Err(ftl.reject("failed_die", &expected));
    }
    Ok(failed)
}
