//! Matrices of circulants.

use super::Graph;

/// Type of the parity-check matrix of a quasi-cyclic LDPC code: a matrix of circulants (shifted identity matrices) and
/// zero blocks, all of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseMatrix {
    /// Field: size of a circulant: its number of rows, which is also its number of columns.
    pub circulant: u32,
    /// List of block rows, each with the cyclic shifts of the circulants in its block columns; none: a zero block. Row
    /// `i` of a circulant of shift `s` has its one in column `(i + s) mod circulant`.
    pub shifts: Vec<Vec<Option<u32>>>,
}

impl BaseMatrix {
    /// Returns the number of block columns of the matrix.
    pub fn width(&self) -> usize {
        self.shifts.first().map_or(0, Vec::len)
    }

    /// Expands the matrix of circulants to the graph of single parity checks and bits; the first `data_bits` columns
    /// hold data.
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
