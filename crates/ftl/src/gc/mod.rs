//! Garbage collection: when, which block, and the moving of what is still valid.

pub(crate) mod collection;
pub mod trigger;
pub mod victim;
