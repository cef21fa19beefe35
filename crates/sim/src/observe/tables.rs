//! The columns of every table that a run writes: name, type, unit and meaning, each said here and nowhere else.
//! The Parquet files carry them as metadata, and the reference page of the tables is made from them.

use serde::Serialize;

/// Kind of the values in a column of a table that a run writes, by Arrow's name of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Type {
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Int64,
    Double,
    String,
}

impl Type {
    /// Returns the width of one value of this column type: number of bytes, 0 for text.
    pub const fn width(self) -> usize {
        match self {
            Self::Uint8 => 1,
            Self::Uint16 => 2,
            Self::Uint32 => 4,
            Self::Uint64 | Self::Int64 | Self::Double => 8,
            Self::String => 0,
        }
    }
}

/// Description of one column of a table that a run writes: name, type, unit and meaning.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Column {
    /// Field of a column's description: name of the column in the file of the table.
    pub name: &'static str,
    /// Field of a column's description: Arrow type of the column's values.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Field of a column's description: unit of the column's values, as text; `1` for a plain number or a name.
    pub unit: &'static str,
    /// Field of a column's description: meaning of the column's values, as a sentence.
    pub meaning: &'static str,
}

const fn column(name: &'static str, kind: Type, unit: &'static str, meaning: &'static str) -> Column {
    Column { name, kind, unit, meaning }
}

/// Description of one table that a run writes: file, rows and columns.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RunTable {
    /// Field of a table's description: name of the table's file in the folder of the run.
    pub file: &'static str,
    /// Field of a table's description: text that says what one row of the table stands for.
    pub row: &'static str,
    /// Field of a table's description: list of the descriptions of the columns of this table, which a run writes, in
    /// the order of the columns.
    pub columns: &'static [Column],
}

/// Constant: list of the descriptions of all tables that a run writes.
pub const TABLES: [RunTable; 3] = [
    RunTable {
        file: "latency.parquet",
        row: "One kind of request and one latency that occurred, in ascending order: a histogram with three significant \
              digits of the measured requests, from which every percentile can be computed.",
        columns: &LATENCY,
    },
    RunTable {
        file: "series.parquet",
        row: "One interval of simulated time. The intervals double in width when they become more than 512, so that a run \
              of any length has at most so many rows.",
        columns: &SERIES,
    },
    RunTable {
        file: "requests.parquet",
        row: "One request of the host, in the order of completion (only with `--requests`). The stages, from `queue_ns` \
              on, sum to `complete_ns - arrive_ns`.",
        columns: &REQUESTS,
    },
];

/// Constant: list of the descriptions of the columns of the result file `latency.parquet`.
pub const LATENCY: [Column; 3] = [
    column("op", Type::String, "1", "Kind of request: read, write, trim or flush."),
    column(
        "latency_ns",
        Type::Int64,
        "ns",
        "Latency from arrival to completion, to three significant digits.",
    ),
    column("requests", Type::Int64, "requests", "Measured requests of this kind with this latency."),
];

/// Constant: list of the descriptions of the columns of the result file `series.parquet`, the time series of the run.
pub const SERIES: [Column; 13] = [
    column("time_ns", Type::Int64, "ns", "Simulated time at which the interval begins."),
    column("width_ns", Type::Int64, "ns", "Length of the interval; all intervals of a run have the same."),
    column("read_requests", Type::Int64, "requests", "Reads completed in the interval."),
    column("read_bytes", Type::Int64, "B", "Bytes of these reads."),
    column("read_latency_ns_mean", Type::Double, "ns", "Their mean latency; empty where there was none."),
    column(
        "read_latency_ns_p99",
        Type::Int64,
        "ns",
        "Latency that 99 % of them did not exceed, to an eighth of a power of two.",
    ),
    column("read_latency_ns_max", Type::Int64, "ns", "Their largest latency."),
    column("write_requests", Type::Int64, "requests", "Writes completed in the interval."),
    column("write_bytes", Type::Int64, "B", "Bytes of these writes."),
    column("write_latency_ns_mean", Type::Double, "ns", "Their mean latency; empty where there was none."),
    column(
        "write_latency_ns_p99",
        Type::Int64,
        "ns",
        "Latency that 99 % of them did not exceed, to an eighth of a power of two.",
    ),
    column("write_latency_ns_max", Type::Int64, "ns", "Their largest latency."),
    column(
        "slc_cache_bytes",
        Type::Int64,
        "B",
        "Capacity of the superblocks that the SLC cache uses, at the last completion of the interval; only for drives that have one.",
    ),
];

/// Constant: list of the descriptions of the columns of the result file `requests.parquet`; the last thirteen are the
/// stages of a request's latency, of which the host link is the last.
pub const REQUESTS: [Column; 22] = [
    column(
        "request",
        Type::Uint64,
        "1",
        "The request's number where it came from: its line or record in a trace, otherwise its count within its job, from 1.",
    ),
    column("arrive_ns", Type::Uint64, "ns", "Simulated time at which the host issued the request."),
    column("complete_ns", Type::Uint64, "ns", "Simulated time at which the host had the answer."),
    column("op", Type::Uint8, "1", "Kind of request: 0 read, 1 write, 2 trim, 3 flush."),
    column("failed", Type::Uint8, "1", "1 if the drive answered with an error."),
    column("measured", Type::Uint8, "1", "0 if the request belongs to a ramp, which no result counts."),
    column(
        "tag",
        Type::Uint16,
        "1",
        "Number of the job or volume that issued it, from 0, in the order of `run.json`.",
    ),
    column("offset", Type::Uint64, "B", "First byte of the drive that the request concerns."),
    column("bytes", Type::Uint32, "B", "Length of the request."),
    column(
        "queue_ns",
        Type::Uint64,
        "ns",
        "Wait in the host's submission queue, until the drive fetched the command.",
    ),
    column("command_ns", Type::Uint64, "ns", "Handling of the command by the firmware."),
    column(
        "buffer_ns",
        Type::Uint64,
        "ns",
        "Wait for room in the write buffer, and time of the data in it that no other stage explains.",
    ),
    column(
        "wait_host_ns",
        Type::Uint64,
        "ns",
        "Wait while the die was occupied by other requests of the host.",
    ),
    column("wait_gc_ns", Type::Uint64, "ns", "Wait while the die was occupied by garbage collection."),
    column("wait_wear_ns", Type::Uint64, "ns", "Wait while the die was occupied by wear levelling."),
    column("wait_other_ns", Type::Uint64, "ns", "Wait while the die was occupied by the drive's other work."),
    column("wait_die_ns", Type::Uint64, "ns", "Wait at the die that no operation on it explains."),
    column("channel_ns", Type::Uint64, "ns", "Wait for the flash channel."),
    column(
        "array_ns",
        Type::Uint64,
        "ns",
        "Time of the flash array: reading, programming, and read retries.",
    ),
    column("transfer_ns", Type::Uint64, "ns", "Transfer over the flash channel."),
    column("ecc_ns", Type::Uint64, "ns", "Decoding of the error correction code."),
    column("link_ns", Type::Uint64, "ns", "Transfer over the host's link."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_in_names_are_those_of_the_columns() {
        for column in TABLES.iter().flat_map(|table| table.columns) {
            let says = |unit: &str| column.name.contains(unit);
            assert_eq!(says("_ns"), column.unit == "ns", "{}", column.name);
            assert_eq!(says("bytes"), column.unit == "B" && column.name != "offset", "{}", column.name);
            assert!(column.meaning.ends_with('.'), "{}", column.name);
        }
    }
}
