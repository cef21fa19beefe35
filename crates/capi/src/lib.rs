//! The C interface: a drive that a program in C, or in any language that calls C, steps.
//!
//! A call answers with a [`FloatgateCode`]; the text behind one that is no success is [`floatgate_error`]'s, of the calling
//! thread. Nothing unwinds into the caller: a broken invariant is a code, too, and leaves the drive unusable. Any number of
//! drives live side by side, each with one thread at a time. The header is `include/floatgate.h`, made by cbindgen.
#![allow(unsafe_code)] // Exported names, and pointers that the caller gives.

mod code;
mod drive;
mod setup;
mod words;

pub use code::{FloatgateCode, floatgate_error};
pub use drive::{
    FLOATGATE_FOREVER, FLOATGATE_FUA, FLOATGATE_PLACED, FLOATGATE_STAGES, FloatgateCompletion,
    FloatgateDrive, FloatgateRequest, FloatgateStatus, break_for_test, floatgate_capacity, floatgate_close,
    floatgate_finish, floatgate_free, floatgate_namespace, floatgate_next, floatgate_next_event,
    floatgate_now, floatgate_open, floatgate_outstanding, floatgate_run_until, floatgate_save,
    floatgate_statistics, floatgate_submit, floatgate_submit_all, floatgate_take,
};
pub use setup::{FloatgateSetup, floatgate_setup};
pub use words::{
    FLOATGATE_APPEND, FLOATGATE_FLUSH, FLOATGATE_HANDLE_UPDATE, FLOATGATE_READ, FLOATGATE_TRIM,
    FLOATGATE_WRITE, FLOATGATE_ZONE_CLOSE, FLOATGATE_ZONE_FINISH, FLOATGATE_ZONE_OPEN, FLOATGATE_ZONE_RESET,
    floatgate_op_name, floatgate_stage_name, floatgate_version,
};
