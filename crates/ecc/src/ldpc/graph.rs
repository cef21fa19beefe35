//! Which bits each parity check adds up: the matrix of a code, row by row.

/// Type of the parity-check matrix of an LDPC code (Tanner graph), stored row by row. Rows keep their order, as
/// decoders process the checks one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    bits: usize,
    data_bits: usize,
    /// List with, for each row of the parity-check matrix, the index in `columns` at which the bit numbers of the row
    /// begin; then the length of `columns`.
    starts: Vec<u32>,
    columns: Vec<u32>,
}

impl Graph {
    /// Makes a matrix of `bits` columns from the bits of each row; the first `data_bits` columns hold the data.
    ///
    /// # Panics
    /// When a row names a bit that there is not, or one twice.
    pub fn new(bits: usize, data_bits: usize, rows: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for mut row in rows {
            row.sort_unstable();
            assert!(row.windows(2).all(|pair| pair[0] < pair[1]), "a bit twice in a check");
            assert!(row.last().is_none_or(|bit| (*bit as usize) < bits), "a bit beyond the word");
            columns.extend(row);
            starts.push(columns.len() as u32);
        }
        Self { bits, data_bits, starts, columns }
    }

    /// Returns the number of bits of a codeword.
    pub const fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of data bits of a codeword, which are its first bits.
    pub const fn data_bits(&self) -> usize {
        self.data_bits
    }

    /// Returns the number of parity checks of the code: rows of the matrix.
    pub fn checks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of ones of the matrix: edges between checks and bits.
    pub fn edges(&self) -> usize {
        self.columns.len()
    }

    /// Returns the indices of the bits that the parity check `check` adds up, rising.
    #[inline]
    pub fn row(&self, check: usize) -> &[u32] {
        &self.columns[self.span(check)]
    }

    /// Returns the range of edge numbers of one parity check; the edges (ones of the matrix) of all checks are numbered
    /// check after check.
    #[inline]
    pub fn span(&self, check: usize) -> std::ops::Range<usize> {
        self.starts[check] as usize..self.starts[check + 1] as usize
    }

    /// Returns, for each row of the matrix, the index in [`Self::columns`] at which the bit numbers of the row begin,
    /// and at the end the length of that list.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the indices of the bits (columns with a one) in each row of the matrix, one row after the other.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the greatest number of bits that a check adds up.
    pub fn widest(&self) -> usize {
        (0..self.checks()).map(|check| self.row(check).len()).max().unwrap_or(0)
    }

    /// Returns, for each bit, the indices of the checks that contain the bit.
    pub fn checks_of_bits(&self) -> Vec<Vec<u32>> {
        let mut checks = vec![Vec::new(); self.bits];
        for check in 0..self.checks() {
            for bit in self.row(check) {
                checks[*bit as usize].push(check as u32);
            }
        }
        checks
    }

    /// Returns the number of parity checks that do not hold (syndrome weight) for a received codeword with these bits.
    pub fn broken(&self, word: impl Fn(usize) -> bool) -> usize {
        let odd = |check: &usize| self.row(*check).iter().fold(false, |odd, bit| odd ^ word(*bit as usize));
        (0..self.checks()).filter(odd).count()
    }
}
