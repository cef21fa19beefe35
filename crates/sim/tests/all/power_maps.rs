//! Power cuts on drives whose map lies on flash, in whole or as checkpoints and journals of one in RAM.

use crate::common::{SMALL, drive, run};
use crate::power_cuts::{mixed, total};
use serde_json::Value;
use sim::RunOptions;

const CUTS: [&str; 3] =
    ["power.cut.drawn=6", "power.cut.within=3000", "ftl.buffer.power_loss_protection=false"];
const DFTL: [&str; 2] = ["ftl.mapping.name=dftl", "ftl.mapping.cache=512B"];

fn result_of(settings: &[&str], seed: u64) -> Value {
    let options = RunOptions { check: true, seed, ..RunOptions::default() };
    run(drive(&[SMALL, settings].concat()), mixed(4_000, 300, seed), options).1
}

#[test]
fn a_map_of_which_a_part_is_in_ram_is_found_again_after_every_cut() {
    for seed in 0..12 {
        let result = result_of(&[&CUTS[..], &DFTL].concat(), seed);
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
    }
}

#[test]
fn what_the_map_on_flash_lacked_at_a_cut_is_written_after_it() {
    // A cache for the whole map writes none of it by itself.
    let large = ["ftl.mapping.name=dftl", "ftl.mapping.cache=1MiB", "ftl.buffer.power_loss_protection=false"];
    let map_programs = |cuts: &[&str]| {
        let result = result_of(&[&large[..], cuts].concat(), 1);
        result["flash"]["programs"]["map"].as_u64().unwrap()
    };
    assert_eq!(map_programs(&[]), 0);
    assert!(map_programs(&["power.cut.after=[1000]"]) > 0);
}

#[test]
fn translation_units_are_read_beside_the_spare_areas() {
    let read = |kind: &[&str]| {
        let once = ["power.cut.after=[2500]", "ftl.buffer.power_loss_protection=false"];
        let result = result_of(&[&once[..], kind].concat(), 1);
        total(&result["power"], "pages_read")
    };
    let (pages, more) = (read(&["ftl.mapping.name=page"]), read(&DFTL));
    assert!(more > pages, "{more} pages, {pages} of a drive whose map is all in RAM");
}
