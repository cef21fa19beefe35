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

/// Description of a trace format.
#[derive(Clone, Copy)]
pub struct FormatCard {
    /// Name of the format for `--trace-format`.
    pub name: &'static str,
    /// Origin of the traces in this format.
    pub title: &'static str,
    /// Columns and units, in one sentence.
    pub units: &'static str,
    /// True when the content tells this format from every other; false when it is taken only where no other reading
    /// is plausible, else must be named.
    pub certain: bool,
    /// Note about every trace in this format; empty for none.
    pub note: &'static str,
    /// True when a file lists events, of which one action's are the requests.
    pub has_events: bool,
    /// Reason to doubt a reading in this format, in addition to the reasons that hold for all formats.
    pub(crate) doubt: fn(&FirstRequests) -> Option<String>,
    /// How the file is divided into records.
    pub(crate) framing: Framing,
    /// A fresh parser.
    pub(crate) parser: fn(&TraceOptions) -> Box<dyn Parser>,
    /// Writer of this format, where `convert` has one.
    pub(crate) writer: Option<LineWriter>,
}

/// Values that most formats share.
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
    /// True when `trace convert` can write this format.
    pub fn writable(&self) -> bool {
        self.writer.is_some()
    }
}

impl std::fmt::Debug for FormatCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FormatCard").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a file is divided into records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// Lines of text.
    Lines,
    /// A fixed head, followed by as many bytes as `extra` finds in the head.
    Records {
        /// Bytes of the head.
        head: usize,
        /// Length of the rest of a record, computed from its head.
        extra: fn(&[u8]) -> usize,
    },
    /// A header, handed out as a frame of its own with number 0, and records of one length.
    Headed {
        /// Bytes of the header.
        header: usize,
        /// Length of a record, computed from the header.
        record: fn(&[u8]) -> usize,
    },
}

impl Framing {
    /// Returns where line or record `number` of the file called `name` stands.
    pub fn place(&self, name: &str, number: u64) -> String {
        match self {
            Self::Lines => format!("{name}:{number}"),
            Self::Headed { .. } if number == 0 => format!("{name}: its header"),
            Self::Records { .. } | Self::Headed { .. } => format!("{name}: record {number}"),
        }
    }
}

/// Reader of one line or record of a trace.
pub(crate) trait Parser: Send {
    /// Parses a frame.
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault>;

    /// Checks the file as a whole, once all of it was read.
    fn end(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl<F: FnMut(&[u8], &mut Volumes) -> Result<Parsed, Fault> + Send> Parser for F {
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        self(frame, volumes)
    }
}

/// Writes requests as lines.
#[derive(Clone, Copy)]
pub(crate) struct LineWriter {
    /// Text before the first line, made from the volumes' names.
    pub header: fn(&[String]) -> String,
    /// Appends one line; the record's time counts from the first request, the name is that of its volume. The
    /// error says what cannot be expressed.
    pub line: fn(&mut Vec<u8>, &Record, &str) -> Result<(), &'static str>,
}

/// All formats, in the order of their names.
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

/// Returns every format that can be read, in the order of their names.
pub fn formats() -> &'static [FormatCard] {
    FORMATS
}

/// Returns the op of formats that write 1 for a read and 0 for a write.
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
