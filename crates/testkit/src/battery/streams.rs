//! Stream policies: the same streams whenever asked, a stream that takes such data, the same answer however often one unit
//! is asked about, and what was learnt goes on where a saved state left it.

use engine::RandomStream;
use ftl::streams::{Maker, STREAMS_MOST, StreamPolicy, StreamSpec, Takes, UnitView};
use units::Lpn;

/// Constant: number of mapping units of the simulated drive in the randomised test of policies that choose the write
/// stream (set of open superblocks) of data.
const UNITS: u64 = 512;

/// Simulated host and garbage collection for the randomised test of policies that choose the write stream of data: for
/// each mapping unit, the last write time, number of writes and stream that a drive would record.
struct UnitHistory {
    random: RandomStream,
    clock: u64,
    written_at: Vec<Option<u64>>,
    writes: Vec<u32>,
    last: Vec<Option<usize>>,
}

impl UnitHistory {
    fn new() -> Self {
        let units = UNITS as usize;
        Self {
            random: RandomStream::new(31, "battery.streams"),
            clock: 0,
            written_at: vec![None; units],
            writes: vec![0; units],
            last: vec![None; units],
        }
    }

    /// Chooses at random the next unit for which a write stream is needed: a host write, mostly to a few hot units, or
    /// a relocation by garbage collection. Returns the view of the unit that the policy gets.
    fn next(&mut self, policy: &dyn StreamPolicy) -> UnitView {
        let few = if self.random.chance(0.8) { UNITS / 16 } else { UNITS };
        let unit = self.random.below(few) as usize;
        let moved = self.last[unit].is_some() && self.random.chance(0.5);
        let notes = policy.notes();
        let written = self.writes.iter().filter(|writes| **writes > 0).count().max(1);
        let total: u32 = self.writes.iter().sum();
        UnitView {
            lpn: Lpn(unit as u32),
            moved,
            hint: policy
                .handles()
                .filter(|_| !moved)
                .map(|handles| self.random.below(handles.isolation.len() as u64) as u16),
            age: self.written_at[unit].filter(|_| notes.times).map(|at| self.clock - at),
            writes: if notes.writes { self.writes[unit] } else { 0 },
            writes_mean: if notes.writes { f64::from(total) / written as f64 } else { 0.0 },
            last: self.last[unit],
        }
    }

    fn note(&mut self, view: &UnitView, stream: usize) {
        let unit = view.lpn.index();
        self.last[unit] = Some(stream);
        if !view.moved {
            self.clock += 1;
            (self.written_at[unit], self.writes[unit]) = (Some(self.clock), self.writes[unit] + 1);
        }
    }
}

fn takes(spec: &StreamSpec, moved: bool) -> bool {
    spec.takes == Takes::Both || spec.takes == if moved { Takes::Moved } else { Takes::Host }
}

/// Tests a policy that assigns data to write streams (each with open superblocks of its own), with `events` random
/// units, and informs it now and then of a superblock that was reclaimed.
///
/// # Panics
/// When the policy breaks a rule.
pub fn check(context: &str, maker: &Maker, events: u64) {
    let (mut policy, mut twin) = (maker(), maker());
    let streams = policy.streams();
    assert!((1..=STREAMS_MOST).contains(&streams.len()), "{context}: {} streams", streams.len());
    for moved in [false, true] {
        assert!(
            streams.iter().any(|spec| takes(spec, moved)),
            "{context}: none takes data with moved {moved}"
        );
    }
    let mut history = UnitHistory::new();
    for event in 0..events {
        let view = history.next(&*policy);
        let stream = policy.join(&view);
        let taken = streams.get(stream).is_some_and(|spec| takes(spec, view.moved));
        assert!(taken, "{context}: stream {stream} does not take {view:?}");
        assert_eq!(policy.join(&view), stream, "{context}: asked again, it answers otherwise on {view:?}");
        assert_eq!(twin.join(&view), stream, "{context}: two of a kind disagree on {view:?}");
        if let Some(answer) = policy.by_origin() {
            let said = if view.moved { answer.moved } else { answer.host };
            assert_eq!(said, stream, "{context}: by origin it says otherwise of {view:?}");
        }
        history.note(&view, stream);
        if policy.notes().times && history.random.chance(0.05) {
            let (gone, lived) =
                (history.random.below(streams.len() as u64) as usize, history.random.below(4 * UNITS));
            policy.on_reclaim(gone, lived);
            twin.on_reclaim(gone, lived);
        }
        if event % 997 == 0 {
            // A saved state holds what was learnt, and nothing else.
            let learnt = twin.learnt();
            twin = maker();
            assert!(twin.go_on_with(&learnt), "{context}: does not take back what it had learnt: {learnt:?}");
            assert!(
                twin.learnt() == learnt,
                "{context}: learnt {learnt:?}, and goes on with {:?}",
                twin.learnt()
            );
        }
        assert!(policy.streams() == streams, "{context}: other streams than before");
    }
}
