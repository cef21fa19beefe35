//! Which bits each parity check adds up: the matrix of a code, row by row.

/// A parity-check matrix. Rows keep their order, as decoders take checks one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    bits: usize,
    data_bits: usize,
    /// Where each row begins in `columns`; one more than there are rows.
    starts: Vec<u32>,
    columns: Vec<u32>,
}

impl Graph {
    /// Makes a matrix whose first `data_bits` columns hold the data.
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

    /// Returns the number of bits of a word.
    pub const fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of bits of a word that are data: the first.
    pub const fn data_bits(&self) -> usize {
        self.data_bits
    }

    /// Returns the number of parity checks of the code.
    pub fn checks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of ones of the matrix.
    pub fn edges(&self) -> usize {
        self.columns.len()
    }

    /// Returns the bits that a check adds up, by rising number.
    #[inline]
    pub fn row(&self, check: usize) -> &[u32] {
        &self.columns[self.span(check)]
    }

    /// Returns where the edges of a check lie among all edges.
    #[inline]
    pub fn span(&self, check: usize) -> std::ops::Range<usize> {
        self.starts[check] as usize..self.starts[check + 1] as usize
    }

    /// Returns where each row begins in [`Self::columns`]; one more than there are rows.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the bits of all rows, one row after the other.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the largest number of bits that a check sums.
    pub fn widest(&self) -> usize {
        (0..self.checks()).map(|check| self.row(check).len()).max().unwrap_or(0)
    }

    /// Returns the checks that each bit takes part in.
    pub fn checks_of_bits(&self) -> Vec<Vec<u32>> {
        let mut checks = vec![Vec::new(); self.bits];
        for check in 0..self.checks() {
            for bit in self.row(check) {
                checks[*bit as usize].push(check as u32);
            }
        }
        checks
    }

    /// Checks that a word of these bits does not keep.
    pub fn broken(&self, word: impl Fn(usize) -> bool) -> usize {
        let odd = |check: &usize| self.row(*check).iter().fold(false, |odd, bit| odd ^ word(*bit as usize));
        (0..self.checks()).filter(odd).count()
    }
}
