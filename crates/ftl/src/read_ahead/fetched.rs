//! What was read ahead, at work: what the host finds of it, what is fetched next. For either kind of map.

use super::area::Area;
use super::{Maker, Stretch};
use crate::{FtlStats, Layout, Probe};
use controller::TransactionId;
use units::{Lpn, Ppa};

/// Kind of state in which a unit is in the read-ahead area when the host asks for the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Case of state: the unit is not in the read-ahead area.
    Absent,
    /// Case of state: the data of the unit are in the read-ahead area.
    There,
    /// Case of state: the unit is being fetched into the read-ahead area by this transaction, from this physical
    /// address.
    OnItsWay(TransactionId, Ppa),
}

/// Record of one flash read of the read-ahead: a page row (numbered over the drive), and a bit mask of its units that
/// are fetched together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetch {
    pub row: u32,
    pub mask: u64,
    /// Index, in the list `places` (indices of entries of the read-ahead area), of the first unit of this flash read.
    first: usize,
}

impl Fetch {
    fn places(self) -> std::ops::Range<usize> {
        self.first..self.first + self.mask.count_ones() as usize
    }
}

/// Set of counts of mapping units that follow from one decision of the read-ahead after a host read: units to read
/// ahead, and unused units dropped for them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Followed {
    /// Number of mapping units that are to be read ahead after this host read.
    pub units: u64,
    /// Number of units that were dropped from the read-ahead area for new ones before any request asked for them.
    pub wasted: u64,
}

/// State of the read-ahead of a drive: its policy, the read-ahead area (DRAM) with the data that were fetched, and the
/// flash reads decided on after the present host read.
pub(crate) struct ReadAheadState {
    policy: Box<dyn super::ReadAheadPolicy>,
    area: Area,
    /// List of the flash reads that the read-ahead makes after the present host read.
    fetches: Vec<Fetch>,
    /// List with an entry for each unit of all flash reads that the read-ahead makes after the present host read, in
    /// the order of the reads: the index of the unit's entry in the read-ahead area.
    places: Vec<u32>,
}

impl ReadAheadState {
    /// Makes the state of a drive's read-ahead, with an empty read-ahead area; none where the drive does not read
    /// ahead.
    pub fn new(maker: &Maker, layout: &Layout) -> Option<Box<Self>> {
        let mut policy = maker();
        let units = policy.area_units(layout.unit).ok().flatten()?;
        policy.attach(layout.unit);
        Some(Box::new(Self { policy, area: Area::new(units), fetches: Vec::new(), places: Vec::new() }))
    }

    /// Looks up a unit that the host reads in the read-ahead area, marks it as used, and returns whether its data are
    /// there or in flight.
    pub fn take<P: Probe>(&mut self, lpn: Lpn, stats: &mut FtlStats, probe: &mut P) -> Taken {
        let Some(place) = self.area.find(lpn) else { return Taken::Absent };
        let fetched = self.area.at(place);
        stats.units_read_ahead_used += u64::from(!std::mem::replace(&mut fetched.used, true));
        stats.units_read_fetched += 1;
        probe.on_fetched_read(lpn);
        fetched.by.map_or(Taken::There, |by| Taken::OnItsWay(by, fetched.ppa))
    }

    /// Removes the read-ahead data of a unit that was written, trimmed or returned to a former version.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn, stats: &mut FtlStats) {
        stats.units_read_ahead_wasted += u64::from(self.area.remove(lpn));
    }

    /// Removes all data from the read-ahead area of a drive with no flash operation in flight.
    pub fn forget_all(&mut self, stats: &mut FtlStats) {
        stats.units_read_ahead_wasted += self.area.clear();
    }

    /// Decides, after the host read `read.1` units from `read.0`, which flash reads to make ahead ([`Self::fetches`] of
    /// them); returns none if there are none. `home` returns the physical address of a unit that can be read; `limit`
    /// is the number of the host's units.
    pub fn follow<P: Probe>(
        &mut self,
        read: (Lpn, u32),
        limit: u32,
        row_units: u32,
        home: impl Fn(Lpn) -> Option<Ppa>,
        probe: &mut P,
    ) -> Option<Followed> {
        let Stretch { from, until } = self.policy.on_read(read.0, read.1)?;
        self.fetches.clear();
        self.places.clear();
        let mut followed = Followed::default();
        let mut lpn = from.0;
        while lpn < limit && self.places.len() < self.area.units() {
            let found = if self.area.find(Lpn(lpn)).is_none() { home(Lpn(lpn)) } else { None };
            let row = found.map(|ppa| (ppa.0 / u64::from(row_units)) as u32);
            let goes_on = row.is_some() && row == self.fetches.last().map(|fetch| fetch.row);
            // A page row that was begun is fetched as far as the sequence follows it.
            if lpn >= until.0 && !goes_on {
                break;
            }
            if let (Some(ppa), Some(row)) = (found, row) {
                let Some((place, wasted)) = self.area.insert(Lpn(lpn), ppa) else { break };
                followed.wasted += u64::from(wasted);
                followed.units += 1;
                probe.on_fetch(Lpn(lpn), ppa);
                let bit = 1 << (ppa.0 % u64::from(row_units));
                match self.fetches.last_mut() {
                    Some(last) if goes_on => last.mask |= bit,
                    _ => self.fetches.push(Fetch { row, mask: bit, first: self.places.len() }),
                }
                self.places.push(place);
            }
            lpn += 1;
        }
        self.policy.on_fetched(Lpn(lpn));
        (followed.units > 0).then_some(followed)
    }

    /// Returns how many flash reads the read-ahead decided to make at the last call of [`Self::follow`].
    pub fn fetches(&self) -> usize {
        self.fetches.len()
    }

    /// Returns one of the flash reads that the read-ahead decided to make at the last call of [`Self::follow`]: the
    /// read with index `at` in the list.
    pub fn fetch(&self, at: usize) -> Fetch {
        self.fetches[at]
    }

    /// Records, in the entries of the read-ahead area, that transaction `read` fetches the units of the flash read with
    /// index `at` in the read-ahead's list.
    pub fn note_fetch(&mut self, at: usize, read: TransactionId) {
        for index in self.fetches[at].places() {
            self.area.at(self.places[index]).by = Some(read);
        }
    }

    /// Removes the units of an uncorrectable read-ahead, the flash read with index `at` in the list, from the
    /// read-ahead area.
    pub fn drop_fetch(&mut self, at: usize, stats: &mut FtlStats) {
        for index in self.fetches[at].places() {
            let lpn = self.area.at(self.places[index]).lpn;
            self.forget(lpn, stats);
        }
    }

    /// Records that read-ahead transaction `read` has brought the data of a unit from `ppa` to the read-ahead area.
    /// Returns false if the unit was written meanwhile, so that its entry is gone or belongs to a newer read-ahead.
    pub fn settle(&mut self, lpn: Lpn, ppa: Ppa, read: TransactionId) -> bool {
        let Some(place) = self.area.find(lpn) else { return false };
        let fetched = self.area.at(place);
        let is_it = fetched.ppa == ppa && fetched.by == Some(read);
        if is_it {
            fetched.by = None;
        }
        is_it
    }

    /// Returns the number of bytes of the simulator's memory that the read-ahead takes.
    pub fn bytes(&self) -> usize {
        self.area.bytes()
    }
}
