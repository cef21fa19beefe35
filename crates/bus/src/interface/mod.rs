//! Which signals does a channel speak, and how fast?

mod onfi;
mod seed;

use crate::support::{Family, ModeSet};
use crate::{Signalling, Strobes};
use config::{ConfigError, Document, Policy, Section};

/// A NAND interface with its parameters.
pub trait Interface: Send {
    /// What it comes to.
    fn signalling(&self) -> Signalling;

    /// The ONFI timing mode, for interfaces that have modes.
    fn mode(&self) -> Option<u32> {
        None
    }

    /// How its strobes and data stand to each other. Absent: there is nothing to draw.
    fn strobes(&self) -> Option<Strobes> {
        None
    }

    /// What a chip must offer for this interface to work. Absent: any chip will do.
    fn needs(&self) -> Option<ModeSet>;
}

config::policies! {
    seam: "bus.interface",
    question: "Which signals does a channel speak, and how fast?",
    default: "plain",
    dyn Interface;
    conv::Conv,
    nv_ddr::NvDdr,
    nv_ddr2::NvDdr2,
    nv_ddr3::NvDdr3,
    nv_lpddr4::NvLpddr4,
    plain::Plain,
    proposed::Proposed,
    sdr::Sdr,
    sync_only::SyncOnly,
}

pub(crate) use onfi::highest_mode;
pub use onfi::{NV_DDR_MODES, NV_DDR2_MODES, SDR_MODES};

/// The interface that controller and chip agreed on, when it is not the one asked for.
pub(crate) fn agreed(set: ModeSet) -> Result<Box<dyn Interface>, ConfigError> {
    let mut standard = Section::root(&Document::empty());
    Ok(match set.family {
        Family::Conv => Box::new(Conv::read(&mut standard)?),
        Family::SyncOnly => Box::new(SyncOnly::read(&mut standard)?),
        Family::Proposed => Box::new(Proposed::read(&mut standard)?),
        Family::Sdr => Box::new(Sdr::of(set.mode)),
        Family::NvDdr => Box::new(NvDdr::of(set.mode)),
        Family::NvDdr2 => Box::new(NvDdr2::of(set.mode)),
        Family::NvDdr3 => Box::new(NvDdr3::of(set.mode)),
        Family::NvLpddr4 => Box::new(NvLpddr4::of(set.mode)),
    })
}
