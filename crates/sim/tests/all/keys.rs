//! The list of keys holds every key that drives read, and each is accepted where what it needs is there.

use config::{Document, Key, Need, Value, ValueNode};
use sim::{Catalogue, Drive, keys, keys_on, needs_in_words};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const WHOLE: &str = include_str!("../../src/drive/keys/whole.toml");

/// Returns all settings of the survey's drive (the file `whole.toml`, in which the list of keys is read) as lines
/// `key=value`.
fn whole() -> Vec<String> {
    fn walk(path: &str, node: &ValueNode, found: &mut Vec<String>) {
        match &node.value {
            Value::Table(nodes) => {
                for (key, node) in nodes {
                    walk(&if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, node, found);
                }
            }
            value => found.push(format!("{path}={value}")),
        }
    }
    let mut found = Vec::new();
    walk("", Document::parse("whole.toml", WHOLE).expect("valid TOML").root(), &mut found);
    found
}

/// Returns values to try for a configuration key: its default, or names that it takes, or samples of its kind within
/// its limits.
fn some_value(key: &Key) -> Vec<String> {
    let default = key.asked.default.as_ref().map(ToString::to_string);
    let samples = [
        "1",
        "0.5",
        "3",
        "true",
        "\"1s\"",
        "\"1ns\"",
        "\"64KiB\"",
        "\"1GB\"",
        "\"1GiB\"",
        "\"1GB/s\"",
        "\"1V\"",
        "\"1mA\"",
        "\"1W\"",
        "\"1MHz\"",
        "0.004",
        "[0]",
    ];
    default.into_iter().chain(key.asked.names.first().cloned()).chain(samples.map(str::to_owned)).collect()
}

/// Returns the ways to make a drive read a key: for each way, the list of settings of other keys that the key needs.
fn ways(key: &Key) -> Vec<Vec<String>> {
    let set = |need: &Need| match need {
        Need::Is(key, values) => vec![format!("{key}={}", values.last().expect("a value"))],
        Need::Above(key, _) if key.ends_with("age") || key.ends_with("period") => vec![format!("{key}=30d")],
        Need::Above(key, least) => vec![format!("{key}={}", least + 1)],
        Need::Given(key) => match key.as_str() {
            "ftl.buffer.dram.transfers" => vec![format!("{key}=800")],
            "ftl.snapshots.every" | "ftl.snapshots.at" => vec![format!("{key}=1s")],
            "bus.interface.t_ios" | "bus.interface.t_ioh" => {
                vec!["bus.interface.t_ios=2ns".into(), "bus.interface.t_ioh=2ns".into()]
            }
            "ecc.code.limits" => vec!["ecc.code.limits=[0.004]".into()],
            _ => Vec::new(), // the survey's drive has all tables
        },
        Need::Absent(_) => Vec::new(),
    };
    // A name clears the table it stands in: names come before what else is set there.
    let mut ways: Vec<Vec<String>> =
        key.needs.iter().map(|way| way.iter().flat_map(set).collect::<Vec<_>>()).collect();
    ways.iter_mut().for_each(|way| way.sort_by_key(|set| !set.contains(".name=")));
    ways
}

/// Constant: lists of further settings, one of which the survey's drive must have for keys of features that need
/// another feature.
const MORE: [&[&str]; 12] = [
    &[],
    &["ftl.streams.name=fdp"],
    &["ecc.code.name=ldpc"],
    &["ftl.sectors.track=true"],
    &["controller.late_choice=true", "controller.dies_take_turns=true"],
    &["fault.die=0"],
    &["fault.after=1000"],
    &["host.namespaces.names=[\"NAMESPACE\", \"OTHER\"]"],
    &["ftl.streams.name=fdp", "host.namespaces.names=[\"NAMESPACE\", \"OTHER\"]"],
    &["ftl.streams.name=separate", "ftl.buffer.power_loss_protection=true"],
    &["host.namespaces.NAMESPACE.command_set=zns", "ftl.buffer.power_loss_protection=true"],
    &[
        "ftl.mapping.name=zoned-all",
        "host.namespaces.NAMESPACE.command_set=zns",
        "ftl.buffer.power_loss_protection=true",
    ],
];

/// Checks that a drive with the settings which a key needs reads the key with one of these values; otherwise the error
/// is the text of the last refusal.
fn accepts(key: &Key, values: &[String]) -> Result<(), String> {
    let base = whole();
    let name = &key.asked.key;
    let mut last = String::new();
    for (way, more) in ways(key).iter().flat_map(|way| MORE.iter().map(move |more| (way, more))) {
        for value in values {
            let mut set: Vec<String> = base.clone();
            set.extend(more.iter().map(|set| (*set).to_owned()));
            set.extend(way.iter().cloned());
            set.push(format!("{name}={value}"));
            match Drive::from_resolved("whole", &set) {
                Ok(drive) if drive.entries().iter().any(|entry| entry.key == *name) => return Ok(()),
                Ok(_) => last = format!("{way:?}: not read"),
                Err(error) => last = format!("{way:?}: {error}"),
            }
        }
    }
    Err(last)
}

fn is_of_files(key: &Key) -> bool {
    ["base", "chip"].contains(&key.asked.key.as_str())
}

#[test]
fn every_listed_key_is_accepted_where_what_it_needs_is_there() {
    let written = whole();
    let is_written =
        |key: &Key| written.iter().find_map(|line| line.strip_prefix(&format!("{}=", key.asked.key)));
    let mut wrong = Vec::new();
    for key in keys().iter().filter(|key| !is_of_files(key)) {
        let values = is_written(key).map_or_else(|| some_value(key), |value| vec![value.to_owned()]);
        if let Err(refusal) = accepts(key, &values) {
            wrong.push(format!("{} ({}): {refusal}", key.asked.key, needs_in_words(key)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), keys().len(), wrong.join("\n"));
}

/// Constant: keys whose smallest accepted number depends on the value of another key, so that the key's fixed limit
/// cannot express it.
const BY_OTHERS: &[&str] = &[
    "bus.interface.clock",        // the period that the interface's times allow
    "ftl.buffer.keep_ratio",      // a cache must keep something
    "ftl.buffer.size",            // a program unit
    "ftl.gc.trigger.high",        // at least `low`
    "ftl.read_ahead.depth",       // at most half of `size`
    "ftl.read_ahead.size",        // twice `depth`
    "ftl.mapping_unit",           // a whole number of them in a page
    "ftl.regulator.retention",    // more than `refresh_period`
    "ftl.write_cost.retention",   // more than the ages at which data is written anew
    "ftl.mapping.dies_per_block", // a divisor of the dies
    "ftl.mapping.dies",           // a divisor of the dies
    "ftl.mapping.zone_capacity",  // whole program units
    "ftl.mapping.zone_size",      // at least the capacity
    "ftl.mapping.max_active",     // at least `max_open`
    "host.translation.copy_size", // whole blocks
    "host.link.lanes",            // 1, 2, 4, 8 or 16
    "host.link.max_payload",      // a power of two
    "host.link.max_read_request", // a power of two
    "host.max_commands",          // as many as the link holds
];

#[test]
fn the_limits_of_a_key_are_those_that_its_reader_holds_it_to() {
    let mut wrong = Vec::new();
    for key in keys().iter().filter(|key| !is_of_files(key) && !BY_OTHERS.contains(&key.asked.key.as_str())) {
        let Some(Value::Integer(_) | Value::Float(_) | Value::Text(_)) = key.asked.default else { continue };
        let unit = key.asked.unit.split(", ").next().unwrap_or_default();
        let quantity = ["time", "size", "voltage", "capacitance", "energy", "frequency"]
            .contains(&key.asked.kind.as_str());
        if !quantity && !key.asked.kind.ends_with("number") {
            continue;
        }
        let zero = if quantity { format!("\"0{unit}\"") } else { "0".to_owned() };
        let tried = accepts(key, std::slice::from_ref(&zero));
        let blamed =
            tried.as_ref().err().is_some_and(|error| error.contains(&format!("{} =", key.asked.key)));
        if key.asked.limits.holds(0.0) && blamed {
            wrong.push(format!("{} takes {}: {:?}", key.asked.key, key.asked.limits, tried));
        }
        if !key.asked.limits.holds(0.0) && tried.is_ok() {
            wrong.push(format!("{} takes {zero}, not only {}", key.asked.key, key.asked.limits));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_shipped_drive_reads_listed_keys_only_and_has_each_of_them_or_lacks_what_it_needs() {
    let catalogue = Catalogue::new([ROOT]);
    for drive in catalogue.drives() {
        // Reading asserts that every key it asks for is listed.
        let found =
            keys_on(&catalogue, &drive.name, &[]).unwrap_or_else(|error| panic!("{}: {error}", drive.name));
        let loaded = Drive::load(&catalogue, &drive.name, &[]).expect("it was read before");
        for entry in loaded.entries() {
            // What only a feature gives a meaning is read all the same, and left out.
            let shown = found
                .iter()
                .any(|on| on.key.asked.key == entry.key && (on.entry.is_some() || !on.lacks.is_empty()));
            let own = entry.key.starts_with("nand.cells.") || entry.key.starts_with("nand.tables.voltages.");
            assert!(
                shown || own,
                "{}: {} is in force, and the list says neither value nor need",
                drive.name,
                entry.key
            );
        }
    }
}

#[test]
fn a_key_says_what_it_needs_and_a_wrong_one_which_is_nearest() {
    let catalogue = Catalogue::new([ROOT]);
    let refusal =
        |set: &str| Drive::load(&catalogue, "tlc", &[set.to_owned()]).err().expect("refused").to_string();
    let needs = refusal("ftl.gc.victim.d=4");
    assert!(needs.contains("it needs ftl.gc.victim.name = d-choices"), "{needs}");
    let near = refusal("ftl.snapshots_keep=4");
    assert!(
        near.contains("did you mean \"ftl.snapshots.keep\"?") || near.contains("\"snapshots\""),
        "{near}"
    );
}

#[test]
fn every_key_says_what_it_means_and_in_which_unit() {
    let no_unit = |key: &&Key| {
        let asked = &key.asked;
        asked.kind.contains("number") && !asked.kind.contains("whole") && asked.unit.is_empty()
    };
    let silent: Vec<&str> =
        keys().iter().filter(|key| key.asked.help.is_empty()).map(|key| key.asked.key.as_str()).collect();
    assert!(silent.is_empty(), "without a meaning: {silent:?}");
    let bare: Vec<&str> = keys().iter().filter(no_unit).map(|key| key.asked.key.as_str()).collect();
    assert!(bare.is_empty(), "numbers without a unit, or `ratio`: {bare:?}");
}

#[test]
fn a_file_replaces_what_its_base_says_and_what_would_have_no_effect_is_refused() {
    let catalogue = Catalogue::new([ROOT]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let load = |text: &str, set: &[&str]| {
        std::fs::write(&path, text).unwrap();
        let set: Vec<String> = set.iter().map(|line| (*line).to_owned()).collect();
        Drive::load(&catalogue, path.to_str().unwrap(), &set).map_err(|error| error.to_string())
    };
    // The base says `user_capacity`.
    let capacity = |drive: &Drive| drive.capacity().get();
    let file = "title = \"own\"\nbase = \"nvme-tlc\"\n[ftl]\nop_ratio = 0.2\n";
    let (own, set) = (
        load(file, &[]).unwrap(),
        load("title = \"own\"\nbase = \"nvme-tlc\"\n", &["ftl.op_ratio=0.2"]).unwrap(),
    );
    assert_eq!(capacity(&own), capacity(&set));
    let both =
        load("title = \"own\"\nbase = \"nvme-tlc\"\n[ftl]\nop_ratio = 0.2\nuser_capacity = \"1GB\"\n", &[]);
    assert!(both.err().unwrap().contains("not both"));
    // Its chip has tables, which give programs and erases their times by wear.
    for (key, value) in [("t_prog", "\"3ms\""), ("t_bers", "\"50ms\"")] {
        let text = format!("title = \"own\"\nbase = \"nvme-tlc\"\n[nand]\n{key} = {value}\n");
        let told = load(&text, &[]).err().unwrap();
        assert!(
            told.contains(&format!("own.toml:4: nand.{key} = ")) && told.contains("has no effect"),
            "{told}"
        );
        let told =
            load("title = \"own\"\nbase = \"nvme-tlc\"\n", &[&format!("nand.{key}={value}")]).err().unwrap();
        assert!(told.starts_with(&format!("--set: nand.{key} = ")), "{told}");
        let plain = ["chip=tlc-3d-256g", "nand.errors.name=none", &format!("nand.{key}={value}")];
        load("title = \"own\"\nbase = \"nvme-tlc\"\n", &plain).unwrap();
    }
}
