//! What the wires cost: the load they drive.

use crate::Signalling;
use config::{ConfigError, Section};
use units::{Capacitance, Energy};

/// Set of capacitive loads of a data line of a channel, from which I/O energy is calculated: the load of the board, and
/// that of each die on the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IoEnergy {
    board: Capacitance,
    die: Capacitance,
}

impl IoEnergy {
    /// Reads the capacitive loads of a channel's data lines (of the board, and of each die) from `[bus.load]`.
    ///
    /// # Errors
    /// When a value is wrong.
    pub(crate) fn read(bus: &mut Section) -> Result<Self, ConfigError> {
        let mut section = bus.child("load")?;
        let load = Self {
            board: section.or(
                "board",
                Capacitance::new(10_000),
                "load of one line: traces, controller pad",
            )?,
            die: section.or("die", Capacitance::new(5_000), "load each die adds to a line")?,
        };
        section.finish()?;
        Ok(load)
    }

    /// Returns the energy per byte on the wires of a channel with `dies` dies; none where the interface names no supply
    /// voltage.
    pub fn per_byte(&self, signalling: &Signalling, dies: u32) -> Option<Energy> {
        signalling.io_energy_per_byte(self.board.farads() + f64::from(dies) * self.die.farads())
    }
}
