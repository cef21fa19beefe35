//! Every victim policy with a closed form, driven through its trait, amplifies writes as that form says.
//!
//! The forms hold for very many blocks; with a few thousand, what is left stays below the tolerance of 1 %.

use ftl::gc::victim;
use testkit::choose;
use testkit::oracle;
use testkit::untimed::{Model, ModelShape};

pub const TOLERANCE: f64 = 0.01;

/// Returns the write amplification of the victim policy with `settings`, over `measured` times the usable space in
/// writes, after `warm_up` times as much.
fn amplification(settings: &[&str], shape: ModelShape, warm_up: u64, measured: u64) -> f64 {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let maker = choose::read_from(victim::read, &settings).unwrap_or_else(|error| panic!("{error}"));
    let mut model = Model::new(shape, maker(), 1);
    model.fill();
    let space = u64::from(shape.usable) * u64::from(shape.units);
    model.write_random(warm_up * space);
    model.amplification(measured * space)
}

/// Checks that the write amplification of the policy with `settings` under uniform random writes agrees with
/// `form(alpha, units)`, at several ratios alpha of usable to user space and block sizes.
fn agrees(settings: &[&str], form: impl Fn(f64, u32) -> f64) {
    for (blocks, alpha, units) in [(6000, 1.07, 16), (4000, 1.10, 64), (6000, 1.25, 16), (3000, 1.50, 64)] {
        let shape = ModelShape::uniform(blocks, alpha, units);
        let expected = form(shape.alpha(), units);
        let measured = amplification(settings, shape, 3, 4);
        let deviation = measured / expected - 1.0;
        println!(
            "{settings:?} alpha {alpha} units {units}: {measured:.4}, form {expected:.4}, {deviation:+.4}"
        );
        assert!(
            deviation.abs() < TOLERANCE,
            "{settings:?} at alpha {alpha}, {units} units: measured {measured:.4}, closed form {expected:.4}"
        );
    }
}

#[test]
fn random_victims() {
    agrees(&["name=random"], |alpha, _| oracle::random(alpha));
}

#[test]
fn first_in_first_out() {
    agrees(&["name=fifo"], |alpha, _| oracle::fifo(alpha));
}

#[test]
fn greedy_with_finite_blocks() {
    agrees(&["name=greedy"], oracle::greedy);
}

#[test]
fn the_best_of_d() {
    for d in [2, 5, 10] {
        agrees(&["name=d-choices", &format!("d={d}")], |alpha, units| oracle::d_choices(alpha, units, d));
    }
}

#[test]
fn first_in_first_out_with_hot_and_cold_data() {
    for (alpha, hot_writes, hot_space) in [(1.10, 0.8, 0.2), (1.10, 0.9, 0.05), (1.25, 0.9, 0.1)] {
        let shape = ModelShape { hot_writes, hot_space, ..ModelShape::uniform(4000, alpha, 64) };
        let expected = oracle::fifo_hot_cold(shape.alpha(), hot_writes, hot_space);
        let measured = amplification(&["name=fifo"], shape, 5, 6);
        let deviation = measured / expected - 1.0;
        println!(
            "hot/cold {alpha} {hot_writes} {hot_space}: {measured:.4}, form {expected:.4}, {deviation:+.4}"
        );
        assert!(deviation.abs() < TOLERANCE, "measured {measured:.4}, closed form {expected:.4}");
    }
}

/// Test: write amplification of windowed-greedy lies between that of greedy (all blocks) and of FIFO (the oldest
/// block).
#[test]
fn a_window_lies_between_fifo_and_greedy() {
    let shape = ModelShape::uniform(3000, 1.10, 16);
    let measure = |name: &str| amplification(&[&format!("name={name}")], shape, 3, 4);
    let (fifo, windowed, greedy) = (measure("fifo"), measure("windowed-greedy"), measure("greedy"));
    let slack = 1.0 + TOLERANCE;
    assert!(greedy <= windowed * slack && windowed <= fifo * slack, "{greedy} {windowed} {fifo}");
}
