//! What a drive is opened from.

use crate::StepError;
use sim::{Catalogue, Drive, RunOptions};

/// Record that describes a drive to be opened for stepping: the drive, its settings, and options such as
/// preconditioning.
#[derive(Clone, Debug, Default)]
pub struct StepSetup {
    /// Name of the drive to be opened for stepping, or the path of its drive file.
    pub drive: String,
    /// Text of the drive file of the drive to be opened for stepping, if the caller gives the text; `drive` is then
    /// only the drive's name in messages.
    pub toml: Option<String>,
    /// List of settings `key=value` of the drive to be opened for stepping, which override keys of its drive file.
    pub set: Vec<String>,
    /// Field of the setup of a stepped drive: its options, such as the random seed, the preconditioning, and a saved
    /// state to load.
    pub options: RunOptions,
}

impl StepSetup {
    /// Loads the drive that this description names, and returns it; its base drive and chip are looked up in
    /// `catalogue`.
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
