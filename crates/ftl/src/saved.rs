//! The state of a drive at rest, as plain arrays: what a saved state holds.

use nand::FlashArray;

/// Record of the saved state of a drive at rest (no operation in flight): arrays of 32-bit and of 64-bit words in a
/// fixed order, states of random streams, and ages of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// Field of a drive's saved state: its 32-bit words, as arrays in a fixed order: map, superblocks, open
    /// superblocks, features, blocks.
    pub words: Vec<Vec<u32>>,
    /// Field of a drive's saved state: its 64-bit words, as arrays in a fixed order: validity bits, write clocks
    /// (counts of units written), orders in which free superblocks are used, features.
    pub longs: Vec<Vec<u64>>,
    /// List of the states of the random streams that continue where preconditioning left them: one for each die, from
    /// which the die's policies draw, and one for the flash. If empty, a drive that loads the state uses streams from
    /// its own seed.
    pub streams: Vec<[u64; 4]>,
    /// Age of the data in each superblock, in nanoseconds; if empty, the age that the drive's file gives.
    pub ages_ns: Vec<u64>,
}

/// Type of a reader of a saved state: the arrays that have not been read yet.
pub(crate) struct Untaken<'a> {
    words: std::slice::Iter<'a, Vec<u32>>,
    longs: std::slice::Iter<'a, Vec<u64>>,
}

impl<'a> Untaken<'a> {
    /// Makes a reader at the first array of a saved state.
    pub fn of(saved: &'a SavedState) -> Self {
        Self { words: saved.words.iter(), longs: saved.longs.iter() }
    }

    /// Returns the next array of 32-bit words of the saved state.
    pub fn words(&mut self) -> Result<&'a [u32], String> {
        self.words.next().map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Fills `array` with the next array of 32-bit words of the saved state, which must have the same length.
    pub fn words_into(&mut self, array: &mut [u32]) -> Result<(), String> {
        array.copy_from_slice(self.words_for(array.len())?);
        Ok(())
    }

    /// Fills `array` with the next array of 64-bit words of the saved state, which must have the same length.
    pub fn longs_into(&mut self, array: &mut [u64]) -> Result<(), String> {
        array.copy_from_slice(self.longs_for(array.len())?);
        Ok(())
    }

    /// Returns the next array of 32-bit words of the saved state, which must have `length` words.
    pub fn words_for(&mut self, length: usize) -> Result<&'a [u32], String> {
        self.words().and_then(|array| if array.len() == length { Ok(array) } else { Err(Self::misfit()) })
    }

    /// Returns the next array of 64-bit words of the saved state.
    pub fn longs(&mut self) -> Result<&'a [u64], String> {
        self.longs.next().map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Returns the next array of 64-bit words of the saved state, which must have `length` words.
    pub fn longs_for(&mut self, length: usize) -> Result<&'a [u64], String> {
        let next = self.longs.next().filter(|array| array.len() == length);
        next.map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// Loads the state of the flash array from all remaining arrays of the saved state.
    pub fn load_array(&self, array: &mut FlashArray) -> Result<(), String> {
        let fits = self.longs.len() == 0 && array.load(self.words.as_slice());
        if fits { Ok(()) } else { Err(Self::misfit()) }
    }

    /// Returns the error message for a saved state of a drive with another geometry.
    pub fn misfit() -> String {
        "the saved state is of a drive of another shape".into()
    }

    /// Returns the error message for a saved state that names a superblock which the drive does not have.
    pub fn unknown_superblock() -> String {
        "the saved state names a superblock that the drive does not have".into()
    }
}
