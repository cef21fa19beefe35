//! What the parts of a drive draw.

use nand::ArrayPower;
use units::{Energy, Power};

/// Model of the power and energy of a drive's parts (controller, flash bus and flash array), as the configuration gives
/// them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerModel {
    pub controller: Option<Power>,
    pub controller_per_byte: Energy,
    pub bus_per_byte: Option<Energy>,
    pub array: Option<ArrayPower>,
}
