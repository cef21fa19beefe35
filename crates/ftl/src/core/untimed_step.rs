//! What a drive does while requests of a run are carried forward without simulated time, as features are told of it.

/// Kind of step of a drive while requests of a run are carried forward without simulated time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UntimedStep {
    /// Case of step: time passes by nominal clocks, to this time of the run, in ns.
    TimePasses(i64),
    /// Case of step: simulated time goes on after that many ns by nominal clocks, by which all times are further back
    /// now.
    TimePassed(i64),
    /// Case of step: this superblock (numbered over the drive) takes its first unit.
    Opens(usize),
    /// Case of step: this page row (numbered over the drive) is read.
    Reads(u32),
}
