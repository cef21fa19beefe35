//! Times of a table: numbers of a unit, which may be negative, and dates of ISO 8601.

use crate::trace::field::{Fault, any_int, fault, show, time};

/// Constant number of nanoseconds that is added to all times of a trace whose first time is negative.
const NEGATIVE: u64 = 1 << 62;
const SECOND_NS: u64 = 1_000_000_000;

/// Kind of format in which a trace writes times: numbers of some unit, or dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trace) enum TimeFormat {
    /// Case of format of times: the trace gives numbers in units of this many nanoseconds.
    Unit(u64),
    /// Case of format of times: the trace gives ISO 8601 dates such as `2024-01-31T12:34:56.789Z`.
    Iso,
}

impl TimeFormat {
    /// Parses the text `field`, a time that is not negative, and returns the time in nanoseconds; the error calls the
    /// field `what`.
    pub fn read(self, field: &[u8], what: &'static str) -> Result<u64, Fault> {
        match self {
            Self::Iso => iso(field).ok_or_else(|| {
                let expected = "a date from 1970 on, such as 2024-01-31T12:34:56.789Z, or with +02:00 for Z";
                fault(format!("{what} is {}", show(field)), expected)
            }),
            Self::Unit(unit_ns) if field.starts_with(b"0x") || field.starts_with(b"0X") => {
                let ticks = any_int(field, what)?;
                ticks.checked_mul(unit_ns).ok_or_else(|| {
                    fault(format!("{what} {} is too large", show(field)), "a time below 584 years")
                })
            }
            Self::Unit(unit_ns) => time(field, unit_ns, what),
        }
    }
}

/// State of the shift of a trace's times: if the first time is negative, a constant is added to all times, so that none
/// is negative.
#[derive(Default)]
pub(super) struct Zero {
    moved: Option<bool>,
}

impl Zero {
    /// Parses a time of the trace, which may be negative, and returns the time in nanoseconds with the shift added.
    pub fn read(&mut self, field: &[u8], clock: TimeFormat) -> Result<u64, Fault> {
        let bare = field.strip_prefix(b"-").filter(|_| clock != TimeFormat::Iso);
        let ns = clock.read(bare.unwrap_or(field), "time")?;
        let moved = *self.moved.get_or_insert(bare.is_some());
        let found = match (moved, bare) {
            (false, None) => Some(ns),
            (false, Some(_)) => {
                let found = format!("time {} after one that is not negative", show(field));
                return Err(fault(found, "negative times first: sort the file by time"));
            }
            (true, None) => NEGATIVE.checked_add(ns),
            (true, Some(_)) => NEGATIVE.checked_sub(ns),
        };
        found.ok_or_else(|| fault(format!("time {}", show(field)), "times within 146 years of zero"))
    }
}

/// Parses an ISO 8601 date with time of day and returns the nanoseconds since 1970.
fn iso(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok().filter(|text| text.is_ascii())?;
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, zone_s) = zone(rest)?;
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let days = days(parts(date, '-', [4, 2, 2])?)?;
    let [hour, minute, second] = parts(clock, ':', [2, 2, 2])?;
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // A minute has 61 seconds now and then.
    if hour > 23 || minute > 59 || second > 60 || !digits {
        return None;
    }
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second) - zone_s;
    let nine: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    u64::try_from(seconds).ok()?.checked_mul(SECOND_NS)?.checked_add(nine.parse().ok()?)
}

/// Divides the text of a time of day into the time itself and the offset of its time zone, in seconds ahead of UTC. The
/// zone may be `Z`, missing, `+02:00`, `-0530` or `+02`.
fn zone(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.find(['+', '-']) else { return Some((text, 0)) };
    let (sign, zone) = (if text[at..].starts_with('-') { -1 } else { 1 }, &text[at + 1..]);
    let [hours, minutes] = match zone.len() {
        5 => parts(zone, ':', [2, 2])?,
        4 => [parts(&zone[..2], ':', [2])?[0], parts(&zone[2..], ':', [2])?[0]],
        2 => [parts(zone, ':', [2])?[0], 0],
        _ => return None,
    };
    (hours < 24 && minutes < 60).then(|| (&text[..at], sign * i64::from(hours * 3600 + minutes * 60)))
}

/// Parses numbers with given counts of digits (`lengths`) and a separator between them, such as year, month and day of
/// a date.
fn parts<const N: usize>(text: &str, separator: char, lengths: [usize; N]) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut words = text.split(separator);
    for (number, length) in found.iter_mut().zip(lengths) {
        let word =
            words.next().filter(|word| word.len() == length && word.bytes().all(|b| b.is_ascii_digit()))?;
        *number = word.parse().ok()?;
    }
    words.next().is_none().then_some(found)
}

/// Returns, for the times of a trace, the number of days from 1970-01-01 to a date (year, month, day) of the Gregorian
/// calendar; `None` for an invalid date.
fn days([year, month, day]: [u32; 3]) -> Option<i64> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get((month as usize).checked_sub(1)?)?;
    if !(1..=length).contains(&day) || year < 1970 {
        return None;
    }
    let before = i64::from(year) - 1;
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let to_year = (before - 1969) * 365 + leaps(before) - leaps(1969);
    let to_month: u32 = lengths[..month as usize - 1].iter().sum();
    Some(to_year + i64::from(to_month + day) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds_since_1970() {
        // As `date -u -d TEXT +%s.%N` has them.
        for (text, ns) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29 23:59:59.5", 951_868_799_500_000_000),
            ("2024-01-31T12:34:56.789Z", 1_706_704_496_789_000_000),
            ("2024-12-31T23:59:60", 1_735_689_600_000_000_000),
            ("2100-03-01T00:00:00,000000001+02:00", 4_107_535_200_000_000_001),
            ("2024-01-31T12:34:56.123456789123-0530", 1_706_724_296_123_456_789),
            ("2024-01-31T12:34:56+01", 1_706_700_896_000_000_000),
        ] {
            assert_eq!(iso(text.as_bytes()), Some(ns), "{text}");
        }
        for bad in [
            "",
            "2024-01-31",
            "2024-02-30T00:00:00Z",
            "2023-02-29T00:00:00",
            "1969-12-31T23:59:59Z",
            "2024-01-31T24:00:00",
            "2024-1-31T00:00:00",
            "2024-01-31T00:00:00.",
            "2024-01-31T00:00:00+2",
            "2024-13-01T00:00:00",
            "2024-00-01T00:00:00",
            "2024-01-31T00:00",
            "-024-01-31T00:00:00",
            "2024-01-31T00:00:00.5x",
            "99999-01-31T00:00:00",
            "2024-01-31T00:00:00+24:00",
        ] {
            assert_eq!(iso(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_negative_start_moves_all_times_alike() {
        let mut zero = Zero::default();
        let mut read = |text: &str| zero.read(text.as_bytes(), TimeFormat::Unit(1_000_000)).unwrap();
        let first = read("-1.5");
        assert_eq!((read("-0.5") - first, read("2") - first), (1_000_000, 3_500_000));
        let mut plain = Zero::default();
        assert_eq!(plain.read(b"3", TimeFormat::Unit(1)).unwrap(), 3);
        assert!(
            plain
                .read(b"-3", TimeFormat::Unit(1))
                .unwrap_err()
                .found
                .contains("after one that is not negative")
        );
        assert!(Zero::default().read(b"--3", TimeFormat::Unit(1)).is_err());
        assert!(Zero::default().read(b"-2e18", TimeFormat::Unit(1000)).is_err());
        assert_eq!(TimeFormat::Unit(1000).read(b"0x10", "time").unwrap(), 16_000);
        assert!(TimeFormat::Unit(1000).read(b"0xffffffffffffffff", "time").is_err());
    }
}
