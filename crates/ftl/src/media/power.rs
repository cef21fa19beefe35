//! The power fails: what that does to the flash, and what is left.

use super::Media;
use crate::Turnover;
use crate::buffer::Risk;
use crate::core::Core;
use crate::lapse::Lapse;
use crate::medium::{Counted, Damage, Listed, Medium};
use crate::store::Source;
use crate::store::spare::{NOTHING, SpareAreas};
use controller::{Ending, Interrupted, Kind, Origin, Transaction};
use nand::ProgramStatus;
use units::{Ppa, SimTime};

/// The state of the flash after a power failure.
#[derive(Default)]
pub(crate) struct Wreck {
    damage: Damage,
    /// Superblocks (numbered over the drive) that are half erased.
    half_erased: Vec<usize>,
    /// Torn page rows that other rows of the stripe may restore, each with its superblock.
    torn: Vec<(u32, u32)>,
}

impl Media {
    /// Stamps a program that has ended: its units get the stamps of their sources.
    #[cold]
    pub fn stamp_programmed(&mut self, transaction: &Transaction, status: ProgramStatus) {
        let first = self.core.store.first_unit(transaction);
        let units = transaction.rows * self.core.store.layout.row_units;
        if let Some(numbers) = self.core.store.spare.as_mut().filter(|_| status == ProgramStatus::Failed) {
            return numbers.spoil(first as usize, units as usize);
        }
        for unit in 0..units {
            let source = self.core.store.programs.get(transaction.owner, unit);
            let Some(numbers) = &self.core.store.spare else { return };
            let stamp = match source.origin() {
                origin if origin.holds_no_data() => NOTHING,
                Origin::Map if source == Source::SUMMARY => NOTHING,
                Origin::Host | Origin::Map => self.stamp_of_slot(source.slot()),
                _ if source.place() == Ppa::NONE => NOTHING,
                _ => numbers.stamps[source.place().index()],
            };
            let Some(numbers) = &mut self.core.store.spare else { return };
            numbers.stamps[(first + u64::from(unit)) as usize] = stamp;
            if source.origin() == Origin::Map && stamp != NOTHING {
                let lpn = self.core.store.map.holder(Ppa(first + u64::from(unit)));
                self.features.numbered(lpn, stamp);
            }
        }
    }

    /// Interrupts these programs and erases: the power fails at `now`.
    pub fn interrupt(&mut self, now: SimTime) -> (Vec<Interrupted>, Wreck) {
        let interrupted = self.core.store.controller.cut(now);
        let mut wreck = Wreck::default();
        for Interrupted { transaction, ending } in &interrupted {
            let global = self.core.store.space.global(transaction.die.index(), transaction.superblock);
            let dead = self.core.store.dead.has(transaction.die.index());
            match (transaction.kind, ending) {
                (Kind::Erase, Ending::Done) => {
                    // The drive was not told, and cannot retire a block that failed.
                    let _ = self.erase_cells(transaction.die.index(), transaction.superblock);
                }
                (Kind::Erase, Ending::Halfway) => {
                    wreck.damage.half_erased += 1;
                    wreck.half_erased.push(global);
                    // Nothing of it can be read, however many cuts later it is erased anew.
                    self.core.void_rows(global as u32, 0, self.core.store.layout.rows);
                }
                _ if dead => self.end_program(transaction, global, ProgramStatus::Failed),
                (_, Ending::Done) => self.end_program(transaction, global, ProgramStatus::Done),
                (_, Ending::Halfway) => {
                    self.tear_rows(transaction, global, &mut wreck);
                    let status = match self.core.rules.lapses.has(Lapse::TrustsTornPage) {
                        true => ProgramStatus::Done,
                        false => ProgramStatus::Failed,
                    };
                    self.end_program(transaction, global, status);
                }
            }
        }
        self.leave_dead(&mut wreck);
        let mut lost = Vec::new();
        self.features.torn(&self.core, &wreck.torn, &mut lost);
        for (superblock, row) in lost {
            self.lose_row(superblock, row, &mut wreck.damage);
        }
        (interrupted, wreck)
    }

    /// Returns what is left when all that the layer knew is gone.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn left_over(mut self, wreck: Wreck, risk: Risk, turnover: Turnover) -> Medium {
        let buffered_lost = self.core.buffer.at_risk();
        let marks = self.core.store.space.marks(&wreck.half_erased);
        self.features.cut(&mut self.core);
        let Self { core: Core { store, assembly, lost, agenda, read_only, .. }, features } = self;
        let numbers = store.spare.expect("a drive whose power is cut notes what it writes");
        Medium {
            spare: SpareAreas {
                holders: store.map.copied().1,
                stamps: numbers.stamps,
                labels: numbers.labels,
                undone: numbers.undone,
            },
            marks,
            counted: Counted {
                stats: store.stats,
                risk,
                turnover,
                upkeep: agenda.map(|agenda| agenda.counts),
                clocks: store.space.dies.iter().map(|die| (die.clock, die.erases)).collect(),
                handles: assembly.streams.handles,
            },
            array: store.array,
            controller: store.controller,
            lost,
            features,
            listed: Listed { read_only, dead: store.dead },
            damage: wreck.damage,
            buffered_lost,
        }
    }

    /// Ends a program whose cells were changed, although the drive was not told before the power failed.
    fn end_program(&mut self, transaction: &Transaction, global: usize, status: ProgramStatus) {
        self.core.store.array.restore(global, transaction.row + transaction.rows);
        self.stamp_programmed(transaction, status);
    }

    /// Tears rows of an interrupted program, which spoils the pages of its wordline that were programmed
    /// before it (Tseng, Grupp and Swanson, DAC 2011), unless the rest of their stripes gives them back.
    fn tear_rows(&mut self, transaction: &Transaction, global: usize, wreck: &mut Wreck) {
        // Of its target, not of what folding in the die reads.
        let first = match self.core.store.space.holds_one_bit(global) {
            true => transaction.row,
            false => self.core.store.layout.first_row_of_wordline(transaction.row),
        };
        wreck.damage.torn_rows += u64::from(transaction.rows);
        wreck.damage.paired_rows += u64::from(transaction.row - first);
        let (superblock, end) = (global as u32, transaction.row + transaction.rows);
        if self.features.protects(superblock) {
            wreck.torn.extend((first..end).map(|row| (superblock, row)));
        } else {
            self.core.void_rows(superblock, first, transaction.row - first);
        }
    }

    /// Gives up the spare areas of a failed die, which cannot be read: all its rows count as torn.
    fn leave_dead(&mut self, wreck: &mut Wreck) {
        let dead: Vec<usize> =
            self.core.store.dead.dies().flat_map(|die| self.core.store.space.of_die(die)).collect();
        for global in dead {
            let superblock = global as u32;
            let rows = (0..self.core.store.array.next_row(global)).map(|row| (superblock, row));
            if self.features.protects(superblock) {
                wreck.torn.extend(rows);
            } else {
                rows.for_each(|(superblock, row)| self.lose_row(superblock, row, &mut wreck.damage));
            }
        }
    }

    /// Loses a page row whose content cannot be restored.
    fn lose_row(&mut self, superblock: u32, row: u32, damage: &mut Damage) {
        let (die, _) = self.core.store.space.place_of(superblock);
        if self.core.store.dead.has(die) {
            let layout = &self.core.store.layout;
            let first = layout.first_ppa(superblock) + u64::from(row * layout.row_units);
            let valid = (first..first + u64::from(layout.row_units)).map(Ppa);
            for ppa in valid.filter(|&ppa| self.core.store.map.is_valid(ppa)) {
                damage.units_on_dead += 1;
                let lpn = self.core.store.map.holder(ppa);
                let number =
                    self.core.store.spare.as_ref().map_or(NOTHING, |numbers| numbers.stamps[ppa.index()]);
                self.core.lost.leave_behind(lpn, number);
                if !layout.is_host_unit(lpn) {
                    self.features.lost_own();
                }
            }
        }
        self.core.void_rows(superblock, row, 1);
    }
}
