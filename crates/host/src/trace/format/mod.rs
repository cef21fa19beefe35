//! Which trace formats are there, and how is one line of each read?
//!
//! A format is one file with its card and one line in [`FORMATS`]. A parser sees one line (or one binary
//! record) at a time, and never what the options decide: order, selection and addresses are settled above.

mod alibaba;
mod biotracer;
mod blkparse;
mod blkreplay;
mod blktrace;
mod clock;
mod cloudphysics;
mod columns;
mod fio_iolog;
mod fiu;
mod five_columns;
mod ftrace;
mod k5cloud;
mod lcs;
mod msr;
mod msr4;
mod oracle_general;
mod rwbs;
mod spc;
mod suggest;
mod systor17;
mod table;
mod tencent;
mod vscsi;
mod wiscsim;

pub(super) use columns::Spec as TableSpec;
pub(super) use suggest::suggestion;

use super::field::Fault;
use super::options::TraceOptions;
use super::record::{Parsed, Record, Volumes};
use super::weigh::FirstRequests;

/// Record that describes a trace format: name, origin, columns, recognition, parser and writer.
#[derive(Clone, Copy)]
pub struct FormatCard {
    /// Field of a trace format: name of the trace format, as in `--trace-format`.
    pub name: &'static str,
    /// Field of a trace format: origin of the traces in this format, such as the program or institution that published
    /// them.
    pub title: &'static str,
    /// Field of a trace format: list of the format's columns with their units, as one sentence.
    pub units: &'static str,
    /// True if the content of a file distinguishes this format from every other one. False if it does not: the format
    /// is then recognised only where no other format is plausible, and must be named otherwise.
    pub certain: bool,
    /// Field of a trace format: remark that applies to every trace in this format, shown with the results; empty if
    /// there is none.
    pub note: &'static str,
    /// True if files of this format list events of several actions (such as queued, issued, completed); the events of
    /// one action are taken as the requests.
    pub has_events: bool,
    /// Field of a trace format: function that returns a reason to doubt that a trace is of this format, beside the
    /// reasons that apply to all formats; none if it sees no reason.
    pub(crate) doubt: fn(&FirstRequests) -> Option<String>,
    /// Field of a trace format: kind of frames into which its files are divided, lines or binary records.
    pub(crate) framing: Framing,
    /// Field of a trace format: function that makes a new parser of this trace format.
    pub(crate) parser: fn(&TraceOptions) -> Box<dyn Parser>,
    /// Field of a trace format: writer of this format; none if `trace convert` cannot write the format.
    pub(crate) writer: Option<LineWriter>,
}

/// Constant trace format description with the values that most trace formats share; each format replaces some of them.
const BASE: FormatCard = FormatCard {
    name: "",
    title: "",
    units: "",
    certain: true,
    note: "",
    has_events: false,
    doubt: |_| None,
    framing: Framing::Lines,
    parser: |_| Box::new(|_: &[u8], _: &mut Volumes| Ok(Parsed::Ignored)),
    writer: None,
};

impl FormatCard {
    /// Returns true if `trace convert` can write this trace format.
    pub fn writable(&self) -> bool {
        self.writer.is_some()
    }
}

impl std::fmt::Debug for FormatCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FormatCard").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Kind of frames into which a trace file is divided, which the parser reads one by one: lines of text, or binary
/// records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// Case of frames: the trace file consists of lines of text.
    Lines,
    /// Case of frames: the trace file consists of binary records, each with a head of fixed length and as many further
    /// bytes as `extra` computes from the head.
    Records {
        /// Field of a binary record's description: length in bytes of the head of a binary record of the trace.
        head: usize,
        /// Field of a binary record's description: function that computes from the head of a binary record the number
        /// of bytes behind the head.
        extra: fn(&[u8]) -> usize,
    },
    /// Case of frames: the trace file consists of a binary header, which is passed to the parser as a frame of its own
    /// with number 0, and of records of one length.
    Headed {
        /// Field of the framing of a trace format: length in bytes of the header with which each binary trace file of
        /// the format begins.
        header: usize,
        /// Field of the framing of a trace format: function that computes from the header of a binary trace file the
        /// length of a record in bytes.
        record: fn(&[u8]) -> usize,
    },
}

impl Framing {
    /// Returns the text for error messages that says where line or record `number` of the trace file `name` stands.
    pub fn place(&self, name: &str, number: u64) -> String {
        match self {
            Self::Lines => format!("{name}:{number}"),
            Self::Headed { .. } if number == 0 => format!("{name}: its header"),
            Self::Records { .. } | Self::Headed { .. } => format!("{name}: record {number}"),
        }
    }
}

/// Interface of the parsers of trace formats, each a parser of the lines or records of a trace in one format.
pub(crate) trait Parser: Send {
    /// Parses a frame (one line or one binary record) of the trace into a request or another result.
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault>;

    /// Checks the trace as a whole after all of it was read, for example the number of requests that a header gives.
    fn end(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl<F: FnMut(&[u8], &mut Volumes) -> Result<Parsed, Fault> + Send> Parser for F {
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        self(frame, volumes)
    }
}

/// Type of a writer of requests as lines of text in one trace format.
#[derive(Clone, Copy)]
pub(crate) struct LineWriter {
    /// Field of a trace writer: function that makes the text before the first line of a trace from the names of its
    /// volumes.
    pub header: fn(&[String]) -> String,
    /// Field of a trace writer: function that appends the line of one request; the request's time counts from the first
    /// request, and the text argument is the name of its volume. The error names what the format cannot express.
    pub line: fn(&mut Vec<u8>, &Record, &str) -> Result<(), &'static str>,
}

/// Constant: list of the descriptions of all trace formats that can be read, in the order of their names.
static FORMATS: &[FormatCard] = &[
    alibaba::CARD,
    biotracer::CARD,
    blkparse::CARD,
    blkreplay::CARD,
    blktrace::CARD,
    blktrace::CARD_V2,
    cloudphysics::CARD,
    cloudphysics::CARD_SECONDS,
    five_columns::DISKPAGES,
    five_columns::DISKSIM,
    five_columns::DTRS,
    fio_iolog::CARD_V2,
    fio_iolog::CARD_V3,
    fiu::CARD,
    ftrace::CARD,
    k5cloud::CARD,
    lcs::CARD,
    lcs::CARD_BYTES,
    five_columns::MQSIM,
    five_columns::MS_OFFSET,
    msr::CARD,
    msr4::CARD,
    msr::CARD_BLANK,
    oracle_general::CARD,
    oracle_general::CARD_BYTES,
    spc::CARD,
    five_columns::SSDSIM,
    five_columns::SSDSIM_HASH,
    systor17::CARD,
    table::CARD,
    tencent::CARD,
    vscsi::CARD_1,
    vscsi::CARD_2,
    wiscsim::CARD,
];

/// Returns the descriptions of all trace formats that can be read, in the order of their names.
pub fn formats() -> &'static [FormatCard] {
    FORMATS
}

/// Parses the operation in trace formats that write 1 for a read and 0 for a write.
pub(crate) fn one_reads(field: &[u8]) -> Result<crate::Op, Fault> {
    match field {
        b"1" => Ok(crate::Op::READ),
        b"0" => Ok(crate::Op::WRITE),
        _ => Err(super::field::fault(
            format!("operation is {}", super::field::show(field)),
            "1 (read) or 0 (write)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_listed_by_name_and_each_once() {
        let names: Vec<&str> = formats().iter().map(|card| card.name).collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    }
}
