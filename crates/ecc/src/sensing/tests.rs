use super::page::information;
use super::*;
use nand::cells::distribution::Spread;
use nand::cells::normal::above;
use nand::tables::Spreads;

/// Makes, for the tests, the four normally distributed states of an MLC cell with these standard deviations.
fn mlc(deviations: [f64; 4]) -> Spreads {
    let states: Vec<Spread> = deviations
        .iter()
        .zip([0.0, 1.0, 2.0, 3.0])
        .map(|(deviation, mean)| Spread { mean, deviation: *deviation })
        .collect();
    Spreads::of_normals(&states)
}

/// Makes, for the tests, the lower and the upper page of an MLC: the lower page's bit changes at one boundary, the
/// upper page's at two.
fn pages(deviations: [f64; 4]) -> [Page; 2] {
    let spreads = mlc(deviations);
    let page = |ones: [bool; 4]| Page::new(spreads.clone(), ones.to_vec()).expect("a page");
    [page([true, true, false, false]), page([true, false, false, true])]
}

#[test]
fn a_hard_read_of_gaussian_noise_is_wrong_as_often_as_was_asked() {
    for rate in [0.1f64, 0.01, 1e-4] {
        let page = Page::normal(vec![true, false], rate).expect("a page");
        let zones = sense(&page, &page, 1, Placement::Information).zones;
        assert!((zones.rate() / rate - 1.0).abs() < 1e-3, "{rate}: {}", zones.rate());
        assert!((zones.ratios[0] / ((1.0 - rate) / rate).ln() - 1.0).abs() < 1e-3, "{:?}", zones.ratios);
        assert!((zones.ratios[0] + zones.ratios[1]).abs() < 1e-9, "{:?}", zones.ratios);
    }
}

#[test]
fn flips_tell_what_a_symmetric_channel_does() {
    let zones = Zones::flips(0.11);
    // Shannon's example: half a bit at 0.11.
    assert!((zones.information() - 0.5).abs() < 1e-3, "{}", zones.information());
    assert_eq!((zones.rate(), zones.ratios[0]), (0.11, -zones.ratios[1]));
}

/// Checks fractions of values against ones computed by hand: each boundary of the upper page counts half of a state's
/// cells on either side.
#[test]
fn zones_of_two_boundaries_are_folded_into_one_set_of_values() {
    let [lower, upper] = pages([0.2; 4]);
    let zones = |page: &Page| sense(page, page, 1, Placement::Even).zones;
    let tail = above(0.5 / 0.2);
    // One boundary of two states on either side of which one errs; two of them, of which each state errs at one.
    assert!((zones(&lower).rate() / (tail / 2.0) - 1.0).abs() < 0.01, "{}", zones(&lower).rate());
    assert!((zones(&upper).rate() / tail - 1.0).abs() < 0.01, "{}", zones(&upper).rate());
    for page in [&lower, &upper] {
        for soft_bits in 1..=SOFT_BITS_MOST {
            let zones = sense(page, page, soft_bits, Placement::Information).zones;
            assert_eq!(zones.ratios.len(), 1 << soft_bits);
            for shares in &zones.shares {
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{shares:?}");
            }
            assert!(zones.ratios.windows(2).all(|pair| pair[0] > pair[1]), "{:?}", zones.ratios);
        }
    }
}

#[test]
fn more_soft_bits_and_placement_by_information_tell_more() {
    // States of different widths, as lost charge leaves them: even distances do not fit both sides.
    for page in &pages([0.3, 0.22, 0.25, 0.15]) {
        let told = |soft_bits, placement| sense(page, page, soft_bits, placement).zones.information();
        for soft_bits in 1..=SOFT_BITS_MOST {
            let [most, even, ratio] = [Placement::Information, Placement::Even, Placement::Ratio]
                .map(|placement| told(soft_bits, placement));
            assert!(most >= even && most >= ratio, "{soft_bits}: {most} {even} {ratio}");
        }
        let by_bits = [1, 2, 3].map(|soft_bits| told(soft_bits, Placement::Information));
        assert!(by_bits[0] < by_bits[1] && by_bits[1] < by_bits[2], "{by_bits:?}");
        // No more than what the voltage itself tells.
        let fine: Vec<usize> = (0..page.spreads().references()).collect();
        let every = |boundary: &usize| {
            let (low, high) = (page.spreads().middle(*boundary), page.spreads().middle(boundary + 1));
            fine[low..high.min(fine.len())].to_vec()
        };
        if page.boundaries().len() == 1 {
            let mut all = every(&page.boundaries()[0]);
            all.truncate(all.len() - (all.len() + 1) % 2);
            assert!(information(&page.shares(&[all])) > by_bits[2]);
        }
    }
}

/// Checks that references and log-likelihood ratios are right for the page that the controller assumes: on a page with
/// other distributions, they misread more bits and give less information.
#[test]
fn a_controller_that_holds_a_page_for_another_is_told_less() {
    let page = |means: [f64; 4]| {
        let states = means.map(|mean| Spread { mean, deviation: 0.2 });
        Page::new(Spreads::of_normals(&states), vec![true, true, false, false]).expect("a page")
    };
    // Lost charge: the states at the boundary have moved down.
    let (new, old) = (page([0.0, 1.0, 2.0, 3.0]), page([0.0, 0.85, 1.75, 3.0]));
    for soft_bits in 1..=SOFT_BITS_MOST {
        let own = sense(&old, &old, soft_bits, Placement::Information);
        let mistaken = sense(&old, &new, soft_bits, Placement::Information);
        assert!(own.references_v[0][0] < mistaken.references_v[0][0]);
        assert!(own.zones.rate() < mistaken.zones.rate());
        assert!(own.zones.information() > mistaken.zones.information());
        assert_eq!(mistaken.zones.ratios, sense(&new, &new, soft_bits, Placement::Information).zones.ratios);
    }
}

#[test]
fn placements_have_names() {
    for (name, placement) in Placement::ALL {
        assert_eq!(Placement::named(name), Some(placement));
    }
    assert_eq!(Placement::named("odd"), None);
}

/// Checks that Gaussian noise fails as often as itself, and that states with more of their cells in far tails fail more
/// often than Gaussian noise with as many errors.
#[test]
fn noise_fails_as_often_as_itself_and_sure_errors_oftener() {
    for soft_bits in 2..=SOFT_BITS_MOST {
        let noise = Noise::new(soft_bits);
        for rate in [1e-4, 3e-3, 0.0143, 0.1] {
            let page = Page::normal(vec![true, false], rate).expect("a page");
            let alike = noise.alike(&sense(&page, &page, soft_bits, Placement::Information).zones);
            assert!((alike / rate - 1.0).abs() < 0.01, "{soft_bits} soft bits, {rate}: {alike}");
        }
        // As many errors, more of them sure ones.
        let told = |wrong: [f64; 2]| {
            let right = 1.0 - wrong[0] - wrong[1] - 0.03;
            let zero = vec![right, 0.03, wrong[0], wrong[1]];
            let one: Vec<f64> = zero.iter().rev().copied().collect();
            Zones::new([zero.clone(), one.clone()], &[zero, one])
        };
        let (weak, sure) = (noise.alike(&told([0.012, 0.002])), noise.alike(&told([0.008, 0.006])));
        assert!(sure > 1.1 * weak, "{soft_bits} soft bits: {weak} {sure}");
    }
}

/// Constant: words counted over pages of other chips, wears and ages than the law's two numbers are fitted to: page, soft
/// bits, words, failures, mean iterations, shares of the values of a zero and of a one, and their ratios.
const COUNTED: &str = include_str!("../../../../benches/ecc_points/others.csv");

/// Checks the chance of failure that density evolution gives a channel against counted words. Hard reads count as told with
/// one ratio, as drives tell them (`flips`).
#[test]
fn words_fail_as_often_as_density_evolution_says() {
    let mut held = 0;
    for line in COUNTED.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [words, failures] = [2, 3].map(|at| cells[at].parse::<f64>().expect("a count"));
        let is_told_so = cells[1] != "1" || cells[0].ends_with("flips");
        if failures < 100.0 || failures > 0.9 * words || !is_told_so {
            continue;
        }
        let list =
            |at: usize| cells[at].split(' ').map(|it| it.parse().expect("a share")).collect::<Vec<f64>>();
        let zones = Zones { shares: [list(5), list(6)], ratios: list(7) };
        let (said, counted) = (above(evolution::distance(&zones)), failures / words);
        let by_chance = ((1.0 - counted) / failures).sqrt();
        let off = (said / counted).ln();
        assert!(off.abs() < 0.03 + 3.0 * by_chance, "{}: {said} for {counted}", cells[0]);
        held += 1;
    }
    assert!(held >= 12, "{held} points");
}

/// Checks that Gaussian noise is worth itself, also far from failing, where its references are moved up until it fails.
#[test]
fn a_page_is_worth_the_noise_that_it_fails_like_near_failing() {
    for soft_bits in 2..=SOFT_BITS_MOST {
        let noise = Noise::new(soft_bits);
        let worth = |rate: f64| noise.of_page(&Page::normal(vec![true, false], rate).expect("a page")) / rate;
        assert!((worth(0.018) - 1.0).abs() < 0.01, "{soft_bits} soft bits: {}", worth(0.018));
        for rate in [0.01, 3e-3, 1e-3] {
            assert!((worth(rate) - 1.0).abs() < 0.03, "{soft_bits} soft bits, {rate}: {}", worth(rate));
        }
    }
}
