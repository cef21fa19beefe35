//! Do cells wear by the charge that passes their oxide, and do they move to where they are neutral?

use super::{CHIPS, moments, physics, quiet};
use nand::cells::normal::Stream;
use nand::cells::{CellPhysics, Condition, Leak, Wordline};

const CELLS: usize = 1 << 16;
const DAY_S: f64 = 86_400.0;

/// Returns the stress, in program/erase cycles, of a cycle that programs all cells to one state, without the erase
/// voltage's share.
fn of_state(physics: &CellPhysics, state: usize) -> f64 {
    let mut shares = vec![0.0; physics.states.len()];
    shares[state] = 1.0;
    physics.program_stress(&physics.plans[0], physics.program.passes.len() - 1, &shares)
}

#[test]
fn random_data_wear_as_one_cycle_and_higher_states_more() {
    for (cell, text) in CHIPS {
        let physics = physics(text, cell);
        let (states, last) = (physics.states.len(), physics.program.passes.len() - 1);
        let random = vec![1.0 / states as f64; states];
        let rest = 1.0 - physics.wear.erase_share;
        for plan in &physics.plans {
            let wear = physics.program_stress(plan, last, &random);
            assert!((wear - rest * physics.swing(plan)).abs() < 1e-12, "{cell:?}, {}: {wear}", plan.name);
        }
        let of: Vec<f64> = (0..states).map(|state| of_state(&physics, state)).collect();
        assert!(of[0].abs() < 1e-12 && of.windows(2).all(|pair| pair[0] < pair[1]), "{cell:?}: {of:?}");
        let mean = of.iter().sum::<f64>() / states as f64;
        assert!((mean - rest).abs() < 1e-12, "{cell:?}: random data are a mix of all states");
    }
}

#[test]
fn without_charge_a_wordline_wears_alike_as_soon_as_a_cell_is_lifted() {
    let (cell, text) = CHIPS[1];
    let physics = physics(&text.replacen("erase_share", "charge = 0.0\nerase_share", 1), cell);
    let (plan, share) = (&physics.plans[0], 1.0 - physics.wear.erase_share);
    for shares in [[0.25; 4], [0.9, 0.1, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]] {
        assert!((physics.program_stress(plan, 1, &shares) - share).abs() < 1e-12, "{shares:?}");
    }
    assert!(physics.program_stress(plan, 1, &[1.0, 0.0, 0.0, 0.0]).abs() < 1e-12);
}

/// Returns, for cells programmed to `state`, the mean threshold before retention, mean and standard deviation of its
/// change after `seconds` (all in volts), and the parameters of the charge loss.
fn moved(physics: &CellPhysics, state: u8, seconds: f64) -> (f64, f64, f64, Leak) {
    let worn = Condition::worn(2000.0);
    let mut cells = Wordline::erased(physics, Stream::new(3), CELLS, 0, &worn);
    for pass in 0..2 {
        cells.program(physics, &physics.plans[0], pass, &vec![state; CELLS], &worn, None);
    }
    let aged = cells.aged(physics, &worn, seconds, 0);
    let ways: Vec<f64> = aged.iter().zip(cells.volts()).map(|(then, now)| f64::from(then - now)).collect();
    let before = moments(cells.volts().iter().map(|v| f64::from(*v))).0;
    let (mean, width) = moments(ways.into_iter());
    (before, mean, width, physics.retention.leak(2000.0, seconds, 0.0))
}

#[test]
fn cells_move_to_a_neutral_threshold_that_rises_and_widen_alike() {
    let text = super::COMPLETE
        .replacen("ks = 0.38", "ks = 0.38\nneutral = \"500mV\"\nneutral_rise = \"80mV\"\nke = 1e-5", 1)
        .lines()
        .filter(|line| !line.starts_with("km"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut physics = physics(&text, nand::Cell::Mlc);
    let still = quiet();
    (physics.injection_sigma, physics.coupling_wordline) = (0.0, 0.0);
    (physics.coupling_bitline, physics.coupling_diagonal) = (0.0, 0.0);
    assert!(still.retention.leak(2000.0, DAY_S, 0.0).neutral_v.is_none(), "the usual cells only lose");
    for seconds in [DAY_S, 365.0 * DAY_S] {
        for state in 0..4 {
            let (before, mean, width, leak) = moved(&physics, state, seconds);
            let neutral = leak.neutral_v.expect("the file says so");
            // ln(1 + t/t0) lifts it by 80 mV each.
            assert!((neutral - 0.5 - 0.08 * (1.0 + seconds / 3600.0).ln()).abs() < 1e-9, "{neutral}");
            let expected = -leak.mean * (before - neutral);
            assert!((mean - expected).abs() < 0.002, "state {state}: {mean} V, {expected} V");
            let wide =
                (leak.variance_even + (leak.mean * 0.3).powi(2) * f64::from(u8::from(state == 0))).sqrt();
            assert!((width / wide - 1.0).abs() < 0.1, "state {state}: {width} V, {wide} V");
        }
        let (low, high) = (moved(&physics, 0, seconds).1, moved(&physics, 3, seconds).1);
        assert!(low > 0.0 && high < 0.0, "the lowest gain, the highest lose: {low} {high}");
    }
}

#[test]
fn wear_lifts_and_widens_the_erased_state_beyond_its_verify() {
    let mut physics = quiet();
    (physics.wear.erased, physics.wear.broadening_v) = (1.0, 0.2);
    let looked = |cycles: f64| {
        let cells = Wordline::erased(&physics, Stream::new(3), CELLS, 0, &Condition::worn(cycles));
        moments(cells.volts().iter().map(|v| f64::from(*v)))
    };
    let (fresh, worn) = (looked(0.0), looked(6000.0));
    let lifted = physics.wear.trapped_v(6000.0);
    assert!((worn.0 - fresh.0 - lifted).abs() < 0.01, "{} V, {lifted} V", worn.0 - fresh.0);
    let expected = physics.erased_sigma.hypot(physics.wear.broadening(6000.0)) / physics.erased_sigma;
    assert!((worn.1 / fresh.1 / expected - 1.0).abs() < 0.01, "{} {expected}", worn.1 / fresh.1);
}
