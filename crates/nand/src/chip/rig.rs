//! The rig that measures a chip: how well its clock tells a busy time, and which cycles it writes down.
//!
//! ```text
//! [rig]
//! resolution   step of the clock that measures busy times; default 0 s
//! jitter       standard deviation of a measured busy time, from interrupts and polling; default 0 s
//! lines        a line is logged whenever the cycles have grown by this share of those before; default 0.02
//! ```
//!
//! A rig without either measures exactly and logs what changes. With noise no two times are the same: it logs at set
//! cycles instead, and the cycle that fails.

use super::bench::CYCLES_MOST;
use super::pace::growing;
use crate::cells::normal::Stream;
use config::{ConfigError, Section, above, at_least};
use std::sync::Arc;
use units::Nanos;

/// Set of the properties of the test rig that measures a chip's busy times: the resolution and jitter of its clock, and
/// which cycles it logs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    resolution: Nanos,
    jitter: Nanos,
    /// The test rig's list of the program/erase cycles, by rising number, that it logs when its measurements are noisy
    /// (not exact).
    lines: Arc<[u64]>,
}

impl Rig {
    /// Reads the properties of the test rig (clock and noise of measured busy times) from the subsection `[rig]` of a
    /// chip file, whose contents are given as the configuration section `nand`.
    ///
    /// # Errors
    /// When a value is wrong.
    pub fn read(nand: &mut Section) -> Result<Self, ConfigError> {
        let mut s = nand.child("rig")?;
        let mut time = |key: &str, help| s.within(at_least(Nanos::ZERO)).or(key, Nanos::ZERO, help);
        let resolution = time("resolution", "step of the clock by which a test rig measures busy times")?;
        let jitter = time("jitter", "standard deviation of a busy time that a test rig measures")?;
        let lines = s.unit("ratio").within(above(0.0).at_most(1.0)).or(
            "lines",
            0.02,
            "a rig with noise logs a line whenever the cycles have grown by this share",
        )?;
        s.finish()?;
        let lines = growing(lines).take_while(|cycle| *cycle <= CYCLES_MOST).collect();
        Ok(Self { resolution, jitter, lines })
    }

    /// Returns true if the test rig measures busy times exactly, without the rounding and jitter of a clock.
    pub(super) fn is_exact(&self) -> bool {
        self.resolution == Nanos::ZERO && self.jitter == Nanos::ZERO
    }

    /// Returns the busy time (ns) that the rig measures for a true busy time of `busy_ns`, at least one step of its
    /// clock; the noise is value `number` of the stream `draws`.
    pub(super) fn measured(&self, busy_ns: u64, draws: Stream, number: u64) -> u64 {
        if busy_ns == 0 || self.is_exact() {
            return busy_ns;
        }
        let noise = self.jitter.ns() as f64 * draws.normal(number);
        let seen = busy_ns as f64 + noise;
        let step = self.resolution.ns().max(1) as f64;
        ((seen / step).round().max(1.0) * step) as u64
    }

    /// Returns the numbers of the program/erase cycles from `from` to `until` that a rig with noise logs.
    pub(super) fn logged(&self, from: u64, until: u64) -> impl Iterator<Item = u64> {
        let first = self.lines.partition_point(|cycle| *cycle < from);
        self.lines[first..].iter().copied().take_while(move |cycle| *cycle <= until)
    }
}
