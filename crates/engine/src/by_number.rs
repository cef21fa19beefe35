//! Hash maps whose keys are numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Type of a hash function for numeric keys: a multiplication, which spreads them well enough.
#[derive(Clone, Default)]
pub struct SpreadHash(u64);

impl Hasher for SpreadHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers");
    }

    fn write_u32(&mut self, key: u32) {
        self.write_u64(u64::from(key));
    }

    fn write_u64(&mut self, key: u64) {
        // The table takes its place from the low bits and a tag from the high ones.
        let spread = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }
}

/// Type of a hash map with numeric keys. No result may depend on its order of iteration.
pub type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<SpreadHash>>;
