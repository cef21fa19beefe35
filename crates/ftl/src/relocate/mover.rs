//! How a superblock is emptied, whoever wants that: it is taken, read page row by page row, waits for the programs of
//! what was in it, and is erased.

use crate::Probe;
use crate::media::Media;
use crate::store::NONE;
use controller::{Context, Origin};
use std::collections::VecDeque;
use units::Ppa;

/// Superblocks that are read completely but still wait for the programs of their last units.
pub(crate) const PENDING_MAX: usize = 4;

/// On whose behalf a die empties superblocks: each has a mover of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Customer {
    /// Garbage collection, and all that has data moved by it: wear levelling, rescue, refresh, scrub, parity groups.
    Collection,
    /// Folding of what has one bit a cell.
    Folding,
}

impl Customer {
    /// Who has units of such an origin moved.
    #[inline]
    pub fn of(origin: Origin) -> Self {
        if origin == Origin::Fold { Self::Folding } else { Self::Collection }
    }
}

/// Empties superblocks of a die, one after the other.
pub(crate) struct Mover {
    /// The superblock that is being read, or `NONE`.
    pub victim: u32,
    /// Why it is emptied.
    pub origin: Origin,
    /// Its next page row.
    pub next_row: u32,
    /// Page rows that are being read, or moved inside the die.
    pub reading_rows: u32,
    /// Units of them that are on their way over the bus.
    pub reading_units: u32,
    /// Units that were read, or are to be moved again, and have no place yet.
    pub waiting: VecDeque<(Ppa, Origin)>,
    /// Superblocks that are read completely, and wait for the programs of their units.
    pub pending: Vec<(u32, Origin)>,
    /// Superblocks that are being erased.
    pub erasing: u32,
}

impl Mover {
    pub fn new() -> Self {
        Self {
            victim: NONE,
            origin: Origin::Gc,
            next_row: 0,
            reading_rows: 0,
            reading_units: 0,
            waiting: VecDeque::new(),
            pending: Vec::with_capacity(PENDING_MAX),
            erasing: 0,
        }
    }

    /// A superblock is being read.
    #[inline]
    pub fn has_victim(&self) -> bool {
        self.victim != NONE
    }

    /// Begins with a superblock.
    #[inline]
    pub fn take(&mut self, superblock: u32, origin: Origin) {
        (self.victim, self.origin, self.next_row) = (superblock, origin, 0);
    }

    /// So many units of a page row are being read.
    #[inline]
    pub fn begin_read(&mut self, units: u32) {
        self.reading_rows += 1;
        self.reading_units += units;
    }

    /// They are there.
    #[inline]
    pub fn end_read(&mut self, units: u32) {
        self.reading_rows -= 1;
        self.reading_units -= units;
    }

    /// The superblock is read completely: it waits for what it held to be programmed elsewhere.
    #[inline]
    pub fn end_victim(&mut self) -> u32 {
        self.pending.push((self.victim, self.origin));
        std::mem::replace(&mut self.victim, NONE)
    }

    /// A superblock was read completely and waits for what it held to be programmed elsewhere.
    pub fn is_pending(&self, superblock: u32) -> bool {
        self.pending.iter().any(|(pending, _)| *pending == superblock)
    }

    /// A superblock that was read completely is being erased. Gives on whose behalf, if it was in hand.
    pub fn begin_erase(&mut self, superblock: u32) -> Option<Origin> {
        let at = self.pending.iter().position(|(pending, _)| *pending == superblock)?;
        self.erasing += 1;
        Some(self.pending.swap_remove(at).1)
    }

    /// Superblocks that come back without anything more being read.
    #[inline]
    pub fn returning(&self) -> u32 {
        self.pending.len() as u32 + self.erasing
    }

    /// Units that are being read, or have no place yet.
    #[inline]
    pub fn units_in_hand(&self) -> u32 {
        self.reading_units + self.waiting.len() as u32
    }

    /// Superblocks wait for programs, and nothing is being read that could fill these.
    pub fn waits_for_programs(&self) -> bool {
        !self.has_victim() && self.reading_rows == 0 && !self.pending.is_empty()
    }

    /// Forgets what was read of a superblock of so many units.
    fn forget(&mut self, superblock: u32, units: u32) {
        if !self.waiting.is_empty() {
            self.waiting.retain(|(ppa, _)| ppa.0 / units != superblock);
        }
    }

    /// What it is doing, for messages.
    pub fn describe(&self) -> String {
        let victim = if self.has_victim() { self.victim.to_string() } else { "none".to_owned() };
        let Self { next_row, reading_rows, pending, erasing, waiting, .. } = self;
        let waiting = waiting.len();
        format!(
            "victim {victim}, row {next_row}, reading {reading_rows} rows, {waiting} units wait, pending {pending:?}, \
             erasing {erasing}"
        )
    }
}

impl Media {
    /// Who empties a die's superblocks for a customer.
    #[inline(always)]
    pub fn mover(&mut self, die: usize, customer: Customer) -> &mut Mover {
        match customer {
            Customer::Collection => &mut self.collections[die].mover,
            Customer::Folding => &mut self.cache().dies[die].mover,
        }
    }

    /// Who has a superblock emptied, numbered over the drive.
    pub fn customer_of(&self, superblock: u32) -> Customer {
        if self.holds_one_bit(superblock as usize) { Customer::Folding } else { Customer::Collection }
    }

    /// A superblock was erased: what was read of it, and waited for a place when it became invalid, must not come back as
    /// what is written there next.
    #[inline]
    pub fn forget_waiting(&mut self, die: usize, superblock: u32) {
        let units = self.store.layout.superblock_units;
        self.collections[die].mover.forget(superblock, units);
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].mover.forget(superblock, units);
        }
    }

    /// The next page row of the victim (numbered over the drive) that holds something, and which units of it. Those
    /// before it are done with.
    #[inline(always)]
    pub fn next_row(&mut self, die: usize, customer: Customer) -> Option<(u32, u64)> {
        let &mut Mover { victim, next_row, .. } = self.mover(die, customer);
        let first = self.store.space.global(die, victim) as u32 * self.store.layout.rows;
        let rows = first + next_row..first + self.rows_of(customer);
        let found = self.store.first_row(rows.clone());
        self.pass_rows(die, customer, found.map_or(rows.end, |(row, _)| row) - rows.start);
        found
    }

    /// Page rows of the victims of a customer.
    #[inline(always)]
    pub fn rows_of(&self, customer: Customer) -> u32 {
        match customer {
            Customer::Collection => self.store.layout.rows,
            Customer::Folding => self.store.layout.slc_rows,
        }
    }

    /// Page rows of the victim are done with.
    #[inline(always)]
    pub fn pass_rows(&mut self, die: usize, customer: Customer, rows: u32) {
        self.mover(die, customer).next_row += rows;
        if customer == Customer::Folding {
            let (units, program) = (rows * self.store.layout.row_units, self.store.layout.program_units);
            self.cache().dies[die].pace.earn(f64::from(units), program);
        }
    }

    /// All of the victim was read: it is erased as soon as nothing of it is needed any more.
    pub fn end_victim<P: Probe>(&mut self, die: usize, customer: Customer, ctx: &mut Context<P>) {
        let victim = self.mover(die, customer).end_victim();
        let global = self.store.space.global(die, victim);
        if self.store.space.valid[global] == 0 {
            self.store.emptied.push(global as u32);
            self.erase_emptied(ctx);
        }
    }
}
