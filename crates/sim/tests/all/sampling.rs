//! Sampled runs: do they tell what the whole run would have, and as surely as they say?
//!
//! `FLOATGATE_SAMPLED_PAIRS=<from>..<to>` runs more drives and workloads than the ones below; with `--nocapture` it says what
//! became of each.

use crate::common::bench::with_policies;
use crate::common::{PAPER, SMALL, closed_loop, drive};
use engine::RandomStream;
use ftl::{CollectionInTime, Ftl, RunsAhead};
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session};
use units::{Lpn, Nanos, SimTime};

/// Constant: seeds of the pairs of drive and workload that the test of sampled runs takes if no other seeds are named.
const PAIRS: std::ops::Range<u64> = 0..10;

/// Record of a pair of a drive and a workload, drawn from a seed, that the test runs both in full and sampled.
#[derive(Debug)]
struct Pair {
    settings: Vec<String>,
    requests: u64,
    depth: u32,
    reads: f64,
    /// Share of the requests that go to the first tenth of the drive.
    hot: f64,
    bytes: u32,
    trims: f64,
    seed: u64,
}

impl Pair {
    fn draw(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "sampled pair");
        let mut one = |of: &[&str]| of[random.below(of.len() as u64) as usize].to_owned();
        let mut settings: Vec<String> = SMALL.iter().map(|line| (*line).to_owned()).collect();
        // In superblocks of 32 pages a few units in flight decide (docs/explanation/sampling.md).
        settings.push("nand.pages_per_block=128".to_owned());
        settings.push(format!("ftl.op_ratio={}", one(&["0.15", "0.25", "0.4"])));
        settings.push(format!("ftl.buffer.size={}", one(&["64KiB", "256KiB", "1MiB"])));
        settings.push(format!("ftl.buffer.write_back={}", one(&["true", "true", "false"])));
        settings.push(format!(
            "ftl.gc.victim.name={}",
            one(&["greedy", "greedy", "d-choices", "fifo", "cost-benefit"])
        ));
        settings.push(format!("ftl.wear.name={}", one(&["none", "dynamic"])));
        settings.push(format!("controller.scheduler.name={}", one(&["fcfs", "read-priority"])));
        let number = |text: String| text.parse::<f64>().expect("a number");
        Self {
            requests: number(one(&["120000", "200000"])) as u64,
            depth: number(one(&["1", "4", "16", "32"])) as u32,
            reads: number(one(&["0", "0.3", "0.7", "1"])),
            hot: number(one(&["0.1", "0.1", "0.8"])),
            bytes: number(one(&["4096", "4096", "8192"])) as u32,
            trims: number(one(&["0", "0", "0.02"])),
            settings,
            seed,
        }
    }

    fn drive(&self) -> Drive {
        drive(&self.settings.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn workload(&self) -> Box<dyn Workload> {
        let mut random = RandomStream::new(self.seed, "sampled requests");
        let places = self.drive().capacity().get() / u64::from(self.bytes);
        let (reads, hot, bytes, trims) = (self.reads, self.hot, self.bytes, self.trims);
        closed_loop(self.requests, self.depth, move |_| {
            let span = if random.chance(hot) { places / 10 } else { places };
            let at = random.below(span) * u64::from(bytes);
            let is_trim = random.chance(trims);
            let op = if random.chance(reads) {
                Op::READ
            } else if is_trim {
                Op::TRIM
            } else {
                Op::WRITE
            };
            (op, at, bytes)
        })
    }

    fn run(&self, sample: Option<&str>) -> Value {
        let options = RunOptions {
            precondition: PreconditionKind::Steady,
            sample: sample.map(str::to_owned),
            ..RunOptions::default()
        };
        let mut session = Session::with_workload(self.drive(), self.workload(), options).expect("a session");
        session.finish().expect("it ends");
        session.result().expect("a result")
    }
}

fn pairs() -> std::ops::Range<u64> {
    let asked = std::env::var("FLOATGATE_SAMPLED_PAIRS").ok();
    let range = asked.as_deref().and_then(|text| text.split_once(".."));
    range.map_or(PAIRS, |(from, to)| from.parse().expect("a number")..to.parse().expect("a number"))
}

/// Record of a figure of a pair: its name, its value in the run in full, its estimate in the sampled run, and the
/// estimate's interval.
struct Figure {
    name: String,
    truth: f64,
    value: f64,
    interval: Option<[f64; 2]>,
}

impl Figure {
    /// Returns all figures that a sampled run estimates, each with the value of the run in full.
    fn all(exact: &Value, sampled: &Value) -> Vec<Self> {
        let mut places = vec![("waf".to_owned(), "/waf".to_owned(), "/sample/waf".to_owned())];
        for kind in ["read", "write"] {
            for (name, place, estimate) in [
                ("iops", "iops", "iops"),
                ("mean", "latency_ns/mean", "latency_ns_mean"),
                ("p99", "latency_ns/p99", "latency_ns_p99"),
            ] {
                places.push((
                    format!("{name} of {kind}s"),
                    format!("/host/{kind}/{place}"),
                    format!("/sample/{kind}/{estimate}"),
                ));
            }
        }
        let figure = |(name, place, estimate): (String, String, String)| {
            let at = |end: usize| sampled.pointer(&format!("{estimate}/interval/{end}"))?.as_f64();
            Some(Self {
                name,
                truth: exact.pointer(&place)?.as_f64()?,
                value: sampled.pointer(&format!("{estimate}/value"))?.as_f64()?,
                interval: at(0).zip(at(1)).map(|(low, high)| [low, high]),
            })
        };
        places.into_iter().filter_map(figure).collect()
    }

    fn is_held(&self) -> bool {
        self.interval.is_some_and(|[low, high]| (low..=high).contains(&self.truth))
    }

    /// Returns the difference between the estimate and the run in full, divided by the half width of the interval on
    /// that side (above 1: outside the interval).
    fn off(&self) -> f64 {
        let [low, high] = self.interval.expect("an interval");
        let half = if self.truth < self.value { self.value - low } else { high - self.value };
        (self.value - self.truth).abs() / half
    }
}

#[test]
fn intervals_hold_what_the_whole_run_says() {
    let mut found: Vec<(u64, Figure)> = Vec::new();
    for seed in pairs() {
        let pair = Pair::draw(seed);
        let (exact, sampled) = (pair.run(None), pair.run(Some("waf:2%,iops:2%,mean:2%,p99:5%")));
        assert_eq!(sampled["sample"]["requests"], pair.requests, "pair {seed}");
        for figure in Figure::all(&exact, &sampled) {
            let Figure { name, truth, value, interval } = &figure;
            println!(
                "pair {seed}: {name} {truth:.5} exact, {value:.5} sampled, {interval:.5?}, {}",
                figure.is_held()
            );
            // Chance alone brings one in ten thousand as far as twice half the interval.
            if figure.interval.is_some() && !name.starts_with("p99") {
                let off = figure.off();
                assert!(
                    off < 2.0,
                    "pair {seed}: {name} {truth} exact, {value} sampled, {off:.1} times half the interval off"
                );
            }
            found.push((seed, figure));
        }
    }
    for name in ["waf", "iops", "mean", "p99"] {
        let of =
            || found.iter().filter(|(_, figure)| figure.name.starts_with(name) && figure.interval.is_some());
        let (all, held) = (of().count(), of().filter(|(_, figure)| figure.is_held()).count());
        println!("{name}: {held} of {all} intervals hold the value of the whole run");
        let missed: Vec<String> = of()
            .filter(|(_, figure)| !figure.is_held())
            .map(|(seed, figure)| format!("{} of pair {seed}", figure.name))
            .collect();
        assert!(all > 0 && held as f64 >= 0.7 * all as f64, "{name}: {held} of {all}: {missed:#?}");
    }
}

#[test]
fn most_of_a_run_is_carried_forward_and_all_of_it_is_counted() {
    let pair = Pair { requests: 200_000, reads: 0.0, trims: 0.0, ..Pair::draw(1) };
    let sampled = pair.run(Some("auto"));
    let count = |key: &str| sampled["sample"][key].as_u64().expect("a count");
    assert_eq!(count("requests"), 200_000);
    assert_eq!(count("requests_measured") + count("requests_warm_up") + count("requests_forwarded"), 200_000);
    assert!(count("requests_forwarded") > 20_000, "{}", sampled["sample"]);
    // What stands elsewhere is of the windows alone.
    assert_eq!(sampled["host"]["write"]["requests"], count("requests_measured"));
    assert!(pair.run(None).get("sample").is_none());
}

/// Checks that a sampled run has the same result however its caller divides it into slices of events.
#[test]
fn slices_of_any_size_come_to_the_same() {
    let whole = |slice: u64| {
        let pair = Pair { requests: 60_000, ..Pair::draw(2) };
        let options = RunOptions { sample: Some("waf:1%".into()), ..RunOptions::default() };
        let mut session = Session::with_workload(pair.drive(), pair.workload(), options).expect("a session");
        while !session.advance(slice).expect("it goes on").done {}
        session.result().expect("a result")["sample"].clone()
    };
    assert_eq!(whole(1 << 20), whole(640));
}

#[test]
fn what_cannot_be_sampled_is_refused() {
    let refused = |options: RunOptions| {
        let pair = Pair::draw(0);
        let sample = Some("auto".to_owned());
        let options = RunOptions { sample, ..options };
        let error = Session::with_workload(pair.drive(), pair.workload(), options).err();
        error.expect("it is refused").to_string()
    };
    let of = RunOptions::default;
    for (options, says) in [
        (RunOptions { check: true, ..of() }, "--check"),
        (RunOptions { timeline: true, ..of() }, "--timeline"),
        (RunOptions { requests: true, ..of() }, "--requests"),
        (RunOptions { limit_ns: Some(1), ..of() }, "--limit-time"),
        (RunOptions { passes: Some("until=waf:5%".into()), ..of() }, "--loop until"),
    ] {
        let error = refused(options);
        assert!(error.contains("--sample auto") && error.contains(says) && !error.contains('\n'), "{error}");
    }
}

/// Returns the mean number of free places of a die, in superblocks, over the host's writes to a used drive that runs
/// ahead without simulated time, where the dies are told to keep `told` superblocks of places free.
fn mean_places(told: f64) -> f64 {
    let mut ftl = with_policies(&[SMALL, &["nand.pages_per_block=128"]].concat(), |_| {});
    let (units, dies) = (ftl.layout().logical_units, f64::from(ftl.layout().dies));
    let superblock = f64::from(ftl.layout().superblock_units);
    let mut random = RandomStream::new(1, "free places");
    let mut write = |ftl: &mut Ftl| {
        assert!(ftl.try_write_untimed(Lpn(random.below(u64::from(units)) as u32)), "no room");
    };
    (0..3 * units).for_each(|_| write(&mut ftl));
    // Collections that move a unit for each unit that the host writes beside them.
    let seen = CollectionInTime { moved: 100, written: 100, host_units: 100, host_programs: 100 };
    let pages = ftl.as_page_mapped().expect("a map of pages");
    RunsAhead(pages).run_ahead(Some((seen, Nanos::new(1_000_000))), told * superblock);
    let mut places = 0;
    for _ in 0..units {
        write(&mut ftl);
        places += RunsAhead(ftl.as_page_mapped().expect("a map of pages")).free_places();
    }
    places as f64 / f64::from(units) / dies / superblock
}

#[test]
fn collections_keep_as_many_places_free_as_they_are_told() {
    let by_themselves = mean_places(0.0);
    for told in [3.1, 3.15] {
        assert!(by_themselves < told - 0.03, "{by_themselves} without a word");
        let kept = mean_places(told);
        assert!((kept - told).abs() < 0.015, "{kept} superblocks are free, not {told}");
    }
}

/// Workload of a test whose requests come in bursts at times of their own (open loop).
struct Arrivals {
    /// Number of requests that are left.
    left: u64,
    /// Number of requests that are left of the present burst.
    burst: u64,
    /// Time of the next request, in ns.
    next_ns: u64,
    /// Mean time between two requests, in ns.
    apart_ns: f64,
    /// Number of places for requests on the drive.
    places: u64,
    /// Next place of the sequence of reads.
    sequence: u64,
    random: RandomStream,
}

impl Arrivals {
    fn new(requests: u64, apart_ns: f64, drive: &Drive) -> Self {
        let (places, random) = (drive.capacity().get() / 4096, RandomStream::new(9, "arrivals"));
        Self { left: requests, burst: 0, next_ns: 0, apart_ns, places, sequence: 0, random }
    }
}

impl Workload for Arrivals {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let arrive = SimTime::from_ns(self.next_ns);
        if self.left == 0 {
            return Ok(Poll::Done);
        } else if arrive > now {
            return Ok(Poll::At(arrive));
        }
        self.left -= 1;
        if self.burst == 0 {
            self.burst = 1 + self.random.below(16);
            self.next_ns += (self.apart_ns * self.burst as f64 * 2.0 * self.random.unit()) as u64;
        }
        self.burst -= 1;
        let (op, at) = if self.random.chance(0.4) {
            (Op::WRITE, self.random.below(self.places))
        } else if self.random.chance(0.5) {
            self.sequence += 1;
            (Op::READ, self.sequence % self.places)
        } else {
            (Op::READ, self.random.below(self.places))
        };
        Ok(Poll::Ready(HostRequest::plain(arrive, op, at * 4096, 4096)))
    }

    fn is_open_loop(&self) -> bool {
        true
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {}

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport { name: "arrivals".into(), format: "test".into(), ..WorkloadReport::default() }
    }
}

/// Returns the result of `requests` requests with times of their own, `apart_ns` apart in the mean, on a drive with
/// read-ahead.
fn arriving(requests: u64, apart_ns: f64, sample: Option<&str>) -> Value {
    let read_ahead =
        ["ftl.read_ahead.name=sequential", "ftl.read_ahead.size=256KiB", "ftl.read_ahead.depth=64KiB"];
    let drive = drive(&[SMALL, &["nand.pages_per_block=128"], &read_ahead[..]].concat());
    let workload = Box::new(Arrivals::new(requests, apart_ns, &drive));
    let options = RunOptions {
        precondition: PreconditionKind::Steady,
        sample: sample.map(str::to_owned),
        limit_requests: Some(requests),
        ..RunOptions::default()
    };
    let mut session = Session::with_workload(drive, workload, options).expect("a session");
    session.finish().expect("it ends");
    session.result().expect("a result")
}

#[test]
fn an_open_loop_has_its_rates_by_its_arrivals_and_its_latencies_by_windows() {
    let [exact, sampled] = [None, Some("auto")].map(|sample| arriving(240_000, 150_000.0, sample));
    assert_eq!(sampled["sample"]["keeps_up"], true);
    assert!(sampled["sample"]["requests_forwarded"].as_u64() > Some(100_000), "{}", sampled["sample"]);
    let figures = Figure::all(&exact, &sampled);
    assert_eq!(figures.len(), 7);
    for figure in figures {
        let Figure { name, truth, value, interval } = &figure;
        println!("{name}: {truth:.5} exact, {value:.5} sampled, {interval:.5?}, {}", figure.is_held());
        assert!(name.starts_with("p99") || figure.off() < 2.0, "{name}: {truth} exact, {value} sampled");
        assert!(!name.starts_with("iops") || (value / truth - 1.0).abs() < 1e-3, "{name}: {truth}, {value}");
    }
}

#[test]
fn a_drive_that_falls_behind_an_open_loop_has_no_rates() {
    let sampled = arriving(480_000, 20_000.0, Some("iops:5%"));
    let sample = &sampled["sample"];
    assert_eq!((&sample["keeps_up"], &sample["reached"]), (&Value::Bool(false), &Value::Bool(false)));
    assert!(sample["read"].is_null() && sample["write"].is_null() && sample["waf"].is_object());
}

/// Checks that data written while requests are carried forward are as young as in a run in full: old data take a
/// retry, which fewer reads meet the more of them is written anew.
#[test]
fn data_written_between_windows_are_young() {
    let aged = [
        "nand.pages_per_block=128",
        "ftl.reading.age=1d",
        "ftl.reading.data_age=364d",
        "nand.pe_cycles=2000",
    ];
    let drive = || drive(&[PAPER, &aged[..]].concat());
    let of = |sample: Option<&str>| {
        let mut random = RandomStream::new(4, "aged");
        let places = drive().capacity().get() / 4096;
        let workload = closed_loop(300_000, 1, move |_| {
            let op = if random.chance(0.15) { Op::WRITE } else { Op::READ };
            (op, random.below(places) * 4096, 4096)
        });
        let options = RunOptions {
            precondition: PreconditionKind::Fill,
            sample: sample.map(str::to_owned),
            ..RunOptions::default()
        };
        let mut session = Session::with_workload(drive(), workload, options).expect("a session");
        session.finish().expect("it ends");
        session.result().expect("a result")
    };
    let (exact, sampled) = (of(None), of(Some("auto")));
    let number = |of: &Value, place: &str| of.pointer(place).and_then(Value::as_f64).expect("a number");
    let retried = number(&exact, "/ecc/reads_retried/host") / number(&exact, "/host/read/requests");
    assert!(retried > 0.02 && retried < 0.7, "{retried} of the reads are retried");
    let truth = number(&exact, "/host/read/latency_ns/mean");
    let found = number(&sampled, "/sample/read/latency_ns_mean/value");
    assert!((found / truth - 1.0).abs() < 0.02, "reads take {truth} ns, {found} by windows");
}
