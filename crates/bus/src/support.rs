//! What a chip understands, and what a controller falls back to when the chip is older.

use config::{ConfigError, Section, nearest};

/// A family of interfaces that a chip may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Conventional, asynchronous.
    Conv,
    /// Source-synchronous, single data rate.
    SyncOnly,
    /// Source-synchronous, double data rate, on conventional pins.
    Proposed,
    /// ONFI single data rate.
    Sdr,
    /// ONFI double data rate with a clock.
    NvDdr,
    /// ONFI double data rate, differential strobes, 1.8 V.
    NvDdr2,
    /// The same at 1.2 V.
    NvDdr3,
    /// The same with low-swing terminated drivers.
    NvLpddr4,
}

impl Family {
    const ALL: [(Self, &str); 8] = [
        (Self::Conv, "conv"),
        (Self::SyncOnly, "sync-only"),
        (Self::Proposed, "proposed"),
        (Self::Sdr, "sdr"),
        (Self::NvDdr, "nv-ddr"),
        (Self::NvDdr2, "nv-ddr2"),
        (Self::NvDdr3, "nv-ddr3"),
        (Self::NvLpddr4, "nv-lpddr4"),
    ];

    /// The name used in configuration files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(family, _)| *family == self).expect("every family is named").1
    }

    /// The families to try, in order, when the chip does not know this one: what its pins can still speak.
    fn older(self) -> &'static [Self] {
        match self {
            Self::Conv | Self::Sdr => &[],
            // The proposed controller keeps D_CON and Gen_R for conventional chips (section 4.1 of the paper);
            // its strobe on one edge serves chips of the kind before it.
            Self::Proposed => &[Self::SyncOnly, Self::Conv],
            Self::SyncOnly => &[Self::Conv],
            // Every ONFI part powers up in SDR mode 0.
            Self::NvDdr => &[Self::Sdr],
            Self::NvDdr2 => &[Self::NvDdr, Self::Sdr],
            Self::NvDdr3 => &[Self::NvDdr2, Self::NvDdr, Self::Sdr],
            Self::NvLpddr4 => &[Self::NvDdr3, Self::NvDdr2, Self::NvDdr, Self::Sdr],
        }
    }
}

/// A family up to a mode; families without modes have mode 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeSet {
    /// The family.
    pub family: Family,
    /// The highest mode.
    pub mode: u32,
}

impl ModeSet {
    /// A family that has no modes.
    pub const fn any(family: Family) -> Self {
        Self { family, mode: 0 }
    }
}

/// The interfaces a chip knows; absent when its file does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support(Option<Vec<ModeSet>>);

impl Support {
    /// Reads `interfaces` of the chip: `["conv", "nv-ddr2:7"]`, the number being the highest mode.
    ///
    /// # Errors
    /// When a name or a mode is unknown.
    pub fn read(nand: &mut Section) -> Result<Self, ConfigError> {
        let help = "interfaces the chip knows, each with its highest mode: \"nv-ddr2:7\"";
        let Some(texts) = nand.optional::<Vec<String>>("interfaces", help)? else { return Ok(Self(None)) };
        let parsed = texts.iter().map(|text| parse(text).map_err(|why| nand.reject("interfaces", &why)));
        parsed.collect::<Result<_, _>>().map(|sets| Self(Some(sets)))
    }

    fn highest(&self, family: Family) -> Option<u32> {
        self.0.as_ref()?.iter().find(|set| set.family == family).map(|set| set.mode)
    }

    /// What the chip knows, for messages.
    fn shown(&self) -> String {
        let show = |set: &ModeSet| match set.family {
            Family::Conv | Family::SyncOnly | Family::Proposed => set.family.name().to_owned(),
            family => format!("{} up to mode {}", family.name(), set.mode),
        };
        self.0.iter().flatten().map(show).collect::<Vec<_>>().join(", ")
    }

    /// What is spoken when the controller offers `wanted`: that itself, or with `fall_back` the best both know.
    ///
    /// # Errors
    /// Says what the chip knows instead.
    pub(crate) fn negotiate(&self, wanted: ModeSet, fall_back: bool) -> Result<ModeSet, String> {
        let lacking = |what: String| format!("{what}; the chip knows {}", self.shown());
        if self.0.is_none() {
            let name = wanted.family.name();
            return Err(format!(
                "expected a chip that lists {name:?} under `interfaces`; this one lists none"
            ));
        }
        match self.highest(wanted.family) {
            Some(mode) if wanted.mode <= mode => return Ok(wanted),
            Some(mode) if fall_back => return Ok(ModeSet { mode, ..wanted }),
            Some(mode) => {
                let over = wanted.mode - mode;
                return Err(lacking(format!(
                    "mode {} is {over} above the chip's highest, {mode}",
                    wanted.mode
                )));
            }
            None if !fall_back => {
                return Err(lacking(
                    "not among the chip's interfaces (bus.fall_back = true lets both agree)".into(),
                ));
            }
            None => {}
        }
        let older = wanted.family.older().iter();
        let found =
            older.copied().find_map(|family| self.highest(family).map(|mode| ModeSet { family, mode }));
        found.ok_or_else(|| lacking("there is nothing both know".into()))
    }
}

fn parse(text: &str) -> Result<ModeSet, String> {
    let (name, mode) = text.split_once(':').map_or((text, None), |(name, mode)| (name, Some(mode)));
    let names = Family::ALL.iter().map(|(_, name)| *name);
    let Some((family, _)) = Family::ALL.iter().find(|(_, known)| *known == name) else {
        let hint =
            nearest(name, names.clone()).map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        return Err(format!("{name:?}: expected one of {}{hint}", names.collect::<Vec<_>>().join(", ")));
    };
    let highest = crate::interface::highest_mode(*family);
    match (mode, highest) {
        (None, None) => Ok(ModeSet::any(*family)),
        (None, Some(_)) => Err(format!("{text:?}: expected its highest mode as well: \"{name}:4\"")),
        (Some(_), None) => Err(format!("{text:?}: {name} has no modes")),
        (Some(mode), Some(highest)) => match mode.parse() {
            Ok(mode) if mode <= highest => Ok(ModeSet { family: *family, mode }),
            _ => Err(format!("{text:?}: expected a mode from 0 to {highest}")),
        },
    }
}
