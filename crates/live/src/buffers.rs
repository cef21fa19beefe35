//! Memory that is used again: an allocator gives pages of large blocks back to the kernel, which then clears them anew.

/// Bytes kept at most.
const KEPT: usize = 16 << 20;
/// Blocks of up to 2^20 bytes are kept.
const CLASSES: usize = 21;

/// Unused blocks, by size: one of another size would have to be moved, or to be cleared where it grows.
#[derive(Default)]
pub struct Buffers {
    /// Blocks with room for 2^n bytes at least, and not for twice as many.
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

    /// Returns a buffer of `length` bytes, whose contents must be overwritten.
    pub fn room(&mut self, length: usize) -> Vec<u8> {
        let mut buffer = self.take(length);
        buffer.resize(length, 0);
        buffer
    }

    /// Returns a buffer with a copy of `bytes`.
    pub fn copy(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut buffer = self.take(bytes.len());
        buffer.clear();
        buffer.extend_from_slice(bytes);
        buffer
    }

    /// Takes back a buffer that is no longer needed.
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
