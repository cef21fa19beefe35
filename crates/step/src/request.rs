//! A request as a caller submits it.

use crate::StepError;
use host::Op;
use host::command::SETS;
use std::sync::LazyLock;

/// Type of a host request as the caller of a stepped drive submits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRequest {
    /// Simulated time in ns at which the host issues the request to the stepped drive.
    pub time_ns: u64,
    /// Operation of the request to the stepped drive, such as read, write or trim.
    pub op: Op,
    /// Offset in bytes of the first byte of the request to the stepped drive, counted from the start of its namespace.
    pub offset: u64,
    /// Length in bytes of the request to the stepped drive.
    pub bytes: u32,
    /// Number, from 1, of the namespace to which the request to the stepped drive goes; 0 if the drive is a single
    /// namespace.
    pub namespace: u32,
    /// True for a write with forced unit access (FUA), whose data are on durable storage when the write is answered.
    pub fua: bool,
    /// Placement identifier of a write to the stepped drive or of a handle update (as in NVMe Flexible Data Placement:
    /// a handle in a reclaim group); `None` for a write without one.
    pub placement: Option<u16>,
}

/// Static table of the names of all host operations of a stepped drive with the operations themselves, each once, in
/// the order of the command sets.
static OPERATIONS: LazyLock<Vec<(&str, Op)>> = LazyLock::new(|| {
    let mut found: Vec<(&str, Op)> = Vec::new();
    for operation in SETS.iter().flat_map(|set| set.operations) {
        if !found.contains(&(operation.name, operation.op)) {
            found.push((operation.name, operation.op));
        }
    }
    found
});

/// Returns the host operation with the name `name`.
///
/// # Errors
/// When no operation has the name; the message names the nearest.
#[inline]
pub fn op_named(name: &str) -> Result<Op, StepError> {
    let found = OPERATIONS.iter().find(|(known, _)| *known == name);
    found.map(|(_, op)| *op).ok_or_else(|| {
        let names = || OPERATIONS.iter().map(|(known, _)| *known);
        let near = config::nearest(name, names());
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        StepError::Input(format!("op = {name:?}: expected {}{near}", names().collect::<Vec<_>>().join(", ")))
    })
}

/// Returns the host operation with the number `code` ([`Op::code`]).
///
/// # Errors
/// When no operation has the number.
#[inline]
pub fn op_of(code: u8) -> Result<Op, StepError> {
    static KNOWN: LazyLock<[Option<Op>; 256]> =
        LazyLock::new(|| std::array::from_fn(|code| Op::of_code(code as u8)));
    KNOWN[usize::from(code)].ok_or_else(|| unknown_code(code))
}

#[cold]
fn unknown_code(code: u8) -> StepError {
    let known = OPERATIONS.iter().map(|(name, op)| format!("{} {name}", op.code())).collect::<Vec<_>>();
    StepError::Input(format!("op = {code}: expected {}", known.join(", ")))
}
