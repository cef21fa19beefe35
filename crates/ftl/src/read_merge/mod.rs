//! Which reads of a page share one array read?
//!
//! Units that one request asks for together are one array read in any case. This is about reads of different requests
//! that wait at the same time: the page register of a plane holds the whole page, and units of it can be sent for as
//! many as ask. How a read rides on another is the controller's (`sharing`).

mod rides;

pub(crate) use rides::{RowUnits, find_ride, rider};

/// Type of the read-only view of a pending read for a policy that decides whether a further read of its page row shares
/// its array read.
#[derive(Clone, Copy, Debug)]
pub struct MergeView {
    /// True once the array read of the pending read has begun; the policy is then asked only where this array read
    /// senses the pages that the further read needs.
    pub begun: bool,
    /// Number of further reads that already use the array read (sense) of the pending read.
    pub riders: u32,
}

/// Interface of the read merge policies, which decide which host reads of a page share one array read (sense).
pub trait ReadMerge: Send {
    /// Returns false if the policy never lets reads share an array read: it is then not asked further.
    fn merges(&self) -> bool;

    /// Returns true if the read merge policy lets a host read use the array read (sense) of an earlier read of its page
    /// row, which waits for its array read, is being sensed, or has its data in the page register.
    fn joins(&self, view: &MergeView) -> bool;
}

config::policies! {
    seam: "ftl.read_merge",
    question: "Which reads of a page share one array read?",
    default: "none",
    dyn ReadMerge;
    none::NoMerge,
    same_page::SamePage,
}
