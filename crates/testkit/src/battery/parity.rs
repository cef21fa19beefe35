//! A parity scheme names stripes that the drive has room for, or says which do.

use config::{Document, Section};
use controller::ControllerConfig;
use ftl::Layout;
use ftl::parity::Maker;
use nand::Geometry;

/// Makes the flash layout of a small test drive with `dies` dies.
fn layout(dies: u32) -> Layout {
    let mut document = Document::empty();
    for setting in [
        &format!("geometry.channels={dies}"),
        "geometry.ways=1",
        "nand.cell=slc",
        "nand.planes=1",
        "nand.blocks_per_plane=8",
        "nand.pages_per_block=8",
        "nand.page_size=4KiB",
    ] {
        document.set(setting).expect("a setting");
    }
    let mut root = Section::root(&document);
    let mut nand = root.child("nand").expect("a section");
    let geometry = Geometry::read(&mut root, &mut nand).expect("a geometry");
    let controller = ControllerConfig::read(&mut root).expect("a controller");
    let mut ftl = root.child("ftl").expect("a section");
    Layout::read(&mut ftl, &geometry, &controller).expect("a layout")
}

/// Tests a parity scheme on layouts of 1 to `dies` dies: the width of the stripe that it chooses, if any (data units
/// and parity unit together), must divide the number of dies, or its error must name the expected values.
///
/// # Panics
/// When the scheme breaks a rule.
pub fn check(context: &str, maker: &Maker, dies: u32) {
    for dies in 1..=dies {
        let layout = layout(dies);
        let answer = maker().stripe(&layout);
        assert_eq!(answer, maker().stripe(&layout), "{context}: two answers for {dies} dies");
        match answer {
            Ok(None) => {}
            Ok(Some(stripe)) => {
                assert!((2..64).contains(&stripe), "{context}: a stripe of {stripe} data units");
                assert_eq!(
                    dies % (stripe + 1),
                    0,
                    "{context}: {dies} dies do not divide into stripes of {stripe} + 1"
                );
            }
            Err((key, expected)) => {
                assert!(!key.is_empty(), "{context}: {expected}");
                assert!(
                    expected.starts_with("expected ") && !expected.contains('\n'),
                    "{context}: {expected:?} does not say in a line what is expected"
                );
            }
        }
    }
}
