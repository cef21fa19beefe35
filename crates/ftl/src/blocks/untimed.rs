//! The layer at rest and without time: preconditioning, saved states.
//!
//! Without time the layer does what it does in time; only the flash answers at once.

use super::BlockMapped;
use crate::SavedState;
use crate::buffer::{Coverage, Risk};
use crate::contents::FlashContents;
use crate::host_side::Serves;
use crate::layer::Layer;
use crate::layer::{Outlasts, Untimed};
use crate::mapping::bank::{Bank, Block, Role};
use crate::parts::Whole;
use crate::saved::Untaken;
use crate::store::NONE;
use controller::{Context, TimedTransaction};
use engine::RandomStream;
use std::collections::VecDeque;
use units::Lpn;

/// Constant: number of times that the drive's log blocks are all overwritten with random writes when a used state of a
/// block-mapped drive is constructed in place of preconditioning.
const LOG_ROUNDS: u64 = 4;

/// Constant: number of 32-bit words that the saved state of a block-mapped drive has for each block (one superblock on
/// each die of a bank), not counting the numbers of the block's superblocks.
const BLOCK_WORDS: usize = 5;

impl BlockMapped {
    /// Completes all transactions that were submitted without simulated time, for preconditioning. Returns false when
    /// there were none.
    fn finish_instant(&mut self, ctx: &mut Context<()>) -> bool {
        let mut any = false;
        self.pump(ctx);
        while let Some(transaction) = self.instant.as_mut().and_then(VecDeque::pop_front) {
            any = true;
            self.on_finished(&TimedTransaction::at_once(transaction), ctx);
            self.pump(ctx);
        }
        any
    }

    /// Does work without simulated time, for preconditioning, in a context of its own, whose events are dropped.
    fn without_time(&mut self, work: impl FnOnce(&mut Self, &mut Context<()>)) {
        self.instant.get_or_insert_default();
        let mut ctx = self.untimed_context.take().unwrap_or_else(|| Box::new(Context::new(())));
        work(self, &mut ctx);
        self.untimed_context = ctx.calendar.is_empty().then_some(ctx);
    }

    /// Brings a fresh block-mapped drive into a used state, without simulated time: writes the first `filled` units in
    /// order, then random units among them until all log blocks were overwritten several times.
    pub fn construct_used(&mut self, filled: u32, seed: u64) {
        (0..filled).map(Lpn).for_each(|lpn| self.write_untimed(lpn));
        let logs = u64::from(self.rules.kind.logs_usual()) * self.banks.len() as u64;
        let writes = LOG_ROUNDS * logs * u64::from(self.rules.kind.units_absorbed(self.rules.group_units));
        let mut random = RandomStream::new(seed, "ftl.construct");
        for _ in 0..writes {
            self.write_untimed(Lpn(random.below(u64::from(filled)) as u32));
        }
    }

    // ---- saved states ----------------------------------------------------------------------------------

    /// Recomputes, after a saved state was loaded, the block to which each superblock belongs (a block of a
    /// block-mapped drive consists of one superblock on each die of its bank) and the number of valid units of each
    /// block.
    fn count_valid(&mut self) {
        for bank in &mut self.banks {
            for block in 0..bank.blocks.len() as u32 {
                if bank.blocks[block as usize].role == Role::Unused {
                    continue;
                }
                let mut valid = 0;
                for &superblock in bank.members_of(block).iter().filter(|at| **at != NONE) {
                    self.block_of[superblock as usize] = block;
                    valid += self.media.core.store.space.valid[superblock as usize];
                }
                bank.blocks[block as usize].valid = valid;
            }
        }
    }
}

fn block_words(block: &Block) -> [u32; BLOCK_WORDS] {
    let flags = [u32::from(block.in_place), u32::from(block.failing)];
    [block.role as u32, block.owner, block.next, flags[0], flags[1]]
}

fn load_bank(bank: &mut Bank, saved: &mut Untaken<'_>) -> Result<(), String> {
    let faulty = || "the saved state's blocks contradict each other".to_owned();
    let (data, logs, members, blocks) = (saved.words()?, saved.words()?, saved.words()?, saved.words()?);
    let count = blocks.len() / BLOCK_WORDS;
    let known = |block: &u32| (*block as usize) < count;
    if data.len() != bank.data.len()
        || !data.iter().all(|block| *block == NONE || known(block))
        || !logs.iter().all(known)
        || members.len() != count * bank.erasing.len()
    {
        return Err(faulty());
    }
    let clocks = saved.longs_for(count + 1)?;
    bank.data_blocks = data.iter().filter(|block| **block != NONE).count() as u32;
    (bank.data, bank.logs, bank.members) = (data.to_vec(), logs.to_vec(), members.to_vec());
    bank.clock = clocks[0];
    for (chunk, &used) in blocks.chunks_exact(BLOCK_WORDS).zip(&clocks[1..]) {
        let role = *Role::ALL.get(chunk[0] as usize).ok_or_else(faulty)?;
        let block = Block {
            role,
            owner: chunk[1],
            next: chunk[2],
            in_place: chunk[3] != 0,
            failing: chunk[4] != 0,
            used,
            ..Block::UNUSED
        };
        if role == Role::Unused {
            bank.unused.push(bank.blocks.len() as u32);
        }
        bank.blocks.push(block);
    }
    Ok(())
}

impl Untimed for BlockMapped {
    fn write_untimed(&mut self, lpn: Lpn) {
        self.without_time(|ftl, ctx| {
            while ftl.media.reserve(1) == 0 {
                ftl.press(ctx);
                let moved = ftl.finish_instant(ctx);
                if !moved && !ftl.media.has_slot() {
                    // Too many blocks failed while it was preconditioned.
                    let stats = &ftl.media.core.store.stats;
                    assert!(stats.program_failures + stats.erase_failures > 0, "{}", ftl.explain_stall());
                    ftl.media.core.read_only = true;
                    return;
                }
            }
            ftl.write(u32::MAX, lpn, Coverage::Whole, ctx);
            ftl.finish_instant(ctx);
        });
    }

    fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        if !self.media.core.read_only {
            self.write_untimed(lpn);
        }
        !self.media.core.read_only
    }

    fn trim_untimed(&mut self, lpn: Lpn) {
        self.without_time(|ftl, ctx| {
            ftl.trim(lpn, 1, ctx);
            ftl.finish_instant(ctx);
        });
    }

    fn settle(&mut self) {
        if self.instant.is_none() {
            return self.media.features.settled(&self.media.core);
        }
        self.without_time(|ftl, ctx| {
            ftl.press(ctx);
            while ftl.finish_instant(ctx) {
                ftl.press(ctx);
            }
        });
        (self.instant, self.untimed_context) = (None, None);
        self.media.features.settled(&self.media.core);
        self.host.risk = Risk::default();
        for bank in &mut self.banks {
            (bank.waiting.pressed, bank.waiting.awaited) = (false, false);
            bank.merging.forget_time();
        }
    }
}

impl Outlasts for BlockMapped {
    fn save(&self) -> Result<SavedState, String> {
        let busy = self.banks.iter().any(|bank| bank.merging.job.is_some() || bank.in_flight > 0);
        if self.media.is_draining() || self.media.core.store.controller.in_flight() > 0 || busy {
            return Err("the state can be saved only while nothing is in flight".into());
        }
        let mut saved = SavedState::default();
        self.media.core.store.save(&mut saved);
        self.media.core.lost.save(&mut saved);
        for bank in &self.banks {
            saved.words.extend([bank.data.clone(), bank.logs.clone(), bank.members.clone()]);
            saved.words.push(bank.blocks.iter().flat_map(block_words).collect());
            let used = bank.blocks.iter().map(|block| block.used);
            saved.longs.push(std::iter::once(bank.clock).chain(used).collect());
        }
        saved.words.extend(self.media.core.store.array.save());
        Ok(saved)
    }

    fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        let mut untaken = Untaken::of(saved);
        self.media.core.store.load(&mut untaken)?;
        let logical_units = self.layout().logical_units;
        self.media.core.lost.load(&mut untaken, logical_units)?;
        for bank in &mut self.banks {
            load_bank(bank, &mut untaken)?;
        }
        untaken.load_array(&mut self.media.core.store.array)?;
        self.count_valid();
        (0..self.banks.len()).for_each(|bank| self.note_lost_room(bank));
        Ok(())
    }

    fn go_on_from(&mut self, contents: FlashContents) {
        self.find_map(contents);
    }

    fn into_base(self) -> Whole {
        Whole { media: self.media, upkeep: self.upkeep, host: self.host }
    }
}
