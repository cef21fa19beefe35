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

/// Constant: number of requests at the beginning of a trace that are read in each possible format to compare the
/// plausibility of the formats.
pub(crate) const LOOK_AHEAD: u64 = 100_000;
/// Constant: least number of requests of a trace from which the plausibility of a format is judged.
const ENOUGH: u64 = 8;
/// Constant: greatest rate of a trace, in bytes per second, with which a candidate for the trace's format is plausible:
/// no host has asked for more for the duration of a trace.
const MOST_BYTES_PER_S: f64 = 100e9;
/// Constant: greatest byte address of a trace with which a candidate for the trace's format is plausible; no volume is
/// larger.
const MOST_ADDRESS: u64 = 1 << 50;
/// Constant: greatest duration of a trace in nanoseconds, 20 years, with which a candidate for the trace's format is
/// plausible.
const LONGEST_SPAN_NS: u64 = 20 * 365 * 86_400 * 1_000_000_000;
/// Constant: greatest mean interval between the requests of a trace, in nanoseconds, with which a candidate for the
/// trace's format is plausible.
const LONGEST_MEAN_GAP_NS: u64 = 3_600 * 1_000_000_000;

/// Record of the statistics of the first requests of a trace as they are if the trace is read in one format, to judge
/// whether the format is plausible.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FirstRequests {
    pub requests: u64,
    /// Field of the statistics: number of the first line that cannot be read in this format, at which reading ends;
    /// none if there is none.
    pub refused_line: Option<u64>,
    pub bytes: u64,
    pub first_ns: u64,
    pub span_ns: u64,
    /// Field of the statistics: greatest common divisor, in nanoseconds, of the distances of the times of the trace's
    /// first requests (at most `LOOK_AHEAD`) from the time of the very first; zero when all times are equal.
    pub tick_ns: u64,
    /// Field of the statistics: address of the highest byte that the first requests of the trace touch, plus one, if
    /// the trace is read in the format under examination.
    pub end: u64,
    pub smallest: u32,
    pub largest: u32,
    /// Field of the statistics: number of requests with a length of at least 4 KiB among the first requests of the
    /// trace, of which at most `LOOK_AHEAD` are read.
    pub of_a_page: u64,
    /// Field of the statistics: greatest power of two, in bytes, of which all addresses and sizes of the trace's first
    /// requests are multiples.
    pub unit: u64,
    /// Field of the statistics: greatest power of two, in bytes, of which all addresses of the trace's first requests
    /// are multiples.
    pub offset_unit: u64,
    /// Field of the statistics: greatest power of two, in bytes, of which all sizes of the trace's first requests are
    /// multiples.
    pub size_unit: u64,
    /// Field of the statistics: estimated number of distinct 4 KiB pages that the trace's first requests (at most
    /// `LOOK_AHEAD`) touch.
    pub pages: u64,
    /// Field of the statistics: hash of all first requests together, equal for two formats in which the trace means the
    /// same requests.
    pub digest: u64,
}

impl FirstRequests {
    /// Reads the first requests of `origin` in the format `card` and returns their statistics; reading ends at the
    /// first line that cannot be parsed.
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

    /// Returns true if the trace's first requests are enough to draw conclusions about the format from what they have
    /// in common.
    pub fn is_enough(&self) -> bool {
        self.requests >= ENOUGH
    }

    /// Returns a reason to doubt the format because a number would be implausible for any trace: rate, addresses,
    /// duration or intervals. `None` without a reason, or with fewer than eight requests.
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

    /// Returns true if the times of the trace show the resolution of its clock: there are enough of them, with
    /// intervals of many ticks. At a steady rate all times are multiples of the interval, which says nothing about the
    /// clock.
    fn shows_its_clock(&self) -> bool {
        const TICKS_A_GAP: u64 = 4;
        self.tick_ns > 0
            && self.requests >= 2 * ENOUGH
            && self.span_ns / self.tick_ns >= TICKS_A_GAP * self.requests
    }

    /// Returns a reason to doubt a trace format with times in whole units of `unit_ns` nanoseconds: times with a
    /// fraction, or times that all are multiples of a much larger unit. `name` is the unit's name.
    pub fn doubt_whole(&self, unit_ns: u64, name: &str) -> Option<String> {
        if self.is_enough() && !self.tick_ns.is_multiple_of(unit_ns) {
            return Some(format!("whole {name} have no fraction"));
        }
        // A clock ticks in the unit it is written in, or nearly so: zeros at the end come from a finer unit.
        (self.shows_its_clock() && self.tick_ns >= 100 * unit_ns)
            .then(|| format!("every time would be a multiple of {}", spoken(self.tick_ns)))
    }

    /// Returns a reason to doubt a trace format with times in milliseconds and a fraction: all times are whole
    /// milliseconds.
    pub fn doubt_millis(&self) -> Option<String> {
        (self.shows_its_clock() && self.tick_ns.is_multiple_of(1_000_000))
            .then(|| "milliseconds would be written without a fraction".to_owned())
    }

    /// Returns a reason to doubt a trace format with addresses and sizes in sectors: all are multiples of 256 KiB, or
    /// more than 90 % of the requests would be smaller than 4 KiB.
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

    /// Returns a reason to doubt a trace format with addresses in sectors and sizes in bytes: all addresses are
    /// multiples of 256 KiB.
    pub fn doubt_addresses(&self) -> Option<String> {
        (self.is_enough() && self.offset_unit >= SECTOR * SECTOR)
            .then(|| "every address would be a multiple of 256 KiB: they are bytes".to_owned())
    }

    fn below_a_page(&self) -> f64 {
        100.0 * (self.requests - self.of_a_page) as f64 / self.requests as f64
    }

    /// Returns the statistics of the first requests in a few words, for an error message that lists the plausible
    /// formats.
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
