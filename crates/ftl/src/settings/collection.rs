//! `[ftl.gc]`: when garbage collection works, on what, and where it writes.

use super::whole;
use crate::Layout;
use crate::gc::{trigger, victim};
use config::{ConfigError, Section, at_least};

/// `[ftl.gc]`.
pub struct CollectionRules {
    /// It writes into the host's open superblocks.
    pub mixed_streams: bool,
    /// Page rows read ahead by one collection.
    pub read_ahead: u32,
    /// When it works.
    pub trigger: trigger::Maker,
    /// What it reclaims.
    pub victim: victim::Maker,
}

impl CollectionRules {
    pub(super) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let mut gc = ftl.child("gc")?;
        let stream = gc.choice(
            "stream",
            &["separate", "mixed"],
            "separate",
            "does GC fill open blocks of its own, or the host's",
        )?;
        let read_ahead = gc.within(at_least(1u32).at_most(64u32)).or(
            "read_ahead",
            4u32,
            "page rows read ahead by one collection",
        )?;
        let mut section = gc.child("trigger")?;
        let trigger = trigger::read(&mut section)?;
        trigger().fit(layout).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        let victim = whole(&mut gc, "victim", victim::read)?;
        gc.finish()?;
        Ok(Self { mixed_streams: stream == "mixed", read_ahead, trigger, victim })
    }
}
