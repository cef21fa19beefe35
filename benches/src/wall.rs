//! The memory wall: what the bare accesses of a page operation cost on this machine, in arrays of the
//! drive's size, with independent random addresses so that the misses of successive operations overlap.
//!
//! Processor time, in the median of several stretches, as that of the engine.

use crate::cost::{CostSpread, InstructionMeter, ROUNDS};
use engine::{RandomStream, large_array};
use std::hint::black_box;

/// Measures the memory wall: the processor time in ns of the bare memory accesses of one page operation (a map lookup,
/// an invalidate and an update), for a drive of `units` logical mapping units.
pub fn page_operation_ns(units: usize, operations: u64) -> f64 {
    let physical = units + units / 14;
    let mut forward: Vec<u32> = large_array(units, 0);
    let mut backward: Vec<u32> = large_array(physical, 0);
    let mut valid: Vec<u64> = large_array(physical / 64 + 1, u64::MAX);
    let mut random = RandomStream::new(1, "wall");
    for entry in &mut forward {
        *entry = random.below(physical as u64) as u32;
    }
    let ns = median_ns(operations, |count| {
        for _ in 0..count {
            let bits = random.bits();
            let lpn = (((bits >> 32) * units as u64) >> 32) as usize;
            let target = (((bits & 0xFFFF_FFFF) * physical as u64) >> 32) as usize;
            let old = forward[lpn] as usize;
            valid[old / 64] &= !(1 << (old % 64));
            backward[target] = lpn as u32;
            forward[lpn] = target as u32;
        }
    });
    black_box((&forward, &backward, &valid));
    ns
}

/// Measures the processor time in ns of one store to a random entry of a map with `units` entries.
pub fn store_ns(units: usize, operations: u64) -> f64 {
    let mut forward: Vec<u32> = large_array(units, 1);
    let mut random = RandomStream::new(2, "wall");
    let ns = median_ns(operations, |count| {
        for i in 0..count {
            let at = (((random.bits() >> 32) * units as u64) >> 32) as usize;
            forward[at] = i as u32;
        }
    });
    black_box(&forward);
    ns
}

/// Returns the median processor time in ns of one operation; `work` performs `operations` operations in several
/// stretches.
fn median_ns(operations: u64, mut work: impl FnMut(u64)) -> f64 {
    let (mut meter, count) = (InstructionMeter::new(), operations / ROUNDS as u64);
    let costs: Vec<_> = (0..ROUNDS).map(|_| meter.of(|| work(count)).0.per(count as f64)).collect();
    CostSpread::of(&costs).main_ns()
}
