//! Placement handles: what the host names with its data decides where they lie, and the drive can go on for ever.

use crate::common::{Around, SMALL, closed_loop, drive, run};
use engine::RandomStream;
use host::{HostRequest, Op, Workload};
use serde_json::Value;
use sim::{Copies, Drive, PreconditionKind, RunOptions, Session};
use std::path::Path;

/// Constant: settings of a drive with 160 superblocks on each of four dies, a quarter more than the capacity; a reclaim
/// unit is one superblock on each die, 512 KiB.
const UNITS_160: &[&str] = &[
    "nand.blocks_per_plane=160",
    "nand.pages_per_block=32",
    "ftl.op_ratio=0.25",
    "ftl.buffer.flush_after=1ms",
];
const FOUR: &[&str] = &["ftl.streams.name=fdp", "ftl.streams.handles=4"];
const PERSISTENTLY: &str = "ftl.streams.isolation=persistently";

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| match key.parse::<usize>() {
        Ok(at) => &value[at],
        Err(_) => &value[key],
    });
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// Makes a test workload like a file system below a store of sorted tables, each part at its own addresses: journal and
/// log written round and round, tables of a quarter reclaim unit written and trimmed whole, and metadata in single
/// units.
fn tables(capacity: u64, writes: u64) -> Box<dyn Workload> {
    let units = capacity / 4096;
    let (journal, log, metadata) = (units / 16, units / 8, units / 16);
    let tables_from = journal + log + metadata;
    let table = 32;
    let tables = (units - tables_from) / table;
    let mut random = RandomStream::new(1, "tables");
    let (mut at, mut pending) = ([0u64; 2], Vec::new());
    closed_loop(writes, 16, move |_| {
        if let Some(next) = pending.pop() {
            return next;
        }
        let mut round = |which: usize, from: u64, length: u64| {
            at[which] = (at[which] + 1) % length;
            (Op::WRITE, (from + at[which]) * 4096, 4096)
        };
        match random.below(20) {
            0..4 => round(0, 0, journal),
            4..10 => round(1, journal, log),
            10..13 => (Op::WRITE, (journal + log + random.below(metadata)) * 4096, 4096),
            _ => {
                let first = tables_from + random.below(tables) * table;
                pending.extend((0..table).rev().map(|unit| (Op::WRITE, (first + unit) * 4096, 4096)));
                (Op::TRIM, first * 4096, table as u32 * 4096)
            }
        }
    })
}

/// Returns the placement handle for a request of that workload on a drive of 64 MiB, by its address: 0 journal, 1 log,
/// 2 tables, 3 metadata.
fn by_part(request: &HostRequest) -> Option<u16> {
    let sixteenth = 4 << 20;
    Some(match request.offset / sixteenth {
        0 => 0,
        1 | 2 => 1,
        3 => 3,
        _ => 2,
    })
}

fn of_64_mib(settings: &[&str]) -> Drive {
    let size = ["ftl.user_capacity=64MiB"];
    let without: Vec<&str> =
        SMALL.iter().chain(UNITS_160).copied().filter(|line| !line.starts_with("ftl.op_ratio")).collect();
    drive(&[&without[..], &size, settings].concat())
}

/// Checks that a drive with four persistently isolated handles (journal, log, tables, metadata) never runs out of
/// reclaim units in twenty drive writes, on 160 units of which a fifth is spare, as FEMU's drives did (its issues 189
/// and 191).
#[test]
fn four_persistently_isolated_handles_never_run_out_of_units() {
    let with = of_64_mib(&[FOUR, &[PERSISTENTLY]].concat());
    let (capacity, writes) = (with.capacity().get(), 20 * 16_384);
    let options = || RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let placed = Around::placed(tables(capacity, writes), by_part);
    let result = run(with, Box::new(placed), options()).1;
    assert_eq!(number(&result, "host.write.requests") + number(&result, "host.trim.requests"), writes);
    println!("waf {}", result["waf"]);
    for handle in 0..4 {
        assert!(
            number(&result, &format!("ftl.streams.handles.{handle}.units_opened")) > 10,
            "{}",
            result["ftl"]["streams"]
        );
    }
}

/// Makes a test workload like a flash cache: half of the writes overwrite small objects at random on a 25th of the
/// drive, half write large objects in order on the rest.
fn cache(capacity: u64, writes: u64) -> Box<dyn Workload> {
    let units = capacity / 4096;
    let (small, mut at, mut random) = (units / 25, 0, RandomStream::new(1, "cache"));
    closed_loop(writes, 16, move |_| match random.below(2) {
        0 => (Op::WRITE, random.below(small) * 4096, 4096),
        _ => {
            at = (at + 1) % (units - small);
            (Op::WRITE, (small + at) * 4096, 4096)
        }
    })
}

/// Checks a finding of Allison and others (EuroSys 2025) with a flash cache: with a handle each for small and large
/// objects hardly any data are moved, no matter how handles are isolated; without handles small objects keep the blocks
/// of large ones from being emptied.
#[test]
fn a_cache_whose_small_objects_have_a_handle_of_their_own_moves_next_to_nothing() {
    let waf = |settings: &[&str], names: fn(&HostRequest) -> Option<u16>| {
        let drive = of_64_mib(settings);
        let workload = cache(drive.capacity().get(), 10 * 16_384);
        let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        let result = run(drive, Box::new(Around::placed(workload, names)), options).1;
        result["waf"].as_f64().expect("it wrote")
    };
    let by_size: fn(&HostRequest) -> Option<u16> =
        |request| Some(u16::from(request.offset < (64 << 20) / 25));
    let two = ["ftl.streams.name=fdp", "ftl.streams.handles=2"];
    let (initially, persistently) = (waf(&two, by_size), waf(&[&two[..], &[PERSISTENTLY]].concat(), by_size));
    let (none, one) = (waf(&[], |_| None), waf(&two, |_| Some(1)));
    println!(
        "without {none:.3}, one handle {one:.3}, initially {initially:.3}, persistently {persistently:.3}"
    );
    assert!(initially < 1.1 && persistently < 1.1, "initially {initially}, persistently {persistently}");
    assert!(none > 1.3 && one > 1.3, "without {none}, one handle {one}");
}

/// Makes a test workload on the whole drive: writes of one to three units, parts of units, and in each 18 requests
/// three reads, a trim and a flush.
fn mixed(requests: u64, capacity: u64, seed: u64) -> Box<dyn Workload> {
    let (units, mut random) = (capacity / 4096, RandomStream::new(seed, "mixed"));
    closed_loop(requests, 8, move |index| {
        let unit = random.below(units - 3);
        match index % 18 {
            0 => (Op::FLUSH, 0, 0),
            1 => (Op::TRIM, unit * 4096, 8192),
            2..5 => (Op::READ, unit * 4096, 4096),
            5 => (Op::WRITE, unit * 4096 + 512, 2048),
            _ => (Op::WRITE, unit * 4096, 4096 * (1 + random.below(3)) as u32),
        }
    })
}

fn checked() -> RunOptions {
    RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() }
}

/// Returns a placement handle from 0 to 4 for a request by its address; the drive of the test has only four handles, so
/// that 4 is invalid.
fn of_five(request: &HostRequest) -> Option<u16> {
    Some((request.offset / 4096 / 7 % 5) as u16)
}

/// Checks that the statistics of placement (as in NVMe's FDP log) equal the bytes of the host's requests and of the
/// flash operations.
#[test]
fn the_statistics_are_the_bytes_of_requests_and_of_the_flash() {
    let room = ["ftl.op_ratio=0.9"];
    let drive = drive(&[SMALL, &room, FOUR].concat());
    let workload = Around::placed(mixed(20_000, drive.capacity().get(), 1), of_five);
    let result = run(drive, Box::new(workload), checked()).1;
    let streams = &result["ftl"]["streams"];
    let handles = streams["handles"].as_array().expect("a list");
    let sum = |key: &str| handles.iter().map(|handle| handle[key].as_u64().expect("a count")).sum::<u64>();
    let written = number(&result, "host.write.bytes");
    assert_eq!(number(&result, "ftl.streams.host_bytes_written"), written);
    assert_eq!(sum("bytes_written"), written);
    assert_eq!(
        number(&result, "ftl.streams.media_bytes_written"),
        number(&result, "flash.units_programmed.total") * 4096
    );
    assert_eq!(
        number(&result, "ftl.streams.media_bytes_erased"),
        number(&result, "wear.blocks_erased") * 32 * 4096
    );
    assert_eq!(number(&result, "ftl.streams.reclaim_unit_bytes"), 4 * 32 * 4096);
    // One request in five names handle 4, which there is not.
    let (unknown, writes) =
        (number(&result, "ftl.streams.events.invalid_identifier"), number(&result, "host.write.requests"));
    assert!((0.19..0.21).contains(&(unknown as f64 / writes as f64)), "{unknown} of {writes}");
    let collected = sum("collections") + number(&result, "ftl.streams.shared_collections");
    assert_eq!(number(&result, "ftl.streams.events.media_reallocated"), collected);
    assert!(collected > 0 && number(&result, "ftl.gc.victims") >= collected, "{streams}");
    for handle in handles {
        let bytes = handle["bytes_written"].as_u64().expect("a count");
        // The first unit was begun by the fill, through handle 0, or is the first.
        let least = bytes / (4 * 32 * 4096);
        assert!(handle["units_opened"].as_u64().expect("a count") >= least.saturating_sub(1), "{handle}");
    }
}

/// Checks that data of two persistently isolated handles, which take turns unit by unit, never lie in the same
/// superblock when it is collected; initially isolated data do.
#[test]
fn persistently_isolated_data_stay_apart() {
    let of = |isolation: &str| {
        let room = ["ftl.op_ratio=1.2", "ftl.streams.name=fdp", "ftl.streams.handles=2"];
        let drive = drive(&[SMALL, &room, &[&format!("ftl.streams.isolation={isolation}")]].concat());
        let workload = Around::placed(mixed(20_000, drive.capacity().get(), 2), |request| {
            Some((request.offset / 4096 % 2) as u16)
        });
        run(drive, Box::new(workload), checked()).1
    };
    let (initially, persistently) = (of("initially"), of("persistently"));
    assert!(number(&initially, "ftl.streams.shared_collections") > 0, "{}", initially["ftl"]["streams"]);
    assert_eq!(number(&persistently, "ftl.streams.shared_collections"), 0);
}

/// Checks that a unit overwritten in the write buffer goes to the placement handle of its last write.
#[test]
fn the_last_write_of_a_buffered_unit_says_where_it_goes() {
    let settings =
        ["ftl.streams.name=fdp", "ftl.streams.handles=3", "ftl.buffer.power_loss_protection=false"];
    let drive = drive(&[SMALL, &settings, &["ftl.op_ratio=0.6"]].concat());
    // Sixty units keep the dies busy; the next one waits when it comes through handle 2, and comes again through handle 1.
    let workload = closed_loop(63, 1, |index| match index {
        62 => (Op::FLUSH, 0, 0),
        _ => (Op::WRITE, index.min(60) * 4096, 4096),
    });
    let mut seen = 0;
    let mut names = move |request: &HostRequest| {
        seen += u16::from(request.offset == 60 * 4096);
        [0, 2, 1][usize::from(seen.min(2)) * usize::from(request.offset == 60 * 4096)]
    };
    let options = RunOptions { check: true, ..RunOptions::default() };
    let result =
        run(drive, Box::new(Around::placed(workload, move |request| Some(names(request)))), options).1;
    assert_eq!(number(&result, "ftl.buffer.units_coalesced"), 1);
    let opened = |handle| number(&result, &format!("ftl.streams.handles.{handle}.units_opened"));
    assert_eq!([0, 1, 2].map(opened), [1, 1, 0]);
    // Both requests carried bytes through their handles.
    assert_eq!(
        [1, 2].map(|handle| number(&result, &format!("ftl.streams.handles.{handle}.bytes_written"))),
        [4096; 2]
    );
}

/// Checks, with the checker at each unit after each of six power cuts, that no durable data are lost with placement
/// handles, and that their counters go on.
#[test]
fn nothing_is_lost_when_the_power_fails() {
    let cuts = ["power.cut.drawn=6", "power.cut.within=3000", "ftl.buffer.power_loss_protection=false"];
    let room = ["ftl.op_ratio=1.0", "nand.pages_per_block=16"];
    for (seed, isolation) in (0..4).zip(["initially", "persistently"].into_iter().cycle()) {
        let options = RunOptions { check: true, seed, ..RunOptions::default() };
        let isolation = format!("ftl.streams.isolation={isolation}");
        let drive = drive(&[SMALL, &cuts, &room, FOUR, &[&isolation]].concat());
        let workload = Around::placed(mixed(6_000, drive.capacity().get(), seed), of_five);
        let result = run(drive, Box::new(workload), options).1;
        assert_eq!(result["power"]["cuts"].as_array().map(Vec::len), Some(6), "{}", result["power"]);
        assert!(number(&result, "ftl.streams.handles.1.units_opened") > 3, "{}", result["ftl"]["streams"]);
    }
}

/// Checks that a drive with placement handles, saved and loaded, goes on with its open reclaim units.
#[test]
fn a_saved_state_keeps_the_reclaim_units() {
    let settings = [SMALL, &["ftl.op_ratio=0.9"], FOUR, &["ftl.streams.unit_superblocks=7"]].concat();
    let capacity = drive(&settings).capacity().get();
    let placed = |requests, seed| Box::new(Around::placed(mixed(requests, capacity, seed), of_five));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state");
    let (mut session, _) = run(drive(&settings), placed(5_000, 1), checked());
    session.save_state(&path).unwrap_or_else(|error| panic!("{error}"));
    let load = |from: &Path| {
        let load_state = Some(from.display().to_string());
        let options = RunOptions { check: true, load_state, ..RunOptions::default() };
        run(drive(&settings), placed(1, 2), options)
    };
    let (mut loaded, first) = load(&path);
    let again = folder.path().join("again");
    loaded.save_state(&again).unwrap_or_else(|error| panic!("{error}"));
    let second = load(&again).1;
    let unit = 7 * 32 * 4096;
    assert_eq!(number(&first, "ftl.streams.reclaim_unit_bytes"), unit);
    for handle in 0..4 {
        let available =
            |result: &Value| number(result, &format!("ftl.streams.handles.{handle}.available_bytes"));
        let (first, second) = (available(&first), available(&second));
        assert!(first < unit && second < unit, "{handle}: {first}, {second}");
        // One run writes three units at most, whose program units may be padded.
        assert!((first + unit - second) % unit <= 8 * 4096, "{handle}: {first}, {second}");
    }
}

/// Checks that reclaiming reclaim units superblock by superblock moves as much data as superblocks of a unit's size
/// would, if each request leaves equally many units on each die, so that a unit's superblocks age alike.
#[test]
fn superblocks_that_age_alike_cost_what_whole_units_do() {
    let waf = |settings: &[&str]| {
        let fixed =
            ["nand.blocks_per_plane=96", "ftl.user_capacity=36MiB", "ftl.gc.trigger.background=false"];
        let handles = ["ftl.streams.name=fdp", "ftl.streams.handles=2", "ftl.placement.name=round-robin"];
        let without: Vec<&str> =
            SMALL.iter().copied().filter(|line| !line.starts_with("ftl.op_ratio")).collect();
        let drive = drive(&[&without[..], &fixed, &handles, settings].concat());
        let pieces = drive.capacity().get() / 65_536;
        let mut random = RandomStream::new(1, "alike");
        let workload =
            closed_loop(40 * pieces, 1, move |_| (Op::WRITE, random.below(pieces) * 65_536, 65_536));
        let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        run(drive, workload, options).1["waf"].as_f64().expect("it wrote")
    };
    let four_dies = waf(&["nand.pages_per_block=32"]);
    let one_die = waf(&["geometry.channels=1", "geometry.ways=1", "nand.pages_per_block=128"]);
    println!("four dies {four_dies:.4}, one die {one_die:.4}");
    assert!((four_dies / one_die - 1.0).abs() < 0.02, "four dies {four_dies}, one die {one_die}");
}

#[test]
fn what_does_not_fit_is_said_in_a_line() {
    let refusal = |settings: &[&str]| {
        let settings: Vec<String> = [SMALL, settings].concat().into_iter().map(str::to_owned).collect();
        let made = Drive::from_resolved("refused", &settings).and_then(|drive| drive.build(1).map(drop));
        made.expect_err("refused").to_string()
    };
    for (settings, expected) in [
        (&["ftl.streams.name=fdp", "ftl.streams.handles=32"][..], "expected 1 to 31"),
        (&["ftl.streams.name=fdp", "ftl.streams.isolation=always"], "expected initially or persistently"),
        (
            &[
                "ftl.streams.name=fdp",
                "ftl.streams.handles=3",
                "ftl.streams.isolation=[\"initially\", \"initially\"]",
            ],
            "one for each of 3 handles",
        ),
        (
            &["ftl.streams.name=fdp", "ftl.streams.handles=20", "ftl.streams.isolation=persistently"],
            "20 handles, 20 of them persistently isolated, take 40",
        ),
        (&["ftl.streams.name=fdp", "ftl.streams.handles=16"], "or ftl.streams.handles to "),
    ] {
        let error = refusal(settings);
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    // What is said to fit does.
    let error = refusal(&["ftl.streams.name=fdp", "ftl.streams.handles=16"]);
    let fits: u32 = error
        .split("ftl.streams.handles to ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .expect(&error);
    drive(&[SMALL, &["ftl.streams.name=fdp", &format!("ftl.streams.handles={fits}")]].concat())
        .build(1)
        .expect("it fits");
}

/// Checks that a placement rule on the host, by address or by rate of overwrites, separates the flash cache's data as
/// well as a workload that names handles.
#[test]
fn a_rule_places_what_a_workload_does_not() {
    let result = |rule: &str| {
        let handles = ["ftl.streams.name=fdp", "ftl.streams.handles=2"];
        let bound = 4096 * ((64 << 20) / 4096 / 25);
        let bounds = format!("host.place.bounds=[\"{bound}B\"]");
        let lines = match rule {
            "address" => vec!["host.place.name=address", &bounds],
            "none" => vec![],
            _ => vec!["host.place.name=rate", "host.place.piece=256KiB"],
        };
        let drive = of_64_mib(&[&handles[..], &lines].concat());
        let workload = cache(drive.capacity().get(), 10 * 16_384);
        let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
        run(drive, workload, options).1
    };
    let waf = |rule: &str| result(rule)["waf"].as_f64().expect("it wrote");
    let (none, address, rate) = (waf("none"), waf("address"), waf("rate"));
    println!("none {none:.3}, address {address:.3}, rate {rate:.3}");
    assert!(address < 1.1 && rate < 1.2, "address {address}, rate {rate}");
    assert!(none > 1.3, "{none}");
}

/// Checks that preconditioning by copies of the workload uses its placement rule, so that the run begins with data
/// already separated.
#[test]
fn a_drive_preconditioned_by_its_workload_is_placed_from_the_beginning() {
    let waf = |precondition| {
        let bounds = format!("host.place.bounds=[\"{}B\"]", 4096 * ((64 << 20) / 4096 / 25));
        let handles = ["ftl.streams.name=fdp", "ftl.streams.handles=2", "host.place.name=address", &bounds];
        let drive = of_64_mib(&handles);
        let capacity = drive.capacity().get();
        let copies = Copies::drawn(move |_| Ok(cache(capacity, 16_384)));
        let options = RunOptions { precondition, ..RunOptions::default() };
        let mut session =
            Session::with_copies(drive, copies, options).unwrap_or_else(|error| panic!("{error}"));
        session.finish().unwrap_or_else(|error| panic!("{error}"));
        session.result().expect("a result")["waf"].as_f64().expect("it wrote")
    };
    let (placed, mixed) = (waf(PreconditionKind::Workload), waf(PreconditionKind::Steady));
    println!("by the workload {placed:.3}, at random {mixed:.3}");
    assert!(placed < 1.05 && mixed > 1.2, "by the workload {placed}, at random {mixed}");
}

#[test]
fn a_rule_needs_handles() {
    let settings: Vec<String> =
        [SMALL, &["host.place.name=size"]].concat().into_iter().map(str::to_owned).collect();
    let error = Drive::from_resolved("refused", &settings).err().expect("refused").to_string();
    assert!(error.contains("host.place.name") && error.contains("ftl.streams.name = fdp"), "{error}");
}
