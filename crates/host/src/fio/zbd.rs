//! `zonemode=zbd`: what fio 3.42 does on a zoned drive, by its `zbd.c`: its own account of pointers, the zones it writes to,
//! where a request goes instead of where it was drawn, and which zones it resets and finishes on the way.
//!
//! As in fio, a zone is locked by a request until that is answered, so that there is one write at a time in each; reads, too,
//! unless `read_beyond_wp` is given. What is waited for there is waited for here; a request that waits looks for its zone
//! anew.
//!
//! Not modelled: `zoneskip`, trims (which are resets in fio), several files, conventional zones, `verify`, files in which fio
//! makes zones of its own.

mod refused;

pub use refused::{check, check_drive, whole_zones, zones_on_drive};

use super::files::{CloneFiles, FileRegion};
use super::job::JobSpec;
use crate::{Effect, HostZones, Op};

/// Constant limit on the number of the drive's zones to which all jobs of a fio workload together write at the same
/// time; it holds even where the drive or `max_open_zones` allows more. The limit of a single job clone is
/// `job_max_open_zones`.
const TARGETS_MOST: u32 = 4096;
const NO_CLONE: u32 = u32::MAX;

/// Kind of outcome of fitting a drawn request of a fio job with `zonemode=zbd` to the drive's zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZbdStep {
    /// Outcome: the request is issued, at an offset and with a length that fit the zones of the drive.
    Accept {
        /// Byte offset on the drive at which the fio job's request is issued.
        offset: u64,
        /// Length in bytes of the fio job's request as it is issued.
        bytes: u64,
    },
    /// Outcome: before the request is issued, the zone with this number needs this operation, a reset or a finish.
    Manage(Op, u32),
    /// Outcome: the request waits for another request of its fio job clone in flight, or for a zone that a request of
    /// another clone locks.
    Wait,
    /// Outcome: no zone can take the request, so that the fio job clone ends its pass over its part of the drive.
    End,
}

/// State of one clone of a fio job with `zonemode=zbd`: its zones, limits, and the request that waits.
#[derive(Clone, Debug)]
pub struct ZbdClone {
    /// Index, among the zoned namespaces whose zones the fio jobs record, of the namespace in which the clone works.
    pub namespace: usize,
    /// Two zone numbers: of the first zone of the fio job clone in its namespace, and of the zone after its last one.
    zones: [u32; 2],
    /// List of the shortest block sizes of the fio job in bytes, one for each direction (read, write, trim).
    least: [u64; 3],
    is_random: bool,
    reads_beyond: bool,
    /// Greatest number of zones to which this one fio job clone writes at the same time (`job_max_open_zones`); 0: no
    /// limit but that for all jobs together.
    targets_most: u32,
    targets: u32,
    /// Fraction (0 to 1) of the bytes of the fio job clone's zones; the clone resets zones once so many bytes of the
    /// namespace are written.
    threshold: f64,
    /// Number of writes of which one resets its zone, once the fraction `threshold` is written; 0: the fio job clone
    /// resets no zones ahead of writes.
    every: u64,
    /// Request of a fio job clone (operation, offset, bytes) that was drawn and waits to be issued.
    pub pending: Option<(Op, u64, u32)>,
    /// Number of the zone chosen for the fio job clone's waiting write, and true if that zone is to be reset first.
    chosen: Option<(u32, bool)>,
    /// True while a reset or finish of a zone is in flight for the fio job clone.
    pub is_managing: bool,
    /// True after the fio job clone found no zone for a request, until one of its requests is accepted; a second
    /// request in a row without a zone ends the clone.
    pub is_at_end: bool,
}

/// State of the zones of a zoned namespace as fio records it, shared by all jobs: write pointers, locks (a zone is
/// locked while a request of a clone in it is in flight), and the targets (zones that the jobs now write to).
#[derive(Debug)]
pub struct FioZones {
    shape: HostZones,
    /// List of the write pointers that fio assumes, one for each zone, in bytes from the start of the zone.
    pointers: Vec<u64>,
    /// List of flags, one for each zone: true if the zone is a target (a zone that is written to).
    is_target: Vec<bool>,
    /// List with an entry for each zone: the number of the fio job clone whose request in flight locks the zone, or
    /// `NO_CLONE`.
    holders: Vec<u32>,
    targets: Vec<u32>,
    targets_most: u32,
    /// Number of bytes written to zones and not reset, for fio's reset threshold.
    valid_bytes: u64,
    /// Number of writes until the next reset of a zone, for fio's reset frequency.
    writes_left: u64,
}

impl ZbdClone {
    /// Makes the zone state of one clone of the fio job `job`, whose `share` of the drive consists of whole zones of
    /// the zoned namespace with index `namespace`, whose zones are `zones`.
    pub fn new(
        job: &JobSpec,
        share: &CloneFiles,
        files: &[FileRegion],
        (namespace, zones): (usize, HostZones),
    ) -> Self {
        let part = share.parts[0];
        let first = files[part.file as usize].offset + part.start;
        let every =
            if job.zones.reset_frequency > 0.0 { (1.0 / job.zones.reset_frequency) as u64 } else { 0 };
        Self {
            namespace,
            zones: [zones.zone_of(first), zones.zone_of(first + part.bytes)],
            least: std::array::from_fn(|direction| job.blocks[direction].least()),
            is_random: job.random,
            reads_beyond: job.zones.reads_beyond,
            targets_most: job.zones.job_max_open as u32,
            targets: 0,
            threshold: job.zones.reset_threshold,
            every,
            pending: None,
            chosen: None,
            is_managing: false,
            is_at_end: false,
        }
    }

    fn holds(&self, zone: u32) -> bool {
        (self.zones[0]..self.zones[1]).contains(&zone)
    }

    fn count(&self) -> u32 {
        self.zones[1] - self.zones[0]
    }
}

impl FioZones {
    /// Makes the state of a namespace's zones as fio records it, all zones empty. `max_open` is the greatest number of
    /// zones to which all jobs together write at the same time; 0 takes the drive's limit.
    pub fn new(shape: HostZones, max_open: u64) -> Self {
        let count = shape.count as usize;
        let limit = if max_open > 0 { max_open as u32 } else { shape.open_most };
        Self {
            shape,
            pointers: vec![0; count],
            is_target: vec![false; count],
            holders: vec![NO_CLONE; count],
            targets: Vec::new(),
            targets_most: limit.min(TARGETS_MOST),
            valid_bytes: 0,
            writes_left: 0,
        }
    }

    /// Returns true if this state, as fio records it, is that of the zones `zones`, the zones of one namespace.
    pub fn is_of(&self, zones: HostZones) -> bool {
        self.shape == zones
    }

    /// Stores, in fio's record of a namespace's zones, the states that the zones have before the run or after a power
    /// cut: of each zone of the drive, those of other namespaces among them, the bytes written to it, and whether it is
    /// full.
    pub fn learn(&mut self, zones: &[(u64, bool)]) {
        self.valid_bytes = 0;
        for (pointer, (written, is_full)) in self.pointers.iter_mut().zip(&zones[self.shape.first as usize..])
        {
            *pointer = if *is_full { self.shape.size } else { *written };
            self.valid_bytes += written;
        }
    }

    /// Returns, for fio jobs in the zones of the drive, the offset of the first byte of the zone in which the byte at
    /// `offset` of the drive lies.
    pub fn start_of(&self, offset: u64) -> u64 {
        self.start(self.zone_of(offset))
    }

    /// Returns, for fio jobs in the zones of a namespace, the number of the zone in which the byte at `offset` of the
    /// drive lies.
    pub fn zone_of(&self, offset: u64) -> u32 {
        self.shape.zone_of(offset)
    }

    /// Returns, for fio jobs in the zones of a namespace, the offset on the drive of the first byte of zone number
    /// `zone`.
    pub fn start(&self, zone: u32) -> u64 {
        self.shape.start(zone)
    }

    fn left(&self, zone: u32) -> u64 {
        self.shape.capacity.saturating_sub(self.pointers[zone as usize])
    }

    fn is_held(&self, zone: u32) -> bool {
        self.holders[zone as usize] != NO_CLONE
    }

    /// Decides whether and where a drawn request of fio job clone `index` is issued; the clone has `others` more
    /// requests in flight. Called again for the same request once its wait is over.
    pub fn adjust(
        &mut self,
        index: u32,
        clone: &mut ZbdClone,
        (op, offset, bytes): (Op, u64, u64),
        others: u64,
    ) -> ZbdStep {
        if op.effect() == Effect::Read {
            return self.adjust_read(index, clone, offset, bytes);
        }
        let (zone, resets) = match clone.chosen {
            Some(chosen) => chosen,
            None => match self.choose(clone, offset, others) {
                Ok(zone) => {
                    let resets = self.is_reset_due(clone);
                    clone.chosen = Some((zone, resets));
                    (zone, resets)
                }
                Err(step) => return step,
            },
        };
        if self.is_held(zone) {
            return ZbdStep::Wait;
        }
        let least = clone.least[1];
        if (resets || self.left(zone) < least) && self.pointers[zone as usize] > 0 {
            // As in fio, what was written before is waited for.
            return if others > 0 { ZbdStep::Wait } else { ZbdStep::Manage(Op::ZONE_RESET, zone) };
        }
        let fits = bytes.min(self.left(zone));
        let fits = fits - fits % least;
        clone.chosen = None;
        if fits == 0 {
            return ZbdStep::End;
        }
        let offset = self.start(zone) + self.pointers[zone as usize];
        self.holders[zone as usize] = index;
        self.pointers[zone as usize] += fits;
        self.valid_bytes += fits;
        clone.is_at_end = false;
        ZbdStep::Accept { offset, bytes: fits }
    }

    /// Notes that a zone was reset or finished for a fio job clone: updates the zone's write pointer.
    pub fn managed(&mut self, clone: &mut ZbdClone, op: Op, zone: u32) {
        clone.is_managing = false;
        let pointer = &mut self.pointers[zone as usize];
        if op == Op::ZONE_RESET {
            self.valid_bytes = self.valid_bytes.saturating_sub((*pointer).min(self.shape.capacity));
            *pointer = 0;
            clone.chosen = clone.chosen.map(|(zone, _)| (zone, false));
        } else {
            *pointer = self.shape.size;
        }
    }

    /// Notes the completion of a fio job clone's request: unlocks the zone, and removes a full zone from the targets
    /// (zones that the fio jobs write to).
    pub fn answered(&mut self, index: u32, clone: &mut ZbdClone, op: Op, offset: u64) {
        let zone = self.zone_of(offset);
        if self.holders[zone as usize] == index {
            self.holders[zone as usize] = NO_CLONE;
        }
        // One write of a zone is in flight at a time: its end is the pointer.
        if op.effect() == Effect::Write && self.left(zone) == 0 {
            self.put(clone, zone);
        }
    }

    fn is_reset_due(&mut self, clone: &ZbdClone) -> bool {
        let part = u64::from(clone.count()) * self.shape.size;
        if clone.every == 0 || (self.valid_bytes as f64) < part as f64 * clone.threshold {
            return false;
        }
        if self.writes_left == 0 {
            self.writes_left = clone.every;
        }
        self.writes_left -= 1;
        self.writes_left == 0
    }

    fn adjust_read(&mut self, index: u32, clone: &mut ZbdClone, offset: u64, bytes: u64) -> ZbdStep {
        if clone.reads_beyond {
            clone.is_at_end = false;
            return ZbdStep::Accept { offset, bytes };
        }
        let (least, drawn) = (clone.least[0], self.zone_of(offset));
        let written = |zone: u32| self.pointers[zone as usize].min(self.shape.capacity);
        let (mut zone, mut offset) = (drawn, offset);
        if self.is_held(zone) {
            return ZbdStep::Wait;
        }
        let is_beyond = !clone.is_random && offset + least > self.start(zone) + written(zone);
        if written(zone) < least || is_beyond {
            let Some(other) = self.find_written(clone, drawn) else { return ZbdStep::End };
            if self.is_held(other) {
                return ZbdStep::Wait;
            }
            zone = other;
            if !clone.is_random {
                offset = self.start(zone);
            }
        }
        let range = written(zone);
        if range <= bytes {
            offset = self.start(zone);
        } else if clone.is_random {
            let within = (offset - self.start(drawn)) % (range - bytes);
            offset = self.start(zone) + within / least * least;
        }
        let fits = bytes.min(self.start(zone) + range - offset);
        self.holders[zone as usize] = index;
        clone.is_at_end = false;
        ZbdStep::Accept { offset, bytes: fits - fits % least }
    }

    /// Returns the number of another zone with enough written data for a read: the next one for a sequential fio job,
    /// the nearest for a random job.
    fn find_written(&self, clone: &ZbdClone, from: u32) -> Option<u32> {
        let has = |zone: &u32| self.pointers[*zone as usize].min(self.shape.capacity) >= clone.least[0];
        let [first, end] = clone.zones;
        for distance in 1..=self.shape.count {
            let after = from.checked_add(distance).filter(|zone| *zone < end);
            let before = from.checked_sub(distance).filter(|zone| *zone >= first && clone.is_random);
            if let Some(found) = after.filter(has).or(before.filter(has)) {
                return Some(found);
            }
            if after.is_none() && before.is_none() {
                break;
            }
        }
        None
    }

    // ---- zones that are written to ------------------------------------------------------------------

    /// Makes `zone` a target (a zone written to) if the limits of the clone and of all fio jobs together allow one
    /// more; returns true when the clone may write to the zone.
    fn get(&mut self, clone: &mut ZbdClone, zone: u32) -> bool {
        if self.is_target[zone as usize] {
            return self.left(zone) > 0;
        }
        let is_clone_full = clone.targets_most > 0 && clone.targets >= clone.targets_most;
        if is_clone_full || self.targets.len() as u32 >= self.targets_most {
            return false;
        }
        self.is_target[zone as usize] = true;
        self.targets.push(zone);
        clone.targets += 1;
        true
    }

    fn put(&mut self, clone: &mut ZbdClone, zone: u32) {
        if std::mem::take(&mut self.is_target[zone as usize]) {
            self.targets.retain(|target| *target != zone);
            clone.targets = clone.targets.saturating_sub(1);
        }
    }

    /// Returns the target zone (zone that the fio jobs now write to) that `offset` selects among the zones of the
    /// clone; `None` if none of these is a target.
    fn pick(&self, clone: &ZbdClone, offset: u64) -> Option<u32> {
        let count = self.targets.len() as u64;
        let whole = u64::from(clone.count()) * self.shape.size;
        let first = (u128::from(offset - self.start(clone.zones[0])) * u128::from(count) / u128::from(whole))
            as usize;
        let turned = self.targets[first..].iter().chain(&self.targets[..first]);
        turned.copied().find(|zone| clone.holds(*zone))
    }

    /// Returns the number of the zone that a fio job's write drawn at `offset` goes to; or, as the error, the step
    /// needed before the write (a reset or finish of a zone, a wait) or the end of the pass.
    fn choose(&mut self, clone: &mut ZbdClone, offset: u64, others: u64) -> Result<u32, ZbdStep> {
        let least = clone.least[1];
        let drawn = self.zone_of(offset);
        if self.is_held(drawn) {
            return Err(ZbdStep::Wait);
        }
        // What a zone has left that is too short for a block: it is finished, and the write goes to the next.
        if (1..least).contains(&self.left(drawn)) {
            if others > 0 {
                return Err(ZbdStep::Wait);
            }
            self.put(clone, drawn);
            let next = drawn + 1;
            let onward = self.start(if clone.holds(next) { next } else { clone.zones[0] });
            if let Some(pending) = &mut clone.pending {
                pending.1 = onward;
            }
            if !clone.holds(next) && !clone.is_random {
                return Err(ZbdStep::End);
            }
            return Err(ZbdStep::Manage(Op::ZONE_FINISH, drawn));
        }
        if self.get(clone, drawn) {
            return Ok(drawn);
        }
        if !self.targets.is_empty() {
            let Some(target) = self.pick(clone, offset) else { return Err(ZbdStep::End) };
            if self.is_held(target) {
                return Err(ZbdStep::Wait);
            }
            if self.left(target) >= least {
                return Ok(target);
            }
        }
        self.choose_other(clone, drawn, offset, others)
    }

    fn choose_other(
        &mut self,
        clone: &mut ZbdClone,
        drawn: u32,
        offset: u64,
        others: u64,
    ) -> Result<u32, ZbdStep> {
        let count = self.targets.len() as u32;
        let is_full = count == clone.count()
            || count == self.targets_most
            || (clone.targets_most > 0 && clone.targets == clone.targets_most);
        if is_full && others > 0 {
            return Err(ZbdStep::Wait);
        }
        let [first, _] = clone.zones;
        for distance in 1..=clone.count() {
            let zone = first + (drawn - first + distance) % clone.count();
            if self.is_target[zone as usize] {
                continue;
            }
            if self.is_held(zone) {
                return Err(ZbdStep::Wait);
            }
            if self.get(clone, zone) {
                return Ok(zone);
            }
        }
        let least = clone.least[1];
        let fits = |zone: &u32| clone.holds(*zone) && self.left(*zone) >= least;
        if let Some(zone) = self.targets.iter().copied().find(fits) {
            return if self.is_held(zone) { Err(ZbdStep::Wait) } else { Ok(zone) };
        }
        if others > 0 || self.holders.iter().any(|holder| *holder != NO_CLONE) {
            return Err(ZbdStep::Wait);
        }
        // All that are written to have too little left: one of a random job's is finished, and begun anew.
        let picked = if clone.is_random { self.pick(clone, offset) } else { None };
        match picked {
            Some(zone) => {
                clone.chosen = Some((zone, true));
                Err(ZbdStep::Manage(Op::ZONE_FINISH, zone))
            }
            None => Err(ZbdStep::End),
        }
    }
}
