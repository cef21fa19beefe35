//! Which superblocks cache the host's data in SLC mode?
//!
//! A block of a chip with several bits a cell can be written with one: a fraction of its capacity, at a fraction of
//! the time. What lies there is *folded* later: moved to superblocks with all their bits. A policy says how many
//! superblocks of a die may be in this use and when they are folded; the feature `features/slc_cache` keeps the account,
//! `upkeep/fold` moves the data.

use config::{ConfigError, Section};
use units::{Bytes, Nanos};

/// The information about the drive that a policy may use.
#[derive(Clone, Copy, Debug)]
pub struct CacheShape {
    /// Dies of the drive.
    pub dies: u32,
    /// Superblocks of a die.
    pub superblocks: u32,
    /// Bytes that a superblock holds with one bit a cell.
    pub superblock: Bytes,
}

impl CacheShape {
    /// Returns the number of superblocks of each die that hold `size` bytes of the drive's with one bit a
    /// cell, rounded up.
    pub fn superblocks_for(&self, size: Bytes) -> u32 {
        let of_all = self.superblock.get() * u64::from(self.dies);
        u32::try_from(size.get().div_ceil(of_all)).unwrap_or(u32::MAX)
    }
}

/// The information about a die that a policy may use.
#[derive(Clone, Copy, Debug)]
pub struct CacheView {
    /// Shape of the drive: dies and superblocks.
    pub shape: CacheShape,
    /// Superblocks of this die that no data would need if all data were folded, without superblocks that garbage
    /// collection keeps.
    pub spare: u32,
}

/// What happens when no further superblock may be opened in SLC mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The host's data go to superblocks with all their bits; folding waits for idle time.
    Bypass,
    /// The host waits for folding, and writes as fast as that gives room back.
    FoldFirst,
}

/// When data are folded: parameters that policies share.
#[derive(Clone, Copy, Debug)]
pub struct Folding {
    /// What happens when the cache is full.
    pub when_full: WhenFull,
    /// How long a die must have been idle before it folds; none: it folds only when it must.
    pub idle_after: Option<Nanos>,
}

impl Folding {
    /// Reads the keys of folding, which are in the section of the policy's own keys.
    ///
    /// # Errors
    /// When one of them is wrong.
    pub fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let when_full = section.choice(
            "when_full",
            &["bypass", "fold-first"],
            "bypass",
            "does the host write past a full cache, or wait for folding",
        )?;
        let when_full = if when_full == "bypass" { WhenFull::Bypass } else { WhenFull::FoldFirst };
        let in_idle_time = section.or("in_idle_time", true, "idle dies fold")?;
        let idle_after =
            section.or("idle_after", Nanos::new(100_000_000), "how long a die must have been idle before")?;
        Ok(Self { when_full, idle_after: in_idle_time.then_some(idle_after) })
    }
}

/// The size of the cache.
pub trait SlcCachePolicy: Send {
    /// Returns the number of superblocks of each die that belong to the cache at all times: they count as
    /// over-provisioning.
    fn reserved(&self, shape: &CacheShape) -> u32;

    /// Returns the most superblocks of a die that may hold one bit a cell now; never fewer than the reserved
    /// ones.
    fn most(&self, view: &CacheView) -> u32;

    /// Returns when data are folded; `None`: no cache.
    fn folding(&self) -> Option<Folding>;
}

config::policies! {
    seam: "ftl.slc_cache",
    question: "Which superblocks cache the host's data in SLC mode?",
    default: "none",
    dyn SlcCachePolicy;
    dynamic_size::DynamicSize,
    none::NoCache,
    static_size::StaticSize,
}
