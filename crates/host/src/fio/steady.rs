//! `steadystate`: a job ends once its rate, or its latency, has settled.
//!
//! As fio has it: so many samples in a row, one each `steadystate_check_interval`, whose slope (or largest distance
//! from their mean) is below a limit, given outright or in percent of the mean.

use super::value;
use crate::HostRequest;
use std::collections::VecDeque;

const SECOND_NS: u64 = 1_000_000_000;

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Requests in a second.
    Iops,
    /// Bytes in a second.
    Bandwidth,
    /// The mean latency in ns.
    Latency,
}

/// When a job counts as settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// What is watched.
    pub metric: Metric,
    /// Its slope, rather than its largest distance from the mean.
    pub slope: bool,
    /// Below this it has settled.
    pub limit: f64,
    /// The limit is in percent of the mean.
    pub percent: bool,
    /// Over so long; zero asks for nothing.
    pub duration_ns: u64,
    /// What comes before is left out.
    pub ramp_ns: u64,
    /// Between samples.
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
    /// Takes `iops:2%`, `bw_slope:10m` and the like.
    pub fn criterion(&mut self, text: &str, kb_base: u64) -> Result<(), &'static str> {
        const EXPECTED: &str =
            "iops, bw or lat, or one of them with _slope, and a limit: iops:2%, bw_slope:1m, lat:50us";
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
            (None, Metric::Latency) => value::time_ns(limit, 1).map_err(|_| EXPECTED)? as f64,
        };
        if self.limit > 0.0 { Ok(()) } else { Err(EXPECTED) }
    }

    fn samples(&self) -> usize {
        (self.duration_ns / self.interval_ns) as usize
    }
}

/// Watches the clones that settle together.
#[derive(Clone, Debug)]
pub struct Watch {
    steady: Steady,
    /// Its clones.
    pub clones: Vec<u32>,
    start_ns: u64,
    next_ns: u64,
    requests: u64,
    bytes: u64,
    latency_ns: u64,
    samples: VecDeque<f64>,
    /// When it settled.
    pub attained_ns: Option<u64>,
}

impl Watch {
    /// A watch over no clone yet.
    pub fn new(steady: Steady) -> Self {
        let (samples, clones) = (VecDeque::new(), Vec::new());
        Self {
            steady,
            clones,
            start_ns: 0,
            next_ns: u64::MAX,
            requests: 0,
            bytes: 0,
            latency_ns: 0,
            samples,
            attained_ns: None,
        }
    }

    /// Its clones start at `now`.
    pub fn start(&mut self, now: u64) {
        (self.start_ns, self.next_ns) = (now, now.saturating_add(self.steady.interval_ns));
    }

    /// Counts an answer at `now`; true when the clones have settled with the samples before it.
    pub fn count(&mut self, request: &HostRequest, now: u64) -> bool {
        let before = self.attained_ns.is_some();
        while now >= self.next_ns && self.attained_ns.is_none() {
            self.sample();
        }
        self.requests += 1;
        self.bytes += u64::from(request.bytes);
        self.latency_ns += now.saturating_sub(request.arrive.ns());
        !before && self.attained_ns.is_some()
    }

    /// Closes the sample that ends at `next_ns`.
    fn sample(&mut self) {
        let seconds = self.steady.interval_ns as f64 / SECOND_NS as f64;
        let value = match self.steady.metric {
            Metric::Iops => self.requests as f64 / seconds,
            Metric::Bandwidth => self.bytes as f64 / seconds,
            Metric::Latency => self.latency_ns as f64 / self.requests.max(1) as f64,
        };
        (self.requests, self.bytes, self.latency_ns) = (0, 0, 0);
        let at = self.next_ns;
        self.next_ns = at.saturating_add(self.steady.interval_ns);
        if at <= self.start_ns.saturating_add(self.steady.ramp_ns) && self.steady.ramp_ns > 0 {
            return;
        }
        self.samples.push_back(value);
        if self.samples.len() > self.steady.samples() {
            self.samples.pop_front();
        }
        if self.samples.len() == self.steady.samples() && self.has_settled() {
            self.attained_ns = Some(at - self.start_ns);
        }
    }

    fn has_settled(&self) -> bool {
        let count = self.samples.len() as f64;
        let mean = self.samples.iter().sum::<f64>() / count;
        let found = if self.steady.slope {
            let middle = (count - 1.0) / 2.0;
            let along = |index: usize| index as f64 - middle;
            let up: f64 = self.samples.iter().enumerate().map(|(index, y)| along(index) * y).sum();
            let across: f64 = (0..self.samples.len()).map(|index| along(index).powi(2)).sum();
            (up / across).abs()
        } else {
            self.samples.iter().map(|sample| (sample - mean).abs()).fold(0.0, f64::max)
        };
        let found = if self.steady.percent { 100.0 * found / mean } else { found };
        found < self.steady.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use units::SimTime;

    /// Rates of so many requests a second, one sample each second; when they count as settled.
    fn settled(criterion: &str, seconds: u64, rates: &[u64]) -> Option<u64> {
        let mut steady = Steady { duration_ns: seconds * SECOND_NS, ..Steady::default() };
        steady.criterion(criterion, 1024).unwrap();
        let mut watch = Watch::new(steady);
        watch.start(0);
        for (second, rate) in (0u64..).zip(rates) {
            for index in 0..*rate {
                let now = second * SECOND_NS + index * SECOND_NS / rate;
                let arrive = SimTime::from_ns(now.saturating_sub(1000));
                let request =
                    HostRequest { arrive, op: Op::Read, offset: 0, bytes: 4096, tag: 0, fua: false };
                watch.count(&request, now);
            }
        }
        watch.attained_ns.map(|ns| ns / SECOND_NS)
    }

    #[test]
    fn a_rate_settles_when_its_samples_do() {
        let rates = [100, 200, 150, 100, 101, 99, 100, 100, 100, 100];
        assert_eq!(settled("iops:2%", 4, &rates), Some(7), "the window from the 4th to the 7th sample");
        assert_eq!(settled("bw:2%", 4, &rates), Some(7));
        assert_eq!(settled("iops:0.5", 4, &rates), None, "99 and 101 are a whole request off");
        assert_eq!(settled("iops_slope:1%", 3, &[100, 110, 120, 130, 130, 130, 130]), Some(6));
        assert_eq!(settled("lat:1us", 2, &rates), Some(2));
        assert_eq!(settled("iops:2%", 20, &rates), None);
        for wrong in ["iops", "iops:", "iops:0", "speed:1%"] {
            assert!(Steady::default().criterion(wrong, 1024).is_err(), "{wrong}");
        }
    }
}
