//! How the host's data become program units: which dies may take some, and the one whose program unit is being filled.

use super::handles::ANY_GROUP;
use super::ordering::Ordering;
use super::reclaim_groups::{PLACEMENT, PlacementInGroups, placement_of};
use super::streams::Streams;
use crate::placement::{self, PlacementPolicy};
use crate::store::{NONE, Space, Store};
use crate::{Layout, program_order};
use std::ops::Range;
use units::{Lpn, Nanos, SimTime};

/// State by which one stream's host data are collected into program units (units programmed together) on the dies of a
/// reclaim group: the die whose program unit is being filled, and the dies that may take the next one.
pub(crate) struct Lane {
    /// Number of the stream whose host data this lane (collector of one stream) collects into program units.
    pub own: usize,
    /// Bit set of the dies that may take another program unit of host data from this lane (collector of one stream):
    /// one bit for each die.
    pub eligible: Vec<u64>,
    /// Number of the die whose program unit the lane (collector of one stream's host data) is filling, or `NONE`.
    pub current: u32,
    /// Number of the stream, on the die whose program unit is being filled, whose open superblock takes the units.
    pub stream: usize,
    /// True while a host request waits for the program unit that is being filled: a write with forced unit access
    /// (FUA), or any write on a drive without a write cache.
    pub is_awaited: bool,
    /// Time by which the program unit that is being filled must be programmed even if it is partial; `NEVER` if no
    /// program unit is being filled or no time limit applies.
    pub flush_due: SimTime,
}

impl Lane {
    fn new(own: usize, words: usize) -> Self {
        let eligible = vec![0; words];
        Self { own, eligible, current: NONE, stream: own, is_awaited: false, flush_due: SimTime::NEVER }
    }

    /// Ends the program unit (units programmed together) that host data of this lane were filling; the lane's next
    /// program unit may go to another die.
    #[inline]
    pub fn end_unit(&mut self) {
        self.current = NONE;
        self.is_awaited = false;
        self.flush_due = SimTime::NEVER;
    }
}

/// State of the collection of host data into program units on all dies: the policies that choose die and stream, and
/// the program unit that each stream is filling.
pub(crate) struct Assembly {
    pub placement: Box<dyn PlacementPolicy>,
    /// Field: state of the streams of the drive (write frontiers for different kinds of data), with the policy that
    /// chooses the stream of each mapping unit.
    pub streams: Streams,
    /// Field: state of the program-order policy, which may exchange the open superblocks of the host's stream and the
    /// stream of moved data on a die; `None` where the policy never does.
    pub ordering: Option<Box<Ordering>>,
    /// Setting: greatest number of programs of host data that may wait at a die.
    pub program_queue: u32,
    /// True while a drive of a sampled run stands still, between simulated time and writes without it: neither host nor
    /// garbage collection begins anything new on the flash.
    pub is_still: bool,
    /// Setting: time that a partial program unit waits for more mapping units before it is padded and programmed.
    pub flush_after: Nanos,
    /// For each die, the number of programs of the host's stream that wait or are in progress on the die.
    pub bound: Vec<u32>,
    /// Bit set of the dies on which another program unit would raise the live (valid) mapping units above their quota:
    /// one bit for each die.
    pub quota_blocked: Vec<u64>,
    /// List of the lanes, which collect host data into program units: one for each stream that takes host data, with
    /// the program unit that the stream is filling; with several reclaim groups as many for each, group after group.
    pub lanes: Vec<Lane>,
    /// Number of lanes of a reclaim group; all lanes on a drive with one group.
    group_lanes: usize,
    /// For each die, the index of the first lane of the die's reclaim group; 0 on a drive with one group.
    first_lanes: Box<[usize]>,
}

impl Assembly {
    /// Returns text for messages that names the dies whose program units are being filled with host data.
    pub fn filling(&self) -> String {
        let dies = self
            .lanes
            .iter()
            .filter(|lane| lane.current != NONE)
            .map(|lane| format!("die {} is", lane.current));
        let dies: Vec<String> = dies.collect();
        if dies.is_empty() { "no die is".to_owned() } else { dies.join(", ") }
    }

    /// Makes the state of the collection of host data in which no program unit is being filled, for the dies of
    /// `layout`, at each of which `program_queue` programs may wait.
    pub fn new(
        (placement, order): (&placement::Maker, &program_order::Maker),
        streams: Streams,
        layout: &Layout,
        program_queue: u32,
        flush_after: Nanos,
        seed: u64,
    ) -> Self {
        let groups = streams.handles.as_ref().map(|handles| &handles.groups);
        let group_count = groups.map_or(1, |groups| groups.count());
        let placement: Box<dyn PlacementPolicy> = match groups.filter(|groups| groups.count() > 1) {
            Some(groups) => Box::new(PlacementInGroups::new(placement, groups, layout.shape, seed)),
            None => placement_of(placement, seed, PLACEMENT, layout.dies),
        };
        let dies = layout.dies as usize;
        let group_lanes = streams.of_hosts().count();
        let group_of = |die: usize| groups.map_or(0, |groups| groups.of_die(die).into());
        let lanes_of_group = |_| streams.of_hosts().map(|stream| Lane::new(stream, dies.div_ceil(64)));
        Self {
            placement,
            ordering: Ordering::new(order),
            program_queue,
            is_still: false,
            flush_after,
            bound: vec![0; dies],
            quota_blocked: vec![0; dies.div_ceil(64)],
            lanes: (0..group_count).flat_map(lanes_of_group).collect(),
            group_lanes,
            first_lanes: (0..dies).map(|die| group_of(die) * group_lanes).collect(),
            streams,
        }
    }

    /// Ends the program unit that host data were filling in `stream` of `die`; the next program unit may go to another
    /// die.
    #[inline]
    pub fn end_unit(&mut self, die: usize, stream: usize) {
        for lane in &mut self.lanes {
            if lane.current == die as u32 && lane.stream == stream {
                lane.end_unit();
            }
        }
    }

    /// Returns the range of indices of the lanes (collectors of host data into program units) of the reclaim group of a
    /// die, which may fill program units on the die.
    #[inline]
    pub fn lanes_of(&self, die: usize) -> Range<usize> {
        let first = self.first_lanes[die];
        first..first + self.group_lanes
    }

    /// Returns true unless the drive has several reclaim groups.
    #[inline]
    pub fn has_one_group(&self) -> bool {
        self.lanes.len() == self.group_lanes
    }

    /// Returns the index of the lane (collector of host data into program units) that collects the host data of
    /// `stream` in the first reclaim group; 0 if no lane does.
    #[inline]
    pub fn lane_of(&self, stream: usize) -> usize {
        // Where a policy tells units by their origin alone there is one.
        self.lanes.iter().position(|lane| lane.own == stream).unwrap_or(0)
    }

    /// Returns the number of the reclaim group for which a lane collects host data.
    pub fn group_of_lane(&self, lane: usize) -> u16 {
        (lane / self.group_lanes) as u16
    }

    /// Asks the stream policy for the stream of the unit in a slot of the write buffer, and returns the index of the
    /// lane (collector of host data into program units) that collects the unit.
    pub fn lane_asked_for(&mut self, store: &Store, slot: u32, lpn: Lpn) -> usize {
        let stream = self.streams.of_slot(store, slot, lpn);
        let lane = self.lane_of(stream);
        match self.has_one_group() {
            true => lane,
            false => lane + usize::from(self.group_for(lane, store, slot, lpn)) * self.group_lanes,
        }
    }

    /// Returns the number of the reclaim group to which the unit in a slot of the write buffer goes: the group that the
    /// host named or, where all dies of that group are full of valid data, the emptiest other one that the unit's
    /// namespace has. Units for which the host named no group go to the groups in turns. `lane` is the lane of the
    /// unit's stream in the first group.
    fn group_for(&mut self, lane: usize, store: &Store, slot: u32, lpn: Lpn) -> u16 {
        let Some(handles) = self.streams.handles.as_deref() else { return 0 };
        let is_hosts = store.layout.is_host_unit(lpn);
        let wanted = handles.of_slot(slot);
        let all = || (0..handles.groups.count() as u16).filter(|&group| handles.may_use(lpn, group));
        if wanted.group != ANY_GROUP && is_hosts {
            if !self.is_full(wanted.group) {
                return wanted.group;
            }
            let others = all().filter(|&group| !self.is_full(group));
            let room =
                |group: u16| handles.groups.dies(group).map(|die| room_of(&store.space, die)).sum::<u64>();
            let Some(other) = others.max_by_key(|&group| (room(group), u16::MAX - group)) else {
                return wanted.group;
            };
            self.streams.handles.as_mut().expect("it has them").send_elsewhere(slot, other);
            return other;
        }
        let of = |group: u16| &self.lanes[lane + usize::from(group) * self.group_lanes];
        let last = handles.turn(wanted.handle);
        if of(last).current != NONE && handles.may_use(lpn, last) {
            return last;
        }
        let takes = |group: &u16| of(*group).eligible.iter().any(|word| *word != 0);
        let next = all().find(|group| *group > last && takes(group)).or_else(|| all().find(takes));
        let Some(next) = next else { return all().next().unwrap_or(last) };
        self.streams.handles.as_mut().expect("it has them").set_turn(wanted.handle, next);
        next
    }

    /// Returns true if on each die of a reclaim group another program unit would raise the valid mapping units above
    /// the die's quota.
    fn is_full(&self, group: u16) -> bool {
        let blocked = |die: usize| self.quota_blocked[die / 64] >> (die % 64) & 1 == 1;
        self.streams.handles.as_ref().is_some_and(|handles| handles.groups.dies(group).all(blocked))
    }

    /// Returns true if the program unit of any die is partly filled with host data.
    #[inline]
    pub fn is_filling(&self) -> bool {
        self.lanes.iter().any(|lane| lane.current != NONE)
    }
}

/// Returns the number of mapping units that a die may still take before its valid mapping units reach its quota.
fn room_of(space: &Space, die: usize) -> u64 {
    let die = &space.dies[die];
    die.quota.saturating_sub(die.live).into()
}
