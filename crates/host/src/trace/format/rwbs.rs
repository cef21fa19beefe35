//! The letters by which Linux shows what a request is: `R`, `WS`, `FWFS`, `D`, `WZ`, `ZA`.
//!
//! A leading F asks for a flush before the operation that follows it; alone, or doubled, it is the flush. An F behind a
//! W is force unit access. Z behind W writes zeroes, E behind D erases for good, Z in front is an operation on a zone.

use crate::trace::field::{Fault, fault, show};

/// What a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Trim,
    /// Zeroes to be written: no data.
    Zeroes,
    Flush,
    /// A write whose address only its completion has.
    Append,
    /// Nothing that moves or forgets data: N, and operations on zones.
    Nothing,
}

/// What `letters` say.
pub(super) fn kind(letters: &[u8]) -> Result<Kind, Fault> {
    known(letters)
        .ok_or_else(|| fault(format!("RWBS is {}", show(letters)), "R, W, D, F, N, WZ or ZA with its flags"))
}

/// What is wrong with the issue of a zone append.
pub(super) fn late_address() -> Fault {
    let expected = "a request with an address: that of a zone append is in its completion, --action C";
    let mut late = fault("a zone append", expected);
    late.recognised = true;
    late
}

/// As [`kind`]; `None` where these are no such letters.
pub(super) fn known(letters: &[u8]) -> Option<Kind> {
    let bare = match letters {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'N' | b'F' | b'Z')) => rest,
        all => all,
    };
    match bare {
        [b'R', ..] => Some(Kind::Read),
        [b'W', b'Z', ..] => Some(Kind::Zeroes),
        [b'W', ..] => Some(Kind::Write),
        [b'D', ..] => Some(Kind::Trim),
        [b'F', ..] => Some(Kind::Flush),
        [b'N', ..] if letters.starts_with(b"F") => Some(Kind::Flush),
        [b'N', ..] => Some(Kind::Nothing),
        [b'Z', b'A', ..] => Some(Kind::Append),
        [b'Z', b'R' | b'O' | b'C' | b'F', ..] => Some(Kind::Nothing),
        _ => None,
    }
}

/// True for such letters and their flags alone, which no word of a table is by chance.
pub(super) fn is_whole(letters: &[u8]) -> bool {
    let flags = |rest: &[u8]| rest.iter().all(|letter| b"RWDFNZAESMPIUOC".contains(letter));
    (1..=8).contains(&letters.len()) && flags(letters) && known(letters).is_some()
}

/// True for a write with an F behind its W.
pub(super) fn forces_unit_access(letters: &[u8]) -> bool {
    letters.iter().skip_while(|letter| **letter != b'W').any(|letter| *letter == b'F')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_flushes_from_writes_with_flags_and_writes_from_zeroes() {
        for (letters, meaning) in [
            ("R", Kind::Read),
            ("RA", Kind::Read),
            ("RM", Kind::Read),
            ("FR", Kind::Read),
            ("WS", Kind::Write),
            ("FWFS", Kind::Write),
            ("DS", Kind::Trim),
            ("DE", Kind::Trim),
            ("F", Kind::Flush),
            ("FF", Kind::Flush),
            ("FN", Kind::Flush),
            ("N", Kind::Nothing),
            ("WZ", Kind::Zeroes),
            ("WZS", Kind::Zeroes),
            ("FWZ", Kind::Zeroes),
            ("ZA", Kind::Append),
            ("ZR", Kind::Nothing),
            ("ZRA", Kind::Nothing),
        ] {
            assert_eq!(kind(letters.as_bytes()).unwrap(), meaning, "{letters}");
            assert!(is_whole(letters.as_bytes()), "{letters}");
        }
        assert!(kind(b"X").is_err() && kind(b"").is_err() && kind(b"Z").is_err());
        assert!(!is_whole(b"Write") && !is_whole(b"READ_10") && !is_whole(b"Xw"));
        let forced = |text: &str| forces_unit_access(text.as_bytes());
        assert_eq!((forced("WFS"), forced("FWFS"), forced("WF")), (true, true, true));
        assert_eq!((forced("W"), forced("FWS"), forced("WSM")), (false, false, false));
    }
}
