//! Hot units apart from cold ones, by how often the host wrote them.

use super::{Notes, StreamPolicy, StreamSpec, Takes, UnitView};
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the stream policy `hot-cold`: a unit that the host wrote more than `factor` times as often as the
/// mean of all written units joins the hot write stream, other host units the cold one, and relocated units a third.
#[derive(Clone, Debug)]
pub struct HotCold {
    factor: f64,
}

/// Constant: index of the write stream for units that the host writes often (stream policy `hot-cold`).
const HOT: usize = 0;
/// Constant: index of the write stream for units that the host writes seldom (stream policy `hot-cold`).
const COLD: usize = 1;
/// Constant: index of the write stream for relocated units (stream policy `hot-cold`).
const MOVED: usize = 2;

impl Policy for HotCold {
    const CARD: Card = Card {
        name: "hot-cold",
        rule: "the host's unit joins the hot stream if the host wrote it more than `factor` times as often as the mean of the \
               units it wrote, else the cold stream; what is moved joins a stream of its own; counts are halved whenever \
               their mean reaches 16",
        paper: "hot and cold data by update count, as in Chang and Kuo, RTAS 2002, in its simplest form",
        not_modelled: "what counting costs the drive",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let factor = section.unit("ratio").within(at_least(0.0)).or(
            "factor",
            1.5,
            "how many times as often a hot unit is written as the mean of all that were written",
        )?;
        Ok(Self { factor })
    }
}

impl StreamPolicy for HotCold {
    fn streams(&self) -> Vec<StreamSpec> {
        vec![
            StreamSpec::new("hot", Takes::Host),
            StreamSpec::new("cold", Takes::Host),
            StreamSpec::new("moved", Takes::Moved),
        ]
    }

    fn notes(&self) -> Notes {
        Notes { writes: true, times: false }
    }

    fn join(&mut self, unit: &UnitView) -> usize {
        if unit.moved {
            MOVED
        } else if f64::from(unit.writes) > self.factor * unit.writes_mean {
            HOT
        } else {
            COLD
        }
    }
}
