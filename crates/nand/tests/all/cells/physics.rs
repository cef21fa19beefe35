//! The chip's file, and pulses and times as pure functions of it.

use super::{CHIPS, COMPLETE, complete, physics, read};
use nand::Cell;
use proptest::prelude::*;
use units::Nanos;

/// Returns the error message with which the test part `COMPLETE` is refused when `to` replaces the text `from` in its
/// file.
fn refused(from: &str, to: &str) -> String {
    let text = COMPLETE.replacen(from, to, 1);
    assert_ne!(text, COMPLETE, "{from}");
    match read(&text, Cell::Mlc) {
        Ok(_) => panic!("{to} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn impossible_voltages_are_refused_in_one_line_with_the_place() {
    for (from, to, place, expectation) in [
        (
            "\"600mV\", \"1800mV\", \"3000mV\"",
            "\"600mV\", \"3000mV\", \"1800mV\"",
            "normal.verify",
            "expected rising",
        ),
        (
            "\"600mV\", \"1800mV\", \"3000mV\"",
            "\"600mV\", \"1800mV\"",
            "normal.verify",
            "expected 3 voltages",
        ),
        (
            "\"0V\", \"1500mV\"",
            "\"-2600mV\", \"1500mV\"",
            "normal.references",
            "expected reference 1 between -2.5",
        ),
        ("\"0V\", \"1500mV\"", "\"0V\", \"500mV\"", "normal.references", "expected reference 2 between 0.6"),
        (
            "\"1500mV\", \"2700mV\"",
            "\"1500mV\", \"3100mV\"",
            "normal.references",
            "expected reference 3 between 1.8",
        ),
        ("step = \"250mV\"", "step = \"0V\"", "normal.step", "expected more than 0uV"),
        ("step = \"250mV\"", "step = \"-250mV\"", "normal.step", "expected more than 0uV"),
        ("step = \"250mV\"", "step = 0.25", "normal.step", "a voltage with its unit"),
        ("start = \"-600mV\"", "start = \"700mV\"", "normal.start", "must not overshoot"),
        (
            "first_verify = \"1200mV\"",
            "first_verify = \"1900mV\"",
            "normal.first_verify",
            "expected at most 1.8",
        ),
        (
            "first_verify = \"1200mV\"",
            "first_verify = \"-3V\"",
            "normal.first_verify",
            "above the erased state",
        ),
        (
            "first_verify = \"1200mV\"",
            "first_verify = [\"1V\", \"2V\"]",
            "normal.first_verify",
            "expected 1 voltages",
        ),
        ("first_step = \"400mV\"", "first_step = \"0V\"", "normal.first_step", "more than 0uV"),
        ("max_pulses = 24", "max_pulses = 15", "program.max_pulses", "expected at least 16"),
        ("max_pulses = 24", "max_pulses = 0", "program.max_pulses", "expected at least 1"),
        ("max_pulses = 7", "max_pulses = 1", "erase.max_pulses", "expected at least 2"),
        (
            "verify = \"-1500mV\"",
            "verify = \"-2600mV\"",
            "erase.verify",
            "mean threshold of the erased state",
        ),
        (
            "t_setup = [\"40us\", \"60us\"]",
            "t_setup = [\"1us\", \"2us\", \"3us\"]",
            "program.t_setup",
            "one value or 2",
        ),
        (
            "t_r = [\"38us\", \"48us\"]",
            "t_r = [\"1us\", \"2us\", \"3us\"]",
            "cells.t_r",
            "expected one time or 2",
        ),
        ("reference = 3000.0", "reference = 0.5", "wear.reference", "expected at least 1"),
        ("erase_share = 0.65", "erase_share = 1.5", "wear.erase_share", "expected 0 to 1"),
        ("charge = 0.9", "charge = 1.5", "wear.charge", "expected 0 to 1"),
        ("ks = 0.38", "ks = 0.38\nneutral = \"-3V\"", "retention.neutral", "from -2.5 V (erased) to 3 V"),
        ("ks = 0.38", "ks = 0.38\nneutral = \"3100mV\"", "retention.neutral", "a voltage of the window"),
        ("ks = 0.38", "ks = 0.38\nneutral_rise = \"10mV\"", "retention.neutral_rise", "expected a `neutral`"),
        ("ks = 0.38", "ks = 0.38\nke = -1e-6", "retention.ke", "expected at least 0"),
        ("ks = 0.38", "ks = 0.38\nke = 1e-6", "retention.ke", "expected 0 beside km"),
        ("defect_factor = 4.0", "defect_factor = 0.5", "wear.defect_factor", "a defect traps faster"),
        ("cell_spread = 0.18", "cell_spread = -0.1", "wear.cell_spread", "expected at least 0"),
        ("bitline = 0.01", "bitline = 0.9", "coupling.bitline", "expected at least 0 and less than 0.5"),
        ("ks = 0.38", "ks = -1.0", "retention.ks", "expected at least 0"),
        ("t0 = \"3600s\"", "t0 = \"0s\"", "retention.t0", "more than 0ns"),
        ("order = \"two-step\"", "order = \"two-steps\"", "cells.order", "two-step"),
        ("offset_sigma", "ofset_sigma", "cells.offset_sigma", "missing"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(place) && error.contains(expectation), "{to}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn every_line_of_the_complete_part_counts() {
    let required =
        ["sigma", "verify =", "references", "start =", " step", "need", "t_", "max_pulses", "slow"];
    for line in COMPLETE.lines().filter(|line| line.contains('=') && !line.starts_with("cell =")) {
        let without = COMPLETE.replacen(&format!("{line}\n"), "", 1);
        if required.iter().any(|key| line.contains(key))
            && !line.starts_with("sweep")
            && !line.starts_with("t0")
        {
            let other = read(&without, Cell::Mlc).map(|physics| physics == complete());
            // A list of first voltages stands for a plan's own; every other line is missed.
            assert!(!matches!(other, Ok(true)), "{line}");
        }
        let (key, _) = line.split_once('=').expect("a key");
        let unknown = COMPLETE.replacen(line, &format!("{}x = 1\n{line}", key.trim()), 1);
        assert!(read(&unknown, Cell::Mlc).is_err(), "{}x was accepted", key.trim());
    }
}

#[test]
fn chips_of_every_kind_are_read() {
    for (cell, text) in CHIPS {
        let physics = physics(text, cell);
        assert_eq!(physics.states.len(), 1 << cell.bits());
        assert_eq!(physics.plans[0].references.len() + 1, physics.states.len());
    }
}

#[test]
fn a_pass_takes_as_many_pulses_as_steps_fit_in() {
    let physics = complete();
    let plan = &physics.plans[0];
    // From -0.6 V in steps of 0.25 V to 3 V: 14.4 steps after the first pulse.
    assert_eq!(physics.pulses(plan, 1, 3.0, 0.0), 16);
    assert_eq!(physics.pulses(plan, 1, -0.6, 0.0), 1, "the first pulse reaches the start");
    assert_eq!(physics.pulses(plan, 1, -0.35, 0.0), 2);
    assert_eq!(physics.pulses(plan, 1, -5.0, 0.0), 1, "no pulse comes before the first");
    assert_eq!(physics.pulses(plan, 0, 1.2, 0.0), 6, "the first pass has a step of its own");
    // 60 us, 16 pulses of 30 us, 4 us for each of 6 + 11 + 16 verifies.
    assert_eq!(physics.t_prog(plan, 1, &[6, 11, 16]), Nanos::new(60_000 + 16 * 30_000 + 33 * 4_000));
    // Nothing to program: the sweep to 0.2 V takes five pulses, each looked at once.
    assert_eq!(physics.t_prog(plan, 1, &[]), Nanos::new(60_000 + 5 * 34_000));
}

#[test]
fn erases_take_more_pulses_in_the_cold_and_none_less_in_the_heat() {
    let physics = complete();
    assert_eq!(physics.erase_pulses(14.0, 25.0), 1);
    assert_eq!(physics.erase_pulses(14.4, 25.0), 2);
    assert_eq!(physics.erase_pulses(14.4, 80.0), 2);
    // 20 degrees at 46 mV each lift 14.4 to 15.32 V.
    assert_eq!(physics.erase_pulses(14.4, 5.0), 4);
    assert_eq!(physics.t_bers(2), Nanos::new(150_000 + 2 * 920_000));
    assert_eq!(physics.t_bers(9), physics.t_bers(7), "no more than the budget are given");
}

#[test]
fn a_larger_step_costs_less_time() {
    let physics = complete();
    let usual = &physics.plans[0];
    let pulses = |times: f64| -> Vec<u32> {
        let plan = usual.with_step(times);
        plan.verify.iter().map(|verify| physics.pulses(&plan, 1, *verify, 0.0)).collect()
    };
    for times in [0.5, 0.75, 4.0 / 3.0, 2.0] {
        for ((count, base), verify) in pulses(times).iter().zip(pulses(1.0)).zip(&usual.verify) {
            let steps = (verify - usual.start) / usual.step;
            assert_eq!((*count, base), (1 + (steps / times).ceil() as u32, 1 + steps.ceil() as u32));
        }
        let busy = |times: f64| physics.t_prog(&usual.with_step(times), 1, &pulses(times));
        assert_eq!(busy(times) < busy(1.0), times > 1.0);
    }
}

#[test]
fn page_by_page_means_as_many_passes_as_bits() {
    let (cell, text) = CHIPS[2];
    let with = |first: &str| {
        let text = text.replace("order = \"one-shot\"", "order = \"two-step\"");
        read(
            &text.replace("start = \"-200mV\"", &format!("start = \"-200mV\"\nfirst_verify = {first}")),
            cell,
        )
    };
    let physics = with("[\"2V\", \"900mV\", \"2300mV\", \"3700mV\"]").expect("each pass raises cells");
    let plan = &physics.plans[0];
    assert_eq!(physics.program.passes.len(), 3);
    let targets = |pass| (0..8).map(|state| physics.target(plan, pass, state)).collect::<Vec<_>>();
    assert_eq!(targets(0), [[None; 4], [Some(2.0); 4]].concat());
    assert_eq!(targets(1), [[None; 2], [Some(0.9); 2], [Some(2.3); 2], [Some(3.7); 2]].concat());
    assert_eq!(targets(2)[1..], plan.verify.iter().copied().map(Some).collect::<Vec<_>>());
    // After the first page, a reference halfway between the erased state and 2 V tells its two groups apart.
    let (references, states) = physics.early_references(plan, 1);
    assert_eq!((references, states), (vec![0.5 * (physics.erase.verify + 2.0)], vec![0, 4]));
    assert_eq!(physics.early_references(plan, 3).0, plan.references);
    let error = with("[\"2500mV\", \"900mV\", \"2300mV\", \"3700mV\"]").expect_err("cells cannot come down");
    assert!(error.to_string().contains("expected at most 2.3 V in pass 1"), "{error}");
}

proptest! {
    #[test]
    fn more_offset_more_pulses_more_trapping_fewer(
        offset in -1.0f64..1.0, more in 0.0f64..1.0, cycles in 0.0f64..1e5, worn in 0.0f64..1e5,
    ) {
        let physics = complete();
        let plan = &physics.plans[0];
        let pulses = |offset: f64| physics.pulses(plan, 1, 3.0, offset);
        prop_assert!(pulses(offset + more) >= pulses(offset));
        let (before, after) = (physics.wear.trapped_v(cycles), physics.wear.trapped_v(cycles + worn));
        prop_assert!(after >= before);
        prop_assert!(pulses(offset - after) <= pulses(offset - before));
        let need = |trapped: f64| physics.erase_pulses(physics.erase.need + trapped, 25.0);
        prop_assert!(need(after) >= need(before));
        prop_assert!(physics.wear.broadening(cycles + worn) >= physics.wear.broadening(cycles));
    }

    #[test]
    fn so_many_pulses_reach_the_target_and_one_less_does_not(
        target in 0.0f64..3.0, offset in -0.3f64..0.3, pass in 0usize..2,
    ) {
        let physics = complete();
        let plan = &physics.plans[0];
        let count = physics.pulses(plan, pass, target, offset);
        let reached = |pulses: u32| plan.start + f64::from(pulses - 1) * physics.step(plan, pass) - offset;
        prop_assert!(reached(count) >= target - 1e-9);
        prop_assert!(count == 1 || reached(count - 1) < target);
    }
}
