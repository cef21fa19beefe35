//! How strobes and data stand to each other: what `Signalling` sums up and a waveform shows.

use units::Femtos;

/// Kind of timing relation between strobe and data, one for each kind of flash interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strobes {
    /// Case of timing relation, for CONV: the controller sends the strobe, and captures the data that come back with
    /// its own delayed clock.
    Returned {
        /// Delay of the strobe from the controller's register to the chip, in fs.
        t_out: Femtos,
        /// Delay of the data from the chip's latch to the controller's pad, in fs.
        t_rea: Femtos,
        /// Delay of the data from the controller's pad to its FIFO, in fs.
        t_in: Femtos,
        /// Set-up time of the controller's FIFO, in fs.
        t_s: Femtos,
        /// Hold time of the controller's data-capture FIFO, in fs: how long the input data must stay stable after the
        /// edge of the capture clock.
        t_h: Femtos,
        /// Delay of the controller's capture clock (equation 1), in fs.
        t_d: Femtos,
    },
    /// Case of timing relation, for SYNC_ONLY and PROPOSED: the chip's strobe travels with its data.
    Accompanied {
        /// Set-up time: how long data are stable before an edge of the chip's strobe, in fs.
        t_ios: Femtos,
        /// Hold time: how long data are stable after an edge of the chip's strobe, in fs.
        t_ioh: Femtos,
    },
    /// Case of timing relation, for ONFI SDR in this timing mode: the data follow the signal RE#.
    Asynchronous(u32),
    /// Case of timing relation, for ONFI NV-DDR in this timing mode: a clock, and the strobe DQS in both directions.
    Clocked(u32),
    /// Case of timing relation, for ONFI NV-DDR2 and later: the controller's RE# requests data, and DQS comes with the
    /// data.
    Toggled,
}
