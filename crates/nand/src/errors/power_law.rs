//! A power law of wear, age and reads, fitted to a part by Kim, Choi and Min; times a power of the program step.

use super::{Condition, ErrorModel};
use crate::cells::arrhenius;
use config::{Card, ConfigError, Policy, Section, at_least};

const SECONDS_OF_A_DAY: f64 = 86_400.0;
/// Constant: greatest raw bit error rate that the power law gives, one half: the rate of random bits.
const WORST: f64 = 0.5;

/// Model of raw bit errors by a power law: `RBER = (floor + alpha c^k + beta c^m t^n + gamma c^p r^q) (step /
/// usual)^s`, at most one half. c: program/erase cycles of the block; t: days since the write at the reference
/// temperature; r: reads of the block divided by its pages; step / usual: program step with which the page was written,
/// relative to the default step.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    floor: f64,
    wear: [f64; 2],
    retention: [f64; 3],
    disturb: [f64; 3],
    block_pages: f64,
    step_exponent: f64,
    acceleration: f64,
}

impl Policy for PowerLaw {
    const CARD: Card = Card {
        name: "power-law",
        rule: "(floor + alpha c^k + beta c^m t^n + gamma c^p r^q) times (program step / usual step)^step_exponent, for \
               c program/erase cycles, t days and r reads of each of `block_pages` pages; at most one half",
        paper: "Kim, Choi and Min, FAST 2019, with their coefficients of a 72-layer TLC part; the power of the step is \
                assumed: the width a step leaves adds to a state's spread as its square",
        not_modelled: "page types, layers, data; the unit of t is days by assumption (a simulator that quotes the \
                       coefficients uses hours, which gives 2.4 % errors after a year at 1000 cycles)",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let mut positive = |key: &str, usual: f64, help: &'static str| {
            // Coefficients of a fit: of no unit but what makes the sum a ratio.
            section.unit("coefficient").within(at_least(0.0).below(1e6)).or(key, usual, help)
        };
        let law = Self {
            floor: positive("floor", 1.48e-3, "errors of a fresh page")?,
            wear: [positive("alpha", 3.90e-10, "factor of wear")?, positive("k", 2.05, "power of wear")?],
            retention: [
                positive("beta", 6.28e-5, "factor of age")?,
                positive("m", 0.14, "power of wear in what age does")?,
                positive("n", 0.54, "power of age in days")?,
            ],
            disturb: [
                positive("gamma", 3.73e-9, "factor of reads")?,
                positive("p", 0.33, "power of wear in what reads do")?,
                positive("q", 1.71, "power of reads")?,
            ],
            block_pages: positive("block_pages", 256.0, "pages that the reads of a block are spread over")?
                .max(1.0),
            step_exponent: positive("step_exponent", 2.0, "power of the program step")?,
            acceleration: 1.0,
        };
        let reference = section.unit("degrees Celsius").within(at_least(-60.0).at_most(200.0)).or(
            "reference_celsius",
            40.0,
            "temperature that the law's ages are of",
        )?;
        let celsius = section.unit("degrees Celsius").within(at_least(-60.0).at_most(200.0)).or(
            "celsius",
            40.0,
            "temperature of the drive",
        )?;
        let help = "activation energy of charge loss";
        let activation =
            section.unit("eV").within(at_least(0.0).at_most(3.0)).or("activation_ev", 1.1, help)?;
        Ok(Self { acceleration: arrhenius(activation, celsius, reference), ..law })
    }
}

impl ErrorModel for PowerLaw {
    fn rber(&self, _page_type: usize, condition: &Condition) -> f64 {
        let Condition { step, pe_cycles, seconds, reads, .. } = *condition;
        let (cycles, reads) = (f64::from(pe_cycles), f64::from(reads) / self.block_pages);
        let days = seconds * self.acceleration / SECONDS_OF_A_DAY;
        let [alpha, k] = self.wear;
        let [beta, m, n] = self.retention;
        let [gamma, p, q] = self.disturb;
        let rate = self.floor
            + alpha * libm::pow(cycles, k)
            + beta * libm::pow(cycles, m) * libm::pow(days, n)
            + gamma * libm::pow(cycles, p) * libm::pow(reads, q);
        (rate * libm::pow(step, self.step_exponent)).min(WORST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Document;

    fn law(settings: &[&str]) -> PowerLaw {
        let mut document = Document::empty();
        for setting in settings {
            document.set(setting).expect("a setting");
        }
        PowerLaw::read(&mut Section::root(&document)).expect("a law")
    }

    const YEAR: Condition =
        Condition { step: 1.0, voltages: 0, pe_cycles: 1000, seconds: 365.0 * 86_400.0, reads: 0 };

    #[test]
    fn a_year_at_a_thousand_cycles_is_six_errors_in_a_thousand_bits() {
        let rate = law(&[]).rber(0, &YEAR);
        assert!((rate - 6.0e-3).abs() < 0.1e-3, "{rate}");
    }

    #[test]
    fn a_coarser_step_heat_and_reads_make_it_worse() {
        let usual = law(&[]).rber(0, &YEAR);
        let coarse = law(&[]).rber(0, &Condition { step: 2.0, ..YEAR });
        assert!((coarse / usual - 4.0).abs() < 1e-9, "{coarse}");
        assert!(law(&["celsius=55.0"]).rber(0, &YEAR) > 1.5 * usual);
        assert!(law(&[]).rber(0, &Condition { reads: 100_000, ..YEAR }) > usual);
        assert_eq!(law(&[]).rber(0, &Condition { step: 1e3, ..YEAR }), 0.5);
    }
}
