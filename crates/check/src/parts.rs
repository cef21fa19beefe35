//! Which namespace the host asked for how much, counted from what the host was told.

use host::{CompletionStatus, Effect, HostRequest, HostSpace};
use serde_json::Value;

/// Record of the checker's own counts of requests to each namespace, on a drive with several namespaces: for each kind
/// of request the number done, their bytes, and the number that failed.
pub(crate) struct NamespaceParts {
    /// List of the byte ranges of the namespaces, for the checker's counts of requests: the first byte of each, and the
    /// first byte after it.
    extents: Vec<[u64; 2]>,
    served: Vec<[[u64; 3]; 3]>,
}

impl NamespaceParts {
    /// Makes the checker's counts of requests, all zero, for the namespaces in `space`.
    pub fn new(space: &HostSpace) -> Self {
        let extents = space.namespaces.iter().map(|one| one.extent);
        let extents: Vec<[u64; 2]> =
            extents.map(|extent| [extent.offset, extent.offset + extent.bytes]).collect();
        Self { served: vec![[[0; 3]; 3]; extents.len()], extents }
    }

    /// Sets the checker's request counts of all namespaces to zero, because the measured window, which results cover,
    /// begins.
    pub fn begin(&mut self) {
        self.served.fill([[0; 3]; 3]);
    }

    /// Adds a read, write or trim that arrived in the measured window (the part of the run that results cover) and is
    /// now answered to the checker's counts of its namespace, as done or as failed; other requests are not counted.
    pub fn on_complete(&mut self, request: &HostRequest, status: CompletionStatus) {
        let kind = match request.op.effect() {
            Effect::Read => 0,
            Effect::Write => 1,
            Effect::Trim => 2,
            Effect::Flush | Effect::Manage => return,
        };
        let [from, bytes] = [request.offset, u64::from(request.bytes)];
        let holds = |extent: &[u64; 2]| extent[0] <= from && from + bytes <= extent[1];
        let Some(at) = self.extents.iter().position(holds) else {
            assert!(self.extents.is_empty(), "{bytes} bytes at {from} are of no namespace, or of several");
            return;
        };
        let more = if status == CompletionStatus::Failed { [0, 0, 1] } else { [1, bytes, 0] };
        self.served[at][kind].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }

    /// Checks that the `namespaces` section of the results, `said`, has the requests, bytes and failures that the
    /// checker counted for each namespace.
    pub fn compare(&self, said: &Value) {
        let said = said.as_array().map_or(&[][..], Vec::as_slice);
        assert_eq!(said.len(), self.served.len(), "namespaces: said and there");
        for (of, seen) in said.iter().zip(&self.served) {
            for (kind, seen) in ["read", "write", "trim"].iter().zip(seen) {
                let said = ["requests", "bytes", "failed"].map(|what| of[*kind][what].as_u64());
                assert_eq!(said, seen.map(Some), "{kind}s of namespace {}: said and seen", of["name"]);
            }
        }
    }
}
