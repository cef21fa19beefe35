//! Reads of the host's that ride on others, for either kind of map.

use super::{MergeView, ReadMerge};
use crate::Layout;
use controller::{Class, Controller, Kind, Origin, Transaction, TransactionId};
use units::DieId;

/// Record of some mapping units of a page row, as a bit mask, with the die, superblock and row that they are in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowUnits {
    pub die: u32,
    pub superblock: u32,
    pub row: u32,
    pub mask: u64,
}

impl RowUnits {
    /// Makes the description of the mapping units of one page row that are read together: converts page row `row`,
    /// numbered over the drive, to die, superblock and row within the superblock, and stores `mask`, the bit mask of
    /// the units.
    #[inline]
    pub fn of(layout: &Layout, row: u32, mask: u64) -> Self {
        let superblock = row / layout.rows;
        Self {
            die: superblock / layout.superblocks_per_die,
            superblock: superblock % layout.superblocks_per_die,
            row: row % layout.rows,
            mask,
        }
    }
}

/// Returns the pending read whose array read (sense) a read of these units may use, and the number of pages that have
/// to be sensed additionally for these units; none if there is no such read.
pub(crate) fn find_ride(
    merge: &dyn ReadMerge,
    controller: &Controller,
    layout: &Layout,
    units: RowUnits,
) -> Option<(TransactionId, u32)> {
    let ride = controller.find_open_read(DieId(units.die), units.superblock, units.row)?;
    let more = layout.units_of_pages(units.mask) & !ride.sensed;
    // What could not be corrected is found again for each read apart.
    if (ride.begun && more != 0) || controller.transaction(ride.id).reading.uncorrectable {
        return None;
    }
    let view = MergeView { begun: ride.begun, riders: ride.riders };
    merge.joins(&view).then(|| (ride.id, layout.pages_touched(more)))
}

/// Makes the transaction of a read of some units that uses the array read (sense) of transaction `on`, for which
/// `pages` pages are sensed additionally.
pub(crate) fn rider(
    controller: &Controller,
    on: TransactionId,
    mask: u64,
    pages: u32,
    owner: u32,
) -> Transaction {
    let of = controller.transaction(on);
    let mut rider =
        Transaction::new(Kind::Read, Origin::Host, Class::HostRead, of.die, of.superblock, of.row);
    (rider.mask, rider.pages, rider.owner, rider.slc) = (mask, pages, owner, of.slc);
    rider
}
