//! Below the low watermark always, below the high one when the die is idle.

use super::{GcTrigger, TriggerView};
use config::{Card, ConfigError, Policy, Section};
use units::Nanos;

/// Two watermarks, counted in free superblocks of the die.
#[derive(Clone, Debug)]
pub struct Watermark {
    low: u32,
    high: u32,
    background: bool,
    idle_after: Nanos,
}

impl Policy for Watermark {
    const CARD: Card = Card {
        name: "watermark",
        rule: "collect while at most `low` superblocks are free; on an idle die while fewer than `high` are",
        paper: "common practice",
        not_modelled: "the load to come",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let low =
            section.or("low", 2u32, "free superblocks of a die at or below which foreground GC works")?;
        if !(1..=1024).contains(&low) {
            return Err(
                section.reject("low", "expected 1 to 1024: garbage collection needs one to move into")
            );
        }
        let high = section.or("high", low + 2, "free superblocks of a die at which background GC stops")?;
        if high < low {
            return Err(section.reject("high", "expected at least `low`"));
        }
        let background = section.or("background", true, "idle dies collect")?;
        let idle_after =
            section.or("idle_after", Nanos::new(1_000_000), "how long a die must have been idle before")?;
        Ok(Self { low, high, background, idle_after })
    }
}

impl GcTrigger for Watermark {
    fn foreground(&self, view: &TriggerView) -> bool {
        view.free <= self.low && view.garbage_units >= u64::from(view.superblock_units)
    }

    fn background(&self, view: &TriggerView) -> bool {
        view.free < self.high && view.garbage_units >= u64::from(view.superblock_units)
    }

    fn idle_after(&self) -> Option<Nanos> {
        self.background.then_some(self.idle_after)
    }

    fn foreground_limit(&self) -> u32 {
        self.low
    }
}
