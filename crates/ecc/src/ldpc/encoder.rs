//! Parity bits of a word of data.
//!
//! Checks that lack one bit alone give it, one after the other, as along the staircase of DVB-S2. Where every check left
//! lacks two or more, one bit is put off: what follows is known up to those bits, and the checks that come to nothing new in
//! the end are equations for them. There are as many as the matrix has no staircase for (a circulant of WiMAX, a few
//! circulants of a regular code), and they are solved once. Checks that follow from others tell nothing more, and are
//! left out.

use super::Graph;
use super::rank::settled;

/// Type of a row of bits over GF(2): 64 coefficients in each 64-bit number.
type Bits = Vec<u64>;

fn flip(bits: &mut [u64], at: usize) {
    bits[at / 64] ^= 1 << (at % 64);
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

fn add(to: &mut [u64], other: &[u64]) {
    for (to, other) in to.iter_mut().zip(other) {
        *to ^= other;
    }
}

/// Type of the encoder of an LDPC code: computes the parity bits of a codeword from its data bits.
#[derive(Clone, Debug)]
pub struct Encoder {
    graph: Graph,
    /// List of pairs of a check and a parity bit, in the order of encoding: each check determines its parity bit as the
    /// sum of bits that are known by then.
    order: Vec<(u32, u32)>,
    /// List of the parity bits that are put off: no single check determines them during encoding, and their equations
    /// are solved together at the end.
    put_off: Vec<u32>,
    /// List of the parity checks whose sums determine the parity bits that are put off (solved together at the end);
    /// the sums are computed with zeros for these bits.
    told_by: Vec<u32>,
    /// List with, for each parity bit that is put off (solved at the end), a row of coefficients over GF(2): which
    /// checks' sums add up to the bit.
    inverse: Vec<Bits>,
}

impl Encoder {
    /// Makes the encoder of a parity-check matrix whose data come first; `None` if the data do not determine the parity
    /// bits, or if the checks do not allow all data: the matrix, or a part of it, has another rank than there are
    /// parity bits.
    pub fn new(graph: &Graph) -> Option<Self> {
        let parity = graph.bits() - graph.data_bits();
        if graph.checks() < parity || graph.checks() > parity && settled(graph).len() != parity {
            return None;
        }
        let Peeled { order, put_off, left } = peel(graph);
        if order.len() + put_off.len() != parity {
            return None;
        }
        let inverse = inverse(sums_of(graph, &order, &put_off, &left), put_off.len())?;
        Some(Self { graph: graph.clone(), order, put_off, told_by: left, inverse })
    }

    /// Returns the number of parity bits that no single check determines during encoding and that are solved together;
    /// zero for a matrix with a staircase, as in DVB-S2.
    pub fn put_off(&self) -> usize {
        self.put_off.len()
    }

    /// Encodes data bits into a codeword, whose first bits are the data.
    ///
    /// # Panics
    /// When there are more or fewer data than the code has.
    pub fn encode(&self, data: &[bool]) -> Vec<bool> {
        assert_eq!(data.len(), self.graph.data_bits(), "bits of data");
        let mut word = vec![false; self.graph.bits()];
        word[..data.len()].copy_from_slice(data);
        self.fill(&mut word);
        let mut sums = vec![0; self.told_by.len().div_ceil(64)];
        for (at, check) in self.told_by.iter().enumerate() {
            if self.sum(&word, *check) {
                flip(&mut sums, at);
            }
        }
        for (row, bit) in self.inverse.iter().zip(&self.put_off) {
            let ones: u32 = row.iter().zip(&sums).map(|(row, sums)| (row & sums).count_ones()).sum();
            word[*bit as usize] = ones % 2 == 1;
        }
        self.fill(&mut word);
        word
    }

    /// Computes parity bits in the encoder's order: each check determines its parity bit as the sum of its other bits.
    fn fill(&self, word: &mut [bool]) {
        for (check, bit) in &self.order {
            word[*bit as usize] = false;
            word[*bit as usize] = self.sum(word, *check);
        }
    }

    fn sum(&self, word: &[bool], check: u32) -> bool {
        self.graph.row(check as usize).iter().fold(false, |sum, bit| sum ^ word[*bit as usize])
    }
}

struct Peeled {
    order: Vec<(u32, u32)>,
    put_off: Vec<u32>,
    left: Vec<u32>,
}

/// Finds the order in which checks determine parity bits during encoding. Where no check has exactly one unknown bit,
/// an unknown bit of a check with the fewest is put off, to be solved at the end.
fn peel(graph: &Graph) -> Peeled {
    let checks_of = graph.checks_of_bits();
    let is_parity = |bit: u32| bit as usize >= graph.data_bits();
    let mut known = vec![false; graph.bits()];
    let mut lacks: Vec<u32> = (0..graph.checks())
        .map(|check| graph.row(check).iter().filter(|bit| is_parity(**bit)).count() as u32)
        .collect();
    let mut used = vec![false; graph.checks()];
    let mut ready: Vec<u32> =
        (0..graph.checks() as u32).filter(|check| lacks[*check as usize] == 1).collect();
    let (mut order, mut put_off) = (Vec::new(), Vec::new());
    loop {
        let bit = if let Some(check) = ready.pop() {
            if lacks[check as usize] != 1 {
                continue;
            }
            used[check as usize] = true;
            let bit = unknown(graph, check, &known).expect("a check that lacks one bit");
            order.push((check, bit));
            bit
        } else {
            let fewest =
                (0..graph.checks()).filter(|check| lacks[*check] > 0).min_by_key(|check| lacks[*check]);
            let Some(check) = fewest else { break };
            let bit = unknown(graph, check as u32, &known).expect("a check that lacks bits");
            put_off.push(bit);
            bit
        };
        known[bit as usize] = true;
        for check in &checks_of[bit as usize] {
            lacks[*check as usize] -= 1;
            if lacks[*check as usize] == 1 {
                ready.push(*check);
            }
        }
    }
    let left = (0..graph.checks() as u32).filter(|check| !used[*check as usize]).collect();
    Peeled { order, put_off, left }
}

fn unknown(graph: &Graph, check: u32, known: &[bool]) -> Option<u32> {
    let missing = |bit: &&u32| **bit as usize >= graph.data_bits() && !known[**bit as usize];
    graph.row(check as usize).iter().find(missing).copied()
}

/// Returns, for each parity check in `left`, the selection of put-off parity bits (solved at the end) that add up to
/// the check's sum when all data bits are zero.
fn sums_of(graph: &Graph, order: &[(u32, u32)], put_off: &[u32], left: &[u32]) -> Vec<Bits> {
    let width = put_off.len().div_ceil(64);
    let mut parts: Vec<Bits> = vec![Vec::new(); graph.bits()];
    for (at, bit) in put_off.iter().enumerate() {
        parts[*bit as usize] = vec![0; width];
        flip(&mut parts[*bit as usize], at);
    }
    let sum = |parts: &[Bits], check: u32, except: Option<u32>| {
        let mut sum = vec![0; width];
        for bit in graph.row(check as usize).iter().filter(|bit| Some(**bit) != except) {
            add(&mut sum, &parts[*bit as usize]);
        }
        sum
    };
    for (check, bit) in order {
        parts[*bit as usize] = sum(&parts, *check, Some(*bit));
    }
    left.iter().map(|check| sum(&parts, *check, None)).collect()
}

/// Returns, for each column of a matrix over GF(2), the selection of rows that add up to a row with a one in that
/// column alone; `None` if a column has no such selection. For a square matrix this is the inverse matrix.
fn inverse(mut rows: Vec<Bits>, columns: usize) -> Option<Vec<Bits>> {
    let size = rows.len();
    let mut inverse = vec![vec![0; size.div_ceil(64)]; size];
    for (at, row) in inverse.iter_mut().enumerate() {
        flip(row, at);
    }
    for column in 0..columns {
        let pivot = (column..size).find(|row| is_set(&rows[*row], column))?;
        rows.swap(column, pivot);
        inverse.swap(column, pivot);
        let (pivot_row, pivot_inverse) = (rows[column].clone(), inverse[column].clone());
        for row in (0..size).filter(|row| *row != column) {
            if is_set(&rows[row], column) {
                add(&mut rows[row], &pivot_row);
                add(&mut inverse[row], &pivot_inverse);
            }
        }
    }
    inverse.truncate(columns);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the Hamming (7, 4) code, for the tests.
    fn hamming() -> Graph {
        Graph::new(7, 4, [vec![0, 1, 2, 4], vec![0, 1, 3, 5], vec![0, 2, 3, 6]])
    }

    #[test]
    fn words_keep_all_checks() {
        let encoder = Encoder::new(&hamming()).expect("an encoder");
        for data in 0..16u32 {
            let word = encoder.encode(&[0, 1, 2, 3].map(|bit| data >> bit & 1 == 1));
            assert_eq!(hamming().broken(|bit| word[bit]), 0, "{data}");
        }
    }

    #[test]
    fn bits_in_a_ring_are_put_off_and_solved() {
        // Four parity bits, each check of which has three: no check lacks one alone.
        let rows = [vec![0, 1, 2, 3], vec![0, 2, 3, 4], vec![0, 1, 3, 4], vec![0, 1, 2, 4]];
        let graph = Graph::new(5, 1, rows);
        let encoder = Encoder::new(&graph).expect("an encoder");
        assert!(encoder.put_off() > 0);
        for data in [false, true] {
            let word = encoder.encode(&[data]);
            assert_eq!((word[0], graph.broken(|bit| word[bit])), (data, 0));
        }
    }

    #[test]
    fn a_matrix_of_lower_rank_has_no_encoder() {
        assert!(Encoder::new(&Graph::new(4, 2, [vec![0, 2, 3], vec![1, 2, 3]])).is_none());
    }

    /// Checks the encoder of the Hamming code with two redundant checks, which are sums of others: all codewords
    /// satisfy all checks. With a check on data bits alone in place of one of these, which some data violate, the code
    /// has no encoder.
    #[test]
    fn checks_that_follow_from_others_are_left_out() {
        let more = |last: Vec<u32>| {
            let rows = [vec![2, 3, 4, 5], vec![0, 1, 2, 4], vec![0, 1, 3, 5], vec![0, 2, 3, 6], last];
            Graph::new(7, 4, rows)
        };
        let graph = more(vec![0, 4, 5, 6]);
        let encoder = Encoder::new(&graph).expect("an encoder");
        for data in 0..16u32 {
            let word = encoder.encode(&[0, 1, 2, 3].map(|bit| data >> bit & 1 == 1));
            assert_eq!(graph.broken(|bit| word[bit]), 0, "{data}");
        }
        assert!(Encoder::new(&more(vec![0, 1])).is_none());
    }
}
