//! Codes of our own: progressive edge growth (Hu, Eleftheriou and Arnold, 2005) over circulants.
//!
//! Columns of circulants come one after the other, parity first; each gets its circulants one by one, in the rows that have
//! the fewest. A shift is one whose check is farthest from the column's first bit along the edges so far, or, where none is
//! out of reach, one with the fewest shortest paths to it: each of them becomes a cycle. Equals are chosen among by the seed.
//!
//! The parity part is invertible where the matrix of its circulants' places is, modulo 2, if circulants have a power of two
//! of rows: matrices over polynomials modulo `x^n - 1 = (x - 1)^n` are units where they are at `x = 1`. So the places of
//! parity are drawn until they are.

use super::cycles::Spectrum;
use super::{BaseMatrix, Graph};
use engine::RandomStream;
use std::fmt::Write;

/// Set of parameters from which a quasi-cyclic LDPC code is constructed (grown edge by edge, with as few short cycles
/// as possible).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Parameter of the construction: seed of the random choice among equally good positions (block rows) and cyclic
    /// shifts of circulants.
    pub seed: u64,
    /// Parameter of the construction: number of rows of a circulant: a power of two.
    pub circulant: u32,
    /// Parameter of the construction: number of circulants in each block column of data.
    pub data_weight: u32,
    /// Parameter of the construction: number of circulants in each block column of parity; must be odd, because the
    /// rows of a matrix with columns of even weight add up to zero.
    pub parity_weight: u32,
}

/// Constant: list of the codes that this project constructed and ships, each with 4 KiB of data: name, parameters of
/// the construction, number of block rows and number of block columns.
pub const OWN: [(&str, Growth, usize, usize); 2] = [
    ("nand-4k-889", Growth { seed: 1, circulant: 256, data_weight: 4, parity_weight: 3 }, 16, 144),
    ("nand-4k-928", Growth { seed: 1, circulant: 256, data_weight: 4, parity_weight: 3 }, 10, 138),
];

/// Constructs a quasi-cyclic code with `high` block rows and `wide` block columns, and returns its matrix, the cyclic
/// shifts of the circulants.
///
/// # Panics
/// When the circulant size is no power of two, or there are fewer block rows than a column has circulants.
pub fn grow(growth: &Growth, high: usize, wide: usize) -> BaseMatrix {
    assert!(growth.circulant.is_power_of_two(), "a circulant of {}", growth.circulant);
    assert!(high >= growth.data_weight.max(growth.parity_weight) as usize, "{high} rows of circulants");
    let mut random = RandomStream::new(growth.seed, "ecc.grow");
    let mut base = BaseMatrix { circulant: growth.circulant, shifts: vec![vec![None; wide]; high] };
    let mut load = vec![0; high];
    let parity = places_of_parity(growth.parity_weight as usize, high, &mut random);
    for (column, rows) in (wide - high..).zip(parity) {
        for row in rows {
            place(&mut base, row, column, &mut random);
            load[row] += 1;
        }
    }
    for column in 0..wide - high {
        for _ in 0..growth.data_weight {
            let row = lightest(&base, &load, column, &mut random);
            place(&mut base, row, column, &mut random);
            load[row] += 1;
        }
    }
    base
}

/// Returns, drawn at random among equals, a block row with the fewest circulants of the block rows that have no
/// circulant in this block column yet.
fn lightest(base: &BaseMatrix, load: &[u32], column: usize, random: &mut RandomStream) -> usize {
    let open: Vec<usize> = (0..load.len()).filter(|row| base.shifts[*row][column].is_none()).collect();
    let least = open.iter().map(|row| load[*row]).min().expect("an open row");
    among(open.into_iter().filter(|row| load[*row] == least).collect(), random)
}

fn among<T: Copy>(equals: Vec<T>, random: &mut RandomStream) -> T {
    equals[random.below(equals.len() as u64) as usize]
}

/// Chooses at random, for each block column of parity, the block rows of its circulants, so that the square matrix with
/// ones at these positions is invertible modulo 2.
fn places_of_parity(weight: usize, high: usize, random: &mut RandomStream) -> Vec<Vec<usize>> {
    loop {
        let mut load = vec![0u32; high];
        let mut columns = Vec::new();
        for _ in 0..high {
            let mut rows: Vec<usize> = Vec::new();
            while rows.len() < weight {
                let open = (0..high).filter(|row| !rows.contains(row));
                let least = open.clone().map(|row| load[row]).min().expect("an open row");
                let row = among(open.filter(|row| load[*row] == least).collect(), random);
                load[row] += 1;
                rows.push(row);
            }
            columns.push(rows);
        }
        if is_invertible(&columns, high) {
            return columns;
        }
    }
}

fn is_invertible(columns: &[Vec<usize>], high: usize) -> bool {
    let mut rows: Vec<u128> =
        columns.iter().map(|rows| rows.iter().fold(0, |bits, row| bits | 1 << row)).collect();
    for bit in 0..high {
        let Some(pivot) = (bit..rows.len()).find(|row| rows[*row] >> bit & 1 == 1) else { return false };
        rows.swap(bit, pivot);
        let pivot = rows[bit];
        for row in &mut rows[bit + 1..] {
            if *row >> bit & 1 == 1 {
                *row ^= pivot;
            }
        }
    }
    true
}

/// Chooses the cyclic shift of the circulant at this block row and block column, the shift that closes the fewest short
/// cycles, and enters the shift in the matrix.
fn place(base: &mut BaseMatrix, row: usize, column: usize, random: &mut RandomStream) {
    let size = base.circulant;
    let graph = base.graph(0);
    let reached = Reached::from(&graph, (column as u32) * size);
    // A shift of s puts the one of the column's first bit into row (-s) of the circulant.
    let check = |shift: u32| row as u32 * size + (size - shift) % size;
    let merit = |shift: u32| reached.merit(check(shift));
    let best = (0..size).map(merit).max().expect("a shift");
    let shift = among((0..size).filter(|shift| merit(*shift) == best).collect(), random);
    base.shifts[row][column] = Some(shift);
}

/// Record of the distances from one bit in the code's Tanner graph: for each check, the number of edges to the check,
/// and the number of shortest paths to it.
struct Reached {
    distance: Vec<u32>,
    paths: Vec<u64>,
}

impl Reached {
    fn from(graph: &Graph, bit: u32) -> Self {
        let checks = graph.checks_of_bits();
        let mut reached = Self { distance: vec![u32::MAX; graph.checks()], paths: vec![0; graph.checks()] };
        let mut of_bits = vec![(u32::MAX, 0u64); graph.bits()];
        of_bits[bit as usize] = (0, 1);
        let mut bits = vec![bit];
        for distance in (1..).step_by(2) {
            let mut next_checks = Vec::new();
            for bit in &bits {
                for check in &checks[*bit as usize] {
                    let at = *check as usize;
                    if reached.distance[at] == u32::MAX {
                        reached.distance[at] = distance;
                        next_checks.push(*check);
                    }
                    if reached.distance[at] == distance {
                        reached.paths[at] += of_bits[*bit as usize].1;
                    }
                }
            }
            bits.clear();
            for check in &next_checks {
                for bit in graph.row(*check as usize) {
                    let of_bit = &mut of_bits[*bit as usize];
                    if of_bit.0 == u32::MAX {
                        *of_bit = (distance + 1, 0);
                        bits.push(*bit);
                    }
                    if of_bit.0 == distance + 1 {
                        of_bit.1 += reached.paths[*check as usize];
                    }
                }
            }
            if bits.is_empty() {
                break;
            }
        }
        reached
    }

    /// Returns how good a new edge to a parity check is, greater for a better edge, for which short cycles are fewer: a
    /// far check before a near one, then few shortest paths before many.
    fn merit(&self, check: u32) -> (u32, std::cmp::Reverse<u64>) {
        (self.distance[check as usize], std::cmp::Reverse(self.paths[check as usize]))
    }
}

/// Constructs a quasi-cyclic code and returns the text of the code file that is stored in `codes/`.
pub fn file(growth: &Growth, high: usize, wide: usize) -> String {
    let base = grow(growth, high, wide);
    let cycles = Spectrum::of(&base);
    let size = growth.circulant as usize;
    let (bits, data_bits) = (wide * size, (wide - high) * size);
    let girth = cycles.girth().map_or("above 8".to_owned(), |girth| girth.to_string());
    let mut text = format!(
        "# Own construction: {} bytes of data, rate {:.3}, girth {girth}. Made by `make codes`; not to be edited.\n\
         bits = {bits}\ndata_bits = {data_bits}\ncirculant = {size}\nrows = [\n",
        data_bits / 8,
        data_bits as f64 / bits as f64
    );
    for row in &base.shifts {
        let words: Vec<String> =
            row.iter().map(|shift| shift.map_or("-".into(), |shift| shift.to_string())).collect();
        writeln!(text, "    \"{}\",", words.join(" ")).expect("text grows");
    }
    let Growth { seed, data_weight, parity_weight, .. } = growth;
    let Spectrum { of_4, of_6, of_8 } = cycles;
    write!(
        text,
        "]\n\n[grown]\nseed = {seed}\ndata_weight = {data_weight}\nparity_weight = {parity_weight}\n\n\
         # In the whole matrix, counted.\n[cycles]\nof_4 = {of_4}\nof_6 = {of_6}\nof_8 = {of_8}\n"
    )
    .expect("text grows");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldpc::{CodeOrigin, named};

    #[test]
    fn grown_codes_are_made_again_byte_for_byte_and_their_cycles_are_as_said() {
        for name in ["nand-4k-889", "nand-4k-928"] {
            let code = named(name).expect("a shipped code");
            let CodeOrigin::Grown(growth, cycles) = &code.origin else { panic!("{name} is not grown") };
            let base = code.base.as_ref().expect("circulants");
            let (_, text) = crate::ldpc::shipped().iter().find(|(each, _)| *each == name).expect("a file");
            assert_eq!(file(growth, base.shifts.len(), base.width()), *text, "{name}: run `make codes`");
            assert_eq!(cycles.girth(), Some(6), "{name}");
        }
    }

    #[test]
    fn growth_avoids_the_shortest_cycles_where_there_is_room() {
        let growth = Growth { seed: 1, circulant: 64, data_weight: 3, parity_weight: 3 };
        let girth = Spectrum::of(&grow(&growth, 4, 8)).girth();
        assert!(girth.is_none_or(|girth| girth >= 8), "{girth:?}");
        // Other seeds make other codes.
        assert_ne!(grow(&growth, 4, 8), grow(&Growth { seed: 2, ..growth }, 4, 8));
    }
}
