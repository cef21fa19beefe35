//! What a drive reads at power-up to find its map again.

use crate::Probe;
use crate::guards::demand::Recovery;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::{Class, Context, Origin, Transaction};
use units::Ppa;

impl PageMapped {
    /// The log of changes begins, or goes on with what was found after a power cut and it does not tell of.
    pub(super) fn begin_log(&mut self) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        let Some(log) = demand.checkpoints.as_mut().and_then(|known| known.log.as_mut()) else { return };
        for superblock in 0..self.media.core.store.layout.superblocks() {
            let (rows, told) = (self.media.core.store.array.next_row(superblock), log.rows_told(superblock));
            if !log.has_begun {
                log.begin_with(superblock, rows); // The map on flash is whole.
            } else if rows > told {
                log.note(superblock, rows, (rows - told) * self.media.core.store.layout.row_units);
            }
        }
        log.has_begun = true;
    }

    /// A program is over: the log has a change for each of its units.
    #[cold]
    pub(super) fn log_programmed(&mut self, transaction: &Transaction) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        let Some(log) = demand.checkpoints.as_mut().and_then(|known| known.log.as_mut()) else { return };
        let superblock = self.media.core.store.space.global(transaction.die.index(), transaction.superblock);
        let units = transaction.rows * self.media.core.store.layout.row_units;
        let origin = |unit: u32| self.media.core.store.programs.get(transaction.owner, unit).origin();
        let changes = (0..units).filter(|&unit| origin(unit) != Origin::Padding).count();
        log.note(superblock, transaction.row + transaction.rows, changes as u32);
    }

    /// Reads of a recovery that are under way.
    pub fn recovering(&self) -> u32 {
        if let Some(finding) = &self.media.core.finding {
            return finding.reading;
        }
        let checkpoints = self.media.guards.demand.as_ref().and_then(|demand| demand.checkpoints.as_ref());
        checkpoints.map_or(0, |checkpoints| checkpoints.recovering)
    }

    /// A read of a recovery is done.
    pub(crate) fn on_recovery_read(&mut self) {
        let checkpoints = self.media.guards.demand.as_mut().and_then(|demand| demand.checkpoints.as_mut());
        checkpoints.expect("only a drive with checkpoints recovers").recovering -= 1;
    }

    /// Reads what a drive that was at rest reads at power-up to rebuild its map; none where the map survives.
    pub fn begin_recovery<P: Probe>(&mut self, ctx: &mut Context<P>) -> Option<Recovery> {
        let demand = self.media.guards.demand.as_ref()?;
        let checkpoints = demand.checkpoints.as_ref()?;
        let layout = self.media.core.store.layout.clone();
        let mut recovery = Recovery::default();
        let mut reads: Vec<(u32, u64)> = Vec::new();
        for unit in demand.read_first() {
            let home = self.media.core.store.map.lookup(unit);
            if home != Ppa::NONE {
                recovery.checkpoint_units += 1;
                let (row, unit) = layout.row_of(home);
                reads.extend(self.media.rows_for(row).into_iter().map(|row| (row, unit)));
            }
        }
        let whole = u64::MAX >> (64 - layout.row_units);
        let spare =
            (0..layout.row_units).step_by(layout.units_per_page as usize).fold(0, |mask, at| mask | 1 << at);
        let answers = |superblock: &usize| {
            let (die, _) = self.media.core.store.space.place_of(*superblock as u32);
            !self.media.core.store.dead.has(die)
        };
        for superblock in (0..layout.superblocks()).filter(answers) {
            let (first, written) =
                (superblock as u32 * layout.rows, self.media.core.store.array.next_row(superblock));
            let told = checkpoints.rows_told(superblock);
            if written == layout.rows && layout.summary_units > 0 && !checkpoints.covers(superblock) {
                recovery.summaries += 1;
                reads.push((first + layout.rows - layout.program_rows, whole));
            } else if written < layout.rows {
                recovery.open_rows += u64::from(written - told);
                reads.extend((told..written).map(|row| (first + row, spare)));
            }
        }
        recovery.pages_read = reads.iter().map(|(_, mask)| u64::from(layout.pages_touched(*mask))).sum();
        let demand = self.media.guards.demand.as_mut().expect("seen above");
        demand.checkpoints.as_mut().expect("seen above").recovering = reads.len() as u32;
        demand.begin_loading();
        for (row, mask) in reads {
            self.media.submit_read(row, mask, Origin::Map, Class::InternalRead, NONE, ctx);
        }
        Some(recovery)
    }
}
