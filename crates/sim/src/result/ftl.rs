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
    /// Results of the firmware (flash translation layer), in sections named after those of the configuration that
    /// govern them.
    FtlSections {
        /// Section of the result on the map from logical to physical addresses.
        mapping: Mapping,
        /// Section of the result on garbage collection in the measured window.
        gc: Gc,
        /// Section of the result on wear levelling in the measured window.
        wear: WearLevelling,
        /// Section of the result on the program order: the order in which fast and slow pages (of different page types)
        /// are programmed.
        program_order: ProgramOrder,
        /// Section of the result on the write buffer in DRAM, and on where the host's units were found and went.
        buffer: Buffer,
        /// Section of the result on flash reads that share one array operation (sense) of the same page row.
        read_merge: ReadMerge,
        /// Section of the result on read-ahead: data read before the host asks for it.
        read_ahead: ReadAhead,
        /// Section of the result on the SLC cache, superblocks that take the host's data with one bit per cell; null
        /// where the drive has none.
        slc_cache: Option<SlcCache>,
        /// Section of the result on parity across dies; null where the drive has none.
        parity: Option<Parity>,
        /// Section of the result on snapshots of the logical drive, since the run began; null where the drive takes
        /// none.
        snapshots: Option<Snapshots>,
        /// Section of the result on the write costs, the ways to program a page (voltage step and voltage set) among
        /// which the drive chooses; null without `ecc.code`.
        write_cost: Option<WriteCost>,
        /// Section of the result on the regulator, the policy that chooses how costly each write and the later reads
        /// are: units that it asked to be rewritten, and the memory that it needs; null without `ecc.code`.
        regulator: Option<Regulator>,
        /// Section of the result on refresh: moving data before errors make it unreadable; null without `ecc.code`.
        refresh: Option<Refresh>,
        /// Section of the result on the patrol (background scrub), which reads stored data to find errors; null where
        /// the drive has no patrol.
        scrub: Option<Scrub>,
        /// Section of the result on timer-driven background work, and its delays; null where the drive has none.
        upkeep: Option<Upkeep>,
        /// Section of the result on the host's placement handles; absent on a drive without.
        #[serde(skip_serializing_if = "Option::is_none")]
        streams: Option<PlacementStreams>,
        /// Section of the result on the zones of a zoned drive; absent on a drive without.
        #[serde(skip_serializing_if = "Option::is_none")]
        zones: Option<ZonesOfDrive>,
    }

    /// Results on the map from logical to physical addresses: lookups, merges, and memory.
    Mapping {
        /// Number, in the result, of bytes of RAM that the logical-to-physical map takes in the simulated drive.
        ram_bytes: u64 = "bytes",
        /// Number of lookups of map entries that were in RAM, on a drive with the logical-to-physical map on flash and
        /// only a part of it cached in RAM.
        hits: u64 = "lookups",
        /// Number of lookups that did not find their entry of the logical-to-physical map in the cache in RAM; the entry is
        /// read from flash unless its map page was never written or is in the write buffer.
        misses: u64 = "lookups",
        /// Share, in the result, of lookups in the logical-to-physical map that found their entry in RAM; null where no
        /// lookup was counted, as with the whole map in RAM.
        hit_ratio: Option<f64> = "ratio",
        /// Numbers, in the result, of merges of log blocks with data blocks, by kind; 0 with a page-level map.
        merges: Merges = "merges",
    }

    /// Numbers of merges in a block-level map, by kind of merge.
    Merges {
        /// Number, in the result, of switch merges: a log block became a data block without a copy.
        switch: u64,
        /// Number, in the result, of partial merges: a log block became a data block after the data it lacked were
        /// copied into it.
        partial: u64,
        /// Number, in the result, of full merges: the current data of a data block and of its log blocks were copied
        /// into a new block.
        full: u64,
    }

    /// Results on garbage collection in the measured window. Means are over the victims that it chose; null without
    /// victims.
    Gc {
        /// Number of superblocks chosen as victims of garbage collection in the measured window.
        victims: u64 = "superblocks",
        /// Mean number, over the victims of the measured window, of valid mapping units in a victim when it was chosen:
        /// the units that had to be moved.
        valid_units_per_victim: Option<f64> = "mapping units",
        /// Mean number, over the victims of the measured window, of superblocks of the die that the garbage collection
        /// policy could choose the victim from.
        candidates_at_choice_mean: Option<f64> = "superblocks",
        /// Mean number, over the victims of the measured window, of free superblocks that the die had when the victim
        /// was chosen: how far garbage collection lets free space run down.
        free_at_choice_mean: Option<f64> = "superblocks",
    }

    /// Results on wear levelling in the measured window.
    WearLevelling {
        /// Number of superblocks whose data was moved so that their little worn blocks take part in the wear.
        relocations: u64 = "superblocks",
    }

    /// Results on the program order, the order in which pages of different speed are programmed: how often it exchanged
    /// the open superblocks of host data and of moved data.
    ProgramOrder {
        /// Number of times, over all dies, that the open superblocks for the host's data and for moved data of a die
        /// exchanged roles, so that each gets pages of another speed.
        superblocks_traded: u64 = "superblocks",
    }

    /// Results on parity across dies, and on the space that it takes.
    Parity {
        /// Width, in the result, of a parity stripe without its parity, in the drive of this run: number of data units
        /// that share a parity unit.
        stripe: u32 = "mapping units",
        /// Number of superblocks that are assigned to parity units (parity across dies) at the end of the run.
        superblocks: u64 = "superblocks",
        /// Capacity in bytes of the superblocks that are assigned to parity data (the parity units of stripes across
        /// dies) at the end of the run: the flash space that the redundancy takes.
        bytes: u64 = "bytes",
        /// Number of superblocks assigned to parity units at the end of the run, as a share of all superblocks of the
        /// drive.
        share_of_flash: f64 = "ratio",
        /// Number of bytes that the superblocks assigned to parity units at the end of the run can hold, as a share of
        /// the capacity that the host sees.
        share_of_capacity: f64 = "ratio",
        /// Greatest number of bytes of RAM that the parity of incomplete stripes took in this run.
        ram_bytes_max: u64 = "bytes",
    }

    /// Counts of reads that the error-correcting code could not correct: data restored from parity, and data lost.
    Unreadable {
        /// Number of flash reads that the error-correcting code could not correct and whose data was restored from
        /// parity, for the host and for other origins.
        reads_rebuilt: HostOrOther = "flash reads",
        /// Number of flash reads whose data could be restored neither by the error-correcting code nor from parity, for
        /// the host and for other origins.
        reads_lost: HostOrOther = "flash reads",
        /// Number of mapping units marked as lost: they were moved, or merged with what the host wrote, although they
        /// could not be read.
        units_lost: u64 = "mapping units",
        /// Number of mapping units marked as lost that the host asked for.
        units_read_lost: u64 = "mapping units",
    }

    /// Counts of flash reads for the host's requests, and for all other origins.
    HostOrOther {
        /// Number of the counted flash reads (such as reads lost or reads retried; the field with this pair of counts
        /// says which) that were made for the host's requests.
        host: u64,
        /// Number of the counted flash reads (such as reads lost or reads retried; the field with this pair of counts
        /// says which) that were made for all origins other than the host.
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
