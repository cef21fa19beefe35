//! Which format is this? Answered by content where that is certain, else by asking the user.
//!
//! Every format's parser is tried on the first lines; those that understand most of them are candidates.
//! One candidate that is certain decides. Otherwise the error lists the candidates, each with its units and
//! with the time that reading the file that way would span, which is what usually gives the answer.

use super::field::show;
use super::format::{FormatCard, Framing, formats};
use super::input::{Frame, Frames, Origin};
use super::options::{TraceOptions, format_named};
use super::record::{Parsed, Volumes};
use super::source::Stream;
use crate::WorkloadError;
use std::io::Read;
use std::sync::Arc;

/// Unpacked bytes that recognition looks at.
const HEAD: usize = 64 << 10;
/// Lines that count for recognition.
const LINES: u32 = 64;
/// Requests read to say what a candidate would span.
const SPAN_REQUESTS: u32 = 100_000;

/// The format that the options name, or the content shows.
///
/// # Errors
/// When the name is unknown, when nothing fits, or when the content leaves a choice.
pub(crate) fn recognize(
    origin: &Origin,
    options: &TraceOptions,
) -> Result<&'static FormatCard, WorkloadError> {
    if let Some(name) = &options.format {
        return format_named(name);
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
        ([card], _) => Ok(card),
        (_, []) => Err(unknown(origin, &head)),
        _ => Err(ambiguous(origin, options, &candidates)),
    }
}

/// How well a format fits the first lines.
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

/// The first bytes, up to the last whole line, and whether they are all there is.
fn head(origin: &Origin) -> Result<(Arc<[u8]>, bool), WorkloadError> {
    let (reader, _) = origin.open()?;
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
    let Ok(mut frames) = Frames::open(&Origin::Bytes(bytes), card.framing) else { return fit };
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
            Ok(_) => fit.understood += 1,
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

fn unknown(origin: &Origin, head: &[u8]) -> WorkloadError {
    if head.is_empty() {
        return WorkloadError::of(origin.name(), "the file is empty", "a trace");
    }
    let first = head.split(|&b| b == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    let names: Vec<&str> = formats().iter().map(|card| card.name).collect();
    let expected = format!("a trace in one of the formats {}", names.join(", "));
    WorkloadError::of(
        format!("{}:1", origin.name()),
        format!("no known trace format: {}", show(first)),
        expected,
    )
}

fn ambiguous(origin: &Origin, options: &TraceOptions, candidates: &[&FormatCard]) -> WorkloadError {
    let readings: Vec<String> = candidates.iter().map(|card| reading(origin, options, card)).collect();
    let expected = format!("--trace-format NAME, which only you can know: {}", readings.join("; "));
    WorkloadError::of(format!("{}:1", origin.name()), "the columns do not tell the format", expected)
}

/// `ssdsim (time in ns, ...; its first 1000 requests would span 5.2 s)`.
fn reading(origin: &Origin, options: &TraceOptions, card: &FormatCard) -> String {
    let lenient = TraceOptions { skip_bad_lines: true, ..options.clone() };
    let (mut count, mut first, mut last) = (0u32, u64::MAX, 0);
    if let Ok(mut stream) = Stream::open(origin, card, &lenient) {
        while let Ok(Some(located)) = stream.next() {
            first = first.min(located.record.time_ns);
            last = last.max(located.record.time_ns);
            count += 1;
            if count == SPAN_REQUESTS {
                break;
            }
        }
    }
    let span = spoken(last.saturating_sub(first));
    format!("{} ({}) would make {count} requests span {span}", card.name, card.units)
}

/// A duration in the largest unit that leaves digits before the point.
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
