//! What became of a unit's place: it turned invalid, the map changed, a superblock was closed.

use crate::Probe;
use crate::buffer::{Coverage, SlotState};
use crate::guards::power::NOTHING;
use crate::media::Media;
use crate::store::SuperblockState;
use controller::Origin;
use units::{Lpn, Ppa};

impl Media {
    /// The host's newest version made `ppa` invalid.
    #[inline]
    pub fn invalidate_host(&mut self, ppa: Ppa) {
        let superblock = self.invalidate(ppa);
        if self.store.space.state[superblock as usize] == SuperblockState::Victim {
            self.store.space.overtaken[superblock as usize] = true;
        }
        self.lower_live((superblock / self.store.space.per_die) as usize);
    }

    #[inline]
    pub fn lower_live(&mut self, die: usize) {
        self.store.space.dies[die].live -= 1;
        if self.assembly.quota_blocked[die / 64] >> (die % 64) & 1 == 1 {
            self.update_eligible(die);
        }
    }

    /// Makes `ppa` invalid; gives its superblock.
    #[inline]
    pub fn invalidate(&mut self, ppa: Ppa) -> u32 {
        self.store.map.invalidate(ppa);
        let superblock = self.store.layout.superblock_of(ppa);
        self.store.space.lose_unit(superblock);
        if self.store.space.valid[superblock as usize] == 0
            && self.store.space.state[superblock as usize] == SuperblockState::Victim
        {
            self.store.emptied.push(superblock);
        }
        superblock
    }

    /// The data of a write have a slot of their own from now on.
    #[inline]
    pub fn take_in(&mut self, lpn: Lpn, request: u32, coverage: Coverage) -> u32 {
        let slot = self.buffer.insert(lpn, request, SlotState::Merging);
        self.buffer.note_carried(slot, coverage, self.store.layout.unit.get());
        self.stamp(slot);
        slot
    }

    /// The unit in a slot was programmed for the host, with what no request of its carried.
    #[inline]
    pub fn note_host_program(&mut self, slot: u32) {
        let unit = self.store.layout.unit.get();
        self.store.stats.bytes_filled_up += unit - self.buffer.carried_bytes(slot, unit);
    }

    /// True for a version that was programmed though a newer one is in the buffer: somebody may have been told that it is
    /// durable, and the newer one is gone if the power fails now.
    #[inline]
    pub fn must_outlast_cut(&self, lpn: Lpn, slot: u32) -> bool {
        self.guards.power.is_some()
            && self.buffer.find(lpn).is_some()
            && self.stamp_of_slot(slot) > self.stamp_at_home(lpn)
    }

    /// The same of a version at `ppa` that snapshots saw until now.
    pub fn outlasts_cut(&self, lpn: Lpn, ppa: Ppa) -> bool {
        let Some(power) = &self.guards.power else { return false };
        self.find_unwritten(lpn).is_some() && power.stamps[ppa.index()] > self.stamp_at_home(lpn)
    }

    /// The number of what a slot holds; none of what was trimmed since, but for snapshots.
    pub fn stamp_of_slot(&self, slot: u32) -> u64 {
        let Some(power) = &self.guards.power else { return NOTHING };
        let stamp = power.of_slot(slot);
        let is_void = power.is_trimmed(self.buffer.slot(slot).lpn, stamp) && !self.is_captured(slot);
        if is_void { NOTHING } else { stamp }
    }

    fn stamp_at_home(&self, lpn: Lpn) -> u64 {
        let (power, home) = (self.guards.power.as_ref(), self.store.map.lookup(lpn));
        power.filter(|_| home != Ppa::NONE).map_or(NOTHING, |power| power.stamps[home.index()])
    }

    /// Makes the place of such a version the home of its unit, until the newer one is on flash.
    #[cold]
    pub fn commit_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        self.store.space.valid[self.store.layout.superblock_of(ppa) as usize] += 1;
        self.keep_overtaken(lpn, ppa, probe);
    }

    /// The same of a place that is valid already.
    pub fn keep_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        let old = self.store.map.lookup(lpn);
        self.note_change(lpn);
        self.store.map.set(lpn, ppa);
        probe.on_overtaken(lpn, ppa, old);
        if old != Ppa::NONE {
            self.leave(old);
        }
    }

    /// The place of `lpn` changed, or it has none any more.
    #[inline]
    pub fn note_change(&mut self, lpn: Lpn) {
        if let Some(demand) = &mut self.guards.demand
            && !demand.is_translation(lpn)
        {
            demand.change(lpn);
        }
    }

    /// A superblock that takes no more data has all that it was given: what it is from now on.
    #[inline(always)]
    pub fn settle_superblock(&mut self, die: usize, superblock: u32) {
        let global = self.store.space.global(die, superblock);
        if self.holds_one_bit(global) {
            self.close_slc(die, superblock);
        } else if self.store.space.failing[global] {
            self.collections[die].force(superblock, Origin::Rescue);
        } else {
            self.store.space.close(die, superblock);
        }
    }

    /// A superblock was closed.
    pub fn note_closed(&mut self, superblock: usize) {
        if let Some(demand) = &mut self.guards.demand {
            demand.note_closed(superblock);
        }
    }

    /// The origin of a unit that leaves the buffer.
    #[inline]
    pub fn buffered_origin(&self, lpn: Lpn) -> Origin {
        if self.store.layout.is_host_unit(lpn) { Origin::Host } else { Origin::Map }
    }
}
