//! Codes: a ladder whose rungs cost more and correct more one after the other, and whose word can be relied on.

use ecc::code::Maker;
use ecc::{Rates, Soft};

/// Tests an error-correcting code for cells of one to four bits, without random numbers, so that `_events` is unused.
/// The code's read levels, from a hard read to reads with ever more soft bits, must each need more sensing than the
/// level before and correct a higher bit error rate.
///
/// # Panics
/// When the code breaks a rule.
pub fn check(context: &str, maker: &Maker, _events: u64) {
    let code = maker();
    assert!(code.overhead() >= 0.0, "{context}: less than no parity");
    for bits in 1..=4 {
        let Some(ladder) = code.ladder(bits) else { continue };
        assert!(
            !ladder.rungs.is_empty() && ladder.rungs.len() <= 8,
            "{context}: {} rungs",
            ladder.rungs.len()
        );
        assert!(ladder.codeword_bits >= 8 * ladder.codeword_bytes, "{context}: fewer bits than data");
        for pair in ladder.rungs.windows(2) {
            let (low, high) = (&pair[0], &pair[1]);
            assert!(low.references < high.references && low.senses < high.senses, "{context}: {pair:?}");
            assert!(low.bit_planes <= high.bit_planes && low.limit < high.limit, "{context}: {pair:?}");
        }
        for (at, rung) in ladder.rungs.iter().enumerate() {
            assert_eq!(
                ladder.needed(rung.limit, Soft::NORMAL),
                Some(at),
                "{context}: another rung at the limit of {at}"
            );
            let failure = ladder.codeword_failure(at, rung.limit, Soft::NORMAL);
            assert!(failure <= ladder.target * 1.001, "{context}: rung {at} fails with {failure:e}");
        }
        assert_eq!(ladder.needed(0.5, Soft::NORMAL), None, "{context}: corrects what is random");
        assert!(ladder.read(0, &Rates::of(0.5), 4096, 0.5).uncorrectable, "{context}: reads what is random");
        let clean = ladder.read(0, &Rates::of(0.0), 4096, 0.5);
        assert!(!clean.uncorrectable && clean.retries == 0, "{context}: fails without errors");
    }
}
