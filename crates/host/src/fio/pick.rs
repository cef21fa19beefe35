//! Which of a clone's files the next request goes to.

use super::distribution::{Distribution, Sampler};
use super::job::JobSpec;
use super::value;
use engine::RandomStream;
use std::collections::BTreeSet;

/// Record of the parsed value of the fio option `file_service_type`: the order in which the files of a job get
/// requests, and how many requests each file gets in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Setting of a fio job, from `file_service_type`: kind of order in which the job's files get requests.
    pub order: FileOrder,
    /// Number of successive requests of the fio job that go to one file.
    pub in_a_row: u64,
}

impl Default for Service {
    fn default() -> Self {
        Self { order: FileOrder::RoundRobin, in_a_row: 1 }
    }
}

/// Kind of order in which the files of a fio job get requests.
#[derive(Clone, Debug, PartialEq)]
pub enum FileOrder {
    /// Case of order of files: the files of the fio job get requests in turn, over and over.
    RoundRobin,
    /// Case of order of files: one file of the fio job gets all requests until it is done, then the next file.
    Sequential,
    /// Case of order of files: each request of the fio job goes to a file drawn at random, all equally likely.
    Random,
    /// Case of order of files: each request of the fio job goes to a file drawn from this distribution, the first files
    /// the most often; no file is ever done then.
    Weighted(Distribution),
}

impl Service {
    /// Parses the value of the fio option `file_service_type`, such as `roundrobin`, `random:8` or `zipf:1.2`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "roundrobin, random or sequential, each with :REQUESTS if so wished, zipf:THETA, pareto:H or normal:PERCENT";
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let order = match name {
            "roundrobin" => FileOrder::RoundRobin,
            "sequential" => FileOrder::Sequential,
            "random" => FileOrder::Random,
            "zipf" | "pareto" | "normal" | "gauss" => {
                let text = text.replacen("gauss", "normal", 1);
                return Ok(Self {
                    order: FileOrder::Weighted(Distribution::parse(&text, 1024)?),
                    in_a_row: 1,
                });
            }
            _ => return Err(EXPECTED),
        };
        let in_a_row = rest.map_or(Ok(1), |rest| value::count(rest, 1024)).map_err(|_| EXPECTED)?;
        // In fio 0 is one less than none, which is a large number.
        Ok(Self { order, in_a_row: if in_a_row == 0 { u64::MAX } else { in_a_row } })
    }
}

/// Constant: binary logarithm of the number of popularity ranks per file where a distribution selects the file of each
/// request: as in fio, the distribution is over 1024 ranks for each file, which makes the first file far more popular
/// than one rank per file would.
const RANKS_SHIFT: u32 = 10;

/// Chooser of the file that each request of a fio job clone goes to. As in fio, requests go to at most `openfiles`
/// files until one of these has no more requests in the pass over the files.
#[derive(Clone, Debug)]
pub struct Picker {
    order: FileOrder,
    sampler: Option<Sampler>,
    files: u32,
    in_a_row: u64,
    most_open: usize,
    undone: BTreeSet<u32>,
    open: BTreeSet<u32>,
    next: u32,
    current: u32,
    left: u64,
}

impl Picker {
    /// Makes a chooser among the `files` files of a fio job clone, of which requests go to at most `most_open` at a
    /// time (all if none or 0).
    pub fn new(service: &Service, files: usize, most_open: Option<u64>) -> Self {
        let sampler = match &service.order {
            // A weighted order is by number, not scattered, as in fio.
            FileOrder::Weighted(distribution) if files > 1 => {
                Sampler::in_order(distribution, (files as u64) << RANKS_SHIFT)
            }
            _ => None,
        };
        let files = files as u32;
        let mut picker = Self {
            order: service.order.clone(),
            sampler,
            files,
            in_a_row: service.in_a_row,
            most_open: most_open.filter(|most| *most > 0).unwrap_or(u64::MAX).min(u64::from(files)) as usize,
            undone: BTreeSet::new(),
            open: BTreeSet::new(),
            next: 0,
            current: 0,
            left: 0,
        };
        picker.restart();
        picker
    }

    /// Makes all files of a fio job clone available for requests again, as at the beginning of a pass over the files.
    pub fn restart(&mut self) {
        self.undone = (0..self.files).collect();
        self.open.clear();
        (self.next, self.current, self.left) = (0, 0, 0);
    }

    /// Returns the index of the file that the next request of a fio job clone goes to; `None` when all files are done
    /// in this pass.
    #[inline]
    pub fn pick(&mut self, random: &mut RandomStream) -> Option<u32> {
        if self.files == 1 {
            return (!self.undone.is_empty()).then_some(0);
        }
        self.pick_of_several(random)
    }

    fn pick_of_several(&mut self, random: &mut RandomStream) -> Option<u32> {
        if self.undone.is_empty() {
            return None;
        }
        if self.open.contains(&self.current) && (self.order == FileOrder::Sequential || self.left > 0) {
            self.left = self.left.saturating_sub(1);
            return Some(self.current);
        }
        let file = match self.order {
            FileOrder::RoundRobin | FileOrder::Sequential => self.following(),
            _ => loop {
                let file = match &self.sampler {
                    Some(sampler) => (sampler.draw(random) >> RANKS_SHIFT) as u32,
                    None => random.below(u64::from(self.files)) as u32,
                };
                if self.may_serve(file) {
                    break file;
                }
            },
        };
        self.open.insert(file);
        (self.current, self.left) = (file, self.in_a_row - 1);
        Some(file)
    }

    fn may_serve(&self, file: u32) -> bool {
        self.open.contains(&file) || (self.open.len() < self.most_open && self.undone.contains(&file))
    }

    /// Returns the index of the next file in turn, among the files of a fio job clone, that gets requests already, or
    /// may now get them (`openfiles` limits how many files do at a time).
    fn following(&mut self) -> u32 {
        let files = if self.open.len() < self.most_open { &self.undone } else { &self.open };
        let file = files.range(self.next..).next().or_else(|| files.first()).copied().unwrap_or(0);
        self.next = (file + 1) % self.files;
        file
    }

    /// Returns true if a file of `job` that has no further requests begins a new pass of its own at once, instead of
    /// being done until all files of the clone begin again.
    pub fn starts_over(job: &JobSpec) -> bool {
        matches!(job.service.order, FileOrder::Weighted(_)) || (job.random && job.time_based)
    }

    /// Marks `file` of a fio job clone as done: it has no more requests in the present pass over the clone's files.
    pub fn done(&mut self, file: u32) {
        self.undone.remove(&file);
        self.open.remove(&file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(text: &str, most_open: Option<u64>, each: usize) -> Vec<u32> {
        let mut random = RandomStream::new(1, "test");
        let mut picker = Picker::new(&Service::parse(text).unwrap(), 4, most_open);
        let (mut order, mut left) = (Vec::new(), [each; 4]);
        while let Some(file) = picker.pick(&mut random) {
            if left[file as usize] == 0 {
                picker.done(file);
                continue;
            }
            left[file as usize] -= 1;
            order.push(file);
        }
        assert_eq!(left, [0; 4]);
        order
    }

    #[test]
    fn files_are_served_in_the_order_asked_for() {
        assert_eq!(served("roundrobin", None, 2), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(served("roundrobin:2", None, 2), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(served("sequential", None, 2), [0, 0, 1, 1, 2, 2, 3, 3]);
        // Observed of fio 3.33: two at a time until they are done.
        assert_eq!(served("roundrobin", Some(2), 2), [0, 1, 0, 1, 2, 3, 2, 3]);
        let random = served("random", None, 50);
        assert!(random.windows(2).filter(|pair| pair[0] == pair[1]).count() < 100, "{random:?}");
        assert_eq!(served("roundrobin:0", None, 2), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert!(Service::parse("robin").is_err());
    }

    #[test]
    fn a_weighted_order_prefers_the_first_files() {
        let mut random = RandomStream::new(1, "test");
        let mut picker = Picker::new(&Service::parse("zipf:1").unwrap(), 4, None);
        let mut counts = [0u32; 4];
        (0..25_000).for_each(|_| counts[picker.pick(&mut random).unwrap() as usize] += 1);
        // Harmonic numbers of 1024, 2048, 3072, 4096 ranks, in shares of the last; the standard deviation is below 80.
        let wanted = [21105i64, 1947, 1139, 808];
        assert!(
            counts.iter().zip(wanted).all(|(count, wanted)| (i64::from(*count) - wanted).abs() < 350),
            "{counts:?}"
        );
    }
}
