//! Who made a request, where several clones share a tag.

use crate::{HostRequest, Op};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

const NONE: u32 = u32::MAX;

/// Type of the key of a request in flight, by which its issuer is found again at the completion: tag, operation, offset
/// in bytes and length in bytes.
type RequestKey = (u16, Op, u64, u32);

/// Table that finds, at the completion of a request whose tag several clones of fio jobs share, the clone that issued
/// it: a chain of issuers for each tag, operation, offset and length.
#[derive(Debug, Default)]
pub struct Pending {
    // First and last link of each chain. Only looked up, never walked through: the map's order decides nothing.
    chains: HashMap<RequestKey, (u32, u32), BuildHasherDefault<Mix>>,
    /// List of the links of the chains of issuers: the number of the fio job clone that issued a request, and the index
    /// of the next link. Links of completed requests are used again.
    links: Vec<(u32, u32)>,
    free: Vec<u32>,
}

/// State of a fast hasher for keys of a few numbers, with which the map of requests in flight is made; no adversary
/// chooses these keys.
#[derive(Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The map takes its bits from both ends, and a product is best mixed in the middle and above.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

fn key(request: &HostRequest) -> RequestKey {
    (request.tag, request.op, request.offset, request.bytes)
}

impl Pending {
    /// Notes in the table of requests in flight that the fio job clone with number `worker` issued `request`, so that
    /// the completion is assigned to this clone.
    pub fn insert(&mut self, request: &HostRequest, worker: u32) {
        let link = self.free.pop().unwrap_or_else(|| {
            self.links.push((0, NONE));
            (self.links.len() - 1) as u32
        });
        self.links[link as usize] = (worker, NONE);
        match self.chains.entry(key(request)) {
            Entry::Vacant(chain) => {
                chain.insert((link, link));
            }
            Entry::Occupied(mut chain) => {
                let last = &mut chain.get_mut().1;
                self.links[*last as usize].1 = link;
                *last = link;
            }
        }
    }

    /// Returns the number of the fio job clone that issued the completed `request`, and removes the entry; of several
    /// clones that issued equal requests, the first.
    ///
    /// # Panics
    /// When no clone issued `request`.
    pub fn remove(&mut self, request: &HostRequest) -> u32 {
        let chain = self.chains.get_mut(&key(request)).expect("a request of this workload");
        let link = chain.0;
        let (worker, next) = self.links[link as usize];
        if next == NONE {
            self.chains.remove(&key(request));
        } else {
            chain.0 = next;
        }
        self.free.push(link);
        worker
    }
}
