//! The requests themselves, one after the other, in constant time and memory.
//!
//! A request draws its kind, its character, its size, and whether it meets its record for the first time or again.
//! The share of first meetings is the same from the beginning to the end, so that a part of a run reuses addresses
//! as much as the whole. Among records met before, the one met first is the most popular, by Zipf's law.
//!
//! Not modelled: requests that overlap without being equal or that begin inside a page, changes of mix or popularity
//! with the hour, runs of reads or of writes to an interleaved record (each access draws its kind anew), sizes
//! other than 4 to 64 KiB, reads and writes of different mean sizes.

use super::arrivals::VolumeArrivals;
use super::layout::{RecordGroup, SIZES, VolumeLayout};
use super::parameters::Parameters;
use crate::fio::Zipf;
use crate::{Effect, Op};
use engine::{Permutation, RandomStream};

/// Constant: length in bytes of a stretch of a synthetic volume's addresses. Records first accessed one after the other
/// lie side by side within a stretch, and stretches are scattered over the group of records.
const STRETCH: u64 = 4 << 20;

/// Record of one request of a synthetic volume, with its arrival time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeRequest {
    /// Arrival time of the synthetic volume's request, in nanoseconds after the first request.
    pub after_first_ns: u64,
    /// Operation of the synthetic volume's request: a read or a write.
    pub op: Op,
    /// Byte offset in the synthetic volume at which the request begins, a multiple of 4 KiB.
    pub offset: u64,
    /// Length of the synthetic volume's request, in bytes.
    pub bytes: u32,
}

/// State of a group of records (address ranges of one size and one kind of access) of a synthetic volume, with the
/// number of its records that requests have accessed so far.
struct GroupState {
    cell: RecordGroup,
    /// Number of records of this group of a synthetic volume that were accessed so far; records are numbered in the
    /// order of their first access.
    met: u64,
    stretches: Permutation,
}

impl GroupState {
    fn new(cell: RecordGroup, random: &mut RandomStream) -> Self {
        let whole = cell.records / (STRETCH / cell.size);
        Self { cell, met: 0, stretches: Permutation::draw(whole.max(1), random) }
    }

    /// Returns the byte offset in the synthetic volume of record number `number` of this group; records are numbered in
    /// the order of their first access.
    fn offset(&self, number: u64) -> u64 {
        let each = STRETCH / self.cell.size;
        let (stretch, within) = (number / each, number % each);
        let whole = self.cell.records / each;
        let stretch = if stretch < whole { self.stretches.at(stretch) } else { stretch };
        self.cell.base + (stretch * each + within) * self.cell.size
    }

    /// Returns true if this group of a synthetic volume has a record with the next higher number, `number` + 1, and if
    /// that record begins at the byte at which record `number` ends, so that a sequential request can follow.
    fn continues(&self, number: u64) -> bool {
        number + 1 < self.cell.records && !(number + 1).is_multiple_of(STRETCH / self.cell.size)
    }
}

/// Generator of the requests of a synthetic volume (a random workload modelled on published statistics of a traced
/// volume), one after the other.
pub struct VolumeRequests {
    parameters: Parameters,
    states: Vec<GroupState>,
    sizes: [f64; 5],
    random: RandomStream,
    arrivals: VolumeArrivals,
    made: u64,
    /// Field of the generator: last request of the synthetic volume, by its operation, the index of the record group,
    /// and the number of the record in the group; none before the first request.
    last: Option<(Op, usize, u64)>,
}

impl VolumeRequests {
    /// Makes a generator of the requests of a synthetic volume (a random workload modelled on the published statistics
    /// of a traced volume), which begins with the first request.
    pub(super) fn new(parameters: Parameters, layout: &VolumeLayout, seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "host.volume");
        let states = layout.cells.iter().map(|cell| GroupState::new(*cell, &mut random)).collect();
        let arrivals = VolumeArrivals::new(&parameters, RandomStream::new(seed, "host.volume.arrivals"));
        Self { parameters, states, sizes: layout.sizes, random, arrivals, made: 0, last: None }
    }

    /// Draws the random numbers of the generator of a synthetic volume's requests anew from `seed`, for repetition
    /// number `pass` where the volume is played several times in a row, as for preconditioning: records stay at their
    /// addresses.
    pub(super) fn draw_anew(&mut self, seed: u64, pass: u32) {
        self.random = RandomStream::new(seed, &format!("host.volume.pass.{pass}"));
        self.arrivals.draw_anew(RandomStream::new(seed, &format!("host.volume.arrivals.pass.{pass}")));
    }

    /// Returns the parameters of the synthetic volume.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Chooses the operation, the index of the record group and the number of the record for the next request of the
    /// synthetic volume.
    fn choose(&mut self) -> (Op, usize, u64) {
        let due = self.arrivals.kind();
        if let Some((op, index, number)) = self.last
            && due.is_none_or(|due| due == op)
            && self.random.chance(self.parameters.sequential)
            && self.states[index].continues(number)
        {
            let state = &mut self.states[index];
            state.met = state.met.max(number + 2);
            return (op, index, number + 1);
        }
        let is_read =
            due.map_or_else(|| self.random.chance(self.parameters.reads), |due| due.effect() == Effect::Read);
        let (op, kind) = if is_read { (Op::READ, 0) } else { (Op::WRITE, 1) };
        let mixed = self.random.chance(self.parameters.interleaved[kind]);
        let character = if mixed { 2 } else { kind };
        let index = character * SIZES.len() + self.size();
        let state = &mut self.states[index];
        // What is left to meet over the requests still to come here: the same from the beginning to the end, and
        // chance cannot leave records over.
        let to_come = (self.parameters.requests - self.made) as f64 * state.cell.share;
        let first = self.random.chance((state.cell.records - state.met) as f64 / to_come);
        if first || state.met == 0 {
            state.met += 1;
            return (op, index, state.met - 1);
        }
        let zipf = Zipf::new(state.met, self.parameters.skew);
        (op, index, zipf.draw(&mut self.random) - 1)
    }

    fn size(&mut self) -> usize {
        let mut left = self.random.unit();
        for (index, probability) in self.sizes.iter().enumerate() {
            left -= probability;
            if left < 0.0 {
                return index;
            }
        }
        // Rounding may leave a little of the whole; it belongs to the likeliest size, which surely has a record.
        (0..SIZES.len()).max_by(|&a, &b| self.sizes[a].total_cmp(&self.sizes[b])).expect("there are sizes")
    }
}

impl Iterator for VolumeRequests {
    type Item = VolumeRequest;

    fn next(&mut self) -> Option<VolumeRequest> {
        if self.made == self.parameters.requests {
            return None;
        }
        let (op, index, number) = self.choose();
        self.last = Some((op, index, number));
        let after_first_ns = self.arrivals.next_ns();
        self.made += 1;
        let state = &self.states[index];
        let bytes = state.cell.size as u32;
        Some(VolumeRequest { after_first_ns, op, offset: state.offset(number), bytes })
    }
}
