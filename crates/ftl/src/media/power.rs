//! The power fails: what that does to the flash, and what is left.

use super::Media;
use crate::Turnover;
use crate::buffer::Risk;
use crate::contents::{Counted, Damage, FlashContents, Listed};
use crate::core::Core;
use crate::lapse::Lapse;
use crate::store::Source;
use crate::store::spare::{NOTHING, SpareAreas};
use controller::{Ending, Interrupted, Kind, Origin, Transaction};
use nand::ProgramStatus;
use units::{Ppa, SimTime};

/// Record of the damage of a power cut to the flash, recorded while the cut is applied: counts, superblocks with an
/// interrupted erase, and page rows that cannot be read unless parity restores them.
#[derive(Default)]
pub(crate) struct Wreck {
    damage: Damage,
    /// List of the superblocks (numbered over the drive) whose erase was interrupted.
    half_erased: Vec<usize>,
    /// List of the page rows, each with its superblock, that cannot be read after a power cut (torn programs, earlier
    /// pages of their wordlines, rows on failed dies) and that the rest of their parity stripes may restore.
    torn: Vec<(u32, u32)>,
}

impl Media {
    /// Records the stamps (numbers of host writes) of the units of a program that has ended, in the simulated spare
    /// areas of these units; a failed program leaves no stamps.
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

    /// Cuts the power at `now`: interrupts all programs and erases in flight, and applies their effects to the flash.
    /// Returns the interrupted operations and the record of the damage.
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

    /// Returns what the flash holds after a power cut, with the statistics; the rest of the drive's state is lost.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn left_over(mut self, wreck: Wreck, risk: Risk, turnover: Turnover) -> FlashContents {
        let is_zoned = self.core.store.spare.as_ref().is_some_and(|numbers| numbers.zones.is_some());
        // Capacitors keep what the buffer of a zoned drive holds.
        let buffered_lost = if is_zoned { 0 } else { self.core.buffer.at_risk() };
        let marks = self.core.store.space.marks(&wreck.half_erased);
        self.features.cut(&mut self.core);
        let Self { core: Core { store, assembly, lost, agenda, read_only, .. }, features } = self;
        let numbers = store.spare.expect("a drive whose power is cut notes what it writes");
        FlashContents {
            spare: SpareAreas {
                holders: store.map.copied().1,
                stamps: numbers.stamps,
                labels: numbers.labels,
                zones: numbers.zones,
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

    /// Applies to the flash a program that was in flight when the power failed: its page rows count as programmed, and
    /// its units get their stamps (numbers of host writes, in the spare areas) unless `status` says that the program
    /// failed.
    fn end_program(&mut self, transaction: &Transaction, global: usize, status: ProgramStatus) {
        self.core.store.array.restore(global, transaction.row + transaction.rows);
        self.stamp_programmed(transaction, status);
    }

    /// Marks the rows of an interrupted program as torn, and the pages of its wordline that were programmed before it
    /// as spoilt (Tseng, Grupp and Swanson, DAC 2011), unless the rest of their parity stripes restores them.
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

    /// Marks the programmed page rows of failed dies, whose spare areas cannot be read after a power cut: as torn (as
    /// if their program had been interrupted) where parity protects them, and as lost elsewhere.
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

    /// Marks the content of a page row as lost, because nothing can restore it after the power cut, and counts the
    /// damage.
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
