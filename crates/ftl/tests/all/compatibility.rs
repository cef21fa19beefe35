//! The page `docs/reference/compatibility.md` says what the table says, and the table says each thing once.

use ftl::compatibility::{APART, Apart, Feature, IDLE, NEEDS, Reason, Switch, between};
use std::fmt::Write;

const BEGIN: &str = "\
# Which features can be combined

This page is generated from the table in `crates/ftl/src/compatibility.rs`; the error messages and the random-drive tests use
the same table. A drive file with two features that cannot be combined is refused before the run, in one line that gives the
place, both keys, the reason, and what to write instead.

Anything not listed below can be combined freely: all policies that choose victims, dies, queues and channels, all
interfaces, links, error models and buffers. Features that need something from the chip (`nand.slc_mode` for the SLC cache,
tables for sets of voltages) are checked when the drive is built. So is whether a drive has enough *space* for its features; the
error gives the `ftl.op_ratio` that would suffice.
";

/// Returns the text of the documentation page about the features that can be combined, made from the table of features.
fn page() -> String {
    let mut page = BEGIN.to_owned();
    features(&mut page);
    matrix(&mut page);
    reasons(&mut page);
    needs(&mut page);
    idle(&mut page);
    page
}

fn features(page: &mut String) {
    page.push_str("\n## The features\n\n| | feature | enabled by |\n|---|---|---|\n");
    for (number, feature) in Feature::ALL.iter().enumerate() {
        writeln!(page, "| {} | {} | {} |", number + 1, feature.meaning(), switch(*feature)).unwrap();
    }
}

/// Returns the setting that turns a feature on, as text for the documentation page: its key or keys, and the values
/// that enable the feature.
fn switch(feature: Feature) -> String {
    let keys: Vec<String> = feature.keys().iter().map(|key| format!("`{key}`")).collect();
    let (keys, one) = (keys.join(" or "), feature.keys()[0]);
    match feature.switch() {
        Switch::Is([value]) => format!("`{one} = {value}`"),
        Switch::Is(values) => format!("{keys}: {}", values.join(", ")),
        Switch::IsNot(values) => format!("{keys}: any but {}", values.join(", ")),
        Switch::Given | Switch::Asked => keys,
        Switch::Positive => format!("{keys} above zero"),
        Switch::Several => format!("{keys} above 1"),
        Switch::UnitsAProgram => format!("{keys} smaller than a program"),
    }
}

/// Returns the text for a pair of features in the page's matrix: `+` if they can be combined, the number of the reason
/// if they cannot, or `–` if both are values of one key.
fn cell(a: Feature, b: Feature) -> String {
    let number =
        |row: &Apart| APART.iter().position(|other| other.a == row.a && other.b == row.b).unwrap() + 1;
    match between(a, b) {
        _ if a.keys() == b.keys() => "–".to_owned(),
        Some(row) => number(row).to_string(),
        None => "+".to_owned(),
    }
}

fn matrix(page: &mut String) {
    page.push_str(
        "\n## The pairs\n\nRows and columns are feature numbers. **+**: can be combined; a number: cannot be combined, for \
         the reason with that\nnumber below; –: two values of the same key.\n\n",
    );
    let all = Feature::ALL;
    let columns: Vec<String> = (1..all.len()).map(|number| number.to_string()).collect();
    writeln!(page, "| | | {} |\n|---|---|{}", columns.join(" | "), "---|".repeat(columns.len())).unwrap();
    for (at, a) in all.iter().enumerate().skip(1) {
        let mut cells: Vec<String> = all[..at].iter().map(|b| cell(*a, *b)).collect();
        cells.resize(columns.len(), String::new());
        writeln!(page, "| {} | {} | {} |", at + 1, a.meaning(), cells.join(" | ")).unwrap();
    }
}

fn reasons(page: &mut String) {
    page.push_str(
        "\n## The reasons\n\n| | pair | kind | reason | what to write instead |\n|---|---|---|---|---|\n",
    );
    for (number, row) in APART.iter().enumerate() {
        let kind = match row.reason {
            Reason::Physical(_) => "physical",
            Reason::Logical(_) => "logical",
        };
        let (a, b, text) = (row.a.meaning(), row.b.meaning(), row.reason.text());
        writeln!(page, "| {} | {a} × {b} | {kind} | {text} | {} |", number + 1, row.change).unwrap();
    }
}

fn needs(page: &mut String) {
    page.push_str(
        "\n## Features that need another\n\nThey can be combined with all that the feature they need can be combined with.\n\n",
    );
    page.push_str("| feature | needs | reason | what to write |\n|---|---|---|---|\n");
    for row in NEEDS {
        let (feature, needed) = (row.feature.meaning(), row.needed.meaning());
        writeln!(page, "| {feature} | {needed} | {} | {} |", row.reason, row.change).unwrap();
    }
}

fn idle(page: &mut String) {
    page.push_str(
        "\n## Keys without effect\n\nSetting one of these, by `--set` or in the same file as the feature, is an error. If `--set` changes \
         the mapping or removes\nthe code of an existing drive file, such keys in that file are accepted.\n\n",
    );
    page.push_str("| keys | no effect | reason |\n|---|---|---|\n");
    for row in IDLE {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        let when = if row.with { "with" } else { "without" };
        writeln!(page, "| {} | {when} {} | {} |", keys.join(", "), row.feature.meaning(), row.reason)
            .unwrap();
    }
}

#[test]
fn the_page_says_what_the_table_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/compatibility.md");
    let (written, wanted) = (std::fs::read_to_string(path).unwrap_or_default(), page());
    if written != wanted {
        let made = concat!(env!("CARGO_TARGET_TMPDIR"), "/compatibility.md");
        std::fs::write(made, &wanted).unwrap();
        panic!(
            "docs/reference/compatibility.md is not what the table says; mend it by: cp {made} docs/reference/compatibility.md"
        );
    }
}

#[test]
fn no_pair_stands_twice() {
    for (at, row) in APART.iter().enumerate() {
        let same =
            |other: &&Apart| (other.a, other.b) == (row.a, row.b) || (other.a, other.b) == (row.b, row.a);
        assert!(row.a != row.b && !APART[..at].iter().any(|other| same(&other)), "{row:?}");
    }
}

/// Checks that no pair in the table of features that cannot be combined follows from another pair of the table because
/// one feature needs another: the reason would be given twice.
#[test]
fn no_row_follows_from_another() {
    for row in APART {
        let found = between(row.a, row.b).expect("a pair of the table");
        assert_eq!((found.a, found.b), (row.a, row.b), "{row:?} follows from {found:?}");
    }
}

/// Checks that each name of a mapping or other policy by which the table knows a feature is the name of a policy.
#[test]
fn names_of_the_table_are_names_of_policies() {
    let policies = ftl::policies();
    for feature in Feature::ALL {
        let seam = feature.keys()[0].trim_end_matches(".name");
        let of_seam: Vec<&str> =
            policies.iter().filter(|entry| entry.seam == seam).map(|entry| entry.card.name).collect();
        if let (Switch::Is(names) | Switch::IsNot(names), false) = (feature.switch(), of_seam.is_empty()) {
            assert!(names.iter().all(|name| of_seam.contains(name)), "{feature:?}: {names:?} of {of_seam:?}");
        }
    }
}
