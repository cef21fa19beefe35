//! A request as a caller submits it.

use crate::StepError;
use host::Op;
use host::command::SETS;

/// A request of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRequest {
    /// Time at which the host issues it, in nanoseconds.
    pub time_ns: u64,
    /// What is to be done.
    pub op: Op,
    /// First byte in the namespace.
    pub offset: u64,
    /// Length.
    pub bytes: u32,
    /// Number of the namespace, from 1; 0 on a drive that is one.
    pub namespace: u32,
    /// A write that is on durable storage when it is answered.
    pub fua: bool,
    /// Placement identifier of a write.
    pub placement: Option<u16>,
}

/// Every operation, once, in the order of the command sets.
fn operations() -> Vec<Op> {
    let mut found: Vec<Op> = Vec::new();
    for operation in SETS.iter().flat_map(|set| set.operations) {
        if !found.contains(&operation.op) {
            found.push(operation.op);
        }
    }
    found
}

/// The operation of this name.
///
/// # Errors
/// When there is none; the text names the nearest.
pub fn op_named(name: &str) -> Result<Op, StepError> {
    let known = operations();
    known.iter().copied().find(|op| op.name() == name).ok_or_else(|| {
        let names = || known.iter().map(|op| op.name());
        let near = config::nearest(name, names());
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        StepError::Input(format!("op = {name:?}: expected {}{near}", names().collect::<Vec<_>>().join(", ")))
    })
}

/// The operation of this number ([`Op::code`]).
///
/// # Errors
/// When there is none.
pub fn op_of(code: u8) -> Result<Op, StepError> {
    Op::of_code(code).ok_or_else(|| {
        let known = operations().iter().map(|op| format!("{} {}", op.code(), op.name())).collect::<Vec<_>>();
        StepError::Input(format!("op = {code}: expected {}", known.join(", ")))
    })
}
