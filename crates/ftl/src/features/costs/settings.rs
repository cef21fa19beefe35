//! What writes cost and reads take: the regulator, the steps it chooses among, what is reckoned with.

use crate::regulator;
use config::{ConfigError, Section};
use units::Nanos;

/// Settings of write costs and reads.
pub struct CostRules {
    /// The policy that chooses the cost of each write.
    pub regulator: regulator::Maker,
    /// The program steps that the regulator chooses among.
    pub steps: regulator::Steps,
    /// The conditions that reads are planned for.
    pub reckoned: Reckoned,
}

impl CostRules {
    pub(super) fn read(ftl: &mut Section) -> Result<Self, ConfigError> {
        let mut section = ftl.child("regulator")?;
        let regulator = regulator::read(&mut section)?;
        section.finish()?;
        let steps = regulator::Steps::read(ftl)?;
        let reckoned = Reckoned::read(ftl, steps.retention)?;
        Ok(Self { regulator, steps, reckoned })
    }
}

/// The conditions that reads are planned for, beside wear and age.
#[derive(Clone, Copy, Debug)]
pub struct Reckoned {
    /// Reads of a block between two erases for which reads are planned.
    pub reads: u32,
    /// Age of the data; none: the whole time for which data must stay correctable.
    pub age: Option<Nanos>,
    /// Age of the data that the drive held before the run.
    pub data_age: Nanos,
    /// True if the drive rewrites a superblock after `reads` reads since its erase.
    pub reclaim: bool,
}

impl Reckoned {
    /// Reads `[ftl.reading]`.
    fn read(ftl: &mut Section, retention: Nanos) -> Result<Self, ConfigError> {
        let mut reading = ftl.child("reading")?;
        let reckoned = Self {
            reads: reading.or(
                "reads",
                10_000u32,
                "reads of a block between erases that the way to read it is chosen for",
            )?,
            age: read_reckoned_age(&mut reading, retention)?,
            reclaim: reading.or("reclaim", false, "superblocks read that often are moved (read reclaim)")?,
            data_age: reading.or("data_age", Nanos::ZERO, "age of the data that are there before the run")?,
        };
        if reckoned.data_age.ns() > 1 << 62 {
            return Err(reading.reject("data_age", "expected at most 146 years"));
        }
        reading.finish()?;
        Ok(reckoned)
    }
}

/// Reads `ftl.reading.age`.
fn read_reckoned_age(reading: &mut Section, retention: Nanos) -> Result<Option<Nanos>, ConfigError> {
    let help = "age of data that the way to read them is chosen for: older data are tried as such first, then with \
                retries; absent: ftl.write_cost.retention, so that retries are for data older than that";
    let age: Option<Nanos> = reading.optional("age", help)?;
    if age.is_some_and(|age| age > retention) {
        let expected = format!("expected at most ftl.write_cost.retention, {}", retention.in_days());
        return Err(reading.reject("age", &expected));
    }
    Ok(age)
}
