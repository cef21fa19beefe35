//! Programs in flight: where each of their units came from, kept until the flash has said done.

use controller::Origin;
use units::Ppa;

/// Constant: number of low bits of a packed [`Source`] (origin of a mapping unit that is programmed) that hold the
/// write buffer slot or old physical address; the bits above hold the origin.
const VALUE_BITS: u32 = 56;

/// Type of the source of a mapping unit that is programmed: its origin (reason of the program) and, packed with it, a
/// write buffer slot (host data) or the old physical address (data that are moved).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(u64);

impl Source {
    pub const PADDING: Self = Self::new(Origin::Padding, 0);
    /// Constant: the source of a unit of the superblock summary, which is programmed at the end of a superblock.
    pub const SUMMARY: Self = Self::new(Origin::Map, u64::MAX);

    pub const fn new(origin: Origin, value: u64) -> Self {
        Self((origin as u64) << VALUE_BITS | (value & ((1 << VALUE_BITS) - 1)))
    }

    /// Makes the source of a unit whose data, of the host or of the drive's map, come from write buffer slot `slot`.
    pub const fn of_slot(origin: Origin, slot: u32) -> Self {
        Self::new(origin, slot as u64)
    }

    #[inline]
    pub fn origin(self) -> Origin {
        Origin::ALL[(self.0 >> VALUE_BITS) as usize]
    }

    #[inline]
    pub fn slot(self) -> u32 {
        self.0 as u32
    }

    /// Returns the former physical address of a unit that is moved; [`Ppa::NONE`] if that address was erased meanwhile.
    #[inline]
    pub fn place(self) -> Ppa {
        // The highest bit of the value stands for all above it, so that no place stays none.
        Ppa((((self.0 << (64 - VALUE_BITS)) as i64) >> (64 - VALUE_BITS)) as u64)
    }
}

/// Type of the table of the sources (write buffer slot or old flash address) of the mapping units of all programs in
/// flight. Each program has a numbered entry (slot) of the table, which is reused after the program.
pub(crate) struct Programs {
    units: usize,
    sources: Vec<Source>,
    free: Vec<u32>,
}

impl Programs {
    pub fn new(program_units: u32) -> Self {
        Self { units: program_units as usize, sources: Vec::new(), free: Vec::new() }
    }

    #[inline]
    pub fn take_slot(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        let slot = self.sources.len() / self.units;
        self.sources.resize(self.sources.len() + self.units, Source::PADDING);
        slot as u32
    }

    #[inline]
    pub fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }

    #[inline]
    pub fn set(&mut self, slot: u32, unit: u32, source: Source) {
        self.sources[slot as usize * self.units + unit as usize] = source;
    }

    #[inline]
    pub fn get(&self, slot: u32, unit: u32) -> Source {
        self.sources[slot as usize * self.units + unit as usize]
    }

    /// Returns the origin (reason) of a unit of a program in flight, and the unit's write buffer slot or old address,
    /// as reported to the observer of the simulation (probe).
    #[inline]
    pub fn told(&self, slot: u32, unit: u32) -> (Origin, u64) {
        let source = self.get(slot, unit);
        (source.origin(), source.place().0)
    }

    /// Clears the old addresses of units being moved that lie in the erased range of `units` units from `first` on.
    /// Otherwise a unit that is written there next could be taken for the old copy, if it is the same logical unit.
    pub fn forget_from(&mut self, first: u64, units: u32) {
        let from_there = |source: &&mut Source| {
            let origin = source.origin();
            let is_moved = !matches!(origin, Origin::Host | Origin::Map) && !origin.holds_no_data();
            is_moved && (first..first + u64::from(units)).contains(&source.place().0)
        };
        for source in self.sources.iter_mut().filter(from_there) {
            *source = Source::new(source.origin(), Ppa::NONE.0);
        }
    }

    /// Returns the number of entries in use in the table of programs: programs that are in flight or are still being
    /// filled with units.
    pub fn in_use(&self) -> usize {
        self.sources.len() / self.units - self.free.len()
    }
}
