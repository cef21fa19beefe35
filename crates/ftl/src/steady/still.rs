//! A drive that stands still in the middle of its work: what is in flight ends, nothing new begins, and superblocks that are
//! being emptied stay half empty, so that writes without time go on where time left off.

use crate::Probe;
use crate::buffer::SlotState;
use crate::pages::PageMapped;
use crate::relocate::Customer;
use crate::store::NONE;
use controller::Context;
use units::Lpn;

/// Type of a wrapper around a page-mapped flash translation layer, for a standstill (no unit leaves the write buffer,
/// no garbage is collected) between simulated time and writes without simulated time.
pub struct Still<'a>(pub &'a mut PageMapped);

impl Still<'_> {
    /// Begins the standstill: from now on no unit leaves the write buffer, and garbage collection takes no superblock
    /// and reads no page row; requests of the host are still answered.
    pub fn hold(&mut self) {
        self.0.media.core.assembly.is_still = true;
        for die in 0..self.0.media.core.store.layout.dies as usize {
            self.0.media.core.collections[die].background = false;
            self.0.media.update_eligible(die);
        }
    }

    /// Pads all program units that hold any unit, so that they are programmed; returns true while flash operations are
    /// in flight.
    pub fn pad_begun<P: Probe>(&mut self, ctx: &mut Context<P>) -> bool {
        let streams = self.0.media.core.store.space.one_bit_stream;
        let mut padded = false;
        self.0.media.pad_current(ctx);
        for die in 0..self.0.media.core.store.layout.dies as usize {
            for stream in 0..streams {
                padded |= self.0.media.core.store.space.dies[die].frontiers[stream].filled > 0;
                self.0.media.pad(die, stream, ctx);
            }
        }
        padded || self.0.media.core.store.controller.in_flight() > 0
    }

    /// Takes all units that wait in the write buffer out of it, at a standstill with nothing in flight, and returns the
    /// newest of each logical unit, in order. Superblocks that were read but still hold valid units become closed
    /// again, and data that were read ahead are dropped.
    pub fn take_buffered(&mut self) -> Vec<Lpn> {
        let core = &mut self.0.media.core;
        self.0.host.reads.forget_all(&mut core.store.stats);
        for die in 0..core.store.layout.dies as usize {
            let mover = &mut core.collections[die].mover;
            // Units that found no place are still where they were.
            if !mover.waiting.is_empty() {
                mover.waiting.clear();
                mover.next_row = 0;
            }
            if core.collections[die].mover.has_victim() {
                // Rows that nothing valid is left in count as read.
                core.next_row(die, Customer::Collection);
            }
            let mover = &mut core.collections[die].mover;
            let unfinished: Vec<u32> = mover.pending.drain(..).map(|(superblock, _)| superblock).collect();
            unfinished.into_iter().for_each(|superblock| core.store.space.close(die, superblock));
        }
        let buffer = &mut core.buffer;
        let mut units = Vec::new();
        while let Some(slot) = buffer.take_queued() {
            let lpn = buffer.slot(slot).lpn;
            if buffer.slot(slot).state == SlotState::Queued && buffer.is_newest(slot) {
                units.push(lpn);
                buffer.release_newest(slot);
            } else {
                buffer.release(slot);
            }
        }
        units
    }

    /// Ends the standstill, and puts `units` into the write buffer; returns the units at the beginning of the list for
    /// which the buffer has no space (empty if it takes all).
    pub fn move_again(&mut self, units: Vec<Lpn>) -> Vec<Lpn> {
        self.0.media.core.assembly.is_still = false;
        let buffer = &mut self.0.media.core.buffer;
        let beyond = units.len().saturating_sub(buffer.free_slots() as usize);
        for &lpn in &units[beyond..] {
            let slot = buffer.insert(lpn, NONE, SlotState::Queued);
            buffer.enqueue(slot);
        }
        units[..beyond].to_vec()
    }

    /// Returns the number of units that wait in the write buffer to be assigned to a die.
    pub fn units_waiting(&self) -> usize {
        self.0.media.core.buffer.queued().count()
    }
}
