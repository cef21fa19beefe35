//! What a page's code cannot correct: found again from what other dies hold, or marked as lost.

use crate::Probe;
use crate::core::Remedy;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::{Context, Origin, TimedTransaction, Transaction};

impl PageMapped {
    /// Handles the end of a flash read that was uncorrectable, or that serves to restore the data of an uncorrectable
    /// read.
    #[cold]
    pub(crate) fn on_uncorrectable<P: Probe>(
        &mut self,
        transaction: &TimedTransaction,
        ctx: &mut Context<P>,
    ) {
        if transaction.origin.is_remedy() {
            if transaction.reading.uncorrectable {
                self.unpin(transaction, ctx);
            }
            if let Some((read, failed)) = self.media.features.reread(transaction) {
                self.end_remedy(read, failed, ctx);
            }
            return;
        }
        if transaction.origin == Origin::Scrub && transaction.owner != NONE {
            // A patrol only looks: the superblock is written anew, and what that cannot read is found again then.
            self.on_read(transaction, ctx);
            return self.unpin(transaction, ctx);
        }
        match self.media.features.unreadable(&mut self.media.core, transaction) {
            None => self.end_remedy(*transaction, true, ctx),
            Some(Remedy::InRam) => self.end_remedy(*transaction, false, ctx),
            Some(Remedy::Reads) => self.media.do_asked(ctx),
        }
    }

    /// Ends the restoration of the data of an uncorrectable read by parity: the data are restored, or marked as lost if
    /// `failed`.
    fn end_remedy<P: Probe>(&mut self, mut read: TimedTransaction, failed: bool, ctx: &mut Context<P>) {
        let other = usize::from(read.origin != Origin::Host);
        if failed {
            self.media.core.store.stats.reads_lost[other] += 1;
            self.media.core.mark_lost(&read);
        } else {
            self.media.core.store.stats.reads_rebuilt[other] += 1;
            read.transaction.reading.uncorrectable = false;
        }
        self.on_read(&read, ctx);
        self.unpin(&read, ctx);
    }

    /// Permits the erase of the other superblocks in the parity group of the read's superblock, because their data are
    /// no longer needed to restore the data of the uncorrectable read.
    fn unpin<P: Probe>(&mut self, read: &Transaction, ctx: &mut Context<P>) {
        let superblock = self.media.core.store.space.global(read.die.index(), read.superblock) as u32;
        self.media.features.unpinned(&mut self.media.core, superblock, ctx);
    }
}
