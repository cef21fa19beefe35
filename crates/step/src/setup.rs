//! What a drive is opened from.

use crate::StepError;
use sim::{Catalogue, Drive, RunOptions};

/// A drive, and how it begins.
#[derive(Clone, Debug, Default)]
pub struct StepSetup {
    /// Its name, or its file.
    pub drive: String,
    /// The text of its file, where the caller has that; `drive` is then its name in messages.
    pub toml: Option<String>,
    /// `key=value` on top.
    pub set: Vec<String>,
    /// Seed, preconditioning, a saved state to load.
    pub options: RunOptions,
}

impl StepSetup {
    /// The drive, whose base and chip are found in `catalogue`.
    ///
    /// # Errors
    /// When a file, a key or a value is wrong.
    pub fn drive(&self, catalogue: &Catalogue) -> Result<Drive, StepError> {
        Ok(match &self.toml {
            Some(text) => Drive::load_text(catalogue, &self.drive, text, &self.set)?,
            None => Drive::load(catalogue, &self.drive, &self.set)?,
        })
    }
}
