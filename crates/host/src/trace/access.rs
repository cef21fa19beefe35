//! Which pages are only read, which only written, and how many accesses fall on each kind?
//!
//! After figure 2 of Li et al., "Access Characteristic Guided Read and Write Cost Regulation" (FAST 2016): a page is
//! read-only when more than 95 % of its accesses are reads, write-only when more than 95 % are writes, else
//! interleaved. Whether the paper counts a request over several pages once or once for each page is not said; here
//! it is an access to each page that it touches. Trims and flushes are no accesses.

use super::footprint::MixMap;
use super::record::Record;
use crate::{Effect, WorkloadError};
use serde::{Deserialize, Serialize};

/// Constant: number of parts in the whole, one million: thresholds of the access analysis are given in millionths.
const MILLION: u32 = 1_000_000;

/// Set of the options of the analysis of a trace's accesses: page size, and threshold for read-only and write-only
/// pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessOptions {
    /// Option of the access analysis: size in bytes of a page of the access analysis: a power of two from 512 to 2^30.
    pub page_bytes: u64,
    /// Option of the access analysis: fraction of a page's accesses, in millionths, that must be exceeded by reads for
    /// a page to count as read-only, or by writes to count as write-only (pages with reads or writes alone always
    /// count). From 500 000, where no page is both, to 1 000 000.
    pub threshold_ppm: u32,
}

impl Default for AccessOptions {
    /// Returns the options of the paper by Li and others: pages of 4 KiB, a threshold of 95 %.
    fn default() -> Self {
        Self { page_bytes: 4096, threshold_ppm: 950_000 }
    }
}

impl AccessOptions {
    /// Checks that page size and threshold of the access analysis lie within their ranges.
    ///
    /// # Errors
    /// When one of the values lies outside its range.
    pub(crate) fn check(self) -> Result<(), WorkloadError> {
        if !self.page_bytes.is_power_of_two() || !(512..=1 << 30).contains(&self.page_bytes) {
            let found = format!("{} bytes", self.page_bytes);
            return Err(WorkloadError::of("--page-size", found, "a power of two from 512B to 1GiB"));
        }
        if !(MILLION / 2..=MILLION).contains(&self.threshold_ppm) {
            let found = format!("{}", f64::from(self.threshold_ppm) / f64::from(MILLION));
            return Err(WorkloadError::of("--threshold", found, "a share of accesses from 0.5 to 1"));
        }
        Ok(())
    }
}

/// Set of three numbers for a trace, one for each kind of page, read-only, write-only and interleaved (both read and
/// written): numbers of such pages, or of the reads, or the writes, of such pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByCharacter {
    /// Count for read-only pages, which are only, or almost only, read: a number of such pages, or of the reads or
    /// writes of such pages.
    pub read_only: u64,
    /// Count for write-only pages, which are only, or almost only, written: a number of such pages, or of the reads or
    /// writes of such pages.
    pub write_only: u64,
    /// Count for interleaved pages, which are both read and written, and neither almost only read nor almost only
    /// written: a number of such pages, or of the reads or writes of such pages.
    pub interleaved: u64,
}

impl ByCharacter {
    /// Returns the sum of the counts for read-only, write-only and interleaved pages.
    pub fn total(&self) -> u64 {
        self.read_only + self.write_only + self.interleaved
    }

    fn shares(&self) -> Option<CharacterShares> {
        let whole = self.total();
        let share = |part: u64| part as f64 / whole as f64;
        (whole > 0).then(|| CharacterShares {
            read_only: share(self.read_only),
            write_only: share(self.write_only),
            interleaved: share(self.interleaved),
        })
    }
}

/// Set of three fractions of a whole, from 0 to 1, one for each kind of page of a trace: read-only, write-only and
/// interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CharacterShares {
    /// Field: fraction, from 0 to 1, that belongs to read-only pages, which are only, or almost only, read: of all
    /// accessed pages, or of all page reads or page writes.
    pub read_only: f64,
    /// Field: fraction, from 0 to 1, that belongs to write-only pages, which are only, or almost only, written: of all
    /// accessed pages, or of all page reads or page writes.
    pub write_only: f64,
    /// Field: fraction, from 0 to 1, that belongs to interleaved pages, which are both read and written, and neither
    /// almost only read nor almost only written: of all accessed pages, or of all page reads or page writes.
    pub interleaved: f64,
}

/// Set of results of the analysis of a trace's accesses page by page: which pages are only read, only written or both,
/// and how many accesses fall on each kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AccessInfo {
    /// Field: size in bytes of a page in this analysis of a trace's accesses, as its options gave it.
    pub page_bytes: u64,
    /// Field: fraction of a page's accesses, from 0 to 1, above which the page counts as read-only (reads) or
    /// write-only (writes).
    pub threshold: f64,
    /// Field: numbers of the trace's pages that were read or written, by the kind of the page: read-only, write-only or
    /// interleaved (both read and written).
    pub pages: ByCharacter,
    /// Field: fractions of the accessed pages that are read-only, write-only and interleaved; `None` when nothing was
    /// read or written.
    pub page_shares: Option<CharacterShares>,
    /// Field: numbers of page reads of the trace, by the kind of the page: read-only, write-only (almost only written)
    /// or interleaved.
    pub reads: ByCharacter,
    /// Field: fractions of the page reads that go to read-only, write-only and interleaved pages, as in figure 2(a) of
    /// the paper by Li and others; `None` when nothing was read.
    pub read_shares: Option<CharacterShares>,
    /// Field: numbers of page writes of the trace, by the kind of the page: read-only (almost only read), write-only or
    /// interleaved.
    pub writes: ByCharacter,
    /// Field: fractions of the page writes that go to read-only, write-only and interleaved pages, as in figure 2(b) of
    /// the paper by Li and others; `None` when nothing was written.
    pub write_shares: Option<CharacterShares>,
    /// Field: fractions of the page reads that go to read-only, write-only and interleaved pages, as `read_shares`, but
    /// without the pages that were accessed once, which are read-only or write-only in any workload.
    pub reused_read_shares: Option<CharacterShares>,
    /// Field: fractions of the page writes that go to read-only, write-only and interleaved pages, as `write_shares`,
    /// but without the pages that were accessed once.
    pub reused_write_shares: Option<CharacterShares>,
    /// Field: mean number of accesses per page of the trace, over the pages that were read or written; `None` when no
    /// page was accessed.
    pub accesses_per_page: Option<f64>,
    /// Field: number of pages that were read or written once only, so that their kind says nothing about later
    /// accesses.
    pub pages_accessed_once: u64,
    /// Field: number of pages that were both read and written, independent of the threshold.
    pub pages_read_and_written: u64,
}

/// Constant: number of neighbouring pages that share one entry of the map of accesses, because a request touches
/// several pages and the key of an entry takes as much memory as the counts of eight pages.
const CHUNK: u64 = 16;

/// Type of the counts of the reads and of the writes of one page of a trace, of which only the lowest byte is stored,
/// that is, the count modulo 256.
type Low = [u8; 2];

/// Record of the exact counts of the reads and writes of every page of a trace: a map with an entry for each group of
/// 16 neighbouring pages has one byte for each count. Counts above 255 carry into a second map, which has at most one
/// entry for each 256 accesses.
pub(crate) struct AccessMap {
    options: AccessOptions,
    low: MixMap<(u32, u64), [Low; CHUNK as usize]>,
    carried: MixMap<(u32, u64), [u64; 2]>,
}

impl AccessMap {
    /// Makes a map of page accesses in which no page of the trace has been accessed yet.
    pub fn new(options: AccessOptions) -> Self {
        Self { options, low: MixMap::default(), carried: MixMap::default() }
    }

    /// Counts the page accesses of a request: one for each page that the request reads or writes.
    #[inline]
    pub fn add(&mut self, record: &Record) {
        let column = match record.op.effect() {
            Effect::Read => 0,
            Effect::Write => 1,
            Effect::Trim | Effect::Flush | Effect::Manage => return,
        };
        let shift = self.options.page_bytes.trailing_zeros();
        let (mut page, last) =
            (record.offset >> shift, (record.offset + u64::from(record.bytes) - 1) >> shift);
        while page <= last {
            let chunk = page / CHUNK;
            let end = last.min(chunk * CHUNK + CHUNK - 1);
            let entry = self.low.entry((record.volume, chunk)).or_default();
            for page in page..=end {
                let low = &mut entry[(page % CHUNK) as usize][column];
                *low = low.wrapping_add(1);
                if *low == 0 {
                    self.carried.entry((record.volume, page)).or_default()[column] += 256;
                }
            }
            page = end + 1;
        }
    }

    /// Returns the numbers of pages, reads and writes by kind of page: read-only, write-only or interleaved. All are
    /// sums, so that the order of the map's entries does not matter.
    pub fn info(&self) -> AccessInfo {
        let (mut pages, mut reads, mut writes) =
            (ByCharacter::default(), ByCharacter::default(), ByCharacter::default());
        // Of pages accessed once.
        let (mut lone_reads, mut lone_writes, mut both) = (0, 0, 0);
        for (&(volume, chunk), entry) in &self.low {
            for (index, low) in entry.iter().enumerate() {
                let [read, written] = self.counts(volume, chunk * CHUNK + index as u64, *low);
                if read + written == 0 {
                    continue;
                }
                let column = character(read, written, self.options.threshold_ppm);
                *column(&mut pages) += 1;
                *column(&mut reads) += read;
                *column(&mut writes) += written;
                if read + written == 1 {
                    lone_reads += read;
                    lone_writes += written;
                }
                both += u64::from(read > 0 && written > 0);
            }
        }
        let accesses = reads.total() + writes.total();
        AccessInfo {
            page_bytes: self.options.page_bytes,
            threshold: f64::from(self.options.threshold_ppm) / f64::from(MILLION),
            pages,
            page_shares: pages.shares(),
            reads,
            read_shares: reads.shares(),
            writes,
            write_shares: writes.shares(),
            reused_read_shares: ByCharacter { read_only: reads.read_only - lone_reads, ..reads }.shares(),
            reused_write_shares: ByCharacter { write_only: writes.write_only - lone_writes, ..writes }
                .shares(),
            accesses_per_page: (pages.total() > 0).then(|| accesses as f64 / pages.total() as f64),
            pages_accessed_once: lone_reads + lone_writes,
            pages_read_and_written: both,
        }
    }

    fn counts(&self, volume: u32, page: u64, low: Low) -> [u64; 2] {
        // Most traces carry nothing, and then nothing needs to be looked up.
        let carried = match self.carried.is_empty() {
            true => [0, 0],
            false => self.carried.get(&(volume, page)).copied().unwrap_or_default(),
        };
        [carried[0] + u64::from(low[0]), carried[1] + u64::from(low[1])]
    }
}

/// Decides from a page's numbers of reads and writes whether it is read-only, write-only or interleaved; returns a
/// function that gives the field of a `ByCharacter` that counts this kind of page.
fn character(read: u64, written: u64, threshold_ppm: u32) -> fn(&mut ByCharacter) -> &mut u64 {
    // In whole numbers: 19 of 20 are not more than 95 %, as 0.95 in binary could have it.
    let more = |part: u64| {
        u128::from(part) * u128::from(MILLION) > u128::from(threshold_ppm) * u128::from(read + written)
    };
    if written == 0 || more(read) {
        |counts| &mut counts.read_only
    } else if read == 0 || more(written) {
        |counts| &mut counts.write_only
    } else {
        |counts| &mut counts.interleaved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use crate::trace::record::RecordMark;
    use proptest::prelude::*;

    fn at(op: Op, offset: u64, bytes: u32) -> Record {
        Record {
            time_ns: 0,
            offset,
            bytes,
            volume: 0,
            op,
            fua: false,
            mark: RecordMark::None,
            placement: None,
            process: None,
        }
    }

    fn info(options: AccessOptions, records: &[Record]) -> AccessInfo {
        let mut map = AccessMap::new(options);
        records.iter().for_each(|record| map.add(record));
        map.info()
    }

    fn page(reads: usize, writes: usize) -> Vec<Record> {
        [vec![at(Op::READ, 0, 512); reads], vec![at(Op::WRITE, 0, 512); writes]].concat()
    }

    #[test]
    fn the_paper_asks_for_more_than_the_threshold() {
        let kind = |reads, writes, threshold_ppm| {
            let options = AccessOptions { threshold_ppm, ..AccessOptions::default() };
            let ByCharacter { read_only, write_only, interleaved } =
                info(options, &page(reads, writes)).pages;
            (read_only, write_only, interleaved)
        };
        let (read_only, write_only, interleaved) = ((1, 0, 0), (0, 1, 0), (0, 0, 1));
        assert_eq!(kind(19, 1, 950_000), interleaved, "exactly 95 %");
        assert_eq!(kind(20, 1, 950_000), read_only, "95.2 %");
        assert_eq!(kind(1, 20, 950_000), write_only);
        assert_eq!(kind(1, 0, 1_000_000), read_only, "all of them");
        assert_eq!(kind(0, 3, 1_000_000), write_only, "all of them");
        assert_eq!(kind(10_000, 1, 1_000_000), interleaved);
        assert_eq!(kind(1, 1, 500_000), interleaved, "neither is more than half");
        assert_eq!(kind(2, 1, 500_000), read_only);
    }

    #[test]
    fn counts_beyond_a_byte_are_carried() {
        let found = info(AccessOptions::default(), &page(1_000, 256));
        assert_eq!((found.reads.interleaved, found.writes.interleaved), (1_000, 256));
        // 256 times each leaves zeros in the low bytes, yet the page was accessed.
        let found = info(AccessOptions::default(), &page(256, 256));
        assert_eq!((found.pages.interleaved, found.pages_read_and_written), (1, 1));
    }

    #[test]
    fn a_request_accesses_every_page_that_it_touches() {
        // Bytes 3584 to 8703: the last sector of page 0, page 1, the first sector of page 2.
        let records = [at(Op::WRITE, 3584, 5120), at(Op::READ, 4096, 4096), at(Op::TRIM, 0, 1 << 20)];
        let found = info(AccessOptions::default(), &records);
        assert_eq!(found.writes, ByCharacter { read_only: 0, write_only: 2, interleaved: 1 });
        assert_eq!(found.reads, ByCharacter { read_only: 0, write_only: 0, interleaved: 1 });
        assert_eq!((found.pages.total(), found.pages_accessed_once), (3, 2));
        assert_eq!(found.accesses_per_page, Some(4.0 / 3.0));
        let large = AccessOptions { page_bytes: 16384, ..AccessOptions::default() };
        assert_eq!(info(large, &records).pages, ByCharacter { read_only: 0, write_only: 0, interleaved: 1 });
        assert_eq!(info(large, &[at(Op::TRIM, 0, 512)]).page_shares, None);
    }

    proptest! {
        #[test]
        fn the_map_counts_as_a_plain_table_does(
            requests in proptest::collection::vec((any::<bool>(), 0u64..400, 1u32..60, 0u32..3), 1..600),
            shift in 0u32..4,
            repeats in 1usize..3,
        ) {
            let options = AccessOptions { page_bytes: 512 << shift, threshold_ppm: 700_000 };
            let mut map = AccessMap::new(options);
            let mut table = std::collections::BTreeMap::<(u32, u64), [u64; 2]>::new();
            for &(read, sector, sectors, volume) in requests.iter().cycle().take(requests.len() * repeats) {
                let op = if read { Op::READ } else { Op::WRITE };
                let (offset, bytes) = (sector * 512, sectors * 512);
                map.add(&Record { volume, ..at(op, offset, bytes) });
                for page in sector >> shift..=(sector + u64::from(sectors) - 1) >> shift {
                    table.entry((volume, page)).or_default()[usize::from(!read)] += 1;
                }
            }
            let mut expected = [ByCharacter::default(); 3];
            for [read, written] in table.values() {
                let part = *read as f64 / (read + written) as f64;
                let slot: fn(&mut ByCharacter) -> &mut u64 = match part {
                    part if part > 0.7 + 1e-9 => |c| &mut c.read_only,
                    part if part < 0.3 - 1e-9 => |c| &mut c.write_only,
                    _ => |c| &mut c.interleaved,
                };
                *slot(&mut expected[0]) += 1;
                *slot(&mut expected[1]) += read;
                *slot(&mut expected[2]) += written;
            }
            let found = map.info();
            prop_assert_eq!([found.pages, found.reads, found.writes], expected);
        }
    }
}
