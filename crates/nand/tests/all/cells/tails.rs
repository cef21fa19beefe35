//! Tails, uneven charge loss, weak cells: do cells do what their closed forms say, and do errors only ever grow?

use super::{CHIPS, COMPLETE, physics, quiet};
use nand::Cell;
use nand::cells::normal::Stream;
use nand::cells::{CellPhysics, Condition, Elapsed, Wordline};
use nand::tables::{Rates, Rest, Sample, error_rates};

const CELLS: usize = 1 << 18;
const DAY_S: f64 = 86_400.0;
const YEAR_S: f64 = 365.25 * DAY_S;

/// Returns the cell parameters of the test part `COMPLETE` with replaced texts (pairs of old and new) in its file,
/// without injection noise and coupling along the wordline.
fn with(keys: &[(&str, &str)]) -> CellPhysics {
    let mut text = COMPLETE.to_owned();
    for (from, to) in keys {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let mut found = physics(&text, Cell::Mlc);
    let quiet = quiet();
    found.injection_sigma = quiet.injection_sigma;
    found.coupling_bitline = quiet.coupling_bitline;
    found
}

fn written(physics: &CellPhysics, state: u8, condition: &Condition) -> Wordline {
    let mut cells = Wordline::erased(physics, Stream::new(3), CELLS, 0, condition);
    for pass in 0..2 {
        cells.program(physics, &physics.plans[0], pass, &vec![state; CELLS], condition, None);
    }
    cells
}

/// Returns two fractions (0 to 1) of the cells: whose threshold rose, and whose threshold fell, by more than `volts`.
fn moved(from: &[f32], to: &[f32], volts: f32) -> (f64, f64) {
    let share = |far: &dyn Fn(f32) -> bool| {
        from.iter().zip(to).filter(|(from, to)| far(**to - **from)).count() as f64 / CELLS as f64
    };
    (share(&|by| by > volts), share(&|by| by < -volts))
}

#[test]
fn programs_leave_cells_in_laplace_tails_that_wear_and_bad_layers_lengthen() {
    let tails = [
        ("program = \"0uV\"\nwear = \"0uV\"", "program = \"30mV\"\nwear = \"10mV\""),
        ("layer_spread = 0.0", "layer_spread = 0.1"),
    ];
    let (plain, noisy) = (with(&[]), with(&tails));
    for (condition, scale) in [
        (Condition::default(), 0.03),
        (Condition { error_cycles: 3000.0, trapping: 1.0, ..Condition::default() }, 0.04),
        (Condition { layer: 2.0, ..Condition::default() }, 0.03 * 0.2f64.exp()),
    ] {
        let (before, after) = (written(&plain, 3, &condition), written(&noisy, 3, &condition));
        for volts in [0.03f32, 0.1, 0.2] {
            let expected = 0.5 * (-f64::from(volts) / scale).exp();
            let (up, down) = moved(before.volts(), after.volts(), volts);
            let bound = 5.0 * (expected / CELLS as f64).sqrt();
            assert!(
                (up - expected).abs() < bound && (down - expected).abs() < bound,
                "{scale} {volts}: {up}, {down}"
            );
        }
    }
}

#[test]
fn uneven_loss_takes_much_from_few_and_has_a_clock_of_its_own() {
    let physics = with(&[
        ("loss = 0.0\ntail = 0.0", "loss = 1e-3\ntail = 2e-3"),
        ("kd = 4e-4\nkm = 4e-6", "kd = 0.0\nkm = 0.0"),
    ]);
    let fresh = Condition::default();
    let cells = written(&physics, 3, &fresh);
    let height = f64::from(cells.volts()[0]) - physics.erased;
    let log = (1.0 + YEAR_S / 7200.0f64).ln();
    let aged = cells.aged(&physics, &fresh, YEAR_S, 0);
    assert!(aged.iter().zip(cells.volts()).all(|(after, before)| after < before), "charge is only ever lost");
    for volts in [0.2f32, 0.4] {
        let expected = (-(f64::from(volts) / (height * log) - 1e-3) / 2e-3).exp();
        let (_, lost) = moved(cells.volts(), &aged, volts);
        assert!((lost / expected - 1.0).abs() < 0.15, "{volts} V: {lost}, {expected}");
    }
    // Heat makes it go faster by its own activation energy, and that is less than the other's.
    let heat = Elapsed::at(DAY_S, 80.0, &physics.retention, &physics.uneven);
    assert!(heat.uneven_s > 10.0 * DAY_S && heat.uneven_s < 0.2 * heat.late_s);
}

#[test]
fn reads_lift_few_cells_far_in_proportion_to_their_number() {
    let physics = with(&[("read = \"1uV\"", "read = \"0uV\""), ("weak = \"0uV\"", "weak = \"10uV\"")]);
    let fresh = Condition::default();
    let cells = Wordline::erased(&physics, Stream::new(3), CELLS, 0, &fresh);
    let lifted = |reads: u64| moved(cells.volts(), &cells.aged(&physics, &fresh, 0.0, reads), 0.3).0;
    // 10 uV for each thousand reads, over 0.3 V.
    for reads in [100_000, 200_000, 800_000] {
        let expected = 1e-8 * reads as f64 / 0.3;
        assert!((lifted(reads) / expected - 1.0).abs() < 0.1, "{reads}: {}, {expected}", lifted(reads));
    }
}

/// Returns the raw bit error rates of a small sample of a chip's cells after `pe_cycles` cycles, for each pair in
/// `rests` (retention seconds and number of reads).
fn sampled(chip: &CellPhysics, pe_cycles: f64, rests: &[(f64, u64)]) -> Vec<Rates> {
    let sample = Sample { wordlines: 2, cells: 20_000, block_cells: 1e7, passes: 512, seed: 5, layer: None };
    let rest = |(seconds, reads): &(f64, u64)| Rest { elapsed: Elapsed::from(*seconds), reads: *reads };
    let rests: Vec<Rest> = rests.iter().map(rest).collect();
    error_rates(chip, &chip.plans[0], sample, pe_cycles, &rests)
}

fn mean(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>() / rates.len() as f64
}

#[test]
fn errors_of_chips_with_tails_never_fall_with_wear_age_or_reads() {
    for (cell, text) in CHIPS {
        let chip = physics(text, cell);
        if !chip.has_tails() {
            continue;
        }
        let rests: Vec<(f64, u64)> =
            [(0.0, 0), (3600.0, 0), (DAY_S, 0), (30.0 * DAY_S, 0), (YEAR_S, 0), (YEAR_S, 100_000)].into();
        let mut before: Option<Vec<Rates>> = None;
        for pe_cycles in [0.0, 100.0, 500.0, 1500.0, 3000.0] {
            let found = sampled(&chip, pe_cycles, &rests);
            for (of, pick) in [("usual", 0), ("best", 1)] {
                let rate = |rates: &Rates| mean(if pick == 0 { &rates.usual } else { &rates.best });
                for (younger, older) in found.iter().zip(&found[1..]) {
                    assert!(
                        rate(younger) <= 1.001 * rate(older),
                        "{cell:?} {pe_cycles} {of}: falls with age"
                    );
                }
                for (less, more) in before.iter().flatten().zip(&found) {
                    assert!(rate(less) <= 1.001 * rate(more), "{cell:?} {pe_cycles} {of}: falls with wear");
                }
            }
            before = Some(found);
        }
    }
}

#[test]
fn the_formula_for_tails_gives_what_drawn_cells_show() {
    for (cell, text) in CHIPS {
        let chip = physics(text, cell);
        if !chip.has_tails() {
            continue;
        }
        let (cells, pe_cycles) = (1 << 17, 2000.0);
        let sample = Sample { wordlines: 2, cells, block_cells: 1e7, passes: 2, seed: 5, layer: Some(0.5) };
        let elapsed = Elapsed::from(YEAR_S / 4.0);
        let found = error_rates(&chip, &chip.plans[0], sample, pe_cycles, &[Rest { elapsed, reads: 50_000 }]);
        // Blocks that all trap alike are what the formula's blocks are on the mean.
        let draws = Stream::new(9);
        let count = chip.states.len() as u64;
        let data = |line: u64| {
            (0..cells as u64).map(|cell| ((draws.of(line).bits(cell) >> 32) % count) as u8).collect()
        };
        let lines: [Vec<u8>; 2] = [data(0), data(1)];
        let over = pe_cycles / chip.states.len() as f64 * chip.wear.over_erase;
        let condition = Condition { error_cycles: pe_cycles + over, ..Condition::worn(pe_cycles) };
        let mut block = nand::cells::CellBlock::new(&chip, Stream::new(8), 2, cells, condition);
        for (line, states) in lines.iter().enumerate() {
            block.program_all(&chip, &chip.plans[0], line, states);
        }
        let volts = block.volts(&chip, 0, elapsed, 50_000);
        let mut seen = nand::cells::Confusion::new(chip.states.len());
        seen.add(&lines[0], &Wordline::sense(&volts, &chip.plans[0].references));
        let (counted, expected) =
            (seen.raw_bit_error_rate(&chip.states).expect("cells"), mean(&found[0].usual));
        assert!(
            (counted / expected).ln().abs() < 0.25,
            "{cell:?}: {counted} counted, {expected} by the formula"
        );
    }
}
