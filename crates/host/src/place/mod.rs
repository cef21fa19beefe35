//! Which placement handle does a write carry?
//!
//! A host that knows more of its data than the drive names a handle with each write. Workloads that were recorded without, or
//! written for other drives, are given handles by a rule here, on any of them: so one sees what placement would save.

use crate::workload::{Background, Telling, Workload};
use crate::{Effect, HostRequest, HostSpace, WorkloadError};
use config::{ConfigError, Section};
use std::fmt;
use std::sync::Arc;
use units::SimTime;

/// Record of the information about a write that a placement policy may use to choose the write's placement handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceView {
    /// Byte address on the drive at which the write begins for which a placement policy chooses the placement handle.
    pub offset: u64,
    /// Length in bytes of the write for which a placement policy chooses the placement handle.
    pub bytes: u32,
    /// Number of the fio job, the trace volume or the flow that makes the write for which a placement policy chooses
    /// the placement handle.
    pub job: u16,
    /// Simulated time at which the host makes the write for which a placement policy chooses the placement handle.
    pub arrive: SimTime,
    /// Placement handle that the workload itself names for the write, if it names one.
    pub named: Option<u16>,
    /// Number of the process that makes the write, if the workload gives the process.
    pub process: Option<u32>,
    /// Lifetime class of the write's data, if a trial run of the workload was made: 0 is the shortest lifetime.
    pub life: Option<u16>,
    /// Number of placement handles that the write may name (as the placement identifiers of NVMe FDP): those of the
    /// drive or, where its namespaces differ, of the write's namespace; at least one.
    pub handles: u16,
    /// Capacity in bytes of the drive, as a placement policy knows it when it chooses a write's placement handle.
    pub drive_bytes: u64,
}

/// Interface of the placement policies (`host.place`), each of which chooses the placement handle (for example an FDP
/// placement identifier) of each write of a workload.
pub trait PlacePolicy: Send {
    /// Returns true if the placement handles that the workload names for its writes are used unchanged; the policy is
    /// then not asked.
    fn keeps(&self) -> bool {
        false
    }

    /// Returns the kind of information about requests that the policy needs from the workload (the volume, the process
    /// or the lifetime of the data); none if it needs none.
    fn needs(&self) -> Option<Telling> {
        None
    }

    /// Tells the policy, before the first write, the drive's number of placement handles (where namespaces differ the
    /// greatest of theirs) and its capacity in bytes.
    fn attach(&mut self, _handles: u16, _drive_bytes: u64) {}

    /// Asks the placement policy for the placement handle of a write, a number below the drive's number of handles;
    /// none: the write carries no handle. Called once for each write, in order.
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

/// Type of the maker of placement policies (choice of a placement handle for each write) of the kind that a drive file
/// names; makes a new policy each time one is needed.
#[derive(Clone)]
pub struct PlaceMaker(Arc<Maker>);

impl fmt::Debug for PlaceMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlaceMaker")
    }
}

impl PlaceMaker {
    /// Reads the placement policy from `[host.place]` of a drive file.
    ///
    /// # Errors
    /// When the policy or a parameter is unknown or wrong.
    pub fn read(host: &mut Section) -> Result<Self, ConfigError> {
        let mut section = host.child("place")?;
        let maker = read(&mut section)?;
        section.finish()?;
        Ok(Self(Arc::new(maker)))
    }

    /// Returns true if the placement policy chooses handles itself, instead of using the handles that the workload
    /// names.
    pub fn names(&self) -> bool {
        !(self.0)().keeps()
    }

    /// Returns true if the placement policy needs to know how long the data of writes live, so that a copy of the
    /// workload must be run through first.
    pub fn foresees(&self) -> bool {
        (self.0)().needs() == Some(Telling::Lives)
    }

    /// Checks that the workload `source` gives the information about requests that the placement policy needs.
    ///
    /// # Errors
    /// When the workload lacks that information.
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

/// State of the placement policy of a drive in use, which gives each write request of a workload its placement handle.
pub struct Placer {
    policy: Box<dyn PlacePolicy>,
    space: HostSpace,
}

impl Placer {
    /// Makes the placer (placement policy in use) of a drive with the address space `space`; none if the drive has no
    /// handles or the handles that the workload names are used unchanged.
    pub fn new(maker: &PlaceMaker, space: &HostSpace) -> Option<Self> {
        let mut policy = Some((maker.0)()).filter(|policy| space.handles > 0 && !policy.keeps())?;
        policy.attach(space.handles, space.bytes);
        Some(Self { policy, space: space.clone() })
    }

    /// Returns the request; a write gets the placement handle that the policy chooses, modulo the number that its
    /// namespace has. `background` is information of the workload about the request.
    ///
    /// # Panics
    /// When the policy chooses a handle that the drive does not have.
    pub fn place(&mut self, request: HostRequest, background: Background) -> HostRequest {
        if request.op.effect() != Effect::Write {
            return request;
        }
        let HostRequest { offset, bytes, tag: job, arrive, placement: named, .. } = request;
        let (handles, drive_bytes) = (self.space.handles_at(offset), self.space.bytes);
        let Background { process, life } = background;
        let view = PlaceView { offset, bytes, job, arrive, named, process, life, handles, drive_bytes };
        let answer = self.policy.place(&view);
        assert!(
            answer.is_none_or(|handle| handle < self.space.handles),
            "the policy host.place names handle {answer:?} for {view:?}"
        );
        HostRequest { placement: answer.map(|handle| handle % handles.max(1)), ..request }
    }
}
