//! Garbage collection: when, and which block. What is then moved, and how, is in `upkeep/collection` and `relocate`.

pub mod trigger;
pub mod victim;
