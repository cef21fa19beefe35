//! Which signals does a channel use, and how fast?

mod onfi;
mod seed;

use crate::family::{Family, ModeSet};
use crate::{Signalling, Strobes};
use config::{ConfigError, Document, Policy, Section};

/// Trait of the models of a channel's NAND flash interface, such as `nv-ddr2`: gives timing, pins, strobes, and the
/// interface family that a chip must support.
pub trait Interface: Send {
    /// Returns the timing and the pins of the interface: cycles, data rates, waits and wires.
    fn signalling(&self) -> Signalling;

    /// Returns the ONFI timing mode of the interface; none for interfaces without modes.
    fn mode(&self) -> Option<u32> {
        None
    }

    /// Returns the timing relations between strobes and data, for waveforms; none if a waveform of the interface cannot
    /// be drawn.
    fn strobes(&self) -> Option<Strobes> {
        None
    }

    /// Returns the interface family and mode that a chip must support; none if any chip will do.
    fn needs(&self) -> Option<ModeSet>;
}

/// Interface of the policies for NAND flash interfaces that belong to a family (such as `nv-ddr2`), which chip files
/// name to say what a chip supports.
pub trait Spoken: Policy + Interface {
    /// Constant: interface family, named like the policy, that a chip file must name for a chip that supports this
    /// interface; none if any chip will do.
    const FAMILY: Option<Family>;

    /// Returns the interface family and mode that a chip must support for this interface in timing mode `mode`; none if
    /// any chip will do.
    fn in_mode(mode: u32) -> Option<ModeSet> {
        Self::FAMILY.map(|family| ModeSet { family, mode })
    }
}

/// Macro that makes the policies for `bus.interface` (see [`config::policies!`]), and the list of the families of all
/// interfaces.
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

        /// Returns all interface families that a chip file may name.
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

/// Makes the interface of a negotiated family and mode, with default values for all other parameters.
pub(crate) fn agreed(set: ModeSet) -> Result<Box<dyn Interface>, ConfigError> {
    let mut document = Document::empty();
    document.set(&format!("name={}", set.family.name))?;
    if set.family.highest.is_some() {
        document.set(&format!("mode={}", set.mode))?;
    }
    Ok(read(&mut Section::root(&document))?())
}
