//! Who made a request, where several clones share a tag.

use crate::{HostRequest, Op};
use std::collections::HashMap;

const NONE: u32 = u32::MAX;

/// The clones behind the outstanding requests of shared tags: a chain for each kind and place on the drive.
#[derive(Debug, Default)]
pub struct Pending {
    // Only looked up, never walked through: its order decides nothing.
    heads: HashMap<(u16, Op, u64, u32), u32>,
    /// Clone and next link; links are used again.
    links: Vec<(u32, u32)>,
    free: Vec<u32>,
}

fn key(request: &HostRequest) -> (u16, Op, u64, u32) {
    (request.tag, request.op, request.offset, request.bytes)
}

impl Pending {
    /// Notes that `worker` made `request`.
    pub fn insert(&mut self, request: &HostRequest, worker: u32) {
        let link = self.free.pop().unwrap_or_else(|| {
            self.links.push((0, NONE));
            (self.links.len() - 1) as u32
        });
        let before = self.heads.insert(key(request), link);
        self.links[link as usize] = (worker, before.unwrap_or(NONE));
    }

    /// The clone that made `request`; of several that made the same, the last.
    ///
    /// # Panics
    /// When none did.
    pub fn remove(&mut self, request: &HostRequest) -> u32 {
        let link = self.heads.remove(&key(request)).expect("a request of this workload");
        let (worker, before) = self.links[link as usize];
        if before != NONE {
            self.heads.insert(key(request), before);
        }
        self.free.push(link);
        worker
    }
}
