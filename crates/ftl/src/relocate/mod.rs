//! Data on their way from one superblock to another, on behalf of any feature, and superblocks that come back empty.

mod erase;
mod mover;
mod moving;

pub(crate) use mover::Customer;
