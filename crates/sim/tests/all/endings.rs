//! Every run ends: work that the clock brings back leaves the host its time, what cannot be kept is refused before the
//! run, and a run that comes no nearer to its end says so.

use crate::common;
use crate::common::bench::Bench;
use crate::common::{PAPER, SMALL, catalogue, drive, run, uniform};
use controller::{Class, Kind, Origin, Transaction};
use engine::RandomStream;
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};
use units::{Nanos, Quantity};

fn number(result: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// Returns the least permitted time, in ns, that the error text of a refusal names.
fn least(error: &str) -> u64 {
    let text = error.split("expected ").nth(1).unwrap_or_else(|| panic!("{error}"));
    Nanos::parse(text.split(' ').next().unwrap()).unwrap_or_else(|_| panic!("{error}")).ns()
}

fn refusal(settings: &[&str]) -> String {
    let settings = [PAPER, settings].concat();
    let error = drive(&settings).build(1).err().expect("refused").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

/// Runs 12,000 writes on a full test drive that has to refresh all its data periodically; returns the number of
/// requests and the result.
fn refreshed(more: &[&str]) -> (u64, Value) {
    let old = ["ftl.reading.data_age=1d"];
    let drive = drive(&[PAPER, &old, more].concat());
    let span = drive.capacity().get();
    let options = RunOptions { check: true, precondition: PreconditionKind::Steady, ..RunOptions::default() };
    let requests = 12_000;
    let (_, result) = run(drive, uniform(requests, 16, Op::WRITE, 4096, span, 3), options);
    (requests, result)
}

#[test]
fn refresh_leaves_the_host_its_share_of_each_die() {
    // All that was there is due at once, and again and again as soon as the share allows.
    for share in ["0.5", "0.9"] {
        let least = least(&refusal(&["ftl.refresh.age=1s", &format!("ftl.upkeep.share={share}")]));
        let age = format!("ftl.refresh.age={}ns", least + 1);
        let (requests, result) = refreshed(&[&age, &format!("ftl.upkeep.share={share}")]);
        assert_eq!(number(&result, "host.completed.total"), requests as f64);
        assert!(number(&result, "flash.programs.refresh") > 1_000.0, "{}", result["flash"]["programs"]);
        let (used, share) = (number(&result, "ftl.upkeep.share_used"), share.parse::<f64>().unwrap());
        assert!(used > 0.0 && used <= share * 1.05, "{}", result["ftl"]["upkeep"]);
        assert!(number(&result, "ftl.upkeep.superblocks_begun") > 50.0, "{}", result["ftl"]["upkeep"]);
        let (mean, most) =
            (number(&result, "ftl.upkeep.late_ns_mean"), number(&result, "ftl.upkeep.late_ns_max"));
        assert!(mean > 0.0 && mean <= most, "{}", result["ftl"]["upkeep"]);
        assert!(number(&result, "ftl.upkeep.superblocks_late") > 0.0, "{}", result["ftl"]["upkeep"]);
    }
}

#[test]
fn what_the_clock_asks_for_too_often_is_refused_with_the_arithmetic() {
    // Where several dies share a slow channel, their data-outs take more of its time than the reads take of the dies'.
    for (setting, key, whose) in [
        ("ftl.refresh.age=2s", "ftl.refresh.age: ", "die"),
        ("ftl.scrub.period=100ms", "ftl.scrub.period: ", "channel"),
    ] {
        let error = refusal(&[setting]);
        let share = format!("of a {whose}'s time, and ftl.upkeep.share leaves it 0.500");
        assert!(error.contains(key) && error.contains(&share), "{error}");
        assert!(error.contains("expected"), "{error}");
        // What is said to be enough is enough, and no more than that.
        let least = least(&error);
        let name = setting.split('=').next().unwrap();
        drive(&[PAPER, &[&format!("{name}={}ns", least + 1)]].concat())
            .build(1)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(refusal(&[&format!("{name}={}ns", least - least / 1000)]).contains(key));
    }
    let both = refusal(&["ftl.refresh.age=3s", "ftl.scrub.period=600ms"]);
    assert!(both.contains("; together 0."), "{both}");
    let plain: Vec<&str> = common::SMALL.iter().copied().chain(["ftl.snapshots.every=1ns"]).collect();
    let error = drive(&plain).build(1).err().expect("refused").to_string();
    assert!(error.contains("ftl.snapshots.every: ") && error.contains("programs on all dies"), "{error}");
    for share in ["0.0", "1.5", "-1.0"] {
        let settings: Vec<String> = PAPER
            .iter()
            .map(|line| (*line).to_owned())
            .chain([format!("ftl.upkeep.share={share}")])
            .collect();
        let error = Drive::from_resolved("test", &settings).err().expect("refused").to_string();
        assert!(error.contains("ftl.upkeep.share") && error.contains("at most 1"), "{error}");
    }
}

/// Checks that a run on a drive whose erases fail, brought to its state by overwriting, comes to its end or reports a
/// worn-out drive, without a panic for lack of room on a die.
#[test]
fn a_drive_whose_erases_fail_is_overwritten_without_a_panic() {
    let settings = "ftl.gc.victim.name=d-choices ftl.wear.name=latency-guided nand.cell=mlc geometry.channels=4 \
                    geometry.ways=3 geometry.dies_per_way=2 nand.planes=1 nand.blocks_per_plane=48 \
                    nand.pages_per_block=28 nand.page_size=4KiB ftl.mapping_unit=4KiB ftl.op_ratio=0.41 \
                    nand.pe_cycles=1000 ftl.streams.name=mixed nand.bad_blocks.erase_fail_ratio=0.01 \
                    ftl.gc.trigger.background=true ftl.gc.trigger.low=1";
    let settings: Vec<String> = settings.split_whitespace().map(str::to_owned).collect();
    for seed in 0..6 {
        let drive = Drive::load(&catalogue(), "slc", &settings).unwrap_or_else(|error| panic!("{error}"));
        let span = drive.capacity().get();
        let options =
            RunOptions { check: true, seed, precondition: PreconditionKind::Steady, ..RunOptions::default() };
        let work = uniform(50, 4, Op::WRITE, 4096, span, seed);
        let mut session =
            Session::with_workload(drive, work, options).unwrap_or_else(|error| panic!("{error}"));
        if let Err(error) = session.finish() {
            assert!(error.to_string().contains("wore out"), "seed {seed}: {error}");
        }
    }
}

fn session(workload: &WorkloadSpec) -> Result<(), sim::Error> {
    let mut session = Session::new(drive(common::SMALL), workload, RunOptions::default())?;
    session.finish()
}

#[test]
fn work_beyond_what_a_run_can_hold_is_refused() {
    let spec = WorkloadSpec::FioText {
        name: "ages.fio".into(),
        text: "[ages]\nrw=randread\nsize=1m\nloops=999999999999\n".into(),
        variables: Default::default(),
    };
    let error = session(&spec).expect_err("refused").to_string();
    assert!(error.contains("longer than a run can be") || error.contains("loops"), "{error}");
}

#[test]
fn a_request_beyond_the_clock_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.csv");
    let line = |time: u64| format!("{time},host,0,Write,0,4096,0\n");
    std::fs::write(
        &path,
        (0..5).map(|at| line(128_166_372_003_061_629 + at * 10_000_000)).collect::<String>(),
    )
    .unwrap();
    let options = host::trace::TraceOptions { speedup: 1e-12, ..Default::default() };
    let spec = WorkloadSpec::Trace { path, options };
    let error = session(&spec).expect_err("refused").to_string();
    assert!(error.contains("years of simulated time") && error.contains("speed-up"), "{error}");
}

/// Checks that the host's requests end, with each scheduler, even if upkeep may use all of a die's time.
#[test]
fn a_share_of_all_the_time_does_not_starve_the_host() {
    let entries = sim::policies();
    for entry in entries.iter().filter(|entry| entry.seam == "controller.scheduler") {
        let name = format!("controller.scheduler.name={}", entry.card.name);
        let (requests, result) = refreshed(&[&name, "ftl.upkeep.share=1.0", "ftl.refresh.age=1600ms"]);
        assert_eq!(number(&result, "host.completed.total"), requests as f64, "{name}");
        assert!(number(&result, "ftl.upkeep.superblocks_late") > 0.0, "{name}: {}", result["ftl"]["upkeep"]);
    }
}

/// Checks that reads of the whole drive are refused if so many are in flight at once (more than 2^23 units) that a run
/// could not number their flash operations.
#[test]
fn more_reads_at_once_than_operations_can_be_numbered_are_refused() {
    let reads = |depth: u64| {
        let drive = drive(&[common::SMALL, &["host.max_commands=4096"]].concat());
        let span = drive.capacity().get();
        let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        let work = uniform(depth, depth as u32, Op::READ, span as u32, span, 1);
        Session::with_workload(drive, work, options).unwrap().finish().map(|()| span / 4096)
    };
    let units = reads(4).expect("four at once are not many");
    let error = reads((1 << 23) / units + 1).expect_err("refused").to_string();
    assert!(error.contains("read more than 8388608 units") && error.contains("expected"), "{error}");
}

#[test]
fn more_commands_than_a_run_can_number_are_refused() {
    let host = |queues: u32, commands: u32| {
        let more = [
            "host.link.queue_depth=16384".to_owned(),
            format!("host.link.queues={queues}"),
            format!("host.max_commands={commands}"),
        ];
        let settings: Vec<String> = common::SMALL.iter().map(|line| (*line).to_owned()).chain(more).collect();
        Drive::from_resolved("test", &settings).map(|_| ())
    };
    host(1023, 16_384).expect("as many as there are numbers");
    for (queues, commands) in [(1023, 16_385), (1024, 1), (65_536, 1)] {
        let error = host(queues, commands).expect_err("refused").to_string();
        assert!(error.contains("host.max_commands") && error.contains("at most 16777216"), "{error}");
    }
}

/// Checks that the host has a turn between two superblocks that are refreshed, when all are due at once and each die
/// may use all its time: two victims of collection lie between them, one in progress when the second refresh was asked
/// for, and one for the waiting host.
#[test]
fn between_two_superblocks_written_anew_the_host_has_a_turn() {
    let due = ["ftl.reading.data_age=1d", "ftl.refresh.age=1600ms", "ftl.upkeep.share=1.0"];
    let short = ["geometry.channels=1", "geometry.ways=1", "ftl.gc.trigger.low=6"];
    let mut bench = Bench::filled(&[PAPER, &due, &short].concat());
    let logical = u64::from(bench.ftl.layout().logical_units);
    let mut random = RandomStream::new(3, "overwrites");
    for _ in 0..6_000 {
        assert!(bench.write(random.below(logical) as u32));
    }
    let moves = |it: &&Transaction| it.kind == Kind::Read && it.class == Class::InternalRead;
    let mut victims: Vec<(u32, Origin)> =
        bench.ctx.probe.submitted.iter().filter(moves).map(|it| (it.superblock, it.origin)).collect();
    victims.dedup();
    // Before the first there is no garbage yet.
    let of_gc: Vec<usize> = (0..victims.len()).filter(|at| victims[*at].1 == Origin::Gc).collect();
    let turns: Vec<usize> =
        victims[of_gc[0]..].split(|(_, origin)| *origin == Origin::Refresh).map(<[_]>::len).collect();
    assert!(turns.len() > 100, "{}", turns.len());
    // The last may be in flight.
    let fewest = turns[..turns.len() - 1].iter().min();
    assert!(fewest >= Some(&2), "{turns:?}");
}

#[test]
fn a_drive_of_blocks_without_failures_does_not_end_when_it_stalls() {
    let mut ftl = drive(&[SMALL, &["ftl.mapping.name=block"]].concat()).build(1).expect("a drive");
    ftl.declare_stalled();
    assert!(!ftl.is_read_only(), "nothing failed: a fault of the simulator, not of the drive");
}
