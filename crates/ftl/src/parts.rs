//! What a translation layer is built from.

use crate::guards::regulation::RegulationParts;
use crate::settings::FtlConfig;
use controller::Controller;
use nand::FlashArray;

/// What a translation layer is built from.
pub(crate) struct Parts<'a> {
    /// `[ftl]`, read.
    pub config: &'a FtlConfig,
    /// The blocks.
    pub array: FlashArray,
    /// Dies and channels.
    pub controller: Controller,
    /// Programs that may wait at a die.
    pub program_queue: u32,
    /// Data may move inside a plane.
    pub copyback: bool,
    /// Code, error model and what costs are reckoned from.
    pub regulation: RegulationParts,
    /// Everything random follows from it.
    pub seed: u64,
}
