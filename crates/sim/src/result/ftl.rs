//! What the firmware did; each section has the name of the section of the configuration that governs it.

use super::buffer::{self, Buffer, ReadAhead, ReadMerge, SlcCache};
use super::costs::{self, Refresh, Regulator, Scrub, Upkeep, WriteCost};
use super::placement::{PlacementStreams, placement};
use super::snapshots::{Snapshots, snapshots};
use super::zones::{ZonesOfDrive, zones};
use crate::Drive;
use crate::observe::Observer;
use crate::run::{Run, regulation_counts};
use crate::sections::sections;
use ftl::{Ftl, FtlStats};

sections! {
    /// What the firmware did, by the section of the configuration that governs it.
    FtlSections {
        /// The map from logical to physical numbers.
        mapping: Mapping,
        /// Garbage collection.
        gc: Gc,
        /// Wear levelling.
        wear: WearLevelling,
        /// The order in which pages of different speed are used.
        program_order: ProgramOrder,
        /// The DRAM buffer, and where the host's units were found and went.
        buffer: Buffer,
        /// Reads that share an array read.
        read_merge: ReadMerge,
        /// Data read before the host asks for it.
        read_ahead: ReadAhead,
        /// Superblocks that take the host's data with one bit per cell; null where the drive has none.
        slc_cache: Option<SlcCache>,
        /// Parity across dies; null where the drive has none.
        parity: Option<Parity>,
        /// Snapshots of the logical drive, since the run began; null where it takes none.
        snapshots: Option<Snapshots>,
        /// How data is written, at which cost; null without `ecc.code`.
        write_cost: Option<WriteCost>,
        /// The policy that chooses what writes and reads cost; null without `ecc.code`.
        regulator: Option<Regulator>,
        /// Moving data before it is lost; null without `ecc.code`.
        refresh: Option<Refresh>,
        /// The patrol, which reads stored data for its errors; null where the drive has none.
        scrub: Option<Scrub>,
        /// Timer-driven work, and how late it came; null where the drive has none.
        upkeep: Option<Upkeep>,
        /// Placement handles of the host; absent on a drive without.
        #[serde(skip_serializing_if = "Option::is_none")]
        streams: Option<PlacementStreams>,
        /// The zones of a zoned drive; absent on a drive without.
        #[serde(skip_serializing_if = "Option::is_none")]
        zones: Option<ZonesOfDrive>,
    }

    /// What the kind of mapping did, and the memory it takes.
    Mapping {
        /// RAM that the map takes in the drive.
        ram_bytes: u64 = "bytes",
        /// Lookups of map entries that were in RAM, where only a part of the map is there.
        hits: u64 = "lookups",
        /// Lookups of map entries that had to be read from flash.
        misses: u64 = "lookups",
        /// The share of lookups that found their entry in RAM; null where the whole map is in RAM.
        hit_ratio: Option<f64> = "ratio",
        /// Merges of log blocks with data blocks; none with a map of pages.
        merges: Merges = "merges",
    }

    /// Merges of block-level mapping, by kind.
    Merges {
        /// A log block became a data block without a copy.
        switch: u64,
        /// A log block became a data block after what it lacked was copied into it.
        partial: u64,
        /// A data block was gathered in a new block.
        full: u64,
    }

    /// What garbage collection did. Means are over the victims it chose; null without victims.
    Gc {
        /// Superblocks chosen for collection.
        victims: u64 = "superblocks",
        /// Valid units in a victim when it was chosen: what had to be moved.
        valid_units_per_victim: Option<f64> = "mapping units",
        /// Superblocks of the die that the policy could choose from.
        candidates_at_choice_mean: Option<f64> = "superblocks",
        /// Free superblocks that the die had when a victim was chosen: how far collection lets free space run down.
        free_at_choice_mean: Option<f64> = "superblocks",
    }

    /// What wear levelling did.
    WearLevelling {
        /// Superblocks whose data was moved so that their blocks wear, too.
        relocations: u64 = "superblocks",
    }

    /// What the order of programs did.
    ProgramOrder {
        /// Open superblocks that the host's data and garbage collection traded for pages of another speed.
        superblocks_traded: u64 = "superblocks",
    }

    /// Parity across dies and the space it takes.
    Parity {
        /// Data units that share a parity unit.
        stripe: u32 = "mapping units",
        /// Superblocks that hold parity at the end of the run.
        superblocks: u64 = "superblocks",
        /// Bytes that those can hold.
        bytes: u64 = "bytes",
        /// Those superblocks as a share of all.
        share_of_flash: f64 = "ratio",
        /// Those bytes as a share of the capacity that the host sees.
        share_of_capacity: f64 = "ratio",
        /// The most RAM that parity of incomplete stripes took.
        ram_bytes_max: u64 = "bytes",
    }

    /// What became of reads that the code could not correct.
    Unreadable {
        /// Flash reads whose data was brought back from parity.
        reads_rebuilt: HostOrOther = "flash reads",
        /// Flash reads whose data could not be brought back.
        reads_lost: HostOrOther = "flash reads",
        /// Units moved, or merged with what the host wrote, although they could not be read: they are marked as lost.
        units_lost: u64 = "mapping units",
        /// Units marked so that the host asked for.
        units_read_lost: u64 = "mapping units",
    }

    /// Counts of the host's requests and of everything else.
    HostOrOther {
        /// For the host's requests.
        host: u64,
        /// For all other origins.
        other: u64,
    }
}

pub(super) fn host_or_other([host, other]: [u64; 2]) -> HostOrOther {
    HostOrOther { host, other }
}

pub(super) fn sections_of<P: Observer>(
    run: &Run<P>,
    drive: &Drive,
    stats: &FtlStats,
    span_ns: u64,
) -> FtlSections {
    let (ftl, counts) = (&run.ftl, regulation_counts(&run.ftl).since(&run.counts_before.regulation));
    FtlSections {
        mapping: mapping(ftl, stats),
        gc: gc(stats),
        streams: placement(run, stats),
        zones: zones(run),
        wear: WearLevelling { relocations: stats.wear_relocations },
        program_order: ProgramOrder { superblocks_traded: stats.superblocks_traded },
        buffer: buffer::buffer(ftl, stats, span_ns),
        read_merge: buffer::read_merge(stats),
        read_ahead: buffer::read_ahead(stats),
        slc_cache: buffer::slc_cache(ftl, stats),
        parity: parity(ftl, drive),
        snapshots: snapshots(ftl),
        write_cost: costs::write_cost(ftl, &counts),
        regulator: costs::regulator(ftl, &counts),
        refresh: costs::refresh(ftl, &counts),
        scrub: costs::scrub(run, &counts),
        upkeep: costs::upkeep(run, span_ns),
    }
}

fn mapping(ftl: &Ftl, stats: &FtlStats) -> Mapping {
    let lookups = stats.map_hits + stats.map_misses;
    Mapping {
        ram_bytes: ftl.map_bytes(),
        hits: stats.map_hits,
        misses: stats.map_misses,
        hit_ratio: (lookups > 0).then(|| stats.map_hits as f64 / lookups as f64),
        merges: Merges {
            switch: stats.merges_switch,
            partial: stats.merges_partial,
            full: stats.merges_full,
        },
    }
}

fn gc(stats: &FtlStats) -> Gc {
    let per_victim = |sum: u64| (stats.victims > 0).then(|| sum as f64 / stats.victims as f64);
    Gc {
        victims: stats.victims,
        valid_units_per_victim: per_victim(stats.victim_units),
        candidates_at_choice_mean: per_victim(stats.victim_candidates),
        free_at_choice_mean: per_victim(stats.victim_free),
    }
}

fn parity(ftl: &Ftl, drive: &Drive) -> Option<Parity> {
    let parity = ftl.feature::<ftl::Stripes>()?;
    let layout = ftl.layout();
    let superblocks = u64::from(parity.parity_superblocks());
    let bytes = superblocks * u64::from(layout.superblock_units) * layout.unit.get();
    Some(Parity {
        stripe: parity.stripe(),
        superblocks,
        bytes,
        share_of_flash: superblocks as f64 / layout.superblocks() as f64,
        share_of_capacity: bytes as f64 / drive.capacity().get() as f64,
        ram_bytes_max: parity.gathered_bytes_max(),
    })
}

pub(super) fn unreadable(stats: &FtlStats) -> Unreadable {
    Unreadable {
        reads_rebuilt: host_or_other(stats.reads_rebuilt),
        reads_lost: host_or_other(stats.reads_lost),
        units_lost: stats.units_lost,
        units_read_lost: stats.units_read_lost,
    }
}
