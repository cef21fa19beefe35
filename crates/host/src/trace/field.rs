//! Columns of a line and the numbers in them, read from bytes without allocating.
//!
//! Everything here is on the path of every line; only a faulty line allocates, for its message.

/// Type of the error message for one line or record of a trace, before file and line number are known. Boxed, so that
/// results without an error stay small.
pub(crate) type Fault = Box<FaultText>;

/// Record of the text and the consequences of an error in one line or record of a trace.
#[derive(Debug)]
pub(crate) struct FaultText {
    /// Field of an error: text that was found in the line of the trace and is wrong.
    pub found: String,
    /// Field of an error: description of what was expected in the line of the trace in place of the text found.
    pub expected: String,
    /// Flag of an error in a line of a trace: true if the rest of the file cannot be read either, so that skipping the
    /// line does not help.
    pub fatal: bool,
    /// Flag of an error in a line of a trace: true if the line surely is of this trace format, but describes something
    /// that cannot be replayed as a request.
    pub recognised: bool,
}

/// Makes an error for one line of a trace; later lines can still be read.
pub(crate) fn fault(found: impl Into<String>, expected: impl Into<String>) -> Fault {
    Box::new(FaultText { found: found.into(), expected: expected.into(), fatal: false, recognised: false })
}

/// Makes an error for a line of a trace after which the rest of the file cannot be read.
pub(crate) fn fatal(found: impl Into<String>, expected: impl Into<String>) -> Fault {
    Box::new(FaultText { found: found.into(), expected: expected.into(), fatal: true, recognised: false })
}

/// Returns `bytes` in quotes for an error message, cut to 48 bytes; bytes that are not UTF-8 text are escaped one by
/// one.
pub(crate) fn show(bytes: &[u8]) -> String {
    const LONGEST: usize = 48;
    let cut = &bytes[..bytes.len().min(LONGEST)];
    let text = match std::str::from_utf8(cut) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("\"{}\"", cut.escape_ascii()),
    };
    if bytes.len() > LONGEST { format!("{text}...") } else { text }
}

/// Iterator over the columns of one line of a trace, from left to right.
pub(crate) struct Columns<'a> {
    rest: Option<&'a [u8]>,
    /// Field: byte that separates the columns of a trace's line; zero means that runs of blanks and tabs separate them.
    separator: u8,
    taken: u32,
}

impl<'a> Columns<'a> {
    /// Makes an iterator over the columns of `line` that are separated by the byte `separator`; blanks around a column
    /// are removed.
    #[inline]
    pub fn separated(line: &'a [u8], separator: u8) -> Self {
        Self { rest: Some(line), separator, taken: 0 }
    }

    /// Makes an iterator over the columns of `line` that are separated by runs of blanks and tabs.
    #[inline]
    pub fn blank(line: &'a [u8]) -> Self {
        let rest = trim_start(line);
        Self { rest: (!rest.is_empty()).then_some(rest), separator: 0, taken: 0 }
    }

    /// Returns the next column of the line of a trace; none at the end of the line.
    #[inline]
    pub fn optional(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        self.taken += 1;
        if self.separator == 0 {
            let end = rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
            let tail = trim_start(&rest[end..]);
            self.rest = (!tail.is_empty()).then_some(tail);
            return Some(&rest[..end]);
        }
        match rest.iter().position(|&b| b == self.separator) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(trim(&rest[..end]))
            }
            None => {
                self.rest = None;
                Some(trim(rest))
            }
        }
    }

    /// Returns the next column of the line of a trace; the error, at the end of the line, names the missing column as
    /// `what`.
    #[inline]
    pub fn next(&mut self, what: &'static str) -> Result<&'a [u8], Fault> {
        match self.optional() {
            Some(column) => Ok(column),
            None => Err(self.missing(what)),
        }
    }

    /// Returns the next column of the line, as [`Self::next`] does. Unless blanks separate the columns, it may stand in
    /// double quotes and then contain the separator; a quote inside the quotes is doubled and stays so.
    pub fn next_unquoted(&mut self, what: &'static str) -> Result<&'a [u8], Fault> {
        let separator = self.separator;
        let bare = |bytes: &'a [u8]| {
            let blank = |byte: &u8| is_blank(*byte) && *byte != separator;
            &bytes[bytes.iter().take_while(|byte| blank(byte)).count()..]
        };
        let Some([b'"', inner @ ..]) = self.rest.map(bare).filter(|_| separator != 0) else {
            return self.next(what);
        };
        let mut end = 0;
        while inner.get(end).is_some_and(|byte| *byte != b'"') || inner[end..].starts_with(b"\"\"") {
            end += if inner[end] == b'"' { 2 } else { 1 };
        }
        if end >= inner.len() {
            return Err(fault(
                format!("{what} \"{} has one quote", inner.escape_ascii()),
                "a quote at its end, too",
            ));
        }
        self.taken += 1;
        self.rest = match bare(&inner[end + 1..]) {
            [] => None,
            [byte, rest @ ..] if *byte == separator => Some(rest),
            rest => return Err(fault(format!("{} after a quote", show(rest)), "a separator or the end")),
        };
        Ok(trim(&inner[..end]))
    }

    /// Returns true if no column of the line of a trace is left to be returned.
    pub fn is_over(&self) -> bool {
        self.rest.is_none()
    }

    /// Returns the part of the line of a trace behind the columns that were returned so far, not divided into columns.
    pub fn remainder(&self) -> &'a [u8] {
        self.rest.unwrap_or_default()
    }

    /// Checks that all columns of the line of a trace have been returned; the error shows the surplus rest of the line,
    /// and the number of columns that were expected.
    #[inline]
    pub fn end(&self) -> Result<(), Fault> {
        match self.rest {
            None => Ok(()),
            Some(rest) => {
                let many = self.taken;
                Err(fault(format!("{} after column {many}", show(rest)), format!("{many} columns")))
            }
        }
    }

    #[cold]
    fn missing(&self, what: &'static str) -> Fault {
        fault(format!("the line ends after {} columns", self.taken), format!("another column, the {what}"))
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns the bytes of a trace's line without the blanks at its beginning.
#[inline]
pub(crate) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes {
        if !is_blank(*first) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// Returns the bytes of a trace's line without the blanks at either end.
#[inline]
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    let mut bytes = trim_start(bytes);
    while let [rest @ .., last] = bytes {
        if !is_blank(*last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// Parses a column of a trace as a whole number in decimal digits; the error calls the column `what`.
#[inline]
pub(crate) fn int(field: &[u8], what: &'static str) -> Result<u64, Fault> {
    match digits(field) {
        Some(value) => Ok(value),
        None => Err(bad_number(field, what, "a whole number")),
    }
}

/// Parses a column of a trace as a whole number in hexadecimal digits, with or without `0x`; the error calls the column
/// `what`.
pub(crate) fn hex(field: &[u8], what: &'static str) -> Result<u64, Fault> {
    let bare = field.strip_prefix(b"0x").or(field.strip_prefix(b"0X")).unwrap_or(field);
    let value = std::str::from_utf8(bare)
        .ok()
        .filter(|text| !text.starts_with('+'))
        .and_then(|text| u64::from_str_radix(text, 16).ok());
    value.ok_or_else(|| fault(format!("{what} is {}", show(field)), "a hexadecimal number"))
}

/// Parses a column of a trace as a whole number in decimal digits, or in hexadecimal digits after `0x`; the error calls
/// the column `what`.
pub(crate) fn any_int(field: &[u8], what: &'static str) -> Result<u64, Fault> {
    match field {
        [b'0', b'x' | b'X', ..] => hex(field, what),
        digits => int(digits, what),
    }
}

/// Parses a column of a trace as a number that consists of decimal digits only; `None` if the field is empty, has any
/// other byte, or needs more than 64 bits.
#[inline]
fn digits(field: &[u8]) -> Option<u64> {
    if field.is_empty() || field.len() > 20 {
        return if field.len() > 20 { long_digits(field) } else { None };
    }
    let mut value = 0u64;
    // Nineteen digits always fit; only the twentieth needs care.
    let (safe, last) = field.split_at(field.len().min(19));
    for &byte in safe {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    for &byte in last {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// Parses a column of a trace as a decimal number of more than twenty digits, which is valid only if it is padded with
/// zeros in front.
#[cold]
fn long_digits(field: &[u8]) -> Option<u64> {
    let first = field.iter().position(|&b| b != b'0').unwrap_or(field.len() - 1);
    let bare = &field[first..];
    if bare.len() > 20 { None } else { digits(bare) }
}

#[cold]
fn bad_number(field: &[u8], what: &'static str, expected: &'static str) -> Fault {
    let only_digits = |f: &[u8]| !f.is_empty() && f.iter().all(u8::is_ascii_digit);
    let why = match field {
        [] => "is empty".to_owned(),
        [b'-', rest @ ..] if only_digits(rest) || rest.contains(&b'.') => {
            format!("{} is negative", show(field))
        }
        all if only_digits(all) => format!("{} is beyond 64 bits", show(field)),
        _ => format!("is {}", show(field)),
    };
    fault(format!("{what} {why}"), expected)
}

/// Parses a time in units of `unit_ns` nanoseconds (a power of ten up to a second) and returns whole nanoseconds.
/// Digits below a nanosecond are cut off, so that rounding never makes a request later.
#[inline]
pub(crate) fn time(field: &[u8], unit_ns: u64, what: &'static str) -> Result<u64, Fault> {
    let bad = || bad_time(field, unit_ns, what);
    let Some(dot) = field.iter().position(|&b| b == b'.') else {
        return match digits(field) {
            Some(whole) => whole.checked_mul(unit_ns).ok_or_else(bad),
            None => exponent(field, unit_ns).ok_or_else(bad),
        };
    };
    let (whole, fraction) = (&field[..dot], &field[dot + 1..]);
    let (mut scale, mut below) = (unit_ns, 0);
    for &byte in fraction {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return exponent(field, unit_ns).ok_or_else(bad);
        }
        scale /= 10;
        below += u64::from(digit) * scale;
    }
    if fraction.is_empty() {
        return Err(bad());
    }
    let whole = digits(whole).ok_or_else(bad)?;
    whole.checked_mul(unit_ns).and_then(|ns| ns.checked_add(below)).ok_or_else(bad)
}

/// Parses a time in scientific notation, such as `7.3902e-05`, in units of `unit_ns` nanoseconds; returns whole
/// nanoseconds.
#[cold]
fn exponent(field: &[u8], unit_ns: u64) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let (mantissa, power) = text.split_once(['e', 'E'])?;
    let power: i32 = power.parse().ok().filter(|p: &i32| p.abs() <= 30)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || whole.len() + fraction.len() > 20 {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let value = u128::from(digits(all.as_bytes())?).checked_mul(u128::from(unit_ns))?;
    let shift = power - fraction.len() as i32;
    let tens = 10u128.checked_pow(shift.unsigned_abs())?;
    let ns = if shift < 0 { value / tens } else { value.checked_mul(tens)? };
    u64::try_from(ns).ok()
}

#[cold]
fn bad_time(field: &[u8], unit_ns: u64, what: &'static str) -> Fault {
    let unit = match unit_ns {
        1_000_000_000 => "seconds",
        1_000_000 => "milliseconds",
        1_000 => "microseconds",
        _ => "nanoseconds",
    };
    let number = field.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    if number && field.iter().any(u8::is_ascii_digit) && !field.ends_with(b".") && !field.starts_with(b".") {
        return fault(
            format!("{what} {} is too large for {unit}", show(field)),
            "a time below 584 years, or another --trace-format",
        );
    }
    let mut fault = bad_number(field, what, "");
    fault.expected = format!("a time in {unit}");
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_or_say_why() {
        assert_eq!(int(b"18446744073709551615", "size").unwrap(), u64::MAX);
        assert_eq!(int(b"000000000000000000000000042", "size").unwrap(), 42);
        let why = |text: &[u8]| int(text, "size").unwrap_err().found;
        assert_eq!(why(b"18446744073709551616"), "size \"18446744073709551616\" is beyond 64 bits");
        assert_eq!(why(b"-5"), "size \"-5\" is negative");
        assert_eq!(why(b""), "size is empty");
        assert_eq!(why(b"4k"), "size is \"4k\"");
        assert_eq!((any_int(b"0X2a", "x").unwrap(), hex(b"2A", "x").unwrap()), (42, 42));
        for odd in [&b"2a"[..], b"0x", b"0x0x2a", b"0x+1", b"0x1ffffffffffffffff", b"0x-1", b""] {
            assert!(any_int(odd, "x").is_err(), "{}", odd.escape_ascii());
        }
        assert_eq!(hex(b"0x2a", "op").unwrap(), 42);
        assert!(hex(b"+1", "op").is_err() && hex(b"", "op").is_err());
    }

    #[test]
    fn times_are_exact_and_rounded_down() {
        assert_eq!(time(b"1.000000019", 1_000_000_000, "t").unwrap(), 1_000_000_019);
        assert_eq!(time(b"1.9999999999999", 1_000_000_000, "t").unwrap(), 1_999_999_999);
        assert_eq!(time(b"15849.28847", 1_000_000, "t").unwrap(), 15_849_288_470);
        assert_eq!(time(b"7.3902e-05", 1_000_000_000, "t").unwrap(), 73_902);
        assert_eq!(time(b"12e2", 1_000, "t").unwrap(), 1_200_000);
        for bad in ["", ".", "1.", ".5", "-1.0", "1.2.3", "nan", "1e99", "99999999999999"] {
            assert!(time(bad.as_bytes(), 1_000_000_000, "t").is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn columns_end_where_the_line_does() {
        let mut blank = Columns::blank(b"  a \t b  ");
        assert_eq!(
            (blank.optional(), blank.optional(), blank.optional()),
            (Some(&b"a"[..]), Some(&b"b"[..]), None)
        );
        let mut quoted = Columns::separated(br#" "a,b", "" ,c "d","e ""f""",5" disk"#, b',');
        for cell in [&b"a,b"[..], b"", br#"c "d""#, br#"e ""f"""#, br#"5" disk"#] {
            assert_eq!(quoted.next_unquoted("x").unwrap(), cell);
        }
        assert!(quoted.next_unquoted("x").is_err());
        let mut tabs = Columns::separated(b"\t \"a\tb\" \t", b'\t');
        for cell in [&b""[..], b"a\tb", b""] {
            assert_eq!(tabs.next_unquoted("x").unwrap(), cell);
        }
        for odd in [&br#""a"#[..], br#""a"b,"#, br#"""#, br#""a"""#] {
            assert!(Columns::separated(odd, b',').next_unquoted("x").is_err(), "{}", odd.escape_ascii());
        }
        let mut comma = Columns::separated(b"a, b,", b',');
        assert_eq!(comma.next("x").unwrap(), b"a");
        assert_eq!(comma.next("x").unwrap(), b"b");
        assert!(comma.end().is_err());
        assert_eq!(comma.next("x").unwrap(), b"");
        assert!(comma.end().is_ok() && comma.next("x").is_err());
    }
}
