//! Which settings of the controller go together.

use config::{Document, Section};
use controller::ControllerConfig;

fn read(settings: &[&str]) -> Result<ControllerConfig, String> {
    let mut document = Document::empty();
    for setting in settings {
        document.set(&format!("controller.{setting}")).unwrap_or_else(|error| panic!("{error}"));
    }
    ControllerConfig::read(&mut Section::root(&document)).map_err(|error| error.to_string())
}

#[test]
fn what_is_in_range_is_taken() {
    let turns = ["late_choice=true", "dies_take_turns=true"];
    for settings in [
        &[][..],
        &["cache_read=true", "cache_program=true", "paired_planes=1"],
        &["late_choice=true"],
        &turns,
        &[turns[0], turns[1], "paired_planes=2"],
        &["program_queue=1"],
        &["program_queue=65536"],
    ] {
        assert!(read(settings).is_ok(), "{settings:?}");
    }
}

/// Test: a value out of range is refused, with the name of its key. (Settings that are wrong only in combination are
/// refused by the table of `ftl::compatibility`.)
#[test]
fn a_value_out_of_range_is_refused_by_its_key() {
    for (setting, key) in [
        ("paired_planes=0", "paired_planes"),
        ("program_queue=0", "program_queue"),
        ("program_queue=65537", "program_queue"),
    ] {
        let error = read(&[setting]).err().unwrap_or_else(|| panic!("{setting} was taken"));
        assert!(error.contains(&format!("controller.{key}")), "{setting}: {error}");
    }
}
