//! Operations of the flash, by the origin of each.

use crate::Drive;
use crate::sections::sections;
use controller::Origin;
use ftl::{Ftl, FtlStats};

sections! {
    /// Operations of the flash in the measured window, by origin: for whom they were done.
    Flash {
        /// Pages read.
        reads: ByOrigin = "pages",
        /// Pages programmed. A program counts for the origin of its first mapping unit.
        programs: ByOrigin = "pages",
        /// Blocks erased.
        erases: ByOrigin = "blocks",
        /// Mapping units programmed, each under its own origin. Their bytes are in `waf_bytes.programmed`.
        units_programmed: ByOrigin = "mapping units",
        /// Size of a page.
        page_bytes: u64 = "bytes",
        /// Size of a mapping unit, the smallest piece of data with its own location.
        mapping_unit_bytes: u64 = "bytes",
    }

    /// Counts by origin: for whom the flash worked.
    ByOrigin {
        /// The host's requests.
        host: u64,
        /// Garbage collection.
        gc: u64,
        /// Wear levelling.
        wear: u64,
        /// Reading the rest of a mapping unit that the host wrote a part of.
        read_modify_write: u64,
        /// Moving data out of a superblock in which a program failed.
        rescue: u64,
        /// Empty units that complete a program unit.
        padding: u64,
        /// Units written again in idle time, so that reading them costs less (`ftl.regulator`).
        rewrite: u64,
        /// Data written again before its retention time is over, or because its block was read too often.
        refresh: u64,
        /// The map's own units, where the map is on flash.
        map: u64,
        /// The patrol: stored data read for its errors, and written again where they come near the code's limit.
        scrub: u64,
        /// Data moved from the SLC cache to superblocks that use all bits per cell.
        fold: u64,
        /// Parity over dies.
        parity: u64,
        /// Reading the rest of a stripe, to bring back what the code could not correct.
        rebuild: u64,
        /// Reading data that the host has not asked for yet.
        read_ahead: u64,
        /// All origins together.
        total: u64,
    }
}

pub(super) fn flash(drive: &Drive, ftl: &Ftl, stats: &FtlStats) -> Flash {
    Flash {
        reads: by_origin(&stats.pages_read),
        programs: by_origin(&stats.pages_programmed),
        erases: by_origin(&stats.blocks_erased),
        units_programmed: by_origin(&stats.units_programmed),
        page_bytes: drive.geometry().page_size.get(),
        mapping_unit_bytes: ftl.layout().unit.get(),
    }
}

fn by_origin(counts: &[u64; Origin::COUNT]) -> ByOrigin {
    let of = |origin: Origin| counts[origin as usize];
    ByOrigin {
        host: of(Origin::Host),
        gc: of(Origin::Gc),
        wear: of(Origin::Wear),
        read_modify_write: of(Origin::ReadModifyWrite),
        rescue: of(Origin::Rescue),
        padding: of(Origin::Padding),
        rewrite: of(Origin::Rewrite),
        refresh: of(Origin::Refresh),
        map: of(Origin::Map),
        scrub: of(Origin::Scrub),
        fold: of(Origin::Fold),
        parity: of(Origin::Parity),
        rebuild: of(Origin::Rebuild),
        read_ahead: of(Origin::ReadAhead),
        total: counts.iter().sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_origin_has_a_key_of_its_name() {
        for origin in Origin::ALL {
            let mut counts = [0; Origin::COUNT];
            counts[origin as usize] = 7;
            let table = serde_json::to_value(by_origin(&counts)).expect("numbers");
            assert_eq!(table[origin.name()], 7);
            assert_eq!(table.as_object().map(|keys| keys.len()), Some(Origin::COUNT + 1));
        }
    }
}
