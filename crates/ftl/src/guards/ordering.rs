//! Trading open superblocks between the streams of a die: what stands behind `ftl.program_order`.

use crate::program_order::{Maker, ProgramOrder};
use crate::store::HOST;

/// What the FTL keeps where a policy may trade.
pub(crate) struct Ordering {
    pub policy: Box<dyn ProgramOrder>,
    /// By the place of a program under way: the host's stream issued it.
    hosts: Vec<bool>,
}

impl Ordering {
    /// None where the policy never trades.
    pub fn new(maker: &Maker) -> Option<Box<Self>> {
        let policy = maker();
        (!policy.never()).then(|| Box::new(Self { policy, hosts: Vec::new() }))
    }

    /// A program is issued: remembers for which stream.
    pub fn note(&mut self, slot: u32, stream: usize) {
        let slot = slot as usize;
        if self.hosts.len() <= slot {
            self.hosts.resize(slot + 1, false);
        }
        self.hosts[slot] = stream == HOST;
    }

    /// True when the host's stream issued the program under way at this place.
    pub fn is_hosts(&self, slot: u32) -> bool {
        self.hosts[slot as usize]
    }
}
