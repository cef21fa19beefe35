//! Random numbers for compiled policies: a stream, and the functions that draw from it.

use engine::RandomStream;

/// Table of a policy's random stream (generator) and the functions that draw from it, in the memory layout of
/// `floatgate.own.machine.told`, for compiled policies.
#[repr(C)]
struct Drawing {
    stream: *mut RandomStream,
    below: extern "C" fn(&mut RandomStream, i64) -> i64,
    unit: extern "C" fn(&mut RandomStream) -> f64,
    bits: extern "C" fn(&mut RandomStream) -> u64,
}

/// Type of the random stream (own random number generator) that belongs to one compiled policy.
pub struct CompiledRandom(*mut Drawing);

// SAFETY: both boxes are its own.
#[allow(unsafe_code)]
unsafe impl Send for CompiledRandom {}

impl Default for CompiledRandom {
    /// Makes the default random stream of a compiled policy, always with the same seed; the policy uses it until it is
    /// given the random stream of a drive.
    fn default() -> Self {
        Self::of(RandomStream::new(0, "own"))
    }
}

impl CompiledRandom {
    pub fn of(stream: RandomStream) -> Self {
        let stream = Box::into_raw(Box::new(stream));
        Self(Box::into_raw(Box::new(Drawing { stream, below, unit, bits })))
    }

    /// Returns the address of the table (`Drawing`) with the policy's random stream and its functions, through which
    /// compiled code draws random numbers.
    pub fn address(&self) -> usize {
        self.0 as usize
    }
}

impl Drop for CompiledRandom {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: `of` made both boxes, and no policy draws any more.
        unsafe {
            let drawing = Box::from_raw(self.0);
            drop(Box::from_raw(drawing.stream));
        }
    }
}

/// Draws a whole number below `bound` for compiled code, which has checked that `bound` is at least 1.
extern "C" fn below(stream: &mut RandomStream, bound: i64) -> i64 {
    stream.below(bound as u64) as i64
}

extern "C" fn unit(stream: &mut RandomStream) -> f64 {
    stream.unit()
}

extern "C" fn bits(stream: &mut RandomStream) -> u64 {
    stream.bits()
}
