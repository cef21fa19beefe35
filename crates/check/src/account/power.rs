//! A power cut in the account: operations in flight are gone, and what the drive says it found is looked at.

use super::{Checker, NOTHING};
use crate::examined::{Examined, KeptAt, MapAtFirst};
use crate::past::EMPTY;
use controller::{Ending, Interrupted, Kind};
use std::collections::BTreeSet;
use units::{Lpn, Ppa, SimTime};

impl<B: MapAtFirst> Checker<B> {
    /// Notes that host request `id` was lost in a power cut before the drive received it, so that it changes no data.
    pub fn on_unheard(&mut self, id: u32) {
        self.ledger.on_unheard(id);
    }

    /// Adjusts the checker's model to a power cut at `now`: drops operations in flight, and marks page rows that were
    /// only partly programmed as torn (unreadable). `interrupted` are the programs and erases that had changed cells
    /// but whose completion was not reported.
    pub fn on_cut(&mut self, now: SimTime, interrupted: &[Interrupted]) {
        let undecoded = self.clock.on_cut(now);
        self.ledger.forget_reads(undecoded);
        self.finished = self.submitted;
        let (mut torn, mut begun) = (Vec::new(), Vec::new());
        for Interrupted { transaction, ending } in interrupted {
            let superblock = self.superblock(transaction);
            let first = self.shape.first_ppa(superblock);
            match (transaction.kind, ending) {
                (Kind::Erase, ending) => {
                    self.spoil(first, self.shape.superblock_units());
                    if *ending == Ending::Done {
                        self.rows[superblock] = 0;
                    }
                }
                (_, ending) => {
                    let rows = self.rows[superblock];
                    assert_eq!(transaction.row, rows, "superblock {superblock}: rows out of order");
                    if rows == 0 {
                        self.one_bit[superblock] = transaction.slc && transaction.kind == Kind::Program;
                    }
                    if *ending == Ending::Halfway {
                        torn.extend(self.tear(superblock, transaction.row, transaction.rows));
                        let rows = transaction.row..transaction.row + transaction.rows;
                        begun.extend(rows.map(|row| (superblock, row)));
                    }
                    self.rows[superblock] += transaction.rows;
                }
            }
        }
        let per_die = self.shape.superblocks_per_die as usize;
        for superblock in self.failures.dead().flat_map(|die| die * per_die..(die + 1) * per_die) {
            torn.extend((0..self.rows[superblock]).map(|row| (superblock, row)));
        }
        if let Some(stripes) = &mut self.stripes {
            torn = stripes.on_cut(&torn, &self.rows, &self.one_bit);
        }
        torn.sort_unstable();
        torn.dedup();
        let mut lost = BTreeSet::new();
        for &(superblock, row) in torn.iter().filter(|it| !begun.contains(it)) {
            self.lose_row(superblock, row, &mut lost);
        }
        self.forget_unprogrammed();
        self.release(lost);
        self.placed.iter_mut().for_each(Vec::clear);
        self.fetched.clear();
        self.read_by.clear();
        self.bytes.on_cut();
        self.durability.on_cut();
        self.failures.on_cut();
    }

    /// Marks the data of `units` consecutive physical addresses from `first` on as unreadable in the checker's own map,
    /// after an interrupted erase or program.
    fn spoil(&mut self, first: u64, units: u32) {
        for ppa in (first..first + u64::from(units)).map(Ppa) {
            let place = self.map.place_mut(ppa);
            (place.stored, place.version) = (NOTHING, 0);
        }
        self.bytes.on_erase(first, units);
    }

    /// Notes in the checker's account that a power cut interrupted a program of `rows` page rows from `row` on, so that their units are
    /// unreadable. Returns the torn (unreadable) page rows, including pages of the same wordline that were programmed
    /// before.
    fn tear(&mut self, superblock: usize, row: u32, rows: u32) -> Vec<(usize, u32)> {
        let units = self.shape.row_units;
        let first = self.shape.first_ppa(superblock);
        let begin = match self.one_bit[superblock] {
            true => row,
            false => self.shape.first_row_of_wordline(row),
        };
        self.spoil(first + u64::from(row * units), rows * units);
        (begin..row + rows).map(|row| (superblock, row)).collect()
    }

    /// Notes in the checker's model that a power cut destroyed the data of a page row (multi-plane page), and adds the
    /// host units whose data were in the row to `lost`. An address without data of a unit may have held records of
    /// trims: all promises about trims then end.
    fn lose_row(&mut self, superblock: usize, row: u32, lost: &mut BTreeSet<Lpn>) {
        let units = self.shape.row_units;
        let first = self.shape.first_ppa(superblock) + u64::from(row * units);
        for ppa in (first..first + u64::from(units)).map(Ppa) {
            let stored = Lpn(self.map.place(ppa).stored);
            if stored.0 == NOTHING {
                // It may have been a record of trims.
                self.durability.survival.release_trims();
            } else if self.shape.is_host_unit(stored) {
                self.past.tear(stored, self.held(ppa));
                lost.insert(stored);
            }
        }
        self.spoil(first, units);
    }

    /// Removes from the checker's model the promise that a logical unit survives a power cut, for each unit in `lost`,
    /// of which a cut destroyed data on flash, unless other data on flash fulfil the promise.
    fn release(&mut self, mut lost: BTreeSet<Lpn>) {
        for (_, place) in self.map.places() {
            let (lpn, survival) = (Lpn(place.stored), &self.durability.survival);
            // A program that failed may have left a copy that the drive does not trust.
            let counts = place.holder != NOTHING && place.stored != NOTHING;
            if counts && lost.contains(&lpn) && survival.is_kept_by(lpn, place.version) {
                lost.remove(&lpn);
            }
        }
        for lpn in lost {
            self.durability.survival.release(lpn, self.map.unit(lpn).version);
        }
    }

    /// Notes in the checker's model that page rows that were allocated but never programmed before the power cut hold
    /// no data.
    fn forget_unprogrammed(&mut self) {
        for superblock in 0..self.rows.len() {
            let first = self.shape.first_ppa(superblock);
            let there = self.rows[superblock] * self.shape.row_units;
            let left = self.shape.superblock_units() - there.min(self.shape.superblock_units());
            self.spoil(first + u64::from(there), left);
        }
    }

    /// Checks, after the drive has recovered its map from a power cut, that each logical unit holds a version that the
    /// promises to the host allow, and makes the recovered versions the ones expected from now on.
    pub fn on_found(&mut self, drive: &impl Examined) {
        (0..self.shape.physical_units() as u64).for_each(|ppa| self.map.place_mut(Ppa(ppa)).holder = NOTHING);
        // A drive that wore out takes no more writes: capacitors have nowhere to put what its buffer holds.
        let has_died = drive.is_read_only() && self.durability.is_protected();
        let is_zoned = !drive.zones().is_empty();
        for lpn in (0..self.shape.written_units() as u32).map(Lpn) {
            let home = drive.lookup(lpn);
            self.map.unit_mut(lpn).home = home;
            if home != Ppa::NONE {
                let row = self.shape.row_of(home);
                let programmed = self.rows[self.shape.superblock_of(home)];
                assert!(row < programmed, "{lpn} is looked for at {home}, which is not programmed");
                self.put(lpn, home);
            }
            // What the drive keeps for itself was promised to no host.
            if self.shape.is_host_unit(lpn) {
                let slot = if is_zoned { drive.buffered(lpn) } else { None };
                self.go_on_with(lpn, home, slot, has_died);
            }
        }
        self.check_zones(drive);
        self.go_on_with_snapshots(drive);
    }

    /// Checks that each snapshot that survived the power cut sees the same versions of the logical units as before the
    /// cut.
    fn go_on_with_snapshots(&mut self, drive: &impl Examined) {
        let Some(serials) = drive.snapshots() else { return };
        self.past.go_on_with(&serials);
        let units = self.shape.logical_units;
        for (serial, lpn) in serials.iter().flat_map(|serial| (0..units).map(move |lpn| (*serial, Lpn(lpn))))
        {
            let seen = drive.kept_at(serial, lpn);
            let KeptAt::Flash(ppa) = seen else {
                assert_eq!(seen, KeptAt::Nowhere, "after a power cut the buffer holds {lpn}");
                self.past.check_seen(serial, lpn, EMPTY);
                continue;
            };
            let (stored, version) = self.there(ppa);
            assert_eq!(stored, lpn.0, "snapshot {serial} looks for {lpn} at {ppa}, which holds another");
            self.past.check_seen(serial, lpn, version);
            if self.map.place(ppa).holder == NOTHING {
                self.bytes.on_commit(ppa);
                self.put(lpn, ppa);
            }
        }
    }

    /// Checks the version of unit `lpn` that recovery found at physical address `home` against the promises about
    /// acknowledged writes and trims, and makes it the version that host reads must return from now on. With `has_died`
    /// (a worn-out drive) it is not checked. On a zoned drive, whose write buffer outlasts power cuts, the unit may be
    /// in its `slot` instead.
    fn go_on_with(&mut self, lpn: Lpn, home: Ppa, slot: Option<u32>, has_died: bool) {
        let kept = slot.map(|slot| self.go_on_in_buffer(lpn, home, slot));
        let found = kept.or_else(|| {
            (home != Ppa::NONE).then(|| {
                let (stored, version) = self.there(home);
                assert_eq!(
                    stored, lpn.0,
                    "after a power cut {lpn} is looked for at {home}, which holds another"
                );
                self.bytes.on_commit(home);
                version
            })
        });
        let before = self.beginning[lpn.index()].then_some(0);
        let survival = &mut self.durability.survival;
        if !has_died {
            survival.check(lpn, found, before);
        }
        survival.go_on_with(lpn, found);
        self.beginning[lpn.index()] = found.is_some();
        let unit = self.map.unit_mut(lpn);
        unit.content = found.unwrap_or(EMPTY);
        match found {
            Some(_) if home == Ppa::NONE => {}
            Some(version) => {
                unit.version = version;
                self.bytes.on_returned(lpn, home);
            }
            None => self.bytes.on_trim(lpn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::{MadeUp, shape};
    use crate::{Measured, Promise};
    use controller::{Class, Origin, Transaction};
    use host::{HostRequest, Op};
    use units::DieId;

    /// Test helper: runs this scenario: unit 0 is written whole to page row 0, then its first `bytes` bytes are written
    /// anew to page row 1; the rest of the unit there was read from row 0 only if `rest_is_read`. Then the power fails,
    /// and recovery finds the copy in row 1.
    fn found_after(bytes: u32, rest_is_read: bool) {
        let promise = Promise { is_cut: true, writes_back: true, ..Promise::default() };
        let drive = MadeUp { promise, ..MadeUp::empty() };
        let mut checker = Checker::new(&drive, Measured::AtOnce).expect("its numbers can be read");
        let (row_units, unit) = (shape().row_units, shape().unit_bytes as u32);
        for (row, bytes) in [(0, unit), (1, bytes)] {
            let write = HostRequest::plain(SimTime::ZERO, Op::WRITE, 0, bytes);
            let mut program =
                Transaction::new(Kind::Program, Origin::Host, Class::HostProgram, DieId(0), 0, row);
            program.owner = 0;
            checker.on_request(row, &write);
            checker.on_data(row, &write, Lpn(0));
            checker.on_host_write(Lpn(0));
            checker.on_buffered(Lpn(0), row, None);
            if row == 1 && rest_is_read {
                checker.bytes.on_rest_read(1, Ppa(0), (Lpn(0), 1));
            }
            checker.on_place(&program, 1, |_| (Origin::Host, row.into()));
        }
        checker.rows[0] = 2;
        checker.on_cut(SimTime::from_ns(1), &[]);
        checker.go_on_with(Lpn(0), Ppa(row_units.into()), None, false);
    }

    #[test]
    fn a_unit_that_was_merged_is_found_whole() {
        found_after(512, true);
        found_after(4096, false);
    }

    #[test]
    #[should_panic(expected = "a partial write was not merged with what was there")]
    fn half_of_an_atomic_unit_is_found_out() {
        found_after(512, false);
    }

    /// Test: a snapshot saw a version of each unit before a power cut and sees no data afterwards; the checker finds
    /// this.
    #[test]
    #[should_panic(expected = "of Lpn 0, and saw 1")]
    fn a_snapshot_that_sees_nothing_any_more_is_found_out() {
        let drive = MadeUp { snapshots: Some(vec![7]), ..MadeUp::empty() };
        let mut checker = Checker::new(&MadeUp::empty(), Measured::AtOnce).expect("its numbers can be read");
        checker.past.begin_with(7, vec![1; shape().logical_units as usize]);
        checker.go_on_with_snapshots(&drive);
    }
}
