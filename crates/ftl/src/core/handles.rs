//! Placement handles: what the host names with its data, from the request to the superblock, and what is counted of each.
//!
//! A reclaim unit of a handle is so many superblocks as its policy says, one after the other as the handle opens them,
//! on any dies: they are opened and accounted for together, and reclaimed one by one.

use crate::Layout;
use crate::store::Space;
use crate::streams::{HandleSpec, Isolation, StreamSpec};

/// Constant: number of the placement handle (FDP, streams) of host data that name no handle, or a handle that the drive
/// does not have.
const DEFAULT: u16 = 0;

/// Record of the counters of one placement handle (FDP, streams) since the drive was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandleCounts {
    /// Number of bytes that the host wrote with this placement handle.
    pub bytes_written: u64,
    /// Number of reclaim units (FDP: groups of superblocks that one placement handle fills in turn) that the placement
    /// handle has begun to fill.
    pub units_opened: u64,
    /// Number of superblocks of the placement handle that were closed before they were full.
    pub ended_early: u64,
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
            ended_early: self.ended_early - earlier.ended_early,
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
    /// Number of host writes that named a placement handle which the drive does not have.
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
            unknown: self.unknown - earlier.unknown,
            shared_victims: self.shared_victims - earlier.shared_victims,
            shared_units_moved: self.shared_units_moved - earlier.shared_units_moved,
        }
    }
}

/// State of one placement handle at the present moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleState {
    /// Kind of isolation of the placement handle: whether garbage collection keeps this handle's data apart from the
    /// data of other handles.
    pub isolation: Isolation,
    /// Number of mapping units that can be written with this placement handle before the handle begins another reclaim
    /// unit.
    pub available_units: u64,
}

/// State of the placement handles of a drive: their streams (write frontiers), reclaim units and counters, and the
/// handle of each unit in the write buffer.
pub(crate) struct Handles {
    /// Number of the placement handle of the host data that arrive now.
    arriving: u16,
    /// For each slot of the write buffer, the number of the placement handle of the data in the slot.
    slots: Box<[u16]>,
    isolation: Box<[Isolation]>,
    /// For each stream (write frontier on each die), the number of the placement handle whose data alone the stream
    /// holds; `None` if the stream holds other data too.
    of_stream: Box<[Option<u16>]>,
    unit_superblocks: u64,
    /// For each placement handle, the number of superblocks opened so far.
    opened: Vec<u64>,
    counted: HandleTotals,
}

impl Handles {
    /// Makes the placement handles that a stream policy declares, for a drive of this layout whose write buffer has
    /// `slots` slots.
    pub fn new(spec: HandleSpec, streams: &[StreamSpec], layout: &Layout, slots: u32) -> Self {
        let count = spec.isolation.len();
        Self {
            arriving: DEFAULT,
            slots: vec![DEFAULT; slots as usize].into(),
            of_stream: streams.iter().map(|stream| stream.handle).collect(),
            unit_superblocks: spec.unit_superblocks.unwrap_or(layout.dies).into(),
            isolation: spec.isolation.into(),
            opened: vec![0; count],
            counted: HandleTotals {
                handles: vec![HandleCounts::default(); count],
                ..HandleTotals::default()
            },
        }
    }

    /// Sets the placement handle of the data that arrive from now on: the handle that the host names, or handle 0 if
    /// the host names none or an unknown one.
    pub fn set_arriving(&mut self, named: Option<u16>) {
        self.arriving = named.filter(|&named| self.has(named)).unwrap_or(DEFAULT);
    }

    fn has(&self, handle: u16) -> bool {
        usize::from(handle) < self.isolation.len()
    }

    /// Counts a host write whose placement handle the drive does not have; does nothing if the handle exists or none is
    /// named.
    pub fn note_named(&mut self, named: Option<u16>) {
        self.counted.unknown += u64::from(named.is_some_and(|named| !self.has(named)));
    }

    /// Records that write buffer slot `slot` now holds data of the placement handle of the arriving host write, and
    /// adds `bytes` to the bytes written with that handle.
    #[inline]
    pub fn note_arrived(&mut self, slot: u32, bytes: u64) {
        self.slots[slot as usize] = self.arriving;
        self.counted.handles[usize::from(self.arriving)].bytes_written += bytes;
    }

    /// Returns the number of the placement handle of the data that arrive now.
    pub fn arriving(&self) -> u16 {
        self.arriving
    }

    /// Returns the number of the placement handle of the data that a write buffer slot holds.
    pub fn of_slot(&self, slot: u32) -> u16 {
        self.slots[slot as usize]
    }

    /// Counts a superblock that is opened for a stream of host data, and, where it is the first of a reclaim unit, the
    /// reclaim unit.
    pub fn note_opened(&mut self, stream: usize) {
        let Some(handle) = self.of_stream(stream).map(usize::from) else { return };
        if self.opened[handle].is_multiple_of(self.unit_superblocks) {
            self.counted.handles[handle].units_opened += 1;
        }
        self.opened[handle] += 1;
    }

    /// Counts, for the placement handle of a stream, a superblock of the stream that is closed before it is full.
    pub fn note_ended(&mut self, stream: usize) {
        if let Some(handle) = self.of_stream(stream) {
            self.counted.handles[usize::from(handle)].ended_early += 1;
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

    /// Returns the number of mapping units that can be written with a placement handle before the handle begins another
    /// reclaim unit.
    fn available(&self, handle: u16, space: &Space, layout: &Layout) -> u64 {
        let stream = self.of_stream.iter().position(|of| *of == Some(handle));
        let left = |stream: usize| space.dies.iter().map(|die| die.frontiers[stream].left(layout)).sum();
        let open: u32 = stream.map_or(0, left);
        let opened = self.opened[usize::from(handle)];
        let to_open = opened.next_multiple_of(self.unit_superblocks) - opened;
        u64::from(open) + to_open * u64::from(layout.data_units())
    }

    /// Returns the number of the placement handle whose data alone a stream holds; `None` if the stream holds other
    /// data too.
    pub fn of_stream(&self, stream: usize) -> Option<u16> {
        self.of_stream.get(stream).copied().flatten()
    }

    /// Returns the number of placement handles.
    pub fn count(&self) -> usize {
        self.isolation.len()
    }

    /// Returns the present state of each placement handle: its isolation, and the number of mapping units left in its
    /// reclaim unit.
    pub fn states(&self, space: &Space, layout: &Layout) -> Vec<HandleState> {
        let state = |(handle, &isolation): (u16, &Isolation)| HandleState {
            isolation,
            available_units: self.available(handle, space, layout),
        };
        (0..).zip(&self.isolation).map(state).collect()
    }

    /// Returns the number of superblocks that make up one reclaim unit.
    pub fn unit_superblocks(&self) -> u64 {
        self.unit_superblocks
    }

    /// Returns the counters of all placement handles since the drive was made.
    pub fn counted(&self) -> &HandleTotals {
        &self.counted
    }

    /// Restores, after a power cut, the counters of placement handles and the progress of their reclaim units from the
    /// state `before` the cut.
    pub fn take_back(&mut self, before: Self) {
        (self.opened, self.counted) = (before.opened, before.counted);
    }

    /// Returns, for a saved state, the number of superblocks that each placement handle opened.
    pub fn save(&self) -> Vec<u64> {
        self.opened.clone()
    }

    /// Restores, from a saved state, the number of superblocks that each placement handle opened, as [`Self::save`]
    /// gave it.
    pub fn load(&mut self, opened: &[u64]) {
        self.opened.copy_from_slice(opened);
    }

    /// Returns the number of bytes of memory that the simulator's state of placement handles takes, which grows with
    /// the write buffer.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}
