//! The power is back on a drive with snapshots: which versions they see.
//!
//! Of each unit a snapshot sees the newest whole copy whose number is not above its own. What it sees was valid until the
//! cut, so that nothing has erased it.

use super::Snapshots;
use crate::core::Core;
use crate::store::Mark;
use crate::store::spare::{NOTHING, SpareAreas};
use crate::{Probe, VersionEvent};
use units::{Lpn, Ppa};

impl Snapshots {
    /// Restores the difference tables (tables of overwritten versions) of the recorded snapshots from the spare areas,
    /// when recovery has found the map after a power cut. Returns the write number that all later writes must exceed.
    pub(super) fn go_on_with(&mut self, core: &mut Core, spare: &SpareAreas, marks: &[Mark]) -> u64 {
        let numbers = self.numbers();
        let map = &core.store.map;
        let units = (0..core.store.layout.logical_units).map(Lpn);
        let mut next: Vec<Ppa> = units.map(|lpn| map.lookup(lpn)).collect();
        for (position, &number) in numbers.iter().enumerate().rev() {
            let seen = newest_until(number, core, spare, marks);
            for (lpn, next) in next.iter_mut().enumerate() {
                let stamp = |place: Ppa| spare.stamps.get(place.index()).copied().unwrap_or(NOTHING);
                // Of two copies of one version, the later snapshot says which.
                if stamp(seen[lpn]) != stamp(*next) {
                    *next = seen[lpn];
                    if self.see(position, Lpn(lpn as u32), seen[lpn]) {
                        core.store.map.validate(seen[lpn]);
                        core.count_live(seen[lpn]);
                    }
                }
            }
        }
        numbers.last().copied().unwrap_or(NOTHING)
    }

    /// Records every snapshot whose map and data are all on flash by now as surviving a power cut, and reports each to
    /// the observer (probe) of the run.
    pub(super) fn record<P: Probe>(&mut self, core: &mut Core, probe: &mut P) {
        let oldest = core.buffer.oldest_epoch();
        while let Some(serial) = self.record_next(oldest) {
            probe.on_version(VersionEvent::Recorded { serial });
        }
    }
}

/// Returns, for each logical unit, the physical address of the newest undamaged copy on flash with a write number of at
/// most `number`, without host writes that a rollback undid; `Ppa::NONE` for a unit without one.
fn newest_until(number: u64, core: &Core, spare: &SpareAreas, marks: &[Mark]) -> Vec<Ppa> {
    let mut newest = vec![Ppa::NONE; core.store.layout.logical_units as usize];
    for ppa in core.programmed_units(marks).into_iter().flatten().map(Ppa) {
        let (holder, stamp) = (spare.holders[ppa.index()], spare.stamps[ppa.index()]);
        let Some(best) = newest.get_mut(holder as usize) else { continue };
        let is_seen = stamp != NOTHING && stamp <= number && !spare.is_undone(stamp);
        if is_seen && (*best == Ppa::NONE || stamp > spare.stamps[best.index()]) {
            *best = ppa;
        }
    }
    newest
}
