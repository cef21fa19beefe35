//! Sizes before memory: each size that follows from input is compared with what there is before it is allocated.

use crate::common::{SMALL, catalogue, drive, uniform};
use host::Op;
use sim::{Drive, Error, PreconditionKind, RunOptions, Session};

fn begin(drive: Drive, options: RunOptions) -> Result<Session, Error> {
    Session::with_workload(drive, uniform(10, 1, Op::WRITE, 4096, 1 << 20, 1), options)
}

fn refused(result: Result<Session, Error>) -> String {
    let error = result.err().expect("refused").to_string();
    assert!(!error.contains('\n') && error.contains("expected"), "{error}");
    error
}

#[test]
fn a_drive_with_more_blocks_than_the_machine_can_hold_is_refused() {
    for (setting, key) in [
        ("nand.blocks_per_plane=4294967295", "nand.blocks_per_plane"),
        ("nand.pages_per_block=4294967292", "nand.p"),
        ("geometry.channels=4294967295", "geometry.channels"),
        ("nand.planes=4294967295", "nand.planes"),
    ] {
        let error = Drive::load(&catalogue(), "slc", &[setting.to_owned()]);
        let error = error.err().unwrap_or_else(|| panic!("{setting} is refused")).to_string();
        assert!(error.contains(key) || error.contains("mapping"), "{setting}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

/// Checks that a drive of 15,000 GiB, which has few enough blocks to be numbered but more units than 16 GiB of memory
/// hold, is refused before it is built.
#[test]
fn a_drive_of_thousands_of_gibibytes_is_refused_before_it_is_made() {
    let settings =
        ["nand.blocks_per_plane=122880", "geometry.channels=16", "geometry.ways=8", "ftl.op_ratio=0.1"];
    let drive = Drive::load(&catalogue(), "slc", &settings.map(str::to_owned))
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(drive.capacity().get() >> 30 > 10_000, "{} GiB", drive.capacity().get() >> 30);
    let error = refused(begin(drive, RunOptions { memory_limit: Some(16 << 30), ..RunOptions::default() }));
    assert!(error.contains("bytes for each of") && error.contains("GiB"), "{error}");
}

/// Checks that a drive of 16 TB with each kind of map, and each preconditioning, is refused for lack of memory before
/// any part of it is made.
#[test]
fn every_kind_of_drive_is_refused_before_it_is_made() {
    let large =
        ["nand.blocks_per_plane=122880", "geometry.channels=16", "geometry.ways=8", "ftl.op_ratio=0.1"];
    for kind in ["page", "dftl", "birrell", "block", "bast", "fast", "replacement"] {
        let name = format!("ftl.mapping.name={kind}");
        let settings: Vec<String> = large.iter().copied().chain([&*name]).map(str::to_owned).collect();
        for precondition in [
            PreconditionKind::None,
            PreconditionKind::Fill,
            PreconditionKind::Steady,
            PreconditionKind::Instant,
        ] {
            let Ok(drive) = Drive::load(&catalogue(), "slc", &settings) else {
                panic!("{kind}: {}", Drive::load(&catalogue(), "slc", &settings).err().expect("refused"));
            };
            let options = RunOptions { precondition, memory_limit: Some(1 << 30), ..RunOptions::default() };
            let error = refused(begin(drive, options));
            let has_arithmetic = error.contains("bytes for each of") && error.contains("allows 1.0 GiB");
            let is_refused_anyway = precondition == PreconditionKind::Instant && kind != "page";
            assert!(
                has_arithmetic && error.contains("nand.blocks_per_plane") || is_refused_anyway,
                "{kind}: {error}"
            );
        }
    }
}

#[test]
fn a_drive_beyond_the_limit_is_refused_with_the_arithmetic() {
    let limited = |memory_limit, check| {
        let options = RunOptions { memory_limit: Some(memory_limit), check, ..RunOptions::default() };
        begin(drive(SMALL), options)
    };
    let error = refused(limited(50_000, false));
    assert!(
        error.contains("bytes for each of 8192 units on flash") && error.contains("--memory-limit allows"),
        "{error}"
    );
    assert!(limited(1 << 20, false).is_ok());
    assert!(refused(limited(160_000, true)).contains("with --check"));
}

const MLC: &[&str] = &["nand.cell=mlc", "nand.t_prog=600us"];
const CODE: &[&str] = &["nand.pe_cycles=1000", "nand.errors.name=power-law", "ecc.code.name=ldpc"];

/// Checks that the memory reckoned before a drive is built is no less, and not much more, than the drive then counts,
/// for several features.
#[test]
fn what_is_reckoned_is_what_is_taken() {
    let features: [&[&str]; 13] = [
        &[],
        &["ftl.mapping.name=dftl", "ftl.mapping.cache=1MiB"],
        &["ftl.mapping.name=birrell"],
        &["ftl.mapping.name=block"],
        &["ftl.mapping.name=bast"],
        &["ftl.mapping.name=fast"],
        &[MLC, &["ftl.slc_cache.name=dynamic", "nand.slc_mode.t_r=25us", "nand.slc_mode.t_prog=150us"]]
            .concat(),
        &[MLC, CODE].concat(),
        &[MLC, CODE, &["ftl.regulator.name=agcr"]].concat(),
        &["ftl.sectors.track=true", "ftl.mapping.name=dftl"],
        &["ftl.buffer.keep_ratio=0.5", "ftl.buffer.keep_rewritten=1ms", "ftl.sectors.track=true"],
        &["ftl.snapshots.at=0s"],
        &["ftl.parity.name=rain", "ftl.op_ratio=0.8"],
    ];
    for feature in features {
        let settings = [&["nand.blocks_per_plane=512", "ftl.op_ratio=0.3"], feature].concat();
        let drive = || drive(&[SMALL, &settings].concat());
        let mut session =
            begin(drive(), RunOptions::default()).unwrap_or_else(|e| panic!("{feature:?}: {e}"));
        session.finish().unwrap();
        let taken = session.result().unwrap()["engine"]["state_bytes"].as_u64().unwrap();
        let fits = |limit: u64| {
            begin(drive(), RunOptions { memory_limit: Some(limit), ..RunOptions::default() }).is_ok()
        };
        let reckoned = (1..40).find(|tenths| fits(taken * tenths / 10)).expect("at most four times as much");
        println!("{feature:?}: {taken} taken, {reckoned} tenths of it reckoned");
        assert!(
            (10..=20).contains(&reckoned),
            "{feature:?}: {taken} bytes are taken, {reckoned} tenths reckoned"
        );
    }
}

/// Checks that memory grows by four bytes for each logical unit and by four bytes and a bit for each unit on flash.
#[test]
fn a_unit_takes_eight_bytes_and_a_bit() {
    let key = |line: &str| line.split('=').next().map(|key| key.replace("op_ratio", "user_capacity"));
    let taken = |settings: &[&str]| {
        let kept = SMALL.iter().filter(|line| !settings.iter().any(|other| key(other) == key(line)));
        let drive = drive(&kept.chain(settings).copied().collect::<Vec<_>>());
        let mut session = begin(drive, RunOptions::default()).unwrap();
        session.finish().unwrap();
        session.result().unwrap()["engine"]["state_bytes"].as_u64().unwrap()
    };
    let [small, seen, rows, blocks] = [
        &["ftl.user_capacity=8MiB"][..],
        &["ftl.user_capacity=12MiB"],
        &["ftl.user_capacity=8MiB", "nand.pages_per_block=64"],
        &["ftl.user_capacity=8MiB", "nand.blocks_per_plane=128"],
    ]
    .map(taken);
    assert_eq!(seen - small, 4 * 1024);
    assert_eq!(rows - small, 4 * 8192 + 8192 / 8);
    // A superblock takes 72 beside its units: 60 for the layer, 12 for its blocks.
    assert_eq!(blocks - rows, 72 * 256);
}

#[test]
fn a_key_without_end_is_refused() {
    let deep = vec!["a"; 20_000].join(".") + "=1";
    let error = Drive::load(&catalogue(), "slc", &[deep]).err().expect("refused").to_string();
    assert!(error.contains("a key of 20000 parts"), "{}", &error[..200.min(error.len())]);
}

/// Checks that a saved state which unpacks to gigabytes is refused before it is unpacked.
#[test]
fn a_saved_state_of_the_wrong_size_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb");
    let packed = zstd::encode_all(std::io::repeat(0).take_bytes(1 << 30), 3).unwrap();
    let mut file = b"FLGATESN\x07\0\0\0".to_vec();
    file.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&packed).to_le_bytes());
    file.extend_from_slice(&packed);
    std::fs::write(&path, &file).unwrap();
    let options = RunOptions { load_state: Some(path.display().to_string()), ..RunOptions::default() };
    let error = refused(begin(drive(SMALL), options));
    assert!(error.contains("unpacks to more than"), "{error}");
}

/// Interface (trait) that limits a reader to its first `count` bytes.
trait TakeBytes: std::io::Read + Sized {
    fn take_bytes(self, count: u64) -> std::io::Take<Self> {
        self.take(count)
    }
}

impl TakeBytes for std::io::Repeat {}

#[test]
fn the_buffer_is_part_of_the_state() {
    let bytes = |size: &str| {
        let ftl = drive(&[SMALL, &[size]].concat()).build(1).expect("a drive");
        ftl.state_bytes()
    };
    let (small, large) = (bytes("ftl.buffer.size=256KiB"), bytes("ftl.buffer.size=64MiB"));
    let slots = (64 << 20 >> 12) - (256 << 10 >> 12);
    assert!(large - small >= slots * 56, "{} bytes for {slots} slots", large - small);
}

#[test]
fn notes_of_a_regulator_are_reckoned() {
    let reckoned = |more: &[&str]| {
        let code =
            ["nand.cell=mlc", "nand.t_prog=600us", "nand.pe_cycles=1000", "nand.errors.name=power-law"];
        let fits = |limit: u64| {
            let drive = drive(&[SMALL, &code, &["ecc.code.name=ldpc"], more].concat());
            let load = uniform(10, 1, Op::WRITE, 4096, 1 << 20, 1);
            let options = RunOptions { memory_limit: Some(limit), ..RunOptions::default() };
            sim::Session::with_workload(drive, load, options).is_ok()
        };
        (0..24).rev().fold(0, |least, bit| if fits(least + (1 << bit)) { least } else { least + (1 << bit) })
    };
    let (plain, noted) = (reckoned(&[]), reckoned(&["ftl.regulator.name=agcr"]));
    let units =
        drive(&[SMALL, &["nand.cell=mlc"]].concat()).build(1).expect("a drive").layout().logical_units;
    assert!(noted >= plain + u64::from(units), "{noted} bytes, {plain} without notes on {units} units");
}
