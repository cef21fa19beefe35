//! Write amplification: its parts, the part owed before, and what it comes to in the long run.
//!
//! Over a window write amplification counts the victims that happened to fall into it. In the long run each unit of room
//! that programs take must be gained by collecting, so that its cost per unit of room, which every victim shows, is all
//! that has to be known: a victim with `v` valid units of `S` costs `v` programs and gains `S - v`. Programs that are not
//! moves (the host's, padding, the map) times the sum of `v` over the sum of `S - v` are the moves of the long run.
//!
//! Not modelled: the state of a drive that this workload has yet to change. What a victim holds is what it holds now.

use super::waf::Debt;
use crate::measure::spread::{self, Interval, jackknife};
use crate::observe::Observer;
use crate::run::Run;
use controller::Origin;
use ftl::{FtlStats, Layout, Mark, ZonedLayer};

/// Constant: least number of garbage collection victims (or merges) from which long-run write amplification is
/// estimated.
pub(crate) const VICTIMS_LEAST: u64 = spread::BATCHES_LEAST as u64;

/// Constant: least number of simulated dies with garbage collection victims from which the variance of write
/// amplification between dies is calculated for the confidence interval of long-run write amplification. With fewer
/// dies this variance is not calculated.
const DIES_LEAST: usize = 4;

/// Constant: significance level of the test whether two halves of a run have different means: the probability that
/// equal means are taken for different. It is small because leaving out a half loses half of the data, and halves are
/// compared again and again.
const CHANCE: f64 = 0.002;

/// Constant: number of batches into which each half of a run is divided for the comparison of the halves.
const HALVES: usize = 10;

/// Constant: list of the origins of programs that move data of superblocks taken for a reason other than free space,
/// such as wear levelling.
const RELOCATIONS: [Origin; 4] = [Origin::Wear, Origin::Rescue, Origin::Refresh, Origin::Scrub];

/// Kind of sum over a part of a run, from which write amplification is calculated: bytes written, units programmed,
/// free space taken and so on; each case is the index of its sum in the list of all sums.
#[derive(Clone, Copy)]
enum Sum {
    /// Case of sum: bytes that the host wrote, counted in mapping units.
    Written,
    /// Case of sum: mapping units that were programmed to flash in the part of the run, without parity, plus the
    /// increase in the number of dirty units in the write buffer, whose programs are still to come.
    Programmed,
    Parity,
    /// Case of sum: mapping units that took free space, or will take it once they leave the write buffer, without
    /// parity, the SLC cache and data moved by relocations, garbage collection or folding.
    Taken,
    /// Case of sum: mapping units written to the SLC cache (one bit per cell).
    Slc,
    Folded,
    FoldedRoom,
    Relocated,
    RelocatedRoom,
    Moved,
    Room,
}

const SUMS: usize = Sum::Room as usize + 1;
type Sums = [f64; SUMS];

fn at(sums: &Sums, sum: Sum) -> f64 {
    sums[sum as usize]
}

/// Returns the sums (bytes written, units programmed, relocated and so on) over the part of a run between the marks
/// `from` and `to` (values of the counters recorded at two times of the run).
fn sums(from: &Mark, to: &Mark, layout: &Layout) -> Sums {
    let stats = to.stats.since(&from.stats);
    let by = |origin: Origin| stats.units_programmed[origin as usize];
    let all: u64 = stats.units_programmed.iter().sum();
    let moves: u64 = RELOCATIONS.iter().map(|origin| by(*origin)).sum::<u64>() + by(Origin::Gc);
    let programmed = all - by(Origin::Parity);
    let waiting = to.units_waiting as f64 - from.units_waiting as f64;
    // What the host overwrote after its superblock was taken need not be moved: room gained for nothing.
    let chosen = (stats.victim_units + stats.relocated_units) as f64;
    let moved = moves as f64 + to.units_to_move as f64 - from.units_to_move as f64;
    let spared = chosen - moved;
    let other = moves + by(Origin::Fold) + stats.slc_units_written;
    let mut sums = [0.0; SUMS];
    for (sum, value) in [
        (Sum::Written, stats.bytes_written as f64 / layout.unit.get() as f64),
        (Sum::Programmed, programmed as f64 + waiting),
        (Sum::Parity, by(Origin::Parity) as f64),
        (Sum::Taken, programmed as f64 - other as f64 + waiting),
        (Sum::Slc, stats.slc_units_written as f64),
        (Sum::Folded, stats.slc_units_folded as f64),
        (Sum::FoldedRoom, (stats.slc_superblocks_folded * u64::from(layout.slc_units())) as f64),
        (Sum::Relocated, stats.relocated_units as f64),
        (Sum::RelocatedRoom, stats.relocated_room as f64),
        (Sum::Moved, stats.victim_units as f64 - spared),
        (Sum::Room, stats.victim_room as f64 + spared),
    ] {
        sums[sum as usize] = value;
    }
    sums
}

/// Calculates long-run write amplification of a drive with garbage collection from the sums over a run; `None` where
/// they are not enough.
fn of_victims(sums: &Sums) -> Option<f64> {
    let (slc, room) = (at(sums, Sum::Slc), at(sums, Sum::Room));
    let folded = match at(sums, Sum::FoldedRoom) {
        _ if slc <= 0.0 => 0.0,
        0.0 => return None,
        capacity => slc * at(sums, Sum::Folded) / capacity,
    };
    let taken = at(sums, Sum::Taken) + folded;
    let needed = (taken - at(sums, Sum::RelocatedRoom)).max(0.0);
    let moved = if room > 0.0 { needed * at(sums, Sum::Moved) / room } else { return None };
    let parity = 1.0 + at(sums, Sum::Parity) / at(sums, Sum::Programmed);
    let programmed = (taken + slc + at(sums, Sum::Relocated) + moved) * parity;
    let written = at(sums, Sum::Written);
    (written > 0.0).then(|| programmed / written)
}

/// Calculates write amplification of a drive that merges log blocks, or has zones beside units that are collected; the
/// cost of merges does not follow from a single merge, and zones are not collected, so all programs of the run count.
/// `None` without host writes.
fn of_merges(sums: &Sums) -> Option<f64> {
    let written = at(sums, Sum::Written);
    (written > 0.0).then(|| at(sums, Sum::Programmed) / written)
}

/// Record of the estimate of long-run write amplification from a run: value with confidence interval, number of garbage
/// collection victims or merges that it rests on, part of the run left out, and reason of a missing value.
pub(crate) struct LongRun {
    pub interval: Option<Interval>,
    /// Field of the estimate of long-run write amplification: number of garbage collection victims, or merges, that the
    /// estimate rests on.
    pub victims: u64,
    /// Field of the estimate of long-run write amplification: fraction of the run, at its beginning, that was left out
    /// because the write amplification of the later part differs from it.
    pub left_out: f64,
    /// True if the run ended before its write amplification settled (reached a steady level).
    pub drifting: bool,
    /// Field of the estimate of long-run write amplification: reason why there is no value; only valid where there is
    /// none.
    pub reason: Missing,
}

/// Kind of reason why a run gives no estimate of long-run write amplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Case of a missing estimate of long-run write amplification: the run had too few garbage collection victims or
    /// merges.
    Victims,
    /// Case of a missing estimate of long-run write amplification: the write amplification of the last part of the run
    /// still differs from that of the part before.
    Settling,
    /// Case of a missing estimate of long-run write amplification: data went to the SLC cache and none of it was folded
    /// (moved to full-density blocks), so that the cost of folding is not known.
    Folding,
    /// Case of a missing estimate of long-run write amplification: in some part of the run the garbage collection
    /// victims gained no free space (all their units were still valid).
    Room,
}

impl Missing {
    /// Returns the name, in the result, of the reason why there is no estimate of long-run write amplification.
    pub fn name(self) -> &'static str {
        match self {
            Self::Victims => "victims",
            Self::Settling => "drifting",
            Self::Folding => "folding",
            Self::Room => "room",
        }
    }
}

/// Estimates the long-run write amplification of a run, with its confidence interval, from the counters recorded at
/// several times of the run (marks) and at the end of the run.
pub(crate) fn long_run<P: Observer>(run: &Run<P>) -> LongRun {
    if let Some(host) = run.host.blocks() {
        return of_zones(host.translation.victims());
    }
    let end = run.ftl.mark();
    let marks = run.ftl.turnover().marks();
    let layout = run.ftl.layout();
    let merges = events(&end.stats.since(&run.baseline)) != end.stats.victims - run.baseline.victims;
    // What zones take no victim makes up for.
    let merges = merges || run.ftl.zoning().is_some_and(|zoning| zoning.beside > 0);
    let mut parts: Vec<Sums> = marks.windows(2).map(|pair| sums(&pair[0], &pair[1], layout)).collect();
    // What came after the last mark belongs to the last part.
    if let (Some(last), Some(part)) = (marks.last(), parts.last_mut()) {
        let rest = sums(last, &end, layout);
        *part = spread::total(&[*part, rest]);
    }
    let counted: Vec<u64> = marks.iter().map(|mark| events(&mark.stats)).collect();
    let mut by_die: Vec<&[[u64; 2]]> = run.ftl.turnover().by_die().collect();
    // The end takes the place of the last mark.
    by_die.swap_remove(marks.len().saturating_sub(1));
    if merges {
        return settle(&RunParts { sums: &parts, by_die: &[], of: of_merges }, &counted);
    }
    settle(&RunParts { sums: &parts, by_die: &by_die, of: of_victims }, &counted)
}

/// Returns the sums of a part of a run in which the host wrote `written` units, and collection took one victim with
/// `moved` valid units and `room` others.
fn of_one(moved: f64, room: f64, written: f64) -> Sums {
    let mut sums = [0.0; SUMS];
    for (sum, value) in [
        (Sum::Written, written),
        (Sum::Taken, written),
        (Sum::Programmed, written + moved),
        (Sum::Moved, moved),
        (Sum::Room, room),
    ] {
        sums[sum as usize] = value;
    }
    sums
}

/// Estimates the long-run write amplification of a host that keeps blocks on zones. For each zone that the host
/// collected, `victims` has its needed blocks, and its other blocks, each room for a new block of the workload.
fn of_zones(victims: &[[u32; 2]]) -> LongRun {
    let part = |&[needed, others]: &[u32; 2]| of_one(f64::from(needed), f64::from(others), f64::from(others));
    let parts: Vec<Sums> = victims.iter().map(part).collect();
    let counted: Vec<u64> = (0..=parts.len() as u64).collect();
    settle(&RunParts { sums: &parts, by_die: &[], of: of_victims }, &counted)
}

/// Set of consecutive parts of a run: the sums of each part, and the function that calculates write amplification from
/// sums.
struct RunParts<'a> {
    sums: &'a [Sums],
    /// List of the counts of valid units and of other units of each die's garbage collection victims since the
    /// measurement of the run began, one entry at the beginning of each part of the run and one at the end of the last;
    /// empty where dies are not compared.
    by_die: &'a [&'a [[u64; 2]]],
    of: fn(&Sums) -> Option<f64>,
}

impl<'a> RunParts<'a> {
    /// Returns the parts of the run from index `from` up to, but without, index `to`.
    fn part(&self, from: usize, to: usize) -> Self {
        let by_die: &'a [_] = if self.by_die.is_empty() { self.by_die } else { &self.by_die[from..=to] };
        Self { sums: &self.sums[from..to], by_die, of: self.of }
    }

    /// Returns for each die the valid units and the other units of its garbage collection victims in these parts of the
    /// run.
    fn dies(&self) -> Vec<[f64; 2]> {
        let (Some(first), Some(last)) = (self.by_die.first(), self.by_die.last()) else { return Vec::new() };
        let before = |die: usize| first.get(die).copied().unwrap_or_default();
        let between =
            |(die, units): (usize, &[u64; 2])| [0, 1].map(|i| units[i].saturating_sub(before(die)[i]) as f64);
        last.iter().enumerate().map(between).collect()
    }

    /// Calculates write amplification as if all garbage collection victims were like those with the sums `dies` (valid
    /// and other units).
    fn of_dies(&self, dies: &[f64; 2]) -> Option<f64> {
        let mut sums = spread::total(self.sums);
        (sums[Sum::Moved as usize], sums[Sum::Room as usize]) = (dies[0], dies[1]);
        (self.of)(&sums)
    }

    /// Calculates write amplification of these parts of the run with its confidence interval. Fast changes of write
    /// amplification show in the variance between batches (consecutive parts of the run), slow changes in the variance
    /// between dies, and the long-run value varies with both. With too few dies slow changes are assumed to be as large
    /// as fast ones.
    fn interval(&self) -> Option<Interval> {
        let mut interval = spread::interval(self.sums, self.of)?;
        let lasting = self.spread_over_dies().unwrap_or(interval.half);
        interval.half = libm::hypot(interval.half, lasting);
        Some(interval)
    }

    /// Returns half the confidence interval of write amplification that follows from the variance of write
    /// amplification between the simulated dies of the run; `None` where too few dies had garbage collection victims.
    /// Each die's garbage collection has its own history, which lasts about one overwrite of the drive, longer than
    /// most batches. The interval is too wide where dies share the data: if one holds more, others hold less.
    fn spread_over_dies(&self) -> Option<f64> {
        let dies = self.dies();
        let had_any = |die: &[f64; 2]| die[0] + die[1] > 0.0;
        let dies: Vec<[f64; 2]> = dies.into_iter().filter(had_any).collect();
        if dies.len() < DIES_LEAST {
            return None;
        }
        let (_, variance) = jackknife(&dies, |dies| self.of_dies(dies))?;
        Some(spread::quantile(dies.len()) * variance.sqrt())
    }

    /// Returns true if the mean write amplification of the second half of these parts of the run differs from that of
    /// the first half. The test uses the larger of two spreads of write amplification: between batches (groups of
    /// consecutive parts), and between dies, which change slowly and independently.
    fn is_drifting(&self) -> bool {
        let middle = self.sums.len() / 2;
        let (first, second) = (self.part(0, middle), self.part(middle, self.sums.len()));
        let half = |half: &Self| jackknife(&spread::batches(half.sums, HALVES), self.of);
        let (Some((a, a_variance)), Some((b, b_variance))) = (half(&first), half(&second)) else {
            return false;
        };
        let freedom = 2 * HALVES.min(middle) - 2;
        let by_batches = spread::two_sided(CHANCE, freedom) * (a_variance + b_variance).sqrt();
        let dies: Vec<[f64; 4]> = first.dies_beside(&second).map(|[a, b]| [a[0], a[1], b[0], b[1]]).collect();
        let change = |[a_moved, a_room, b_moved, b_room]: &[f64; 4]| {
            Some(second.of_dies(&[*b_moved, *b_room])? - first.of_dies(&[*a_moved, *a_room])?)
        };
        let by_dies = match jackknife(&dies, change) {
            Some((_, variance)) if dies.len() >= DIES_LEAST => {
                spread::two_sided(CHANCE, dies.len() - 1) * variance.sqrt()
            }
            _ => 0.0,
        };
        (a - b).abs() > by_batches.max(by_dies)
    }

    /// Returns for each die the valid and other units of its garbage collection victims in these parts of the run and
    /// in the parts `later`; dies without a victim in either are left out.
    fn dies_beside(&self, later: &Self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        let mut before = self.dies();
        let after = later.dies();
        before.resize(after.len(), [0.0; 2]);
        before.into_iter().zip(after).map(|(a, b)| [a, b]).filter(|[a, b]| a[0] + a[1] + b[0] + b[1] > 0.0)
    }
}

/// Returns the number of garbage collection victims and merges together, from the counters `stats`.
pub(crate) fn events(stats: &FtlStats) -> u64 {
    stats.victims + stats.merges_switch + stats.merges_partial + stats.merges_full
}

/// Leaves out the first half of the remaining run as long as the second half has another write amplification, then
/// estimates long-run write amplification. `counted` gives the number of garbage collection victims and merges so far,
/// at each edge between parts of the run.
fn settle(all: &RunParts<'_>, counted: &[u64]) -> LongRun {
    let (mut first, count) = (0, all.sums.len());
    loop {
        let victims = counted.last().copied().unwrap_or(0) - counted.get(first).copied().unwrap_or(0);
        let rest = all.part(first, count);
        let left_out = first as f64 / count.max(1) as f64;
        // Halves of fewer batches cannot be told apart any more: what drifted before may go on.
        let least = if first > 0 { 2 * HALVES } else { spread::BATCHES_LEAST };
        let enough = victims >= VICTIMS_LEAST && rest.sums.len() >= least;
        if !enough {
            let reason = if first > 0 { Missing::Settling } else { Missing::Victims };
            return LongRun { interval: None, victims, left_out, drifting: first > 0, reason };
        }
        if !rest.is_drifting() {
            let interval = rest.interval();
            let sums = spread::total(rest.sums);
            let is_unfolded = at(&sums, Sum::Slc) > 0.0 && at(&sums, Sum::FoldedRoom) == 0.0;
            let reason = if is_unfolded { Missing::Folding } else { Missing::Room };
            return LongRun { interval, victims, left_out, drifting: false, reason };
        }
        first += rest.sums.len().div_ceil(2);
    }
}

/// Returns the units that garbage collection moved for the window's own writes, and the garbage collection debt: the
/// units moved beyond or short of that.
///
/// Garbage collection gains free space, programs take it. Space gained beyond what was taken replaced space that was
/// missing when the window began; space taken beyond what was gained will have to be gained later.
pub(super) fn collected<P: Observer>(run: &Run<P>, stats: &FtlStats) -> (f64, Option<Debt>) {
    let moved = stats.units_programmed[Origin::Gc as usize] as f64;
    if stats.victims == 0 {
        return (moved, None);
    }
    let baseline = run.ftl.turnover().marks().first().copied().unwrap_or_default();
    // As programmed until now: what waits in the buffer is not the window's yet.
    let end = Mark { units_waiting: baseline.units_waiting, ..run.ftl.mark() };
    let sums = sums(&baseline, &end, run.ftl.layout());
    let taken = at(&sums, Sum::Taken) + stats.units_programmed[Origin::Fold as usize] as f64;
    let (room, all_room) = (at(&sums, Sum::Room), at(&sums, Sum::Room) + at(&sums, Sum::RelocatedRoom));
    let beyond = all_room - taken;
    let price = if room > 0.0 { Some(at(&sums, Sum::Moved) / room) } else { None };
    let repaid = if all_room > 0.0 { moved * (beyond / all_room).clamp(0.0, 1.0) } else { moved };
    let debt = Debt {
        room_units: beyond,
        room_superblocks: beyond / f64::from(run.ftl.layout().data_units()),
        units_moved: repaid,
        units_deferred: price.map(|price| (-beyond).max(0.0) * price),
    };
    (moved - repaid, Some(debt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;

    /// Makes, for a test, the sums of a batch in which the host wrote `written` units and garbage collection took one
    /// victim of 1000 units with `valid` valid units.
    fn victim(valid: f64, written: f64) -> Sums {
        of_one(valid, 1000.0 - valid, written)
    }

    #[test]
    fn the_long_run_follows_from_the_victims_alone() {
        // 750 of 1000 valid: three units moved for each unit of room, independent of what the window wrote meanwhile.
        for written in [1.0, 250.0, 100_000.0] {
            assert!((of_victims(&victim(750.0, written)).unwrap() - 4.0).abs() < 1e-9);
        }
        assert_eq!(of_victims(&victim(1000.0, 5.0)), None, "nothing was gained");
    }

    #[test]
    fn padding_takes_room_and_pays_for_it() {
        let mut sums = victim(500.0, 100.0);
        sums[Sum::Taken as usize] = 200.0;
        assert!((of_victims(&sums).unwrap() - 4.0).abs() < 1e-9, "two programs a unit, each moved one more");
    }

    fn settled(parts: &[Sums]) -> LongRun {
        let counted: Vec<u64> = (0..=parts.len() as u64).collect();
        settle(&RunParts { sums: parts, by_die: &[], of: of_victims }, &counted)
    }

    #[test]
    fn too_few_victims_give_no_value() {
        let parts = vec![victim(500.0, 500.0); VICTIMS_LEAST as usize];
        assert!(settled(&parts[1..]).interval.is_none());
        let found = settled(&parts).interval.unwrap();
        assert!((found.value - 2.0).abs() < 1e-9 && found.half < 1e-9);
    }

    #[test]
    fn a_beginning_that_went_on_differently_is_left_out() {
        let mut random = RandomStream::new(1, "test");
        let mut part = |mean: f64| victim(mean + 40.0 * (random.unit() - 0.5), 100.0);
        let parts: Vec<Sums> = (0..128).map(|index| part(if index < 30 { 100.0 } else { 750.0 })).collect();
        let found = settled(&parts);
        let interval = found.interval.unwrap();
        assert!(found.left_out == 0.5 && (interval.low()..interval.high()).contains(&4.0), "{interval:?}");
        let rising: Vec<Sums> = (0..40).map(|index| part(10.0 * f64::from(index))).collect();
        let found = settled(&rising);
        assert!(found.interval.is_none() && found.drifting, "it never settled");
    }

    /// Makes, for a test, the estimate of long-run write amplification from a run of 96 garbage collection victims on 8
    /// dies; each die has its own, slowly changing level of valid units.
    fn of_dies(seed: u64, trend: f64) -> LongRun {
        let mut random = RandomStream::new(seed, "test");
        let mut levels: [f64; 8] = std::array::from_fn(|_| 20.0 * (random.unit() - 0.5));
        let mut now = vec![[0u64; 2]; 8];
        let (mut sums, mut edges) = (Vec::new(), vec![now.clone()]);
        for index in 0..96 {
            let level = &mut levels[index % 8];
            *level += 4.0 * (random.unit() - 0.5);
            let valid = (800.0 + *level + trend * index as f64).round();
            now[index % 8][0] += valid as u64;
            now[index % 8][1] += 1000 - valid as u64;
            sums.push(victim(valid, 200.0));
            edges.push(now.clone());
        }
        let by_die: Vec<&[[u64; 2]]> = edges.iter().map(Vec::as_slice).collect();
        let counted: Vec<u64> = (0..=96).collect();
        settle(&RunParts { sums: &sums, by_die: &by_die, of: of_victims }, &counted)
    }

    #[test]
    fn dies_that_go_their_own_ways_are_no_drift_and_widen_the_interval() {
        let runs: Vec<LongRun> = (0..400).map(|seed| of_dies(seed, 0.0)).collect();
        let drifting = runs.iter().filter(|run| run.left_out > 0.0).count();
        assert!(drifting <= 5, "{drifting} of 400 taken for drifting, of which 1 was to be expected");
        let holds = |run: &&LongRun| run.interval.is_some_and(|it| (it.low()..it.high()).contains(&5.0));
        let held = runs.iter().filter(holds).count();
        assert!(held >= 370, "{held} of 400 hold what all dies come to in the long run");
        // What all dies do together is seen all the same.
        assert!((0..20).all(|seed| of_dies(seed, 0.5).left_out > 0.0));
    }

    #[test]
    fn an_interval_holds_the_truth_at_least_as_often_as_it_says() {
        let mut random = RandomStream::new(11, "test");
        let mut of_batches = 0;
        let held = |_: &usize| {
            let parts: Vec<Sums> =
                (0..60).map(|_| victim(700.0 + 100.0 * (random.unit() + random.unit()), 300.0)).collect();
            // The mean victim holds 800.
            // Once in a hundred the halves differ by chance, and too few are left.
            let run = settled(&parts);
            let Some(found) = run.interval else { return false };
            let batches = spread::interval(&parts, of_victims).expect("one of all parts");
            of_batches += usize::from((batches.low()..batches.high()).contains(&5.0));
            // Without dies, what lasts longer than the run is taken to be as much as what does not.
            assert!(run.left_out > 0.0 || (found.half / batches.half - 2f64.sqrt()).abs() < 1e-9);
            (found.low()..found.high()).contains(&5.0)
        };
        let held = (0..1000).filter(held).count();
        assert!((930..=995).contains(&of_batches), "{of_batches} of 1000");
        assert!(held >= of_batches, "{held} of 1000");
    }
}
