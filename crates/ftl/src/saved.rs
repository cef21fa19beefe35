//! The state of a drive at rest, as plain arrays: what a saved state holds.

/// Arrays of 32-bit and of 64-bit words, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// Map, superblocks, frontiers, guards, blocks.
    pub words: Vec<Vec<u32>>,
    /// Validity, clocks, ranks of free superblocks, guards.
    pub longs: Vec<Vec<u64>>,
}

/// What of a saved state's arrays was not taken yet.
pub(crate) struct Untaken<'a> {
    pub words: std::slice::Iter<'a, Vec<u32>>,
    pub longs: std::slice::Iter<'a, Vec<u64>>,
}

impl<'a> Untaken<'a> {
    /// The next array of 32-bit words.
    pub fn words(&mut self) -> Result<&'a [u32], String> {
        self.words.next().map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// As [`Self::words`], of a length that the drive's shape says.
    pub fn words_for(&mut self, length: usize) -> Result<&'a [u32], String> {
        self.words().and_then(|array| if array.len() == length { Ok(array) } else { Err(Self::misfit()) })
    }

    /// The next array of 64-bit words, as long as the drive's shape says.
    pub fn longs_for(&mut self, length: usize) -> Result<&'a [u64], String> {
        let next = self.longs.next().filter(|array| array.len() == length);
        next.map(Vec::as_slice).ok_or_else(Self::misfit)
    }

    /// What is said of a state of another drive.
    pub fn misfit() -> String {
        "the saved state is of a drive of another shape".into()
    }
}
