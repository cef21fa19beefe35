//! Which of a die's two open superblocks takes the next program?
//!
//! Pages of a superblock are programmed in order, and page types differ in how long that takes. A die has one open
//! superblock for the host and one for what is moved; the stream that has a program next may take the other's open superblock
//! instead, and leave its own to the other. Each of them is filled in order all the same.

use units::Nanos;

/// The information that a policy may use when the next program of a stream begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderView {
    /// True when data are moved; false when the host writes.
    pub moved: bool,
    /// Program time of the next page of the stream's own open superblock.
    pub own: Nanos,
    /// Program time of the next page of the other stream's open superblock.
    pub other: Nanos,
}

/// The choice of an open superblock.
pub trait ProgramOrder: Send {
    /// True: the two streams trade their open superblocks before this program. Asked only where there are two, where
    /// neither has a part of a program in hand, and where garbage collection keeps the room it needs.
    fn trades(&mut self, view: &OrderView) -> bool;

    /// True when the policy never trades: the drive then does not ask it.
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
