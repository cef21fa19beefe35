//! How far out of order are the times of a trace: in requests, and in time?
//!
//! A request is as far out of order as it stands behind the first one with a later time: so many requests must be
//! held back to put it in its place. Only the latest times so far can be that first one, and of those the last
//! [`REMEMBERED`] are kept.

use std::collections::VecDeque;

/// Constant: greatest number of running maxima of the times in a trace (times later than all before them) that are
/// remembered; how many requests too late a request stands in the file can be found among these alone.
pub(crate) const REMEMBERED: usize = 1 << 18;

/// Record of the first request of a trace whose time lies before the time of an earlier request: its line, its time and
/// the latest time before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub line: u64,
    pub time_ns: u64,
    pub previous_ns: u64,
}

/// Record of the findings on how far the requests of a trace file are out of order of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disorder {
    /// Field of the findings: line and times of the first late request of the trace, whose time lies before the time of
    /// a request that precedes it in the file; none if all are in order.
    pub first: Option<First>,
    /// Field of the findings: number of late requests: requests whose time lies before the time of an earlier request
    /// of the file.
    pub requests: u64,
    /// Field of the findings: greatest number of requests by which a late request stands behind its place in order of
    /// time; `None` when the distance could not be found among the remembered times.
    pub reach: Option<u64>,
    /// Field of the findings: greatest time in nanoseconds by which a late request lies before the latest time that
    /// precedes it in the file.
    pub back_ns: u64,
}

/// Watcher of the times of a trace's requests, one after the other, that finds requests out of order of time.
pub(crate) struct DisorderWatch {
    found: Disorder,
    position: u64,
    latest_ns: u64,
    /// List of the running maxima of the times in the trace: each time that is later than all before it, with the
    /// number of its request, oldest first. The distance by which a late request is out of order is found among them.
    peaks: VecDeque<(u64, u64)>,
    forgot: bool,
}

impl DisorderWatch {
    /// Makes a watcher for requests out of order of time that has seen no request yet.
    pub fn new() -> Self {
        let found = Disorder { reach: Some(0), ..Disorder::default() };
        Self { found, position: 0, latest_ns: 0, peaks: VecDeque::new(), forgot: false }
    }

    /// Adds the time of the trace's next request, which stands in line `line`, to the search for requests out of order
    /// of time.
    #[inline]
    pub fn add(&mut self, time_ns: u64, line: u64) {
        if time_ns < self.latest_ns {
            self.late(time_ns, line);
        } else if time_ns > self.latest_ns || self.peaks.is_empty() {
            self.latest_ns = time_ns;
            if self.peaks.len() == REMEMBERED {
                self.peaks.pop_front();
                self.forgot = true;
            }
            self.peaks.push_back((time_ns, self.position));
        }
        self.position += 1;
    }

    #[cold]
    fn late(&mut self, time_ns: u64, line: u64) {
        let first = First { line, time_ns, previous_ns: self.latest_ns };
        self.found.first.get_or_insert(first);
        self.found.requests += 1;
        self.found.back_ns = self.found.back_ns.max(self.latest_ns - time_ns);
        let index = self.peaks.partition_point(|&(peak, _)| peak <= time_ns);
        if index == 0 && self.forgot {
            self.found.reach = None;
        }
        if let Some(reach) = &mut self.found.reach {
            *reach = (*reach).max(self.position - self.peaks[index].1);
        }
    }

    /// Returns the findings so far on requests out of order of time.
    pub fn found(&self) -> Disorder {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn watched(times: &[u64]) -> Disorder {
        let mut watch = DisorderWatch::new();
        times.iter().zip(1..).for_each(|(&time, line)| watch.add(time, line));
        watch.found()
    }

    #[test]
    fn a_late_request_counts_from_the_first_later_one() {
        assert_eq!(watched(&[0, 0, 1, 1, 5]), Disorder { reach: Some(0), ..Disorder::default() });
        let found = watched(&[10, 30, 20, 40, 25]);
        let first = Some(First { line: 3, time_ns: 20, previous_ns: 30 });
        // 25 stands three places behind 30, which is later.
        assert_eq!(found, Disorder { first, requests: 2, reach: Some(3), back_ns: 15 });
    }

    proptest! {
        #[test]
        fn the_reach_is_what_a_plain_search_finds(times in prop::collection::vec(0u64..50, 0..200)) {
            let plain = (0..times.len())
                .map(|i| (0..i).find(|&j| times[j] > times[i]).map_or(0, |j| (i - j) as u64))
                .max();
            prop_assert_eq!(watched(&times).reach, Some(plain.unwrap_or(0)));
        }
    }
}
