//! Namespaces of blocks beside namespaces of zones on the same flash: blocks are mapped one by one and collected in superblocks of
//! their own, and neither side takes the other's room or makes it wait for ever.

use crate::common::zones::on_all;
use crate::common::{TLC, closed_loop, drive, run};
use crate::zones::{KINDS, ZONED, number};
use engine::RandomStream;
use ftl::ZonedLayer;
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session, WorkloadSpec};

/// Constant: settings of a test drive with two namespaces: 3 MiB of blocks without zones, and zones on the rest.
const BOTH: &[&str] = &[
    "host.namespaces.names=[\"log\", \"data\"]",
    "host.namespaces.log.size=3MiB",
    "host.namespaces.data.command_set=zns",
    "nand.blocks_per_plane=60",
];

fn lines(settings: &[&str]) -> Vec<String> {
    [TLC, KINDS[0], ZONED, settings].concat().into_iter().map(str::to_owned).collect()
}

fn both(kind: &[&str], settings: &[&str]) -> Drive {
    drive(&[TLC, kind, ZONED, BOTH, settings].concat())
}

fn checked(seed: u64) -> RunOptions {
    RunOptions { check: true, seed, ..RunOptions::default() }
}

fn fio(text: &str) -> WorkloadSpec {
    WorkloadSpec::FioText { name: "job".into(), text: text.into(), variables: [].into() }
}

fn played(drive: Drive, requests: u64, depth: u32, options: RunOptions) -> (Session, Value) {
    let workload = on_all(&drive.space(), options.seed, requests, depth);
    let (session, result) = run(drive, workload, options);
    let all = number(&result, "host.completed.total") + number(&result, "host.failed.total");
    assert_eq!(all, requests);
    (session, result)
}

/// Checks that no request failed because of a limit on open or active zones; writes to full zones may fail.
fn no_limit_in_the_way(result: &Value) {
    let errors = &result["host"]["errors"];
    assert!(errors["too_many_active_zones"].is_null() && errors["too_many_open_zones"].is_null(), "{errors}");
}

#[test]
fn blocks_are_collected_and_zones_are_not() {
    for (seed, kind) in (1..).zip(KINDS) {
        for order in [
            vec![],
            // Zones first, blocks between them, and two namespaces of each.
            vec![
                "host.namespaces.names=[\"a\", \"log\", \"data\", \"more\"]",
                "host.namespaces.a.command_set=zns",
                "host.namespaces.a.size=2MiB",
                "host.namespaces.more.share=0.05",
            ],
        ] {
            let drive = both(kind, &order);
            let (_, result) = played(drive, 6000, 12, checked(seed));
            assert!(number(&result, "ftl.gc.victims") > 20, "{}", result["ftl"]);
            assert!(number(&result, "ftl.zones.reset") > 20, "{}", result["ftl"]["zones"]);
            no_limit_in_the_way(&result);
            assert!(result["waf"].as_f64().unwrap() > 1.02, "{}", result["waf"]);
        }
    }
}

/// Checks that a drive with idle zones beside a namespace of blocks does the same for requests to these blocks as a
/// drive that has only the superblocks of the blocks.
#[test]
fn blocks_beside_idle_zones_are_a_drive_of_their_own() {
    let lines = lines(BOTH);
    let with_zones = Drive::from_resolved("test", &lines).unwrap();
    let ftl = with_zones.build(1).unwrap();
    let of_zones = with_zones.space().all_zones()[0].count;
    let (all, zoned) = (60, ftl.superblocks_of_zones().into_iter().max().unwrap());
    assert!(zoned >= of_zones && zoned < all);
    let blocks = format!("nand.blocks_per_plane={}", all - zoned);
    let own = [TLC, &["ftl.buffer.power_loss_protection=true", "ftl.user_capacity=3MiB", &blocks]].concat();
    let own: Vec<&str> = own.into_iter().filter(|line| !line.starts_with("ftl.op_ratio")).collect();
    let alone = drive(&own);
    let result = |drive: Drive| {
        let mut random = RandomStream::new(4, "blocks");
        let workload = closed_loop(6000, 16, move |_| {
            let at = random.below(700);
            let op = if random.chance(0.7) { Op::WRITE } else { Op::READ };
            (op, at * 4096, ((1 + random.below(8)) * 4096) as u32)
        });
        run(drive, workload, checked(3)).1
    };
    let (beside, alone) = (result(with_zones), result(alone));
    assert!(number(&alone, "ftl.gc.victims") > 20);
    for path in [
        "host.read.latency_ns",
        "host.write.latency_ns",
        "host.completed",
        "flash.programs",
        "flash.erases",
        "waf",
        "ftl.gc",
    ] {
        let of = |result: &Value| path.split('.').fold(result.clone(), |value, key| value[key].clone());
        assert_eq!(of(&beside), of(&alone), "{path}");
    }
}

/// Checks that no request waits for ever with the smallest write buffer that is not refused, in which all zones that
/// may be active hold incomplete program units, and with up to more requests than buffer slots.
#[test]
fn neither_side_waits_for_ever_for_the_other() {
    let least = (5 * 2 + 3) * 4096;
    let size = format!("ftl.buffer.size={least}B");
    let error = Drive::from_resolved("test", &lines(&[BOTH, &["ftl.buffer.size=48KiB"]].concat()));
    let error = error.and_then(|drive| drive.build(1).map(|_| ())).unwrap_err().to_string();
    assert!(error.contains(&format!("to {least} bytes or more")), "{error}");
    for (seed, kind) in (1..).zip(KINDS) {
        for depth in [1, 7, 64] {
            let (_, result) = played(both(kind, &[&size]), 3000, depth, checked(seed));
            no_limit_in_the_way(&result);
        }
    }
}

#[test]
fn what_was_acknowledged_on_either_side_survives_power_cuts() {
    for (seed, kind) in (1..).zip(KINDS) {
        let cuts = ["power.cut.drawn=8", "power.cut.within=300", "ftl.buffer.size=128KiB"];
        let (_, result) = played(both(kind, &cuts), 4000, 16, checked(seed));
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 8);
    }
}

/// Checks that a drive with blocks and zones, saved and loaded, gives the same result and the same state in two runs
/// from that state.
#[test]
fn a_saved_drive_goes_on_with_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for (seed, kind) in (1..).zip(KINDS) {
        let options = RunOptions { precondition: PreconditionKind::Fill, ..checked(seed) };
        let (mut session, filled) = played(both(kind, &[]), 3000, 8, options);
        assert!(number(&filled, "ftl.gc.victims") > 0);
        session.save_state(&path).unwrap();
        let again = || {
            let load_state = Some(path.display().to_string());
            let (mut session, result) =
                played(both(kind, &[]), 3000, 8, RunOptions { load_state, ..checked(seed) });
            let other = folder.path().join("again");
            session.save_state(&other).unwrap();
            (result["host"].clone(), result["flash"].clone(), std::fs::read(other).unwrap().len())
        };
        assert_eq!(again(), again());
        // Of zones alone, or of other blocks beside them, the state is not.
        let other = both(kind, &["host.namespaces.log.size=2MiB"]);
        let source = on_all(&other.space(), 1, 10, 1);
        let load_state = Some(path.display().to_string());
        let error =
            Session::with_source(other, &fio("[x]\n"), source, RunOptions { load_state, ..checked(1) });
        let error = error.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("other namespaces") || error.contains("shape"), "{error}");
    }
}

#[test]
fn jobs_and_traces_go_to_both() {
    let spec = fio("[global]\nioengine=libaio\niodepth=4\nio_size=4m\n\
                    [blocks]\nfilename=log\nrw=randrw\nbsrange=512-16k\nnorandommap=1\n\
                    [zones]\nfilename=data\nzonemode=zbd\nrw=randwrite\nbs=16k\nmax_open_zones=2\n");
    let drive = both(KINDS[1], &[]);
    let source = spec.open(drive.space(), 1).unwrap();
    let (_, result) = run(drive, source, checked(1));
    assert_eq!(number(&result, "host.failed.total"), 0);
    let bytes = |at: usize| result["host"]["namespaces"][at]["write"]["bytes"].as_u64().unwrap();
    assert!(bytes(0) > 1 << 20 && bytes(1) == 4 << 20, "{}", result["host"]["namespaces"]);
    let refused = |text: &str| spec_error(&both(KINDS[1], &[]), text);
    let error = refused("[a]\nfilename=data\nrw=randwrite\nbs=4k\n");
    assert!(error.contains("a zone takes writes at its pointer alone"), "{error}");
    let error = refused("[a]\nfilename=log\nzonemode=zbd\nrw=write\nbs=4k\n");
    assert!(error.contains("the namespace has no zones"), "{error}");
}

fn spec_error(drive: &Drive, text: &str) -> String {
    fio(text).open(drive.space(), 1).err().expect("it is refused").to_string()
}

#[test]
fn what_cannot_be_beside_zones_is_refused_in_a_line() {
    for (more, words) in [
        (vec!["ftl.op_ratio=0.05"], "ftl.op_ratio higher"),
        (
            vec!["host.namespaces.data.size=700KiB"],
            "expected whole zones, of 524288 bytes each: 524288B or 1048576B",
        ),
        (
            vec!["host.namespaces.data.command_set=nvm", "host.namespaces.log.size=3MiB"],
            "expected zns for one",
        ),
        (vec!["host.namespaces.log.size=1GiB"], "expected at most"),
    ] {
        let settings = lines(&[BOTH, &more].concat());
        let made = Drive::from_resolved("test", &settings).and_then(|drive| drive.build(1).map(|_| ()));
        let error = made.expect_err("it is refused").to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}
