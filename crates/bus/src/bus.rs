//! What each operation costs on a channel: worked out once, looked up ever after.

use crate::interface::{self, Interface};
use crate::support::Unknown;
use crate::{IoEnergy, Signalling, Support};
use config::{ConfigError, Section};
use units::{Bytes, Energy, Nanos, TransferRate};

/// Model of the channels of a drive: durations of commands and data transfers, worked out once for its chip and
/// interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    signalling: Signalling,
    spoken: String,
    load: IoEnergy,
    cycles_read: u32,
    cycles_program: u32,
    cycles_erase: u32,
    cycles_status: u32,
    transfer_oob: bool,
    read_command: Nanos,
    erase_command: Nanos,
    copyback_command: Nanos,
    status: Nanos,
    out: Vec<Nanos>,
    data_in: Nanos,
    /// Channel time of the commands, addresses and data-in of a program of one page row (the pages with the same index
    /// in all planes), as in SLC mode, until the die becomes busy; set by `prepare`.
    row_in: Nanos,
    row_bytes_in: u64,
    bytes_per_unit: u64,
    bytes_in: u64,
}

impl Bus {
    /// Reads `[bus]` and makes the model of the channels for a chip that supports the interfaces `chip`.
    ///
    /// # Errors
    /// When a value is wrong, the timing does not close, or the chip does not support the interface.
    pub fn read(root: &mut Section, chip: &Support) -> Result<Self, ConfigError> {
        let mut section = root.child("bus")?;
        let fall_back = section.or(
            "fall_back",
            false,
            "fall back to the best interface that chip and controller share",
        )?;
        let (signalling, spoken) =
            negotiate(&mut section, chip, if fall_back { Unknown::FallBack } else { Unknown::Refused })?;
        let bus = Self {
            signalling,
            spoken,
            load: IoEnergy::read(&mut section)?,
            cycles_read: section.or("cycles_read", 7, "command and address cycles of a read")?,
            cycles_program: section.or(
                "cycles_program",
                7,
                "command and address cycles of each page programmed",
            )?,
            cycles_erase: section.or("cycles_erase", 5, "command and address cycles of an erase")?,
            cycles_status: section.or(
                "cycles_status",
                0,
                "cycles to read the status after a program or erase: 2 for 70h and the status byte; 0: not read",
            )?,
            transfer_oob: section.or("transfer_oob", false, "the spare bytes also cross the bus")?,
            read_command: Nanos::ZERO,
            erase_command: Nanos::ZERO,
            copyback_command: Nanos::ZERO,
            status: Nanos::ZERO,
            out: Vec::new(),
            data_in: Nanos::ZERO,
            row_in: Nanos::ZERO,
            row_bytes_in: 0,
            bytes_per_unit: 0,
            bytes_in: 0,
        };
        section.finish()?;
        Ok(bus)
    }

    /// Calculates the times of all commands and transfers from the geometry and stores them in this model: units of
    /// `unit` bytes with `oob` spare bytes each, `row_units` in a page row, `program_units` in a program operation of
    /// `program_pages` pages. `drain` is the rate at which the channel's ECC block takes data-out; `None` if it never
    /// delays the channel.
    pub fn prepare(
        &mut self,
        drain: Option<TransferRate>,
        unit: Bytes,
        oob: Bytes,
        row_units: u32,
        program_units: u32,
        program_pages: u32,
    ) {
        let extra = if self.transfer_oob { oob.get() } else { 0 };
        let Signalling { cycle, data_in, data_out, waits, .. } = self.signalling;
        let cycles = |count: u32| cycle.times(u64::from(count));
        self.bytes_per_unit = unit.get() + extra;
        self.bytes_in = self.bytes_per_unit * u64::from(program_units);
        self.read_command = (cycles(self.cycles_read) + waits.t_wb).ceil_ns();
        self.erase_command = (cycles(self.cycles_erase) + waits.t_wb).ceil_ns();
        self.copyback_command =
            (cycles(self.cycles_read + self.cycles_program) + waits.t_wb + waits.t_wb).ceil_ns();
        self.status = match self.cycles_status {
            0 => Nanos::ZERO,
            count => (cycles(count) + waits.t_whr).ceil_ns(),
        };
        self.row_bytes_in = self.bytes_per_unit * u64::from(row_units);
        let load = |bytes: u64, pages: u64| {
            data_in.time_for(Bytes::new(bytes))
                + (cycles(self.cycles_program).times(pages) + waits.t_adl.times(pages) + waits.t_wb).ceil_ns()
        };
        let (pages, rows) = (u64::from(program_pages), u64::from((program_units / row_units).max(1)));
        (self.data_in, self.row_in) =
            (load(self.bytes_in, pages), load(self.row_bytes_in, (pages / rows).max(1)));
        let burst = |units: u32| match units {
            0 => Nanos::ZERO,
            _ => {
                let bytes = Bytes::new(self.bytes_per_unit * u64::from(units));
                let drained = drain.map_or(Nanos::ZERO, |rate| rate.time_for(bytes));
                data_out.time_for(bytes) + waits.t_rr.ceil_ns() + drained
            }
        };
        self.out = (0..=row_units).map(burst).collect();
    }

    /// Returns the name of the interface in use, with its timing mode: `"nv-ddr2, mode 5"`.
    pub fn spoken(&self) -> &str {
        &self.spoken
    }

    /// Returns the timing and the pins of the interface: cycles, data rates, waits and wires.
    pub fn signalling(&self) -> &Signalling {
        &self.signalling
    }

    /// Returns the energy per byte on the wires of a channel with `dies` dies; none where the interface names no supply
    /// voltage.
    pub fn io_energy_per_byte(&self, dies: u32) -> Option<Energy> {
        self.load.per_byte(&self.signalling, dies)
    }

    /// Returns the number of bytes that `units` mapping units take on the channel, with their spare bytes where the
    /// drive transfers these, too.
    #[inline]
    pub fn bytes_out(&self, units: u32) -> u64 {
        self.bytes_per_unit * u64::from(units)
    }

    /// Returns the number of bytes that the data of a program operation take on the channel.
    #[inline]
    pub fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    /// Returns the time of the command and address cycles of a read, until the die is busy.
    #[inline]
    pub fn read_command(&self) -> Nanos {
        self.read_command
    }

    /// Returns the time of the command and address cycles of an erase, until the die is busy.
    #[inline]
    pub fn erase_command(&self) -> Nanos {
        self.erase_command
    }

    /// Returns the time of the command and address cycles of a copyback: those of a read and of a program.
    #[inline]
    pub fn copyback_command(&self) -> Nanos {
        self.copyback_command
    }

    /// Returns the time of a status query on the channel after a program or erase, in which the controller asks the die
    /// for the outcome; zero where the drive makes no such query.
    #[inline]
    pub fn status(&self) -> Nanos {
        self.status
    }

    /// Returns the number of bytes on the channel of the data-in of a program of only one page row (the pages with the
    /// same index in all planes), as in SLC mode.
    #[inline]
    pub fn row_bytes_in(&self) -> u64 {
        self.row_bytes_in
    }

    /// Returns the channel time of the commands, addresses and data-in of a program of only one page row (the pages
    /// with the same index in all planes), as in SLC mode, until the die is busy.
    #[inline]
    pub fn row_in(&self) -> Nanos {
        self.row_in
    }

    /// Returns the time of command, addresses and data-in of `bytes` bytes, a part of a page.
    #[cold]
    pub fn part_in(&self, bytes: Bytes) -> Nanos {
        let Signalling { cycle, data_in, waits, .. } = self.signalling;
        let command = cycle.times(u64::from(self.cycles_program)) + waits.t_adl + waits.t_wb;
        data_in.time_for(bytes) + command.ceil_ns()
    }

    /// Returns the time of the data-out of `bytes` bytes, a part of a page.
    #[cold]
    pub fn part_out(&self, bytes: Bytes) -> Nanos {
        self.signalling.data_out.time_for(bytes) + self.signalling.waits.t_rr.ceil_ns()
    }

    /// Returns the channel time of the data-out of `units` mapping units of one page row, with tRR and the time in
    /// which the ECC block takes the data; zero for no unit.
    #[inline]
    pub fn data_out(&self, units: u32) -> Nanos {
        self.out[units as usize]
    }

    /// Returns the time of commands, addresses and data-in of a program operation, until the die is busy.
    #[inline]
    pub fn data_in(&self) -> Nanos {
        self.data_in
    }
}

/// Reads the flash interface that the controller offers from `[bus.interface]`, and returns the timing of the interface
/// that controller and chip agree on, with its name for results.
fn negotiate(
    bus: &mut Section,
    chip: &Support,
    unknown: Unknown,
) -> Result<(Signalling, String), ConfigError> {
    let mut child = bus.child("interface")?;
    let asked = interface::read(&mut child)?();
    let Some(wanted) = asked.needs() else {
        child.finish()?;
        return Ok((asked.signalling(), "plain".into()));
    };
    let agreed = chip.negotiate(wanted, unknown).map_err(|why| {
        let key = if why.starts_with("mode") { "mode" } else { "name" };
        child.reject(key, &why)
    })?;
    child.finish()?;
    let spoken: Box<dyn Interface> = if agreed == wanted { asked } else { interface::agreed(agreed)? };
    let name = agreed.family.name;
    let shown = spoken.mode().map_or_else(|| name.to_owned(), |mode| format!("{name}, mode {mode}"));
    Ok((spoken.signalling(), shown))
}
