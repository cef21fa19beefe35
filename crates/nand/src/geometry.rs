//! How many of what: channels down to pages.

use config::{ConfigError, Section, at_least};
use units::Bytes;

/// Type for the kind of flash cell, by the number of bits that it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Case of flash cell: SLC, one bit per cell.
    Slc = 1,
    /// Case of flash cell: MLC, two bits per cell.
    Mlc = 2,
    /// Case of flash cell: TLC, three bits per cell.
    Tlc = 3,
    /// Case of flash cell: QLC, four bits per cell.
    Qlc = 4,
}

impl Cell {
    /// Returns the number of bits that a cell of this kind stores, which is the number of pages that share a wordline,
    /// and so the number of page types.
    pub const fn bits(self) -> u32 {
        self as u32
    }
}

/// Kind of program order of the chip, by which pages of a plane one program operation writes: one page, or all pages of
/// a wordline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOrder {
    /// Case of program order: by pages; a program operation writes one page on each plane that takes part.
    Page,
    /// Case of program order: by wordlines (one-shot); a program operation writes all pages of a wordline on each plane
    /// that takes part.
    OneShot,
}

/// Physical layout of a drive's flash: numbers of channels, dies, planes, blocks and pages, and sizes of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Number of channels, the buses that operate in parallel.
    pub channels: u32,
    /// Number of chip enables on each channel.
    pub ways: u32,
    /// Number of dies behind each chip enable.
    pub dies_per_way: u32,
    /// Number of planes in each die.
    pub planes: u32,
    /// Number of blocks in each plane, bad blocks included.
    pub blocks_per_plane: u32,
    /// Number of pages in each block.
    pub pages_per_block: u32,
    /// Number of data bytes of a page.
    pub page_size: Bytes,
    /// Number of spare bytes (out-of-band area) of a page.
    pub oob_size: Bytes,
    /// Field of the flash geometry: kind of the drive's cells, by the number of bits that each cell stores.
    pub cell: Cell,
    /// Field of the flash geometry: which pages of a plane one program operation of the chip writes, one page or all
    /// pages of a wordline.
    pub program: ProgramOrder,
}

impl Geometry {
    // Long: a paragraph for each key, with its range.
    /// Reads the physical layout of the drive's flash from `[geometry]` and the layout keys of `[nand]`.
    ///
    /// # Errors
    /// When a key is missing or out of its range, the pages of a block do not fill its wordlines, or the drive is
    /// larger than the simulator can represent.
    pub fn read(root: &mut Section, nand: &mut Section) -> Result<Self, ConfigError> {
        let mut geometry = root.child("geometry")?;
        let channels = at_least_one(&mut geometry, "channels", "channels of the drive", None)?;
        let ways = at_least_one(&mut geometry, "ways", "chip enables on each channel", None)?;
        let dies_per_way =
            at_least_one(&mut geometry, "dies_per_way", "dies behind each chip enable", Some(1))?;
        if u64::from(ways) * u64::from(dies_per_way) > 64 {
            return Err(
                geometry.reject("ways", "expected at most 64 dies on a channel (ways x dies_per_way)")
            );
        }
        if u64::from(channels) * u64::from(ways) * u64::from(dies_per_way) > 1 << 16 {
            return Err(geometry.reject("channels", "expected at most 65536 dies in a drive"));
        }
        geometry.finish()?;
        let cell = match nand.choice("cell", &["slc", "mlc", "tlc", "qlc"], "tlc", "bits per cell")?.as_str()
        {
            "slc" => Cell::Slc,
            "mlc" => Cell::Mlc,
            "tlc" => Cell::Tlc,
            _ => Cell::Qlc,
        };
        let order =
            nand.choice("program", &["page", "one-shot"], "page", "what one program operation writes")?;
        let program = if order == "page" { ProgramOrder::Page } else { ProgramOrder::OneShot };
        let planes = at_least_one(nand, "planes", "planes of a die", None)?;
        if planes > 16 {
            return Err(nand.reject("planes", "expected at most 16 planes"));
        }
        let blocks_per_plane =
            at_least_one(nand, "blocks_per_plane", "blocks of a plane, bad ones included", None)?;
        let pages_per_block = at_least_one(nand, "pages_per_block", "pages of a block", None)?;
        if !pages_per_block.is_multiple_of(cell.bits()) {
            return Err(nand.reject(
                "pages_per_block",
                &format!("expected a multiple of the {} pages that share a wordline", cell.bits()),
            ));
        }
        let page_size: Bytes = nand.required("page_size", "data bytes of a page")?;
        if page_size.get() == 0 || !page_size.get().is_multiple_of(512) {
            return Err(nand.reject("page_size", "expected a multiple of 512 bytes, not zero"));
        }
        let dies = u64::from(channels) * u64::from(ways) * u64::from(dies_per_way);
        if u64::from(planes) * u64::from(blocks_per_plane) > u64::from(u32::MAX) {
            let expected = format!(
                "expected at most {} with {planes} planes: a die has fewer than 2^32 blocks",
                u32::MAX / planes
            );
            return Err(nand.reject("blocks_per_plane", &expected));
        }
        let pages =
            u128::from(dies * u64::from(planes)) * u128::from(blocks_per_plane) * u128::from(pages_per_block);
        if pages * u128::from(page_size.get()) >= 1 << 63 {
            let expected = format!("expected a drive of fewer than 2^63 bytes; this one has {pages} pages");
            return Err(nand.reject("page_size", &expected));
        }
        let oob_size = nand.or("oob_size", Bytes::new(0), "spare bytes of a page")?;
        Ok(Self {
            channels,
            ways,
            dies_per_way,
            planes,
            blocks_per_plane,
            pages_per_block,
            page_size,
            oob_size,
            cell,
            program,
        })
    }

    /// Returns the number of dies in the drive.
    pub const fn dies(&self) -> u32 {
        self.channels * self.ways * self.dies_per_way
    }

    /// Returns the number of dies on one channel.
    pub const fn dies_per_channel(&self) -> u32 {
        self.ways * self.dies_per_way
    }

    /// Returns the number of blocks in one die, bad ones included.
    pub const fn blocks_per_die(&self) -> u32 {
        self.planes * self.blocks_per_plane
    }
}

fn at_least_one(
    section: &mut Section,
    key: &str,
    help: &'static str,
    default: Option<u32>,
) -> Result<u32, ConfigError> {
    let counted = section.within(at_least(1u32));
    match default {
        Some(default) => counted.or(key, default, help),
        None => counted.required(key, help),
    }
}
