//! What became of the drive's parts: wear, wires, and how busy everything was.

use crate::run::BusyTimes;
use crate::sections::sections;
use ftl::{Ftl, FtlStats};

sections! {
    /// Results on the wear of the flash at the end of the run, and on failures in the measured window.
    Wear {
        /// Program/erase cycles of the least worn block at the end of the run, including cycles before the run; null
        /// without blocks.
        pe_cycles_min: Option<u32> = "cycles",
        /// Mean number of program/erase cycles over all blocks at the end of the run, including cycles before the run.
        pe_cycles_mean: f64 = "cycles",
        /// Program/erase cycles of the most worn block at the end of the run; null without blocks.
        pe_cycles_max: Option<u32> = "cycles",
        /// Number of blocks that are not used at the end of the run, because of a factory defect or a later failure.
        bad_blocks: u64 = "blocks",
        /// Number of flash blocks erased in the measured window.
        blocks_erased: u64 = "blocks",
        /// Number of flash programs that failed (the die reported a program failure) in the measured window.
        program_failures: u64 = "programs",
        /// Number of block erases that failed (the die reported an erase failure) in the measured window.
        erase_failures: u64 = "erases",
        /// Number of superblocks that went out of use in the measured window because a block failed and no spare block
        /// was left, or because their die failed.
        superblocks_lost: u64 = "superblocks",
        /// True if the drive is read-only at the end of the run: too many blocks have failed for its logical space, and
        /// it takes no more writes.
        read_only: bool = "yes/no",
    }

    /// Table of the wear of the flash over the drive at the end of the run: mean program/erase cycles by die and group
    /// of neighbouring blocks.
    WearMap {
        /// Number, in the result, of dies: number of rows of the wear map's `values`.
        dies: usize = "dies",
        /// Number, in the result, of groups of neighbouring blocks in a die: number of columns of the wear map's
        /// `values`.
        columns: usize = "count",
        /// Number, in the result, of neighbouring blocks of a die that one column of the wear map covers; each value of
        /// the wear map is the mean of the program/erase cycles of such a group of blocks. The last group of a die may
        /// have fewer blocks.
        blocks_per_column: usize = "blocks",
        /// Values of the wear map in the result: mean program/erase cycles of the blocks in each group of neighbouring
        /// blocks, as one list for each die.
        values: Vec<Vec<f64>> = "cycles",
    }

    /// Description of the flash interface on the channels, on which controller and chip agreed, and of its speed.
    Bus {
        /// Name, in the result, of the flash interface on the channels, with its timing mode.
        interface: String = "text",
        /// Time in ns, in the result, of one command or address cycle on a flash channel, with the flash interface that
        /// controller and chips agreed on.
        cycle_ns: f64 = "ns",
        /// Shortest clock period in nanoseconds, in the result, that the equations of the flash interface allow; of an
        /// interface without equations the time of the transfer of one byte, or of two at double data rate.
        shortest_period_ns: f64 = "ns",
        /// Data rate in bytes per second, in the result, of a flash channel from the controller to the chip, with the
        /// flash interface that both agreed on.
        data_in_bytes_per_s: f64 = "bytes/s",
        /// Data rate in bytes per second, in the result, of a flash channel from the chip to the controller, with the
        /// flash interface that both agreed on.
        data_out_bytes_per_s: f64 = "bytes/s",
        /// Number, in the result, of controller pins that the flash interface needs for each channel and that all chips
        /// of the channel share: data, strobes and control.
        pins_shared: u32 = "pins",
        /// Number, in the result, of further controller pins that the flash interface needs for each way of a channel:
        /// chip enable and ready/busy.
        pins_per_way: u32 = "pins",
    }

    /// Results on the utilisation of the drive's parts: the share of the measured window in which each worked.
    Utilisation {
        /// Utilisation of the flash channels, the share of the measured window in which they were busy: mean over the
        /// channels.
        channel: f64 = "ratio",
        /// Utilisation of the dies' flash arrays, the share of the measured window in which they were busy: mean over
        /// the dies.
        die: f64 = "ratio",
        /// Utilisation of the host link towards the drive: share of the measured window in which the link was busy in
        /// this direction.
        link_to_drive: f64 = "ratio",
        /// Utilisation of the host link towards the host: share of the measured window in which the link was busy in
        /// this direction.
        link_to_host: f64 = "ratio",
        /// Utilisation of each flash channel: share of the measured window in which the channel was busy.
        per_channel: Vec<f64> = "ratio",
        /// Utilisation of each die's flash array: share of the measured window in which the array was busy.
        per_die: Vec<f64> = "ratio",
        /// Utilisation, in the result, of each die's flash array by origin of the work (host, garbage collection, wear
        /// levelling, others).
        per_die_by_origin: DiesByOrigin = "ratio",
    }

    /// Shares of the measured window in which the flash array of each die worked, by origin of the work; each list has
    /// an entry for each die.
    DiesByOrigin {
        /// Share of the measured window, for each die, in which its flash array worked for the host, including
        /// read-ahead.
        host: Vec<f64>,
        /// Share of the measured window, for each die, in which its flash array worked for garbage collection.
        gc: Vec<f64>,
        /// Share of the measured window, for each die, in which its flash array worked for wear levelling.
        wear: Vec<f64>,
        /// Share of the measured window, for each die, in which its flash array worked for origins other than host,
        /// garbage collection and wear levelling (such as refresh, the logical-to-physical map, folding of the SLC
        /// cache, and parity).
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
