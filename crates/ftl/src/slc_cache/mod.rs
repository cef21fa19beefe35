//! Which superblocks cache the host's data in SLC mode?
//!
//! A block of a chip with several bits a cell can be written with one: a fraction of its capacity, at a fraction of
//! the time. What lies there is *folded* later: moved to superblocks with all their bits. A policy says how many
//! superblocks of a die may be in this use and when they are folded; the feature `features/slc_cache` keeps the account,
//! `upkeep/fold` moves the data.

use config::{ConfigError, Section};
use units::{Bytes, Nanos};

/// Record of the geometry of the drive, as an SLC cache policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct CacheShape {
    /// Number of dies of the drive.
    pub dies: u32,
    /// Number of superblocks of a die.
    pub superblocks: u32,
    /// Number of bytes that a superblock holds in SLC mode (one bit per cell).
    pub superblock: Bytes,
}

impl CacheShape {
    /// Returns the number of superblocks of each die that an SLC cache of `size` bytes over the whole drive takes,
    /// rounded up.
    pub fn superblocks_for(&self, size: Bytes) -> u32 {
        let of_all = self.superblock.get() * u64::from(self.dies);
        u32::try_from(size.get().div_ceil(of_all)).unwrap_or(u32::MAX)
    }
}

/// Type of the read-only view of a die for an SLC cache policy.
#[derive(Clone, Copy, Debug)]
pub struct CacheView {
    /// Field of the view of a die for an SLC cache policy: geometry of the drive, as number of dies, number and size of
    /// superblocks.
    pub shape: CacheShape,
    /// Number of superblocks of this die, apart from superblocks that garbage collection needs or that are reserved for
    /// the SLC cache, that would be free of data if all data in SLC mode were folded (moved to superblocks that use all
    /// bits per cell).
    pub spare: u32,
}

/// Kind of way in which host data are written when the SLC cache is full and no further superblock may be opened in SLC
/// mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// Case: way with a full SLC cache: host data bypass the cache, to superblocks that use all bits per cell; folding
    /// (relocation of data out of the cache) waits for idle time, or until other data need the space.
    Bypass,
    /// Case: way with a full SLC cache: the host waits for folding (relocation of data out of the cache), and writes as
    /// fast as folding frees space in the cache.
    FoldFirst,
}

/// Set of settings, shared by SLC cache policies, of when data are folded: relocated out of the cache to superblocks
/// that use all bits per cell.
#[derive(Clone, Copy, Debug)]
pub struct Folding {
    /// Setting: way in which host data are written when the SLC cache is full: past the cache, or only after folding
    /// (relocation of data out of the cache).
    pub when_full: WhenFull,
    /// Setting: time for which a die must have been idle before it folds (relocates data out of the SLC cache); none: a
    /// die folds only where other data need the space, or host writes wait for a full cache.
    pub idle_after: Option<Nanos>,
}

impl Folding {
    /// Reads the settings of folding (relocation of data out of the SLC cache) from the section of the SLC cache
    /// policy.
    ///
    /// # Errors
    /// When a key has a wrong value.
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

/// Interface of the SLC cache policies, which decide the size of the SLC cache and when its data are folded (relocated
/// to superblocks that use all bits per cell).
pub trait SlcCachePolicy: Send {
    /// Returns the number of superblocks of each die that belong to the SLC cache at all times; they are taken from
    /// over-provisioning.
    fn reserved(&self, shape: &CacheShape) -> u32;

    /// Returns the greatest number of superblocks of a die that may be in SLC mode now; never fewer than the reserved
    /// superblocks.
    fn most(&self, view: &CacheView) -> u32;

    /// Returns the settings of when data are folded (relocated out of the SLC cache); `None` for a drive without an SLC
    /// cache.
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
