//! Questions and answers, as the page has them, over the drives of this checkout.

use serde_json::{Value, json};
use web::Lab;

const JOB: &str = "[w]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=8\nrw=randwrite\nnorandommap\nbs=16k\nnumber_ios=3000\n";

/// Makes the simulator of the web page for a test, with the repository's root, where drive files lie, as working
/// directory.
fn lab() -> Lab {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    Lab::default()
}

fn asked(lab: &mut Lab, question: &Value) -> Value {
    serde_json::from_str(&lab.answer(&question.to_string())).unwrap()
}

fn about(kind: &str, set: &[&str]) -> Value {
    json!({
        "ask": kind,
        "drive": "small-tlc",
        "set": set,
        "workload": { "kind": "fio_text", "name": "job", "text": JOB },
        "options": { "seed": 3, "precondition": "instant" },
    })
}

#[test]
fn the_shelf_has_every_drive_with_its_file() {
    let shelf = asked(&mut lab(), &json!({ "ask": "shelf" }));
    let drives = shelf["drives"].as_array().unwrap();
    assert!(drives.len() > 10);
    for drive in drives {
        assert!(drive["text"].as_str().unwrap().contains("title"), "{drive}");
    }
    assert!(shelf["generators"].as_array().unwrap().iter().any(|found| found["name"] == "random-write"));
}

#[test]
fn a_run_in_slices_and_looks_is_the_run_in_one_piece() {
    let mut lab = lab();
    let run = |lab: &mut Lab, events: u64, looks: bool| {
        assert_eq!(
            asked(lab, &about("begin", &["nand.pages_per_block=192", "ftl.op_ratio=0.2"]))["drive"],
            "small-tlc"
        );
        while asked(lab, &json!({ "ask": "advance", "events": events }))["progress"]["done"] == false {
            if looks {
                let seen = asked(lab, &json!({ "ask": "look" }));
                let picture = &seen["picture"];
                assert_eq!(picture["valid"].as_array().unwrap().len(), 160);
                assert!(picture["valid"].as_array().unwrap().iter().all(|share| share.as_u64() <= Some(255)));
            }
        }
        let mut result = asked(lab, &json!({ "ask": "result" }));
        result.as_object_mut().unwrap().remove("engine");
        result
    };
    let whole = run(&mut lab, 1 << 20, false);
    assert_eq!(whole["host"]["completed"]["total"], 3000);
    assert_eq!(whole, run(&mut lab, 500, true));
}

#[test]
fn an_interrupted_run_has_a_result() {
    let mut lab = lab();
    asked(&mut lab, &about("begin", &["nand.pages_per_block=192", "ftl.op_ratio=0.2"]));
    while asked(&mut lab, &json!({ "ask": "advance", "events": 300 }))["progress"]["phase"] != "run" {}
    asked(&mut lab, &json!({ "ask": "interrupt" }));
    assert_eq!(asked(&mut lab, &json!({ "ask": "result" }))["interrupted"], true);
}

#[test]
fn a_size_that_fits_is_named_and_does_fit() {
    let mut lab = lab();
    let large = ["nand.blocks_per_plane=6000", "ftl.op_ratio=0.2"];
    let said = asked(&mut lab, &about("check", &large))["error"].as_str().unwrap().to_owned();
    let (_, fits) = said.rsplit_once("nand.blocks_per_plane = ").unwrap();
    let fits = format!("nand.blocks_per_plane={}", fits.strip_suffix(" fits").unwrap());
    let checked = asked(&mut lab, &about("check", &[&fits, "ftl.op_ratio=0.2"]));
    let bytes = checked["memory_bytes"].as_u64().unwrap();
    assert!(bytes <= 1 << 30 && bytes > 800 << 20, "{checked}");
}

#[test]
fn bad_input_is_one_line_with_its_place() {
    let mut lab = lab();
    let cases = [
        (about("check", &["ftl.gcc.name=greedy"]), "ftl.gcc"),
        (about("check", &["ftl.gc.victim.name=greedi"]), "greedy"),
        (json!({ "ask": "check", "drive": "smal-tlc" }), "small-tlc"),
        (json!({ "ask": "begin", "drive": "small-tlc" }), "no workload"),
        (json!({ "ask": "advance", "events": 1 }), "no run"),
        (json!({ "ask": "look" }), "no run"),
        (json!({ "ask": "sing" }), "sing"),
    ];
    for (question, part) in cases {
        let said = asked(&mut lab, &question)["error"].as_str().unwrap().to_owned();
        assert!(said.contains(part) && !said.contains('\n'), "{question}: {said}");
    }
    let mut job = about("check", &[]);
    job["workload"]["text"] = json!("[w]\nrw=randwrit\n");
    let said = asked(&mut lab, &job)["error"].as_str().unwrap().to_owned();
    assert!(said.contains("job:2") && said.contains("randwrite"), "{said}");
}
