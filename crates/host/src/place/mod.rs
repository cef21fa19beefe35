//! Which placement handle does a write carry?
//!
//! A host that knows more of its data than the drive names a handle with each write. Workloads that were recorded without, or
//! written for other drives, are given handles by a rule here, on any of them: so one sees what placement would save.

use crate::workload::{Background, Telling, Workload};
use crate::{Effect, HostRequest, WorkloadError};
use config::{ConfigError, Section};
use std::fmt;
use std::sync::Arc;
use units::SimTime;

/// Information on a write that the policy may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceView {
    /// First byte on the drive.
    pub offset: u64,
    /// Length of the write in bytes.
    pub bytes: u32,
    /// Number of the fio job, the volume of a trace or the flow that makes the write.
    pub job: u16,
    /// Time at which the write is made.
    pub arrive: SimTime,
    /// Handle that the workload itself names.
    pub named: Option<u16>,
    /// Process that makes the write, where the workload gives it.
    pub process: Option<u32>,
    /// Lifetime class of the write's data, where it is known: 0 is the shortest.
    pub life: Option<u16>,
    /// Placement handles of the drive, at least one.
    pub handles: u16,
    /// Bytes of the drive.
    pub drive_bytes: u64,
}

/// The choice of a handle.
pub trait PlacePolicy: Send {
    /// True when the handles that the workload names are kept, so that the policy is not asked.
    fn keeps(&self) -> bool {
        false
    }

    /// Returns the information about requests that the policy needs from the workload.
    fn needs(&self) -> Option<Telling> {
        None
    }

    /// Tells the policy, before the first write, that the drive has so many handles and bytes.
    fn attach(&mut self, _handles: u16, _drive_bytes: u64) {}

    /// Returns the handle for a write, which must exist; none: no identifier. Called once for each write, in
    /// order.
    fn place(&mut self, write: &PlaceView) -> Option<u16>;
}

config::policies! {
    seam: "host.place",
    question: "Which placement handle does a write carry?",
    default: "none",
    dyn PlacePolicy;
    address::ByAddress,
    by_job::ByJob,
    hindsight::ByLife,
    none::AsNamed,
    process::ByProcess,
    rate::ByRate,
    size::BySize,
    volume::ByVolume,
}

/// Makes the policy of a drive's file, as often as one is needed.
#[derive(Clone)]
pub struct PlaceMaker(Arc<Maker>);

impl fmt::Debug for PlaceMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlaceMaker")
    }
}

impl PlaceMaker {
    /// Reads `[host.place]`.
    ///
    /// # Errors
    /// When the policy or a parameter is unknown or wrong.
    pub fn read(host: &mut Section) -> Result<Self, ConfigError> {
        let mut section = host.child("place")?;
        let maker = read(&mut section)?;
        section.finish()?;
        Ok(Self(Arc::new(maker)))
    }

    /// True when the policy itself names handles.
    pub fn names(&self) -> bool {
        !(self.0)().keeps()
    }

    /// True if the policy asks how long data live: a copy of the workload is to be run through before.
    pub fn foresees(&self) -> bool {
        (self.0)().needs() == Some(Telling::Lives)
    }

    /// Refuses a workload that lacks the information which the policy needs.
    ///
    /// # Errors
    /// When it is one.
    pub fn check(&self, source: &dyn Workload) -> Result<(), WorkloadError> {
        let Some(what) = (self.0)().needs().filter(|what| !source.tells(*what)) else { return Ok(()) };
        let (found, expected) = match what {
            Telling::Volumes => (
                "host.place.name = \"volume\" for what is no trace of several volumes",
                "such a trace, or job, size, address, rate",
            ),
            Telling::Processes => (
                "host.place.name = \"process\" for a workload that names no processes",
                "a trace with them (blkparse, blktrace, fiu, wiscsim, a table with the column process), or job, size, \
                 address, rate",
            ),
            Telling::Lives => (
                "host.place.name = \"hindsight\" for requests that are not known before",
                "a workload that can be read twice, or job, size, address, rate",
            ),
        };
        Err(WorkloadError::of(source.report().name, found, expected))
    }
}

/// Gives each write of a workload its placement handle.
pub struct Placer {
    policy: Box<dyn PlacePolicy>,
    handles: u16,
    drive_bytes: u64,
}

impl Placer {
    /// Returns the placer of a drive with these bytes and handles; none where the workload's own handles are
    /// kept.
    pub fn new(maker: &PlaceMaker, drive_bytes: u64, handles: u16) -> Option<Self> {
        let mut policy = Some((maker.0)()).filter(|policy| handles > 0 && !policy.keeps())?;
        policy.attach(handles, drive_bytes);
        Some(Self { policy, handles, drive_bytes })
    }

    /// Returns the request with the handle that it is given, if it writes; `background` is its source's.
    ///
    /// # Panics
    /// When the policy names a handle that there is not.
    pub fn place(&mut self, request: HostRequest, background: Background) -> HostRequest {
        if request.op.effect() != Effect::Write {
            return request;
        }
        let HostRequest { offset, bytes, tag: job, arrive, placement: named, .. } = request;
        let &mut Self { handles, drive_bytes, .. } = self;
        let Background { process, life } = background;
        let view = PlaceView { offset, bytes, job, arrive, named, process, life, handles, drive_bytes };
        let answer = self.policy.place(&view);
        assert!(
            answer.is_none_or(|handle| handle < self.handles),
            "the policy host.place names handle {answer:?} for {view:?}"
        );
        HostRequest { placement: answer, ..request }
    }
}
