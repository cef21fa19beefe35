//! The NVM command set: blocks are read, written, forgotten (deallocated, in NVMe's words) and flushed at any offset. Of
//! I/O management there is the update of reclaim unit handles, on drives that have some.
//!
//! Not here: compare, write zeroes, write uncorrectable, verify, copy, reservations; directives and metadata.

use super::{CommandSet, CompletionKind, Effect, Op, Range, SetOperation};

impl Op {
    /// Constant for the read command of the host: data from the drive to the host.
    pub const READ: Self = Self::new(Effect::Read, 0);
    /// Constant for the write command of the host: data from the host to the drive.
    pub const WRITE: Self = Self::new(Effect::Write, 0);
    /// Constant for the trim (deallocate) command of the host, which no longer needs these bytes.
    pub const TRIM: Self = Self::new(Effect::Trim, 0);
    /// Constant for the flush command of the host: once it completes, all data that were acknowledged before it must
    /// survive a power cut.
    pub const FLUSH: Self = Self::new(Effect::Flush, 0);
    /// Constant for the command of the host (I/O management send, reclaim unit handle update) after which the data that
    /// it writes through a placement identifier begin another reclaim unit.
    pub const HANDLE_UPDATE: Self = Self::new(Effect::Manage, 4);
}

const fn of(op: Op, range: Range) -> SetOperation {
    SetOperation { op, name: op.effect().name(), range, answer: CompletionKind::Status }
}

/// Static: the NVM command set of ordinary drives, with the operations read, write, trim and flush, and the
/// update of placement handles.
pub static SET: CommandSet = CommandSet {
    name: "nvm",
    about: "blocks that are read and written in any order",
    operations: &[
        of(Op::READ, Range::Sectors),
        of(Op::WRITE, Range::Sectors),
        of(Op::TRIM, Range::Sectors),
        of(Op::FLUSH, Range::Whole),
        SetOperation {
            op: Op::HANDLE_UPDATE,
            name: "update",
            range: Range::Namespace,
            answer: CompletionKind::Status,
        },
    ],
};
