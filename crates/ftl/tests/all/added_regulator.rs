//! The worked example of docs/explanation/regulators.md, as it stands there: a regulator added from outside compiles and answers.

use config::{Card, ConfigError, Policy, Section};
use controller::Origin;
use ftl::regulator::{Candidate, CostRegulator, Steps, WriteCost, WriteView};
use units::Nanos;

/// Implementation of the documented example cost regulator `cheap-moves`: relocated data are programmed with the coarse
/// step (fast program, slow reads) while at least `backlog` host operations are at the die.
#[derive(Clone, Debug)]
pub struct CheapMoves {
    backlog: u32,
}

const DEFAULT: usize = 0;
const COARSE: usize = 1;

impl Policy for CheapMoves {
    const CARD: Card = Card {
        name: "cheap-moves",
        rule: "moved data takes the coarse step while at least `backlog` host operations are at the die, \
               all else the default one",
        paper: "the worked example of docs/explanation/regulators.md",
        not_modelled: "how often moved data is read",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self {
            backlog: section.or("backlog", 1u32, "host operations at the die that make a move cheap")?,
        })
    }
}

impl CostRegulator for CheapMoves {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.medium(), steps.low()]
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        let moved = view.origin != Origin::Host;
        if moved && view.waiting >= self.backlog { COARSE } else { DEFAULT }
    }
}

#[test]
fn the_documented_example_is_this_one() {
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/explanation/regulators.md"))
            .unwrap();
    let here = include_str!("added_regulator.rs");
    let (from, to) = ("impl CostRegulator for CheapMoves", "\n}\n");
    let cut = |text: &str| {
        let start = text.find(from).expect("the example");
        let end = text[start..].find(to).expect("its end");
        text[start..start + end].to_owned()
    };
    assert_eq!(cut(&docs), cut(here));
}

#[test]
fn it_answers_by_its_rule() {
    let mut policy = CheapMoves::read(&mut Section::root(&config::Document::empty())).unwrap();
    let costs = [Candidate { t_prog: Nanos::new(1000), references: 3, feasible: true }; 2];
    let mut choose = |origin, waiting| {
        let view = WriteView {
            origin,
            first: false,
            previous: None,
            age: None,
            waiting,
            gap: None,
            quiet: Nanos::ZERO,
            costs: &costs,
        };
        policy.choose(&view, &mut 0)
    };
    assert_eq!([choose(Origin::Gc, 1), choose(Origin::Gc, 0), choose(Origin::Host, 5)], [1, 0, 0]);
}
