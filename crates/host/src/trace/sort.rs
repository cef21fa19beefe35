//! Requests in order of time, stable in the order of their lines.
//!
//! Where it is known how far a trace is out of order, [`ReorderWindow`] holds back so many requests as they come. Else
//! [`Sorted`] sorts up to a window of requests in memory; beyond it, sorted runs go to one unnamed temporary file
//! and are merged from there, so memory stays bounded by the window.

use super::disorder::{Disorder, DisorderWatch};
use super::record::{Record, RecordMark};
use super::source::{Located, Met, TraceStream};
use crate::{Op, WorkloadError, temporary};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

/// Constant: length in bytes of a request in a temporary file: time, line, offset, length, volume, operation with
/// marks, placement handle, process.
const ENCODED: usize = 8 + 8 + 8 + 4 + 4 + 1 + 3 + 5;

/// Constant: bit, in the byte of a request's operation in a temporary file, that marks a write with force unit access.
const FUA: u8 = 0x80;
/// Constant: number of the bit, in the byte of a request's operation in a temporary file, at which the record's mark
/// (plain request, write of zeroes or requeued request) begins.
const MARK: u8 = 5;

/// Constant: number of requests that are read at a time from a sorted run in a temporary file.
const CHUNK: u64 = 1024;

/// Reader that returns the requests of a trace in order of time, where each may stand in the file up to `reach`
/// requests too late: so many requests are held back in memory.
pub(crate) struct ReorderWindow {
    stream: TraceStream,
    reach: usize,
    held: BinaryHeap<Reverse<HeapEntry>>,
    /// Field: time and line of the request of the trace that was returned last.
    last: (u64, u64),
}

impl ReorderWindow {
    /// Makes a reader that holds back `reach` requests of `stream` to restore their order of time.
    pub fn new(stream: TraceStream, reach: usize) -> Self {
        Self { stream, reach, held: BinaryHeap::with_capacity(reach + 1), last: (0, 0) }
    }

    /// Returns the findings of the stream so far beside requests: volumes, skipped lines, requests left out.
    pub fn met(&self) -> &Met {
        self.stream.met()
    }

    /// Returns the name of the compression of the trace file that this reader reads.
    pub fn packing(&self) -> String {
        self.stream.packing()
    }

    /// Returns the trace's next request in order of time; none at the end.
    ///
    /// # Errors
    /// When the stream fails, or is further out of order than the first pass measured: then the file has changed since.
    pub fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        while self.held.len() <= self.reach {
            let Some(located) = self.stream.next()? else { break };
            self.held.push(Reverse(entry(&located, 0)));
        }
        let Some(Reverse(earliest)) = self.held.pop() else { return Ok(None) };
        let located = located(earliest);
        if key(&located) < self.last {
            let expected = "a file that stays as it is";
            return Err(WorkloadError::of("trace", "its times changed while it was read", expected));
        }
        self.last = key(&located);
        Ok(Some(located))
    }
}

/// Reader of all requests of a trace in order of time, sorted in memory or in a temporary file; can be read again after
/// [`Sorted::rewind`].
pub(crate) struct Sorted {
    place: SortPlace,
    met: Met,
    packing: String,
    disorder: Disorder,
}

enum SortPlace {
    Memory { requests: Vec<Located>, next: usize },
    Disk(RunMerge),
}

impl Sorted {
    /// Reads `stream` to its end and sorts its requests by time: in memory, or in a temporary file if there are more
    /// than `window`.
    ///
    /// # Errors
    /// When the stream fails, or the temporary file cannot be written.
    pub fn build(mut stream: TraceStream, window: usize) -> Result<Self, WorkloadError> {
        let mut requests: Vec<Located> = Vec::new();
        let mut runs: Option<Runs> = None;
        let mut watch = DisorderWatch::new();
        while let Some(located) = stream.next()? {
            watch.add(located.record.time_ns, located.line);
            if requests.len() == window {
                let mut begun = match runs.take() {
                    Some(begun) => begun,
                    None => Runs::new()?,
                };
                begun.add(&mut requests)?;
                runs = Some(begun);
            }
            requests.push(located);
        }
        let place = match runs {
            None => {
                requests.sort_unstable_by_key(key);
                SortPlace::Memory { requests, next: 0 }
            }
            Some(mut runs) => {
                runs.add(&mut requests)?;
                SortPlace::Disk(runs.merge()?)
            }
        };
        Ok(Self { place, met: stream.met().clone(), packing: stream.packing(), disorder: watch.found() })
    }

    /// Returns the findings of the stream beside requests: volumes, skipped lines, requests left out.
    pub fn met(&self) -> &Met {
        &self.met
    }

    /// Returns the name of the compression of the trace file whose requests were sorted.
    pub fn packing(&self) -> String {
        self.packing.clone()
    }

    /// Returns the findings on how far the trace file was out of order before it was sorted.
    pub fn disorder(&self) -> Disorder {
        self.disorder
    }

    /// Returns the trace's next request in order of time; none at the end.
    pub fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        match &mut self.place {
            SortPlace::Memory { requests, next } => {
                let located = requests.get(*next).copied();
                *next += usize::from(located.is_some());
                Ok(located)
            }
            SortPlace::Disk(merge) => merge.next(),
        }
    }

    /// Starts reading the sorted trace again, with the first request in order of time.
    pub fn rewind(&mut self) -> Result<(), WorkloadError> {
        match &mut self.place {
            SortPlace::Memory { next, .. } => *next = 0,
            SortPlace::Disk(merge) => merge.rewind()?,
        }
        Ok(())
    }
}

fn key(located: &Located) -> (u64, u64) {
    (located.record.time_ns, located.line)
}

/// Writer of sorted runs of requests to a temporary file, for an external merge sort.
struct Runs {
    file: BufWriter<File>,
    lengths: Vec<u64>,
}

impl Runs {
    fn new() -> Result<Self, WorkloadError> {
        let file = tempfile::tempfile_in(temporary::folder()).map_err(|error| disk_error(&error))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), lengths: Vec::new() })
    }

    /// Sorts `requests`, writes them to the temporary file as one sorted run, and empties the list.
    fn add(&mut self, requests: &mut Vec<Located>) -> Result<(), WorkloadError> {
        requests.sort_unstable_by_key(key);
        for located in requests.iter() {
            self.file.write_all(&encode(located)).map_err(|error| disk_error(&error))?;
        }
        self.lengths.push(requests.len() as u64);
        requests.clear();
        Ok(())
    }

    fn merge(self) -> Result<RunMerge, WorkloadError> {
        let file = self.file.into_inner().map_err(|error| disk_error(error.error()))?;
        let mut from = 0;
        let mut runs = Vec::with_capacity(self.lengths.len());
        for length in self.lengths {
            runs.push(SortedRun { from, length, read: 0, chunk: VecDeque::new() });
            from += length;
        }
        let mut merge = RunMerge { file, runs, heads: BinaryHeap::new() };
        merge.rewind()?;
        Ok(merge)
    }
}

/// Reader of one sorted run: requests `from .. from + length` of the temporary file.
struct SortedRun {
    from: u64,
    length: u64,
    read: u64,
    chunk: VecDeque<Located>,
}

impl SortedRun {
    fn next(&mut self, file: &mut File) -> std::io::Result<Option<Located>> {
        if self.chunk.is_empty() && self.read < self.length {
            let count = CHUNK.min(self.length - self.read);
            let mut bytes = vec![0; count as usize * ENCODED];
            file.seek(SeekFrom::Start((self.from + self.read) * ENCODED as u64))?;
            file.read_exact(&mut bytes)?;
            self.chunk.extend(bytes.chunks_exact(ENCODED).map(decode));
            self.read += count;
        }
        Ok(self.chunk.pop_front())
    }
}

/// Merger of the sorted runs of a temporary file: returns the earliest request of all runs next.
struct RunMerge {
    file: File,
    runs: Vec<SortedRun>,
    heads: BinaryHeap<Reverse<HeapEntry>>,
}

/// Type of an entry of the heap that merges sorted runs of requests: time and line of a request, in which all requests
/// differ, the number of its run, and its other fields.
type HeapEntry = (u64, u64, usize, HeapRecord);

/// Record of the fields of a request in a heap entry; they are compared only formally, since their order never matters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HeapRecord(u64, u32, u32, Op, bool, RecordMark, (Option<u16>, Option<u32>));

fn entry(&Located { record: r, line }: &Located, run: usize) -> HeapEntry {
    (
        r.time_ns,
        line,
        run,
        HeapRecord(r.offset, r.bytes, r.volume, r.op, r.fua, r.mark, (r.placement, r.process)),
    )
}

fn located((time_ns, line, _, record): HeapEntry) -> Located {
    let HeapRecord(offset, bytes, volume, op, fua, mark, (placement, process)) = record;
    Located { record: Record { time_ns, offset, bytes, volume, op, fua, mark, placement, process }, line }
}

impl RunMerge {
    fn rewind(&mut self) -> Result<(), WorkloadError> {
        self.heads.clear();
        for run in 0..self.runs.len() {
            self.runs[run].read = 0;
            self.runs[run].chunk.clear();
            self.advance(run)?;
        }
        Ok(())
    }

    fn advance(&mut self, run: usize) -> Result<(), WorkloadError> {
        let next = self.runs[run].next(&mut self.file).map_err(|error| disk_error(&error))?;
        if let Some(next) = next {
            self.heads.push(Reverse(entry(&next, run)));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        let Some(Reverse(next)) = self.heads.pop() else { return Ok(None) };
        self.advance(next.2)?;
        Ok(Some(located(next)))
    }
}

fn disk_error(error: &std::io::Error) -> WorkloadError {
    let place = temporary::folder().display().to_string();
    WorkloadError::of(
        place,
        format!("sorting the trace failed: {error}"),
        format!("room for {ENCODED} bytes per request there"),
    )
}

fn encode(located: &Located) -> [u8; ENCODED] {
    let r = &located.record;
    let mut bytes = [0; ENCODED];
    bytes[0..8].copy_from_slice(&r.time_ns.to_le_bytes());
    bytes[8..16].copy_from_slice(&located.line.to_le_bytes());
    bytes[16..24].copy_from_slice(&r.offset.to_le_bytes());
    bytes[24..28].copy_from_slice(&r.bytes.to_le_bytes());
    bytes[28..32].copy_from_slice(&r.volume.to_le_bytes());
    bytes[32] = r.op.code() & 0x1f | (r.mark as u8) << MARK | if r.fua { FUA } else { 0 };
    bytes[33] = r.op.code() >> MARK << 1;
    if let Some(handle) = r.placement {
        bytes[33] |= 1;
        bytes[34..36].copy_from_slice(&handle.to_le_bytes());
    }
    if let Some(process) = r.process {
        bytes[36] = 1;
        bytes[37..41].copy_from_slice(&process.to_le_bytes());
    }
    bytes
}

fn decode(bytes: &[u8]) -> Located {
    let long = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b));
    let short = |at: usize| bytes[at..at + 4].iter().rev().fold(0, |sum, &b| sum << 8 | u32::from(b));
    let code = bytes[32] & 0x1f | bytes[33] >> 1 << MARK;
    let (op, fua) = (Op::of_code(code).expect("an operation was encoded"), bytes[32] & FUA != 0);
    let mark = RecordMark::ALL[usize::from((bytes[32] & !FUA) >> MARK)];
    let (offset, volume) = (long(16), short(28));
    let placement = (bytes[33] & 1 == 1).then(|| u16::from_le_bytes([bytes[34], bytes[35]]));
    let process = (bytes[36] == 1).then(|| short(37));
    let record =
        Record { time_ns: long(0), offset, bytes: short(24), volume, op, fua, mark, placement, process };
    Located { record, line: long(8) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_the_disk() {
        let cases = [(Op::TRIM, false, RecordMark::Zeroes), (Op::WRITE, true, RecordMark::Requeued)];
        let mut placement = None;
        let others = [Op::FLUSH, Op::HANDLE_UPDATE].map(|op| (op, false, RecordMark::None));
        for (op, fua, mark) in cases.into_iter().chain(others) {
            let time_ns = u64::MAX - 1;
            let (offset, bytes, volume) = (1 << 60, 4096, 65_535);
            let process = placement.map(|handle| u32::from(handle) << 16);
            let record = Record { time_ns, offset, bytes, volume, op, fua, mark, placement, process };
            let located = Located { record, line: 1 << 33 };
            assert_eq!(decode(&encode(&located)), located);
            placement = Some(placement.map_or(0, |_| 65_535));
        }
    }
}
