//! Data on their way from one superblock to another, whoever asked for it, and superblocks that come back empty.

mod erase;
mod mover;
mod moving;

pub(crate) use mover::Customer;
