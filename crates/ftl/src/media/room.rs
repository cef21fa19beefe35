//! Who may take how much of a die's room, so that collections can always go on.

use crate::media::Media;

impl Media {
    /// Puts the good superblocks of a drive that was just built on the free lists of their dies, apart from superblocks
    /// that features reserve (for parity, or for an SLC cache).
    pub fn free_all(&mut self) {
        let are_free = self.features.frees(&mut self.core);
        self.features.frees_own(&mut self.core);
        for die in 0..self.core.store.layout.dies as usize {
            for superblock in 0..self.core.store.layout.superblocks_per_die {
                let global = self.core.store.space.global(die, superblock);
                let is_own = !are_free && !self.core.store.space.is_of_zones(global);
                if is_own && self.core.store.array.is_whole(die as u32, superblock) {
                    self.core.store.space.push_free(die, superblock);
                    self.core.store.space.dies[die].usable += 1;
                }
            }
            self.core.update_quota(die);
            self.update_eligible(die);
        }
    }

    /// Returns true if die `die` may take another program unit of host data of write stream `stream`: in the stream's
    /// own superblocks, if garbage collection (its space, its write throttling) and the SLC cache permit that, or in
    /// the SLC cache.
    #[inline]
    fn has_room(&self, die: usize, stream: usize) -> bool {
        (self.core.has_own_room(die, stream) && self.features.lets_pass(die))
            || self.features.takes_hosts(&self.core, die)
    }

    /// Sets, for each write stream of the host, the bit that says whether die `die` can take another program unit of
    /// the stream now (limit of live units, place in the program queue, free space).
    pub fn update_eligible(&mut self, die: usize) {
        let within_quota = self.core.is_within_quota(die);
        let (word, bit) = (die / 64, 1u64 << (die % 64));
        let may_take = within_quota && self.core.has_program_place(die) && !self.core.assembly.is_still;
        for at in self.core.assembly.lanes_of(die) {
            let takes = may_take && self.has_room(die, self.core.assembly.lanes[at].own);
            let eligible = &mut self.core.assembly.lanes[at].eligible[word];
            *eligible = if takes { *eligible | bit } else { *eligible & !bit };
        }
        if within_quota {
            self.core.assembly.quota_blocked[word] &= !bit;
        } else {
            self.core.assembly.quota_blocked[word] |= bit;
        }
    }

    /// Returns the index of the write stream that the next program unit of the host's stream `own` joins on this die:
    /// `own`, or the stream of the SLC cache where the cache takes the data.
    #[inline]
    pub fn stream_for_host(&self, die: usize, own: usize) -> usize {
        if self.features.takes_hosts(&self.core, die) { self.core.store.space.one_bit_stream } else { own }
    }

    /// Opens a free superblock of the die for host data of write stream `stream`, in SLC mode if the stream is that of
    /// the SLC cache; returns false if none may be opened.
    pub fn open_for_host(&mut self, die: usize, stream: usize) -> bool {
        if !self.core.store.space.is_one_bit(stream) {
            return self.core.open_own(die, stream);
        }
        self.features.opens_one_bit(&mut self.core, die)
    }

    /// Counts a host unit that was assigned to a write stream of the die, and subtracts it from the units that the host
    /// may write for garbage collection done so far (write credit of the die), unless it went to the SLC cache. Returns
    /// true if a burst of garbage collection begins because the credit is used up.
    pub fn note_host_unit(&mut self, die: usize, stream: usize) -> bool {
        if !self.core.store.space.is_one_bit(stream) {
            self.core.collections[die].spend();
        }
        self.features.wrote_host_unit(&mut self.core, die, stream);
        self.core.turns.begin_if_due(&self.core.collections, die)
    }
}
