//! The tables of snapshots in a saved state.

use super::{ABSENT, Snapshot, Snapshots};
use crate::SavedState;
use crate::saved::Untaken;
use crate::store::Map;
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// Adds the difference tables of the snapshots to a saved state, or empty lists on a drive without snapshots. The times
/// at which snapshots were taken are not saved, because simulated time begins anew.
pub(super) fn save(snapshots: Option<&Snapshots>, saved: &mut SavedState) {
    let Some(snapshots) = snapshots else { return saved.words.extend([Vec::new(), Vec::new()]) };
    let mut heads = vec![snapshots.next_serial];
    heads.extend(snapshots.kept.iter().flat_map(|kept| [kept.serial, kept.old.len() as u32]));
    let tables = snapshots.kept.iter().flat_map(|kept| &kept.old);
    saved.words.extend([heads, tables.flat_map(|(&lpn, &place)| [lpn, place as u32]).collect()]);
}

/// Decodes a physical address of a saved difference table: 32 bits suffice, because drives with snapshots have fewer
/// than 2^32 units on flash.
fn place_of(place: u32) -> Ppa {
    if place == u32::MAX { Ppa::NONE } else { Ppa(u64::from(place)) }
}

/// Restores the snapshots and their difference tables from a saved state, if there are any.
///
/// # Errors
/// When the saved state has snapshots and the drive takes none, or the tables contradict the map or each other.
pub(super) fn load(
    snapshots: Option<&mut Snapshots>,
    map: &Map,
    logical_units: u32,
    saved: &mut Untaken<'_>,
) -> Result<(), String> {
    let (heads, mut rest) = (saved.words()?, saved.words()?);
    let (Some(snapshots), Some((&next, heads))) = (snapshots, heads.split_first()) else {
        return if heads.len() <= 1 {
            Ok(())
        } else {
            Err("the saved state keeps snapshots: expected a drive with ftl.snapshots".into())
        };
    };
    let wrong = || "the saved state's snapshots contradict themselves".to_owned();
    let mut kept = VecDeque::new();
    for head in heads.chunks(2) {
        let &[serial, count] = head else { return Err(wrong()) };
        let (table, behind) = rest.split_at_checked(2 * count as usize).ok_or_else(wrong)?;
        let last = kept.back().map(|last: &Snapshot| last.serial);
        if serial >= next || last.is_some_and(|last| last >= serial) {
            return Err(wrong());
        }
        for entry in table.chunks_exact(2) {
            let (lpn, place) = (Lpn(entry[0]), place_of(entry[1]));
            let is_there =
                || place.index() < map.physical_units() && map.is_valid(place) && map.holder(place) == lpn;
            if lpn.0 >= logical_units || (place.0 != ABSENT && (!is_there() || snapshots.has_named(place))) {
                return Err(wrong());
            }
            if place.0 != ABSENT {
                snapshots.set_named(place);
                snapshots.units += 1;
            }
        }
        let old = table.chunks_exact(2).map(|entry| (entry[0], place_of(entry[1]).0)).collect();
        kept.push_back(Snapshot::new(serial, SimTime::ZERO, old));
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(wrong());
    }
    (snapshots.kept, snapshots.next_serial) = (kept, next);
    Ok(())
}
