//! Reading quantities as people write them: `"25us"`, `"16KiB"`, `"166MT/s"`.

use crate::{Bytes, Nanos, TransferRate};
use std::fmt;

/// Interface of the types of physical quantities that configuration files give as a number directly followed by its
/// unit.
pub trait Quantity: Sized {
    /// Constant description of a correct value of the quantity type, for error messages.
    const EXPECTED: &'static str;

    /// Parses `text` as a quantity with its unit; the number may have a fraction if the result is exact in the base
    /// unit.
    ///
    /// # Errors
    /// When the unit is missing or unknown, or the value does not fit.
    fn parse(text: &str) -> Result<Self, ParseQuantityError>;
}

/// Type of the error for a text that could not be parsed as a quantity (number with its unit); the string is the error
/// message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseQuantityError(pub String);

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseQuantityError {}

const TIME_UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

const SIZE_UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

const RATE_UNITS: &[(&str, u64)] = &[
    ("B/s", 1),
    ("kB/s", 1_000),
    ("MB/s", 1_000_000),
    ("GB/s", 1_000_000_000),
    ("KiB/s", 1 << 10),
    ("MiB/s", 1 << 20),
    ("GiB/s", 1 << 30),
    ("MT/s", 1_000_000),
];

impl Quantity for Nanos {
    const EXPECTED: &'static str = "a time with its unit, such as \"25us\" (ns, us, ms, s, min, h, d)";

    fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        scaled(text, TIME_UNITS).map(Self::new)
    }
}

impl Quantity for Bytes {
    const EXPECTED: &'static str =
        "a size with its unit, such as \"16KiB\" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)";

    fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        scaled(text, SIZE_UNITS).map(Self::new)
    }
}

impl Quantity for TransferRate {
    const EXPECTED: &'static str = "a rate with its unit, such as \"166MT/s\" or \"600MB/s\" (B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, MT/s)";

    fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        match scaled(text, RATE_UNITS)? {
            0 => Err(ParseQuantityError("a rate of zero never delivers".into())),
            rate => Ok(Self::from_bytes_per_s(rate)),
        }
    }
}

/// Parses a number with a unit and returns `number * scale of unit`, exact: decimal digits are shifted, never rounded
/// through floating point.
pub(crate) fn scaled(text: &str, units: &[(&str, u64)]) -> Result<u64, ParseQuantityError> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (number, unit) = (text[..split].replace('_', ""), text[split..].trim_start());
    let known = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    if unit.is_empty() {
        return Err(ParseQuantityError(format!("the unit is missing (one of {})", known())));
    }
    let Some(&(_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(ParseQuantityError(format!("unknown unit {unit:?} (one of {})", known())));
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits = || ParseQuantityError(format!("{number:?} is not a number"));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) {
        return Err(digits());
    }
    let mantissa: u128 = format!("{whole}{fraction}").parse().map_err(|_| digits())?;
    let divisor = 10u128.checked_pow(fraction.len() as u32).ok_or_else(digits)?;
    let product = mantissa.checked_mul(u128::from(scale)).ok_or_else(digits)?;
    if product % divisor != 0 {
        return Err(ParseQuantityError(format!("{text:?} is finer than the smallest unit {:?}", units[0].0)));
    }
    u64::try_from(product / divisor).map_err(|_| ParseQuantityError(format!("{text:?} is too large")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(Nanos::parse("25us"), Ok(Nanos::new(25_000)));
        assert_eq!(Nanos::parse("1.5 ms"), Ok(Nanos::new(1_500_000)));
        assert_eq!(Bytes::parse("16KiB"), Ok(Bytes::new(16_384)));
        assert_eq!(TransferRate::parse("166MT/s"), Ok(TransferRate::from_bytes_per_s(166_000_000)));
        assert_eq!(TransferRate::parse("1.2GB/s"), Ok(TransferRate::from_bytes_per_s(1_200_000_000)));
    }

    #[test]
    fn a_missing_or_unknown_unit_is_an_error() {
        for text in ["25", "25 parsecs", "us", "1.us", "0.5ns", "99999999999999999999s", "-1us"] {
            assert!(Nanos::parse(text).is_err(), "{text} was accepted");
        }
        assert!(TransferRate::parse("0MB/s").is_err());
    }

    #[test]
    fn a_burst_rounds_up_once() {
        let rate = TransferRate::from_bytes_per_s(2_400_000_000);
        assert_eq!(rate.time_for(Bytes::new(16_384)), Nanos::new(6_827));
    }

    #[test]
    fn display_reads_back() {
        for text in ["25us", "1500ns", "2s", "16KiB", "4000B", "1GiB"] {
            let time = Nanos::parse(text).map(|t| t.to_string());
            let size = Bytes::parse(text).map(|s| s.to_string());
            assert!(time == Ok(text.into()) || size == Ok(text.into()), "{text}");
        }
    }
}
