//! What snapshots do at the hooks of the layer.

use super::moments::Moment;
use super::{NONE, Snapshots};
use crate::core::{Act, Core, Overtaken, Seen, Version};
use crate::features::Feature;
use crate::snapshot_expiry::ExpiryReason;
use crate::store::Mark;
use crate::store::spare::SpareAreas;
use crate::{Probe, VersionEvent};
use units::{Lpn, Ppa, SimTime};

impl Feature for Snapshots {
    /// Returns the number of bytes of simulator memory that the snapshots take; the difference tables (tables of
    /// overwritten versions), whose tree nodes are seldom full, and the bit for each physical unit count twice.
    fn bytes(&self) -> usize {
        2 * self.ram_bytes() as usize + 4 * self.captured.len()
    }

    /// Returns the number of free write buffer slots that only checkpoints of the map may take.
    fn slots_kept(&self) -> u32 {
        self.checkpoint.slots_free()
    }

    fn takes_data(&self) -> bool {
        !self.is_rolling_back()
    }

    fn refused(&mut self, _: Lpn) {
        self.counts.units_refused += 1;
    }

    fn wrote_own(&mut self, core: &Core, lpn: Lpn, slot: u32) -> bool {
        self.note_map_unit(core, lpn, slot);
        false
    }

    fn overtakes(&mut self, core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken {
        self.note_overtaken(core, lpn, now)
    }

    fn trim_refused(&mut self) {
        self.counts.trims_ignored += 1;
    }

    fn may_not_lose(&self, core: &Core, lpn: Lpn) -> bool {
        self.must_refuse(core, lpn)
    }

    fn holds_slot(&self, slot: u32) -> bool {
        self.captured[slot as usize] != NONE
    }

    fn programmed_held<P: Probe>(&mut self, core: &mut Core, held: (Lpn, u32, Ppa), probe: &mut P) {
        self.commit_captured(core, held, probe);
    }

    fn names(&self, ppa: Ppa) -> bool {
        self.has_named(ppa)
    }

    fn moved<P: Probe>(&mut self, core: &mut Core, moved: (Lpn, Ppa, Ppa), version: Version, probe: &mut P) {
        self.note_moved(core, moved, version, probe);
    }

    fn buffered<P: Probe>(&mut self, core: &Core, lpn: Lpn, probe: &mut P) {
        if let Some(slot) = core.buffer.find(lpn) {
            probe.on_version(VersionEvent::Buffered { lpn, slot });
        }
    }

    fn is_busy(&self) -> bool {
        self.is_under_way()
    }

    fn programmed(&mut self, core: &mut Core, now: SimTime) {
        self.go_on_with_checkpoint(core, now);
    }

    fn survives<P: Probe>(&mut self, core: &mut Core, probe: &mut P) {
        self.record(core, probe);
    }

    fn finish(&mut self, core: &mut Core) {
        self.go_on_rolling_back(core);
    }

    fn put_back(&mut self, core: &mut Core, since: SimTime, now: SimTime) {
        self.end_rolling_back(since, core, now);
    }

    fn map_flushed(&mut self, core: &mut Core, pages: &[(u32, u32)], now: SimTime) {
        self.checkpoint.await_units(pages);
        self.begin_checkpoint(core, now);
    }

    fn next_moment(&self) -> Option<SimTime> {
        self.moments.first().map(|(time, _)| time)
    }

    fn moment<P: Probe>(&mut self, core: &mut Core, now: SimTime, probe: &mut P) -> bool {
        let Some((time, due)) = self.moments.first().filter(|(time, _)| *time <= now) else { return false };
        self.moments.pass(time, due);
        match due {
            Moment::Snapshot => _ = self.take(core, now, probe),
            Moment::Rollback => self.roll_back(core, now),
        }
        true
    }

    fn ended(&mut self) {
        self.moments.end();
    }

    fn act<P: Probe>(&mut self, core: &mut Core, act: Act, now: SimTime, probe: &mut P) -> Option<u32> {
        match act {
            Act::Keep => Some(self.take(core, now, probe)),
            Act::Drop(serial) => self.delete(serial, core).then_some(serial),
            Act::Return => {
                self.roll_back(core, now);
                None
            }
        }
    }

    fn seen_in(&self, core: &Core, serial: u32, lpn: Lpn) -> Option<Seen> {
        self.look_up(core, serial, lpn)
    }

    /// Sets the greatest number of mapping units that snapshots may retain: their share of the `spare` spare units
    /// (capacity that nothing else needs).
    fn set_room(&mut self, spare: u64) {
        self.room = (spare as f64 * self.rules.space_ratio) as u64;
    }

    fn gives_way(&mut self, core: &mut Core, now: SimTime) -> bool {
        let must = self.units > self.room;
        if must {
            self.counts.dropped_full += 1;
            self.expire(ExpiryReason::Room, core, now);
        }
        must
    }

    fn lacks_room(&self, spare: u64, advice: &str) -> Option<String> {
        (self.room == 0).then(|| {
            format!(
                "this drive cannot sustain writes with snapshots: {spare} mapping units are spare, of which they may \
                 take none; {advice}, or raise ftl.snapshots.space_ratio"
            )
        })
    }

    fn spare_least(&self) -> u64 {
        self.rules.spare_least()
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn shares_room(&self) -> bool {
        true
    }

    fn watches_writes(&self) -> bool {
        true
    }

    fn keeps_versions(&self) -> bool {
        !self.kept.is_empty()
    }

    fn number_beginning(&mut self, before: u64) -> Option<u64> {
        Some(self.number_first(before))
    }

    fn number_of(&self, lpn: Lpn, place: Ppa, before: u64) -> Option<u64> {
        Some(self.number_at(lpn, place, before))
    }

    fn cut(&mut self, _: &mut Core) {
        self.forget_unrecorded();
    }

    fn find_versions(&mut self, core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64 {
        self.go_on_with(core, spare, marks)
    }

    fn go_on_at(&mut self, now: SimTime) {
        self.moments.skip_to(now);
    }
}
