//! What the host side hears of, and where the time of a flash operation went.

use controller::{Reading, Transaction, Waits};

/// Where the time of a flash operation went, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// In the die's queue behind operations of: host, GC, wear levelling, other.
    pub waits: Waits,
    /// Time in the queue of the die while the die was switching or waiting for its channel.
    pub queue: u64,
    /// Time that the operation waited for the channel.
    pub channel: u64,
    /// Time that the array was busy for the operation.
    pub array: u64,
    /// Time of the command and data cycles of the operation.
    pub transfer: u64,
}

impl Stages {
    /// Returns the sum of all stages of the operation, in ns.
    pub fn total(&self) -> u64 {
        self.waits.iter().sum::<u64>() + self.queue + self.channel + self.array + self.transfer
    }

    /// Returns the same, but no longer than `most` ns altogether: of a wait that overlaps another that was
    /// counted already, only the rest counts.
    pub fn within(mut self, most: u64) -> Self {
        let mut excess = self.total().saturating_sub(most);
        for wait in self.waits.iter_mut().skip(1).chain([&mut self.queue]) {
            let cut = excess.min(*wait);
            *wait -= cut;
            excess -= cut;
        }
        self
    }

    pub(crate) fn of(transaction: &Transaction) -> Self {
        let queued = transaction.started.since(transaction.queued).ns();
        Self {
            waits: transaction.waits,
            queue: queued.saturating_sub(transaction.waits.iter().sum()),
            channel: transaction.channel_ns,
            array: transaction.array_ns,
            transfer: transaction.transfer_ns,
        }
    }
}

/// An event that the host side must hear about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// One flash read of this request gave its data (before ECC); `units` mapping units.
    Read {
        /// The request's number.
        request: u32,
        /// Mapping units delivered.
        units: u32,
        /// How the read handled errors: attempts and decoding.
        reading: Reading,
        /// Stages of the read's time.
        stages: Stages,
    },
    /// One unit of this write request is on the flash (only for requests that wait for it).
    Durable {
        /// The request's number.
        request: u32,
        /// Stages in which the request's time was spent.
        stages: Stages,
    },
    /// Map entries that a part of this read waited for have been read: the part consists of `more` parts beside itself.
    Mapped {
        /// The request's number.
        request: u32,
        /// Number of parts beside the part that was announced.
        more: u32,
        /// How long the part waited, in ns.
        waited_ns: u64,
    },
    /// All that was acknowledged before this flush, or that a zone lacked until it is full, is on the flash.
    Flushed {
        /// The request's number.
        request: u32,
    },
}
