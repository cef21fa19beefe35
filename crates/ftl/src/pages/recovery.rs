//! What a drive that was at rest reads at power-up to find its map again.

use crate::Probe;
use crate::core::Recovery;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::{Class, Context, Origin};
use units::Ppa;

impl PageMapped {
    /// Returns the number of flash reads in flight by which the drive rebuilds its map at power-up.
    pub fn recovering(&self) -> u32 {
        self.media.core.finding.as_ref().map_or(self.recovering, |finding| finding.reading)
    }

    /// Submits the flash reads by which a drive that was switched off without operations in flight rebuilds its map at
    /// power-up, and returns their counts; none where the map survives without power.
    pub fn begin_recovery<P: Probe>(&mut self, ctx: &mut Context<P>) -> Option<Recovery> {
        if !self.media.features.recovers() {
            return None;
        }
        let mut units = Vec::new();
        self.media.features.powers_up(&mut units);
        let layout = self.media.core.store.layout.clone();
        let mut recovery = Recovery::default();
        let mut reads: Vec<(u32, u64)> = Vec::new();
        for unit in units {
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
            let told = self.media.features.told_of(superblock).unwrap_or_default();
            if written == layout.rows && layout.summary_units > 0 && !told.all {
                recovery.summaries += 1;
                reads.push((first + layout.rows - layout.program_rows, whole));
            } else if written < layout.rows {
                recovery.open_rows += u64::from(written - told.rows);
                reads.extend((told.rows..written).map(|row| (first + row, spare)));
            }
        }
        recovery.pages_read = reads.iter().map(|(_, mask)| u64::from(layout.pages_touched(*mask))).sum();
        self.recovering = reads.len() as u32;
        for (row, mask) in reads {
            self.media.submit_read(row, mask, Origin::Map, Class::InternalRead, NONE, ctx);
        }
        Some(recovery)
    }
}
