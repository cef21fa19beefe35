//! `[ecc]`: the times of the decoder and the code.

use crate::{Ladder, code};
use config::{ConfigError, Section};
use units::{Nanos, TransferRate};

/// Everything the error correction is configured by.
pub struct EccConfig {
    /// From data-out to corrected data, for each attempt to decode.
    pub t_decode: Nanos,
    /// Rate at which a channel's one ECC block empties the read FIFO.
    pub drain: Option<TransferRate>,
    /// The ways to read a page; none: errors are left out of account.
    pub ladder: Option<Ladder>,
}

impl EccConfig {
    /// Reads `[ecc]` for cells of `bits` bits.
    ///
    /// # Errors
    /// When a key or the code is unknown or wrong.
    pub fn read(root: &mut Section, bits: u32) -> Result<Self, ConfigError> {
        let mut ecc = root.child("ecc")?;
        let t_decode = ecc.or(
            "t_decode",
            Nanos::ZERO,
            "time from data-out to corrected data, for each attempt to decode",
        )?;
        let drain = ecc.optional(
            "drain",
            "rate at which a channel's one ECC block empties the read FIFO before the channel is free again",
        )?;
        let mut section = ecc.child("code")?;
        let code = code::read(&mut section)?();
        section.finish()?;
        ecc.finish()?;
        Ok(Self { t_decode, drain, ladder: code.ladder(bits) })
    }
}
