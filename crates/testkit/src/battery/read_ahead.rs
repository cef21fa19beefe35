//! Read-ahead: what is named lies ahead of the host, fits the area, is named once, and comes of a sequence alone.

use engine::RandomStream;
use ftl::read_ahead::{Maker, ReadAheadPolicy, Stretch};
use units::{Bytes, Lpn};

const UNITS: [u64; 3] = [512, 4096, 65_536];
/// Constant: number of mapping units in the range of random reads: so large that two reads hardly ever follow each
/// other.
const SPAN: u64 = 1 << 31;

/// Type for two instances of one read-ahead (prefetch) policy in a conformance test, which gives both instances the
/// same reads and checks that their answers are equal.
struct Pair<'a> {
    context: &'a str,
    policies: [Box<dyn ReadAheadPolicy>; 2],
    /// Size, in mapping units, of the DRAM area that the read-ahead policy wants for prefetched data.
    area: u32,
}

impl Pair<'_> {
    /// Informs both instances of the read-ahead policy of a host read, checks that they give the same answer, and
    /// returns the answer: the range of units to prefetch, or `None`.
    fn read(&mut self, first: u32, count: u32) -> Option<Stretch> {
        let [one, twin] = &mut self.policies;
        let (stretch, context) = (one.on_read(Lpn(first), count), self.context);
        assert_eq!(stretch, twin.on_read(Lpn(first), count), "{context}: two of a kind disagree");
        let Some(Stretch { from, until }) = stretch else { return stretch };
        assert!(from < until, "{context}: fetches nothing, from {from} until {until}");
        assert!(from.0 > first, "{context}: fetches {from}, and the host read {first}");
        assert!(until.0 - from.0 <= self.area / 2, "{context}: fetches more than half the area");
        stretch
    }

    fn fetched(&mut self, until: u32) {
        self.policies.iter_mut().for_each(|policy| policy.on_fetched(Lpn(until)));
    }
}

/// Tests a read-ahead (prefetch) policy with `reads` sequential and `reads` random host reads, for several sizes of the
/// mapping unit.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, reads: u32) {
    for unit in UNITS.map(Bytes::new) {
        let pair = || {
            let mut policies = [maker(), maker()];
            let area = policies[0].area_units(unit);
            assert_eq!(area, policies[1].area_units(unit), "{context}: two answers for units of {unit}");
            policies.iter_mut().for_each(|policy| policy.attach(unit));
            match area {
                Ok(area) => area.map(|area| Pair { context, policies, area }),
                Err((key, expected)) => {
                    assert!(
                        !key.is_empty() && expected.starts_with("expected ") && !expected.contains('\n'),
                        "{context}: {expected:?} does not say in a line what is expected of {key:?}"
                    );
                    None
                }
            }
        };
        if let Some(pair) = pair() {
            in_sequence(pair, reads);
        }
        if let Some(pair) = pair() {
            at_random(pair, reads);
        }
    }
}

/// Checks, in one series of sequential host reads, that the policy asks for no unit twice, also where the FTL
/// prefetches fewer or more units than the policy asked for, and that units are prefetched at all in a long series.
fn in_sequence(mut pair: Pair<'_>, reads: u32) {
    let mut random = RandomStream::new(3, "battery.read_ahead");
    let (mut next, mut until, mut fetched) = (1000u32, 0u32, 0u64);
    for _ in 0..reads {
        let count = 1 + random.below(8) as u32;
        if let Some(stretch) = pair.read(next, count) {
            let (context, end) = (pair.context, until.max(next + count));
            assert!(stretch.from.0 >= end, "{context}: fetches {} again, up to {end} it was", stretch.from);
            let length = stretch.until.0 - stretch.from.0;
            let done = stretch.from.0 + (random.below(u64::from(length)) as u32) + 1;
            fetched += u64::from(done - stretch.from.0);
            until = done + random.below(3) as u32;
            pair.fetched(until);
        }
        next += count;
    }
    assert!(reads < 5000 || fetched > 0, "{}: a sequence of {reads} reads is not fetched", pair.context);
}

/// Checks that at most one in a hundred random host reads makes the policy prefetch data.
fn at_random(mut pair: Pair<'_>, reads: u32) {
    let mut random = RandomStream::new(4, "battery.read_ahead");
    let mut fetched = 0;
    for _ in 0..reads {
        let first = random.below(SPAN) as u32;
        if let Some(stretch) = pair.read(first, 1) {
            fetched += 1;
            pair.fetched(stretch.until.0);
        }
    }
    assert!(fetched * 100 <= reads, "{}: {fetched} of {reads} reads at random are followed", pair.context);
    // The last unit that can be named has none after it.
    pair.read(u32::MAX - 1, 1);
}
