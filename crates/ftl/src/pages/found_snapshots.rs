//! The power is back on a drive with snapshots: which versions they see.
//!
//! Of each unit a snapshot sees the newest whole copy whose number is not above its own. What it sees was valid until the
//! cut, so that nothing has erased it.

use crate::Probe;
use crate::guards::power::{NOTHING, SpareAreas};
use crate::guards::snapshots::Records;
use crate::medium::Mark;
use crate::pages::PageMapped;
use controller::Context;
use units::{Lpn, Ppa};

impl PageMapped {
    /// Makes the tables of the snapshots that were recorded, when the map is there. Gives the number that later writes must
    /// be above.
    pub(super) fn go_on_with_snapshots(
        &mut self,
        spare: &SpareAreas,
        marks: &[Mark],
        records: Option<Records>,
    ) -> u64 {
        let Some(records) = records else { return NOTHING };
        let numbers = records.numbers();
        if let Some(snapshots) = &mut self.media.guards.snapshots {
            snapshots.go_on(records);
        }
        let map = &self.media.store.map;
        let units = (0..self.media.store.layout.logical_units).map(Lpn);
        let mut next: Vec<Ppa> = units.map(|lpn| map.lookup(lpn)).collect();
        for (position, &number) in numbers.iter().enumerate().rev() {
            let seen = self.newest_until(number, spare, marks);
            for (lpn, next) in next.iter_mut().enumerate() {
                let stamp = |place: Ppa| spare.stamps.get(place.index()).copied().unwrap_or(NOTHING);
                // Of two copies of one version, the later snapshot says which.
                if stamp(seen[lpn]) != stamp(*next) {
                    *next = seen[lpn];
                    self.see(position, Lpn(lpn as u32), seen[lpn]);
                }
            }
        }
        numbers.last().copied().unwrap_or(NOTHING)
    }

    /// The newest whole copy of each of the host's units with a number up to this one.
    fn newest_until(&self, number: u64, spare: &SpareAreas, marks: &[Mark]) -> Vec<Ppa> {
        let mut newest = vec![Ppa::NONE; self.media.store.layout.logical_units as usize];
        for ppa in self.programmed_units(marks).into_iter().flatten().map(Ppa) {
            let (holder, stamp) = (spare.holders[ppa.index()], spare.stamps[ppa.index()]);
            let Some(best) = newest.get_mut(holder as usize) else { continue };
            let is_seen = stamp != NOTHING && stamp <= number && !spare.is_undone(stamp);
            if is_seen && (*best == Ppa::NONE || stamp > spare.stamps[best.index()]) {
                *best = ppa;
            }
        }
        newest
    }

    /// The snapshot at `position` is the last to see a unit there.
    fn see(&mut self, position: usize, lpn: Lpn, place: Ppa) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        if snapshots.see(position, lpn, place) {
            self.media.store.map.validate(place);
            self.count_live(place);
        }
    }

    /// Time goes on: what fell into the dark is over, and what came back with a trimmed unit may be more than there is room
    /// for.
    pub(super) fn begin_found_snapshots<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if let Some(agenda) = &mut self.media.agenda {
            agenda.moments.skip_to(ctx.calendar.now());
        }
        if self.media.guards.snapshots.is_some() {
            self.media.fit_snapshots(ctx);
        }
    }

    /// Snapshots whose map and data are on flash are entered in the list of those that survive.
    pub(super) fn record_snapshots<P: Probe>(&mut self, probe: &mut P) {
        let oldest = self.media.buffer.oldest_epoch();
        while let Some(snapshots) = &mut self.media.guards.snapshots
            && let Some(serial) = snapshots.record_next(oldest)
        {
            probe.on_snapshot(crate::SnapshotEvent::Recorded { serial });
        }
    }
}
