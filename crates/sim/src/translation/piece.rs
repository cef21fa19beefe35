//! What a host's translation asks of the drive, and for what.

use host::HostRequest;

/// Kind of request to the drive that the host's translation makes, with what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ZonePiece {
    /// Case of a request to the drive: the read of a part of what a read of the workload asks for.
    Read {
        /// Index of the read of the workload.
        host: u32,
    },
    /// Case of a request to the drive: the read of a block of which a write of the workload replaces a part.
    Edge {
        /// Index of the write of the workload.
        host: u32,
    },
    /// Case of a request to the drive: an append of blocks that a write of the workload writes.
    Append {
        /// Index of the write of the workload.
        host: u32,
        /// First logical block of the append.
        first: u32,
        /// Number of logical blocks of the append.
        blocks: u32,
    },
    /// Case of a request to the drive: a flush of the workload.
    Flush {
        /// Index of the flush of the workload.
        host: u32,
    },
    /// Case of what needs no request to the drive: a trim of the workload, or a read of blocks without data.
    Nothing {
        /// Index of the request of the workload.
        host: u32,
    },
    /// Case of a request to the drive: the read of blocks that the host's collection copies.
    CopyRead {
        /// First place, in blocks over all zones, of the blocks to be copied.
        place: u32,
        /// Number of blocks to be copied.
        blocks: u32,
    },
    /// Case of a request to the drive: the append of blocks that the host's collection copies.
    CopyAppend {
        /// List of the places from which blocks are copied, each with its logical block.
        from: Vec<(u32, u32)>,
    },
    /// Case of a request to the drive: the reset of a zone that was collected.
    Reset {
        /// Number of the zone.
        zone: u32,
    },
}

/// Request to the drive of the host's translation, in the drive's own byte addresses, with what it is for.
pub(crate) type PieceRequest = (HostRequest, ZonePiece);
