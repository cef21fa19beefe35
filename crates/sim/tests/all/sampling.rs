//! Sampled runs: do they tell what the whole run would have, and as surely as they say?
//!
//! `FLOATGATE_SAMPLED_PAIRS=<from>..<to>` runs more drives and workloads than the ones below; with `--nocapture` it says what
//! became of each.

use crate::common::{SMALL, closed_loop, drive};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session};

/// Constant: seeds of the pairs of drive and workload that the test runs if no others are named.
const PAIRS: std::ops::Range<u64> = 0..10;

/// Pair of a drive and a workload, drawn from a seed, that is run in full and sampled.
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

#[test]
fn intervals_hold_what_the_whole_run_says() {
    let (mut held, mut all) = (0u32, 0u32);
    let mut missed = Vec::new();
    for seed in pairs() {
        let pair = Pair::draw(seed);
        let (exact, sampled) = (pair.run(None), pair.run(Some("waf:2%")));
        assert_eq!(sampled["sample"]["requests"], pair.requests, "pair {seed}");
        let Some(value) = sampled["sample"]["waf"]["value"].as_f64() else { continue };
        let truth = exact["waf"].as_f64().expect("there are writes");
        let end = |at: usize| sampled["sample"]["waf"]["interval"][at].as_f64().expect("an interval");
        let is_held = (end(0)..=end(1)).contains(&truth);
        println!(
            "pair {seed}: {truth:.5} exact, {value:.5} sampled, {:.5} to {:.5}, {is_held}; {pair:?}",
            end(0),
            end(1)
        );
        (all, held) = (all + 1, held + u32::from(is_held));
        if !is_held {
            missed.push(format!("pair {seed}: {truth} is not in {} to {} ({value})", end(0), end(1)));
        }
        // Chance alone brings one in ten thousand as far as twice half the interval.
        let off = (value - truth).abs() / (end(1) - value);
        assert!(
            off < 2.0,
            "pair {seed}: {truth} exact, {value} sampled, {off:.1} times half the interval off"
        );
    }
    println!("{held} of {all} intervals hold the value of the whole run");
    assert!(f64::from(held) >= 0.7 * f64::from(all), "{held} of {all}: {missed:#?}");
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
