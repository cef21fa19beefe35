//! One flash operation on its way through die queue, channel and array.

use std::collections::BTreeSet;
use units::{DieId, Nanos, SimTime};

/// The kind of a flash operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Array read of one page row, then data-out of the units asked for.
    Read,
    /// Data-in of a program unit, then array program.
    Program,
    /// Erase of a block in each plane.
    Erase,
    /// Array read and program of one unit inside the die, without data on the bus.
    Copyback,
}

/// On whose behalf. Every program and erase has exactly one; write amplification follows from that alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// Requests of the host.
    Host,
    /// Garbage collection.
    Gc,
    /// Wear levelling.
    Wear,
    /// The read half of a host write smaller than a mapping unit.
    ReadModifyWrite,
    /// Data rescued from a superblock whose program failed.
    Rescue,
    /// Units programmed empty to complete a program unit.
    Padding,
    /// Units rewritten in idle time so that later reads of the units cost less.
    Rewrite,
    /// Data rewritten before its retention time expires.
    Refresh,
    /// Units of the map itself, where the map lies on flash.
    Map,
    /// Stored data read in idle time to see its errors, and rewritten where the errors approach what the code corrects.
    Scrub,
    /// Data moved from superblocks in SLC mode to superblocks that use all bits per cell.
    Fold,
    /// Parity over dies.
    Parity,
    /// Reads of the rest of a stripe, to restore a page whose errors its code could not correct.
    Rebuild,
    /// Data that the host has not asked for yet, but is about to.
    ReadAhead,
}

impl Origin {
    /// Number of origins.
    pub const COUNT: usize = 14;
    /// Every origin, in the order of its number.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Host,
        Self::Gc,
        Self::Wear,
        Self::ReadModifyWrite,
        Self::Rescue,
        Self::Padding,
        Self::Rewrite,
        Self::Refresh,
        Self::Map,
        Self::Scrub,
        Self::Fold,
        Self::Parity,
        Self::Rebuild,
        Self::ReadAhead,
    ];

    /// True when data are moved for this origin to keep them readable, and not to free space.
    pub const fn keeps_data(self) -> bool {
        matches!(self, Self::Refresh | Self::Scrub)
    }

    /// True when programs of this origin hold no data of the logical drive or its map.
    pub const fn holds_no_data(self) -> bool {
        matches!(self, Self::Padding | Self::Parity)
    }

    /// True when reads of this origin restore data of another read that its page's code could not correct.
    pub const fn is_remedy(self) -> bool {
        matches!(self, Self::Rebuild)
    }

    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Gc => "gc",
            Self::Wear => "wear",
            Self::ReadModifyWrite => "read_modify_write",
            Self::Rescue => "rescue",
            Self::Padding => "padding",
            Self::Rewrite => "rewrite",
            Self::Refresh => "refresh",
            Self::Map => "map",
            Self::Scrub => "scrub",
            Self::Fold => "fold",
            Self::Parity => "parity",
            Self::Rebuild => "rebuild",
            Self::ReadAhead => "read_ahead",
        }
    }

    /// Returns the column of [`Waits`] that time spent behind this origin goes to.
    #[inline]
    pub const fn wait_column(self) -> usize {
        match self {
            // What is read ahead is the host's a moment later.
            Self::Host | Self::ReadAhead => 0,
            Self::Gc => 1,
            Self::Wear => 2,
            _ => 3,
        }
    }
}

/// Nanoseconds by whose operation was in the way: host, GC, wear levelling, other.
pub type Waits = [u64; 4];

/// The queue of a die that a transaction waits in. Each queue is first in, first out, which keeps the
/// programs of an open superblock in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Reads the host waits for.
    HostRead,
    /// Reads of garbage collection and of other internal work.
    InternalRead,
    /// Programs of the host's open superblock.
    HostProgram,
    /// Programs (and copybacks) of garbage collection's open superblock.
    InternalProgram,
    /// Erases of superblocks.
    Erase,
}

impl Kind {
    /// Number of kinds of operation.
    pub const COUNT: usize = 4;
    /// Every kind, in the order of its number.
    pub const ALL: [Self; Self::COUNT] = [Self::Read, Self::Program, Self::Erase, Self::Copyback];

    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Program => "program",
            Self::Erase => "erase",
            Self::Copyback => "copyback",
        }
    }
}

impl Class {
    /// Number of classes of operation.
    pub const COUNT: usize = 5;
    /// Every class, in the order of its number.
    pub const ALL: [Self; Self::COUNT] =
        [Self::HostRead, Self::InternalRead, Self::HostProgram, Self::InternalProgram, Self::Erase];

    /// Returns the class of operations as one bit of a set.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Names a transaction while it is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionId(pub u32);

impl TransactionId {
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Returns the class as an index into a flat array.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn exists(self) -> bool {
        self != Self::NONE
    }
}

/// How a page is read, all attempts together: first all sensing, then all transfers, unless it is read in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Times the page is sensed: each takes the chip's read time.
    pub senses: u16,
    /// Bit-planes sent for each that a hard read sends, as a ratio.
    pub planes: (u16, u16),
    /// Attempts to decode.
    pub decodes: u8,
    /// Attempts that are sensed while the one before crosses the channel and is decoded (pipelined retries); 1: none.
    pub pieces: u8,
    /// What iterations of the decoder add to the time that every decoding takes, of all decodings that the data wait for.
    pub iterating_ns: u32,
    /// True if no attempt of the read corrected the data: the data are lost.
    pub uncorrectable: bool,
}

impl Reading {
    /// Sensed once, sent once, decoded once.
    pub const HARD: Self =
        Self { senses: 1, planes: (1, 1), decodes: 1, pieces: 1, iterating_ns: 0, uncorrectable: false };

    /// Returns what one piece has of a whole that all pieces share as evenly as they can.
    pub fn part(&self, whole: u64, piece: u8) -> u64 {
        if self.pieces <= 1 {
            return whole;
        }
        let until = |piece: u64| whole * piece / u64::from(self.pieces);
        until(u64::from(piece) + 1) - until(u64::from(piece))
    }

    /// Returns how long the data wait for their decoding, each of which takes `t_decode` beside its
    /// iterations: with pieces only the last, the others pass while the array senses on.
    pub fn decoding(&self, t_decode: Nanos) -> Nanos {
        let awaited = u64::from(if self.pieces > 1 { self.decodes.min(1) } else { self.decodes });
        t_decode.times(awaited) + Nanos::new(u64::from(self.iterating_ns))
    }

    /// The same data without decoding: they were decoded for another.
    pub fn decoded(self) -> Self {
        Self { decodes: 0, iterating_ns: 0, ..self }
    }
}

/// A flash operation, what it is for and where its time went.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Kind of operation: read, program, erase or copyback.
    pub kind: Kind,
    /// Reason of the operation, such as the host or garbage collection.
    pub origin: Origin,
    /// Queue of the die in which the transaction waits.
    pub class: Class,
    /// Die on which the operation takes place.
    pub die: DieId,
    /// Superblock of the operation, numbered within the die.
    pub superblock: u32,
    /// The (first) page row within the superblock.
    pub row: u32,
    /// For reads: which units of the row, one bit each.
    pub mask: u64,
    /// Page rows that a program writes.
    pub rows: u32,
    /// For programs and erases: the row of the chip's tables for the block's wear.
    pub wear: u8,
    /// For programs: what it costs, a place in the controller's list; 0 is the chip's usual program.
    pub cost: u8,
    /// True if the superblock of the transaction holds one bit a cell (SLC mode); of the two superblocks of a
    /// copyback, the source.
    pub slc: bool,
    /// For reads: how it goes about errors; a copyback senses as often, once for each page row that it writes.
    pub reading: Reading,
    /// Flash pages touched: planes times rows.
    pub pages: u32,
    /// For programs: the page's number in its block, where planes take one command for equal ones; else none.
    pub page: u32,
    /// Bytes that cross the channel, where they are fewer than the units' own; 0: the units'.
    pub bytes: u32,
    /// The submitter's reference: host request, program slot.
    pub owner: u32,
    /// Time at which the transaction joined the queue of its die.
    pub queued: SimTime,
    /// Time at which the die started the transaction.
    pub started: SimTime,
    /// When the array or, for reads, the data-out finished.
    pub finished: SimTime,
    /// Queue time by whose operation was in the way; the rest of the queue time the die was idle or switching.
    pub waits: Waits,
    /// Time that the operation waited for the channel, in ns.
    pub channel_ns: u64,
    /// Command and data cycles on the channel.
    pub transfer_ns: u64,
    /// Busy time of the array for the operation, suspension included, in ns.
    pub array_ns: u64,
    pub(crate) since: SimTime,
    pub(crate) submitted: u64,
    pub(crate) next: TransactionId,
    /// Pieces of a read that were sensed, and that crossed the channel.
    pub(crate) sensed: u8,
    pub(crate) sent: u8,
}

impl Transaction {
    /// The superblock of a read of what is nowhere: a unit that was never written.
    pub const NOWHERE: u32 = u32::MAX;

    /// Makes a transaction yet to be submitted.
    pub fn new(kind: Kind, origin: Origin, class: Class, die: DieId, superblock: u32, row: u32) -> Self {
        Self {
            kind,
            origin,
            class,
            die,
            superblock,
            row,
            mask: 0,
            rows: 1,
            wear: 0,
            cost: 0,
            slc: false,
            reading: Reading::HARD,
            pages: 0,
            page: u32::MAX,
            bytes: 0,
            owner: u32::MAX,
            queued: SimTime::ZERO,
            started: SimTime::ZERO,
            finished: SimTime::ZERO,
            waits: [0; 4],
            channel_ns: 0,
            transfer_ns: 0,
            array_ns: 0,
            since: SimTime::ZERO,
            submitted: 0,
            next: TransactionId::NONE,
            sensed: 0,
            sent: 0,
        }
    }
}

/// All transactions in flight; places are used again, so that nothing is allocated per operation.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    pub items: Vec<Transaction>,
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
            self.free = self.items[id.index()].next;
            self.items[id.index()] = transaction;
            return id;
        }
        let id = engine::next_index(self.items.len(), "flash operations");
        self.items.push(transaction);
        TransactionId(id)
    }

    /// Returns the places that are to be used again.
    pub fn free_places(&self) -> BTreeSet<u32> {
        let next = |id: &TransactionId| Some(self.items[id.index()].next).filter(|next| next.exists());
        let first = Some(self.free).filter(|free| free.exists());
        std::iter::successors(first, next).map(|id| id.0).collect()
    }

    #[inline]
    pub fn remove(&mut self, id: TransactionId) {
        self.live -= 1;
        self.items[id.index()].next = self.free;
        self.free = id;
    }
}
