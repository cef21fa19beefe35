//! `zonemode=strided`: so many bytes in one stretch of the file, then on to the next, and from the last to the first.

use super::blocks::BlockSizes;
use super::distribution::Distribution;
use super::job::{JobAccess, JobSpec};
use super::{value, zbd};

/// Set of the zone options of a fio job (`zonemode`, `zonesize` and so on).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobZones {
    /// Value of the fio option `zonemode`, the kind of zones that the job works in; none where the job does not give
    /// the option: a `zonesize` then means zones of the job's own.
    pub mode: Option<ZoneMode>,
    /// Number of bytes that a fio job transfers in a zone before it goes to the next zone (`zonesize`).
    pub size: u64,
    /// Length in bytes of a zone of the fio job (`zonerange`); 0: as long as `zonesize`.
    pub range: u64,
    /// Number of bytes from the end of a fio job's zone to the start of the next zone (`zoneskip`).
    pub skip: u64,
    /// Greatest number of the drive's zones to which all fio jobs together write at the same time (`max_open_zones`);
    /// 0: the limit of the drive.
    pub max_open: u64,
    /// Greatest number of the drive's zones to which each fio job clone writes at the same time (`job_max_open_zones`);
    /// 0: no limit of its own.
    pub job_max_open: u64,
    /// Fraction (0 to 1) of the bytes of the fio job clone's zones that must be written before zones are reset ahead of
    /// writes (`zone_reset_threshold`).
    pub reset_threshold: f64,
    /// Fraction of the fio job's writes, 0 to 1, ahead of which a zone is reset once the threshold is reached
    /// (`zone_reset_frequency`).
    pub reset_frequency: f64,
    /// True if the fio job reads beyond the write pointers of zones (`read_beyond_wp`).
    pub reads_beyond: bool,
}

/// Kind of zones that a fio job works in: none, its own, or the zones of the drive (`zonemode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneMode {
    /// Case of zones: none, so that the fio job takes no account of zones (`none`).
    None,
    /// Case of zones: the fio job's own, which are parts of its file.
    Strided,
    /// Case of zones: the zones of the zoned drive, in which the fio job works.
    Zbd,
}

/// Record of the geometry of a fio job's own zones (`zonemode=strided`), which follow each other at equal distances:
/// lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Number of bytes that a fio job transfers in one of its own zones (`zonemode=strided`) before it goes to the next
    /// zone.
    pub size: u64,
    /// Length in bytes of each of the fio job's own zones (`zonerange`, or `zonesize` where `zonerange` is not given).
    pub range: u64,
    /// Number of bytes from the start of one of the fio job's own zones to the start of the next: the length of a zone
    /// plus `zoneskip`.
    pub step: u64,
}

impl JobZones {
    /// Parses the value of the fio option `zonemode`, and stores it.
    pub fn mode(&mut self, text: &str) -> Result<(), &'static str> {
        self.mode = Some(match text {
            "none" => ZoneMode::None,
            "strided" => ZoneMode::Strided,
            "zbd" => ZoneMode::Zbd,
            _ => return Err("none, strided or zbd"),
        });
        Ok(())
    }

    /// Returns true if the fio job works in the zones of the zoned drive (`zonemode=zbd`).
    pub fn is_zbd(&self) -> bool {
        self.mode == Some(ZoneMode::Zbd)
    }

    /// Parses a fraction from 0 to 1 given as a fio option value, such as a reset threshold of zones.
    pub fn part(text: &str) -> Result<f64, &'static str> {
        let part: f64 = text.trim().parse().map_err(|_| "a number from 0 to 1")?;
        if (0.0..=1.0).contains(&part) { Ok(part) } else { Err("a number from 0 to 1") }
    }

    /// Parses a length of zones in bytes given as a fio option value: a multiple of 512.
    pub fn length(text: &str, kb_base: u64) -> Result<u64, &'static str> {
        let bytes = value::bytes(text, kb_base)?;
        if bytes % 512 == 0 { Ok(bytes) } else { Err("a multiple of 512, the drive's sector") }
    }
}

impl JobSpec {
    /// Returns the geometry of the fio job's own zones (`zonemode=strided`), where it has any.
    pub fn strides(&self) -> Option<Strides> {
        let zones = &self.zones;
        let range = if zones.range == 0 { zones.size } else { zones.range };
        let is_strided = zones.size > 0 && !matches!(zones.mode, Some(ZoneMode::None | ZoneMode::Zbd));
        is_strided.then_some(Strides { size: zones.size, range, step: range + zones.skip })
    }
}

/// Checks the zone options of a fio job against its other options, once the whole section is known.
///
/// # Errors
/// With the pair of texts found and expected, at options that say nothing together, or of which fio itself makes
/// something else than they say.
// Long: one after the other what fio refuses, with its expectation.
pub fn check(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    let zones = &job.zones;
    if job.appends && !(zones.is_zbd() && job.engine.as_deref() == Some("io_uring_cmd")) {
        return Err(("write_mode=zone_append", "zonemode=zbd and ioengine=io_uring_cmd, as fio requires"));
    }
    if zones.is_zbd() {
        return zbd::check(job);
    }
    let is_of_drive = zones.max_open > 0
        || zones.job_max_open > 0
        || zones.reset_frequency > 0.0
        || zones.reset_threshold > 0.0
        || zones.reads_beyond;
    if is_of_drive {
        return Err((
            "max_open_zones, job_max_open_zones, zone_reset_threshold, zone_reset_frequency or read_beyond_wp",
            "zonemode=zbd, to which they belong",
        ));
    }
    if zones.size == 0 && (zones.mode == Some(ZoneMode::Strided) || zones.range > 0 || zones.skip > 0) {
        return Err(("zones without zonesize", "zonesize=, the bytes to transfer in each"));
    }
    if zones.size > 0 && zones.mode == Some(ZoneMode::None) {
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

/// Returns the greatest distance in bytes, from the start of a fio job clone's part of a file, that the clone reaches
/// in all its loops of `bytes` bytes each, where the job has zones of its own; `None` for a job without such zones.
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
