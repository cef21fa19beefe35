//! Power cuts on a map of blocks: what the spare areas say of blocks, and what is left when the power fails.
//!
//! A merge erases nothing before it is over, and a full merge takes nothing from the buffer: at each point its old
//! blocks hold all that it copied.

use super::BlockMapped;
use crate::Probe;
use crate::host_side::Serves;
use crate::mapping::bank::{Block, Purpose, Role};
use crate::store::SuperblockState;
use crate::store::labels::{Label, Labels};
use crate::store::spare::BEFORE;
use controller::Context;
use units::Ppa;

impl BlockMapped {
    fn labels(&mut self) -> &mut Labels {
        let spare = self.media.core.store.spare.as_mut();
        spare.and_then(|numbers| numbers.labels.as_mut()).expect("a drive whose power is cut labels blocks")
    }

    /// Returns true when each program must write a label (facts about its block, for recovery) to the spare area: the
    /// power may be cut and simulated time runs.
    #[inline]
    pub(super) fn is_labelled(&self) -> bool {
        self.media.core.store.spare.is_some() && self.instant.is_none()
    }

    /// Returns the next serial number of the drive's count, by which the labels in spare areas name a block that is
    /// about to be opened, and advances the count; 0 where spare areas carry no labels of blocks.
    pub(super) fn next_serial(&mut self) -> u64 {
        if self.is_labelled() { self.labels().count() } else { 0 }
    }

    /// Stores the label of a program that is about to be submitted: facts about the program's block (serial number,
    /// group, merge) that the program writes to the spare area and from which recovery rebuilds the map.
    #[cold]
    pub(super) fn label(&mut self, bank: usize, block: u32, position: u32) {
        let state = &self.banks[bank];
        let Block { owner, in_place, serial, .. } = state.blocks[block as usize];
        let merge = state.merging.job.as_ref().filter(|job| job.target == block);
        let end = merge.filter(|job| job.purpose != Purpose::Fill).map_or(0, |job| job.end);
        let (in_place, first) = (in_place || merge.is_some(), self.ppa_at(bank, block, position));
        let age = self.labels().count();
        self.labels().put(first, Label { age, serial, owner, end, in_place });
    }

    /// Writes labels (facts about the block, for recovery) for the program units that preconditioning has filled, when
    /// simulated time begins, as if their spare areas had been written during preconditioning.
    fn label_beginning(&mut self) {
        if !self.labels().is_fresh() {
            return;
        }
        for bank in 0..self.banks.len() {
            let of = |block: &u32| self.banks[bank].blocks[*block as usize];
            let mut blocks: Vec<u32> = (0..self.banks[bank].blocks.len() as u32).collect();
            blocks.retain(|block| of(block).role != Role::Unused);
            // What lies in its place is older than what was written instead of it.
            blocks.sort_by_key(|block| (of(block).role != Role::Data, !of(block).in_place, of(block).used));
            for block in blocks {
                self.label_block(bank, block);
            }
        }
    }

    fn label_block(&mut self, bank: usize, block: u32) {
        let Block { role, owner, next, failing, .. } = self.banks[bank].blocks[block as usize];
        // Where a program failed it holds nothing, and takes the place of nothing.
        let in_place = self.banks[bank].blocks[block as usize].in_place && !failing;
        let serial = self.labels().count();
        self.banks[bank].blocks[block as usize].serial = serial;
        let end = if role == Role::Data { next } else { 0 };
        for position in 0..next {
            let first = self.ppa_at(bank, block, position);
            let age = self.labels().count();
            self.labels().put(first, Label { age, serial, owner, end, in_place });
            for ppa in (first.0..first.0 + u64::from(self.layout().program_units)).map(Ppa) {
                if self.media.core.store.map.is_valid(ppa)
                    && let Some(numbers) = &mut self.media.core.store.spare
                {
                    numbers.begin_with(ppa.index(), BEFORE);
                }
            }
        }
    }

    /// Begins simulated time, or resumes it after a power cut, on a drive whose power may be cut: labels preconditioned
    /// data, erases superblocks that belong to no block, and starts the work of all banks (sets of dies).
    #[cold]
    pub(super) fn begin_labelled<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.label_beginning();
        for superblock in 0..self.block_of.len() as u32 {
            let is_closed = self.media.core.store.space.state[superblock as usize] == SuperblockState::Closed;
            if is_closed && self.is_left_over(superblock) {
                self.erase_superblock(superblock, ctx);
            }
        }
        (0..self.banks.len()).for_each(|bank| self.touch_bank(bank));
        self.pump(ctx);
    }
}
