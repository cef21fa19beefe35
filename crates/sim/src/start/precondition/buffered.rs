//! What a write buffer that is a cache keeps, without time: the drive's own buffer and eviction policy, which copies of the
//! workload write to and read from.
//!
//! A unit that is used again and again stays, and hardly ever comes to the flash: what does come there is used less, and
//! costs collections more. Not modelled: `keep_rewritten`, flushes.

use ftl::FtlStats;
use ftl::buffer::{Buffer, SlotState};
use units::Lpn;

/// State of a model, for untimed writing, of a write buffer that works as a cache: the drive's own buffer, whose
/// eviction policy chooses the units that leave for the flash.
pub(super) struct Buffered {
    buffer: Buffer,
    /// Greatest number of units in the write buffer that may be dirty (not on flash yet).
    lacking: u32,
    stats: FtlStats,
}

impl Buffered {
    /// Makes the model from the empty write buffer `buffer`, with at most `lacking` dirty units (units that are not on
    /// flash).
    pub fn new(buffer: Buffer, lacking: u32) -> Self {
        Self { buffer, lacking, stats: FtlStats::default() }
    }

    /// Writes a unit to this model of the write buffer, for preconditioning. The caller then calls [`Self::leave`]
    /// until that function returns `None`, for the units that must leave for the flash.
    pub fn write(&mut self, lpn: Lpn) {
        let Self { buffer, stats, .. } = self;
        if !buffer.find(lpn).is_some_and(|slot| buffer.take_over(slot, u32::MAX, stats)) {
            let slot = buffer.insert(lpn, u32::MAX, SlotState::Queued);
            buffer.enqueue(slot);
        }
        buffer.relieve(stats);
    }

    /// Returns the next unit that leaves the buffer for the flash; `None` when no further unit has to leave.
    pub fn leave(&mut self) -> Option<Lpn> {
        while self.buffer.dirty_slots() > self.lacking || self.buffer.free_slots() == 0 {
            self.buffer.first_queued()?;
            let slot = self.buffer.bind_first();
            let (lpn, state) = (self.buffer.slot(slot).lpn, self.buffer.slot(slot).state);
            if state == SlotState::Cancelled {
                self.buffer.release(slot);
                continue;
            }
            if self.buffer.keeps_clean(lpn) {
                self.buffer.keep_clean(slot);
                self.buffer.relieve(&mut self.stats);
            } else {
                self.buffer.release_newest(slot);
            }
            return Some(lpn);
        }
        None
    }

    /// Reads a unit through this model of the write buffer, for preconditioning: the read affects the buffer's eviction
    /// order and, with a read cache, puts the unit into the buffer.
    pub fn read(&mut self, lpn: Lpn) {
        match self.buffer.find(lpn) {
            Some(slot) => self.buffer.note_read(slot),
            // The next write must find room.
            None if self.buffer.keeps_clean(lpn) && self.buffer.free_slots() > 1 => {
                self.buffer.insert_clean(lpn);
                self.buffer.relieve(&mut self.stats);
            }
            None => {}
        }
    }

    /// Removes a trimmed unit from the model of the write buffer.
    pub fn trim(&mut self, lpn: Lpn) {
        self.buffer.cancel(lpn);
    }

    /// Returns the list of the dirty units (not on flash) in this model of the write buffer, in the order in which they
    /// will leave for the flash.
    pub fn units(mut self) -> Vec<Lpn> {
        self.buffer.keep_at_most(0);
        self.buffer.relieve(&mut self.stats);
        let slots = self.buffer.queued().map(|slot| self.buffer.slot(slot));
        slots.filter(|slot| slot.state != SlotState::Cancelled).map(|slot| slot.lpn).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Drive};
    use std::path::Path;

    /// Makes, for a test, the model of a write buffer of 32 KiB with LRU eviction, for a small drive with the further
    /// settings `settings`.
    fn buffered(settings: &[&str]) -> Buffered {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let small =
            ["nand.planes=1", "ftl.op_ratio=0.3", "ftl.buffer.size=32KiB", "ftl.buffer.eviction.name=lru"];
        let settings: Vec<String> = small.iter().chain(settings).map(ToString::to_string).collect();
        let drive = Drive::load(&Catalogue::new([root]), "slc", &settings).expect("a drive");
        let ftl = drive.build(1).expect("it has room");
        Buffered::new(drive.buffer(ftl.layout(), 1).expect("a buffer"), ftl.buffer().units())
    }

    fn written(buffered: &mut Buffered, units: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut left = Vec::new();
        for lpn in units {
            buffered.write(Lpn(lpn));
            left.extend(std::iter::from_fn(|| buffered.leave()).map(|lpn| lpn.0));
        }
        left
    }

    #[test]
    fn what_is_used_again_stays() {
        let mut cache = buffered(&[]);
        // Every other write is of one unit, which never leaves: the others do, in their order.
        let left = written(&mut cache, (1..20).flat_map(|lpn| [lpn, 0]));
        assert_eq!(left, (1..=13).collect::<Vec<_>>());
        // What is read stays, too.
        cache.read(Lpn(15));
        assert_eq!(written(&mut cache, [30, 31, 32]), [14, 16, 17]);
        cache.trim(Lpn(0));
        assert_eq!(cache.units(), [18, 19, 15, 30, 31, 32].map(Lpn));
    }

    #[test]
    fn what_was_only_read_takes_its_share_of_the_room() {
        let mut cache = buffered(&["ftl.buffer.read_cache=true"]);
        (0..100).for_each(|lpn| cache.read(Lpn(lpn)));
        assert!(written(&mut cache, [200, 201, 200]).is_empty());
        (0..100).for_each(|lpn| cache.read(Lpn(lpn)));
        assert_eq!(cache.units(), [201, 200].map(Lpn));
    }
}
