//! `[ftl.gc]`: when garbage collection works, and on what.

use super::whole;
use crate::Layout;
use crate::gc::{trigger, victim};
use config::{ConfigError, Section, at_least};

/// Set of settings of garbage collection, from `[ftl.gc]`.
pub struct CollectionRules {
    /// Setting: greatest number of page rows of a victim whose reads garbage collection, or folding, has in flight at a
    /// time on a die.
    pub read_ahead: u32,
    /// Setting: number of program units that garbage collection moves on each die in a burst, while the host waits; 0:
    /// collection is paced evenly, beside the host.
    pub burst_programs: u32,
    /// Setting `ftl.gc.trigger`: maker (factory) of the policy that decides when garbage collection works.
    pub trigger: trigger::Maker,
    /// Setting `ftl.gc.victim`: maker (factory) of the policy that chooses the victim of garbage collection, the
    /// superblock to be reclaimed.
    pub victim: victim::Maker,
}

impl CollectionRules {
    pub(super) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let mut gc = ftl.child("gc")?;
        if gc.has("stream") {
            return Err(
                gc.reject("stream", "this key has gone; expected ftl.streams.name = separate or mixed")
            );
        }
        let read_ahead = gc.within(at_least(1u32).at_most(64u32)).or(
            "read_ahead",
            4u32,
            "page rows read ahead by one collection",
        )?;
        let burst_programs = gc.within(at_least(0u32).at_most(1024u32)).or(
            "burst_programs",
            0u32,
            "program units that each die moves in one burst of collection, while the host waits; 0: paced evenly",
        )?;
        let mut section = gc.child("trigger")?;
        let trigger = trigger::read(&mut section)?;
        trigger().fit(layout).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        let victim = whole(&mut gc, "victim", victim::read)?;
        gc.finish()?;
        Ok(Self { read_ahead, burst_programs, trigger, victim })
    }
}
