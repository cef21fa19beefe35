//! The written parts of a drive, as runs.

use crate::nbd::ReplyExtent;
use std::ops::Range;

/// Greatest number of mapping units that the live server examines for one query of an NBD client for allocated extents
/// (block status).
pub const LOOKED_AT: u64 = 1 << 16;
/// Greatest number of extents in one reply of the live server to a query for allocated extents.
pub const EXTENTS_MOST: usize = 4096;

/// Returns the allocated and unallocated extents of the byte range `asked`, at most `most`; `on_flash` lists the units
/// on flash as ascending ranges, `in_buffer` the units in the write buffer in ascending order.
pub fn extents(
    asked: Range<u64>,
    unit: u64,
    most: usize,
    on_flash: &[Range<u32>],
    in_buffer: &[u32],
) -> Vec<ReplyExtent> {
    let mut found: Vec<ReplyExtent> = Vec::new();
    let (mut flash, mut buffer) = (on_flash.iter().peekable(), in_buffer.iter().peekable());
    let mut at = asked.start;
    while at < asked.end {
        let lpn = (at / unit) as u32;
        while flash.next_if(|run| run.end <= lpn).is_some() {}
        while buffer.next_if(|&&held| held < lpn).is_some() {}
        let run = flash.peek().copied();
        let held = buffer.peek().map(|&&held| held);
        // How far it is as it is here.
        let (written, end) = match (run, held) {
            (Some(run), _) if run.start <= lpn => (true, Some(run.end)),
            (_, Some(held)) if held == lpn => (true, Some(held + 1)),
            (run, held) => (false, run.map(|run| run.start).into_iter().chain(held).min()),
        };
        let end = end.map_or(asked.end, |end| (u64::from(end) * unit).min(asked.end));
        let (bytes, count) = ((end - at) as u32, found.len());
        match found.last_mut().filter(|last| last.written == written) {
            Some(last) => last.bytes += bytes,
            None if count == most => break,
            None => found.push(ReplyExtent { bytes, written }),
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(written: &[bool]) -> Vec<Range<u32>> {
        let mut found: Vec<Range<u32>> = Vec::new();
        for (at, _) in written.iter().enumerate().filter(|(_, written)| **written) {
            match found.last_mut().filter(|last| last.end == at as u32) {
                Some(last) => last.end += 1,
                None => found.push(at as u32..at as u32 + 1),
            }
        }
        found
    }

    /// Returns, for the test, the extents that are expected in a reply to an NBD client's query for allocated extents,
    /// by examining the range unit by unit.
    fn expected(
        asked: Range<u64>,
        unit: u64,
        most: usize,
        is_written: impl Fn(usize) -> bool,
    ) -> Vec<ReplyExtent> {
        let mut found: Vec<ReplyExtent> = Vec::new();
        let mut at = asked.start;
        while at < asked.end {
            let (written, end) = (is_written((at / unit) as usize), ((at / unit + 1) * unit).min(asked.end));
            let (bytes, count) = ((end - at) as u32, found.len());
            match found.last_mut() {
                Some(last) if last.written == written => last.bytes += bytes,
                _ if count == most => break,
                _ => found.push(ReplyExtent { bytes, written }),
            }
            at = end;
        }
        found
    }

    #[test]
    fn runs_are_what_unit_by_unit_gives() {
        let mut state = 1u64;
        let mut drawn = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..2000 {
            let units = 1 + drawn(40);
            let share = round % 5;
            let flash: Vec<bool> = (0..units).map(|_| drawn(4) < share).collect();
            let buffer: Vec<u32> = (0..units as u32).filter(|_| drawn(3) == 0).collect();
            let unit = [512, 4096][drawn(2) as usize];
            let start = drawn(units * unit);
            let asked = start..start + 1 + drawn(units * unit - start);
            let most = 1 + drawn(6) as usize;
            let found = extents(asked.clone(), unit, most, &runs(&flash), &buffer);
            let is_written = |at: usize| flash[at] || buffer.contains(&(at as u32));
            assert_eq!(found, expected(asked, unit, most, is_written), "round {round}");
        }
    }
}
