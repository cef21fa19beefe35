//! The DRAM that holds what was read ahead: a ring, in which the newest takes the place of the oldest.

use crate::buffer::Index;
use controller::TransactionId;
use units::{Lpn, Ppa};

/// Record of an entry of the read-ahead area for one mapping unit that was read ahead, or is being read ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetched {
    pub lpn: Lpn,
    /// Physical address on flash from which the read-ahead fetches, or has fetched, the unit of this entry of the
    /// read-ahead area.
    pub ppa: Ppa,
    /// Number of the transaction that fetches the unit; none after the unit's data have reached the read-ahead area.
    pub by: Option<TransactionId>,
    /// True after the host has asked for the unit of this entry, which the read-ahead has fetched or is fetching.
    pub used: bool,
}

impl Fetched {
    const NOTHING: Self = Self { lpn: Lpn::NONE, ppa: Ppa::NONE, by: None, used: false };
}

pub(crate) struct Area {
    ring: Vec<Fetched>,
    next: u32,
    index: Index,
}

impl Area {
    pub fn new(units: u32) -> Self {
        Self { ring: vec![Fetched::NOTHING; units as usize], next: 0, index: Index::new(units) }
    }

    /// Returns the capacity of the read-ahead area: the number of its entries, each for one mapping unit, whether or
    /// not they are in use.
    pub fn units(&self) -> usize {
        self.ring.len()
    }

    /// Returns the index of the entry (place) for unit `lpn` in the read-ahead area, the DRAM for data that are read
    /// ahead of the host; none if the unit is not in it.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        self.index.find(lpn)
    }

    /// Returns the entry number `place` of the read-ahead area.
    pub fn at(&mut self, place: u32) -> &mut Fetched {
        &mut self.ring[place as usize]
    }

    /// Replaces the oldest entry of the read-ahead area by an entry for a unit that is about to be fetched. Returns the
    /// index of the entry, and true if the host never asked for the unit dropped for it; none if the oldest unit is
    /// still being fetched.
    pub fn insert(&mut self, lpn: Lpn, ppa: Ppa) -> Option<(u32, bool)> {
        let place = self.next;
        let old = self.ring[place as usize];
        if old.by.is_some() {
            return None;
        }
        let wasted = old.lpn != Lpn::NONE && !old.used;
        if old.lpn != Lpn::NONE {
            self.index.unlink(old.lpn);
        }
        self.ring[place as usize] = Fetched { lpn, ppa, by: None, used: false };
        self.index.link(lpn, place);
        self.next = (place + 1) % self.ring.len() as u32;
        Some((place, wasted))
    }

    /// Removes a unit from the read-ahead area. Returns true if it was there and no request had asked for it.
    pub fn remove(&mut self, lpn: Lpn) -> bool {
        let Some(place) = self.find(lpn) else { return false };
        self.index.unlink(lpn);
        !std::mem::replace(&mut self.ring[place as usize], Fetched::NOTHING).used
    }

    /// Removes all units from the read-ahead area, none of which is being fetched. Returns the number of removed units
    /// that no request had asked for.
    pub fn clear(&mut self) -> u64 {
        let held: Vec<Lpn> =
            self.ring.iter().map(|entry| entry.lpn).filter(|lpn| *lpn != Lpn::NONE).collect();
        held.into_iter().map(|lpn| u64::from(self.remove(lpn))).sum()
    }

    /// Returns the number of bytes of the simulator's memory that the read-ahead area takes.
    pub fn bytes(&self) -> usize {
        self.ring.len() * size_of::<Fetched>() + self.index.bytes()
    }
}
