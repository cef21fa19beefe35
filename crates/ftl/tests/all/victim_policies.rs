//! Each victim policy against its rule worked out by looking at every candidate, over random histories.

use config::{Document, Section};
use engine::RandomStream;
use ftl::Blocks;
use ftl::gc::victim::{self, VictimPolicy, VictimView};
use units::SuperblockId;

const SUPERBLOCKS: u32 = 40;
const STEPS: usize = 30_000;

fn policy(settings: &[&str]) -> Result<Box<dyn VictimPolicy>, String> {
    let mut document = Document::empty();
    for setting in settings {
        document.set(setting).map_err(|error| error.to_string())?;
    }
    let mut section = Section::root(&document);
    let maker = victim::read(&mut section).map_err(|error| error.to_string())?;
    section.finish().map_err(|error| error.to_string())?;
    Ok(maker())
}

/// State of a die in a test, by which the rules of the test choose victims; all arrays are indexed by superblock.
struct Die {
    units: u32,
    candidates: Vec<SuperblockId>,
    valid: Vec<u32>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
    /// For each superblock: when it was closed, as the number of notifications to the policy so far; no two are equal.
    closed: Vec<u64>,
    /// For each superblock: when its number of valid units changed last, as the number of notifications to the policy
    /// so far.
    changed: Vec<u64>,
    notifications: u64,
    clock: u64,
    random: RandomStream,
}

/// Type of a rule with which a test compares a victim policy: a function that returns the superblock that the policy
/// must choose, given at least one candidate.
type Rule = fn(&Die, &mut RandomStream) -> SuperblockId;

impl Die {
    fn new(units: u32) -> Self {
        let count = SUPERBLOCKS as usize;
        Self {
            units,
            candidates: Vec::new(),
            valid: vec![0; count],
            pe_cycles: vec![0; count],
            closed_at: vec![0; count],
            closed: vec![0; count],
            changed: vec![0; count],
            notifications: 0,
            clock: 0,
            random: RandomStream::new(3, "policy"),
        }
    }

    fn close(&mut self, policy: &mut dyn VictimPolicy, superblock: u32, valid: u32) {
        let at = superblock as usize;
        self.notifications += 1;
        self.valid[at] = valid;
        self.closed_at[at] = self.clock;
        self.closed[at] = self.notifications;
        self.changed[at] = self.notifications;
        self.candidates.push(SuperblockId(superblock));
        policy.on_close(SuperblockId(superblock), valid);
    }

    fn invalidate(&mut self, policy: &mut dyn VictimPolicy, superblock: SuperblockId) {
        let at = superblock.index();
        self.notifications += 1;
        self.valid[at] -= 1;
        self.changed[at] = self.notifications;
        policy.on_invalidate(superblock, self.valid[at]);
    }

    fn reclaim(&mut self, policy: &mut dyn VictimPolicy, superblock: SuperblockId) {
        let at = self.candidates.iter().position(|&candidate| candidate == superblock);
        self.candidates.swap_remove(at.expect("only candidates are reclaimed"));
        self.pe_cycles[superblock.index()] += 1;
        policy.on_reclaim(superblock);
    }

    fn pick(&mut self, policy: &mut dyn VictimPolicy) -> Option<SuperblockId> {
        policy.pick(&mut VictimView {
            candidates: &self.candidates,
            blocks: Blocks {
                valid_units: &self.valid,
                pe_cycles: &self.pe_cycles,
                closed_at: &self.closed_at,
                streams: &vec![0; self.valid.len()],
            },
            clock: self.clock,
            units_per_superblock: self.units,
            random: &mut self.random,
        })
    }

    fn greedy(&self) -> SuperblockId {
        let key = |at: &&SuperblockId| (self.valid[at.index()], self.changed[at.index()]);
        *self.candidates.iter().min_by_key(key).expect("there are candidates")
    }

    /// Returns the candidate with the greatest ratio of age times invalid units to `cost`, a function of the valid
    /// units and the units of a superblock; among equals fewest valid units, then closed first, then lowest number.
    fn cost_benefit(&self, cost: fn(u128, u128) -> u128) -> SuperblockId {
        let ratio = |at: SuperblockId| {
            let (valid, units) = (u128::from(self.valid[at.index()]), u128::from(self.units));
            let age = u128::from(self.clock - self.closed_at[at.index()]);
            (age * (units - valid), cost(valid, units))
        };
        let tie = |at: SuperblockId| (self.valid[at.index()], self.closed_at[at.index()], at.0);
        let mut best = self.candidates[0];
        for &at in &self.candidates[1..] {
            let (this, that) = (ratio(at), ratio(best));
            // A cost of zero counts as an infinite ratio, even where the benefit is zero, too.
            let (left, right) = match (this.1, that.1) {
                (0, 0) => (0, 0),
                (0, _) => (1, 0),
                (_, 0) => (0, 1),
                _ => (this.0 * that.1, that.0 * this.1),
            };
            if left > right || (left == right && tie(at) < tie(best)) {
                best = at;
            }
        }
        best
    }
}

/// Checks every choice of a victim policy in a random history against `rule`. Returns the fraction of choices that
/// differ from those of greedy, which shows whether the history tells the two rules apart.
fn compare(settings: &[&str], rule: Rule, units: u32, seed: u64) -> f64 {
    let mut policy = policy(settings).expect("these settings are right");
    policy.attach(SUPERBLOCKS, units);
    let mut die = Die::new(units);
    let mut history = RandomStream::new(seed, "history");
    let mut free: Vec<u32> = (0..SUPERBLOCKS).collect();
    assert_eq!(die.pick(&mut *policy), None, "{settings:?}: nothing to choose from");
    let (mut picks, mut unlike_greedy) = (0, 0);
    for step in 0..STEPS {
        // Two superblocks may be closed at the same clock.
        die.clock += history.below(3);
        match history.below(8) {
            0 if !free.is_empty() => {
                let superblock = free.swap_remove(history.below(free.len() as u64) as usize);
                let valid = history.below(u64::from(units) + 1) as u32;
                die.close(&mut *policy, superblock, valid);
            }
            1 if die.candidates.len() > 20 => {
                let expected = rule(&die, &mut die.random.clone());
                unlike_greedy += u32::from(expected != die.greedy());
                picks += 1;
                let picked = die.pick(&mut *policy).expect("there are candidates");
                assert_eq!(picked, expected, "{settings:?}, {units} units, seed {seed}, step {step}");
                // Now and then wear levelling takes another one, or the choice is asked for again.
                let taken = match history.below(4) {
                    0 => die.candidates[history.below(die.candidates.len() as u64) as usize],
                    1 => continue,
                    _ => picked,
                };
                die.reclaim(&mut *policy, taken);
                free.push(taken.0);
            }
            _ if !die.candidates.is_empty() => {
                // Low numbers are hot, so that counts and ages part.
                let bound = 1 + history.below(die.candidates.len() as u64);
                let superblock = die.candidates[history.below(bound) as usize];
                if die.valid[superblock.index()] > 0 {
                    die.invalidate(&mut *policy, superblock);
                }
            }
            _ => {}
        }
    }
    assert!(picks > STEPS / 50, "{settings:?}: only {picks} choices");
    f64::from(unlike_greedy) / picks as f64
}

/// Checks a victim policy against `rule` on dies whose superblocks have fewer units than there are superblocks, and
/// more; returns the mean fraction of choices that differ from those of greedy.
fn differs_from_greedy(settings: &[&str], rule: Rule) -> f64 {
    let shares =
        [(4, 1), (16, 2), (300, 3), (300, 4)].map(|(units, seed)| compare(settings, rule, units, seed));
    shares.into_iter().sum::<f64>() / shares.len() as f64
}

#[test]
fn greedy_takes_the_fewest_valid() {
    assert!(differs_from_greedy(&["name=greedy"], |die, _| die.greedy()) == 0.0);
}

#[test]
fn fifo_takes_the_first_closed() {
    let rule: Rule = |die, _| {
        *die.candidates.iter().min_by_key(|at| die.closed[at.index()]).expect("there are candidates")
    };
    assert!(differs_from_greedy(&["name=fifo"], rule) > 0.3);
}

#[test]
fn random_takes_what_its_stream_draws() {
    let rule: Rule = |die, random| die.candidates[random.below(die.candidates.len() as u64) as usize];
    assert!(differs_from_greedy(&["name=random"], rule) > 0.3);
}

#[test]
fn random_is_uniform() {
    let mut policy = policy(&["name=random"]).unwrap();
    let mut die = Die::new(8);
    policy.attach(SUPERBLOCKS, 8);
    for superblock in 0..10 {
        die.close(&mut *policy, superblock, superblock.min(8));
    }
    let mut counts = [0u32; 10];
    for _ in 0..10_000 {
        counts[die.pick(&mut *policy).unwrap().index()] += 1;
    }
    // Five standard deviations of a binomial count of mean 1000.
    assert!(counts.iter().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
}

fn best_of_draws(die: &Die, random: &mut RandomStream, d: usize) -> SuperblockId {
    let draws: Vec<SuperblockId> =
        (0..d).map(|_| die.candidates[random.below(die.candidates.len() as u64) as usize]).collect();
    let least = draws.iter().map(|at| die.valid[at.index()]).min();
    *draws.iter().find(|at| Some(die.valid[at.index()]) == least).expect("one has the least")
}

#[test]
fn d_choices_takes_the_best_of_its_draws() {
    assert!(differs_from_greedy(&["name=d-choices"], |die, random| best_of_draws(die, random, 10)) > 0.1);
    assert!(
        differs_from_greedy(&["name=d-choices", "d=2"], |die, random| best_of_draws(die, random, 2)) > 0.3
    );
}

/// Checks the random choices of `d-choices`: of `n` candidates with different counts, it picks the candidate of rank
/// `r` from the emptiest with the probability `((n - r)^d - (n - r - 1)^d) / n^d` that all of `d` draws rank at least
/// `r`, but not all higher.
#[test]
fn d_choices_follow_their_distribution() {
    const RANKS: usize = 20;
    const PICKS: u32 = 100_000;
    for (d, seed) in [(1, 1), (2, 2), (5, 3)] {
        let mut policy = policy(&["name=d-choices", &format!("d={d}")]).unwrap();
        let mut die = Die::new(RANKS as u32);
        die.random = RandomStream::new(seed, "policy");
        policy.attach(SUPERBLOCKS, RANKS as u32);
        for superblock in 0..RANKS as u32 {
            die.close(&mut *policy, superblock, superblock);
        }
        let mut counts = [0u32; RANKS];
        (0..PICKS).for_each(|_| counts[die.pick(&mut *policy).unwrap().index()] += 1);
        // Ranks too rare for the test are pooled with all behind them, as chi-square demands.
        let tail = |rank: usize| ((RANKS - rank) as f64 / RANKS as f64).powi(d) * f64::from(PICKS);
        let cells = (1..=RANKS).take_while(|rank| tail(rank - 1) - tail(*rank) >= 10.0).count();
        let chi_square: f64 = (0..cells)
            .map(|rank| {
                let pooled = rank + 1 == cells;
                let expected = if pooled { tail(rank) } else { tail(rank) - tail(rank + 1) };
                let last = if pooled { RANKS } else { rank + 1 };
                let observed = f64::from(counts[rank..last].iter().sum::<u32>());
                (observed - expected).powi(2) / expected
            })
            .sum();
        // Wilson and Hilferty's approximation of the quantile that chance passes once in a thousand.
        let freedom = (cells - 1) as f64;
        let spread = 2.0 / (9.0 * freedom);
        let bound = freedom * (1.0 - spread + 3.090 * spread.sqrt()).powi(3);
        assert!(chi_square < bound, "d = {d}: {chi_square:.1} with {freedom} degrees of freedom, {counts:?}");
    }
}

fn best_of_window(die: &Die, window: usize) -> SuperblockId {
    let mut oldest = die.candidates.clone();
    oldest.sort_by_key(|at| die.closed[at.index()]);
    oldest.truncate(window);
    oldest
        .into_iter()
        .min_by_key(|at| (die.valid[at.index()], die.closed[at.index()]))
        .expect("there are candidates")
}

#[test]
fn windowed_greedy_takes_the_fewest_valid_of_the_oldest() {
    let eight = differs_from_greedy(&["name=windowed-greedy", "window=8"], |die, _| best_of_window(die, 8));
    assert!(eight > 0.1);
    differs_from_greedy(&["name=windowed-greedy"], |die, _| best_of_window(die, 64));
}

#[test]
fn a_window_of_one_is_fifo() {
    differs_from_greedy(&["name=windowed-greedy", "window=1"], |die, _| best_of_window(die, 1));
}

#[test]
fn cost_benefit_takes_the_greatest_ratio() {
    let kawaguchi: Rule = |die, _| die.cost_benefit(|valid, _| 2 * valid);
    assert!(differs_from_greedy(&["name=cost-benefit"], kawaguchi) > 0.1);
    let lfs: Rule = |die, _| die.cost_benefit(|valid, units| units + valid);
    assert!(differs_from_greedy(&["name=cost-benefit", "formula=lfs"], lfs) > 0.1);
}

#[test]
fn the_two_formulas_part_where_the_papers_say() {
    // Closed at 0 with u = 1/2, and at 80 with u = 1/10, seen at 100.
    // Kawaguchi: 100 * 0.5 / 1.0 = 50 against 20 * 0.9 / 0.2 = 90. LFS: 33.3 against 16.4.
    for (formula, expected) in [("formula=kawaguchi", 1), ("formula=lfs", 0)] {
        let mut policy = policy(&["name=cost-benefit", formula]).unwrap();
        let mut die = Die::new(100);
        policy.attach(SUPERBLOCKS, 100);
        die.close(&mut *policy, 0, 50);
        die.clock = 80;
        die.close(&mut *policy, 1, 10);
        die.clock = 100;
        assert_eq!(die.pick(&mut *policy), Some(SuperblockId(expected)), "{formula}");
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for settings in [
        ["name=d-choices", "d=0"],
        ["name=windowed-greedy", "window=0"],
        ["name=cost-benefit", "formula=lsf"],
        ["name=greedy", "d=3"],
    ] {
        let error = policy(&settings).err().unwrap_or_else(|| panic!("{settings:?} is taken"));
        let key = settings[1].split('=').next().unwrap_or_default();
        assert!(error.contains(key), "{error}");
    }
}
