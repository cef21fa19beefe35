//! A request as a caller submits it.

use crate::StepError;
use host::Op;
use host::command::SETS;
use std::sync::LazyLock;

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

/// Every operation with its name, once, in the order of the command sets.
static OPERATIONS: LazyLock<Vec<(&str, Op)>> = LazyLock::new(|| {
    let mut found: Vec<(&str, Op)> = Vec::new();
    for operation in SETS.iter().flat_map(|set| set.operations) {
        if !found.contains(&(operation.name, operation.op)) {
            found.push((operation.name, operation.op));
        }
    }
    found
});

/// The operation of this name.
///
/// # Errors
/// When there is none; the text names the nearest.
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

/// The operation of this number ([`Op::code`]).
///
/// # Errors
/// When there is none.
#[inline]
pub fn op_of(code: u8) -> Result<Op, StepError> {
    static KNOWN: LazyLock<[Option<Op>; 256]> =
        LazyLock::new(|| std::array::from_fn(|code| Op::of_code(code as u8)));
    KNOWN[usize::from(code)].ok_or_else(|| {
        let known = OPERATIONS.iter().map(|(name, op)| format!("{} {name}", op.code())).collect::<Vec<_>>();
        StepError::Input(format!("op = {code}: expected {}", known.join(", ")))
    })
}
