//! Several namespaces of zones on one drive: the zones are the same, each namespace counts them from its own first one, and the
//! limits on open and active zones are the drive's.

use crate::common::zones::appends;
use crate::common::{TLC, closed_loop, drive, run};
use crate::zones::{KINDS, ZONED, number};
use host::command::zns::ZoneShape;
use host::{HostZones, Op};
use serde_json::Value;
use sim::{Drive, RunOptions, WorkloadSpec};

const TWO: &[&str] = &[
    "host.namespaces.names=[\"a\", \"b\"]",
    "host.namespaces.a.command_set=zns",
    "host.namespaces.b.command_set=zns",
    "host.namespaces.a.size=2MiB",
];

fn zoned(settings: &[&str]) -> Drive {
    drive(&[TLC, settings, ZONED].concat())
}

fn refused(settings: &[&str]) -> String {
    let lines = [TLC, KINDS[0], ZONED, settings].concat();
    let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    Drive::from_resolved("test", &lines).err().expect("it is refused").to_string()
}

fn checked() -> RunOptions {
    RunOptions { check: true, ..RunOptions::default() }
}

fn fio(text: &str) -> WorkloadSpec {
    WorkloadSpec::FioText { name: "job".into(), text: text.into(), variables: [].into() }
}

/// Returns the zones of all namespaces as if they belonged to one: the sum of their numbers, and the sizes and limits
/// of the first namespace's zones.
fn all_of(zones: &[HostZones]) -> ZoneShape {
    ZoneShape {
        count: zones.iter().map(|zones| zones.count).sum(),
        size: zones[0].size / 4096,
        capacity: zones[0].capacity / 4096,
        open_most: zones[0].open_most,
        active_most: zones[0].active_most,
        reads_unwritten: true,
    }
}

#[test]
fn zones_lie_side_by_side_and_are_counted_from_zero_in_each_namespace() {
    let drive = zoned(&[KINDS[0], TWO].concat());
    let space = drive.space();
    let zones = space.all_zones();
    assert_eq!(zones.iter().map(|zones| zones.count).collect::<Vec<_>>(), [4, 36]);
    assert_eq!((zones[0].offset, zones[1].offset, zones[1].first), (0, 2 << 20, 4));
    assert_eq!((zones[1].zone_of(2 << 20), zones[1].start(1)), (0, (2 << 20) + (512 << 10)));
    assert!(!zones.is_empty() && space.zones.is_none());
    let thirds: Vec<&str> = [&TWO[..3], &["host.namespaces.a.share=0.34"]].concat();
    let space = zoned(&[KINDS[0], &thirds].concat()).space();
    assert_eq!(space.all_zones().iter().map(|zones| zones.count).collect::<Vec<_>>(), [13, 27]);
}

/// Checks that a zoned drive divided into two namespaces does the same as with one, with equal results to the
/// nanosecond.
#[test]
fn a_drive_parted_in_two_does_what_the_whole_does() {
    for kind in KINDS {
        let result = |more: &[&str]| {
            let drive = zoned(&[kind, more].concat());
            let workload = appends(all_of(&drive.space().all_zones()), 4096, 5, 2000, 8);
            run(drive, workload, checked()).1
        };
        let (whole, mut parted) = (result(&[]), result(TWO));
        let of = |at: usize, op: &str| parted["host"]["namespaces"][at][op]["requests"].as_u64().unwrap();
        assert!(of(0, "write") > 100 && of(1, "write") > 100, "{}", parted["host"]["namespaces"]);
        assert_eq!(of(0, "read") + of(1, "read"), number(&whole, "host.read.requests"));
        assert_eq!(of(0, "write") + of(1, "write"), number(&whole, "host.write.requests"));
        parted["host"].as_object_mut().unwrap().remove("namespaces");
        let mut whole = whole;
        whole["host"].as_object_mut().unwrap().remove("namespaces");
        for section in ["host", "ftl", "flash", "waf"] {
            assert_eq!(whole[section], parted[section], "{kind:?}: {section}");
        }
    }
}

/// Checks that fio jobs write to the zones of the namespace that they name, and to no others.
#[test]
fn a_job_writes_the_zones_of_its_own_namespace() {
    let drive = zoned(&[KINDS[1], TWO].concat());
    let spec =
        fio("[global]\nioengine=libaio\nzonemode=zbd\nbs=16k\niodepth=4\nio_size=6m\nmax_open_zones=2\n\
                    [one]\nfilename=a\nrw=write\n[two]\nfilename=/dev/nvme0n2\nrw=randwrite\n");
    let source = spec.open(drive.space(), 1).unwrap();
    let (_, result) = run(drive, source, checked());
    let bytes = |at: usize| result["host"]["namespaces"][at]["write"]["bytes"].as_u64().unwrap();
    assert_eq!((bytes(0), bytes(1)), (6 << 20, 6 << 20));
    assert_eq!(number(&result, "host.failed.total"), 0);
    assert!(number(&result, "ftl.zones.reset") >= 8, "four zones of 384 KiB take 6 MiB by resets");
}

#[test]
fn limits_are_those_of_the_drive() {
    let drive = zoned(&[KINDS[0], TWO].concat());
    let zones = drive.space().all_zones();
    assert_eq!((zones[0].active_most, zones[1].active_most), (5, 5));
    // Three zones of each: the sixth is one more than may be active, in any namespace.
    let starts: Vec<u64> =
        zones.iter().flat_map(|zones| (0..3).map(|zone| zones.start(zone)).collect::<Vec<_>>()).collect();
    let (_, result) =
        run(drive, closed_loop(6, 1, move |at| (Op::WRITE, starts[at as usize], 4096)), checked());
    assert_eq!(number(&result, "host.errors.too_many_active_zones"), 1, "{}", result["host"]["errors"]);
    assert_eq!(result["host"]["namespaces"][1]["write"]["failed"], Value::from(1));
}

#[test]
fn zones_of_namespaces_survive_power_cuts_and_saved_states() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, kind) in (1..).zip(KINDS) {
        let cuts = ["power.cut.drawn=6", "power.cut.within=200"];
        let made = || zoned(&[kind, TWO, &cuts].concat());
        let workload = |drive: &Drive, seed| appends(all_of(&drive.space().all_zones()), 4096, seed, 1500, 8);
        let drive = made();
        let source = workload(&drive, seed);
        let (mut session, result) = run(drive, source, RunOptions { seed, ..checked() });
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6);
        let path = folder.path().join("state");
        session.save_state(&path).unwrap();
        let load_state = Some(path.display().to_string());
        let drive = made();
        let source = workload(&drive, seed + 10);
        run(drive, source, RunOptions { load_state: load_state.clone(), ..checked() });
        // Of other namespaces a state is not.
        let other = zoned(&[kind, &TWO[..3], &["host.namespaces.a.size=3MiB"], &cuts].concat());
        let source = workload(&other, 1);
        let options = RunOptions { load_state, ..checked() };
        let error = sim::Session::with_source(other, &fio("[x]\n"), source, options);
        let error = error.and_then(|mut session| session.advance(1000).map(|_| ())).unwrap_err().to_string();
        assert!(error.contains("other namespaces"), "{error}");
    }
}

#[test]
fn what_no_namespaces_of_zones_can_be_is_refused_in_a_line() {
    let of = |more: &[&'static str]| refused(&[&TWO[..3], more].concat());
    for (error, words) in [
        (
            of(&["host.namespaces.a.size=600KiB"]),
            "expected whole zones, of 524288 bytes each: 524288B or 1048576B",
        ),
        (of(&["host.namespaces.a.size=100KiB"]), "of 524288 bytes each: 524288B"),
        (of(&["host.namespaces.a.share=0.001"]), "at least one zone of the drive, of 524288 bytes"),
        (of(&["host.namespaces.a.size=21MiB"]), "expected at most 20971520 bytes"),
        (of(&["host.namespaces.a.size=20MiB"]), "expected others that leave some of the drive's zones to b"),
        (
            of(&["host.namespaces.a.size=2MiB", "host.namespaces.b.size=2MiB"]),
            "32 of its 40 zones belong to none",
        ),
        (
            of(&[
                "host.namespaces.a.size=2MiB",
                "host.translation.name=log",
                "host.translation.op_ratio=0.5",
            ]),
            "expected none, or one namespace",
        ),
    ] {
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}
