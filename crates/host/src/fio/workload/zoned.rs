//! Clones that work in zones of the drive.

use super::{CloneAnswer, FioWorkload, WaitingPlace};
use crate::fio::job::JobSpec;
use crate::fio::zbd::{FioZones, ZbdStep};
use crate::{Completion, CompletionStatus, Effect, HostRequest, HostZones};

impl FioWorkload {
    /// Stores the state that the drive's zones have before the fio jobs begin, or after a power cut: for each zone the
    /// number of bytes written, and whether the zone is full.
    pub(super) fn learn(&mut self, zones: &[(u64, bool)]) {
        self.zones.iter_mut().for_each(|account| account.learn(zones));
    }

    /// Returns the next step of fio job clone `index`, which works in the drive's zones: a request at the offset that
    /// the zones allow, or first the reset or finish of a zone.
    #[cold]
    pub(super) fn step_in_zones(&mut self, index: u32, now: u64) -> CloneAnswer {
        loop {
            let clone = &mut self.clones[index as usize];
            let Some(own) = &mut clone.zbd else { return clone.worker.step(now) };
            let account = &mut self.zones[own.namespace];
            if own.is_managing {
                return CloneAnswer::Full;
            }
            let (op, offset, bytes) = match own.pending {
                Some(pending) => pending,
                None => match clone.worker.step(now) {
                    CloneAnswer::Issue { op, offset, bytes } if op.effect() != Effect::Flush => {
                        own.pending = Some((op, offset, bytes));
                        (op, offset, bytes)
                    }
                    other => return other,
                },
            };
            let others = clone.worker.outstanding() - 1;
            match account.adjust(index, own, (op, offset, u64::from(bytes)), others) {
                ZbdStep::Accept { offset, bytes } => {
                    own.pending = None;
                    clone.worker.moved(op, offset, bytes);
                    return CloneAnswer::Issue { op, offset, bytes: bytes as u32 };
                }
                ZbdStep::Manage(op, zone) => {
                    own.is_managing = true;
                    clone.worker.note_extra();
                    return CloneAnswer::Issue { op, offset: account.start(zone), bytes: 0 };
                }
                ZbdStep::Wait => return CloneAnswer::Full,
                ZbdStep::End => {
                    own.pending = None;
                    let is_over = clone.worker.withdraw() || std::mem::replace(&mut own.is_at_end, true);
                    if is_over {
                        clone.worker.stop(now);
                    }
                }
            }
        }
    }

    /// Notes the completion of a request of fio job clone `index`, which works in the drive's zones, and wakes clones
    /// that may wait for its zone.
    #[cold]
    pub(super) fn end_in_zones(&mut self, index: u32, request: &HostRequest, completion: &Completion) {
        let clone = &mut self.clones[index as usize];
        let Some(own) = &mut clone.zbd else { return };
        let account = &mut self.zones[own.namespace];
        if completion.status == CompletionStatus::Failed {
            // As in fio, an error ends the job.
            clone.worker.fail(completion.at.ns());
            if own.pending.take().is_some() {
                clone.worker.drop_unsent();
            }
        }
        match request.op.effect() {
            // Whether it was done, the report of the zones after the power cut says.
            Effect::Manage if completion.status == CompletionStatus::Lost => own.is_managing = false,
            Effect::Manage => account.managed(own, request.op, account.zone_of(request.offset)),
            Effect::Flush => {}
            _ => account.answered(index, own, request.op, request.offset),
        }
        // Others may wait for the zone that is free now.
        for other in 0..self.clones.len() as u32 {
            let clone = &mut self.clones[other as usize];
            let waits = clone.zbd.as_ref().is_some_and(|own| own.pending.is_some() && !own.is_managing);
            if other != index && waits && clone.place == WaitingPlace::Full {
                clone.place = WaitingPlace::Ready;
                self.full -= 1;
                self.ready.push_back(other);
            }
        }
    }

    /// Makes the state of the zones of each zoned namespace as fio records it (write pointers, locks, zones written
    /// to), shared by all jobs; empty where no job works in the drive's zones.
    pub(super) fn accounts_of(jobs: &[JobSpec], zones: Vec<HostZones>) -> Vec<FioZones> {
        let own = jobs.iter().filter(|job| job.zones.is_zbd());
        let most = own.map(|job| job.zones.max_open).max();
        most.map_or_else(Vec::new, |most| zones.into_iter().map(|zones| FioZones::new(zones, most)).collect())
    }

    /// Returns the zones in which a clone of a fio job with `zonemode=zbd` works, with the index of their namespace
    /// among those with zones; `None` for other jobs. `on_drive` has the zones of the namespace that the job names.
    pub(super) fn zones_of(&self, job: &JobSpec, on_drive: Option<HostZones>) -> Option<(usize, HostZones)> {
        let zones = on_drive.filter(|_| job.zones.is_zbd())?;
        self.zones.iter().position(|account| account.is_of(zones)).map(|at| (at, zones))
    }
}
