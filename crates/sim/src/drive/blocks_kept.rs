//! A drive on whose zones a host keeps blocks: what the configuration must not ask of it, and the host's translation for a run.

use super::memory::MemoryNeeds;
use super::power_cuts::PowerPlan;
use super::{Drive, WholeDrive, read_whole};
use crate::Error;
use crate::translation::{HostTranslation, LogRules};
use config::{ConfigError, Section};
use ftl::FtlConfig;
use host::LinkConfig;

/// Refuses, in a drive's configuration, a host policy that gives writes placement handles where neither drive nor host
/// has handles, and several namespaces or power cuts beside a host that keeps blocks on the drive's zones
/// (`translation`).
pub(super) fn check_host(
    root: &mut Section,
    (link, ftl): (&LinkConfig, &FtlConfig),
    translation: Option<&LogRules>,
    cuts: &PowerPlan,
) -> Result<(), ConfigError> {
    let of_drive = ftl.handles().map_or(0, |spec| spec.isolation.len() as u16);
    let handles = of_drive.max(translation.map_or(0, LogRules::handles));
    if link.place.names() && handles == 0 {
        let expected = "expected none, or a drive with placement handles, such as ftl.streams.name = fdp, or \
                        host.translation.streams above 1";
        return Err(root.child("host")?.child("place")?.reject("name", expected));
    }
    if translation.is_some() && link.namespaces.len() > 1 {
        let expected = "expected none, or one namespace: the host keeps its blocks on all zones of the drive";
        return Err(root.child("host")?.child("translation")?.reject("name", expected));
    }
    if translation.is_some() && cuts.has_cuts() {
        let expected =
            "expected none, or no power.cut: the log of a host that keeps blocks on zones is not found again";
        return Err(root.child("host")?.child("translation")?.reject("name", expected));
    }
    Ok(())
}

/// Returns the sizes from which the simulator's memory for a drive is calculated, with the log of a host that keeps
/// blocks on the drive's zones, if there is one.
pub(super) fn needs_of(whole: &WholeDrive) -> MemoryNeeds {
    let needs = MemoryNeeds::of(&whole.geometry, &whole.ftl, whole.ecc.ladder.as_ref());
    let places = u64::from(whole.ftl.layout.logical_units);
    needs.with_more(whole.host.translation.as_ref().map_or(0, |rules| rules.memory_bytes(places)))
}

impl Drive {
    /// Returns true if a host keeps blocks on the drive's zones by a translation of its own.
    pub(crate) fn is_translated(&self) -> bool {
        self.namespaces.blocks_kept().is_some()
    }

    /// Makes the translation, with an empty log, of a host that keeps blocks on the drive's zones, for a run with the
    /// seed `seed`; `None` where the workload asks the drive itself.
    ///
    /// # Errors
    /// When the drive's stored configuration cannot be read again.
    pub(crate) fn translation(&self, seed: u64) -> Result<Option<HostTranslation>, Error> {
        if !self.is_translated() {
            return Ok(None);
        }
        let whole = read_whole(&self.document, seed)?;
        let (unit, zoning) = (whole.ftl.layout.unit.get(), whole.ftl.zoning());
        let made = |(rules, zoning): (LogRules, ftl::Zoning)| {
            HostTranslation::new(&rules, (zoning.count, zoning.capacity), unit, seed)
        };
        Ok(whole.host.translation.zip(zoning).map(made))
    }
}
