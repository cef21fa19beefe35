//! A stream of requests: frames, parsed, selected, with what was left out counted.

use super::field::{Fault, FaultText, fault};
use super::format::{FormatCard, Framing, Parser};
use super::input::{Frame, Frames, LONGEST_LINE};
use super::options::TraceOptions;
use super::origin::{ByteSource, TraceOrigin};
use super::record::{Aligner, Parsed, Record, RecordMark, Volumes};
use crate::WorkloadError;

/// Record of a trace's request with its line or record number, which counts on through the files of several CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub record: Record,
    pub line: u64,
}

/// Record of what one pass over a trace found beside the requests: volumes, skipped lines, requests left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Met {
    /// List of the names of the selected volumes; the volume number of a request is an index into this list.
    pub volumes: Vec<String>,
    /// List of the names of volumes of the trace that the user did not select.
    pub other_volumes: Vec<String>,
    /// Field of the findings of a pass: number of lines of the trace that were skipped because they could not be
    /// parsed.
    pub skipped_lines: u64,
    /// List of the error messages of the first five skipped lines of the trace; further skipped lines are only counted.
    pub first_skipped: Vec<String>,
    /// Field of the findings of a pass: number of requests that belong to volumes that the user did not select.
    pub unselected: u64,
    /// Field of the findings of a pass: number of requests that were left out because their times lie outside the range
    /// that the user selected.
    pub outside_times: u64,
    /// Field of the findings of a pass: number of the trace's requests whose address or size was changed to whole
    /// sectors.
    pub aligned: u64,
    /// Field of the findings of a pass: number of events of the trace that have the selected action but transfer no
    /// data.
    pub empty: u64,
    /// List of the numbers of lines or records of the parts of the trace (files or archive members) that have been
    /// read, without the present or last one.
    pub part_lines: Vec<u64>,
}

/// Constant: greatest number of skipped lines of a trace whose error messages are stored.
const KEPT_SKIPPED: usize = 5;

/// Reader of the requests of a trace, in the order of its lines.
pub(crate) struct TraceStream {
    frames: Frames,
    /// List of the byte streams (file, archive member or per-CPU file) of the trace that are still to be read, in
    /// reverse order: the next stream is at the end.
    parts: Vec<ByteSource>,
    framing: Framing,
    /// Field: number of lines or records in the parts of the trace (files or archive members) before the present part.
    lines_before: u64,
    aligner: Aligner,
    parser: Box<dyn Parser>,
    volumes: Volumes,
    /// List with, for each volume met in the trace, its number among the selected volumes; none for a volume that is
    /// not selected.
    slots: Vec<Option<u32>>,
    wanted: Vec<String>,
    times: std::ops::Range<u64>,
    skip_bad_lines: bool,
    is_text: bool,
    /// True if records of requests that the host's driver requeued are returned, too.
    with_requeued: bool,
    ended: bool,
    met: Met,
}

impl TraceStream {
    /// Opens the trace `origin` for reading its requests in the format `card`, from the beginning.
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

    /// Returns the stream, changed so that it also returns the records of requests that the host's driver requeued.
    pub fn with_requeued(self) -> Self {
        Self { with_requeued: true, ..self }
    }

    /// Returns the findings of the stream so far beside requests: volumes, skipped lines, requests left out.
    pub fn met(&self) -> &Met {
        &self.met
    }

    /// Returns the name of the trace file's compression.
    pub fn packing(&self) -> String {
        self.frames.packed().name()
    }

    /// Returns the number of the line or record of the trace that was read last.
    pub fn line(&self) -> u64 {
        self.lines_before + self.frames.number()
    }

    /// Returns the next selected request of the trace; `None` at the end.
    ///
    /// # Errors
    /// At the first line that cannot be parsed, unless such lines are skipped; and when the file cannot be read.
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

    /// Lets the parser check the trace as a whole, once; a fault is an error unless bad lines are skipped.
    #[cold]
    fn end(&mut self) -> Result<(), WorkloadError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.parser.end().or_else(|fault| self.refuse(*fault))
    }

    /// Returns the request, its volume renumbered among the selected volumes, if the user selected its volume and time;
    /// otherwise counts it as left out.
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

    /// Returns a requeued record if it is to be returned and the user selected its volume and time, as [`Self::select`]
    /// does for requests; it is not counted as left out.
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

    /// Opens the next part of the trace (file or archive member); false if there is none.
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

/// Returns true for a line that is empty or consists of blanks, and so has no meaning in any trace format.
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
