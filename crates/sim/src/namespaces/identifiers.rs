//! Which placement identifiers writes to each namespace may name: its placement handle list, in each of its reclaim groups.
//!
//! As in NVMe a namespace that is declared without a list has handle 0, which the drive chooses for it. A drive without
//! declared namespaces is one that has all handles.

use super::Namespaces;
use super::placing::refuse;
use config::{ConfigError, Entry};
use ftl::FtlConfig;
use ftl::compatibility::Feature;
use ftl::streams::PlacementArea;
use host::{Declared, HostRequest, Op};
use units::Lpn;

impl Namespaces {
    /// Returns why a request for another reclaim unit is refused on a drive without placement handles; `None` for any
    /// other request, and on a drive with handles.
    pub(super) fn lacks_handles(&self, request: &HostRequest) -> Option<(String, String)> {
        let expected = "none, or a drive with placement handles, such as ftl.streams.name = fdp";
        let is_refused = request.op == Op::HANDLE_UPDATE && self.handles == 0;
        is_refused.then(|| (request.op.name().to_owned(), expected.to_owned()))
    }

    /// Returns these namespaces of a drive with the settings `ftl` with their numbers of placement identifiers, and the
    /// identifiers themselves: a list for each of the `declared` namespaces; no list where none is declared, or the
    /// drive has no placement handles.
    ///
    /// # Errors
    /// When a namespace names handles or reclaim groups that the drive does not have, none, or one twice, or names
    /// reclaim groups beside snapshots.
    pub fn identify(
        mut self,
        declared: &[Declared],
        ftl: &FtlConfig,
        entries: &[Entry],
    ) -> Result<(Self, Vec<PlacementArea>), ConfigError> {
        let Some(spec) = ftl.handles() else {
            let named = |one: &&Declared| one.handles.is_some() || one.groups.is_some();
            return match declared.iter().find(named) {
                None => Ok((self, Vec::new())),
                Some(one) => {
                    let key = if one.handles.is_some() { "handles" } else { "groups" };
                    let expected = "expected none: this drive has no placement handles; ftl.streams.name = fdp makes it one \
                                    that has";
                    Err(refuse(entries, &one.name, key, expected.to_owned()))
                }
            };
        };
        let (handles, groups) = (spec.isolation.len() as u16, spec.groups as u16);
        if declared.is_empty() {
            self.handles = handles * groups;
            return Ok((self, Vec::new()));
        }
        let keeps_versions = ftl.features.iter().any(|found| found.feature == Feature::Snapshots);
        if let Some(one) = declared.iter().find(|one| keeps_versions && one.groups.is_some()) {
            let expected =
                "expected none, or no ftl.snapshots: what they keep may fill the groups of a namespace";
            return Err(refuse(entries, &one.name, "groups", expected.to_owned()));
        }
        let unit = ftl.layout.unit.get();
        let mut areas = Vec::new();
        for (placed, one) in self.all.iter_mut().zip(declared) {
            let list = |key: &str, given: &Option<Vec<u16>>, usual: Vec<u16>, count: u16| match given {
                None => Ok(usual),
                Some(list) if is_of(list, count) => Ok(list.clone()),
                Some(_) => {
                    let expected = format!("expected one or more numbers below {count}, each once");
                    Err(refuse(entries, &one.name, key, expected))
                }
            };
            let area = PlacementArea {
                name: one.name.clone(),
                first: Lpn((placed.extent.offset / unit) as u32),
                units: placed.extent.bytes.div_ceil(unit),
                handles: list("handles", &one.handles, vec![0], handles)?,
                groups: list("groups", &one.groups, (0..groups).collect(), groups)?,
            };
            placed.handles = area.identifiers();
            self.handles = self.handles.max(placed.handles);
            areas.push(area);
        }
        Ok((self, areas))
    }
}

/// Returns true if `list` has at least one number, and only different ones below `count`.
fn is_of(list: &[u16], count: u16) -> bool {
    let is_new = |at: usize| !list[..at].contains(&list[at]);
    !list.is_empty() && (0..list.len()).all(|at| list[at] < count && is_new(at))
}
