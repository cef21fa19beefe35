//! Where programming leaves cells.

use super::{CHIPS, complete, moments, physics, quiet};
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, CellPhysics, Condition, Wordline};
use proptest::prelude::*;

const CELLS: usize = 1 << 16;
/// Constant: greatest error in volts by one rounding of a threshold of a few volts to `f32`.
const ROUNDING: f64 = 2e-6;

fn fresh(physics: &CellPhysics, seed: u64, cells: usize, condition: &Condition) -> Wordline {
    Wordline::erased(physics, Stream::new(seed), cells, 0, condition)
}

fn random_states(physics: &CellPhysics, seed: u64, cells: usize) -> Vec<u8> {
    let draws = Stream::new(seed);
    (0..cells as u64).map(|cell| (draws.bits(cell) % physics.states.len() as u64) as u8).collect()
}

fn of_state(volts: &[f32], states: &[u8], state: u8) -> Vec<f64> {
    volts.iter().zip(states).filter(|(_, own)| **own == state).map(|(v, _)| f64::from(*v)).collect()
}

#[test]
fn without_noise_states_are_one_step_wide_above_their_verify_level() {
    let physics = quiet();
    let plan = &physics.plans[0];
    let mut cells = fresh(&physics, 3, CELLS, &Condition::default());
    let states = random_states(&physics, 4, CELLS);
    for pass in 0..2 {
        cells.program(&physics, plan, pass, &states, &Condition::default(), None);
    }
    for (index, verify) in plan.verify.iter().enumerate() {
        let volts = of_state(cells.volts(), &states, index as u8 + 1);
        let (low, high) = volts.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        assert!(low >= verify - ROUNDING && high <= verify + plan.step + ROUNDING, "{low} {high}");
        // Offsets spread over much less than many steps, yet evenly enough: mean and width of a uniform one.
        let (mean, width) = moments(volts.iter().copied());
        assert!((mean - verify - 0.5 * plan.step).abs() < 0.35 * plan.step, "{mean}");
        assert!(width < plan.step / 2.0 && width > plan.step / 12.0f64.sqrt() * 0.6, "{width}");
    }
}

#[test]
fn widely_spread_offsets_make_states_uniform() {
    let mut physics = quiet();
    physics.offset_sigma = 4.0 * physics.plans[0].step;
    physics.program.max_pulses = 60;
    let plan = physics.plans[0].clone();
    let mut cells = fresh(&physics, 3, CELLS, &Condition::default());
    let states = vec![3; CELLS];
    cells.program(&physics, &plan, 1, &states, &Condition::default(), None);
    let (mean, width) = moments(cells.volts().iter().map(|v| f64::from(*v)));
    let uniform = plan.step / 12f64.sqrt();
    // Four standard errors of a uniform distribution's mean and deviation.
    assert!((mean - plan.verify[2] - 0.5 * plan.step).abs() < 4.0 * uniform / 256.0, "{mean}");
    assert!((width / uniform - 1.0).abs() < 4.0 * 0.45 / 256.0, "{width} {uniform}");
}

#[test]
fn injection_noise_adds_to_the_width_within_a_step() {
    let (mut physics, states) = (quiet(), vec![3; CELLS]);
    physics.wear.cell_spread = 0.0;
    let worn = Condition::worn(3000.0);
    let width = |physics: &CellPhysics| {
        let mut cells = fresh(physics, 3, CELLS, &worn);
        cells.program(physics, &physics.plans[0], 1, &states, &worn, None);
        moments(cells.volts().iter().map(|v| f64::from(*v))).1
    };
    let narrow = width(&physics);
    let added = physics.wear.broadening(3000.0);
    physics.offset_sigma = 2.0 * physics.plans[0].step;
    let wide = width(&physics);
    let expected = (physics.plans[0].step / 12f64.sqrt()).hypot(added);
    assert!(
        (wide / expected - 1.0).abs() < 0.02,
        "{wide} {expected}: verify step and broadening add in squares"
    );
    assert!(narrow > added, "{narrow} {added}");
}

#[test]
fn a_pass_reports_the_pulses_of_the_slowest_cell_of_each_target() {
    let physics = quiet();
    let plan = &physics.plans[0];
    let worn = Condition::worn(500.0);
    let cells = fresh(&physics, 8, 500, &worn);
    let states = random_states(&physics, 9, 500);
    let mut slowest = [0; 4];
    for (cell, state) in states.iter().enumerate() {
        let steps = cells.staircase(&physics, plan, cell, usize::from(*state), &worn).len() - 1;
        slowest[usize::from(*state)] = slowest[usize::from(*state)].max(steps as u32);
    }
    let mut programmed = cells.clone();
    assert_eq!(programmed.program(&physics, plan, 1, &states, &worn, None), slowest[1..]);
    // In the first pass, two states share a target and are verified together.
    assert_eq!(cells.clone().program(&physics, plan, 0, &states, &worn, None).len(), 1);
}

#[test]
fn a_staircase_ends_where_programming_leaves_the_cell() {
    let mut physics = quiet();
    physics.wear.broadening_v = 0.0;
    let plan = &physics.plans[0];
    let worn = Condition::worn(2000.0);
    let cells = fresh(&physics, 8, 300, &worn);
    let states = random_states(&physics, 9, 300);
    let mut programmed = cells.clone();
    programmed.program(&physics, plan, 1, &states, &worn, None);
    for (cell, state) in states.iter().enumerate() {
        let stairs = cells.staircase(&physics, plan, cell, usize::from(*state), &worn);
        let end = stairs.last().expect("it began somewhere");
        assert!((end - f64::from(programmed.volts()[cell])).abs() < 1e-5, "{cell}: {stairs:?}");
        assert!(stairs.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn wear_speeds_programs_up_and_widens_states() {
    for ((cell, text), rated) in CHIPS.into_iter().zip([100_000.0, 5_000.0, 3_000.0, 1_000.0]) {
        let physics = physics(text, cell);
        let states = random_states(&physics, 1, CELLS);
        let after = |cycles: f64| {
            let condition = Condition::worn(cycles);
            let mut block = CellBlock::new(&physics, Stream::new(5), 1, CELLS, condition);
            let done = block.program_all(&physics, &physics.plans[0], 0, &states);
            assert!(done.iter().all(|pass| pass.ok), "{cell:?}");
            let pulses: u32 = done.iter().flat_map(|pass| &pass.pulses).sum();
            let top = (physics.states.len() - 1) as u8;
            let width = moments(of_state(&block.volts(&physics, 0, 0.0, 0), &states, top).into_iter()).1;
            (pulses, width)
        };
        let ((fresh, narrow), (worn, wide)) = (after(0.0), after(2.0 * rated));
        assert!(worn < fresh && wide > narrow, "{cell:?}: {fresh} {worn} pulses, {narrow} {wide} V");
    }
}

#[test]
fn cells_past_the_budget_stay_behind_and_the_pass_says_so() {
    let mut physics = quiet();
    let plan = physics.plans[0].clone();
    physics.program.max_pulses = 15;
    let mut block = CellBlock::new(&physics, Stream::new(2), 1, 4096, Condition::default());
    let done = block.program(&physics, &plan, 0, 1, &[3; 4096]);
    assert!(!done.ok && done.pulses == [15]);
    let volts = block.volts(&physics, 0, 0.0, 0);
    let below = volts.iter().filter(|v| f64::from(**v) < plan.verify[2] - ROUNDING).count();
    // 14 steps reach 2.9 V: a mean cell is 0.1 V short, so nine in ten are (offsets of 80 mV).
    assert!((f64::from(below as u32) / 4096.0 - 0.894).abs() < 0.02, "{below}");
}

#[test]
fn neighbours_that_are_programmed_later_lift_a_cell_by_their_share() {
    let physics = complete();
    let plan = &physics.plans[0];
    let mut below = fresh(&physics, 1, 5, &Condition::default());
    let before = below.volts().to_vec();
    below.couple_next(&physics, &[0.0; 5], &[0.0, 0.0, 5.0, 0.0, 0.0], &mut [0.0; 7]);
    let lifted: Vec<f64> = below.volts().iter().zip(&before).map(|(a, b)| f64::from(a - b)).collect();
    for (lift, expected) in lifted.iter().zip([0.0, 0.005, 0.1, 0.005, 0.0]) {
        assert!((lift - expected).abs() < 1e-6, "{lifted:?}");
    }
    // On one wordline, cells left alone rise by a share of their two neighbours' rise.
    let mut cells = fresh(&physics, 1, 3, &Condition::default());
    let before = cells.volts().to_vec();
    cells.program(&physics, plan, 1, &[3, 0, 3], &Condition::default(), None);
    let rises: Vec<f32> = cells.volts().iter().zip(&before).map(|(after, before)| after - before).collect();
    assert!((rises[1] - 0.01 * (rises[0] + rises[2])).abs() < 1e-6, "{rises:?}");
}

#[test]
fn a_block_couples_each_wordline_to_the_one_programmed_before() {
    let physics = complete();
    let plan = &physics.plans[0];
    let mut block = CellBlock::new(&physics, Stream::new(6), 3, 4096, Condition::default());
    block.program_all(&physics, plan, 0, &[1; 4096]);
    let alone = moments(block.volts(&physics, 0, 0.0, 0).iter().map(|v| f64::from(*v))).0;
    block.program_all(&physics, plan, 1, &[3; 4096]);
    let beside = moments(block.volts(&physics, 0, 0.0, 0).iter().map(|v| f64::from(*v))).0;
    // 3.1 V on the mean from -2.5 V, of which the one above gives 2 % and the two beside it 0.1 % each; two passes
    // disturb by 50 uV at most each.
    let lift = beside - alone;
    assert!((lift - 0.022 * (3.1 + 2.5)).abs() < 0.006, "{lift}");
    let mut other = CellBlock::new(&physics, Stream::new(6), 3, 4096, Condition::default());
    other.program_all(&physics, plan, 1, &[3; 4096]);
    assert_eq!(other.states(0), [0; 4096], "an unwritten wordline is erased");
}

#[test]
fn a_cell_s_values_are_its_own_whatever_is_around_it() {
    let physics = quiet();
    let plan = &physics.plans[0];
    let worn = Condition::worn(700.0);
    let states = random_states(&physics, 2, 4000);
    let programmed = |cells: usize| {
        let mut wordline = fresh(&physics, 12, cells, &worn);
        for pass in 0..2 {
            wordline.program(&physics, plan, pass, &states[..cells], &worn, None);
        }
        wordline.aged(&physics, &worn, 1e6, 1000)
    };
    let (few, many) = (programmed(1001), programmed(4000));
    assert_eq!(few, many[..1001]);
}

/// Returns a hash (FNV-1a) of the bits of the threshold voltages, to compare them exactly.
fn digest(volts: &[f32]) -> u64 {
    volts
        .iter()
        .flat_map(|v| v.to_bits().to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn thresholds_are_the_same_to_the_last_bit_on_every_machine() {
    let physics = complete();
    let mut block = CellBlock::new(&physics, Stream::new(42), 2, 8192, Condition::worn(1500.0));
    for line in 0..2 {
        block.program_all(&physics, &physics.plans[0], line, &random_states(&physics, line as u64, 8192));
    }
    let digests: Vec<u64> = (0..2).map(|line| digest(&block.volts(&physics, line, 3e6, 10_000))).collect();
    assert_eq!(digests, DIGESTS, "{digests:#x?}");
}

/// Constant: expected hashes of the thresholds of two wordlines; they may change only together with the cell model.
const DIGESTS: [u64; 2] = [0x10bf_a3c0_edcc_97e0, 0x43ba_6b3c_5951_2c63];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn programming_never_lowers_a_threshold(
        seed in any::<u64>(), cycles in 0.0f64..2e4, kind in 0usize..4, length in 1usize..300,
    ) {
        let (cell, text) = CHIPS[kind];
        let mut physics = physics(text, cell);
        physics.program.max_pulses = physics.program.max_pulses.min(30);
        let worn = Condition::worn(cycles);
        let mut wordline = fresh(&physics, seed, length, &worn);
        let states = random_states(&physics, seed ^ 1, length);
        for pass in 0..physics.program.passes.len() {
            let before = wordline.volts().to_vec();
            wordline.program(&physics, &physics.plans[0], pass, &states, &worn, None);
            for (after, before) in wordline.volts().iter().zip(&before) {
                prop_assert!(after >= before);
            }
        }
    }
}
