//! Large arrays and the cost of touching them at random: huge pages and prefetches.
//!
//! The only unsafe code of the core. Neither call changes what a program computes, only how long it waits.

/// Makes an array of `length` copies of `value`; on Linux, asks for huge pages for an array of 4 MiB or more, so that
/// random accesses to large arrays cause fewer page walks.
pub fn large_array<T: Copy>(length: usize, value: T) -> Vec<T> {
    let mut array: Vec<T> = Vec::with_capacity(length);
    advise_huge(&mut array);
    array.resize(length, value);
    array
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise_huge<T>(array: &mut Vec<T>) {
    const PAGE: usize = 4096;
    let bytes = array.capacity() * size_of::<T>();
    if bytes < 4 << 20 {
        return;
    }
    let start = (array.as_mut_ptr() as usize).next_multiple_of(PAGE);
    let end = (array.as_mut_ptr() as usize + bytes) / PAGE * PAGE;
    // SAFETY: the range lies inside memory this vector owns, and MADV_HUGEPAGE leaves its content alone.
    // A refusal only costs speed, so the result does not matter.
    unsafe {
        libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge<T>(_array: &mut Vec<T>) {}

/// Requests that the processor load the cache line of `array[index]`; does nothing if the index lies outside, or on
/// processors other than x86-64.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = array.get(index) {
        // SAFETY: a prefetch of a valid reference has no effect but on the cache.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(item).cast(),
            );
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}
