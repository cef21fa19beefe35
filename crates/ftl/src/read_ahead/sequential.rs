//! What follows in a sequence of reads.

use super::{Misfit, ReadAheadPolicy, Stretch};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::{Bytes, Lpn};

/// Constant: age, in host reads for each tracked stream, after which a sequential stream that no read has continued no
/// longer counts when the read-ahead area is divided among the streams.
const FORGOTTEN_AFTER: u64 = 64;

/// Record of a sequential stream of host reads that the read-ahead policy tracks: expected continuation, and counts of
/// reads, passed units and units not read.
#[derive(Clone, Copy, Debug, Default)]
struct ReadStream {
    /// Number of the logical unit at which the next read of the sequential stream is expected to begin.
    next: u32,
    /// Number of the logical unit up to which the sequential stream was read ahead.
    until: u32,
    /// Number of host reads of the sequential stream, the first included, since it began or last had gaps.
    reads: u32,
    /// Number of units that the sequential stream passed lately, whether or not they were read.
    passed: u32,
    /// Number of units, among the units that the sequential stream passed lately, that were not read.
    missing: u32,
    /// Serial number, counted over all host reads of the drive, of the last host read that belonged to the sequential
    /// stream.
    used: u64,
}

impl ReadStream {
    /// Records that a host read of the units from `first` up to but without `end` belongs to the sequential stream: the
    /// counts of passed and missing units are halved after `lately` passed units, and all counts begin anew after gaps.
    /// Returns true if the read advanced the stream.
    fn go_on(&mut self, first: u32, end: u32, trigger: u32, lately: u32) -> bool {
        // What was passed over may come late.
        self.missing = self.missing.saturating_sub(end.min(self.next).saturating_sub(first));
        if end <= self.next {
            return false;
        }
        // A unit may be read in parts, the last of one read being the first of the next.
        let at_once = first <= self.next && self.next - first <= 1;
        self.missing = self.missing.saturating_add(first.saturating_sub(self.next));
        self.passed = self.passed.saturating_add(end - self.next);
        self.next = end;
        self.reads = self.reads.saturating_add(1);
        let gaps = self.missing > self.passed / 4;
        if gaps || (self.reads <= trigger && !at_once) {
            *self = Self { reads: 1, passed: end - first, missing: 0, until: end, ..*self };
        }
        if self.passed > lately {
            (self.passed, self.missing) = (self.passed / 2, self.missing / 2);
        }
        true
    }
}

/// Implementation of the read-ahead policy `sequential`: tracks streams of sequential reads by the address at which
/// each is expected to continue.
#[derive(Clone, Debug)]
pub struct Sequential {
    streams: u32,
    trigger: u32,
    depth: Bytes,
    slack: Bytes,
    size: Bytes,
    /// Setting of the read-ahead policy `sequential`: value of the key `depth` in mapping units, set once the drive is
    /// known.
    depth_units: u32,
    /// Setting of the read-ahead policy `sequential`: value of the key `slack` in mapping units, set once the drive is
    /// known.
    slack_units: u32,
    /// Setting of the read-ahead policy `sequential`: value of the key `size` in mapping units, set once the drive is
    /// known.
    area_units: u32,
    known: Vec<ReadStream>,
    reads: u64,
    last: usize,
}

impl Policy for Sequential {
    const CARD: Card = Card {
        name: "sequential",
        rule: "a read that starts within `slack` of the expected address of one of the `streams` tracked \
               belongs to it, the nearest first; any other read starts a stream that replaces the one not read \
               for longest. After `trigger` reads without a gap, and while at least three quarters of the \
               units it recently passed were read, a stream is fetched ahead by twice the distance it has \
               read, at most `depth` and its share of half the DRAM, whenever less than half of that is left",
        paper: "common practice; the window that grows with the sequence as in Linux's read-ahead (Wu, Xi and Xu, 2008)",
        not_modelled: "strided or backward sequences, sequences of writes",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let streams = section.within(at_least(1u32).at_most(1024u32)).or(
            "streams",
            16u32,
            "sequences of reads that are tracked",
        )?;
        let trigger = section.within(at_least(2u32).because("one read is no sequence")).or(
            "trigger",
            4u32,
            "sequential reads before read-ahead starts",
        )?;
        let size = section.or("size", Bytes::new(4 << 20), "DRAM for fetched data")?;
        let depth =
            section.or("depth", Bytes::new(1 << 20), "how far ahead of its last read a stream is fetched")?;
        if depth.get() == 0 || depth.get() > size.get() / 2 {
            return Err(section.reject(
                "depth",
                "expected more than 0B and at most half of `size`: what is fetched must not push out what was",
            ));
        }
        let slack = section.or(
            "slack",
            Bytes::new(256 << 10),
            "how far from its expected address a stream's next read may start: reads overtake each other",
        )?;
        Ok(Self {
            streams,
            trigger,
            depth,
            slack,
            size,
            depth_units: 0,
            slack_units: 0,
            area_units: 0,
            known: Vec::new(),
            reads: 0,
            last: 0,
        })
    }
}

impl Sequential {
    /// Returns the index of the tracked sequential stream that a read from unit `first` continues; none if it continues
    /// no stream.
    fn find(&self, first: u32) -> Option<usize> {
        let near = |at: &usize| self.known[*at].next.abs_diff(first);
        (0..self.known.len()).min_by_key(near).filter(|at| near(at) <= self.slack_units)
    }

    /// Begins to track a new sequential stream of host reads; if the policy already tracks as many streams as its key
    /// `streams` allows, in place of the stream that has gone without a read for longest.
    fn begin(&mut self, first: u32, count: u32) {
        let end = first.saturating_add(count);
        let new = ReadStream { next: end, until: end, reads: 1, passed: count, missing: 0, used: self.reads };
        if self.known.len() < self.streams as usize {
            self.known.push(new);
        } else if let Some(oldest) = self.known.iter_mut().min_by_key(|stream| stream.used) {
            *oldest = new;
        }
    }

    /// Returns the number of units of the read-ahead area that each sequential stream may fill: half the area divided
    /// by the number of active streams.
    fn share(&self) -> u32 {
        let lately = self.reads.saturating_sub(FORGOTTEN_AFTER * u64::from(self.streams));
        let fetched = |stream: &&ReadStream| stream.reads >= self.trigger && stream.used >= lately;
        self.area_units / 2 / (self.known.iter().filter(fetched).count() as u32).max(1)
    }
}

impl ReadAheadPolicy for Sequential {
    fn area_units(&self, unit: Bytes) -> Result<Option<u32>, Misfit> {
        if self.depth.get() < unit.get() {
            return Err(("depth", format!("expected at least one mapping unit, {unit}")));
        }
        let units = self.size.get() / unit.get();
        match u32::try_from(units) {
            Ok(units) if units <= 1 << 24 => Ok(Some(units)),
            _ => Err(("size", "expected at most 2^24 mapping units".to_owned())),
        }
    }

    fn attach(&mut self, unit: Bytes) {
        let units = |bytes: Bytes| (bytes.get() / unit.get()) as u32;
        self.depth_units = units(self.depth);
        self.slack_units = u32::try_from(self.slack.get() / unit.get()).unwrap_or(u32::MAX);
        self.area_units = units(self.size);
    }

    fn on_read(&mut self, first: Lpn, count: u32) -> Option<Stretch> {
        self.reads += 1;
        let Some(at) = self.find(first.0) else {
            self.begin(first.0, count);
            return None;
        };
        let end = first.0.saturating_add(count);
        let stream = &mut self.known[at];
        stream.used = self.reads;
        if !stream.go_on(first.0, end, self.trigger, 2 * self.depth_units) {
            return None; // Overtaken by a later one, which was answered for both.
        }
        let ReadStream { until, reads, passed, .. } = *stream;
        if reads < self.trigger {
            return None;
        }
        let want = self.depth_units.min(passed.saturating_mul(2)).min(self.share());
        let from = until.max(end);
        if (from - end) * 2 >= want {
            return None;
        }
        self.last = at;
        Some(Stretch { from: Lpn(from), until: Lpn(end.saturating_add(want)) })
    }

    fn on_fetched(&mut self, until: Lpn) {
        self.known[self.last].until = until.0;
    }
}
