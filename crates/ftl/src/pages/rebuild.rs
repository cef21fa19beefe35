//! What a page's code cannot correct: found again from the rest of its stripe, or marked as lost.

use crate::Probe;
use crate::guards::Rebuild;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::{Context, Origin, Transaction};

impl PageMapped {
    /// A read failed, or is one of those that make another good.
    #[cold]
    pub(crate) fn on_uncorrectable<P: Probe>(&mut self, transaction: &Transaction, ctx: &mut Context<P>) {
        if transaction.origin == Origin::Rebuild {
            self.unpin(transaction, transaction.reading.uncorrectable, ctx);
            return self.on_rebuild_read(transaction, ctx);
        }
        if transaction.origin == Origin::Scrub && transaction.owner != NONE {
            // A patrol only looks: the superblock is written anew, and what that cannot read is found again then.
            self.on_read(transaction, ctx);
            return self.unpin(transaction, true, ctx);
        }
        let global = self.media.core.store.space.global(transaction.die.index(), transaction.superblock);
        let rows = self.media.rows_beside(global as u32, transaction.row);
        let at = self.media.guards.rebuilds.begin(Rebuild {
            read: *transaction,
            left: rows.as_ref().map_or(0, |rows| rows.len() as u32),
            failed: rows.is_none(),
        });
        let rows = rows.unwrap_or_default();
        if rows.is_empty() {
            return self.end_rebuild(at, ctx);
        }
        for row in rows {
            self.media.submit_read(row, transaction.mask, Origin::Rebuild, transaction.class, at, ctx);
        }
    }

    fn on_rebuild_read<P: Probe>(&mut self, transaction: &Transaction, ctx: &mut Context<P>) {
        let at = transaction.owner;
        let rebuild = &mut self.media.guards.rebuilds.items[at as usize];
        rebuild.left -= 1;
        rebuild.failed |= transaction.reading.uncorrectable;
        if rebuild.left > 0 {
            return;
        }
        // The read took from its own beginning to the end of this one, the last: what went before counts as waiting
        // for other work of the drive.
        let before = transaction.queued.since(rebuild.read.queued).ns();
        let read = &mut rebuild.read;
        (read.started, read.finished, read.waits) =
            (transaction.started, transaction.finished, transaction.waits);
        read.waits[Origin::Rebuild.wait_column()] += before;
        (read.channel_ns, read.transfer_ns, read.array_ns) =
            (transaction.channel_ns, transaction.transfer_ns, transaction.array_ns);
        self.end_rebuild(at, ctx);
    }

    /// All that could be read was read: the data is found again, or lost.
    fn end_rebuild<P: Probe>(&mut self, at: u32, ctx: &mut Context<P>) {
        let Rebuild { mut read, failed, .. } = self.media.guards.rebuilds.items[at as usize].clone();
        self.media.guards.rebuilds.free.push(at);
        let other = usize::from(read.origin != Origin::Host);
        if failed {
            self.media.core.store.stats.reads_lost[other] += 1;
            self.media.core.mark_lost(&read);
        } else {
            self.media.core.store.stats.reads_rebuilt[other] += 1;
            read.reading.uncorrectable = false;
        }
        self.on_read(&read, ctx);
        self.unpin(&read, true, ctx);
    }

    /// A read that failed needs the others of its group no more.
    fn unpin<P: Probe>(&mut self, transaction: &Transaction, pinned: bool, ctx: &mut Context<P>) {
        let Some(stripes) = &mut self.media.guards.parity else { return };
        if !pinned {
            return;
        }
        let superblock =
            self.media.core.store.space.global(transaction.die.index(), transaction.superblock) as u32;
        let group = stripes.group_of(superblock);
        stripes.groups[group as usize].pins -= 1;
        self.media.erase_group(group, ctx);
    }
}
