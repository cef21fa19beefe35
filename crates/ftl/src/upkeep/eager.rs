//! Clocks of dies whose writes take no time in the simulation: when each has done its work, by nominal times of operations.

use crate::core::CollectionInTime;
use engine::ByNumber;
use std::collections::VecDeque;
use units::{Lpn, Nanos, Ppa};

/// Record of the nominal times of a die's operations, in ns, the same for all dies, for clocks of dies that are written
/// without simulated time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NominalTimes {
    /// Time in ns that a program of one program unit takes on its die, without the transfer of the data.
    pub program: f64,
    /// Time in ns that a read of one page row takes on its die, with the transfer of the command.
    pub read: f64,
    /// Time in ns to transfer one mapping unit out of a die.
    pub transfer: f64,
    /// Time in ns that an erase of a superblock takes on its die.
    pub erase: f64,
}

/// State of the clocks of dies that are written without simulated time, with what simulated time showed of how garbage
/// collection shares dies with the host.
pub(crate) struct Eager {
    /// Mean number of units that a die's collection moves, while programs of the host are on the die, for each unit of
    /// the host that the die takes meanwhile.
    pub moved: f64,
    /// Field of the clocks' state: how full program units of the host are.
    fill: ProgramFill,
    /// Field of the clocks' state: nominal times of operations, the same for each die.
    pub times: NominalTimes,
    /// Idle time in ns after which a die begins to collect in the background; `None` where idle dies do not collect.
    pub idle_after: Option<f64>,
    /// Nominal clock of the host, in ns: time of its last request.
    pub host: f64,
    /// Present nominal time of the dies, in ns: of the host's last request, or later where the host had to wait for a
    /// die.
    pub now: f64,
    /// Greatest time, in ns, by which a unit may come to a die later than the host wrote it, as the write buffer holds
    /// no more.
    pub slack: f64,
    /// Mean number of free places of a die in simulated time, which garbage collection shall keep without it.
    pub places: f64,
    /// For each write stream: index of the die that took the last program unit of the stream.
    pub last: Vec<usize>,
    /// Number of units that the collections of all dies moved so far.
    pub moved_so_far: u64,
    /// Number of units of the host that were placed on dies so far, modulo 2^32.
    pub placed: u32,
    /// For each logical unit whose newest version is on its way to the flash: number of units placed before that
    /// version.
    pub newest: ByNumber<u32, u32>,
    /// For each die: nominal time, in ns, from which on the die has a place in its queue for a program of the host: the
    /// end of the last but one such program.
    pub has_place_at: Vec<f64>,
    /// For each die: nominal time, in ns, at which the earliest program of the host that was not ended on the die ends;
    /// infinite without one.
    ends_at: Vec<f64>,
    /// For each die: state of its nominal clock, for writes without simulated time.
    pub dies: Vec<EagerDie>,
}

/// State of how full program units of the host are, on dies that are written without simulated time.
struct ProgramFill {
    /// Mean number of host units in a program unit of the host; the rest is padding.
    mean: f64,
    /// Number of host units that the host's open program unit shall hold before it is padded: the mean number,
    /// corrected by what earlier program units held too much or too little.
    wanted: f64,
    /// Number of units that the host's open program unit holds so far.
    now: u32,
    /// Nominal time, in ns, at which the first unit came to the host's open program unit.
    begun: f64,
    /// Time in ns for which the host's open program unit waits for further units before it is padded; infinite where
    /// the mean number of its units decides.
    wait: f64,
}

/// Record of a unit of the host that has a place on the flash; the map points to the place when its program ends.
#[derive(Clone, Copy)]
pub(crate) struct PlacedUnit {
    /// Number of the logical unit that has been given a place on flash.
    pub lpn: Lpn,
    /// Physical place on flash that the host unit has been given.
    pub ppa: Ppa,
    /// True if the unit has the last place of its superblock.
    pub is_last: bool,
    /// Number of units of the host that were placed before this unit, modulo 2^32.
    pub number: u32,
    /// Nominal time, in ns, at which the program of the unit ends.
    pub ends: f64,
}

/// State of the clock of one die that is written without simulated time.
#[derive(Clone, Default)]
pub(crate) struct EagerDie {
    /// Queue of the host's units that are placed on the die and whose programs have not ended.
    pub on_their_way: VecDeque<PlacedUnit>,
    /// Number of units that the die's garbage collection in progress still has to move for the host units written so
    /// far.
    pub owed: f64,
    /// Nominal time, in ns, at which the die has ended all operations that it was given.
    pub free_at: f64,
    /// Nominal time, in ns, at which the last program of the host on the die ends.
    last_end: f64,
    /// Field of the state of a die's clock: number of places that programs can take.
    pub free: FreePlaces,
    /// True if the die was idle for long enough to collect in the background, and no program of the host came since.
    pub background: bool,
}

/// Record of the number of places on a die that programs can take, now and as a mean.
#[derive(Clone, Copy, Default)]
pub(crate) struct FreePlaces {
    /// Number of places on the die that programs can take now.
    pub now: f64,
    /// Sum of the numbers of free places after each unit of the host that was placed on the die.
    sum: f64,
    /// Number of units of the host that were placed on the die.
    count: f64,
}

impl FreePlaces {
    /// Takes a free place for a unit of the host.
    #[inline]
    fn take_for_host(&mut self) {
        self.now -= 1.0;
        self.sum += self.now;
        self.count += 1.0;
    }

    /// Returns the mean number of free places over the units of the host so far; the present number before any.
    #[inline]
    pub fn mean(&self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { self.now }
    }
}

impl Eager {
    /// Makes the clocks of `dies` dies with `streams` write streams, all at zero; `seen` has the counts of how
    /// collection shared dies in simulated time.
    pub fn new(
        seen: CollectionInTime,
        times: NominalTimes,
        idle_after: Option<Nanos>,
        dies: u32,
        streams: usize,
    ) -> Self {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let filled = share(seen.host_units, seen.host_programs).max(1.0);
        Self {
            moved: share(seen.moved, seen.written),
            fill: ProgramFill { mean: filled, wanted: filled, now: 0, begun: 0.0, wait: f64::INFINITY },
            times,
            idle_after: idle_after.map(|wait| wait.ns() as f64),
            host: 0.0,
            now: 0.0,
            slack: 0.0,
            places: 0.0,
            last: vec![0; streams],
            moved_so_far: 0,
            placed: 0,
            newest: ByNumber::default(),
            has_place_at: vec![0.0; dies as usize],
            ends_at: vec![f64::INFINITY; dies as usize],
            dies: vec![EagerDie::default(); dies as usize],
        }
    }

    /// Counts units of one page row that a die's collection moved, and adds the time for it to the die's clock.
    #[inline]
    pub fn note_moved(&mut self, die: usize, units: u32, program_units: u32) {
        let units_f = f64::from(units);
        self.moved_so_far += u64::from(units);
        self.dies[die].free.now -= f64::from(units);
        self.dies[die].free_at +=
            self.times.read + units_f * (self.times.transfer + self.times.program / f64::from(program_units));
    }

    /// Adds the time for an erase of a superblock to a die's clock.
    #[inline]
    pub fn note_erased(&mut self, die: usize) {
        self.dies[die].free_at += self.times.erase;
    }

    /// Begins a program of the host on a die, at the present time or when the die is free, and adds its time to the
    /// die's clock.
    #[inline]
    pub fn begin_program(&mut self, die: usize) {
        let (now, program) = (self.now, self.times.program);
        let clock = &mut self.dies[die];
        clock.free_at = clock.free_at.max(now) + program;
        self.has_place_at[die] = std::mem::replace(&mut clock.last_end, clock.free_at);
        clock.background = false;
        self.fill.now = 0;
    }

    /// Records that a unit of the host was placed on a die at `ppa`; `is_last` is true if that is the last place of its
    /// superblock.
    #[inline]
    pub fn note_placed(&mut self, die: usize, lpn: Lpn, (ppa, is_last): (Ppa, bool)) {
        let number = self.placed;
        self.placed = number.wrapping_add(1);
        self.newest.insert(lpn.0, number);
        let clock = &mut self.dies[die];
        clock.free.take_for_host();
        clock.on_their_way.push_back(PlacedUnit { lpn, ppa, is_last, number, ends: clock.last_end });
        self.ends_at[die] = self.ends_at[die].min(clock.last_end);
    }

    /// Returns the first die, from `from` on, on which a program of the host has ended by the nominal time `until`, in
    /// ns, whose units are still in the die's queue; `None` if there is none.
    #[inline]
    pub fn first_ended(&self, from: usize, until: f64) -> Option<usize> {
        let later = self.ends_at.get(from..)?;
        later.iter().position(|end| *end <= until).map(|at| from + at)
    }

    /// Returns the units in a die's queue whose programs have ended by the nominal time `until`, in ns.
    pub fn ended(&self, die: usize, until: f64) -> impl Iterator<Item = &PlacedUnit> {
        self.dies[die].on_their_way.iter().take_while(move |unit| unit.ends <= until)
    }

    /// Takes from a die's queue the next unit of the host whose program has ended by the nominal time `until`, in ns,
    /// with true if it is the newest version of its logical unit; `None` if there is none.
    #[inline]
    pub fn take_ended(&mut self, die: usize, until: f64) -> Option<(PlacedUnit, bool)> {
        let queue = &mut self.dies[die].on_their_way;
        let next = queue.front().map_or(f64::INFINITY, |unit| unit.ends);
        self.ends_at[die] = next;
        if next > until || next == f64::INFINITY {
            return None;
        }
        let unit = queue.pop_front()?;
        let is_newest = self.newest.get(&unit.lpn.0) == Some(&unit.number);
        if is_newest {
            self.newest.remove(&unit.lpn.0);
        }
        Some((unit, is_newest))
    }

    /// Sets the time for which the host's open program unit waits for further units before it is padded; its mean number
    /// of units counts no more.
    pub fn pad_after(&mut self, wait: Nanos) {
        self.fill.wait = wait.ns() as f64;
    }

    /// Returns true when the host's open program unit has waited for as long as it may for further units.
    #[inline]
    pub fn is_overdue(&self) -> bool {
        self.fill.now > 0 && self.now - self.fill.begun > self.fill.wait
    }

    /// Begins the next program unit of the host, after the open one was padded.
    pub fn end_unit(&mut self) {
        self.fill.now = 0;
    }

    /// Counts a unit of the host in its open program unit; returns true when the program unit must be padded, as it
    /// shall hold no more units but is not full.
    #[inline]
    pub fn is_filled(&mut self, program_units: u32) -> bool {
        let fill = &mut self.fill;
        if fill.now == 0 {
            fill.begun = self.now;
        }
        fill.now += 1;
        if fill.wait < f64::INFINITY {
            return false;
        }
        if f64::from(fill.now) + 0.5 < fill.wanted && fill.now < program_units {
            return false;
        }
        fill.wanted += fill.mean - f64::from(fill.now);
        fill.now < program_units
    }
}
