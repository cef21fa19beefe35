//! Families of interfaces and their modes, as chips and controllers name them.

/// A family of interfaces, as chips' files name what a chip knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of the interface family in configuration files.
    pub name: &'static str,
    /// Highest mode of the family; none: the family has no modes.
    pub highest: Option<u32>,
    /// The families to try, in order, when the chip does not know this one: what its pins can still speak.
    pub older: &'static [&'static str],
}

/// A family up to a mode; families without modes have mode 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeSet {
    /// Family of NAND interfaces.
    pub family: Family,
    /// Highest timing mode of the family that the chip knows.
    pub mode: u32,
}
