//! `zonemode=strided`: so many bytes in one stretch of the file, then on to the next, and from the last to the first.

use super::blocks::BlockSizes;
use super::distribution::Distribution;
use super::job::{JobAccess, JobSpec};
use super::value;

/// What a job says about zones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobZones {
    /// Whether it has them, where it says so; `zonesize` alone says so, too.
    pub mode: Option<bool>,
    /// Bytes to transfer before the next zone.
    pub size: u64,
    /// The length of a zone; as long as `size` where 0.
    pub range: u64,
    /// Bytes between zones.
    pub skip: u64,
}

/// Zones as they are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Bytes to transfer before the next zone.
    pub size: u64,
    /// The length of a zone.
    pub range: u64,
    /// From the start of a zone to that of the next.
    pub step: u64,
}

impl JobZones {
    /// Reads `zonemode`.
    pub fn mode(&mut self, text: &str) -> Result<(), &'static str> {
        self.mode = Some(match text {
            "none" => false,
            "strided" => true,
            "zbd" => return Err("none or strided: the drives have no zones of their own"),
            _ => return Err("none or strided"),
        });
        Ok(())
    }

    /// Reads a length.
    pub fn length(text: &str, kb_base: u64) -> Result<u64, &'static str> {
        let bytes = value::bytes(text, kb_base)?;
        if bytes % 512 == 0 { Ok(bytes) } else { Err("a multiple of 512, the drive's sector") }
    }
}

impl JobSpec {
    /// Its zones, where it has any.
    pub fn strides(&self) -> Option<Strides> {
        let zones = &self.zones;
        let range = if zones.range == 0 { zones.size } else { zones.range };
        let is_strided = zones.size > 0 && zones.mode != Some(false);
        is_strided.then_some(Strides { size: zones.size, range, step: range + zones.skip })
    }
}

/// What only the whole section tells about zones.
///
/// # Errors
/// With what was found and what was expected, at options that say nothing together, or of which fio itself makes
/// something else than they say.
pub fn check(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    let zones = &job.zones;
    if zones.size == 0 && (zones.mode == Some(true) || zones.range > 0 || zones.skip > 0) {
        return Err(("zones without zonesize", "zonesize=, the bytes to transfer in each"));
    }
    if zones.size > 0 && zones.mode == Some(false) {
        return Err(("zonemode=none beside zonesize", "one of them"));
    }
    let Some(strides) = job.strides() else { return Ok(()) };
    let used = || job.directions().iter().map(|direction| &job.blocks[*direction]);
    let first = job.blocks[job.directions()[0]].least();
    if job.nrfiles > 1 || job.filename.as_ref().is_some_and(|names| names.len() > 1) {
        return Err(("zones in several files", "one file: fio itself leaves the zones out with several"));
    }
    if job.access == JobAccess::TrimWrite {
        return Err((
            "zones with rw=trimwrite",
            "trims or writes: fio itself parts the pairs at a zone's end",
        ));
    }
    if job.verify.is_some() || job.hole != 0 || job.fill_device || job.lfsr {
        return Err((
            "zones beside verify, fill_device, random_generator=lfsr or a hole between requests",
            "one of them: what they do together is not modelled",
        ));
    }
    if job.distribution.iter().any(|one| *one != Distribution::Uniform) && job.random {
        return Err(("zones beside random_distribution", "one of them: fio itself draws beyond the zone"));
    }
    if used().any(|blocks| blocks.most() > strides.range) {
        return Err(("zones shorter than a block", "a zonerange, or zonesize, of one block or more"));
    }
    if job.has_map() && used().any(|blocks| blocks.least() != first) {
        return Err((
            "zones with reads and writes of different sizes",
            "one size, or norandommap: fio itself would end when the map of a zone is full",
        ));
    }
    if job.has_map() && strides.range % first != 0 {
        return Err((
            "zones that do not end with a block",
            "a zonerange, or zonesize, that is a multiple of the block: fio itself would end when the map of a zone is full",
        ));
    }
    Ok(())
}

/// How far from the start of its part a job with zones comes, at most; none where it has none.
pub fn reach(job: &JobSpec, bytes: u64) -> Option<u64> {
    let strides = job.strides()?;
    let asked = if job.time_based { u64::MAX } else { bytes.saturating_mul(job.loops) };
    let longest = used_most(job);
    // A zone is left by the request that completes its bytes.
    Some(asked.div_ceil(strides.size).saturating_mul(strides.step).saturating_add(longest))
}

fn used_most(job: &JobSpec) -> u64 {
    job.directions().iter().map(|direction| BlockSizes::most(&job.blocks[*direction])).max().unwrap_or(512)
}
