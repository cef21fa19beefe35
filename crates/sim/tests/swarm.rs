//! Random drives, policies and workloads from one seed each, with the checks on: nothing gets stuck, nothing
//! is lost, and a drive that cannot sustain writes is refused before the run.
//!
//! A failing seed is repeated by `FLOATGATE_SWARM_SEED=<seed> cargo test -p sim --test swarm`.

mod common;

use common::{Finds, closed_loop, closed_loop_forced, run};
use engine::RandomStream;
use host::{Extent, Op};
use sim::{Drive, PreconditionKind, RunOptions, Session};

const SEEDS: u64 = 150;
/// Seeds whose runs once went on for ever: a host that snapshots starved, timers of a drive that had worn out.
const NEVER_ENDED: [u64; 2] = [231, 441];

fn choose<'a>(random: &mut RandomStream, options: &[&'a str]) -> &'a str {
    options[random.below(options.len() as u64) as usize]
}

fn policy_names(seam: &str) -> Vec<&'static str> {
    sim::policies().into_iter().filter(|entry| entry.seam == seam).map(|entry| entry.card.name).collect()
}

/// A random drive; tiny ones are common, because they are where space runs out.
fn settings(random: &mut RandomStream) -> Vec<String> {
    let mut lines = Vec::new();
    let mut set = |key: &str, value: String| lines.push(format!("{key}={value}"));
    let cell = choose(random, &["slc", "mlc", "tlc", "qlc"]);
    let bits = ["slc", "mlc", "tlc", "qlc"].iter().position(|name| *name == cell).unwrap() as u64 + 1;
    set("nand.cell", cell.into());
    let program = choose(random, &["page", "one-shot"]);
    set("nand.program", program.into());
    set("geometry.channels", (1 + random.below(4)).to_string());
    set("geometry.ways", (1 + random.below(3)).to_string());
    set("nand.planes", (1 + random.below(3)).to_string());
    set("nand.blocks_per_plane", (4 + random.below(40)).to_string());
    set("nand.pages_per_block", (bits * (1 + random.below(24))).to_string());
    set("nand.page_size", choose(random, &["4KiB", "8KiB", "16KiB"]).into());
    set("ftl.mapping_unit", choose(random, &["4KiB", "4KiB", "2KiB"]).into());
    set("nand.t_r", "40us".into());
    if program == "page" && random.chance(0.5) {
        let times: Vec<String> = (0..bits).map(|bit| format!("\"{}us\"", 150 + 200 * bit)).collect();
        set("nand.t_prog", format!("[{}]", times.join(", ")));
    } else {
        set("nand.t_prog", "300us".into());
    }
    set("nand.t_bers", "2ms".into());
    match random.below(4) {
        0 => set("bus.interface.name", choose(random, &["conv", "sync-only", "proposed"]).into()),
        1 => {
            set(
                "bus.interface.name",
                choose(random, &["sdr", "nv-ddr", "nv-ddr2", "nv-ddr3", "nv-lpddr4"]).into(),
            );
            set("bus.interface.mode", random.below(6).to_string());
        }
        _ => set("bus.interface.rate", choose(random, &["40MT/s", "400MT/s"]).into()),
    }
    let known =
        ["conv", "sync-only", "proposed", "sdr:5", "nv-ddr:5", "nv-ddr2:10", "nv-ddr3:19", "nv-lpddr4:19"];
    set("nand.interfaces", format!("[{}]", known.map(|name| format!("\"{name}\"")).join(", ")));
    set("bus.cycles_status", choose(random, &["0", "2"]).into());
    if random.chance(0.3) {
        set("host.frame", choose(random, &["4KiB", "16KiB"]).into());
        set("host.cut_through", choose(random, &["true", "false"]).into());
        set("host.double_buffer", choose(random, &["true", "false"]).into());
        set("host.group_pages_per_die", random.below(3).to_string());
    }
    if random.chance(0.2) {
        set("ecc.drain", "500MB/s".into());
    }
    let regulated = random.chance(0.5);
    if regulated {
        set("nand.errors.name", choose(random, &["none", "power-law"]).into());
        set("nand.pe_cycles", choose(random, &["0", "1000"]).into());
        set("ecc.code.name", "ldpc".into());
        let regulator = choose(random, &policy_names("ftl.regulator"));
        set("ftl.regulator.name", regulator.into());
        match regulator {
            "retention-relaxation" => set("ftl.regulator.refresh_period", "20ms".into()),
            "tvr" => set("ftl.regulator.horizon", "40ms".into()),
            _ => {}
        }
        set("ftl.reading.reclaim", choose(random, &["true", "false"]).into());
        set("ftl.rewrite.idle_after", choose(random, &["0ns", "50us", "1ms"]).into());
        set("ftl.reading.reads", choose(random, &["0", "30", "10000"]).into());
        set("ftl.reading.data_age", choose(random, &["0ns", "3650d"]).into());
        set("ftl.refresh.age", choose(random, &["0s", "2s"]).into());
        set("ftl.scrub.period", choose(random, &["0s", "100ms"]).into());
        set("ftl.scrub.idle_after", choose(random, &["0ns", "50us"]).into());
        set("ftl.scrub.margin", choose(random, &["0.2", "0.7"]).into());
    }
    set("ecc.t_decode", choose(random, &["0ns", "5us"]).into());
    set("ftl.op_ratio", format!("{:.2}", 0.05 + random.unit() * 1.5));
    set("ftl.buffer.size", choose(random, &["1MiB", "4MiB", "16MiB"]).into());
    let eviction = choose(random, &policy_names("ftl.buffer.eviction"));
    set("ftl.buffer.eviction.name", eviction.into());
    let read_cache = random.chance(0.3);
    set("ftl.buffer.read_cache", read_cache.to_string());
    if eviction != "fifo" || read_cache || random.chance(0.2) {
        set("ftl.buffer.keep_ratio", choose(random, &["0.2", "0.75", "1.0"]).into());
    }
    set("ftl.buffer.flush_after", choose(random, &["0ns", "100us", "2ms"]).into());
    for key in [
        "ftl.buffer.write_back",
        "ftl.buffer.power_loss_protection",
        "controller.multi_plane",
        "controller.cache_read",
        "controller.cache_program",
        "controller.scheduler.suspend_program",
        "controller.scheduler.suspend_erase",
        "ftl.gc.trigger.background",
    ] {
        set(key, choose(random, &["true", "false"]).into());
    }
    let cached = !regulated && bits > 1 && random.chance(0.4);
    if cached {
        set("nand.slc_mode.t_r", "20us".into());
        set("nand.slc_mode.t_prog", "100us".into());
        set("nand.slc_mode.erases_per_cycle", (1 + random.below(3)).to_string());
        set("nand.slc_mode.folds_in_die", choose(random, &["true", "false"]).into());
        let name = choose(random, &["static", "dynamic"]);
        set("ftl.slc_cache.name", name.into());
        let key = if name == "static" { "size" } else { "least" };
        set(&format!("ftl.slc_cache.{key}"), choose(random, &["1kB", "1MB", "4MB"]).into());
        set("ftl.slc_cache.when_full", choose(random, &["bypass", "fold-first"]).into());
        set("ftl.slc_cache.in_idle_time", choose(random, &["true", "false"]).into());
        set("ftl.slc_cache.idle_after", choose(random, &["0ns", "50us", "1ms"]).into());
    }
    // Costs are regulated, and cells hold one bit, for a page map only.
    let mapping = choose(random, &policy_names("ftl.mapping"));
    set("ftl.mapping.name", if regulated || cached { "page" } else { mapping }.into());
    let stream = choose(random, &["mixed", "separate"]);
    set("ftl.gc.stream", if cached { "separate" } else { stream }.into());
    set("ftl.gc.read_ahead", (1 + random.below(8)).to_string());
    set("ftl.gc.trigger.low", (1 + random.below(3)).to_string());
    set("controller.program_queue", (1 + random.below(4)).to_string());
    let link = choose(random, &policy_names("host.link"));
    set("host.link.name", link.into());
    let most = match link {
        "pata" => 1,
        "sata" => 32,
        _ => 64,
    };
    set("host.max_commands", (1 + random.below(most)).to_string());
    if link == "nvme" && random.chance(0.5) {
        set("host.link.arbitration", "weighted-round-robin".into());
        set("host.link.queues", (3 + random.below(3)).to_string());
        set("host.link.classes", "[\"urgent\", \"high\", \"low\"]".into());
    }
    for seam in
        ["ftl.gc.victim", "ftl.wear", "ftl.placement", "controller.scheduler", "controller.arbitration"]
    {
        set(&format!("{seam}.name"), choose(random, &policy_names(seam)).into());
    }
    if random.chance(0.15) {
        // Copyback needs one mapping unit per program.
        set("controller.copyback", "true".into());
        set("controller.multi_plane", "false".into());
        set("nand.program", "page".into());
        set("nand.page_size", "4KiB".into());
        set("ftl.mapping_unit", "4KiB".into());
    }
    if random.chance(0.3) {
        set("nand.bad_blocks.factory_ratio", "0.02".into());
    }
    if random.chance(0.2) {
        set("nand.bad_blocks.program_fail_ratio", "0.0005".into());
        set("nand.bad_blocks.erase_fail_ratio", "0.001".into());
    }
    if !cached && random.chance(0.3) {
        set("ftl.parity.name", "rain".into());
        if random.chance(0.5) {
            set("ftl.parity.stripe", choose(random, &["2", "3", "5"]).into());
        }
        set("geometry.ways", "3".into());
        let kinds = if regulated { &["page"][..] } else { &["page", "page", "dftl", "birrell"] };
        set("ftl.mapping.name", choose(random, kinds).into());
        set("ftl.op_ratio", format!("{:.2}", 0.6 + random.unit() * 1.5));
    } else if stream == "separate" && !cached && (regulated || ["page", "dftl", "birrell"].contains(&mapping))
    {
        set("ftl.program_order.name", choose(random, &policy_names("ftl.program_order")).into());
    }
    lines
}

/// Snapshots of some of the drives, drawn apart from all else.
fn snapshot_settings(seed: u64) -> Vec<String> {
    let random = &mut RandomStream::new(seed, "swarm.snapshots");
    if random.chance(0.5) {
        return Vec::new();
    }
    let mut lines = vec![
        format!("ftl.snapshots.every={}", choose(random, &["3ms", "15ms", "60ms"])),
        format!("ftl.snapshots.keep={}", 1 + random.below(4)),
        format!("ftl.snapshots.when_full={}", choose(random, &["drop-oldest", "refuse-writes"])),
        format!("ftl.snapshots.space_ratio={}", choose(random, &["0.1", "0.5", "1.0"])),
    ];
    if random.chance(0.5) {
        lines.push("ftl.snapshots.rollback_at=[\"65ms\", \"90ms\"]".into());
    }
    lines
}

/// How reads reach the flash, drawn apart from all else.
fn read_settings(seed: u64) -> Vec<String> {
    let random = &mut RandomStream::new(seed, "swarm.reads");
    let mut lines = Vec::new();
    let merge = choose(random, &policy_names("ftl.read_merge"));
    lines.push(format!("ftl.read_merge.name={merge}"));
    if merge == "same-page" && random.chance(0.5) {
        lines.push(format!("ftl.read_merge.most={}", 2 + random.below(4)));
        lines.push(format!("ftl.read_merge.begun={}", choose(random, &["true", "false"])));
    }
    let ahead = choose(random, &policy_names("ftl.read_ahead"));
    lines.push(format!("ftl.read_ahead.name={ahead}"));
    if ahead == "sequential" {
        lines.push(format!("ftl.read_ahead.trigger={}", 2 + random.below(3)));
        lines.push(format!("ftl.read_ahead.streams={}", choose(random, &["1", "4", "16"])));
        // Small areas lose what they hold; a wide slack finds sequences where there are none.
        lines.push(format!("ftl.read_ahead.size={}", choose(random, &["32KiB", "256KiB", "4MiB"])));
        lines.push(format!("ftl.read_ahead.depth={}", choose(random, &["4KiB", "16KiB"])));
        lines.push(format!("ftl.read_ahead.slack={}", choose(random, &["0B", "64KiB", "1GiB"])));
    }
    if random.chance(0.3) {
        lines.push(format!("ftl.gc.trigger.least_gain={}", choose(random, &["0.0", "0.5"])));
    }
    lines
}

/// All settings of a seed; only a page map without parity takes snapshots.
fn all_settings(seed: u64, random: &mut RandomStream) -> Vec<String> {
    let mut lines = settings(random);
    let striped = lines.iter().any(|line| line.starts_with("ftl.parity.name=") && !line.ends_with("none"));
    if lines.contains(&"ftl.mapping.name=page".to_owned()) && !striped {
        lines.extend(snapshot_settings(seed));
    }
    lines.extend(read_settings(seed));
    names_first(lines)
}

/// A name may come before switches of another name: names first, so that they do not drop the switches.
fn names_first(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_by_key(|line| !line.split('=').next().unwrap_or_default().ends_with(".name"));
    lines
}

/// What became of one seed.
#[derive(Debug, PartialEq)]
enum Outcome {
    Ran,
    WornOut,
    Refused,
}

fn swarm(seed: u64) -> Outcome {
    let mut random = RandomStream::new(seed, "swarm");
    let lines = all_settings(seed, &mut random);
    let drive = match Drive::from_resolved("swarm", &lines) {
        Ok(drive) => drive,
        Err(error) => {
            assert!(error.to_string().contains("expected"), "seed {seed}: {error}");
            return Outcome::Refused;
        }
    };
    let span = drive.capacity().get();
    let requests = 2_000 + random.below(6_000);
    let depth = 1 + random.below(40) as u32;
    let hot = random.chance(0.5);
    let (reads, trims) = (random.unit() * 0.6, if random.chance(0.5) { 0.05 } else { 0.0 });
    let sectors_max = 1 + random.below(128);
    let precondition = match random.below(4) {
        0 => PreconditionKind::None,
        1 => PreconditionKind::Fill,
        2 if !lines.iter().any(|line| line == "ftl.parity.name=rain") => PreconditionKind::Instant,
        _ => PreconditionKind::Steady,
    };
    let options = RunOptions { check: true, seed, precondition, ..RunOptions::default() };
    let mut draws = RandomStream::new(seed, "swarm.requests");
    let forced = [0, 3][random.below(2) as usize];
    let mut goes_on = RandomStream::new(seed, "swarm.sequences");
    let sequential = [0.0, 0.5, 0.97][goes_on.below(3) as usize];
    let mut next = 0;
    let workload = closed_loop_forced(requests, depth, forced, move |index| {
        if index % 97 == 96 {
            return (Op::Flush, 0, 0);
        }
        let kind = draws.unit();
        let op = if kind < reads {
            Op::Read
        } else if kind < reads + trims {
            Op::Trim
        } else {
            Op::Write
        };
        let sectors = span / 512;
        let space = if hot && draws.chance(0.8) { (sectors / 5).max(1) } else { sectors };
        let length = (1 + draws.below(sectors_max)).min(sectors);
        let start = draws.below(space).min(sectors - length);
        // Some requests go on where the last one ended, as sequences do that others break into.
        let start = if goes_on.chance(sequential) { next.min(sectors - length) } else { start };
        next = start + length;
        (op, start * 512, length as u32 * 512)
    });
    let mut lays = RandomStream::new(seed, "swarm.layout");
    let parts = (0..lays.below(4)).map(|_| {
        let offset = lays.below(span);
        Extent { offset, bytes: lays.below(span - offset) + 1 }
    });
    let workload = Box::new(Finds { inner: workload, parts: parts.collect() });
    let mut session = match Session::with_workload(drive, workload, options) {
        Ok(session) => session,
        Err(error) => {
            let text = error.to_string();
            let refused = ["cannot sustain writes", "ftl.upkeep.share leaves"];
            assert!(refused.iter().any(|reason| text.contains(reason)), "seed {seed}: {error}");
            return Outcome::Refused;
        }
    };
    if let Err(error) = session.finish() {
        // A constructed state may not fit where bad blocks left the dies unequal; the reason is said.
        assert!(error.to_string().contains("good superblocks"), "seed {seed}: {error}");
        return Outcome::Refused;
    }
    let result = session.result().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let (completed, failed) = (&result["host"]["completed"]["total"], &result["host"]["failed"]["total"]);
    assert_eq!(completed.as_u64().unwrap() + failed.as_u64().unwrap(), requests, "seed {seed}");
    let worn_out = result["wear"]["read_only"].as_bool().unwrap();
    let refused = result["ftl"]["snapshots"]["units_refused"].as_u64().unwrap_or(0);
    assert!(
        worn_out || refused > 0 || failed == 0,
        "seed {seed}: {failed} requests failed on a healthy drive"
    );
    if worn_out { Outcome::WornOut } else { Outcome::Ran }
}

#[test]
fn random_drives_and_workloads_keep_every_promise() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("FLOATGATE_SWARM_SEED") {
        println!("{:#?}", all_settings(seed, &mut RandomStream::new(seed, "swarm")));
        println!("seed {seed}: {:?}", swarm(seed));
        return;
    }
    let mut ran = 0;
    let seeds = number("FLOATGATE_SWARM_SEEDS").unwrap_or(SEEDS);
    for seed in (0..seeds).chain(NEVER_ENDED) {
        let outcome = std::panic::catch_unwind(|| swarm(seed)).unwrap_or_else(|cause| {
            eprintln!("repeat with: FLOATGATE_SWARM_SEED={seed} cargo test -p sim --test swarm");
            std::panic::resume_unwind(cause)
        });
        if std::env::var_os("FLOATGATE_SWARM_VERBOSE").is_some() {
            eprintln!("seed {seed}: {outcome:?}");
        }
        ran += u64::from(outcome == Outcome::Ran);
    }
    assert!(ran > seeds / 3, "only {ran} of {seeds} drives ran: the swarm tests too little");
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let result = || {
        let lines = names_first(settings(&mut RandomStream::new(5, "swarm")));
        let drive = Drive::from_resolved("swarm", &lines).unwrap();
        let span = drive.capacity().get() / 4096;
        let mut draws = RandomStream::new(9, "requests");
        let workload = closed_loop(3_000, 8, move |_| (Op::Write, draws.below(span) * 4096, 4096));
        let (_, mut result) = run(drive, workload, RunOptions { seed: 3, ..RunOptions::default() });
        result.as_object_mut().unwrap().remove("engine");
        result.to_string()
    };
    assert_eq!(result(), result());
}
