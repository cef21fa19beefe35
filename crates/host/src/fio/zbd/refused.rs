//! Jobs on zones that are not modelled, or that could only fail; and the part of the drive that is left of a clone's in whole zones.

use crate::fio::files::{CloneFiles, FileRegion};
use crate::fio::job::{JobAccess, JobSpec};
use crate::{HostSpace, HostZones, WorkloadError};

/// Checks the options of a fio job with `zonemode=zbd`, without looking at the drive.
///
/// # Errors
/// With the refused option and the text of what to use instead, when the job asks for an option that is not modelled
/// with zones, or that fio refuses.
pub fn check(job: &JobSpec) -> Result<(), (&'static str, &'static str)> {
    let zones = &job.zones;
    let is_one_file = job.nrfiles <= 1 && job.filename.as_ref().is_none_or(|names| names.len() <= 1);
    let rules = [
        (
            matches!(job.access, JobAccess::Trim | JobAccess::TrimWrite),
            "zonemode=zbd with trims",
            "reads or writes: resets by trims are not modelled",
        ),
        (
            zones.skip > 0,
            "zonemode=zbd with zoneskip",
            "no zoneskip: it is not modelled with zones of the drive",
        ),
        (zones.range > 0, "zonemode=zbd with zonerange", "zonemode=strided, to which zonerange belongs"),
        (!is_one_file, "zonemode=zbd with several files", "one device: several are not modelled"),
        (job.verify.is_some(), "zonemode=zbd with verify", "no verify: together they are not modelled"),
        (
            job.lfsr || job.fill_device,
            "zonemode=zbd with random_generator=lfsr or fill_device",
            "neither: together they are not modelled",
        ),
        (job.hole != 0, "zonemode=zbd with a hole between requests", "rw=read or write: a zone has no holes"),
        (
            job.serialize_overlap,
            "zonemode=zbd with serialize_overlap",
            "no serialize_overlap: writes of a zone never overlap",
        ),
    ];
    let broken = rules.into_iter().find(|(is_broken, ..)| *is_broken);
    broken.map_or(Ok(()), |(_, found, expected)| Err((found, expected)))
}

/// Returns the zones of the namespace in which a fio job clone's parts of files (`share`) lie, of the first namespace
/// with zones if they lie in several; `None` where no part lies in zones.
pub fn zones_on_drive(share: &CloneFiles, files: &[FileRegion], space: &HostSpace) -> Option<HostZones> {
    share.parts.iter().find_map(|part| space.zones_at(files[part.file as usize].offset))
}

/// Checks a fio job against the zones of the namespace in which it works, or their absence.
///
/// # Errors
/// When the job could only fail on this drive.
pub fn check_drive(job: &JobSpec, zones: Option<HostZones>, space: &HostSpace) -> Result<(), WorkloadError> {
    let refuse =
        |found: &str, expected: String| Err(job.place.error(format!("job {}: {found}", job.name), expected));
    let Some(zones) = zones else {
        let expected = match space.has_zones() {
            true => "none or strided: the namespace has no zones",
            false => {
                "none or strided: this drive has no zones; ftl.mapping.name = zoned-all makes one that has"
            }
        };
        return if job.zones.is_zbd() { refuse("zonemode=zbd", expected.into()) } else { Ok(()) };
    };
    if !job.zones.is_zbd() {
        if matches!(job.access, JobAccess::Trim | JobAccess::TrimWrite) {
            return refuse("trims", "reads or writes: a zoned drive knows resets instead".into());
        }
        if job.writes() && (job.random || job.strides().is_some()) {
            return refuse(
                "writes in any order",
                "zonemode=zbd: a zone takes writes at its pointer alone".into(),
            );
        }
        return Ok(());
    }
    if job.zones.size > 0 && job.zones.size != zones.size {
        return refuse(
            &format!("zonesize={}", job.zones.size),
            format!("the drive's {} bytes, or none", zones.size),
        );
    }
    let most = u64::from(zones.open_most);
    if job.zones.max_open > most {
        return refuse(
            &format!("max_open_zones={}", job.zones.max_open),
            format!("at most the {most} that the drive can have open"),
        );
    }
    let longest = job.directions().iter().map(|direction| job.blocks[*direction].most()).max().unwrap_or(0);
    if longest > zones.capacity {
        return refuse(
            &format!("blocks of {longest} bytes"),
            format!("at most a zone's {} bytes", zones.capacity),
        );
    }
    let is_whole = |direction: &usize| job.blocks[*direction].least().is_multiple_of(zones.block);
    if !job.directions().iter().all(is_whole) {
        return refuse(
            "blocks of other sizes",
            format!("multiples of the drive's block of {} bytes", zones.block),
        );
    }
    Ok(())
}

/// Returns the clone's part of the drive cut to whole zones, as fio cuts it: from the first zone that begins in the
/// part to the last zone that ends in it.
///
/// # Errors
/// When no whole zone lies in the part.
pub fn whole_zones(job: &JobSpec, share: &CloneFiles, zones: HostZones) -> Result<CloneFiles, WorkloadError> {
    let mut share = share.clone();
    for part in &mut share.parts {
        let start = part.start.next_multiple_of(zones.size);
        let end = (part.start + part.bytes) / zones.size * zones.size;
        if end <= start {
            let found = format!("job {}: {} bytes from byte {} on", job.name, part.bytes, part.start);
            return Err(job.place.error(found, format!("at least one zone of {} bytes", zones.size)));
        }
        (part.start, part.bytes) = (start, end - start);
        part.zones = Some((zones.size, zones.capacity));
    }
    let bytes: u64 = share.parts.iter().map(|part| part.bytes).sum();
    share.pass_bytes = share.pass_bytes.min(bytes);
    Ok(share)
}
