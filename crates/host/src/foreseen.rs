//! A workload whose writes are known to live so long: a copy of it was run through before, without time.
//!
//! Each write is told apart by where it begins: the first to a page, the second, and so on. So it does not matter how the
//! requests of several jobs mix, as long as each address is written by one of them. What a write's first page lives counts
//! for the whole of it, in bytes that the host writes until that page is written over or trimmed. The lives are parted into
//! classes, as many as the drive has handles, so that those of a class differ least (in squares, by bytes; all beyond four drives alike):
//! what is neither written over nor trimmed before the end is in the last.
//!
//! The copy is answered in order, a nanosecond for each byte. Of workloads with a rate or a time of their own it therefore
//! ends earlier or later than the run: writes that the copy did not make are in the last class.

use crate::trace::footprint::{MixMap, PAGE};
use crate::{Background, Completion, Effect, Extent, HostRequest, Poll, Telling, Workload, WorkloadError};
use crate::{HostSpace, WorkloadReport};
use std::collections::VecDeque;
use units::{Nanos, SimTime};

/// Constant: greatest number of writes that the trial run of a workload records to calculate the lifetimes of their
/// data; later writes get the class of the longest lifetimes.
const WRITES_MOST: usize = 1 << 25;
/// Constant: number of histogram bins per drive capacity: the lifetime of data is counted in bytes that the workload
/// writes, and each bin is 1/64 of the drive's capacity.
const BINS_PER_DRIVE: u64 = 64;
/// Constant: number of all bins of the histogram of lifetimes of data; the last bin takes all longer lifetimes.
const BINS: usize = 256;
/// Constant: value, in tables that link the writes of the trial run by number, that stands for no further write.
const NONE: u32 = u32::MAX;

/// Workload that plays the workload `inner` and gives for each of its writes the lifetime class of the data (how much
/// is written until they are overwritten or trimmed), known from a trial run of an identical workload without simulated
/// flash.
pub struct Foreseen {
    inner: Box<dyn Workload>,
    lives: Lives,
    life: Option<u16>,
}

impl Foreseen {
    /// Makes the workload `inner` with lifetime classes, as many as placement handles, at least one: runs through
    /// `copy`, an identical workload, with a rough time for each request, to learn how many bytes are written until the
    /// first 4 KiB page of each write is overwritten or trimmed. `space` is the address space of the drive.
    ///
    /// # Errors
    /// When the copy of the workload fails.
    pub fn new(
        inner: Box<dyn Workload>,
        copy: Box<dyn Workload>,
        space: &HostSpace,
    ) -> Result<Self, WorkloadError> {
        let classes = space.handles.max(1);
        Ok(Self { inner, lives: CopySeen::through(copy)?.lives(classes, space.bytes), life: None })
    }
}

/// Record of a trial run of the workload, from which the lifetimes of data are calculated: all writes, and the writes
/// whose first 4 KiB page still has valid data.
#[derive(Default)]
struct CopySeen {
    /// List of the writes of the trial run in order, each with its first page (4 KiB), its length in bytes, the bytes
    /// that the workload wrote before, and the bytes that it wrote until the first page was overwritten or trimmed
    /// (none if it never was).
    writes: Vec<WriteSeen>,
    /// Map from a 4 KiB page at which a write of the trial run begins to the number of that write, while the page is
    /// neither overwritten nor trimmed; from it the lifetimes of the data are found.
    living: MixMap<u64, u32>,
    written: u64,
}

struct WriteSeen {
    page: u64,
    bytes: u32,
    born: u64,
    lived: Option<u64>,
}

impl CopySeen {
    fn through(mut copy: Box<dyn Workload>) -> Result<Self, WorkloadError> {
        let (mut found, mut now, mut free) = (Self::default(), SimTime::ZERO, SimTime::ZERO);
        let mut outstanding = VecDeque::<(HostRequest, SimTime)>::new();
        while found.writes.len() < WRITES_MOST {
            let due = match copy.poll(now)? {
                Poll::Ready(request) => {
                    found.note(&request);
                    free = free.max(now) + Nanos::new(u64::from(request.bytes).max(1));
                    outstanding.push_back((request, free));
                    continue;
                }
                Poll::At(time) => match outstanding.front() {
                    Some((_, due)) if *due <= time => outstanding.pop_front(),
                    _ => {
                        now = time;
                        continue;
                    }
                },
                Poll::Blocked | Poll::Done => outstanding.pop_front(),
            };
            // A source that waits for what never comes is refused when it is run.
            let Some((request, due)) = due else { break };
            now = now.max(due);
            copy.complete(&request, &Completion::success(now));
        }
        Ok(found)
    }

    fn note(&mut self, request: &HostRequest) {
        let (begin, end) = (request.offset, request.offset + u64::from(request.bytes));
        match request.op.effect() {
            Effect::Write => {
                self.die(begin / PAGE..end.div_ceil(PAGE));
                let number = self.writes.len() as u32;
                let page = begin / PAGE;
                self.writes.push(WriteSeen { page, bytes: request.bytes, born: self.written, lived: None });
                self.living.insert(page, number);
                self.written += u64::from(request.bytes);
            }
            Effect::Trim => self.die(begin.div_ceil(PAGE)..end / PAGE),
            Effect::Read | Effect::Flush | Effect::Manage => {}
        }
    }

    fn die(&mut self, pages: std::ops::Range<u64>) {
        for page in pages {
            if let Some(number) = self.living.remove(&page) {
                let write = &mut self.writes[number as usize];
                write.lived = Some(self.written - write.born);
            }
        }
    }

    fn lives(self, classes: u16, drive_bytes: u64) -> Lives {
        let width = (drive_bytes / BINS_PER_DRIVE).max(1);
        let bin = |lived: u64| ((lived / width) as usize).min(BINS - 1);
        let mut weights = vec![0u64; BINS];
        for write in &self.writes {
            if let Some(lived) = write.lived {
                weights[bin(lived)] += u64::from(write.bytes);
            }
        }
        let class_of = parted(&weights, classes);
        let mut first = MixMap::default();
        let mut next = vec![NONE; self.writes.len()];
        for (number, write) in self.writes.iter().enumerate().rev() {
            next[number] = first.insert(write.page, number as u32).unwrap_or(NONE);
        }
        let class = |write: &WriteSeen| write.lived.map_or(classes - 1, |lived| class_of[bin(lived)]);
        Lives { classes: self.writes.iter().map(class).collect(), first, next, last: classes - 1 }
    }
}

/// Divides the histogram bins of data lifetimes from the trial run of a workload into at most `classes` contiguous
/// lifetime classes that minimise the sum of squared distances of bins from the mean of their class, weighted with the
/// bytes in each bin. Returns the class of each bin, 0 for an empty bin.
fn parted(weights: &[u64], classes: u16) -> Vec<u16> {
    let used: Vec<usize> = (0..weights.len()).filter(|&bin| weights[bin] > 0).collect();
    let mut sums = vec![[0.0f64; 3]];
    for &bin in &used {
        let (weight, at) = (weights[bin] as f64, bin as f64);
        let [mass, first, second] = sums[sums.len() - 1];
        sums.push([mass + weight, first + weight * at, second + weight * at * at]);
    }
    let spread = |from: usize, to: usize| {
        let [mass, first, second] = std::array::from_fn(|power| sums[to][power] - sums[from][power]);
        (second - first * first / mass).max(0.0)
    };
    let count = usize::from(classes).min(used.len());
    // The least sum for the bins up to each, in one class, in two, and where the last class begins.
    let mut best: Vec<f64> = (0..=used.len()).map(|to| if to == 0 { 0.0 } else { spread(0, to) }).collect();
    let mut begins = Vec::new();
    for class in 1..count {
        let mut begin = vec![0; used.len() + 1];
        let mut least = vec![f64::INFINITY; used.len() + 1];
        for to in class + 1..=used.len() {
            for (from, before) in best.iter().enumerate().take(to).skip(class) {
                let sum = before + spread(from, to);
                if sum < least[to] {
                    (least[to], begin[to]) = (sum, from);
                }
            }
        }
        best = least;
        begins.push(begin);
    }
    let mut class_of = vec![0; weights.len()];
    let mut to = used.len();
    for class in (0..count).rev() {
        let from = class.checked_sub(1).map_or(0, |before| begins[before][to]);
        used[from..to].iter().for_each(|&bin| class_of[bin] = class as u16);
        to = from;
    }
    class_of
}

/// Table of the lifetime classes of the data of the writes that the workload is still to make, found by the 4 KiB page
/// at which a write begins.
struct Lives {
    classes: Vec<u16>,
    /// Map from each 4 KiB page to the number of the next write of the workload that begins there, by which the write's
    /// lifetime class is found.
    first: MixMap<u64, u32>,
    /// List, by number of the workload's write, of the number of the following write that begins at the same 4 KiB
    /// page; `NONE` for the last one.
    next: Vec<u32>,
    last: u16,
}

impl Lives {
    fn take(&mut self, request: &HostRequest) -> u16 {
        let Some(number) = self.first.get_mut(&(request.offset / PAGE)) else { return self.last };
        if *number == NONE {
            return self.last;
        }
        let class = self.classes[*number as usize];
        *number = self.next[*number as usize];
        class
    }
}

impl Workload for Foreseen {
    fn lay_out(&mut self, count: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        self.inner.lay_out(count, name)
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let found = self.inner.poll(now)?;
        if let Poll::Ready(request) = &found {
            self.life = (request.op.effect() == Effect::Write).then(|| self.lives.take(request));
        }
        Ok(found)
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        self.inner.complete(request, completion);
    }

    fn is_open_loop(&self) -> bool {
        self.inner.is_open_loop()
    }

    fn number(&self) -> Option<u64> {
        self.inner.number()
    }

    fn background(&self) -> Background {
        Background { life: self.life, ..self.inner.background() }
    }

    fn tells(&self, what: Telling) -> bool {
        what == Telling::Lives || self.inner.tells(what)
    }

    fn in_ramp(&self, now: SimTime) -> bool {
        self.inner.in_ramp(now)
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(now)
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    fn watched(steps: &[(Op, u64, u32)]) -> CopySeen {
        let mut found = CopySeen::default();
        for &(op, page, pages) in steps {
            found.note(&HostRequest::plain(SimTime::ZERO, op, page * PAGE, pages * PAGE as u32));
        }
        found
    }

    #[test]
    fn a_life_ends_where_its_first_page_is_written_over_or_trimmed() {
        let steps =
            [(Op::WRITE, 0, 2), (Op::WRITE, 1, 1), (Op::WRITE, 5, 1), (Op::WRITE, 0, 1), (Op::TRIM, 5, 1)];
        let found = watched(&steps);
        let lives: Vec<_> = found.writes.iter().map(|write| write.lived.map(|lived| lived / PAGE)).collect();
        assert_eq!(lives, [Some(4), None, Some(2), None]);
    }

    #[test]
    fn each_write_to_a_page_has_its_own_class() {
        // Page 0 is written over at once, then after a long time; page 9 never.
        let mut steps = vec![(Op::WRITE, 0, 1), (Op::WRITE, 0, 1), (Op::WRITE, 9, 1)];
        steps.extend((100..200).map(|page| (Op::WRITE, page, 1)));
        steps.push((Op::WRITE, 0, 1));
        let mut lives = watched(&steps).lives(3, 64 * PAGE);
        let mut ask =
            |page: u64| lives.take(&HostRequest::plain(SimTime::ZERO, Op::WRITE, page * PAGE, 4096));
        assert_eq!([ask(0), ask(9), ask(0), ask(0), ask(0), ask(7)], [0, 2, 1, 2, 2, 2]);
    }

    #[test]
    fn bins_are_parted_where_they_lie_apart() {
        assert_eq!(parted(&[5, 5, 0, 0, 0, 9, 0, 0, 1, 1], 3), [0, 0, 0, 0, 0, 1, 0, 0, 2, 2]);
        assert_eq!(parted(&[5, 5, 0, 0, 0, 9], 1), [0; 6]);
        assert_eq!(parted(&[0, 0, 3], 8), [0, 0, 0]);
        assert_eq!(parted(&[0, 0], 2), [0, 0]);
        assert_eq!(parted(&[4, 4, 4, 4], 2), [0, 0, 1, 1]);
    }
}
