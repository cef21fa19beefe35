//! How much the host asked of each namespace.

use host::{CompletionStatus, Effect, HostRequest};

/// Counts of the requests to each namespace of a drive with several namespaces, by effect; flushes, which concern the
/// one write buffer of the whole drive, are not counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByNamespace(Vec<[EffectCounts; Effect::COUNT]>);

/// Counts of the requests to one namespace with one effect, such as reads: completed, their bytes, and failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EffectCounts {
    /// Number of requests to the namespace, with one effect (read, write, trim, or management of a zone or placement
    /// handle), that were completed successfully.
    pub done: u64,
    pub bytes: u64,
    /// Number of requests to the namespace, with one effect (read, write, trim, or management of a zone or placement
    /// handle), that were answered with an error.
    pub failed: u64,
}

impl ByNamespace {
    /// Counts an answered request, by effect and status, to the namespace with index `at`.
    pub fn note(&mut self, at: usize, request: &HostRequest, status: CompletionStatus) {
        let is_done = status == CompletionStatus::Success;
        if self.0.len() <= at {
            self.0.resize(at + 1, <[EffectCounts; Effect::COUNT]>::default());
        }
        let asked = &mut self.0[at][request.op.effect() as usize];
        asked.done += u64::from(is_done);
        asked.bytes += if is_done { u64::from(request.bytes) } else { 0 };
        asked.failed += u64::from(!is_done);
    }

    /// Returns the counts of the requests to the namespace with index `at` that have the effect `effect` (read, write,
    /// trim, or management of a zone or placement handle); all 0 for flushes, which are not counted.
    pub fn of(&self, at: usize, effect: Effect) -> EffectCounts {
        self.0.get(at).map_or_else(EffectCounts::default, |asked| asked[effect as usize])
    }
}
