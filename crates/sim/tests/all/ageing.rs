//! Does a drive end where its blocks' lives say, and do jumps through time change when?

use sim::{AgeRow, Ageing, AgeingOptions, Catalogue, Drive};

/// Constant: settings of a test drive with 16 MiB of flash whose blocks endure 150 to 290 program/erase cycles.
const MORTAL: [&str; 7] = [
    "nand.blocks_per_plane=128",
    "nand.tables.pe_cycles=[0]",
    "nand.tables.t_prog=[\"200us\", \"400us\"]",
    "nand.tables.t_bers=[\"1ms\"]",
    "nand.tables.endurance.cycles=[150, 200, 210, 220, 290]",
    "ftl.op_ratio=0.4",
    "ftl.gc.victim.name=greedy",
];

fn drive(more: &[&str]) -> Drive {
    let maps_blocks = more.iter().any(|text| text.starts_with("ftl.mapping."));
    let says = |text: &&&str| !(maps_blocks && text.starts_with("ftl.gc."));
    let overrides: Vec<String> =
        MORTAL.iter().chain(more).filter(says).map(|text| (*text).to_owned()).collect();
    let path = format!("{}/../../tests/drives/tiny.toml", env!("CARGO_MANIFEST_DIR"));
    Drive::load(&Catalogue::default(), &path, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn life(options: AgeingOptions, more: &[&str]) -> Vec<AgeRow> {
    let mut ageing = Ageing::new(drive(more), options).unwrap_or_else(|error| panic!("{error}"));
    let mut rows = Vec::new();
    while !ageing.is_done() {
        rows.push(ageing.advance().unwrap_or_else(|error| panic!("{error}")));
        assert!(rows.len() < 5000, "it does not end: {:?}", rows.last());
    }
    rows
}

#[test]
fn a_drive_ends_when_its_blocks_do() {
    let rows = life(AgeingOptions { jump: 0.0, ..AgeingOptions::default() }, &[]);
    let last = rows.last().expect("it lived");
    assert!(last.read_only);
    assert!(rows.windows(2).all(|pair| pair[0].bad_blocks <= pair[1].bad_blocks));
    // Nothing fails before the first block's life is over, and no block outlives the longest.
    let first_failure = rows.iter().find(|row| row.bad_blocks > 0).expect("blocks failed");
    assert!(first_failure.pe_cycles_max >= 150, "{first_failure:?}");
    assert!(last.pe_cycles_max <= 290, "{last:?}");
    // Blocks that fail take over-provisioning away, so that writes cost more.
    assert!(last.waf > 1.2 * rows[0].waf, "{} {}", rows[0].waf, last.waf);
    // All erases were paid for by what was written. The last window may be a short one.
    let superblocks = 2.0 * 128.0;
    let mut before = 0.0;
    let programmed =
        |row: &AgeRow| row.waf * (row.drive_writes - std::mem::replace(&mut before, row.drive_writes));
    let written: f64 = rows.iter().map(programmed).sum();
    let erased = last.pe_cycles_mean * superblocks / (superblocks / 1.4);
    assert!((written / erased - 1.0).abs() < 0.05, "{written} overwrites programmed, {erased} erased");
}

#[test]
fn jumps_agree_with_running_it_all() {
    // The blocks whose lives a jump ends live on to its end: it may add up to its own size.
    let jump = 0.02;
    for more in [&[][..], &["ftl.wear.name=none"][..], &["ftl.wear.name=static"][..]] {
        let lives = |jump: f64| -> (f64, u32) {
            let ends = (1..=4).map(|seed| {
                let rows = life(AgeingOptions { jump, seed, ..AgeingOptions::default() }, more);
                let jumped: u32 = rows.iter().map(|row| row.jumped).sum();
                (rows.last().expect("it lived").drive_writes, jumped)
            });
            ends.fold((0.0, 0), |(all, jumps), (written, jumped)| (all + written / 4.0, jumps + jumped))
        };
        let ((whole, _), (jumped, generations)) = (lives(0.0), lives(jump));
        assert!(generations > 50, "{more:?}: {generations} generations jumped over");
        assert!((jumped / whole - 1.0).abs() < jump, "{more:?}: {whole} and {jumped} drive writes");
    }
}

/// Checks that short measured windows give the same life as a drive simulated in full, if the jumps (wear extrapolated
/// between windows) are short, too: a short window finds some blocks erased and others not, and a jump multiplies this
/// difference.
#[test]
fn short_windows_agree_where_jumps_are_short() {
    let mean = |jump: f64, window: f64| -> f64 {
        let options = |seed| AgeingOptions { jump, window, seed, ..AgeingOptions::default() };
        (1..=6).map(|seed| life(options(seed), &[]).last().expect("it lived").drive_writes / 6.0).sum()
    };
    let (whole, jumped) = (mean(0.0, 1.0), mean(0.004, 0.2));
    assert!((jumped / whole - 1.0).abs() < 0.02, "{whole} and {jumped} drive writes");
}

#[test]
fn the_same_seed_is_the_same_life() {
    let options = AgeingOptions { hot_writes: 0.8, hot_space: 0.2, ..AgeingOptions::default() };
    assert_eq!(life(options, &[]), life(options, &[]));
}

#[test]
fn what_cannot_be_aged_is_refused() {
    let mut without: Vec<String> = MORTAL[..1].iter().map(|text| (*text).to_owned()).collect();
    without.push("ftl.op_ratio=0.4".to_owned());
    let path = format!("{}/../../tests/drives/tiny.toml", env!("CARGO_MANIFEST_DIR"));
    let drive = Drive::load(&Catalogue::default(), &path, &without).unwrap_or_else(|error| panic!("{error}"));
    let refused = Ageing::new(drive, AgeingOptions::default()).err().expect("no endurance is known");
    assert!(refused.to_string().contains("nand.tables.endurance: missing"), "{refused}");
    for text in ["{\"jump\": 2}", "{\"window\": 0}", "{\"hot_writes\": 0.5}", "{\"speed\": 1}"] {
        assert!(AgeingOptions::from_json(text).is_err(), "{text}");
    }
}

/// Returns options of an ageing run for a test: all writes go to one tenth of the drive, and nine tenths hold data that
/// are written once.
fn cold() -> AgeingOptions {
    AgeingOptions { jump: 0.0, hot_writes: 1.0, hot_space: 0.1, ..AgeingOptions::default() }
}

fn end(options: AgeingOptions, more: &[&str]) -> AgeRow {
    *life(options, more).last().expect("it lived")
}

#[test]
fn with_cold_data_the_strategies_part() {
    let by = |name: &str| end(cold(), &[&format!("ftl.wear.name={name}")]);
    let [wear_out, dynamic, levelled] = ["wear-out", "dynamic", "static"].map(by);
    let writes = |row: AgeRow| row.drive_writes;
    // Without levelling only the blocks under hot data wear; the others are as good as new when the drive ends.
    assert!(writes(levelled) > 1.5 * writes(dynamic), "{levelled:?} {dynamic:?}");
    assert!(dynamic.pe_cycles_min < 10 && levelled.pe_cycles_min > 100, "{levelled:?} {dynamic:?}");
    // Fewer superblocks rotate, and so blocks fail from early on.
    let first_failure = |name: &str| {
        let rows = life(cold(), &[&format!("ftl.wear.name={name}")]);
        rows.iter().find(|row| row.bad_blocks > 0).expect("blocks failed").drive_writes
    };
    assert!(first_failure("wear-out") < 0.8 * first_failure("dynamic"));
    assert!(writes(wear_out) < 1.1 * writes(dynamic), "{wear_out:?} {dynamic:?}");
}

/// Constant: settings of a chip whose program and erase times change at ten counts of program/erase cycles, within a
/// mean life of 212 cycles.
const STEPS: [&str; 3] = [
    "nand.tables.pe_cycles=[0, 20, 40, 60, 80, 100, 120, 140, 160, 180]",
    "nand.tables.t_prog=[\"400us\",\"400us\",\"390us\",\"390us\",\"380us\",\"380us\",\"370us\",\"370us\",\"360us\",\"360us\",\
     \"350us\",\"350us\",\"340us\",\"340us\",\"330us\",\"330us\",\"320us\",\"320us\",\"310us\",\"310us\"]",
    "nand.tables.t_bers=[\"1ms\",\"1100us\",\"1200us\",\"1300us\",\"1400us\",\"1500us\",\"1600us\",\"1700us\",\"1800us\",\
     \"1900us\"]",
];

#[test]
fn latency_tells_which_blocks_to_spare() {
    let spread = "nand.tables.endurance.cycles=[80, 130, 210, 290, 350]";
    let by = |name: &str| {
        let name = format!("ftl.wear.name={name}");
        let options = AgeingOptions { hot_space: 0.3, ..cold() };
        end(
            options,
            &[&STEPS[..], &[spread, name.as_str(), "ftl.wear.threshold=10", "ftl.wear.period=4"]].concat(),
        )
    };
    let (counted, guided) = (by("static"), by("latency-guided"));
    // Weak blocks are given cold data to hold, strong ones wear more: all end nearer to each other.
    assert!(guided.drive_writes > 1.1 * counted.drive_writes, "{guided:?} {counted:?}");
    assert!(guided.pe_cycles_max > counted.pe_cycles_max, "{guided:?} {counted:?}");
}

#[test]
fn an_aged_drive_is_measured_without_a_trace() {
    let options = AgeingOptions { measure: 0.2, jump: 0.02, ..AgeingOptions::default() };
    let rows = life(options, &STEPS);
    let unseen = life(AgeingOptions { measure: 0.0, ..options }, &STEPS);
    let without = |row: &AgeRow| AgeRow { speed: None, ..*row };
    assert_eq!(rows.iter().map(without).collect::<Vec<_>>(), unseen);
    let speeds: Vec<_> = rows.iter().filter_map(|row| row.speed).collect();
    assert!((3..=12).contains(&speeds.len()), "{}", speeds.len());
    let (first, last) = (speeds[0], speeds[speeds.len() - 1]);
    // A new block is programmed in 400 us and erased in 1 ms; programs become quicker, erases slower.
    assert_eq!((first.program_ns_mean.round(), first.erase_ns_mean), (400_000.0, Some(1_000_000.0)));
    assert!(last.program_ns_mean < 380_000.0 && last.erase_ns_mean > Some(1_200_000.0), "{last:?}");
    assert!(last.read_ns_p99 > 0 && last.write_ns_p99 as f64 > last.write_ns_mean / 2.0);
}

#[test]
fn a_map_of_blocks_ends_when_its_blocks_do_and_merges_take_it_there_sooner() {
    let written = |rows: &[AgeRow]| rows.last().expect("it lived").drive_writes;
    let pages = written(&life(AgeingOptions::default(), &[]));
    for kind in ["bast", "block", "fast", "replacement"] {
        let kind = format!("ftl.mapping.name={kind}");
        let more: &[&str] = &[&kind, "ftl.mapping_unit=2KiB"];
        let rows = life(AgeingOptions { measure: 0.05, ..AgeingOptions::default() }, more);
        let last = rows.last().expect("it lived");
        assert!(last.read_only && last.pe_cycles_max <= 290, "{kind}: {last:?}");
        let first_failure = rows.iter().find(|row| row.bad_blocks > 0).expect("blocks failed");
        assert!(first_failure.pe_cycles_max >= 150, "{kind}: {first_failure:?}");
        assert!(rows[0].waf > 2.0 && written(&rows) < 0.7 * pages, "{kind}: {last:?}, of pages {pages}");
        assert!(rows.iter().any(|row| row.speed.is_some()), "{kind}");
        // Looking at it changes nothing.
        let unseen = life(AgeingOptions::default(), more);
        assert_eq!(written(&rows), written(&unseen), "{kind}");
    }
}
