//! `max_latency`: a clone ends, as with an error, at its first request that takes longer.

use super::job::JobSpec;
use crate::{Effect, HostRequest};

/// Type of the list of the latency limits (`max_latency`) of all clones of a fio job file, with messages about limits
/// that were exceeded; the list is empty where no job has a limit.
#[derive(Clone, Debug, Default)]
pub struct CloneLimits {
    by_clone: Vec<[u64; 3]>,
    /// List of messages for the report about fio job clones that a latency limit ended.
    pub said: Vec<String>,
}

impl CloneLimits {
    /// Makes the list of the latency limits (`max_latency`) of `clones`, each of which is given by its fio job.
    pub fn new<'a>(clones: impl Iterator<Item = &'a JobSpec> + Clone) -> Self {
        let is_limited = clones.clone().any(|job| job.max_latency_ns != [0; 3]);
        let by_clone = if is_limited { clones.map(|job| job.max_latency_ns).collect() } else { Vec::new() };
        Self { by_clone, said: Vec::new() }
    }

    /// Returns true if no clone of the fio job file has a latency limit (`max_latency`).
    pub fn is_empty(&self) -> bool {
        self.by_clone.is_empty()
    }

    /// Returns true if `clone`, of the fio job `name`, must end because `request`, completed at `now` ns, took longer
    /// than the clone's latency limit; adds a message then.
    pub fn ends(&mut self, clone: u32, name: &str, request: &HostRequest, now: u64) -> bool {
        let kind = match request.op.effect() {
            Effect::Read => "a read",
            Effect::Write => "a write",
            Effect::Trim => "a trim",
            Effect::Flush | Effect::Manage => return false,
        };
        let most = &mut self.by_clone[clone as usize];
        let (limit, taken) = (most[request.op.effect() as usize], now - request.arrive.ns());
        if limit == 0 || taken <= limit {
            return false;
        }
        // Requests that are still out do not end it again.
        *most = [0; 3];
        let ms = |ns: u64| ns as f64 / 1e6;
        self.said.push(format!(
            "{name}: ended after {} s by {kind} of {} ms, with at most {} ms asked for",
            now as f64 / 1e9,
            ms(taken),
            ms(limit)
        ));
        true
    }
}
