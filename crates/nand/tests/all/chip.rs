//! Is every command of a chip answered as silicon would, and do its blocks live as one cycle after the other says?

use config::{ConfigError, Document, Section};
use nand::chip::{ChipInterface, LogRow, Pages, Pattern, SimulatedChip, Status};
use proptest::prelude::*;

const CHIP: &str = r#"
title = "A small SLC part"
cell = "slc"
program = "page"
planes = 1
blocks_per_plane = 16
pages_per_block = 8
page_size = "512B"
oob_size = "16B"
t_r = "25us"
t_prog = "200us"
t_bers = "2ms"
pe_cycles_rated = 1000

[cells]
t_r = "24us"
erased = "-2.5V"
erased_sigma = "300mV"
offset_sigma = "120mV"
injection_sigma = "40mV"

[cells.normal]
verify = ["1V"]
references = ["-300mV"]
start = "-400mV"
step = "200mV"

[cells.program]
t_setup = "15us"
t_pulse = "14us"
t_verify = "3us"
max_pulses = 16

[cells.erase]
start = "14V"
step = "500mV"
need = "14400mV"
verify = "-1500mV"
t_setup = "150us"
t_pulse = "800us"
t_verify = "20us"
max_pulses = 7
cold_per_degree = "46mV"

[cells.wear]
reference = 1000.0
slow = "50mV"
fast = "30mV"
cell_spread = 0.18
block_spread = 0.2
erase_share = 0.788
broadening = "40mV"
"#;

fn read(text: &str, seed: u64) -> Result<SimulatedChip, ConfigError> {
    let mut document = Document::parse("chip.toml", text)?.nested("nand");
    for assignment in ["geometry.channels=1", "geometry.ways=1"] {
        document.set(assignment)?;
    }
    let mut root = Section::root(&document);
    let mut nand = root.child("nand")?;
    SimulatedChip::read(&mut root, &mut nand, seed)
}

fn chip(seed: u64) -> SimulatedChip {
    read(CHIP, seed).unwrap_or_else(|error| panic!("{error}"))
}

fn page(fill: u8) -> Vec<u8> {
    vec![fill; 528]
}

/// Returns the rows of the test rig's log of cycling a block with zeros until the block fails.
fn life(chip: &mut SimulatedChip, block: u32, pages: Pages) -> Vec<LogRow> {
    let rows = chip.cycle(block, u64::from(u32::MAX), &Pattern::Zeros, pages).expect("there is such a block");
    assert!(!rows.last().expect("it was logged").ok, "every block ends");
    rows
}

/// Returns the mean number of program/erase cycles at which 16 blocks of the test's chip fail, at this temperature.
fn endurance(seed: u64, celsius: f64, pages: Pages) -> f64 {
    let mut chip = chip(seed);
    chip.set_temperature(celsius).expect("is a temperature");
    let ends = (0..16).map(|block| life(&mut chip, block, pages).last().expect("it was logged").cycle);
    ends.sum::<u64>() as f64 / 16.0
}

#[test]
fn data_come_back_and_legality_is_the_part_s_own() {
    let mut chip = chip(1);
    assert_eq!(chip.program(0, 1, &page(0)).expect("is sent").status, Status::Fail, "out of order");
    assert_eq!(chip.program(0, 0, &page(0xa5)).expect("is sent").status, Status::Ok);
    assert_eq!(chip.program(0, 0, &page(0)).expect("is sent").status, Status::Fail, "programmed already");
    assert_eq!(chip.read(0, 0).expect("is sent").data, page(0xa5));
    assert_eq!(chip.read(0, 3).expect("is sent").data, page(0xff), "an erased page reads as ones");
    assert_eq!(chip.busy_time_ns(), 24_000);
    assert_eq!(chip.erase(0).expect("is sent").status, Status::Ok);
    assert_eq!(chip.read(0, 0).expect("is sent").data, page(0xff));
    assert!(chip.program(16, 0, &page(0)).expect_err("no such block").contains("expected 0 to 15"));
    assert!(chip.program(0, 8, &page(0)).expect_err("no such page").contains("expected 0 to 7"));
    assert!(chip.program(0, 0, &[0; 5]).expect_err("too short").contains("528"));
    assert!(chip.set_temperature(300.0).is_err() && chip.let_time_pass(-1.0).is_err());
}

/// Checks that the bench's clock refuses a wait beyond its greatest time, and stands still there.
#[test]
fn the_clock_of_the_bench_ends() {
    let mut chip = chip(1);
    chip.let_time_pass(9.9e9).expect("is a time");
    let refused = chip.let_time_pass(9.9e9).expect_err("its clock would end");
    assert_eq!(refused, "9900000000 s: expected at most 8546744073 s, 9900000000 s after the bench began");
    chip.let_time_pass(8_546_744_073.0).expect("as it said");
    for _ in 0..500 {
        chip.erase(0).expect("is sent");
    }
    assert_eq!(chip.now_ns(), u64::MAX);
}

#[test]
fn a_block_ends_where_its_erase_pulses_run_out_and_is_bad_from_then_on() {
    let mut chip = chip(1);
    let rows = life(&mut chip, 3, Pages::First);
    let last = rows.last().expect("it was logged");
    assert_eq!((last.page, last.pulses), (None, 7), "the erase gave up at its budget");
    let before = rows.iter().rev().find(|row| row.page.is_none() && row.ok).expect("it lived");
    assert_eq!(before.pulses, 7, "the step before used all its pulses");
    assert_eq!(chip.status(), Status::Fail);
    assert_eq!(chip.erase(3).expect("is sent").status, Status::Protected);
    assert_eq!(chip.program(3, 0, &page(0)).expect("is sent").status, Status::Protected);
}

#[test]
fn programs_speed_up_and_erases_slow_down_in_whole_pulses() {
    let rows = life(&mut chip(1), 2, Pages::First);
    let times = |page: Option<u32>| -> Vec<u64> {
        rows.iter().filter(|row| row.page == page).map(|row| row.busy_ns).collect()
    };
    let (programs, erases) = (times(Some(0)), times(None));
    assert!(programs.windows(2).all(|pair| pair[0] >= pair[1]) && programs[0] > programs[programs.len() - 1]);
    assert!(erases.windows(2).all(|pair| pair[0] <= pair[1]) && erases[0] < erases[erases.len() - 1]);
    assert!(erases.iter().all(|busy_ns| (busy_ns - 150_000) % 820_000 == 0));
    assert!(programs.iter().all(|busy_ns| (busy_ns - 15_000) % 17_000 == 0));
}

#[test]
fn cold_halves_endurance_and_heat_does_nothing() {
    let room = endurance(5, 25.0, Pages::First);
    assert_eq!(endurance(5, 80.0, Pages::First), room);
    let cold = endurance(5, 5.0, Pages::First) / room;
    assert!((0.4..0.6).contains(&cold), "{cold}");
}

#[test]
fn all_pages_wear_a_block_at_most_twice_as_fast_and_erasing_alone_as_one_page_does() {
    let first = endurance(5, 25.0, Pages::First);
    let (all, none) = (endurance(5, 25.0, Pages::All), endurance(5, 25.0, Pages::None));
    assert!(all < first && all > first / 2.0, "{all} {first}");
    // Page 0 is an eighth of this block: when it is not programmed, the slowest cell is another one.
    assert!(none >= first && none < 1.3 * first, "{none} {first}");
}

#[test]
fn single_operations_wear_as_cycles_do() {
    let (mut one, mut other) = (chip(9), chip(9));
    let rows = one.cycle(4, 400, &Pattern::Zeros, Pages::First).expect("is sent");
    let mut last = 0;
    for _ in 0..400 {
        other.program(4, 0, &page(0)).expect("is sent");
        last = other.erase(4).expect("is sent").busy_ns;
    }
    let logged = rows.iter().rfind(|row| row.page.is_none()).expect("it was logged");
    assert_eq!(logged.busy_ns, last);
}

#[test]
fn a_program_takes_as_long_as_cycles_say_at_every_age() {
    const PULSE_NS: f64 = 17_000.0;
    let ends: Vec<u64> = (0..16)
        .map(|block| life(&mut chip(3), block, Pages::First).last().expect("it was logged").cycle)
        .collect();
    for age in [0.0, 0.3, 0.99] {
        let mut worn = chip(3);
        let apart = (0..16).zip(&ends).map(|(block, end)| {
            let cycles = 1 + (*end as f64 * age) as u64;
            let rows = worn.cycle(block, cycles, &Pattern::Zeros, Pages::First).expect("is sent");
            let said = rows.iter().rfind(|row| row.page == Some(0)).expect("it was logged").busy_ns;
            worn.program(block, 0, &page(0)).expect("is sent").busy_ns as f64 - said as f64
        });
        // Both draw their slowest cells on their own, so that single blocks may be a pulse apart.
        let mean = apart.sum::<f64>() / 16.0;
        assert!(mean.abs() < 0.5 * PULSE_NS, "at {age} of their lives: {mean} ns apart");
    }
}

#[test]
fn charge_leaks_with_time_and_heat() {
    let errors = |celsius: f64, days: f64| -> u32 {
        let text = CHIP.replace("references = [\"-300mV\"]", "references = [\"980mV\"]");
        let mut chip = read(&text, 3).unwrap_or_else(|error| panic!("{error}"));
        chip.cycle(0, 300, &Pattern::Zeros, Pages::All).expect("is sent");
        chip.program(0, 0, &page(0)).expect("is sent");
        chip.set_temperature(celsius).expect("is a temperature");
        chip.let_time_pass(days * 86_400.0).expect("is a time");
        chip.read(0, 0).expect("is sent").data.iter().map(|byte| byte.count_ones()).sum()
    };
    let (now, year) = (errors(25.0, 0.0), errors(25.0, 365.25));
    let baked = errors(85.0, 365.25 / 1303.0);
    assert!(now < year, "{now} {year}");
    assert!(f64::from(year.abs_diff(baked)) <= 0.05 * f64::from(year) + 2.0, "the same age: {year} {baked}");
}

#[test]
fn impossible_voltages_are_refused() {
    let refused = |from: &str, to: &str| {
        let text = CHIP.replacen(from, to, 1);
        assert_ne!(text, CHIP);
        read(&text, 1).err().expect("must be refused").to_string()
    };
    assert!(refused("step = \"200mV\"", "step = \"0V\"").contains("more than 0uV"));
    assert!(
        refused("references = [\"-300mV\"]", "references = [\"2V\"]")
            .contains("expected reference 1 between")
    );
    assert!(refused("verify = [\"1V\"]", "verify = [\"1V\", \"2V\"]").contains("expected 1 voltages"));
    assert!(refused("start = \"-400mV\"", "start = \"1500mV\"").contains("overshoot"));
    assert!(refused("verify = \"-1500mV\"", "verify = \"-3V\"").contains("mean threshold"));
}

#[test]
fn cycling_does_not_write_over_data_but_may_erase_them() {
    let mut chip = chip(2);
    chip.program(0, 0, &page(0)).expect("is sent");
    let refused = chip.cycle(0, 3, &Pattern::Zeros, Pages::First).expect_err("it holds data");
    assert!(refused.contains("holds data"), "{refused}");
    let mut other = self::chip(2);
    other.program(0, 0, &page(0)).expect("is sent");
    chip.cycle(0, 3, &Pattern::Zeros, Pages::None).expect("only erases");
    for _ in 0..3 {
        other.erase(0).expect("is sent");
    }
    assert_eq!(chip.threshold_voltages(0, 0), other.threshold_voltages(0, 0));
    assert!(chip.cycle(0, u64::MAX, &Pattern::Zeros, Pages::First).expect_err("too many").contains("cycles"));
}

#[test]
fn a_mix_of_states_adds_up_or_is_refused() {
    let refused = |text: &str| Pattern::parse(text).expect_err("must be refused");
    assert!(refused("mix:11=0.5,10=0.4").contains("add up to 0.9"));
    assert!(refused("mix:11=0.5,11=0.5").contains("given twice"));
    assert!(refused("mix:11=1.5,10=-0.5").contains("0 <= SHARE <= 1"));
    assert!(refused("states:11").contains("expected zeros"));
    let mut slc = chip(1);
    let unknown = Pattern::parse("mix:11=1").expect("is written rightly");
    assert!(slc.cycle(0, 1, &unknown, Pages::First).expect_err("SLC has no 11").contains("expected one of"));
}

/// Returns the text of the chip file `CHIP` changed to MLC cells, whose pages are programmed in two steps or in one
/// shot, as `order` says.
fn mlc(order: &str) -> String {
    CHIP.replace("cell = \"slc\"", "cell = \"mlc\"")
        .replace(
            "program = \"page\"",
            if order == "two-step" { "program = \"page\"" } else { "program = \"one-shot\"" },
        )
        .replace("t_r = \"24us\"", &format!("t_r = \"24us\"\norder = \"{order}\""))
        .replace("verify = [\"1V\"]", "verify = [\"500mV\", \"1500mV\", \"2500mV\"]")
        .replace("references = [\"-300mV\"]", "references = [\"-300mV\", \"1200mV\", \"2200mV\"]")
        .replace(
            "step = \"200mV\"",
            if order == "two-step" {
                "step = \"200mV\"\nfirst_verify = [\"900mV\"]"
            } else {
                "step = \"200mV\""
            },
        )
        .replace("max_pulses = 16", "max_pulses = 40")
}

/// Returns the data of the two pages of an MLC wordline whose even cells store the bits `digits[0]`, and odd cells
/// `digits[1]`.
fn pages_of(digits: [[u8; 2]; 2]) -> [Vec<u8>; 2] {
    // Even cells take the first state's digits, odd cells the second's.
    [0, 1].map(|bit| {
        page(if digits[0][bit] == 1 { 0xaa } else { 0 } | if digits[1][bit] == 1 { 0x55 } else { 0 })
    })
}

#[test]
fn single_operations_wear_cells_of_many_bits_as_cycles_do() {
    for order in ["two-step", "one-shot"] {
        for (pattern, digits) in [
            ("mix:10=0.5,00=0.5", [[1, 0], [0, 0]]),
            ("mix:11=0.5,01=0.5", [[1, 1], [0, 1]]),
            ("state:11", [[1, 1], [1, 1]]),
        ] {
            let text = mlc(order);
            let new = || read(&text, 5).unwrap_or_else(|error| panic!("{error}"));
            let (mut one, mut other) = (new(), new());
            let rows = one
                .cycle(2, 300, &Pattern::parse(pattern).expect("is a pattern"), Pages::All)
                .expect("is sent");
            let data = pages_of(digits);
            let mut last = 0;
            for _ in 0..300 {
                for number in 0..8 {
                    let answer = other.program(2, number, &data[number as usize % 2]).expect("is sent");
                    assert_eq!(answer.status, Status::Ok);
                }
                last = other.erase(2).expect("is sent").busy_ns;
            }
            let logged = rows.iter().rfind(|row| row.page.is_none()).expect("it was logged");
            assert_eq!(logged.busy_ns, last, "{order} {pattern}");
            // The cells lie where they lie because of wear, programmed and over-erased: all of it agrees.
            assert_eq!(one.threshold_voltages(2, 1), other.threshold_voltages(2, 1), "{order} {pattern}");
        }
    }
}

#[test]
fn a_wordline_written_in_part_takes_its_stress_too() {
    let text = mlc("two-step");
    let new = || read(&text, 5).unwrap_or_else(|error| panic!("{error}"));
    let (mut one, mut other) = (new(), new());
    one.cycle(2, 300, &Pattern::parse("mix:11=0.5,01=0.5").expect("is a pattern"), Pages::First)
        .expect("is sent");
    for _ in 0..300 {
        other.program(2, 0, &page(0xaa)).expect("is sent");
        other.erase(2).expect("is sent");
    }
    assert_eq!(one.threshold_voltages(2, 0), other.threshold_voltages(2, 0));
    assert_eq!(one.threshold_voltages(2, 3), other.threshold_voltages(2, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn once_for_n_cycles_is_n_times_for_one(
        seed in 0u64..1000,
        part in 0usize..4,
        parts in proptest::collection::vec((1u64..400, 0usize..3, 0usize..3), 1..12),
    ) {
        let text = [CHIP.to_owned(), mlc("two-step"), mlc("one-shot"), noisy(&mlc("two-step"))][part].clone();
        let new = || read(&text, seed).unwrap_or_else(|error| panic!("{error}"));
        let patterns = [Pattern::Zeros, Pattern::Ones, Pattern::Random];
        let pages = [Pages::First, Pages::All, Pages::None];
        let (mut whole, mut single) = (new(), new());
        for (cycles, pattern, which) in parts {
            let at_once = whole.cycle(1, cycles, &patterns[pattern], pages[which]).expect("is sent");
            let mut one_by_one = Vec::new();
            for _ in 0..cycles {
                one_by_one.extend(single.cycle(1, 1, &patterns[pattern], pages[which]).expect("is sent"));
            }
            prop_assert_eq!(at_once, one_by_one);
            prop_assert_eq!(whole.now_ns(), single.now_ns());
            prop_assert_eq!(whole.status(), single.status());
        }
        prop_assert_eq!(whole.threshold_voltages(1, 0), single.threshold_voltages(1, 0));
    }
}

/// Returns the chip file `text` with wear that varies from cycle to cycle, and with a rig whose clock is not exact.
fn noisy(text: &str) -> String {
    let text = text.replace("[cells.wear]", "[cells.wear]\ncycle_spread = 0.4");
    format!("{text}\n[rig]\nresolution = \"500ns\"\njitter = \"2us\"\n")
}

/// Returns the text of the chip file `CHIP` with `lines` added at the beginning of the section `section`.
fn with(section: &str, lines: &str) -> String {
    CHIP.replace(section, &format!("{section}\n{lines}"))
}

fn ends(text: &str, seed: u64) -> Vec<f64> {
    let mut chip = read(text, seed).unwrap_or_else(|error| panic!("{error}"));
    (0..16)
        .map(|block| life(&mut chip, block, Pages::First).last().expect("it was logged").cycle as f64)
        .collect()
}

#[test]
fn noise_of_nothing_is_no_noise_and_none_is_the_default() {
    let zeros =
        with("[cells.wear]", "cycle_spread = 0.0") + "\n[rig]\nresolution = \"0ns\"\njitter = \"0ns\"\n";
    let rows = |text: &str| life(&mut read(text, 3).unwrap_or_else(|error| panic!("{error}")), 5, Pages::All);
    assert_eq!(rows(&zeros), rows(CHIP));
    assert_ne!(rows(&noisy(CHIP)), rows(CHIP));
}

#[test]
fn lives_spread_by_what_the_wear_of_a_cycle_does() {
    // Blocks that differ in nothing but their cycles: what spreads then is the sum of the cycles' wear.
    let alike = |spread: f64| {
        with("[cells.wear]", &format!("cycle_spread = {spread}\nchip_spread = 0.0"))
            .replace("cell_spread = 0.18", "cell_spread = 0.0")
            .replace("block_spread = 0.2", "block_spread = 0.0")
    };
    let cv = |spread: f64| {
        let lives: Vec<f64> = (0..20).flat_map(|seed| ends(&alike(spread), seed)).collect();
        let mean = lives.iter().sum::<f64>() / lives.len() as f64;
        (lives.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>() / lives.len() as f64).sqrt() / mean
    };
    assert_eq!(cv(0.0), 0.0);
    // Stretches of cycles, each longer by a half than the one before, weigh as a geometric row.
    let (one, two) = (cv(0.1), cv(0.2));
    let expected = 0.1 * (0.5f64 / 2.5).sqrt();
    assert!((one / expected - 1.0).abs() < 0.15, "{one} instead of {expected}");
    assert!((two / one - 2.0).abs() < 0.2, "{two} is not twice {one}");
}

#[test]
fn a_rig_measures_as_its_clock_says_and_changes_nothing_else() {
    let exact = || chip(4);
    let rig =
        |keys: &str| read(&format!("{CHIP}\n[rig]\n{keys}\n"), 4).unwrap_or_else(|error| panic!("{error}"));
    let truth = exact().program(0, 0, &page(0)).expect("is sent").busy_ns;
    let mut one = rig("jitter = \"3us\"\nresolution = \"100ns\"");
    let seen: Vec<f64> =
        (0..2000).map(|_| one.read(1, 0).expect("is sent").busy_ns as f64 - 24_000.0).collect();
    assert!(seen.iter().all(|off| off % 100.0 == 0.0), "no finer than its clock");
    let sigma = (seen.iter().map(|off| off * off).sum::<f64>() / 2000.0).sqrt();
    assert!((sigma / 3000.0 - 1.0).abs() < 0.06, "{sigma} ns");
    let coarse = rig("resolution = \"40us\"").program(0, 0, &page(0)).expect("is sent").busy_ns;
    assert_eq!(coarse, (truth + 20_000) / 40_000 * 40_000);
    // What is measured has no effect on what happens.
    let (mut one, mut other) = (rig("jitter = \"3us\""), exact());
    let (noisy, quiet) = (life(&mut one, 2, Pages::First), life(&mut other, 2, Pages::First));
    assert_eq!(
        (one.now_ns(), noisy.last().map(|row| row.cycle)),
        (other.now_ns(), quiet.last().map(|row| row.cycle))
    );
}

#[test]
fn the_same_seed_draws_the_same_noise() {
    let rows =
        |seed| life(&mut read(&noisy(CHIP), seed).unwrap_or_else(|error| panic!("{error}")), 7, Pages::All);
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
    let alone = rows(1);
    let mut after_others = read(&noisy(CHIP), 1).unwrap_or_else(|error| panic!("{error}"));
    life(&mut after_others, 6, Pages::First);
    assert_eq!(life(&mut after_others, 7, Pages::All), alone, "noise belongs to its block");
}

/// Test: the thresholds of simulated cells have the same bits for vectors of any width; the expected number comes from
/// before `cells/kernels.rs` was compiled for several kinds of processor.
#[test]
fn cells_have_the_same_bits_on_every_processor() {
    let mut chip = chip(7);
    let pages = chip.identify().geometry.pages_per_block.min(8);
    let mut digest = 0u64;
    for _ in 0..2 {
        chip.cycle(3, 500, &Pattern::parse("random").unwrap(), Pages::All).unwrap();
        chip.erase(3).unwrap();
        for at in 0..pages {
            let data: Vec<u8> = (0..528u32).map(|byte| ((byte * 167 + at * 59) >> 2) as u8).collect();
            chip.program(3, at, &data).unwrap();
        }
        chip.let_time_pass(3e6).unwrap();
        for wordline in 0..pages / 2 {
            for volts in chip.threshold_voltages(3, wordline).unwrap() {
                digest = digest.wrapping_mul(0x0100_0000_01b3) ^ u64::from(volts.to_bits());
            }
            for byte in chip.read(3, 2 * wordline + 1).unwrap().data {
                digest = digest.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
            }
        }
        chip.erase(3).unwrap();
    }
    assert_eq!(digest, 0xbbaf_9529_a7a5_d6eb, "{digest:#018x}");
}
