//! The poster's part: do its voltages and times alone make what the poster measured?

use super::{CHIPS, physics};
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, CellPhysics, Condition, VoltagePlan};

const CELLS: usize = (4096 + 224) * 8;
const LINES: usize = 64;

fn poster() -> CellPhysics {
    let (cell, text) = CHIPS[1];
    physics(text, cell)
}

/// Returns the mean busy times, in ns, of programming the first and the second page of wordlines whose cells are all
/// programmed to `state`, or to random states if `None`.
fn times(physics: &CellPhysics, plan: &VoltagePlan, state: Option<u8>, cycles: f64) -> [f64; 2] {
    let mut block = CellBlock::new(physics, Stream::new(20), LINES, CELLS, Condition::worn(cycles));
    let draws = Stream::new(21);
    let mut sums = [0.0; 2];
    for line in 0..LINES {
        let own = draws.of(line as u64);
        let states: Vec<u8> = match state {
            Some(state) => vec![state; CELLS],
            None => (0..CELLS as u64).map(|cell| (own.bits(cell) % 4) as u8).collect(),
        };
        for (sum, done) in sums.iter_mut().zip(block.program_all(physics, plan, line, &states)) {
            assert!(done.ok);
            *sum += done.busy.ns() as f64 / LINES as f64;
        }
    }
    sums
}

#[test]
fn lower_states_are_programmed_faster_as_figures_4_and_5_have_it() {
    let physics = poster();
    let plan = &physics.plans[0];
    let by_state: Vec<[f64; 2]> = (0..4).map(|state| times(&physics, plan, Some(state), 0.0)).collect();
    let whole: Vec<f64> = by_state.iter().map(|[first, second]| first + second).collect();
    for (state, published) in [(1, 1.155), (2, 1.23), (3, 1.31)] {
        let ratio = whole[state] / whole[0];
        assert!(
            (ratio - published).abs() < 0.01,
            "{}: {ratio:.4}, published {published}",
            physics.states[state]
        );
    }
    let first: Vec<f64> = by_state.iter().map(|pages| pages[0]).collect();
    assert!(
        (first[1] / first[0] - 1.0).abs() < 0.05 && (first[3] / first[2] - 1.0).abs() < 0.05,
        "{first:?}"
    );
    assert!(first[2] > first[1], "{first:?}");
    assert!(by_state.iter().all(|[first, second]| *second > 2.0 * first), "{by_state:?}");
}

#[test]
fn programs_take_less_time_on_worn_cells() {
    let physics = poster();
    for state in 1..4 {
        let sum = |cycles| times(&physics, &physics.plans[0], Some(state), cycles).iter().sum::<f64>();
        assert!(sum(10_000.0) < sum(0.0));
    }
}

#[test]
fn voltages_without_retention_program_half_as_fast_again() {
    let physics = poster();
    let plan = |name: &str| physics.plans.iter().find(|plan| plan.name == name).expect("the part has it");
    let time = |name: &str| times(&physics, plan(name), None, 0.0).iter().sum::<f64>();
    let gain = time("normal") / time("retention_free") - 1.0;
    assert!((0.45..=0.55).contains(&gain), "{gain}");
    // Less swing is less stress: what a cycle's program adds to wear.
    let saved = 1.0 - physics.swing(plan("retention_free"));
    assert!(saved > 0.0 && saved < 1.0, "{saved}");
}

#[test]
fn errors_rise_with_the_programmed_voltage() {
    let physics = poster();
    let condition = Condition::worn(10_000.0);
    let mut block = CellBlock::new(&physics, Stream::new(20), LINES, CELLS, condition);
    let draws = Stream::new(22);
    for line in 0..LINES {
        let own = draws.of(line as u64);
        let states: Vec<u8> = (0..CELLS as u64).map(|cell| (own.bits(cell) % 4) as u8).collect();
        block.program_all(&physics, &physics.plans[0], line, &states);
    }
    let errors = block.errors(&physics, &physics.plans[0].references, 0.0, 0);
    let rates: Vec<f64> =
        (0..4).map(|state| errors.cell_error_rate(state).expect("cells were read")).collect();
    assert!(rates.windows(2).all(|pair| pair[0] < pair[1]), "{rates:?}");
}
