//! Superblocks with one bit a cell in a saved state.

use super::SlcCache;
use crate::SavedState;
use crate::core::Core;
use crate::saved::Untaken;
use crate::store::{self, Frontier, Mover, NONE, Space, SuperblockState as S};

impl SlcCache {
    /// Adds the superblocks in SLC mode to a saved state. One that is being folded (moved into cells with all bits)
    /// counts as full: its folding starts again from its first page row.
    pub(super) fn put_into(&self, core: &Core, saved: &mut SavedState) {
        let space = &core.store.space;
        for (at, die) in self.dies.iter().enumerate() {
            let open = space.dies[at].one_bit();
            let Mover { victim, pending, .. } = &core.folding[at].mover;
            let pending = pending.iter().map(|(superblock, _)| superblock);
            let victim = Some(victim).filter(|_| core.folding[at].mover.has_victim());
            if let Some(&victim) = victim {
                // It is folded from its beginning.
                let state = &mut saved.words[store::STATES][space.global(at, victim)];
                *state = S::Closed as u32 | *state & store::FAILING;
            }
            let closed = pending.chain(victim).chain(&die.waiting).copied();
            let own = self.own.as_ref().map_or_else(Vec::new, |own| own[at].clone());
            saved.words.extend([vec![open.superblock, open.next_unit], closed.collect(), own]);
        }
    }

    /// Restores the superblocks in SLC mode from a saved state, after the states of all superblocks in `space`; `units`
    /// is the number of mapping units of a superblock in SLC mode.
    ///
    /// # Errors
    /// When the saved lists of these superblocks contradict each other or the saved states of all superblocks.
    pub(super) fn take_from(
        &mut self,
        space: &mut Space,
        saved: &mut Untaken<'_>,
        units: u32,
    ) -> Result<(), String> {
        let wrong = || "the saved state's superblocks with one bit a cell contradict themselves".to_owned();
        self.in_use = 0;
        for at in 0..self.dies.len() {
            let open = saved.words_for(2)?;
            let (closed, own) = (saved.words()?, saved.words()?);
            let is_open = open[0] != NONE;
            let all = closed.iter().chain(own).chain(open.first().filter(|_| is_open));
            if !all.clone().all(|&superblock| superblock < space.per_die) || open[1] > units {
                return Err(wrong());
            }
            for &superblock in closed.iter().chain(open.first().filter(|_| is_open)) {
                let global = space.global(at, superblock);
                let apart = self.own.is_none() || superblock >= self.first_of_own();
                if std::mem::replace(&mut space.one_bit[global], true) || !apart {
                    return Err(wrong());
                }
                let wanted = if is_open && superblock == open[0] { S::Open } else { S::Closed };
                if space.state[global] != wanted {
                    return Err(wrong());
                }
            }
            match &mut self.own {
                Some(mine) if own.iter().all(|&free| space.state[space.global(at, free)] == S::Free) => {
                    mine[at] = own.to_vec();
                }
                None if own.is_empty() => {}
                _ => return Err(wrong()),
            }
            let (superblock, next_unit) = (open[0], open[1]);
            *space.dies[at].one_bit_mut() = Frontier { superblock, next_unit, ..Frontier::CLOSED };
            let (mut failed, waiting): (Vec<u32>, Vec<u32>) =
                closed.iter().partition(|&&superblock| space.failing[space.global(at, superblock)]);
            let die = &mut self.dies[at];
            die.failed = failed.len() as u32;
            failed.extend(waiting);
            die.waiting = failed.into();
            die.superblocks = closed.len() as u32 + u32::from(is_open);
            self.in_use += die.superblocks;
            self.tell(at, space);
        }
        Ok(())
    }
}
