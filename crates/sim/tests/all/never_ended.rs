//! Runs that once never ended: drives whose refresh, patrol or snapshots took all the time there was. Each is refused now,
//! with the arithmetic, and ends as soon as it is not.

use crate::common::closed_loop_forced;
use engine::RandomStream;
use host::{Op, Workload};
use sim::{Drive, Error, PreconditionKind, RunOptions, Session};
use std::collections::BTreeMap;
use units::{Nanos, Quantity};

/// Constant: greatest number of events of these runs before the test counts a run as endless.
const EVENTS_MOST: u64 = 1 << 26;

/// Record of a case of the test: settings of the host and of the drive of a seed that once did not end.
struct Case {
    host: BTreeMap<&'static str, &'static str>,
    drive: Vec<String>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../data/never_ended.txt");
    let pair = |word: &'static str| word.split_once('=').expect("a key and a value");
    let case = |block: &'static str| {
        let (host, drive) = block.split_once('\n')?;
        Some(Case {
            host: host.split(' ').map(pair).collect(),
            drive: drive.split_whitespace().map(str::to_owned).collect(),
        })
    };
    text.split("\n\n").filter(|block| block.starts_with("seed=")).filter_map(case).collect()
}

impl Case {
    fn number(&self, name: &str) -> f64 {
        self.host[name].parse().unwrap_or_else(|_| panic!("{name} = {}", self.host[name]))
    }

    fn workload(&self, span: u64) -> Box<dyn Workload> {
        let number = |name| self.number(name);
        let (requests, depth, forced) = (number("requests") as u64, number("depth") as u32, number("forced"));
        let (reads, trims, sectors_max) = (number("reads"), number("trims"), number("sectors_max") as u64);
        let (hot, sectors) = (self.host["hot"] == "true", span / 512);
        let mut draws = RandomStream::new(number("seed") as u64, "swarm.requests");
        closed_loop_forced(requests, depth, forced as u64, move |index| {
            if index % 97 == 96 {
                return (Op::FLUSH, 0, 0);
            }
            let op = match draws.unit() {
                kind if kind < reads => Op::READ,
                kind if kind < reads + trims => Op::TRIM,
                _ => Op::WRITE,
            };
            let space = if hot && draws.chance(0.8) { (sectors / 5).max(1) } else { sectors };
            let length = (1 + draws.below(sectors_max)).min(sectors);
            let start = draws.below(space).min(sectors - length);
            (op, start * 512, length as u32 * 512)
        })
    }

    /// Returns the drive's settings with the times between timer-driven work (refresh, patrol, snapshots) `factor`
    /// times as long.
    fn with_longer_times(&self, factor: u64) -> Vec<String> {
        let longer = |line: &String| {
            let (key, value) = line.split_once('=').expect("a key and a value");
            let is_upkeep = ["ftl.refresh.age", "ftl.scrub.period", "ftl.snapshots.every"].contains(&key);
            let time = Nanos::parse(value).ok().filter(|_| is_upkeep);
            time.map_or_else(|| line.clone(), |time| format!("{key}={}ns", time.ns() * factor))
        };
        self.drive.iter().map(longer).collect()
    }

    /// Runs the case's workload on a drive with the settings `drive`; returns true when the run ends within the limit
    /// on events.
    fn ends(&self, drive: &[String]) -> Result<bool, Error> {
        let drive = Drive::from_resolved("swarm", drive)?;
        let precondition = match self.host["precondition"] {
            "none" => PreconditionKind::None,
            "fill" => PreconditionKind::Fill,
            "instant" => PreconditionKind::Instant,
            _ => PreconditionKind::Steady,
        };
        let seed = self.number("seed") as u64;
        let options = RunOptions { check: true, seed, precondition, ..RunOptions::default() };
        let workload = self.workload(drive.capacity().get());
        let mut session = Session::with_workload(drive, workload, options)?;
        for _ in 0..EVENTS_MOST >> 20 {
            if session.advance(1 << 20)?.done {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[test]
fn what_never_ended_is_refused_until_its_times_are_long_enough_and_then_ends() {
    let cases = cases();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let seed = case.host["seed"];
        let mut factor = 1;
        loop {
            match case.ends(&case.with_longer_times(factor)) {
                Ok(ended) => {
                    break assert!(ended, "seed {seed} does not end with times {factor} times as long");
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("ftl.upkeep.share leaves it"), "seed {seed}: {text}");
                }
            }
            factor *= 2;
        }
    }
}
