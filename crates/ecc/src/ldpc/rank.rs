//! Which bits do the checks settle?

use super::Graph;

/// Returns, in rising order, the indices of the bits that the parity checks determine once all bits with lower indices
/// are known; the length of the list is the rank of the matrix.
///
/// By Gaussian elimination over GF(2): rows are added to each other until the last one of each row is in a different
/// column.
pub fn settled(graph: &Graph) -> Vec<u32> {
    let mut with_last: Vec<Option<Vec<u64>>> = vec![None; graph.bits()];
    for check in 0..graph.checks() {
        let mut row = vec![0u64; graph.bits().div_ceil(64)];
        for bit in graph.row(check) {
            row[*bit as usize / 64] |= 1 << (bit % 64);
        }
        while let Some(last) = last(&row) {
            let Some(other) = &with_last[last] else {
                with_last[last] = Some(row);
                break;
            };
            for (word, other) in row.iter_mut().zip(other) {
                *word ^= other;
            }
        }
    }
    (0..).zip(&with_last).filter(|(_, row)| row.is_some()).map(|(bit, _)| bit).collect()
}

/// Returns the index of the last column in which a row has a one; `None` if the row is zero.
fn last(row: &[u64]) -> Option<usize> {
    let word = row.iter().rposition(|word| *word != 0)?;
    Some(64 * word + 63 - row[word].leading_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_follow_from_others_settle_nothing() {
        // The third row is the sum of the first two.
        let graph = Graph::new(5, 3, [vec![0, 1, 3], vec![1, 2, 4], vec![0, 2, 3, 4]]);
        assert_eq!(settled(&graph), [3, 4]);
        assert_eq!(settled(&Graph::new(4, 2, [vec![0, 1], vec![0, 1, 2]])), [1, 2]);
    }
}
