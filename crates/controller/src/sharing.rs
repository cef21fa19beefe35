//! Reads that ride on another: what one of them senses, the others take from the page register with it.
//!
//! A *carrier* goes through the queue, the array and the channel; its *riders* have places in the slab and times of
//! their own, but no place at the die. They finish with the carrier's data-out, in which each unit crosses once, however
//! many asked for it. Which reads may ride, the translation layer says; without it none of this state exists.

use crate::die::{ArrayPhase, Die};
use crate::{Transaction, TransactionId};
use units::{DieId, SimTime};

/// Stages of a transaction up to some moment: channel, transfer, array, in ns.
type Spent = [u64; 3];

/// How a transaction takes part in a shared read.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// The read that this one rides on; none: it is a carrier itself, or shares nothing.
    carrier: TransactionId,
    /// The last read that joined this carrier; each rider names the one that joined before it.
    last: TransactionId,
    riders: u32,
    /// Units of the pages that are sensed, and units that are sent: those of the carrier and of all its riders.
    sensed: u64,
    sent: u64,
    /// Channel, transfer and array time (ns) that the carrier had already spent when this rider joined.
    spent: Spent,
    /// True after the data of the shared read have left the die; the controller is decoding them.
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

/// A read that others may ride on.
#[derive(Clone, Copy, Debug)]
pub struct Ride {
    /// Number of the read on which others may ride.
    pub id: TransactionId,
    /// Units of the pages that the read senses, one bit each.
    pub sensed: u64,
    /// True after the array read has begun: units of pages that the array read does not sense cannot be
    /// added.
    pub begun: bool,
    /// Number of reads that ride on the array read.
    pub riders: u32,
}

/// All that is shared at the drive.
pub(crate) struct Sharing {
    of: Vec<Shared>,
    /// For each die: the page rows of reads whose data-out has not begun, oldest first.
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

    /// Allows other reads to ride on this read, which senses the pages of the units `sensed`.
    pub fn open(&mut self, id: TransactionId, transaction: &Transaction, sensed: u64) {
        *self.of(id) = Shared { sensed, sent: transaction.mask, ..Shared::NOTHING };
        self.open[transaction.die.index()].push((transaction.superblock, transaction.row, id));
    }

    /// Returns the newest open read of a page row.
    pub fn find(&self, die: DieId, superblock: u32, row: u32) -> Option<(TransactionId, u64, u32)> {
        let rows = self.open[die.index()].iter().rev();
        let (.., id) = rows.copied().find(|&(of, at, _)| (of, at) == (superblock, row))?;
        let shared = &self.of[id.index()];
        Some((id, shared.sensed, shared.riders))
    }

    /// Returns the read that `id` rides on, or itself.
    pub fn carrier_of(&self, id: TransactionId) -> TransactionId {
        match self.of.get(id.index()) {
            Some(shared) if shared.carrier.exists() => shared.carrier,
            _ => id,
        }
    }

    /// True when the data of a read are out, and are being decoded.
    pub fn is_out(&self, id: TransactionId) -> bool {
        self.of.get(id.index()).is_some_and(|shared| shared.is_out)
    }

    /// Lets `rider`, which needs the pages of `sensed`, ride on the carrier. Returns the rider that joined before it,
    /// to which it must be linked.
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

    /// Returns the last rider of a carrier, or none.
    #[inline]
    pub fn last_rider(&self, carrier: TransactionId) -> TransactionId {
        self.of.get(carrier.index()).map_or(TransactionId::NONE, |shared| shared.last)
    }

    /// Begins a data-out and returns the number of its units: no rider can add units any more.
    #[cold]
    pub fn begin_out(&mut self, id: TransactionId, transaction: &Transaction) -> u32 {
        let open = &mut self.open[transaction.die.index()];
        open.retain(|&(.., of)| of != id);
        match self.of.get(id.index()) {
            Some(shared) if shared.sent != 0 => shared.sent.count_ones(),
            _ => transaction.mask.count_ones(),
        }
    }

    /// Detaches the riders of a read, which have their data. Returns the last of them.
    pub fn unload(&mut self, id: TransactionId) -> TransactionId {
        let of = self.of(id);
        of.riders = 0;
        std::mem::replace(&mut of.last, TransactionId::NONE)
    }

    /// Detaches a rider from its carrier. Returns the time that the carrier had spent when the rider joined.
    pub fn leave(&mut self, rider: TransactionId) -> Spent {
        let of = self.of(rider);
        of.carrier = TransactionId::NONE;
        of.spent
    }

    /// Begins the decoding of a read whose data are out.
    pub fn begin_decoding(&mut self, id: TransactionId) {
        self.of(id).is_out = true;
    }

    /// Removes a transaction that has ended.
    #[inline]
    pub fn forget(&mut self, id: TransactionId) {
        if let Some(shared) = self.of.get_mut(id.index()) {
            *shared = Shared::NOTHING;
        }
    }
}

/// Returns the channel, transfer and array time (ns) that a read taken up by its die has spent until `now`.
pub(crate) fn spent(transaction: &Transaction, id: TransactionId, die: &Die, now: SimTime) -> Spent {
    let mut spent = [transaction.channel_ns, transaction.transfer_ns, transaction.array_ns];
    if transaction.since > now {
        // Cycles in progress are counted to their end.
        spent[1] -= transaction.since.since(now).ns();
    } else {
        let sensing = die.array == id && die.array_phase == ArrayPhase::Busy;
        spent[if sensing { 2 } else { 0 }] += now.since(transaction.since).ns();
    }
    spent
}
