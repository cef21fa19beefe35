//! Which format is this? Answered by content where that is certain, or where only one reading is plausible; else by
//! asking the user.
//!
//! Every format's parser is tried on the first lines; the formats that understand most of them are candidates. One that is
//! certain decides. Otherwise the candidates' readings are weighed (`weigh.rs`): the only plausible one is taken and
//! said to be; of several, the error says what each would mean, which is what usually gives the answer.

use super::field::show;
use super::format::{FormatCard, Framing, formats, suggestion};
use super::input::{Frame, Frames};
use super::options::{Align, TraceOptions, format_named};
use super::origin::TraceOrigin;
use super::record::{Aligner, Parsed, Volumes};
use super::weigh::FirstRequests;
use crate::WorkloadError;
use std::io::Read;
use std::sync::Arc;

/// Constant: number of decompressed bytes at the beginning of a trace by which its format is recognised.
const HEAD: usize = 64 << 10;
/// Constant: number of lines or records at the beginning of a trace by which its format is recognised.
const LINES: u32 = 64;
/// Constant: name of the trace format whose columns the user describes with `--columns`.
const TABLE: &str = "table";

/// Returns the format of a trace: the one that the options name, or else the one that the content shows; also a remark
/// for the results if the content alone did not prove the format, so that the plausibility of the requests decided.
///
/// # Errors
/// When the name is unknown, the options contradict each other, no format fits, or none or several of those in question
/// are plausible.
pub(crate) fn recognize(
    origin: &TraceOrigin,
    options: &TraceOptions,
) -> Result<(&'static FormatCard, Option<String>), WorkloadError> {
    match (&options.format, &options.columns) {
        (None, None) => {}
        (Some(name), None) if name == TABLE => {
            let found = "the columns of a table are not known";
            let (head, _) = head(origin)?;
            let expected =
                suggestion(&head).unwrap_or_else(|| "--columns \"time:ms op offset:bytes ...\"".into());
            return Err(WorkloadError::of("--trace-format table", found, expected));
        }
        (Some(name), Some(_)) if name != TABLE => {
            let found = format!("{name} has columns of its own");
            return Err(WorkloadError::of("--columns", found, "one of --columns and --trace-format"));
        }
        (Some(name), _) => return Ok((format_named(name)?, None)),
        (None, Some(_)) => return Ok((format_named(TABLE)?, None)),
    }
    let (head, whole) = head(origin)?;
    let tried: Vec<(&'static FormatCard, Fit)> =
        formats().iter().map(|card| (card, fit(card, &head, whole, options))).collect();
    let mut candidates: Vec<&'static FormatCard> =
        tried.iter().filter(|(_, fit)| fit.most()).map(|(card, _)| *card).collect();
    if candidates.is_empty() {
        // A header settles the format even if the lines after it are damaged.
        candidates = tried.iter().filter(|(_, fit)| fit.signature).map(|(card, _)| *card).collect();
    }
    let certain: Vec<&'static FormatCard> = candidates.iter().copied().filter(|card| card.certain).collect();
    match (certain.as_slice(), candidates.as_slice()) {
        ([card], _) => Ok((card, None)),
        (_, []) => Err(unknown(origin, &head)),
        ([], pool) | (pool, _) => weigh(origin, options, pool),
    }
}

/// Decides which of the formats in `pool` is the only plausible one for a trace: reads the first requests in each
/// format and looks for lines that cannot be read and for implausible rates, addresses and times. Also returns a remark
/// for the results.
fn weigh(
    origin: &TraceOrigin,
    options: &TraceOptions,
    pool: &[&'static FormatCard],
) -> Result<(&'static FormatCard, Option<String>), WorkloadError> {
    let (mut plausible, mut doubted) = (Vec::<(&'static FormatCard, FirstRequests)>::new(), Vec::new());
    let readings: Vec<FirstRequests> =
        pool.iter().map(|card| FirstRequests::of(origin, card, options)).collect();
    // A line that none of them can read is damaged; one that some can read tells these from the others.
    let reach = |reading: &FirstRequests| reading.refused_line.unwrap_or(u64::MAX);
    let farthest = readings.iter().map(reach).max().unwrap_or(u64::MAX);
    for (card, reading) in pool.iter().copied().zip(readings) {
        let refused = reading.refused_line.filter(|line| *line < farthest);
        let refused = refused.map(|line| format!("line or record {line} cannot be read"));
        match refused.or_else(|| reading.doubt()).or_else(|| (card.doubt)(&reading)) {
            Some(doubt) => doubted.push(format!("as {} {doubt}", card.name)),
            // Two names of one meaning are no choice.
            None if plausible.iter().any(|(_, other)| *other == reading) => {}
            None => plausible.push((card, reading)),
        }
    }
    match plausible.as_slice() {
        [(card, _)] if pool.len() == 1 => Ok((
            card,
            Some(format!("read as {} ({}), the only format that its columns fit", card.name, card.units)),
        )),
        [(card, _)] => {
            let others = match doubted.is_empty() {
                true => String::new(),
                false => format!(": {}", doubted.join("; ")),
            };
            Ok((
                card,
                Some(format!("read as {} ({}), the only plausible reading{others}", card.name, card.units)),
            ))
        }
        [] => {
            let expected =
                format!("--trace-format NAME or --columns, which only you can know: {}", doubted.join("; "));
            Err(WorkloadError::of(format!("{}:1", origin.name()), "no reading is plausible", expected))
        }
        several => {
            let readings: Vec<String> = several
                .iter()
                .map(|(card, reading)| {
                    format!("--trace-format {} ({}): {}", card.name, card.units, reading.words())
                })
                .collect();
            let expected = format!("one of these, which only you can know: {}", readings.join("; "));
            let found = format!("{} readings are plausible", several.len());
            Err(WorkloadError::of(format!("{}:1", origin.name()), found, expected))
        }
    }
}

/// Record of counts of how well a format fits the first lines of a trace: lines understood, lines refused, and whether
/// a signature was found.
#[derive(Default)]
struct Fit {
    understood: u32,
    refused: u32,
    signature: bool,
}

impl Fit {
    fn most(&self) -> bool {
        self.understood > self.refused
    }
}

/// Reads the first bytes of the trace, at most 64 KiB; the flag is true if these are the whole file.
fn head(origin: &TraceOrigin) -> Result<(Arc<[u8]>, bool), WorkloadError> {
    let reader = origin.first()?;
    let mut bytes = Vec::new();
    let outcome = reader.take(HEAD as u64).read_to_end(&mut bytes);
    // A damaged file may still show its format; the damage is reported with its place when it is read.
    let whole = outcome.is_ok() && bytes.len() < HEAD;
    Ok((bytes.into(), whole))
}

fn fit(card: &FormatCard, head: &Arc<[u8]>, whole: bool, options: &TraceOptions) -> Fit {
    // The last line of a head that is not the whole file is cut.
    let cut = matches!(card.framing, Framing::Lines) && !whole;
    let bytes = match head.iter().rposition(|&b| b == b'\n') {
        Some(end) if cut => head[..end].into(),
        _ => Arc::clone(head),
    };
    let mut fit = Fit::default();
    // Unpacked already; a head that looks packed once more is no trace.
    let Ok(mut frames) = Frames::open(&TraceOrigin::memory(bytes).parts()[0], card.framing) else {
        return fit;
    };
    // A format that is not certain is not made to fit.
    let mut aligner = Aligner::new(if card.certain { options.align } else { Align::Refuse });
    let (mut parser, mut volumes) = ((card.parser)(options), Volumes::default());
    while fit.understood + fit.refused < LINES {
        let parsed = match frames.next() {
            Ok(Frame::At(range)) if range.is_empty() => continue,
            Ok(Frame::At(range)) => parser.parse(frames.bytes(range), &mut volumes),
            Ok(Frame::TooLong) => {
                fit.refused += 1;
                continue;
            }
            Ok(Frame::CutShort(_) | Frame::End) | Err(_) => break,
        };
        match parsed {
            Ok(Parsed::Ignored) => {}
            Ok(Parsed::Signature) => {
                fit.signature = true;
                fit.understood += 1;
            }
            Ok(Parsed::Request(mut record)) => match aligner.align(&mut record) {
                Ok(()) => fit.understood += 1,
                Err(_) => fit.refused += 1,
            },
            Ok(Parsed::Known | Parsed::Empty) => fit.understood += 1,
            Err(fault) if fault.recognised => fit.understood += 1,
            Err(fault) => {
                fit.refused += 1;
                if fault.fatal {
                    break;
                }
            }
        }
    }
    fit
}

fn unknown(origin: &TraceOrigin, head: &[u8]) -> WorkloadError {
    if head.is_empty() {
        return WorkloadError::of(origin.name(), "the file is empty", "a trace");
    }
    let names: Vec<&str> = formats().iter().map(|card| card.name).collect();
    let table = suggestion(head).unwrap_or_else(|| "--columns for a table".to_owned());
    let expected = format!("a trace in one of the formats {}, or {table}", names.join(", "));
    let first = head.split(|&b| b == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    // A terminal is no place for a binary file, and its first line says nothing.
    let found = match first.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace()) {
        true => format!("binary data in no known trace format, beginning with the bytes {}", bytes_of(head)),
        false => format!("no known trace format: {}", show(first)),
    };
    WorkloadError::of(format!("{}:1", origin.name()), found, expected)
}

/// Returns the first 16 bytes of `head` in hexadecimal, for an error message.
fn bytes_of(head: &[u8]) -> String {
    head.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Returns a duration of `ns` nanoseconds as text, in the largest unit in which it is at least one.
pub(crate) fn spoken(ns: u64) -> String {
    let units: [(&str, f64); 7] = [
        ("years", 365.0 * 86_400e9),
        ("days", 86_400e9),
        ("h", 3_600e9),
        ("s", 1e9),
        ("ms", 1e6),
        ("us", 1e3),
        ("ns", 1.0),
    ];
    let (name, unit) = units.into_iter().find(|(_, unit)| ns as f64 >= *unit).unwrap_or(("ns", 1.0));
    format!("{:.4} {name}", ns as f64 / unit).replace(".0000", "")
}
