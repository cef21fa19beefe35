//! One flash operation on its way through die queue, channel and array.

use units::{DieId, Nanos, SimTime};

/// Kind of a flash operation: read, program, erase or copyback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Case of flash operation: array read of one page row, then data-out of the requested units.
    Read,
    /// Case of flash operation: data-in of a program unit over the channel, then array program.
    Program,
    /// Case of flash operation: erase of a superblock, which is one block in each plane that operates together.
    Erase,
    /// Case of flash operation: copyback, an array read and a program of one program unit inside the die, without data
    /// on the bus.
    Copyback,
}

/// Kind of cause of a flash operation, such as the host or garbage collection. Every program and erase has exactly one,
/// and write amplification is calculated from the counts by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// Cause of a flash operation: a request of the host.
    Host,
    /// Cause of a flash operation: garbage collection.
    Gc,
    /// Cause of a flash operation: relocation of data by wear levelling.
    Wear,
    /// Cause of a flash operation: read of the rest of a mapping unit of which the host wrote a part.
    ReadModifyWrite,
    /// Cause of a flash operation: relocation of data out of a superblock in which a program failed.
    Rescue,
    /// Cause of a flash operation: padding, which is a program of empty units that complete a program unit.
    Padding,
    /// Cause of a flash operation: units that the cost regulator queued are programmed again in idle time, so that
    /// later reads of the units take less time.
    Rewrite,
    /// Cause of a flash operation: refresh, which relocates data before their retention time expires, or because their
    /// block was read too often.
    Refresh,
    /// Cause of a flash operation: read or program of units of the map itself, where the map lies on flash.
    Map,
    /// Cause of a flash operation: background scrub (patrol), which reads stored data to count their bit errors, and
    /// relocates the data where the errors approach the number that the code corrects.
    Scrub,
    /// Cause of a flash operation: folding, which is relocation of data from superblocks in SLC mode to superblocks
    /// that use all bits per cell.
    Fold,
    /// Cause of a flash operation: program of parity across dies.
    Parity,
    /// Cause of a flash operation: read of the rest of a parity stripe, to restore a page whose errors the code could
    /// not correct.
    Rebuild,
    /// Cause of a flash operation: read-ahead of data that the host has not asked for yet.
    ReadAhead,
}

impl Origin {
    /// Constant: number of different origins (causes) of flash operations.
    pub const COUNT: usize = 14;
    /// Constant: list of all origins (causes) of flash operations, in the order of their numbers.
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

    /// Returns true if data are relocated for this origin to keep them readable, and not to free space.
    pub const fn keeps_data(self) -> bool {
        matches!(self, Self::Refresh | Self::Scrub)
    }

    /// Returns true if programs of this origin write neither data of the logical drive nor units of its map (padding,
    /// parity).
    pub const fn holds_no_data(self) -> bool {
        matches!(self, Self::Padding | Self::Parity)
    }

    /// Returns true if reads of this origin serve to restore the data of an uncorrectable read from parity.
    pub const fn is_remedy(self) -> bool {
        matches!(self, Self::Rebuild)
    }

    /// Returns the name of the origin in results.
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

    /// Returns the index in [`Waits`] under which time spent waiting for operations of this origin is counted.
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

/// Type of an array of four times in ns, split by the origin of flash operations: host, garbage collection, wear
/// levelling, other. A wait is split by the operations waited for, a busy time by the operations carried out.
pub type Waits = [u64; 4];

/// Kind of class of a transaction: the queue of a die in which it waits. Each queue is first in, first out, which keeps
/// the programs of an open superblock in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Case of class of operations at a die: reads that the host waits for.
    HostRead,
    /// Case of class of operations at a die: reads of garbage collection and other internal work.
    InternalRead,
    /// Case of class (queue) of operations at a die: programs to superblocks that take the host's data.
    HostProgram,
    /// Case of class of operations at a die: programs (and copybacks) of garbage collection and other internal work.
    InternalProgram,
    /// Case of class (queue) of operations at a die: erases of superblocks.
    Erase,
}

impl Kind {
    /// Constant: number of kinds of flash operation.
    pub const COUNT: usize = 4;
    /// Constant: list of all kinds of flash operation, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [Self::Read, Self::Program, Self::Erase, Self::Copyback];

    /// Returns the name of the kind of flash operation in results.
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
    /// Constant: number of classes of flash operations, each of which has its own queue at a die.
    pub const COUNT: usize = 5;
    /// Constant: list of all classes of flash operations, which are queues of a die, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] =
        [Self::HostRead, Self::InternalRead, Self::HostProgram, Self::InternalProgram, Self::Erase];

    /// Returns the bit of this class of flash operations (queue of a die) in a bit mask of classes.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Type of the identifier of a transaction while it is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionId(pub u32);

impl TransactionId {
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Returns the transaction's identifier as an index into an array, such as the controller's storage of
    /// transactions.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn exists(self) -> bool {
        self != Self::NONE
    }
}

/// Record of how a page is read, with all attempts (read retries) together: first all senses, then all transfers,
/// unless the attempts overlap (pieces).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Number of times that the page is sensed; each takes the chip's array read time.
    pub senses: u16,
    /// Ratio, as numerator and denominator, of the number of bit-planes that the read transfers to the number that a
    /// hard-decision read transfers.
    pub planes: (u16, u16),
    /// Number of times that the data of the read are decoded.
    pub decodes: u8,
    /// Number of attempts that overlap (pipelined retries): each is sensed while the attempt before crosses the channel
    /// and is decoded; 1: none overlap.
    pub pieces: u8,
    /// Time in ns that the decoder's iterations add to the fixed decoding time, over all decodings that the data wait
    /// for.
    pub iterating_ns: u32,
    /// True if no attempt of the read corrected the data: the data are lost.
    pub uncorrectable: bool,
}

impl Reading {
    /// Constant: description of a hard-decision read without retries, which is sensed once, transferred once and
    /// decoded once.
    pub const HARD: Self =
        Self { senses: 1, planes: (1, 1), decodes: 1, pieces: 1, iterating_ns: 0, uncorrectable: false };

    /// Returns the share of `whole` (number of array senses or bit-planes of the read) that belongs to piece number
    /// `piece` (one of the overlapping attempts of pipelined read retries); `whole` is divided among the pieces as
    /// evenly as possible.
    pub fn part(&self, whole: u64, piece: u8) -> u64 {
        if self.pieces <= 1 {
            return whole;
        }
        let until = |piece: u64| whole * piece / u64::from(self.pieces);
        until(u64::from(piece) + 1) - until(u64::from(piece))
    }

    /// Returns the time for which the data wait for decoding; each decoding takes `t_decode` beside its iterations. Of
    /// overlapping attempts (pieces) only the last decoding counts, since the others overlap with array reads.
    pub fn decoding(&self, t_decode: Nanos) -> Nanos {
        let awaited = u64::from(if self.pieces > 1 { self.decodes.min(1) } else { self.decodes });
        t_decode.times(awaited) + Nanos::new(u64::from(self.iterating_ns))
    }

    /// Returns a copy of this description of a read with no time for decoding, for a read that uses data already
    /// decoded for another read.
    pub fn decoded(self) -> Self {
        Self { decodes: 0, iterating_ns: 0, ..self }
    }
}

/// Record of a flash operation as it is submitted: its kind, address and cause.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Field of a transaction: kind of its flash operation (read, program, erase or copyback).
    pub kind: Kind,
    /// Field of a transaction: cause of its flash operation, such as the host or garbage collection.
    pub origin: Origin,
    /// Field of a transaction: its class, which is the queue of the die in which it waits.
    pub class: Class,
    /// Field of a transaction: die on which its flash operation takes place.
    pub die: DieId,
    /// Field of a transaction: number, within the die, of the superblock of its flash operation.
    pub superblock: u32,
    /// Number of the (first) page row of the operation within the superblock.
    pub row: u32,
    /// For reads: bit mask of the units of the page row that are requested.
    pub mask: u64,
    /// Number of page rows that a program writes.
    pub rows: u32,
    /// For programs and erases: row of the chip's wear tables (times by program/erase cycles) for the block.
    pub wear: u8,
    /// For programs: index of the write cost (way to program a page); 0 is the chip's usual program.
    pub cost: u8,
    /// True if the superblock of the transaction is in SLC mode (one bit per cell); for a copyback, the source
    /// superblock.
    pub slc: bool,
    /// Field of a transaction: for reads, numbers of senses, transfers and decodings. A copyback senses once for each
    /// page row that it writes.
    pub reading: Reading,
    /// Number of flash pages that the operation touches: for programs planes times rows, for reads the requested pages;
    /// for a read that uses another's array read, only the pages that this must sense in addition.
    pub pages: u32,
    /// For programs where planes take one command for equal page numbers: the page's number in its block; else
    /// `u32::MAX`.
    pub page: u32,
    /// Number of bytes that cross the channel, where they are fewer than those of the units; 0: all bytes of the units.
    pub bytes: u32,
    /// Number that the submitter of the transaction chose to find its own record at the end, such as the index of a
    /// host request.
    pub owner: u32,
    /// Time at which the operation joined the queue of its die.
    pub queued: SimTime,
}

impl Transaction {
    /// Constant: value of `superblock` that stands for no superblock, for a read of a unit that is not on flash because
    /// it was never written.
    pub const NOWHERE: u32 = u32::MAX;

    /// Makes the transaction of a flash operation that has not been submitted to the controller yet.
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
        }
    }
}
