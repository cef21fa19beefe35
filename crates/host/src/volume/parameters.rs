//! What may be set: `volume:prn_0,interleaved=0.1,skew=0.8`.

use super::statistics::{Volume, WEEK_S, volumes};
use crate::WorkloadError;
use units::{Bytes, Nanos, Quantity};

/// Constant: prefix, in the text of a workload, of the name of a synthetic volume.
pub const PREFIX: &str = "volume:";

/// Record that describes one parameter of synthetic volumes, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterCard {
    /// Name, as users write it, of the parameter of synthetic volumes that this description is about.
    pub name: &'static str,
    /// Field of a parameter's description: meaning of the parameter of synthetic volumes, in a few words.
    pub help: &'static str,
    /// Field of a parameter's description: text that says which values of the parameter of synthetic volumes are valid.
    pub expected: &'static str,
    /// Field of a parameter's description: text that says which value holds when the parameter of synthetic volumes is
    /// not given.
    pub default: &'static str,
}

const SHARE: &str = "a share from 0 to 1";
const ABOVE_ZERO: &str = "a number above 0";

static CARDS: &[ParameterCard] = &[
    card("requests", "requests of the whole run", "a whole number from 1 on", "the volume's"),
    card("reads", "share of reads among the requests", SHARE, "the volume's"),
    card("size", "mean size of a request, made of 4, 8, 16, 32 and 64 KiB", SIZE, "the volume's"),
    card(
        "distinct",
        "distinct addresses at which the requests begin",
        "a whole number from 15 to the number of requests",
        "the volume's, in proportion to its requests where those are given",
    ),
    card(
        "interleaved",
        "share of the requests, of reads as of writes, that go to addresses both read and written",
        SHARE,
        "0.5, assumed: not published; the middle",
    ),
    card("interleaved_reads", "the same for reads alone", SHARE, "interleaved"),
    card("interleaved_writes", "the same for writes alone", SHARE, "interleaved"),
    card(
        "read_only_addresses",
        "share of the addresses that are only read",
        SHARE,
        "in proportion to the requests that go there, assumed: not published",
    ),
    card(
        "write_only_addresses",
        "share of the addresses that are only written",
        SHARE,
        "in proportion to the requests that go there, assumed: not published",
    ),
    card(
        "skew",
        "exponent of Zipf's law by which addresses met before come again, the first met most often",
        "a number from 0 (all alike) to 4",
        "1, assumed: not published; the law as Zipf had it",
    ),
    card(
        "sequential",
        "probability that a request continues the one before: same kind and size, next address",
        "a probability from 0 to 0.99",
        "0, assumed: not published",
    ),
    card(
        "requests_per_s",
        "mean rate of arrivals",
        ABOVE_ZERO,
        "the volume's requests over the week that the recording took",
    ),
    card(
        "burst",
        "mean number of requests that arrive together; 1 for random (Poisson) arrivals",
        "a number from 1 on",
        "1, assumed: not published",
    ),
    card("burst_gap", "mean time between the requests of a burst", TIME, "100us, assumed: not published"),
    card(
        "read_burst",
        "the same as burst for reads alone; reads and writes then arrive independently of each other",
        "a number from 1 on",
        "burst, in one stream with the writes",
    ),
    card("read_burst_gap", "the same as burst_gap for reads alone", TIME, "burst_gap"),
    card(
        "write_burst",
        "the same as burst for writes alone, such as the flushes of a page cache; they then arrive independently of reads",
        "a number from 1 on",
        "burst, in one stream with the reads",
    ),
    card("write_burst_gap", "the same as burst_gap for writes alone", TIME, "burst_gap"),
    card(
        "depth",
        "keep so many requests outstanding instead of waiting for arrivals",
        "a whole number from 1 to 65536",
        "none: by arrivals",
    ),
    card(
        "fit",
        "share of the drive that the addresses may take at most; fewer addresses are used where they are more",
        "a share above 0, up to 1",
        "none: a drive that is too small is an error",
    ),
];

const TIME: &str = "a time with its unit, such as 100us";
const SIZE: &str = "a size with its unit from 4KiB to 64KiB";

const fn card(
    name: &'static str,
    help: &'static str,
    expected: &'static str,
    default: &'static str,
) -> ParameterCard {
    ParameterCard { name, help, expected, default }
}

/// Returns the descriptions of all parameters of synthetic volumes, in the order in which they are listed.
pub fn parameters() -> &'static [ParameterCard] {
    CARDS
}

/// Record of the parameters of the bursts in which a synthetic volume's requests arrive: mean number of requests in a
/// burst, and mean time between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeBursts {
    /// Mean number of requests in a burst of a synthetic volume's arrivals.
    pub requests: f64,
    /// Mean time between the requests of a burst of a synthetic volume's arrivals, in nanoseconds.
    pub gap_ns: f64,
}

impl VolumeBursts {
    /// Returns the mean pause in nanoseconds between bursts that gives a synthetic volume this mean rate of requests: a
    /// request is the last of its burst with probability 1 / requests.
    pub(super) fn pause_ns(self, requests_per_s: f64) -> f64 {
        self.requests * 1e9 / requests_per_s - (self.requests - 1.0) * self.gap_ns
    }
}

/// Type of the burst parameters that a user gives for a synthetic volume: mean number of requests in a burst, and mean
/// time in nanoseconds between the requests within a burst; each is none where it is not given.
type GivenBurst = (Option<f64>, Option<f64>);

/// Kind of streams in which a synthetic volume's requests arrive: one for all requests, or one each for reads and
/// writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bursts {
    /// Case of streams: one, with these bursts, in which each request of the synthetic volume is a read or a write by
    /// chance.
    Together(VolumeBursts),
    /// Case of streams: two, with the bursts of the synthetic volume's reads and those of its writes, independent of
    /// each other.
    Apart([VolumeBursts; 2]),
}

/// Set of all parameters of a synthetic volume (a random workload modelled on a traced volume): the published
/// statistics, with values given by the user or assumed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Text (`volume:NAME,KEY=VALUE,...`) from which the parameters of the synthetic volume were parsed.
    pub spec: String,
    /// Parameter: recorded volume, with its published statistics, on which the synthetic volume is based.
    pub volume: &'static Volume,
    /// Number of requests that the synthetic volume makes in the whole run.
    pub requests: u64,
    /// Fraction of reads among the requests of the synthetic volume, 0 to 1.
    pub reads: f64,
    /// Mean size of a request of the synthetic volume, in bytes.
    pub mean_bytes: f64,
    /// Parameter: number of distinct addresses (records) that the requests of the synthetic volume access.
    pub distinct: u64,
    /// Two fractions (0 to 1): of the synthetic volume's reads, and of its writes, that go to addresses both read and
    /// written.
    pub interleaved: [f64; 2],
    /// Two fractions (0 to 1) of all addresses of the synthetic volume, each none where it is not given: the fraction
    /// of addresses that are only read, and the fraction of addresses that are only written.
    pub addresses: [Option<f64>; 2],
    /// Exponent of Zipf's law for the popularity of the synthetic volume's addresses.
    pub skew: f64,
    /// Probability that a request of the synthetic volume continues the request before: the same kind and size, at the
    /// next address.
    pub sequential: f64,
    /// Mean rate of arrivals of the synthetic volume's requests, in requests per second.
    pub requests_per_s: f64,
    /// Parameter: the streams in which the requests of the synthetic volume arrive, with their bursts: one stream for
    /// all requests, or one each for reads and writes.
    pub bursts: Bursts,
    /// Parameter: bursts of the synthetic volume that the user gave: first for all requests, then for reads alone, then
    /// for writes alone.
    given_bursts: [GivenBurst; 3],
    /// Number of requests that the synthetic volume keeps in flight, for a closed loop without arrival times; none:
    /// requests arrive at their own times.
    pub depth: Option<u32>,
    /// Greatest fraction of the drive that the addresses of the synthetic volume may take; none: a drive that is too
    /// small is an error.
    pub fit: Option<f64>,
    given: Vec<(&'static str, String)>,
}

impl Parameters {
    /// Parses the text `volume:NAME,KEY=VALUE,...` into the parameters of a synthetic volume.
    ///
    /// # Errors
    /// When the volume or a key is unknown, with the nearest name; when a key does not take its value, or values
    /// contradict each other.
    pub fn parse(spec: &str) -> Result<Self, WorkloadError> {
        let wrong = |found: String, expected: String| WorkloadError::of(spec, found, expected);
        let mut parts = spec.strip_prefix(PREFIX).unwrap_or(spec).split(',');
        let volume = named(spec, parts.next().unwrap_or_default())?;
        let mut parameters = Self::of(spec, volume);
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                return Err(wrong(format!("{part:?}"), "KEY=VALUE after each comma".into()));
            };
            let card = CARDS.iter().find(|card| card.name == key).ok_or_else(|| unknown_key(spec, key))?;
            if parameters.given.iter().any(|(name, _)| *name == key) {
                return Err(wrong(format!("{key} is given twice"), "each parameter once".into()));
            }
            parameters.set(key, value).ok_or_else(|| wrong(part.to_owned(), card.expected.into()))?;
            parameters.given.push((card.name, value.to_owned()));
        }
        parameters.settle()?;
        Ok(parameters)
    }

    fn of(spec: &str, volume: &'static Volume) -> Self {
        Self {
            spec: spec.to_owned(),
            volume,
            requests: volume.requests.value as u64,
            reads: volume.reads.value,
            mean_bytes: volume.mean_bytes.value,
            distinct: 0,
            interleaved: [f64::NAN; 2],
            addresses: [None; 2],
            skew: 1.0,
            sequential: 0.0,
            requests_per_s: volume.requests.value / WEEK_S,
            bursts: Bursts::Together(POISSON),
            given_bursts: [(None, None); 3],
            depth: None,
            fit: None,
            given: Vec::new(),
        }
    }

    /// Parses `value` and stores it as parameter `key` of the synthetic volume; returns `None` when the parameter does
    /// not take the value.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let number = |least: f64, most: f64| {
            let number = value.parse::<f64>().ok()?;
            (least..=most).contains(&number).then_some(number)
        };
        let gap = || Some(Nanos::parse(value).ok()?.ns() as f64);
        let whole = || value.replace('_', "").parse::<u64>().ok();
        match key {
            "requests" => self.requests = whole().filter(|count| (1..=1 << 48).contains(count))?,
            "reads" => self.reads = number(0.0, 1.0)?,
            "size" => {
                let bytes = Bytes::parse(value).ok()?.get();
                self.mean_bytes = (4096..=65536).contains(&bytes).then_some(bytes as f64)?;
            }
            "distinct" => self.distinct = whole().filter(|count| *count > 0)?,
            "interleaved" => {
                let share = number(0.0, 1.0)?;
                // Given for one kind alone before or after, that stays.
                self.interleaved = self.interleaved.map(|own| if own.is_nan() { share } else { own });
            }
            "interleaved_reads" => self.interleaved[0] = number(0.0, 1.0)?,
            "interleaved_writes" => self.interleaved[1] = number(0.0, 1.0)?,
            "read_only_addresses" => self.addresses[0] = Some(number(0.0, 1.0)?),
            "write_only_addresses" => self.addresses[1] = Some(number(0.0, 1.0)?),
            "skew" => self.skew = number(0.0, 4.0)?,
            "sequential" => self.sequential = number(0.0, 0.99)?,
            "requests_per_s" => self.requests_per_s = number(f64::MIN_POSITIVE, 1e9)?,
            "burst" => self.given_bursts[0].0 = Some(number(1.0, MOST_IN_BURST)?),
            "burst_gap" => self.given_bursts[0].1 = Some(gap()?),
            "read_burst" => self.given_bursts[1].0 = Some(number(1.0, MOST_IN_BURST)?),
            "read_burst_gap" => self.given_bursts[1].1 = Some(gap()?),
            "write_burst" => self.given_bursts[2].0 = Some(number(1.0, MOST_IN_BURST)?),
            "write_burst_gap" => self.given_bursts[2].1 = Some(gap()?),
            "depth" => self.depth = Some(u32::try_from(whole()?).ok().filter(|d| (1..=65_536).contains(d))?),
            "fit" => self.fit = Some(number(f64::MIN_POSITIVE, 1.0)?),
            other => unreachable!("{other} stands in the list of parameters"),
        }
        Some(())
    }

    /// Computes the parameters of the synthetic volume that follow from others, and refuses contradictions.
    fn settle(&mut self) -> Result<(), WorkloadError> {
        self.interleaved =
            self.interleaved.map(|share| if share.is_nan() { DEFAULT_INTERLEAVED } else { share });
        if !self.is_given("distinct") {
            let share = self.volume.distinct.value / self.volume.requests.value;
            self.distinct = (self.requests as f64 * share).round().max(1.0) as u64;
        }
        if !(super::layout::CELLS as u64..=self.requests).contains(&self.distinct) {
            let found = format!("{} distinct addresses for {} requests", self.distinct, self.requests);
            let expected = format!(
                "distinct from {} to the number of requests, and requests enough for it",
                super::layout::CELLS
            );
            return Err(self.wrong(found, expected));
        }
        if self.addresses.iter().flatten().sum::<f64>() > 1.0 {
            return Err(self.wrong(
                "read_only_addresses and write_only_addresses exceed 1 together",
                "shares of one whole",
            ));
        }
        self.bursts = self.settled_bursts();
        let pace = PACES.into_iter().find(|key| self.is_given(key));
        if let (Some(depth), Some(key)) = (self.depth, pace) {
            return Err(
                self.wrong(format!("depth={depth} with {key}"), "one of both: a closed loop has no arrivals")
            );
        }
        for (burst, requests_per_s) in self.streams() {
            if requests_per_s > 0.0 && burst.pause_ns(requests_per_s) <= 0.0 {
                let found = format!(
                    "bursts of {} requests {} ns apart last longer than {requests_per_s} requests/s allow",
                    burst.requests, burst.gap_ns
                );
                return Err(self.wrong(found, "a shorter gap within bursts, or a lower requests_per_s"));
            }
        }
        Ok(())
    }

    /// Returns the streams in which requests of the synthetic volume arrive (one, or one each for reads and writes),
    /// each with its bursts and its mean rate in requests per second.
    pub(super) fn streams(&self) -> Vec<(VolumeBursts, f64)> {
        match self.bursts {
            Bursts::Together(burst) => vec![(burst, self.requests_per_s)],
            Bursts::Apart([reads, writes]) => vec![
                (reads, self.requests_per_s * self.reads),
                (writes, self.requests_per_s * (1.0 - self.reads)),
            ],
        }
    }

    /// Computes, from the given parameters, the streams and bursts in which a synthetic volume's requests arrive:
    /// values for reads or writes alone take precedence over values for all requests.
    fn settled_bursts(&self) -> Bursts {
        let over = |below: VolumeBursts, (requests, gap_ns): GivenBurst| VolumeBursts {
            requests: requests.unwrap_or(below.requests),
            gap_ns: gap_ns.unwrap_or(below.gap_ns),
        };
        let [both, reads, writes] = self.given_bursts;
        let both = over(POISSON, both);
        if [reads, writes] == [(None, None); 2] {
            Bursts::Together(both)
        } else {
            Bursts::Apart([over(both, reads), over(both, writes)])
        }
    }

    pub(super) fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> WorkloadError {
        WorkloadError::of(&self.spec, found, expected)
    }

    fn is_given(&self, key: &str) -> bool {
        self.given.iter().any(|(name, _)| *name == key)
    }

    /// Returns, for each parameter of the synthetic volume, its name, its value, and the source of the value
    /// (published, given, assumed).
    pub fn settings(&self) -> Vec<(&'static str, String, String)> {
        CARDS.iter().map(|card| (card.name, self.value(card.name), self.source(card))).collect()
    }

    fn value(&self, key: &str) -> String {
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".into());
        let in_proportion =
            |share: Option<f64>| share.map_or("in proportion".into(), |share| share.to_string());
        match key {
            "requests" => self.requests.to_string(),
            "reads" => format!("{:.4}", self.reads),
            "size" => format!("{:.0} B", self.mean_bytes),
            "distinct" => self.distinct.to_string(),
            "interleaved" if self.interleaved[0] == self.interleaved[1] => self.interleaved[0].to_string(),
            "interleaved" => "differs".into(),
            "interleaved_reads" => self.interleaved[0].to_string(),
            "interleaved_writes" => self.interleaved[1].to_string(),
            "read_only_addresses" => in_proportion(self.addresses[0]),
            "write_only_addresses" => in_proportion(self.addresses[1]),
            "skew" => self.skew.to_string(),
            "sequential" => self.sequential.to_string(),
            "requests_per_s" if self.depth.is_some() => "none".into(),
            "requests_per_s" => format!("{:.4}", self.requests_per_s),
            "burst" | "burst_gap" if matches!(self.bursts, Bursts::Apart(_)) => "by reads and writes".into(),
            "burst" | "read_burst" => self.burst_of(0).requests.to_string(),
            "burst_gap" | "read_burst_gap" => format!("{} ns", self.burst_of(0).gap_ns),
            "write_burst" => self.burst_of(1).requests.to_string(),
            "write_burst_gap" => format!("{} ns", self.burst_of(1).gap_ns),
            "depth" => or_none(self.depth.map(|depth| depth.to_string())),
            "fit" => or_none(self.fit.map(|fit| fit.to_string())),
            other => unreachable!("{other} stands in the list of parameters"),
        }
    }

    /// Returns the burst parameters of the synthetic volume's reads (`kind` 0) or of its writes (1).
    fn burst_of(&self, kind: usize) -> VolumeBursts {
        match self.bursts {
            Bursts::Together(burst) => burst,
            Bursts::Apart(bursts) => bursts[kind],
        }
    }

    fn source(&self, card: &ParameterCard) -> String {
        let volume = self.volume;
        match card.name {
            key if self.is_given(key) => "given".into(),
            "requests" => volume.requests.source.into(),
            "reads" => volume.reads.source.into(),
            "size" => volume.mean_bytes.source.into(),
            "distinct" if self.is_given("requests") => {
                format!("in proportion to the requests given: {}", volume.distinct.source)
            }
            "distinct" => volume.distinct.source.into(),
            "interleaved_reads" | "interleaved_writes" if self.is_given("interleaved") => {
                "given as interleaved".into()
            }
            _ => card.default.into(),
        }
    }
}

/// Constant list of the names of the parameters of a synthetic volume's arrival times, which a closed loop (`depth`, a
/// fixed number of requests in flight) cannot have.
const PACES: [&str; 7] = [
    "requests_per_s",
    "burst",
    "burst_gap",
    "read_burst",
    "read_burst_gap",
    "write_burst",
    "write_burst_gap",
];
const MOST_IN_BURST: f64 = 1e9;
/// Constant: default bursts of a synthetic volume, which consist of one request each (random Poisson arrivals);
/// assumed, since nothing is published about arrivals.
const POISSON: VolumeBursts = VolumeBursts { requests: 1.0, gap_ns: 100_000.0 };
/// Constant: default fraction of a synthetic volume's requests that go to addresses both read and written; assumed,
/// since it is not published: halfway between none and all.
const DEFAULT_INTERLEAVED: f64 = 0.5;

fn named(spec: &str, name: &str) -> Result<&'static Volume, WorkloadError> {
    let names = || volumes().iter().map(|volume| volume.name);
    volumes().iter().find(|volume| volume.name == name).ok_or_else(|| {
        let known = names().collect::<Vec<_>>().join(", ");
        let hint = config::nearest(name, names())
            .map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        WorkloadError::of(spec, format!("no volume {name:?}"), format!("one of {known}{hint}"))
    })
}

fn unknown_key(spec: &str, key: &str) -> WorkloadError {
    let names = || CARDS.iter().map(|card| card.name);
    let expected = match config::nearest(key, names()) {
        Some(near) => format!("a parameter of volumes; did you mean {near:?}?"),
        None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
    };
    WorkloadError::of(spec, format!("{key:?} is unknown"), expected)
}
