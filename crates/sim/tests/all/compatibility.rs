//! What the table of features says is so: pairs that stand in it are refused in a line, all others run.

use crate::common::run;
use engine::RandomStream;
use ftl::compatibility::{APART, Feature, NEEDS, Switch, between};
use host::{Op, Workload};
use sim::{Ageing, AgeingOptions, Drive, Error, PreconditionKind, RunOptions, Session};

/// Constant: settings of a test drive so small that a run takes a moment, with four dies, as many as parity needs.
const TINY: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=2",
    "nand.cell=mlc",
    "nand.planes=2",
    "nand.blocks_per_plane=24",
    "nand.pages_per_block=8",
    "nand.page_size=4KiB",
    "nand.t_r=40us",
    "nand.t_prog=300us",
    "nand.t_bers=2ms",
    "controller.multi_plane=false",
    "bus.interface.rate=400MT/s",
    "ftl.op_ratio=1.5",
    "ftl.buffer.size=64KiB",
    "ftl.streams.name=separate",
];

/// Returns the ways to enable a feature: lists of settings, each of which is enough by itself, with the settings that
/// the feature takes.
fn settings(feature: Feature) -> Vec<Vec<String>> {
    let owned = |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| (*line).to_owned()).collect() };
    let one = |lines: &[&str]| vec![owned(lines)];
    match feature {
        Feature::BlockMap => {
            assert_eq!(feature.switch(), Switch::Is(&["bast", "block", "fast", "replacement"]));
            let kinds =
                ["bast", "block", "fast", "replacement"].map(|kind| format!("ftl.mapping.name={kind}"));
            kinds.map(|line| vec![line]).to_vec()
        }
        Feature::Zones => ["zoned-all", "zoned-on-write", "zoned-width"]
            .map(|kind| {
                let line = format!("ftl.mapping.name={kind}");
                let more = ["ftl.buffer.power_loss_protection=true", "ftl.mapping.max_open=3"];
                std::iter::once(line).chain(more.map(str::to_owned)).collect()
            })
            .to_vec(),
        Feature::Dftl => one(&["ftl.mapping.name=dftl", "ftl.mapping.cache=512B"]),
        Feature::Birrell => one(&["ftl.mapping.name=birrell", "ftl.mapping.checkpoint_every=8"]),
        Feature::Recovery => vec![
            owned(&["ftl.recovery.name=summaries"]),
            owned(&["ftl.recovery.name=checkpoint", "ftl.recovery.write_budget=0.1"]),
        ],
        Feature::Code => one(&["ecc.code.name=ldpc", "nand.errors.name=power-law", "nand.pe_cycles=1000"]),
        Feature::Regulator => one(&["ftl.regulator.name=agcr"]),
        Feature::Refresh => one(&["ftl.refresh.age=30d"]),
        Feature::Patrol => one(&["ftl.scrub.period=10d", "ftl.scrub.idle_after=0ns"]),
        Feature::WearLevelling => one(&["ftl.wear.name=static", "ftl.wear.period=2"]),
        Feature::SlcCache => one(&[
            "nand.slc_mode.t_r=20us",
            "nand.slc_mode.t_prog=100us",
            "ftl.slc_cache.name=static",
            "ftl.slc_cache.size=64KiB",
            "ftl.slc_cache.idle_after=0ns",
        ]),
        Feature::OneBitCells => one(&["nand.cell=slc"]),
        Feature::Parity => one(&["ftl.parity.name=rain"]),
        Feature::FailedDie => one(&["ftl.failed_die=1"]),
        Feature::DieFault => {
            vec![owned(&["fault.die=1", "fault.after=400"]), owned(&["fault.channel=0", "fault.at=2ms"])]
        }
        Feature::DeterministicTrim => one(&["ftl.trim=deterministic"]),
        Feature::Snapshots => vec![
            owned(&["ftl.snapshots.every=5ms", "ftl.snapshots.rollback_at=[\"12ms\"]"]),
            owned(&["ftl.snapshots.at=[\"3ms\", \"9ms\"]"]),
        ],
        Feature::MixedStreams => one(&["ftl.streams.name=mixed"]),
        Feature::Streams => {
            vec![
                owned(&["ftl.streams.name=hot-cold"]),
                owned(&["ftl.streams.name=sepbit", "ftl.op_ratio=3"]),
                owned(&["ftl.streams.name=two-region"]),
                owned(&["ftl.streams.name=fdp", "ftl.streams.handles=2"]),
            ]
        }
        Feature::ProgramOrder => one(&["ftl.program_order.name=fast-first"]),
        Feature::Bursts => one(&["ftl.gc.burst_programs=3"]),
        Feature::Copyback => one(&["controller.copyback=true"]),
        Feature::SeveralUnits => {
            vec![owned(&["controller.multi_plane=true"]), owned(&["ftl.mapping_unit=2KiB"])]
        }
        Feature::Sectors => one(&["ftl.sectors.track=true", "ftl.sectors.unwritten=flash"]),
        Feature::BufferDram => one(&["ftl.buffer.dram.transfers=800"]),
        Feature::InFlight => one(&["ftl.buffer.in_flight=64KiB"]),
        Feature::KeepRewritten => one(&["ftl.buffer.keep_rewritten=100us", "ftl.buffer.keep_ratio=0.5"]),
        Feature::ReadMerge => one(&["ftl.read_merge.name=same-page"]),
        Feature::ReadAhead => one(&[
            "ftl.read_ahead.name=sequential",
            "ftl.read_ahead.size=256KiB",
            "ftl.read_ahead.depth=64KiB",
        ]),
        Feature::CacheRead => one(&["controller.cache_read=true"]),
        Feature::CacheProgram => one(&["controller.cache_program=true"]),
        Feature::LateChoice => one(&["controller.late_choice=true"]),
        Feature::DiesTakeTurns => one(&["controller.dies_take_turns=true", "geometry.dies_per_way=2"]),
        Feature::PairedPlanes => one(&["controller.paired_planes=2"]),
        Feature::PowerCut => vec![
            owned(&["power.cut.drawn=3", "power.cut.within=400"]),
            owned(&["power.cut.at=[\"3ms\", \"9ms\"]"]),
            owned(&["power.cut.after=[5, 60]"]),
        ],
        Feature::Instant | Feature::SavedState | Feature::Sampled => one(&[]),
        Feature::Ageing => one(&[
            "nand.tables.pe_cycles=[0]",
            "nand.tables.t_prog=[\"200us\", \"400us\"]",
            "nand.tables.t_bers=[\"1ms\"]",
            "nand.tables.endurance.cycles=[1500, 2000, 2100, 2200, 2900]",
        ]),
    }
}

/// Returns the features that `feature` needs, in the order in which to enable them, with `feature` itself last.
pub(crate) fn with_needs(feature: Feature) -> Vec<Feature> {
    let mut all: Vec<Feature> =
        (NEEDS.iter().filter(|row| row.feature == feature)).flat_map(|row| with_needs(row.needed)).collect();
    all.push(feature);
    all
}

/// Returns the settings of the tiny test drive with these features: one list of `key=value` lines for each combination
/// of the ways to enable them.
pub(crate) fn lines_of(features: &[Feature]) -> Vec<Vec<String>> {
    let mut ways = vec![TINY.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()];
    for &feature in features {
        let more = settings(feature);
        ways = ways.iter().flat_map(|way| more.iter().map(|lines| [&way[..], lines].concat())).collect();
    }
    if features.contains(&Feature::OneBitCells) {
        // Such a chip has no other mode, and its tables know one type of page.
        for way in &mut ways {
            way.retain(|line| !line.starts_with("nand.slc_mode"));
            way.iter_mut()
                .filter(|line| line.starts_with("nand.tables.t_prog"))
                .for_each(|line| *line = "nand.tables.t_prog=[\"200us\"]".to_owned());
        }
    }
    ways
}

/// Makes the test workload of 200 writes, reads, trims and flushes, some of the writes sequential.
pub(crate) fn load(capacity: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(5, "pairs");
    let units = capacity / 4096;
    crate::common::closed_loop(200, 4, move |number| {
        let (kind, at) = (random.below(20), random.below(units / 2));
        match kind {
            0 => (Op::FLUSH, 0, 0),
            1 => (Op::TRIM, at * 4096, 4096),
            2..=7 => (Op::READ, at * 4096, 8192),
            8..=10 => (Op::WRITE, at * 4096 + 512, 1024),
            11..=13 => (Op::WRITE, number % (units / 8) * 4096, 4096),
            _ => (Op::WRITE, at * 4096, 8192),
        }
    })
}

/// Makes the test workload for a drive of zones: 200 appends, reads, resets and flushes.
fn zoned_load(zones: host::HostZones) -> Box<dyn Workload> {
    let mut random = RandomStream::new(5, "pairs");
    crate::common::closed_loop(200, 4, move |_| {
        let start = random.below(4) * zones.size;
        match random.below(20) {
            0 => (Op::FLUSH, 0, 0),
            1 => (Op::ZONE_RESET, start, 0),
            2..=7 => (Op::READ, start, zones.block as u32),
            _ => (Op::APPEND, start, 2 * zones.block as u32),
        }
    })
}

/// Constant: share of a zoned drive that is written before its run, so that it has full zones, a partly written one,
/// and empty ones.
pub(crate) const FILLED_ZONES: f64 = 0.13;

/// Returns true if the settings `lines` are of a drive of zones.
pub(crate) fn is_zoned(lines: &[String]) -> bool {
    lines.iter().any(|line| line.contains("=zoned-"))
}

/// Returns the kind of preconditioning after which the run of a drive with the settings `lines` meets data written
/// before.
pub(crate) fn usual_state(lines: &[String]) -> PreconditionKind {
    if is_zoned(lines) { PreconditionKind::Fill } else { PreconditionKind::Steady }
}

/// Makes the workload of the compatibility tests for a drive, with or without zones.
pub(crate) fn load_of(drive: &Drive) -> Box<dyn Workload> {
    drive.space().zones.map_or_else(|| load(drive.capacity().get()), zoned_load)
}

/// Runs, with the checker on, a test drive with the settings `lines` and those of the features `asked` that need steps
/// of their own, such as ageing or saving.
fn play(lines: &[String], asked: &[Feature]) -> Result<(), Error> {
    let drive = || Drive::from_resolved("pair", lines);
    let folder = tempfile::tempdir().expect("a folder for the state");
    let path = folder.path().join("state");
    // On a drive in its steady state collection is at work from the first write on.
    let instant = asked.contains(&Feature::Instant);
    let precondition = match instant {
        true => PreconditionKind::Instant,
        false => usual_state(lines),
    };
    let fill = if is_zoned(lines) { FILLED_ZONES } else { 1.0 };
    let mut options = RunOptions { check: true, seed: 3, precondition, fill, ..RunOptions::default() };
    if asked.contains(&Feature::Ageing) {
        let mut ageing = Ageing::new(drive()?, AgeingOptions { measure: 0.5, ..AgeingOptions::default() })?;
        for _ in 0..3 {
            ageing.advance()?;
        }
    }
    if asked.contains(&Feature::Sampled) {
        (options.check, options.sample) = (false, Some("auto".to_owned()));
    }
    if asked.contains(&Feature::SavedState) {
        options.save_state = Some(path.display().to_string());
    }
    let whole = drive()?;
    let workload = load_of(&whole);
    let mut session = Session::with_workload(whole, workload, options.clone())?;
    session.finish()?;
    session.result()?;
    if asked.contains(&Feature::SavedState) {
        let load_state = options.save_state.take();
        let options = RunOptions { load_state, precondition: PreconditionKind::None, ..options };
        let whole = drive()?;
        let workload = load_of(&whole);
        run(whole, workload, options);
    }
    Ok(())
}

/// Returns the one-line error text with which a drive with these features is refused.
fn refusal(features: &[Feature], lines: &[String]) -> String {
    let error = play(lines, features).err().unwrap_or_else(|| panic!("{features:?} is taken")).to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn every_row_is_refused_with_both_features_and_what_to_change() {
    for row in APART {
        for lines in lines_of(&[with_needs(row.b), with_needs(row.a)].concat()) {
            let error = refusal(&[row.a, row.b], &lines);
            let names = |feature: Feature| feature.keys().iter().any(|key| error.contains(key));
            assert!(names(row.a) && names(row.b), "{row:?}: {error}");
            let says = format!("{}; expected {}", row.reason.text(), row.change);
            assert!(error.contains(&says), "{says}: {error}");
        }
    }
    for row in NEEDS {
        for lines in lines_of(&[row.feature]) {
            let error = refusal(&[], &lines);
            let begin = format!("{} = ", row.feature.keys()[0]);
            let says = format!("needs {}: {}; expected {}", row.needed.keys()[0], row.reason, row.change);
            assert!(error.contains(&begin) && error.contains(&says), "{says}: {error}");
        }
    }
}

/// Returns true if two features are set by the same keys, as alternatives or opposites, so that no drive file can ask
/// for both.
pub(crate) fn is_choice(a: Feature, b: Feature) -> bool {
    a.keys() == b.keys()
}

/// Checks that garbage collection works in a run of the tiny test drive, without which most pairs of features would not
/// meet.
#[test]
fn the_tiny_drive_collects_in_its_run() {
    let drive = Drive::from_resolved("tiny", &lines_of(&[])[0]).unwrap_or_else(|error| panic!("{error}"));
    let workload = load(drive.capacity().get());
    let precondition = PreconditionKind::Steady;
    let (_, result) = run(drive, workload, RunOptions { precondition, ..RunOptions::default() });
    assert!(result["flash"]["programs"]["gc"].as_u64().expect("a count") > 0, "{}", result["flash"]);
}

/// Runs a drive with a pair of features and returns a description of the fault: an error although the table allows the
/// pair, or no refusal although it forbids the pair; `None` without a fault.
fn fault(a: Feature, b: Feature, lines: &[String]) -> Option<String> {
    let played = std::panic::catch_unwind(|| play(lines, &[a, b]));
    let what = match (between(a, b), played) {
        (None, Ok(Ok(()))) | (Some(_), Ok(Err(_))) => return None,
        (None, Ok(Err(error))) => error.to_string(),
        (None, Err(_)) => "the run stopped, see above".to_owned(),
        (Some(row), _) => format!("taken, though {row:?} forbids it"),
    };
    Some(format!("{a:?} and {b:?}: {what}; repeat with {}", lines.join(" ")))
}

#[test]
fn every_other_pair_builds_and_runs() {
    let mut faults = Vec::new();
    let pairs =
        Feature::ALL.iter().enumerate().flat_map(|(at, a)| Feature::ALL[..at].iter().map(|b| (*a, *b)));
    for (a, b) in pairs.filter(|(a, b)| !is_choice(*a, *b)) {
        let ways = lines_of(&[with_needs(a), with_needs(b)].concat());
        // Of the streams, placement handles alone are refused in a sampled run: by their value.
        let is_refused = |lines: &&Vec<String>| {
            [a, b].contains(&Feature::Sampled) && lines.iter().any(|line| line == "ftl.streams.name=fdp")
        };
        faults.extend(ways.iter().filter(|lines| !is_refused(lines)).filter_map(|lines| fault(a, b, lines)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Checks that the table of features counts a kind of mapping as block-mapped exactly if its translation layer is.
#[test]
fn kinds_of_mapping_are_told_apart_by_their_layers() {
    for entry in sim::policies().iter().filter(|entry| entry.seam == "ftl.mapping") {
        let name = entry.card.name;
        let mut lines = lines_of(&[]).remove(0);
        lines.push(format!("ftl.mapping.name={name}"));
        if Feature::Zones.is_on(name, 1) {
            lines.push("ftl.buffer.power_loss_protection=true".to_owned());
        }
        let mut ftl = Drive::from_resolved("kind", &lines).and_then(|drive| drive.build(1)).expect(name);
        assert_eq!(ftl.as_block_mapped().is_some(), Feature::BlockMap.is_on(name, 1), "{name}");
    }
}
