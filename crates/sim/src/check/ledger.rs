//! The account of what goes in and comes out: by origin on flash, by request at the host.

use super::clock::Clock;
use controller::{Origin, Transaction};
use ftl::{Ftl, FtlStats};
use host::{HostRequest, Op};
use serde_json::Value;
use units::{Ppa, SimTime};

/// Counts by origin.
type ByOrigin = [u64; Origin::COUNT];

/// What is counted of flash and host.
#[derive(Clone, Default)]
struct Counts {
    pages_read: ByOrigin,
    pages_programmed: ByOrigin,
    units_programmed: ByOrigin,
    blocks_erased: ByOrigin,
    /// By kind of request: asked for, answered, failed.
    submitted: [u64; 4],
    completed: [u64; 4],
    failed: [u64; 4],
    /// Trims without a whole unit, and bytes of trims in units that they cover in part.
    untrimmed: [u64; 2],
}

/// A request of the host's under way.
#[derive(Clone, Copy, Default)]
struct Asked {
    /// It came in the window that is measured.
    counts: bool,
    /// Units that it touches, and units whose data have entered.
    units: u64,
    entered: u64,
    /// The drive never heard of it.
    unheard: bool,
    /// Reads of the flash under way for it, and when the last that ended was decoded.
    parts: u32,
    ready: SimTime,
}

/// Everything that must come out as it went in.
pub(crate) struct Ledger {
    all: Counts,
    /// What was counted when the measured window began, and pages being decoded and busy channels then.
    then: Counts,
    decoding_then: ByOrigin,
    busy_then: (Vec<u64>, Vec<u64>),
    window: SimTime,
    /// The window has begun.
    counts: bool,
    requests: Vec<Asked>,
    /// Units of reads that were answered, and of those that the host asks the flash for and no read was submitted yet.
    units_read: u64,
    wanted: Vec<Ppa>,
    unit: u64,
    entering: u32,
    before: FtlStats,
}

/// When the window begins that results are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// With the run.
    AtOnce,
    /// When a ramp is over.
    AfterRamp,
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was done.
    Done,
    /// With an error.
    Error,
}

impl Ledger {
    /// An account that begins with what the drive counted before.
    pub fn new(ftl: &Ftl, busy: (Vec<u64>, Vec<u64>), measured: Measured) -> Self {
        let stats = ftl.stats();
        let all = Counts {
            pages_read: stats.pages_read,
            pages_programmed: stats.pages_programmed,
            units_programmed: stats.units_programmed,
            blocks_erased: stats.blocks_erased,
            ..Counts::default()
        };
        Self {
            then: all.clone(),
            all,
            decoding_then: [0; Origin::COUNT],
            busy_then: busy,
            window: SimTime::ZERO,
            counts: measured == Measured::AtOnce,
            requests: Vec::new(),
            units_read: 0,
            wanted: Vec::new(),
            unit: ftl.layout().unit.get(),
            entering: u32::MAX,
            before: *stats,
        }
    }

    /// From now on counts: what came before is left out of the results.
    pub fn on_window(&mut self, clock: &Clock, now: SimTime) {
        self.then = self.all.clone();
        (self.all.submitted, self.all.completed, self.all.failed) = ([0; 4], [0; 4], [0; 4]);
        self.all.untrimmed = [0; 2];
        self.decoding_then = Origin::ALL.map(|origin| clock.decoding(origin, now));
        self.busy_then = clock.busy(now);
        self.window = now;
        self.counts = true;
        // Those under way came before.
        self.requests.iter_mut().for_each(|asked| asked.counts = false);
    }

    fn request(&mut self, id: u32) -> &mut Asked {
        if self.requests.len() <= id as usize {
            self.requests.resize(id as usize + 1, Asked::default());
        }
        &mut self.requests[id as usize]
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        let counts = self.counts;
        let end = request.offset + u64::from(request.bytes);
        let units =
            if request.op == Op::Flush { 0 } else { end.div_ceil(self.unit) - request.offset / self.unit };
        *self.request(id) = Asked { counts, units, ..Asked::default() };
        self.all.submitted[request.op as usize] += u64::from(counts);
    }

    /// The drive never heard of a request that the host has lost.
    pub fn on_unheard(&mut self, id: u32) {
        self.request(id).unheard = true;
    }

    /// Pages of each origin that were read and never reached who asked for them.
    pub fn forget_reads(&mut self, pages: ByOrigin) {
        self.all.pages_read.iter_mut().zip(pages).for_each(|(all, lost)| *all -= lost);
    }

    pub fn on_data(&mut self, id: u32) {
        self.entering = id;
    }

    pub fn on_host_write(&mut self) {
        let id = self.entering;
        self.request(id).entered += 1;
    }

    pub fn on_host_read(&mut self, ppa: Ppa) {
        self.wanted.push(ppa);
    }

    /// A read of the host's was submitted for the units from `first` on that its mask names; none: for what is nowhere.
    pub fn on_host_part(&mut self, transaction: &Transaction, first: Ppa) {
        self.request(transaction.owner).parts += 1;
        if !self.wanted.is_empty() {
            self.wanted.retain(|ppa| {
                let at = ppa.0.wrapping_sub(first.0);
                first == Ppa::NONE || at >= 64 || transaction.mask >> at & 1 == 0
            });
        }
    }

    pub fn on_host_part_read(&mut self, transaction: &Transaction, decoded: SimTime) {
        let request = self.request(transaction.owner);
        request.parts -= 1;
        request.ready = request.ready.max(decoded);
    }

    pub fn on_complete(&mut self, id: u32, request: &HostRequest, answer: Answer, now: SimTime) {
        let failed = answer == Answer::Error;
        let asked = *self.request(id);
        let op = request.op;
        assert!(now >= request.arrive, "a {} is answered before it came", op.name());
        let by = if failed { &mut self.all.failed } else { &mut self.all.completed };
        by[op as usize] += u64::from(asked.counts);
        if op == Op::Trim && asked.counts && !failed {
            self.note_untrimmed(request);
        }
        if op == Op::Read {
            self.units_read += if asked.unheard { 0 } else { asked.units };
            assert_eq!(self.wanted, [], "the host wants units of the flash that nobody reads");
            assert!(
                failed || asked.parts == 0,
                "a read is answered while {} of its parts are read",
                asked.parts
            );
            assert!(
                failed || now >= asked.ready,
                "a read is answered at {now}, before its data at {}",
                asked.ready
            );
        }
        let whole = op != Op::Write || failed || asked.entered == asked.units;
        assert!(whole, "a write is answered with {} of {} units in the drive", asked.entered, asked.units);
    }

    /// Only the first and the last unit that a trim touches can be covered in part.
    fn note_untrimmed(&mut self, trim: &HostRequest) {
        let (begin, end) = (trim.offset, trim.offset + u64::from(trim.bytes));
        let (first, last) = (begin / self.unit, (end - 1) / self.unit);
        let covered = |unit: u64| end.min((unit + 1) * self.unit) - begin.max(unit * self.unit);
        let in_part = |unit: u64| if covered(unit) < self.unit { covered(unit) } else { 0 };
        let of_last = if last > first { in_part(last) } else { 0 };
        let bytes = in_part(first) + of_last;
        self.all.untrimmed[0] += u64::from(bytes == end - begin);
        self.all.untrimmed[1] += bytes;
    }

    pub fn on_read(&mut self, transaction: &Transaction) {
        self.all.pages_read[transaction.origin as usize] += u64::from(transaction.pages);
    }

    pub fn on_programmed(&mut self, transaction: &Transaction, units: impl Iterator<Item = Origin>) {
        self.all.pages_programmed[transaction.origin as usize] += u64::from(transaction.pages);
        units.for_each(|origin| self.all.units_programmed[origin as usize] += 1);
    }

    pub fn on_erased(&mut self, transaction: &Transaction, blocks: u32) {
        self.all.blocks_erased[transaction.origin as usize] += u64::from(blocks);
    }

    /// What the results say of the measured window must be what was seen.
    pub fn compare(&self, result: &Value, clock: &Clock, now: SimTime) {
        let (flash, host) = (&result["flash"], &result["host"]);
        let exact = [
            ("programs", &self.all.pages_programmed, &self.then.pages_programmed),
            ("units_programmed", &self.all.units_programmed, &self.then.units_programmed),
            ("erases", &self.all.blocks_erased, &self.then.blocks_erased),
        ];
        for origin in Origin::ALL {
            let (at, name) = (origin as usize, origin.name());
            for (what, all, then) in exact {
                let said = flash[what][name].as_u64();
                assert_eq!(said, Some(all[at] - then[at]), "{what} of {name}: said and seen");
            }
            // Reads count once they are decoded: those that are being decoded do not, and some of before do.
            let seen = self.all.pages_read[at] - self.then.pages_read[at];
            let least = seen.saturating_sub(clock.decoding(origin, now));
            let said = flash["reads"][name].as_u64().unwrap_or(u64::MAX);
            let most = seen + self.decoding_then[at];
            assert!((least..=most).contains(&said), "reads of {name}: {said} said and {seen} seen");
        }
        for (what, counts) in [
            ("submitted", self.all.submitted),
            ("completed", self.all.completed),
            ("failed", self.all.failed),
        ] {
            let said = Op::ALL.map(|op| host[what][op.name()].as_u64().unwrap_or(u64::MAX));
            assert_eq!(said, Op::ALL.map(|op| counts[op as usize]), "requests {what}: said and seen");
        }
        let said = ["requests_without_unit", "bytes_outside_units"].map(|name| host["trim"][name].as_u64());
        assert_eq!(said, self.all.untrimmed.map(Some), "what trims did not forget: said and seen");
        self.compare_utilisation(&result["utilisation"], clock, now);
    }

    fn compare_utilisation(&self, said: &Value, clock: &Clock, now: SimTime) {
        let span = now.since(self.window).ns() as f64;
        let (channels, _) = clock.busy(now);
        for (at, (busy, then)) in channels.iter().zip(&self.busy_then.0).enumerate() {
            let seen = if span > 0.0 { (busy - then) as f64 / span } else { 0.0 };
            let said = said["per_channel"][at].as_f64().unwrap_or(-1.0);
            let near = (said - seen).abs() <= 1e-9;
            assert!(near, "channel {at} was busy {seen} of the time and is said to have been so {said}");
        }
    }

    /// The final account, when nothing is under way.
    pub fn settle(&self, ftl: &Ftl) {
        let stats = ftl.stats();
        let all = &self.all;
        for (what, seen, said) in [
            ("pages read", &all.pages_read, &stats.pages_read),
            ("pages programmed", &all.pages_programmed, &stats.pages_programmed),
            ("units programmed", &all.units_programmed, &stats.units_programmed),
            ("blocks erased", &all.blocks_erased, &stats.blocks_erased),
        ] {
            assert_eq!(seen, said, "{what}, by origin: seen and counted");
        }
        let since = stats.since(&self.before);
        let found = [
            since.units_read_buffer,
            since.units_read_unmapped,
            since.units_read_flash,
            since.units_read_fetched,
            since.units_read_cut,
        ];
        let units: u64 = found.iter().sum();
        assert_eq!(units, self.units_read, "units that the host read: found somewhere and answered");
    }
}
