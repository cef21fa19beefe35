//! What the parts of a drive draw.

use nand::ArrayPower;
use units::{Energy, Power};

/// What the configuration says about power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerModel {
    pub controller: Option<Power>,
    pub controller_per_byte: Energy,
    pub bus_per_byte: Option<Energy>,
    pub array: Option<ArrayPower>,
}
