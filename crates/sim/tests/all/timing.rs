//! Is the sequence right? Unloaded latencies are the sum of their parts, to the nanosecond; saturated
//! bandwidth is that of the slowest part.

use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop, closed_loop_forced, drive, run};
use controller::{Kind, Origin};
use host::Op;
use serde_json::Value;
use sim::{PreconditionKind, RunOptions};

const RATE: u64 = 200_000_000;

/// Returns the time in ns of a bus transfer of `bytes` bytes on the small test drive's channel (200 MT/s).
fn bus_ns(bytes: u64) -> u64 {
    (bytes * 1_000_000_000).div_ceil(RATE)
}

/// Returns the time in ns of a transfer of `bytes` bytes over the default NVMe link (3.2 GB/s).
fn link_ns(bytes: u64) -> u64 {
    (bytes * 1_000_000_000).div_ceil(3_200_000_000)
}

const COMMAND_NS: u64 = 5_000;
const CYCLES_7_NS: u64 = 7 * 25;
const DECODE_NS: u64 = 3_000;

fn settings<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().chain(more).copied().collect()
}

fn latency(result: &Value, op: &str) -> (u64, u64) {
    let latency = &result["host"][op]["latency_ns"];
    (latency["min"].as_u64().unwrap(), latency["max"].as_u64().unwrap())
}

#[test]
fn an_unloaded_read_is_command_plus_array_plus_transfer_plus_ecc_plus_link() {
    let workload = closed_loop(200, 1, |index| (Op::READ, index * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
    let (mut session, result) = run(drive(SMALL), workload, options);
    let expected = COMMAND_NS + CYCLES_7_NS + 25_000 + bus_ns(4096) + DECODE_NS + link_ns(4096);
    let mean = result["host"]["read"]["latency_ns"]["mean"].as_f64().unwrap();
    assert_eq!(mean, expected as f64);
    let stages = &result["stages"]["read"];
    assert_eq!(stages["array"], 25_000.0);
    assert_eq!(stages["transfer"], (CYCLES_7_NS + bus_ns(4096)) as f64);
    assert_eq!(stages["ecc"], DECODE_NS as f64);
    assert!(session.take_requests().is_empty(), "rows are kept only when asked for");
}

#[test]
fn page_types_read_at_their_own_speed() {
    let tlc =
        settings(&["nand.cell=tlc", "nand.pages_per_block=30", "nand.t_r=[\"40us\", \"60us\", \"90us\"]"]);
    let workload = closed_loop(120, 1, |index| (Op::READ, index * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (_, result) = run(drive(&tlc), workload, options);
    let others = COMMAND_NS + CYCLES_7_NS + bus_ns(4096) + DECODE_NS + link_ns(4096);
    let (least, most) = latency(&result, "read");
    // The histogram keeps three digits: compare within one of its steps.
    assert!(least.abs_diff(40_000 + others) <= 64 && most.abs_diff(90_000 + others) <= 64, "{least} {most}");
    let mean = result["host"]["read"]["latency_ns"]["mean"].as_f64().unwrap();
    assert_eq!(mean, (190_000 / 3 + others) as f64 + 1.0 / 3.0);
}

#[test]
fn an_unloaded_write_through_is_link_plus_transfer_plus_program() {
    let through = settings(&["ftl.buffer.write_back=false"]);
    let workload = closed_loop(200, 1, |index| (Op::WRITE, index * 4096, 4096));
    let (_, result) = run(drive(&through), workload, RunOptions { check: true, ..RunOptions::default() });
    let expected = COMMAND_NS + link_ns(4096) + CYCLES_7_NS + bus_ns(4096) + 200_000;
    assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
}

/// Checks that with array times of zero the run goes on with its checks, and that latency is the sum of the other
/// stages.
#[test]
fn cells_that_take_no_time_leave_the_rest() {
    let ideal =
        settings(&["ftl.buffer.write_back=false", "nand.t_r=0ns", "nand.t_prog=0ns", "nand.t_bers=0ns"]);
    let checked = |precondition| RunOptions { check: true, precondition, ..RunOptions::default() };
    let workload = closed_loop(200, 1, |index| (Op::WRITE, index * 4096, 4096));
    let (_, result) = run(drive(&ideal), workload, checked(PreconditionKind::None));
    let expected = COMMAND_NS + link_ns(4096) + CYCLES_7_NS + bus_ns(4096);
    assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
    let drive = drive(&ideal);
    let blocks = drive.capacity().get() / 4096;
    let workload = closed_loop(5_000, 8, move |index| (Op::WRITE, index * 7_919 % blocks * 4096, 4096));
    let (_, result) = run(drive, workload, checked(PreconditionKind::Steady));
    assert!(result["flash"]["erases"]["gc"].as_u64().unwrap() > 0, "{}", result["flash"]["erases"]);
}

/// Checks that for a write of half a unit the other half is read from flash, decoded and programmed with it, and that
/// nothing is read or waited for where the unit holds no data.
#[test]
fn a_partial_write_is_merged_with_what_was_there() {
    let through = settings(&["ftl.buffer.write_back=false"]);
    let way_in = COMMAND_NS + link_ns(2048);
    let program = CYCLES_7_NS + bus_ns(4096) + 200_000;
    let read = CYCLES_7_NS + 25_000 + bus_ns(4096) + DECODE_NS;
    for (precondition, reads, expected) in
        [(PreconditionKind::Fill, 50, way_in + read + program), (PreconditionKind::None, 0, way_in + program)]
    {
        let workload = closed_loop(50, 1, |index| (Op::WRITE, index * 4096 + 2048, 2048));
        let options = RunOptions { precondition, check: true, ..RunOptions::default() };
        let (_, result) = run(drive(&through), workload, options);
        assert_eq!(result["flash"]["reads"]["read_modify_write"], reads);
        assert_eq!(result["flash"]["programs"]["host"], 50);
        assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
    }
}

/// Checks that where sectors are tracked a partial write waits for the decoding of the sectors that it lacks, as it does
/// for that of whole units; only these sectors, and those of the write, cross the channel.
#[test]
fn the_sectors_that_a_partial_write_lacks_are_decoded() {
    let through = settings(&["ftl.buffer.write_back=false", "ftl.sectors.track=true"]);
    let workload = closed_loop(50, 1, |index| (Op::WRITE, index * 4096 + 2048, 2048));
    let options = RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
    let (_, result) = run(drive(&through), workload, options);
    assert_eq!(result["flash"]["reads"]["read_modify_write"], 50);
    let part = CYCLES_7_NS + bus_ns(2048);
    let expected = COMMAND_NS + link_ns(2048) + part + 25_000 + DECODE_NS + part + 200_000;
    assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
}

/// Checks that a write whose request waits for its program (FUA, or any write without a write-back buffer) is
/// programmed at once with padding, no matter how long `flush_after` lets other units wait for a full program, also
/// with one bit per cell.
#[test]
fn a_write_that_is_waited_for_is_padded_at_once() {
    let forced = "ftl.buffer.power_loss_protection=false";
    for mode in [forced, "ftl.buffer.write_back=false"] {
        for flush_after in ["1s", "1ms", "4us", "0ns"] {
            let flush_after = format!("ftl.buffer.flush_after={flush_after}");
            let pairs = settings(&[
                "nand.planes=2",
                "nand.blocks_per_plane=32",
                "ftl.mapping_unit=4KiB",
                mode,
                &flush_after,
            ]);
            let workload = closed_loop_forced(20, 1, 1, |index| (Op::WRITE, index * 4096, 4096));
            let (_, result) =
                run(drive(&pairs), workload, RunOptions { check: true, ..RunOptions::default() });
            let program = 2 * CYCLES_7_NS + bus_ns(2 * 4096) + 200_000;
            let expected = COMMAND_NS + link_ns(4096) + program;
            assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
            assert_eq!(result["flash"]["units_programmed"]["padding"], 20);
        }
    }
}

/// Checks that a write which waits for its program shares it with data that cross the host link until its own data are
/// there, and waits for no others: of three writes at once the first two share a program, and the third has its own.
#[test]
fn what_crosses_the_link_shares_the_program_of_a_write_that_is_waited_for() {
    for mode in ["ftl.buffer.power_loss_protection=false", "ftl.buffer.write_back=false"] {
        let pairs = ["nand.planes=2", "nand.blocks_per_plane=32", "ftl.mapping_unit=4KiB", mode];
        let pairs = settings(&[&pairs[..], &["ftl.buffer.flush_after=1s"]].concat());
        let workload = closed_loop_forced(3, 3, 1, |index| (Op::WRITE, index * 4096, 4096));
        let (_, result) = run(drive(&pairs), workload, RunOptions { check: true, ..RunOptions::default() });
        let arrival = |count| COMMAND_NS + count * link_ns(4096);
        let program = 2 * CYCLES_7_NS + bus_ns(2 * 4096) + 200_000;
        // The two programs go to dies of different channels.
        let sum = 2 * (arrival(2) + program) + arrival(3) + program;
        let mean = result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap();
        assert_eq!((3.0 * mean).round(), sum as f64);
        assert_eq!(result["flash"]["units_programmed"]["padding"], 1);
        assert_eq!(result["flash"]["programs"]["host"], 4, "two programs of two planes");
    }
}

/// Checks that a large write, which crosses the host link in pieces, fills whole program units: no piece is padded
/// while the next is being transferred.
#[test]
fn the_pieces_of_a_request_share_its_programs() {
    for mapping in ["ftl.mapping.name=page", "ftl.mapping.name=bast"] {
        let pieces = settings(&[
            "nand.planes=2",
            "nand.blocks_per_plane=32",
            "ftl.mapping_unit=4KiB",
            "host.link.name=sata",
            "ftl.buffer.write_back=false",
            mapping,
        ]);
        let workload = closed_loop(20, 1, |index| (Op::WRITE, index * 65_536, 65_536));
        let (_, result) = run(drive(&pieces), workload, RunOptions { check: true, ..RunOptions::default() });
        assert_eq!(result["flash"]["units_programmed"]["padding"], 0, "{mapping}");
    }
}

/// Checks that a unit waits for a full program from its own arrival, as long as the buffer allows: the wait of a unit
/// that was joined by others ends with that program, and shortens no other unit's wait.
#[test]
fn each_unit_waits_for_company_from_when_it_came() {
    let pairs = ["nand.planes=2", "nand.blocks_per_plane=32", "ftl.mapping_unit=4KiB"];
    let mut bench = Bench::new(&settings(&[pairs[0], pairs[1], pairs[2], "ftl.buffer.flush_after=1ms"]));
    bench.write(0);
    bench.pass_until(500_000);
    bench.write(1);
    bench.pass_until(900_000);
    bench.write(2);
    bench.rest();
    let programmed: Vec<u64> =
        bench.ctx.probe.of(Kind::Program, Origin::Host).map(|it| it.queued.ns()).collect();
    assert_eq!(programmed, [500_000, 1_900_000]);
    assert_eq!(bench.ftl.stats().units_programmed[Origin::Padding as usize], 1);
}

#[test]
fn a_write_back_is_acknowledged_when_the_buffer_holds_it() {
    let workload = closed_loop(50, 1, |index| (Op::WRITE, index * 4096, 4096));
    let (_, result) = run(drive(SMALL), workload, RunOptions::default());
    let expected = COMMAND_NS + link_ns(4096);
    assert_eq!(result["host"]["write"]["latency_ns"]["mean"].as_f64().unwrap(), expected as f64);
}

/// Returns the bandwidth, in bytes per second, of sequential requests of 64 KiB with 64 in flight.
fn bandwidth(settings: &[&str], op: Op, precondition: PreconditionKind, requests: u64) -> f64 {
    let drive = drive(settings);
    let blocks = drive.capacity().get() / 65_536;
    let workload = closed_loop(requests, 64, move |index| (op, index % blocks * 65_536, 65_536));
    let (_, result) = run(drive, workload, RunOptions { precondition, ..RunOptions::default() });
    result["host"][op.name()]["bandwidth_bytes_per_s"].as_f64().unwrap()
}

fn within_one_percent(measured: f64, expected: f64, what: &str) {
    let deviation = measured / expected - 1.0;
    assert!(
        deviation.abs() < 0.01,
        "{what}: {measured:.0} instead of {expected:.0} ({:.2} %)",
        deviation * 100.0
    );
}

#[test]
fn saturated_reads_run_at_the_speed_of_the_slowest_part() {
    let fill = PreconditionKind::Fill;
    // Channels: two buses, each busy with command cycles and data-out of a page.
    let channels = settings(&["controller.cache_read=true", "bus.interface.rate=50MT/s"]);
    let page_ns = CYCLES_7_NS + 4096 * 20;
    within_one_percent(
        bandwidth(&channels, Op::READ, fill, 4_000),
        2.0 * 4096e9 / page_ns as f64,
        "channel-bound reads",
    );
    // Dies: four arrays; without cache reads an array waits for its own data-out.
    let dies = settings(&["nand.t_r=400us"]);
    let page_ns = CYCLES_7_NS + 400_000 + bus_ns(4096);
    within_one_percent(
        bandwidth(&dies, Op::READ, fill, 2_000),
        4.0 * 4096e9 / page_ns as f64,
        "die-bound reads",
    );
    // With cache reads the array senses the next page while this one is given, also on a channel that is otherwise idle.
    for (way, cycles, command_ns) in [("ways=1", "=0", 0), ("ways=2", "=0", 0), ("ways=2", "=7", CYCLES_7_NS)]
    {
        let [way, cycles] = [format!("geometry.{way}"), format!("bus.cycles_read{cycles}")];
        let dies = settings(&["controller.cache_read=true", "nand.t_r=100us", &way, &cycles]);
        let count = if way == "geometry.ways=1" { 2.0 } else { 4.0 };
        within_one_percent(
            bandwidth(&dies, Op::READ, fill, 2_000),
            count * 4096e9 / (command_ns + 100_000) as f64,
            "die-bound reads that give and sense at once",
        );
    }
    // The host link.
    let link = settings(&["controller.cache_read=true", "host.link.rate=100MB/s"]);
    within_one_percent(bandwidth(&link, Op::READ, fill, 2_000), 100e6, "link-bound reads");
}

/// Checks that, when the arrays of two dies on a channel are done at the same moment, the next read command is sent to
/// the second die before the first die's data-out, as a waiting command goes before data that ask for the channel at
/// the same time.
#[test]
fn at_equal_times_a_command_goes_before_data() {
    let cached = settings(&["controller.cache_read=true", "bus.cycles_read=0", "nand.t_r=50us"]);
    // Units 0, 2 and 6 lie on dies 0, 2 and 2, all of channel 0.
    let workload = closed_loop(3, 3, |index| (Op::READ, [0, 2, 6][index as usize] * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, check: true, ..RunOptions::default() };
    let (_, result) = run(drive(&cached), workload, options);
    // One array time and its data, the same behind the other die's data, and two array times.
    let parts = [50_000 + bus_ns(4096), 50_000 + 2 * bus_ns(4096), 100_000 + bus_ns(4096)];
    let each = COMMAND_NS + DECODE_NS + link_ns(4096);
    let mean = result["host"]["read"]["latency_ns"]["mean"].as_f64().unwrap();
    assert_eq!(3.0 * mean, (parts.iter().sum::<u64>() + 3 * each) as f64);
}

#[test]
fn saturated_writes_to_a_fresh_drive_run_at_the_speed_of_the_slowest_part() {
    let none = PreconditionKind::None;
    // They fill three quarters of the drive: no garbage collection.
    let requests = 300;
    let dies = settings(&["ftl.buffer.write_back=false"]);
    let page_ns = CYCLES_7_NS + bus_ns(4096) + 200_000;
    within_one_percent(
        bandwidth(&dies, Op::WRITE, none, requests),
        4.0 * 4096e9 / page_ns as f64,
        "die-bound writes",
    );
    let channels = settings(&[
        "ftl.buffer.write_back=false",
        "controller.cache_program=true",
        "bus.interface.rate=20MT/s",
    ]);
    let page_ns = CYCLES_7_NS + 4096 * 50;
    within_one_percent(
        bandwidth(&channels, Op::WRITE, none, requests),
        2.0 * 4096e9 / page_ns as f64,
        "channel-bound writes",
    );
}
