//! What ends a clone early: a steady state, a request that took too long.

use super::FioWorkload;
use crate::HostRequest;

impl FioWorkload {
    /// Counts an answer to clone `index`; when its watch finds a steady state, all that it watches end.
    pub(super) fn settle(&mut self, index: u32, request: &HostRequest, now: u64) {
        let Some(watch) = self.watches.get_mut(self.watched_by[index as usize] as usize) else { return };
        if watch.count(request, now) {
            for clone in &watch.clones {
                self.clones[*clone as usize].worker.stop(now);
            }
        }
    }

    /// Ends clone `index` where the answer to one of its requests took longer than it allows.
    #[cold]
    #[inline(never)]
    pub(super) fn limit(&mut self, index: u32, request: &HostRequest, now: u64) {
        let clone = &mut self.clones[index as usize];
        let name = &self.file.jobs[clone.job as usize].name;
        if self.limits.ends(index, name, request, now) {
            clone.worker.fail(now);
        }
    }
}
