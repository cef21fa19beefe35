//! Layers that are wrong on purpose, by which tests see that the checks notice. Only a build with debug assertions can be
//! asked for one, by `ftl.lapse`, which it lists nowhere; in any other the answer is known when it is compiled.

use config::{ConfigError, Section};

/// Constant: configuration key by which a test requests a deliberate mistake of the translation layer.
pub const KEY_OF_TESTS: &str = "ftl.lapse";

/// Kind of deliberate mistake of the translation layer, by which tests see that the checks notice it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lapse {
    /// Case of deliberate mistake: a flush is answered at once, before the acknowledged data are on flash.
    ForgetsFlush,
    /// Case of deliberate mistake: recovery treats a torn page (whose program a power cut interrupted) as intact.
    TrustsTornPage,
    /// Case of deliberate mistake: a trim is acknowledged, but its data stay readable.
    IgnoresTrim,
    /// Case of deliberate mistake: after a power cut, recovery ignores the records of trims that are stored on flash.
    ForgetsTrim,
    /// Case of deliberate mistake: recovery uses the older of two versions of a unit that it finds on flash.
    OlderCopy,
    /// Case of deliberate mistake: data of a failed die are read as if the die worked.
    ReadsDeadDie,
    /// Case of deliberate mistake: data of an unreadable page that could be restored, from parity for instance, count
    /// as lost.
    ForgetsRemedy,
    /// Case of deliberate mistake: after a power cut, a zone of a zoned drive that was reset has its data again.
    ForgetsReset,
    /// Case of deliberate mistake: after a power cut, the units that waited in the write buffer of a zoned drive are
    /// lost.
    ForgetsBuffer,
}

/// Constant: list of all deliberate mistakes that tests can request, each with its name in `ftl.lapse`.
#[cfg(debug_assertions)]
const LAPSES: [(&str, Lapse); 9] = [
    ("forgets-flush", Lapse::ForgetsFlush),
    ("trusts-torn-page", Lapse::TrustsTornPage),
    ("ignores-trim", Lapse::IgnoresTrim),
    ("forgets-trim", Lapse::ForgetsTrim),
    ("older-copy", Lapse::OlderCopy),
    ("reads-dead-die", Lapse::ReadsDeadDie),
    ("forgets-remedy", Lapse::ForgetsRemedy),
    ("forgets-reset", Lapse::ForgetsReset),
    ("forgets-buffer", Lapse::ForgetsBuffer),
];

/// Type of the setting that says which deliberate mistake the translation layer makes in a test; empty except in tests.
#[derive(Clone, Copy, Default)]
pub struct Lapses(#[cfg(debug_assertions)] Option<Lapse>);

impl Lapses {
    /// Reads the deliberate mistake that a test requests by `ftl.lapse`.
    ///
    /// # Errors
    /// When there is no mistake of that name.
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

    /// Returns the empty setting, for no deliberate mistake: a release build has no key `ftl.lapse`.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(debug_assertions))]
    #[expect(clippy::unnecessary_wraps)]
    pub(crate) fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self())
    }

    /// Returns true if a test requested this deliberate mistake of the layer.
    #[cfg(debug_assertions)]
    pub(crate) fn has(self, lapse: Lapse) -> bool {
        self.0 == Some(lapse)
    }

    /// Returns false, because a release build makes no deliberate mistakes.
    #[cfg(not(debug_assertions))]
    #[inline(always)]
    pub(crate) const fn has(self, _: Lapse) -> bool {
        false
    }
}
