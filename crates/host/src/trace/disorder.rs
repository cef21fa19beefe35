//! How far out of order are the times of a trace: in requests, and in time?
//!
//! A request is as far out of order as it stands behind the first one with a later time: so many requests must be
//! held back to put it in its place. Only the latest times so far can be that first one, and of those the last
//! [`REMEMBERED`] are kept.

use std::collections::VecDeque;

/// Number of latest times that are kept: how far out of place a late request is can be told up to this number.
pub(crate) const REMEMBERED: usize = 1 << 18;

/// A request that is earlier than one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub line: u64,
    pub time_ns: u64,
    pub previous_ns: u64,
}

/// What the times of a trace were like, in the order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disorder {
    /// The first request that came too late.
    pub first: Option<First>,
    /// Number of late requests.
    pub requests: u64,
    /// The most requests by which one is behind its place; `None` when it is more than are remembered.
    pub reach: Option<u64>,
    /// The longest time by which a request is earlier than the latest one before it, nanoseconds.
    pub back_ns: u64,
}

/// Watches the times go by.
pub(crate) struct DisorderWatch {
    found: Disorder,
    position: u64,
    latest_ns: u64,
    /// Times later than all before, and where; the oldest first.
    peaks: VecDeque<(u64, u64)>,
    forgot: bool,
}

impl DisorderWatch {
    /// Nothing seen yet.
    pub fn new() -> Self {
        let found = Disorder { reach: Some(0), ..Disorder::default() };
        Self { found, position: 0, latest_ns: 0, peaks: VecDeque::new(), forgot: false }
    }

    /// Takes the next request into account.
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

    /// Returns the disorder of the requests found so far.
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
