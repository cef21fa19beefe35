//! Error rates: of measured distributions, of sampled cells, of blocks by state and page.

use super::{CHIPS, complete, physics};
use nand::cells::distribution::{Spread, best_references, bit_error_rate};
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, Condition, Confusion, Histogram, Wordline, coding};

const TABLE: &str = include_str!("cai2017-tlc.csv");

struct Row {
    name: String,
    states: Vec<Spread>,
    best: f64,
    frozen: Option<f64>,
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |index: usize| fields[index].parse::<f64>().expect("a number");
            Row {
                name: format!("{} cycles, {}", fields[0], fields[1]),
                states: (0..8).map(|s| Spread { mean: number(2 + s), deviation: number(10 + s) }).collect(),
                best: number(18),
                frozen: fields[19].parse().ok(),
            }
        })
        .collect()
}

fn row(name: &str) -> Row {
    rows().into_iter().find(|row| row.name == name).expect("the row is there")
}

#[test]
fn measured_distributions_have_the_published_error_rates() {
    let frozen = best_references(&row("2000 cycles, 1 d").states);
    for (ours, published) in frozen.iter().zip([35.5, 97.3, 160.4, 223.6, 286.9, 350.6, 416.8]) {
        assert!((ours - published).abs() < 0.1, "{ours} {published}");
    }
    for row in rows() {
        let best = bit_error_rate(&row.states, &best_references(&row.states));
        assert!((best / row.best - 1.0).abs() < 0.1, "{}: {best:.3e}, published {:.3e}", row.name, row.best);
        let Some(published) = row.frozen else { continue };
        let ours = bit_error_rate(&row.states, &frozen);
        assert!((ours / published - 1.0).abs() < 0.1, "{}: {ours:.3e}, published {published:.3e}", row.name);
    }
}

#[test]
fn sampled_cells_have_the_error_rate_of_their_distributions() {
    const CELLS: u64 = 1 << 20;
    let states = row("2000 cycles, 1 y").states;
    let references = best_references(&states);
    let names = coding::one_shot_states(nand::Cell::Tlc);
    let draws = Stream::new(17);
    let mut seen = Confusion::new(8);
    let mut histogram = Histogram::new(8, -300.0, 520.0, 820);
    let meant: Vec<u8> = (0..CELLS).map(|cell| (cell % 8) as u8).collect();
    let volts: Vec<f32> = meant
        .iter()
        .zip(0..)
        .map(|(state, cell)| {
            let own = states[usize::from(*state)];
            (own.mean + own.deviation * draws.normal(cell)) as f32
        })
        .collect();
    seen.add(&meant, &Wordline::sense(&volts, &references));
    histogram.add(&meant, &volts);
    let (sampled, expected) =
        (seen.raw_bit_error_rate(names).expect("cells were read"), bit_error_rate(&states, &references));
    let wrong = expected * 3.0 * CELLS as f64;
    // Four standard errors of a count.
    assert!((sampled / expected - 1.0).abs() < 4.0 / wrong.sqrt(), "{sampled:.4e} {expected:.4e}");
    // Counting gives the same references as the densities, as near as its noise allows: within half a deviation.
    for (counted, computed) in histogram.best_references().iter().zip(&references) {
        assert!((counted - computed).abs() < 6.0, "{counted} {computed}");
    }
}

#[test]
fn an_error_in_a_neighbouring_state_is_one_bit_of_one_page() {
    let physics = complete();
    let mut seen = Confusion::new(4);
    seen.add(&[1, 1, 1, 1], &[1, 1, 2, 0]);
    let bits: Vec<u64> = (0..2).map(|page| seen.wrong_bits(&physics.states, page)).collect();
    assert_eq!(bits, [1, 1]);
}

/// Makes a block of simulated cells of the chip number `kind` in `CHIPS`, worn by `cycles` cycles and programmed with
/// random data, and returns it after the chip's cell parameters.
fn worn_block(kind: usize, cycles: f64) -> (nand::cells::CellPhysics, CellBlock) {
    let (cell, text) = CHIPS[kind];
    let physics = physics(text, cell);
    let mut block = CellBlock::new(&physics, Stream::new(9), 4, 1 << 16, Condition::worn(cycles));
    let draws = Stream::new(10);
    for line in 0..4u64 {
        let states: Vec<u8> = (0..1u64 << 16)
            .map(|cell| (draws.of(line).bits(cell) % physics.states.len() as u64) as u8)
            .collect();
        block.program_all(&physics, &physics.plans[0], line as usize, &states);
    }
    (physics, block)
}

#[test]
fn error_rates_rise_with_bits_per_cell_wear_and_age() {
    const YEAR_S: f64 = 365.25 * 86_400.0;
    let rated = [100_000.0, 5_000.0, 3_000.0, 1_000.0];
    let rate = |kind: usize, share: f64, seconds: f64| {
        let (physics, block) = worn_block(kind, share * rated[kind]);
        let errors = block.errors(&physics, &physics.plans[0].references, seconds, 0);
        errors.raw_bit_error_rate(&physics.states).expect("cells were read")
    };
    for (kind, (cell, _)) in CHIPS.iter().enumerate().skip(1) {
        let (fresh, worn, aged) = (rate(kind, 0.0, 0.0), rate(kind, 1.0, 0.0), rate(kind, 1.0, YEAR_S));
        assert!(fresh <= worn && worn < aged && aged < 5e-2, "{cell:?}: {fresh} {worn} {aged}");
    }
    assert!(rate(0, 1.0, YEAR_S) < 1e-4, "SLC");
}

#[test]
fn the_best_references_misread_fewer_than_fixed_ones_after_a_year() {
    let (physics, block) = worn_block(2, 3_000.0);
    let seconds = 365.25 * 86_400.0;
    let mut histogram = Histogram::new(physics.states.len(), -4.0, 7.0, 1100);
    for line in 0..block.wordlines() {
        histogram.add(block.states(line), &block.volts(&physics, line, seconds, 0));
    }
    let rate = |references: &[f64]| {
        block.errors(&physics, references, seconds, 0).raw_bit_error_rate(&physics.states).expect("cells")
    };
    let plan = &physics.plans[0];
    let (fixed, best) = (rate(&plan.references), rate(&histogram.best_references()));
    assert!(best < fixed, "{best} {fixed}");
    // A retry that moves all references down, as charge was lost, comes nearer.
    let retried = [-0.05, -0.1, -0.15].map(|volts| rate(&plan.shifted(volts)));
    assert!(retried.iter().any(|rate| *rate < fixed && *rate >= best), "{retried:?} {fixed} {best}");
}
