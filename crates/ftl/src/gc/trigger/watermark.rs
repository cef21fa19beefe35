//! Below the low watermark always, below the high one when the die is idle and a victim is worth it.

use super::{GcTrigger, KEPT_BESIDE_FREE, TriggerView};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::Nanos;

/// Implementation of the garbage collection trigger policy watermark, with two watermarks in free superblocks of the
/// die. Foreground garbage collection works at or below the low watermark; background garbage collection works below
/// the high watermark, only while the die is idle and a victim frees enough.
#[derive(Clone, Debug)]
pub struct Watermark {
    low: u32,
    high: u32,
    /// True if the drive file sets the watermark `high`, which the drive must then be able to reach when full.
    high_is_stated: bool,
    least_gain: f64,
    background: bool,
    idle_after: Nanos,
}

/// Constant: number of superblocks of a die that the watermark policy counts as open, neither closed nor free: one for
/// host data, one for moved data.
const OPEN_SUPERBLOCKS: u32 = 2;

impl Policy for Watermark {
    const CARD: Card = Card {
        name: "watermark",
        rule: "collect while at most `low` superblocks are free; on an idle die also while fewer than `high` \
               are free and the victim frees at least the share `least_gain` of its units",
        paper: "common practice; the least gain as in FEMU (Li et al., FAST 2018), which leaves lines of which less \
                than an eighth is invalid",
        not_modelled: "the future load",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let low = section
            .within(at_least(1u32).at_most(1024u32).because("garbage collection needs one to move into"))
            .or("low", 2u32, "free superblocks of a die at or below which foreground GC works")?;
        let high_is_stated = section.has("high");
        let high = section.or("high", low + 2, "free superblocks of a die at which background GC stops")?;
        if high < low {
            return Err(section.reject("high", "expected at least `low`"));
        }
        let least_gain = section.unit("ratio").within(at_least(0.0).below(1.0)).or(
            "least_gain",
            0.1,
            "part of a victim that must be invalid for background GC: for each unit gained it moves at most \
             1 / least_gain - 1",
        )?;
        let background = section.or("background", true, "idle dies collect")?;
        let idle_after =
            section.or("idle_after", Nanos::new(1_000_000), "how long a die must have been idle before")?;
        Ok(Self { low, high, high_is_stated, least_gain, background, idle_after })
    }
}

impl GcTrigger for Watermark {
    fn foreground(&self, view: &TriggerView) -> bool {
        view.free <= self.low && view.garbage_units >= u64::from(view.superblock_units)
    }

    fn background(&self, view: &TriggerView) -> bool {
        view.free < self.high && view.garbage_units >= u64::from(view.superblock_units)
    }

    fn worthwhile(&self, gain: u32, units: u32) -> bool {
        gain > 0 && f64::from(gain) >= self.least_gain * f64::from(units)
    }

    fn idle_after(&self) -> Option<Nanos> {
        self.background.then_some(self.idle_after)
    }

    fn foreground_limit(&self) -> u32 {
        self.low
    }

    fn superblocks_beside(&self) -> u32 {
        if self.background && self.high_is_stated { self.high + OPEN_SUPERBLOCKS } else { 0 }
    }

    fn fit(&self, layout: &Layout) -> Result<(), (&'static str, String)> {
        let there = layout.superblocks_per_die;
        let full = layout.written_units().div_ceil(u64::from(layout.dies) * u64::from(layout.data_units()));
        let most = u64::from(there.saturating_sub(OPEN_SUPERBLOCKS)).saturating_sub(full);
        if !self.background || !self.high_is_stated || u64::from(self.high) <= most {
            return Ok(());
        }
        // Where too little is spare for any `high`, the drive's room is at fault: that is said with the ratio that
        // would do for both.
        if layout.written_units() > layout.sustainable_at_best(self.low + KEPT_BESIDE_FREE) {
            return Ok(());
        }
        let expected = format!(
            "expected at most {most}: of a die's {there} superblocks {full} are full when the host has written \
             everything, and {OPEN_SUPERBLOCKS} are open"
        );
        Err(("high", expected))
    }
}
