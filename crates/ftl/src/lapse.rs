//! Layers that are wrong on purpose, by which tests see that the checks notice. Only a build with debug assertions can be
//! asked for one, by `ftl.lapse`, which it lists nowhere; in any other the answer is known when it is compiled.

use config::{ConfigError, Section};

/// Key with which a test asks for a mistake of the translation layer on purpose.
pub const KEY_OF_TESTS: &str = "ftl.lapse";

/// A deliberate mistake of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lapse {
    /// Mistake of answering a flush at once, before the acknowledged data are on flash.
    ForgetsFlush,
    /// A page whose program was interrupted counts as whole.
    TrustsTornPage,
    /// A trim is answered, and nothing is forgotten.
    IgnoresTrim,
    /// Records of trims are ignored after a power cut.
    ForgetsTrim,
    /// Mistake of using the older one of two copies of a unit that recovery finds.
    OlderCopy,
    /// Mistake of reading the data of a dead die as if the die were alive.
    ReadsDeadDie,
    /// Data that could be restored count as lost.
    ForgetsRemedy,
}

/// All mistakes that tests can ask for, with their names.
#[cfg(debug_assertions)]
const LAPSES: [(&str, Lapse); 7] = [
    ("forgets-flush", Lapse::ForgetsFlush),
    ("trusts-torn-page", Lapse::TrustsTornPage),
    ("ignores-trim", Lapse::IgnoresTrim),
    ("forgets-trim", Lapse::ForgetsTrim),
    ("older-copy", Lapse::OlderCopy),
    ("reads-dead-die", Lapse::ReadsDeadDie),
    ("forgets-remedy", Lapse::ForgetsRemedy),
];

/// The deliberate mistake of a layer; none except in tests.
#[derive(Clone, Copy, Default)]
pub struct Lapses(#[cfg(debug_assertions)] Option<Lapse>);

impl Lapses {
    /// Reads `ftl.lapse`.
    ///
    /// # Errors
    /// When there is no such lapse.
    #[cfg(debug_assertions)]
    pub(crate) fn read(ftl: &mut Section) -> Result<Self, ConfigError> {
        if !ftl.is_written("lapse") {
            return Ok(Self::default());
        }
        let names: Vec<&str> = ["none"].into_iter().chain(LAPSES.map(|(name, _)| name)).collect();
        let name =
            ftl.choice("lapse", &names, "none", "what the layer gets wrong, for tests of the checks")?;
        let named = LAPSES.iter().find(|(other, _)| *other == name);
        Ok(Self(named.map(|(_, lapse)| *lapse)))
    }

    /// There is no such key.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(debug_assertions))]
    #[expect(clippy::unnecessary_wraps)]
    pub(crate) fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self())
    }

    /// True when the layer makes this mistake on purpose.
    #[cfg(debug_assertions)]
    pub(crate) fn has(self, lapse: Lapse) -> bool {
        self.0 == Some(lapse)
    }

    /// True when the layer makes this mistake on purpose.
    #[cfg(not(debug_assertions))]
    #[inline(always)]
    pub(crate) const fn has(self, _: Lapse) -> bool {
        false
    }
}
