//! What fio finds on the drive before its jobs begin.
//!
//! fio writes the files of a job that reads, or overwrites with `overwrite=1`, before the clock starts; so does a run
//! here. A job that only writes needs nothing. fio leaves a raw device as it is; here the part of it that a job reads
//! is written, but for what a job before a `stonewall` has surely written by then: nothing else would be there.

use super::blocks::BlockSizes;
use super::files::{CloneFiles, FilePart, FileRegion};
use super::job::{JobAccess, JobSpec};
use super::zones::reach;
use crate::Extent;

/// Record of the part of the raw device that one clone of a fio job (one of `numjobs`) uses: the range, whether the
/// clone reads it, and how many bytes it surely writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Number of the job group of the fio job clone: clones of one group run together, and each group begins when the
    /// group before is done.
    pub group: usize,
    /// Field: address range of the raw device that the fio job clone may access.
    pub extent: Extent,
    /// True if the fio job clone reads from the range `extent` of the raw device.
    pub reads: bool,
    /// Number of bytes of the range `extent`, from its beginning on, that the fio job clone writes for certain; 0 if
    /// some of them may stay unwritten.
    pub covers: u64,
}

impl Use {
    /// Makes the record of how a clone of the fio job `job`, in job group `group`, uses its `part` of the raw device.
    pub fn of(
        job: &JobSpec,
        group: usize,
        share: &CloneFiles,
        part: &FilePart,
        files: &[FileRegion],
    ) -> Self {
        // Zones are passed over up to the end of the device, however short the part.
        let bytes = reach(job, share.io_bytes.unwrap_or(share.pass_bytes));
        let bytes = bytes.map_or(part.bytes, |bytes| bytes.min(part.file_bytes - part.start));
        let extent = Extent { offset: files[part.file as usize].offset + part.start, bytes };
        Self { group, extent, reads: job.reads() || job.only_reads_back(), covers: covered(job, share, part) }
    }
}

/// Returns the number of bytes, from the beginning of `part` on, that a clone of the fio job `job` writes for certain;
/// 0 if some may stay unwritten.
fn covered(job: &JobSpec, share: &CloneFiles, part: &FilePart) -> u64 {
    let BlockSizes::Fixed(bytes) = job.blocks[1] else { return 0 };
    let whole = part.bytes / bytes * bytes;
    let at_random = job.has_map() && job.sequence == 1 && job.random_percent[1] == 100;
    let in_order = !job.random && job.hole == 0 && job.sequence == 1;
    let ends_early = job.runtime_ns.is_some()
        || job.number_ios.is_some()
        || job.steady.is_on()
        || share.io_bytes.unwrap_or(share.pass_bytes).min(share.pass_bytes) < whole;
    let covers =
        job.access == JobAccess::Write && (at_random || in_order) && !ends_early && job.strides().is_none();
    let covers = covers && !job.verify_only;
    if covers { whole } else { 0 }
}

/// Returns the address ranges of the drive that must hold data before the first request of the fio jobs: ranges of the
/// raw device that are read before they are written, and files that fio lays out.
pub fn existing(uses: &[Use], files: &[FileRegion]) -> Vec<Extent> {
    let file = |file: &FileRegion| Extent { offset: file.offset, bytes: file.bytes };
    needed(uses).into_iter().chain(files.iter().filter(|file| file.laid_out).map(file)).collect()
}

/// Returns the address ranges of the raw device that a fio job clone reads and that no clone of an earlier job group
/// has written for certain.
fn needed(uses: &[Use]) -> Vec<Extent> {
    let mut needed = Vec::new();
    // What earlier groups have written, and what the group at hand will have.
    let (mut written, mut writing, mut group) = (Vec::new(), Vec::new(), 0);
    for one in uses {
        if one.group != group {
            group = one.group;
            written.append(&mut writing);
            merge(&mut written);
        }
        if one.reads {
            subtract(one.extent, &written, &mut needed);
        }
        if one.covers > 0 {
            writing.push(Extent { bytes: one.covers, ..one.extent });
        }
    }
    needed
}

/// Sorts address ranges by offset, and joins ranges that touch or overlap.
fn merge(parts: &mut Vec<Extent>) {
    parts.sort_unstable();
    parts.dedup_by(|next, before| {
        let end = before.offset + before.bytes;
        let joins = next.offset <= end;
        if joins {
            before.bytes = end.max(next.offset + next.bytes) - before.offset;
        }
        joins
    });
}

/// Appends to `left` the pieces of the range `whole` that lie outside all of the ranges `parts`, which are sorted and
/// do not overlap.
fn subtract(whole: Extent, parts: &[Extent], left: &mut Vec<Extent>) {
    let (mut from, end) = (whole.offset, whole.offset + whole.bytes);
    for part in parts {
        if part.offset >= end {
            break;
        }
        if part.offset > from {
            left.push(Extent { offset: from, bytes: part.offset - from });
        }
        from = from.max(part.offset + part.bytes);
    }
    if from < end {
        left.push(Extent { offset: from, bytes: end - from });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(group: usize, offset: u64, bytes: u64, reads: bool, covers: u64) -> Use {
        Use { group, extent: Extent { offset, bytes }, reads, covers }
    }

    fn parts(of: &[(u64, u64)]) -> Vec<Extent> {
        of.iter().map(|&(offset, bytes)| Extent { offset, bytes }).collect()
    }

    #[test]
    fn what_is_read_is_needed_and_what_is_written_is_not() {
        assert_eq!(needed(&[one(0, 10, 20, true, 0), one(0, 100, 5, false, 5)]), parts(&[(10, 20)]));
        assert_eq!(needed(&[one(0, 0, 30, false, 30), one(0, 0, 30, true, 0)]), parts(&[(0, 30)]), "at once");
    }

    #[test]
    fn what_an_earlier_group_wrote_is_there() {
        let writers = [one(0, 50, 10, false, 8), one(0, 10, 10, false, 10), one(0, 20, 5, false, 5)];
        let read = |offset, bytes| {
            let uses = [&writers[..], &[one(1, offset, bytes, true, 0)]].concat();
            needed(&uses)
        };
        assert_eq!(read(10, 15), vec![]);
        assert_eq!(read(0, 100), parts(&[(0, 10), (25, 25), (58, 42)]));
        assert_eq!(read(12, 5), vec![]);
        assert_eq!(read(24, 30), parts(&[(25, 25)]));
    }
}
