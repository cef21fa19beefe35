//! The state of a drive at rest, taken and put back.
//!
//! Policies keep no state of their own here: they are told again which superblocks are candidates, in closing order or in
//! one that they gave. Counters begin anew.

use crate::contents::FlashContents;
use crate::layer::Outlasts;
use crate::media::Media;
use crate::pages::PageMapped;
use crate::parts::Whole;
use crate::saved::Untaken;
use crate::store::{NONE, SuperblockState};
use crate::{Probe, SavedState};
use controller::{Context, Origin};

/// Constant: length of the array of 32-bit words with which a die's part of a saved state begins, 4: number of valid
/// (live) units, victim superblock of the garbage collection in progress, the victim's next page row to relocate, and
/// the superblock that was chosen as the next victim and waits for room.
const DIE_WORDS: usize = 4;
/// Constant: length of the array of 64-bit words that couples host writes to garbage collection in a die's part of a
/// saved state, 2: rate (units that the host may write for each relocated unit) and credit (units that it may write
/// now).
const DIE_LONGS: usize = 2;

impl PageMapped {
    fn load_features(&mut self, saved: &mut Untaken<'_>) -> Result<(), String> {
        self.media.features.load(&mut self.media.core, saved)?;
        let units = self.media.core.store.layout.logical_units;
        self.media.core.lost.load(saved, units)
    }

    fn load_die(&mut self, die: usize, words: &[u32], pace: &[u64], told: &[u32]) -> Result<(), String> {
        let per_die = self.media.core.store.space.per_die;
        let &[live, victim, next_row, declined] = words else {
            return Err(Untaken::misfit());
        };
        if [victim, declined].iter().any(|&superblock| superblock != NONE && superblock >= per_die) {
            return Err(Untaken::unknown_superblock());
        }
        let space = &mut self.media.core.store.space.dies[die];
        space.live = live;
        let clock = space.clock;
        let is_victim = |at: u32| {
            self.media.core.store.space.state[self.media.core.store.space.global(die, at)]
                == SuperblockState::Victim
        };
        if victim != NONE && (next_row > self.media.core.store.layout.rows || !is_victim(victim)) {
            return Err("the saved state says a superblock is collected that is none".into());
        }
        let collection = &mut self.media.core.collections[die];
        (collection.mover.victim, collection.mover.next_row) = (victim, next_row);
        collection.declined = declined;
        (collection.pace.rate, collection.pace.credit) = (f64::from_bits(pace[0]), f64::from_bits(pace[1]));
        self.announce(die, told)?;
        self.media.core.store.space.dies[die].clock = clock;
        self.media.core.update_quota(die);
        self.media.update_eligible(die);
        Ok(())
    }

    /// Registers the full superblocks of a die as garbage-collection candidates again when a saved state is loaded.
    /// `told` is the saved list of these superblocks, in the order in which the victim policy is informed of them; full
    /// superblocks with a failed program are not in the list, and are queued for the relocation of their data instead.
    fn announce(&mut self, die: usize, told: &[u32]) -> Result<(), String> {
        let per_die = self.media.core.store.space.per_die;
        let first = self.media.core.store.space.global(die, 0);
        let is_full = |media: &Media, at: u32| {
            let global = first + at as usize;
            at < per_die
                && media.core.store.space.state[global] == SuperblockState::Closed
                && !media.core.store.space.holds_one_bit(global)
        };
        for superblock in 0..per_die {
            if is_full(&self.media, superblock)
                && self.media.core.store.space.failing[first + superblock as usize]
            {
                self.media.core.collections[die].force(superblock, Origin::Rescue);
            }
        }
        let mut named = vec![false; per_die as usize];
        for &superblock in told {
            let global = first + superblock as usize;
            let is_next = is_full(&self.media, superblock)
                && !self.media.core.store.space.failing[global]
                && !std::mem::replace(&mut named[superblock as usize], true);
            if !is_next {
                return Err("the saved state's candidates are not the superblocks that are full".into());
            }
            self.media.core.store.space.dies[die].clock = self.media.core.store.space.closed_at[global];
            self.media.core.store.space.close(die, superblock);
        }
        Ok(())
    }
}

/// Type of one die's part of a saved state, as it lies in the file: counts and victim, open superblocks, pace,
/// candidates in their own order and in the order in which the victim policy is told of them, and the numbers that the
/// policy has learnt.
type SavedDie<'a> = (&'a [u32], &'a [u32], &'a [u64], &'a [u32], &'a [u32], &'a [u64]);

/// Interface of a translation layer with garbage collection, by which the states of its dies are saved and loaded while
/// the drive is at rest (no operation in flight).
pub(crate) trait CollectsDies {
    /// Adds the state of collection and of open superblocks of each die to a saved state.
    fn save_dies(&self, saved: &mut SavedState);

    /// Takes the state of each die, and that of the write streams, from a saved state.
    ///
    /// # Errors
    /// When it does not fit the drive.
    fn take_dies<'a>(&mut self, untaken: &mut Untaken<'a>) -> Result<Vec<SavedDie<'a>>, String>;

    /// Loads the state of each die that was taken from a saved state.
    ///
    /// # Errors
    /// When the states contradict each other.
    fn load_dies(&mut self, heads: Vec<SavedDie<'_>>) -> Result<(), String>;
}

impl CollectsDies for PageMapped {
    fn save_dies(&self, saved: &mut SavedState) {
        let dies = self.media.core.store.space.dies.iter().zip(&self.media.core.collections);
        for (at, (die, collection)) in dies.enumerate() {
            let (victim, next_row) = (collection.mover.victim, collection.mover.next_row);
            saved.words.push(vec![die.live, victim, next_row, collection.declined]);
            let streams = die.frontiers.iter().take(self.media.core.store.space.one_bit_stream);
            saved.words.push(streams.flat_map(|it| [it.superblock, it.next_unit]).collect());
            saved.longs.push([collection.pace.rate, collection.pace.credit].map(f64::to_bits).to_vec());
            saved.words.push(die.candidates.iter().map(|candidate| candidate.0).collect());
            saved.words.push(self.media.core.store.space.told(at));
            saved.longs.push(die.victim.learnt());
        }
        self.media.core.assembly.streams.save(&self.media.core.store.space, saved);
    }

    fn take_dies<'a>(&mut self, untaken: &mut Untaken<'a>) -> Result<Vec<SavedDie<'a>>, String> {
        let mut heads = Vec::new();
        for _ in 0..self.media.core.store.layout.dies {
            let (words, pace) = (untaken.words_for(DIE_WORDS)?, untaken.longs_for(DIE_LONGS)?);
            let open = untaken.words_for(2 * self.media.core.store.space.one_bit_stream)?;
            heads.push((words, open, pace, untaken.words()?, untaken.words()?, untaken.longs()?));
        }
        self.media.core.assembly.streams.load(&mut self.media.core.store.space, untaken)?;
        Ok(heads)
    }

    fn load_dies(&mut self, heads: Vec<SavedDie<'_>>) -> Result<(), String> {
        for (die, (words, open, pace, candidates, told, learnt)) in heads.into_iter().enumerate() {
            let units = self.media.core.store.layout.data_units();
            self.media.core.store.space.load_open(die, open, units)?;
            self.load_die(die, words, pace, told)?;
            self.media.core.store.space.arrange(die, candidates)?;
            if !self.media.core.store.space.dies[die].victim.go_on_with(learnt) {
                return Err(Untaken::misfit());
            }
        }
        Ok(())
    }
}

impl Outlasts for PageMapped {
    fn pad_all<P: Probe>(&mut self, ctx: &mut Context<P>) -> bool {
        let mut any = false;
        for die in 0..self.media.core.store.layout.dies as usize {
            for stream in 0..self.media.core.store.space.dies[die].frontiers.len() {
                any |= self.media.core.store.space.dies[die].frontiers[stream].filled > 0;
                self.media.pad(die, stream, ctx);
            }
        }
        any
    }

    fn save(&self) -> Result<SavedState, String> {
        if self.media.core.store.dead.are_any() {
            return Err("a die has failed: such a drive is not saved".into());
        }
        if self.media.is_draining()
            || self.media.core.store.controller.in_flight() > 0
            || self.media.core.store.programs.in_use() > 0
            || self.media.features.bars_saving()
        {
            return Err("the state can be saved only while nothing is in flight".into());
        }
        let mut saved = SavedState::default();
        self.media.core.store.save(&mut saved);
        self.save_dies(&mut saved);
        self.media.features.save(&self.media.core, &mut saved);
        self.media.core.lost.save(&mut saved);
        saved.words.extend(self.media.core.store.array.save());
        Ok(saved)
    }

    fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        let mut untaken = Untaken::of(saved);
        self.media.core.store.load(&mut untaken)?;
        let heads = self.take_dies(&mut untaken)?;
        self.load_features(&mut untaken)?;
        untaken.load_array(&mut self.media.core.store.array)?;
        self.load_dies(heads)?;
        for global in 0..self.media.core.store.space.failing.len() {
            let is_owned = self.media.core.store.space.state[global] == SuperblockState::Owned;
            if is_owned && self.media.core.store.space.failing[global] {
                self.media.features.rescues(global as u32);
            }
        }
        self.media.core.note_lost_room();
        Ok(())
    }

    fn go_on_from(&mut self, contents: FlashContents) {
        self.find_map(contents);
    }

    fn into_base(self) -> Whole {
        Whole { media: self.media, upkeep: self.upkeep, host: self.host }
    }
}
