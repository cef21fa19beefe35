//! The worked examples of `docs/how-to/adding.md`: they compile, one line registers each, its battery takes it, and the page
//! shows this code.

use testkit::{battery, choose};

const PAGE: &str = include_str!("../../../../docs/how-to/adding.md");

/// Module of a test that stands for `crates/bus/src/interface/mod.rs`: it registers the flash interface of the worked
/// example.
mod interface {
    use bus::interface::Interface;

    bus::interfaces! {
        default: "wide";
        wide::Wide,
    }
}

/// Module of a test that stands for `crates/ftl/src/read_merge/mod.rs`: it registers the policy of the worked example.
mod read_merge {
    pub use ftl::read_merge::{MergeView, ReadMerge};

    config::policies! {
        seam: "ftl.read_merge",
        question: "Which reads of a page share one array read?",
        default: "pairs",
        dyn ReadMerge;
        pairs::Pairs,
    }
}

#[test]
fn an_added_interface_is_a_file_and_a_line() {
    assert!(PAGE.contains(include_str!("added/interface/wide.rs")), "docs/how-to/adding.md shows other code");
    let [entry] = &interface::catalogue()[..] else { panic!("one line") };
    assert_eq!((entry.seam, entry.card.name), ("bus.interface", "wide"));
    choose::each_variant(entry, interface::read, |context, maker| {
        battery::interface::check(context, maker, 1_000);
    });
    let names: Vec<&str> = interface::families().iter().map(|family| family.name).collect();
    assert_eq!(names, ["wide"], "what chips' files may name");
}

#[test]
fn an_added_policy_is_a_file_and_a_line() {
    assert!(
        PAGE.contains(include_str!("added/read_merge/pairs.rs")),
        "docs/how-to/adding.md shows other code"
    );
    let [entry] = &read_merge::catalogue()[..] else { panic!("one line") };
    choose::each_variant(entry, read_merge::read, |context, maker| {
        battery::read_merge::check(context, maker, 100);
    });
}

/// Returns the texts in backticks in `text` that look like a file's path: with a slash, without spaces or wildcards.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('/') && !name.contains(['*', ' ', '<', '{']))
}

#[test]
fn the_page_names_what_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let prose: String = PAGE.split("```").step_by(2).collect();
    for name in named(&prose) {
        assert!(
            std::path::Path::new(&format!("{root}/{name}")).exists(),
            "docs/how-to/adding.md names {name}"
        );
    }
}

#[test]
fn the_page_of_policies_names_every_seam() {
    let page = include_str!("../../../../docs/how-to/policies.md");
    for entry in sim::policies() {
        assert!(
            page.contains(&format!("| `{}` |", entry.seam)),
            "docs/how-to/policies.md lacks {}",
            entry.seam
        );
    }
}
