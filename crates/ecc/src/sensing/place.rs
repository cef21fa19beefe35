//! Where references should lie.

use super::SOFT_BITS_MOST;
use super::page::{Page, information};

/// By which rule references lie around a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Where a value tells most of its bit (Wang and others, JSAC 2014).
    Information,
    /// As far from each other at all boundaries, around where fewest cells are misread; so far that a value tells most.
    Even,
    /// Where the densities of the two states next to them have ratios that rise in equal steps of their logarithm; in such
    /// steps that a value tells most.
    Ratio,
}

impl Placement {
    /// All rules, by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("information", Self::Information), ("even", Self::Even), ("ratio", Self::Ratio)];

    /// Returns the rule of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(each, _)| *each == name).map(|(_, rule)| *rule)
    }
}

/// Steps by which references are moved on the way to the most information, of the page's references.
const MOVES: [usize; 6] = [32, 16, 8, 4, 2, 1];
/// Logarithms of density ratios that outermost references are tried at.
const RATIOS: usize = 40;
const RATIO_STEP: f64 = 0.25;
/// References on either side that a density is taken between: sampled cells are too few for less.
const ASIDE: usize = 2;

/// Returns the references, by number, at each boundary of the page: `2^soft_bits - 1` at each.
///
/// # Panics
/// When there are no soft bits or too many.
pub fn place(page: &Page, soft_bits: u32, placement: Placement) -> Vec<Vec<usize>> {
    assert!((1..=SOFT_BITS_MOST).contains(&soft_bits), "{soft_bits} soft bits");
    let count = (1usize << soft_bits) - 1;
    let hard: Vec<usize> = page.boundaries().iter().map(|lower| fewest(page, *lower)).collect();
    // Of all references of a boundary, once for all ratios that are tried.
    let ratios = || page.boundaries().iter().map(|lower| log_ratios(page, *lower)).collect::<Vec<_>>();
    let even = || {
        let widest = page.spreads().references() / count.max(2);
        best(page, (1..=widest).map(|apart| evenly(page, &hard, count, apart)))
    };
    let ratio = || {
        let ratios = ratios();
        best(page, (1..=RATIOS).map(|most| by_ratio(&hard, &ratios, count, RATIO_STEP * most as f64)))
    };
    match placement {
        Placement::Even => even(),
        Placement::Ratio => ratio(),
        Placement::Information => climb(page, best(page, [even(), ratio()].into_iter())),
    }
}

/// Returns the range in which the references of a boundary may lie: those between the middles of its states,
/// fewer by one at either end.
fn between(page: &Page, lower: usize) -> (usize, usize) {
    let spreads = page.spreads();
    let high = spreads.middle(lower + 1).min(spreads.references() - 1);
    (spreads.middle(lower).min(high), high)
}

/// Returns the reference between two states that misreads fewest of their cells.
fn fewest(page: &Page, lower: usize) -> usize {
    let (low, high) = between(page, lower);
    let spreads = page.spreads();
    let wrong = |at: &usize| 1.0 - spreads.below(lower, *at) + spreads.below(lower + 1, *at);
    (low..=high).min_by(|a, b| wrong(a).total_cmp(&wrong(b))).unwrap_or(low)
}

/// Returns the choice that tells most; of equals the first.
fn best(page: &Page, choices: impl Iterator<Item = Vec<Vec<usize>>>) -> Vec<Vec<usize>> {
    let told = choices.map(|choice| (information(&page.shares(&choice)), choice));
    let more = |most: (f64, Vec<Vec<usize>>), next: (f64, Vec<Vec<usize>>)| {
        if next.0 > most.0 { next } else { most }
    };
    told.reduce(more).map(|(_, choice)| choice).expect("a choice")
}

fn evenly(page: &Page, hard: &[usize], count: usize, apart: usize) -> Vec<Vec<usize>> {
    let of_boundary = |(lower, hard): (&usize, &usize)| {
        let (low, high) = between(page, *lower);
        let at = |number: usize| {
            let away = number as i64 - (count / 2) as i64;
            (*hard as i64 + away * apart as i64).clamp(low as i64, high as i64) as usize
        };
        (0..count).map(at).collect()
    };
    page.boundaries().iter().zip(hard).map(of_boundary).collect()
}

/// From the lowest reference of a boundary to the highest, the lowest and the logarithm of the densities' ratio at each.
fn log_ratios(page: &Page, lower: usize) -> (usize, Vec<f64>) {
    let (low, high) = between(page, lower);
    (low, (low..=high).map(|at| log_ratio(page, lower, at)).collect())
}

fn by_ratio(hard: &[usize], ratios: &[(usize, Vec<f64>)], count: usize, most: f64) -> Vec<Vec<usize>> {
    let middle = count / 2;
    let of_boundary = |((low, ratios), hard): (&(usize, Vec<f64>), &usize)| {
        let (low, high) = (*low, low + ratios.len() - 1);
        let at = |number: usize| {
            if number == middle {
                return *hard;
            }
            // Lower references lie where the lower state's cells are more by so much, upper ones where they are fewer.
            let wanted = most * (middle as f64 - number as f64) / middle as f64;
            let falls = |at: &usize| ratios[at - low] <= wanted;
            if number < middle {
                (low..*hard).find(falls).unwrap_or(*hard)
            } else {
                (*hard..=high).find(falls).unwrap_or(high)
            }
        };
        (0..count).map(at).collect()
    };
    ratios.iter().zip(hard).map(of_boundary).collect()
}

/// Returns the logarithm of the lower state's density over the upper's.
fn log_ratio(page: &Page, lower: usize, at: usize) -> f64 {
    let spreads = page.spreads();
    let (from, to) = (at.saturating_sub(ASIDE), (at + ASIDE).min(spreads.references() - 1));
    let density = |state: usize| (spreads.below(state, to) - spreads.below(state, from)).max(1e-300);
    libm::log(density(lower)) - libm::log(density(lower + 1))
}

/// Moves one reference after the other while that tells more, in smaller and smaller steps.
fn climb(page: &Page, mut references: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let ranges: Vec<(usize, usize)> = page.boundaries().iter().map(|lower| between(page, *lower)).collect();
    let mut most = information(&page.shares(&references));
    for by in MOVES {
        let mut is_moved = true;
        while is_moved {
            is_moved = false;
            for boundary in 0..references.len() {
                for number in 0..references[boundary].len() {
                    let was = references[boundary][number];
                    let (mut low, mut high) = ranges[boundary];
                    low = number.checked_sub(1).map_or(low, |before| references[boundary][before]);
                    high = references[boundary].get(number + 1).copied().unwrap_or(high);
                    for to in [was.checked_sub(by), was.checked_add(by)].into_iter().flatten() {
                        if to < low || to > high {
                            continue;
                        }
                        references[boundary][number] = to;
                        let told = information(&page.shares(&references));
                        if told > most {
                            (most, is_moved) = (told, true);
                            break;
                        }
                        references[boundary][number] = was;
                    }
                }
            }
        }
    }
    references
}
