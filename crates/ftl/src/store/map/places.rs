//! Where logical units live, as arrays: 4 bytes a unit, and one more where 32 bits do not number the drive's units.

use engine::large_array;
use units::{Lpn, Ppa};

/// Type of the forward map as arrays: the physical place of each logical unit, as its low 32 bits and, on a drive that
/// needs more, its higher bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// For each logical unit, the low 32 bits of its physical place. On a drive that needs no more bits, all ones mean
    /// that the unit has no place.
    pub low: Vec<u32>,
    /// For each logical unit, bits 32 to 39 of its physical place; empty on a drive for which 32 bits are enough.
    pub high: Vec<u8>,
}

impl Places {
    /// Makes the forward map of `units` logical units, none of which has a physical place.
    pub fn nowhere(units: usize, width: Width) -> Self {
        let high = if width == Width::Wide { large_array(units, u8::MAX) } else { Vec::new() };
        Self { low: large_array(units, u32::MAX), high }
    }

    /// Sets the physical place of logical unit `lpn`.
    #[inline]
    pub fn set(&mut self, lpn: u32, place: u64) {
        self.low[lpn as usize] = place as u32;
        if let Some(high) = self.high.get_mut(lpn as usize) {
            *high = (place >> 32) as u8;
        }
    }

    /// Sets the physical places of `count` logical units from `lpn` on: consecutive places from `place` on.
    #[inline]
    pub fn set_run(&mut self, lpn: u32, place: u64, count: usize) {
        let begin = lpn as usize;
        self.low[begin..][..count].iter_mut().zip(place..).for_each(|(low, place)| *low = place as u32);
        if !self.high.is_empty() {
            let high = self.high[begin..][..count].iter_mut();
            high.zip(place..).for_each(|(high, place)| *high = (place >> 32) as u8);
        }
    }

    /// Returns the physical place of logical unit `lpn`, or [`Ppa::NONE`].
    #[inline]
    pub fn get(&self, lpn: Lpn) -> Ppa {
        let low = self.low[lpn.index()];
        match self.high.get(lpn.index()) {
            None => narrow(low),
            Some(&u8::MAX) if low == u32::MAX => Ppa::NONE,
            Some(&high) => Ppa(u64::from(high) << 32 | u64::from(low)),
        }
    }
}

/// Converts a map entry of 32 bits to a physical place; all ones become [`Ppa::NONE`].
#[inline(always)]
pub(crate) fn narrow(place: u32) -> Ppa {
    // All ones stay all ones.
    Ppa(u64::from(place.wrapping_add(1)).wrapping_sub(1))
}

/// Kind of width of an entry of the forward map: 32 bits if these are enough to number the units on flash, and 40 bits
/// if not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Case: width of 32 bits for each entry of the forward map.
    Narrow,
    /// Case: width of 40 bits for each entry of the forward map.
    Wide,
}

#[cfg(test)]
mod tests {
    use super::{Places, Width, narrow};
    use units::{Lpn, Ppa};

    #[test]
    fn places_of_both_widths_are_what_was_set() {
        for (width, all) in [
            (Width::Narrow, vec![0, 7, (1 << 32) - 2]),
            (Width::Wide, vec![0, u64::from(u32::MAX), 1 << 32, (1 << 40) - 2]),
        ] {
            let mut places = Places::nowhere(all.len() + 1, width);
            (0..).zip(&all).for_each(|(lpn, &place)| places.set(lpn, place));
            (0..).zip(&all).for_each(|(lpn, &place)| assert_eq!(places.get(Lpn(lpn)), Ppa(place)));
            assert_eq!(places.get(Lpn(all.len() as u32)), Ppa::NONE);
            places.set(0, Ppa::NONE.0);
            assert_eq!(places.get(Lpn(0)), Ppa::NONE);
        }
        assert_eq!(narrow(u32::MAX), Ppa::NONE);
    }
}
