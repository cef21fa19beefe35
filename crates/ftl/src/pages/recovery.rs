//! What a drive reads at power-up to find its map again.

use crate::Probe;
use crate::guards::demand::Recovery;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::{Class, Context, Origin};
use units::Ppa;

impl PageMapped {
    /// Reads of a recovery that are under way.
    pub fn recovering(&self) -> u32 {
        if let Some(power) = &self.media.guards.power {
            return power.reading;
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
        let layout = self.media.store.layout.clone();
        let mut recovery = Recovery::default();
        let mut reads: Vec<(u32, u64)> = Vec::new();
        for page in 0..demand.outdated.pages() {
            let home = self.media.store.map.lookup(demand.unit_of(page));
            if home != Ppa::NONE {
                recovery.checkpoint_units += 1;
                reads.push(layout.row_of(home));
            }
        }
        let whole = u64::MAX >> (64 - layout.row_units);
        let spare =
            (0..layout.row_units).step_by(layout.units_per_page as usize).fold(0, |mask, at| mask | 1 << at);
        for superblock in 0..layout.superblocks() {
            let (first, written) =
                (superblock as u32 * layout.rows, self.media.store.array.next_row(superblock));
            if written == layout.rows && !checkpoints.covers(superblock) {
                recovery.summaries += 1;
                reads.push((first + layout.rows - layout.program_rows, whole));
            } else if written < layout.rows {
                recovery.open_rows += u64::from(written);
                reads.extend((0..written).map(|row| (first + row, spare)));
            }
        }
        recovery.pages_read = reads.iter().map(|(_, mask)| u64::from(layout.pages_touched(*mask))).sum();
        let demand = self.media.guards.demand.as_mut().expect("seen above");
        demand.checkpoints.as_mut().expect("seen above").recovering = reads.len() as u32;
        for (row, mask) in reads {
            self.media.submit_read(row, mask, Origin::Map, Class::InternalRead, NONE, ctx);
        }
        Some(recovery)
    }
}
