//! `[ftl]`: the sizes, the rules and the makers of the policies.

mod patrol;
mod sectors;
mod snapshots;

pub use patrol::PatrolRules;
pub use sectors::SectorRules;
pub use snapshots::{SnapshotRules, WhenFull};

use crate::buffer::BufferConfig;
use crate::{
    Layout, compatibility, gc::trigger, gc::victim, mapping, parity, placement, program_order, read_ahead,
    read_merge, regulator, slc_cache, wear,
};
use config::{ConfigError, Section};
use controller::ControllerConfig;
use nand::Geometry;
use units::Nanos;

/// Everything the FTL is configured by.
pub struct FtlConfig {
    /// The shape of the drive in mapping units.
    pub layout: Layout,
    /// Garbage collection writes into the host's open superblocks.
    pub mixed_streams: bool,
    /// Page rows read ahead by one collection.
    pub read_ahead: u32,
    /// Which reads of the host's share an array read.
    pub merge: read_merge::Maker,
    /// What is fetched before the host asks for it.
    pub ahead: read_ahead::Maker,
    /// The DRAM that holds the host's data.
    pub buffer: BufferConfig,
    /// The kind of mapping.
    pub mapping: mapping::Maker,
    /// Superblocks with data that share one of parity; none: there is no parity.
    pub stripe: Option<u32>,
    /// When garbage collection works.
    pub trigger: trigger::Maker,
    /// What it reclaims.
    pub victim: victim::Maker,
    /// Wear levelling.
    pub wear: wear::Maker,
    /// Superblocks with one bit a cell.
    pub slc_cache: slc_cache::Maker,
    /// Which die a write goes to.
    pub placement: placement::Maker,
    /// Which open superblock a program goes to.
    pub program_order: program_order::Maker,
    /// With what cost a unit is written.
    pub regulator: regulator::Maker,
    /// The program steps it chooses among.
    pub steps: regulator::Steps,
    /// What reads are reckoned with.
    pub(crate) reckoned: Reckoned,
    /// When stored data are read for their errors.
    pub scrub: PatrolRules,
    /// The most of a die's time that work which only the clock brings back may take.
    pub(crate) upkeep_share: f64,
    /// How long a die must have been idle before units are written anew.
    pub rewrite_after: Nanos,
    /// When snapshots of the logical drive are taken; none where never.
    pub snapshots: Option<SnapshotRules>,
    /// A die that is dead when time begins.
    pub failed_die: Option<u32>,
    /// What is known of the sectors of a unit.
    pub sectors: SectorRules,
    /// What of all that is on, and the keys that say so.
    pub features: Vec<compatibility::Found>,
}

impl FtlConfig {
    // Long: a line for each section, and a value for each field.
    /// Reads `[ftl]`.
    ///
    /// # Errors
    /// When a key or a policy is unknown or wrong.
    pub fn read(
        root: &mut Section,
        geometry: &Geometry,
        controller: &ControllerConfig,
    ) -> Result<Self, ConfigError> {
        let mut ftl = root.child("ftl")?;
        let mut layout = Layout::read(&mut ftl, geometry, controller)?;
        let mut section = ftl.child("mapping")?;
        let mapping = mapping::read(&mut section)?;
        if let Err((key, expected)) = mapping().fit(&mut layout) {
            return Err(section.reject(key, &expected));
        }
        section.finish()?;
        let mut section = ftl.child("parity")?;
        let scheme = parity::read(&mut section)?();
        let stripe = scheme.stripe(&layout).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        let snapshots = whole(&mut ftl, "snapshots", SnapshotRules::read)?;
        if snapshots.is_some() && layout.translation_units == 0 {
            layout.translation_units = layout.map_units();
        }
        let mut gc = ftl.child("gc")?;
        let (mixed_streams, read_ahead) = read_streams(&mut gc)?;
        let mut section = gc.child("trigger")?;
        let trigger = trigger::read(&mut section)?;
        trigger().fit(&layout).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        let victim = whole(&mut gc, "victim", victim::read)?;
        gc.finish()?;
        let wear = whole(&mut ftl, "wear", wear::read)?;
        let placement = whole(&mut ftl, "placement", placement::read)?;
        let slc_cache = whole(&mut ftl, "slc_cache", slc_cache::read)?;
        let program_order = whole(&mut ftl, "program_order", program_order::read)?;
        let regulator = whole(&mut ftl, "regulator", regulator::read)?;
        let steps = regulator::Steps::read(&mut ftl)?;
        let reckoned = Reckoned::read(&mut ftl, steps.retention)?;
        let scrub = PatrolRules::read(&mut ftl, steps.retention)?;
        let upkeep_share = read_share(&mut ftl)?;
        let rewrite_after = whole(&mut ftl, "rewrite", |section| {
            section.or(
                "idle_after",
                Nanos::new(1_000_000),
                "how long a die must have been idle before units are written anew for their regulator",
            )
        })?;
        let buffer = whole(&mut ftl, "buffer", |section| BufferConfig::read(section, &layout))?;
        let merge = whole(&mut ftl, "read_merge", read_merge::read)?;
        let mut section = ftl.child("read_ahead")?;
        let ahead = read_ahead::read(&mut section)?;
        ahead().area_units(layout.unit).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        let failed_die = read_failed_die(&mut ftl, &layout)?;
        let sectors = SectorRules::read(&mut ftl, &layout)?;
        ftl.finish()?;
        let features = compatibility::find(root, layout.program_units);
        compatibility::check(&features)?;
        Ok(Self {
            layout,
            mixed_streams,
            read_ahead,
            merge,
            ahead,
            buffer,
            mapping,
            stripe,
            trigger,
            victim,
            wear,
            slc_cache,
            placement,
            program_order,
            regulator,
            steps,
            reckoned,
            scrub,
            upkeep_share,
            rewrite_after,
            snapshots,
            failed_die,
            sectors,
            features,
        })
    }
}

/// Reads a whole section of its own.
fn whole<T>(
    parent: &mut Section,
    name: &str,
    read: impl FnOnce(&mut Section) -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let mut section = parent.child(name)?;
    let value = read(&mut section)?;
    section.finish()?;
    Ok(value)
}

/// Whether moved data share the host's open superblocks, and how many page rows a collection reads ahead.
fn read_streams(gc: &mut Section) -> Result<(bool, u32), ConfigError> {
    let stream = gc.choice(
        "stream",
        &["separate", "mixed"],
        "separate",
        "does GC fill open blocks of its own, or the host's",
    )?;
    let ahead = gc.or("read_ahead", 4u32, "page rows read ahead by one collection")?;
    if !(1..=64).contains(&ahead) {
        return Err(gc.reject("read_ahead", "expected 1 to 64"));
    }
    Ok((stream == "mixed", ahead))
}

/// Reads `ftl.failed_die`.
fn read_failed_die(ftl: &mut Section, layout: &Layout) -> Result<Option<u32>, ConfigError> {
    let help = "a die that is dead when time begins: its reads fail, and the drive takes no more writes";
    let failed: Option<u32> = ftl.optional("failed_die", help)?;
    if failed.is_some_and(|die| die >= layout.dies) {
        let expected = format!("expected the number of a die, 0 to {}", layout.dies - 1);
        return Err(ftl.reject("failed_die", &expected));
    }
    Ok(failed)
}

/// Reads `ftl.reading.age`.
fn read_reckoned_age(reading: &mut Section, retention: Nanos) -> Result<Option<Nanos>, ConfigError> {
    let help = "age of data that the way to read them is chosen for: older data are tried as such first, then with \
                retries; absent: ftl.write_cost.retention, so that retries are for data older than that";
    let age: Option<Nanos> = reading.optional("age", help)?;
    if age.is_some_and(|age| age > retention) {
        let expected = format!("expected at most ftl.write_cost.retention, {}", regulator::days(retention));
        return Err(reading.reject("age", &expected));
    }
    Ok(age)
}

/// Reads `[ftl.refresh]`: the age at which any data are written anew, zero for never.
fn read_refresh(ftl: &mut Section, retention: Nanos) -> Result<Nanos, ConfigError> {
    let mut section = ftl.child("refresh")?;
    let age = section.or("age", Nanos::ZERO, "data of this age are written anew; 0s: never")?;
    if age >= retention {
        let expected = format!(
            "expected less than ftl.write_cost.retention, {}: data would be lost before they are written anew",
            regulator::days(retention)
        );
        return Err(section.reject("age", &expected));
    }
    section.finish()?;
    Ok(age)
}

/// Reads `[ftl.upkeep]`: the most of a die's time that upkeep takes.
///
/// # Errors
/// When it is no share.
fn read_share(ftl: &mut Section) -> Result<f64, ConfigError> {
    let mut section = ftl.child("upkeep")?;
    // Assumed: no maker says; half leaves the host as much as it takes.
    let help = "the most of a die's time that refresh, scrub and snapshots take together";
    let share = section.or("share", 0.5, help)?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(section.reject("share", "expected more than 0, at most 1"));
    }
    section.finish()?;
    Ok(share)
}

/// What reads are reckoned with beside wear and age.
#[derive(Clone, Copy, Debug)]
pub struct Reckoned {
    /// Reads of a block between erases.
    pub reads: u32,
    /// Age of the data; none: the whole time for which they must stay correctable.
    pub age: Option<Nanos>,
    /// Age of what was there before the run.
    pub data_age: Nanos,
    /// What was read that often is written anew.
    pub reclaim: bool,
    /// What is that old is written anew; zero: nothing.
    pub refresh_age: Nanos,
}

impl Reckoned {
    /// Reads `[ftl.reading]`, and `[ftl.refresh]`.
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
            refresh_age: read_refresh(ftl, retention)?,
        };
        if reckoned.data_age.ns() > 1 << 62 {
            return Err(reading.reject("data_age", "expected at most 146 years"));
        }
        reading.finish()?;
        Ok(reckoned)
    }
}
