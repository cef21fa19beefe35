//! The pages of an image file in memory: where the file system keeps its files there anyway, a copy needs no system call.
//!
//! The only unsafe code of this crate. An access to a page that the kernel cannot provide ends the process, where a system call
//! returns an error: so a file is mapped only on a file system in memory (tmpfs), which has no disk that fails, and of a mapped
//! file only those pages are touched that are known to have their memory. Not covered: another program that cuts off the
//! file while it is served.

use rustix::fs::fstatfs;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
use std::fs::File;
use std::io;

/// Number by which Linux names the file system tmpfs, which keeps its files in memory.
const TMPFS: u64 = 0x0102_1994;

/// Type of the part of an image file with its pages, as memory of this process.
pub struct FileMapping {
    base: *mut u8,
    length: usize,
}

// SAFETY: the mapping belongs to this value alone, and is changed only through `&mut self`.
#[allow(unsafe_code)]
unsafe impl Send for FileMapping {}

impl FileMapping {
    /// Maps `length` bytes of a file from byte `at` on, where its file system keeps files in memory; none elsewhere, or where
    /// the kernel refuses it.
    pub fn where_in_memory(file: &File, at: u64, length: u64) -> Option<Self> {
        let is_in_memory = fstatfs(file).is_ok_and(|about| about.f_type as u64 == TMPFS);
        if is_in_memory { Self::of(file, at, length).ok() } else { None }
    }

    /// Maps `length` bytes of a file from byte `at` on, which is a multiple of the machine's page size.
    ///
    /// # Errors
    /// When the kernel refuses it.
    #[allow(unsafe_code)]
    pub fn of(file: &File, at: u64, length: u64) -> io::Result<Self> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::InvalidInput)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses a free range of addresses, so that no other memory is replaced.
        let base = unsafe { mmap(std::ptr::null_mut(), length, access, MapFlags::SHARED, file, at)? };
        Ok(Self { base: base.cast(), length })
    }

    /// Returns the address of `count` bytes from byte `at` of the mapping on.
    #[allow(unsafe_code)]
    fn place(&self, at: u64, count: usize) -> *mut u8 {
        let end = at.checked_add(count as u64);
        assert!(end.is_some_and(|end| end <= self.length as u64), "{count} bytes at {at}");
        // SAFETY: the range lies inside the mapping.
        unsafe { self.base.add(at as usize) }
    }

    /// Asks the kernel to prepare `count` bytes from byte `at` on for access, all at once: otherwise it does so page by page, at
    /// the first access to each. The file must have memory there.
    #[allow(unsafe_code)]
    pub fn prepare(&mut self, at: u64, count: usize) {
        let place = self.place(at, count);
        // SAFETY: the range lies inside the mapping, whose bytes stay as they are. A kernel that cannot do it refuses it, also
        // where the range begins within a page of the machine: that costs time and nothing else.
        let _ = unsafe { madvise(place.cast(), count, Advice::LinuxPopulateWrite) };
    }

    /// Copies bytes of the mapping from byte `at` on into `into`. The file must have memory there.
    #[allow(unsafe_code)]
    pub fn read(&self, at: u64, into: &mut [u8]) {
        let from = self.place(at, into.len());
        // SAFETY: both ranges are valid, and no reference to bytes of the mapping exists, so that they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) }
    }

    /// Copies `bytes` into the mapping from byte `at` on. The file must have memory there.
    #[allow(unsafe_code)]
    pub fn write(&mut self, at: u64, bytes: &[u8]) {
        let into = self.place(at, bytes.len());
        // SAFETY: as for reading; the kernel has the bytes as soon as they are copied, also when this process ends.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), into, bytes.len()) }
    }
}

impl Drop for FileMapping {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: nothing refers to the mapping any more. A refusal leaves addresses in use and nothing else.
        let _ = unsafe { munmap(self.base.cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn what_is_in_the_mapping_is_in_the_file() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[7; 3 << 16], 0).unwrap();
        let mut mapping = FileMapping::of(&file, 1 << 16, 2 << 16).unwrap();
        let mut bytes = [0; 5];
        mapping.read((2 << 16) - 5, &mut bytes);
        assert_eq!(bytes, [7; 5]);
        mapping.prepare(0, 2 << 16);
        mapping.prepare(7, 100);
        mapping.write(10, b"data");
        file.read_exact_at(&mut bytes, (1 << 16) + 9).unwrap();
        assert_eq!(&bytes, b"\x07data");
        drop(mapping);
        let there = FileMapping::where_in_memory(&file, 0, 1 << 16);
        let is_in_memory = fstatfs(&file).unwrap().f_type as u64 == TMPFS;
        assert_eq!(there.is_some(), is_in_memory);
    }

    #[test]
    #[should_panic(expected = "2 bytes at 65535")]
    fn nothing_beyond_the_mapping_is_touched() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(2 << 16).unwrap();
        FileMapping::of(&file, 0, 1 << 16).unwrap().read((1 << 16) - 1, &mut [0; 2]);
    }
}
