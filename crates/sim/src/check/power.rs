//! A power cut in the account: operations in flight are gone, and what the drive says it found is looked at.

use super::{Checker, NOTHING};
use crate::past::EMPTY;
use controller::{Ending, Interrupted, Kind};
use ftl::snapshots::Snapshots;
use ftl::{Ftl, Seen};
use std::collections::BTreeSet;
use units::{Lpn, Ppa, SimTime};

impl Checker {
    /// The drive never heard of a request that the host has lost.
    pub fn on_unheard(&mut self, id: u32) {
        self.ledger.on_unheard(id);
    }

    /// The power failed, while these programs and erases had changed cells and were not reported.
    pub fn on_cut(&mut self, now: SimTime, interrupted: &[Interrupted]) {
        let undecoded = self.clock.on_cut(now);
        self.ledger.forget_reads(undecoded);
        self.finished = self.submitted;
        let (mut torn, mut begun) = (Vec::new(), Vec::new());
        for Interrupted { transaction, ending } in interrupted {
            let superblock = self.superblock(transaction);
            let first = self.layout.first_ppa(superblock as u32);
            match (transaction.kind, ending) {
                (Kind::Erase, ending) => {
                    self.spoil(first, self.layout.superblock_units);
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
        let per_die = self.layout.superblocks_per_die as usize;
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

    /// These units can no longer be read.
    fn spoil(&mut self, first: u64, units: u32) {
        for ppa in (first..first + u64::from(units)).map(Ppa) {
            let place = self.map.place_mut(ppa);
            (place.stored, place.version) = (NOTHING, 0);
        }
        self.bytes.on_erase(first, units);
    }

    /// A program was interrupted: what it wrote is nothing. Gives the page rows that this tore, rows that lay on the same
    /// wordline before included.
    fn tear(&mut self, superblock: usize, row: u32, rows: u32) -> impl Iterator<Item = (usize, u32)> + use<> {
        let units = self.layout.row_units;
        let first = self.layout.first_ppa(superblock as u32);
        let begin = match self.one_bit[superblock] {
            true => row,
            false => self.layout.first_row_of_wordline(row),
        };
        self.spoil(first + u64::from(row * units), rows * units);
        (begin..row + rows).map(move |row| (superblock, row))
    }

    /// What a page row held is lost: adds the units.
    fn lose_row(&mut self, superblock: usize, row: u32, lost: &mut BTreeSet<Lpn>) {
        let units = self.layout.row_units;
        let first = self.layout.first_ppa(superblock as u32) + u64::from(row * units);
        for ppa in (first..first + u64::from(units)).map(Ppa) {
            let stored = Lpn(self.map.place(ppa).stored);
            if stored.0 == NOTHING {
                // It may have been a record of trims.
                self.durability.survival.release_trims();
            } else if self.layout.is_host_unit(stored) {
                self.past.tear(stored, self.held(ppa));
                lost.insert(stored);
            }
        }
        self.spoil(first, units);
    }

    /// A cut has destroyed copies of these units: nothing is promised of those of which no other copy keeps the promise.
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

    /// What was handed out and never programmed is not there.
    fn forget_unprogrammed(&mut self) {
        for superblock in 0..self.rows.len() {
            let first = self.layout.first_ppa(superblock as u32);
            let there = self.rows[superblock] * self.layout.row_units;
            let left = self.layout.superblock_units - there.min(self.layout.superblock_units);
            self.spoil(first + u64::from(there), left);
        }
    }

    /// The drive says that it has found its map again: each unit must hold what it may hold, and nothing else; the account
    /// goes on with that.
    pub fn on_found(&mut self, ftl: &Ftl) {
        (0..self.layout.physical_units() as u64)
            .for_each(|ppa| self.map.place_mut(Ppa(ppa)).holder = NOTHING);
        // A drive that wore out takes no more writes: capacitors have nowhere to put what its buffer holds.
        let has_died = ftl.is_read_only() && ftl.buffer().is_protected();
        for lpn in (0..self.layout.written_units() as u32).map(Lpn) {
            let home = ftl.lookup(lpn);
            self.map.unit_mut(lpn).home = home;
            if home != Ppa::NONE {
                let row = self.layout.row_number(home) % self.layout.rows;
                let programmed = self.rows[self.layout.superblock_of(home) as usize];
                assert!(row < programmed, "{lpn} is looked for at {home}, which is not programmed");
                self.put(lpn, home);
            }
            // What the drive keeps for itself was promised to no host.
            if self.layout.is_host_unit(lpn) {
                self.go_on_with(lpn, home, has_died);
            }
        }
        self.go_on_with_snapshots(ftl);
    }

    /// Each snapshot that survived must see what it saw.
    fn go_on_with_snapshots(&mut self, ftl: &Ftl) {
        let Some(snapshots) = ftl.feature::<Snapshots>() else { return };
        let serials: Vec<u32> = snapshots.kept().map(|snapshot| snapshot.serial).collect();
        self.past.go_on_with(&serials);
        let units = self.layout.logical_units;
        for (serial, lpn) in serials.iter().flat_map(|serial| (0..units).map(move |lpn| (*serial, Lpn(lpn))))
        {
            let seen = ftl.lookup_in(serial, lpn).expect("it is kept");
            let Seen::At(ppa) = seen else {
                assert_eq!(seen, Seen::Nowhere, "after a power cut the buffer holds {lpn}");
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

    /// The host reads from now on what its unit holds there.
    fn go_on_with(&mut self, lpn: Lpn, home: Ppa, has_died: bool) {
        let found = (home != Ppa::NONE).then(|| {
            let (stored, version) = self.there(home);
            assert_eq!(stored, lpn.0, "after a power cut {lpn} is looked for at {home}, which holds another");
            self.bytes.on_commit(home);
            version
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
    use super::super::Measured;
    use super::*;
    use crate::{Catalogue, Drive};
    use controller::{Class, Origin, Transaction};
    use ftl::Act;
    use host::{HostRequest, Op};
    use units::DieId;

    /// Unit 0 was written whole at the first place of row 0, then `bytes` of it at row 1, whose rest was read or not; then the
    /// power fails, and the drive finds the second.
    fn found_after(bytes: u32, rest_is_read: bool) {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let settings =
            ["power.cut.drawn=1", "nand.blocks_per_plane=64", "ftl.op_ratio=0.5"].map(str::to_owned);
        let drive =
            Drive::load(&Catalogue::new([root]), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
        let ftl = drive.build(1).expect("the drive can be built");
        let mut checker = Checker::new(&drive, &ftl, Measured::AtOnce).expect("its numbers can be read");
        let row_units = ftl.layout().row_units;
        let unit = ftl.layout().unit.get() as u32;
        for (row, bytes) in [(0, unit), (1, bytes)] {
            let write =
                HostRequest { arrive: SimTime::ZERO, op: Op::WRITE, offset: 0, bytes, tag: 0, fua: false };
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
        checker.go_on_with(Lpn(0), Ppa(row_units.into()), false);
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
    /// A snapshot is taken of a drive that holds nothing, and the account has it that it saw a version of each unit.
    #[test]
    #[should_panic(expected = "of Lpn 0, and saw 1")]
    fn a_snapshot_that_sees_nothing_any_more_is_found_out() {
        let settings = ["nand.blocks_per_plane=64", "ftl.op_ratio=0.5", "ftl.snapshots.every=1s"];
        let settings = settings.map(str::to_owned);
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let drive =
            Drive::load(&Catalogue::new([root]), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
        let mut ftl = drive.build(1).expect("the drive can be built");
        let mut checker = Checker::new(&drive, &ftl, Measured::AtOnce).expect("its numbers can be read");
        let mut ctx = controller::Context::<()>::default();
        ftl.begin(&mut ctx);
        let serial = ftl.act(Act::Keep, &mut ctx).expect("a drive with snapshots");
        checker.past.begin_with(serial, vec![1; ftl.layout().logical_units as usize]);
        checker.go_on_with_snapshots(&ftl);
    }
}
