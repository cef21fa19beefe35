//! `[ftl.snapshots]`: when the drive takes snapshots, how many it keeps, what happens when they have no room.

use crate::snapshot_expiry;
use config::{ConfigError, Section, above, at_least};
use units::Nanos;

/// Kind of behaviour of the drive when a write would make the snapshots retain one mapping unit more than they may: it
/// deletes a snapshot, or refuses the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// Case of the setting `when_full = "drop"`: the drive deletes snapshots, each of which is counted, until it can
    /// accept the write.
    Drop,
    /// Case of the setting `when_full = "refuse-writes"`: the drive refuses, with an error, a write that would
    /// overwrite data that a snapshot sees, and ignores a trim of such data.
    RefuseWrites,
}

/// Set of settings by which the drive takes, retains and rolls back to snapshots, without the policy that chooses the
/// snapshot to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotRules {
    /// Setting: time in nanoseconds between two snapshots; none: the drive takes snapshots only at the times in `at`.
    pub every: Option<Nanos>,
    /// Setting: list of the times at which the drive takes a snapshot, in ascending order.
    pub at: Vec<Nanos>,
    /// Setting: list of the times at which the drive rolls back to its newest snapshot, in ascending order.
    pub rollback_at: Vec<Nanos>,
    /// Setting `keep` of section `[ftl.snapshots]`: greatest number of snapshots that the drive may have at one time;
    /// when one more is taken, one is deleted.
    pub keep: u32,
    /// Setting `when_full` of section `[ftl.snapshots]`: behaviour of the drive when a write would make the snapshots
    /// retain more mapping units than they may.
    pub when_full: WhenFull,
    /// Setting `space_ratio` of section `[ftl.snapshots]`: greatest share, as a fraction above 0 and up to 1, of the
    /// spare mapping units (capacity that neither host data, map nor garbage collection needs) that snapshots may take.
    pub space_ratio: f64,
}

const KEYS: [&str; 5] = ["keep", "when_full", "space_ratio", "rollback_at", "expiry"];

impl SnapshotRules {
    /// Returns a number of spare mapping units (capacity that nothing else needs) of which the share of snapshots,
    /// `space_ratio`, is at least one unit.
    pub(crate) fn spare_least(&self) -> u64 {
        (1.0 / self.space_ratio) as u64 + 1
    }

    /// Parses section `[ftl.snapshots]`; `None` if it gives no time for a snapshot.
    ///
    /// # Errors
    /// When a value is wrong, or another key of the section stands there without `every` or `at`.
    pub fn read(section: &mut Section) -> Result<Option<(Self, snapshot_expiry::Maker)>, ConfigError> {
        let every: Option<Nanos> = section
            .within(above(Nanos::ZERO).because("leave it out for none"))
            .optional("every", "time between two snapshots")?;
        let at: Option<Vec<Nanos>> = section.optional("at", "moments of snapshots, since the run began")?;
        if every.is_none() && at.is_none() {
            return match KEYS.iter().find(|key| section.has(key)) {
                Some(key) => {
                    let expected =
                        "expected ftl.snapshots.every or ftl.snapshots.at beside it, which say when";
                    Err(section.reject(key, expected))
                }
                None => Ok(None),
            };
        }
        let at = ascending(section, "at", at.unwrap_or_default())?;
        let keep = section.within(at_least(1u32)).or(
            "keep",
            4u32,
            "snapshots kept at most: when one more is taken, one is dropped",
        )?;
        let names = ["drop", "refuse-writes"];
        let help = "what happens when a write would keep more for snapshots than they may take";
        let when_full = match section.choice("when_full", &names, "drop", help)?.as_str() {
            "drop" => WhenFull::Drop,
            _ => WhenFull::RefuseWrites,
        };
        let help =
            "part of the room that neither the host's data nor garbage collection needs: for snapshots";
        let space_ratio =
            section.unit("ratio").within(above(0.0).at_most(1.0)).or("space_ratio", 0.5, help)?;
        let help = "moments at which the logical drive goes back to its newest snapshot";
        let back: Option<Vec<Nanos>> = section.optional("rollback_at", help)?;
        let rollback_at = ascending(section, "rollback_at", back.unwrap_or_default())?;
        let first = every.into_iter().chain(at.first().copied()).min().expect("one of them is given");
        if rollback_at.first().is_some_and(|back| *back < first) {
            let expected = format!("expected moments after the first snapshot, which is taken at {first}");
            return Err(section.reject("rollback_at", &expected));
        }
        let mut expiry = section.child("expiry")?;
        let policy = snapshot_expiry::read(&mut expiry)?;
        expiry.finish()?;
        Ok(Some((Self { every, at, rollback_at, keep, when_full, space_ratio }, policy)))
    }
}

fn ascending(section: &Section, key: &str, moments: Vec<Nanos>) -> Result<Vec<Nanos>, ConfigError> {
    if moments.windows(2).all(|pair| pair[0] < pair[1]) {
        Ok(moments)
    } else {
        Err(section.reject(key, "expected moments in ascending order, each once"))
    }
}
