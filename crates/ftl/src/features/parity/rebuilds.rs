//! Reads whose data are found again from the rest of their stripe.

use super::Stripes;
use crate::core::{Ask, Core, Remedy};
use controller::{Origin, TimedTransaction};

/// Record of an uncorrectable read whose data are being restored from the other members of its parity group.
#[derive(Clone, Debug)]
struct Rebuild {
    read: TimedTransaction,
    /// Number of reads of other members (superblocks) of the parity group, made to restore the data of the
    /// uncorrectable read, that have not ended yet.
    left: u32,
    failed: bool,
}

/// Type of the table of the uncorrectable reads whose data are being restored from parity; the reads of the other
/// members of the parity group name an entry by its index.
#[derive(Clone, Debug, Default)]
pub(super) struct Rebuilds {
    items: Vec<Rebuild>,
    free: Vec<u32>,
}

impl Rebuilds {
    fn begin(&mut self, rebuild: Rebuild) -> u32 {
        if let Some(at) = self.free.pop() {
            self.items[at as usize] = rebuild;
            return at;
        }
        self.items.push(rebuild);
        self.items.len() as u32 - 1
    }
}

impl Stripes {
    /// Begins to restore the data of an uncorrectable read from parity, and requests the reads of the other members of
    /// the parity group. Returns the kind of recovery, from RAM alone or by reads; `None` if the data cannot be
    /// restored.
    pub(super) fn rebuild(&mut self, core: &mut Core, read: &TimedTransaction) -> Option<Remedy> {
        let global = core.store.space.global(read.die.index(), read.superblock) as u32;
        let rows = self.rows_that_sum_up(core, global, read.row)?;
        if rows.is_empty() {
            return Some(Remedy::InRam);
        }
        let at = self.rebuilds.begin(Rebuild { read: *read, left: rows.len() as u32, failed: false });
        for row in rows {
            core.ask(Ask::Reread {
                origin: Origin::Rebuild,
                row,
                mask: read.mask,
                class: read.class,
                owner: at,
            });
        }
        Some(Remedy::Reads)
    }

    /// Notes that a read that helps to restore data has ended; after the last one, returns the original read, and true
    /// if its data could not be restored.
    pub(super) fn note_reread(&mut self, read: &TimedTransaction) -> Option<(TimedTransaction, bool)> {
        let at = read.owner;
        let rebuild = &mut self.rebuilds.items[at as usize];
        rebuild.left -= 1;
        rebuild.failed |= read.reading.uncorrectable;
        if rebuild.left > 0 {
            return None;
        }
        // The read took from its own beginning to the end of this one, the last: what went before counts as waiting
        // for other work of the drive.
        let before = read.queued.since(rebuild.read.queued).ns();
        rebuild.read.times = read.times;
        rebuild.read.times.waits[Origin::Rebuild.wait_column()] += before;
        let over = (rebuild.read, rebuild.failed);
        self.rebuilds.free.push(at);
        Some(over)
    }
}
