//! Do the pictures show what the equations and the standards say, and what runs charge?

use bus::waveform::{Level, Mark, MarkKind, WaveEdge, WaveOperation, Waveform, draw};
use bus::{Bus, Support};
use config::{ConfigError, Document, Section};
use units::{Bytes, Nanos};

/// Constant of a test: list of NAND flash interfaces whose waveforms are checked, each with an ONFI timing mode; `None`
/// for interfaces without modes.
const ALL: [(&str, Option<u32>); 20] = [
    ("conv", None),
    ("sync-only", None),
    ("proposed", None),
    ("sdr", Some(0)),
    ("sdr", Some(1)),
    ("sdr", Some(2)),
    ("sdr", Some(3)),
    ("sdr", Some(4)),
    ("sdr", Some(5)),
    ("nv-ddr", Some(0)),
    ("nv-ddr", Some(1)),
    ("nv-ddr", Some(2)),
    ("nv-ddr", Some(3)),
    ("nv-ddr", Some(4)),
    ("nv-ddr", Some(5)),
    ("nv-ddr2", Some(0)),
    ("nv-ddr2", Some(10)),
    ("nv-ddr3", Some(12)),
    ("nv-ddr3", Some(19)),
    ("nv-lpddr4", Some(19)),
];

fn document(name: &str, mode: Option<u32>, more: &[&str]) -> Document {
    let mut document = Document::empty();
    let mut set = |text: &str| document.set(text).expect("an assignment");
    set(&format!("bus.interface.name={name}"));
    if let Some(mode) = mode {
        set(&format!("bus.interface.mode={mode}"));
    }
    more.iter().for_each(|text| set(text));
    document
}

fn try_draw(
    name: &str,
    mode: Option<u32>,
    operation: WaveOperation,
    more: &[&str],
) -> Result<Waveform, ConfigError> {
    draw(&mut Section::root(&document(name, mode, more)), operation, 8)
}

fn picture(name: &str, mode: Option<u32>, operation: WaveOperation) -> Waveform {
    try_draw(name, mode, operation, &[]).expect("it can be drawn")
}

fn edges<'a>(waveform: &'a Waveform, name: &str) -> &'a [WaveEdge] {
    let signal = waveform.signals.iter().find(|signal| signal.name == name);
    &signal.unwrap_or_else(|| panic!("{} has no {name}", waveform.interface)).edges
}

/// Returns the times, in fs, at which the signal `name` of a waveform falls from high to low within `[from, to)`.
fn falls(waveform: &Waveform, name: &str, (from, to): (u64, u64)) -> Vec<u64> {
    let falling = |pair: &&[WaveEdge]| pair[0].level == Level::High && pair[1].level == Level::Low;
    let all = edges(waveform, name).windows(2).filter(falling).map(|pair| pair[1].at.get());
    all.filter(|at| (from..to).contains(at)).collect()
}

fn phase(waveform: &Waveform, name: &str) -> (u64, u64) {
    let phase = waveform.phases.iter().find(|phase| phase.name == name);
    let phase = phase.unwrap_or_else(|| panic!("{} has no {name}", waveform.interface));
    (phase.from.get(), phase.to.get())
}

fn mark<'a>(waveform: &'a Waveform, name: &str) -> &'a Mark {
    let found = waveform.marks.iter().find(|mark| mark.name == name);
    found.unwrap_or_else(|| panic!("{} has no {name}", waveform.interface))
}

fn ns(mark: &Mark) -> f64 {
    mark.to.as_ns() - mark.from.as_ns()
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 2e-6, "{value} is not {expected}");
}

fn named_bytes(waveform: &Waveform, bus: &str) -> Vec<String> {
    let word = |edge: &WaveEdge| match &edge.level {
        Level::Byte(_, word) => Some(word.clone()),
        _ => None,
    };
    edges(waveform, bus).iter().filter_map(word).collect()
}

#[test]
fn every_operation_of_every_interface_is_in_order_and_complete() {
    for (name, mode) in ALL {
        for (operation, _) in WaveOperation::ALL {
            let waveform = picture(name, mode, operation);
            let shown = format!("{} {}", waveform.interface, operation.name());
            for signal in &waveform.signals {
                assert_eq!(signal.edges[0].at.get(), 0, "{shown}: {}", signal.name);
                assert!(signal.edges.is_sorted_by(|a, b| a.at < b.at), "{shown}: {}", signal.name);
                assert!(signal.edges.last().unwrap().at <= waveform.end, "{shown}: {}", signal.name);
            }
            let joined = waveform.phases.windows(2).all(|pair| pair[0].to == pair[1].from);
            assert!(joined && waveform.phases.last().unwrap().to == waveform.end, "{shown}: phases");
            let bus = waveform.signals.iter().find(|signal| signal.wide).unwrap().name;
            let data: Vec<String> = (0..8).map(|byte| format!("D{byte}")).collect();
            let words = |list: &str| list.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let expected = match operation {
                WaveOperation::Read => [words("00h C1 C2 R1 R2 R3 30h"), data].concat(),
                WaveOperation::Program => [words("80h C1 C2 R1 R2 R3"), data, words("10h")].concat(),
                WaveOperation::Erase => words("60h R1 R2 R3 D0h"),
                WaveOperation::Status => words("70h E0h"),
            };
            let mut seen = named_bytes(&waveform, bus);
            if operation == WaveOperation::Status {
                seen.dedup();
            }
            assert_eq!(seen, expected, "{shown}");
            for mark in &waveform.marks {
                assert!(mark.from < mark.to, "{shown}: {}", mark.name);
                assert!(mark.slack_ns().is_none_or(|slack| slack >= 0.0), "{shown}: {}", mark.name);
            }
        }
    }
}

#[test]
fn strobes_have_the_interface_s_period() {
    let reads = [
        ("conv", None, "REB", 20.0),
        ("sync-only", None, "DVS", 1e3 / 83.0),
        ("proposed", None, "DVS", 1e3 / 83.0),
        ("sdr", Some(2), "RE#", 35.0),
        ("nv-ddr", Some(5), "DQS", 10.0),
        ("nv-ddr2", Some(4), "DQS", 10.0),
        ("nv-ddr3", Some(12), "DQS", 5.0 / 3.0),
    ];
    for (name, mode, strobe, period) in reads {
        let waveform = picture(name, mode, WaveOperation::Read);
        let falls = falls(&waveform, strobe, phase(&waveform, "data out"));
        assert!(falls.len() >= 4, "{name}: {falls:?}");
        for pair in falls.windows(2).take(3) {
            close((pair[1] - pair[0]) as f64 / 1e6, period);
        }
    }
    let waveform = picture("proposed", None, WaveOperation::Program);
    let data = phase(&waveform, "data in");
    let falls = falls(&waveform, "RWEB", (data.0, data.1 + 1));
    assert_eq!(falls.len(), 4, "two bytes in each cycle");
    close((falls[1] - falls[0]) as f64 / 1e6, 1e3 / 83.0);
}

#[test]
fn conv_s_slacks_are_those_of_equations_4_and_6() {
    let waveform = picture("conv", None, WaveOperation::Read);
    close(ns(mark(&waveform, "tOUT")) + ns(mark(&waveform, "tREA")) + ns(mark(&waveform, "tIN")), 29.47);
    close(ns(mark(&waveform, "tD")), 10.0);
    // The clock is at 20 ns, the shortest period is 29.72 / 1.5: what is left counts one and a half times.
    close(mark(&waveform, "tS").slack_ns().unwrap(), 1.5 * 20.0 - 29.72);
    close(mark(&waveform, "tH").slack_ns().unwrap(), 29.47 - 10.0 - 0.02);
    let tight = try_draw("conv", None, WaveOperation::Read, &["bus.interface.alpha=0.49"]).unwrap();
    assert!(tight.marks.iter().all(|mark| mark.slack_ns().is_none_or(|slack| slack >= 0.0)));
}

#[test]
fn the_chip_s_strobe_comes_by_equation_2() {
    for (name, halves) in [("proposed", 2.0), ("sync-only", 1.0)] {
        let waveform = picture(name, None, WaveOperation::Read);
        let length = |name| ns(mark(&waveform, name));
        close(length("tDLL"), length("tIOD") - length("tRWEBD") + length("tIOS"));
        close(length("tIOS"), 0.25 + 4.69);
        close(mark(&waveform, "tIOS").slack_ns().unwrap(), 0.0);
        close(mark(&waveform, "tIOH").slack_ns().unwrap(), 1e3 / 83.0 / halves - (0.25 + 0.02 + 4.69));
        assert_eq!(mark(&waveform, "tIOH").from, waveform.captures[0], "at the first edge of DVS");
        assert_eq!(waveform.captures.len(), 8);
    }
    let given = ["bus.interface.t_ios=2ns", "bus.interface.t_ioh=3ns", "waveform.t_iod=6ns"];
    let waveform = try_draw("proposed", None, WaveOperation::Read, &given).unwrap();
    close(ns(mark(&waveform, "tDLL")), 6.0 - 2.0 + 2.0);
    close(mark(&waveform, "tIOH").slack_ns().unwrap(), 1e3 / 83.0 / 2.0 - 5.0);
}

#[test]
fn onfi_s_relations_are_drawn_as_long_as_they_are() {
    let sdr = picture("sdr", Some(5), WaveOperation::Read);
    close(ns(mark(&sdr, "tREA")), 16.0);
    close(ns(mark(&sdr, "tWB")), 100.0);
    close(ns(mark(&sdr, "tRR")), 20.0);
    let program = picture("sdr", Some(0), WaveOperation::Program);
    close(ns(mark(&program, "tADL")), 400.0);
    close(mark(&program, "tDS").slack_ns().unwrap(), 70.0 - 40.0);
    close(mark(&program, "tDH").slack_ns().unwrap(), 30.0 - 20.0);
    close(ns(mark(&picture("sdr", Some(0), WaveOperation::Status), "tWHR")), 120.0);
    let ddr = picture("nv-ddr", Some(5), WaveOperation::Read);
    close(ns(mark(&ddr, "tDQSQ")), 0.85);
    close(ns(mark(&ddr, "tQH")), 5.0 - 1.0);
    close(ns(mark(&ddr, "tDQSCK")), 5.0);
    let program = picture("nv-ddr", Some(5), WaveOperation::Program);
    close(mark(&program, "tDS").slack_ns().unwrap(), 2.5 - 0.9);
    let late = try_draw("nv-ddr2", Some(7), WaveOperation::Read, &["waveform.t_dqsre=25ns"]).unwrap();
    close(ns(mark(&late, "tDQSRE")), 25.0);
}

#[test]
fn data_stand_still_around_every_capture() {
    for (name, mode) in ALL {
        for operation in [WaveOperation::Read, WaveOperation::Program] {
            let waveform = picture(name, mode, operation);
            assert_eq!(waveform.captures.len(), 8, "{} {}", waveform.interface, operation.name());
            let returned = name == "conv" && operation == WaveOperation::Read;
            let mut bus = waveform.signals.iter().filter(|signal| signal.wide);
            let bus = if returned { bus.next_back() } else { bus.next() }.unwrap();
            for (index, at) in waveform.captures.iter().enumerate() {
                let last = bus.edges.iter().rev().find(|edge| edge.at < *at).unwrap();
                let expected = Level::Byte(index as u8, format!("D{index}"));
                assert_eq!(last.level, expected, "{} {}", waveform.interface, operation.name());
            }
        }
    }
}

#[test]
fn no_byte_of_data_is_taken_for_an_address() {
    // On NV-DDR both latches high mean data.
    for (name, mode) in ALL.into_iter().filter(|(name, _)| *name != "nv-ddr") {
        let waveform = picture(name, mode, WaveOperation::Program);
        for (at, latch) in waveform.captures.iter().flat_map(|at| [(at, "CLE"), (at, "ALE")]) {
            let last = edges(&waveform, latch).iter().rev().find(|edge| edge.at < *at).unwrap();
            assert_eq!(last.level, Level::Low, "{}: {latch} at {} ns", waveform.interface, at.as_ns());
        }
    }
}

/// Returns, for a test, the bus model (as drives use it) of the interface `name` in mode `mode`, with mapping units of
/// `bytes` bytes; the test compares its times with the waveform's.
fn bus(name: &str, mode: Option<u32>, bytes: u64) -> Bus {
    let chip = r#"nand.interfaces=["conv", "sync-only", "proposed", "sdr:5", "nv-ddr:5", "nv-ddr2:10", "nv-ddr3:19", "nv-lpddr4:19"]"#;
    let document = document(name, mode, &[chip, "bus.cycles_status=2"]);
    let mut root = Section::root(&document);
    let mut nand = root.child("nand").unwrap();
    let support = Support::read(&mut nand).unwrap();
    let mut bus = Bus::read(&mut root, &support).unwrap();
    bus.prepare(None, Bytes::new(bytes), Bytes::new(0), 1, 1, 1);
    bus
}

#[test]
fn phases_last_as_long_as_runs_charge() {
    let span = |waveform: &Waveform, to: &str| {
        let femtos = phase(waveform, to).0 - waveform.phases[0].to.get();
        Nanos::new(femtos.div_ceil(1_000_000))
    };
    for (name, mode) in ALL.into_iter().filter(|(name, _)| *name != "nv-ddr") {
        let charged = bus(name, mode, 8);
        let read = picture(name, mode, WaveOperation::Read);
        assert_eq!(span(&read, "tR"), charged.read_command(), "{name}");
        assert_eq!(
            span(&picture(name, mode, WaveOperation::Erase), "tBERS"),
            charged.erase_command(),
            "{name}"
        );
        let program = picture(name, mode, WaveOperation::Program);
        // Runs round the data and the rest up apart.
        let more = charged.data_in().ns() - span(&program, "tPROG").ns();
        assert!(more <= 1, "{name}: {more} ns");
    }
    // On the clock of NV-DDR nothing is sooner than charged.
    for mode in 0..=5 {
        let read = picture("nv-ddr", Some(mode), WaveOperation::Read);
        assert!(span(&read, "tR") >= bus("nv-ddr", Some(mode), 8).read_command(), "mode {mode}");
    }
}

#[test]
fn a_busy_array_is_seen_at_its_true_length() {
    for (operation, key, text, femtos) in [
        (WaveOperation::Read, "tR", "nand.t_r=40us", 40_000_000_000_u64),
        (WaveOperation::Program, "tPROG", "nand.t_prog=600us", 600_000_000_000),
        (WaveOperation::Erase, "tBERS", "nand.t_bers=3ms", 3_000_000_000_000),
    ] {
        for (name, mode) in [("proposed", None), ("nv-ddr", Some(5))] {
            let waveform = try_draw(name, mode, operation, &[text]).unwrap();
            let busy = mark(&waveform, key);
            assert_eq!((busy.kind, busy.to.get() - busy.from.get()), (MarkKind::Wait, femtos));
            let low = edges(&waveform, "R/B#").iter().find(|edge| edge.level == Level::Low).unwrap();
            assert_eq!(low.at, busy.from);
        }
    }
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let error = |name, mode, bytes, more: &[&str]| {
        let document = document(name, mode, more);
        draw(&mut Section::root(&document), WaveOperation::Read, bytes)
            .expect_err("must be refused")
            .to_string()
    };
    let plain = error("plain", None, 8, &["bus.interface.rate=100MB/s"]);
    assert!(plain.contains("no waveform"), "{plain}");
    assert!(error("proposed", None, 3, &[]).contains("even number"));
    assert!(error("conv", None, 0, &[]).contains("at least one byte"));
    let key = error("proposed", None, 8, &["waveform.t_iodd=3ns"]);
    assert!(key.contains("t_iod"), "{key}");
    let slack = error("nv-ddr2", Some(7), 8, &["waveform.t_qh=1ns"]);
    assert!(slack.contains("t_qh"), "{slack}");
    let loop_ = error("proposed", None, 8, &["waveform.t_rwebd=30ns"]);
    assert!(loop_.contains("equation (2)"), "{loop_}");
    let late = document("proposed", None, &["waveform.t_ds=4ns"]);
    let late = draw(&mut Section::root(&late), WaveOperation::Program, 8).expect_err("3.01 ns are there");
    assert!(late.to_string().contains("tDS needs 4.00 ns, slack -0.99 ns"), "{late}");
}
