//! Do the equations give the clocks of the paper, are ONFI's cycles exact, and what happens when they cannot be?

use bus::{Bus, Support};
use config::{ConfigError, Document, Section};
use units::{Bytes, Femtos, Nanos};

/// Returns, for a test, the bus model that these `key=value` lines configure; keys that begin with `nand.` describe the
/// chip.
fn read(assignments: &[&str]) -> Result<Bus, ConfigError> {
    let mut document = Document::empty();
    for assignment in assignments {
        document.set(assignment)?;
    }
    let mut root = Section::root(&document);
    let mut nand = root.child("nand")?;
    let support = Support::read(&mut nand)?;
    let mut bus = Bus::read(&mut root, &support)?;
    bus.prepare(None, Bytes::new(4096), Bytes::new(128), 1, 1, 1);
    Ok(bus)
}

const ALL: &str =
    r#"nand.interfaces=["conv", "sync-only", "proposed", "sdr:5", "nv-ddr:5", "nv-ddr2:7", "nv-ddr3:19"]"#;

fn error(assignments: &[&str]) -> String {
    let all: Vec<&str> = [&[ALL], assignments].concat();
    read(&all).expect_err("must be refused").to_string()
}

fn named(name: &str, more: &[&str]) -> Bus {
    let name = format!("bus.interface.name={name}");
    let all: Vec<&str> = [&[ALL, name.as_str()], more].concat();
    read(&all).expect("is legal")
}

fn ns(femtos: Femtos) -> f64 {
    femtos.as_ns()
}

#[test]
fn the_paper_s_clocks_follow_from_its_tables() {
    let conv = named("conv", &[]);
    assert!((ns(conv.signalling().shortest) - 19.81).abs() < 0.005, "equation (6)");
    assert_eq!(ns(conv.signalling().cycle), 20.0, "50 MHz");
    for name in ["sync-only", "proposed"] {
        let bus = named(name, &[]);
        assert_eq!(ns(bus.signalling().shortest), 12.0, "equation (9): t_byte is longer than 9.92 ns");
        assert!((1e3 / ns(bus.signalling().cycle) - 83.0).abs() < 1e-4, "83 MHz");
    }
    let rate = |name| named(name, &[]).signalling().data_out.bytes_per_s().round() as u64;
    assert_eq!((rate("conv"), rate("sync-only"), rate("proposed")), (50_000_000, 83_000_000, 166_000_000));
}

#[test]
fn a_faster_latch_uncovers_the_other_terms() {
    let proposed = named("proposed", &["bus.interface.t_byte=6ns"]);
    assert!((ns(proposed.signalling().shortest) - 9.92).abs() < 1e-9, "2 (0.25 + 0.02 + 4.69)");
    let by_strobe = named(
        "proposed",
        &["bus.interface.t_byte=1ns", "bus.interface.t_ios=1.5ns", "bus.interface.t_ioh=2ns"],
    );
    assert!((ns(by_strobe.signalling().shortest) - 7.0).abs() < 1e-9, "equation (8)");
    let undelayed = named("conv", &["bus.interface.alpha=0.0"]);
    assert!((ns(undelayed.signalling().shortest) - 29.72).abs() < 1e-9, "equation (6) with alpha = 0");
}

#[test]
fn a_timing_set_that_cannot_close_says_what_fails_and_by_how_much() {
    let conv = error(&["bus.interface.name=conv", "bus.interface.clock=60MHz"]);
    assert!(conv.contains("equation (6)") && conv.contains("slack -3.15 ns"), "{conv}");
    let proposed = error(&["bus.interface.name=proposed", "bus.interface.clock=100MHz"]);
    assert!(proposed.contains("t_byte of equation (7)") && proposed.contains("slack -2.00 ns"), "{proposed}");
    let hold = error(&["bus.interface.name=conv", "bus.interface.clock=10MHz"]);
    assert!(hold.contains("alpha") && hold.contains("hold slack -20.55 ns"), "{hold}");
    let alpha = error(&["bus.interface.name=conv", "bus.interface.alpha=0.7"]);
    assert!(alpha.contains("expected 0 to 0.5"), "{alpha}");
    let both = error(&[
        "bus.interface.name=proposed",
        "bus.interface.t_ios=1ns",
        "bus.interface.t_ioh=1ns",
        "bus.interface.t_diff=1ns",
    ]);
    assert!(both.contains("equation 8") && both.contains("equation 9"), "{both}");
}

#[test]
fn every_mode_has_its_exact_pace() {
    let rate = |name: &str, mode: u32| {
        let mode = format!("bus.interface.mode={mode}");
        named(name, &[&mode]).signalling().data_out
    };
    for (mode, mega) in [(0, 10.0), (1, 20.0), (2, 1e3 / 35.0), (3, 1e3 / 30.0), (4, 40.0), (5, 50.0)] {
        assert!((rate("sdr", mode).bytes_per_s() / 1e6 - mega).abs() < 1e-9, "SDR mode {mode}");
    }
    for (mode, cycle) in [50.0, 30.0, 20.0, 15.0, 12.0, 10.0].into_iter().enumerate() {
        let expected = 2000.0 / cycle;
        let pace = rate("nv-ddr", mode as u32).bytes_per_s() / 1e6;
        assert!((pace - expected).abs() < 1e-9, "NV-DDR mode {mode}: {pace}");
    }
    let cycles = [
        30.0, 25.0, 15.0, 12.0, 10.0, 7.5, 6.0, 5.0, 3.75, 3.0, 2.5, 1.875, 1.667, 1.5, 1.364, 1.25, 1.111,
        1.0, 0.909, 0.833,
    ];
    for (mode, cycle) in cycles.into_iter().enumerate() {
        let ns_of_two = 2e9 / rate("nv-ddr3", mode as u32).bytes_per_s();
        assert!((ns_of_two - cycle).abs() < 5e-4, "mode {mode}: {ns_of_two} ns, the standard prints {cycle}");
    }
    // 1200 MT/s is 5/3 ns for two bytes: a page of 4096 takes 3413.3 ns, not 3413.9 as 1.667 ns would say.
    assert_eq!(rate("nv-ddr3", 12).time_for(Bytes::new(4096)), Nanos::new(3414));
    assert_eq!(rate("nv-ddr3", 12).time_for(Bytes::new(4096 * 3000)), Nanos::new(10_240_000));
}

#[test]
fn commands_addresses_and_status_are_charged() {
    let bus = named("sdr", &["bus.interface.mode=5", "bus.cycles_status=2"]);
    assert_eq!(bus.read_command(), Nanos::new(7 * 20 + 100), "00h, 5 addresses, 30h, tWB");
    assert_eq!(bus.erase_command(), Nanos::new(5 * 20 + 100), "60h, 3 addresses, D0h, tWB");
    assert_eq!(
        bus.data_in(),
        Nanos::new(7 * 20 + 400 + 100 + 4096 * 20),
        "80h, 5 addresses, tADL, data, 10h, tWB"
    );
    assert_eq!(bus.data_out(1), Nanos::new(20 + 4096 * 20), "tRR, data");
    assert_eq!(bus.status(), Nanos::new(2 * 20 + 80), "70h, tWHR, status");
}

#[test]
fn an_older_chip_is_spoken_to_as_it_understands() {
    let proposed = "bus.interface.name=proposed";
    let old = r#"nand.interfaces=["conv"]"#;
    let refused = read(&[old, proposed]).expect_err("falling back was not asked for").to_string();
    assert!(refused.contains("the chip knows conv") && refused.contains("fall_back"), "{refused}");
    let fallen = read(&[old, proposed, "bus.fall_back=true"]).expect("the seed promises it");
    let conventional = named("conv", &[]);
    assert_eq!(fallen.spoken(), "conv");
    assert_eq!(fallen.signalling(), conventional.signalling());
    assert_eq!(fallen.signalling().pins, named("proposed", &[]).signalling().pins, "not one pin more");

    let onfi = ["bus.interface.name=nv-ddr3", "bus.interface.mode=12"];
    let lower =
        read(&[&onfi[..], &[r#"nand.interfaces=["sdr:4", "nv-ddr2:5"]"#, "bus.fall_back=true"]].concat());
    assert_eq!(lower.expect("NV-DDR2 is the best both know").spoken(), "nv-ddr2, mode 5");
    let oldest = read(&[&onfi[..], &[r#"nand.interfaces=["sdr:4"]"#, "bus.fall_back=true"]].concat());
    assert_eq!(oldest.expect("every ONFI part knows SDR").spoken(), "sdr, mode 4");
    let none = read(&[&onfi[..], &[old, "bus.fall_back=true"]].concat()).expect_err("nothing in common");
    assert!(none.to_string().contains("nothing both know"), "{none}");
}

#[test]
fn a_mode_the_chip_lacks_is_named() {
    let lacking = error(&["bus.interface.name=nv-ddr2", "bus.interface.mode=9"]);
    assert!(lacking.contains("mode 9 is 2 above the chip's highest, 7"), "{lacking}");
    let unknown = error(&["bus.interface.name=nv-ddr2", "bus.interface.mode=11"]);
    assert!(unknown.contains("from 0 to 10") && unknown.contains("1 too high"), "{unknown}");
    let typo = error(&["bus.interface.name=propsed"]);
    assert!(typo.contains("did you mean \"proposed\"?"), "{typo}");
    let chip = read(&[r#"nand.interfaces=["nv-dr2:7"]"#]).expect_err("unknown family").to_string();
    assert!(chip.contains("nv-ddr2"), "{chip}");
}

#[test]
fn double_data_rate_costs_less_strobe_energy_per_byte() {
    let energy = |name| named(name, &[]).io_energy_per_byte(4).expect("the supply is known").joules();
    // Both load 30 pF at 3.3 V; a strobe rises for each byte, or for every other one.
    assert!((energy("conv") / energy("proposed") - 3.0 / 2.5).abs() < 1e-6);
    assert!((energy("conv") - 3.0 * 30e-12 * 3.3 * 3.3).abs() < 1e-14);
}
