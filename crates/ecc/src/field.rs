//! Finite fields of 2^m elements.

/// Type of a finite field of 2^m elements for the construction of BCH and LDPC codes, as tables of powers and
/// logarithms of a primitive element.
#[derive(Clone, Debug)]
pub struct Field {
    order: usize,
    powers: Vec<u32>,
    logarithms: Vec<u32>,
}

/// Constant: table of primitive polynomials over GF(2) from which the finite fields of 2^m elements are made: one for
/// each degree from 3 to 16, the usual ones (Lin and Costello, Error Control Coding, 2004, table 2.7).
const PRIMITIVE: [u32; 14] =
    [0xb, 0x13, 0x25, 0x43, 0x89, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443, 0x8003, 0x1100b];

impl Field {
    /// Makes the finite field of 2^m elements, for `m` from 3 to 16, with its tables of powers and logarithms.
    pub fn new(m: usize) -> Self {
        let order = (1 << m) - 1;
        let (mut powers, mut logarithms) = (vec![0; order], vec![0; order + 1]);
        let mut element = 1u32;
        for (power, slot) in powers.iter_mut().enumerate() {
            *slot = element;
            logarithms[element as usize] = power as u32;
            element <<= 1;
            if element > order as u32 {
                element ^= PRIMITIVE[m - 3];
            }
        }
        Self { order, powers, logarithms }
    }

    /// Returns the number of field elements other than zero: 2^m - 1.
    pub const fn order(&self) -> usize {
        self.order
    }

    /// Returns the primitive element of the field to the power of `power`.
    pub fn exp(&self, power: usize) -> u32 {
        self.powers[power % self.order]
    }

    pub fn times(&self, one: u32, other: u32) -> u32 {
        if one == 0 || other == 0 {
            return 0;
        }
        self.exp((self.logarithms[one as usize] + self.logarithms[other as usize]) as usize)
    }

    /// Returns the multiplicative inverse of a field element other than zero.
    pub fn inverse(&self, element: u32) -> u32 {
        self.exp(self.order - self.logarithms[element as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomials_are_primitive() {
        for m in 3..=16 {
            let field = Field::new(m);
            let mut seen = vec![false; field.order + 1];
            assert!(
                field.powers.iter().all(|power| !std::mem::replace(&mut seen[*power as usize], true)),
                "{m}"
            );
            assert!((1..=field.order as u32).all(|one| field.times(one, field.inverse(one)) == 1), "{m}");
        }
    }
}
