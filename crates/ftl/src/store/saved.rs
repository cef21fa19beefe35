//! What every saved state holds: where units are, what each superblock is, and which are free.

use crate::SavedState;
use crate::saved::Untaken;
use crate::store::{Frontier, NONE, Space, Store, SuperblockState};
use engine::RandomStream;

/// Constant: index, among the 32-bit arrays of a saved state, of the array with the superblocks' states.
pub(crate) const STATES: usize = 3;
/// Constant: bit that is added to the number of a superblock's state in a saved state if a program on the superblock
/// failed.
pub(crate) const FAILING: u32 = 1 << 8;

impl Store {
    /// Appends the map and the superblocks' states, counts and free lists to saved state `saved`.
    pub fn save(&self, saved: &mut SavedState) {
        let (forward, backward, valid) = self.map.copied();
        let space = &self.space;
        let state =
            |(state, failing): (&SuperblockState, &bool)| *state as u32 | if *failing { FAILING } else { 0 };
        saved.words.extend([
            forward.low,
            backward,
            space.valid.clone(),
            space.state.iter().zip(&space.failing).map(state).collect(),
            space.pe_cycles.clone(),
            (0..space.dies.len()).map(|die| space.usable_of(die)).collect(),
        ]);
        saved.longs.extend([
            valid,
            space.closed_at.clone(),
            space.dies.iter().flat_map(|die| [die.clock, die.erases]).collect(),
        ]);
        if !forward.high.is_empty() {
            let word = |bytes: &[u8]| {
                (0..).zip(bytes).fold(0, |word, (at, &byte)| word | u32::from(byte) << (8 * at))
            };
            saved.words.push(forward.high.chunks(4).map(word).collect());
        }
        for die in 0..space.dies.len() {
            let mut free = space.all_free(die);
            free.sort_unstable();
            let (ranks, superblocks) = free.into_iter().unzip();
            saved.words.push(superblocks);
            saved.longs.push(ranks);
        }
    }

    /// Returns the states of the random number streams that are drawn from while a drive state is made: one for each
    /// die, then that of the flash array.
    pub fn streams(&self) -> Vec<[u64; 4]> {
        self.space.streams().chain([self.array.random().state()]).collect()
    }

    /// Restores the states of the random number streams of a saved state.
    ///
    /// # Errors
    /// When the number of streams or a state does not fit the drive.
    pub fn go_on_with(&mut self, streams: &[[u64; 4]]) -> Result<(), String> {
        let known: Option<Vec<_>> = streams.iter().map(|state| RandomStream::at(*state)).collect();
        let fits = |known: &Vec<RandomStream>| known.len() == self.space.dies.len() + 1;
        let mut known = known.filter(fits).ok_or_else(Untaken::misfit)?;
        *self.array.random_mut() = known.pop().ok_or_else(Untaken::misfit)?;
        self.space.go_on_with(known);
        Ok(())
    }

    /// Loads the map and the superblocks' states from a saved state. Superblocks that were lost since the drive was
    /// fresh are counted as lost.
    ///
    /// # Errors
    /// When arrays of the saved state do not fit the drive, or contradict themselves.
    pub fn load(&mut self, saved: &mut Untaken<'_>) -> Result<(), String> {
        let space = &mut self.space;
        let good = space.usable();
        let (words, valid, high) = self.map.arrays_mut();
        words.into_iter().try_for_each(|array| saved.words_into(array))?;
        saved.longs_into(valid)?;
        saved.words_into(&mut space.valid)?;
        let states = saved.words_for(space.state.len())?;
        for ((state, failing), &number) in space.state.iter_mut().zip(&mut space.failing).zip(states) {
            *state = SuperblockState::of_number(number & !FAILING)
                .ok_or("the saved state names an unknown block state")?;
            *failing = number & FAILING != 0;
        }
        saved.words_into(&mut space.pe_cycles)?;
        saved.longs_into(&mut space.closed_at)?;
        let (usable, clocks) = (saved.words_for(space.dies.len())?, saved.longs_for(2 * space.dies.len())?);
        if !high.is_empty() {
            let bytes = saved.words_for(high.len().div_ceil(4))?.iter().flat_map(|word| word.to_le_bytes());
            high.iter_mut().zip(bytes).for_each(|(high, byte)| *high = byte);
        }
        for at in 0..space.dies.len() {
            // No superblock for zones is ever lost.
            let of_zones = space.usable_of(at) - space.dies[at].usable;
            let own = usable[at].checked_sub(of_zones).ok_or_else(Untaken::misfit)?;
            let die = &mut space.dies[at];
            (die.usable, die.clock, die.erases) = (own, clocks[2 * at], clocks[2 * at + 1]);
            let free = saved.words()?;
            if !free.iter().all(|&superblock| superblock < space.per_die) {
                return Err(Untaken::unknown_superblock());
            }
            let ranks = saved.longs_for(free.len())?;
            space.set_free(at, ranks.iter().copied().zip(free.iter().copied()));
        }
        self.stats.units_written = 1; // Not a fresh drive any more.
        self.stats.superblocks_lost = u64::from(good.saturating_sub(space.usable()));
        Ok(())
    }
}

impl Space {
    /// Loads the open superblock of each stream of a die; `open` holds two numbers for each stream, the superblock and
    /// the units it has taken.
    ///
    /// # Errors
    /// When a number names no superblock of the die, or more units than a superblock has.
    pub fn load_open(&mut self, die: usize, open: &[u32], units: u32) -> Result<(), String> {
        for (frontier, open) in self.dies[die].frontiers.iter_mut().zip(open.chunks(2)) {
            let (superblock, next_unit) = (open[0], open[1]);
            if superblock != NONE && superblock >= self.per_die {
                return Err(Untaken::unknown_superblock());
            }
            if superblock != NONE && next_unit > units {
                return Err("the saved state has an open superblock with more units than one holds".into());
            }
            *frontier = Frontier { superblock, next_unit, ..Frontier::CLOSED };
        }
        Ok(())
    }
}
