//! Any table: its columns as the user names them, `time:ms op offset:bytes size:sectors`.
//!
//! The names stand in the order of the columns, between blanks or line ends; `#` begins a remark.
//!
//! | name | unit | |
//! |---|---|---|
//! | `time` | `s`, `ms`, `us`, `ns`, `ticks` (100 ns) | on any clock |
//! | `wait` | the same | since the request before, instead of `time` |
//! | `op` | `:1=read,0=write` where it is no word | read, write, trim, flush |
//! | `offset`, `size` | `bytes`, `sectors` (512), or a size such as `4KiB` | |
//! | `volume` | | a name or number |
//! | `-` | | a column that says nothing here |
//! | `...` | | as the last: further columns |
//!
//! What is the same in every line is given with `=`: `op=read`, `size=4KiB`, `time=none`. `separator=comma` (or
//! `semicolon`, `tab`, `bar`, `blank`) and `header=1` (lines before the first request) are found out where they are not
//! given: the separator is that of the first line, which is a header when none of its numbers is one. Lines that
//! begin with `#` are remarks.

use super::{BASE, FormatCard, Parser};
use crate::trace::field::{Columns, Fault, fault, int, show, time, trim};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};
use crate::{Op, WorkloadError};

pub(super) const CARD: FormatCard = FormatCard {
    name: "table",
    title: "any table",
    units: "the columns that --columns names",
    certain: false,
    parser: |options| match Spec::read(options.columns.as_deref().unwrap_or_default()) {
        Ok(spec) => Box::new(Table { spec, separator: None, lines: 0, now_ns: 0 }),
        // Only a trial without columns comes here: options are checked before.
        Err(_) => Box::new(|_: &[u8], _: &mut Volumes| Err(fault("a table", "--columns"))),
    },
    ..BASE
};

/// What one column holds.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    Time { unit_ns: u64 },
    Wait { unit_ns: u64 },
    Op,
    Offset { unit: u64 },
    Size { unit: u64 },
    Volume,
    Nothing,
}

/// A table as the user describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spec {
    columns: Vec<Column>,
    /// More columns may follow.
    open: bool,
    /// Words for operations, beside the usual ones.
    words: Vec<(Vec<u8>, Op)>,
    op: Option<Op>,
    size: Option<u64>,
    separator: Option<u8>,
    header: Option<u64>,
}

const TIMES: &[(&str, u64)] =
    &[("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("ticks", 100)];
const OPS: &[(&str, Op)] =
    &[("read", Op::Read), ("write", Op::Write), ("trim", Op::Trim), ("flush", Op::Flush)];
/// What tables call them without being asked, in small letters.
const WORDS: &[(&str, Op)] = &[
    ("read", Op::Read),
    ("r", Op::Read),
    ("rd", Op::Read),
    ("write", Op::Write),
    ("w", Op::Write),
    ("wr", Op::Write),
    ("trim", Op::Trim),
    ("discard", Op::Trim),
    ("d", Op::Trim),
    ("flush", Op::Flush),
    ("f", Op::Flush),
];
const SEPARATORS: &[(&str, u8)] =
    &[("comma", b','), ("semicolon", b';'), ("tab", b'\t'), ("bar", b'|'), ("blank", 0)];
const NAMES: &[&str] = &["time", "wait", "op", "offset", "size", "volume", "-", "..."];
const CONSTANTS: &[&str] = &["op", "size", "time", "separator", "header"];

type Wrong = (String, String);

impl Spec {
    /// Reads a description.
    ///
    /// # Errors
    /// When a word of it is unknown, comes twice, or what every request needs is missing.
    pub fn read(text: &str) -> Result<Self, WorkloadError> {
        Self::parse(text).map_err(|(found, expected)| WorkloadError::of("--columns", found, expected))
    }

    fn parse(text: &str) -> Result<Self, Wrong> {
        let mut spec = Self {
            columns: Vec::new(),
            open: false,
            words: Vec::new(),
            op: None,
            size: None,
            separator: None,
            header: None,
        };
        let mut timeless = false;
        let words =
            text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
        for word in words {
            let equals = word.find('=').filter(|at| word.find(':').is_none_or(|colon| *at < colon));
            match equals {
                Some(at) => spec.constant(&word[..at], &word[at + 1..], &mut timeless)?,
                None if spec.open => {
                    return Err((format!("{word} after ..."), "... as the last column".into()));
                }
                None => spec.column(word)?,
            }
        }
        spec.check(timeless)?;
        Ok(spec)
    }

    fn column(&mut self, word: &str) -> Result<(), Wrong> {
        let (name, unit) = word.split_once(':').map_or((word, None), |(name, unit)| (name, Some(unit)));
        let unitless = |column| match unit {
            None => Ok(column),
            Some(_) => Err((word.to_owned(), format!("{name} without a unit"))),
        };
        let column = match name {
            "time" => Column::Time { unit_ns: time_unit(name, unit)? },
            "wait" => Column::Wait { unit_ns: time_unit(name, unit)? },
            "offset" => Column::Offset { unit: size_unit(name, unit)? },
            "size" => Column::Size { unit: size_unit(name, unit)? },
            "volume" => unitless(Column::Volume)?,
            "-" => unitless(Column::Nothing)?,
            "..." => {
                self.open = true;
                return Ok(());
            }
            "op" => {
                for pair in unit.map(|pairs| pairs.split(',')).into_iter().flatten() {
                    let Some((theirs, ours)) = pair.split_once('=') else {
                        return Err((word.to_owned(), "op:1=read,0=write".into()));
                    };
                    self.words.push((theirs.as_bytes().to_vec(), named(OPS, ours)?));
                }
                Column::Op
            }
            _ => return Err(unknown(word, NAMES)),
        };
        let again = |other: &Column| std::mem::discriminant(other) == std::mem::discriminant(&column);
        if column != Column::Nothing && self.columns.iter().any(again) {
            return Err((format!("{name} twice"), "each column once".into()));
        }
        self.columns.push(column);
        Ok(())
    }

    fn constant(&mut self, name: &str, value: &str, timeless: &mut bool) -> Result<(), Wrong> {
        match name {
            "op" => self.op = Some(named(OPS, value)?),
            "size" => {
                self.size = Some(
                    bytes(value)
                        .ok_or_else(|| (format!("size={value}"), "a size, such as size=4KiB".into()))?,
                )
            }
            "time" if value == "none" => *timeless = true,
            "time" => return Err((format!("time={value}"), "time=none for a table without times".into())),
            "separator" => self.separator = Some(named(SEPARATORS, value)?),
            "header" => {
                let lines =
                    value.parse().map_err(|_| (format!("header={value}"), "a number of lines".into()))?;
                self.header = Some(lines);
            }
            _ => return Err(unknown(name, CONSTANTS)),
        }
        Ok(())
    }

    /// Everything that a request needs is there, once.
    fn check(&self, timeless: bool) -> Result<(), Wrong> {
        let has = |wanted: fn(&Column) -> bool| self.columns.iter().any(wanted);
        let time = has(|c| matches!(c, Column::Time { .. })) as u8
            + has(|c| matches!(c, Column::Wait { .. })) as u8
            + u8::from(timeless);
        let op = has(|c| *c == Column::Op) as u8 + u8::from(self.op.is_some());
        let size = has(|c| matches!(c, Column::Size { .. })) as u8 + u8::from(self.size.is_some());
        let offset = has(|c| matches!(c, Column::Offset { .. })) as u8;
        let needed = [
            (time, "time:UNIT, wait:UNIT or time=none"),
            (op, "op or op=read"),
            (offset, "offset:UNIT"),
            (size, "size:UNIT or size=4KiB"),
        ];
        match needed.into_iter().find(|(count, _)| *count != 1) {
            None => Ok(()),
            Some((0, what)) => Err((format!("{} columns without one", self.columns.len()), what.into())),
            Some((_, what)) => Err(("the same thing said twice".into(), format!("one of {what}"))),
        }
    }
}

fn time_unit(name: &str, unit: Option<&str>) -> Result<u64, Wrong> {
    let Some(unit) = unit else {
        return Err((
            format!("{name} without a unit"),
            format!("{name}:s, :ms, :us, :ns or :ticks (100 ns)"),
        ));
    };
    named(TIMES, unit)
}

fn size_unit(name: &str, unit: Option<&str>) -> Result<u64, Wrong> {
    match unit {
        None => Err((
            format!("{name} without a unit"),
            format!("{name}:bytes, :sectors (512 bytes) or a size such as :4KiB"),
        )),
        Some("bytes") => Ok(1),
        Some("sectors") => Ok(SECTOR),
        Some(text) => bytes(text).ok_or_else(|| {
            (format!("{name}:{text}"), "bytes, sectors (512 bytes) or a size such as 4KiB".into())
        }),
    }
}

/// `4KiB`, `512B`.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let unit = match &text[digits..] {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => return None,
    };
    let value: u64 = text[..digits].parse().ok()?;
    value.checked_mul(unit).filter(|bytes| *bytes > 0)
}

fn named<T: Copy>(known: &[(&str, T)], name: &str) -> Result<T, Wrong> {
    let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
    known
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| unknown(name, &names))
}

fn unknown(word: &str, known: &[&str]) -> Wrong {
    let bare = word.split([':', '=']).next().unwrap_or(word);
    let hint = match config::nearest(bare, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("one of {}", known.join(", ")),
    };
    (format!("{word:?} is unknown"), hint)
}

struct Table {
    spec: Spec,
    /// Settled by the first line.
    separator: Option<u8>,
    lines: u64,
    now_ns: u64,
}

/// The fields of a line as they were found.
#[derive(Default)]
struct Fields<'a> {
    time: Option<(&'a [u8], u64)>,
    wait: Option<(&'a [u8], u64)>,
    op: Option<&'a [u8]>,
    offset: Option<(&'a [u8], u64)>,
    size: Option<(&'a [u8], u64)>,
    volume: Option<&'a [u8]>,
}

impl Fields<'_> {
    /// A header: none of the numbers is one.
    fn is_header(&self) -> bool {
        let numbers = [self.time, self.wait, self.offset, self.size];
        let digit = |field: &[u8]| field.first().is_some_and(u8::is_ascii_digit);
        numbers.into_iter().flatten().all(|(field, _)| !field.is_empty() && !digit(field))
    }
}

impl Parser for Table {
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

impl Table {
    fn request(&mut self, fields: &Fields<'_>, volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if let Some((field, unit_ns)) = fields.time {
            self.now_ns = time(field, unit_ns, "time")?;
        }
        if let Some((field, unit_ns)) = fields.wait {
            let wait_ns = time(field, unit_ns, "wait")?;
            let Some(sum) = self.now_ns.checked_add(wait_ns) else {
                return Err(fault("the waits add up to more than 64 bits", "a time below 584 years"));
            };
            self.now_ns = sum;
        }
        let op = match (self.spec.op, fields.op) {
            (Some(op), _) => op,
            (None, field) => self.op(field.unwrap_or_default())?,
        };
        let offset = in_units(fields.offset.unwrap_or_default(), "offset")?;
        let bytes = match (self.spec.size, fields.size) {
            (Some(bytes), _) => bytes,
            (None, field) => in_units(field.unwrap_or_default(), "size")?,
        };
        let mut record = match op {
            Op::Flush => Record::flush(self.now_ns, 0),
            _ => Record::in_bytes(self.now_ns, op, offset, bytes, 0)?,
        };
        record.volume = volumes.id(fields.volume.unwrap_or(b"0"))?;
        Ok(Parsed::Request(record))
    }

    fn op(&self, field: &[u8]) -> Result<Op, Fault> {
        if let Some((_, op)) = self.spec.words.iter().find(|(word, _)| word == field) {
            return Ok(*op);
        }
        // Whoever names the words means these and no others.
        let usual = if self.spec.words.is_empty() { WORDS } else { &[] };
        match usual.iter().find(|(word, _)| field.eq_ignore_ascii_case(word.as_bytes())) {
            Some((_, op)) => Ok(*op),
            None => {
                let expected =
                    "a word of --columns, as op:1=read,0=write has it; read, write, trim, flush without";
                Err(fault(format!("operation is {}", show(field)), expected))
            }
        }
    }
}

fn in_units((field, unit): (&[u8], u64), what: &'static str) -> Result<u64, Fault> {
    let count = int(field, what)?;
    count
        .checked_mul(unit)
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
            Column::Time { unit_ns } => fields.time = Some((columns.next("time")?, *unit_ns)),
            Column::Wait { unit_ns } => fields.wait = Some((columns.next("wait")?, *unit_ns)),
            Column::Op => fields.op = Some(columns.next("operation")?),
            Column::Offset { unit } => fields.offset = Some((columns.next("offset")?, *unit)),
            Column::Size { unit } => fields.size = Some((columns.next("size")?, *unit)),
            Column::Volume => fields.volume = Some(columns.next("volume")?),
            Column::Nothing => {
                columns.next("column")?;
            }
        }
    }
    if !spec.open {
        columns.end()?;
    }
    Ok(fields)
}

/// The separator that gives the line its columns.
fn separator_of(line: &[u8], spec: &Spec) -> u8 {
    let line = trim(line);
    let enough = |byte: u8| line.iter().filter(|b| **b == byte).count() + 1 >= spec.columns.len();
    spec.separator.unwrap_or_else(|| {
        [b',', b';', b'\t', b'|'].into_iter().find(|&byte| line.contains(&byte) && enough(byte)).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_or_refused_with_the_nearest_word() {
        let why = |text: &str| {
            let error = Spec::read(text).unwrap_err();
            format!("{} | {}", error.found, error.expected)
        };
        assert!(Spec::read("time:ms op offset:bytes size:sectors").is_ok());
        assert!(
            Spec::read("# mine\nwait:us\nop:1=read,0=write # as it is\noffset:4KiB size=4KiB ...").is_ok()
        );
        assert!(Spec::read("time=none op=write offset:sectors size:8KiB separator=tab header=2").is_ok());
        for (text, part) in [
            ("tme:ms op offset:bytes size:sectors", "did you mean \"time\"?"),
            ("time op offset:bytes size:sectors", "time without a unit"),
            ("time:min op offset:bytes size:sectors", "\"min\" is unknown"),
            ("time:ms op offset:blocks size:sectors", "offset:blocks | bytes"),
            ("time:ms op offset:bytes", "size:UNIT or size=4KiB"),
            ("time:ms wait:ms op offset:bytes size:bytes", "the same thing said twice"),
            ("time:ms op op=read offset:bytes size:bytes", "the same thing said twice"),
            ("time:ms time:ms op offset:bytes size:bytes", "time twice"),
            ("time:ms op:1 offset:bytes size:bytes", "op:1=read,0=write"),
            ("time:ms op:1=reed offset:bytes size:bytes", "did you mean \"read\"?"),
            ("time:ms op offset:bytes size:bytes ... volume", "after ..."),
            ("time:ms op offset:bytes size:bytes separator=colon", "\"colon\" is unknown"),
            ("", "time:UNIT"),
        ] {
            assert!(why(text).contains(part), "{text}: {}", why(text));
        }
    }
}
