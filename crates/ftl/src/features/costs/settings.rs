//! What writes cost and reads take: the regulator, the steps it chooses among, what is reckoned with.

use crate::regulator;
use config::{ConfigError, Section};
use units::Nanos;

/// Set of settings of the cost regulator: the policy, the write costs (ways to program a page) among which the policy
/// chooses, and the age and reads of data for which reads are planned.
pub struct CostRules {
    /// Setting: maker of the cost regulator that the drive file names (function that creates this policy); the
    /// regulator chooses the write cost (way to program) of each mapping unit.
    pub regulator: regulator::Maker,
    /// Setting: the write costs (ways to program a page) among which the cost regulator chooses: program steps (ISPP
    /// voltage increments) and retention times.
    pub steps: regulator::Steps,
    /// Setting: rules for the planning of reads: the greatest number of reads and age of data for which the step to
    /// begin a read with (hard or soft read) is chosen, the age of data from before the run, and read reclaim.
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

/// Set of settings of section `[ftl.reading]`: greatest number of reads and age of data for which the first attempt of
/// a read is planned, age of the data before the run, and read reclaim.
#[derive(Clone, Copy, Debug)]
pub struct Reckoned {
    /// Setting `reads` of section `[ftl.reading]`: greatest number of reads of a block between two erases for which the
    /// drive plans the first attempt of a read, that is, the hard or soft read to begin with.
    pub reads: u32,
    /// Setting: greatest age of data for which the first attempt of a read is planned; `None`: the whole retention
    /// time.
    pub age: Option<Nanos>,
    /// Setting: age, at the start of the run, of the data that the drive held before the run.
    pub data_age: Nanos,
    /// Setting: true if the drive relocates each superblock that has had `reads` reads since its erase (read reclaim);
    /// false on a drive without read reclaim.
    pub reclaim: bool,
}

impl Reckoned {
    /// Parses section `[ftl.reading]`; `retention` is the time for which data must stay correctable.
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

/// Parses key `ftl.reading.age`, the greatest age of data for which the first attempt of a read is planned; an error if
/// it exceeds `retention`.
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
