//! `[ftl.scrub]`: how often what is stored is read for its errors.

use config::{ConfigError, Section, above};
use units::Nanos;

/// Set of settings of the patrol (background scrub), from `[ftl.scrub]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatrolRules {
    /// Setting: time within which the patrol (background scrub) reads all stored data once; zero: no patrol.
    pub period: Nanos,
    /// Setting: time for which a die must have been idle before the patrol (background scrub) reads on the die.
    pub idle_after: Nanos,
    /// Setting: fraction (0 to 1) of the number of errors that the code corrects in a codeword. A superblock is
    /// refreshed (its data are relocated) if the patrol (background scrub) reads more errors than this fraction in a
    /// codeword.
    pub margin: f64,
}

impl PatrolRules {
    /// Reads the settings of the patrol (background scrub) from `[ftl.scrub]`.
    ///
    /// # Errors
    /// When the margin is not between 0 and 1, or a round takes as long as data must stay correctable (`retention`).
    pub(crate) fn read(ftl: &mut Section, retention: Nanos) -> Result<Self, ConfigError> {
        let mut section = ftl.child("scrub")?;
        let rules = Self {
            period: section.or(
                "period",
                Nanos::ZERO,
                "idle dies read all their data once in this time and rewrite data near its limit; 0s: never",
            )?,
            idle_after: section.or(
                "idle_after",
                Nanos::new(1_000_000),
                "how long a die must have been idle before its data is read for errors",
            )?,
            margin: section.unit("ratio").within(above(0.0).at_most(1.0)).or(
                "margin",
                0.7,
                "share of the errors the code corrects in a codeword, above which a superblock is rewritten",
            )?,
        };
        if rules.period >= retention {
            let expected =
                "expected less than ftl.write_cost.retention: data would be lost before they are looked at";
            return Err(section.reject("period", expected));
        }
        section.finish()?;
        Ok(rules)
    }
}
