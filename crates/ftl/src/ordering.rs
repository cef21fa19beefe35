//! Trading open superblocks between the streams of a die: what stands behind `ftl.program_order`.

use crate::PageMapped;
use crate::pages::{HOST, MOVED};
use crate::program_order::{Maker, OrderView, ProgramOrder};
use crate::space::NONE;
use units::Nanos;

/// What the FTL keeps where a policy may trade.
pub(crate) struct Ordering {
    policy: Box<dyn ProgramOrder>,
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
    pub fn note(&mut self, slot: u32, host: bool) {
        let slot = slot as usize;
        if self.hosts.len() <= slot {
            self.hosts.resize(slot + 1, false);
        }
        self.hosts[slot] = host;
    }

    /// True when the host's stream issued the program under way at this place.
    pub fn is_hosts(&self, slot: u32) -> bool {
        self.hosts[slot as usize]
    }
}

impl PageMapped {
    /// Lets the two streams of a die trade their open superblocks before `stream` begins a program, if the policy wants
    /// that and garbage collection keeps the room it counts on.
    #[inline]
    pub(crate) fn order(&mut self, die: usize, stream: usize) {
        if self.ordering.is_some() {
            self.trade(die, stream);
        }
    }

    fn trade(&mut self, die: usize, stream: usize) {
        let frontiers = &self.space.dies[die].frontiers;
        if [HOST, MOVED]
            .map(|stream| frontiers[stream])
            .iter()
            .any(|frontier| frontier.superblock == NONE || frontier.filled > 0)
        {
            return;
        }
        // What is being moved right now is counted in nobody's reserve: up to a row more.
        let left = frontiers[HOST].left(&self.layout).saturating_sub(self.layout.row_units);
        if !self.keeps_room(die, left, self.free_superblocks(die)) {
            return;
        }
        let [host, moving] = [HOST, MOVED].map(|stream| self.next_program_time(die, stream));
        let moved = stream == MOVED;
        let (own, other) = if moved { (moving, host) } else { (host, moving) };
        let ordering = self.ordering.as_mut().expect("asked where there is one");
        if ordering.policy.trades(&OrderView { moved, own, other }) {
            self.stats.superblocks_traded += 1;
            self.space.dies[die].frontiers.swap(HOST, MOVED);
        }
    }

    fn next_program_time(&self, die: usize, stream: usize) -> Nanos {
        let frontier = &self.space.dies[die].frontiers[stream];
        let wear = self.controller.wear_row(|| self.array.worn(die as u32, frontier.superblock));
        self.controller.t_prog(frontier.next_unit / self.layout.row_units, wear, 0)
    }
}
