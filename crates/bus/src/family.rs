//! Families of interfaces and their modes, as chips and controllers name them.

/// Type for a family of NAND flash interfaces (such as `nv-ddr2`), as chip files name what a chip supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of the family of NAND flash interfaces, in chip and drive files.
    pub name: &'static str,
    /// Highest timing mode of the family; none for a family without modes.
    pub highest: Option<u32>,
    /// Names of the interface families to try, in this order, when the chip does not support this family: interfaces
    /// that work on the same pins.
    pub older: &'static [&'static str],
}

/// Record, a pair of a family of NAND flash interfaces and one of its timing modes: the highest that a chip supports,
/// or the mode that an interface needs; 0 for families without modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeSet {
    /// First part of the pair: the family of NAND flash interfaces, such as `nv-ddr2`.
    pub family: Family,
    /// Timing mode of the family: the highest that the chip supports, or the mode that an interface needs; 0 for
    /// families without modes.
    pub mode: u32,
}
