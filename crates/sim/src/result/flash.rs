//! Operations of the flash, by the origin of each.

use crate::Drive;
use crate::sections::sections;
use controller::Origin;
use ftl::{Ftl, FtlStats};

sections! {
    /// Results on flash operations in the measured window, by origin: on whose behalf they were done.
    Flash {
        /// Numbers, in the result, of flash pages read in the measured window: one number for each origin (host,
        /// garbage collection, wear levelling and others).
        reads: ByOrigin = "pages",
        /// Numbers, in the result, of flash pages programmed in the measured window: one number for each origin. A
        /// program counts for the origin of its first mapping unit.
        programs: ByOrigin = "pages",
        /// Numbers, in the result, of blocks erased in the measured window: one number for each origin (host, garbage
        /// collection, wear levelling and others).
        erases: ByOrigin = "blocks",
        /// Numbers, in the result, of mapping units programmed in the measured window: one number for each origin,
        /// which is that of each unit itself (not of the program that wrote it). Their bytes are in
        /// `waf_bytes.programmed`.
        units_programmed: ByOrigin = "mapping units",
        /// Size in bytes, in the result, of a flash page of the drive, without the spare area.
        page_bytes: u64 = "bytes",
        /// Size in bytes, in the result, of a mapping unit of the drive, the smallest piece of data with its own
        /// location.
        mapping_unit_bytes: u64 = "bytes",
    }

    /// Counts of flash work (pages read or programmed, blocks erased, or mapping units programmed) by origin: on whose
    /// behalf the flash worked.
    ByOrigin {
        /// Count of flash work for the host's requests.
        host: u64,
        /// Count of flash work for garbage collection.
        gc: u64,
        /// Count of flash work for wear levelling.
        wear: u64,
        /// Count of flash work for reading the rest of a mapping unit that the host wrote in part (read-modify-write).
        read_modify_write: u64,
        /// Count of flash work for moving data out of a superblock in which a program failed.
        rescue: u64,
        /// Count of flash work for empty units (padding) that complete a program unit.
        padding: u64,
        /// Count of flash work for units that the regulator asked to be rewritten: programmed again in idle time, so
        /// that later reads of them take less time (`ftl.regulator`).
        rewrite: u64,
        /// Count of flash work for refresh: data moved to newly programmed pages before its retention time is over, or
        /// because its block was read too often.
        refresh: u64,
        /// Count of flash work for the units of the logical-to-physical map itself, where it is stored on flash and
        /// cached in RAM (demand-paged).
        map: u64,
        /// Count of flash work for the patrol (background scrub): stored data read to find errors, and rewritten where
        /// errors come near the error-correcting code's limit.
        scrub: u64,
        /// Count of flash work for folding: data moved from the SLC cache to superblocks that use all bits per cell.
        fold: u64,
        /// Count of flash work for parity across dies.
        parity: u64,
        /// Count of flash work for reading the rest of a parity stripe (units on several dies that share a parity
        /// unit), to restore what the error-correcting code could not correct.
        rebuild: u64,
        /// Count of flash work for read-ahead: data read before the host asked for it.
        read_ahead: u64,
        /// Count of flash work for all origins together (host, garbage collection and all others).
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
