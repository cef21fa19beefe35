//! Many cycles at once. Pulses are step functions of wear: from step to step nothing changes, so a life of millions
//! of cycles takes as many looks as it has steps. A block ends where its pulses run out, and nowhere else.

use super::block::{Block, MICRO, Stress};
use crate::cells::{CellPhysics, VoltagePlan};

/// What is programmed in each cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All bits zero: the programmed state of SLC.
    Zeros,
    /// All bits one: nothing is programmed.
    Ones,
    /// Every state alike often.
    Random,
    /// Every state alike often, in order.
    Checkered,
    /// All cells in one state, named by its bits.
    State(String),
}

impl Pattern {
    /// Reads `zeros`, `ones`, `random`, `checkered` or `state:BITS`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "zeros" => Ok(Self::Zeros),
            "ones" => Ok(Self::Ones),
            "random" => Ok(Self::Random),
            "checkered" => Ok(Self::Checkered),
            _ => match text.strip_prefix("state:") {
                Some(state) => Ok(Self::State(state.to_owned())),
                None => Err(format!(
                    "pattern {text:?}: expected zeros, ones, random, checkered or state:BITS such as state:10"
                )),
            },
        }
    }

    /// The states that cells get, in equal shares.
    fn states(&self, physics: &CellPhysics) -> Result<Vec<usize>, String> {
        let find = |bits: &str| {
            physics
                .states
                .iter()
                .position(|state| *state == bits)
                .map(|state| vec![state])
                .ok_or_else(|| format!("state {bits:?}: expected one of {}", physics.states.join(", ")))
        };
        match self {
            Self::Zeros => find(&"0".repeat(physics.cell.bits() as usize)),
            Self::Ones => find(&"1".repeat(physics.cell.bits() as usize)),
            Self::Random | Self::Checkered => Ok((0..physics.states.len()).collect()),
            Self::State(bits) => find(bits),
        }
    }
}

/// Which pages each cycle programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Page 0.
    First,
    /// All of them.
    All,
    /// None: it only erases.
    None,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A page was programmed.
    Program,
    /// The block was erased.
    Erase,
}

/// A line of the rig's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The page; none for an erase.
    pub page: Option<u32>,
    /// What was done.
    pub operation: Operation,
    /// In which cycle of the block, from 1.
    pub cycle: u64,
    /// Busy time, ns.
    pub busy_ns: u64,
    /// Pulses it took.
    pub pulses: u32,
    /// False: the chip gave up.
    pub ok: bool,
}

/// The pages, the plan and the shape a block is cycled with.
pub(super) struct Cycling<'a> {
    pub physics: &'a CellPhysics,
    pub plan: &'a VoltagePlan,
    pub celsius: f64,
    pub pages_per_block: u32,
    pub cells: usize,
}

/// What repeats in one operation of every cycle: busy time and pulses, as a function of the cycle.
struct Track {
    page: Option<u32>,
    /// First cycle of each stretch, its busy time and pulses.
    steps: Vec<(u64, u64, u32)>,
}

/// Wordlines that wear alike, with the slowest cell among them.
struct Alike {
    programmed: u64,
    rate: u64,
    slowest: f64,
}

impl Cycling<'_> {
    /// Runs up to `cycles` cycles; gives the rows and the busy time of all of them.
    pub fn run(
        &self,
        block: &mut Block,
        cycles: u64,
        pattern: &Pattern,
        pages: Pages,
    ) -> Result<(Vec<LogRow>, u64), String> {
        let states = pattern.states(self.physics)?;
        let bits = self.physics.cell.bits();
        let programmed: Vec<u32> = match pages {
            Pages::First if self.physics.two_step || bits == 1 => vec![0],
            // A one-shot part writes a whole wordline or nothing.
            Pages::First => (bits - 1..bits).collect(),
            Pages::All if self.physics.two_step || bits == 1 => (0..self.pages_per_block).collect(),
            Pages::All => (0..self.pages_per_block).filter(|page| page % bits == bits - 1).collect(),
            Pages::None => Vec::new(),
        };
        let rates = self.rates(block, &programmed, &states);
        let first = block.cycles + 1;
        let (mut last, mut fails) = (first + cycles - 1, false);
        let erase = self.erase_track(block, &rates, first, last);
        let budget = self.physics.erase.max_pulses;
        if let Some((cycle, _, _)) = erase.steps.iter().find(|(_, _, pulses)| *pulses > budget) {
            (last, fails) = (*cycle, true);
        }
        let mut tracks: Vec<Track> = programmed
            .iter()
            .map(|&page| self.program_track(block, &rates, page, &states, first, last))
            .collect();
        let budget_of_program = self.physics.program.max_pulses;
        let worn_out = tracks.iter().flat_map(|t| &t.steps).filter(|(_, _, p)| *p > budget_of_program);
        if let Some(cycle) = worn_out.map(|(cycle, _, _)| *cycle).min() {
            (last, fails) = (cycle.min(last), true);
        }
        tracks.push(erase);
        let (rows, busy_ns) = self.log(block, &tracks, last);
        let done = last;
        block.forget();
        block.cycles = done;
        let over = over_erased(&states);
        for (wordline, stress) in block.stress.iter_mut().enumerate() {
            let count = done + 1 - first;
            stress.programmed += rates[wordline] * count;
            let missed = if programmed.iter().any(|page| page / bits == wordline as u32) {
                over
            } else {
                MICRO as u64
            };
            stress.over_erased += missed * count;
        }
        block.erases += done + 1 - first;
        block.bad |= fails;
        Ok((rows, busy_ns))
    }

    /// Stress that each wordline's programs add in a cycle, millionths.
    fn rates(&self, block: &Block, programmed: &[u32], states: &[usize]) -> Vec<u64> {
        let bits = self.physics.cell.bits();
        let lifted = states.iter().any(|state| *state > 0);
        let share = (1.0 - self.physics.wear.erase_share) * self.physics.swing(self.plan);
        let rate = if lifted { (share * MICRO).round() as u64 } else { 0 };
        let mut rates = vec![0; block.stress.len()];
        for page in programmed {
            rates[(page / bits) as usize] = rate;
        }
        rates
    }

    fn alike(&self, block: &Block, rates: &[u64]) -> Vec<Alike> {
        let mut groups: Vec<Alike> = Vec::new();
        for (wordline, (Stress { programmed, .. }, rate)) in block.stress.iter().zip(rates).enumerate() {
            let slowest = block.slowest(self.physics, wordline, self.cells as f64);
            match groups.iter_mut().find(|g| g.programmed == *programmed && g.rate == *rate) {
                Some(group) => group.slowest = group.slowest.max(slowest),
                None => groups.push(Alike { programmed: *programmed, rate: *rate, slowest }),
            }
        }
        groups
    }

    fn wear_at(&self, block: &Block, programmed: u64, rate: u64, before: u64) -> f64 {
        let erases = (block.erases + before) as f64 * self.physics.wear.erase_share;
        erases + (programmed + rate * before) as f64 / MICRO
    }

    fn erase_track(&self, block: &Block, rates: &[u64], first: u64, last: u64) -> Track {
        let groups = self.alike(block, rates);
        let wear = &self.physics.wear;
        let at = |cycle: u64| -> (u64, u32) {
            let before = cycle - first;
            let trapped = groups.iter().map(|group| {
                let worn = self.wear_at(block, group.programmed, group.rate, before);
                wear.trapped_v(worn) * group.slowest
            });
            let need = self.physics.erase.need + wear.erase * block.trapping * trapped.fold(0.0, f64::max);
            let pulses = self.physics.erase_pulses(need, self.celsius);
            (self.physics.t_bers(pulses).ns(), pulses)
        };
        Track { page: None, steps: steps(first, last, at) }
    }

    fn program_track(
        &self,
        block: &Block,
        rates: &[u64],
        page: u32,
        states: &[usize],
        first: u64,
        last: u64,
    ) -> Track {
        let bits = self.physics.cell.bits();
        let wordline = (page / bits) as usize;
        let pass = self.physics.pass_of(page % bits);
        // Cells that share a target share the pulses: each target counts once.
        let mut targets: Vec<(f64, usize, usize)> = Vec::new();
        for &state in states {
            let Some(volts) = self.physics.target(self.plan, pass, state) else { continue };
            match targets.iter_mut().find(|(known, _, _)| *known == volts) {
                Some((_, _, shares)) => *shares += 1,
                None => targets.push((volts, state, 1)),
            }
        }
        let offsets: Vec<(f64, f64)> = targets
            .iter()
            .map(|&(volts, state, shares)| {
                let cells = (self.cells * shares) as f64 / states.len() as f64;
                (volts, block.slowest_offset(self.physics, wordline, state, cells))
            })
            .collect();
        let wear = &self.physics.wear;
        let at = |cycle: u64| -> (u64, u32) {
            let worn = self.wear_at(block, block.stress[wordline].programmed, rates[wordline], cycle - first);
            let gained = wear.program * wear.trapped_v(worn) * block.trapping;
            let pulses: Vec<u32> = offsets
                .iter()
                .map(|(volts, offset)| self.physics.pulses(self.plan, pass, *volts, offset - gained))
                .collect();
            let most = pulses.iter().copied().max().unwrap_or(0);
            let least = self.physics.least_pulses(self.plan, pass);
            (self.physics.t_prog(self.plan, pass, &pulses).ns(), most.max(least))
        };
        Track { page: Some(page), steps: steps(first, last, at) }
    }

    /// The rows, the busy time of all cycles up to `last`, and the last cycle.
    fn log(&self, block: &mut Block, tracks: &[Track], last: u64) -> (Vec<LogRow>, u64) {
        let mut rows = Vec::new();
        let mut busy_total = 0;
        for (order, track) in tracks.iter().enumerate() {
            let budget = match track.page {
                Some(_) => self.physics.program.max_pulses,
                None => self.physics.erase.max_pulses,
            };
            let key = track.page.map_or(-1, i64::from);
            let erased_before_failing = track.page.is_none()
                && tracks.iter().any(|other| {
                    other.page.is_some()
                        && other
                            .steps
                            .iter()
                            .any(|(c, _, p)| *c <= last && *p > self.physics.program.max_pulses)
                });
            let end = if erased_before_failing { last - 1 } else { last };
            for (index, &(from, busy_ns, pulses)) in track.steps.iter().enumerate() {
                if from > end {
                    break;
                }
                let until = track.steps.get(index + 1).map_or(end, |next| (next.0 - 1).min(end));
                busy_total += busy_ns * (until + 1 - from);
                let ok = pulses <= budget;
                let known = block.logged.insert(key, (busy_ns, ok));
                let changed = known != Some((busy_ns, ok));
                let wanted = std::iter::once(from).filter(|_| changed).chain(samples(from, until));
                let mut previous = 0;
                for cycle in wanted {
                    if cycle != previous {
                        let operation =
                            if track.page.is_some() { Operation::Program } else { Operation::Erase };
                        rows.push((
                            cycle,
                            order,
                            LogRow {
                                page: track.page,
                                operation,
                                cycle,
                                busy_ns,
                                pulses: pulses.min(budget),
                                ok,
                            },
                        ));
                        previous = cycle;
                    }
                }
            }
        }
        rows.sort_by_key(|(cycle, order, _)| (*cycle, *order));
        (rows.into_iter().map(|(_, _, row)| row).collect(), busy_total)
    }
}

/// Millionths of a cycle by which a wordline with these states is erased once too often.
fn over_erased(states: &[usize]) -> u64 {
    let erased = states.iter().filter(|state| **state == 0).count();
    (erased as f64 / states.len() as f64 * MICRO).round() as u64
}

/// The stretches of a monotone step function between two cycles.
fn steps(first: u64, last: u64, at: impl Fn(u64) -> (u64, u32)) -> Vec<(u64, u64, u32)> {
    let mut found = Vec::new();
    let mut from = first;
    loop {
        let (busy_ns, pulses) = at(from);
        found.push((from, busy_ns, pulses));
        // Gallop to a cycle with another value, then halve the gap.
        let mut stride = 1;
        let mut same = from;
        let mut other = loop {
            let next = same.saturating_add(stride).min(last);
            if next == same {
                return found;
            }
            if at(next) != (busy_ns, pulses) {
                break next;
            }
            same = next;
            stride *= 2;
        };
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            if at(middle) == (busy_ns, pulses) {
                same = middle;
            } else {
                other = middle;
            }
        }
        from = other;
    }
}

/// The cycles 1, 2, 5, 10, 20, 50 ... between two cycles.
fn samples(from: u64, until: u64) -> impl Iterator<Item = u64> {
    let decades = (0..19).map(|power| 10u64.pow(power));
    decades
        .flat_map(|ten| [1, 2, 5].map(|digit| digit * ten))
        .filter(move |cycle| (from..=until).contains(cycle))
}
