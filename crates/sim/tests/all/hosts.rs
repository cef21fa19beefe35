//! Hosts: what one command takes on an idle link, what many of them share, each by arithmetic from the figures of
//! the standards, written out here once more.

use crate::common::{SMALL, closed_loop, drive, run};
use host::Op;
use sim::{Drive, PreconditionKind, RunOptions};

/// Constant: time in ns of the firmware for a command; the constants below are the other parts of the drive's time
/// (command cycles, array, data-out, decoding).
const FIRMWARE_NS: u64 = 5_000;
const CYCLES_7_NS: u64 = 7 * 25;
const ARRAY_NS: u64 = 25_000;
const PROGRAM_NS: u64 = 200_000;
const BUS_4K_NS: u64 = 4096 * 5;
const DECODE_NS: u64 = 3_000;

fn with(more: &[&str]) -> Drive {
    drive(&SMALL.iter().chain(more).copied().collect::<Vec<_>>())
}

fn mean_ns(drive: Drive, op: Op, depth: u32) -> f64 {
    let workload = closed_loop(200, depth, move |index| (op, index * 4096, 4096));
    let precondition = if op == Op::READ { PreconditionKind::Fill } else { PreconditionKind::None };
    let options = RunOptions { check: true, precondition, ..RunOptions::default() };
    let (_, result) = run(drive, workload, options);
    result["host"][op.name()]["latency_ns"]["mean"].as_f64().unwrap()
}

fn iops(drive: Drive, op: Op, depth: u32) -> f64 {
    let workload = closed_loop(4_000, depth, move |index| (op, index * 4096, 4096));
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (_, result) = run(drive, workload, options);
    result["host"][op.name()]["iops"].as_f64().unwrap()
}

/// Constant: time in ns of a read of 4 KiB on an idle drive, without the host link.
const READ_NS: u64 = FIRMWARE_NS + CYCLES_7_NS + ARRAY_NS + BUS_4K_NS + DECODE_NS;
const WRITE_NS: u64 = FIRMWARE_NS + CYCLES_7_NS + BUS_4K_NS + PROGRAM_NS;

/// Constant: time in ns of a 4 KiB transfer by Ultra DMA mode 4: four bytes in 60 ns, twelve registers at 120 ns each,
/// BSY 400 ns, the burst 500 ns, and the status register 120 ns.
const PATA_NS: u64 = 12 * 120 + 400 + 500 + 4096 / 4 * 60 + 120;

#[test]
fn an_idle_pata_drive_answers_after_registers_burst_and_status() {
    let mode = ["host.link.name=pata", "host.link.mode=4"];
    assert_eq!(mean_ns(with(&mode), Op::READ, 1), (READ_NS + PATA_NS) as f64);
    let through: Vec<&str> = mode.iter().chain(&["ftl.buffer.write_back=false"]).copied().collect();
    assert_eq!(mean_ns(with(&through), Op::WRITE, 1), (WRITE_NS + PATA_NS) as f64);
}

/// Returns the time in ns of `dwords` dwords in `frames` SATA frames: 40 bit times at 6 Gbit/s each, of which 254 of
/// 256 dwords are data, and two handshakes of 150 ns per frame.
fn sata_ns(frames: u64, dwords: u64) -> u64 {
    (dwords * 256 * 40 * 1000).div_ceil(254 * 6000) + frames * 300
}

/// Returns the link time in ns of a 4 KiB SATA read: register FIS (5 + 3 framing dwords), data FIS (1024 + 1 + 3) and
/// set-device-bits FIS (2 + 3).
fn sata_read_ns() -> u64 {
    sata_ns(1, 8) + sata_ns(1, 1028) + sata_ns(1, 5)
}

#[test]
fn an_idle_sata_drive_answers_after_its_frames() {
    let sata = ["host.link.name=sata"];
    assert_eq!(mean_ns(with(&sata), Op::READ, 1), (READ_NS + sata_read_ns()) as f64);
    let through = ["host.link.name=sata", "ftl.buffer.write_back=false"];
    let write = WRITE_NS + sata_read_ns() + sata_ns(1, 4);
    assert_eq!(mean_ns(with(&through), Op::WRITE, 1), write as f64);
}

/// Returns the time in ns of `bytes` bytes over `lanes` lanes of PCI Express 4.0: 16 Gbit/s per lane, 130 bits for 128.
fn pcie_ns(bytes: u64, lanes: u64) -> u64 {
    (bytes * 8 * 130).div_ceil(128 * 16 * lanes)
}

#[test]
fn an_idle_nvme_drive_answers_after_doorbell_fetch_data_and_completion() {
    let nvme = ["host.link.name=nvme", "host.link.generation=4", "host.link.lanes=2"];
    let pcie = |bytes| pcie_ns(bytes, 2);
    // Doorbell (24 + 4 bytes) one way, request (24), round trip of 500 ns, completion with 64 bytes (20 + 64).
    let command = pcie(28) + 250 + pcie(24) + 500 + pcie(84);
    let answer = pcie(24 + 16) + pcie(24 + 4);
    // Sixteen packets of 256 bytes, one way, completion entry and interrupt behind them.
    let read = command + pcie(4096 + 16 * 24) + 250 + answer;
    assert_eq!(mean_ns(with(&nvme), Op::READ, 1), (READ_NS + read) as f64);
    // A request and a round trip, sixteen completions; then entry and interrupt go the one way.
    let write = command + pcie(24) + 500 + pcie(4096 + 16 * 20) + 250 + answer;
    let through: Vec<&str> = nvme.iter().chain(&["ftl.buffer.write_back=false"]).copied().collect();
    assert_eq!(mean_ns(with(&through), Op::WRITE, 1), (WRITE_NS + write) as f64);
}

/// Constant: settings of a test drive whose flash is faster than any host link of these tests.
const FAST: &[&str] = &[
    "geometry.channels=8",
    "geometry.ways=4",
    "nand.t_r=5us",
    "nand.t_prog=20us",
    "bus.interface.rate=800MT/s",
    "ecc.t_decode=0ns",
    "ftl.buffer.size=4MiB",
    "host.t_command=5us",
    "host.t_command_service=2us",
];
const FAST_READ_NS: u64 = 5_000 + CYCLES_7_NS + 5_000 + 4096 * 5 / 4;

fn fast<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FAST.iter().chain(more).copied().collect()
}

fn close(measured: f64, expected: f64, what: &str) {
    let off = (measured / expected - 1.0).abs();
    assert!(off < 0.01, "{what}: {measured:.0} instead of {expected:.0}");
}

#[test]
fn depth_does_nothing_where_one_command_is_worked_on_at_a_time() {
    let pata = fast(&["host.link.name=pata", "host.link.mode=4"]);
    let expected = 1e9 / (FAST_READ_NS + PATA_NS) as f64;
    for depth in [1, 32] {
        close(iops(with(&pata), Op::READ, depth), expected, "pata");
    }
}

#[test]
fn the_time_of_the_host_s_software_is_added_one_deep_and_overlaps_with_others() {
    let pata = ["host.link.name=pata", "host.link.mode=4"];
    let slow = fast(&[pata[0], pata[1], "host.software.t_request=32us"]);
    let alone = FAST_READ_NS + PATA_NS;
    close(iops(with(&slow), Op::READ, 1), 1e9 / (alone + 32_000) as f64, "one deep");
    close(iops(with(&slow), Op::READ, 4), 1e9 / alone as f64, "four deep");
    let read = with(&[pata[0], pata[1], "host.software.t_request=32us"]);
    assert_eq!(mean_ns(read, Op::READ, 1), (READ_NS + PATA_NS) as f64, "a latency ends with the driver");
}

#[test]
fn with_depth_sata_is_bound_by_its_frames() {
    let sata = fast(&["host.link.name=sata"]);
    close(iops(with(&sata), Op::READ, 1), 1e9 / (FAST_READ_NS + sata_read_ns()) as f64, "one deep");
    // Beside the frames that a command waits for, two go to the host: its acceptance, and DMA Setup.
    let holds = sata_read_ns() + sata_ns(1, 8) + sata_ns(1, 10);
    close(iops(with(&sata), Op::READ, 32), 1e9 / holds as f64, "32 deep");
}

#[test]
fn with_depth_nvme_is_bound_by_the_firmware_or_by_its_wires() {
    let nvme = ["host.link.name=nvme", "host.link.generation=4"];
    close(iops(with(&fast(&nvme)), Op::READ, 64), 1e9 / 2_000.0, "firmware");
    let one_lane: Vec<&str> = nvme.iter().chain(&["host.link.lanes=1"]).copied().collect();
    let holds = pcie_ns(4096 + 16 * 24, 1) + pcie_ns(24, 1) + pcie_ns(40, 1) + pcie_ns(28, 1);
    close(iops(with(&fast(&one_lane)), Op::READ, 64), 1e9 / holds as f64, "wires");
}

/// Returns the bytes per second in both directions together, for reads of unwritten data and writes in turn.
fn both_ways(settings: &[&str]) -> f64 {
    let workload = closed_loop(3_000, 32, |index| match index % 2 {
        0 => (Op::READ, (1 << 26) + index * 16_384, 16_384),
        _ => (Op::WRITE, index * 16_384, 16_384),
    });
    let (_, result) = run(with(&fast(settings)), workload, RunOptions::default());
    let of = |op: &str| result["host"][op]["bandwidth_bytes_per_s"].as_f64().unwrap();
    of("read") + of("write")
}

#[test]
fn a_full_duplex_link_moves_both_directions_at_once() {
    // Per 16 KiB each way: 64 packets with 24 bytes to the host and 20 to the drive.
    let nvme =
        ["host.link.name=nvme", "host.link.generation=3", "host.link.lanes=1", "host.t_command_service=0ns"];
    let wire = |bytes: u64| (bytes * 8 * 130).div_ceil(128 * 8);
    let to_host = wire(16_384 + 64 * 24) + wire(32 * 24) + 2 * (wire(24) + wire(40) + wire(28));
    let to_drive = wire(16_384 + 64 * 20) + 2 * (wire(28) + wire(84) + wire(28));
    close(both_ways(&nvme), 32_768e9 / to_host.max(to_drive) as f64, "nvme");
    let sata = ["host.link.name=sata", "host.link.generation=1", "host.t_command_service=0ns"];
    let frame = |frames: u64, dwords: u64| (dwords * 256 * 40 * 1000).div_ceil(254 * 1500) + frames * 300;
    // Two Data FIS each way, and for each command two Register FIS, DMA Setup and Set Device Bits.
    let data = 2 * frame(2, 2 * (2048 + 1 + 3)) + frame(2, 2 * 4);
    let commands = 2 * (2 * frame(1, 8) + frame(1, 10) + frame(1, 5));
    close(both_ways(&sata), 32_768e9 / (data + commands) as f64, "sata");
}

#[test]
fn what_a_link_cannot_have_is_refused() {
    let refused = |settings: &[&str], expected: &str| {
        let lines: Vec<String> = SMALL.iter().chain(settings).map(|line| (*line).to_owned()).collect();
        let error = match Drive::from_resolved("test", &lines) {
            Ok(_) => panic!("{settings:?} was taken"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1);
    };
    refused(
        &["host.link.name=pata", "host.max_commands=2"],
        "host.max_commands = 2: expected 1 to 1 with this link",
    );
    refused(&["host.link.name=sata", "host.link.tags=33"], "expected 1 to 32");
    refused(&["host.link.name=sata", "host.link.rate=600MB/s"], "unknown key");
    refused(&["host.link.name=pata", "host.link.mode=7"], "0 to 6");
    refused(&["host.link.name=nvme", "host.link.max_payload=300B"], "power of two");
    refused(&["host.link.name=scsi"], "expected one of nvme, pata, plain, sata");
    let weighted = [
        "host.link.name=nvme",
        "host.link.arbitration=weighted-round-robin",
        "host.link.classes=[\"first\"]",
    ];
    refused(&weighted, "urgent, high, medium or low");
}
