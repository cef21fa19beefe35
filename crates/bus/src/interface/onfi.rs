//! The timing modes of ONFI (revision 5.0; the Linux kernel's tables agree), with exact cycles: where the
//! standard prints 1.667 ns, the mode is 1200 MT/s and its cycle 5/3 ns.

use crate::family::Family;
use crate::signalling::{Cadence, CycleWaits};
use config::{ConfigError, Section};
use units::Femtos;

/// Constant: cycle times tRC and tWC of ONFI SDR timing modes 0 to 5, in ns. The standard lets reads of mode 1 run at
/// 50 ns and writes at 45.
pub const SDR_MODES: [(u64, u64); 6] = [(100, 100), (50, 45), (35, 35), (30, 30), (25, 25), (20, 20)];

/// Constant: waits tRR, tWB, tWHR and tADL of ONFI SDR timing modes 0 to 5, in ns.
pub(super) const SDR_WAITS: [[u64; 4]; 6] = [
    [40, 200, 120, 400],
    [20, 100, 80, 400],
    [20, 100, 80, 400],
    [20, 100, 80, 400],
    [20, 100, 80, 400],
    [20, 100, 80, 400],
];

/// Constant: clock periods tCK of ONFI NV-DDR timing modes 0 to 5, in ns.
pub const NV_DDR_MODES: [u64; 6] = [50, 30, 20, 15, 12, 10];

/// Constant: transfer rates of timing modes 0 to 19 of ONFI NV-DDR2, NV-DDR3 and NV-LPDDR4, in thirds of a million
/// transfers per second, so that 66.7 and 1333.3 are whole.
pub const NV_DDR2_MODES: [u64; 20] = [
    200, 240, 400, 500, 600, 800, 1000, 1200, 1600, 2000, 2400, 3200, 3600, 4000, 4400, 4800, 5400, 6000,
    6600, 7200,
];

/// Constant: highest timing mode of NV-DDR2 (533 and 667 MT/s need faster parts, 800 MT/s is the highest that revision
/// 4.0 names for it).
pub(super) const NV_DDR2_HIGHEST: u32 = 10;

/// Returns the data rate of timing mode `mode` of NV-DDR2, NV-DDR3 and NV-LPDDR4.
pub(super) fn cadence(mode: u32) -> Cadence {
    // A third of a million transfers per second take 3 s for a million bytes: 3e15 fs for NV_DDR2_MODES x 1e6.
    Cadence { bytes: NV_DDR2_MODES[mode as usize] * 1_000_000, femtos: Femtos::new(3_000_000_000_000_000) }
}

/// Constant: length of a command or address cycle of ONFI NV-DDR2 and later, 25 ns in all timing modes.
pub(super) const DDR_COMMAND: Femtos = Femtos::new(25_000_000);

/// Constant: waits of the ONFI interfaces with double data rate: tWB 100, tRR 20, tADL 400, tWHR 80 ns.
pub(super) const DDR_WAITS: CycleWaits = CycleWaits {
    t_wb: Femtos::new(100_000_000),
    t_rr: Femtos::new(20_000_000),
    t_adl: Femtos::new(400_000_000),
    t_whr: Femtos::new(80_000_000),
};

/// Constant: help text of the configuration key `mode`, the ONFI timing mode of a flash interface.
const MODE: &str =
    "ONFI timing mode: 0 to 5 of SDR and NV-DDR, to 10 of NV-DDR2, to 19 of NV-DDR3 and NV-LPDDR4";

/// Reads the ONFI timing mode of an interface from the key `mode`.
pub(super) fn mode(section: &mut Section, family: Option<Family>) -> Result<u32, ConfigError> {
    let Family { name, highest, .. } = family.expect("an interface of ONFI has a family");
    let highest = highest.expect("the family has modes");
    let mode = section.required("mode", MODE)?;
    if mode <= highest {
        return Ok(mode);
    }
    let over = mode - highest;
    let text = format!("expected a mode from 0 to {highest} of {name}; {over} too high");
    Err(section.reject("mode", &text))
}
