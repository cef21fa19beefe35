//! Groups of superblocks in a steady state: what they are at a moment of it, and built again on another drive.

use super::{Stripes, members};
use crate::core::{Core, GroupMoment, Member, Roles, SetMoment, SetPlan, drawn, shuffle};
use crate::store::{NONE, SuperblockState};
use engine::RandomStream;

impl Stripes {
    /// Returns a record of the present state of the first set of dies that share parity groups, and of these groups,
    /// for a recorded steady state; `worn` is the number of program/erase cycles at the start of the drive.
    pub(super) fn moment(&self, core: &Core, worn: u32) -> SetMoment {
        let dies = self.dies_of(0);
        let group = |slot: u32| GroupMoment {
            rank: self.groups[slot as usize].rank,
            members: dies.clone().map(|die| core.member(die, slot, worn)).collect(),
        };
        SetMoment {
            groups: (0..core.store.space.per_die).map(group).collect(),
            dies: dies.clone().map(|die| core.moment_of(die, worn)).collect(),
        }
    }

    /// Plans the roles of the superblocks of a set of dies from a recorded steady state `moment`, and empties the dies'
    /// free lists: free and partly written parity groups are reproduced as they were, the states of the others are
    /// drawn from those of closed groups, and which group takes which state is random.
    ///
    /// # Errors
    /// When the dies have too few good superblocks.
    pub(super) fn plan_groups(
        &self,
        core: &mut Core,
        set: usize,
        moment: &SetMoment,
        random: &mut RandomStream,
    ) -> Result<SetPlan, String> {
        let (dies, per_die) = (self.dies_of(set), core.store.space.per_die);
        let all = set as u32 * per_die..(set as u32 + 1) * per_die;
        let mut left: Vec<u32> = all.filter(|&group| self.groups[group as usize].parity != NONE).collect();
        shuffle(&mut left, random);
        let (mut rest, closed): (Vec<&GroupMoment>, Vec<&GroupMoment>) =
            moment.groups.iter().partition(|group| !group.is_closed());
        // Groups that are begun are opened before others.
        rest.sort_by_key(|group| (group.is_free(), group.rank));
        let closed = by_age(closed);
        let short = || format!("dies {} to {} have too few good superblocks", dies.start, dies.end - 1);
        let mut pairs: Vec<(u32, &GroupMoment)> = Vec::new();
        for like in rest {
            let fits = |&&group: &&u32| self.can_be(group, like);
            let same = |&&group: &&u32| self.groups[group as usize].parity == like.parity();
            let found = left.iter().filter(fits).find(same).or_else(|| left.iter().find(fits));
            let group = *found.ok_or_else(short)?;
            left.retain(|&other| other != group);
            pairs.push((group, like));
        }
        if closed.is_empty() {
            return Err(short());
        }
        let groups = pairs.iter().map(|(group, _)| *group).collect();
        let count = left.len();
        pairs.extend(left.iter().enumerate().map(|(at, &group)| (group, *drawn(&closed, at, count, random))));
        let mut roles: Vec<Roles> = dies.clone().map(|_| Roles::default()).collect();
        for (group, like) in pairs {
            for member in members(self.groups[group as usize].alive) {
                let superblock = group % per_die;
                let roles = &mut roles[member as usize];
                match like.members[self.stands_for(group, like, member)] {
                    Member::Owned(cycles) => roles.owned.push((superblock, cycles)),
                    Member::Free(cycles) => roles.free.push((superblock, cycles)),
                    Member::Open(stream, block) => roles.open[stream] = Some((superblock, block)),
                    Member::Closed(block) => roles.closed.push((superblock, block)),
                }
            }
        }
        for roles in &mut roles {
            roles.closed.sort_by(|(_, a), (_, b)| b.age.total_cmp(&a.age));
        }
        for die in dies {
            core.store.space.dies[die].free.clear();
        }
        Ok(SetPlan { roles, groups })
    }

    /// Returns the index of the member of the recorded parity group `like` whose state the member `member` of this
    /// drive's group takes: parity takes the state of the recorded parity, the member displaced by that takes the other
    /// state of the two, and all others the state at their own index.
    fn stands_for(&self, group: u32, like: &GroupMoment, member: u32) -> usize {
        let (own, other) = (self.groups[group as usize].parity, like.parity());
        (if member == own {
            other
        } else if member == other {
            own
        } else {
            member
        }) as usize
    }

    /// Returns true if a parity group of this drive can take the state of the recorded one `like`: all members are
    /// usable (neither bad nor lost), and every open superblock is on the die on which it was recorded.
    fn can_be(&self, group: u32, like: &GroupMoment) -> bool {
        (0..like.members.len() as u32).all(|member| {
            let alive = self.groups[group as usize].alive >> member & 1 == 1;
            let same = self.stands_for(group, like, member) == member as usize;
            alive && (same || !matches!(like.members[member as usize], Member::Open(..)))
        })
    }

    /// Notes, after the superblocks of a set of dies were built from a recorded steady state, how many programs each
    /// closed or open superblock has had since its erase, and enters the free superblocks of the parity groups `groups`
    /// into the free lists of their dies, one group after the other.
    pub(super) fn begin_built_groups(&mut self, core: &mut Core, groups: &[u32]) {
        let set = self.set_of_group(groups.first().copied().unwrap_or(0));
        let per_die = core.store.space.per_die;
        for die in self.dies_of(set) {
            for superblock in 0..per_die {
                let global = core.store.space.global(die, superblock);
                if core.store.space.state[global] == SuperblockState::Closed {
                    let programs = core.store.layout.rows / core.store.layout.program_rows;
                    self.note_written_untimed(core, global as u32, programs);
                }
            }
            for stream in 0..core.store.space.dies[die].frontiers.len() {
                let frontier = core.store.space.dies[die].frontiers[stream];
                if frontier.superblock != NONE {
                    let global = core.store.space.global(die, frontier.superblock);
                    let programs = frontier.next_unit / core.store.layout.program_units;
                    self.note_written_untimed(core, global as u32, programs);
                }
            }
        }
        let mut least = 0;
        for &group in groups {
            let free: Vec<(usize, u32)> = self.data_places(group).collect();
            let free: Vec<(usize, u32)> = (free.into_iter())
                .filter(|&(_, global)| core.store.space.state[global as usize] == SuperblockState::Free)
                .collect();
            let ranks = free.iter().map(|&(die, at)| core.store.space.free_rank(die, at % per_die));
            let rank = ranks.max().unwrap_or(0).max(least);
            self.groups[group as usize].rank = rank;
            if self.is_begun(group) {
                least = rank + 1;
            }
            for (die, global) in free {
                core.store.space.push_ranked(die, global % per_die, rank);
            }
        }
    }
}

impl GroupMoment {
    fn parity(&self) -> u32 {
        let at = self.members.iter().position(|member| matches!(member, Member::Owned(_)));
        at.map_or(NONE, |at| at as u32)
    }

    fn is_closed(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Owned(_) | Member::Closed(_)))
    }

    fn is_free(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Owned(_) | Member::Free(_)))
    }
}

/// Sorts the parity groups of a recorded steady state, from which a used drive is constructed, by the sum of the ages
/// of their superblocks, the oldest first.
fn by_age(mut groups: Vec<&GroupMoment>) -> Vec<&GroupMoment> {
    let age = |group: &GroupMoment| -> f64 {
        let of = |member: &Member| if let Member::Closed(block) = member { block.age } else { 0.0 };
        group.members.iter().map(of).sum()
    };
    groups.sort_by(|a, b| age(b).total_cmp(&age(a)));
    groups
}
