//! Which superblocks share a parity, how far each of them is written, and what is being reclaimed.
//!
//! The dies are divided into sets of neighbours, `stripe` + 1 each. The superblocks of one number on the dies of a set
//! are a group; one of them holds parity and takes no data. Program `p` of the parity is the sum of the programs `p`
//! of the others, and follows when the last of them was handed out; until then it is gathered in RAM.

mod found;
mod groups;
mod hooked;
mod make;
mod programs;
mod rebuilds;
mod scars;
mod steady;

use crate::Layout;
use crate::SavedState;
use crate::saved::Untaken;
use crate::store::NONE;
use controller::Origin;
use nand::FlashArray;
use rebuilds::Rebuilds;
use scars::{Remains, Scars};
use std::collections::VecDeque;

/// Kind of phase of the garbage collection of a parity group (superblocks on several dies of which one holds the parity
/// of the others).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Case: phase of a parity group that garbage collection does not touch: the group is erased, takes data, or is
    /// full.
    Resting,
    /// Case: phase in which the parity group is queued to be reclaimed, and waits for free space and for programs in
    /// flight.
    Asked,
    /// Case: phase in which the valid units of the parity group are being moved.
    Moving,
    /// Case: phase in which the superblocks of the parity group are being erased.
    Erasing,
}

/// State of a parity group: the superblocks with the same number on the dies of a set, of which one holds the parity of
/// the others.
#[derive(Clone, Debug)]
struct Group {
    /// Index, in the parity group, of the member that holds the parity; `NONE` for a group that cannot be protected.
    pub parity: u32,
    /// Bit set of the members (superblocks) of the parity group that are usable, neither bad nor lost, one bit for each
    /// member; empty for a group that cannot be protected.
    pub alive: u64,
    /// Bit set of the members (superblocks) of the parity group that were closed before they were full, one bit for
    /// each member.
    pub ended: u64,
    /// Bit set of the members (superblocks) of the parity group that garbage collection took, one bit for each member.
    pub taken: u64,
    /// Bit set of the members (superblocks) of the parity group that garbage collection took and that hold no valid
    /// unit any more.
    pub emptied: u64,
    /// Number of programs of the group's parity that were issued since the parity group was last erased.
    pub parity_written: u32,
    pub phase: Phase,
    /// Number of superblocks of the parity group that are still to be emptied of valid units (phase `Moving`) or to be
    /// erased (phase `Erasing`).
    pub left: u32,
    /// Number of reads in flight that failed and may need the other members of the parity group to restore their data.
    pub pins: u32,
    /// Field of a parity group's state: its position in the order in which free groups are opened for writing.
    pub rank: u64,
}

/// State of a drive's parity across dies: its parity groups, how far each superblock is written, and the parity groups
/// being reclaimed.
pub struct Stripes {
    width: u32,
    per_die: u32,
    program_bytes: u64,
    groups: Vec<Group>,
    /// For each superblock of the drive, the number of programs issued to it since its last erase.
    written: Vec<u32>,
    /// For each set of dies, the queue of parity groups to be reclaimed, each with the reason.
    asks: Vec<VecDeque<(u32, Origin)>>,
    /// For each die, the parity group that its garbage collection has queued to be reclaimed, until garbage collection
    /// takes the group; `NONE` without one.
    asked_by: Vec<u32>,
    /// For each set of dies, the list of the parity groups of which some dies have opened their superblock and others
    /// have not.
    begun: Vec<Vec<u32>>,
    /// Number of parity programs whose parity is being accumulated in RAM now, over all parity groups.
    gathered: u64,
    /// Greatest number so far of parity programs whose parity was being accumulated in RAM at one time, over all parity
    /// groups.
    gathered_most: u64,
    /// The record of the damage that power cuts did to the stripes (page rows of all members) of the parity groups,
    /// kept in the drive's state of parity.
    scars: Scars,
    /// Field of the state of parity: table of the uncorrectable reads whose data are being restored from parity.
    rebuilds: Rebuilds,
}

/// Returns the indices of the members (superblocks) of a parity group whose bits are set in `bits`.
fn members(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let member = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (member < 64).then_some(member)
    })
}

impl Stripes {
    /// Makes the parity groups of a fresh drive from superblocks without bad blocks: groups of `stripe` superblocks
    /// with data and one with parity. The last `apart` superblocks of each die, and groups with a single superblock,
    /// get no parity.
    fn of_stripe(layout: &Layout, array: &FlashArray, stripe: u32, apart: u32) -> Self {
        let width = stripe + 1;
        let (sets, per_die) = (layout.dies / width, layout.superblocks_per_die);
        let group = |at: u32| {
            let (set, slot) = (at / per_die, at % per_die);
            let whole = (0..width).filter(|member| array.is_whole(set * width + member, slot));
            let alive = whole.fold(0u64, |bits, member| bits | 1 << member);
            let mut group = Group {
                parity: NONE,
                alive,
                ended: 0,
                taken: 0,
                emptied: 0,
                parity_written: 0,
                phase: Phase::Resting,
                left: 0,
                pins: 0,
                rank: 0,
            };
            if slot + apart >= per_die || group.elect(slot % width, width).is_none() {
                (group.alive, group.parity) = (0, NONE);
            }
            group
        };
        Self {
            width,
            per_die,
            program_bytes: u64::from(layout.program_units) * layout.unit.get(),
            groups: (0..sets * per_die).map(group).collect(),
            written: vec![0; layout.superblocks()],
            asks: vec![VecDeque::new(); sets as usize],
            asked_by: vec![NONE; layout.dies as usize],
            begun: vec![Vec::new(); sets as usize],
            gathered: 0,
            gathered_most: 0,
            scars: Scars::default(),
            rebuilds: Rebuilds::default(),
        }
    }

    /// Returns the number of superblocks with data that share one superblock of parity.
    pub fn stripe(&self) -> u32 {
        self.width - 1
    }

    /// Returns the number, over the drive, of the parity group of a superblock numbered over the drive.
    #[inline]
    pub fn group_of(&self, superblock: u32) -> u32 {
        let (die, slot) = (superblock / self.per_die, superblock % self.per_die);
        die / self.width * self.per_die + slot
    }

    /// Returns the index, in its parity group, of a superblock numbered over the drive.
    #[inline]
    fn member_of(&self, superblock: u32) -> u32 {
        superblock / self.per_die % self.width
    }

    /// Returns the die of a member of a parity group, and the number of the member's superblock over the drive.
    #[inline]
    fn place_of(&self, group: u32, member: u32) -> (usize, u32) {
        let die = group / self.per_die * self.width + member;
        (die as usize, die * self.per_die + group % self.per_die)
    }

    /// Returns the die and superblock, numbered over the drive, of each member of a parity group whose bit is
    /// set in `of`.
    fn places(&self, group: u32, of: u64) -> impl Iterator<Item = (usize, u32)> {
        members(of).map(move |member| self.place_of(group, member))
    }

    /// Returns the die and superblock, numbered over the drive, of each member of a parity group that holds data.
    fn data_places(&self, group: u32) -> impl Iterator<Item = (usize, u32)> {
        self.places(group, self.data_members(group))
    }

    /// Returns the usable superblocks of a parity group (neither bad nor lost), whether they hold data or parity or are
    /// free, numbered over the drive.
    pub fn superblocks_of(&self, group: u32) -> impl Iterator<Item = u32> {
        members(self.groups[group as usize].alive).map(move |member| self.place_of(group, member).1)
    }

    /// Returns true if a superblock numbered over the drive holds parity.
    pub fn is_parity(&self, superblock: u32) -> bool {
        self.groups[self.group_of(superblock) as usize].parity == self.member_of(superblock)
    }

    /// Returns the range of the dies of set number `set`, whose superblocks protect each other by parity.
    fn dies_of(&self, set: usize) -> std::ops::Range<usize> {
        let width = self.width as usize;
        set * width..(set + 1) * width
    }

    /// Returns the number of the set of dies, whose superblocks protect each other by parity, to which `die` belongs.
    fn set_of(&self, die: usize) -> usize {
        die / self.width as usize
    }

    /// Returns the number of the set of dies on which a parity group lies.
    fn set_of_group(&self, group: u32) -> usize {
        (group / self.per_die) as usize
    }

    /// Returns the bit set of the members of a parity group that hold data, not parity.
    #[inline]
    fn data_members(&self, group: u32) -> u64 {
        let of = &self.groups[group as usize];
        if of.parity == NONE { of.alive } else { of.alive & !(1 << of.parity) }
    }

    /// Returns the number of superblocks of the drive that are assigned to parity.
    pub fn parity_superblocks(&self) -> u32 {
        self.groups.iter().filter(|group| group.parity != NONE).count() as u32
    }

    /// Returns the greatest amount of parity, in bytes, that was accumulated in RAM at one time since the run began.
    pub fn gathered_bytes_max(&self) -> u64 {
        self.gathered_most * self.program_bytes
    }

    /// Sets the number of programs issued to a superblock so far to `programs`. Returns how many programs of the parity
    /// of the superblock's group can be issued now, and counts them as issued.
    fn note_written(&mut self, superblock: u32, programs: u32) -> u32 {
        let group = self.group_of(superblock);
        let before = self.accumulating(group);
        let first = std::mem::replace(&mut self.written[superblock as usize], programs) == 0;
        if first {
            self.note_begun(group);
        }
        self.recount(group, before)
    }

    /// Marks a superblock as closed before it is full. Returns how many programs of the parity of the superblock's
    /// group can be issued now, and counts them as issued.
    fn note_ended(&mut self, superblock: u32) -> u32 {
        let group = self.group_of(superblock);
        let before = self.accumulating(group);
        let bit = 1 << self.member_of(superblock);
        self.groups[group as usize].ended |= bit;
        self.note_begun(group);
        self.recount(group, before)
    }

    fn recount(&mut self, group: u32, before: u32) -> u32 {
        let ready = self.ready(group);
        let of = &mut self.groups[group as usize];
        let due = if of.phase == Phase::Resting { ready.saturating_sub(of.parity_written) } else { 0 };
        of.parity_written += due;
        let after = self.accumulating(group);
        self.gathered = self.gathered + u64::from(after) - u64::from(before);
        self.gathered_most = self.gathered_most.max(self.gathered);
        due
    }

    /// Returns the number of programs of a group's parity, from the first one on, for which the data of all members of
    /// the parity group are known, whether or not the parity program was issued.
    fn ready(&self, group: u32) -> u32 {
        let of = &self.groups[group as usize];
        let waits_for = self.data_members(group) & !of.ended;
        if of.parity == NONE {
            return 0;
        }
        let slowest =
            members(waits_for).map(|member| self.written[self.place_of(group, member).1 as usize]).min();
        slowest.unwrap_or_else(|| self.longest(group))
    }

    /// Returns the greatest number of programs issued to any one data superblock of a parity group.
    fn longest(&self, group: u32) -> u32 {
        let all = members(self.data_members(group));
        all.map(|member| self.written[self.place_of(group, member).1 as usize]).max().unwrap_or(0)
    }

    /// Returns the number of programs of a group's parity that are still being accumulated in RAM, because they wait
    /// for data of other members of the parity group.
    fn accumulating(&self, group: u32) -> u32 {
        self.longest(group).saturating_sub(self.groups[group as usize].parity_written)
    }

    /// Resets the state of a parity group that was erased. If its parity superblock is lost, chooses another member for
    /// the parity and returns the index of that member; `None` otherwise.
    fn begin_anew(&mut self, group: u32) -> Option<u32> {
        self.gathered -= u64::from(self.accumulating(group));
        self.scars.forget(group);
        for superblock in self.superblocks_of(group).collect::<Vec<_>>() {
            self.written[superblock as usize] = 0;
        }
        let width = self.width;
        let of = &mut self.groups[group as usize];
        (of.ended, of.taken, of.emptied, of.parity_written) = (0, 0, 0, 0);
        of.phase = Phase::Resting;
        self.note_begun(group);
        let of = &mut self.groups[group as usize];
        let gone = of.parity == NONE || of.alive >> of.parity & 1 == 0;
        let begin = if of.parity == NONE { 0 } else { of.parity + 1 };
        gone.then(|| of.elect(begin, width)).flatten()
    }

    /// Returns the rank at which the erased parity group `group` joins the free groups, of which the lowest is opened
    /// first: `asked`, or more if needed to come after the groups that only some dies have opened.
    fn rank(&self, group: u32, asked: u64) -> u64 {
        let begun = self.begun[self.set_of_group(group)].iter();
        begun.map(|&other| self.groups[other as usize].rank + 1).max().unwrap_or(0).max(asked)
    }

    /// Returns true if some dies have opened a superblock of the parity group and others have not.
    fn is_begun(&self, group: u32) -> bool {
        self.begun[self.set_of_group(group)].contains(&group)
    }

    /// Returns true while any parity group of the drive is being relocated or erased.
    fn is_reclaiming(&self) -> bool {
        self.groups.iter().any(|group| matches!(group.phase, Phase::Moving | Phase::Erasing))
    }

    /// Adds the state of all parity groups to a saved state. Requests to reclaim groups are not saved, because they are
    /// made again.
    fn put_into(&self, saved: &mut SavedState) {
        let words = |of: fn(&Group) -> u32| self.groups.iter().map(of).collect();
        let longs = |of: fn(&Group) -> u64| self.groups.iter().map(of).collect();
        saved.words.push(self.written.clone());
        saved.words.extend([words(|group| group.parity), words(|group| group.parity_written)]);
        saved.longs.extend([longs(|group| group.alive), longs(|group| group.ended)]);
        saved.longs.push(longs(|group| group.rank));
    }

    /// Restores the state of all parity groups from a saved state; `programs` is the number of programs of a whole
    /// superblock.
    ///
    /// # Errors
    /// When the saved state has another number of groups, or contradicts itself.
    fn take_from(&mut self, saved: &mut Untaken<'_>, programs: u32) -> Result<(), String> {
        let groups = self.groups.len();
        self.written = saved.words_for(self.written.len())?.to_vec();
        let (parity, parity_written) = (saved.words_for(groups)?, saved.words_for(groups)?);
        let (alive, ended) = (saved.longs_for(groups)?, saved.longs_for(groups)?);
        let rank = saved.longs_for(groups)?;
        for (at, group) in self.groups.iter_mut().enumerate() {
            (group.parity, group.parity_written) = (parity[at], parity_written[at]);
            (group.alive, group.ended, group.rank) = (alive[at], ended[at], rank[at]);
            let members = group.alive.checked_shr(self.width).unwrap_or(0) == 0;
            let protected = match group.parity {
                NONE => group.alive == 0,
                parity => parity < self.width && group.alive >> parity & 1 == 1,
            };
            if !members || !protected || group.parity_written > programs {
                return Err("the saved state's groups of parity contradict themselves".into());
            }
        }
        if self.written.iter().any(|&written| written > programs) {
            return Err("the saved state's groups of parity contradict themselves".into());
        }
        for group in 0..groups as u32 {
            self.note_begun(group);
        }
        self.gathered = (0..groups as u32).map(|group| u64::from(self.accumulating(group))).sum();
        Ok(())
    }

    /// Adds parity group `group` to the list of groups that some dies have opened and others have not, or removes it,
    /// as its state now requires.
    fn note_begun(&mut self, group: u32) {
        let data = self.data_members(group) & !self.groups[group as usize].ended;
        let written = |member| self.written[self.place_of(group, member).1 as usize] > 0;
        let (some, all) = (members(data).any(written), members(data).all(written));
        let set = self.set_of_group(group);
        let listed = self.begun[set].iter().position(|&other| other == group);
        match listed {
            None if some && !all => self.begun[set].push(group),
            Some(at) if !some || all => {
                self.begun[set].swap_remove(at);
            }
            _ => {}
        }
    }
}

impl Group {
    /// Makes the first usable member (superblock neither bad nor lost) of a parity group, from index `begin` on and
    /// then from index 0 on, the one that holds the parity. Returns its index, or `None` if no other usable member is
    /// left to be protected.
    fn elect(&mut self, begin: u32, width: u32) -> Option<u32> {
        let order = (0..width).map(|step| (begin + step) % width);
        let found = order.into_iter().find(|member| self.alive >> member & 1 == 1);
        self.parity = match found {
            Some(member) if self.alive.count_ones() > 1 => member,
            _ => NONE,
        };
        (self.parity != NONE).then_some(self.parity)
    }
}
