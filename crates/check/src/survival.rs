//! What the drive has promised to survive a power cut, and whether it did.
//!
//! After a cut each unit holds the last version that was durable, or one that the host wrote later: never an older one,
//! never half of one, never another unit's. A version is durable when it was acknowledged and then covered by a flush, when
//! its write asked for the flash (FUA) or the drive has no volatile cache, or when capacitors protect the buffer. A trim is
//! not durable: a unit that was trimmed since holds nothing, or any version that it held (NVMe calls that
//! "deallocated, unreported"). With `ftl.trim = deterministic` it is durable as a write is: then the unit holds nothing, or
//! what was written after the trim.
//!
//! The atomic unit is the mapping unit (`ftl.mapping_unit`), not the request: of a write of several each may be there
//! or not, and of a write of a part of one either all of that part is there, among what was there before it, or none of it.
//! Which write each sector comes from is what [`Content`](super::content::Content) keeps; it says so where a unit that is
//! found after a cut has sectors that were not merged.

use std::collections::BTreeMap;
use units::Lpn;

/// Type of the checker's maps from logical units to version numbers of their data; a higher version is a newer write.
pub(crate) type Versions = BTreeMap<Lpn, u32>;

/// Type of the checker's model of the versions of logical units that must be there after a power cut.
#[derive(Default)]
pub(crate) struct Survival {
    /// Map from each logical unit to its newest version that is promised to survive a power cut.
    promised: Versions,
    /// Map from each logical unit to its newest version that was acknowledged but is not promised to survive a power
    /// cut yet.
    acknowledged: Versions,
    /// For each flush in flight, by its request number: the versions that were acknowledged, and the trims that were
    /// answered, when the flush arrived.
    flushes: BTreeMap<u32, [Versions; 2]>,
    /// For each logical unit that was trimmed, or of which a power cut destroyed a page: the highest version number
    /// that the unit may hold after a power cut; any older version, or no data, is allowed as well.
    free: Versions,
    /// Highest version number at the time when the drive was last rolled back to a snapshot: writes with a version up
    /// to this number were undone, except for versions that the snapshot sees.
    undone: u32,
    /// First logical unit of those whose trims are as durable as writes: all of them, or those in zones, which are
    /// reset; none where trims are not durable.
    keeps_trims_from: Option<u32>,
    trimmed: Versions,
    gone: Versions,
}

impl Survival {
    /// Notes that a flush with the number `request` was requested, and stores which acknowledged writes and answered
    /// trims it covers.
    pub fn on_flush(&mut self, request: u32) {
        self.flushes.insert(request, [self.acknowledged.clone(), self.trimmed.clone()]);
    }

    /// Notes that a flush was answered: writes and trims that were acknowledged before the flush was requested are
    /// promised to survive a power cut from now on. `done` is `None` if the flush failed, which promises nothing.
    pub fn on_flushed(&mut self, request: u32, done: Option<()>) {
        let [written, trimmed] = self.flushes.remove(&request).unwrap_or_default();
        if done.is_some() {
            written.into_iter().for_each(|(lpn, version)| self.promise(lpn, version));
            trimmed.into_iter().for_each(|(lpn, version)| self.promise_gone(lpn, version));
        }
    }

    /// Makes the checker's model treat trims of the units from number `first` on as promised to survive a power cut
    /// like writes, from now on.
    pub fn keep_trims(&mut self, first: u32) {
        self.keeps_trims_from = Some(first);
    }

    fn keeps_trims(&self, lpn: Lpn) -> bool {
        self.keeps_trims_from.is_some_and(|first| lpn.0 >= first)
    }

    /// Notes that a trim of unit `lpn` is answered, on a drive whose trims are as durable as writes. If `durable` is
    /// given, the trim is promised to survive a power cut from now on, else only after a later flush.
    pub fn on_trimmed(&mut self, lpn: Lpn, durable: Option<()>) {
        // Where a newer version was promised since, that says more.
        let Some(&version) = self.free.get(&lpn).filter(|_| self.keeps_trims(lpn)) else { return };
        match durable {
            Some(()) => self.promise_gone(lpn, version),
            None => drop(self.trimmed.insert(lpn, version)),
        }
    }

    /// Records the promise about unit `lpn` that a trim makes: after any later power cut the unit holds no data of a
    /// version up to `version`.
    fn promise_gone(&mut self, lpn: Lpn, version: u32) {
        let newest = self.gone.entry(lpn).or_default();
        *newest = version.max(*newest);
        if self.trimmed.get(&lpn).is_some_and(|trimmed| *trimmed <= version) {
            self.trimmed.remove(&lpn);
        }
    }

    /// Notes that a write of unit `lpn` is acknowledged but not yet durable: a power cut may still lose it. Ignored if
    /// a roll-back to a snapshot has undone the write.
    pub fn on_acknowledged(&mut self, lpn: Lpn, version: u32) {
        if version > self.undone {
            let newest = self.acknowledged.entry(lpn).or_default();
            *newest = version.max(*newest);
        }
    }

    /// Records the promise about unit `lpn` that a durable write makes: the unit holds `version`, or a newer one, after
    /// every later power cut; no promise if the unit was trimmed, or the write undone by a roll-back, since.
    pub fn promise(&mut self, lpn: Lpn, version: u32) {
        // A write that was in flight when its unit was trimmed may be answered later than the trim.
        if version > self.undone && self.free.get(&lpn).is_none_or(|free| *free < version) {
            let newest = self.promised.entry(lpn).or_default();
            *newest = version.max(*newest);
            self.free.remove(&lpn);
        }
        if self.acknowledged.get(&lpn).is_some_and(|acknowledged| *acknowledged <= version) {
            self.acknowledged.remove(&lpn);
        }
    }

    /// Drops all promises that trimmed units stay without data, because a power cut may have destroyed the records of
    /// trims on flash.
    pub fn release_trims(&mut self) {
        self.gone.clear();
    }

    /// Returns true if, by the checker's model, a copy on flash of `version` of unit `lpn` is enough to fulfil the
    /// promise about the unit after a power cut.
    pub fn is_kept_by(&self, lpn: Lpn, version: u32) -> bool {
        let promised = self.promised.get(&lpn).copied().unwrap_or(0);
        version == promised || version > promised.max(self.undone)
    }

    /// Notes that unit `lpn` may hold any version up to `version`, or no data, after a power cut, because the host
    /// trimmed it or a cut destroyed its page.
    pub fn release(&mut self, lpn: Lpn, version: u32) {
        self.free.insert(lpn, version);
    }

    /// Checks `found`, the version number of unit `lpn` that the drive holds after a power cut (`None` for no data),
    /// against the promises; `before` is the version that the unit held before the run, if it held data.
    ///
    /// # Panics
    /// When the unit holds an older version than was promised, or no data, or a version that was durably trimmed.
    pub fn check(&self, lpn: Lpn, found: Option<u32>, before: Option<u32>) {
        if let (Some(gone), Some(found)) = (self.gone.get(&lpn), found) {
            assert!(
                found > *gone,
                "after a power cut {lpn} holds version {found}, and was durably trimmed as version {gone}"
            );
        }
        if self.free.contains_key(&lpn) {
            return;
        }
        let promised = self.promised.get(&lpn).copied().or(before);
        assert!(
            promised.is_none_or(|promised| found.is_some_and(|found| found >= promised)),
            "after a power cut {lpn} holds {}, and version {} was durable",
            found.map_or("nothing".into(), |found| format!("version {found}")),
            promised.unwrap_or(0)
        );
    }

    /// Records, after a power cut, that the recovered version of unit `lpn` (`found`; `None` for no data) is promised
    /// to be there after the next cut too.
    pub fn go_on_with(&mut self, lpn: Lpn, found: Option<u32>) {
        self.free.remove(&lpn);
        match found {
            Some(version) => drop(self.promised.insert(lpn, version)),
            None => drop(self.promised.remove(&lpn)),
        }
    }

    /// Records, after a roll-back to a snapshot, the promise that unit `lpn` holds `version` after every power cut and
    /// no later version up to `last`, the highest number so far. A unit without data in the snapshot (`None`) counts as
    /// trimmed.
    pub fn go_back(&mut self, lpn: Lpn, version: Option<u32>, last: u32) {
        self.undone = last;
        self.acknowledged.remove(&lpn);
        self.go_on_with(lpn, version);
        if version.is_none() {
            self.free.insert(lpn, last);
        }
    }

    /// Drops from the checker's model of promises, because the power failed, writes and trims that were acknowledged
    /// but not yet promised to survive, and flushes in flight.
    pub fn forget_under_way(&mut self) {
        self.acknowledged.clear();
        self.trimmed.clear();
        self.flushes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Lpn = Lpn(3);

    /// Makes a test model of promises in which version 5 of a unit was acknowledged, then a flush was requested,
    /// version 7 was acknowledged, and the flush was answered.
    fn one_flushed() -> Survival {
        let mut survival = Survival::default();
        survival.on_acknowledged(UNIT, 5);
        survival.on_flush(1);
        survival.on_acknowledged(UNIT, 7);
        survival.on_flushed(1, Some(()));
        survival
    }

    #[test]
    fn what_was_flushed_or_anything_newer_may_be_there() {
        for found in [5, 7, 9] {
            one_flushed().check(UNIT, Some(found), None);
        }
        Survival::default().check(UNIT, None, None);
        Survival::default().check(UNIT, Some(0), Some(0));
    }

    #[test]
    #[should_panic(expected = "Lpn 3 holds version 4, and version 5 was durable")]
    fn an_older_version_than_the_durable_one_is_found() {
        one_flushed().check(UNIT, Some(4), Some(0));
    }

    #[test]
    #[should_panic(expected = "Lpn 3 holds nothing, and version 5 was durable")]
    fn a_durable_version_that_is_gone_is_found() {
        one_flushed().check(UNIT, None, None);
    }

    #[test]
    #[should_panic(expected = "Lpn 3 holds nothing, and version 0 was durable")]
    fn what_was_there_before_the_run_and_is_gone_is_found() {
        Survival::default().check(UNIT, None, Some(0));
    }

    #[test]
    fn a_flush_that_failed_promises_nothing() {
        let mut survival = Survival::default();
        survival.on_acknowledged(UNIT, 5);
        survival.on_flush(1);
        survival.on_flushed(1, None);
        survival.check(UNIT, None, None);
    }

    #[test]
    fn a_trimmed_unit_is_free_until_it_is_promised_anew() {
        let mut survival = one_flushed();
        survival.release(UNIT, 8);
        survival.promise(UNIT, 6);
        survival.check(UNIT, None, Some(0));
        survival.check(UNIT, Some(2), Some(0));
        survival.promise(UNIT, 9);
        assert!(std::panic::catch_unwind(|| survival.check(UNIT, Some(7), Some(0))).is_err());
    }

    /// Makes a test model of promises in which a unit with a durable version was trimmed, the trim was answered, and a
    /// flush after it succeeded or, with `None`, failed.
    fn trimmed(flushed: Option<()>) -> Survival {
        let mut survival = one_flushed();
        survival.keep_trims(0);
        survival.release(UNIT, 8);
        survival.on_trimmed(UNIT, None);
        survival.on_flush(2);
        survival.on_flushed(2, flushed);
        survival
    }

    #[test]
    fn a_trim_is_durable_where_that_is_promised_and_a_flush_covered_it() {
        trimmed(None).check(UNIT, Some(7), Some(0));
        trimmed(Some(())).check(UNIT, None, Some(0));
        trimmed(Some(())).check(UNIT, Some(9), Some(0));
        let mut again = trimmed(Some(()));
        again.release_trims();
        again.check(UNIT, Some(7), Some(0));
    }

    #[test]
    #[should_panic(expected = "Lpn 3 holds version 7, and was durably trimmed as version 8")]
    fn what_was_durably_trimmed_and_is_there_is_found() {
        trimmed(Some(())).check(UNIT, Some(7), Some(0));
    }

    #[test]
    fn a_flush_promises_nothing_of_a_trim_that_came_after_it() {
        let mut survival = trimmed(None);
        survival.on_flush(3);
        survival.promise(UNIT, 9);
        survival.release(UNIT, 10);
        survival.on_trimmed(UNIT, None);
        survival.on_flushed(3, Some(()));
        survival.check(UNIT, Some(9), Some(0));
        survival.on_flush(4);
        survival.on_flushed(4, Some(()));
        assert!(std::panic::catch_unwind(|| survival.check(UNIT, Some(9), Some(0))).is_err());
    }

    #[test]
    fn a_promise_is_kept_by_a_copy_of_that_version_or_of_a_newer_one_that_was_not_undone() {
        let mut survival = one_flushed();
        assert_eq!([4, 5, 6].map(|version| survival.is_kept_by(UNIT, version)), [false, true, true]);
        survival.go_back(UNIT, Some(3), 8);
        let kept = [2, 3, 7, 8, 9].map(|version| survival.is_kept_by(UNIT, version));
        assert_eq!(kept, [false, true, false, false, true]);
    }

    #[test]
    fn what_was_undone_is_promised_no_more() {
        let mut survival = one_flushed();
        survival.on_acknowledged(UNIT, 8);
        survival.on_flush(2);
        survival.go_back(UNIT, Some(3), 8);
        survival.on_flushed(2, Some(()));
        survival.promise(UNIT, 8);
        survival.check(UNIT, Some(3), None);
        survival.go_back(UNIT, None, 8);
        survival.check(UNIT, None, None);
        survival.promise(UNIT, 9);
        assert!(std::panic::catch_unwind(|| survival.check(UNIT, None, None)).is_err());
    }

    #[test]
    fn what_one_cut_left_the_next_leaves_too() {
        let mut survival = one_flushed();
        survival.go_on_with(UNIT, Some(7));
        assert!(std::panic::catch_unwind(|| survival.check(UNIT, Some(5), Some(0))).is_err());
    }
}
