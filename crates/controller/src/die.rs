//! A die: its queues, its array, its page register, and who keeps it busy.
//!
//! Two places hold an operation. The *array* slot is taken from a read's command until its array time is
//! over, and for the array time of programs and erases. The *register* slot is taken for data in and out.
//! Cache operation is nothing but letting both be taken at once.

use crate::in_flight::Slab;
use crate::scheduler::Scheduler;
use crate::transaction::Waits;
use crate::{Class, ControllerConfig, Kind, Origin, TransactionId};
use units::{Nanos, SimTime};

/// Set of settings by which an operation need not wait for the operation before it on the same die: cache operations
/// overlap with it, and a host read may interrupt it.
#[derive(Clone, Copy, Debug)]
pub struct DieOverlap {
    /// True if an array read overlaps with the data-out of the read before it.
    pub cache_read: bool,
    /// True if a data-in overlaps with the program before it.
    pub cache_program: bool,
    /// True if a host read that was waiting when a program or erase began may suspend it.
    pub suspend_for_waiting: bool,
}

impl DieOverlap {
    /// Makes the settings of a die that say which operations may overlap (cache reads, cache programs) and whether a
    /// host read that waited may suspend a running operation, from the controller's configuration and its scheduler.
    pub fn of(config: &ControllerConfig, scheduler: &dyn Scheduler) -> Self {
        let (cache_read, cache_program) = (config.cache_read, config.cache_program);
        Self { cache_read, cache_program, suspend_for_waiting: scheduler.suspends_for_waiting() }
    }
}

/// Kind of priority that the flash controller's scheduler gives to garbage collection on a die: normal, or urgent while
/// the die has too few free superblocks. The priority does not depend on whether the garbage collection runs in the
/// foreground or in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Case of urgency of garbage collection: the die is not short of free superblocks.
    Normal,
    /// Case of urgency of garbage collection: the die is short of free superblocks, and operations that free
    /// superblocks may go first.
    Urgent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayPhase {
    Command,
    Busy,
    /// Case of phase of an operation: the array work of an operation is over, but the operation must wait: a read until
    /// the page register is free, a program or erase until the status of the one before was queried.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterPhase {
    WaitIn,
    In,
    /// Case of phase of an operation: the data for a program are in the page register, while the array is busy with the
    /// program before.
    Loaded,
    WaitOut,
    Out,
}

#[derive(Clone, Debug)]
pub(crate) struct Die {
    /// Index of the die's channel; stored because each operation would otherwise need a division.
    pub channel: u32,
    /// Index of the die on its channel; stored because each operation would otherwise need a division.
    pub way: u32,
    head: [TransactionId; Class::COUNT],
    tail: [TransactionId; Class::COUNT],
    pub waiting: u8,
    pub urgent: bool,
    /// Number of host operations that wait or are in progress at this die, as the flash controller counts them.
    pub host_operations: u32,
    pub array: TransactionId,
    pub array_kind: Kind,
    pub array_phase: ArrayPhase,
    pub array_start: SimTime,
    pub array_end: SimTime,
    pub register: TransactionId,
    pub register_kind: Kind,
    pub register_phase: RegisterPhase,
    pub suspended: TransactionId,
    /// Identifier of the program or erase that has ended, but whose status was not queried yet.
    pub status: TransactionId,
    pub remaining: Nanos,
    pub suspensions: u32,
    /// Time before which no operation may start, because a suspend command is taking effect.
    pub blocked_until: SimTime,
    /// Busy time of the die's array in ns by origin (host, GC, wear levelling, other), for utilisation.
    pub array_busy: Waits,
    occupied: Waits,
    occupant: Option<usize>,
    occupied_since: SimTime,
}

impl Die {
    pub fn new(die: u32, channels: u32) -> Self {
        Self {
            channel: die % channels,
            way: die / channels,
            head: [TransactionId::NONE; Class::COUNT],
            tail: [TransactionId::NONE; Class::COUNT],
            waiting: 0,
            urgent: false,
            host_operations: 0,
            array: TransactionId::NONE,
            array_kind: Kind::Read,
            array_phase: ArrayPhase::Done,
            array_start: SimTime::ZERO,
            array_end: SimTime::NEVER,
            register: TransactionId::NONE,
            register_kind: Kind::Read,
            register_phase: RegisterPhase::Out,
            suspended: TransactionId::NONE,
            status: TransactionId::NONE,
            remaining: Nanos::ZERO,
            suspensions: 0,
            blocked_until: SimTime::ZERO,
            array_busy: [0; 4],
            occupied: [0; 4],
            occupant: None,
            occupied_since: SimTime::ZERO,
        }
    }

    #[inline]
    pub fn is_idle(&self) -> bool {
        let slots = [self.array, self.register, self.suspended, self.status];
        self.waiting == 0 && !slots.iter().any(|slot| slot.exists())
    }

    #[inline]
    pub fn enqueue(&mut self, slab: &mut Slab, id: TransactionId) {
        let class = slab.items[id.index()].class as usize;
        if self.waiting >> class & 1 == 0 {
            self.head[class] = id;
            self.waiting |= 1 << class;
        } else {
            slab.items[self.tail[class].index()].next = id;
        }
        self.tail[class] = id;
        slab.items[id.index()].next = TransactionId::NONE;
    }

    /// Moves a waiting internal read to the die's queue of host reads, to its position by order of submission: before
    /// an erase starts, only the oldest read of a queue is compared with it.
    pub fn promote(&mut self, slab: &mut Slab, id: TransactionId) {
        let (from, to) = (Class::InternalRead, Class::HostRead);
        let submitted = slab.items[id.index()].submitted;
        let (before, _) = self.neighbours(slab, from, |at, _| at == id);
        let next = slab.items[id.index()].next;
        self.link(slab, from, before, next);
        let (before, after) = self.neighbours(slab, to, |_, other| other > submitted);
        slab.items[id.index()].class = to;
        self.link(slab, to, before, id);
        self.link(slab, to, id, after);
    }

    /// Searches the queue of a class for the first operation for which `is_it` is true; returns the operation before it
    /// and that operation itself, each `NONE` if it does not exist.
    fn neighbours(
        &self,
        slab: &Slab,
        class: Class,
        is_it: impl Fn(TransactionId, u64) -> bool,
    ) -> (TransactionId, TransactionId) {
        let waits = self.waiting & class.bit() != 0;
        let mut at = if waits { self.head[class as usize] } else { TransactionId::NONE };
        let mut before = TransactionId::NONE;
        while at.exists() && !is_it(at, slab.items[at.index()].submitted) {
            (before, at) = (at, slab.items[at.index()].next);
        }
        (before, at)
    }

    /// Links two operations of a class in the queue of the die. If `before` is none, `after` becomes the first; if
    /// `after` is none, `before` becomes the last.
    fn link(&mut self, slab: &mut Slab, class: Class, before: TransactionId, after: TransactionId) {
        match before.exists() {
            true => slab.items[before.index()].next = after,
            false => self.head[class as usize] = after,
        }
        if !after.exists() {
            self.tail[class as usize] = before;
        }
        match before.exists() || after.exists() {
            true => self.waiting |= class.bit(),
            false => self.waiting &= !class.bit(),
        }
    }

    #[inline]
    pub fn first(&self, class: Class) -> TransactionId {
        self.head[class as usize]
    }

    #[inline]
    pub fn dequeue(&mut self, slab: &Slab, class: Class) -> TransactionId {
        let id = self.head[class as usize];
        let next = slab.items[id.index()].next;
        self.head[class as usize] = next;
        if !next.exists() {
            self.waiting &= !class.bit();
        }
        id
    }

    /// Returns the bit mask of the classes (queues of the die) whose oldest operation could start now, given the
    /// operations that occupy the array and the page register.
    #[inline]
    pub fn startable(&self, overlap: &DieOverlap) -> u8 {
        const READS: u8 = Class::HostRead.bit() | Class::InternalRead.bit();
        const PROGRAMS: u8 = Class::HostProgram.bit() | Class::InternalProgram.bit();
        if self.status.exists() && !overlap.cache_program {
            return 0;
        }
        let array_free = !self.array.exists();
        let register_free = !self.register.exists();
        if self.suspended.exists() {
            let read =
                array_free && (register_free || (overlap.cache_read && self.register_kind == Kind::Read));
            return if read { Class::HostRead.bit() } else { 0 };
        }
        if array_free && register_free {
            return u8::MAX;
        }
        if array_free && overlap.cache_read && self.register_kind == Kind::Read {
            return READS;
        }
        let programming = self.array_kind == Kind::Program && self.array_phase == ArrayPhase::Busy;
        if register_free && overlap.cache_program && programming { PROGRAMS } else { 0 }
    }

    /// Returns the time in ns that the die was occupied until `now`, by the origin of the occupying operation.
    #[inline]
    pub fn occupied_until(&self, now: SimTime) -> Waits {
        let mut occupied = self.occupied;
        if let Some(column) = self.occupant {
            occupied[column] += now.since(self.occupied_since).ns();
        }
        occupied
    }

    /// Records which operation occupies the die from now on: that in the array, else that in the page register, else a
    /// suspended one, else one whose status was not queried yet; the time until now is counted for the one before.
    #[inline]
    pub fn note_occupant(&mut self, slab: &Slab, now: SimTime) {
        if let Some(column) = self.occupant {
            self.occupied[column] += now.since(self.occupied_since).ns();
        }
        self.occupied_since = now;
        let holder = if self.array.exists() {
            self.array
        } else if self.register.exists() {
            self.register
        } else if self.suspended.exists() {
            self.suspended
        } else {
            self.status
        };
        self.occupant = holder.exists().then(|| slab.items[holder.index()].origin.wait_column());
    }

    pub fn count_array(&mut self, origin: Origin, from: SimTime, to: SimTime) {
        self.array_busy[origin.wait_column()] += to.since(from).ns();
    }
}
