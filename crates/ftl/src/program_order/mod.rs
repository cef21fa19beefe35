//! Which of a die's two open superblocks takes the next program?
//!
//! Pages of a superblock are programmed in order, and page types differ in how long that takes. A die has one open
//! superblock for the host and one for what is moved; the stream that has a program next may take the other's open superblock
//! instead, and leave its own to the other. Each of them is filled in order all the same.

use units::Nanos;

/// Type of the read-only view of a die's two open superblocks, one for host data and one for relocated data, for a
/// policy that may swap them before the next program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderView {
    /// True if the next program is of relocated data, false if it is of host data.
    pub moved: bool,
    /// Program time of the next page in the open superblock of the write stream (host data or relocated data) whose
    /// program is next.
    pub own: Nanos,
    /// Program time of the next page in the open superblock of the die's other write stream (relocated data or host
    /// data).
    pub other: Nanos,
}

/// Interface of the program order policies, which decide which of a die's two open superblocks (for host data and for
/// relocated data) takes the next program, by swapping them or not.
pub trait ProgramOrder: Send {
    /// Returns true if the policy wants the host data and the relocated data of a die to swap their open superblocks
    /// before this program, as it may when the next pages of the two differ in program time. Called only where both
    /// superblocks are open, neither has a partly filled program unit, and garbage collection keeps the free space that
    /// it needs.
    fn trades(&mut self, view: &OrderView) -> bool;

    /// Returns true if the policy never swaps the two open superblocks of a die: the drive then does not ask it before
    /// each program.
    fn never(&self) -> bool {
        false
    }
}

config::policies! {
    seam: "ftl.program_order",
    question: "Which of a die's two open superblocks takes the next program?",
    default: "in-order",
    dyn ProgramOrder;
    fast_first::FastFirst,
    in_order::InOrder,
}
