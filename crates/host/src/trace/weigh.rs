//! What a trace would be like, read one way, so that formats that look alike can be told by what is plausible.
//!
//! Each format says what it doubts about a reading of its own ([`super::format::FormatCard::doubt`]); what no trace
//! of any format does is here. The first [`LOOK_AHEAD`] requests are read, the same ones for every question.

use super::footprint::{Estimate, PAGE};
use super::format::FormatCard;
use super::options::{Align, TraceOptions};
use super::origin::TraceOrigin;
use super::recognize::spoken;
use super::record::SECTOR;
use super::source::TraceStream;

/// Requests of a trace that are looked at.
pub(crate) const LOOK_AHEAD: u64 = 100_000;
/// Least number of requests from which the weighing of formats draws a conclusion.
const ENOUGH: u64 = 8;
/// No host has asked for more for as long as a trace lasts.
const MOST_BYTES_PER_S: f64 = 100e9;
/// No volume of a trace is larger.
const MOST_ADDRESS: u64 = 1 << 50;
/// No trace lasts longer, or waits longer on average for its next request.
const LONGEST_SPAN_NS: u64 = 20 * 365 * 86_400 * 1_000_000_000;
const LONGEST_MEAN_GAP_NS: u64 = 3_600 * 1_000_000_000;

/// The first requests of a trace, read as one format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FirstRequests {
    pub requests: u64,
    /// Number of the first line that the format cannot read, which ends the look at the file.
    pub refused_line: Option<u64>,
    pub bytes: u64,
    pub first_ns: u64,
    pub span_ns: u64,
    /// The largest unit of which all times are whole multiples after the first; zero when all are equal.
    pub tick_ns: u64,
    /// Highest byte that the first requests touch, plus one.
    pub end: u64,
    pub smallest: u32,
    pub largest: u32,
    /// Requests of at least 4 KiB.
    pub of_a_page: u64,
    /// The largest power of two of which all addresses and sizes are multiples.
    pub unit: u64,
    /// The same of the addresses alone, and of the sizes.
    pub offset_unit: u64,
    pub size_unit: u64,
    /// Distinct 4 KiB pages, an estimate.
    pub pages: u64,
    /// Equal for readings that mean the same requests.
    pub digest: u64,
}

impl FirstRequests {
    /// Reads the first requests of `origin` as `card` says; lines that cannot be read end the look.
    pub fn of(origin: &TraceOrigin, card: &FormatCard, options: &TraceOptions) -> Self {
        // What a user asks to be left out, moved or skipped says nothing about the format.
        let plain = TraceOptions {
            columns: options.columns.clone(),
            action: options.action.clone(),
            align: if card.certain { options.align } else { Align::Refuse },
            ..TraceOptions::default()
        };
        let mut found = Self { smallest: u32::MAX, ..Self::default() };
        let Ok(mut stream) = TraceStream::open(origin, card, &plain) else { return found };
        let (mut first, mut earliest, mut latest) = (None, u64::MAX, 0);
        let (mut offset_bits, mut size_bits) = (0u64, 0u64);
        let mut pages = Estimate::new();
        while found.requests < LOOK_AHEAD {
            let located = match stream.next() {
                Ok(Some(located)) => located,
                Ok(None) => break,
                Err(_) => {
                    found.refused_line = Some(stream.line());
                    break;
                }
            };
            let r = located.record;
            let first = *first.get_or_insert(r.time_ns);
            found.tick_ns = gcd(found.tick_ns, r.time_ns.abs_diff(first));
            (earliest, latest) = (earliest.min(r.time_ns), latest.max(r.time_ns));
            found.requests += 1;
            for value in [r.time_ns, r.offset, u64::from(r.bytes), u64::from(r.op.code())] {
                found.digest = (found.digest ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
            if r.bytes == 0 {
                continue;
            }
            let end = r.offset + u64::from(r.bytes);
            found.bytes += u64::from(r.bytes);
            found.end = found.end.max(end);
            (found.smallest, found.largest) = (found.smallest.min(r.bytes), found.largest.max(r.bytes));
            found.of_a_page += u64::from(u64::from(r.bytes) >= PAGE);
            offset_bits |= r.offset;
            size_bits |= u64::from(r.bytes);
            pages.touch(r.volume, r.offset / PAGE..end.div_ceil(PAGE));
        }
        found.first_ns = if found.requests > 0 { earliest } else { 0 };
        found.span_ns = latest.saturating_sub(earliest);
        found.unit = lowest_bit(offset_bits | size_bits);
        (found.offset_unit, found.size_unit) = (lowest_bit(offset_bits), lowest_bit(size_bits));
        found.pages = pages.pages();
        found
    }

    /// True when there are enough requests for what they have in common to be no chance.
    pub fn is_enough(&self) -> bool {
        self.requests >= ENOUGH
    }

    /// Returns what no trace does, in any format; `None` when nothing speaks against this reading.
    pub fn doubt(&self) -> Option<String> {
        if !self.is_enough() {
            return None;
        }
        let per_s = self.bytes as f64 / (self.span_ns as f64 / 1e9);
        if self.span_ns > 0 && per_s > MOST_BYTES_PER_S {
            return Some(format!("it would ask for {:.0} GB/s", per_s / 1e9));
        }
        if self.end > MOST_ADDRESS {
            return Some(format!("addresses would reach {:.0} PB", self.end as f64 / 1e15));
        }
        if self.span_ns > LONGEST_SPAN_NS {
            return Some(format!("it would last {}", spoken(self.span_ns)));
        }
        let mean = self.span_ns / self.requests;
        (mean > LONGEST_MEAN_GAP_NS).then(|| format!("requests would be {} apart", spoken(mean)))
    }

    /// True when times show what their clock ticks in: enough of them, and gaps of many ticks. At a steady pace all are
    /// multiples of the pace, which says nothing.
    fn shows_its_clock(&self) -> bool {
        const TICKS_A_GAP: u64 = 4;
        self.tick_ns > 0
            && self.requests >= 2 * ENOUGH
            && self.span_ns / self.tick_ns >= TICKS_A_GAP * self.requests
    }

    /// Returns the doubts of a reading about times written in units of `unit_ns`: fractions where there are
    /// none, or none where there are.
    pub fn doubt_whole(&self, unit_ns: u64, name: &str) -> Option<String> {
        if self.is_enough() && !self.tick_ns.is_multiple_of(unit_ns) {
            return Some(format!("whole {name} have no fraction"));
        }
        // A clock ticks in the unit it is written in, or nearly so: zeros at the end come from a finer unit.
        (self.shows_its_clock() && self.tick_ns >= 100 * unit_ns)
            .then(|| format!("every time would be a multiple of {}", spoken(self.tick_ns)))
    }

    /// Returns the doubts of a reading about times in milliseconds, which are written with a fraction.
    pub fn doubt_millis(&self) -> Option<String> {
        (self.shows_its_clock() && self.tick_ns.is_multiple_of(1_000_000))
            .then(|| "milliseconds would be written without a fraction".to_owned())
    }

    /// Returns the doubts of a reading about addresses and sizes in sectors.
    pub fn doubt_sectors(&self) -> Option<String> {
        if !self.is_enough() {
            return None;
        }
        if self.unit >= SECTOR * SECTOR {
            return Some("every address and size would be a multiple of 256 KiB: they are bytes".into());
        }
        (self.of_a_page * 10 < self.requests).then(|| {
            format!("{:.0} % of the requests would be below 4 KiB: sizes are no sectors", self.below_a_page())
        })
    }

    /// Returns the doubts of a reading about addresses in sectors, where sizes are in bytes.
    pub fn doubt_addresses(&self) -> Option<String> {
        (self.is_enough() && self.offset_unit >= SECTOR * SECTOR)
            .then(|| "every address would be a multiple of 256 KiB: they are bytes".to_owned())
    }

    fn below_a_page(&self) -> f64 {
        100.0 * (self.requests - self.of_a_page) as f64 / self.requests as f64
    }

    /// Returns what this reading means, in a few words for a message.
    pub fn words(&self) -> String {
        let rate = match self.span_ns {
            0 => String::new(),
            span => format!(" ({:.4} requests/s)", self.requests as f64 * 1e9 / span as f64),
        };
        format!(
            "{} requests in {}{rate}, sizes {} to {} bytes, {:.3} GB touched below {:.3} GB",
            self.requests,
            spoken(self.span_ns),
            self.smallest.min(self.largest),
            self.largest,
            (self.pages * PAGE) as f64 / 1e9,
            self.end as f64 / 1e9,
        )
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn lowest_bit(bits: u64) -> u64 {
    if bits == 0 { 0 } else { 1 << bits.trailing_zeros() }
}
