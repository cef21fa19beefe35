//! Reads that ride on another: what one of them senses, the others take from the page register with it.
//!
//! A *carrier* goes through the queue, the array and the channel; its *riders* have places in the slab and times of
//! their own, but no place at the die. They finish with the carrier's data-out, in which each unit crosses once, however
//! many asked for it. Which reads may ride, the translation layer says; without it none of this state exists.

use crate::die::{ArrayPhase, Die};
use crate::in_flight::InFlight;
use crate::{Transaction, TransactionId};
use units::{DieId, SimTime};

/// Type of three times in ns that a transaction has spent up to some moment: waiting for the channel, in transfer, and
/// in the array.
type Spent = [u64; 3];

/// Record of a transaction that shares an array read (sense): as the carrier, which does the array read, or as a rider,
/// which uses it.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// For a rider (a read that shares another read's array read): the carrier, which does the array read; none for a
    /// carrier, or for a transaction that shares nothing.
    carrier: TransactionId,
    /// For a carrier (a read whose array read others use): the rider (read that uses it) that joined last; each rider
    /// names the rider that joined before it.
    last: TransactionId,
    riders: u32,
    /// For a carrier (a read whose array read others use): bit mask with a bit for each unit of all pages that its
    /// array read senses for it and its riders.
    sensed: u64,
    /// For a carrier (a read whose array read others use): bit mask with a bit for each unit that is sent over the
    /// channel for it and its riders.
    sent: u64,
    /// For a rider (a read that uses another read's array read): the times that the carrier had already spent when the
    /// rider joined, in ns: channel wait, transfer and array.
    spent: Spent,
    /// True once the data of the shared read have left the die and the controller is decoding them.
    is_out: bool,
}

impl Shared {
    const NOTHING: Self = Self {
        carrier: TransactionId::NONE,
        last: TransactionId::NONE,
        riders: 0,
        sensed: 0,
        sent: 0,
        spent: [0; 3],
        is_out: false,
    };
}

/// Record of a read in flight whose array read (sense) further reads of the page row can use.
#[derive(Clone, Copy, Debug)]
pub struct Ride {
    /// Identifier of the transaction whose array read (sense) further reads can use.
    pub id: TransactionId,
    /// Bit mask over the mapping units of the page row: the bit of each mapping unit is set that lies in a page that
    /// the array read senses, whether or not the mapping unit was requested.
    pub sensed: u64,
    /// True once the array read has begun, so that no further pages can be added to it.
    pub begun: bool,
    /// Number of further reads (riders) that already use the array read.
    pub riders: u32,
}

/// State of all shared array reads (senses) of a drive: which reads can still be joined, and which reads use the array
/// read of which.
pub(crate) struct Sharing {
    of: Vec<Shared>,
    /// For each die: list of the reads that can still be shared because their data-out has not begun, oldest first,
    /// each with its superblock, page row and transaction.
    open: Vec<Vec<(u32, u32, TransactionId)>>,
}

impl Sharing {
    pub fn new(dies: usize) -> Self {
        Self { of: Vec::new(), open: vec![Vec::new(); dies] }
    }

    fn of(&mut self, id: TransactionId) -> &mut Shared {
        if self.of.len() <= id.index() {
            self.of.resize(id.index() + 1, Shared::NOTHING);
        }
        &mut self.of[id.index()]
    }

    /// Notes, in the controller's state of shared reads, that further reads may use the array read of read `id`, which
    /// senses the pages of the units in bit mask `sensed`.
    pub fn open(&mut self, id: TransactionId, transaction: &Transaction, sensed: u64) {
        *self.of(id) = Shared { sensed, sent: transaction.mask, ..Shared::NOTHING };
        self.open[transaction.die.index()].push((transaction.superblock, transaction.row, id));
    }

    /// Returns the newest read of a page row whose array read others can use: its transaction, the bit mask of units
    /// sensed, and its number of riders (reads that already use it).
    pub fn find(&self, die: DieId, superblock: u32, row: u32) -> Option<(TransactionId, u64, u32)> {
        let rows = self.open[die.index()].iter().rev();
        let (.., id) = rows.copied().find(|&(of, at, _)| (of, at) == (superblock, row))?;
        let shared = &self.of[id.index()];
        Some((id, shared.sensed, shared.riders))
    }

    /// Returns the carrier, the transaction whose array read `id` uses; `id` itself if it has its own array read.
    pub fn carrier_of(&self, id: TransactionId) -> TransactionId {
        match self.of.get(id.index()) {
            Some(shared) if shared.carrier.exists() => shared.carrier,
            _ => id,
        }
    }

    /// Returns true if, by the controller's state of shared reads, the data of a read have left the die and are being
    /// decoded.
    pub fn is_out(&self, id: TransactionId) -> bool {
        self.of.get(id.index()).is_some_and(|shared| shared.is_out)
    }

    /// Adds `rider` to the reads that use the array read of `carrier`, which then also senses the pages of the units in
    /// `sensed`. Returns the rider that joined before, to which the new one must be linked.
    pub fn join(
        &mut self,
        carrier: TransactionId,
        rider: TransactionId,
        mask: u64,
        sensed: u64,
        spent: Spent,
    ) -> TransactionId {
        *self.of(rider) = Shared { carrier, spent, ..Shared::NOTHING };
        let of = self.of(carrier);
        of.riders += 1;
        of.sensed |= sensed;
        of.sent |= mask;
        std::mem::replace(&mut of.last, rider)
    }

    /// Returns the rider (read that uses another's array read) that joined carrier `carrier` last, or `NONE`.
    #[inline]
    pub fn last_rider(&self, carrier: TransactionId) -> TransactionId {
        self.of.get(carrier.index()).map_or(TransactionId::NONE, |shared| shared.last)
    }

    /// Records that the data-out of a read begins, after which no further read can use its array read, and returns the
    /// number of units to send over the channel.
    #[cold]
    pub fn begin_out(&mut self, id: TransactionId, transaction: &Transaction) -> u32 {
        let open = &mut self.open[transaction.die.index()];
        open.retain(|&(.., of)| of != id);
        match self.of.get(id.index()) {
            Some(shared) if shared.sent != 0 => shared.sent.count_ones(),
            _ => transaction.mask.count_ones(),
        }
    }

    /// Detaches all riders (reads that use the array read) from a carrier, whose data have arrived. Returns the rider
    /// that joined last, or `NONE`.
    pub fn unload(&mut self, id: TransactionId) -> TransactionId {
        let of = self.of(id);
        of.riders = 0;
        std::mem::replace(&mut of.last, TransactionId::NONE)
    }

    /// Detaches a rider (read that uses another's array read) from its carrier. Returns the times that the carrier had
    /// spent when the rider joined.
    pub fn leave(&mut self, rider: TransactionId) -> Spent {
        let of = self.of(rider);
        of.carrier = TransactionId::NONE;
        of.spent
    }

    /// Marks a read as being decoded, after its data have left the die.
    pub fn begin_decoding(&mut self, id: TransactionId) {
        self.of(id).is_out = true;
    }

    /// Removes the sharing state of a transaction that has ended.
    #[inline]
    pub fn forget(&mut self, id: TransactionId) {
        if let Some(shared) = self.of.get_mut(id.index()) {
            *shared = Shared::NOTHING;
        }
    }
}

/// Returns the channel wait, transfer and array times (ns) that a read which its die has started has spent until `now`.
pub(crate) fn spent(transaction: &InFlight, id: TransactionId, die: &Die, now: SimTime) -> Spent {
    let times = &transaction.times;
    let mut spent = [times.channel_ns, times.transfer_ns, times.array_ns];
    if transaction.since > now {
        // Cycles in progress are counted to their end.
        spent[1] -= transaction.since.since(now).ns();
    } else {
        let sensing = die.array == id && die.array_phase == ArrayPhase::Busy;
        spent[if sensing { 2 } else { 0 }] += now.since(transaction.since).ns();
    }
    spent
}
