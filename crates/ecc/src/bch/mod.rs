//! Binary BCH codes: primitive, in the narrow sense, shortened; decoded by algebra.
//!
//! Syndromes, then the polynomial whose roots are the places of errors (Berlekamp and Massey, 1969), then its roots, one place
//! after the other (Chien, 1964). Up to `t` errors come right. Beyond, there are mostly no such roots, or too few, and the
//! word is found to be lost; else it is made into another word of the code: a miscorrection, which nothing here finds.

use crate::field::Field;

/// Type of a binary BCH code with its finite field and generator polynomial: corrects up to `correctable` bit errors in
/// a codeword of `data_bits` data bits and their parity.
#[derive(Clone, Debug)]
pub struct Code {
    field: Field,
    data_bits: usize,
    correctable: usize,
    /// Field: generator polynomial of the BCH code, as a list with one coefficient for each power, the lowest power
    /// first.
    generator: Vec<bool>,
}

/// Kind of outcome that the decoding of a BCH codeword has: corrected, or uncorrectable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Case of outcome: corrected (with more errors than the code corrects, unnoticed, to a wrong codeword). The list
    /// has the indices of the bits that were inverted; it is empty if all syndromes were zero.
    Corrected(Vec<usize>),
    /// Case of outcome: uncorrectable. The decoder detected more errors than the code corrects, and the codeword is
    /// unchanged.
    Lost,
}

impl Code {
    /// Makes the BCH code over the smallest finite field GF(2^m) for which data and parity fit into 2^m - 1 bits;
    /// `None` if `m` would exceed 16.
    pub fn new(data_bits: usize, correctable: usize) -> Option<Self> {
        for m in 3..=16 {
            let field = Field::new(m);
            let generator = generator(&field, correctable);
            if data_bits + generator.len() - 1 <= field.order() {
                return Some(Self { field, data_bits, correctable, generator });
            }
        }
        None
    }

    /// Returns the number of parity bits of a codeword of this BCH code.
    pub fn parity_bits(&self) -> usize {
        self.generator.len() - 1
    }

    /// Returns the number of bits of a codeword of this BCH code, which holds the data bits first, then the parity
    /// bits.
    pub fn bits(&self) -> usize {
        self.data_bits + self.parity_bits()
    }

    /// Encodes data bits into a codeword of this BCH code: the data, then the parity.
    ///
    /// # Panics
    /// When there are more or fewer data bits than the code has.
    pub fn encode(&self, data: &[bool]) -> Vec<bool> {
        assert_eq!(data.len(), self.data_bits, "bits of data");
        let degree = self.parity_bits();
        // The rest of a division by the generator; the first bit of a word is its highest power.
        let mut rest = vec![false; degree];
        for bit in data {
            let out = rest[degree - 1] ^ bit;
            rest.rotate_right(1);
            rest[0] = false;
            for (rest, tap) in rest.iter_mut().zip(&self.generator) {
                *rest ^= out & tap;
            }
        }
        data.iter().copied().chain(rest.into_iter().rev()).collect()
    }

    /// Corrects the bit errors of a BCH codeword in place, and returns which bits were inverted, or that the decoder
    /// detected too many errors.
    ///
    /// # Panics
    /// When `word` has more or fewer bits than a codeword of the code.
    pub fn decode(&self, word: &mut [bool]) -> Outcome {
        assert_eq!(word.len(), self.bits(), "bits of a word");
        let syndromes = self.syndromes(word);
        if syndromes.iter().all(|syndrome| *syndrome == 0) {
            return Outcome::Corrected(Vec::new());
        }
        let locator = self.locator(&syndromes);
        let errors = locator.len() - 1;
        if errors > self.correctable {
            return Outcome::Lost;
        }
        let places = self.roots(&locator);
        if places.len() != errors {
            return Outcome::Lost;
        }
        for place in &places {
            word[*place] ^= true;
        }
        Outcome::Corrected(places)
    }

    /// Computes the 2t syndromes of a codeword: its polynomial at the powers 1 to 2t of a primitive element of the
    /// field.
    fn syndromes(&self, word: &[bool]) -> Vec<u32> {
        let mut syndromes = vec![0; 2 * self.correctable];
        for (place, _) in word.iter().enumerate().filter(|(_, bit)| **bit) {
            let power = self.power_of(place);
            for (at, syndrome) in syndromes.iter_mut().enumerate().step_by(2) {
                *syndrome ^= self.field.exp(power * (at + 1));
            }
        }
        // Over two elements a polynomial at a square is the square of it.
        for at in (1..syndromes.len()).step_by(2) {
            let half = syndromes[at / 2];
            syndromes[at] = self.field.times(half, half);
        }
        syndromes
    }

    /// Returns the power of x in the codeword's polynomial whose coefficient is bit number `place`.
    fn power_of(&self, place: usize) -> usize {
        self.bits() - 1 - place
    }

    /// Computes the error locator polynomial, the constant term first, by the algorithm of Berlekamp and Massey: the
    /// shortest recurrence that yields the syndromes.
    fn locator(&self, syndromes: &[u32]) -> Vec<u32> {
        let field = &self.field;
        let (mut current, mut before) = (vec![1u32], vec![1u32]);
        let (mut length, mut since, mut discrepancy_before) = (0, 1, 1);
        for step in 0..syndromes.len() {
            let term = |at: usize| field.times(current.get(at).copied().unwrap_or(0), syndromes[step - at]);
            let discrepancy = (0..=length).fold(0, |sum, at| sum ^ term(at));
            if discrepancy == 0 {
                since += 1;
                continue;
            }
            let scale = field.times(discrepancy, field.inverse(discrepancy_before));
            let mut next = current.clone();
            next.resize(next.len().max(before.len() + since), 0);
            for (at, value) in before.iter().enumerate() {
                next[at + since] ^= field.times(scale, *value);
            }
            if 2 * length <= step {
                length = step + 1 - length;
                (before, discrepancy_before, since) = (current, discrepancy, 1);
            } else {
                since += 1;
            }
            current = next;
        }
        while current.last() == Some(&0) {
            current.pop();
        }
        current
    }

    /// Searches the error locations by the algorithm of Chien: returns the indices of the bits at whose inverse field
    /// element the locator polynomial is zero, rising.
    fn roots(&self, locator: &[u32]) -> Vec<usize> {
        let field = &self.field;
        // Each term at the power of the last bit, and what it is multiplied by from a bit to the one before it.
        let mut terms = locator.to_vec();
        let step = |at: usize| field.exp((field.order() - 1) * at);
        let mut places = Vec::new();
        for place in (0..self.bits()).rev() {
            if terms.iter().fold(0, |sum, term| sum ^ term) == 0 {
                places.push(place);
            }
            for (at, term) in terms.iter_mut().enumerate().skip(1) {
                *term = field.times(*term, step(at));
            }
        }
        places.reverse();
        places
    }
}

/// Computes the generator polynomial, the lowest power first: the product of the minimal polynomials of the odd powers
/// up to 2t - 1.
fn generator(field: &Field, correctable: usize) -> Vec<bool> {
    let mut product = vec![true];
    let mut seen = vec![false; field.order()];
    for odd in (1..2 * correctable).step_by(2) {
        if seen[odd % field.order()] {
            continue;
        }
        let mut minimal = vec![1u32];
        let mut power = odd % field.order();
        while !seen[power] {
            seen[power] = true;
            // Times (x - alpha^power).
            let mut next = vec![0; minimal.len() + 1];
            for (at, value) in minimal.iter().enumerate() {
                next[at + 1] ^= value;
                next[at] ^= field.times(*value, field.exp(power));
            }
            minimal = next;
            power = power * 2 % field.order();
        }
        let mut next = vec![false; product.len() + minimal.len() - 1];
        for (at, _) in product.iter().enumerate().filter(|(_, bit)| **bit) {
            for (by, value) in minimal.iter().enumerate() {
                next[at + by] ^= *value == 1;
            }
        }
        product = next;
    }
    product
}

#[cfg(test)]
mod tests;
