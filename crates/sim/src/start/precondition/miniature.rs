//! The history of a small drive's steady state, from which a large one is constructed.
//!
//! How full superblocks are, how many are free and how far collections are depends on superblocks, policies and spare
//! room alone, not on how many dies there are: a drive of one die shows it, or of as many as share parity. What it cannot
//! show is left out: that dies differ in their bad blocks.

use super::{Precondition, put};
use crate::embedding::{self, SeenDrive};
use crate::{Drive, Error, PreconditionKind};
use engine::RandomStream;
use ftl::{Ftl, Layout, SetMoment};

/// Constant: greatest number of superblocks per die of a miniature drive, without superblocks reserved or open; fewer
/// where all superblocks together would have more than `UNITS` mapping units.
const SUPERBLOCKS: u32 = 768;
const UNITS: u64 = 1 << 20;
/// Constant: least number of superblocks per die of a miniature drive, even where all have more than `UNITS` mapping
/// units, because the emptiest of fewer superblocks is fuller. With 128 superblocks instead of all 342 of a die the
/// drive `tlc` began with 0.5 % more write amplification.
const SUPERBLOCKS_LEAST: u32 = 384;
/// Constant: target size, in mapping units of the whole drive, of a miniature drive whose dies share parity: a larger
/// miniature gets fewer pages per block.
const UNITS_OF_A_SET: u64 = 1 << 23;
/// Constant: least number of mapping units per superblock that remains in a miniature drive whose dies share parity;
/// with 64 units instead of 512, write amplification over one overwrite differed by 0.1 %, with 16 by 0.5 %.
const UNITS_LEAST: u32 = 512;
/// Constant: number of unit writes of preconditioning between two checks whether the program that embeds the simulator,
/// such as Python after Ctrl-C, asks to stop.
const WRITES_AT_ONCE: u64 = 1 << 16;
/// Constant: number of times, spread over a stretch of overwriting, at which the state of a miniature drive is
/// recorded.
const MOMENTS: u64 = 128;
/// Constant: least number of overwrites of the logical space of a miniature drive over which the times of recording
/// (`MOMENTS`) are spread.
const SPAN_OVERWRITES: f64 = 0.5;
/// Constant: least number of superblocks of a miniature drive that are filled by the writes over which the times of
/// recording (`MOMENTS`) are spread.
const SPAN_SUPERBLOCKS: u64 = 32;

/// Makes a miniature of `drive` with the same superblocks (of fewer pages where many dies share parity), policies and
/// share of over-provisioning: one die, or as many dies as share parity, with at most `superblocks_most` superblocks
/// per die, not counting superblocks reserved or open. Returns its configuration and the built drive.
pub(super) fn miniature(
    drive: &Drive,
    ftl: &mut Ftl,
    filled: u32,
    superblocks_most: u32,
    seed: u64,
) -> Result<(Drive, SeenDrive<Ftl>), Error> {
    let layout = ftl.layout().clone();
    let (stripe, parity) = ftl
        .feature::<ftl::Stripes>()
        .map_or((0, 0), |stripes| (stripes.stripe(), stripes.parity_superblocks()));
    let width = stripe + 1;
    let good = ftl.usable_superblocks();
    let ftl = ftl.as_page_mapped().expect("a layer maps pages or blocks");
    // Data are brought there past the SLC cache; what it keeps is none of theirs.
    let usable = (good / layout.dies).saturating_sub(ftl.cache_reserved());
    let planes_apart = drive.geometry().planes / layout.planes;
    let kept = ftl.superblocks_kept();
    // Each group has one superblock on every die of its set, one of them with parity.
    let groups = if stripe > 0 { parity * width / layout.dies } else { usable };
    let superblocks = (superblocks_most + kept).min(groups);
    let superblocks = (superblocks / planes_apart).max(1) * planes_apart;
    let held = |superblocks: f64| (superblocks - f64::from(kept)).max(0.0);
    let part = held(f64::from(superblocks) * f64::from(usable) / f64::from(groups.max(1)))
        / held(f64::from(usable)).max(1.0);
    let logical = (f64::from(filled) / f64::from(layout.dies) * f64::from(width) * part) as u64;
    let pages = pages_of(drive, &layout, width, superblocks);
    let logical = logical * u64::from(pages) / u64::from(drive.geometry().pages_per_block);
    let small = drive.miniature(width, superblocks, pages, logical.max(1))?;
    let mut mini = SeenDrive::new(small.build(seed)?);
    if let Some(mini) = mini.as_page_mapped() {
        mini.stand_for(part);
        mini.set_urgent_share(ftl.urgent_share());
    }
    Ok((small, mini))
}

/// Returns the number of pages per block of the miniature drive: that of the drive, but fewer where many dies share
/// parity, since their superblocks are reclaimed together and random differences between them matter little.
fn pages_of(drive: &Drive, layout: &Layout, width: u32, superblocks: u32) -> u32 {
    let (pages, bits) = (drive.geometry().pages_per_block, drive.geometry().cell.bits());
    let units = u64::from(layout.superblock_units) * u64::from(superblocks) * u64::from(width);
    let many = (units / UNITS_OF_A_SET).min(u64::from(layout.superblock_units / UNITS_LEAST)) as u32;
    // What a superblock says about itself does not become less with its pages.
    if width == 1 || many < 2 || layout.summary_units > 0 {
        pages
    } else {
        (pages / many / bits).max(1) * bits
    }
}

/// Brings a miniature of the drive to steady state, then records its state at many times. `slots` is the number of
/// units that wait in the drive's write buffer (occupied slots); `None` where each write goes to the flash at once.
pub(super) fn history(
    drive: &Drive,
    ftl: &mut Ftl,
    (filled, slots): (u32, Option<u32>),
    seed: u64,
) -> Result<Vec<SetMoment>, Error> {
    let by_units = (UNITS / u64::from(ftl.layout().superblock_units)) as u32;
    let superblocks = by_units.clamp(SUPERBLOCKS_LEAST, SUPERBLOCKS);
    let (small, mut mini) = miniature(drive, ftl, filled, superblocks, seed)?;
    let worn = mini.array().pe_cycles(0, 0);
    let mut work = Precondition::new(PreconditionKind::Steady, &mini, 1.0, seed);
    let part = f64::from(mini.layout().logical_units) / f64::from(filled.max(1));
    work.waiting = work.buffer_of(slots.map(|slots| (f64::from(slots) * part) as u32));
    while !work.done {
        embedding::look()?;
        work.write(&small, &mut mini, WRITES_AT_ONCE)?;
    }
    let units = u64::from(mini.layout().logical_units);
    let span = ((units as f64 * SPAN_OVERWRITES) as u64)
        .max(SPAN_SUPERBLOCKS * u64::from(mini.layout().superblock_units));
    let mut random = RandomStream::new(seed, "precondition.moments");
    let each = (span / MOMENTS).max(1);
    let mut moments = Vec::new();
    for _ in 0..MOMENTS {
        // One at random in each part of the span: moments at equal distances could keep step with the collections.
        let before = random.below(each);
        embedding::look()?;
        overwrite(&small, &mut work, &mut mini, before, units)?;
        let pages = mini.as_page_mapped().expect("a miniature is of the same kind");
        moments.push(pages.moment(worn));
        overwrite(&small, &mut work, &mut mini, each - before, units)?;
    }
    Ok(moments)
}

fn overwrite(
    small: &Drive,
    work: &mut Precondition,
    mini: &mut Ftl,
    count: u64,
    units: u64,
) -> Result<(), Error> {
    let mut left = count;
    while left > 0 {
        let Some(lpn) = work.next_uniform(units) else { continue };
        put(small, mini, lpn)?;
        left -= 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Drive, Layout, miniature};
    use crate::Catalogue;
    use std::path::Path;

    /// Returns, for a test, the fraction of a superblock that one program fills: space that garbage collection cannot
    /// count on.
    fn part_of_a_program(layout: &Layout) -> f64 {
        f64::from(layout.program_units) / f64::from(layout.superblock_units)
    }

    #[test]
    fn a_miniature_with_parity_has_room_wherever_its_drive_has() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let settings = ["ftl.parity.name=rain".to_owned()];
        let drive = Drive::load(&Catalogue::new([root]), "sata-tlc", &settings).expect("a drive");
        let mut ftl = drive.build(1).expect("it has room");
        let filled = ftl.layout().logical_units;
        let (small, mini) =
            miniature(&drive, &mut ftl, filled, 384, 1).unwrap_or_else(|error| panic!("{error}"));
        assert!(small.geometry().pages_per_block < drive.geometry().pages_per_block);
        assert!(part_of_a_program(mini.layout()) < 0.01);
        assert!((mini.layout().physical_units() as u64) < 2 * super::UNITS_OF_A_SET);
    }
}
