//! Memory that is used again: an allocator gives pages of large blocks back to the kernel, which then clears them anew.

/// Greatest number of bytes of unused memory buffers that the live server keeps for reuse.
const KEPT: usize = 16 << 20;
/// Number of size classes of reusable memory buffers; larger buffers than the last class are not kept.
const CLASSES: usize = 21;

/// Type of a pool of reusable memory buffers, sorted by capacity, because a buffer of another capacity would have to be
/// moved or cleared when it grows.
#[derive(Default)]
pub struct Buffers {
    /// Free memory buffers by capacity: list n contains buffers with a capacity of at least 2^n and less than 2^(n+1)
    /// bytes.
    free: [Vec<Vec<u8>>; CLASSES],
    kept: usize,
}

impl Buffers {
    fn take(&mut self, length: usize) -> Vec<u8> {
        let whole = length.next_power_of_two();
        // A block that is never kept needs no room for its class.
        let Some(free) = self.free.get_mut(whole.ilog2() as usize) else { return Vec::with_capacity(length) };
        match free.pop() {
            Some(buffer) => {
                self.kept -= buffer.capacity();
                buffer
            }
            None => Vec::with_capacity(whole),
        }
    }

    /// Returns a memory buffer of `length` bytes, from the pool or new; its contents are undefined and must be
    /// overwritten.
    pub fn room(&mut self, length: usize) -> Vec<u8> {
        let mut buffer = self.take(length);
        buffer.resize(length, 0);
        buffer
    }

    /// Returns a buffer from the live server's pool of memory buffers, or a new one, with a copy of `bytes`.
    pub fn copy(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut buffer = self.take(bytes.len());
        buffer.clear();
        buffer.extend_from_slice(bytes);
        buffer
    }

    /// Returns a memory buffer that is no longer needed to the pool, or frees it if the pool is full.
    pub fn put_back(&mut self, buffer: Vec<u8>) {
        let room = buffer.capacity();
        let Some(class) = room.checked_ilog2() else { return };
        if let Some(free) = self.free.get_mut(class as usize).filter(|_| self.kept + room <= KEPT) {
            free.push(buffer);
            self.kept += room;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_as_long_as_what_it_is_for() {
        let mut buffers = Buffers::default();
        buffers.put_back(vec![7; 128]);
        assert_eq!(buffers.room(100).len(), 100);
        buffers.put_back(vec![7; 128]);
        assert_eq!(buffers.room(200).len(), 200);
        assert_eq!(buffers.copy(b"data"), b"data");
        buffers.put_back(Vec::with_capacity(8));
        assert_eq!(buffers.copy(b"datum"), b"datum");
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let mut buffers = Buffers::default();
        buffers.put_back(Vec::new());
        buffers.put_back(Vec::with_capacity(1 << CLASSES));
        assert_eq!(buffers.kept, 0);
        let block = KEPT >> 6;
        (0..65).for_each(|_| buffers.put_back(Vec::with_capacity(block)));
        assert_eq!(buffers.kept, KEPT);
        assert_eq!(buffers.room(block).len(), block);
        assert_eq!(buffers.kept, KEPT - block);
    }
}
