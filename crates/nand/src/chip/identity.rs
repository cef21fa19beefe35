//! What a part says about itself, and how it answers.

use super::Rig;
use crate::cells::{CellPhysics, coding};
use crate::{ArrayTiming, Geometry, Tables};
use config::{ConfigError, Section};
use units::Nanos;

/// Kind of status that the chip's status register reports for a flash operation: success, failure, or not tried because
/// the block is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Case of status: the flash operation succeeded.
    Ok,
    /// Case of status: the flash operation failed, or the chip's rules forbid it.
    Fail,
    /// Case of status: the flash operation was not tried, because the block is bad.
    Protected,
}

impl Status {
    /// Returns the name of the status for logs: `ok`, `fail` or `protected`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::Protected => "protected",
        }
    }
}

/// Record of the result of a flash operation: its status, and how long it kept the chip busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Field of an operation's result: status that the chip reports.
    pub status: Status,
    /// Busy time of the chip for the flash operation with this result, ns.
    pub busy_ns: u64,
}

/// Record of the result of reading a page: status, busy time and data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// Field of a page read's result: status that the chip reports.
    pub status: Status,
    /// Busy time of the chip for the page read, ns.
    pub busy_ns: u64,
    /// Data of the page with its spare bytes, bit errors included.
    pub data: Vec<u8>,
}

/// Record of the rated values of a flash part from its data sheet: times of the flash operations, and endurance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rated {
    /// Array read time (tR) of the data sheet, mean over page types, ns; 0: not known.
    pub t_r_ns: u64,
    /// Typical program time (tPROG) of the data sheet, mean over page types, ns; 0: not known.
    pub t_prog_ns: u64,
    /// Typical block erase time (tBERS) of the data sheet, ns; 0: not known.
    pub t_bers_ns: u64,
    /// Rated endurance of the data sheet, in program/erase cycles; 0: not known.
    pub pe_cycles: u64,
}

/// Record of the identity of a flash part, as the part reports it: name, READ ID, geometry, states and rated values.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Name of the flash part in the record of its identity.
    pub title: String,
    /// Name of the manufacturer of the part.
    pub maker: String,
    /// List of the bytes of the part's answer to READ ID.
    pub device_id: Vec<u8>,
    /// Field of a part's identity: its geometry, that is, sizes and numbers of pages, blocks and planes.
    pub geometry: Geometry,
    /// List, in the record of the part's identity, of the names of the cell states (their bits, one digit for each
    /// page), by rising threshold voltage.
    pub states: Vec<&'static str>,
    /// Field of a part's identity: its rated times and endurance, as the data sheet gives them.
    pub rated: Rated,
}

/// Record of the contents of a chip file: identity of the part, times, tables, cell parameters, and properties of the
/// test rig.
pub(super) struct ChipFile {
    pub identity: Identity,
    pub timing: ArrayTiming,
    pub tables: Option<Tables>,
    pub physics: Option<CellPhysics>,
    pub rig: Rig,
}

impl ChipFile {
    /// Reads the contents of a chip file, which are given as the configuration section `nand`.
    ///
    /// # Errors
    /// When a key is wrong.
    pub fn read(root: &mut Section, nand: &mut Section) -> Result<Self, ConfigError> {
        let title = nand.or("title", String::new(), "what the chip is")?;
        let maker = nand.or("maker", String::new(), "who makes it")?;
        let id: Vec<u32> = nand.or("device_id", Vec::new(), "bytes of READ ID")?;
        let device_id = id.iter().map(|byte| u8::try_from(*byte)).collect::<Result<_, _>>();
        let device_id = device_id.map_err(|_| nand.reject("device_id", "expected bytes from 0 to 255"))?;
        let geometry = Geometry::read(root, nand)?;
        let tables = Tables::read(nand, &geometry)?;
        let timing = ArrayTiming::read(nand, &geometry, tables.as_ref())?;
        let typical = |key: &str, nand: &mut Section, help| -> Result<u64, ConfigError> {
            let times: Vec<Nanos> = nand.required(key, help)?;
            Ok(times.iter().map(|t| t.ns()).sum::<u64>() / times.len() as u64)
        };
        let rated = Rated {
            t_r_ns: typical("t_r", nand, "array read time of the data sheet")?,
            t_prog_ns: typical("t_prog", nand, "program time of the data sheet")?,
            t_bers_ns: nand.required::<Nanos>("t_bers", "block erase time of the data sheet")?.ns(),
            pe_cycles: nand.or("pe_cycles_rated", 0u64, "program/erase cycles the data sheet promises")?,
        };
        let physics = CellPhysics::read(nand, geometry.cell)?;
        let rig = Rig::read(nand)?;
        let usual = || coding::one_shot_states(geometry.cell).to_vec();
        let states = physics.as_ref().map_or_else(usual, |physics| physics.states.clone());
        let identity = Identity { title, maker, device_id, geometry, states, rated };
        Ok(Self { identity, timing, tables, physics, rig })
    }
}

impl Identity {
    /// Returns the number of bytes of a page including its spare bytes.
    pub fn page_bytes(&self) -> usize {
        (self.geometry.page_size.get() + self.geometry.oob_size.get()) as usize
    }

    pub(super) fn check(&self, block: u32, page: u32) -> Result<(), String> {
        let geometry = &self.geometry;
        let blocks = geometry.planes * geometry.blocks_per_plane;
        if block >= blocks {
            return Err(format!("block {block}: no such block: expected 0 to {}", blocks - 1));
        }
        if page >= geometry.pages_per_block {
            let last = geometry.pages_per_block - 1;
            return Err(format!("page {page}: no such page: expected 0 to {last}"));
        }
        Ok(())
    }

    pub(super) fn check_data(&self, data: &[u8]) -> Result<(), String> {
        let bytes = self.page_bytes();
        if data.len() == bytes {
            return Ok(());
        }
        Err(format!("{} bytes: expected a whole page with its spare bytes: {bytes}", data.len()))
    }
}
