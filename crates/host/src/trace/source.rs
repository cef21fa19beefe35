//! A stream of requests: frames, parsed, selected, with what was left out counted.

use super::field::{Fault, FaultText, fault};
use super::format::{FormatCard, Framing, Parser};
use super::input::{Frame, Frames, LONGEST_LINE};
use super::options::TraceOptions;
use super::origin::{ByteSource, TraceOrigin};
use super::record::{Aligner, Parsed, Record, RecordMark, Volumes};
use crate::WorkloadError;

/// A request and the line or record it stands in, counted on through the files of several CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub record: Record,
    pub line: u64,
}

/// What a stream met besides the requests it handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Met {
    /// Names of the selected volumes; a record's volume is an index into it.
    pub volumes: Vec<String>,
    /// Volumes that were met but not asked for.
    pub other_volumes: Vec<String>,
    /// Lines skipped because they could not be read.
    pub skipped_lines: u64,
    /// Messages on what was wrong with the first few skipped lines.
    pub first_skipped: Vec<String>,
    /// Requests of volumes that were not asked for.
    pub unselected: u64,
    /// Requests before or after the times asked for.
    pub outside_times: u64,
    /// Requests whose address or size was made whole sectors.
    pub aligned: u64,
    /// Events that move no data.
    pub empty: u64,
    /// For each part of the trace that was read to its end, the number of its lines or records.
    pub part_lines: Vec<u64>,
}

/// How many skipped lines are kept word for word.
const KEPT_SKIPPED: usize = 5;

/// Reads the requests of one trace, in the order of its lines.
pub(crate) struct TraceStream {
    frames: Frames,
    /// Parts still to be read, in reverse.
    parts: Vec<ByteSource>,
    framing: Framing,
    /// Lines in the parts of the trace before the present part.
    lines_before: u64,
    aligner: Aligner,
    parser: Box<dyn Parser>,
    volumes: Volumes,
    /// For each volume met in the trace, its number among the selected volumes.
    slots: Vec<Option<u32>>,
    wanted: Vec<String>,
    times: std::ops::Range<u64>,
    skip_bad_lines: bool,
    is_text: bool,
    /// Whether records of requests that the driver gave back are handed out, too.
    with_requeued: bool,
    ended: bool,
    met: Met,
}

impl TraceStream {
    /// Returns the requests of `origin`, read as `card` says.
    pub fn open(
        origin: &TraceOrigin,
        card: &FormatCard,
        options: &TraceOptions,
    ) -> Result<Self, WorkloadError> {
        let mut parts: Vec<ByteSource> = origin.parts().iter().rev().cloned().collect();
        let first = parts.pop().expect("an origin has a part");
        Ok(Self {
            frames: Frames::open(&first, card.framing)?,
            parts,
            framing: card.framing,
            lines_before: 0,
            aligner: Aligner::new(options.align),
            parser: (card.parser)(options),
            volumes: Volumes::default(),
            slots: Vec::new(),
            wanted: options.volumes.clone(),
            times: options.from_ns.unwrap_or(0)..options.until_ns.unwrap_or(u64::MAX),
            skip_bad_lines: options.skip_bad_lines,
            is_text: matches!(card.framing, Framing::Lines),
            with_requeued: false,
            ended: false,
            met: Met::default(),
        })
    }

    /// Returns the same stream with the records of requests that the driver gave back.
    pub fn with_requeued(self) -> Self {
        Self { with_requeued: true, ..self }
    }

    /// Returns the facts that the stream of the trace met so far.
    pub fn met(&self) -> &Met {
        &self.met
    }

    /// Returns how the file is packed.
    pub fn packing(&self) -> String {
        self.frames.packed().name()
    }

    /// Returns the line or record of the trace read last.
    pub fn line(&self) -> u64 {
        self.lines_before + self.frames.number()
    }

    /// Returns the next request, `None` at the end.
    ///
    /// # Errors
    /// At the first line that cannot be read, unless those are skipped; and when the file cannot be read.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Located>, WorkloadError> {
        loop {
            let frame = self.frames.next()?;
            let outcome = match frame {
                Frame::At(range) => {
                    let bytes = self.frames.bytes(range);
                    if self.is_text && is_blank(bytes) {
                        continue;
                    }
                    self.parser.parse(bytes, &mut self.volumes)
                }
                Frame::End => match self.next_part()? {
                    true => continue,
                    false => {
                        self.met.aligned = self.aligner.changed;
                        return self.end().map(|()| None);
                    }
                },
                Frame::TooLong => Err(too_long()),
                Frame::CutShort(left) => Err(cut_short(left)),
            };
            match outcome {
                Ok(Parsed::Request(mut record)) => match self.aligner.align(&mut record) {
                    Ok(()) => {
                        if let Some(located) = self.select(record) {
                            return Ok(Some(located));
                        }
                    }
                    Err(fault) => self.refuse(*fault)?,
                },
                Ok(Parsed::Empty) => self.met.empty += 1,
                Ok(_) => {}
                Err(fault) => self.refuse(*fault)?,
            }
        }
    }

    /// Lets the parser check the file as a whole, once; a fault is an error unless bad lines are skipped.
    #[cold]
    fn end(&mut self) -> Result<(), WorkloadError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.parser.end().or_else(|fault| self.refuse(*fault))
    }

    /// Returns the request if it is one of those asked for, its volume renumbered among the selected.
    #[inline]
    fn select(&mut self, mut record: Record) -> Option<Located> {
        if record.mark == RecordMark::Requeued {
            return self.select_requeued(record);
        }
        let volume = record.volume as usize;
        while volume >= self.slots.len() {
            self.add_slot();
        }
        let Some(slot) = self.slots[volume] else {
            self.met.unselected += 1;
            return None;
        };
        if !self.times.contains(&record.time_ns) {
            self.met.outside_times += 1;
            return None;
        }
        record.volume = slot;
        Some(Located { record, line: self.line() })
    }

    /// As [`Self::select`], of what is no request and counts for nothing that was left out.
    #[cold]
    fn select_requeued(&mut self, mut record: Record) -> Option<Located> {
        let volume = record.volume as usize;
        while volume >= self.slots.len() {
            self.add_slot();
        }
        record.volume = self.slots[volume]?;
        (self.with_requeued && self.times.contains(&record.time_ns))
            .then(|| Located { record, line: self.line() })
    }

    /// Goes on to the next part, if there is one.
    #[cold]
    fn next_part(&mut self) -> Result<bool, WorkloadError> {
        let Some(part) = self.parts.pop() else { return Ok(false) };
        self.met.part_lines.push(self.frames.number());
        self.lines_before += self.frames.number();
        self.frames = Frames::open(&part, self.framing)?;
        Ok(true)
    }

    fn add_slot(&mut self) {
        let name = &self.volumes.names()[self.slots.len()];
        if self.wanted.is_empty() || self.wanted.contains(name) {
            self.slots.push(Some(self.met.volumes.len() as u32));
            self.met.volumes.push(name.clone());
        } else {
            self.slots.push(None);
            self.met.other_volumes.push(name.clone());
        }
    }

    #[cold]
    fn refuse(&mut self, fault: FaultText) -> Result<(), WorkloadError> {
        let fatal = fault.fatal;
        let error = WorkloadError::of(self.frames.place(), fault.found, fault.expected);
        if fatal || !self.skip_bad_lines {
            return Err(error);
        }
        self.met.skipped_lines += 1;
        if self.met.first_skipped.len() < KEPT_SKIPPED {
            self.met.first_skipped.push(error.to_string());
        }
        Ok(())
    }
}

/// True for an empty line, or one of blanks, which says nothing in any format.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&b| b == b' ' || b == b'\t')
}

#[cold]
fn too_long() -> Fault {
    fault(format!("a line of more than {LONGEST_LINE} bytes"), "a text trace, or another --trace-format")
}

#[cold]
fn cut_short(left: usize) -> Fault {
    fault(format!("the file ends after {left} bytes of this record"), "a whole record")
}
