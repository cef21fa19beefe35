//! The letters by which Linux shows what a request is: `R`, `WS`, `FWFS`, `D`, `WZ`, `ZA`.
//!
//! A leading F asks for a flush before the operation that follows it; alone, or doubled, it is the flush. An F behind a
//! W is force unit access. Z behind W writes zeroes, E behind D erases for good, Z in front is an operation on a zone.

use crate::trace::field::{Fault, fault, show};

/// Kind of a block request, as the RWBS letters of blktrace and ftrace give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RwbsKind {
    Read,
    Write,
    Trim,
    /// Case of block request: write of zeroes, for which no data are transferred (RWBS letters WZ).
    Zeroes,
    Flush,
    /// Case of block request: zone append, a write whose address is known only from its completion event.
    Append,
    /// Case of block request: neither transfers nor discards data (RWBS letter N, or an operation on zones).
    Nothing,
}

/// Parses RWBS letters and returns the kind of request; any other letters are an error.
pub(super) fn kind(letters: &[u8]) -> Result<RwbsKind, Fault> {
    known(letters)
        .ok_or_else(|| fault(format!("RWBS is {}", show(letters)), "R, W, D, F, N, WZ or ZA with its flags"))
}

/// Makes the error for the issue event of a zone append, which has no address: the address is in its completion event.
pub(super) fn late_address() -> Fault {
    let expected = "a request with an address: that of a zone append is in its completion, --action C";
    let mut late = fault("a zone append", expected);
    late.recognised = true;
    late
}

/// Parses RWBS letters, as [`kind`] does, but returns `None` for other letters.
pub(super) fn known(letters: &[u8]) -> Option<RwbsKind> {
    let bare = match letters {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'N' | b'F' | b'Z')) => rest,
        all => all,
    };
    match bare {
        [b'R', ..] => Some(RwbsKind::Read),
        [b'W', b'Z', ..] => Some(RwbsKind::Zeroes),
        [b'W', ..] => Some(RwbsKind::Write),
        [b'D', ..] => Some(RwbsKind::Trim),
        [b'F', ..] => Some(RwbsKind::Flush),
        [b'N', ..] if letters.starts_with(b"F") => Some(RwbsKind::Flush),
        [b'N', ..] => Some(RwbsKind::Nothing),
        [b'Z', b'A', ..] => Some(RwbsKind::Append),
        [b'Z', b'R' | b'O' | b'C' | b'F', ..] => Some(RwbsKind::Nothing),
        _ => None,
    }
}

/// Returns true if `letters` consists of RWBS letters and their flags alone, so that it is very likely no other word of
/// a table.
pub(super) fn is_whole(letters: &[u8]) -> bool {
    let flags = |rest: &[u8]| rest.iter().all(|letter| b"RWDFNZAESMPIUOC".contains(letter));
    (1..=8).contains(&letters.len()) && flags(letters) && known(letters).is_some()
}

/// Returns true for a write with force unit access: RWBS letters with an F behind the W.
pub(super) fn forces_unit_access(letters: &[u8]) -> bool {
    letters.iter().skip_while(|letter| **letter != b'W').any(|letter| *letter == b'F')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_flushes_from_writes_with_flags_and_writes_from_zeroes() {
        for (letters, meaning) in [
            ("R", RwbsKind::Read),
            ("RA", RwbsKind::Read),
            ("RM", RwbsKind::Read),
            ("FR", RwbsKind::Read),
            ("WS", RwbsKind::Write),
            ("FWFS", RwbsKind::Write),
            ("DS", RwbsKind::Trim),
            ("DE", RwbsKind::Trim),
            ("F", RwbsKind::Flush),
            ("FF", RwbsKind::Flush),
            ("FN", RwbsKind::Flush),
            ("N", RwbsKind::Nothing),
            ("WZ", RwbsKind::Zeroes),
            ("WZS", RwbsKind::Zeroes),
            ("FWZ", RwbsKind::Zeroes),
            ("ZA", RwbsKind::Append),
            ("ZR", RwbsKind::Nothing),
            ("ZRA", RwbsKind::Nothing),
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
