//! Placement handles: what the host names with its data, from the request to the superblock, and what is counted of each.
//!
//! A reclaim unit of a handle is so many superblocks as its policy says, one after the other as the handle opens them,
//! on any dies of a reclaim group: they are opened and accounted for together, and reclaimed one by one.

use super::reclaim_groups::ReclaimGroups;
use super::reclaim_units::{ReclaimUnits, UnitEnd};
use crate::Layout;
use crate::store::Space;
use crate::streams::{HandleSpec, Isolation, PlacementArea, StreamSpec};
use units::{Lpn, Nanos, SimTime};

/// Constant: number that stands for data which name no reclaim group, so that the drive chooses one.
pub(crate) const ANY_GROUP: u16 = u16::MAX;

/// Record of the counters of one placement handle (FDP, streams) since the drive was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandleCounts {
    /// Number of bytes that the host wrote with this placement handle.
    pub bytes_written: u64,
    /// Number of reclaim units (FDP: groups of superblocks that one placement handle fills in turn) that the placement
    /// handle has begun to fill.
    pub units_opened: u64,
    /// Number of reclaim units that the placement handle began because the one before was full.
    pub units_followed: u64,
    /// Number of times that the host asked for another reclaim unit of the placement handle.
    pub updates: u64,
    /// Number of reclaim units of the placement handle that were ended because they were open for too long.
    pub units_too_old: u64,
    /// Number of superblocks of the placement handle that were closed before they were full, and of superblocks of its
    /// reclaim units that were not opened at all.
    pub ended_early: u64,
    /// Number of superblocks of the placement handle that a power cut closed before they were full.
    pub ended_by_cuts: u64,
    /// Number of superblocks of the placement handle that garbage collection took as victims while they held valid
    /// units.
    pub victims: u64,
    /// Number of valid mapping units that garbage collection moved out of superblocks of the placement handle.
    pub units_moved: u64,
}

impl HandleCounts {
    /// Returns the increase of these counters of a placement handle since the earlier counters `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            bytes_written: self.bytes_written - earlier.bytes_written,
            units_opened: self.units_opened - earlier.units_opened,
            units_followed: self.units_followed - earlier.units_followed,
            updates: self.updates - earlier.updates,
            units_too_old: self.units_too_old - earlier.units_too_old,
            ended_early: self.ended_early - earlier.ended_early,
            ended_by_cuts: self.ended_by_cuts - earlier.ended_by_cuts,
            victims: self.victims - earlier.victims,
            units_moved: self.units_moved - earlier.units_moved,
        }
    }
}

/// Record of the counters of all placement handles of the drive since the drive was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleTotals {
    /// List of the counters of each placement handle, by its number.
    pub handles: Vec<HandleCounts>,
    /// List, by reclaim group, of the number of mapping units that named the group and were written to another group,
    /// because the dies of the named one were full of valid data.
    pub elsewhere: Vec<u64>,
    /// Number of host writes, and of requests for another reclaim unit, that named a placement identifier which their
    /// namespace does not have.
    pub unknown: u64,
    /// Number of victims of garbage collection that held valid units and belonged to no single placement handle.
    pub shared_victims: u64,
    /// Number of valid mapping units that garbage collection moved out of superblocks that belonged to no single
    /// placement handle.
    pub shared_units_moved: u64,
}

impl HandleTotals {
    /// Returns the increase of these counters of all placement handles since the earlier counters `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let handles = self.handles.iter().zip(&earlier.handles).map(|(now, then)| now.since(then));
        Self {
            handles: handles.collect(),
            elsewhere: self.elsewhere.iter().zip(&earlier.elsewhere).map(|(now, then)| now - then).collect(),
            unknown: self.unknown - earlier.unknown,
            shared_victims: self.shared_victims - earlier.shared_victims,
            shared_units_moved: self.shared_units_moved - earlier.shared_units_moved,
        }
    }
}

/// State of one placement handle at the present moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleState {
    /// Field of a placement handle's state: its isolation, which says whether garbage collection keeps this handle's
    /// data apart from the data of other handles.
    pub isolation: Isolation,
    /// List, by reclaim group, of the number of mapping units that can be written with this placement handle before it
    /// begins another reclaim unit in the group.
    pub available_units: Vec<u64>,
}

/// State of one reclaim group (NVMe FDP) at the present moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReclaimGroupState {
    /// Number of dies of the reclaim group.
    pub dies: u64,
    /// Number of valid mapping units on the dies of the reclaim group.
    pub valid_units: u64,
}

/// Record of the place on flash that the host wants for a unit in the write buffer: placement handle and reclaim group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WantedPlace {
    /// Number of the placement handle through which the host wrote the unit.
    pub handle: u16,
    /// Number of the reclaim group that the host named with the unit, or of the group chosen instead because that one
    /// is full of valid data; [`ANY_GROUP`] if the host named none.
    pub group: u16,
    /// Number of the host's requests for another reclaim unit, of any handle, before it wrote the unit.
    pub after: u32,
}

/// State of the placement handles of a drive: their streams (write frontiers), reclaim units and counters, and the
/// place that the host wants for each unit in the write buffer.
pub(crate) struct Handles {
    /// Placement identifier of the host data that arrive now; none if the host names none.
    arriving: Option<u16>,
    /// For each slot of the write buffer, the placement handle and reclaim group of the data in the slot.
    slots: Box<[WantedPlace]>,
    isolation: Box<[Isolation]>,
    /// For each stream (write frontier on each die), the number of the placement handle whose data alone the stream
    /// holds; `None` if the stream holds other data too.
    of_stream: Box<[Option<u16>]>,
    /// Field: state of the reclaim units that each placement handle fills in each reclaim group.
    units: ReclaimUnits,
    counted: HandleTotals,
    /// List of the parts of the logical drive (namespaces) with the placement identifiers of each, in order.
    areas: Box<[PlacementArea]>,
    /// Field: set of the reclaim groups of the drive.
    pub groups: ReclaimGroups,
    /// Number of superblocks of a die.
    per_die: usize,
    /// Number of the host's logical units; units from this number on are the drive's own.
    host_units: u32,
    /// For each placement handle, the number of the reclaim group that took the last program unit of data without a
    /// group.
    turns: Box<[u16]>,
    /// True once the drive takes no more writes: units left in the write buffer may then go to any reclaim group.
    is_open: bool,
}

impl Handles {
    /// Makes the placement handles that a stream policy declares, for a drive of this layout whose write buffer has
    /// `slots` slots. `areas` are the namespaces with their placement identifiers; if it is empty, the whole drive
    /// counts as one namespace with all handles in all reclaim groups.
    pub fn new(
        spec: HandleSpec,
        streams: &[StreamSpec],
        layout: &Layout,
        (slots, areas): (u32, &[PlacementArea]),
    ) -> Self {
        let (count, groups) = (spec.isolation.len(), spec.groups);
        let whole = || PlacementArea {
            name: String::new(),
            first: Lpn(0),
            units: layout.logical_units.into(),
            handles: (0..count as u16).collect(),
            groups: (0..groups as u16).collect(),
        };
        let nowhere = WantedPlace { handle: 0, group: ANY_GROUP, after: 0 };
        let superblocks = spec.unit_superblocks.unwrap_or(layout.dies / groups).into();
        Self {
            arriving: None,
            slots: vec![nowhere; slots as usize].into(),
            of_stream: streams.iter().map(|stream| stream.handle).collect(),
            units: ReclaimUnits::new(count * groups as usize, superblocks, spec.unit_time_limit),
            isolation: spec.isolation.into(),
            counted: HandleTotals {
                handles: vec![HandleCounts::default(); count],
                elsewhere: vec![0; groups as usize],
                ..HandleTotals::default()
            },
            areas: if areas.is_empty() { [whole()].into() } else { areas.into() },
            groups: ReclaimGroups::new(groups, layout),
            per_die: layout.superblocks_per_die as usize,
            host_units: layout.logical_units,
            turns: vec![0; count].into(),
            is_open: false,
        }
    }

    /// Sets the placement identifier of the data that arrive from now on, as the host names it; none if it names none.
    pub fn set_arriving(&mut self, named: Option<u16>) {
        self.arriving = named;
    }

    /// Returns the namespaces with their placement identifiers, in their order.
    pub fn areas(&self) -> &[PlacementArea] {
        &self.areas
    }

    #[inline]
    fn area_of(&self, lpn: Lpn) -> &PlacementArea {
        let begun = self.areas.partition_point(|area| area.first <= lpn);
        &self.areas[begun.saturating_sub(1)]
    }

    /// Returns the placement handle and reclaim group of data of unit `lpn` that arrive now: those of the named
    /// identifier, or the first handle of the namespace in any of its groups.
    #[inline]
    pub fn arriving(&self, lpn: Lpn) -> WantedPlace {
        let area = self.area_of(lpn);
        let named = self.arriving.and_then(|identifier| area.identified(identifier));
        let (handle, group) = named.unwrap_or((area.handles[0], ANY_GROUP));
        WantedPlace { handle, group, after: self.units.requests }
    }

    /// Returns true if data of unit `lpn` may lie on the dies of a reclaim group: a group of the unit's namespace, or
    /// any group for units of the drive's own and on a drive that takes no more writes.
    pub fn may_use(&self, lpn: Lpn, group: u16) -> bool {
        lpn.0 >= self.host_units || self.is_open || self.area_of(lpn).groups.contains(&group)
    }

    /// Lets the units in the write buffer go to any reclaim group from now on, as the drive takes no more writes.
    pub fn open_all_groups(&mut self) {
        self.is_open = true;
    }

    /// Counts a host write from unit `first` on whose placement identifier the namespace does not have; does nothing if
    /// the namespace has it, or none is named.
    pub fn note_named(&mut self, first: Lpn, named: Option<u16>) {
        let Some(named) = named else { return };
        self.counted.unknown += u64::from(self.area_of(first).identified(named).is_none());
    }

    /// Records that write buffer slot `slot` now holds data of unit `lpn` from the arriving host write, and adds
    /// `bytes` to the bytes written with the placement handle of that write.
    #[inline]
    pub fn note_arrived(&mut self, slot: u32, lpn: Lpn, bytes: u64) {
        let place = self.arriving(lpn);
        self.slots[slot as usize] = place;
        self.counted.handles[usize::from(place.handle)].bytes_written += bytes;
    }

    /// Returns the placement handle and the reclaim group of the data that a write buffer slot holds.
    pub fn of_slot(&self, slot: u32) -> WantedPlace {
        self.slots[slot as usize]
    }

    /// Gives the data of a write buffer slot another reclaim group than the host named, and counts that.
    pub fn send_elsewhere(&mut self, slot: u32, group: u16) {
        let named = std::mem::replace(&mut self.slots[slot as usize].group, group);
        self.counted.elsewhere[usize::from(named)] += 1;
    }

    /// Returns the number of the reclaim group that took the last program unit of a placement handle's data without a
    /// group.
    pub fn turn(&self, handle: u16) -> u16 {
        self.turns[usize::from(handle)]
    }

    /// Sets the number of the reclaim group that takes the next program unit of a placement handle's data without a
    /// group.
    pub fn set_turn(&mut self, handle: u16, group: u16) {
        self.turns[usize::from(handle)] = group;
    }

    /// Returns the index, in arrays with an entry for each handle in each group, of a placement handle in a group.
    fn at(&self, handle: u16, group: u16) -> usize {
        usize::from(handle) * self.groups.count() + usize::from(group)
    }

    /// Counts a superblock (numbered over the drive) that is opened for a stream of host data, and, where it is the
    /// first of a reclaim unit, the reclaim unit.
    pub fn note_opened(&mut self, stream: usize, superblock: usize) {
        let Some(handle) = self.of_stream(stream) else { return };
        let at = self.at(handle, self.groups.of_die(superblock / self.per_die));
        let (is_first, follows) = self.units.note_opened(at);
        let counts = &mut self.counted.handles[usize::from(handle)];
        counts.units_opened += u64::from(is_first);
        counts.units_followed += u64::from(follows);
    }

    /// Carries out the host's reclaim unit handle update: data that the host writes from now on begin another reclaim
    /// unit of the placement identifier `named` of the namespace of unit `first`; if none is named, of the namespace's
    /// first handle in all its groups. Returns false, and counts that, if the namespace lacks the identifier.
    pub fn ask_for_unit(&mut self, first: Lpn, named: Option<u16>) -> bool {
        let area = self.area_of(first);
        let places: Vec<(u16, u16)> = match named {
            Some(named) => area.identified(named).into_iter().collect(),
            None => area.groups.iter().map(|&group| (area.handles[0], group)).collect(),
        };
        self.counted.unknown += u64::from(places.is_empty());
        self.units.requests += u32::from(!places.is_empty());
        for &(handle, group) in &places {
            let at = self.at(handle, group);
            self.units.ask(at);
            self.counted.handles[usize::from(handle)].updates += 1;
        }
        !places.is_empty()
    }

    /// Returns the reason why the open reclaim unit of a stream's handle in a group must end before it takes the data
    /// in a slot of the write buffer at time `now`; `None` if it need not end. The caller then closes the superblocks
    /// of the unit, and calls [`Self::end_unit`].
    pub fn ends_unit(&mut self, (stream, group): (usize, u16), slot: u32, now: SimTime) -> Option<UnitEnd> {
        self.units.now = now;
        let handle = self.of_stream(stream)?;
        let (at, after) = (self.at(handle, group), self.slots[slot as usize].after);
        self.units.ends(at, after)
    }

    /// Ends the reclaim unit of a stream's handle in a group, of which `closed` open superblocks were closed, before it
    /// is full: the next superblock that is opened is the first of another unit. Does nothing to a full unit.
    pub fn end_unit(&mut self, (stream, group): (usize, u16), closed: u32, why: UnitEnd) {
        let Some(handle) = self.of_stream(stream) else { return };
        let at = self.at(handle, group);
        if closed == 0 && self.units.to_open(at) == 0 {
            return;
        }
        let counts = &mut self.counted.handles[usize::from(handle)];
        counts.ended_early += self.units.end(at);
        counts.units_too_old += u64::from(why == UnitEnd::TooOld);
    }

    /// Counts, for the placement handle of a stream, a superblock of the stream that is closed before it is full.
    pub fn note_ended(&mut self, stream: usize) {
        if let Some(handle) = self.of_stream(stream) {
            self.counted.handles[usize::from(handle)].ended_early += 1;
        }
    }

    /// Counts, for the placement handle of a stream, a superblock of the stream that a power cut closed before it was
    /// full.
    pub fn note_cut(&mut self, stream: usize) {
        if let Some(handle) = self.of_stream(stream) {
            self.counted.handles[usize::from(handle)].ended_by_cuts += 1;
        }
    }

    /// Counts a superblock of a stream, with `valid` valid mapping units, that garbage collection takes as a victim; a
    /// superblock without valid units is not counted.
    pub fn note_reclaimed(&mut self, stream: usize, valid: u32) {
        if valid == 0 {
            return;
        }
        let (victims, units) = match self.of_stream(stream) {
            Some(handle) => {
                let counts = &mut self.counted.handles[usize::from(handle)];
                (&mut counts.victims, &mut counts.units_moved)
            }
            None => (&mut self.counted.shared_victims, &mut self.counted.shared_units_moved),
        };
        (*victims, *units) = (*victims + 1, *units + u64::from(valid));
    }

    /// Returns the number of mapping units that can be written with a placement handle before it begins another reclaim
    /// unit in a reclaim group; the size of a whole reclaim unit where the host has asked for another one.
    fn available(&self, handle: u16, group: u16, space: &Space, layout: &Layout) -> u64 {
        let stream = self.of_stream.iter().position(|of| *of == Some(handle));
        let left = |stream: usize| {
            self.groups.dies(group).map(|die| space.dies[die].frontiers[stream].left(layout)).sum()
        };
        let at = self.at(handle, group);
        if self.units.is_asked_for(at) {
            return self.units.superblocks * u64::from(layout.data_units());
        }
        let open: u32 = stream.map_or(0, left);
        u64::from(open) + self.units.to_open(at) * u64::from(layout.data_units())
    }

    /// Returns the number of the placement handle whose data alone a stream holds; `None` if the stream holds other
    /// data too.
    pub fn of_stream(&self, stream: usize) -> Option<u16> {
        self.of_stream.get(stream).copied().flatten()
    }

    /// Returns the present state of each placement handle: its isolation, and the number of mapping units left in its
    /// reclaim unit of each reclaim group.
    pub fn states(&self, space: &Space, layout: &Layout) -> Vec<HandleState> {
        let groups = || 0..self.groups.count() as u16;
        let state = |(handle, &isolation): (u16, &Isolation)| HandleState {
            isolation,
            available_units: groups().map(|group| self.available(handle, group, space, layout)).collect(),
        };
        (0..).zip(&self.isolation).map(state).collect()
    }

    /// Returns the present state of each reclaim group: its number of dies, and the number of valid mapping units on
    /// them.
    pub fn group_states(&self, space: &Space) -> Vec<ReclaimGroupState> {
        let valid = |superblock: usize| u64::from(space.valid[superblock]);
        let state = |group: u16| ReclaimGroupState {
            dies: self.groups.dies(group).count() as u64,
            valid_units: self.groups.dies(group).flat_map(|die| space.of_die(die)).map(valid).sum(),
        };
        (0..self.groups.count() as u16).map(state).collect()
    }

    /// Returns the number of superblocks that make up one reclaim unit.
    pub fn unit_superblocks(&self) -> u64 {
        self.units.superblocks
    }

    /// Returns the greatest time for which a reclaim unit takes data; `None` without a limit.
    pub fn unit_time_limit(&self) -> Option<Nanos> {
        self.units.time_limit
    }

    /// Returns the counters of all placement handles since the drive was made.
    pub fn counted(&self) -> &HandleTotals {
        &self.counted
    }

    /// Restores, after a power cut, the counters of placement handles and the progress of their reclaim units from the
    /// state `before` the cut.
    pub fn take_back(&mut self, before: Self) {
        self.units.take_back(before.units);
        self.counted = before.counted;
    }

    /// Returns, for a saved state, the progress of the reclaim units of each placement handle in each reclaim group.
    pub fn save(&self) -> Vec<u64> {
        self.units.save()
    }

    /// Returns the length of the list that [`Self::save`] makes for a saved state: one entry for each placement handle
    /// in each reclaim group.
    pub fn saved_count(&self) -> usize {
        self.units.saved_count()
    }

    /// Restores, from a saved state, the progress of the reclaim units, as [`Self::save`] gave it.
    pub fn load(&mut self, saved: &[u64]) {
        self.units.load(saved);
    }

    /// Returns the number of bytes of memory that the simulator's state of placement handles takes, which grows with
    /// the write buffer.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}
