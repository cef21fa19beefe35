//! Parity after a power cut: which torn rows the rest of their stripes give back, and which are of no use.

use super::{NOWHERE, StripeAccount};
use controller::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Record, in the checker's model of parity, of the page rows that power cuts tore (their program was interrupted), by
/// how they affect parity groups (superblocks on several dies that share parity).
#[derive(Default)]
pub(super) struct Torn {
    /// The checker's map by parity group (first number of the key) and page row (second number): the superblocks whose
    /// page row is torn (unreadable) although the parity on flash includes its data, and the parity superblock if its
    /// own page row is torn.
    lost: BTreeMap<(usize, u32), BTreeSet<usize>>,
    /// The checker's set of torn page rows (unreadable after a power cut), each as a superblock and a row, whose data
    /// the parity on flash does not include.
    uncounted: BTreeSet<(usize, u32)>,
    /// Set of the parity groups in which the erase of a superblock was submitted and to which nothing was written
    /// since.
    erasing: BTreeSet<usize>,
}

impl Torn {
    /// Returns true if, by the checker's record, the page row was torn by a power cut (its program was interrupted)
    /// before the parity of its stripe was calculated, so that the parity takes the page row as zeros.
    pub fn is_left_out(&self, superblock: usize, row: u32) -> bool {
        self.uncounted.contains(&(superblock, row))
    }
}

impl StripeAccount {
    /// Adjusts the checker's model of parity to a power cut that tore the page rows `torn` (interrupted their
    /// programs); `on_flash` is the number of page rows programmed in each superblock. Returns all torn page rows, of
    /// earlier cuts too, that parity cannot restore.
    pub fn on_cut(&mut self, torn: &[(usize, u32)], on_flash: &[u32], one_bit: &[bool]) -> Vec<(usize, u32)> {
        self.torn.uncounted.retain(|&(superblock, row)| row < on_flash[superblock]);
        for (superblock, &there) in on_flash.iter().enumerate() {
            let group = self.group_of(superblock);
            let counted = self.counted(group, on_flash).min(self.rows[superblock]);
            for row in
                (there..counted).filter(|_| !self.apart[superblock] && self.parity[group] != superblock)
            {
                self.torn.lost.entry((group, row)).or_default().insert(superblock);
            }
        }
        for &(superblock, row) in torn {
            let group = self.group_of(superblock);
            let counts = row < self.counted(group, on_flash) && !self.apart[superblock];
            match counts && !self.torn.is_left_out(superblock, row) {
                true => drop(self.torn.lost.entry((group, row)).or_default().insert(superblock)),
                false => drop(self.torn.uncounted.insert((superblock, row))),
            }
        }
        for group in 0..self.parity.len() {
            self.parity_rows[group] = self.counted(group, on_flash);
            if self.parity_rows[group] == 0 {
                self.parity[group] = NOWHERE;
            }
        }
        self.live.fill(0);
        self.rows.copy_from_slice(on_flash);
        for (superblock, apart) in self.apart.iter_mut().enumerate() {
            *apart = one_bit[superblock] && on_flash[superblock] > 0;
        }
        let lost = self.torn.lost.iter().flat_map(|(&(_, row), of)| of.iter().map(move |&at| (at, row)));
        let all = lost.chain(self.torn.uncounted.iter().copied());
        all.filter(|&(superblock, row)| !self.is_given_back(superblock, row)).collect()
    }

    /// Returns, in the checker's model of parity, the number of page rows of parity that a parity group has on flash,
    /// which is also the number of stripes that are protected.
    fn counted(&self, group: usize, on_flash: &[u32]) -> u32 {
        on_flash.get(self.parity[group]).copied().unwrap_or(0)
    }

    /// Returns true if, by the checker's model, parity can restore a torn page row (unreadable after a power cut) that
    /// holds no parity itself: all other page rows of its stripe, the parity row included, are intact.
    fn is_given_back(&self, superblock: usize, row: u32) -> bool {
        let is_parity = self.parity[self.group_of(superblock)] == superblock;
        self.is_torn(superblock, row) && !is_parity && !self.is_broken(superblock, row)
    }

    /// Returns true if, by the checker's record, a power cut tore the page row (made it unreadable) although the parity
    /// on flash includes its data.
    pub fn is_torn(&self, superblock: usize, row: u32) -> bool {
        let lost = self.torn.lost.get(&(self.group_of(superblock), row));
        lost.is_some_and(|lost| lost.contains(&superblock))
    }

    /// Returns true if, by the checker's model, parity cannot restore the page row: power cuts tore another page row of
    /// its stripe (made it unreadable), the page row was torn before its parity was calculated, or superblocks of its
    /// group are being erased.
    pub(super) fn is_broken(&self, superblock: usize, row: u32) -> bool {
        let group = self.group_of(superblock);
        let takes_another = |lost: &BTreeSet<usize>| lost.iter().any(|&other| other != superblock);
        self.torn.erasing.contains(&group)
            || self.torn.is_left_out(superblock, row)
            || self.torn.lost.get(&(group, row)).is_some_and(takes_another)
    }

    /// Checks that a page row that is read to restore another page row of its stripe is intact: neither it nor more
    /// than one other page row of the stripe was torn by a power cut.
    pub(super) fn check_help(&self, superblock: usize, row: u32) {
        let group = self.group_of(superblock);
        let lost = self.torn.lost.get(&(group, row));
        let is_whole = lost.is_none_or(|lost| lost.len() == 1 && !lost.contains(&superblock));
        assert!(
            is_whole && !self.torn.uncounted.contains(&(superblock, row)),
            "row {row} of superblock {superblock} cannot help: a power cut tore its stripe"
        );
    }

    /// Drops the entries of a superblock that is erased from the checker's set of torn page rows that no parity
    /// includes.
    pub(super) fn forget_torn(&mut self, superblock: usize) {
        self.torn.uncounted.retain(|(at, _)| *at != superblock);
    }

    /// Notes the submission of an erase or a program in a parity group: an erase drops all entries of the group's torn
    /// page rows (unreadable after a power cut); at the first program after it, checks that all superblocks of the
    /// group are erased.
    pub(super) fn note_erasing(&mut self, kind: Kind, group: usize) {
        if kind == Kind::Erase {
            self.torn.erasing.insert(group);
            self.torn.lost.retain(|(of, _), _| *of != group);
            let uncounted = std::mem::take(&mut self.torn.uncounted);
            self.torn.uncounted =
                uncounted.into_iter().filter(|(at, _)| self.group_of(*at) != group).collect();
        } else if self.torn.erasing.remove(&group) {
            let set = group / self.per_die * self.width;
            let mut members = (set..set + self.width).map(|die| die * self.per_die + group % self.per_die);
            assert!(
                members.all(|superblock| self.rows[superblock] == 0),
                "group {group} is written while some of its superblocks are not erased"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{account, program, submit};
    use controller::{Kind, Origin};

    /// Constant of a test: number of page rows programmed in each superblock of the test drive, in which superblocks 0,
    /// 2 and 4 form a parity group, whose parity is in superblock 2.
    const ON_FLASH: [u32; 6] = [1, 0, 1, 0, 1, 0];

    #[test]
    fn what_no_parity_counts_is_still_lost_after_the_next_cut() {
        let (mut account, on_flash) = (account(), [1, 0, 1, 0, 2, 0]);
        assert_eq!(account.on_cut(&[(4, 1)], &on_flash, &[false; 6]), [(4, 1)]);
        assert_eq!(account.on_cut(&[], &on_flash, &[false; 6]), [(4, 1)]);
    }

    #[test]
    fn one_torn_row_is_given_back_and_two_are_not() {
        assert_eq!(account().on_cut(&[(0, 0)], &ON_FLASH, &[false; 6]), []);
        assert_eq!(account().on_cut(&[(0, 0), (4, 0)], &ON_FLASH, &[false; 6]), [(0, 0), (4, 0)]);
        assert_eq!(account().on_cut(&[(0, 0), (2, 0)], &ON_FLASH, &[false; 6]), [(0, 0), (2, 0)]);
        // The other was handed out and never programmed, though the parity counts it.
        assert_eq!(account().on_cut(&[(0, 0)], &[1, 0, 1, 0, 0, 0], &[false; 6]), [(0, 0), (4, 0)]);
        // Its parity never came to the flash.
        assert_eq!(account().on_cut(&[(0, 0)], &[1, 0, 0, 0, 1, 0], &[false; 6]), [(0, 0)]);
    }

    #[test]
    #[should_panic(expected = "a power cut tore its stripe")]
    fn a_torn_row_helps_nobody() {
        let mut account = account();
        account.on_cut(&[(0, 0)], &ON_FLASH, &[false; 6]);
        submit(&mut account, Kind::Read, Origin::Rebuild, 0, 0);
    }

    #[test]
    #[should_panic(expected = "some of its superblocks are not erased")]
    fn a_group_is_erased_as_a_whole() {
        let mut account = account();
        account.on_left(0);
        submit(&mut account, Kind::Erase, Origin::Gc, 0, 0);
        account.on_erase(0);
        program(&mut account, Origin::Host, 0, 0);
    }
}
