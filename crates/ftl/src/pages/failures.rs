//! Dies fail in the middle of a run: the drive goes on without them.
//!
//! What they were at fails, and is done elsewhere where its data are in RAM. What they hold stays where it is: a read of it
//! is made good from the rest of its stripe, or fails. With parity the drive takes no more writes, and moves nothing: only
//! the rest of each stripe gives back what a dead die held. Without it the drive goes on with the other dies while what the
//! host may write fits on them. Not modelled: writing anew what parity gives back, on the dies that are left.

use crate::Probe;
use crate::host_side::Serves;
use crate::media::Media;
use crate::pages::PageMapped;
use crate::store::SuperblockState;
use controller::Context;
use units::DieId;

/// Set of counts of the effects of die failures during the run: mapping units on the dies that parity protects, mapping
/// units lost, and programs in flight or waiting there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiesFailed {
    /// Number of mapping units on failed dies that the rest of their parity stripes can restore.
    pub units_protected: u64,
    /// Number of mapping units on failed dies that are lost.
    pub units_lost: u64,
    /// Number of programs that were in flight on the failed dies, or waiting there.
    pub programs: u64,
}

impl PageMapped {
    /// Marks dies as failed: from now on they answer no operation. Returns the counts of the mapping units and of the
    /// programs that the failures hit.
    pub fn fail_dies<P: Probe>(&mut self, dies: &[u32], ctx: &mut Context<P>) -> DiesFailed {
        let fresh: Vec<usize> =
            dies.iter().map(|&die| die as usize).filter(|&die| self.media.core.store.dead.add(die)).collect();
        let mut failed = DiesFailed::default();
        for &die in &fresh {
            self.media.fail_die(die, ctx);
            let space = &self.media.core.store.space;
            let programs = &space.in_flight[space.of_die(die)];
            failed.programs += programs.iter().map(|&programs| u64::from(programs)).sum::<u64>();
        }
        for &die in &fresh {
            let (protected, lost) = self.media.units_of_dead(die);
            failed.units_protected += protected;
            failed.units_lost += lost;
        }
        self.media.core.read_only |= self.media.core.rules.in_step;
        self.media.core.note_lost_room();
        self.media.fit_features(ctx);
        for die in 0..self.media.core.store.layout.dies as usize {
            self.upkeep.collect(&mut self.media, die, ctx);
            self.media.update_eligible(die);
        }
        self.pump(ctx);
        failed
    }
}

impl Media {
    /// Marks all superblocks of a failed die as lost, so that none of them is used any more.
    fn fail_die<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        for read in self.core.store.controller.fail_reads(DieId(die as u32)) {
            if read.origin != controller::Origin::ReadAhead {
                self.features.pinned(self.core.store.space.global(die, read.superblock) as u32);
            }
        }
        let open: Vec<u32> =
            self.core.store.space.dies[die].frontiers.iter().map(|it| it.superblock).collect();
        for superblock in open.into_iter().filter(|&superblock| superblock != crate::store::NONE) {
            self.end_superblock(die, superblock, ctx);
        }
        for (superblock, global) in (0..).zip(self.core.store.space.of_die(die)) {
            let state = self.core.store.space.state[global];
            if self.core.store.space.is_candidate(global) {
                self.core.store.space.take(die, superblock);
            }
            self.core.store.stats.superblocks_lost += u64::from(state != SuperblockState::Lost);
            self.core.store.space.state[global] = SuperblockState::Lost;
            self.features.died(&mut self.core, global as u32);
            self.do_asked(ctx);
        }
        self.core.store.space.dies[die].free.clear();
        self.core.store.space.dies[die].usable = 0;
        self.core.update_quota(die);
        self.update_eligible(die);
    }

    /// Returns the numbers of valid units on a failed die: units that the rest of their parity stripe can restore, and
    /// units that are lost.
    fn units_of_dead(&self, die: usize) -> (u64, u64) {
        let layout = &self.core.store.layout;
        let (mut protected, mut lost) = (0, 0);
        for superblock in self.core.store.space.of_die(die).map(|global| global as u32) {
            for row in 0..layout.rows {
                let first = layout.first_ppa(superblock) + u64::from(row * layout.row_units);
                let valid = u64::from(self.core.store.map.valid_mask(first, layout.row_units).count_ones());
                match valid > 0 && self.features.gives_back(&self.core, superblock, row) {
                    true => protected += valid,
                    false => lost += valid,
                }
            }
        }
        (protected, lost)
    }
}
