//! The account of what goes in and comes out: by origin on flash, by request at the host.

use crate::clock::Clock;
use crate::examined::DriveCounts;
use crate::new_data::NewData;
use crate::parts::NamespaceParts;
use controller::{Origin, Transaction};
use host::{CompletionStatus, Effect, HostRequest, HostSpace};
use serde_json::Value;
use std::ops::Range;
use units::{Lpn, Ppa, SimTime};

/// Constant: size in bytes of a sector, in which the checker records the parts of a unit that the host wrote.
const SECTOR: u64 = 512;

/// Type of an array with one of the checker's counts (such as pages read) for each origin of flash operations.
type CountsByOrigin = [u64; Origin::COUNT];

/// Set of the checker's own counts of operations on flash and of requests at the host.
#[derive(Clone, Default)]
struct Counts {
    pages_read: CountsByOrigin,
    pages_programmed: CountsByOrigin,
    units_programmed: CountsByOrigin,
    blocks_erased: CountsByOrigin,
    /// Number of bytes in the host's write requests, as the checker counts them.
    bytes_written: u64,
    /// Number of bytes programmed for the host beyond its write requests, to fill up units, as the checker counts.
    bytes_filled_up: u64,
    /// The checker's counts of host requests submitted in the measured window (which results cover), by kind.
    submitted: [u64; Effect::COUNT],
    completed: [u64; Effect::COUNT],
    failed: [u64; Effect::COUNT],
    /// Pair of numbers: trims that cover no whole mapping unit, and bytes of trims in partly covered units.
    untrimmed: [u64; 2],
}

/// State of a host request in flight, in the checker's own model.
#[derive(Clone, Copy, Default)]
struct RequestAccount {
    /// True if the request arrived in the measured window, so that the results count it.
    counts: bool,
    /// Number of mapping units that the host request touches.
    units: u64,
    /// Number of mapping units of the host request, if it is a write, whose data have entered the drive.
    entered: u64,
    /// True if the request was lost on its way in a power cut, so that the drive never received it.
    unheard: bool,
    /// Number of flash reads in flight for the host request.
    parts: u32,
    /// Latest time at which data of one of the finished flash reads of the host request were decoded by the ECC.
    ready: SimTime,
}

/// Type of the checker's own counts of flash operations by origin, of host requests and of bytes, and its record of
/// each request in flight, for comparison with the drive and with the results.
pub(crate) struct Ledger {
    all: Counts,
    /// The checker's counts of operations and requests when the measured window began.
    then: Counts,
    decoding_then: CountsByOrigin,
    busy_then: (Vec<u64>, Vec<u64>),
    window: SimTime,
    /// True once the measured window (the part of the run that results cover) has begun.
    counts: bool,
    requests: Vec<RequestAccount>,
    /// Number of mapping units of host reads that were answered, as the checker counts them.
    units_read: u64,
    /// List of the physical addresses that the host reads and for which no flash read has been submitted yet.
    wanted: Vec<Ppa>,
    unit: u64,
    /// Field of the checker's counts: number of the host write request whose data enter the drive's write buffer now.
    entering: u32,
    /// Byte range on the drive of the host write whose data enter the write buffer now: address of its first byte, and
    /// address of the byte after its last.
    extent: (u64, u64),
    /// Field of the checker's counts: record of the host's new data in the write buffer, by slot.
    new_data: NewData,
    read_before: u64,
    parts: NamespaceParts,
}

/// Kind of way in which the measured window of a run (the part that results cover) begins: together with the run, or
/// after the ramp time (warm-up).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// Case: the measured window, which results cover, begins together with the run, without a ramp time.
    AtOnce,
    /// Case: the measured window, which results cover, begins when the ramp time (warm-up) is over.
    AfterRamp,
}

impl Ledger {
    /// Makes the checker's counts, which start from the drive's own counts `counted`; `unit` is the mapping unit's size
    /// in bytes, `busy` the busy times of channels and arrays so far.
    pub fn new(counted: DriveCounts, unit: u64, busy: (Vec<u64>, Vec<u64>), measured: Measured) -> Self {
        let all = Counts {
            pages_read: counted.pages_read,
            pages_programmed: counted.pages_programmed,
            units_programmed: counted.units_programmed,
            blocks_erased: counted.blocks_erased,
            bytes_written: counted.bytes_written,
            bytes_filled_up: counted.bytes_filled_up,
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
            unit,
            entering: u32::MAX,
            extent: (0, 0),
            new_data: NewData::default(),
            read_before: counted.units_read,
            parts: NamespaceParts::new(&HostSpace::from(0)),
        }
    }

    /// Returns these counts of the checker with separate request counts, all zero, for each namespace in `space`.
    pub fn of_parts(self, space: &HostSpace) -> Self {
        Self { parts: NamespaceParts::new(space), ..self }
    }

    /// Notes in the checker's counts that the measured window (the part of the run that results cover) begins at `now`:
    /// earlier counts, and requests in flight, are left out when results are compared.
    pub fn on_window(&mut self, clock: &Clock, now: SimTime) {
        self.then = self.all.clone();
        (self.all.submitted, self.all.completed, self.all.failed) =
            ([0; Effect::COUNT], [0; Effect::COUNT], [0; Effect::COUNT]);
        self.all.untrimmed = [0; 2];
        self.parts.begin();
        self.decoding_then = Origin::ALL.map(|origin| clock.decoding(origin, now));
        self.busy_then = clock.busy(now);
        self.window = now;
        self.counts = true;
        // Requests in flight came before.
        self.requests.iter_mut().for_each(|asked| asked.counts = false);
    }

    fn request(&mut self, id: u32) -> &mut RequestAccount {
        if self.requests.len() <= id as usize {
            self.requests.resize(id as usize + 1, RequestAccount::default());
        }
        &mut self.requests[id as usize]
    }

    pub fn on_request(&mut self, id: u32, request: &HostRequest) {
        let counts = self.counts;
        let end = request.offset + u64::from(request.bytes);
        let units = if request.op.effect() == Effect::Flush {
            0
        } else {
            end.div_ceil(self.unit) - request.offset / self.unit
        };
        *self.request(id) = RequestAccount { counts, units, ..RequestAccount::default() };
        self.all.submitted[request.op.effect() as usize] += u64::from(counts);
    }

    /// Notes that host request `id` was lost in a power cut before the drive received it.
    pub fn on_unheard(&mut self, id: u32) {
        self.request(id).unheard = true;
    }

    /// Subtracts pages, by origin, from the checker's count of pages read: a power cut came before their decoding.
    pub fn forget_reads(&mut self, pages: CountsByOrigin) {
        self.all.pages_read.iter_mut().zip(pages).for_each(|(all, lost)| *all -= lost);
    }

    pub fn on_data(&mut self, id: u32, request: &HostRequest) {
        self.entering = id;
        self.extent = (request.offset, request.offset + u64::from(request.bytes));
    }

    /// Returns the byte range of the drive that the write request now entering covers in unit `lpn`.
    fn entering_of(&self, lpn: Lpn) -> Range<u64> {
        let begin = u64::from(lpn.0) * self.unit;
        self.extent.0.max(begin)..self.extent.1.min(begin + self.unit)
    }

    pub fn on_host_write(&mut self, lpn: Lpn) {
        let id = self.entering;
        self.request(id).entered += 1;
        let bytes = self.entering_of(lpn);
        self.all.bytes_written += bytes.end - bytes.start;
    }

    /// Notes that the host's last write, of unit `lpn`, is in `slot` of the write buffer. `rest` is the slot from which
    /// the sectors that the write lacks are copied; it is `slot` itself if the write replaced a part of the data there.
    pub fn on_buffered(&mut self, lpn: Lpn, slot: u32, rest: Option<u32>) {
        let bytes = self.entering_of(lpn);
        if rest != Some(slot) {
            self.on_kept(slot);
        }
        if bytes.end - bytes.start == self.unit {
            return self.new_data.fill(lpn, slot);
        }
        self.new_data.join(lpn, slot, bytes.start / SECTOR..bytes.end.div_ceil(SECTOR));
    }

    /// Notes in the checker's counts that `slot` of the write buffer (entry for one unit) holds the whole of unit
    /// `lpn`, which the host wrote before the run, or before a power cut that the buffer outlasted.
    pub fn on_carried(&mut self, lpn: Lpn, slot: u32) {
        self.on_kept(slot);
        self.new_data.fill(lpn, slot);
    }

    /// Notes in the checker's counts that `slot` of the write buffer holds no data of the host that flash lacks.
    pub fn on_kept(&mut self, slot: u32) {
        self.new_data.clear(slot);
    }

    /// Adds to the checker's counts, at the end of a program whether it succeeded or failed, the bytes with which the
    /// drive completed partly written units to whole units; `slots` are the write-buffer slots that were programmed.
    pub fn on_hosts_programmed(&mut self, slots: impl Iterator<Item = u32>) {
        self.all.bytes_filled_up += self.new_data.end_program(slots, self.unit / SECTOR) * SECTOR;
    }

    /// Notes that flash has the host's newest data of unit `lpn`, so that its buffer slot holds no newer data.
    pub fn on_commit(&mut self, lpn: Lpn) {
        self.new_data.commit(lpn);
    }

    pub fn on_host_read(&mut self, ppa: Ppa) {
        self.wanted.push(ppa);
    }

    /// Notes that a flash read was submitted for a host request; `first` is the first physical address of its page row
    /// (multi-plane page), from which its mask of units counts, or [`Ppa::NONE`] if the units are not on flash.
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

    pub fn on_complete(&mut self, id: u32, request: &HostRequest, status: CompletionStatus, now: SimTime) {
        let failed = status == CompletionStatus::Failed;
        let asked = *self.request(id);
        let op = request.op;
        assert!(now >= request.arrive, "a {} is answered before it came", op.name());
        let by = if failed { &mut self.all.failed } else { &mut self.all.completed };
        by[op.effect() as usize] += u64::from(asked.counts);
        if asked.counts {
            self.parts.on_complete(request, status);
        }
        if op.effect() == Effect::Trim && asked.counts && !failed {
            self.note_untrimmed(request);
        }
        if op.effect() == Effect::Read {
            self.units_read += if asked.unheard { 0 } else { asked.units };
            assert_eq!(self.wanted, [], "the host wants units of the flash that no read brings");
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
        let whole = op.effect() != Effect::Write || failed || asked.entered == asked.units;
        assert!(whole, "a write is answered with {} of {} units in the drive", asked.entered, asked.units);
    }

    /// Counts the bytes of a trim that lie in mapping units that it covers only in part, and the trim if it covers no
    /// whole unit. Only the first and the last unit can be covered in part.
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

    /// Checks that the results of the measured window agree with the checker's own counts: flash operations, requests,
    /// bytes, namespaces and channel utilisation.
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
            // Reads count once they are decoded: reads that are being decoded do not, and some of before do.
            let seen = self.all.pages_read[at] - self.then.pages_read[at];
            let least = seen.saturating_sub(clock.decoding(origin, now));
            let said = flash["reads"][name].as_u64().unwrap_or(u64::MAX);
            let most = seen + self.decoding_then[at];
            assert!((least..=most).contains(&said), "reads of {name}: {said} said and {seen} seen");
        }
        self.compare_utilisation(&result["utilisation"], clock, now);
        if !host["translation"].is_null() {
            // The requests of the workload are not those of the drive.
            return self.compare_translated(result);
        }
        self.parts.compare(&host["namespaces"]);
        self.compare_bytes(result);
        for (what, counts) in [
            ("submitted", self.all.submitted),
            ("completed", self.all.completed),
            ("failed", self.all.failed),
        ] {
            // What no host but one of zones asks for is absent where it asks for none.
            let absent = |effect| if effect == Effect::Manage { 0 } else { u64::MAX };
            let said = Effect::ALL.map(|effect| host[what][effect.name()].as_u64().unwrap_or(absent(effect)));
            assert_eq!(
                said,
                Effect::ALL.map(|effect| counts[effect as usize]),
                "requests {what}: said and seen"
            );
        }
        let said = ["requests_without_unit", "bytes_outside_units"].map(|name| host["trim"][name].as_u64());
        assert_eq!(said, self.all.untrimmed.map(Some), "what trims did not forget: said and seen");
    }

    /// Returns the number of units programmed in the measured window, over all origins (kinds of cause).
    fn units_programmed(&self) -> u64 {
        let of =
            |at: Origin| self.all.units_programmed[at as usize] - self.then.units_programmed[at as usize];
        Origin::ALL.iter().copied().map(of).sum()
    }

    /// Checks the write amplification in the results of a run whose host keeps blocks on zones: that of the drive
    /// alone, and that of host and drive together, over the bytes that the workload wrote.
    fn compare_translated(&self, result: &Value) {
        let programmed = (self.units_programmed() * self.unit) as f64;
        let over = |bytes: u64| (bytes > 0).then(|| programmed / bytes as f64);
        let by_workload = result["waf_bytes"]["host_written"].as_u64().unwrap_or(0);
        let parts = result["waf_parts"].as_object();
        let sum = parts.map(|parts| parts.values().filter_map(Value::as_f64).sum());
        let alone = result["host"]["translation"]["drive_write_amplification"].as_f64();
        for (what, said, seen) in [
            ("waf of the drive", alone, over(self.all.bytes_written - self.then.bytes_written)),
            ("waf", result["waf"].as_f64(), over(by_workload)),
            ("the parts of waf", sum, over(by_workload)),
        ] {
            let near = |said: f64, seen: f64| (said - seen).abs() <= 1e-9 * seen.max(1.0);
            let agree =
                said.zip(seen).map_or(said.is_none() && seen.is_none(), |(said, seen)| near(said, seen));
            assert!(agree, "{what}: {said:?} said and {seen:?} seen");
        }
    }

    /// Checks, if the host wrote data, that the write amplification in the results, and its parts, follow from the
    /// checker's counts of bytes and units.
    pub fn compare_bytes(&self, result: &Value) {
        let written = self.all.bytes_written - self.then.bytes_written;
        if written == 0 {
            return;
        }
        let filled_up = self.all.bytes_filled_up - self.then.bytes_filled_up;
        let said = &result["waf_bytes"];
        assert_eq!(said["host_written"].as_u64(), Some(written), "bytes that the host wrote: said and seen");
        assert_eq!(said["filled_up"].as_u64(), Some(filled_up), "bytes that fill up units: said and seen");
        let seen = (self.units_programmed() * self.unit) as f64 / written as f64;
        let parts = result["waf_parts"].as_object().expect("the host wrote");
        let sum: f64 = parts.values().filter_map(Value::as_f64).sum();
        for (what, said) in [("waf", result["waf"].as_f64().unwrap_or(-1.0)), ("the parts of waf", sum)] {
            assert!((said - seen).abs() <= 1e-9 * seen.max(1.0), "{what}: {said} said and {seen} seen");
        }
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

    /// Checks at the end of a run that the drive's own counts equal the checker's; `decoding` returns the number of
    /// pages of an origin that the ECC is still decoding, which the drive need not count as read yet.
    pub fn settle(&self, counted: &DriveCounts, decoding: impl Fn(Origin) -> u64) {
        let all = &self.all;
        for origin in Origin::ALL {
            let (seen, said) = (all.pages_read[origin as usize], counted.pages_read[origin as usize]);
            let least = seen.saturating_sub(decoding(origin));
            assert!(
                (least..=seen).contains(&said),
                "pages read for {}: {seen} seen and {said} counted",
                origin.name()
            );
        }
        for (what, seen, said) in [
            ("pages programmed", &all.pages_programmed, &counted.pages_programmed),
            ("units programmed", &all.units_programmed, &counted.units_programmed),
            ("blocks erased", &all.blocks_erased, &counted.blocks_erased),
        ] {
            assert_eq!(seen, said, "{what}, by origin: seen and counted");
        }
        for (what, seen, said) in [
            ("bytes that the host wrote", all.bytes_written, counted.bytes_written),
            ("bytes that fill up units", all.bytes_filled_up, counted.bytes_filled_up),
        ] {
            assert_eq!(seen, said, "{what}: seen and counted");
        }
        let units = counted.units_read - self.read_before;
        assert_eq!(units, self.units_read, "units that the host read: found somewhere and answered");
    }
}
