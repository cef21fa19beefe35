//! What the arrays draw from their supply.

use config::{ConfigError, Section};
use units::{Current, Voltage};

/// Set of the electrical powers of a die, in watts, one for each flash operation and for standby: from currents ICC1 to
/// ICC3 and the standby current of a data sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrayPower {
    /// Power of a die in watts while a page is read from the array.
    pub read_w: f64,
    /// Power of a die in watts while a page is programmed.
    pub program_w: f64,
    /// Power of a die in watts while a block is erased.
    pub erase_w: f64,
    /// Standby power of a die in watts, drawn at all times, idle or busy.
    pub standby_w: f64,
}

impl ArrayPower {
    /// Reads the electrical powers of a die from `[nand.currents]`; returns `None` when the chip's file has no such
    /// section: energy is then not known.
    ///
    /// # Errors
    /// When only some of them are there, or a value is wrong.
    pub fn read(nand: &mut Section) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("currents");
        let mut section = nand.child("currents")?;
        if !written {
            return Ok(None);
        }
        let supply: Voltage = section.required("supply", "supply voltage of the array")?;
        let mut watts = |key: &str, help| -> Result<f64, ConfigError> {
            section.required::<Current>(key, help).map(|current| current.watts_at(supply))
        };
        let power = Self {
            read_w: watts("read", "supply current of a die while it reads (ICC1)")?,
            program_w: watts("program", "supply current of a die while it programs (ICC2)")?,
            erase_w: watts("erase", "supply current of a die while it erases (ICC3)")?,
            standby_w: watts("standby", "supply current of a die at rest (ISB)")?,
        };
        section.finish()?;
        Ok(Some(power))
    }
}
