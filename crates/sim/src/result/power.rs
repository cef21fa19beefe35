//! What power cuts did, and what it took to come back.

use crate::run::power_cut::{Cut, Cuts};
use crate::sections::sections;

sections! {
    /// Power cuts in the run.
    Power {
        /// Cuts that were planned and did not come: the run was over before.
        cuts_left: u64 = "cuts",
        /// Each cut, in order.
        cuts: Vec<PowerCut>,
    }

    /// One power cut.
    PowerCut {
        /// When the host lost its power, in simulated time.
        at_ns: u64 = "ns",
        /// Flash operations since the run began, done by then.
        operations: u64 = "operations",
        /// How long capacitors kept the drive at work to write its buffer out; 0 without.
        hold_up_ns: u64 = "ns",
        /// Requests of the host that were never answered.
        requests_lost: u64 = "requests",
        /// Units that the host was told are written, that no flush covered, and that were only in the buffer.
        units_lost_in_buffer: u64 = "mapping units",
        /// Page rows whose program was interrupted.
        torn_rows: u64 = "page rows",
        /// Page rows programmed before, whose cells an interrupted program shared.
        paired_rows_lost: u64 = "page rows",
        /// Superblocks whose erase was interrupted, and that must be erased again.
        half_erased_superblocks: u64 = "superblocks",
        /// Units of which the newest copy was on a die that had failed and that nothing gives back: from then on they hold
        /// nothing, or an older version.
        units_forgotten_on_dead_dies: u64 = "mapping units",
        /// From power-up until the drive took requests; null where the power failed again before, or the run ended.
        ready_ns: Option<u64> = "ns",
        /// Flash pages that it has read to find its map.
        pages_read: u64 = "pages",
        /// Superblocks in which the recovery found at least one programmed page.
        superblocks_found: u64 = "superblocks",
        /// Logical units that it found.
        units_found: u64 = "mapping units",
    }
}

/// What a run says of its cuts; none where none were planned.
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
