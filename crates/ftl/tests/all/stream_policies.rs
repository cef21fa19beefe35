//! Each stream policy against its rule, on units whose stream can be said by hand, and the victims of two regions.

use config::{Document, Section};
use engine::RandomStream;
use ftl::Blocks;
use ftl::gc::victim::{self, VictimPolicy, VictimView};
use ftl::streams::{self, StreamPolicy, UnitView};
use units::{Lpn, SuperblockId};

/// Macro that makes a policy of the seam `$seam` with these settings, texts of the form `key=value`.
macro_rules! policy {
    ($seam:ident, $($setting:expr),+) => {{
        let mut document = Document::empty();
        [$($setting),+].iter().for_each(|setting| document.set(setting).expect("a plain setting"));
        let mut section = Section::root(&document);
        let maker = $seam::read(&mut section).expect("a known policy");
        section.finish().expect("known parameters");
        maker()
    }};
}

const UNIT: UnitView =
    UnitView { lpn: Lpn(3), moved: false, hint: None, age: None, writes: 0, writes_mean: 0.0, last: None };

fn stream(policy: &mut dyn StreamPolicy, unit: UnitView) -> String {
    let at = policy.join(&unit);
    policy.streams()[at].name.clone()
}

#[test]
fn a_policy_that_learns_nothing_refuses_what_another_learnt() {
    let mut policy = policy!(streams, "name=hot-cold", "factor=2");
    assert!(policy.go_on_with(&[]) && !policy.go_on_with(&[1]));
}

#[test]
fn hot_units_are_written_more_often_than_others() {
    let mut policy = policy!(streams, "name=hot-cold", "factor=2");
    let written = |writes| UnitView { writes, writes_mean: 3.0, ..UNIT };
    for (writes, expected) in [(0, "cold"), (6, "cold"), (7, "hot")] {
        assert_eq!(stream(&mut *policy, written(writes)), expected, "{writes} writes");
    }
    assert_eq!(stream(&mut *policy, UnitView { moved: true, ..written(9) }), "moved");
}

#[test]
fn lives_of_reclaimed_superblocks_say_what_is_short() {
    let mut policy = policy!(streams, "name=sepbit");
    let aged = |age| UnitView { age, ..UNIT };
    let moved = |last, age| UnitView { age: Some(age), last: Some(last), moved: true, ..UNIT };
    // Before any life is known all that was overwritten is short-lived.
    assert_eq!(stream(&mut *policy, aged(None)), "long");
    assert_eq!(stream(&mut *policy, aged(Some(1 << 40))), "short");
    assert_eq!(stream(&mut *policy, moved(1, 1 << 40)), "moved young");
    // Those of other streams do not count, nor do fewer than sixteen.
    (0..20).for_each(|_| policy.on_reclaim(1, 1));
    (0..15).for_each(|_| policy.on_reclaim(0, 90));
    assert_eq!(stream(&mut *policy, aged(Some(1000))), "short");
    policy.on_reclaim(0, 250);
    // The mean of fifteen lives of 90 and one of 250 is 100.
    for (age, expected) in [(99, "short"), (100, "long")] {
        assert_eq!(stream(&mut *policy, aged(Some(age))), expected, "{age}");
    }
    for (last, age, expected) in [
        (0, 5000, "moved short"),
        (1, 399, "moved young"),
        (3, 400, "moved middle"),
        (5, 1599, "moved middle"),
        (1, 1600, "moved old"),
    ] {
        assert_eq!(stream(&mut *policy, moved(last, age)), expected, "from {last}, {age} old");
    }
}

const COUNT: usize = 8;
const UNITS: u32 = 100;

/// Returns the numbers of the first `count` victims that the policy picks one after the other from a die's superblocks
/// with `valid` valid units; each victim counts as reclaimed at once.
fn picks(policy: &mut dyn VictimPolicy, valid: &[u32; COUNT], count: usize) -> Vec<u32> {
    let mut candidates: Vec<SuperblockId> = (0..COUNT as u32).map(SuperblockId).collect();
    let mut random = RandomStream::new(1, "regions");
    let mut pick = || {
        let blocks = Blocks {
            valid_units: valid,
            pe_cycles: &[0; COUNT],
            closed_at: &[0; COUNT],
            streams: &[0; COUNT],
        };
        let picked = policy.pick(&mut VictimView {
            candidates: &candidates,
            blocks,
            clock: 0,
            units_per_superblock: UNITS,
            random: &mut random,
        });
        let picked = picked.expect("there are candidates");
        candidates.retain(|candidate| *candidate != picked);
        policy.on_reclaim(picked);
        picked.0
    };
    (0..count).map(|_| pick()).collect()
}

fn close(policy: &mut dyn VictimPolicy, valid: &[u32; COUNT], streams: &[usize; COUNT]) {
    policy.attach(COUNT as u32, UNITS);
    for (at, (&valid, &stream)) in (0..).zip(valid.iter().zip(streams)) {
        policy.on_stream(SuperblockId(at), stream);
        policy.on_close(SuperblockId(at), valid);
    }
}

/// Checks that the victim policy `two-region-greedy` takes all victims of a round, which free one superblock's worth of
/// units, from one region: the region that alone has as much garbage, else the region with the emptiest superblock.
#[test]
fn a_round_takes_from_one_region() {
    // 0 to 3 are the host's, 4 to 7 moved; the emptiest of all is moved, and its region has 90 units of garbage.
    let (valid, streams) = ([60, 80, 70, 100, 10, 100, 100, 100], [0, 0, 0, 0, 1, 1, 1, 1]);
    let mut first = policy!(victim, "name=two-region-greedy");
    close(&mut *first, &valid, &streams);
    // It gives 90 units, too: the host's have not a superblock's worth either, and the emptier region goes first.
    assert_eq!(picks(&mut *first, &valid, 1), [4]);
    let valid = [40, 80, 70, 100, 10, 100, 100, 100];
    let mut second = policy!(victim, "name=two-region-greedy");
    close(&mut *second, &valid, &streams);
    assert_eq!(
        picks(&mut *second, &valid, 3),
        [1, 2, 0],
        "110 units of garbage are the host's, the emptiest goes last"
    );
    let valid = [40, 80, 70, 100, 35, 60, 90, 100];
    let mut third = policy!(victim, "name=two-region-greedy");
    close(&mut *third, &valid, &streams);
    assert_eq!(
        picks(&mut *third, &valid, 3),
        [5, 4, 1],
        "105 units come from the cold region, then 110 from the other"
    );
}

/// Checks that the victim policy `two-region-fifo` continues its scan of the candidates where the last choice stopped,
/// and accepts victims with more valid units once the scan has passed seven tenths of the candidates.
#[test]
fn a_scan_goes_on_where_it_stopped() {
    let (valid, streams) = ([90, 48, 52, 20, 49, 68, 74, 10], [0; COUNT]);
    let mut policy = policy!(victim, "name=two-region-fifo");
    close(&mut *policy, &valid, &streams);
    // Below 50 are 1 and 3, which give 132 units, a superblock's worth; then below 70, from 4 on. With 4 the scan has passed
    // five of six, and begins again with what is below 75: 0 is not, 2 is.
    assert_eq!(picks(&mut *policy, &valid, 4), [1, 3, 4, 2]);
}
