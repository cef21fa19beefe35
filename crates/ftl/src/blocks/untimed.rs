//! The layer at rest and without time: preconditioning, saved states.
//!
//! Without time the layer does what it does in time; only the flash answers at once.

use super::BlockMapped;
use crate::SavedState;
use crate::buffer::Risk;
use crate::host_side::{Coverage, Sectored, Serves};
use crate::mapping::bank::{Bank, Block, Role};
use crate::store::{NONE, SuperblockState};
use controller::Context;
use engine::RandomStream;
use std::cmp::Reverse;
use std::collections::VecDeque;
use units::Lpn;

/// Times that all log blocks are written over in a constructed state.
const LOG_ROUNDS: u64 = 4;

/// Words before those of the banks.
const HEAD_WORDS: usize = 5;
/// Words of a block beside its superblocks.
const BLOCK_WORDS: usize = 5;
/// Arrays of a bank beside the free superblocks of its dies.
const BANK_WORDS: usize = 5;

impl BlockMapped {
    /// Writes one unit in no time.
    ///
    /// # Panics
    /// When the drive is stuck, which [`Self::new`] has ruled out for blocks that do not fail.
    pub fn write_untimed(&mut self, lpn: Lpn) {
        self.instant.get_or_insert_default();
        let mut ctx = Context::new(());
        while self.media.reserve(1) == 0 {
            self.press(&mut ctx);
            let moved = self.finish_instant(&mut ctx);
            if !moved && !self.media.has_slot() {
                // Too many blocks failed while it was preconditioned.
                assert!(
                    self.media.store.stats.program_failures + self.media.store.stats.erase_failures > 0,
                    "{}",
                    self.explain_stall()
                );
                self.media.read_only = true;
                return;
            }
        }
        self.write(u32::MAX, lpn, Coverage::Whole, &mut ctx);
        self.finish_instant(&mut ctx);
    }

    /// The host no longer needs a unit; in no time.
    pub fn trim_untimed(&mut self, lpn: Lpn) {
        self.instant.get_or_insert_default();
        let mut ctx = Context::new(());
        self.trim(lpn, 1, &mut ctx);
        self.finish_instant(&mut ctx);
    }

    /// Writes one unit in no time; false when too many blocks have failed for it.
    pub fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        if !self.media.read_only {
            self.write_untimed(lpn);
        }
        !self.media.read_only
    }

    /// Answers all that was submitted without time. False when there was nothing.
    fn finish_instant(&mut self, ctx: &mut Context<()>) -> bool {
        let mut any = false;
        self.pump(ctx);
        while let Some(transaction) = self.instant.as_mut().and_then(VecDeque::pop_front) {
            any = true;
            self.on_finished(&transaction, ctx);
            self.pump(ctx);
        }
        any
    }

    /// Lets time begin again: all that was written without it is on the flash.
    pub fn settle(&mut self) {
        if self.instant.is_none() {
            return self.settle_sectors();
        }
        let mut ctx = Context::new(());
        self.press(&mut ctx);
        while self.finish_instant(&mut ctx) {
            self.press(&mut ctx);
        }
        self.instant = None;
        self.settle_sectors();
        self.host.risk = Risk::default();
        for bank in &mut self.banks {
            bank.waiting.pressed = false;
            bank.merging.forget_time();
        }
    }

    /// Writes the first `filled` units in order and then random ones among them, until all log blocks were written
    /// over several times.
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

    /// Takes the state of a drive at rest.
    ///
    /// # Errors
    /// When something is under way.
    pub fn save(&self) -> Result<SavedState, String> {
        let busy = self.banks.iter().any(|bank| bank.merging.job.is_some() || bank.in_flight > 0);
        if self.media.is_draining() || self.media.store.controller.in_flight() > 0 || busy {
            return Err("the state can be saved only while nothing is under way".into());
        }
        let (forward, backward, valid) = self.media.store.map.arrays();
        let mut words = vec![
            forward.to_vec(),
            backward.to_vec(),
            self.media.store.space.state.iter().map(|state| *state as u32).collect(),
            self.media.store.space.failing.iter().map(|failing| u32::from(*failing)).collect(),
            self.media.guards.rebuilds.lost.iter().copied().collect(),
        ];
        let erases = self.media.store.space.dies.iter().map(|die| die.erases).collect();
        let mut longs = vec![valid.to_vec(), erases];
        for bank in &self.banks {
            words.push(bank.data.clone());
            words.push(bank.logs.clone());
            words.push(bank.blocks.iter().flat_map(block_words).collect());
            words.push(bank.members.clone());
            words.push(bank.dies.iter().map(|die| die.usable).collect());
            longs.push(
                std::iter::once(bank.clock).chain(bank.blocks.iter().map(|block| block.used)).collect(),
            );
            for die in &bank.dies {
                let mut sorted: Vec<(u64, u32)> = die.free.iter().map(|Reverse(entry)| *entry).collect();
                sorted.sort_unstable();
                words.push(sorted.iter().map(|(_, superblock)| *superblock).collect());
                longs.push(sorted.iter().map(|(rank, _)| *rank).collect());
            }
        }
        words.extend(self.media.store.array.save());
        Ok(SavedState { words, longs })
    }

    /// Puts a saved state into this drive, which must be fresh and of the same shape.
    ///
    /// # Errors
    /// When the shapes differ or the state contradicts itself.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        let shape = || "the saved state is of a drive of another shape".to_owned();
        let (span, good) = (self.rules.span as usize, self.usable_superblocks());
        let array_at = HEAD_WORDS + (BANK_WORDS + span) * self.banks.len();
        let (words, longs) = (&saved.words, &saved.longs);
        if words.len() <= array_at || longs.len() != 2 + (1 + span) * self.banks.len() {
            return Err(shape());
        }
        let superblocks = self.media.store.space.state.len();
        let (forward, backward, valid) = self.media.store.map.arrays_mut();
        let fits = words[0].len() == forward.len()
            && words[1].len() == backward.len()
            && longs[0].len() == valid.len()
            && longs[1].len() == self.media.store.space.dies.len()
            && words[2..4].iter().all(|array| array.len() == superblocks);
        if !fits || !self.media.store.array.load(&words[array_at..]) {
            return Err(shape());
        }
        forward.copy_from_slice(&words[0]);
        backward.copy_from_slice(&words[1]);
        valid.copy_from_slice(&longs[0]);
        for (die, &erases) in self.media.store.space.dies.iter_mut().zip(&longs[1]) {
            die.erases = erases;
        }
        for (state, &number) in self.media.store.space.state.iter_mut().zip(&words[2]) {
            *state =
                SuperblockState::of_number(number).ok_or("the saved state names an unknown block state")?;
        }
        self.media.store.space.failing = words[3].iter().map(|&failing| failing != 0).collect();
        if words[4].iter().any(|&lpn| lpn >= self.layout().logical_units) {
            return Err("the saved state has lost a unit that the drive does not have".into());
        }
        self.media.guards.rebuilds.lost = words[4].iter().copied().collect();
        for bank in 0..self.banks.len() {
            let words = &words[HEAD_WORDS + (BANK_WORDS + span) * bank..][..BANK_WORDS + span];
            let longs = &longs[2 + (1 + span) * bank..][..1 + span];
            load_bank(&mut self.banks[bank], words, longs, span)?;
        }
        self.count_valid();
        self.media.store.stats.units_written = 1; // Not a fresh drive any more.
        self.media.store.stats.superblocks_lost = u64::from(good.saturating_sub(self.usable_superblocks()));
        (0..self.banks.len()).for_each(|bank| self.note_lost_room(bank));
        Ok(())
    }

    /// Finds again which block each superblock belongs to, and how much of each is valid.
    fn count_valid(&mut self) {
        let layout = &self.media.store.layout;
        for bank in &mut self.banks {
            for block in 0..bank.blocks.len() as u32 {
                if bank.blocks[block as usize].role == Role::Unused {
                    continue;
                }
                let mut sum = 0;
                for member in 0..self.rules.span {
                    let superblock = bank.members_of(block)[member as usize];
                    self.block_of[superblock as usize] = block;
                    let first = layout.first_ppa(superblock);
                    let mask = |row| {
                        self.media.store.map.valid_mask(first + row * layout.row_units, layout.row_units)
                    };
                    let valid = (0..layout.rows).map(|row| mask(row).count_ones()).sum();
                    self.media.store.space.valid[superblock as usize] = valid;
                    sum += valid;
                }
                bank.blocks[block as usize].valid = sum;
            }
        }
    }
}

fn block_words(block: &Block) -> [u32; BLOCK_WORDS] {
    let flags = [u32::from(block.in_place), u32::from(block.failing)];
    [block.role as u32, block.owner, block.next, flags[0], flags[1]]
}

fn load_bank(bank: &mut Bank, words: &[Vec<u32>], longs: &[Vec<u64>], span: usize) -> Result<(), String> {
    let faulty = || "the saved state's blocks contradict each other".to_owned();
    let (data, logs, blocks, members, usable) = (&words[0], &words[1], &words[2], &words[3], &words[4]);
    let count = blocks.len() / BLOCK_WORDS;
    let known = |block: &u32| (*block as usize) < count;
    if data.len() != bank.data.len()
        || !data.iter().all(|block| *block == NONE || known(block))
        || !logs.iter().all(known)
        || members.len() != count * span
        || usable.len() != span
        || longs[0].len() != count + 1
    {
        return Err(faulty());
    }
    bank.data.clone_from(data);
    bank.data_blocks = data.iter().filter(|block| **block != NONE).count() as u32;
    bank.logs.clone_from(logs);
    bank.members.clone_from(members);
    bank.clock = longs[0][0];
    for (chunk, &used) in blocks.chunks_exact(BLOCK_WORDS).zip(&longs[0][1..]) {
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
    for member in 0..span {
        let entries = longs[1 + member].iter().zip(&words[BANK_WORDS + member]);
        bank.dies[member].free = entries.map(|(&rank, &superblock)| Reverse((rank, superblock))).collect();
        bank.dies[member].usable = usable[member];
    }
    Ok(())
}
