//! How the cost of a request grows with each size that a user may choose: it should not, but for the caches.
//!
//! Each case changes one size of one drive. The first row of a size is what the others are compared with.

use crate::cases::{Per, prepared_of, stretches};
use crate::cost::CostSpread;
use crate::table::TableLine;
use crate::workload::BlockLoad;
use host::Op;
use sim::Drive;

/// Constant: beginning of the names of the benchmark cases for scaling; an `--only` that begins with it selects them.
pub const CASES: &str = "scaling: ";
const REQUESTS: u64 = 300_000;
const USUAL_DEPTH: u32 = 32;

/// Record of a size whose effect on the cost of a request the benchmark measures, such as the queue depth or the number
/// of dies: its name, its values, and how to set it.
struct ScaledSize {
    name: &'static str,
    op: Op,
    values: &'static [u32],
    /// Returns the configuration keys that give the drive this value of the size.
    keys: fn(u32) -> Vec<String>,
    /// Changes the benchmark's workload for this value of the size.
    workload: fn(&mut BlockLoad, u32),
}

const SIZES: [ScaledSize; 6] = [
    ScaledSize {
        name: "queues, reads",
        op: Op::READ,
        values: &[1, 32, 1024, 65_535],
        keys: |queues| {
            let depth = format!("host.link.queue_depth={}", if queues > 1024 { 16 } else { 1024 });
            vec!["host.link.name=nvme".into(), format!("host.link.queues={queues}"), depth]
        },
        workload: |blocks, queues| blocks.queues = queues as u16,
    },
    ScaledSize {
        name: "depth, reads",
        op: Op::READ,
        values: &[32, 1, 1024, 16_384],
        keys: |_| vec!["host.max_commands=65536".into(), "host.link.queue_depth=65536".into()],
        workload: |blocks, depth| blocks.depth = depth,
    },
    ScaledSize {
        name: "dies, writes",
        op: Op::WRITE,
        values: &[32, 128, 512, 1024],
        keys: |dies| {
            // As many blocks in all: only their number at a die changes.
            let blocks = 16_384 / dies + 8;
            let channels = (dies / 4).min(64);
            vec![
                format!("geometry.channels={channels}"),
                format!("geometry.ways={}", dies / channels),
                format!("nand.blocks_per_plane={blocks}"),
            ]
        },
        workload: |_, _| {},
    },
    ScaledSize {
        name: "blocks of a die, writes",
        op: Op::WRITE,
        values: &[264, 1032, 4104, 16_392],
        keys: |blocks| vec![format!("nand.blocks_per_plane={blocks}")],
        workload: |_, _| {},
    },
    ScaledSize {
        name: "streams read ahead, sequential reads",
        op: Op::READ,
        values: &[16, 128, 1024],
        keys: |streams| {
            vec!["ftl.read_ahead.name=sequential".into(), format!("ftl.read_ahead.streams={streams}")]
        },
        workload: |blocks, _| blocks.sequential = true,
    },
    ScaledSize {
        name: "thousand requests, reads",
        op: Op::READ,
        values: &[300, 3000, 12_000],
        keys: |_| Vec::new(),
        workload: |blocks, thousands| blocks.requests = u64::from(thousands) * 1000,
    },
];

/// Measures the scaling benchmark for each size and value whose case name `wanted` accepts.
pub fn measure(wanted: impl Fn(&str) -> bool) -> Vec<TableLine> {
    let mut lines = Vec::new();
    for size in &SIZES {
        let mut first = None;
        for &value in size.values {
            let case = format!("{CASES}{value} {}", size.name);
            if wanted(&case) {
                lines.push(one(size, value, case, &mut first));
            }
        }
    }
    lines
}

fn one(size: &ScaledSize, value: u32, case: String, first: &mut Option<f64>) -> TableLine {
    let usual = [
        "title=benchmark drive",
        "geometry.channels=8",
        "geometry.ways=4",
        "nand.cell=slc",
        "nand.planes=1",
        "nand.blocks_per_plane=264",
        "nand.pages_per_block=128",
        "nand.page_size=4KiB",
        "nand.t_r=25us",
        "nand.t_prog=200us",
        "nand.t_bers=1500us",
        "bus.interface.rate=400MT/s",
        "ftl.op_ratio=0.5",
    ];
    let keys: Vec<String> = usual.map(str::to_owned).into_iter().chain((size.keys)(value)).collect();
    let drive = Drive::from_resolved("bench", &keys).unwrap_or_else(|error| panic!("{case}: {error}"));
    let gib = drive.capacity().get() >> 30;
    let mut blocks = BlockLoad::new(size.op, 4096, drive.capacity().get(), false, REQUESTS, USUAL_DEPTH);
    (size.workload)(&mut blocks, value);
    let requests = blocks.requests;
    let mut session = prepared_of(drive, blocks);
    let made = stretches(&mut session, requests, if size.op == Op::READ { Per::Request } else { Per::Page });
    let costs = CostSpread::of(&made.costs);
    let ns = costs.main_ns();
    let usual_ns = *first.get_or_insert(ns);
    let what = if size.op == Op::READ { Per::Request } else { Per::Page }.name();
    let note = format!("{:.2} of the first", ns / usual_ns);
    TableLine { case, gib, what, costs, memory_wall_ns: f64::NAN, note }
}
