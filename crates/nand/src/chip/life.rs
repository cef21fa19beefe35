//! Many cycles at once. Pulses are step functions of wear: from step to step nothing changes, so a life of millions
//! of cycles takes as many looks as it has steps. A block ends where its pulses run out, and nowhere else.

use super::Rig;
use super::block::{Block, MICRO, Stress, micro};
use super::falling::{Look, falls};
use super::log::{LogRow, LogStretch, Track, log, stretches};
use crate::cells::normal::Stream;
use crate::cells::{CellPhysics, SlowCell, SlowCells, VoltagePlan};

/// Kind of data pattern that is programmed in each program/erase cycle while a block is cycled on the test bench.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Case of data pattern: zero bits only; on SLC, it programs every cell.
    Zeros,
    /// Case of data pattern: one bits only, which programs no cell.
    Ones,
    /// Case of data pattern: random bits, with which all cell states are equally frequent.
    Random,
    /// Case of data pattern: puts the cells into all states equally often, in a fixed order over the cells.
    Checkered,
    /// Case of data pattern: puts all cells into one state, given by the bits that the state stores.
    State(String),
    /// Case of data pattern: puts given fractions (0 to 1) of the cells into given states, each named by the bits that
    /// it stores; a state that is not named gets no cell.
    Mix(Vec<(String, f64)>),
}

/// Constant: greatest difference from one that the sum of the fractions in a `mix` data pattern may have, due to
/// rounding of decimal fractions.
const SHARES_TOLERANCE: f64 = 1e-9;

impl Pattern {
    /// Parses a data pattern: `zeros`, `ones`, `random`, `checkered`, `state:BITS` or `mix:BITS=SHARE,...`.
    ///
    /// # Errors
    /// When the text is none of these forms, or the shares of a mix do not add up to one.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "zeros" => Ok(Self::Zeros),
            "ones" => Ok(Self::Ones),
            "random" => Ok(Self::Random),
            "checkered" => Ok(Self::Checkered),
            _ => match (text.strip_prefix("state:"), text.strip_prefix("mix:")) {
                (Some(state), _) => Ok(Self::State(state.to_owned())),
                (_, Some(mix)) => Self::parse_mix(text, mix),
                _ => Err(format!(
                    "pattern {text:?}: expected zeros, ones, random, checkered, state:BITS such as state:10, or \
                     mix:BITS=SHARE,..."
                )),
            },
        }
    }

    fn parse_mix(text: &str, mix: &str) -> Result<Self, String> {
        let mut shares: Vec<(String, f64)> = Vec::new();
        for part in mix.split(',') {
            let (state, share) = part
                .split_once('=')
                .and_then(|(state, share)| Some((state, share.parse::<f64>().ok()?)))
                .filter(|(_, share)| (0.0..=1.0).contains(share))
                .ok_or_else(|| {
                    format!("pattern {text:?}: {part}: expected BITS=SHARE with 0 <= SHARE <= 1")
                })?;
            if shares.iter().any(|(known, _)| known == state) {
                return Err(format!("pattern {text:?}: {state}: given twice: expected each state once"));
            }
            shares.push((state.to_owned(), share));
        }
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        if (total - 1.0).abs() > SHARES_TOLERANCE {
            return Err(format!("pattern {text:?}: the shares add up to {total}: expected 1"));
        }
        Ok(Self::Mix(shares))
    }

    /// Returns the fraction (0 to 1) of the cells that the pattern programs to each state.
    fn shares(&self, physics: &CellPhysics) -> Result<Vec<f64>, String> {
        let mut shares = vec![0.0; physics.states.len()];
        let find = |bits: &str| {
            let known = physics.states.iter().position(|state| *state == bits);
            known.ok_or_else(|| format!("state {bits:?}: expected one of {}", physics.states.join(", ")))
        };
        let bits = physics.cell.bits() as usize;
        match self {
            Self::Zeros => shares[find(&"0".repeat(bits))?] = 1.0,
            Self::Ones => shares[find(&"1".repeat(bits))?] = 1.0,
            Self::Random | Self::Checkered => shares.fill(1.0 / physics.states.len() as f64),
            Self::State(bits) => shares[find(bits)?] = 1.0,
            Self::Mix(mix) => {
                for (bits, share) in mix {
                    shares[find(bits)?] = *share;
                }
            }
        }
        Ok(shares)
    }
}

/// Kind of choice of the pages of a block that each program/erase cycle programs while the block is cycled on the test
/// bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Case of choice for cycling a block on the test bench: each cycle programs only page 0 of the block; with
    /// one-shot programming, the whole wordline of the page.
    First,
    /// Case of choice for cycling a block on the test bench: each cycle programs all pages of the block.
    All,
    /// Case of choice for cycling a block on the test bench: each cycle only erases the block and programs no page.
    None,
}

/// Set of the conditions in which a block is cycled on the test bench: cell parameters, voltage set (verify levels),
/// temperature, geometry and test rig.
pub(super) struct Cycling<'a> {
    pub physics: &'a CellPhysics,
    pub plan: &'a VoltagePlan,
    pub celsius: f64,
    pub pages_per_block: u32,
    pub cells: usize,
    pub rig: &'a Rig,
    /// Field: random stream of the test rig's measurement noise while it cycles this block.
    pub noise: Stream,
}

/// Record of a group of wordlines with equal wear, while a block is cycled: stress by programs so far (`programmed`)
/// and stress that the programs of each cycle add (`rate`), both in millionths of a cycle, and the trapping of the
/// slowest-erasing of the group's cells (`slowest`).
struct Alike {
    programmed: u64,
    rate: u64,
    slowest: f64,
}

/// Record of the cell that programs slowest among the cells that one pass of a wordline raises to the same target
/// voltage.
#[derive(Clone, Copy)]
struct Slow {
    wordline: usize,
    pass: usize,
    /// Target threshold voltage of this slow cell in the programming pass, volts.
    volts: f64,
    /// Distance of the cell's programming offset from the mean, towards slow programming, in standard deviations.
    deviation: f64,
}

impl Cycling<'_> {
    /// Runs up to `cycles` program/erase cycles on a block, fewer if the block fails. Returns the list of rows of the
    /// test rig's log (programs and erases with their busy times), and the total busy time in nanoseconds.
    pub fn run(
        &self,
        block: &mut Block,
        cycles: u64,
        pattern: &Pattern,
        pages: Pages,
    ) -> Result<(Vec<LogRow>, u64), String> {
        let shares = pattern.shares(self.physics)?;
        let bits = self.physics.cell.bits();
        let programmed: Vec<u32> = match pages {
            Pages::First if self.physics.two_step || bits == 1 => vec![0],
            // A one-shot part writes a whole wordline or nothing.
            Pages::First => (bits - 1..bits).collect(),
            Pages::All if self.physics.two_step || bits == 1 => (0..self.pages_per_block).collect(),
            Pages::All => (0..self.pages_per_block).filter(|page| page % bits == bits - 1).collect(),
            Pages::None => Vec::new(),
        };
        let lifted = self.lifted(&programmed, &shares);
        let rates = self.rates(block, &programmed, &shares);
        let first = block.cycles + 1;
        let (mut last, mut fails) = (first + cycles - 1, false);
        let erase = self.erase_track(block, &rates, first, last);
        if let Some(cycle) = erase.fails() {
            (last, fails) = (cycle, true);
        }
        let mut tracks = self.program_tracks(block, &rates, &programmed, &shares, (first, last));
        let mut erases = last + 1 - first;
        if let Some(cycle) = tracks.iter().filter_map(Track::fails).min().filter(|cycle| *cycle <= last) {
            // The cycle that a program fails in ends before its erase.
            (last, fails, erases) = (cycle, true, cycle - first);
        }
        tracks.push(erase);
        let (rows, busy_ns) = log(&mut block.logged, &tracks, last, self.rig, self.noise);
        self.wear_out(block, &rates, &programmed, lifted, (last + 1 - first, erases));
        block.cycles = last;
        block.bad |= fails;
        Ok((rows, busy_ns))
    }

    /// Adds to the block the wear of `erases` erases and of `programs` programs of each of the pages `programmed`, and
    /// drops the block's data.
    fn wear_out(
        &self,
        block: &mut Block,
        rates: &[u64],
        programmed: &[u32],
        lifted: f64,
        (programs, erases): (u64, u64),
    ) {
        let bits = self.physics.cell.bits();
        let held = block.not_programmed();
        let mut written = vec![false; block.stress.len()];
        programmed.iter().for_each(|page| written[(page / bits) as usize] = true);
        let Block { stress, pace, erases: before, .. } = block;
        for (wordline, stress) in stress.iter_mut().enumerate() {
            stress.programmed += pace.stress(rates[wordline], *before, programs);
            let missed = micro(if written[wordline] { 1.0 - lifted } else { 1.0 });
            // Where nothing is programmed, the first erase finds what the block held.
            let first = if programmed.is_empty() { held[wordline] } else { missed };
            stress.over_erased += first * erases.min(1) + missed * erases.saturating_sub(1);
        }
        block.forget();
        block.erases += erases;
    }

    /// Returns the fraction (0 to 1) of the cells of a programmed wordline that the programs raise above the erased
    /// state.
    fn lifted(&self, programmed: &[u32], shares: &[f64]) -> f64 {
        let Some(last) = programmed.last() else { return 0.0 };
        let pass = self.physics.pass_of(last % self.physics.cell.bits());
        let lifts = |state: &usize| self.physics.target(self.plan, pass, *state).is_some();
        (0..shares.len()).filter(lifts).map(|state| shares[state]).sum()
    }

    /// Returns the stress that the programs of one cycle add to each wordline, in millionths of a cycle.
    fn rates(&self, block: &Block, programmed: &[u32], shares: &[f64]) -> Vec<u64> {
        let bits = self.physics.cell.bits();
        let mut rates = vec![0; block.stress.len()];
        let Some(last) = programmed.last() else { return rates };
        let pass = self.physics.pass_of(last % bits);
        let rate = micro(self.physics.program_stress(self.plan, pass, shares));
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
        let erases = block.pace.cycles(block.erases + before) * self.physics.wear.erase_share;
        erases + (programmed + block.pace.stress(rate, block.erases, before)) as f64 / MICRO
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
        Track { page: None, stretches: stretches(first, last, self.physics.erase.max_pulses, at) }
    }

    /// Computes, for the program of each of the pages `pages`, the track: busy time, pulses and status in the cycles
    /// from `first` to `last`, as stretches of equal cycles.
    fn program_tracks(
        &self,
        block: &Block,
        rates: &[u64],
        pages: &[u32],
        shares: &[f64],
        (first, last): (u64, u64),
    ) -> Vec<Track> {
        let bits = self.physics.cell.bits();
        let mut slow: Vec<Slow> = Vec::new();
        let ends: Vec<usize> = pages
            .iter()
            .map(|page| {
                let (wordline, pass) = ((page / bits) as usize, self.physics.pass_of(page % bits));
                let slowest = self.slowest(block, wordline, pass, shares).into_iter();
                slow.extend(slowest.map(|(volts, deviation)| Slow { wordline, pass, volts, deviation }));
                slow.len()
            })
            .collect();
        let mut cells: Vec<SlowCell> = Vec::new();
        let of = SlowCells {
            wear: &self.physics.wear,
            trapping: block.trapping,
            sigma: self.physics.offset_sigma,
        };
        let falls = falls(first, last, slow.len(), |looks, levels| {
            cells.clear();
            cells.extend(looks.iter().map(|&Look { search, cycle }| {
                let Slow { wordline, deviation, .. } = slow[search];
                let programmed = block.stress[wordline].programmed;
                SlowCell { deviation, worn: self.wear_at(block, programmed, rates[wordline], cycle - first) }
            }));
            of.offsets(&cells, levels);
            for (look, level) in looks.iter().zip(levels) {
                let Slow { pass, volts, .. } = slow[look.search];
                *level = self.physics.level(self.plan, pass, volts, *level);
            }
        });
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let of_pages = pages.iter().zip(starts.zip(&ends));
        of_pages
            .map(|(&page, (start, end))| {
                let pass = self.physics.pass_of(page % bits);
                Track {
                    page: Some(page),
                    stretches: self.program_stretches(pass, first, &falls[start..*end]),
                }
            })
            .collect()
    }

    /// Returns, for each target threshold of a programming pass, its voltage, and how far the slowest-programming cell
    /// with that target lies from the mean, in standard deviations.
    fn slowest(&self, block: &Block, wordline: usize, pass: usize, shares: &[f64]) -> Vec<(f64, f64)> {
        // Cells that share a target share the pulses: each target counts once.
        let mut targets: Vec<(f64, usize, f64)> = Vec::new();
        for (state, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            let Some(volts) = self.physics.target(self.plan, pass, state) else { continue };
            match targets.iter_mut().find(|(known, _, _)| *known == volts) {
                Some((_, _, shares)) => *shares += share,
                None => targets.push((volts, state, share)),
            }
        }
        targets
            .iter()
            .map(|&(volts, state, share)| {
                let cells = (self.cells as f64 * share).max(1.0);
                (volts, block.slowest_deviation(wordline, state, cells))
            })
            .collect()
    }

    /// Divides program/erase cycles, from `first` on, into stretches in which a program takes equal busy time and
    /// equally many pulses, up to a failure. `falls` lists for each target voltage the cycles from which a smaller
    /// number of pulses holds, with that number.
    fn program_stretches(&self, pass: usize, first: u64, falls: &[Vec<(u64, u32)>]) -> Vec<LogStretch> {
        let budget = self.physics.program.max_pulses;
        let least = self.physics.least_pulses(self.plan, pass);
        let mut pulses: Vec<u32> = falls.iter().map(|falls| falls[0].1).collect();
        let mut events: Vec<(u64, usize, u32)> = falls
            .iter()
            .enumerate()
            .flat_map(|(target, falls)| falls[1..].iter().map(move |&(cycle, count)| (cycle, target, count)))
            .collect();
        events.sort_unstable();
        let mut found: Vec<LogStretch> = Vec::new();
        let mut from = first;
        let mut events = events.into_iter().peekable();
        loop {
            let most = pulses.iter().copied().max().unwrap_or(0).max(least);
            let busy_ns = self.physics.t_prog(self.plan, pass, &pulses).ns();
            let stretch = LogStretch { from, busy_ns, pulses: most.min(budget), ok: most <= budget };
            if found.last().is_none_or(|before| (before.busy_ns, before.pulses) != (busy_ns, most)) {
                found.push(stretch);
            }
            let Some(&(cycle, ..)) = events.peek().filter(|_| stretch.ok) else { return found };
            from = cycle;
            while let Some((_, target, count)) = events.next_if(|event| event.0 == cycle) {
                pulses[target] = count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::slow_offset;
    use config::{Document, Section};

    const PARTS: [(crate::Cell, &str); 4] = [
        (crate::Cell::Slc, include_str!("../../../../chips/nand128w3a2bn.toml")),
        (crate::Cell::Mlc, include_str!("../../../../chips/poster-mlc.toml")),
        (crate::Cell::Tlc, include_str!("../../../../chips/tlc-3d-256g.toml")),
        (crate::Cell::Qlc, include_str!("../../../../chips/qlc-3d-1t.toml")),
    ];

    /// Returns, for the tests, the busy time (ns) and the number of pulses of a page's program in one given cycle,
    /// computed for that cycle alone: the reference for comparison.
    fn in_cycle(
        cycling: &Cycling,
        block: &Block,
        page: u32,
        shares: &[f64],
        rate: u64,
        cycle: u64,
    ) -> (u64, u32) {
        let physics = cycling.physics;
        let (wordline, pass) =
            ((page / physics.cell.bits()) as usize, physics.pass_of(page % physics.cell.bits()));
        let worn = cycling.wear_at(block, block.stress[wordline].programmed, rate, cycle - 1);
        let gained = physics.wear.program * physics.wear.trapped_v(worn) * block.trapping;
        let mut pulses: Vec<u32> = Vec::new();
        for (volts, deviation) in cycling.slowest(block, wordline, pass, shares) {
            let spread = physics.wear.cell_spread;
            let offset = slow_offset(physics.offset_sigma, spread, deviation, gained);
            pulses.push(physics.pulses(cycling.plan, pass, volts, offset));
        }
        let most = pulses.iter().copied().max().unwrap_or(0).max(physics.least_pulses(cycling.plan, pass));
        (physics.t_prog(cycling.plan, pass, &pulses).ns(), most)
    }

    #[test]
    fn programs_of_a_life_are_those_of_each_of_its_cycles() {
        let (last, pages_per_block) = (300_000, 12);
        for (cell, text) in PARTS {
            let document = Document::parse("chip.toml", text).unwrap_or_else(|error| panic!("{error}"));
            let physics = CellPhysics::read(&mut Section::root(&document), cell);
            let physics = physics.unwrap_or_else(|error| panic!("{error}")).expect("the chip has cells");
            let rig = Rig::read(&mut Section::root(&document)).unwrap_or_else(|error| panic!("{error}"));
            let noise = Stream::new(3);
            let (celsius, cells) = (25.0, 100_000);
            let plan = &physics.plans[0];
            let cycling =
                Cycling { physics: &physics, plan, celsius, pages_per_block, cells, rig: &rig, noise };
            let shares = Pattern::Random.shares(&physics).expect("every state alike often");
            for number in 0..4 {
                let wordlines = pages_per_block / cell.bits();
                let block = Block::new(&physics, Stream::new(1), 1.0, number, wordlines);
                let rates = vec![micro(0.3); wordlines as usize];
                let pages: Vec<u32> = (0..cell.bits()).collect();
                let tracks = cycling.program_tracks(&block, &rates, &pages, &shares, (1, last));
                for (page, track) in pages.into_iter().zip(tracks) {
                    let at = |cycle: u64| in_cycle(&cycling, &block, page, &shares, rates[0], cycle);
                    let known = stretches(1, last, physics.program.max_pulses, at);
                    assert_eq!(track.stretches, known, "{cell:?}, block {number}, page {page}");
                }
            }
        }
    }
}
