//! The worked example of `docs/how-to/policies.md`: it compiles, one line registers it, and the page shows this code.

use config::{Document, Section};
use engine::RandomStream;
use ftl::Blocks;
use units::SuperblockId;
use victim::VictimView;

/// Module that stands in the test for `crates/ftl/src/gc/victim/mod.rs`: declares the seam of victim policies with the
/// documented example policy as its only policy.
mod victim {
    pub use ftl::gc::victim::{VictimPolicy, VictimView};

    config::policies! {
        seam: "ftl.gc.victim",
        question: "Which closed superblock does garbage collection reclaim next?",
        default: "worn-choices",
        dyn VictimPolicy;
        worn_choices::WornChoices,
    }
}

fn pick(valid_units: &[u32], pe_cycles: &[u32]) -> Option<SuperblockId> {
    let mut document = Document::empty();
    for setting in ["name=worn-choices", "d=200"] {
        document.set(setting).expect("a plain setting");
    }
    let mut policy = victim::read(&mut Section::root(&document)).expect("a known policy")();
    let candidates: Vec<SuperblockId> = (0..valid_units.len() as u32).map(SuperblockId).collect();
    policy.attach(candidates.len() as u32, 8);
    policy.pick(&mut VictimView {
        candidates: &candidates,
        blocks: Blocks {
            valid_units,
            pe_cycles,
            closed_at: &vec![0; candidates.len()],
            streams: &vec![0; candidates.len()],
        },
        clock: 100,
        units_per_superblock: 8,
        random: &mut RandomStream::new(1, "example"),
    })
}

#[test]
fn the_page_shows_the_code_that_compiles() {
    let page = include_str!("../../../../docs/how-to/policies.md");
    assert!(
        page.contains(include_str!("added_policy/victim/worn_choices.rs")),
        "docs/how-to/policies.md shows other code"
    );
}

#[test]
fn fewest_valid_first_then_fewest_cycles() {
    // With 200 draws among four every candidate is drawn: the chance of missing one is 4 * 0.75^200.
    assert_eq!(pick(&[5, 2, 2, 8], &[0, 9, 3, 1]), Some(SuperblockId(2)));
    assert_eq!(pick(&[5, 2, 2, 1], &[0, 9, 3, 40]), Some(SuperblockId(3)));
    assert_eq!(pick(&[], &[]), None);
}

#[test]
fn one_line_gives_the_listing_and_the_parameters() {
    let entries = victim::catalogue();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].seam, entries[0].card.name), ("ftl.gc.victim", "worn-choices"));
    assert_eq!(entries[0].parameters[0].key, "d");
}
