//! How values are written: sizes, times, percentages, numbers, and values that differ by direction.
//!
//! Every reader answers with what it expected; the caller knows the place.

/// Constant: text for error messages that shows the form of a size in a fio job file.
pub const SIZE: &str = "a size such as 4096, 4k, 16m or 1g";
/// Constant: text for error messages that shows the form of a time in a fio job file.
pub const TIME: &str = "a time such as 10, 10s, 500ms, 2m or 1h";

/// Kind of size that a fio job file gives, with its value: in bytes, or in percent of a whole, such as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Case of size in a fio job file: given as this number of bytes.
    Bytes(u64),
    /// Case of size in a fio job file: given as this percentage of a whole, such as of a file.
    Percent(u64),
}

impl Size {
    /// Returns the size given in a fio job file as a number of bytes, where percentages are of `whole` bytes.
    pub fn of(self, whole: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => (u128::from(whole) * u128::from(percent) / 100) as u64,
        }
    }
}

/// Splits the value of a fio option into its leading number and its suffix, the suffix in lower case.
fn number_and_suffix(text: &str) -> Option<(u64, String)> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let number = u64::from_str_radix(&hex[..end], 16).ok()?;
        return Some((number, hex[end..].trim().to_ascii_lowercase()));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim().to_ascii_lowercase()))
}

/// Parses a size in bytes: `4096`, `4k`, `4KB`; hexadecimal with `0x`. `kb_base` is fio's: with 1024, the default, `k`
/// is 1024 and `Ki` is 1000, the reverse of IEC; with 1000 both mean the same as in IEC.
pub fn bytes(text: &str, kb_base: u64) -> Result<u64, &'static str> {
    let (number, suffix) = number_and_suffix(text).ok_or(SIZE)?;
    let suffix = suffix.strip_suffix('b').unwrap_or(&suffix);
    let (letter, base) = match suffix.strip_suffix('i') {
        Some(letter) if !letter.is_empty() => (letter, if kb_base == 1024 { 1000 } else { 1024u64 }),
        _ => (suffix, kb_base),
    };
    let power = match letter {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return Err(SIZE),
    };
    // Half the range of u64, so that sums of a few sizes cannot overflow.
    number.checked_mul(base.pow(power)).filter(|bytes| *bytes <= 1 << 60).ok_or("a size of at most 1 EiB")
}

/// Parses the value of a fio option as a size in bytes, or a percentage up to 100.
pub fn size(text: &str, kb_base: u64) -> Result<Size, &'static str> {
    match text.strip_suffix('%') {
        Some(number) => percent(number).map(Size::Percent),
        None => bytes(text, kb_base).map(Size::Bytes),
    }
}

/// Parses the value of a fio option as a whole percentage, 0 to 100; the percent sign may be left out.
pub fn percent(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "a whole percentage from 0 to 100";
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number.parse().ok().filter(|percent| *percent <= 100).ok_or(EXPECTED)
}

/// Parses the value of a fio option as a time in nanoseconds; a number alone counts units of `unit_ns`.
pub fn time_ns(text: &str, unit_ns: u64) -> Result<u64, &'static str> {
    let (number, suffix) = number_and_suffix(text).ok_or(TIME)?;
    let unit = match suffix.as_str() {
        "" => unit_ns,
        "ns" | "nsec" => 1,
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err(TIME),
    };
    // A tenth of the simulated clock's range, so that sums of a few times cannot overflow.
    number.checked_mul(unit).filter(|ns| *ns <= u64::MAX / 10).ok_or("a time of at most 58 years")
}

/// Parses the value of a fio option as a count, with or without the suffix of a size (`number_ios=1k`).
pub fn count(text: &str, kb_base: u64) -> Result<u64, &'static str> {
    bytes(text, kb_base).map_err(|_| "a whole number")
}

/// Parses the value of a fio option as a switch: `0`, `false` or `no` is off; `1`, `true` or `yes` is on.
pub fn flag(text: &str) -> Result<bool, &'static str> {
    match text.trim() {
        "0" | "false" | "no" => Ok(false),
        "1" | "true" | "yes" => Ok(true),
        _ => Err("0 or 1"),
    }
}

/// Parses the value of a fio option as a finite decimal number.
pub fn float(text: &str) -> Result<f64, &'static str> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or("a number")
}

/// Splits an option value at commas into a value for each direction, `[read, write, trim]`, as fio does: a value not
/// followed by a comma holds for the directions after it too, an empty value leaves the default (`None`).
pub fn by_direction(text: &str) -> Result<[Option<&str>; 3], &'static str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 && !(parts.len() == 4 && parts[3].is_empty()) {
        return Err("at most three values: read, write, trim");
    }
    let mut values = [None; 3];
    for (direction, value) in values.iter_mut().enumerate() {
        let part = parts.get(direction).or(parts.last()).copied().unwrap_or("");
        *value = (!part.is_empty()).then_some(part);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_base() {
        for (text, size) in [("512", 512), ("4k", 4096), ("4K", 4096), ("4kB", 4096), ("1m", 1 << 20)] {
            assert_eq!(bytes(text, 1024), Ok(size), "{text}");
        }
        assert_eq!(bytes("2T", 1024), Ok(2 << 40));
        assert_eq!(bytes("0x1000", 1024), Ok(4096));
        assert_eq!(bytes("4KiB", 1024), Ok(4000), "fio's default base turns the IEC prefixes round");
        assert_eq!((bytes("4KiB", 1000), bytes("4k", 1000)), (Ok(4096), Ok(4000)));
        for text in ["", "k", "4x", "-4k", "4k4", "1.5g", "${SIZE}", "99999999999g", "4i"] {
            assert!(bytes(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn percentages_are_of_the_whole() {
        assert_eq!(size("25%", 1024).unwrap().of(1000), 250);
        assert_eq!(size("100%", 1024).unwrap().of(1 << 60), 1 << 60);
        assert_eq!(size("4k", 1024).unwrap().of(7), 4096);
        assert!(size("101%", 1024).is_err());
    }

    #[test]
    fn times_have_a_default_unit() {
        let second = 1_000_000_000;
        assert_eq!(time_ns("10", second), Ok(10 * second));
        assert_eq!(time_ns("10", 1_000), Ok(10_000));
        assert_eq!(time_ns("2m", 1_000), Ok(120 * second));
        assert_eq!(time_ns("500ms", second), Ok(second / 2));
        assert!(time_ns("10 parsecs", second).is_err());
        assert!(time_ns("999999999d", second).is_err());
    }

    #[test]
    fn a_value_without_a_comma_holds_for_the_rest() {
        assert_eq!(by_direction("8k"), Ok([Some("8k"); 3]));
        assert_eq!(by_direction("8k,32k"), Ok([Some("8k"), Some("32k"), Some("32k")]));
        assert_eq!(by_direction("8k,32k,"), Ok([Some("8k"), Some("32k"), None]));
        assert_eq!(by_direction(",8k"), Ok([None, Some("8k"), Some("8k")]));
        assert_eq!(by_direction(",8k,"), Ok([None, Some("8k"), None]));
        assert_eq!(by_direction("1,2,3"), Ok([Some("1"), Some("2"), Some("3")]));
        assert!(by_direction("1,2,3,4").is_err());
    }
}
