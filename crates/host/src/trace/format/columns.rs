//! What the columns of any table are, as the user describes them.

use super::clock::TimeFormat;
use crate::trace::record::SECTOR;
use crate::{Op, WorkloadError};

/// Kind of values in one column of a trace table, such as time, operation or offset.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::trace) enum ColumnRole {
    Time(TimeFormat),
    Wait(TimeFormat),
    Op,
    Offset(AddressUnit),
    Size(AddressUnit),
    Volume,
    Handle,
    Process,
    Nothing,
}

/// Record of the unit of the addresses or sizes in a column of a trace: its bytes, and whether the numbers are
/// hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct AddressUnit {
    pub bytes: u64,
    pub hex: bool,
}

/// Record of the description by the user (`--columns`) of a trace in table form: the meaning of each column, and values
/// that apply to all lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spec {
    pub columns: Vec<ColumnRole>,
    /// True if a line of the trace may have more columns than the description (`--columns`) lists.
    pub open: bool,
    /// List of the words for operations (reads, writes, ...) that the user defines for the table, each with its
    /// operation; if there are any, the usual words do not count.
    pub words: Vec<(Vec<u8>, Op)>,
    pub op: Option<Op>,
    pub size: Option<u64>,
    pub separator: Option<u8>,
    pub header: Option<u64>,
}

const TIMES: &[(&str, u64)] =
    &[("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("ticks", 100)];
const OPS: &[(&str, Op)] =
    &[("read", Op::READ), ("write", Op::WRITE), ("trim", Op::TRIM), ("flush", Op::FLUSH)];
const SEPARATORS: &[(&str, u8)] =
    &[("comma", b','), ("semicolon", b';'), ("tab", b'\t'), ("bar", b'|'), ("blank", 0)];
const NAMES: &[&str] = &["time", "wait", "op", "offset", "size", "volume", "handle", "process", "-", "..."];
const CONSTANTS: &[&str] = &["op", "size", "time", "separator", "header"];

type WrongField = (String, String);

impl Spec {
    /// Parses the description of a table's columns, the text of `--columns`.
    ///
    /// # Errors
    /// When a word of the text is unknown or comes twice, or a column that every request needs is missing.
    pub fn read(text: &str) -> Result<Self, WorkloadError> {
        Self::parse(text).map_err(|(found, expected)| WorkloadError::of("--columns", found, expected))
    }

    fn parse(text: &str) -> Result<Self, WrongField> {
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

    fn column(&mut self, word: &str) -> Result<(), WrongField> {
        let (name, unit) = word.split_once(':').map_or((word, None), |(name, unit)| (name, Some(unit)));
        let unitless = |column| match unit {
            None => Ok(column),
            Some(_) => Err((word.to_owned(), format!("{name} without a unit"))),
        };
        let column = match name {
            "time" if unit == Some("iso") => ColumnRole::Time(TimeFormat::Iso),
            "time" => ColumnRole::Time(TimeFormat::Unit(time_unit(name, unit)?)),
            "wait" => ColumnRole::Wait(TimeFormat::Unit(time_unit(name, unit)?)),
            "offset" => ColumnRole::Offset(size_unit(name, unit)?),
            "size" => ColumnRole::Size(size_unit(name, unit)?),
            "volume" => unitless(ColumnRole::Volume)?,
            "handle" => unitless(ColumnRole::Handle)?,
            "process" => unitless(ColumnRole::Process)?,
            "-" => unitless(ColumnRole::Nothing)?,
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
                ColumnRole::Op
            }
            _ => return Err(unknown(word, NAMES)),
        };
        let again = |other: &ColumnRole| std::mem::discriminant(other) == std::mem::discriminant(&column);
        if column != ColumnRole::Nothing && self.columns.iter().any(again) {
            return Err((format!("{name} twice"), "each column once".into()));
        }
        self.columns.push(column);
        Ok(())
    }

    fn constant(&mut self, name: &str, value: &str, timeless: &mut bool) -> Result<(), WrongField> {
        let is_again = match name {
            "op" => self.op.is_some(),
            "size" => self.size.is_some(),
            "time" => *timeless,
            "separator" => self.separator.is_some(),
            "header" => self.header.is_some(),
            _ => false,
        };
        if is_again {
            return Err((format!("{name}= twice"), "each constant once".into()));
        }
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

    /// Checks that the description of a table has each column that a request needs, and has it once; `timeless` means
    /// that the trace gives no times.
    fn check(&self, timeless: bool) -> Result<(), WrongField> {
        let has = |wanted: fn(&ColumnRole) -> bool| self.columns.iter().any(wanted);
        let time = has(|c| matches!(c, ColumnRole::Time(_))) as u8
            + has(|c| matches!(c, ColumnRole::Wait(_))) as u8
            + u8::from(timeless);
        let op = has(|c| *c == ColumnRole::Op) as u8 + u8::from(self.op.is_some());
        let size = has(|c| matches!(c, ColumnRole::Size(_))) as u8 + u8::from(self.size.is_some());
        let offset = has(|c| matches!(c, ColumnRole::Offset(_))) as u8;
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

fn time_unit(name: &str, unit: Option<&str>) -> Result<u64, WrongField> {
    let Some(unit) = unit else {
        return Err((
            format!("{name} without a unit"),
            format!(
                "{name}:s, :ms, :us, :ns or :ticks (100 ns){}",
                if name == "time" { ", or :iso" } else { "" }
            ),
        ));
    };
    named(TIMES, unit)
}

fn size_unit(name: &str, unit: Option<&str>) -> Result<AddressUnit, WrongField> {
    let Some(text) = unit else {
        return Err((
            format!("{name} without a unit"),
            format!("{name}:bytes, :sectors (512 bytes) or a size such as :4KiB"),
        ));
    };
    let bare = text.strip_suffix(":hex");
    let bytes = match bare.unwrap_or(text) {
        "bytes" => Some(1),
        "sectors" => Some(SECTOR),
        size => bytes(size),
    };
    let expected = "bytes, sectors (512 bytes) or a size such as 4KiB; :hex behind it for digits without 0x";
    let bytes = bytes.ok_or_else(|| (format!("{name}:{text}"), expected.to_owned()))?;
    Ok(AddressUnit { bytes, hex: bare.is_some() })
}

/// Parses a size with its unit, such as `4KiB` or `512B`, and returns the number of bytes.
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

fn named<T: Copy>(known: &[(&str, T)], name: &str) -> Result<T, WrongField> {
    let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
    known
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| unknown(name, &names))
}

fn unknown(word: &str, known: &[&str]) -> WrongField {
    let bare = word.split([':', '=']).next().unwrap_or(word);
    let hint = match config::nearest(bare, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("one of {}", known.join(", ")),
    };
    (format!("{word:?} is unknown"), hint)
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
            ("time:ms op=read op=write offset:bytes size:bytes", "op= twice"),
            ("time:ms op offset:bytes size=4KiB size=8KiB", "size= twice"),
            ("time=none time=none op offset:bytes size=4KiB", "time= twice"),
            ("time:ms op offset:bytes size:bytes header=1 header=2", "header= twice"),
            ("time:ms op offset:bytes size:bytes separator=tab separator=comma", "separator= twice"),
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
