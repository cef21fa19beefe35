//! Flash operations in flight: their times so far, and the storage in which they stand until they have finished.

use crate::{Transaction, TransactionId, Waits};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use units::SimTime;

/// Record of where the time of a flash operation went, complete once the operation has finished.
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionTimes {
    /// Time at which the die started the operation.
    pub started: SimTime,
    /// Time at which the operation finished: for a read at the end of its data-out (or, if it joined a read whose data
    /// were already being decoded, of that decoding), else at the end of the array work or of the status query that
    /// follows it.
    pub finished: SimTime,
    /// Times in the die's queue while the die was occupied by operations of each origin, in ns; in the rest of the
    /// queue time, the die was idle or switching.
    pub waits: Waits,
    /// Time that the operation waited for the channel, in ns.
    pub channel_ns: u64,
    /// Time of the operation's command and data cycles on the channel, in ns.
    pub transfer_ns: u64,
    /// Busy time of the array for the operation, in ns; the pause while the operation is suspended does not count.
    pub array_ns: u64,
}

/// Record of a flash operation together with the times that it has taken so far: all of them once it has finished.
#[derive(Clone, Copy, Debug)]
pub struct TimedTransaction {
    /// Field of the record of a flash operation: the operation as it was submitted: kind, address and cause.
    pub transaction: Transaction,
    /// Field of the record of a flash operation: its times: start, end, and how long it spent in waits, on the channel
    /// and in the array.
    pub times: TransactionTimes,
}

impl TimedTransaction {
    /// Makes the record of an operation that took no time, for a drive without simulated time (preconditioning).
    pub fn at_once(transaction: Transaction) -> Self {
        Self { transaction, times: TransactionTimes::default() }
    }
}

impl Deref for TimedTransaction {
    type Target = Transaction;

    #[inline]
    fn deref(&self) -> &Transaction {
        &self.transaction
    }
}

impl DerefMut for TimedTransaction {
    #[inline]
    fn deref_mut(&mut self) -> &mut Transaction {
        &mut self.transaction
    }
}

/// Record of a flash operation in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight {
    pub timed: TimedTransaction,
    /// Time until which the operation's time is attributed to a stage (channel, transfer, array).
    pub since: SimTime,
    /// Running number of the operation, in the order of submission.
    pub submitted: u64,
    /// Next operation in the queue of the die, among the riders of a read, or among the free elements of the storage.
    pub next: TransactionId,
    /// Number of pieces of a read (overlapping attempts of pipelined read retries) that the array has sensed.
    pub sensed: u8,
    /// Number of pieces of a read (overlapping attempts of pipelined read retries) that have crossed the channel.
    pub sent: u8,
}

impl InFlight {
    #[inline]
    fn new(transaction: Transaction) -> Self {
        Self {
            timed: TimedTransaction { transaction, times: TransactionTimes::default() },
            since: SimTime::ZERO,
            submitted: 0,
            next: TransactionId::NONE,
            sensed: 0,
            sent: 0,
        }
    }
}

impl Deref for InFlight {
    type Target = TimedTransaction;

    #[inline]
    fn deref(&self) -> &TimedTransaction {
        &self.timed
    }
}

impl DerefMut for InFlight {
    #[inline]
    fn deref_mut(&mut self) -> &mut TimedTransaction {
        &mut self.timed
    }
}

/// Type of the storage of all transactions in flight; array elements are used again after a transaction has ended, so
/// that no memory is allocated per operation.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    pub items: Vec<InFlight>,
    free: TransactionId,
    pub live: u32,
}

impl Slab {
    pub fn new() -> Self {
        Self { items: Vec::with_capacity(1024), free: TransactionId::NONE, live: 0 }
    }

    #[inline]
    pub fn insert(&mut self, transaction: Transaction) -> TransactionId {
        self.live += 1;
        if self.free.exists() {
            let id = self.free;
            let item = &mut self.items[id.index()];
            self.free = item.next;
            *item = InFlight::new(transaction);
            return id;
        }
        let id = engine::next_index(self.items.len(), "flash operations");
        self.items.push(InFlight::new(transaction));
        TransactionId(id)
    }

    /// Returns the indices of the array elements, in the storage of transactions, that hold no transaction and will be
    /// used again.
    pub fn free_places(&self) -> BTreeSet<u32> {
        let next = |id: &TransactionId| Some(self.items[id.index()].next).filter(|next| next.exists());
        let first = Some(self.free).filter(|free| free.exists());
        std::iter::successors(first, next).map(|id| id.0).collect()
    }

    /// Removes a transaction from the storage and returns it with its times.
    #[inline]
    pub fn remove(&mut self, id: TransactionId) -> TimedTransaction {
        self.live -= 1;
        let item = &mut self.items[id.index()];
        item.next = self.free;
        self.free = id;
        // Copied in two parts: the compiler copies up to 128 bytes in line, and more by a call.
        TimedTransaction { transaction: item.timed.transaction, times: item.timed.times }
    }
}
