//! Reads that share an array read, and reads ahead: to the nanosecond, and never of an old version.

use crate::common::{SMALL, catalogue, closed_loop, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const RATE: u64 = 200_000_000;
const COMMAND_NS: u64 = 5_000;
const CYCLES_7_NS: u64 = 7 * 25;
const SENSE_NS: u64 = 25_000;
const DECODE_NS: u64 = 3_000;

fn bus_ns(bytes: u64) -> u64 {
    (bytes * 1_000_000_000).div_ceil(RATE)
}

fn link_ns(bytes: u64) -> u64 {
    (bytes * 1_000_000_000).div_ceil(3_200_000_000)
}

/// Returns the settings of the small test drive with pages of four units and two planes, where commands of different
/// requests need not wait for each other in the firmware; `more` is added.
fn pages<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let shape = ["nand.page_size=16KiB", "nand.planes=2", "host.t_command_service=0ns"];
    [SMALL, &shape, more].concat()
}

/// Runs reads of the units `units`, all submitted at once, on a test drive filled in sequence, and returns the result.
fn at_once(settings: &[&str], units: &'static [u64]) -> Value {
    let count = units.len() as u64;
    let workload = closed_loop(count, count as u32, |index| (Op::READ, units[index as usize] * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
    run(drive(settings), workload, options).1
}

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

const MERGE: &str = "ftl.read_merge.name=same-page";

#[test]
fn reads_of_a_page_that_wait_together_are_one_array_read() {
    let alone = at_once(&pages(&[]), &[0, 1, 2, 3]);
    assert_eq!(number(&alone, "flash.reads.host"), 4);
    assert_eq!(number(&alone, "ftl.read_merge.reads_joined"), 0);
    let shared = at_once(&pages(&[MERGE]), &[0, 1, 2, 3]);
    assert_eq!(number(&shared, "flash.reads.host"), 1);
    assert_eq!(number(&shared, "ftl.read_merge.reads_joined"), 3);
    // All four finish with the data-out of the four units; one after the other they cross the link.
    let together = COMMAND_NS + CYCLES_7_NS + SENSE_NS + bus_ns(4 * 4096) + DECODE_NS;
    let mean = together as f64 + link_ns(4096) as f64 * (1.0 + 2.0 + 3.0 + 4.0) / 4.0;
    assert_eq!(shared["host"]["read"]["latency_ns"]["mean"].as_f64(), Some(mean));
}

#[test]
fn a_unit_that_two_ask_for_crosses_the_channel_once() {
    let result = at_once(&pages(&[MERGE]), &[5, 5]);
    let once = COMMAND_NS + CYCLES_7_NS + SENSE_NS + bus_ns(4096) + DECODE_NS;
    let mean = once as f64 + link_ns(4096) as f64 * 1.5;
    assert_eq!(result["host"]["read"]["latency_ns"]["mean"].as_f64(), Some(mean));
    assert_eq!(number(&result, "flash.reads.host"), 1);
}

#[test]
fn what_is_not_sensed_is_sensed_for_itself() {
    // Units 0 to 3 lie on one plane, 4 to 7 on the other: the array read of the first page has begun.
    let other_plane = at_once(&pages(&[MERGE]), &[0, 4]);
    assert_eq!(number(&other_plane, "ftl.read_merge.reads_joined"), 0);
    assert_eq!(number(&other_plane, "flash.reads.host"), 2);
    // What waits behind it is not begun: it takes the other plane's page with it, which counts as another page.
    let waiting = at_once(&pages(&[MERGE, "ftl.read_merge.begun=false"]), &[0, 1, 4, 2]);
    assert_eq!(number(&waiting, "ftl.read_merge.reads_joined"), 2);
    assert_eq!(number(&waiting, "flash.reads.host"), 3);
    // At most so many share one.
    let few = at_once(&pages(&[MERGE, "ftl.read_merge.most=2"]), &[0, 1, 2, 3]);
    assert_eq!(number(&few, "flash.reads.host"), 2);
}

const AHEAD: &[&str] = &[
    "ftl.read_ahead.name=sequential",
    "ftl.read_ahead.trigger=4",
    "ftl.read_ahead.depth=64KiB",
    "ftl.read_ahead.size=256KiB",
];

fn in_sequence(settings: &[&str], count: u64) -> Value {
    let workload = closed_loop(count, 1, |index| (Op::READ, index * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
    run(drive(settings), workload, options).1
}

#[test]
fn what_follows_a_sequence_is_there_when_it_is_asked_for() {
    let result = in_sequence(&pages(AHEAD), 1000);
    let reading = &result["ftl"]["read_ahead"];
    // Each unit is read once: three before the sequence is one, all others ahead.
    assert_eq!(number(reading, "units_fetched"), 1000 - 4);
    assert_eq!(number(&result, "ftl.buffer.units_read_from_flash"), 4);
    assert_eq!(number(&result, "state.units_read"), 1000);
    assert_eq!(number(reading, "units_used"), 1000 - 4);
    assert_eq!(number(reading, "units_wasted"), 0);
    let left = number(reading, "units_read") - number(reading, "units_used");
    assert!(left <= 16 + 8, "{left} units ahead of the last read");
    // What is there needs the command and the link.
    let least = number(&result, "host.read.latency_ns.min");
    assert!(least.abs_diff(COMMAND_NS + link_ns(4096)) <= 8, "{least}");
}

#[test]
fn what_is_no_sequence_is_not_read_ahead() {
    let single = [MERGE, "host.t_command_service=1us"];
    let plain = drive(&pages(&[]));
    let span = plain.capacity().get();
    let reads = |settings: &[&str]| {
        let workload = uniform(500, 1, Op::READ, 4096, span, 3);
        let precondition = PreconditionKind::Fill;
        run(drive(settings), workload, RunOptions { precondition, ..RunOptions::default() }).1
    };
    let (with, without) = (reads(&pages(&[AHEAD, &single].concat())), reads(&pages(&single[1..])));
    assert_eq!(number(&with, "ftl.read_ahead.units_read"), 0);
    // One read at a time takes as long with either as without.
    assert_eq!(with["host"]["read"]["latency_ns"], without["host"]["read"]["latency_ns"]);
}

#[test]
fn what_was_written_or_trimmed_since_is_not_given_out() {
    // Every third request changes a unit that is ahead of the reads; the checker knows which version they must see.
    for op in [Op::WRITE, Op::TRIM] {
        let workload = closed_loop(3000, 4, move |index| match index % 3 {
            0 => (op, (index / 3 * 2 + 7) * 4096, 4096),
            step => (Op::READ, (index / 3 * 2 + step - 1) * 4096, 4096),
        });
        let options =
            RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
        let result = run(drive(&pages(AHEAD)), workload, options).1;
        assert!(number(&result, "ftl.read_ahead.units_fetched") > 500, "{}", result["ftl"]["read_ahead"]);
        assert!(number(&result, "ftl.read_ahead.units_wasted") > 500, "{}", result["ftl"]["read_ahead"]);
    }
}

#[test]
fn every_unit_read_comes_from_one_place() {
    for mapping in ["page", "dftl", "birrell", "fast", "bast", "block", "replacement"] {
        let mapping = format!("ftl.mapping.name={mapping}");
        let more = [AHEAD, &[MERGE, &mapping, "ftl.op_ratio=1.0"]].concat();
        let result = in_sequence(&pages(&more), 800);
        let buffer = &result["ftl"]["buffer"];
        let from = number(buffer, "units_read_from_buffer") + number(buffer, "units_read_from_flash");
        let fetched = number(&result, "ftl.read_ahead.units_fetched");
        assert_eq!(from + fetched + number(buffer, "units_read_unmapped"), 800, "{mapping}");
        // A map entry that is not in RAM is not fetched unless it is asked for.
        assert!(fetched > 400 || mapping.ends_with("dftl"), "{mapping}: {fetched}");
    }
}

/// Returns the read IOPS of the catalogue's drive `name`, shrunk and filled in sequence: requests of 4 KiB, 32 in
/// flight, sequential or random.
fn iops(name: &str, sequential: bool, more: &[&str]) -> f64 {
    let small = ["nand.blocks_per_plane=24", "ftl.user_capacity=10GB"];
    let settings: Vec<String> = small.iter().chain(more).map(|line| (*line).to_owned()).collect();
    let drive = Drive::load(&catalogue(), name, &settings).unwrap_or_else(|error| panic!("{error}"));
    let span = drive.capacity().get();
    let workload = match sequential {
        true => closed_loop(40_000, 32, |index| (Op::READ, index * 4096, 4096)),
        false => uniform(20_000, 32, Op::READ, 4096, span, 7),
    };
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    run(drive, workload, options).1["host"]["read"]["iops"].as_f64().unwrap()
}

#[test]
fn sequential_reads_are_bound_by_the_link_or_the_commands_and_not_by_a_die() {
    let sequential = iops("tlc", true, &[]);
    let random = iops("tlc", false, &[]);
    println!("{sequential} {random}");
    // 3.2 GB/s of data are 781 k requests of 4 KiB.
    assert!(sequential > 700_000.0, "{sequential}");
    assert!(sequential > 4.0 * random, "{sequential} in sequence, {random} at random");
    let without = ["ftl.read_merge.name=none", "ftl.read_ahead.name=none"];
    assert!(iops("tlc", true, &without) < random, "each unit was an array read of the same die");
}

/// Checks that on a drive with known sectors reads share array reads and find read-ahead data as on other drives, and
/// inform the cost regulator.
#[test]
fn sectors_are_read_together_and_ahead() {
    const SECTORS: &str = "ftl.sectors.track=true";
    let ahead = in_sequence(&pages(&[AHEAD, &[SECTORS]].concat()), 1000);
    assert_eq!(number(&ahead, "ftl.read_ahead.units_used"), 1000 - 4);
    assert_eq!(number(&ahead, "ftl.buffer.units_read_from_flash"), 4);
    // Four reads of one sector each, of two units of a page: the sectors of all of them cross the channel, none for free.
    let shared = |bytes: u32| {
        let workload = closed_loop(4, 4, move |index| (Op::READ, index / 2 * 4096 + index * 512, bytes));
        let options =
            RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
        let result = run(drive(&pages(&[MERGE, SECTORS])), workload, options).1;
        assert_eq!(
            (number(&result, "flash.reads.host"), number(&result, "ftl.read_merge.reads_joined")),
            (1, 3)
        );
        number(&result, "energy_j.bytes_from_dies")
    };
    assert_eq!(shared(512), 4 * 512);
    // Two that ask for most of a unit have no more of it than there is.
    assert_eq!(shared(2560), 2 * 4096);
}
