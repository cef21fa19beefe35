//! Policies, theory and the reference, a question a file, in one binary.

mod added;
mod bytes;
mod catches;
mod conformance;
mod snapshots;
mod write_amplification;
