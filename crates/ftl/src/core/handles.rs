//! Placement handles: what the host names with its data, from the request to the superblock, and what is counted of each.
//!
//! A reclaim unit of a handle is so many superblocks as its policy says, one after the other as the handle opens them,
//! on any dies: they are opened and accounted for together, and reclaimed one by one.

use crate::Layout;
use crate::store::Space;
use crate::streams::{HandleSpec, Isolation, StreamSpec};

/// The handle of data that name no handle, or one that the drive does not have.
const DEFAULT: u16 = 0;

/// What was counted of a handle since the drive was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandleCounts {
    /// Bytes that the host wrote with this handle.
    pub bytes_written: u64,
    /// Reclaim units of the placement handle that were begun.
    pub units_opened: u64,
    /// Superblocks of the placement handle that were closed before they were full.
    pub ended_early: u64,
    /// Superblocks of the handle that collection took while they held valid units.
    pub victims: u64,
    /// Valid units that collection moved out of superblocks of the placement handle.
    pub units_moved: u64,
}

impl HandleCounts {
    /// Returns the counts of the placement handle since `earlier`.
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

/// What was counted of all handles since the drive was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleTotals {
    /// Counts of each placement handle.
    pub handles: Vec<HandleCounts>,
    /// Writes that named a handle that the drive does not have.
    pub unknown: u64,
    /// Superblocks with valid units that collection took and that belonged to no single handle, and those units.
    pub shared_victims: u64,
    /// See `shared_victims`.
    pub shared_units_moved: u64,
}

impl HandleTotals {
    /// Returns the counts of all placement handles since `earlier`.
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

/// A handle as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleState {
    /// How collection keeps the data of this handle apart from the data of other handles.
    pub isolation: Isolation,
    /// Mapping units that can be written with this handle before it begins another reclaim unit.
    pub available_units: u64,
}

/// The handles of a drive.
pub(crate) struct Handles {
    /// The one that comes with what arrives now, and with what each slot of the buffer holds.
    arriving: u16,
    slots: Box<[u16]>,
    isolation: Box<[Isolation]>,
    /// For each stream, the handle whose data alone it holds; none: no such handle.
    of_stream: Box<[Option<u16>]>,
    unit_superblocks: u64,
    /// Superblocks that each opened.
    opened: Vec<u64>,
    counted: HandleTotals,
}

impl Handles {
    /// Returns the handles that a policy gives a drive of this shape, whose buffer has `slots` slots.
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

    /// Sets the handle that the host names with the data that arrive from now on.
    pub fn set_arriving(&mut self, named: Option<u16>) {
        self.arriving = named.filter(|&named| self.has(named)).unwrap_or(DEFAULT);
    }

    fn has(&self, handle: u16) -> bool {
        usize::from(handle) < self.isolation.len()
    }

    /// Notes that the host makes a write that names a handle, or none.
    pub fn note_named(&mut self, named: Option<u16>) {
        self.counted.unknown += u64::from(named.is_some_and(|named| !self.has(named)));
    }

    /// Notes that `bytes` of the host's data that arrive now are in a slot.
    #[inline]
    pub fn note_arrived(&mut self, slot: u32, bytes: u64) {
        self.slots[slot as usize] = self.arriving;
        self.counted.handles[usize::from(self.arriving)].bytes_written += bytes;
    }

    /// Returns the placement handle of the data that arrive now.
    pub fn arriving(&self) -> u16 {
        self.arriving
    }

    /// Returns the placement handle of the data that a buffer slot holds.
    pub fn of_slot(&self, slot: u32) -> u16 {
        self.slots[slot as usize]
    }

    /// Notes that a superblock is opened for a stream that the host's data join.
    pub fn note_opened(&mut self, stream: usize) {
        let Some(handle) = self.of_stream(stream).map(usize::from) else { return };
        if self.opened[handle].is_multiple_of(self.unit_superblocks) {
            self.counted.handles[handle].units_opened += 1;
        }
        self.opened[handle] += 1;
    }

    /// Notes that a superblock of a stream is closed before it is full.
    pub fn note_ended(&mut self, stream: usize) {
        if let Some(handle) = self.of_stream(stream) {
            self.counted.handles[usize::from(handle)].ended_early += 1;
        }
    }

    /// Notes that collection takes a superblock of a stream, with `valid` valid units in it.
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

    /// Returns the number of mapping units that can be written through a handle before it begins another
    /// reclaim unit.
    fn available(&self, handle: u16, space: &Space, layout: &Layout) -> u64 {
        let stream = self.of_stream.iter().position(|of| *of == Some(handle));
        let left = |stream: usize| space.dies.iter().map(|die| die.frontiers[stream].left(layout)).sum();
        let open: u32 = stream.map_or(0, left);
        let opened = self.opened[usize::from(handle)];
        let to_open = opened.next_multiple_of(self.unit_superblocks) - opened;
        u64::from(open) + to_open * u64::from(layout.data_units())
    }

    /// Returns the handle whose data alone a stream holds.
    pub fn of_stream(&self, stream: usize) -> Option<u16> {
        self.of_stream.get(stream).copied().flatten()
    }

    /// Returns the number of placement handles.
    pub fn count(&self) -> usize {
        self.isolation.len()
    }

    /// Returns the isolation and available units of each handle now.
    pub fn states(&self, space: &Space, layout: &Layout) -> Vec<HandleState> {
        let state = |(handle, &isolation): (u16, &Isolation)| HandleState {
            isolation,
            available_units: self.available(handle, space, layout),
        };
        (0..).zip(&self.isolation).map(state).collect()
    }

    /// Returns the number of superblocks of a reclaim unit.
    pub fn unit_superblocks(&self) -> u64 {
        self.unit_superblocks
    }

    /// Returns what was counted since the drive was made.
    pub fn counted(&self) -> &HandleTotals {
        &self.counted
    }

    /// After a power cut, takes over the counts and the reclaim units in progress from before.
    pub fn take_back(&mut self, before: Self) {
        (self.opened, self.counted) = (before.opened, before.counted);
    }

    /// Returns the counts of opened superblocks, for a saved state.
    pub fn save(&self) -> Vec<u64> {
        self.opened.clone()
    }

    /// Restores the counts of opened superblocks that [`Self::save`] gave.
    pub fn load(&mut self, opened: &[u64]) {
        self.opened.copy_from_slice(opened);
    }

    /// Returns the number of bytes of state.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}
