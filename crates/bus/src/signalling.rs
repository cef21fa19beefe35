//! What an interface comes to: cycles, waits, wires.

use units::{Bytes, Energy, Femtos, Frequency, Nanos, TransferRate, Voltage};

/// Type for the data rate of a channel: an exact fraction, bytes per femtoseconds, so that no cycle time is ever
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cadence {
    /// Numerator of the data rate: number of bytes that the channel transfers in `femtos`.
    pub bytes: u64,
    /// Denominator of the data rate: time, in femtoseconds, in which the channel transfers `bytes`.
    pub femtos: Femtos,
}

impl Cadence {
    /// Makes the data rate of `bytes` bytes per cycle: one, or two when both edges carry data.
    pub const fn per_cycle(cycle: Femtos, bytes: u64) -> Self {
        Self { bytes, femtos: cycle }
    }

    /// Makes the data rate of `bytes` bytes per clock period, exact even if the period is not a whole number of
    /// femtoseconds.
    pub const fn of_clock(clock: Frequency, bytes: u64) -> Self {
        Self { bytes: clock.get() * bytes, femtos: Femtos::new(1_000_000_000_000_000) }
    }

    /// Makes the exact data rate (a fraction) from a transfer rate in bytes per second.
    pub const fn of_rate(rate: TransferRate) -> Self {
        Self::of_clock(Frequency::new(rate.bytes_per_s()), 1)
    }

    /// Returns the duration of a burst of this many bytes, rounded up once to whole nanoseconds.
    pub fn time_for(self, burst: Bytes) -> Nanos {
        let femtos = u128::from(burst.get()) * u128::from(self.femtos.get());
        Nanos::new(femtos.div_ceil(u128::from(self.bytes) * 1_000_000) as u64)
    }

    /// Converts this data rate, stored as an exact fraction, to a number in bytes per second.
    pub fn bytes_per_s(self) -> f64 {
        self.bytes as f64 * 1e15 / self.femtos.get() as f64
    }

    /// Returns the time in which the channel transfers one byte, in whole femtoseconds.
    pub fn byte(self) -> Femtos {
        Femtos::new(self.femtos.get() / self.bytes)
    }
}

/// Set of waits that the protocol of a flash interface prescribes between cycles: tWB, tRR, tADL and tWHR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleWaits {
    /// Wait from the last cycle of a command until the die is busy (tWB), in fs.
    pub t_wb: Femtos,
    /// Wait from ready to the first data cycle (tRR), in fs.
    pub t_rr: Femtos,
    /// Wait from the last address cycle to the first data cycle of a program (tADL), in fs.
    pub t_adl: Femtos,
    /// Wait from a status command to the status byte (tWHR), in fs.
    pub t_whr: Femtos,
}

/// Set of pin counts of one channel of a flash interface: pins shared by all chips, pins for each way, and strobes
/// among the shared pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pins {
    /// Number of pins of a channel's flash interface that all chips of the channel share.
    pub shared: u32,
    /// Number of pins of a channel's flash interface that each way has for itself: chip enable and ready/busy.
    pub per_way: u32,
    /// Number of the shared pins (strobes, clocks) that switch with the data, so that their edges count in the I/O
    /// energy.
    pub strobes: u32,
}

/// Record of the timing and pins of a NAND flash interface, calculated from the interface's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signalling {
    /// Duration of a command or address cycle of the interface.
    pub cycle: Femtos,
    /// Data rate of the flash interface's transfers to the chip (data-in), as an exact fraction: bytes per
    /// femtoseconds.
    pub data_in: Cadence,
    /// Data rate of the flash interface's transfers from the chip (data-out), as an exact fraction: bytes per
    /// femtoseconds.
    pub data_out: Cadence,
    /// Shortest clock period by the interface's equations; equal to the period in use where no equations apply.
    pub shortest: Femtos,
    /// True if both edges of the strobe carry data; false if one edge of each cycle does.
    pub double_data_rate: bool,
    /// The interface's waits that its protocol prescribes between cycles: tWB, tRR, tADL and tWHR.
    pub waits: CycleWaits,
    /// Pin counts of the interface's channel: pins shared by its chips, pins for each way, and strobes.
    pub pins: Pins,
    /// Supply voltage of the interface's output drivers, from which the I/O energy follows; none where the interface
    /// does not say.
    pub io_supply: Option<Voltage>,
}

impl Signalling {
    /// Returns the energy that one byte takes on the wires, each loaded with `farads`: `C V^2` for every rising edge;
    /// none where the interface names no supply voltage. Random data raise a line in a quarter of the bits; a strobe
    /// rises once per cycle.
    pub fn io_energy_per_byte(&self, farads: f64) -> Option<Energy> {
        let volts = self.io_supply?.volts();
        let strobe_edges = f64::from(self.pins.strobes) / if self.double_data_rate { 2.0 } else { 1.0 };
        let joules = farads * volts * volts * (8.0 * 0.25 + strobe_edges);
        Some(Energy::new((joules * 1e15).round() as u64))
    }
}
