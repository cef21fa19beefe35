//! Does write amplification in the long run, said after a short one, agree with a long one? Is it made up of what it says,
//! and does a workload run over and over go on?

use crate::common;
use crate::common::{SMALL, drive, run, uniform};
use host::{Completion, Op};
use serde_json::Value;
use sim::{PreconditionKind, RunOptions, Session, WorkloadSpec};

fn steady(seed: u64) -> RunOptions {
    RunOptions { seed, precondition: PreconditionKind::Steady, ..RunOptions::default() }
}

fn measured(settings: &[&str], seed: u64, requests: u64) -> Value {
    let drive = drive(&[SMALL, settings].concat());
    let span = drive.capacity().get();
    run(drive, uniform(requests, 16, Op::WRITE, 4096, span, seed), steady(seed)).1
}

fn number(value: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(value, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} = {found}"))
}

fn job(text: &str) -> WorkloadSpec {
    WorkloadSpec::FioText {
        name: "job".into(),
        text: format!("[j]\nrw=randwrite\nbs=4k\n{text}"),
        variables: Default::default(),
    }
}

fn worked(settings: &[&str], text: &str, options: RunOptions) -> Value {
    let drive = drive(&[SMALL, settings].concat());
    let mut session = Session::new(drive, &job(text), options).unwrap_or_else(|error| panic!("{error}"));
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session.result().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_short_run_says_what_a_long_one_finds() {
    for victim in ["greedy", "fifo", "d-choices"] {
        let settings = format!("ftl.gc.victim.name={victim}");
        // 6,600 units are an overwrite: nine of them, three times.
        let long = (100..103).map(|seed| number(&measured(&[&settings], seed, 60_000), "waf"));
        let long = long.sum::<f64>() / 3.0;
        let held = |seed: &u64| {
            let result = measured(&[&settings], *seed, 6_000);
            let of = |name: &str| number(&result, &format!("waf_long_run.{name}"));
            (of("low")..of("high")).contains(&long)
        };
        // Of 20 at 95 %, fewer than 17 come once in sixty times.
        let held = (0..20).filter(held).count();
        assert!(held >= 17, "{victim}: {held} of 20 intervals hold {long}");
    }
}

#[test]
fn a_short_run_says_what_latencies_a_long_one_finds() {
    for victim in ["greedy", "d-choices"] {
        let victim_name = format!("ftl.gc.victim.name={victim}");
        let settings = [victim_name.as_str()];
        for figure in ["mean", "p50"] {
            let path = format!("host.write.latency_ns.{figure}");
            let long = (100..103).map(|seed| number(&measured(&settings, seed, 60_000), &path));
            let long = long.sum::<f64>() / 3.0;
            let held = |seed: &u64| {
                let result = measured(&settings, *seed, 6_000);
                let interval = &result["host"]["write"]["interval"]["latency_ns"][figure];
                let bound = |side: usize| interval[side].as_f64().unwrap();
                (bound(0)..=bound(1)).contains(&long)
            };
            let held = (0..20).filter(held).count();
            assert!(held >= 17, "{victim}: {held} of 20 intervals of the {figure} hold {long} ns");
        }
    }
}

#[test]
fn a_median_read_says_that_its_popular_data_could_lie_in_other_pages() {
    let settings = ["nand.cell=tlc", "nand.pages_per_block=48", r#"nand.t_r=["25us", "45us", "65us"]"#];
    // Nine units are all that is read: their pages decide on the median, and are of three kinds.
    let read = |seed: u64, popular: usize| {
        let drive = drive(&[SMALL, &settings].concat());
        let units = drive.capacity().get() / 4096;
        let mut random = engine::RandomStream::new(seed, "test");
        let places: Vec<u64> = (0..popular).map(|_| random.below(units)).collect();
        let draw = move |_| (Op::READ, places[random.below(places.len() as u64) as usize] * 4096, 4096);
        let fill = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        run(drive, common::closed_loop(30_000, 1, draw), fill).1
    };
    let median = number(&read(1, 3_000), "host.read.latency_ns.p50");
    let holds = |seed: &u64| {
        let interval = &read(*seed, 9)["host"]["read"]["interval"]["latency_ns"]["p50"];
        (interval[0].as_f64().unwrap()..=interval[1].as_f64().unwrap()).contains(&median)
    };
    // Of 40 at 95 %, fewer than 35 come once in seventy times.
    let held = (0..40).filter(holds).count();
    assert!(held >= 35, "{held} of 40 intervals hold {median} ns, the median where all is read alike");
}

#[test]
fn what_writes_find_in_the_buffer_says_whether_they_are_uniform() {
    let times = |hot: f64| {
        let drive = drive(SMALL);
        let units = drive.capacity().get() / 4096;
        let mut random = engine::RandomStream::new(5, "test");
        let draw = move |_| {
            let first = (units as f64 * 0.2) as u64;
            let unit =
                if random.chance(hot) { random.below(first) } else { first + random.below(units - first) };
            (Op::WRITE, unit * 4096, 4096)
        };
        let (_, result) = run(drive, common::closed_loop(60_000, 16, draw), steady(1));
        number(&result, "ftl.buffer.units_replaced") / number(&result, "ftl.buffer.units_replaced_uniform")
    };
    // The chance that two writes meet is the sum of the squares of their places' chances, over the drive's units.
    let (uniform, skewed) = (times(0.2), times(0.8));
    assert!((0.8..1.1).contains(&uniform), "{uniform}");
    assert!((2.6..3.5).contains(&skewed), "{skewed}: 0.8 x 0.8 / 0.2 + 0.2 x 0.2 / 0.8 = 3.25");
}

#[test]
fn parts_add_up_and_a_short_run_gives_no_value() {
    let result = measured(&[], 1, 60);
    let parts = result["waf_parts"].as_object().unwrap();
    let sum: f64 = parts.values().filter_map(Value::as_f64).sum();
    assert!((sum - number(&result, "waf")).abs() < 1e-9, "{parts:?}");
    assert!(result["waf_long_run"]["value"].is_null() && result["waf_long_run"]["low"].is_null());
    assert_eq!(number(&result, "waf_long_run.too_short.victims"), number(&result, "ftl.gc.victims"));
    assert!(number(&result, "waf_long_run.too_short.needed") > number(&result, "ftl.gc.victims"));
}

#[test]
fn what_was_owed_before_is_apart_from_what_the_run_caused() {
    // Background collection goes on until ten superblocks of a die are free; steady overwriting left three or so.
    // Without a write cache nothing runs before, which would repay it.
    let settings = ["ftl.gc.trigger.high=10", "ftl.gc.trigger.low=2", "ftl.buffer.write_back=false"];
    let result = worked(&settings, "rate_iops=200\nio_size=256k\nsize=100%\n", steady(1));
    let (waf, owed) = (number(&result, "waf"), number(&result, "waf_parts.gc_debt"));
    assert!(waf > 10.0 && owed > 0.8 * waf, "{waf}, of which {owed} were owed");
    let missing = number(&result, "debt.room_superblocks");
    assert!((4.0..48.0).contains(&missing), "{missing} superblocks were missing on four dies");
    // The same writes where nothing is owed cost what they always do.
    let caused = waf - owed;
    assert!((1.0..6.0).contains(&caused), "{caused}");
}

#[test]
fn slow_writes_are_padded_and_that_has_its_own_part() {
    let settings = ["nand.planes=2", "nand.blocks_per_plane=32", "ftl.buffer.flush_after=1ms"];
    let result = worked(&settings, "rate_iops=100\nio_size=400k\nsize=100%\n", RunOptions::default());
    // A unit of two goes to the flash alone.
    assert!((number(&result, "waf_parts.padding") - 1.0).abs() < 0.05, "{}", result["waf_parts"]);
    assert_eq!(number(&result, "waf_parts.gc_debt"), 0.0);
}

#[test]
fn passes_follow_each_other_and_are_counted() {
    let passes = |text: &str| RunOptions { passes: Some(text.into()), ..steady(1) };
    let once = worked(&[], "io_size=400k\nsize=100%\n", steady(1));
    let thrice = worked(&[], "io_size=400k\nsize=100%\n", passes("3"));
    assert!(once["loop"].is_null());
    assert_eq!(number(&thrice, "loop.passes"), 3.0);
    for path in ["workload.requests", "host.write.requests", "host.completed.total"] {
        assert_eq!(number(&thrice, path), 3.0 * number(&once, path), "{path}");
    }
    let known = worked(&[], "io_size=400k\nsize=100%\n", passes("until=waf:5%"));
    assert_eq!(known["loop"]["reached"], true);
    assert!(number(&known, "waf_long_run.half_width_relative") <= 0.05);
    let given_up = worked(&[], "io_size=400k\nsize=100%\n", passes("until=waf:0.01%,max=2"));
    assert_eq!((&given_up["loop"]["reached"], number(&given_up, "loop.passes")), (&false.into(), 2.0));
    // What only reads is not read for ever.
    let reads = worked(&[], "rw=randread\nio_size=400k\nsize=100%\n", passes("until=waf:5%"));
    assert_eq!(number(&reads, "loop.passes"), 1.0);
}

#[test]
fn a_further_pass_draws_other_blocks_and_keeps_the_popular_ones() {
    let offsets = |distribution: &str, pass: u32| {
        let text = format!("size=4m\nio_size=2m\nrandom_distribution={distribution}\n");
        let mut source = job(&text).open_again(&(8 << 20).into(), 1, pass).unwrap();
        let now = units::SimTime::ZERO;
        let mut offsets = Vec::new();
        while let host::Poll::Ready(request) = source.poll(now).unwrap() {
            source.complete(&request, &Completion::success(now));
            offsets.push(request.offset);
        }
        offsets
    };
    let most = |offsets: &[u64]| {
        let mut counts = std::collections::BTreeMap::new();
        offsets.iter().for_each(|offset| *counts.entry(*offset).or_insert(0) += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0
    };
    for distribution in ["random", "zipf:1.5"] {
        let (first, second) = (offsets(distribution, 0), offsets(distribution, 1));
        assert_eq!(first.len(), 512);
        assert_ne!(first, second, "{distribution}");
        assert_eq!(second, offsets(distribution, 1), "{distribution}: the same seed and pass");
    }
    assert_eq!(most(&offsets("zipf:1.5", 0)), most(&offsets("zipf:1.5", 1)));
}
