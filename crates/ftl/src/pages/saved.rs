//! The state of a drive at rest, taken and put back.
//!
//! Policies keep no state of their own here: they are told again, in closing order, which superblocks are
//! candidates. Counters begin anew.

use crate::guards::snapshots;
use crate::pages::PageMapped;
use crate::saved::Untaken;
use crate::store::{Frontier, NONE, SuperblockState};
use crate::{Probe, SavedState};
use controller::{Context, Origin};
use std::cmp::Reverse;

/// Arrays before those of the dies.
const HEAD_WORDS: usize = 5;
const HEAD_LONGS: usize = 2;
const DIE_WORDS: usize = 2;
const DIE_LONGS: usize = 2;
/// Of a die: two frontiers, superblocks, units, and the collection under way.
const DIE_HEAD: usize = 8;
/// Beside the state of a superblock: a program on it failed.
const FAILING: u32 = 1 << 8;

impl PageMapped {
    /// Completes the programs that wait for more units with empty ones; false when none does.
    pub fn pad_all<P: Probe>(&mut self, ctx: &mut Context<P>) -> bool {
        let mut any = false;
        for die in 0..self.media.store.layout.dies as usize {
            for stream in 0..self.media.store.space.dies[die].frontiers.len() {
                any |= self.media.store.space.dies[die].frontiers[stream].filled > 0;
                self.media.pad(die, stream, ctx);
            }
        }
        any
    }

    /// Takes the state of a drive at rest.
    ///
    /// # Errors
    /// When something is under way.
    pub fn save(&self) -> Result<SavedState, String> {
        if self.media.is_draining()
            || self.media.store.controller.in_flight() > 0
            || self.media.store.programs.in_use() > 0
            || self.media.guards.parity.as_ref().is_some_and(|stripes| stripes.is_reclaiming())
        {
            return Err("the state can be saved only while nothing is under way".into());
        }
        let (forward, backward, valid) = self.media.store.map.arrays();
        let space = &self.media.store.space;
        let number = |global: usize| {
            // What is being folded is folded from its beginning.
            let state = if self.media.holds_one_bit(global) && space.state[global] == SuperblockState::Victim
            {
                SuperblockState::Closed
            } else {
                space.state[global]
            };
            state as u32 | if space.failing[global] { FAILING } else { 0 }
        };
        let mut words = vec![
            forward.to_vec(),
            backward.to_vec(),
            space.valid.clone(),
            (0..space.state.len()).map(number).collect(),
            space.pe_cycles.clone(),
        ];
        let mut longs = vec![valid.to_vec(), space.closed_at.clone()];
        for (die, collection) in space.dies.iter().zip(&self.media.collections) {
            let frontiers =
                die.frontiers[..2].iter().flat_map(|frontier| [frontier.superblock, frontier.next_unit]);
            let under_way = [collection.mover.victim, collection.mover.next_row];
            words.push(frontiers.chain([die.usable, die.live]).chain(under_way).collect());
            let mut free: Vec<(u64, u32)> = die.free.iter().map(|Reverse(entry)| *entry).collect();
            free.sort_unstable();
            words.push(free.iter().map(|(_, superblock)| *superblock).collect());
            longs.push(free.iter().map(|(rank, _)| *rank).collect());
            let [rate, credit] = [collection.pace.rate, collection.pace.credit].map(f64::to_bits);
            longs.push(vec![die.clock, die.erases, rate, credit]);
        }
        let mut saved = SavedState { words, longs };
        if let Some(stripes) = &self.media.guards.parity {
            stripes.save(&mut saved);
        }
        if let Some(cache) = &self.media.guards.slc_cache {
            cache.save(space, &mut saved);
        }
        snapshots::saved::save(self.media.guards.snapshots.as_deref(), &mut saved);
        saved.words.push(self.media.guards.rebuilds.lost.iter().copied().collect());
        saved.words.extend(self.media.store.array.save());
        Ok(saved)
    }

    /// Puts a saved state into this drive, which must be fresh and of the same shape.
    ///
    /// # Errors
    /// When the shapes differ or the state contradicts itself.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        let (dies, good) = (self.media.store.space.dies.len(), self.usable_superblocks());
        let shape = Untaken::misfit;
        let (words, longs) = (&saved.words, &saved.longs);
        let (of_guards, longs_of_guards) = (HEAD_WORDS + DIE_WORDS * dies, HEAD_LONGS + DIE_LONGS * dies);
        if words.len() <= of_guards || longs.len() < longs_of_guards {
            return Err(shape());
        }
        let (forward, backward, valid) = self.media.store.map.arrays_mut();
        let superblocks = self.media.store.space.valid.len();
        let fits = words[0].len() == forward.len()
            && words[1].len() == backward.len()
            && longs[0].len() == valid.len()
            && words[2..HEAD_WORDS].iter().all(|array| array.len() == superblocks)
            && longs[1].len() == superblocks;
        if !fits {
            return Err(shape());
        }
        forward.copy_from_slice(&words[0]);
        backward.copy_from_slice(&words[1]);
        valid.copy_from_slice(&longs[0]);
        self.media.store.space.valid.clone_from(&words[2]);
        self.media.store.space.pe_cycles.clone_from(&words[4]);
        self.media.store.space.closed_at.clone_from(&longs[1]);
        let space = &mut self.media.store.space;
        for ((state, failing), &number) in space.state.iter_mut().zip(&mut space.failing).zip(&words[3]) {
            *state = SuperblockState::of_number(number & !FAILING)
                .ok_or("the saved state names an unknown block state")?;
            *failing = number & FAILING != 0;
        }
        let (words_left, longs_left) = (words[of_guards..].iter(), longs[longs_of_guards..].iter());
        let mut untaken = Untaken { words: words_left, longs: longs_left };
        self.load_guards(&mut untaken)?;
        if untaken.longs.len() > 0 || !self.media.store.array.load(untaken.words.as_slice()) {
            return Err(shape());
        }
        for die in 0..dies {
            let head = &words[HEAD_WORDS + DIE_WORDS * die];
            let free = &words[HEAD_WORDS + DIE_WORDS * die + 1];
            let ranks = &longs[HEAD_LONGS + DIE_LONGS * die];
            let clocks = &longs[HEAD_LONGS + DIE_LONGS * die + 1];
            if head.len() != DIE_HEAD || free.len() != ranks.len() || clocks.len() != 4 {
                return Err(shape());
            }
            self.load_die(die, head, free, ranks, clocks)?;
        }
        for global in 0..self.media.store.space.failing.len() {
            let of_parity = self.media.store.space.state[global] == SuperblockState::Parity;
            if of_parity && self.media.store.space.failing[global] && self.media.guards.parity.is_some() {
                let group = self.media.stripes().group_of(global as u32);
                self.media.ask(group, Origin::Rescue);
            }
        }
        self.media.store.stats.units_written = 1; // Not a fresh drive any more.
        self.media.store.stats.superblocks_lost = u64::from(good.saturating_sub(self.usable_superblocks()));
        self.media.note_lost_room();
        Ok(())
    }

    fn load_guards(&mut self, saved: &mut Untaken<'_>) -> Result<(), String> {
        let (layout, guards) = (&self.media.store.layout, &mut self.media.guards);
        if let Some(stripes) = &mut guards.parity {
            stripes.load(saved, layout.superblock_units / layout.program_units)?;
        }
        if let Some(cache) = &mut guards.slc_cache {
            cache.load(&mut self.media.store.space, saved, layout.slc_units())?;
        }
        let (tables, units) = (guards.snapshots.as_deref_mut(), layout.logical_units);
        snapshots::saved::load(tables, &self.media.store.map, units, saved)?;
        guards.rebuilds.lost = saved.words()?.iter().copied().collect();
        if guards.rebuilds.lost.last().is_some_and(|&lpn| lpn >= units) {
            return Err("the saved state has lost a unit that the drive does not have".into());
        }
        Ok(())
    }

    fn load_die(
        &mut self,
        die: usize,
        head: &[u32],
        free: &[u32],
        ranks: &[u64],
        clocks: &[u64],
    ) -> Result<(), String> {
        let per_die = self.media.store.space.per_die;
        let known = |superblock: u32| superblock == NONE || superblock < per_die;
        if !free.iter().chain([&head[0], &head[2], &head[6]]).all(|&superblock| known(superblock)) {
            return Err("the saved state names a superblock that the drive does not have".into());
        }
        let space = &mut self.media.store.space.dies[die];
        for stream in 0..2 {
            let (superblock, next_unit) = (head[2 * stream], head[2 * stream + 1]);
            space.frontiers[stream] = Frontier { superblock, next_unit, filled: 0, slot: NONE };
        }
        space.usable = head[4];
        space.live = head[5];
        space.erases = clocks[1];
        space.free = ranks.iter().zip(free).map(|(&rank, &superblock)| Reverse((rank, superblock))).collect();
        let victim = head[6];
        let is_victim = |at: u32| {
            self.media.store.space.state[self.media.store.space.global(die, at)] == SuperblockState::Victim
        };
        if victim != NONE && (head[7] > self.media.store.layout.rows || !is_victim(victim)) {
            return Err("the saved state says a superblock is collected that is none".into());
        }
        let collection = &mut self.media.collections[die];
        (collection.mover.victim, collection.mover.next_row) = (head[6], head[7]);
        (collection.pace.rate, collection.pace.credit) =
            (f64::from_bits(clocks[2]), f64::from_bits(clocks[3]));
        let first = self.media.store.space.global(die, 0);
        let mut closed: Vec<u32> = (0..per_die)
            .filter(|&at| self.media.store.space.state[first + at as usize] == SuperblockState::Closed)
            .collect();
        let closed_at = |at: u32| self.media.store.space.closed_at[first + at as usize];
        closed.sort_by_key(|&at| (closed_at(at), at));
        for superblock in closed {
            let global = first + superblock as usize;
            self.media.store.space.dies[die].clock = self.media.store.space.closed_at[global];
            if self.media.store.space.failing[global] && !self.media.holds_one_bit(global) {
                self.media.collections[die].force(superblock, Origin::Rescue);
            } else if !self.media.holds_one_bit(global) {
                self.media.store.space.close(die, superblock);
            }
        }
        self.media.store.space.dies[die].clock = clocks[0];
        self.media.update_quota(die);
        self.media.update_eligible(die);
        Ok(())
    }
}
