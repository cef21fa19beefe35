//! Trading open superblocks between the streams of a die: what stands behind `ftl.program_order`.

use super::Core;
use crate::program_order::{Maker, OrderView, ProgramOrder};
use crate::store::NONE;
use crate::streams::{ByOrigin, Takes};
use units::Nanos;

/// State of the program-order policy, which may exchange the open superblocks of the host's stream and the stream of
/// moved (relocated) data on a die.
pub(crate) struct Ordering {
    pub policy: Box<dyn ProgramOrder>,
    /// For each program in flight, by its slot (index) in the FTL's table of programs in flight: true if the host's
    /// stream issued the program.
    hosts: Vec<bool>,
}

impl Ordering {
    /// Makes the state of the program-order policy; `None` if the policy never exchanges a die's two open superblocks,
    /// one for host data and one for moved (relocated) data.
    pub fn new(maker: &Maker) -> Option<Box<Self>> {
        let policy = maker();
        (!policy.never()).then(|| Box::new(Self { policy, hosts: Vec::new() }))
    }

    /// Records, for a program that is being issued and has slot `slot` in the FTL's table of programs in flight,
    /// whether the program is of the host's stream.
    pub fn note(&mut self, slot: u32, of: Takes) {
        let slot = slot as usize;
        if self.hosts.len() <= slot {
            self.hosts.resize(slot + 1, false);
        }
        self.hosts[slot] = of == Takes::Host;
    }

    /// Returns true if the host's stream issued the program in slot `slot` of the FTL's table of programs in flight.
    pub fn is_hosts(&self, slot: u32) -> bool {
        self.hosts[slot as usize]
    }
}

impl Core {
    /// Exchanges the open superblocks of the host's stream and the stream of moved (relocated) data on a die before
    /// `stream` begins a program, if the program-order policy wants that and garbage collection keeps the free space
    /// that it needs.
    #[inline]
    pub fn order(&mut self, die: usize, stream: usize) {
        if self.assembly.ordering.is_some() {
            self.trade(die, stream);
        }
    }

    pub fn trade(&mut self, die: usize, stream: usize) {
        let Some(ByOrigin { host, moved }) = self.assembly.streams.by_origin() else { return };
        let frontiers = &self.store.space.dies[die].frontiers;
        if [host, moved]
            .map(|stream| frontiers[stream])
            .iter()
            .any(|frontier| frontier.superblock == NONE || frontier.filled > 0)
        {
            return;
        }
        // What is being moved right now is counted in no reserve: up to a row more.
        let left = frontiers[host].left(&self.store.layout).saturating_sub(self.store.layout.row_units);
        if !self.keeps_room(die, left, self.free_superblocks(die)) {
            return;
        }
        let [hosts, movings] = [host, moved].map(|stream| self.next_program_time(die, stream));
        let is_moved = stream == moved;
        let (own, other) = if is_moved { (movings, hosts) } else { (hosts, movings) };
        let ordering = self.assembly.ordering.as_mut().expect("asked where there is one");
        if ordering.policy.trades(&OrderView { moved: is_moved, own, other }) {
            self.store.stats.superblocks_traded += 1;
            self.store.space.trade(die, (host, moved));
        }
    }

    fn next_program_time(&self, die: usize, stream: usize) -> Nanos {
        let frontier = &self.store.space.dies[die].frontiers[stream];
        let wear = self.store.controller.wear_row(|| self.store.array.worn(die as u32, frontier.superblock));
        self.store.controller.t_prog(frontier.next_unit / self.store.layout.row_units, wear, 0)
    }
}
