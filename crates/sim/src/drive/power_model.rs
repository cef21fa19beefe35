//! What the parts of a drive draw.

use nand::ArrayPower;
use units::{Energy, Power};

/// Power and energy of the parts of a drive, as the configuration gives them: controller, flash bus and flash array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerModel {
    pub controller: Option<Power>,
    pub controller_per_byte: Energy,
    pub bus_per_byte: Option<Energy>,
    pub array: Option<ArrayPower>,
}
