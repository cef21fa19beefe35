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

/// What is known about one trace format.
#[derive(Clone, Copy)]
pub struct FormatCard {
    /// What `--trace-format` calls it.
    pub name: &'static str,
    /// Where such traces come from.
    pub title: &'static str,
    /// Columns and units, in one sentence.
    pub units: &'static str,
    /// True when the content tells this format from every other; false when it is taken only where no other reading
    /// is plausible, else must be named.
    pub certain: bool,
    /// What is to be said of every trace in this format; empty for nothing.
    pub note: &'static str,
    /// True when a file lists events, of which one action's are the requests.
    pub has_events: bool,
    /// What speaks against a reading in this format, beyond what speaks against any.
    pub(crate) doubt: fn(&FirstRequests) -> Option<String>,
    /// How the file is cut into records.
    pub(crate) framing: Framing,
    /// A fresh parser.
    pub(crate) parser: fn(&TraceOptions) -> Box<dyn Parser>,
    /// How requests are written in this format, where `convert` can.
    pub(crate) writer: Option<LineWriter>,
}

/// What most formats have in common.
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

/// How a file is cut into records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// Lines of text.
    Lines,
    /// A fixed head, followed by as many bytes as `extra` finds in the head.
    Records {
        /// Bytes of the head.
        head: usize,
        /// Bytes that follow, told from the head.
        extra: fn(&[u8]) -> usize,
    },
    /// A header, handed out as a frame of its own with number 0, and records of one length.
    Headed {
        /// Bytes of the header.
        header: usize,
        /// Bytes of a record, told from the header.
        record: fn(&[u8]) -> usize,
    },
}

impl Framing {
    /// Where line or record `number` of the file called `name` stands.
    pub fn place(&self, name: &str, number: u64) -> String {
        match self {
            Self::Lines => format!("{name}:{number}"),
            Self::Headed { .. } if number == 0 => format!("{name}: its header"),
            Self::Records { .. } | Self::Headed { .. } => format!("{name}: record {number}"),
        }
    }
}

/// Reads one line or record.
pub(crate) trait Parser: Send {
    /// What `frame` says.
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault>;

    /// What is wrong with the file as a whole, once all of it was read.
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
    /// What stands before the first line, given the volumes' names.
    pub header: fn(&[String]) -> String,
    /// Appends one line; the record's time counts from the first request, the name is that of its volume. The
    /// error says what cannot be expressed.
    pub line: fn(&mut Vec<u8>, &Record, &str) -> Result<(), &'static str>,
}

/// Every format, in the order of their names.
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

/// Every format that can be read, in the order of their names.
pub fn formats() -> &'static [FormatCard] {
    FORMATS
}

/// The op of formats that write 1 for a read and 0 for a write.
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
