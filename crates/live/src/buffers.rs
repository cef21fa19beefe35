//! Memory that is used again: an allocator gives pages of large blocks back to the kernel, which then clears them anew.

/// Blocks kept at most.
const KEPT: usize = 256;
/// The longest that is kept.
const LONGEST: usize = 1 << 20;

/// Blocks that nobody uses.
#[derive(Default)]
pub struct Buffers {
    free: Vec<Vec<u8>>,
}

impl Buffers {
    /// So many zeros.
    pub fn zeros(&mut self, length: usize) -> Vec<u8> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.clear();
        buffer.resize(length, 0);
        buffer
    }

    /// These bytes.
    pub fn copy(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        buffer
    }

    /// Nobody needs it any more.
    pub fn put_back(&mut self, buffer: Vec<u8>) {
        if self.free.len() < KEPT && (1..=LONGEST).contains(&buffer.capacity()) {
            self.free.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_in_a_block_before_is_gone() {
        let mut buffers = Buffers::default();
        buffers.put_back(vec![7; 100]);
        assert_eq!(buffers.zeros(50), [0; 50]);
        buffers.put_back(vec![7; 100]);
        assert_eq!(buffers.copy(b"data"), b"data");
        buffers.put_back(Vec::new());
        buffers.put_back(vec![0; LONGEST + 1]);
        assert!(buffers.free.is_empty());
    }
}
