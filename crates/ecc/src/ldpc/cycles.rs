//! How short the cycles of a matrix are, and how many of them there are.
//!
//! A cycle through a bit meets itself opposite, after half its length. So cycles are pairs of paths from a bit to the same
//! end that have nothing between in common; paths are few, and all are walked. Where a matrix is made of circulants, the
//! first bit of each stands for the others.

use super::{BaseMatrix, Graph};
use std::collections::HashMap;

/// Record of the counts of the shortest cycles in the Tanner graph of a parity-check matrix, one count for each length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spectrum {
    /// Count: number of cycles of length four in the Tanner graph, each formed by two checks that share two bits.
    pub of_4: u64,
    /// Count: number of cycles of length six in the Tanner graph.
    pub of_6: u64,
    /// Count: number of cycles of length eight in the Tanner graph.
    pub of_8: u64,
}

impl Spectrum {
    /// Counts the cycles of length 4, 6 and 8 in the Tanner graph of the quasi-cyclic parity-check matrix `base`.
    pub fn of(base: &BaseMatrix) -> Self {
        let graph = base.graph(0);
        let checks = graph.checks_of_bits();
        let size = base.circulant as usize;
        let mut through = Self::default();
        for column in 0..base.width() {
            let one = Self::through(&graph, &checks, (column * size) as u32);
            through.of_4 += one.of_4;
            through.of_6 += one.of_6;
            through.of_8 += one.of_8;
        }
        // A cycle of length 2k goes through k bits.
        let all = base.circulant;
        let whole = |through: u64, bits: u64| through * u64::from(all) / bits;
        Self { of_4: whole(through.of_4, 2), of_6: whole(through.of_6, 3), of_8: whole(through.of_8, 4) }
    }

    /// Returns the girth of the code, the length of its shortest cycle: 4, 6 or 8; `None` if all cycles are longer.
    pub const fn girth(&self) -> Option<u32> {
        match (self.of_4, self.of_6, self.of_8) {
            (0, 0, 0) => None,
            (0, 0, _) => Some(8),
            (0, _, _) => Some(6),
            _ => Some(4),
        }
    }

    /// Counts the cycles of length 4, 6 and 8 in the Tanner graph that go through the bit `bit`.
    fn through(graph: &Graph, checks: &[Vec<u32>], bit: u32) -> Self {
        // Paths by their end: what lies between, in order of the walk.
        let mut to_bit: HashMap<u32, Vec<[u32; 1]>> = HashMap::new();
        let mut to_check: HashMap<u32, Vec<[u32; 2]>> = HashMap::new();
        let mut to_far_bit: HashMap<u32, Vec<[u32; 3]>> = HashMap::new();
        for first in &checks[bit as usize] {
            for near in graph.row(*first as usize).iter().filter(|near| **near != bit) {
                to_bit.entry(*near).or_default().push([*first]);
                for second in checks[*near as usize].iter().filter(|second| *second != first) {
                    to_check.entry(*second).or_default().push([*first, *near]);
                    for far in graph.row(*second as usize).iter().filter(|far| *far != near && **far != bit) {
                        to_far_bit.entry(*far).or_default().push([*first, *near, *second]);
                    }
                }
            }
        }
        Self { of_4: pairs(&to_bit), of_6: pairs(&to_check), of_8: pairs(&to_far_bit) }
    }
}

/// Counts the cycles that pairs of paths close in the Tanner graph of a code: two paths from one bit to the same end
/// that share no check and no bit in between form a cycle. `paths` has, for each end, the checks and bits in between of
/// every path to it, in order.
fn pairs<const BETWEEN: usize>(paths: &HashMap<u32, Vec<[u32; BETWEEN]>>) -> u64 {
    let apart = |one: &[u32; BETWEEN], other: &[u32; BETWEEN]| {
        let own = (0..BETWEEN).all(|at| one[at] != other[at]);
        own && (BETWEEN < 3 || (one[0] != other[2] && one[2] != other[0]))
    };
    let count = |paths: &Vec<[u32; BETWEEN]>| {
        let with_later = |(at, one): (usize, &[u32; BETWEEN])| {
            paths[at + 1..].iter().filter(|other| apart(one, other)).count() as u64
        };
        paths.iter().enumerate().map(with_later).sum::<u64>()
    };
    paths.values().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(circulant: u32, shifts: &[&[u32]]) -> BaseMatrix {
        let shifts = shifts.iter().map(|row| row.iter().map(|shift| Some(*shift)).collect()).collect();
        BaseMatrix { circulant, shifts }
    }

    #[test]
    fn cycles_of_small_matrices_are_counted_out() {
        // Two checks on two bits: one cycle for each of the five rows.
        assert_eq!(Spectrum::of(&base(5, &[&[0, 0], &[0, 0]])), Spectrum { of_4: 5, of_6: 0, of_8: 0 });
        // All 2x2 minors of a 2x3 matrix of ones.
        assert_eq!(Spectrum::of(&base(1, &[&[0, 0, 0], &[0, 0, 0]])).of_4, 3);
        // K(3,3): nine of length four, six of length six.
        let ones = Spectrum::of(&base(1, &[&[0; 3], &[0; 3], &[0; 3]]));
        assert_eq!(ones, Spectrum { of_4: 9, of_6: 6, of_8: 0 });
        // K(4,4): 36, 96 and 72.
        let ones = Spectrum::of(&base(1, &[&[0; 4], &[0; 4], &[0; 4], &[0; 4]]));
        assert_eq!(ones, Spectrum { of_4: 36, of_6: 96, of_8: 72 });
    }

    #[test]
    fn a_shift_that_does_not_close_opens_a_longer_cycle() {
        // Shifts that differ by one of four: after four rounds of the four edges the cycle closes, at length 16.
        assert_eq!(Spectrum::of(&base(4, &[&[0, 0], &[0, 1]])), Spectrum::default());
        // By two of four: after two rounds.
        assert_eq!(Spectrum::of(&base(4, &[&[0, 0], &[0, 2]])), Spectrum { of_4: 0, of_6: 0, of_8: 2 });
    }
}
