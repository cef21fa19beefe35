//! A trim that was answered has happened: each unit that lies wholly inside it was forgotten after it was asked for. And no
//! unit is forgotten that no trim covers as a whole, nor a reset of its zone. Which units a zone holds is not known here: that a reset
//! forgets all of them shows where they are written again.

use crate::shape::FlashShape;
use host::{Effect, HostRequest, HostZones, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use units::Lpn;

/// Type of the checker's model of trims: each trim that is answered has removed its units from the map, and no unit is
/// removed that no trim or zone reset covers.
pub(crate) struct TrimAccount {
    unit: u64,
    units: usize,
    /// Pair of numbers, on a drive with zones: its first unit that is in a zone, and the number of mapping units of a
    /// zone; 0 and 0 on other drives.
    zone_units: [u32; 2],
    /// True on a drive with snapshots: the drive may ignore a trim if it lacks free space to store the trimmed data for
    /// snapshots, so trims are not checked.
    may_refuse: bool,
    /// Counter of the checker for trimmed units so far (each trim of a unit counts).
    count: u64,
    /// For each logical unit, the value of the checker's counter of trimmed units at the last trim of the unit; the
    /// list is empty until a trim arrives.
    last: Vec<u64>,
    /// For each trim request in flight, by its request number: the value of the counter of trimmed units when the
    /// request arrived.
    asked: BTreeMap<u32, u64>,
    /// Range of logical units that each trim or zone reset in flight covers, by its request number.
    covered: BTreeMap<u32, Range<u32>>,
    /// Range of logical units of the trim or zone reset that removed a unit from the map last.
    at_work: Range<u32>,
    /// Field of the checker's model of trims: record of the zones that the host finished, and of zone finishes and
    /// resets in flight.
    zones: FinishedZones,
}

/// Type of the record, in the checker's model of trims, of the zones that the host finished with success and has not
/// reset since, and of zone finishes and resets in flight.
#[derive(Default)]
struct FinishedZones {
    /// Set of the numbers of zones that the host finished and for which it requested no reset since.
    finished: BTreeSet<u32>,
    /// For each finish in flight, by its request number: the zone. Left out if a reset of the zone was in flight with
    /// it.
    finishes: BTreeMap<u32, u32>,
    /// For each zone reset in flight, by its request number: the zone.
    resets: BTreeMap<u32, u32>,
}

impl FinishedZones {
    /// Notes request `id` of the host for zone `zone`: a reset or, by any other `op`, a finish.
    fn on_request(&mut self, id: u32, zone: u32, op: Op) {
        if op == Op::ZONE_RESET {
            self.finished.remove(&zone);
            // Which of the two comes last, no answer says.
            self.finishes.retain(|_, finished| *finished != zone);
            self.resets.insert(id, zone);
        } else if !self.resets.values().any(|reset| *reset == zone) {
            self.finishes.insert(id, zone);
        }
    }

    /// Notes that request `id` is answered: after a finish with success (`is_done`) its zone counts as finished.
    fn on_answered(&mut self, id: u32, is_done: bool) {
        self.resets.remove(&id);
        self.finished.extend(self.finishes.remove(&id).filter(|_| is_done));
    }
}

/// Returns, for the checker's model of trims, the logical units that lie wholly inside the trim request `trim`; `unit`
/// is the mapping unit's size in bytes.
fn whole_units(trim: &HostRequest, unit: u64) -> Range<u32> {
    let end = (trim.offset + u64::from(trim.bytes)) / unit;
    let first = trim.offset.div_ceil(unit);
    first as u32..end.max(first) as u32
}

impl TrimAccount {
    pub fn of(shape: &FlashShape, zones: Option<HostZones>, snapshots: Option<&[u32]>) -> Self {
        let units = |bytes: u64| (bytes / shape.unit_bytes) as u32;
        let zone_units = zones.map_or([0; 2], |zones| [units(zones.offset), units(zones.capacity)]);
        Self {
            unit: shape.unit_bytes,
            units: shape.logical_units as usize,
            zone_units,
            may_refuse: snapshots.is_some(),
            count: 0,
            last: Vec::new(),
            asked: BTreeMap::new(),
            covered: BTreeMap::new(),
            at_work: 0..0,
            zones: FinishedZones::default(),
        }
    }

    /// Returns, on a drive with zones, its first unit that is in a zone, and the number of mapping units of a zone; 0
    /// and 0 on other drives.
    pub fn zone_units(&self) -> [u32; 2] {
        self.zone_units
    }

    /// Returns true if the host finished zone `zone` with success, and has not requested a reset of the zone since.
    pub fn is_finished(&self, zone: u32) -> bool {
        self.zones.finished.contains(&zone)
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        if matches!(request.op, Op::ZONE_FINISH | Op::ZONE_RESET) {
            let [first, units] = self.zone_units;
            let zone = ((request.offset / self.unit) as u32 - first) / units;
            self.zones.on_request(id, zone, request.op);
        }
        if request.op.effect() == Effect::Trim && !self.may_refuse {
            self.last.resize(self.units, 0);
            self.asked.insert(id, self.count);
            self.covered.insert(id, whole_units(request, self.unit));
        } else if request.op == Op::ZONE_RESET {
            let first = (request.offset / self.unit) as u32;
            self.covered.insert(id, first..first + self.zone_units[1]);
        }
    }

    /// Notes that the drive reports unit `lpn` as trimmed, and checks, except on a drive with snapshots, that a trim or
    /// zone reset in flight covers the unit as a whole.
    pub fn on_trim(&mut self, lpn: Lpn) {
        self.count += 1;
        if !self.may_refuse && !self.at_work.contains(&lpn.0) {
            let covers = self.covered.values().find(|units| units.contains(&lpn.0));
            let covers =
                covers.unwrap_or_else(|| panic!("{lpn} is forgotten, and no trim covers it as a whole"));
            self.at_work = covers.clone();
        }
        if let Some(last) = self.last.get_mut(lpn.index()) {
            *last = self.count;
        }
    }

    /// Notes that trim or zone reset `id` is answered; `done` is the request, or `None` if it failed. Checks that the
    /// drive has removed from its map each unit that a trim covers as a whole; returns these units, or all units of a
    /// zone that was reset.
    pub fn on_answered(&mut self, id: u32, done: Option<&HostRequest>) -> impl Iterator<Item = Lpn> + use<> {
        self.zones.on_answered(id, done.is_some());
        let covered = self.covered.remove(&id);
        if covered.as_ref().is_some_and(|units| *units == self.at_work) {
            self.at_work = 0..0;
        }
        let reset = covered.filter(|_| done.is_some_and(|request| request.op == Op::ZONE_RESET));
        let answered = self.asked.remove(&id).zip(done);
        let range = answered.map_or(reset.unwrap_or(0..0), |(before, request)| {
            let range = whole_units(request, self.unit);
            for lpn in range.clone().map(Lpn) {
                let last = self.last[lpn.index()];
                assert!(last > before, "a trim of {lpn} was answered, and the unit was not forgotten");
            }
            range
        });
        range.map(Lpn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::SimTime;

    /// Test helper: simulates, in the checker's model, a trim of units 2 and 3, during which the drive reports the
    /// units in `units` as trimmed.
    fn forgotten(units: &[u32]) {
        let mut trims = TrimAccount {
            unit: 4096,
            units: 8,
            zone_units: [0; 2],
            may_refuse: false,
            count: 0,
            last: Vec::new(),
            asked: BTreeMap::new(),
            covered: BTreeMap::new(),
            at_work: 0..0,
            zones: FinishedZones::default(),
        };
        let trim = HostRequest::plain(SimTime::ZERO, Op::TRIM, 2 * 4096, 8192);
        trims.on_request(6, &trim);
        trims.on_trim(Lpn(3));
        assert_eq!(trims.on_answered(6, None).count(), 0);
        trims.on_request(7, &trim);
        units.iter().for_each(|&lpn| trims.on_trim(Lpn(lpn)));
        assert_eq!(trims.on_answered(7, Some(&trim)).collect::<Vec<_>>(), [Lpn(2), Lpn(3)]);
    }

    #[test]
    fn a_trim_forgets_its_units() {
        forgotten(&[2, 3]);
    }

    #[test]
    #[should_panic(expected = "Lpn 4 is forgotten, and no trim covers it as a whole")]
    fn a_trim_that_forgets_too_much_is_found() {
        forgotten(&[2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "a trim of Lpn 3 was answered, and the unit was not forgotten")]
    fn a_trim_that_forgets_a_part_is_found() {
        forgotten(&[2]);
    }
}
