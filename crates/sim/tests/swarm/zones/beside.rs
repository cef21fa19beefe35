//! Random drives with several namespaces of zones, and most with blocks beside them: nothing is lost, and every run ends.

use super::drive_lines;
use crate::common::run;
use crate::common::zones::on_all;
use crate::deal::choose;
use crate::seeds;
use engine::RandomStream;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const SEEDS: u64 = 120;

/// Divides a zoned drive into two to four namespaces, at least one of them with zones, and leaves garbage collection
/// little room.
fn part(random: &mut RandomStream, lines: &mut Vec<String>) {
    let mut set = |key: &str, value: String| lines.push(format!("{key}={value}"));
    let count = 2 + random.below(3);
    let names: Vec<String> = (0..count).map(|at| format!("\"n{at}\"")).collect();
    set("host.namespaces.names", format!("[{}]", names.join(", ")));
    let (rest, zoned) = (random.below(count), random.below(count));
    for at in 0..count {
        let has_zones = at == zoned || random.chance(0.4);
        if has_zones {
            set(&format!("host.namespaces.n{at}.command_set"), "zns".to_owned());
        }
        if at != rest {
            let most = if has_zones { 0.9 } else { 0.4 };
            let share = format!("{:.4}", (0.02 + most * random.unit()) / count as f64);
            set(&format!("host.namespaces.n{at}.share"), share);
        }
    }
    set("ftl.op_ratio", choose(random, &["0.6", "1.0", "1.5"]).to_owned());
    set("ftl.buffer.size", choose(random, &["128KiB", "256KiB", "512KiB", "2MiB"]).to_owned());
    set("nand.blocks_per_plane", (2 * (12 + random.below(20))).to_string());
    set("ftl.mapping.zone_size", choose(random, &["16MiB", "32MiB"]).to_owned());
}

/// Draws the policies and settings of garbage collection for a drive that has blocks beside its zones.
fn collected(random: &mut RandomStream) -> Vec<String> {
    let victim = choose(random, &["greedy", "fifo", "cost-benefit", "random", "d-choices"]);
    vec![
        format!("ftl.gc.victim.name={victim}"),
        format!("ftl.gc.trigger.background={}", random.chance(0.5)),
        format!("ftl.gc.read_ahead={}", random.below(4)),
        format!("ftl.wear.name={}", choose(random, &["none", "dynamic", "static"])),
        format!("controller.copyback={}", random.chance(0.2)),
    ]
}

#[test]
fn random_drives_with_blocks_beside_zones_keep_every_promise() {
    let (mut ran, mut mixed, mut victims, mut cuts, mut loaded) = (0, 0, 0, 0, 0);
    let mut refused = String::new();
    let folder = tempfile::tempdir().expect("a folder for states");
    for seed in seeds(SEEDS) {
        let mut random = RandomStream::new(seed, "swarm.beside zones");
        let mut lines = drive_lines(&mut random);
        part(&mut random, &mut lines);
        let policies = collected(&mut random);
        let made = |lines: &[String]| Drive::from_resolved("zones", lines);
        let has_blocks =
            made(&lines).is_ok_and(|drive| drive.space().namespaces.iter().any(|one| one.zones.is_none()));
        if has_blocks {
            lines.extend(policies);
        }
        let drive = match made(&lines).and_then(|drive| drive.build(1).map(|_| drive)) {
            Ok(drive) => drive,
            // Not every drive can be: too few superblocks for zones and collection, too small a buffer.
            Err(error) => {
                refused = error.to_string();
                continue;
            }
        };
        println!("seed {seed}: {}", lines.join(" "));
        let (requests, depth) = (300 + random.below(2500), 1 + random.below(60) as u32);
        let precondition = choose(&mut random, &[PreconditionKind::None, PreconditionKind::Fill]);
        let options = RunOptions { check: true, seed, precondition, ..RunOptions::default() };
        let mut play = |drive: Drive, options: RunOptions| {
            let workload = on_all(&drive.space(), options.seed, requests, depth);
            let (session, result) = run(drive, workload, options);
            let total = |what: &str| result["host"][what]["total"].as_u64().expect("a count");
            assert_eq!(total("completed") + total("failed"), requests, "seed {seed}");
            cuts += result["power"]["cuts"].as_array().map_or(0, Vec::len);
            victims += result["ftl"]["gc"]["victims"].as_u64().unwrap_or(0);
            (session, result)
        };
        let (mut session, _): (_, Value) = play(drive, options.clone());
        if random.chance(0.4) {
            let path = folder.path().join("state");
            session.save_state(&path).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let load_state = Some(path.display().to_string());
            let options =
                RunOptions { load_state, seed: seed + 1, precondition: PreconditionKind::None, ..options };
            play(made(&lines).expect("it was made before"), options);
            loaded += 1;
        }
        ran += 1;
        mixed += u64::from(has_blocks);
    }
    println!(
        "{ran} drives ran, {mixed} with blocks beside zones: {victims} victims, {cuts} cuts, {loaded} loaded"
    );
    if std::env::var_os("FLOATGATE_SWARM_SEEDS").is_none() {
        assert!(ran > SEEDS / 4 && mixed > SEEDS / 6, "{ran} drives ran, {mixed} mixed; {refused}");
        assert!(victims > 1000 && cuts > 50 && loaded > 5, "{victims} victims, {cuts} cuts, {loaded} loaded");
    }
}
