//! Any table: its columns as the user names them, `time:ms op offset:bytes size:sectors`.
//!
//! The names stand in the order of the columns, between blanks or line ends; `#` begins a remark.
//!
//! | name | unit | |
//! |---|---|---|
//! | `time` | `s`, `ms`, `us`, `ns`, `ticks` (100 ns), `iso` (a date) | on any clock; negative where it begins so |
//! | `wait` | the same | since the request before, instead of `time` |
//! | `op` | `:1=read,0=write` where it is no word | read, write, trim, flush, or the letters of Linux: `WS`, `FWFS`; of a zoned drive also append (to the zone that begins at its offset), open, close, finish and reset (without size), of one with placement handles also update (of `handle`) |
//! | `offset`, `size` | `bytes`, `sectors` (512), or a size such as `4KiB`; with `:hex`, hexadecimal without `0x` | |
//! | `volume` | | a name or number |
//! | `handle` | | the placement identifier that a write names, a number; empty or `-` where it names none |
//! | `process` | | the number of the process that made it; empty or `-` where that is not known |
//! | `-` | | a column that says nothing here |
//! | `...` | | as the last: further columns |
//!
//! What is the same in every line is given with `=`: `op=read`, `size=4KiB`, `time=none`. `separator=comma` (or
//! `semicolon`, `tab`, `bar`, `blank`) and `header=1` (lines before the first request) are found out where they are not
//! given: the separator is that of the first line, which is a header when none of its numbers is one. Lines that
//! begin with `#` are remarks. Between separators a column may stand in quotes.

use super::clock::{TimeFormat, Zero};
use super::columns::{AddressUnit, ColumnRole, Spec};
use super::rwbs::{self, RwbsKind};
use super::{BASE, FormatCard, Parser};
use crate::trace::field::{Columns, Fault, any_int, fault, hex, show, trim};
use crate::trace::record::{Parsed, Record, RecordMark, Volumes};
use crate::{Effect, Op};

pub(super) const CARD: FormatCard = FormatCard {
    name: "table",
    title: "any table",
    units: "the columns that --columns names",
    certain: false,
    parser: |options| match Spec::read(options.columns.as_deref().unwrap_or_default()) {
        Ok(spec) => {
            Box::new(TraceTable { spec, separator: None, lines: 0, zero: Zero::default(), now_ns: 0 })
        }
        // Only a trial without columns comes here: options are checked before.
        Err(_) => Box::new(|_: &[u8], _: &mut Volumes| Err(fault("a table", "--columns"))),
    },
    ..BASE
};

/// Constant: list of names of operations, in lower case, each with its operation, that a trace table may use if the
/// user defines no words.
const WORDS: &[(&str, Op)] = &[
    ("read", Op::READ),
    ("r", Op::READ),
    ("rd", Op::READ),
    ("write", Op::WRITE),
    ("w", Op::WRITE),
    ("wr", Op::WRITE),
    ("trim", Op::TRIM),
    ("discard", Op::TRIM),
    ("unmap", Op::TRIM),
    ("d", Op::TRIM),
    ("flush", Op::FLUSH),
    ("f", Op::FLUSH),
];

/// Constant: list of the names of the operations that only drives with zones or placement handles have, for a trace
/// table.
const ZONED_WORDS: &[(&str, Op)] = &[
    ("append", Op::APPEND),
    ("open", Op::ZONE_OPEN),
    ("close", Op::ZONE_CLOSE),
    ("finish", Op::ZONE_FINISH),
    ("reset", Op::ZONE_RESET),
    ("update", Op::HANDLE_UPDATE),
];

struct TraceTable {
    spec: Spec,
    /// Field of the parser: byte that separates columns: given by the user, or found in the first line of the table;
    /// none before that line.
    separator: Option<u8>,
    lines: u64,
    zero: Zero,
    now_ns: u64,
}

/// Record of the texts of the columns of one line of a trace table, with their units.
#[derive(Default)]
struct Fields<'a> {
    time: Option<(&'a [u8], TimeFormat)>,
    wait: Option<(&'a [u8], TimeFormat)>,
    op: Option<&'a [u8]>,
    offset: Option<(&'a [u8], AddressUnit)>,
    size: Option<(&'a [u8], AddressUnit)>,
    volume: Option<&'a [u8]>,
    handle: Option<&'a [u8]>,
    process: Option<&'a [u8]>,
}

impl Fields<'_> {
    /// Returns true if the line is a header: none of its times, offsets and sizes is a number.
    fn is_header(&self) -> bool {
        let times = [self.time, self.wait].into_iter().flatten().map(|(field, _)| (field, false));
        let sizes = [self.offset, self.size].into_iter().flatten().map(|(field, unit)| (field, unit.hex));
        let is_number = |(field, hex): (&[u8], bool)| {
            let bare = field.strip_prefix(b"-").unwrap_or(field);
            let digits = |byte: &u8| byte.is_ascii_hexdigit();
            bare.first().is_some_and(u8::is_ascii_digit) || (hex && bare.iter().all(digits))
        };
        times.chain(sizes).all(|(field, hex)| !field.is_empty() && !is_number((field, hex)))
    }
}

impl Parser for TraceTable {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if line.first() == Some(&b'#') {
            return Ok(Parsed::Known);
        }
        self.lines += 1;
        if self.spec.header.is_some_and(|header| self.lines <= header) {
            return Ok(Parsed::Known);
        }
        let separator = *self.separator.get_or_insert_with(|| separator_of(line, &self.spec));
        let fields = split(line, separator, &self.spec)?;
        if self.lines == 1 && self.spec.header.is_none() && fields.is_header() {
            return Ok(Parsed::Known);
        }
        self.request(&fields, volumes)
    }
}

impl TraceTable {
    fn request(&mut self, fields: &Fields<'_>, volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if let Some((field, clock)) = fields.time {
            self.now_ns = self.zero.read(field, clock)?;
        }
        if let Some((field, clock)) = fields.wait {
            let Some(sum) = self.now_ns.checked_add(clock.read(field, "wait")?) else {
                return Err(fault("the waits add up to more than 64 bits", "a time below 584 years"));
            };
            self.now_ns = sum;
        }
        let letters = fields.op.unwrap_or_default();
        let Some((op, mark)) = self.op_and_mark(letters)? else { return Ok(Parsed::Known) };
        let by_letters = self.spec.op.is_none() && rwbs::is_whole(letters);
        let mut record = match op.effect() {
            Effect::Flush => Record::flush(self.now_ns, 0),
            Effect::Manage if op == Op::HANDLE_UPDATE => Record { op, ..Record::flush(self.now_ns, 0) },
            Effect::Manage => {
                Record { offset: in_units(fields.offset, "offset")?, op, ..Record::flush(self.now_ns, 0) }
            }
            _ => {
                let offset = in_units(fields.offset, "offset")?;
                let bytes = self.spec.size.map_or_else(|| in_units(fields.size, "size"), Ok)?;
                match by_letters && op.effect() == Effect::Write && bytes == 0 && letters.starts_with(b"F") {
                    true => Record::flush(self.now_ns, 0),
                    false => Record::in_bytes(self.now_ns, op, offset, bytes, 0)?,
                }
            }
        };
        record.mark = mark;
        record.fua = by_letters && record.op.effect() == Effect::Write && rwbs::forces_unit_access(letters);
        if record.op.effect() == Effect::Write || op == Op::HANDLE_UPDATE {
            record.placement = fields.handle.map_or(Ok(None), handle)?;
        }
        if let Some(process) = fields.process.filter(|field| is_named(field)) {
            record = record.by(any_int(process, "process")?)?;
        }
        record.volume = match fields.volume {
            Some(name) if name.contains(&b'"') => volumes.id(&undoubled(name))?,
            name => volumes.id(name.unwrap_or(b"0"))?,
        };
        Ok(Parsed::Request(record))
    }

    /// Returns the operation of a line of the table, and a mark that tells writes of zeroes (which count as trims) from
    /// plain requests; `None` if the line is no request.
    fn op_and_mark(&self, letters: &[u8]) -> Result<Option<(Op, RecordMark)>, Fault> {
        // Words that the user names are the only ones.
        let is_usual = self.spec.op.is_none() && self.spec.words.is_empty();
        let zoned = ZONED_WORDS.iter().find(|(word, _)| letters.eq_ignore_ascii_case(word.as_bytes()));
        if let Some((_, op)) = zoned.filter(|_| is_usual) {
            return Ok(Some((*op, RecordMark::None)));
        }
        Ok(Some(match self.op(letters)? {
            RwbsKind::Nothing => return Ok(None),
            RwbsKind::Read => (Op::READ, RecordMark::None),
            RwbsKind::Write | RwbsKind::Append => (Op::WRITE, RecordMark::None),
            RwbsKind::Trim => (Op::TRIM, RecordMark::None),
            RwbsKind::Zeroes => (Op::TRIM, RecordMark::Zeroes),
            RwbsKind::Flush => (Op::FLUSH, RecordMark::None),
        }))
    }

    fn op(&self, field: &[u8]) -> Result<RwbsKind, Fault> {
        let kind = |op: Op| match op.effect() {
            Effect::Read => RwbsKind::Read,
            Effect::Write => RwbsKind::Write,
            Effect::Trim => RwbsKind::Trim,
            Effect::Flush => RwbsKind::Flush,
            Effect::Manage => RwbsKind::Nothing,
        };
        if let Some(op) = self.spec.op {
            return Ok(kind(op));
        }
        if let Some((_, op)) = self.spec.words.iter().find(|(word, _)| word == field) {
            return Ok(kind(*op));
        }
        // Words that the user names are the only ones.
        if self.spec.words.is_empty() {
            let usual = WORDS.iter().find(|(word, _)| field.eq_ignore_ascii_case(word.as_bytes()));
            let letters = || rwbs::known(field).filter(|_| rwbs::is_whole(field));
            match usual.map(|(_, op)| kind(*op)).or_else(letters) {
                Some(RwbsKind::Append) => {
                    let expected =
                        "a request with an address: ZA=write, as in op:ZA=write,R=read, says that it is one";
                    return Err(fault("a zone append (ZA)", expected));
                }
                Some(kind) => return Ok(kind),
                None => {}
            }
        }
        let expected =
            "a word of --columns, as op:1=read,0=write has it; without any read, write, trim, flush or RWBS";
        Err(fault(format!("operation is {}", show(field)), expected))
    }
}

/// Returns true if `field` is a usual name of an operation, which the user need not define.
pub(super) fn usual(field: &[u8]) -> bool {
    let words = || WORDS.iter().chain(ZONED_WORDS);
    words().any(|(word, _)| field.eq_ignore_ascii_case(word.as_bytes())) || rwbs::is_whole(field)
}

/// Returns a quoted field of a table with each doubled quote replaced by a single one.
fn undoubled(field: &[u8]) -> Vec<u8> {
    let (mut found, mut at) = (Vec::with_capacity(field.len()), 0);
    while at < field.len() {
        found.push(field[at]);
        at += if field[at..].starts_with(b"\"\"") { 2 } else { 1 };
    }
    found
}

/// Returns true if an optional column of a table has a value, that is, is neither empty nor `-`.
fn is_named(field: &[u8]) -> bool {
    !matches!(trim(field), b"" | b"-")
}

/// Parses a column of a trace table as a placement handle; none if the column is empty or `-`.
fn handle(field: &[u8]) -> Result<Option<u16>, Fault> {
    if !is_named(field) {
        return Ok(None);
    }
    let number = any_int(field, "handle")?;
    let handle = u16::try_from(number).map_err(|_| fault(format!("handle {number}"), "a handle up to 65535"));
    handle.map(Some)
}

fn in_units(field: Option<(&[u8], AddressUnit)>, what: &'static str) -> Result<u64, Fault> {
    let (field, unit) = field.unwrap_or((b"", AddressUnit { bytes: 1, hex: false }));
    let count = if unit.hex { hex(field, what)? } else { any_int(field, what)? };
    count
        .checked_mul(unit.bytes)
        .ok_or_else(|| fault(format!("{what} {count}"), "a number of bytes within 64 bits"))
}

fn split<'a>(line: &'a [u8], separator: u8, spec: &Spec) -> Result<Fields<'a>, Fault> {
    let mut columns = match separator {
        0 => Columns::blank(line),
        byte => Columns::separated(line, byte),
    };
    let mut fields = Fields::default();
    for column in &spec.columns {
        match column {
            ColumnRole::Time(clock) => {
                fields.time = Some((time_cell(line, &mut columns, *clock, separator)?, *clock))
            }
            ColumnRole::Wait(clock) => fields.wait = Some((columns.next_unquoted("wait")?, *clock)),
            ColumnRole::Op => fields.op = Some(columns.next_unquoted("operation")?),
            ColumnRole::Offset(unit) => fields.offset = Some((columns.next_unquoted("offset")?, *unit)),
            ColumnRole::Size(unit) => fields.size = Some((columns.next_unquoted("size")?, *unit)),
            ColumnRole::Volume => fields.volume = Some(columns.next_unquoted("volume")?),
            ColumnRole::Handle => fields.handle = Some(columns.next_unquoted("handle")?),
            ColumnRole::Process => fields.process = Some(columns.next_unquoted("process")?),
            ColumnRole::Nothing => {
                columns.next_unquoted("column")?;
            }
        }
    }
    if !spec.open {
        columns.end().map_err(|mut fault| {
            fault
                .expected
                .push_str(", as --columns names them; ... as its last word stands for all further ones");
            fault
        })?;
    }
    Ok(fields)
}

/// Returns the next column as the text of a time; in a table separated by blanks, a date and its time of day are two
/// words that form one column.
fn time_cell<'a>(
    line: &'a [u8],
    columns: &mut Columns<'a>,
    clock: TimeFormat,
    separator: u8,
) -> Result<&'a [u8], Fault> {
    const DATE: usize = 10;
    let cell = columns.next_unquoted("time")?;
    if clock != TimeFormat::Iso || separator != 0 || cell.len() != DATE {
        return Ok(cell);
    }
    let day = columns.next("time of day")?;
    let begin = cell.as_ptr() as usize - line.as_ptr() as usize;
    let end = day.as_ptr() as usize - line.as_ptr() as usize + day.len();
    let both = &line[begin..end];
    match both.len() == DATE + 1 + day.len() {
        true => Ok(both),
        false => Err(fault(show(both), "one blank between a date and its time of day")),
    }
}

/// Returns the byte that separates the columns of a line: given by the user, or the first of comma, semicolon, tab and
/// bar that occurs often enough; 0 stands for blanks.
fn separator_of(line: &[u8], spec: &Spec) -> u8 {
    let line = trim(line);
    spec.separator.unwrap_or_else(|| {
        let seen = |byte: u8| separators(line, byte);
        let enough = |byte: &u8| seen(*byte) > 0 && seen(*byte) + 1 >= spec.columns.len();
        [b',', b';', b'\t', b'|'].into_iter().find(enough).unwrap_or(0)
    })
}

/// Counts the occurrences of the byte `separator` in a line, outside quotes.
pub(super) fn separators(line: &[u8], separator: u8) -> usize {
    // A single quote, as of inches, opens nothing.
    let pairs = line.iter().filter(|byte| **byte == b'"').count() % 2 == 0;
    let mut quoted = false;
    let counts = |byte: &&u8| {
        quoted ^= pairs && **byte == b'"';
        !quoted && **byte == separator
    };
    line.iter().filter(counts).count()
}
