//! What a chip understands, and what a controller falls back to when the chip is older.

use crate::family::ModeSet;
use config::{ConfigError, Section, meant};

/// Kind of reaction when the chip does not support the interface that the controller offers: refuse the drive, or fall
/// back to an interface that both support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// Case of reaction: the drive is refused if the chip does not support the interface.
    Refused,
    /// Case of reaction: if the chip does not support the interface, controller and chip fall back to the best
    /// interface that both support.
    FallBack,
}

/// Type for the list of the flash interfaces that a chip supports, each with its highest timing mode; the list is
/// `None` when the chip's file has none, so that only the interface `plain`, which needs no support, can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support(Option<Vec<ModeSet>>);

impl Support {
    /// Reads `interfaces` of the chip file, such as `["conv", "nv-ddr2:7"]`, where the number is the highest timing
    /// mode.
    ///
    /// # Errors
    /// When a name or a mode is unknown.
    pub fn read(nand: &mut Section) -> Result<Self, ConfigError> {
        let help = "interfaces the chip knows, each with its highest mode: \"nv-ddr2:7\"";
        let Some(texts) = nand.optional::<Vec<String>>("interfaces", help)? else { return Ok(Self(None)) };
        let parsed = texts.iter().map(|text| parse(text).map_err(|why| nand.reject("interfaces", &why)));
        parsed.collect::<Result<_, _>>().map(|sets| Self(Some(sets)))
    }

    fn known(&self, family: &str) -> Option<ModeSet> {
        self.0.as_ref()?.iter().find(|set| set.family.name == family).copied()
    }

    /// Returns the interfaces that the chip supports as text for error messages.
    fn shown(&self) -> String {
        let show = |set: &ModeSet| match set.family.highest {
            None => set.family.name.to_owned(),
            Some(_) => format!("{} up to mode {}", set.family.name, set.mode),
        };
        self.0.iter().flatten().map(show).collect::<Vec<_>>().join(", ")
    }

    /// Returns the interface to use when the controller offers `wanted`: `wanted` itself, or, if `unknown` allows to
    /// fall back, the best interface that both support.
    ///
    /// # Errors
    /// When there is none; the text names the interfaces that the chip supports.
    pub(crate) fn negotiate(&self, wanted: ModeSet, unknown: Unknown) -> Result<ModeSet, String> {
        let lacking = |what: String| format!("{what}; the chip knows {}", self.shown());
        if self.0.is_none() {
            let name = wanted.family.name;
            return Err(format!(
                "expected a chip that lists {name:?} under `interfaces`; this one lists none"
            ));
        }
        match self.known(wanted.family.name).map(|set| set.mode) {
            Some(mode) if wanted.mode <= mode => return Ok(wanted),
            Some(mode) if unknown == Unknown::FallBack => return Ok(ModeSet { mode, ..wanted }),
            Some(mode) => {
                let over = wanted.mode - mode;
                return Err(lacking(format!(
                    "mode {} is {over} above the chip's highest, {mode}",
                    wanted.mode
                )));
            }
            None if unknown == Unknown::Refused => {
                return Err(lacking(
                    "not among the chip's interfaces (bus.fall_back = true lets both agree)".into(),
                ));
            }
            None => {}
        }
        let found = wanted.family.older.iter().find_map(|family| self.known(family));
        found.ok_or_else(|| lacking("there is nothing both know".into()))
    }
}

fn parse(text: &str) -> Result<ModeSet, String> {
    let (name, mode) = text.split_once(':').map_or((text, None), |(name, mode)| (name, Some(mode)));
    let families = crate::interface::families();
    let names = families.iter().map(|family| family.name);
    let Some(&family) = families.iter().find(|family| family.name == name) else {
        let hint = meant(name, names.clone()).map_or(String::new(), |meant| format!("; {meant}"));
        return Err(format!("{name:?}: expected one of {}{hint}", names.collect::<Vec<_>>().join(", ")));
    };
    match (mode, family.highest) {
        (None, None) => Ok(ModeSet { family, mode: 0 }),
        (None, Some(_)) => Err(format!("{text:?}: expected its highest mode as well: \"{name}:4\"")),
        (Some(_), None) => Err(format!("{text:?}: {name} has no modes")),
        (Some(mode), Some(highest)) => match mode.parse() {
            Ok(mode) if mode <= highest => Ok(ModeSet { family, mode }),
            _ => Err(format!("{text:?}: expected a mode from 0 to {highest}")),
        },
    }
}
