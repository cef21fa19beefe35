//! Random drives of zones and random commands on them, from one seed each: nothing is lost, and every run ends.

mod beside;

use crate::common::run;
use crate::common::zones::{appends, commands, mixed, shape_of};
use crate::deal::choose;
use crate::seeds;
use engine::RandomStream;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

/// Constant: names of the kinds of mapping that have only zones; only drives of this test are dealt them.
pub const KINDS: [&str; 3] = ["zoned-on-write", "zoned-all", "zoned-width"];
const SEEDS: u64 = 120;

/// Returns the settings of a small drive of zones, drawn at random.
fn drive_lines(random: &mut RandomStream) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut set = |key: &str, value: String| lines.push(format!("{key}={value}"));
    let (channels, ways, planes) = (1 + random.below(3), 1 + random.below(3), 1 + random.below(2));
    let cell = choose(random, &["slc", "mlc", "tlc"]);
    let bits = match cell {
        "slc" => 1,
        "mlc" => 2,
        _ => 3,
    };
    let (page, rows) = (choose(random, &[4, 8, 16]), bits * (2 + random.below(8)));
    set("bus.interface.name", "plain".to_owned());
    set("bus.interface.rate", "400MB/s".to_owned());
    set("geometry.channels", channels.to_string());
    set("geometry.ways", ways.to_string());
    set("nand.planes", planes.to_string());
    set("nand.cell", cell.to_owned());
    set("nand.program", choose(random, &["page", "one-shot"]).to_owned());
    set("nand.pages_per_block", rows.to_string());
    set("nand.blocks_per_plane", (24 * planes).to_string());
    set("nand.page_size", format!("{page}KiB"));
    for (key, us) in [("t_r", 40), ("t_prog", 600), ("t_bers", 2000)] {
        set(&format!("nand.{key}"), format!("{us}us"));
    }
    set("controller.multi_plane", random.chance(0.5).to_string());
    set("controller.cache_program", random.chance(0.5).to_string());
    set("controller.program_queue", (1 + random.below(3)).to_string());
    set("ftl.op_ratio", "1.0".to_owned());
    set("ftl.buffer.power_loss_protection", "true".to_owned());
    set("ftl.buffer.size", choose(random, &["2MiB", "4MiB"]).to_owned());
    let kind = choose(random, &KINDS);
    set("ftl.mapping.name", kind.to_owned());
    if kind != "zoned-all" {
        let dies = channels * ways;
        let divisors: Vec<u64> = (1..=dies).filter(|width| dies % width == 0).collect();
        set("ftl.mapping.dies", choose(random, &divisors).to_string());
    }
    let open = 1 + random.below(4);
    set("ftl.mapping.max_open", open.to_string());
    set("ftl.mapping.max_active", (open + random.below(3)).to_string());
    set("ftl.mapping.zone_size", choose(random, &["8MiB", "16MiB"]).to_owned());
    for key in ["t_write", "t_append", "t_manage", "t_reset"] {
        set(&format!("ftl.mapping.{key}"), format!("{}us", random.below(4)));
    }
    if random.chance(0.5) {
        set("power.cut.drawn", (1 + random.below(8)).to_string());
        set("power.cut.within", choose(random, &["20", "100", "800"]).to_owned());
        set("power.off", choose(random, &["0ns", "1s"]).to_owned());
    }
    lines
}

#[test]
fn random_drives_of_zones_keep_every_promise() {
    let (mut ran, mut cuts, mut refused) = (0, 0, String::new());
    let folder = tempfile::tempdir().expect("a folder for states");
    for seed in seeds(SEEDS) {
        let mut random = RandomStream::new(seed, "swarm.zones");
        let lines = drive_lines(&mut random);
        let repeat = || format!("seed {seed}: {}", lines.join(" "));
        let made = Drive::from_resolved("zones", &lines).and_then(|drive| drive.build(1).map(|_| drive));
        let drive = match made {
            Ok(drive) => drive,
            // Not every drive can be: blocks of mapping units beyond a row's, superblocks lost to a small capacity.
            Err(error) => {
                refused = error.to_string();
                continue;
            }
        };
        let shape = shape_of(&drive);
        let (requests, depth) = (200 + random.below(1500), 1 + random.below(40) as u32);
        println!("{}", repeat());
        let block = drive.space().zones.expect("it has zones").block;
        let options = RunOptions { check: random.chance(0.8), seed, ..RunOptions::default() };
        let is_cut = lines.iter().any(|line| line.starts_with("power.cut"));
        let workload = match is_cut || random.chance(0.3) {
            // Where pointers are after a cut, only the drive knows.
            true => appends(shape, block, seed, requests, depth),
            false => commands(shape, block, seed, requests, depth),
        };
        let (mut session, result) = run(drive, workload, options.clone());
        let total = |result: &Value, what: &str| result["host"][what]["total"].as_u64().expect("a count");
        assert_eq!(total(&result, "completed") + total(&result, "failed"), requests, "{}", repeat());
        cuts += result["power"]["cuts"].as_array().map_or(0, Vec::len);
        if random.chance(0.3) {
            let path = folder.path().join("state");
            session.save_state(&path).unwrap_or_else(|error| panic!("{}: {error}", repeat()));
            let load_state = Some(path.display().to_string());
            let drive = Drive::from_resolved("zones", &lines).expect("it was made before");
            let workload = appends(shape, block, seed + 1, requests, depth);
            let (_, result) = run(drive, workload, RunOptions { load_state, check: true, ..options });
            assert_eq!(total(&result, "completed") + total(&result, "failed"), requests, "{}", repeat());
            cuts += result["power"]["cuts"].as_array().map_or(0, Vec::len);
        }
        ran += 1;
    }
    assert!(
        std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || ran > SEEDS / 2,
        "{ran} drives ran; {refused}"
    );
    println!("{ran} drives of zones ran, with {cuts} power cuts");
    assert!(std::env::var_os("FLOATGATE_SWARM_SEEDS").is_some() || cuts > 100, "{cuts} power cuts");
}

/// Draws the settings of a host that keeps blocks on zones.
fn host_lines(random: &mut RandomStream) -> Vec<String> {
    let victim =
        choose(random, &["greedy", "fifo", "cost-benefit", "random", "d-choices", "windowed-greedy"]);
    let of = |key: &str, value: String| format!("host.translation.{key}={value}");
    vec![
        of("name", "log".to_owned()),
        of("victim.name", victim.to_owned()),
        of("op_ratio", choose(random, &["0.5", "0.8", "1.5"]).to_owned()),
        of("streams", (1 + random.below(3)).to_string()),
        of("empty_zones", (2 + random.below(3)).to_string()),
        of("copies", (1 + random.below(20)).to_string()),
        of("copy_size", choose(random, &["64KiB", "256KiB"]).to_owned()),
        "ftl.mapping.max_open=9".to_owned(),
        "ftl.mapping.max_active=9".to_owned(),
    ]
}

#[test]
fn random_hosts_keep_their_blocks_on_random_zones() {
    let (mut ran, mut refused) = (0, String::new());
    for seed in seeds(SEEDS) {
        let mut random = RandomStream::new(seed, "swarm.blocks on zones");
        let mut lines = drive_lines(&mut random);
        lines.extend(host_lines(&mut random));
        let made = Drive::from_resolved("zones", &lines).and_then(|drive| drive.build(1).map(|_| drive));
        let drive = match made {
            Ok(drive) => drive,
            Err(error) => {
                refused = error.to_string();
                continue;
            }
        };
        println!("seed {seed}: {}", lines.join(" "));
        let (requests, depth) = (200 + random.below(1500), 1 + random.below(60) as u32);
        let kinds = [PreconditionKind::None, PreconditionKind::Fill, PreconditionKind::Steady];
        let precondition = choose(&mut random, &kinds);
        let workload = mixed(drive.space().bytes, seed, requests, depth);
        let options = RunOptions { check: true, precondition, ..RunOptions::default() };
        let (_, result) = run(drive, workload, options);
        assert_eq!(result["host"]["completed"]["total"].as_u64(), Some(requests), "seed {seed}");
        ran += 1;
    }
    assert!(ran * 3 > seeds(SEEDS).count(), "{ran} drives ran, the last that did not: {refused}");
}
