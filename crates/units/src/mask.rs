//! Bit masks of the units of a page row.

/// Returns the number of units that bit mask `mask` names. Most masks of random reads name one unit; processors of the
/// lowest common level have no instruction that counts bits, and take twenty for it.
#[inline(always)]
pub const fn units_in(mask: u64) -> u32 {
    match mask.is_power_of_two() {
        true => 1,
        false => mask.count_ones(),
    }
}

#[cfg(test)]
mod tests {
    use super::units_in;

    #[test]
    fn units_are_counted() {
        for (mask, units) in [(0, 0), (1, 1), (1 << 63, 1), (0b101, 2), (u64::MAX, 64), (u64::MAX >> 1, 63)] {
            assert_eq!(units_in(mask), units, "{mask:b}");
        }
    }
}
