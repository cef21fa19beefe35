//! What time, heat, reads and erasing without programming do to cells.

use super::{complete, moments, quiet};
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, CellPhysics, Condition, Wordline, arrhenius};

const CELLS: usize = 1 << 16;
const DAY_S: f64 = 86_400.0;

fn written(physics: &CellPhysics, state: u8, condition: &Condition) -> Wordline {
    let mut cells = Wordline::erased(physics, Stream::new(3), CELLS, 0, condition);
    for pass in 0..2 {
        cells.program(physics, &physics.plans[0], pass, &vec![state; CELLS], condition, None);
    }
    cells
}

fn losses(cells: &Wordline, physics: &CellPhysics, condition: &Condition, seconds: f64) -> (f64, f64) {
    let aged = cells.aged(physics, condition, seconds, 0);
    moments(
        cells
            .volts()
            .iter()
            .zip(aged)
            .map(|(now, then)| f64::from(now - then))
            .collect::<Vec<_>>()
            .into_iter(),
    )
}

#[test]
fn charge_is_lost_with_the_logarithm_of_time() {
    let physics = quiet();
    let worn = Condition::worn(2000.0);
    let cells = written(&physics, 3, &worn);
    let height = moments(cells.volts().iter().map(|v| f64::from(*v))).0 - physics.erased;
    for seconds in [3600.0, DAY_S, 30.0 * DAY_S, 365.0 * DAY_S] {
        let (mean, deviation) = losses(&cells, &physics, &worn, seconds);
        // Ks (x - x0) Kd N^0.4 ln(1 + t/t0) and its companion with Km and N^0.5.
        let log = (1.0 + seconds / 3600.0f64).ln();
        let expected = 0.38 * height * 4e-4 * 2000f64.powf(0.4) * log;
        let wide = (0.38 * height * 4e-6 * 2000f64.powf(0.5) * log).sqrt();
        assert!((mean / expected - 1.0).abs() < 0.02, "{seconds} s: {mean} V, {expected} V");
        assert!((deviation / wide - 1.0).abs() < 0.03, "{seconds} s: {deviation} V, {wide} V");
        assert_eq!(physics.retention.loss(height, 2000.0, seconds).0.to_bits(), {
            let (per_volt, _) = physics.retention.per_volt(2000.0, seconds, 0.0);
            (per_volt * height).to_bits()
        });
    }
}

#[test]
fn higher_states_and_worn_cells_lose_more_and_rest_between_cycles_heals() {
    let physics = quiet();
    let loss = |state: u8, condition: &Condition| {
        losses(&written(&physics, state, condition), &physics, condition, 30.0 * DAY_S).0
    };
    let worn = Condition::worn(3000.0);
    assert!(
        loss(0, &worn) < loss(1, &worn) && loss(1, &worn) < loss(2, &worn) && loss(2, &worn) < loss(3, &worn)
    );
    assert!(loss(3, &Condition::worn(300.0)) < loss(3, &worn));
    let rested = Condition { dwell_s: DAY_S, ..worn };
    // A day between cycles adds 864 s to the hour of t0.
    let expected =
        (1.0 + 30.0 * DAY_S / (3600.0 + 0.01 * DAY_S)).ln() / (1.0 + 30.0 * DAY_S / 3600.0f64).ln();
    assert!((loss(3, &rested) / loss(3, &worn) / expected - 1.0).abs() < 0.01);
}

#[test]
fn heat_makes_time_run_faster_by_arrhenius() {
    let physics = quiet();
    let worn = Condition::worn(2000.0);
    let cells = written(&physics, 3, &worn);
    let factor = arrhenius(physics.retention.activation_ev, 85.0, physics.retention.reference_celsius);
    let year = losses(&cells, &physics, &worn, 365.25 * DAY_S);
    let baked = losses(&cells, &physics, &worn, 365.25 * DAY_S / 1303.0 * factor);
    assert!((year.0 / baked.0 - 1.0).abs() < 1e-3, "1.1 eV from 25 to 85 C is a factor of 1303");
}

#[test]
fn reads_lift_low_cells_most() {
    let physics = complete();
    let fresh = Condition::default();
    let lift = |state: u8, reads: u64| {
        let cells = written(&physics, state, &fresh);
        let read = cells.aged(&physics, &fresh, 0.0, reads);
        let rises: Vec<f64> = read.iter().zip(cells.volts()).map(|(a, b)| f64::from(a - b)).collect();
        moments(rises.into_iter()).0
    };
    // 1 uV a read at the mean erased threshold.
    assert!((lift(0, 100_000) / 0.1 - 1.0).abs() < 0.02, "{}", lift(0, 100_000));
    assert!((lift(0, 200_000) / lift(0, 100_000) - 2.0).abs() < 0.01);
    assert!(lift(0, 100_000) > lift(1, 100_000) && lift(1, 100_000) > lift(2, 100_000));
    assert!(lift(3, 100_000).abs() < 1e-6, "the highest state is above the pass voltage's reach");
}

#[test]
fn programs_of_other_pages_disturb_and_more_do_so_more() {
    let mut physics = quiet();
    physics.program_disturb = 1e-3;
    let mut block = CellBlock::new(&physics, Stream::new(6), 11, 4096, Condition::default());
    let mean = |block: &CellBlock| moments(block.volts(&physics, 0, 0.0, 0).iter().map(|v| f64::from(*v))).0;
    let before = mean(&block);
    for line in 1..11 {
        block.program_all(&physics, &physics.plans[0], line, &vec![0; 4096]);
    }
    let lift = mean(&block) - before;
    assert!((lift - 20.0 * 1e-3).abs() < 5e-4, "twenty passes of 1 mV each: {lift}");
}

#[test]
fn over_erasing_widens_states_without_costing_pulses() {
    let physics = complete();
    let plain = Condition::worn(3000.0);
    let over = Condition { error_cycles: 3000.0 * (1.0 + physics.wear.over_erase), ..plain };
    let programmed = |condition: &Condition| {
        let mut cells = Wordline::erased(&physics, Stream::new(3), CELLS, 0, condition);
        cells.program(&physics, &physics.plans[0], 1, &vec![3; CELLS], condition, None)
    };
    assert_eq!(programmed(&plain), programmed(&over), "pulses follow trapped charge");
    let width = |condition: &Condition| {
        moments(written(&physics, 3, condition).volts().iter().map(|v| f64::from(*v))).1
    };
    assert!(width(&over) > 1.05 * width(&plain));
}
