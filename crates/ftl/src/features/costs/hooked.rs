//! What costs do at the hooks of the layer.

use super::load::DieLoad;
use super::unit_notes::QUEUED;
use super::{NO_STEP, Regulation, Unit};
use crate::agenda::Work;
use crate::core::{Core, Joining, Round, UntimedStep};
use crate::features::Feature;
use crate::saved::Untaken;
use controller::{Origin, Transaction};
use engine::Calendar;
use units::{Lpn, Nanos, Ppa, SimTime};

impl Feature for Regulation {
    fn bytes(&self) -> usize {
        self.rows.costs.len()
            + self.notes.bytes()
            + self.ages.wear_row.len() * (1 + 8 + 4 + 8)
            + self.ages.good_step.len()
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn chooses_costs(&self) -> bool {
        true
    }

    /// Sets the wear row (range of program/erase cycles for which read plans are computed once) of each superblock from
    /// its present program/erase cycles, because reads depend on wear.
    fn time_begins(&mut self, core: &Core) {
        let per_die = core.store.space.per_die as usize;
        for at in 0..self.ages.wear_row.len() {
            self.worn(at, core.store.array.pe_cycles((at / per_die) as u32, (at % per_die) as u32));
        }
    }

    fn joins(&mut self, core: &Core, joining: Joining, now: SimTime) {
        let Joining { die, stream, superblock, lpn, origin } = joining;
        let old = core.store.map.lookup(lpn);
        // What comes from a block with one bit a cell takes a cost for the first time.
        let dense = old != Ppa::NONE
            && !core.store.space.holds_one_bit(core.store.layout.superblock_of(old) as usize);
        let old_row = dense.then(|| core.store.layout.row_number(old));
        if core.store.space.is_one_bit(stream) {
            return self.note_one_bit(die, lpn, now);
        }
        let waiting = core.store.controller.host_operations(units::DieId(die as u32));
        self.choose(die, stream, superblock as usize, Unit { lpn, origin, old_row }, waiting, now);
    }

    fn sets_cost(
        &mut self,
        core: &mut Core,
        program: &mut Transaction,
        stream: usize,
        calendar: &mut Calendar,
    ) {
        let global = core.store.space.global(program.die.index(), program.superblock);
        if core.store.space.is_one_bit(stream) {
            return self.note_programmed(global, program.row, calendar.now());
        }
        let cost = self.take_cost(program.die.index(), stream);
        let rows = core.store.layout.program_rows;
        program.cost = self.issue(cost, global, program.row, rows, calendar.now());
        if let Some(due) = self.due.newly.take() {
            core.enter_upkeep(due, Work::Refresh(global as u32), calendar);
        }
    }

    fn sets_own_cost(&mut self, core: &Core, program: &mut Transaction, now: SimTime) {
        let global = core.store.space.global(program.die.index(), program.superblock);
        let cost = self.table.for_own();
        program.cost = self.issue(cost, global, program.row, program.rows, now);
        // The data that it is made of fall due themselves.
        self.due.newly = None;
    }

    fn plans_read(&mut self, core: &mut Core, read: &mut Transaction, row: u32, calendar: &mut Calendar) {
        if read.origin == Origin::Host {
            self.rides(read.die.index(), calendar.now());
        }
        read.reading = match read.slc {
            true => self.plan_one_bit_read(read.origin),
            false => self.plan_read(row, read.origin, calendar.now()),
        };
        self.await_words(core, read);
        if let Some(superblock) = self.due.worn_by_reads.pop() {
            self.ask_upkeep(core, (superblock, Origin::Refresh), calendar.now(), calendar);
        }
    }

    fn host_reads(&mut self, core: &Core, lpn: Lpn, ppa: Ppa) {
        if core.store.space.holds_one_bit(core.store.layout.superblock_of(ppa) as usize) {
            return;
        }
        let row = core.store.layout.row_number(ppa);
        let die = row / core.store.layout.rows / core.store.layout.superblocks_per_die;
        self.on_host_read(lpn, row, die as usize);
    }

    fn rides(&mut self, die: usize, now: SimTime) {
        self.dies[die].note_host_operation(now);
    }

    fn worn(&mut self, superblock: usize, cycles: u32) {
        self.ages.wear_row[superblock] = self.reckoning.wear_row_of(cycles);
    }

    fn waiting_anew(&self, die: usize) -> usize {
        self.dies[die].rewrites.len()
    }

    fn next_anew(&mut self, die: usize) -> Option<Lpn> {
        while let Some(lpn) = self.dies[die].rewrites.pop_front() {
            if self.notes.of(lpn) & QUEUED != 0 {
                return Some(lpn);
            }
            self.counts.rewrites_dropped += 1;
        }
        None
    }

    /// Removes the mark that a unit waits to be rewritten for faster reads, so that the cost regulator can ask for the
    /// unit again, and counts the dropped request.
    fn drops_anew(&mut self, lpn: Lpn) {
        self.notes.set(lpn, self.notes.of(lpn) & !QUEUED);
        self.counts.rewrites_dropped += 1;
    }

    fn begins_refresh(&mut self, core: &mut Core, calendar: &mut Calendar) {
        for superblock in 0..core.store.layout.superblocks() {
            if core.store.space.valid[superblock] > 0
                && let Some(due) = self.due_from_start(superblock)
            {
                core.enter_upkeep(due.max(calendar.now()), Work::Refresh(superblock as u32), calendar);
            }
        }
    }

    /// Queues a superblock for relocation because its retention-driven refresh is due; does nothing if no refresh of
    /// the superblock is due yet, as after an erase in the meantime.
    fn refresh_due(&mut self, core: &mut Core, superblock: u32, calendar: &mut Calendar) {
        let since = self.due.at[superblock as usize];
        // Else it was erased, and perhaps opened again: then an entry of its own is to come.
        if since <= calendar.now() {
            self.ask_upkeep(core, (superblock, Origin::Refresh), since, calendar);
        }
    }

    fn wants_anew(&mut self, core: &mut Core, superblock: u32, origin: Origin, calendar: &mut Calendar) {
        self.ask_upkeep(core, (superblock, origin), calendar.now(), calendar);
    }

    fn counts_moved(&mut self, origin: Origin) {
        self.counts.superblocks_refreshed += u64::from(origin == Origin::Refresh);
        self.counts.superblocks_scrubbed += u64::from(origin == Origin::Scrub);
    }

    fn opened(&self, superblock: u32) -> Option<i64> {
        Some(self.ages.opened_at[superblock as usize])
    }

    fn patrolled(&mut self, core: &Core, superblock: usize, round: Option<Round>) {
        self.counts.superblocks_patrolled += u64::from(core.store.space.valid[superblock] > 0);
        self.counts.patrol_rounds += u64::from(round.is_some());
        self.counts.patrol_rounds_late += u64::from(round == Some(Round::Late));
    }

    fn near_limit(&self, row: u32, margin: f64, now: SimTime) -> Option<f64> {
        let (page_type, condition) = self.condition_now(row, now);
        Some(self.correction.chance_near_limit(page_type, &condition, margin))
    }

    fn ended(&mut self) {
        self.due.at.fill(SimTime::NEVER);
        self.due.reclaims = false;
        self.table.costs.iter_mut().for_each(|cost| cost.refresh = None);
    }

    /// Drops, at a power cut, the data that the cost regulator and read retry kept in RAM: the queues of units to be
    /// rewritten for faster reads, and each superblock's last good read-retry step. Records of wear, age and reads
    /// stay.
    fn cut(&mut self, _: &mut Core) {
        for die in &mut self.dies {
            for lpn in std::mem::replace(die, DieLoad::IDLE).rewrites {
                self.notes.set(lpn, self.notes.of(lpn) & !QUEUED);
                self.counts.rewrites_dropped += 1;
            }
        }
        self.ages.good_step.fill(NO_STEP);
        self.due.newly = None;
        self.due.worn_by_reads.clear();
    }

    /// Makes the data of each superblock older by the age given for the superblock, in ns, in addition to the age that
    /// the drive file gives all data; returns an error message if the number of ages is wrong.
    fn takes_ages(&mut self, ages_ns: &[u64]) -> Option<String> {
        if ages_ns.len() != self.ages.opened_at.len() {
            return Some(Untaken::misfit());
        }
        for (opened_at, &age_ns) in self.ages.opened_at.iter_mut().zip(ages_ns) {
            *opened_at = opened_at.saturating_sub_unsigned(age_ns.min(1 << 62)).max(-i64::MAX / 2);
        }
        None
    }

    /// Keeps age and reads of superblocks while requests are carried forward. Data written without simulated time before
    /// a run have the age that the drive file gives.
    fn carried_forward(&mut self, step: UntimedStep) {
        match step {
            UntimedStep::TimePasses(now_ns) => self.ages.untimed_ns = Some(now_ns),
            UntimedStep::TimePassed(elapsed_ns) => {
                self.ages.untimed_ns = None;
                self.ages.opened_at.iter_mut().for_each(|at| *at = at.saturating_sub(elapsed_ns));
            }
            UntimedStep::Opens(superblock) => {
                if let Some(now_ns) = self.ages.untimed_ns {
                    self.ages.begins_anew(superblock, now_ns);
                    self.due.forget(superblock);
                    self.due.worn_by_reads.retain(|worn| *worn as usize != superblock);
                }
            }
            UntimedStep::Reads(row) => {
                let superblock = self.rows.place_of(row).0;
                let reads = self.ages.reads[superblock].saturating_add(1);
                self.ages.reads[superblock] = reads;
                if reads == self.reckoning.reads {
                    self.due.note_worn_by_reads(superblock, SimTime::ZERO);
                }
            }
        }
    }

    /// Returns the shortest refresh interval of all write costs (time after which data programmed in this way must be
    /// rewritten), and the configuration key that sets it, for messages; `None` if no write cost requires refresh.
    fn shortest_refresh(&self) -> Option<(&'static str, Nanos)> {
        let shortest = self.table.costs.iter().filter_map(|cost| cost.refresh).min();
        shortest.map(|time| ("ftl.regulator", time))
    }

    /// Returns the number of array senses of a read that succeeds in the first step of the read sequence (read ladder),
    /// a hard read.
    fn senses(&self) -> Option<u64> {
        Some(u64::from(self.reckoning.readings[0].senses))
    }

    fn ways_to_program(&self) -> Option<&[u8]> {
        Some(&self.table.names)
    }
}
