//! Requests that the driver gave back and that were issued again: each is one request, which arrives when it was issued
//! first.
//!
//! In order of time, the event that gives a request back (R) stands between its two issues (D). What was merged to it in
//! between, and is issued with it, is a request of its own.

use super::footprint::MixMap;
use super::record::{Record, RecordMark};
use super::source::Located;
use crate::WorkloadError;

/// Constant: greatest number of requeued requests that wait for their next issue: more than a drive has in flight.
const MOST_WAITING: usize = 1 << 16;

/// Matcher for requeued requests of a block trace: it stores the requests that the host's driver gave back (requeue)
/// until their next issue is found.
#[derive(Default)]
pub(crate) struct Requeued {
    /// Map with the lengths in bytes of the requeued requests that wait for their next issue, by volume, operation and
    /// address.
    waiting: MixMap<(u32, u8, u64), Vec<u32>>,
    count: usize,
    /// Field: number of second issues of requeued requests that were found so far: each is left out, or cut to the data
    /// that the driver merged to it.
    pub reissues: u64,
}

impl Requeued {
    /// Examines the trace's next record in order of time, so that each requeued request is replayed once: remembers a
    /// request that the host's driver gave back (requeue), and marks its second issue as a record that is no request. A
    /// second issue to which the driver merged further data is cut to these data instead.
    ///
    /// # Errors
    /// When more requests wait for their next issue than can be in flight.
    #[inline]
    pub fn note(&mut self, located: &mut Located) -> Result<(), WorkloadError> {
        match (located.record.mark, self.count) {
            (RecordMark::Requeued, _) => return self.wait(located),
            (_, 0) => {}
            _ if self.is_first(&mut located.record) => {}
            _ => located.record.mark = RecordMark::Requeued,
        }
        Ok(())
    }

    #[cold]
    fn wait(&mut self, located: &Located) -> Result<(), WorkloadError> {
        if self.count == MOST_WAITING {
            let found = format!("{MOST_WAITING} requests were given back (R) and not issued again");
            let place = format!("line or record {}", located.line);
            return Err(WorkloadError::of(place, found, "a whole trace, or --action Q"));
        }
        self.count += 1;
        self.waiting.entry(key(&located.record)).or_default().push(located.record.bytes);
        Ok(())
    }

    /// Returns true if the issue `record` is the first one of its request, not the second issue of a requeued request.
    /// A second issue to which the driver has merged further data is cut to these data, and then counts as a first one.
    #[cold]
    fn is_first(&mut self, record: &mut Record) -> bool {
        let key = key(record);
        let Some(lengths) = self.waiting.get_mut(&key) else { return true };
        let before = lengths.pop().unwrap_or_default();
        if lengths.is_empty() {
            self.waiting.remove(&key);
        }
        self.count -= 1;
        self.reissues += 1;
        if before == 0 || record.bytes <= before {
            return false;
        }
        record.offset += u64::from(before);
        record.bytes -= before;
        true
    }
}

fn key(record: &Record) -> (u32, u8, u64) {
    (record.volume, record.op.code(), record.offset)
}
