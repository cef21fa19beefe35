//! The state of a drive at rest, as plain arrays: what a saved state holds.

use nand::FlashArray;

/// Arrays of 32-bit and of 64-bit words, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// Map, superblocks, frontiers, features, blocks.
    pub words: Vec<Vec<u32>>,
    /// Validity, clocks, ranks of free superblocks, features.
    pub longs: Vec<Vec<u64>>,
    /// Where the random streams are that go on while a state is made: of each die, which victims and wear levelling draw
    /// from, and of the flash. Without them a drive that takes the state draws from its own seed.
    pub streams: Vec<[u64; 4]>,
    /// Age of the data in each superblock, in nanoseconds; empty: the age that the drive's file gives.
    pub ages_ns: Vec<u64>,
}

/// The arrays of a saved state that were not taken yet.
pub(crate) struct Untaken<'a> {
    words: std::slice::Iter<'a, Vec<u32>>,
    longs: std::slice::Iter<'a, Vec<u64>>,
}

impl<'a> Untaken<'a> {
    /// Makes the reader of a saved state of which no array is taken yet.
    pub fn of(saved: &'a SavedState) -> Self {
        Self { words: saved.words.iter(), longs: saved.longs.iter() }
    }

    /// Returns the next array of 32-bit words of the saved state.
    pub fn words(&mut self) -> Result<&'a [u32], String> {
        self.words.next().map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Fills an array, whose length follows from the drive's shape, with the next saved one.
    pub fn words_into(&mut self, array: &mut [u32]) -> Result<(), String> {
        array.copy_from_slice(self.words_for(array.len())?);
        Ok(())
    }

    /// As [`Self::words_into`], of 64-bit words.
    pub fn longs_into(&mut self, array: &mut [u64]) -> Result<(), String> {
        array.copy_from_slice(self.longs_for(array.len())?);
        Ok(())
    }

    /// As [`Self::words`], for an array whose length follows from the drive's shape.
    pub fn words_for(&mut self, length: usize) -> Result<&'a [u32], String> {
        self.words().and_then(|array| if array.len() == length { Ok(array) } else { Err(Self::misfit()) })
    }

    /// Returns the next array of 64-bit words of the saved state.
    pub fn longs(&mut self) -> Result<&'a [u64], String> {
        self.longs.next().map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Returns the next array of 64-bit words, whose length follows from the drive's shape.
    pub fn longs_for(&mut self, length: usize) -> Result<&'a [u64], String> {
        let next = self.longs.next().filter(|array| array.len() == length);
        next.map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Takes the remaining arrays, which hold the state of the flash itself.
    pub fn load_array(&self, array: &mut FlashArray) -> Result<(), String> {
        let fits = self.longs.len() == 0 && array.load(self.words.as_slice());
        if fits { Ok(()) } else { Err(Self::misfit()) }
    }

    /// Returns the error for a saved state of another drive.
    pub fn misfit() -> String {
        "the saved state is of a drive of another shape".into()
    }

    /// Returns the error for a saved state that names a superblock which the drive does not have.
    pub fn unknown_superblock() -> String {
        "the saved state names a superblock that the drive does not have".into()
    }
}
