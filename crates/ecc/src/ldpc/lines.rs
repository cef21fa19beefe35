//! Matrices from Reed-Solomon codes of two data symbols (Djurdjevic, Xu, Abdel-Ghaffar and Lin, 2003).
//!
//! A word of such a code is a line over a finite field: at point `p`, the power `p` of the primitive element `a`, its symbol is
//! `c + s a^p`. A check is a line, a bit is a symbol at a point, and a check adds up the bits that its line goes through. Lines of one
//! slope `s` never meet, and two of different slopes meet at one point at most, so that no two checks share two bits.
//!
//! Many checks follow from others. The bits that they settle are put last, in the order that they had; the others are the data.

use super::Graph;
use super::rank::settled;
use crate::field::Field;

/// Set of lines over a finite field that are the parity checks of an LDPC code: field, points and slopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Field: number of bits of a symbol of the finite field whose lines are the parity checks of an LDPC code: the
    /// field has 2^`symbol_bits` elements.
    pub symbol_bits: u32,
    /// Field: number of points of each line over the finite field (a line is a parity check of the LDPC code): the
    /// points are the first powers of the primitive element, beginning with power 0, which is 1.
    pub points: u32,
    /// List of the slopes of the lines over the finite field that are the parity checks of an LDPC code: field
    /// elements, each as a number that has the coefficients of the element's polynomial as bits.
    pub slopes: Vec<u32>,
}

impl Lines {
    /// Returns the number of bits of a codeword of the LDPC code that the lines define.
    pub const fn bits(&self) -> u32 {
        self.points << self.symbol_bits
    }

    /// Makes the parity-check matrix of the code, with its data bits first.
    pub fn graph(&self) -> Graph {
        let field = Field::new(self.symbol_bits as usize);
        let symbols = 1 << self.symbol_bits;
        let row = |slope: u32, constant: u32| {
            let at =
                |point: u32| point * symbols + (constant ^ field.times(slope, field.exp(point as usize)));
            (0..self.points).map(at).collect::<Vec<u32>>()
        };
        let rows = || self.slopes.iter().flat_map(|slope| (0..symbols).map(|constant| row(*slope, constant)));
        let bits = self.bits();
        let parity = settled(&Graph::new(bits as usize, 0, rows()));
        let is_data = |bit: &u32| parity.binary_search(bit).is_err();
        let mut place = vec![0; bits as usize];
        for (at, bit) in (0..).zip((0..bits).filter(is_data).chain(parity.iter().copied())) {
            place[bit as usize] = at;
        }
        let moved = rows().map(|row| row.iter().map(|bit| place[*bit as usize]).collect());
        Graph::new(bits as usize, bits as usize - parity.len(), moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that two parity checks share at most one bit (where their lines meet at a point of the code) if their
    /// slopes differ, and no bit if the slopes are equal.
    #[test]
    fn lines_meet_once_at_most() {
        let graph = Lines { symbol_bits: 3, points: 5, slopes: vec![0, 1, 2] }.graph();
        assert_eq!((graph.bits(), graph.checks()), (40, 24));
        for one in 0..graph.checks() {
            for other in 0..one {
                let shared = graph.row(one).iter().filter(|bit| graph.row(other).contains(bit)).count();
                let parallel = one / 8 == other / 8;
                assert!(shared <= usize::from(!parallel), "{one}, {other}: {shared}");
            }
        }
        assert!(graph.checks_of_bits().iter().all(|checks| checks.len() == 3));
    }

    #[test]
    fn what_checks_settle_comes_last() {
        let graph = Lines { symbol_bits: 3, points: 5, slopes: vec![0, 1, 2] }.graph();
        let last: Vec<u32> = (graph.data_bits() as u32..40).collect();
        assert_eq!(settled(&graph), last);
        assert!(last.len() < graph.checks(), "no check follows from others");
    }
}
