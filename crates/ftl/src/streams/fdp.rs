//! The host chooses: flexible data placement, as NVMe 2.1 defines it (TP4146), and the streams of NVMe 1.3 before it.
//!
//! The host names a handle with what it writes. What it writes through one handle lies in superblocks of that handle's own:
//! a reclaim unit is so many of them. Collection keeps the data of a persistently isolated handle apart from all others, and
//! gathers those of all initially isolated handles in one stream. Reclaim groups are sets of dies: as a stream is an open
//! superblock on each die, and what is moved stays on its die, streams say nothing of them.

use super::{HandleSpec, Isolation, StreamPolicy, StreamSpec, Takes, UnitView};
use config::{Card, ConfigError, Policy, Section, above, at_least};
use units::Nanos;

/// Constant: greatest number of placement handles of a drive: each has a write stream of host data, and at least one
/// more stream takes relocated data.
const HANDLES_MOST: u32 = super::STREAMS_MOST as u32 - 1;

/// Constant: greatest number of reclaim groups of a drive.
const GROUPS_MOST: u32 = 256;

/// Implementation of the stream policy `fdp`: one write stream (with an open superblock on each die) for each placement
/// handle (NVMe FDP), and write streams for data that are relocated out of them.
#[derive(Clone, Debug)]
pub struct Fdp {
    handles: HandleSpec,
    /// For each write stream: index of the stream that data relocated out of it join.
    moves_to: Vec<usize>,
    streams: Vec<StreamSpec>,
}

const ISOLATIONS: [(&str, Isolation); 2] =
    [("initially", Isolation::Initially), ("persistently", Isolation::Persistently)];

impl Policy for Fdp {
    const CARD: Card = Card {
        name: "fdp",
        rule: "what the host writes joins the stream of the handle that it names (0 where it names none, or one that is not \
               there); what is moved out of persistently isolated handles joins a stream for each of them, what is moved out \
               of all others one stream",
        paper: "NVM Express Base Specification 2.1 and TP4146: flexible data placement",
        not_modelled: "collection reclaims superblocks of a die rather than whole reclaim units",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = at_least(1u32).at_most(HANDLES_MOST);
        let handles: u32 =
            section.within(limits).or("handles", 8, "reclaim unit handles that the host may name")?;
        let help = "how each handle is isolated: initially or persistently; one for all, or one for each";
        let named: Vec<String> = section.or("isolation", vec!["initially".to_owned()], help)?;
        let isolation = isolations(&named, handles as usize);
        let Some(isolation) = isolation else {
            let expected = format!(
                "expected initially or persistently, one for all or one for each of {handles} handles"
            );
            return Err(section.reject("isolation", &expected));
        };
        let unit = section.within(at_least(1u32)).unit("superblocks").optional(
            "unit_superblocks",
            "superblocks of a reclaim unit; as many as a reclaim group has dies where not given",
        )?;
        let help = "reclaim groups: equal parts of the dies, counted channel by channel; what a write names stays in its group";
        let groups = section.within(at_least(1u32).at_most(GROUPS_MOST)).or("groups", 1, help)?;
        let help =
            "greatest time for which a reclaim unit takes data: what is written later begins another one";
        let unit_time_limit = section.within(above(Nanos::ZERO)).optional("unit_time_limit", help)?;
        let handles = HandleSpec { isolation, unit_superblocks: unit, groups, unit_time_limit };
        let apart = handles.isolation.iter().filter(|kind| **kind == Isolation::Persistently).count();
        let (count, most) = (handles.isolation.len(), super::STREAMS_MOST);
        let streams = Self::streams_of(&handles);
        if streams.0.len() > most {
            let expected = format!(
                "expected at most {most} streams: {count} handles, {apart} of them persistently isolated, take {}",
                streams.0.len()
            );
            return Err(section.reject("isolation", &expected));
        }
        let (streams, moves_to) = streams;
        Ok(Self { handles, moves_to, streams })
    }
}

/// Returns the isolation of each placement handle: `named` gives one name for all handles, or one name for each of
/// `handles` handles. Returns `None` for an unknown name or another number of names.
fn isolations(named: &[String], handles: usize) -> Option<Vec<Isolation>> {
    let known = |name: &String| ISOLATIONS.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let kinds: Vec<Isolation> = named.iter().map(known).collect::<Option<_>>()?;
    match kinds[..] {
        [one] => Some(vec![one; handles]),
        _ => Some(kinds).filter(|kinds| kinds.len() == handles),
    }
}

impl Fdp {
    /// Returns the write streams for these placement handles, and for each stream the index of the stream that data
    /// relocated out of it join.
    fn streams_of(handles: &HandleSpec) -> (Vec<StreamSpec>, Vec<usize>) {
        let numbered = || (0u16..).zip(&handles.isolation);
        let mut streams: Vec<StreamSpec> = numbered()
            .map(|(handle, _)| StreamSpec::new(&format!("handle {handle}"), Takes::Host).of_handle(handle))
            .collect();
        let mut moves_to = vec![0; streams.len()];
        let mut shared = None;
        for (handle, kind) in numbered() {
            let next = streams.len();
            let stream = match kind {
                Isolation::Persistently => {
                    let spec = StreamSpec::new(&format!("moved of handle {handle}"), Takes::Moved);
                    streams.push(spec.of_handle(handle));
                    next
                }
                Isolation::Initially => *shared.get_or_insert_with(|| {
                    streams.push(StreamSpec::new("moved", Takes::Moved));
                    next
                }),
            };
            moves_to[usize::from(handle)] = stream;
        }
        moves_to.extend(moves_to.len()..streams.len());
        (streams, moves_to)
    }
}

impl StreamPolicy for Fdp {
    fn streams(&self) -> Vec<StreamSpec> {
        self.streams.clone()
    }

    fn handles(&self) -> Option<HandleSpec> {
        Some(self.handles.clone())
    }

    fn join(&mut self, unit: &UnitView) -> usize {
        let handle = usize::from(unit.hint.unwrap_or(0));
        if unit.moved { unit.last.map_or(self.moves_to[0], |from| self.moves_to[from]) } else { handle }
    }
}
