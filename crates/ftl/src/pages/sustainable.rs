//! Whether a drive can take writes for ever, and which over-provisioning would let it.

use super::PageMapped;
use crate::agenda::Costs;
use crate::core::{Core, Handles, crowded_groups};
use units::Nanos;

impl PageMapped {
    pub(crate) fn make_room_for_features(&mut self) -> Result<(), String> {
        let spare = self.media.core.spare_units();
        self.media.features.set_room(spare);
        match self.media.features.lacks_room(spare, &self.advice()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    pub(crate) fn check_sustainable(&mut self) -> Result<(), String> {
        let (logical, possible) = (self.media.core.rules.mapped_units, self.media.core.sustainable_units());
        if logical <= possible {
            check_groups(&self.media.core)?;
            return check_unit_times(&self.media.core);
        }
        if let Some(error) = self.media.core.assembly.streams.too_small(&self.media.core.store.layout) {
            return Err(error);
        }
        let least = self.media.core.store.space.dies.iter().map(|die| die.usable).min().unwrap_or(0);
        let fits = handles_that_fit(&mut self.media.core);
        let fewer =
            fits.map_or_else(String::new, |fits| format!(", or ftl.streams.handles to {fits} or fewer"));
        let advice = self.advice() + &fewer;
        let apart = self.media.core.rules.apart;
        let (kept, advice) = match self.media.features.apart_for().filter(|_| apart > 0) {
            None => (String::new(), advice),
            Some((name, key)) => (format!(" and {name} {apart}"), format!("{advice}, or give {key} less")),
        };
        Err(format!(
            "this drive cannot sustain writes: the host sees {logical} mapping units, but of the {least} good \
             superblocks of a die garbage collection keeps {} free, open or in hand{kept}, which leaves \
             room for {possible}; {advice}",
            self.media.core.reserved_superblocks()
        ))
    }

    /// Returns advice for the error message about a drive that cannot sustain writes: the over-provisioning ratio to
    /// set, or, where no ratio is enough, to give each die more blocks.
    fn advice(&self) -> String {
        let layout = &self.media.core.store.layout;
        let host = self.host_units_most();
        if host == 0 {
            return "give each die more blocks".to_owned();
        }
        // Rounded up, so that the advice is enough.
        let op = ((layout.physical_units() as f64 / host as f64 - 1.0) * 1000.0).ceil() / 1000.0;
        format!("set ftl.op_ratio to {op:.3} or more")
    }

    /// Returns the greatest number of host mapping units at which the drive sustains writes, its features have enough
    /// space, and its dies can reach the number of free superblocks that the garbage collection trigger asks for.
    fn host_units_most(&self) -> u64 {
        let layout = &self.media.core.store.layout;
        let spare = self.media.features.spare_least();
        let sustained = self.media.core.sustainable_units().saturating_sub(spare);
        let beside = self.upkeep.trigger.superblocks_beside();
        let full = u64::from(layout.superblocks_per_die.saturating_sub(beside))
            * u64::from(layout.dies)
            * u64::from(layout.data_units());
        // With fewer units for the host a map on flash does not take more.
        sustained.min(full).saturating_sub(u64::from(layout.translation_units))
    }
}

/// Returns an error message if the reclaim groups of a namespace could be full of valid data, so that writes to the
/// namespace would find no space.
fn check_groups(core: &Core) -> Result<(), String> {
    let Some(crowded) = crowded_groups(core) else { return Ok(()) };
    let groups: Vec<String> = crowded.groups.iter().map(u16::to_string).collect();
    let (groups, unit) = (groups.join(", "), core.store.layout.unit.get());
    Err(format!(
        "this drive cannot sustain writes: namespace {} lies in the reclaim groups [{groups}] alone \
         (host.namespaces.{0}.groups), which have room for {} bytes, and the namespaces that may write there have {}; make \
         them {1} bytes or less together, give it more groups, or the dies more blocks",
        crowded.namespace,
        crowded.possible * unit,
        crowded.units * unit,
    ))
}

/// Returns an error message if the time limit of reclaim units is shorter than a die takes to program one superblock:
/// each superblock would then be padded, also for a host that writes as fast as the drive.
fn check_unit_times(core: &Core) -> Result<(), String> {
    let handles = core.assembly.streams.handles.as_deref();
    let Some(limit) = handles.and_then(Handles::unit_time_limit) else { return Ok(()) };
    let layout = &core.store.layout;
    let programs = layout.data_units().div_ceil(layout.program_units);
    let program_ns = Costs::of_die(layout, &core.store.controller, 1, &[0]).program;
    let least = Nanos::new(u64::from(programs) * program_ns);
    if limit >= least {
        return Ok(());
    }
    Err(format!(
        "ftl.streams.unit_time_limit = {limit}: expected {least} or more, the time in which a die programs a superblock"
    ))
}

/// Returns the greatest number of placement handles with which the drive would sustain writes; none if fewer handles do
/// not help.
fn handles_that_fit(core: &mut Core) -> Option<u32> {
    let (whole, spare) = (core.assembly.streams.counts(), core.rules.spare);
    let logical = core.store.layout.written_units();
    let mut fits = None;
    while let Some(fewer) = core.assembly.streams.counts_with_one_less(&core.store.layout) {
        core.rules.spare -= core.assembly.streams.spare();
        core.assembly.streams.set_counts(fewer);
        core.rules.spare += core.assembly.streams.spare();
        if core.sustainable_units() >= logical {
            fits = Some(core.assembly.streams.of_hosts().count() as u32);
            break;
        }
    }
    core.assembly.streams.set_counts(whole);
    core.rules.spare = spare;
    fits
}
