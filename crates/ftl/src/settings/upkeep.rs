//! What moves data to keep them readable, or because the regulator asks for it.

use super::{PatrolRules, whole};
use crate::refresh_order;
use config::{ConfigError, Section, above};
use units::Nanos;

/// Set of settings of background work that relocates data to keep them readable or to make their reads faster: when
/// this is done, and the share of a die's time that the work may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpkeepRules {
    /// Setting: age of stored data at which a superblock's data are programmed again elsewhere (refresh); zero: never.
    pub refresh_age: Nanos,
    /// Setting: rules of the patrol (background scrub), which reads stored data to find superblocks with many bit
    /// errors.
    pub scrub: PatrolRules,
    /// Setting: greatest fraction (0 to 1) of a die's time that timer-driven background work (refresh, patrol,
    /// snapshots) may take.
    pub share: f64,
    /// Setting: time for which a die must have been idle before units that a write cost regulator has queued are
    /// programmed again so that their later reads take less time.
    pub rewrite_after: Nanos,
}

impl UpkeepRules {
    /// Reads `[ftl.refresh]`, `[ftl.scrub]`, `[ftl.upkeep]` and `[ftl.rewrite]`; returns the settings and the maker of
    /// the refresh order.
    pub(super) fn read(
        ftl: &mut Section,
        retention: Nanos,
    ) -> Result<(Self, refresh_order::Maker), ConfigError> {
        let (refresh_age, order) = read_refresh(ftl, retention)?;
        let rules = Self {
            refresh_age,
            scrub: PatrolRules::read(ftl, retention)?,
            share: read_share(ftl)?,
            rewrite_after: whole(ftl, "rewrite", |section| {
                section.or(
                    "idle_after",
                    Nanos::new(1_000_000),
                    "how long a die must have been idle before units are re-written to be read at less cost",
                )
            })?,
        };
        Ok((rules, order))
    }
}

/// Reads `[ftl.refresh]`: returns the age at which data are refreshed, relocated so that they stay readable (zero:
/// never), and the maker of the policy for the order of refreshes.
fn read_refresh(ftl: &mut Section, retention: Nanos) -> Result<(Nanos, refresh_order::Maker), ConfigError> {
    let mut section = ftl.child("refresh")?;
    let age = section.or("age", Nanos::ZERO, "age at which data is rewritten; 0s: never")?;
    if age >= retention {
        let expected = format!(
            "expected less than ftl.write_cost.retention, {}: data would be lost before they are written anew",
            retention.in_days()
        );
        return Err(section.reject("age", &expected));
    }
    let order = whole(&mut section, "order", refresh_order::read)?;
    section.finish()?;
    Ok((age, order))
}

/// Reads from `[ftl.upkeep]` the greatest share (0 to 1) of a die's time that timer-driven background work may take.
///
/// # Errors
/// When the value is not above 0 and at most 1.
fn read_share(ftl: &mut Section) -> Result<f64, ConfigError> {
    let mut section = ftl.child("upkeep")?;
    // Assumed: no maker says; half leaves the host as much as it takes.
    let help = "the most of a die's time that refresh, scrub and what features do by the clock take together";
    let share = section.unit("ratio").within(above(0.0).at_most(1.0)).or("share", 0.5, help)?;
    section.finish()?;
    Ok(share)
}
