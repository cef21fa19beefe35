//! Superblocks of every die: free, open, closed, being reclaimed; how many units of each are valid.

use super::frontiers::{Frontier, Frontiers, NONE};
use super::zone_space::ZonedDie;
use crate::gc::victim::{self, VictimPolicy, VictimView};
use crate::refresh_order::{RefreshOrder, RefreshView};
use crate::wear::{self, WearPolicy, WearView};
use crate::{Blocks, Layout};
use engine::RandomStream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::SuperblockId;

/// Makes the view of a die's superblocks that policies are shown. This is a macro because other parts of the die are
/// borrowed at the same time.
macro_rules! blocks {
    ($space:expr, $die:expr) => {{
        let (first, end) = ($die * $space.per_die as usize, ($die + 1) * $space.per_die as usize);
        Blocks {
            valid_units: &$space.valid[first..end],
            pe_cycles: &$space.pe_cycles[first..end],
            closed_at: &$space.closed_at[first..end],
            streams: &$space.stream[first..end],
        }
    }};
}

/// Kind of state of a superblock in its life between two erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SuperblockState {
    /// Case: state of a superblock that is erased and waits to be opened.
    Free,
    /// Case: state of a superblock that is open: it takes programs.
    Open,
    /// Case: state of a superblock that takes no more data (full, or closed before); its last programs may be in
    /// flight.
    Closed,
    /// Case: state of a superblock that is being reclaimed: its valid units are being moved to other superblocks.
    Victim,
    /// Case: state of a superblock whose erase has been submitted and has not ended.
    Erasing,
    /// Case: state of a superblock that is lost and out of use: no spare block was left to repair it, or its die
    /// failed.
    Lost,
    /// Case: state of a superblock that is reserved for an optional feature of the drive (such as the parity of
    /// superblock groups): it holds only programs of the feature, and no data of the logical drive.
    Owned,
}

impl SuperblockState {
    /// Converts a number of a saved state to the superblock state that it stands for; `None` for an unknown number.
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        [Self::Free, Self::Open, Self::Closed, Self::Victim, Self::Erasing, Self::Lost, Self::Owned]
            .get(number as usize)
            .copied()
    }
}

/// State of the superblocks of one die: free superblocks, garbage collection candidates, write frontiers, counts and
/// policies.
pub(crate) struct DieSpace {
    pub free: BinaryHeap<Reverse<(u64, u32)>>,
    pub candidates: Vec<SuperblockId>,
    /// Number of valid mapping units in all garbage collection candidates of the die together.
    pub candidate_valid: u64,
    /// Field of a die's state: write frontiers of its streams, the open superblock of each and, last, of host data in
    /// SLC mode.
    pub frontiers: Frontiers,
    /// Number of superblocks of the die that are not lost, apart from superblocks for zones.
    pub usable: u32,
    /// Number of mapping units of the die that are valid, or host data in flight to it.
    pub live: u32,
    /// Number of free superblocks of the die that are reserved for an optional feature, so that neither garbage
    /// collection nor the data that it moves may take them.
    pub claimed: u32,
    /// Number of superblocks that serve another purpose for now (such as the SLC cache) and do not count as capacity
    /// for data.
    pub lent: u32,
    /// Number of superblocks of the die that wear levelling withholds from use, out of all that garbage collection
    /// could use.
    pub held: u32,
    /// Greatest allowed number of mapping units of the die that are valid or host data in flight to it, so that garbage
    /// collection can always proceed.
    pub quota: u32,
    /// Write clock: number of mapping units written to the die so far, by all origins.
    pub clock: u64,
    pub erases: u64,
    pub victim: Box<dyn VictimPolicy>,
    pub wear: Box<dyn WearPolicy>,
    random: RandomStream,
}

impl DieSpace {
    /// Returns the write frontier (open superblock) for host data in SLC mode.
    #[inline]
    pub fn one_bit(&self) -> &Frontier {
        &self.frontiers[self.frontiers.len() - 1]
    }

    /// Returns the write frontier (open superblock) for host data in SLC mode, to be changed.
    #[inline]
    pub fn one_bit_mut(&mut self) -> &mut Frontier {
        let last = self.frontiers.len() - 1;
        &mut self.frontiers[last]
    }
}

/// State of the superblocks of the whole drive; the arrays are indexed by superblock, numbered over the drive.
pub(crate) struct Space {
    pub per_die: u32,
    pub units: u32,
    pub dies: Vec<DieSpace>,
    pub valid: Vec<u32>,
    pub in_flight: Vec<u32>,
    pub state: Vec<SuperblockState>,
    /// For each superblock: true if a program on it failed since its last erase; at the next erase, a spare block
    /// replaces the failed block, or the superblock is lost if none is left.
    pub failing: Vec<bool>,
    /// For each superblock: true if the host replaced a unit of it while the superblock was being reclaimed, so that an
    /// outdated copy of the unit may be in flight.
    pub overtaken: Vec<bool>,
    /// For each superblock: true if it is in SLC mode; empty on a drive without SLC mode.
    pub one_bit: Vec<bool>,
    /// Number of the stream whose superblocks are in SLC mode, which is the last stream.
    pub one_bit_stream: usize,
    /// For each superblock: number of the stream for which it was opened last.
    pub stream: Vec<u8>,
    pub closed_at: Vec<u64>,
    pub pe_cycles: Vec<u32>,
    position: Vec<u32>,
    /// For each die: the superblocks that zones are made of; empty on a drive without zones.
    pub zoned: Vec<ZonedDie>,
}

impl Space {
    pub fn new(
        layout: &Layout,
        (victim, wear): (&victim::Maker, &wear::Maker),
        streams: usize,
        seed: u64,
    ) -> Self {
        let count = layout.superblocks();
        let dies = (0..layout.dies)
            .map(|die| {
                let mut policy = victim();
                policy.attach(layout.superblocks_per_die, layout.data_units());
                DieSpace {
                    free: BinaryHeap::with_capacity(layout.superblocks_per_die as usize),
                    candidates: Vec::with_capacity(layout.superblocks_per_die as usize),
                    candidate_valid: 0,
                    frontiers: Frontiers::closed(streams + 1),
                    usable: 0,
                    live: 0,
                    claimed: 0,
                    lent: 0,
                    held: 0,
                    quota: 0,
                    clock: 0,
                    erases: 0,
                    victim: policy,
                    wear: wear(),
                    random: RandomStream::new(seed, &format!("ftl.die.{die}")),
                }
            })
            .collect();
        Self {
            per_die: layout.superblocks_per_die,
            units: layout.data_units(),
            dies,
            valid: vec![0; count],
            in_flight: vec![0; count],
            state: vec![SuperblockState::Lost; count],
            failing: vec![false; count],
            overtaken: vec![false; count],
            one_bit: Vec::new(),
            one_bit_stream: streams,
            stream: vec![0; count],
            closed_at: vec![0; count],
            pe_cycles: vec![0; count],
            position: vec![NONE; count],
            zoned: Vec::new(),
        }
    }

    /// Returns the state of each die's random number stream.
    pub fn streams(&self) -> impl Iterator<Item = [u64; 4]> + '_ {
        self.dies.iter().map(|die| die.random.state())
    }

    /// Replaces the random number stream of each die, as from a saved state.
    pub fn go_on_with(&mut self, streams: Vec<RandomStream>) {
        self.dies.iter_mut().zip(streams).for_each(|(die, stream)| die.random = stream);
    }

    /// Returns the garbage collection candidates of a die, as superblock numbers, in the order in which they must be
    /// named to the die's victim policy when a saved state is loaded.
    pub fn told(&self, die: usize) -> Vec<u32> {
        let space = &self.dies[die];
        let told = space.victim.told().unwrap_or_else(|| {
            let mut closed = space.candidates.clone();
            closed.sort_by_key(|candidate| (self.closed_at[self.global(die, candidate.0)], candidate.0));
            closed
        });
        told.into_iter().map(|candidate| candidate.0).collect()
    }

    /// Puts the garbage collection candidates of a die into the saved order `order`, since a victim policy may choose
    /// one at random by its position in the list.
    ///
    /// # Errors
    /// When `order` does not name exactly the candidates of the die.
    pub fn arrange(&mut self, die: usize, order: &[u32]) -> Result<(), String> {
        let first = self.global(die, 0);
        let mut known: Vec<u32> = self.dies[die].candidates.iter().map(|candidate| candidate.0).collect();
        let mut named = order.to_vec();
        known.sort_unstable();
        named.sort_unstable();
        if known != named {
            return Err("the saved state's candidates are not the superblocks that are full".into());
        }
        self.dies[die].candidates = order.iter().copied().map(SuperblockId).collect();
        for (place, &superblock) in order.iter().enumerate() {
            self.position[first + superblock as usize] = place as u32;
        }
        Ok(())
    }

    /// Converts the number `superblock` within die `die` to the superblock's number over the drive.
    #[inline]
    pub fn global(&self, die: usize, superblock: u32) -> usize {
        die * self.per_die as usize + superblock as usize
    }

    /// Returns the range of numbers over the drive of all superblocks of a die.
    #[inline]
    pub fn of_die(&self, die: usize) -> std::ops::Range<usize> {
        self.global(die, 0)..self.global(die + 1, 0)
    }

    /// Converts a superblock number over the drive to its die and its number within the die.
    #[inline]
    pub fn place_of(&self, superblock: u32) -> (usize, u32) {
        ((superblock / self.per_die) as usize, superblock % self.per_die)
    }

    /// Returns true if stream `stream` is the stream whose superblocks are in SLC mode (one bit per cell).
    #[inline]
    pub fn is_one_bit(&self, stream: usize) -> bool {
        stream == self.one_bit_stream
    }

    /// Returns true if a superblock (numbered over the drive) is in SLC mode (one bit per cell).
    #[inline]
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        self.one_bit.get(superblock).is_some_and(|holds| *holds)
    }

    /// Returns true if `superblock` (numbered over the drive) is a candidate for garbage collection.
    #[inline]
    pub fn is_candidate(&self, superblock: usize) -> bool {
        self.position[superblock] != NONE
    }

    /// Adds an erased superblock to the free superblocks of a die, which are ordered by the value that the wear policy
    /// gives each: the lowest is opened first.
    pub fn push_free(&mut self, die: usize, superblock: u32) {
        self.push_ranked(die, superblock, self.free_rank(die, superblock));
    }

    /// Asks the wear levelling policy of a die for the rank of a superblock among the die's free superblocks, and
    /// returns the rank: the superblock with the lowest one is opened first.
    #[inline]
    pub fn free_rank(&self, die: usize, superblock: u32) -> u64 {
        let space = &self.dies[die];
        let cycles = self.pe_cycles[self.global(die, superblock)];
        space.wear.free_rank(SuperblockId(superblock), cycles, space.erases)
    }

    /// Adds an erased superblock to the free superblocks of a die, at rank `rank`: the lowest is opened first.
    #[inline]
    pub fn push_ranked(&mut self, die: usize, superblock: u32, rank: u64) {
        let global = self.global(die, superblock);
        self.state[global] = SuperblockState::Free;
        self.dies[die].free.push(Reverse((rank, superblock)));
    }

    /// Removes superblock `superblock` from the free superblocks of a die without opening it.
    pub fn withdraw_free(&mut self, die: usize, superblock: u32) {
        self.dies[die].free.retain(|Reverse((_, free))| *free != superblock);
    }

    /// Removes the superblock that the wear policy ranks first (lowest value) from the free superblocks of a die, and
    /// returns it; `None` if none is free.
    #[inline]
    pub fn take_free(&mut self, die: usize) -> Option<u32> {
        self.dies[die].free.pop().map(|Reverse((_, superblock))| superblock)
    }

    /// Opens the free superblock that the wear policy ranks first, for write stream `stream` (data with open
    /// superblocks of their own) of a die; returns false when none is free.
    pub fn open(&mut self, die: usize, stream: usize) -> bool {
        self.take_free(die).is_some_and(|superblock| self.begin(die, stream, superblock))
    }

    /// Opens, for write stream `stream` of a die, an erased superblock that is not in the list of free superblocks;
    /// always returns true.
    pub fn begin(&mut self, die: usize, stream: usize, superblock: u32) -> bool {
        let global = self.global(die, superblock);
        self.state[global] = SuperblockState::Open;
        self.stream[global] = stream as u8;
        let slot = self.dies[die].frontiers[stream].slot;
        self.dies[die].frontiers[stream] = Frontier { superblock, next_unit: 0, filled: 0, slot };
        true
    }

    /// Makes the open superblock of write stream `from` of a die (stream: data with open superblocks of their own) the
    /// open superblock of stream `to`, which has none.
    pub fn hand_over(&mut self, die: usize, from: usize, to: usize) {
        let Frontier { superblock, next_unit, .. } =
            std::mem::replace(&mut self.dies[die].frontiers[from], Frontier::CLOSED);
        let slot = self.dies[die].frontiers[to].slot;
        self.dies[die].frontiers[to] = Frontier { superblock, next_unit, filled: 0, slot };
        let global = self.global(die, superblock);
        self.stream[global] = to as u8;
    }

    /// Exchanges the open superblocks of write streams `a` and `b` of a die (stream: data with open superblocks of
    /// their own, such as host data or moved data).
    pub fn trade(&mut self, die: usize, (a, b): (usize, usize)) {
        self.dies[die].frontiers.swap(a, b);
        for stream in [a, b] {
            let global = self.global(die, self.dies[die].frontiers[stream].superblock);
            self.stream[global] = stream as u8;
        }
    }

    /// Closes a superblock, which has no programs in flight, to further data; it becomes a candidate for garbage
    /// collection.
    pub fn close(&mut self, die: usize, superblock: u32) {
        let global = self.global(die, superblock);
        debug_assert_eq!(self.in_flight[global], 0);
        self.state[global] = SuperblockState::Closed;
        let space = &mut self.dies[die];
        self.closed_at[global] = space.clock;
        self.position[global] = space.candidates.len() as u32;
        space.candidates.push(SuperblockId(superblock));
        space.candidate_valid += u64::from(self.valid[global]);
        space.victim.on_stream(SuperblockId(superblock), usize::from(self.stream[global]));
        space.victim.on_close(SuperblockId(superblock), self.valid[global]);
    }

    /// Marks a superblock as being reclaimed, and removes it from the garbage collection candidates if it was one.
    pub fn take(&mut self, die: usize, superblock: u32) {
        let global = self.global(die, superblock);
        self.state[global] = SuperblockState::Victim;
        let at = std::mem::replace(&mut self.position[global], NONE);
        if at == NONE {
            return;
        }
        let first = die * self.per_die as usize;
        let space = &mut self.dies[die];
        space.candidates.swap_remove(at as usize);
        if let Some(moved) = space.candidates.get(at as usize) {
            self.position[first + moved.index()] = at;
        }
        space.candidate_valid -= u64::from(self.valid[global]);
        space.victim.on_reclaim(SuperblockId(superblock));
    }

    /// Subtracts one from the count of valid units of a superblock (numbered over the drive), one of whose units became
    /// invalid, and tells the victim policy if the superblock is a candidate.
    #[inline]
    pub fn lose_unit(&mut self, superblock: u32) {
        let global = superblock as usize;
        self.valid[global] -= 1;
        if self.position[global] != NONE {
            let die = superblock / self.per_die;
            let space = &mut self.dies[die as usize];
            space.candidate_valid -= 1;
            space.victim.on_invalidate(SuperblockId(superblock % self.per_die), self.valid[global]);
        }
    }

    /// Returns the number of invalid or empty mapping units in all garbage collection candidates of a die.
    #[inline]
    pub fn garbage(&self, die: usize) -> u64 {
        let space = &self.dies[die];
        space.candidates.len() as u64 * u64::from(self.units) - space.candidate_valid
    }

    /// Returns the garbage collection candidate of a die with the fewest valid units, and among equals the one with the
    /// lowest number; `None` without a candidate.
    pub fn emptiest(&self, die: usize) -> Option<u32> {
        let candidates = self.dies[die].candidates.iter().map(|candidate| candidate.0);
        candidates.min_by_key(|&at| (self.valid[self.global(die, at)], at))
    }

    /// Asks the victim policy of a die for the superblock to collect next, and returns its number within the die;
    /// `None` if the policy picks none.
    pub fn pick_victim(&mut self, die: usize) -> Option<u32> {
        let space = &mut self.dies[die];
        let mut view = VictimView {
            candidates: &space.candidates,
            blocks: blocks!(self, die),
            clock: space.clock,
            units_per_superblock: self.units,
            random: &mut space.random,
        };
        let picked = space.victim.pick(&mut view)?;
        let global = self.global(die, picked.0);
        assert!(
            picked.0 < self.per_die && self.position[global] != NONE,
            "the victim policy picked {picked} of die {die}, which is not a candidate"
        );
        Some(picked.0)
    }

    /// Asks the wear policy of a die, after superblock `erased` was erased, which candidate to relocate for wear
    /// levelling; `None` if none needs to move.
    pub fn pick_relocation(&mut self, die: usize, erased: u32) -> Option<u32> {
        let picked = self.ask_wear(die, erased)?;
        assert!(
            picked.0 < self.per_die && self.position[self.global(die, picked.0)] != NONE,
            "the wear policy picked {picked} of die {die}, which is not a candidate"
        );
        Some(picked.0)
    }

    /// Returns which of a die's candidates the wear policy wants to relocate after superblock `erased` was erased,
    /// without a check of the answer.
    pub fn ask_wear(&mut self, die: usize, erased: u32) -> Option<SuperblockId> {
        let space = &mut self.dies[die];
        let mut view = WearView {
            erased: SuperblockId(erased),
            candidates: &space.candidates,
            blocks: blocks!(self, die),
            clock: space.clock,
            erases: space.erases,
            random: &mut space.random,
        };
        space.wear.relocate(&mut view)
    }

    /// Asks the refresh order policy which of the superblocks `candidates` of a die to refresh (rewrite) next, and
    /// returns its answer.
    pub fn ask_order(
        &mut self,
        order: &mut dyn RefreshOrder,
        die: usize,
        candidates: &[SuperblockId],
        due_since_ns: &[u64],
        now_ns: u64,
    ) -> SuperblockId {
        let space = &mut self.dies[die];
        order.next(&mut RefreshView {
            candidates,
            due_since_ns,
            blocks: blocks!(self, die),
            clock: space.clock,
            now_ns,
            random: &mut space.random,
        })
    }

    /// Returns the number of superblocks of the whole drive, the sum over its dies, that are not lost to bad blocks.
    pub fn usable(&self) -> u32 {
        (0..self.dies.len()).map(|die| self.usable_of(die)).sum()
    }

    /// Returns the size in bytes of the state of superblocks in the simulator's memory.
    pub fn bytes(&self) -> usize {
        // State of a superblock: counts, flags, times, its place among the candidates and in the policy.
        self.valid.len() * (4 + 4 + 1 + 1 + 1 + 1 + 8 + 4 + 4 + 4 + 16 + 12)
    }
}
