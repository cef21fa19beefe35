//! Loops over lanes of cells in the widest vectors that the machine has, chosen when it runs.
//!
//! The same source is compiled twice, with and without AVX2. Both do the same sums, products, quotients and square
//! roots of `f32` in the same order for each cell: the compiler neither contracts a product and a sum nor reorders
//! what floating point would round otherwise, whatever the vectors. So machines agree bit for bit, as tests compare.
//!
//! Not here: AVX-512, which Rust has from 1.89 on, later than the oldest compiler that builds this; other processors
//! than x86, whose vectors the compiler uses without being asked.

/// Runs `work` in the widest vectors there are. What it calls must be inlined into it, or stays narrow.
#[inline]
pub(super) fn in_vectors<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return wide(work);
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "avx2")]
    fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    // SAFETY: the only caller has asked the processor, and it has AVX2.
    unsafe { with_avx2(work) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_and_its_result_comes_back() {
        let mut done = 0;
        let half = in_vectors(|| {
            done += 1;
            std::hint::black_box(0.5f32)
        });
        assert_eq!((done, half.to_bits()), (1, 0.5f32.to_bits()));
    }
}
