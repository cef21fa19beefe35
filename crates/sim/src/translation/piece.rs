//! What a host's translation asks of the drive, and for what.

use host::HostRequest;

/// Kind of request to the drive, with its purpose, by the translation of a host that keeps blocks on zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ZonePiece {
    /// Case of request to the drive: a read for a read of the workload, or for a part of it.
    Read {
        /// Index, in the host's translation, of the read of the workload.
        host: u32,
    },
    /// Case of request to the drive: a read of a block of which a write of the workload replaces only a part.
    Edge {
        /// Index, in the host's translation, of the write of the workload.
        host: u32,
    },
    /// Case of request to the drive: an append to a zone, of blocks of a write of the workload.
    Append {
        /// Index, in the host's translation, of the write of the workload.
        host: u32,
        /// First logical block of the append.
        first: u32,
        /// Number of logical blocks of the append.
        blocks: u32,
    },
    /// Case of request to the drive: a flush that the workload requested.
    Flush {
        /// Index, in the host's translation, of the flush of the workload.
        host: u32,
    },
    /// Case of a request that needs nothing of the drive, so that it is answered at once: a trim of the workload, or a
    /// read of blocks without data.
    Nothing {
        /// Index, in the host's translation, of the request of the workload.
        host: u32,
    },
    /// Case of request to the drive: a read of blocks that the host's collection of zones copies.
    CopyRead {
        /// Place of the first block to be copied, in blocks over the capacities of all zones.
        place: u32,
        /// Number of blocks to be copied.
        blocks: u32,
    },
    /// Case of request to the drive: an append to a zone, of blocks that the host's collection of zones copies.
    CopyAppend {
        /// List of the places from which blocks are copied, each with its logical block.
        from: Vec<(u32, u32)>,
    },
    /// Case of request to the drive: a reset of a zone that the host's collection has emptied.
    Reset {
        /// Number of the zone that is reset.
        zone: u32,
    },
}

/// Alias for a pair: a request to the drive by the host's translation, in the drive's own byte addresses, and its
/// purpose.
pub(crate) type PieceRequest = (HostRequest, ZonePiece);
