//! The host of a run, which makes the requests to the drive: the workload, the caller of a stepped run, or a host that keeps blocks on zones.

use super::on_zones::BlockHost;
use super::stepped_host::SteppedHost;

/// Kind of host of a run; the host makes the requests to the drive.
pub(crate) enum RunHost {
    /// Case of the host of a run: the workload asks the drive itself.
    Workload,
    /// Case of the host of a run: the caller of a stepped run submits the requests, and takes their completions.
    Stepped(Box<SteppedHost>),
    /// Case of the host of a run: it keeps blocks on the zones of the drive, and the workload asks for blocks.
    Blocks(Box<BlockHost>),
}

impl RunHost {
    /// Returns the state of a run's host that keeps blocks on zones; `None` for another kind of host.
    #[inline]
    pub fn blocks(&self) -> Option<&BlockHost> {
        if let Self::Blocks(host) = self { Some(host) } else { None }
    }

    /// Returns true if the host of a run keeps blocks on zones.
    #[inline]
    pub fn keeps_blocks(&self) -> bool {
        matches!(self, Self::Blocks(_))
    }
}
