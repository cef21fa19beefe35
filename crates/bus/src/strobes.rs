//! How strobes and data stand to each other: what `Signalling` sums up and a waveform shows.

use units::Femtos;

/// The relation of strobe and data, by kind of interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strobes {
    /// CONV: the controller's strobe goes out, data come back and are caught by its own delayed clock.
    Returned {
        /// Strobe from the controller's register to the chip.
        t_out: Femtos,
        /// Data from the chip's latch to the controller's pad.
        t_rea: Femtos,
        /// Time of data from the pad to the FIFO.
        t_in: Femtos,
        /// Set-up time of the FIFO.
        t_s: Femtos,
        /// Hold time of the FIFO.
        t_h: Femtos,
        /// Delay of the capture clock (equation 1).
        t_d: Femtos,
    },
    /// SYNC_ONLY and PROPOSED: the chip's strobe travels with its data.
    Accompanied {
        /// Data stand still so long before an edge of the chip's strobe.
        t_ios: Femtos,
        /// How long after the strobe's edge the data are still stable.
        t_ioh: Femtos,
    },
    /// ONFI SDR in a given mode: the data follow the signal RE#.
    Asynchronous(u32),
    /// ONFI NV-DDR in a given mode: a clock, and the strobe DQS in both directions.
    Clocked(u32),
    /// ONFI NV-DDR2 and later: RE# asks for data, and DQS comes with the data.
    Toggled,
}
