//! The plain timed bus: a transfer rate, and command and address cycles of one length.
//!
//! Not modelled here: set-up and hold times, interface generations, energy. They come with the bus room.

use config::{ConfigError, Section};
use units::{Bytes, Nanos, TransferRate};

/// How long things take on a channel, worked out once.
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    /// Data transfers.
    pub rate: TransferRate,
    cycle: Nanos,
    cycles_read: u32,
    cycles_program: u32,
    cycles_erase: u32,
    transfer_oob: bool,
    out: Vec<Nanos>,
    data_in: Nanos,
}

impl Bus {
    /// Reads `[bus]`.
    ///
    /// # Errors
    /// When the rate is missing or a value is wrong.
    pub fn read(root: &mut Section) -> Result<Self, ConfigError> {
        let mut section = root.child("bus")?;
        let bus = Self {
            rate: section.required("rate", "transfer rate of a channel, eight wires wide")?,
            cycle: section.or("cycle", Nanos::new(25), "length of a command or address cycle")?,
            cycles_read: section.or("cycles_read", 7, "command and address cycles of a read")?,
            cycles_program: section.or(
                "cycles_program",
                7,
                "command and address cycles of each page programmed",
            )?,
            cycles_erase: section.or("cycles_erase", 5, "command and address cycles of an erase")?,
            transfer_oob: section.or("transfer_oob", false, "the spare bytes cross the bus, too")?,
            out: Vec::new(),
            data_in: Nanos::ZERO,
        };
        section.finish()?;
        Ok(bus)
    }

    /// Works out the times for this shape: units of `unit` bytes, `row_units` in a page row, `program_units`
    /// in a program operation of `program_pages` pages, with `oob` spare bytes to each unit.
    pub fn prepare(
        &mut self,
        unit: Bytes,
        oob: Bytes,
        row_units: u32,
        program_units: u32,
        program_pages: u32,
    ) {
        let extra = if self.transfer_oob { oob.get() } else { 0 };
        let burst = |units: u32| self.rate.time_for(Bytes::new((unit.get() + extra) * u64::from(units)));
        let data_in = burst(program_units);
        self.out = (0..=row_units).map(burst).collect();
        self.data_in = data_in + self.cycle.times(u64::from(self.cycles_program) * u64::from(program_pages));
    }

    /// Command and addresses of a read.
    #[inline]
    pub fn read_command(&self) -> Nanos {
        self.cycle.times(u64::from(self.cycles_read))
    }

    /// Command and address of an erase.
    #[inline]
    pub fn erase_command(&self) -> Nanos {
        self.cycle.times(u64::from(self.cycles_erase))
    }

    /// Commands and addresses of a copyback: those of a read and of a program.
    #[inline]
    pub fn copyback_command(&self) -> Nanos {
        self.cycle.times(u64::from(self.cycles_read) + u64::from(self.cycles_program))
    }

    /// Data-out of `units` mapping units of one page row.
    #[inline]
    pub fn data_out(&self, units: u32) -> Nanos {
        self.out[units as usize]
    }

    /// Commands, addresses and data-in of a program operation.
    #[inline]
    pub fn data_in(&self) -> Nanos {
        self.data_in
    }
}
