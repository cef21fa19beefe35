//! A chip on the bench: what it says about itself, what it does when asked, how its blocks live and die.
//!
//! Two stand behind one interface: [`SimulatedChip`] made of cells, [`TabledChip`] made of the tables that whole
//! drives work with.

mod bench;
mod block;
mod falling;
mod identity;
mod life;
mod log;
mod pace;
mod rig;
mod simulated;
mod tabled;

pub use identity::{Answer, Identity, PageRead, Rated, Status};
pub use life::{Pages, Pattern};
pub use log::{LogRow, Operation};
pub use rig::Rig;
pub use simulated::SimulatedChip;
pub use tabled::TabledChip;

/// Interface of a chip on the test bench, simulated or of silicon: the operations that the laboratory (tools that
/// characterise flash parts) can ask of it. Times are nanoseconds of busy time. An outcome that a real part reports in
/// its status register is a value; only a request that cannot be sent at all is an error.
pub trait ChipInterface {
    /// Returns the identity of the flash part: contents of READ ID, of the parameter page and of the data sheet.
    fn identify(&self) -> &Identity;

    /// Reads a whole page of the chip on the test bench, whether simulated by cells, simulated by tables or of silicon;
    /// the data include the bit errors.
    ///
    /// # Errors
    /// When there is no such page.
    fn read(&mut self, block: u32, page: u32) -> Result<PageRead, String>;

    /// Programs a whole page.
    ///
    /// # Errors
    /// When there is no such page or `data` is not as long as one.
    fn program(&mut self, block: u32, page: u32, data: &[u8]) -> Result<Answer, String>;

    /// Erases a block of the chip on the test bench, simulated or of silicon.
    ///
    /// # Errors
    /// When there is no such block.
    fn erase(&mut self, block: u32) -> Result<Answer, String>;

    /// Programs and erases a block `cycles` times, or until it fails. Returns the log of the test rig: the first cycle,
    /// every cycle in which a busy time or status differs from the cycle before, and sampled cycles in between; a
    /// [`Rig`] with noise logs sampled cycles and failures only. One call for n cycles equals n calls for one cycle.
    ///
    /// # Errors
    /// When there is no such block or cell state, `cycles` is out of range, or `pages` asks to program a block that
    /// holds data.
    fn cycle(
        &mut self,
        block: u32,
        cycles: u64,
        pattern: &Pattern,
        pages: Pages,
    ) -> Result<Vec<LogRow>, String>;

    /// Returns the status of the chip's last operation.
    fn status(&self) -> Status;

    /// Returns the busy time of the last operation of the chip on the test bench, simulated or of silicon, in
    /// nanoseconds.
    fn busy_time_ns(&self) -> u64;

    /// Sets the temperature of the chip, in degrees Celsius.
    ///
    /// # Errors
    /// When no chip works at that temperature.
    fn set_temperature(&mut self, celsius: f64) -> Result<(), String>;

    /// Returns the chip's temperature, degrees Celsius.
    fn temperature(&self) -> f64;

    /// Lets `seconds` of simulated time pass on the test bench without an operation on the chip.
    ///
    /// # Errors
    /// When `seconds` is negative, or not below 1e10.
    fn let_time_pass(&mut self, seconds: f64) -> Result<(), String>;

    /// Returns the simulated time of the test bench's clock, in nanoseconds.
    fn now_ns(&self) -> u64;
}
