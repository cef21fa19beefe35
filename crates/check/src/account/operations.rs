//! Operations of the flash in the account: what programs put where, what reads bring, and when they are over.

use super::{Checker, NOTHING};
use crate::content::Content;
use crate::examined::MapAtFirst;
use controller::{Kind, Origin, TimedTransaction, Transaction, TransactionId};
use units::{Lpn, Ppa};

impl<B: MapAtFirst> Checker<B> {
    /// Notes, before a program is submitted, which unit and version each programmed physical address gets. Function
    /// `source` names for each unit its origin and the buffer slot or physical address of its data. A relocated unit
    /// whose old address was not read for the same origin counts as not programmed, which is an error once the map
    /// points to it.
    pub fn on_place(&mut self, transaction: &Transaction, units: u32, source: impl Fn(u32) -> (Origin, u64)) {
        let first = self.first_unit(transaction);
        let owner = transaction.owner as usize;
        if self.placed.len() <= owner {
            self.placed.resize(owner + 1, Vec::new());
        }
        for unit in 0..units {
            let (ppa, (origin, from)) = (Ppa(first.0 + u64::from(unit)), source(unit));
            self.placed[owner].push((origin, from));
            self.read_by.remove(&ppa.0);
            let (stored, version) = match origin {
                Origin::Host => {
                    let (lpn, version) = self.bytes.on_place(from as u32, ppa);
                    (lpn.0, version)
                }
                Origin::Map | Origin::Padding | Origin::Parity => (NOTHING, 0),
                // Overtaken, and erased where it was: a copy that is not needed.
                _ if Ppa(from) == Ppa::NONE => (NOTHING, 0),
                _ => self.moved(transaction, origin, Ppa(from), ppa),
            };
            let place = self.map.place_mut(ppa);
            (place.stored, place.version) = (stored, version);
        }
    }

    /// Returns the logical unit and version number that a program copies from physical address `old` to `new`, or
    /// `(NOTHING, 0)` if the drive did not read `old` for this relocation. Copyback within the die needs no separate
    /// read.
    fn moved(&mut self, transaction: &Transaction, origin: Origin, old: Ppa, new: Ppa) -> (u32, u32) {
        let in_die = transaction.kind == Kind::Copyback;
        let read_by = self.read_by.get(&old.0).copied().unwrap_or(0);
        if !in_die && read_by >> origin as u16 & 1 == 0 {
            return (NOTHING, 0);
        }
        self.bytes.on_move(old, new);
        // The address is about to change, so that its state is kept for that.
        let place = self.map.place_mut(old);
        (place.stored, place.version)
    }

    /// Notes that a flash operation has ended, and checks its superblock: a read page row is still programmed and is
    /// read in the mode (SLC or all bits of a cell) of its program, and page rows are programmed in ascending order.
    pub fn on_finish(&mut self, id: TransactionId, transaction: &TimedTransaction) {
        self.clock.on_finish(id, transaction);
        self.finished += 1;
        match transaction.kind {
            Kind::Read => self.note_read(transaction),
            Kind::Program | Kind::Copyback => self.note_programmed(transaction),
            Kind::Erase => self.ledger.on_erased(transaction, self.shape.planes),
        }
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let superblock = self.superblock(transaction);
        match transaction.kind {
            Kind::Read => {
                assert!(
                    transaction.row < self.rows[superblock],
                    "row {} of superblock {superblock} was erased while it was read",
                    transaction.row
                );
                let held = self.one_bit[superblock];
                assert_eq!(
                    transaction.slc, held,
                    "superblock {superblock}: read in another mode than programmed"
                );
            }
            Kind::Program | Kind::Copyback => {
                self.check_mode(superblock, transaction.slc && transaction.kind == Kind::Program);
                assert_eq!(
                    transaction.row, self.rows[superblock],
                    "superblock {superblock}: rows out of order"
                );
                self.rows[superblock] += transaction.rows;
            }
            Kind::Erase => {}
        }
    }

    /// Notes that a flash read has ended: adds it to the checker's counts, checks whether it may or must fail,
    /// completes partial writes from it, and records which units may now be relocated.
    fn note_read(&mut self, transaction: &TimedTransaction) {
        self.ledger.on_read(transaction);
        if transaction.origin == Origin::Host {
            self.ledger.on_host_part_read(transaction, self.clock.decoded(transaction));
        }
        if Content::completes(transaction) {
            self.bytes.on_rest_decoded(transaction.owner, self.clock.decoded(transaction));
        }
        if transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let first = self.first_unit(transaction);
        let ppa = Ppa(first.0 + u64::from(transaction.mask.trailing_zeros()));
        let (stored, version) = self.there(ppa);
        let superblock = self.superblock(transaction);
        self.failures.on_read(transaction, superblock, Lpn(stored), &self.rows, self.stripes.as_ref());
        if Content::completes(transaction) {
            return self.bytes.on_rest_read(transaction.owner, ppa, (Lpn(stored), version));
        }
        if matches!(transaction.origin, Origin::Host | Origin::ReadAhead) {
            return; // Nothing is moved for these.
        }
        let mut mask = transaction.mask;
        while mask != 0 {
            let ppa = first.0 + u64::from(mask.trailing_zeros());
            *self.read_by.entry(ppa).or_default() |= 1 << transaction.origin as u16;
            mask &= mask - 1;
        }
    }

    /// Notes that a program has ended, whether it succeeded or failed: counts its pages and units by origin.
    fn note_programmed(&mut self, transaction: &Transaction) {
        if transaction.kind == Kind::Copyback {
            self.ledger.on_read(transaction);
        }
        let mut placed = std::mem::take(&mut self.placed[transaction.owner as usize]);
        assert!(!placed.is_empty(), "a program ends whose units were not told");
        self.ledger.on_programmed(transaction, placed.iter().map(|(origin, _)| *origin));
        let hosts = placed.iter().filter(|(origin, _)| *origin == Origin::Host);
        self.ledger.on_hosts_programmed(hosts.clone().map(|(_, slot)| *slot as u32));
        hosts.for_each(|(_, slot)| self.bytes.on_programmed(*slot as u32));
        placed.clear();
        self.placed[transaction.owner as usize] = placed;
    }

    /// Checks that all programs of a superblock between two erases use the same mode, SLC or all bits of a cell, and
    /// that in SLC mode each wordline has one page.
    fn check_mode(&mut self, superblock: usize, one_bit: bool) {
        let rows = self.rows[superblock];
        if rows == 0 {
            self.one_bit[superblock] = one_bit;
        }
        assert_eq!(self.one_bit[superblock], one_bit, "superblock {superblock}: two modes between erases");
        assert!(
            !one_bit || rows < self.shape.one_bit_rows,
            "superblock {superblock}: more pages than wordlines"
        );
    }
}
