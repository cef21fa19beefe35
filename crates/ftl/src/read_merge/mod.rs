//! Which reads of a page share one array read?
//!
//! Units that one request asks for together are one array read in any case. This is about reads of different requests
//! that wait at the same time: the page register of a plane holds the whole page, and units of it can be sent for as
//! many as ask. How a read rides on another is the controller's (`sharing`).

mod rides;

pub(crate) use rides::{RowUnits, find_ride, rider};

/// The information that a policy may use about a read of the same page row on which another one may ride.
#[derive(Clone, Copy, Debug)]
pub struct MergeView {
    /// True after the array read that carries the riders has begun; that array read senses the wanted page.
    pub begun: bool,
    /// Number of reads that ride on the array read.
    pub riders: u32,
}

/// The choice to ride.
pub trait ReadMerge: Send {
    /// False: no read ever rides on another, and nothing is asked.
    fn merges(&self) -> bool;

    /// True when a read rides on one that waits for its array, or whose page is being sensed or held.
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
