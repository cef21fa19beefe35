//! Which part of the drive a clone works in, and how much of it makes a loop.

use super::distribution::Distribution;
use super::job::{Blocks, JobSpec};
use super::value::Size;
use crate::WorkloadError;

/// A part of the drive; whole sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub offset: u64,
    /// Length.
    pub bytes: u64,
}

const SECTOR: u64 = 512;

impl Region {
    /// The region of clone number `clone` of `job` on a drive of `drive_bytes`.
    ///
    /// # Errors
    /// When it reaches beyond the drive, or is shorter than one request.
    pub fn new(job: &JobSpec, clone: u64, drive_bytes: u64) -> Result<Self, WorkloadError> {
        // A place given in percent lies on a boundary of blocks, as in fio.
        let grid = job.directions().iter().map(|direction| job.blocks[*direction].least()).min();
        let grid = grid.unwrap_or(SECTOR);
        let on_grid = |size: Size| match size {
            Size::Bytes(bytes) => bytes,
            Size::Percent(_) => size.of(drive_bytes) / grid * grid,
        };
        let offset =
            u128::from(on_grid(job.offset)) + u128::from(on_grid(job.offset_increment)) * u128::from(clone);
        let wrong = |found: String| {
            let expected = format!("no more than the drive's {drive_bytes} bytes");
            Err(job.place.error(format!("job {}: {found}", job.name), expected))
        };
        if offset >= u128::from(drive_bytes) {
            return wrong(format!("clone {clone} starts at byte {offset}"));
        }
        let offset = offset as u64;
        let rest = drive_bytes - offset;
        let bytes = match job.size {
            None => rest,
            Some(Size::Bytes(bytes)) if bytes > rest => {
                let end = u128::from(offset) + u128::from(bytes);
                return wrong(format!("offset {offset} and size {bytes} end at byte {end}"));
            }
            Some(Size::Bytes(bytes)) => bytes,
            // Percent of the drive, but never beyond its end, as in fio.
            Some(size) => size.of(drive_bytes).min(rest),
        };
        let region = Self { offset, bytes: bytes / SECTOR * SECTOR };
        let longest = job.directions().iter().map(|direction| job.blocks[*direction].most()).max();
        match longest.filter(|longest| *longest > region.bytes) {
            None => Ok(region),
            Some(longest) => {
                let expected = format!("a size of at least one block of {longest} bytes");
                let found = format!("job {}: a size of {} bytes", job.name, region.bytes);
                Err(job.place.error(found, expected))
            }
        }
    }

    /// How many blocks a pass visits once each; none when blocks may repeat or requests differ in size.
    pub fn pass_blocks(&self, job: &JobSpec) -> Option<u64> {
        let mapped = job.random && !job.norandommap && job.distribution == Distribution::Uniform;
        let (bytes, align) = uniform(job).filter(|_| mapped)?;
        Some((self.bytes - bytes) / align + 1)
    }

    /// Bytes that make one loop.
    pub fn loop_bytes(&self, job: &JobSpec) -> u64 {
        match job.io_size {
            // A percentage is of the region.
            Some(size) => size.of(self.bytes).max(1),
            None => match (self.pass_blocks(job), uniform(job)) {
                // The last block of a region need not be whole: it is left out.
                (Some(blocks), Some((bytes, _))) => blocks * bytes,
                (_, Some((bytes, _))) => self.bytes / bytes * bytes,
                _ => self.bytes,
            },
        }
    }
}

/// The size and alignment of all requests of the job, when they are alike.
fn uniform(job: &JobSpec) -> Option<(u64, u64)> {
    let mut found = None;
    for &direction in job.directions() {
        let Blocks::Fixed(bytes) = job.blocks[direction] else { return None };
        let this = (bytes, job.align[direction].unwrap_or(bytes));
        if found.is_some_and(|found| found != this) {
            return None;
        }
        found = Some(this);
    }
    found
}
