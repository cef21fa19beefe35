//! What the drive has promised to survive a power cut, kept apart from how the drive keeps it: a write with FUA (or
//! behind a disabled write cache) from its acknowledgement on, any other from the end of a flush that came after it.

use crate::examined::{Answered, Promise};
use crate::survival::{Survival, Versions};
use host::{Effect, HostRequest};
use std::collections::BTreeMap;
use units::Lpn;

/// Type of the checker's model of the promises that acknowledged writes and flushes make: which version of each unit
/// must be on flash, and which must survive a power cut.
pub(crate) struct Durability {
    protected: bool,
    write_back: bool,
    /// Request number of the host write whose data enter the drive now.
    entering: u32,
    /// For each write request in flight, by its number: the logical units that it has written so far, with their
    /// versions.
    written: BTreeMap<u32, Versions>,
    /// Map from each logical unit to its newest version that was programmed to flash; the version number of a trim
    /// counts as well.
    on_flash: Versions,
    /// Version number of the data in each slot of the write buffer, by the number of the slot.
    slots: BTreeMap<u32, u32>,
    /// Map from logical unit to version, for versions that were acknowledged to the host but are not on flash.
    open: Versions,
    /// For each flush in flight, by its request number: units and versions that were acknowledged but not on flash when
    /// the flush arrived.
    flushes: BTreeMap<u32, Versions>,
    /// Field of the checker's model of promises: record of the versions of units that must be there after a power cut;
    /// used only in a run that cuts the power.
    pub survival: Survival,
    cuts: bool,
}

impl Durability {
    /// Makes the checker's model of promises for a drive that promises `promise` (such as a buffer protected by
    /// capacitors).
    pub fn of(promise: Promise) -> Self {
        let Promise { is_protected, writes_back, .. } = promise;
        Self { protected: is_protected, write_back: writes_back, ..Self::unprotected() }
    }

    /// Returns true if capacitors protect all data in the write buffer of the drive under test against a power cut.
    pub fn is_protected(&self) -> bool {
        self.protected
    }

    /// Makes the checker's model of promises for a drive with a volatile write-back buffer, whose data are lost in a
    /// power cut.
    fn unprotected() -> Self {
        Self {
            protected: false,
            write_back: true,
            entering: u32::MAX,
            written: BTreeMap::new(),
            on_flash: BTreeMap::new(),
            slots: BTreeMap::new(),
            open: BTreeMap::new(),
            flushes: BTreeMap::new(),
            survival: Survival::default(),
            cuts: false,
        }
    }

    /// Tells the model of promises that the power will be cut in this run, so that it tracks which versions must
    /// survive.
    pub fn expect_cuts(&mut self) {
        self.cuts = true;
    }

    /// Drops requests in flight, buffer contents and versions that were acknowledged but not on flash from the model of
    /// promises, because the power failed.
    pub fn on_cut(&mut self) {
        self.entering = u32::MAX;
        [&mut self.written, &mut self.flushes].into_iter().for_each(BTreeMap::clear);
        self.slots.clear();
        self.open.clear();
        self.survival.forget_under_way();
    }

    /// Notes that unit `lpn` was trimmed; the trim has a version number of its own, `version`.
    pub fn on_trim(&mut self, lpn: Lpn, version: u32) {
        self.on_commit(lpn, version);
        if self.cuts {
            self.survival.release(lpn, version);
        }
    }

    /// Notes that the drive was rolled back to a snapshot in which unit `lpn` has `version`, or no data (`None`);
    /// `last` is the highest version number given to a write or trim so far.
    pub fn on_returned(&mut self, lpn: Lpn, version: Option<u32>, last: u32) {
        if self.cuts {
            self.survival.go_back(lpn, version, last);
        }
    }

    /// Notes that a trim of unit `lpn` is answered; where trims are as durable as writes, it is promised to survive a
    /// power cut: at once on a drive with capacitors, else after a later flush.
    pub fn on_trimmed(&mut self, lpn: Lpn) {
        if self.cuts {
            self.survival.on_trimmed(lpn, self.protected.then_some(()));
        }
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        if request.op.effect() == Effect::Flush && !self.protected {
            self.flushes.insert(id, self.open.clone());
            if self.cuts {
                self.survival.on_flush(id);
            }
        }
    }

    pub fn on_data(&mut self, id: u32, _lpn: Lpn) {
        self.entering = id;
    }

    pub fn on_version(&mut self, lpn: Lpn, version: u32) {
        if !self.protected || self.cuts {
            self.written.entry(self.entering).or_default().insert(lpn, version);
        }
    }

    /// Notes that `slot` of the write buffer (entry for one unit) now holds data with the version number `version`;
    /// ignored on a drive with a protected buffer.
    pub fn on_buffered(&mut self, slot: u32, version: u32) {
        if !self.protected {
            self.slots.insert(slot, version);
        }
    }

    /// Notes that `version` of unit `lpn` has been programmed to flash, or is the version number of a trim: this
    /// version and older ones no longer count as acknowledged without being on flash.
    pub fn on_commit(&mut self, lpn: Lpn, version: u32) {
        if self.protected {
            return;
        }
        let newest = self.on_flash.entry(lpn).or_default();
        *newest = version.max(*newest);
        if self.open.get(&lpn).is_some_and(|open| *open <= version) {
            self.open.remove(&lpn);
        }
    }

    /// Records, in the checker's model of promises, that the version of unit `lpn` in `slot` of the write buffer was
    /// programmed to flash after a newer version had arrived. The version counts as durable: no map entry points to it,
    /// but recovery after a power cut would find it.
    pub fn on_outdated(&mut self, lpn: Lpn, slot: u32) {
        if let Some(&version) = self.slots.get(&slot) {
            self.on_commit(lpn, version);
        }
    }

    /// Returns true if, by the checker's record, `version` of unit `lpn`, or a newer one, has been programmed to flash.
    fn is_safe(&self, lpn: Lpn, version: u32) -> bool {
        self.on_flash.get(&lpn).is_some_and(|there| *there >= version)
    }

    pub fn on_complete(&mut self, request: &Answered<'_>) {
        if self.protected && !self.cuts {
            return; // Nothing was noted.
        }
        let (id, host) = (request.id, request.host);
        let expected = self.flushes.remove(&id).unwrap_or_default();
        let written = self.written.remove(&id).unwrap_or_default();
        if self.cuts {
            self.note_promises(request, &written);
        }
        if request.failed || self.protected {
            return;
        }
        for (&lpn, &version) in &expected {
            assert!(self.is_safe(lpn, version), "{lpn} was acknowledged before a flush and is not on flash");
        }
        let forced = host.op.effect() == Effect::Write && (host.fua || !self.write_back);
        for (lpn, version) in written {
            let there = self.is_safe(lpn, version);
            assert!(there || !forced, "a write of {lpn} that waits for the flash was acknowledged too early");
            if !there {
                self.open.insert(lpn, version);
            }
        }
    }
}

impl Durability {
    /// Notes, at the answer to a write or flush, which versions must survive a power cut from now on and which are only
    /// acknowledged. `written` are the units of the write with the version numbers that it gave them.
    fn note_promises(&mut self, request: &Answered<'_>, written: &Versions) {
        let host = request.host;
        if host.op.effect() == Effect::Flush {
            return self.survival.on_flushed(request.id, (!request.failed).then_some(()));
        }
        let durable = self.protected || host.fua || !self.write_back;
        for (&lpn, &version) in written.iter().filter(|_| !request.failed) {
            match durable {
                true => self.survival.promise(lpn, version),
                false => self.survival.on_acknowledged(lpn, version),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Op;
    use units::SimTime;

    /// Makes a host request of one 4 KiB unit at offset 0, for a test.
    fn request(op: Op, fua: bool) -> HostRequest {
        HostRequest { fua, ..HostRequest::plain(SimTime::ZERO, op, 0, 4096) }
    }

    /// Notes, in the tested model of promises, that the host request `id` is answered without an error.
    fn end(durability: &mut Durability, id: u32, host: &HostRequest) {
        let (first, units) = (Lpn(0), 1);
        durability.on_complete(&Answered { id, host, first, units, failed: false, uncorrectable: false });
    }

    /// Runs a test scenario: unit 0 is written and acknowledged, a flush is requested, a newer write of the unit is
    /// acknowledged, and the flush is answered, at which the checker panics unless one of the two versions was
    /// programmed. The two writes use the buffer slots `slots`; only the slots in `programmed` reach the flash before
    /// the answer.
    fn overwritten_during_a_flush(slots: [u32; 2], programmed: &[u32]) {
        let mut durability = Durability::unprotected();
        let (host, flush) = (request(Op::WRITE, false), request(Op::FLUSH, false));
        let write = |durability: &mut Durability, id, host: &HostRequest, version, slot| {
            durability.on_request(id, host);
            durability.on_data(id, Lpn(0));
            durability.on_version(Lpn(0), version);
            durability.on_buffered(slot, version);
        };
        write(&mut durability, 0, &host, 1, slots[0]);
        end(&mut durability, 0, &host);
        durability.on_request(1, &flush);
        write(&mut durability, 2, &host, 2, slots[1]);
        end(&mut durability, 2, &host);
        programmed.iter().for_each(|&slot| durability.on_outdated(Lpn(0), slot));
        end(&mut durability, 1, &flush);
    }

    #[test]
    fn a_flush_is_kept_by_the_version_it_was_asked_for_or_a_newer_one_on_flash() {
        overwritten_during_a_flush([0, 1], &[0]);
        overwritten_during_a_flush([0, 1], &[1]);
        overwritten_during_a_flush([0, 0], &[0]);
    }

    #[test]
    #[should_panic(expected = "was acknowledged before a flush and is not on flash")]
    fn a_flush_that_loses_an_overtaken_unit_is_found() {
        overwritten_during_a_flush([0, 1], &[]);
    }

    #[test]
    #[should_panic(expected = "was acknowledged before a flush and is not on flash")]
    fn a_flush_that_loses_a_coalesced_unit_is_found() {
        overwritten_during_a_flush([0, 0], &[]);
    }

    /// Runs a test scenario of the checker: a write, forced (FUA) if `fua`, on a drive that writes back later if
    /// `write_back`, is acknowledged while its data are only in the write buffer.
    fn acknowledged_at_once(fua: bool, write_back: bool) {
        let mut durability = Durability { write_back, ..Durability::unprotected() };
        let host = request(Op::WRITE, fua);
        durability.on_request(0, &host);
        durability.on_data(0, Lpn(0));
        durability.on_version(Lpn(0), 1);
        durability.on_buffered(0, 1);
        end(&mut durability, 0, &host);
    }

    #[test]
    fn a_write_may_be_acknowledged_when_the_buffer_holds_it() {
        acknowledged_at_once(false, true);
    }

    #[test]
    #[should_panic(expected = "was acknowledged too early")]
    fn a_forced_write_that_is_not_on_flash_is_found() {
        acknowledged_at_once(true, true);
    }

    #[test]
    #[should_panic(expected = "was acknowledged too early")]
    fn a_write_that_is_not_on_flash_is_found_where_nothing_is_written_back_later() {
        acknowledged_at_once(false, false);
    }

    #[test]
    #[should_panic(expected = "was acknowledged before a flush and is not on flash")]
    fn an_older_version_on_flash_is_not_the_one_that_was_acknowledged() {
        let mut durability = Durability::unprotected();
        let (host, flush) = (request(Op::WRITE, false), request(Op::FLUSH, false));
        for version in [1, 2] {
            durability.on_request(0, &host);
            durability.on_data(0, Lpn(0));
            durability.on_version(Lpn(0), version);
            end(&mut durability, 0, &host);
        }
        durability.on_commit(Lpn(0), 1);
        durability.on_request(1, &flush);
        end(&mut durability, 1, &flush);
    }
}
