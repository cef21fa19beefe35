//! `steadystate`: a job ends once its rate, or its latency, has settled.
//!
//! fio's arithmetic (3.42), defects included, of which a note says so. One clock for all jobs ticks every
//! `steadystate_check_interval` from the beginning of the run, and anew from the end of a ramp. A tick makes a sample in
//! whole numbers; the slope of so many samples in a row, or their largest distance from their mean, is below a limit,
//! given outright or in percent of the mean. Clones that report together settle together, and only while the last
//! of them runs.

use super::job::{JobFile, JobSpec};
use super::value;
use crate::workload::SteadyState;
use crate::{Effect, HostRequest, WorkloadError};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const SECOND_NS: u64 = 1_000_000_000;
const MS_NS: u64 = 1_000_000;

/// Kind of metric of a fio job by which its steady state is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Case of metric for the steady state of a fio job: the rate of requests (IOPS).
    Iops,
    /// Case of metric for the steady state of a fio job: the bandwidth (bytes per second).
    Bandwidth,
    /// Case of metric for the steady state of a fio job: the mean latency in ns.
    Latency,
}

impl Metric {
    /// Returns the name of the steady-state metric as fio writes it: `iops`, `bw` or `lat`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iops => "iops",
            Self::Bandwidth => "bw",
            Self::Latency => "lat",
        }
    }
}

/// Set of a fio job's options for its steady state (`steadystate`): the metric, and the condition that ends the job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// Setting of a fio job: metric (IOPS, bandwidth or latency) that the steady-state condition limits.
    pub metric: Metric,
    /// True if steady state limits the slope of the metric; false if it limits the largest distance from the mean.
    pub slope: bool,
    /// Limit below which the fio job is in steady state: percent, or the unit of the metric.
    pub limit: f64,
    /// True if the steady-state limit is in percent of the mean of the metric; false if in the metric's unit.
    pub percent: bool,
    /// Length in ns of the window of samples for fio's steady-state condition; 0: no steady-state detection.
    pub duration_ns: u64,
    /// Length in ns of the ramp of fio's steady-state detection: samples of this time at the start do not count.
    pub ramp_ns: u64,
    /// Time between two samples of the fio job's steady-state metric, in ns.
    pub interval_ns: u64,
}

impl Default for Steady {
    fn default() -> Self {
        Self {
            metric: Metric::Iops,
            slope: true,
            limit: 0.01,
            percent: true,
            duration_ns: 0,
            ramp_ns: 0,
            interval_ns: SECOND_NS,
        }
    }
}

impl Steady {
    /// Parses fio's `steadystate`, such as `iops:2%` or `bw_slope:10m`, into metric, kind of condition and limit.
    pub fn criterion(&mut self, text: &str, kb_base: u64) -> Result<(), &'static str> {
        const EXPECTED: &str =
            "iops, bw or lat, or one of them with _slope, and a limit: iops:2%, bw_slope:1m, lat:5%";
        let (name, limit) = text.split_once(':').ok_or(EXPECTED)?;
        let (metric, slope) = name.strip_suffix("_slope").map_or((name, false), |metric| (metric, true));
        self.metric = match metric {
            "iops" => Metric::Iops,
            "bw" => Metric::Bandwidth,
            "lat" => Metric::Latency,
            _ => return Err(EXPECTED),
        };
        self.slope = slope;
        let percent = limit.trim().strip_suffix('%');
        self.percent = percent.is_some();
        self.limit = match (percent, self.metric) {
            (Some(percent), _) => value::float(percent).map_err(|_| EXPECTED)?,
            (None, Metric::Iops) => value::float(limit).map_err(|_| EXPECTED)?,
            (None, Metric::Bandwidth) => value::bytes(limit, kb_base).map_err(|_| EXPECTED)? as f64,
            (None, Metric::Latency) => latency_limit(limit).map_err(|_| EXPECTED)?,
        };
        if self.limit > 0.0 { Ok(()) } else { Err(EXPECTED) }
    }

    /// Returns true if the fio job is to end when it reaches a steady state.
    pub fn is_on(&self) -> bool {
        self.duration_ns > 0
    }

    /// Returns the number of samples over which fio computes its steady-state condition, from times in whole seconds.
    pub fn samples(&self) -> usize {
        (self.duration_ns / SECOND_NS / (self.interval_ns / SECOND_NS).max(1)) as usize
    }

    /// Returns the number by which fio divides a count times the interval in ms to get a rate at a steady-state check:
    /// the square of `steadystate_check_interval` in ms, cut to 32 bits, over 1000.
    pub fn divisor(&self) -> u64 {
        let interval_ms = (self.interval_ns / MS_NS) as u32;
        u64::from(interval_ms.wrapping_mul(interval_ms)) / 1000
    }

    /// Returns the condition for steady state as text, as fio's results show it.
    pub fn text(&self) -> String {
        let (slope, percent) = (if self.slope { "_slope" } else { "" }, if self.percent { "%" } else { "" });
        format!("{}{slope}:{:.6}{percent}", self.metric.name(), self.limit as f32)
    }
}

/// Parses the latency limit of fio's `steadystate` as fio does, which reads it in us but compares it with ns.
fn latency_limit(text: &str) -> Result<f64, &'static str> {
    let is_in_ns = text.trim().ends_with("ns") || text.trim().ends_with("nsec");
    let ns = value::time_ns(text, 1000)?;
    Ok(if is_in_ns { ns } else { ns / 1000 } as f64)
}

/// Checks the steady-state options of one job, as fio does, once the whole section is known.
///
/// # Errors
/// With the pair of texts found and expected.
pub fn check(steady: &Steady) -> Result<(), (String, &'static str)> {
    let (duration, interval) = (steady.duration_ns, steady.interval_ns);
    let seconds = |ns: u64| ns as f64 / SECOND_NS as f64;
    if !steady.is_on() {
        return Ok(());
    }
    if interval < SECOND_NS {
        let found = format!("a steadystate_check_interval of {} s", seconds(interval));
        return Err((found, "one second or more"));
    }
    if duration <= interval || duration % interval != 0 {
        let found = format!(
            "a steadystate_duration of {} s with a steadystate_check_interval of {} s",
            seconds(duration),
            seconds(interval)
        );
        return Err((found, "two intervals or more, and whole ones"));
    }
    if steady.divisor() == 0 {
        let found = format!("a steadystate_check_interval of {} s", seconds(interval));
        return Err((found, "a little more or less: fio itself divides by zero"));
    }
    Ok(())
}

/// Checks the steady-state options of all jobs of a file against each other, as fio does.
///
/// # Errors
/// At a job with another sampling interval than the file's first job, or other options than its group's first job.
pub fn check_file(file: &JobFile) -> Result<(), WorkloadError> {
    let Some(first) = file.jobs.first() else { return Ok(()) };
    let mut of_group = first;
    for job in &file.jobs {
        let wrong = |found: &str, expected: &str| {
            Err(job.place.error(format!("job {}: {found}", job.name), expected))
        };
        if job.steady.interval_ns != first.steady.interval_ns {
            return wrong("a steadystate_check_interval of its own", "the same in all jobs of the file");
        }
        if job.stonewall || job.new_group {
            of_group = job;
        }
        let differ = job.steady != of_group.steady && (job.steady.is_on() || of_group.steady.is_on());
        if differ {
            return wrong(
                "a steadystate of its own within a group",
                "the same in all jobs up to a stonewall or new_group",
            );
        }
    }
    Ok(())
}

/// Record of a sample of a fio job's metrics over one interval: requests and bytes per second, and mean latency in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TickSample {
    requests_per_s: u64,
    bytes_per_s: u64,
    latency_ns: u64,
}

/// Group of fio job clones that are reported together, with the state of the detection of their one steady state.
#[derive(Clone, Debug)]
struct SteadyGroup {
    steady: Steady,
    clones: Vec<u32>,
    samples: VecDeque<TickSample>,
    criterion: f64,
    deviation: f64,
    slope: f64,
    started_ns: Option<u64>,
    attained_ns: Option<u64>,
}

impl SteadyGroup {
    fn new(steady: Steady) -> Self {
        Self {
            steady,
            clones: Vec::new(),
            samples: VecDeque::new(),
            criterion: 0.0,
            deviation: 0.0,
            slope: 0.0,
            started_ns: None,
            attained_ns: None,
        }
    }

    /// Adds a sample to fio's steady-state window, and drops the oldest if too many; returns true if in steady state.
    fn take(&mut self, sample: TickSample) -> bool {
        let wanted = self.steady.samples();
        if self.samples.len() == wanted {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        if self.samples.len() < wanted {
            return false;
        }
        let value = |sample: &TickSample| match self.steady.metric {
            Metric::Iops => sample.requests_per_s,
            Metric::Bandwidth => sample.bytes_per_s,
            Metric::Latency => sample.latency_ns,
        };
        let values: Vec<u64> = self.samples.iter().map(value).collect();
        let sum = values.iter().fold(0u64, |sum, value| sum.wrapping_add(*value));
        let count = values.len() as f64;
        let (found, mean) = if self.steady.slope {
            self.slope = slope(&values, sum);
            // In percent of a mean in whole numbers.
            (self.slope, (sum / values.len() as u64) as f64)
        } else {
            let mean = sum as f64 / count;
            self.deviation = values.iter().map(|value| (*value as f64 - mean).abs()).fold(0.0, f64::max);
            (self.deviation, mean)
        };
        self.criterion = if self.steady.percent { 100.0 * found / mean } else { found };
        self.criterion.abs() < self.steady.limit
    }
    /// Returns the result of fio's steady-state detection, for the report. Missing samples follow as zeros, as in fio.
    fn report(&self, job: &str) -> SteadyState {
        let taken = self.samples.iter().copied().chain(std::iter::repeat(TickSample::default()));
        let samples: Vec<TickSample> = taken.take(self.steady.samples()).collect();
        let each = |value: fn(&TickSample) -> u64| samples.iter().map(value).collect();
        SteadyState {
            job: job.to_owned(),
            asked: self.steady.text(),
            metric: self.steady.metric.name().to_owned(),
            is_slope: self.steady.slope,
            in_percent: self.steady.percent,
            duration_s: self.steady.duration_ns / SECOND_NS,
            attained: self.attained_ns.is_some(),
            attained_after_ns: self.attained_ns,
            criterion: Some(self.criterion).filter(|criterion| criterion.is_finite()),
            max_deviation: self.deviation,
            slope: self.slope,
            iops: each(|sample| sample.requests_per_s),
            bandwidth_bytes_per_s: each(|sample| sample.bytes_per_s),
            latency_ns: each(|sample| sample.latency_ns),
        }
    }
}

/// Returns the slope, per sample, of the line fitted by least squares to evenly spaced `values`, whose sum is `sum`.
fn slope(values: &[u64], sum: u64) -> f64 {
    let count = values.len() as f64;
    let along = (0u64..).zip(values).fold(0u64, |sum, (x, y)| sum.wrapping_add(x.wrapping_mul(*y)));
    let (x, x_squared) = (count * (count - 1.0) / 2.0, (count - 1.0) * count * (2.0 * count - 1.0) / 6.0);
    (along as f64 - x * sum as f64 / count) / (x_squared - x * x / count)
}

/// State of one clone of a fio job for the steady-state detection: counts of requests since the last sample.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    /// Index of the fio job clone's group in `Watches::watches`; none for a clone without steady-state detection.
    watch: Option<u32>,
    /// Time in ns since which the fio job clone runs, its ramp not counted, for steady state; none before and after.
    since_ns: Option<u64>,
    looked_ns: u64,
    /// True if the requests of the fio job clone count in the samples, since the ramp of `steadystate` is over.
    counts: bool,
    requests: u64,
    bytes: u64,
    latency_ns: u64,
}

/// Steady-state detector for all clones of a fio job file; it is empty where no job asks for the detection.
#[derive(Clone, Debug)]
pub struct Watches {
    watches: Vec<SteadyGroup>,
    /// List of the states of the fio job clones for the steady-state detection, by number of the clone.
    watched: Vec<Watched>,
    interval_ns: u64,
    /// Time in ns from which fio's steady-state sampling intervals are counted; `tick_ns` is the next sample's time.
    base_ns: u64,
    tick_ns: u64,
    /// List of the ends of the ramps of running fio job clones: time in ns, and number of the clone.
    ramps: BinaryHeap<Reverse<(u64, u32)>>,
    /// Time in ns of fio's next steady-state sample or end of a ramp; `u64::MAX` where no clone needs either.
    pub next_ns: u64,
}

impl Default for Watches {
    fn default() -> Self {
        Self {
            watches: Vec::new(),
            watched: Vec::new(),
            interval_ns: SECOND_NS,
            base_ns: 0,
            tick_ns: 0,
            ramps: BinaryHeap::new(),
            next_ns: u64::MAX,
        }
    }
}

impl Watches {
    /// Makes the steady-state detection of `clones`, each given by its fio job and group; it samples clones that report
    /// together as one.
    pub fn new<'a>(clones: impl Iterator<Item = (&'a JobSpec, u32)> + Clone) -> Self {
        let mut new = Self::default();
        let Some((job, _)) = clones.clone().find(|(job, _)| job.steady.is_on()) else { return new };
        new.interval_ns = job.steady.interval_ns;
        let mut together: Option<(u32, u32)> = None;
        for (index, (job, group)) in (0u32..).zip(clones) {
            if !job.steady.is_on() {
                new.watched.push(Watched::default());
                continue;
            }
            let joined = together.filter(|(of, _)| job.group_reporting && *of == group);
            let watch = joined.map_or(new.watches.len() as u32, |(_, watch)| watch);
            if watch as usize == new.watches.len() {
                new.watches.push(SteadyGroup::new(job.steady));
            }
            if job.group_reporting {
                together = Some((group, watch));
            }
            new.watches[watch as usize].clones.push(index);
            new.watched.push(Watched { watch: Some(watch), ..Watched::default() });
        }
        new
    }

    /// Returns true if no clone of the fio job file has steady-state detection (`steadystate`).
    pub fn is_empty(&self) -> bool {
        self.watches.is_empty()
    }

    /// Notes for steady-state detection that fio job clone `clone` starts at `now` ns, with this ramp (0: none).
    pub fn start(&mut self, clone: u32, now: u64, ramp_ns: u64) {
        let Some(watched) = self.watched.get_mut(clone as usize) else { return };
        let Some(watch) = watched.watch else { return };
        let watch = &mut self.watches[watch as usize];
        watch.started_ns.get_or_insert(now);
        watched.counts = watch.steady.ramp_ns == 0;
        if ramp_ns > 0 {
            self.ramps.push(Reverse((now.saturating_add(ramp_ns), clone)));
        } else {
            (watched.since_ns, watched.looked_ns) = (Some(now), now);
        }
        self.tick_ns = self.base_ns + ((now - self.base_ns) / self.interval_ns + 1) * self.interval_ns;
        self.set_next();
    }

    /// Notes that the fio job clone `clone` has ended, so that steady-state detection takes no more samples of it.
    pub fn done(&mut self, clone: u32) {
        if let Some(watched) = self.watched.get_mut(clone as usize) {
            watched.since_ns = None;
            self.ramps.retain(|Reverse((_, ramping))| *ramping != clone);
            self.set_next();
        }
    }

    fn set_next(&mut self) {
        let runs = |watched: &Watched| {
            let attained = |watch: u32| self.watches[watch as usize].attained_ns.is_some();
            watched.since_ns.is_some() && watched.watch.is_some_and(|watch| !attained(watch))
        };
        let ramp_ns = self.ramps.peek().map_or(u64::MAX, |Reverse((end, _))| *end);
        let is_on = self.watched.iter().any(runs);
        self.next_ns = if is_on { self.tick_ns.min(ramp_ns) } else { ramp_ns };
    }

    /// Counts, for fio's steady state, a request completed at `now` ns; call [`Self::look`] for this time before it.
    pub fn count(&mut self, clone: u32, request: &HostRequest, now: u64) {
        // A flush is no block in fio.
        if request.op.effect() == Effect::Flush {
            return;
        }
        let watched = &mut self.watched[clone as usize];
        watched.requests += 1;
        watched.bytes += u64::from(request.bytes);
        watched.latency_ns += now.saturating_sub(request.arrive.ns());
    }

    /// Takes samples and ends ramps due up to `now` ns; returns the fio job clones that reached steady state.
    pub fn look(&mut self, now: u64) -> Vec<u32> {
        let mut settled = Vec::new();
        while now >= self.next_ns {
            match self.ramps.peek().copied() {
                Some(Reverse((end, clone))) if end == self.next_ns => {
                    self.ramps.pop();
                    self.end_ramp(clone, end);
                }
                _ => {
                    let at = self.tick_ns;
                    self.tick_ns = at.saturating_add(self.interval_ns);
                    for watch in 0..self.watches.len() {
                        if self.watches[watch].attained_ns.is_none() && self.tick(watch, at) {
                            let watch = &mut self.watches[watch];
                            watch.attained_ns = Some(at - watch.started_ns.unwrap_or(0));
                            settled.extend(&watch.clones);
                        }
                    }
                }
            }
            self.set_next();
        }
        settled
    }

    /// Ends a fio job clone's ramp: sample times are counted from here, and the clone's counts begin at zero.
    fn end_ramp(&mut self, clone: u32, at: u64) {
        let watched = &mut self.watched[clone as usize];
        (watched.since_ns, watched.looked_ns) = (Some(at), at);
        (watched.requests, watched.bytes, watched.latency_ns) = (0, 0, 0);
        (self.base_ns, self.tick_ns) = (at, at.saturating_add(self.interval_ns));
    }

    /// Takes a steady-state sample of the fio job clones of group `watch`; returns true if they are in steady state.
    fn tick(&mut self, watch: usize, at: u64) -> bool {
        let SteadyGroup { steady, clones, .. } = &self.watches[watch];
        let (divisor, ramp_ns) = (steady.divisor(), steady.ramp_ns);
        let (mut sum, mut latency_ns, mut requests, mut any_counts) = (TickSample::default(), 0, 0, false);
        for clone in clones {
            let watched = &mut self.watched[*clone as usize];
            let Some(since_ns) = watched.since_ns else { continue };
            // fio's clock starts before its jobs, so that a tick at the very end of this time comes too early.
            watched.counts |= at - since_ns > ramp_ns + self.interval_ns;
            if watched.counts {
                let rate_ms = (at - watched.looked_ns) / MS_NS;
                sum.requests_per_s += rate_ms * watched.requests / divisor;
                sum.bytes_per_s += rate_ms.wrapping_mul(watched.bytes) / divisor;
                (latency_ns, requests) = (latency_ns + watched.latency_ns, requests + watched.requests);
                any_counts = true;
            }
            watched.looked_ns = at;
            (watched.requests, watched.bytes, watched.latency_ns) = (0, 0, 0);
        }
        // The last clone keeps the samples of all: without it none is taken.
        let last = clones.last().expect("of one clone at least");
        if !any_counts || self.watched[*last as usize].since_ns.is_none() {
            return false;
        }
        sum.latency_ns = u64::checked_div(latency_ns, requests).unwrap_or(0);
        self.watches[watch].take(sum)
    }

    /// Returns fio's steady-state results of all groups, each with the job name (`name`) of its first clone.
    pub fn report<'a>(&self, name: &dyn Fn(u32) -> &'a str) -> Vec<SteadyState> {
        let one = |watch: &SteadyGroup| watch.report(name(watch.clones[0]));
        self.watches.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Variables, parse_text};
    use super::*;
    use units::SimTime;

    /// Test helper: feeds samples of `rates` requests per second; returns the second of steady state, and the result.
    fn settled(criterion: &str, seconds: u64, rates: &[u64]) -> (Option<u64>, SteadyState) {
        let text = format!("[j]\nsize=1m\nss={criterion}\nss_dur={seconds}\n");
        let file = parse_text("j.fio", &text, &Variables::new(), &|_| unreachable!("no include")).unwrap();
        let mut watches = Watches::new(file.jobs.iter().map(|job| (job, 0)));
        watches.start(0, 0, 0);
        for (second, rate) in (0u64..).zip(rates) {
            for index in 0..*rate {
                let now = second * SECOND_NS + index * SECOND_NS / rate;
                let arrive = SimTime::from_ns(now.saturating_sub(1000));
                let request = HostRequest::plain(arrive, crate::Op::READ, 0, 4096);
                watches.look(now);
                watches.count(0, &request, now);
            }
        }
        let found = watches.report(&|_| "j").remove(0);
        (found.attained_after_ns.map(|ns| ns / SECOND_NS), found)
    }

    #[test]
    fn a_rate_settles_when_its_samples_do() {
        let rates = [100, 200, 150, 100, 101, 99, 100, 100, 100, 100];
        let after = |criterion: &str, seconds, rates: &[u64]| settled(criterion, seconds, rates).0;
        assert_eq!(after("iops:2%", 4, &rates), Some(7), "the window from the 4th to the 7th sample");
        assert_eq!(after("bw:2%", 4, &rates), Some(7));
        assert_eq!(after("iops:0.5", 4, &rates), None, "99 and 101 are a whole request off");
        assert_eq!(after("iops_slope:1%", 3, &[100, 110, 120, 130, 130, 130, 130]), Some(6));
        // The very first answer took no time, so that the first sample is 10 ns below the others.
        assert_eq!((after("lat:1us", 2, &rates), after("lat:5%", 2, &rates)), (Some(3), Some(2)));
        assert_eq!(after("iops:2%", 20, &rates), None);
        for wrong in ["iops", "iops:", "iops:0", "speed:1%"] {
            assert!(Steady::default().criterion(wrong, 1024).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_said_is_what_the_last_window_held() {
        let (_, found) = settled("iops:2%", 4, &[100, 200, 150, 100, 101, 99, 100, 100]);
        assert_eq!(found.iops, [100, 101, 99, 100]);
        assert_eq!((found.criterion, found.max_deviation, found.slope), (Some(1.0), 1.0, 0.0));
        assert_eq!(found.bandwidth_bytes_per_s[0], 409_600);
        // The ninth second has no answer behind it, so that its tick never comes here.
        let (_, found) = settled("iops_slope:1%", 4, &[100, 110, 120, 130, 140, 1]);
        assert_eq!(found.iops, [110, 120, 130, 140]);
        assert_eq!((found.slope, found.max_deviation), (10.0, 0.0));
        assert_eq!(found.criterion, Some(8.0), "of a mean of 125");
        let (_, found) = settled("iops:2%", 4, &[100, 100, 1]);
        assert_eq!((found.iops, found.criterion), (vec![100, 100, 0, 0], Some(0.0)));
    }

    #[test]
    fn fios_arithmetic_is_kept() {
        let limit = |text: &str| {
            let mut steady = Steady::default();
            steady.criterion(text, 1024).map(|()| steady.limit)
        };
        // In us, compared with ns.
        assert_eq!((limit("lat:50us"), limit("lat:50"), limit("lat:2ms")), (Ok(50.0), Ok(50.0), Ok(2000.0)));
        assert_eq!(limit("bw:1m"), Ok(1_048_576.0));
        let of = |duration_ms: u64, interval_ms: u64| Steady {
            duration_ns: duration_ms * MS_NS,
            interval_ns: interval_ms * MS_NS,
            ..Steady::default()
        };
        // Whole seconds: four intervals of 1.5 s are asked for, six are taken.
        assert_eq!((of(6000, 1500).samples(), of(6000, 2000).samples()), (6, 3));
        // 66,000 ms squared are 61,032,704 in 32 bits.
        assert_eq!((of(2000, 1000).divisor(), of(132_000, 66_000).divisor()), (1000, 61_032));
        let refused = [(6000, 500), (1000, 1000), (2500, 1000), (131_072, 65_536)];
        assert!(refused.iter().all(|(duration, interval)| check(&of(*duration, *interval)).is_err()));
        assert!(check(&of(6000, 1500)).is_ok() && check(&of(0, 0)).is_ok());
    }
}
