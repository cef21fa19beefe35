//! How large are the requests? Counted size by size, and by powers of two.

use super::footprint::MixMap;
use super::info::{SizeBin, SizeShare, SizeSummary};
use crate::Op;

/// Constant: greatest number of distinct request sizes that are counted one by one; all traces seen so far have far
/// fewer.
const MOST_SIZES: usize = 1 << 16;
/// Constant: number of most frequent request sizes that a report lists.
const TOP_SIZES: usize = 8;
/// Constant: number of bins of the histogram of a trace's request sizes: one for each power of two up to the largest
/// request, which is below 4 GiB.
const BINS: usize = 33;

/// Record of the statistics of the sizes of requests that have a length; the columns of its arrays are reads, writes
/// and trims.
pub(crate) struct Sizes {
    counted: MixMap<u32, [u64; 3]>,
    uncounted: [u64; 3],
    bins: [[u64; 3]; BINS],
    sums: [u64; 3],
    longest: [u32; 3],
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            counted: MixMap::default(),
            uncounted: [0; 3],
            bins: [[0; 3]; BINS],
            sums: [0; 3],
            longest: [0; 3],
        }
    }
}

impl Sizes {
    /// Adds a request of `bytes` bytes, more than zero, to the statistics of sizes.
    #[inline]
    pub fn add(&mut self, op: Op, bytes: u32) {
        let column = op.effect() as usize;
        if let Some(counts) = self.counted.get_mut(&bytes) {
            counts[column] += 1;
        } else if self.counted.len() < MOST_SIZES {
            self.counted.entry(bytes).or_default()[column] = 1;
        } else {
            self.uncounted[column] += 1;
        }
        self.bins[(32 - (bytes - 1).leading_zeros()) as usize][column] += 1;
        self.sums[column] += u64::from(bytes);
        self.longest[column] = self.longest[column].max(bytes);
    }

    /// Returns the list of the most frequent request sizes of a trace, each with its fraction of `moving`, the number
    /// of all requests that have a length; of equally frequent sizes the smaller comes first.
    pub fn top(&self, moving: u64) -> Vec<SizeShare> {
        let total = |(&bytes, counts): (&u32, &[u64; 3])| (bytes, counts.iter().sum::<u64>());
        let mut sizes: Vec<(u32, u64)> = self.counted.iter().map(total).collect();
        sizes.sort_unstable_by_key(|&(bytes, count)| (std::cmp::Reverse(count), bytes));
        sizes.truncate(TOP_SIZES);
        let share = |requests: u64| requests as f64 / moving as f64;
        sizes
            .into_iter()
            .map(|(bytes, requests)| SizeShare { bytes, requests, share: share(requests) })
            .collect()
    }

    /// Returns the summary of the sizes of reads, or of writes, as `op` selects; `None` without such requests.
    pub fn summary(&self, op: Op) -> Option<SizeSummary> {
        let column = op.effect() as usize;
        let requests: u64 = self.bins.iter().map(|bin| bin[column]).sum();
        if requests == 0 {
            return None;
        }
        let mut sizes: Vec<(u32, u64)> =
            self.counted.iter().map(|(&bytes, counts)| (bytes, counts[column])).collect();
        sizes.sort_unstable();
        let at = |percent: u64| {
            // The smallest size that at least this share does not exceed.
            let (rank, mut seen) = ((requests * percent).div_ceil(100), 0);
            let mut below = sizes.iter().filter(|_| self.uncounted[column] == 0);
            below.find(|(_, count)| {
                seen += count;
                seen >= rank
            })
        };
        Some(SizeSummary {
            mean_bytes: self.sums[column] as f64 / requests as f64,
            p50_bytes: at(50).map(|size| size.0),
            p90_bytes: at(90).map(|size| size.0),
            p99_bytes: at(99).map(|size| size.0),
            max_bytes: self.longest[column],
        })
    }

    /// Returns the histogram of the sizes of reads and writes by powers of two, without empty bins at either end.
    pub fn bins(&self) -> Vec<SizeBin> {
        let bin = |(power, counts): (usize, &[u64; 3])| SizeBin {
            up_to_bytes: 1 << power,
            read: counts[0],
            write: counts[1],
        };
        let bins: Vec<SizeBin> = self.bins.iter().enumerate().map(bin).collect();
        let used = |bin: &SizeBin| bin.read + bin.write > 0;
        let Some(first) = bins.iter().position(used) else { return Vec::new() };
        let last = bins.iter().rposition(used).expect("there is a first");
        bins[first..=last].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_summed_up_by_kind() {
        let mut sizes = Sizes::default();
        (0..9).for_each(|_| sizes.add(Op::READ, 4096));
        sizes.add(Op::READ, 4608);
        sizes.add(Op::WRITE, 512);
        sizes.add(Op::WRITE, 65536);
        sizes.add(Op::TRIM, 1 << 20);
        let read = sizes.summary(Op::READ).unwrap();
        assert_eq!((read.mean_bytes, read.max_bytes), (4147.2, 4608));
        assert_eq!([read.p50_bytes, read.p90_bytes, read.p99_bytes], [Some(4096), Some(4096), Some(4608)]);
        let write = sizes.summary(Op::WRITE).unwrap();
        assert_eq!((write.p50_bytes, write.p90_bytes, write.mean_bytes), (Some(512), Some(65536), 33024.0));
        let bins = sizes.bins();
        assert_eq!(bins.first(), Some(&SizeBin { up_to_bytes: 512, read: 0, write: 1 }));
        assert_eq!(bins[3], SizeBin { up_to_bytes: 4096, read: 9, write: 0 });
        assert_eq!(bins[4], SizeBin { up_to_bytes: 8192, read: 1, write: 0 });
        assert_eq!(bins.last(), Some(&SizeBin { up_to_bytes: 65536, read: 0, write: 1 }));
    }

    #[test]
    fn the_largest_request_has_a_bin_and_no_request_no_summary() {
        let mut sizes = Sizes::default();
        assert!(sizes.summary(Op::READ).is_none() && sizes.bins().is_empty());
        sizes.add(Op::READ, u32::MAX);
        sizes.add(Op::READ, 1 << 31);
        assert_eq!(sizes.bins().iter().map(|bin| bin.up_to_bytes).collect::<Vec<_>>(), [1 << 31, 1 << 32]);
    }
}
