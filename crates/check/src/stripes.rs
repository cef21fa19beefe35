//! The checker's account of parity over dies: what must hold so that any one page can be found again.

use crate::examined::Examined;
use crate::shape::FlashShape;
use controller::{Kind, Origin, Transaction};

mod after_cut;

use after_cut::Torn;

/// Type of the checker's model of parity over dies. A parity group is the superblocks of one number on `width`
/// neighbouring dies; a stripe is the page row (multi-plane page) of one number in each of these superblocks.
pub(crate) struct StripeAccount {
    per_die: usize,
    width: usize,
    /// Number of valid units in each parity group, without its superblocks in SLC mode.
    live: Vec<u32>,
    /// For each superblock, the number of page rows (multi-plane pages) for which programs have been submitted since
    /// its erase.
    rows: Vec<u32>,
    /// For each parity group, the number of parity page rows for which programs have been submitted.
    parity_rows: Vec<u32>,
    /// For each parity group, the superblock of the group that holds the parity; `NOWHERE` if none does yet.
    parity: Vec<usize>,
    /// The checker's flag for each superblock: true if it is in SLC mode, in which it has no parity and is not part of
    /// its parity group's stripes.
    apart: Vec<bool>,
    /// Field of the checker's model of parity: record of the page rows that power cuts tore (their programs were
    /// interrupted, so that they are unreadable).
    torn: Torn,
}

const NOWHERE: usize = usize::MAX;

impl StripeAccount {
    /// Makes the checker's model of the drive's parity groups, each over `width` dies, which starts from the page rows
    /// and valid units that the drive has now.
    pub fn new(drive: &impl Examined, shape: &FlashShape, width: u32) -> Self {
        let per_die = shape.superblocks_per_die as usize;
        let groups = shape.superblocks() / width as usize;
        let mut account = Self {
            per_die,
            width: width as usize,
            live: vec![0; groups],
            rows: (0..shape.superblocks()).map(|superblock| drive.rows_programmed(superblock)).collect(),
            parity_rows: vec![0; groups],
            parity: vec![NOWHERE; groups],
            apart: (0..shape.superblocks()).map(|superblock| drive.holds_one_bit(superblock)).collect(),
            torn: Torn::default(),
        };
        for (superblock, &valid) in drive.valid_units().iter().enumerate() {
            let group = account.group_of(superblock);
            account.live[group] += if account.apart[superblock] { 0 } else { valid };
            if drive.holds_parity(superblock) && account.rows[superblock] > 0 {
                account.parity[group] = superblock;
                account.parity_rows[group] = account.rows[superblock];
            }
        }
        account
    }

    fn group_of(&self, superblock: usize) -> usize {
        let (die, slot) = (superblock / self.per_die, superblock % self.per_die);
        die / self.width * self.per_die + slot
    }

    pub fn on_submit(&mut self, transaction: &Transaction, superblock: usize) {
        let group = self.group_of(superblock);
        self.apart[superblock] |= transaction.kind == Kind::Program && transaction.slc;
        if self.apart[superblock] {
            return;
        }
        if transaction.kind != Kind::Read {
            self.note_erasing(transaction.kind, group);
        }
        match (transaction.kind, transaction.origin) {
            (Kind::Program, Origin::Parity) => {
                assert!(
                    self.parity[group] == NOWHERE || self.parity[group] == superblock,
                    "group {group} has its parity in superblocks {} and {superblock}",
                    self.parity[group]
                );
                assert_eq!(
                    self.parity_rows[group], transaction.row,
                    "group {group}: rows of parity out of order"
                );
                self.parity[group] = superblock;
                self.parity_rows[group] = transaction.row + transaction.rows;
                self.rows[superblock] = self.parity_rows[group];
            }
            (Kind::Program | Kind::Copyback, _) => {
                assert_ne!(
                    self.parity[group], superblock,
                    "data go to superblock {superblock}, which holds parity"
                );
                assert!(
                    transaction.row >= self.parity_rows[group],
                    "row {} of superblock {superblock} is written after its parity",
                    transaction.row
                );
                self.rows[superblock] = transaction.row + transaction.rows;
            }
            (Kind::Erase, _) => assert_eq!(
                self.live[group], 0,
                "superblock {superblock} is erased while others of its group hold data that it protects"
            ),
            (Kind::Read, Origin::Rebuild) => {
                assert!(
                    transaction.row < self.rows[superblock],
                    "row {} of superblock {superblock} cannot help: it was not written",
                    transaction.row
                );
                self.check_help(superblock, transaction.row);
            }
            (Kind::Read, _) => {}
        }
    }

    /// Returns whether, by the checker's model, parity can restore page row `row` of a superblock whose die is dead or
    /// whose row is torn; `rows` is the number of page rows programmed of each superblock. `None` if no program of the
    /// row's parity was submitted, so that the parity may still be in RAM.
    pub fn gives_back(
        &self,
        superblock: usize,
        row: u32,
        rows: &[u32],
        is_dead: impl Fn(u32) -> bool,
    ) -> Option<bool> {
        let (die, slot) = (superblock / self.per_die, superblock % self.per_die);
        let first = die / self.width * self.width;
        let mut others = (first..first + self.width).filter(|&other| other != die);
        let lacks = others.any(|other| {
            let beside = other * self.per_die + slot;
            is_dead(other as u32) && rows[beside] > row && !self.torn.is_left_out(beside, row)
        });
        if self.apart[superblock] || lacks || self.is_broken(superblock, row) {
            return Some(false);
        }
        (self.parity_rows[self.group_of(superblock)] > row).then_some(true)
    }

    /// Adds a unit that became valid in `superblock`, which must not hold parity, to the checker's count of valid units
    /// of its parity group.
    pub fn on_held(&mut self, superblock: usize) {
        let group = self.group_of(superblock);
        assert_ne!(
            self.parity[group], superblock,
            "a unit of the host lives in superblock {superblock} of parity"
        );
        self.live[group] += u32::from(!self.apart[superblock]);
    }

    /// Subtracts a unit that is no longer valid in `superblock` from the checker's count of valid units of its parity
    /// group.
    pub fn on_left(&mut self, superblock: usize) {
        let group = self.group_of(superblock);
        self.live[group] -= u32::from(!self.apart[superblock]);
    }

    /// Notes in the checker's model of parity that `superblock` was erased: it has no programmed page rows, and if it
    /// held the parity of its group, the group has no parity now.
    pub fn on_erase(&mut self, superblock: usize) {
        let group = self.group_of(superblock);
        self.forget_torn(superblock);
        (self.rows[superblock], self.apart[superblock]) = (0, false);
        if self.parity[group] == superblock {
            self.parity[group] = NOWHERE;
            self.parity_rows[group] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use controller::Class;
    use units::DieId;

    /// Makes a test model of parity: three dies with two superblocks each, in which the first superblock of the second
    /// die holds one page row of parity.
    pub(super) fn account() -> StripeAccount {
        let mut account = StripeAccount {
            per_die: 2,
            width: 3,
            live: vec![0; 2],
            rows: vec![0; 6],
            parity_rows: vec![0; 2],
            parity: vec![NOWHERE; 2],
            apart: vec![false; 6],
            torn: Torn::default(),
        };
        program(&mut account, Origin::Host, 0, 0);
        program(&mut account, Origin::Gc, 2, 0);
        program(&mut account, Origin::Parity, 1, 0);
        account.on_held(0);
        account
    }

    pub(super) fn submit(account: &mut StripeAccount, kind: Kind, origin: Origin, die: u32, row: u32) {
        let transaction = Transaction::new(kind, origin, Class::InternalProgram, DieId(die), 0, row);
        account.on_submit(&transaction, die as usize * 2);
    }

    pub(super) fn program(account: &mut StripeAccount, origin: Origin, die: u32, row: u32) {
        submit(account, Kind::Program, origin, die, row);
    }

    #[test]
    fn a_group_that_holds_nothing_may_be_erased_and_begin_anew() {
        let mut account = account();
        account.on_left(0);
        for die in 0..3 {
            submit(&mut account, Kind::Erase, Origin::Gc, die, 0);
            account.on_erase(die as usize * 2);
        }
        program(&mut account, Origin::Host, 1, 0);
        program(&mut account, Origin::Parity, 2, 0);
    }

    #[test]
    #[should_panic(expected = "while others of its group hold data that it protects")]
    fn a_member_stays_while_others_hold_data() {
        submit(&mut account(), Kind::Erase, Origin::Gc, 2, 0);
    }

    #[test]
    #[should_panic(expected = "is written after its parity")]
    fn no_data_come_after_their_parity() {
        let mut account = account();
        account.rows[0] = 0;
        program(&mut account, Origin::Host, 0, 0);
    }

    #[test]
    #[should_panic(expected = "which holds parity")]
    fn no_data_go_where_parity_is() {
        program(&mut account(), Origin::Host, 1, 1);
    }

    #[test]
    #[should_panic(expected = "has its parity in superblocks 2 and 0")]
    fn a_group_has_one_parity() {
        program(&mut account(), Origin::Parity, 0, 1);
    }

    #[test]
    fn a_row_is_given_back_by_parity_and_all_others() {
        let account = account();
        let rows = [1, 0, 1, 0, 1, 0];
        assert_eq!(account.gives_back(0, 0, &rows, |die| die == 0), Some(true));
        assert_eq!(account.gives_back(0, 1, &rows, |die| die == 0), None, "its parity is still in RAM");
        assert_eq!(account.gives_back(0, 0, &rows, |die| die != 1), Some(false), "another one is dead");
    }

    #[test]
    #[should_panic(expected = "cannot help: it was not written")]
    fn what_was_not_written_helps_nobody() {
        submit(&mut account(), Kind::Read, Origin::Rebuild, 2, 1);
    }
}
