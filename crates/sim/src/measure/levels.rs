//! Latencies in levels of constant relative width: so many to each power of two.

/// Constant: binary logarithm of the number of latency levels per power of two (3: 8 levels) in the latency histograms
/// of the time series' intervals.
pub(crate) const COARSE: u32 = 3;
/// Constant: binary logarithm of the number of latency levels per power of two (4: 16 levels) in the latency histograms
/// of groups of logical units.
pub(crate) const FINE: u32 = 4;
/// Constant: exponent of the power of two, in nanoseconds, from which on all latencies share the last level of a
/// histogram.
const POWER_MAX: u32 = 36;

/// Returns the number of latency levels of a histogram that divides each power of two into 2^`bits` levels.
pub(crate) const fn levels(bits: u32) -> usize {
    ((POWER_MAX - bits) as usize) << bits
}

/// Returns the index of the level of a latency histogram in which `latency_ns` lies; all latencies up to 2^`bits`
/// nanoseconds share the first level.
#[inline]
pub(crate) fn level_of(latency_ns: u64, bits: u32) -> usize {
    let latency = latency_ns.max(1 << bits);
    let power = latency.ilog2();
    let level = ((power - bits) as usize) << bits;
    (level + (latency >> (power - bits)) as usize - (1 << bits)).min(levels(bits) - 1)
}

/// Returns the highest latency, in nanoseconds, that belongs to the latency level with index `level`.
pub(crate) fn upper_edge(level: usize, bits: u32) -> u64 {
    let (power, part) = (level >> bits, level & ((1 << bits) - 1));
    (((1 << bits) + part as u64 + 1) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_bracket_what_they_hold() {
        for bits in [COARSE, FINE] {
            for latency in [1, 8, 9, 15, 16, 17, 63, 64, 65, 1_000, 123_456_789, 1 << 35] {
                let level = level_of(latency, bits);
                assert!(upper_edge(level, bits) >= latency, "{latency} lies above its level {level}");
                let below = level.checked_sub(1).map_or(0, |level| upper_edge(level, bits));
                assert!(below < latency, "{latency} lies below its level {level}");
            }
            assert_eq!(level_of(u64::MAX, bits), levels(bits) - 1);
        }
    }
}
