//! Matrices of circulants.

use super::Graph;

/// A matrix made of shifted identity matrices and zeros, all of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseMatrix {
    /// Rows and columns of a circulant.
    pub circulant: u32,
    /// Of each block row the shift in each block column; none: zeros. Row `i` of a circulant of shift `s` has its
    /// one in column `(i + s) mod circulant`.
    pub shifts: Vec<Vec<Option<u32>>>,
}

impl BaseMatrix {
    /// Returns the number of columns of circulants.
    pub fn width(&self) -> usize {
        self.shifts.first().map_or(0, Vec::len)
    }

    /// Returns the matrix written out, the first `data_bits` columns of which hold data.
    pub fn graph(&self, data_bits: usize) -> Graph {
        let size = self.circulant;
        let row = |shifts: &[Option<u32>], within: u32| {
            let one = |(column, shift): (usize, &Option<u32>)| {
                shift.map(|shift| column as u32 * size + (within + shift) % size)
            };
            shifts.iter().enumerate().filter_map(one).collect::<Vec<u32>>()
        };
        let rows = self.shifts.iter().flat_map(|shifts| (0..size).map(move |within| row(shifts, within)));
        Graph::new(self.width() * size as usize, data_bits, rows)
    }
}
