//! What power cuts did, and what it took to come back.

use crate::run::power_cut::{Cut, Cuts};
use crate::sections::sections;

sections! {
    /// Results on the power cuts in the run, and on the recovery after each.
    Power {
        /// Number of planned power cuts that did not happen because the run was over before they were due.
        cuts_left: u64 = "cuts",
        /// List, in the result, of the consequences of each power cut, in order of time.
        cuts: Vec<PowerCut>,
    }

    /// Record, in the result, of one power cut: its time, damage and recovery.
    PowerCut {
        /// Simulated time in nanoseconds at which the host lost its power; capacitors may have supplied the drive for
        /// longer.
        at_ns: u64 = "ns",
        /// Number of flash operations (each page read, page programmed or block erased counts as one) done from the
        /// beginning of the run to the power cut.
        operations: u64 = "operations",
        /// Time in nanoseconds for which capacitors supplied the drive after the power cut to write its buffer to
        /// flash; 0 without capacitors.
        hold_up_ns: u64 = "ns",
        /// Number of requests of the host that were never answered because of the power cut.
        requests_lost: u64 = "requests",
        /// Number of mapping units lost from the write buffer by the power cut, although their writes had been
        /// acknowledged to the host; no flush had covered them.
        units_lost_in_buffer: u64 = "mapping units",
        /// Number of page rows (each the pages with the same index in all planes) whose program the power cut
        /// interrupted.
        torn_rows: u64 = "page rows",
        /// Number of page rows (each the pages with the same index in all planes), programmed before the power cut,
        /// that were damaged because an interrupted program used the same cells.
        paired_rows_lost: u64 = "page rows",
        /// Number of superblocks whose erase the power cut interrupted, and that must be erased again.
        half_erased_superblocks: u64 = "superblocks",
        /// Number of mapping units whose newest copy lay on a failed die, so that recovery after the power cut could
        /// not restore it: from then on they hold nothing, or an older version.
        units_forgotten_on_dead_dies: u64 = "mapping units",
        /// Time in nanoseconds from power-up until the drive took requests; null where the power failed again before,
        /// or the run ended.
        ready_ns: Option<u64> = "ns",
        /// Number of flash pages that recovery after this power cut read to rebuild the drive's logical-to-physical
        /// map.
        pages_read: u64 = "pages",
        /// Number of superblocks in which recovery after this power cut found at least one programmed page.
        superblocks_found: u64 = "superblocks",
        /// Number of logical units that recovery after this power cut found on flash.
        units_found: u64 = "mapping units",
    }
}

/// Makes the section of the result about power cuts; `None` where no cuts were planned.
pub(super) fn power(cuts: &Cuts) -> Option<Power> {
    (cuts.left() + cuts.done.len() > 0)
        .then(|| Power { cuts_left: cuts.left() as u64, cuts: cuts.done.iter().map(of).collect() })
}

fn of(cut: &Cut) -> PowerCut {
    PowerCut {
        at_ns: cut.failed.ns(),
        operations: cut.operations,
        hold_up_ns: cut.dark.since(cut.failed).ns(),
        requests_lost: cut.requests.into(),
        units_lost_in_buffer: cut.buffered_lost.into(),
        torn_rows: cut.damage.torn_rows,
        paired_rows_lost: cut.damage.paired_rows,
        half_erased_superblocks: cut.damage.half_erased,
        units_forgotten_on_dead_dies: cut.damage.units_on_dead,
        ready_ns: cut.ready.map(|ready| ready.since(cut.back).ns()),
        pages_read: cut.found.pages_read,
        superblocks_found: cut.found.superblocks,
        units_found: cut.found.units,
    }
}
