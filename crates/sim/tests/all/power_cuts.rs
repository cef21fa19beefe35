//! The power fails in the middle of a run: what was durable is there afterwards, with any operations in flight. The checker keeps
//! an account of its own of what was promised, and looks at every unit after every cut. Random drives: `swarm`.

use crate::common::bench::Bench;
use crate::common::{LAPSES, SMALL, TLC, closed_loop, closed_loop_forced, drive, run};
use engine::RandomStream;
use host::fio::Variables;
use host::{Op, Workload};
use serde_json::Value;
use sim::{PreconditionKind, RunOptions, Session, WorkloadSpec};

const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";
const PROTECTED: &str = "ftl.buffer.power_loss_protection=true";
const CUTS: [&str; 2] = ["power.cut.drawn=6", "power.cut.within=3000"];

/// Makes a test workload of writes (some of parts of units, some FUA), reads, trims and flushes over the first `units`
/// units.
pub fn mixed(requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "mixed");
    closed_loop_forced(requests, 16, 7, move |index| match index % 20 {
        0 => (Op::FLUSH, 0, 0),
        1 | 2 => (Op::TRIM, random.below(units) * 4096, 4096),
        3..7 => (Op::READ, random.below(units) * 4096, 4096),
        _ => (Op::WRITE, random.below(units) * 4096 + 512 * random.below(3), 4096),
    })
}

fn checked(base: &[&str], settings: &[&str], workload: Box<dyn Workload>, seed: u64) -> Value {
    let options = RunOptions { check: true, seed, ..RunOptions::default() };
    let result = run(drive(&[base, settings].concat()), workload, options).1;
    result["power"].clone()
}

/// Returns the sum, over all power cuts of a result, of the number `key`.
pub fn total(power: &Value, key: &str) -> u64 {
    power["cuts"].as_array().unwrap().iter().map(|cut| cut[key].as_u64().unwrap_or(0)).sum()
}

#[test]
fn what_was_durable_is_there_after_every_cut() {
    let (mut torn, mut half_erased, mut lost) = (0, 0, 0);
    for seed in 0..12 {
        let power = checked(SMALL, &[&CUTS[..], &[UNPROTECTED]].concat(), mixed(4_000, 300, seed), seed);
        assert_eq!(power["cuts"].as_array().unwrap().len(), 6, "{power}");
        torn += total(&power, "torn_rows");
        half_erased += total(&power, "half_erased_superblocks");
        lost += total(&power, "units_lost_in_buffer");
    }
    // All that a cut can destroy was destroyed, or this would try nothing.
    assert!(
        torn > 20 && lost > 50,
        "{torn} torn rows, {half_erased} half-erased superblocks, {lost} units lost"
    );
}

#[test]
fn capacitors_write_the_buffer_out() {
    let mut held = 0;
    for seed in 0..4 {
        let power = checked(SMALL, &[&CUTS[..], &[PROTECTED]].concat(), mixed(4_000, 300, seed), seed);
        assert_eq!(total(&power, "units_lost_in_buffer"), 0, "{power}");
        held += total(&power, "hold_up_ns");
    }
    assert!(held > 0);
}

/// Checks that units which the capacitors have no time to program are lost, fewer with a longer hold-up time, and that
/// a drive with such capacitors promises only data on flash.
#[test]
fn capacitors_with_a_limit_promise_no_more_than_is_on_flash() {
    let lost = |hold_up: &str| -> [u64; 2] {
        let sums = (0..4).map(|seed| {
            let limited = [PROTECTED, hold_up];
            let power = checked(SMALL, &[&CUTS[..], &limited].concat(), mixed(4_000, 300, seed), seed);
            ["units_lost_in_buffer", "hold_up_ns"].map(|name| total(&power, name))
        });
        sums.fold([0, 0], |[lost, held], [more, longer]| [lost + more, held + longer])
    };
    let [none, some, all] = ["power.hold_up=1us", "power.hold_up=300us", "power.hold_up=1s"].map(lost);
    assert!(none[0] > some[0] && some[0] > all[0], "{none:?} {some:?} {all:?}");
    assert!(all[0] == 0 && none[1] < some[1] && some[1] < all[1], "{none:?} {some:?} {all:?}");
}

#[test]
fn a_flush_waits_where_capacitors_have_a_limit() {
    let took = |more: &[&str]| {
        let settings = [SMALL, more].concat();
        let load = closed_loop(20, 1, |number| match number % 2 {
            0 => (Op::WRITE, number * 4096, 4096),
            _ => (Op::FLUSH, 0, 0),
        });
        let (_, result) = run(drive(&settings), load, RunOptions { check: true, ..RunOptions::default() });
        result["host"]["flush"]["latency_ns"]["mean"].as_f64().expect("flushes were answered")
    };
    let (free, limited, volatile) =
        (took(&[PROTECTED]), took(&[PROTECTED, "power.hold_up=1s"]), took(&[UNPROTECTED]));
    assert!(limited == volatile && free < volatile, "{free} {limited} {volatile}");
}

#[test]
fn what_was_at_risk_until_a_cut_is_counted() {
    let settings = [SMALL, &[UNPROTECTED, CUTS[0]]].concat();
    let mut bench = Bench::new(&settings);
    assert!(bench.write(0));
    bench.pass_until(50_000);
    bench.cut(drive(&settings).build(1).expect("a drive"));
    assert_eq!(bench.ftl.stats().risk_unit_ns, 50_000, "one unit in the buffer, and its program in flight");
}

#[test]
fn the_state_of_a_drive_whose_power_fails_has_a_number_for_each_unit() {
    let bytes = |more: &[&str]| {
        let ftl = drive(&[SMALL, &[UNPROTECTED], more].concat()).build(1).expect("a drive");
        (ftl.state_bytes(), ftl.layout().physical_units())
    };
    let ((without, units), (with, _)) = (bytes(&[]), bytes(&CUTS));
    let more = with - without;
    // Those in the buffer, too.
    assert!(more > 8 * units && more < 9 * units, "{more} bytes, {units} units");
}

#[test]
fn an_interrupted_program_takes_the_pages_of_its_wordline_along() {
    let pages = ["nand.cell=mlc", "nand.program=page", UNPROTECTED];
    let one_shot = ["nand.cell=mlc", "nand.program=one-shot", UNPROTECTED];
    let paired = |settings: &[&str]| -> u64 {
        let of = |seed| checked(SMALL, &[&CUTS[..], settings].concat(), mixed(4_000, 300, seed), seed);
        (0..6).map(|seed| total(&of(seed), "paired_rows_lost")).sum()
    };
    assert!(paired(&pages) > 0, "pages of a wordline that are programmed one after the other");
    assert_eq!(paired(&one_shot), 0, "pages of a wordline that are programmed at once");
}

#[test]
fn a_cut_while_the_drive_looks_for_its_map_changes_nothing() {
    // The second cut comes while the first is recovered from, the third while the second is.
    let cuts = ["power.cut.at=[\"30ms\", \"30100us\", \"30200us\"]", "power.off=0ns", UNPROTECTED];
    for seed in 0..4 {
        let power = checked(SMALL, &cuts, mixed(4_000, 300, seed), seed);
        let cuts = power["cuts"].as_array().unwrap();
        assert_eq!(cuts.len(), 3, "{power}");
        assert!(cuts[0]["ready_ns"].is_null() && cuts[1]["ready_ns"].is_null(), "{power}");
        assert!(cuts[2]["ready_ns"].as_u64().unwrap() > 0, "{power}");
        assert_eq!(cuts[0]["units_found"], cuts[2]["units_found"], "{power}");
        assert_eq!(
            (total(&power, "torn_rows"), &cuts[1]["requests_lost"]),
            (cuts[0]["torn_rows"].as_u64().unwrap(), &0.into())
        );
    }
}

#[test]
fn what_an_interrupted_erase_left_is_not_found_by_a_second_recovery() {
    // Erases take most of the time, and the second cut comes before what the first left half erased is erased again.
    let settings = ["nand.t_bers=40ms", "power.off=0ns", "ftl.op_ratio=0.15", UNPROTECTED];
    let mut half_erased = 0;
    for seed in 0..24 {
        let first = 14_000 + 37 * seed;
        let cuts = format!("power.cut.after=[{first}, {}, {}]", first + 1, first + 2);
        let power = checked(SMALL, &[&settings[..], &[&cuts]].concat(), mixed(14_000, 6_000, seed), seed);
        half_erased += total(&power, "half_erased_superblocks");
    }
    assert!(half_erased > 6, "{half_erased}");
}

#[test]
fn an_slc_cache_is_found_as_it_was() {
    let slc =
        ["nand.slc_mode.t_r=20us", "nand.slc_mode.t_prog=100us", "ftl.slc_cache.name=static", UNPROTECTED];
    let slc =
        [&slc[..], &["ftl.slc_cache.size=2MiB", "ftl.slc_cache.idle_after=0ns", "ftl.op_ratio=0.8"], &CUTS]
            .concat();
    for seed in 0..6 {
        let power = checked(TLC, &slc, mixed(4_000, 300, seed), seed);
        assert_eq!(power["cuts"].as_array().unwrap().len(), 6, "{power}");
    }
}

#[test]
fn an_erase_that_ended_unheard_wears_as_the_cells_that_it_erased() {
    // Nothing but the SLC cache is ever erased, and its erases wear nothing that could be counted. That they ended is
    // heard long after.
    let slc = ["ftl.slc_cache.name=static", "ftl.slc_cache.size=1MiB", "ftl.slc_cache.when_full=fold-first"];
    let wearless = ["nand.slc_mode.erases_per_cycle=1000000000", "nand.blocks_per_plane=256", UNPROTECTED];
    let cuts = ["power.cut.drawn=20", "power.cut.within=12000", "bus.cycles_status=100000"];
    for seed in 0..8 {
        let settings = [&slc[..], &wearless, &cuts].concat();
        let options = RunOptions { check: true, seed, ..RunOptions::default() };
        let result = run(drive(&[TLC, &settings].concat()), mixed(8_000, 300, seed), options).1;
        assert!(result["wear"]["blocks_erased"].as_u64().unwrap() > 500, "{}", result["wear"]);
        assert_eq!(result["wear"]["pe_cycles_max"], 0, "{}", result["wear"]);
    }
}

#[test]
fn summaries_are_read_instead_of_the_superblocks_that_they_end() {
    let after = |method: &str| {
        let recovery = format!("ftl.recovery.name={method}");
        let settings = [recovery.as_str(), "power.cut.after=[9000]", UNPROTECTED];
        checked(SMALL, &settings, mixed(12_000, 6_000, 1), 1)
    };
    let (scan, summaries) = (after("scan"), after("summaries"));
    let read = |power: &Value| (total(power, "pages_read"), total(power, "ready_ns"));
    let ((pages, ns), (fewer, sooner)) = (read(&scan), read(&summaries));
    // A superblock of 32 pages ends with a summary of one.
    assert!(fewer * 8 < pages && sooner * 4 < ns, "{fewer} of {pages} pages, {sooner} of {ns} ns");
}

#[test]
fn a_checkpoint_is_read_instead_of_the_summaries_of_what_it_covers() {
    let after = |settings: &[&str]| {
        let cut = ["power.cut.after=[9000]", "nand.blocks_per_plane=256", UNPROTECTED];
        total(&checked(SMALL, &[&cut, settings].concat(), mixed(12_000, 6_000, 1), 1), "pages_read")
    };
    let of_summaries = after(&["ftl.recovery.name=summaries"]);
    let checkpoint = ["ftl.recovery.name=checkpoint", "ftl.recovery.write_budget=0.2"];
    let birrell = ["ftl.mapping.name=birrell", "ftl.mapping.checkpoint_every=32"];
    for settings in [checkpoint, birrell] {
        let pages = after(&settings);
        assert!(pages < of_summaries, "{settings:?}: {pages} of {of_summaries} pages");
    }
    // A checkpoint that never comes is one of nothing.
    let pages = after(&["ftl.mapping.name=birrell", "ftl.mapping.checkpoint_every=100000"]);
    assert!(pages >= of_summaries, "{pages} of {of_summaries} pages");
}

#[test]
fn a_checkpointed_map_is_found_again_after_every_cut() {
    for seed in 0..12 {
        let kinds = [
            ["ftl.recovery.name=checkpoint", "ftl.recovery.write_budget=0.5"],
            ["ftl.mapping.name=birrell", "ftl.mapping.checkpoint_every=2"],
        ];
        for kind in kinds {
            let settings = [&CUTS[..], &[UNPROTECTED], &kind].concat();
            let power = checked(SMALL, &settings, mixed(4_000, 300, seed), seed);
            assert_eq!(power["cuts"].as_array().unwrap().len(), 6, "{power}");
        }
    }
}

#[test]
fn a_run_says_which_cuts_it_did_not_get_to() {
    let settings = ["power.cut.at=[\"1ms\", \"100s\"]", "power.cut.after=[1000000]", UNPROTECTED];
    let power = checked(SMALL, &settings, mixed(500, 300, 1), 1);
    assert_eq!((power["cuts"].as_array().unwrap().len(), &power["cuts_left"]), (1, &2.into()), "{power}");
    assert_eq!(power["cuts"][0]["at_ns"], 1_000_000);
}

#[test]
fn a_run_with_cuts_gives_the_same_bytes_again() {
    let result =
        || checked(SMALL, &[&CUTS[..], &[UNPROTECTED]].concat(), mixed(4_000, 300, 3), 3).to_string();
    assert_eq!(result(), result());
}

const DETERMINISTIC: &str = "ftl.trim=deterministic";

#[test]
fn what_was_trimmed_before_a_flush_is_gone_after_every_cut() {
    let kinds: [&[&str]; 5] = [
        &["ftl.recovery.name=scan"],
        &["ftl.recovery.name=summaries"],
        &["ftl.recovery.name=checkpoint", "ftl.recovery.write_budget=0.2"],
        &["ftl.mapping.name=birrell", "ftl.mapping.checkpoint_every=2"],
        &["ftl.buffer.power_loss_protection=true"],
    ];
    for kind in kinds {
        let mut own = 0;
        for seed in 0..6 {
            let settings = [&CUTS[..], &[UNPROTECTED, DETERMINISTIC], kind].concat();
            let options = RunOptions { check: true, seed, ..RunOptions::default() };
            let result = run(drive(&[SMALL, &settings].concat()), mixed(4_000, 300, seed), options).1;
            assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{kind:?}");
            own += result["flash"]["units_programmed"]["map"].as_u64().unwrap();
        }
        assert!(own > 0, "{kind:?}: no record was ever written");
    }
}

/// Checks that records of durable trims survive power cuts after the superblocks that hold them were collected many
/// times; the trimmed units are never written again.
#[test]
fn records_of_trims_outlive_the_superblocks_that_they_are_in() {
    for seed in 0..6 {
        let mut random = RandomStream::new(seed, "trimmed early");
        let workload = closed_loop_forced(24_000, 16, 0, move |index| match index {
            0..4_000 => (Op::WRITE, index * 4096, 4096),
            4_000..4_200 => (Op::TRIM, (index - 4_000) * 8192, 4096),
            _ if index % 200 == 0 => (Op::FLUSH, 0, 0),
            _ => (Op::WRITE, (1_000 + random.below(3_000)) * 4096, 4096),
        });
        let cuts = ["power.cut.after=[9000, 20000, 30000, 40000]", UNPROTECTED, DETERMINISTIC];
        let power = checked(SMALL, &cuts, workload, seed);
        assert!(power["cuts"].as_array().unwrap().len() > 2, "{power}");
    }
}

/// Returns the panic message of a run that breaks an invariant; `None` if the run ends well.
fn broken(run: impl FnOnce() -> Value + std::panic::UnwindSafe) -> Option<String> {
    std::panic::catch_unwind(run).err().map(|cause| *cause.downcast::<String>().expect("a message"))
}

/// Checks that the message `broken` names the power cut, the logical unit and the text `said` that is expected for this
/// lapse (deliberate fault of the layer).
fn assert_told(lapse: &str, said: &str, broken: &str) {
    for part in ["power cut", "Lpn ", said] {
        assert!(broken.contains(part), "{lapse}: {part} is not in: {broken}");
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "releases have no layers that are wrong on purpose")]
fn every_lapse_is_noticed() {
    for (lapse, said) in LAPSES {
        let wrong = format!("ftl.lapse={lapse}");
        let settings = [&CUTS[..], &[UNPROTECTED, DETERMINISTIC, &wrong]].concat();
        let found =
            (0..12).find_map(|seed| broken(|| checked(SMALL, &settings, mixed(4_000, 300, seed), seed)));
        assert_told(lapse, said, &found.unwrap_or_else(|| panic!("{lapse} is not noticed")));
    }
}

/// Checks that each lapse (deliberate fault of the layer) is noticed under hosts such as `floatgate torture` draws.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "releases have no layers that are wrong on purpose")]
fn every_lapse_is_noticed_under_the_hosts_of_torture() {
    let rest = "bs=4k\niodepth=16\nsize=5%\nnumber_ios=4000\nio_size=16g\nfsync=7\n";
    let trims = "[trims]\nrw=randtrim\nbs=4k\nsize=30%\nnumber_ios=1000\n";
    let host =
        |seed| format!("[host]\nrw={}\n{rest}{trims}", ["randwrite", "randtrimwrite"][seed as usize % 2]);
    for (lapse, said) in LAPSES {
        let wrong = format!("ftl.lapse={lapse}");
        let run = |seed| {
            let settings = [&CUTS[..], &[UNPROTECTED, DETERMINISTIC, &wrong]].concat();
            let precondition = PreconditionKind::Fill;
            let options = RunOptions { check: true, seed, precondition, ..RunOptions::default() };
            let (name, text) = ("torture".to_owned(), host(seed));
            let host = WorkloadSpec::FioText { name, text, variables: Variables::default() };
            let mut session = Session::new(drive(&[SMALL, &settings].concat()), &host, options).unwrap();
            session.finish().and_then(|()| session.result()).unwrap()
        };
        let found = (0..12).find_map(|seed| broken(|| run(seed)));
        assert_told(lapse, said, &found.unwrap_or_else(|| panic!("{lapse} is not noticed")));
    }
}
