//! Power cuts on drives whose map lies on flash, in whole or as checkpoints and journals of one in RAM.

use crate::common::{SMALL, closed_loop_forced, drive, run};
use crate::power_cuts::{mixed, total};
use host::Op;
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
    // A cache for the whole map writes none of it by itself, where nothing is trimmed or collected whose entry it lacks.
    let large = ["ftl.mapping.name=dftl", "ftl.mapping.cache=1MiB", "ftl.buffer.power_loss_protection=false"];
    let map_programs = |cuts: &[&str]| {
        let writes = closed_loop_forced(1_500, 16, 7, |index| (Op::WRITE, index % 300 * 4096, 4096));
        let options = RunOptions { check: true, seed: 1, ..RunOptions::default() };
        let result = run(drive(&[SMALL, &large[..], cuts].concat()), writes, options).1;
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

#[test]
fn a_logged_map_is_found_again_after_every_cut() {
    for seed in 0..12 {
        let log = ["ftl.recovery.name=journal", "ftl.recovery.write_budget=0.5"];
        for more in [&["nand.cell=slc"][..], &["nand.cell=mlc", "nand.program=page"]] {
            let result = result_of(&[&CUTS[..], &log, more].concat(), seed);
            assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
        }
    }
}

#[test]
fn only_what_the_log_does_not_tell_of_is_read() {
    let pages = |method: &str| {
        let method = format!("ftl.recovery.name={method}");
        let more = ["ftl.recovery.write_budget=0.2", "nand.blocks_per_plane=256", "power.cut.after=[9000]"];
        let more = &more[usize::from(method.ends_with("scan") || method.ends_with("summaries"))..];
        let settings =
            [&[SMALL, &[&method, "ftl.buffer.power_loss_protection=false"]].concat(), more].concat();
        let options = RunOptions { check: true, seed: 1, ..RunOptions::default() };
        let result = run(drive(&settings), mixed(12_000, 6_000, 1), options).1;
        total(&result["power"], "pages_read")
    };
    let [scan, summaries, checkpoint, journal] = ["scan", "summaries", "checkpoint", "journal"].map(pages);
    assert!(8 * summaries < scan && checkpoint < summaries, "{scan}, {summaries}, {checkpoint}");
    // Up to 512 units are in no unit of the log yet: as many pages.
    assert!(journal < summaries, "{summaries}, {journal}");
}

#[test]
fn reads_wait_for_their_part_of_the_map_until_all_of_it_is_there() {
    let misses = |method: &str| {
        let method = format!("ftl.recovery.name={method}");
        let result = result_of(&[&CUTS[..], &[&method]].concat(), 1);
        result["ftl"]["mapping"]["misses"].as_u64().unwrap()
    };
    assert_eq!(misses("summaries"), 0);
    assert!(misses("checkpoint") > 0);
}

#[test]
fn what_no_unit_of_the_log_tells_of_is_read_page_by_page() {
    // Fewer units than the log takes to fill its first one.
    let pages = |method: &str| {
        let method = format!("ftl.recovery.name={method}");
        let once = ["power.cut.after=[300]", "ftl.buffer.power_loss_protection=false"];
        total(&result_of(&[&once[..], &[&method]].concat(), 1)["power"], "pages_read")
    };
    assert!(pages("scan") > 50);
    assert_eq!(pages("journal"), pages("scan"));
}
