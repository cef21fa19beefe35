//! When blocks fail: quantiles of the cycles that sampled blocks lived.
//!
//! ```text
//! [tables.endurance]
//! cycles     cycles to failure at evenly spaced ranks, from the first block to fail to the last
//! celsius    temperatures at which blocks were cycled
//! mean       mean cycles to failure at each
//! ```

use super::count;
use config::{ConfigError, Section};

/// Distribution of the endurance of a chip's blocks (program/erase cycles until a block fails), with the mean endurance
/// by temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Endurance {
    cycles: Vec<u32>,
    /// List of pairs of a temperature in degrees Celsius, rising, and the mean number of cycles to failure at that
    /// temperature.
    pub by_celsius: Vec<(f64, f64)>,
}

impl Endurance {
    pub(super) fn read(tables: &mut Section) -> Result<Option<Self>, ConfigError> {
        let written = tables.has("endurance");
        let mut s = tables.child("endurance")?;
        if !written {
            return Ok(None);
        }
        let cycles: Vec<u32> = s.required("cycles", "cycles to failure at evenly spaced ranks, rising")?;
        if cycles.len() < 2 || cycles[0] == 0 || cycles.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(
                s.reject("cycles", "expected at least two values that do not fall, the first above 0")
            );
        }
        let celsius: Vec<f64> = s.unit("degrees Celsius").or(
            "celsius",
            Vec::new(),
            "temperatures at which blocks were cycled",
        )?;
        let mean: Vec<f64> =
            s.unit("cycles").or("mean", Vec::new(), "mean cycles to failure at each temperature")?;
        count(&s, "mean", mean.len(), celsius.len(), "one for each temperature")?;
        if celsius.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(s.reject("celsius", "expected rising temperatures"));
        }
        if mean.iter().any(|cycles| *cycles <= 0.0) {
            return Err(s.reject("mean", "expected cycles above zero"));
        }
        s.finish()?;
        Ok(Some(Self { cycles, by_celsius: celsius.into_iter().zip(mean).collect() }))
    }

    /// Returns the endurance, in program/erase cycles, of the block with this rank among the chip's blocks: 0 the first
    /// block to fail, 1 the last.
    pub fn cycles(&self, rank: f64) -> u32 {
        let at = rank.clamp(0.0, 1.0) * (self.cycles.len() - 1) as f64;
        let below = (at as usize).min(self.cycles.len() - 2);
        let (low, high) = (f64::from(self.cycles[below]), f64::from(self.cycles[below + 1]));
        (low + (at - below as f64) * (high - low)).round() as u32
    }
}
