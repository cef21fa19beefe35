//! What each superblock of a die, or of dies that share parity, is to become when a moment of a history is built again.

use crate::core::Core;
use crate::guards::members;
use crate::media::Media;
use crate::steady::{GroupMoment, Member, Moment, OpenBlock, SetMoment, UsedBlock, VictimBlock};
use crate::store::{NONE, SuperblockState};
use engine::RandomStream;
use std::cmp::Reverse;

/// What the superblocks of one die are to be; closed ones in the order they were closed, others with their cycles.
#[derive(Default)]
pub(super) struct Roles {
    pub closed: Vec<(u32, UsedBlock)>,
    pub open: [Option<(u32, OpenBlock)>; 2],
    pub victim: Option<(u32, VictimBlock)>,
    pub free: Vec<(u32, u32)>,
    pub parity: Vec<(u32, u32)>,
}

/// What the superblocks of a set of dies are to be.
pub(super) struct SetPlan {
    pub roles: Vec<Roles>,
    /// Its groups in the order that they are begun, those that are begun first.
    pub groups: Vec<u32>,
}

impl Core {
    /// The roles of a die's superblocks, which are in random order.
    pub(super) fn roles_of_die(
        &mut self,
        die: usize,
        moment: &Moment,
        random: &mut RandomStream,
    ) -> Result<Roles, String> {
        let free = &mut self.store.space.dies[die].free;
        let mut superblocks: Vec<u32> = free.drain().map(|Reverse((_, superblock))| superblock).collect();
        superblocks.sort_unstable();
        shuffle(&mut superblocks, random);
        let short = || format!("die {die} has too few good superblocks");
        let mut take = || superblocks.pop().ok_or_else(short);
        let mut roles = Roles::default();
        for (open, block) in roles.open.iter_mut().zip(&moment.open) {
            if let Some(block) = block {
                *open = Some((take()?, *block));
            }
        }
        if let Some(block) = moment.victim {
            roles.victim = Some((take()?, block));
        }
        let more = self.superblocks_kept() + self.rules.apart;
        let free_count = (moment.free.len() as u32 + more).saturating_sub(moment.kept).max(1);
        for at in 0..free_count as usize {
            let cycles = moment.free.get(at % moment.free.len().max(1)).copied().unwrap_or(0);
            roles.free.push((take()?, cycles));
        }
        if superblocks.is_empty() || moment.closed.is_empty() {
            return Err(short());
        }
        let count = superblocks.len();
        let closed = superblocks.into_iter().enumerate();
        roles.closed =
            closed.map(|(at, superblock)| (superblock, *drawn(&moment.closed, at, count, random))).collect();
        Ok(roles)
    }
}

impl Media {
    /// The roles of the superblocks of a set of dies: groups that are free or partly written are as they were at the
    /// moment, which group takes whose place is random.
    pub(super) fn plan_groups(
        &mut self,
        set: usize,
        moment: &SetMoment,
        random: &mut RandomStream,
    ) -> Result<SetPlan, String> {
        let stripes = self.guards.parity.as_ref().expect("a moment of groups is one of a drive with parity");
        let (dies, per_die) = (stripes.dies_of(set), self.core.store.space.per_die);
        let all = set as u32 * per_die..(set as u32 + 1) * per_die;
        let mut left: Vec<u32> = all.filter(|&group| stripes.groups[group as usize].parity != NONE).collect();
        shuffle(&mut left, random);
        let (mut rest, closed): (Vec<&GroupMoment>, Vec<&GroupMoment>) =
            moment.groups.iter().partition(|group| !group.is_closed());
        // Those that are begun are opened before those that are not.
        rest.sort_by_key(|group| (group.is_free(), group.rank));
        let closed = by_age(closed);
        let short = || format!("dies {} to {} have too few good superblocks", dies.start, dies.end - 1);
        let mut pairs: Vec<(u32, &GroupMoment)> = Vec::new();
        for like in rest {
            let fits = |&&group: &&u32| self.can_be(group, like);
            let same = |&&group: &&u32| stripes.groups[group as usize].parity == like.parity();
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
            for member in members(stripes.groups[group as usize].alive) {
                let superblock = group % per_die;
                let roles = &mut roles[member as usize];
                match like.members[self.stands_for(group, like, member)] {
                    Member::Parity(cycles) => roles.parity.push((superblock, cycles)),
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
            self.core.store.space.dies[die].free.clear();
        }
        Ok(SetPlan { roles, groups })
    }

    /// The member of a moment's group that one of this drive's stands for: parity for parity, the others in their places.
    fn stands_for(&self, group: u32, like: &GroupMoment, member: u32) -> usize {
        let stripes = self.guards.parity.as_ref().expect("a group is one of a drive with parity");
        let (own, other) = (stripes.groups[group as usize].parity, like.parity());
        (if member == own {
            other
        } else if member == other {
            own
        } else {
            member
        }) as usize
    }

    /// A group can take the place of one at a moment when every die keeps what it has open.
    fn can_be(&self, group: u32, like: &GroupMoment) -> bool {
        let stripes = self.guards.parity.as_ref().expect("a group is one of a drive with parity");
        (0..like.members.len() as u32).all(|member| {
            let alive = stripes.groups[group as usize].alive >> member & 1 == 1;
            let same = self.stands_for(group, like, member) == member as usize;
            alive && (same || !matches!(like.members[member as usize], Member::Open(..)))
        })
    }

    /// Tells the stripes what is written of a set's superblocks, and frees the rest of them, in this order of groups.
    pub(super) fn begin_groups(&mut self, groups: &[u32]) {
        let set = self.stripes().set_of_group(groups.first().copied().unwrap_or(0));
        let per_die = self.core.store.space.per_die;
        for die in self.stripes().dies_of(set) {
            for superblock in 0..per_die {
                let global = self.core.store.space.global(die, superblock);
                if self.core.store.space.state[global] == SuperblockState::Closed {
                    let programs = self.core.store.layout.rows / self.core.store.layout.program_rows;
                    self.note_written_untimed(global as u32, programs);
                }
            }
            for frontier in self.core.store.space.dies[die].frontiers {
                if frontier.superblock != NONE {
                    let global = self.core.store.space.global(die, frontier.superblock);
                    let programs = frontier.next_unit / self.core.store.layout.program_units;
                    self.note_written_untimed(global as u32, programs);
                }
            }
        }
        let mut least = 0;
        for &group in groups {
            let stripes = self.stripes();
            let free: Vec<(usize, u32)> = stripes.data_places(group).collect();
            let free: Vec<(usize, u32)> = (free.into_iter())
                .filter(|&(_, global)| self.core.store.space.state[global as usize] == SuperblockState::Free)
                .collect();
            let ranks = free.iter().map(|&(die, at)| self.core.store.space.free_rank(die, at % per_die));
            let rank = ranks.max().unwrap_or(0).max(least);
            self.stripes().groups[group as usize].rank = rank;
            if self.stripes().is_begun(group) {
                least = rank + 1;
            }
            for (die, global) in free {
                self.core.store.space.push_ranked(die, global % per_die, rank);
            }
        }
    }
}

impl GroupMoment {
    fn parity(&self) -> u32 {
        let at = self.members.iter().position(|member| matches!(member, Member::Parity(_)));
        at.map_or(NONE, |at| at as u32)
    }

    fn is_closed(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Parity(_) | Member::Closed(_)))
    }

    fn is_free(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Parity(_) | Member::Free(_)))
    }
}

/// The oldest first: as old as its superblocks together.
fn by_age(mut groups: Vec<&GroupMoment>) -> Vec<&GroupMoment> {
    let age = |group: &GroupMoment| -> f64 {
        let of = |member: &Member| if let Member::Closed(block) = member { block.age } else { 0.0 };
        group.members.iter().map(of).sum()
    };
    groups.sort_by(|a, b| age(b).total_cmp(&age(a)));
    groups
}

fn shuffle(list: &mut [u32], random: &mut RandomStream) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// One of `list` for the `at`th of `count` that are built like it, so that each part of the list has its share.
fn drawn<'a, T>(list: &'a [T], at: usize, count: usize, random: &mut RandomStream) -> &'a T {
    let drawn = (at as f64 + random.unit()) / count as f64 * list.len() as f64;
    &list[(drawn as usize).min(list.len() - 1)]
}
