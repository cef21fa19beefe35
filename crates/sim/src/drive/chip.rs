//! A chip by itself: what its file says, and the chip on the test bench.

use super::catalogue::Catalogue;
use crate::Error;
use bus::Support;
use config::{ConfigError, Document, Entry, Section};
use nand::cells::CellPhysics;
use nand::chip::{Rig, SimulatedChip, TabledChip};
use nand::errors;
use nand::{ArrayPower, ArrayTiming, Geometry, Tables};

/// Returns the title of a chip file and all its configuration keys with their values, each with the source of the
/// value.
///
/// # Errors
/// When the chip is unknown or its file is faulty.
pub fn explain_chip(catalogue: &Catalogue, chip: &str) -> Result<(String, Vec<Entry>), Error> {
    let document = chip_document(catalogue, chip)?;
    let mut root = Section::root(&document);
    let parts = ChipKeys::read_nand(&mut root)?;
    let entries = parts.nand.entries().into_iter().filter(|entry| entry.key.starts_with("nand.")).collect();
    Ok((parts.title, entries))
}

/// Reads the configuration document of a chip, with its keys in section `[nand]` as in a drive's configuration.
///
/// # Errors
/// When the chip is unknown or its file is faulty.
pub(super) fn chip_document(catalogue: &Catalogue, chip: &str) -> Result<Document, Error> {
    let path = catalogue.resolve("chips", chip)?;
    let mut document = catalogue.with_bases("chips", &path, &mut Vec::new())?.nested("nand");
    // A chip alone has no geometry of a drive; one channel with one way shows its keys.
    for assignment in ["geometry.channels=1", "geometry.ways=1"] {
        document.set(assignment)?;
    }
    Ok(document)
}

/// Kind of model for a flash chip on the test bench: every cell's threshold voltage, or tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChipModel {
    /// Case of chip model: the threshold voltages of all cells of the chip are simulated.
    Cells,
    /// Case of chip model: the chip reads its bit errors and times from the tables with which whole drives are
    /// simulated.
    Tables,
}

/// Flash chip on the simulated test bench, in one of two cases: modelled by its cells or by tables.
pub enum BenchChip {
    /// Case of a bench chip that is modelled by the threshold voltages of all its cells.
    Cells(Box<SimulatedChip>),
    /// Case of a bench chip that is modelled by the tables of bit errors and times with which whole drives are
    /// simulated.
    Tables(Box<TabledChip>),
}

/// Makes a flash chip for the test bench, modelled by its cells or by its tables as `model` says; all random properties
/// of the chip follow from `seed`.
///
/// # Errors
/// When the chip is unknown, its file is faulty, or the file lacks keys that the model needs.
pub fn chip_on_bench(
    catalogue: &Catalogue,
    chip: &str,
    overrides: &[String],
    model: ChipModel,
    seed: u64,
) -> Result<BenchChip, Error> {
    let mut document = chip_document(catalogue, chip)?;
    let mut set = Document::empty();
    for assignment in overrides {
        set.set(&format!("nand.{assignment}"))?;
    }
    document.overlay(set);
    let mut root = Section::root(&document);
    // The drive's reader finds unknown keys; it reads everything a chip file may hold.
    ChipKeys::read_nand(&mut root)?;
    let mut root = Section::root(&document);
    let mut nand = root.child("nand")?;
    Ok(match model {
        ChipModel::Tables => BenchChip::Tables(Box::new(TabledChip::read(&mut root, &mut nand, seed)?)),
        ChipModel::Cells => BenchChip::Cells(Box::new(SimulatedChip::read(&mut root, &mut nand, seed)?)),
    })
}

/// Contents of a chip file as read from the section `[nand]` of a configuration: title, geometry, tables, times, power
/// and error model.
pub(super) struct ChipKeys {
    pub title: String,
    pub nand: Section,
    pub geometry: Geometry,
    pub tables: Option<Tables>,
    pub timing: ArrayTiming,
    pub power: Option<ArrayPower>,
    pub support: Support,
    pub errors: errors::Maker,
}

impl ChipKeys {
    pub fn read_nand(root: &mut Section) -> Result<Self, ConfigError> {
        let mut nand = root.child("nand")?;
        let title = nand.or("title", String::new(), "what the chip is")?;
        let geometry = Geometry::read(root, &mut nand)?;
        let tables = Tables::read(&mut nand, &geometry)?;
        let timing = ArrayTiming::read(&mut nand, &geometry, tables.as_ref())?;
        let power = ArrayPower::read(&mut nand)?;
        let support = Support::read(&mut nand)?;
        CellPhysics::read(&mut nand, geometry.cell)?;
        Rig::read(&mut nand)?;
        let mut section = nand.child("errors")?;
        let errors = errors::read(&mut section)?;
        section.finish()?;
        nand.or("maker", String::new(), "who makes it")?;
        nand.or("device_id", Vec::<u32>::new(), "bytes of READ ID")?;
        nand.or("pe_cycles_rated", 0u32, "program/erase cycles the data sheet promises; 0: not known")?;
        Ok(Self { title, nand, geometry, tables, timing, power, support, errors })
    }
}
