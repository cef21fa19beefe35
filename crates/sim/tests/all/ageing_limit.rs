//! Does a life end where the code can no longer read, with retries, parity and refresh in the account, and is what the
//! chip's tables do not tell refused?

use ecc::tail;
use sim::{AgeRow, Ageing, AgeingOptions, Catalogue, Drive, DriveClass};

const WEAR: [f64; 4] = [0.0, 100.0, 200.0, 400.0];
/// Constant: factors by which three ages of the data (none, 30 days, a year) multiply the error rates of the test's
/// table.
const AGES: [f64; 3] = [1.0, 3.0, 10.0];
/// Constant: options of the test's ageing runs; the service life is half a year, so that data without refresh grow no
/// older than the error table covers (one year).
const SERVICE: AgeingOptions = AgeingOptions {
    seed: 1,
    window: 1.0,
    jump: 0.02,
    hot_writes: 0.0,
    hot_space: 0.0,
    measure: 0.0,
    class: None,
    years: 0.5,
    duty: None,
    celsius: Some(30.0),
    off_celsius: None,
};

/// Returns the raw bit error rate of the test's table: it rises with `wear` (program/erase cycles), the factor `age`
/// for the age of the data, and the page type.
fn rate(wear: f64, age: f64, page_type: usize) -> f64 {
    2e-4 * (1.0 + wear / 50.0) * age * (1.0 + page_type as f64)
}

fn list(values: impl Iterator<Item = f64>) -> String {
    format!("[{}]", values.map(|value| format!("{value:e}")).collect::<Vec<_>>().join(", "))
}

/// Returns the settings of a test drive of 16 MiB whose blocks endure 1000 cycles, with a code that corrects a raw bit
/// error rate of 1.2e-2.
fn settings() -> Vec<String> {
    let grid = || WEAR.iter().flat_map(|wear| AGES.iter().map(move |age| (*wear, *age)));
    let rates =
        |share: f64| list(grid().flat_map(|(wear, age)| [0, 1].map(|of| share * rate(wear, age, of))));
    let by_reads = list(WEAR.iter().flat_map(|wear| [0, 1, 0, 1].map(|of| rate(*wear, 1.0, of))));
    let errors = "nand.tables.errors";
    [
        "nand.blocks_per_plane=128".to_owned(),
        "nand.tables.pe_cycles=[0]".to_owned(),
        "nand.tables.t_prog=[\"200us\", \"400us\"]".to_owned(),
        "nand.tables.t_bers=[\"1ms\"]".to_owned(),
        "nand.tables.endurance.cycles=[1000, 1000]".to_owned(),
        "nand.errors.name=tables".to_owned(),
        format!("{errors}.steps=[1.0]"),
        format!("{errors}.pe_cycles=[0, 100, 200, 400]"),
        format!("{errors}.ages=[\"0s\", \"30d\", \"31557600s\"]"),
        format!("{errors}.reads=[0, 100000]"),
        format!("{errors}.rate={}", rates(1.0)),
        format!("{errors}.rate_best={}", rates(0.5)),
        format!("{errors}.rate_reads={by_reads}"),
        format!("{errors}.activation_ev=1.1"),
        format!("{errors}.reference_celsius=30.0"),
        "ecc.code.name=ldpc".to_owned(),
        "ecc.code.limits=[4e-3, 8e-3, 1.2e-2]".to_owned(),
        "ecc.code.retries=0".to_owned(),
        "ftl.write_cost.retention=30d".to_owned(),
        "ftl.op_ratio=0.4".to_owned(),
    ]
    .into()
}

fn ageing(options: AgeingOptions, more: &[&str]) -> Result<Ageing, String> {
    let mut overrides = settings();
    overrides.extend(more.iter().map(|text| (*text).to_owned()));
    let path = format!("{}/../../tests/drives/tiny.toml", env!("CARGO_MANIFEST_DIR"));
    let drive = Drive::load(&Catalogue::default(), &path, &overrides).map_err(|error| error.to_string())?;
    Ageing::new(drive, options).map_err(|error| error.to_string())
}

fn live(ageing: &mut Ageing) -> Result<AgeRow, String> {
    for _ in 0..5000 {
        let row = ageing.advance().map_err(|error| error.to_string())?;
        if ageing.is_done() {
            return Ok(row);
        }
    }
    panic!("it does not end")
}

fn end(options: AgeingOptions, more: &[&str]) -> AgeRow {
    ageing(options, more).and_then(|mut ageing| live(&mut ageing)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_life_ends_where_the_code_does() {
    let mut all = ageing(SERVICE, &[]).expect("a drive");
    let facts = all.facts();
    let limit = facts.rber_limit.expect("a code");
    assert!((limit / 1.2e-2 - 1.0).abs() < 0.02, "{limit}");
    let last = live(&mut all).expect("a life");
    let found = last.readability.expect("errors");
    assert!(last.unreadable && !last.read_only && found.uber > 1e-15, "{last:?}");
    // The upper page of a block of 200 cycles errs 2e-2 after a year: half of the way from 100 to it is the end.
    let worst = found.worst;
    assert_eq!((worst.page_type, worst.worn), (1, worst.pe_cycles));
    assert!((limit..1.05 * limit).contains(&worst.rber_left), "{found:?}");
    let (mean, wear) = (f64::from(facts.mean_wear.expect("within the table")), last.pe_cycles_mean);
    assert!((wear / mean - 1.0).abs() < 0.1, "{wear} of {mean}");
    // By erases alone it lives five times as long.
    let by_erases = end(SERVICE, &["ecc.code.name=none"]);
    assert!(by_erases.read_only && by_erases.readability.is_none());
    assert!(
        by_erases.drive_writes > 4.0 * last.drive_writes,
        "{} {}",
        by_erases.drive_writes,
        last.drive_writes
    );
}

#[test]
fn the_error_rate_is_that_of_the_binomial_tail() {
    let mut young = ageing(AgeingOptions { jump: 0.0, ..SERVICE }, &[]).expect("a drive");
    let row = (0..60).map(|_| young.advance().expect("a window")).last().expect("windows");
    let found = row.readability.expect("errors");
    // The code of the tiny drive: 4 KiB at 8/9, so many errors that 1.2e-2 keeps the target.
    let bits = 36_864;
    let most = tail::fewest_correctable(bits, 1.2e-2, 1e-15 * f64::from(bits));
    let worst = tail::more_than(bits, most, found.worst.rber_left) / 32_768.0;
    assert!(found.uber <= worst && found.uber > 0.0, "{found:?}, worst {worst:e}");
    // Half of the pages are of the other type, which errs half as much: at most half of what the worst block says.
    assert!(found.uber <= 0.5 * worst * 1.0001, "{found:?}, worst {worst:e}");
    assert_eq!(found.uber, found.uber_without_parity);
}

#[test]
fn jumps_end_where_running_it_all_does() {
    let whole = end(AgeingOptions { jump: 0.0, ..SERVICE }, &[]).drive_writes;
    for jump in [0.02, 0.1] {
        let jumped = end(AgeingOptions { jump, ..SERVICE }, &[]).drive_writes;
        assert!((jumped / whole - 1.0).abs() < 0.05, "jumps of {jump}: {jumped}, {whole} without");
    }
}

#[test]
fn a_weak_block_ends_the_life_of_all() {
    let weak = end(SERVICE, &["nand.tables.endurance.cycles=[500, 1000, 1000, 1000, 1000]"]);
    let worst = weak.readability.expect("errors").worst;
    assert!(worst.worn as f64 > 1.3 * f64::from(worst.pe_cycles), "{worst:?}");
    assert!(weak.drive_writes < 0.8 * end(SERVICE, &[]).drive_writes);
}

#[test]
fn retries_parity_and_the_class_lengthen_a_life_and_refreshing_shortens_it() {
    let lasts = |options, more: &[&str]| end(options, more).drive_writes;
    let plain = lasts(SERVICE, &[]);
    // Four retries by the rule, each of which leaves four fifths.
    assert!(lasts(SERVICE, &["ecc.code.retries=2"]) > 1.2 * plain);
    // A table of 10 mV to the best references 50 mV below, where half of the errors are left.
    let shift = format!("nand.tables.errors.shift=[{}]", ["\"50mV\""; 12].join(", "));
    let table = |retries: &str| {
        lasts(SERVICE, &[&shift, "ecc.code.retry_step=10mV", &format!("ecc.code.retries={retries}")])
    };
    assert!(table("5") > 1.5 * plain && table("2") < table("5") && table("2") > plain);
    assert_eq!(table("5"), table("9"));
    // Three months at 40 degrees are as old as 0.96 of a year at 30, and a tenth as much may be lost.
    let wear = |class| {
        let facts = ageing(AgeingOptions { class, ..SERVICE }, &[]).expect("a drive").facts();
        (facts.class, facts.mean_wear.expect("within the table"))
    };
    let ((own, client), (_, enterprise)) = (wear(None), wear(Some(DriveClass::Enterprise)));
    assert!(own == DriveClass::Client && enterprise > client, "{client} {enterprise}");
    let capacitors = ageing(SERVICE, &["ftl.buffer.power_loss_protection=true"]).expect("a drive").facts();
    assert_eq!((capacitors.class, capacitors.requirement.uber), (DriveClass::Enterprise, 1e-16));
    // What is erased more often than every two days needs no refreshing; what is written once does, 91 times.
    let refreshed =
        |options| end(options, &["ftl.refresh.age=2d"]).readability.expect("errors").refresh_cycles;
    let cold = AgeingOptions { hot_writes: 1.0, hot_space: 0.1, ..SERVICE };
    assert!(refreshed(SERVICE) < 1.0 && (20.0..91.4).contains(&refreshed(cold)), "{}", refreshed(cold));
    assert!(lasts(cold, &["ftl.refresh.age=2d"]) < 0.8 * lasts(cold, &[]));
}

#[test]
fn parity_rebuilds_what_weak_blocks_lose() {
    let dies = ["geometry.channels=4", "nand.blocks_per_plane=64", "ftl.op_ratio=0.8"];
    let weak =
        "nand.tables.endurance.cycles=[300, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]";
    let without = end(SERVICE, &[&dies[..], &[weak]].concat());
    let with = end(SERVICE, &[&dies[..], &[weak, "ftl.parity.name=rain"]].concat());
    let found = with.readability.expect("errors");
    assert!(found.uber_without_parity > 1e3 * found.uber, "{found:?}");
    assert!(with.pe_cycles_mean > 1.05 * without.pe_cycles_mean, "{with:?} {without:?}");
}

#[test]
fn all_kinds_of_mapping_end_by_the_code() {
    for kind in ["page", "dftl", "birrell", "bast", "block", "fast", "replacement"] {
        let kind = format!("ftl.mapping.name={kind}");
        let unit = if kind.contains("st") || kind.ends_with("block") || kind.ends_with("replacement") {
            "ftl.mapping_unit=2KiB"
        } else {
            "ftl.mapping_unit=4KiB"
        };
        let last = end(SERVICE, &[&kind, unit]);
        let worst = last.readability.expect("errors").worst;
        assert!(last.unreadable && (100..200).contains(&worst.worn), "{kind}: {last:?}");
    }
}

#[test]
fn data_in_use_are_as_old_as_the_years_and_the_refresh_allow() {
    let cold = AgeingOptions { hot_writes: 1.0, hot_space: 0.1, ..SERVICE };
    let after = |options, more: &[&str]| {
        let mut all = ageing(options, more).expect("a drive");
        live(&mut all).expect("a life");
        all.in_use().expect("errors")
    };
    let half_a_year = 0.5 * 365.25 * 86_400.0;
    let found = after(cold, &[]);
    assert!((found.oldest_s / half_a_year - 1.0).abs() < 0.01, "{found:?}");
    assert!(found.years_readable.is_none() && found.unknown.is_none());
    // What is hot enough, a table of half a year's heat does not know, and says so.
    let hot = after(AgeingOptions { celsius: Some(60.0), ..cold }, &[]);
    assert!(hot.unknown.is_some_and(|text| text.contains("nand.tables.errors.ages[2] = 365d")));
    let refreshed = after(AgeingOptions { celsius: Some(60.0), ..cold }, &["ftl.refresh.age=3d"]);
    assert!((refreshed.oldest_s / (3.0 * 86_400.0) - 1.0).abs() < 1e-9, "{refreshed:?}");
    assert!(refreshed.unknown.is_none(), "{refreshed:?}");
}

#[test]
fn what_the_tables_do_not_tell_is_refused_with_the_cell() {
    let refused = |options, more: &[&str]| {
        ageing(options, more).and_then(|mut ageing| live(&mut ageing)).expect_err("it lived")
    };
    let short = "nand.tables.errors.ages=[\"0s\", \"30d\", \"300d\"]";
    let text = refused(SERVICE, &[short]);
    assert!(text.contains("nand.tables.errors.ages[2] = 300d: 365d at 30 C is as old as 365d"), "{text}");
    // A code that reads the last row of the table, too.
    let text = refused(SERVICE, &["ecc.code.limits=[4e-3, 8e-2]"]);
    assert!(text.contains("nand.tables.errors.pe_cycles[3] = 400: block"), "{text}");
    // A rate that falls from 200 to 400 cycles.
    let grid = WEAR.iter().flat_map(|wear| AGES.iter().map(move |age| (*wear, *age)));
    let falling =
        grid.flat_map(|(wear, age)| [0, 1].map(|of| rate(if wear > 200.0 { 100.0 } else { wear }, age, of)));
    let falls = format!("nand.tables.errors.rate={}", list(falling));
    let text = refused(SERVICE, &[&falls]);
    assert!(text.contains("pe_cycles") && text.contains("page type 0") && text.contains("fall"), "{text}");
    // Neither lives nor errors are known.
    let text = refused(SERVICE, &["ecc.code.name=none", "nand.tables.endurance.cycles=[1000]"]);
    assert!(text.contains("at least two values"), "{text}");
    for bad in ["{\"years\": 0}", "{\"duty\": 2}", "{\"celsius\": 900}", "{\"class\": \"laptop\"}"] {
        assert!(AgeingOptions::from_json(bad).is_err(), "{bad}");
    }
}
