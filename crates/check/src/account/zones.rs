//! A drive of zones in the account: what its buffer holds over saved states and power cuts, and what its zones say of themselves.

use super::Checker;
use crate::examined::{Examined, MapAtFirst};
use crate::past::EMPTY;
use units::{Lpn, Ppa};

impl<B: MapAtFirst> Checker<B> {
    /// Begins the checker's account of a zoned drive, where it starts from a saved state, with the units that wait in
    /// its write buffer until their program units are full: they count as written before the run.
    pub(super) fn begin_with_buffer(&mut self, drive: &impl Examined<Beginning = B>) {
        for lpn in (0..self.shape.logical_units).map(Lpn) {
            let Some(slot) = drive.buffered(lpn) else { continue };
            self.keep_in_buffer(lpn, slot, 0);
            if let Some(began) = self.beginning.get_mut(lpn.index()) {
                *began = true;
            }
        }
    }

    /// Notes in the checker's account that, after a power cut, `slot` of the write buffer of a zoned drive holds unit
    /// `lpn`, and returns the version of its data: the newest that the host wrote, as a zone is written in order.
    /// Checks that the unit was written since its zone was reset, and is not on flash as well.
    pub(super) fn go_on_in_buffer(&mut self, lpn: Lpn, home: Ppa, slot: u32) -> u32 {
        let version = self.map.unit(lpn).content;
        assert!(
            lpn.0 >= self.trims.zone_units()[0],
            "after a power cut the buffer holds {lpn}, which is in no zone"
        );
        assert!(
            version != EMPTY && home == Ppa::NONE,
            "after a power cut the buffer holds {lpn}, which is at {home} or was not written"
        );
        self.keep_in_buffer(lpn, slot, version);
        version
    }

    /// Checks, after a power cut of a zoned drive, that each zone holds data up to the write pointer that the drive
    /// reports, and none behind it, and that zones which the host finished still are full.
    pub(super) fn check_zones(&self, drive: &impl Examined) {
        let zones = drive.zones();
        let [first, units] = self.trims.zone_units();
        for (zone, (written, is_finished)) in (0..).zip(zones) {
            for at in 0..units {
                let lpn = Lpn(first + zone * units + at);
                let is_there = drive.lookup(lpn) != Ppa::NONE || drive.buffered(lpn).is_some();
                assert_eq!(
                    is_there,
                    at < written,
                    "after a power cut the pointer of zone {zone} is at {written}, and {lpn} is there or not"
                );
            }
            let is_full = is_finished || written == units;
            assert!(
                is_full || !self.trims.is_finished(zone),
                "after a power cut zone {zone} is not full, and was finished"
            );
        }
    }

    /// Notes in the checker's account that `slot` of the write buffer holds the whole of `version` of unit `lpn`, which
    /// the host wrote before the run or before a power cut.
    fn keep_in_buffer(&mut self, lpn: Lpn, slot: u32, version: u32) {
        self.ledger.on_carried(lpn, slot);
        self.bytes.on_carried(lpn, slot, version);
        let unit = self.map.unit_mut(lpn);
        (unit.version, unit.content) = (version, version);
    }
}
