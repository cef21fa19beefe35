//! What the host side hears of, and where the time of a flash operation went.

use controller::{Reading, TimedTransaction, Waits};

/// Record of the times of a flash operation by stage, each in nanoseconds: waits in the die's queue, wait for the
/// channel, array and transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Times that the operation waited in the die's queue behind operations of each origin (host, garbage collection,
    /// wear levelling, other), in ns.
    pub waits: Waits,
    /// Time that the operation waited in the queue of the die while no other operation occupied the die: the die was
    /// switching between operations, or waiting for its channel; in ns.
    pub queue: u64,
    /// Time that the operation waited for the channel of its die, in ns.
    pub channel: u64,
    /// Stage of a flash operation: time that the flash array was busy with the operation, in ns.
    pub array: u64,
    /// Stage of a flash operation: time of its command and data cycles on the channel, in ns.
    pub transfer: u64,
}

impl Stages {
    /// Returns the sum of all stages of the operation, in ns.
    pub fn total(&self) -> u64 {
        self.waits.iter().sum::<u64>() + self.queue + self.channel + self.array + self.transfer
    }

    /// Returns these stage times with the waits in the die's queue, except behind host operations, shortened until the
    /// sum is at most `most` ns or they are zero: for an operation of which a part of the waits was counted already.
    pub fn within(mut self, most: u64) -> Self {
        let mut excess = self.total().saturating_sub(most);
        for wait in self.waits.iter_mut().skip(1).chain([&mut self.queue]) {
            let cut = excess.min(*wait);
            *wait -= cut;
            excess -= cut;
        }
        self
    }

    pub(crate) fn of(operation: &TimedTransaction) -> Self {
        let times = &operation.times;
        let queued = times.started.since(operation.queued).ns();
        Self {
            waits: times.waits,
            queue: queued.saturating_sub(times.waits.iter().sum()),
            channel: times.channel_ns,
            array: times.array_ns,
            transfer: times.transfer_ns,
        }
    }
}

/// Kind of report of the translation layer to the host side, such as the end of a flash read or of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Case of report to the host side: one flash read for a host request delivered its data (before ECC).
    Read {
        /// Number of the host request for which the flash read was made.
        request: u32,
        /// Number of mapping units that the read delivered.
        units: u32,
        /// Field of the report of a flash read: how it handled bit errors (attempts, decoding, whether data were
        /// uncorrectable).
        reading: Reading,
        /// Field of the report of a flash read: its times by stage (waits, channel, array and transfer), in ns.
        stages: Stages,
    },
    /// Case of report: one unit of a write request is on flash; made only for requests that wait until their data are
    /// on flash, and not for those acknowledged from the write buffer.
    Durable {
        /// Number of the host's write request of which a unit is on flash.
        request: u32,
        /// Field of the report of a unit on flash: times of its program by stage (waits, channel, array and transfer),
        /// in ns.
        stages: Stages,
    },
    /// Case of report: a part of a read request that waited until its map entries were read from flash has these
    /// entries, and now consists of one flash read, which the request already counts, and `more` further flash reads.
    Mapped {
        /// Number of the host's read request of which a part waited for map entries.
        request: u32,
        /// Number of flash reads for the part of the read request beyond its first read, which the request already
        /// counts.
        more: u32,
        /// Time that this part of the read request waited for its map entries, in ns.
        waited_ns: u64,
    },
    /// Case of report: a flush is complete, and all data acknowledged before it are on flash; or a request to finish a
    /// zone is done.
    Flushed {
        /// Number of the host's flush request, or of its request to finish a zone, that is complete.
        request: u32,
    },
}
