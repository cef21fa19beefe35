//! The host's log without time: written before a run by preconditioning and for what a workload finds, then laid on flash.

use super::HostTranslation;
use ftl::{Ftl, ZonedLayer};
use units::Lpn;

impl HostTranslation {
    /// Returns the number of logical blocks of the host, whether they hold data or not.
    pub fn blocks(&self) -> u32 {
        self.log.blocks()
    }

    /// Returns true if a logical block of the host holds data.
    pub fn holds(&self, block: u32) -> bool {
        self.log.place(block).is_some()
    }

    /// Removes, without simulated time, the data of `blocks` logical blocks from `first` on from the host's log.
    pub fn trim_untimed(&mut self, first: u32, blocks: u32) {
        self.log.trim(first, blocks);
    }

    /// Writes a logical block into the host's log by the stream `stream`, without simulated time; before, the host
    /// collects zones while too few are empty.
    ///
    /// # Panics
    /// When no zone can be collected and only the empty zone kept for collection is left, which the log's capacity
    /// excludes.
    pub fn write_untimed(&mut self, block: u32, stream: u16) {
        while self.log.empty_zones() < self.collecting.zones_least() && self.collect_untimed() > Some(0) {}
        while !self.log.put(block, stream.min(self.streams - 1)) {
            assert!(self.collect_untimed().is_some() || self.log.empty_zones() > 1, "{}", self.explain());
        }
        self.counts.blocks_written += 1;
        self.counts.bytes_written += self.unit;
    }

    /// Collects a zone of the host's log without simulated time; returns the number of its blocks that were not needed,
    /// which is the room gained, or `None` if no zone can be collected.
    fn collect_untimed(&mut self) -> Option<u32> {
        let (capacity, stream) = (self.log.capacity(), self.log.stream_of_collection());
        let zone = self.log.choose()?;
        let gained = capacity - self.log.valid(zone);
        for old in zone * capacity..(zone + 1) * capacity {
            let Some(block) = self.log.owner(old) else { continue };
            let reserved = self.log.reserve(stream, 1).expect("an empty zone is kept for collection");
            let place = reserved.zone * capacity + self.log.written(reserved.zone) - 1;
            self.counts.blocks_copied += u64::from(self.log.end_copy(&[(old, block)], place));
        }
        self.log.reset(zone);
        self.counts.zones_collected += 1;
        Some(gained)
    }

    /// Writes to the drive's flash, without simulated time, as much of each zone as the host's log has written there;
    /// the measured window begins anew. The drive fills up program units that are begun; in the log these blocks count
    /// as written and not needed.
    ///
    /// # Panics
    /// When the drive has no superblock for a zone, which its own check of its zones excludes.
    pub fn lay_on(&mut self, ftl: &mut Ftl) {
        let capacity = self.log.capacity();
        for zone in 0..self.log.zone_count() {
            let written = self.log.written(zone);
            if written > 0 {
                let is_there = ftl.try_write_untimed(Lpn(zone * capacity + written - 1));
                assert!(is_there, "a drive holds all blocks of its zones");
            }
        }
        ftl.settle();
        for (zone, state) in (0..).zip(ftl.zones()) {
            self.log.adopt(zone, state.written);
        }
        self.begin_measuring();
    }
}
