//! What became of the drive's parts: wear, wires, and how busy everything was.

use crate::run::BusyTimes;
use crate::sections::sections;
use ftl::{Ftl, FtlStats};

sections! {
    /// Wear of the flash at the end of the run, and what failed in the measured window.
    Wear {
        /// Program/erase cycles of the least worn block, those before the run included; null without blocks.
        pe_cycles_min: Option<u32> = "cycles",
        /// The mean over all blocks.
        pe_cycles_mean: f64 = "cycles",
        /// Of the most worn block; null without blocks.
        pe_cycles_max: Option<u32> = "cycles",
        /// Blocks that are not used, because of a factory defect or a later failure.
        bad_blocks: u64 = "blocks",
        /// Blocks erased in the measured window.
        blocks_erased: u64 = "blocks",
        /// Programs that failed.
        program_failures: u64 = "programs",
        /// Erases that failed.
        erase_failures: u64 = "erases",
        /// Superblocks out of use because a block failed and no spare was left.
        superblocks_lost: u64 = "superblocks",
        /// The drive takes no more writes: too many blocks have failed to hold its logical space.
        read_only: bool = "yes/no",
    }

    /// Wear over the drive: mean program/erase cycles by die and group of neighbouring blocks.
    WearMap {
        /// Dies: rows of `values`.
        dies: usize = "dies",
        /// Groups of blocks: columns of `values`.
        columns: usize = "count",
        /// Blocks in a group; the last group of a die may have fewer.
        blocks_per_column: usize = "blocks",
        /// The mean of each group, die after die.
        values: Vec<Vec<f64>> = "cycles",
    }

    /// What the channels speak, and how fast: what controller and chip agreed on.
    Bus {
        /// The interface and its mode.
        interface: String = "text",
        /// One command or address cycle.
        cycle_ns: f64 = "ns",
        /// The shortest period of the clock by the interface's equations; `cycle_ns` where none apply.
        shortest_period_ns: f64 = "ns",
        /// Data to the chip.
        data_in_bytes_per_s: f64 = "bytes/s",
        /// Data from the chip.
        data_out_bytes_per_s: f64 = "bytes/s",
        /// Pins that all chips of a channel share.
        pins_shared: u32 = "pins",
        /// Pins of each way: chip enable and ready/busy.
        pins_per_way: u32 = "pins",
    }

    /// How busy the parts of the drive were: the share of the measured window that each worked.
    Utilisation {
        /// Channels, on average.
        channel: f64 = "ratio",
        /// Arrays of dies, on average.
        die: f64 = "ratio",
        /// The host link towards the drive.
        link_to_drive: f64 = "ratio",
        /// The host link towards the host.
        link_to_host: f64 = "ratio",
        /// Each channel.
        per_channel: Vec<f64> = "ratio",
        /// The array of each die.
        per_die: Vec<f64> = "ratio",
        /// The array of each die, by origin.
        per_die_by_origin: DiesByOrigin = "ratio",
    }

    /// A number for each die, by origin.
    DiesByOrigin {
        /// For the host, reading ahead included.
        host: Vec<f64>,
        /// For garbage collection.
        gc: Vec<f64>,
        /// For wear levelling.
        wear: Vec<f64>,
        /// For all other origins.
        other: Vec<f64>,
    }
}

pub(super) fn wear(ftl: &Ftl, stats: &FtlStats) -> Wear {
    let cycles = ftl.array().pe_cycles_by_block();
    let total: u64 = cycles.iter().map(|&count| u64::from(count)).sum();
    Wear {
        pe_cycles_min: cycles.iter().min().copied(),
        pe_cycles_mean: total as f64 / cycles.len() as f64,
        pe_cycles_max: cycles.iter().max().copied(),
        bad_blocks: ftl.array().bad_blocks(),
        blocks_erased: stats.blocks_erased.iter().sum(),
        program_failures: stats.program_failures,
        erase_failures: stats.erase_failures,
        superblocks_lost: stats.superblocks_lost,
        read_only: ftl.is_read_only(),
    }
}

pub(super) fn bus(ftl: &Ftl) -> Bus {
    let bus = ftl.controller().bus();
    let signalling = bus.signalling();
    Bus {
        interface: bus.spoken().to_string(),
        cycle_ns: signalling.cycle.as_ns(),
        shortest_period_ns: signalling.shortest.as_ns(),
        data_in_bytes_per_s: signalling.data_in.bytes_per_s(),
        data_out_bytes_per_s: signalling.data_out.bytes_per_s(),
        pins_shared: signalling.pins.shared,
        pins_per_way: signalling.pins.per_way,
    }
}

const WEAR_COLUMNS: usize = 256;

pub(super) fn wear_map(ftl: &Ftl) -> WearMap {
    let cycles = ftl.array().pe_cycles_by_block();
    let dies = ftl.layout().dies as usize;
    let per_die = cycles.len() / dies;
    let group = per_die.div_ceil(WEAR_COLUMNS);
    let mean =
        |blocks: &[u32]| blocks.iter().map(|&count| f64::from(count)).sum::<f64>() / blocks.len() as f64;
    let values = cycles.chunks(per_die).map(|die| die.chunks(group).map(mean).collect()).collect();
    WearMap { dies, columns: per_die.div_ceil(group), blocks_per_column: group, values }
}

pub(super) fn utilisation(now: &BusyTimes, before: &BusyTimes, span_ns: u64) -> Utilisation {
    let share = |busy: u64| if span_ns == 0 { 0.0 } else { busy as f64 / span_ns as f64 };
    let channels: Vec<f64> =
        now.channels.iter().zip(&before.channels).map(|(now, then)| share(now - then)).collect();
    let arrays: Vec<[u64; 4]> = now
        .arrays
        .iter()
        .zip(&before.arrays)
        .map(|(now, then)| std::array::from_fn(|column| now[column] - then[column]))
        .collect();
    let dies: Vec<f64> = arrays.iter().map(|busy| share(busy.iter().sum())).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let by_origin = |column: usize| -> Vec<f64> { arrays.iter().map(|busy| share(busy[column])).collect() };
    Utilisation {
        channel: mean(&channels),
        die: mean(&dies),
        link_to_drive: share(now.wires[0] - before.wires[0]),
        link_to_host: share(now.wires[1] - before.wires[1]),
        per_channel: channels,
        per_die: dies,
        per_die_by_origin: DiesByOrigin {
            host: by_origin(0),
            gc: by_origin(1),
            wear: by_origin(2),
            other: by_origin(3),
        },
    }
}
