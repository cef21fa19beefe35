//! The door of a drive: which namespaces it has, where each lies on the drive, and what may be asked of it.

use host::command::{self, CommandSet, SECTOR};
use host::{HostRequest, WorkloadError};

/// The namespaces of a drive: one that is all of it, of the usual command set.
#[derive(Clone, Debug)]
pub(crate) struct Namespaces {
    set: &'static CommandSet,
    on_sectors: u64,
    bytes: u64,
}

impl Namespaces {
    /// One namespace that is the whole drive.
    pub fn whole(bytes: u64) -> Self {
        Self { set: command::USUAL, on_sectors: command::USUAL.on_sectors(), bytes }
    }

    /// Lets a request in.
    ///
    /// # Errors
    /// When it is none that its namespace's command set understands, or reaches beyond it; `workload` gives the name of
    /// what asked.
    #[inline]
    pub fn admit(
        &self,
        request: &HostRequest,
        workload: impl FnOnce() -> String,
    ) -> Result<(), WorkloadError> {
        let (offset, bytes) = (request.offset, u64::from(request.bytes));
        let is_usual = offset <= self.bytes
            && bytes <= self.bytes - offset
            && bytes > 0
            && (offset | bytes).is_multiple_of(SECTOR)
            && self.on_sectors >> request.op.code() & 1 == 1;
        if is_usual { Ok(()) } else { self.look_closer(request, workload) }
    }

    #[cold]
    #[inline(never)]
    fn look_closer(
        &self,
        request: &HostRequest,
        workload: impl FnOnce() -> String,
    ) -> Result<(), WorkloadError> {
        let refusal = self.set.refusal(request.op, request.offset, request.bytes, self.bytes);
        refusal.map_or(Ok(()), |refusal| Err(command::refused(&workload(), refusal)))
    }
}
