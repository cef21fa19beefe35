//! Which signals does a channel use, and how fast?

mod onfi;
mod seed;

use crate::family::{Family, ModeSet};
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

/// What chips call an interface.
pub trait Spoken: Policy + Interface {
    /// Its family, whose name is that of the policy's card; none: any chip will do.
    const FAMILY: Option<Family>;

    /// What a chip must offer to speak it in this mode.
    fn in_mode(mode: u32) -> Option<ModeSet> {
        Self::FAMILY.map(|family| ModeSet { family, mode })
    }
}

/// Declares the answers to this question: [`config::policies!`], and what chips call each.
#[macro_export]
macro_rules! interfaces {
    (default: $default:literal; $($module:ident :: $interface:ident),+ $(,)?) => {
        config::policies! {
            seam: "bus.interface",
            question: "Which signals does a channel use, and how fast?",
            default: $default,
            dyn Interface;
            $($module::$interface,)+
        }

        /// What a chip may know, by the interfaces there are.
        pub fn families() -> Vec<$crate::Family> {
            [$(<$interface as $crate::interface::Spoken>::FAMILY),+].into_iter().flatten().collect()
        }
    };
}

interfaces! {
    default: "plain";
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

pub use onfi::{NV_DDR_MODES, NV_DDR2_MODES, SDR_MODES};

/// The interface that controller and chip agreed on, when it is not the one asked for: as its defaults have it.
pub(crate) fn agreed(set: ModeSet) -> Result<Box<dyn Interface>, ConfigError> {
    let mut document = Document::empty();
    document.set(&format!("name={}", set.family.name))?;
    if set.family.highest.is_some() {
        document.set(&format!("mode={}", set.mode))?;
    }
    Ok(read(&mut Section::root(&document))?())
}
